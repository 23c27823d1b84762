//! Sampling of channels between their keys.

use posekit::glam::DQuat;
use posekit::math::slerp;

use super::animation::{Channel, Interpolation, TargetPath};

impl Channel {
    /// The value at a time; before the first key and after the last it is constant.
    ///
    /// - `time`: \[s\]; within `snap` of a key the result is that key's value, to the bit
    /// - `key`: where to search first, the key before the last sampled time; updated
    ///
    /// A rotation has four numbers, of unit length, other values the first three.
    ///
    /// # Degenerate cases
    /// A channel without keys, which no reader returns, is the identity. Where a cubic of rotations is zero, the value is that of the previous key.
    pub(crate) fn sample(&self, time: f64, snap: f64, key: &mut usize) -> [f64; 4] {
        let Some(last) = self.times.len().checked_sub(1) else { return [0.0, 0.0, 0.0, 1.0] };
        if *key > last || self.times[*key] > time + snap {
            *key = 0;
        }
        while *key < last && self.times[*key + 1] <= time + snap {
            *key += 1;
        }
        let (before, after) = (*key, *key + 1);
        let span = if before < last { self.times[after] - self.times[before] } else { 0.0 };
        let part = if span > 0.0 { (time - self.times[before]) / span } else { 0.0 };
        let is_at_key = (time - self.times[before]).abs() <= snap || part <= 0.0;
        if before == last || is_at_key || self.interpolation == Interpolation::Step {
            return self.at(before);
        }
        match (self.interpolation, self.path) {
            (Interpolation::CubicSpline, _) => self.cubic(before, part, span),
            (_, TargetPath::Rotation) => {
                let [from, to] = [before, after].map(|key| DQuat::from_array(self.at(key)));
                slerp(from, to, part).to_array()
            }
            _ => {
                let (from, to) = (self.at(before), self.at(after));
                core::array::from_fn(|i| from[i] + part * (to[i] - from[i]))
            }
        }
    }

    /// The value of a key, rotations of unit length.
    fn at(&self, key: usize) -> [f64; 4] {
        let mut value = [0.0; 4];
        let own = self.value(key);
        value[..own.len()].copy_from_slice(own);
        self.brought_to_unit(value).unwrap_or([0.0, 0.0, 0.0, 1.0])
    }

    /// A normalised rotation, `None` for zero; other values unchanged.
    fn brought_to_unit(&self, value: [f64; 4]) -> Option<[f64; 4]> {
        if self.path != TargetPath::Rotation {
            return Some(value);
        }
        // Scaled first, so that the square neither overflows nor vanishes.
        let largest =
            value.iter().fold(0.0, |most: f64, x| if x.abs() > most { x.abs() } else { most });
        if largest == 0.0 || !largest.is_finite() {
            return None;
        }
        let scaled = value.map(|x| x / largest);
        let length = scaled.iter().map(|x| x * x).sum::<f64>().sqrt();
        Some(scaled.map(|x| x / length))
    }

    /// The cubic between a key and the next, as the format defines it.
    fn cubic(&self, before: usize, t: f64, span: f64) -> [f64; 4] {
        let (Some([_, out]), Some([into, _])) = (self.tangents(before), self.tangents(before + 1))
        else {
            return self.at(before);
        };
        let (from, to) = (self.value(before), self.value(before + 1));
        let (t2, t3) = (t * t, t * t * t);
        let mut value = [0.0; 4];
        for i in 0..from.len() {
            value[i] = (2.0 * t3 - 3.0 * t2 + 1.0) * from[i]
                + span * (t3 - 2.0 * t2 + t) * out[i]
                + (3.0 * t2 - 2.0 * t3) * to[i]
                + span * (t3 - t2) * into[i];
        }
        self.brought_to_unit(value).unwrap_or_else(|| self.at(before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::FRAC_1_SQRT_2;

    fn moved(interpolation: Interpolation, values: &[f64]) -> Channel {
        let (times, values) = (vec![1.0, 3.0], values.to_vec());
        Channel { node: 0, path: TargetPath::Translation, interpolation, times, values }
    }

    fn at(channel: &Channel, time: f64) -> f64 {
        channel.sample(time, 1e-9, &mut 0)[0]
    }

    #[test]
    fn between_keys_as_their_interpolation_says() {
        let linear = moved(Interpolation::Linear, &[2.0, 0.0, 0.0, 4.0, 0.0, 0.0]);
        assert_eq!([0.0, 1.0, 1.5, 3.0, 9.0].map(|t| at(&linear, t)), [2.0, 2.0, 2.5, 4.0, 4.0]);
        let step = Channel { interpolation: Interpolation::Step, ..linear };
        assert_eq!([1.0, 2.999, 3.0].map(|t| at(&step, t)), [2.0, 2.0, 4.0]);
        // x = t^2 between 1 and 3: slopes 2 and 6.
        let mut numbers = [0.0; 18];
        [numbers[3], numbers[6], numbers[9], numbers[12]] = [1.0, 2.0, 6.0, 9.0];
        let cubic = moved(Interpolation::CubicSpline, &numbers);
        assert_eq!([1.0, 2.0, 2.5, 3.0].map(|t| at(&cubic, t)), [1.0, 4.0, 6.25, 9.0]);
    }

    #[test]
    fn rotations_take_the_short_way_and_have_length_one() {
        let values = vec![0.0, 0.0, 0.0, 2.0, 0.0, 0.0, -1.0, 0.0];
        let turn = Channel {
            node: 0,
            path: TargetPath::Rotation,
            interpolation: Interpolation::Linear,
            times: vec![0.0, 1.0],
            values,
        };
        assert_eq!(turn.sample(0.0, 0.0, &mut 0), [0.0, 0.0, 0.0, 1.0]);
        let half = turn.sample(0.5, 0.0, &mut 0);
        assert!((half[2].abs() - FRAC_1_SQRT_2).abs() < 1e-12, "{half:?}");
        let mut key = 1;
        assert_eq!(turn.sample(-1.0, 0.0, &mut key), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(key, 0, "it goes back as well");
    }
}
