//! The two-bone limb in space, hazard by hazard; the names follow the tests of ozz's two-bone job. Every answer is checked
//! by forward kinematics written apart from the library.
#![allow(
    clippy::missing_assert_message,
    reason = "the condition is the message; the failing line is printed"
)]

use crate::limb_support;

use limb_support::{END, Leg, MID, START, angle, assert_sound, place, unit};
use posekit::glam::{DMat3, DQuat, DVec3};
use posekit::limb::{Pole, Reach, SoftReach, TwoBone};
use posekit::math::rotation_about;

/// Hip at the origin, thigh up, shin forward: both of length 1.
fn right_angle(target: DVec3) -> TwoBone {
    TwoBone::new(DVec3::ZERO, DVec3::Y, DVec3::new(1.0, 1.0, 0.0), target)
}

fn leg() -> Leg {
    Leg::new(DVec3::new(0.1, -0.2, 0.0), DVec3::new(0.0, -0.25, 0.02), DVec3::new(0.01, -0.2, 0.0))
}

#[test]
fn job_validity() {
    let good = right_angle(DVec3::X);
    assert!(good.solve().is_ok());
    let poison = DVec3::new(0.0, f64::NAN, 0.0);
    let cases: [(&str, usize, TwoBone); 9] = [
        ("start", 1, TwoBone::new(poison, good.mid, good.end, DVec3::X)),
        ("mid", 1, TwoBone::new(good.start, poison, good.end, DVec3::X)),
        ("end", 1, TwoBone::new(good.start, good.mid, poison, DVec3::X)),
        ("target", 0, good.with_target(DVec3::new(f64::INFINITY, 0.0, 0.0))),
        ("pole", 1, good.with_pole(Pole::Direction(poison))),
        ("pole", 2, good.with_pole(Pole::Point(DVec3::new(0.0, 0.0, f64::NAN)))),
        ("mid_axis", 1, good.with_mid_axis(poison)),
        ("twist", 0, good.with_twist(f64::NAN)),
        ("weight", 0, good.with_weight(f64::NEG_INFINITY)),
    ];
    for (what, index, job) in cases {
        assert_eq!(
            job.solve().unwrap_err().to_string(),
            format!("{what} is not finite (element {index})")
        );
    }
    let soft = good.with_soft_reach(SoftReach::Finite { ratio: f64::NAN });
    assert_eq!(soft.solve().unwrap_err().to_string(), "soft ratio is not finite (element 0)");
}

#[test]
fn start_joint_correction() {
    // The target is where the end is, turned about the start: the mid joint has nothing to do of its own.
    for (axis, degrees) in
        [(DVec3::Z, 90.0), (DVec3::Z, -90.0), (DVec3::Y, 180.0), (DVec3::X, 37.0)]
    {
        let turn = rotation_about(axis, f64::to_radians(degrees));
        let job = right_angle(turn * DVec3::new(1.0, 1.0, 0.0));
        let solution = job.solve().unwrap();
        assert_sound(&job, &solution);
        assert_eq!(solution.reach, Reach::Reached);
        assert!(solution.error < 1e-14);
        assert!(angle(solution.start_correction.conjugate() * solution.mid_correction) < 1e-14);
    }
}

#[test]
fn already_there_changes_nothing() {
    let job = right_angle(DVec3::new(1.0, 1.0, 0.0));
    let solution = job.solve().unwrap();
    assert!(angle(solution.start_correction) < 1e-15 && angle(solution.mid_correction) < 1e-15);
    assert!(solution.error < 1e-15);
}

#[test]
fn joints_that_are_not_neighbours() {
    let leg = leg();
    let hip = leg.poses()[START].1;
    for pole in [Pole::None, Pole::Direction(DVec3::Z), Pole::Point(DVec3::new(0.3, 0.2, 3.0))] {
        for offset in [DVec3::new(0.1, -0.6, 0.3), DVec3::new(-0.4, 0.2, 0.1), DVec3::Z * 0.2] {
            let job = leg.job(hip + offset).with_pole(pole);
            let solution = job.solve().unwrap();
            assert_sound(&job, &solution);
            let after = leg.apply(&solution).poses();
            assert!((after[END].1 - job.target).length() < 1e-14);
            assert!((after[MID].1 - solution.mid).length() < 1e-14);
            let before = leg.poses();
            let expected = solution.mid_correction * before[MID].0;
            assert!(angle(expected.conjugate() * after[MID].0) < 1e-14);
        }
    }
}

