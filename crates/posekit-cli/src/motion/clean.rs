//! `posekit clean`: standing feet are made to stand still.

use std::path::Path;

use posekit::motion::{
    CleanSettings, Cleaned, Clip, Contact, ContactReport, Plant, PlantReport, Verdict,
    clean as clean_clip,
};
use posekit_io::ContactsFile;

use super::contacts::{read_contacts, write_contacts};
use super::feet::{
    Places, floor_choice, key, known_legs, metric_records, millimetres, part_word, with_legs,
};
use super::page;
use super::record::{ClipRecord, ContactRecord, PlantRecord, finite};
use super::run::{Made, Task, or_json};
use super::source::Opened;
use super::strip::Strip;
use super::view::{ClipView, Sides};
use crate::failure::{Failure, Result};
use crate::motion_args::CleanArgs;
use crate::output::write_file;

/// What moves no joint by more than this is left as it is, to the bit \[mm, for a leg of 0.85 m\]: a second run then changes nothing.
const SMALLEST: f64 = 1e-3;

/// Reads, cleans, writes, tells.
pub(crate) fn clean(args: &CleanArgs) -> Result<()> {
    or_json(begin(args), "clean", args.batch.json)
}

fn begin(args: &CleanArgs) -> Result<()> {
    let is_folder = args.input.file.is_dir();
    if is_folder
        && (args.contacts.is_some() || args.save_contacts.is_some() || args.picture.is_some())
    {
        return Err(Failure::usage(
            "--contacts, --save-contacts and --picture go with one file, not with a folder",
        ));
    }
    let contacts = match &args.contacts {
        Some(path) => std::fs::read_to_string(path).unwrap_or_default(),
        None => String::new(),
    };
    let own = (args.strength, &args.keep, args.keep_path, args.max_stretch, contacts);
    let task = Task {
        command: "clean",
        input: &args.input,
        batch: &args.batch,
        output: Some(&args.output),
        extension: None,
        options: format!("{own:?} {} {}", args.input.key(), key(&args.detect)),
    };
    let outcome = task.run(|opened, place| {
        let mut record = opened.record();
        let (mut edits, mut views) = (Vec::new(), Vec::new());
        for index in opened.chosen()? {
            let Some(clip) = opened.clip_or_fault(index, &mut record) else { continue };
            let mut cleaned = clean_clip(clip, &settings(args, opened, clip)?)?;
            if let Some(known) = known_legs(&args.detect, &opened.file, clip)? {
                cleaned.legs.reason = known.reason;
            }
            if let Some(path) = &args.save_contacts {
                opened.only("a file of contacts")?;
                let file = ContactsFile::from_contacts(&cleaned.contacts, clip.skeleton());
                write_contacts(
                    path,
                    &file.map_err(|error| opened.failure(error))?,
                    args.output.force,
                )?;
            }
            let (told, view) = told(opened, index, clip, &cleaned, args);
            if let Some(path) = &args.picture {
                opened.only("a picture")?;
                draw(path, opened, clip, &cleaned)?;
            }
            let is_clean = told.largest_change == Some(0.0);
            record.clips.push(told);
            views.extend(view);
            edits.push((index, if is_clean { clip.clone() } else { cleaned.clip }));
        }
        let outputs = opened.written(&edits, place, &mut record)?;
        Ok(Made { record, outputs, view: views })
    })?;
    page::write(args.report.as_deref(), &task, &outcome)?;
    outcome.tell(&task, false)
}

fn settings(args: &CleanArgs, opened: &Opened<'_>, clip: &Clip) -> Result<CleanSettings> {
    let mut settings = CleanSettings {
        strength: args.strength,
        floor: floor_choice(&args.detect, clip),
        keep: args.keep.clone(),
        in_place: args.detect.in_place,
        path: !args.keep_path,
        ..CleanSettings::default()
    };
    settings.legs = known_legs(&args.detect, &opened.file, clip)?.map(|legs| legs.legs);
    if let Some(path) = &args.contacts {
        opened.only("a file of contacts")?;
        settings.contacts = Some(read_contacts(path, clip.skeleton())?);
    }
    settings.hold.max_stretch = args.max_stretch.unwrap_or(0.0);
    Ok(settings)
}

