//! A problem ready to be solved and shown: a skeleton with a tip and what it must do, or a chain of bare points.

use posekit::chain::{Chain, Goals};
use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{Frame, JointKind, Limit, Skeleton};
use posekit::solve::{Method, Settings, Solution, Workspace};
use posekit::task::{Orientation, Position, Task};

/// A problem with a name and a unit.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    /// What headings call it.
    pub(crate) title: String,
    /// Unit of its lengths, `m` or empty where the file does not say.
    pub(crate) unit: &'static str,
    /// What is to be solved.
    pub(crate) body: Body,
}

/// The two kinds of problem that the solvers know.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// Joints that turn and slide.
    Joints(Box<Rig>),
    /// Points at fixed distances.
    Points {
        /// The points, with their weights.
        chain: Chain,
        /// Where the last one must go.
        target: Vec<f64>,
    },
}

/// Where the joints come from, which decides how their values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Hinges in the plane z = 0: `angles`.
    Plane,
    /// Bones in space: `rotations`.
    Space,
    /// A robot: a `configuration` by name.
    Robot,
}

/// A skeleton, its start, its tip and what the tip must do.
#[derive(Debug, Clone)]
pub(crate) struct Rig {
    pub(crate) origin: Origin,
    pub(crate) skeleton: Skeleton,
    /// Joint values, inside the limits.
    pub(crate) start: Vec<f64>,
    pub(crate) tip: Frame,
    pub(crate) target: Option<DVec3>,
    pub(crate) orientation: Option<DQuat>,
    /// Weights of relaxation, one per joint; empty for none.
    pub(crate) weights: Vec<f64>,
}

impl Scene {
    /// Hands the problem to a workspace.
    pub(crate) fn begin(
        &self,
        workspace: &mut Workspace,
        method: Method,
        settings: &Settings,
    ) -> posekit::Result<()> {
        self.prepare(settings).begin(workspace, method)
    }

    /// What one solve hands over, made once: beginning it again and again allocates nothing.
    pub(crate) fn prepare(&self, settings: &Settings) -> Prepared<'_> {
        let mut settings = settings.clone();
        let tasks = match &self.body {
            Body::Joints(rig) => {
                settings.relaxation.weights.clone_from(&rig.weights);
                rig.tasks()
            }
            Body::Points { .. } => Vec::new(),
        };
        Prepared { body: &self.body, settings, tasks }
    }

    /// Solves to the end.
    pub(crate) fn solve(&self, method: Method, settings: &Settings) -> posekit::Result<Solution> {
        let mut workspace = Workspace::default();
        self.begin(&mut workspace, method, settings)?;
        Ok(workspace.run().clone())
    }

    /// The method that runs when this one is asked for; the same where it does not fit.
    pub(crate) fn chosen(&self, method: Method) -> Method {
        let mut workspace = Workspace::default();
        match self.begin(&mut workspace, method, &Settings::default()) {
            Ok(()) => workspace.solution().choice.method,
            Err(_) => method,
        }
    }

    /// Whether a method can solve this kind of problem.
    pub(crate) fn fits(&self, method: Method) -> bool {
        self.begin(&mut Workspace::default(), method, &Settings::default()).is_ok()
    }

    /// Coordinates per point: 2 for a chain in the plane, 3 in space and for robots.
    pub(crate) fn dimension(&self) -> usize {
        match &self.body {
            Body::Joints(rig) if rig.origin == Origin::Plane => 2,
            Body::Joints(_) => 3,
            Body::Points { chain, .. } => chain.dimension(),
        }
    }

    /// The points of the start: joints from the root, then the tip.
    pub(crate) fn start_points(&self) -> Vec<Vec<f64>> {
        match &self.body {
            Body::Joints(rig) => self.cut(&rig.points(&rig.start)),
            Body::Points { chain, .. } => chunks(chain.points(), chain.dimension()),
        }
    }

    /// The points of a solution, measured by forward kinematics where there are joints.
    pub(crate) fn solution_points(&self, solution: &Solution) -> Vec<Vec<f64>> {
        match &self.body {
            Body::Joints(rig) => self.cut(&rig.points(&solution.configuration)),
            Body::Points { chain, .. } => chunks(&solution.points, chain.dimension()),
        }
    }

    /// Points of space as the problem has them, without the third coordinate in the plane.
    pub(crate) fn cut(&self, points: &[DVec3]) -> Vec<Vec<f64>> {
        points.iter().map(|point| point.to_array()[..self.dimension()].to_vec()).collect()
    }

    /// Where the tip must go, as many numbers as there are dimensions; none when only its orientation is asked for.
    pub(crate) fn target(&self) -> Option<Vec<f64>> {
        match &self.body {
            Body::Joints(rig) => rig.target.map(|t| t.to_array()[..self.dimension()].to_vec()),
            Body::Points { target, .. } => Some(target.clone()),
        }
    }

    /// Distance from the tip to the target before solving; 0 without a target.
    pub(crate) fn start_error(&self) -> f64 {
        match (self.start_points().last(), self.target()) {
            (Some(tip), Some(target)) => distance(tip, &target),
            _ => 0.0,
        }
    }
}

