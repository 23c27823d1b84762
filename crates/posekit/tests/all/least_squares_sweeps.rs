//! The answer changes with the question by little: targets that move by small steps, across the edge of reach and through singular poses.
//!
//! Near the edge of reach an arm is all but straight, and its angles go like the square root of how far the target is inside: where the
//! target moves by δ, angles may move by √δ. Everywhere else they move in proportion.

use crate::support;

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, cos, rotation_about, sin};
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::{LeastSquares, Method, Settings, solve};
use posekit::task::{FramePose, Position, Task};
use support::{plane_limb, space_limb};

/// The answers to one question after another; each starts from `start`, or from the answer before.
fn sweep(
    skeleton: &Skeleton,
    start: &[f64],
    questions: impl Iterator<Item = Task>,
    follows: bool,
) -> Vec<(Vec<f64>, Task)> {
    let mut from = start.to_vec();
    let settings = if follows {
        let least_squares = LeastSquares::default().with_restarts(0);
        Settings::default().with_least_squares(least_squares)
    } else {
        Settings::default()
    };
    let answers = questions.map(|task| {
        let tasks = [task.clone()];
        let solution = solve(skeleton, &from, &tasks, Method::LeastSquares, &settings);
        let q = solution.expect("the task is valid").configuration;
        assert!(skeleton.within_limits(&q, 1e-9), "limits broken");
        if follows {
            from.clone_from(&q);
        }
        (q, task)
    });
    answers.collect()
}

/// The largest change of a degree of freedom.
fn jump(skeleton: &Skeleton, from: &[f64], to: &[f64]) -> f64 {
    let mut v = vec![0.0; skeleton.n_dofs()];
    skeleton.difference(from, to, &mut v);
    v.iter().fold(0.0, |worst, x| f64::max(worst, x.abs()))
}

/// A joint between parts `a` and `b` of a straight arm of length `R` that takes back `δ R` alone bends by `R √(2 δ / (a b))`: here up to `3.8 √δ`.
///
/// Arms of plane hinges and of balls, whose target goes straight out from half of the reach to one and a half.
///
/// By `δ` of the reach per step, angles move by at most `5 √δ`, and by at most `30 δ` where the target is farther than a tenth of the reach from the edge.
#[test]
fn across_the_edge_of_reach() {
    const STEPS: u32 = 2000;
    let step = 1.0 / f64::from(STEPS);
    let hinges = [vec![1.0, 1.0], vec![1.0, 0.7, 0.4], vec![0.5; 6]];
    let problems = hinges.iter().flat_map(|bones| {
        let balls = [0.0, 0.0, 0.1, 0.995].repeat(bones.len());
        [(plane_limb(bones), vec![0.3; bones.len()], bones), (space_limb(bones), balls, bones)]
    });
    for ((skeleton, tip), start, bones) in problems {
        let reach: f64 = bones.iter().sum();
        for direction in [DVec3::new(cos(0.6), sin(0.6), 0.0), DVec3::NEG_Y, DVec3::X] {
            let at = |k: u32| direction * (reach * (0.5 + f64::from(k) * step));
            // From one start to a target on the other side there are two ways round, and a place where they are equal.
            for follows in [false, true].into_iter().filter(|follows| *follows || direction.x > 0.5)
            {
                let questions = (0..=STEPS).map(|k| Position::new(tip, at(k)).into());
                let answers = sweep(&skeleton, &start, questions, follows);
                let name = format!("{} values, {direction}, follows {follows}", start.len());
                for (k, pair) in (1..).zip(answers.windows(2)) {
                    let part = 0.5 + f64::from(k) * step;
                    let miss = pair[1].1.miss(&skeleton, &pair[1].0).distance;
                    let beyond = (part - 1.0).max(0.0) * reach;
                    assert!(miss <= beyond + 2e-6 * reach, "{name}, {part}: {miss} off");
                    let bound =
                        if (part - 1.0).abs() > 0.1 { 30.0 * step } else { 5.0 * step.sqrt() };
                    let jump = jump(&skeleton, &pair[0].0, &pair[1].0);
                    assert!(jump <= bound, "{name}, {part}: a jump of {jump}");
                }
            }
        }
    }
}

