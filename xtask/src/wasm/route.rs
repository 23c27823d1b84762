//! Finds a compiler for WebAssembly.
//!
//! Most toolchains get the target from rustup (`rustup target add wasm32-unknown-unknown`). Without it, any toolchain with
//! the source of the standard library can build it as well: Debian's packages rustc-web, cargo-web and rust-web-src are one.

use std::io::{IsTerminal as _, Write as _, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::process::{cargo, quiet, quiet_unless_seen, run, works};

const TARGET: &str = "wasm32-unknown-unknown";
/// Separate from the other builds: another compiler, and other flags, would invalidate these.
const FOLDER: &str = "target/wasm";
/// Where distributions install their own toolchain.
const SYSTEM: &str = "/usr/bin";

/// Debian's compiler for WebAssembly.
const DEBIAN: &str = "apt-get install -y rustc-web cargo-web rust-web-src";

/// The message if there is none.
const HINT: &str = "no compiler for WebAssembly: `rustup target add wasm32-unknown-unknown`, or on Debian \
     `apt-get install -y rustc-web cargo-web rust-web-src`";

/// A way to compile for WebAssembly.
#[derive(Debug)]
pub(crate) enum Route {
    /// The current toolchain has the target.
    Target,
    /// A toolchain with the source of the standard library, and a linker.
    Source {
        /// The folder of its `cargo` and `rustc`; `None` for the current toolchain.
        folder: Option<PathBuf>,
        /// A linker for WebAssembly.
        linker: PathBuf,
    },
}

/// Finds a way to compile for WebAssembly.
///
/// # Errors
/// When there is none: what to install.
pub(crate) fn find_route() -> Result<Route> {
    if sysroot("rustc")
        .is_some_and(|root| root.join("lib/rustlib").join(TARGET).join("lib").is_dir())
    {
        return Ok(Route::Target);
    }
    find_source()
}

/// Finds a way to compile for WebAssembly; if there is none, offers to install one. Without a terminal it only prints how.
///
/// # Errors
/// When there is none, and none was installed: what to install.
pub(crate) fn find_or_install() -> Result<Route> {
    let found = find_route();
    if found.is_ok() || !stdin().is_terminal() {
        return found;
    }
    println!(
        "The studio and the npm package need a compiler for WebAssembly, and none is installed."
    );
    for command in installers() {
        if is_agreed(&command)? {
            let mut words = command.split(' ');
            let program = words.next().unwrap_or_default();
            if let Err(error) = run(Command::new(program).args(words)) {
                println!("{error:#}");
            }
            if let Ok(route) = find_route() {
                return Ok(route);
            }
        }
    }
    found
}

/// The commands that can install a compiler for WebAssembly on this machine, best first.
fn installers() -> Vec<String> {
    let is_root = quiet(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0");
    let rustup = works(Command::new("rustup").arg("--version"));
    let debian = works(Command::new("apt-get").arg("--version"));
    let debian = debian.then(|| format!("{}{DEBIAN}", if is_root { "" } else { "sudo " }));
    rustup.then(|| format!("rustup target add {TARGET}")).into_iter().chain(debian).collect()
}

/// Asks for confirmation to run a command; anything but y or yes means no.
fn is_agreed(command: &str) -> Result<bool> {
    print!("Run `{command}`? [y/N] ");
    stdout().flush()?;
    let mut answer = String::new();
    stdin().read_line(&mut answer)?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}

/// Finds a toolchain with the source of the standard library.
///
/// # Errors
/// When there is none: what to install.
pub(crate) fn find_source() -> Result<Route> {
    let Some(linker) = linker() else {
        bail!("{HINT}; a linker (rust-lld or wasm-ld) is missing too")
    };
    for folder in [None, Some(PathBuf::from(SYSTEM))] {
        let compiler = folder.as_ref().map_or("rustc".into(), |folder| folder.join("rustc"));
        let has_cargo = folder.as_ref().is_none_or(|folder| folder.join("cargo").exists());
        let has_source = sysroot(compiler).is_some_and(|root| has_source(&root));
        if has_cargo && has_source {
            return Ok(Route::Source { folder, linker });
        }
    }
    bail!(HINT)
}

fn has_source(root: &Path) -> bool {
    root.join("lib/rustlib/src/rust/library/std/Cargo.toml").is_file()
}

/// The sysroot of a compiler; `None` if it cannot be run.
fn sysroot(compiler: impl AsRef<std::ffi::OsStr>) -> Option<PathBuf> {
    let text = quiet(Command::new(compiler).args(["--print", "sysroot"]))?;
    Some(PathBuf::from(text.trim()))
}

/// A linker for WebAssembly: the one that comes with a toolchain, or one that is installed.
fn linker() -> Option<PathBuf> {
    let host = quiet(Command::new("rustc").args(["--print", "host-tuple"]));
    let own = host
        .zip(sysroot("rustc"))
        .map(|(host, root)| root.join("lib/rustlib").join(host.trim()).join("bin/rust-lld"));
    own.filter(|path| path.is_file()).or_else(|| {
        let installed = ["rust-lld", "wasm-ld"].map(PathBuf::from);
        installed.into_iter().find(|name| quiet(Command::new(name).arg("--version")).is_some())
    })
}

impl Route {
    /// A description for people.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Target => format!("the target {TARGET}"),
            Self::Source { folder: None, .. } => {
                "the standard library built from its source".to_owned()
            }
            Self::Source { folder: Some(folder), .. } => {
                format!("{}, the standard library from its source", folder.join("rustc").display())
            }
        }
    }

    /// Compiles a module; returns its path.
    ///
    /// - `feature`: of the crate, with what the module exports
    ///
    /// # Errors
    /// When the build fails.
    pub(crate) fn compile(&self, feature: &str) -> Result<PathBuf> {
        let mut command = match self {
            Self::Source { folder: Some(folder), .. } => {
                let mut command = Command::new(folder.join("cargo"));
                command.env("RUSTC", folder.join("rustc"));
                command
            }
            _ => cargo(),
        };
        command.arg("build").args(quiet_unless_seen());
        command.args(["--locked", "--lib", "--package", "posekit-wasm"]);
        // Instructions need unstable options, and so does building the standard library.
        let features = format!("instructions,{feature}");
        command.args(["--no-default-features", "--features", &features]);
        command.env("RUSTC_BOOTSTRAP", "1");
        command.args(["--profile", "wasm", "--target", TARGET, "--target-dir", FOLDER]);
        // The settings of the current toolchain must not apply to another.
        for name in ["CARGO_ENCODED_RUSTFLAGS", "RUSTDOC", "RUSTUP_TOOLCHAIN"] {
            if matches!(self, Self::Source { folder: Some(_), .. }) {
                command.env_remove(name);
            }
        }
        // A panic stops the module at once, so that nobody would read where it was.
        command.env("RUSTFLAGS", "-C target-feature=+simd128 -Zlocation-detail=none");
        if let Self::Source { linker, .. } = self {
            command.arg("-Zbuild-std=std,panic_abort");
            command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
        run(&mut command)?;
        Ok(Path::new(FOLDER).join(TARGET).join("wasm/posekit_wasm.wasm"))
    }
}
