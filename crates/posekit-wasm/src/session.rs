//! A solver of one problem: the current targets, a workspace, and the solution.

use std::rc::Rc;

use posekit::chain::{Chain, Goals};
use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{JointKind, Skeleton};
use posekit::solve::{Method, Phase, Progress, Settings, Solution, Workspace};
use posekit::task::Task;
use posekit_io::problem::{Body, Problem, Rig, read_settings, set_frame, set_target};

use crate::POSE;
use crate::fault::{Fault, Result, wrong_length};

/// Number of values at the head of a trace step: iteration, phase, joint or pass, error.
pub const HEADER: usize = 4;

/// A solver of one problem. After the first solve of a problem nothing is allocated, except for traces.
#[derive(Debug)]
pub struct Session {
    problem: Rc<Problem>,
    workspace: Workspace,
    /// The requested method.
    method: Method,
    settings: Settings,
    /// The settings of the problem, which the settings of a solve override.
    base: Settings,
    /// The tasks with their current targets.
    tasks: Vec<Task>,
    /// The tasks whose targets have moved and are not yet passed to the workspace.
    moved: Vec<bool>,
    is_moved: bool,
    matter: Matter,
    has_begun: bool,
    /// The joints between the root and the tip that can move, for the points of a chain.
    moving: Vec<usize>,
    world: Vec<Pose>,
    flat: Vec<f64>,
}

/// The input of the workspace besides the tasks.
#[derive(Debug)]
enum Matter {
    /// Joint values to start from.
    Joints { start: Vec<f64> },
    /// Points to start from, and the target of the tip.
    Points { chain: Chain, target: Vec<f64> },
}

impl Session {
    /// A solver of this problem, which has not begun yet.
    #[must_use]
    pub fn new(problem: Rc<Problem>) -> Self {
        let tasks = problem.tasks();
        let base = problem.settings(Settings::default());
        let rig = problem.rig();
        let matter = match problem.as_ref() {
            Problem::Scene(scene) => match &scene.body {
                Body::Points { chain, target } => {
                    Matter::Points { chain: chain.clone(), target: target.clone() }
                }
                Body::Joints(rig) => Matter::Joints { start: rig.start.clone() },
            },
            Problem::Figure(figure) => Matter::Joints { start: figure.rig.start.clone() },
        };
        let is_chain = matches!(problem.as_ref(), Problem::Scene(_));
        Self {
            moving: rig.filter(|_| is_chain).map_or(Vec::new(), Rig::moving),
            world: vec![Pose::IDENTITY; rig.map_or(0, |rig| rig.skeleton.n_joints())],
            moved: vec![false; tasks.len().max(1)],
            is_moved: false,
            workspace: Workspace::default(),
            method: Method::Auto,
            settings: base.clone(),
            base,
            tasks,
            matter,
            has_begun: false,
            flat: Vec::new(),
            problem,
        }
    }

    /// Begins a solve with the current targets.
    ///
    /// - `settings`: JSON, any of the fields of [`Settings`] ([`read_settings`]); the others are those of the problem
    /// - `start`: joint values, or the points of a chain of points; by default those of the problem
    ///
    /// # Errors
    /// An unknown method, invalid settings or start, a method that does not apply to the problem.
    pub fn begin(
        &mut self,
        method: &str,
        settings: Option<&str>,
        start: Option<&[f64]>,
    ) -> Result<()> {
        let method = method_of(method)?;
        let mut given = self.base.clone();
        if let Some(text) = settings {
            read_settings(text, self.problem.skeleton(), &mut given)?;
        }
        self.place_start(start)?;
        self.method = method;
        self.settings = given;
        self.begin_again()
    }

