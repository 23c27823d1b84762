//! `posekit demo`: the built-in models, every solver that fits, one table and one page.

use std::hint::black_box;
use std::time::{Duration, Instant};

use posekit::solve::{Detail, Method, Settings, Workspace};

use super::task_demo;
use crate::args::DemoArgs;
use crate::draw::{
    DetailTable, Effort, Model, Outcome, Report, Run, SolverLook, microseconds, report_page,
    scientific, status_words,
};
use crate::failure::Result;
use crate::figures;
use crate::models::{self, Example};
use crate::output::{self, write_file};
use crate::picture;
use crate::progress::Progress;
use crate::report;
use crate::table::{Align, Cell, Table, WIDTH};

/// Solvers in the order of the table.
const METHODS: [Method; 7] = [
    Method::TwoBone,
    Method::Arm,
    Method::Direct,
    Method::Ccd,
    Method::Fabrik,
    Method::Relaxation,
    Method::LeastSquares,
];

/// Time spent on repeating one solve for its median.
const TIMING: Duration = Duration::from_millis(40);
/// Least and largest number of repetitions; odd, so that the median is one of them.
const REPEATS: [usize; 2] = [5, 2001];

/// One run: the method, its settings, and whether it is the classic iteration.
struct Job {
    method: Method,
    settings: Settings,
}

/// Solves everything, prints the table, writes the page.
pub(crate) fn demo(args: &DemoArgs) -> Result<()> {
    let examples = models::all()?;
    let jobs: Vec<Vec<Job>> = examples.iter().map(jobs_of).collect();
    let scenes = [figures::standing_figure()?, figures::platform()?];
    let mut progress = Progress::new(jobs.iter().map(Vec::len).sum::<usize>() + scenes.len());
    let mut models = Vec::new();
    for (example, jobs) in examples.iter().zip(&jobs) {
        let (mut runs, mut tolerance) = (Vec::new(), None);
        for job in jobs {
            progress.step(&format!("{}, {}", example.scene.title, name(job)));
            let (run, within) = run(example, job)?;
            runs.push(run);
            tolerance = Some(within);
        }
        models.push(model(example, tolerance, runs));
    }
    let mut details = Vec::new();
    for scene in &scenes {
        progress.step(scene.title);
        let (model, tasks) = task_demo::model(scene, |solve| median(solve))?;
        models.push(model);
        details.push(tasks);
    }
    progress.finish();
    let page = page(models, details);
    write_file(&args.output, &report_page(&page))?;
    if args.report.json {
        return output::print(&json(&page.models)?);
    }
    let table = table(&page.models).render(WIDTH);
    output::report(&format!(
        "{table}\n{}\nDrawings and error curves: {}\n",
        page.answer,
        args.output.display()
    ))
}

/// The results for programs.
fn json(models: &[Model]) -> Result<String> {
    let run = |run: &Run| {
        serde_json::json!({
            "solver": run.solver, "is_reached": matches!(run.outcome, Outcome::Reached),
            "iterations": run.iterations, "error": run.error, "microseconds": run.microseconds,
        })
    };
    let model = |model: &Model| {
        let runs: Vec<_> = model.runs.iter().map(run).collect();
        serde_json::json!({ "name": model.name, "runs": runs })
    };
    let models: Vec<_> = models.iter().map(model).collect();
    output::json(&serde_json::json!({ "schema": "posekit.demo/1", "models": models }))
}

/// The solvers that apply, and their classic iterations where the example shows them.
fn jobs_of(example: &Example) -> Vec<Job> {
    let settings = |classic| {
        let usual = Settings::default();
        let iterations = example.iterations.unwrap_or(usual.iterations);
        usual.with_classic(classic).with_iterations(iterations).with_trace(Detail::Iterations)
    };
    let mut jobs = Vec::new();
    for method in METHODS.into_iter().filter(|&method| example.scene.fits(method)) {
        let is_closed = SolverLook::of(method.name()).is_closed_form();
        if example.with_classic && !is_closed && method != Method::LeastSquares {
            jobs.push(Job { method, settings: settings(true) });
        }
        jobs.push(Job { method, settings: settings(false) });
    }
    jobs
}

fn name(job: &Job) -> String {
    let classic = if job.settings.classic { " classic" } else { "" };
    format!("{}{classic}", job.method.name())
}

/// One solve, and the distance that counted as reached.
fn run(example: &Example, job: &Job) -> Result<(Run, f64)> {
    let scene = &example.scene;
    let solution = scene.solve(job.method, &job.settings)?;
    let look = SolverLook::of(job.method.name());
    let errors = if look.is_closed_form() {
        Vec::new()
    } else {
        picture::error_curve(scene, job.method, &solution).values
    };
    let run = Run {
        solver: name(job),
        look,
        outcome: report::outcome(scene, &solution),
        iterations: solution.iterations,
        error: solution.error,
        microseconds: median_time(example, job)?,
        escape: report::escape(&solution),
        drawing: picture::drawing(scene, job.method, &solution),
        errors,
    };
    Ok((run, solution.tolerance))
}

/// Median time of a solve from the start, in a workspace that has solved before, in microseconds.
fn median_time(example: &Example, job: &Job) -> Result<f64> {
    let settings = job.settings.clone().with_trace(Detail::Off);
    let prepared = example.scene.prepare(&settings);
    let mut workspace = Workspace::default();
    median(&mut || {
        prepared.begin(&mut workspace, job.method)?;
        black_box(workspace.run());
        Ok(())
    })
}

