//! A problem ready to be solved and shown: a skeleton with a tip and its target, or a chain of bare points.

use posekit::chain::{Chain, Goals};
use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{Frame, JointKind, Limit, Skeleton};
use posekit::solve::{Method, Settings, Solution, Workspace};
use posekit::task::{FramePose, Orientation, Position, Task};

use crate::chain_problem::{ChainData, ChainProblem};
use crate::error::{Error, Place, Result};
use crate::warnings::Warnings;

/// A problem with a name and a unit.
#[derive(Debug, Clone)]
pub struct Scene {
    /// Its title.
    pub title: String,
    /// Unit of its lengths, `m`, or empty if unknown.
    pub unit: &'static str,
    /// The up axis in space, for pictures: z, and y for characters of glTF.
    pub up: DVec3,
    /// The problem.
    pub body: Body,
}

/// The two kinds of problems.
#[derive(Debug, Clone)]
pub enum Body {
    /// A skeleton.
    Joints(Box<Rig>),
    /// Points at fixed distances.
    Points {
        /// The points, with their weights.
        chain: Chain,
        /// The target of the last point.
        target: Vec<f64>,
    },
}

/// The source of the joints, which determines how their values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Hinges in the plane z = 0: `angles`.
    Plane,
    /// Bones in space: `rotations`.
    Space,
    /// A robot: a `configuration` by name.
    Robot,
}

/// A skeleton, its start, its tip and the tip's target.
#[derive(Debug, Clone)]
pub struct Rig {
    /// The source of the joints.
    pub origin: Origin,
    /// The joints.
    pub skeleton: Skeleton,
    /// Joint values, inside the limits.
    pub start: Vec<f64>,
    /// The frame of the tip.
    pub tip: Frame,
    /// The target position of the tip, if any \[m\].
    pub target: Option<DVec3>,
    /// The target orientation of the tip, if any.
    pub orientation: Option<DQuat>,
    /// Weights of relaxation, one per joint; empty for none.
    pub weights: Vec<f64>,
}

impl Scene {
    /// A chain problem as a scene; repairs are reported as warnings.
    ///
    /// # Errors
    /// As [`ChainProblem::to_skeleton`], except that bare points are supported here.
    pub fn from_chain(
        problem: &ChainProblem,
        title: String,
        warnings: &mut Warnings,
    ) -> Result<Self> {
        let body = if matches!(problem.chain, ChainData::Points { .. }) {
            let points = problem.to_points();
            let chain = Chain::try_new(points.dimension, &points.points)
                .and_then(|chain| chain.with_weights(&points.weights));
            let refused = |error: posekit::Error| Error::Value {
                place: Place::named("points"),
                message: error.to_string(),
            };
            Body::Points { chain: chain.map_err(refused)?, target: problem.target.clone() }
        } else {
            let model = problem.to_skeleton(warnings)?;
            let origin = if problem.dimension == 2 { Origin::Plane } else { Origin::Space };
            // The last weight is the tip's, which has no effect because the tip is held on the target.
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
        Ok(Self { title, unit: "", up: DVec3::Z, body })
    }

    /// Begins the problem in a workspace.
    ///
    /// # Errors
    /// As [`Workspace::begin`] and [`Workspace::begin_chain`].
    pub fn begin(
        &self,
        workspace: &mut Workspace,
        method: Method,
        settings: &Settings,
    ) -> posekit::Result<()> {
        self.prepare(settings).begin(workspace, method)
    }

    /// The input of one solve, prepared once: beginning it repeatedly does not allocate.
    #[must_use]
    pub fn prepare(&self, settings: &Settings) -> Prepared<'_> {
        let mut settings = settings.clone();
        if let Body::Joints(rig) = &self.body {
            for (joint, &weight) in rig.weights.iter().enumerate() {
                settings.joint(joint).weight = weight;
            }
        }
        Prepared::new(&self.body, settings)
    }

    /// Solves to the end.
    ///
    /// # Errors
    /// As [`Workspace::begin`] and [`Workspace::begin_chain`].
    pub fn solve(&self, method: Method, settings: &Settings) -> posekit::Result<Solution> {
        let mut workspace = Workspace::default();
        self.begin(&mut workspace, method, settings)?;
        Ok(workspace.run().clone())
    }

    /// The method that runs when this one is asked for; the same where it does not fit.
    pub fn chosen(&self, method: Method) -> Method {
        let mut workspace = Workspace::default();
        match self.begin(&mut workspace, method, &Settings::default()) {
            Ok(()) => workspace.solution().choice.method,
            Err(_) => method,
        }
    }

    /// Whether a method can solve this kind of problem.
    pub fn fits(&self, method: Method) -> bool {
        self.begin(&mut Workspace::default(), method, &Settings::default()).is_ok()
    }

    /// Coordinates per point: 2 for a chain in the plane, 3 in space and for robots.
    pub fn dimension(&self) -> usize {
        match &self.body {
            Body::Joints(rig) if rig.origin == Origin::Plane => 2,
            Body::Joints(_) => 3,
            Body::Points { chain, .. } => chain.dimension(),
        }
    }

    /// The points of the start: joints from the root, then the tip.
    pub fn start_points(&self) -> Vec<Vec<f64>> {
        match &self.body {
            Body::Joints(rig) => self.cut(&rig.points(&rig.start)),
            Body::Points { chain, .. } => chunks(chain.points(), chain.dimension()),
        }
    }

