//! What cleaning must show on sound clips with injected faults: every measure for every clip and fault, the worst named.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod common;
#[path = "support/clips.rs"]
mod clips;
#[path = "support/skate.rs"]
mod skate;

use std::time::Instant;

use posekit::glam::DVec3;
use posekit::math::so3_log;
use posekit::motion::{CleanSettings, Cleaned, Clip, Leg, Verdict, clean};
use posekit::skeleton::JointKind;
use skate::{Injury, LEG};

/// Measures of one cleaned clip; lengths in millimetres of a figure with legs of 0.85 m.
#[derive(Debug, Clone, Default)]
struct Measures {
    name: String,
    /// Plants in all, and of them released and unreachable.
    plants: [usize; 3],
    /// Largest distance of what is held from where it should be, where reachable.
    residual: f64,
    /// Drift per plant before and after: median and largest.
    before: [f64; 2],
    after: [f64; 2],
    /// Largest second difference of knee angles per squared second, after and before.
    pop: [f64; 2],
    /// Mean third difference of leg joints per cubed second, after and before.
    jerk: [f64; 2],
    /// Mean distance of joints from where they were, the root's displacement taken off; and largest.
    pose: [f64; 2],
    /// Largest displacement of the root that is not the path's.
    root: f64,
    share: f64,
    /// What a second run changes: largest angle.
    second: f64,
    /// Nanoseconds a frame.
    cost: f64,
}

fn measure(name: &str, clip: &Clip, settings: &CleanSettings) -> Measures {
    let start = Instant::now();
    let cleaned = clean(clip, settings).unwrap();
    let cost = start.elapsed().as_nanos() as f64 / clip.n_frames() as f64;
    let legs = &cleaned.legs.legs;
    let lengths: f64 = legs.iter().map(|leg| leg.limb.length(clip.skeleton())).sum();
    let mm = 1000.0 * LEG / (lengths / legs.len() as f64);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut plants = [cleaned.plants.len(), 0, 0];
    for report in &cleaned.plants {
        match report.verdict {
            Verdict::Released { .. } => plants[1] += 1,
            Verdict::Unreachable { .. } => plants[2] += 1,
            _ => {}
        }
        if !matches!(report.verdict, Verdict::Released { .. }) {
            before.push(report.drift_before * mm);
            after.push(report.drift_after * mm);
        }
    }
    let held = cleaned.held.iter().filter(|held| held.missed.is_empty());
    let again = clean(&cleaned.clip, settings).unwrap();
    let (source, result) = (clip.poses(), cleaned.clip.poses());
    let n = clip.skeleton().n_joints();
    let root = root_of(clip);
    let mut pose = [0.0, 0.0_f64];
    let mut shift: f64 = 0.0;
    for (frame, (a, b)) in source.chunks(n).zip(result.chunks(n)).enumerate() {
        let moved = b[root].translation - a[root].translation;
        let path = cleaned.path.get(frame).copied().unwrap_or(DVec3::ZERO);
        shift = shift.max((moved - path).length() * mm);
        for (a, b) in a.iter().zip(b) {
            let off = (b.translation - a.translation - moved).length() * mm;
            pose[0] += off / (n * clip.n_frames()) as f64;
            pose[1] = pose[1].max(off);
        }
    }
    Measures {
        name: name.to_owned(),
        plants,
        residual: held.map(|held| held.residual * mm).fold(0.0, f64::max),
        before: median_and_largest(before),
        after: median_and_largest(after),
        pop: [pop(&cleaned.clip, legs), pop(clip, legs)],
        jerk: [jerk(&cleaned.clip, legs) * mm, jerk(clip, legs) * mm],
        pose,
        root: shift,
        share: cleaned.path_share,
        second: largest_turn(&cleaned.clip, &again.clip),
        cost,
    }
}

fn root_of(clip: &Clip) -> usize {
    let skeleton = clip.skeleton();
    (0..skeleton.n_joints()).find(|&joint| skeleton.kind(joint) == JointKind::Free).unwrap()
}

fn median_and_largest(mut values: Vec<f64>) -> [f64; 2] {
    values.sort_by(f64::total_cmp);
    let median = values.get(values.len() / 2).copied().unwrap_or(0.0);
    [median, values.last().copied().unwrap_or(0.0)]
}

