//! Steps that run one after another, with a list of those that will be skipped at the start, and a summary with times at the end.

use std::env;
use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// The file with the time of the last complete run in seconds.
const LAST_TIME: &str = "target/xtask-test-seconds";

/// A run of more steps is a complete one.
const MANY: usize = 10;

/// The requirements of a step besides Rust. The functions return what is missing, if anything.
#[derive(Clone, Copy)]
pub(crate) enum Needs {
    /// Nothing.
    Rust,
    /// An uncommon program: without it the step is skipped.
    Optional(fn() -> Option<String>),
    /// Programs without which the step is skipped, but fails with `CI=true`, because a server must have them.
    RequiredInCi(fn() -> Option<String>),
}

/// One named check.
pub(crate) struct Step {
    /// The name in the heading and the summary.
    pub(crate) name: &'static str,
    /// Its requirements.
    pub(crate) needs: Needs,
    /// The check.
    pub(crate) check: fn() -> Result<()>,
}

/// The plan for a step.
enum Plan {
    Run,
    Skip(String),
    Fail(String),
}

impl Step {
    /// A step that needs only Rust.
    pub(crate) const fn new(name: &'static str, check: fn() -> Result<()>) -> Self {
        Self { name, needs: Needs::Rust, check }
    }

    fn plan(&self, is_ci: bool) -> Plan {
        let (missing, is_required) = match self.needs {
            Needs::Rust => (None, false),
            Needs::Optional(missing) => (missing(), false),
            Needs::RequiredInCi(missing) => (missing(), is_ci),
        };
        match missing {
            None => Plan::Run,
            Some(what) if is_required => Plan::Fail(what),
            Some(what) => Plan::Skip(what),
        }
    }
}

/// Runs every step, even after a failure, so that one run shows all problems.
///
/// # Errors
/// When a step failed, after the summary.
pub(crate) fn run_all(steps: &[Step]) -> Result<()> {
    let is_ci = env::var("CI").is_ok_and(|value| value == "true");
    let plans: Vec<Plan> = steps.iter().map(|step| step.plan(is_ci)).collect();
    announce(steps, &plans);
    let start = Instant::now();
    let (mut lines, mut failures) = (Vec::new(), 0);
    for (index, (step, plan)) in steps.iter().zip(plans).enumerate() {
        println!("\n== {}/{} {} ==", index + 1, steps.len(), step.name);
        let step_start = Instant::now();
        let verdict = match plan {
            Plan::Run => (step.check)().map(|()| "ok".to_owned()),
            Plan::Skip(what) => Ok(format!("skipped: {what}")),
            Plan::Fail(what) => Err(anyhow::anyhow!("{what}; with CI=true no step is skipped")),
        };
        let verdict = verdict.unwrap_or_else(|error| {
            failures += 1;
            println!("FAILED: {error:#}");
            "FAILED".to_owned()
        });
        lines.push(summary_line(step.name, step_start.elapsed(), &verdict));
    }
    println!("\n== summary ==\n{}", lines.join("\n"));
    println!("{}", summary_line("all", start.elapsed(), ""));
    if failures > 0 {
        bail!("{failures} of {} steps failed", steps.len());
    }
    // Only used for the next announcement of all steps, so failures are ignored.
    if steps.len() > MANY {
        let _ = fs::write(LAST_TIME, start.elapsed().as_secs().to_string());
    }
    Ok(())
}

/// Prints the expected time, and which steps will be skipped because of which missing program.
fn announce(steps: &[Step], plans: &[Plan]) {
    println!("{} steps; {}.", steps.len(), expected_time(fs::read_to_string(LAST_TIME).ok()));
    let mut skipped: Vec<(&str, Vec<&str>)> = Vec::new();
    for (step, plan) in steps.iter().zip(plans) {
        let Plan::Skip(what) = plan else { continue };
        match skipped.iter_mut().find(|(missing, _)| missing == what) {
            Some((_, names)) => names.push(step.name),
            None => skipped.push((what, vec![step.name])),
        }
    }
    for (missing, names) in skipped {
        println!("Will skip {}:\n  {missing}", names.join(", "));
    }
}

fn expected_time(last_seconds: Option<String>) -> String {
    last_seconds.and_then(|text| text.trim().parse::<u64>().ok()).map_or_else(
        || "a first run compiles everything and takes about half an hour on two cores".to_owned(),
        |seconds| format!("the last run here took {} min", seconds.div_ceil(60)),
    )
}

fn summary_line(name: &str, time: Duration, verdict: &str) -> String {
    format!("{name:<28} {:>7.1} s  {verdict}", time.as_secs_f64()).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_program() -> Option<String> {
        Some("not installed".to_owned())
    }

    #[test]
    fn a_failed_step_fails_the_run_and_the_rest_still_runs() {
        let passed = Step::new("passes", || Ok(()));
        let failed = Step::new("fails", || bail!("on purpose"));
        let skipped = Step {
            name: "skips",
            needs: Needs::Optional(no_program),
            check: || bail!("never run"),
        };
        let error = run_all(&[failed, passed, skipped]).unwrap_err();
        assert_eq!(error.to_string(), "1 of 3 steps failed", "skipping is no failure");
    }

    #[test]
    fn a_server_must_have_what_a_person_may_lack() {
        let step = |needs| Step { name: "studio", needs, check: || Ok(()) };
        let required = step(Needs::RequiredInCi(no_program));
        assert!(matches!(required.plan(false), Plan::Skip(_)), "a person goes on");
        assert!(matches!(required.plan(true), Plan::Fail(_)), "a server does not");
        assert!(matches!(step(Needs::Optional(no_program)).plan(true), Plan::Skip(_)), "optional");
        assert!(matches!(step(Needs::RequiredInCi(|| None)).plan(true), Plan::Run), "it is there");
    }

    #[test]
    fn the_expected_time_is_that_of_the_last_run() {
        assert_eq!(expected_time(Some("61\n".to_owned())), "the last run here took 2 min", "known");
        for unknown in [None, Some("x".to_owned())] {
            assert!(expected_time(unknown).contains("first run"), "unknown");
        }
    }
}
