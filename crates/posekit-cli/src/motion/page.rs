//! The report page, a self-contained file: the result, the figure in motion, the feet, the plants, and the numbers.

use std::path::Path;

use maud::{Markup, PreEscaped, html};
use posekit_motion::median;

use super::plots::{histogram, leg_plot, worst_plot};
use super::record::{ClipRecord, FileRecord, FloorRecord, PlantRecord};
use super::run::{Outcome, Task};
use super::view::ClipView;
use super::words::{
    about, answer, digits, millimetres, path_words, seconds, significant, summary_line, together,
};
use crate::draw::document;
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
    let body = html! {
        main.s-two-bone {
            p.kicker { "posekit " (command) " · " (name) }
            @if let [file] = files {
                (one(file, views))
            } @else {
                (folder(files))
            }
            footer {
                "Lengths are scaled so that a leg is 0.85 m from hip to ankle. A slide is the largest distance of a \
                 standing heel or ball, along the floor, from its own median. Made by posekit "
                (env!("CARGO_PKG_VERSION")) "; the same file gives the same page."
            }
        }
        @if !views.is_empty() {
            script { (PreEscaped(SCRIPT)) }
        }
    };
    document(&format!("posekit {command}: {name}"), STYLE, !views.is_empty(), &body)
}

/// The page of one file.
fn one(file: &FileRecord, views: &[ClipView]) -> Markup {
    let title = match file.clips.as_slice() {
        [clip] => clip.error.clone().unwrap_or_else(|| answer(clip)),
        clips => file.error.clone().unwrap_or_else(|| answer(&together(clips))),
    };
    let is_single = file.clips.len() == 1;
    let view_of = |clip: &ClipRecord| {
        let is_this = |record: &ClipRecord| {
            record.name == clip.name && record.frames == clip.frames && record.plants == clip.plants
        };
        views.iter().find(|view| is_this(&view.record))
    };
    html! {
        h1 { (kept_together(&title)) }
        @if !is_single {
            p.about { (count(file.clips.len(), "motion")) }
        }
        @for warning in &file.warnings {
            p.about { "Note: " (warning) "." }
        }
        @if file.clips.len() > 1 {
            (index(file))
        }
        @for (index, clip) in file.clips.iter().enumerate() {
            section.single[is_single].model[!is_single].motion[!is_single] id=[(!is_single).then(|| anchor(index))] {
                @if !is_single {
                    h2 { (clip.name.as_deref().unwrap_or("motion")) }
                    p { (kept_together(&clip.error.clone().unwrap_or_else(|| answer(clip)))) }
                }
                p.about { (file.format) ", " (about(clip)) }
                @if let Some(words) = path_words(clip) {
                    p.about { (kept_together(&words)) }
                }
                @if clip.walks_on_the_spot {
                    p.about { "The figure walks in place: its feet are judged, and it is drawn here, as if it advanced." }
                }
                @if let Some(view) = view_of(clip) {
                    (shown(view, index))
                }
                (detail(clip))
            }
        }
    }
}

/// The id of the section of a motion.
fn anchor(index: usize) -> String {
    format!("motion-{}", index + 1)
}

/// A row for each motion of a file, which leads to its section.
fn index(file: &FileRecord) -> Markup {
    let names = (1..).zip(&file.clips).map(|(number, clip)| {
        let name = clip.name.clone().unwrap_or_else(|| format!("motion {number}"));
        html! { a href={ "#" (anchor(number - 1)) } { (name) } }
    });
    let rows: Vec<_> = names.zip(file.clips.chunks(1)).collect();
    html! {
        nav.index aria-label="Motions" { (index_table("motion", &rows)) }
        (index_legend(&rows))
    }
}

/// A row for each motion, or for each file with its motions.
///
/// - `what`: the head of the first column
fn index_table(what: &str, rows: &[(Markup, &[ClipRecord])]) -> Markup {
    let has_after = has_after(rows);
    let has_words = rows.iter().any(|(_, clips)| !words_on(clips).is_empty());
    let mut head = vec![what, "plants", if has_after { "before (mm)" } else { "slide (mm)" }];
    head.extend(has_after.then_some("after (mm)"));
    head.push("worst (mm)");
    head.extend(has_after.then_some(["hips (mm)", "change (mm)", "at (s)"]).into_iter().flatten());
    head.push("deepest (mm)");
    let numbers = 1..head.len();
    head.extend(has_words.then_some(""));
    let cells = rows.iter().map(|(name, clips)| {
        let most = |of: fn(&ClipRecord) -> Option<f64>| {
            let all = clips.iter().filter(|clip| of(clip).is_some());
            all.max_by(|a, b| of(a).unwrap_or(0.0).total_cmp(&of(b).unwrap_or(0.0)))
        };
        let plants = || clips.iter().flat_map(|clip| &clip.plants);
        let drifts = |of: fn(&PlantRecord) -> Option<f64>| plants().filter_map(of);
        let mut row = vec![plants().count().to_string()];
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
        (name.clone(), row)
    });
    table(&head, numbers, cells)
}

