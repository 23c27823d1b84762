//! Channels that do not move a node's transform: morph target weights, and channels of extensions. They are retimed with the animation.

use super::animation::{fault_of_times, is_same_in_file};
use super::channels::{Sampler, Source};
use super::nodes::read_index;
use crate::error::{Error, Place, Result};
use crate::json::Cursor;

/// The keys of such a channel.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OtherChannel {
    /// Its index among the animation's channels in the file.
    pub(super) channel: usize,
    /// The times of the keys \[s\].
    pub(crate) times: Vec<f64>,
    /// The values of a cubic with their tangents, which are per second.
    pub(crate) cubic: Option<Cubic>,
}

/// The data of a cubic: for each key the in-tangents, the values, the out-tangents.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cubic {
    pub(crate) values: Vec<f64>,
    /// `SCALAR`, `VEC3` and so on, and the number of components.
    pub(super) kind: (String, usize),
}

impl OtherChannel {
    /// The keys of a channel; `None` if they cannot be read: nothing else needs them, so the file is not refused.
    ///
    /// - `cursor`: the channel
    /// - `room`: how many more numbers may be read
    pub(super) fn read<'d>(
        source: &mut Source<'_, '_, 'd>,
        samplers: &[Sampler<'d>],
        (channel, cursor): (usize, &Cursor<'d>),
        room: &mut usize,
    ) -> Option<Self> {
        let field = cursor.any_object().ok()?.required("sampler").ok()?;
        let sampler = samplers.get(read_index(&field, samplers.len(), "sampler").ok()?)?;
        let is_cubic = sampler.interpolation.parts() == 3;
        let lists = [Some(&sampler.times), is_cubic.then_some(&sampler.values)];
        let mut numbers = Vec::new();
        for accessor in lists.into_iter().flatten() {
            source.lists.check_compression(accessor).ok()?;
            // Without data the count may be arbitrarily large.
            if accessor.span.is_none() || !source.buffers.has_bytes(source.lists, accessor) {
                return None;
            }
            let count = usize::try_from(accessor.count).ok()?.checked_mul(accessor.width)?;
            *room = room.checked_sub(count)?;
            numbers.push(accessor.read(source.lists, &mut source.buffers).ok()?);
        }
        let mut numbers = numbers.into_iter();
        let times = numbers.next()?;
        let kind = (sampler.values.kind.to_owned(), sampler.values.width);
        let cubic = numbers.next().map(|values| Cubic { values, kind });
        let is_whole = |cubic: &Cubic| cubic.values.len().is_multiple_of(3 * times.len().max(1));
        let is_good = fault_of_times(&times).is_none() && cubic.as_ref().is_none_or(is_whole);
        is_good.then_some(Self { channel, times, cubic })
    }

    /// True when the times are the same in a file.
    pub(super) fn is_same_in_file(&self, other: &Self) -> bool {
        is_same_in_file(&self.times, &other.times)
    }

    /// Refuses times that a reader would refuse.
    ///
    /// - `animation`: the index of its animation
    pub(super) fn check(&self, animation: usize) -> Result<()> {
        fault_of_times(&self.times).map_or(Ok(()), |message| {
            let place = Place::named(format!("animations[{animation}].channels[{}]", self.channel));
            Err(Error::Value { place, message })
        })
    }
}
