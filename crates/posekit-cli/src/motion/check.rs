//! `posekit check`: measures how far standing feet slide.

use posekit_io::motion::millimetres;
use posekit_motion::{CleanSettings, Clip, Judged, Plant, along_path, judge, measure_on};

use super::feet::{
    Places, deepest_foot, floor_choice, legs, not_in_place, off_floor, part_word, with_legs,
};
use super::record::{ClipRecord, FileRecord, MetricRecord, PlantRecord, Question, finite};
use super::run::{Made, Task};
use super::source::Opened;
use super::view::{ClipView, Sides};
use super::{page, words};
use crate::failure::Result;
use crate::motion_args::CheckArgs;
use crate::output::{Console, note};

/// Reads, measures and reports.
pub(crate) fn check(args: &CheckArgs) -> Result<()> {
    let task = Task {
        command: "check",
        input: &args.input,
        batch: &args.batch,
        output: None,
        extension: None,
        spreads: false,
    };
    let outcome = task.run(|opened, _| {
        let mut record = opened.record();
        let mut views = Vec::new();
        for index in opened.chosen()? {
            let Some(clip) = opened.clip_or_fault(index, &mut record) else { continue };
            let (measured, view, misfit) = measured(opened, index, clip, args)?;
            let of =
                measured.number.map_or_else(String::new, |number| format!("motion {number}: "));
            record.warnings.extend(misfit.map(|misfit| of + &misfit));
            record.clips.push(measured);
            views.extend(view);
        }
        Ok(Made { record, outputs: Vec::new(), view: views })
    })?;
    page::write(args.report.as_deref(), &task, &outcome)?;
    let over = |plant: &PlantRecord| plant.drift_before.is_some_and(|drift| drift > args.max_slide);
    let n_over =
        outcome.files.iter().flat_map(FileRecord::plants).filter(|plant| over(plant)).count();
    if n_over > 0 && !args.batch.json && !Console::get().is_quiet {
        let bound = words::digits(args.max_slide, 2);
        note(&format!("{} further than {bound} mm", words::slide(n_over)));
    }
    outcome.print(&task, n_over > 0)
}

/// The record of a measured motion, and its view on a page.
fn measured(
    opened: &Opened<'_>,
    index: usize,
    clip: &Clip,
    args: &CheckArgs,
) -> Result<(ClipRecord, Option<ClipView>, Option<String>)> {
    let legs = legs(&args.detect, &opened.file, clip)?;
    let choice = floor_choice(&args.detect, clip);
    // The plants are those that cleaning would hold.
    let settings =
        CleanSettings { floor: choice, in_place: args.detect.in_place, ..CleanSettings::default() };
    let keep = opened.file.keeper();
    let Judged { floor, plants: reports, way } = judge(clip, &legs.legs, &settings, keep.as_ref())?;
    let mut record = with_legs(opened.clip_record(index, clip), clip, &legs, Some(&floor));
    record.question = Question::Feet;
    if clip.n_frames() == 0 {
        return Ok((record, None, None));
    }
    // An in-place walk is detected and judged as in cleaning.
    let no_walk = not_in_place(&args.detect, clip, &legs.legs, way.as_deref().unwrap_or_default());
    let off = reports.is_empty().then(|| off_floor(&args.detect, clip, &legs.legs)).flatten();
    let misfit = off.or(no_walk);
    let ahead = way.and_then(|way| along_path(clip, &legs.legs, &way).ok().flatten());
    record.walks_on_the_spot = ahead.is_some();
    let clip = ahead.as_ref().unwrap_or(clip);
    let Some(scale) = millimetres(clip, &legs.legs) else {
        return Ok((record, None, misfit));
    };
    let plants: Vec<Plant> = reports.iter().map(|report| report.plant.clone()).collect();
    let metrics = measure_on(clip, None, &legs.legs, &plants, (&floor, choice));
    record.metrics = MetricRecord::all(&metrics, None);
    record.deepest_foot = finite(deepest_foot(clip, &legs.legs, &floor) * scale);
    let plant_record = |(plant, drift): (&Plant, &f64)| PlantRecord {
        leg: plant.leg,
        part: part_word(plant.part).to_owned(),
        from: clip.time(plant.frames.start),
        to: clip.time(plant.frames.end - 1),
        verdict: "measured".to_owned(),
        reason: String::new(),
        drift_before: finite(drift * 1e3),
        drift_after: None,
    };
    record.plants = plants.iter().zip(&metrics.drifts).map(plant_record).collect();
    let view = args.report.as_ref().and_then(|_| {
        let sides = Sides { clip, before: &Places::of(clip), after: None };
        ClipView::new(&record, &sides, &legs.legs, &floor, scale, &plants)
    });
    Ok((record, view, misfit))
}
