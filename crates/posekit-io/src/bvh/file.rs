//! What a file holds, and the checks that hold for every one.

use core::fmt;
use core::ops::{Range, RangeInclusive};

use posekit::glam::DVec3;

use crate::error::{Error, Place, Result};

/// Sizes that an offset or a value may have. Programs keep them in `f32`; what is beyond it was infinite somewhere on its way.
pub(crate) const LARGEST: f64 = f32::MAX as f64;

/// Seconds from frame to frame that are believed. Outside, it is a slip: frames per second, a zero, a lost exponent.
pub(super) const FRAME_TIMES: RangeInclusive<f64> = 1e-6..=1e6;

/// An axis of a joint's frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Axis {
    /// The first.
    X,
    /// The second.
    Y,
    /// The third.
    Z,
}

impl Axis {
    /// All three, in order.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// 0, 1, 2.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The unit vector along it.
    #[must_use]
    pub const fn unit(self) -> DVec3 {
        match self {
            Self::X => DVec3::X,
            Self::Y => DVec3::Y,
            Self::Z => DVec3::Z,
        }
    }
}

/// What a number of a row means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Channel {
    /// A coordinate of the joint's place in its parent's frame \[units of the file\].
    Position(Axis),
    /// A turn about an axis \[degrees\].
    Rotation(Axis),
}

impl Channel {
    /// All six.
    pub const ALL: [Self; 6] = [
        Self::Position(Axis::X),
        Self::Position(Axis::Y),
        Self::Position(Axis::Z),
        Self::Rotation(Axis::X),
        Self::Rotation(Axis::Y),
        Self::Rotation(Axis::Z),
    ];

    /// The word in a file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Position(Axis::X) => "Xposition",
            Self::Position(Axis::Y) => "Yposition",
            Self::Position(Axis::Z) => "Zposition",
            Self::Rotation(Axis::X) => "Xrotation",
            Self::Rotation(Axis::Y) => "Yrotation",
            Self::Rotation(Axis::Z) => "Zrotation",
        }
    }

    /// The channel of this word, in any case.
    pub(super) fn from_word(word: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| word.eq_ignore_ascii_case(channel.name().as_bytes()))
    }
}

/// A `ROOT`, a `JOINT` or an `End Site`.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The name, byte for byte; mostly UTF-8. Of an End Site what follows these words, mostly nothing.
    pub name: Vec<u8>,
    /// Index of the node that it stands on; `None` for a root.
    pub parent: Option<usize>,
    /// Place in the parent's frame \[units of the file\].
    pub offset: DVec3,
    /// Its numbers in each row, in their order.
    pub channels: Vec<Channel>,
    /// True for an End Site, which has no channels and carries nothing.
    pub is_end_site: bool,
}

impl Node {
    /// The name as text; bytes that are not UTF-8 become U+FFFD.
    #[must_use]
    pub fn label(&self) -> String {
        String::from_utf8_lossy(&self.name).into_owned()
    }
}

/// A motion as a BVH file has it: nodes, frame time, and a row of channel values for each frame.
///
/// Nodes stand in the order of the file, each behind its parent, and a node's descendants directly behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    nodes: Vec<Node>,
    /// Where each node's channels begin in a row, and the end.
    starts: Vec<usize>,
    frame_time: f64,
    n_frames: usize,
    values: Vec<f64>,
}

impl File {
    /// A motion from its parts.
    ///
    /// - `nodes`: depth first, as they stand in a file
    /// - `frame_time`: from frame to frame \[seconds\]
    /// - `values`: frame after frame, in each the channels of all nodes \[degrees, units of the file\]
    ///
    /// # Errors
    /// - [`Error::Tree`] unless there are nodes, each right behind its parent or behind what else that carries, and End Sites carry nothing.
    /// - [`Error::Value`] for a name that a file cannot hold (a line end or a ` {` inside, blanks around it), channels given twice or on an End
    ///   Site, offsets and values that are not finite or too large for `f32`, a frame time outside 1e-6 to 1e6, and values that are not whole
    ///   rows.
    pub fn try_new(nodes: Vec<Node>, frame_time: f64, values: Vec<f64>) -> Result<Self> {
        check_tree(&nodes)?;
        nodes.iter().enumerate().try_for_each(|(index, node)| check_node(index, node))?;
        if !FRAME_TIMES.contains(&frame_time) {
            return Err(invalid("frame_time", frame_time_message(frame_time)));
        }
        let n_channels: usize = nodes.iter().map(|node| node.channels.len()).sum();
        if !values.len().is_multiple_of(n_channels.max(1))
            || (n_channels == 0 && !values.is_empty())
        {
            let message =
                format!("{} numbers are no whole rows of {n_channels} channels", values.len());
            return Err(invalid("values", message));
        }
        let is_good = |value: &f64| value.abs() <= LARGEST;
        if let Some(index) = values.iter().position(|value| !is_good(value)) {
            let message = format!("{} is not finite or too large", values[index]);
            return Err(invalid(format!("values[{index}]"), message));
        }
        Ok(Self::from_checked(nodes, frame_time, values))
    }

    /// A motion whose parts have been checked.
    pub(super) fn from_checked(nodes: Vec<Node>, frame_time: f64, values: Vec<f64>) -> Self {
        let starts = channel_starts(&nodes);
        let n_channels = starts[nodes.len()];
        let n_frames = values.len().checked_div(n_channels).unwrap_or(0);
        Self { nodes, starts, frame_time, n_frames, values }
    }

    /// Roots, joints and End Sites, in the order of the file.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Seconds from frame to frame.
    #[must_use]
    pub const fn frame_time(&self) -> f64 {
        self.frame_time
    }

