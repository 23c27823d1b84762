//! Two frames coincide: the cut of a closed loop.

use super::condition::{Condition, check_direction};
use super::rows::{Frames, Row, Rows, Unit, Wrench, push_axes};
use crate::Result;
use crate::math::{direction_or, so3_log, so3_right_jacobian_inverse};
use crate::skeleton::Frame;
use glam::DVec3;

/// How much of two frames coincides.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Link {
    /// Their origins, with any rotation: a ball joint. Three rows.
    Ball,
    /// Their origins and one axis: a hinge. The axis, in each of the two frames, is of any length but zero. Six rows.
    Hinge([DVec3; 2]),
    /// Everything. Six rows.
    Weld,
}

/// Two frames coincide. A skeleton is a tree; a mechanism with a loop is cut at one joint, and this task closes the loop.
///
/// Rows: the gap from the first origin to the second \[m\], in world axes; then differences of unit axes \[1\] for a hinge, the rotation
/// vector from the second to the first \[rad\] for a weld.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Closure {
    /// The two frames, one on each side of the cut.
    pub frames: [Frame; 2],
    /// The joint at the cut.
    pub link: Link,
}

impl Closure {
    /// Two frames, and how much of them coincides.
    #[must_use]
    pub const fn new(frames: [Frame; 2], link: Link) -> Self {
        Self { frames, link }
    }
}

impl Condition for Closure {
    fn frames(&self) -> [Option<Frame>; 2] {
        self.frames.map(Some)
    }

    fn rows(&self, [a, b]: &Frames, rows: &mut Rows) {
        let gap = b.translation - a.translation;
        push_axes(rows, DVec3::AXES, |k, axis| {
            Row::between(Unit::Length, -gap[k], -Wrench::push(axis), Wrench::push(axis))
        });
        match self.link {
            Link::Ball => {}
            Link::Hinge([in_a, in_b]) => {
                let axis_a = a.rotation * direction_or(in_a, DVec3::ZERO);
                let axis_b = b.rotation * direction_or(in_b, DVec3::ZERO);
                push_axes(rows, DVec3::AXES, |k, unit| {
                    let (a, b) = (axis_a.cross(unit), axis_b.cross(unit));
                    let miss = axis_a[k] - axis_b[k];
                    Row::between(Unit::Chord, miss, -Wrench::twist(a), Wrench::twist(b))
                });
            }
            Link::Weld => {
                let miss = so3_log(a.rotation * b.rotation.conjugate());
                // Rotating the first frame by ω makes the miss log(exp(ω) exp(miss)), the second log(exp(miss) exp(−ω)).
                let by_b = so3_right_jacobian_inverse(miss).transpose();
                let by_a = so3_right_jacobian_inverse(-miss).transpose();
                push_axes(rows, DVec3::AXES, |k, _| {
                    let (a, b) = (Wrench::twist(by_a.col(k)), Wrench::twist(by_b.col(k)));
                    Row::between(Unit::Angle, miss[k], -a, b)
                });
            }
        }
    }

    fn rebase(&mut self, _: DVec3, _: f64) {}

    fn is_alike(&self, other: &Self) -> bool {
        self.frames == other.frames && self.link == other.link
    }

    fn check(&self, task: usize) -> Result<()> {
        match self.link {
            Link::Hinge(axes) => axes.iter().try_for_each(|&axis| check_direction(axis, task)),
            Link::Ball | Link::Weld => Ok(()),
        }
    }
}

#[cfg(test)]
#[test]
fn gradient() {
    let frames = [Frame::new(0, crate::math::Pose::IDENTITY); 2];
    let axes = [DVec3::new(0.0, 2.0, 0.3), DVec3::new(1.0, 1.0, -1.0)];
    for link in [Link::Ball, Link::Hinge(axes), Link::Weld] {
        let task = Closure::new(frames, link);
        super::rows::testing::check_gradient(|frames, rows| task.rows(frames, rows));
    }
}
