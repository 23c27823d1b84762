//! `posekit pin`: holds any joint in place for a time.

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::Frame;
use posekit_io::motion::millimetres;
use posekit_motion::{Clip, Contact, Hold, HoldSettings, Leg, Support, carrier, hold_within};

use super::clean::contact_records;
use super::contacts::{no_contacts, read_contacts, refuse_outside};
use super::feet::Moved;
use super::record::{Question, ShiftRecord, finite};
use super::run::{Made, Task};
use super::view::root;
use crate::failure::{Failure, Result};
use crate::motion_args::PinArgs;

/// Smaller displacements are not reported \[mm, for a leg of 0.85 m\].
const LEAST: f64 = 0.5;

/// The stiffness of the hips, see [`HoldSettings`]: the target may be far away, and a well-flexed leg reaches it alone.
const ROOT_STIFFNESS: f64 = 20.0;

/// Reads, holds, writes and reports.
pub(crate) fn pin(args: &PinArgs) -> Result<()> {
    let task = Task {
        command: "pin",
        input: &args.input,
        batch: &args.batch,
        output: Some(&args.output),
        extension: None,
        spreads: false,
    };
    let outcome = task.run(|opened, place| {
        let index = opened.only("a pinned joint", "")?;
        let clip = opened.clip(index)?;
        let contacts = match &args.contacts {
            Some(path) => read_contacts(path, clip.skeleton())?,
            None => vec![contact(args, clip)?],
        };
        refuse_outside(&contacts, clip)?;
        let feet = opened.file.legs_of(clip).legs;
        let legs = feet.iter().map(|leg| leg.limb).collect();
        let settings = HoldSettings {
            legs,
            root_stiffness: ROOT_STIFFNESS,
            by_hand: true,
            ..HoldSettings::default()
        };
        let keep = opened.file.keeper();
        let held = hold_within(clip, &contacts, &settings, keep.as_ref())?;
        let mut record = opened.record();
        let mut clip_record = opened.clip_record(index, clip);
        clip_record.contacts = contact_records(&contacts, &held.contacts, clip);
        clip_record.shifts = shifts(clip, &held.clip, &feet, &contacts);
        if let Some(path) = args.contacts.as_ref().filter(|_| contacts.is_empty()) {
            clip_record.question = Question::Contacts;
            clip_record.unchanged = Some(no_contacts(path));
        }
        record.clips.push(clip_record);
        let outputs = opened.written(&[(index, held.clip)], place, &mut record)?;
        Ok(Made { record, outputs, view: () })
    })?;
    outcome.print(&task, false)
}

/// The displacements of hips and feet that follow the held joints, without the held joints themselves.
fn shifts(before: &Clip, after: &Clip, legs: &[Leg], contacts: &[Contact]) -> Vec<ShiftRecord> {
    let root = carrier(before, legs).or_else(|| (!legs.is_empty()).then(|| root(before, legs)));
    let moved_by = Moved::between(before, after);
    let distance = |joint: usize| moved_by.of(joint);
    let is_held = |joint: &usize| contacts.iter().any(|contact| contact.frame.joint == *joint);
    // Invisible displacements and rounding do not count.
    let least = millimetres(before, legs).map_or(0.0, |scale| LEAST / scale);
    let hips = root.map(|root| (root, "hips"));
    let feet = legs.iter().map(|leg| (leg.limb.end, "foot"));
    let moved = |&(joint, _): &(usize, &str)| !is_held(&joint) && distance(joint) > least;
    let shift = |(joint, part): (usize, &str)| ShiftRecord {
        joint: before.skeleton().name(joint).to_owned(),
        part: part.to_owned(),
        largest: finite(distance(joint)),
    };
    hips.into_iter().chain(feet).filter(moved).map(shift).collect()
}

/// The contact that the options describe.
fn contact(args: &PinArgs, clip: &Clip) -> Result<Contact> {
    let find = |name: &str| {
        clip.skeleton().find(name).ok_or_else(|| {
            Failure::usage(format!("there is no joint {name:?}; posekit info --json lists them"))
        })
    };
    let joint = find(args.joint.as_deref().unwrap_or_default())?;
    let on = args.on.as_deref().map(find).transpose()?;
    let (from, to) = (args.from.unwrap_or(0.0), args.to.unwrap_or(0.0));
    if from > to {
        return Err(Failure::usage("--to is before --from"));
    }
    let point = |given: &Option<Vec<f64>>| given.as_ref().map(|at| DVec3::from_slice(at));
    let frame =
        Frame::new(joint, Pose::from_translation(point(&args.offset).unwrap_or(DVec3::ZERO)));
    let hold = if args.pose {
        // A place given has the rotation of the middle of its time.
        let middle = || clip.frame_pose(&frame, on, 0.5 * (from + to));
        Hold::Pose(point(&args.at).map(|at| Pose { translation: at, ..middle() }))
    } else {
        Hold::Position(point(&args.at))
    };
    let on = on.map_or(Support::World, Support::Joint);
    Ok(Contact { frame, from, to, hold, on, ease_in: args.ease, ease_out: args.ease })
}
