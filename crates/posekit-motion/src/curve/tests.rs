//! Curves pass their keys, keep their shape, hold their bounds, and do not care for frames and signs.

use posekit::glam::{DQuat, DVec3};
use posekit::math::{direction_or, rotation_about, so3_exp, so3_log};

use super::*;
use proptest::prelude::*;

fn point() -> impl Strategy<Value = DVec3> + Clone {
    (-2.0..2.0_f64, -2.0..2.0_f64, -2.0..2.0_f64).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

fn turn() -> impl Strategy<Value = DQuat> {
    (point(), -3.0..3.0_f64)
        .prop_map(|(axis, angle)| rotation_about(direction_or(axis, DVec3::X), angle))
}

fn kind() -> impl Strategy<Value = Interpolation> {
    prop_oneof![Just(Interpolation::Step), Just(Interpolation::Linear), Just(Interpolation::Cubic)]
}

/// Curves with keys at uneven times and rates of their own.
fn curves<V: Animated>(
    values: impl Strategy<Value = V>,
    rates: impl Strategy<Value = V::Rate> + Clone,
) -> impl Strategy<Value = Curve<V>> {
    let key = (0.05..1.5_f64, values, kind(), rates.clone(), rates);
    proptest::collection::vec(key, 2..7).prop_map(|keys| {
        let mut time = -1.0;
        let keys = keys.into_iter().map(|(step, value, interpolation, arrive, leave)| {
            time += step;
            Key { time, value, interpolation, arrive, leave }
        });
        Curve::try_new(keys.collect()).unwrap()
    })
}

fn times<V: Animated>(curve: &Curve<V>, n: usize) -> Vec<f64> {
    let (from, to) = curve.span().unwrap();
    (0..=n).map(|k| from + (to - from) * k as f64 / n as f64).collect()
}

/// Values at keys to the bit, rates on both sides of a key as they are asked for, and no jump except at steps.
fn passes_its_keys<V: Animated>(curve: &Curve<V>, rate_distance: impl Fn(V::Rate, V::Rate) -> f64) {
    // The steepest of these curves bends by 1e4 per second squared.
    const H: f64 = 1e-7;
    for (index, key) in curve.keys().iter().enumerate() {
        assert_eq!(curve.value(key.time), Some(key.value));
        let is_cubic = |key: &Key<V>| key.interpolation == Interpolation::Cubic;
        if index + 1 < curve.keys().len() && is_cubic(key) {
            let after = curve.value(key.time + H).unwrap();
            let rate = V::steady_rate(key.value, after, H);
            assert!(rate_distance(rate, key.leave) < 2e-3, "leaves {index} with {rate:?}");
            assert!(rate_distance(curve.rate(key.time).unwrap(), key.leave) < 1e-10);
        }
        if index > 0 && is_cubic(&curve.keys()[index - 1]) {
            let before = curve.value(key.time - H).unwrap();
            let rate = V::steady_rate(before, key.value, H);
            assert!(rate_distance(rate, key.arrive) < 2e-3, "comes to {index} with {rate:?}");
        }
    }
}

fn dense(samples: &[DVec3]) -> Vec<DQuat> {
    samples.iter().map(|&vector| so3_exp(vector)).collect()
}

#[test]
fn curves_without_keys_or_with_one_are_curves() {
    let mut curve = Curve::<f64>::default();
    assert_eq!((curve.value(0.0), curve.rate(1.0), curve.span()), (None, None, None));
    assert!(curve.insert(0.0).is_err());
    assert_eq!(curve.remove(0), None);
    curve.set(Key::new(2.0, 7.0, Interpolation::Cubic)).unwrap();
    curve.smooth();
    for time in [f64::NEG_INFINITY, 0.0, 2.0, 9.0, f64::NAN] {
        assert_eq!((curve.value(time), curve.rate(time)), (Some(7.0), Some(0.0)), "{time}");
    }
    assert!(Curve::<f64>::fitted(0.0, 0.1, &[], 0.1).unwrap().keys().is_empty());
    assert_eq!(Curve::fitted(0.0, 0.1, &[1.0], 0.0).unwrap().keys().len(), 1);
    assert_eq!(Curve::fitted(0.0, 0.1, &[1.0, 2.0], 0.0).unwrap().keys().len(), 2);
}

#[test]
fn faults_of_keys_are_named() {
    let key = |time, value| Key::new(time, value, Interpolation::Linear);
    let error = Curve::try_new(vec![key(0.0, 1.0), key(0.0, 2.0)]).unwrap_err();
    assert_eq!(error.to_string(), "keys[1] is 0, must be later than the key before");
    assert!(Curve::try_new(vec![key(0.0, f64::NAN)]).is_err());
    assert!(Curve::try_new(vec![key(f64::INFINITY, 0.0)]).is_err());
    let long = DQuat::from_xyzw(0.0, 0.0, 0.0, 1.1);
    assert!(Curve::try_new(vec![Key::new(0.0, long, Interpolation::Cubic)]).is_err());
    let mut curve = Curve::try_new(vec![key(0.0, 1.0), key(1.0, 2.0)]).unwrap();
    let before = curve.clone();
    assert!(curve.move_key(0, 1.0).is_err() && curve.move_key(5, 3.0).is_err());
    assert!(curve.move_key(0, f64::NAN).is_err() && curve.set_bezier(1, [0.0, 0.0]).is_err());
    assert_eq!(curve, before);
    assert!(Curve::fitted(0.0, 0.1, &[1.0], f64::NAN).is_err());
}

#[test]
fn keys_move_past_others() {
    let keys = [0.0, 1.0, 2.0].map(|time| Key::new(time, time * 10.0, Interpolation::Linear));
    let mut curve = Curve::try_new(keys.to_vec()).unwrap();
    assert_eq!(curve.move_key(0, 1.5), Ok(1));
    let order: Vec<f64> = curve.keys().iter().map(|key| key.value).collect();
    assert_eq!(order, [10.0, 0.0, 20.0]);
}

#[test]
fn a_smooth_curve_through_a_parabola_is_the_parabola_inside() {
    let parabola = |time: f64| 3.0 * time * time - time;
    let times = [0.0, 0.3, 1.0, 1.2, 2.0];
    let keys = times.map(|time| Key::new(time, parabola(time), Interpolation::Cubic));
    let mut curve = Curve::try_new(keys.to_vec()).unwrap();
    curve.smooth();
    for time in [0.3, 0.5, 0.9, 1.1, 1.19] {
        assert!((curve.value(time).unwrap() - parabola(time)).abs() < 1e-12, "{time}");
    }
}

#[test]
fn a_bezier_piece_is_the_one_of_bernstein() {
    let keys =
        [Key::new(1.0, 2.0, Interpolation::Linear), Key::new(3.0, -1.0, Interpolation::Step)];
    let mut curve = Curve::try_new(keys.to_vec()).unwrap();
    curve.set_bezier(0, [5.0, 0.5]).unwrap();
    for k in 0..=10 {
        let (t, s) = (f64::from(k) / 10.0, 1.0 - f64::from(k) / 10.0);
        let expected = s * s * s * 2.0 + 3.0 * s * s * t * 5.0 + 3.0 * s * t * t * 0.5 - t * t * t;
        let found = curve.value(1.0 + 2.0 * t).unwrap();
        assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
    }
}

#[test]
fn half_a_turn_between_keys_is_a_turn_all_the_same() {
    let keys = [DQuat::IDENTITY, DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0)];
    let keys: Vec<_> = [0.0, 1.0]
        .into_iter()
        .zip(keys)
        .map(|(time, value)| Key::new(time, value, Interpolation::Cubic))
        .collect();
    let mut curve = Curve::try_new(keys).unwrap();
    curve.smooth();
    let middle = curve.value(0.5).unwrap();
    assert!((so3_log(middle).length() - core::f64::consts::FRAC_PI_2).abs() < 1e-12);
}

