//! All solutions of six joints by a closed form.
//!
//! Joints are counted from 0 along the chain; `(R, p)` is the pose `Rz(θ₀) L₀ Rz(θ₁) … Rz(θ₅)` that brings the tool to the target, `g` its third axis, and
//! `Lᵢ = Trans(tᵢ) Rx(αᵢ)`. The three axes that meet or are parallel are removed from the equations, which leaves two that are linear in the points `x` and `y` of the circle that
//! stand for the outer joint, 0, and the inner one, 2 or 4:
//!
//! | three axes | equations |
//! |---|---|
//! | 3, 4, 5 meet | `Rz(θ₁) e = a`, `e = t₁ + Rx₁ Rz(y) t₂`, `a = L₀⁻¹ Rz(x)⁻¹ p`: the third components, and half the squared lengths |
//! | 3, 4, 5 parallel | `Rz(θ₁) Rx₁ Rz(y) Rx₂ ẑ = Rx₀⁻¹ Rz(x)⁻¹ g`: the third components; and the place of the tool along `g` |
//! | 1, 2, 3 meet | `Rz(θ₅) Rᵀ(Rz(x) t₀ − p) = L₄⁻¹ Rz(y)⁻¹ m`, `m = −Rx₃⁻¹ t₃`: the third components, and half the squared lengths |
//! | 1, 2, 3 parallel | `Rz(θ₅) Rᵀ Rz(x) Rx₀ ẑ = Rx₄⁻¹ Rz(y)⁻¹ Rx₃⁻¹ ẑ`: the third components; and the place of joint 5 along the three axes |
//!
//! Either of the vectors beside `Rz` gives the joint between. Three joints remain: a rotation about axes through one point, or a triangle in a plane.

use super::chain::{Chain, SIX, rotated_x, turned, unrotated_x};
use super::circle::{NO_DIRECTION, Pair, Roots, inverse, line, turn_between};
use super::family::Family;
use super::plan::{EXACT, Order, Place, Plan, Relation, Triple, straighten};
use crate::arm::frame::Frame;
use crate::arm::kernel::Link;
use crate::math::sqrt;
use glam::{DVec2, DVec3};

/// The most solutions.
pub(super) const MOST: usize = 8;

/// Inaccuracy of the equations for each unit by which an arm differs from its plan.
const SOFTNESS: f64 = 5.0;

/// Six joints, prepared.
#[derive(Debug, Clone)]
pub(super) struct Six {
    pub(super) chain: Chain<SIX>,
    plan: Plan,
    /// The coefficients of `y` in both equations.
    inner: [DVec2; 2],
    /// Combines the equations into those that are solved: first one that is free of a joint, if there is one.
    mix: [DVec2; 2],
    /// Of an arm that differs from its plan, how far the equations may be off.
    softness: f64,
}

/// Solutions for `J` joints, as points of the circle, unordered: joint by joint, all branches beside each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Branches<const J: usize> {
    pub(super) cosines: [[f64; MOST]; J],
    pub(super) sines: [[f64; MOST]; J],
    pub(super) state: [State; MOST],
    /// Joints whose angle branches `2k` and `2k + 1` share.
    pub(super) is_paired: [bool; J],
}

/// What became of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// All equations hold.
    Exact,
    /// The equations have no solution; this comes nearest.
    Near,
    /// There is no other solution than that of another branch.
    None,
}

impl<const J: usize> Branches<J> {
    pub(super) fn new(is_paired: [bool; J]) -> Self {
        let (cosines, sines) = ([[1.0; MOST]; J], [[0.0; MOST]; J]);
        Self { cosines, sines, state: [State::None; MOST], is_paired }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, branch: usize, turns: [DVec2; J], is_exact: bool) {
        for (i, turn) in turns.iter().enumerate() {
            (self.cosines[i][branch], self.sines[i][branch]) = (turn.x, turn.y);
        }
        self.state[branch] = if is_exact { State::Exact } else { State::Near };
    }
}

/// The points of the circle of the given start, for joints of which every angle is a solution.
pub(super) type Given<'a> = &'a dyn Fn(usize) -> DVec2;

/// The two joints that are found first.
#[derive(Debug, Clone, Copy)]
struct Ends {
    x: DVec2,
    y: DVec2,
}

impl Six {
    pub(super) fn new(chain: Chain<SIX>, plan: Plan) -> Self {
        let mut chain = if plan.is_reversed { chain.reversed() } else { chain };
        // What differs from the plan was accepted when the plan was made.
        let _ = straighten(&mut chain, plan.triple, plan.place);
        let softness = if plan.deviation > EXACT { SOFTNESS * plan.deviation } else { 0.0 };
        let mut six = Self { chain, plan, inner: [DVec2::ZERO; 2], mix: DVec2::AXES, softness };
        six.inner = six.equations(&Frame::IDENTITY).b;
        six.mix = six.mix();
        six
    }

