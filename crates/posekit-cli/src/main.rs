//! The command `posekit`: inverse kinematics from the terminal.
//!
//! Chain files and robots become a [`posekit_io::problem::Scene`], figures a [`posekit_io::problem::FigureScene`]. The commands solve them and show the results
//! as tables, files and drawings; nothing here computes inverse kinematics itself.

mod args;
mod arm_args;
mod arms;
mod commands;
mod content;
mod draw;
mod failure;
mod figure_report;
mod figures;
mod humanoid;
mod input;
mod models;
mod motion;
mod motion_args;
mod output;
mod parallel;
mod picture;
mod progress;
mod report;
mod robot;
mod serve;
mod stop;
#[cfg(test)]
mod studio_figure;
mod table;
mod task_picture;
#[cfg(test)]
mod task_sheet;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Command};
use output::Console;

fn main() -> ExitCode {
    let Cli { command, quiet, verbose } = Cli::parse();
    let files = command.files();
    let is_taken = files.is_stdout_taken();
    Console { is_quiet: quiet, is_verbose: verbose, is_taken }.set();
    let result = files.check().and_then(|()| run(&command));
    let result = match command.batch() {
        Some((name, batch)) => motion::or_json(result, name, batch.json),
        None => result,
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if let Some(error) = failure.error {
                output::note(&format!("error: {error:#}"));
            }
            ExitCode::from(failure.fault.code())
        }
    }
}

fn run(command: &Command) -> failure::Result<()> {
    match command {
        Command::Solve(args) => commands::solve(args),
        Command::Draw(args) => commands::draw(args),
        Command::Demo(args) => commands::demo(args),
        Command::Track(args) => arms::track(args),
        Command::Map(args) => arms::map(args),
        Command::Bench(args) => arms::bench(args),
        Command::Info(args) if args.input.files.iter().any(|file| arms::is_robot_file(file)) => {
            arms::info(args)
        }
        Command::Info(args) => motion::info(args),
        Command::Check(args) => motion::check(args),
        Command::Clean(args) => motion::clean(args),
        Command::Pin(args) => motion::pin(args),
        Command::Retime(args) => motion::retime(args),
        Command::Convert(args) => motion::convert(args),
        Command::Studio(args) => commands::studio(args),
        Command::Completions(args) => commands::completions(args),
        Command::Man(args) => commands::man(args),
    }
}
