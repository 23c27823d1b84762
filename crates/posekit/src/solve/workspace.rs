//! The solver's memory: every buffer, and where a solve stands.

use super::driver::{Driver, Ending, Residual, Run};
use super::free::FreeRun;
use super::points::PointsRun;
use super::rig_run::RigRun;
use super::settings::LeastSquares;
use super::{Choice, Method, Settings, Solution, Status};
use crate::chain::{Chain, Goals, check_finite, out_of_range};
use crate::skeleton::Skeleton;
use crate::task::{Task, TaskKind};
use crate::{Error, Result};
use glam::DVec3;

/// Owns every buffer of a solve and makes repeated solves free of allocation.
///
/// [`begin`](Self::begin) takes a problem over (nothing stays borrowed), [`step`](Self::step) runs one iteration,
/// [`run`](Self::run) the rest, [`solution`](Self::solution) is the best so far. To spread a solve over frames, step a few times a
/// frame and [`retarget`](Self::retarget) in between; to start warm, begin from the last configuration. A
/// workspace never changes a result: a used one and a new one give the same bits.
///
/// # Example: three iterations a frame
/// ```
/// use posekit::chain::{Chain, Goals};
/// use posekit::solve::{Method, Progress, Settings, Workspace};
///
/// let chain = Chain::try_straight(3, &[1.0; 20])?;
/// let mut workspace = Workspace::default();
/// let goals = Goals { effectors: &[20], targets: &[3.0, 8.0, 1.0] };
/// workspace.begin_chain(&chain, goals, Method::Fabrik, &Settings::default())?;
/// for frame in 0..30 {
///     let moving = [3.0 + 0.1 * f64::from(frame), 8.0, 1.0];
///     workspace.retarget(&moving)?;
///     for _ in 0..3 {
///         if workspace.step() == Progress::Done {
///             break;
///         }
///     }
/// }
/// assert!(workspace.solution().is_reached());
/// # Ok::<(), posekit::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    points: PointsRun,
    skeleton: RigRun,
    driver: Driver,
    settings: Settings,
    kind: Kind,
    ending: Option<Ending>,
    solution: Solution,
    is_stale: bool,
    clamped: Vec<f64>,
    spare_joints: Vec<usize>,
    choice: Choice,
    /// Targets have moved since the last step.
    is_moved: bool,
}

/// What is being solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    /// A chain of points.
    #[default]
    Chain,
    /// A skeleton by way of its points.
    Free,
    /// A skeleton joint by joint.
    Joints,
}

/// Whether there is more to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The solve goes on.
    Continuing,
    /// The solve is over; see [`Workspace::solution`].
    Done,
}

impl Workspace {
    /// Takes over a problem on a skeleton.
    ///
    /// - `start`: joint values, brought inside the limits if they are not
    ///
    /// # Errors
    /// Whatever is wrong with `start` ([`Skeleton::check`]), a task ([`Task::check`]) or the settings: nothing has changed then.
    /// [`Error::Unsuited`] for a method that cannot solve this kind of problem, which shows only when the problem has been laid
    /// out: the workspace then holds it at its start, [cancelled](Status::Cancelled).
    pub fn begin(
        &mut self,
        skeleton: &Skeleton,
        start: &[f64],
        tasks: &[Task],
        method: Method,
        settings: &Settings,
    ) -> Result<()> {
        skeleton.check(start)?;
        for (index, task) in tasks.iter().enumerate() {
            task.check(skeleton, index)?;
        }
        check_settings(settings, skeleton.n_joints())?;
        self.clamped.clear();
        self.clamped.extend_from_slice(start);
        skeleton.settle(&mut self.clamped);
        skeleton.clamp(&mut self.clamped);
        self.settings.clone_from(settings);
        self.is_moved = false;
        self.skeleton.begin(skeleton, &self.clamped, tasks, method, settings);
        self.choice = self.choose(method).inspect_err(|_| self.stand_at_start())?;
        let method = self.choice.method;
        self.skeleton.method = Some(method);
        let dimension = self.skeleton.rig.free_dimension();
        let by_points = matches!(method, Method::Direct | Method::Fabrik | Method::Relaxation);
        self.kind = match dimension {
            Some(dimension) if by_points => {
                self.begin_free(dimension, method);
                Kind::Free
            }
            _ => Kind::Joints,
        };
        self.start_driver();
        Ok(())
    }

