//! Ctrl-C in the middle of many files: what is being worked on is done and written, nothing new is begun. The second time the command ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// What shells take for a command that was interrupted.
pub(crate) const CODE: u8 = 130;

/// Whether the command was asked to stop.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens from now on. Where a system has no signals, the command ends as it always did.
    pub(crate) fn listen() -> Self {
        let stop = Self::default();
        for signal in [SIGINT, SIGTERM] {
            // In this order the first one only asks.
            let _ = flag::register_conditional_shutdown(signal, CODE.into(), stop.0.clone());
            let _ = flag::register(signal, stop.0.clone());
        }
        stop
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    #[cfg(test)]
    pub(crate) fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
