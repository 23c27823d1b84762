//! A whole file: its animations, and edited ones written back.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::accessors::Lists;
use super::animation::{Animation, Channel, Interpolation, TargetPath};
use super::buffers::{Buffers, Resolve};
use super::channels::{Source, Targets, meshes_with_morphs, read_animations};
use super::container::{self, Container};
use super::other_channels::OtherChannel;
use super::uri::Uri;
use super::{Character, bind, humanoid, nodes, scenes, skeleton, write};
use crate::error::{Error, Place, Result};
use crate::json::{Document, Object};
use crate::limits::Limits;
use crate::text;
use crate::warnings::Warnings;

/// The most frames of [`Asset::write_standing`]: ten minutes at 60 a second.
pub const LONGEST_STAND: u32 = 36_000;

/// A glTF file with its animations. Everything that is not edited is written back byte for byte.
///
/// # Example: a knee that bends less
/// ```
/// use posekit_io::{Limits, Warnings, gltf};
///
/// // A knee that rotates for a second; its keys are in the file itself.
/// let text = r#"{ "asset": { "version": "2.0" }, "nodes": [ { "name": "knee" } ],
///   "animations": [ { "samplers": [ { "input": 0, "output": 1 } ],
///                     "channels": [ { "sampler": 0, "target": { "node": 0, "path": "rotation" } } ] } ],
///   "accessors": [ { "bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 2, "min": [0], "max": [1] },
///                  { "bufferView": 0, "byteOffset": 8, "componentType": 5126, "type": "VEC4", "count": 2 } ],
///   "bufferViews": [ { "buffer": 0, "byteLength": 40 } ],
///   "buffers": [ { "byteLength": 40, "uri": "data:application/octet-stream;base64,AAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/mpkZPwAAAAAAAAAAzcxMPw==" } ] }"#;
/// let asset = gltf::Asset::from_bytes(text.as_bytes(), &mut gltf::no_files, &Limits::default(), &mut Warnings::new())?;
/// let mut animations = asset.animations().to_vec();
/// animations[0].channels[0].values = vec![0.0, 0.0, 0.0, 1.0, 0.28, 0.0, 0.0, 0.96];
/// let written = asset.write(&animations, "knee")?;
/// assert!(String::from_utf8(written.file).unwrap().starts_with(&text[..200]));
/// # Ok::<(), posekit_io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Asset {
    pub(super) bytes: Vec<u8>,
    pub(super) container: Container,
    pub(super) limits: Limits,
    pub(super) animations: Vec<Animation>,
    pub(super) targets: Vec<Targets>,
    /// For each animation its channels that do not move nodes.
    pub(super) other_channels: Vec<Vec<OtherChannel>>,
    character: Option<Character>,
    files: Vec<String>,
    bones: Vec<(String, usize)>,
    has_meshes: bool,
}

/// The result of [`Asset::write`]: a file, and the files that must be beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The bytes of the file, in the same format as the one that was read.
    pub file: Vec<u8>,
    /// New files that it names. Only a text file with buffers in separate files has any; files that it named before are still named.
    pub buffers: Vec<BufferFile>,
}

