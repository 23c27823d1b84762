//! Motions that hold a pose before, in or after them, as exported ones often do: feet slide beside it as they do without it.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use crate::clips;

use std::ops::Range;
use std::path::Path;

use posekit_motion::{CleanSettings, Clip, PlantReport, Verdict, clean};

fn motions() -> Vec<(String, Clip)> {
    let walk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/clips/walk.bvh");
    let walk = (String::from("walk"), clips::read(&walk));
    clips::sound().into_iter().chain([walk]).collect()
}

/// The clip with a frame that comes so many times more.
fn frozen(clip: &Clip, at: usize, more: usize) -> Clip {
    let frames = (0..=at).chain(std::iter::repeat_n(at, more)).chain(at + 1..clip.n_frames());
    clip.with_values(frames.flat_map(|frame| clip.frame(frame).to_vec()).collect()).unwrap()
}

const fn stands(report: &PlantReport) -> bool {
    matches!(report.verdict, Verdict::Fixed | Verdict::Clean)
}

/// In how many of these frames a part of a foot stands.
fn n_stand(reports: &[PlantReport], of: &PlantReport, frames: &Range<usize>) -> usize {
    let same = |report: &&PlantReport| {
        stands(report) && (report.plant.leg, report.plant.part) == (of.plant.leg, of.plant.part)
    };
    let is_in = |frame: usize| {
        reports.iter().filter(same).any(|report| report.plant.frames.contains(&frame))
    };
    frames.clone().filter(|frame| is_in(*frame)).count()
}

#[test]
fn plants_beside_a_pose_that_is_held_are_held_all_the_same() {
    let settings = CleanSettings::default();
    let (mut n_all, mut lost) = (0, Vec::new());
    for (name, clip) in motions() {
        let alone = clean(&clip, &settings).unwrap();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "half a second"
        )]
        let more = (0.5 / clip.frame_time()).round() as usize;
        for at in [0, clip.n_frames() / 2, clip.n_frames() - 1] {
            let held = clean(&frozen(&clip, at, more), &settings).unwrap();
            for report in alone.plants.iter().filter(|report| stands(report)) {
                let frames = &report.plant.frames;
                let before = frames.start.min(at + 1)..frames.end.min(at + 1);
                let after = frames.start.max(at + 1) + more..frames.end.max(at + 1) + more;
                let n =
                    n_stand(&held.plants, report, &before) + n_stand(&held.plants, report, &after);
                n_all += 1;
                if 5 * n < 2 * frames.len() {
                    lost.push(format!("{name}, frame {at}: {:?}", report.plant));
                }
            }
        }
    }
    assert!(25 * lost.len() <= n_all, "{} of {n_all} plants are lost: {lost:#?}", lost.len());
}
