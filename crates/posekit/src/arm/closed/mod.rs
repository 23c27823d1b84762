//! Closed forms of arms with six and seven joints: all solutions for a pose of the tool, by formulas.
//!
//! [`Closed::find`] looks at the axes of an arm: if three consecutive ones meet in a point or are parallel, the six joint angles follow from two equations
//! in two angles, of which most robots make a line through a circle ([`six`]), others a quartic \[pieper68\]. Seven joints have one more than a pose
//! needs: it is the arm angle ([`shoulder`]) or the joint that leaves the best closed form ([`seven`]), and a parameter.
//!
//! Every solution is brought into the limits and certified by the kernel, which also refines what an arm that meets its family only nearly leaves over.

mod certify;
mod chain;
mod circle;
mod curves;
mod family;
mod plan;
mod proof;
mod seven;
mod shoulder;
mod six;
pub mod subproblems;

use super::frame::Frame;
use super::goal::Goal;
use super::kernel::{Joint, Kernel};
use super::path::Path;
use crate::math::{atan2, atan2_each, sin_cos};
use alloc::vec::Vec;
pub(super) use certify::{Candidate, Candidates};
use certify::{STEPS, best_of_all, certify};
use chain::Chain;
use core::f64::consts::{PI, TAU};
pub use curves::SelfMotion;
pub use family::{Family, FamilyKind};
use glam::DVec2;
use plan::Plan;
pub(super) use proof::Proof;
use seven::Fixed;
use shoulder::Shoulder;
use six::{Branches, MOST, Six, State};

/// Values at which the parameter of seven joints is sampled.
const SAMPLES: u32 = 24;

/// Steps of the kernel that bring a pose into the limits.
const STEPS_INTO_LIMITS: u32 = 20;

/// What it costs a sample to be outside the limits, or not to reach the target, and each radian or squared unit of that \[rad²\]: more than any distance inside.
const OUTSIDE: f64 = 1e3;

/// Branches of seven joints that are followed to the pose nearest to the start, if only that is wanted.
const BRANCHES_FOR_NEAREST: usize = 2;

/// The closed form of an arm.
#[derive(Debug, Clone)]
pub(super) struct Closed {
    form: Form,
    joints: Vec<Joint>,
    tool: Frame,
    family: Family,
}

#[derive(Debug, Clone)]
enum Form {
    Six(Six),
    Fixed(Fixed),
    Shoulder(Shoulder),
}

/// Values of the joints for all branches, before they are certified.
#[derive(Debug, Clone, Copy)]
struct Slice<const N: usize> {
    x: [[f64; MOST]; N],
    state: [State; MOST],
    /// By how much the values are outside the limits.
    overrun: [f64; MOST],
    /// Joints whose value branches `2k` and `2k + 1` share.
    is_paired: [bool; N],
}

impl<const N: usize> Slice<N> {
    const NONE: Self = Self {
        x: [[0.0; MOST]; N],
        state: [State::None; MOST],
        overrun: [0.0; MOST],
        is_paired: [true; N],
    };

    fn pose(&self, branch: usize) -> [f64; N] {
        core::array::from_fn(|joint| self.x[joint][branch])
    }

    /// The branches that there are.
    fn branches(&self) -> impl Iterator<Item = usize> {
        let state = self.state;
        (0..MOST).filter(move |&branch| state[branch] != State::None)
    }
}

