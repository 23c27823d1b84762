//! Random skeletons with limits, and targets that some pose inside the limits reaches.
//!
//! With limits there is no proof that a method gets there. The suite measures how often each does, prints it, and holds
//! the rates at what they are; limits are never broken, and what a solution says about itself is checked by forward kinematics.

mod support;

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, rotation_about};
use posekit::skeleton::{Frame, Joint, JointKind, Limit, Skeleton};
use posekit::solve::{Method, Settings, Status, Workspace};
use posekit::task::{Position, Task, TaskKind};
use support::{Rng, TOLERANCE};

/// Cases per family.
const CASES: u64 = 1000;

/// Iterations in which every case is reached.
const PATIENCE: u32 = 1000;

/// A limit holds a rotation up to rounding (the split in swing and twist is not exact); values it holds to the bit.
const ROUNDING: f64 = 2e-12;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Family {
    /// Hinges about +z in the plane, ranges 0.4 to 4 rad wide.
    Plane,
    /// Hinges about any axes, bones in any directions, ranges 0.4 to 4 rad wide.
    Hinges,
    /// Balls with a cone about their bone and a limited twist.
    Cones,
    /// Hinges, balls and slides in turn, all limited.
    Mixed,
    /// A stem with two branches of limited hinges and balls, a target for each tip.
    Trees,
}

struct Case {
    skeleton: Skeleton,
    start: Vec<f64>,
    tasks: Vec<Task>,
    reach: f64,
}

fn range(rng: &mut Rng) -> Limit {
    let (middle, half) = (rng.between(-1.0, 1.0), rng.between(0.2, 2.0));
    Limit::Range { min: middle - half, max: middle + half }
}

fn joint(rng: &mut Rng, name: String, family: Family, bone: DVec3) -> Joint {
    let kind = match family {
        Family::Plane => return Joint::revolute(name, DVec3::Z).with_limit(range(rng)),
        Family::Hinges => 0,
        Family::Cones => 1,
        Family::Mixed => rng.whole(0, 2),
        Family::Trees => rng.whole(0, 1),
    };
    match kind {
        0 => Joint::revolute(name, rng.direction()).with_limit(range(rng)),
        1 => {
            let axis = bone.normalize_or(DVec3::X);
            let (swing, middle) = (rng.between(0.2, 2.0), rng.between(-1.0, 1.0));
            let half = rng.between(0.1, 1.5);
            let twist = [middle - half, middle + half];
            Joint::ball(name).with_limit(Limit::Cone { axis, swing, twist })
        }
        _ => {
            let min = rng.between(-0.5, 0.0);
            let limit = Limit::Range { min, max: min + rng.between(0.1, 1.0) };
            Joint::prismatic(name, rng.direction()).with_limit(limit)
        }
    }
}

fn bone(rng: &mut Rng, family: Family) -> DVec3 {
    let length = rng.between(0.2, 1.0);
    if family == Family::Plane { DVec3::X * length } else { rng.direction() * length }
}

/// A configuration evenly inside the limits.
fn inside(rng: &mut Rng, skeleton: &Skeleton) -> Vec<f64> {
    let mut q = skeleton.neutral();
    for i in 0..skeleton.n_joints() {
        let place = skeleton.value_range(i);
        match skeleton.limit(i) {
            Limit::Range { min, max } => q[place.start] = rng.between(min, max),
            Limit::Cone { axis, swing, twist } => {
                let across =
                    axis.cross(rng.direction()).normalize_or(axis.any_orthonormal_vector());
                let swing = rotation_about(across, rng.between(0.0, swing));
                let twist = rotation_about(axis, rng.between(twist[0], twist[1]));
                (swing * twist).write_to_slice(&mut q[place]);
            }
            _ => {}
        }
    }
    q
}

impl Case {
    fn random(family: Family, index: u64) -> Self {
        let mut rng = Rng::new(index * 8 + family as u64);
        let mut builder = Skeleton::builder();
        let n = rng.whole(2, 12);
        // Where the branches start and end; a plain limb is one branch.
        let (stem, first, second) = if family == Family::Trees {
            (rng.whole(1, 3), rng.whole(2, 5), rng.whole(2, 5))
        } else {
            (0, n, 0)
        };
        let mut tips = Vec::new();
        let mut reach = 0.0;
        let mut parent: Option<(usize, DVec3)> = None;
        let mut fork = None;
        for i in 0..stem + first + second {
            if i == stem {
                fork = parent;
            }
            if second > 0 && i == stem + first {
                tips.extend(parent);
                parent = fork;
            }
            let out = bone(&mut rng, family);
            reach += out.length();
            let mut made = joint(&mut rng, format!("j{i}"), family, out);
            if let (JointKind::Prismatic { .. }, Limit::Range { min, max }) =
                (made.kind, made.limit)
            {
                reach += max.max(-min);
            }
            if let Some((above, bone)) = parent {
                let turned = if family == Family::Plane { DQuat::IDENTITY } else { rng.rotation() };
                made = made.child_of(above).at(Pose { rotation: turned, translation: bone });
            }
            parent = Some((builder.add(made), out));
        }
        tips.extend(parent);
        let skeleton = builder.build().expect("the joints are valid");
        let (start, goal) = (inside(&mut rng, &skeleton), inside(&mut rng, &skeleton));
        let poses = skeleton.poses(&goal);
        let tasks = tips
            .iter()
            .map(|&(joint, bone)| {
                let tip = Frame::new(joint, Pose::from_translation(bone));
                Position::new(tip, tip.world(&poses).translation).into()
            })
            .collect();
        Self { skeleton, start, tasks, reach }
    }

