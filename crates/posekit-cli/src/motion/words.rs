//! Sentences and tables for the terminal.

use std::fmt::Write as _;
use std::path::is_separator;

use posekit_motion::median;

use super::motions::motions_text;
use super::record::{ClipRecord, FileRecord, PlantRecord, Question, ShiftRecord};
use crate::output::{Console, count, plain};
use crate::table::{Align, Cell, Table, width};

/// The largest number of plants listed for a file.
const MOST_PLANTS: usize = 24;

/// The largest number of joints listed that may end legs.
const MOST_CANDIDATES: usize = 16;

/// The slide that people notice \[mm\].
pub(super) const NOTICED: f64 = 21.0;

/// The result of a command for a file.
pub(super) fn file_text(file: &FileRecord) -> String {
    let mut text = String::new();
    if let Some(error) = &file.error {
        let _ = writeln!(text, "{}: {}", plain(&file.file), plain(error));
        return text;
    }
    let title = format!("{}: {}", plain(&file.file), file.format);
    let clip = match file.clips.as_slice() {
        [] if file.output.is_some() => {
            return format!("{title}, no motion in it, so nothing was changed\n");
        }
        [] => return format!("{title}, no motion in it\n"),
        [clip] => clip,
        _ => return motions_text(file),
    };
    let name = clip.name.as_ref().map(|name| format!("{name:?}, ")).unwrap_or_default();
    let _ = writeln!(text, "{title}, {name}{}", about(clip));
    if !file.survey.is_empty() {
        let _ = writeln!(text, "  {}", file.survey);
    }
    clip_text(&mut text, clip);
    text
}

/// The size and rate of a motion.
pub(super) fn about(clip: &ClipRecord) -> String {
    let joints = count(clip.joints, "joint");
    if clip.frames == 0 {
        return format!("{joints}, no motion");
    }
    let mut text = format!("{joints}, {}", count(clip.frames, "frame"));
    if let Some(fps) = clip.fps {
        let _ = write!(text, " at {} fps", digits(fps, 2));
    }
    if clip.frames > 1 {
        let _ = write!(text, ", {} s", digits(clip.seconds, 2));
    }
    text + ", " + &world(clip)
}

/// The up axis and the unit.
pub(super) fn world(clip: &ClipRecord) -> String {
    let unit = clip.metres_per_unit.map_or_else(|| "unknown".to_owned(), unit_words);
    format!("{} up, unit {unit}", axis(clip.up))
}

/// A unit of length in metres or centimetres.
fn unit_words(metres: f64) -> String {
    if metres >= 1.0 {
        format!("{} m", digits(metres, 3))
    } else {
        format!("{} cm", digits(metres * 100.0, 3))
    }
}

fn clip_text(text: &mut String, clip: &ClipRecord) {
    if let Some(error) = &clip.error {
        let _ = writeln!(text, "  {}", plain(error));
        return;
    }
    text.push_str(&plain(&legs_text(clip)));
    if let Some([kept, of]) = clip.kept_keys {
        let _ = writeln!(text, "  {kept} of {} written", count(of, "key"));
    }
    if let Some(floor) = &clip.floor {
        let _ = writeln!(text, "  floor {}° from level", digits(floor.tilt, 1));
    }
    if clip.walks_on_the_spot {
        text.push_str("  in-place walk: feet are judged as if the figure advanced\n");
    }
    // All measures of a single frame are 0.
    let has_metrics = !clip.metrics.is_empty() && clip.frames > 1;
    let is_verbose = Console::get().is_verbose;
    if !clip.plants.is_empty() && is_verbose {
        let _ = write!(text, "\n{}", plants_table(clip));
    }
    if !clip.contacts.is_empty() {
        let _ = write!(text, "\n{}", contacts_table(clip));
    }
    if !clip.shifts.is_empty() {
        let _ = write!(text, "\n{}", shifts_text(clip));
    }
    if has_metrics && is_verbose {
        let _ = write!(text, "\n{}", metrics_table(clip));
    }
    if clip.question != Question::Nothing {
        let _ = writeln!(text, "\n{}", answer(clip));
        if let Some(words) = path_words(clip) {
            let _ = writeln!(text, "{words}");
        }
    }
    if has_metrics && !is_verbose {
        text.push_str("Every plant and measure: -v\n");
    }
}

