//! The one loop that runs every iterative method: iterate, compare, escape from lock-ups, stop.
//!
//! A method knows how to iterate ([`Run::iterate`]). The driver counts, compares with the tolerance, keeps the best state, records the
//! trace, and notices a lock-up: an iteration after which the error is what it was before. From there [`Run::escape`] goes on by another
//! method, and the solution says so. [`Method::Auto`] may also change the method where the error falls too slowly to arrive soon (a crawl), and least
//! squares then goes on from its own other starts; every other method that is named runs itself to the end. With [`Settings::classic`] nothing but the published iteration is run.

use super::pose::worse;
use super::solution::{Phase, TraceStep};
use super::{Detail, Method, Settings};
use crate::task::Miss;
use alloc::vec::Vec;

/// Distances below this part of the unit of length are rounding: what a hundred bones leave of the 1e-16 of one operation.
pub(crate) const ROUNDING: f64 = 1e-14;

/// Part of the error that an iteration must leave for a lock-up. The lock-ups of the texts leave exactly 1; at this rate it would take
/// 100,000 iterations to a third of the error.
const LOCKED: f64 = 1.0 - 1e-5;

/// Iterations before a rate is judged: fewer would cut short what starts slowly.
const PATIENCE: u32 = 5;

/// A crawl is a rate at which 2 to this power further iterations do not arrive.
const HORIZON_DOUBLINGS: u32 = 4;

/// With one part in this many of the iterations left, and so many at most, the best state comes to rest before further attempts are made.
const RESERVE: u32 = 5;
const MOST_RESERVED: u32 = 200;

/// Steps to rest at most: a pose that is not at rest by then creeps along a valley that is all but flat.
const MOST_TO_REST: u32 = 1000;

/// An escape that jumps to another pose must leave less than this part of the error to be kept without arriving.
const WORTH_A_JUMP: f64 = 0.9;

/// An escape has made progress, and the attempts start over, when the error is below this part of what it was at the first.
const PROGRESS: f64 = 0.5;

/// What an escape did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Escape {
    /// Iterations that it took, at least 1.
    pub(crate) steps: u32,
    /// The method that it used.
    pub(crate) by: Method,
}

/// A solve under the driver.
pub(crate) trait Run {
    /// One iteration of the method.
    fn iterate(&mut self, recorder: &mut Recorder<'_>);

    /// Largest misses of the present state, less what is proven to be out of reach, in units of the run.
    fn residual(&mut self) -> Miss;

    /// Rises with the weighted sum of squared misses: of two states that do not arrive the one with less is the better.
    fn merit(&mut self) -> f64;

    /// What must fall from one iteration to the next, where that is not the residual.
    fn progress(&mut self) -> Option<f64> {
        None
    }

    /// Moves the state by another method, in at most `budget` steps; none when nothing is left to try. Attempt 0 is the first after
    /// ordinary progress.
    fn escape(&mut self, attempt: u32, budget: u32) -> Option<Escape>;

    /// Descends to the nearest pose around, in at most `budget` steps, where nothing arrives; returns the steps taken.
    fn come_to_rest(&mut self, _budget: u32) -> u32 {
        0
    }

    /// One step of what follows when the tasks that the status speaks of are done: lower levels, the least change. False when there is none.
    fn refine(&mut self) -> bool {
        false
    }

    /// Whether the last iteration moved nothing, by the published test. Asked in classic mode only.
    fn is_at_rest(&mut self) -> bool {
        false
    }

    /// Remembers the present state as the best.
    fn keep(&mut self);

    /// Returns to the state that was kept.
    fn recall(&mut self);

    /// Fills in the misses, the configuration and the points of a trace step.
    fn describe(&mut self, step: &mut TraceStep);
}

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
    pub(crate) tolerance: Miss,
    /// Stop as soon as the tolerance is met.
    stops_early: bool,
    limit: u32,
    classic: bool,
    /// A crawl is cut short.
    combines: bool,
    detail: Detail,
    attempts: u32,
    /// Progress before the last iteration.
    before: f64,
    /// The last escape led nowhere and the next follows at once: whether it is from a lock-up.
    locked: Option<bool>,
    /// The best state has come to rest already.
    has_rested: bool,
    /// How it will end when nothing is left to refine.
    closing: Option<Ending>,
    best: Best,
    /// Progress of the best state when the attempts to escape began.
    at_first_attempt: f64,
}

