//! The studio's gates: types, lints, unit tests, build, and the page in a real browser.

use std::env;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::build::{self, npm, tool};
use crate::process::{posekit, run, works};
use crate::steps::{Needs, Step};
use crate::wasm;

/// Browsers that the tests can drive.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The gates, the fast ones first.
pub(crate) const STEPS: [Step; 6] = [
    step("studio: types", || with_node(|| run(tool("tsc").arg("--noEmit")))),
    step("studio: lints", || with_node(|| run(tool("eslint").arg(".")))),
    step("studio: unit tests", || with_node(|| run(tool("vitest").arg("run")))),
    step("studio: Rust snippets", || with_node(super::snippets::check)),
    step("studio: build", || with_node(build::site)),
    Step { name: "studio: browser", needs: Needs::RequiredInCi(no_browser), check: browser },
];

const fn step(name: &'static str, check: fn() -> Result<()>) -> Step {
    Step { name, needs: Needs::RequiredInCi(wasm::missing_tools), check }
}

fn no_browser() -> Option<String> {
    let named = env::var_os("CHROMIUM").is_some_and(|path| Path::new(&path).is_file());
    if !named && !BROWSERS.iter().any(|name| works(Command::new(name).arg("--version"))) {
        return Some("no Chromium: install it, or name its program in CHROMIUM".to_owned());
    }
    wasm::missing_tools()
}

fn browser() -> Result<()> {
    with_node(|| {
        build::site()?;
        run(npm().args(["run", "--silent", "test:browser"]).env("POSEKIT", posekit()?))
    })
}

/// Runs a gate that needs Node's packages and the WebAssembly package.
fn with_node(gate: impl FnOnce() -> Result<()>) -> Result<()> {
    build::packages()?;
    build::module()?;
    gate()
}
