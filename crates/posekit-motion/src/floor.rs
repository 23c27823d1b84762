//! Finding the floor: a plane under the feet.

use posekit::glam::DVec3;

/// A plane that feet stand on: the lowest parts of the feet are on it when they stand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// A point of it.
    pub point: DVec3,
    /// Its normal, of unit length, on the side of up.
    pub normal: DVec3,
}

/// Which floor is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum FloorChoice {
    /// The plane that fits the feet when they stand, tilted if they say so. The default.
    #[default]
    Fit,
    /// A plane perpendicular to up.
    Level,
    /// Each plant has its own height: stairs, steps, rough ground.
    PerPlant,
    /// This one. What stays far from it does not stand.
    Given(Floor),
}

impl Floor {
    /// How high a point is above it.
    #[must_use]
    pub fn height(&self, point: DVec3) -> f64 {
        (point - self.point).dot(self.normal)
    }
}

/// Directions along a level floor: the two axes of the world that are most level, for the same numbers in a mirrored clip.
pub(super) fn level_axes(up: DVec3) -> (DVec3, DVec3) {
    let least = up.abs().min_position();
    let level = DVec3::AXES[least] - up * up[least];
    let first = level / level.length();
    (first, first.cross(up))
}

/// A place where a part of a foot keeps its height: along the two level axes, and up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub(super) s: f64,
    pub(super) t: f64,
    pub(super) height: f64,
    pub(super) weight: f64,
}

/// The slopes along both axes that fit best; `None` without samples.
pub(super) fn fit(groups: &[Vec<Sample>], base: f64) -> Option<(f64, f64)> {
    // Sums of each group about its own mean: weight, ss, st, tt, sh, th.
    let mut sums: Vec<[f64; 6]> = groups.iter().map(|group| moments(group)).collect();
    let mut total = [0.0; 6];
    for (k, total) in total.iter_mut().enumerate() {
        // In the order of their sizes, so that left and right make no difference.
        sums.sort_by(|a, b| a[k].abs().total_cmp(&b[k].abs()));
        *total = sums.iter().map(|sums| sums[k]).sum();
    }
    let [weight, ss, st, tt, sh, th] = total;
    if weight <= 0.0 {
        return None;
    }
    let prior = weight * base * base;
    // A believed slope is pulled to level like one more group of feet apart by `base`, a tenth as heavy.
    let (ss, tt) = (ss + 0.1 * prior, tt + 0.1 * prior);
    let determinant = ss * tt - st * st;
    (determinant > 0.0)
        .then(|| ((sh * tt - th * st) / determinant, (th * ss - sh * st) / determinant))
}

fn moments(group: &[Sample]) -> [f64; 6] {
    // Side by side: a sum by itself would wait for its own last addition.
    let [mut weight, mut s_sum, mut t_sum, mut h_sum] = [0.0; 4];
    for x in group {
        weight += x.weight;
        s_sum += x.weight * x.s;
        t_sum += x.weight * x.t;
        h_sum += x.weight * x.height;
    }
    if weight <= 0.0 {
        return [0.0; 6];
    }
    let (s_mean, t_mean, h_mean) = (s_sum / weight, t_sum / weight, h_sum / weight);
    let mut sums = [weight, 0.0, 0.0, 0.0, 0.0, 0.0];
    for Sample { s, t, height, weight } in group {
        let (s, t, h) = (s - s_mean, t - t_mean, height - h_mean);
        let products = [s * s, s * t, t * t, s * h, t * h];
        for (sum, product) in sums[1..].iter_mut().zip(products) {
            *sum += weight * product;
        }
    }
    sums
}

/// The height at which a part of a foot stands: the middle of the lowest tenth and what is little above it.
pub(super) fn lower_middle(heights: &[f64], scatter: f64) -> f64 {
    if heights.is_empty() {
        return 0.0;
    }
    let mut keys: Vec<i64> = heights.iter().map(|height| key(*height)).collect();
    let tenth = keys.len() / 10;
    let (_, &mut bottom, _) = keys.select_nth_unstable(tenth);
    let highest = of_key(bottom) + 2.0 * scatter;
    let n_low = heights.iter().filter(|height| **height <= highest).count();
    let rank = n_low / 2;
    // What is below the tenth is on its left by now, and what is above on its right.
    of_key(match rank.checked_sub(tenth + 1) {
        Some(rank) => *keys[tenth + 1..].select_nth_unstable(rank).1,
        None => *keys[..=tenth].select_nth_unstable(rank).1,
    })
}

/// An integer that is ordered as numbers are by `total_cmp`, and compared faster.
pub(super) const fn key(value: f64) -> i64 {
    let bits = value.to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

/// The number of a [`key`].
pub(super) const fn of_key(key: i64) -> f64 {
    f64::from_bits((key ^ ((key >> 63).cast_unsigned() >> 1).cast_signed()).cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_middle_is_what_sorting_finds() {
        let mut seed = 3_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        for n in [1, 2, 5, 9, 10, 11, 19, 20, 100, 401] {
            for scatter in [0.0, 0.01, 0.2, 1.0] {
                let heights: Vec<f64> = (0..n).map(|_| random() - 0.4).collect();
                let mut sorted = heights.clone();
                sorted.sort_by(f64::total_cmp);
                let bottom = sorted[n / 10];
                let n_low = sorted.iter().filter(|h| **h <= bottom + 2.0 * scatter).count();
                let found = lower_middle(&heights, scatter);
                assert_eq!(found.to_bits(), sorted[n_low / 2].to_bits(), "{n}, {scatter}");
            }
        }
        assert_eq!(lower_middle(&[f64::NAN; 3], 0.1).to_bits(), f64::NAN.to_bits());
        assert_eq!(lower_middle(&[], 0.1), 0.0);
    }
}
