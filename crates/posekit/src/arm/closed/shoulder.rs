//! Seven joints of which the first three and the last three meet in a point: a shoulder, an elbow, and a wrist.
//!
//! The elbow follows from the distance of the points, and moves on a circle about the line between them. Where on it, is the arm angle, from the plane that the line
//! makes with the first axis \[shimizu08\].

use super::chain::{Chain, rotated_x, turned, unrotated_x};
use super::circle::{NO_DIRECTION, inverse, line};
use super::plan::meet;
use super::six::{Branches, Given, meeting};
use crate::arm::frame::Frame;
use crate::math::sqrt;
use glam::{DMat3, DVec2, DVec3};

const SEVEN: usize = 7;

/// The arm, with the frames of its joints at the two points.
#[derive(Debug, Clone)]
pub(super) struct Shoulder {
    pub(super) chain: Chain<SEVEN>,
    /// By how much the axes miss the points \[units of length\].
    pub(super) deviation: f64,
}

impl Shoulder {
    pub(super) fn find(chain: &Chain<SEVEN>) -> Option<Self> {
        let mut chain = chain.clone();
        let deviation = meet(&mut chain, 0)?.max(meet(&mut chain, 4)?);
        let [_, _, upper, fore, ..] = chain.links;
        let is_off = |v: DVec3| v.truncate().length() > NO_DIRECTION;
        let is_regular =
            is_off(unrotated_x(upper.turn, upper.translation)) && is_off(fore.translation);
        is_regular.then_some(Self { chain, deviation })
    }

    /// All solutions with an arm angle.
    pub(super) fn solve(&self, wrist: &Frame, arm: DVec2, given: Given<'_>) -> Branches<SEVEN> {
        let mut branches = Branches::new([false; SEVEN]);
        let [_, _, upper, fore, ..] = &self.chain.links;
        let (t, u) = (unrotated_x(upper.turn, upper.translation), fore.translation);
        let squares = wrist.origin.length_squared() - t.length_squared() - u.length_squared();
        let across = DVec2::new(u.x * t.x + u.y * t.y, u.x * t.y - u.y * t.x);
        let elbows = line(across, 0.5 * squares - t.z * u.z, 0.0, || given(3));
        let in_base = self.plane(wrist, arm);
        for (i, elbow) in elbows.list.into_iter().take(elbows.len).enumerate() {
            let hand = upper.translation + rotated_x(upper.turn, turned(elbow, u));
            let shoulder = in_base * plane(hand, upper.translation).transpose();
            let three = meeting(shoulder.x_axis, shoulder.z_axis, &self.chain.links, || given(0));
            let from_base = shoulder.transpose();
            let forearm = |v: DVec3| {
                let v = unrotated_x(upper.turn, from_base * v);
                unrotated_x(fore.turn, turned(inverse(elbow), v))
            };
            let [x, z] = [wrist.axes[0], wrist.axes[2]].map(forearm);
            let last = meeting(x, z, &self.chain.links[4..], || given(4));
            for (j, [a, b, c]) in three.list.into_iter().take(three.len).enumerate() {
                for (k, [d, e, f]) in last.list.into_iter().take(last.len).enumerate() {
                    let turns = [a, b, c, elbow, d, e, f];
                    branches.set(4 * i + 2 * j + k, turns, elbows.is_exact);
                }
            }
        }
        branches
    }

    /// The arm angle of a configuration, seen along the line to a target.
    pub(super) fn arm(&self, wrist: &Frame, given: Given<'_>) -> DVec2 {
        let [first, second, upper, ..] = &self.chain.links;
        let v = turned(given(2), upper.translation);
        let v = turned(given(1), rotated_x(second.turn, v));
        let elbow = turned(given(0), rotated_x(first.turn, v));
        let plane = self.plane(wrist, DVec2::X);
        let arm = DVec2::new(plane.y_axis.dot(elbow), plane.z_axis.dot(elbow));
        let length = sqrt(arm.length_squared());
        if length > NO_DIRECTION { arm / length } else { DVec2::X }
    }

    /// The line to the wrist, the direction of the elbow across it, and the normal of both.
    fn plane(&self, wrist: &Frame, arm: DVec2) -> DMat3 {
        let DMat3 { x_axis, y_axis, z_axis } = plane(wrist.origin, DVec3::Z);
        let elbow = y_axis * arm.x + z_axis * arm.y;
        DMat3::from_cols(x_axis, elbow, z_axis * arm.x - y_axis * arm.y)
    }
}

/// A frame with its x along a vector and its y towards a point beside it.
fn plane(along: DVec3, beside: DVec3) -> DMat3 {
    let unit = |v: DVec3| {
        let length = sqrt(v.length_squared());
        (length > NO_DIRECTION).then(|| v / length)
    };
    let x = unit(along).unwrap_or(DVec3::Z);
    let across = |v: DVec3| unit(v - x * x.dot(v));
    // One of two axes is not in line with x.
    let y = across(beside).or_else(|| across(DVec3::X)).or_else(|| across(DVec3::Y));
    let y = y.unwrap_or(DVec3::Y);
    DMat3::from_cols(x, y, x.cross(y))
}
