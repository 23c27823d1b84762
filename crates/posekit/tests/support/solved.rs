//! Solves by least squares whose every answer is checked, and a tool that is easy to think of.

use posekit::glam::DVec3;
use posekit::skeleton::{Frame, Joint, Skeleton};
use posekit::solve::{Method, Settings, Solution, solve};
use posekit::task::{Task, TaskKind};

/// Solves; what is reported of misses and limits must be so.
pub(crate) fn least(
    skeleton: &Skeleton,
    start: &[f64],
    tasks: &[Task],
    settings: &Settings,
) -> Solution {
    let solution = solve(skeleton, start, tasks, Method::LeastSquares, settings);
    let solution = solution.expect("the tasks are valid");
    let q = &solution.configuration;
    assert!(q.iter().all(|x| x.is_finite()), "not finite: {q:?}");
    assert!(skeleton.within_limits(q, 1e-9), "limits broken: {q:?}");
    for (reported, task) in solution.misses.iter().zip(tasks) {
        let miss = task.miss(skeleton, q);
        let off = (reported.distance - miss.distance).abs() / (1.0 + miss.distance);
        // A frame that stands on what it looks at (one can be driven there) looks nowhere in particular.
        let is_blind = matches!(&task.kind, TaskKind::LookAt(task)
            if task.frame.world(&skeleton.poses(q)).translation.distance(task.target_in_world) < 1e-6);
        let is_same = (reported.angle - miss.angle).abs() < 1e-7 || is_blind;
        assert!(off < 1e-9 && is_same, "{reported:?} is {miss:?}");
    }
    solution
}

pub(crate) fn defaults(skeleton: &Skeleton, start: &[f64], tasks: &[Task]) -> Solution {
    least(skeleton, start, tasks, &Settings::default())
}

/// A tool that slides along x, y and z.
pub(crate) fn gantry() -> (Skeleton, Frame) {
    let slide = |name: &str, axis| Joint::prismatic(name, axis);
    let joints = vec![
        slide("x", DVec3::X),
        slide("y", DVec3::Y).child_of(0),
        slide("z", DVec3::Z).child_of(1),
    ];
    let skeleton = Skeleton::try_new(joints).expect("the slides are valid");
    let tool = skeleton.frame(2);
    (skeleton, tool)
}