impl Closed {
    /// The closed form of an arm, if it has one.
    pub(super) fn find(path: &Path) -> Option<Self> {
        let is_plain = |(i, joint): (usize, &Joint)| {
            !joint.is_slide && joint.leader == i && joint.multiplier == 1.0 && joint.offset == 0.0
        };
        if !path.joints.iter().enumerate().all(is_plain) {
            return None;
        }
        let mut tool = Frame::IDENTITY;
        tool.follow(&path.tool);
        tool.turn(path.tool_turn);
        let joints = path.joints.clone();
        let form = match joints.len() {
            6 => {
                let chain = Chain::new(&joints, tool)?;
                let plan = Plan::find(core::slice::from_ref(&chain))?;
                Form::Six(Six::new(chain, plan))
            }
            7 => match Shoulder::find(&Chain::new(&joints, tool)?) {
                Some(shoulder) => Form::Shoulder(shoulder),
                None => Form::Fixed(Fixed::find(&joints, tool)?),
            },
            _ => return None,
        };
        let family = match &form {
            Form::Six(six) => six.family(None),
            Form::Shoulder(shoulder) => Family::shoulder_and_wrist(shoulder.deviation),
            Form::Fixed(Fixed { joint, plan }) => {
                Six::new(seven::chain(&joints, tool, *joint, 0.0)?, *plan).family(Some(*joint))
            }
        };
        Some(Self { form, joints, tool, family })
    }

    /// Whether arms of up to this many joints can have one. Kernels of other sizes are then compiled without the code.
    pub(super) const fn fits(n_joints: usize) -> bool {
        n_joints <= 7
    }

    /// Why there is a closed form.
    pub(super) fn family(&self) -> &Family {
        &self.family
    }

    /// Whether it proves that there are no solutions inside the limits if it finds none.
    pub(super) fn is_complete(&self) -> bool {
        self.is_exact() && self.is_of_six()
    }

    /// Whether all solutions come from one solution of the equations, at little cost.
    pub(super) fn is_of_six(&self) -> bool {
        matches!(self.form, Form::Six(_))
    }

    /// Whether the equations hold to rounding.
    fn is_exact(&self) -> bool {
        self.family.deviation <= plan::EXACT
    }

    /// All poses of six joints that reach the target; of seven, the nearest to the start of each branch. In the limits, certified, distinct, the nearest to the start first.
    ///
    /// - `kernel`: of the same arm
    /// - `start`: inside the limits
    pub(super) fn solutions<const N: usize>(
        &self,
        kernel: &Kernel<N>,
        goal: &Goal,
        start: &[f64; N],
    ) -> Candidates<N> {
        self.nearest_of(kernel, goal, start, MOST)
    }

    /// The same, of seven joints from the few branches alone that seem nearest.
    pub(super) fn nearest<const N: usize>(
        &self,
        kernel: &Kernel<N>,
        goal: &Goal,
        start: &[f64; N],
    ) -> Candidates<N> {
        self.nearest_of(kernel, goal, start, BRANCHES_FOR_NEAREST)
    }

    fn nearest_of<const N: usize>(
        &self,
        kernel: &Kernel<N>,
        goal: &Goal,
        start: &[f64; N],
        n_branches: usize,
    ) -> Candidates<N> {
        let mut all = Candidates::NONE;
        if let Form::Six(six) = &self.form {
            let task = OfSix { closed: self, six, kernel, goal, start, all: &mut all };
            #[cfg(feature = "simd")]
            pulp::Arch::new().dispatch(task);
            #[cfg(not(feature = "simd"))]
            task.run();
            return all;
        }
        let mut samples = self.samples(goal, start);
        samples.sort_unstable_by(|(a, _), (b, _)| a.total_cmp(b));
        for (cost, x) in samples {
            if cost == f64::INFINITY || all.iter().count() == n_branches {
                break;
            }
            let mut candidate = certify(kernel, goal, x, STEPS_INTO_LIMITS);
            if candidate.has_reached {
                kernel
                    .settle(goal, &mut candidate.x, |x| core::array::from_fn(|i| start[i] - x[i]));
                all.insert(certify(kernel, goal, candidate.x, STEPS), start);
            }
        }
        all
    }

