//! Six joints as a chain of links, brought into the form that a family of closed forms wants.

use crate::arm::frame::Frame;
use crate::arm::kernel::{Joint, Link};
use crate::math::{atan2, sqrt};
use glam::{DMat3, DVec2, DVec3};

/// Joints of a chain.
pub(super) const SIX: usize = 6;

/// `base · Rz(θ₀) L₀ Rz(θ₁) … Rz(θ) · tool` of `J` joints, with `L = Trans(t) Rx(α)`.
#[derive(Debug, Clone)]
pub(super) struct Chain<const J: usize> {
    /// From each joint to the next; none behind the last.
    pub(super) links: [Link; J],
    /// `θ = sign · (x + angle)` for the value `x` of a joint.
    pub(super) signs: [f64; J],
    pub(super) angles: [f64; J],
    /// The inverses of both.
    base_back: Frame,
    tool_back: Frame,
    /// It leads from the tool to the base.
    is_reversed: bool,
}

impl<const J: usize> Chain<J> {
    /// All joints of an arm that has so many.
    pub(super) fn new(joints: &[Joint], tool: Frame) -> Option<Self> {
        let joints: &[Joint; J] = joints.try_into().ok()?;
        let mut chain = Self::start(tool);
        for (i, joint) in joints.iter().enumerate() {
            chain.angles[i] = joint.angle;
            if let Some(before) = i.checked_sub(1) {
                chain.links[before] = joint.link;
            }
        }
        Some(chain)
    }

    fn start(tool: Frame) -> Self {
        Self {
            links: [Joint::NONE.link; J],
            signs: [1.0; J],
            angles: [0.0; J],
            base_back: Frame::IDENTITY,
            tool_back: inverse(&tool),
            is_reversed: false,
        }
    }

    /// From the tool to the base: the last joint comes first.
    pub(super) fn reversed(mut self) -> Self {
        self.links[..J - 1].reverse();
        self.signs.reverse();
        self.angles.reverse();
        for link in &mut self.links[..J - 1] {
            let (sin, cos) = link.turn;
            link.turn = (-sin, cos);
            link.translation = -unrotated_x((sin, cos), link.translation);
        }
        self.signs = self.signs.map(|sign| -sign);
        let [base, tool] = [&self.base_back, &self.tool_back].map(inverse);
        (self.base_back, self.tool_back) = (tool, base);
        self.is_reversed = !self.is_reversed;
        self
    }

    /// Moves the frame of a joint along its axis.
    pub(super) fn slide(&mut self, joint: usize, by: f64) {
        match joint.checked_sub(1) {
            Some(before) => {
                let link = &mut self.links[before];
                link.translation += rotated_x(link.turn, DVec3::Z * by);
            }
            None => self.base_back.origin.z -= by,
        }
        if joint + 1 < J {
            self.links[joint].translation.z -= by;
        } else {
            self.tool_back.origin += self.tool_back.axes[2] * by;
        }
    }

    /// Reverses the axis of a joint.
    pub(super) fn flip(&mut self, joint: usize) {
        let flipped = |v: DVec3| DVec3::new(v.x, -v.y, -v.z);
        self.signs[joint] = -self.signs[joint];
        match joint.checked_sub(1) {
            Some(before) => flip_turn(&mut self.links[before]),
            None => {
                self.base_back.axes = self.base_back.axes.map(flipped);
                self.base_back.origin = flipped(self.base_back.origin);
            }
        }
        if joint + 1 < J {
            let link = &mut self.links[joint];
            link.translation = flipped(link.translation);
            flip_turn(link);
        } else {
            let [x, y, z] = self.tool_back.axes;
            self.tool_back.axes = [x, -y, -z];
        }
    }

    /// The pose `Rz(θ₁) L₁ … Rz(θ₆)` that brings the tool to a target.
    ///
    /// - `base`: of the arm in the frame of the target
    #[cfg_attr(feature = "simd", inline(always))]
    pub(super) fn wrist_for(&self, base: &Frame) -> Frame {
        let target = if self.is_reversed { *base } else { inverse(base) };
        product(&self.base_back, &product(&target, &self.tool_back))
    }

    /// Where joint `i` of the chain is in the arm, if joint `fixed` of the arm is not in the chain.
    pub(super) fn joint_in_arm(&self, i: usize, fixed: Option<usize>) -> usize {
        let i = if self.is_reversed { J - 1 - i } else { i };
        i + usize::from(fixed.is_some_and(|fixed| i >= fixed))
    }
}

