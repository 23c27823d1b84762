//! The stopwatch: every contender on every problem of a case, in turns.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::entrant::{Contender, Entrant};
use crate::probe;
use crate::problems::Case;

/// How long and how often to measure.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Problems per case.
    pub problems: usize,
    /// Rounds in which every contender solves the whole batch once.
    pub rounds: usize,
    /// Time after which a contender takes no further rounds, when it has had [`MIN_ROUNDS`].
    pub budget: Duration,
}

/// Rounds that even the slowest contender gets.
pub const MIN_ROUNDS: usize = 3;

/// Passes in which problems are timed singly; the fastest pass of each problem counts.
const SINGLE_PASSES: usize = 3;

/// What was measured of one contender in one case.
#[derive(Debug, Clone)]
pub struct Row {
    /// The contender.
    pub name: &'static str,
    /// Whether the ratios are relative to it.
    pub is_reference: bool,
    /// Problems solved, by the judge's word, of all.
    pub solved: usize,
    /// Problems in the case.
    pub total: usize,
    /// Time per solve: the mean over the batch, the median over the rounds \[ns\].
    pub mean: f64,
    /// Time of the median problem, each timed singly \[ns\].
    pub median: f64,
    /// Mean number of iterations, where the contender counts them.
    pub iterations: Option<f64>,
    /// Largest distance from tip to target, as a part of the reach, over the problems that returned.
    pub worst_error: f64,
    /// Rounds measured.
    pub rounds: usize,
    /// What else there is to say, such as problems that never returned.
    pub note: Option<String>,
}

/// One contender at work on a case.
struct Runner<'a> {
    contender: &'a Contender,
    entrant: Box<dyn Entrant>,
    /// The problems that return.
    indices: Vec<usize>,
    note: Option<String>,
    times: Vec<f64>,
    spent: Duration,
    iterations: u64,
}

/// Measures every contender that can do the case, in the order given.
///
/// # Errors
/// When a process for a contender that may hang cannot be started.
pub fn case(case: &Case, contenders: &[Contender], settings: &Settings) -> Result<Vec<Row>> {
    let problems = case.problems(settings.problems);
    let mut runners = Vec::new();
    for contender in contenders.iter().filter(|contender| (contender.accepts)(case)) {
        let mut indices: Vec<usize> = (0..problems.len()).collect();
        let mut note = None;
        if contender.may_hang {
            let survey = probe::survey(case, contender, problems.len())?;
            indices.retain(|index| survey.returned.contains(index));
            note = survey.note();
        }
        runners.push(Runner {
            contender,
            entrant: (contender.enter)(&problems),
            indices,
            note,
            times: Vec::new(),
            spent: Duration::ZERO,
            iterations: 0,
        });
    }
    for round in 0..settings.rounds {
        // The first in a round differs, so that nobody always follows the same neighbour.
        for turn in 0..runners.len() {
            let index = (round + turn) % runners.len();
            let runner = &mut runners[index];
            let has_time = runner.spent < settings.budget || runner.times.len() < MIN_ROUNDS;
            if has_time && !runner.indices.is_empty() {
                runner.take_turn();
            }
        }
    }
    Ok(runners.into_iter().map(|runner| runner.row(settings)).collect())
}

impl Runner<'_> {
    fn take_turn(&mut self) {
        self.entrant.reset();
        let start = Instant::now();
        self.iterations = self.entrant.solve_all(&self.indices);
        let time = start.elapsed();
        self.spent += time;
        self.times.push(time.as_secs_f64() * 1e9 / self.indices.len() as f64);
    }

    fn row(mut self, settings: &Settings) -> Row {
        let mut solved = 0;
        let mut worst_error = 0.0_f64;
        for &index in &self.indices {
            let verdict = self.entrant.verdict(index);
            solved += usize::from(verdict.solved);
            worst_error = worst_error.max(verdict.error);
        }
        let iterations = self.iterations as f64 / self.indices.len() as f64;
        let median = self.median_problem(settings.budget);
        Row {
            name: self.contender.name,
            is_reference: self.contender.is_reference,
            solved,
            total: settings.problems,
            mean: median_of(&mut self.times),
            median,
            iterations: (iterations > 0.0).then_some(iterations),
            worst_error,
            rounds: self.times.len(),
            note: self.note,
        }
    }

    /// The time of the median problem: each timed alone, the stopwatch's own time taken off.
    fn median_problem(&mut self, budget: Duration) -> f64 {
        let overhead = stopwatch_overhead();
        let mut best = vec![f64::INFINITY; self.indices.len()];
        let start = Instant::now();
        for _ in 0..SINGLE_PASSES {
            self.entrant.reset();
            for (best, &index) in best.iter_mut().zip(&self.indices) {
                let start = Instant::now();
                self.entrant.solve(index);
                *best = best.min(start.elapsed().as_secs_f64() * 1e9 - overhead);
            }
            if start.elapsed() > budget {
                break;
            }
        }
        let median = median_of(&mut best);
        if median < 0.0 { 0.0 } else { median }
    }
}

/// What starting and reading the clock costs \[ns\].
pub(crate) fn stopwatch_overhead() -> f64 {
    let mut times: Vec<f64> =
        (0..1000).map(|_| Instant::now().elapsed().as_secs_f64() * 1e9).collect();
    median_of(&mut times)
}

/// The middle of the values; NaN when there are none.
pub(crate) fn median_of(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[n / 2],
        n => 0.5 * (values[n / 2 - 1] + values[n / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median_of(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median_of(&mut [4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median_of(&mut []).is_nan());
    }
}
