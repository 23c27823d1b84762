//! What cleaning must show on sound clips with injected faults: every measure for every clip and fault, the worst named.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[path = "support/clips.rs"]
mod clips;
mod common;
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

fn settings() -> CleanSettings {
    let number = |name: &str, or: f64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(or)
    };
    let mut settings = CleanSettings::default();
    settings.ease = number("EASE", settings.ease);
    settings.firm = number("FIRM", settings.firm);
    settings.hold.root_stiffness = number("STIFF", settings.hold.root_stiffness);
    settings.hold.root_smoothing = number("SMOOTH", settings.hold.root_smoothing);
    settings.hold.knee_softening = number("KNEE", settings.hold.knee_softening);
    settings
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
        angles
            .windows(3)
            .map(|w| (w[0] - 2.0 * w[1] + w[2]).abs() * rate * rate)
            .fold(0.0, f64::max)
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
        "clip",
        "pl",
        "rel",
        "unr",
        "resid",
        "bef50",
        "befmax",
        "aft50",
        "aftmax",
        "pop",
        "jerk",
        "pose",
        "posemx",
        "root",
        "share",
        "second",
        "ns"
    );
    for m in rows {
        println!(
            "{:28} {:>4} {:>3} {:>3} {:>8.5} {:>6.1} {:>6.1} {:>6.3} {:>6.2} {:>6.2} {:>6.2} {:>5.2} {:>6.1} {:>6.1} {:>5.2} {:>7.0e} {:>6.0}",
            m.name,
            m.plants[0],
            m.plants[1],
            m.plants[2],
            m.residual,
            m.before[0],
            m.before[1],
            m.after[0],
            m.after[1],
            m.pop[0] / m.pop[1].max(1e-9),
            m.jerk[0] / m.jerk[1].max(1e-9),
            m.pose[0],
            m.pose[1],
            m.root,
            m.share,
            m.second,
            m.cost
        );
    }
}

/// The middle and the worst of the rows.
fn summary(what: &str, rows: &[Measures]) {
    let of = |get: fn(&Measures) -> f64| {
        let values: Vec<f64> = rows.iter().filter(|m| m.plants[0] > 0).map(get).collect();
        let worst =
            rows.iter().filter(|m| m.plants[0] > 0).max_by(|a, b| get(a).total_cmp(&get(b)));
        let [median, largest] = median_and_largest(values);
        format!("{median:.3}/{largest:.2} {:.12}", worst.map_or("", |m| m.name.as_str()))
    };
    println!(
        "{what:22} resid {} | aft50 {} | aftmax {} | pop {} | jerk {} | pose {} | root {} | share {} | second {} | ns {}",
        of(|m| m.residual),
        of(|m| m.after[0]),
        of(|m| m.after[1]),
        of(|m| m.pop[0] / m.pop[1].max(1e-9)),
        of(|m| m.jerk[0] / m.jerk[1].max(1e-9)),
        of(|m| m.pose[0]),
        of(|m| m.root),
        of(|m| m.share),
        of(|m| m.second),
        of(|m| m.cost)
    );
}

#[test]
fn sound_clips_hardly_change() {
    let rows: Vec<Measures> =
        clips::sound().iter().map(|(name, clip)| measure(name, clip, &settings())).collect();
    if std::env::var_os("BRIEF").is_none() {
        print(&rows);
    }
    summary("sound", &rows);
}

#[test]
fn injected_skate_is_removed() {
    let wanted = std::env::var("INJURY").ok();
    let sound = clips::sound();
    for injury in skate::all() {
        if wanted.as_ref().is_some_and(|wanted| !injury.to_string().contains(wanted.as_str())) {
            continue;
        }
        let mut rows = Vec::new();
        for (name, clip) in &sound {
            let legs = posekit::motion::find_legs(clip);
            let injured = skate::injure(clip, &legs.legs, injury);
            let settings = CleanSettings { in_place: injury == Injury::InPlace, ..settings() };
            rows.push(measure(name, &injured, &settings));
        }
        if std::env::var_os("BRIEF").is_none() {
            print(&rows);
        }
        summary(&injury.to_string(), &rows);
    }
}

/// The clip at half its rate: every other frame.
fn halved(clip: &Clip) -> Clip {
    let n = clip.skeleton().n_values();
    let frames = clip.values().chunks(n).step_by(2).flatten().copied().collect();
    let made = Clip::try_new(clip.skeleton().clone(), 2.0 * clip.frame_time(), frames).unwrap();
    made.with_up(clip.up()).unwrap().with_start(clip.start())
}