    /// What is left of a problem whose method does not suit it.
    fn stand_at_start(&mut self) {
        self.kind = Kind::Joints;
        self.start_driver();
        self.ending = Some(Ending::Cancelled);
    }

    /// What `auto` means here, and whether a named method can do it.
    fn choose(&mut self, method: Method) -> Result<Choice> {
        let is_limb = matches!(method, Method::Auto | Method::TwoBone) && self.skeleton.plan_limb();
        let rig = &self.skeleton.rig;
        let is_free = rig.is_plain && rig.free_dimension().is_some();
        let need = match method {
            Method::Auto => return Ok(self.skeleton.choose(is_limb, is_free, &self.settings)),
            Method::TwoBone if !is_limb => {
                "one point to reach and two joints: two hinges in a plane, a ball and a hinge, or two balls, the balls without limits"
            }
            Method::Direct if !is_free => {
                "one point to reach and an unbranched chain of unlimited balls, or of unlimited hinges in a plane"
            }
            Method::Ccd | Method::Fabrik | Method::Relaxation if !rig.is_plain => {
                "positions, orientations and whole poses at level 1"
            }
            method => return Ok(Choice { method, reason: "asked for by name" }),
        };
        Err(Error::Unsuited { method: method.name(), need })
    }

    fn begin_free(&mut self, dimension: usize, method: Method) {
        let mut target = DVec3::ZERO;
        let run = &mut self.skeleton;
        run.rig.fill_chain(
            dimension,
            &self.settings.relaxation.weights,
            &mut run.chain,
            &mut target,
        );
        let effector = [run.chain.n_points() - 1];
        let goals = Goals { effectors: &effector, targets: &target.to_array()[..dimension] };
        self.points.begin(&run.chain, goals, method, &self.settings, true);
        self.points.aim_closer();
    }

    /// Takes over a problem on a chain of points: these effectors onto these targets.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NonFinite`] or [`Error::OutOfRange`] for effectors, targets or settings that are not what they must
    /// be, [`Error::Unsuited`] for a method that needs joints, and for the direct one on a branched chain. Nothing has changed
    /// then.
    pub fn begin_chain(
        &mut self,
        chain: &Chain,
        goals: Goals<'_>,
        method: Method,
        settings: &Settings,
    ) -> Result<()> {
        check_settings(settings, 0)?;
        for (index, &effector) in goals.effectors.iter().enumerate() {
            if effector >= chain.n_points() {
                let need = "the index of a point";
                return Err(out_of_range("effectors", index, effector as f64, need));
            }
        }
        let expected = goals.effectors.len() * chain.dimension();
        if goals.targets.len() != expected {
            return Err(Error::Length { what: "targets", expected, found: goals.targets.len() });
        }
        check_finite("targets", goals.targets)?;
        let is_path = chain.is_path();
        let is_tip = goals.effectors == [chain.n_points() - 1];
        let direct_works = is_path && is_tip && chain.dimension() > 1;
        let by_name = |method| Choice { method, reason: "asked for by name" };
        let choice = match method {
            Method::Auto if direct_works => {
                let reason = "one tip of an unbranched chain without limits: solved in closed form";
                Choice { method: Method::Direct, reason }
            }
            Method::Auto => {
                Choice { method: Method::Fabrik, reason: "a chain of points with branches" }
            }
            Method::Direct if direct_works => by_name(method),
            Method::Fabrik | Method::Relaxation => by_name(method),
            Method::Direct => {
                let need = "an unbranched chain in two dimensions or more, and its tip to reach";
                return Err(Error::Unsuited { method: method.name(), need });
            }
            _ => return Err(Error::Unsuited { method: method.name(), need: "a skeleton" }),
        };
        self.settings.clone_from(settings);
        self.choice = choice;
        self.points.begin(chain, goals, choice.method, settings, is_path);
        self.kind = Kind::Chain;
        self.is_moved = false;
        self.start_driver();
        Ok(())
    }

