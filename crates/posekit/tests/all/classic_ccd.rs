//! Classic cyclic coordinate descent against the published texts, iteration by iteration.
//!
//! The references below follow the mathematics of the texts step by step and start every joint's move from scratch
//! (angles to points, points to one turn), where the library keeps running sums.

use crate::support;

use posekit::glam::{DMat3, DQuat, DVec3};
use posekit::math::{Pose, atan2, perpendicular, rotation_about, sin_cos, wrap_angle};
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::{Detail, Method, Phase, Settings, Solution, Status, TraceStep, solve};
use posekit::task::{Position, Task};
use support::{Rng, plane_limb, plane_tip};

/// How near the two must stay.
const SAME: f64 = 1e-9;

/// What one call of the published plane iteration says.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Outcome {
    Reached,
    GoingOn,
    NoCloser,
}

/// A plane chain as the text has it: where each bone starts in its parent's frame, and its angle there. The last entry is the tip.
struct PlaneChain {
    offsets: Vec<[f64; 2]>,
    angles: Vec<f64>,
}

impl PlaneChain {
    fn points(&self) -> Vec<[f64; 2]> {
        let (mut x, mut y) = (self.offsets[0][0], self.offsets[0][1]);
        let mut points = vec![[x, y]];
        let mut angle = 0.0;
        for (own, [dx, dy]) in self.angles.iter().zip(&self.offsets[1..]) {
            angle += own;
            let (s, c) = sin_cos(angle);
            (x, y) = (x + c * dx - s * dy, y + s * dx + c * dy);
            points.push([x, y]);
        }
        points
    }

    fn iterate(&mut self, target: [f64; 2], arrival: f64) -> Outcome {
        let mut has_moved = false;
        for joint in (0..self.angles.len()).rev() {
            let points = self.points();
            let ([jx, jy], [ex, ey]) = (points[joint], points[points.len() - 1]);
            let (ex, ey) = (ex - jx, ey - jy);
            let (tx, ty) = (target[0] - jx, target[1] - jy);
            let lever = (ex * ex + ey * ey).sqrt();
            let wish = (tx * tx + ty * ty).sqrt();
            let turn = if lever * wish <= 1e-4 {
                0.0
            } else {
                atan2(ex * ty - ey * tx, ex * tx + ey * ty)
            };
            self.angles[joint] += turn;
            if self.miss(target) <= arrival {
                return Outcome::Reached;
            }
            has_moved |= turn.abs() * lever > 1e-5;
        }
        if has_moved { Outcome::GoingOn } else { Outcome::NoCloser }
    }

    fn miss(&self, target: [f64; 2]) -> f64 {
        let points = self.points();
        let [x, y] = points[points.len() - 1];
        ((x - target[0]) * (x - target[0]) + (y - target[1]) * (y - target[1])).sqrt()
    }

    fn skeleton(&self) -> (Skeleton, Frame) {
        let place = |[x, y]: [f64; 2]| Pose::from_translation(DVec3::new(x, y, 0.0));
        let mut builder = Skeleton::builder();
        for i in 0..self.angles.len() {
            let joint = Joint::revolute(format!("b{i}"), DVec3::Z).at(place(self.offsets[i]));
            builder.add(if i == 0 { joint } else { joint.child_of(i - 1) });
        }
        let n = self.angles.len();
        (builder.build().expect("the problem is valid"), Frame::new(n - 1, place(self.offsets[n])))
    }

    fn random(rng: &mut Rng, n: usize) -> Self {
        let offset = |rng: &mut Rng| {
            let (s, c) = sin_cos(rng.angle());
            let length = rng.between(0.3, 2.0);
            [length * c, length * s]
        };
        Self {
            offsets: (0..=n).map(|_| offset(rng)).collect(),
            angles: (0..n).map(|_| rng.angle()).collect(),
        }
    }
}

fn classic(tolerance: f64, iterations: u32) -> Settings {
    Settings::default()
        .with_classic(true)
        .with_trace(Detail::Iterations)
        .with_tolerance(tolerance)
        .with_iterations(iterations)
}

