//! When an arm can be where: time-optimal parameterization of a joint path.
//!
//! The path parameter `s` grows by the time that each segment takes at the least, by the given times and by velocity limits, so that speeds `ds/dt` of at most
//! 1 keep both. With `u = (ds/dt)²` and `w = d²s/dt²`, accelerations are linear:
//!
//! ```text
//! |x″ u + x′ w| ≤ a,    u[k+1] = u[k] + 2 ds w,    0 ≤ u ≤ 1,    u = 0 at both ends
//! ```
//!
//! at both ends of the interval from `k` to `k + 1`. A pass from the end finds the greatest `u` at each point from which the rest can be done, a pass from the
//! start takes the greatest speed below it \[pham18\].

use super::GoesOn;
use super::follow::{Node, largest_change};
use crate::arm::velocity::Rates;
use crate::math::sqrt;
use alloc::vec::Vec;

/// Bisections of a squared speed: to about 1e-9.
const BISECTIONS: usize = 30;

/// The least squared speed within a path: at a corner so sharp that it should be less, velocities step by a millionth of their limits.
const LEAST: f64 = 1e-12;

/// Segments in which an unknown changes by more are divided, because speeds change within them \[rad, units of length\].
const FINE: f64 = 0.008;
const MOST_PIECES: u8 = 16;

/// The times of nodes \[s\]; none if the track is cancelled.
pub(super) fn times<const N: usize>(
    nodes: &[Node<N>],
    rates: &Rates<N>,
    begin: f64,
    goes_on: GoesOn<'_>,
) -> Option<Vec<f64>> {
    let durations = nodes.windows(2).map(|pair| {
        let changes = core::array::from_fn(|i| pair[1].x[i] - pair[0].x[i]);
        (pair[1].path_time - pair[0].path_time).max(rates.shortest(&changes))
    });
    let durations: Vec<f64> = if rates.acceleration.iter().any(|limit| limit.is_finite()) {
        Profile::new(nodes, durations).durations(&rates.acceleration, goes_on)?
    } else {
        durations.collect()
    };
    let later = durations.iter().scan(begin, |time, duration| {
        *time += duration;
        Some(*time)
    });
    Some(nodes.first().map(|_| begin).into_iter().chain(later).collect())
}

/// A path of points for which speeds are sought.
struct Profile<const N: usize> {
    /// First and second derivatives of the unknowns by the path parameter.
    derivatives: Vec<[[f64; N]; 2]>,
    /// The parts of the path parameter between points.
    lengths: Vec<f64>,
    /// How many of them are in each segment.
    pieces: Vec<usize>,
}

impl<const N: usize> Profile<N> {
    /// - `durations`: of the segments between nodes, at the least
    fn new(nodes: &[Node<N>], durations: impl Iterator<Item = f64>) -> Self {
        let (mut slopes, mut lengths, mut pieces) = (Vec::new(), Vec::new(), Vec::new());
        for ((k, pair), duration) in nodes.windows(2).enumerate().zip(durations) {
            // Speed is zero at the ends of the path, so it needs points between them.
            let is_end = k == 0 || k + 2 == nodes.len();
            let change = largest_change(&pair[0].x, &pair[1].x);
            let least = if is_end { 2 } else { 1 };
            // A node is never far from the one before.
            let n = (least..MOST_PIECES).find(|&n| f64::from(n) * FINE >= change);
            let n = n.unwrap_or(MOST_PIECES);
            let slope = |i: usize| (pair[1].x[i] - pair[0].x[i]) / duration;
            for _ in 0..n {
                slopes.push(core::array::from_fn::<f64, N, _>(slope));
                lengths.push(duration / f64::from(n));
            }
            pieces.push(usize::from(n));
        }
        let derivatives = (0..=lengths.len()).map(|k| derivatives(&slopes, &lengths, k));
        Self { derivatives: derivatives.collect(), lengths, pieces }
    }

    /// The durations of the segments; none if the track is cancelled.
    fn durations(&self, limits: &[f64; N], goes_on: GoesOn<'_>) -> Option<Vec<f64>> {
        let speeds = self.squared_speeds(limits, goes_on)?;
        let pairs = self.lengths.iter().zip(speeds.windows(2));
        let mut times = pairs.map(|(length, u)| 2.0 * length / (sqrt(u[0]) + sqrt(u[1])));
        Some(self.pieces.iter().map(|&n| times.by_ref().take(n).sum()).collect())
    }

    /// The squares of the speeds at the points; none if the track is cancelled.
    fn squared_speeds(&self, limits: &[f64; N], goes_on: GoesOn<'_>) -> Option<Vec<f64>> {
        let n = self.lengths.len();
        // The greatest from which the rest can be done.
        let mut greatest = alloc::vec![0.0; n + 1];
        for k in (1..n).rev() {
            if !goes_on() {
                return None;
            }
            let next = greatest[k + 1] + LEAST;
            let can = |u: f64| self.next(k, u, limits).is_some_and(|range| range[0] <= next);
            let (mut low, mut high) = if can(1.0) { (1.0, 1.0) } else { (0.0, 1.0) };
            for _ in 0..BISECTIONS {
                let middle = 0.5 * (low + high);
                if can(middle) { low = middle } else { high = middle }
            }
            greatest[k] = low.max(LEAST);
        }
        let mut speeds = alloc::vec![0.0; n + 1];
        for k in 0..n.saturating_sub(1) {
            let most = self.next(k, speeds[k], limits).map_or(0.0, |range| range[1]);
            speeds[k + 1] = most.min(greatest[k + 1]).max(LEAST);
        }
        Some(speeds)
    }

