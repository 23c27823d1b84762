//! The middle joint of a limb points at a pole.

use super::condition::{Condition, check_finite, largest};
use super::rows::{Frames, Row, Rows, Unit, Wrench};
use crate::Result;
use crate::math::{atan2, direction_or, length};
use crate::skeleton::Frame;
use glam::DVec3;

/// The middle joint of a limb points at a pole: a knee forward, an elbow down and outward.
///
/// It lies in the half-plane that begins at the limb's line, from its first joint to its tip, and contains the pole. The task rotates the limb
/// about that line only; other tasks, such as a [`Position`](super::Position) of the tip, fix the rest.
///
/// One row \[m\]: the arc about the line from the middle joint to that half-plane, times the sine of the angle between the pole and the line. With `t`
/// the direction of the line, `p` that of the pole, and `k` the middle joint, all seen from the first joint:
///
/// ```text
/// e = |h| |d| φ      φ = atan2(t · (h × d), h · d)      h = k − t (t · k)      d = p − t (t · p)
/// ```
///
/// # Degenerate cases
/// A straight limb, a pole on the line and a pole at the first joint satisfy the task, and near them the miss vanishes. A limb folded onto its
/// first joint has no line; its middle joint then points straight at the pole. Exactly opposite the pole both directions are equally good.
///
/// # Example: a knee
/// ```
/// use posekit::glam::DVec3;
/// use posekit::math::Pose;
/// use posekit::skeleton::{Frame, Joint, Skeleton};
/// use posekit::solve::{Method, Settings, solve};
/// use posekit::task::{Pole, Position};
///
/// let mut builder = Skeleton::builder();
/// let bone = -0.4 * DVec3::Y;
/// let hip = builder.add(Joint::ball("hip"));
/// let knee = builder.add(Joint::revolute("knee", DVec3::X).child_of(hip).at(Pose::from_translation(bone)));
/// let leg = builder.build()?;
/// let ankle = Frame::new(knee, Pose::from_translation(bone));
///
/// let foot = DVec3::new(0.1, -0.7, 0.0);
/// let forward = DVec3::new(0.0, -0.4, 2.0);
/// let tasks = [Position::new(ankle, foot).into(), Pole::new(leg.frame(hip), bone, ankle, forward).into()];
/// let solution = solve(&leg, &leg.neutral(), &tasks, Method::Auto, &Settings::default())?;
/// assert!(solution.is_reached());
/// let knee = leg.world_pose(&solution.configuration, knee)?.translation;
/// assert!(knee.z > 0.1, "forward");
/// # Ok::<(), posekit::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Pole {
    /// The upper bone: a frame that moves with it, its origin at the limb's first joint.
    pub upper: Frame,
    /// The middle joint, in that frame \[m\].
    pub mid_in_upper: DVec3,
    /// The tip of the limb.
    pub tip: Frame,
    /// The pole, in world coordinates \[m\].
    pub pole_in_world: DVec3,
}

impl Pole {
    /// The middle joint of the limb from `upper` to `tip` points at a pole.
    #[must_use]
    pub const fn new(upper: Frame, mid_in_upper: DVec3, tip: Frame, pole_in_world: DVec3) -> Self {
        Self { upper, mid_in_upper, tip, pole_in_world }
    }
}

impl Condition for Pole {
    fn frames(&self) -> [Option<Frame>; 2] {
        [Some(self.upper), Some(self.tip)]
    }

