//! How the fields of a figure are written that are not as they are in memory.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::{FigureFrame, FrameOwner};

/// A frame as it is written: only the name, for a joint's own.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields, rename = "FigureFrame"))]
#[serde(untagged)]
pub(super) enum WrittenFrame<'a> {
    /// The frame of a joint, by its name.
    Joint(&'a str),
    /// A frame on a joint or a link.
    Placed {
        /// The joint or link.
        #[serde(flatten)]
        on: &'a FrameOwner,
        /// Its position there \[m\]; by default the origin.
        #[serde(skip_serializing_if = "Option::is_none")]
        position: Option<[f64; 3]>,
        /// Its rotation there, x, y, z, w; by default the identity.
        #[serde(skip_serializing_if = "Option::is_none")]
        rotation: Option<[f64; 4]>,
    },
}

impl Serialize for FigureFrame {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { on, position, rotation } = self;
        let written = match (on, *position, *rotation) {
            (FrameOwner::Joint(name), None, None) => WrittenFrame::Joint(name),
            (on, position, rotation) => WrittenFrame::Placed { on, position, rotation },
        };
        written.serialize(serializer)
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
