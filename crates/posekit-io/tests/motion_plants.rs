//! Finding plants in the BVH files of the shared assets.

mod common;

#[path = "support/clips.rs"]
mod clips;

use posekit::motion::{DetectSettings, FloorChoice, find_floor, find_legs, find_plants};

#[test]
fn plants_of_every_file() {
    for (file, clip) in clips::all() {
        let legs = find_legs(&clip).legs;
        let floor = find_floor(&clip, &legs, FloorChoice::Fit);
        let plants =
            find_plants(&clip, &legs, &floor, FloorChoice::Fit, &DetectSettings::default());
        println!(
            "{file}: {} frames of {:.4} s, floor {:?}",
            clip.n_frames(),
            clip.frame_time(),
            floor
        );
        for plant in plants {
            println!("    {} {:?} {:?}", plant.leg, plant.part, plant.frames);
        }
    }
}