    /// The largest miss, by the skeleton's own kinematics.
    fn miss(&self, q: &[f64]) -> f64 {
        let poses = self.skeleton.poses(q);
        let misses = self.tasks.iter().map(|task| match task.kind {
            TaskKind::Position(task) => {
                task.frame.world(&poses).translation.distance(task.target_in_world)
            }
            _ => 0.0,
        });
        misses.fold(0.0, f64::max)
    }

    /// Values exactly inside their ranges, rotations up to rounding.
    fn holds(&self, q: &[f64]) -> bool {
        (0..self.skeleton.n_joints()).all(|i| {
            let values = &q[self.skeleton.value_range(i)];
            match self.skeleton.limit(i) {
                limit @ Limit::Cone { .. } => {
                    limit.contains_rotation(DQuat::from_slice(values), ROUNDING)
                }
                limit => limit.contains_value(values[0], 0.0),
            }
        })
    }
}

/// How many cases of a family a method reaches in the default number of iterations; prints which it does not. Least squares must
/// reach all of them in [`PATIENCE`].
fn reached(family: Family, method: Method) -> u64 {
    let (mut workspace, settings) = (Workspace::default(), Settings::default());
    let (mut reached, mut iterations, mut missed) = (0, Vec::new(), Vec::new());
    for index in 0..CASES {
        let case = Case::random(family, index);
        workspace
            .begin(&case.skeleton, &case.start, &case.tasks, method, &settings)
            .expect("the case is valid");
        let solution = workspace.run();
        let name = format!("{family:?} {index} by {}", method.name());
        let miss = case.miss(&solution.configuration);
        assert!(
            (miss - solution.error).abs() <= 1e-12 * case.reach,
            "{name}: the error is {miss:e}, not {:e}",
            solution.error
        );
        assert!(case.holds(&solution.configuration), "{name}: limits broken");
        assert!(
            !matches!(solution.status, Status::Unreachable { .. }),
            "{name}: proven unreachable although a pose reaches it"
        );
        if solution.is_reached() {
            let tolerance = solution.tolerance;
            assert!(tolerance <= 3.0 * TOLERANCE * case.reach, "{name}: tolerance {tolerance:e}");
            assert!(miss <= tolerance * (1.0 + 1e-9), "{name}: said to reach, {miss:e} off");
            reached += 1;
            iterations.push(solution.iterations);
        } else {
            missed.push(format!("{index} ({}, {:.1e})", solution.status.word(), miss / case.reach));
            if method != Method::LeastSquares {
                continue;
            }
            let patient = Settings { iterations: PATIENCE, ..settings.clone() };
            workspace
                .begin(&case.skeleton, &case.start, &case.tasks, method, &patient)
                .expect("the case is valid");
            let solution = workspace.run();
            assert!(solution.is_reached(), "{name}: {:?} in the end", solution.status);
        }
    }
    iterations.sort_unstable();
    let at = |per_cent: usize| iterations[(iterations.len() - 1) * per_cent / 100];
    let rate = 100.0 * reached as f64 / CASES as f64;
    let report = format!(
        "{family:?} by {}: {rate:.1} %, iterations 50 % {}, 90 % {}, 99 % {}, max {}; not: {}\n",
        method.name(),
        at(50),
        at(90),
        at(99),
        at(100),
        missed.join(", ")
    );
    std::io::Write::write_all(&mut std::io::stdout(), report.as_bytes()).expect("stdout is open");
    reached
}

/// `floors`: how many of the cases CCD, FABRIK, relaxation and least squares must reach at least. A method that is named runs itself to the end.
fn check(family: Family, floors: [u64; 4]) {
    let methods = [Method::Ccd, Method::Fabrik, Method::Relaxation, Method::LeastSquares];
    let counts = methods.map(|method| reached(family, method));
    assert!(
        counts.iter().zip(&floors).all(|(count, floor)| count >= floor),
        "{family:?}: {counts:?} of {CASES} reached, were {floors:?}"
    );
}

#[test]
fn hinges_in_the_plane() {
    check(Family::Plane, [940, 975, 905, CASES]);
}

#[test]
fn hinges_in_space() {
    check(Family::Hinges, [950, 965, 945, CASES]);
}

#[test]
fn balls_with_cones() {
    check(Family::Cones, [985, 988, 970, CASES]);
}

#[test]
fn hinges_balls_and_slides() {
    check(Family::Mixed, [980, 980, 965, CASES]);
}

#[test]
fn trees_with_two_effectors() {
    check(Family::Trees, [920, 980, 960, 999]);
}