/// A target that goes through the shoulder of a plane arm of four bones, and back out on the other side.
///
/// The arm folds up and need not turn round; only far behind, two ways round are equally long. Angles move by at most 20 times the step, in parts of a bone.
#[test]
fn through_the_shoulder() {
    const STEPS: u32 = 600;
    let (skeleton, tip) = plane_limb(&[1.0; 4]);
    let start = [0.9, -0.4, -0.8, -0.6];
    let step = 3.0 / f64::from(STEPS);
    for (follows, steps) in [(false, STEPS * 2 / 3), (true, STEPS)] {
        let at = |k: u32| DVec3::new(1.5 - f64::from(k) * step, 0.0, 0.0);
        let questions = (0..=steps).map(|k| Position::new(tip, at(k)).into());
        let answers = sweep(&skeleton, &start, questions, follows);
        for pair in answers.windows(2) {
            let (at, jump) = (&pair[1].1, jump(&skeleton, &pair[0].0, &pair[1].0));
            let miss = at.miss(&skeleton, &pair[1].0).distance;
            assert!(miss < 4e-6, "follows {follows}: {miss} off at {at:?}");
            assert!(jump <= 20.0 * step, "follows {follows}: a jump of {jump} at {at:?}");
        }
    }
}

/// A turntable, a shoulder and an elbow that bend upward, and a wrist of three hinges in a point: most industrial arms.
fn six_axes() -> (Skeleton, Frame) {
    let range = Limit::Range { min: -3.0, max: 3.0 };
    let names = ["table", "shoulder", "elbow", "roll", "bend", "spin"];
    let axes = [DVec3::Z, DVec3::Y, DVec3::Y, DVec3::X, DVec3::Y, DVec3::X];
    let bones = [0.0, 0.4, 0.5, 0.2, 0.2, 0.0];
    let joints = (0..6).map(|i| {
        let joint = Joint::revolute(names[i], axes[i]).with_limit(range);
        let along = if i == 1 { DVec3::Z } else { DVec3::X };
        let placed = joint.at(Pose::from_translation(along * bones[i]));
        if i == 0 { placed } else { placed.child_of(i - 1) }
    });
    let skeleton = Skeleton::try_new(joints.collect()).expect("the arm is valid");
    (skeleton, Frame::new(5, Pose::from_translation(DVec3::X * 0.1)))
}

/// Follows poses that the arm has on a way through its joint space; every one is met, in small steps.
fn follow(name: &str, way: impl Fn(f64) -> [f64; 6], largest: f64) {
    const STEPS: u32 = 400;
    let (skeleton, tool) = six_axes();
    let at = |k: u32| way(f64::from(k) / f64::from(STEPS));
    let questions = (0..=STEPS).map(|k| {
        let pose = tool.world(&skeleton.poses(&at(k)));
        FramePose::new(tool, pose).into()
    });
    let answers = sweep(&skeleton, &at(0), questions, true);
    for (k, pair) in (1..).zip(answers.windows(2)) {
        let miss = pair[1].1.miss(&skeleton, &pair[1].0);
        assert!(miss.distance < 2e-6 && miss.angle < 2e-6, "{name}, step {k}: {miss:?}");
        let jump = jump(&skeleton, &pair[0].0, &pair[1].0);
        assert!(jump <= largest, "{name}, step {k}: a jump of {jump}");
    }
}

/// The wrist's middle hinge goes through zero, where its first and last hinge are one line. On the way no joint moves faster than 0.005 rad a step;
/// the answer's joints move no faster than four times that.
#[test]
fn through_the_singular_wrist() {
    follow("wrist alone", |t| [0.3, -0.5, 1.0, 0.2, 1.0 - 2.0 * t, 0.4], 0.02);
    follow(
        "all but rolls",
        |t| [0.6 * t, -0.5 - 0.4 * t, 1.0 + 0.5 * t, 0.2, 1.0 - 2.0 * t, 0.4],
        0.02,
    );
}