pub(super) fn legs_text(clip: &ClipRecord) -> String {
    let mut text = String::new();
    for leg in &clip.legs {
        let ball = leg.ball.as_ref().map(|ball| format!(", ball {ball}")).unwrap_or_default();
        let _ =
            writeln!(text, "  {} leg: {} – {} – {}{ball}", leg.side, leg.hip, leg.knee, leg.ankle);
    }
    if !clip.legs_reason.is_empty() {
        // The reason for none begins with `no legs`.
        let word = if clip.legs.is_empty() { "" } else { "legs " };
        let _ = writeln!(text, "  {word}{}", clip.legs_reason);
    }
    if !clip.candidates.is_empty() {
        let shown: Vec<&str> =
            clip.candidates.iter().take(MOST_CANDIDATES).map(String::as_str).collect();
        let more = match clip.candidates.len() - shown.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names = shown.join(", ");
        let _ = writeln!(text, "  joints that may end legs: {names}{more}; choose with --legs");
    }
    text
}

/// The result for the plants and for given contacts, in a sentence or two.
pub(super) fn answer(clip: &ClipRecord) -> String {
    if clip.frames == 0 {
        return "No motion: there are no frames.".to_owned();
    }
    if let Some(why) = &clip.unchanged {
        return format!("Nothing was changed: {why}.");
    }
    let contacts = (clip.question == Question::Contacts).then(|| contacts_answer(clip));
    let feet = feet_answer(clip);
    contacts.map_or_else(|| feet.clone(), |contacts| format!("{contacts} {feet}"))
}

/// Several motions combined, for a sentence about all of them.
pub(super) fn together(clips: &[ClipRecord]) -> ClipRecord {
    let changes = clips.iter().filter_map(|clip| clip.largest_change);
    ClipRecord {
        frames: clips.iter().map(|clip| clip.frames).sum(),
        legs: clips.iter().flat_map(|clip| clip.legs.clone()).collect(),
        plants: clips.iter().flat_map(|clip| clip.plants.clone()).collect(),
        largest_change: changes.reduce(f64::max),
        ..ClipRecord::default()
    }
}

/// The result for given contacts.
fn contacts_answer(clip: &ClipRecord) -> String {
    let n = clip.contacts.len();
    let n_held = clip.contacts.iter().filter(|contact| contact.missed_frames == 0).count();
    let missed = clip.contacts.iter().filter_map(|contact| contact.residual).fold(0.0, f64::max);
    let missed = length(missed, clip.metres_per_unit);
    if clip.strength.is_some() {
        let out = match n - n_held {
            0 => String::new(),
            out => format!("; {out} could not be held even at full strength"),
        };
        let n = count(n, "given contact");
        return format!(
            "{n}, partly corrected as requested, with a remaining error of up to {missed}{out}."
        );
    }
    let by = match n_held {
        all if all == n => String::new(),
        0 => format!(", missed by up to {missed}"),
        _ => format!(", the others are missed by up to {missed}"),
    };
    let verb = if n == 1 { "holds" } else { "hold" };
    format!("{n_held} of {} {verb} now{by}.", count(n, "given contact"))
}

/// The result for the plants.
fn feet_answer(clip: &ClipRecord) -> String {
    // Only cleaning reports the largest change.
    let is_same = clip.largest_change == Some(0.0);
    let change = if is_same { ", and nothing was changed" } else { "" };
    if clip.legs.is_empty() {
        return format!("No legs were found, so no foot was judged{change}.");
    }
    if clip.frames == 1 {
        return format!("One frame: nothing moves, so no foot could slide{change}.");
    }
    if clip.plants.is_empty() {
        return format!("No plants: no foot stands in this motion, so none was judged{change}.");
    }
    let plants = &clip.plants;
    let of = |of: fn(&PlantRecord) -> Option<f64>| -> Vec<f64> {
        plants.iter().filter_map(of).collect()
    };
    let (before, after) = (of(|plant| plant.drift_before), of(PlantRecord::drift));
    let middle = |slides: &[f64]| median(slides.iter().copied());
    let worst = |slides: &[f64]| slides.iter().copied().reduce(f64::max);
    let n = count(plants.len(), "plant");
    if clip.plants.iter().all(|plant| plant.drift_after.is_none()) {
        let over = before.iter().filter(|slide| **slide > NOTICED).count();
        return format!(
            "{} by {} at the median and {} at worst; people would notice {}.",
            slide(plants.len()),
            slid(middle(&before)),
            slid(worst(&before)),
            if over == 0 { "none".to_owned() } else { over.to_string() },
        );
    }
    let stands = |plant: &&PlantRecord| matches!(plant.verdict.as_str(), "fixed" | "clean");
    let n_standing = plants.iter().filter(stands).count();
    let kept = kept_words(plants);
    if is_same {
        return same_answer(plants, n_standing, &kept);
    }
    let became = if plants.iter().any(|plant| plant.verdict == "measured") {
        format!("{n} found in the source")
    } else if plants.iter().any(|plant| plant.verdict == "lessened") {
        let n_lessened = plants.iter().filter(|plant| plant.verdict == "lessened").count();
        let n = if kept.is_empty() { n } else { format!("{n_lessened} of {n}") };
        format!("{n}, partly corrected as requested{kept}")
    } else {
        let verb = if plants.len() == 1 { "holds" } else { "hold" };
        format!("{n_standing} of {n} {verb} now{kept}")
    };
    let middle = went([middle(&before), middle(&after)], "");
    // The verb is not repeated if both change in the same direction.
    let worst = went([worst(&before), worst(&after)], middle.0);
    format!(
        "{became}: the median slide {}{}, the worst {}{}.",
        middle.0, middle.1, worst.0, worst.1
    )
}