    /// Moves the targets of the positions (of tasks of level 1 that weigh something, or of the chain's effectors) and goes on from the present
    /// pose. For other targets begin anew from the last configuration; that allocates nothing either.
    ///
    /// - `targets`: flat, one after the other, as many as there are
    ///
    /// # Errors
    /// [`Error::Length`] or [`Error::NonFinite`].
    pub fn retarget(&mut self, targets: &[f64]) -> Result<()> {
        self.follow();
        let dimension = if self.kind == Kind::Chain { self.points.dimension } else { 3 };
        let expected = dimension
            * if self.kind == Kind::Chain {
                self.points.n_goals()
            } else {
                self.skeleton.rig.points.len()
            };
        if targets.len() != expected {
            return Err(Error::Length { what: "targets", expected, found: targets.len() });
        }
        check_finite("targets", targets)?;
        match self.kind {
            Kind::Chain => self.points.retarget(targets),
            Kind::Free => {
                self.finish_pose();
                self.skeleton.retarget(targets);
                if let Some(dimension) = self.skeleton.rig.free_dimension() {
                    self.points.retarget(&targets[..dimension]);
                } else {
                    // The target has left the plane: from now on joint by joint.
                    self.kind = Kind::Joints;
                }
            }
            Kind::Joints => {
                self.skeleton.retarget(targets);
                if self.skeleton.method == Some(Method::TwoBone) {
                    self.skeleton.plan_limb();
                }
            }
        }
        self.go_on();
        Ok(())
    }

    /// Gives one task of the problem another target and goes on from the present pose, which becomes the one to change least. For tracking: it
    /// costs much less than [`begin`](Self::begin).
    ///
    /// - `task`: its place in the list that the problem began with
    /// - `kind`: the same kind on the same frames (and bodies, axes, number of sides), with another target
    ///
    /// Ranges narrowed by [`LeastSquares::largest_change`](super::LeastSquares::largest_change) stay where they were; begin anew to move them.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`] or [`Error::ZeroLength`] as [`Task::check`]; [`Error::Unsuited`] when the problem is a chain, when it has
    /// no such task, or when the kinds are not alike. Nothing has changed then.
    ///
    /// # Example: a tool follows a path
    /// ```
    /// use posekit::glam::DVec3;
    /// use posekit::math::Pose;
    /// use posekit::skeleton::{Frame, Joint, Skeleton};
    /// use posekit::solve::{Method, Settings, Workspace};
    /// use posekit::task::{AxisAlignment, Position};
    ///
    /// let mut builder = Skeleton::builder();
    /// let bone = Pose::from_translation(DVec3::X);
    /// let shoulder = builder.add(Joint::ball("shoulder"));
    /// let elbow = builder.add(Joint::ball("elbow").child_of(shoulder).at(bone));
    /// let wrist = builder.add(Joint::ball("wrist").child_of(elbow).at(bone));
    /// let arm = builder.build()?;
    /// let tool = Frame::new(wrist, Pose::from_translation(DVec3::X * 0.2));
    ///
    /// let at = |x: f64| Position::new(tool, DVec3::new(x, 1.0, 0.0));
    /// let tasks = [at(0.8).into(), AxisAlignment::new(tool, DVec3::X, DVec3::Y).into()];
    /// let mut workspace = Workspace::default();
    /// workspace.begin(&arm, &arm.neutral(), &tasks, Method::LeastSquares, &Settings::default())?;
    /// for step in 0..10 {
    ///     workspace.set_target(0, &at(0.8 + 0.02 * f64::from(step)).into())?;
    ///     assert!(workspace.run().is_reached());
    /// }
    /// # Ok::<(), posekit::Error>(())
    /// ```
    pub fn set_target(&mut self, task: usize, kind: &TaskKind) -> Result<()> {
        kind.check_target(task)?;
        if self.kind == Kind::Chain || !self.skeleton.set_target(task, kind)? {
            let need = "a task of the same kind on the same frames";
            return Err(Error::Unsuited { method: self.choice.method.name(), need });
        }
        if self.kind == Kind::Free
            && let TaskKind::Position(position) = kind
        {
            // The one task of a free chain: its points go on.
            return self.retarget(&position.target_in_world.to_array());
        }
        self.is_moved = true;
        Ok(())
    }

