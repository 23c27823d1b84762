//! The stopwatch, as `bench/python/measure.py` has it.

use std::hint::black_box;
use std::time::Instant;

use anyhow::Result;
use posekit::math::Pose;
use posekit::solve::{Method, Progress, Settings, Workspace};
use posekit::task::Task;

use super::file::Problem;
use super::model::{Model, set_targets};
use super::{MOST_STEPS, TOLERANCE, TRACKING_TOLERANCE};
use crate::measure::{median_of, stopwatch_overhead};

/// Times that a single problem is solved; the median counts.
const REPEATS: usize = 5;

/// For following a moving target: no jumps to other poses, and the first pose found will do.
pub fn tracking() -> Settings {
    defaults().with_least_squares(Settings::tracking().least_squares)
}

/// The defaults, but for the tolerance.
pub fn defaults() -> Settings {
    Settings::default().with_tolerance(TOLERANCE).with_orientation_tolerance(TOLERANCE)
}

/// A solver at work on a model, as a program would use it.
#[derive(Debug)]
pub struct Solver<'a> {
    model: &'a Model,
    settings: Settings,
    workspace: Workspace,
    tasks: Vec<Task>,
    /// The configuration now.
    pub q: Vec<f64>,
    /// The workspace stands at `q` and only needs new targets.
    is_under_way: bool,
}

impl<'a> Solver<'a> {
    /// At a problem's start, which also is the posture.
    pub fn new(model: &'a Model, problem: &Problem, settings: &Settings) -> Self {
        let q = model.start(problem);
        let tasks = model.tasks(&problem.targets[0], &q);
        Self {
            model,
            settings: settings.clone(),
            workspace: Workspace::default(),
            tasks,
            q,
            is_under_way: false,
        }
    }

    /// Sets targets and takes the problem over.
    ///
    /// # Errors
    /// When the library refuses the problem.
    pub fn begin(&mut self, targets: &[Pose]) -> Result<()> {
        set_targets(&mut self.tasks, targets);
        let (skeleton, method) = (&self.model.skeleton, Method::LeastSquares);
        self.workspace.begin(skeleton, &self.q, &self.tasks, method, &self.settings)?;
        Ok(())
    }

    /// Sets targets and goes on from where the workspace stands; the first time, takes the problem over.
    ///
    /// # Errors
    /// When the library refuses the problem.
    pub fn aim(&mut self, targets: &[Pose]) -> Result<()> {
        if !core::mem::replace(&mut self.is_under_way, true) {
            return self.begin(targets);
        }
        set_targets(&mut self.tasks, targets);
        for (k, task) in self.tasks.iter().take(targets.len()).enumerate() {
            self.workspace.set_target(k, &task.kind)?;
        }
        Ok(())
    }

    /// Back to a configuration.
    pub fn return_to(&mut self, q: &[f64]) {
        self.q.copy_from_slice(q);
        self.is_under_way = false;
    }

    /// One iteration.
    pub fn iterate(&mut self) -> Progress {
        self.workspace.step()
    }

    /// Takes the configuration out.
    pub fn read(&mut self) {
        self.workspace.configuration(&mut self.q);
    }

    /// One differential step: set targets, solve, integrate, update the kinematics.
    ///
    /// # Errors
    /// When the library refuses the problem.
    pub fn step(&mut self, targets: &[Pose]) -> Result<()> {
        self.aim(targets)?;
        self.iterate();
        self.read();
        Ok(())
    }

    /// The whole solve; returns the iterations.
    ///
    /// # Errors
    /// When the library refuses the problem.
    pub fn solve(&mut self, targets: &[Pose]) -> Result<u32> {
        self.begin(targets)?;
        self.workspace.run();
        self.read();
        Ok(self.workspace.solution().iterations)
    }
}

