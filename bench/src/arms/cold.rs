//! The stopwatch from random starts: every contender on every problem, in turns.

use std::time::Instant;

use anyhow::{Context, Result};

use super::chain::Chain;
use super::matrix::Matrix;
use super::problem::{Problem, Verdict};
use super::solver::{Contender, Outcome, Solver};
use crate::measure::{median_of, stopwatch_overhead};

/// Problems after which it is another's turn: enough that a branch predictor learns none of them, and little enough that a busy moment of the
/// machine meets all.
const BLOCK: usize = 50;

/// What was measured of one contender on one arm.
#[derive(Debug, Clone)]
pub struct Row {
    /// The contender.
    pub name: String,
    /// Problems.
    pub total: usize,
    /// Problems that the judge calls solved.
    pub solved: usize,
    /// Problems that the contender calls solved, and the judge does not.
    pub wrong: usize,
    /// Times of the problems, failures included.
    pub times: Times,
    /// Iterations over all starts, median.
    pub iterations: Option<f64>,
    /// Starts, mean.
    pub starts: Option<f64>,
    /// Answers to a problem, mean, of who gives all.
    pub answers: Option<f64>,
    /// The largest error of an answer that the contender calls solved \[m, rad\].
    pub worst_error: f64,
}

/// A distribution of times \[ns\].
#[derive(Debug, Clone, Copy, Default)]
pub struct Times {
    /// The middle.
    pub median: f64,
    /// The mean.
    pub mean: f64,
    /// 95 of 100 are faster.
    pub p95: f64,
    /// 99 of 100 are faster.
    pub p99: f64,
    /// The slowest.
    pub slowest: f64,
}

impl Times {
    /// Of some times.
    pub fn new(mut times: Vec<f64>) -> Self {
        if times.is_empty() {
            return Self::default();
        }
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let median = median_of(&mut times);
        let at = |share: f64| times[((times.len() as f64 * share) as usize).min(times.len() - 1)];
        Self { median, mean, p95: at(0.95), p99: at(0.99), slowest: times[times.len() - 1] }
    }
}

/// A contender at work.
struct Runner {
    name: &'static str,
    solver: Box<dyn Solver>,
    /// For each problem, over the rounds.
    times: Vec<Vec<f64>>,
    tally: Tally,
}

/// What came of the first round.
#[derive(Debug, Default)]
struct Tally {
    solved: usize,
    wrong: usize,
    iterations: Vec<f64>,
    starts: Vec<f64>,
    answers: Vec<f64>,
    worst_error: f64,
}

/// Measures every contender that is made for the arm. The time of a problem is the median over the rounds.
///
/// # Errors
/// When a contender cannot be made.
pub fn run(
    chain: &Chain,
    problems: &[Problem],
    contenders: &[Contender],
    rounds: usize,
) -> Result<Vec<Row>> {
    let targets: Vec<Matrix> = problems.iter().map(|problem| problem.target).collect();
    let mut runners = Vec::new();
    for contender in contenders {
        let entered = (contender.enter)(chain);
        let Some(mut solver) = entered.with_context(|| contender.name)? else { continue };
        solver.load(&targets);
        let times = vec![Vec::with_capacity(rounds); problems.len()];
        runners.push(Runner { name: contender.name, solver, times, tally: Tally::default() });
    }
    let overhead = stopwatch_overhead();
    for round in 0..rounds {
        for (block, start) in (0..problems.len()).step_by(BLOCK).enumerate() {
            let end = problems.len().min(start + BLOCK);
            // The first differs, so that nobody always follows the same neighbour.
            for turn in 0..runners.len() {
                let index = (round + block + turn) % runners.len();
                runners[index].take_turn(chain, problems, start..end, round == 0, overhead);
            }
        }
    }
    Ok(runners.into_iter().map(Runner::row).collect())
}

impl Runner {
    fn take_turn(
        &mut self,
        chain: &Chain,
        problems: &[Problem],
        block: core::ops::Range<usize>,
        judges: bool,
        overhead: f64,
    ) {
        let mut q = Vec::new();
        for index in block {
            q.clone_from(&problems[index].start);
            let watch = Instant::now();
            let outcome = self.solver.solve(index, &mut q);
            self.times[index].push(watch.elapsed().as_secs_f64() * 1e9 - overhead);
            if judges {
                self.tally.add(chain, &problems[index].target, &q, outcome, self.solver.all());
            }
        }
    }

    fn row(self) -> Row {
        let Self { name, times, mut tally, .. } = self;
        let mean = |x: &[f64]| (!x.is_empty()).then(|| x.iter().sum::<f64>() / x.len() as f64);
        Row {
            name: name.to_owned(),
            total: times.len(),
            solved: tally.solved,
            wrong: tally.wrong,
            iterations: (!tally.iterations.is_empty()).then(|| median_of(&mut tally.iterations)),
            starts: mean(&tally.starts),
            answers: mean(&tally.answers),
            worst_error: tally.worst_error,
            times: Times::new(times.into_iter().map(|mut times| median_of(&mut times)).collect()),
        }
    }
}

impl Tally {
    fn add(
        &mut self,
        chain: &Chain,
        target: &Matrix,
        q: &[f64],
        outcome: Outcome,
        all: Option<&[Vec<f64>]>,
    ) {
        let verdict = Verdict::new(chain, target, q);
        let others = all.unwrap_or_default().iter().map(|q| Verdict::new(chain, target, q));
        let verdicts: Vec<Verdict> = others.chain([verdict]).collect();
        self.solved += usize::from(verdict.is_solved());
        if outcome.is_reached {
            self.wrong += usize::from(!verdicts.iter().all(Verdict::is_solved));
            let worst = verdicts.iter().map(Verdict::error).fold(0.0, f64::max);
            self.worst_error = self.worst_error.max(worst);
        }
        self.iterations.extend(outcome.iterations.map(f64::from));
        self.starts.extend(outcome.starts.map(f64::from));
        self.answers.extend(all.map(|all| all.len() as f64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arms::problem::puma;
    use crate::arms::{ours, peers};

    #[test]
    fn every_contender_solves_what_it_calls_solved() {
        let chain = puma().expect("an arm");
        let problems = Problem::draw_all(&chain, 40);
        let contenders = [&ours::COLD[..], &peers::cold()].concat();
        for row in run(&chain, &problems, &contenders, 1).expect("a run") {
            assert_eq!(row.wrong, 0, "{row:?}");
            assert!(row.solved >= 36, "{row:?}");
        }
    }

    #[test]
    fn times_are_ranked() {
        let times = Times::new((1..=200).rev().map(f64::from).collect());
        assert_eq!(
            (times.median, times.p95, times.p99, times.slowest),
            (100.5, 191.0, 199.0, 200.0)
        );
        assert_eq!(times.mean, 100.5);
    }
}
