//! `posekit digest`: one number over every result of a table of cases, to see that builds and machines agree to the bit.

use std::path::Path;

use posekit_io::problem::{Digest, case_names};
use posekit_io::{Limits, read_text};

use crate::args::DigestArgs;
use crate::failure::{Failure, Result};
use crate::output::print;
use crate::progress::Progress;

/// Solves every case with every solver that fits, as a rule and in classic mode, and prints the digest.
pub(crate) fn digest(args: &DigestArgs) -> Result<()> {
    let index = args.directory.join("index.json");
    let names = case_names(&read(&index)?).map_err(|error| in_file(error, &index))?;
    let mut digest = Digest::default();
    let mut progress = Progress::new(names.len());
    for name in &names {
        progress.step(name);
        let file = args.directory.join(format!("{name}.json"));
        digest.add(name, &read(&file)?).map_err(|error| in_file(error, &file))?;
    }
    progress.finish();
    print(&format!("{}\n", digest.hexadecimal()))
}

fn read(file: &Path) -> Result<String> {
    read_text(file, &Limits::default()).map_err(|error| in_file(error, file))
}

fn in_file(error: posekit_io::Error, file: &Path) -> Failure {
    Failure::in_file(error, file.display())
}
