//! Random contacts on sound clips: what of them is missed, and how much holding them shakes.

use std::time::Instant;

use anyhow::Result;
use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::Frame;
use posekit_motion::{Clip, Contact, Hold, HoldSettings, Limb, Support, find_legs, hold};

use super::measure::{largest, mean};
use crate::random::Random;
use crate::report::markdown;

/// Sets of contacts for each clip.
const SETS: u64 = 5;

/// How far from where its joint is a contact may be \[leg lengths\].
const FARTHEST: f64 = 0.2;

/// What came of all sets.
#[derive(Default)]
struct Outcome {
    sets: usize,
    frames: usize,
    missed: usize,
    /// Of every set the largest step of a joint's displacement from one frame to the next \[leg lengths\].
    jumps: Vec<f64>,
    /// Of every set the sum of squared second differences of these displacements \[leg lengths²\].
    roughness: Vec<f64>,
    seconds: f64,
}

/// The part of `MOTION.md` about these: a table with a row for each kind of set.
///
/// # Errors
/// What holding says.
pub fn section<'c>(clips: impl Iterator<Item = &'c Clip> + Clone) -> Result<String> {
    let head =
        ["contacts", "sets", "frames held", "missed", "jump, mean", "worst", "roughness", "a set"];
    let mut cells = vec![head.map(str::to_owned).to_vec()];
    for (name, of_ends, by_hand) in [
        ("on any joint", false, true),
        ("on hands and feet", true, true),
        ("the same, free feet not kept", true, false),
    ] {
        let mut total = Outcome::default();
        for (number, clip) in clips.clone().enumerate() {
            for set in 0..SETS {
                let mut random = Random::new(number as u64 * SETS + set);
                try_set(clip, (of_ends, by_hand), &mut random, &mut total)?;
            }
        }
        cells.push(vec![
            name.to_owned(),
            total.sets.to_string(),
            total.frames.to_string(),
            total.missed.to_string(),
            format!("{:.3}", mean(&total.jumps)),
            format!("{:.2}", largest(&total.jumps)),
            format!("{:.3}", mean(&total.roughness)),
            format!("{:.0} ms", total.seconds / total.sets.max(1) as f64 * 1e3),
        ]);
    }
    Ok(format!(
        "## Random contacts\n\nOne to three contacts a second on random joints of the sound clips, each for 0.1 to 0.5 s up to {FARTHEST} leg lengths from where its joint is in the middle of that. \
         **Missed** are frames in which one is off by more than a ten-thousandth of a limb or of the body, most of them where two ask for different poses; **jump** is the largest step from one frame to the next of how far a joint is displaced, \
         **roughness** the sum of its squared second differences, both in leg lengths.\n\n{}",
        markdown(&cells)
    ))
}

/// Holds a random set of contacts.
///
/// - `of_ends`: they are on hands and feet alone
/// - `by_hand`: see [`HoldSettings`]
fn try_set(
    clip: &Clip,
    (of_ends, by_hand): (bool, bool),
    random: &mut Random,
    total: &mut Outcome,
) -> Result<()> {
    let skeleton = clip.skeleton();
    let legs: Vec<Limb> = find_legs(clip).legs.iter().map(|leg| leg.limb).collect();
    let Some(first) = legs.first() else { return Ok(()) };
    let length = first.length(skeleton);
    let is_end = |joint: &usize| {
        let is_hand = skeleton.name(*joint).to_lowercase().ends_with("hand");
        !of_ends || is_hand || legs.iter().any(|leg| leg.end == *joint)
    };
    let choice: Vec<usize> = (0..skeleton.n_joints()).filter(is_end).collect();
    let n_contacts = (clip.duration() * random.between(1.0, 3.0)).ceil() as usize;
    let contact = |_| {
        let joint = choice[random.between(0.0, choice.len() as f64) as usize];
        let middle = clip.start() + random.between(0.0, clip.duration());
        let half = random.between(0.05, 0.25);
        let [first, last] = [-half, half].map(|by| middle + by);
        let frame = clip.frames(first, last).start.min(clip.n_frames() - 1);
        let here = skeleton.poses(clip.frame(frame))[joint].translation;
        let place = here + random.direction() * random.between(0.0, FARTHEST * length);
        Contact {
            frame: Frame::new(joint, Pose::IDENTITY),
            from: first,
            to: last,
            hold: Hold::Position(Some(place)),
            on: Support::World,
            ease_in: 0.25,
            ease_out: 0.25,
        }
    };
    let contacts: Vec<Contact> = (0..n_contacts).map(contact).collect();
    let settings = HoldSettings { legs, by_hand, ..HoldSettings::default() };
    let begun = Instant::now();
    let held = hold(clip, &contacts, &settings)?;
    total.seconds += begun.elapsed().as_secs_f64();
    total.sets += 1;
    total.frames += held.contacts.iter().map(|contact| contact.frames.len()).sum::<usize>();
    total.missed += held.contacts.iter().map(|contact| contact.missed.len()).sum::<usize>();
    let n = skeleton.n_joints();
    let (before, after) = (clip.poses(), held.clip.poses());
    let displaced: Vec<DVec3> = before
        .iter()
        .zip(&after)
        .map(|(before, after)| (after.translation - before.translation) / length)
        .collect();
    let steps =
        displaced.iter().zip(displaced.iter().skip(n)).map(|(now, next)| now.distance(*next));
    total.jumps.push(largest(&steps.collect::<Vec<_>>()));
    let seconds = displaced.windows(2 * n + 1);
    let seconds = seconds.map(|own| (own[0] - 2.0 * own[n] + own[2 * n]).length_squared());
    total.roughness.push(seconds.sum());
    Ok(())
}
