//! The one loop that runs every iterative method: iterate, watch, rescue, stop.
//!
//! A method knows how to iterate and how to rescue itself ([`Run`]). The driver decides *when*: it counts, compares with
//! the tolerance, keeps the best state, notices that nothing moves any more (a stall) or that the error shrinks too slowly
//! to arrive soon (a crawl), and records the trace. With [`Settings::classic`] it never rescues.

use super::solution::{Phase, TraceStep};
use super::{Detail, Settings};

/// Error left in one iteration, relative to the iteration before, from which on nothing moves: the lock-ups of the texts
/// leave it at exactly 1, and the slowest honest progress worth waiting for is far below.
const STALL: f64 = 1.0 - 1e-5;

/// Iterations that a method may take before its rate is judged. Fewer would cut short what starts slowly.
const PATIENCE: u32 = 5;

/// A method whose present rate would take more than this many further iterations is cut short; a power of two.
const HORIZON_DOUBLINGS: u32 = 4;

/// One part in this many of the iterations is kept for coming to rest when no rescue arrives, and for the levels that follow; so many at
/// most.
const RESERVE: u32 = 5;
const MOST_RESERVED: u32 = 200;

/// A rescue that does not arrive must leave less than this part of the error to be worth a jump to another pose.
const WORTH_A_JUMP: f64 = 0.9;

/// Distances below this part of the reach are rounding.
pub(super) const FLOOR: f64 = 1e-14;

/// How far the effectors are from their targets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Residual {
    /// Largest distance, in units of the run.
    pub(super) distance: f64,
    /// Largest angle \[rad\].
    pub(super) angle: f64,
}

/// The larger of two misses. `f64::max` would take one that is NaN, from numbers beyond what can be squared, for none at all.
#[inline]
pub(super) fn worse(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}

/// One solve of one method: its state and what can be done to it.
pub(super) trait Run {
    /// Weighted sum of squares of all misses, or anything that rises with it, when the state is `residual` off: of two states
    /// that do not arrive, the one with less is the better.
    fn merit(&self, residual: Residual) -> f64;

    /// Runs one iteration of the published method.
    fn iterate(&mut self, recorder: &mut Recorder<'_>);

    /// How far off the present state is, less what is proven to be out of reach.
    fn residual(&self) -> Residual;

    /// Puts the state where the method itself would not get, towards the target, in at most `budget` steps; returns how many
    /// it took, `None` when there is nothing left to try.
    ///
    /// Attempt 0 is the first after the last ordinary progress.
    fn rescue(&mut self, attempt: u32, budget: u32) -> Option<u32>;

    /// Goes down to the nearest pose around, in at most `budget` steps, when nothing arrives; returns the steps taken.
    fn come_to_rest(&mut self, _budget: u32) -> u32 {
        0
    }

    /// What an iteration must lessen to count as progress, where that is not the residual.
    fn progress(&self) -> Option<f64> {
        None
    }

    /// One more iteration that makes a pose that is there, or as near as can be, a better one; false when there is nothing left to
    /// better.
    fn refine(&mut self) -> bool {
        false
    }

    /// True when the last iteration moved nothing, by the published test. Only the classic mode asks.
    fn is_at_rest(&self) -> bool {
        false
    }

    /// Remembers the present state as the best, or returns to it.
    fn keep(&mut self);
    /// Returns to the state last kept.
    fn recall(&mut self);

    /// Fills in the configuration and points of a trace step.
    fn describe(&mut self, step: &mut TraceStep);
}

/// Why the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Reached,
    NoProgress,
    OutOfIterations,
    Cancelled,
}

/// The loop's own memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Driver {
    pub(super) iteration: u32,
    pub(super) escaped_at: Option<u32>,
    pub(super) accelerated_at: Option<u32>,
    /// Tolerances in units of the run.
    distance_tolerance: f64,
    angle_tolerance: f64,
    /// Stop as soon as the tolerance is met.
    stops_early: bool,
    limit: u32,
    classic: bool,
    attempts: u32,
    before: f64,
    /// The last rescue led nowhere, and the next one follows at once: whether it is out of a stall, or only of a crawl.
    stuck: Option<bool>,
    /// How it will end when nothing is left to refine.
    closing: Option<Ending>,
    /// How many tolerances the state that is kept is off, and its merit.
    best: f64,
    best_merit: f64,
    /// The same by the measure of progress, and what it was when the rescues began.
    best_left: f64,
    best_at_rescue: f64,
    pub(super) trace: Vec<TraceStep>,
    detail: Detail,
}

