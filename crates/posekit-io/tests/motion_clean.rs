//! What cleaning must show on sound clips with injected faults: every measure for every clip and fault, the worst named. How others do on the same clips
//! is measured by `cargo xtask bench motion`.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail and speak")]

#[path = "support/clips.rs"]
mod clips;
mod common;
#[path = "support/skate.rs"]
mod skate;

use std::path::{Path, PathBuf};
use std::time::Instant;

use posekit::glam::DVec3;
use posekit::math::{Pose, atan2, so3_log};
use posekit::skeleton::JointKind;
use posekit_io::gltf::folder;
use posekit_io::motion::{MotionFile, MotionOptions};
use posekit_io::{Limits, Warnings};
use posekit_motion::{
    CleanSettings, Cleaned, Clip, FloorChoice, Keep, Leg, Plant, PlantReport, Verdict, clean,
    clean_within, find_floor, find_legs, find_plants, firm_plants, judge,
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
    share: f64,
    /// What a second run changes: largest angle.
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
            Verdict::Released { .. } | Verdict::Rolling => plants[1] += 1,
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
        share: cleaned.path_share,
        second: largest_turn(&cleaned.clip, &again.clip),
        found: found(&cleaned, settings) * 1000.0,
        cost,
    }
}

/// What `posekit check` finds in a cleaned clip: the largest drift of a plant for legs of 0.85 m \[m\], without those that were released.
fn found(cleaned: &Cleaned, settings: &CleanSettings) -> f64 {
    let (clip, legs, choice) = (&cleaned.clip, &cleaned.legs.legs, settings.floor);
    let floor = find_floor(clip, legs, choice);
    let plants = find_plants(clip, legs, &floor, choice, &settings.detect);
    let mut plants = firm_plants(clip, legs, &floor, &plants, settings);
    let released = |report: &&PlantReport| matches!(report.verdict, Verdict::Released { .. });
    let released: Vec<_> = cleaned.plants.iter().filter(released).map(|r| &r.plant).collect();
    plants.retain(|plant| {
        let meets = |other: &&Plant| {
            other.leg == plant.leg
                && other.frames.start < plant.frames.end
                && plant.frames.start < other.frames.end
        };
        !released.iter().any(meets)
    });
    posekit_motion::measure(clip, None, legs, &plants, &floor).drift_max
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

fn largest_turn(a: &Clip, b: &Clip) -> f64 {
    let n = a.skeleton().n_joints();
    let turn = |(a, b): (&Pose, &Pose)| so3_log(a.rotation * b.rotation.conjugate()).length();
    assert_eq!(n, b.skeleton().n_joints(), "the same figure");
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

/// What holds for every clip and fault.
fn check(what: &str, rows: &[Measures]) {
    for m in rows {
        let clip = format!("{what}: {}: {m:?}", m.name);
        assert!(m.residual <= 0.1, "residual of {clip}");
        assert!(m.after[0] < 1.0 && m.after[1] <= SEEN, "drift of {clip}");
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

/// By how much knees may pop more than those of the source with a fault in the clip; under the strongest noise, which hides the source's own motion, more.
const POP: [f64; 2] = [1.55, 2.1];

#[test]
fn sound_clips_hardly_change() {
    let sound = clips::sound();
    let rows: Vec<Measures> =
        sound.iter().map(|(name, clip)| measure(name, clip, &CleanSettings::default())).collect();
    print(&rows);
    summary("sound", &rows);
    check("sound", &rows);
    assert!(mean(&rows, |m| m.pose[0]) < 0.45, "the mean change of sound clips");
    for m in &rows {
        assert!(m.pose[0] < 1.7, "{m:?}");
        assert!(m.second < 1e-4, "a second run changes {m:?}");
        assert!(m.found <= SEEN, "a check finds a slide in {m:?}");
        assert!(m.pop[0] <= TENTH * m.pop[1], "knees pop by more than a tenth: {m:?}");
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
        let over = [
            ("knee pop", misses(&rows, |m| m.pop[0] / m.pop[1].max(usual_pop(&rows)), TENTH)),
            ("jerk", misses(&rows, |m| m.jerk[0] / m.jerk[1].max(1e-9), TENTH)),
        ];
        // Knees: the captured jumps of `cmu_01_01`. Jerk: clips that all but stand still.
        let is_loud = injury == Injury::Noise(5.0);
        let allowed = [1, 2];
        let worst = rows.iter().map(|m| m.pop[0] / m.pop[1].max(1e-9)).fold(0.0, f64::max);
        assert!(worst <= POP[usize::from(is_loud)], "{injury}: a knee pops by {worst}");
        for ((what, over), allowed) in over.iter().zip(allowed) {
            println!("  {what} above that of the source by a tenth: {over:?}");
            assert!(over.len() <= allowed, "{injury}: {what} of {over:?}");
        }
        let again = misses(&rows, |m| m.second, 1e-4);
        // Of a walk on the spot a check as of any walk finds that it slides.
        let is_on_the_spot = injury == Injury::InPlace;
        let found = if is_on_the_spot { Vec::new() } else { misses(&rows, |m| m.found, SEEN) };
        println!("  a second run changes {again:?}, a check finds {found:?}");
        assert!(again.is_empty() && found.len() <= 1, "{injury}: {again:?}, {found:?}");
        let ratio = |get: fn(&Measures) -> [f64; 2]| {
            let ratio = |m: &Measures| if get(m)[1] > 0.0 { get(m)[0] / get(m)[1] } else { 1.0 };
            median_and_largest(rows.iter().map(ratio).collect())[0]
        };
        if !rows.is_empty() {
            assert!(ratio(|m| m.pop) <= TENTH, "{injury}: knees pop {}", ratio(|m| m.pop));
            assert!(ratio(|m| m.jerk) <= TENTH, "{injury}: jerk {}", ratio(|m| m.jerk));
        }
    }
}

/// Every motion file of the shared assets: its name, what it holds, and where it is.
fn files() -> Vec<(String, MotionFile, PathBuf)> {
    let Some(assets) = common::assets() else { return Vec::new() };
    let entries = std::fs::read_dir(assets.join("bvh")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.extend(common::gltf_files(&assets.join("gltf")));
    let open = |path: &PathBuf| {
        let options = MotionOptions::default().lenient();
        let file = MotionFile::open(path, &options, &Limits::default(), &mut Warnings::new());
        file.ok().map(|file| {
            (path.file_stem().unwrap().to_string_lossy().into_owned(), file, path.clone())
        })
    };
    paths.iter().filter_map(open).collect()
}

/// The file as it comes back with clips of it edited.
fn written(file: &MotionFile, edited: &[(usize, &Clip)], path: &Path) -> MotionFile {
    let written = file.write_clips(edited, "again").unwrap();
    let mut others = folder(path.parent().unwrap(), Limits::default());
    let mut resolve = |name: &str| {
        let new = written.beside.iter().find(|file| file.path == name);
        new.map_or_else(|| others(name), |file| Ok(file.bytes.clone()))
    };
    let up = edited.first().map_or(DVec3::Y, |(_, clip)| clip.up());
    let options = MotionOptions::default().with_up(up);
    let (limits, warnings) = (Limits::default(), &mut Warnings::new());
    MotionFile::from_bytes(&written.file, &mut resolve, &options, &limits, warnings).unwrap()
}

#[test]
fn a_second_run_changes_nothing_in_any_file() {
    let mut count = 0;
    for (name, file, path) in files() {
        let clips =
            || (0..file.n_clips()).filter_map(|index| Some((index, file.clip(index).ok()?)));
        for (floor, in_place) in [
            (FloorChoice::Fit, false),
            (FloorChoice::Fit, true),
            (FloorChoice::Level, false),
            (FloorChoice::PerPlant, false),
        ] {
            let settings =
                CleanSettings { floor, in_place, legs: file.legs(), ..CleanSettings::default() };
            let first: Vec<(usize, Cleaned)> =
                clips().map(|(index, clip)| (index, clean(clip, &settings).unwrap())).collect();
            let edited: Vec<(usize, &Clip)> =
                first.iter().map(|(index, cleaned)| (*index, &cleaned.clip)).collect();
            let file = written(&file, &edited, &path);
            for (index, cleaned) in &first {
                let read = file.clip(*index).unwrap();
                let contacts = Some(cleaned.stands().to_vec());
                let given = CleanSettings { contacts, ..settings.clone() };
                let [turn, with_contacts] = [&settings, &given]
                    .map(|settings| largest_turn(read, &clean(read, settings).unwrap().clip));
                let what = format!("{name} {index}, {floor:?}, on the spot {in_place}");
                assert!(turn <= 1e-4, "{what}: {turn}");
                assert!(with_contacts <= 1e-4, "{what}, with its contacts: {with_contacts}");
                count += 2;
            }
        }
    }
    println!("{count} second runs");
}

#[test]
fn a_second_run_that_keeps_the_same_times_changes_nothing() {
    for (name, file, path) in files() {
        for part in [0.05, 0.25, 0.45, 0.65, 0.85] {
            let keep = |clip: &Clip| {
                let from = clip.start() + part * clip.duration();
                let keep = vec![(from, from + 0.2)];
                CleanSettings { keep, legs: file.legs(), ..CleanSettings::default() }
            };
            let clips =
                (0..file.n_clips()).filter_map(|index| Some((index, file.clip(index).ok()?)));
            let first: Vec<(usize, CleanSettings, Clip)> = clips
                .map(|(index, clip)| (index, keep(clip), clean(clip, &keep(clip)).unwrap().clip))
                .collect();
            let edited: Vec<(usize, &Clip)> = first.iter().map(|(k, _, clip)| (*k, clip)).collect();
            let file = written(&file, &edited, &path);
            for (index, settings, _) in &first {
                let read = file.clip(*index).unwrap();
                let turn = largest_turn(read, &clean(read, settings).unwrap().clip);
                assert!(turn <= 1e-4, "{name} {index}, {:?}: {turn}", settings.keep);
            }
        }
    }
}

#[test]
fn what_was_kept_is_cleaned_by_a_run_that_keeps_nothing() {
    /// No foot stands exactly so near to what is looked at \[s\].
    const FAR: f64 = 1.2;
    let settings = CleanSettings::default();
    for (name, clip) in clips::sound() {
        let middle = clip.start() + clip.duration() / 2.0;
        let keep = vec![(middle, clip.start() + clip.duration())];
        let kept = clean(&clip, &CleanSettings { keep, ..settings.clone() }).unwrap();
        let cleaned = clean(&kept.clip, &settings).unwrap();
        let is_far = |report: &&PlantReport| clip.time(report.plant.frames.start) > middle + FAR;
        let left: Vec<_> = cleaned
            .plants
            .iter()
            .filter(is_far)
            .filter(|report| matches!(report.verdict, Verdict::Slight | Verdict::Beside))
            .collect();
        assert!(left.is_empty(), "{name}: {left:#?}");
        let turn = largest_turn(&cleaned.clip, &clean(&cleaned.clip, &settings).unwrap().clip);
        assert!(turn <= 1e-4, "{name}: {turn}");
    }
}

/// How much farther a foot goes in a frame than it did, at most, in lengths of a leg.
fn largest_more(clip: &Clip, cleaned: &Cleaned) -> f64 {
    let legs = &cleaned.legs.legs;
    let (n, before, after) = (clip.skeleton().n_joints(), clip.poses(), cleaned.clip.poses());
    let step = |poses: &[Pose], frame: usize, joint: usize| {
        let at = |frame: usize| poses[frame * n + joint].translation;
        at(frame).distance(at(frame - 1))
    };
    let feet = legs.iter().flat_map(|leg| leg.ball.into_iter().chain([leg.limb.end]));
    let more = feet.flat_map(|joint| {
        let frames = 1..clip.n_frames();
        frames.map(move |frame| (frame, joint))
    });
    let more = more.map(|(frame, joint)| step(&after, frame, joint) - step(&before, frame, joint));
    more.fold(0.0, f64::max) / legs[0].limb.length(clip.skeleton())
}

#[test]
fn the_way_of_the_hips_stays_where_one_foot_slides_and_the_other_stands() {
    // Of the first the right foot slides over a step while the left one stands; of the second only the left one is firm.
    for (name, frames) in [("mocapbank", 113..341), ("cmu_iclone_005_05", 131..250)] {
        let Some((_, clip)) = clips::all().into_iter().find(|(other, _)| other == name) else {
            return;
        };
        let n = clip.skeleton().n_values();
        let values = clip.values()[frames.start * n..frames.end * n].to_vec();
        let clip = clip.with_values(values).unwrap();
        let mut legs = find_legs(&clip).legs;
        let is_foot = |leg: &Leg| {
            let name = clip.skeleton().name(leg.limb.end);
            name.contains("Ankle") || name.contains("Foot")
        };
        legs.retain(is_foot);
        let settings = CleanSettings { legs: Some(legs), ..CleanSettings::default() };
        let cleaned = clean(&clip, &settings).unwrap();
        assert!(cleaned.path.is_empty(), "{name}: the way of the hips is moved");
        let more = largest_more(&clip, &cleaned);
        assert!(more < 0.02, "{name}: a foot goes {more} farther in a frame");
    }
}

/// What is left as it is may slide by so many times more, for the hips go with what is held.
const CARRIED: f64 = 1.25;

#[test]
fn a_check_tells_the_plants_that_cleaning_does() {
    let plants = |reports: &[PlantReport]| -> Vec<(Plant, f64, bool)> {
        let of = |r: &PlantReport| (r.plant.clone(), r.drift_before, r.verdict.is_counted());
        reports.iter().map(of).collect()
    };
    for (name, file, _) in files() {
        for (index, in_place) in (0..file.n_clips()).flat_map(|k| [(k, false), (k, true)]) {
            let Ok(clip) = file.clip(index) else { continue };
            let settings =
                CleanSettings { in_place, legs: file.legs(), ..CleanSettings::default() };
            let cleaned = clean(clip, &settings).unwrap();
            let judged = judge(clip, &cleaned.legs.legs, &settings, None).unwrap();
            let [judged, reported] = [&judged.plants, &cleaned.plants].map(|all| plants(all));
            assert!(judged == reported, "{name} {index}, {in_place}: {judged:?}, {reported:?}");
            for report in cleaned.plants.iter().filter(|report| report.verdict.is_counted()) {
                let leg = cleaned.legs.legs[report.plant.leg].limb.length(clip.skeleton());
                let bound = CARRIED * report.drift_before + 1e-4 * leg;
                assert!(report.drift_after <= bound, "{name} {index}: {report:?}");
            }
        }
    }
}

/// What is counted in a cleaned clip and still slides was reported when it was cleaned, with that slide.
#[test]
fn a_check_of_what_was_cleaned_counts_nothing_that_cleaning_did_not_tell() {
    let mut count = 0;
    for (name, file, _) in files() {
        for floor in [FloorChoice::Fit, FloorChoice::Level, FloorChoice::PerPlant] {
            let settings = CleanSettings { floor, legs: file.legs(), ..CleanSettings::default() };
            for index in 0..file.n_clips() {
                let Ok(clip) = file.clip(index) else { continue };
                let cleaned = clean(clip, &settings).unwrap();
                let legs = &cleaned.legs.legs;
                for found in judge(&cleaned.clip, legs, &settings, None).unwrap().plants {
                    let leg = legs[found.plant.leg].limb.length(clip.skeleton());
                    let (slide, near) = (found.drift_before, 1e-3 * leg);
                    if !found.verdict.is_counted() || slide < 4.0 * near {
                        continue;
                    }
                    count += 1;
                    let is_same = |reported: &&PlantReport| {
                        (reported.plant.leg, reported.plant.part)
                            == (found.plant.leg, found.plant.part)
                            && reported.verdict.is_counted()
                            && reported.drift_after > slide - near
                    };
                    let reported = cleaned.plants.iter().find(is_same);
                    assert!(reported.is_some(), "{name} {index}, {floor:?}: {found:?}");
                }
            }
        }
    }
    println!("{count} plants slide on");
}

#[test]
fn contacts_given_back_clean_in_the_same_way() {
    for (name, clip) in &clips::sound() {
        let legs = find_legs(clip).legs;
        for injury in [Injury::None, Injury::RootScale(1.3), Injury::InPlace] {
            let injured = skate::injure(clip, &legs, injury);
            let in_place = injury == Injury::InPlace;
            let settings = CleanSettings { in_place, ..CleanSettings::default() };
            let found = clean(&injured, &settings).unwrap();
            let given = CleanSettings { contacts: Some(found.contacts.clone()), ..settings };
            let again = clean(&injured, &given).unwrap();
            // No contacts at all would mean that nothing is asked for.
            assert!(again.clip == found.clip || found.contacts.is_empty(), "{name}, {injury}");
            let kept = clean(&injured, &CleanSettings { path: false, ..given }).unwrap();
            let far = kept.path.iter().fold(0.0_f64, |far, shift| far.max(shift.length()));
            assert!(
                in_place || far == 0.0,
                "{name}, {injury}: the path is kept where it is asked for"
            );
        }
    }
}

/// Contacts in which feet stand already ask for nothing, whatever floor and path they were found with.
#[test]
fn contacts_that_hold_change_nothing_without_the_options_that_they_were_found_with() {
    let mut count = 0;
    for (name, file, _) in files() {
        for index in 0..file.n_clips() {
            let Ok(clip) = file.clip(index) else { continue };
            let plain = CleanSettings { legs: file.legs(), ..CleanSettings::default() };
            for floor in [FloorChoice::Level, FloorChoice::PerPlant] {
                let found = clean(clip, &CleanSettings { floor, path: false, ..plain.clone() });
                let found = found.unwrap();
                let contacts = Some(found.stands().to_vec());
                let again = clean(&found.clip, &CleanSettings { contacts, ..plain.clone() });
                let turn = largest_turn(&found.clip, &again.unwrap().clip);
                assert!(turn <= 1e-3, "{name} {index}, {floor:?}: {turn}");
                count += 1;
            }
        }
    }
    println!("{count} motions given their contacts");
}

/// The clip at a part of its rate: every so many frames.
fn thinned(clip: &Clip, every: usize) -> Clip {
    let n = clip.skeleton().n_values();
    let frames = clip.values().chunks(n).step_by(every).flatten().copied().collect();
    let time = every as f64 * clip.frame_time();
    let made = Clip::try_new(clip.skeleton().clone(), time, frames).unwrap();
    made.with_up(clip.up()).unwrap().with_start(clip.start())
}

/// How far apart the same clip may be at 30 Hz and at another rate where a joint is farthest off, in the world \[mm\]: rounding.
const APART: f64 = 0.01;

/// The same with noise of two millimetres, of which a clip of 60 Hz has other frames than one of 30 Hz \[mm\].
const APART_IN_NOISE: f64 = 1.0;

/// How far apart the joints of two clips are in the world, where they are farthest off and on average \[the clips' unit\].
///
/// - `every`: frames of the first for one of the second
fn apart(a: &Clip, b: &Clip, every: usize) -> (f64, f64) {
    let n = a.skeleton().n_joints();
    let (mut worst, mut sum, mut count) = (0.0_f64, 0.0, 0.0);
    for (a, b) in a.poses().chunks(n).step_by(every).zip(b.poses().chunks(n)) {
        for (a, b) in a.iter().zip(b) {
            let off = b.translation.distance(a.translation);
            worst = worst.max(off);
            sum += off;
            count += 1.0;
        }
    }
    (worst, sum / count)
}

/// When contacts begin and end, up to a time.
fn contact_times(cleaned: &Cleaned, end: f64) -> Vec<f64> {
    cleaned.contacts.iter().flat_map(|contact| [contact.from, contact.to.min(end)]).collect()
}

#[test]
fn rates_agree() {
    for (name, clip) in &clips::sound() {
        let legs = find_legs(clip).legs;
        let mm = 1000.0 * LEG / legs[0].limb.length(clip.skeleton());
        for (rate, every) in [(60.0, 2), (120.0, 4)] {
            let fast = skate::injure(clip, &legs, Injury::Rate(rate));
            let [skating, noisy] = [Injury::RootScale(1.3), Injury::Noise(2.0)]
                .map(|injury| skate::injure(&fast, &legs, injury));
            for (what, fast) in [("as it is", fast), ("x1.3", skating), ("noise", noisy)] {
                let slow = thinned(&fast, every);
                let [a, b] =
                    [&fast, &slow].map(|clip| clean(clip, &CleanSettings::default()).unwrap());
                let (worst, mean) = apart(&a.clip, &b.clip, every);
                let (worst, mean) = (worst * mm, mean * mm);
                println!("{name:28} {rate} Hz {what:8} worst {worst:.6} mean {mean:.6} mm");
                let bound = match (what, every) {
                    ("noise", 2) => APART_IN_NOISE,
                    ("noise", _) => 2.0 * APART_IN_NOISE,
                    _ => APART,
                };
                let what = format!("{name} {what}: 30 and {rate} Hz");
                assert!(worst < bound, "{what} differ by {worst} mm");
                let end = slow.time(slow.n_frames() - 1);
                let [a, b] = [&a, &b].map(|cleaned| contact_times(cleaned, end));
                let other = a.iter().zip(&b).find(|(a, b)| (**a - **b).abs() > 1e-6);
                assert!(a.len() == b.len() && other.is_none(), "{what}: {other:?}");
            }
        }
    }
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
            let floor = find_floor(&clip, &legs, FloorChoice::Fit);
            let found = find_plants(
                &clip,
                &legs,
                &floor,
                FloorChoice::Fit,
                &CleanSettings::default().detect,
            );
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
        // Feet that are too long or too short for their legs slide each by itself where they turn, and some do so too fast to be found.
        let allowed = if matches!(injury, Legs(_)) { all.len() / 50 } else { 0 };
        assert!(seen <= allowed, "{injury}: {seen} plants slide visibly, {worst:?}");
    }
}

#[test]
fn a_mirrored_clip_is_cleaned_the_same() {
    for (name, clip) in &clips::sound() {
        let mirror = skate::mirrored(clip);
        for (what, keep) in [("all", None), ("few", Some(few_axes(clip)))] {
            let cleaned =
                |clip| clean_within(clip, &CleanSettings::default(), keep.as_ref()).unwrap().clip;
            let (a, b) = (skate::mirrored(&cleaned(clip)), cleaned(&mirror));
            let same = a.values().iter().zip(b.values()).filter(|(a, b)| a != b).count();
            assert_eq!(same, 0, "{name}, {what} turns: of {} values differ", a.values().len());
        }
    }
}

/// Legs whose ankles turn about two axes and whose knees turn about one.
fn few_axes(clip: &Clip) -> Keep<'static> {
    let mut axes = vec![None; clip.skeleton().n_joints()];
    for leg in find_legs(clip).legs {
        axes[leg.limb.mid] = Some(vec![DVec3::X]);
        axes[leg.limb.end] = Some(vec![DVec3::Z, DVec3::X]);
    }
    Keep { axes, cut: Box::new(|_| None) }
}
