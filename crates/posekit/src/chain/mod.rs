//! Chains: points held at fixed distances, in any dimension.
//!
//! A chain has points and the distances between neighbours, but no rotations. That is all that constraint
//! relaxation ([`relaxation`]), FABRIK ([`fabrik`]) and the direct solver of free chains ([`direct`]) need, and it is
//! why they work in any dimension. Branches are allowed: a point may have several children (a *sub-base*).
//!
//! The functions of this module are single steps on flat buffers. [`solve::solve_chain`](crate::solve::solve_chain)
//! runs them to the end, and [`solve::solve`](crate::solve::solve) runs them on the joints of a skeleton.

pub mod direct;
pub mod fabrik;
mod reach;
pub mod relaxation;
mod space;

pub use direct::DirectWorkspace;
pub use reach::Reach;
pub(crate) use space::{Any, Fixed, Space, in_space};

use crate::math::sqrt;
use crate::{Error, ErrorKind, Result};
use alloc::vec;
use alloc::vec::Vec;

/// Points and the distances to their parents: the shape that the chain solvers move.
///
/// Point 0 is the root and never moves. Every other point has a parent that comes before it; in an unbranched chain
/// that is the point just before. Points are stored flat, `dimension` numbers each.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    pub(crate) dimension: usize,
    pub(crate) points: Vec<f64>,
    pub(crate) parents: Vec<usize>,
    pub(crate) lengths: Vec<f64>,
    pub(crate) weights: Vec<f64>,
    is_path: bool,
}

impl Default for Chain {
    /// A chain of one point, the root, at the origin of the plane.
    fn default() -> Self {
        Self {
            dimension: 2,
            points: vec![0.0; 2],
            parents: vec![0],
            lengths: vec![0.0],
            weights: vec![1.0],
            is_path: true,
        }
    }
}

impl Chain {
    /// An unbranched chain through the given points, root first, tip last.
    ///
    /// - `points`: `n_points * dimension` numbers; the distances between neighbours become the lengths
    ///
    /// # Errors
    /// `Error::is_wrong_length` if the numbers do not fill whole points or there is no point, `Error::is_not_finite` for a
    /// coordinate that is NaN or infinite, `Error::is_out_of_range` for dimension 0.
    pub fn try_new(dimension: usize, points: &[f64]) -> Result<Self> {
        let n_points = points.len().checked_div(dimension).unwrap_or(0);
        let parents: Vec<usize> = (0..n_points).map(|i| i.saturating_sub(1)).collect();
        Self::try_tree(dimension, points, &parents)
    }

    /// A branched chain: `parents[i]` is the parent of point `i`; `parents[0]` is 0, the root itself.
    ///
    /// # Errors
    /// As [`Chain::try_new`], and `Error::is_out_of_range` for a parent that does not come before its child.
    pub fn try_tree(dimension: usize, points: &[f64], parents: &[usize]) -> Result<Self> {
        if dimension == 0 {
            return Err(out_of_range("dimension", 0, 0.0, "at least 1"));
        }
        if points.is_empty() || points.len() != parents.len() * dimension {
            let expected = (points.len() / dimension).max(1) * dimension;
            return Err(ErrorKind::Length { what: "points", expected, found: points.len() }.into());
        }
        check_finite("points", points)?;
        for (i, &parent) in parents.iter().enumerate() {
            if parent >= i.max(1) {
                return Err(out_of_range(
                    "parents",
                    i,
                    parent as f64,
                    "less than the point's own index",
                ));
            }
        }
        let lengths = (0..parents.len())
            .map(|i| distance(point(points, dimension, i), point(points, dimension, parents[i])))
            .collect();
        let weights = vec![1.0; parents.len()];
        let is_path = parents.iter().enumerate().all(|(i, &parent)| parent == i.saturating_sub(1));
        let (points, parents) = (points.to_vec(), parents.to_vec());
        Ok(Self { dimension, points, parents, lengths, weights, is_path })
    }

    /// A chain straight along the first axis from the origin.
    ///
    /// # Errors
    /// `Error::is_out_of_range` for dimension 0 or a negative length, `Error::is_not_finite` for a length that is NaN or
    /// infinite.
    ///
    /// # Example
    /// ```
    /// use posekit::chain::Chain;
    /// let chain = Chain::try_straight(2, &[1.0, 0.5])?;
    /// assert_eq!(chain.points(), [0.0, 0.0, 1.0, 0.0, 1.5, 0.0]);
    /// # Ok::<(), posekit::Error>(())
    /// ```
    pub fn try_straight(dimension: usize, lengths: &[f64]) -> Result<Self> {
        check_finite("lengths", lengths)?;
        if let Some(i) = lengths.iter().position(|&length| length < 0.0) {
            return Err(out_of_range("lengths", i, lengths[i], "at least 0"));
        }
        let mut points = vec![0.0; (lengths.len() + 1) * dimension];
        let mut x = 0.0;
        for (i, length) in lengths.iter().enumerate() {
            x += length;
            if let Some(first) = points.get_mut((i + 1) * dimension) {
                *first = x;
            }
        }
        let mut chain = Self::try_new(dimension, &points)?;
        chain.lengths[1..].copy_from_slice(lengths);
        Ok(chain)
    }

