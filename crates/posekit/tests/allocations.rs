//! After one solve, a workspace allocates nothing: not for a new problem of the same size, a step, a run, a rescue or a new target.

mod counting;
mod support;

use counting::allocations;
use posekit::arm::{Arm, ArmSettings, Prefer};
use posekit::chain::{Chain, Goals};
use posekit::glam::DVec3;
use posekit::math::{Pose, rotation_about};
use posekit::skeleton::{Frame, Joint, Limit, Mimic, Skeleton};
use posekit::solve::{JointOptions, LeastSquares, Method, Progress, Settings, Status, Workspace};
use posekit::task::{
    Clearance, Distance, FramePose, LookAt, Orientation, Plane, Position, Posture, Support, Task,
};
use support::person::{bodies, capsules, eyes, foot, hand, person};
use support::{Rng, limb, plane_limb, problems, space_limb};

/// A problem on a skeleton, with other targets for its position tasks.
struct Problem {
    name: &'static str,
    skeleton: Skeleton,
    start: Vec<f64>,
    tasks: Vec<Task>,
    retargets: Vec<Vec<f64>>,
}

impl Problem {
    fn new(
        name: &'static str,
        (skeleton, tip): (Skeleton, Frame),
        start: Vec<f64>,
        targets: [DVec3; 3],
    ) -> Self {
        let tasks = vec![Position::new(tip, targets[0]).into()];
        let retargets = targets[1..].iter().map(|t| t.to_array().to_vec()).collect();
        Self { name, skeleton, start, tasks, retargets }
    }

    /// Everything that a frame does.
    fn run(&self, workspace: &mut Workspace, method: Method, settings: &Settings) {
        let begun = workspace.begin(&self.skeleton, &self.start, &self.tasks, method, settings);
        begun.expect("the method suits the problem");
        if workspace.step() == Progress::Continuing {
            let _ = workspace.run();
        }
        let _ = workspace.solution();
        for targets in &self.retargets {
            workspace.retarget(targets).expect("the targets fit");
            let _ = workspace.run_while(|_| true);
        }
    }

    fn assert_no_allocation(&self, method: Method, settings: &Settings) {
        let mut workspace = Workspace::default();
        self.run(&mut workspace, method, settings);
        let made = allocations(|| self.run(&mut workspace, method, settings));
        assert_eq!(made, 0, "{} by {}", self.name, method.name());
    }
}

fn problems() -> Vec<Problem> {
    let (near, far) = (DVec3::new(1.0, 2.0, 0.0), DVec3::new(9.9, 0.3, 0.0));
    let line = DVec3::new(5.0, 0.0, 0.0);
    let range = Limit::Range { min: -1.2, max: 1.2 };
    let narrow = Limit::Range { min: 0.0, max: 0.1 };
    let cone = Limit::Cone { axis: DVec3::X, swing: 0.7, twist: [-0.3, 0.3] };
    let hinge = |limit| move |name: String| Joint::revolute(name, DVec3::Z).with_limit(limit);
    let balls = |n: usize| [0.0, 0.0, 0.0, 1.0].repeat(n);
    let bones = [1.0; 10];
    let turning = |name: String| {
        let axis = if name.ends_with(['1', '3', '5', '7', '9']) { DVec3::Y } else { DVec3::Z };
        Joint::revolute(name, axis).with_limit(range)
    };
    vec![
        Problem::new("free plane limb", plane_limb(&bones), vec![0.1; 10], [near, far, near]),
        Problem::new("straight plane limb", plane_limb(&bones), vec![0.0; 10], [line, far, near]),
        Problem::new(
            "plane limb out of reach",
            plane_limb(&bones),
            vec![0.1; 10],
            [far * 3.0, near, far * 2.0],
        ),
        Problem::new("free limb in space", space_limb(&bones), balls(10), [line, far, near]),
        Problem::new("ranges", limb(&bones, hinge(range)), vec![0.0; 10], [line, far, near]),
        Problem::new("ranges in space", limb(&bones, turning), vec![0.0; 10], [line, far, near]),
        Problem::new(
            "ranges that block",
            limb(&bones, hinge(narrow)),
            vec![0.0; 10],
            [-line, -near, line],
        ),
        Problem::new(
            "cones",
            limb(&bones, |n| Joint::ball(n).with_limit(cone)),
            balls(10),
            [line, far, near],
        ),
        Problem::new(
            "cones that block",
            limb(&[1.0; 3], |n| Joint::ball(n).with_limit(cone)),
            balls(3),
            [-near, near, -near],
        ),
        tree(),
        framed(),
        mimicking(),
    ]
}

