//! The one loop that runs every iterative method: iterate, compare, escape from lock-ups, stop.
//!
//! A method knows how to iterate. The driver counts iterations, compares errors with the tolerance, keeps the best state,
//! records the trace, and detects lock-ups: iterations that leave the error unchanged. [`Run::escape`] then continues with another method, and
//! the solution reports it. [`Method::Auto`] may also switch methods when convergence is too slow (a crawl); least squares then restarts from
//! other configurations. Every other method that is named runs to its own end. With [`Settings::classic`](super::Settings::classic) only the published iteration runs.

use super::problem::Problem;
use super::recorder::Recorder;
use super::run::{Escape, Run};
use super::settings::{Detail, Method};
use super::solution::{Phase, TraceStep};
use alloc::vec::Vec;

/// An iteration that leaves at least this fraction of the error is locked up. Published lock-ups leave exactly 1; at this rate, reducing the
/// error to a third would take 100,000 iterations.
const LOCKED: f64 = 1.0 - 1e-5;

/// Iterations before the rate of convergence is judged: fewer would cut short methods that start slowly.
const PATIENCE: u32 = 5;

/// Convergence crawls when 2 to this power further iterations at the present rate would not reach the tolerance.
const HORIZON_DOUBLINGS: u32 = 4;

/// The most steps towards a local minimum: a pose that takes longer creeps along an almost flat valley.
const MOST_TO_REST: u32 = 1000;

/// An escape to another pose that does not reach the targets is kept if it leaves less than this fraction of the error.
const WORTH_A_JUMP: f64 = 0.9;

/// The count of attempts starts over when the error falls below this fraction of the error at the first attempt.
const PROGRESS: f64 = 0.5;

/// Why the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Reached,
    NoProgress,
    OutOfIterations,
    Cancelled,
}

/// The memory of the loop.
#[derive(Debug, Clone, Default)]
pub(crate) struct Driver {
    pub(crate) iteration: u32,
    pub(crate) escaped_at: Option<u32>,
    pub(crate) accelerated_at: Option<u32>,
    pub(crate) escaped_by: Option<Method>,
    pub(crate) trace: Vec<TraceStep>,
    limit: u32,
    attempts: u32,
    /// Progress before the last iteration.
    before: f64,
    /// Set when the last escape failed and the next follows immediately: whether it leaves a lock-up.
    locked: Option<bool>,
    /// How the solve ends once refinement is done.
    closing: Option<Ending>,
    best: Best,
    /// Progress of the best state at the first attempt to escape.
    at_first_attempt: f64,
}

/// Measures of the saved state.
#[derive(Debug, Clone, Copy, Default)]
struct Best {
    /// Misses divided by their tolerances: at most 1 means reached.
    tolerances: f64,
    merit: f64,
    progress: f64,
}

impl Driver {
    /// Starts from the present state of a run.
    ///
    /// - `continues`: targets have moved; the iteration count and the trace are kept
    pub(crate) fn begin(&mut self, continues: bool, run: &mut Run) {
        if !continues {
            self.iteration = 0;
            self.trace.clear();
        }
        self.limit = run.problem.settings.iterations.saturating_add(self.iteration);
        self.attempts = 0;
        (self.escaped_at, self.accelerated_at, self.escaped_by) = (None, None, None);
        (self.closing, self.locked, self.at_first_attempt) = (None, None, f64::INFINITY);
        self.best = judge(run);
        self.before = self.best.progress;
        run.keep();
    }

    /// Whether the budget is used up.
    pub(crate) fn is_out(&self) -> bool {
        self.iteration >= self.limit
    }

    /// One iteration; `Some` when the solve is over.
    pub(crate) fn step(&mut self, run: &mut Run) -> Option<Ending> {
        if self.closing.is_none() {
            self.closing = if self.best.tolerances <= 1.0 && run.problem.stops_early() {
                Some(Ending::Reached)
            } else {
                self.iterate(run)
            };
        }
        let closing = self.closing?;
        if self.is_out() || run.problem.settings.classic {
            return Some(closing);
        }
        let (method, problem, state) = run.parts();
        if !method.refine(problem, state) {
            return Some(closing);
        }
        self.iteration += 1;
        self.record(run, Phase::Refinement);
        None
    }

