//! The pictures of `docs/tasks.md`: one small problem for each kind of task, solved and drawn. The test below keeps them up to date;
//! `cargo xtask bless` redraws them.

use core::f64::consts::{FRAC_PI_2, FRAC_PI_3, FRAC_PI_4};
use std::path::Path;
use std::{env, fs};

use posekit::glam::DVec3;
use posekit::math::{Pose, rotation_about};
use posekit::skeleton::{Frame, Joint, Skeleton};
use posekit::solve::{Method, Settings, solve};
use posekit::task::{
    Axes, AxisAlignment, Body, Capsule, CenterOfMass, Clearance, Closure, Distance, FramePose,
    Link, LookAt, Orientation, Plane, Pole, Position, Posture, RelativePose, Support, Task,
    center_of_mass,
};

use crate::draw::{
    Figure, JointMark, JointShape, PoseDrawing, Rod, SolverLook, Space, TargetMark, strip_svg,
};

/// A figure of hinges in the plane, with its joints and tips.
struct Plan {
    skeleton: Skeleton,
    start: Vec<f64>,
    tips: Vec<Frame>,
}

/// The surroundings of a figure and its tasks.
#[derive(Default)]
struct Sheet {
    tasks: Vec<Task>,
    targets: Vec<TargetMark>,
    rods: Vec<Rod>,
    /// Mark the centre of mass instead of the tips.
    bodies: Vec<Body>,
    /// Draw a rod between the tips of the result.
    is_joined: bool,
    /// The target has no position: show it at the final position of the tip.
    is_placeless: bool,
}

const BONE: f64 = 0.3;

fn point(x: f64, y: f64) -> DVec3 {
    DVec3::new(x, y, 0.0)
}

fn along(length: f64) -> Pose {
    Pose::from_translation(DVec3::X * length)
}

fn about_z(angle: f64) -> Pose {
    Pose::from_rotation(rotation_about(DVec3::Z, angle))
}

/// Hinges one after the other, bent by these angles.
fn chain(start: &[f64]) -> Plan {
    let mut builder = Skeleton::builder();
    let mut last = builder.add(Joint::revolute("1", DVec3::Z));
    for k in 1..start.len() {
        let hinge = Joint::revolute(format!("{}", k + 1), DVec3::Z);
        last = builder.add(hinge.child_of(last).at(along(BONE)));
    }
    let skeleton = builder.build().unwrap();
    Plan { skeleton, start: start.to_vec(), tips: vec![Frame::new(last, along(BONE))] }
}

/// A trunk of one bone with two arms of two.
fn two_arms() -> Plan {
    let mut builder = Skeleton::builder();
    let trunk = builder.add(Joint::revolute("trunk", DVec3::Z).at(about_z(FRAC_PI_2)));
    let mut tips = Vec::new();
    for (side, turn) in [("left", 0.9), ("right", -0.9)] {
        let shoulder = Joint::revolute(format!("{side} shoulder"), DVec3::Z);
        let shoulder = builder.add(shoulder.child_of(trunk).at(along(BONE) * about_z(turn)));
        let elbow = Joint::revolute(format!("{side} elbow"), DVec3::Z);
        let elbow = builder.add(elbow.child_of(shoulder).at(along(BONE)));
        tips.push(Frame::new(elbow, along(BONE)));
    }
    Plan { skeleton: builder.build().unwrap(), start: vec![0.0, 0.3, 0.4, -0.3, -0.4], tips }
}

/// A crank, a coupler and a rocker: four bars with the ground, cut between the last two.
fn four_bar() -> Plan {
    let mut builder = Skeleton::builder();
    let crank = builder.add(Joint::revolute("crank", DVec3::Z));
    let coupler = builder.add(Joint::revolute("coupler", DVec3::Z).child_of(crank).at(along(0.16)));
    let ground = Pose::from_translation(point(0.4, 0.0));
    let rocker = builder.add(Joint::revolute("rocker", DVec3::Z).at(ground));
    let tips = vec![Frame::new(coupler, along(0.42)), Frame::new(rocker, along(0.3))];
    Plan { skeleton: builder.build().unwrap(), start: vec![0.6, -0.133, 1.2], tips }
}

