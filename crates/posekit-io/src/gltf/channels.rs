//! Reads animations: the target of each channel, its interpolation, and its keys.

use std::collections::BTreeMap;

use super::accessors::{Accessor, Component, Lists};
use super::animation::{Animation, Channel, Interpolation, TargetPath};
use super::buffers::Buffers;
use super::nodes::{Tree, read_index};
use super::other_channels::OtherChannel;
use crate::error::{Error, Place, Result};
use crate::json::{Cursor, Object};
use crate::limits::Limits;
use crate::warnings::Warnings;

/// The indices in the file of all channels of an animation that move nodes, including those that could not be read.
pub(super) type Targets = BTreeMap<(usize, TargetPath), usize>;

/// The animations of a file, and the indices of their channels in it.
#[derive(Debug, Clone, Default)]
pub(super) struct Animations {
    pub(super) list: Vec<Animation>,
    /// One for each animation.
    pub(super) targets: Vec<Targets>,
    /// One list for each animation.
    pub(super) other_channels: Vec<Vec<OtherChannel>>,
}

/// The context of the reader.
pub(super) struct Source<'s, 'r, 'd> {
    pub(super) file: &'s Object<'d>,
    pub(super) tree: &'s Tree<'d>,
    pub(super) lists: &'s Lists<'d>,
    pub(super) buffers: Buffers<'r, 'd>,
    /// For each mesh, whether it has morph targets.
    pub(super) morphs: Vec<bool>,
    pub(super) limits: &'s Limits,
}

/// A sampler; several channels may share one.
pub(super) struct Sampler<'d> {
    input: Cursor<'d>,
    output: Cursor<'d>,
    pub(super) times: Accessor<'d>,
    pub(super) values: Accessor<'d>,
    pub(super) interpolation: Interpolation,
}

/// Reads all animations.
pub(super) fn read_animations(
    source: &mut Source<'_, '_, '_>,
    warnings: &mut Warnings,
) -> Result<Animations> {
    let mut animations = Animations::default();
    let Some(field) = source.file.optional("animations") else { return Ok(animations) };
    let list = field.list()?;
    if list.is_empty() {
        warn(warnings, &field, "the list must not be empty");
    }
    let mut room = source.limits.animation_values;
    for cursor in &list {
        let (animation, targets, other_channels) =
            read_animation(source, cursor, &mut room, warnings)?;
        animations.list.push(animation);
        animations.targets.push(targets);
        animations.other_channels.push(other_channels);
    }
    Ok(animations)
}

fn read_animation<'d>(
    source: &mut Source<'_, '_, 'd>,
    cursor: &Cursor<'d>,
    room: &mut usize,
    warnings: &mut Warnings,
) -> Result<(Animation, Targets, Vec<OtherChannel>)> {
    let fields = cursor.any_object()?;
    warn_of_unknown(&fields, &["channels", "samplers", "name"], warnings);
    let name = fields.optional("name").map(|name| name.text().map(str::to_owned)).transpose()?;
    let (channels, samplers) = (fields.required("channels")?, fields.required("samplers")?);
    let (channel_list, sampler_list) = (channels.list()?, samplers.list()?);
    for (field, list) in [(&channels, &channel_list), (&samplers, &sampler_list)] {
        if list.is_empty() {
            warn(warnings, field, "the list must not be empty");
        }
    }
    let samplers: Vec<Sampler<'_>> = sampler_list
        .iter()
        .map(|sampler| read_sampler(source.lists, sampler, warnings))
        .collect::<Result<_>>()?;
    let mut animation = Animation { name, channels: Vec::new() };
    let (mut targets, mut other_channels) = (Targets::new(), Vec::new());
    for (index, cursor) in channel_list.iter().enumerate() {
        let Some((sampler, node, path)) = read_target(source, cursor, samplers.len(), warnings)?
        else {
            other_channels.extend(OtherChannel::read(source, &samplers, (index, cursor), room));
            continue;
        };
        if let Some(first) = targets.insert((node, path), index) {
            let label = label(source, node, path);
            let target = channel_list[first].any_object()?.required("target")?;
            return Err(target.invalid(format!("channel {index} has the same target: {label}")));
        }
        let field = cursor.any_object()?.required("sampler")?;
        let channel =
            read_keys(source, (&field, &samplers[sampler]), (node, path), room, warnings)?;
        animation.channels.extend(channel);
    }
    Ok((animation, targets, other_channels))
}

