//! Fuzzing: random bytes for everything that reads files.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{cargo, output, run};

const FOLDER: &str = "fuzz";
const TARGETS: [&str; 8] =
    ["bvh", "gltf", "contacts", "pipeline", "robot", "chain", "figure", "solution"];

/// How long each target runs by default \[s\].
const SECONDS: &str = "60";

/// The instrumentation for libFuzzer. A stable compiler passes these options on to LLVM, so a nightly one is not necessary.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 --cfg fuzzing";

/// Runs one target, or all of them one after the other. Failing inputs are left in `fuzz/target/found`; once fixed, they belong in
/// `crates/posekit-io/tests/fuzzed/found`.
pub(crate) fn fuzz(arguments: &[String]) -> Result<()> {
    let mut seconds = SECONDS.to_owned();
    let mut targets = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--seconds" => seconds = rest.next().context("`--seconds` needs a number")?.clone(),
            name if TARGETS.contains(&name) => targets.push(name),
            other => bail!("there is no target {other:?}, only {}", TARGETS.join(", ")),
        }
    }
    seconds.parse::<u32>().context("`--seconds` needs a whole number")?;
    if targets.is_empty() {
        targets.extend(TARGETS);
    }
    targets.into_iter().try_for_each(|target| fuzz_one(target, &seconds))
}

fn fuzz_one(target: &str, seconds: &str) -> Result<()> {
    // New inputs go into a folder that is not committed; the seeds are unchanged.
    let own = format!("{FOLDER}/target/corpus/{target}");
    let found = format!("{FOLDER}/target/found/{target}/");
    for folder in [&own, &found] {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {folder}"))?;
    }
    let manifest = format!("{FOLDER}/Cargo.toml");
    // With an explicit target, the flags do not apply to build scripts.
    let host = host()?;
    let build =
        ["build", "--release", "--manifest-path", &manifest, "--target", &host, "--bin", target];
    run(cargo().args(build).env("RUSTFLAGS", FLAGS))?;
    let program = format!("{FOLDER}/target/{host}/release/{target}");
    run(Command::new(program)
        .args([&own, &format!("{FOLDER}/corpus/{target}")])
        .args([format!("-max_total_time={seconds}"), format!("-artifact_prefix={found}")])
        .args(["-max_len=16384", "-timeout=10", "-rss_limit_mb=1024", "-print_final_stats=1"]))
}

/// The host triple of the compiler.
fn host() -> Result<String> {
    let text = output(Command::new("rustc").arg("-vV"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).context("rustc does not report its host")
}
