//! The studio: building, serving and testing it.

mod build;
pub(crate) mod gates;
mod snippets;

use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::process::{cargo, posekit, quiet_unless_seen, run};

/// The options of `cargo xtask studio`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    only_build: bool,
    /// The address under which the page will be published, for its links.
    base: Option<String>,
    screenshots: bool,
    port: Option<u16>,
    no_open: bool,
}

/// `cargo xtask studio`: builds missing or outdated parts and serves the page; with `--build` only builds the folder.
///
/// # Errors
/// When an option is unknown, a tool is missing, or a part does not build.
pub(crate) fn studio(arguments: &[String]) -> Result<()> {
    let options = options(arguments)?;
    build::everything(options.base.as_deref())?;
    if options.screenshots {
        return run(build::npm().args(["run", "screenshots"]).env("POSEKIT", posekit()?));
    }
    if options.only_build {
        println!(
            "The studio is in {}: a static folder for any web host under any path",
            build::SITE
        );
        return Ok(());
    }
    run(&mut serve(&options))
}

/// The command that serves the page.
fn serve(options: &Options) -> Command {
    let mut command = cargo();
    command.arg("run").args(quiet_unless_seen());
    command.args(["--release", "-p", "posekit-cli", "--"]);
    command.args(["studio", "--dir", build::SITE]);
    if let Some(port) = options.port {
        command.args(["--port", &port.to_string()]);
    }
    if options.no_open {
        command.arg("--no-open");
    }
    command
}

fn options(arguments: &[String]) -> Result<Options> {
    let mut options = Options::default();
    let mut words = arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "--build" => options.only_build = true,
            "--screenshots" => options.screenshots = true,
            "--no-open" => options.no_open = true,
            "--base" => options.base = Some(base(words.next())?),
            "--port" => options.port = Some(port(words.next())?),
            _ => match word.split_once('=') {
                Some(("--port", number)) => options.port = Some(port(Some(number))?),
                Some(("--base", address)) => options.base = Some(base(Some(address))?),
                _ => bail!(
                    "unknown option {word:?}; the options are --port N, --build, --base URL, --screenshots, --no-open"
                ),
            },
        }
    }
    if options.base.is_some() && !options.only_build {
        bail!("--base is the address of a page to be published: use it with --build");
    }
    Ok(options)
}

/// An address to which a fragment can be appended.
fn base(word: Option<&str>) -> Result<String> {
    let word = word.context("--base needs the address of the page")?;
    let is_address = word.starts_with("https://") || word.starts_with("http://");
    if !is_address || word.contains(['?', '#', ' ']) {
        bail!("--base needs an address such as https://example.org/studio/, not {word:?}");
    }
    Ok(word.to_owned())
}

fn port(word: Option<&str>) -> Result<u16> {
    let word = word.context("--port needs a number")?;
    word.parse().with_context(|| format!("--port needs a number up to 65535, not {word:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Options> {
        options(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_read() {
        assert_eq!(read(&[]).unwrap(), Options::default(), "none");
        for words in [&["--port", "8080"][..], &["--port=8080"]] {
            assert_eq!(read(words).unwrap().port, Some(8080), "{words:?}");
        }
        assert!(read(&["--build"]).unwrap().only_build, "a folder only");
        let based = read(&["--build", "--base", "https://example.org/studio/"]).unwrap();
        assert_eq!(based.base.as_deref(), Some("https://example.org/studio/"), "published there");
    }

    #[test]
    fn what_is_unknown_is_named() {
        let message = |words: &[&str]| read(words).unwrap_err().to_string();
        assert!(message(&["--prot", "1"]).contains("--prot"), "a slip");
        assert!(message(&["--port"]).contains("needs a number"), "nothing behind it");
        assert!(message(&["--port", "70000"]).contains("70000"), "too large");
        assert!(
            message(&["--build", "--base", "example.org"]).contains("example.org"),
            "no scheme"
        );
        assert!(message(&["--base=https://example.org/"]).contains("--build"), "not published");
    }
}
