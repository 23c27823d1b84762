//! Input files and the paths of their outputs.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};

/// The extensions of motion files. In a folder other files are ignored; a file given by itself is read whatever its name.
const EXTENSIONS: [&str; 5] = ["bvh", "glb", "gltf", "vrm", "vrma"];

/// An input file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Input {
    /// Its path.
    pub(super) path: PathBuf,
    /// Its name in reports: as given, or its path in the folder, with `/` on every system.
    pub(super) name: String,
    /// Its path in the folder; its file name if it was given by itself.
    pub(super) relative: PathBuf,
    /// Why it cannot be read, if that is known already.
    pub(super) fault: Option<String>,
}

impl Input {
    /// A file in a folder.
    pub(super) fn within(folder: &Path, relative: PathBuf) -> Self {
        let name = relative.to_string_lossy().replace('\\', "/");
        Self { path: folder.join(&relative), name, relative, fault: None }
    }
}

/// The inputs: one file, or all of a folder.
#[derive(Debug)]
pub(super) struct Inputs {
    /// Sorted by name.
    pub(super) files: Vec<Input>,
    /// The folder, if it was one.
    pub(super) folder: Option<PathBuf>,
}

/// The input files at a path.
///
/// - `excluded`: a folder that is not read: the output folder, if it is inside the input folder
pub(super) fn inputs(path: &Path, excluded: Option<&Path>) -> Result<Inputs> {
    let failed = |error: std::io::Error| {
        Failure::input(format!("cannot read the file: {error}: {}", path.display()))
    };
    if path == Path::new("-") {
        return Err(Failure::usage(
            "a motion is read from a file, not from standard input; for a file named - give ./-",
        ));
    }
    if !fs::metadata(path).map_err(failed)?.is_dir() {
        let relative = path.file_name().map_or_else(|| path.to_owned(), PathBuf::from);
        let name = path.display().to_string();
        let input = Input { path: path.to_owned(), name, relative, fault: None };
        return Ok(Inputs { files: vec![input], folder: None });
    }
    let excluded =
        excluded.filter(|folder| *folder != path).and_then(|folder| folder.canonicalize().ok());
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(path.join(&folder)) {
            Err(error) if folder.as_os_str().is_empty() => return Err(failed(error)),
            // A folder that cannot be read does not stop the others.
            Err(error) => {
                let fault = Some(format!("cannot read the folder: {error}"));
                files.push(Input { fault, ..Input::within(path, folder) });
                continue;
            }
            Ok(entries) => entries,
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let relative = folder.join(entry.file_name());
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            let is_excluded = || excluded.is_some() && entry.path().canonicalize().ok() == excluded;
            match entry.file_type() {
                // Links to folders are not followed: they may be circular.
                Ok(kind) if kind.is_dir() && !is_hidden && !is_excluded() => folders.push(relative),
                Ok(kind) if !kind.is_dir() && is_motion(&relative) && !entry.path().is_dir() => {
                    // A broken link is reported when it is read; a pipe could block forever.
                    let is_odd = fs::metadata(entry.path()).is_ok_and(|found| !found.is_file());
                    let fault = is_odd.then(|| "it is not an ordinary file".to_owned());
                    files.push(Input { fault, ..Input::within(path, relative) });
                }
                _ => {}
            }
        }
    }
    files.sort_by(|a, b| a.relative.cmp(&b.relative));
    Ok(Inputs { files, folder: Some(path.to_owned()) })
}

fn is_motion(path: &Path) -> bool {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    EXTENSIONS.iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// The output path of each input, or why there is none. In a folder a file keeps its name.
///
/// - `extension`: the new extension; `None` keeps the old one
pub(super) fn outputs(
    inputs: &Inputs,
    output: &Path,
    extension: Option<&str>,
) -> Result<Vec<core::result::Result<PathBuf, String>>> {
    let Some(folder) = &inputs.folder else {
        let place = match inputs.files.first().filter(|_| is_folder(output)) {
            Some(input) => with_extension(output.join(&input.relative), extension),
            None => output.to_owned(),
        };
        return Ok(vec![Ok(place)]);
    };
    if output.is_file() {
        return Err(Failure::usage(format!(
            "the input is a folder ({}), and the output a file: {}",
            folder.display(),
            output.display()
        )));
    }
    let mut taken: BTreeMap<PathBuf, &str> = BTreeMap::new();
    let places = inputs.files.iter().map(|input| {
        let place = with_extension(output.join(&input.relative), extension);
        match taken.get(&place) {
            Some(first) => Err(format!(
                "its output would be that of {first}; rename one of them or move it to another folder"
            )),
            None => {
                taken.insert(place.clone(), &input.name);
                Ok(place)
            }
        }
    });
    Ok(places.collect())
}

/// True for an existing folder, and for a name that ends in a separator.
pub(super) fn is_folder(output: &Path) -> bool {
    let name = output.as_os_str().to_string_lossy();
    output.is_dir() || name.ends_with(std::path::is_separator)
}

fn with_extension(mut place: PathBuf, extension: Option<&str>) -> PathBuf {
    if let Some(extension) = extension {
        place.set_extension(extension);
    }
    place
}

/// The folder for the motions of one file of a folder, if it has several; it replaces the single output file.
///
/// - `place`: the path of that file
pub(super) fn folder_of_motions(place: &Path) -> PathBuf {
    place.with_extension("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str, files: &[&str]) -> PathBuf {
        let place =
            std::env::temp_dir().join(format!("posekit-files-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&place);
        for file in files {
            let path = place.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        place
    }

    #[test]
    fn a_folder_gives_its_motions_in_order() {
        let files = ["b/x.BVH", "a.glb", "notes.txt", ".hidden/y.bvh", "out/a.glb", "b/a.bvh"];
        let place = place("order", &files);
        let found = inputs(&place, Some(&place.join("out"))).unwrap();
        let names: Vec<&str> = found.files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["a.glb", "b/a.bvh", "b/x.BVH"]);
        let outs = outputs(&found, &place.join("out"), None).unwrap();
        assert_eq!(outs[1], Ok(place.join("out/b/a.bvh")));
        fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn two_files_for_one_place_are_told() {
        let place = place("clash", &["a.bvh", "a.glb"]);
        let found = inputs(&place, None).unwrap();
        let outs = outputs(&found, &place.join("out"), Some("glb")).unwrap();
        assert!(outs[0].is_ok());
        assert!(outs[1].as_ref().is_err_and(|words| words.contains("would be that of a.bvh")));
        fs::remove_dir_all(place).unwrap();
    }
}