    /// Of each branch of seven joints the best sample, and what it costs: its distance from the start if it is inside the limits, more if it is outside, and still more
    /// if it only comes near the target. Infinite for none.
    fn samples<const N: usize>(&self, goal: &Goal, start: &[f64; N]) -> [(f64, [f64; N]); MOST] {
        let mut best = [(f64::INFINITY, *start); MOST];
        let target = goal.in_base();
        for parameter in self.parameters(goal, start) {
            let slice = self.slice(goal, start, parameter);
            let is_exact = slice.state.contains(&State::Exact);
            let squares = if is_exact { None } else { Some(self.squares(&target, &slice)) };
            for branch in slice.branches() {
                let x = slice.pose(branch);
                let (overrun, miss) = (slice.overrun[branch], slice.state[branch] == State::Near);
                let outside = if overrun > ROUNDED { OUTSIDE * (1.0 + overrun) } else { 0.0 };
                let near = match squares {
                    Some([distance, chord]) => OUTSIDE * (2.0 + distance[branch] + chord[branch]),
                    None if miss => continue,
                    None => 0.0,
                };
                let cost = distance_squared(&x, start) + outside + near;
                if cost < best[branch].0 {
                    best[branch] = (cost, x);
                }
            }
        }
        best
    }

    /// The values of the parameter to try, beginning with that of the start; any single one for six joints.
    fn parameters<const N: usize>(
        &self,
        goal: &Goal,
        start: &[f64; N],
    ) -> impl Iterator<Item = f64> + use<N> {
        let (first, min, max) = self.range(goal, start);
        let step = (max - min) / f64::from(SAMPLES);
        let around = (1..=SAMPLES).flat_map(move |k| [f64::from(k), -f64::from(k)]);
        let others = around.map(move |k| first + k * step);
        core::iter::once(first).chain(others.filter(move |x| step > 0.0 && *x >= min && *x <= max))
    }

    /// The parameter of the start, and its range: at most a turn around that.
    fn range<const N: usize>(&self, goal: &Goal, start: &[f64; N]) -> (f64, f64, f64) {
        match &self.form {
            Form::Six(_) => (0.0, 0.0, 0.0),
            Form::Shoulder(shoulder) => {
                let turns = turns(&shoulder.chain, None, start);
                let arm = shoulder.arm(&shoulder.chain.wrist_for(&goal.base), &turns);
                let angle = atan2(arm.y, arm.x);
                (angle, angle - PI, angle + PI)
            }
            Form::Fixed(Fixed { joint, .. }) => {
                let (first, joint) = (start[*joint], &self.joints[*joint]);
                (first, joint.min.max(first - PI), joint.max.min(first + PI))
            }
        }
    }

    /// The poses for one value of the parameter.
    fn slice<const N: usize>(&self, goal: &Goal, start: &[f64; N], parameter: f64) -> Slice<N> {
        match &self.form {
            Form::Six(six) => self.six(six, None, goal, start),
            Form::Fixed(Fixed { joint, plan }) => {
                let angle = parameter + self.joints[*joint].angle;
                match seven::chain(&self.joints, self.tool, *joint, angle) {
                    Some(chain) => {
                        self.six(&Six::new(chain, *plan), Some((*joint, parameter)), goal, start)
                    }
                    None => Slice::NONE,
                }
            }
            Form::Shoulder(shoulder) => {
                let chain = &shoulder.chain;
                let turns = turns(chain, None, start);
                let (sin, cos) = sin_cos(parameter);
                let wrist = chain.wrist_for(&goal.base);
                let branches = shoulder.solve(&wrist, DVec2::new(cos, sin), &turns);
                self.values(chain, &branches, None, start)
            }
        }
    }

    #[cfg_attr(feature = "simd", inline(always))]
    fn six<const N: usize>(
        &self,
        six: &Six,
        fixed: Option<(usize, f64)>,
        goal: &Goal,
        start: &[f64; N],
    ) -> Slice<N> {
        let turns = turns(&six.chain, fixed.map(|(joint, _)| joint), start);
        let branches = six.solve(&six.chain.wrist_for(&goal.base), &turns);
        self.values(&six.chain, &branches, fixed, start)
    }