/// What is known of the state that is kept.
#[derive(Debug, Clone, Copy, Default)]
struct Best {
    /// Misses in tolerances: at most 1 is reached.
    tolerances: f64,
    merit: f64,
    progress: f64,
}

impl Driver {
    /// Starts over from the present state of a run.
    ///
    /// - `combines`: slow progress is cut short, too
    pub(crate) fn begin(
        &mut self,
        settings: &Settings,
        combines: bool,
        tolerance: Miss,
        run: &mut dyn Run,
    ) {
        self.tolerance = tolerance;
        self.stops_early = settings.tolerance != Some(0.0);
        (self.limit, self.classic) = (settings.iterations, settings.classic);
        (self.combines, self.detail) = (combines, settings.trace);
        (self.iteration, self.attempts, self.has_rested) = (0, 0, false);
        (self.escaped_at, self.accelerated_at, self.escaped_by) = (None, None, None);
        (self.closing, self.locked, self.at_first_attempt) = (None, None, f64::INFINITY);
        self.trace.clear();
        self.best = self.judge(run);
        self.before = self.best.progress;
        run.keep();
    }

    /// Starts over, counting on and keeping the trace: targets have moved.
    pub(crate) fn go_on(
        &mut self,
        settings: &Settings,
        combines: bool,
        tolerance: Miss,
        run: &mut dyn Run,
    ) {
        let (iteration, trace) = (self.iteration, core::mem::take(&mut self.trace));
        self.begin(settings, combines, tolerance, run);
        self.limit = self.limit.saturating_add(iteration);
        (self.iteration, self.trace) = (iteration, trace);
    }

    /// Whether the budget is used up.
    pub(crate) fn is_out(&self) -> bool {
        self.iteration >= self.limit
    }

    /// Misses in tolerances: at most 1 is reached.
    pub(crate) fn tolerances(&self, miss: Miss) -> f64 {
        worse(miss.distance / self.tolerance.distance, miss.angle / self.tolerance.angle)
    }

    fn judge(&self, run: &mut dyn Run) -> Best {
        let residual = run.residual();
        let tolerances = self.tolerances(residual);
        let progress = run.progress().unwrap_or(tolerances);
        Best { tolerances, merit: run.merit(), progress }
    }

    /// One iteration; `Some` when the solve is over.
    pub(crate) fn step(&mut self, run: &mut dyn Run) -> Option<Ending> {
        if self.closing.is_none() {
            self.closing = if self.best.tolerances <= 1.0 && self.stops_early {
                Some(Ending::Reached)
            } else {
                self.iterate(run)
            };
        }
        let closing = self.closing?;
        if self.is_out() || self.classic || !run.refine() {
            return Some(closing);
        }
        self.iteration += 1;
        self.recorder().iteration(run, Phase::Refinement);
        None
    }

    /// One iteration of the method, and what must follow it; `Some` when nothing more is to be gained.
    fn iterate(&mut self, run: &mut dyn Run) -> Option<Ending> {
        if self.is_out() {
            return Some(self.run_out(run));
        }
        if let Some(locked) = self.locked {
            return self.escape(run, locked);
        }
        self.iteration += 1;
        let mut recorder = self.recorder();
        run.iterate(&mut recorder);
        recorder.iteration(run, Phase::Iteration);
        let now = self.judge(run);
        let before = core::mem::replace(&mut self.before, now.progress);
        self.keep_best(run, now);
        if self.classic {
            let at_rest = self.stops_early && run.is_at_rest() && now.tolerances > 1.0;
            return at_rest.then_some(Ending::NoProgress);
        }
        let locked = now.progress >= LOCKED * before;
        let is_slow = self.combines && self.is_crawling(now.tolerances, now.progress / before);
        if now.tolerances > 1.0 && (locked || is_slow) { self.escape(run, locked) } else { None }
    }

    /// Whether so many tolerances, of which each iteration leaves this part, take too long.
    fn is_crawling(&self, tolerances: f64, mut part: f64) -> bool {
        for _ in 0..HORIZON_DOUBLINGS {
            part *= part;
        }
        self.iteration >= PATIENCE && tolerances * part > 1.0
    }

