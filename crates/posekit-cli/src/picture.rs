//! From a solved scene to a drawing: bones, joints with their limits, and the path from the start to the result.

use core::f64::consts::TAU;

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, rotation_about};
use posekit::skeleton::{JointKind, Limit};
use posekit::solve::{Method, Solution};
use posekit::task::TaskKind;
use posekit_io::problem::{Body, FigureScene, Origin, Rig, Scene, step_points};

use crate::draw::{
    ErrorCurve, Figure, JointMark, JointShape, LimitMark, PoseDrawing, Rod, SolverLook, Space,
    TargetMark,
};
use crate::report::escape;

/// The pose before and after, with the target, and the recorded trace.
pub(crate) fn drawing(scene: &Scene, method: Method, solution: &Solution) -> PoseDrawing {
    let mut drawing = before(scene, SolverLook::of(method.name()));
    let way: Vec<Vec<DVec3>> = match &scene.body {
        Body::Joints(rig) => {
            drawing.result = Some(rig_figure(rig, &solution.configuration));
            solution.trace.iter().map(|step| step_points(rig, method, step)).collect()
        }
        Body::Points { chain, .. } => {
            let n = chain.dimension();
            drawing.result = Some(Figure::from_points(&flat_points(&solution.points, n)));
            solution.trace.iter().map(|step| flat_points(&step.points, n)).collect()
        }
    };
    let start = drawing.start.as_ref().map(|figure| figure.tips.clone());
    let result = drawing.result.as_ref().map(|figure| figure.tips.clone());
    let tips = way.iter().filter_map(|points| points.last().copied());
    let ends = [start, result].map(Option::unwrap_or_default);
    drawing.trail = ends[0].iter().copied().chain(tips).chain(ends[1].iter().copied()).collect();
    let between = way.len().saturating_sub(1);
    drawing.ghosts = way[..between].iter().map(|points| bones(points)).collect();
    drawing
}

/// The pose before, alone.
pub(crate) fn before(scene: &Scene, look: SolverLook) -> PoseDrawing {
    let mut drawing = PoseDrawing::new(&scene.title, space(scene), scene.unit, look);
    match &scene.body {
        Body::Joints(rig) => {
            drawing.start = Some(rig_figure(rig, &rig.start));
            // A target orientation without a position is shown at the tip.
            let at = rig.target.unwrap_or_else(|| rig.tip_pose(&rig.start).translation);
            drawing.targets =
                vec![TargetMark { rotation: rig.orientation, ..TargetMark::point(at) }];
        }
        Body::Points { chain, target } => {
            let n = chain.dimension();
            drawing.start = Some(Figure::from_points(&flat_points(chain.points(), n)));
            drawing.targets = vec![TargetMark::point(shown(target))];
        }
    }
    drawing
}

/// The obstacles of a figure, and its own capsules in a pose. A capsule of several tasks is drawn once.
pub(crate) fn add_capsules(drawing: &mut PoseDrawing, figure: &FigureScene, q: &[f64]) {
    let world = figure.rig.skeleton.poses(q);
    for task in &figure.tasks {
        let TaskKind::Clearance(clearance) = &task.kind else { continue };
        for capsule in clearance.capsules {
            let (list, ends) = match capsule.joint {
                Some(joint) => {
                    let place = |end: DVec3| world[joint].transform_point(end);
                    (&mut drawing.hulls, capsule.ends.map(place))
                }
                None => (&mut drawing.obstacles, capsule.ends),
            };
            let rod = Rod { ends, radius: capsule.radius };
            if !list.contains(&rod) {
                list.push(rod);
            }
        }
    }
}

/// Error before the first iteration and after each one.
pub(crate) fn error_curve(scene: &Scene, method: Method, solution: &Solution) -> ErrorCurve {
    ErrorCurve {
        solver: method.name().to_owned(),
        look: SolverLook::of(method.name()),
        values: error_values(scene.start_error(), solution),
        escaped_at: escape(solution).map(|(at, _)| at),
    }
}

/// The given error before the first iteration, and the error after each one.
pub(crate) fn error_values(before: f64, solution: &Solution) -> Vec<f64> {
    let mut values = vec![before];
    for step in &solution.trace {
        // An escape may take several iterations at once: the error is constant in between.
        let at = usize::try_from(step.iteration).unwrap_or(usize::MAX);
        let before = values.last().copied().unwrap_or(0.0);
        while values.len() < at {
            values.push(before);
        }
        match values.get_mut(at) {
            Some(value) => *value = step.error,
            None => values.push(step.error),
        }
    }
    values
}

