//! Parts of a noisy capture by themselves: what its feet and hips do together in a frame must not shake the hips when the feet stand.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use crate::clips;

use std::ops::Range;

use posekit_motion::{CleanSettings, Clip, Verdict, clean};

/// A measure above that of the source by more than this is too much.
const TENTH: f64 = 1.1;

fn part(clip: &Clip, frames: Range<usize>) -> Clip {
    let values = frames.flat_map(|frame| clip.frame(frame).to_vec()).collect();
    clip.with_values(values).unwrap()
}

#[test]
fn jumps_of_a_whole_figure_do_not_shake_its_hips() {
    for (name, clip) in clips::sound().iter().filter(|(name, _)| name.starts_with("cmu_01_01")) {
        for frames in [741..1205, 867..1604, 681..981, 882..1182] {
            let source = part(clip, frames.clone());
            let cleaned = clean(&source, &CleanSettings::default()).unwrap();
            let fixed =
                cleaned.plants.iter().filter(|plant| plant.verdict == Verdict::Fixed).count();
            let (before, after) = cleaned.measures(&source);
            let [before, after] = [before, after].map(|measured| measured.jerk_max);
            println!("{name} {frames:?}: {fixed} plants, jerk {before:.0} -> {after:.0}");
            assert!(fixed >= 4, "{name} {frames:?}: {fixed} plants");
            assert!(after < TENTH * before, "{name} {frames:?}: jerk {before} -> {after}");
        }
    }
}