/// The elbow goes through straight. There the reach has an end: the next pose is at the edge and may be met with the elbow bent to either side.
#[test]
fn through_the_straight_elbow() {
    // At the edge angles go like the square root: the 0.005 rad of a step may be missed by as much.
    follow("elbow", |t| [0.3, -0.8 + 0.4 * t, 1.0 - 2.0 * t, 0.2, 0.5, 0.4], 0.1);
}

/// The wrist's point goes through the turntable's axis, where the table may turn freely.
#[test]
fn through_the_shoulder_line() {
    let way = |t: f64| [0.3, -1.2 - 1.2 * t, 0.9, 0.2, 0.8, 0.4];
    let (skeleton, _) = six_axes();
    // How far the wrist is in front of the table's axis, or behind it.
    let ahead = |t: f64| {
        let poses = skeleton.poses(&way(t));
        (poses[0].inverse() * poses[4]).translation.x
    };
    assert!(ahead(0.0) > 0.1 && ahead(1.0) < -0.1, "the wrist goes over the axis");
    follow("table", way, 0.02);
}

/// A whole pose that goes away from the arm: what can be met least is missed by ever more, without a jump.
#[test]
fn a_pose_that_moves_out_of_reach() {
    const STEPS: u32 = 500;
    let (skeleton, tool) = six_axes();
    let start = [0.3, -0.5, 1.0, 0.2, 0.7, 0.4];
    let first = tool.world(&skeleton.poses(&start));
    let questions = (0..=STEPS).map(|k| {
        let part = f64::from(k) / f64::from(STEPS);
        let translation = first.translation + DVec3::new(1.2, 0.4, 0.2) * part;
        let rotation: DQuat = first.rotation * rotation_about(DVec3::Y, 0.5 * part);
        FramePose::new(tool, Pose { rotation, translation }).into()
    });
    let answers = sweep(&skeleton, &start, questions, true);
    let mut missed = 0.0;
    for (k, pair) in (1..).zip(answers.windows(2)) {
        let jump = jump(&skeleton, &pair[0].0, &pair[1].0);
        // By √(1 / 500) where the elbow straightens.
        assert!(jump <= 0.15, "step {k}: a jump of {jump}");
        let miss = pair[1].1.miss(&skeleton, &pair[1].0).distance;
        assert!(miss >= missed - 1e-6, "step {k}: the miss falls from {missed} to {miss}");
        missed = miss;
    }
    assert!(missed > 0.3, "the way does end out of reach: {missed}");
}

/// A turret that follows a target three times around turns on; its angle does not jump back by a turn.
#[test]
fn a_hinge_turns_on() {
    const STEPS: u32 = 300;
    for limit in [Limit::None, Limit::Range { min: -20.0, max: 20.0 }] {
        let turret = Joint::revolute("turret", DVec3::Z).with_limit(limit);
        let bone = Pose::from_translation(DVec3::X);
        let joints = vec![turret, Joint::revolute("barrel", DVec3::Y).child_of(0).at(bone)];
        let skeleton = Skeleton::try_new(joints).expect("the turret is valid");
        let tip = Frame::new(1, bone);
        let angle = |k: u32| 3.0 * core::f64::consts::TAU * f64::from(k) / f64::from(STEPS);
        let at = |k: u32| DVec3::new(1.8 * cos(angle(k)), 1.8 * sin(angle(k)), 0.6);
        let questions = (0..=STEPS).map(|k| Position::new(tip, at(k)).into());
        let first = [0.0, -0.6435];
        for (k, (q, task)) in (0..).zip(sweep(&skeleton, &first, questions, true)) {
            let miss = task.miss(&skeleton, &q).distance;
            assert!(miss < 4e-6, "{limit:?}, step {k}: {miss} off");
            assert!((q[0] - angle(k)).abs() < 1e-4, "{limit:?}, step {k}: {q:?}, not {}", angle(k));
        }
    }
}
