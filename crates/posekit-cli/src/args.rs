//! The command line: subcommands, options, help texts and value parsers.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use posekit::chain::relaxation::Reading;
use posekit::solve::{Detail, Method, Settings};
use posekit_io::problem::{Body, Scene};

use crate::arm_args::{ArmArgs, BenchArgs, MapArgs, TrackArgs};
use crate::failure::{Failure, Result};
use crate::motion_args::{
    BatchArgs, CheckArgs, CleanArgs, ConvertArgs, InfoArgs, PinArgs, RetimeArgs,
};
use crate::output::{Files, INPUT, OUTPUT};

const EXAMPLES: &str = "\
Examples:
  posekit demo                                     solve the built-in models, write demo.html
  posekit solve chain.json                         solve a chain problem, print a table
  posekit solve chain.json --solver ccd --trace --format json
  posekit solve arm.urdf --tip tool0 --position 0.4 0.1 0.5
  posekit solve figure.json                        solve many tasks at once, show which are met
  posekit draw chain.json -o chain.svg             draw the solution and how it was found
  posekit solve arm.urdf --tip tool0 --targets poses.csv -o joints.csv
  posekit map arm.urdf --tip tool0 -o map.parquet  measure where an arm can reach
  posekit clean walk.bvh -o walk-clean.bvh         make standing feet stand still
  posekit check captures/ --json                   measure how far standing feet slide

Exit codes:
  0  done, whatever the status
  1  not reached although --require-reached was given, or a check found something
  2  the command line is wrong or does not fit the problem
  3  the input is wrong
  4  some files, or some targets of a file, are bad; the others are done
  5  the output could not be written
  130  stopped in the middle of a folder or of many targets; what is done is written";

/// Inverse kinematics: which joint values put the hand, the foot or the tool where it should be?
#[derive(Debug, Parser)]
#[command(name = "posekit", version, max_term_width = 100, after_help = EXAMPLES)]
#[command(disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print only errors and what is asked for as data
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Reports")]
    pub(crate) quiet: bool,
    /// Print longer reports, with a row for each plant and each measure
    #[arg(short, long, global = true, help_heading = "Reports")]
    pub(crate) verbose: bool,
}

/// Whether the report is for programs.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct JsonArgs {
    /// Print JSON instead of a report for people
    #[arg(long, help_heading = "Reports")]
    pub(crate) json: bool,
}

/// Whether outputs replace existing files.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Replace {
    /// Replace existing files
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Solve a chain problem, a robot or a figure and print the pose
    Solve(SolveArgs),
    /// Draw a solution and how it was found, as an SVG file
    Draw(DrawArgs),
    /// Solve the built-in models with every solver that fits and write a page of drawings
    Demo(DemoArgs),
    /// Follow a path of poses with a robot arm, without a jump, within velocity limits
    Track(TrackArgs),
    /// Measure where a robot arm can hold its tool, in how many orientations
    Map(MapArgs),
    /// Measure how fast and how reliably a robot arm is solved
    Bench(BenchArgs),
    /// Show what robots and motion files contain: joints, limits, tips; motions, legs, units
    Info(InfoArgs),
    /// Measure how far standing feet slide; exit code 1 when one slides further than a bound
    Check(CheckArgs),
    /// Make standing feet stand still
    Clean(CleanArgs),
    /// Hold any joint in place for a time
    Pin(PinArgs),
    /// Change the frame rate or the speed of a motion
    Retime(RetimeArgs),
    /// Convert motion capture to glTF, and glTF to motion capture
    Convert(ConvertArgs),
    /// Serve the studio, a web page for dragging targets and stepping through every solver
    Studio(StudioArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man(ManArgs),
}

impl Command {
    /// The name of a motion command, and its options for several files.
    pub(crate) const fn batch(&self) -> Option<(&'static str, &BatchArgs)> {
        Some(match self {
            Self::Info(args) => ("info", &args.batch),
            Self::Check(args) => ("check", &args.batch),
            Self::Clean(args) => ("clean", &args.batch),
            Self::Pin(args) => ("pin", &args.batch),
            Self::Retime(args) => ("retime", &args.batch),
            Self::Convert(args) => ("convert", &args.batch),
            _ => return None,
        })
    }

