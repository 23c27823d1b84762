//! Writes animations into a file, changing only the necessary parts of the text.

use std::collections::{BTreeMap, BTreeSet};

use posekit::glam::DVec3;

use super::accessors::Lists;
use super::animation::{Animation, Channel, Interpolation, is_same_in_file, single};
use super::asset::{Asset, Written, parse};
use super::nodes::{Parts, matrix_parts};
use super::other_channels::OtherChannel;
use super::store::{Own, Store, Text, bounds};
use super::usage::own_accessors;
use crate::error::{Error, Place, Result};
use crate::json::{Object, Spans, Splices, text_value};

/// Axes of a matrix in single precision whose lengths differ from 1 by less than this have unit length.
const ROUNDING: f64 = 1e-6;

/// The state while a file is edited.
struct Edit<'e, 'd> {
    asset: &'e Asset,
    text: Text<'e, 'd>,
    /// The values of the accessors in the text.
    accessors: Vec<usize>,
    splices: Splices<'e, 'd>,
    store: Store,
    own: Own,
    /// For each accessor, whether its numbers may be overwritten.
    is_own: Vec<bool>,
    /// The decomposed matrices of nodes that channels move.
    parts: BTreeMap<usize, Parts>,
}

/// An animation in the text.
struct InFile {
    samplers: usize,
    channels: usize,
    sampler_list: Vec<usize>,
    channel_list: Vec<usize>,
    /// For each sampler, whether only one channel uses it.
    is_own: Vec<bool>,
}

/// A channel that differs from the file, and the original if it could be read.
struct Change<'c> {
    old: Option<&'c Channel>,
    new: &'c Channel,
}

/// The file with these animations and other channels.
pub(super) fn write(
    asset: &Asset,
    (animations, other_channels): (&[Animation], &[Vec<OtherChannel>]),
    stem: &str,
) -> Result<Written> {
    let document = parse(&asset.container, &asset.bytes, &asset.limits)?;
    let file = document.root().any_object()?;
    let parts = check(&file, animations, asset.animations.len())?;
    for (index, channel) in other_channels
        .iter()
        .enumerate()
        .flat_map(|(i, list)| list.iter().map(move |channel| (i, channel)))
    {
        channel.check(index)?;
    }
    if is_unchanged(asset, animations, other_channels) {
        return Ok(Written { file: asset.bytes.clone(), buffers: Vec::new() });
    }
    let spans = Spans::new(asset.container.text(&asset.bytes)?);
    let lists = Lists::read(&file)?;
    let mut edit = Edit {
        asset,
        accessors: elements(&spans, spans.field(spans.root(), "accessors")),
        is_own: own_accessors(&file, &lists, &spans),
        splices: Splices::new(&spans),
        store: Store::new(lists.accessors.len()),
        own: Own::default(),
        parts,
        text: Text {
            spans: &spans,
            lists: &lists,
            data: asset.container.data(&asset.bytes),
            is_binary: asset.container.binary.is_some(),
        },
    };
    edit.change(animations, other_channels)?;
    edit.add(animations.get(asset.animations.len()..).unwrap_or_default())?;
    edit.take_matrices_apart();
    let Edit { text, mut splices, store, own, .. } = edit;
    let data = own.finish(&mut splices);
    let beside = store.finish(&text, &mut splices, data, stem)?;
    let file = asset.container.rebuild(&asset.bytes, &splices.apply(), beside.data.as_deref())?;
    Ok(Written { file, buffers: beside.file.into_iter().collect() })
}