    /// Back to the best, with no iteration left.
    fn run_out(&mut self, run: &mut dyn Run) -> Ending {
        run.recall();
        if self.best.tolerances <= 1.0 { Ending::Reached } else { Ending::OutOfIterations }
    }

    /// Goes on by another method. Its steps count as iterations.
    fn escape(&mut self, run: &mut dyn Run, locked: bool) -> Option<Ending> {
        if self.is_out() {
            return None;
        }
        // Only real progress since the first attempt starts the attempts over; otherwise they would go in circles.
        if self.best.progress < PROGRESS * self.at_first_attempt {
            (self.attempts, self.at_first_attempt) = (0, self.best.progress);
        }
        let budget = self.limit - self.iteration;
        let is_late = budget <= (self.limit / RESERVE).min(MOST_RESERVED);
        if is_late && self.attempts > 0 && !self.has_rested {
            // What is left after that is for further attempts.
            self.has_rested = true;
            self.rest(run);
            self.locked = Some(locked);
            return None;
        }
        let Some(Escape { steps, by }) = run.escape(self.attempts, budget) else {
            self.rest(run);
            self.locked = None;
            let is_out = self.is_out();
            let ending = if is_out { Ending::OutOfIterations } else { Ending::NoProgress };
            return (self.stops_early || is_out).then_some(ending);
        };
        self.attempts += 1;
        self.iteration += steps;
        let slot = if locked { &mut self.escaped_at } else { &mut self.accelerated_at };
        slot.get_or_insert(self.iteration);
        self.escaped_by.get_or_insert(by);
        let phase = if locked { Phase::Escape } else { Phase::Acceleration };
        self.recorder().iteration(run, phase);
        let now = self.judge(run);
        // The first attempt goes on from where the method stands; the others jump.
        let is_jump = self.attempts > 1;
        let enough = if is_jump { WORTH_A_JUMP } else { 1.0 } * self.best.progress;
        if now.tolerances > 1.0 && now.progress >= enough {
            // What only crawls may still arrive by itself.
            self.locked = (locked || is_jump).then_some(locked);
            run.recall();
            self.before = self.best.progress;
            return None;
        }
        (self.locked, self.before) = (None, now.progress);
        self.keep_best(run, now);
        if is_jump {
            // Another pose is not progress yet.
            self.at_first_attempt = self.best.progress;
        }
        None
    }

    /// From the best state down to the nearest pose around it.
    fn rest(&mut self, run: &mut dyn Run) {
        run.recall();
        self.iteration += run.come_to_rest((self.limit - self.iteration).min(MOST_TO_REST));
        let now = self.judge(run);
        self.keep_best(run, now);
        run.recall();
    }

    /// Keeps the state if it is the best.
    fn keep_best(&mut self, run: &mut dyn Run, now: Best) {
        if now.merit < self.best.merit || (now.tolerances <= 1.0 && self.best.tolerances > 1.0) {
            self.best = now;
            run.keep();
        }
    }

    fn recorder(&mut self) -> Recorder<'_> {
        Recorder { iteration: self.iteration, detail: self.detail, trace: &mut self.trace }
    }
}

/// Takes the trace.
#[derive(Debug)]
pub(crate) struct Recorder<'a> {
    iteration: u32,
    detail: Detail,
    trace: &'a mut Vec<TraceStep>,
}

impl Recorder<'_> {
    /// Whether half-steps are wanted, so that a method need not prepare them otherwise.
    pub(crate) fn wants_half_steps(&self) -> bool {
        self.detail == Detail::HalfSteps
    }

    /// Records a half-step, described by `describe`; call only when [`Self::wants_half_steps`].
    pub(crate) fn half_step(&mut self, phase: Phase, describe: impl FnOnce(&mut TraceStep)) {
        let mut step = TraceStep { iteration: self.iteration, phase, ..TraceStep::default() };
        describe(&mut step);
        self.trace.push(step);
    }

    fn iteration(&mut self, run: &mut dyn Run, phase: Phase) {
        if self.detail >= Detail::Iterations {
            self.half_step(phase, |step| run.describe(step));
        }
    }
}
