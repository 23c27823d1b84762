//! Input files and the paths of their outputs.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::input::STDIN;
use crate::output::is_dash;

/// The extensions of motion files. In a folder other files are ignored; a file given by itself is read whatever its name.
const EXTENSIONS: [&str; 5] = ["bvh", "glb", "gltf", "vrm", "vrma"];

/// An input file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Input {
    /// Its path.
    pub(super) path: PathBuf,
    /// Its name in reports: as given, or its path in the folder, with `/` on every system.
    pub(super) name: String,
    /// The path of its output in a folder: its path in its own folder, or its file name if it was given by itself.
    pub(super) relative: PathBuf,
    /// Why it cannot be read, if that is known already.
    pub(super) fault: Option<String>,
}

impl Input {
    /// A file that was given by itself.
    pub(super) fn given(path: &Path) -> Self {
        if is_dash(path) {
            let relative = PathBuf::from("stdin");
            return Self { path: path.to_owned(), name: STDIN.to_owned(), relative, fault: None };
        }
        let relative = path.file_name().map_or_else(|| path.to_owned(), PathBuf::from);
        Self { path: path.to_owned(), name: path.display().to_string(), relative, fault: None }
    }

    /// A file in a folder.
    fn within(folder: &Path, relative: PathBuf) -> Self {
        let name = relative.to_string_lossy().replace('\\', "/");
        Self { path: folder.join(&relative), name, relative, fault: None }
    }
}

/// The inputs: one file, or several, or all of a folder.
#[derive(Debug)]
pub(super) struct Inputs {
    /// In the order in which they were given; those of a folder sorted by name.
    pub(super) files: Vec<Input>,
    pub(super) is_many: bool,
}

/// The input files at some paths.
///
/// - `excluded`: a folder that is not read: the output folder, if it is inside an input folder
pub(super) fn inputs(given: &[PathBuf], excluded: Option<&Path>) -> Result<Inputs> {
    let [one] = given else {
        if given.iter().any(|path| is_dash(path)) {
            return Err(Failure::usage("standard input is read by itself, not beside other files"));
        }
        let mut files = Vec::new();
        for path in given {
            match fs::metadata(path) {
                Ok(found) if found.is_dir() => {
                    let inside = folder(path, excluded)?.into_iter();
                    // Names in several folders are distinguished by their paths.
                    let named =
                        |input: Input| Input { name: input.path.display().to_string(), ..input };
                    files.extend(inside.map(named));
                }
                Ok(_) => files.push(Input::given(path)),
                Err(error) => {
                    let fault = Some(format!("cannot read the file: {error}"));
                    files.push(Input { fault, ..Input::given(path) });
                }
            }
        }
        return Ok(Inputs { files, is_many: true });
    };
    if is_dash(one) || !fs::metadata(one).map_err(|error| unread(one, &error))?.is_dir() {
        return Ok(Inputs { files: vec![Input::given(one)], is_many: false });
    }
    Ok(Inputs { files: folder(one, excluded)?, is_many: true })
}

fn unread(path: &Path, error: &std::io::Error) -> Failure {
    Failure::input(format!("cannot read the file: {error}: {}", path.display()))
}

/// The motions in a folder and its folders, sorted by name.
fn folder(path: &Path, excluded: Option<&Path>) -> Result<Vec<Input>> {
    let failed = |error: std::io::Error| unread(path, &error);
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
    if files.is_empty() {
        let message = "there are no motions (.bvh, .glb, .gltf, .vrm, .vrma) in the folder";
        return Err(Failure::in_file(message, path.display()));
    }
    Ok(files)
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
    if !inputs.is_many {
        let place = match inputs.files.first().filter(|_| is_folder(output)) {
            Some(input) => with_extension(output.join(&input.relative), extension),
            None => output.to_owned(),
        };
        return Ok(vec![Ok(place)]);
    }
    if output.is_file() || is_dash(output) {
        return Err(Failure::usage(format!(
            "the input is a folder or several files, so the output must be a folder: {}",
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
pub(crate) fn is_folder(output: &Path) -> bool {
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
        let found = inputs(std::slice::from_ref(&place), Some(&place.join("out"))).unwrap();
        let names: Vec<&str> = found.files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["a.glb", "b/a.bvh", "b/x.BVH"]);
        let outs = outputs(&found, &place.join("out"), None).unwrap();
        assert_eq!(outs[1], Ok(place.join("out/b/a.bvh")));
        fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn two_files_for_one_place_are_told() {
        let place = place("clash", &["a.bvh", "a.glb"]);
        let found = inputs(std::slice::from_ref(&place), None).unwrap();
        let outs = outputs(&found, &place.join("out"), Some("glb")).unwrap();
        assert!(outs[0].is_ok());
        assert!(outs[1].as_ref().is_err_and(|words| words.contains("would be that of a.bvh")));
        fs::remove_dir_all(place).unwrap();
    }
}