/// The number of plants in times that are kept unchanged, if any.
fn kept_words(plants: &[PlantRecord]) -> String {
    match plants.iter().filter(|plant| plant.verdict == "skipped").count() {
        0 => String::new(),
        kept => format!(", {kept} left unchanged"),
    }
}

/// The sentence for an unchanged motion: it is clean already only if all plants found stand.
fn same_answer(plants: &[PlantRecord], n_standing: usize, left: &str) -> String {
    let n = count(plants.len(), "plant");
    if n_standing < plants.len() {
        let verb = if n_standing == 1 { "stands" } else { "stand" };
        return format!("Nothing was changed: {n_standing} of {n} {verb}{left}.");
    }
    if left.is_empty() {
        return format!("Already clean: {n}, and nothing was changed.");
    }
    let verb = if plants.len() == 1 { "stands" } else { "stand" };
    format!("Nothing was changed: {n} {verb} already{left}.")
}

/// A sentence about the correction of the root trajectory, if there was one.
pub(super) fn path_words(clip: &ClipRecord) -> Option<String> {
    let far = millimetres(clip.path_change?);
    Some(format!(
        "The root trajectory was corrected by up to {far} mm, because all feet slide with it."
    ))
}

/// A slide as text.
fn slid(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{} mm", millimetres(value)))
}

/// The change of a slide, to the precision that is shown: a verb and the values.
///
/// - `previous`: the previous verb, which is not repeated
fn went([before, after]: [Option<f64>; 2], previous: &str) -> (&'static str, String) {
    let (was, is) = (slid(before), slid(after));
    let verb = match () {
        () if was == is => "stayed ",
        () if after < before => "fell ",
        () => "rose ",
    };
    let values = if was == is { format!("at {is}") } else { format!("from {was} to {is}") };
    (if verb == previous { "" } else { verb }, values)
}

fn plants_table(clip: &ClipRecord) -> String {
    let is_check = clip.plants.iter().all(|plant| plant.drift_after.is_none());
    let mut columns = vec![
        ("plant", Align::Left),
        ("from (s)", Align::Right),
        ("to (s)", Align::Right),
        (if is_check { "slide (mm)" } else { "before (mm)" }, Align::Right),
    ];
    if !is_check {
        columns.push(("after (mm)", Align::Right));
    }
    let has_words = !is_check || clip.plants.iter().any(|plant| !plant.reason.is_empty());
    columns.extend(has_words.then_some(("", Align::Left)));
    let mut table = Table::new(&columns);
    let shown = MOST_PLANTS;
    // If there are too many, plants with a reason are listed first.
    let is_plain = |plant: &&PlantRecord| plant.reason.is_empty();
    let (plain, reasoned): (Vec<_>, Vec<_>) = clip.plants.iter().partition(is_plain);
    let reasoned: Vec<_> = reasoned.into_iter().take(shown).collect();
    let room = shown.saturating_sub(reasoned.len());
    let mut rows: Vec<_> = reasoned.into_iter().chain(plain.into_iter().take(room)).collect();
    rows.sort_by(|a, b| {
        a.from.total_cmp(&b.from).then(a.leg.cmp(&b.leg)).then(a.part.cmp(&b.part))
    });
    for plant in rows {
        let side = clip.leg_word(plant.leg);
        let number = |value: Option<f64>| Cell::new(value.map_or("–".to_owned(), millimetres));
        let mut cells = vec![
            Cell::new(format!("{side} {}", plant.part)),
            Cell::new(seconds(plant.from)),
            Cell::new(seconds(plant.to)),
            number(plant.drift_before),
        ];
        if !is_check {
            cells.push(number(plant.drift_after));
        }
        if has_words {
            let words = match plant.reason.as_str() {
                "" if is_check => String::new(),
                "" => plant.verdict.clone(),
                reason => format!("{}: {reason}", plant.verdict),
            };
            let is_good =
                matches!(plant.verdict.as_str(), "fixed" | "clean" | "lessened" | "measured");
            let verdict = Cell::new(words);
            cells.push(if is_good { verdict.quiet() } else { verdict.accent() });
        }
        table.row(cells);
    }
    let mut text = table.render(width());
    if clip.plants.len() > shown {
        let _ = writeln!(text, "… and {} more; --json lists all", clip.plants.len() - shown);
    }
    text
}