    /// The least and the greatest squared speed at the next point after `u` at point `k`, if there are any.
    fn next(&self, k: usize, u: f64, limits: &[f64; N]) -> Option<[f64; 2]> {
        let twice = 2.0 * self.lengths[k];
        let (mut least, mut most) = (-u / twice, (1.0 - u) / twice);
        let [[first, second], [next_first, next_second]] =
            [self.derivatives[k], self.derivatives[k + 1]];
        for i in 0..N {
            let next = next_first[i] + twice * next_second[i];
            for (by_w, by_u) in [(first[i], second[i]), (next, next_second[i])] {
                let a = by_u * u;
                if by_w != 0.0 {
                    let ends = [(-limits[i] - a) / by_w, (limits[i] - a) / by_w];
                    least = least.max(ends[0].min(ends[1]));
                    most = most.min(ends[0].max(ends[1]));
                } else if a.abs() > limits[i] {
                    return None;
                }
            }
        }
        (least <= most).then(|| [least, most].map(|w| (u + twice * w).clamp(0.0, 1.0)))
    }
}

/// First and second derivatives at a point, from the slopes before and after it.
fn derivatives<const N: usize>(slopes: &[[f64; N]], lengths: &[f64], k: usize) -> [[f64; N]; 2] {
    let [before, after] = [k.checked_sub(1), Some(k)].map(|k| slopes.get(k?).zip(lengths.get(k?)));
    match (before, after) {
        (Some((before, l)), Some((after, m))) => [
            core::array::from_fn(|i| (before[i] * l + after[i] * m) / (l + m)),
            core::array::from_fn(|i| 2.0 * (after[i] - before[i]) / (l + m)),
        ],
        (Some((slope, _)), None) | (None, Some((slope, _))) => [*slope, [0.0; N]],
        (None, None) => [[0.0; N]; 2],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm::kernel::Residual;

    const NONE: Residual = Residual { distance: 0.0, angle: 0.0, merit: 0.0 };

    fn node(path_time: f64, x: [f64; 2]) -> Node<2> {
        Node { x, residual: NONE, path_time, target: None }
    }

    /// Times at nodes, checked: no velocity and no acceleration between segments beyond its limit by more than a fiftieth.
    fn checked_times(nodes: &[Node<2>], rates: &Rates<2>) -> Vec<f64> {
        let times = times(nodes, rates, 0.0, &mut || true).unwrap();
        let velocity =
            |k: usize, i: usize| (nodes[k + 1].x[i] - nodes[k].x[i]) / (times[k + 1] - times[k]);
        for i in 0..2 {
            for k in 0..nodes.len() - 1 {
                assert!(velocity(k, i).abs() <= 1.000_001 * rates.velocity[i], "at {k}");
                if k > 0 {
                    let span = 0.5 * (times[k + 1] - times[k - 1]);
                    let acceleration = (velocity(k, i) - velocity(k - 1, i)) / span;
                    assert!(
                        acceleration.abs() <= 1.02 * rates.acceleration[i],
                        "at {k}: {acceleration} {:?}",
                        &times[k - 1..k + 2]
                    );
                }
            }
        }
        times
    }

    #[test]
    fn straight_path_takes_a_trapezoidal_profile() {
        let line = |k: u32| node(0.0, [0.01 * f64::from(k), 0.02 * f64::from(k)]);
        let nodes: Vec<_> = (0..=100).map(line).map(|n| Node { path_time: n.x[0], ..n }).collect();
        let rates = Rates { velocity: [5.0, 1.0], acceleration: [100.0, 2.0] };
        // The second joint moves by 2 at a speed of 1: half a second to be at speed, after a quarter of 1.
        let time = *checked_times(&nodes, &rates).last().unwrap();
        assert!((time - 2.5).abs() < 0.01, "{time}");
    }

    #[test]
    fn curved_path_slows_down_in_its_bends() {
        let turn = |k: u32| {
            let (s, c) = crate::math::sin_cos(0.01 * f64::from(k));
            node(0.001 * f64::from(k), [s, c])
        };
        let nodes: Vec<_> = (0..=628).map(turn).collect();
        let rates = Rates { velocity: [10.0; 2], acceleration: [4.0; 2] };
        // On a unit circle the centripetal acceleration limits the speed to 2 to 2.4; it begins and ends at rest.
        let time = *checked_times(&nodes, &rates).last().unwrap();
        assert!((3.5..5.0).contains(&time), "{time}");
    }
}
