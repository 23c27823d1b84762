//! Tries a solver that may never return, in a process that can be ended.

use std::collections::HashSet;
use std::env;
use std::io::{BufRead, BufReader, Write, stdout};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::entrant::{self, Contender};
use crate::problems::{CASES, Case};

/// First argument of the process that tries; the rest are the case, the contender, and two indices.
pub const ARGUMENT: &str = "--probe";

/// A problem that takes longer counts as one that never returns.
const LIMIT: Duration = Duration::from_millis(100);

/// A process that has not begun by then has failed.
const START_LIMIT: Duration = Duration::from_secs(20);

/// After so many problems that do not return, the rest are not tried.
const PATIENCE: usize = 16;

/// Which problems return.
#[derive(Debug, Default)]
pub struct Survey {
    /// Their indices.
    pub returned: HashSet<usize>,
    hung: usize,
    tried: usize,
    total: usize,
}

impl Survey {
    /// A sentence for the report, when something did not return.
    pub fn note(&self) -> Option<String> {
        if self.hung == 0 {
            return None;
        }
        let rest = match self.total - self.tried {
            0 => String::new(),
            rest => format!("; the other {rest} were not tried and count as unsolved"),
        };
        let limit = LIMIT.as_millis();
        Some(format!(
            "{} of {} problems did not return within {limit} ms{rest}",
            self.hung, self.tried
        ))
    }
}

/// Lets a process of its own solve the problems one by one, and starts a new one behind each problem
/// that does not return.
///
/// # Errors
/// When the process cannot be started.
pub fn survey(case: &Case, contender: &Contender, total: usize) -> Result<Survey> {
    let mut survey = Survey { total, ..Survey::default() };
    while survey.tried < total && survey.hung < PATIENCE {
        let returned = try_from(case, contender, survey.tried, total)?;
        survey.returned.extend(survey.tried..survey.tried + returned);
        survey.tried += returned;
        if survey.tried < total {
            survey.tried += 1;
            survey.hung += 1;
        }
    }
    Ok(survey)
}

/// How many problems from `first` on return before one does not.
fn try_from(case: &Case, contender: &Contender, first: usize, total: usize) -> Result<usize> {
    let mut process = Command::new(env::current_exe()?)
        .args([ARGUMENT, case.name, contender.name, &first.to_string(), &total.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start a process to try a solver")?;
    let output = process.stdout.take().context("the process has no output")?;
    let (sender, lines) = mpsc::channel();
    let reader = thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            if line.is_err() || sender.send(()).is_err() {
                break;
            }
        }
    });
    // The first line says that the problems are loaded.
    let mut returned = 0;
    if lines.recv_timeout(START_LIMIT).is_ok() {
        while returned < total - first && lines.recv_timeout(LIMIT).is_ok() {
            returned += 1;
        }
    }
    // It may have ended by itself, which makes ending it fail: nothing is left to do then.
    let _ = process.kill();
    process.wait()?;
    // The pipe is closed now, so that the reader ends.
    let _ = reader.join();
    Ok(returned)
}

/// The other side: solves the problems from `first` on and says a line after each.
///
/// # Errors
/// When the arguments name no case or contender, or nobody listens.
pub fn serve(arguments: &[String]) -> Result<()> {
    let [case, contender, first, total] = arguments else {
        anyhow::bail!("{ARGUMENT} takes a case, a contender and two indices");
    };
    let case = CASES.iter().find(|known| known.name == case).context("unknown case")?;
    let all = entrant::all();
    let contender = all.iter().find(|known| known.name == contender).context("unknown solver")?;
    let (first, total): (usize, usize) = (first.parse()?, total.parse()?);
    let mut entrant = (contender.enter)(&case.problems(total));
    entrant.reset();
    let mut out = stdout().lock();
    writeln!(out, "ready")?;
    out.flush()?;
    for index in first..total {
        entrant.solve(index);
        writeln!(out, "{index}")?;
        out.flush()?;
    }
    Ok(())
}