/// Two arms on a stem, with limits.
fn tree() -> Problem {
    let range = Limit::Range { min: -2.0, max: 2.0 };
    let bone = Pose::from_translation(DVec3::X);
    let hinge = |name: &str| Joint::revolute(name, DVec3::Z).with_limit(range);
    let skeleton = Skeleton::try_new(vec![
        hinge("stem"),
        hinge("left").child_of(0).at(bone),
        hinge("left hand").child_of(1).at(bone),
        hinge("right").child_of(0).at(bone),
        hinge("right hand").child_of(3).at(bone),
    ]);
    let at = |joint, x, y| Position::new(Frame::new(joint, bone), DVec3::new(x, y, 0.0)).into();
    Problem {
        name: "tree",
        skeleton: skeleton.expect("the tree is valid"),
        start: vec![0.0; 5],
        tasks: vec![at(2, 1.5, 1.5), at(4, 1.5, -1.5)],
        retargets: vec![vec![0.0, 2.9, 0.0, 0.0, -2.9, 0.0], vec![2.0, 1.0, 0.0, 2.0, 0.2, 0.0]],
    }
}

/// A place and an orientation for one hand.
fn framed() -> Problem {
    let (skeleton, tip) = space_limb(&[1.0, 0.8, 0.5, 0.3]);
    let place = Position::new(tip, DVec3::new(1.0, 1.0, 0.5)).into();
    let turn = Orientation::new(tip, rotation_about(DVec3::Y, 1.0)).into();
    let retargets = vec![vec![-1.0, 0.5, 0.2], vec![1.5, 1.0, 0.0]];
    Problem {
        name: "pose",
        start: skeleton.neutral(),
        skeleton,
        tasks: vec![place, turn],
        retargets,
    }
}

/// A finger whose joints bend together.
fn mimicking() -> Problem {
    let range = Limit::Range { min: -1.5, max: 1.5 };
    let bone = Pose::from_translation(DVec3::X);
    let mimic = Mimic { joint: 1, multiplier: 0.8, offset: 0.0 };
    let hinge = |name: &str| Joint::revolute(name, DVec3::Z).with_limit(range);
    let skeleton = Skeleton::try_new(vec![
        hinge("knuckle"),
        hinge("middle").child_of(0).at(bone),
        hinge("end").child_of(1).at(bone).with_mimic(mimic),
        Joint::prismatic("nail", DVec3::X).with_limit(range).child_of(2).at(bone),
    ]);
    let skeleton = skeleton.expect("the finger is valid");
    let tip = Frame::new(3, bone);
    let start = skeleton.neutral();
    let targets =
        [DVec3::new(1.5, 1.5, 0.0), DVec3::new(3.5, 0.2, 0.0), DVec3::new(-1.0, 0.4, 0.0)];
    Problem::new("mimics", (skeleton, tip), start, targets)
}

/// All that take any joints, and the choice among all.
const METHODS: [Method; 5] =
    [Method::Auto, Method::Ccd, Method::Fabrik, Method::Relaxation, Method::LeastSquares];

