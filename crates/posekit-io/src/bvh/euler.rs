//! Conversion between rotations and Euler angles about the axes of a joint.
//!
//! The angles `alpha`, `beta`, `gamma` about the axes `i`, `j`, `k` describe the rotation `R = R_i(alpha) R_j(beta) R_k(gamma)`, the first channel
//! outermost. The axes are the three of a frame in some order; an odd order is the mirror image of an even one, in which all angles change sign. For the order
//! x, y, z, and with the signs changed for odd orders,
//!
//! ```text
//! R_ik = sin beta          R_jk = -sin alpha cos beta     R_kk = cos alpha cos beta
//! ```
//!
//! and, with alpha chosen, the rows j and k of `R_i(-alpha) R = R_j(beta) R_k(gamma)` give beta and gamma. So, whatever alpha is, the three
//! angles together are as close to the rotation as alpha allows, even where alpha hardly matters. Angles are radians here.

use core::f64::consts::{FRAC_PI_2, PI, TAU};

use posekit::glam::{DMat3, DQuat};
use posekit::math::{atan2, sin_cos, wrap_angle};

use super::file::Axis;

/// Below this cosine of the middle angle, the outer two rotate about the same axis, to rounding, and only their sum counts (gimbal lock). The error of such a pose from the
/// free choice is at most this large \[rad\]. A larger bound would show in the sixth decimal of a degree; with a smaller one noise would choose.
const LOCKED: f64 = 1e-9;

/// The rotation of angles about axes, the first outermost.
#[inline]
pub(super) fn rotation_of(turns: impl Iterator<Item = (Axis, f64)>) -> DQuat {
    let [mut x, mut y, mut z, mut w] = [0.0, 0.0, 0.0, 1.0];
    for (axis, angle) in turns {
        // In most files fingers and similar joints do not move.
        if angle == 0.0 {
            continue;
        }
        let (sin, cos) = sin_cos(0.5 * angle);
        // The product with a rotation about an axis of the frame: half of the general product would be products with zero.
        match axis {
            Axis::X => {
                [x, w] = [x * cos + w * sin, w * cos - x * sin];
                [y, z] = [y * cos + z * sin, z * cos - y * sin];
            }
            Axis::Y => {
                [y, w] = [y * cos + w * sin, w * cos - y * sin];
                [z, x] = [z * cos + x * sin, x * cos - z * sin];
            }
            Axis::Z => {
                [z, w] = [z * cos + w * sin, w * cos - z * sin];
                [x, y] = [x * cos + y * sin, y * cos - x * sin];
            }
        }
    }
    DQuat::from_xyzw(x, y, z, w)
}

/// [`rotation_of`] for three non-zero angles about three axes, as x, y, z, w: bit for bit the same, without its products with zero.
///
/// - `sign`: [`sign_of`] the axes
#[inline(always)]
pub(super) fn put_rotation_of_three(
    axes: [Axis; 3],
    sign: f64,
    angles: [f64; 3],
    to: &mut [f64; 4],
) {
    let [(si, ci), (sj, cj), (sk, ck)] = angles.map(|angle| sin_cos(0.5 * angle));
    // The product of two rotations, then of all three.
    let (a, b, c, w) = (si * cj, ci * sj, sign * (si * sj), ci * cj);
    let s = sign * sk;
    let [i, j, k] = axes.map(Axis::index);
    (to[i], to[j]) = (a * ck + b * s, b * ck - a * s);
    (to[k], to[3]) = (c * ck + w * sk, w * ck - c * sk);
}

/// 1 for an even order of axes, -1 for an odd one.
#[inline]
pub(super) const fn sign_of(axes: [Axis; 3]) -> f64 {
    match (axes[0], axes[1]) {
        (Axis::X, Axis::Y) | (Axis::Y, Axis::Z) | (Axis::Z, Axis::X) => 1.0,
        _ => -1.0,
    }
}

/// Of the angles that differ from one by whole turns, the one nearest to another.
#[inline]
pub(super) fn nearest(angle: f64, near: f64, turn: f64) -> f64 {
    if (near - angle).abs() < 0.5 * turn {
        return angle;
    }
    let turns = ((near - angle) / turn).round();
    // Adding zero turns would still round.
    if turns == 0.0 { angle } else { angle + turns * turn }
}

/// The three angles about three axes of a rotation: of all solutions the one nearest to `near`.
///
/// # Degenerate cases
/// In gimbal lock, with the middle angle a right angle to rounding, the outer two share the rotation so that both stay as near as possible.
pub(super) fn three_turns(rotation: DQuat, axes: [Axis; 3], near: [f64; 3]) -> [f64; 3] {
    let seen = Seen::new(rotation, axes);
    let near = near.map(|angle| seen.sign * angle);
    let candidates = match seen.locked() {
        Some((side, sum)) => {
            let share = 0.5 * wrap_angle(sum - (near[2] + side * near[0]));
            [seen.turns(near[0] + side * share); 2]
        }
        None => seen.both(),
    };
    let [a, b] = candidates;
    let a = brought_near(a, near);
    let off = distance(a, near);
    // If these differ from `near` by less than a right angle in total, the other solution is farther: its outer angles are half a turn from these.
    let best = if off < FRAC_PI_2 * FRAC_PI_2 {
        a
    } else {
        let b = brought_near(b, near);
        if distance(b, near) < off { b } else { a }
    };
    best.map(|angle| seen.sign * angle)
}