/// What a path took.
#[derive(Debug, Clone, Copy)]
pub struct Steps {
    /// One whole differential step \[ns\].
    pub median: f64,
    /// The same, mean \[ns\].
    pub mean: f64,
    /// Its parts, medians \[ns\]: taking the problem over, the iteration, taking the result out.
    pub parts: [f64; 3],
    /// Share of the steps after which every task is within the tracking tolerance.
    pub tracked: f64,
    /// Largest error after a step \[m, rad\].
    pub worst: f64,
    /// Steps timed.
    pub n: usize,
}

/// One step per target along a path, the state going on from step to step.
#[derive(Debug)]
pub struct Run<'a> {
    solver: Solver<'a>,
    start: Vec<f64>,
    prepared: Vec<Vec<Pose>>,
    passes: usize,
    overhead: f64,
    whole: Vec<f64>,
    parts: [Vec<f64>; 3],
    tracked: f64,
    worst: f64,
}

impl<'a> Run<'a> {
    /// Goes once round and judges every step; nothing is timed.
    ///
    /// # Errors
    /// When the library refuses the problem.
    pub fn new(model: &'a Model, path: &Problem, passes: usize) -> Result<Self> {
        let prepared: Vec<_> = path.targets.iter().map(|t| model.prepare(t)).collect();
        let mut solver = Solver::new(model, path, &tracking());
        let start = solver.q.clone();
        let (mut tracked, mut worst) = (0, 0.0_f64);
        for (ready, targets) in prepared.iter().zip(&path.targets) {
            solver.step(ready)?;
            let error = model.worst_error(targets, &solver.q);
            worst = worst.max(error);
            tracked += usize::from(error <= TRACKING_TOLERANCE);
        }
        let room = || Vec::with_capacity(passes * prepared.len());
        let (whole, parts) = (room(), [room(), room(), room()]);
        let tracked = tracked as f64 / prepared.len() as f64;
        let overhead = stopwatch_overhead();
        Ok(Self { solver, start, prepared, passes, overhead, whole, parts, tracked, worst })
    }

    /// Goes round and times: whole steps, and their parts in turns, because reading the clock in between costs too.
    ///
    /// # Errors
    /// When the library refuses the problem.
    pub fn steps(&mut self) -> Result<()> {
        for _ in 0..self.passes {
            self.solver.return_to(&self.start);
            for ready in &self.prepared {
                let watch = Instant::now();
                self.solver.step(black_box(ready))?;
                self.whole.push(elapsed(watch, self.overhead));
            }
            self.solver.return_to(&self.start);
            for ready in &self.prepared {
                let watch = Instant::now();
                self.solver.aim(black_box(ready))?;
                self.parts[0].push(elapsed(watch, self.overhead));
                let watch = Instant::now();
                self.solver.iterate();
                self.parts[1].push(elapsed(watch, self.overhead));
                let watch = Instant::now();
                self.solver.read();
                self.parts[2].push(elapsed(watch, self.overhead));
            }
        }
        Ok(())
    }

    /// What it took.
    pub fn finish(mut self) -> Steps {
        let n = self.whole.len();
        Steps {
            mean: self.whole.iter().sum::<f64>() / n as f64,
            median: median_of(&mut self.whole),
            parts: self.parts.map(|mut times| median_of(&mut times)),
            tracked: self.tracked,
            worst: self.worst,
            n,
        }
    }
}

fn elapsed(start: Instant, overhead: f64) -> f64 {
    start.elapsed().as_secs_f64() * 1e9 - overhead
}

/// What solving took.
#[derive(Debug, Clone, Copy)]
pub struct Solves {
    /// Time per solve, median and mean over the problems, failures included \[ns\].
    pub median: f64,
    /// The same, mean \[ns\].
    pub mean: f64,
    /// The slowest problem \[ns\].
    pub slowest: f64,
    /// Iterations, median.
    pub iterations: f64,
    /// The most iterations.
    pub most_iterations: f64,
    /// Problems solved within the tolerance and the limits, by forward kinematics.
    pub solved: usize,
    /// All problems.
    pub total: usize,
}

/// Whole solves, each problem from its own start to its first target.
///
/// # Errors
/// When the library refuses a problem.
pub fn solves(model: &Model, problems: &[Problem], settings: &Settings) -> Result<Solves> {
    let mut tally = Tally::default();
    for problem in problems {
        let mut solver = Solver::new(model, problem, settings);
        tally.add(model, problem, &mut solver)?;
    }
    Ok(tally.finish())
}