#[test]
fn pole() {
    let target = DVec3::new(1.0, 0.4, 0.3);
    let t = unit(target);
    for pole in
        [DVec3::Y, -DVec3::Y, DVec3::Z, DVec3::new(-1.0, 2.0, 5.0), DVec3::new(3.0, 1.0, -2.0)]
    {
        let across = pole - t * pole.dot(t);
        for wanted in
            [Pole::Direction(pole), Pole::Direction(pole * 1e-40), Pole::Point(pole * 7.0)]
        {
            let job = right_angle(target).with_pole(wanted);
            let solution = job.solve().unwrap();
            assert_sound(&job, &solution);
            assert!(!solution.pole_degenerate && solution.error < 1e-14);
            let knee = solution.mid - t * solution.mid.dot(t);
            assert!(
                knee.cross(across).length() < 1e-14 * across.length() && knee.dot(across) > 0.0
            );
        }
    }
}

#[test]
fn no_pole_turns_the_limb_as_little_as_it_can() {
    // After the knee's own turn the rest is the shortest rotation: its axis is at right angles to both lines.
    let job = right_angle(DVec3::new(0.3, 0.2, 1.1));
    let solution = job.solve().unwrap();
    let hinge = solution.start_correction.conjugate() * solution.mid_correction;
    let bent_end = job.mid + hinge * (job.end - job.mid);
    let axis = solution.start_correction.xyz();
    assert!(axis.dot(bent_end).abs() < 1e-15 && axis.dot(job.target).abs() < 1e-15);
    // The knee is a hinge: it turned about its own bend axis alone.
    let bend_axis = job.mid.cross(job.end - job.mid);
    assert!(hinge.xyz().cross(bend_axis).length() < 1e-15);
}

#[test]
fn zero_length_bones_carry_rotation_only() {
    // The same result as with the joint removed: one rigid bone that points.
    let target = DVec3::new(0.2, -1.0, 0.5);
    for (mid, end) in [(DVec3::ZERO, DVec3::X), (DVec3::X, DVec3::X)] {
        for pole in [Pole::None, Pole::Direction(DVec3::Z)] {
            let job = TwoBone::new(DVec3::ZERO, mid, end, target).with_pole(pole);
            let solution = job.solve().unwrap();
            assert_sound(&job, &solution);
            assert!((solution.end - unit(target)).length() < 1e-15);
            let Reach::TooFar { shortfall } = solution.reach else { panic!("{solution:?}") };
            assert!((shortfall - (target.length() - 1.0)).abs() < 1e-15);
        }
    }
}

#[test]
fn zero_length_bone_chain() {
    let job = TwoBone::new(DVec3::Y, DVec3::Y, DVec3::Y, DVec3::ZERO)
        .with_pole(Pole::Direction(DVec3::X));
    let solution = job.solve().unwrap();
    assert_eq!(
        (solution.start_correction, solution.mid_correction),
        (DQuat::IDENTITY, DQuat::IDENTITY)
    );
    assert_eq!((solution.mid, solution.end), (DVec3::Y, DVec3::Y));
    assert_eq!(solution.reach, Reach::TooFar { shortfall: 1.0 });
    assert!(job.with_target(DVec3::Y).solve().unwrap().reach.is_reached());
}

#[test]
fn zero_length_start_target() {
    let job = right_angle(DVec3::ZERO);
    let solution = job.solve().unwrap();
    assert_sound(&job, &solution);
    assert_eq!(solution.reach, Reach::Reached);
    assert!(solution.end.length() < 1e-15);
    assert_eq!(solution.mid, DVec3::Y, "the first bone stays");
}

#[test]
fn one_bone_very_much_shorter() {
    for short in [1e-3, 1e-9, 1e-15, 1e-30, 1e-90, 1e-120, 1e-200] {
        for (mid, end) in [
            (DVec3::X * short, DVec3::X * short + DVec3::Y),
            (DVec3::Y, DVec3::Y + DVec3::X * short),
        ] {
            let target = DVec3::new(0.6, 0.0, -0.8) * (1.0 - 0.3 * short);
            let job =
                TwoBone::new(DVec3::ZERO, mid, end, target).with_pole(Pole::Direction(DVec3::Y));
            let solution = job.solve().unwrap();
            assert_sound(&job, &solution);
            assert!(solution.error < 2e-15, "{short}: {solution:?}");
        }
    }
}