/// What is told of a cleaned motion, and what a page shows of it.
fn told(
    opened: &Opened<'_>,
    index: usize,
    clip: &Clip,
    cleaned: &Cleaned,
    args: &CleanArgs,
) -> (ClipRecord, Option<ClipView>) {
    let legs = &cleaned.legs;
    let mut record = with_legs(opened.clip_record(index, clip), clip, legs, Some(&cleaned.floor));
    record.walks_on_the_spot = cleaned.is_in_place;
    let scale = millimetres(clip, &legs.legs);
    if args.contacts.is_some() {
        record.contacts = contact_records(&cleaned.contacts, &cleaned.held, clip);
    }
    let Some(scale) = scale else { return (record, None) };
    record.plants = cleaned
        .plants
        .iter()
        .map(|report| {
            let (verdict, reason) = verdict_words(&report.verdict, scale);
            PlantRecord {
                leg: report.plant.leg,
                part: part_word(report.plant.part).to_owned(),
                from: clip.time(report.plant.frames.start),
                to: clip.time(report.plant.frames.end - 1),
                verdict: verdict.to_owned(),
                reason,
                drift_before: finite(report.drift_before * scale),
                drift_after: finite(report.drift_after * scale),
            }
        })
        .collect();
    let (before, after) = cleaned.measures(clip);
    record.metrics = metric_records(&before, Some(&after));
    let (before, after) = (Places::of(clip), Places::of(&cleaned.clip));
    let change = before.largest_distance(&after) * scale;
    record.largest_change = finite(if change < SMALLEST { 0.0 } else { change });
    let view = args.report.is_some().then(|| {
        let plants: Vec<Plant> = cleaned.plants.iter().map(|report| report.plant.clone()).collect();
        let sides = Sides { clip, before: &before, after: Some(&after) };
        ClipView::new(&record, &sides, &legs.legs, &cleaned.floor, scale, &plants)
    });
    (record, view)
}

/// Draws a motion before and after.
fn draw(path: &Path, opened: &Opened<'_>, clip: &Clip, cleaned: &Cleaned) -> Result<()> {
    if clip.n_frames() == 0 || cleaned.legs.legs.is_empty() {
        return Err(Failure::usage("there are no feet to be drawn"));
    }
    let (before, after) = (Places::of(clip), Places::of(&cleaned.clip));
    let plants: Vec<Plant> = cleaned.plants.iter().map(|report| report.plant.clone()).collect();
    let by_drift = |a: &&PlantReport, b: &&PlantReport| a.drift_before.total_cmp(&b.drift_before);
    let worst = cleaned.plants.iter().max_by(by_drift);
    let scale = millimetres(clip, &cleaned.legs.legs).unwrap_or(1.0);
    let most =
        |of: fn(&PlantReport) -> f64| cleaned.plants.iter().map(of).fold(0.0, f64::max) * scale;
    let strip = Strip {
        title: &opened.title(),
        sides: Sides { clip, before: &before, after: Some(&after) },
        legs: &cleaned.legs.legs,
        floor: &cleaned.floor,
        plants: &plants,
        slides: [most(|plant| plant.drift_before), most(|plant| plant.drift_after)],
        middle: worst.map_or(0, |worst| worst.plant.frames.start),
    };
    write_file(path, &strip.svg())
}

/// A verdict in a word, and why.
fn verdict_words(verdict: &Verdict, scale: f64) -> (&'static str, String) {
    match verdict {
        Verdict::Fixed => ("fixed", String::new()),
        Verdict::Clean => ("clean", String::new()),
        Verdict::Released { slide } => {
            ("released", format!("it slides {:.0} mm, so it is meant to", slide * scale))
        }
        Verdict::Unreachable { by, frames } => {
            let frames = super::words::count(*frames, "frame");
            ("unreachable", format!("out of the leg's reach by {:.1} mm in {frames}", by * scale))
        }
        Verdict::Rolling => ("skipped", "the foot rolls, and is firm at no time".to_owned()),
        Verdict::Left => ("skipped", "left by an earlier cleaning, it seems".to_owned()),
        Verdict::Kept => ("skipped", "left alone as asked".to_owned()),
        _ => ("skipped", String::new()),
    }
}

/// How well contacts hold.
pub(super) fn contact_records(
    contacts: &[Contact],
    held: &[ContactReport],
    clip: &Clip,
) -> Vec<ContactRecord> {
    let name = |joint: usize| clip.skeleton().name(joint).to_owned();
    let by = |report: &ContactReport| {
        report.limb.map_or_else(
            || "the whole body".to_owned(),
            |limb| format!("{} – {} – {}", name(limb.start), name(limb.mid), name(limb.end)),
        )
    };
    let record = |(contact, report): (&Contact, &ContactReport)| ContactRecord {
        joint: name(contact.frame.joint),
        from: contact.from,
        to: contact.to,
        by: by(report),
        residual: finite(report.residual),
        angle: finite(report.angle.to_degrees()),
        missed_frames: report.missed.len(),
        frames: report.frames.len(),
    };
    contacts.iter().zip(held).map(record).collect()
}
