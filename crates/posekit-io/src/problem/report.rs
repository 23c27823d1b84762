//! Solutions as files.

use posekit::glam::DVec3;
use posekit::math::{Pose, wrap_angle};
use posekit::solve::{Hold, Method, Settings, Solution, Status, TraceStep};

use super::figure::FigureScene;
use super::scene::{Body, Origin, Rig, Scene, chunks};
use crate::solution::{
    NamedChoice, NamedHold, NamedValues, Outcome, SolutionFile, TaskMiss, TraceEntry,
};

/// The solution as `posekit.solution/1`; `method` is the one that ran.
#[must_use]
pub fn solution_file(
    scene: &Scene,
    method: Method,
    solution: &Solution,
    with_trace: bool,
    explain: bool,
) -> SolutionFile {
    let mut file = SolutionFile::new(method.name(), file_outcome(scene, &solution.status));
    add_course(&mut file, solution);
    file.choice = explain.then(|| named_choice(solution));
    file.points = scene.solution_points(solution);
    if let Body::Joints(rig) = &scene.body {
        let q = &solution.configuration;
        file.orientation_error = rig.orientation.map(|_| solution.orientation_error);
        file.angles = angles(rig, q);
        file.rotations = rotations(rig, q);
        file.configuration = named_values(rig, q);
        file.point_names = point_names(rig);
        if !solution.others.is_empty() {
            let all = core::iter::once(q).chain(&solution.others);
            let values = |q: &Vec<f64>| angles(rig, q).unwrap_or_else(|| q.clone());
            file.solutions = Some(all.map(values).collect());
        }
    }
    file.trace = with_trace
        .then(|| solution.trace.iter().map(|step| trace_entry(scene, method, step)).collect());
    file
}

/// The progress of the solve: iterations, and escapes from lock-ups.
fn add_course(file: &mut SolutionFile, solution: &Solution) {
    file.iterations = solution.iterations;
    file.error = solution.error;
    file.escaped_at = solution.escaped_at;
    file.accelerated_at = solution.accelerated_at;
    file.escaped_by = solution.escaped_by.map(|method| method.name().to_owned());
}

/// The chosen method and the reason, for a file.
fn named_choice(solution: &Solution) -> NamedChoice {
    let choice = solution.choice;
    NamedChoice { method: choice.method.name().to_owned(), reason: choice.reason.to_owned() }
}

fn file_outcome(scene: &Scene, status: &Status) -> Outcome {
    match &scene.body {
        Body::Joints(rig) => named_outcome(status, |joint| rig.skeleton.name(joint).to_owned()),
        Body::Points { .. } => named_outcome(status, |joint| joint.to_string()),
    }
}

/// A status for a file, with the names of its joints.
fn named_outcome(status: &Status, name: impl Fn(usize) -> String) -> Outcome {
    match status {
        Status::Reached => Outcome::Reached,
        Status::Unreachable { shortfall } => Outcome::Unreachable { shortfall: *shortfall },
        Status::Blocked { joints } => {
            Outcome::Blocked { joints: joints.iter().map(|&joint| name(joint)).collect() }
        }
        Status::IterationLimit => Outcome::IterationLimit,
        Status::Cancelled => Outcome::Cancelled,
        // A status that files do not have yet means only that the target was not reached.
        _ => Outcome::Stalled,
    }
}

fn angles(rig: &Rig, q: &[f64]) -> Option<Vec<f64>> {
    let is_plane = rig.origin == Origin::Plane;
    is_plane.then(|| q.iter().map(|&angle| wrap_angle(angle)).collect())
}

fn rotations(rig: &Rig, q: &[f64]) -> Option<Vec<[f64; 4]>> {
    let rotation = |joint| rig.skeleton.motion(joint, q).rotation.to_array();
    (rig.origin == Origin::Space).then(|| (0..rig.skeleton.n_joints()).map(rotation).collect())
}

