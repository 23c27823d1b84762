//! Plain data through serde: what is written is read back, and what is invalid is refused.

use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{Joint, Limit, Mimic, Skeleton};
use posekit::solve::{Detail, JointOptions, Method, Settings, Solution, Status, solve};
use posekit::task::{
    AxisAlignment, Body, Capsule, CenterOfMass, Clearance, Closure, Distance, FramePose, Link,
    LookAt, Orientation, Plane, Pole, Position, Posture, RelativePose, Support, Task,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

fn round_trip<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).expect("is written");
    serde_json::from_str(&text).expect("is read")
}

fn refusal<T: DeserializeOwned + std::fmt::Debug>(text: &str) -> String {
    serde_json::from_str::<T>(text).expect_err("is refused").to_string()
}

/// Every kind of joint and limit, axes and placements that are normalised (these axes once and for all), and a mimic that narrows its driver.
fn skeleton() -> Skeleton {
    let bone = Pose::new(DQuat::from_xyzw(0.1, 0.2, 0.3, 0.927), DVec3::new(0.3, 0.1, 0.0));
    let cone = Limit::Cone { axis: DVec3::new(0.0, 3.0, 4.0), swing: 1.2, twist: [-0.3, 0.4] };
    let range = Limit::Range { min: -1.0, max: 0.7 };
    let follower = Mimic { joint: 2, multiplier: -0.3, offset: 0.1 };
    Skeleton::try_new(vec![
        Joint::free("body"),
        Joint::ball("shoulder").child_of(0).at(bone).with_limit(cone),
        Joint::revolute("elbow", DVec3::new(1.0, 2.0, 3.0)).child_of(1).at(bone),
        Joint::prismatic("slide", DVec3::Z).child_of(2).with_limit(range).with_mimic(follower),
        Joint::fixed("hand").child_of(3).at(bone),
    ])
    .expect("is valid")
}

#[test]
fn a_skeleton_comes_back() {
    let skeleton = skeleton();
    assert_eq!(round_trip(&skeleton), skeleton);
}

#[test]
fn a_skeleton_is_read_by_way_of_its_builder() {
    let joints = r#"[{ "name": "knee", "parent_from_joint": { "rotation": [0, 0, 0, 1], "translation": [0, 0, 0] },
        "kind": { "revolute": { "axis": [0, 0, 1] } }, "limit": { "range": { "min": 2.0, "max": 0.0 } } }]"#;
    let error = refusal::<Skeleton>(joints);
    assert_eq!(error, r#"joint "knee": limit has its minimum 2.0 above its maximum 0.0"#);
    let knee: Skeleton = serde_json::from_str(&joints.replace("2.0", "-2.0")).unwrap();
    assert_eq!(knee.limit(0), Limit::Range { min: -2.0, max: 0.0 });
    assert!(refusal::<Skeleton>(&joints.replace("limit", "limits")).contains("limits"));
}

#[test]
fn settings_have_their_defaults_and_refuse_what_they_do_not_know() {
    let settings: Settings =
        serde_json::from_str(r#"{ "iterations": 7, "trace": "half-steps" }"#).unwrap();
    let mut expected = Settings::default().with_iterations(7).with_trace(Detail::HalfSteps);
    assert_eq!(settings, expected);
    expected.joint(1).stiffness = 2.0;
    *expected.joint(2) = JointOptions::default().with_largest_change(0.1).with_locked(true);
    assert_eq!(round_trip(&expected), expected);
    let written = serde_json::to_value(&expected).unwrap();
    assert!(written["joints"][1]["largest_change"].is_null(), "no bound: {written}");
    assert!(refusal::<Settings>(r#"{ "joints": [{ "stifness": 2 }] }"#).contains("stifness"));
    assert!(refusal::<Settings>(r#"{ "itertions": 7 }"#).contains("itertions"));
}

#[test]
fn tasks_of_every_kind_come_back() {
    let skeleton = skeleton();
    let (hand, elbow) = (skeleton.frame(4), skeleton.frame(2));
    let pose = Pose::new(DQuat::from_xyzw(0.5, 0.5, -0.5, 0.5), DVec3::new(0.1, 0.2, 0.3));
    let point = pose.translation;
    let bodies = [Body { joint: 1, center_in_joint: point, mass: 2.0 }];
    let capsules = [Capsule::on_joint(4, [DVec3::ZERO, point], 0.1), Capsule::obstacle(point, 0.2)];
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let tasks = [
        Task::new(Position::new(hand, point)).weighing(2.0).at_level(3),
        Orientation::new(hand, pose.rotation).into(),
        FramePose::new(hand, pose).into(),
        LookAt::new(hand, DVec3::X, point).into(),
        AxisAlignment::new(hand, DVec3::X, DVec3::Z).into(),
        Pole::new(elbow, DVec3::X, hand, point).into(),
        Plane::new(hand, point, DVec3::Y).one_sided().into(),
        Distance::between([hand, elbow], 0.1, 0.2).into(),
        RelativePose::new([hand, elbow], pose).into(),
        Closure::new([hand, elbow], Link::Hinge([DVec3::X, DVec3::Y])).into(),
        CenterOfMass::new(bodies, point).along([true, true, false]).into(),
        Support::try_new(bodies, &corners, DVec3::Z, 0.05).unwrap().into(),
        Clearance::new(capsules, 0.3).into(),
        Posture::new(skeleton.neutral()).caring([1.0; 5]).into(),
    ];
    for task in tasks {
        let back = round_trip(&task);
        assert_eq!(back, task);
        back.check(&skeleton, 0).expect("still valid");
    }
}

#[test]
fn a_support_polygon_that_no_hull_has_is_refused() {
    let bodies = [Body { joint: 0, center_in_joint: DVec3::ZERO, mass: 2.0 }];
    let task: Task = Support::try_new(bodies, &[DVec3::X], DVec3::Z, 0.05).unwrap().into();
    let mut bent = serde_json::to_value(&task).unwrap();
    bent["kind"]["support"]["sides"][0]["inward"] = [0.0, 0.0, 0.0].into();
    let bent: Task = serde_json::from_value(bent).unwrap();
    assert!(bent.check(&skeleton(), 0).is_err());
}

#[test]
fn a_solution_comes_back_but_for_the_reason_of_its_choice() {
    let skeleton = skeleton();
    let task = Position::new(skeleton.frame(4), DVec3::new(0.4, 0.3, 0.2)).into();
    let settings = Settings::default().with_trace(Detail::Iterations);
    let mut solution =
        solve(&skeleton, &skeleton.neutral(), &[task], Method::LeastSquares, &settings).unwrap();
    assert!(!solution.trace.is_empty() && !solution.choice.reason.is_empty());
    let back: Solution = round_trip(&solution);
    solution.choice.reason = "";
    assert_eq!(back, solution);
}

#[test]
fn words_are_those_of_files() {
    for method in Method::ALL {
        assert_eq!(serde_json::to_value(method).unwrap(), method.name());
    }
    for status in [Status::Reached, Status::Stalled, Status::IterationLimit, Status::Cancelled] {
        assert_eq!(serde_json::to_value(&status).unwrap(), status.word());
    }
}
