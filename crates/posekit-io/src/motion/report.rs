//! The report on a cleaned motion, for all front ends: its measures by name, and the verdict on each plant.

use posekit_motion::{Change, Clip, LEG_LENGTH, Leg, Metrics, PlantReport, Verdict};

/// A measure before and after a change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    /// The name for programs.
    pub key: &'static str,
    /// The name for people.
    pub label: &'static str,
    /// The unit; empty for counts.
    pub unit: &'static str,
    /// Its meaning, in a sentence.
    pub sentence: &'static str,
    /// `None` where it is undefined: no foot stands, or it measures a change.
    pub before: Option<f64>,
    /// `None` also if there is no result.
    pub after: Option<f64>,
}

/// A measure of a single motion: key, label, unit, sentence and value.
type OfMotion = (&'static str, &'static str, &'static str, &'static str, fn(&Metrics) -> f64);

const OF_MOTION: [OfMotion; 13] = [
    (
        "drift_median",
        "slide, median plant",
        "mm",
        "Largest distance of a planted joint along the floor from its own median.",
        |m| m.drift_median * 1e3,
    ),
    ("drift_max", "slide, worst plant", "mm", "The largest of these.", |m| m.drift_max * 1e3),
    (
        "visible_share",
        "plants with visible slide",
        "%",
        "Plants that slide by more than 21 mm, which viewers begin to notice.",
        |m| m.visible_share * 1e2,
    ),
    (
        "slide_speed",
        "slide, mean speed",
        "mm/s",
        "Mean speed along the floor while they stand.",
        |m| m.slide_speed * 1e3,
    ),
    (
        "weighted_skate",
        "weighted skate",
        "mm/s",
        "Mean speed of low feet, weighted by how low they are; low swinging feet count, too.",
        |m| m.weighted_skate * 1e3,
    ),
    (
        "skating_ratio",
        "skating ratio",
        "%",
        "Frames in which a low foot is fast; low swinging feet count, too.",
        |m| m.skating_ratio * 1e2,
    ),
    (
        "penetration",
        "feet below the floor",
        "mm",
        "Mean depth of the lowest part of a foot below the floor, minus 5 mm.",
        |m| m.penetration * 1e3,
    ),
    (
        "floating",
        "feet above the floor",
        "mm",
        "Mean height of the lowest part of a foot while one stands, minus 5 mm.",
        |m| m.floating * 1e3,
    ),
    ("jerk", "jerk, mean", "m/s³", "Of hips, knees and feet: lower is smoother.", |m| m.jerk),
    ("jerk_max", "jerk, largest", "m/s³", "Of hips, knees and feet in any frame.", |m| m.jerk_max),
    (
        "edge_jerk",
        "jerk at ends of plants, largest",
        "m/s³",
        "Within a tenth of a second of where a foot lands or lifts off.",
        |m| m.edge_jerk,
    ),
    (
        "knee_pop",
        "knee pop, largest",
        "°/s²",
        "The largest angular acceleration of a knee.",
        |m| m.knee_pop.to_degrees(),
    ),
    ("knee_max", "straightest knee", "°", "180° is straight.", |m| m.knee_max.to_degrees()),
];

/// The same for a change.
type OfChange = (&'static str, &'static str, &'static str, &'static str, fn(&Change) -> f64);

const OF_CHANGE: [OfChange; 6] = [
    (
        "pose_distance",
        "pose change, mean",
        "mm",
        "Displacement of the joints relative to the hips.",
        |change| change.pose_distance * 1e3,
    ),
    ("pose_distance_max", "pose change, largest", "mm", "The largest of these.", |change| {
        change.pose_distance_max * 1e3
    }),
    (
        "root_rms",
        "shift of the root, root mean square",
        "mm",
        "Displacement of the hips.",
        |change| change.root_rms * 1e3,
    ),
    (
        "root_height_max",
        "shift of the root up or down, largest",
        "mm",
        "Largest vertical displacement of the hips.",
        |change| change.root_height_max * 1e3,
    ),
    (
        "overstretched",
        "frames with a straighter knee",
        "",
        "Straighter than 178°, and by half a degree than in any frame of the source.",
        |change| change.overstretched as f64,
    ),
    (
        "stretch",
        "longer bones, largest",
        "%",
        "By how much a bone of a leg became longer.",
        |change| change.stretch * 1e2,
    ),
];

