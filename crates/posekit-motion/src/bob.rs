//! Feet that bob with the hips: legs of a wrong length under a root that was left where it was.
//!
//! Of a leg that is a fifth too short the foot goes up and down by a fifth of what the hip does, all the time that it stands. Where a figure crouches it then
//! hangs or sinks by as much as people step, and its height above one floor tells no more when it stands.

use std::borrow::Cow;

use posekit::glam::DVec3;

use super::floor::{Floor, key, of_key};
use super::paths::{LegPaths, Paths};
use super::plant::{Part, STILL};
use super::smooth::Smoother;

/// The largest part of the hips' way that feet are found to follow, up and down; legs that are so wrong look it.
///
/// In steps of [`GRID`].
const MOST: i32 = 30;

/// From one part that is tried to the next: where hips go up and down by a leg's length, five millimetres at most are left.
const GRID: f64 = 0.01;

/// Every so many of these are tried first.
const COARSE: usize = 3;

/// Standing feet rise and fall by so much that nobody knows of \[leg lengths/s\].
const SCATTER: f64 = 0.03;

/// Hips that rise or fall this fast tell whether feet follow them \[leg lengths/s\]; slower ones tell less.
const TELLING: f64 = 0.15;

/// From one moment that is looked at to the next \[s\].
const STEP: f64 = 1.0 / 30.0;

/// Moments that are looked at for each leg, at most.
const SAMPLES: usize = 2000;

/// Feet that bob by less than this, from a crouch to upright, are found as well as any \[leg lengths\].
const MATTERS: f64 = 0.02;

/// So many times better must feet keep their height when the bobbing is taken off for it to be believed.
const BETTER: f64 = 1.3;

/// And for so long they must keep it, legs counted one by one \[s\].
const EVIDENCE: f64 = 1.0;

/// This part of the time the hips are lower, and as long higher, than what counts as their way up and down.
const TAIL: f64 = 0.05;

/// Paths in which standing feet keep their height: those that were given where they do.
///
/// - `floor`: its normal counts
/// # Method
/// A foot that stands rises with some part of the velocity at which its hip does, the same part for all feet and all the time. It is the one with which
/// most of the moments agree at which hips rise or fall, in the way of redescending estimators: swinging feet are outliers. None is believed that matters
/// little, or without which feet keep their height nearly as well, as those of sound clips do, also on stairs and slopes.
pub(super) fn without_bob<'a>(paths: &'a Paths, floor: &Floor) -> Cow<'a, Paths> {
    let mut heights: Vec<i64> = hips(paths, floor).map(key).collect();
    let Some(reach) = heights.len().checked_sub(1).filter(|_| paths.n_frames > 2) else {
        return Cow::Borrowed(paths);
    };
    let mut quantile = |part: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
        let rank = (part * reach as f64) as usize;
        of_key(*heights.select_nth_unstable(rank).1)
    };
    let way = quantile(1.0 - TAIL) - quantile(TAIL);
    let middle = quantile(0.5);
    let least = MATTERS * paths.length / way;
    if !least.is_finite() || least > f64::from(MOST) * GRID {
        return Cow::Borrowed(paths);
    }
    let part = followed(&rises(paths, floor), paths.frame_time * stride(paths) as f64);
    if part.abs() < least {
        return Cow::Borrowed(paths);
    }
    let steadied = |foot: &[DVec3], hip: &[DVec3]| -> Vec<DVec3> {
        let steady = |(place, hip): (&DVec3, &DVec3)| {
            *place - floor.normal * (part * (floor.height(*hip) - middle))
        };
        foot.iter().zip(hip).map(steady).collect()
    };
    let of_leg = |leg: &LegPaths| LegPaths {
        hip: leg.hip.clone(),
        knee: leg.knee.clone(),
        ankle: steadied(&leg.ankle, &leg.hip),
        ball: leg.ball.as_ref().map(|ball| steadied(ball, &leg.hip)),
    };
    Cow::Owned(Paths { legs: paths.legs.iter().map(of_leg).collect(), ..*paths })
}

/// Heights of all hips at the moments that are looked at.
fn hips(paths: &Paths, floor: &Floor) -> impl Iterator<Item = f64> {
    let stride = stride(paths);
    let legs = paths.legs.iter();
    legs.flat_map(move |leg| leg.hip.iter().step_by(stride).map(|hip| floor.height(*hip)))
}

fn stride(paths: &Paths) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let step = (STEP / paths.frame_time).round().clamp(1.0, 1e6) as usize;
    paths.n_frames.div_ceil(SAMPLES).max(step)
}

/// How a foot rises while its hip does.
struct Rise {
    /// How fast the foot does, in units of [`SCATTER`].
    foot: f64,
    /// And the hip.
    hip: f64,
    /// How much that tells, from 0 to 1.
    weight: f64,
}

