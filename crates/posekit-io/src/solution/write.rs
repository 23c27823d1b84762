//! How the fields of a solution are written that are not as they are in memory.

use posekit::solve::HoldKind;
use serde::ser::{Serialize, Serializer};

use super::NamedValues;

/// A number, or a list of them, by name.
pub(crate) fn values<S: Serializer>(
    list: &[NamedValues],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(list.iter().map(|entry| (&entry.name, OneOrMany(&entry.values))))
}

/// The same for those that may not be there.
pub(super) fn some_values<S: Serializer>(
    list: &Option<Vec<NamedValues>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    values(list.as_deref().unwrap_or_default(), serializer)
}

struct OneOrMany<'a>(&'a [f64]);

impl Serialize for OneOrMany<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            [value] => serializer.serialize_f64(*value),
            values => values.serialize(serializer),
        }
    }
}

/// The name of a cause.
pub(super) fn word<S: Serializer>(kind: &HoldKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.word())
}
