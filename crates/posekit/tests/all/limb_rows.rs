//! Bad and degenerate input, row by row: each test is named after the hazard row that it covers.
#![allow(
    clippy::missing_assert_message,
    reason = "the condition is the message; the failing line is printed"
)]

use crate::limb_support;

use core::f64::consts::PI;
use limb_support::{angle, assert_sound, unit};
use posekit::glam::{DQuat, DVec2, DVec3};
use posekit::limb::plane::{self, Angles, Choice};
use posekit::limb::{Aim, Pole, Reach, SoftReach, TwoBone};
use posekit::math::Pose;

/// A bent limb with bones of lengths `a` and `b` in the x-y plane.
fn bent(a: f64, b: f64, target: DVec3) -> TwoBone {
    let mid = DVec3::new(0.6, 0.8, 0.0) * a;
    TwoBone::new(DVec3::ZERO, mid, mid + DVec3::new(0.8, -0.6, 0.0) * b, target)
}

fn next_up(value: f64, steps: i64) -> f64 {
    f64::from_bits(value.to_bits().wrapping_add_signed(steps))
}

#[test]
fn l1_target_not_finite() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = bent(1.0, 1.0, DVec3::new(0.0, 0.0, bad)).solve();
        assert_eq!(error.unwrap_err().to_string(), "target is not finite (element 2)");
        let error = plane::solve(1.0, 1.0, DVec2::new(bad, 0.0), Choice::Positive);
        assert_eq!(error.unwrap_err().to_string(), "target is not finite (element 0)");
        let error = Aim::new(Pose::IDENTITY, DVec3::new(0.0, bad, 0.0)).solve();
        assert_eq!(error.unwrap_err().to_string(), "target is not finite (element 1)");
    }
}

#[test]
fn l3_zero_length_bone_is_as_if_removed() {
    for target in [DVec3::new(0.3, 0.4, 0.0), DVec3::new(0.0, 0.0, -2.0)] {
        for (a, b) in [(0.0, 1.5), (1.5, 0.0)] {
            let job = bent(a, b, target);
            let solution = job.solve().unwrap();
            assert_sound(&job, &solution);
            assert!((solution.end - unit(target) * 1.5).length() < 1e-15);
        }
    }
}

#[test]
fn l4_all_bones_zero_length() {
    let job = bent(0.0, 0.0, DVec3::X);
    let solution = job.solve().unwrap();
    assert_eq!(solution.start_correction, DQuat::IDENTITY);
    assert_eq!(solution.mid_correction, DQuat::IDENTITY);
    assert_eq!(solution.reach, Reach::TooFar { shortfall: 1.0 });
}

#[test]
fn l5_target_at_root_equal_bones_fold() {
    let job = bent(1.0, 1.0, DVec3::ZERO);
    let solution = job.solve().unwrap();
    assert_sound(&job, &solution);
    assert!(solution.reach.is_reached() && solution.error < 1e-15);
    assert!((solution.mid - job.mid).length() < 1e-15);
    // With a pole the folded limb points to it, wherever it lies.
    for pole in [DVec3::Z, DVec3::X, job.mid, -job.mid, DVec3::new(0.8, -0.6, 0.0)] {
        let job = job.with_pole(Pole::Direction(pole));
        let solution = job.solve().unwrap();
        assert_sound(&job, &solution);
        assert!(solution.error < 1e-15 && !solution.pole_degenerate);
        assert!((solution.mid - unit(pole)).length() < 1e-14, "{pole}: {solution:?}");
    }
}

#[test]
fn l5_target_at_root_unequal_bones_stay_on_their_side() {
    for (a, b) in [(2.0, 0.5), (0.5, 2.0)] {
        let job = bent(a, b, DVec3::ZERO);
        let solution = job.solve().unwrap();
        assert_sound(&job, &solution);
        assert_eq!(solution.reach, Reach::TooNear { shortfall: 1.5 });
        assert!((solution.end - unit(job.end) * 1.5).length() < 1e-15);
    }
}

