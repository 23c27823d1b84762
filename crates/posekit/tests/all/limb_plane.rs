//! The planar arm: both solutions, every edge, checked by forward kinematics.
#![allow(
    clippy::missing_assert_message,
    reason = "the condition is the message; the failing line is printed"
)]

use core::f64::consts::{FRAC_PI_2, PI};

use posekit::glam::DVec2;
use posekit::limb::Reach;
use posekit::limb::plane::{Angles, Choice, solve};
use posekit::math::{sin_cos, wrap_angle};
use proptest::prelude::*;

fn assert_tip(angles: Angles, a: f64, b: f64, expected: DVec2) {
    let ((s, c), (st, ct)) = (sin_cos(angles.start), sin_cos(angles.start + angles.mid));
    let tip = DVec2::new(a * c + b * ct, a * s + b * st);
    assert!((tip - expected).length() <= 4e-15 * (a + b), "{angles:?}: {tip} for {expected}");
    assert!((angles.tip(a, b) - tip).length() <= 1e-15 * (a + b));
    for angle in [angles.start, angles.mid] {
        assert!(angle > -PI && angle <= PI, "{angles:?}");
    }
}

#[test]
fn both_solutions_and_the_choice_of_side() {
    for target in [DVec2::new(1.2, 0.3), DVec2::new(-0.4, -1.0), DVec2::new(-1.9, 0.0)] {
        let positive = solve(1.0, 1.2, target, Choice::Positive).unwrap();
        let negative = solve(1.0, 1.2, target, Choice::Negative).unwrap();
        assert_eq!((positive.best, positive.other), (negative.other, negative.best));
        assert!(positive.best.mid > 0.0 && negative.best.mid < 0.0);
        for angles in [positive.best, positive.other] {
            assert_tip(angles, 1.0, 1.2, target);
        }
    }
}

#[test]
fn x_is_zero() {
    for y in [0.5, -0.5, 2.0, -2.0] {
        for x in [0.0, -0.0, 1e-300] {
            let arm = solve(1.0, 1.0, DVec2::new(x, y), Choice::Negative).unwrap();
            assert_tip(arm.best, 1.0, 1.0, DVec2::new(0.0, y));
            assert_tip(arm.other, 1.0, 1.0, DVec2::new(0.0, y));
        }
    }
}

#[test]
fn nearest_keeps_the_elbow_on_its_side() {
    for side in [Choice::Positive, Choice::Negative] {
        let mut angles = solve(1.0, 0.8, DVec2::new(1.0, 0.5), side).unwrap().best;
        let sign = angles.mid.signum();
        for step in 0..200 {
            let turn = 0.05 * f64::from(step);
            let (sin, cos) = sin_cos(turn);
            let target = DVec2::new(cos, sin) * (1.0 + 0.6 * sin_cos(3.0 * turn).0);
            let next = solve(1.0, 0.8, target, Choice::Nearest(angles)).unwrap();
            assert_eq!(next.best.mid.signum(), sign, "at step {step}");
            assert_tip(next.best, 1.0, 0.8, target);
            angles = next.best;
        }
    }
}

#[test]
fn too_far_points_straight_at_the_target() {
    let target = DVec2::new(-3.0, 4.0);
    let arm = solve(1.0, 2.0, target, Choice::Positive).unwrap();
    assert_eq!(arm.reach, Reach::TooFar { shortfall: 2.0 });
    assert_eq!((arm.best.mid, arm.best), (0.0, arm.other));
    assert_tip(arm.best, 1.0, 2.0, target * 0.6);
}

#[test]
fn too_near_folds_with_the_tip_on_the_line() {
    let target = DVec2::new(0.3, -0.4);
    for (a, b) in [(3.0, 1.0), (1.0, 3.0)] {
        let arm = solve(a, b, target, Choice::Positive).unwrap();
        assert_eq!(arm.reach, Reach::TooNear { shortfall: 1.5 });
        assert_eq!((arm.best.mid, arm.other.mid), (PI, PI));
        assert_tip(arm.best, a, b, target * 4.0);
        assert_tip(arm.other, a, b, target * 4.0);
    }
}

