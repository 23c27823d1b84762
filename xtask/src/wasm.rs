//! The package for browsers and Node: its modules, their bindings, and the adapters beside them, as one folder for npm.

mod route;

use std::fs;
use std::path::{self, Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use crate::node::{install, npm};
use crate::process::{cargo, quiet_unless_seen, run, timed, works};

pub(crate) use route::{Route, find_or_install, find_route, find_source};

/// The package for npm, which git ignores.
pub(crate) const PACKAGE: &str = "crates/posekit-wasm/pkg";
/// The sources of the package: adapters, their tests, its description.
const SOURCE: &str = "crates/posekit-wasm/npm";
const BINDGEN: &str = "tools/bindgen/Cargo.toml";
const BINDGEN_SOURCE: &str = "tools/bindgen/src/main.rs";
/// Files that are copied unchanged.
const COPIED: [&str; 7] = [
    "package.json",
    "README.md",
    "node.js",
    "robots-node.js",
    "motion-node.js",
    "LICENSE-MIT",
    "LICENSE-APACHE",
];

/// The modules: a page that moves a hand need not load what reads robots and cleans motions.
const MODULES: [Module; 3] = [
    Module { name: "posekit", feature: "solving" },
    Module { name: "posekit_robots", feature: "robots" },
    Module { name: "posekit_motion", feature: "motion" },
];

/// A module of the package.
struct Module {
    /// Of its files.
    name: &'static str,
    /// The feature of the crate with what it exports.
    feature: &'static str,
}

/// The default features of current compilers, and SIMD.
const FEATURES: [&str; 8] = [
    "simd",
    "bulk-memory",
    "bulk-memory-opt",
    "multivalue",
    "mutable-globals",
    "nontrapping-float-to-int",
    "reference-types",
    "sign-ext",
];

/// Builds the package; with `--from-source` the standard library too, whether or not the target is installed.
///
/// # Errors
/// When no compiler for WebAssembly is installed, with what to install; when a build fails.
pub(crate) fn wasm(arguments: &[String]) -> Result<()> {
    let route = match arguments {
        [] => find_or_install()?,
        [word] if word == "--from-source" => find_source()?,
        _ => bail!("usage: cargo xtask wasm [--from-source]"),
    };
    build(&route)?;
    println!("the package is in {PACKAGE}");
    Ok(())
}

/// Builds the package by this route.
///
/// # Errors
/// When a build fails.
pub(crate) fn build(route: &Route) -> Result<()> {
    fs::create_dir_all(PACKAGE).context(PACKAGE)?;
    let has_npm = works(Command::new("npm").arg("--version"));
    // npm links to the package's own description.
    copy_sources()?;
    if has_npm {
        install(SOURCE)?;
    }
    let mut changed = Vec::new();
    for Module { name, feature } in MODULES {
        let what = format!("Compiling {name} with {}", route.words());
        let compiled = timed(&what, || route.compile(feature))?;
        let built = Path::new(PACKAGE).join(format!("{name}_bg.wasm"));
        if !is_newer(&built, &compiled) || !is_newer(&built, Path::new(BINDGEN_SOURCE)) {
            timed("Writing the JavaScript beside it", || bindgen(&compiled, name))?;
            changed.push(built);
        }
    }
    if !changed.is_empty() {
        timed("Optimising what has changed", || optimise_all(&changed))?;
    }
    if has_npm {
        run(npm(SOURCE).args(["run", "--silent", "build"]))?;
    } else {
        println!("npm is not installed: the package has only what is written in Rust");
    }
    Ok(())
}

fn bindgen(module: &Path, name: &str) -> Result<()> {
    let mut command = cargo();
    command.arg("run").args(quiet_unless_seen());
    command.args(["--release", "--locked", "--manifest-path", BINDGEN, "--"]);
    run(command.arg(module).args([PACKAGE, name]))
}

/// Whether a file was written after another.
fn is_newer(file: &Path, than: &Path) -> bool {
    let time = |path: &Path| -> Option<SystemTime> { fs::metadata(path).ok()?.modified().ok() };
    time(file).zip(time(than)).is_some_and(|(file, than)| file > than)
}

/// Optimises modules side by side, each of which takes most of a minute.
fn optimise_all(modules: &[PathBuf]) -> Result<()> {
    thread::scope(|scope| {
        let all: Vec<_> =
            modules.iter().map(|module| scope.spawn(move || optimise(module))).collect();
        let ended = |one: thread::ScopedJoinHandle<'_, Result<()>>| match one.join() {
            Ok(result) => result,
            Err(_) => bail!("an optimisation has panicked"),
        };
        all.into_iter().try_for_each(ended)
    })
}

/// Runs `wasm-opt` on the module, which makes it smaller and a twentieth faster without changing a bit of any result. It inlines `fmax` and other small
/// functions that the compiler calls. Without a version that supports the compiler's output, the module is unchanged.
fn optimise(module: &Path) -> Result<()> {
    let out = module.with_extension("opt");
    for mut command in optimisers()? {
        // By name: enabling all features would produce modules that browsers do not support yet.
        command.args(FEATURES.map(|feature| format!("--enable-{feature}")));
        command.arg("-O3").arg(module).arg("-o").arg(&out);
        if works(&mut command) {
            return fs::rename(&out, module).with_context(|| format!("{}", module.display()));
        }
    }
    println!("no suitable wasm-opt is installed: the module is not optimised further");
    Ok(())
}

/// The places of `wasm-opt`: among the packages of npm, in the version of the lock file, else where distributions install it.
fn optimisers() -> Result<Vec<Command>> {
    let script = Path::new(SOURCE).join("node_modules/binaryen/bin/wasm-opt");
    let mut found = Vec::new();
    if script.exists() {
        let mut command = Command::new("node");
        command.arg(path::absolute(script)?);
        found.push(command);
    }
    found.push(Command::new("wasm-opt"));
    Ok(found)
}

/// Copies the hand-written files that exist.
fn copy_sources() -> Result<()> {
    for name in COPIED {
        let beside = Path::new(SOURCE).join("package").join(name);
        let from = if beside.exists() { beside } else { PathBuf::from(name) };
        let to = Path::new(PACKAGE).join(name);
        fs::copy(&from, &to).with_context(|| format!("{}", from.display()))?;
    }
    Ok(())
}

/// The gate: builds the package and runs its tests under Node, the determinism digest among them.
///
/// # Errors
/// When a build or a test fails.
pub(crate) fn gate() -> Result<()> {
    build(&find_route()?)?;
    run(npm(SOURCE).args(["test", "--silent"]))
}

/// What is missing to build and test the package and its users; `None` if nothing is.
pub(crate) fn missing_tools() -> Option<String> {
    for (program, package) in [("node", "nodejs"), ("npm", "npm")] {
        if !works(Command::new(program).arg("--version")) {
            return Some(format!("no {program} (Debian: {package})"));
        }
    }
    find_route().err().map(|error| error.to_string())
}
