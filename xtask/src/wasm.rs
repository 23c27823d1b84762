//! The package for the browser and Node: the module, its bindings, and the adapters beside them, as one folder for npm.

mod route;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use crate::node::{install, npm};
use crate::process::{cargo, run, works};
use crate::steps::{Outcome, missing};

pub(crate) use route::{Route, find_route, find_source};

/// The package as npm would publish it; git ignores it.
pub(crate) const PACKAGE: &str = "crates/posekit-wasm/pkg";
/// What is written by hand: adapters, their tests, the package's description.
const SOURCE: &str = "crates/posekit-wasm/npm";
const BINDGEN: &str = "tools/bindgen/Cargo.toml";
const BINDGEN_SOURCE: &str = "tools/bindgen/src/main.rs";
/// Files of the package that are copied as they are.
const COPIED: [&str; 5] = ["package.json", "README.md", "node.js", "LICENSE-MIT", "LICENSE-APACHE"];

/// What compilers take for granted today, and SIMD.
const FEATURES: [&str; 7] = [
    "simd",
    "bulk-memory",
    "multivalue",
    "mutable-globals",
    "nontrapping-float-to-int",
    "reference-types",
    "sign-ext",
];

/// Builds the package; with `--from-source` the standard library too, whether or not the target is installed.
///
/// # Errors
/// When no compiler here can make WebAssembly, with what to install; when a build fails.
pub(crate) fn wasm(arguments: &[String]) -> Result<()> {
    let route = match arguments {
        [] => find_route()?,
        [word] if word == "--from-source" => find_source()?,
        _ => bail!("usage: cargo xtask wasm [--from-source]"),
    };
    println!("compiling with {}", route.words());
    build(&route)?;
    println!("the package is in {PACKAGE}");
    Ok(())
}

/// Builds the package by this route.
///
/// # Errors
/// When a build fails.
pub(crate) fn build(route: &Route) -> Result<()> {
    let module = route.compile()?;
    fs::create_dir_all(PACKAGE).context(PACKAGE)?;
    let built = Path::new(PACKAGE).join("posekit_bg.wasm");
    if !is_newer(&built, &module) || !is_newer(&built, Path::new(BINDGEN_SOURCE)) {
        run(cargo()
            .args(["run", "--quiet", "--release", "--locked", "--manifest-path", BINDGEN, "--"])
            .arg(&module)
            .args([PACKAGE, "posekit"]))?;
        optimise(&built)?;
    }
    copy_sources()?;
    adapters()
}

/// Whether a file was written after another.
fn is_newer(file: &Path, than: &Path) -> bool {
    let time = |path: &Path| -> Option<SystemTime> { fs::metadata(path).ok()?.modified().ok() };
    time(file).zip(time(than)).is_some_and(|(file, than)| file > than)
}

/// Runs `wasm-opt` of binaryen over the module: a little smaller and faster, and no bit of a result changes. Where there is none, or one
/// too old for what compilers write today, the module stays as it is.
fn optimise(module: &Path) -> Result<()> {
    if !works(Command::new("wasm-opt").arg("--version")) {
        println!("wasm-opt is not installed: the module stays as the compiler made it");
        return Ok(());
    }
    let out = module.with_extension("opt");
    let mut command = Command::new("wasm-opt");
    // By name: all of them together would write modules that no browser reads yet.
    command.args(FEATURES.map(|feature| format!("--enable-{feature}")));
    command.arg("-O3").arg(module).arg("-o").arg(&out);
    if !works(&mut command) {
        println!("this wasm-opt is too old to read the module: it stays as the compiler made it");
        return Ok(());
    }
    fs::rename(&out, module).with_context(|| format!("{}", module.display()))
}

/// Copies what is written by hand, whatever of it is there.
fn copy_sources() -> Result<()> {
    for name in COPIED {
        let beside = Path::new(SOURCE).join("package").join(name);
        let from = if beside.exists() { beside } else { PathBuf::from(name) };
        let to = Path::new(PACKAGE).join(name);
        fs::copy(&from, &to).with_context(|| format!("{}", from.display()))?;
    }
    Ok(())
}

/// Compiles the adapters, which are TypeScript, into the package.
fn adapters() -> Result<()> {
    if !works(Command::new("npm").arg("--version")) {
        println!(
            "npm is not installed: the package lacks its adapters, posekit/three and posekit/urdf"
        );
        return Ok(());
    }
    install(SOURCE)?;
    run(npm(SOURCE).args(["run", "--silent", "build"]))
}

/// The gate: builds the package and runs its tests under Node, the determinism digest among them.
///
/// # Errors
/// When a build or a test fails; where something is missing that a gate under `CI=true` must have.
pub(crate) fn gate() -> Result<Outcome> {
    let route = match find_route() {
        Ok(route) => route,
        Err(error) => return missing(&error.to_string()),
    };
    for (program, package) in [("node", "nodejs"), ("npm", "npm")] {
        if !works(Command::new(program).arg("--version")) {
            return missing(&format!("{program} is not installed (Debian: {package})"));
        }
    }
    println!("compiling with {}", route.words());
    build(&route)?;
    run(npm(SOURCE).args(["test", "--silent"]))?;
    Ok(Outcome::Passed)
}