#[test]
fn l6_target_at_mid_joint_or_at_end() {
    for (a, b) in [(1.0, 1.0), (0.7, 1.2), (1.2, 0.7)] {
        let job = bent(a, b, DVec3::ZERO);
        let at_mid = job.with_target(job.mid);
        let solution = at_mid.solve().unwrap();
        assert_sound(&at_mid, &solution);
        assert!(solution.reach.is_reached() && solution.error < 1e-15);
        let at_end = job.with_target(job.end);
        let solution = at_end.solve().unwrap();
        assert!(angle(solution.start_correction) < 1e-15);
        assert!(angle(solution.mid_correction) < 1e-15);
    }
}

#[test]
fn l7_target_too_far_is_straight_and_steady() {
    let far = DVec3::new(30.0, -10.0, 20.0);
    let job = bent(1.0, 0.5, far);
    let solution = job.solve().unwrap();
    assert_sound(&job, &solution);
    assert_eq!(solution.reach, Reach::TooFar { shortfall: far.length() - 1.5 });
    assert!((solution.end - unit(far) * 1.5).length() < 1e-15);
    assert!((solution.mid - unit(far)).length() < 1e-15);
    // A target that moves a little moves the limb a little, however far it is.
    for step in 1..100 {
        let nudge = DVec3::new(0.0, 1e-9, -1e-9) * f64::from(step);
        let moved = job.with_target(far + nudge).solve().unwrap();
        assert!((moved.mid - solution.mid).length() < 1e-8);
        assert!(angle(moved.start_correction.conjugate() * solution.start_correction) < 1e-8);
    }
}

#[test]
fn l8_target_too_near_for_unequal_bones() {
    for (a, b) in [(2.0_f64, 0.5), (0.5, 2.0), (1.0, 1e-9)] {
        for distance in [1e-50, 1e-20, 1e-9, 0.1, 0.9] {
            let direction = DVec3::new(0.0, 0.6, 0.8);
            let job = bent(a, b, direction * distance);
            let solution = job.solve().unwrap();
            assert_sound(&job, &solution);
            let inner = (a - b).abs();
            let Reach::TooNear { shortfall } = solution.reach else { panic!("{solution:?}") };
            assert!((shortfall - (inner - distance)).abs() < 1e-15);
            assert!((solution.end - direction * inner).length() < 1e-14);
        }
    }
}

#[test]
fn l9_across_full_reach_and_the_fold() {
    let direction = DVec3::new(0.48, 0.6, 0.64);
    for (a, b) in [(1.0_f64, 1.0), (0.9, 0.3), (0.3, 0.9)] {
        for edge in [a + b, (a - b).abs()] {
            let mut last: Option<DVec3> = None;
            for steps in -40..=40 {
                if edge == 0.0 && steps < 1 {
                    continue;
                }
                let distance = next_up(edge, steps);
                let job = bent(a, b, direction * distance);
                let solution = job.solve().unwrap();
                assert_sound(&job, &solution);
                assert!(solution.reach.is_reached(), "{job:?} gave {solution:?}");
                assert!(solution.error < 2e-14, "{job:?} gave {solution:?}");
                // The bend goes with the square root of the distance to the edge: 1e-16 of it moves the knee by 1e-8.
                let before = *last.get_or_insert(solution.mid);
                assert!((solution.mid - before).length() < 1e-6);
                last = Some(solution.mid);
            }
        }
        for k in [1e-14, 1e-10, 1e-6] {
            let knee = |factor: f64| {
                let job = bent(a, b, direction * ((a + b) * factor));
                job.solve().unwrap().mid
            };
            assert!((knee(1.0 - k) - knee(1.0 + k)).length() < 3.0 * f64::sqrt(k));
        }
    }
}

