//! From a file, or standard input, to a scene or a figure.

use std::fs::{self, File};
use std::io::{BufRead as _, Read};
use std::path::{Path, PathBuf};

use posekit_io::problem::{FigureScene, Scene, is_figure};
use posekit_io::{
    ChainProblem, FigureProblem, FigureSource, Kind, Limits, Robot, Warnings, decode_text,
};

use crate::args::ProblemArgs;
use crate::failure::{Failure, Result};
use crate::output::{is_dash, warn};
use crate::robot;

/// A robot and its file.
#[derive(Debug)]
pub(crate) struct RobotFile {
    pub(crate) robot: Robot,
    pub(crate) text: String,
    /// Its path as given.
    pub(crate) path: PathBuf,
    /// The name of the file in messages.
    pub(crate) name: String,
}

/// Reads a robot; warnings go to standard error.
pub(crate) fn read_robot(file: &Path) -> Result<RobotFile> {
    let (text, name) = read(file, "a robot is read from URDF or MJCF")?;
    if !is_robot(&text) {
        return Err(Failure::in_file("it is not a robot (URDF or MJCF)", &name));
    }
    let mut warnings = Warnings::new();
    let robot = parse_robot(file, &text, &name, &mut warnings)?;
    say(&warnings, &name);
    Ok(RobotFile { robot, text, path: file.to_owned(), name })
}

/// Whether a text describes a robot.
fn is_robot(text: &str) -> bool {
    text.trim_start().starts_with('<')
}

fn parse_robot(file: &Path, text: &str, name: &str, warnings: &mut Warnings) -> Result<Robot> {
    let limits = Limits::default();
    // A model may include other files of its folder; standard input has no folder.
    let robot = if is_dash(file) {
        posekit_io::read_robot(text.as_bytes(), &limits, warnings)
    } else {
        posekit_io::read_robot_file(file, &limits, warnings)
    };
    robot.map_err(|error| Failure::in_file(error, name))
}

/// The content of a file.
#[derive(Debug)]
pub(crate) enum Problem {
    /// A tip and its target.
    Scene(Scene),
    /// A skeleton and its tasks.
    Figure(Box<FigureScene>),
}

/// Reads the problem that the arguments name; warnings go to standard error.
pub(crate) fn read_problem(args: &ProblemArgs) -> Result<Problem> {
    let needs = "`posekit solve` and `draw` read a chain problem, a figure or a robot";
    let (text, name) = read(&args.file, needs)?;
    let mut warnings = Warnings::new();
    let is_robot = is_robot(&text);
    let is_figure =
        !is_robot && is_figure(&text).map_err(|error| Failure::in_file(error, &name))?;
    if args.skeleton.is_some() && !is_figure {
        return Err(Failure::usage("--skeleton is for figures, not for robots"));
    }
    let problem = if is_robot {
        let robot = parse_robot(&args.file, &text, &name, &mut warnings)?;
        robot::scene(&robot, &args.robot, &mut warnings).map(Problem::Scene)
    } else if is_figure {
        let figure = figure(&text, args, &name, &mut warnings);
        figure.map(|figure| Problem::Figure(Box::new(figure)))
    } else {
        let scene = chain(&text, args, &mut warnings);
        scene.map(Problem::Scene).map_err(|failure| name_file(failure, &name))
    }?;
    say(&warnings, &name);
    Ok(problem)
}

/// Prints warnings about a file.
pub(crate) fn say(warnings: &Warnings, name: &str) {
    for warning in warnings {
        // A warning about an option does not concern the file.
        let is_option = warning.place.subject.starts_with("--");
        let behind = if is_option { String::new() } else { format!(": {name}") };
        warn(&format!("{warning}{behind}"));
    }
}

/// A figure as a scene named after its file.
fn figure(
    text: &str,
    args: &ProblemArgs,
    name: &str,
    warnings: &mut Warnings,
) -> Result<FigureScene> {
    if let Some(option) = args.robot.first_given() {
        return Err(Failure::usage(format!(
            "{option} is for robots; a figure has its start and its tasks in the file: {name}"
        )));
    }
    let in_file = |error: posekit_io::Error| Failure::in_file(error.located_in(text), name);
    let problem = FigureProblem::from_json(text).map_err(in_file)?;
    let source = figure_source(&problem, args)?;
    let model = problem.to_model(source.as_ref(), warnings).map_err(in_file)?;
    Ok(FigureScene::new(title(args, "figure"), &problem, model))
}

/// The robot or character that a figure names, or the one of the command line.
fn figure_source(problem: &FigureProblem, args: &ProblemArgs) -> Result<Option<FigureSource>> {
    let (kind, path) = match (problem.source(), &args.skeleton) {
        (None, None) => return Ok(None),
        (None, Some(_)) => {
            return Err(Failure::usage(
                "--skeleton replaces the file that a figure names, and this one names none",
            ));
        }
        (Some((kind, _)), Some(given)) => (kind, given.clone()),
        (Some((kind, named)), None) => (kind, beside(&args.file, named)?),
    };
    let mut warnings = Warnings::new();
    let shown = path.display().to_string();
    let source = FigureSource::read_file(kind, &path, &Limits::default(), &mut warnings)
        .map_err(|error| Failure::in_file(error, &shown))?;
    say(&warnings, &shown);
    Ok(Some(source))
}

