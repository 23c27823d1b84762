//! Straight lines at 500 Hz: each target from the answer to the one before.

use std::time::Instant;

use anyhow::{Context, Result};
use posekit::arm::{Arm, Prefer};

use super::chain::Chain;
use super::cold::Times;
use super::matrix::Matrix;
use super::ours::{Model, pose, settings};
use super::problem::{Verdict, first_seed};
use super::solver::{Contender, Followed, Solver};
use crate::measure::{median_of, stopwatch_overhead};
use crate::random::Random;

/// Length of a line \[m\], and the speed along it \[m/s\].
pub const LENGTH: f64 = 0.125;
/// See [`LENGTH`].
pub const SPEED: f64 = 0.25;
/// Targets in a second.
pub const RATE: f64 = 500.0;

/// Above this speed no joint of an arm follows \[rad/s or m/s\]: it has changed to another branch.
pub const JUMP: f64 = 20.0;

/// Along a line, poses that are tested to be in reach.
const TESTED: usize = 26;

/// Lines that are drawn for each that is wanted, at most.
const ATTEMPTS: usize = 100;

/// A line.
#[derive(Debug, Clone)]
pub struct Line {
    /// A configuration with the tool where the line begins.
    pub start: Vec<f64>,
    /// The poses after that, with the same orientation.
    pub targets: Vec<Matrix>,
}

/// Lines in random directions from random configurations. Each pose of a sample along a line is in reach, as far as solves from many starts tell: whether one
/// branch leads from end to end, inside the bounds, is not known.
///
/// # Errors
/// When posekit refuses the arm.
pub fn draw(chain: &Chain, n: usize) -> Result<Vec<Line>> {
    let Model { skeleton, tool, .. } = Model::new(chain)?;
    let arm = Arm::new(&skeleton, tool)?;
    let settings = settings(Prefer::First);
    let random = &mut Random::new(first_seed(&chain.name) ^ 1);
    let steps = (LENGTH / SPEED * RATE).round() as usize;
    let line = |random: &mut Random| {
        let start = chain.sample(random);
        let (from, along) = (chain.tool(&start), random.direction().to_array());
        let target = |k: usize| {
            let by = LENGTH * (k + 1) as f64 / steps as f64;
            Matrix::translation(along.map(|x| x * by)) * from
        };
        Line { start, targets: (0..steps).map(target).collect() }
    };
    let is_in_reach = |line: &Line| {
        line.targets.iter().rev().step_by(steps / TESTED).all(|target| {
            let solution = arm.solve(pose(target), &mut line.start.clone(), &settings);
            solution.is_ok_and(|solution| solution.is_reached())
        })
    };
    let drawn = (0..n * ATTEMPTS).map(|_| line(random));
    Ok(drawn.filter(is_in_reach).take(n).collect())
}

/// What was measured of one contender on one arm.
#[derive(Debug, Clone)]
pub struct Row {
    /// The contender.
    pub name: &'static str,
    /// Times of the targets that were reached.
    pub times: Times,
    /// Lines.
    pub lines: usize,
    /// Lines of which every target was reached, judged by our own kinematics, with every joint below its velocity limit.
    pub completed: usize,
    /// Lines that ended at a target that was not reached.
    pub ended: usize,
    /// The ends of those that were followed as a whole: the line, how far the tool came \[m\], why no further, and whether it is proven that nothing leads further.
    pub ends: Vec<(usize, f64, String, bool)>,
    /// Lines that were completed later than asked for, because of velocity limits.
    pub slowed: usize,
    /// Steps in which a joint is above its velocity limit, and lines that have such.
    pub too_fast: [usize; 2],
    /// Steps in which a joint is faster than [`JUMP`], and lines that have such.
    pub jumps: [usize; 2],
    /// Targets called reached that were not, by our own kinematics.
    pub wrong: usize,
    /// The largest error of a target that is called reached \[m, rad\].
    pub worst_error: f64,
    /// The completed lines.
    pub which: Vec<bool>,
}

struct Runner {
    solver: Box<dyn Solver>,
    /// For each line and target, over the rounds.
    times: Vec<Vec<Vec<f64>>>,
    row: Row,
}

/// Follows every line with every contender, in turns. The time of a target is the median over the rounds.
///
/// # Errors
/// When a contender cannot be made.
pub fn run(
    chain: &Chain,
    lines: &[Line],
    contenders: &[Contender],
    rounds: usize,
) -> Result<Vec<Row>> {
    let mut runners = Vec::new();
    for contender in contenders {
        let entered = (contender.enter)(chain);
        let Some(solver) = entered.with_context(|| contender.name)? else { continue };
        let times = lines.iter().map(|line| vec![Vec::new(); line.targets.len()]).collect();
        runners.push(Runner { solver, times, row: Row::new(contender.name, lines.len()) });
    }
    let overhead = stopwatch_overhead();
    for round in 0..rounds {
        for (index, line) in lines.iter().enumerate() {
            for turn in 0..runners.len() {
                let at = (round + index + turn) % runners.len();
                runners[at].follow(chain, index, line, round == 0, overhead);
            }
        }
    }
    Ok(runners.into_iter().map(Runner::finish).collect())
}

impl Row {
    fn new(name: &'static str, lines: usize) -> Self {
        Self {
            name,
            times: Times::default(),
            lines,
            completed: 0,
            ended: 0,
            ends: Vec::new(),
            slowed: 0,
            too_fast: [0; 2],
            jumps: [0; 2],
            wrong: 0,
            worst_error: 0.0,
            which: Vec::new(),
        }
    }

