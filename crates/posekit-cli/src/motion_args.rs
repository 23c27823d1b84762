//! The command line of the motion commands.

use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser as _};
use clap::{ArgGroup, Args, ValueEnum};
use posekit::glam::DVec3;

use crate::args::{Replace, finite, not_negative, positive};
use crate::input::STDIN;
use crate::motion::is_folder;
use crate::output::{Files, INPUT, OUTPUT, is_dash};

const INFO_EXAMPLES: &str = "\
Examples:
  posekit info arm.urdf
  posekit info arm.urdf --srdf arm.srdf
  posekit info walk.bvh
  posekit info captures/ --json";

#[derive(Debug, Args)]
#[command(after_help = INFO_EXAMPLES)]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    pub(crate) input: MotionInput,
    /// The SRDF of a robot: also show its groups, named states, and the pairs of links that collision checks leave out
    #[arg(long, value_name = "FILE", help_heading = "Robots")]
    pub(crate) srdf: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  posekit check walk.bvh
  posekit check captures/ --max-slide 10 --report check.html";

#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) input: MotionInput,
    /// The slide of a plant above which the check ends with exit code 1 [mm, for a leg of 0.85 m]; people notice 21
    #[arg(long, value_name = "MM", default_value_t = 21.0, value_parser = not_negative)]
    #[arg(allow_hyphen_values = true, alias = "bound")]
    pub(crate) max_slide: f64,
    #[command(flatten)]
    pub(crate) detect: DetectArgs,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
    /// Write a page with curves, plants and the figure in motion
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) replace: Replace,
}

const CLEAN_EXAMPLES: &str = "\
Examples:
  posekit clean walk.bvh -o walk-clean.bvh
  posekit clean walk.glb -o clean.glb --clip Walk --report report.html
  posekit clean captures/ -o cleaned/ --threads 4
  posekit clean stairs.bvh -o out.bvh --floor steps --keep 3.5:4.2";

#[derive(Debug, Args)]
#[command(after_help = CLEAN_EXAMPLES)]
pub(crate) struct CleanArgs {
    #[command(flatten)]
    pub(crate) input: MotionInput,
    #[command(flatten)]
    pub(crate) output: MotionOutput,
    #[command(flatten)]
    pub(crate) detect: DetectArgs,
    /// Fraction of the correction to apply, from 0 to 1
    #[arg(long, value_name = "PART", default_value_t = 1.0, value_parser = part)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) strength: f64,
    /// Keep the motion unchanged in this time [s], slides included; can be given more than once
    #[arg(long, value_name = "FROM:TO", value_parser = time_range, allow_hyphen_values = true)]
    pub(crate) keep: Vec<(f64, f64)>,
    /// Keep the first two and the last two frames, and the root trajectory, for a clip that others follow
    #[arg(long)]
    pub(crate) keep_ends: bool,
    /// Keep the root trajectory, even if all feet slide with it
    #[arg(long)]
    pub(crate) keep_path: bool,
    /// Hold the contacts of this file (`posekit.contacts/1`) instead of those found
    #[arg(long, value_name = "FILE")]
    pub(crate) contacts: Option<PathBuf>,
    /// Write the contacts that were held to this file (`posekit.contacts/1`), to be edited and passed back with --contacts
    #[arg(long, value_name = "FILE")]
    pub(crate) save_contacts: Option<PathBuf>,
    /// Largest lengthening of bones to reach a contact, as a fraction of their length, at most 0.02; for joints with translations, as in glTF
    #[arg(long, value_name = "PART", value_parser = stretch, allow_hyphen_values = true)]
    pub(crate) max_stretch: Option<f64>,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
    /// Write a page with curves, plants and the figure in motion, before and after
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Write an SVG of the figure before and after, with the paths of its feet; for a single motion
    #[arg(long, value_name = "FILE")]
    pub(crate) picture: Option<PathBuf>,
}

const PIN_EXAMPLES: &str = "\
Examples:
  posekit pin climb.bvh --joint RightHand --from 1.2 --to 3.4 -o held.bvh
  posekit pin climb.glb --joint RightHand --from 1.2 --to 3.4 --at 0.4 1.1 0.2 -o held.glb
  posekit pin climb.bvh --contacts rail.json -o held.bvh";