    /// - `parameter`: the joint of the arm that is not in the chain
    pub(super) fn family(&self, parameter: Option<usize>) -> Family {
        Family::new(&self.plan, &self.chain, parameter)
    }

    /// The combinations of the equations that are free of a joint, and another one.
    fn mix(&self) -> [DVec2; 2] {
        let Self { plan, inner: [b0, b1], .. } = *self;
        let without_outer = match plan.outer {
            Relation::Parallel => Some(DVec2::X),
            Relation::Meeting => Some(DVec2::Y),
            Relation::Skew => None,
        };
        let other = |row: DVec2| if row.x.abs() > row.y.abs() { DVec2::Y } else { DVec2::X };
        match plan.order() {
            Order::OuterFirst => {
                let without_inner = match plan.inner {
                    Relation::Parallel => DVec2::X,
                    _ => DVec2::new(-b1.dot(b0) / b0.length_squared(), 1.0),
                };
                let shared = |row: DVec2| {
                    row.perp_dot(without_inner).abs() > 0.1 * sqrt(without_inner.length_squared())
                };
                [
                    without_inner,
                    without_outer.filter(|row| shared(*row)).unwrap_or(other(without_inner)),
                ]
            }
            Order::InnerFirst => {
                let row = without_outer.unwrap_or(DVec2::X);
                [row, other(row)]
            }
            Order::Together => DVec2::AXES,
        }
    }

    /// All solutions for a pose of the chain.
    #[cfg_attr(feature = "simd", inline(always))]
    pub(super) fn solve(&self, wrist: &Frame, given: Given<'_>) -> Branches<SIX> {
        let mut branches = Branches::new(self.is_paired());
        let pair = self.equations(wrist).mixed(self.mix);
        let [outer, inner] = [0, self.plan.place.inner()].map(|joint| move || given(joint));
        let order = self.plan.order();
        let roots = match order {
            Order::OuterFirst => pair.in_turn([outer, inner]),
            Order::InnerFirst => pair.swapped().in_turn([inner, outer]),
            Order::Together => pair.together(outer),
        };
        for (pair, (x, y, is_exact)) in roots.list.into_iter().take(roots.len).enumerate() {
            let [x, y] = if order == Order::InnerFirst { [y, x] } else { [x, y] };
            let three = self.complete(Ends { x, y }, wrist, given);
            for (k, turns) in three.list.into_iter().take(three.len).enumerate() {
                branches.set(2 * pair + k, turns, is_exact && three.is_exact);
            }
        }
        branches
    }

    /// The two equations, see the [module](self).
    #[inline(always)]
    fn equations(&self, wrist: &Frame) -> Pair {
        let links = &self.chain.links;
        let [t0, t1, t2, t3, t4] = [0, 1, 2, 3, 4].map(|i| links[i].translation);
        let [(s0, c0), (s1, c1), (s2, c2), (s3, c3), (s4, c4)] =
            [0, 1, 2, 3, 4].map(|i| links[i].turn);
        let (g, p) = (wrist.axes[2], wrist.origin);
        // Rz(x)ᵀ u · v in x.
        let back = |u: DVec3, v: DVec3| DVec2::new(u.x * v.x + u.y * v.y, u.y * v.x - u.x * v.y);
        // Rz(x) u · v in x.
        let forth = |u: DVec3, v: DVec3| back(v, u);
        let row0 = DVec3::new(0.0, -s0, c0);
        let softness = self.softness;
        match (self.plan.place, self.plan.triple) {
            (Place::End, Triple::Meeting) => {
                let m = unrotated_x((s1, c1), t1);
                let squares = t1.length_squared() + t2.length_squared()
                    - p.length_squared()
                    - t0.length_squared();
                Pair {
                    a: [back(p, row0), -back(p, t0)],
                    b: [-forth(t2, DVec3::new(0.0, s1, 0.0)), -forth(t2, m)],
                    d: [
                        t1.z + c1 * t2.z - s0 * t0.y - c0 * (p.z - t0.z),
                        0.5 * squares + m.z * t2.z + t0.z * p.z,
                    ],
                    softness,
                }
            }
            (Place::End, Triple::Parallel) => {
                let m = unrotated_x((s1, c1), t1);
                let h = DVec3::new(0.0, -s2, c2);
                Pair {
                    a: [back(g, row0), back(g, t0)],
                    b: [-forth(h, DVec3::new(0.0, s1, 0.0)), forth(h, m)],
                    d: [
                        c1 * c2 - c0 * g.z,
                        g.dot(p) - t0.z * g.z - m.z * c2 - h.dot(t2) - t3.z - t4.z,
                    ],
                    softness,
                }
            }
            (Place::Middle, Triple::Meeting) => {
                let m = -unrotated_x((s3, c3), t3);
                let squares = m.length_squared() + t4.length_squared()
                    - t0.length_squared()
                    - p.length_squared();
                Pair {
                    a: [forth(t0, g), -forth(t0, p)],
                    b: [back(m, DVec3::new(0.0, s4, 0.0)), back(m, t4)],
                    d: [
                        s4 * t4.y + c4 * (m.z - t4.z) - g.z * t0.z + g.dot(p),
                        0.5 * squares - t4.z * m.z + p.z * t0.z,
                    ],
                    softness,
                }
            }
            (Place::Middle, Triple::Parallel) => Pair {
                a: [back(g, row0), back(p, row0)],
                b: [DVec2::new(s3 * s4, 0.0), -s3 * DVec2::new(t4.y, t4.x)],
                d: [
                    c3 * c4 - c0 * g.z,
                    t1.z + t2.z + t3.z + c3 * t4.z - s0 * t0.y - c0 * (p.z - t0.z),
                ],
                softness,
            },
        }
    }

