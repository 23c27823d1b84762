//! Hazardous shapes and targets, one test per row of the table of hazards: zero lengths, targets on joints, at the root, out of
//! reach and at its very edge, straight limbs, opposite directions, all sizes.

use crate::support;

use posekit::glam::DVec3;
use posekit::math::{Pose, rotation_about, sin_cos};
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::{Method, Settings, Solution, Status, solve};
use posekit::task::{Position, Task};
use support::{Rng, ends_well, limb, plane_limb, radii, space_limb};

/// A limb to be tried: what it is made of and where it starts.
struct Limb {
    name: String,
    skeleton: Skeleton,
    tip: Frame,
    lengths: Vec<f64>,
    start: Vec<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Joints {
    Plane,
    Space,
    Limited,
}

const ALL_JOINTS: [Joints; 3] = [Joints::Plane, Joints::Space, Joints::Limited];

/// A limb whose joints start at these angles about z.
fn bent(joints: Joints, lengths: &[f64], angles: &[f64]) -> Limb {
    let wide = Limit::Range { min: -3.1, max: 3.1 };
    let (skeleton, tip) = match joints {
        Joints::Plane => plane_limb(lengths),
        Joints::Space => space_limb(lengths),
        Joints::Limited => limb(lengths, |name| Joint::revolute(name, DVec3::Z).with_limit(wide)),
    };
    let start = match joints {
        Joints::Space => {
            angles.iter().flat_map(|a| rotation_about(DVec3::Z, *a).to_array()).collect()
        }
        _ => angles.to_vec(),
    };
    let shown = &lengths[..lengths.len().min(8)];
    let name = format!("{joints:?}, {} bones {shown:?} from {}", lengths.len(), angles[0]);
    Limb { name, skeleton, tip, lengths: lengths.to_vec(), start }
}

impl Limb {
    /// Every method that takes this limb, with what it returns; checked for what must hold whatever the outcome.
    fn by_all(&self, target: DVec3) -> Vec<(Method, Solution)> {
        let task: Task = Position::new(self.tip, target).into();
        let mut all = Vec::new();
        for method in Method::ALL {
            let solved = solve(
                &self.skeleton,
                &self.start,
                core::slice::from_ref(&task),
                method,
                &Settings::default(),
            );
            let solution = match solved {
                Err(error) if error.is_unsuited() => continue,
                other => other.expect("the problem is valid"),
            };
            let name = format!("{} by {}", self.name, method.name());
            assert!(solution.configuration.iter().all(|x| x.is_finite()), "{name}: finite");
            assert!(self.skeleton.within_limits(&solution.configuration, 0.0), "{name}: limits");
            let miss = self.tip_of(&solution).distance(target);
            let off = (miss - solution.error).abs();
            assert!(off <= 1e-12 * (radii(&self.lengths).1 + miss), "{name}: error off by {off:e}");
            all.push((method, solution));
        }
        assert!(all.len() >= 4, "{}: tried by {} methods only", self.name, all.len());
        all
    }

    fn all_reach(&self, target: DVec3) {
        for (method, solution) in self.by_all(target) {
            let name = format!("{} to {target} by {}", self.name, method.name());
            let (status, error) = (&solution.status, solution.error);
            // Beyond full reach by no more than the tolerance: the proof stands where the iterations run out.
            let is_beyond =
                matches!(status, Status::Unreachable { shortfall } if *shortfall < 1e-7);
            assert!(ends_well(method, &solution) || is_beyond, "{name}: {status:?}, {error:e}");
        }
    }

    /// Every method says out of reach, by this much, and returns the nearest pose to within `tolerance`.
    fn all_fall_short(&self, target: DVec3, by: f64, tolerance: f64) {
        for (method, solution) in self.by_all(target) {
            let name = format!("{} to {target} by {}", self.name, method.name());
            let Status::Unreachable { shortfall } = solution.status else {
                panic!("{name}: {:?}", solution.status);
            };
            let reach = radii(&self.lengths).1;
            assert!((shortfall - by).abs() <= 1e-12 * (reach + by), "{name}: {shortfall} for {by}");
            // A distance of a million reaches is only known to its own rounding.
            let rounding = 64.0 * f64::EPSILON * by;
            let off = solution.error - by;
            let ran_out = solution.iterations >= Settings::default().iterations;
            assert!(ran_out || off <= tolerance * reach + rounding, "{name}: {off:e} off");
        }
    }

