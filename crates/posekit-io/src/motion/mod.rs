//! Motion files of any kind as clips, and back: BVH, glTF, GLB, VRM and VRMA.
//!
//! A [`MotionFile`] gives [`Clip`]s and takes edited ones back. Only what differs from the clip that it gave is written; all else stays as the file has
//! it, of a glTF byte for byte. [`to_bvh`] and [`to_glb`] make new files of any clip.
//!
//! # Example: a hip that is lifted
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
mod capture;
mod cast;
mod format;
mod growth;
mod pace;
mod thin;
mod to_bvh;
mod to_glb;
mod told;

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
use capture::Capture;
use cast::Cast;

pub use format::Format;
pub use to_bvh::to_bvh;
pub use to_glb::{Thinned, to_glb, to_glb_within};
pub use told::{Measure, NO_CHANNELS, left_words, measures, millimetres, verdict_words};

/// How a motion is read, and what its file does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct MotionOptions {
    /// Frames per second. Of a BVH in place of what the file says; a glTF is sampled so often. Default: what a BVH says; of a glTF the rate of its keys
    /// where they have one: that itself from 30 on, and from 12 on where no channel leaves a frame out between its first key and its last, else a
    /// multiple of it that is at least 30. Where they have none, 60.
    pub fps: Option<f64>,
    /// Which way is up. Default: of a BVH as its [survey](bvh::survey) finds, else +y.
    pub up: Option<DVec3>,
    /// The unit of length \[m\]. Default: of a BVH as its survey finds, if it does; of a glTF 1.
    pub metres_per_unit: Option<f64>,
    /// Where a BVH's positions count from. Default: as its survey finds.
    pub positions: Option<Positions>,
    /// Use what is whole of a BVH that was cut or miscounted; see [`bvh::Options::is_lenient`].
    pub is_lenient: bool,
    /// Fill in values of a BVH that are not finite; see [`bvh::Options::fills_gaps`].
    pub fills_gaps: bool,
}

impl MotionOptions {
    /// The same with another rate \[1/s\].
    #[must_use]
    pub const fn with_fps(self, fps: f64) -> Self {
        Self { fps: Some(fps), ..self }
    }

    /// The same with another direction up.
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

    /// The same, with gaps filled in.
    #[must_use]
    pub const fn filling_gaps(self) -> Self {
        Self { fills_gaps: true, ..self }
    }

    /// Refuses numbers that cannot be meant.
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

/// A file with motions: what it holds as clips, and the way back.
#[derive(Debug)]
pub struct MotionFile {
    format: Format,
    options: MotionOptions,
    limits: Limits,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Capture(Box<Capture>),
    Scene {
        asset: Box<Asset>,
        casts: Vec<OnceLock<Cast>>,
        /// Joints that are free also where their place on the parent stays.
        movable: Vec<usize>,
    },
}

/// What [`MotionFile::write`] gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The bytes of the file, of the same form as the one that was read.
    pub file: Vec<u8>,
    /// New files that it names; only a glTF of text whose buffers are files of their own has any. What it named before is named still.
    pub beside: Vec<BufferFile>,
    /// How many joints were written anew, for each motion that was given.
    pub joints: Vec<usize>,
    /// What the channels of a BVH could not hold.
    pub loss: Loss,
}