    /// The files that the command reads and writes.
    pub(crate) fn files(&self) -> Files<'_> {
        match self {
            Self::Solve(args) => args
                .problem
                .files(args.arm.output.as_ref(), args.arm.replace)
                .reads("--targets", args.arm.targets.as_ref()),
            Self::Draw(args) => args.problem.files(Some(&args.output), args.replace),
            Self::Demo(args) => Files::new(args.replace).writes(OUTPUT, Some(&args.output)),
            Self::Track(args) => Files::new(args.replace)
                .reads("ROBOT", Some(&args.tool.robot))
                .reads("--path", Some(&args.path))
                .writes(OUTPUT, args.output.as_ref()),
            Self::Map(args) => Files::new(args.replace)
                .reads("ROBOT", args.robot.as_ref())
                .reads("a part", &args.merge)
                .writes(OUTPUT, Some(&args.output))
                .writes("--picture", args.picture.as_ref())
                .writes("--cloud", args.cloud.as_ref()),
            Self::Info(args) => args.input.files(None),
            Self::Check(args) => {
                let files = Files::new(args.replace).reads(INPUT, args.input.single());
                files.writes("--report", args.report.as_ref())
            }
            Self::Clean(args) => args
                .input
                .files(Some(&args.output))
                .reads("--contacts", args.contacts.as_ref())
                .writes("--save-contacts", args.save_contacts.as_ref())
                .writes("--report", args.report.as_ref())
                .writes("--picture", args.picture.as_ref()),
            Self::Pin(args) => {
                args.input.files(Some(&args.output)).reads("--contacts", args.contacts.as_ref())
            }
            Self::Retime(args) => args
                .input
                .files(Some(&args.output))
                .reads("--contacts", args.contacts.as_ref())
                .writes("--save-contacts", args.save_contacts.as_ref()),
            Self::Convert(args) => args.input.files(Some(&args.output)),
            _ => Files::default(),
        }
    }
}

const SOLVE_EXAMPLES: &str = "\
Examples:
  posekit solve chain.json
  posekit solve chain.json --solver fabrik --trace
  cat chain.json | posekit solve - --format json
  posekit solve chain.json --solver ccd --classic --tolerance 0 --iterations 20
  posekit solve arm.urdf --tip tool0 --position 0.4 -0.1 0.5 --orientation 1 0 0 0
  posekit solve arm.urdf --tip tool0 --position 0.4 -0.1 0.5 --start 0,-1.2,1.4,0,0,0
  posekit solve arm.urdf --tip tool0 --position 0.4 -0.1 0.5 --orientation 1 0 0 0 --all
  posekit solve arm.urdf --tip tool0 --targets poses.csv --nearest -o joints.parquet
  posekit solve figure.json --explain";

#[derive(Debug, Args)]
#[command(after_help = SOLVE_EXAMPLES)]
pub(crate) struct SolveArgs {
    #[command(flatten)]
    pub(crate) problem: ProblemArgs,
    #[command(flatten)]
    pub(crate) solver: SolverArgs,
    #[command(flatten)]
    pub(crate) arm: ArmArgs,
    /// Show what each iteration did
    #[arg(long)]
    pub(crate) trace: bool,
    /// A table for people, `posekit.solution/1` for programs, or the rows of --targets [default: table; of --targets by the extension
    /// of the output, or jsonl]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The same as `--format json`, or `--format jsonl` for several solutions
    #[arg(long, conflicts_with = "format", help_heading = "Reports")]
    json: bool,
    /// Show which method was chosen and why, and for a figure its constraints
    #[arg(long)]
    pub(crate) explain: bool,
    /// End with exit code 1 unless the target is reached
    #[arg(long)]
    pub(crate) require_reached: bool,
}

impl SolveArgs {
    /// The format that the options select, if they select one.
    pub(crate) fn format(&self) -> Option<Format> {
        let json = if self.arm.is_asked() { Format::Jsonl } else { Format::Json };
        self.format.or_else(|| self.json.then_some(json))
    }
}