fn by_ccd(
    skeleton: &Skeleton,
    start: &[f64],
    (tip, target): (Frame, DVec3),
    settings: &Settings,
) -> Solution {
    let task: Task = Position::new(tip, target).into();
    solve(skeleton, start, core::slice::from_ref(&task), Method::Ccd, settings)
        .expect("the problem is valid")
}

/// Compares a plane solve with the reference; the reference's last word.
fn compare_in_plane(mut chain: PlaneChain, target: [f64; 2], arrival: f64, name: &str) -> Outcome {
    const ITERATIONS: u32 = 40;
    let (skeleton, tip) = chain.skeleton();
    let goal = (tip, DVec3::new(target[0], target[1], 0.0));
    let solution = by_ccd(&skeleton, &chain.angles, goal, &classic(arrival, ITERATIONS));
    assert_eq!(solution.escaped_at, None, "{name}: no way out in classic mode");
    assert_eq!(solution.accelerated_at, None, "{name}: no shortcut in classic mode");
    let mut outcome = Outcome::GoingOn;
    let mut done = 0;
    while outcome == Outcome::GoingOn && done < ITERATIONS {
        outcome = chain.iterate(target, arrival);
        let step = &solution.trace[done as usize];
        done += 1;
        assert_eq!((step.iteration, step.phase), (done, Phase::Iteration), "{name}");
        for (mine, theirs) in step.configuration.iter().zip(&chain.angles) {
            let off = wrap_angle(mine - theirs).abs();
            assert!(off < SAME, "{name}: iteration {done}: an angle is off by {off:e}");
        }
        let off = (step.error - chain.miss(target)).abs();
        assert!(off < SAME, "{name}: iteration {done}: the error is off by {off:e}");
    }
    assert_eq!(solution.iterations, done, "{name}: iterations, ended by {outcome:?}");
    assert_eq!(solution.trace.len(), done as usize, "{name}: steps of the trace");
    let agrees = match &solution.status {
        Status::Reached => outcome == Outcome::Reached,
        Status::Stalled => outcome == Outcome::NoCloser,
        Status::IterationLimit => outcome == Outcome::GoingOn,
        Status::Unreachable { .. } => outcome != Outcome::Reached,
        _ => false,
    };
    assert!(agrees, "{name}: {:?} against {outcome:?}", solution.status);
    outcome
}

#[test]
fn plane_iterations_equal_the_text() {
    let mut rng = Rng::new(1);
    let mut seen = [0; 3];
    for n in 2..=25 {
        for case in 0..20 {
            let chain = PlaneChain::random(&mut rng, n);
            let lengths = chain.offsets[1..].iter().map(|[x, y]| (x * x + y * y).sqrt());
            let (s, c) = sin_cos(rng.angle());
            // Every fourth target is out of reach; the others are anywhere within.
            let far = rng.between(0.0, 1.0) + if case % 4 == 3 { 1.0 } else { 0.0 };
            let far = far * lengths.sum::<f64>();
            let target = [chain.offsets[0][0] + far * c, chain.offsets[0][1] + far * s];
            let arrival = [1e-2, 1e-4, 1e-6, 0.0][case % 3];
            let outcome =
                compare_in_plane(chain, target, arrival, &format!("{n} bones, case {case}"));
            seen[outcome as usize] += 1;
        }
    }
    println!("reached, going on, no closer: {seen:?}");
    assert!(seen.iter().all(|&count| count > 20), "the cases cover all ends: {seen:?}");
}

#[test]
fn at_tolerance_zero_every_plane_iteration_is_run() {
    let mut rng = Rng::new(2);
    for n in 2..=25 {
        let mut chain = PlaneChain::random(&mut rng, n);
        let (skeleton, tip) = chain.skeleton();
        let target = [rng.between(-1.0, 1.0), rng.between(-1.0, 1.0)];
        let goal = (tip, DVec3::new(target[0], target[1], 0.0));
        let solution = by_ccd(&skeleton, &chain.angles, goal, &classic(0.0, 25));
        assert_eq!((solution.trace.len(), solution.iterations), (25, 25));
        for step in &solution.trace {
            // An arrival that is never met, so that no iteration is cut short.
            chain.iterate(target, -1.0);
            for (mine, theirs) in step.configuration.iter().zip(&chain.angles) {
                assert!(wrap_angle(mine - theirs).abs() < SAME, "{n} bones: {}", step.iteration);
            }
        }
    }
}

