//! One number over every result of a table of cases, to see that builds and machines agree to the bit.
//!
//!     cargo run -p posekit-io --example digest -- testdata/cases
//!
//! Solves every case that the folder's `index.json` (`posekit.cases/1`) lists with every solver that fits, as a rule and in classic mode. Without a folder it takes
//! the table of this repository.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example talks to the terminal")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use posekit_io::problem::{Digest, case_names};
use posekit_io::{Limits, read_text};

fn main() -> ExitCode {
    let folder = std::env::args().nth(1).map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cases"),
        PathBuf::from,
    );
    match digest(&folder) {
        Ok(digest) => {
            println!("{digest}");
            ExitCode::SUCCESS
        }
        Err((error, file)) => {
            eprintln!("error: {error}: {}", file.display());
            ExitCode::FAILURE
        }
    }
}

/// The digest, or what is wrong with which file.
fn digest(folder: &Path) -> Result<String, (posekit_io::Error, PathBuf)> {
    let read = |file: &Path| read_text(file, &Limits::default());
    let index = folder.join("index.json");
    let names = read(&index).and_then(|text| case_names(&text)).map_err(|error| (error, index))?;
    let mut digest = Digest::default();
    for name in &names {
        let file = folder.join(format!("{name}.json"));
        let added = read(&file).and_then(|text| digest.add(name, &text));
        added.map_err(|error| (error, file))?;
    }
    Ok(digest.hexadecimal())
}
