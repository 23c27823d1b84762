//! A problem under way: its state, the method that moves it, and the escapes from lock-ups.

use super::methods::least_squares::Until;
use super::methods::{self, Arm, Ccd, LeastSquares, OnPoints, TwoBone};
use super::pose::{State, Values};
use super::problem::Problem;
use super::restarts::Restarts;
use super::settings::Settings;
use super::{Choice, Method};
use crate::chain::{Chain, Goals};
use crate::skeleton::Skeleton;
use crate::task::{Task, TaskKind};
use crate::{ErrorKind, Result};
use alloc::vec::Vec;
use glam::DVec3;

/// Steps of least squares in one escape from a lock-up: it usually reaches the target within ten, or not at all.
const STEPS: u32 = 40;

/// What an escape did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Escape {
    /// Iterations used, at least 1.
    pub(crate) steps: u32,
    /// The method used.
    pub(crate) by: Method,
}

/// What is being solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Subject {
    #[default]
    Nothing,
    /// Points without joints: the problem has no nodes.
    Chain,
    Skeleton,
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Run {
    pub(super) subject: Subject,
    pub(super) problem: Problem,
    pub(super) state: State,
    pub(super) choice: Choice,
    /// The method requested.
    pub(super) requested: Method,
    /// An unlimited chain of joints with one point to reach, or a chain of points.
    is_free: bool,
    /// The pose of the solution, from rounded joint values; separate from the state, which reporting a solution must not change.
    pub(super) returned: State,
    kept: Values,
    ccd: Ccd,
    pub(super) on_points: OnPoints,
    pub(super) two_bone: TwoBone,
    pub(super) arm: Arm,
    pub(super) least_squares: LeastSquares,
    restarts: Restarts,
    /// Buffers for the configurations of other solutions, while there are none.
    pub(super) spare: Vec<Vec<f64>>,
}

impl Run {
    /// The chosen method, and what it works on.
    pub(super) fn parts(&mut self) -> (&mut dyn methods::Method, &Problem, &mut State) {
        let method: &mut dyn methods::Method = match self.choice.method {
            Method::TwoBone => &mut self.two_bone,
            Method::Arm => &mut self.arm,
            Method::Direct | Method::Fabrik | Method::Relaxation => &mut self.on_points,
            Method::LeastSquares => &mut self.least_squares,
            Method::Ccd | Method::Auto => &mut self.ccd,
        };
        (method, &self.problem, &mut self.state)
    }

    /// Starts on a skeleton and tasks that have been checked.
    ///
    /// - `start`: settled, inside the limits
    ///
    /// # Errors
    /// `Error::is_unsuited` for a method that cannot solve it.
    pub(super) fn begin(
        &mut self,
        skeleton: &Skeleton,
        start: &[f64],
        tasks: &[Task],
        method: Method,
        settings: &Settings,
    ) -> Result<()> {
        (self.subject, self.requested) = (Subject::Skeleton, method);
        self.problem.settings.clone_from(settings);
        self.problem.compile(skeleton, start, tasks);
        self.state.begin(&self.problem);
        self.least_squares.forget(&self.problem, &self.state);
        self.choice = Choice { method: Method::Ccd, reason: "" };
        if matches!(method, Method::Auto | Method::Arm) {
            let needs_closed_form = method == Method::Auto;
            self.arm.prepare(skeleton, start, tasks, &self.problem, needs_closed_form);
        }
        self.choice = self.choose()?;
        self.start();
        Ok(())
    }

    /// Starts on a chain of points whose goals have been checked.
    ///
    /// # Errors
    /// `Error::is_unsuited` for a method that cannot solve it; nothing has changed then.
    pub(super) fn begin_chain(
        &mut self,
        chain: &Chain,
        goals: Goals<'_>,
        method: Method,
        settings: &Settings,
    ) -> Result<()> {
        self.choice = choose_for_chain(chain, goals, method)?;
        if self.subject != Subject::Chain {
            self.problem.clear();
            self.state.begin(&self.problem);
        }
        (self.subject, self.requested, self.is_free) = (Subject::Chain, method, true);
        self.problem.settings.clone_from(settings);
        self.on_points.choose(self.choice.method, true);
        self.on_points.begin_chain(&mut self.problem, chain, goals);
        Ok(())
    }

    /// Moves the target of a task; false if the kind or its frames differ.
    ///
    /// # Errors
    /// For a posture whose values do not fit the skeleton's joints.
    pub(super) fn set_target(&mut self, task: usize, kind: &TaskKind) -> Result<bool> {
        if let TaskKind::Posture(_) = kind {
            self.least_squares.forget_costs();
        }
        self.problem.set_target(task, kind)
    }

