//! `posekit bench`: how fast and how reliably an arm is solved, method by method.

use std::time::Instant;

use posekit::arm::{ArmSettings, Prefer};
use posekit::math::Pose;
use posekit::solve::{Method, Settings, Workspace};
use posekit::task::{FramePose, Task};
use serde::Serialize;

use super::answers::apart;
use super::tool::Tool;
use crate::arm_args::BenchArgs;
use crate::draw::microseconds;
use crate::failure::Result;
use crate::output::{self, count, print, report};
use crate::progress::Progress;
use crate::table::{Align, Cell, Table, width};

/// Every target is solved this many times, and the least time counts: longer ones are due to other work of the machine.
const REPEATS: usize = 3;

/// Measures and prints.
pub(crate) fn bench(args: &BenchArgs) -> Result<()> {
    let tool = Tool::open(&args.tool)?;
    let trials = trials(&tool, args.targets)?;
    let mut progress = Progress::new(METHODS.len());
    let results = METHODS.iter().map(|(name, method)| {
        progress.step(name);
        measure(&tool, &trials, name, *method)
    });
    let results = results.collect::<Result<Vec<_>>>()?;
    progress.finish();
    if args.report.json {
        print(&json(&tool, args, &results)?)
    } else {
        report(&text(&tool, args, &results))
    }
}

/// A target that can be reached, and a start.
struct Trial {
    target: Pose,
    start: Vec<f64>,
}

fn trials(tool: &Tool, count: u32) -> Result<Vec<Trial>> {
    let trial = |index: u32| {
        let [mut there, mut start] = [tool.start.clone(), tool.start.clone()];
        tool.arm.spread(2 * index, &mut there)?;
        tool.arm.spread(2 * index + 1, &mut start)?;
        Ok(Trial { target: tool.arm.pose(&there)?, start })
    };
    (0..count).map(trial).collect()
}

/// A method that is measured.
#[derive(Debug, Clone, Copy)]
enum Measured {
    Arm(Prefer),
    All,
    LeastSquares,
}

const METHODS: [(&str, Measured); 4] = [
    ("arm, first", Measured::Arm(Prefer::First)),
    ("arm, nearest", Measured::Arm(Prefer::Nearest)),
    ("arm, all", Measured::All),
    ("least squares", Measured::LeastSquares),
];

/// The results of a method.
#[derive(Debug, Serialize)]
struct Outcome {
    method: &'static str,
    reached: usize,
    median_us: f64,
    p95_us: f64,
    p99_us: f64,
    slowest_us: f64,
    /// Mean number of solutions of a target, for the method that finds all.
    #[serde(skip_serializing_if = "Option::is_none")]
    solutions: Option<f64>,
}

fn measure(
    tool: &Tool,
    trials: &[Trial],
    method: &'static str,
    measured: Measured,
) -> Result<Outcome> {
    let mut workspace = Workspace::default();
    let (mut reached, mut n_solutions) = (0, 0);
    let mut times = Vec::with_capacity(trials.len());
    for trial in trials {
        let mut least = f64::INFINITY;
        let mut found = Vec::new();
        for _ in 0..REPEATS {
            let begun = Instant::now();
            found = solve(tool, trial, measured, &mut workspace)?;
            least = least.min(begun.elapsed().as_secs_f64());
        }
        times.push(1e6 * least);
        reached += usize::from(!found.is_empty() && found.iter().all(|q| is_there(tool, trial, q)));
        n_solutions += found.len();
    }
    times.sort_unstable_by(f64::total_cmp);
    // A quantile of the times, in thousandths.
    let at = |thousandths: usize| {
        let index = (times.len() * thousandths).div_ceil(1000).saturating_sub(1);
        times.get(index).copied().unwrap_or(0.0)
    };
    let is_all = matches!(measured, Measured::All);
    Ok(Outcome {
        method,
        reached,
        median_us: at(500),
        p95_us: at(950),
        p99_us: at(990),
        slowest_us: at(1000),
        solutions: is_all.then(|| n_solutions as f64 / times.len() as f64),
    })
}

/// The configurations that a method finds.
fn solve(
    tool: &Tool,
    trial: &Trial,
    measured: Measured,
    workspace: &mut Workspace,
) -> Result<Vec<Vec<f64>>> {
    let Trial { target, start } = trial;
    let mut settings = ArmSettings::default();
    Ok(match measured {
        Measured::Arm(prefer) => {
            settings.prefer = prefer;
            let mut q = start.clone();
            tool.arm.solve(*target, &mut q, &settings)?;
            vec![q]
        }
        Measured::All => tool.arm.solutions(*target, start, &settings)?,
        Measured::LeastSquares => {
            let task = [Task::from(FramePose::new(tool.frame, *target))];
            let settings = Settings::default();
            workspace.begin(&tool.skeleton, start, &task, Method::LeastSquares, &settings)?;
            vec![workspace.run().configuration.clone()]
        }
    })
}

/// Whether a configuration has the tip at the target, inside the limits, by the kinematics of the skeleton, which the arm's solver does not use.
fn is_there(tool: &Tool, trial: &Trial, q: &[f64]) -> bool {
    // Within the default tolerances, plus rounding.
    let tolerance = 1.001e-6;
    let length = if tool.arm.reach().is_finite() { tool.arm.reach() } else { 1.0 };
    let tip = tool.frame.world(&tool.skeleton.poses(q));
    tool.skeleton.within_limits(q, 1e-12)
        && tip.translation.distance(trial.target.translation) <= tolerance * length
        && apart(tip.rotation, trial.target.rotation) <= tolerance
}

fn text(tool: &Tool, args: &BenchArgs, results: &[Outcome]) -> String {
    let mut table = Table::new(&[
        ("method", Align::Left),
        ("reached", Align::Right),
        ("median", Align::Right),
        ("p95", Align::Right),
        ("p99", Align::Right),
        ("slowest (µs)", Align::Right),
        ("", Align::Left),
    ]);
    for result in results {
        let share = 100.0 * result.reached as f64 / f64::from(args.targets);
        let solutions = result.solutions.map(|mean| format!("{mean:.1} solutions each"));
        table.row([
            Cell::new(result.method),
            Cell::new(format!("{share:.2} %")),
            Cell::new(microseconds(result.median_us)).accent(),
            Cell::new(microseconds(result.p95_us)),
            Cell::new(microseconds(result.p99_us)),
            Cell::new(microseconds(result.slowest_us)),
            Cell::new(solutions.unwrap_or_default()).quiet(),
        ]);
    }
    format!(
        "{}, {} to {}: {}, one thread\n\n{}",
        tool.file.robot.name(),
        count(tool.joints.len(), "joint"),
        tool.tip,
        count(args.targets as usize, "target"),
        table.render(width())
    )
}

fn json(tool: &Tool, args: &BenchArgs, results: &[Outcome]) -> Result<String> {
    let json = serde_json::json!({
        "schema": "posekit.bench/1",
        "robot": tool.file.robot.name(),
        "tip": tool.tip,
        "joints": tool.joints.iter().map(|joint| &joint.name).collect::<Vec<_>>(),
        "targets": args.targets,
        "methods": results,
    });
    output::json(&json)
}
