//! `posekit draw`: a solution and how it was found, as an SVG file.

use posekit::solve::Detail;
use posekit_io::SolutionFile;
use posekit_io::problem::{FigureScene, Scene, figure_solution_file, solution_file};

use crate::args::DrawArgs;
use crate::draw::{Outcome, Sheet, solution_svg, status_words};
use crate::failure::{Failure, Result};
use crate::figure_report;
use crate::input::{Problem, read_problem};
use crate::output::{self, write_file};
use crate::picture;
use crate::report;

/// Solves, draws, writes the file and prints the outcome.
pub(crate) fn draw(args: &DrawArgs) -> Result<()> {
    let (sheet, outcome, solution) = match read_problem(&args.problem)? {
        Problem::Scene(scene) => draw_scene(scene, args)?,
        Problem::Figure(figure) => draw_figure(&figure, args)?,
    };
    write_file(&args.output, &solution_svg(&sheet))?;
    if args.report.json {
        return output::print(&solution.to_json().map_err(Failure::input)?);
    }
    output::report(&format!("{} {}: {}\n", outcome.mark(), sheet.words, args.output.display()))
}

fn draw_scene(mut scene: Scene, args: &DrawArgs) -> Result<(Sheet, Outcome, SolutionFile)> {
    if let Some(title) = &args.title {
        scene.title.clone_from(title);
    }
    let requested = args.solver.solver;
    let solution = scene.solve(requested, &args.solver.settings(&scene, Detail::Iterations)?)?;
    let ran = solution.choice.method;
    let outcome = report::outcome(&scene, &solution);
    let escaped = report::escape(&solution);
    let effort = report::effort(ran, &solution);
    let curve = picture::error_curve(&scene, ran, &solution);
    let sheet = Sheet {
        drawing: picture::drawing(&scene, ran, &solution),
        solver: report::method_words(requested, ran),
        words: status_words(&outcome, effort, scene.unit, escaped),
        // A closed form has nothing to plot.
        curves: if curve.values.len() > 2 { vec![curve] } else { Vec::new() },
        tolerance: Some(solution.tolerance),
    };
    Ok((sheet, outcome, solution_file(&scene, ran, &solution, false, false)))
}

fn draw_figure(figure: &FigureScene, args: &DrawArgs) -> Result<(Sheet, Outcome, SolutionFile)> {
    let mut scene = figure.scene();
    if let Some(title) = &args.title {
        scene.title.clone_from(title);
    }
    let requested = args.solver.solver;
    let given = args.solver.settings_for(figure.chosen(requested), true, Detail::Iterations)?;
    let mut settings = figure.settings(given);
    args.solver.override_settings(&mut settings);
    let solution = figure.solve(requested, &settings)?;
    let ran = solution.choice.method;
    let mut curve = picture::error_curve(&scene, ran, &solution);
    if let Some(first) = curve.values.first_mut() {
        *first = figure.start_error();
    }
    let mut drawing = picture::drawing(&scene, ran, &solution);
    if figure.rig.target.is_none() {
        drawing.targets.clear();
    }
    for (shown, q) in
        [(&mut drawing.start, &figure.rig.start), (&mut drawing.result, &solution.configuration)]
    {
        if let Some(shown) = shown {
            shown.bones.extend(figure.ends(q));
        }
    }
    picture::add_capsules(&mut drawing, figure, &solution.configuration);
    let sheet = Sheet {
        drawing,
        solver: report::method_words(requested, ran),
        words: figure_report::words(figure, &solution, &settings),
        curves: if curve.values.len() > 2 { vec![curve] } else { Vec::new() },
        tolerance: Some(solution.tolerance),
    };
    let outcome = figure_report::outcome(figure, &solution, &settings);
    Ok((sheet, outcome, figure_solution_file(figure, &solution, &settings, false)))
}