fn contacts_table(clip: &ClipRecord) -> String {
    let has_on = clip.contacts.iter().any(|contact| !contact.on.is_empty());
    let mut columns = vec![
        ("joint", Align::Left),
        ("from (s)", Align::Right),
        ("to (s)", Align::Right),
        ("held by", Align::Left),
        ("error", Align::Right),
        ("", Align::Left),
    ];
    if has_on {
        columns.insert(1, ("on", Align::Left));
    }
    let mut table = Table::new(&columns);
    for contact in &clip.contacts {
        let off =
            contact.residual.map_or("–".to_owned(), |off| length(off, clip.metres_per_unit));
        let words = match contact.missed_frames {
            0 if clip.strength.is_some() => Cell::new("lessened").quiet(),
            0 => Cell::new("holds").quiet(),
            missed => {
                let why = if contact.reason.is_empty() { "" } else { ": " };
                let frames = contact.frames;
                Cell::new(format!("missed in {missed} of {frames} frames{why}{}", contact.reason))
                    .accent()
            }
        };
        let mut cells = vec![
            Cell::new(&contact.joint),
            Cell::new(seconds(contact.from)),
            Cell::new(seconds(contact.to)),
            Cell::new(&contact.by),
            Cell::new(off),
            words,
        ];
        if has_on {
            let on = if contact.on.is_empty() { "the world" } else { &contact.on };
            cells.insert(1, Cell::new(on));
        }
        table.row(cells);
    }
    table.render(width())
}

/// The displacements of hips and feet that follow a held joint.
fn shifts_text(clip: &ClipRecord) -> String {
    let one = |shift: &ShiftRecord| {
        let far = match (shift.largest, clip.metres_per_unit) {
            (Some(far), Some(unit)) => format!("{} mm", millimetres(far * unit * 1e3)),
            (Some(far), None) => format!("{} units", significant(far)),
            (None, _) => "–".to_owned(),
        };
        format!("{} by up to {far}", shift.joint)
    };
    let all: Vec<String> = clip.shifts.iter().map(one).collect();
    let has_feet = clip.shifts.iter().any(|shift| shift.part == "foot");
    let advice = if has_feet { "; --contacts can hold feet as well" } else { "" };
    format!("Joints that moved to hold it: {}{advice}.\n", all.join(", "))
}

fn metrics_table(clip: &ClipRecord) -> String {
    let has_after = clip.metrics.iter().any(|metric| metric.after.is_some());
    let mut columns =
        vec![("measure", Align::Left), (if has_after { "before" } else { "value" }, Align::Right)];
    if has_after {
        columns.push(("after", Align::Right));
    }
    columns.push(("", Align::Left));
    let mut table = Table::new(&columns);
    for metric in &clip.metrics {
        let number = |value: Option<f64>| Cell::new(value.map_or("–".to_owned(), significant));
        let mut cells = vec![Cell::new(&metric.label), number(metric.before)];
        if has_after {
            cells.push(number(metric.after).accent());
        }
        cells.push(Cell::new(&metric.unit).quiet());
        table.row(cells);
    }
    table.render(width())
}

