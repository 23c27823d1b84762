//! A motion being edited: a clip of a file, the contacts and poses set on it, and the result.
//!
//! The result is a function of the file, the settings, the contacts and the poses, in this order: the clip is cleaned, poses are added on top of it, and contacts are
//! held again. So an editor stores only these inputs, and undo means passing older ones.

mod curves;
mod describe;
mod pose;
mod report;

use core::iter;
use std::borrow::Cow;

use posekit::math::Pose;
use posekit_io::motion::{Format, MotionFile, MotionOptions, to_bvh, to_glb};
use posekit_io::{ContactsFile, Limits, Warnings, gltf};
use posekit_motion::{
    CleanSettings, Cleaned, Clip, Contact, ContactReport, FloorChoice, Interpolation, Layer,
    carrier, clean_within,
};
use serde::{Deserialize, Serialize};

use crate::POSE;
use crate::fault::{Fault, Result, wrong_length};
pub use curves::CURVES;
pub use describe::Info;
use pose::Poser;
pub use pose::{Pull, Target};
pub use report::Report;

/// The name of the clip of a figure that had none, and its frames per second.
const STANDING: &str = "posed";
const STANDING_RATE: f64 = 30.0;

/// The settings of cleaning that the page offers. Omitted ones have their defaults.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "MotionSettings"))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Settings {
    /// Whether to clean.
    pub is_on: bool,
    /// How much of the correction to apply, from 0 (none) to 1 (all).
    pub strength: f64,
    /// What feet stand on.
    pub floor: Floor,
    /// The figure walks in place: feet are judged as if it advanced, and it stays in place.
    pub in_place: bool,
    /// The root trajectory may change where all feet slide with it.
    pub path: bool,
    /// The first two and the last two frames stay as they are, so that the clip goes on into others as before.
    pub keep_ends: bool,
    /// The time of transition before and after a plant \[s\].
    pub ease: f64,
    /// A foot that slides farther than this is meant to: its plant is released \[leg lengths\].
    pub release: f64,
    /// Shorter plants are none \[s\].
    pub shortest: f64,
    /// The blend-in and blend-out time of edited poses \[s\].
    pub fade: f64,
}

/// What feet stand on.
///
/// See [`FloorChoice`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "MotionFloor"))]
#[serde(rename_all = "kebab-case")]
pub enum Floor {
    /// A plane, fitted.
    Fit,
    /// A level plane.
    Level,
    /// Each plant at its own height.
    PerPlant,
}

impl Default for Settings {
    fn default() -> Self {
        let usual = CleanSettings::default();
        Self {
            is_on: true,
            strength: usual.strength,
            floor: Floor::Fit,
            in_place: usual.in_place,
            path: usual.path,
            keep_ends: usual.keep_ends,
            ease: usual.ease,
            release: usual.release,
            shortest: usual.shortest,
            fade: 0.5,
        }
    }
}

impl Settings {
    fn to_clean(&self) -> CleanSettings {
        let floor = match self.floor {
            Floor::Fit => FloorChoice::Fit,
            Floor::Level => FloorChoice::Level,
            Floor::PerPlant => FloorChoice::PerPlant,
        };
        CleanSettings {
            strength: self.strength,
            shortest: self.shortest,
            floor,
            in_place: self.in_place,
            path: self.path,
            keep_ends: self.keep_ends,
            ease: self.ease,
            release: self.release,
            ..CleanSettings::default()
        }
    }
}

/// The source or the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The motion in the file.
    Source,
    /// The edited motion.
    Result,
}

impl Which {
    /// The motion with this name.
    ///
    /// # Errors
    /// Any word but `source` and `result`.
    pub fn named(word: &str) -> Result<Self> {
        match word {
            "source" => Ok(Self::Source),
            "result" => Ok(Self::Result),
            _ => Err(Fault::new(format!("a motion is source or result, not {word:?}"))),
        }
    }
}

/// A pose that was set.
#[derive(Debug)]
struct PoseKey {
    /// \[s\]
    time: f64,
    q: Vec<f64>,
    interpolation: Interpolation,
}

