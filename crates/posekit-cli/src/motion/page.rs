//! The report page, a self-contained file: the result, the figure in motion, the feet, the plants, and the numbers.

use std::path::Path;

use posekit_motion::median;

use super::plots::{histogram, leg_plot, worst_plot};
use super::record::{ClipRecord, FileRecord, PlantRecord};
use super::run::{Outcome, Task};
use super::view::ClipView;
use super::words::{
    about, answer, digits, millimetres, path_words, seconds, significant, summary_line, together,
};
use crate::draw::page_style;
use crate::draw::svg::{Markup, Tag};
use crate::failure::Result;
use crate::output::{count, write_file};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Writes the page of a command, if one is requested.
pub(super) fn write(
    report: Option<&Path>,
    task: &Task<'_>,
    outcome: &Outcome<Vec<ClipView>>,
) -> Result<()> {
    let Some(report) = report else { return Ok(()) };
    let views = outcome.view.as_deref().unwrap_or_default();
    write_file(report, &page(task.command, &task.input.name(), &outcome.files, views))
}

/// The page of a command.
///
/// - `name`: the name of the file or folder
/// - `views`: for a single file, the view of each motion
fn page(command: &str, name: &str, files: &[FileRecord], views: &[ClipView]) -> String {
    let mut out = Markup::new();
    out.raw("<!doctype html>\n");
    out.open(&Tag::new("html").set("lang", "en"));
    head(&mut out, &format!("posekit {command}: {name}"));
    out.open(&Tag::new("body"));
    out.open(&Tag::new("main").class("s-two-bone"));
    out.element(&Tag::new("p").class("kicker"), &format!("posekit {command} · {name}"));
    if files.len() == 1 {
        one(&mut out, &files[0], views);
    } else {
        folder(&mut out, files);
    }
    let version = env!("CARGO_PKG_VERSION");
    let footer = format!(
        "Lengths are scaled so that a leg is 0.85 m from hip to ankle. A slide is the largest distance of a standing heel or ball, along the floor, from its own median. \
         Made by posekit {version}; the same file gives the same page."
    );
    out.element(&Tag::new("footer"), &footer);
    out.close_line();
    if !views.is_empty() {
        out.open(&Tag::new("script"));
        out.raw(SCRIPT);
        out.close_line();
    }
    out.finish() + "\n"
}

fn head(out: &mut Markup, title: &str) {
    out.open(&Tag::new("head"));
    out.raw("<meta charset=\"utf-8\">\n");
    out.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    // The page contains everything it needs; this makes browsers enforce it.
    out.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n");
    out.element(&Tag::new("title"), title);
    out.open(&Tag::new("style"));
    out.raw(&page_style());
    out.raw(STYLE);
    out.close_line();
    out.close_line();
}

/// The page of one file.
fn one(out: &mut Markup, file: &FileRecord, views: &[ClipView]) {
    if let [clip] = file.clips.as_slice() {
        let title = clip.error.clone().unwrap_or_else(|| answer(clip));
        out.element(&Tag::new("h1"), &kept_together(&title));
    } else {
        let title = file.error.clone().unwrap_or_else(|| answer(&together(&file.clips)));
        out.element(&Tag::new("h1"), &kept_together(&title));
        out.element(&Tag::new("p").class("about"), &count(file.clips.len(), "motion"));
    }
    warnings(out, file);
    if file.clips.len() > 1 {
        let name = |index: usize, clip: &ClipRecord| {
            clip.name.clone().unwrap_or_else(|| format!("motion {}", index + 1))
        };
        let rows = file.clips.iter().enumerate();
        let rows = rows.map(|(index, clip)| (name(index, clip), core::slice::from_ref(clip)));
        index_table(out, "motion", &rows.collect::<Vec<_>>(), true);
    }
    for (index, clip) in file.clips.iter().enumerate() {
        let is_this = |view: &&ClipView| {
            view.record.name == clip.name
                && view.record.frames == clip.frames
                && view.record.plants == clip.plants
        };
        let view = views.iter().find(is_this);
        let is_single = file.clips.len() == 1;
        out.open(&match is_single {
            true => Tag::new("section").class("single"),
            false => Tag::new("section").class("model motion").set("id", &anchor(index)),
        });
        if !is_single {
            out.element(&Tag::new("h2"), clip.name.as_deref().unwrap_or("motion"));
            let words = clip.error.clone().unwrap_or_else(|| answer(clip));
            out.element(&Tag::new("p"), &kept_together(&words));
        }
        out.element(&Tag::new("p").class("about"), &format!("{}, {}", file.format, about(clip)));
        if let Some(words) = path_words(clip) {
            out.element(&Tag::new("p").class("about"), &kept_together(&words));
        }
        if clip.walks_on_the_spot {
            let words = "The figure walks in place: its feet are judged, and it is drawn here, as if it advanced.";
            out.element(&Tag::new("p").class("about"), words);
        }
        if let Some(view) = view {
            shown(out, view, index);
        }
        detail(out, clip);
        out.close_line();
    }
}

