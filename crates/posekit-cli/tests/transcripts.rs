//! `docs/command.md` and the transcripts beside this file are run, command by command, and must print what they say.
//!
//! `cargo xtask bless` (or `TRYCMD=overwrite`) rewrites them.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use std::path::{Path, PathBuf};
use std::{env, fs};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::copy(from, to).unwrap();
    }
}

#[test]
fn every_command_prints_what_its_page_says() {
    // Commands run in a directory of their own: they write files, and the repository is not theirs.
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("transcripts");
    let _ = fs::remove_dir_all(&place);
    copy(&root().join("testdata"), &place.join("testdata"));
    env::set_current_dir(&place).unwrap();
    let pages = root().join("crates/posekit-cli/tests/transcripts");
    trycmd::TestCases::new()
        .register_bin("posekit", Path::new(env!("CARGO_BIN_EXE_posekit")))
        .case(root().join("docs/command.md"))
        .case(pages.join("*.md"));
}