    /// The dimension and the number of the targets that are points.
    pub(super) fn n_targets(&self) -> (usize, usize) {
        let points = &self.on_points.points;
        match self.subject {
            Subject::Nothing => (0, 0),
            Subject::Chain => (points.dimension, points.effectors.len()),
            Subject::Skeleton => (3, self.problem.points.len()),
        }
    }

    /// Moves all targets that are points.
    pub(super) fn retarget(&mut self, targets: &[f64]) {
        if self.subject == Subject::Chain {
            return self.on_points.points.aim(targets);
        }
        for (point, target) in targets.chunks_exact(3).enumerate() {
            self.problem.aim(point, DVec3::from_slice(target));
        }
    }

    /// Continues from the present pose towards new targets; the change from this pose is minimised.
    pub(super) fn go_on(&mut self) {
        if self.subject == Subject::Skeleton {
            self.finish();
            self.go_on_from_here();
        }
    }

    fn go_on_from_here(&mut self) {
        self.state.begun.copy_from(&self.state.values);
        // The direct solver no longer applies when a target leaves the plane of its chain.
        let reason = "the method no longer suits the target";
        self.choice = self.choose().unwrap_or(Choice { method: Method::Ccd, reason });
        self.start();
    }

    /// Starts over from other joint values, settled and inside the limits.
    pub(super) fn start_from(&mut self, skeleton: &Skeleton, start: &[f64]) {
        self.problem.set_still(skeleton, start);
        self.state.enter(&self.problem, start);
        self.go_on_from_here();
    }

    fn start(&mut self) {
        if !self.problem.settings.classic {
            self.state.pre_pull(&self.problem);
        }
        self.restarts.begin();
        self.on_points.choose(self.choice.method, self.is_free);
        let (method, problem, state) = self.parts();
        method.begin(problem, state);
    }

    /// The method that `auto` selects, or a check that the requested method can solve the problem.
    fn choose(&mut self) -> Result<Choice> {
        let problem = &self.problem;
        let is_free = problem.is_free();
        self.is_free = is_free;
        let is_limb = matches!(self.requested, Method::Auto | Method::TwoBone)
            && self.two_bone.plan(problem, &mut self.state);
        let need = match self.requested {
            Method::Auto => return Ok(choose_auto(problem, is_limb, is_free, self.arm.suits())),
            Method::TwoBone if !is_limb => {
                "one point to reach and two joints: two hinges in a plane, a ball and a hinge, or two balls, the balls without limits; with a ball, also its pole"
            }
            Method::Arm if !cfg!(feature = "arm") => {
                "the library's feature `arm`, which the package `posekit` has in `posekit/robots`"
            }
            Method::Arm if !self.arm.suits() => {
                "the whole pose of the tip of an unbranched path of at most 32 hinges and slides, without a largest change"
            }
            Method::Direct if !is_free => {
                "one point to reach and an unbranched chain of unlimited balls, or of unlimited hinges in a plane"
            }
            Method::Ccd | Method::Fabrik | Method::Relaxation if !problem.is_plain => {
                "positions, orientations and whole poses at level 1"
            }
            method => return Ok(Choice { method, reason: NAMED }),
        };
        Err(ErrorKind::Unsuited { method: self.requested.name(), need }.into())
    }

    /// Whether it is certain that no configuration has the pose that an arm is to reach.
    pub(super) fn is_unreachable_by_arm(&self) -> bool {
        self.choice.method == Method::Arm && self.arm.is_proven_unreachable()
    }

    /// The proven distance by which targets are out of reach, in the caller's units.
    pub(super) fn shortfall(&self) -> f64 {
        if self.subject == Subject::Chain {
            self.on_points.shortfall()
        } else {
            self.problem.shortfall()
        }
    }

    /// Updates the state from what the method works on.
    pub(super) fn finish(&mut self) {
        let (method, problem, state) = self.parts();
        method.finish(problem, state);
    }

    /// Moves the state by another method in at most `budget` steps; `None` when there is nothing left to try. Attempt 0 is the first after
    /// ordinary progress.
    pub(super) fn escape(&mut self, attempt: u32, budget: u32) -> Option<Escape> {
        let escape = match self.choice.method {
            Method::LeastSquares => self.restart(attempt, budget),
            // A closed form has nothing left to try.
            Method::TwoBone | Method::Direct => None,
            Method::Arm if self.arm.is_proven_missed() => None,
            _ if self.is_free => (attempt == 0 && self.reach_freely())
                .then_some(Escape { steps: 1, by: Method::Direct }),
            _ => self.restart(attempt, budget),
        };
        let (method, problem, state) = self.parts();
        method.resume(problem, state);
        escape
    }