/// The id of the section of a motion.
fn anchor(index: usize) -> String {
    format!("motion-{}", index + 1)
}

/// A row for each motion, or for each file with its motions.
///
/// - `what`: the head of the first column
/// - `has_links`: the rows lead to the sections of the motions
fn index_table(out: &mut Markup, what: &str, rows: &[(String, &[ClipRecord])], has_links: bool) {
    let clips = || rows.iter().flat_map(|(_, clips)| *clips);
    // A check has no column for after.
    let has_after = clips().flat_map(|clip| &clip.plants).any(|plant| plant.drift_after.is_some());
    let has_words = rows.iter().any(|(_, clips)| !words_on(clips).is_empty());
    let mut head = vec![what, "plants", if has_after { "before (mm)" } else { "slide (mm)" }];
    head.extend(has_after.then_some("after (mm)"));
    head.push("worst (mm)");
    head.extend(has_after.then_some(["hips (mm)", "change (mm)", "at (s)"]).into_iter().flatten());
    head.push("deepest (mm)");
    let numbers = 1..head.len();
    head.extend(has_words.then_some(""));
    let number = |value: Option<f64>| value.map_or("–".to_owned(), millimetres);
    let cells = rows.iter().map(|(name, clips)| {
        let most = |of: fn(&ClipRecord) -> Option<f64>| {
            let all = clips.iter().filter(|clip| of(clip).is_some());
            all.max_by(|a, b| of(a).unwrap_or(0.0).total_cmp(&of(b).unwrap_or(0.0)))
        };
        let plants = || clips.iter().flat_map(|clip| &clip.plants);
        let drifts = |of: fn(&PlantRecord) -> Option<f64>| plants().filter_map(of);
        let mut row = vec![name.clone(), plants().count().to_string()];
        row.push(number(median(drifts(|plant| plant.drift_before))));
        row.extend(has_after.then(|| number(median(drifts(PlantRecord::drift)))));
        row.push(number(drifts(PlantRecord::drift).reduce(f64::max)));
        if has_after {
            let changed = most(|clip| clip.largest_change);
            row.push(number(most(|clip| clip.hip_shift).and_then(|clip| clip.hip_shift)));
            row.push(number(changed.and_then(|clip| clip.largest_change)));
            let at = changed.and_then(|clip| clip.largest_change_time);
            row.push(at.map_or("–".to_owned(), seconds));
        }
        row.push(number(most(|clip| clip.deepest_foot).and_then(|clip| clip.deepest_foot)));
        row.extend(has_words.then(|| words_on(clips)));
        row
    });
    if has_links {
        out.open(&Tag::new("nav").class("index").set("aria-label", "Motions"));
    }
    table(out, &head, numbers, cells, |index| has_links.then(|| anchor(index)));
    if has_links {
        out.close_line();
    }
    let moved = "Hips: their largest displacement. Change: the largest displacement of any joint, and its time. ";
    let moved = if has_after { moved } else { "" };
    let words = format!("{moved}Deepest: how far a heel or a ball goes below the floor.");
    out.element(&Tag::new("p").class("about"), &words);
}