    /// Goes on towards targets that have moved.
    fn follow(&mut self) {
        if core::mem::take(&mut self.is_moved) {
            self.skeleton.stay_here();
            if self.skeleton.method == Some(Method::TwoBone) {
                self.skeleton.plan_limb();
            }
            self.go_on();
        }
    }

    /// The joint values of the best pose so far, without the rest of the [solution](Self::solution): for tracking. Empty for a chain.
    ///
    /// They are the same as the solution's up to rounding.
    pub fn configuration(&mut self, out: &mut Vec<f64>) {
        self.follow();
        out.clear();
        match self.kind {
            Kind::Chain => {}
            Kind::Joints if self.skeleton.method == Some(Method::LeastSquares) => {
                self.skeleton.write_known_values(out);
            }
            Kind::Joints | Kind::Free => {
                self.finish_pose();
                self.skeleton.rig.write_values(out);
            }
        }
    }

    /// Starts the driver again where it is, counting on.
    fn go_on(&mut self) {
        let (iteration, trace) = (self.driver.iteration, core::mem::take(&mut self.driver.trace));
        self.start_driver();
        self.driver.trace = trace;
        self.driver.resume_at(iteration);
    }

    fn start_driver(&mut self) {
        self.ending = None;
        self.is_stale = true;
        if self.kind == Kind::Joints {
            self.skeleton.get_ready();
        }
        let Self { points, skeleton, driver, settings, .. } = self;
        let (reach, scale) = match self.kind {
            Kind::Joints => (skeleton.rig.reach, skeleton.rig.scale),
            _ => (points.reach, points.scale),
        };
        match self.kind {
            Kind::Chain => driver.begin(settings, points, reach, scale),
            Kind::Free => driver.begin(settings, &mut FreeRun { points, skeleton }, reach, scale),
            Kind::Joints => driver.begin(settings, skeleton, reach, scale),
        }
    }

    /// Hands the driver the run that is under way.
    fn with_run<T>(&mut self, act: impl FnOnce(&mut Driver, &mut dyn Run) -> T) -> T {
        match self.kind {
            Kind::Chain => act(&mut self.driver, &mut self.points),
            Kind::Free => {
                let mut run = FreeRun { points: &mut self.points, skeleton: &mut self.skeleton };
                act(&mut self.driver, &mut run)
            }
            Kind::Joints => act(&mut self.driver, &mut self.skeleton),
        }
    }

    /// Runs one iteration.
    pub fn step(&mut self) -> Progress {
        self.follow();
        if self.ending.is_none() {
            self.is_stale = true;
            self.ending = if self.is_hopeless() {
                Some(self.with_run(|driver, run| driver.give_up(run)))
            } else {
                self.with_run(|driver, run| driver.step(run))
            };
        }
        if self.ending.is_some() { Progress::Done } else { Progress::Continuing }
    }

