//! Between files and skeletons: nodes as joints, rows as configurations and back.

use core::f64::consts::{PI, TAU};
use core::ops::Range;
use std::collections::BTreeSet;

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, so3_log};
use posekit::skeleton::{Frame, Joint, Skeleton};

use super::euler::{
    nearest, one_turn, put_rotation_of_three, rotation_of, sign_of, three_turns, two_turns,
};
use super::file::{Axis, Channel, File, Node, shown};
use super::number::rounded;
use crate::error::{Error, Place, Result};
use crate::warnings::Warnings;

const RADIANS: f64 = PI / 180.0;
const DEGREES: f64 = 180.0 / PI;

/// Smaller errors are rounding \[rad, and relative to a position\].
const ROUNDED: f64 = 1e-7;

/// What a file does not specify and its reader must.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Convention {
    /// The origin of position channels. [`survey`](super::survey) guesses it.
    pub positions: Positions,
    /// Metres, or units of the skeleton, in a unit of the file. Default 1: the skeleton has the file's unit.
    pub metres_per_unit: f64,
}

/// The origin of position channels. Both rules are in use; for zero offsets they agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Positions {
    /// Relative to the joint's `OFFSET`: zeros leave the joint at rest. The default.
    #[default]
    FromOffset,
    /// Relative to the parent's origin, or the world's: they replace the `OFFSET`.
    FromParent,
}

impl Default for Convention {
    fn default() -> Self {
        Self { positions: Positions::FromOffset, metres_per_unit: 1.0 }
    }
}

impl Convention {
    /// The same with another rule for positions.
    #[must_use]
    pub const fn with_positions(self, positions: Positions) -> Self {
        Self { positions, ..self }
    }

    /// The same with another unit \[metres\].
    #[must_use]
    pub const fn with_metres_per_unit(self, metres_per_unit: f64) -> Self {
        Self { metres_per_unit, ..self }
    }
}

/// A file's nodes as a skeleton, and the conversion between rows and configurations.
///
/// - A joint without channels is fixed. One rotation channel makes a hinge, one position channel a slide, two or three rotation channels a ball, anything
///   else a free joint: the simplest kind that can represent all channel values. It may represent more than the channels can; [`row`](Self::row) returns the loss.
/// - Joints are in the order of the file, at their offsets, without limits. The neutral configuration is the file's rest pose.
/// - Rotation channels are nested, the first outermost. They do not rotate position channels, whatever the order.
/// - End Sites are not joints but [tips](Self::tips); a joint without children has a tip at its own origin.
/// - A name is the file's, with bytes that are not UTF-8 replaced by U+FFFD. An empty name becomes `joint 7`, and a duplicate gets the suffix ` (joint 7)`,
///   with the number of the node.
///
/// The up axis is not changed.
#[derive(Debug, Clone)]
pub struct Rig {
    skeleton: Skeleton,
    parts: Vec<Part>,
    tips: Vec<Tip>,
    n_channels: usize,
    metres_per_unit: f64,
}

/// The end of a limb.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tip {
    /// The End Site's node, or that of a joint without children.
    pub node: usize,
    /// Its frame, for tasks.
    pub frame: Frame,
}

/// What the channels of a file cannot represent: the largest loss of any joint, without rounding.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Loss {
    /// Distance along axes without a position channel \[units of the skeleton\].
    pub distance: f64,
    /// Rotation that the rotation channels cannot represent \[rad\].
    pub angle: f64,
}

/// A joint and its channels.
#[derive(Debug, Clone)]
struct Part {
    node: usize,
    shape: Shape,
    /// The index of its values in a configuration.
    values: Range<usize>,
    /// Index in a row of the position channel along each axis.
    positions: [Option<usize>; 3],
    /// Subtracted from a position to make it relative to the offset \[units of the file\].
    base: DVec3,
    /// Indices in a row of the rotation channels, and their axes, outermost first.
    turns: Vec<(usize, Axis)>,
    /// [`sign_of`] three of these.
    sign: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Fixed,
    Hinge,
    Slide(Axis),
    Ball,
    Free,
}

