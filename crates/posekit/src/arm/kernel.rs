//! Kinematics and damped steps of an arm with a fixed number of joints.
//!
//! The joints are a chain of links: a translation and a rotation about x lead from the frame of one joint to that of the next, which rotates about its
//! own z, or slides along it. Any rotation between two axes is `Rz(β) Rx(α) Rz(γ)`, and `β` and `γ` are added to the angles of the joints before
//! and after, so that a link costs a third of a general transform (\[denavit55\]; the translation is a general one here, because axes that are nearly
//! parallel have their common normal far away). Everything is measured in the frame of the target, to which the tool must come.
//!
//! | symbol | meaning | shape | unit |
//! |---|---|---|---|
//! | `x` | values of the joints | N | rad, or units of length |
//! | `e` | from the tool to the target: translation, then `2 sin(θ/2)` along the axis of rotation | 6 | units of length, rad |
//! | `J` | Jacobian of the tool | 6 × N | |
//! | `g` | preferred change | N | rad, or units of length |
//!
//! ```text
//! minimise    |dx − g|² + |J dx − e|² / λ,    λ = μ |e|²
//! subject to  min ≤ x + dx ≤ max
//! ```
//!
//! Without limits the solution is `dx = g + Jᵀ y` with `(J Jᵀ + λ) y = e − J g`. Damping in proportion to the squared error \[chan88\] is strong far from the
//! target and vanishes so fast near it that convergence stays quadratic, and no step is ever taken back. A joint that the step would move out of its
//! limits is fixed at the limit, and the step of the others is solved again.
//!
//! All of it is generic over [`Lanes`]: the numbers are those of one problem, or of several that are solved at once. Where these would branch apart,
//! masks select results; a round that a lane does not need gives it the same step again.

use super::frame::Frame;
use super::goal::Goal;
use crate::math::{
    Lanes, Mask, Vector, asin, cholesky_factor_square, cholesky_solve_square, sin_cos_each, sqrt,
};
use core::f64::consts::TAU;
use glam::DVec3;

/// Damping per squared error, μ. Between half and twice this, solves take the same time within 5 %.
const DAMPING: f64 = 0.05;

/// The least damping, which keeps the factorisation of a singular pose finite.
const LEAST_DAMPING: f64 = 1e-14;

/// A descent is hopeless if this many steps leave more than this fraction of the squared error: another start is quicker.
const STRIDE: u32 = 3;
const PROMISING: f64 = 0.5;

/// Rounds in which one step fixes joints at their limits. Joints that still leave them are clamped.
const ROUNDS: u32 = 4;

/// Steps towards the preferred values, the largest change of a joint in one, and the change at which they end.
const SETTLING_STEPS: u32 = 30;
const SETTLING_CHANGE: f64 = 0.3;
const SETTLED: f64 = 1e-7;

/// By how much these steps may be shortened and stretched.
const LEAST_STRETCH: f64 = 0.3;
const MOST_STRETCH: f64 = 4.0;

/// From the frame of one joint to that of the next.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub(super) translation: DVec3,
    /// Sine and cosine of the rotation about x that follows.
    pub(super) turn: (f64, f64),
}

/// One joint, behind its link.
#[derive(Debug, Clone, Copy)]
pub(super) struct Joint {
    pub(super) link: Link,
    pub(super) is_slide: bool,
    /// Rotation about z besides the value of the joint \[rad\].
    pub(super) angle: f64,
    /// Added to the value.
    pub(super) offset: f64,
    /// The joint whose unknown it multiplies: itself, unless it is a mimic.
    pub(super) leader: usize,
    pub(super) multiplier: f64,
    /// What the unknown counts in \[rad or m\].
    pub(super) unit: f64,
    pub(super) min: f64,
    pub(super) max: f64,
    /// A whole turn fits between the limits, so an angle beyond one of them may be inside a turn back.
    pub(super) turns: bool,
}

impl Joint {
    /// A joint that stays where it is.
    pub(super) const NONE: Self = Self {
        link: Link { translation: DVec3::ZERO, turn: (0.0, 1.0) },
        is_slide: false,
        angle: 0.0,
        offset: 0.0,
        leader: 0,
        multiplier: 0.0,
        unit: 1.0,
        min: 0.0,
        max: 0.0,
        turns: false,
    };
}

/// The joints of an arm, filled up with [`Joint::NONE`].
#[derive(Debug, Clone)]
pub(super) struct Kernel<const N: usize> {
    pub(super) joints: [Joint; N],
    /// The tool behind the last joint, and its rotation about z.
    tool: Link,
    tool_turn: (f64, f64),
    /// Every joint has an unknown of its own.
    is_plain: bool,
}

