//! A description of a motion file, for people and editors.

use posekit::skeleton::{JointKind, Skeleton};
use posekit_io::motion::millimetres;
use posekit_motion::{Clip, Leg, Limb, Side};
use serde::Serialize;

use super::{Settings, Table, carrier};

/// The largest number of handles.
const MOST_HANDLES: usize = 14;

/// The distance up to which two hips count as one position \[leg lengths\].
const NEAR: f64 = 0.25;

/// The description of a file for an editor.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "MotionInfo"))]
#[serde(rename_all = "camelCase")]
pub struct Info {
    name: String,
    #[cfg_attr(test, ts(type = "\"bvh\" | \"gltf\" | \"glb\""))]
    format: String,
    n_frames: usize,
    n_values: usize,
    /// \[s\]
    frame_time: f64,
    /// \[s\]
    start: f64,
    /// Of unit length.
    up: [f64; 3],
    joints: Vec<JointInfo>,
    metres_per_unit: Option<f64>,
    /// The unit of length in millimetres, from the file or from the length of the legs.
    millimetres_per_unit: f64,
    /// The names of all clips in the file.
    clips: Vec<ClipInfo>,
    /// The index of the open clip; null if the file has none.
    clip: Option<usize>,
    /// The file has no clip: the figure stands at rest.
    stands: bool,
    /// Guesses at what the format does not specify.
    survey: String,
    warnings: Vec<String>,
    legs: Vec<LegInfo>,
    /// The reason for these legs, or for none.
    legs_reason: String,
    /// The ends of limbs that could be legs, if none were found.
    candidates: Vec<String>,
    /// The joints that can be dragged.
    handles: Vec<Handle>,
    /// The default settings.
    usual: Settings,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "MotionJoint"))]
#[serde(rename_all = "camelCase")]
struct JointInfo {
    name: String,
    /// -1 for a root.
    parent: i64,
    /// A ball, a hinge or free.
    turns: bool,
    /// A slide or free.
    moves: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "MotionClip"))]
struct ClipInfo {
    name: String,
    seconds: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "MotionLeg"))]