impl Driver {
    /// Starts over. `scale` is what the caller's lengths were multiplied by to get the run's.
    pub(super) fn begin(&mut self, settings: &Settings, run: &mut dyn Run, reach: f64, scale: f64) {
        let asked = settings.tolerance.map_or(1e-6 * reach, |tolerance| tolerance * scale);
        self.distance_tolerance = asked.max(FLOOR * reach).max(f64::MIN_POSITIVE);
        self.angle_tolerance = settings.orientation_tolerance.max(FLOOR);
        self.stops_early = settings.tolerance != Some(0.0);
        (self.limit, self.classic) = (settings.iterations, settings.classic);
        (self.iteration, self.attempts) = (0, 0);
        (self.escaped_at, self.accelerated_at) = (None, None);
        self.trace.clear();
        self.detail = settings.trace;
        let residual = run.residual();
        self.best = self.measure(residual);
        self.before = run.progress().unwrap_or(self.best);
        self.best_left = self.before;
        self.best_merit = run.merit(residual);
        self.closing = None;
        self.stuck = None;
        self.best_at_rescue = f64::INFINITY;
        run.keep();
    }

    /// Goes on counting where an earlier solve stopped.
    pub(super) fn resume_at(&mut self, iteration: u32) {
        self.limit = self.limit.saturating_add(iteration);
        self.iteration = iteration;
    }

    /// How many tolerances off: at most 1 is reached.
    fn measure(&self, residual: Residual) -> f64 {
        (residual.distance / self.distance_tolerance).max(residual.angle / self.angle_tolerance)
    }

    pub(super) fn is_reached(&self, residual: Residual) -> bool {
        self.measure(residual) <= 1.0
    }

    /// Tolerance on distances, in units of the run.
    pub(super) const fn tolerance(&self) -> f64 {
        self.distance_tolerance
    }

    /// One iteration; `Some` when the solve is over.
    pub(super) fn step(&mut self, run: &mut dyn Run) -> Option<Ending> {
        if self.closing.is_none() {
            self.closing = if self.best <= 1.0 && self.stops_early {
                Some(Ending::Reached)
            } else {
                self.iterate(run)
            };
        }
        let closing = self.closing?;
        if self.iteration >= self.limit || self.classic || !run.refine() {
            return Some(closing);
        }
        self.iteration += 1;
        Recorder { iteration: self.iteration, detail: self.detail, trace: &mut self.trace }
            .iteration(run, Phase::Refinement);
        None
    }

    /// One iteration of the method, and what must follow it; `Some` when nothing more is to be gained.
    fn iterate(&mut self, run: &mut dyn Run) -> Option<Ending> {
        if self.iteration >= self.limit {
            run.recall();
            return Some(if self.best <= 1.0 { Ending::Reached } else { Ending::OutOfIterations });
        }
        if let Some(stalled) = self.stuck {
            return self.rescue(run, stalled);
        }
        self.iteration += 1;
        let mut recorder =
            Recorder { iteration: self.iteration, detail: self.detail, trace: &mut self.trace };
        run.iterate(&mut recorder);
        recorder.iteration(run, Phase::Iteration);
        let residual = run.residual();
        let now = self.measure(residual);
        let left = run.progress().unwrap_or(now);
        let before = core::mem::replace(&mut self.before, left);
        self.keep_best(run, residual, now, left);
        if self.classic {
            let at_rest = self.stops_early && run.is_at_rest() && now > 1.0;
            return at_rest.then_some(Ending::NoProgress);
        }
        let stalled = left >= STALL * before;
        if now > 1.0 && (stalled || self.is_crawling(now, left / before)) {
            return self.rescue(run, stalled);
        }
        None
    }

    /// Whether so many tolerances, of which each iteration leaves this part, take too long.
    fn is_crawling(&self, now: f64, mut left: f64) -> bool {
        for _ in 0..HORIZON_DOUBLINGS {
            left *= left;
        }
        self.iteration >= PATIENCE && now * left > 1.0
    }