impl Rig {
    /// The skeleton of a file.
    ///
    /// # Errors
    /// [`Error::Value`] for a unit that is not finite and above zero, [`Error::Skeleton`] if lengths are beyond the range of the library.
    ///
    /// # Example: lift a hip, keep the angles continuous
    /// ```
    /// use posekit_io::{Limits, Warnings, bvh};
    ///
    /// let text = b"HIERARCHY
    /// ROOT hip
    /// {
    ///     OFFSET 0 0 0
    ///     CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
    /// }
    /// MOTION
    /// Frames: 2
    /// Frame Time: 0.04
    /// 0 90 0 0 0 179
    /// 0 90 0 0 0 -179
    /// ";
    /// let warnings = &mut Warnings::new();
    /// let file = bvh::read_bytes(text, &bvh::Options::strict(), &Limits::default(), warnings)?;
    /// let rig = bvh::Rig::try_new(&file, &bvh::Convention::default(), warnings)?;
    /// let mut q = rig.configurations(&file);
    /// q.chunks_mut(rig.skeleton().n_values()).for_each(|frame| frame[1] += 5.0);
    /// let (values, loss) = rig.rows(&q, file.frame(0))?;
    /// let lifted = file.with_values(values)?;
    /// assert_eq!(lifted.frame(1)[1], 95.0);
    /// assert!((lifted.frame(1)[5] - 181.0).abs() < 1e-12);
    /// assert_eq!(loss.angle, 0.0);
    /// # Ok::<(), posekit_io::Error>(())
    /// ```
    pub fn try_new(file: &File, convention: &Convention, warnings: &mut Warnings) -> Result<Self> {
        let unit = convention.metres_per_unit;
        if !(unit.is_finite() && unit > 0.0) {
            let place = Place::named("metres_per_unit");
            let message = format!("a unit must be finite and above zero, not {unit}");
            return Err(Error::Value { place, message });
        }
        let mut names = Names::default();
        let mut joint_of = vec![0; file.nodes().len()];
        let (mut joints, mut parts, mut n_values) = (Vec::new(), Vec::new(), 0);
        for (index, node) in file.nodes().iter().enumerate().filter(|(_, node)| !node.is_end_site) {
            let mut part = Part::new(file, index, convention.positions);
            let name = names.of(index, node, warnings);
            let placement = Pose::from_translation(node.offset * unit);
            let joint = part.shape.joint(name, &part.turns).at(placement);
            part.values = n_values..n_values + joint.kind.n_values();
            n_values = part.values.end;
            joint_of[index] = joints.len();
            joints.push(match node.parent {
                Some(parent) => joint.child_of(joint_of[parent]),
                None => joint,
            });
            parts.push(part);
        }
        Ok(Self {
            skeleton: Skeleton::try_new(joints)?,
            parts,
            tips: tips(file.nodes(), &joint_of, unit),
            n_channels: file.n_channels(),
            metres_per_unit: unit,
        })
    }

    /// The skeleton.
    #[must_use]
    pub const fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// The ends of limbs, in the order of the file.
    #[must_use]
    pub fn tips(&self) -> &[Tip] {
        &self.tips
    }

    /// The node of a joint.
    ///
    /// # Panics
    /// When the skeleton has no such joint.
    #[must_use]
    pub fn node(&self, joint: usize) -> usize {
        self.parts[joint].node
    }

    /// The joint of a node; `None` for End Sites.
    #[must_use]
    pub fn joint(&self, node: usize) -> Option<usize> {
        self.parts.binary_search_by_key(&node, |part| part.node).ok()
    }

    /// Whether channels can represent every configuration of the joints.
    #[must_use]
    pub fn is_lossless(&self) -> bool {
        self.parts.iter().all(Part::is_lossless)
    }

    /// For each joint the axes of its rotation channels, outermost first, if these cannot represent all rotations of its kind.
    pub(crate) fn few_axes(&self) -> Vec<Option<Vec<DVec3>>> {
        let of_part = |part: &Part| {
            let is_few = matches!(part.shape, Shape::Ball | Shape::Free) && part.turns.len() < 3;
            is_few.then(|| part.turns.iter().map(|(_, axis)| axis.unit()).collect())
        };
        self.parts.iter().map(of_part).collect()
    }

    /// For each joint, along which axes it has a position channel.
    pub(crate) fn moves(&self) -> Vec<[bool; 3]> {
        self.parts.iter().map(|part| part.positions.map(|channel| channel.is_some())).collect()
    }

    /// The configuration of a row.
    ///
    /// - `row`: the values of one frame \[degrees, units of the file\]
    /// - `q`: a configuration of the skeleton, written
    ///
    /// # Degenerate cases
    /// Slices of the wrong length leave `q` unchanged.
    pub fn configuration(&self, row: &[f64], q: &mut [f64]) {
        if row.len() == self.n_channels && q.len() == self.skeleton.n_values() {
            self.parts.iter().for_each(|part| {
                part.read(row, &mut q[part.values.clone()], self.metres_per_unit);
            });
        }
    }