#[test]
fn a_fit_keeps_few_keys_of_a_smooth_motion() {
    let wave: Vec<f64> = (0..2000).map(|k| posekit::math::sin(f64::from(k) / 60.0)).collect();
    let curve = Curve::fitted(0.0, 1.0 / 60.0, &wave, 1e-3).unwrap();
    assert!(curve.keys().len() < 60, "{} keys for five waves", curve.keys().len());
    let still = Curve::fitted(0.0, 0.1, &[5.0; 2000], 0.0).unwrap();
    assert_eq!(still.keys().len(), 1);
    let ramp: Vec<f64> = (0..900).map(f64::from).collect();
    assert!(Curve::fitted(0.0, 0.1, &ramp, 1e-9).unwrap().keys().len() <= 3);
}

proptest! {
    #[test]
    fn numbers_pass_their_keys(curve in curves(-3.0..3.0_f64, -2.0..2.0_f64)) {
        passes_its_keys(&curve, |a, b| (a - b).abs());
    }

    #[test]
    fn points_pass_their_keys(curve in curves(point(), point())) {
        passes_its_keys(&curve, |a: DVec3, b| (a - b).length());
    }

    #[test]
    fn rotations_pass_their_keys(curve in curves(turn(), point())) {
        passes_its_keys(&curve, |a: DVec3, b| (a - b).length());
        for time in times(&curve, 50) {
            prop_assert!((curve.value(time).unwrap().length() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn the_rate_is_the_slope(curve in curves(turn(), point()), part in 0.01..0.99_f64) {
        let (from, to) = curve.span().unwrap();
        let time = from + (to - from) * part;
        const H: f64 = 1e-6;
        prop_assume!(curve.keys().iter().all(|key| (key.time - time).abs() > 2.0 * H));
        let [before, after] = [time - H, time + H].map(|time| curve.value(time).unwrap());
        let slope = DQuat::steady_rate(before, after, 2.0 * H);
        prop_assert!((slope - curve.rate(time).unwrap()).length() < 1e-5);
    }

    #[test]
    fn rotations_turn_with_the_world_and_the_joint(
        curve in curves(turn(), point()), world in turn(), own in turn(), flip in any::<u8>()
    ) {
        let moved = curve.keys().iter().enumerate().map(|(index, key)| {
            let value = world * key.value * own;
            let value = if flip >> (index % 8) & 1 == 1 { -value } else { value };
            let own_from_old = own.inverse();
            Key { value, arrive: own_from_old * key.arrive, leave: own_from_old * key.leave, ..*key }
        });
        let moved = Curve::try_new(moved.collect()).unwrap();
        for time in times(&curve, 40) {
            let expected = world * curve.value(time).unwrap() * own;
            // Half a turn has two ways, and rounding decides.
            prop_assert!(moved.value(time).unwrap().distance(expected) < 1e-12);
        }
    }

    #[test]
    fn rotations_are_the_same_backwards(curve in curves(turn(), point())) {
        let cubic = curve.keys().iter().map(|key| Key { interpolation: Interpolation::Cubic, ..*key });
        let curve = Curve::try_new(cubic.collect()).unwrap();
        let back = curve.keys().iter().rev().map(|key| {
            Key { time: -key.time, arrive: -key.leave, leave: -key.arrive, ..*key }
        });
        let back = Curve::try_new(back.collect()).unwrap();
        for time in times(&curve, 40) {
            let (there, here) = (back.value(-time).unwrap(), curve.value(time).unwrap());
            prop_assert!(there.distance(here) < 1e-12);
        }
    }

    #[test]
    fn a_steady_turn_stays_steady(from in turn(), rate in point()) {
        let to = from * so3_exp(rate * 0.7);
        let key = |time, value| Key::new(time, value, Interpolation::Cubic).with_rate(rate);
        let curve = Curve::try_new(vec![key(0.0, from), key(0.7, to)]).unwrap();
        for k in 1..7 {
            let part = f64::from(k) / 7.0;
            let expected = from * so3_exp(rate * (0.7 * part));
            prop_assert!(curve.value(0.7 * part).unwrap().distance(expected) < 1e-13);
        }
    }

    #[test]
    fn a_key_that_is_put_in_changes_nothing(
        curve in curves(point(), point()), turns in curves(turn(), point()), part in -0.1..1.1_f64
    ) {
        let mut longer = curve.clone();
        let (from, to) = curve.span().unwrap();
        longer.insert(from + (to - from) * part).unwrap();
        for time in times(&curve, 60) {
            let off = curve.value(time).unwrap().distance(longer.value(time).unwrap());
            prop_assert!(off < 1e-12, "{off}");
        }
        let (from, to) = turns.span().unwrap();
        let time = from + (to - from) * part;
        let mut longer = turns.clone();
        let index = longer.insert(time).unwrap();
        prop_assert_eq!(turns.value(time), Some(longer.keys()[index].value));
        prop_assert!((turns.rate(time).unwrap() - longer.rate(time).unwrap()).length() < 1e-9);
    }

    #[test]
    fn a_fit_holds_its_bound(
        steps in proptest::collection::vec(point(), 2..200), tolerance in 0.0..0.5_f64
    ) {
        let (start, frame_time) = (0.7, 1.0 / 30.0);
        let turns = dense(&steps);
        let numbers: Vec<f64> = steps.iter().map(|point| point.x).collect();
        let fitted = (
            Curve::fitted(start, frame_time, &numbers, tolerance).unwrap(),
            Curve::fitted(start, frame_time, &steps, tolerance).unwrap(),
            Curve::fitted(start, frame_time, &turns, tolerance).unwrap(),
        );
        for k in 0..steps.len() {
            let time = start + frame_time * k as f64;
            prop_assert!(fitted.0.value(time).unwrap().distance(numbers[k]) <= tolerance);
            prop_assert!(fitted.1.value(time).unwrap().distance(steps[k]) <= tolerance);
            prop_assert!(fitted.2.value(time).unwrap().distance(turns[k]) <= tolerance);
        }
    }
}