    /// Free chains whose target is out of reach need no iteration: the nearest pose is known.
    fn is_hopeless(&self) -> bool {
        self.kind != Kind::Joints
            && self.points.shortfall > 0.0
            && !self.settings.classic
            && self.settings.tolerance != Some(0.0)
            && self.settings.iterations > 0
            && self.points.is_single_path()
            && !self.points.may_stretch()
    }

    /// Runs to the end and returns the solution, which stays in the workspace.
    pub fn run(&mut self) -> &Solution {
        while self.step() == Progress::Continuing {}
        self.solution()
    }

    /// Runs until the end or until `goes_on`, which is asked before every iteration with the number done, says no.
    ///
    /// The library has no clock; this is where a time budget or a cancel button comes in.
    pub fn run_while(&mut self, mut goes_on: impl FnMut(u32) -> bool) -> &Solution {
        self.follow();
        while self.ending.is_none() {
            if !goes_on(self.driver.iteration) {
                self.ending = Some(Ending::Cancelled);
                self.is_stale = true;
                self.with_run(|_, run| run.recall());
                break;
            }
            self.step();
        }
        self.solution()
    }

    /// The best so far.
    pub fn solution(&mut self) -> &Solution {
        self.follow();
        if core::mem::take(&mut self.is_stale) {
            self.fill_solution();
        }
        &self.solution
    }

    /// The solution, taken out.
    pub(super) fn into_solution(mut self) -> Solution {
        self.solution();
        self.solution
    }

    /// Turns the joints of a free skeleton to its points.
    fn finish_pose(&mut self) {
        if self.kind == Kind::Free {
            FreeRun { points: &mut self.points, skeleton: &mut self.skeleton }.read_pose();
        }
    }

    fn fill_solution(&mut self) {
        self.finish_pose();
        let solution = &mut self.solution;
        solution.iterations = self.driver.iteration;
        let scale =
            if self.kind == Kind::Joints { self.skeleton.rig.scale } else { self.points.scale };
        solution.tolerance = self.driver.tolerance() / scale;
        solution.escaped_at = self.driver.escaped_at;
        solution.accelerated_at = self.driver.accelerated_at;
        solution.trace.clone_from(&self.driver.trace);
        solution.choice = self.choice;
        solution.holds.clear();
        solution.holds.reserve(self.skeleton.rig.nodes.len());
        solution.misses.clear();
        if self.kind == Kind::Chain {
            self.points.carry();
            solution.configuration.clear();
            solution.dimension = self.points.dimension;
            self.points.write_points(&mut solution.points);
            solution.error = self.points.residual().distance / self.points.scale;
            solution.orientation_error = 0.0;
        } else {
            // Measured on what is returned: joint values, through forward kinematics.
            self.skeleton.set_aside();
            let rig = &mut self.skeleton.rig;
            rig.write_values(&mut solution.configuration);
            rig.state_from(&solution.configuration);
            rig.update();
            self.skeleton.write_misses(&mut solution.misses);
            let residual = self.skeleton.whole_residual(&solution.misses);
            let rig = &self.skeleton.rig;
            solution.dimension = 3;
            rig.write_points(&mut solution.points);
            solution.error = residual.distance / rig.scale;
            solution.orientation_error = residual.angle;
        }
        if self.skeleton.method != Some(Method::TwoBone) || self.kind != Kind::Joints {
            self.skeleton.limbs.clear();
        }
        self.skeleton.write_other_limbs(&mut self.solution.others);
        if let Status::Blocked { joints } = &mut self.solution.status {
            self.spare_joints = core::mem::take(joints);
        }
        self.solution.status = self.verdict();
        if self.kind == Kind::Joints {
            self.skeleton.take_back();
        }
    }

