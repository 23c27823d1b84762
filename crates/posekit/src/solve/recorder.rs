//! Records the trace.

use super::settings::Detail;
use super::solution::{Phase, TraceStep};
use alloc::vec::Vec;

/// See the module.
#[derive(Debug)]
pub(crate) struct Recorder<'a> {
    pub(crate) iteration: u32,
    pub(crate) detail: Detail,
    pub(crate) trace: &'a mut Vec<TraceStep>,
}

impl Recorder<'_> {
    /// Whether half-steps are recorded; otherwise a method need not prepare them.
    pub(crate) fn wants_half_steps(&self) -> bool {
        self.detail == Detail::HalfSteps
    }

    /// Records a step, described by `describe`.
    pub(crate) fn record(&mut self, phase: Phase, describe: impl FnOnce(&mut TraceStep)) {
        let mut step = TraceStep { iteration: self.iteration, phase, ..TraceStep::default() };
        describe(&mut step);
        self.trace.push(step);
    }
}
