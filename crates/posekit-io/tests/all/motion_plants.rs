//! Finding plants in the BVH files of the shared assets, sound and injured.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]
#![allow(clippy::cast_possible_truncation, reason = "counts of frames of test clips are small")]

use crate::clips;
use crate::skate;

use posekit::glam::DVec3;
use posekit_motion::{
    CleanSettings, Clip, FloorChoice, Leg, Metrics, Part, Plant, Side, agreement, find_floor,
    find_legs, find_plants, judge, measure,
};
use skate::Injury;

/// Contacts found right, found wrongly, and missed, counted in frames.
#[derive(Debug, Clone, Copy, Default)]
struct Score {
    right: usize,
    wrong: usize,
    missed: usize,
}

impl Score {
    fn f1(&self) -> f64 {
        let all = 2 * self.right + self.wrong + self.missed;
        if all == 0 { 1.0 } else { 2.0 * self.right as f64 / all as f64 }
    }

    fn add(&mut self, other: Self) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.missed += other.missed;
    }
}

fn plants(clip: &Clip, legs: &[Leg]) -> Vec<Plant> {
    find_plants(clip, legs, &CleanSettings::default())
}

fn stands(plants: &[Plant], leg: usize, part: Part, frame: usize) -> bool {
    plants.iter().any(|p| p.leg == leg && p.part == part && p.frames.contains(&frame))
}

/// Plants of one clip against those of another of the same motion, at the frames of the first.
fn score(clip: &Clip, found: &[Plant], truth_clip: &Clip, truth: &[Plant], n_legs: usize) -> Score {
    let mut score = Score::default();
    for frame in 0..clip.n_frames() {
        let place = (clip.time(frame) - truth_clip.start()) / truth_clip.frame_time();
        let there = (place.round() as usize).min(truth_clip.n_frames() - 1);
        for leg in 0..n_legs {
            for part in [Part::Heel, Part::Ball] {
                match (stands(found, leg, part, frame), stands(truth, leg, part, there)) {
                    (true, true) => score.right += 1,
                    (true, false) => score.wrong += 1,
                    (false, true) => score.missed += 1,
                    (false, false) => {}
                }
            }
        }
    }
    score
}

#[test]
fn plants_of_injured_clips_are_those_of_sound_ones() {
    let set = clips::sound();
    let sound: Vec<(Vec<Leg>, Vec<Plant>)> = set
        .iter()
        .map(|(_, clip)| {
            let legs = find_legs(clip).legs;
            let plants = plants(clip, &legs);
            (legs, plants)
        })
        .collect();
    println!("{:24} {:>6} {:>6}  worst clip", "injury", "F1", "worst");
    let mut low = Vec::new();
    for injury in skate::all() {
        let mut total = Score::default();
        let mut each = Vec::new();
        for ((name, clip), (legs, truth)) in set.iter().zip(&sound) {
            let injured = skate::injure(clip, legs, injury);
            let found = plants(&injured, legs);
            let score = score(&injured, &found, clip, truth, legs.len());
            total.add(score);
            each.push((score.f1(), name));
        }
        each.sort_by(|a, b| a.0.total_cmp(&b.0));
        let worst: Vec<String> =
            each.iter().take(4).map(|(f1, name)| format!("{name} {f1:.3}")).collect();
        println!(
            "{:24} {:6.3} {:6.3}  {}",
            injury.to_string(),
            total.f1(),
            each.first().map_or(1.0, |e| e.0),
            worst.join(", ")
        );
        // Where only the legs are of another length, every foot slides by itself; in an in-place walk the support is known only from the feet.
        let least = match injury {
            Injury::LegsAlone(_) | Injury::InPlace => 0.88,
            _ => 0.965,
        };
        if total.f1() < least {
            low.push(injury.to_string());
        }
        // Of a run that stays in place the support is not found in a second and a half.
        let is_lost = |(f1, name): &&(f64, &String)| {
            *f1 < 0.55 && !(injury == Injury::InPlace && *name == "cmu_iclone_002_03")
        };
        let lost = each.iter().filter(is_lost);
        low.extend(lost.map(|(f1, name)| format!("{injury} of {name} {f1}")));
    }
    assert!(low.is_empty(), "below their floor: {low:?}");
}

/// Side, part, first and last second.
type Label = (Side, Part, f64, f64);

/// The plants of `testdata/plants.json`, clip by clip.
fn labels() -> Vec<(String, Vec<Label>)> {
    let text = include_str!("../../../../testdata/plants.json");
    let json: serde_json::Value = serde_json::from_str(text).unwrap();
    let word = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let plant = |plant: &serde_json::Value| {
        let side = if word(&plant["side"]) == "left" { Side::Left } else { Side::Right };
        let part = if word(&plant["part"]) == "heel" { Part::Heel } else { Part::Ball };
        (side, part, plant["from"].as_f64().unwrap(), plant["to"].as_f64().unwrap())
    };
    let clip = |clip: &serde_json::Value| {
        (word(&clip["clip"]), clip["plants"].as_array().unwrap().iter().map(plant).collect())
    };
    json["clips"].as_array().unwrap().iter().map(clip).collect()
}

