//! The results for a file as plain data, from which tables, pages and JSON are made. They do not depend on the time, the machine or the number of threads.

use posekit::skeleton::Skeleton;
use posekit_io::motion::{Measure, measures};
use posekit_motion::{Leg, Metrics, Side};
use serde::{Deserialize, Serialize};

/// The schema of what `--json` prints.
pub(super) const SCHEMA: &str = "posekit.motion-report/1";

/// The error of a file that was not started.
pub(super) const NOT_BEGUN: &str = "not started, because the run was stopped";

/// The results for one file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct FileRecord {
    /// The path as given, or relative to the folder.
    pub(super) file: String,
    /// The format of its content: `BVH`, `GLB` and so on; empty if it could not be read.
    pub(super) format: String,
    /// Guesses at what its format does not specify.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub(super) survey: String,
    /// The output.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) output: Option<String>,
    /// True if an earlier run had done it already.
    #[serde(skip_serializing_if = "is_false", default)]
    pub(super) skipped: bool,
    /// Warnings of readers and writers.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) warnings: Vec<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) error: Option<String>,
    /// Its motions.
    pub(super) clips: Vec<ClipRecord>,
}

/// The results for one motion.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ClipRecord {
    /// Its name in the file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) name: Option<String>,
    /// Its number in the file, from 1, if there are several.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) number: Option<usize>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) error: Option<String>,
    /// Its own output file in the folder, if every motion has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) output: Option<String>,
    pub(super) joints: usize,
    pub(super) frames: usize,
    /// Frames per second; `None` for one frame in a file that has keys and no rate.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) fps: Option<f64>,
    /// The time from the first frame to the last \[s\].
    pub(super) seconds: f64,
    /// The time of the first frame \[s\].
    pub(super) start: f64,
    pub(super) up: [f64; 3],
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) metres_per_unit: Option<f64>,
    /// The names of the joints.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) joint_names: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) legs: Vec<LegRecord>,
    /// The reason for these legs, or for none.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub(super) legs_reason: String,
    /// Joints that may end legs, if none were found.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) candidates: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) floor: Option<FloorRecord>,
    /// The question that the sentence about it answers.
    #[serde(skip)]
    pub(super) question: Question,
    /// The fraction of the correction that was applied, if it is not the whole; sentences depend on it.
    #[serde(skip)]
    pub(super) strength: Option<f64>,
    /// Feet were judged as if the walk advanced.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub(super) walks_on_the_spot: bool,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) plants: Vec<PlantRecord>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) contacts: Vec<ContactRecord>,
    /// The displacements of hips and feet for a pinned joint, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) shifts: Vec<ShiftRecord>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) metrics: Vec<MetricRecord>,
    /// The number of keys written, and the number with one at every frame.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) kept_keys: Option<[usize; 2]>,
    /// The number of changed joints.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) changed_joints: Option<usize>,
    /// The largest displacement of a joint \[mm, for a leg of 0.85 m\]; 0 if the motion was clean already.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) largest_change: Option<f64>,
    /// The largest correction of the root trajectory \[mm, for a leg of 0.85 m\], if there was one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) path_change: Option<f64>,
    /// When the largest change is \[s\].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) largest_change_time: Option<f64>,
    /// The largest displacement of the hips \[mm, for a leg of 0.85 m\].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) hip_shift: Option<f64>,
    /// The largest depth of a heel or a ball below the floor, in the result \[mm, for a leg of 0.85 m\]; 0 if none is below it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) deepest_foot: Option<f64>,
    /// Why nothing was changed, if the reason is not that all plants stand already.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) unchanged: Option<String>,
}

/// The question that a command answers about a motion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Question {
    /// Nothing about feet.
    #[default]
    Nothing,
    /// Whether feet stand.
    Feet,
    /// Whether given contacts are held, and whether feet stand.
    Contacts,
}

/// A leg by the names of its joints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct LegRecord {
    /// `left`, `right`, or `middle`.
    pub(super) side: String,
    pub(super) hip: String,
    pub(super) knee: String,
    pub(super) ankle: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) ball: Option<String>,
}

/// The floor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct FloorRecord {
    pub(super) point: [f64; 3],
    pub(super) normal: [f64; 3],
    /// From level \[degrees\].
    pub(super) tilt: f64,
}

