//! `posekit completions` and `posekit man`: what a shell and a manual know of the command line.

use clap::CommandFactory as _;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::failure::{Failure, Result};
use crate::output::print;

/// Prints the script.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "posekit", &mut script);
    print(&String::from_utf8(script).map_err(Failure::output)?)
}

/// Prints the manual page.
pub(crate) fn man(args: &ManArgs) -> Result<()> {
    let mut command = Cli::command();
    command.build();
    let mut title = "posekit".to_owned();
    if let Some(name) = &args.command {
        let Some(found) = command.find_subcommand(name) else {
            return Err(Failure::usage(format!("there is no command {name}")));
        };
        // The page of a command is found under this name.
        title = format!("posekit-{name}");
        command = found.clone();
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).title(title).render(&mut page).map_err(Failure::output)?;
    print(&String::from_utf8(page).map_err(Failure::output)?)
}