/// Whole solves along a path, each from the pose of the frame before.
///
/// # Errors
/// When the library refuses a problem.
pub fn frames(model: &Model, path: &Problem, settings: &Settings) -> Result<Solves> {
    let mut tally = Tally::default();
    let mut solver = Solver::new(model, path, settings);
    for targets in &path.targets {
        let frame = Problem { targets: vec![targets.clone()], ..Problem::default() };
        tally.add(model, &frame, &mut solver)?;
    }
    Ok(tally.finish())
}

/// Iterations until every target is met, judged after each by forward kinematics, and the time of as many; as the peers are
/// measured. Failures have no part in the times.
///
/// # Errors
/// When the library refuses a problem.
pub fn convergence(model: &Model, problems: &[Problem]) -> Result<Solves> {
    let mut tally = Tally { total: problems.len(), ..Tally::default() };
    let overhead = stopwatch_overhead();
    for problem in problems {
        let mut solver = Solver::new(model, problem, &tracking());
        let start = solver.q.clone();
        let ready = model.prepare(&problem.targets[0]);
        let Some(count) = steps_to_converge(model, problem, &mut solver, &ready)? else { continue };
        let mut times = Vec::new();
        for _ in 0..REPEATS {
            solver.q.clone_from(&start);
            let watch = Instant::now();
            solver.begin(&ready)?;
            for _ in 0..count {
                solver.iterate();
            }
            solver.read();
            times.push(elapsed(watch, overhead));
        }
        tally.solved += 1;
        tally.iterations.push(f64::from(count));
        tally.times.push(median_of(&mut times));
    }
    Ok(tally.finish())
}

fn steps_to_converge(
    model: &Model,
    problem: &Problem,
    solver: &mut Solver<'_>,
    ready: &[Pose],
) -> Result<Option<u32>> {
    solver.begin(ready)?;
    for count in 1..=MOST_STEPS {
        solver.iterate();
        solver.read();
        if is_solved(model, &problem.targets[0], &solver.q) {
            return Ok(Some(count));
        }
    }
    Ok(None)
}

/// Whether every target is met, by forward kinematics, and the limits hold.
pub fn is_solved(model: &Model, targets: &[Vec<f64>], q: &[f64]) -> bool {
    model.worst_error(targets, q) <= TOLERANCE && model.skeleton.within_limits(q, TOLERANCE)
}

#[derive(Debug, Default)]
struct Tally {
    times: Vec<f64>,
    iterations: Vec<f64>,
    solved: usize,
    total: usize,
}

impl Tally {
    /// Solves a problem a few times from where the solver stands, which ends at the result.
    fn add(&mut self, model: &Model, problem: &Problem, solver: &mut Solver<'_>) -> Result<()> {
        let ready = model.prepare(&problem.targets[0]);
        let start = solver.q.clone();
        let overhead = stopwatch_overhead();
        let (mut times, mut iterations) = (Vec::new(), 0);
        for _ in 0..REPEATS {
            solver.q.clone_from(&start);
            let watch = Instant::now();
            iterations = solver.solve(black_box(&ready))?;
            times.push(elapsed(watch, overhead));
        }
        self.total += 1;
        self.solved += usize::from(is_solved(model, &problem.targets[0], &solver.q));
        self.iterations.push(f64::from(iterations));
        self.times.push(median_of(&mut times));
        Ok(())
    }

    fn finish(mut self) -> Solves {
        let mean = self.times.iter().sum::<f64>() / self.times.len() as f64;
        let largest = |values: &[f64]| values.iter().copied().fold(f64::NAN, f64::max);
        Solves {
            slowest: largest(&self.times),
            most_iterations: largest(&self.iterations),
            median: median_of(&mut self.times),
            mean,
            iterations: median_of(&mut self.iterations),
            solved: self.solved,
            total: self.total,
        }
    }
}