const DRAW_EXAMPLES: &str = "\
Examples:
  posekit draw chain.json -o chain.svg
  posekit draw chain.json -o chain.svg --solver ccd --classic
  posekit draw arm.urdf -o arm.svg --tip tool0 --position 0.4 -0.1 0.5";

#[derive(Debug, Args)]
#[command(after_help = DRAW_EXAMPLES)]
pub(crate) struct DrawArgs {
    #[command(flatten)]
    pub(crate) problem: ProblemArgs,
    #[command(flatten)]
    pub(crate) solver: SolverArgs,
    /// The SVG file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) replace: Replace,
    /// Heading of the drawing; by default the name of the file
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    #[command(flatten)]
    pub(crate) report: JsonArgs,
}

/// The problem to solve.
#[derive(Debug, Args)]
pub(crate) struct ProblemArgs {
    /// A chain problem (JSON, `posekit.chain/1`), a figure (JSON, `posekit.figure/1`) or a robot (URDF or MJCF), recognised
    /// by content; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The robot (URDF or MJCF) or character (glTF, GLB, VRM) of a figure, in place of the file that it names; any path is allowed
    #[arg(long, value_name = "FILE", help_heading = "Figures")]
    pub(crate) skeleton: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) robot: RobotArgs,
}

/// The target of a robot; a chain problem has its target in its file.
#[derive(Debug, Args)]
#[command(next_help_heading = "Robots")]
pub(crate) struct RobotArgs {
    /// The link that must reach. By default the only end that moves, or the gripper
    #[arg(long, value_name = "LINK")]
    pub(crate) tip: Option<String>,
    /// Target position of its origin, in the frame of the root link [m]
    #[arg(long, num_args = 3, value_names = ["X", "Y", "Z"], value_parser = finite)]
    #[arg(allow_hyphen_values = true, visible_alias = "target")]
    pub(crate) position: Option<Vec<f64>>,
    /// Target orientation: a unit quaternion, from its axes to those of the root link
    #[arg(long, num_args = 4, value_names = ["X", "Y", "Z", "W"], value_parser = finite)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) orientation: Option<Vec<f64>>,
    /// Joint values to start from, from which the change is minimised [rad, m]: those of the joints that move the tip, root
    /// first, or those of all joints, in either case without mimic joints. By default zeros, clamped to the limits
    #[arg(long, value_name = "Q1,Q2,...", value_delimiter = ',', value_parser = finite)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) start: Option<Vec<f64>>,
}

impl ProblemArgs {
    fn files<'a>(&'a self, output: Option<&'a PathBuf>, replace: Replace) -> Files<'a> {
        let files = Files::new(replace).reads("the problem", Some(&self.file));
        files.reads("--skeleton", self.skeleton.as_ref()).writes(OUTPUT, output)
    }
}

impl RobotArgs {
    /// The first option given, by name: none of them applies to a chain problem.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        let given = [
            (self.tip.is_some(), "--tip"),
            (self.position.is_some(), "--position"),
            (self.orientation.is_some(), "--orientation"),
            (self.start.is_some(), "--start"),
        ];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }
}

/// How to solve it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Solver")]
pub(crate) struct SolverArgs {
    /// The method; `auto` takes a closed form if there is one, otherwise the fastest method for the problem
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = method_names())]
    #[arg(visible_alias = "method")]
    pub(crate) solver: Method,
    /// Largest number of iterations
    #[arg(long, value_name = "N", value_parser = count, allow_hyphen_values = true)]
    #[arg(default_value_t = Settings::default().iterations)]
    pub(crate) iterations: u32,
    /// Distance that counts as reached, in the problem's units; 0 runs every iteration [default: 1e-6 of the reach]
    #[arg(long, value_name = "T", value_parser = not_negative, allow_hyphen_values = true)]
    pub(crate) tolerance: Option<f64>,
    /// Run ccd, fabrik or relaxation exactly as published: absolute thresholds, no escape from lock-ups
    #[arg(long)]
    pub(crate) classic: bool,
    /// Other starts that least squares tries if the first does not reach the targets, within the limit of iterations; 0 for
    /// tracking. Overrides the file [default: 100]
    #[arg(long, value_name = "N", value_parser = count, allow_hyphen_values = true)]
    pub(crate) restarts: Option<u32>,
    /// Least squares takes the first pose that meets the tasks and does not minimise the change; fewer iterations
    #[arg(long)]
    pub(crate) no_least_change: bool,
    /// How relaxed points become a pose; only with `--solver relaxation` [default: angles]
    #[arg(long, value_enum)]
    pub(crate) reading: Option<ReadingWord>,
}