/// Measures that are undefined if no foot stands.
const OF_PLANTS: [&str; 6] =
    ["drift_median", "drift_max", "visible_share", "slide_speed", "floating", "edge_jerk"];

/// The measures of a motion before and after a change, and those of the change itself. Lengths are for a leg of 0.85 m.
#[must_use]
pub fn measures(before: &Metrics, after: Option<&Metrics>) -> Vec<Measure> {
    let is_known = |key: &str| !before.drifts.is_empty() || !OF_PLANTS.contains(&key);
    let of_motion = |(key, label, unit, sentence, of): OfMotion| {
        let known = |value: f64| Some(value).filter(|value| value.is_finite() && is_known(key));
        let after = after.and_then(|after| known(of(after)));
        Measure { key, label, unit, sentence, before: known(of(before)), after }
    };
    let mut rows: Vec<Measure> = OF_MOTION.into_iter().map(of_motion).collect();
    let Some(change) = after.and_then(|after| after.change) else { return rows };
    let cost = |(key, label, unit, sentence, of): OfChange| {
        let after = Some(of(&change)).filter(|value| value.is_finite());
        Measure { key, label, unit, sentence, before: None, after }
    };
    rows.extend(OF_CHANGE.map(cost));
    rows
}

/// The factor from the clip's unit to millimetres for a leg of 0.85 m; `None` without legs.
#[must_use]
pub fn millimetres(clip: &Clip, legs: &[Leg]) -> Option<f64> {
    let lengths: f64 = legs.iter().map(|leg| leg.limb.length(clip.skeleton())).sum();
    Some(LEG_LENGTH * 1e3 * legs.len() as f64 / lengths).filter(|scale| scale.is_finite())
}

/// Why a point within the limb's reach is missed.
pub const NO_CHANNELS: &str = "out of reach of the file's channels";

/// The verdict on a plant in a word, and the reason in a few; empty if there is none.
///
/// - `millimetres`: the factor from the clip's unit, from [`millimetres`]
/// - `strength`: the fraction of the correction that was applied, from 0 to 1
#[must_use]
pub fn verdict_words(
    report: &PlantReport,
    millimetres: f64,
    strength: f64,
) -> (&'static str, String) {
    match &report.verdict {
        Verdict::Fixed | Verdict::Unreachable { .. } if strength == 0.0 => {
            ("skipped", "the strength is 0".to_owned())
        }
        Verdict::Fixed | Verdict::Unreachable { .. } if strength < 1.0 => {
            ("lessened", String::new())
        }
        Verdict::Fixed => ("fixed", String::new()),
        Verdict::Clean => ("clean", String::new()),
        Verdict::Released { slide } => ("released", released_words(report, *slide, millimetres)),
        Verdict::Unreachable { by, frames, by_channels } => {
            let by = by * millimetres;
            let plural = if *frames == 1 { "" } else { "s" };
            let why = if *by_channels { NO_CHANNELS } else { "out of the leg's reach" };
            ("unreachable", format!("{why} by {by:.1} mm in {frames} frame{plural}"))
        }
        _ => ("skipped", "left unchanged as requested".to_owned()),
    }
}

/// Why a plant is released. Its slide is marked if it differs from the reported one.
fn released_words(report: &PlantReport, slide: f64, millimetres: f64) -> String {
    let words = |slide: f64| format!("{:.0} mm", slide * millimetres);
    let slides = words(slide);
    if slides == words(report.drift_before) {
        format!("a slide of {slides} must be intended")
    } else {
        format!("a slide of {slides} on the corrected path must be intended")
    }
}
