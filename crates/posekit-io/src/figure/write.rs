//! How the fields of a figure are written that are not as they are in memory.

use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::{FigureFrame, FrameOwner};

/// Only the name, for a frame that is a joint's own.
impl Serialize for FigureFrame {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (&self.on, self.position, self.rotation) {
            (FrameOwner::Joint(name), None, None) => serializer.serialize_str(name),
            _ => Self::serialize(self, serializer),
        }
    }
}

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A name, or null.
pub(super) fn or_null<S: Serializer>(
    name: &Option<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match name {
        Some(name) => serializer.serialize_str(name),
        None => RawValue::NULL.serialize(serializer),
    }
}

/// Numbers by name.
pub(super) fn numbers<S: Serializer>(
    list: &[(String, f64)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(list.iter().map(|(name, value)| (name, value)))
}

/// The same for those that may not be there.
pub(super) fn some_numbers<S: Serializer>(
    list: &Option<Vec<(String, f64)>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    numbers(list.as_deref().unwrap_or_default(), serializer)
}

/// The names of axes.
pub(super) fn axes<S: Serializer>(
    which: &Option<[bool; 3]>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let names = ["x", "y", "z"].into_iter().zip(which.unwrap_or([true; 3]));
    serializer.collect_seq(names.filter(|(_, is)| *is).map(|(name, _)| name))
}

/// The two ends of a capsule, or the one of a sphere.
pub(super) fn ends<S: Serializer>(ends: &[[f64; 3]; 2], serializer: S) -> Result<S::Ok, S::Error> {
    let [a, b] = ends;
    serializer.collect_seq(if a == b { &ends[..1] } else { &ends[..] })
}