    /// Goes straight to the nearest pose of a target that is out of reach.
    pub(super) fn give_up(&mut self, run: &mut dyn Run) -> Ending {
        self.rescue(run, false);
        // Nothing was slow: there was nothing to iterate for.
        self.accelerated_at = None;
        Ending::NoProgress
    }

    /// Lets the method out of a stall or a crawl. The steps of a rescue count as iterations.
    fn rescue(&mut self, run: &mut dyn Run, stalled: bool) -> Option<Ending> {
        if self.iteration >= self.limit {
            return None;
        }
        // Only real progress since the last rescue starts the attempts over; otherwise they would go in circles.
        if self.best_left < 0.5 * self.best_at_rescue {
            (self.attempts, self.best_at_rescue) = (0, self.best_left);
        }
        let reserve = (self.limit / RESERVE).min(MOST_RESERVED);
        let budget = (self.limit - self.iteration).saturating_sub(reserve);
        let may_try = self.attempts == 0 || budget > 0;
        let Some(steps) = may_try.then(|| run.rescue(self.attempts, budget.max(1))).flatten()
        else {
            return self.rest(run);
        };
        self.attempts += 1;
        self.iteration += steps;
        let slot = if stalled { &mut self.escaped_at } else { &mut self.accelerated_at };
        slot.get_or_insert(self.iteration);
        let phase = if stalled { Phase::Escape } else { Phase::Acceleration };
        Recorder { iteration: self.iteration, detail: self.detail, trace: &mut self.trace }
            .iteration(run, phase);
        let residual = run.residual();
        let now = self.measure(residual);
        let left = run.progress().unwrap_or(now);
        // The first attempt goes on from where the method stands; the others jump.
        let is_jump = self.attempts > 1;
        let enough = if is_jump { WORTH_A_JUMP * self.best_left } else { self.best_left };
        if now > 1.0 && left >= enough {
            // What only crawls may still arrive by itself.
            self.stuck = (stalled || is_jump).then_some(stalled);
            run.recall();
            self.before = self.best_left;
            return None;
        }
        self.stuck = None;
        self.before = left;
        self.keep_best(run, residual, now, left);
        if is_jump {
            // Another pose is not progress yet.
            self.best_at_rescue = self.best_left;
        }
        None
    }

    /// All attempts have failed: from the best state down to the nearest pose around it.
    fn rest(&mut self, run: &mut dyn Run) -> Option<Ending> {
        run.recall();
        self.iteration += run.come_to_rest(self.limit - self.iteration);
        let residual = run.residual();
        let now = self.measure(residual);
        let left = run.progress().unwrap_or(now);
        self.keep_best(run, residual, now, left);
        run.recall();
        self.stuck = None;
        self.stops_early.then_some(Ending::NoProgress)
    }

    /// Keeps the state if it is the best: `now` tolerances off, and `left` by the measure of progress.
    fn keep_best(&mut self, run: &mut dyn Run, residual: Residual, now: f64, left: f64) {
        let merit = run.merit(residual);
        if merit < self.best_merit || (now <= 1.0 && self.best > 1.0) {
            (self.best, self.best_merit, self.best_left) = (now, merit, left);
            run.keep();
        }
    }
}

/// Takes the trace.
#[derive(Debug)]
pub(super) struct Recorder<'a> {
    iteration: u32,
    detail: Detail,
    trace: &'a mut Vec<TraceStep>,
}

impl Recorder<'_> {
    /// True when half-steps are wanted, so that a method need not prepare them otherwise.
    pub(super) fn wants_half_steps(&self) -> bool {
        self.detail == Detail::HalfSteps
    }

    /// Records a half-step; call only when [`Self::wants_half_steps`].
    pub(super) fn half_step(&mut self, run: &mut dyn Run, phase: Phase) {
        self.push(run, phase);
    }

    fn iteration(&mut self, run: &mut dyn Run, phase: Phase) {
        if self.detail >= Detail::Iterations {
            self.push(run, phase);
        }
    }

    fn push(&mut self, run: &mut dyn Run, phase: Phase) {
        let mut step = TraceStep { iteration: self.iteration, phase, ..TraceStep::default() };
        run.describe(&mut step);
        self.trace.push(step);
    }
}