#[test]
fn skeletons_by_every_iterative_method() {
    for problem in problems() {
        for method in METHODS {
            problem.assert_no_allocation(method, &Settings::default());
            let classic = Settings::default().with_classic(true).with_iterations(20);
            problem.assert_no_allocation(method, &classic);
            let n = problem.skeleton.n_joints();
            let weighted = Settings::default().with_joints(vec![
                JointOptions::default()
                    .with_share(0.5)
                    .with_weight(0.5);
                n
            ]);
            problem.assert_no_allocation(method, &weighted);
            let exact = Settings::default().with_tolerance(0.0).with_iterations(60);
            problem.assert_no_allocation(method, &exact);
        }
    }
}

/// A person on both feet who reaches with one hand, holds a rope with both and looks there, in balance, without touching itself, and at ease.
fn figure(target: DVec3) -> Problem {
    let skeleton = person();
    let start = skeleton.neutral();
    let poses = skeleton.poses(&start);
    let soles = [0, 1].map(|side| foot(side).world(&poses));
    let corners = soles.map(|sole| sole.translation);
    let ahead = [DVec3::X * 0.15, DVec3::X * -0.1];
    let corners: Vec<DVec3> = corners.iter().flat_map(|c| ahead.map(|by| *c + by)).collect();
    let support = Support::try_new(bodies(), &corners, DVec3::Z, 0.01);
    let mut tasks: Vec<Task> = vec![
        FramePose::new(foot(0), soles[0]).into(),
        FramePose::new(foot(1), soles[1]).into(),
        Position::new(hand(0), target).into(),
        Distance::between([hand(0), hand(1)], 0.0, 0.6).into(),
        Plane::new(hand(1), DVec3::ZERO, DVec3::Z).one_sided().into(),
        support.expect("the corners are finite").into(),
        Task::new(LookAt::new(eyes(), DVec3::X, target)).at_level(2),
        Task::new(Posture::new(start.clone())).at_level(3),
    ];
    let clear = Clearance::all_pairs(&skeleton, &capsules(), 0.01);
    tasks.extend(clear.into_iter().map(Task::from));
    Problem { name: "figure", skeleton, start, tasks, retargets: Vec::new() }
}

/// After one problem of a size, others of that size allocate nothing: targets near, far and out of reach, all settings.
#[test]
fn figures_by_least_squares() {
    let targets = [[0.5, 0.2, 0.3], [0.3, -0.3, -0.4], [3.0, 1.0, 2.0], [0.4, 0.1, 0.6]];
    let problems = targets.map(|target| figure(DVec3::from_array(target)));
    let n = problems[0].skeleton.n_joints();
    let least_squares = LeastSquares::default().with_regularisation(1e-3);
    let joints = (0..n).map(|joint| {
        JointOptions::default()
            .with_locked([4, 8].contains(&joint))
            .with_stiffness(1.0 + joint as f64)
            .with_largest_change(0.4)
            .with_pre_pulled(joint == 0)
    });
    let all = Settings::default().with_least_squares(least_squares).with_joints(joints);
    for settings in [Settings::default(), all] {
        for method in [Method::LeastSquares, Method::Auto] {
            let mut workspace = Workspace::default();
            problems[2].run(&mut workspace, method, &settings);
            for (k, problem) in problems.iter().enumerate() {
                let made = allocations(|| problem.run(&mut workspace, method, &settings));
                assert_eq!(made, 0, "target {k} by {}", method.name());
            }
        }
    }
}

#[test]
fn free_limbs_by_the_direct_method() {
    for problem in problems().iter().filter(|problem| problem.name.contains("limb")) {
        problem.assert_no_allocation(Method::Direct, &Settings::default());
    }
}

