//! posekit's solvers.

use anyhow::{Context, Result};
use posekit::arm::{Arm, ArmSettings, Prefer, Track, TrackEnd, TrackSample, TrackStatus};
use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{Frame, Skeleton};
use posekit::solve::{Method, Settings, Workspace};
use posekit::task::{FramePose, Task, TaskKind};
use posekit_io::{Warnings, urdf};

use super::TOLERANCE;
use super::chain::{Chain, TIP};
use super::lines::RATE;
use super::matrix::Matrix;
use super::solver::{Contender, End, Entered, Followed, Outcome, Sample, Solver};

/// An arm meets its family to rounding if it deviates by less \[units of length, rad\].
const EXACT: f64 = 1e-10;

/// The first is what the others are compared with.
pub const COLD: [Contender; 4] = [
    Contender { name: "posekit `Arm::solve`, first", enter: first },
    Contender { name: "posekit `Arm::solve`, nearest", enter: nearest },
    Contender { name: "posekit `Arm::solutions_into`", enter: solutions },
    Contender { name: "posekit `Workspace`", enter: workspace },
];

/// Those that follow a line.
pub const WARM: [Contender; 4] = [
    Contender { name: "posekit `Arm::track`", enter: track },
    Contender { name: "posekit `Arm::track_from_any`", enter: track_from_any },
    Contender { name: "posekit `Arm::solve`, first", enter: first },
    Contender { name: "posekit `Workspace::set_target`", enter: tracking_workspace },
];

/// A chain as posekit has it.
#[derive(Debug, Clone)]
pub struct Model {
    /// All joints, in the order of the chain.
    pub skeleton: Skeleton,
    /// The tool.
    pub tool: Frame,
    /// The velocity limit of each joint.
    pub velocities: Vec<f64>,
}

impl Model {
    /// Reads what the peers read.
    ///
    /// # Errors
    /// When posekit does not read it.
    pub fn new(chain: &Chain) -> Result<Self> {
        let robot = urdf::read(&chain.urdf()?, &mut Warnings::new())?;
        let tool = robot.frame(TIP).context("no tool")?;
        let velocities = robot.velocity_limits().to_vec();
        Ok(Self { skeleton: robot.into_skeleton(), tool, velocities })
    }
}

/// The settings of every arm: the tolerance of the comparison.
pub fn settings(prefer: Prefer) -> ArmSettings {
    let mut settings = ArmSettings::default();
    settings.tolerance = Some(TOLERANCE);
    settings.orientation_tolerance = Some(TOLERANCE);
    settings.prefer = prefer;
    settings
}

/// A target as posekit has it.
pub fn pose(target: &Matrix) -> Pose {
    Pose::new(DQuat::from_array(target.quaternion()), DVec3::from_array(target.position()))
}

struct ArmSolver {
    arm: Arm,
    settings: ArmSettings,
    targets: Vec<Pose>,
}

impl ArmSolver {
    fn new(chain: &Chain, prefer: Prefer) -> Result<Self> {
        let Model { skeleton, tool, .. } = Model::new(chain)?;
        let arm = Arm::new(&skeleton, tool)?;
        Ok(Self { arm, settings: settings(prefer), targets: Vec::new() })
    }
}

fn first(chain: &Chain) -> Entered {
    Ok(Some(Box::new(ArmSolver::new(chain, Prefer::First)?)))
}

fn nearest(chain: &Chain) -> Entered {
    Ok(Some(Box::new(ArmSolver::new(chain, Prefer::Nearest)?)))
}

impl Solver for ArmSolver {
    fn load(&mut self, targets: &[Matrix]) {
        self.targets = targets.iter().map(pose).collect();
    }

    fn solve(&mut self, target: usize, q: &mut Vec<f64>) -> Outcome {
        let solution = self.arm.solve(self.targets[target], q, &self.settings);
        solution.map_or_else(
            |_| Outcome::default(),
            |solution| Outcome {
                is_reached: solution.is_reached(),
                iterations: Some(solution.iterations),
                starts: Some(solution.starts),
            },
        )
    }
}

/// Follows lines as a whole.
struct Tracker {
    skeleton: Skeleton,
    arm: Arm,
    settings: ArmSettings,
    /// Where a line begins, and its targets.
    targets: Vec<Pose>,
    times: Vec<f64>,
    /// From any solution for the first pose.
    from_any: bool,
    track: Option<Track>,
}

impl Tracker {
    fn boxed(chain: &Chain, from_any: bool) -> Result<Box<dyn Solver>> {
        let Model { skeleton, tool, velocities } = Model::new(chain)?;
        let arm = Arm::new(&skeleton, tool)?.with_velocity_limits(&velocities)?;
        let settings = settings(Prefer::Nearest);
        let (targets, times) = (Vec::new(), Vec::new());
        Ok(Box::new(Self { skeleton, arm, settings, targets, times, from_any, track: None }))
    }
}

fn track(chain: &Chain) -> Entered {
    Tracker::boxed(chain, false).map(Some)
}

fn track_from_any(chain: &Chain) -> Entered {
    Tracker::boxed(chain, true).map(Some)
}

impl Solver for Tracker {
    fn load(&mut self, targets: &[Matrix]) {
        self.targets = core::iter::once(Pose::IDENTITY).chain(targets.iter().map(pose)).collect();
        self.times = (0..self.targets.len()).map(|k| k as f64 / RATE).collect();
    }

    fn solve(&mut self, _: usize, _: &mut Vec<f64>) -> Outcome {
        Outcome::default()
    }

