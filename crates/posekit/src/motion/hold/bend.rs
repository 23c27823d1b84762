//! The closed form of a limb of a figure: its bend about an axis that need not be at right angles to its bones, then a swing.
//!
//! | Letter | Meaning |
//! |---|---|
//! | `u`, `v` | first bone (start to mid) and second bone (mid to end), in the world |
//! | `a` | unit axis that the mid joint bends about |
//! | `θ` | the turn about `a` that is wanted, 0 for none |
//! | `d` | the distance from start to end that is wanted |
//!
//! `d² = |u + R(a, θ) v|²` is `A cos θ + B sin θ = M` with `A = u·v − (a·u)(a·v)`, `B = u·(a × v)` and
//! `M = (d² − |u|² − |v|²)/2 − (a·u)(a·v)`. Of its two answers the one on the side of `B` leaves a limb bent the way it is, and is
//! the identity where `d` is the distance there is.

use glam::{DQuat, DVec3};

use crate::math::{direction_or, half_angle, shortest_rotation};

/// A limb in one frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bones {
    pub(super) u: DVec3,
    pub(super) v: DVec3,
    pub(super) axis: DVec3,
}

/// The turns that bring the end of a limb to a place, as rotations of the world.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turns {
    /// To be multiplied onto the start's rotation in the world, from the left.
    pub(super) start: DQuat,
    /// To be multiplied onto the mid's old rotation in the world, from the left, before the start's turn.
    pub(super) mid: DQuat,
}

impl Bones {
    /// The same with bones that are longer by a part of their length.
    pub(super) fn grown(self, growth: f64) -> Self {
        Self { u: self.u * (1.0 + growth), v: self.v * (1.0 + growth), axis: self.axis }
    }

    /// The greatest distance that the bend allows.
    #[inline]
    pub(super) fn reach(&self) -> f64 {
        let (along, size) = self.terms();
        (self.u.length_squared() + self.v.length_squared() + 2.0 * (along + size)).max(0.0).sqrt()
    }

    /// The terms of the distance: what no bend changes, and the size of what it does.
    #[inline]
    fn terms(&self) -> (f64, f64) {
        let along = self.axis.dot(self.u) * self.axis.dot(self.v);
        let a = self.u.dot(self.v) - along;
        let b = self.u.dot(self.axis.cross(self.v));
        (along, (a * a + b * b).sqrt())
    }

    /// The turns that put the end at `goal`, as seen from the start; as near as it comes where that is out of reach.
    #[inline]
    pub(super) fn turns(&self, goal: DVec3) -> Turns {
        let Self { u, v, axis } = *self;
        let across = axis.cross(v);
        let along = axis.dot(u) * axis.dot(v);
        let (a, b) = (u.dot(v) - along, u.dot(across));
        let size_squared = a * a + b * b;
        let wanted =
            0.5 * (goal.length_squared() - u.length_squared() - v.length_squared()) - along;
        let mid = if size_squared > 0.0 {
            let size = size_squared.sqrt();
            let m = wanted.clamp(-size, size);
            // The sine of what is left of the bend, on the side where it is now.
            let rest = ((size - m) * (size + m)).sqrt();
            let rest = if b <= 0.0 { -rest } else { rest };
            let (cos, sin) = ((a * m + b * rest) / size_squared, (b * m - a * rest) / size_squared);
            about(axis, cos, sin)
        } else {
            DQuat::IDENTITY
        };
        let bent = u + mid * v;
        let start = shortest_rotation(bent, goal);
        Turns { start, mid }
    }
}

/// Rotation about a unit axis by the angle with about this cosine and sine.
#[inline]
fn about(axis: DVec3, cos: f64, sin: f64) -> DQuat {
    let (cos_half, sin_half) = half_angle(cos, sin);
    let q = DQuat::from_xyzw(axis.x * sin_half, axis.y * sin_half, axis.z * sin_half, cos_half);
    q / q.length()
}

/// The axis that a limb bends about: at right angles to its bones where it is bent, and the axis it mostly bends about where it is all but straight.
///
/// - `usual`: the axis about which it mostly bends, in the world, a unit vector or zero
#[inline]
pub(super) fn bend_axis(u: DVec3, v: DVec3, usual: DVec3) -> DVec3 {
    /// Share of the usual axis: that of a bend by three degrees, below which the plane of a limb is noise.
    const SHARE: f64 = 0.05;
    let lengths = (u.length_squared() * v.length_squared()).sqrt();
    let own = u.cross(v);
    direction_or(own + usual * (SHARE * lengths), crate::math::perpendicular(u))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = DVec3> {
        (-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    proptest! {
        #[test]
        fn the_end_arrives_where_it_can(u in vector(), v in vector(), goal in vector(), usual in vector()) {
            prop_assume!(u.length() > 0.1 && v.length() > 0.1 && goal.length() > 0.01);
            let axis = bend_axis(u, v, direction_or(usual, DVec3::X));
            let bones = Bones { u, v, axis };
            let turns = bones.turns(goal);
            let end = turns.start * (u + turns.mid * v);
            if goal.length() < bones.reach() - 1e-9 && goal.length() > (u.length() - v.length()).abs() + 0.1 {
                let slack = (u.dot(axis).abs() + v.dot(axis).abs()) > 1e-9;
                prop_assert!(slack || (end - goal).length() < 1e-9, "{end} is not {goal}");
            }
        }

        #[test]
        fn where_it_is_already_nothing_turns(u in vector(), v in vector()) {
            prop_assume!(u.length() > 0.1 && v.length() > 0.1 && (u + v).length() > 0.1);
            let turns = Bones { u, v, axis: bend_axis(u, v, DVec3::ZERO) }.turns(u + v);
            prop_assert!(turns.start.xyz().length() < 1e-7 && turns.mid.xyz().length() < 1e-7);
        }
    }
}
