//! Random limbs: what must hold of every one.
#![allow(
    clippy::missing_assert_message,
    reason = "the condition is the message; the failing line is printed"
)]

use crate::limb_support;

use limb_support::{END, Leg, MID, START, angle, assert_sound, unit};
use posekit::glam::DVec3;
use posekit::limb::{Pole, Reach, SoftReach, TwoBone};
use posekit::math::rotation_about;
use proptest::prelude::*;

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    (-size..size, -size..size, -size..size).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

fn pole() -> impl Strategy<Value = Pole> {
    prop_oneof![
        Just(Pole::None),
        vector(1.0).prop_map(Pole::Direction),
        vector(3.0).prop_map(Pole::Point),
    ]
}

fn soft() -> impl Strategy<Value = SoftReach> {
    prop_oneof![
        Just(SoftReach::None),
        (0.0..0.3_f64).prop_map(|ratio| SoftReach::Finite { ratio }),
        (0.0..0.3_f64).prop_map(|ratio| SoftReach::Asymptotic { ratio }),
    ]
}

fn limb() -> impl Strategy<Value = TwoBone> {
    let joints = (vector(1.0), vector(1.0), vector(1.0), vector(2.0));
    let axis = proptest::option::of(vector(1.0));
    (joints, pole(), soft(), -4.0..4.0_f64, axis, any::<bool>()).prop_map(
        |((start, first, second, line), pole, soft, twist, mid_axis, twisted)| {
            TwoBone::new(start, start + first, start + first + second, start + line)
                .with_pole(pole)
                .with_soft_reach(soft)
                .with_twist(if twisted { twist } else { 0.0 })
                .with_mid_axis(mid_axis)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn bones_keep_their_length_and_the_verdict_is_true(job in limb(), weight in 0.0..1.2_f64) {
        let solution = job.solve().unwrap();
        assert_sound(&job, &solution);
        let weighted = job.with_weight(weight);
        assert_sound(&weighted, &weighted.solve().unwrap());
        let (a, b) = ((job.mid - job.start).length(), (job.end - job.mid).length());
        let d = (job.target - job.start).length();
        let placed = job.soft.distance(d, a + b, (a - b).abs()).clamp((a - b).abs(), a + b);
        prop_assert!((solution.error - (d - placed).abs()).abs() < 1e-13);
        match solution.reach {
            Reach::Reached => prop_assert!(solution.error < 1e-11),
            Reach::TooFar { shortfall } => prop_assert!((shortfall - (d - a - b)).abs() < 1e-14),
            Reach::TooNear { shortfall } => {
                prop_assert!((shortfall - ((a - b).abs() - d)).abs() < 1e-14);
            }
            Reach::Softened { shortfall } => {
                prop_assert!(d <= a + b + 1e-12 && (shortfall - solution.error).abs() < 1e-13);
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn without_softness_reached_exactly_within_the_annulus(job in limb()) {
        let job = job.with_soft_reach(SoftReach::None);
        let solution = job.solve().unwrap();
        let (a, b) = ((job.mid - job.start).length(), (job.end - job.mid).length());
        let d = (job.target - job.start).length();
        let within = d <= a + b && d >= (a - b).abs();
        prop_assert!(solution.reach.is_reached() == within || solution.reach.shortfall() < 1e-11);
        prop_assert!(!within || solution.error < 1e-14);
    }

    #[test]
    fn turning_the_world_turns_the_answer(job in limb(), axis in vector(1.0), by in -3.0..3.0_f64) {
        prop_assume!(axis.length() > 1e-3);
        let turn = rotation_about(unit(axis), by);
        let shift = DVec3::new(3.0, -1.0, 2.0);
        let at = |p: DVec3| turn * p + shift;
        let pole = match job.pole {
            Pole::None => Pole::None,
            Pole::Direction(pole) => Pole::Direction(turn * pole),
            Pole::Point(pole) => Pole::Point(at(pole)),
        };
        let mut turned = job.with_target(at(job.target)).with_pole(pole);
        turned.mid_axis = job.mid_axis.map(|axis| turn * axis);
        [turned.start, turned.mid, turned.end] = [job.start, job.mid, job.end].map(at);
        let (here, there) = (job.solve().unwrap(), turned.solve().unwrap());
        prop_assert!((at(here.end) - there.end).length() < 1e-12);
        // Near full reach a rounding of the target moves the knee by its square root.
        prop_assert!((at(here.mid) - there.mid).length() < 1e-6);
        prop_assert_eq!(here.pole_degenerate, there.pole_degenerate);
    }

    #[test]
    fn a_small_move_of_the_target_moves_the_pose_a_little(job in limb(), nudge in vector(1e-9)) {
        let job = job.with_soft_reach(SoftReach::RECOMMENDED);
        let line = job.target - job.start;
        let (u, e) = (job.mid - job.start, job.end - job.start);
        let bend = unit(u).cross(unit(job.end - job.mid)).length();
        // Away from the places where no continuous answer exists: target at the root, behind, along the pole, the fold.
        prop_assume!(bend > 1e-2 && line.length() > 1e-2 && e.length() > 1e-2);
        prop_assume!(unit(line).dot(unit(e)) > -0.99 && unit(line).dot(unit(u)) > -0.99);
        let inner = (u.length() - (job.end - job.mid).length()).abs();
        prop_assume!((line.length() - inner).abs() > 1e-2 && u.length() > 0.05);
        let pole = match job.pole {
            Pole::None => line.cross(e),
            Pole::Direction(pole) => pole,
            Pole::Point(pole) => pole - job.start,
        };
        prop_assume!(job.pole == Pole::None || unit(pole).cross(unit(line)).length() > 1e-2);
        let moved = job.with_target(job.target + nudge);
        let (here, there) = (job.solve().unwrap(), moved.solve().unwrap());
        prop_assert!((here.mid - there.mid).length() < 1e-6);
        prop_assert!(angle(here.start_correction.conjugate() * there.start_correction) < 1e-5);
    }

    #[test]
    fn local_rotations_put_the_end_there(
        start in vector(1.0), first in vector(0.5), second in vector(0.5), target in vector(2.0),
        pole in pole(),
    ) {
        let leg = Leg::new(start, first, second);
        let origin = leg.poses()[START].1;
        let job = leg.job(origin + target).with_pole(pole);
        let solution = job.solve().unwrap();
        let after = leg.apply(&solution).poses();
        prop_assert!((after[START].1 - job.start).length() < 1e-14);
        prop_assert!((after[MID].1 - solution.mid).length() < 1e-13);
        prop_assert!((after[END].1 - solution.end).length() < 1e-13);
    }
}