    /// What limits short of half a turn cost a fold, relative to the reach.
    fn fold_tolerance(&self) -> f64 {
        if self.name.starts_with("Limited") { 5e-3 } else { 1e-5 }
    }

    fn tip_of(&self, solution: &Solution) -> DVec3 {
        self.tip.world(&self.skeleton.poses(&solution.configuration)).translation
    }
}

/// Largest distance between points of two solutions.
fn apart(a: &Solution, b: &Solution) -> f64 {
    let pairs = a.points.chunks_exact(3).zip(b.points.chunks_exact(3));
    pairs.fold(0.0, |worst, (p, q)| worst.max(DVec3::from_slice(p).distance(DVec3::from_slice(q))))
}

#[test]
fn l3_a_zero_length_bone_is_as_if_removed() {
    for joints in ALL_JOINTS {
        let without = bent(joints, &[1.0, 0.7, 0.5], &[0.3, 0.5, -0.4]);
        for zero in 0..4 {
            let (mut lengths, mut angles) = (vec![1.0, 0.7, 0.5], vec![0.3, 0.5, -0.4]);
            lengths.insert(zero, 0.0);
            // The joint of the bone that stays keeps its angle; the extra one stands straight.
            angles.insert((zero + 1).min(3), 0.0);
            let with = bent(joints, &lengths, &angles);
            for target in [DVec3::new(0.6, 1.2, 0.0), DVec3::new(-1.0, -0.4, 0.0)] {
                with.all_reach(target);
                let task = |tip| Position::new(tip, target).into();
                for method in [Method::Ccd, Method::Fabrik, Method::Direct] {
                    let run = |limb: &Limb| {
                        let task = [task(limb.tip)];
                        solve(&limb.skeleton, &limb.start, &task, method, &Settings::default())
                    };
                    let (Ok(a), Ok(b)) = (run(&without), run(&with)) else { continue };
                    let name = format!("{} by {}", with.name, method.name());
                    assert_eq!(a.iterations, b.iterations, "{name}");
                    // Two joints in one place have more room than one: the second target drives it to its limit.
                    if joints == Joints::Limited && target.x < 0.0 {
                        continue;
                    }
                    let mut points = b.points.clone();
                    // The extra joint stands on its neighbour.
                    points.drain(3 * zero..3 * zero + 3);
                    let mut b = b;
                    b.points = points;
                    assert!(
                        apart(&a, &b) < 1e-9,
                        "{name}: {:e} apart {:?} {:?} {}",
                        apart(&a, &b),
                        a.escaped_at,
                        a.accelerated_at,
                        a.iterations
                    );
                }
            }
        }
    }
}

#[test]
fn l3_many_zero_length_bones() {
    for joints in ALL_JOINTS {
        let lengths = [0.0, 0.0, 1.0, 0.0, 0.0, 0.8, 0.0, 0.5, 0.0, 0.0];
        let angles = [0.2, -0.1, 0.3, 0.4, 0.0, -0.3, 0.2, 0.1, 0.0, 0.3];
        let limb = bent(joints, &lengths, &angles);
        limb.all_reach(DVec3::new(0.9, 1.1, 0.0));
        limb.all_reach(DVec3::new(-1.9, 0.2, 0.0));
        // Straight, on its own line.
        bent(joints, &lengths, &[0.0; 10]).all_reach(DVec3::new(1.3, 0.0, 0.0));
    }
}

#[test]
fn l4_all_bones_of_zero_length() {
    for joints in ALL_JOINTS {
        for n in [2, 5] {
            let limb = bent(joints, &vec![0.0; n], &vec![0.4; n]);
            for target in [DVec3::X, DVec3::new(0.0, 3e-7, 0.0), DVec3::new(0.0, -1e9, 0.0)] {
                for (method, solution) in limb.by_all(target) {
                    let name = format!("{} by {}", limb.name, method.name());
                    let Status::Unreachable { shortfall } = solution.status else {
                        panic!("{name}: {:?}", solution.status);
                    };
                    let far = target.length();
                    assert!((shortfall - far).abs() <= 1e-12 * far, "{name}: {shortfall}");
                    for (a, b) in solution.configuration.iter().zip(&limb.start) {
                        assert!(
                            (a - b).abs() < 1e-14,
                            "{name}: the pose is unchanged, {a} was {b}"
                        );
                    }
                }
            }
            for (method, solution) in limb.by_all(DVec3::ZERO) {
                assert!(solution.is_reached(), "{} by {}: at the root", limb.name, method.name());
            }
        }
    }
}

#[test]
fn l5_target_at_the_root() {
    for joints in ALL_JOINTS {
        // Two equal bones fold by half a turn, which the limits do not allow.
        for n in [2, 3, 5, 10, 30].into_iter().skip(usize::from(joints == Joints::Limited)) {
            for angles in [vec![0.0; n], vec![0.5; n]] {
                bent(joints, &vec![1.0; n], &angles).all_reach(DVec3::ZERO);
            }
        }
        // The longest bone exceeds the others: the nearest point is on the inner sphere.
        for lengths in [vec![1.0, 0.6], vec![0.6, 1.0], vec![0.2, 2.0, 0.5, 0.3]] {
            let inner = radii(&lengths).0;
            for bend in [0.0, 0.5] {
                let limb = bent(joints, &lengths, &vec![bend; lengths.len()]);
                limb.all_fall_short(DVec3::ZERO, inner, limb.fold_tolerance());
            }
        }
    }
}

#[test]
fn l6_target_at_the_effector_or_at_a_joint() {
    for joints in ALL_JOINTS {
        for n in [2, 3, 10] {
            for angles in [vec![0.0; n], vec![0.4; n]] {
                let limb = bent(joints, &vec![1.0; n], &angles);
                let poses = limb.skeleton.poses(&limb.start);
                let there = limb.tip.world(&poses).translation;
                for (method, solution) in limb.by_all(there) {
                    let name = format!("{} by {}", limb.name, method.name());
                    assert_eq!(solution.iterations, 0, "{name}: already there");
                    assert!(solution.is_reached(), "{name}: {:?}", solution.status);
                    for (a, b) in solution.configuration.iter().zip(&limb.start) {
                        assert!((a - b).abs() < 1e-14, "{name}: nothing moved, {a} was {b}");
                    }
                }
                for pose in &poses[1..] {
                    limb.all_reach(pose.translation);
                }
            }
        }
    }
}

#[test]
fn l7_target_too_far() {
    for joints in ALL_JOINTS {
        for n in [2, 3, 10] {
            for angles in [vec![0.0; n], vec![0.4; n]] {
                let lengths: Vec<f64> = (0..n).map(|i| 1.0 + 0.1 * i as f64).collect();
                let limb = bent(joints, &lengths, &angles);
                let outer = radii(&lengths).1;
                let (s, c) = sin_cos(2.5);
                limb.all_reach(DVec3::new(c, s, 0.0) * (outer * (1.0 + 1e-9)));
                for factor in [1.001, 1.5, 1e3, 1e12] {
                    let target = DVec3::new(c, s, 0.0) * (outer * factor);
                    limb.all_fall_short(target, outer * factor - outer, 1e-6);
                }
            }
        }
    }
}

#[test]
fn l7_no_jitter_when_a_target_out_of_reach_moves_slightly() {
    for joints in ALL_JOINTS {
        let lengths = [1.0, 0.9, 0.8, 0.7];
        let limb = bent(joints, &lengths, &[0.4, -0.3, 0.5, 0.2]);
        let target = |angle: f64| {
            let (s, c) = sin_cos(angle);
            DVec3::new(c, s, 0.0) * 4.0
        };
        let still = limb.by_all(target(1.0));
        for ((method, a), (_, b)) in still.iter().zip(limb.by_all(target(1.0 + 1e-6))) {
            let name = format!("{} by {}", limb.name, method.name());
            // The whole limb turns by 1e-6 about its root; what its straightness is off by is less than that.
            assert!(apart(a, &b) < 2e-5, "{name}: moved by {:e}", apart(a, &b));
        }
    }
}

#[test]
fn l8_target_too_near() {
    for joints in ALL_JOINTS {
        for lengths in
            [vec![1.0, 0.6], vec![0.6, 1.0], vec![0.3, 2.0, 0.5], vec![3.0, 0.5, 0.5, 0.4]]
        {
            let inner = radii(&lengths).0;
            for angles in [vec![0.0; lengths.len()], vec![0.7; lengths.len()]] {
                let limb = bent(joints, &lengths, &angles);
                for part in [1e-6, 0.3, 0.9, 1.0 - 1e-3] {
                    let (s, c) = sin_cos(-0.8);
                    let target = DVec3::new(c, s, 0.0) * (inner * part);
                    limb.all_fall_short(target, inner - inner * part, limb.fold_tolerance());
                }
            }
        }
    }
}

#[test]
fn l9_target_at_full_reach_and_a_few_ulps_around() {
    const EPS: f64 = f64::EPSILON;
    for joints in ALL_JOINTS {
        for n in [2, 3, 10, 50] {
            let lengths: Vec<f64> = (0..n).map(|i| 0.5 + 0.01 * i as f64).collect();
            let outer: f64 = lengths.iter().sum();
            let limb = bent(joints, &lengths, &vec![0.2; n]);
            let (s, c) = sin_cos(0.7);
            let at = |distance: f64| limb.by_all(DVec3::new(c, s, 0.0) * distance);
            let edge = at(outer);
            for k in [-64.0, -8.0, -2.0, -1.0, 1.0, 2.0, 8.0, 64.0] {
                for ((method, a), (_, b)) in edge.iter().zip(at(outer * (1.0 + k * EPS))) {
                    let name = format!("{} by {}, {k} ulps", limb.name, method.name());
                    assert!(ends_well(*method, &b), "{name}: {:?}, {:e}", b.status, b.error);
                    if !b.is_reached() {
                        continue;
                    }
                    // A chain that is short by δ bends by the root of δ: what a tolerance of 1e-6 leaves open is 1e-3.
                    assert!(apart(a, &b) < 4e-3 * outer, "{name}: {:e} apart", apart(a, &b));
                }
            }
        }
    }
}

#[test]
fn l9_target_at_the_inner_radius_and_a_few_ulps_around() {
    for joints in ALL_JOINTS {
        for lengths in [vec![1.0, 0.6], vec![0.3, 2.0, 0.5]] {
            if joints == Joints::Limited {
                continue;
            }
            let inner = radii(&lengths).0;
            let limb = bent(joints, &lengths, &vec![0.6; lengths.len()]);
            for k in [-8.0, -1.0, 0.0, 1.0, 8.0] {
                let target = DVec3::Y * (inner * (1.0 + k * f64::EPSILON));
                limb.all_reach(target);
            }
        }
    }
}

#[test]
fn l10_straight_chain_with_its_target_on_its_line() {
    for joints in ALL_JOINTS {
        for n in [2, 3, 7, 40] {
            let limb = bent(joints, &vec![1.0; n], &vec![0.0; n]);
            // No sum of whole bones, so that folding some back on the line is no answer.
            let target = DVec3::X * (0.7321 * n as f64);
            for (method, solution) in limb.by_all(target) {
                let name = format!("{} by {}", limb.name, method.name());
                assert!(solution.is_reached(), "{name}: {:?}", solution.status);
                // The documented side, the same for all methods: to the right of the line to the target, so that later
                // joints turn counter-clockwise.
                let bend = solution.points.chunks_exact(3).fold(0.0_f64, |far, point| {
                    if point[1].abs() > far.abs() { point[1] } else { far }
                });
                let is_free = joints != Joints::Limited;
                assert!(bend.abs() > 1e-3, "{name}: bends to {bend}");
                assert!(bend < 0.0 || !is_free, "{name}: bends to {bend}");
                let in_plane = solution.points.chunks_exact(3).all(|point| point[2].abs() < 1e-9);
                assert!(in_plane, "{name}: leaves the plane");
            }
        }
    }
}

#[test]
fn l11_opposite_direction() {
    for joints in ALL_JOINTS {
        for n in [2, 3, 8] {
            let limb = bent(joints, &vec![1.0; n], &vec![0.0; n]);
            let parts = [-0.5, -0.9, -1.0 + 1e-12];
            // Straight behind is half a turn, which the limits do not allow.
            for part in &parts[..if joints == Joints::Limited { 2 } else { 3 }] {
                limb.all_reach(DVec3::X * (part * n as f64));
            }
            for tilt in [1e-16, -1e-16, 1e-12, -1e-9] {
                limb.all_reach(DVec3::new(-0.6 * n as f64, tilt, 0.0));
            }
        }
    }
}

#[test]
fn l11_continuous_across_the_opposite_direction_when_warm() {
    // A target that passes behind a limb which follows it: every step starts from the last pose.
    for joints in ALL_JOINTS {
        let mut limb = bent(joints, &[1.0, 1.0, 1.0], &[0.9, 0.6, 0.5]);
        let begun = limb.start.clone();
        for method in [Method::Auto, Method::Ccd, Method::Fabrik, Method::Relaxation] {
            limb.start.clone_from(&begun);
            let mut last: Option<Solution> = None;
            for step in 0..40 {
                let (s, c) = sin_cos(2.9 + 0.0125 * f64::from(step));
                let task = [Position::new(limb.tip, DVec3::new(1.8 * c, 1.8 * s, 0.0)).into()];
                let settings = Settings::default();
                let solution =
                    solve(&limb.skeleton, &limb.start, &task, method, &settings).unwrap();
                let name = format!("{} by {}, step {step}", limb.name, method.name());
                assert!(solution.is_reached(), "{name}: {:?}", solution.status);
                if let (Some(last), false) = (&last, joints == Joints::Limited) {
                    // The target has moved by 0.023.
                    assert!(apart(last, &solution) < 0.12, "{name}: {}", apart(last, &solution));
                }
                limb.start.clone_from(&solution.configuration);
                last = Some(solution);
            }
        }
    }
}

fn power_of_two(exponent: i32) -> f64 {
    (0..exponent.abs()).fold(1.0, |x, _| if exponent > 0 { 2.0 * x } else { 0.5 * x })
}

/// A skeleton of all kinds of joints, with limits, in space, in units that make it `by` times as large.
fn motley(seed: u64, by: f64) -> (Skeleton, Frame, Vec<f64>) {
    let rng = &mut Rng::new(seed);
    let mut builder = Skeleton::builder();
    let range = Limit::Range { min: -1.5, max: 1.2 };
    let cone = Limit::Cone { axis: DVec3::X, swing: 1.3, twist: [-0.8, 0.9] };
    let slide = Limit::Range { min: -0.3 * by, max: 0.4 * by };
    let joints = [
        Joint::revolute("a", rng.direction()).with_limit(range),
        Joint::ball("b").with_limit(cone),
        Joint::prismatic("c", rng.direction()).with_limit(slide),
        Joint::revolute("d", rng.direction()).with_limit(range),
        Joint::revolute("e", rng.direction()),
    ];
    for (i, joint) in joints.into_iter().enumerate() {
        let place = Pose { rotation: rng.rotation(), translation: rng.direction() * by };
        builder.add(if i == 0 { joint.at(place) } else { joint.child_of(i - 1).at(place) });
    }
    let skeleton = builder.build().expect("the problem is valid");
    let start = skeleton.neutral();
    (skeleton, Frame::new(4, Pose::from_translation(rng.direction() * by)), start)
}

#[test]
fn l13_powers_of_two_change_no_bit() {
    for exponent in [-100, -40, -3, 1, 8, 100] {
        let by = power_of_two(exponent);
        for joints in ALL_JOINTS {
            for angles in [[0.0; 4], [0.3, -0.5, 0.7, 0.4]] {
                let lengths = [1.0, 0.7, 0.9, 0.4];
                let plain = bent(joints, &lengths, &angles);
                let other = bent(joints, &lengths.map(|l| l * by), &angles);
                for target in [DVec3::new(1.1, 1.3, 0.0), DVec3::X * 2.2, DVec3::new(0.0, 5.0, 0.0)]
                {
                    let pairs = plain.by_all(target).into_iter().zip(other.by_all(target * by));
                    for ((method, a), (_, b)) in pairs {
                        let name = format!("{} by {}, 2^{exponent}", plain.name, method.name());
                        assert_eq!(a.configuration, b.configuration, "{name}: joint values");
                        assert_eq!(a.iterations, b.iterations, "{name}: iterations");
                        assert_eq!(a.error * by, b.error, "{name}: error");
                        let points: Vec<f64> = a.points.iter().map(|x| x * by).collect();
                        assert_eq!(points, b.points, "{name}: points");
                    }
                }
            }
        }
    }
}

#[test]
fn l13_powers_of_two_change_no_bit_for_all_kinds_of_joints() {
    for seed in 0..30 {
        let (skeleton, tip, start) = motley(seed, 1.0);
        let mut goal = start.clone();
        (goal[0], goal[5], goal[6], goal[7]) = (0.8, 0.2, -0.9, 1.4);
        let target = tip.world(&skeleton.poses(&goal)).translation;
        for exponent in [-60, -1, 5, 60] {
            let by = power_of_two(exponent);
            let (other, other_tip, other_start) = motley(seed, by);
            for method in [Method::Ccd, Method::Fabrik, Method::Relaxation] {
                let settings = Settings::default();
                let task = [Position::new(tip, target).into()];
                let a = solve(&skeleton, &start, &task, method, &settings).unwrap();
                let task = [Position::new(other_tip, target * by).into()];
                let b = solve(&other, &other_start, &task, method, &settings).unwrap();
                let mut values = a.configuration.clone();
                values[5] *= by;
                assert_eq!(values, b.configuration, "{}, 2^{exponent}", method.name());
                assert_eq!(a.iterations, b.iterations, "{}, 2^{exponent}", method.name());
            }
        }
    }
}

#[test]
fn l13_every_size_takes_the_same_iterations() {
    for by in [1e-30, 1e-12, 1e-3, 1e6, 1e30, 1e60] {
        for joints in ALL_JOINTS {
            for angles in [[0.0; 4], [0.3, -0.5, 0.7, 0.4]] {
                let lengths = [1.0, 0.7, 0.9, 0.4];
                let plain = bent(joints, &lengths, &angles);
                let other = bent(joints, &lengths.map(|l| l * by), &angles);
                for target in [DVec3::new(1.1, 1.3, 0.0), DVec3::X * 2.2] {
                    let pairs = plain.by_all(target).into_iter().zip(other.by_all(target * by));
                    for ((method, a), (_, b)) in pairs {
                        let name = format!("{} by {}, times {by:e}", plain.name, method.name());
                        assert!(b.is_reached(), "{name}: {:?}", b.status);
                        assert_eq!(a.iterations, b.iterations, "{name}: iterations");
                        for (x, y) in a.points.iter().zip(&b.points) {
                            assert!((x - y / by).abs() < 1e-9, "{name}: {x} against {}", y / by);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn l13_a_target_near_the_largest_float() {
    for far in [3e38, 1e100, 1e300, f64::MAX] {
        for joints in ALL_JOINTS {
            let limb = bent(joints, &[1.0, 0.7, 0.4], &[0.3, 0.2, 0.1]);
            for direction in [DVec3::X, DVec3::NEG_Y] {
                let task = [Position::new(limb.tip, direction * far).into()];
                for method in Method::ALL {
                    let solved =
                        solve(&limb.skeleton, &limb.start, &task, method, &Settings::default());
                    let Ok(solution) = solved else { continue };
                    let name = format!("{} to {far:e} by {}", limb.name, method.name());
                    assert!(solution.configuration.iter().all(|x| x.is_finite()), "{name}");
                    assert!(matches!(solution.status, Status::Unreachable { .. }), "{name}");
                }
            }
        }
    }
}
