//! What cleaning did: plants with their verdicts, and how feet stood before and after.

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::motion::{Clip, Floor, Metrics, Part, Plant, VISIBLE_SLIDE, Verdict, measure};
use serde::Serialize;

use super::{Table, Which};

/// What was done and what came of it; lengths in millimetres.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// A point of the floor \[the clip's unit\], and its normal.
    floor: [[f64; 3]; 2],
    /// What stands, in the order of first frames: plants that were found, or contacts that were given.
    plants: Vec<PlantRow>,
    metrics: Vec<Metric>,
    /// Joints that differ from the source in some frame.
    changed: usize,
    /// How much of the slide was taken for a wrong path of the root, from 0 to 1.
    path_share: f64,
    /// The largest distance of a joint that holds from where it should be.
    residual: f64,
}

/// A time in which something stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct PlantRow {
    joint: usize,
    /// \[s\]
    from: f64,
    /// \[s\]
    to: f64,
    /// `fixed`, `clean`, `released`, `unreachable`, `kept`, `held` or `missed`.
    verdict: &'static str,
    words: String,
    before: f64,
    after: f64,
}

/// One number before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Metric {
    name: &'static str,
    unit: &'static str,
    sentence: &'static str,
    before: f64,
    after: f64,
}

/// A joint and the frames in which it should stand.
type Stand = (usize, core::ops::Range<usize>);

impl Table {
    /// What was done last, and what came of it.
    #[must_use]
    pub fn report(&self) -> Report {
        let work = &self.work;
        let millimetres =
            super::describe::millimetres_per_unit(&self.source, &work.cleaned.legs.legs);
        let floor = work.cleaned.floor;
        let stands = self.stands();
        let [before, after] = [Which::Source, Which::Result]
            .map(|which| measure_stands(&self.travelling(which), &stands, &floor, millimetres));
        let residual = work.residuals.iter().copied().fold(0.0, f64::max) * millimetres;
        Report {
            floor: [floor.point.to_array(), floor.normal.to_array()],
            plants: self.rows(&stands, &before, &after, millimetres),
            metrics: self.metrics(
                &self.of_feet(&stands, before),
                &self.of_feet(&stands, after),
                self.pose_change() * millimetres,
            ),
            changed: self.changed(),
            path_share: work.cleaned.path_share,
            residual,
        }
    }

    /// The joints that should stand, and when: of plants that were found, or of contacts that were given.
    fn stands(&self) -> Vec<Stand> {
        let cleaned = &self.work.cleaned;
        match &self.given {
            Some(contacts) => contacts
                .iter()
                .map(|contact| (contact.frame.joint, self.source.frames(contact.from, contact.to)))
                .collect(),
            None => cleaned
                .plants
                .iter()
                .map(|report| {
                    let Plant { leg, part, frames } = &report.plant;
                    (cleaned.legs.legs[*leg].joint(*part), frames.clone())
                })
                .collect(),
        }
    }

    fn rows(
        &self,
        stands: &[Stand],
        before: &[Measured],
        after: &[Measured],
        millimetres: f64,
    ) -> Vec<PlantRow> {
        let row = |(index, (joint, frames)): (usize, &Stand)| {
            let (verdict, words) = self.verdict(index, millimetres);
            PlantRow {
                joint: *joint,
                from: self.source.time(frames.start),
                to: self.source.time(frames.end.saturating_sub(1)),
                verdict,
                words,
                before: before[index].drift,
                after: after[index].drift,
            }
        };
        stands.iter().enumerate().map(row).collect()
    }

