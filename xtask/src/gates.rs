//! The gates: what must hold before a change is merged.

use std::process::Command;

use anyhow::Result;

use crate::process::{cargo, run, works};
use crate::steps::{Outcome, Step, run_all};
use crate::{digest, examples, tidy, wasm};

/// Runs every gate, the cheap ones first.
///
/// The command-line transcripts are part of the tests: they are trycmd cases of `posekit-cli`.
/// The workspaces `bench/`, `oracle/` and `fuzz/` are not built here.
///
/// # Errors
/// When a gate failed, after all of them ran.
pub(crate) fn test() -> Result<()> {
    let mut steps = vec![
        Step { name: "format", check: format },
        Step { name: "tidy", check: || tidy::tidy().map(|()| Outcome::Passed) },
        Step { name: "lints", check: clippy },
        Step { name: "tests", check: tests },
        Step { name: "documentation tests", check: doc_tests },
        Step { name: "documentation", check: docs },
        Step { name: "examples", check: examples::run_every_one },
        Step { name: "determinism digest", check: digest::compare },
        Step { name: "WebAssembly package", check: wasm::gate },
        Step { name: "spelling", check: typos },
        Step { name: "dependencies and licences", check: deny },
    ];
    steps.extend(crate::studio::gates::STEPS);
    run_all(&steps)
}

/// The other workspaces are formatted with the rest, though the other gates leave them alone.
fn format() -> Result<Outcome> {
    for manifest in [
        "Cargo.toml",
        "bench/Cargo.toml",
        "bench/wasm/Cargo.toml",
        "tools/bindgen/Cargo.toml",
        "fuzz/Cargo.toml",
    ] {
        run(cargo().args(["fmt", "--all", "--check", "--manifest-path", manifest]))?;
    }
    Ok(Outcome::Passed)
}

fn clippy() -> Result<Outcome> {
    passed(
        cargo()
            .args(["clippy", "--workspace", "--all-targets", "--quiet"])
            .args(["--", "-D", "warnings"]),
    )
}

/// Nextest shows a summary of its own and runs binaries in parallel; `cargo test` is always there.
fn tests() -> Result<Outcome> {
    if works(cargo().args(["nextest", "--version"])) {
        return passed(cargo().args(["nextest", "run", "--workspace", "--no-fail-fast"]).args([
            "--status-level",
            "slow",
            "--final-status-level",
            "fail",
        ]));
    }
    println!("cargo-nextest is not installed: running cargo test");
    passed(cargo().args(["test", "--workspace", "--all-targets", "--no-fail-fast"]))
}

fn doc_tests() -> Result<Outcome> {
    passed(cargo().args(["test", "--workspace", "--doc", "--no-fail-fast", "--quiet"]))
}

/// The command's crate is left out: its binary and the library share the name `posekit`, and the
/// page of one would overwrite the other's.
fn docs() -> Result<Outcome> {
    passed(
        cargo()
            .args(["doc", "--workspace", "--no-deps", "--exclude", "posekit-cli"])
            .env("RUSTDOCFLAGS", "-D warnings"),
    )
}

fn typos() -> Result<Outcome> {
    if !works(Command::new("typos").arg("--version")) {
        return Ok(Outcome::Skipped("typos is not installed: skipped".to_owned()));
    }
    passed(&mut Command::new("typos"))
}

/// The advisory database is left to a person or a scheduled job: it needs the network, and a
/// change must not fail for what was published elsewhere overnight.
fn deny() -> Result<Outcome> {
    if !works(cargo().args(["deny", "--version"])) {
        return Ok(Outcome::Skipped("cargo-deny is not installed: skipped".to_owned()));
    }
    passed(cargo().args(["deny", "check", "bans", "licenses", "sources"]))
}

fn passed(command: &mut Command) -> Result<Outcome> {
    run(command).map(|()| Outcome::Passed)
}