#[test]
fn l10_straight_limb_target_on_its_line() {
    // The tie-break is `perpendicular` of the first bone: for a limb along +x the bend axis is +z.
    let job = TwoBone::new(DVec3::ZERO, DVec3::X, DVec3::X * 2.0, DVec3::X);
    let solution = job.solve().unwrap();
    assert_sound(&job, &solution);
    assert!(solution.plane_by_rule && solution.reach.is_reached());
    assert!((solution.mid_axis - DVec3::Z).length() < 1e-15);
    assert!((solution.mid - DVec3::new(0.5, -0.75_f64.sqrt(), 0.0)).length() < 1e-15);
    assert_eq!(job.solve().unwrap(), solution, "the same bits again");
}

#[test]
fn l11_opposite_direction() {
    for (a, b) in [(1.0, 1.0), (0.4, 1.0)] {
        let job = bent(a, b, DVec3::ZERO);
        for target in [-job.end, -0.9 * job.end, -5.0 * job.end] {
            for tilt in [0.0, 1e-16, 1e-13, 1e-9, 1e-5] {
                let job = job.with_target(target + DVec3::Z * tilt);
                let solution = job.solve().unwrap();
                assert_sound(&job, &solution);
                let wrong = (solution.error - solution.reach.shortfall()).abs();
                assert!(wrong < 1e-14, "{job:?} gave {solution:?}");
            }
            let solution = job.with_target(target).solve().unwrap();
            assert!(solution.mid.z.abs() < 1e-15, "in the bend plane, by rule");
        }
    }
    let aim = Aim::new(Pose::IDENTITY, -DVec3::Z).solve().unwrap();
    assert!((aim.correction * DVec3::Y - DVec3::Y).length() < 1e-15, "a head turns about up");
}

#[test]
fn l12_pole_parallel_at_hip_or_zero() {
    let target = DVec3::new(0.3, 1.0, -0.8);
    let own = bent(1.0, 0.8, target).solve().unwrap();
    for pole in [
        Pole::Direction(target * 4.0),
        Pole::Direction(-target),
        Pole::Direction(DVec3::ZERO),
        Pole::Point(DVec3::ZERO),
        Pole::Point(target * 0.5),
    ] {
        let job = bent(1.0, 0.8, target).with_pole(pole);
        let solution = job.solve().unwrap();
        assert_sound(&job, &solution);
        assert!(solution.pole_degenerate && solution.reach.is_reached());
        assert!((solution.mid - own.mid).length() < 1e-14);
    }
    // Straight as well: then the rule decides, and both flags say so.
    let straight = TwoBone::new(DVec3::ZERO, DVec3::X, DVec3::X * 2.0, DVec3::X)
        .with_pole(Pole::Direction(DVec3::X));
    let solution = straight.solve().unwrap();
    assert!(solution.pole_degenerate && solution.plane_by_rule && solution.reach.is_reached());
}

#[test]
fn l13_scales_exactly_by_powers_of_two() {
    let power = |exponent: i32| f64::from_bits(((1023 + exponent) as u64) << 52);
    let shapes = [
        (1.0, 1.0, DVec3::new(0.5, 0.9, -0.3)),
        (0.7, 0.2, DVec3::new(5.0, 1.0, 2.0)),
        (0.7, 0.2, DVec3::new(0.1, 0.1, 0.2)),
    ];
    for (a, b, target) in shapes {
        for pole in [Pole::None, Pole::Direction(DVec3::Z), Pole::Point(DVec3::new(1.0, 2.0, 3.0))]
        {
            for soft in [SoftReach::None, SoftReach::RECOMMENDED] {
                let base = bent(a, b, target).with_pole(pole).with_soft_reach(soft);
                let expected = base.solve().unwrap();
                for exponent in
                    [-900, -500, -330, -100, -90, -40, 40, 99, 110, 330, 500, 900, 1000, 1018]
                {
                    let factor = power(exponent);
                    let mut job = base.with_target(base.target * factor);
                    (job.mid, job.end) = (base.mid * factor, base.end * factor);
                    if let Pole::Point(point) = pole {
                        job.pole = Pole::Point(point * factor);
                    }
                    let solution = job.solve().unwrap();
                    assert_eq!(
                        solution.start_correction, expected.start_correction,
                        "2^{exponent}"
                    );
                    assert_eq!(solution.mid_correction, expected.mid_correction, "2^{exponent}");
                    assert_eq!(solution.mid, expected.mid * factor, "2^{exponent}");
                    assert_eq!(solution.end, expected.end * factor, "2^{exponent}");
                    assert_eq!(solution.reach.shortfall(), expected.reach.shortfall() * factor);
                }
            }
        }
    }
}