    /// Moves a free chain by the direct solver; false if it does not apply.
    fn reach_freely(&mut self) -> bool {
        if self.subject == Subject::Chain {
            return self.on_points.escape(self.problem.tolerance.distance);
        }
        self.restarts.reach_freely(&self.problem, &mut self.state);
        true
    }

    /// Least squares from the present pose, or from another start.
    fn restart(&mut self, attempt: u32, budget: u32) -> Option<Escape> {
        let (problem, state) = (&self.problem, &mut self.state);
        let until = self.restarts.start(attempt, problem, state)?;
        if self.restarts.is_generic() {
            self.restarts.has_conflict = Some(self.least_squares.has_conflict(problem, state));
        }
        let steps = self.least_squares.run(problem, state, budget.min(STEPS), until);
        self.restarts.learn(attempt, self.least_squares.sum());
        Some(Escape { steps: steps.max(1), by: Method::LeastSquares })
    }

    /// Descends to the local minimum in at most `budget` steps, when the targets cannot be reached; returns the steps taken.
    pub(super) fn come_to_rest(&mut self, budget: u32) -> u32 {
        let is_closed = matches!(self.choice.method, Method::TwoBone | Method::Direct);
        if is_closed || self.subject == Subject::Chain {
            return 0;
        }
        self.finish();
        let (problem, state) = (&self.problem, &mut self.state);
        let steps = self.least_squares.run(problem, state, budget, Until::AtRest);
        let (method, problem, state) = self.parts();
        method.resume(problem, state);
        steps
    }

    /// Saves the present state as the best.
    pub(super) fn keep(&mut self) {
        self.kept.copy_from(&self.state.values);
        self.parts().0.keep();
    }

    /// Restores the saved state.
    pub(super) fn recall(&mut self) {
        self.state.restore(&self.problem, &self.kept);
        let (method, problem, state) = self.parts();
        method.recall(problem, state);
    }
}

/// The reason for a method that was requested.
const NAMED: &str = "requested by name";

/// The closed form if there is one, otherwise the fastest method that handles all tasks.
fn choose_auto(problem: &Problem, is_limb: bool, is_free: bool, is_arm: bool) -> Choice {
    let (method, reason) = if problem.levels.is_empty() {
        (Method::LeastSquares, "no tasks")
    } else if !problem.is_plain && !is_limb {
        (Method::LeastSquares, "tasks that only least squares can do")
    } else if problem.settings.need_least_squares() {
        (Method::LeastSquares, "stiffness, velocity limits or other choices of least squares")
    } else if is_arm && !problem.settings.classic {
        (Method::Arm, "one pose of an arm whose axes allow a closed form")
    } else if is_limb {
        (Method::TwoBone, "one point and two joints: solved in closed form")
    } else if is_free {
        (Method::Direct, "one point and an unbranched chain without limits: solved in closed form")
    } else if problem.points.len() == 1 && problem.rotations.is_empty() {
        (Method::Ccd, "one point and joints with axes or limits")
    } else if problem.points.is_empty() {
        (Method::LeastSquares, "orientations")
    } else {
        (Method::LeastSquares, "several things at once")
    };
    Choice { method, reason }
}

/// The same for a chain of points.
fn choose_for_chain(chain: &Chain, goals: Goals<'_>, method: Method) -> Result<Choice> {
    let is_tip = goals.effectors == [chain.n_points() - 1];
    let is_direct = chain.is_path() && is_tip && chain.dimension() > 1;
    let need = match method {
        Method::Auto if is_direct => {
            let reason = "one tip of an unbranched chain without limits: solved in closed form";
            return Ok(Choice { method: Method::Direct, reason });
        }
        Method::Auto => {
            let reason = "a chain of points with branches";
            return Ok(Choice { method: Method::Fabrik, reason });
        }
        Method::Direct if !is_direct => {
            "an unbranched chain in two dimensions or more, and its tip to reach"
        }
        Method::Direct | Method::Fabrik | Method::Relaxation => {
            return Ok(Choice { method, reason: NAMED });
        }
        _ => "a skeleton",
    };
    Err(ErrorKind::Unsuited { method: method.name(), need }.into())
}