#[test]
fn a_product_of_levers_below_the_threshold_leaves_the_joint_alone() {
    // The last bone is 1e-3 long and the target 0.05 from its joint: the product is 5e-5.
    let chain = || PlaneChain {
        offsets: vec![[0.0, 0.0], [1.0, 0.0], [1e-3, 0.0]],
        angles: vec![0.3, 1.0],
    };
    let [jx, jy] = chain().points()[1];
    let near = [jx + 0.05, jy];
    compare_in_plane(chain(), near, 1e-9, "below the threshold");
    let (skeleton, tip) = chain().skeleton();
    let goal = (tip, DVec3::new(near[0], near[1], 0.0));
    let alone = by_ccd(&skeleton, &[0.3, 1.0], goal, &classic(1e-9, 1));
    assert_eq!(alone.configuration[1], 1.0, "the last joint did not move");
    let free = by_ccd(&skeleton, &[0.3, 1.0], goal, &Settings::default());
    assert!(free.configuration[1] != 1.0, "outside of classic mode it does");
}

#[test]
fn an_arc_below_the_threshold_counts_as_no_closer() {
    // One bone that still has to turn by 5e-6, then by 2e-5: trivial, then not.
    for (angle, outcome) in [(5e-6, Outcome::NoCloser), (2e-5, Outcome::GoingOn)] {
        let (s, c) = sin_cos(angle);
        let mut chain = PlaneChain { offsets: vec![[0.0, 0.0], [1.0, 0.0]], angles: vec![0.0] };
        let (skeleton, tip) = chain.skeleton();
        let goal = (tip, DVec3::new(2.0 * c, 2.0 * s, 0.0));
        let solution = by_ccd(&skeleton, &[0.0], goal, &classic(1e-9, 9));
        assert_eq!(chain.iterate([2.0 * c, 2.0 * s], 1e-9), outcome);
        let runs = if outcome == Outcome::NoCloser { 1 } else { 2 };
        assert_eq!(solution.iterations, runs, "an arc of {angle}");
    }
}

#[test]
fn figure_3_locks_up_in_classic_mode_and_is_left_by_default() {
    let (skeleton, tip) = plane_limb(&[1.0, 1.0]);
    let goal = (tip, DVec3::new(0.7, 0.0, 0.0));
    let locked = by_ccd(&skeleton, &[0.0, 0.0], goal, &classic(1e-6, 100));
    assert_eq!(locked.status, Status::Stalled);
    assert!(locked.iterations < 5, "the text stops when nothing moves: {}", locked.iterations);
    assert!((locked.error - 0.7).abs() < 1e-9, "folded back on the root: {}", locked.error);
    let out = by_ccd(&skeleton, &[0.0, 0.0], goal, &Settings::default());
    assert!(out.is_reached() && out.escaped_at.is_some());
    let tip = plane_tip(&[1.0, 1.0], &out.configuration);
    assert!(tip.distance(goal.1) <= 2e-6, "measured again: {tip}");
}

/// A joint in space, as the reference has it.
struct SpaceJoint {
    offset: DVec3,
    rest: DMat3,
    hinge: Option<DVec3>,
    range: Option<[f64; 2]>,
    turn: DMat3,
}

/// A chain in space, root at its first offset, with the tip in the last joint's frame.
struct SpaceChain {
    joints: Vec<SpaceJoint>,
    tip: DVec3,
}

/// A rotation matrix from a unit axis and an angle: Rodrigues' formula.
fn matrix(axis: DVec3, angle: f64) -> DMat3 {
    let (s, c) = sin_cos(angle);
    let column = |v: DVec3| v * c + axis.cross(v) * s + axis * (axis.dot(v) * (1.0 - c));
    DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
}

/// The rotation from one direction to another about their cross product.
fn between(from: DVec3, to: DVec3) -> DMat3 {
    let cross = from.cross(to);
    let size = cross.length();
    if size == 0.0 {
        return DMat3::IDENTITY;
    }
    matrix(cross / size, atan2(size, from.dot(to)))
}

