//! A skeleton as a run of the driver: its problem, its state, the method that moves it, and the escapes from lock-ups.

use super::driver::{Escape, Recorder, Run};
use super::free_chain::FreeChain;
use super::methods::least_squares::Until;
use super::methods::{self, Ccd, Fabrik, LeastSquares, Relaxation, TwoBone};
use super::pose::{State, Values};
use super::problem::Problem;
use super::restarts::Restarts;
use super::settings::{Root, Settings};
use super::solution::TraceStep;
use super::{Choice, Method};
use crate::skeleton::Skeleton;
use crate::task::{Miss, Task, TaskKind};
use crate::{ErrorKind, Result};
use alloc::vec::Vec;

/// Steps of least squares in one escape from a lock-up: it usually reaches the target within ten, or not at all.
const STEPS: u32 = 40;

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Figure {
    pub(super) problem: Problem,
    pub(super) state: State,
    pub(super) choice: Choice,
    /// The method requested.
    requested: Method,
    classic: bool,
    /// An unlimited chain of joints with one point to reach.
    is_free: bool,
    /// The pose of the solution, from rounded joint values; separate from the state, which reporting a solution must not change.
    pub(super) returned: State,
    kept: Values,
    ccd: Ccd,
    fabrik: Fabrik,
    relaxation: Relaxation,
    free_chain: FreeChain,
    pub(super) two_bone: TwoBone,
    pub(super) least_squares: LeastSquares,
    restarts: Restarts,
}

/// The chosen method, the problem and the state. A macro, because it borrows only these fields.
macro_rules! method {
    ($figure:expr) => {{
        let method: &mut dyn methods::Method = match $figure.choice.method {
            Method::TwoBone => &mut $figure.two_bone,
            Method::Direct => &mut $figure.free_chain,
            Method::Fabrik | Method::Relaxation if $figure.is_free => &mut $figure.free_chain,
            Method::Fabrik => &mut $figure.fabrik,
            Method::Relaxation => &mut $figure.relaxation,
            Method::LeastSquares => &mut $figure.least_squares,
            Method::Ccd | Method::Auto => &mut $figure.ccd,
        };
        (method, &$figure.problem, &mut $figure.state)
    }};
}

impl Figure {
    /// Starts on a problem whose parts have been checked.
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
        self.problem.compile(skeleton, start, tasks, settings);
        self.state.begin(&self.problem);
        self.least_squares.forget(&self.problem, &self.state, settings);
        (self.requested, self.classic) = (method, settings.classic);
        self.choice = Choice { method: Method::Ccd, reason: "" };
        self.choice = self.choose(settings)?;
        self.start(settings);
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

    /// Continues from the present pose towards new targets; the change from this pose is minimised.
    pub(super) fn go_on(&mut self, settings: &Settings) {
        self.finish();
        self.go_on_from_here(settings);
    }

    fn go_on_from_here(&mut self, settings: &Settings) {
        self.state.begun.copy_from(&self.state.values);
        // The direct solver no longer applies when a target leaves the plane of its chain.
        let reason = "the method no longer suits the target";
        self.choice = self.choose(settings).unwrap_or(Choice { method: Method::Ccd, reason });
        self.start(settings);
    }

    /// Starts over from other joint values, settled and inside the limits.
    pub(super) fn start_from(&mut self, skeleton: &Skeleton, start: &[f64], settings: &Settings) {
        self.problem.set_still(skeleton, start);
        self.state.enter(&self.problem, start);
        self.go_on_from_here(settings);
    }

    fn start(&mut self, settings: &Settings) {
        if settings.root == Root::PrePulled && !self.classic {
            self.state.pull_roots(&self.problem);
        }
        self.restarts.begin(settings);
        self.free_chain.method = self.choice.method;
        let (method, problem, state) = method!(self);
        method.begin(problem, state, settings);
    }

    /// The method that `auto` selects, or a check that the requested method can solve the problem.
    fn choose(&mut self, settings: &Settings) -> Result<Choice> {
        let problem = &self.problem;
        let is_free = problem.is_free();
        self.is_free = is_free;
        let is_limb = matches!(self.requested, Method::Auto | Method::TwoBone)
            && self.two_bone.plan(problem, &mut self.state);
        let need = match self.requested {
            Method::Auto => return Ok(choose_auto(problem, is_limb, is_free, settings)),
            Method::TwoBone if !is_limb => {
                "one point to reach and two joints: two hinges in a plane, a ball and a hinge, or two balls, the balls without limits; with a ball, also its pole"
            }
            Method::Direct if !is_free => {
                "one point to reach and an unbranched chain of unlimited balls, or of unlimited hinges in a plane"
            }
            Method::Ccd | Method::Fabrik | Method::Relaxation if !problem.is_plain => {
                "positions, orientations and whole poses at level 1"
            }
            method => return Ok(Choice { method, reason: "asked for by name" }),
        };
        Err(ErrorKind::Unsuited { method: self.requested.name(), need }.into())
    }

