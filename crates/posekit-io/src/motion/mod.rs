//! Motion files of all formats as clips, and back: BVH, glTF, GLB, VRM and VRMA.
//!
//! A [`MotionFile`] gives [`Clip`]s and writes edited ones back. Only differences from the original clip are written; everything else is unchanged,
//! in a glTF byte for byte. [`to_bvh`] and [`to_glb`] make new files from any clip.
//!
//! # Example: lift a hip
//! ```
//! use posekit_io::motion::{MotionFile, MotionOptions};
//! use posekit_io::{Limits, Warnings, gltf};
//!
//! let text = b"HIERARCHY
//! ROOT hip
//! {
//!     OFFSET 0 0 0
//!     CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
//! }
//! MOTION
//! Frames: 2
//! Frame Time: 0.04
//! 0 90 0 0 0 0
//! 0 91 0 0 0 0
//! ";
//! let options = MotionOptions::default();
//! let mut warnings = Warnings::new();
//! let file = MotionFile::from_bytes(text, &mut gltf::no_files, &options, &Limits::default(), &mut warnings)?;
//! let clip = file.clip(0)?;
//! let mut values = clip.values().to_vec();
//! values[1] += 5.0;
//! let written = file.write(0, &clip.with_values(values)?, "lifted")?;
//! assert!(String::from_utf8(written.file).unwrap().ends_with("\n0 95 0 0 0 0\n0 91 0 0 0 0\n"));
//! assert_eq!(written.joints, [1]);
//! # Ok::<(), posekit_io::Error>(())
//! ```

mod bake;
mod bvh_clip;
mod format;
mod frame_times;
mod gltf_clip;
mod key_reduction;
mod report;
mod scales;
mod to_bvh;
mod to_glb;

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

use posekit::glam::DVec3;
use posekit_motion::{Clip, Keep, Leg, Legs, Limb, Side, TimeMap, find_legs};

use crate::bvh::{self, Loss, Positions};
use crate::error::{Error, Place, Result};
use crate::gltf::{self, Asset, BufferFile, folder};
use crate::limits::Limits;
use crate::warnings::Warnings;
use bvh_clip::BvhClip;
use gltf_clip::GltfClip;

pub use format::Format;
pub use report::{Measure, NO_CHANNELS, measures, millimetres, verdict_words};
pub use to_bvh::to_bvh;
pub use to_glb::{Thinned, to_glb, to_glb_within};

/// Options for reading a motion, and what its file does not specify.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct MotionOptions {
    /// Frames per second. Overrides the rate of a BVH; a glTF is sampled at this rate. Default: the rate of a BVH; for a glTF the rate of its keys
    /// if they have one: unchanged from 30 on, and from 12 on if no channel skips a frame between its first key and its last, else a
    /// multiple of it that is at least 30. If they have none, 60.
    pub fps: Option<f64>,
    /// The up axis. Default: for a BVH the guess of its [survey](bvh::survey), else +y.
    pub up: Option<DVec3>,
    /// The unit of length \[m\]. Default: for a BVH the guess of its survey, if any; for a glTF 1.
    pub metres_per_unit: Option<f64>,
    /// The origin of a BVH's positions. Default: the guess of its survey.
    pub positions: Option<Positions>,
    /// Use the complete part of a truncated or miscounted BVH; see [`bvh::Options::is_lenient`].
    pub is_lenient: bool,
    /// Interpolate values of a BVH that are not finite; see [`bvh::Options::fills_gaps`].
    pub fills_gaps: bool,
}

impl MotionOptions {
    /// The same with another rate \[1/s\].
    #[must_use]
    pub const fn with_fps(self, fps: f64) -> Self {
        Self { fps: Some(fps), ..self }
    }

    /// The same with another up axis.
    #[must_use]
    pub const fn with_up(self, up: DVec3) -> Self {
        Self { up: Some(up), ..self }
    }

    /// The same with another unit \[m\].
    #[must_use]
    pub const fn with_metres_per_unit(self, metres_per_unit: f64) -> Self {
        Self { metres_per_unit: Some(metres_per_unit), ..self }
    }

