//! An animation of a glTF, sampled as a clip.
//!
//! For a node with the local rotation `r` and translation `t` at rest, and the linear parts `L` (rotation and scale) of it and its ancestors,
//! the joint is placed on its parent's joint at the rotation `r` and the offset `S t`, where `S = R^-1 L_1 L_2 ...` with the rotation `R` and the linear
//! parts of all ancestors. A channel's rotation `rho` is the joint's motion `r^-1 rho`, its translation `tau` the motion `r^-1 S (tau - t)`.
//! Under uniform scales `S` is a factor. Under others it is constant, as at rest, so that bones keep their lengths. Uniform changes of scale are
//! applied (`scales.rs`).

use std::collections::BTreeMap;

use posekit::glam::{DMat3, DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{Joint, JointKind, Skeleton};
use posekit_motion::Clip;

use super::MotionOptions;
use super::frame_times::FrameTimes;
use super::scales::{HIDDEN, ScaleFactors, grows, shears};
use crate::error::{Error, Place, Result};
use crate::gltf::{Animation, Asset, Channel, Character, TargetPath};
use crate::limits::Limits;
use crate::warnings::Warnings;

/// A translation that varies by less than this fraction of the figure's size is constant: exporters write constant bones with the noise of single precision.
const STILL: f64 = 1e-5;

/// A translation between frames that differs by less than this fraction from the one at rest counts as it: scales follow curves there, frames straight lines.
const AT_REST: f64 = 1e-3;

/// The clip of an animation, and the data to write it back as keys.
#[derive(Debug)]
pub(super) struct GltfClip {
    clip: Clip,
    pub(super) parts: Vec<Part>,
    pub(super) frames: FrameTimes,
}

/// A joint and its node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) node: usize,
    /// The node's rotation at rest.
    rotation: DQuat,
    /// The node's translation where a free joint's position is zero.
    base: DVec3,
    /// From translations of the node to offsets of the joint, and the inverse.
    joint_from_node: DMat3,
    node_from_joint: Option<DMat3>,
}

/// The channels of an animation by their targets: searching a list of thousands for each joint would dominate the time.
pub(super) type ByTarget<'a> = BTreeMap<(usize, TargetPath), &'a Channel>;

/// The values of the channels of a joint's node, frame by frame.
struct Moves {
    rotations: Option<Vec<DQuat>>,
    translations: Option<Vec<DVec3>>,
}

impl GltfClip {
    /// - `movable`: joints that are free even if their translation is constant
    pub(super) fn new(
        (asset, movable): (&Asset, &[usize]),
        index: usize,
        options: &MotionOptions,
        limits: &Limits,
    ) -> Result<Self> {
        let animation = &asset.animations()[index];
        let Some(character) = asset.character() else {
            return Err(nothing(&format!("animations[{index}]")));
        };
        let frames = FrameTimes::of(&clock(asset, index), options.fps);
        let n_frames = frames.n_frames();
        // Checked before anything is allocated.
        let most = most_values(character.skeleton().n_joints()) * n_frames;
        if most > limits.animation_values as f64 {
            let what = format!("the number of values of {n_frames} frames (reduce the rate)");
            let limit = limits.animation_values;
            return Err(Error::TooLarge { what, limit, field: "animation_values" });
        }
        let channels = by_target(animation);
        let times: Vec<f64> = (0..frames.count()).map(|frame| frames.time(frame)).collect();
        let factors = ScaleFactors::of(character, &channels, &times, frames.snap);
        let mut parts = parts(character, &channels);
        let size = size(character);
        let mut joints = Vec::with_capacity(parts.len());
        let mut moves = Vec::with_capacity(parts.len());
        for (joint, part) in parts.iter_mut().enumerate() {
            let mut own = sampled(&channels, part.node, &frames);
            own.grow(factors.of_joint(joint), part.base);
            let kind = part.settle(character, joint, &mut own, STILL * size);
            let is_freed = kind == JointKind::Ball
                && movable.contains(&joint)
                && part.node_from_joint.is_some();
            let kind = if is_freed { JointKind::Free } else { kind };
            let mut made = Joint::new(character.skeleton().name(joint), kind)
                .at(Pose::new(part.rotation, part.joint_from_node * part.base));
            made.parent = character.skeleton().parent(joint);
            joints.push(made);
            moves.push(own);
        }
        let skeleton = Skeleton::try_new(joints)?;
        let values = values(&skeleton, &parts, &moves, frames.count());
        let clip = Clip::try_new(skeleton, frames.frame_time, values)?.with_start(frames.start);
        let clip = clip.with_up(options.up.unwrap_or(DVec3::Y))?;
        let unit = options.metres_per_unit.unwrap_or(1.0);
        Ok(Self { clip: clip.with_metres_per_unit(Some(unit)), parts, frames })
    }

    pub(super) const fn clip(&self) -> &Clip {
        &self.clip
    }
}