#[test]
fn two_bones_in_closed_form() {
    let targets =
        [DVec3::new(1.0, 1.0, 0.0), DVec3::new(0.1, -0.4, 0.0), DVec3::new(3.0, 0.0, 0.0)];
    let knee = Limit::Range { min: 0.0, max: 2.0 };
    let bones = [1.0, 0.8];
    let hinge = |name| Joint::revolute(name, DVec3::Z);
    let problems = [
        Problem::new("hinges", plane_limb(&bones), vec![0.2; 2], targets),
        Problem::new("balls", space_limb(&bones), [0.0, 0.0, 0.0, 1.0].repeat(2), targets),
        Problem::new("a range", limb(&bones, |n| hinge(n).with_limit(knee)), vec![0.2; 2], targets),
    ];
    for problem in problems {
        problem.assert_no_allocation(Method::TwoBone, &Settings::default());
        problem.assert_no_allocation(Method::Auto, &Settings::default());
    }
}

#[test]
fn chains_by_every_method() {
    let path = Chain::try_straight(3, &[1.0; 12]).expect("the chain is valid");
    let points = [0., 0., 0., 0., 1., 0., 0., 0., 2., 0.1, 0., 0., 2., 0., 0.1, 0.];
    let branched = Chain::try_tree(4, &points, &[0, 0, 1, 1]).expect("the tree is valid");
    let one = [[3.0, 4.0, 1.0], [8.0, 0.0, 0.0], [20.0, 1.0, 0.0]];
    let two = [[1.2, 0.9, 0.1, 0.0, 1.2, 0.0, 0.0, 0.9], [0.0, 1.9, 0.1, 0.0, 0.0, 1.9, 0.0, 0.1]];
    let frame = |workspace: &mut Workspace, method, classic| {
        let settings = Settings::default().with_classic(classic).with_iterations(50);
        let goals = Goals { effectors: &[12], targets: &one[0] };
        workspace.begin_chain(&path, goals, method, &settings).expect("the chain suits all");
        let _ = workspace.run();
        for target in &one[1..] {
            workspace.retarget(target).expect("the target fits");
            let _ = workspace.run();
        }
        if method != Method::Direct {
            let goals = Goals { effectors: &[2, 3], targets: &two[0] };
            workspace.begin_chain(&branched, goals, method, &settings).expect("the tree suits");
            let _ = workspace.run();
            workspace.retarget(&two[1]).expect("the targets fit");
            let _ = workspace.run();
        }
    };
    for method in [Method::Auto, Method::Direct, Method::Fabrik, Method::Relaxation] {
        for classic in [false, true] {
            let mut workspace = Workspace::default();
            frame(&mut workspace, method, classic);
            let made = allocations(|| frame(&mut workspace, method, classic));
            assert_eq!(made, 0, "{}, classic {classic}", method.name());
        }
    }
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1_u8; 100]))), 1);
    // And what must be covered does happen: some of the problems above block, and some need a rescue.
    let (mut blocked, mut rescued) = (0, 0);
    for problem in problems() {
        let mut workspace = Workspace::default();
        let settings = Settings::default();
        let begun = workspace.begin(
            &problem.skeleton,
            &problem.start,
            &problem.tasks,
            Method::Ccd,
            &settings,
        );
        begun.expect("the method suits the problem");
        let solution = workspace.run();
        blocked += usize::from(matches!(solution.status, Status::Blocked { .. }));
        rescued += usize::from(solution.escaped_at.is_some());
    }
    assert!(blocked > 0 && rescued > 2, "{blocked} blocked, {rescued} rescued");
}

/// A random problem solved again, its targets moved, allocates nothing, whatever it is made of.
#[test]
fn random_problems_allocate_nothing_the_second_time() {
    for seed in 0..300 {
        let rng = &mut Rng::new(seed);
        let (n_joints, n_tasks) = (rng.whole(1, 12), rng.whole(1, 4));
        let traits = u32::try_from(rng.below(1 << 24)).expect("24 bits");
        let problem = problems::Problem::new(problems::Recipe { seed, n_joints, n_tasks, traits });
        for method in Method::ALL {
            let mut workspace = Workspace::default();
            let mut refused = 0;
            let mut run = || {
                refused = usize::from(!problem.begin(&mut workspace, method));
                if refused == 0 {
                    let _ = workspace.run();
                    for (k, task) in problem.other_tasks.iter().enumerate() {
                        refused += usize::from(workspace.set_target(k, &task.kind).is_err());
                    }
                    let _ = workspace.run();
                }
            };
            run();
            let made = allocations(&mut run);
            // An error is a box.
            assert_eq!(made, refused as u64, "{:?} by {}", problem.recipe, method.name());
        }
    }
}

