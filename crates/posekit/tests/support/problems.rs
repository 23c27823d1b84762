//! Random problems of every sort, and what any answer to any of them must satisfy.
//!
//! A [`Recipe`] is small and shrinks: a seed, how many joints and tasks, and which [traits](Trait) the problem has. Every joint and
//! every task draws from a generator of its own, so a recipe with fewer of them or without a trait describes a part of the same problem.

use super::Rng;
use super::random::{Figure, N_KINDS};
use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, so3_log};
use posekit::skeleton::{Frame, Joint, JointKind, Limit, Mimic, Skeleton};
use posekit::solve::{
    HoldKind, JointOptions, LeastSquares, Method, Relaxation, Settings, Solution, Status,
    Workspace, solve,
};
use posekit::task::{Capsule, Miss, Task, TaskKind};
use proptest::prelude::*;

/// Limits hold rotations to rounding and values to the bit.
const ROUNDING: f64 = 2e-12;

/// What a problem may have, besides joints and tasks; a set of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trait {
    /// Limits of every kind: ranges, open ends, several turns, no room at all, cones.
    Limits,
    /// Slides among the joints, with and without ends.
    Slides,
    /// Joints that move and turn freely, at the root and elsewhere.
    Floats,
    /// Joints that follow others, geared up and down by several turns.
    Mimics,
    /// Branches, and several roots.
    Branches,
    /// Hinges about z in the plane z = 0 and nothing else.
    Plane,
    /// Bones without length, joints in line, fixed joints.
    Degenerate,
    /// All kinds of tasks, not only positions, orientations and poses.
    AllTasks,
    /// One position, whatever the number of tasks.
    OnePoint,
    /// Tasks on several levels.
    Levels,
    /// Tasks with weights, some of them zero.
    Weights,
    /// Targets of different poses, that contradict each other.
    Conflict,
    /// Some points out of reach.
    TooFar,
    /// Stiffness, different for every joint.
    Stiffness,
    /// A largest change, enough for some joints and too little for others.
    LargestChange,
    /// Some joints stay where they are.
    Locked,
    /// The root stays where it is.
    Pinned,
    /// A tolerance of 1e-3 of the size.
    Loose,
    /// A tolerance of 0.
    Exact,
    /// A few iterations.
    Hurry,
    /// No restarts.
    NoRestarts,
    /// The published iterations.
    Classic,
    /// Lengths in millimetres.
    Millimetres,
    /// Roots up to a million units from the origin.
    Far,
    /// Hinges and nothing else, about any axes.
    Hinges,
    /// Balls and nothing else.
    Balls,
    /// Limits, where there are any, leave every joint some room.
    Roomy,
}

/// From which a problem is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recipe {
    pub(crate) seed: u64,
    pub(crate) n_joints: usize,
    pub(crate) n_tasks: usize,
    pub(crate) traits: u32,
}

impl Recipe {
    pub(crate) fn has(&self, a: Trait) -> bool {
        self.traits & bit(a) != 0
    }

    pub(crate) fn with(self, all: &[Trait]) -> Self {
        Self { traits: self.traits | bits(all), ..self }
    }

    pub(crate) fn without(self, all: &[Trait]) -> Self {
        Self { traits: self.traits & !bits(all), ..self }
    }
}

fn bit(a: Trait) -> u32 {
    1 << a as u32
}

fn bits(all: &[Trait]) -> u32 {
    all.iter().fold(0, |set, &a| set | bit(a))
}

/// Mostly small ones, up to 40 joints.
pub(crate) fn recipes() -> impl Strategy<Value = Recipe> {
    let n_joints = prop_oneof![8 => 1..8_usize, 2 => 8..20_usize, 1 => 20..=40_usize];
    let sets = prop::bits::u32::masked((1 << (Trait::Roomy as u32 + 1)) - 1);
    // What half of the problems have, and what hides other traits, in one of eight; the rest in a quarter.
    let common = bits(&[Trait::Limits, Trait::AllTasks, Trait::Branches]);
    let rare =
        [Trait::Plane, Trait::Hinges, Trait::Balls, Trait::OnePoint, Trait::Hurry, Trait::Classic];
    let rare = bits(&rare);
    let traits = (sets, sets, sets)
        .prop_map(move |(a, b, c)| (a & b & !rare) | (a & common) | (a & b & c & rare));
    (any::<u64>(), n_joints, 1..=4_usize, traits)
        .prop_map(|(seed, n_joints, n_tasks, traits)| Recipe { seed, n_joints, n_tasks, traits })
}