#[derive(Debug, Args)]
#[command(after_help = PIN_EXAMPLES)]
#[command(group = ArgGroup::new("what").required(true).args(["joint", "contacts"]))]
pub(crate) struct PinArgs {
    #[command(flatten)]
    pub(crate) input: MotionInput,
    #[command(flatten)]
    pub(crate) output: MotionOutput,
    /// The joint to hold
    #[arg(long, value_name = "NAME", requires_all = ["from", "to"])]
    pub(crate) joint: Option<String>,
    /// Start of the contact [s]
    #[arg(long, value_name = "S", value_parser = finite, allow_hyphen_values = true)]
    pub(crate) from: Option<f64>,
    /// End of the contact [s]
    #[arg(long, value_name = "S", value_parser = finite, allow_hyphen_values = true)]
    pub(crate) to: Option<f64>,
    /// The joint that it is on and goes with, such as the other hand; by default it stays in the world
    #[arg(long, value_name = "NAME", requires = "joint")]
    pub(crate) on: Option<String>,
    /// Where to hold it, in the clip's world (with --on in that joint's frame) and unit; by default its position halfway through the contact
    #[arg(long, num_args = 3, value_names = ["X", "Y", "Z"], value_parser = finite)]
    #[arg(allow_hyphen_values = true, requires = "joint")]
    pub(crate) at: Option<Vec<f64>>,
    /// The point of the joint to hold, in the joint's own frame and the clip's unit
    #[arg(long, num_args = 3, value_names = ["X", "Y", "Z"], value_parser = finite)]
    #[arg(allow_hyphen_values = true, requires = "joint")]
    pub(crate) offset: Option<Vec<f64>>,
    /// Hold the joint's rotation too
    #[arg(long, requires = "joint")]
    pub(crate) pose: bool,
    /// Blend-in and blend-out time of the contact [s]; hips that follow a foot take up to 0.7
    #[arg(long, value_name = "S", default_value_t = 0.25, value_parser = not_negative)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) ease: f64,
    /// Hold the contacts of this file (`posekit.contacts/1`)
    #[arg(long, value_name = "FILE")]
    pub(crate) contacts: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
}

const RETIME_EXAMPLES: &str = "\
Examples:
  posekit retime walk.bvh --to-fps 30 -o walk30.bvh
  posekit retime walk.glb --speed 1.5 -o fast.glb
  posekit retime walk.bvh --duration 2.5 --contacts feet.json --save-contacts new.json -o slow.bvh";

#[derive(Debug, Args)]
#[command(after_help = RETIME_EXAMPLES)]
#[command(group = ArgGroup::new("time").required(true).multiple(true).args(["speed", "duration", "to_fps"]))]
pub(crate) struct RetimeArgs {
    #[command(flatten)]
    pub(crate) input: MotionInput,
    #[command(flatten)]
    pub(crate) output: MotionOutput,
    /// Speed relative to the original
    #[arg(long, value_name = "TIMES", value_parser = rate, allow_hyphen_values = true)]
    #[arg(conflicts_with = "duration")]
    pub(crate) speed: Option<f64>,
    /// New duration [s], from the first frame to the last
    #[arg(long, value_name = "S", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) duration: Option<f64>,
    /// Frames per second of the result; by default as before
    #[arg(long, value_name = "FPS", value_parser = rate, allow_hyphen_values = true)]
    pub(crate) to_fps: Option<f64>,
    /// Interpolate between frames by smooth curves instead of linearly
    #[arg(long)]
    pub(crate) smooth: bool,
    /// Contacts (`posekit.contacts/1`) to retime as well
    #[arg(long, value_name = "FILE", requires = "save_contacts")]
    pub(crate) contacts: Option<PathBuf>,
    /// The file for the retimed contacts
    #[arg(long, value_name = "FILE", requires = "contacts")]
    pub(crate) save_contacts: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
}

const CONVERT_EXAMPLES: &str = "\
If the output is a folder, each motion of a file becomes a file of its own, named after the motion.
A character without a motion is written in its rest pose.

Examples:
  posekit convert walk.bvh -o walk.glb
  posekit convert character.vrm -o motion.bvh --clip 2
  posekit convert walk.bvh -o small.glb --keys 1
  posekit convert captures/ -o glb/ --to glb
  posekit convert pack.glb -o motions/";

