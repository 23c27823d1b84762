//! The files of a folder that are done: a note for each, in the hidden folder `.posekit` of the output.
//!
//! A file is done if the content of input, options and version is unchanged, and the output still has the bytes that were written. Dates do not matter.
//! Each note is a file of its own, written whole or not at all, so there are no incomplete notes, and two runs into one folder do not interfere.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::files::folder_of_motions;
use super::record::FileRecord;
use super::source::Output;
use crate::content::Digest;
use crate::output::write_bytes;

/// A note on a file that is done.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    /// The digest of input, options and version.
    from: String,
    /// The digest of the output.
    made: String,
    /// If there is an output for each motion: its name in their folder, and its digest.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    motions: Vec<(String, String)>,
    /// The results.
    record: FileRecord,
}

/// The notes of an output folder.
#[derive(Debug)]
pub(super) struct CompletedFiles {
    folder: PathBuf,
}

impl CompletedFiles {
    pub(super) fn of(output: &Path) -> Self {
        Self { folder: output.join(".posekit") }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The results for a file, if it is done.
    ///
    /// - `output`: the path of the output
    /// - `from`: the digest of input, options and version
    pub(super) fn done(&self, output: &Path, from: Digest) -> Option<FileRecord> {
        let note = self.read(output)?;
        (note.from == from.text() && is_as_written(output, &note)).then_some(note.record)
    }

    /// True if the output was written by an earlier run, and so may be replaced.
    pub(super) fn is_ours(&self, output: &Path) -> bool {
        self.read(output).is_some_and(|note| is_as_written(output, &note))
    }

    /// Records that a file is done. If the note cannot be written, the next run processes the file again.
    ///
    /// - `made`: the files that were written, the requested one last
    pub(super) fn add(&self, output: &Path, from: Digest, made: &[Output], record: &FileRecord) {
        let Some(last) = made.last() else { return };
        let number = |made: &Output| Digest::new().with(&made.bytes).text();
        let name = |made: &Output| Some(made.path.file_name()?.to_str()?.to_owned());
        let motions: Option<Vec<_>> = if last.path == output {
            Some(Vec::new())
        } else {
            made.iter().map(|made| Some((name(made)?, number(made)))).collect()
        };
        let Some(motions) = motions else { return };
        let note = Note { from: from.text(), made: number(last), motions, record: record.clone() };
        if let Ok(text) = serde_json::to_string(&note) {
            let _ = fs::create_dir_all(&self.folder);
            let _ = write_bytes(&self.place(output), text.as_bytes());
        }
    }

    fn read(&self, output: &Path) -> Option<Note> {
        serde_json::from_slice(&fs::read(self.place(output)).ok()?).ok()
    }

    /// The path of a note: a digest of the output's path in the folder, which may be long and contain anything.
    fn place(&self, output: &Path) -> PathBuf {
        let base = self.folder.parent().unwrap_or(Path::new(""));
        let relative = output.strip_prefix(base).unwrap_or(output);
        let name = Digest::new().with(relative.as_os_str().as_encoded_bytes()).text();
        self.folder.join(name + ".json")
    }
}

fn is_as_written(output: &Path, note: &Note) -> bool {
    let is = |path: &Path, number: &str| {
        fs::read(path).is_ok_and(|bytes| Digest::new().with(&bytes).text() == number)
    };
    let folder = folder_of_motions(output);
    let mut motions = note.motions.iter();
    match note.motions.as_slice() {
        [] => is(output, &note.made),
        _ => motions.all(|(name, number)| is(&folder.join(name), number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_do_not_run_into_each_other() {
        let of = |pieces: &[&str]| {
            pieces.iter().fold(Digest::new(), |sum, piece| sum.with(piece.as_bytes()))
        };
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["", "a"]), of(&["a", ""]));
        assert_eq!(of(&["a"]), of(&["a"]));
    }

    #[test]
    fn a_file_is_done_until_something_changes() {
        let place = std::env::temp_dir().join(format!("posekit-completed-{}", std::process::id()));
        fs::create_dir_all(&place).unwrap();
        let output = place.join("a.bvh");
        let from = Digest::new().with(b"in");
        let made = [Output { path: output.clone(), bytes: b"out".to_vec() }];
        let completed = CompletedFiles::of(&place);
        assert!(completed.done(&output, from).is_none());
        fs::write(&output, "out").unwrap();
        completed.add(&output, from, &made, &FileRecord::default());
        assert_eq!(completed.done(&output, from), Some(FileRecord::default()));
        assert!(completed.done(&output, Digest::new().with(b"other")).is_none(), "other input");
        assert!(completed.is_ours(&output));
        fs::write(&output, "edited by hand").unwrap();
        assert!(completed.done(&output, from).is_none() && !completed.is_ours(&output));
        fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn a_file_whose_motions_are_spread_is_done_while_all_of_them_are_there() {
        let place = std::env::temp_dir().join(format!("posekit-spread-{}", std::process::id()));
        let (output, from) = (place.join("a.bvh"), Digest::new().with(b"in"));
        let made = ["run", "walk"].map(|name| {
            let path = place.join("a").join(name);
            Output { path, bytes: name.as_bytes().to_vec() }
        });
        fs::create_dir_all(place.join("a")).unwrap();
        made.iter().for_each(|made| fs::write(&made.path, &made.bytes).unwrap());
        let completed = CompletedFiles::of(&place);
        completed.add(&output, from, &made, &FileRecord::default());
        assert!(completed.done(&output, from).is_some() && completed.is_ours(&output));
        fs::remove_file(&made[0].path).unwrap();
        assert!(completed.done(&output, from).is_none() && !completed.is_ours(&output));
        fs::remove_dir_all(place).unwrap();
    }
}
