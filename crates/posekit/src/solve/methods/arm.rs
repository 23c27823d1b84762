//! A serial arm with one tool: the kernel and the closed forms of [`arm`](crate::arm) as a method.
//!
//! One iteration is a whole search, and counts as the steps that it took. It has half of the iterations; if it fails, least squares has the rest. An arm
//! takes longer to compile than to solve for, so that the method keeps the last ones, by all the numbers that they were compiled from. Without the feature `arm` it
//! suits no problem.

use super::Method;
use crate::arm::{self, ArmSettings, ArmStatus, Prefer};
use crate::math::{Pose, sin_cos};
use crate::skeleton::Skeleton;
use crate::solve::pose::State;
use crate::solve::problem::{Kind, NONE, Node, Problem};
use crate::solve::recorder::Recorder;
use crate::task::Task;
use alloc::vec::Vec;

/// Arms that are kept: those of a robot with several limbs that are solved for in turn.
const KEPT: usize = 4;

/// Tolerances below this are left to least squares \[units of length, rad\].
const TIGHTEST: f64 = 1e-11;

/// Whether the library has this method: in programs without it a linker finds no use of the kernels.
const IS_THERE: bool = cfg!(feature = "arm");

/// An arm, and what it was compiled from.
#[derive(Debug, Clone)]
struct Entry {
    key: Vec<u64>,
    arm: arm::Arm,
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub(in crate::solve) struct Arm {
    entries: Vec<Entry>,
    /// The entry that is replaced next.
    next: usize,
    /// The arm of the problem.
    current: Option<usize>,
    key: Vec<u64>,
    held: Vec<usize>,
    q: Vec<f64>,
    /// Of the last search.
    steps: u32,
    status: ArmStatus,
    is_done: bool,
}

impl Method for Arm {
    fn begin(&mut self, _: &Problem, _: &mut State) {
        (self.steps, self.status, self.is_done) = (0, ArmStatus::NotFound, false);
    }

    fn iterate(&mut self, problem: &Problem, state: &mut State, _: &mut Recorder<'_>) {
        let (Some(current), false, true) = (self.current, self.is_done, IS_THERE) else {
            self.steps = 1;
            return;
        };
        let (target, settings) = goal(problem);
        state.write_values(problem, &mut self.q);
        let solved = self.entries[current].arm.solve(target, &mut self.q, &settings);
        self.is_done = true;
        if let Ok(solution) = solved {
            (self.steps, self.status) = (solution.iterations.max(1), solution.status);
            state.read_values(problem, &self.q);
        }
    }

    fn steps(&self) -> u32 {
        self.steps
    }

    fn is_at_rest(&self) -> bool {
        self.is_done
    }
}

impl Arm {
    /// Finds or compiles the arm of a problem; none if it has another form.
    ///
    /// - `needs_closed_form`: none, too, if there is no closed form
    pub(in crate::solve) fn prepare(
        &mut self,
        skeleton: &Skeleton,
        start: &[f64],
        tasks: &[Task],
        problem: &Problem,
        needs_closed_form: bool,
    ) {
        self.current = None;
        if !IS_THERE {
            return;
        }
        let is_simple = |(i, node): (usize, &Node)| {
            problem.is_alone(i) && matches!(node.kind, Kind::Hinge { .. })
        };
        let may_be_closed =
            matches!(problem.nodes.len(), 6 | 7) && problem.nodes.iter().enumerate().all(is_simple);
        let Some(k) = task(problem).filter(|_| may_be_closed || !needs_closed_form) else { return };
        let Some(tool) = tasks[k].kind.frames()[0] else { return };
        let is_held = |&joint: &usize| {
            skeleton.kind(joint).n_dofs() > 0 && problem.nodes.iter().all(|n| n.joint != joint)
        };
        self.held.clear();
        self.held.extend(skeleton.ancestors(tool.joint).filter(is_held));
        arm::write_key(skeleton, &tool, &self.held, start, &mut self.key);
        let known = self.entries.iter().position(|entry| entry.key == self.key);
        let index = match known {
            Some(known) => known,
            None => {
                let arm = arm::Arm::with_held(skeleton, tool, &self.held, start);
                let Ok(arm) = arm else { return };
                let entry = Entry { key: self.key.clone(), arm };
                let index = self.next;
                self.next = (index + 1) % KEPT;
                match self.entries.get_mut(index) {
                    Some(old) => *old = entry,
                    None => self.entries.push(entry),
                }
                index
            }
        };
        let is_closed = self.entries[index].arm.family().is_some();
        self.current = (is_closed || !needs_closed_form).then_some(index);
    }