/// A file in the folder of another (in the working folder, for standard input). A link that leads out of it is not followed.
fn beside(file: &Path, named: &str) -> Result<PathBuf> {
    let folder = match file.parent() {
        Some(folder) if !is_dash(file) && folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let path = folder.join(named);
    let shown = if folder == Path::new(".") { PathBuf::from(named) } else { path.clone() };
    let is_inside = match (folder.canonicalize(), path.canonicalize()) {
        (Ok(folder), Ok(path)) => path.starts_with(folder),
        // A missing file is reported when it is opened.
        _ => true,
    };
    if !is_inside {
        let message = "leads out of the folder of the figure; give --skeleton to use it anyway";
        return Err(Failure::in_file(message, shown.display()));
    }
    Ok(shown)
}

/// The name of the file without its extension.
fn title(args: &ProblemArgs, otherwise: &str) -> String {
    match args.file.file_stem() {
        Some(stem) if !is_dash(&args.file) => stem.to_string_lossy().into_owned(),
        _ => otherwise.to_owned(),
    }
}

/// The name of standard input in messages.
pub(crate) const STDIN: &str = "standard input";

/// The number of first bytes that tell what a file is: the first tag of a robot may come after a comment.
const HEAD: usize = 1 << 16;

/// The first bytes of a file, which are read again later; none of a pipe, from which that is not possible, except of standard input.
pub(crate) fn head(file: &Path) -> Vec<u8> {
    if is_dash(file) {
        return std::io::stdin().lock().fill_buf().map(<[u8]>::to_vec).unwrap_or_default();
    }
    let mut head = Vec::new();
    if file.is_file()
        && let Ok(file) = File::open(file)
    {
        let _ = file.take(HEAD as u64).read_to_end(&mut head);
    }
    head
}

/// The bytes of a file, or of standard input: at most a number of them, for a pipe may never end.
///
/// - `check`: refuses a file by its first bytes, before the others are read
pub(crate) fn read_bytes(
    file: &Path,
    most: usize,
    check: impl Fn(&[u8]) -> core::result::Result<(), String>,
) -> core::result::Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| format!("cannot read the file: {error}");
    let mut source: Box<dyn Read> = match is_dash(file) {
        true => Box::new(std::io::stdin().lock()),
        false => Box::new(File::open(file).map_err(failed)?),
    };
    let too_large = || format!("the file is larger than {most} bytes");
    let size = fs::metadata(file).ok().filter(fs::Metadata::is_file).map_or(0, |found| found.len());
    if size > most as u64 {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    source.by_ref().take(HEAD as u64).read_to_end(&mut bytes).map_err(failed)?;
    check(&bytes)?;
    let rest = (most as u64).saturating_add(1).saturating_sub(bytes.len() as u64);
    // Room for the file, not the next power of two.
    bytes.reserve_exact(usize::try_from(size.min(rest)).unwrap_or(0));
    source.take(rest).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > most {
        return Err(too_large());
    }
    Ok(bytes)
}

/// The text of a problem or a robot, and the name of the file in messages.
///
/// - `needs`: what is read, for the message about any other kind of file
fn read(file: &Path, needs: &str) -> Result<(String, String)> {
    let limits = Limits::default();
    let name = if is_dash(file) { STDIN.to_owned() } else { file.display().to_string() };
    let bytes = read_bytes(file, limits.file_bytes, |head| match Kind::of(head) {
        Some(kind @ (Kind::Motion(_) | Kind::Other(_))) => {
            Err(format!("it is {}; {needs}", kind.words()))
        }
        _ => Ok(()),
    });
    let bytes = bytes.map_err(|error| Failure::in_file(error, &name))?;
    let text = decode_text(&bytes, &limits).map_err(|error| Failure::in_file(error, &name))?;
    Ok((text.to_owned(), name))
}

fn name_file(failure: Failure, name: &str) -> Failure {
    let Some(error) = failure.error else { return failure };
    Failure { fault: failure.fault, error: Some(anyhow::anyhow!("{error:#}: {name}")) }
}

/// A chain problem as a scene named after its file.
fn chain(text: &str, args: &ProblemArgs, warnings: &mut Warnings) -> Result<Scene> {
    if let Some(option) = args.robot.first_given() {
        return Err(Failure::usage(format!(
            "{option} is for robots; a chain problem has its start and its target in the file"
        )));
    }
    let problem = ChainProblem::from_json(text).map_err(Failure::input)?;
    Scene::from_chain(&problem, title(args, "chain"), warnings).map_err(Failure::input)
}
