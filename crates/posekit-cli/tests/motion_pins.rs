//! What holds what is pinned.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

mod motion_support;

use std::path::Path;

use posekit::glam::DVec3;
use posekit_io::motion::{MotionFile, MotionOptions};
use posekit_io::{Limits, Warnings};

use motion_support::{errors, json, place, posekit, text, walk};

/// `posekit pin` for a joint of the walk; what it tells, as JSON.
fn pinned(joint: &str, to: &str, output: &Path) -> serde_json::Value {
    let mut command = posekit();
    command.arg("pin").arg(walk()).args(["--joint", joint, "--from", "1.1", "--to", to]);
    let reported = command.arg("-o").arg(output).arg("--json").output().unwrap();
    assert!(reported.status.success(), "{joint}: {reported:?}");
    json(&text(&reported))["files"][0]["clips"][0].clone()
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
        let clip = pinned(joint, "1.15", &place.join(format!("{joint}.bvh")));
        let contact = &clip["contacts"][0];
        assert_eq!(contact["by"], by, "{joint}");
        assert_eq!(contact["missed_frames"], 0, "{joint}");
    }
}

#[test]
fn what_is_held_by_the_whole_body_leaves_the_feet_where_they_are() {
    // The hand is out of the arm's reach from here on.
    for joint in ["Head", "RightHand", "Spine", "RightForeArm"] {
        let clip = pinned(joint, "1.3", &place("feet_stay").join("out.bvh"));
        assert_eq!(clip["contacts"][0]["by"], "the whole body", "{joint}");
        assert_eq!(clip["contacts"][0]["missed_frames"], 0, "{joint}");
        feet_stay(&clip);
    }
}

/// The leg bends for most of what it takes, and the other foot stands on.
#[test]
fn a_foot_is_pinned_without_the_other() {
    let out = place("one_foot").join("out.bvh");
    let in_swing = ["--from", "0.8", "--to", "1.1"];
    let on_a_step = ["--from", "1.2", "--to", "1.5", "--at", "13.67", "19", "176.94"];
    for arguments in [&in_swing[..], &on_a_step] {
        let mut command = posekit();
        command.arg("pin").arg(walk()).args(["--joint", "LeftFoot"]).args(arguments);
        let reported = command.arg("--force").arg("--json").arg("-o").arg(&out).output().unwrap();
        let clip = json(&text(&reported))["files"][0]["clips"][0].clone();
        assert_eq!(clip["contacts"][0]["missed_frames"], 0, "{clip}");
        feet_stay(&clip);
        let hips = &clip["shifts"][0];
        assert!(hips["largest"].as_f64().unwrap() < 10.0, "centimetres: {hips}");
    }
}

/// The hips have moved and the feet have hardly.
fn feet_stay(clip: &serde_json::Value) {
    let shifts = clip["shifts"].as_array().unwrap();
    let foot = shifts.iter().filter(|shift| shift["part"] != "hips");
    let largest = foot.map(|shift| shift["largest"].as_f64().unwrap()).fold(0.0, f64::max);
    let unit = clip["metres_per_unit"].as_f64().unwrap();
    assert!(largest * unit < 0.001, "a foot moved by {} m", largest * unit);
    assert!(shifts.iter().any(|shift| shift["part"] == "hips"), "{shifts:?}");
}

#[test]
fn places_that_no_skeleton_could_have_are_refused_by_their_names() {
    let place = place("places_beyond_all");
    let held = place.join("held.bvh");
    for (option, what) in [("--at", "place of a contact"), ("--offset", "offset of a contact")] {
        let mut command = posekit();
        command.arg("pin").arg(walk()).args(["--joint", "RightHand", "--from", "1", "--to", "2"]);
        let reported =
            command.args([option, "0", "1e300", "0"]).arg("-o").arg(&held).output().unwrap();
        let wanted = format!("joint \"RightHand\": {what} is 1e300, expected -1e100 to 1e100");
        assert!(errors(&reported).contains(&wanted), "{}", errors(&reported));
        assert!(reported.status.code() == Some(3) && !held.exists(), "{reported:?}");
    }
}

#[test]
fn times_mean_the_frames_that_they_are_next_to() {
    let place = place("pinned_times");
    let pin = |times: [&str; 2]| {
        let mut command = posekit();
        command.arg("pin").arg(walk()).args(["--joint", "RightHand", "--from", times[0]]);
        command
            .args(["--to", times[1], "--force", "-o"])
            .arg(place.join("out.bvh"))
            .output()
            .unwrap()
    };
    // Frames at thirds of a second, as people write these.
    for times in [["1.3333", "1.3333"], ["1.6667", "1.6667"]] {
        let reported = pin(times);
        assert!(reported.status.success(), "{times:?}: {}", errors(&reported));
    }
    let reported = pin(["1.341", "1.362"]);
    let wanted = "there is no frame from 1.341 to 1.362 s; frames are at 1.3333 and 1.3667 s";
    assert!(errors(&reported).contains(wanted), "{}", errors(&reported));
    let reported = pin(["4.45", "5"]);
    let wanted = "there is no frame from 4.45 to 5 s; the motion is from 0 to 4.4 s";
    assert!(errors(&reported).contains(wanted), "{}", errors(&reported));
}

#[test]
fn a_hand_that_is_on_another_joint_goes_with_it() {
    let out = place("on_a_joint").join("out.bvh");
    let mut command = posekit();
    command.arg("pin").arg(walk()).args(["--joint", "LeftHand", "--on", "RightArm"]);
    command.args(["--from", "0.9", "--to", "1.4", "--at", "-5", "-18", "12", "--json", "-o"]);
    let clip = json(&text(&command.arg(&out).output().unwrap()))["files"][0]["clips"][0].clone();
    assert_eq!(clip["contacts"][0]["missed_frames"], 0, "{clip}");
    assert_eq!(clip["contacts"][0]["on"], "RightArm", "{clip}");
    let (options, limits) = (MotionOptions::default(), Limits::default());
    let file = MotionFile::open(&out, &options, &limits, &mut Warnings::new()).unwrap();
    let clip = file.clip(0).unwrap();
    let [hand, arm] = ["LeftHand", "RightArm"].map(|name| clip.skeleton().find(name).unwrap());
    for frame in clip.frames(0.9, 1.4) {
        let poses = clip.skeleton().poses(clip.frame(frame));
        let seen = poses[arm].inverse().transform_point(poses[hand].translation);
        assert!(seen.distance(DVec3::new(-5.0, -18.0, 12.0)) < 1e-3, "frame {frame}: {seen}");
    }
    let none = posekit().arg("pin").arg(walk()).args(["--on", "RightArm"]).output().unwrap();
    assert!(!none.status.success(), "--on without --joint");
    let mut on_nothing = posekit();
    on_nothing.arg("pin").arg(walk()).args(["--joint", "LeftHand", "--on", "Door"]);
    let error = on_nothing.args(["--from", "1", "--to", "2", "-o", "/dev/null"]).output().unwrap();
    assert!(errors(&error).contains("no joint \"Door\""), "{}", errors(&error));
}
