//! `posekit solve`: one problem, one solution.

use posekit::solve::Detail;

use crate::args::{Format, SolveArgs};
use crate::failure::{Failure, Result};
use crate::input::read_scene;
use crate::output::print;
use crate::report;

/// Solves and prints.
pub(crate) fn solve(args: &SolveArgs) -> Result<()> {
    let scene = read_scene(&args.problem)?;
    let trace = if args.trace { Detail::Iterations } else { Detail::Off };
    let asked = args.solver.solver;
    let solution = scene.solve(asked, &args.solver.settings(&scene, trace)?)?;
    let ran = scene.chosen(asked);
    let text = match args.format {
        Format::Json => report::solution_file(&scene, ran, &solution, args.trace)
            .to_json()
            .map_err(Failure::input)?,
        Format::Table => report::text(&scene, [asked, ran], &solution),
    };
    print(&text)?;
    if args.require_reached && !solution.is_reached() {
        return Err(Failure::not_reached());
    }
    Ok(())
}
