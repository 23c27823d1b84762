//! Curves through keys: numbers, points and rotations over time.

mod fit;
mod rotation;
mod value;

use crate::error::{Error, Result};

pub use value::Animated;

/// How a curve goes from one key to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// It keeps the key's value until the next key.
    Step,
    /// In proportion; rotations on the shortest arc at a steady rate.
    Linear,
    /// A cubic that leaves and arrives at the keys' rates, so that the curve has no corner where the two rates of a key are the same.
    #[default]
    Cubic,
}

/// A value at a time, and how the curve passes through it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key<V: Animated> {
    /// When \[s\].
    pub time: f64,
    /// What the curve is then.
    pub value: V,
    /// How the curve goes on to the next key.
    pub interpolation: Interpolation,
    /// How fast the value changes when the curve comes to the key on a cubic, per second.
    pub arrive: V::Rate,
    /// How fast it changes when the curve leaves the key on a cubic, per second.
    pub leave: V::Rate,
}

impl<V: Animated> Key<V> {
    /// A key at which a cubic rests for a moment: its rates are zero.
    pub fn new(time: f64, value: V, interpolation: Interpolation) -> Self {
        let rest = V::Rate::default();
        Self { time, value, interpolation, arrive: rest, leave: rest }
    }

    /// The same with one rate on both sides, per second.
    #[must_use]
    pub fn with_rate(self, rate: V::Rate) -> Self {
        Self { arrive: rate, leave: rate, ..self }
    }
}

/// A value over time: keys in the order of their times, no two at the same time.
///
/// Before the first key and after the last the curve keeps their values.
///
/// # Example: through three points without a corner
/// ```
/// use posekit_motion::{Curve, Interpolation, Key};
///
/// let points = [(0.0, 1.0), (1.0, 3.0), (3.0, 2.0)];
/// let keys = points.map(|(time, value)| Key::new(time, value, Interpolation::Cubic));
/// let mut curve = Curve::try_new(keys.to_vec())?;
/// curve.smooth();
/// assert_eq!(curve.value(1.0), Some(3.0));
/// // A key that is put in does not change the curve.
/// let before = curve.value(2.3);
/// curve.insert(2.0)?;
/// assert!((curve.value(2.3).unwrap() - before.unwrap()).abs() < 1e-12);
/// # Ok::<(), posekit_motion::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Curve<V: Animated> {
    keys: Vec<Key<V>>,
}

impl<V: Animated> Default for Curve<V> {
    fn default() -> Self {
        Self { keys: Vec::new() }
    }
}

impl<V: Animated> Curve<V> {
    /// A curve of these keys; none is a curve without a value.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for times that do not rise from key to key; [`Error::NonFinite`] or [`Error::NotUnit`] for a key's numbers.
    pub fn try_new(mut keys: Vec<Key<V>>) -> Result<Self> {
        for index in 0..keys.len() {
            keys[index] = checked(keys[index], index)?;
            if index > 0 && keys[index].time <= keys[index - 1].time {
                return Err(taken(index, keys[index].time, "later than the key before"));
            }
        }
        Ok(Self { keys })
    }

    /// A curve through a value at every frame, straight or with rates that leave no corner.
    ///
    /// # Errors
    /// As [`try_new`](Self::try_new).
    pub fn through(
        start: f64,
        frame_time: f64,
        values: &[V],
        interpolation: Interpolation,
    ) -> Result<Self> {
        let key = |(frame, &value): (usize, &V)| {
            Key::new(start + frame_time * frame as f64, value, interpolation)
        };
        let mut curve = Self::try_new(values.iter().enumerate().map(key).collect())?;
        if interpolation == Interpolation::Cubic {
            curve.smooth();
        }
        Ok(curve)
    }

    /// The keys, in the order of their times.
    #[must_use]
    pub fn keys(&self) -> &[Key<V>] {
        &self.keys
    }

    /// The times of the first key and the last \[s\].
    #[must_use]
    pub fn span(&self) -> Option<(f64, f64)> {
        Some((self.keys.first()?.time, self.keys.last()?.time))
    }

    /// The curve's value at a time; `None` without keys. A time that is NaN gives the first key's value.
    #[must_use]
    pub fn value(&self, time: f64) -> Option<V> {
        let Some((key, next, part)) = self.segment(time) else {
            return self.resting(time).map(|key| key.value);
        };
        if part == 0.0 {
            return Some(key.value);
        }
        Some(match key.interpolation {
            Interpolation::Step => key.value,
            Interpolation::Linear => V::between(key.value, next.value, part),
            Interpolation::Cubic => V::at(&cubic(key, next), part).0,
        })
    }

    /// How fast the value changes at a time, per second: at a key what it leaves with; zero outside the keys; `None` without keys.
    #[must_use]
    pub fn rate(&self, time: f64) -> Option<V::Rate> {
        let Some((key, next, part)) = self.segment(time) else {
            return self.resting(time).map(|_| V::Rate::default());
        };
        Some(match key.interpolation {
            Interpolation::Step => V::Rate::default(),
            Interpolation::Linear => V::steady_rate(key.value, next.value, next.time - key.time),
            Interpolation::Cubic => V::at(&cubic(key, next), part).1,
        })
    }