/// Median time of something, in microseconds.
fn median(solve: &mut dyn FnMut() -> posekit::Result<()>) -> Result<f64> {
    let mut times = Vec::new();
    let since = Instant::now();
    while times.len() < REPEATS[0] || (times.len() < REPEATS[1] && since.elapsed() < TIMING) {
        let start = Instant::now();
        solve()?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    Ok(times[times.len() / 2].as_secs_f64() * 1e6)
}

fn model(example: &Example, tolerance: Option<f64>, runs: Vec<Run>) -> Model {
    let scene = &example.scene;
    let mut start = picture::before(scene, SolverLook::Other);
    start.title = format!("{} before solving", scene.title);
    Model {
        name: scene.title.clone(),
        about: example.about.to_owned(),
        unit: scene.unit.to_owned(),
        tolerance,
        start,
        runs,
    }
}

fn table(models: &[Model]) -> Table {
    let mut table = Table::new(&[
        ("model", Align::Left),
        ("solver", Align::Left),
        ("status", Align::Left),
        ("iterations", Align::Right),
        ("error", Align::Right),
        ("µs", Align::Right),
    ]);
    for model in models {
        for (index, run) in model.runs.iter().enumerate() {
            let status =
                Cell::new(format!("{} {}", run.outcome.mark(), brief_words(run, &model.unit)));
            table.row([
                Cell::new(if index == 0 { &model.name } else { "" }),
                Cell::new(&run.solver).accent(),
                if run.outcome.is_reached() { status } else { status.quiet() },
                Cell::new(run.iterations.to_string()),
                Cell::new(format!("{} {}", scientific(run.error), model.unit)),
                Cell::new(microseconds(run.microseconds)),
            ]);
        }
        table.end_group();
    }
    table
}

/// The status in few words: the number of iterations has its own column.
fn brief_words(run: &Run, unit: &str) -> String {
    let effort = Effort::of(run.look, run.iterations);
    let words = match &run.outcome {
        Outcome::Reached if effort.is_closed_form => status_words(&run.outcome, effort, unit, None),
        Outcome::Reached => "reached".to_owned(),
        Outcome::Stalled => "no progress".to_owned(),
        Outcome::IterationLimit => "out of iterations".to_owned(),
        other => status_words(other, effort, unit, None),
    };
    match run.escape {
        Some((_, method)) if run.solver == method => format!("{words}, another start"),
        Some((_, method)) => format!("{words} via {method}"),
        None => words,
    }
}

fn page(models: Vec<Model>, tasks: Vec<DetailTable>) -> Report {
    let tables = [settings_table(), sources_table()];
    Report {
        title: "posekit demo".to_owned(),
        answer: answer(&models),
        about: "Every applicable solver ran on each model from the same start. Dashed grey is the start, colour the result, \
                the thin line the path of the tip. Models with many tasks are solved by least squares only. \
                Every error is measured by forward kinematics on the pose that is shown. Where a curve drops abruptly, the solver detected a lock-up or slow convergence, \
                and another method took over."
            .to_owned(),
        models,
        details: tasks.into_iter().chain(tables).collect(),
        footer: "Made by posekit demo. Another run gives the same drawings and numbers, bit for bit; only the times differ."
            .to_owned(),
    }
}

/// A summary in one sentence: how many solves reached, the slowest, and the classic iterations.
fn answer(models: &[Model]) -> String {
    let is_classic = |run: &&Run| run.solver.ends_with(" classic");
    let all = || models.iter().flat_map(|model| &model.runs);
    let (classic, usual): (Vec<&Run>, Vec<&Run>) = all().partition(is_classic);
    let reached = |runs: &[&Run]| runs.iter().filter(|run| run.outcome.is_reached()).count();
    let arrived = usual.iter().filter(|run| run.outcome.is_reached());
    let most = arrived.map(|run| run.iterations).max().unwrap_or(0);
    let usual_words = match (reached(&usual), usual.len()) {
        (all, of) if all == of => format!("All {of} solves reached their target"),
        (some, of) => format!("{some} of {of} solves reached their target"),
    };
    let classic_words = match (reached(&classic), classic.len()) {
        (_, 0) => String::new(),
        (0, of) => format!("; the {of} classic iterations remain locked up"),
        (some, of) => format!("; {some} of the {of} classic iterations did"),
    };
    format!("{usual_words}, in at most {most} iterations{classic_words}.")
}

fn settings_table() -> DetailTable {
    let usual = Settings::default();
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let build = if cfg!(debug_assertions) {
        "debug: the times are meaningless; run with --release"
    } else {
        "release"
    };
    DetailTable {
        title: "Settings".to_owned(),
        head: Vec::new(),
        rows: vec![
            row("tolerance", "1e-6 of the reach; for orientations 1e-6 rad".to_owned()),
            row("iterations", format!("at most {}", usual.iterations)),
            row(
                "time",
                format!(
                    "median of {} to {} solves in a workspace that has solved before, on one thread of this machine ({})",
                    REPEATS[0],
                    REPEATS[1],
                    std::env::consts::ARCH
                ),
            ),
            row("build", format!("posekit {}, {build}", env!("CARGO_PKG_VERSION"))),
        ],
    }
}

fn sources_table() -> DetailTable {
    let row = |name: &str, value: &str| vec![name.to_owned(), value.to_owned()];
    DetailTable {
        title: "Where the models come from".to_owned(),
        head: Vec::new(),
        rows: vec![
            row(
                "Six-axis arm",
                "Universal Robots UR5e: DH Parameters for calculations of kinematics and dynamics (support article)",
            ),
            row(
                "Seven-axis arm",
                "Franka Panda: Robot and interface specifications (Franka Control Interface documentation)",
            ),
            row(
                "Standing figure",
                "lengths and masses from D. A. Winter, Biomechanics and Motor Control of Human Movement, ranges of joints from C. C. Norkin and D. J. White, Measurement of Joint Motion",
            ),
        ],
    }
}