/// The end of a descent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Descent {
    pub(super) has_reached: bool,
    pub(super) steps: u32,
    pub(super) residual: Residual,
}

/// When a descent ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    pub(super) steps: u32,
    most: u32,
    is_patient: bool,
    milestone: f64,
}

/// The distances from the target, and the squared error.
#[derive(Debug, Clone, Copy)]
pub(super) struct Residual {
    pub(super) distance: f64,
    pub(super) angle: f64,
    pub(super) merit: f64,
}

/// Six rows of one column: translation, then rotation.
pub(super) type Column<V = f64> = [V; 6];

/// An arm in one pose, or in one for each of some problems.
pub(super) struct Walk<V: Lanes, const N: usize> {
    origins: [V::Vector; N],
    axes: [V::Vector; N],
    pub(super) tool: Frame<V>,
}

impl<const N: usize> Kernel<N> {
    pub(super) fn new(joints: &[Joint], tool: Link, tool_turn: (f64, f64)) -> Self {
        let mut all = [Joint::NONE; N];
        all[..joints.len()].copy_from_slice(joints);
        let mut numbered = all.iter().enumerate();
        let is_plain = numbered.all(|(i, Joint { leader, multiplier, offset, .. })| {
            *leader == i && *multiplier == 1.0 && *offset == 0.0
        });
        Self { joints: all, tool, tool_turn, is_plain }
    }

    /// The tool, from `base`.
    pub(super) fn tool(&self, base: &Frame, x: &[f64; N]) -> Frame {
        self.walk(base, x).tool
    }

    /// The Jacobian of the tool at its origin, in the axes of the frame in which `base` is given.
    pub(super) fn jacobian(&self, base: &Frame, x: &[f64; N]) -> [Column; N] {
        self.columns(&self.walk(base, x))
    }

    /// How far the tool is from the target.
    pub(super) fn residual(&self, goal: &Goal, x: &[f64; N]) -> Residual {
        residual(&goal.error(&self.walk(&goal.base, x).tool))
    }

    /// Descends from `x` until the target is reached or the pace ends it.
    pub(super) fn descend(&self, goal: &Goal, x: &mut [f64; N], mut pace: Pace) -> Descent {
        loop {
            let walk = self.walk(&goal.base, x);
            let error = goal.error(&walk.tool);
            let has_reached = goal.is_reached(&error);
            if !pace.goes_on(squared(&error), has_reached) {
                return Descent { has_reached, steps: pace.steps, residual: residual(&error) };
            }
            self.step(goal, &walk, &error, None, x);
        }
    }

    /// One step towards the target.
    ///
    /// - `wanted`: the preferred change
    pub(super) fn advance(
        &self,
        goal: &Goal,
        x: &mut [f64; N],
        wanted: Option<&[f64; N]>,
    ) -> Residual {
        let walk = self.walk(&goal.base, x);
        let error = goal.error(&walk.tool);
        self.step(goal, &walk, &error, wanted, x);
        residual(&error)
    }

    /// Moves `x`, which reaches the target, through the null space.
    ///
    /// The poses that reach the target are curved, so that a step to the nearest point of their tangent ends before or beyond the nearest pose, by the same
    /// part each time: the steps are stretched or shortened by it, as in the secant method.
    ///
    /// - `wanted`: the preferred change, given the unknowns
    pub(super) fn settle(
        &self,
        goal: &Goal,
        x: &mut [f64; N],
        wanted: impl Fn(&[f64; N]) -> [f64; N],
    ) {
        let before = *x;
        let largest = |v: &[f64; N]| v.iter().fold(0.0, |most: f64, by| most.max(by.abs()));
        // The part of what is wanted that the next step is for, and of the last step its part and its change for the whole.
        let mut part = (SETTLING_CHANGE / largest(&wanted(x))).min(1.0);
        let mut last: Option<(f64, [f64; N])> = None;
        for _ in 0..SETTLING_STEPS {
            let walk = self.walk(&goal.base, x);
            let error = goal.error(&walk.tool);
            let wanted = wanted(x).map(|by| by * part);
            let from = *x;
            self.step(goal, &walk, &error, Some(&wanted), x);
            let change = core::array::from_fn(|i| (x[i] - from[i]) / part);
            if part * largest(&change) <= SETTLED {
                break;
            }
            let best = last.map_or(1.0, |(last_part, last)| {
                let done = 1.0 - product(&change, &last) / product(&last, &last);
                if done > 0.0 { last_part / done } else { MOST_STRETCH }
            });
            last = Some((part, change));
            let most = SETTLING_CHANGE / largest(&change);
            part = best.clamp(LEAST_STRETCH, MOST_STRETCH).min(most);
        }
        if !self.descend(goal, x, Pace::new(SETTLING_STEPS)).has_reached {
            *x = before;
        }
    }