/// A matrix that has drifted from a rotation by rounding, made one again (Gram and Schmidt): drift would feed on itself.
fn square(m: DMat3) -> DMat3 {
    let x = m.x_axis / m.x_axis.length();
    let y = m.y_axis - x * x.dot(m.y_axis);
    let y = y / y.length();
    DMat3::from_cols(x, y, x.cross(y))
}

fn angle_about(axis: DVec3, turn: DMat3) -> f64 {
    let arm = perpendicular(axis);
    let turned = turn * arm;
    atan2(axis.dot(arm.cross(turned)), arm.dot(turned))
}

impl SpaceChain {
    /// Positions of the joints and the tip, and the rotation of each joint before its turn.
    fn pose(&self) -> (Vec<DVec3>, Vec<DMat3>) {
        let (mut at, mut world) = (DVec3::ZERO, DMat3::IDENTITY);
        let (mut points, mut before) = (Vec::new(), Vec::new());
        for joint in &self.joints {
            at += world * joint.offset;
            world *= joint.rest;
            points.push(at);
            before.push(world);
            world *= joint.turn;
        }
        points.push(at + world * self.tip);
        (points, before)
    }

    fn iterate(&mut self, target: DVec3) {
        for i in (0..self.joints.len()).rev() {
            let (points, before) = self.pose();
            let (lever, wish) = (points[points.len() - 1] - points[i], target - points[i]);
            let mut turn = between(lever, wish);
            let joint = &mut self.joints[i];
            if let Some(hinge) = joint.hinge {
                let axis = before[i] * hinge;
                turn = between(turn * axis, axis) * turn;
            }
            joint.turn = square(before[i].transpose() * turn * before[i] * joint.turn);
            if let (Some(hinge), Some([min, max])) = (joint.hinge, joint.range) {
                joint.turn = matrix(hinge, angle_about(hinge, joint.turn).clamp(min, max));
            }
        }
    }