/// Of each leg the moments that are looked at.
fn rises(paths: &Paths, floor: &Floor) -> Vec<Vec<Rise>> {
    let smoother = Smoother::new(STILL.half_window, paths.frame_time, paths.n_frames);
    let of_leg = |leg: &LegPaths| {
        let foot = leg.part(Part::Ball).unwrap_or(&leg.ankle);
        let scatter = SCATTER * paths.length;
        let rise =
            |path: &[DVec3], frame: usize| smoother.slope(path, frame).dot(floor.normal) / scatter;
        let at = |frame: usize| {
            let (foot, hip) = (rise(foot, frame), rise(&leg.hip, frame));
            let tells = (hip * (SCATTER / TELLING)).abs().min(1.0);
            Rise { foot, hip, weight: tells * tells }
        };
        (0..paths.n_frames).step_by(stride(paths)).map(at).collect()
    };
    paths.legs.iter().map(of_leg).collect()
}

/// Which part of their hips' way feet follow when they stand; 0 where that is not known well.
fn followed(legs: &[Vec<Rise>], sample_time: f64) -> f64 {
    let time = |step: i32| {
        let part = f64::from(step) * GRID;
        let agrees = |rise: &Rise| {
            let off = rise.foot - part * rise.hip;
            let down = 1.0 + off * off;
            rise.weight / (down * down)
        };
        let mut sums: Vec<f64> = legs.iter().map(|leg| leg.iter().map(agrees).sum()).collect();
        // In the order of their sizes, so that left and right make no difference.
        sums.sort_by(f64::total_cmp);
        sums.iter().sum::<f64>()
    };
    let still = time(0);
    let best_of = |steps: &mut dyn Iterator<Item = i32>| {
        let of_step = |step: i32| (time(step), step);
        let better =
            |best: (f64, i32), found: (f64, i32)| if found.0 > best.0 { found } else { best };
        steps.map(of_step).fold((still, 0), better)
    };
    let (_, near) = best_of(&mut (-MOST..=MOST).step_by(COARSE));
    let (most, step) = best_of(&mut (near - 2..=near + 2));
    // At an end it is no maximum.
    let is_believed = step.abs() < MOST && most > BETTER * still && most * sample_time >= EVIDENCE;
    if is_believed { f64::from(step) * GRID } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posekit::math::sin;

    /// Two legs that crouch, lift one foot after the other by a fifth of a leg, and climb, ten seconds of it at 60 Hz.
    ///
    /// - `follows`: what part of the hips' way up and down the feet follow
    /// - `climbs`: how high each step takes the figure
    fn crouching(follows: f64, climbs: f64) -> Paths {
        let n_frames = 600;
        let time = |frame: u32| f64::from(frame) / 60.0;
        let hip =
            |frame: u32| 0.8 + 0.2 * sin(2.0 * time(frame)) + climbs * f64::from(frame) / 60.0;
        let leg = |side: u32| {
            let foot = |frame: u32| {
                let (step, part) = (frame / 60, time(frame % 60));
                let own = step % 2 == side;
                let lift = if own { sin(core::f64::consts::PI * part) } else { 0.0 };
                let stairs = if own { f64::from(step) + part } else { f64::from(step) };
                DVec3::Y * (0.2 * lift * lift + climbs * stairs + follows * hip(frame))
            };
            let path = |at: &dyn Fn(u32) -> DVec3| (0..n_frames).map(at).collect::<Vec<_>>();
            let hips = path(&|frame| DVec3::Y * hip(frame));
            LegPaths { hip: hips.clone(), knee: hips, ankle: path(&foot), ball: None }
        };
        let legs = vec![leg(0), leg(1)];
        Paths { legs, n_frames: 600, frame_time: 1.0 / 60.0, up: DVec3::Y, length: 1.0 }
    }

    const LEVEL: Floor = Floor { point: DVec3::ZERO, normal: DVec3::Y };

    #[test]
    fn feet_that_bob_stand_still_without_it() {
        for follows in [-0.25, -0.1, 0.1, 0.2] {
            let paths = crouching(follows, 0.0);
            let steady = without_bob(&paths, &LEVEL);
            // The first leg stands in the second second.
            let stand = |paths: &Paths| {
                let heights = paths.legs[0].ankle[65..115].iter().map(|place| place.y);
                let (low, high) =
                    heights.fold((f64::INFINITY, -f64::INFINITY), |(l, h), y| (l.min(y), h.max(y)));
                high - low
            };
            let (before, after) = (stand(&paths), stand(&steady));
            assert!(after < 0.2 * before, "{follows}: {before} became {after}");
        }
    }

    #[test]
    fn feet_that_stand_are_left_on_stairs_too() {
        for climbs in [0.0, 0.15] {
            let paths = crouching(0.0, climbs);
            assert!(matches!(without_bob(&paths, &LEVEL), Cow::Borrowed(_)), "{climbs}");
        }
        let none = Paths { legs: Vec::new(), ..crouching(0.2, 0.0) };
        assert!(matches!(without_bob(&none, &LEVEL), Cow::Borrowed(_)));
    }
}