fn warnings(out: &mut Markup, file: &FileRecord) {
    for warning in &file.warnings {
        out.element(&Tag::new("p").class("about"), &format!("Note: {warning}."));
    }
}

/// The figure, its feet and its plants.
fn shown(out: &mut Markup, view: &ClipView, index: usize) {
    let has_after = view.feet.iter().any(|foot| foot.height.len() > 1);
    player(out, view, index, has_after);
    let plants: Vec<&PlantRecord> = view.record.plants.iter().collect();
    out.open(&Tag::new("div").class("pair"));
    if let Some(drawn) = histogram(&plants) {
        out.open(&Tag::new("figure").class("tile"));
        out.raw(&drawn);
        out.element(&Tag::new("figcaption"), "How far plants slide");
        out.close_line();
    }
    if let Some(worst) = &view.worst {
        let plant = &view.record.plants[worst.plant];
        let side = view.record.leg_word(plant.leg);
        out.open(&Tag::new("figure").class("tile"));
        out.raw(&worst_plot(worst));
        let words = super::plots::plant_words(plant);
        let caption = format!("{}, from above: {side} {words}", worst.what);
        out.element(&Tag::new("figcaption"), &caption);
        out.close_line();
    }
    out.close_line();
    legend(out, view, has_after);
    for leg in 0..view.record.legs.len() {
        let (side, word) = (&view.record.legs[leg].side, view.record.leg_word(leg));
        let which = if word == side { String::new() } else { format!(", {word}") };
        out.element(&Tag::new("h3"), &format!("{} foot{which}", capital(side)));
        out.open(&Tag::new("div").class("plot scroll"));
        out.raw(&leg_plot(view, leg));
        out.close_line();
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The legend of lines and bars.
fn legend(out: &mut Markup, view: &ClipView, has_after: bool) {
    let has_balls = view.feet.iter().any(|foot| foot.part == "ball");
    out.open(&Tag::new("p").class("legend"));
    let entry = |out: &mut Markup, swatch: &str, words: &str| {
        out.open(&Tag::new("span"));
        out.raw("<svg viewBox=\"0 0 28 12\" class=\"swatch\" aria-hidden=\"true\">");
        out.raw(swatch);
        out.raw("</svg>");
        out.element(&Tag::new("span"), words);
        out.close();
    };
    if has_after {
        entry(out, "<path d=\"M0 6H28\" class=\"line was\"/>", "before");
        entry(out, "<path d=\"M0 6H28\" class=\"line now\"/>", "after");
    }
    if has_balls {
        entry(out, "<path d=\"M0 6H28\" class=\"line now\" stroke-dasharray=\"4 2.5\"/>", "heel");
        entry(out, "<path d=\"M0 6H28\" class=\"line now\"/>", "ball");
    }
    let mut verdicts: Vec<&str> =
        view.record.plants.iter().map(|plant| plant.verdict.as_str()).collect();
    verdicts.sort_unstable();
    verdicts.dedup();
    for verdict in verdicts {
        let bar =
            format!("<rect y=\"1\" width=\"28\" height=\"10\" rx=\"2\" class=\"bar {verdict}\"/>");
        let words = match verdict {
            "measured" => "plant".to_owned(),
            _ => format!("plant, {verdict}"),
        };
        entry(out, &bar, &words);
    }
    out.close_line();
}

/// The element for the figure, and its data for the script.
fn player(out: &mut Markup, view: &ClipView, index: usize, has_after: bool) {
    let Ok(data) = serde_json::to_string(&view.play) else { return };
    out.open(&Tag::new("div").class("player").set("data-play", &format!("play-{index}")));
    out.open(&Tag::new("div").class("panes"));
    let panes: &[(&str, &str)] = if has_after {
        &[("before", "Before"), ("after", "After")]
    } else {
        &[("before", "The figure")]
    };
    for (side, words) in panes {
        out.open(&Tag::new("figure").class("tile"));
        out.open(
            &Tag::new("canvas").set("data-side", side).set("role", "img").set("aria-label", words),
        );
        out.close();
        out.element(&Tag::new("figcaption"), words);
        out.close_line();
    }
    out.close_line();
    out.raw("<div class=\"transport\" hidden></div>\n");
    out.close_line();
    out.open(
        &Tag::new("script").set("type", "application/json").set("id", &format!("play-{index}")),
    );
    // Only numbers and base 64: nothing in it can end the element.
    out.raw(&data);
    out.close_line();
}

/// The numbers.
fn detail(out: &mut Markup, clip: &ClipRecord) {
    let is_alone = clip.metrics.is_empty();
    out.open(&Tag::new("div").class(if is_alone { "facts alone" } else { "facts" }));
    out.open(&Tag::new("div"));
    measures(out, clip);
    out.close_line();
    out.open(&Tag::new("div"));
    missed(out, clip);
    found(out, clip);
    out.close_line();
    out.close_line();
}

fn measures(out: &mut Markup, clip: &ClipRecord) {
    if !clip.metrics.is_empty() {
        out.element(&Tag::new("h3"), "Measures");
        let has_after = clip.metrics.iter().any(|metric| metric.after.is_some());
        let head: &[&str] = if has_after {
            &["measure", "before", "after", "unit"]
        } else {
            &["measure", "value", "unit"]
        };
        let number = |value: Option<f64>| value.map_or("–".to_owned(), significant);
        let rows = clip.metrics.iter().map(|metric| {
            let mut row = vec![metric.label.clone(), number(metric.before)];
            row.extend(has_after.then(|| number(metric.after)));
            row.push(metric.unit.clone());
            row
        });
        table(out, head, if has_after { 1..3 } else { 1..2 }, rows, |_| None);
    }
}

/// The plants with a reason.
fn missed(out: &mut Markup, clip: &ClipRecord) {
    let number = |value: Option<f64>| value.map_or("–".to_owned(), millimetres);
    let reasoned = clip.plants.iter().filter(|plant| !plant.reason.is_empty());
    let rows: Vec<Vec<String>> = reasoned
        .map(|plant| {
            let side = clip.leg_word(plant.leg);
            vec![
                format!("{side} {}", plant.part),
                format!("{} to {}", digits(plant.from, 2), digits(plant.to, 2)),
                number(plant.drift_before),
                number(plant.drift_after),
                format!("{}: {}", plant.verdict, plant.reason),
            ]
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    let head = ["plant", "time (s)", "before (mm)", "after (mm)", "why"];
    out.element(&Tag::new("h3"), "Plants that do not hold, and why");
    table(out, &head, 1..4, rows.into_iter(), |_| None);
}

fn found(out: &mut Markup, clip: &ClipRecord) {
    out.element(&Tag::new("h3"), "What was found");
    let mut rows: Vec<Vec<String>> = clip
        .legs
        .iter()
        .map(|leg| {
            let ball = leg.ball.as_ref().map(|ball| format!(", ball {ball}")).unwrap_or_default();
            vec![
                format!("{} leg", leg.side),
                format!("{} – {} – {}{ball}", leg.hip, leg.knee, leg.ankle),
            ]
        })
        .collect();
    rows.push(vec!["legs".to_owned(), clip.legs_reason.clone()]);
    if let Some(floor) = &clip.floor {
        rows.push(vec!["floor".to_owned(), format!("{}° from level", digits(floor.tilt, 1))]);
    }
    table(out, &[], 0..0, rows.into_iter(), |_| None);
}

/// The page of a folder.
fn folder(out: &mut Markup, files: &[FileRecord]) {
    // The motions that the headline summarises.
    let plants: Vec<&PlantRecord> = files.iter().flat_map(FileRecord::plants).collect();
    let clips: Vec<ClipRecord> = files.iter().flat_map(|file| file.clips.clone()).collect();
    let title =
        if clips.is_empty() { "No motion was read.".to_owned() } else { answer(&together(&clips)) };
    out.element(&Tag::new("h1"), &kept_together(&title));
    out.element(&Tag::new("p").class("about"), &summary_line(files));
    if let Some(drawn) = histogram(&plants) {
        out.open(&Tag::new("figure").class("tile half"));
        out.raw(&drawn);
        out.element(&Tag::new("figcaption"), "How far plants slide, all files together");
        out.close_line();
    }
    let good: Vec<&FileRecord> = files.iter().filter(|file| !file.is_failed()).collect();
    let rows = good.iter().map(|file| (file.file.clone(), file.clips.as_slice()));
    index_table(out, "file", &rows.collect::<Vec<_>>(), false);
    let why = |file: &FileRecord| file.first_error().unwrap_or_default().to_owned();
    let failed: Vec<_> = files.iter().filter(|file| file.is_failed()).collect();
    if !failed.is_empty() {
        out.element(&Tag::new("h3"), "Files that failed, and why");
        let rows = failed.into_iter().map(|file| vec![file.file.clone(), why(file)]);
        table(out, &[], 0..0, rows, |_| None);
    }
}

/// A remark on motions in which feet, or some of them, were not judged.
fn words_on(clips: &[ClipRecord]) -> String {
    let without = clips.iter().filter(|clip| clip.is_without_legs());
    let n_failed = clips.iter().filter(|clip| clip.error.is_some()).count();
    let legs = match (clips, without.clone().count()) {
        _ if clips.iter().all(|clip| clip.frames == 0 && clip.error.is_none()) => {
            "no motion".to_owned()
        }
        (_, 0) if clips.iter().all(|clip| clip.plants.is_empty()) => "no foot stands".to_owned(),
        (_, 0) => String::new(),
        ([clip], _) => clip.legs_reason.clone(),
        (_, n) => format!("no legs found in {n} of {}", count(clips.len(), "motion")),
    };
    let failed = if n_failed > 0 { format!("{n_failed} failed") } else { String::new() };
    [legs, failed].into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Text with non-breaking spaces before units.
fn kept_together(text: &str) -> String {
    text.replace(" mm", "\u{a0}mm")
}

/// A plain table.
///
/// - `numbers`: the numeric columns
/// - `link`: the id to which the first cell of a row leads
fn table(
    out: &mut Markup,
    head: &[&str],
    numbers: core::ops::Range<usize>,
    rows: impl Iterator<Item = Vec<String>>,
    link: impl Fn(usize) -> Option<String>,
) {
    let class = |column: usize| match () {
        () if numbers.contains(&column) => "n",
        // Remarks keep their width in a table that is wider than its page.
        () if matches!(head.get(column), Some(&("" | "why"))) => "remark",
        () => "",
    };
    out.open(&Tag::new("div").class("scroll"));
    out.open(&Tag::new("table").class("plain"));
    if !head.is_empty() {
        out.open(&Tag::new("thead"));
        out.open(&Tag::new("tr"));
        for (column, title) in head.iter().enumerate() {
            out.element(&Tag::new("th").set("scope", "col").class(class(column)), title);
        }
        out.close();
        out.close_line();
    }
    out.open(&Tag::new("tbody"));
    for (index, row) in rows.enumerate() {
        out.open(&Tag::new("tr"));
        let id = link(index);
        for (column, cell) in row.iter().enumerate() {
            if let Some(id) = id.as_ref().filter(|_| column == 0) {
                out.open(&Tag::new("td"));
                out.element(&Tag::new("a").set("href", &format!("#{id}")), cell);
                out.close();
                continue;
            }
            out.element(&Tag::new("td").class(class(column)), cell);
        }
        out.close_line();
    }
    out.close();
    out.close();
    out.close_line();
}
