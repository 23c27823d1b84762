//! What is told of a file: plain data, from which tables, pages and JSON are made. Nothing in it depends on when, where or on how many threads it was
//! made.

use posekit::skeleton::Skeleton;
use posekit_io::motion::{Measure, measures};
use posekit_motion::{Leg, Metrics, Side};
use serde::{Deserialize, Serialize};

/// The schema of what `--json` prints.
pub(super) const SCHEMA: &str = "posekit.motion-report/1";

/// Why nothing came of a file that was not begun.
pub(super) const NOT_BEGUN: &str = "not begun, as the run was stopped";

/// What came of one file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct FileRecord {
    /// The file, as it was given, or its path in the folder.
    pub(super) file: String,
    /// What its content is: `BVH`, `GLB` and so on; empty where it could not be read.
    pub(super) format: String,
    /// What it seems to mean where its format says nothing.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub(super) survey: String,
    /// What was written of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) output: Option<String>,
    /// True where an earlier run had done it already.
    #[serde(skip_serializing_if = "is_false", default)]
    pub(super) skipped: bool,
    /// What readers and writers could live with.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) warnings: Vec<String>,
    /// Why nothing came of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) error: Option<String>,
    /// Its motions.
    pub(super) clips: Vec<ClipRecord>,
}

/// What came of one motion.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ClipRecord {
    /// What the file calls it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) name: Option<String>,
    /// Which of the file's motions it is, from 1, where these are several.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) number: Option<usize>,
    /// Why nothing came of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) error: Option<String>,
    /// The file of its own that it was written to, in the folder of them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) output: Option<String>,
    pub(super) joints: usize,
    pub(super) frames: usize,
    /// Frames per second; none of one frame in a file that has keys and no rate.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) fps: Option<f64>,
    /// From the first frame to the last \[s\].
    pub(super) seconds: f64,
    /// When the first frame is \[s\].
    pub(super) start: f64,
    pub(super) up: [f64; 3],
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) metres_per_unit: Option<f64>,
    /// The names of the joints.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) joint_names: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) legs: Vec<LegRecord>,
    /// Why these legs, or why none.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub(super) legs_reason: String,
    /// Joints that may end legs, where none were found.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) candidates: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) floor: Option<FloorRecord>,
    /// What was asked about it, which words depend on.
    #[serde(skip)]
    pub(super) asked: Asked,
    /// How much of the correction was applied, where that is not all of it; words depend on it.
    #[serde(skip)]
    pub(super) strength: Option<f64>,
    /// Feet were judged as if it went on.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub(super) walks_on_the_spot: bool,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) plants: Vec<PlantRecord>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) contacts: Vec<ContactRecord>,
    /// How far hips and feet went for what was pinned; none where they stay.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) shifts: Vec<ShiftRecord>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) metrics: Vec<MetricRecord>,
    /// How many keys were written, and how many there are with one at every frame.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) kept_keys: Option<[usize; 2]>,
    /// How many joints were written anew.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) changed_joints: Option<usize>,
    /// The largest distance that a joint of the legs went \[mm, for a leg of 0.85 m\]; 0 where the motion was clean already.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) largest_change: Option<f64>,
    /// How far the way of the hips was moved at most, where all feet slide with it \[mm, for a leg of 0.85 m\].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) path_change: Option<f64>,
    /// Why nothing was changed, where it is not that all plants stand already.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) unchanged: Option<String>,
}

/// What a command was asked about a motion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Asked {
    /// Nothing about feet.
    #[default]
    Nothing,
    /// Whether feet stand.
    Feet,
    /// To hold contacts that were given, and what became of feet thereby.
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

/// A time during which a part of a foot stands, and what came of it. Lengths are millimetres for a leg of 0.85 m.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct PlantRecord {
    /// Which of the legs.
    pub(super) leg: usize,
    /// `heel` or `ball`.
    pub(super) part: String,
    /// \[s\]
    pub(super) from: f64,
    /// \[s\]
    pub(super) to: f64,
    /// `fixed`, `clean`, `lessened`, `released`, `unreachable`, `skipped`; of a check, and where contacts were given, `measured`.
    pub(super) verdict: String,
    /// Why, where there is something to say.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub(super) reason: String,
    /// It is firm, and the measures and medians are over it.
    #[serde(default = "yes")]
    pub(super) counted: bool,
    /// How far it slid.
    pub(super) drift_before: Option<f64>,
    /// How far it slides.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) drift_after: Option<f64>,
}

/// How well something holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ContactRecord {
    pub(super) joint: String,
    /// \[s\]
    pub(super) from: f64,
    /// \[s\]
    pub(super) to: f64,
    /// The joints that hold it: `hip – knee – ankle`, or `the whole body`.
    pub(super) by: String,
    /// The largest distance from where it should be, in the clip's unit.
    pub(super) residual: Option<f64>,
    /// The largest angle from how it should be turned \[degrees\].
    pub(super) angle: Option<f64>,
    /// The number of frames in which it could not be reached.
    pub(super) missed_frames: usize,
    pub(super) frames: usize,
    /// Why it is missed, where it is not out of reach.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub(super) reason: String,
}

/// How far a joint went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ShiftRecord {
    pub(super) joint: String,
    /// What it is: `hips` or `foot`.
    pub(super) part: String,
    /// The largest distance from where it was, in the clip's unit.
    pub(super) largest: Option<f64>,
}

/// A measure before and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct MetricRecord {
    /// A name for programs.
    pub(super) key: String,
    /// A name for people.
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
    /// A file that nothing came of.
    pub(super) fn failed(file: &str, error: impl Into<String>) -> Self {
        Self { file: file.to_owned(), error: Some(error.into()), ..Self::default() }
    }

    /// True where the run was stopped before it.
    pub(super) fn is_left(&self) -> bool {
        self.error.as_deref() == Some(NOT_BEGUN)
    }

    /// True where the file, or every motion in it, came to nothing.
    pub(super) fn is_failed(&self) -> bool {
        self.error.is_some()
            || !self.clips.is_empty() && self.clips.iter().all(|clip| clip.error.is_some())
    }

    /// True where some of its motions came to nothing.
    pub(super) fn has_failed_motion(&self) -> bool {
        self.clips.iter().any(|clip| clip.error.is_some())
    }

    /// The first reason why nothing came of it.
    pub(super) fn first_error(&self) -> Option<&str> {
        let of_clips = || self.clips.iter().find_map(|clip| clip.error.as_deref());
        self.error.as_deref().or_else(of_clips)
    }

    pub(super) fn plants(&self) -> impl Iterator<Item = &PlantRecord> {
        self.clips.iter().flat_map(|clip| &clip.plants)
    }

    /// The plants that measures and medians are over.
    pub(super) fn counted(&self) -> impl Iterator<Item = &PlantRecord> {
        self.plants().filter(|plant| plant.counted)
    }
}

impl ClipRecord {
    /// True where legs were looked for and none were found.
    pub(super) fn is_without_legs(&self) -> bool {
        self.error.is_none() && self.legs.is_empty() && !self.legs_reason.is_empty()
    }

    /// The plants that measures and medians are over.
    pub(super) fn counted(&self) -> impl Iterator<Item = &PlantRecord> {
        self.plants.iter().filter(|plant| plant.counted)
    }

    /// A leg in a word: its side; of several on a side, as quadrupeds have them, its ankle.
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
    /// How far it slides as it is now.
    pub(super) fn drift(&self) -> Option<f64> {
        self.drift_after.or(self.drift_before)
    }
}

/// A number that JSON can hold.
pub(super) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

const fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}
