//! Channels that move no part of a node's transform: the weights of shapes, and what extensions move. They go along when an animation gets another time.

use super::animation::{fault_of_times, is_same_in_file};
use super::channels::{Sampler, Source};
use super::nodes::read_index;
use crate::error::{Error, Place, Result};
use crate::json::Cursor;

/// The keys of such a channel.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Aside {
    /// Which of the animation's channels in the file it is.
    pub(super) channel: usize,
    /// When each key is \[s\].
    pub(crate) times: Vec<f64>,
    /// Of a cubic its values with their tangents, which are by the second.
    pub(crate) cubic: Option<Cubic>,
}

/// What the keys of a cubic say: of each the tangents that lead in, the values, the tangents that lead out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cubic {
    pub(crate) values: Vec<f64>,
    /// `SCALAR`, `VEC3` and so on, and how many numbers that is.
    pub(super) kind: (String, usize),
}

impl Aside {
    /// The keys of a channel; `None` where they cannot be read: nothing else needs them, so that they are no reason to refuse the file.
    ///
    /// - `cursor`: the channel
    /// - `room`: how many numbers may still be read
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
            // What is written down nowhere may be of any length.
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

    /// True when a file would hold the same times.
    pub(super) fn is_same_in_file(&self, other: &Self) -> bool {
        is_same_in_file(&self.times, &other.times)
    }

    /// Refuses times that a reader would refuse.
    ///
    /// - `animation`: which it belongs to
    pub(super) fn check(&self, animation: usize) -> Result<()> {
        fault_of_times(&self.times).map_or(Ok(()), |message| {
            let place = Place::named(format!("animations[{animation}].channels[{}]", self.channel));
            Err(Error::Value { place, message })
        })
    }
}