/// One line for each file of a folder.
pub(super) fn summary_table(files: &[FileRecord]) -> String {
    let has_plants = files.iter().any(|file| file.plants().next().is_some());
    let mut columns = vec![("file", Align::Left), ("status", Align::Left)];
    // A check has no column for after.
    let has_after =
        files.iter().flat_map(FileRecord::plants).any(|plant| plant.drift_after.is_some());
    if has_plants {
        columns.push(("plants", Align::Right));
        columns.push((if has_after { "before (mm)" } else { "slide (mm)" }, Align::Right));
        columns.extend(has_after.then_some(("after (mm)", Align::Right)));
        columns.push(("worst (mm)", Align::Right));
    } else {
        columns.extend([
            ("joints", Align::Right),
            ("frames", Align::Right),
            ("fps", Align::Right),
            ("s", Align::Right),
        ]);
    }
    let mut table = Table::new(&columns);
    let mut faults = String::new();
    let folder = common_folder(files);
    for file in files {
        let mut cells = vec![Cell::new(&file.file[folder.len()..])];
        if file.is_left() {
            cells.push(Cell::new("– not started").quiet());
            table.row(cells);
            continue;
        }
        if let Some(error) = file.first_error().filter(|_| file.is_failed()) {
            cells.push(Cell::new("✗ failed").accent());
            table.row(cells);
            let _ = writeln!(faults, "{}: {}", plain(&file.file), plain(error));
            continue;
        }
        cells.push(Cell::new(state(file)).quiet());
        if has_plants {
            let n = file.plants().count();
            let number = |value: Option<f64>| Cell::new(value.map_or("–".to_owned(), millimetres));
            let worst = file.plants().filter_map(PlantRecord::drift).reduce(f64::max);
            let middle =
                |of: fn(&PlantRecord) -> Option<f64>| number(median(file.plants().filter_map(of)));
            cells.extend([Cell::new(n.to_string()), middle(|plant| plant.drift_before)]);
            cells.extend(has_after.then(|| middle(|plant| plant.drift_after)));
            cells.push(number(worst));
        } else if let Some(clip) = file.clips.first() {
            cells.extend([
                Cell::new(clip.joints.to_string()),
                Cell::new(file.clips.iter().map(|clip| clip.frames).sum::<usize>().to_string()),
                Cell::new(clip.fps.map_or_else(|| "–".to_owned(), |fps| digits(fps, 2))),
                Cell::new(seconds(file.clips.iter().map(|clip| clip.seconds).sum())),
            ]);
        }
        table.row(cells);
    }
    let gap = if faults.is_empty() { "" } else { "\n" };
    let head = if folder.is_empty() { String::new() } else { format!("In {}:\n", plain(folder)) };
    head + &table.render(width()) + gap + &faults
}

/// The folder of all files, with the separator at its end, as far as their names have one in common.
fn common_folder(files: &[FileRecord]) -> &str {
    let Some((first, others)) = files.split_first() else { return "" };
    let folder_end = |end: usize| first.file[..end].rfind(is_separator).map_or(0, |at| at + 1);
    let mut end = folder_end(first.file.len());
    while !others.iter().all(|other| other.file.starts_with(&first.file[..end])) {
        end = folder_end(end - 1);
    }
    &first.file[..end]
}

/// The result for a file, in a word or two.
fn state(file: &FileRecord) -> String {
    let done = if file.skipped { "✓ done before" } else { "✓" };
    match file.clips.as_slice() {
        [] => "– no motion".to_owned(),
        [clip] if clip.frames == 0 && clip.error.is_none() => format!("{done} no motion"),
        clips => {
            let number = |of: fn(&ClipRecord) -> bool| clips.iter().filter(|clip| of(clip)).count();
            let several =
                if clips.len() > 1 { format!(" {} motions", clips.len()) } else { String::new() };
            let failed = match number(|clip| clip.error.is_some()) {
                0 => String::new(),
                failed => format!(", {failed} failed"),
            };
            let without = number(ClipRecord::is_without_legs);
            let gap = if clips.len() > 1 { "," } else { "" };
            let legs = match without {
                0 => String::new(),
                all if all == clips.len() => format!("{gap} no legs found"),
                some => format!(", no legs found in {some}"),
            };
            format!("{done}{several}{failed}{legs}")
        }
    }
}

