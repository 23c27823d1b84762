//! Ctrl-C in the middle of many files: files in progress are finished and written, no others are begun. A second Ctrl-C ends the command at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// The exit code of an interrupted command, as in shells.
pub(crate) const CODE: u8 = 130;

/// Whether Ctrl-C was pressed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Handles the signal from now on. On systems without signals the command ends as usual.
    pub(crate) fn listen() -> Self {
        let stop = Self::default();
        for signal in [SIGINT, SIGTERM] {
            // In this order the first signal only sets the flag.
            let _ = flag::register_conditional_shutdown(signal, CODE.into(), stop.0.clone());
            let _ = flag::register(signal, stop.0.clone());
        }
        stop
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    #[cfg(test)]
    pub(crate) fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
