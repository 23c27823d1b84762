//! Certificates: what a closed form proposes is measured by the kernel, refined where it must be, and sorted.

use super::six::{MOST, State};
use super::{Closed, ROUNDED, Slice, distance_squared, doubled, halved};
use crate::arm::frame::Frame;
use crate::arm::goal::Goal;
use crate::arm::kernel::{Joint, Kernel, Link, Pace, Residual};
use crate::math::{sines_and_cosines, sqrt};
use core::f64::consts::TAU;
use glam::DVec3;

/// A solution is refined until it is this near \[units of length, rad\]; closed forms are nearer unless the pose is almost singular.
const PRECISE: f64 = 1e-11;

/// A proposal with more squared error than this reaches nothing: the target is out of reach for its branch.
const HOPELESS: f64 = 0.01;

/// Steps that refine a proposal: one or two, unless the pose is almost singular.
pub(super) const STEPS: u32 = 12;

/// How far outside the limits a proposal may be that the kernel brings into them, if an arm meets its family only nearly.
const NEARLY_INSIDE: f64 = 0.05;

/// Solutions are the same if no joint differs by more.
const SAME: f64 = 1e-4;

/// A pose of the arm that reaches the target, or comes near it.
#[derive(Debug, Clone, Copy)]
pub(in crate::arm) struct Candidate<const N: usize> {
    pub(in crate::arm) x: [f64; N],
    pub(in crate::arm) residual: Residual,
    pub(in crate::arm) has_reached: bool,
}

/// The poses that reach a target, the nearest to the start first.
#[derive(Debug, Clone, Copy)]
pub(in crate::arm) struct Candidates<const N: usize> {
    list: [Candidate<N>; MOST],
    /// The distances of the poses from the start, squared, and the poses in their order.
    costs: [f64; MOST],
    order: [u8; MOST],
    len: u8,
    /// Of six joints, if none reaches the target, the branch with the least error.
    pub(in crate::arm) miss: Option<Candidate<N>>,
}

impl<const N: usize> Candidates<N> {
    pub(super) const NONE: Self = Self {
        list: [Candidate::NONE; MOST],
        costs: [0.0; MOST],
        order: [0; MOST],
        len: 0,
        miss: None,
    };

    pub(in crate::arm) fn iter(&self) -> impl Iterator<Item = &Candidate<N>> {
        self.order.iter().take(usize::from(self.len)).map(|&i| &self.list[usize::from(i)])
    }

    /// All but a pose.
    pub(in crate::arm) fn others<'a>(
        &'a self,
        x: &'a [f64; N],
    ) -> impl Iterator<Item = &'a Candidate<N>> {
        self.iter().filter(|candidate| !is_same(&candidate.x, x))
    }

    pub(in crate::arm) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a pose at its place, unless it is there already or the list is full.
    #[cfg_attr(feature = "simd", inline(always))]
    pub(super) fn insert(&mut self, candidate: Candidate<N>, start: &[f64; N]) {
        let n = usize::from(self.len);
        let is_known = self.list[..n].iter().any(|other| is_same(&other.x, &candidate.x));
        if is_known || n == MOST {
            return;
        }
        let cost = distance_squared(&candidate.x, start);
        (self.list[n], self.costs[n]) = (candidate, cost);
        let mut place = n;
        while place > 0 && cost < self.costs[usize::from(self.order[place - 1])] {
            self.order[place] = self.order[place - 1];
            place -= 1;
        }
        self.order[place] = self.len;
        self.len += 1;
    }
}

impl<const N: usize> Candidate<N> {
    const NONE: Self = Self {
        x: [0.0; N],
        residual: Residual { distance: 0.0, angle: 0.0, merit: 0.0 },
        has_reached: false,
    };
}

/// Whether poses are the same, or the two ends of a range of one turn.
fn is_same<const N: usize>(a: &[f64; N], b: &[f64; N]) -> bool {
    a.iter().zip(b).all(|(a, b)| {
        let by = (a - b).abs();
        by < SAME || (by - TAU).abs() < SAME
    })
}

impl Closed {
    /// Adds the poses of a slice that reach the target.
    #[cfg_attr(feature = "simd", inline(always))]
    pub(super) fn certified<const N: usize>(
        &self,
        kernel: &Kernel<N>,
        goal: &Goal,
        start: &[f64; N],
        slice: &Slice<N>,
        all: &mut Candidates<N>,
    ) {
        let squares = self.squares(&goal.in_base(), slice);
        let outside = if self.is_exact() { ROUNDED } else { NEARLY_INSIDE };
        for branch in slice.branches() {
            let [distance, chord] = squares.map(|squares| squares[branch]);
            if slice.overrun[branch] > outside || distance + chord > HOPELESS {
                continue;
            }
            // The equations of an exact family prove that a branch gets no nearer.
            let is_best = slice.state[branch] == State::Near && self.is_exact();
            let x = slice.pose(branch);
            let candidate = if is_best || distance.max(chord) <= PRECISE * PRECISE {
                let (merit, [distance, angle]) = (distance + chord, [distance, chord].map(sqrt));
                let has_reached = goal.accepts(distance, angle);
                Candidate { x, residual: Residual { distance, angle, merit }, has_reached }
            } else {
                certify(kernel, goal, x, STEPS)
            };
            if candidate.has_reached {
                all.insert(candidate, start);
            }
        }
    }