/// The two angles about two axes closest to a rotation, nearest to `near`; the part that would need a third axis is dropped.
pub(super) fn two_turns(rotation: DQuat, axes: [Axis; 2], near: [f64; 2]) -> [f64; 2] {
    let third = Axis::ALL[3 - axes[0].index() - axes[1].index()];
    let seen = Seen::new(rotation, [axes[0], axes[1], third]);
    let near = [seen.sign * near[0], seen.sign * near[1], 0.0];
    let candidates = match seen.locked() {
        Some((side, sum)) => [seen.turns(side * sum); 2],
        None => seen.both(),
    };
    let [a, b] = candidates.map(|turns| brought_near(turns, near));
    let missed = |turns: [f64; 3]| turns[2].abs();
    // Of the third angle and its opposite, one is below a right angle.
    let is_b =
        missed(b) < missed(a) || (missed(b) == missed(a) && distance(b, near) < distance(a, near));
    let best = if is_b { b } else { a };
    [seen.sign * best[0], seen.sign * best[1]]
}

/// The angle about an axis that is closest to a rotation, nearest to `near`.
///
/// # Degenerate cases
/// For half a turn about a perpendicular axis all angles are equally close, and it is `near`.
pub(super) fn one_turn(rotation: DQuat, axis: Axis, near: f64) -> f64 {
    let along = rotation.xyz()[axis.index()];
    if along == 0.0 && rotation.w == 0.0 {
        return near;
    }
    nearest(2.0 * atan2(along, rotation.w), near, TAU)
}

/// A rotation in the axes' order, mirrored if that is odd.
struct Seen {
    /// Rows and columns in the order of the axes.
    m: [[f64; 3]; 3],
    /// -1 for an odd order, whose angles change sign.
    sign: f64,
}

impl Seen {
    fn new(rotation: DQuat, axes: [Axis; 3]) -> Self {
        let sign = sign_of(axes);
        let [x, y, z] = axes.map(|axis| sign * rotation.xyz()[axis.index()]);
        // Column by column, the order of the matrix.
        let [i, j, k] = DMat3::from_quat(DQuat::from_xyzw(x, y, z, rotation.w)).to_cols_array_2d();
        let m = core::array::from_fn(|row| [i[row], j[row], k[row]]);
        Self { m, sign }
    }

    /// The cosine of the middle angle, which is never negative.
    fn cos_beta(&self) -> f64 {
        let [x, y] = [self.m[2][2], self.m[1][2]];
        (x * x + y * y).sqrt()
    }

    /// In gimbal lock: the sign of the middle angle (1 or -1), and the last angle plus the first times that sign.
    fn locked(&self) -> Option<(f64, f64)> {
        let m = &self.m;
        let sum = || atan2(m[1][0], m[1][1]);
        (self.cos_beta() < LOCKED).then(|| (if m[0][2] < 0.0 { -1.0 } else { 1.0 }, sum()))
    }

    /// The two solutions of a pose without gimbal lock: the outer angles of one are half a turn from those of the other, the middle one is mirrored.
    fn both(&self) -> [[f64; 3]; 2] {
        let m = &self.m;
        let (y, x, size) = (-m[1][2], m[2][2], self.cos_beta());
        // The angles for this alpha from its sine and cosine, which are known: so no computation waits for another.
        let (sin, cos) = (y / size, x / size);
        let alpha = atan2(y, x);
        let beta = atan2(m[0][2], size);
        let gamma = atan2(cos * m[1][0] + sin * m[2][0], cos * m[1][1] + sin * m[2][1]);
        [[alpha, beta, gamma], [alpha + PI, PI - beta, gamma + PI]]
    }

    /// The three angles, the first given.
    fn turns(&self, alpha: f64) -> [f64; 3] {
        let m = &self.m;
        let (sin, cos) = sin_cos(alpha);
        let beta = atan2(m[0][2], cos * m[2][2] - sin * m[1][2]);
        let gamma = atan2(cos * m[1][0] + sin * m[2][0], cos * m[1][1] + sin * m[2][1]);
        [alpha, beta, gamma]
    }
}

fn brought_near(turns: [f64; 3], near: [f64; 3]) -> [f64; 3] {
    core::array::from_fn(|turn| nearest(turns[turn], near[turn], TAU))
}