    /// Counts a line.
    fn add(&mut self, has_ended: bool, [too_fast, jumps, wrong]: [usize; 3]) {
        let is_complete = !has_ended && too_fast == 0 && wrong == 0;
        self.completed += usize::from(is_complete);
        self.which.push(is_complete);
        self.ended += usize::from(has_ended);
        self.wrong += wrong;
        for ([steps, lines], n) in [(&mut self.too_fast, too_fast), (&mut self.jumps, jumps)] {
            *steps += n;
            *lines += usize::from(n > 0);
        }
    }
}

impl Runner {
    /// Follows a line to its end, or to the first target that is not reached.
    fn follow(&mut self, chain: &Chain, index: usize, line: &Line, judges: bool, overhead: f64) {
        self.solver.load(&line.targets);
        let watch = Instant::now();
        if self.solver.follow(&line.start) {
            let time = watch.elapsed().as_secs_f64() * 1e9 - overhead;
            return self.judge_path(chain, index, line, judges, time);
        }
        let (mut q, mut before) = (line.start.clone(), line.start.clone());
        let (mut too_fast, mut jumps, mut wrong, mut has_ended) = (0, 0, 0, false);
        for (k, target) in line.targets.iter().enumerate() {
            let watch = Instant::now();
            let outcome = self.solver.solve(k, &mut q);
            let time = watch.elapsed().as_secs_f64() * 1e9 - overhead;
            if !outcome.is_reached {
                has_ended = true;
                break;
            }
            self.times[index][k].push(time);
            if !judges {
                continue;
            }
            let verdict = Verdict::new(chain, target, &q);
            self.row.worst_error = self.row.worst_error.max(verdict.error());
            wrong += usize::from(!verdict.is_solved());
            let mut speeds = q.iter().zip(&before).map(|(a, b)| (a - b).abs() * RATE);
            let is_too_fast =
                speeds.clone().zip(&chain.unknowns).any(|(speed, of)| speed > of.velocity);
            too_fast += usize::from(is_too_fast);
            jumps += usize::from(speeds.any(|speed| speed > JUMP));
            before.clone_from(&q);
        }
        if judges {
            self.row.add(has_ended, [too_fast, jumps, wrong]);
        }
    }

    /// Takes over a line that was followed as a whole. Its time is shared among the targets that were reached.
    fn judge_path(&mut self, chain: &Chain, index: usize, line: &Line, judges: bool, time: f64) {
        let Followed { samples, end } = self.solver.followed();
        let reached = samples.iter().filter(|sample| sample.target.is_some()).count();
        if reached > 0 {
            self.times[index][0].push(time / reached as f64);
        }
        if !judges {
            return;
        }
        let (mut too_fast, mut jumps, mut wrong) = (0, 0, 0);
        for sample in &samples {
            let target = sample.target.map(|target| &line.targets[target]);
            let verdict = target.map(|target| Verdict::new(chain, target, &sample.q));
            if let Some(verdict) = verdict {
                self.row.worst_error = self.row.worst_error.max(verdict.error());
            }
            let is_right = verdict.map_or_else(|| chain.is_inside(&sample.q), |v| v.is_solved());
            wrong += usize::from(!is_right);
        }
        for pair in samples.windows(2) {
            let duration = pair[1].time - pair[0].time;
            let changes = pair[1].q.iter().zip(&pair[0].q).map(|(a, b)| (a - b).abs());
            let mut pairs = changes.clone().zip(&chain.unknowns);
            let is_above = |by: f64, limit: f64| by > limit * duration * (1.0 + 1e-9);
            too_fast += usize::from(pairs.any(|(by, of)| is_above(by, of.velocity)));
            jumps += usize::from(changes.clone().any(|by| is_above(by, JUMP)));
        }
        self.row.add(end.is_some(), [too_fast, jumps, wrong]);
        let asked = line.targets.len() as f64 / RATE;
        let is_late = samples.last().is_some_and(|last| last.time > asked + 1e-9);
        self.row.slowed += usize::from(end.is_none() && is_late);
        if let Some(end) = end {
            let end = (index, end.path_time * SPEED, end.reason, end.is_proven);
            self.row.ends.push(end);
        }
    }

    fn finish(mut self) -> Row {
        let times = self.times.iter_mut().flatten().filter(|times| !times.is_empty());
        self.row.times = Times::new(times.map(|times| median_of(times)).collect());
        self.row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arms::ours;
    use crate::arms::problem::puma;

    #[test]
    fn a_line_begins_at_its_start_and_is_straight() {
        let chain = puma().expect("an arm");
        let lines = draw(&chain, 2).expect("lines");
        for line in &lines {
            let from = chain.tool(&line.start);
            assert_eq!(line.targets.len(), 250);
            assert!((line.targets[0].distance(&from) - SPEED / RATE).abs() < 1e-12);
            assert!((line.targets[249].distance(&from) - LENGTH).abs() < 1e-12);
            assert!(line.targets[249].angle(&from) < 1e-12);
        }
        for row in run(&chain, &lines, &ours::WARM, 1).expect("a run") {
            assert_eq!((row.wrong, row.lines, row.which.len()), (0, 2, 2), "{row:?}");
        }
    }
}
