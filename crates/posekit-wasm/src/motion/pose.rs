//! Posing a figure by dragging a hand, a foot, the hips or the head.

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{JointKind, Skeleton};
use posekit::solve::{JointOptions, LeastSquares, Method, Settings, Workspace};
use posekit::task::{FramePose, Position, Task};
use posekit_motion::{Clip, Leg};

use super::carrier;
use super::describe::hips;
use crate::fault::{Fault, Result};

/// The stiffness of the joint that carries the body, relative to a joint of a limb: a hand is moved by its arm first.
const ROOT: f64 = 12.0;
/// The same for the joints between it and the limbs: spine, neck and clavicles.
const TRUNK: f64 = 4.0;
/// The number of iterations for a pull; while dragging, the next pull follows soon.
const ITERATIONS: u32 = 120;

/// A joint, and the target to which it is pulled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pull {
    /// The joint.
    pub joint: usize,
    /// The target.
    pub target: Target,
}

/// The target of a pull, in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// A point; the rotation is free.
    Place(DVec3),
    /// A pose.
    Pose(Pose),
}

/// The state for pulls on a figure that does not change between them.
#[derive(Debug)]
pub(super) struct Poser {
    workspace: Workspace,
    settings: Settings,
    /// The ends of the legs, which stay in place unless they are pulled.
    feet: Vec<usize>,
    carrier: Option<usize>,
    /// The handle of the body, which is fixed on its carrier.
    hips: Option<usize>,
    found: Vec<f64>,
    world: Vec<Pose>,
}

impl Poser {
    pub(super) fn new(clip: &Clip, legs: &[Leg]) -> Self {
        let carrier = carrier(clip, legs);
        let settings = Settings::default()
            .with_iterations(ITERATIONS)
            .with_joints(joints(clip.skeleton(), carrier))
            .with_least_squares(LeastSquares::default().with_restarts(0));
        Self {
            workspace: Workspace::default(),
            settings,
            feet: legs.iter().map(|leg| leg.limb.end).collect(),
            carrier,
            hips: hips(clip, legs),
            found: Vec::new(),
            world: vec![Pose::IDENTITY; clip.skeleton().n_joints()],
        }
    }

    /// Pulls.
    ///
    /// - `q`: the current configuration, in which held joints stay in place
    /// - `held`: joints that are held and stay in place; feet stay in place when the body as a whole is pulled
    pub(super) fn pull(
        &mut self,
        skeleton: &Skeleton,
        q: &[f64],
        start: &[f64],
        pulls: &[Pull],
        held: &[usize],
    ) -> Result<&[f64]> {
        let is_joint = |pull: &&Pull| pull.joint >= skeleton.n_joints();
        if let Some(pull) = pulls.iter().find(is_joint) {
            return Err(Fault::new(format!("there is no joint {}", pull.joint)));
        }
        skeleton.forward_kinematics(q, &mut self.world);
        // Hips that are far from their carrier move rigidly with it.
        let carried: Vec<Pull> = pulls.iter().filter_map(|pull| self.at_carrier(pull)).collect();
        let pulls = [pulls, &carried].concat();
        let pulls = pulls.as_slice();
        let is_body = |joint: usize| [self.carrier, self.hips].contains(&Some(joint));
        let is_pulled = |joint: usize| {
            let pulled = |above| !is_body(above) && pulls.iter().any(|pull| pull.joint == above);
            skeleton.ancestors(joint).any(pulled)
        };
        let moves_body = pulls.iter().any(|pull| Some(pull.joint) == self.carrier);
        let mut kept: Vec<usize> = held.to_vec();
        if moves_body || pulls.iter().all(|pull| !self.feet.contains(&pull.joint)) {
            kept.extend(&self.feet);
        }
        kept.sort_unstable();
        kept.dedup();
        let mut tasks: Vec<Task> = Vec::new();
        for &joint in
            kept.iter().filter(|&&joint| !is_pulled(joint) && !pulls_below(skeleton, pulls, joint))
        {
            tasks.push(Task::new(FramePose::new(skeleton.frame(joint), self.world[joint])));
        }
        for pull in pulls {
            let frame = skeleton.frame(pull.joint);
            let task = match pull.target {
                Target::Place(place) => Task::new(Position::new(frame, place)),
                Target::Pose(pose) => Task::new(FramePose::new(frame, pose)),
            };
            tasks.push(task.at_level(2));
        }
        self.workspace.begin(skeleton, start, &tasks, Method::LeastSquares, &self.settings)?;
        let solution = self.workspace.run();
        self.found.clear();
        self.found.extend_from_slice(&solution.configuration);
        Ok(&self.found)
    }
}

impl Poser {
    /// The pull on a distant carrier of the hips that corresponds to a pull on the hips.
    fn at_carrier(&self, pull: &Pull) -> Option<Pull> {
        let is_hips = self.hips == Some(pull.joint);
        let joint = self.carrier.filter(|&carrier| is_hips && carrier != pull.joint)?;
        let hips = self.world[pull.joint];
        let pose = match pull.target {
            Target::Place(place) => Pose { translation: place, ..hips },
            Target::Pose(pose) => pose,
        };
        let target = Target::Pose(pose * hips.inverse() * self.world[joint]);
        Some(Pull { joint, target })
    }
}

/// True if a descendant of a joint is pulled: then the joint is not held.
fn pulls_below(skeleton: &Skeleton, pulls: &[Pull], joint: usize) -> bool {
    pulls.iter().any(|pull| skeleton.ancestors(pull.joint).any(|above| above == joint))
}

/// The stiffness of every joint: low for limbs, higher for the trunk, highest for its carrier.
fn joints(skeleton: &Skeleton, carrier: Option<usize>) -> Vec<JointOptions> {
    let mut branches = vec![0_usize; skeleton.n_joints()];
    for joint in (0..skeleton.n_joints()).rev() {
        branches[joint] =
            skeleton.children(joint).iter().map(|&child| branches[child]).sum::<usize>().max(1);
    }
    let most = branches.iter().copied().max().unwrap_or(1);
    (0..skeleton.n_joints())
        .map(|joint| {
            let is_free = matches!(skeleton.kind(joint), JointKind::Free);
            let is_root = is_free && skeleton.parent(joint).is_none();
            let stiffness = if Some(joint) == carrier || is_root {
                ROOT
            } else if 3 * branches[joint] >= most && branches[joint] > 1 {
                TRUNK
            } else {
                1.0
            };
            JointOptions::default().with_stiffness(stiffness)
        })
        .collect()
}