#[test]
fn soften() {
    let reach_x = |soft: SoftReach, x: f64| {
        let job = right_angle(DVec3::X * x).with_soft_reach(soft);
        let solution = job.solve().unwrap();
        assert_sound(&job, &solution);
        (solution.end.x, solution.reach)
    };
    let finite = SoftReach::Finite { ratio: 0.1 };
    assert!((reach_x(finite, 1.5).0 - 1.5).abs() < 1e-15);
    assert_eq!(reach_x(finite, 1.5).1, Reach::Reached);
    let (x, reach) = reach_x(finite, 2.0);
    assert!((x - 1.95).abs() < 1e-15);
    assert!(matches!(reach, Reach::Softened { shortfall } if (shortfall - 0.05).abs() < 1e-14));
    let (x, reach) = reach_x(finite, 2.1);
    assert!(
        x < 2.0 && matches!(reach, Reach::TooFar { shortfall } if (shortfall - 0.1).abs() < 1e-15)
    );
    assert!((reach_x(finite, 2.2).0 - 2.0).abs() < 1e-15);
    let asymptotic = SoftReach::Asymptotic { ratio: 0.1 };
    assert!((reach_x(asymptotic, 2.0).0 - (2.0 - 0.2 * 0.4096)).abs() < 1e-14);
    assert!(reach_x(asymptotic, 50.0).0 < 2.0);
    // A zone never reaches nearer than the limb can fold.
    let unequal =
        TwoBone::new(DVec3::ZERO, DVec3::X * 3.0, DVec3::new(3.0, 1.0, 0.0), DVec3::X * 2.5)
            .with_soft_reach(SoftReach::Finite { ratio: 1.0 });
    let end = unequal.solve().unwrap().end.length();
    assert!((2.0..2.5).contains(&end), "{end}");
}

#[test]
fn twist() {
    let base = right_angle(DVec3::new(1.1, 0.0, 0.7)).with_pole(Pole::Direction(DVec3::Y));
    let straight = base.solve().unwrap();
    for twist in [0.3, -2.0, core::f64::consts::PI, 100.0] {
        for pole in [base.pole, Pole::None] {
            let untwisted = base.with_pole(pole).solve().unwrap();
            let job = base.with_twist(twist).with_pole(pole);
            let solution = job.solve().unwrap();
            assert_sound(&job, &solution);
            assert!(solution.error < 1e-14);
            let turn = rotation_about(unit(job.target), twist);
            assert!((solution.mid - turn * untwisted.mid).length() < 1e-14);
        }
    }
    let whole = base.with_twist(core::f64::consts::TAU).solve().unwrap();
    assert!((whole.mid - straight.mid).length() < 1e-14);
}

#[test]
fn weight() {
    let full = right_angle(DVec3::new(-0.4, 0.3, 0.9)).with_pole(Pole::Direction(DVec3::Z));
    let whole = full.solve().unwrap();
    for (weight, same) in [(1.0, true), (1.5, true), (0.999, false)] {
        assert_eq!(full.with_weight(weight).solve().unwrap() == whole, same);
    }
    for weight in [0.0, -3.0] {
        let none = full.with_weight(weight).solve().unwrap();
        assert_eq!(none.start_correction, DQuat::IDENTITY);
        assert_eq!(none.mid_correction, DQuat::IDENTITY);
        assert_eq!((none.mid, none.end), (full.mid, full.end));
        assert_eq!(none.reach, whole.reach);
    }
    let mut before = 0.0;
    for step in 1..=20 {
        let job = full.with_weight(f64::from(step) / 20.0);
        let solution = job.solve().unwrap();
        assert_sound(&job, &solution);
        let turned = angle(solution.start_correction);
        assert!(turned > before, "the turn grows with the weight");
        before = turned;
        // The knee stays a hinge all the way.
        let hinge = solution.start_correction.conjugate() * solution.mid_correction;
        let axis = full.mid.cross(full.end - full.mid);
        assert!(hinge.xyz().cross(axis).length() < 1e-15);
    }
}

