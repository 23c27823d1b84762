//! What the builder accepts, what it refuses, and how it says so.

use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{Joint, JointKind, Limit, Mimic, Skeleton};

fn hinge(name: &str) -> Joint {
    Joint::revolute(name, DVec3::Z)
}

fn mimic(joint: usize, multiplier: f64, offset: f64) -> Mimic {
    Mimic { joint, multiplier, offset }
}

fn range(min: f64, max: f64) -> Limit {
    Limit::Range { min, max }
}

fn cone(axis: DVec3, swing: f64, twist: [f64; 2]) -> Limit {
    Limit::Cone { axis, swing, twist }
}

/// The message of the error that these joints must give.
fn refusal(joints: Vec<Joint>) -> String {
    Skeleton::try_new(joints).expect_err("this skeleton must be refused").to_string()
}

#[test]
fn a_joint_is_placed_anew_as_if_it_had_been_built_so() {
    let arm = |length: f64| {
        let mut builder = Skeleton::builder();
        let root = builder.add(Joint::ball("root"));
        let turned = DQuat::from_rotation_x(length);
        let placement = Pose { rotation: turned, translation: DVec3::X * length };
        let _ = builder.add(hinge("elbow").child_of(root).at(placement));
        builder.build().unwrap()
    };
    let mut skeleton = arm(1.0);
    skeleton.set_parent_from_joint(1, arm(2.5).parent_from_joint(1)).unwrap();
    assert_eq!(skeleton, arm(2.5));
    let refusal = |joint, placement| {
        let error = skeleton.clone().set_parent_from_joint(joint, placement).unwrap_err();
        error.to_string()
    };
    assert!(refusal(2, Pose::IDENTITY).contains("2"), "{}", refusal(2, Pose::IDENTITY));
    for broken in [f64::NAN, f64::INFINITY, 1e101] {
        let error = refusal(1, Pose::from_translation(DVec3::Y * broken));
        assert!(error.contains("elbow"), "{error}");
    }
    let error =
        refusal(1, Pose { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0), ..Pose::IDENTITY });
    assert!(error.contains("elbow"), "{error}");
}

#[test]
fn accessors_describe_the_tree() {
    let mut builder = Skeleton::builder();
    let base = builder.add(Joint::free("base"));
    let left = builder.add(hinge("left").child_of(base));
    let tip = builder.add(Joint::fixed("tip").child_of(left));
    let right = builder.add(Joint::ball("right").child_of(base));
    let slide = builder.add(Joint::prismatic("slide", DVec3::X * 5.0).child_of(right));
    let twin = builder.add(hinge("twin").child_of(right).with_mimic(mimic(left, 2.0, 0.5)));
    let skeleton = builder.build().unwrap();

    assert_eq!(skeleton.n_joints(), 6);
    assert_eq!(skeleton.n_values(), 7 + 1 + 4 + 1 + 1);
    assert_eq!(skeleton.n_dofs(), 6 + 1 + 3 + 1);
    assert_eq!(skeleton.find("slide"), Some(slide));
    assert_eq!(skeleton.find("Slide"), None);
    assert_eq!(skeleton.name(right), "right");
    assert_eq!(skeleton.parent(base), None);
    assert_eq!(skeleton.parent(tip), Some(left));
    assert_eq!(skeleton.children(base), [left, right]);
    assert_eq!(skeleton.children(right), [slide, twin]);
    assert!(skeleton.children(tip).is_empty());
    assert_eq!(skeleton.ancestors(tip).collect::<Vec<_>>(), [tip, left, base]);
    assert_eq!(skeleton.kind(slide), JointKind::Prismatic { axis: DVec3::X });
    assert_eq!(skeleton.value_range(right), 8..12);
    assert_eq!(skeleton.value_range(tip), 8..8);
    assert_eq!(skeleton.dof_range(right), 7..10);
    assert_eq!(skeleton.dof_range(twin), skeleton.dof_range(left));
    assert_eq!(skeleton.mimic(twin), Some(mimic(left, 2.0, 0.5)));
    assert_eq!(skeleton.neutral()[13], 0.5);
}

