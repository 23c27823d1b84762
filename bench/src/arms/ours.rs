//! posekit's solvers.

use anyhow::{Context, Result};
use posekit::arm::{Arm, ArmSettings, Prefer};
use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{Frame, Skeleton};
use posekit::solve::{Method, Settings, Workspace};
use posekit::task::{FramePose, Task, TaskKind};
use posekit_io::{Warnings, urdf};

use super::TOLERANCE;
use super::chain::{Chain, TIP};
use super::matrix::Matrix;
use super::solver::{Contender, Entered, Outcome, Solver};

/// The first is what the others are compared with.
pub const COLD: [Contender; 4] = [
    Contender { name: "posekit `Arm::solve`, first", enter: first },
    Contender { name: "posekit `Arm::solve`, nearest", enter: nearest },
    Contender { name: "posekit `Arm::solutions`", enter: solutions },
    Contender { name: "posekit `Workspace`", enter: workspace },
];

/// Those that follow a line.
pub const WARM: [Contender; 2] = [
    Contender { name: "posekit `Arm`", enter: tracking_arm },
    Contender { name: "posekit `Workspace::set_target`", enter: tracking_workspace },
];

/// A chain as posekit has it.
#[derive(Debug, Clone)]
pub struct Model {
    /// All joints, in the order of the chain.
    pub skeleton: Skeleton,
    /// The tool.
    pub tool: Frame,
}

impl Model {
    /// Reads what the peers read.
    ///
    /// # Errors
    /// When posekit does not read it.
    pub fn new(chain: &Chain) -> Result<Self> {
        let robot = urdf::read(&chain.urdf()?, &mut Warnings::new())?;
        let tool = robot.frame(TIP).context("no tool")?;
        Ok(Self { skeleton: robot.into_skeleton(), tool })
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
        let Model { skeleton, tool } = Model::new(chain)?;
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

/// One target after another, each from the answer to the last: the place where following a path as a whole is to be entered.
fn tracking_arm(chain: &Chain) -> Entered {
    first(chain)
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

struct AllSolver {
    of: ArmSolver,
    all: Vec<Vec<f64>>,
}

fn solutions(chain: &Chain) -> Entered {
    let of = ArmSolver::new(chain, Prefer::Nearest)?;
    Ok(Some(Box::new(AllSolver { of, all: Vec::new() })))
}

impl Solver for AllSolver {
    fn load(&mut self, targets: &[Matrix]) {
        self.of.load(targets);
    }

    fn solve(&mut self, target: usize, q: &mut Vec<f64>) -> Outcome {
        let ArmSolver { arm, settings, targets } = &self.of;
        self.all = arm.solutions(targets[target], q, settings).unwrap_or_default();
        if let Some(nearest) = self.all.first() {
            q.clone_from(nearest);
        }
        Outcome { is_reached: !self.all.is_empty(), ..Outcome::default() }
    }

    fn all(&self) -> Option<&[Vec<f64>]> {
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