/// An open motion file, the edits on it, and the result.
#[derive(Debug)]
pub struct Table {
    name: String,
    file: MotionFile,
    warnings: Warnings,
    /// The index of the clip; `None` if the file has none and shows the rest pose.
    index: Option<usize>,
    /// The clip is one at rest, which was added to a file without any.
    stands: bool,
    source: Clip,
    settings: Settings,
    given: Option<Vec<Contact>>,
    keys: Vec<PoseKey>,
    work: Work,
    poser: Poser,
}

/// The last result.
#[derive(Debug)]
struct Work {
    /// The cleaned motion, with the contacts that were found or given.
    cleaned: Cleaned,
    /// The largest error of each contact \[the clip's unit\].
    residuals: Vec<f64>,
    result: Clip,
}

impl Table {
    /// Opens a clip of a file, and cleans it with the default settings.
    ///
    /// - `index`: the index of a clip; 0 for the figure at rest in a file without clips
    /// - `seconds`: for how long a character of a glTF without clips stands at rest, to be posed; one frame without it \[s\]
    ///
    /// # Errors
    /// As [`MotionFile::from_bytes`], [`MotionFile::clip`] and [`Asset::write_standing`](gltf::Asset::write_standing); a file without frames.
    pub fn open(bytes: &[u8], name: &str, index: usize, seconds: Option<f64>) -> Result<Self> {
        let (options, limits) = (MotionOptions::default(), Limits::default());
        let mut warnings = Warnings::new();
        let read = |bytes: &[u8], warnings: &mut Warnings| {
            MotionFile::from_bytes(bytes, &mut gltf::no_files, &options, &limits, warnings)
        };
        let mut file = read(bytes, &mut warnings)?;
        let mut stands = false;
        if let (Some(seconds), 0, Some(asset)) = (seconds, file.n_clips(), file.gltf()) {
            let written = asset.write_standing(STANDING, seconds, STANDING_RATE)?;
            if written.buffers.is_empty() {
                // What is to be said of the file was said when it was read first.
                file = read(&written.file, &mut Warnings::new())?;
                stands = true;
            }
        }
        let rests = file.n_clips() == 0 && index == 0;
        let source = if rests { file.rest()? } else { file.clip(index)?.clone() };
        if source.n_frames() == 0 {
            return Err(Fault::new("it has no frames: there is nothing to play"));
        }
        let settings = Settings::default();
        let work = work(&source, &file, &settings, None, &[])?;
        let poser = Poser::new(&source, &work.cleaned.legs.legs);
        Ok(Self {
            name: name.to_owned(),
            file,
            warnings,
            index: (!rests).then_some(index),
            stands,
            source,
            settings,
            given: None,
            keys: Vec::new(),
            work,
            poser,
        })
    }

    /// Sets all edits at once and computes the result. On an error nothing is changed.
    ///
    /// - `settings`: JSON of [`Settings`]
    /// - `contacts`: text of a `posekit.contacts/1` file; `None` for those that are found
    /// - `times`, `values`: the times of edited poses \[s\], and their configurations, one after the other
    /// - `interpolations`: how to go on from each of them to the next, as `cubic`, `linear` or `step`; none for cubic curves everywhere
    ///
    /// # Errors
    /// An invalid text, with its place; unknown joints and words; numbers out of range.
    pub fn set(
        &mut self,
        settings: &str,
        contacts: Option<&str>,
        times: &[f64],
        values: &[f64],
        interpolations: &[String],
    ) -> Result<()> {
        let settings: Settings = serde_json::from_str(settings)
            .map_err(|error| Fault::new(format!("settings: {error}")))?;
        let skeleton = self.source.skeleton();
        let given = match contacts {
            Some(text) => {
                let file = ContactsFile::from_json(text)?;
                let contacts = file.to_contacts(skeleton);
                Some(contacts.map_err(|error| error.located_in(text))?)
            }
            None => None,
        };
        let n = skeleton.n_values();
        if values.len() != times.len() * n {
            return Err(wrong_length("values", times.len() * n, values.len()));
        }
        if !interpolations.is_empty() && interpolations.len() != times.len() {
            return Err(wrong_length("interpolations", times.len(), interpolations.len()));
        }
        let words = interpolations.iter().map(String::as_str).chain(iter::repeat("cubic"));
        let key = |((&time, q), word): ((&f64, &[f64]), &str)| {
            Ok(PoseKey { time, q: q.to_vec(), interpolation: curves::interpolation(word)? })
        };
        let keys = times.iter().zip(values.chunks(n.max(1))).zip(words).map(key);
        let keys = keys.collect::<Result<Vec<PoseKey>>>()?;
        self.work = work(&self.source, &self.file, &settings, given.as_deref(), &keys)?;
        self.settings = settings;
        self.given = given;
        self.keys = keys;
        Ok(())
    }