/// A buffer file that a glTF file names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferFile {
    /// Its path from the folder of the glTF file, with `/` between its parts.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Asset {
    /// Reads a file with its animations.
    ///
    /// - `resolve`: gives the bytes of a file that this one names, such as [`folder`] or [`no_files`]. Its argument is a relative path, decoded, with `/`
    ///   between its parts; URIs that are absolute, lead upwards, or have a scheme, a drive or a backslash are never passed to it.
    ///
    /// Only buffers that animations need are requested.
    ///
    /// # Errors
    /// By JSON path, such as `animations[0].samplers[2].input`, and by the animated node: times that are negative, not finite or not
    /// increasing, values of a number or type that does not fit the channel, two channels with the same target, nodes that do not exist or have a matrix.
    /// Accessors, sparse ones included, that extend beyond their views, and views beyond their buffers; buffers that are shorter than declared; bad base64.
    /// URIs that lead out of the folder. Compressed animations. Everything that [`read_bytes`](super::read_bytes) refuses.
    /// [`Error::TooLarge`] beyond [`Limits`], for all buffers together and all values together.
    ///
    /// # Degenerate cases
    /// Channels that an extension redirects, morph target weights, and channels whose accessor has no data are ignored; they remain in
    /// the file. A file without nodes is read; it has no character.
    pub fn from_bytes(
        bytes: &[u8],
        resolve: &mut dyn FnMut(&str) -> Result<Vec<u8>>,
        limits: &Limits,
        warnings: &mut Warnings,
    ) -> Result<Self> {
        text::check_size(bytes.len() as u64, limits)?;
        let container = Container::split(bytes, limits, warnings)?;
        let document = parse(&container, bytes, limits)?;
        let file = document.root().any_object()?;
        container::check_version(&file)?;
        let mut asset = Self {
            bytes: bytes.to_vec(),
            limits: *limits,
            animations: Vec::new(),
            targets: Vec::new(),
            other_channels: Vec::new(),
            character: None,
            files: files(&file),
            bones: Vec::new(),
            has_meshes: file.optional("meshes").is_some(),
            container,
        };
        let data = asset.container.data(bytes);
        asset.read(&file, data, resolve, warnings)?;
        Ok(asset)
    }

    /// Reads a file, and the files that it names from its own folder.
    ///
    /// # Errors
    /// [`Error::Read`] when the system cannot read one of them, or when one is a link out of the folder; otherwise as [`from_bytes`](Self::from_bytes).
    pub fn open(path: &Path, limits: &Limits, warnings: &mut Warnings) -> Result<Self> {
        let bytes = text::read_bytes(path, limits)?;
        let mut resolve = folder(path.parent().unwrap_or(Path::new("")), *limits);
        Self::from_bytes(&bytes, &mut resolve, limits, warnings)
    }

    fn read<'d>(
        &mut self,
        file: &Object<'d>,
        data: Option<&'d [u8]>,
        resolve: Resolve<'_>,
        warnings: &mut Warnings,
    ) -> Result<()> {
        let limits = self.limits;
        let lists = Lists::read(file)?;
        lists.warn_of_required(warnings);
        let tree = match file.optional("nodes") {
            Some(_) => nodes::read_nodes(file, &limits, warnings)?,
            None => nodes::Tree::default(),
        };
        self.bones = humanoid::read_bones(file, &tree);
        if tree.len() > 0 {
            self.character = Some(skeleton::assemble(file, &tree, &lists, warnings)?);
            scenes::warn_of_skinned_nodes(file, &tree, warnings)?;
        } else {
            scenes::check_scenes(file, &tree)?;
            skeleton::read_skins(file, &tree, &lists, warnings)?;
        }
        let buffers = Buffers::new(&lists, data, resolve, &limits);
        let morphs = meshes_with_morphs(file);
        let mut source =
            Source { file, tree: &tree, lists: &lists, buffers, morphs, limits: &limits };
        let animations = read_animations(&mut source, warnings)?;
        bind::check_matrices(file, &lists, &mut source.buffers, limits.animation_values, warnings)?;
        (self.animations, self.targets) = (animations.list, animations.targets);
        self.other_channels = animations.other_channels;
        Ok(())
    }

    /// The animations, in the order of the file.
    #[must_use]
    pub fn animations(&self) -> &[Animation] {
        &self.animations
    }

    /// The character whose nodes the animations move; `None` for a file without nodes.
    #[must_use]
    pub const fn character(&self) -> Option<&Character> {
        self.character.as_ref()
    }

    /// The files of its folder that this one names, buffers and images, each once: they must be moved together with it.
    #[must_use]
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// The bones of a person that a VRM or VRMA file names, each with its node: `leftUpperLeg` and so on. None in other files.
    #[must_use]
    pub fn bones(&self) -> &[(String, usize)] {
        &self.bones
    }

    /// True if the file has meshes, so that it is more than joints and their motion.
    #[must_use]
    pub const fn has_meshes(&self) -> bool {
        self.has_meshes
    }

    /// The bytes that were read.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The file with these animations.
    ///
    /// - `animations`: those of the file, in their order, edited; further ones are added. A channel of the file is replaced if one of its
    ///   numbers differs in single precision; a new channel is added. All others are kept.
    /// - `stem`: the name of a new buffer file, without `.bin`; used only if [`Written::buffers`] is not empty
    ///
    /// All else is copied byte for byte. Without a difference, the file is the one that was read. New values replace the old ones if
    /// nothing else uses these and they fit; otherwise they are added, and the old ones remain, unused: in a binary container at the end of its
    /// data, in a text file as a data URI or as a separate file, whichever it has already. A node with a matrix, which the format does not allow to be
    /// animated, gets translation, rotation and scale instead if it is moved.
    ///
    /// # Errors
    /// [`Error::Value`] with `animations[i].channels[j]`: everything that [`from_bytes`](Self::from_bytes) refuses, and times that coincide in single
    /// precision. A file that exceeds the largest size of its format.
    pub fn write(&self, animations: &[Animation], stem: &str) -> Result<Written> {
        write::write(self, (animations, &self.other_channels), stem)
    }

    /// The file with one more animation, in which the character stands at rest: what keyframes are set on.
    ///
    /// - `name`: that of the animation
    /// - `seconds`: its length
    /// - `rate`: its frames per second
    ///
    /// # Errors
    /// [`Error::Value`] for a file without nodes, a rate that is not above 0 and a length of less than one frame or more than [`LONGEST_STAND`] frames; otherwise as
    /// [`write`](Self::write).
    pub fn write_standing(&self, name: &str, seconds: f64, rate: f64) -> Result<Written> {
        let fault = |message: String| Error::Value { place: Place::named("standing"), message };
        let Some(character) = &self.character else {
            return Err(fault("a file without nodes has no character".to_owned()));
        };
        let steps = (seconds * rate).round();
        if !(rate > 0.0 && steps >= 1.0 && steps < f64::from(LONGEST_STAND)) {
            return Err(fault(format!(
                "{seconds} s at {rate} frames a second is not 2 to {LONGEST_STAND} frames"
            )));
        }
        let times: Vec<f64> = (0..LONGEST_STAND)
            .map(f64::from)
            .take_while(|frame| *frame <= steps)
            .map(|frame| frame / rate)
            .collect();
        let root = character.root.unwrap_or(0);
        let rest = character.rest(root);
        let channel = |path: TargetPath, value: &[f64]| Channel {
            node: character.node(root),
            path,
            interpolation: Interpolation::Linear,
            values: value.repeat(times.len()),
            times: times.clone(),
        };
        let channels = vec![
            channel(TargetPath::Translation, &rest.translation.to_array()),
            channel(TargetPath::Rotation, &rest.rotation.to_array()),
        ];
        let mut animations = self.animations.clone();
        animations.push(Animation { name: Some(name.to_owned()), channels });
        self.write(&animations, name)
    }

    /// For each animation its channels that do not move nodes.
    pub(crate) fn other_channels(&self) -> &[Vec<OtherChannel>] {
        &self.other_channels
    }

    /// [`write`](Self::write) with retimed channels that do not move nodes.
    ///
    /// - `other_channels`: those of the file, with other times
    pub(crate) fn write_with(
        &self,
        animations: &[Animation],
        other_channels: &[Vec<OtherChannel>],
        stem: &str,
    ) -> Result<Written> {
        write::write(self, (animations, other_channels), stem)
    }
}

