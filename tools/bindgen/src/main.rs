//! Makes the JavaScript, the types and the final module of a WebAssembly build: `bindgen MODULE FOLDER NAME`.
//!
//! `cargo xtask wasm` calls it. It is the library behind the tool `wasm-bindgen`, pinned by this workspace's lock file, so that
//! nothing has to be installed and no version can drift.

use std::env;
use std::path::Path;

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [module, folder, name] = arguments.as_slice() else {
        bail!("usage: bindgen MODULE FOLDER NAME");
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).out_name(name).typescript(true).remove_name_section(true);
    // So that `init()` finds the module beside the script.
    bindgen.omit_default_module_path(false);
    bindgen.web(true).context("the kind of output")?;
    bindgen.generate(Path::new(folder)).with_context(|| format!("the bindings of {module}"))
}
