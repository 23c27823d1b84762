//! Writes any clip as a GLB.

use std::collections::BTreeMap;

use posekit::glam::{DMat4, DQuat, DVec3};
use posekit::math::{Pose, shortest_rotation};
use posekit::skeleton::{JointKind, Skeleton};
use posekit_motion::Clip;

use super::key_reduction::{Moves, Rest, Track, reduce_keys};
use crate::error::{Error, Place, Result};
use crate::gltf::{NewFile, container};
use crate::json::text_value;

/// The bytes of a file with nodes, a skin without a mesh that lists the bones, and one animation.
///
/// The format specifies metres and y up: lengths are multiplied by the clip's [unit](Clip::metres_per_unit) if it is known, and the roots are rotated so that
/// the clip's [up](Clip::up) is +y. Joints with constant values have one key, those at rest none; if no joint moves, the first
/// has one at every frame.
///
/// - `name`: the name of the animation
///
/// # Errors
/// [`Error::Value`] for a clip without frames, one that begins before 0 s or whose frames coincide in single precision, and for lengths beyond it.
pub fn to_glb(clip: &Clip, name: &str) -> Result<Vec<u8>> {
    check(clip)?;
    let figure = Figure::new(clip);
    written(&figure, &figure.tracks(clip), &times(clip), name)
}

/// The result of [`to_glb_within`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thinned {
    /// The bytes of the file.
    pub file: Vec<u8>,
    /// The number of keys of all channels together.
    pub kept: usize,
    /// The number with a key at every frame.
    pub of: usize,
}

/// The same as [`to_glb`] with fewer keys: with linear interpolation no joint deviates by more than a distance at any frame.
/// That is checked at every frame. Joints without children deviate in rotation by at most the distance at a tenth of the figure. Key reduction suits motions with
/// many frames per second: at low rates most keys remain, and if the file would not be smaller, all of them do. If the remaining keys do not determine
/// the number of frames, one channel keeps all of its keys.
///
/// - `distance`: the bound \[m\]
///
/// # Errors
/// As [`to_glb`], and [`Error::Value`] for a distance that is negative or not finite.
pub fn to_glb_within(clip: &Clip, name: &str, distance: f64) -> Result<Thinned> {
    if !(distance.is_finite() && distance >= 0.0) {
        let message = format!("{distance} is not a valid distance");
        return Err(Error::Value { place: Place::named("distance"), message });
    }
    check(clip)?;
    let figure = Figure::new(clip);
    let mut tracks = figure.tracks(clip);
    let count = |tracks: &[Track]| tracks.iter().map(|track| track.keys.len()).sum();
    let (of, times) = (count(&tracks), times(clip));
    let parents = (0..figure.n_joints()).map(|joint| figure.skeleton.parent(joint)).collect();
    let rest = Rest { parents, locals: &figure.rests };
    let whole = written(&figure, &tracks, &times, name)?;
    reduce_keys(&mut tracks, &rest, &times, distance);
    let file = written(&figure, &tracks, &times, name)?;
    // Channels with their own times need accessors for them, which can take more bytes than a few omitted keys save.
    if file.len() >= whole.len() {
        return Ok(Thinned { file: whole, kept: of, of });
    }
    Ok(Thinned { file, kept: count(&tracks), of })
}

/// The frame times in single precision.
fn times(clip: &Clip) -> Vec<f32> {
    (0..clip.n_frames()).map(|frame| single(clip.time(frame))).collect()
}

