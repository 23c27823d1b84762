//! `posekit clean`: makes standing feet stand still.

use std::collections::BTreeSet;
use std::path::Path;

use posekit_io::ContactsFile;
use posekit_io::motion::{NO_CHANNELS, millimetres, verdict_words};
use posekit_motion::{
    CleanSettings, Cleaned, Clip, Contact, ContactReport, LEG_LENGTH, Metrics, Part, Plant,
    PlantReport, Support, VISIBLE_SLIDE, Verdict, carrier, clean_within, slides,
};

use super::contacts::{no_contacts, read_contacts, refuse_kept, refuse_outside, write_contacts};
use super::feet::{
    Moved, Places, deepest_foot, floor_choice, known_legs, legs, not_in_place, off_floor,
    part_word, travels, with_legs,
};
use super::page;
use super::record::{ClipRecord, ContactRecord, MetricRecord, PlantRecord, Question, finite};
use super::run::{Made, Task};
use super::source::Opened;
use super::strip::Strip;
use super::view::{ClipView, Sides, root, worst_of};
use super::words::{self, digits};
use crate::failure::{Failure, Result};
use crate::motion_args::CleanArgs;
use crate::output::write_file;

/// A correction that moves no joint by more than this is not applied \[mm, for a leg of 0.85 m\], so that a second run changes nothing.
const SMALLEST: f64 = 1e-3;

/// Reads, cleans, writes and reports.
pub(crate) fn clean(args: &CleanArgs) -> Result<()> {
    if args.input.single().is_none()
        && (args.contacts.is_some() || args.save_contacts.is_some() || args.picture.is_some())
    {
        return Err(Failure::usage(
            "--contacts, --save-contacts and --picture apply to a single file, not to several",
        ));
    }
    let task = Task {
        command: "clean",
        input: &args.input,
        batch: &args.batch,
        output: Some(&args.output),
        extension: None,
        spreads: false,
    };
    let outcome = task.run(|opened, place| {
        let stretched = stretched(args, opened)?;
        let opened = stretched.as_ref().unwrap_or(opened);
        let mut record = opened.record();
        let (mut edits, mut views) = (Vec::new(), Vec::new());
        for index in opened.chosen()? {
            let Some(clip) = opened.clip_or_fault(index, &mut record) else { continue };
            let keep = opened.file.keeper();
            let settings = settings(args, opened, clip)?;
            let mut cleaned = clean_within(clip, &settings, keep.as_ref())?;
            if let Some(known) = known_legs(&args.detect, &opened.file, clip)? {
                cleaned.legs.reason = known.reason;
            }
            if let Some(path) = &args.save_contacts {
                opened.only("a file of contacts", "")?;
                let file = ContactsFile::from_contacts(cleaned.stands(), clip.skeleton());
                write_contacts(path, &file.map_err(|error| opened.failure(error))?)?;
            }
            if args.max_stretch.is_some_and(|part| part > 0.0)
                && !cleaned.legs.legs.iter().any(|leg| leg.limb.can_stretch(clip.skeleton()))
            {
                record.warnings.push(no_stretch(opened).to_owned());
            }
            let (cleaned_record, view) = record_of(opened, index, clip, &cleaned, args);
            if let Some(path) = &args.picture {
                opened.only("a picture", "")?;
                draw(path, opened, (clip, &cleaned), &cleaned_record.plants)?;
            }
            let number = cleaned_record.number;
            let of = number.map_or_else(String::new, |number| format!("motion {number}: "));
            let misfits = misfits(clip, &cleaned, args).into_iter();
            let remarks = misfits.chain(slide_left(clip, &cleaned));
            record.warnings.extend(remarks.map(|remark| of.clone() + &remark));
            let is_clean = cleaned_record.largest_change == Some(0.0);
            record.clips.push(cleaned_record);
            views.extend(view);
            edits.push((index, if is_clean { clip.clone() } else { cleaned.clip }));
        }
        let outputs = opened.written(&edits, place, &mut record)?;
        Ok(Made { record, outputs, view: views })
    })?;
    page::write(args.report.as_deref(), &task, &outcome)?;
    outcome.print(&task, false)
}

fn settings(args: &CleanArgs, opened: &Opened<'_>, clip: &Clip) -> Result<CleanSettings> {
    let mut settings = CleanSettings {
        strength: args.strength,
        floor: floor_choice(&args.detect, clip),
        keep: args.keep.clone(),
        keep_ends: args.keep_ends,
        in_place: args.detect.in_place,
        path: !args.keep_path,
        ..CleanSettings::default()
    };
    settings.legs = known_legs(&args.detect, &opened.file, clip)?.map(|legs| legs.legs);
    if let Some(path) = &args.contacts {
        opened.only("a file of contacts", "")?;
        let contacts = read_contacts(path, clip.skeleton())?;
        refuse_outside(&contacts, clip)?;
        refuse_kept(&contacts, &args.keep, clip)?;
        settings.contacts = Some(contacts);
    }
    settings.hold.max_stretch = args.max_stretch.unwrap_or(0.0);
    Ok(settings)
}