    /// Squared distances and squared chords of the rotation from the target, of all branches at once: the walk of the kernel from the tool to the base.
    ///
    /// - `target`: in the base of the arm
    #[inline(always)]
    pub(super) fn squares<const N: usize>(
        &self,
        target: &Frame,
        slice: &Slice<N>,
    ) -> [[f64; MOST]; 2] {
        let mut lanes = Lanes::new(&self.tool);
        for (i, (joint, values)) in self.joints.iter().zip(&slice.x).enumerate().rev() {
            let turns = if slice.is_paired[i] {
                let turns = sines_and_cosines(&halved(values).map(|value| value + joint.angle));
                (doubled(&turns.0), doubled(&turns.1))
            } else {
                sines_and_cosines(&values.map(|value| value + joint.angle))
            };
            // The first joint has no link: the base is part of the target.
            let link = if i > 0 { &joint.link } else { &Joint::NONE.link };
            lanes.step_back(&turns, link);
        }
        lanes.squares(target)
    }
}

/// Three vectors for each branch: the first two axes of the tool, and its origin.
struct Lanes {
    /// Vector by vector their x, y and z.
    vectors: [[[f64; MOST]; 3]; 3],
}

impl Lanes {
    #[inline(always)]
    fn new(tool: &Frame) -> Self {
        let vectors = [tool.axes[0], tool.axes[1], tool.origin];
        Self { vectors: vectors.map(|v| v.to_array().map(|c| [c; MOST])) }
    }

    /// Goes from behind a joint to before its link.
    #[inline(always)]
    fn step_back(&mut self, (sines, cosines): &([f64; MOST], [f64; MOST]), link: &Link) {
        let (sin, cos) = link.turn;
        let translations = [DVec3::ZERO, DVec3::ZERO, link.translation];
        for ([x, y, z], by) in self.vectors.iter_mut().zip(translations) {
            for i in 0..MOST {
                let across = sines[i] * x[i] + cosines[i] * y[i];
                x[i] = (cosines[i] * x[i] - sines[i] * y[i]) + by.x;
                let before = z[i];
                y[i] = (cos * across - sin * before) + by.y;
                z[i] = (sin * across + cos * before) + by.z;
            }
        }
    }

    /// The squared distance from a target, and half the sum of the squared differences of the axes: the squared chord of the rotation.
    #[inline(always)]
    fn squares(&self, target: &Frame) -> [[f64; MOST]; 2] {
        let [u, v, p] = &self.vectors;
        let [x, y, z] = target.axes;
        let mut squares = [[0.0; MOST]; 2];
        for i in 0..MOST {
            let [u, v, p] = [u, v, p].map(|v| DVec3::new(v[0][i], v[1][i], v[2][i]));
            squares[0][i] = (p - target.origin).length_squared();
            let axes = (u - x).length_squared() + (v - y).length_squared();
            squares[1][i] = 0.5 * (axes + (u.cross(v) - z).length_squared());
        }
        squares
    }
}

/// The branch with the least error, where none reaches the target.
#[cold]
pub(super) fn best_of_all<const N: usize>(
    kernel: &Kernel<N>,
    goal: &Goal,
    slice: &Slice<N>,
) -> Option<Candidate<N>> {
    let all = slice.branches().map(|branch| certify(kernel, goal, slice.pose(branch), 0));
    let finite = all.filter(|candidate| candidate.residual.merit.is_finite());
    finite.min_by(|a, b| a.residual.merit.total_cmp(&b.residual.merit))
}

/// Measures a pose inside the limits, and refines it by at most so many steps.
#[cold]
pub(super) fn certify<const N: usize>(
    kernel: &Kernel<N>,
    goal: &Goal,
    mut x: [f64; N],
    steps: u32,
) -> Candidate<N> {
    let mut residual = kernel.residual(goal, &x);
    let is_precise = residual.distance <= PRECISE && residual.angle <= PRECISE;
    if !is_precise && steps > 0 {
        let mut refined = x;
        let descent =
            kernel.descend(&goal.with_tolerance(PRECISE), &mut refined, Pace::patient(steps));
        if descent.residual.merit < residual.merit {
            (x, residual) = (refined, descent.residual);
        }
    }
    let has_reached = goal.accepts(residual.distance, residual.angle);
    Candidate { x, residual, has_reached }
}
