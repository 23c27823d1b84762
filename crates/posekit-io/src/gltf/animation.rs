//! Animations as plain data, and their validation.

/// One animation of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Animation {
    /// Its name in the file; names are optional and not necessarily unique.
    pub name: Option<String>,
    /// Its channels, in the order of the file. No two have the same node and path.
    pub channels: Vec<Channel>,
}

/// The keys of one part of a node's transform.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    /// The index of the node.
    pub node: usize,
    /// The animated property.
    pub path: TargetPath,
    /// The interpolation between keys.
    pub interpolation: Interpolation,
    /// The times of the keys \[s\]: from 0 on, strictly increasing.
    pub times: Vec<f64>,
    /// The values of the keys, [`TargetPath::width`] numbers each, in the file's units: metres, quaternions x, y, z, w, factors.
    /// With [`Interpolation::CubicSpline`] a key has three: the in-tangent, the value, the out-tangent \[per s\].
    /// Files have single precision. Quaternions are unchanged from the file; their length may be slightly off 1.
    pub values: Vec<f64>,
}

/// The target of a channel: the part of a node's transform on its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TargetPath {
    /// The translation of the node: x, y, z \[m\].
    Translation,
    /// Its rotation: a quaternion x, y, z, w.
    Rotation,
    /// Its scale along each axis.
    Scale,
}

/// The interpolation between keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpolation {
    /// The value of the previous key.
    Step,
    /// Linear between two keys; rotations along the shortest arc.
    Linear,
    /// The cubic with the values and the tangents of both keys; rotations are normalised.
    CubicSpline,
}

/// The tolerance for the length of a rotation's key without a warning: more than the rounding of the coarsest integers that the format allows.
const UNIT_TOLERANCE: f64 = 3e-2;

impl Animation {
    /// The time of the last key of all channels \[s\]; 0 without channels.
    #[must_use]
    pub fn duration(&self) -> f64 {
        let ends = self.channels.iter().filter_map(|channel| channel.times.last());
        ends.fold(0.0, |longest, &end| if end > longest { end } else { longest })
    }

    /// The channel that moves this part of this node.
    #[must_use]
    pub fn channel(&self, node: usize, path: TargetPath) -> Option<&Channel> {
        self.channels.iter().find(|channel| (channel.node, channel.path) == (node, path))
    }
}

impl Channel {
    /// The value of a key, without its tangents.
    ///
    /// # Panics
    /// When there is no such key.
    #[must_use]
    pub fn value(&self, key: usize) -> &[f64] {
        let parts = self.interpolation.parts();
        self.part(key, parts / 2)
    }

    /// The in-tangent and the out-tangent of a key \[per s\]; `None` if there are no tangents.
    ///
    /// # Panics
    /// When there is no such key.
    #[must_use]
    pub fn tangents(&self, key: usize) -> Option<[&[f64]; 2]> {
        let is_cubic = self.interpolation == Interpolation::CubicSpline;
        is_cubic.then(|| [self.part(key, 0), self.part(key, 2)])
    }

    fn part(&self, key: usize, part: usize) -> &[f64] {
        let width = self.path.width();
        let start = (key * self.interpolation.parts() + part) * width;
        &self.values[start..start + width]
    }

    /// True when the keys are the same in a file: all numbers are compared in single precision.
    pub(super) fn is_same_in_file(&self, other: &Self) -> bool {
        self.interpolation == other.interpolation
            && is_same_in_file(&self.times, &other.times)
            && is_same_in_file(&self.values, &other.values)
    }

    /// The fault of the times in single precision, if there is one.
    pub(super) fn fault_of_times(&self) -> Option<String> {
        fault_of_times(&self.times)
    }

    /// The fault of the number of keys, if there is one.
    pub(super) fn fault_of_counts(&self) -> Option<String> {
        let (keys, width, parts) =
            (self.times.len(), self.path.width(), self.interpolation.parts());
        if keys < self.interpolation.least_keys() {
            return Some(format!("{keys} keys are too few for {}", self.interpolation.name()));
        }
        let wanted = keys.checked_mul(width * parts);
        let found = self.values.len();
        (wanted != Some(found))
            .then(|| format!("{keys} keys have {found} numbers, not {width} times {parts} each"))
    }

    /// The fault of the values in single precision, if there is one.
    pub(super) fn fault_of_values(&self) -> Option<String> {
        if let Some(at) = self.values.iter().position(|&value| !single(value).is_finite()) {
            let key = at / (self.path.width() * self.interpolation.parts()).max(1);
            return Some(format!(
                "key {key} has {:?}, which is not finite or too large",
                self.values[at]
            ));
        }
        let key = self.lengths()?.position(|length| length == 0.0)?;
        Some(format!("the rotation of key {key} has no length"))
    }

