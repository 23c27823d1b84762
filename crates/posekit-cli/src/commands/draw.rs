//! `posekit draw`: a solution and how it was found, as an SVG file.

use posekit::solve::Detail;

use crate::args::DrawArgs;
use crate::draw::{Sheet, solution_svg, status_words};
use crate::failure::Result;
use crate::input::read_scene;
use crate::output::{print, write_file};
use crate::picture;
use crate::report;

/// Solves, draws, writes the file and says how it went.
pub(crate) fn draw(args: &DrawArgs) -> Result<()> {
    let mut scene = read_scene(&args.problem)?;
    if let Some(title) = &args.title {
        scene.title.clone_from(title);
    }
    let asked = args.solver.solver;
    let solution = scene.solve(asked, &args.solver.settings(&scene, Detail::Iterations)?)?;
    let ran = scene.chosen(asked);
    let outcome = report::outcome(&scene, &solution);
    let escaped = report::escaped_at(&solution);
    let effort = report::effort(ran, &solution);
    let words = status_words(&outcome, effort, scene.unit, escaped);
    let curve = picture::error_curve(&scene, ran, &solution);
    let sheet = Sheet {
        drawing: picture::drawing(&scene, ran, &solution),
        solver: report::method_words(asked, ran),
        words: words.clone(),
        // A closed form has nothing to plot.
        curves: if curve.values.len() > 2 { vec![curve] } else { Vec::new() },
        tolerance: Some(solution.tolerance),
    };
    write_file(&args.output, &solution_svg(&sheet))?;
    print(&format!("{} {words}: {}\n", outcome.mark(), args.output.display()))
}
