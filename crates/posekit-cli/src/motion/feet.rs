//! Feet and floor: from the options to the library, and from the library to the record.

use posekit::glam::DVec3;
use posekit::math::{Pose, acos, direction_or};
use posekit_io::motion::{MotionFile, millimetres};
use posekit_motion::{Clip, Floor, FloorChoice, LEG_LENGTH, Leg, Legs, Part, carrier, find_floor};

use super::record::{ClipRecord, FloorRecord, LegRecord};
use super::words::{digits, significant};
use crate::failure::{Failure, Result};
use crate::motion_args::{DetectArgs, FloorWord};

/// The given legs, else those that the file names, else those found.
pub(super) fn legs(args: &DetectArgs, file: &MotionFile, clip: &Clip) -> Result<Legs> {
    Ok(known_legs(args, file, clip)?.unwrap_or_else(|| file.legs_of(clip)))
}

/// The given legs, else those that the file names.
pub(super) fn known_legs(
    args: &DetectArgs,
    file: &MotionFile,
    clip: &Clip,
) -> Result<Option<Legs>> {
    if args.legs.is_empty() {
        return Ok(file.legs().map(|_| file.legs_of(clip)));
    }
    let skeleton = clip.skeleton();
    let leg = |name: &String| {
        let joint = skeleton.find(name.trim()).ok_or_else(|| {
            Failure::usage(format!(
                "--legs: there is no joint {name:?}; posekit info --json lists them"
            ))
        })?;
        Leg::ending_at(skeleton, joint).ok_or_else(|| {
            Failure::usage(format!(
                "--legs: {name:?} cannot end a leg, because there are not two bones above it"
            ))
        })
    };
    let legs: Vec<Leg> = args.legs.iter().map(leg).collect::<Result<_>>()?;
    let ends = |index: usize| legs[index].limb.end;
    if let Some(twice) = (1..legs.len()).find(|&leg| (0..leg).any(|other| ends(other) == ends(leg)))
    {
        let name = skeleton.name(ends(twice));
        return Err(Failure::usage(format!("--legs: {name:?} is given twice")));
    }
    let reason = "as given with --legs".to_owned();
    Ok(Some(Legs { legs, reason, candidates: Vec::new() }))
}

/// The kind of floor to find.
pub(super) fn floor_choice(args: &DetectArgs, clip: &Clip) -> FloorChoice {
    match args.floor {
        FloorWord::Fit => FloorChoice::Fit,
        FloorWord::Level => FloorChoice::Level,
        FloorWord::Steps => FloorChoice::PerPlant,
        FloorWord::At(height) => {
            FloorChoice::Given(Floor { point: clip.up() * height, normal: clip.up() })
        }
    }
}

/// A warning about a given floor that no foot comes near, so that none stands on it.
pub(super) fn off_floor(args: &DetectArgs, clip: &Clip, legs: &[Leg]) -> Option<String> {
    let FloorWord::At(height) = args.floor else { return None };
    if legs.is_empty() || clip.n_frames() < 2 {
        return None;
    }
    let low = find_floor(clip, legs, FloorChoice::Level).point.dot(clip.up());
    let low = significant(low);
    Some(format!("--floor {height}: no foot stands near this height; the lowest feet are at {low}"))
}

/// The largest distance of a declared in-place walk from its first position, if that is larger than the distance its feet would advance.
///
/// - `path`: the advance by its feet, frame by frame
pub(super) fn travels(clip: &Clip, legs: &[Leg], path: &[DVec3]) -> Option<String> {
    /// A smaller distance can be an in-place walk \[leg lengths\].
    const NEAR: f64 = 0.5;
    let root = carrier(clip, legs)?;
    let places = Places::of(clip);
    let along = |shift: DVec3| shift - clip.up() * shift.dot(clip.up());
    let off = (0..places.n_frames()).map(|k| along(places.at(k, root) - places.at(0, root)));
    let far = off.map(DVec3::length).fold(0.0, f64::max);
    let taken = path.iter().map(|shift| shift.length()).fold(0.0, f64::max);
    let leg = LEG_LENGTH * 1e3 / millimetres(clip, legs)?;
    let metres = |unit: f64| format!("{} m", digits(far * unit, 1));
    let words =
        || clip.metres_per_unit().map_or_else(|| format!("{} units", significant(far)), metres);
    (far > taken && far > NEAR * leg).then(words)
}

/// A warning about a figure that was declared an in-place walk but is none.
///
/// - `path`: as for [`travels`]
pub(super) fn not_in_place(
    args: &DetectArgs,
    clip: &Clip,
    legs: &[Leg],
    path: &[DVec3],
) -> Option<String> {
    if !args.in_place || legs.is_empty() || clip.n_frames() == 0 {
        return None;
    }
    if carrier(clip, legs).is_none() {
        let words = "--in-place has no effect: no joint that carries the legs can be moved";
        return Some(words.to_owned());
    }
    let words = |far| {
        format!(
            "--in-place: the figure travels {far}, so this is not an in-place walk; without the option its slides are judged as they are"
        )
    };
    travels(clip, legs, path).map(words)
}

