//! From a file, or standard input, to a scene.

use std::io::Read as _;
use std::path::Path;

use posekit::chain::Chain;
use posekit_io::{ChainData, ChainProblem, Limits, Warnings, decode_text, read_text, urdf};

use crate::args::ProblemArgs;
use crate::failure::{Failure, Result};
use crate::output::note;
use crate::robot;
use crate::scene::{Body, Origin, Rig, Scene};

/// Reads the problem that the arguments name; what the readers could live with goes to standard error.
pub(crate) fn read_scene(args: &ProblemArgs) -> Result<Scene> {
    let (text, name) = read(&args.file)?;
    let mut warnings = Warnings::new();
    let scene = if text.trim_start().starts_with('<') {
        let robot = urdf::read_bytes(text.as_bytes(), &Limits::default(), &mut warnings)
            .map_err(|error| Failure::in_file(error, &name))?;
        robot::scene(&robot, &args.robot, &mut warnings)
    } else {
        chain(&text, args, &mut warnings).map_err(|failure| name_file(failure, &name))
    }?;
    for warning in &warnings {
        // What is wrong with an option is not in the file.
        let is_option = warning.place.subject.starts_with("--");
        let behind = if is_option { String::new() } else { format!(": {name}") };
        note(&format!("warning: {warning}{behind}"));
    }
    Ok(scene)
}

/// The text, and what messages call the file.
fn read(file: &Path) -> Result<(String, String)> {
    let limits = Limits::default();
    if file != Path::new("-") {
        let name = file.display().to_string();
        let text = read_text(file, &limits).map_err(|error| Failure::in_file(error, &name))?;
        return Ok((text, name));
    }
    let name = "standard input".to_owned();
    let mut bytes = Vec::new();
    let cap = (limits.file_bytes as u64).saturating_add(1);
    let stdin = std::io::stdin().lock();
    stdin
        .take(cap)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::in_file(format!("cannot read: {error}"), &name))?;
    let text = decode_text(&bytes, &limits).map_err(|error| Failure::in_file(error, &name))?;
    Ok((text.to_owned(), name))
}

fn name_file(failure: Failure, name: &str) -> Failure {
    let Some(error) = failure.error else { return failure };
    Failure { fault: failure.fault, error: Some(anyhow::anyhow!("{error:#}: {name}")) }
}

/// A chain problem as a scene called after its file.
fn chain(text: &str, args: &ProblemArgs, warnings: &mut Warnings) -> Result<Scene> {
    if let Some(option) = args.robot.first_given() {
        return Err(Failure::usage(format!(
            "{option} is for robots; a chain problem has its start and its target in the file"
        )));
    }
    let problem = ChainProblem::from_json(text).map_err(Failure::input)?;
    let title = match args.file.file_stem() {
        Some(stem) if args.file != Path::new("-") => stem.to_string_lossy().into_owned(),
        _ => "chain".to_owned(),
    };
    chain_scene(&problem, title, warnings)
}

/// A chain problem as a scene.
pub(crate) fn chain_scene(
    problem: &ChainProblem,
    title: String,
    warnings: &mut Warnings,
) -> Result<Scene> {
    let body = if matches!(problem.chain, ChainData::Points { .. }) {
        let points = problem.to_points();
        let chain = Chain::try_new(points.dimension, &points.points)
            .and_then(|chain| chain.with_weights(&points.weights))?;
        Body::Points { chain, target: problem.target.clone() }
    } else {
        let model = problem.to_skeleton(warnings).map_err(Failure::input)?;
        let origin = if problem.dimension == 2 { Origin::Plane } else { Origin::Space };
        // The last weight is the tip's, which is held on the target whatever it says.
        let weights = model.weights[..model.skeleton.n_joints()].to_vec();
        Body::Joints(Box::new(Rig {
            origin,
            skeleton: model.skeleton,
            start: model.start,
            tip: model.tip,
            target: Some(model.target),
            orientation: model.orientation,
            weights,
        }))
    };
    Ok(Scene { title, unit: "", body })
}
