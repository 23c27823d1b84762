//! How far, and how near, a chain reaches.

/// The distances from the root that the tip of a chain can have when its joints are free: `inner..=outer`.
///
/// The outer radius is the sum of the lengths. The inner radius is what the longest bone exceeds all others by, and 0
/// when it does not. Both are exact for joints without limits in two dimensions or more, and bounds for limited ones:
/// a target outside is unreachable, proven; a target inside may still be held off by limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// Smallest possible distance.
    pub inner: f64,
    /// Largest possible distance.
    pub outer: f64,
    /// The longest bone so far: what the inner radius is made of.
    pub(crate) longest: f64,
}

impl Reach {
    /// No bone at all: only the root itself.
    pub const POINT: Self = Self { inner: 0.0, outer: 0.0, longest: 0.0 };

    /// The reach with one more bone of a fixed length.
    #[must_use]
    pub fn with_bone(self, length: f64) -> Self {
        self.with_slide(length, length)
    }

    /// The reach with one more bone whose length may be anything in `shortest..=longest` (a prismatic joint).
    #[must_use]
    pub fn with_slide(self, shortest: f64, longest: f64) -> Self {
        let outer = self.outer + longest;
        // The distance that remains when one bone points against all others, for the best choice of that bone.
        let inner = (self.inner - longest).max(shortest - self.outer).max(0.0);
        Self { inner, outer, longest: self.longest.max(longest) }
    }

    /// The reach of bones of fixed lengths: as [`with_bone`](Self::with_bone) for each, in one sum and one comparison a bone.
    pub(crate) fn of_bones(lengths: impl Iterator<Item = f64>) -> Self {
        let (mut outer, mut longest) = (0.0, 0.0);
        for length in lengths {
            outer += length;
            longest = if length > longest { length } else { longest };
        }
        Self { inner: (longest - (outer - longest)).max(0.0), outer, longest }
    }

    /// The reach in other units.
    pub(crate) fn scaled(self, by: f64) -> Self {
        Self { inner: self.inner * by, outer: self.outer * by, longest: self.longest * by }
    }

    /// How far a distance lies outside the reach: 0 inside.
    ///
    /// A distance beyond an edge by at most 1e-12 of the outer radius is rounding and counts as on it.
    #[must_use]
    pub fn shortfall(self, distance: f64) -> f64 {
        let beyond = (distance - self.outer).max(self.inner - distance);
        if beyond <= 1e-12 * self.outer { 0.0 } else { beyond }
    }
}

#[cfg(test)]
mod tests {
    use super::Reach;

    #[test]
    fn inner_radius_is_what_the_longest_bone_exceeds_the_rest_by() {
        let of = |lengths: &[f64]| {
            let reach = lengths.iter().fold(Reach::POINT, |r, &l| r.with_bone(l));
            assert_eq!(reach, Reach::of_bones(lengths.iter().copied()), "at once");
            reach
        };
        assert_eq!((of(&[3.0, 1.0]).inner, of(&[3.0, 1.0]).outer), (2.0, 4.0), "two bones");
        assert_eq!(of(&[1.0, 5.0, 1.0]).inner, 3.0, "the longest in the middle");
        assert_eq!(of(&[1.0, 1.0, 1.0]).inner, 0.0, "equal bones meet their root");
        assert_eq!(of(&[1.0, 1.0]).shortfall(2.5), 0.5, "too far");
        assert_eq!(of(&[3.0, 1.0]).shortfall(1.5), 0.5, "too near");
    }
}