impl Moves {
    /// Multiplies offsets by the factors of the scales above.
    fn grow(&mut self, factors: Option<&[f64]>, at_rest: DVec3) {
        let Some(factors) = factors else { return };
        let places = self.translations.get_or_insert_with(|| vec![at_rest; factors.len()]);
        places.iter_mut().zip(factors).for_each(|(place, factor)| *place *= factor);
    }
}

impl Part {
    /// The kind of joint that can represent the motion; a constant translation becomes part of the joint's placement.
    fn settle(
        &mut self,
        character: &Character,
        joint: usize,
        own: &mut Moves,
        still: f64,
    ) -> JointKind {
        if let Some(places) = &own.translations
            && let Some(&first) = places.first()
        {
            let off = |place: &DVec3| (self.joint_from_node * (*place - first)).length();
            if places.iter().all(|place| off(place) <= still) || self.node_from_joint.is_none() {
                self.base = first;
                own.translations = None;
            }
        }
        let moves_freely = character.is_root(joint) && self.node_from_joint.is_some();
        let role = character.skeleton().kind(joint);
        match (&own.translations, &own.rotations) {
            (Some(_), _) => JointKind::Free,
            _ if moves_freely => JointKind::Free,
            (None, Some(_)) => JointKind::Ball,
            (None, None) => role,
        }
    }

    /// The rotation and the position in a joint's values, of a ball or a free joint.
    pub(super) fn node_rotation(&self, motion: DQuat) -> DQuat {
        self.rotation * motion
    }

    /// The node's translation for a free joint's position; `None` under a scale of zero.
    pub(super) fn node_translation(&self, position: DVec3) -> Option<DVec3> {
        Some(self.base + self.node_from_joint? * (self.rotation * position))
    }

    /// Whether a translation of the node equals the one at rest, within the tolerance between frames.
    pub(super) fn is_at_rest(&self, translation: DVec3) -> bool {
        (translation - self.base).length() <= AT_REST * self.base.length()
    }

    fn motion(&self, rotation: DQuat) -> DQuat {
        self.rotation.conjugate() * rotation
    }

    fn position(&self, translation: DVec3) -> DVec3 {
        self.rotation.conjugate() * (self.joint_from_node * (translation - self.base))
    }
}

/// The key times of all channels of an animation that rotate or move joints; if there are none, of all its channels.
fn clock(asset: &Asset, index: usize) -> Vec<&[f64]> {
    let animation = &asset.animations()[index];
    let channels = asset.character().map(|character| joint_channels(character, animation));
    let own: Vec<&[f64]> =
        channels.iter().flatten().map(|channel| channel.times.as_slice()).collect();
    if !own.is_empty() {
        return own;
    }
    let other_channels =
        asset.other_channels()[index].iter().map(|channel| channel.times.as_slice());
    animation
        .channels
        .iter()
        .map(|channel| channel.times.as_slice())
        .chain(other_channels)
        .collect()
}

/// The channels of an animation that rotate or move joints.
fn joint_channels<'a>(character: &Character, animation: &'a Animation) -> Vec<&'a Channel> {
    let (mut is_joint, mut carries) = (Vec::new(), Vec::new());
    for joint in 0..character.skeleton().n_joints() {
        let node = character.node(joint);
        if node >= is_joint.len() {
            is_joint.resize(node + 1, false);
            carries.resize(node + 1, false);
        }
        is_joint[node] = true;
        carries[node] = !character.skeleton().children(joint).is_empty();
    }
    let moves = |channel: &&Channel| {
        is_joint.get(channel.node) == Some(&true)
            && (channel.path != TargetPath::Scale || carries[channel.node] && grows(channel))
    };
    animation.channels.iter().filter(moves).collect()
}

/// The largest number of values in a frame of this number of joints: seven each.
pub(super) fn most_values(n_joints: usize) -> f64 {
    7.0 * n_joints as f64
}

/// The error of a file in which nothing can move.
pub(super) fn nothing(subject: &str) -> Error {
    let message = "the file has no nodes, so nothing can move".into();
    Error::Value { place: Place::named(subject), message }
}

/// The duration in which an animation moves joints, or anything else if it moves none \[s\]; 0 if there is no such animation.
pub(super) fn seconds(asset: &Asset, index: usize) -> f64 {
    let clock = asset.animations().get(index).map(|_| clock(asset, index));
    FrameTimes::span(&clock.unwrap_or_default()).map_or(0.0, |(start, end)| end - start)
}

pub(super) fn by_target(animation: &Animation) -> ByTarget<'_> {
    animation.channels.iter().map(|channel| ((channel.node, channel.path), channel)).collect()
}

/// The scale of a node at the start of an animation; if it is zero then, because the figure appears later, the largest scale.
pub(super) fn first_scale(channel: &Channel) -> Option<DVec3> {
    let at = |key: usize| DVec3::from_slice(channel.value(key));
    let size = |key: usize| at(key).abs().min_element();
    let larger = |best: usize, key: usize| if size(key) > size(best) { key } else { best };
    let largest = (0..channel.times.len()).reduce(larger)?;
    Some(at(if size(0) > HIDDEN * size(largest) { 0 } else { largest }))
}

