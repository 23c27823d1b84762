//! The checks that must pass before a change is merged.

use std::process::Command;

use anyhow::{Result, bail};

use crate::process::{cargo, output, run, works};
use crate::steps::{Needs, Step, run_all};
use crate::{digest, examples, mjcf, py, tidy, wasm};

/// The crates to publish.
const PUBLISHED: [&str; 5] =
    ["posekit", "posekit-motion", "posekit-io", "posekit-collision", "posekit-cli"];

/// Runs every gate, the cheap ones first.
///
/// The command-line transcripts are part of the tests: they are trycmd cases of `posekit-cli`.
/// Of the other workspaces `fuzz/` and `bench/` are only checked, and `bench/wasm/` is not: their peers take minutes.
///
/// - `word`: only the steps whose names contain it run
///
/// # Errors
/// When a gate failed, after all of them ran.
pub(crate) fn test(word: &str) -> Result<()> {
    let mut steps = vec![
        Step::new("format", format),
        Step::new("tidy", tidy::tidy),
        Step::new("packages", packages),
        Step { name: "spelling", needs: Needs::RequiredInCi(no_typos), check: typos },
        // Without it, tests of robots and characters that others made pass without having run.
        Step {
            name: "third-party assets",
            needs: Needs::RequiredInCi(mjcf::no_assets),
            check: || Ok(()),
        },
        Step { name: "dependencies and licences", needs: Needs::Optional(no_deny), check: deny },
        Step::new("lints", clippy),
        Step { name: "fuzz targets", needs: Needs::Optional(no_cpp), check: fuzz_targets },
        Step::new("benchmarks", benchmarks),
        Step::new("features", features),
        Step::new("tests", tests),
        Step::new("documentation tests", doc_tests),
        Step::new("documentation", docs),
        Step::new("examples", examples::run_every_one),
        Step {
            name: "MJCF against MuJoCo",
            needs: Needs::RequiredInCi(mjcf::missing),
            check: mjcf::compare,
        },
        Step::new("determinism digest", digest::compare),
        Step { name: "Python package", needs: Needs::RequiredInCi(py::missing), check: py::test },
        Step { name: "Python on Ray", needs: Needs::RequiredInCi(py::ray_missing), check: py::ray },
        Step {
            name: "WebAssembly package",
            needs: Needs::RequiredInCi(wasm::missing_tools),
            check: wasm::gate,
        },
    ];
    steps.extend(crate::studio::gates::STEPS);
    steps.retain(|step| step.name.contains(word));
    if steps.is_empty() {
        bail!("no step has {word:?} in its name");
    }
    run_all(&steps)
}

/// The fuzz targets compile, with the lock file that they have.
fn fuzz_targets() -> Result<()> {
    compiles("fuzz")
}

/// So do the benchmarks.
fn benchmarks() -> Result<()> {
    compiles("bench")
}

fn compiles(workspace: &str) -> Result<()> {
    let (manifest, target) = (format!("{workspace}/Cargo.toml"), format!("target/{workspace}"));
    run(cargo().args(["check", "--quiet", "--all-targets", "--locked"]).args([
        "--manifest-path",
        &manifest,
        "--target-dir",
        &target,
    ]))
}

fn no_cpp() -> Option<String> {
    (!works(Command::new("c++").arg("--version")))
        .then(|| "no C++ compiler, with which libFuzzer is built".to_owned())
}

/// The other workspaces are formatted with the rest, although the other gates ignore them.
fn format() -> Result<()> {
    for manifest in [
        "Cargo.toml",
        "bench/Cargo.toml",
        "bench/wasm/Cargo.toml",
        "tools/bindgen/Cargo.toml",
        "fuzz/Cargo.toml",
    ] {
        run(cargo().args(["fmt", "--all", "--check", "--manifest-path", manifest]))?;
    }
    Ok(())
}

/// Every crate that will be published can be packaged: its manifest is complete, and its licences and its README are inside. Whether its
/// content compiles by itself is checked at the release, which builds each package.
fn packages() -> Result<()> {
    let mut command = cargo();
    command.args(["package", "--quiet", "--offline", "--no-verify", "--allow-dirty"]);
    PUBLISHED.iter().for_each(|name| {
        command.args(["--package", name]);
    });
    run(&mut command)?;
    for name in PUBLISHED {
        let listing = output(cargo().args([
            "package",
            "--list",
            "--offline",
            "--allow-dirty",
            "--package",
            name,
        ]))?;
        for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
            if !listing.lines().any(|line| line == file) {
                bail!("the package {name} lacks {file}");
            }
        }
    }
    Ok(())
}

fn clippy() -> Result<()> {
    let mut command = cargo();
    command.args(["clippy", "--workspace", "--all-targets", "--quiet"]);
    // Its crate is empty without this feature, with which it needs Python.
    if py::missing().is_none() {
        command.args(["--features", "posekit-py/python"]);
    }
    run(command.args(["--", "-D", "warnings"]))
}

/// The library without the standard library, and with all of its features. Its tests run with the features that the workspace asks for, which are all but `mint`.
fn features() -> Result<()> {
    let check = ["check", "--quiet", "--package", "posekit"];
    run(cargo().args(check).args(["--no-default-features", "--features", "libm"]))?;
    run(cargo().args(check).args(["--all-features", "--all-targets"]))
}

/// Nextest prints a summary and runs binaries in parallel; `cargo test` is always available.
fn tests() -> Result<()> {
    if works(cargo().args(["nextest", "--version"])) {
        return run(cargo().args(["nextest", "run", "--workspace", "--no-fail-fast"]).args([
            "--status-level",
            "slow",
            "--final-status-level",
            "fail",
        ]));
    }
    println!("cargo-nextest is not installed: running cargo test");
    run(cargo().args(["test", "--workspace", "--all-targets", "--no-fail-fast"]))
}

fn doc_tests() -> Result<()> {
    run(cargo().args(["test", "--workspace", "--doc", "--no-fail-fast", "--quiet"]))
}

/// The command's crate is excluded: its binary and the library share the name `posekit`, and the
/// page of one would overwrite the other's.
fn docs() -> Result<()> {
    run(cargo()
        .args(["doc", "--workspace", "--no-deps", "--exclude", "posekit-cli"])
        .env("RUSTDOCFLAGS", "-D warnings"))
}

fn no_typos() -> Option<String> {
    (!works(Command::new("typos").arg("--version")))
        .then(|| "no typos: pip install typos".to_owned())
}

fn typos() -> Result<()> {
    run(&mut Command::new("typos"))
}

fn no_deny() -> Option<String> {
    (!works(cargo().args(["deny", "--version"])))
        .then(|| "no cargo-deny: cargo install cargo-deny".to_owned())
}

/// Skipped where it is not installed, which takes minutes: .github/workflows/ci.yml has a job of its own for it. The advisory database is not checked: it needs the
/// network, and a change must not fail because of a new advisory.
fn deny() -> Result<()> {
    run(cargo().args(["deny", "check", "bans", "licenses", "sources"]))
}