fn read_sampler<'d>(
    lists: &Lists<'d>,
    cursor: &Cursor<'d>,
    warnings: &mut Warnings,
) -> Result<Sampler<'d>> {
    let fields = cursor.any_object()?;
    warn_of_unknown(&fields, &["input", "output", "interpolation"], warnings);
    let (input, output) = (fields.required("input")?, fields.required("output")?);
    let accessor =
        |field: &Cursor<'d>| lists.accessor(read_index(field, lists.accessors.len(), "accessor")?);
    let interpolation = match fields.optional("interpolation") {
        None => Interpolation::Linear,
        Some(field) => Interpolation::from_name(field.text()?)
            .ok_or_else(|| field.invalid("expected STEP, LINEAR or CUBICSPLINE"))?,
    };
    let (times, values) = (accessor(&input)?, accessor(&output)?);
    if (times.kind, times.component) != ("SCALAR", Component::F32) {
        let found =
            format!("times are SCALAR of FLOAT, not {} of {}", times.kind, times.component.name());
        return Err(input.invalid(found));
    }
    if times.count < interpolation.least_keys() as u64 {
        return Err(input.invalid(format!(
            "{} keys are too few for {}",
            times.count,
            interpolation.name()
        )));
    }
    if !times.has_bounds {
        warn(warnings, &input, "the accessor should have `min` and `max`");
    }
    for (field, accessor) in [(&input, &times), (&output, &values)] {
        if accessor.span.is_some_and(|span| span.is_strided) {
            warn(warnings, field, "the buffer view of an animation should have no `byteStride`");
        }
    }
    Ok(Sampler { input, output, times, values, interpolation })
}

/// The sampler, the node and the path of a channel; `None` for an ignored channel.
fn read_target(
    source: &Source<'_, '_, '_>,
    cursor: &Cursor<'_>,
    n_samplers: usize,
    warnings: &mut Warnings,
) -> Result<Option<(usize, usize, TargetPath)>> {
    let fields = cursor.any_object()?;
    warn_of_unknown(&fields, &["sampler", "target"], warnings);
    let sampler = read_index(&fields.required("sampler")?, n_samplers, "sampler")?;
    let target = fields.required("target")?;
    let object = target.any_object()?;
    warn_of_unknown(&object, &["node", "path"], warnings);
    let path_field = object.required("path")?;
    let path = path_field.text()?;
    let Some(node_field) = object.optional("node") else {
        // Extensions may animate other things than nodes; in the core format such a channel has no effect.
        warn(warnings, &target, "names no node; the channel is ignored");
        return Ok(None);
    };
    let node = read_index(&node_field, source.tree.len(), "node")?;
    let node_fields = source.tree.list[node].any_object()?;
    if path == "weights" {
        let mesh = node_fields.optional("mesh");
        let mesh = mesh.and_then(|mesh| source.morphs.get(mesh.as_index()?));
        if !mesh.is_some_and(|has_morphs| *has_morphs) {
            warn(warnings, &target, "the node has no morph targets");
        }
        return Ok(None);
    }
    let Some(path) = TargetPath::from_name(path) else {
        warn(warnings, &path_field, "is unknown; the channel is ignored");
        return Ok(None);
    };
    if node_fields.optional("matrix").is_some() {
        let label = label(source, node, path);
        return Err(target.invalid(format!("{label}: a node with a matrix cannot be moved")));
    }
    if node_fields.optional("skin").is_some() {
        warn(
            warnings,
            &path_field,
            "the node has a skinned mesh, which follows its joints instead",
        );
    }
    Ok(Some((sampler, node, path)))
}