fn written(figure: &Figure<'_>, tracks: &[Track], times: &[f32], name: &str) -> Result<Vec<u8>> {
    let mut store = NewFile::default();
    let binds = figure.inverse_binds();
    let places = figure.rests.iter().flat_map(|rest| rest.translation.to_array().map(single));
    let keys = tracks.iter().flat_map(|track| track.values.iter().copied());
    if binds.iter().copied().chain(places).chain(keys).any(|number| !number.is_finite()) {
        return Err(invalid("a length or a value is too large for single precision"));
    }
    let bind = store.add(&binds, "MAT4", "");
    let (channels, samplers) = animation(tracks, times, &mut store);
    let nodes: Vec<String> = (0..figure.n_joints()).map(|joint| figure.node(joint)).collect();
    let skeleton = figure.skeleton;
    let roots: Vec<String> = (0..figure.n_joints())
        .filter(|&joint| skeleton.parent(joint).is_none())
        .map(|joint| joint.to_string())
        .collect();
    let joints: Vec<String> = (0..figure.n_joints()).map(|joint| joint.to_string()).collect();
    let animations = if channels.is_empty() {
        String::new()
    } else {
        let (name, samplers, channels) = (text_value(name), samplers.join(","), channels.join(","));
        format!(
            ",\"animations\":[{{\"name\":{name},\"samplers\":[{samplers}],\"channels\":[{channels}]}}]"
        )
    };
    let json = format!(
        "{{\"asset\":{{\"version\":\"2.0\",\"generator\":\"posekit\"}},\"scene\":0,\"scenes\":[{{\"nodes\":[{roots}]}}],\
         \"nodes\":[{nodes}],\"skins\":[{{\"joints\":[{joints}],\"inverseBindMatrices\":{bind}}}]{animations},\
         {lists}}}",
        roots = roots.join(","),
        nodes = nodes.join(","),
        joints = joints.join(","),
        lists = store.lists(),
    );
    container(json.into_bytes(), &store.bytes)
}

fn invalid(message: impl Into<String>) -> Error {
    Error::Value { place: Place::named("clip"), message: message.into() }
}

/// Refuses what the file cannot represent.
fn check(clip: &Clip) -> Result<()> {
    if clip.n_frames() == 0 {
        return Err(invalid("there are no frames"));
    }
    if clip.start() < 0.0 {
        return Err(invalid(format!(
            "it begins at {} s; a glTF has times from 0 on",
            clip.start()
        )));
    }
    let times = |frame: usize| single(clip.time(frame));
    let falls = |frame: &usize| times(*frame) >= times(frame + 1);
    if let Some(frame) = (0..clip.n_frames() - 1).find(falls) {
        let message =
            format!("frames {frame} and {} are at the same time in single precision", frame + 1);
        return Err(invalid(message));
    }
    Ok(())
}

/// A skeleton as nodes, in metres and with y up.
struct Figure<'c> {
    skeleton: &'c Skeleton,
    scale: f64,
    turn: DQuat,
    rests: Vec<Pose>,
}

impl<'c> Figure<'c> {
    fn new(clip: &'c Clip) -> Self {
        let skeleton = clip.skeleton();
        let turn = shortest_rotation(clip.up(), DVec3::Y);
        let mut figure = Self {
            skeleton,
            scale: clip.metres_per_unit().unwrap_or(1.0),
            turn,
            rests: Vec::new(),
        };
        let neutral = skeleton.neutral();
        figure.rests =
            (0..skeleton.n_joints()).map(|joint| figure.local(joint, &neutral)).collect();
        figure
    }

    const fn n_joints(&self) -> usize {
        self.rests.len()
    }

    /// The placement of a node on its parent.
    fn local(&self, joint: usize, q: &[f64]) -> Pose {
        let pose = self.skeleton.parent_from_joint(joint) * self.skeleton.motion(joint, q);
        let placed = match self.skeleton.parent(joint) {
            Some(_) => pose,
            None => Pose::from_rotation(self.turn) * pose,
        };
        Pose::new(placed.rotation, placed.translation * self.scale)
    }

    fn node(&self, joint: usize) -> String {
        let Pose { rotation, translation } = self.rests[joint];
        let mut fields = vec![format!("\"name\":{}", text_value(self.skeleton.name(joint)))];
        let children = self.skeleton.children(joint);
        if !children.is_empty() {
            let list: Vec<String> = children.iter().map(ToString::to_string).collect();
            fields.push(format!("\"children\":[{}]", list.join(",")));
        }
        if translation != DVec3::ZERO {
            fields.push(format!("\"translation\":{}", numbers(&translation.to_array())));
        }
        if rotation != DQuat::IDENTITY {
            fields.push(format!("\"rotation\":{}", numbers(&rotation.to_array())));
        }
        format!("{{{}}}", fields.join(","))
    }

    /// From the world to each joint at rest.
    fn inverse_binds(&self) -> Vec<f32> {
        let mut worlds: Vec<Pose> = Vec::with_capacity(self.n_joints());
        let mut all = Vec::with_capacity(16 * self.n_joints());
        for joint in 0..self.n_joints() {
            let local = self.rests[joint];
            let world = self.skeleton.parent(joint).map_or(local, |above| worlds[above] * local);
            let back = world.inverse();
            let matrix = DMat4::from_rotation_translation(back.rotation, back.translation);
            // The last row is exact, as the format requires.
            all.extend(matrix.to_cols_array().map(single));
            worlds.push(world);
        }
        all
    }