    fn verdict(&self, index: usize, millimetres: f64) -> (&'static str, String) {
        if !self.settings.is_on {
            return ("kept", "left alone: cleaning is off".to_owned());
        }
        if self.given.is_some() {
            let missed = self.work.residuals.get(index).copied().unwrap_or(0.0) * millimetres;
            return if missed > 0.1 {
                ("missed", format!("out of reach by {missed:.1} mm"))
            } else {
                ("held", "held as set by hand".to_owned())
            };
        }
        match &self.work.cleaned.plants[index].verdict {
            Verdict::Fixed => ("fixed", "slid, and stands now".to_owned()),
            Verdict::Clean => ("clean", "stood already".to_owned()),
            Verdict::Released { slide } => (
                "released",
                format!("slides {:.0} mm, so it is meant to slide", slide * millimetres),
            ),
            Verdict::Unreachable { by, frames } => (
                "unreachable",
                format!("out of reach by {:.1} mm in {frames} frames", by * millimetres),
            ),
            Verdict::Kept => ("kept", "left alone".to_owned()),
            _ => ("kept", String::new()),
        }
    }

    /// What stands, as plants of legs: the measures of the library are of these.
    fn plants(&self, stands: &[Stand]) -> Vec<Plant> {
        let legs = &self.work.cleaned.legs.legs;
        let plant = |(joint, frames): &Stand| {
            let leg =
                legs.iter().position(|leg| leg.limb.end == *joint || leg.ball == Some(*joint))?;
            let part = if legs[leg].limb.end == *joint { Part::Heel } else { Part::Ball };
            Some(Plant { leg, part, frames: frames.clone() })
                .filter(|plant| !plant.frames.is_empty())
        };
        stands.iter().filter_map(plant).collect()
    }

    /// Those of feet: a hand that is held says nothing of how feet stand. All of them where there are no legs.
    fn of_feet(&self, stands: &[Stand], measured: Vec<Measured>) -> Vec<Measured> {
        let legs = &self.work.cleaned.legs.legs;
        let is_foot = |joint| {
            legs.is_empty()
                || legs.iter().any(|leg| leg.limb.end == joint || leg.ball == Some(joint))
        };
        let pairs = stands.iter().zip(measured);
        pairs.filter(|((joint, _), _)| is_foot(*joint)).map(|(_, measured)| measured).collect()
    }

