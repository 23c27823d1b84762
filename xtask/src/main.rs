//! Every recurring job of the repository, behind one command: `cargo xtask JOB`.
//!
//! The jobs call the usual tools, the fast ones first,
//! and report the time of each. Nothing is skipped silently: a missing program is named.
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the jobs print to the terminal")]

mod bench;
mod digest;
mod examples;
mod fuzz;
mod gates;
mod mjcf;
mod node;
mod process;
mod py;
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

  test [WORD]          run every check: format, lints, features, tests, docs, tidy, packages, examples, digest, spelling,
                       licences, fuzz targets, benchmarks, studio; first reports what it will skip and how long it takes; with
                       a word only the steps whose names contain it
  wasm                 build the npm package into crates/posekit-wasm/pkg;
                       --from-source also builds the standard library
  studio [--port N]    build the missing parts of the studio and serve it on this machine; --build only builds
                       the static folder, --base URL for links to where it is published, --no-open opens no browser, --screenshots takes pictures of every scene
  mjcf                 compare the kinematics of MJCF files with MuJoCo's, which is installed for it
  py [ray|peers|wheel] build the Python package and run its tests in target/python; with ray those of its jobs on
                       Ray, with peers those against other packages for robots, with wheel as a wheel in an
                       empty environment
  tidy                 check the repository's own rules only (a second)
  bless                rewrite the expected results: testdata/digest.txt, transcripts, pictures
  bench [race|steps]   compare with other libraries, those in Python if available; rewrites bench/RESULTS.md
  bench arms [success] compare solvers of robot arms, and count successes over every limb; rewrites bench/RESULTS.md
  bench motion         compare cleaners of clips; rewrites bench/MOTION.md, or with speed its times alone; with
                       faults or hold prints what comes of every fault, or of random contacts
  bench wasm           compare WebAssembly with native code and JavaScript; rewrites bench/WASM.md
  bench questions [..] run the criterion benches, one per question
  fuzz [TARGET].. [--seconds N]
                       fuzz bvh, gltf, contacts, pipeline, robot, chain, figure, solution, or all of them; 60 s each
  help                 print this text";

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
        Some("test") => gates::test(rest.first().map_or("", String::as_str)),
        Some("tidy") => tidy::tidy(),
        Some("bless") => digest::bless(),
        Some("wasm") => wasm::wasm(rest),
        Some("bench") => bench::bench(rest),
        Some("fuzz") => fuzz::fuzz(rest),
        Some("mjcf") => mjcf::compare(),
        Some("py") => py::py(rest),
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
