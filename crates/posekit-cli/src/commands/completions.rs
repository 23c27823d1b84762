//! `posekit completions`: a completion script for a shell.

use clap::CommandFactory as _;

use crate::args::{Cli, CompletionsArgs};
use crate::failure::{Failure, Result};
use crate::output::print;

/// Prints the script.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "posekit", &mut script);
    print(&String::from_utf8(script).map_err(Failure::output)?)
}
