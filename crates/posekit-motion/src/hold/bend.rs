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
//! `M = (d² − |u|² − |v|²)/2 − (a·u)(a·v)`. Of its two answers one bends a limb the way `a` says, and that is the identity where `d` is the distance there is and
//! `a` the axis of its bend, `u × v`.

use posekit::glam::{DQuat, DVec3};
use posekit::math::{direction_or, half_angle, shortest_rotation};

/// A limb in one frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bones {
    pub(super) u: DVec3,
    pub(super) v: DVec3,
    pub(super) axis: DVec3,
    /// 1 where it is to bend as its axis says, -1 where the other way.
    pub(super) side: f64,
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
        Self { u: self.u * (1.0 + growth), v: self.v * (1.0 + growth), ..self }
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
        let Self { u, v, axis, side } = *self;
        let across = axis.cross(v);
        let along = axis.dot(u) * axis.dot(v);
        let (a, b) = (u.dot(v) - along, u.dot(across));
        let size_squared = a * a + b * b;
        let wanted =
            0.5 * (goal.length_squared() - u.length_squared() - v.length_squared()) - along;
        let mid = if size_squared > 0.0 {
            let size = size_squared.sqrt();
            let m = wanted.clamp(-size, size);
            // The sine of what is left of the bend.
            let rest = ((size - m) * (size + m)).sqrt();
            let rest = -side * rest;
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

/// The cosine of the bend with which the end of a limb is so far from its start: beyond 1 and -1 where it is out of reach.
#[inline]
pub(super) fn cos_of(u: DVec3, v: DVec3, distance_squared: f64) -> f64 {
    let (a, b) = (u.length_squared(), v.length_squared());
    0.5 * (distance_squared - a - b) / (a * b).sqrt()
}

/// Share of the axis that a limb mostly bends about: that of a bend by three degrees.
pub(super) const SHARE: f64 = 0.05;

/// How much of it more there is where a limb becomes more bent than it is, by as much as a radian.
const LEAD: f64 = 0.5;

/// How much the axis that a limb mostly bends about leads, beyond its share.
fn lead(cos: f64, cos_wanted: f64) -> f64 {
    let chord = |cos: f64| (2.0 - 2.0 * cos).max(0.0).sqrt();
    LEAD * (chord(cos_wanted) - chord(cos)).max(0.0)
}

/// The axis that a limb bends about: at right angles to its bones as far as it is bent, and the axis that it mostly bends about where it is all but straight, or is to
/// become far more bent than it is. The plane of a limb that is all but straight is noise, and may turn over from one frame to the next; a limb that is bent
/// far from there must not.
///
/// - `usual`: the axis that it mostly bends about, in the world, at a right angle to `v`: a unit vector or zero
/// - `cos_wanted`: of the bend that is wanted, which can be had about the axis; beyond 1 and -1 as there
#[inline]
pub(super) fn bend_axis(u: DVec3, v: DVec3, usual: DVec3, cos_wanted: f64) -> DVec3 {
    let scale = 1.0 / (u.length_squared() * v.length_squared()).sqrt();
    if !scale.is_finite() {
        return posekit::math::perpendicular(u);
    }
    let (own, cos, cos_wanted) =
        (u.cross(v) * scale, u.dot(v) * scale, cos_wanted.clamp(-1.0, 1.0));
    let share = if own.dot(usual) < 0.0 { -SHARE } else { SHARE };
    let led = usual * (share + lead(cos, cos_wanted));
    // About an axis at an angle to its own a limb becomes neither straight nor folded: the axis is no farther from its own than what is wanted allows.
    let least = (cos_wanted * cos_wanted - cos * cos).max(0.0).sqrt();
    let sin = own.length();
    if least > 0.0 && sin > 0.0 {
        let normal = own / sin;
        let along = sin + led.dot(normal);
        let across = led.reject_from_normalized(normal);
        let most = along.abs() * ((sin - least) * (sin + least)).max(0.0).sqrt() / least;
        let across = across.clamp_length_max(most);
        return direction_or(normal * along + across, normal);
    }
    direction_or(own + led, posekit::math::perpendicular(u))
}

/// To which side a hinge bends, as [`bend_axis`] would: to that where it is, but where it is all but straight there and is to become far more bent.
///
/// - `usual`: its axis, with the sign with which it mostly bends
#[inline]
pub(super) fn hinge_side(u: DVec3, v: DVec3, usual: DVec3, cos_wanted: f64) -> f64 {
    let scale = 1.0 / (u.length_squared() * v.length_squared()).sqrt();
    let own = usual.dot(u.cross(v)) * scale;
    let is_other = own < 0.0 && -own + SHARE >= lead(u.dot(v) * scale, cos_wanted.clamp(-1.0, 1.0));
    if is_other { -1.0 } else { 1.0 }
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
        fn the_end_arrives_wherever_both_bones_reach(u in vector(), v in vector(), goal in vector(), usual in vector()) {
            let (a, b) = (u.length(), v.length());
            prop_assume!(a > 0.1 && b > 0.1 && goal.length() > 0.01 && u.cross(v).length() > 1e-3);
            let usual = direction_or(usual.reject_from(v), DVec3::ZERO);
            let reach = (a - b).abs()..a + b;
            prop_assume!(reach.contains(&goal.length()));
            let axis = bend_axis(u, v, usual, cos_of(u, v, goal.length_squared()));
            let turns = Bones { u, v, axis, side: 1.0 }.turns(goal);
            let end = turns.start * (u + turns.mid * v);
            prop_assert!((end - goal).length() < 1e-6, "{end} is not {goal}");
        }

        #[test]
        fn where_it_is_already_nothing_turns(u in vector(), v in vector(), usual in vector()) {
            prop_assume!(u.length() > 0.1 && v.length() > 0.1 && (u + v).length() > 0.1);
            let usual = direction_or(usual.reject_from(v), DVec3::ZERO);
            let axis = bend_axis(u, v, usual, cos_of(u, v, (u + v).length_squared()));
            let turns = Bones { u, v, axis, side: 1.0 }.turns(u + v);
            prop_assert!(turns.start.xyz().length() < 1e-7 && turns.mid.xyz().length() < 1e-7);
        }

        /// A limb whose plane turns over while it is all but straight keeps its knee on one side while it must be bent.
        #[test]
        fn a_knee_stays_on_one_side_while_its_plane_is_noise(noise in -0.08..0.08_f64, aside in -0.08..0.08_f64, goal in 0.3..1.7_f64) {
            let u = DVec3::NEG_Y;
            let v = direction_or(DVec3::new(aside, -1.0, noise), DVec3::NEG_Y);
            let usual = direction_or(DVec3::X.reject_from(v), DVec3::ZERO);
            let goal = DVec3::NEG_Y * goal;
            let axis = bend_axis(u, v, usual, cos_of(u, v, goal.length_squared()));
            let turns = Bones { u, v, axis, side: 1.0 }.turns(goal);
            let knee = turns.start * u;
            prop_assert!(knee.z > 0.9 * knee.x.abs(), "{knee}");
        }
    }
}