    /// The configurations of all frames of a file, one after the other.
    ///
    /// # Degenerate cases
    /// A file with another number of channels than the rig's gives none.
    #[must_use]
    pub fn configurations(&self, file: &File) -> Vec<f64> {
        let n = self.skeleton.n_values();
        if file.n_channels() != self.n_channels {
            return Vec::new();
        }
        let mut all = Vec::with_capacity(n * file.n_frames());
        let mut q = vec![0.0; n];
        for frame in 0..file.n_frames() {
            self.configuration(file.frame(frame), &mut q);
            all.extend_from_slice(&q);
        }
        all
    }

    /// The row of a configuration: of all rows with this pose, the one nearest to another row.
    ///
    /// A pose has several rows: angles may differ by whole turns, three angles by half a turn each, and if the middle one is a right angle the outer two share
    /// their sum freely (gimbal lock). With the previous frame as `near`, angles continue without jumps.
    ///
    /// - `q`: a settled configuration
    /// - `near`: a row, usually the previous frame \[degrees\]; only its angles count
    /// - `row`: written \[degrees, units of the file\], with at most eight decimals
    ///
    /// # Degenerate cases
    /// Slices of the wrong length leave `row` unchanged.
    pub fn row(&self, q: &[f64], near: &[f64], row: &mut [f64]) -> Loss {
        (0..self.parts.len())
            .fold(Loss::default(), |loss, joint| loss.or_more(self.joint_row(joint, q, near, row)))
    }

    /// [`row`](Self::row) for one joint: the other channels are unchanged.
    ///
    /// # Panics
    /// When the skeleton has no such joint.
    pub fn joint_row(&self, joint: usize, q: &[f64], near: &[f64], row: &mut [f64]) -> Loss {
        let (n, part) = (self.n_channels, &self.parts[joint]);
        if q.len() != self.skeleton.n_values() || near.len() != n || row.len() != n {
            return Loss::default();
        }
        part.write(&q[part.values.clone()], near, row, self.metres_per_unit)
    }

    /// [`joint_row`](Self::joint_row) for the positions only: the angles are unchanged.
    pub(crate) fn joint_places(&self, joint: usize, q: &[f64], row: &mut [f64]) -> Loss {
        let part = &self.parts[joint];
        if q.len() != self.skeleton.n_values() || row.len() != self.n_channels {
            return Loss::default();
        }
        let values = &q[part.values.clone()];
        match part.shape {
            Shape::Slide(axis) => {
                part.write_position(axis.index(), values[0], row, self.metres_per_unit);
                Loss::default()
            }
            Shape::Free => part.write_places(values, row, self.metres_per_unit),
            Shape::Fixed | Shape::Hinge | Shape::Ball => Loss::default(),
        }
    }

    /// True if the angles of a joint continue from one row to the next: none changes by a quarter turn or more.
    ///
    /// # Panics
    /// When the skeleton has no such joint, or a row is too short.
    pub(crate) fn goes_on(&self, joint: usize, before: &[f64], row: &[f64]) -> bool {
        let turns = &self.parts[joint].turns;
        turns.iter().all(|&(place, _)| (row[place] - before[place]).abs() < 0.25 * TAU * DEGREES)
    }

    /// The rows of a motion, each nearest to the previous one, so that angles never jump.
    ///
    /// - `configurations`: settled, one after the other
    /// - `near`: the row to which the first one is nearest, for instance the first row of the original file
    ///
    /// Returns the rows, and the largest loss of any frame.
    ///
    /// # Errors
    /// [`Error::Value`] for lengths that do not fit the rig.
    pub fn rows(&self, configurations: &[f64], near: &[f64]) -> Result<(Vec<f64>, Loss)> {
        let (n, n_values) = (self.n_channels, self.skeleton.n_values());
        if near.len() != n || configurations.len().checked_rem(n_values).unwrap_or(0) != 0 {
            let place = Place::named("configurations");
            let message = format!(
                "{} values and a row of {} do not fit a rig of {n_values} values and {n} channels",
                configurations.len(),
                near.len()
            );
            return Err(Error::Value { place, message });
        }
        let n_frames = configurations.len().checked_div(n_values).unwrap_or(0);
        let mut rows = vec![0.0; n * n_frames];
        let mut loss = Loss::default();
        for frame in 0..n_frames {
            let (done, rest) = rows.split_at_mut(frame * n);
            let before = if frame == 0 { near } else { &done[(frame - 1) * n..] };
            let q = &configurations[frame * n_values..(frame + 1) * n_values];
            loss = loss.or_more(self.row(q, before, &mut rest[..n]));
        }
        Ok((rows, loss))
    }
}