#[test]
fn pole_target_alignment() {
    // The pole along the line to the target says nothing: the limb keeps its own plane, and says so.
    let target = DVec3::new(0.9, 0.5, -0.3);
    let own = right_angle(target).solve().unwrap();
    for pole in [target, -target, target * 1e30, DVec3::ZERO, target + DVec3::splat(1e-9)] {
        let job = right_angle(target).with_pole(Pole::Direction(pole));
        let solution = job.solve().unwrap();
        assert_sound(&job, &solution);
        assert!(solution.pole_degenerate && !solution.plane_by_rule);
        assert!((solution.mid - own.mid).length() < 1e-14);
        assert!(solution.error < 1e-14);
    }
}

#[test]
fn mid_axis() {
    // Hyper-extended by a little: without an axis it stays on that side, with one the knee comes through straight.
    let job = TwoBone::new(DVec3::ZERO, -DVec3::Y, DVec3::new(0.0, -1.999, -0.01), -DVec3::Y);
    let wrong = job.solve().unwrap();
    assert!(wrong.mid.z.abs() > 0.5);
    let axis = wrong.mid_axis;
    let same = job.with_mid_axis(axis).solve().unwrap();
    assert!((same.mid - wrong.mid).length() < 1e-14);
    let job = job.with_mid_axis(-3.0 * axis);
    let right = job.solve().unwrap();
    assert_sound(&job, &right);
    assert!(right.error < 1e-14 && right.mid.z * wrong.mid.z < 0.0);
    assert!((right.mid_axis + axis).length() < 1e-12);
}

#[test]
fn mid_axis_of_the_last_frame_keeps_the_knee_in_place() {
    // The target leaves through full reach and comes back; each frame starts from the pose of the last.
    let mut job = right_angle(DVec3::new(1.5, 0.2, 0.1));
    let mut axis = None;
    let mut first: Option<DVec3> = None;
    for x in [1.5, 1.9, 2.3, 2.6, 2.2, 1.9, 1.5] {
        job.target.x = x;
        job.mid_axis = axis;
        let solution = job.solve().unwrap();
        assert_sound(&job, &solution);
        assert!(!solution.plane_by_rule);
        let expected = *first.get_or_insert(solution.mid_axis);
        assert!(solution.mid_axis.dot(expected) > 0.99, "the knee jumped at {x}");
        (job.mid, job.end, axis) = (solution.mid, solution.end, Some(solution.mid_axis));
    }
}

#[test]
fn aligned_joints_and_target() {
    // Straight limb, target on its own line, within reach, on the joints, beyond, and behind.
    for x in [1.0, 0.3, 2.0, 3.0, 0.0, -0.7, -2.0, -5.0] {
        for direction in [DVec3::X, DVec3::Z, unit(DVec3::new(1.0, -2.0, 0.5))] {
            for pole in
                [Pole::None, Pole::Direction(DVec3::new(0.1, 0.2, 1.0)), Pole::Direction(direction)]
            {
                let job = TwoBone::new(DVec3::ZERO, direction, direction * 2.0, direction * x)
                    .with_pole(pole);
                let solution = job.solve().unwrap();
                assert_sound(&job, &solution);
                let missing = (x.abs() - 2.0).max(0.0);
                assert!((solution.error - missing).abs() < 2e-15, "{job:?} gave {solution:?}");
                let pole_helps = matches!(pole, Pole::Direction(p) if p != direction);
                let folded_to_pole = x == 0.0 && pole != Pole::None;
                assert_eq!(solution.plane_by_rule, !(pole_helps || folded_to_pole), "{job:?}");
            }
        }
    }
}

#[test]
fn straight_limb_bends_about_the_given_axis() {
    let job = TwoBone::new(DVec3::ZERO, DVec3::X, DVec3::X * 2.0, DVec3::X)
        .with_mid_axis(DVec3::new(0.4, 0.0, 2.0));
    let solution = job.solve().unwrap();
    assert_sound(&job, &solution);
    assert!(!solution.plane_by_rule && (solution.mid_axis - DVec3::Z).length() < 1e-15);
    assert!(
        solution.mid.y < 0.0,
        "a positive turn about +z folds the shin up, so the knee goes down"
    );
    // Along the bone it says nothing.
    let job = job.with_mid_axis(DVec3::X);
    assert!(job.solve().unwrap().plane_by_rule);
}