/// The same problems in every run; `PROPTEST_RNG_SEED` gives others.
pub(crate) fn cases(n: u32) -> ProptestConfig {
    let rng_seed = match ProptestConfig::default().rng_seed {
        proptest::test_runner::RngSeed::Random => proptest::test_runner::RngSeed::Fixed(22),
        given => given,
    };
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() {
        ProptestConfig::default().cases
    } else {
        n
    };
    ProptestConfig { rng_seed, cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// A problem, and a pose that solves it if there is one by design.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) recipe: Recipe,
    pub(crate) skeleton: Skeleton,
    pub(crate) start: Vec<f64>,
    pub(crate) tasks: Vec<Task>,
    /// Targets for the same tasks, for `set_target`.
    pub(crate) other_tasks: Vec<Task>,
    pub(crate) settings: Settings,
    /// A pose inside all limits in which every task holds; none where tasks contradict each other or joints may not go there.
    pub(crate) truth: Option<Vec<f64>>,
    /// Other poses to start from, for brute force.
    elsewhere: Vec<Vec<f64>>,
    /// The sum of all bones, of slides between their ends, and of what is fixed to joints.
    pub(crate) size: f64,
    /// One metre.
    pub(crate) unit: f64,
    /// Where the roots stand, about.
    pub(crate) home: DVec3,
}

impl Problem {
    pub(crate) fn new(recipe: Recipe) -> Self {
        let rng = &mut Rng::new(recipe.seed ^ 0xfa2);
        let home = rng.direction() * [10.0, 1e3, 1e6][rng.below(3)];
        let home = if recipe.has(Trait::Far) { home } else { DVec3::ZERO };
        let unit = if recipe.has(Trait::Millimetres) { 1000.0 } else { 1.0 };
        let mut size = 0.0;
        let skeleton = skeleton(recipe, unit, home, &mut size);
        let rng = &mut Rng::new(recipe.seed ^ 0x5eed);
        let tips = tips(&skeleton, rng, recipe, unit);
        size += tips.iter().map(|tip| tip.joint_from_frame.translation.length()).sum::<f64>();
        let figure = Figure { skeleton, tips, reach: size.max(unit) };
        let pose = |rng: &mut Rng| at_home(&figure.skeleton, figure.pose(rng), home);
        let start = pose(rng);
        let settings = settings(recipe, &figure.skeleton, size, rng);
        let mut truths = [pose(rng), pose(rng)];
        let mut is_fair = !recipe.has(Trait::Conflict) && !recipe.has(Trait::TooFar);
        for truth in &mut truths {
            is_fair &= restrain(&figure.skeleton, &settings, &start, truth);
        }
        let tasks = tasks(recipe, &figure, &truths);
        let swapped = [truths[1].clone(), truths[0].clone()];
        let other_tasks = self::tasks(recipe, &figure, &swapped);
        size += largest_offset(&tasks).max(largest_offset(&other_tasks));
        let truth = is_fair.then(|| truths[0].clone());
        let elsewhere = (0..4).map(|_| pose(rng)).collect();
        let skeleton = figure.skeleton;
        Self {
            elsewhere,
            recipe,
            skeleton,
            start,
            tasks,
            other_tasks,
            settings,
            truth,
            size,
            unit,
            home,
        }
    }

    /// Every method that takes the problem, in a new workspace each, with its answer.
    pub(crate) fn by_all(&self) -> Vec<(Method, Solution)> {
        Method::ALL.into_iter().filter_map(|method| Some((method, self.solve(method)?))).collect()
    }

    /// None for a method that does not suit the problem.
    pub(crate) fn solve(&self, method: Method) -> Option<Solution> {
        self.solve_in(&mut Workspace::default(), method)
    }

    pub(crate) fn solve_in(&self, workspace: &mut Workspace, method: Method) -> Option<Solution> {
        self.begin(workspace, method).then(|| workspace.run().clone())
    }

    /// False for a method that does not suit the problem.
    pub(crate) fn begin(&self, workspace: &mut Workspace, method: Method) -> bool {
        let Self { skeleton, start, tasks, settings, .. } = self;
        match workspace.begin(skeleton, start, tasks, method, settings) {
            Ok(()) => true,
            Err(error) if error.is_unsuited() => false,
            Err(error) => panic!("{error}: {:?}", self.recipe),
        }
    }

    /// Gives the tasks of a problem under way their other targets; the tasks that there are now.
    pub(crate) fn set_targets(&self, workspace: &mut Workspace) -> Vec<Task> {
        let pairs = self.tasks.iter().zip(&self.other_tasks).enumerate();
        let tasks = pairs.map(|(k, (task, other))| match workspace.set_target(k, &other.kind) {
            Ok(()) => other.clone(),
            // Not the same frames, or not as many sides.
            Err(error) if error.is_unsuited() => task.clone(),
            Err(error) => panic!("{error}: {:?}", self.recipe),
        });
        tasks.collect()
    }

    /// What lengths may be off by rounding.
    fn rounding(&self) -> f64 {
        1e-12 * (self.size + self.unit) + 1e-14 * self.home.length()
    }

    /// The largest misses of the tasks that the status waits for, by forward kinematics.
    pub(crate) fn misses(&self, tasks: &[Task], q: &[f64]) -> Miss {
        let required = tasks.iter().filter(|task| is_required(task));
        let misses = required.map(|task| task.miss(&self.skeleton, q));
        misses.fold(Miss::default(), |worst, miss| Miss {
            distance: worst.distance.max(miss.distance),
            angle: worst.angle.max(miss.angle),
        })
    }

    /// Nothing is infinite, and every pose is inside its limits.
    pub(crate) fn check_poses(&self, solution: &Solution, _: &[Task]) -> Result<(), String> {
        let q = &solution.configuration;
        let mut numbers = q.iter().chain(&solution.points).chain(solution.others.iter().flatten());
        require(numbers.all(|x| x.is_finite()), || "not finite".into())?;
        require(self.skeleton.check(q).is_ok(), || format!("not a configuration: {q:?}"))?;
        self.check_limits(q)?;
        solution.others.iter().try_for_each(|other| self.check_limits(other))
    }

    /// Values exactly inside, rotations to rounding, followers exactly where their drivers put them.
    fn check_limits(&self, q: &[f64]) -> Result<(), String> {
        let skeleton = &self.skeleton;
        for i in 0..skeleton.n_joints() {
            let (values, limit) = (&q[skeleton.value_range(i)], skeleton.limit(i));
            let is_inside = match (skeleton.mimic(i), limit) {
                (Some(mimic), _) => {
                    let driver = q[skeleton.value_range(mimic.joint).start];
                    let tolerance = ROUNDING * (1.0 + values[0].abs());
                    values[0].to_bits() == mimic.value(driver).to_bits()
                        && limit.contains_value(values[0], tolerance)
                }
                (None, Limit::Cone { .. }) => {
                    limit.contains_rotation(DQuat::from_slice(values), ROUNDING)
                }
                (None, Limit::Range { .. }) => limit.contains_value(values[0], 0.0),
                (None, Limit::None) => true,
            };
            let name = skeleton.name(i);
            require(is_inside, || format!("limit: {name} is at {values:?} outside {limit:?}"))?;
        }
        Ok(())
    }

    /// Locked joints stand still, the others change by no more than they may.
    pub(crate) fn check_changes(&self, solution: &Solution, _: &[Task]) -> Result<(), String> {
        let (q, from) = (&solution.configuration, &self.start);
        for i in independent(&self.skeleton) {
            let change = change(&self.skeleton, i, from, q);
            let options = self.settings.joint_options(i);
            let most = if options.locked { 0.0 } else { options.largest_change };
            let is_slide = matches!(self.skeleton.kind(i), JointKind::Prismatic { .. });
            let tolerance = if is_slide { 1e-9 * self.unit } else { 1e-9 };
            let name = self.skeleton.name(i);
            require(change <= most + tolerance, || {
                format!("change: {name} by {change}, may {most}")
            })?;
        }
        Ok(())
    }

    /// What is reported is what forward kinematics measures.
    pub(crate) fn check_misses(&self, solution: &Solution, tasks: &[Task]) -> Result<(), String> {
        let q = &solution.configuration;
        for (reported, task) in solution.misses.iter().zip(tasks) {
            self.check_miss(task.kind.name(), *reported, task.miss(&self.skeleton, q))?;
        }
        let reported = Miss { distance: solution.error, angle: solution.orientation_error };
        self.check_miss("the worst", reported, self.misses(tasks, q))
    }

    fn check_miss(&self, name: &str, reported: Miss, miss: Miss) -> Result<(), String> {
        let off = (reported.distance - miss.distance).abs();
        let turned = (reported.angle - miss.angle).abs();
        // A frame that stands on what it looks at, or is turned by half a turn, is turned by rounding.
        let is_same = off <= self.rounding() + 1e-12 * miss.distance && turned <= 1e-7;
        require(is_same, || format!("miss: of {name} reported {reported:?}, measured {miss:?}"))
    }

    /// The tolerance is what was asked for, or a millionth of the bones.
    pub(crate) fn check_tolerance(
        &self,
        solution: &Solution,
        tasks: &[Task],
    ) -> Result<(), String> {
        let slides = (0..self.skeleton.n_joints()).map(|i| {
            let (min, max) = self.skeleton.limit(i).bounds();
            let values = &self.start[self.skeleton.value_range(i)];
            // Without ends, one that is locked is a bone as long as it is out.
            match self.skeleton.kind(i) {
                JointKind::Prismatic { .. } if (max - min).is_finite() => max - min,
                JointKind::Prismatic { .. } => values[0].abs(),
                JointKind::Free => DVec3::from_slice(values).length(),
                _ => 0.0,
            }
        });
        let size = self.size + slides.sum::<f64>();
        let asked = self.settings.tolerance.unwrap_or(1e-6 * size);
        let most = asked.max(1e-13 * size).max(f64::MIN_POSITIVE) * (1.0 + 1e-9);
        let tolerance = solution.tolerance;
        let is_bony = tasks.iter().filter(|task| is_required(task)).any(|task| self.is_bony(task));
        require(!is_bony || tolerance <= most, || {
            format!("tolerance: {tolerance:e}, of bones of {}", self.size)
        })
    }

    /// Reached means within the tolerance, and nothing else does; a budget that ran out is an iteration limit; what is proven out of
    /// reach is out of reach.
    pub(crate) fn check_status(&self, solution: &Solution, tasks: &[Task]) -> Result<(), String> {
        let (status, miss) = (&solution.status, self.misses(tasks, &solution.configuration));
        let (tolerance, settings) = (solution.tolerance, &self.settings);
        let said = || {
            format!(
                "status: {status:?} after {} of {}, tolerance {tolerance:e}: {miss:?}",
                solution.iterations, settings.iterations
            )
        };
        let is_near = |sign: f64| {
            miss.distance <= tolerance * (1.0 + sign * 1e-9) + sign * self.rounding()
                && miss.angle <= settings.angle_tolerance() + sign * 1e-7
        };
        match status {
            Status::Reached => require(is_near(1.0), said)?,
            _ => require(!is_near(-1.0), said)?,
        }
        let is_over = solution.iterations >= settings.iterations;
        // Least squares goes on with lower levels when there is no more progress.
        let method = solution.choice.method;
        let is_closed = matches!(method, Method::TwoBone | Method::Direct | Method::LeastSquares);
        match status {
            Status::Unreachable { shortfall } => {
                let is_proven = *shortfall <= miss.distance + self.rounding();
                require(is_proven && !self.is_found_by_force(tasks), said)
            }
            Status::IterationLimit => require(is_over, said),
            // The published iterations say at their ends what they have seen.
            Status::Stalled | Status::Blocked { .. } => {
                require(!is_over || is_closed || settings.classic, said)
            }
            _ => Ok(()),
        }
    }

    /// Whether some pose inside the limits reaches: the one that the tasks were made from, or one found from other starts.
    fn is_found_by_force(&self, tasks: &[Task]) -> bool {
        let restraints = [Trait::Locked, Trait::Pinned, Trait::LargestChange];
        let is_restrained = restraints.into_iter().any(|a| self.recipe.has(a));
        let finds = |start: &Vec<f64>| {
            let method = Method::LeastSquares;
            let solution = solve(&self.skeleton, start, tasks, method, &Settings::default());
            let solution = solution.expect("the tasks are valid");
            let miss = self.misses(tasks, &solution.configuration);
            miss.distance <= solution.tolerance && miss.angle <= self.settings.angle_tolerance()
        };
        self.truth.is_some() || !is_restrained && self.elsewhere.iter().any(finds)
    }

    /// Whether there are bones between what moves first and what a task speaks about.
    fn is_bony(&self, task: &Task) -> bool {
        let skeleton = &self.skeleton;
        let bodies = task.kind.bodies().into_iter().flat_map(|bodies| bodies.iter());
        let bodies = bodies.map(|body| (body.joint, body.center_in_joint));
        let frames = task.kind.frames().into_iter().flatten();
        let frames = frames.map(|frame| (frame.joint, frame.joint_from_frame.translation));
        frames.chain(bodies).any(|(joint, offset)| {
            let moves = |&i: &usize| skeleton.kind(i).n_dofs() > 0;
            let Some(first) = skeleton.ancestors(joint).filter(moves).last() else { return false };
            let bones = skeleton.ancestors(joint).take_while(|&i| i != first);
            let bones = bones.map(|i| skeleton.parent_from_joint(i).translation.length());
            offset.length() + bones.sum::<f64>() > 0.0
        })
    }

    /// Joints that block stand at a limit or at their largest change, and moving them moves what is asked for.
    pub(crate) fn check_holds(&self, solution: &Solution, tasks: &[Task]) -> Result<(), String> {
        let from = &self.start;
        let joints: Vec<usize> = solution.holds.iter().map(|hold| hold.joint).collect();
        if let Status::Blocked { joints: blocked } = &solution.status {
            require(*blocked == joints, || format!("holds: {blocked:?} block, {joints:?} hold"))?;
        }
        let (skeleton, q) = (&self.skeleton, &solution.configuration);
        for hold in &solution.holds {
            let name = skeleton.name(hold.joint);
            let is_at_end = (0..skeleton.n_joints()).any(|i| {
                driver(skeleton, i) == driver(skeleton, hold.joint)
                    && match hold.kind {
                        HoldKind::Limit => skeleton.touches_limit(i, q, 1e-6 * self.unit),
                        _ => {
                            let most = self.settings.joint_options(i).largest_change;
                            change(skeleton, i, from, q) >= most - 1e-6 * self.unit
                        }
                    }
            });
            require(is_at_end, || format!("holds at no end: {name}, {hold:?}"))?;
            let matters = self.matters(hold.joint, tasks, q);
            require(matters, || format!("holds and moves nothing: {name}"))?;
        }
        Ok(())
    }

    /// Whether moving a joint changes a task of level 1.
    fn matters(&self, joint: usize, tasks: &[Task], q: &[f64]) -> bool {
        let mut moved = q.to_vec();
        self.skeleton.dof_range(joint).any(|dof| {
            [-1e-3, 1e-3].into_iter().any(|by| {
                let mut v = vec![0.0; self.skeleton.n_dofs()];
                v[dof] = by;
                self.skeleton.integrate(q, &v, &mut moved);
                // A posture pulls, though the status does not wait for it.
                tasks.iter().filter(|task| task.level == 1 && task.weight > 0.0).any(|task| {
                    let (a, b) = (task.miss(&self.skeleton, q), task.miss(&self.skeleton, &moved));
                    (a.distance - b.distance).abs() > 10.0 * self.rounding()
                        || (a.angle - b.angle).abs() > 1e-9
                })
            })
        })
    }
}

fn require(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

/// Whether the status waits for a task.
pub(crate) fn is_required(task: &Task) -> bool {
    task.level == 1 && task.weight > 0.0 && !matches!(task.kind, TaskKind::Posture(_))
}

/// Joints with values of their own.
fn independent(skeleton: &Skeleton) -> impl Iterator<Item = usize> + '_ {
    (0..skeleton.n_joints()).filter(|&i| skeleton.mimic(i).is_none())
}

/// By how much a joint differs between two poses; of a free one, by how much it is turned.
fn change(skeleton: &Skeleton, joint: usize, a: &[f64], b: &[f64]) -> f64 {
    let values = skeleton.value_range(joint);
    match (&a[values.clone()], &b[values]) {
        ([a], [b]) => (a - b).abs(),
        ([.., ax, ay, az, aw], [.., bx, by, bz, bw]) => {
            let a = DQuat::from_xyzw(*ax, *ay, *az, *aw);
            so3_log(a.conjugate() * DQuat::from_xyzw(*bx, *by, *bz, *bw)).length()
        }
        _ => 0.0,
    }
}

/// The joint that a joint follows, or itself.
fn driver(skeleton: &Skeleton, joint: usize) -> usize {
    skeleton.mimic(joint).map_or(joint, |mimic| mimic.joint)
}

/// A tree of joints; its bones add to the size.
fn skeleton(recipe: Recipe, unit: f64, home: DVec3, size: &mut f64) -> Skeleton {
    let mut joints: Vec<Joint> = Vec::new();
    for i in 0..recipe.n_joints {
        let rng = &mut Rng::new(recipe.seed.wrapping_add(1 + i as u64));
        let mut place = place(rng, recipe, unit);
        let mut joint = joint(rng, recipe, i, unit);
        let (fork, any, ratio) = (rng.whole(0, 5), rng.below(i.max(1)), rng.below(6));
        let parent = match fork {
            0 if i > 0 && recipe.has(Trait::Branches) => Some(any),
            1 if recipe.has(Trait::Branches) => None,
            _ => i.checked_sub(1),
        };
        if let Some(parent) = parent {
            *size += place.translation.length();
            joint = joint.child_of(parent);
        } else if joint.kind != JointKind::Free {
            place.translation += home;
        }
        if let (JointKind::Prismatic { .. }, Limit::Range { min, max }) = (joint.kind, joint.limit)
        {
            let ends = [min, max].map(f64::abs).into_iter().filter(|end| end.is_finite());
            *size += ends.fold(0.0, f64::max);
        }
        joints.push(joint.at(place));
        if recipe.has(Trait::Mimics) && i > 0 && rng.whole(0, 1) == 0 {
            follow(&mut joints, any, [1.0, -1.0, 1.0 / 6.0, 0.01, -0.5, 6.0][ratio]);
        }
    }
    Skeleton::try_new(joints).expect("the joints are valid")
}

/// A pose in which free roots stand as far from their own places as the other roots stand from theirs.
fn at_home(skeleton: &Skeleton, mut pose: Vec<f64>, home: DVec3) -> Vec<f64> {
    for i in (0..skeleton.n_joints()).filter(|&i| skeleton.parent(i).is_none()) {
        if let JointKind::Free = skeleton.kind(i) {
            let start = skeleton.value_range(i).start;
            let by = skeleton.parent_from_joint(i).rotation.conjugate() * home;
            (0..3).for_each(|k| pose[start + k] += by[k]);
        }
    }
    pose
}

/// Lets the last joint follow an earlier one, where that makes sense.
fn follow(joints: &mut [Joint], driver: usize, multiplier: f64) {
    let last = joints.len() - 1;
    if joints[last].kind.axis().is_none() || joints[driver].kind.axis().is_none() {
        return;
    }
    let mimic = Mimic { joint: driver, multiplier, offset: 0.0 };
    let alone = core::mem::replace(&mut joints[last], Joint::fixed("later"));
    joints[last] = alone.clone().with_mimic(mimic);
    if Skeleton::try_new(joints.to_vec()).is_err() {
        joints[last] = alone;
    }
}

fn place(rng: &mut Rng, recipe: Recipe, unit: f64) -> Pose {
    let (shape, direction, length) = (rng.whole(0, 4), rng.direction(), rng.between(0.1, 1.5));
    let (is_turned, rotation) = (rng.whole(0, 2) > 0, rng.rotation());
    if recipe.has(Trait::Plane) {
        return Pose::from_translation(DVec3::X * (length * unit));
    }
    let translation = match shape {
        0 if recipe.has(Trait::Degenerate) => DVec3::ZERO,
        1 if recipe.has(Trait::Degenerate) => DVec3::X,
        _ => direction * length,
    };
    let rotation = if is_turned { rotation } else { DQuat::IDENTITY };
    Pose { rotation, translation: translation * unit }
}

fn joint(rng: &mut Rng, recipe: Recipe, i: usize, unit: f64) -> Joint {
    let (kind, axis, name) = (rng.whole(0, 9), rng.direction(), format!("j{i}"));
    let (range, cone) = (range(rng, recipe), cone(rng, recipe));
    let joint = match kind {
        _ if recipe.has(Trait::Plane) => Joint::revolute(name, DVec3::Z),
        _ if recipe.has(Trait::Hinges) => Joint::revolute(name, axis),
        _ if recipe.has(Trait::Balls) => Joint::ball(name),
        0 if recipe.has(Trait::Degenerate) => Joint::fixed(name),
        1 if recipe.has(Trait::Floats) => Joint::free(name),
        2 if recipe.has(Trait::Slides) => Joint::prismatic(name, axis),
        7.. => Joint::ball(name),
        _ => Joint::revolute(name, axis),
    };
    match joint.kind {
        _ if !recipe.has(Trait::Limits) => joint,
        JointKind::Revolute { .. } => joint.with_limit(range),
        JointKind::Prismatic { .. } => match range {
            Limit::Range { min, max } => {
                joint.with_limit(Limit::Range { min: min * unit, max: max * unit })
            }
            other => joint.with_limit(other),
        },
        JointKind::Ball => joint.with_limit(cone),
        _ => joint,
    }
}

fn range(rng: &mut Rng, recipe: Recipe) -> Limit {
    let (shape, min, span) = (rng.whole(0, 7), rng.between(-2.0, 1.0), rng.between(0.0, 3.0));
    match shape {
        _ if recipe.has(Trait::Roomy) => Limit::Range { min, max: min + span + 0.4 },
        0 => Limit::None,
        1 => Limit::Range { min, max: min },
        2 => Limit::Range { min, max: f64::INFINITY },
        3 => Limit::Range { min: min - 10.0 * span, max: min + 10.0 * span },
        _ => Limit::Range { min, max: min + span },
    }
}

fn cone(rng: &mut Rng, recipe: Recipe) -> Limit {
    let (shape, axis) = (rng.whole(0, 7), rng.direction());
    let (swing, min, span) = (rng.between(0.1, 3.1), rng.between(-2.0, 1.0), rng.between(0.0, 3.0));
    match shape {
        _ if recipe.has(Trait::Roomy) => {
            Limit::Cone { axis, swing: swing.max(0.2), twist: [min, min + span + 0.2] }
        }
        0 => Limit::None,
        1 => Limit::Cone { axis, swing: 0.0, twist: [min, min + span] },
        2 => Limit::Cone { axis, swing, twist: [0.0, 0.0] },
        _ => Limit::Cone { axis, swing, twist: [min, min + span] },
    }
}

/// A frame on the last joint, and on every other one from which nothing grows.
fn tips(skeleton: &Skeleton, rng: &mut Rng, recipe: Recipe, unit: f64) -> Vec<Frame> {
    let ends = (0..skeleton.n_joints()).filter(|&i| skeleton.children(i).is_empty());
    ends.map(|i| Frame::new(i, place(rng, recipe.without(&[Trait::Degenerate]), unit))).collect()
}

fn settings(recipe: Recipe, skeleton: &Skeleton, size: f64, rng: &mut Rng) -> Settings {
    let n = skeleton.n_joints();
    let stiffness: Vec<f64> = (0..n).map(|_| rng.between(0.1, 10.0)).collect();
    let unit = if recipe.has(Trait::Millimetres) { 1000.0 } else { 1.0 };
    let most = [0.0, 0.05, 0.5, 1.5, f64::INFINITY];
    let largest_change: Vec<f64> = (0..n).map(|_| unit * most[rng.below(5)] / unit).collect();
    let locked: Vec<usize> = (0..n).filter(|_| rng.whole(0, 3) == 0).collect();
    let joints = (0..n).map(|i| {
        let usual = JointOptions::default();
        JointOptions::default()
            .with_locked(
                (recipe.has(Trait::Locked) && locked.contains(&i))
                    || (recipe.has(Trait::Pinned) && skeleton.is_root(i)),
            )
            .with_stiffness(if recipe.has(Trait::Stiffness) {
                stiffness[i]
            } else {
                usual.stiffness
            })
            .with_largest_change(if recipe.has(Trait::LargestChange) {
                largest_change[i]
            } else {
                usual.largest_change
            })
    });
    let tolerance = match () {
        () if recipe.has(Trait::Loose) => Some(1e-3 * size),
        () if recipe.has(Trait::Exact) => Some(0.0),
        () => None,
    };
    let restarts = if recipe.has(Trait::NoRestarts) { 0 } else { 10 };
    Settings::default()
        .with_tolerance(tolerance)
        .with_orientation_tolerance(recipe.has(Trait::Loose).then_some(1e-3))
        .with_iterations(if recipe.has(Trait::Hurry) { [0, 1, 3, 10][rng.below(4)] } else { 80 })
        .with_classic(recipe.has(Trait::Classic))
        .with_joints(joints)
        .with_relaxation(Relaxation::default().with_passes([1, 3][rng.below(2)]))
        .with_least_squares(LeastSquares::default().with_restarts(restarts))
}

/// Puts joints of a pose that may not move where they start. False when the pose is not allowed even then.
fn restrain(skeleton: &Skeleton, settings: &Settings, start: &[f64], pose: &mut [f64]) -> bool {
    // A follower that is locked holds its driver.
    for i in (0..skeleton.n_joints()).filter(|&i| settings.joint_options(i).locked) {
        let values = skeleton.value_range(driver(skeleton, i));
        pose[values.clone()].copy_from_slice(&start[values]);
    }
    skeleton.settle(pose);
    let most = |i| settings.joint_options(i).largest_change;
    independent(skeleton).all(|i| change(skeleton, i, start, pose) <= most(i))
}

/// Tasks that hold in the first pose, or, where they contradict each other, in one of the two.
fn tasks(recipe: Recipe, figure: &Figure, truths: &[Vec<f64>; 2]) -> Vec<Task> {
    let n = if recipe.has(Trait::OnePoint) { 1 } else { recipe.n_tasks };
    let task = |k: usize| {
        let rng = &mut Rng::new(recipe.seed.wrapping_sub(1 + k as u64));
        let (which, plain, any) = (rng.below(2), rng.below(4), rng.below(N_KINDS));
        let (level, weight) = ([1, 2, 3][rng.below(3)], [0.0, 0.3, 1.0, 1.0, 7.0][rng.below(5)]);
        let (out, far) = (rng.direction() * figure.reach, rng.below(3));
        let truth = &truths[if recipe.has(Trait::Conflict) { which } else { 0 }];
        let kind = match () {
            () if recipe.has(Trait::OnePoint) => 0,
            () if recipe.has(Trait::AllTasks) => any,
            () => [0, 0, 1, 2][plain],
        };
        let mut task = figure.task(rng, kind, truth);
        if let (TaskKind::Pose(pose), false) = (&mut task.kind, recipe.has(Trait::AllTasks)) {
            pose.axes = posekit::task::Axes::ALL;
        }
        if let (TaskKind::Position(point), true) = (&mut task.kind, recipe.has(Trait::TooFar)) {
            point.target_in_world += out * [0.0, 2.0, 20.0][far];
        }
        let level = if recipe.has(Trait::Levels) { level } else { 1 };
        task.at_level(level).weighing(if recipe.has(Trait::Weights) { weight } else { 1.0 })
    };
    (0..n).map(task).collect()
}

/// The largest offset of a frame, a body or a capsule from the joint that carries it.
fn largest_offset(tasks: &[Task]) -> f64 {
    let frames = tasks.iter().flat_map(|task| task.kind.frames()).flatten();
    let frames = frames.map(|frame| frame.joint_from_frame.translation.length());
    let bodies = tasks.iter().filter_map(|task| task.kind.bodies()).flat_map(|list| list.iter());
    let bodies = bodies.map(|body| body.center_in_joint.length());
    let capsules = tasks.iter().flat_map(|task| match &task.kind {
        TaskKind::Clearance(task) => task.capsules.to_vec(),
        _ => Vec::new(),
    });
    let capsules = capsules.filter(|capsule: &Capsule| capsule.joint.is_some());
    let ends = capsules.map(|capsule| capsule.ends[0].length().max(capsule.ends[1].length()));
    frames.chain(bodies).chain(ends).fold(0.0, f64::max)
}