impl Loss {
    pub(crate) fn or_more(self, other: Self) -> Self {
        Self {
            distance: if other.distance > self.distance { other.distance } else { self.distance },
            angle: if other.angle > self.angle { other.angle } else { self.angle },
        }
    }
}

impl Shape {
    fn joint(self, name: String, turns: &[(usize, Axis)]) -> Joint {
        match self {
            Self::Fixed => Joint::fixed(name),
            Self::Hinge => Joint::revolute(name, turns[0].1.unit()),
            Self::Slide(axis) => Joint::prismatic(name, axis.unit()),
            Self::Ball => Joint::ball(name),
            Self::Free => Joint::free(name),
        }
    }
}

impl Part {
    /// The channels of a node; its index in a configuration is not known yet.
    fn new(file: &File, index: usize, rule: Positions) -> Self {
        let node = &file.nodes()[index];
        let mut positions = [None; 3];
        let mut turns = Vec::new();
        for (channel, place) in node.channels.iter().zip(file.channel_range(index)) {
            match *channel {
                Channel::Position(axis) => positions[axis.index()] = Some(place),
                Channel::Rotation(axis) => turns.push((place, axis)),
            }
        }
        let n_positions = positions.iter().flatten().count();
        let only = Axis::ALL.into_iter().find(|axis| positions[axis.index()].is_some());
        let shape = match (n_positions, turns.len(), only) {
            (0, 0, _) => Shape::Fixed,
            (0, 1, _) => Shape::Hinge,
            (1, 0, Some(axis)) => Shape::Slide(axis),
            (0, _, _) => Shape::Ball,
            _ => Shape::Free,
        };
        let base = if rule == Positions::FromParent { node.offset } else { DVec3::ZERO };
        let sign = match *turns.as_slice() {
            [(_, i), (_, j), (_, k)] => sign_of([i, j, k]),
            _ => 1.0,
        };
        Self { node: index, shape, values: 0..0, positions, base, turns, sign }
    }

    /// Whether its channels can represent every value of its joint.
    fn is_lossless(&self) -> bool {
        let turns = self.turns.len() == 3;
        match self.shape {
            Shape::Fixed | Shape::Hinge | Shape::Slide(_) => true,
            Shape::Ball => turns,
            Shape::Free => turns && self.positions.iter().all(Option::is_some),
        }
    }

    /// A position along an axis relative to the offset \[units of the file\]; zero without a channel.
    fn position(&self, axis: usize, row: &[f64]) -> f64 {
        self.positions[axis].map_or(0.0, |place| row[place] - self.base[axis])
    }

    fn read(&self, row: &[f64], values: &mut [f64], unit: f64) {
        match self.shape {
            Shape::Fixed => {}
            Shape::Hinge => values[0] = row[self.turns[0].0] * RADIANS,
            Shape::Slide(axis) => values[0] = self.position(axis.index(), row) * unit,
            Shape::Ball | Shape::Free => {
                let n_places = values.len() - 4;
                for (axis, value) in values[..n_places].iter_mut().enumerate() {
                    *value = self.position(axis, row) * unit;
                }
                if let Some(to) = values.last_chunk_mut() {
                    self.put_rotation(row, to);
                }
            }
        }
    }

    /// The rotation of its channels, as x, y, z, w.
    #[inline(always)]
    fn put_rotation(&self, row: &[f64], to: &mut [f64; 4]) {
        if let [(a, i), (b, j), (c, k)] = *self.turns.as_slice() {
            let angles = [row[a] * RADIANS, row[b] * RADIANS, row[c] * RADIANS];
            if angles[0] != 0.0 && angles[1] != 0.0 && angles[2] != 0.0 {
                put_rotation_of_three([i, j, k], self.sign, angles, to);
                return;
            }
        }
        *to = self.rotation(row).to_array();
    }

    fn rotation(&self, row: &[f64]) -> DQuat {
        rotation_of(self.turns.iter().map(|&(place, axis)| (axis, row[place] * RADIANS)))
    }