    /// The other joints, at most two solutions.
    #[inline(always)]
    fn complete(&self, ends: Ends, wrist: &Frame, given: Given<'_>) -> Roots<[DVec2; SIX], 2> {
        let start = self.plan.place.start();
        let (z, rest) = match self.plan.place {
            Place::End => self.after_ends(ends, wrist, given),
            Place::Middle => self.between_ends(ends, wrist, given),
        };
        let [x_axis, z_axis] = rest.axes;
        let three = match self.plan.triple {
            Triple::Meeting => meeting(x_axis, z_axis, &self.chain.links[start..], || given(start)),
            Triple::Parallel => {
                parallel(x_axis, rest.origin, &self.chain.links[start..], self.softness, || {
                    given(start)
                })
            }
        };
        let all = |[a, b, c]: [DVec2; 3]| match self.plan.place {
            Place::End => [ends.x, z, ends.y, a, b, c],
            Place::Middle => [ends.x, a, b, c, ends.y, z],
        };
        // Not `map`, which is not inlined.
        let list = [all(three.list[0]), all(three.list[1])];
        Roots { list, len: three.len, is_exact: three.is_exact }
    }

    /// The three joints with a common point or direction have two solutions for one of the others.
    fn is_paired(&self) -> [bool; SIX] {
        let start = self.plan.place.start();
        core::array::from_fn(|i| !(start..start + 3).contains(&i))
    }

    /// The second joint, and the pose that the last three must have.
    #[inline(always)]
    fn after_ends(&self, Ends { x, y }: Ends, wrist: &Frame, given: Given<'_>) -> (DVec2, Rest) {
        let [l0, l1, l2, ..] = &self.chain.links;
        let around = |v: DVec3| unrotated_x(l0.turn, turned(inverse(x), v));
        let at = unlinked(l0, turned(inverse(x), wrist.origin));
        let (from, to) = match self.plan.triple {
            Triple::Meeting => (l1.translation + rotated_x(l1.turn, turned(y, l2.translation)), at),
            Triple::Parallel => {
                let z = rotated_x(l2.turn, DVec3::Z);
                (rotated_x(l1.turn, turned(y, z)), around(wrist.axes[2]))
            }
        };
        let between = turn_between(from.truncate(), to.truncate(), || given(1));
        let beyond = |v: DVec3| {
            let v = unrotated_x(l1.turn, turned(inverse(between), v));
            unrotated_x(l2.turn, turned(inverse(y), v))
        };
        let origin = match self.plan.triple {
            Triple::Meeting => DVec3::ZERO,
            Triple::Parallel => {
                let at = unlinked(l1, turned(inverse(between), at));
                unlinked(l2, turned(inverse(y), at))
            }
        };
        let axes = [wrist.axes[0], wrist.axes[2]].map(|v| beyond(around(v)));
        (between, Rest { axes, origin })
    }

