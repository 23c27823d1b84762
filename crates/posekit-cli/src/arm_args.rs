//! The command line of the commands for robot arms.

use std::path::PathBuf;

use clap::Args;

use crate::args::{JsonArgs, Replace, finite, not_negative, positive};

/// One robot and one of its links.
#[derive(Debug, Args)]
pub(crate) struct ToolArgs {
    /// A robot (URDF); `-` reads standard input
    #[arg(value_name = "ROBOT")]
    pub(crate) robot: PathBuf,
    /// The link that must reach. By default the only end that moves, or the gripper
    #[arg(long, value_name = "LINK")]
    pub(crate) tip: Option<String>,
    /// The link in whose frame targets are; joints between it and the root keep their start. By default the root
    #[arg(long, value_name = "LINK")]
    pub(crate) base: Option<String>,
    /// Joint values to start from [rad, m]: those of the joints that move the tip, root first, or those of all joints, in either
    /// case without mimic joints. By default zeros, clamped to the limits
    #[arg(long, value_name = "Q1,Q2,...", value_delimiter = ',', value_parser = finite)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) start: Option<Vec<f64>>,
}

/// Many targets for one arm, or many solutions for one target.
#[derive(Debug, Args)]
#[command(next_help_heading = "Robot arms")]
pub(crate) struct ArmArgs {
    /// Solve all targets of a file: JSON lines, CSV (columns x, y, z, qx, qy, qz, qw) or Parquet, recognised by content; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "orientation"])]
    pub(crate) targets: Option<PathBuf>,
    /// Every solution, the nearest to the start first; for an arm with more than six joints one for each branch
    #[arg(long, conflicts_with = "nearest")]
    pub(crate) all: bool,
    /// The solution nearest to the start, instead of the first one found
    #[arg(long)]
    pub(crate) nearest: bool,
    /// The link in whose frame targets are; joints between it and the root keep their start. By default the root
    #[arg(long, value_name = "LINK")]
    pub(crate) base: Option<String>,
    /// Angle from the target's orientation that counts as reached [rad]; with --targets, --all or --nearest [default: 1e-6]
    #[arg(long, value_name = "T", value_parser = not_negative, allow_hyphen_values = true)]
    pub(crate) orientation_tolerance: Option<f64>,
    /// Poses from which a target is tried, at most; with --targets, --all or --nearest [default: 200]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) starts: Option<u32>,
    /// Number of targets to solve in parallel; by default the number of cores. The result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// The file for the solutions of --targets instead of standard output, `-`
    #[arg(short, long, value_name = "FILE", requires = "targets")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) replace: Replace,
}

impl ArmArgs {
    /// The first option given that is only for arms, by name.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        let given = [
            (self.base.is_some(), "--base"),
            (self.orientation_tolerance.is_some(), "--orientation-tolerance"),
            (self.starts.is_some(), "--starts"),
            (self.threads.is_some(), "--threads"),
        ];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }

    /// Whether the arm's own solver runs instead of a task solver.
    pub(crate) const fn is_asked(&self) -> bool {
        self.targets.is_some() || self.all || self.nearest
    }
}

const TRACK_EXAMPLES: &str = "\
The arm stays on the path and on one branch, and slows down where joints would be too fast. Where the \
branch ends, the track ends, and the reason is shown.

Examples:
  posekit track arm.urdf --tip tool0 --path weld.csv --rate 500 --velocity 3 -o joints.csv
  posekit track arm.urdf --tip tool0 --path weld.csv --velocity 2,2,3,3,3,3 --acceleration 20";

#[derive(Debug, Args)]
#[command(after_help = TRACK_EXAMPLES)]
pub(crate) struct TrackArgs {
    #[command(flatten)]
    pub(crate) tool: ToolArgs,
    /// The poses, one after the other: JSON lines, CSV (columns x, y, z, qx, qy, qz, qw, time) or Parquet, recognised by content; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// Poses per second, for a file without times [default: 500]
    #[arg(long, value_name = "HZ", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) rate: Option<f64>,
    /// Largest velocities of the joints that move the tip [rad/s, m/s]: one for all, or one for each, root first. By default those of the file
    #[arg(long, value_name = "V,...", value_delimiter = ',', value_parser = positive)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) velocity: Vec<f64>,
    /// Largest accelerations [rad/s², m/s²], likewise; the arm is then at rest at both ends
    #[arg(long, value_name = "A,...", value_delimiter = ',', value_parser = positive)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) acceleration: Vec<f64>,
    /// Distance from the path that is allowed [m] [default: 1e-6 of the reach]
    #[arg(long, value_name = "T", value_parser = not_negative, allow_hyphen_values = true)]
    pub(crate) tolerance: Option<f64>,
    /// Begin in the solution for the first pose that leads to the end of the path, or furthest, instead of the one nearest to the start
    #[arg(long)]
    pub(crate) from_any: bool,
    /// The joint values: CSV, JSON lines or Parquet, by the extension. By default CSV to standard output, `-`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) replace: Replace,
    /// End with exit code 1 unless the path is followed to its end
    #[arg(long)]
    pub(crate) require_reached: bool,
    #[command(flatten)]
    pub(crate) report: JsonArgs,
}