/// A scene with the tasks and settings of one solve.
#[derive(Debug)]
pub(crate) struct Prepared<'a> {
    body: &'a Body,
    settings: Settings,
    tasks: Vec<Task>,
}

impl Prepared<'_> {
    /// Hands the problem to a workspace.
    pub(crate) fn begin(&self, workspace: &mut Workspace, method: Method) -> posekit::Result<()> {
        let settings = &self.settings;
        match self.body {
            Body::Joints(rig) => {
                workspace.begin(&rig.skeleton, &rig.start, &self.tasks, method, settings)
            }
            Body::Points { chain, target } => {
                let goals = Goals { effectors: &[chain.n_points() - 1], targets: target };
                workspace.begin_chain(chain, goals, method, settings)
            }
        }
    }
}

impl Rig {
    /// What must hold.
    pub(crate) fn tasks(&self) -> Vec<Task> {
        let position = self.target.map(|target| Position::new(self.tip, target).into());
        let orientation = self.orientation.map(|wanted| Orientation::new(self.tip, wanted).into());
        position.into_iter().chain(orientation).collect()
    }

    /// The joints from the root to the tip.
    pub(crate) fn path(&self) -> Vec<usize> {
        let mut path: Vec<usize> = self.skeleton.ancestors(self.tip.joint).collect();
        path.reverse();
        path
    }

    /// Those of the path that can move.
    pub(crate) fn moving(&self) -> Vec<usize> {
        let is_fixed = |joint: usize| self.skeleton.kind(joint) == JointKind::Fixed;
        self.path().into_iter().filter(|&joint| !is_fixed(joint)).collect()
    }

    /// Origins of the moving joints, then the tip.
    pub(crate) fn points(&self, q: &[f64]) -> Vec<DVec3> {
        let world_from_joint = self.skeleton.poses(q);
        let joints = self.moving().into_iter().map(|joint| world_from_joint[joint].translation);
        joints.chain([self.tip.world(&world_from_joint).translation]).collect()
    }

    /// Pose of the tip.
    pub(crate) fn tip_pose(&self, q: &[f64]) -> Pose {
        self.tip.world(&self.skeleton.poses(q))
    }

    /// Whether a joint stands at a limit (within 1e-9 rad or units).
    pub(crate) fn is_at_limit(&self, joint: usize, q: &[f64]) -> bool {
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
pub(crate) fn chunks(flat: &[f64], dimension: usize) -> Vec<Vec<f64>> {
    flat.chunks(dimension.max(1)).map(<[f64]>::to_vec).collect()
}

/// Euclidean distance.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}