    /// Whether the problem is one of an arm.
    pub(in crate::solve) fn suits(&self) -> bool {
        self.current.is_some()
    }

    /// Whether it is certain that the target is not reached inside the limits.
    pub(in crate::solve) fn is_proven_missed(&self) -> bool {
        matches!(self.status, ArmStatus::Unreachable { .. } | ArmStatus::OutsideLimits)
    }

    /// Whether it is certain that no configuration reaches the target.
    pub(in crate::solve) fn is_proven_unreachable(&self) -> bool {
        matches!(self.status, ArmStatus::Unreachable { .. })
    }

    /// Writes the other branches of a closed form of six joints, the nearest to the start first.
    ///
    /// - `found`: the configuration of the solution
    /// - `spare`: buffers that may be used
    pub(in crate::solve) fn write_others(
        &mut self,
        problem: &Problem,
        found: &[f64],
        spare: &mut Vec<Vec<f64>>,
        others: &mut Vec<Vec<f64>>,
    ) {
        let (Some(current), true, true) = (self.current, self.is_done, IS_THERE) else { return };
        let (target, settings) = goal(problem);
        self.q.clear();
        self.q.extend_from_slice(found);
        self.entries[current].arm.other_branches(target, &mut self.q, &settings, |q| {
            let mut other = spare.pop().unwrap_or_default();
            other.clear();
            other.extend_from_slice(q);
            others.push(other);
        });
    }
}

/// The only task of a problem, if it is the whole pose of the last of an unbranched path of hinges and slides.
fn task(problem: &Problem) -> Option<usize> {
    let ([point], [rotation], true) = (&*problem.points, &*problem.rotations, problem.is_plain)
    else {
        return None;
    };
    let follows = |(i, node): (usize, &Node)| {
        node.parent == i.wrapping_sub(1)
            && matches!(node.kind, Kind::Hinge { .. } | Kind::Slide { .. })
            && node.gain != 0.0
    };
    let is_of_tip = point.node != NONE
        && point.node + 1 == problem.nodes.len()
        && problem.nodes.iter().enumerate().all(follows);
    // Of one frame, also where they are two tasks.
    let frame = |goal: usize| problem.goals[goal].kind.frames()[0];
    let is_pose = match (frame(point.goal), frame(rotation.goal)) {
        (Some(a), Some(b)) => {
            a.joint == b.joint && a.joint_from_frame.rotation == b.joint_from_frame.rotation
        }
        _ => false,
    };
    let is_bounded = problem.variables.iter().any(|v| v.is_largest_change != [false; 2]);
    (is_of_tip && is_pose && !is_bounded).then_some(point.goal)
}

/// The target, in the world, and the settings of the arm.
fn goal(problem: &Problem) -> (Pose, ArmSettings) {
    let (point, rotation) = (&problem.points[0], &problem.rotations[0]);
    // The kernel measures rotations by their chords.
    let chord = 2.0 * sin_cos(0.5 * problem.tolerance.angle.min(1.0)).0;
    let distance = problem.tolerance.distance.max(TIGHTEST * problem.unit) / problem.scale;
    let mut settings = ArmSettings::default().with_tolerances(distance, chord.max(TIGHTEST));
    settings.prefer =
        if problem.settings.least_squares.least_change { Prefer::Nearest } else { Prefer::First };
    settings.iterations = (problem.settings.iterations / 2).max(1);
    let target = point.target / problem.scale + problem.origin;
    (Pose::new(rotation.target, target), settings)
}