struct LegInfo {
    start: usize,
    mid: usize,
    end: usize,
    ball: Option<usize>,
    #[cfg_attr(test, ts(type = "\"left\" | \"right\" | \"middle\""))]
    side: &'static str,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "MotionHandle"))]
struct Handle {
    joint: usize,
    #[cfg_attr(test, ts(type = "\"foot\" | \"hand\" | \"head\" | \"hips\" | \"end\""))]
    role: &'static str,
}

impl Table {
    /// Describes the file.
    #[must_use]
    pub fn info(&self) -> Info {
        let clip = &self.source;
        let skeleton = clip.skeleton();
        let legs = self.file.legs_of(clip);
        let name_of = |index: usize| self.file.clip_name(index).unwrap_or("").to_owned();
        let joint = |joint: usize| JointInfo {
            name: skeleton.name(joint).to_owned(),
            parent: skeleton.parent(joint).and_then(|p| i64::try_from(p).ok()).unwrap_or(-1),
            turns: !matches!(skeleton.kind(joint), JointKind::Fixed | JointKind::Prismatic { .. }),
            moves: matches!(skeleton.kind(joint), JointKind::Free | JointKind::Prismatic { .. }),
        };
        Info {
            name: self.name.clone(),
            format: self.format().extension().to_owned(),
            n_frames: clip.n_frames(),
            n_values: skeleton.n_values(),
            frame_time: clip.frame_time(),
            start: clip.start(),
            up: clip.up().to_array(),
            joints: (0..skeleton.n_joints()).map(joint).collect(),
            metres_per_unit: clip.metres_per_unit(),
            millimetres_per_unit: millimetres_per_unit(clip, &legs.legs),
            clips: (0..self.file.n_clips())
                .map(|index| ClipInfo { name: name_of(index), seconds: self.file.seconds(index) })
                .collect(),
            clip: self.index,
            stands: self.stands || self.index.is_none(),
            survey: self.file.survey(),
            warnings: self.warnings.iter().map(ToString::to_string).collect(),
            handles: handles(clip, &legs.legs),
            usual: Settings::default(),
            legs: legs.legs.iter().map(leg_info).collect(),
            legs_reason: legs.reason,
            candidates: legs.candidates,
        }
    }
}

fn leg_info(leg: &Leg) -> LegInfo {
    let Limb { start, mid, end } = leg.limb;
    let side = match leg.side {
        Side::Left => "left",
        Side::Right => "right",
        Side::Middle => "middle",
    };
    LegInfo { start, mid, end, ball: leg.ball, side }
}

/// The unit of length in millimetres: that of the file, or the one in which its legs have human length.
pub(super) fn millimetres_per_unit(clip: &Clip, legs: &[Leg]) -> f64 {
    clip.metres_per_unit().map_or_else(|| millimetres_of_legs(clip, legs), |metres| 1000.0 * metres)
}

/// The unit of length in millimetres in which the legs have human length; without legs the file's own.
pub(super) fn millimetres_of_legs(clip: &Clip, legs: &[Leg]) -> f64 {
    millimetres(clip, legs)
        .or_else(|| clip.metres_per_unit().map(|metres| 1000.0 * metres))
        .unwrap_or(1.0)
}

/// Hips, feet, hands and head; if there are no such names, the ends of limbs.
fn handles(clip: &Clip, legs: &[Leg]) -> Vec<Handle> {
    let skeleton = clip.skeleton();
    let mut found = Vec::new();
    let mut add = |joint: usize, role: &'static str| {
        if found.iter().all(|handle: &Handle| handle.joint != joint) && found.len() < MOST_HANDLES {
            found.push(Handle { joint, role });
        }
    };
    if let Some(hips) = hips(clip, legs) {
        add(hips, "hips");
    }
    legs.iter().for_each(|leg| add(leg.limb.end, "foot"));
    let is_leg = |joint: usize| {
        let mut above = skeleton.ancestors(joint);
        above.any(|above| legs.iter().any(|leg| leg.limb.start == above))
    };
    for (role, words) in [("hand", ["hand", "wrist"]), ("head", ["head", "skull"])] {
        for joint in topmost(skeleton, &words).into_iter().filter(|&joint| !is_leg(joint)) {
            add(joint, role);
        }
    }
    let ends = (0..skeleton.n_joints()).filter(|&joint| {
        skeleton.children(joint).is_empty()
            && !is_leg(joint)
            && Limb::ending_at(skeleton, joint).is_some()
    });
    if found.iter().all(|handle| handle.role != "hand") {
        for joint in ends {
            if found.len() < MOST_HANDLES && found.iter().all(|handle| handle.joint != joint) {
                found.push(Handle { joint, role: "end" });
            }
        }
    }
    found
}

/// The common ancestor of the legs: the joint that carries the body, or, if that is far from the hips, for example between the feet, its descendant at the hips.
pub(super) fn hips(clip: &Clip, legs: &[Leg]) -> Option<usize> {
    let carrier = carrier(clip, legs)?;
    let skeleton = clip.skeleton();
    let (Some(first), true) = (legs.first(), clip.n_frames() > 0) else { return Some(carrier) };
    let poses = skeleton.poses(clip.frame(0));
    let near = NEAR * first.limb.length(skeleton);
    let is_near = |a: usize, b: usize| poses[a].translation.distance(poses[b].translation) <= near;
    let carries_legs = |joint: &usize| {
        legs.iter().all(|leg| skeleton.ancestors(leg.limb.start).any(|above| above == *joint))
    };
    let fork = skeleton.ancestors(first.limb.start).find(carries_legs)?;
    let at_fork = skeleton
        .ancestors(fork)
        .take_while(|&joint| joint != carrier && is_near(joint, fork))
        .last();
    Some(at_fork.filter(|&joint| !is_near(joint, carrier)).unwrap_or(carrier))
}

/// The topmost joints with one of these words in their names.
fn topmost(skeleton: &Skeleton, words: &[&str]) -> Vec<usize> {
    let has_word = |joint: usize| {
        let name = skeleton.name(joint).to_lowercase();
        words.iter().any(|word| name.contains(word))
    };
    (0..skeleton.n_joints())
        .filter(|&joint| has_word(joint) && !skeleton.ancestors(joint).skip(1).any(has_word))
        .collect()
}