#[test]
fn straight_limb_with_a_pole_is_not_twisted() {
    let job = TwoBone::new(DVec3::ZERO, DVec3::X, DVec3::X * 2.0, DVec3::new(0.9, 0.1, 0.0))
        .with_pole(Pole::Direction(DVec3::new(0.3, 1.0, 0.8)));
    let solution = job.solve().unwrap();
    assert_sound(&job, &solution);
    assert!(solution.error < 1e-15 && !solution.plane_by_rule);
    assert!(solution.start_correction.x.abs() < 1e-15, "no turn about the bone itself");
}

/// Moves, turns, scales and mirrors whole problems; the answers must move along.
#[test]
fn under_translated_rotated_scaled_and_mirrored_inputs() {
    let pole = DVec3::new(0.2, 0.9, -0.4);
    let (start, mid) = (DVec3::new(0.1, 0.2, 0.3), DVec3::new(0.4, 0.9, 0.1));
    let (end, target) = (DVec3::new(1.3, 0.7, 0.5), DVec3::new(0.2, -0.6, 0.9));
    let base = TwoBone::new(start, mid, end, target).with_pole(Pole::Direction(pole));
    let expected = base.solve().unwrap();
    let turn = rotation_about(unit(DVec3::new(2.0, -1.0, 0.5)), 2.2);
    let maps = [
        DMat3::from_quat(turn),
        DMat3::from_diagonal(DVec3::splat(250.0)),
        DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0)),
        DMat3::from_quat(turn) * DMat3::from_diagonal(DVec3::new(0.01, 0.01, -0.01)),
        DMat3::from_diagonal(DVec3::splat(-3.0)),
    ];
    for map in maps {
        for shift in [DVec3::ZERO, DVec3::new(5.0, -3.0, 8.0)] {
            for weight in [1.0, 0.4] {
                let unmapped = base.with_weight(weight).solve().unwrap();
                let at = |p: DVec3| map * p + shift;
                let job = TwoBone::new(at(start), at(mid), at(end), at(target))
                    .with_pole(Pole::Direction(map * pole))
                    .with_weight(weight);
                let solution = job.solve().unwrap();
                assert_sound(&job, &solution);
                let size = map.x_axis.length().max(1.0);
                assert!((solution.mid - at(unmapped.mid)).length() < 1e-14 * 30.0 * size);
                assert!((solution.end - at(unmapped.end)).length() < 1e-14 * 30.0 * size);
                assert_eq!(solution.reach.is_reached(), expected.reach.is_reached());
            }
        }
    }
}

#[test]
fn behind_turns_within_the_bend_plane() {
    let job = right_angle(DVec3::new(-1.0, -1.0, 0.0));
    let solution = job.solve().unwrap();
    assert_sound(&job, &solution);
    assert!(solution.error < 1e-15);
    assert!(solution.start_correction.xyz().cross(DVec3::Z).length() < 1e-15);
    let (mid, _) = place(&job, &solution);
    assert!(mid.z.abs() < 1e-15, "the knee stays in the plane of the limb");
}

/// The shortest way to a target almost behind is nearly any way: the mid joint must point to the pole all the same.
#[test]
fn almost_behind_the_knee_still_points_to_the_pole() {
    let (mid, end) = (DVec3::new(0.6, 0.2, -0.3), DVec3::new(1.1, 0.9, 0.2));
    let (aside, pole) = (DVec3::new(0.3, -0.5, 0.7), DVec3::new(0.4, 0.8, -0.1));
    let mut off = 1.0;
    while off > 1e-18 {
        let target = aside * off - mid;
        let job = TwoBone::new(DVec3::ZERO, mid, end, target).with_pole(Pole::Direction(pole));
        let solution = job.solve().unwrap();
        assert!(solution.error < 1e-14, "{off}");
        let line = unit(target);
        let across = |v: DVec3| unit(v.reject_from_normalized(line));
        let miss = across(solution.mid).distance(across(pole));
        assert!(miss < 1e-13, "{off}: {miss}");
        off *= 0.1;
    }
}