    /// The points of a solution, measured by forward kinematics where there are joints.
    pub fn solution_points(&self, solution: &Solution) -> Vec<Vec<f64>> {
        match &self.body {
            Body::Joints(rig) => self.cut(&rig.points(&solution.configuration)),
            Body::Points { chain, .. } => chunks(&solution.points, chain.dimension()),
        }
    }

    /// Points in the problem's dimension: without the third coordinate in the plane.
    pub fn cut(&self, points: &[DVec3]) -> Vec<Vec<f64>> {
        points.iter().map(|point| point.to_array()[..self.dimension()].to_vec()).collect()
    }

    /// The target position of the tip, one number for each dimension; empty if only its orientation has a target.
    pub fn target(&self) -> Option<Vec<f64>> {
        match &self.body {
            Body::Joints(rig) => rig.target.map(|t| t.to_array()[..self.dimension()].to_vec()),
            Body::Points { target, .. } => Some(target.clone()),
        }
    }

    /// Distance from the tip to the target before solving; 0 without a target.
    pub fn start_error(&self) -> f64 {
        match (self.start_points().last(), self.target()) {
            (Some(tip), Some(target)) => distance(tip, &target),
            _ => 0.0,
        }
    }
}

/// A problem with the tasks and settings of one solve.
#[derive(Debug, Clone)]
pub struct Prepared<'a> {
    matter: Matter<'a>,
    /// The settings, including those of the problem.
    pub settings: Settings,
    /// The tasks; empty for bare points.
    pub tasks: Vec<Task>,
}

/// The problem that is solved.
#[derive(Debug, Clone, Copy)]
enum Matter<'a> {
    Joints(&'a Rig),
    Points(&'a Chain, &'a [f64]),
}

impl<'a> Prepared<'a> {
    /// A scene with these settings.
    #[must_use]
    pub fn new(body: &'a Body, settings: Settings) -> Self {
        match body {
            Body::Joints(rig) => Self::of_rig(rig, rig.tasks(), settings),
            Body::Points { chain, target } => {
                Self { matter: Matter::Points(chain, target), settings, tasks: Vec::new() }
            }
        }
    }

    /// Joints with these tasks.
    pub(super) const fn of_rig(rig: &'a Rig, tasks: Vec<Task>, settings: Settings) -> Self {
        Self { matter: Matter::Joints(rig), settings, tasks }
    }

    /// Begins the problem in a workspace.
    ///
    /// # Errors
    /// As [`Workspace::begin`] and [`Workspace::begin_chain`].
    pub fn begin(&self, workspace: &mut Workspace, method: Method) -> posekit::Result<()> {
        let settings = &self.settings;
        match self.matter {
            Matter::Joints(rig) => {
                workspace.begin(&rig.skeleton, &rig.start, &self.tasks, method, settings)
            }
            Matter::Points(chain, target) => {
                let goals = Goals { effectors: &[chain.n_points() - 1], targets: target };
                workspace.begin_chain(chain, goals, method, settings)
            }
        }
    }
}

impl Rig {
    /// The task: a position, an orientation, or both as one pose; none without a target.
    pub fn tasks(&self) -> Vec<Task> {
        let task = match (self.target, self.orientation) {
            (Some(at), Some(turn)) => FramePose::new(self.tip, Pose::new(turn, at)).into(),
            (Some(at), None) => Position::new(self.tip, at).into(),
            (None, Some(turn)) => Orientation::new(self.tip, turn).into(),
            (None, None) => return Vec::new(),
        };
        vec![task]
    }

    /// The joints from the root to the tip.
    pub fn path(&self) -> Vec<usize> {
        let mut path: Vec<usize> = self.skeleton.ancestors(self.tip.joint).collect();
        path.reverse();
        path
    }

    /// The joints of the path that can move.
    pub fn moving(&self) -> Vec<usize> {
        let is_fixed = |joint: usize| self.skeleton.kind(joint) == JointKind::Fixed;
        self.path().into_iter().filter(|&joint| !is_fixed(joint)).collect()
    }

    /// Origins of the moving joints, then the tip.
    pub fn points(&self, q: &[f64]) -> Vec<DVec3> {
        let world_from_joint = self.skeleton.poses(q);
        let joints = self.moving().into_iter().map(|joint| world_from_joint[joint].translation);
        joints.chain([self.tip.world(&world_from_joint).translation]).collect()
    }

    /// Pose of the tip.
    pub fn tip_pose(&self, q: &[f64]) -> Pose {
        self.tip.world(&self.skeleton.poses(q))
    }

    /// Whether a joint is at a limit (within 1e-9 rad or units).
    pub fn is_at_limit(&self, joint: usize, q: &[f64]) -> bool {
        const TOUCHING: f64 = 1e-9;
        let values = &q[self.skeleton.value_range(joint)];
        let limit = self.skeleton.limit(joint);
        match (limit, values) {
            (Limit::Range { .. }, [value]) => limit.touches_value(*value, TOUCHING),
            (Limit::Cone { .. }, &[x, y, z, w]) => {
                limit.touches_rotation(DQuat::from_xyzw(x, y, z, w), TOUCHING)
            }
            _ => false,
        }
    }
}

/// Flat coordinates as points.
#[must_use]
pub fn chunks(flat: &[f64], dimension: usize) -> Vec<Vec<f64>> {
    flat.chunks(dimension.max(1)).map(<[f64]>::to_vec).collect()
}

/// Euclidean distance.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}