fn figure(plan: &Plan, sheet: &Sheet, q: &[f64]) -> Figure {
    let world = plan.skeleton.poses(q);
    let at = |joint: usize| world[joint].translation;
    let tips: Vec<DVec3> = plan.tips.iter().map(|tip| tip.world(&world).translation).collect();
    let joints = 0..plan.skeleton.n_joints();
    let inner =
        joints.clone().filter_map(|joint| Some([at(plan.skeleton.parent(joint)?), at(joint)]));
    let outer = plan.tips.iter().zip(&tips).map(|(tip, &end)| [at(tip.joint), end]);
    let bones = inner.chain(outer).collect();
    let marks = joints.map(|joint| JointMark::new(at(joint), JointShape::Plain)).collect();
    let marked =
        if sheet.bodies.is_empty() { tips } else { vec![center_of_mass(&sheet.bodies, &world)] };
    Figure {
        bones,
        radii: Vec::new(),
        joints: marks,
        plates: Vec::new(),
        root: Some(at(0)),
        tips: marked,
    }
}

/// Solves and draws.
fn draw(title: &str, plan: &Plan, sheet: &Sheet) -> PoseDrawing {
    let settings = Settings::default();
    let solution =
        solve(&plan.skeleton, &plan.start, &sheet.tasks, Method::LeastSquares, &settings).unwrap();
    let mut drawing = PoseDrawing::new(title, Space::Plane, "m", SolverLook::LeastSquares);
    drawing.start = Some(figure(plan, sheet, &plan.start));
    let result = figure(plan, sheet, &solution.configuration);
    drawing.rods.clone_from(&sheet.rods);
    if sheet.is_joined {
        let ends = [result.tips[0], result.tips[1]];
        drawing.rods.push(Rod { ends, radius: 0.006 });
    }
    drawing.targets.clone_from(&sheet.targets);
    if sheet.is_placeless {
        drawing.targets[0].at = result.tips[0];
    }
    drawing.result = Some(result);
    drawing
}

fn rod(from: DVec3, to: DVec3, radius: f64) -> Rod {
    Rod { ends: [from, to], radius }
}

const ARM: [f64; 4] = [0.5, 0.3, -0.5, 0.4];

/// Tasks on the one tip of an arm.
fn on_a_tip() -> Vec<(&'static str, Plan, Sheet)> {
    let arm = || chain(&ARM);
    let tip = arm().tips[0];
    let goal = point(0.35, 0.75);
    let half_turn = rotation_about(DVec3::Z, 2.4);
    let mark = TargetMark::point(goal);
    let one = |task: Task, targets: Vec<TargetMark>| Sheet {
        tasks: vec![task],
        targets,
        ..Sheet::default()
    };
    let seen = point(1.3, 0.15);
    // The position of the mark is known only after the solve.
    let placeless = |task: Task, target: TargetMark| Sheet {
        tasks: vec![task],
        targets: vec![target],
        is_placeless: true,
        ..Sheet::default()
    };
    let direction = point(-1.0, 0.25);
    let pose = Pose::new(half_turn, goal);
    vec![
        ("position", arm(), one(Position::new(tip, goal).into(), vec![mark])),
        (
            "orientation",
            arm(),
            placeless(
                Orientation::new(tip, half_turn).into(),
                TargetMark { rotation: Some(half_turn), ..mark },
            ),
        ),
        (
            "pose",
            arm(),
            one(
                FramePose::new(tip, pose).into(),
                vec![TargetMark { rotation: Some(half_turn), ..mark }],
            ),
        ),
        (
            "look-at",
            arm(),
            one(
                LookAt::new(tip, DVec3::X, seen).into(),
                vec![TargetMark { is_seen: true, ..TargetMark::point(seen) }],
            ),
        ),
        (
            "axis-alignment",
            arm(),
            placeless(
                AxisAlignment::new(tip, DVec3::X, direction).into(),
                TargetMark { direction: Some(direction), ..mark },
            ),
        ),
        (
            "plane",
            arm(),
            Sheet {
                tasks: vec![Plane::new(tip, point(0.55, 0.0), point(1.0, -0.25)).into()],
                rods: vec![rod(point(0.5, -0.2), point(0.8, 1.0), 0.006)],
                ..Sheet::default()
            },
        ),
    ]
}