#[test]
fn plants_are_those_that_were_labelled() {
    let (labels, mut total) = (labels(), Score::default());
    assert!(labels.len() >= 10);
    let mut worst = (1.0, String::new());
    for (name, clip) in clips::sound() {
        let Some((_, labels)) = labels.iter().find(|(clip, _)| *clip == name) else { continue };
        let legs = find_legs(&clip).legs;
        let of_label = |(side, part, from, to): &Label| {
            let leg = legs.iter().position(|leg| leg.side == *side).unwrap();
            // Times were rounded to a tenth of a millisecond.
            Plant { leg, part: *part, frames: clip.frames(from - 1e-3, to + 1e-3) }
        };
        let truth: Vec<Plant> = labels.iter().map(of_label).collect();
        let found = plants(&clip, &legs);
        let score = score(&clip, &found, &clip, &truth, legs.len());
        assert!((score.f1() - agreement(&found, &truth)).abs() < 1e-12);
        println!("{name:24} {:.3}", score.f1());
        total.add(score);
        if score.f1() < worst.0 {
            worst = (score.f1(), name);
        }
    }
    println!("all {:.4}, worst {} {:.3}", total.f1(), worst.1, worst.0);
    assert!(total.f1() > 0.97 && worst.0 > 0.8, "{total:?}, {worst:?}");
}

#[test]
fn a_mirrored_clip_has_the_same_plants() {
    for (name, clip) in clips::sound() {
        let legs = find_legs(&clip).legs;
        let mirror = skate::injure(&clip, &legs, Injury::Mirrored);
        let swapped: Vec<Leg> = legs.iter().rev().cloned().collect();
        let floor = find_floor(&clip, &legs, FloorChoice::Fit);
        let other = find_floor(&mirror, &swapped, FloorChoice::Fit);
        let flip = |v: DVec3| [(-v.x).to_bits(), v.y.to_bits(), v.z.to_bits()];
        let bits = |v: DVec3| [v.x.to_bits(), v.y.to_bits(), v.z.to_bits()];
        assert_eq!(bits(other.normal), flip(floor.normal), "{name}");
        assert_eq!(bits(other.point), flip(floor.point), "{name}");
        let swap = |plant: &Plant| Plant { leg: legs.len() - 1 - plant.leg, ..plant.clone() };
        let mut expected: Vec<Plant> = plants(&clip, &legs).iter().map(swap).collect();
        expected.sort_by_key(|plant| (plant.frames.start, plant.leg, plant.part));
        assert_eq!(plants(&mirror, &swapped), expected, "{name}");
    }
}

fn measured(clip: &Clip, legs: &[Leg]) -> Metrics {
    let floor = find_floor(clip, legs, FloorChoice::Fit);
    measure(clip, None, legs, &find_plants(clip, legs, &CleanSettings::default()), &floor)
}

#[test]
fn sliding_feet_are_measured() {
    println!(
        "{:24} plants  drift: median max [mm]  slide [mm/s]  MANN [mm/s]  GMD   x1.3: median max",
        "clip"
    );
    let mut medians = Vec::new();
    for (name, clip) in clips::sound() {
        let legs = find_legs(&clip).legs;
        let sound = measured(&clip, &legs);
        let skating = measured(&skate::injure(&clip, &legs, Injury::RootScale(1.3)), &legs);
        println!(
            "{name:24} {:6}  {:6.1} {:6.1}  {:6.1}  {:6.1}  {:.3}  {:6.1} {:6.1}  pop {:.0} jerk {:.0}",
            sound.drifts.len(),
            sound.drift_median * 1e3,
            sound.drift_max * 1e3,
            sound.slide_speed * 1e3,
            sound.weighted_skate * 1e3,
            sound.skating_ratio,
            skating.drift_median * 1e3,
            skating.drift_max * 1e3,
            sound.knee_pop,
            sound.jerk,
        );
        medians.push((sound.drift_median, skating.drift_median));
    }
    if medians.is_empty() {
        return;
    }
    let middle = |of: fn(&(f64, f64)) -> f64| {
        let mut all: Vec<f64> = medians.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let (sound, skating) = (middle(|m| m.0), middle(|m| m.1));
    assert!(sound < 0.02, "feet of sound clips roll a little: {sound}");
    assert!(skating > 2.0 * sound, "{skating} against {sound}");
}

#[test]
fn an_in_place_walk_gets_its_way_back() {
    let mut errors = Vec::new();
    for (name, clip) in clips::sound() {
        let legs = find_legs(&clip).legs;
        let still = skate::injure(&clip, &legs, Injury::InPlace);
        let settings = CleanSettings { in_place: true, ..CleanSettings::default() };
        let Some(way) = judge(&still, &legs, &settings, None).unwrap().way else {
            println!("{name:24} stays in place");
            continue;
        };
        let hips = |frame: usize| clip.skeleton().poses(clip.frame(frame))[0].translation;
        let gone = |frame: usize| {
            let step = hips(frame) - hips(0);
            step - clip.up() * step.dot(clip.up())
        };
        let frames = || 0..clip.n_frames();
        let off = |frame: usize| (way[frame] - way[0] - gone(frame)).length();
        let far = frames().map(|frame| gone(frame).length()).fold(0.0, f64::max);
        let worst = frames().map(off).fold(0.0, f64::max);
        println!("{name:24} off by {:.1} % of its way", 100.0 * worst / far);
        let leg = legs[0].limb.length(clip.skeleton());
        errors.extend((far > 2.0 * leg).then_some(worst / far));
    }
    errors.sort_by(f64::total_cmp);
    if let Some(middle) = errors.get(errors.len() / 2) {
        assert!(*middle < 0.15 && errors.len() > 6, "off by {middle} of the way: {errors:?}");
    }
}
