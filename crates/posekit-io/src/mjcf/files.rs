//! The texts of a model, of its included files and of its attached models, all read before any of them is interpreted.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::text;
use crate::xml::{self, Element, Source};

/// Returns the bytes of a file by its path from the folder of the requested model.
pub(super) type Open<'o> = &'o mut dyn FnMut(&str) -> Result<Vec<u8>>;

/// All texts of a model, in the order in which they were found; the first is the model's own.
pub(super) struct Files {
    pub(super) list: Vec<File>,
    /// The files that `<include>` and `<model>` elements name, by their own files and offsets.
    pub(super) links: BTreeMap<(usize, usize), usize>,
}

/// One text.
pub(super) struct File {
    /// Its path from the folder of the requested model; empty for that model.
    pub(super) path: String,
    pub(super) text: String,
    /// The first file of its model.
    pub(super) model: usize,
    /// The first file of the model whose `<asset>` names its model.
    attached_to: Option<usize>,
}

/// A reference to a file.
struct Reference {
    byte: usize,
    is_model: bool,
    file: String,
    /// Makes the error of a reference that cannot be resolved from a message.
    refuse: Box<dyn Fn(String) -> Error>,
}

impl Files {
    /// Reads all files of a model. Each file is included at most once in a model, and no model is attached to itself, so this ends.
    pub(super) fn read(text: &str, limits: &Limits, open: Open<'_>) -> Result<Self> {
        let main = File { path: String::new(), text: text.into(), model: 0, attached_to: None };
        let mut files = Self { list: vec![main], links: BTreeMap::new() };
        let mut included = BTreeSet::from([(0, String::new())]);
        let mut bytes = text.len();
        let mut at = 0;
        while at < files.list.len() {
            for reference in references(at, &files.list[at], limits)? {
                let found = files.follow(at, &reference, limits, open)?;
                let is_new = included.insert((found.model, found.path.clone()));
                if !reference.is_model && !is_new {
                    let message = format!("`{}` is included a second time", found.path);
                    return Err((reference.refuse)(message));
                }
                bytes += found.text.len();
                text::check_size(bytes as u64, limits)?;
                files.links.insert((at, reference.byte), files.list.len());
                files.list.push(found);
                if files.list.len() > limits.files {
                    let what = "the number of files".into();
                    return Err(Error::TooLarge { what, limit: limits.files, field: "files" });
                }
            }
            at += 1;
        }
        Ok(files)
    }

    /// The file that a reference names: relative to the folder of its model, or else to the folder of the file with the reference.
    fn follow(
        &self,
        from: usize,
        reference: &Reference,
        limits: &Limits,
        open: Open<'_>,
    ) -> Result<File> {
        let model = self.list[from].model;
        let folders = [folder_of(&self.list[model].path), folder_of(&self.list[from].path)];
        let mut paths = Vec::new();
        for folder in folders {
            let path = joined(folder, &reference.file).map_err(&reference.refuse)?;
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        let mut fault = None;
        for path in paths {
            match open(&path) {
                Ok(bytes) => {
                    let text = text::decode_text(&bytes, limits)
                        .map_err(|error| (reference.refuse)(format!("{error}: {path}")))?
                        .to_owned();
                    let index = self.list.len();
                    let (model, attached_to) = match reference.is_model {
                        true => (index, Some(self.outside_of_itself(model, &path, reference)?)),
                        false => (model, None),
                    };
                    return Ok(File { path, text, model, attached_to });
                }
                Err(error) => fault = fault.or(Some(error)),
            }
        }
        let message = fault.map_or_else(String::new, |error| error.to_string());
        Err((reference.refuse)(message))
    }

    /// The model, unless it or a model that attaches it has this path, and would be attached to itself endlessly.
    fn outside_of_itself(&self, model: usize, path: &str, reference: &Reference) -> Result<usize> {
        let mut above = Some(model);
        while let Some(file) = above {
            if self.list[file].path == path {
                return Err((reference.refuse)(format!(
                    "`{path}` is a model that attaches itself"
                )));
            }
            above = self.list[file].attached_to;
        }
        Ok(model)
    }
}

/// The includes and models that a file names, in its order.
fn references(index: usize, file: &File, limits: &Limits) -> Result<Vec<Reference>> {
    let source = Source::of_file(&file.text, index, &file.path, limits)?;
    let document = xml::parse(&source, limits)?;
    let root = Element::root(&source, &document, limits);
    let mut found = Vec::new();
    for element in root.descendants() {
        let (is_model, subject) = match element.tag() {
            "include" => (false, "an <include>"),
            "model" if element.has("file") => (true, "a <model>"),
            _ => continue,
        };
        if element.children().next().is_some() {
            return Err(element.unsupported(subject, format!("{subject} must be empty")));
        }
        let path = element.name("file", subject)?.to_owned();
        let place = element.place(subject);
        let refuse = move |message| Error::Value { place: place.clone(), message };
        let refuse = Box::new(refuse);
        found.push(Reference { byte: element.byte(), is_model, file: path, refuse });
    }
    Ok(found)
}

/// The folder of a path, with its last slash; empty for a file in the first folder.
pub(super) fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| &path[..=slash])
}

/// A path relative to a folder, resolved without `.` and `..`; it must not lead out of the first folder.
fn joined(folder: &str, file: &str) -> core::result::Result<String, String> {
    let outside = |why| Err(format!("only files in the model's folder are read; `{file}` {why}"));
    if file.contains(|c: char| c.is_control() || c == '\\' || c == ':') {
        return outside("has a backslash, a colon or a control character");
    }
    if file.starts_with('/') {
        return outside("is absolute");
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(file.split('/')) {
        match part {
            "" | "." => {}
            ".." => match parts.pop() {
                Some(_) => {}
                None => return outside("leads out of it"),
            },
            _ => parts.push(part),
        }
    }
    if parts.is_empty() { outside("names no file") } else { Ok(parts.join("/")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_seen_from_a_folder_and_stay_inside() {
        for (folder, file, expected) in [
            ("", "a.xml", "a.xml"),
            ("", "./b/../a.xml", "a.xml"),
            ("arms/", "a.xml", "arms/a.xml"),
            ("arms/left/", "../../a.xml", "a.xml"),
            ("arms/", "..a.xml", "arms/..a.xml"),
        ] {
            assert_eq!(joined(folder, file).as_deref(), Ok(expected), "{folder} {file}");
        }
        for (folder, file) in [
            ("", "../a.xml"),
            ("arms/", "../../a.xml"),
            ("", "/a.xml"),
            ("", "c:a.xml"),
            ("", "b\\a.xml"),
            ("", "http://host/a.xml"),
            ("", "a\0b"),
            ("", "."),
            ("", ""),
        ] {
            assert!(joined(folder, file).is_err(), "{folder} {file}");
        }
    }

    #[test]
    fn the_folder_of_a_path_keeps_its_slash() {
        assert_eq!(folder_of("a/b/c.xml"), "a/b/");
        assert_eq!(folder_of("c.xml"), "");
    }
}