const BENCH_EXAMPLES: &str = "\
Targets are poses of the tip in configurations spread evenly over the joint ranges, so every target can \
be reached; starts are other such configurations. Every solution is checked by forward kinematics.

Examples:
  posekit bench arm.urdf --tip tool0
  posekit bench arm.urdf --tip tool0 --targets 10000 --json";

#[derive(Debug, Args)]
#[command(after_help = BENCH_EXAMPLES)]
pub(crate) struct BenchArgs {
    #[command(flatten)]
    pub(crate) tool: ToolArgs,
    /// Number of targets
    #[arg(long, value_name = "N", default_value_t = 1000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) targets: u32,
    #[command(flatten)]
    pub(crate) report: JsonArgs,
}

const MAP_EXAMPLES: &str = "\
A run that was stopped or killed is continued with --resume: finished parts are kept beside the output, \
in OUTPUT.parts, until the map is written. All shards, merged, give the same bytes as one run.

Examples:
  posekit map arm.urdf --tip tool0 --voxel 0.05 --orientations 50 -o map.parquet
  posekit map arm.urdf --tip tool0 -o map.csv --picture map.svg --cloud map.glb
  posekit map arm.urdf --tip tool0 -o part2.parquet --shard 2/8
  posekit map --merge part1.parquet part2.parquet -o map.parquet --picture map.svg";

#[derive(Debug, Args)]
#[command(after_help = MAP_EXAMPLES)]
pub(crate) struct MapArgs {
    /// A robot (URDF); `-` reads standard input
    #[arg(value_name = "ROBOT", required_unless_present = "merge", conflicts_with = "merge")]
    pub(crate) robot: Option<PathBuf>,
    /// The link that must reach. By default the only end that moves, or the gripper
    #[arg(long, value_name = "LINK")]
    pub(crate) tip: Option<String>,
    /// The link in whose frame the map is; joints between it and the root keep their start. By default the root
    #[arg(long, value_name = "LINK")]
    pub(crate) base: Option<String>,
    /// Joint values of the start [rad, m], as for `posekit solve`
    #[arg(long, value_name = "Q1,Q2,...", value_delimiter = ',', value_parser = finite)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) start: Option<Vec<f64>>,
    /// Edge of a voxel [m]
    #[arg(long, value_name = "M", default_value_t = 0.05, value_parser = positive)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) voxel: f64,
    /// Orientations of the tip to try in each voxel, spread evenly over all
    #[arg(long, value_name = "N", default_value_t = 50)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) orientations: u32,
    /// Poses from which an orientation is tried, at most; fewer are faster and miss some at the border
    #[arg(long, value_name = "N", default_value_t = 32)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) starts: u32,
    /// The map: Parquet or CSV, by its extension; `-` is CSV to standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) replace: Replace,
    /// Do only part K of N of the work; the output is a part (Parquet) for --merge
    #[arg(long, value_name = "K/N", value_parser = shard, conflicts_with = "merge")]
    pub(crate) shard: Option<Shard>,
    /// Merge the outputs of all shards, in any order
    #[arg(long, value_name = "PART", num_args = 1..)]
    #[arg(conflicts_with_all = ["tip", "base", "start", "voxel", "orientations", "starts", "resume", "threads"])]
    pub(crate) merge: Vec<PathBuf>,
    /// Continue a run of the same map that was stopped
    #[arg(long)]
    pub(crate) resume: bool,
    /// Voxels to measure in parallel; by default as many as there are cores. The result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// An SVG of three slices through the base
    #[arg(long, value_name = "FILE", conflicts_with = "shard")]
    pub(crate) picture: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) report: JsonArgs,
    /// A GLB with a coloured point for each voxel that is reached
    #[arg(long, value_name = "FILE", conflicts_with = "shard")]
    pub(crate) cloud: Option<PathBuf>,
}

/// One of several equal parts of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shard {
    /// From 1.
    pub(crate) number: u32,
    pub(crate) of: u32,
}

impl Shard {
    /// All of the work.
    pub(crate) const WHOLE: Self = Self { number: 1, of: 1 };
}

fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    match parts {
        Some((number, of)) if (1..=of).contains(&number) => Ok(Shard { number, of }),
        _ => Err("must be K/N with K from 1 to N, such as 2/8".to_owned()),
    }
}
