//! From a problem with many tasks to a drawing: limbs, plates, rods, and a mark at every target.

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{Frame, JointKind};
use posekit::task::{Task, TaskKind};

use crate::draw::{Figure, JointMark, JointShape, PoseDrawing, Rod, SolverLook, Space, TargetMark};
use crate::figures::TaskScene;

/// The start with the targets, and the result where there is one.
pub(crate) fn drawing(scene: &TaskScene, look: SolverLook, result: Option<&[f64]>) -> PoseDrawing {
    let mut drawing = PoseDrawing::new(scene.title, Space::Up(DVec3::Z), "m", look);
    drawing.start = Some(figure(scene, &scene.start));
    drawing.result = result.map(|q| figure(scene, q));
    drawing.targets = marks(scene).into_iter().map(|(_, target)| target).collect();
    drawing.rods = scene.rods.iter().map(|&(ends, radius)| Rod { ends, radius }).collect();
    let standing = scene.plates.iter().filter(|plate| plate.joint.is_none());
    drawing.plates = standing.map(|plate| plate.corners.clone()).collect();
    drawing.azimuth_deg = Some(scene.azimuth_deg);
    drawing
}

fn figure(scene: &TaskScene, q: &[f64]) -> Figure {
    let world = scene.skeleton.poses(q);
    let limbs = scene.parts.iter();
    let carried = scene.plates.iter().filter_map(|plate| {
        let pose = world[plate.joint?];
        Some(plate.corners.iter().map(|&corner| pose.transform_point(corner)).collect())
    });
    Figure {
        bones: limbs
            .map(|part| part.ends.map(|end| world[part.joint].transform_point(end)))
            .collect(),
        radii: scene.parts.iter().map(|part| part.radii).collect(),
        joints: scene.marked.iter().map(|&joint| joint_mark(scene, joint, world[joint])).collect(),
        plates: carried.collect(),
        root: None,
        tips: marks(scene).iter().map(|(frame, _)| frame.world(&world).translation).collect(),
    }
}

fn joint_mark(scene: &TaskScene, joint: usize, pose: Pose) -> JointMark {
    let shape = match scene.skeleton.kind(joint) {
        JointKind::Revolute { axis } => JointShape::Hinge { axis: pose.rotation * axis },
        JointKind::Ball => JointShape::Ball,
        // A leg that lengthens is drawn as its two parts.
        _ => JointShape::Fixed,
    };
    JointMark::new(pose.translation, shape)
}

/// A mark for each target, with the frame that must be there. Several tasks on one frame share a mark.
fn marks(scene: &TaskScene) -> Vec<(Frame, TargetMark)> {
    let mut marks: Vec<(Frame, TargetMark)> = Vec::new();
    for named in &scene.named_tasks {
        let Some((frame, mark)) = mark(scene, &named.task) else { continue };
        match marks.iter_mut().find(|(known, _)| *known == frame) {
            Some((_, known)) => known.direction = mark.direction.or(known.direction),
            None => marks.push((frame, mark)),
        }
    }
    marks
}

fn mark(scene: &TaskScene, task: &Task) -> Option<(Frame, TargetMark)> {
    let point = TargetMark::point;
    Some(match &task.kind {
        TaskKind::Position(task) => (task.frame, point(task.target_in_world)),
        TaskKind::Pose(task) => {
            let Pose { rotation, translation } = task.world_from_target;
            (task.frame, TargetMark { rotation: Some(rotation), ..point(translation) })
        }
        TaskKind::LookAt(task) => {
            (task.frame, TargetMark { is_seen: true, ..point(task.target_in_world) })
        }
        TaskKind::AxisAlignment(task) => {
            // A direction has no position: it is shown at the initial position of the frame, unless another task gives one.
            let at = task.frame.world(&scene.skeleton.poses(&scene.start)).translation;
            (task.frame, TargetMark { direction: Some(task.direction_in_world), ..point(at) })
        }
        _ => return None,
    })
}