/// Plane or space, and the up direction.
fn space(scene: &Scene) -> Space {
    if scene.dimension() <= 2 { Space::Plane } else { Space::Up(scene.up) }
}

/// The first three coordinates of a point, which can be drawn.
fn shown(point: &[f64]) -> DVec3 {
    let coordinate = |axis: usize| point.get(axis).copied().unwrap_or(0.0);
    DVec3::new(coordinate(0), coordinate(1), coordinate(2))
}

fn flat_points(flat: &[f64], dimension: usize) -> Vec<DVec3> {
    flat.chunks(dimension.max(1)).map(shown).collect()
}

fn bones(points: &[DVec3]) -> Vec<[DVec3; 2]> {
    points.windows(2).map(|pair| [pair[0], pair[1]]).collect()
}

/// The drawing of a skeleton: the whole tree as bones, and marks at the joints that move the tip.
fn rig_figure(rig: &Rig, q: &[f64]) -> Figure {
    let world = rig.skeleton.poses(q);
    let tip = rig.tip.world(&world).translation;
    let path = rig.path();
    let mut bones: Vec<[DVec3; 2]> = (0..rig.skeleton.n_joints())
        .filter_map(|joint| {
            let parent = rig.skeleton.parent(joint)?;
            Some([world[parent].translation, world[joint].translation])
        })
        .collect();
    bones.push([world[rig.tip.joint].translation, tip]);
    let ends = path.iter().skip(1).map(|&joint| world[joint].translation).chain([tip]);
    let joints = path
        .iter()
        .zip(ends)
        .filter(|&(&joint, _)| rig.skeleton.kind(joint) != JointKind::Fixed)
        .map(|(&joint, end)| joint_mark(rig, q, &world, (joint, end)))
        .collect();
    let root = path.first().map(|&joint| world[joint].translation);
    Figure { bones, joints, radii: Vec::new(), plates: Vec::new(), root, tips: vec![tip] }
}

fn joint_mark(rig: &Rig, q: &[f64], world: &[Pose], (joint, end): (usize, DVec3)) -> JointMark {
    let pose = world[joint];
    let turned = |axis: DVec3| pose.rotation * axis;
    let shape = match rig.skeleton.kind(joint) {
        // Every hinge of a plane figure points at the viewer, so its axis is not drawn.
        JointKind::Revolute { .. } if rig.origin == Origin::Plane => JointShape::Plain,
        JointKind::Revolute { axis } => JointShape::Hinge { axis: turned(axis) },
        JointKind::Prismatic { axis } => JointShape::Prismatic { axis: turned(axis) },
        JointKind::Ball | JointKind::Free => JointShape::Ball,
        _ => JointShape::Fixed,
    };
    JointMark {
        at: pose.translation,
        shape,
        limit: limit_mark(rig, q, pose, (joint, end)),
        at_limit: rig.is_at_limit(joint, q),
    }
}

/// A limit in the current pose; `None` for a range of a full turn.
fn limit_mark(rig: &Rig, q: &[f64], pose: Pose, (joint, end): (usize, DVec3)) -> Option<LimitMark> {
    let values = &q[rig.skeleton.value_range(joint)];
    match (rig.skeleton.kind(joint), rig.skeleton.limit(joint), values) {
        (JointKind::Revolute { axis }, Limit::Range { min, max }, [value]) => {
            let span = max - min;
            if span.is_nan() || span >= TAU {
                return None;
            }
            let axis = pose.rotation * axis;
            let bone = end - pose.translation;
            let from = rotation_about(axis, min - value) * bone;
            Some(LimitMark::Range { axis, from, span, value: value - min })
        }
        (JointKind::Ball, Limit::Cone { axis, swing, .. }, values) => {
            let [.., x, y, z, w] = values else { return None };
            let motion = DQuat::from_xyzw(*x, *y, *z, *w);
            let rest = pose.rotation * motion.conjugate();
            Some(LimitMark::Cone { axis: rest * axis, swing })
        }
        _ => None,
    }
}