/// Parses the JSON of a file.
pub(super) fn parse<'b>(
    container: &Container,
    bytes: &'b [u8],
    limits: &Limits,
) -> Result<Document<'b>> {
    // Buffers may be long strings in the text.
    let limits = Limits { text_bytes: limits.file_bytes, ..*limits };
    Document::parse(container.text(bytes)?, &limits)
}

/// The files that a file names. Invalid URIs are refused only when they are needed.
fn files(file: &Object<'_>) -> Vec<String> {
    let mut files = Vec::new();
    let mut is_known = BTreeSet::new();
    for name in ["buffers", "images"] {
        let list = file.optional(name).and_then(|list| list.as_list()).unwrap_or_default();
        for uri in list.iter().filter_map(|item| item.as_object()?.optional("uri")) {
            if let Some(Uri::File(path)) = uri.as_text().and_then(|text| Uri::of(text).ok())
                && is_known.insert(path.clone())
            {
                files.push(path);
            }
        }
    }
    files
}

/// Gives the files of a folder, for [`Asset::from_bytes`]: those that are inside it after resolving links.
pub fn folder(folder: &Path, limits: Limits) -> impl FnMut(&str) -> Result<Vec<u8>> + use<> {
    let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() };
    move |path| {
        let joined = folder.join(path);
        let refuse = |message: String| Error::Read { message, path: joined.display().to_string() };
        let real = |path: &Path| path.canonicalize().map_err(|error| refuse(error.to_string()));
        let found = real(&joined)?;
        if !found.starts_with(real(&folder)?) {
            return Err(refuse("it leads out of the asset's folder".into()));
        }
        // A pipe or a device may never end.
        if !found.is_file() {
            return Err(refuse("it is not a file".into()));
        }
        text::read_bytes(&found, &limits)
    }
}

/// Gives no file, for [`Asset::from_bytes`]: an asset that needs one is refused.
///
/// # Errors
/// Always [`Error::Read`].
pub fn no_files(path: &str) -> Result<Vec<u8>> {
    Err(Error::Read { message: "no other file is read".into(), path: path.to_owned() })
}