impl SolverArgs {
    /// The first option given that only the task solvers support, by name.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        let given = [
            (self.solver != Method::Auto, "--solver"),
            (self.iterations != Settings::default().iterations, "--iterations"),
            (self.classic, "--classic"),
            (self.restarts.is_some(), "--restarts"),
            (self.no_least_change, "--no-least-change"),
            (self.reading.is_some(), "--reading"),
        ];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }

    /// The settings that the options select, with this level of detail in the trace; an option that would have no effect is an error.
    pub(crate) fn settings(&self, scene: &Scene, trace: Detail) -> Result<Settings> {
        let bends_joints = matches!(scene.body, Body::Joints(_));
        self.settings_for(scene.chosen(self.solver), bends_joints, trace)
    }

    /// The same for this method, and for a problem of joints or of bare points.
    pub(crate) fn settings_for(
        &self,
        ran: Method,
        bends_joints: bool,
        trace: Detail,
    ) -> Result<Settings> {
        self.check_classic()?;
        self.check_reading(ran, bends_joints)?;
        self.check_least_squares(bends_joints)?;
        let mut settings = Settings::default()
            .with_tolerance(self.tolerance)
            .with_iterations(self.iterations)
            .with_classic(self.classic)
            .with_trace(trace);
        if let Some(reading) = self.reading {
            settings.relaxation.reading = reading.into();
        }
        self.override_settings(&mut settings);
        Ok(settings)
    }

    /// Overrides the settings of a file with the options given.
    pub(crate) fn override_settings(&self, settings: &mut Settings) {
        let least_squares = &mut settings.least_squares;
        least_squares.restarts = self.restarts.unwrap_or(least_squares.restarts);
        least_squares.least_change &= !self.no_least_change;
    }

    fn check_least_squares(&self, bends_joints: bool) -> Result<()> {
        let given =
            [(self.restarts.is_some(), "--restarts"), (self.no_least_change, "--no-least-change")];
        let Some((_, option)) = given.into_iter().find(|(is_given, _)| *is_given) else {
            return Ok(());
        };
        if !bends_joints {
            return Err(Failure::usage(format!(
                "{option} is for least squares, which needs joints; a problem of `points` has none"
            )));
        }
        if matches!(self.solver, Method::Auto | Method::LeastSquares) {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "{option} is for least squares, and {} has no such option; give --solver least-squares",
            self.solver.name()
        )))
    }

    fn check_classic(&self) -> Result<()> {
        let is_published = matches!(self.solver, Method::Ccd | Method::Fabrik | Method::Relaxation);
        if !self.classic || is_published {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "--classic runs a published iteration, and {} has none; give --solver ccd, fabrik or relaxation",
            self.solver.name()
        )))
    }

    fn check_reading(&self, ran: Method, bends_joints: bool) -> Result<()> {
        let Some(reading) = self.reading else { return Ok(()) };
        if ran != Method::Relaxation {
            return Err(Failure::usage(format!(
                "--reading is for relaxation, not for {}; give --solver relaxation",
                ran.name()
            )));
        }
        if reading == ReadingWord::Stretched && bends_joints {
            return Err(Failure::usage(
                "--reading stretched is for problems of `points`; joints keep their bones' lengths: give angles or remeasured",
            ));
        }
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Table,
    /// For programs: `posekit.solution/1`
    Json,
    /// A line of JSON for each target
    Jsonl,
    /// A row for each target, or each of its solutions
    Csv,
    /// The same rows, binary
    Parquet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReadingWord {
    /// Each bone takes the direction between its relaxed ends
    Angles,
    /// From the root outward, each point moves along its bone to the right distance
    Remeasured,
    /// The relaxed points as they are, bones stretched; for chains of points
    Stretched,
}

impl From<ReadingWord> for Reading {
    fn from(word: ReadingWord) -> Self {
        match word {
            ReadingWord::Angles => Self::Angles,
            ReadingWord::Remeasured => Self::Remeasured,
            ReadingWord::Stretched => Self::Stretched,
        }
    }
}

const DEMO_EXAMPLES: &str = "\
Examples:
  posekit demo
  posekit demo -o page.html";

#[derive(Debug, Args)]
#[command(after_help = DEMO_EXAMPLES)]
pub(crate) struct DemoArgs {
    /// The page to write; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "demo.html")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) report: JsonArgs,
    #[command(flatten)]
    pub(crate) replace: Replace,
}

const STUDIO_EXAMPLES: &str = "\
Examples:
  posekit studio
  posekit studio --port 8080 --no-open";

#[derive(Debug, Args)]
#[command(after_help = STUDIO_EXAMPLES)]
pub(crate) struct StudioArgs {
    /// The port on this machine; 0 for any. By default 7361, or any if that is taken
    #[arg(long, value_name = "N")]
    pub(crate) port: Option<u16>,
    /// The built page's folder; by default the one in the repository or installed with this program
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Only print the address, start no browser
    #[arg(long)]
    pub(crate) no_open: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  posekit completions bash > ~/.local/share/bash-completion/completions/posekit"
)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  posekit man solve | man -l -")]
pub(crate) struct ManArgs {
    /// The command; by default the page of posekit itself
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,
}

fn method_names() -> impl clap::builder::TypedValueParser<Value = Method> {
    PossibleValuesParser::new(Method::ALL.map(Method::name))
        .try_map(|name| Method::from_name(&name).ok_or("there is no such solver"))
}

fn count(text: &str) -> core::result::Result<u32, String> {
    match text.trim().parse::<i128>() {
        Ok(count) if count < 0 => Err("must be at least 0".to_owned()),
        Ok(count) => u32::try_from(count).map_err(|_| format!("must be at most {}", u32::MAX)),
        Err(_) => Err("is not a whole number".to_owned()),
    }
}

pub(crate) fn finite(text: &str) -> core::result::Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err("must be a finite number".to_owned()),
        Err(_) => Err("is not a number".to_owned()),
    }
}

