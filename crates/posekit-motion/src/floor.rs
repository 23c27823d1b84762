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
}

/// The slopes along both axes that fit best; `None` without samples.
pub(super) fn fit(groups: &[Vec<Sample>], base: f64) -> Option<(f64, f64)> {
    // Sums of each group about its own mean: samples, ss, st, tt, sh, th.
    let mut sums: Vec<[f64; 6]> = groups.iter().map(|group| moments(group)).collect();
    let mut total = [0.0; 6];
    for (k, total) in total.iter_mut().enumerate() {
        // In the order of their sizes, so that left and right make no difference.
        sums.sort_by(|a, b| a[k].abs().total_cmp(&b[k].abs()));
        *total = sums.iter().map(|sums| sums[k]).sum();
    }
    let [n, ss, st, tt, sh, th] = total;
    // The slope is pulled to level as by as many samples on a level floor, apart by `base`.
    let (ss, tt) = (ss + n * base * base, tt + n * base * base);
    let determinant = ss * tt - st * st;
    (determinant > 0.0)
        .then(|| ((sh * tt - th * st) / determinant, (th * ss - sh * st) / determinant))
}

fn moments(group: &[Sample]) -> [f64; 6] {
    // Side by side: a sum by itself would wait for its own last addition.
    let [mut s_sum, mut t_sum, mut h_sum] = [0.0; 3];
    for x in group {
        s_sum += x.s;
        t_sum += x.t;
        h_sum += x.height;
    }
    let n = group.len() as f64;
    let (s_mean, t_mean, h_mean) = (s_sum / n, t_sum / n, h_sum / n);
    let mut sums = [n, 0.0, 0.0, 0.0, 0.0, 0.0];
    for Sample { s, t, height } in group {
        let (s, t, h) = (s - s_mean, t - t_mean, height - h_mean);
        let products = [s * s, s * t, t * t, s * h, t * h];
        for (sum, product) in sums[1..].iter_mut().zip(products) {
            *sum += product;
        }
    }
    sums
}