/// Tasks on two frames.
fn on_two_frames() -> Vec<(&'static str, Plan, Sheet)> {
    let [left, right] = [two_arms().tips[0], two_arms().tips[1]];
    let reach: Task = Position::new(left, point(-0.05, 0.75)).into();
    let target = TargetMark::point(point(-0.05, 0.75));
    let [coupler, rocker] = [four_bar().tips[0], four_bar().tips[1]];
    let crank = four_bar().skeleton.frame(0);
    let turned = rotation_about(DVec3::Z, 0.6 + FRAC_PI_2);
    let limb = || chain(&[1.0, -1.3]);
    let (shoulder, wrist) = (limb().skeleton.frame(0), limb().tips[0]);
    let (hand, pole) = (point(0.45, 0.1), point(0.4, -0.3));
    vec![
        (
            "pole",
            limb(),
            Sheet {
                tasks: vec![
                    Position::new(wrist, hand).into(),
                    Pole::new(shoulder, point(BONE, 0.0), wrist, pole).into(),
                ],
                targets: vec![
                    TargetMark::point(hand),
                    TargetMark { is_seen: true, ..TargetMark::point(pole) },
                ],
                ..Sheet::default()
            },
        ),
        (
            "distance",
            two_arms(),
            Sheet {
                tasks: vec![reach.clone(), Distance::new([left, right], 0.25).into()],
                targets: vec![target],
                is_joined: true,
                ..Sheet::default()
            },
        ),
        (
            "relative-pose",
            two_arms(),
            Sheet {
                tasks: vec![
                    reach,
                    RelativePose::new(
                        [left, right],
                        Pose::new(rotation_about(DVec3::Z, FRAC_PI_3), point(0.1, -0.28)),
                    )
                    .along(Axes::ALONG)
                    .into(),
                ],
                targets: vec![target],
                is_joined: true,
                ..Sheet::default()
            },
        ),
        (
            "closure",
            four_bar(),
            Sheet {
                tasks: vec![
                    Closure::new([coupler, rocker], Link::Ball).into(),
                    Orientation::new(crank, turned).into(),
                ],
                ..Sheet::default()
            },
        ),
    ]
}