#[derive(Debug, Args)]
#[command(after_help = CONVERT_EXAMPLES)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) input: MotionInput,
    #[command(flatten)]
    pub(crate) output: MotionOutput,
    /// The output format: motion capture, or binary glTF with joints and an animation; by default that of the output's extension or, for
    /// an output folder, the other one
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) to: Option<Target>,
    /// The unit of a written BVH [m]: 0.01 for centimetres; by default that of the input
    #[arg(long, value_name = "METRES", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) to_unit: Option<f64>,
    /// Write as few keys to a GLB as keep every joint within this distance of its position at every frame [mm]
    #[arg(long, value_name = "MM", value_parser = not_negative, allow_hyphen_values = true)]
    pub(crate) keys: Option<f64>,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
}

/// What a clip can be converted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    // Without help texts, so that `--help` has one line for each.
    Bvh,
    Glb,
}

impl Target {
    /// The file extension.
    pub(crate) const fn extension(self) -> &'static str {
        match self {
            Self::Bvh => "bvh",
            Self::Glb => "glb",
        }
    }
}

/// The input.
#[derive(Debug, Args)]
pub(crate) struct MotionInput {
    /// A BVH, glTF, GLB, VRM or VRMA, recognised by content, or a folder of them; several are processed as a folder is. `-` reads
    /// standard input
    #[arg(value_name = "FILE|DIR", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Only this animation of a glTF: its name, or its number from 1
    #[arg(long, value_name = "CLIP", help_heading = "Reading")]
    pub(crate) clip: Option<String>,
    /// Frames per second: overrides the rate of a BVH, and is the sampling rate of a glTF
    #[arg(long, value_name = "FPS", value_parser = rate, help_heading = "Reading")]
    #[arg(allow_hyphen_values = true)]
    pub(crate) fps: Option<f64>,
    /// The up axis; by default guessed from the file
    #[arg(long, value_enum, value_name = "AXIS", help_heading = "Reading")]
    #[arg(allow_hyphen_values = true)]
    pub(crate) up: Option<Up>,
    /// The unit of length [m]: 0.01 for centimetres; by default guessed from the file
    #[arg(long, value_name = "METRES", value_parser = positive, help_heading = "Reading")]
    #[arg(allow_hyphen_values = true)]
    pub(crate) unit: Option<f64>,
    /// Read the complete frames of a truncated or miscounted BVH, and interpolate values that are not finite
    #[arg(long, help_heading = "Reading")]
    pub(crate) lenient: bool,
}

impl MotionInput {
    /// The file, if there is just one, and no folder.
    pub(crate) fn single(&self) -> Option<&Path> {
        match self.files.as_slice() {
            [file] if !file.is_dir() => Some(file),
            _ => None,
        }
    }

    /// The files that a command reads and writes, if they are known before it runs.
    pub(crate) fn files<'a>(&'a self, output: Option<&'a MotionOutput>) -> Files<'a> {
        let replace = output.map_or(Replace { force: false }, |output| output.replace);
        // A folder is created.
        let is_file = |path: &&PathBuf| self.single().is_some() && !is_folder(path);
        let output = output.map(|output| &output.output).filter(is_file);
        Files::new(replace).reads(INPUT, self.single()).writes(OUTPUT, output)
    }

    /// The name of the input in reports.
    pub(crate) fn name(&self) -> String {
        let first = self.files.first().map(|file| file.display().to_string()).unwrap_or_default();
        match self.files.len() {
            1 if self.single().is_some_and(is_dash) => STDIN.to_owned(),
            1 => first,
            n => format!("{first} and {} more", n - 1),
        }
    }

    /// The first option given, by name.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        let given = [
            (self.clip.is_some(), "--clip"),
            (self.fps.is_some(), "--fps"),
            (self.up.is_some(), "--up"),
            (self.unit.is_some(), "--unit"),
            (self.lenient, "--lenient"),
        ];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }
}

/// A direction along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Up {
    X,
    Y,
    Z,
    #[value(name = "-x")]
    MinusX,
    #[value(name = "-y")]
    MinusY,
    #[value(name = "-z")]
    MinusZ,
}

impl Up {
    pub(crate) const fn direction(self) -> DVec3 {
        match self {
            Self::X => DVec3::X,
            Self::Y => DVec3::Y,
            Self::Z => DVec3::Z,
            Self::MinusX => DVec3::NEG_X,
            Self::MinusY => DVec3::NEG_Y,
            Self::MinusZ => DVec3::NEG_Z,
        }
    }
}

/// The output.
#[derive(Debug, Args)]
pub(crate) struct MotionOutput {
    /// The file to write, `-` for standard output, or a folder, in which files keep their names
    #[arg(short, long, value_name = "FILE|DIR")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) replace: Replace,
}

