//! The part of `posekit demo` on problems with many tasks: one solve by least squares, and the error of each task.

use std::hint::black_box;

use posekit::solve::{Detail, Method, Solution, Status, Workspace};
use posekit::task::{Miss, Task};

use crate::draw::{
    DetailTable, HeldJoint, HeldLimit, Model, Outcome, Run, SolverLook, length_words, scientific,
};
use crate::failure::Result;
use crate::figures::TaskScene;
use crate::picture;
use crate::report::escape;
use crate::task_picture::drawing;

const METHOD: Method = Method::LeastSquares;

/// Solves the scene and times it with `median`, which repeats a function and returns its median time in microseconds.
pub(super) fn model(
    scene: &TaskScene,
    median: impl Fn(&mut dyn FnMut() -> posekit::Result<()>) -> Result<f64>,
) -> Result<(Model, DetailTable)> {
    let tasks = scene.tasks();
    let settings = scene.settings().with_trace(Detail::Iterations);
    let mut workspace = Workspace::default();
    workspace.begin(&scene.skeleton, &scene.start, &tasks, METHOD, &settings)?;
    let solution = workspace.run().clone();
    let untraced = settings.with_trace(Detail::Off);
    let microseconds = median(&mut || {
        workspace.begin(&scene.skeleton, &scene.start, &tasks, METHOD, &untraced)?;
        black_box(workspace.run());
        Ok(())
    })?;
    let look = SolverLook::of(METHOD.name());
    let run = Run {
        solver: METHOD.name().to_owned(),
        look,
        outcome: outcome(scene, &solution),
        iterations: solution.iterations,
        error: largest_distance(scene, &tasks, &solution.configuration),
        microseconds,
        escape: escape(&solution),
        drawing: drawing(scene, look, Some(&solution.configuration)),
        errors: picture::error_values(largest_distance(scene, &tasks, &scene.start), &solution),
    };
    let mut start = drawing(scene, SolverLook::Other, None);
    start.title = format!("{} before solving", scene.title);
    let model = Model {
        name: scene.title.to_owned(),
        about: scene.about.clone(),
        unit: "m".to_owned(),
        tolerance: Some(solution.tolerance),
        start,
        runs: vec![run],
    };
    Ok((model, task_table(scene, &solution)))
}

/// The largest distance by which a task is missed, by forward kinematics, independent of the solver \[m\].
fn largest_distance(scene: &TaskScene, tasks: &[Task], q: &[f64]) -> f64 {
    tasks.iter().map(|task| task.miss(&scene.skeleton, q).distance).fold(0.0, f64::max)
}

fn outcome(scene: &TaskScene, solution: &Solution) -> Outcome {
    match &solution.status {
        Status::Reached => Outcome::Reached,
        Status::Unreachable { shortfall } => Outcome::Unreachable { shortfall: *shortfall },
        Status::Blocked { joints } => {
            let held = |&joint: &usize| HeldJoint {
                name: scene.skeleton.name(joint).to_owned(),
                limit: HeldLimit::Shape,
            };
            Outcome::Blocked { joints: joints.iter().map(held).collect() }
        }
        Status::IterationLimit => Outcome::IterationLimit,
        Status::Cancelled => Outcome::Cancelled,
        _ => Outcome::Stalled,
    }
}

/// A table of the tasks with their errors before and after.
fn task_table(scene: &TaskScene, solution: &Solution) -> DetailTable {
    let row = |named: &crate::figures::NamedTask| {
        let [before, after] = [&scene.start, &solution.configuration]
            .map(|q| miss_words(named.task.miss(&scene.skeleton, q)));
        vec![named.words.to_owned(), named.task.kind.name().to_owned(), before, after]
    };
    DetailTable {
        title: format!("{}, task by task", scene.title),
        head: ["task", "kind", "error before", "error after"].map(str::to_owned).to_vec(),
        rows: scene.named_tasks.iter().map(row).collect(),
    }
}

/// A miss for people; below the tolerances, a micrometre and a microradian, only its order of magnitude matters.
fn miss_words(miss: Miss) -> String {
    let distance = |value: f64| match value {
        large if large >= 1e-6 => length_words(large, "m"),
        small => format!("{} m", scientific(small)),
    };
    let angle = |value: f64| match value {
        large if large >= 1e-6 => format!("{:.2}°", large.to_degrees()),
        small => format!("{} rad", scientific(small)),
    };
    match (miss.distance > 0.0, miss.angle > 0.0) {
        (true, true) => format!("{}, {}", distance(miss.distance), angle(miss.angle)),
        (true, false) => distance(miss.distance),
        (false, true) => angle(miss.angle),
        (false, false) => "0".to_owned(),
    }
}
