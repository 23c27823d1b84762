//! Writes a pose into a file: some nodes get other rotations, all else is kept.

use std::collections::BTreeSet;

use posekit::glam::DQuat;

use super::asset::parse;
use super::container::Container;
use super::nodes::{Parts, matrix_parts, read_rotation};
use super::write::{elements, fields, numbers};
use crate::error::{Error, Place, Result};
use crate::json::{Spans, Splices};
use crate::limits::Limits;
use crate::rotation::check_unit;
use crate::warnings::Warnings;

/// The file with nodes rotated from where they are: the pose of a character as its pose at rest. Animations are kept and still start from their own keys.
///
/// - `turns`: nodes, each with a rotation in its own frame, such as the value of a ball joint
///
/// All else is copied byte for byte. A node with a matrix gets translation, rotation and scale instead.
///
/// # Errors
/// [`Error::Value`] with `nodes[i]` for a node that does not exist or is given twice, a rotation that is not of unit length, and a matrix that cannot be taken apart; those of
/// [`read_bytes`](super::read_bytes) for its container and its JSON.
pub fn with_pose(bytes: &[u8], turns: &[(usize, DQuat)], limits: &Limits) -> Result<Vec<u8>> {
    let container = Container::split(bytes, limits, &mut Warnings::new())?;
    let document = parse(&container, bytes, limits)?;
    let file = document.root().any_object()?;
    let nodes = file.optional("nodes").map_or(Ok(Vec::new()), |nodes| nodes.list())?;
    let spans = Spans::new(container.text(bytes)?);
    let in_text = elements(&spans, spans.field(spans.root(), "nodes"));
    let mut splices = Splices::new(&spans);
    let mut seen = BTreeSet::new();
    for &(index, turn) in turns {
        let fault = |message: String| Error::Value {
            place: Place::named(format!("nodes[{index}]")),
            message,
        };
        let (Some(node), Some(&object)) = (nodes.get(index), in_text.get(index)) else {
            return Err(fault(format!("there is no such node, only {}", nodes.len())));
        };
        if !seen.insert(index) {
            return Err(fault("the node is given twice".to_owned()));
        }
        check_unit(turn)
            .map_err(|length| fault(format!("a rotation has length {length}, not 1")))?;
        let node = node.any_object()?;
        match node.optional("matrix") {
            Some(matrix) => {
                let parts = matrix_parts(&matrix)?;
                let parts = parts.map_err(|reason| fault(format!("the node's matrix {reason}")))?;
                let rotation = parts.rotation * turn;
                if let Some(field) = spans.field(object, "matrix") {
                    splices.replace_field(field, &fields(&Parts { rotation, ..parts }));
                }
            }
            None => {
                let rest = node.optional("rotation").map(|field| read_rotation(&field));
                let rotation = rest.transpose()?.unwrap_or(DQuat::IDENTITY) * turn;
                splices.set(object, "rotation", numbers(&rotation.normalize().to_array()));
            }
        }
    }
    container.rebuild(bytes, &splices.apply(), None)
}