/// Options for finding feet and floor.
#[derive(Debug, Args)]
pub(crate) struct DetectArgs {
    /// The joints at the ends of the legs (ankles), by name; by default they are found
    #[arg(
        long,
        value_name = "NAME,NAME,...",
        value_delimiter = ',',
        help_heading = "Feet and floor"
    )]
    pub(crate) legs: Vec<String>,
    /// The floor: a plane fitted to the feet, a level one, one height for each plant, or a level one at this height in the clip's unit, near which feet must be to stand
    #[arg(long, value_name = "fit|level|steps|HEIGHT", default_value = "fit")]
    #[arg(value_parser = floor, allow_hyphen_values = true, help_heading = "Feet and floor")]
    pub(crate) floor: FloorWord,
    /// The clip is an in-place walk, whose feet move over the floor as on a treadmill; by default this is detected
    #[arg(long, help_heading = "Feet and floor")]
    pub(crate) in_place: bool,
}

/// A kind of floor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum FloorWord {
    /// A plane that fits the feet.
    Fit,
    /// A level one.
    Level,
    /// One height for each plant.
    Steps,
    /// A level one at a height.
    At(f64),
}

/// Parallelism and the format of the report.
#[derive(Debug, Args)]
pub(crate) struct BatchArgs {
    /// Files to process in parallel; by default as many as there are cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Abandon a file after this time [s]; each of several files then has its own process, and one that crashes does not stop the others
    #[arg(long, value_name = "S", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) timeout: Option<f64>,
    /// The one file of such a process: its name in reports, its path, and that of its output
    // A command without an output has an empty one.
    #[arg(long, num_args = 3, value_names = ["NAME", "FILE", "OUTPUT"], hide = true)]
    #[arg(allow_hyphen_values = true, value_parser = OsStringValueParser::new().map(PathBuf::from))]
    pub(crate) only: Vec<PathBuf>,
    /// Print JSON (`posekit.motion-report/1`) instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}

impl BatchArgs {
    /// The first option given that is for several files, by name.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        let given = [(self.threads.is_some(), "--threads"), (self.timeout.is_some(), "--timeout")];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }
}

/// Times and rates that readers and writers accept.
fn rate(text: &str) -> Result<f64, String> {
    match finite(text)? {
        value if (1e-6..=1e6).contains(&value) => Ok(value),
        _ => Err("must be from 0.000001 to 1000000".to_owned()),
    }
}

/// People notice bones that are 3 % longer.
fn stretch(text: &str) -> Result<f64, String> {
    match finite(text)? {
        value if (0.0..=0.02).contains(&value) => Ok(value),
        _ => Err("must be from 0 to 0.02".to_owned()),
    }
}

fn part(text: &str) -> Result<f64, String> {
    match finite(text)? {
        value if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("must be from 0 to 1".to_owned()),
    }
}

fn time_range(text: &str) -> Result<(f64, f64), String> {
    let (from, to) = text.split_once(':').ok_or("is not FROM:TO, such as 3.5:4.2")?;
    let (from, to) = (finite(from)?, finite(to)?);
    if from > to { Err("must not end before it begins".to_owned()) } else { Ok((from, to)) }
}

/// Larger heights and positions are refused: the library accepts none.
const LARGEST: f64 = 1e100;

fn floor(text: &str) -> Result<FloorWord, String> {
    match text {
        "fit" => Ok(FloorWord::Fit),
        "level" => Ok(FloorWord::Level),
        "steps" => Ok(FloorWord::Steps),
        height => {
            let need = "is not fit, level, steps or a height";
            let height = finite(height).ok().filter(|height| height.abs() <= LARGEST);
            height.map(FloorWord::At).ok_or_else(|| need.to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_motion_options() {
        assert_eq!(floor("steps"), Ok(FloorWord::Steps));
        assert_eq!(floor("-0.25"), Ok(FloorWord::At(-0.25)));
        assert!(floor("flat").is_err() && floor("nan").is_err() && floor("1e300").is_err());
        assert_eq!(time_range("-1:2.5"), Ok((-1.0, 2.5)));
        assert!(time_range("2:1").is_err() && time_range("2").is_err());
        assert!(rate("1e308").is_err() && rate("1e-9").is_err() && rate("0").is_err());
        assert_eq!((rate("1e6"), stretch("0.02")), (Ok(1e6), Ok(0.02)));
        assert!(stretch("0.021").is_err() && stretch("-0.01").is_err());
        assert!(part("1.5").is_err() && positive("0").is_err() && not_negative("-1").is_err());
    }
}