    /// Channels of all moving joints, with a key at every frame; a single key for constant values other than at rest, and none at rest.
    fn tracks(&self, clip: &Clip) -> Vec<Track> {
        let mut tracks = Vec::new();
        for joint in (0..self.n_joints()).filter(|&joint| self.skeleton.kind(joint).n_values() > 0)
        {
            let rest = self.rests[joint];
            let (mut turns, mut places) = (Vec::new(), Vec::new());
            for frame in 0..clip.n_frames() {
                let local = self.local(joint, clip.frame(frame));
                turns.extend(local.rotation.to_array().map(single));
                places.extend(local.translation.to_array().map(single));
            }
            let can_move =
                matches!(self.skeleton.kind(joint), JointKind::Free | JointKind::Prismatic { .. });
            let at_rest =
                (rest.rotation.to_array().map(single), rest.translation.to_array().map(single));
            let turns = Some((Moves::Rotation, turns, at_rest.0.to_vec()));
            let places = can_move.then(|| (Moves::Translation, places, at_rest.1.to_vec()));
            for (moves, values, at_rest) in turns.into_iter().chain(places) {
                let width = at_rest.len();
                let is_still = values.chunks_exact(width).all(|value| value == &values[..width]);
                if !(is_still && values[..width] == at_rest) {
                    let n_keys = if is_still { 1 } else { clip.n_frames() };
                    tracks.push(Track { joint, moves, values, keys: (0..n_keys).collect() });
                }
            }
        }
        self.keep_time(clip, &mut tracks);
        tracks
    }

    /// Gives the first joint that can move a key at every frame if no joint moves: nothing else in the file shows the duration and the rate.
    fn keep_time(&self, clip: &Clip, tracks: &mut Vec<Track>) {
        let n_frames = clip.n_frames();
        let first = (0..self.n_joints()).find(|&joint| self.skeleton.kind(joint).n_values() > 0);
        let Some(joint) = first.filter(|_| n_frames > 1) else { return };
        if tracks.iter().any(|track| track.keys.len() > 1) {
            return;
        }
        match tracks.iter_mut().find(|track| track.joint == joint) {
            Some(track) => track.keys = (0..n_frames).collect(),
            None => {
                let values = self.rests[joint].rotation.to_array().map(single).repeat(n_frames);
                let (moves, keys) = (Moves::Rotation, (0..n_frames).collect());
                tracks.insert(0, Track { joint, moves, values, keys });
            }
        }
    }
}

/// Channels and samplers. Those with the same key times share them.
fn animation(tracks: &[Track], times: &[f32], store: &mut NewFile) -> (Vec<String>, Vec<String>) {
    let mut inputs: BTreeMap<&[usize], usize> = BTreeMap::new();
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    for track in tracks {
        let input = *inputs.entry(&track.keys).or_insert_with(|| {
            let own: Vec<f32> = track.keys.iter().map(|&key| times[key]).collect();
            let (min, max) = (own[0], own[own.len() - 1]);
            store.add(&own, "SCALAR", &format!(",\"min\":[{min:?}],\"max\":[{max:?}]"))
        });
        let (path, kind) = match track.moves {
            Moves::Rotation => ("rotation", "VEC4"),
            Moves::Translation => ("translation", "VEC3"),
        };
        let is_whole = track.keys.len() == times.len();
        let output = match is_whole {
            true => store.add(&track.values, kind, ""),
            false => store.add(&track.of_keys(), kind, ""),
        };
        channels.push(format!(
            "{{\"sampler\":{},\"target\":{{\"node\":{},\"path\":\"{path}\"}}}}",
            samplers.len(),
            track.joint
        ));
        samplers.push(format!("{{\"input\":{input},\"output\":{output}}}"));
    }
    (channels, samplers)
}

/// A list of numbers in single precision.
fn numbers(values: &[f64]) -> String {
    let texts: Vec<String> =
        values.iter().map(|&value| format!("{:?}", single(value) + 0.0)).collect();
    format!("[{}]", texts.join(","))
}

#[expect(clippy::cast_possible_truncation, reason = "the format has single precision")]
const fn single(value: f64) -> f32 {
    value as f32
}
