//! The methods that move points: relaxation, FABRIK and the direct solver, on chains of points and on skeletons.
//!
//! A chain of points, and a free chain of joints, is solved on points alone; the pose of the joints is fitted to them at the end. With axes,
//! limits or branches the pose is fitted in every iteration ([`reading`](crate::solve::reading)): it is the forward half of FABRIK, and relaxation
//! is read by it.

use super::direct::Direct;
use super::relaxation::Relaxed;
use super::{Method, fabrik};
use crate::chain::relaxation::Reading;
use crate::chain::{Chain, Goals};
use crate::solve::points::Points;
use crate::solve::pose::State;
use crate::solve::problem::{Kind, Problem};
use crate::solve::reading::PoseReader;
use crate::solve::recorder::Recorder;
use crate::solve::settings;
use crate::solve::solution::{Phase, Solution, TraceStep};
use crate::task::Miss;
use alloc::vec::Vec;

/// A pose is fitted to points that are solved to this fraction of the tolerance, because fitting rounds.
const TIGHTER: f64 = 0.1;

/// See the module.
#[derive(Debug, Clone, Default)]
pub(in crate::solve) struct OnPoints {
    pub(in crate::solve) points: Points,
    /// The method that moves the points.
    method: settings::Method,
    /// The points move alone; otherwise joints follow them in every iteration.
    is_free: bool,
    relaxed: Relaxed,
    direct: Direct,
    reader: PoseReader,
    /// An iteration of relaxation continues from the relaxed points of the last one instead of the pose, which limits and prismatic joints
    /// keep away from them.
    goes_on: bool,
    /// The relaxed points belong to the present pose.
    is_fresh: bool,
}

impl OnPoints {
    /// Selects the method for the problem that begins.
    pub(in crate::solve) fn choose(&mut self, method: settings::Method, is_free: bool) {
        (self.method, self.is_free) = (method, is_free);
    }

    /// Starts on a chain of points, and sets the units and the tolerance of its problem.
    pub(in crate::solve) fn begin_chain(
        &mut self,
        problem: &mut Problem,
        chain: &Chain,
        goals: Goals<'_>,
    ) {
        self.points.begin_chain(chain, goals);
        problem.set_units(self.points.scale, self.points.unit);
        if self.method != settings::Method::Direct {
            self.points.prepare_branches();
        }
        self.begin_points(problem);
    }

    /// Whether the points are a chain of their own, without joints.
    fn is_chain(&self, problem: &Problem) -> bool {
        self.is_free && problem.nodes.is_empty()
    }

    fn begin_points(&mut self, problem: &Problem) {
        if self.method == settings::Method::Relaxation {
            self.relaxed.begin(&self.points, &problem.settings, self.is_chain(problem));
            if !self.is_chain(problem) {
                self.points.weigh(problem);
            }
        }
    }

    /// Moves an unbranched chain of joints by the direct solver, from the start of the solve, as far as its joints can follow.
    pub(in crate::solve) fn reach(&mut self, problem: &Problem, state: &mut State) {
        state.restart(problem);
        self.points.begin_figure(problem, state, problem.dimension());
        self.reader.prepare(problem);
        if self.direct.reach(&mut self.points, TIGHTER * problem.tolerance.distance) {
            self.reader.read(problem, state, &self.points, Reading::Angles);
        }
    }

    /// Moves a chain of points by the direct solver, out of a lock-up of another method; false if that cannot help.
    pub(in crate::solve) fn escape(&mut self, tolerance: f64) -> bool {
        self.method != settings::Method::Direct
            && !self.may_stretch()
            && self.direct.reach(&mut self.points, tolerance)
    }

    /// The proven distance by which the targets of a chain of points are out of reach, in the caller's units; 0 if bones may stretch.
    pub(in crate::solve) fn shortfall(&self) -> f64 {
        if self.may_stretch() { 0.0 } else { self.points.shortfall() / self.points.scale }
    }

    /// Fills in the points of a solution; returns the largest miss, in units of the points.
    pub(in crate::solve) fn report(&mut self, solution: &mut Solution) -> Miss {
        self.points.carry();
        solution.configuration.clear();
        solution.misses.clear();
        solution.dimension = self.points.dimension;
        self.points.write(&self.points.points, &mut solution.points);
        self.points.residual()
    }

    /// Whether bones may stretch, which puts every target within reach.
    fn may_stretch(&self) -> bool {
        self.method == settings::Method::Relaxation && self.relaxed.reading == Reading::Stretched
    }

    fn relax(&mut self, problem: &Problem, state: &mut State, recorder: &mut Recorder<'_>) {
        if !self.is_free && !self.is_fresh {
            self.resume(problem, state);
        }
        let passes = problem.settings.relaxation.passes;
        let by = if recorder.wants_half_steps() { 1 } else { passes };
        for pass in (by..=passes).step_by(by as usize) {
            self.relax_bones(problem, state, recorder, by);
            if self.is_free {
                self.relaxed.read(&mut self.points);
            } else if pass == passes {
                // Joints with limits follow after the last pass only: a pose fitted after every pass would be another.
                let reading = problem.settings.relaxation.reading;
                self.points.points.clone_from(&self.relaxed.points);
                self.reader.read(problem, state, &self.points, reading);
            }
            self.record(problem, state, Phase::Pass(pass), recorder);
        }
        self.is_fresh = self.goes_on;
    }