/// A time in which a part of a foot stands, with the verdict on it. Lengths are millimetres for a leg of 0.85 m.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct PlantRecord {
    /// The index of the leg.
    pub(super) leg: usize,
    /// `heel` or `ball`.
    pub(super) part: String,
    /// \[s\]
    pub(super) from: f64,
    /// \[s\]
    pub(super) to: f64,
    /// `fixed`, `clean`, `lessened`, `released`, `unreachable`, `skipped`; `measured` for a check and with given contacts.
    pub(super) verdict: String,
    /// The reason, if there is one.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub(super) reason: String,
    /// The slide before.
    pub(super) drift_before: Option<f64>,
    /// The slide after.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) drift_after: Option<f64>,
}

/// How well a contact is held.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ContactRecord {
    pub(super) joint: String,
    /// What it is on, if not the world: a joint, or `a moving object`.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub(super) on: String,
    /// \[s\]
    pub(super) from: f64,
    /// \[s\]
    pub(super) to: f64,
    /// The joints that hold it: `hip – knee – ankle`, or `the whole body`.
    pub(super) by: String,
    /// The largest distance from its target, in the clip's unit.
    pub(super) residual: Option<f64>,
    /// The largest angle from its target rotation \[degrees\].
    pub(super) angle: Option<f64>,
    /// The number of frames in which it could not be reached.
    pub(super) missed_frames: usize,
    pub(super) frames: usize,
    /// Why it is missed, if not because it is out of reach.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub(super) reason: String,
}

/// The displacement of a joint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ShiftRecord {
    pub(super) joint: String,
    /// The part: `hips` or `foot`.
    pub(super) part: String,
    /// The largest displacement, in the clip's unit.
    pub(super) largest: Option<f64>,
}

/// A measure before and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct MetricRecord {
    /// The name for programs.
    pub(super) key: String,
    /// The name for people.
    pub(super) label: String,
    pub(super) unit: String,
    pub(super) before: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) after: Option<f64>,
}

impl MetricRecord {
    /// The measures of a motion, and of the same after a change.
    pub(super) fn all(before: &Metrics, after: Option<&Metrics>) -> Vec<Self> {
        let record = |measure: Measure| Self {
            key: measure.key.to_owned(),
            label: measure.label.to_owned(),
            unit: measure.unit.to_owned(),
            before: measure.before,
            after: measure.after,
        };
        measures(before, after).into_iter().map(record).collect()
    }
}

impl FileRecord {
    /// A file that failed.
    pub(super) fn failed(file: &str, error: impl Into<String>) -> Self {
        Self { file: file.to_owned(), error: Some(error.into()), ..Self::default() }
    }

    /// True if the run was stopped before it.
    pub(super) fn is_left(&self) -> bool {
        self.error.as_deref() == Some(NOT_BEGUN)
    }

    /// True if the file, or every motion in it, failed.
    pub(super) fn is_failed(&self) -> bool {
        self.error.is_some()
            || !self.clips.is_empty() && self.clips.iter().all(|clip| clip.error.is_some())
    }

    /// True if some of its motions failed.
    pub(super) fn has_failed_motion(&self) -> bool {
        self.clips.iter().any(|clip| clip.error.is_some())
    }

    /// The first error.
    pub(super) fn first_error(&self) -> Option<&str> {
        let of_clips = || self.clips.iter().find_map(|clip| clip.error.as_deref());
        self.error.as_deref().or_else(of_clips)
    }

    pub(super) fn plants(&self) -> impl Iterator<Item = &PlantRecord> {
        self.clips.iter().flat_map(|clip| &clip.plants)
    }
}

impl ClipRecord {
    /// True if legs were looked for and none were found.
    pub(super) fn is_without_legs(&self) -> bool {
        self.error.is_none() && self.legs.is_empty() && !self.legs_reason.is_empty()
    }

    /// The name of a leg: its side, or its ankle if there are several on a side, as in quadrupeds.
    pub(super) fn leg_word(&self, leg: usize) -> &str {
        let Some(leg) = self.legs.get(leg) else { return "" };
        let n_beside = self.legs.iter().filter(|other| other.side == leg.side).count();
        if n_beside > 1 { &leg.ankle } else { &leg.side }
    }
}

impl LegRecord {
    pub(super) fn of(leg: &Leg, skeleton: &Skeleton) -> Self {
        let name = |joint: usize| skeleton.name(joint).to_owned();
        let side = match leg.side {
            Side::Left => "left",
            Side::Right => "right",
            Side::Middle => "middle",
        };
        Self {
            side: side.to_owned(),
            hip: name(leg.limb.start),
            knee: name(leg.limb.mid),
            ankle: name(leg.limb.end),
            ball: leg.ball.map(name),
        }
    }
}

impl PlantRecord {
    /// The slide in the result.
    pub(super) fn drift(&self) -> Option<f64> {
        self.drift_after.or(self.drift_before)
    }
}

/// A number that JSON can hold.
pub(super) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}