/// Refuses animations that a reader would refuse. Returns the decomposed matrices of the nodes that they move.
fn check(
    file: &Object<'_>,
    animations: &[Animation],
    n_known: usize,
) -> Result<BTreeMap<usize, Parts>> {
    let mut parts = BTreeMap::new();
    let nodes = file.optional("nodes").map_or(Ok(Vec::new()), |nodes| nodes.list())?;
    for (i, animation) in animations.iter().enumerate() {
        if i >= n_known && animation.channels.is_empty() {
            let message = "a new animation needs at least one channel".into();
            return Err(Error::Value { place: Place::named(format!("animations[{i}]")), message });
        }
        let mut is_taken = BTreeSet::new();
        for (j, channel) in animation.channels.iter().enumerate() {
            let node = nodes.get(channel.node).and_then(|node| node.as_object());
            let matrix = node.as_ref().and_then(|node| node.optional("matrix"));
            let taken_apart = match matrix.map(|matrix| matrix_parts(&matrix)).transpose()? {
                Some(Ok(apart)) if !is_single(&apart) => {
                    Some("a number of the node's matrix leaves single precision".to_owned())
                }
                Some(Ok(apart)) => parts.insert(channel.node, apart).and(None),
                Some(Err(fault)) => Some(format!("the node's matrix {fault}")),
                None => None,
            };
            let fault = match node {
                None => Some(format!("there is no such node, only {}", nodes.len())),
                Some(_) if taken_apart.is_some() => taken_apart,
                Some(_) if !is_taken.insert((channel.node, channel.path)) => {
                    Some("another channel has the same target".to_owned())
                }
                Some(_) => channel
                    .fault_of_counts()
                    .or_else(|| channel.fault_of_times())
                    .or_else(|| channel.fault_of_values()),
            };
            if let Some(fault) = fault {
                let place = Place::named(format!("animations[{i}].channels[{j}]"));
                let message = format!("{} of node {}: {fault}", channel.path.name(), channel.node);
                return Err(Error::Value { place, message });
            }
        }
    }
    Ok(parts)
}

/// True when nothing changes in the file.
fn is_unchanged(
    asset: &Asset,
    animations: &[Animation],
    other_channels: &[Vec<OtherChannel>],
) -> bool {
    let is_same = |(old, new): (&Animation, &Animation)| {
        new_name(old, new).is_none() && changes(old, new).is_empty()
    };
    animations.len() <= asset.animations.len()
        && asset.animations.iter().zip(animations).all(is_same)
        && asset
            .other_channels
            .iter()
            .zip(other_channels)
            .all(|(old, new)| changed_other_channels(old, new).is_empty())
}

/// The new name of an animation, if it changes.
fn new_name<'n>(old: &Animation, new: &'n Animation) -> Option<&'n String> {
    new.name.as_ref().filter(|_| new.name != old.name)
}

/// The channels that are new or changed.
fn changes<'c>(old: &'c Animation, new: &'c Animation) -> Vec<Change<'c>> {
    let target = |channel: &Channel| (channel.node, channel.path);
    let known: BTreeMap<_, _> =
        old.channels.iter().map(|channel| (target(channel), channel)).collect();
    let change = |new: &'c Channel| {
        let old = known.get(&target(new)).copied();
        (!old.is_some_and(|old| old.is_same_in_file(new))).then_some(Change { old, new })
    };
    new.channels.iter().filter_map(change).collect()
}

/// The other channels whose times differ from the file.
fn changed_other_channels<'a>(
    old: &[OtherChannel],
    new: &'a [OtherChannel],
) -> Vec<&'a OtherChannel> {
    let is_other = |(old, new): &(&OtherChannel, &OtherChannel)| !old.is_same_in_file(new);
    old.iter().zip(new).filter(is_other).map(|(_, new)| new).collect()
}

impl Edit<'_, '_> {
    /// Changes the animations that the file has.
    fn change(
        &mut self,
        animations: &[Animation],
        other_channels: &[Vec<OtherChannel>],
    ) -> Result<()> {
        let (spans, asset) = (self.text.spans, self.asset);
        let in_text = elements(spans, spans.field(spans.root(), "animations"));
        for (index, (old, new)) in asset.animations.iter().zip(animations).enumerate() {
            if let Some(name) = new_name(old, new) {
                self.splices.set(in_text[index], "name", text_value(name));
            }
            let changes = changes(old, new);
            let others =
                changed_other_channels(&asset.other_channels[index], &other_channels[index]);
            if let Some(in_file) = InFile::find(spans, in_text[index])
                && !(changes.is_empty() && others.is_empty())
            {
                self.change_channels(&in_file, index, &changes, &others)?;
            }
        }
        Ok(())
    }