fn knee_angles(clip: &Clip, leg: &Leg) -> Vec<f64> {
    let n = clip.skeleton().n_joints();
    let angle = |u: DVec3, v: DVec3| u.cross(v).length().atan2(u.dot(v));
    let at = |poses: &[posekit::math::Pose], joint: usize| poses[joint].translation;
    clip.poses()
        .chunks(n)
        .map(|poses| {
            let [a, b, c] = [leg.limb.start, leg.limb.mid, leg.limb.end].map(|j| at(poses, j));
            angle(b - a, c - b)
        })
        .collect()
}

fn pop(clip: &Clip, legs: &[Leg]) -> f64 {
    let rate = 1.0 / clip.frame_time();
    let of_leg = |leg: &Leg| {
        let angles = knee_angles(clip, leg);
        angles.windows(3).map(|w| (w[0] - 2.0 * w[1] + w[2]).abs() * rate * rate).fold(0.0, f64::max)
    };
    legs.iter().map(of_leg).fold(0.0, f64::max)
}

fn jerk(clip: &Clip, legs: &[Leg]) -> f64 {
    let n = clip.skeleton().n_joints();
    let poses = clip.poses();
    let rate = 1.0 / clip.frame_time();
    let (mut sum, mut count) = (0.0, 0);
    for leg in legs {
        for joint in [leg.limb.start, leg.limb.mid, leg.limb.end].into_iter().chain(leg.ball) {
            let path: Vec<DVec3> = poses.chunks(n).map(|poses| poses[joint].translation).collect();
            for w in path.windows(4) {
                sum += (w[3] - 3.0 * w[2] + 3.0 * w[1] - w[0]).length() * rate * rate * rate;
                count += 1;
            }
        }
    }
    sum / f64::from(count.max(1)) / 1000.0
}

fn largest_turn(a: &Clip, b: &Clip) -> f64 {
    let n = a.skeleton().n_joints();
    let turn = |(a, b): (&posekit::math::Pose, &posekit::math::Pose)| {
        so3_log(a.rotation * b.rotation.conjugate()).length()
    };
    assert_eq!(n, b.skeleton().n_joints());
    a.poses().iter().zip(&b.poses()).map(turn).fold(0.0, f64::max)
}

fn print(rows: &[Measures]) {
    println!(
        "{:28} {:>4} {:>3} {:>3} {:>8} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>5} {:>6} {:>6} {:>5} {:>7} {:>6}",
        "clip", "pl", "rel", "unr", "resid", "bef50", "befmax", "aft50", "aftmax", "pop", "jerk", "pose", "posemx",
        "root", "share", "second", "ns"
    );
    for m in rows {
        println!(
            "{:28} {:>4} {:>3} {:>3} {:>8.5} {:>6.1} {:>6.1} {:>6.3} {:>6.2} {:>6.2} {:>6.2} {:>5.2} {:>6.1} {:>6.1} {:>5.2} {:>7.0e} {:>6.0}",
            m.name, m.plants[0], m.plants[1], m.plants[2], m.residual, m.before[0], m.before[1], m.after[0], m.after[1],
            m.pop[0] / m.pop[1].max(1e-9), m.jerk[0] / m.jerk[1].max(1e-9), m.pose[0], m.pose[1], m.root, m.share, m.second, m.cost
        );
    }
}

#[test]
fn sound_clips_hardly_change() {
    let rows: Vec<Measures> = clips::sound()
        .iter()
        .map(|(name, clip)| measure(name, clip, &CleanSettings::default()))
        .collect();
    print(&rows);
}

#[test]
fn injected_skate_is_removed() {
    let wanted = std::env::var("INJURY").ok();
    let sound = clips::sound();
    for injury in skate::all() {
        if wanted.as_ref().is_some_and(|wanted| !injury.to_string().contains(wanted.as_str())) {
            continue;
        }
        println!("== {injury}");
        let mut rows = Vec::new();
        for (name, clip) in &sound {
            let legs = posekit::motion::find_legs(clip);
            let injured = skate::injure(clip, &legs.legs, injury);
            let settings = CleanSettings {
                in_place: injury == Injury::InPlace,
                ..CleanSettings::default()
            };
            rows.push(measure(name, &injured, &settings));
        }
        print(&rows);
    }
}