/// A record with legs and floor.
pub(super) fn with_legs(
    record: ClipRecord,
    clip: &Clip,
    legs: &Legs,
    floor: Option<&Floor>,
) -> ClipRecord {
    let skeleton = clip.skeleton();
    ClipRecord {
        legs: legs.legs.iter().map(|leg| LegRecord::of(leg, skeleton)).collect(),
        legs_reason: legs.reason.clone(),
        candidates: legs.candidates.clone(),
        floor: floor.filter(|_| !legs.legs.is_empty()).map(|floor| FloorRecord {
            point: floor.point.to_array(),
            normal: floor.normal.to_array(),
            tilt: acos(floor.normal.dot(clip.up())).to_degrees(),
        }),
        ..record
    }
}

pub(super) const fn part_word(part: Part) -> &'static str {
    match part {
        Part::Heel => "heel",
        Part::Ball => "ball",
    }
}

/// The positions of the joints of a clip, frame by frame.
pub(super) struct Places {
    points: Vec<DVec3>,
    n_joints: usize,
}

impl Places {
    pub(super) fn of(clip: &Clip) -> Self {
        let (skeleton, n_joints) = (clip.skeleton(), clip.skeleton().n_joints());
        let mut poses = vec![Pose::IDENTITY; n_joints];
        let mut points = Vec::with_capacity(n_joints * clip.n_frames());
        for frame in 0..clip.n_frames() {
            skeleton.forward_kinematics(clip.frame(frame), &mut poses);
            points.extend(poses.iter().map(|pose| pose.translation));
        }
        Self { points, n_joints }
    }

    pub(super) fn at(&self, frame: usize, joint: usize) -> DVec3 {
        self.points[frame * self.n_joints + joint]
    }

    pub(super) fn frame(&self, frame: usize) -> &[DVec3] {
        &self.points[frame * self.n_joints..(frame + 1) * self.n_joints]
    }

    pub(super) fn n_frames(&self) -> usize {
        self.points.len() / self.n_joints.max(1)
    }
}

/// How far joints are from where they are in another clip.
pub(super) struct Moved {
    /// At most, of each joint.
    most: Vec<f64>,
    /// The frame in which some joint is farthest.
    frame: usize,
}

impl Moved {
    /// From one clip to another of the same joints and as many frames.
    pub(super) fn between(before: &Clip, after: &Clip) -> Self {
        let clips = [before, after];
        let mut poses = clips.map(|clip| vec![Pose::IDENTITY; clip.skeleton().n_joints()]);
        let (mut most, mut farthest) = (vec![0.0_f64; poses[0].len()], (0.0, 0));
        for frame in 0..before.n_frames().min(after.n_frames()) {
            for (clip, poses) in clips.iter().zip(&mut poses) {
                clip.skeleton().forward_kinematics(clip.frame(frame), poses);
            }
            for (most, (was, is)) in most.iter_mut().zip(poses[0].iter().zip(&poses[1])) {
                let by = was.translation.distance(is.translation);
                *most = most.max(by);
                farthest = if by > farthest.0 { (by, frame) } else { farthest };
            }
        }
        Self { most, frame: farthest.1 }
    }

    /// The largest distance of a joint.
    pub(super) fn of(&self, joint: usize) -> f64 {
        self.most[joint]
    }

    /// The largest distance of all, and its frame.
    pub(super) fn farthest(&self) -> (f64, usize) {
        (self.most.iter().copied().fold(0.0, f64::max), self.frame)
    }
}

/// The largest depth of a heel or a ball below the floor; 0 if none is below it.
pub(super) fn deepest_foot(clip: &Clip, legs: &[Leg], floor: &Floor) -> f64 {
    let parts = legs.iter().flat_map(|leg| [Some(leg.limb.end), leg.ball]).flatten();
    let parts: Vec<usize> = parts.collect();
    let mut poses = vec![Pose::IDENTITY; clip.skeleton().n_joints()];
    let lowest = (0..clip.n_frames()).map(|frame| {
        clip.skeleton().forward_kinematics(clip.frame(frame), &mut poses);
        let heights = parts.iter().map(|joint| floor.height(poses[*joint].translation));
        heights.fold(0.0, f64::min)
    });
    lowest.fold(0.0, f64::min).abs()
}

/// Two perpendicular directions along a floor.
pub(super) fn along(normal: DVec3) -> [DVec3; 2] {
    let first = direction_or(normal.cross(DVec3::Z), DVec3::X);
    [first, normal.cross(first)]
}
