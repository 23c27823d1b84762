//! Every recurring job of the repository, behind one command: `cargo xtask JOB`.
//!
//! The jobs call the same tools a person would type, in the order of the price of their failure,
//! and say how long each took. Nothing is skipped in silence: a tool that is not installed is named.
#![forbid(unsafe_code)]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the jobs talk to the person at the terminal"
)]

mod bench;
mod digest;
mod examples;
mod fuzz;
mod gates;
mod node;
mod process;
mod steps;
mod studio;
mod tidy;
mod wasm;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

const HELP: &str = "\
Usage: cargo xtask JOB [ARGUMENTS]

  test                 every gate: format, lints, tests, docs, tidy, examples, digest, spelling, licences, studio
  wasm                 the package for the browser and Node, into crates/posekit-wasm/pkg;
                       --from-source builds the standard library along
  studio [--port N]    the studio: builds what is missing and serves it on this machine;
                       --build only leaves the static folder, --screenshots pictures of every scene
  tidy                 the repository's own rules only (a second)
  bless                rewrite what the tests compare with: testdata/digest.txt and the transcripts
  bench [race|steps]   posekit against its peers, those in Python where they can be had; rewrites bench/RESULTS.md
  bench wasm           WebAssembly against native and solvers in JavaScript; rewrites bench/WASM.md
  bench questions [..] the criterion benches, one per question
  fuzz [TARGET].. [--seconds N]
                       bytes that no one thought of for bvh, gltf, contacts, pipeline, or all; 60 s each
  help                 this text";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match job(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn job(arguments: &[String]) -> Result<()> {
    // Paths in the jobs are relative to the root, wherever cargo was called.
    env::set_current_dir(root()).context("cannot enter the root of the repository")?;
    let rest = arguments.get(1..).unwrap_or_default();
    match arguments.first().map(String::as_str) {
        Some("test") => gates::test(),
        Some("tidy") => tidy::tidy(),
        Some("bless") => digest::bless(),
        Some("wasm") => wasm::wasm(rest),
        Some("bench") => bench::bench(rest),
        Some("fuzz") => fuzz::fuzz(rest),
        Some("studio") => studio::studio(rest),
        None | Some("help" | "--help" | "-h") => {
            println!("{HELP}");
            Ok(())
        }
        Some(other) => bail!("there is no job named {other:?}\n\n{HELP}"),
    }
}

/// The root of the repository: the directory above this crate's manifest.
fn root() -> PathBuf {
    let manifest = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest.parent().map_or(manifest.clone(), PathBuf::from)
}