    fn rows(&self, [upper, tip]: &Frames, rows: &mut Rows) {
        let inverse = |length: f64| if length > 0.0 { length.recip() } else { 0.0 };
        let unit = |v: DVec3| direction_or(v, DVec3::ZERO);
        let line = tip.translation - upper.translation;
        let to_pole = self.pole_in_world - upper.translation;
        let (p, k) = (unit(to_pole), upper.rotation * self.mid_in_upper);
        let t = direction_or(line, direction_or(k.cross(p), k.any_orthonormal_vector()));
        let [h, d] = [k, p].map(|v| v - t * t.dot(v));
        let angle = atan2(t.dot(h.cross(d)), h.dot(d));
        // The gradients by h and by d, which are orthogonal to t; then by the line, and by the first joint through the direction of the pole.
        let by_h = (unit(h) * angle - t.cross(unit(h))) * length(d);
        let by_d = (unit(d) * angle + t.cross(unit(d))) * length(h);
        let by_line = (by_h * t.dot(k) + by_d * t.dot(p)) * -inverse(length(line));
        let by_first = (by_d - p * p.dot(by_d)) * -inverse(length(to_pole));
        let upper = Wrench { force: by_line - by_first, moment: by_h.cross(k) };
        let miss = length(h) * length(d) * angle;
        rows.push(Row::between(Unit::Length, miss, upper, Wrench::push(-by_line)));
    }

    fn rebase(&mut self, origin: DVec3, by: f64) {
        self.pole_in_world = (self.pole_in_world - origin) * by;
        self.mid_in_upper *= by;
    }

    fn largest_length(&self) -> f64 {
        largest(self.pole_in_world)
    }

    fn check(&self, task: usize) -> Result<()> {
        check_finite(self.pole_in_world.is_finite() && self.mid_in_upper.is_finite(), task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose;
    use alloc::vec::Vec;
    use core::f64::consts::PI;

    fn pole(mid: DVec3, pole_in_world: DVec3) -> Pole {
        let frame = Frame::new(0, Pose::IDENTITY);
        Pole::new(frame, mid, frame, pole_in_world)
    }

    #[test]
    fn gradient() {
        let task = pole(DVec3::new(0.02, -0.01, 0.03), DVec3::new(5.0, 3.0, -6.0));
        super::super::rows::testing::check_gradient(|frames, rows| task.rows(frames, rows));
    }

    /// The miss of a limb from the origin to 2 x, its middle joint at `mid`.
    fn rows(mid: DVec3, pole_in_world: DVec3, tip: DVec3) -> Vec<Row> {
        let mut rows = Vec::new();
        let frames = [Pose::IDENTITY, Pose::from_translation(tip)];
        pole(mid, pole_in_world).rows(&frames, &mut rows);
        let is_finite = |w: &Wrench| w.force.is_finite() && w.moment.is_finite();
        assert!(rows.iter().all(|row| row.reading.miss.is_finite()));
        assert!(rows.iter().all(|row| row.wrenches.iter().all(is_finite)));
        rows
    }

    #[test]
    fn miss_is_the_arc_about_the_line() {
        let miss = |mid: DVec3, pole: DVec3| rows(mid, pole, 2.0 * DVec3::X)[0].reading.miss.abs();
        let up = DVec3::new(1.0, 0.5, 0.0);
        assert!(miss(up, DVec3::Y) < 1e-16, "at the pole");
        assert!((miss(up, DVec3::Z) - 0.25 * PI).abs() < 1e-15, "beside it");
        assert!((miss(up, -DVec3::Y) - 0.5 * PI).abs() < 1e-15, "opposite");
        assert_eq!(miss(DVec3::X, DVec3::Y), 0.0, "a straight limb");
        assert_eq!(miss(up, 3.0 * DVec3::X), 0.0, "a pole on the line");
        assert_eq!(miss(up, DVec3::ZERO), 0.0, "a pole at the first joint");
        assert!(miss(up, DVec3::new(1.0, 0.0, 1e-9)) < 2e-9, "a pole next to the line");
        assert!(miss(up, DVec3::new(0.0, 1e300, 0.0)) < 1e-15, "a pole far away");
    }

    #[test]
    fn a_folded_limb_points_at_the_pole() {
        assert_eq!(rows(DVec3::X, DVec3::Y, DVec3::ZERO)[0].reading.miss, 0.5 * PI);
    }
}
