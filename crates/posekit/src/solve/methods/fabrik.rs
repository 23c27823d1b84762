//! FABRIK: forward and backward reaching on points.
//!
//! One iteration puts the effectors on their targets and drags the other points after them, one bone length apart, to the root (*backward*); then
//! it puts the root back and drags the points after it outward (*forward*): `p ← a + l (p − a) / |p − a|` for each point `p` and the one
//! before it, `a`. Aristidou and Lasenby 2011 \[aristidou11\]. On skeletons with axes, limits or branches the joints make the forward half.

use crate::chain::fabrik;
use crate::solve::points::Points;

pub(super) fn backward(points: &mut Points) {
    let n = points.dimension;
    let (bones, goals, at, branches) = points.parts();
    fabrik::backward(n, bones, at, goals, branches);
}

pub(super) fn forward(points: &mut Points) {
    let n = points.dimension;
    let (bones, _, at, branches) = points.parts();
    fabrik::forward(n, bones, at, branches);
}