    fn change_channels(
        &mut self,
        in_file: &InFile,
        index: usize,
        changes: &[Change<'_>],
        other_channels: &[&OtherChannel],
    ) -> Result<()> {
        let spans = self.text.spans;
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for change in changes {
            let target = (change.new.node, change.new.path);
            let channel =
                self.asset.targets[index].get(&target).map(|&place| in_file.channel_list[place]);
            let field = channel.and_then(|channel| spans.field(channel, "sampler"));
            let sampler = field.and_then(|field| spans.index(field));
            if let Some(own) = sampler.filter(|&sampler| in_file.is_own.get(sampler) == Some(&true))
            {
                self.change_sampler(in_file.sampler_list[own], change)?;
                continue;
            }
            let new = in_file.sampler_list.len() + samplers.len();
            samplers.push(self.new_sampler(change.new)?);
            match field {
                Some(field) => self.splices.replace(field, new.to_string()),
                None => channels.push(channel_text(new, change.new)),
            }
        }
        for channel in other_channels {
            let new = in_file.sampler_list.len() + samplers.len();
            samplers.extend(self.change_other_channel(in_file, channel, new)?);
        }
        self.splices.add_elements(in_file.samplers, &samplers);
        self.splices.add_elements(in_file.channels, &channels);
        Ok(())
    }

    /// Gives a channel that does not move a node other times; its values are kept. Returns a new sampler if others share its sampler.
    ///
    /// - `new`: the index of a new sampler
    fn change_other_channel(
        &mut self,
        in_file: &InFile,
        channel: &OtherChannel,
        new: usize,
    ) -> Result<Option<String>> {
        let spans = self.text.spans;
        let field = spans.field(in_file.channel_list[channel.channel], "sampler");
        let Some((field, own)) = field.and_then(|field| Some((field, spans.index(field)?))) else {
            return Ok(None);
        };
        let Some(&sampler) = in_file.sampler_list.get(own) else { return Ok(None) };
        let input = self.store.add_times(&singles(&channel.times))?.to_string();
        let output = channel.cubic.as_ref().map(|cubic| {
            let (kind, width) = &cubic.kind;
            self.store.add(&singles(&cubic.values), *width, &format!("\"{kind}\"")).to_string()
        });
        if in_file.is_own.get(own) == Some(&true) {
            self.splices.set(sampler, "input", input);
            output.into_iter().for_each(|output| self.splices.set(sampler, "output", output));
            return Ok(None);
        }
        self.splices.replace(field, new.to_string());
        let text = |name| spans.field(sampler, name).map(|field| spans.text(field).to_owned());
        let output = output.or_else(|| text("output")).unwrap_or_default();
        let way = text("interpolation")
            .map_or_else(String::new, |way| format!(",\"interpolation\":{way}"));
        Ok(Some(format!("{{\"input\":{input},\"output\":{output}{way}}}")))
    }

    /// Gives other keys to a sampler that only one channel uses.
    fn change_sampler(&mut self, sampler: usize, change: &Change<'_>) -> Result<()> {
        let (spans, new) = (self.text.spans, change.new);
        if !change.old.is_some_and(|old| is_same_in_file(&old.times, &new.times)) {
            let input = self.store.add_times(&singles(&new.times))?;
            self.splices.set(sampler, "input", input.to_string());
        }
        let values = singles(&new.values);
        let is_same = change.old.is_some_and(|old| is_same_in_file(&old.values, &new.values));
        if !is_same && !self.write_over(sampler, new, &values)? {
            let output = self.store.add_values(&values, new.path.width());
            self.splices.set(sampler, "output", output.to_string());
        }
        let interpolation =
            spans.field(sampler, "interpolation").map_or("\"LINEAR\"", |field| spans.text(field));
        let name = text_value(new.interpolation.name());
        if interpolation != name {
            self.splices.set(sampler, "interpolation", name);
        }
        Ok(())
    }

    /// Overwrites the values of a sampler's output, if nothing else uses them and the new ones fit.
    fn write_over(&mut self, sampler: usize, new: &Channel, values: &[f32]) -> Result<bool> {
        let spans = self.text.spans;
        let index = spans.field(sampler, "output").and_then(|field| spans.index(field));
        let Some(index) = index.filter(|&index| self.is_own.get(index) == Some(&true)) else {
            return Ok(false);
        };
        let accessor = self.text.lists.accessor(index)?;
        let count = values.len() / new.path.width();
        let is_fit = accessor.width == new.path.width() && count as u64 <= accessor.count;
        let Some(span) = accessor.span.filter(|_| is_fit) else { return Ok(false) };
        if !self.own.put(&self.text, &span, values) {
            return Ok(false);
        }
        let place = self.accessors[index];
        if count as u64 != accessor.count {
            self.splices.set(place, "count", count.to_string());
        }
        let fields = ["min", "max"].map(|name| spans.field(place, name));
        if fields.iter().any(Option::is_some) {
            for (field, bound) in fields.into_iter().zip(bounds(values, new.path.width())?) {
                field.into_iter().for_each(|field| self.splices.replace(field, bound.clone()));
            }
        }
        Ok(true)
    }

    /// Writes translation, rotation and scale in place of the matrices of moved nodes, because the format forbids animating a matrix.
    fn take_matrices_apart(&mut self) {
        let spans = self.text.spans;
        let nodes = elements(spans, spans.field(spans.root(), "nodes"));
        for (&node, parts) in &self.parts {
            if let Some(field) = nodes.get(node).and_then(|&node| spans.field(node, "matrix")) {
                self.splices.replace_field(field, &fields(parts));
            }
        }
    }

    fn new_sampler(&mut self, channel: &Channel) -> Result<String> {
        let input = self.store.add_times(&singles(&channel.times))?;
        let output = self.store.add_values(&singles(&channel.values), channel.path.width());
        let way = match channel.interpolation {
            Interpolation::Linear => String::new(),
            other => format!(",\"interpolation\":\"{}\"", other.name()),
        };
        Ok(format!("{{\"input\":{input},\"output\":{output}{way}}}"))
    }

    /// Adds animations that the file does not have.
    fn add(&mut self, animations: &[Animation]) -> Result<()> {
        let mut texts = Vec::with_capacity(animations.len());
        for animation in animations {
            let (mut samplers, mut channels) = (Vec::new(), Vec::new());
            for (index, channel) in animation.channels.iter().enumerate() {
                samplers.push(self.new_sampler(channel)?);
                channels.push(channel_text(index, channel));
            }
            let name = animation
                .name
                .as_ref()
                .map_or_else(String::new, |name| format!("\"name\":{},", text_value(name)));
            let (samplers, channels) = (samplers.join(","), channels.join(","));
            texts.push(format!("{{{name}\"samplers\":[{samplers}],\"channels\":[{channels}]}}"));
        }
        self.splices.extend_list(self.text.spans.root(), "animations", &texts);
        Ok(())
    }
}

impl InFile {
    fn find(spans: &Spans<'_>, animation: usize) -> Option<Self> {
        let samplers = spans.field(animation, "samplers")?;
        let channels = spans.field(animation, "channels")?;
        let (sampler_list, channel_list) =
            (elements(spans, Some(samplers)), elements(spans, Some(channels)));
        let mut uses = vec![0_usize; sampler_list.len()];
        for &channel in &channel_list {
            let sampler = spans.field(channel, "sampler").and_then(|field| spans.index(field));
            if let Some(uses) = sampler.and_then(|sampler| uses.get_mut(sampler)) {
                *uses += 1;
            }
        }
        // An extension of the animation may use any of them.
        let is_plain = spans.field(animation, "extensions").is_none();
        let is_own = uses.iter().map(|&uses| uses == 1 && is_plain).collect();
        Some(Self { samplers, channels, sampler_list, channel_list, is_own })
    }
}

/// Whether single precision can represent a decomposed matrix: no number is too large, and no scale is rounded to zero.
fn is_single(parts: &Parts) -> bool {
    let numbers = parts.translation.to_array().into_iter().chain(parts.scale.to_array());
    numbers.map(single).all(f32::is_finite)
        && parts.scale.to_array().into_iter().all(|scale| single(scale) != 0.0)
}

/// The fields of a node that replace its matrix.
pub(super) fn fields(parts: &Parts) -> Vec<(&'static str, String)> {
    let mut fields = vec![
        ("translation", numbers(&parts.translation.to_array())),
        ("rotation", numbers(&parts.rotation.to_array())),
    ];
    if (parts.scale - DVec3::ONE).abs().max_element() > ROUNDING {
        fields.push(("scale", numbers(&parts.scale.to_array())));
    }
    fields
}

/// A list of numbers in single precision.
pub(super) fn numbers(values: &[f64]) -> String {
    // A zero of either sign is written as `0`.
    let texts: Vec<String> =
        values.iter().map(|&value| format!("{:?}", single(value) + 0.0)).collect();
    format!("[{}]", texts.join(","))
}

fn channel_text(sampler: usize, channel: &Channel) -> String {
    let (node, path) = (channel.node, channel.path.name());
    format!("{{\"sampler\":{sampler},\"target\":{{\"node\":{node},\"path\":\"{path}\"}}}}")
}

fn singles(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&value| single(value)).collect()
}

pub(super) fn elements(spans: &Spans<'_>, list: Option<usize>) -> Vec<usize> {
    list.map_or_else(Vec::new, |list| spans.children(list).collect())
}