/// The keys of a channel; `None` if the file has none.
fn read_keys<'d>(
    source: &mut Source<'_, '_, 'd>,
    (field, sampler): (&Cursor<'d>, &Sampler<'d>),
    (node, path): (usize, TargetPath),
    room: &mut usize,
    warnings: &mut Warnings,
) -> Result<Option<Channel>> {
    let label = label(source, node, path);
    check_form(&label, field, sampler, path)?;
    let n_times = sampler.times.count;
    for (field, accessor) in [(&sampler.input, &sampler.times), (&sampler.output, &sampler.values)]
    {
        source.lists.check_compression(accessor)?;
        if !source.buffers.has_bytes(source.lists, accessor) {
            warn(warnings, field, "has no data; the channel is ignored");
            return Ok(None);
        }
    }
    // Times are all different, so at most one of those without data can be valid.
    if let Some(sparse) = sampler.times.sparse.as_ref().filter(|_| sampler.times.span.is_none())
        && n_times > sparse.count + 1
    {
        return Err(sampler.input.invalid(format!(
            "{label}: {n_times} times, of which only {} have data",
            sparse.count
        )));
    }
    let numbers = (sampler.times.count).saturating_add(sampler.values.count.saturating_mul(4));
    let limit = source.limits.animation_values;
    match usize::try_from(numbers).ok().and_then(|numbers| room.checked_sub(numbers)) {
        Some(left) => *room = left,
        None => {
            let what = "the number of values of all animations together".into();
            return Err(Error::TooLarge { what, limit, field: "animation_values" });
        }
    }
    let times = sampler.times.read(source.lists, &mut source.buffers)?;
    let mut channel =
        Channel { node, path, interpolation: sampler.interpolation, times, values: Vec::new() };
    if let Some(fault) = channel.fault_of_times() {
        return Err(sampler.input.invalid(format!("{label}: {fault}")));
    }
    channel.values = sampler.values.read(source.lists, &mut source.buffers)?;
    if let Some(fault) = channel.fault_of_counts().or_else(|| channel.fault_of_values()) {
        return Err(sampler.output.invalid(format!("{label}: {fault}")));
    }
    if let Some((key, length)) = channel.stretched_rotation() {
        let message = format!("{label}: the rotation of key {key} has length {length}, not 1");
        warn(warnings, &sampler.output, &message);
    }
    Ok(Some(channel))
}

/// Compares the requirements of a channel with the descriptions of its accessors, before any number is read.
fn check_form(
    label: &str,
    field: &Cursor<'_>,
    sampler: &Sampler<'_>,
    path: TargetPath,
) -> Result<()> {
    let values = &sampler.values;
    let kind = if path == TargetPath::Rotation { "VEC4" } else { "VEC3" };
    let is_integer =
        matches!(values.component, Component::I8 | Component::U8 | Component::I16 | Component::U16);
    let is_form = values.component == Component::F32
        || path == TargetPath::Rotation && is_integer && values.is_normalized;
    if values.kind != kind || !is_form {
        let also = if path == TargetPath::Rotation { " or of normalised integers" } else { "" };
        let (found, form) = (values.kind, values.component.name());
        return Err(field
            .invalid(format!("{label}: values are {kind} of FLOAT{also}, not {found} of {form}")));
    }
    let parts = sampler.interpolation.parts() as u64;
    if sampler.times.count.checked_mul(parts) != Some(values.count) {
        let (times, values) = (sampler.times.count, values.count);
        let each = if parts == 1 { "" } else { ", three each" };
        return Err(field.invalid(format!("{label}: {times} times but {values} values{each}")));
    }
    Ok(())
}

/// A channel for messages: ``rotation of `knee` (node 4)``.
fn label(source: &Source<'_, '_, '_>, node: usize, path: TargetPath) -> String {
    match source.tree.names[node] {
        Some(name) => format!("{} of `{name}` (node {node})", path.name()),
        None => format!("{} of node {node}", path.name()),
    }
}

/// For each mesh of a file, whether it has morph targets.
pub(super) fn meshes_with_morphs(file: &Object<'_>) -> Vec<bool> {
    let has_targets = |mesh: &Cursor<'_>| {
        let primitives = mesh.as_object()?.optional("primitives")?.as_list()?;
        Some(primitives.first()?.as_object()?.optional("targets").is_some())
    };
    let meshes = file.optional("meshes").and_then(|meshes| meshes.as_list());
    meshes.unwrap_or_default().iter().map(|mesh| has_targets(mesh) == Some(true)).collect()
}

/// Warns of fields that the format does not have, except those with free content.
pub(super) fn warn_of_unknown(fields: &Object<'_>, known: &[&str], warnings: &mut Warnings) {
    for (name, field) in fields.fields() {
        if !known.contains(&name) && !matches!(name, "extensions" | "extras") {
            warn(warnings, &field, "is not a field of the format");
        }
    }
}

/// A warning that names a path. Finding the line would take a pass through the whole text for each, and there may be very many.
pub(super) fn warn(warnings: &mut Warnings, cursor: &Cursor<'_>, message: &str) {
    warnings.push(Place::named(cursor.path()), message);
}