/// The result for a folder, in one line.
pub(super) fn summary_line(files: &[FileRecord]) -> String {
    let left = files.iter().filter(|file| file.is_left()).count();
    let failed = files.iter().filter(|file| file.is_failed()).count() - left;
    let skipped = files.iter().filter(|file| file.skipped).count();
    let mut parts = vec![format!("{} done", files.len() - failed - skipped - left)];
    if skipped > 0 {
        parts.push(format!("{skipped} done before"));
    }
    if failed > 0 {
        parts.push(format!("{failed} failed"));
    }
    let line = format!("{}: {}", count(files.len(), "file"), parts.join(", "));
    if left > 0 {
        format!("{line}, {left} not started. Run the command again to continue.")
    } else {
        line
    }
}

/// The number of sliding plants, with its verb.
pub(super) fn slide(n: usize) -> String {
    if n == 1 { "1 plant slides".to_owned() } else { format!("{n} plants slide") }
}

/// The name of an axis, or the coordinates of another direction.
fn axis(up: [f64; 3]) -> String {
    for (index, name) in ["x", "y", "z"].into_iter().enumerate() {
        if up[index].abs() > 0.999_999 {
            return format!("{}{name}", if up[index] < 0.0 { "-" } else { "+" });
        }
    }
    format!("({}, {}, {})", digits(up[0], 3), digits(up[1], 3), digits(up[2], 3))
}