    fn follow(&mut self, start: &[f64]) -> bool {
        let Self { arm, settings, targets, times, .. } = self;
        targets[0] = arm.pose(start).unwrap_or_default();
        let track = match self.from_any {
            true => arm.track_from_any(times, targets, start, settings),
            false => arm.track(times, targets, start, settings),
        };
        self.track = track.ok();
        true
    }

    fn followed(&self) -> Followed {
        let Some(track) = &self.track else { return Followed::default() };
        let sample = |(k, sample): (usize, &TrackSample)| Sample {
            time: sample.time,
            target: sample.target.and_then(|target| target.checked_sub(1)),
            q: track.configuration(k).to_vec(),
        };
        let end = match &track.status {
            TrackStatus::Ended { path_time, reason, .. } => Some(End {
                path_time: *path_time,
                reason: self.words(reason),
                is_proven: self.from_any && self.is_exact_of_six(),
            }),
            _ => None,
        };
        Followed { samples: track.samples.iter().enumerate().map(sample).collect(), end }
    }
}

impl Tracker {
    /// Whether all configurations that reach a pose are known.
    fn is_exact_of_six(&self) -> bool {
        self.arm.joints().count() == 6
            && self.arm.family().is_some_and(|family| family.deviation <= EXACT)
    }

    fn words(&self, reason: &TrackEnd) -> String {
        match reason {
            TrackEnd::Limits(joints) => {
                let names: Vec<&str> = joints.iter().map(|&j| self.skeleton.name(j)).collect();
                format!("limit of {}", names.join(" and "))
            }
            TrackEnd::Singularity => "singularity".to_owned(),
            _ => "reach".to_owned(),
        }
    }
}

struct AllSolver {
    of: ArmSolver,
    list: Vec<f64>,
    all: Vec<Vec<f64>>,
}

fn solutions(chain: &Chain) -> Entered {
    let of = ArmSolver::new(chain, Prefer::Nearest)?;
    Ok(Some(Box::new(AllSolver { of, list: Vec::new(), all: Vec::new() })))
}

impl Solver for AllSolver {
    fn load(&mut self, targets: &[Matrix]) {
        self.of.load(targets);
    }

    fn solve(&mut self, target: usize, q: &mut Vec<f64>) -> Outcome {
        let ArmSolver { arm, settings, targets } = &self.of;
        let found = arm.solutions_into(targets[target], q, settings, &mut self.list);
        let is_reached = found.is_ok_and(|n| n > 0);
        if is_reached {
            let n = q.len();
            q.copy_from_slice(&self.list[..n]);
        }
        Outcome { is_reached, ..Outcome::default() }
    }

    fn all(&mut self) -> Option<&[Vec<f64>]> {
        let n = self.of.arm.n_values();
        self.all = self.list.chunks_exact(n).map(<[f64]>::to_vec).collect();
        Some(&self.all)
    }
}

/// A workspace that takes each problem over from the start, or goes on from where it stands.
struct WorkspaceSolver {
    model: Model,
    settings: Settings,
    method: Method,
    workspace: Workspace,
    tasks: Vec<Task>,
    targets: Vec<Pose>,
    /// The configuration that the workspace stands at, where it only needs new targets.
    at: Option<Vec<f64>>,
    goes_on: bool,
}

impl WorkspaceSolver {
    fn boxed(chain: &Chain, settings: Settings, goes_on: bool) -> Result<Box<dyn Solver>> {
        let model = Model::new(chain)?;
        let settings = settings.with_tolerance(TOLERANCE).with_orientation_tolerance(TOLERANCE);
        let tasks = vec![FramePose::new(model.tool, Pose::IDENTITY).into()];
        Ok(Box::new(Self {
            model,
            settings,
            method: if goes_on { Method::LeastSquares } else { Method::Auto },
            workspace: Workspace::default(),
            tasks,
            targets: Vec::new(),
            at: None,
            goes_on,
        }))
    }

    fn begin(&mut self, target: Pose, q: &[f64]) -> posekit::Result<()> {
        if let TaskKind::Pose(task) = &mut self.tasks[0].kind {
            task.world_from_target = target;
        }
        if self.goes_on && self.at.as_deref() == Some(q) {
            return self.workspace.set_target(0, &self.tasks[0].kind);
        }
        let Self { model, tasks, method, settings, .. } = self;
        self.workspace.begin(&model.skeleton, q, tasks, *method, settings)
    }
}

fn workspace(chain: &Chain) -> Entered {
    WorkspaceSolver::boxed(chain, Settings::default(), false).map(Some)
}

fn tracking_workspace(chain: &Chain) -> Entered {
    WorkspaceSolver::boxed(chain, Settings::tracking(), true).map(Some)
}

impl Solver for WorkspaceSolver {
    fn load(&mut self, targets: &[Matrix]) {
        self.targets = targets.iter().map(pose).collect();
        self.at = None;
    }

    fn solve(&mut self, target: usize, q: &mut Vec<f64>) -> Outcome {
        if self.begin(self.targets[target], q).is_err() {
            return Outcome::default();
        }
        self.workspace.run();
        self.workspace.configuration(q);
        if self.goes_on {
            match &mut self.at {
                Some(at) => at.clone_from(q),
                None => self.at = Some(q.clone()),
            }
        }
        let solution = self.workspace.solution();
        Outcome {
            is_reached: solution.is_reached(),
            iterations: Some(solution.iterations),
            starts: None,
        }
    }
}