#[test]
fn several_joints_may_stand_on_the_world() {
    let skeleton = Skeleton::try_new(vec![hinge("a"), hinge("b")]).unwrap();
    assert_eq!((skeleton.parent(0), skeleton.parent(1)), (None, None));
}

#[test]
fn names_must_be_there_and_differ() {
    assert_eq!(refusal(vec![hinge("a"), hinge("")]), "joint 1 has an empty name");
    assert_eq!(
        refusal(vec![hinge("b"), hinge("a"), hinge("b"), hinge("b")]),
        r#"joints 0 and 2 are both named "b""#
    );
}

#[test]
fn axes_must_have_a_direction() {
    assert_eq!(refusal(vec![Joint::revolute("a", DVec3::ZERO)]), r#"joint "a": axis is zero"#);
    for axis in [DVec3::NAN, DVec3::new(0.0, f64::INFINITY, 0.0)] {
        assert_eq!(
            refusal(vec![Joint::prismatic("a", axis)]),
            r#"joint "a": axis is NaN or infinite"#
        );
    }
    let limit = cone(DVec3::ZERO, 1.0, [0.0, 0.0]);
    assert_eq!(
        refusal(vec![Joint::ball("a").with_limit(limit)]),
        r#"joint "a": limit axis is zero"#
    );
    let long = Skeleton::try_new(vec![Joint::revolute("a", DVec3::Y * 1e-200)]).unwrap();
    assert_eq!(long.kind(0).axis(), Some(DVec3::Y));
}

#[test]
fn limits_must_fit_the_kind() {
    let full_cone = cone(DVec3::X, 1.0, [-1.0, 1.0]);
    let cases = [
        (hinge("j").with_limit(full_cone), "revolute", "cone"),
        (Joint::prismatic("j", DVec3::X).with_limit(full_cone), "prismatic", "cone"),
        (Joint::ball("j").with_limit(range(0.0, 1.0)), "ball", "range"),
        (Joint::fixed("j").with_limit(range(0.0, 1.0)), "fixed", "range"),
        (Joint::free("j").with_limit(full_cone), "free", "cone"),
    ];
    for (joint, kind, limit) in cases {
        let expected = format!(r#"joint "j": a {kind} joint cannot have a {limit} limit"#);
        assert_eq!(refusal(vec![joint]), expected);
    }
}

#[test]
fn cones_must_make_sense() {
    for swing in [-0.1, 3.2, f64::INFINITY] {
        let text = refusal(vec![Joint::ball("hip").with_limit(cone(DVec3::X, swing, [0.0, 0.0]))]);
        assert!(text.starts_with(r#"joint "hip": limit swing is "#), "{text}");
    }
    for (bad, message) in [
        (cone(DVec3::X, f64::NAN, [0.0, 0.0]), "limit swing is NaN"),
        (cone(DVec3::X, 1.0, [f64::NAN, 0.0]), "twist minimum is NaN"),
        (cone(DVec3::X, 1.0, [0.0, f64::NAN]), "twist maximum is NaN"),
        (
            cone(DVec3::X, 1.0, [1.0, -1.0]),
            "twist limit has its minimum 1.0 above its maximum -1.0",
        ),
    ] {
        let text = refusal(vec![Joint::ball("hip").with_limit(bad)]);
        assert!(text.starts_with(&format!(r#"joint "hip": {message}"#)), "{text}");
    }
}

#[test]
fn lengths_too_large_to_square_are_refused() {
    let far = Pose::from_translation(DVec3::X * 1e101);
    assert_eq!(
        refusal(vec![hinge("a").at(far)]),
        r#"joint "a": parent_from_joint translation is 1e101, expected -1e100 to 1e100"#
    );
    let skeleton = Skeleton::try_new(vec![hinge("a")]).unwrap();
    assert!(skeleton.check(&[1e101]).is_err_and(|error| error.is_out_of_range()));
}

#[test]
fn mimics_are_multiplied_out() {
    // c = 2 b + 1 and b = -3 a + 0.5, with the driver last.
    let joints = vec![
        hinge("c").with_mimic(mimic(1, 2.0, 1.0)),
        hinge("b").with_mimic(mimic(2, -3.0, 0.5)),
        hinge("a"),
    ];
    let skeleton = Skeleton::try_new(joints).unwrap();
    assert_eq!(skeleton.n_dofs(), 1);
    assert_eq!(skeleton.mimic(0), Some(mimic(2, -6.0, 2.0)));
    let mut q = [0.0, 0.0, 0.1];
    skeleton.settle(&mut q);
    assert!((q[0] - 1.4).abs() < 1e-15 && (q[1] - 0.2).abs() < 1e-15);
}

#[test]
fn mimics_must_make_sense() {
    let text = refusal(vec![hinge("a").with_mimic(mimic(7, 1.0, 0.0))]);
    assert_eq!(text, r#"joint "a" mimics joint 7, but there are 1 joints"#);

    let text = refusal(vec![hinge("a").with_mimic(mimic(0, 1.0, 0.0))]);
    assert_eq!(text, "mimic joints form a cycle: a -> a");

    let text = refusal(vec![
        hinge("outside").with_mimic(mimic(1, 1.0, 0.0)),
        hinge("a").with_mimic(mimic(2, 1.0, 0.0)),
        hinge("b").with_mimic(mimic(3, 1.0, 0.0)),
        hinge("c").with_mimic(mimic(1, 1.0, 0.0)),
    ]);
    assert_eq!(text, "mimic joints form a cycle: a -> b -> c -> a");

    for other in [Joint::fixed("x"), Joint::ball("x"), Joint::free("x")] {
        let kind = other.kind.name();
        let message = format!(r#"but "x" is a {kind} joint; both must be revolute or prismatic"#);
        let text = refusal(vec![hinge("a").with_mimic(mimic(1, 1.0, 0.0)), other.clone()]);
        assert_eq!(text, format!(r#"joint "a" mimics "x", {message}"#));
        let text = refusal(vec![hinge("a"), other.with_mimic(mimic(0, 1.0, 0.0))]);
        assert_eq!(text, format!(r#"joint "x" mimics "a", {message}"#));
    }

    let text = refusal(vec![hinge("a"), hinge("b").with_mimic(mimic(0, f64::NAN, 0.0))]);
    assert_eq!(text, r#"joint "b": mimic multiplier is NaN or infinite"#);
    let text = refusal(vec![
        hinge("a"),
        hinge("b").with_mimic(mimic(0, 1e60, 0.0)),
        hinge("c").with_mimic(mimic(1, 1e60, 0.0)),
    ]);
    assert!(text.starts_with(r#"joint "c": mimic multiplier is "#), "{text}");
}

#[test]
fn drivers_are_narrowed_to_what_their_followers_allow() {
    let joints = vec![
        hinge("driver").with_limit(range(-1.0, 1.0)),
        hinge("reversed").with_mimic(mimic(0, -2.0, 0.5)).with_limit(range(0.0, 2.0)),
        hinge("free").with_mimic(mimic(0, 100.0, 0.0)),
    ];
    let skeleton = Skeleton::try_new(joints.clone()).unwrap();
    assert_eq!(skeleton.limit(0), range(-0.75, 0.25));

    let mut apart = joints.clone();
    apart[1].limit = range(5.0, 6.0);
    assert_eq!(
        refusal(apart),
        r#"joint "reversed" mimics "driver", but no value of "driver" keeps both inside their limits"#
    );

    let mut still = joints.clone();
    still[1].mimic = Some(mimic(0, 0.0, 1.0));
    assert_eq!(Skeleton::try_new(still.clone()).unwrap().limit(0), range(-1.0, 1.0));
    still[1].mimic = Some(mimic(0, 0.0, 3.0));
    assert!(Skeleton::try_new(still).is_err_and(|error| error.is_out_of_range()));

    let mut unlimited = joints;
    unlimited[0].limit = Limit::None;
    assert_eq!(Skeleton::try_new(unlimited).unwrap().limit(0), range(-0.75, 0.25));
}

#[test]
fn drivers_narrowed_to_one_value_by_rounding_are_locked() {
    // 0.21 / 0.7 is above 0.3 by rounding; the two ranges meet there.
    let skeleton = Skeleton::try_new(vec![
        hinge("driver").with_limit(range(0.0, 0.3)),
        hinge("follower").with_mimic(mimic(0, 0.7, 0.0)).with_limit(range(0.21, 0.5)),
    ])
    .unwrap();
    assert_eq!(skeleton.limit(0), range(0.3, 0.3));
}

#[test]
fn frames_from_outside_are_checked() {
    let skeleton = Skeleton::try_new(vec![hinge("a")]).unwrap();
    let mut frame = skeleton.frame(0);
    assert_eq!(skeleton.check_frame(&frame), Ok(()));
    frame.joint_from_frame.rotation = DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0);
    let error = skeleton.check_frame(&frame).unwrap_err();
    assert_eq!(error.to_string(), "frame is not finite (element 3)");
    frame.joint_from_frame.rotation = DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0);
    let error = skeleton.check_frame(&frame).unwrap_err();
    assert_eq!(
        error.to_string(),
        "frame rotation is not a unit quaternion (length 2.0, expected 1 within 0.001)"
    );
    frame.joint = 1;
    let error = skeleton.check_frame(&frame).unwrap_err();
    assert_eq!(error.to_string(), "frame names joint 1, but the skeleton has 1 joints");
}

#[test]
fn l2_nan_in_joints_limits_and_configuration_names_joint_and_field() {
    let nan = f64::NAN;
    let at = |pose| hinge("knee").at(pose);
    let cases = [
        (
            at(Pose::from_translation(DVec3::new(0.0, nan, 0.0))),
            "parent_from_joint translation is NaN or infinite",
        ),
        (
            at(Pose::from_translation(DVec3::X * f64::INFINITY)),
            "parent_from_joint translation is inf, expected -1e100 to 1e100",
        ),
        (
            at(Pose::from_rotation(DQuat::from_xyzw(nan, 0.0, 0.0, 1.0))),
            "parent_from_joint rotation is NaN or infinite",
        ),
        (hinge("knee").with_limit(range(nan, 1.0)), "limit minimum is NaN or infinite"),
        (hinge("knee").with_limit(range(0.0, nan)), "limit maximum is NaN or infinite"),
        (hinge("knee").with_mimic(mimic(0, 1.0, nan)), "mimic offset is NaN or infinite"),
    ];
    for (joint, message) in cases {
        assert_eq!(refusal(vec![joint]), format!(r#"joint "knee": {message}"#));
    }

    let skeleton = Skeleton::try_new(vec![hinge("hip"), Joint::ball("knee").child_of(0)]).unwrap();
    for bad in [nan, f64::INFINITY, f64::NEG_INFINITY] {
        for slot in 0..skeleton.n_values() {
            let mut q = skeleton.neutral();
            q[slot] = bad;
            let name = if slot == 0 { "hip" } else { "knee" };
            let text = skeleton.check(&q).unwrap_err().to_string();
            assert_eq!(text, format!(r#"joint "{name}": value is NaN or infinite"#));
        }
    }
    let text = skeleton.check(&[0.0; 3]).unwrap_err().to_string();
    assert_eq!(text, "configuration has 3 elements, expected 5");
}

#[test]
fn l14_quaternions_not_unit_zero_or_negated() {
    let turned = DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8);
    let build = |rotation| {
        let joint = Joint::ball("b").at(Pose::new(rotation, DVec3::X));
        Skeleton::try_new(vec![joint, hinge("h").child_of(0).at(Pose::from_translation(DVec3::Y))])
    };
    let exact = build(turned).unwrap();

    // Rounded in a text file: normalised.
    let rounded = build(turned * 1.000_9).unwrap();
    let difference = rounded.parent_from_joint(0).rotation - turned;
    assert!(difference.length() < 1e-15, "{difference}");

    // Zero, or no rounding error: refused by name.
    for scale in [0.0, 0.5, 1.002] {
        let text = build(turned * scale).unwrap_err().to_string();
        let start = r#"joint "b": parent_from_joint rotation is not a unit quaternion"#;
        assert!(text.starts_with(start), "{text}");
    }

    // The sign changes nothing, to the bit.
    let negated = build(-turned).unwrap();
    assert_eq!(negated, exact);
    let (q, minus_q) = ([0.48, -0.6, 0.0, 0.64, 0.3], [-0.48, 0.6, 0.0, -0.64, 0.3]);
    for (a, b) in exact.poses(&q).into_iter().zip(exact.poses(&minus_q)) {
        assert_eq!(a.translation, b.translation);
        assert_eq!(a.rotation, -b.rotation);
    }

    // The same for a configuration.
    assert_eq!(exact.check(&[0.0, 0.0, 0.0, 1.0005, 0.0]), Ok(()));
    for zero_or_wrong in [[0.0; 5], [0.0, 0.0, 0.0, 0.9, 0.0]] {
        assert!(exact.check(&zero_or_wrong).is_err_and(|error| error.is_degenerate()));
    }
    let mut unsettled = [0.480_2, -0.600_1, 0.0, 0.640_3, 0.3];
    exact.settle(&mut unsettled);
    let length: f64 = unsettled[..4].iter().map(|x| x * x).sum();
    assert!((length - 1.0).abs() < 1e-15);
    let once = unsettled;
    exact.settle(&mut unsettled);
    assert_eq!(unsettled, once, "settling twice changes nothing");
}

#[test]
fn l15_minimum_above_maximum_names_the_joint() {
    let text = refusal(vec![hinge("hip"), hinge("knee").with_limit(range(1.0, -1.0))]);
    assert_eq!(text, r#"joint "knee": limit has its minimum 1.0 above its maximum -1.0"#);
    let text = refusal(vec![hinge("knee").with_limit(range(f64::INFINITY, f64::INFINITY))]);
    assert_eq!(text, r#"joint "knee": limit minimum is inf, expected -inf to 1e100"#);
}

#[test]
fn l18_ranges_beyond_a_turn_and_infinite_bounds() {
    let skeleton = Skeleton::try_new(vec![
        hinge("wrist").with_limit(range(-10.0, 10.0)),
        hinge("wheel").with_limit(range(f64::NEG_INFINITY, f64::INFINITY)),
        hinge("ratchet").with_limit(range(0.0, f64::INFINITY)),
        Joint::ball("shoulder").with_limit(cone(DVec3::X, core::f64::consts::PI, [-7.0, 7.0])),
        hinge("urdf").with_limit(range(-1e308, f64::MAX)),
    ])
    .unwrap();
    // Values are not taken modulo a turn: 9 rad is inside, 11 rad is not.
    let mut q = vec![9.0, 1e9, 1e9, 0.6, 0.0, 0.8, 0.0, 1e50];
    let before = q.clone();
    assert!(skeleton.within_limits(&q, 0.0));
    assert_eq!(skeleton.clamp(&mut q), 0);
    assert_eq!(q, before);
    q[0] = 11.0;
    q[2] = -0.5;
    assert_eq!(skeleton.clamp(&mut q), 2);
    assert_eq!((q[0], q[2]), (10.0, 0.0));
    // NaN does not mean unlimited here.
    let text = refusal(vec![hinge("a").with_limit(range(f64::NAN, f64::NAN))]);
    assert_eq!(text, r#"joint "a": limit minimum is NaN or infinite"#);
}

#[test]
fn l20_parents_out_of_order_or_in_a_ring() {
    let joints = |parents: &[Option<usize>]| -> Vec<Joint> {
        let names = ["a", "b", "c", "d"];
        let joint = |(name, parent): (&&str, &Option<usize>)| match parent {
            Some(parent) => hinge(name).child_of(*parent),
            None => hinge(name),
        };
        names.iter().zip(parents).map(joint).collect()
    };
    assert_eq!(
        refusal(joints(&[None, Some(9)])),
        r#"joint "b": parent 9 is out of range, there are 2 joints"#
    );
    assert_eq!(refusal(joints(&[None, Some(1)])), "parents form a cycle: b -> b");
    assert_eq!(
        refusal(joints(&[Some(1), None])),
        r#"joint "a" comes before its parent "b"; parents must come first"#
    );
    assert_eq!(
        refusal(joints(&[Some(3), Some(3), Some(1), Some(2)])),
        "parents form a cycle: d -> c -> b -> d"
    );

    let ring = |n: usize| -> Vec<Joint> {
        (0..n).map(|i| hinge(&format!("j{i}")).child_of((i + n - 1) % n)).collect()
    };
    let text = refusal(ring(10_000));
    assert!(text.starts_with("parents form a cycle: j0 -> j9999 -> "), "{text}");
    assert!(text.contains("(9989 more)") && text.len() < 200, "{text}");
}

#[test]
fn l21_sizes_of_skeletons() {
    assert_eq!(refusal(Vec::new()), "the skeleton has no joints");
    assert_eq!(Skeleton::builder().build().unwrap_err().to_string(), "the skeleton has no joints");

    // One joint whose frame is the end effector and the root at once.
    let single = Skeleton::try_new(vec![hinge("only")]).unwrap();
    let world = single.poses(&[0.5]);
    let mut jacobian = [f64::NAN; 6];
    single.jacobian(&world, &single.frame(0), &mut jacobian);
    assert_eq!(jacobian, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);

    // A skeleton without freedom is a skeleton.
    let rigid = Skeleton::try_new(vec![Joint::fixed("post")]).unwrap();
    assert_eq!((rigid.n_values(), rigid.n_dofs()), (0, 0));
    assert_eq!(rigid.poses(&[]), [Pose::IDENTITY]);
    rigid.jacobian(&rigid.poses(&[]), &rigid.frame(0), &mut []);

    // Deep: no recursion anywhere, mimics included.
    let n = 10_000;
    let step = Pose::from_translation(DVec3::X);
    let mut joints = vec![hinge("j0")];
    for i in 1..n {
        let joint = hinge(&format!("j{i}")).child_of(i - 1).at(step);
        joints.push(if i % 2 == 0 { joint.with_mimic(mimic(i - 2, 1.0, 0.0)) } else { joint });
    }
    let deep = Skeleton::try_new(joints).unwrap();
    assert_eq!(deep.n_dofs(), 1 + n / 2);
    assert_eq!(deep.mimic(n - 2), Some(mimic(0, 1.0, 0.0)));
    let world = deep.poses(&deep.neutral());
    assert_eq!(world[n - 1].translation, DVec3::X * 9999.0);
    let mut jacobian = vec![0.0; 6 * deep.n_dofs()];
    deep.jacobian(&world, &deep.frame(n - 1), &mut jacobian);
    assert_eq!(jacobian[1], (1..=n).rev().step_by(2).map(|k| (k - 1) as f64).sum::<f64>());
}
