//! Sentences and tables for a file with several motions: common facts are printed once, and each motion has a line.

use std::fmt::Write as _;

use posekit_motion::median;

use super::record::{ClipRecord, FileRecord, PlantRecord, Question};
use super::words::{answer, digits, legs_text, millimetres, seconds, together, world};
use crate::output::{count, plain};
use crate::table::{Align, Cell, Table, width};

/// The results of a command for the motions of a file.
pub(super) fn motions_text(file: &FileRecord) -> String {
    let name = plain(&file.file);
    let mut text = format!("{name}: {}, {}", file.format, count(file.clips.len(), "motion"));
    let good = || file.clips.iter().filter(|clip| clip.error.is_none());
    if let Some(first) = good().next() {
        let _ = write!(text, ", {}, {}", count(first.joints, "joint"), world(first));
    }
    text.push('\n');
    // Motions of a file have the same joints, and mostly the same legs.
    let mut previous: Option<String> = None;
    for clip in good() {
        let legs = plain(&legs_text(clip));
        let is_new = previous.as_ref() != Some(&legs);
        if is_new && let (Some(_), Some(name)) = (&previous, &clip.name) {
            let _ = writeln!(text, "  in {name:?}:");
        }
        if is_new {
            text.push_str(&legs);
            previous = Some(legs);
        }
    }
    let _ = write!(text, "\n{}", table(file));
    if good().any(|clip| clip.question != Question::Nothing) {
        let _ = writeln!(text, "\n{}", answer(&together(&file.clips)));
    }
    if good().any(|clip| !clip.metrics.is_empty()) {
        text.push_str("For more about one motion: --clip with its name or number.\n");
    }
    text
}

/// One line for each motion.
fn table(file: &FileRecord) -> String {
    let clips = &file.clips;
    let has_plants = clips.iter().any(|clip| !clip.plants.is_empty());
    let has_after =
        clips.iter().flat_map(|clip| &clip.plants).any(|plant| plant.drift_after.is_some());
    let mut columns = vec![
        ("", Align::Right),
        ("motion", Align::Left),
        ("frames", Align::Right),
        ("fps", Align::Right),
        ("s", Align::Right),
    ];
    if has_plants {
        columns.push(("plants", Align::Right));
        columns.push((if has_after { "before (mm)" } else { "slide (mm)" }, Align::Right));
        columns.extend(has_after.then_some(("after (mm)", Align::Right)));
        columns.push(("worst (mm)", Align::Right));
    }
    let notes: Vec<String> = clips.iter().map(|clip| note(clip, has_plants)).collect();
    let has_notes = notes.iter().any(|note| !note.is_empty());
    let is_spread = clips.iter().any(|clip| clip.output.is_some());
    columns.extend(has_notes.then_some((if is_spread { "file" } else { "" }, Align::Left)));
    let mut table = Table::new(&columns);
    for (index, (clip, note)) in clips.iter().zip(notes).enumerate() {
        let number = clip.number.unwrap_or(index + 1);
        let mut cells = vec![
            Cell::new(number.to_string()).quiet(),
            Cell::new(clip.name.as_deref().unwrap_or("–")),
        ];
        if clip.error.is_some() {
            cells.resize_with(columns.len() - 1, || Cell::new("–"));
            cells.push(Cell::new(note).accent());
            table.row(cells);
            continue;
        }
        cells.extend([
            Cell::new(clip.frames.to_string()),
            Cell::new(clip.fps.map_or_else(|| "–".to_owned(), |fps| digits(fps, 2))),
            Cell::new(seconds(clip.seconds)),
        ]);
        if has_plants {
            cells.extend(slides(clip, has_after));
        }
        cells.push(Cell::new(note).quiet());
        table.row(cells);
    }
    table.render(width())
}

/// The number of plants in a motion, and their slides.
fn slides(clip: &ClipRecord, has_after: bool) -> Vec<Cell> {
    let number = |value: Option<f64>| Cell::new(value.map_or("–".to_owned(), millimetres));
    let middle =
        |of: fn(&PlantRecord) -> Option<f64>| number(median(clip.plants.iter().filter_map(of)));
    let mut cells =
        vec![Cell::new(clip.plants.len().to_string()), middle(|plant| plant.drift_before)];
    cells.extend(has_after.then(|| middle(|plant| plant.drift_after)));
    cells.push(number(clip.plants.iter().filter_map(PlantRecord::drift).reduce(f64::max)));
    cells
}

/// Remarks on a motion besides its numbers.
fn note(clip: &ClipRecord, has_plants: bool) -> String {
    if let Some(error) = &clip.error {
        return plain(error);
    }
    if let Some(output) = &clip.output {
        return plain(output);
    }
    match clip.question {
        Question::Nothing => String::new(),
        _ if clip.legs.is_empty() && has_plants => "no legs found".to_owned(),
        _ if clip.walks_on_the_spot => "in-place walk".to_owned(),
        _ => String::new(),
    }
}
