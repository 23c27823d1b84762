//! What holds what is pinned.

mod motion_support;

use std::path::Path;

use motion_support::{json, place, posekit, text, walk};

/// `posekit pin` for a joint of the walk; what it tells, as JSON.
fn pinned(joint: &str, output: &Path) -> serde_json::Value {
    let mut command = posekit();
    command.arg("pin").arg(walk()).args(["--joint", joint, "--from", "1.1", "--to", "1.3"]);
    let told = command.arg("-o").arg(output).arg("--json").output().unwrap();
    assert!(told.status.success(), "{joint}: {told:?}");
    json(&text(&told))["files"][0]["clips"][0].clone()
}

#[test]
fn hands_are_held_by_arms_and_heads_and_elbows_by_the_whole_body() {
    let place = place("what_is_pinned");
    let arm = "RightArm \u{2013} RightForeArm \u{2013} RightHand";
    for (joint, by) in [
        ("RightHand", arm),
        ("RightHandEnd", arm),
        ("LeftToeEnd", "LeftUpLeg \u{2013} LeftLeg \u{2013} LeftFoot"),
        ("RightForeArm", "the whole body"),
        ("Head", "the whole body"),
        ("Spine2", "the whole body"),
    ] {
        let clip = pinned(joint, &place.join(format!("{joint}.bvh")));
        let contact = &clip["contacts"][0];
        assert_eq!(contact["by"], by, "{joint}");
        assert_eq!(contact["missed_frames"], 0, "{joint}");
    }
}

#[test]
fn a_head_that_is_pinned_leaves_the_feet_where_they_are() {
    let clip = pinned("Head", &place("head_pinned").join("out.bvh"));
    let shifts = clip["shifts"].as_array().unwrap();
    let foot = shifts.iter().filter(|shift| shift["part"] != "hips");
    let largest = foot.map(|shift| shift["largest"].as_f64().unwrap()).fold(0.0, f64::max);
    let unit = clip["metres_per_unit"].as_f64().unwrap();
    assert!(largest * unit < 0.01, "a foot moved by {} m", largest * unit);
    assert!(shifts.iter().any(|shift| shift["part"] == "hips"), "{shifts:?}");
}
