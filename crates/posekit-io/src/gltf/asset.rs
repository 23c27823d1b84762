//! A whole file: its animations, and how they are changed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::accessors::Lists;
use super::animation::Animation;
use super::aside::Aside;
use super::buffers::{Buffers, Resolve};
use super::channels::{Source, Targets, meshes_with_morphs, read_animations};
use super::container::{self, Container};
use super::uri::Uri;
use super::{Character, bind, humanoid, nodes, scenes, skeleton, write};
use crate::error::{Error, Result};
use crate::json::{Document, Object};
use crate::limits::Limits;
use crate::text;
use crate::warnings::Warnings;

/// A glTF file with its animations, kept as it is: what is not edited is written again byte for byte.
///
/// # Example: a knee that bends less
/// ```
/// use posekit_io::{Limits, Warnings, gltf};
///
/// // A knee that turns for a second; its keys are in the file itself.
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
    /// For each animation its channels that move no node.
    pub(super) asides: Vec<Vec<Aside>>,
    character: Option<Character>,
    files: Vec<String>,
    bones: Vec<(String, usize)>,
    has_meshes: bool,
}

/// What [`Asset::write`] gives: a file, and what must lie beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The bytes of the file, of the same form as the one that was read.
    pub file: Vec<u8>,
    /// New files that it names. Only a file of text whose buffers are files of their own has any; what it named before is named still.
    pub buffers: Vec<BufferFile>,
}

/// A file of bytes that a glTF file names.
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
    ///   between its parts; URIs that are absolute, lead upwards, or have a scheme, a drive or a backslash never come to it.
    ///
    /// Only those buffers are asked for that animations need.
    ///
    /// # Errors
    /// By JSON path, such as `animations[0].samplers[2].input`, and by the node that is moved: times that are negative, not finite or not
    /// increasing, values of another number or form than the channel needs, two channels for the same, nodes that are not there or have a matrix.
    /// Accessors, sparse ones too, that reach beyond their views, and views beyond their buffers; buffers that are shorter than they say; bad base64.
    /// URIs that lead out of the folder. Animations that are kept compressed. What [`read_bytes`](super::read_bytes) refuses.
    /// [`Error::TooLarge`] beyond [`Limits`], for all buffers together and all values together.
    ///
    /// # Degenerate cases
    /// Channels that an extension directs at what is no node, weights of shapes, and channels whose accessor has no data are passed over; they stay in
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
            asides: Vec::new(),
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
        self.asides = animations.asides;
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

    /// The files of its folder that this one names, buffers and images, each once: what must go along when it moves.
    #[must_use]
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// The bones of a person that a VRM or VRMA file names, each with its node: `leftUpperLeg` and so on. None in other files.
    #[must_use]
    pub fn bones(&self) -> &[(String, usize)] {
        &self.bones
    }

    /// True where the file has meshes, so that it is more than joints and their motion.
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
    /// - `animations`: those of the file, in their order, edited; more of them are added. A channel that the file has is replaced when one of its
    ///   numbers differs in single precision; a channel that it lacks is added. What is not named stays.
    /// - `stem`: what a new file of bytes is called, without `.bin`; asked for only where [`Written::buffers`] is not empty
    ///
    /// All else is copied byte for byte. Without a difference, the file is the one that was read. New values take the place of the old ones where
    /// nothing else uses these and there is room; otherwise they are added, and the old ones stay, unused: to a binary container at the end of its
    /// data, to a file of text as a data URI or as a file of their own, whichever it has already. A node that has a matrix, which the format lets no
    /// channel move, gets translation, rotation and scale in its place where it is moved.
    ///
    /// # Errors
    /// [`Error::Value`] with `animations[i].channels[j]`: what [`from_bytes`](Self::from_bytes) refuses too, and times that are the same in single
    /// precision. A file that becomes larger than its form can hold.
    pub fn write(&self, animations: &[Animation], stem: &str) -> Result<Written> {
        write::write(self, (animations, &self.asides), stem)
    }

    /// For each animation its channels that move no node.
    pub(crate) fn asides(&self) -> &[Vec<Aside>] {
        &self.asides
    }

    /// [`write`](Self::write) with channels that move no node in another time.
    ///
    /// - `asides`: those of the file, with other times
    pub(crate) fn write_with(
        &self,
        animations: &[Animation],
        asides: &[Vec<Aside>],
        stem: &str,
    ) -> Result<Written> {
        write::write(self, (animations, asides), stem)
    }
}

/// Parses the JSON of a file.
pub(super) fn parse<'b>(
    container: &Container,
    bytes: &'b [u8],
    limits: &Limits,
) -> Result<Document<'b>> {
    // Buffers may stand in the text as long strings.
    let limits = Limits { text_bytes: limits.file_bytes, ..*limits };
    Document::parse(container.text(bytes)?, &limits)
}

/// The files that a file names. What names none, or leads out of the folder, is refused only where it is needed.
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

/// Gives the files of a folder, for [`Asset::from_bytes`]: those that, links followed, lie inside it.
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
            return Err(refuse("it is no file".into()));
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