    /// Puts a key where the curve is at a time, and says its index. The curve does not change: numbers and points keep it exactly, to
    /// rounding; a rotation on a cubic keeps its value and its rate at the new key, and differs a little between keys, since two pieces of such
    /// a curve are not one.
    ///
    /// Where there is a key at the time, it stays. Outside the keys the new one has the value of the first or last, and rests.
    ///
    /// # Errors
    /// [`Error::ZeroLength`] for a curve without keys, [`Error::NonFinite`] for the time.
    pub fn insert(&mut self, time: f64) -> Result<usize> {
        let missing = Error::ZeroLength { what: "curve" };
        let (value, rate) = self.value(time).zip(self.rate(time)).ok_or(missing)?;
        let found = self.keys.binary_search_by(|key| key.time.total_cmp(&time));
        let index = match found {
            Ok(index) => return Ok(index),
            Err(index) => index,
        };
        let model = self.keys[index.saturating_sub(1)].interpolation;
        let key = checked(Key::new(time, value, model).with_rate(rate), index)?;
        self.keys.insert(index, key);
        Ok(index)
    }

    /// Puts a key, in place of one at the same time if there is one, and says its index.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::NotUnit`] for its numbers.
    pub fn set(&mut self, key: Key<V>) -> Result<usize> {
        match self.keys.binary_search_by(|known| known.time.total_cmp(&key.time)) {
            Ok(index) => {
                self.keys[index] = checked(key, index)?;
                Ok(index)
            }
            Err(index) => {
                self.keys.insert(index, checked(key, index)?);
                Ok(index)
            }
        }
    }

    /// Moves a key to another time, past others too, and says its new index. Its value and rates stay.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a time at which there is another key, and for an index without a key; [`Error::NonFinite`] for the time. The curve is
    /// as it was then.
    pub fn move_key(&mut self, index: usize, time: f64) -> Result<usize> {
        let Some(&key) = self.keys.get(index) else {
            return Err(taken(index, time, "the index of a key"));
        };
        let moved = checked(Key { time, ..key }, index)?;
        if self.keys.iter().enumerate().any(|(other, key)| other != index && key.time == time) {
            return Err(taken(index, time, "a time without a key"));
        }
        self.keys.remove(index);
        self.set(moved)
    }

    /// Takes a key away; `None` where there is none.
    pub fn remove(&mut self, index: usize) -> Option<Key<V>> {
        (index < self.keys.len()).then(|| self.keys.remove(index))
    }

    /// Gives every key the rate of the parabola through it and its neighbours, the first and the last that of the straight line to their neighbour: a
    /// Catmull-Rom curve, for keys at any times \[catmull74\].
    pub fn smooth(&mut self) {
        for index in 0..self.keys.len() {
            self.smooth_key(index);
        }
    }

    /// Does for one key what [`smooth`](Self::smooth) does for all. Where there is no such key, or it is alone, nothing changes.
    pub fn smooth_key(&mut self, index: usize) {
        let steady = |from: usize| {
            let (key, next) = (self.keys.get(from)?, self.keys.get(from + 1)?);
            let span = next.time - key.time;
            Some((V::steady_rate(key.value, next.value, span), span))
        };
        let before = index.checked_sub(1).and_then(steady);
        let rate = match (before, steady(index)) {
            // The nearer neighbour counts for more: each side weighs as the other side's span.
            (Some((before, ahead)), Some((after, behind))) => {
                V::mean_rate([before, after], behind / (ahead + behind))
            }
            (Some((rate, _)), None) | (None, Some((rate, _))) => rate,
            (None, None) => return,
        };
        if let Some(key) = self.keys.get_mut(index) {
            *key = key.with_rate(rate);
        }
    }

    /// Lets the curve go from a key to the next as a Bézier curve with these two inner control values, which are a third and two thirds of the way in
    /// time.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for an index that has no next key; [`Error::NonFinite`] or [`Error::NotUnit`] for the values.
    pub fn set_bezier(&mut self, index: usize, inner: [V; 2]) -> Result<()> {
        let (Some(&key), Some(&next)) = (self.keys.get(index), self.keys.get(index + 1)) else {
            return Err(taken(index, index as f64, "the index of a key before another"));
        };
        let third = (next.time - key.time) / 3.0;
        let [first, second] = [inner[0].checked(index)?, inner[1].checked(index)?];
        let leave = V::steady_rate(key.value, first, third);
        self.keys[index] = Key { leave, interpolation: Interpolation::Cubic, ..key };
        self.keys[index + 1].arrive = V::steady_rate(second, next.value, third);
        Ok(())
    }

    /// The keys around a time and how far it is between them, in \[0, 1); `None` outside the keys.
    fn segment(&self, time: f64) -> Option<(&Key<V>, &Key<V>, f64)> {
        let after = self.keys.partition_point(|key| key.time <= time);
        let key = self.keys.get(after.checked_sub(1)?)?;
        let next = self.keys.get(after)?;
        Some((key, next, (time - key.time) / (next.time - key.time)))
    }

    /// The key whose value the curve keeps outside all segments.
    fn resting(&self, time: f64) -> Option<&Key<V>> {
        let first = self.keys.first()?;
        if time >= first.time { self.keys.last() } else { Some(first) }
    }
}

/// The cubic from one key to the next.
fn cubic<V: Animated>(key: &Key<V>, next: &Key<V>) -> V::Cubic {
    V::cubic([key.value, next.value], [key.leave, next.arrive], next.time - key.time)
}

/// A key whose numbers are what they must be.
fn checked<V: Animated>(key: Key<V>, index: usize) -> Result<Key<V>> {
    if !key.time.is_finite() {
        return Err(Error::NonFinite { what: "time of a key", index });
    }
    if !V::is_finite_rate(key.arrive) || !V::is_finite_rate(key.leave) {
        return Err(Error::NonFinite { what: "rate of a key", index });
    }
    Ok(Key { value: key.value.checked(index)?, ..key })
}

fn taken(index: usize, value: f64, need: &'static str) -> Error {
    Error::OutOfRange { what: "keys", index, value, need }
}

#[cfg(test)]
mod tests;