    /// Number of frames. A file without any channel has none.
    #[must_use]
    pub const fn n_frames(&self) -> usize {
        self.n_frames
    }

    /// Numbers in a row.
    #[must_use]
    pub fn n_channels(&self) -> usize {
        self.starts[self.nodes.len()]
    }

    /// Where a node's numbers stand in a row.
    ///
    /// # Panics
    /// When there is no such node.
    #[must_use]
    pub fn channel_range(&self, node: usize) -> Range<usize> {
        self.starts[node]..self.starts[node + 1]
    }

    /// The values of one frame \[degrees, units of the file\].
    ///
    /// # Panics
    /// When there is no such frame.
    #[must_use]
    pub fn frame(&self, frame: usize) -> &[f64] {
        let n = self.n_channels();
        &self.values[frame * n..(frame + 1) * n]
    }

    /// The values of all frames, one behind the other.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The same nodes with other frames.
    ///
    /// # Errors
    /// As [`try_new`](Self::try_new).
    pub fn with_values(&self, values: Vec<f64>) -> Result<Self> {
        Self::try_new(self.nodes.clone(), self.frame_time, values)
    }

    /// The channel of a place in a row, for people: ``Xrotation of `Hips` ``.
    pub(super) fn channel_label(nodes: &[Node], channel: usize) -> String {
        let all = nodes.iter().flat_map(|node| node.channels.iter().map(move |own| (node, own)));
        match all.into_iter().nth(channel) {
            Some((node, own)) => format!("{} of {}", own.name(), shown(&node.name)),
            None => "behind the last channel".into(),
        }
    }
}

/// Where each node's channels begin, and the end.
fn channel_starts(nodes: &[Node]) -> Vec<usize> {
    let mut starts = Vec::with_capacity(nodes.len() + 1);
    let mut end = 0;
    for node in nodes {
        starts.push(end);
        end += node.channels.len();
    }
    starts.push(end);
    starts
}

/// Why a frame time is refused.
pub(super) fn frame_time_message(time: f64) -> String {
    let (least, most) = (FRAME_TIMES.start(), FRAME_TIMES.end());
    // Written out, a number far from 1 has hundreds of zeros.
    let is_near = time == 0.0 || (1e-9..=1e9).contains(&time.abs());
    let time = if is_near { format!("{time}") } else { format!("{time:e}") };
    format!(
        "a frame time of {time} s is not between {least} and {most} s; give the right one (`Options::with_frame_time`)"
    )
}

/// A name or another word of a file for a message: in backticks, on one line and not too long.
pub(super) fn shown(word: &[u8]) -> String {
    /// Bytes that are shown; no name of a joint that people gave is longer.
    const MOST: usize = 48;
    let text = String::from_utf8_lossy(&word[..word.len().min(MOST)]);
    let text: String = text.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect();
    let more = if word.len() > MOST { "…" } else { "" };
    format!("`{text}{more}`")
}

fn invalid(subject: impl Into<String>, message: impl fmt::Display) -> Error {
    Error::Value { place: Place::named(subject), message: message.to_string() }
}

fn node_subject(index: usize, node: &Node) -> String {
    format!("node {index}, {}", shown(&node.name))
}

/// Nodes must be in the order of a walk that goes deep first.
fn check_tree(nodes: &[Node]) -> Result<()> {
    let wrong = |index: usize, message: &str| {
        let place = Place::named(node_subject(index, &nodes[index]));
        Err(Error::Tree { place, message: message.into() })
    };
    let Some(first) = nodes.first() else {
        return Err(Error::Tree { place: Place::default(), message: "there are no nodes".into() });
    };
    if first.parent.is_some() {
        return wrong(0, "the first node must be a root");
    }
    // The way from a root to the node before.
    let mut path: Vec<usize> = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        while path.last().is_some_and(|&last| Some(last) != node.parent) {
            path.pop();
        }
        if node.parent.is_some() && path.is_empty() {
            return wrong(index, "a node must stand behind its parent or what else that carries");
        }
        if node.parent.is_some_and(|parent| nodes[parent].is_end_site) {
            return wrong(index, "an End Site carries nothing");
        }
        if node.is_end_site && node.parent.is_none() {
            return wrong(index, "an End Site needs a joint");
        }
        path.push(index);
    }
    Ok(())
}

fn check_node(index: usize, node: &Node) -> Result<()> {
    let subject = || node_subject(index, node);
    if !is_writable(&node.name) {
        let message =
            "a file cannot hold this name: it has blanks around it, a line end or a ` {` inside";
        return Err(invalid(subject(), message));
    }
    if node.is_end_site && !node.channels.is_empty() {
        return Err(invalid(subject(), "an End Site has no channels"));
    }
    for (place, channel) in node.channels.iter().enumerate() {
        if node.channels[..place].contains(channel) {
            return Err(invalid(subject(), format!("{} is given twice", channel.name())));
        }
    }
    if node.offset.to_array().iter().any(|value| value.is_nan() || value.abs() > LARGEST) {
        return Err(invalid(subject(), "the offset is not finite or too large"));
    }
    Ok(())
}

/// True for what comes back from a file as it was.
fn is_writable(name: &[u8]) -> bool {
    let is_blank = |byte: Option<&u8>| byte.is_some_and(|&byte| super::words::is_blank(byte));
    let breaks = |byte: &u8| matches!(byte, b'\n' | b'\r' | 0);
    !is_blank(name.first())
        && !is_blank(name.last())
        && !name.iter().any(breaks)
        && super::words::name_end(name) == name.len()
}