/// Each joint at the start of the animation.
fn parts(character: &Character, channels: &ByTarget<'_>) -> Vec<Part> {
    let n_joints = character.skeleton().n_joints();
    // Rotations and linear parts in the world.
    let mut worlds: Vec<(DQuat, DMat3)> = Vec::with_capacity(n_joints);
    let mut parts = Vec::with_capacity(n_joints);
    for joint in 0..n_joints {
        let rest = character.rest(joint);
        let node = character.node(joint);
        let scale = channels.get(&(node, TargetPath::Scale));
        let linear = match scale.and_then(|channel| first_scale(channel)) {
            Some(scale) => DMat3::from_quat(rest.rotation) * DMat3::from_diagonal(scale),
            None => rest.linear,
        };
        let above = character.skeleton().parent(joint).map(|parent| worlds[parent]);
        let (turn, stretch) = above.unwrap_or((DQuat::IDENTITY, DMat3::IDENTITY));
        let joint_from_node = DMat3::from_quat(turn.conjugate()) * stretch;
        let back = joint_from_node.inverse();
        let node_from_joint =
            (joint_from_node.determinant() != 0.0 && back.is_finite()).then_some(back);
        parts.push(Part {
            node,
            rotation: rest.rotation,
            base: rest.translation,
            joint_from_node,
            node_from_joint,
        });
        worlds.push(((turn * rest.rotation).normalize(), stretch * linear));
    }
    parts
}

/// The size of a figure: the largest distance of a joint from the first, at rest.
fn size(character: &Character) -> f64 {
    let skeleton = character.skeleton();
    let poses = skeleton.poses(&skeleton.neutral());
    let off = |pose: &Pose| (pose.translation - poses[0].translation).length();
    poses.iter().map(off).fold(0.0, |most, off| if off > most { off } else { most })
}

fn sampled(channels: &ByTarget<'_>, node: usize, frames: &FrameTimes) -> Moves {
    let read = |path: TargetPath| {
        let channel = channels.get(&(node, path))?;
        let mut key = 0;
        let at = |frame| channel.sample(frames.time(frame), frames.snap, &mut key);
        Some((0..frames.count()).map(at).collect::<Vec<[f64; 4]>>())
    };
    let rotations = read(TargetPath::Rotation);
    let translations = read(TargetPath::Translation);
    Moves {
        rotations: rotations.map(|all| all.into_iter().map(DQuat::from_array).collect()),
        translations: translations
            .map(|all| all.into_iter().map(|[x, y, z, _]| DVec3::new(x, y, z)).collect()),
    }
}

/// The configurations of all frames.
fn values(skeleton: &Skeleton, parts: &[Part], moves: &[Moves], n_frames: usize) -> Vec<f64> {
    let n = skeleton.n_values();
    let neutral = skeleton.neutral();
    let mut values = Vec::with_capacity(n * n_frames);
    for frame in 0..n_frames {
        values.extend_from_slice(&neutral);
        let q = &mut values[frame * n..];
        for (joint, (part, own)) in parts.iter().zip(moves).enumerate() {
            let range = skeleton.value_range(joint);
            if let Some(rotations) = &own.rotations {
                let turn = part.motion(rotations[frame]).to_array();
                q[range.end - 4..range.end].copy_from_slice(&turn);
            }
            if let Some(translations) = &own.translations {
                let place = part.position(translations[frame]).to_array();
                q[range.start..range.start + 3].copy_from_slice(&place);
            }
        }
    }
    values
}

/// Warns of motions with very many keys per second and no steady rate, which are read with fewer frames.
pub(super) fn warn_of_rates(asset: &Asset, warnings: &mut Warnings) {
    for (index, animation) in asset.animations().iter().enumerate() {
        if let Some([keys, frames]) = FrameTimes::dropped_rate(&clock(asset, index)) {
            let name =
                animation.name.as_ref().map_or_else(String::new, |name| format!(" ({name})"));
            let message = format!(
                "it has about {keys:.0} keys per second without a steady rate; it is read at {frames:.0} fps unless another rate is given"
            );
            warnings.push(Place::named(format!("animations[{index}]{name}")), message);
        }
    }
}

/// Warns of changing scales above joints that are not applied.
pub(super) fn warn_of_scales(asset: &Asset, warnings: &mut Warnings) {
    let Some(character) = asset.character() else { return };
    let skeleton = character.skeleton();
    for (index, animation) in asset.animations().iter().enumerate() {
        let scales = |channel: &&Channel| channel.path == TargetPath::Scale;
        for channel in animation.channels.iter().filter(scales) {
            let joint = character.joint(channel.node);
            let carrier = joint.filter(|&joint| !skeleton.children(joint).is_empty());
            let Some(joint) = carrier.filter(|_| shears(channel)) else {
                continue;
            };
            let name =
                animation.name.as_ref().map_or_else(String::new, |name| format!(" ({name})"));
            let message = format!(
                "the scale of `{}` changes differently along its axes, which is not applied: the part below it keeps its initial size, so its feet may be misplaced",
                skeleton.name(joint)
            );
            warnings.push(Place::named(format!("animations[{index}]{name}")), message);
        }
    }
}