    /// The values of the joints from the unknowns.
    #[inline(always)]
    fn values<V: Lanes>(&self, x: &[V; N]) -> [V; N] {
        if self.is_plain {
            return *x;
        }
        let mut values = *x;
        for i in 0..N {
            let Joint { leader, multiplier, offset, .. } = self.joints[i];
            values[i] = x[leader] * multiplier + offset;
        }
        values
    }

    /// Follows the links from the base to the tool.
    #[inline(always)]
    pub(super) fn walk<V: Lanes>(&self, base: &Frame<V>, x: &[V; N]) -> Walk<V, N> {
        let values = self.values(x);
        let mut angles = values;
        for i in 0..N {
            let Joint { is_slide, angle, .. } = self.joints[i];
            angles[i] = if is_slide { values[i].splat(angle) } else { values[i] + angle };
        }
        let turns = sin_cos_each::<V, N>(&angles);
        let mut frame = *base;
        let (mut origins, mut axes) = ([frame.origin; N], [frame.origin; N]);
        for i in 0..N {
            frame.follow(&self.joints[i].link);
            (origins[i], axes[i]) = (frame.origin, frame.axes[2]);
            frame.turn(turns[i]);
            if self.joints[i].is_slide {
                frame.origin = frame.origin + frame.axes[2] * values[i];
            }
        }
        frame.follow(&self.tool);
        frame.turn(self.tool_turn);
        Walk { origins, axes, tool: frame }
    }

    /// The change of the tool with each unknown.
    #[inline(always)]
    fn columns<V: Lanes>(&self, walk: &Walk<V, N>) -> [Column<V>; N] {
        let zero = walk.tool.origin.parts()[0].splat(0.0);
        let mut columns = [[zero; 6]; N];
        for i in 0..N {
            let axis = walk.axes[i];
            let (v, w) = if self.joints[i].is_slide {
                (axis, V::Vector::from_parts([zero; 3]))
            } else {
                (axis.crossed(walk.tool.origin - walk.origins[i]), axis)
            };
            let ([x, y, z], [rx, ry, rz]) = (v.parts(), w.parts());
            columns[i] = [x, y, z, rx, ry, rz];
        }
        if !self.is_plain {
            self.merge(&mut columns);
        }
        columns
    }

    /// Adds the columns of mimics to those of their leaders.
    #[cold]
    fn merge<V: Lanes>(&self, columns: &mut [Column<V>; N]) {
        let zero = columns[0][0].splat(0.0);
        let all = core::mem::replace(columns, [[zero; 6]; N]);
        for (joint, column) in self.joints.iter().zip(&all) {
            add(&mut columns[joint.leader], column, zero.splat(joint.multiplier));
        }
    }

    /// One step, towards the preferred changes if there are any.
    #[inline(always)]
    pub(super) fn step<V: Lanes>(
        &self,
        goal: &Goal<V>,
        walk: &Walk<V, N>,
        error: &Column<V>,
        preferred: Option<&[V; N]>,
        x: &mut [V; N],
    ) {
        let zero = x[0].splat(0.0);
        let mut columns = self.columns(walk);
        goal.free_rows(error, &mut columns);
        let wanted = match preferred {
            Some(preferred) => *preferred,
            None => [zero; N],
        };
        let (mut right, mut gram) = (*error, [[zero; 6]; 6]);
        for (column, by) in columns.iter().zip(wanted) {
            add_square(&mut gram, column);
            if preferred.is_some() {
                add(&mut right, column, -by);
            }
        }
        let damping = squared(error) * DAMPING + LEAST_DAMPING;
        for r in 0..6 {
            gram[r][r] += damping;
        }
        let none = zero.above(zero);
        let (mut is_fixed, mut is_sound, mut change) = ([none; N], !none, [zero; N]);
        for _ in 0..ROUNDS {
            let (mut factor, mut y) = (gram, right);
            is_sound = is_sound & cholesky_factor_square(&mut factor, 0.0);
            if !is_sound.any() {
                return;
            }
            cholesky_solve_square(&factor, &mut y);
            for i in 0..N {
                let is_free = !is_fixed[i];
                if is_free.any() {
                    change[i] = V::select(is_free, wanted[i] + dot(&columns[i], &y), change[i]);
                }
            }
            let mut has_fixed = none;
            for i in 0..N {
                let joint = &self.joints[i];
                let is_out = !(is_fixed[i] | joint.contains(x[i] + change[i]));
                if !is_out.any() {
                    continue;
                }
                let (is_turned, other) = joint.turned_back(x[i] + change[i]);
                let is_turned = is_turned & is_out;
                change[i] = V::select(is_turned, other - x[i], change[i]);
                let fixes = is_out & !is_turned;
                if !fixes.any() {
                    continue;
                }
                let clamped = joint.clamp(x[i] + change[i]) - x[i];
                change[i] = V::select(fixes, clamped, change[i]);
                (is_fixed[i], has_fixed) = (is_fixed[i] | fixes, has_fixed | fixes);
                add_where(fixes, &mut right, &columns[i], wanted[i] - change[i]);
                subtract_square_where(fixes, &mut gram, &columns[i]);
            }
            if !has_fixed.any() {
                break;
            }
        }
        for i in 0..N {
            x[i] = V::select(is_sound, self.joints[i].clamp(x[i] + change[i]), x[i]);
        }
    }
}