    /// The same with another rule for positions.
    #[must_use]
    pub const fn with_positions(self, positions: Positions) -> Self {
        Self { positions: Some(positions), ..self }
    }

    /// The same, lenient.
    #[must_use]
    pub const fn lenient(self) -> Self {
        Self { is_lenient: true, ..self }
    }

    /// The same, with gaps interpolated.
    #[must_use]
    pub const fn filling_gaps(self) -> Self {
        Self { fills_gaps: true, ..self }
    }

    /// Refuses meaningless numbers.
    fn check(&self) -> Result<()> {
        let is_size = |value: f64| value.is_finite() && value > 0.0;
        for (name, value) in [("fps", self.fps), ("metres_per_unit", self.metres_per_unit)] {
            if let Some(value) = value.filter(|&value| !is_size(value)) {
                let message = format!("must be finite and above zero, not {value}");
                return Err(Error::Value { place: Place::named(name), message });
            }
        }
        Ok(())
    }
}

/// A file with motions, which are read as clips and written back.
#[derive(Debug)]
pub struct MotionFile {
    format: Format,
    options: MotionOptions,
    limits: Limits,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Bvh(Box<BvhClip>),
    Scene {
        asset: Box<Asset>,
        clips: Vec<OnceLock<GltfClip>>,
        /// Joints that are free even if their translation is constant.
        movable: Vec<usize>,
    },
}

/// The result of [`MotionFile::write`].
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The bytes of the file, in the same format as the one that was read.
    pub file: Vec<u8>,
    /// New files that it names; only a text glTF with buffers in separate files has any. Files that it named before are still named.
    pub beside: Vec<BufferFile>,
    /// The number of changed joints, for each given motion.
    pub joints: Vec<usize>,
    /// What the channels of a BVH could not represent.
    pub loss: Loss,
}

impl MotionFile {
    /// Reads a file, and for a glTF the files that it names from its own folder. The format is recognised by the first bytes, not by the name.
    ///
    /// # Errors
    /// [`Error::Read`] if the system cannot read it; [`Error::Unsupported`] for bytes that are neither BVH nor glTF; otherwise as
    /// [`bvh::read_from`] and [`Asset::from_bytes`].
    pub fn open(
        path: &Path,
        options: &MotionOptions,
        limits: &Limits,
        warnings: &mut Warnings,
    ) -> Result<Self> {
        let failed = |error: std::io::Error| Error::Read {
            message: error.to_string(),
            path: path.display().to_string(),
        };
        let mut input = fs::File::open(path).map_err(failed)?;
        let mut head = Vec::new();
        (&mut input).take(format::HEAD).read_to_end(&mut head).map_err(failed)?;
        let format = Format::of(&head)?.named(path, warnings);
        let cap = if format == Format::Bvh { limits.motion_bytes } else { limits.file_bytes };
        // Reading one byte more than the limit distinguishes a file of exactly the limit from a longer one.
        let rest = (cap as u64).saturating_add(1).saturating_sub(head.len() as u64);
        // If the system knows the size, the buffer is not reallocated.
        let size = input.metadata().map_or(0, |metadata| metadata.len());
        head.reserve(usize::try_from(size.min(rest)).unwrap_or(0));
        input.take(rest).read_to_end(&mut head).map_err(failed)?;
        if format == Format::Bvh {
            return Self::bvh_from(head, options, limits, warnings);
        }
        let mut resolve = folder(path.parent().unwrap_or(Path::new("")), *limits);
        Self::scene(&head, format, &mut resolve, options, limits, warnings)
    }

    /// Reads a file from its bytes.
    ///
    /// - `resolve`: gives the bytes of a file that a glTF names, as for [`Asset::from_bytes`]
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_bytes(
        bytes: &[u8],
        resolve: &mut dyn FnMut(&str) -> Result<Vec<u8>>,
        options: &MotionOptions,
        limits: &Limits,
        warnings: &mut Warnings,
    ) -> Result<Self> {
        match Format::of(bytes)? {
            Format::Bvh => Self::bvh_from(bytes.to_vec(), options, limits, warnings),
            format => Self::scene(bytes, format, resolve, options, limits, warnings),
        }
    }

