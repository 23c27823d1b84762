//! What cleaning must show on sound clips with injected faults: every measure for every clip and fault, the worst named. How others do on the same clips
//! is measured by `cargo xtask bench motion`.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail and speak")]

use crate::clips;
use crate::common;
use crate::skate;

use std::path::PathBuf;
use std::time::Instant;

use posekit::glam::DVec3;
use posekit::math::{Pose, atan2};
use posekit::skeleton::JointKind;
use posekit_io::motion::{MotionFile, MotionOptions, millimetres};
use posekit_io::{Limits, Warnings};
use posekit_motion::{
    CleanSettings, Cleaned, Clip, FloorChoice, Leg, Plant, PlantReport, Verdict, clean, find_legs,
    find_plants, judge,
};
use skate::{Injury, LEG};

/// What viewers see of a slide \[mm\].
const SEEN: f64 = 1000.0 * posekit_motion::VISIBLE_SLIDE;

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
    /// How far a second run moves joints on average.
    second: f64,
    /// Drift of the worst plant that a check finds in the cleaned clip, those left out that cleaning released.
    found: f64,
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
        if matches!(report.verdict, Verdict::Fixed | Verdict::Clean | Verdict::Unreachable { .. }) {
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
        second: apart(&cleaned.clip, &again.clip) * mm,
        found: found(&cleaned, settings) * 1000.0,
        cost,
    }
}

/// What `posekit check` finds in a cleaned clip: the largest drift of a plant for legs of 0.85 m \[m\], without those that were released.
fn found(cleaned: &Cleaned, settings: &CleanSettings) -> f64 {
    let (clip, legs) = (&cleaned.clip, &cleaned.legs.legs);
    let judged = judge(clip, legs, settings, None).unwrap();
    let released = cleaned.plants.iter().filter(|report| {
        matches!(report.verdict, Verdict::Released { .. } | Verdict::Unreachable { .. })
    });
    let released: Vec<&Plant> = released.map(|report| &report.plant).collect();
    let is_new = |plant: &Plant| {
        let meets = |other: &&Plant| {
            other.leg == plant.leg
                && other.frames.start < plant.frames.end
                && plant.frames.start < other.frames.end
        };
        !released.iter().any(meets)
    };
    let plants = judged.plants.into_iter().map(|report| report.plant);
    let plants: Vec<Plant> = plants.filter(is_new).collect();
    posekit_motion::measure(clip, None, legs, &plants, &judged.floor).drift_max
}

