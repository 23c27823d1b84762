//! Guesses at what the format does not specify. Nothing here changes a file or a rig.

use core::fmt;

use posekit::glam::DVec3;

use super::file::{Axis, Channel, File, Node};
use super::rig::{Convention, Positions, Rig};
use crate::warnings::Warnings;

/// Number of frames examined, spread over the motion.
const SAMPLES: usize = 64;

/// The length along the bones from a foot via the hips to the head of an adult \[metres\].
const STATURE: f64 = 1.5;

/// Units in use \[metres\]: millimetres, centimetres, inches, that of the CMU skeletons (an inch over 0.45), decimetres, metres.
const UNITS: [f64; 6] = [0.001, 0.01, 0.0254, 0.0254 / 0.45, 0.1, 1.0];

/// A unit is guessed only if the figure is as large as an adult or a child with it.
const FARTHEST: f64 = 1.6;

/// The fraction of the length from feet to head that must be along one axis, on average over the motion, for this to be the up axis.
const UPRIGHT: f64 = 0.8;

/// The tolerance for a position at an offset, or at zero, as a fraction of the offset's coordinate.
const THERE: f64 = 0.4;

/// The guesses, with their evidence; `None` where nothing is known.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Survey {
    /// The direction from feet to heads, by the names of joints.
    pub up: Option<Upward>,
    /// True if heads and feet are not conclusive, and up is the direction from the feet to the hips at rest: a weak guess, because not all figures stand at rest.
    pub is_up_by_rest: bool,
    /// The length along the bones from a foot to the head, by the names of joints \[units of the file\].
    pub stature: Option<f64>,
    /// The unit with which that is closest to an adult's \[metres\].
    pub metres_per_unit: Option<f64>,
    /// The rule for positions that keeps joints near their offsets; `None` if the two agree or there is no evidence.
    pub positions: Option<Positions>,
}

/// A direction along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Upward {
    /// The axis.
    pub axis: Axis,
    /// True if up is its negative direction.
    pub is_negative: bool,
}

/// Guesses the up axis, the unit, and the origin of positions in a file.
///
/// They are for people and for the defaults of a command, which should report them. Up and unit come from joints that have `head`, `foot`, `ankle` or
/// `toe` in their names, and up, if these are not conclusive, from two legs or more at rest; a figure of unusual size, or one that is lying down, gives wrong guesses.
#[must_use]
pub fn survey(file: &File) -> Survey {
    let positions = guess_positions(file);
    let stature = stature(file.nodes());
    let metres_per_unit = stature.and_then(|stature| {
        let off = |unit: &f64| {
            let ratio = stature * unit / STATURE;
            if ratio < 1.0 { 1.0 / ratio } else { ratio }
        };
        let best = UNITS.into_iter().min_by(|a, b| off(a).total_cmp(&off(b)))?;
        (off(&best) < FARTHEST).then_some(best)
    });
    let by_motion = guess_up(file, positions);
    let up = by_motion.or_else(|| up_at_rest(file.nodes()));
    let is_up_by_rest = by_motion.is_none() && up.is_some();
    Survey { up, is_up_by_rest, stature, metres_per_unit, positions }
}

impl fmt::Display for Survey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.up {
            Some(Upward { axis, is_negative }) => {
                write!(f, "{}{axis:?} is probably up", if is_negative { "-" } else { "" })?;
                if self.is_up_by_rest {
                    f.write_str(" (by its legs at rest)")?;
                }
            }
            None => f.write_str("the up axis is unknown")?,
        }
        match (self.stature, self.metres_per_unit) {
            (Some(stature), Some(unit)) => {
                write!(f, "; from foot to head {stature:.2} units")?;
                write!(f, ", {:.2} m if a unit is {unit:.4} m", stature * unit)?;
            }
            (Some(stature), None) => {
                write!(f, "; from foot to head {stature:.2} units, which fits no usual unit")?
            }
            (None, _) => f.write_str("; the unit is unknown")?,
        }
        match self.positions {
            Some(Positions::FromOffset) => f.write_str("; positions are relative to the offsets"),
            Some(Positions::FromParent) => f.write_str("; positions replace the offsets"),
            None => Ok(()),
        }
    }
}

/// The frames examined.
fn samples(file: &File) -> impl Iterator<Item = usize> + use<> {
    let n_frames = file.n_frames();
    let n = if n_frames < SAMPLES { n_frames } else { SAMPLES };
    // 128 bits: the product of two counts.
    (0..n).map(move |sample| (sample as u128 * n_frames as u128 / n as u128) as usize)
}

fn is_named(node: &Node, parts: &[&str]) -> bool {
    let name = node.label().to_lowercase();
    !node.is_end_site && parts.iter().any(|part| name.contains(part))
}

fn heads_and_feet(nodes: &[Node]) -> (Vec<usize>, Vec<usize>) {
    let named = |parts: &[&str]| (0..nodes.len()).filter(|&i| is_named(&nodes[i], parts)).collect();
    (named(&["head"]), named(&["foot", "ankle", "toe"]))
}

/// The length along the bones between the first head and the first foot.
fn stature(nodes: &[Node]) -> Option<f64> {
    let (heads, feet) = heads_and_feet(nodes);
    let (mut a, mut b) = (*heads.first()?, *feet.first()?);
    let mut length = 0.0;
    // Children have larger indices than their parents, so the larger index moves up until both meet.
    while a != b {
        let lower = if a > b { &mut a } else { &mut b };
        length += nodes[*lower].offset.length();
        *lower = nodes[*lower].parent?;
    }
    (length > 0.0 && length.is_finite()).then_some(length)
}

