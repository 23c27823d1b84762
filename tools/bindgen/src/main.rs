//! Makes the JavaScript, the types and the final module of a WebAssembly build: `bindgen MODULE FOLDER NAME`.
//!
//! `cargo xtask wasm` calls it. It is the library behind the tool `wasm-bindgen`, pinned by this workspace's lock file, so that
//! nothing has to be installed and no version can drift.

use std::path::Path;
use std::{env, fs};

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
    bindgen.generate(Path::new(folder)).with_context(|| format!("the bindings of {module}"))?;
    let types = Path::new(folder).join(name).with_extension("d.ts");
    let text = fs::read_to_string(&types).with_context(|| format!("{}", types.display()))?;
    fs::write(&types, portable(&text)?).with_context(|| format!("{}", types.display()))
}

/// The types without what only browsers or the newest libraries declare, so that they compile with `lib: ["ES2022"]`: there, these parts are `never`.
fn portable(types: &str) -> Result<String> {
    const HEAD: &str = r#"declare global {
    interface SymbolConstructor {
        readonly dispose: unique symbol;
    }
}
type Global<Name extends string> = typeof globalThis extends { [name in Name]: { prototype: infer Class } } ? Class : never;
type Wasm<Name extends string> = typeof globalThis extends { WebAssembly: { [name in Name]: { prototype: infer Class } } } ? Class : never;
"#;
    let mut text = types.to_owned();
    for (name, portable) in [
        ("= RequestInfo |", r#"= string | Global<"Request"> |"#),
        ("URL | Response |", r#"Global<"URL"> | Global<"Response"> |"#),
        ("BufferSource", "ArrayBufferView | ArrayBuffer"),
        ("| WebAssembly.Module", r#"| Wasm<"Module">"#),
        (": WebAssembly.Memory", r#": Wasm<"Memory">"#),
        (": WebAssembly.Table", r#": Wasm<"Table">"#),
    ] {
        if !text.contains(name) {
            bail!("the types have no `{name}`: see what has become of it");
        }
        text = text.replace(name, portable);
    }
    Ok(format!("{HEAD}\n{text}"))
}