    /// The values of the joints, inside the limits where an equivalent angle is, and nearest to the start.
    #[inline(always)]
    fn values<const J: usize, const N: usize>(
        &self,
        chain: &Chain<J>,
        branches: &Branches<J>,
        fixed: Option<(usize, f64)>,
        start: &[f64; N],
    ) -> Slice<N> {
        let mut slice = Slice { state: branches.state, ..Slice::NONE };
        for i in 0..J {
            let arm = chain.joint_in_arm(i, fixed.map(|(joint, _)| joint));
            let (sines, cosines) = (&branches.sines[i], &branches.cosines[i]);
            let (sign, offset, joint) = (chain.signs[i], chain.angles[i], &self.joints[arm]);
            let middle = joint.middle(start[arm]);
            let is_paired = branches.is_paired[i];
            let values = if is_paired {
                let angles = atan2_each(&halved(sines), &halved(cosines));
                doubled(&angles.map(|angle| equivalent(sign * angle - offset, middle)))
            } else {
                let angles = atan2_each(sines, cosines);
                angles.map(|angle| equivalent(sign * angle - offset, middle))
            };
            slice.is_paired[arm] = is_paired;
            for branch in 0..MOST {
                let value = values[branch];
                let clamped = if value > joint.max { joint.max } else { value };
                let clamped = if clamped < joint.min { joint.min } else { clamped };
                let (overrun, most) = ((value - clamped).abs(), slice.overrun[branch]);
                slice.x[arm][branch] = clamped;
                slice.overrun[branch] = if overrun > most { overrun } else { most };
            }
        }
        if let Some((joint, value)) = fixed {
            slice.x[joint] = [self.joints[joint].clamp(value); MOST];
        }
        slice
    }
}

/// The search for the poses of six joints.
struct OfSix<'a, const N: usize> {
    closed: &'a Closed,
    six: &'a Six,
    kernel: &'a Kernel<N>,
    goal: &'a Goal,
    start: &'a [f64; N],
    all: &'a mut Candidates<N>,
}

impl<const N: usize> OfSix<'_, N> {
    #[cfg_attr(feature = "simd", inline(always))]
    fn run(self) {
        let Self { closed, six, kernel, goal, start, all } = self;
        let slice = closed.six(six, None, goal, start);
        closed.certified(kernel, goal, start, &slice, all);
        if all.is_empty() {
            all.miss = best_of_all(kernel, goal, &slice);
        }
    }
}

// What is inlined here uses the widest registers that the processor has, which changes its time and not a bit of its result.
#[cfg(feature = "simd")]
impl<const N: usize> pulp::WithSimd for OfSix<'_, N> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.run();
    }
}

/// What pairs of branches share, once for each pair.
#[inline(always)]
fn halved(v: &[f64; MOST]) -> [f64; MOST / 2] {
    core::array::from_fn(|pair| v[2 * pair])
}

/// The same for both of each pair.
#[inline(always)]
fn doubled(v: &[f64; MOST / 2]) -> [f64; MOST] {
    core::array::from_fn(|branch| v[branch / 2])
}

/// The points of the circle of a configuration.
fn turns<'a, const J: usize, const N: usize>(
    chain: &'a Chain<J>,
    fixed: Option<usize>,
    x: &'a [f64; N],
) -> impl Fn(usize) -> DVec2 + 'a {
    move |i| {
        let value = x[chain.joint_in_arm(i, fixed)];
        let (sin, cos) = sin_cos(chain.signs[i] * (value + chain.angles[i]));
        DVec2::new(cos, sin)
    }
}

/// The angle equal to `x` modulo a turn that is nearest to another.
#[inline(always)]
fn equivalent(x: f64, other: f64) -> f64 {
    /// Adding it rounds to an integer.
    const ROUNDING: f64 = 1.5 * (1_u64 << 52) as f64;
    x + TAU * (((other - x) * (1.0 / TAU) + ROUNDING) - ROUNDING)
}

impl Joint {
    /// The middle of a turn in which every angle has one equivalent: inside the limits if there is one, and nearest to the start.
    #[inline(always)]
    fn middle(&self, start: f64) -> f64 {
        let (low, high) = (self.min + PI, self.max - PI);
        if low > high {
            0.5 * (self.min + self.max)
        } else {
            start.max(low - ROUNDED).min(high + ROUNDED)
        }
    }
}

/// A value this far outside a limit is at the limit: rounding.
const ROUNDED: f64 = 1e-10;

fn distance_squared<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