/// A number with at most this many decimals, without trailing zeros.
pub(super) fn digits(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A time in seconds, always with two decimals, so that columns align.
pub(super) fn seconds(value: f64) -> String {
    let text = format!("{value:.2}");
    if text == "-0.00" { "0.00".to_owned() } else { text }
}

/// Millimetres: one decimal below a hundred, none above.
pub(super) fn millimetres(value: f64) -> String {
    if value < 99.95 { format!("{value:.1}") } else { format!("{value:.0}") }
}

/// Three significant digits, with an exponent only for very small and very large numbers.
pub(super) fn significant(value: f64) -> String {
    let size = value.abs();
    match () {
        () if size < 5e-5 => "0".to_owned(),
        () if size >= 1e6 => format!("{value:.1e}"),
        () if size >= 99.95 => format!("{value:.0}"),
        () if size >= 9.995 => format!("{value:.1}"),
        () if size >= 0.9995 => format!("{value:.2}"),
        () => format!("{value:.4}"),
    }
}

/// A length in millimetres if the unit is known.
fn length(value: f64, metres_per_unit: Option<f64>) -> String {
    match metres_per_unit {
        Some(unit) => format!("{} mm", digits(value * unit * 1e3, 1)),
        None => format!("{} units", significant(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::{ContactRecord, LegRecord};
    use super::*;

    fn plant(slides: [f64; 2], verdict: &str) -> PlantRecord {
        PlantRecord {
            leg: 0,
            part: "heel".to_owned(),
            from: 0.0,
            to: 1.0,
            verdict: verdict.to_owned(),
            reason: String::new(),
            drift_before: Some(slides[0]),
            drift_after: Some(slides[1]),
        }
    }

    fn leg() -> LegRecord {
        let name = |name: &str| name.to_owned();
        LegRecord {
            side: name("left"),
            hip: name("h"),
            knee: name("k"),
            ankle: name("a"),
            ball: None,
        }
    }

    fn clip(plants: Vec<PlantRecord>) -> ClipRecord {
        ClipRecord {
            frames: 9,
            legs: vec![leg()],
            plants,
            question: Question::Feet,
            largest_change: Some(1.0),
            ..ClipRecord::default()
        }
    }

    #[test]
    fn the_answer_is_over_the_plants_of_the_measures() {
        let sentence = |plants: &[([f64; 2], &str)]| {
            answer(&clip(plants.iter().map(|(slides, word)| plant(*slides, word)).collect()))
        };
        assert_eq!(
            sentence(&[([24.0, 14.3], "released"), ([7.2, 0.0], "fixed")]),
            "1 of 2 plants hold now: the median slide fell from 15.6 mm to 7.2 mm, the worst from 24.0 mm to 14.3 mm."
        );
        assert_eq!(
            sentence(&[
                ([4.5, 539.0], "unreachable"),
                ([9.0, 9.01], "fixed"),
                ([900.0, 800.0], "released")
            ]),
            "1 of 3 plants hold now: the median slide rose from 9.0 mm to 539 mm, the worst fell from 900 mm to 800 mm."
        );
        assert_eq!(sentence(&[([3.0, 3.01], "released")]).matches("stayed at 3.0 mm").count(), 1);
    }

    #[test]
    fn the_answer_says_when_no_foot_was_judged() {
        assert!(answer(&clip(Vec::new())).contains("no foot stands"));
        let none = ClipRecord { legs: Vec::new(), ..clip(Vec::new()) };
        assert_eq!(answer(&none), "No legs were found, so no foot was judged.");
        assert!(answer(&ClipRecord::default()).contains("no frames"));
    }

    #[test]
    fn nothing_changed_is_clean_already_only_where_all_stands() {
        let sentence = |plants: &[([f64; 2], &str)]| {
            let plants = plants.iter().map(|(slides, word)| plant(*slides, word)).collect();
            answer(&ClipRecord { largest_change: Some(0.0), ..clip(plants) })
        };
        let clean = ([0.1, 0.1], "clean");
        assert_eq!(sentence(&[clean]), "Already clean: 1 plant, and nothing was changed.");
        assert_eq!(
            sentence(&[clean, ([22.6, 22.6], "skipped")]),
            "Nothing was changed: 1 of 2 plants stands, 1 left unchanged."
        );
        assert_eq!(
            sentence(&[clean, ([200.0, 200.0], "released")]),
            "Nothing was changed: 1 of 2 plants stands."
        );
    }

    #[test]
    fn a_row_of_a_folder_tells_of_all_motions() {
        let without = || ClipRecord {
            legs: Vec::new(),
            legs_reason: "no legs".to_owned(),
            ..clip(Vec::new())
        };
        let failed = || ClipRecord { error: Some("bad".to_owned()), ..ClipRecord::default() };
        let status = |clips: Vec<ClipRecord>| state(&FileRecord { clips, ..FileRecord::default() });
        assert_eq!(status(vec![clip(Vec::new())]), "✓");
        assert_eq!(status(vec![without()]), "✓ no legs found");
        assert_eq!(status(vec![without(), without()]), "✓ 2 motions, no legs found");
        let some = vec![clip(Vec::new()), without(), without(), failed()];
        assert_eq!(status(some), "✓ 4 motions, 1 failed, no legs found in 2");
    }

    #[test]
    fn files_are_named_within_the_folder_of_all() {
        let folder = |names: &[&str]| {
            let named =
                |name: &&str| FileRecord { file: (*name).to_owned(), ..FileRecord::default() };
            let files: Vec<FileRecord> = names.iter().map(named).collect();
            common_folder(&files).to_owned()
        };
        assert_eq!(folder(&["/a/b/c.bvh", "/a/b/d.bvh"]), "/a/b/");
        assert_eq!(folder(&["/a/b/c.bvh", "/a/bc/d.bvh"]), "/a/");
        assert_eq!(folder(&["a/c.bvh", "b/d.bvh"]), "");
        assert_eq!(folder(&["c.bvh", "é/d.bvh"]), "");
        assert_eq!(folder(&[]), "");
    }

    #[test]
    fn given_contacts_are_told_before_feet() {
        let contact = |missed_frames, residual| ContactRecord {
            joint: "Foot".to_owned(),
            on: String::new(),
            from: 0.0,
            to: 1.0,
            by: "the whole body".to_owned(),
            residual: Some(residual),
            angle: None,
            missed_frames,
            frames: 9,
            reason: String::new(),
        };
        let record = ClipRecord {
            question: Question::Contacts,
            contacts: vec![contact(0, 0.0), contact(4, 2.5)],
            ..clip(vec![plant([1.0, 200.0], "measured")])
        };
        let text = answer(&record);
        assert!(
            text.starts_with(
                "1 of 2 given contacts hold now, the others are missed by up to 2.50 units."
            ),
            "{text}"
        );
        assert!(text.contains("rose from 1.0 mm to 200 mm"), "{text}");
    }

    #[test]
    fn numbers_for_people() {
        assert_eq!(
            (digits(120.0, 2), digits(29.97, 2), digits(-0.001, 2)),
            ("120".into(), "29.97".into(), "0".into())
        );
        assert_eq!(digits(100.0, 0), "100");
        assert_eq!(
            [0.0, 0.000_012, 0.5, 12.34, 1234.5].map(significant),
            ["0", "0", "0.5000", "12.3", "1234"]
        );
        assert_eq!(axis([0.0, 1.0, 0.0]), "+y");
        assert_eq!(axis([0.0, 0.0, -1.0]), "-z");
        assert_eq!(count(1, "file") + &count(2, "file"), "1 file2 files");
    }
}