/// Tasks on the whole figure.
fn on_the_whole() -> Vec<(&'static str, Plan, Sheet)> {
    let standing = || {
        let mut plan = chain(&[0.9, 0.5, -0.9, 0.3]);
        plan.start[0] += 0.2;
        plan
    };
    let half = DVec3::X * BONE / 2.0;
    let bodies: Vec<Body> =
        (0..4).map(|joint| Body { joint, center_in_joint: half, mass: 1.0 }).collect();
    let goal = point(0.0, 0.5);
    let ground = [point(-0.12, 0.0), point(0.12, 0.0)];
    let arm = chain(&ARM);
    let tip = arm.tips[0];
    let reach = point(0.95, 0.1);
    let obstacle = point(0.5, 0.16);
    let bones = (0..4).map(|joint| Capsule::on_joint(joint, [DVec3::ZERO, DVec3::X * BONE], 0.02));
    let ball = Capsule::obstacle(obstacle, 0.09);
    let apart = bones.map(|bone| Task::from(Clearance::new([bone, ball], 0.02)));
    let bent = [FRAC_PI_4, FRAC_PI_4, -FRAC_PI_2, 0.0];
    vec![
        (
            "center-of-mass",
            standing(),
            Sheet {
                tasks: vec![CenterOfMass::new(bodies.clone(), goal).into()],
                targets: vec![TargetMark::point(goal)],
                bodies: bodies.clone(),
                ..Sheet::default()
            },
        ),
        (
            "support",
            chain(&[0.4, 0.5, -0.4, 0.3]),
            Sheet {
                tasks: vec![
                    Support::try_new(bodies.clone(), &ground, DVec3::Y, 0.02).unwrap().into(),
                ],
                rods: vec![rod(ground[0], ground[1], 0.008)],
                bodies,
                ..Sheet::default()
            },
        ),
        (
            "clearance",
            chain(&ARM),
            Sheet {
                tasks: apart.chain([Position::new(tip, reach).into()]).collect(),
                targets: vec![TargetMark::point(reach)],
                rods: vec![rod(obstacle, obstacle + DVec3::X * 1e-6, 0.09)],
                ..Sheet::default()
            },
        ),
        (
            "posture",
            arm,
            Sheet {
                tasks: vec![
                    Position::new(tip, reach).into(),
                    Task::new(Posture::new(bent.to_vec())).at_level(2),
                ],
                targets: vec![TargetMark::point(reach)],
                ..Sheet::default()
            },
        ),
    ]
}

/// The same two targets, too far apart for one figure: traded by weight, then in order of level.
fn weights_and_levels() -> Vec<(PoseDrawing, String)> {
    let goals = [point(-0.62, 0.55), point(0.72, 0.62)];
    let plan = two_arms();
    let panel = |words: &str, weights: [f64; 2], levels: [u8; 2]| {
        let task = |k: usize| {
            Task::new(Position::new(plan.tips[k], goals[k]))
                .weighing(weights[k])
                .at_level(levels[k])
        };
        let sheet = Sheet {
            tasks: vec![task(0), task(1)],
            targets: goals.map(TargetMark::point).to_vec(),
            ..Sheet::default()
        };
        (draw(words, &plan, &sheet), words.to_owned())
    };
    vec![
        panel("weights 1 and 1", [1.0, 1.0], [1, 1]),
        panel("weights 3 and 1", [3.0, 1.0], [1, 1]),
        panel("levels 1 and 2", [1.0, 1.0], [1, 2]),
    ]
}

/// Every picture by its name.
fn pictures() -> Vec<(String, String)> {
    let kinds = [on_a_tip(), on_two_frames(), on_the_whole()].into_iter().flatten();
    let one = |(name, plan, sheet): (&str, Plan, Sheet)| {
        let title = format!("Task: {name}");
        let svg = strip_svg(&title, &[(draw(&title, &plan, &sheet), String::new())]);
        (format!("task-{name}"), svg)
    };
    let title = "Two targets too far apart: weights trade, levels do not";
    let levels = ("task-levels".to_owned(), strip_svg(title, &weights_and_levels()));
    kinds.map(one).chain([levels]).collect()
}

#[test]
fn the_pictures_of_the_tasks_are_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let bless = env::var_os("TRYCMD").is_some_and(|word| word == "overwrite");
    let page = fs::read_to_string(root.join("docs/tasks.md")).unwrap();
    for (name, fresh) in pictures() {
        assert!(page.contains(&format!("images/{name}.svg")), "docs/tasks.md shows {name}");
        let kept = root.join("docs/images").join(format!("{name}.svg"));
        if bless {
            fs::write(&kept, &fresh).unwrap();
        }
        let same = fs::read_to_string(&kept).is_ok_and(|kept| kept.replace('\r', "") == fresh);
        assert!(same, "docs/images/{name}.svg is out of date: run cargo xtask bless");
    }
}