#[test]
fn l13_every_size_at_once() {
    let sizes = [0.0, 5e-324, 1e-300, 1e-160, 1e-30, 1.0, 1e30, 1e160, 1e300, f64::MAX];
    for a in sizes {
        for b in sizes {
            for d in sizes {
                let mid = DVec3::X * a;
                let end = (mid + DVec3::Y * b).clamp(DVec3::MIN, DVec3::MAX);
                for target in [DVec3::new(d, -d, 0.5 * d), -DVec3::X * d, DVec3::Y * d] {
                    for pole in [Pole::None, Pole::Direction(DVec3::Z), Pole::Point(end * -1.0)] {
                        for soft in [
                            SoftReach::None,
                            SoftReach::RECOMMENDED,
                            SoftReach::Asymptotic { ratio: 0.1 },
                        ] {
                            let job = TwoBone::new(DVec3::ZERO, mid, end, target)
                                .with_pole(pole)
                                .with_soft_reach(soft);
                            let solution = job.solve().unwrap();
                            for q in [solution.start_correction, solution.mid_correction] {
                                assert!(
                                    (q.length() - 1.0).abs() < 1e-12,
                                    "{job:?} gave {solution:?}"
                                );
                            }
                            assert!(
                                solution.mid.is_finite() && solution.end.is_finite(),
                                "{job:?}"
                            );
                            assert!(
                                solution.error.is_finite() && solution.mid_axis.is_finite(),
                                "{job:?}"
                            );
                            assert!(
                                solution.reach.shortfall().is_finite(),
                                "{job:?} gave {solution:?}"
                            );
                        }
                    }
                }
                let choices = [Choice::Positive, Choice::Nearest(Angles { start: 1.0, mid: -2.0 })];
                for choice in choices {
                    let arm = plane::solve(a, b, DVec2::new(d, -0.5 * d), choice).unwrap();
                    for angles in [arm.best, arm.other] {
                        assert!(angles.start > -PI && angles.start <= PI, "{a} {b} {d}: {arm:?}");
                        assert!(angles.mid > -PI && angles.mid <= PI, "{a} {b} {d}: {arm:?}");
                    }
                    assert!(arm.reach.shortfall().is_finite(), "{a} {b} {d}: {arm:?}");
                }
                let aim = Aim::new(Pose::from_translation(mid), DVec3::new(d, d, -d))
                    .with_offset(DVec3::new(a, -b, 0.3 * b));
                let solution = aim.solve().unwrap();
                assert!(
                    (solution.correction.length() - 1.0).abs() < 1e-12,
                    "{aim:?} gave {solution:?}"
                );
                assert!(
                    solution.error.is_finite() && solution.reach.shortfall().is_finite(),
                    "{aim:?}"
                );
            }
        }
    }
}

#[test]
fn l14_aim_rotation_not_unit_zero_or_negated() {
    let rotation = DQuat::from_xyzw(0.1, -0.5, 0.3, 0.8).normalize();
    let aim = |rotation: DQuat| Aim::new(Pose::from_rotation(rotation), DVec3::new(1.0, 2.0, -3.0));
    let expected = aim(rotation).solve().unwrap();
    for factor in [-1.0, 1.0001, 1e-200, 1e200] {
        let solution = aim(rotation * factor).solve().unwrap();
        assert!((solution.correction - expected.correction).length() < 1e-15, "{factor}");
    }
    let zero = aim(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0)).solve();
    assert_eq!(zero.unwrap_err().to_string(), "rotation has length zero");
}
