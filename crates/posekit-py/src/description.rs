//! Robot files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use posekit_collision::{CollisionModel, CollisionOptions};
use posekit_io::{Limits, Place, Robot, Warnings, decode_text, gltf, mjcf, srdf, urdf};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::fault;

/// The arguments that restore a pickled description: its kind, its file, and keywords.
type NewArguments<'py> = ((String, Bound<'py, PyBytes>), Bound<'py, PyDict>);

/// Files that belong to one, by their names in it.
type Files = BTreeMap<String, Vec<u8>>;

/// A robot as its files describe it, read once and shared by the robots that are made of it.
///
/// Parameters
/// ----------
/// kind : {"urdf", "mjcf"}
///     The format of `data`.
/// data : bytes
///     The file, in UTF-8.
/// folder : path-like, optional
///     The folder of the files that an MJCF includes.
/// srdf : bytes, optional
///     Groups, end effectors and named states.
/// floating : bool, default False
///     The robot stands on a floating base.
/// soft_limits : bool, default False
///     Keep the soft limits of a URDF's `<safety_controller>`.
/// files : dict of str to bytes, optional
///     The files that an MJCF includes; `folder` is then not looked at.
#[pyclass(frozen, module = "posekit._posekit")]
pub(crate) struct Description {
    pub(crate) robot: Robot,
    kind: String,
    data: Vec<u8>,
    srdf: Option<Vec<u8>>,
    is_floating: bool,
    has_soft_limits: bool,
    files: Files,
    folder: Option<PathBuf>,
    pub(crate) warnings: Vec<String>,
    /// Made at its first use.
    collisions: OnceLock<Result<CollisionModel, String>>,
}

#[pymethods]
impl Description {
    #[new]
    #[pyo3(signature = (kind, data, *, folder=None, srdf=None, floating=false, soft_limits=false, files=None))]
    fn new(
        kind: &str,
        data: &[u8],
        folder: Option<PathBuf>,
        srdf: Option<&[u8]>,
        floating: bool,
        soft_limits: bool,
        files: Option<Files>,
    ) -> PyResult<Self> {
        let mut warnings = Warnings::new();
        let mut opened = Files::new();
        let robot =
            read(kind, data, folder.as_deref(), soft_limits, files, &mut opened, &mut warnings)?;
        let robot = match srdf {
            Some(bytes) => srdf::merge_bytes(&robot, bytes, &Limits::default(), &mut warnings)
                .map_err(|error| fault::file(&error))?,
            None => robot,
        };
        let robot = match floating {
            true => robot.with_free_root().map_err(|error| fault::file(&error))?,
            false => robot,
        };
        Ok(Self {
            robot,
            kind: kind.to_owned(),
            data: data.to_vec(),
            srdf: srdf.map(<[u8]>::to_vec),
            is_floating: floating,
            has_soft_limits: soft_limits,
            files: opened,
            folder,
            collisions: OnceLock::new(),
            warnings: warnings.iter().map(ToString::to_string).collect(),
        })
    }

    /// The readers' warnings, one text each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// The text of the file.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.data)
    }

    /// The format of the file: "urdf" or "mjcf".
    #[getter]
    fn kind(&self) -> &str {
        &self.kind
    }

    /// The index of each link's parent; -1 for the root.
    #[getter]
    fn link_parents(&self) -> Vec<i64> {
        let parent = |link: &posekit_io::robot::RobotLink| {
            link.parent.and_then(|parent| i64::try_from(parent).ok())
        };
        self.robot.links().iter().map(|link| parent(link).unwrap_or(-1)).collect()
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<NewArguments<'py>> {
        let keywords = PyDict::new(py);
        keywords.set_item("folder", self.folder.as_ref())?;
        keywords.set_item("srdf", self.srdf.as_deref().map(|bytes| PyBytes::new(py, bytes)))?;
        keywords.set_item("floating", self.is_floating)?;
        keywords.set_item("soft_limits", self.has_soft_limits)?;
        let files = PyDict::new(py);
        for (name, bytes) in &self.files {
            files.set_item(name, PyBytes::new(py, bytes))?;
        }
        keywords.set_item("files", files)?;
        Ok(((self.kind.clone(), PyBytes::new(py, &self.data)), keywords))
    }
}

impl Description {
    /// The bodies of the robot and their pairs. Meshes are read from the folder of the file.
    pub(crate) fn collisions(&self) -> PyResult<&CollisionModel> {
        let make = || {
            let options = CollisionOptions::default();
            let options = match &self.folder {
                Some(folder) => options.with_folder(folder),
                None => options,
            };
            // Shapes that cannot be checked have no pairs, which `Robot.collision_pairs` shows.
            CollisionModel::from_robot(&self.robot, &options, &mut Warnings::new())
                .map_err(|error| error.to_string())
        };
        self.collisions.get_or_init(make).as_ref().map_err(|words| fault::invalid(words, "shapes"))
    }
}

/// Reads a file; of an MJCF also those that it includes.
///
/// - `opened`: what was included
fn read(
    kind: &str,
    data: &[u8],
    folder: Option<&Path>,
    has_soft_limits: bool,
    files: Option<Files>,
    opened: &mut Files,
    warnings: &mut Warnings,
) -> PyResult<Robot> {
    let limits = Limits::default();
    let text = decode_text(data, &limits).map_err(|error| fault::file(&error))?;
    let robot = match kind {
        "urdf" => {
            let options = urdf::Options::default();
            let options = if has_soft_limits { options.with_soft_limits() } else { options };
            urdf::read_as(text, &options, &limits, warnings)
        }
        "mjcf" => {
            let mut in_folder = folder.map(|folder| gltf::folder(folder, limits));
            let open = |name: &str| {
                let bytes = match (&files, &mut in_folder) {
                    (Some(files), _) => files.get(name).cloned().ok_or_else(|| missing(name))?,
                    (None, Some(open)) => open(name)?,
                    (None, None) => gltf::no_files(name)?,
                };
                opened.insert(name.to_owned(), bytes.clone());
                Ok(bytes)
            };
            mjcf::read_with_files(text, &limits, open, warnings)
        }
        _ => {
            return Err(fault::invalid(format!("there is no kind of robot file {kind:?}"), "kind"));
        }
    };
    robot.map_err(|error| fault::file(&error))
}

fn missing(name: &str) -> posekit_io::Error {
    posekit_io::Error::NoSuchName { place: Place::default(), kind: "file", name: name.to_owned() }
}
