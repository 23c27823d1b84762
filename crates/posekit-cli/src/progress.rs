//! A progress bar for work that takes longer than a second.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The time before the bar appears.
const PATIENCE: Duration = Duration::from_secs(1);

/// Counts steps; appears on standard error once the work has taken longer than a second, if that is a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    since: Instant,
    begun: u64,
    is_shown: bool,
}

impl Progress {
    /// A bar for a number of steps, not yet shown.
    pub(crate) fn new(steps: usize) -> Self {
        let target = ProgressDrawTarget::hidden();
        let bar = ProgressBar::with_draw_target(u64::try_from(steps).ok(), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:32.cyan} {pos:>3} of {len}  {msg}") {
            bar.set_style(style.progress_chars("━━─"));
        }
        Self { bar, since: Instant::now(), begun: 0, is_shown: false }
    }

    /// Begins the next step; its name is shown beside the count.
    pub(crate) fn step(&mut self, name: &str) {
        if !self.is_shown && self.since.elapsed() > PATIENCE {
            self.is_shown = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(self.begun);
        self.bar.set_message(name.to_owned());
        self.begun += 1;
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