    /// The first key whose rotation is off unit length by more than rounding, and its length.
    pub(super) fn stretched_rotation(&self) -> Option<(usize, f64)> {
        self.lengths()?.enumerate().find(|(_, length)| (length - 1.0).abs() > UNIT_TOLERANCE)
    }

    /// The lengths of rotations in single precision.
    fn lengths(&self) -> Option<impl Iterator<Item = f64> + '_> {
        let length = |key| {
            let squares =
                self.value(key).iter().map(|&x| f64::from(single(x)) * f64::from(single(x)));
            squares.sum::<f64>().sqrt()
        };
        (self.path == TargetPath::Rotation).then(|| (0..self.times.len()).map(length))
    }
}

impl TargetPath {
    /// The number of components of a value: 4 for a rotation, otherwise 3.
    #[must_use]
    pub const fn width(self) -> usize {
        match self {
            Self::Rotation => 4,
            Self::Translation | Self::Scale => 3,
        }
    }

    /// The name that the format has for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Translation => "translation",
            Self::Rotation => "rotation",
            Self::Scale => "scale",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        [Self::Translation, Self::Rotation, Self::Scale]
            .into_iter()
            .find(|path| path.name() == name)
    }
}

impl Interpolation {
    /// The name that the format has for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Step => "STEP",
            Self::Linear => "LINEAR",
            Self::CubicSpline => "CUBICSPLINE",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        [Self::Step, Self::Linear, Self::CubicSpline].into_iter().find(|way| way.name() == name)
    }

    /// The number of values of a key, with its tangents.
    pub(super) const fn parts(self) -> usize {
        match self {
            Self::CubicSpline => 3,
            Self::Step | Self::Linear => 1,
        }
    }

    /// The least number of keys.
    pub(super) const fn least_keys(self) -> usize {
        match self {
            Self::CubicSpline => 2,
            Self::Step | Self::Linear => 1,
        }
    }
}

/// The fault of times in single precision, if there is one.
pub(super) fn fault_of_times(times: &[f64]) -> Option<String> {
    if let Some(key) = times.iter().position(|&time| !single(time).is_finite() || time < 0.0) {
        return Some(format!("key {key} is at {} s; times are numbers from 0 on", times[key]));
    }
    let key = times.windows(2).position(|pair| single(pair[0]) >= single(pair[1]))?;
    let (before, after) = (times[key], times[key + 1]);
    Some(format!(
        "key {} is at {after} s, which is not later than the previous key at {before} s",
        key + 1
    ))
}

/// A number in single precision.
#[expect(clippy::cast_possible_truncation, reason = "the format has single precision")]
pub(super) const fn single(value: f64) -> f32 {
    value as f32
}

/// True when two lists are the same in single precision.
pub(super) fn is_same_in_file(a: &[f64], b: &[f64]) -> bool {
    let is_same = |(a, b): (&f64, &f64)| single(*a).to_bits() == single(*b).to_bits();
    a.len() == b.len() && a.iter().zip(b).all(is_same)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(
        path: TargetPath,
        interpolation: Interpolation,
        times: &[f64],
        values: &[f64],
    ) -> Channel {
        Channel { node: 0, path, interpolation, times: times.to_vec(), values: values.to_vec() }
    }

    #[test]
    fn keys_have_values_and_tangents() {
        let numbers: Vec<f64> = (0..18).map(f64::from).collect();
        let cubic = channel(TargetPath::Scale, Interpolation::CubicSpline, &[0.0, 1.0], &numbers);
        assert_eq!(cubic.value(1), [12.0, 13.0, 14.0]);
        assert_eq!(cubic.tangents(0), Some([&[0.0, 1.0, 2.0][..], &[6.0, 7.0, 8.0]]));
        let linear =
            channel(TargetPath::Rotation, Interpolation::Linear, &[0.0, 2.0], &numbers[..8]);
        assert_eq!((linear.value(1), linear.tangents(1)), (&numbers[4..8], None));
        let animation = Animation { name: None, channels: vec![cubic, linear] };
        assert_eq!((animation.duration(), Animation::default().duration()), (2.0, 0.0));
        assert!(animation.channel(0, TargetPath::Rotation).is_some());
        assert!(animation.channel(0, TargetPath::Translation).is_none());
    }

    #[test]
    fn times_that_fall_together_in_single_precision_are_refused() {
        let at = |times: &[f64]| {
            channel(TargetPath::Scale, Interpolation::Linear, times, &[]).fault_of_times()
        };
        assert_eq!(at(&[0.0, 0.5]), None);
        for bad in
            [&[1.0, 1.0][..], &[1.0, 1.0 + 1e-9], &[1.0, 0.5], &[f64::NAN], &[-1e-9], &[1e39]]
        {
            assert!(at(bad).is_some(), "{bad:?}");
        }
    }
}