    /// One of the motions.
    #[must_use]
    pub fn clip(&self, which: Which) -> &Clip {
        match which {
            Which::Source => &self.source,
            Which::Result => &self.work.result,
        }
    }

    /// Writes the poses of all joints in all frames, 7 numbers each, for drawing and playing.
    ///
    /// # Errors
    /// An array whose length is not `n_frames * n_joints * 7`.
    pub fn poses(&self, which: Which, out: &mut [f32]) -> Result<()> {
        let clip = self.clip(which);
        let n_joints = clip.skeleton().n_joints();
        let length = clip.n_frames() * n_joints * POSE;
        if out.len() != length {
            return Err(wrong_length("out", length, out.len()));
        }
        let mut poses = vec![Pose::IDENTITY; n_joints];
        for (frame, out) in out.chunks_exact_mut((n_joints * POSE).max(1)).enumerate() {
            clip.skeleton().forward_kinematics(clip.frame(frame), &mut poses);
            write_poses(&poses, out);
        }
        Ok(())
    }

    /// Writes the poses of all joints at rest in the file, the bind pose of a skin.
    ///
    /// # Errors
    /// An array whose length is not `n_joints * 7`; the errors of [`MotionFile::rest`].
    pub fn rest(&self, out: &mut [f32]) -> Result<()> {
        let rest = self.file.rest()?;
        let skeleton = rest.skeleton();
        if out.len() != skeleton.n_joints() * POSE {
            return Err(wrong_length("out", skeleton.n_joints() * POSE, out.len()));
        }
        write_poses(&skeleton.poses(rest.frame(0)), out);
        Ok(())
    }

    /// The configuration of a frame of the result.
    ///
    /// # Errors
    /// No such frame.
    pub fn configuration(&self, frame: usize) -> Result<&[f64]> {
        let n = self.work.result.n_frames();
        if frame >= n {
            return Err(Fault::new(format!("there is no frame {frame}; there are {n}")));
        }
        Ok(self.work.result.frame(frame))
    }

    /// Pulls joints of a frame of the result to targets; returns the configuration.
    ///
    /// - `start`: the configuration to start from; `None` for that of the frame
    ///
    /// # Errors
    /// No such frame or joint; numbers that are not finite.
    pub fn pull(&mut self, frame: usize, pulls: &[Pull], start: Option<&[f64]>) -> Result<&[f64]> {
        let q = self.configuration(frame)?.to_vec();
        let clip = &self.work.result;
        let held = self.held_at(clip.time(frame));
        self.poser.pull(clip.skeleton(), &q, start.unwrap_or(&q), pulls, &held)
    }

    /// Writes the poses of all joints in a configuration.
    ///
    /// # Errors
    /// A configuration that the skeleton refuses; an array that is too short.
    pub fn poses_of(&self, q: &[f64], out: &mut [f32]) -> Result<()> {
        let skeleton = self.source.skeleton();
        skeleton.check(q)?;
        if out.len() < skeleton.n_joints() * POSE {
            return Err(wrong_length("out", skeleton.n_joints() * POSE, out.len()));
        }
        write_poses(&skeleton.poses(q), out);
        Ok(())
    }