/// The file with translations of knees and ankles, if bones may become longer and it is a glTF, in which any node can have a translation.
fn stretched<'a>(args: &CleanArgs, opened: &Opened<'a>) -> Result<Option<Opened<'a>>> {
    if args.max_stretch.is_none_or(|part| part == 0.0) || opened.file.bvh().is_some() {
        return Ok(None);
    }
    let mut joints = BTreeSet::new();
    for index in opened.chosen()? {
        // Read errors are reported later.
        let Ok(clip) = opened.file.clip(index) else { continue };
        let legs = legs(&args.detect, &opened.file, clip)?.legs;
        let in_line = legs.iter().filter(|leg| leg.limb.is_in_line(clip.skeleton()));
        joints.extend(in_line.flat_map(|leg| [leg.limb.mid, leg.limb.end]));
    }
    let joints: Vec<usize> = joints.into_iter().collect();
    if joints.is_empty() { Ok(None) } else { opened.with_movable(&joints).map(Some) }
}

/// Why no bone can be lengthened.
fn no_stretch(opened: &Opened<'_>) -> &'static str {
    if opened.file.bvh().is_some() {
        "--max-stretch has no effect: the knees and ankles of this BVH have no position channels"
    } else {
        "--max-stretch has no effect: there is no leg whose knee is a child of its hip, whose ankle is a child of its knee, and which can be translated"
    }
}

/// Warnings about options that do not fit the motion.
fn misfits(clip: &Clip, cleaned: &Cleaned, args: &CleanArgs) -> Vec<String> {
    let is_empty = |(from, to): &&(f64, f64)| clip.frames(*from, *to).is_empty();
    let keep = args.keep.iter().filter(is_empty).map(|(from, to)| {
        let [from, to] = [from, to].map(|time| digits(*time, 4));
        format!("--keep {from}:{to} has no effect: there is no frame in this time")
    });
    let floor =
        cleaned.plants.is_empty().then(|| off_floor(&args.detect, clip, &cleaned.legs.legs));
    let no_walk = not_in_place(&args.detect, clip, &cleaned.legs.legs, &cleaned.path);
    keep.filter(|_| clip.n_frames() > 0).chain(floor.flatten()).chain(no_walk).collect()
}

/// The farthest slide that is left in the motion, by a measure of its own over all frames, where people see it.
fn slide_left(clip: &Clip, cleaned: &Cleaned) -> Option<String> {
    let legs = &cleaned.legs.legs;
    // Where a foot has a ball, its ankle rolls over it.
    let worst = slides(&cleaned.as_judged(&cleaned.clip), legs)
        .into_iter()
        .filter(|slide| slide.part == Part::Ball || legs[slide.leg].ball.is_none())
        .max_by(|a, b| a.distance.total_cmp(&b.distance))
        .filter(|worst| worst.distance * LEG_LENGTH > VISIBLE_SLIDE)?;
    let at = clip.time(worst.frames.start);
    let name = clip.skeleton().name(cleaned.legs.legs[worst.leg].joint(worst.part));
    let mm = words::millimetres(1000.0 * LEG_LENGTH * worst.distance);
    Some(format!("{name} still slides by {mm} mm from {} s on", digits(at, 4)))
}

/// How far a figure travels that was declared an in-place walk, if it does.
fn travelled(clip: &Clip, cleaned: &Cleaned, args: &CleanArgs) -> Option<String> {
    args.detect.in_place.then(|| travels(clip, &cleaned.legs.legs, &cleaned.path)).flatten()
}

/// The record of a cleaned motion, and its view on a page.
fn record_of(
    opened: &Opened<'_>,
    index: usize,
    clip: &Clip,
    cleaned: &Cleaned,
    args: &CleanArgs,
) -> (ClipRecord, Option<ClipView>) {
    let legs = &cleaned.legs;
    let mut record = with_legs(opened.clip_record(index, clip), clip, legs, Some(&cleaned.floor));
    record.walks_on_the_spot = cleaned.is_in_place;
    record.question = Question::Feet;
    record.strength = Some(args.strength).filter(|part| *part > 0.0 && *part < 1.0);
    if args.contacts.is_some() {
        record.question = Question::Contacts;
        record.contacts = contact_records(&cleaned.contacts, &cleaned.held, clip);
    }
    let moved = Moved::between(clip, &cleaned.clip);
    let (change, changed_frame) = moved.farthest();
    let scale = millimetres(clip, &legs.legs);
    let change =
        scale.map_or(change, |scale| if change * scale < SMALLEST { 0.0 } else { change * scale });
    record.largest_change = finite(change);
    record.largest_change_time = (change > 0.0).then(|| clip.time(changed_frame));
    if change == 0.0 {
        record.unchanged = unchanged(clip, cleaned, args);
    }
    if let Some(scale) = scale.filter(|_| change > 0.0 && !cleaned.is_in_place) {
        let far = cleaned.path.iter().map(|shift| shift.length() * scale).fold(0.0, f64::max);
        record.path_change = finite(far).filter(|far| *far > SMALLEST);
    }
    let Some(scale) = scale.filter(|_| clip.n_frames() > 0) else { return (record, None) };
    let measures = cleaned.measures(clip);
    record.metrics = MetricRecord::all(&measures.0, Some(&measures.1));
    let hips = carrier(clip, &legs.legs).unwrap_or_else(|| root(clip, &legs.legs));
    record.hip_shift = finite(moved.of(hips) * scale);
    let deepest = deepest_foot(&cleaned.clip, &legs.legs, &cleaned.floor);
    record.deepest_foot = finite(deepest * scale);
    record.plants = plant_records(clip, cleaned, scale, &measures, args);
    let view = args.report.as_ref().and_then(|_| {
        let plants: Vec<Plant> = cleaned.plants.iter().map(|report| report.plant.clone()).collect();
        let [before, after] = judged(clip, cleaned);
        let sides = Sides { clip, before: &before, after: Some(&after) };
        ClipView::new(&record, &sides, &legs.legs, &cleaned.floor, scale, &plants)
    });
    (record, view)
}

/// The joint positions before and after in which feet are judged: an in-place walk advances in them.
fn judged(clip: &Clip, cleaned: &Cleaned) -> [Places; 2] {
    [clip, &cleaned.clip].map(|clip| Places::of(&cleaned.as_judged(clip)))
}

/// Why nothing was changed; `None` if everything stands already.
fn unchanged(clip: &Clip, cleaned: &Cleaned, args: &CleanArgs) -> Option<String> {
    let stands = |report: &PlantReport| matches!(report.verdict, Verdict::Fixed | Verdict::Clean);
    if args.strength == 0.0 {
        return Some("the strength is 0".to_owned());
    }
    if let Some(path) = &args.contacts {
        let is_missed = |report: &ContactReport| !report.missed.is_empty();
        return Some(match cleaned.held.as_slice() {
            [] => no_contacts(path),
            held if held.iter().any(is_missed) => {
                "nothing would come closer to the contacts".to_owned()
            }
            _ => "all contacts hold already".to_owned(),
        });
    }
    if let Some(far) = travelled(clip, cleaned, args) {
        return Some(format!(
            "it was judged as an in-place walk, as requested, but the figure travels {far}"
        ));
    }
    let is_idle = !cleaned.plants.is_empty() && !cleaned.plants.iter().any(stands);
    is_idle.then(|| "all plants found are left unchanged".to_owned())
}

/// The records of the plants. Their slides are those of the measures.
fn plant_records(
    clip: &Clip,
    cleaned: &Cleaned,
    scale: f64,
    (before, after): &(Metrics, Metrics),
    args: &CleanArgs,
) -> Vec<PlantRecord> {
    let drifts = before.drifts.iter().zip(&after.drifts);
    let record = |(report, (was, is)): (&PlantReport, (&f64, &f64))| {
        let (verdict, reason) = match args.contacts {
            // The plants are not what was held.
            Some(_) => ("measured", String::new()),
            None => verdict_words(report, scale, args.strength),
        };
        PlantRecord {
            leg: report.plant.leg,
            part: part_word(report.plant.part).to_owned(),
            from: clip.time(report.plant.frames.start),
            to: clip.time(report.plant.frames.end - 1),
            verdict: verdict.to_owned(),
            reason,
            drift_before: finite(was * 1e3),
            drift_after: finite(is * 1e3),
        }
    };
    cleaned.plants.iter().zip(drifts).map(record).collect()
}

/// Draws a motion before and after.
fn draw(
    path: &Path,
    opened: &Opened<'_>,
    (clip, cleaned): (&Clip, &Cleaned),
    records: &[PlantRecord],
) -> Result<()> {
    if clip.n_frames() == 0 || cleaned.legs.legs.is_empty() {
        return Err(Failure::usage("there are no feet to draw"));
    }
    let [before, after] = judged(clip, cleaned);
    let plants: Vec<Plant> = cleaned.plants.iter().map(|report| report.plant.clone()).collect();
    let worst = worst_of(records).and_then(|(worst, _)| plants.get(worst));
    let most =
        |of: fn(&PlantRecord) -> Option<f64>| records.iter().filter_map(of).fold(0.0, f64::max);
    let in_place = if cleaned.is_in_place { ", an in-place walk as if it advanced" } else { "" };
    let strip = Strip {
        title: &format!("{}{in_place}", opened.title()),
        sides: Sides { clip, before: &before, after: Some(&after) },
        legs: &cleaned.legs.legs,
        floor: &cleaned.floor,
        plants: &plants,
        slides: [most(|plant| plant.drift_before), most(PlantRecord::drift)],
        middle: worst.map_or(0, |worst| worst.frames.start),
    };
    write_file(path, &strip.svg())
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
        on: match contact.on {
            Support::World => String::new(),
            Support::Joint(joint) => name(joint),
            _ => "a moving object".to_owned(),
        },
        from: contact.from,
        to: contact.to,
        by: by(report),
        residual: finite(report.residual),
        angle: finite(report.angle.to_degrees()),
        missed_frames: report.missed.len(),
        frames: report.frames.len(),
        reason: if report.by_channels { NO_CHANNELS.to_owned() } else { String::new() },
    };
    contacts.iter().zip(held).map(record).collect()
}