    fn bvh_from(
        text: Vec<u8>,
        options: &MotionOptions,
        limits: &Limits,
        warnings: &mut Warnings,
    ) -> Result<Self> {
        options.check()?;
        let bvh = BvhClip::read(text, options, limits, warnings)?;
        let content = Content::Bvh(Box::new(bvh));
        Ok(Self { format: Format::Bvh, options: *options, limits: *limits, content })
    }

    fn scene(
        bytes: &[u8],
        format: Format,
        resolve: &mut dyn FnMut(&str) -> Result<Vec<u8>>,
        options: &MotionOptions,
        limits: &Limits,
        warnings: &mut Warnings,
    ) -> Result<Self> {
        options.check()?;
        let asset = Box::new(Asset::from_bytes(bytes, resolve, limits, warnings)?);
        let clips = asset.animations().iter().map(|_| OnceLock::new()).collect();
        gltf_clip::warn_of_scales(&asset, warnings);
        if options.fps.is_none() {
            gltf_clip::warn_of_rates(&asset, warnings);
        }
        let content = Content::Scene { asset, clips, movable: Vec::new() };
        Ok(Self { format, options: *options, limits: *limits, content })
    }

    /// The format of the file.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The number of motions. A BVH has one; a glTF one for each animation, possibly none.
    #[must_use]
    pub fn n_clips(&self) -> usize {
        match &self.content {
            Content::Bvh(_) => 1,
            Content::Scene { clips, .. } => clips.len(),
        }
    }

    /// The name of a motion in the file; `None` if it has none, or there is no such motion.
    #[must_use]
    pub fn clip_name(&self, index: usize) -> Option<&str> {
        match &self.content {
            Content::Bvh(_) => None,
            Content::Scene { asset, .. } => asset.animations().get(index)?.name.as_deref(),
        }
    }

    /// The duration of a motion \[s\], without making a clip of it; if it moves no joint, the duration in which it moves anything else. 0 if there is no such motion.
    #[must_use]
    pub fn seconds(&self, index: usize) -> f64 {
        match &self.content {
            Content::Bvh(bvh) if index == 0 => bvh.clip().duration(),
            Content::Bvh(_) => 0.0,
            Content::Scene { asset, .. } => gltf_clip::seconds(asset, index),
        }
    }

    /// The guesses about what the format does not specify, as text.
    #[must_use]
    pub fn survey(&self) -> String {
        match &self.content {
            Content::Bvh(bvh) => bvh.survey().to_string(),
            Content::Scene { .. } => "y is up, the unit is 1 m, as the format specifies".to_owned(),
        }
    }

    /// Whether the up axis is certain. A BVH does not specify it, and its heads and feet may not be conclusive; then the legs at rest decide, or it is +y.
    #[must_use]
    pub fn is_up_known(&self) -> bool {
        match &self.content {
            Content::Bvh(bvh) => {
                let survey = bvh.survey();
                self.options.up.is_some() || survey.up.is_some() && !survey.is_up_by_rest
            }
            Content::Scene { .. } => true,
        }
    }

    /// The legs that a VRM or VRMA file names, as joints of its clips; `None` for other files, for which there is
    /// [`find_legs`].
    #[must_use]
    pub fn legs(&self) -> Option<Vec<Leg>> {
        let asset = self.gltf()?;
        let joint = |bone: &str| {
            let (_, node) = asset.bones().iter().find(|(name, _)| name == bone)?;
            asset.character()?.joint(*node)
        };
        let leg = |side: Side, word: &str| {
            let part = |part: &str| joint(&format!("{word}{part}"));
            let limb =
                Limb { start: part("UpperLeg")?, mid: part("LowerLeg")?, end: part("Foot")? };
            Some(Leg { limb, ball: part("Toes"), side })
        };
        let legs: Vec<Leg> = [(Side::Left, "left"), (Side::Right, "right")]
            .into_iter()
            .filter_map(|(side, word)| leg(side, word))
            .collect();
        (!legs.is_empty()).then_some(legs)
    }