/// Sum of the squares of the differences.
fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|turn| (a[turn] - b[turn]) * (a[turn] - b[turn])).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use posekit::math::{rotation_about, so3_log};
    use proptest::prelude::*;

    /// All orders of three axes.
    fn orders() -> Vec<[Axis; 3]> {
        let all = Axis::ALL;
        let mut orders = Vec::new();
        for i in 0..3 {
            for j in (0..3).filter(|&j| j != i) {
                orders.push([all[i], all[j], all[3 - i - j]]);
            }
        }
        orders
    }

    fn composed(axes: &[Axis], turns: &[f64]) -> DQuat {
        rotation_of(axes.iter().copied().zip(turns.iter().copied()))
    }

    fn apart(a: DQuat, b: DQuat) -> f64 {
        so3_log(a.inverse() * b).length()
    }

    #[test]
    fn the_first_turn_is_the_outermost() {
        let axes = [Axis::Z, Axis::X, Axis::Y];
        let rotation = composed(&axes, &[FRAC_PI_2, FRAC_PI_2, 0.0]);
        // About x first, y goes to z, which the turn about z leaves.
        let turned = rotation * Axis::Y.unit();
        assert!((turned - Axis::Z.unit()).length() < 1e-15, "{turned}");
    }

    #[test]
    fn a_locked_pose_keeps_the_split_it_came_with() {
        for axes in orders() {
            for beta in [FRAC_PI_2, -FRAC_PI_2, FRAC_PI_2 + TAU] {
                let turns = [0.7, beta, -0.4];
                let rotation = composed(&axes, &turns);
                let found = three_turns(rotation, axes, turns);
                for turn in 0..3 {
                    assert!((found[turn] - turns[turn]).abs() < 1e-9, "{axes:?}: {found:?}");
                }
                // From elsewhere the pose is still right, and both outer turns go equally far.
                let near = [0.5, beta - 0.1, -0.5];
                let found = three_turns(rotation, axes, near);
                assert!(apart(composed(&axes, &found), rotation) < 1e-14, "{axes:?}: {found:?}");
                let moved = [found[0] - near[0], found[2] - near[2]];
                assert!((moved[0].abs() - moved[1].abs()).abs() < 1e-9, "{axes:?}: {moved:?}");
                assert!(moved[0].abs() < 0.2, "{axes:?}: {moved:?}");
            }
        }
    }

    #[test]
    fn two_turns_that_made_it_are_found() {
        for axes in orders() {
            for turns in [[0.3, 2.9], [-3.0, 0.1], [9.0, -4.0], [1.0, FRAC_PI_2], [0.0, 0.0]] {
                let pair = [axes[0], axes[1]];
                let found = two_turns(composed(&pair, &turns), pair, turns);
                for turn in 0..2 {
                    assert!(
                        (found[turn] - turns[turn]).abs() < 1e-9,
                        "{pair:?}: {turns:?} {found:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn one_turn_is_the_best_one() {
        let tilted = rotation_about(Axis::Y.unit(), 2.0) * rotation_about(Axis::X.unit(), 0.4);
        let best = one_turn(tilted, Axis::Y, 8.0);
        let miss = |angle: f64| apart(rotation_about(Axis::Y.unit(), angle), tilted);
        assert!((best - 8.0).abs() <= PI, "{best} is near");
        assert!(miss(best) < miss(best + 0.01) && miss(best) < miss(best - 0.01), "{best}");
        let across = rotation_about(Axis::X.unit(), PI);
        assert_eq!(one_turn(DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0), Axis::Y, 0.3), 0.3);
        assert!(one_turn(across, Axis::Y, 0.3).is_finite(), "half a turn across");
    }

    proptest! {
        #[test]
        fn three_turns_at_once_are_the_same_bits(
            order in 0_usize..6, alpha in -7.0..7.0, beta in -7.0..7.0, gamma in -7.0..7.0
        ) {
            let (axes, turns) = (orders()[order], [alpha, beta, gamma]);
            prop_assume!(turns.iter().all(|turn| *turn != 0.0));
            let mut found = [0.0; 4];
            put_rotation_of_three(axes, sign_of(axes), turns, &mut found);
            let right = composed(&axes, &turns).to_array();
            prop_assert_eq!(found.map(f64::to_bits), right.map(f64::to_bits));
        }

        /// Also close to the locked poses, where one turn alone is hardly known.
        #[test]
        fn turns_come_back_and_make_the_rotation(
            order in 0_usize..6, alpha in -7.0..7.0, gamma in -7.0..7.0, side in prop::bool::ANY,
            small in prop::sample::select(vec![0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-3, 0.1, 1.0]),
            off in prop::bool::ANY
        ) {
            let axes = orders()[order];
            let beta = if side { FRAC_PI_2 } else { -FRAC_PI_2 } + if off { small } else { -small };
            let turns = [alpha, beta, gamma];
            let rotation = composed(&axes, &turns);
            let found = three_turns(rotation, axes, turns);
            prop_assert!(apart(composed(&axes, &found), rotation) < 3e-9, "{:?}", found);
            if small > 2.0 * LOCKED {
                prop_assert!(apart(composed(&axes, &found), rotation) < 1e-14, "{:?}", found);
            }
            for turn in 0..3 {
                prop_assert!((found[turn] - turns[turn]).abs() < 1e-6, "{:?} {:?}", found, turns);
            }
        }
    }
}