    /// Updates the state from what the method works on.
    pub(super) fn finish(&mut self) {
        let (method, problem, state) = method!(self);
        method.finish(problem, state);
    }

    /// Writes the configurations of the other answers of a closed form.
    pub(super) fn write_others(&mut self, others: &mut Vec<Vec<f64>>) {
        if self.choice.method != Method::TwoBone {
            self.two_bone.forget();
        }
        self.two_bone.write_others(&self.problem, &mut self.returned, others);
    }
}

impl Run for Figure {
    fn iterate(&mut self, recorder: &mut Recorder<'_>) {
        let (method, problem, state) = method!(self);
        method.iterate(problem, state, recorder);
    }

    fn residual(&mut self) -> Miss {
        let is_classic = self.classic && self.problem.is_plain;
        let (method, problem, state) = method!(self);
        // The published methods have no proofs of reach.
        if is_classic {
            method.true_residual(problem, state)
        } else {
            method.residual(problem, state)
        }
    }

    fn merit(&mut self) -> f64 {
        let (method, problem, state) = method!(self);
        method.merit(problem, state)
    }

    fn progress(&mut self) -> Option<f64> {
        method!(self).0.progress()
    }

    fn escape(&mut self, attempt: u32, budget: u32) -> Option<Escape> {
        let escape = match self.choice.method {
            // A closed form has nothing left to try.
            Method::TwoBone | Method::Direct => None,
            Method::LeastSquares => self.restart(attempt, budget),
            _ if self.is_free => (attempt == 0).then(|| {
                self.free_chain.reach(&self.problem, &mut self.state);
                Escape { steps: 1, by: Method::Direct }
            }),
            _ => self.restart(attempt, budget),
        };
        let (method, problem, state) = method!(self);
        method.resume(problem, state);
        escape
    }

    fn come_to_rest(&mut self, budget: u32) -> u32 {
        if matches!(self.choice.method, Method::TwoBone | Method::Direct) {
            return 0;
        }
        self.finish();
        let (problem, state) = (&self.problem, &mut self.state);
        let steps = self.least_squares.run(problem, state, budget, Until::AtRest);
        let (method, problem, state) = method!(self);
        method.resume(problem, state);
        steps
    }

    fn refine(&mut self) -> bool {
        let (method, problem, state) = method!(self);
        method.refine(problem, state)
    }

    fn is_at_rest(&mut self) -> bool {
        method!(self).0.is_at_rest()
    }

    fn keep(&mut self) {
        self.kept.copy_from(&self.state.values);
        method!(self).0.keep();
    }

    fn recall(&mut self) {
        self.state.restore(&self.problem, &self.kept);
        let (method, problem, state) = method!(self);
        method.recall(problem, state);
    }

    fn describe(&mut self, step: &mut TraceStep) {
        let (method, problem, state) = method!(self);
        method.describe(problem, state, step);
    }
}

impl Figure {
    /// Least squares from the present pose, or from another start.
    fn restart(&mut self, attempt: u32, budget: u32) -> Option<Escape> {
        let (problem, state) = (&self.problem, &mut self.state);
        let until = self.restarts.start(attempt, problem, state, &mut self.free_chain)?;
        if self.restarts.is_generic() {
            self.restarts.has_conflict = Some(self.least_squares.has_conflict(problem, state));
        }
        let steps = self.least_squares.run(problem, state, budget.min(STEPS), until);
        self.restarts.learn(attempt, self.least_squares.sum());
        Some(Escape { steps: steps.max(1), by: Method::LeastSquares })
    }
}

/// The closed form if there is one, otherwise the fastest method that handles all tasks.
fn choose_auto(problem: &Problem, is_limb: bool, is_free: bool, settings: &Settings) -> Choice {
    let (method, reason) = if problem.levels.is_empty() {
        (Method::LeastSquares, "nothing is asked for")
    } else if !problem.is_plain && !is_limb {
        (Method::LeastSquares, "tasks that only least squares can do")
    } else if settings.need_least_squares() {
        (Method::LeastSquares, "stiffness, velocity limits or other choices of least squares")
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
