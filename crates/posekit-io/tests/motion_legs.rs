//! Finding legs in every BVH of the shared assets.

mod common;

#[path = "support/clips.rs"]
mod clips;

use posekit::motion::{Legs, find_legs};

/// Start, mid, end and ball of every leg, by name.
fn shown(clip: &posekit::motion::Clip, legs: &Legs) -> String {
    let name = |joint: usize| clip.skeleton().name(joint);
    let one = |leg: &posekit::motion::Leg| {
        let limb = &leg.limb;
        let ball = leg.ball.map_or("-", name);
        format!("{} {} {} {ball}", name(limb.start), name(limb.mid), name(limb.end))
    };
    legs.legs.iter().map(one).collect::<Vec<_>>().join("; ")
}

#[test]
fn legs_of_every_file() {
    for (file, clip) in clips::all() {
        let legs = find_legs(&clip);
        println!("{file}: {} [{}] {:?}", shown(&clip, &legs), legs.reason, legs.candidates);
    }
}
