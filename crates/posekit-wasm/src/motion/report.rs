//! The report of cleaning: plants with their verdicts, and measures of standing feet before and after.

use std::borrow::Cow;

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit_io::motion::{Measure, measures, verdict_words};
use posekit_motion::{Clip, Floor, Part, Plant, drift, measure};
use serde::Serialize;

use super::{Table, Which};

/// The report; lengths are in millimetres for a leg of 0.85 m, as in the command.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "MotionReport"))]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// A point on the floor \[the clip's unit\], and its normal.
    floor: [[f64; 3]; 2],
    /// Plants that were found, or contacts that were given, in the order of their first frames.
    plants: Vec<PlantRow>,
    metrics: Vec<Metric>,
    /// The number of joints that differ from the source in some frame.
    changed: usize,
    /// The largest correction of the root trajectory; that of an in-place walk is none.
    path_change: f64,
    /// By how much an in-place walk would be ahead in each frame \[the clip's unit\]; none of any other motion. Its contacts are where it would be then.
    walk: Vec<[f64; 3]>,
    /// The largest distance of a held joint from its target.
    residual: f64,
}

/// A time in which a joint stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "MotionPlant"))]
#[serde(rename_all = "camelCase")]
struct PlantRow {
    joint: usize,
    /// \[s\]
    from: f64,
    /// \[s\]
    to: f64,
    #[cfg_attr(
        test,
        ts(
            type = "\"fixed\" | \"clean\" | \"lessened\" | \"released\" | \"unreachable\" | \"skipped\" | \"held\" | \"missed\""
        )
    )]
    verdict: &'static str,
    words: String,
    before: f64,
    after: f64,
}

/// A measure before and after; `None` where it is undefined.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "MotionMetric"))]
struct Metric {
    key: &'static str,
    label: &'static str,
    unit: &'static str,
    sentence: &'static str,
    before: Option<f64>,
    after: Option<f64>,
}

/// The measures that the page shows: those of standing feet first, then the costs of holding them.
const SHOWN: [&str; 9] = [
    "drift_median",
    "drift_max",
    "visible_share",
    "slide_speed",
    "floating",
    "penetration",
    "knee_pop",
    "jerk",
    "pose_distance",
];

/// A joint and the frames in which it should stand.
struct Stand {
    joint: usize,
    frames: core::ops::Range<usize>,
}

impl Table {
    /// The last edits, and their result.
    #[must_use]
    pub fn report(&self) -> Report {
        let work = &self.work;
        let millimetres =
            super::describe::millimetres_of_legs(&self.source, &work.cleaned.legs.legs);
        let floor = work.cleaned.floor;
        let stands = self.stands();
        let sides = [Which::Source, Which::Result].map(|which| self.travelling(which));
        let residual = work.residuals.iter().copied().fold(0.0, f64::max) * millimetres;
        let path = work.cleaned.path.as_slice();
        let (walk, corrected) =
            if work.cleaned.is_in_place { (path, &[][..]) } else { (&[][..], path) };
        let corrected = corrected.iter().map(|shift| shift.length());
        let path_change = corrected.fold(0.0, f64::max) * millimetres;
        Report {
            floor: [floor.point.to_array(), floor.normal.to_array()],
            plants: self.rows(&stands, &sides, millimetres),
            metrics: self.metrics(&stands, &sides),
            changed: self.changed(),
            path_change,
            walk: walk.iter().map(DVec3::to_array).collect(),
            residual,
        }
    }

    /// The joints that should stand, and their times: of plants that were found, or of contacts that were given.
    fn stands(&self) -> Vec<Stand> {
        let cleaned = &self.work.cleaned;
        match &self.given {
            Some(contacts) => contacts
                .iter()
                .map(|contact| Stand {
                    joint: contact.frame.joint,
                    frames: self.source.frames(contact.from, contact.to),
                })
                .collect(),
            None => cleaned
                .plants
                .iter()
                .map(|report| Stand {
                    joint: cleaned.legs.legs[report.plant.leg].joint(report.plant.part),
                    frames: report.plant.frames.clone(),
                })
                .collect(),
        }
    }