    /// Drift first, then what holding feet could have cost.
    fn metrics(&self, before: &[Measured], after: &[Measured], pose_change: f64) -> Vec<Metric> {
        let cleaned = &self.work.cleaned;
        let plants = self.plants(&self.stands());
        let [was, is] = [Which::Source, Which::Result].map(|which| {
            measure(&self.travelling(which), None, &cleaned.legs.legs, &plants, &cleaned.floor)
        });
        let mut rows = metrics(before, after);
        let row = |name, unit, sentence, of: &dyn Fn(&Metrics) -> f64| Metric {
            name,
            unit,
            sentence,
            before: of(&was),
            after: of(&is),
        };
        rows.push(row(
            "Floating",
            "mm",
            "Mean height of the lowest part of a foot above the floor while one stands, less 5 mm.",
            &|m| 1000.0 * m.floating,
        ));
        rows.push(row(
            "Sinking in",
            "mm",
            "Mean depth of the lowest part of a foot below the floor, less 5 mm.",
            &|m| 1000.0 * m.penetration,
        ));
        rows.push(row("Knee pop", "rad/s²", "The most sudden change of a knee's bend.", &|m| {
            m.knee_pop
        }));
        rows.push(row(
            "Jerk",
            "m/s³",
            "Mean jerk of hips, knees and feet: lower is smoother.",
            &|m| m.jerk,
        ));
        rows.push(Metric {
            name: "Pose change",
            unit: "mm",
            sentence: "Mean distance by which joints have moved, as seen from the hips.",
            before: 0.0,
            after: pose_change,
        });
        rows
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

    /// The mean distance that joints have moved as seen from the root \[the clip's unit\].
    fn pose_change(&self) -> f64 {
        let (source, result) = (&self.source, &self.work.result);
        let skeleton = source.skeleton();
        let n = skeleton.n_joints();
        let root = super::carrier(source, &self.work.cleaned.legs.legs).unwrap_or(0);
        let [mut a, mut b] = [vec![Pose::IDENTITY; n], vec![Pose::IDENTITY; n]];
        let mut sum = 0.0;
        for frame in 0..source.n_frames() {
            skeleton.forward_kinematics(source.frame(frame), &mut a);
            skeleton.forward_kinematics(result.frame(frame), &mut b);
            for joint in 0..n {
                let moved = b[joint].translation - b[root].translation;
                sum += (a[joint].translation - a[root].translation).distance(moved);
            }
        }
        sum / (n * source.n_frames()).max(1) as f64
    }
}

/// How one that should stand stands, in millimetres.
struct Measured {
    drift: f64,
    /// How far it goes along the floor, all in all, and in what time \[s\].
    way: f64,
    time: f64,
    /// How far its heights spread.
    lift: f64,
}

fn measure_stands(clip: &Clip, stands: &[Stand], floor: &Floor, millimetres: f64) -> Vec<Measured> {
    let skeleton = clip.skeleton();
    let mut tracks: Vec<Vec<DVec3>> = stands.iter().map(|_| Vec::new()).collect();
    let mut poses = vec![Pose::IDENTITY; skeleton.n_joints()];
    for frame in 0..clip.n_frames() {
        skeleton.forward_kinematics(clip.frame(frame), &mut poses);
        for ((joint, frames), track) in stands.iter().zip(&mut tracks) {
            if frames.contains(&frame) {
                track.push(poses[*joint].translation * millimetres);
            }
        }
    }
    let level = |point: &DVec3| *point - floor.normal * point.dot(floor.normal);
    let measured = |track: &Vec<DVec3>| {
        let heights: Vec<f64> = track.iter().map(|point| point.dot(floor.normal)).collect();
        let [least, most] =
            [f64::min, f64::max].map(|pick| heights.iter().copied().reduce(pick).unwrap_or(0.0));
        Measured {
            drift: drift(track.iter().map(level).collect()),
            way: track.windows(2).map(|pair| level(&pair[0]).distance(level(&pair[1]))).sum(),
            time: clip.frame_time() * track.len().saturating_sub(1) as f64,
            lift: most - least,
        }
    };
    tracks.iter().map(measured).collect()
}

/// The largest distance from the median.
fn drift(points: Vec<DVec3>) -> f64 {
    let middle = |k: usize| {
        let mut sorted: Vec<f64> = points.iter().map(|point| point[k]).collect();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        if n == 0 { 0.0 } else { 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]) }
    };
    let median = DVec3::new(middle(0), middle(1), middle(2));
    points.iter().map(|point| point.distance(median)).fold(0.0, f64::max)
}

fn metrics(before: &[Measured], after: &[Measured]) -> Vec<Metric> {
    let median = |all: &[Measured]| {
        let mut sorted: Vec<f64> = all.iter().map(|one| one.drift).collect();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
    };
    let visible = |all: &[Measured]| {
        all.iter().filter(|one| one.drift > 1000.0 * VISIBLE_SLIDE).count() as f64
    };
    let speed = |all: &[Measured]| {
        let [way, time] = [|one: &Measured| one.way, |one: &Measured| one.time]
            .map(|of| all.iter().map(of).sum::<f64>());
        if time > 0.0 { way / time } else { 0.0 }
    };
    let most = |all: &[Measured], of: fn(&Measured) -> f64| all.iter().map(of).fold(0.0, f64::max);
    let row = |name, unit, sentence, of: &dyn Fn(&[Measured]) -> f64| Metric {
        name,
        unit,
        sentence,
        before: of(before),
        after: of(after),
    };
    vec![
        row(
            "Drift, median plant",
            "mm",
            "How far a planted foot goes along the floor from where it mostly is.",
            &median,
        ),
        row("Drift, worst plant", "mm", "The largest of these.", &|all| most(all, |one| one.drift)),
        row(
            "Visibly sliding plants",
            "",
            "Those that drift more than 21 mm, which viewers begin to notice.",
            &visible,
        ),
        row("Slide speed", "mm/s", "Mean speed of planted feet along the floor.", &speed),
        row("Lift", "mm", "How far the height of a planted foot changes at most.", &|all| {
            most(all, |one| one.lift)
        }),
    ]
}
