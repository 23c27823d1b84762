//! Soft reach: the curves' shape, and the numbers that the documentation prints.
#![allow(
    clippy::missing_assert_message,
    reason = "the condition is the message; the failing line is printed"
)]

use posekit::glam::DVec3;
use posekit::limb::{SoftReach, TwoBone};
use posekit::math::acos;

const CURVES: [SoftReach; 7] = [
    SoftReach::None,
    SoftReach::Finite { ratio: 0.0 },
    SoftReach::Finite { ratio: 0.05 },
    SoftReach::Finite { ratio: 1.0 },
    SoftReach::Asymptotic { ratio: 0.0 },
    SoftReach::Asymptotic { ratio: 0.1 },
    SoftReach::Asymptotic { ratio: 7.0 },
];

#[test]
fn grows_with_the_distance_and_never_overtakes_it() {
    for soft in CURVES {
        let mut before = 0.0;
        for step in 0..4000 {
            let distance = 0.001 * f64::from(step);
            let placed = soft.distance(distance, 2.0, 0.5);
            assert!(placed <= distance + 1e-15 && placed <= 2.0, "{soft:?} at {distance}");
            assert!(placed >= before && placed - before < 0.001 + 1e-12, "{soft:?} at {distance}");
            before = placed;
        }
    }
}

#[test]
fn joins_the_exact_line_smoothly() {
    for soft in [SoftReach::Finite { ratio: 0.1 }, SoftReach::Asymptotic { ratio: 0.1 }] {
        assert_eq!(soft.distance(1.8, 2.0, 0.0), 1.8);
        let slope = (soft.distance(1.8 + 1e-6, 2.0, 0.0) - 1.8) / 1e-6;
        assert!((slope - 1.0).abs() < 1e-5, "{soft:?}: {slope}");
    }
}

#[test]
fn a_zone_of_nothing_is_no_softness() {
    for soft in [SoftReach::Finite { ratio: 0.0 }, SoftReach::Asymptotic { ratio: -1.0 }] {
        for distance in [0.0, 1.0, 2.0, 3.0, 1e300] {
            assert_eq!(
                soft.distance(distance, 2.0, 0.5),
                SoftReach::None.distance(distance, 2.0, 0.5)
            );
        }
    }
}

/// The largest change of the knee's angle in a frame \[degrees\] and the lost reach \[% of the reach\].
fn measured(soft: SoftReach) -> (f64, f64) {
    let bend = |distance: f64| {
        let (knee, ankle) = (DVec3::new(0.6, 0.8, 0.0), DVec3::new(1.2, 0.0, 0.0));
        let limb =
            TwoBone::new(DVec3::ZERO, knee, ankle, DVec3::X * distance).with_soft_reach(soft);
        let solution = limb.solve().expect("the limb is finite");
        acos(solution.mid.dot(solution.end - solution.mid)).to_degrees()
    };
    let mut worst = 0.0_f64;
    for phase in 0..64 {
        let at = |frame: i32| bend(1.4 + (f64::from(frame) + f64::from(phase) / 64.0) / 60.0);
        for frame in 0..60 {
            worst = worst.max((at(frame + 1) - at(frame)).abs());
        }
    }
    (worst, 50.0 * (2.0 - soft.distance(2.0, 2.0, 0.0)))
}

#[test]
fn the_published_table() {
    let published = [
        (SoftReach::None, 14.8, 0.0),
        (SoftReach::Finite { ratio: 0.01 }, 6.8, 0.25),
        (SoftReach::Finite { ratio: 0.03 }, 3.9, 0.75),
        (SoftReach::RECOMMENDED, 3.1, 1.25),
        (SoftReach::Finite { ratio: 0.1 }, 2.2, 2.5),
        (SoftReach::Finite { ratio: 0.15 }, 1.8, 3.75),
        (SoftReach::Asymptotic { ratio: 0.03 }, 3.8, 1.23),
        (SoftReach::Asymptotic { ratio: 0.05 }, 3.0, 2.05),
        (SoftReach::Asymptotic { ratio: 0.1 }, 2.2, 4.10),
    ];
    for (soft, step, lost) in published {
        let (measured_step, measured_lost) = measured(soft);
        assert!((measured_step - step).abs() < 0.051, "{soft:?}: {measured_step}");
        assert!((measured_lost - lost).abs() < 0.0051, "{soft:?}: {measured_lost}");
    }
}
