//! Steps that run one after another, each under a heading with its time, and a summary at the end.

use std::env;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// How a step ended.
pub(crate) enum Outcome {
    /// It ran, and what it checks holds.
    Passed,
    /// It could not run here; the text says what is missing.
    Skipped(String),
}

/// What a step comes to that lacks a tool: a person without it goes on; a server that lacks it has not checked what it must.
///
/// # Errors
/// Where `CI=true`.
pub(crate) fn missing(what: &str) -> Result<Outcome> {
    if env::var("CI").is_ok_and(|value| value == "true") {
        bail!("{what}, and under CI=true nothing is left out");
    }
    Ok(Outcome::Skipped(format!("{what}: skipped")))
}

/// One named check.
pub(crate) struct Step {
    /// What the heading and the summary call it.
    pub(crate) name: &'static str,
    /// The check.
    pub(crate) check: fn() -> Result<Outcome>,
}

/// Runs every step, also after a failure, so that one run shows all that is wrong.
///
/// # Errors
/// When a step failed, after the summary.
pub(crate) fn run_all(steps: &[Step]) -> Result<()> {
    let mut lines = Vec::new();
    let mut failures = 0;
    let start = Instant::now();
    for (index, step) in steps.iter().enumerate() {
        println!("\n== {}/{} {} ==", index + 1, steps.len(), step.name);
        let step_start = Instant::now();
        let verdict = match (step.check)() {
            Ok(Outcome::Passed) => "ok".to_owned(),
            Ok(Outcome::Skipped(why)) => {
                println!("{why}");
                why
            }
            Err(error) => {
                failures += 1;
                println!("FAILED: {error:#}");
                "FAILED".to_owned()
            }
        };
        lines.push(summary_line(step.name, step_start.elapsed(), &verdict));
    }
    println!("\n== summary ==");
    for line in &lines {
        println!("{line}");
    }
    println!("{}", summary_line("all", start.elapsed(), ""));
    if failures > 0 {
        bail!("{failures} of {} steps failed", steps.len());
    }
    Ok(())
}

fn summary_line(name: &str, time: Duration, verdict: &str) -> String {
    format!("{name:<28} {:>7.1} s  {verdict}", time.as_secs_f64()).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_fails_the_run_and_the_rest_still_runs() {
        let passed = Step { name: "passes", check: || Ok(Outcome::Passed) };
        let failed = Step { name: "fails", check: || bail!("on purpose") };
        let skipped = Step { name: "skips", check: || Ok(Outcome::Skipped("not here".into())) };
        let error = run_all(&[failed, passed, skipped]).unwrap_err();
        assert_eq!(error.to_string(), "1 of 3 steps failed", "skipping is no failure");
    }
}