    /// The status: reached, or proven out of reach, or held by limits, or what the driver saw.
    fn verdict(&mut self) -> Status {
        let is_reached = match self.kind {
            Kind::Joints => {
                self.driver.is_reached(self.skeleton.whole_residual(&self.solution.misses))
            }
            Kind::Free => {
                // By the joints, whose pose is what is returned.
                let residual = self.skeleton.rig.residual();
                residual.distance / self.skeleton.rig.scale
                    <= self.driver.tolerance() / self.points.scale * (1.0 + 1e-9)
            }
            Kind::Chain => {
                // The scale is a power of two: this is the residual that has been measured.
                let distance = self.solution.error * self.points.scale;
                self.driver.is_reached(Residual { distance, angle: 0.0 })
            }
        };
        if is_reached {
            return Status::Reached;
        }
        let shortfall = match self.kind {
            Kind::Joints => self.skeleton.rig.shortfall / self.skeleton.rig.scale,
            _ => self.points.shortfall / self.points.scale,
        };
        if shortfall > 0.0 {
            return Status::Unreachable { shortfall };
        }
        match self.ending {
            Some(Ending::Cancelled) => Status::Cancelled,
            // What was reached may have been given up for a posture of the same level.
            Some(Ending::NoProgress | Ending::Reached) if self.kind == Kind::Joints => {
                let (mut joints, holds) =
                    (core::mem::take(&mut self.spare_joints), &mut self.solution.holds);
                self.skeleton.find_blocking(holds);
                joints.clear();
                joints.reserve(self.skeleton.rig.nodes.len());
                joints.extend(holds.iter().map(|hold| hold.joint));
                if joints.is_empty() {
                    self.spare_joints = joints;
                    Status::Stalled
                } else {
                    Status::Blocked { joints }
                }
            }
            Some(Ending::NoProgress) => Status::Stalled,
            _ => Status::IterationLimit,
        }
    }
}

fn check_settings(settings: &Settings, n_joints: usize) -> Result<()> {
    let tolerances = [settings.tolerance.unwrap_or(0.0), settings.orientation_tolerance];
    for (index, &value) in tolerances.iter().enumerate() {
        if !value.is_finite() || value < 0.0 {
            return Err(out_of_range("tolerance", index, value, "a number of at least 0"));
        }
    }
    let ccd = &settings.ccd.weights;
    if !ccd.is_empty() {
        crate::chain::check_weights(ccd, n_joints)?;
        if let Some(i) = ccd.iter().position(|&weight| weight > 1.0) {
            return Err(out_of_range("ccd.weights", i, ccd[i], "at most 1"));
        }
    }
    check_least_squares(&settings.least_squares, n_joints)?;
    if let Some(i) = settings.locked.iter().position(|&joint| joint >= n_joints) {
        let need = "the index of a joint";
        return Err(out_of_range("locked", i, settings.locked[i] as f64, need));
    }
    let relaxation = &settings.relaxation.weights;
    if !relaxation.is_empty() {
        crate::chain::check_weights(relaxation, n_joints)?;
    }
    if settings.relaxation.passes == 0 {
        return Err(out_of_range("relaxation.passes", 0, 0.0, "at least 1"));
    }
    Ok(())
}

fn check_least_squares(settings: &LeastSquares, n_joints: usize) -> Result<()> {
    let check = |what, list: &[f64], is_good: fn(f64) -> bool, need| {
        let (expected, found) = (n_joints, list.len());
        if found != 0 && found != expected {
            return Err(Error::Length { what, expected, found });
        }
        match list.iter().position(|&x| !is_good(x)) {
            Some(index) => Err(out_of_range(what, index, list[index], need)),
            None => Ok(()),
        }
    };
    let (stiffness, change) = (&settings.stiffness, &settings.largest_change);
    let is_stiffness = |x: f64| x > 0.0 && x.is_finite();
    check("least_squares.stiffness", stiffness, is_stiffness, "a number above 0")?;
    check("least_squares.largest_change", change, |x| x >= 0.0, "at least 0")?;
    let eps = settings.regularisation;
    if !eps.is_finite() || eps < 0.0 {
        return Err(out_of_range("least_squares.regularisation", 0, eps, "at least 0"));
    }
    Ok(())
}