    /// The legs of a clip of this file: those that the [file names](Self::legs), else those that are [found](find_legs).
    #[must_use]
    pub fn legs_of(&self, clip: &Clip) -> Legs {
        self.legs().map_or_else(
            || find_legs(clip),
            |legs| Legs { legs, reason: "as named by the file".to_owned(), candidates: Vec::new() },
        )
    }

    /// The content of a BVH; `None` for a glTF.
    #[must_use]
    pub fn bvh(&self) -> Option<&bvh::File> {
        match &self.content {
            Content::Bvh(bvh) => Some(bvh.file()),
            Content::Scene { .. } => None,
        }
    }

    /// The content of a glTF; `None` for a BVH.
    #[must_use]
    pub fn gltf(&self) -> Option<&Asset> {
        match &self.content {
            Content::Bvh(_) => None,
            Content::Scene { asset, .. } => Some(asset),
        }
    }

    /// A motion as a clip, which is made at the first call and cached.
    ///
    /// - From a BVH: on the skeleton of its [`Rig`](bvh::Rig), in the file's unit.
    /// - From a glTF: the nodes of the [`Character`](crate::gltf::Character), sampled. Joints are balls; the joint that carries all moving ones, and those whose translation
    ///   changes, are free. Joints that nothing moves and no skin lists are fixed. The matrix of a node
    ///   is decomposed; if the node is moved, it is written as translation, rotation and scale. Bones have the lengths
    ///   at the start of the animation, with all scales applied (the largest scale, if it starts at zero); joints below a scale that
    ///   changes uniformly move on their parents accordingly. The clip is in metres and begins at its first key.
    ///
    /// # Errors
    /// [`Error::NoSuchName`] if there is no such motion; [`Error::Value`] for an animation that moves no joint of a skeleton, or whose lengths
    /// are beyond the range of the library; [`Error::TooLarge`] for more numbers than [`Limits::animation_values`].
    pub fn clip(&self, index: usize) -> Result<&Clip> {
        match &self.content {
            Content::Bvh(bvh) if index == 0 => Ok(bvh.clip()),
            Content::Bvh(_) => Err(self.no_such_clip(index)),
            Content::Scene { asset, .. } => Ok(self.gltf_clip(asset, index)?.clip()),
        }
    }

    /// The figure at rest, as a clip of one frame, for files without a motion. Its frame time is that of [`MotionOptions::fps`], or a sixtieth of a
    /// second.
    ///
    /// # Errors
    /// [`Error::Value`] for a glTF without nodes; otherwise as [`clip`](Self::clip).
    pub fn rest(&self) -> Result<Clip> {
        let (skeleton, up, unit) = match &self.content {
            Content::Bvh(bvh) => {
                let clip = bvh.clip();
                (clip.skeleton().clone(), clip.up(), clip.metres_per_unit())
            }
            Content::Scene { asset, .. } => {
                let Some(character) = asset.character() else {
                    return Err(gltf_clip::nothing("nodes"));
                };
                let skeleton = character.with_free_root()?.skeleton().clone();
                let unit = self.options.metres_per_unit.unwrap_or(1.0);
                (skeleton, self.options.up.unwrap_or(DVec3::Y), Some(unit))
            }
        };
        let neutral = skeleton.neutral();
        let rate = self.options.fps.unwrap_or(frame_times::DEFAULT_RATE);
        let clip = Clip::try_new(skeleton, 1.0 / rate, neutral)?;
        Ok(clip.with_up(up)?.with_metres_per_unit(unit))
    }

    /// The same file, in whose clips these joints of a glTF are [free](posekit::skeleton::JointKind::Free) even if their translations are constant, so
    /// that bones may become [longer](posekit_motion::HoldSettings::max_stretch). Constant translations are not written. Fixed joints, and those
    /// of a BVH, are unchanged.
    ///
    /// - `joints`: joints of its clips, which all have the same skeleton
    #[must_use]
    pub fn with_movable(mut self, joints: &[usize]) -> Self {
        if let Content::Scene { clips, movable, .. } = &mut self.content {
            movable.splice(.., joints.iter().copied());
            clips.iter_mut().for_each(|clip| drop(clip.take()));
        }
        self
    }

