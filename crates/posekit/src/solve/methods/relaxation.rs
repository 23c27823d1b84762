//! Constraint relaxation: the effectors are put on their targets, and one bone after the other is brought to its length.
//!
//! A pass visits the bones from the tips inward and moves the ends `a` and `b` of each along it,
//!
//! ```text
//! d = (|b − a| − l) (b − a) / |b − a|,   a ← a + d wₐ / (wₐ + w_b),   b ← b − d w_b / (wₐ + w_b)
//! ```
//!
//! with the weights `w` of the points; the root and the effectors stay. Ryan Juckett, *Constraint Relaxation IK in 2D* \[juckett09relax\], in any
//! dimension. After the passes of an iteration a pose is fitted to the relaxed points, whose distances are not exact.

use super::Method;
use crate::chain::relaxation::{Reading, Thresholds, read, relax};
use crate::solve::driver::Recorder;
use crate::solve::points::Points;
use crate::solve::pose::State;
use crate::solve::problem::{Kind, Problem};
use crate::solve::reading::PoseReader;
use crate::solve::settings::{self, Settings};
use crate::solve::solution::{Phase, TraceStep};
use alloc::vec::Vec;

/// See the module.
#[derive(Debug, Clone, Default)]
pub(in crate::solve) struct Relaxation {
    points: Points,
    relaxed: Relaxed,
    reader: PoseReader,
    /// An iteration continues from the relaxed points of the last one instead of the pose, which limits and prismatic joints keep away from them.
    goes_on: bool,
    /// The relaxed points belong to the present pose.
    is_fresh: bool,
}

/// Points that are being relaxed.
#[derive(Debug, Clone, Default)]
pub(in crate::solve) struct Relaxed {
    pub(in crate::solve) points: Vec<f64>,
    held: Vec<bool>,
    thresholds: Thresholds,
    settings: settings::Relaxation,
}

impl Relaxed {
    /// Starts from a pose.
    pub(in crate::solve) fn begin(&mut self, points: &Points, settings: &Settings) {
        self.settings.clone_from(&settings.relaxation);
        self.thresholds = if settings.classic {
            Thresholds::published(points.scale)
        } else {
            Thresholds::RELATIVE
        };
        self.points.clone_from(&points.points);
        self.held.clear();
        self.held.resize(points.points.len() / points.dimension, false);
    }

    /// Continues from a pose.
    pub(in crate::solve) fn resume(&mut self, points: &Points) {
        self.points.clone_from(&points.points);
    }

    /// Bones keep their lengths, whatever the settings.
    pub(in crate::solve) fn keep_lengths(&mut self) {
        if self.may_stretch() {
            self.settings.reading = Reading::Angles;
        }
    }

    /// One iteration of several passes, each followed by `record` if half-steps are recorded.
    pub(in crate::solve) fn iterate(
        &mut self,
        points: &mut Points,
        in_passes: bool,
        mut record: impl FnMut(&mut Points, &Self, Phase),
    ) {
        let (n, passes) = (points.dimension, self.settings.passes);
        let by = if in_passes { 1 } else { passes };
        for pass in (by..=passes).step_by(by as usize) {
            let (bones, goals, _, _) = points.parts();
            relax(n, bones, &mut self.points, goals, &mut self.held, by, self.thresholds);
            if in_passes {
                record(points, self, Phase::Pass(pass));
            }
        }
    }

    /// Fits points at the exact lengths to the relaxed points.
    pub(in crate::solve) fn read(&self, points: &mut Points) {
        let n = points.dimension;
        let (bones, _, at, _) = points.parts();
        read(n, bones, &self.points, self.settings.reading, at);
    }

    /// Whether bones may stretch, which puts every target within reach.
    pub(in crate::solve) fn may_stretch(&self) -> bool {
        self.settings.reading == Reading::Stretched
    }
}

impl Method for Relaxation {
    fn begin(&mut self, problem: &Problem, state: &mut State, settings: &Settings) {
        self.points.begin_figure(problem, state, 3);
        self.points.weigh(problem, settings);
        self.relaxed.begin(&self.points, settings);
        self.reader.prepare(problem);
        let are_balls =
            problem.nodes.iter().all(|node| node.kind == Kind::Ball && !problem.is_limited(node));
        (self.goes_on, self.is_fresh) = (are_balls || settings.classic, true);
    }

    fn iterate(&mut self, problem: &Problem, state: &mut State, recorder: &mut Recorder<'_>) {
        if !self.is_fresh {
            self.resume(problem, state);
        }
        let Self { points, relaxed, reader, .. } = self;
        let (reading, passes) = (relaxed.settings.reading, relaxed.settings.passes);
        relaxed.iterate(points, recorder.wants_half_steps(), |points, relaxed, phase| {
            // Joints with limits follow after the last pass only: a pose fitted after every pass would be another.
            if phase == Phase::Pass(passes) {
                points.points.clone_from(&relaxed.points);
                reader.read(problem, state, points, reading);
            }
            recorder.half_step(phase, |step| {
                state.describe(problem, step);
                points.write_figure(problem, &relaxed.points, &mut step.points);
            });
        });
        if !recorder.wants_half_steps() {
            points.points.clone_from(&relaxed.points);
            reader.read(problem, state, points, reading);
        }
        self.is_fresh = self.goes_on;
    }

    fn resume(&mut self, problem: &Problem, state: &State) {
        self.points.take(problem, state);
        self.relaxed.resume(&self.points);
        self.is_fresh = true;
    }

    fn describe(&mut self, problem: &Problem, state: &mut State, step: &mut TraceStep) {
        state.describe(problem, step);
        self.points.write_figure(problem, &self.relaxed.points, &mut step.points);
    }
}