impl MotionFile {
    /// Reads a file, and of a glTF the files that it names from its own folder. What it is, its first bytes say, not its name.
    ///
    /// # Errors
    /// [`Error::Read`] where the system cannot read; [`Error::Unsupported`] for bytes that are neither BVH nor glTF; otherwise as
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
        // One byte more than the cap tells a file of exactly the cap from a longer one.
        let rest = (cap as u64).saturating_add(1).saturating_sub(head.len() as u64);
        // Where the system knows the size, the text is not copied while it grows.
        let size = input.metadata().map_or(0, |metadata| metadata.len());
        head.reserve(usize::try_from(size.min(rest)).unwrap_or(0));
        input.take(rest).read_to_end(&mut head).map_err(failed)?;
        if format == Format::Bvh {
            return Self::capture(head, options, limits, warnings);
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
            Format::Bvh => Self::capture(bytes.to_vec(), options, limits, warnings),
            format => Self::scene(bytes, format, resolve, options, limits, warnings),
        }
    }

    fn capture(
        text: Vec<u8>,
        options: &MotionOptions,
        limits: &Limits,
        warnings: &mut Warnings,
    ) -> Result<Self> {
        options.check()?;
        let capture = Capture::read(text, options, limits, warnings)?;
        let content = Content::Capture(Box::new(capture));
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
        let casts = asset.animations().iter().map(|_| OnceLock::new()).collect();
        cast::warn_of_scales(&asset, warnings);
        if options.fps.is_none() {
            cast::warn_of_rates(&asset, warnings);
        }
        let content = Content::Scene { asset, casts, movable: Vec::new() };
        Ok(Self { format, options: *options, limits: *limits, content })
    }

    /// What kind of file it is.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// How many motions it has. A BVH has one; a glTF one for each animation, which may be none.
    #[must_use]
    pub fn n_clips(&self) -> usize {
        match &self.content {
            Content::Capture(_) => 1,
            Content::Scene { casts, .. } => casts.len(),
        }
    }

    /// What the file calls a motion; `None` where it has no name, or where there is no such motion.
    #[must_use]
    pub fn clip_name(&self, index: usize) -> Option<&str> {
        match &self.content {
            Content::Capture(_) => None,
            Content::Scene { asset, .. } => asset.animations().get(index)?.name.as_deref(),
        }
    }

    /// How long a motion is \[s\], without making a clip of it; where it moves no joint, how long it moves anything else. 0 where there is no such motion.
    #[must_use]
    pub fn seconds(&self, index: usize) -> f64 {
        match &self.content {
            Content::Capture(capture) if index == 0 => capture.clip().duration(),
            Content::Capture(_) => 0.0,
            Content::Scene { asset, .. } => cast::seconds(asset, index),
        }
    }

    /// In words what the file seems to mean where its format says nothing, and what it is taken for.
    #[must_use]
    pub fn survey(&self) -> String {
        match &self.content {
            Content::Capture(capture) => capture.survey().to_string(),
            Content::Scene { .. } => "y is up, a unit is 1 m, as the format has it".to_owned(),
        }
    }

    /// Whether which way is up is known: a BVH does not say it, and its heads and feet may not tell; then legs at rest do, or +y is taken.
    #[must_use]
    pub fn is_up_known(&self) -> bool {
        match &self.content {
            Content::Capture(capture) => {
                let survey = capture.survey();
                self.options.up.is_some() || survey.up.is_some() && !survey.is_up_by_rest
            }
            Content::Scene { .. } => true,
        }
    }

    /// The legs that a VRM or VRMA file says are legs, as joints of its clips; `None` in other files, which leave it to
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
            |legs| Legs {
                legs,
                reason: "as the file names them".to_owned(),
                candidates: Vec::new(),
            },
        )
    }

    /// The motion capture that it is; `None` for a glTF.
    #[must_use]
    pub fn bvh(&self) -> Option<&bvh::File> {
        match &self.content {
            Content::Capture(capture) => Some(capture.file()),
            Content::Scene { .. } => None,
        }
    }

    /// The asset that it is; `None` for a BVH.
    #[must_use]
    pub fn gltf(&self) -> Option<&Asset> {
        match &self.content {
            Content::Capture(_) => None,
            Content::Scene { asset, .. } => Some(asset),
        }
    }

    /// A motion as a clip. It is made when it is first asked for, and kept.
    ///
    /// - Of a BVH: as its [`Rig`](bvh::Rig) has it, in the file's unit.
    /// - Of a glTF: the nodes of the [`Character`](crate::gltf::Character), sampled. Joints are balls; the joint that carries all that moves, and those whose place on
    ///   their parent changes, are free. Joints that nothing moves and no skin lists are fixed. A node with a
    ///   matrix is what the matrix says, taken apart; where it is moved, it is written as translation, rotation and scale. Bones have the lengths
    ///   that they have when the animation begins, all scales applied (a scale that begins at zero counts where it is largest); joints below a scale that
    ///   changes by one factor along all axes move on their parents as it says. It is in metres and begins when its first key is.
    ///
    /// # Errors
    /// [`Error::NoSuchName`] where there is no such motion; [`Error::Value`] for an animation that moves no joint of a skeleton, or whose lengths
    /// leave the range of the library; [`Error::TooLarge`] for more numbers than [`Limits::animation_values`].
    pub fn clip(&self, index: usize) -> Result<&Clip> {
        match &self.content {
            Content::Capture(capture) if index == 0 => Ok(capture.clip()),
            Content::Capture(_) => Err(self.no_such_clip(index)),
            Content::Scene { asset, .. } => Ok(self.cast(asset, index)?.clip()),
        }
    }

    /// The figure at rest, as a clip of one frame: what there is to look at where nothing moves. Its frame time is [`MotionOptions::fps`]', or a sixtieth of a
    /// second.
    ///
    /// # Errors
    /// [`Error::Value`] for a glTF without nodes; otherwise as [`clip`](Self::clip).
    pub fn rest(&self) -> Result<Clip> {
        let (skeleton, up, unit) = match &self.content {
            Content::Capture(capture) => {
                let clip = capture.clip();
                (clip.skeleton().clone(), clip.up(), clip.metres_per_unit())
            }
            Content::Scene { asset, .. } => {
                let Some(character) = asset.character() else { return Err(cast::nothing("nodes")) };
                let skeleton = character.with_free_root()?.skeleton().clone();
                let unit = self.options.metres_per_unit.unwrap_or(1.0);
                (skeleton, self.options.up.unwrap_or(DVec3::Y), Some(unit))
            }
        };
        let neutral = skeleton.neutral();
        let rate = self.options.fps.unwrap_or(pace::DEFAULT_RATE);
        let clip = Clip::try_new(skeleton, 1.0 / rate, neutral)?;
        Ok(clip.with_up(up)?.with_metres_per_unit(unit))
    }

    /// The same file, in whose clips these joints of a glTF are [free](posekit::skeleton::JointKind::Free) also where their places on their parents stay, so
    /// that bones may become [longer](posekit_motion::HoldSettings::max_stretch). Nothing is written of places that stay. Joints that turn nowhere, and those
    /// of a BVH, are what they are.
    ///
    /// - `joints`: of its clips, which all have the same
    #[must_use]
    pub fn with_movable(mut self, joints: &[usize]) -> Self {
        if let Content::Scene { casts, movable, .. } = &mut self.content {
            movable.splice(.., joints.iter().copied());
            casts.iter_mut().for_each(|cast| drop(cast.take()));
        }
        self
    }

    fn cast(&self, asset: &Asset, index: usize) -> Result<&Cast> {
        let Content::Scene { casts, movable, .. } = &self.content else {
            return Err(self.no_such_clip(index));
        };
        let Some(place) = casts.get(index) else { return Err(self.no_such_clip(index)) };
        if let Some(cast) = place.get() {
            return Ok(cast);
        }
        let cast = Cast::new((asset, movable), index, &self.options, &self.limits)?;
        Ok(place.get_or_init(|| cast))
    }

    /// Whether writing the motions as they were read gives other bytes than those that were read: a BVH that was mended in reading, or got another frame time
    /// by [`MotionOptions::fps`].
    #[must_use]
    pub fn differs_from_text(&self) -> bool {
        match &self.content {
            Content::Capture(capture) => capture.is_other_than_text(),
            Content::Scene { .. } => false,
        }
    }

    /// What [`write`](Self::write) keeps of an edited motion with the frames of the file's, for [`clean_within`](posekit_motion::clean_within) and
    /// [`hold_within`](posekit_motion::hold_within). `None` where that is all of every motion: of a glTF, and of a BVH whose joints have channels for all that
    /// they can do, as most have.
    #[must_use]
    pub fn keeper(&self) -> Option<Keep<'_>> {
        match &self.content {
            Content::Capture(capture) if !capture.is_lossless() => {
                Some(Keep { axes: capture.axes(), cut: Box::new(|edited| capture.kept(edited)) })
            }
            _ => None,
        }
    }

    fn no_such_clip(&self, index: usize) -> Error {
        let place = Place::named(format!("{} with {} motions", self.format, self.n_clips()));
        Error::NoSuchName { place, kind: "motion", name: index.to_string() }
    }

    /// The file with an edited motion in the place of one that it has.
    ///
    /// - `edited`: a clip of the same skeleton as [`clip`](Self::clip) gives
    /// - `stem`: what a new file of bytes is called, without `.bin`; asked for only where [`Written::beside`] is not empty
    ///
    /// Joints whose values are those that were read, bit for bit, are not touched. Of others, a BVH gets angles that go on without jumps, in the frames that
    /// differ; the rest of its text stays as it is, save a frame time that [`MotionOptions::fps`] replaced. It is written anew where it was cut or miscounted, and for a
    /// clip with other frames or another frame time. A glTF gets
    /// keys at the frames, linear between them; where the file has its keys at the frames already, those of frames that did not change keep their bits.
    /// With another number of frames or another frame time all joints are written.
    ///
    /// # Errors
    /// [`Error::Value`] for a clip of another skeleton, or what the file cannot hold: numbers beyond single precision, keys of a glTF that fall together in
    /// it or stand before 0 s, places of nodes under a scale of zero.
    pub fn write(&self, index: usize, edited: &Clip, stem: &str) -> Result<Written> {
        self.write_clips(&[(index, edited)], stem)
    }

    /// [`write`](Self::write) for several motions of the file at once, in one look through its text. Of two for the same motion the later one counts.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_clips(&self, edited: &[(usize, &Clip)], stem: &str) -> Result<Written> {
        let edited: Vec<_> = edited.iter().map(|&(index, clip)| (index, clip, None)).collect();
        self.write_each(&edited, stem)
    }

    /// Refuses motions that are to have so many frames that their file would be larger than what is read of one, before they are made: a time that was
    /// mistyped takes no more memory than the largest file. What has no more frames than it had is never refused.
    ///
    /// - `lengths`: motions, and how many frames they are to have
    ///
    /// # Errors
    /// [`Error::TooLarge`] for more bytes of a BVH than [`Limits::motion_bytes`], where a number takes about as many as in memory, and for more values of all
    /// these motions of a glTF together than [`Limits::animation_values`]; otherwise as [`clip`](Self::clip).
    pub fn check_lengths(&self, lengths: &[(usize, f64)]) -> Result<()> {
        let (mut before, mut after) = (0.0, 0.0);
        for &(index, n_frames) in lengths {
            before += self.clip(index)?.n_frames() as f64;
            after += n_frames;
        }
        let (size, what, limit, field) = match &self.content {
            Content::Capture(capture) => {
                let size = (size_of::<f64>() * capture.file().n_channels()) as f64;
                (after * size, "size in bytes", self.limits.motion_bytes, "motion_bytes")
            }
            Content::Scene { asset, .. } => {
                let n_joints = asset.character().map_or(0, |all| all.skeleton().n_joints());
                let size = after * cast::most_values(n_joints);
                (size, "number of values", self.limits.animation_values, "animation_values")
            }
        };
        if after > before && size > limit as f64 {
            let what = format!(
                "the {what} of {after:.0} frames, {size:.0} (a shorter time or fewer per second help),"
            );
            return Err(Error::TooLarge { what, limit, field });
        }
        Ok(())
    }

    /// [`write_clips`](Self::write_clips) for motions in another time: what of a glTF's animation is not in the clip goes along: scales, nodes
    /// outside the skeleton, the weights of shapes, and what extensions move.
    ///
    /// - `edited`: motions, the clips they are now, and which time has become which
    ///
    /// Weights and extensions whose keys cannot be read, because their data is missing or compressed, stay when they are.
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
                let message = "the clip has another skeleton than the file".into();
                return Err(Error::Value { place: Place::named("clip"), message });
            }
        }
        match &self.content {
            Content::Capture(capture) => {
                let written =
                    capture.write(edited.last().map_or(capture.clip(), |&(_, clip, _)| clip))?;
                // The later ones count, and there is one motion.
                let mut joints = vec![0; edited.len()];
                joints.iter_mut().rev().zip(&written.joints).for_each(|(joints, n)| *joints = *n);
                Ok(Written { joints, ..written })
            }
            Content::Scene { asset, .. } => {
                let mut animations = asset.animations().to_vec();
                let mut asides = asset.asides().to_vec();
                let mut joints = Vec::with_capacity(edited.len());
                for &(index, clip, map) in edited {
                    let cast = self.cast(asset, index)?;
                    let old = &asset.animations()[index];
                    animations[index] = old.clone();
                    asides[index].clone_from(&asset.asides()[index]);
                    if let Some(map) = map {
                        asides[index].iter_mut().for_each(|aside| bake::retime_aside(aside, map));
                    }
                    let Some(character) = asset.character() else {
                        return Err(cast::nothing(&format!("animations[{index}]")));
                    };
                    let new = &mut animations[index];
                    joints.push(bake::bake((cast, character), clip, map, old, new)?);
                }
                let gltf::Written { file, buffers } =
                    asset.write_with(&animations, &asides, stem)?;
                Ok(Written { file, beside: buffers, joints, loss: Loss::default() })
            }
        }
    }
}