#[test]
fn target_at_the_root() {
    let now = Angles { start: 0.7, mid: 0.4 };
    let arm = solve(1.0, 1.0, DVec2::ZERO, Choice::Nearest(now)).unwrap();
    assert_eq!(arm.reach, Reach::Reached);
    assert_eq!(arm.best, Angles { start: 0.7, mid: PI });
    let arm = solve(1.0, 1.0, DVec2::ZERO, Choice::Positive).unwrap();
    assert_eq!((arm.best.start, arm.best.mid), (-FRAC_PI_2, PI));
    assert_eq!((arm.other.start, arm.other.mid), (FRAC_PI_2, PI));
    // Unequal bones: the nearest point, where the tip is now, or along +x.
    let arm = solve(2.0, 1.0, DVec2::ZERO, Choice::Nearest(now)).unwrap();
    assert_eq!(arm.reach, Reach::TooNear { shortfall: 1.0 });
    let tip = now.tip(2.0, 1.0);
    assert_tip(arm.best, 2.0, 1.0, tip / tip.length());
    let arm = solve(2.0, 1.0, DVec2::ZERO, Choice::Positive).unwrap();
    assert_tip(arm.best, 2.0, 1.0, DVec2::X);
}

#[test]
fn zero_length_bones() {
    let target = DVec2::new(-1.0, 1.0);
    let direction = target / target.length();
    let now = Choice::Nearest(Angles { start: 0.2, mid: -0.9 });
    for choice in [Choice::Positive, now] {
        for (a, b) in [(0.0, 1.5), (1.5, 0.0)] {
            let arm = solve(a, b, target, choice).unwrap();
            assert_tip(arm.best, a, b, direction * 1.5);
            assert!(arm.reach.shortfall() > 0.0);
            let kept = if let Choice::Nearest(now) = choice { now.mid } else { 0.0 };
            assert_eq!(arm.best.mid, kept);
        }
    }
    let arm = solve(0.0, 0.0, target, now).unwrap();
    assert_eq!(arm.best, Angles { start: 0.2, mid: -0.9 });
}

#[test]
fn continuous_across_full_reach() {
    let direction = DVec2::new(0.6, -0.8);
    for steps in -20_i64..=20 {
        let reach = f64::from_bits(2.5_f64.to_bits().wrapping_add_signed(steps));
        let arm = solve(1.5, 1.0, direction * reach, Choice::Positive).unwrap();
        assert!(arm.reach.is_reached());
        assert!(arm.best.mid.abs() < 2e-7 && arm.best.mid >= 0.0);
        assert_tip(arm.best, 1.5, 1.0, direction * reach);
    }
}

#[test]
fn scale_free() {
    let expected = solve(1.0, 0.6, DVec2::new(0.4, 0.9), Choice::Positive).unwrap();
    for exponent in [-480, -100, 3, 100, 480] {
        let factor = f64::from_bits(((1023 + exponent) as u64) << 52);
        let target = DVec2::new(0.4, 0.9) * factor;
        let arm = solve(factor, 0.6 * factor, target, Choice::Positive).unwrap();
        assert_eq!((arm.best, arm.other), (expected.best, expected.other), "2^{exponent}");
    }
}

#[test]
fn bad_input_is_named() {
    let at = |a, b, target| solve(a, b, target, Choice::Positive);
    assert_eq!(at(-1.0, 1.0, DVec2::X).unwrap_err().to_string(), "a is negative (-1)");
    assert_eq!(at(1.0, f64::NAN, DVec2::X).unwrap_err().to_string(), "b is not finite (element 0)");
    let now = Choice::Nearest(Angles { start: 0.0, mid: f64::INFINITY });
    assert_eq!(
        solve(1.0, 1.0, DVec2::X, now).unwrap_err().to_string(),
        "choice is not finite (element 1)"
    );
}

proptest! {
    #[test]
    fn reached_exactly_within_the_annulus(
        a in 0.01..10.0_f64, b in 0.01..10.0_f64, x in -15.0..15.0_f64, y in -15.0..15.0_f64,
        start in -PI..PI, mid in -PI..PI,
    ) {
        let target = DVec2::new(x, y);
        let d = target.length();
        let now = Angles { start, mid };
        let arm = solve(a, b, target, Choice::Nearest(now)).unwrap();
        let nearest = target * (d.clamp((a - b).abs(), a + b) / d);
        assert_tip(arm.best, a, b, nearest);
        assert_tip(arm.other, a, b, nearest);
        let within = d <= a + b && d >= (a - b).abs();
        prop_assert!(within == arm.reach.is_reached() || arm.reach.shortfall() < 1e-9);
        prop_assert!(((nearest - target).length() - arm.reach.shortfall()).abs() < 1e-13);
        prop_assert!(arm.best.distance_squared(now) <= arm.other.distance_squared(now));
        prop_assert!(wrap_angle(arm.best.mid + arm.other.mid).abs() < 1e-15);
    }
}