/// The axis from feet to heads, on average.
fn guess_up(file: &File, positions: Option<Positions>) -> Option<Upward> {
    let convention = Convention::default().with_positions(positions.unwrap_or_default());
    let rig = Rig::try_new(file, &convention, &mut Warnings::new()).ok()?;
    let (heads, feet) = heads_and_feet(file.nodes());
    if heads.is_empty() || feet.is_empty() {
        return None;
    }
    let mut q = rig.skeleton().neutral();
    let mut sum = DVec3::ZERO;
    let mut lengths = 0.0;
    let mut frames: Vec<Option<usize>> = samples(file).map(Some).collect();
    if frames.is_empty() {
        // Without frames, the rest pose.
        frames.push(None);
    }
    for frame in frames {
        if let Some(frame) = frame {
            rig.configuration(file.frame(frame), &mut q);
        }
        let poses = rig.skeleton().poses(&q);
        let middle = |nodes: &[usize]| -> DVec3 {
            let joints = nodes.iter().filter_map(|&node| rig.joint(node));
            joints.map(|joint| poses[joint].translation).sum::<DVec3>() / nodes.len() as f64
        };
        let upward = middle(&heads) - middle(&feet);
        sum += upward;
        lengths += upward.length();
    }
    clear_axis(sum, lengths)
}

/// The axis along which most of a displacement is; `None` if no axis has enough of it.
///
/// - `lengths`: the total length of its parts
fn clear_axis(sum: DVec3, lengths: f64) -> Option<Upward> {
    let along = |axis: &Axis| sum[axis.index()].abs();
    let axis = Axis::ALL.into_iter().max_by(|a, b| along(a).total_cmp(&along(b)))?;
    let is_clear = lengths > 0.0 && along(&axis) > UPRIGHT * lengths;
    is_clear.then(|| Upward { axis, is_negative: sum[axis.index()] < 0.0 })
}

/// The axis from ankles up to the hips, by the offsets alone, for a figure that sits or lies in all frames, or has no head.
fn up_at_rest(nodes: &[Node]) -> Option<Upward> {
    // Only the first joint of a leg that is named as a foot, an ancestor of the others: toes point forward.
    let (_, feet) = heads_and_feet(nodes);
    let is_foot = |node: usize| feet.binary_search(&node).is_ok();
    let above =
        |node: usize| core::iter::successors(nodes[node].parent, |&node| nodes[node].parent);
    let ankles: Vec<usize> =
        feet.iter().copied().filter(|&foot| !above(foot).any(is_foot)).collect();
    let [first, others @ ..] = ankles.as_slice() else { return None };
    let carries_all =
        |joint: usize| others.iter().all(|&foot| above(foot).any(|node| node == joint));
    let body = above(*first).find(|&joint| !others.is_empty() && carries_all(joint))?;
    let upward = |foot: usize| -> DVec3 {
        let below = above(foot).take_while(|&node| node != body);
        -(nodes[foot].offset + below.map(|node| nodes[node].offset).sum::<DVec3>())
    };
    let sum: DVec3 = ankles.iter().map(|&foot| upward(foot)).sum();
    clear_axis(sum, ankles.iter().map(|&foot| upward(foot).length()).sum())
}

/// Each joint with positions and an offset votes, by the longest coordinate of the offset that agrees with one of the rules.
fn guess_positions(file: &File) -> Option<Positions> {
    let (mut from_offset, mut from_parent) = (0, 0);
    for (index, node) in file.nodes().iter().enumerate() {
        match rule_of(file, index, node) {
            Some(Positions::FromOffset) => from_offset += 1,
            Some(Positions::FromParent) => from_parent += 1,
            None => {}
        }
    }
    match from_offset - from_parent {
        0 => None,
        more if more > 0 => Some(Positions::FromOffset),
        _ => Some(Positions::FromParent),
    }
}

/// The vote of a joint: the rule that keeps it near its offset; `None` if its offset is zero or it stays near neither.
pub(crate) fn rule_of(file: &File, index: usize, node: &Node) -> Option<Positions> {
    // The length of the coordinate, and the rule that it supports.
    let mut best: Option<(f64, Positions)> = None;
    for (channel, place) in node.channels.iter().zip(file.channel_range(index)) {
        let Channel::Position(axis) = *channel else { continue };
        let offset = node.offset[axis.index()];
        if offset == 0.0 {
            continue;
        }
        let median = |from: f64| {
            let off = |frame: usize| ((file.frame(frame)[place] - from) / offset).abs();
            let mut all: Vec<f64> = samples(file).map(off).collect();
            all.sort_by(f64::total_cmp);
            all.get(all.len() / 2).copied()
        };
        let (at_rest, at_offset) = (median(0.0)?, median(offset)?);
        let (off, rule) = if at_rest <= at_offset {
            (at_rest, Positions::FromOffset)
        } else {
            (at_offset, Positions::FromParent)
        };
        let weight = offset.abs() * (1.0 - off);
        if off < THERE && best.is_none_or(|(most, _)| weight > most) {
            best = Some((weight, rule));
        }
    }
    best.map(|(_, rule)| rule)
}