    fn write(&self, values: &[f64], near: &[f64], row: &mut [f64], unit: f64) -> Loss {
        let mut loss = Loss::default();
        match self.shape {
            Shape::Fixed => {}
            Shape::Hinge => {
                let place = self.turns[0].0;
                row[place] = rounded(nearest(values[0] * DEGREES, near[place], TAU * DEGREES));
            }
            Shape::Slide(axis) => self.write_position(axis.index(), values[0], row, unit),
            Shape::Ball => loss.angle = self.write_turns(rotation_in(values), near, row),
            Shape::Free => {
                loss = self.write_places(values, row, unit);
                loss.angle = self.write_turns(rotation_in(&values[3..]), near, row);
            }
        }
        loss
    }

    /// Writes the position of a free joint into its channels.
    fn write_places(&self, values: &[f64], row: &mut [f64], unit: f64) -> Loss {
        let mut missed = DVec3::ZERO;
        for axis in 0..3 {
            match self.positions[axis] {
                Some(_) => self.write_position(axis, values[axis], row, unit),
                None => missed[axis] = values[axis],
            }
        }
        let place = DVec3::new(values[0], values[1], values[2]);
        let is_any = missed.length() > ROUNDED * place.length();
        Loss { distance: if is_any { missed.length() } else { 0.0 }, angle: 0.0 }
    }

    fn write_position(&self, axis: usize, value: f64, row: &mut [f64], unit: f64) {
        if let Some(place) = self.positions[axis] {
            row[place] = rounded(value / unit + self.base[axis]);
        }
    }

    /// Writes a rotation into its channels; returns by how much they miss it \[rad\].
    fn write_turns(&self, rotation: DQuat, near: &[f64], row: &mut [f64]) -> f64 {
        let near_of = |turn: usize| near[self.turns[turn].0] * RADIANS;
        let put = |row: &mut [f64], turn: usize, angle: f64| {
            let place = self.turns[turn].0;
            row[place] = rounded(nearest(angle * DEGREES, near[place], TAU * DEGREES));
        };
        match *self.turns.as_slice() {
            [(_, i), (_, j), (_, k)] => {
                let near = [near_of(0), near_of(1), near_of(2)];
                let angles = three_turns(rotation, [i, j, k], near);
                (0..3).for_each(|turn| put(row, turn, angles[turn]));
                return 0.0;
            }
            [(_, i), (_, j)] => {
                let angles = two_turns(rotation, [i, j], [near_of(0), near_of(1)]);
                (0..2).for_each(|turn| put(row, turn, angles[turn]));
            }
            [(_, axis)] => put(row, 0, one_turn(rotation, axis, near_of(0))),
            _ => {}
        }
        let missed = so3_log(self.rotation(row).inverse() * rotation).length();
        if missed > ROUNDED { missed } else { 0.0 }
    }
}

fn rotation_in(values: &[f64]) -> DQuat {
    DQuat::from_xyzw(values[0], values[1], values[2], values[3])
}

/// The End Sites, and the joints without children.
fn tips(nodes: &[Node], joint_of: &[usize], unit: f64) -> Vec<Tip> {
    let mut tips = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        // A node's descendants follow it.
        let carries = nodes.get(index + 1).is_some_and(|next| next.parent == Some(index));
        let frame = match node.parent.filter(|_| node.is_end_site) {
            Some(parent) => {
                Frame::new(joint_of[parent], Pose::from_translation(node.offset * unit))
            }
            None if carries => continue,
            None => Frame::new(joint_of[index], Pose::IDENTITY),
        };
        tips.push(Tip { node: index, frame });
    }
    tips
}

/// Unique names for joints.
#[derive(Debug, Default)]
struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// The name of a node; its number if it has none, and with its number as a suffix if the name is taken.
    fn of(&mut self, index: usize, node: &Node, warnings: &mut Warnings) -> String {
        let plain = if node.name.is_empty() { format!("joint {index}") } else { node.label() };
        if self.taken.insert(plain.clone()) {
            return plain;
        }
        let mut name = format!("{plain} (joint {index})");
        while !self.taken.insert(name.clone()) {
            name.push('\'');
        }
        let place = Place::named(format!("node {index}, {}", shown(&node.name)));
        let own = shown(name.as_bytes());
        warnings.push(place, format!("another joint has this name; in the skeleton it is {own}"));
        name
    }
}
