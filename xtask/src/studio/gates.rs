//! The studio's gates: types, lints, unit tests, build, and the page in a real browser.

use std::env;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::build::{self, npm, tool};
use crate::process::{run, works};
use crate::steps::{Outcome, Step, missing};
use crate::wasm;

/// Browsers that the tests can drive, by name and by place.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The gates in the order of their price.
pub(crate) const STEPS: [Step; 6] = [
    Step { name: "studio: types", check: types },
    Step { name: "studio: lints", check: lints },
    Step { name: "studio: unit tests", check: unit_tests },
    Step { name: "studio: Rust snippets", check: snippets },
    Step { name: "studio: build", check: site },
    Step { name: "studio: browser", check: browser },
];

fn types() -> Result<Outcome> {
    with_node(|| run(tool("tsc").arg("--noEmit")))
}

fn lints() -> Result<Outcome> {
    with_node(|| run(tool("eslint").arg(".")))
}

fn unit_tests() -> Result<Outcome> {
    with_node(|| run(tool("vitest").arg("run")))
}

fn snippets() -> Result<Outcome> {
    with_node(super::snippets::check)
}

fn site() -> Result<Outcome> {
    with_node(build::site)
}

fn browser() -> Result<Outcome> {
    let named = env::var_os("CHROMIUM").is_some_and(|path| Path::new(&path).is_file());
    if !named && !BROWSERS.iter().any(|name| works(Command::new(name).arg("--version"))) {
        return missing(
            "no Chromium: install the package chromium, or name its program in CHROMIUM",
        );
    }
    with_node(|| {
        build::site()?;
        run(npm().args(["run", "--silent", "test:browser"]).env("POSEKIT", build::command()?))
    })
}

/// Runs a gate that needs Node, its packages and the WebAssembly package.
fn with_node(gate: impl FnOnce() -> Result<()>) -> Result<Outcome> {
    if let Err(error) = build::check_node() {
        return missing(&error.to_string());
    }
    if let Err(error) = wasm::find_route() {
        return missing(&error.to_string());
    }
    build::packages()?;
    build::module()?;
    gate().map(|()| Outcome::Passed)
}