    fn gltf_clip(&self, asset: &Asset, index: usize) -> Result<&GltfClip> {
        let Content::Scene { clips, movable, .. } = &self.content else {
            return Err(self.no_such_clip(index));
        };
        let Some(place) = clips.get(index) else { return Err(self.no_such_clip(index)) };
        if let Some(clip) = place.get() {
            return Ok(clip);
        }
        let clip = GltfClip::new((asset, movable), index, &self.options, &self.limits)?;
        Ok(place.get_or_init(|| clip))
    }

    /// Whether writing the unedited motions would change the bytes: for a BVH that was repaired in reading, or whose frame time was overridden
    /// by [`MotionOptions::fps`].
    #[must_use]
    pub fn differs_from_text(&self) -> bool {
        match &self.content {
            Content::Bvh(bvh) => bvh.is_other_than_text(),
            Content::Scene { .. } => false,
        }
    }

    /// The part of an edited motion that [`write`](Self::write) can represent, for [`clean_within`](posekit_motion::clean_within) and
    /// [`hold_within`](posekit_motion::hold_within). `None` if that is everything: for a glTF, and for a BVH whose channels can represent every
    /// configuration of its joints, as in most files.
    #[must_use]
    pub fn keeper(&self) -> Option<Keep> {
        match &self.content {
            Content::Bvh(bvh) if !bvh.is_lossless() => {
                let (axes, moves) = (bvh.axes(), bvh.moves());
                Some(Keep { axes, moves })
            }
            _ => None,
        }
    }

    /// A clip as the file can represent it; `None` if that is all of it.
    #[must_use]
    pub fn kept(&self, edited: &Clip) -> Option<Clip> {
        match &self.content {
            Content::Bvh(bvh) => bvh.kept(edited),
            Content::Scene { .. } => None,
        }
    }

    fn no_such_clip(&self, index: usize) -> Error {
        let place = Place::named(format!("{} with {} motions", self.format, self.n_clips()));
        Error::NoSuchName { place, kind: "motion", name: index.to_string() }
    }

    /// The file with an edited motion in place of the original.
    ///
    /// - `edited`: a clip of the same skeleton as [`clip`](Self::clip) gives
    /// - `stem`: the name of a new buffer file, without `.bin`; used only if [`Written::beside`] is not empty
    ///
    /// Joints whose values are unchanged, bit for bit, are not touched. For others, a BVH gets angles that continue without jumps, in the frames that
    /// differ; the rest of its text is unchanged, except a frame time that [`MotionOptions::fps`] overrides. It is rewritten if it was truncated or miscounted, and for a
    /// clip with other frames or another frame time. A glTF gets
    /// keys at the frames, linear between them; if the file already has keys at the frames, those of unchanged frames keep their bits.
    /// With another number of frames or another frame time all joints are written.
    ///
    /// # Errors
    /// [`Error::Value`] for a clip of another skeleton, or what the file cannot represent: numbers beyond single precision, keys of a glTF that coincide in
    /// it or are before 0 s, translations of nodes under a scale of zero.
    pub fn write(&self, index: usize, edited: &Clip, stem: &str) -> Result<Written> {
        self.write_clips(&[(index, edited)], stem)
    }