impl Chain<SIX> {
    /// An arm with seven joints, one of which stays at an angle, given by its point on the circle.
    pub(super) fn fixing(joints: &[Joint], tool: Frame, fixed: usize, turn: DVec2) -> Option<Self> {
        let ([first, ..], true) = (joints, joints.len() == SIX + 1) else { return None };
        let mut chain = Self::start(tool);
        chain.angles[0] = first.angle;
        let rotation = (turn.y, turn.x);
        let mut links = joints[1..].iter().map(|joint| joint.link);
        let mut angles = joints.iter().map(|joint| joint.angle);
        if fixed == 0 {
            angles.next();
            chain.angles[0] = angles.next()?;
            let mut base = Frame::IDENTITY;
            base.turn(rotation);
            base.follow(&links.next()?);
            chain.base_back = inverse(&base);
        } else {
            angles.next();
        }
        for i in 1..SIX {
            let mut link = links.next()?;
            let mut angle = angles.next()?;
            if i == fixed {
                let merged = Merged::new(&link, turn, &links.next()?);
                link = merged.link;
                chain.angles[i - 1] += merged.before;
                angle = angles.next()? + merged.after;
            }
            (chain.links[i - 1], chain.angles[i]) = (link, angle);
        }
        if fixed == SIX {
            let mut last = Frame::IDENTITY;
            last.follow(&links.next()?);
            last.turn(rotation);
            chain.tool_back = inverse(&product(&last, &tool));
        }
        Some(chain)
    }
}

/// Two links with a fixed rotation between them, as one, between rotations about z that belong to the joints before and after.
struct Merged {
    before: f64,
    link: Link,
    after: f64,
}

impl Merged {
    fn new(first: &Link, turn: DVec2, second: &Link) -> Self {
        /// The axes of the joints are parallel: their common normal has no direction.
        const PARALLEL: f64 = 1e-12;
        let mut frame = Frame::IDENTITY;
        frame.follow(first);
        frame.turn((turn.y, turn.x));
        frame.follow(second);
        let [x, _, z] = frame.axes;
        let sin = sqrt(z.x * z.x + z.y * z.y);
        let (back, alpha) = match sin > PARALLEL {
            true => (DVec2::new(-z.y, -z.x) / sin, (sin, z.z)),
            false => (DVec2::X, (0.0, f64::copysign(1.0, z.z))),
        };
        // Rz(γ) = Rx(−α) Rz(−β) R, of which the first column is enough.
        let column = unrotated_x(alpha, turned(back, x));
        let link = Link { translation: turned(back, frame.origin), turn: alpha };
        Self { before: atan2(-back.y, back.x), link, after: atan2(column.y, column.x) }
    }
}

/// A vector rotated about z.
#[inline(always)]
pub(super) fn turned(turn: DVec2, v: DVec3) -> DVec3 {
    turn.rotate(v.truncate()).extend(v.z)
}

/// A vector rotated about x by the angle of a link.
#[inline(always)]
pub(super) fn rotated_x((sin, cos): (f64, f64), v: DVec3) -> DVec3 {
    DVec3::new(v.x, cos * v.y - sin * v.z, sin * v.y + cos * v.z)
}

/// The same, back.
#[inline(always)]
pub(super) fn unrotated_x((sin, cos): (f64, f64), v: DVec3) -> DVec3 {
    rotated_x((-sin, cos), v)
}

fn flip_turn(link: &mut Link) {
    let (sin, cos) = link.turn;
    link.turn = (-sin, -cos);
}

#[inline(always)]
pub(super) fn product(a: &Frame, b: &Frame) -> Frame {
    let of = |v: DVec3| a.axes[0] * v.x + a.axes[1] * v.y + a.axes[2] * v.z;
    Frame { axes: b.axes.map(of), origin: a.origin + of(b.origin) }
}

#[inline(always)]
pub(super) fn inverse(frame: &Frame) -> Frame {
    let [x, y, z] = frame.axes;
    let DMat3 { x_axis, y_axis, z_axis } = DMat3::from_cols(x, y, z).transpose();
    let p = frame.origin;
    Frame { axes: [x_axis, y_axis, z_axis], origin: -DVec3::new(x.dot(p), y.dot(p), z.dot(p)) }
}
