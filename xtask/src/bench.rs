//! The benchmark workspace, which has its own lock file because of the peers in it.

use anyhow::Result;

use crate::process::{cargo, run};

const MANIFEST: &str = "bench/Cargo.toml";

/// Runs the comparison with the peers, or with `questions` first the criterion benches; everything
/// else is handed on.
///
/// # Errors
/// When the workspace does not build or the run fails.
pub(crate) fn bench(arguments: &[String]) -> Result<()> {
    match arguments.split_first() {
        Some((first, rest)) if first == "questions" => {
            run(cargo().args(["bench", "--manifest-path", MANIFEST, "--benches", "--"]).args(rest))
        }
        _ => run(cargo()
            .args(["run", "--quiet", "--release", "--manifest-path", MANIFEST])
            .args(["--bin", "compare", "--"])
            .args(arguments)),
    }
}