    /// [`write`](Self::write) for several motions of the file at once, in one pass through its text. Of two for the same motion the later one counts.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_clips(&self, edited: &[(usize, &Clip)], stem: &str) -> Result<Written> {
        let edited: Vec<_> = edited.iter().map(|&(index, clip)| (index, clip, None)).collect();
        self.write_each(&edited, stem)
    }

    /// Refuses numbers of frames for which the file would exceed the limits of readers, before the motions are made, so that a mistyped
    /// duration takes no more memory than the largest file. A motion that does not grow is never refused.
    ///
    /// - `lengths`: motions, and their new numbers of frames
    ///
    /// # Errors
    /// [`Error::TooLarge`] for more bytes of a BVH than [`Limits::motion_bytes`], counting 8 bytes for a number, and for more values of all
    /// these motions of a glTF together than [`Limits::animation_values`]; otherwise as [`clip`](Self::clip).
    pub fn check_lengths(&self, lengths: &[(usize, f64)]) -> Result<()> {
        let (mut before, mut after) = (0.0, 0.0);
        for &(index, n_frames) in lengths {
            before += self.clip(index)?.n_frames() as f64;
            after += n_frames;
        }
        let (size, what, limit, field) = match &self.content {
            Content::Bvh(bvh) => {
                let size = (size_of::<f64>() * bvh.file().n_channels()) as f64;
                (after * size, "size in bytes", self.limits.motion_bytes, "motion_bytes")
            }
            Content::Scene { asset, .. } => {
                let n_joints = asset.character().map_or(0, |all| all.skeleton().n_joints());
                let size = after * gltf_clip::most_values(n_joints);
                (size, "number of values", self.limits.animation_values, "animation_values")
            }
        };
        if after > before && size > limit as f64 {
            let what = format!(
                "the {what} of {after:.0} frames, {size:.0} (reduce the duration or the rate),"
            );
            return Err(Error::TooLarge { what, limit, field });
        }
        Ok(())
    }

    /// [`write_clips`](Self::write_clips) for retimed motions. The parts of a glTF's animation that are not in the clip are retimed as well: scales, nodes
    /// outside the skeleton, morph target weights, and channels of extensions.
    ///
    /// - `edited`: motions, their new clips, and the maps of times
    ///
    /// Weights and extensions whose keys cannot be read, because their data is missing or compressed, keep their times.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_retimed(
        &self,
        edited: &[(usize, &Clip, &TimeMap)],
        stem: &str,
    ) -> Result<Written> {
        let with_map = |&(index, clip, map): &(usize, _, _)| (index, clip, Some(map));
        self.write_each(&edited.iter().map(with_map).collect::<Vec<_>>(), stem)
    }

    fn write_each(
        &self,
        edited: &[(usize, &Clip, Option<&TimeMap>)],
        stem: &str,
    ) -> Result<Written> {
        for &(index, clip, _) in edited {
            if clip.skeleton() != self.clip(index)?.skeleton() {
                let message = "the clip has a different skeleton than the file".into();
                return Err(Error::Value { place: Place::named("clip"), message });
            }
        }
        match &self.content {
            Content::Bvh(bvh) => {
                let written = bvh.write(edited.last().map_or(bvh.clip(), |&(_, clip, _)| clip))?;
                // There is one motion, and the last edit counts.
                let mut joints = vec![0; edited.len()];
                joints.iter_mut().rev().zip(&written.joints).for_each(|(joints, n)| *joints = *n);
                Ok(Written { joints, ..written })
            }
            Content::Scene { asset, .. } => {
                let mut animations = asset.animations().to_vec();
                let mut other_channels = asset.other_channels().to_vec();
                let mut joints = Vec::with_capacity(edited.len());
                for &(index, clip, map) in edited {
                    let source = self.gltf_clip(asset, index)?;
                    let old = &asset.animations()[index];
                    animations[index] = old.clone();
                    other_channels[index].clone_from(&asset.other_channels()[index]);
                    if let Some(map) = map {
                        other_channels[index]
                            .iter_mut()
                            .for_each(|channel| bake::retime_other_channel(channel, map));
                    }
                    let Some(character) = asset.character() else {
                        return Err(gltf_clip::nothing(&format!("animations[{index}]")));
                    };
                    let new = &mut animations[index];
                    joints.push(bake::bake((source, character), clip, map, old, new)?);
                }
                let gltf::Written { file, buffers } =
                    asset.write_with(&animations, &other_channels, stem)?;
                Ok(Written { file, beside: buffers, joints, loss: Loss::default() })
            }
        }
    }
}