#[test]
fn arms_allocate_nothing() {
    let arm = support::arms::Arm::new(&support::arms::IIWA);
    let rng = &mut Rng::new(1);
    let tool = Arm::new(&arm.skeleton, arm.flange).expect("an arm");
    for prefer in [Prefer::First, Prefer::Nearest, Prefer::Posture, Prefer::Manipulability] {
        let settings = ArmSettings::default().with_prefer(prefer);
        let (mut q, goal) = (arm.configuration(rng), arm.configuration(rng));
        let far = Pose::from_translation(DVec3::X * 9.0);
        for target in [arm.at(&goal), far] {
            let made = allocations(|| {
                tool.solve(target, &mut q, &settings).expect("sound input");
                tool.step(target, &mut q, 0.002, &settings).expect("sound input");
            });
            assert_eq!(made, 0, "{prefer:?}");
        }
    }
}

#[test]
fn closed_forms_of_arms_allocate_nothing() {
    let limit = Limit::Range { min: -3.0, max: 3.0 };
    // A shoulder, an elbow, and a wrist of three axes; with another axis in the upper arm there are seven.
    for axes in [&[2, 1, 1, 0, 1, 0][..], &[2, 1, 0, 1, 0, 1, 0]] {
        let mut builder = Skeleton::builder();
        let mut last = None;
        for (i, &axis) in axes.iter().enumerate() {
            let is_long = [axes.len() - 4, axes.len() - 3].contains(&i);
            let along = DVec3::X * if is_long { 0.4 } else { 0.0 };
            let joint = Joint::revolute(format!("joint{i}"), DVec3::AXES[axis]).with_limit(limit);
            let joint = joint.at(Pose::from_translation(along));
            last =
                Some(builder.add(if let Some(last) = last { joint.child_of(last) } else { joint }));
        }
        let skeleton = builder.build().expect("an arm");
        let tool = Pose::from_translation(DVec3::X * 0.1);
        let tool = Frame::new(last.expect("the arm has joints"), tool);
        let arm = Arm::new(&skeleton, tool).expect("an arm");
        assert!(arm.family().is_some(), "{} joints have a closed form", axes.len());
        let mut q: Vec<f64> = (0..axes.len()).map(|i| 0.3 + 0.2 * i as f64).collect();
        let near = tool.world(&skeleton.poses(&q));
        let far = Pose::from_translation(DVec3::X * 3.0);
        let start = q.clone();
        let mut workspace = Workspace::default();
        let mut solve = |target: Pose| {
            let tasks = [FramePose::new(tool, target).into()];
            let settings = Settings::default();
            workspace.begin(&skeleton, &start, &tasks, Method::Auto, &settings).expect("valid");
            let _ = workspace.run();
        };
        [near, far].into_iter().for_each(&mut solve);
        let made = allocations(|| [far, near].into_iter().for_each(&mut solve));
        assert_eq!(made, 0, "{} joints in a workspace", axes.len());
        for prefer in [Prefer::Nearest, Prefer::First] {
            let mut settings = ArmSettings::default();
            settings.prefer = prefer;
            for target in [near, far] {
                let made = allocations(|| {
                    let _ = arm.solve(target, &mut q, &settings).expect("sound input");
                });
                assert_eq!(made, 0, "{prefer:?}, {} joints", axes.len());
            }
        }
    }
}