pub(crate) fn positive(text: &str) -> core::result::Result<f64, String> {
    match finite(text)? {
        value if value <= 0.0 => Err("must be above 0".to_owned()),
        value => Ok(value),
    }
}

pub(crate) fn not_negative(text: &str) -> core::result::Result<f64, String> {
    match finite(text)? {
        value if value < 0.0 => Err("must be at least 0".to_owned()),
        value => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn negative_numbers_are_values() {
        let words = ["posekit", "solve", "a.urdf", "--tip", "t", "--position", "-0.1", "-1e-3"];
        let rest = ["-.5", "--start", "-1,-2.5,3e-1"];
        let cli = Cli::try_parse_from(words.into_iter().chain(rest)).unwrap();
        let Command::Solve(args) = cli.command else { panic!("a solve") };
        assert_eq!(args.problem.robot.position, Some(vec![-0.1, -1e-3, -0.5]));
        assert_eq!(args.problem.robot.start, Some(vec![-1.0, -2.5, 0.3]));
    }

    #[test]
    fn numbers_that_are_none_are_refused() {
        for wrong in ["nan", "inf", "-inf", "", "1,2", "0x10", "-1"] {
            assert!(not_negative(wrong).is_err(), "{wrong}");
        }
        assert_eq!(not_negative("0"), Ok(0.0));
        for wrong in ["-1", "1.5", "", "4294967296", "ten", "1e3"] {
            assert!(count(wrong).is_err(), "{wrong}");
        }
        assert_eq!(count("-1"), Err("must be at least 0".to_owned()));
        assert_eq!(count("4294967295"), Ok(u32::MAX));
    }
}