    /// Begins a solve with the method and the settings of the previous one, without allocating.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn restart(&mut self, start: Option<&[f64]>) -> Result<()> {
        self.place_start(start)?;
        self.begin_again()
    }

    fn place_start(&mut self, start: Option<&[f64]>) -> Result<()> {
        match (&mut self.matter, self.problem.as_ref()) {
            (Matter::Joints { start: own }, problem) => {
                let Some(usual) = problem.rig().map(|rig| &rig.start) else { return Ok(()) };
                let given = start.unwrap_or(usual);
                if given.len() != own.len() {
                    return Err(wrong_length("start", own.len(), given.len()));
                }
                own.copy_from_slice(given);
            }
            (Matter::Points { chain, .. }, Problem::Scene(scene)) => {
                if let Body::Points { chain: usual, .. } = &scene.body {
                    chain.set_points(start.unwrap_or(usual.points()))?;
                }
            }
            (Matter::Points { .. }, Problem::Figure(_)) => {}
        }
        Ok(())
    }

    fn begin_again(&mut self) -> Result<()> {
        self.has_begun = false;
        match (&self.matter, self.problem.rig()) {
            (Matter::Joints { start }, Some(rig)) => self.workspace.begin(
                &rig.skeleton,
                start,
                &self.tasks,
                self.method,
                &self.settings,
            )?,
            (Matter::Points { chain, target }, _) => {
                let goals = Goals { effectors: &[chain.n_points() - 1], targets: target };
                self.workspace.begin_chain(chain, goals, self.method, &self.settings)?;
            }
            (Matter::Joints { .. }, None) => {}
        }
        self.moved.fill(false);
        self.is_moved = false;
        self.has_begun = true;
        Ok(())
    }

    /// Moves a target. A running solve continues towards it from the current pose; the next [`begin`](Self::begin) starts with it.
    ///
    /// - `task`: the index of the task; 0 for the tip of a chain of points
    /// - `target`: 2 or 3 numbers for a point or a direction, 4 for an orientation, 7 for a pose
    ///
    /// # Errors
    /// No such task, a wrong number of values, values that are not finite.
    pub fn set_target(&mut self, task: usize, target: &[f64]) -> Result<()> {
        if let Matter::Points { target: own, .. } = &mut self.matter {
            if task != 0 {
                return Err(no_such_task(task, 1));
            }
            if target.len() != own.len() {
                return Err(wrong_length("target", own.len(), target.len()));
            }
            if let Some(index) = target.iter().position(|number| !number.is_finite()) {
                return Err(Fault::new(format!("target: number {index} is not finite")));
            }
            own.copy_from_slice(target);
        } else {
            let n_tasks = self.tasks.len();
            let kind = self.tasks.get_mut(task).map(|task| &mut task.kind);
            set_target(kind.ok_or_else(|| no_such_task(task, n_tasks))?, target)?;
        }
        self.moved[task] = true;
        self.is_moved = true;
        Ok(())
    }

    /// Places every joint anew on its parent; [`begin`](Self::begin) or [`restart`](Self::restart) must follow. The problem itself, which others may share, is
    /// unchanged.
    ///
    /// - `placements`: [`POSE`] numbers for each joint
    ///
    /// # Errors
    /// A chain of points, a wrong number of values, and as [`Skeleton::set_parent_from_joint`]; joints before the one at fault are placed then.
    pub fn set_placements(&mut self, placements: &[f64]) -> Result<()> {
        let Some(skeleton) = Rc::make_mut(&mut self.problem).skeleton_mut() else {
            return Err(Fault::new("a chain of points has no joints to place"));
        };
        self.has_begun = false;
        if placements.len() != POSE * skeleton.n_joints() {
            let expected = POSE * skeleton.n_joints();
            return Err(wrong_length("placements", expected, placements.len()));
        }
        for (joint, numbers) in placements.chunks_exact(POSE).enumerate() {
            skeleton.set_parent_from_joint(joint, pose_of(numbers))?;
        }
        Ok(())
    }

    /// Moves a frame of a task on its joint ([`set_frame`]); [`begin`](Self::begin) or [`restart`](Self::restart) must follow.
    ///
    /// # Errors
    /// No such task or frame, a wrong number of values, values that are not finite.
    pub fn set_frame(&mut self, task: usize, index: usize, frame: &[f64]) -> Result<()> {
        let n_tasks = self.tasks.len();
        let kind = self.tasks.get_mut(task).map(|task| &mut task.kind);
        set_frame(kind.ok_or_else(|| no_such_task(task, n_tasks))?, index, frame)?;
        self.has_begun = false;
        Ok(())
    }

    /// Passes moved targets to the workspace.
    fn follow(&mut self) -> Result<()> {
        if !self.has_begun {
            return Err(Fault::new("nothing has begun: call begin first"));
        }
        if !core::mem::take(&mut self.is_moved) {
            return Ok(());
        }
        if let Matter::Points { target, .. } = &self.matter {
            self.moved.fill(false);
            return Ok(self.workspace.retarget(target)?);
        }
        for (index, task) in self.tasks.iter().enumerate() {
            if core::mem::take(&mut self.moved[index]) {
                self.workspace.set_target(index, &task.kind)?;
            }
        }
        Ok(())
    }

    /// Runs at most this number of iterations; true when the solve is over.
    ///
    /// # Errors
    /// When nothing has begun.
    pub fn step(&mut self, n: u32) -> Result<bool> {
        self.follow()?;
        for _ in 0..n {
            if self.workspace.step() == Progress::Done {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// When nothing has begun.
    pub fn run(&mut self) -> Result<()> {
        self.follow()?;
        while self.workspace.step() == Progress::Continuing {}
        Ok(())
    }

    /// The best solution so far.
    ///
    /// # Errors
    /// When nothing has begun.
    pub fn solution(&mut self) -> Result<&Solution> {
        self.follow()?;
        Ok(self.workspace.solution())
    }

    /// The settings of the solve.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Number of values of [`points`](Self::points).
    #[must_use]
    pub fn points_len(&self) -> usize {
        let problem = self.problem.as_ref();
        match (&self.matter, problem) {
            (Matter::Points { chain, .. }, _) => chain.points().len(),
            (_, Problem::Scene(_)) => (self.moving.len() + 1) * problem.dimension(),
            (_, Problem::Figure(_)) => 3 * self.world.len(),
        }
    }

    /// The poses of all joints, [`POSE`] numbers each.
    ///
    /// # Errors
    /// When nothing has begun.
    pub fn poses(&mut self) -> Result<&[f64]> {
        self.follow()?;
        let q = &self.workspace.solution().configuration;
        if let Some(skeleton) = self.problem.skeleton() {
            forward(skeleton, q, &mut self.world, &mut self.flat);
        } else {
            self.flat.clear();
        }
        Ok(&self.flat)
    }

    /// The points of the solution, as in its file: for a chain its moving joints and its tip, for a figure the origins of all joints.
    ///
    /// # Errors
    /// When nothing has begun.
    pub fn points(&mut self) -> Result<&[f64]> {
        self.follow()?;
        let solution = self.workspace.solution();
        if let Matter::Points { .. } = self.matter {
            return Ok(&solution.points);
        }
        write_points(
            &self.problem,
            &self.moving,
            &solution.configuration,
            &mut self.world,
            &mut self.flat,
        );
        Ok(&self.flat)
    }

    /// Number of steps in the trace.
    ///
    /// # Errors
    /// When nothing has begun.
    pub fn trace_len(&mut self) -> Result<usize> {
        Ok(self.solution()?.trace.len())
    }

    /// A step of the trace: its iteration, its phase ([`phase_code`]), its joint or pass (-1 for none), the error after it.
    ///
    /// # Errors
    /// When there is no such step.
    pub fn trace_header(&mut self, step: usize) -> Result<[f64; HEADER]> {
        let trace = &self.solution()?.trace;
        let step = trace.get(step).ok_or_else(|| no_such_step(step, trace.len()))?;
        let (phase, of) = phase_code(step.phase);
        Ok([f64::from(step.iteration), f64::from(phase), of, step.error])
    }

    /// The largest orientation error after a step of the trace.
    ///
    /// # Errors
    /// When there is no such step.
    pub fn trace_turn(&mut self, step: usize) -> Result<f64> {
        let trace = &self.solution()?.trace;
        Ok(trace.get(step).ok_or_else(|| no_such_step(step, trace.len()))?.turn)
    }

    /// The joint values after a step of the trace; empty for a chain of points.
    ///
    /// # Errors
    /// When there is no such step.
    pub fn trace_configuration(&mut self, step: usize) -> Result<&[f64]> {
        let trace = &self.solution()?.trace;
        let step = trace.get(step).ok_or_else(|| no_such_step(step, trace.len()))?;
        Ok(&step.configuration)
    }

    /// The points after a step of the trace, as in a solution's file: those of relaxation are the raw ones, whose bones may be off length, and
    /// those of FABRIK's backward half the ones with the tip on its target, whose first bone may be off length.
    ///
    /// # Errors
    /// When there is no such step.
    pub fn trace_points(&mut self, step: usize) -> Result<&[f64]> {
        self.follow()?;
        let solution = self.workspace.solution();
        let trace = &solution.trace;
        let step = trace.get(step).ok_or_else(|| no_such_step(step, trace.len()))?;
        if let Matter::Points { .. } = self.matter {
            return Ok(&step.points);
        }
        // Joints cannot represent these points, because they start at the root and keep the bone lengths.
        let is_apart =
            solution.choice.method == Method::Relaxation || step.phase == Phase::Backward;
        let is_raw = is_apart && step.points.len() == 3 * (self.moving.len() + 1);
        if is_raw {
            let dimension = self.problem.dimension();
            self.flat.clear();
            for point in step.points.chunks_exact(3) {
                self.flat.extend_from_slice(&point[..dimension]);
            }
        } else {
            let q = &step.configuration;
            write_points(&self.problem, &self.moving, q, &mut self.world, &mut self.flat);
        }
        Ok(&self.flat)
    }

    /// The solution as `posekit.solution/1`, the same bytes as the command's.
    ///
    /// # Errors
    /// When nothing has begun.
    pub fn solution_json(&mut self, with_trace: bool) -> Result<String> {
        self.follow()?;
        let solution = self.workspace.solution();
        Ok(self.problem.solution_file(solution, &self.settings, with_trace).to_json()?)
    }

    /// The iteration of the escape from a lock-up; 0 if there was none.
    ///
    /// # Errors
    /// When nothing has begun.
    pub fn rescues(&mut self) -> Result<[u32; 2]> {
        let solution = self.solution()?;
        Ok([solution.escaped_at, solution.accelerated_at].map(Option::unwrap_or_default))
    }
}

/// The method of this name.
///
/// # Errors
/// When there is none.
pub fn method_of(name: &str) -> Result<Method> {
    Method::from_name(name).ok_or_else(|| {
        let names = Method::ALL.map(Method::name).join(", ");
        Fault::new(format!("there is no method `{name}`; there are {names}"))
    })
}

/// A phase as a number, and its joint, its pass or the point at the end of its bone, -1 for none: 0 a whole iteration, 1 a joint,
/// 2 backward, 3 forward, 4 a pass, 5 an escape, 6 an acceleration, 7 a refinement, 8 a bone.
#[must_use]
pub fn phase_code(phase: Phase) -> (u8, f64) {
    match phase {
        Phase::Joint(joint) => (1, joint as f64),
        Phase::Backward => (2, -1.0),
        Phase::Forward => (3, -1.0),
        Phase::Pass(pass) => (4, f64::from(pass)),
        Phase::Bone(end) => (8, end as f64),
        Phase::Escape => (5, -1.0),
        Phase::Acceleration => (6, -1.0),
        Phase::Refinement => (7, -1.0),
        _ => (0, -1.0),
    }
}

/// Forward kinematics into flat poses.
pub fn forward(skeleton: &Skeleton, q: &[f64], world: &mut Vec<Pose>, out: &mut Vec<f64>) {
    world.resize(skeleton.n_joints(), Pose::IDENTITY);
    skeleton.forward_kinematics(q, world);
    out.clear();
    for pose in world {
        push_pose(out, *pose);
    }
}

/// Appends the numbers of a pose.
pub fn push_pose(out: &mut Vec<f64>, pose: Pose) {
    out.extend_from_slice(&numbers_of(pose));
}

/// The pose of these numbers, [`POSE`] of them.
fn pose_of(numbers: &[f64]) -> Pose {
    Pose { translation: DVec3::from_slice(numbers), rotation: DQuat::from_slice(&numbers[3..]) }
}

/// The numbers of a pose.
#[must_use]
pub fn numbers_of(Pose { rotation: r, translation: t }: Pose) -> [f64; POSE] {
    [t.x, t.y, t.z, r.x, r.y, r.z, r.w]
}

fn write_points(
    problem: &Problem,
    moving: &[usize],
    q: &[f64],
    world: &mut [Pose],
    out: &mut Vec<f64>,
) {
    let Some(rig) = problem.rig() else { return };
    rig.skeleton.forward_kinematics(q, world);
    let dimension = problem.dimension();
    out.clear();
    let mut push = |point: DVec3| out.extend_from_slice(&point.to_array()[..dimension.min(3)]);
    if let Problem::Figure(_) = problem {
        world.iter().for_each(|pose| push(pose.translation));
    } else {
        moving.iter().for_each(|&joint| push(world[joint].translation));
        push(rig.tip.world(world).translation);
    }
}

/// The methods that apply to a problem, `auto` first.
#[must_use]
pub fn methods(problem: &Rc<Problem>) -> Vec<&'static str> {
    let fits =
        |method: &Method| Session::new(Rc::clone(problem)).begin(method.name(), None, None).is_ok();
    Method::ALL.into_iter().filter(fits).map(Method::name).collect()
}

/// A joint's kind as a number: 0 fixed, 1 revolute, 2 prismatic, 3 ball, 4 free.
#[must_use]
pub const fn kind_code(kind: JointKind) -> u8 {
    match kind {
        JointKind::Fixed => 0,
        JointKind::Revolute { .. } => 1,
        JointKind::Prismatic { .. } => 2,
        JointKind::Ball => 3,
        JointKind::Free => 4,
    }
}

pub(crate) fn no_such_task(task: usize, count: usize) -> Fault {
    Fault::new(format!("there is no task {task}; there are {count}, counted from 0"))
}

fn no_such_step(step: usize, count: usize) -> Fault {
    Fault::new(format!("there is no step {step} in the trace; there are {count}"))
}