#[test]
fn rates_agree() {
    for (name, clip) in &clips::sound() {
        let legs = posekit::motion::find_legs(clip).legs;
        let fast = skate::injure(clip, &legs, Injury::Rate(60.0));
        for (what, fast) in [
            ("as it is", fast.clone()),
            ("x1.3", skate::injure(&fast, &legs, Injury::RootScale(1.3))),
        ] {
            let slow = halved(&fast);
            let (a, b) = (clean(&fast, &settings()).unwrap(), clean(&slow, &settings()).unwrap());
            let mm = 1000.0 * LEG / legs[0].limb.length(clip.skeleton());
            let n = clip.skeleton().n_joints();
            let (mut worst, mut sum, mut count) = (0.0_f64, 0.0, 0);
            for (a, b) in a.clip.poses().chunks(n).step_by(2).zip(b.clip.poses().chunks(n)) {
                let shift = b[0].translation - a[0].translation;
                for (a, b) in a.iter().zip(b) {
                    let off = (b.translation - a.translation - shift).length() * mm;
                    worst = worst.max(off);
                    sum += off;
                    count += 1;
                }
            }
            println!(
                "{name:28} {what:8} mean {:.3} worst {worst:.2} plants {} {} share {:.2} {:.2}",
                sum / f64::from(count),
                a.plants.len(),
                b.plants.len(),
                a.path_share,
                b.path_share
            );
        }
    }
}

#[test]
fn a_mirrored_clip_is_cleaned_the_same() {
    for (name, clip) in &clips::sound() {
        let mirror = skate::mirrored(clip);
        let a = skate::mirrored(&clean(clip, &settings()).unwrap().clip);
        let b = clean(&mirror, &settings()).unwrap().clip;
        let same = a.values().iter().zip(b.values()).filter(|(a, b)| a != b).count();
        println!("{name:28} {same} of {} differ", a.values().len());
    }
}

/// Nanoseconds a frame of detection and cleaning; a table, since machines differ.
#[test]
fn cleaning_takes_about_a_microsecond_a_frame() {
    for (name, clip) in clips::sound().iter().filter(|(_, clip)| clip.n_frames() > 50) {
        let best = (0..5).map(|_| {
            let start = Instant::now();
            let cleaned = clean(clip, &CleanSettings::default()).unwrap();
            assert_eq!(cleaned.clip.n_frames(), clip.n_frames());
            start.elapsed().as_nanos() as f64 / clip.n_frames() as f64
        });
        println!("{name:28} {:6.0} ns a frame, {} joints", best.fold(f64::INFINITY, f64::min), clip.skeleton().n_joints());
    }
}

#[test]
fn zz_detail() {
    let Ok(wanted) = std::env::var("CLIP") else { return };
    for (name, clip) in clips::sound().iter().filter(|(name, _)| *name == wanted) {
        let settings = CleanSettings { path: std::env::var_os("PATHS").is_some(), ..settings() };
        let legs = posekit::motion::find_legs(clip);
        let noise = std::env::var("NOISE").ok().and_then(|t| t.parse().ok()).unwrap_or(0.0);
        let clip = &skate::injure(clip, &legs.legs, Injury::Noise(noise));
        let cleaned = clean(clip, &settings).unwrap();
        let mm = 1000.0 * LEG / cleaned.legs.legs[0].limb.length(clip.skeleton());
        println!("{name} {} fps {}", cleaned.legs.reason, 1.0 / clip.frame_time());
        let poses = clip.poses();
        let n = clip.skeleton().n_joints();
        let after = cleaned.clip.poses();
        let r = root_of(clip);
        let shift = |f: usize| {
            (after[f * n + r].translation - poses[f * n + r].translation) * mm
                - cleaned.path.get(f).copied().unwrap_or(DVec3::ZERO) * mm
        };
        let worst = (0..clip.n_frames())
            .max_by(|a, b| shift(*a).length().total_cmp(&shift(*b).length()))
            .unwrap();
        println!("root worst at {worst}");
        for f in worst.saturating_sub(20)..(worst + 20).min(clip.n_frames()) {
            print!(" [{f}] {:.0},{:.0},{:.0}", shift(f).x, shift(f).y, shift(f).z);
        }
        println!();
        for leg in &cleaned.legs.legs {
            let (a, b) = (knee_angles(clip, leg), knee_angles(&cleaned.clip, leg));
            let pop = |x: &[f64], t: usize| (x[t - 1] - 2.0 * x[t] + x[t + 1]).abs();
            let worst =
                (1..a.len() - 1).max_by(|s, t| pop(&b, *s).total_cmp(&pop(&b, *t))).unwrap();
            println!("pop worst at {worst}");
            for t in worst.saturating_sub(8)..(worst + 8).min(a.len()) {
                print!(" {:.2}/{:.2}", a[t].to_degrees(), b[t].to_degrees());
            }
            println!();
        }
        for report in &cleaned.plants {
            let leg = &cleaned.legs.legs[report.plant.leg];
            let joint = if report.plant.part == posekit::motion::Part::Heel {
                leg.limb.end
            } else {
                leg.ball.unwrap()
            };
            let f = &report.plant.frames;
            let at = |frame: usize| poses[frame * n + joint].translation;
            let mid = at((f.start + f.end) / 2);
            print!(
                "leg {} {:?} {:?} {:.2}s drift {:.1} ->{:.2} {:?} :",
                report.plant.leg,
                report.plant.part,
                f,
                f.len() as f64 * clip.frame_time(),
                report.drift_before * mm,
                report.drift_after * mm,
                report.verdict
            );
            let step = (f.len() / 12).max(1);
            for frame in f.clone().step_by(step) {
                let d = (at(frame) - mid) * mm;
                print!(" {:.0},{:.0},{:.0}", d.x, d.y, d.z);
            }
            println!();
        }
    }
}