/// The mean distance between the joints of two clips \[the clips' unit\].
fn apart(a: &Clip, b: &Clip) -> f64 {
    let (a, b) = (a.poses(), b.poses());
    let off = a.iter().zip(&b).map(|(a, b)| a.translation.distance(b.translation));
    off.sum::<f64>() / a.len().max(1) as f64
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
    let angle = |u: DVec3, v: DVec3| atan2(u.cross(v).length(), u.dot(v));
    let at = |poses: &[Pose], joint: usize| poses[joint].translation;
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

fn print(rows: &[Measures]) {
    println!(
        "{:28} {:>4} {:>3} {:>3} {:>8} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>5} {:>6} {:>6} {:>7} {:>6}",
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
        "second",
        "ns"
    );
    for m in rows {
        println!(
            "{:28} {:>4} {:>3} {:>3} {:>8.5} {:>6.1} {:>6.1} {:>6.3} {:>6.2} {:>6.2} {:>6.2} {:>5.2} {:>6.1} {:>6.1} {:>7.3} {:>6.0}",
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
        "{what:22} resid {} | aft50 {} | aftmax {} | pop {} | jerk {} | pose {} | root {} | second {} | ns {}",
        of(|m| m.residual),
        of(|m| m.after[0]),
        of(|m| m.after[1]),
        of(|m| m.pop[0] / m.pop[1].max(1e-9)),
        of(|m| m.jerk[0] / m.jerk[1].max(1e-9)),
        of(|m| m.pose[0]),
        of(|m| m.root),
        of(|m| m.second),
        of(|m| m.cost)
    );
}

/// What holds for every clip and fault.
fn check(what: &str, rows: &[Measures]) {
    for m in rows {
        let clip = format!("{what}: {}: {m:?}", m.name);
        // What stands to half a millimetre once the root trajectory is right is left so.
        assert!(m.residual <= 0.55, "residual of {clip}");
        // What is out of reach may be seen.
        assert!(m.after[0] < 1.0 && (m.after[1] <= SEEN || m.plants[2] > 0), "drift of {clip}");
        assert!(m.pose[0] <= 10.0, "pose of {clip}");
    }
}

/// Clips for which something does not hold, and by how much.
fn misses(rows: &[Measures], get: impl Fn(&Measures) -> f64, bound: f64) -> Vec<String> {
    let over = rows.iter().filter(|m| get(m) > bound);
    over.map(|m| format!("{} {:.3}", m.name, get(m))).collect()
}

/// The knee pop of the median source: a ratio to next to nothing says nothing, so that no source counts for less.
fn usual_pop(rows: &[Measures]) -> f64 {
    median_and_largest(rows.iter().map(|m| m.pop[1]).collect())[0]
}

fn mean(rows: &[Measures], get: fn(&Measures) -> f64) -> f64 {
    rows.iter().map(get).sum::<f64>() / rows.len().max(1) as f64
}

/// A measure above that of the source by more than this is too much.
const TENTH: f64 = 1.1;

/// By how much knees may pop more than those of the source with a fault in the clip.
const POP: f64 = 1.8;

/// What a second run, which knows nothing of the first, moves joints by on average \[mm\].
const AGAIN: f64 = 1.0;

#[test]
fn sound_clips_hardly_change() {
    let sound = clips::sound();
    let rows: Vec<Measures> =
        sound.iter().map(|(name, clip)| measure(name, clip, &CleanSettings::default())).collect();
    print(&rows);
    summary("sound", &rows);
    check("sound", &rows);
    assert!(mean(&rows, |m| m.pose[0]) < 1.0, "the mean change of sound clips");
    assert!(mean(&rows, |m| m.second) < AGAIN, "what a second run changes");
    assert!(misses(&rows, |m| m.found, SEEN).len() <= 2, "what a check finds");
    assert!(misses(&rows, |m| m.pop[0] / m.pop[1], TENTH).len() <= 2, "knees that pop");
    for m in &rows {
        assert!(m.pose[0] < 2.5, "{m:?}");
        assert!(m.pop[0] <= POP * m.pop[1], "knees pop: {m:?}");
        assert!(m.jerk[0] <= TENTH * m.jerk[1], "jerk by more than a tenth: {m:?}");
    }
}

#[test]
fn injected_skate_is_removed() {
    let sound = clips::sound();
    for injury in skate::all() {
        let mut rows = Vec::new();
        for (name, clip) in &sound {
            let legs = find_legs(clip);
            let injured = skate::injure(clip, &legs.legs, injury);
            let settings =
                CleanSettings { in_place: injury == Injury::InPlace, ..CleanSettings::default() };
            rows.push(measure(name, &injured, &settings));
        }
        summary(&injury.to_string(), &rows);
        check(&injury.to_string(), &rows);
        let pops = misses(&rows, |m| m.pop[0] / m.pop[1].max(usual_pop(&rows)), TENTH);
        let jerks = misses(&rows, |m| m.jerk[0] / m.jerk[1].max(1e-9), TENTH);
        // Of an in-place walk a check as of any walk finds that it slides.
        let is_in_place = injury == Injury::InPlace;
        let found = if is_in_place { Vec::new() } else { misses(&rows, |m| m.found, SEEN) };
        println!("  over a tenth: knee pop {pops:?}, jerk {jerks:?}; a check finds {found:?}");
        let worst = rows.iter().map(|m| m.pop[0] / m.pop[1].max(usual_pop(&rows)));
        let worst = worst.fold(0.0, f64::max);
        assert!(worst <= POP && pops.len() <= 2, "{injury}: knees pop by {worst}, {pops:?}");
        let sums = [0, 1].map(|k| rows.iter().map(|m| m.pop[k]).sum::<f64>());
        println!("  knees pop by {:.2} times as much in all", sums[0] / sums[1]);
        assert!(sums[0] <= TENTH * sums[1], "{injury}: knees pop by {sums:?} in all");
        assert!(jerks.len() <= 3, "{injury}: {jerks:?}");
        assert!(found.len() <= 3, "{injury}: {found:?}");
        let again = mean(&rows, |m| m.second);
        println!("  a second run moves joints by {again:.2} mm on average");
        // It may correct the root trajectory a little further.
        assert!(again < 3.0 * AGAIN, "{injury}: a second run moves joints by {again} mm");
    }
}

#[test]
fn times_that_are_kept_stay_to_the_bit() {
    for (name, clip) in clips::sound() {
        let legs = find_legs(&clip).legs;
        let faulty = skate::injure(&clip, &legs, Injury::RootScale(1.3));
        let time = |part: f64| faulty.start() + part * faulty.duration();
        let keep = vec![(time(0.4), time(0.5))];
        let settings = CleanSettings { keep, ..CleanSettings::default() };
        let cleaned = clean(&faulty, &settings).unwrap();
        for frame in faulty.frames(time(0.4), time(0.5)) {
            assert_eq!(cleaned.clip.frame(frame), faulty.frame(frame), "{name}, frame {frame}");
        }
    }
}

#[test]
fn ends_that_are_kept_stay_to_the_bit_and_what_follows_goes_on_from_them() {
    let mut n_held = 0;
    for (name, clip) in clips::sound() {
        let legs = find_legs(&clip).legs;
        for injury in [Injury::None, Injury::RootScale(1.1), Injury::Noise(2.0)] {
            let faulty = skate::injure(&clip, &legs, injury);
            let settings = CleanSettings { keep_ends: true, ..CleanSettings::default() };
            let cleaned = clean(&faulty, &settings).unwrap();
            let last = faulty.n_frames() - 1;
            for frame in [0, 1, last - 1, last] {
                assert_eq!(cleaned.clip.frame(frame), faulty.frame(frame), "{name}, {frame}");
            }
            // No joint of a leg jumps away from the frames that are kept.
            let length = legs[0].limb.length(faulty.skeleton());
            let shift = |frame: usize, joint: usize| {
                let at = |clip: &Clip| clip.skeleton().poses(clip.frame(frame))[joint].translation;
                at(&cleaned.clip).distance(at(&faulty)) / length
            };
            for joint in legs.iter().flat_map(|leg| leg.limb.joints()) {
                for frame in [2, last - 2] {
                    let jump = shift(frame, joint);
                    assert!(jump < 0.04, "{name}, {injury}, frame {frame}: {jump}");
                }
            }
            let held = |report: &&PlantReport| report.verdict == Verdict::Fixed;
            for report in cleaned.plants.iter().filter(held) {
                n_held += 1;
                let drift = report.drift_after / length;
                assert!(drift < 0.01, "{name}, {injury}: {drift} of {:?}", report.plant);
            }
        }
    }
    assert!(n_held > 100 || clips::sound().is_empty(), "{n_held}");
}

#[test]
fn contacts_of_a_cleaned_clip_ask_for_nothing_in_it() {
    for (name, clip) in &clips::sound() {
        let legs = find_legs(clip).legs;
        for injury in [Injury::None, Injury::RootScale(1.3), Injury::Noise(2.0)] {
            let injured = skate::injure(clip, &legs, injury);
            let found = clean(&injured, &CleanSettings::default()).unwrap();
            let is_reached =
                |(_, held): &(_, &posekit_motion::ContactReport)| held.missed.is_empty();
            let held = found.contacts.iter().zip(&found.held).filter(is_reached);
            let contacts = Some(held.map(|(contact, _)| contact.clone()).collect());
            let given = CleanSettings { contacts, path: false, ..CleanSettings::default() };
            let again = clean(&found.clip, &given).unwrap();
            assert!(again.clip == found.clip, "{name}, {injury}: the clip is changed");
        }
    }
}

#[test]
fn every_file_is_cleaned_on_every_floor() {
    let Some(assets) = common::assets() else { return };
    let entries = std::fs::read_dir(assets.join("bvh")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.extend(common::gltf_files(&assets.join("gltf")));
    let mut count = 0;
    for path in &paths {
        let (options, limits) = (MotionOptions::default().lenient(), Limits::default());
        let opened = MotionFile::open(path, &options, &limits, &mut Warnings::new());
        let Ok(file) = opened else { continue };
        for floor in [FloorChoice::Fit, FloorChoice::Level, FloorChoice::PerPlant] {
            let settings = CleanSettings { floor, legs: file.legs(), ..CleanSettings::default() };
            for clip in (0..file.n_clips()).filter_map(|index| file.clip(index).ok()) {
                let cleaned = clean(clip, &settings).unwrap();
                assert!(cleaned.clip.values().iter().all(|value| value.is_finite()));
                let leg = millimetres(clip, &cleaned.legs.legs);
                for (report, held) in cleaned.contacts.iter().zip(&cleaned.held) {
                    let off = held.residual * leg.unwrap_or(0.0);
                    let is_told = off < 0.1 || !held.missed.is_empty();
                    assert!(is_told, "{}: {report:?} is missed by {off} mm", path.display());
                }
                count += 1;
            }
        }
    }
    println!("{count} motions cleaned");
}

/// What a part of a sound foot may roll while it stands \[mm\].
const ROLL: f64 = 8.0;

/// A shorter part of a plant is none \[s\].
const LEAST: f64 = 0.1;

/// Where a plant's joint is along the floor \[mm\].
fn way(clip: &Clip, poses: &[Pose], legs: &[Leg], plant: &Plant, mm: f64) -> Vec<DVec3> {
    let (n, joint, up) = (clip.skeleton().n_joints(), legs[plant.leg].joint(plant.part), clip.up());
    let at = |frame: usize| poses[frame * n + joint].translation * mm;
    plant.frames.clone().map(at).map(|p| p - up * p.dot(up)).collect()
}

/// The distances of places from their median.
fn off_median(way: &[DVec3]) -> Vec<f64> {
    let middle = |axis: usize| {
        let mut values: Vec<f64> = way.iter().map(|p| p[axis]).collect();
        values.sort_by(f64::total_cmp);
        values[(values.len() - 1) / 2]
    };
    let middle = DVec3::new(middle(0), middle(1), middle(2));
    way.iter().map(|p| p.distance(middle)).collect()
}

/// The part of a sound clip's plant in which it keeps its place to [`ROLL`], measured without what cleaning takes for firm.
fn standing(plant: &Plant, way: &[DVec3], rate: f64) -> Option<Plant> {
    let (mut from, mut to) = (0, way.len());
    while (to - from) as f64 > (LEAST * rate).max(1.0) {
        let off = off_median(&way[from..to]);
        if off.iter().all(|off| *off <= ROLL) {
            let frames = plant.frames.start + from..plant.frames.start + to;
            return Some(Plant { frames, ..plant.clone() });
        }
        if off[0] > off[off.len() - 1] { from += 1 } else { to -= 1 }
    }
    None
}

#[test]
fn what_stands_in_sound_clips_stands_in_cleaned_ones() {
    use Injury::{Drift, Legs, Noise, RootScale};
    let faults = [Injury::None, RootScale(0.8), RootScale(1.2), RootScale(1.5), Legs(0.8)];
    let more = [Legs(1.25), Drift(5.0), Noise(2.0), Injury::Tilt(2.0)];
    for injury in faults.into_iter().chain(more) {
        let (mut all, mut worst) = (Vec::new(), Vec::new());
        for (name, clip) in &clips::sound() {
            let legs = find_legs(clip).legs;
            let clip = skate::injure(clip, &legs, Injury::Rate(30.0));
            let lengths: f64 = legs.iter().map(|leg| leg.limb.length(clip.skeleton())).sum();
            let mm = 1000.0 * LEG / (lengths / legs.len() as f64);
            let found = find_plants(&clip, &legs, &CleanSettings::default());
            let poses = clip.poses();
            let stands =
                |plant: &Plant| standing(plant, &way(&clip, &poses, &legs, plant, mm), 30.0);
            let plants: Vec<Plant> = found.iter().filter_map(stands).collect();
            let injured = skate::injure(&clip, &legs, injury);
            let cleaned = clean(&injured, &CleanSettings::default()).unwrap();
            let poses = cleaned.clip.poses();
            for plant in &plants {
                let off = off_median(&way(&cleaned.clip, &poses, &cleaned.legs.legs, plant, mm));
                let drift = off.into_iter().fold(0.0, f64::max);
                all.push(drift);
                worst.push((
                    drift,
                    format!(
                        "{name} {:?} {:.2}-{:.2}",
                        plant.part,
                        clip.time(plant.frames.start),
                        clip.time(plant.frames.end - 1)
                    ),
                ));
            }
        }
        worst.sort_by(|a, b| b.0.total_cmp(&a.0));
        let seen = all.iter().filter(|drift| **drift > SEEN).count();
        let [median, largest] = median_and_largest(all.clone());
        println!(
            "{:16} {} plants, median {median:.2} mm, {seen} seen, worst {largest:.1}: {:?}",
            injury.to_string(),
            all.len(),
            &worst[..worst.len().min(5)]
        );
        // Where a fault makes every foot slide, some turn or shuffle too fast to be found.
        let allowed = if injury == Injury::None { 0 } else { all.len() / 40 };
        assert!(seen <= allowed, "{injury}: {seen} plants slide visibly, {worst:?}");
    }
}

#[test]
fn a_mirrored_clip_is_cleaned_the_same() {
    for (name, clip) in &clips::sound() {
        let cleaned = |clip| clean(clip, &CleanSettings::default()).unwrap().clip;
        let (a, b) = (skate::mirrored(&cleaned(clip)), cleaned(&skate::mirrored(clip)));
        let off = apart(&a, &b) * millimetres(clip, &find_legs(clip).legs).unwrap();
        println!("{name:28} {off:.3} mm apart");
        assert!(off < 1.0, "{name}: {off} mm apart");
    }
}