    fn skeleton(&self, rests: &[DQuat]) -> (Skeleton, Frame) {
        let mut builder = Skeleton::builder();
        for (i, (joint, rest)) in self.joints.iter().zip(rests).enumerate() {
            let name = format!("b{i}");
            let mut made = match joint.hinge {
                Some(axis) => Joint::revolute(name, axis),
                None => Joint::ball(name),
            };
            if let Some([min, max]) = joint.range {
                made = made.with_limit(Limit::Range { min, max });
            }
            let made = made.at(Pose { rotation: *rest, translation: joint.offset });
            builder.add(if i == 0 { made } else { made.child_of(i - 1) });
        }
        let tip = Frame::new(self.joints.len() - 1, Pose::from_translation(self.tip));
        (builder.build().expect("the problem is valid"), tip)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kinds {
    Balls,
    Hinges,
    Ranges,
    Mixed,
}

/// A random chain with its start values and the placements' rotations.
fn random_in_space(rng: &mut Rng, n: usize, kinds: Kinds) -> (SpaceChain, Vec<f64>, Vec<DQuat>) {
    let (mut joints, mut start, mut rests) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..n {
        let rest = rng.rotation();
        let kind = match kinds {
            Kinds::Mixed => rng.whole(0, 2),
            other => other as usize,
        };
        let hinge = (kind > 0).then(|| rng.direction());
        let range = (kind == 2).then(|| {
            let middle = rng.between(-1.0, 1.0);
            let half = rng.between(0.2, 2.0);
            [middle - half, middle + half]
        });
        let turn = match (hinge, range) {
            (Some(axis), range) => {
                let [min, max] = range.unwrap_or([-3.0, 3.0]);
                let angle = rng.between(min, max);
                start.push(angle);
                matrix(axis, angle)
            }
            _ => {
                let turn = rng.rotation();
                start.extend(turn.to_array());
                DMat3::from_quat(turn)
            }
        };
        let offset = rng.direction() * rng.between(0.3, 2.0);
        joints.push(SpaceJoint { offset, rest: DMat3::from_quat(rest), hinge, range, turn });
        rests.push(rest);
    }
    let tip = rng.direction() * rng.between(0.3, 2.0);
    (SpaceChain { joints, tip }, start, rests)
}

impl SpaceChain {
    /// Takes over joint values.
    fn set(&mut self, skeleton: &Skeleton, q: &[f64]) {
        for (i, joint) in self.joints.iter_mut().enumerate() {
            let values = &q[skeleton.value_range(i)];
            joint.turn = match joint.hinge {
                Some(axis) => matrix(axis, values[0]),
                None => DMat3::from_quat(DQuat::from_slice(values)),
            };
        }
    }

    /// Largest difference between this pose and a step's, in any point and any joint.
    fn off(&self, skeleton: &Skeleton, step: &TraceStep) -> f64 {
        let mut worst = 0.0_f64;
        for (mine, theirs) in step.points.chunks_exact(3).zip(self.pose().0) {
            worst = worst.max(DVec3::from_slice(mine).distance(theirs));
        }
        for (i, joint) in self.joints.iter().enumerate() {
            let values = &step.configuration[skeleton.value_range(i)];
            worst = worst.max(match joint.hinge {
                Some(axis) => wrap_angle(values[0] - angle_about(axis, joint.turn)).abs(),
                None => (DMat3::from_quat(DQuat::from_slice(values)) - joint.turn)
                    .to_cols_array()
                    .iter()
                    .fold(0.0_f64, |worst, x| worst.max(x.abs())),
            });
        }
        worst
    }
}

/// Largest differences over a whole run, and over single iterations from the same pose.
fn compare_in_space(rng: &mut Rng, n: usize, kinds: Kinds) -> [f64; 2] {
    let (mut chain, start, rests) = random_in_space(rng, n, kinds);
    let (skeleton, tip) = chain.skeleton(&rests);
    let reach: f64 = chain.joints.iter().map(|joint| joint.offset.length()).sum();
    let target = chain.joints[0].offset + rng.direction() * rng.between(0.2, 0.9) * reach;
    let solution = by_ccd(&skeleton, &start, (tip, target), &classic(0.0, 20));
    assert_eq!(solution.trace.len(), 20, "all iterations are run");
    let (mut whole, mut single) = (0.0_f64, 0.0_f64);
    for step in &solution.trace {
        chain.iterate(target);
        whole = whole.max(chain.off(&skeleton, step));
    }
    let mut before = &start;
    for step in &solution.trace {
        chain.set(&skeleton, before);
        chain.iterate(target);
        single = single.max(chain.off(&skeleton, step));
        before = &step.configuration;
    }
    [whole, single]
}

#[test]
fn iterations_in_space_equal_the_text() {
    let mut rng = Rng::new(3);
    for kinds in [Kinds::Balls, Kinds::Hinges, Kinds::Ranges, Kinds::Mixed] {
        let mut worst = [0.0_f64; 2];
        for n in 2..=25 {
            for _ in 0..8 {
                let off = compare_in_space(&mut rng, n, kinds);
                assert!(off[0].max(off[1]) < SAME, "{n} joints, {kinds:?}: {off:?}");
                worst = [worst[0].max(off[0]), worst[1].max(off[1])];
            }
        }
        println!("{kinds:?}: in a row {:e}, each iteration by itself {:e}", worst[0], worst[1]);
    }
}

#[test]
fn the_published_hinge_is_not_the_best_turn() {
    // Lever and wish at different heights over the hinge: turning there and back is not the best angle about the axis.
    let mut builder = Skeleton::builder();
    let hinge = builder.add(Joint::revolute("hinge", DVec3::Z));
    let skeleton = builder.build().unwrap();
    let tip = Frame::new(hinge, Pose::from_translation(DVec3::new(1.0, 0.0, 0.8)));
    let goal = (tip, rotation_about(DVec3::Z, 1.0) * DVec3::new(0.9, 0.0, 0.3));
    let published = by_ccd(&skeleton, &[0.0], goal, &classic(0.0, 1));
    let once = Settings::default().with_iterations(1);
    let best = by_ccd(&skeleton, &[0.0], goal, &once);
    assert!((best.configuration[0] - 1.0).abs() < 1e-12, "the best turn is by 1 rad");
    assert!((published.configuration[0] - 1.0).abs() > 1e-3, "the published one is not");
}
