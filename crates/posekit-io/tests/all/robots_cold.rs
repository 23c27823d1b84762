//! Whole poses from anywhere: arms that others wrote go from one random configuration to the tool pose of another, with the settings as
//! they are by default, and with fewer iterations.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot set up its problem must stop, and says how many it solved"
)]

use crate::common;

use common::random_configuration;
use posekit::skeleton::{Frame, Skeleton};
use posekit::solve::{Method, Settings, Workspace};
use posekit::task::{FramePose, Task};
use posekit_io::{Limits, Warnings, urdf};

const PROBLEMS: usize = 1000;

/// File and tool of each arm.
const ARMS: [(&str, &str); 8] = [
    ("panda", "panda_link8"),
    ("ur5", "ee_link"),
    ("ur10", "ee_link"),
    ("iiwa14_primitive_collision", "iiwa_link_ee"),
    ("kuka_iiwa_pybullet", "lbr_iiwa_link_7"),
    ("fetch", "gripper_link"),
    ("pr2", "r_gripper_palm_link"),
    ("tiago", "arm_7_link"),
];

/// Solves all problems of an arm; returns the iterations of each and how many were not solved.
fn solve_all(
    name: &str,
    skeleton: &Skeleton,
    tool: Frame,
    settings: &Settings,
) -> (Vec<u32>, usize) {
    let mut workspace = Workspace::default();
    let (mut state, mut iterations, mut failed) = (1, Vec::new(), 0);
    for problem in 0..PROBLEMS {
        let truth = random_configuration(skeleton, &mut state);
        let start = random_configuration(skeleton, &mut state);
        let task = Task::new(FramePose::new(tool, tool.world(&skeleton.poses(&truth))));
        let tasks = [task];
        workspace.begin(skeleton, &start, &tasks, Method::Auto, settings).unwrap();
        let solution = workspace.run();
        let q = &solution.configuration;
        assert!(skeleton.within_limits(q, 1e-9), "{name} {problem}: limits broken");
        // Measured anew: what it says of itself is not asked.
        let miss = tasks[0].miss(skeleton, q);
        let rounding = 1.0 + 1e-6;
        let is_there = miss.distance <= solution.tolerance * rounding
            && miss.angle <= settings.angle_tolerance() * rounding;
        assert!(is_there || !solution.is_reached(), "{name} {problem}: {miss:?}");
        failed += usize::from(!is_there);
        iterations.push(solution.iterations);
    }
    (iterations, failed)
}

/// Solves the problems of all arms; of each arm so many of a thousand must be solved, and of all together.
fn solve_arms(settings: &Settings, each: usize, together: usize) {
    let Some(assets) = common::assets() else { return };
    let (mut all, mut all_failed) = (0, 0);
    for (name, tool) in ARMS {
        let path = assets.join("urdf").join(name).with_extension("urdf");
        let robot = urdf::read_file(&path, &Limits::default(), &mut Warnings::new()).unwrap();
        let tool = robot.frame(tool).unwrap();
        let (mut iterations, failed) = solve_all(name, robot.skeleton(), tool, settings);
        iterations.sort_unstable();
        let at = |per_mille: usize| iterations[(PROBLEMS - 1) * per_mille / 1000];
        let solved = PROBLEMS - failed;
        println!("{name}: {solved} of {PROBLEMS}; iterations 50 % {}, 99 % {}", at(500), at(990));
        assert!(solved * 1000 >= PROBLEMS * each, "{name}: {failed} of {PROBLEMS} not solved");
        (all, all_failed) = (all + PROBLEMS, all_failed + failed);
    }
    let solved = all - all_failed;
    assert!(solved * 1000 >= all * together, "{all_failed} of {all} not solved");
}

#[test]
fn arms_reach_whole_poses_from_anywhere() {
    solve_arms(&Settings::default(), 999, 999);
}

#[test]
fn most_are_reached_soon() {
    solve_arms(&Settings::default().with_iterations(200), 985, 997);
}
