//! The workspace: all buffers, and the state of a solve.

use super::driver::{Driver, Ending};
use super::run::{Run, Subject};
use super::{JointOptions, Method, Settings, Solution, Status};
use crate::chain::{Chain, Goals, check_finite, check_length, out_of_range};
use crate::skeleton::Skeleton;
use crate::task::{Rows, Task, TaskKind};
use crate::{Error, ErrorKind, Result};
use alloc::vec::Vec;

/// Owns every buffer of a solve, so that repeated solves do not allocate.
///
/// [`begin`](Self::begin) compiles a problem (nothing stays borrowed), [`step`](Self::step) runs one iteration,
/// [`run`](Self::run) the rest, and [`solution`](Self::solution) is the best so far. To spread a solve over frames, take a few steps per
/// frame and [`retarget`](Self::retarget) in between; for a warm start, begin from the last configuration. A
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
    run: Run,
    driver: Driver,
    ending: Option<Ending>,
    solution: Solution,
    is_stale: bool,
    /// Targets have moved since the last step.
    is_moved: bool,
    clamped: Vec<f64>,
    spare_joints: Vec<usize>,
    rows: Rows,
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
    /// Begins a problem on a skeleton.
    ///
    /// - `start`: joint values, clamped to the limits
    ///
    /// # Errors
    /// Those of [`Skeleton::check`] for `start`, of [`Task::check`] for a task, and invalid settings; the workspace is unchanged then.
    /// `Error::is_unsuited` for a method that cannot solve this kind of problem, which is known only once the problem has been compiled:
    /// the workspace then holds it at its start, [cancelled](Status::Cancelled).
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
        self.bring_inside(skeleton, start);
        let begun = self.run.begin(skeleton, &self.clamped, tasks, method, settings);
        self.start(false);
        if begun.is_err() {
            self.ending = Some(Ending::Cancelled);
        }
        begun
    }

    /// Restarts the current problem from another configuration, from which the change is minimised: [`begin`](Self::begin) with less work.
    ///
    /// - `skeleton`: that of the problem
    /// - `start`: joint values, clamped to the limits
    ///
    /// Locked joints, joints that only tasks of weight 0 depend on, and ranges narrowed by a largest change keep their values. To search for
    /// several solutions, restart from several configurations.
    ///
    /// # Errors
    /// As [`Skeleton::check`]; `Error::is_unsuited` if the problem is not on this skeleton. The workspace is unchanged then.
    pub fn start_from(&mut self, skeleton: &Skeleton, start: &[f64]) -> Result<()> {
        skeleton.check(start)?;
        if self.run.subject != Subject::Skeleton || start.len() != self.run.problem.start.len() {
            return Err(self.unsuited("a problem on the same skeleton to start over"));
        }
        self.bring_inside(skeleton, start);
        self.run.start_from(skeleton, &self.clamped);
        self.start(false);
        Ok(())
    }

    /// Copies a start with mimics applied, clamped to the limits.
    fn bring_inside(&mut self, skeleton: &Skeleton, start: &[f64]) {
        self.clamped.clear();
        self.clamped.extend_from_slice(start);
        skeleton.settle(&mut self.clamped);
        skeleton.clamp(&mut self.clamped);
    }

    /// Begins a problem on a chain of points: effectors and their targets.
    ///
    /// # Errors
    /// `Error::is_wrong_length`, `Error::is_not_finite` or `Error::is_out_of_range` for invalid effectors, targets or settings;
    /// `Error::is_unsuited` for a method that needs joints, and for the direct solver on a branched chain. The workspace is unchanged then.
    pub fn begin_chain(
        &mut self,
        chain: &Chain,
        goals: Goals<'_>,
        method: Method,
        settings: &Settings,
    ) -> Result<()> {
        check_settings(settings, 0)?;
        check_goals(chain, goals)?;
        self.run.begin_chain(chain, goals, method, settings)?;
        self.start(false);
        Ok(())
    }

    /// Moves the target positions (of tasks of level 1 with a positive weight, or of the chain's effectors) and continues from the present
    /// pose. For other kinds of targets, begin again from the last configuration, which does not allocate either.
    ///
    /// - `targets`: flat, one after the other, as many as there are
    ///
    /// # Errors
    /// `Error::is_wrong_length` or `Error::is_not_finite`.
    pub fn retarget(&mut self, targets: &[f64]) -> Result<()> {
        let (dimension, n_targets) = self.run.n_targets();
        check_length("targets", targets, dimension * n_targets)?;
        check_finite("targets", targets)?;
        self.run.retarget(targets);
        self.is_moved = self.run.subject != Subject::Nothing;
        self.follow();
        Ok(())
    }

    /// Moves the target of one task and continues from the present pose, from which the change is minimised. For tracking: much cheaper than
    /// [`begin`](Self::begin).
    ///
    /// - `task`: its index in the list of tasks
    /// - `kind`: the same kind on the same frames (and bodies, axes, number of sides), with another target
    ///
    /// Ranges narrowed by [`JointOptions::largest_change`](super::JointOptions::largest_change) keep their place; begin again to move them.
    ///
    /// # Errors
    /// `Error::is_not_finite`, `Error::is_out_of_range` or `Error::is_degenerate` as [`Task::check`]; `Error::is_unsuited` if the problem is a chain, has no such
    /// task, or the kinds differ. The workspace is unchanged then.
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
        if !self.run.set_target(task, kind)? {
            return Err(self.unsuited("a task of the same kind on the same frames"));
        }
        self.is_moved = true;
        Ok(())
    }

    fn unsuited(&self, need: &'static str) -> Error {
        ErrorKind::Unsuited { method: self.run.requested.name(), need }.into()
    }

    /// Continues towards targets that have moved.
    fn follow(&mut self) {
        if core::mem::take(&mut self.is_moved) {
            self.run.go_on();
            self.start(true);
        }
    }

    /// The joint values of the best pose so far, without the rest of the [solution](Self::solution): for tracking. Empty for a chain.
    pub fn configuration(&mut self, out: &mut Vec<f64>) {
        self.follow();
        self.run.finish();
        self.run.state.write_values(&self.run.problem, out);
    }

    /// Starts the driver, or continues with the same count of iterations.
    fn start(&mut self, continues: bool) {
        (self.ending, self.is_stale, self.is_moved) = (None, true, false);
        self.driver.begin(continues, &mut self.run);
    }

    /// Runs one iteration.
    pub fn step(&mut self) -> Progress {
        self.follow();
        if !self.is_done() {
            self.is_stale = true;
            self.ending = self.driver.step(&mut self.run);
        }
        if self.is_done() { Progress::Done } else { Progress::Continuing }
    }

    fn is_done(&self) -> bool {
        self.ending.is_some() || self.run.subject == Subject::Nothing
    }

    /// Runs to the end and returns the solution, which stays in the workspace.
    pub fn run(&mut self) -> &Solution {
        while self.step() == Progress::Continuing {}
        self.solution()
    }

    /// Runs to the end or until `goes_on` returns false; it is called before every iteration with the number of iterations done.
    ///
    /// The library has no clock; this is the place for a time budget or a cancel button.
    pub fn run_while(&mut self, mut goes_on: impl FnMut(u32) -> bool) -> &Solution {
        self.follow();
        while !self.is_done() {
            if !goes_on(self.driver.iteration) {
                self.ending = Some(Ending::Cancelled);
                self.is_stale = true;
                self.run.recall();
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

    /// Consumes the workspace.
    pub(super) fn into_solution(mut self) -> Solution {
        self.solution();
        self.solution
    }

    fn fill_solution(&mut self) {
        let Self { run, driver, solution, .. } = self;
        solution.iterations = driver.iteration;
        solution.escaped_at = driver.escaped_at;
        solution.accelerated_at = driver.accelerated_at;
        solution.escaped_by = driver.escaped_by;
        solution.trace.clone_from(&driver.trace);
        solution.holds.clear();
        if let Status::Blocked { joints } = &mut solution.status {
            self.spare_joints = core::mem::take(joints);
        }
        let miss = run.report(solution, &mut self.rows);
        self.solution.status = self.status(self.run.problem.tolerances(miss) <= 1.0);
    }

    /// The status: reached, proven out of reach, blocked by limits, or how the driver ended.
    fn status(&mut self, is_reached: bool) -> Status {
        if is_reached {
            return Status::Reached;
        }
        let shortfall = self.run.shortfall();
        if shortfall > self.solution.tolerance {
            return Status::Unreachable { shortfall };
        }
        if self.run.is_unreachable_by_arm() {
            return Status::Unreachable { shortfall: 0.0 };
        }
        // A posture of the same level may have moved the pose away from targets that were reached.
        let is_at_rest = match self.ending {
            Some(Ending::NoProgress) => true,
            Some(Ending::Reached) => !self.driver.is_out(),
            _ => false,
        };
        if self.run.subject == Subject::Skeleton && is_at_rest {
            let Run { problem, returned, least_squares, .. } = &mut self.run;
            let mut joints = core::mem::take(&mut self.spare_joints);
            least_squares.find_holds(problem, returned, &mut self.solution.holds);
            joints.clear();
            joints.extend(self.solution.holds.iter().map(|hold| hold.joint));
            if !joints.is_empty() {
                return Status::Blocked { joints };
            }
            self.spare_joints = joints;
        }
        match self.ending {
            Some(Ending::Cancelled) => Status::Cancelled,
            Some(_) if is_at_rest => Status::Stalled,
            _ => Status::IterationLimit,
        }
    }
}

fn check_goals(chain: &Chain, goals: Goals<'_>) -> Result<()> {
    if let Some(index) = goals.effectors.iter().position(|&point| point >= chain.n_points()) {
        let value = goals.effectors[index] as f64;
        return Err(out_of_range("effectors", index, value, "the index of a point"));
    }
    check_length("targets", goals.targets, goals.effectors.len() * chain.dimension())?;
    check_finite("targets", goals.targets)
}

fn check_settings(settings: &Settings, n_joints: usize) -> Result<()> {
    let at_least_0 = |x: f64| x >= 0.0 && x.is_finite();
    let check = |what, value: Option<f64>| match value {
        Some(value) if !at_least_0(value) => {
            Err(out_of_range(what, 0, value, "a number of at least 0"))
        }
        _ => Ok(()),
    };
    check("tolerance", settings.tolerance)?;
    check("orientation_tolerance", settings.orientation_tolerance)?;
    check("least_squares.regularisation", Some(settings.least_squares.regularisation))?;
    if settings.relaxation.passes == 0 {
        return Err(out_of_range("relaxation.passes", 0, 0.0, "at least 1"));
    }
    if settings.joints.len() > n_joints {
        let (what, joint) = ("the list of joint options", settings.joints.len() - 1);
        return Err(ErrorKind::NoSuchJoint { what, joint, n_joints }.into());
    }
    settings.joints.iter().enumerate().try_for_each(|(joint, options)| check_joint(joint, options))
}

fn check_joint(joint: usize, options: &JointOptions) -> Result<()> {
    let JointOptions { stiffness, largest_change, share, weight, .. } = *options;
    let hold = "above 0 and at most 1 (to hold a joint, lock it)";
    let checks = [
        ("stiffness", stiffness, stiffness > 0.0 && stiffness.is_finite(), "a number above 0"),
        ("largest_change", largest_change, largest_change >= 0.0, "at least 0"),
        ("share", share, share > 0.0 && share <= 1.0, hold),
        ("weight", weight, weight >= 0.0 && weight.is_finite(), "a number of at least 0"),
    ];
    match checks.into_iter().find(|(_, _, is_good, _)| !is_good) {
        Some((what, value, _, need)) => Err(out_of_range(what, joint, value, need)),
        None => Ok(()),
    }
}
