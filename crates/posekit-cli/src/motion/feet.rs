//! Feet and floor: from the options to the library, and from the library to what is told.

use core::ops::Range;

use posekit::glam::DVec3;
use posekit::math::{acos, direction_or};
use posekit::motion::{Clip, Floor, FloorChoice, Leg, Legs, Part, find_legs};

use super::record::{ClipRecord, FloorRecord, LegRecord, finite};
use crate::failure::{Failure, Result};
use crate::motion_args::{DetectArgs, FloorWord};

/// Lengths are told for a leg of this length, hip to ankle \[mm\], so that figures of all sizes can be compared.
const LEG: f64 = 850.0;

/// The legs that are named, or those that are found.
pub(super) fn legs(args: &DetectArgs, clip: &Clip) -> Result<Legs> {
    if args.legs.is_empty() {
        return Ok(find_legs(clip));
    }
    let skeleton = clip.skeleton();
    let leg = |name: &String| {
        let joint = skeleton.find(name.trim()).ok_or_else(|| {
            Failure::usage(format!(
                "--legs: there is no joint {name:?}; posekit info --json lists them"
            ))
        })?;
        Leg::ending_at(skeleton, joint).ok_or_else(|| {
            Failure::usage(format!("--legs: {name:?} has no two bones above it, and ends no leg"))
        })
    };
    let legs: Result<Vec<Leg>> = args.legs.iter().map(leg).collect();
    Ok(Legs { legs: legs?, reason: "as given with --legs".to_owned(), candidates: Vec::new() })
}

/// The floor that is looked for.
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

/// All that feet and floor depend on, for telling whether a file is done.
pub(super) fn key(args: &DetectArgs) -> String {
    format!("{:?}", (&args.legs, args.floor, args.in_place))
}

/// From the clip's unit to millimetres for a leg of 0.85 m; `None` without legs.
pub(super) fn millimetres(clip: &Clip, legs: &[Leg]) -> Option<f64> {
    let longest = legs.iter().map(|leg| leg.limb.length(clip.skeleton())).fold(0.0, f64::max);
    finite(LEG / longest)
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

/// Where the joints of a clip are, frame after frame.
pub(super) struct Places {
    points: Vec<DVec3>,
    n_joints: usize,
}

impl Places {
    pub(super) fn of(clip: &Clip) -> Self {
        let n_joints = clip.skeleton().n_joints();
        let points = clip.poses().iter().map(|pose| pose.translation).collect();
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

    /// How far apart a joint is at most from where it is in another clip of as many frames.
    pub(super) fn largest_distance(&self, other: &Self) -> f64 {
        let pairs = self.points.iter().zip(&other.points);
        pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
    }

    /// How far a joint is at most from its median along the floor, in the clip's unit.
    pub(super) fn drift(&self, joint: usize, frames: Range<usize>, normal: DVec3) -> f64 {
        let along = |frame: usize| {
            let point = self.at(frame, joint);
            point - normal * point.dot(normal)
        };
        let points: Vec<DVec3> = frames.map(along).collect();
        let middle = median(&points);
        points.iter().map(|point| point.distance(middle)).fold(0.0, f64::max)
    }
}

/// The median of points, coordinate by coordinate.
fn median(points: &[DVec3]) -> DVec3 {
    let mut middle = DVec3::ZERO;
    for axis in 0..3 {
        let mut values: Vec<f64> = points.iter().map(|point| point[axis]).collect();
        values.sort_by(f64::total_cmp);
        let n = values.len();
        if n > 0 {
            middle[axis] = 0.5 * (values[(n - 1) / 2] + values[n / 2]);
        }
    }
    middle
}

/// The joint of a part of a foot.
pub(super) fn joint_of(leg: &Leg, part: Part) -> usize {
    match part {
        Part::Heel => leg.limb.end,
        Part::Ball => leg.ball.unwrap_or(leg.limb.end),
    }
}

/// Two directions along a floor, the second a quarter turn from the first.
pub(super) fn along(normal: DVec3) -> [DVec3; 2] {
    let first = direction_or(normal.cross(DVec3::Z), DVec3::X);
    [first, normal.cross(first)]
}