    /// Sets how readily each point moves in [`relaxation`]: at least 0, relative to its neighbours, default 1.
    ///
    /// The root and the effectors are held whatever their weight.
    ///
    /// # Errors
    /// `Error::is_wrong_length` unless there is one weight per point, `Error::is_not_finite` or `Error::is_out_of_range` for a
    /// weight that is not a number of at least 0.
    pub fn with_weights(mut self, weights: &[f64]) -> Result<Self> {
        check_weights(weights, self.n_points())?;
        self.weights.copy_from_slice(weights);
        Ok(self)
    }

    /// Sets the points and keeps the lengths, whatever the distances between the points: for a pose that was solved before, whose
    /// distances are exact up to rounding.
    ///
    /// # Errors
    /// `Error::is_wrong_length` unless there are as many numbers as before, `Error::is_not_finite` for one that is NaN or infinite. The chain is unchanged then.
    pub fn set_points(&mut self, points: &[f64]) -> Result<()> {
        check_length("points", points, self.points.len())?;
        check_finite("points", points)?;
        self.points.copy_from_slice(points);
        Ok(())
    }

    /// Numbers per point.
    #[must_use]
    pub const fn dimension(&self) -> usize {
        self.dimension
    }

    /// How many points there are, the root among them.
    #[must_use]
    pub fn n_points(&self) -> usize {
        self.parents.len()
    }

    /// All coordinates, `dimension` numbers a point, root first.
    #[must_use]
    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// The parent of each point; the root is its own.
    #[must_use]
    pub fn parents(&self) -> &[usize] {
        &self.parents
    }

    /// Distance of each point to its parent; 0 for the root.
    #[must_use]
    pub fn lengths(&self) -> &[f64] {
        &self.lengths
    }

    /// True when no point has more than one child.
    #[must_use]
    pub const fn is_path(&self) -> bool {
        self.is_path
    }

    /// The distances from the root that a point can have, over all poses of the chain.
    #[must_use]
    pub fn reach(&self, effector: usize) -> Reach {
        let tip = effector.min(self.n_points() - 1);
        let path = core::iter::successors(Some(tip), |&i| Some(self.parents[i]));
        Reach::of_bones(path.take_while(|&i| i > 0).map(|i| self.lengths[i]))
    }
}

/// What a step reads of a chain.
#[derive(Debug, Clone, Copy)]
pub struct Bones<'a> {
    /// Parent of each point; a root is its own.
    pub parents: &'a [usize],
    /// Distance of each point to its parent.
    pub lengths: &'a [f64],
    /// Weight of each point.
    pub weights: &'a [f64],
}

/// Which points have targets, and where.
#[derive(Debug, Clone, Copy)]
pub struct Goals<'a> {
    /// The points that have a target.
    pub effectors: &'a [usize],
    /// Their targets, flat, `dimension` numbers each.
    pub targets: &'a [f64],
}

/// Point `i` of a flat buffer.
#[inline]
pub(crate) fn point(points: &[f64], dimension: usize, i: usize) -> &[f64] {
    &points[i * dimension..(i + 1) * dimension]
}

/// Euclidean distance without overflow or underflow: for checks of input, not for loops.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    let largest = a.iter().zip(b).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    let sum: f64 = a.iter().zip(b).map(|(x, y)| ((x - y) / largest) * ((x - y) / largest)).sum();
    largest * sqrt(sum)
}

/// Refuses too many or too few numbers.
pub(crate) fn check_length(what: &'static str, values: &[f64], expected: usize) -> Result<()> {
    if values.len() == expected {
        return Ok(());
    }
    Err(ErrorKind::Length { what, expected, found: values.len() }.into())
}

/// Refuses NaN and infinities, naming the first.
pub(crate) fn check_finite(what: &'static str, values: &[f64]) -> Result<()> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(ErrorKind::NonFinite { what, index }.into()),
        None => Ok(()),
    }
}

/// Refuses weights that are not numbers of at least 0, or too many or too few of them.
pub(crate) fn check_weights(weights: &[f64], expected: usize) -> Result<()> {
    check_length("weights", weights, expected)?;
    check_finite("weights", weights)?;
    match weights.iter().position(|&weight| weight < 0.0) {
        Some(i) => Err(out_of_range("weights", i, weights[i], "at least 0")),
        None => Ok(()),
    }
}

pub(crate) fn out_of_range(
    what: &'static str,
    index: usize,
    value: f64,
    need: &'static str,
) -> Error {
    ErrorKind::OutOfRange { what, index, value, need }.into()
}
