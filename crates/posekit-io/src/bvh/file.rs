//! The content of a file, and the checks for every file.

use core::fmt;
use core::ops::{Range, RangeInclusive};

use posekit::glam::DVec3;

use crate::error::{Error, Place, Result};

/// The largest size of an offset or a value. Programs keep them in `f32`, in which larger ones are infinite.
pub(crate) const LARGEST: f64 = f32::MAX as f64;

/// The accepted frame times in seconds. Others are mistakes: frames per second, a zero, a lost exponent.
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

/// The meaning of a number in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Channel {
    /// A coordinate of the joint's position in its parent's frame \[units of the file\].
    Position(Axis),
    /// A rotation about an axis \[degrees\].
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

    /// The keyword in a file.
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

    /// The channel with this keyword, in any case.
    pub(super) fn from_word(word: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| word.eq_ignore_ascii_case(channel.name().as_bytes()))
    }
}

/// A `ROOT`, a `JOINT` or an `End Site`.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The name, byte for byte; mostly UTF-8. For an End Site the text after the keyword, mostly empty.
    pub name: Vec<u8>,
    /// Index of its parent; `None` for a root.
    pub parent: Option<usize>,
    /// Position in the parent's frame \[units of the file\].
    pub offset: DVec3,
    /// Its channels, in the order of a row.
    pub channels: Vec<Channel>,
    /// True for an End Site, which has no channels and no children.
    pub is_end_site: bool,
}

impl Node {
    /// The name as text; bytes that are not UTF-8 become U+FFFD.
    #[must_use]
    pub fn label(&self) -> String {
        String::from_utf8_lossy(&self.name).into_owned()
    }
}

/// The motion in a BVH file: nodes, frame time, and a row of channel values for each frame.
///
/// Nodes are in the order of the file: depth first, parents before children.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    nodes: Vec<Node>,
    /// The index of each node's first channel in a row, and the end.
    starts: Vec<usize>,
    frame_time: f64,
    n_frames: usize,
    values: Vec<f64>,
}

impl File {
    /// A motion from its parts.
    ///
    /// - `nodes`: depth first, as in a file
    /// - `frame_time`: time between frames \[seconds\]
    /// - `values`: frame by frame the channels of all nodes \[degrees, units of the file\]
    ///
    /// # Errors
    /// - [`Error::Tree`] unless there are nodes, depth first, and End Sites have no children.
    /// - [`Error::Value`] for a name that a file cannot contain (a line end or a ` {` inside, blanks around it), duplicate channels or channels on an End
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
            let message = format!(
                "{} numbers are not a whole number of rows of {n_channels} channels",
                values.len()
            );
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

    /// The indices of a node's numbers in a row.
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

    /// The values of all frames, one after the other.
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

    /// The same motion with all offsets and positions times a factor: in another unit.
    ///
    /// # Errors
    /// As [`try_new`](Self::try_new).
    pub fn scaled(&self, factor: f64) -> Result<Self> {
        let channels: Vec<Channel> =
            self.nodes.iter().flat_map(|node| node.channels.iter().copied()).collect();
        let is_length = |index: usize| matches!(channels[index], Channel::Position(_));
        let scaled = |(index, value): (usize, &f64)| {
            if is_length(index % channels.len()) { value * factor } else { *value }
        };
        let values = self.values.iter().enumerate().map(scaled).collect();
        let nodes = self.nodes.iter().cloned();
        let nodes = nodes.map(|node| Node { offset: node.offset * factor, ..node }).collect();
        Self::try_new(nodes, self.frame_time, values)
    }

    /// The channel at an index of a row, for people: ``Xrotation of `Hips` ``.
    pub(super) fn channel_label(nodes: &[Node], channel: usize) -> String {
        let all = nodes.iter().flat_map(|node| node.channels.iter().map(move |own| (node, own)));
        match all.into_iter().nth(channel) {
            Some((node, own)) => format!("{} of {}", own.name(), shown(&node.name)),
            None => "after the last channel".into(),
        }
    }
}

/// The index of each node's first channel, and the end.
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

/// The error message for a frame time.
pub(super) fn frame_time_message(time: f64) -> String {
    let (least, most) = (FRAME_TIMES.start(), FRAME_TIMES.end());
    // Without an exponent, a number far from 1 could have hundreds of zeros.
    let is_near = time == 0.0 || (1e-9..=1e9).contains(&time.abs());
    let time = if is_near { format!("{time}") } else { format!("{time:e}") };
    format!(
        "a frame time of {time} s is not between {least} and {most} s; give the correct one (`Options::with_frame_time`)"
    )
}

/// A name or another word of a file for a message: in backticks, on one line and not too long.
pub(super) fn shown(word: &[u8]) -> String {
    /// The largest number of bytes shown; joint names made by people are shorter.
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

/// Checks that nodes are in depth-first order.
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
    // The path from a root to the previous node.
    let mut path: Vec<usize> = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        while path.last().is_some_and(|&last| Some(last) != node.parent) {
            path.pop();
        }
        if node.parent.is_some() && path.is_empty() {
            return wrong(index, "nodes must be in depth-first order");
        }
        if node.parent.is_some_and(|parent| nodes[parent].is_end_site) {
            return wrong(index, "an End Site has no children");
        }
        if node.is_end_site && node.parent.is_none() {
            return wrong(index, "an End Site needs a parent");
        }
        path.push(index);
    }
    Ok(())
}

fn check_node(index: usize, node: &Node) -> Result<()> {
    let subject = || node_subject(index, node);
    if !is_writable(&node.name) {
        let message =
            "a file cannot contain this name: it has blanks around it, a line end or a ` {` inside";
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

/// True for a name that a file preserves.
fn is_writable(name: &[u8]) -> bool {
    let is_blank = |byte: Option<&u8>| byte.is_some_and(|&byte| super::lexer::is_blank(byte));
    let breaks = |byte: &u8| matches!(byte, b'\n' | b'\r' | 0);
    !is_blank(name.first())
        && !is_blank(name.last())
        && !name.iter().any(breaks)
        && super::lexer::name_end(name) == name.len()
}
