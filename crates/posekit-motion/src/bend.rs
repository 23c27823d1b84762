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
use posekit::math::{atan2, direction_or, half_angle, perpendicular, shortest_rotation};
use posekit::skeleton::{JointKind, Skeleton};

use crate::clip::rotation_place;

/// Sine of a bend below which a limb is as good as straight, and the plane of its bones not all that tells about what it bends: that of three degrees.
pub(crate) const STRAIGHT: f64 = 0.05;

/// A limb in one frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bend {
    u: DVec3,
    v: DVec3,
    axis: DVec3,
}

/// The turns that bring the end of a limb to a place, as rotations of the world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turns {
    /// To be multiplied onto the start's rotation in the world, from the left.
    pub(crate) start: DQuat,
    /// To be multiplied onto the mid's old rotation in the world, from the left, before the start's turn.
    pub(crate) mid: DQuat,
}

impl Bend {
    /// A limb that bends about the normal of its bones, to the side of an axis, and all but straight about that axis; a hinge about its axis, whatever its bones.
    ///
    /// - `axis`: a unit vector
    pub(crate) fn new((u, v): (DVec3, DVec3), axis: DVec3, is_hinge: bool) -> Self {
        if is_hinge {
            return Self { u, v, axis };
        }
        let normal = u.cross(v) / (u.length_squared() * v.length_squared()).sqrt();
        let normal = if normal.dot(axis) < 0.0 { -normal } else { normal };
        let rest = axis.reject_from(u) * (STRAIGHT - normal.length()).max(0.0);
        Self { u, v, axis: direction_or(normal + rest, perpendicular(u)) }
    }

    /// The turns that put the end at `goal`, as seen from the start; as near as it comes where that is out of reach.
    #[inline]
    pub(crate) fn turns(&self, goal: DVec3) -> Turns {
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
            // The sine of what is left of the bend.
            let rest = -((size - m) * (size + m)).sqrt();
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

/// Puts a rotation of the world on top of a joint's; of a hinge what of it is about its axis.
///
/// - `world_from_joint`: the rotation that the joint has
/// - `q`: the values of all joints
pub(crate) fn turn_joint(
    skeleton: &Skeleton,
    joint: usize,
    world_from_joint: DQuat,
    turn: DQuat,
    q: &mut [f64],
) {
    if let JointKind::Revolute { axis } = skeleton.kind(joint) {
        let about = turn.xyz().dot(world_from_joint * axis);
        q[skeleton.value_range(joint).start] += 2.0 * atan2(about, turn.w);
        return;
    }
    let Some(place) = rotation_place(skeleton, joint) else { return };
    let now = DQuat::from_slice(&q[place..place + 4]);
    let new = now * (world_from_joint.conjugate() * turn * world_from_joint);
    (new * (1.0 / new.length())).write_to_slice(&mut q[place..place + 4]);
}

/// Moves a joint away from its parent, by a factor of how far it is.
pub(crate) fn stretch_joint(skeleton: &Skeleton, joint: usize, factor: f64, q: &mut [f64]) {
    let place = skeleton.value_range(joint).start;
    let parent_from_joint = skeleton.parent_from_joint(joint);
    let offset = parent_from_joint.rotation.conjugate() * parent_from_joint.translation;
    let now = DVec3::from_slice(&q[place..place + 3]);
    ((now + offset) * factor - offset).write_to_slice(&mut q[place..place + 3]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use posekit::math::rotation_about;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = DVec3> {
        (-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    proptest! {
        #[test]
        fn the_end_arrives_wherever_both_bones_reach(u in vector(), v in vector(), goal in vector(), usual in vector()) {
            let (a, b) = (u.length(), v.length());
            prop_assume!(a > 0.1 && b > 0.1 && goal.length() > 0.01 && usual.length() > 0.1);
            prop_assume!(u.cross(v).length() > STRAIGHT * a * b);
            let reach = (a - b).abs()..a + b;
            prop_assume!(reach.contains(&goal.length()));
            let turns = Bend::new((u, v), usual / usual.length(), false).turns(goal);
            let end = turns.start * (u + turns.mid * v);
            prop_assert!((end - goal).length() < 1e-6, "{end} is not {goal}");
        }

        #[test]
        fn where_it_is_already_nothing_turns(u in vector(), v in vector()) {
            let axis = direction_or(u.cross(v), DVec3::ZERO);
            prop_assume!(u.length() > 0.1 && v.length() > 0.1 && (u + v).length() > 0.1 && axis != DVec3::ZERO);
            for is_hinge in [false, true] {
                let turns = Bend::new((u, v), axis, is_hinge).turns(u + v);
                prop_assert!(turns.start.xyz().length() < 1e-7 && turns.mid.xyz().length() < 1e-7);
            }
        }

        /// A hinge whose axis is at no right angle to its bones arrives as well, where it can.
        #[test]
        fn an_oblique_hinge_arrives(u in vector(), v in vector(), axis in vector(), bend in 0.0..3.0_f64) {
            prop_assume!(u.length() > 0.1 && v.length() > 0.1 && axis.length() > 0.1);
            let axis = axis / axis.length();
            let goal = DVec3::X * (u + rotation_about(axis, bend) * v).length();
            let turns = Bend::new((u, v), axis, true).turns(goal);
            prop_assert!((turns.start * (u + turns.mid * v)).distance(goal) < 1e-6);
        }

        /// A limb whose plane turns over while it is all but straight keeps its knee on one side while it must be bent.
        #[test]
        fn a_knee_stays_on_one_side_while_its_plane_is_noise(noise in -0.08..0.08_f64, aside in -0.01..0.01_f64, goal in 0.3..1.7_f64) {
            let u = DVec3::NEG_Y;
            let v = direction_or(DVec3::new(aside, -1.0, noise), DVec3::NEG_Y);
            let goal = DVec3::NEG_Y * goal;
            let turns = Bend::new((u, v), DVec3::X, false).turns(goal);
            let knee = turns.start * u;
            prop_assert!(knee.z > 0.9 * knee.x.abs(), "{knee}");
        }
    }
}