    /// Some passes over the bones; half-steps record the relaxed points after each bone, with the pose as it was.
    fn relax_bones(
        &mut self,
        problem: &Problem,
        state: &mut State,
        recorder: &mut Recorder<'_>,
        passes: u32,
    ) {
        if !recorder.wants_half_steps() {
            self.relaxed.relax(&mut self.points, passes, &mut |_, _| ());
            return;
        }
        let mut bones = Vec::new();
        self.relaxed.relax(&mut self.points, passes, &mut |end, points| {
            bones.push((end, points.to_vec()));
        });
        for (end, points) in bones {
            recorder.record(Phase::Bone(end), |step| {
                self.describe(problem, state, step);
                self.points.write(&points, &mut step.points);
            });
        }
    }

    fn reach_back_and_forth(
        &mut self,
        problem: &Problem,
        state: &mut State,
        recorder: &mut Recorder<'_>,
    ) {
        if self.is_free {
            // A chain whose target is out of reach is straightened towards it without iterating.
            let straightens = problem.stops_early() && !problem.settings.classic;
            let is_far = straightens && self.points.shortfall() > 0.0;
            if is_far && self.direct.reach(&mut self.points, 0.0) {
                return;
            }
        } else {
            self.points.take(problem, state);
        }
        fabrik::backward(&mut self.points);
        self.record(problem, state, Phase::Backward, recorder);
        if self.is_free {
            fabrik::forward(&mut self.points);
        } else {
            self.reader.read(problem, state, &self.points, Reading::Remeasured);
        }
        self.record(problem, state, Phase::Forward, recorder);
    }

    /// Records a half-step.
    fn record(
        &mut self,
        problem: &Problem,
        state: &mut State,
        phase: Phase,
        recorder: &mut Recorder<'_>,
    ) {
        if recorder.wants_half_steps() {
            recorder.record(phase, |step| {
                self.describe(problem, state, step);
                if phase == Phase::Backward {
                    self.points.write(&self.points.points, &mut step.points);
                }
            });
        }
    }
}

impl Method for OnPoints {
    fn begin(&mut self, problem: &Problem, state: &mut State) {
        let dimension = if self.is_free { problem.dimension() } else { 3 };
        self.points.begin_figure(problem, state, dimension);
        self.reader.prepare(problem);
        self.begin_points(problem);
        let are_balls =
            problem.nodes.iter().all(|node| node.kind == Kind::Ball && !problem.is_limited(node));
        (self.goes_on, self.is_fresh) = (are_balls || problem.settings.classic, true);
    }

    fn iterate(&mut self, problem: &Problem, state: &mut State, recorder: &mut Recorder<'_>) {
        match self.method {
            settings::Method::Relaxation => self.relax(problem, state, recorder),
            settings::Method::Fabrik => self.reach_back_and_forth(problem, state, recorder),
            _ => {
                let part = if self.is_chain(problem) { 1.0 } else { TIGHTER };
                self.direct.reach(&mut self.points, part * problem.tolerance.distance);
            }
        }
    }

    fn residual(&self, problem: &Problem, state: &State) -> Miss {
        if !self.is_free {
            return state.gap(problem);
        }
        if self.may_stretch() {
            // Once the effectors are on their targets, the error is the stretch of the bones.
            let Miss { distance, angle } = self.points.residual();
            return Miss { distance: distance.max(self.points.stretch()), angle };
        }
        // The published methods have no proofs of reach.
        if problem.settings.classic { self.points.residual() } else { self.points.gap() }
    }

    fn merit(&self, problem: &Problem, state: &State) -> f64 {
        if !self.is_free {
            return state.sum_of_squares(problem);
        }
        if !self.may_stretch() {
            return self.points.merit();
        }
        let is_off = self.points.residual().distance > problem.tolerance.distance;
        if is_off { f64::INFINITY } else { self.points.stretch() }
    }

    fn resume(&mut self, problem: &Problem, state: &State) {
        if !self.is_chain(problem) {
            self.points.take(problem, state);
        }
        self.relaxed.resume(&self.points);
        self.is_fresh = true;
    }

    fn finish(&mut self, problem: &Problem, state: &mut State) {
        if self.is_free && !problem.nodes.is_empty() {
            self.reader.finish(problem, state, &self.points);
        }
    }

    fn keep(&mut self) {
        if self.is_free {
            self.points.keep();
        }
    }

    fn recall(&mut self, problem: &Problem, state: &State) {
        if self.is_free {
            self.points.recall();
        } else {
            self.resume(problem, state);
        }
    }

    /// Relaxation shows the relaxed points, whose distances are not exact.
    fn describe(&mut self, problem: &Problem, state: &mut State, step: &mut TraceStep) {
        self.finish(problem, state);
        state.describe(problem, step);
        if self.is_chain(problem) {
            step.error = self.points.residual().distance / self.points.scale;
        }
        if self.method == settings::Method::Relaxation {
            self.points.write(&self.relaxed.points, &mut step.points);
        } else if self.is_free {
            self.points.write(&self.points.points, &mut step.points);
        }
    }
}