    fn rows(
        &self,
        stands: &[Stand],
        sides: &[Cow<'_, Clip>; 2],
        millimetres: f64,
    ) -> Vec<PlantRow> {
        let floor = &self.work.cleaned.floor;
        let [before, after] = sides.each_ref().map(|clip| drifts(clip, stands, floor));
        let row = |(index, stand): (usize, &Stand)| {
            let (verdict, words) = self.verdict(index, millimetres);
            PlantRow {
                joint: stand.joint,
                from: self.source.time(stand.frames.start),
                to: self.source.time(stand.frames.end.saturating_sub(1)),
                verdict,
                words,
                before: before[index] * millimetres,
                after: after[index] * millimetres,
            }
        };
        stands.iter().enumerate().map(row).collect()
    }

    fn verdict(&self, index: usize, millimetres: f64) -> (&'static str, String) {
        if !self.settings.is_on {
            return ("skipped", "cleaning is off".to_owned());
        }
        if self.given.is_some() {
            let missed = self.work.residuals.get(index).copied().unwrap_or(0.0) * millimetres;
            return if missed > 0.1 && self.settings.strength < 1.0 {
                ("lessened", String::new())
            } else if missed > 0.1 {
                ("missed", format!("out of reach by {missed:.1} mm"))
            } else {
                ("held", "as set by hand".to_owned())
            };
        }
        let report = &self.work.cleaned.plants[index];
        verdict_words(report, millimetres, self.settings.strength)
    }

    /// The times in which feet stand, as plants of legs, for the measures. Held hands are not included.
    fn plants(&self, stands: &[Stand]) -> Vec<Plant> {
        let legs = &self.work.cleaned.legs.legs;
        let plant = |Stand { joint, frames, .. }: &Stand| {
            let leg =
                legs.iter().position(|leg| leg.limb.end == *joint || leg.ball == Some(*joint))?;
            let part = if legs[leg].limb.end == *joint { Part::Heel } else { Part::Ball };
            Some(Plant { leg, part, frames: frames.clone() })
                .filter(|plant| !plant.frames.is_empty())
        };
        stands.iter().filter_map(plant).collect()
    }

    fn metrics(&self, stands: &[Stand], [source, result]: &[Cow<'_, Clip>; 2]) -> Vec<Metric> {
        let cleaned = &self.work.cleaned;
        let legs = &cleaned.legs.legs;
        if legs.is_empty() {
            return Vec::new();
        }
        let plants = self.plants(stands);
        let before = measure(source, None, legs, &plants, &cleaned.floor);
        let after = measure(result, Some(source), legs, &plants, &cleaned.floor);
        let all = measures(&before, Some(&after));
        let shown = SHOWN.iter().filter_map(|key| all.iter().find(|measure| measure.key == *key));
        shown
            .map(|&Measure { key, label, unit, sentence, before, after }| Metric {
                key,
                label,
                unit,
                sentence,
                before,
                after,
            })
            .collect()
    }

    /// Joints whose values differ from the source in some frame.
    fn changed(&self) -> usize {
        let (source, result) = (&self.source, &self.work.result);
        let skeleton = source.skeleton();
        let n = skeleton.n_values();
        let differs = |joint: usize| {
            let range = skeleton.value_range(joint);
            let pairs = source.values().chunks(n.max(1)).zip(result.values().chunks(n.max(1)));
            !range.is_empty()
                && pairs.into_iter().any(|(a, b)| a[range.clone()] != b[range.clone()])
        };
        (0..skeleton.n_joints()).filter(|&joint| differs(joint)).count()
    }
}

/// The slide of each joint that should stand: its largest distance along the floor from its median \[the clip's unit\].
fn drifts(clip: &Clip, stands: &[Stand], floor: &Floor) -> Vec<f64> {
    let skeleton = clip.skeleton();
    let mut paths: Vec<Vec<DVec3>> = stands.iter().map(|_| Vec::new()).collect();
    let mut poses = vec![Pose::IDENTITY; skeleton.n_joints()];
    for frame in 0..clip.n_frames() {
        skeleton.forward_kinematics(clip.frame(frame), &mut poses);
        let standing = |stand: &Stand| stand.frames.contains(&frame);
        for (stand, path) in stands.iter().zip(&mut paths).filter(|(stand, _)| standing(stand)) {
            path.push(poses[stand.joint].translation);
        }
    }
    paths.iter().map(|path| drift(path, floor.normal)).collect()
}