impl Pace {
    /// Takes no step.
    pub(super) const MEASURE: Self = Self::new(0);

    /// Ends after some steps, and earlier where it seems hopeless.
    pub(super) const fn new(most: u32) -> Self {
        Self { steps: 0, most, is_patient: false, milestone: f64::INFINITY }
    }

    /// Ends after some steps, however little they bring.
    pub(super) fn patient(most: u32) -> Self {
        Self { is_patient: true, ..Self::new(most) }
    }

    /// Whether to take another step, which counts, from a pose with this squared error.
    #[inline(always)]
    pub(super) fn goes_on(&mut self, merit: f64, has_reached: bool) -> bool {
        let is_milestone = self.steps % STRIDE == STRIDE - 1;
        let is_hopeless = is_milestone && merit > PROMISING * self.milestone && !self.is_patient;
        if has_reached || is_hopeless || self.steps == self.most {
            return false;
        }
        if is_milestone {
            self.milestone = merit;
        }
        self.steps += 1;
        true
    }
}

impl Joint {
    #[inline(always)]
    pub(super) fn contains<V: Lanes>(&self, x: V) -> V::Mask {
        x.splat(self.min).up_to(x) & x.up_to(x.splat(self.max))
    }

    #[inline(always)]
    pub(super) fn clamp<V: Lanes>(&self, x: V) -> V {
        x.clamped(self.min, self.max)
    }

    /// The middle between the limits, or the value inside them nearest to zero if one is infinite.
    pub(super) fn neutral(&self) -> f64 {
        let middle = 0.5 * (self.min + self.max);
        if middle.is_finite() { middle } else { self.clamp(0.0) }
    }

    /// The same angle one turn back inside the limits, for values that have left them.
    #[inline(always)]
    fn turned_back<V: Lanes>(&self, x: V) -> (V::Mask, V) {
        let zero = x.splat(0.0);
        let other = V::select(x.above(zero.splat(self.max)), x - TAU, x + TAU);
        (if self.turns { self.contains(other) } else { zero.above(zero) }, other)
    }
}

pub(super) fn residual(error: &Column) -> Residual {
    let [x, y, z, rx, ry, rz] = *error;
    let [distance, chord] = [x * x + y * y + z * z, rx * rx + ry * ry + rz * rz].map(sqrt);
    Residual { distance, angle: 2.0 * asin(0.5 * chord), merit: squared(error) }
}

fn product<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[inline(always)]
pub(super) fn squared<V: Lanes>(column: &Column<V>) -> V {
    dot(column, column)
}

#[inline(always)]
fn dot<V: Lanes>(a: &Column<V>, b: &Column<V>) -> V {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}

/// Adds a multiple of a column.
#[inline(always)]
fn add<V: Lanes>(out: &mut Column<V>, column: &Column<V>, by: V) {
    for r in 0..6 {
        out[r] += by * column[r];
    }
}

/// The same for the problems in a mask.
#[inline(always)]
fn add_where<V: Lanes>(problems: V::Mask, out: &mut Column<V>, column: &Column<V>, by: V) {
    for r in 0..6 {
        out[r] = V::select(problems, out[r] + by * column[r], out[r]);
    }
}

/// Adds `c cᵀ`, above the diagonal and on it.
#[inline(always)]
pub(super) fn add_square<V: Lanes>(out: &mut [Column<V>; 6], c: &Column<V>) {
    for i in 0..6 {
        // From the diagonal on, two at a time.
        for j in (i & !1)..6 {
            out[i][j] += c[i] * c[j];
        }
    }
}

/// Subtracts it for the problems in a mask.
#[inline(always)]
fn subtract_square_where<V: Lanes>(problems: V::Mask, out: &mut [Column<V>; 6], c: &Column<V>) {
    for i in 0..6 {
        for j in (i & !1)..6 {
            out[i][j] = V::select(problems, out[i][j] - c[i] * c[j], out[i][j]);
        }
    }
}