    /// The last joint, and the pose that the second to the fourth must have.
    #[inline(always)]
    fn between_ends(&self, Ends { x, y }: Ends, wrist: &Frame, given: Given<'_>) -> (DVec2, Rest) {
        let [l0, _, _, l3, l4, _] = &self.chain.links;
        let in_wrist = |v: DVec3| DVec3::from_array(wrist.axes.map(|axis| axis.dot(v)));
        let (from, to) = match self.plan.triple {
            Triple::Meeting => {
                let m = -unrotated_x(l3.turn, l3.translation);
                let at = turned(x, l0.translation) - wrist.origin;
                (in_wrist(at), unlinked(l4, turned(inverse(y), m)))
            }
            Triple::Parallel => {
                let [h, k] = [rotated_x(l0.turn, DVec3::Z), unrotated_x(l3.turn, DVec3::Z)];
                (in_wrist(turned(x, h)), unrotated_x(l4.turn, turned(inverse(y), k)))
            }
        };
        let last = turn_between(from.truncate(), to.truncate(), || given(5));
        // Rx₀⁻¹ Rz(x)⁻¹ R Rz(θ₅)⁻¹ Rx₄⁻¹ Rz(y)⁻¹ Rx₃⁻¹.
        let around = |v: DVec3| {
            let v = unrotated_x(l4.turn, turned(inverse(y), unrotated_x(l3.turn, v)));
            let v = turned(inverse(last), v);
            let v = wrist.axes[0] * v.x + wrist.axes[1] * v.y + wrist.axes[2] * v.z;
            unrotated_x(l0.turn, turned(inverse(x), v))
        };
        let x_axis = around(DVec3::X);
        match self.plan.triple {
            Triple::Meeting => {
                (last, Rest { axes: [x_axis, around(DVec3::Z)], origin: DVec3::ZERO })
            }
            Triple::Parallel => {
                let forearm = l3.translation + rotated_x(l3.turn, turned(y, l4.translation));
                let at = unlinked(l0, turned(inverse(x), wrist.origin));
                let origin = at - turned(x_axis.truncate(), forearm);
                (last, Rest { axes: [x_axis, DVec3::Z], origin })
            }
        }
    }
}

/// What three joints must do: the first and the third axis of a rotation, and a point to reach.
struct Rest {
    axes: [DVec3; 2],
    origin: DVec3,
}

/// A point behind a link, back before it.
#[inline(always)]
pub(super) fn unlinked(link: &Link, v: DVec3) -> DVec3 {
    unrotated_x(link.turn, v - link.translation)
}

/// Three joints whose axes meet, `Rz(a) Rx(α) Rz(b) Rx(β) Rz(c) = Q`, from the first and the third column of `Q`.
///
/// The third column has the third component `cos α cos β − sin α sin β cos b`. The last angle makes up for errors of the first, which are large where the first
/// and the last axis are almost in line; if they are, the first is `otherwise`.
#[inline(always)]
pub(super) fn meeting(
    x_axis: DVec3,
    z_axis: DVec3,
    links: &[Link],
    otherwise: impl Fn() -> DVec2,
) -> Roots<[DVec2; 3], 2> {
    let [(sa, ca), (sb, cb)] = [links[0].turn, links[1].turn];
    let cosine = (ca * cb - z_axis.z) / (sa * sb);
    let cos = cosine.clamp(-1.0, 1.0);
    // Of the third column, the part across the first axis, less what does not depend on the sign of b: accurate near b = 0, too.
    let across = ca * cos * sb + sa * cb;
    let square = (z_axis.x * z_axis.x + z_axis.y * z_axis.y - across * across) / (sb * sb);
    let sin = sqrt(square.max(0.0));
    let is_exact = cosine.abs() <= 1.0 + 1e-9;
    let solution = |sin: f64| {
        let b = DVec2::new(cos, sin);
        let from = DVec2::new(sin * sb, -across);
        let a = turn_between(from, z_axis.truncate(), &otherwise);
        let v = unrotated_x((sa, ca), turned(inverse(a), x_axis));
        let v = unrotated_x((sb, cb), turned(inverse(b), v));
        [a, b, v.truncate()]
    };
    let len = if sin > NO_DIRECTION { 2 } else { 1 };
    Roots { list: [solution(sin), solution(-sin)], len, is_exact }
}

/// Three joints with parallel axes, `Rz(a) (t + Rz(b) u) = origin` and `a + b + c` given by the first column.
#[inline(always)]
fn parallel(
    x_axis: DVec3,
    origin: DVec3,
    links: &[Link],
    softness: f64,
    otherwise: impl Fn() -> DVec2,
) -> Roots<[DVec2; 3], 2> {
    let [t, u] = [links[0].translation.truncate(), links[1].translation.truncate()];
    let goal = origin.truncate();
    let squares = goal.length_squared() - t.length_squared() - u.length_squared();
    let across = DVec2::new(t.dot(u), t.y * u.x - t.x * u.y);
    let roots = line(across, 0.5 * squares, softness, || DVec2::X);
    // Not a closure, which is not inlined.
    let mut list = [[DVec2::X; 3]; 2];
    for (three, b) in list.iter_mut().zip(roots.list) {
        let a = turn_between(t + b.rotate(u), goal, &otherwise);
        *three = [a, b, inverse(a).rotate(inverse(b)).rotate(x_axis.truncate())];
    }
    Roots { list, len: roots.len, is_exact: roots.is_exact }
}
