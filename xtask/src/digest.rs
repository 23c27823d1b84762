//! The determinism digest: a hash of all cases of the table, the same in every build.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{build_as_tests, built, cargo, output, run};

const CASES: &str = "testdata/cases";
const COMMITTED: &str = "testdata/digest.txt";

/// Compares the digest of a debug build and of a release build with the committed one.
///
/// # Errors
/// When a build fails, or one of the three differs.
pub(crate) fn compare() -> Result<()> {
    let fresh = digest_of_both_builds()?;
    let committed = fs::read_to_string(COMMITTED)
        .with_context(|| format!("{COMMITTED}: `cargo xtask bless` writes it"))?;
    if committed.trim() != fresh {
        bail!(
            "the digest is {fresh}, but {COMMITTED} has {}; if the results were meant to change, \
             run `cargo xtask bless` and explain it in the commit",
            committed.trim()
        );
    }
    println!("{fresh} in debug, in release and in {COMMITTED}");
    Ok(())
}

/// Writes the digest file and the expected output of the command-line transcripts.
///
/// # Errors
/// When debug and release builds disagree.
pub(crate) fn bless() -> Result<()> {
    let fresh = digest_of_both_builds()?;
    fs::write(COMMITTED, format!("{fresh}\n")).context(COMMITTED)?;
    println!("{COMMITTED}: {fresh}");
    let mut transcripts = cargo();
    transcripts.args(["test", "--quiet", "--package", "posekit-cli"]);
    run(transcripts
        .env("TRYCMD", "overwrite")
        .env("INSTA_UPDATE", "always")
        .env("POSEKIT_BLESS", "1"))?;
    println!("transcripts rewritten; read the difference before you commit it");
    Ok(())
}

fn digest_of_both_builds() -> Result<String> {
    build_as_tests(&[])?;
    let debug = digest(&mut Command::new(built("examples/digest")?))?;
    let release =
        digest(cargo().args(["run", "--quiet", "--release", "--package", "posekit-io"]).args([
            "--example",
            "digest",
            "--",
        ]))?;
    if debug != release {
        bail!(
            "the digest is {debug} in debug and {release} in release: the same input gives different bits"
        );
    }
    Ok(debug)
}

fn digest(command: &mut Command) -> Result<String> {
    let text = output(command.arg(CASES)).context("the example digest failed")?;
    hexadecimal(&text).with_context(|| format!("the example digest printed {text:?} for {CASES}"))
}

/// The digest in a program's output: the only word, hexadecimal and sufficiently long.
fn hexadecimal(text: &str) -> Result<String> {
    let word = text.trim();
    if word.len() < 16 || !word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        bail!("expected one hexadecimal digest of 16 digits or more");
    }
    Ok(word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_digest_counts_as_one() {
        assert_eq!(
            hexadecimal("0123456789abcdef\n").unwrap(),
            "0123456789abcdef",
            "the line end is not part of it"
        );
        for wrong in ["", "abc", "0123456789abcdeg", "0123456789abcdef 2 cases"] {
            assert!(hexadecimal(wrong).is_err(), "{wrong:?} is no digest");
        }
    }
}
