//! What can change over time: numbers and points. Rotations have a file of their own.

use core::fmt::Debug;

use posekit::glam::DVec3;

use crate::error::{Error, Result};

/// What a curve can be made of: numbers ([`f64`]), points ([`DVec3`]) and rotations ([`posekit::glam::DQuat`]).
pub trait Animated: Copy + PartialEq + Debug {
    /// How a value changes, per second: for a rotation its angular velocity in its own frame \[rad/s\].
    type Rate: Copy + PartialEq + Debug + Default;

    /// A cubic from one key to the next, ready to be asked for many values.
    type Cubic: Copy + Debug;

    /// The value in proportion between two: 0 is the first, 1 the second. Where they are the same, so is what is between them.
    #[must_use]
    fn between(from: Self, to: Self, part: f64) -> Self;

    /// The steady rate that leads from one value to another.
    ///
    /// - `span`: the time for it \[s\], not 0
    fn steady_rate(from: Self, to: Self, span: f64) -> Self::Rate;

    /// `weight` of the first rate, and the rest of the second.
    fn mean_rate(rates: [Self::Rate; 2], weight: f64) -> Self::Rate;

    /// The cubic between two values that has these rates at its ends.
    ///
    /// - `span`: the time from end to end \[s\], more than 0
    fn cubic(ends: [Self; 2], rates: [Self::Rate; 2], span: f64) -> Self::Cubic;

    /// Value and rate at a part of a cubic, from 0 to 1.
    fn at(cubic: &Self::Cubic, part: f64) -> (Self, Self::Rate);

    /// How far two values are apart: a difference, a distance, or an angle \[rad\].
    #[must_use]
    fn distance(self, other: Self) -> f64;

    /// The value as a key may have it: finite, and a rotation of unit length.
    ///
    /// # Errors
    /// [`Error::NonFinite`] with the index; [`Error::NotUnit`] for a quaternion that is not of unit length, within 0.001.
    fn checked(self, index: usize) -> Result<Self>;

    /// True for a rate of finite numbers.
    fn is_finite_rate(rate: Self::Rate) -> bool;
}

/// A cubic of points, by its ends and the rates at them, which are per span here.
#[derive(Debug, Clone, Copy)]
pub struct Hermite<T> {
    /// The values at the ends.
    pub(super) ends: [T; 2],
    /// The rates at the ends, times the span.
    pub(super) rates: [T; 2],
    /// From end to end \[s\].
    pub(super) span: f64,
}

/// The four weights of a cubic, of ends and rates, at a part of it.
///
/// The two weights of the ends add up to 1 exactly, so that a cubic between equal values at rest stays there.
pub(super) fn hermite(part: f64) -> [f64; 4] {
    let (t, s) = (part, 1.0 - part);
    let second = t * t * (3.0 - 2.0 * t);
    [1.0 - second, second, t * s * s, -t * t * s]
}

/// How the weights change with the part.
pub(super) fn hermite_rates(part: f64) -> [f64; 4] {
    let (t, s) = (part, 1.0 - part);
    [-6.0 * t * s, 6.0 * t * s, s * (1.0 - 3.0 * t), t * (3.0 * t - 2.0)]
}

/// What adds up and scales goes in proportion; the size of a difference is the distance.
macro_rules! animate_in_proportion {
    ($value:ty, $size:ident) => {
        impl Animated for $value {
            type Rate = Self;
            type Cubic = Hermite<Self>;

            fn between(from: Self, to: Self, part: f64) -> Self {
                from + (to - from) * part
            }

            fn steady_rate(from: Self, to: Self, span: f64) -> Self {
                (to - from) / span
            }

            fn mean_rate([first, second]: [Self; 2], weight: f64) -> Self {
                first * weight + second * (1.0 - weight)
            }

            fn cubic(ends: [Self; 2], rates: [Self; 2], span: f64) -> Hermite<Self> {
                Hermite { ends, rates: rates.map(|rate| rate * span), span }
            }

            fn at(cubic: &Hermite<Self>, part: f64) -> (Self, Self) {
                let ([from, to], [leave, arrive]) = (cubic.ends, cubic.rates);
                let [_, w1, w2, w3] = hermite(part);
                let [_, r1, r2, r3] = hermite_rates(part);
                let value = from + ((to - from) * w1 + leave * w2 + arrive * w3);
                (value, ((to - from) * r1 + leave * r2 + arrive * r3) / cubic.span)
            }

            fn distance(self, other: Self) -> f64 {
                (self - other).$size()
            }

            fn checked(self, index: usize) -> Result<Self> {
                if self.is_finite() {
                    Ok(self)
                } else {
                    Err(Error::NonFinite { what: "keys", index })
                }
            }

            fn is_finite_rate(rate: Self) -> bool {
                rate.is_finite()
            }
        }
    };
}

animate_in_proportion!(f64, abs);
animate_in_proportion!(DVec3, length);