fn named_values(rig: &Rig, q: &[f64]) -> Option<Vec<NamedValues>> {
    let values = |joint: usize| NamedValues {
        name: rig.skeleton.name(joint).to_owned(),
        values: q[rig.skeleton.value_range(joint)].to_vec(),
    };
    let all = (0..rig.skeleton.n_joints()).map(values).filter(|named| !named.values.is_empty());
    (rig.origin == Origin::Robot).then(|| all.collect())
}

/// The names of the points of a robot: the joints that move its tip, and the tip. The points of a chain have no names.
fn point_names(rig: &Rig) -> Option<Vec<String>> {
    let joints = rig.moving().into_iter().map(|joint| rig.skeleton.name(joint).to_owned());
    (rig.origin == Origin::Robot).then(|| joints.chain(["tip".to_owned()]).collect())
}

fn trace_entry(scene: &Scene, method: Method, step: &TraceStep) -> TraceEntry {
    let mut entry =
        TraceEntry { iteration: step.iteration, error: step.error, ..TraceEntry::default() };
    match &scene.body {
        Body::Points { chain, .. } => entry.points = chunks(&step.points, chain.dimension()),
        Body::Joints(rig) => {
            entry.angles = angles(rig, &step.configuration);
            entry.rotations = rotations(rig, &step.configuration);
            entry.points = scene.cut(&step_points(rig, method, step));
        }
    }
    entry
}

/// The points of a step: raw for relaxation, whose bones may be off length, and otherwise by forward kinematics.
#[must_use]
pub fn step_points(rig: &Rig, method: Method, step: &TraceStep) -> Vec<DVec3> {
    let expected = 3 * (rig.moving().len() + 1);
    if method == Method::Relaxation && step.points.len() == expected {
        return step.points.chunks_exact(3).map(DVec3::from_slice).collect();
    }
    rig.points(&step.configuration)
}

/// The solution of a figure as `posekit.solution/1`.
#[must_use]
pub fn figure_solution_file(
    figure: &FigureScene,
    solution: &Solution,
    settings: &Settings,
    with_trace: bool,
) -> SolutionFile {
    let skeleton = &figure.rig.skeleton;
    let name = |joint: usize| skeleton.name(joint).to_owned();
    let q = &solution.configuration;
    let outcome = named_outcome(&solution.status, name);
    let mut file = SolutionFile::new(solution.choice.method.name(), outcome);
    add_course(&mut file, solution);
    file.orientation_error = Some(solution.orientation_error);
    file.choice = Some(named_choice(solution));
    file.misses = Some(misses(figure, solution, settings));
    let hold =
        |hold: &Hold| NamedHold { joint: name(hold.joint), kind: hold.kind, relief: hold.relief };
    file.holds = Some(solution.holds.iter().map(hold).collect());
    file.configuration = named_values(&figure.rig, q);
    file.points = origins(&skeleton.poses(q));
    file.point_names = Some((0..skeleton.n_joints()).map(name).collect());
    if !solution.others.is_empty() {
        file.solutions = Some(core::iter::once(q).chain(&solution.others).cloned().collect());
    }
    let entry = |step: &TraceStep| TraceEntry {
        iteration: step.iteration,
        error: step.error,
        points: origins(&skeleton.poses(&step.configuration)),
        ..TraceEntry::default()
    };
    file.trace = with_trace.then(|| solution.trace.iter().map(entry).collect());
    file
}

fn origins(world_from_joint: &[Pose]) -> Vec<Vec<f64>> {
    world_from_joint.iter().map(|pose| pose.translation.to_array().to_vec()).collect()
}

fn misses(figure: &FigureScene, solution: &Solution, settings: &Settings) -> Vec<TaskMiss> {
    let miss = |(index, task): (usize, &posekit::task::Task)| {
        let miss = solution.misses[index];
        let [distance, angle] = figure.relevant_miss(index, miss);
        TaskMiss {
            task: task.kind.name().to_owned(),
            name: figure.labels[index].name.clone(),
            level: task.level,
            distance,
            angle,
            is_met: FigureScene::is_met(miss, solution, settings),
        }
    };
    figure.tasks.iter().enumerate().map(miss).collect()
}