    /// One of the motions in which its feet are judged: an in-place walk advances.
    fn travelling(&self, which: Which) -> Cow<'_, Clip> {
        self.work.cleaned.as_judged(self.clip(which))
    }

    /// The joints that are held at a time.
    fn held_at(&self, time: f64) -> Vec<usize> {
        let half_frame = 0.5 * self.source.frame_time();
        let holds = |contact: &&Contact| {
            contact.from <= time + half_frame && time <= contact.to + half_frame
        };
        let contacts = self.work.cleaned.stands().iter().filter(holds);
        contacts.map(|contact| contact.frame.joint).collect()
    }

    /// The contacts in which feet and other joints stand, as the text of a `posekit.contacts/1` file.
    ///
    /// # Errors
    /// None for contacts of this motion.
    pub fn contacts(&self) -> Result<String> {
        Ok(ContactsFile::from_contacts(self.work.cleaned.stands(), self.source.skeleton())?
            .to_json()?)
    }

    /// The result as a file.
    ///
    /// - `format`: `same` for the format of the input, `bvh` or `glb`
    ///
    /// # Errors
    /// An unknown format; a motion that the format cannot represent; `same` for a file that would need others beside it, or that has no clip.
    pub fn write(&self, format: &str) -> Result<Vec<u8>> {
        let result = &self.work.result;
        match format {
            "bvh" => Ok(to_bvh(result)?.to_bytes()),
            "glb" => Ok(to_glb(result, &self.name)?),
            "same" => {
                let index = self.index.ok_or_else(|| {
                    Fault::new("it has no clip to change; write it as GLB or BVH")
                })?;
                let written = self.file.write(index, result, "posekit")?;
                if !written.beside.is_empty() {
                    return Err(Fault::new("it needs files beside it; write it as GLB or BVH"));
                }
                Ok(written.file)
            }
            other => {
                Err(Fault::new(format!("a motion is written as same, bvh or glb, not {other:?}")))
            }
        }
    }

    /// The format of the open file.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.file.format()
    }
}

/// Computes the result: cleans, adds poses on top, and holds contacts again. It contains only what the file can represent.
fn work(
    source: &Clip,
    file: &MotionFile,
    settings: &Settings,
    given: Option<&[Contact]>,
    keys: &[PoseKey],
) -> Result<Work> {
    let (keep, contacts) = (file.keeper(), given.map(<[Contact]>::to_vec));
    let keep = keep.as_ref();
    let to_clean = CleanSettings { legs: file.legs(), contacts, ..settings.to_clean() };
    let cleaned = clean_within(source, &to_clean, keep)?;
    let base = if settings.is_on { &cleaned.clip } else { source };
    let result = layered(base, settings.fade, keys)?;
    let mut result = file.kept(&result).unwrap_or(result);
    let mut residuals = residuals_of(&cleaned.held);
    if !settings.is_on {
        residuals.fill(0.0);
    } else if !keys.is_empty() {
        let held = cleaned.hold_again(&result, &to_clean, keep)?;
        residuals = residuals_of(&held.contacts);
        result = held.clip;
    }
    Ok(Work { cleaned, residuals, result })
}

fn residuals_of(held: &[ContactReport]) -> Vec<f64> {
    held.iter().map(|held| held.residual).collect()
}

/// The clip with poses added on top of it.
fn layered(clip: &Clip, fade: f64, keys: &[PoseKey]) -> Result<Clip> {
    let mut layer = Layer::new(fade);
    for key in keys {
        layer.set(clip, key.time, &key.q)?;
        layer.set_interpolation(key.time, key.interpolation);
    }
    Ok(layer.apply(clip)?)
}

fn write_poses(poses: &[Pose], out: &mut [f32]) {
    for (pose, out) in poses.iter().zip(out.chunks_exact_mut(POSE)) {
        let numbers = pose.translation.to_array().into_iter().chain(pose.rotation.to_array());
        out.iter_mut().zip(numbers).for_each(|(out, value)| *out = narrow(value));
    }
}

#[expect(clippy::cast_possible_truncation, reason = "positions to draw are f32")]
fn narrow(value: f64) -> f32 {
    value as f32
}