/// Whether motions were cleaned: a check has no column for after.
fn has_after(rows: &[(Markup, &[ClipRecord])]) -> bool {
    let clips = rows.iter().flat_map(|(_, clips)| *clips);
    clips.flat_map(|clip| &clip.plants).any(|plant| plant.drift_after.is_some())
}

/// What the columns of an [`index_table`] are.
fn index_legend(rows: &[(Markup, &[ClipRecord])]) -> Markup {
    html! {
        p.about {
            @if has_after(rows) {
                "Hips: their largest displacement. Change: the largest displacement of any joint, and its time. "
            }
            "Deepest: how far a heel or a ball goes below the floor."
        }
    }
}

/// The figure, its feet and its plants.
fn shown(view: &ClipView, index: usize) -> Markup {
    let record = &view.record;
    let has_after = view.feet.iter().any(|foot| foot.height.len() > 1);
    let plants: Vec<&PlantRecord> = record.plants.iter().collect();
    html! {
        (player(view, index, has_after))
        div.pair {
            @if let Some(drawn) = histogram(&plants) {
                figure.tile {
                    (PreEscaped(drawn))
                    figcaption { "How far plants slide" }
                }
            }
            @if let Some(worst) = &view.worst {
                @let plant = &record.plants[worst.plant];
                figure.tile {
                    (PreEscaped(worst_plot(worst)))
                    figcaption {
                        (worst.what) ", from above: " (record.leg_word(plant.leg)) " "
                        (super::plots::plant_words(plant))
                    }
                }
            }
        }
        (legend(view, has_after))
        @for leg in 0..record.legs.len() {
            @let (side, word) = (&record.legs[leg].side, record.leg_word(leg));
            h3 {
                (capital(side)) " foot"
                @if word != side {
                    ", " (word)
                }
            }
            div.plot.scroll { (PreEscaped(leg_plot(view, leg))) }
        }
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The legend of lines and bars.
fn legend(view: &ClipView, has_after: bool) -> Markup {
    let has_balls = view.feet.iter().any(|foot| foot.part == "ball");
    let entry = |swatch: Markup, words: &str| {
        html! {
            span {
                svg.swatch viewBox="0 0 28 12" aria-hidden="true" { (swatch) }
                span { (words) }
            }
        }
    };
    let line = |class: &str, dash: Option<&str>| html! { path d="M0 6H28" class=(class) stroke-dasharray=[dash] {} };
    let mut verdicts: Vec<&str> =
        view.record.plants.iter().map(|plant| plant.verdict.as_str()).collect();
    verdicts.sort_unstable();
    verdicts.dedup();
    html! {
        p.legend {
            @if has_after {
                (entry(line("line was", None), "before"))
                (entry(line("line now", None), "after"))
            }
            @if has_balls {
                (entry(line("line now", Some("4 2.5")), "heel"))
                (entry(line("line now", None), "ball"))
            }
            @for verdict in verdicts {
                @let bar = html! { rect y="1" width="28" height="10" rx="2" class={ "bar " (verdict) } {} };
                @if verdict == "measured" {
                    (entry(bar, "plant"))
                } @else {
                    (entry(bar, &format!("plant, {verdict}")))
                }
            }
        }
    }
}

/// The element for the figure, and its data for the script.
fn player(view: &ClipView, index: usize, has_after: bool) -> Markup {
    let data = serde_json::to_string(&view.play).unwrap_or_default();
    let id = format!("play-{index}");
    let panes: &[(&str, &str)] = if has_after {
        &[("before", "Before"), ("after", "After")]
    } else {
        &[("before", "The figure")]
    };
    html! {
        div.player data-play=(id) {
            div.panes {
                @for (side, words) in panes {
                    figure.tile {
                        canvas data-side=(side) role="img" aria-label=(words) {}
                        figcaption { (words) }
                    }
                }
            }
            div.transport hidden {}
        }
        // Only numbers and base 64: nothing in it can end the element.
        script type="application/json" id=(id) { (PreEscaped(data)) }
    }
}

/// The numbers.
fn detail(clip: &ClipRecord) -> Markup {
    html! {
        div.facts.alone[clip.metrics.is_empty()] {
            div { (measures(clip)) }
            div { (missed(clip)) (found(clip)) }
        }
    }
}

fn measures(clip: &ClipRecord) -> Markup {
    let has_after = clip.metrics.iter().any(|metric| metric.after.is_some());
    let head: &[&str] = if has_after {
        &["measure", "before", "after", "unit"]
    } else {
        &["measure", "value", "unit"]
    };
    let number = |value: Option<f64>| value.map_or("–".to_owned(), significant);
    let rows = clip.metrics.iter().map(|metric| {
        let mut row = vec![number(metric.before)];
        row.extend(has_after.then(|| number(metric.after)));
        row.push(metric.unit.clone());
        (text(&metric.label), row)
    });
    html! {
        @if !clip.metrics.is_empty() {
            h3 { "Measures" }
            (table(head, 1..head.len() - 1, rows))
        }
    }
}

/// The plants with a reason.
fn missed(clip: &ClipRecord) -> Markup {
    let reasoned = || clip.plants.iter().filter(|plant| !plant.reason.is_empty());
    let rows = reasoned().map(|plant| {
        let cells = vec![
            format!("{} to {}", digits(plant.from, 2), digits(plant.to, 2)),
            number(plant.drift_before),
            number(plant.drift_after),
            format!("{}: {}", plant.verdict, plant.reason),
        ];
        (html! { (clip.leg_word(plant.leg)) " " (plant.part) }, cells)
    });
    html! {
        @if reasoned().next().is_some() {
            h3 { "Plants that do not hold, and why" }
            (table(&["plant", "time (s)", "before (mm)", "after (mm)", "why"], 1..4, rows))
        }
    }
}

fn found(clip: &ClipRecord) -> Markup {
    let legs = clip.legs.iter().map(|leg| {
        let ball = leg.ball.as_ref().map(|ball| format!(", ball {ball}")).unwrap_or_default();
        let joints = format!("{} – {} – {}{ball}", leg.hip, leg.knee, leg.ankle);
        (html! { (leg.side) " leg" }, vec![joints])
    });
    let reason = (text("legs"), vec![clip.legs_reason.clone()]);
    let level = |floor: &FloorRecord| {
        (text("floor"), vec![format!("{}° from level", digits(floor.tilt, 1))])
    };
    html! {
        h3 { "What was found" }
        (table(&[], 0..0, legs.chain([reason]).chain(clip.floor.as_ref().map(level))))
    }
}

/// The page of a folder.
fn folder(files: &[FileRecord]) -> Markup {
    // The motions that the headline summarises.
    let plants: Vec<&PlantRecord> = files.iter().flat_map(FileRecord::plants).collect();
    let clips: Vec<ClipRecord> = files.iter().flat_map(|file| file.clips.clone()).collect();
    let title =
        if clips.is_empty() { "No motion was read.".to_owned() } else { answer(&together(&clips)) };
    let (failed, good): (Vec<&FileRecord>, Vec<&FileRecord>) =
        files.iter().partition(|file| file.is_failed());
    let rows: Vec<_> = good.iter().map(|file| (text(&file.file), file.clips.as_slice())).collect();
    let why = |file: &&FileRecord| {
        (text(&file.file), vec![file.first_error().unwrap_or_default().to_owned()])
    };
    html! {
        h1 { (kept_together(&title)) }
        p.about { (summary_line(files)) }
        @if let Some(drawn) = histogram(&plants) {
            figure.tile.half {
                (PreEscaped(drawn))
                figcaption { "How far plants slide, all files together" }
            }
        }
        (index_table("file", &rows))
        (index_legend(&rows))
        @if !failed.is_empty() {
            h3 { "Files that failed, and why" }
            (table(&[], 0..0, failed.iter().map(why)))
        }
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

/// Millimetres, if there are any.
fn number(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), millimetres)
}

fn text(words: &str) -> Markup {
    html! { (words) }
}

/// Text with non-breaking spaces before units.
fn kept_together(text: &str) -> String {
    text.replace(" mm", "\u{a0}mm")
}

/// A plain table.
///
/// - `numbers`: the numeric columns
/// - `rows`: each with its first cell
fn table(
    head: &[&str],
    numbers: core::ops::Range<usize>,
    rows: impl Iterator<Item = (Markup, Vec<String>)>,
) -> Markup {
    let class = |column: usize| match () {
        () if numbers.contains(&column) => Some("n"),
        // Remarks keep their width in a table that is wider than its page.
        () if matches!(head.get(column), Some(&("" | "why"))) => Some("remark"),
        () => None,
    };
    html! {
        div.scroll {
            table.plain {
                @if !head.is_empty() {
                    thead {
                        tr {
                            @for (column, title) in head.iter().enumerate() {
                                th scope="col" class=[class(column)] { (title) }
                            }
                        }
                    }
                }
                tbody {
                    @for (name, cells) in rows {
                        tr {
                            td { (name) }
                            @for (column, cell) in cells.iter().enumerate() {
                                td class=[class(column + 1)] { (cell) }
                            }
                        }
                    }
                }
            }
        }
    }
}