    /// One iteration of the method, and an escape if it is needed; `Some` when no further progress is possible.
    fn iterate(&mut self, run: &mut Run) -> Option<Ending> {
        if self.is_out() {
            return Some(self.run_out(run));
        }
        if let Some(locked) = self.locked {
            return self.escape(run, locked);
        }
        self.iteration += 1;
        let (method, problem, state) = run.parts();
        method.iterate(problem, state, &mut self.recorder(problem));
        self.iteration += method.steps().saturating_sub(1);
        self.record(run, Phase::Iteration);
        let now = judge(run);
        let before = core::mem::replace(&mut self.before, now.progress);
        self.keep_best(run, now);
        if run.problem.settings.classic {
            let is_at_rest = run.problem.stops_early() && run.parts().0.is_at_rest();
            return (is_at_rest && now.tolerances > 1.0).then_some(Ending::NoProgress);
        }
        let locked = now.progress >= LOCKED * before;
        let is_slow = combines(run) && self.is_crawling(now.tolerances, now.progress / before);
        if now.tolerances > 1.0 && (locked || is_slow) { self.escape(run, locked) } else { None }
    }

    /// Whether an error of so many tolerances, multiplied by `part` in each iteration, takes too long to fall to one.
    fn is_crawling(&self, tolerances: f64, mut part: f64) -> bool {
        for _ in 0..HORIZON_DOUBLINGS {
            part *= part;
        }
        self.iteration >= PATIENCE && tolerances * part > 1.0
    }

    /// Restores the best state when no iterations are left.
    fn run_out(&mut self, run: &mut Run) -> Ending {
        run.recall();
        if self.best.tolerances <= 1.0 { Ending::Reached } else { Ending::OutOfIterations }
    }

    /// Continues with another method, whose steps count as iterations.
    fn escape(&mut self, run: &mut Run, locked: bool) -> Option<Ending> {
        if self.is_out() {
            return None;
        }
        // Only real progress since the first attempt resets the count; otherwise the attempts would cycle.
        if self.best.progress < PROGRESS * self.at_first_attempt {
            (self.attempts, self.at_first_attempt) = (0, self.best.progress);
        }
        let budget = self.limit - self.iteration;
        let Some(Escape { steps, by }) = run.escape(self.attempts, budget) else {
            self.rest(run);
            self.locked = None;
            let is_out = self.is_out();
            let ending = if is_out { Ending::OutOfIterations } else { Ending::NoProgress };
            return (run.problem.stops_early() || is_out).then_some(ending);
        };
        self.attempts += 1;
        self.iteration += steps;
        let slot = if locked { &mut self.escaped_at } else { &mut self.accelerated_at };
        slot.get_or_insert(self.iteration);
        self.escaped_by.get_or_insert(by);
        let phase = if locked { Phase::Escape } else { Phase::Acceleration };
        self.record(run, phase);
        let now = judge(run);
        // The first attempt continues from the present pose; the others jump to another.
        let is_jump = self.attempts > 1;
        let enough = if is_jump { WORTH_A_JUMP } else { 1.0 } * self.best.progress;
        if now.tolerances > 1.0 && now.progress >= enough {
            // A method that merely crawls may still converge by itself.
            self.locked = (locked || is_jump).then_some(locked);
            run.recall();
            self.before = self.best.progress;
            return None;
        }
        (self.locked, self.before) = (None, now.progress);
        self.keep_best(run, now);
        if is_jump {
            // Another pose is not yet progress.
            self.at_first_attempt = self.best.progress;
        }
        None
    }

    /// From the best state down to its local minimum.
    fn rest(&mut self, run: &mut Run) {
        run.recall();
        self.iteration += run.come_to_rest((self.limit - self.iteration).min(MOST_TO_REST));
        let now = judge(run);
        self.keep_best(run, now);
        run.recall();
    }

    /// Saves the state if it is the best so far.
    fn keep_best(&mut self, run: &mut Run, now: Best) {
        if now.merit < self.best.merit || (now.tolerances <= 1.0 && self.best.tolerances > 1.0) {
            self.best = now;
            run.keep();
        }
    }

    fn recorder(&mut self, problem: &Problem) -> Recorder<'_> {
        let detail = problem.settings.trace;
        Recorder { iteration: self.iteration, detail, trace: &mut self.trace }
    }

    fn record(&mut self, run: &mut Run, phase: Phase) {
        if run.problem.settings.trace >= Detail::Iterations {
            let (method, problem, state) = run.parts();
            let mut recorder = self.recorder(problem);
            recorder.record(phase, |step| method.describe(problem, state, step));
        }
    }
}

fn judge(run: &mut Run) -> Best {
    let (method, problem, state) = run.parts();
    let tolerances = problem.tolerances(method.residual(problem, state));
    let progress = method.progress().unwrap_or(tolerances);
    Best { tolerances, merit: method.merit(problem, state), progress }
}

/// Whether crawling convergence is cut short: when no method was named, and by least squares, whose restarts are its own.
fn combines(run: &Run) -> bool {
    run.requested == Method::Auto || run.choice.method == Method::LeastSquares
}
