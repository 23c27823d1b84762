//! Made-up poses for the tests of this module: shapes like those of solvers, from a few lines of arithmetic.

use posekit::glam::{DQuat, DVec3};

use super::view::turned;
use super::{
    DetailTable, Effort, ErrorCurve, Figure, HeldJoint, HeldLimit, JointShape, LimitMark, Model,
    Outcome, PoleMark, PoseDrawing, Report, Run, Sheet, SolverLook, Space, TargetMark,
    status_words,
};

/// Poses of a chain of points that approaches a target: dragged from the tip and then from the root, by the fraction `pull` of the distance.
fn steps(start: &[DVec3], target: DVec3, pull: f64, count: usize) -> Vec<Vec<DVec3>> {
    let lengths: Vec<f64> = start.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
    let mut points = start.to_vec();
    let mut all = vec![points.clone()];
    let last = points.len() - 1;
    for _ in 0..count {
        points[last] = points[last].lerp(target, pull);
        for i in (0..last).rev() {
            let away = (points[i] - points[i + 1]).try_normalize().unwrap_or(DVec3::X);
            points[i] = points[i + 1] + away * lengths[i];
        }
        points[0] = start[0];
        for i in 0..last {
            let on = (points[i + 1] - points[i]).try_normalize().unwrap_or(DVec3::X);
            points[i + 1] = points[i] + on * lengths[i];
        }
        all.push(points.clone());
    }
    all
}

fn bones(points: &[DVec3]) -> Vec<[DVec3; 2]> {
    points.windows(2).map(|pair| [pair[0], pair[1]]).collect()
}

/// A drawing of a chain from its first pose to its last.
fn drawing(
    title: &str,
    space: Space,
    look: SolverLook,
    way: &[Vec<DVec3>],
    target: DVec3,
) -> PoseDrawing {
    let mut drawing = PoseDrawing::new(title, space, "m", look);
    drawing.start = way.first().map(|points| Figure::from_points(points));
    drawing.result = way.last().map(|points| Figure::from_points(points));
    drawing.ghosts = way.get(1..way.len() - 1).unwrap_or(&[]).iter().map(|p| bones(p)).collect();
    drawing.trail = way.iter().filter_map(|points| points.last().copied()).collect();
    drawing.targets = vec![TargetMark::point(target)];
    drawing
}

fn pull(look: SolverLook) -> f64 {
    match look {
        SolverLook::Fabrik => 1.0,
        SolverLook::Ccd => 0.8,
        SolverLook::Relaxation => 0.55,
        _ => 0.95,
    }
}

/// A limb of two bones in the plane, with a hinge whose range is shown.
pub(super) fn limb(look: SolverLook) -> PoseDrawing {
    let start = [DVec3::ZERO, DVec3::new(0.25, 0.33, 0.0), DVec3::new(0.62, 0.3, 0.0)];
    let target = DVec3::new(0.31, -0.28, 0.0);
    let mut drawing =
        drawing("two-bone limb", Space::Plane, look, &steps(&start, target, pull(look), 8), target);
    for figure in [&mut drawing.start, &mut drawing.result].into_iter().flatten() {
        for joint in &mut figure.joints {
            joint.shape = JointShape::Hinge { axis: DVec3::Z };
        }
        figure.joints[1].limit = Some(LimitMark::Range {
            axis: DVec3::Z,
            from: figure.bones[0][1] - figure.bones[0][0],
            span: 2.6,
            value: 0.4,
        });
    }
    drawing
}

/// Ten bones in the plane.
fn chain(look: SolverLook) -> PoseDrawing {
    let start: Vec<DVec3> =
        (0..11).map(|i| DVec3::new(0.1 * f64::from(i), 0.02 * f64::from(i % 2), 0.0)).collect();
    let target = DVec3::new(0.24, 0.42, 0.0);
    drawing("ten-bone chain", Space::Plane, look, &steps(&start, target, pull(look), 9), target)
}

/// A rope of a hundred bones in space.
pub(super) fn rope(look: SolverLook) -> PoseDrawing {
    let start: Vec<DVec3> = (0..101)
        .map(|i| {
            let t = f64::from(i);
            turned(DVec3::X * (0.6 + 0.002 * t), DVec3::Z, 0.055 * t) + DVec3::Z * (1.6 - 0.014 * t)
        })
        .collect();
    let target = DVec3::new(0.9, 0.9, 1.3);
    drawing(
        "rope of 100",
        Space::Up(DVec3::Z),
        look,
        &steps(&start, target, pull(look), 14),
        target,
    )
}

/// An arm of six hinges on a floor, with one joint at its limit and one that slides.
pub(super) fn arm(look: SolverLook) -> PoseDrawing {
    let start = [
        DVec3::ZERO,
        DVec3::new(0.0, 0.0, 0.34),
        DVec3::new(0.02, 0.05, 0.74),
        DVec3::new(0.3, 0.18, 0.98),
        DVec3::new(0.5, 0.2, 0.92),
        DVec3::new(0.6, 0.2, 0.86),
        DVec3::new(0.6, 0.2, 0.72),
    ];
    let target = DVec3::new(0.28, -0.46, 0.3);
    let mut drawing = drawing(
        "six-axis arm",
        Space::Up(DVec3::Z),
        look,
        &steps(&start, target, pull(look), 7),
        target,
    );
    let rotation = Some(DQuat::from_axis_angle(DVec3::X, 2.4));
    drawing.targets = vec![TargetMark { rotation, ..TargetMark::point(target) }];
    for figure in [&mut drawing.start, &mut drawing.result].into_iter().flatten() {
        let count = figure.joints.len();
        for i in 0..count {
            let bone = figure.bones[i][1] - figure.bones[i][0];
            let axis = if i % 3 == 0 { bone } else { bone.cross(DVec3::new(0.3, 0.9, 0.1)) };
            figure.joints[i].shape = match i {
                4 => JointShape::Prismatic { axis: bone },
                5 => JointShape::Ball,
                _ => JointShape::Hinge { axis },
            };
            if (1..4).contains(&i) {
                let from = turned(bone, axis.try_normalize().unwrap_or(DVec3::Z), -1.9);
                figure.joints[i].limit =
                    Some(LimitMark::Range { axis, from, span: 2.1, value: 1.9 });
            }
            if i == 5 {
                figure.joints[i].limit = Some(LimitMark::Cone { axis: bone, swing: 0.6 });
            }
        }
        figure.joints[2].at_limit = true;
    }
    drawing.pole =
        Some(PoleMark { at: DVec3::new(0.6, -0.3, 0.9), joint: DVec3::new(0.02, 0.05, 0.74) });
    drawing
}

fn error_curve(first: f64, fall: f64, count: u32, stuck: u32) -> Vec<f64> {
    let mut error = first;
    (0..=count)
        .map(|i| {
            let now = error;
            error *= if i < stuck { 0.999 } else { fall };
            now
        })
        .collect()
}

/// A model of the page: name, description, drawing, solvers.
struct Recipe {
    name: &'static str,
    about: &'static str,
    draw: fn(SolverLook) -> PoseDrawing,
    solvers: &'static [&'static str],
}

const RECIPES: [Recipe; 4] = [
    Recipe {
        name: "Two-bone limb",
        about: "2 hinges in the plane, reach 79 cm",
        draw: limb,
        solvers: &["two-bone", "ccd", "fabrik", "relaxation"],
    },
    Recipe {
        name: "Ten-bone chain",
        about: "10 bones in the plane, its target beside it",
        draw: chain,
        solvers: &["direct", "ccd", "fabrik", "relaxation"],
    },
    Recipe {
        name: "Rope of 100",
        about: "100 ball joints in space, reach 4.3 m",
        draw: rope,
        solvers: &["direct", "ccd", "fabrik", "relaxation"],
    },
    Recipe {
        name: "Six-axis arm",
        about: "6 joints with limits & a pole, reach 1.3 m",
        draw: arm,
        solvers: &["ccd", "auto (ccd)"],
    },
];

/// One run; `order` in its model and `seen` on the page choose an outcome, so that each of them occurs.
fn run(recipe: &Recipe, order: u32, seen: u32) -> Run {
    let solver = recipe.solvers[usize::try_from(order).unwrap_or(0)];
    let look = SolverLook::of(solver.trim_start_matches("auto (").trim_end_matches(')'));
    let is_closed = look.is_closed_form();
    let iterations = if is_closed { 1 } else { 4 + 9 * order + seen };
    let stuck = if order == 1 { 3 } else { 0 };
    let elbow =
        HeldJoint { name: "elbow".to_owned(), limit: HeldLimit::Angle(150.0_f64.to_radians()) };
    let outcome = match if order < 2 { 0 } else { seen } {
        2 => Outcome::Unreachable { shortfall: 0.12 },
        3 => Outcome::Blocked { joints: vec![elbow] },
        10 => Outcome::Stalled,
        11 => Outcome::IterationLimit,
        _ => Outcome::Reached,
    };
    let fall = 0.1 + 0.2 * f64::from(order);
    let errors = if is_closed { Vec::new() } else { error_curve(0.58, fall, iterations, stuck) };
    Run {
        solver: solver.to_owned(),
        look,
        outcome,
        iterations,
        error: errors.last().copied().unwrap_or(3.2e-17),
        microseconds: 0.083 + 11.4 * f64::from(iterations),
        escape: (stuck > 0).then_some((3, "direct")),
        drawing: (recipe.draw)(look),
        errors,
    }
}

/// A page with four models, most outcomes and a lock-up.
pub(super) fn report() -> Report {
    let mut models = Vec::new();
    let mut seen = 0;
    for recipe in &RECIPES {
        let mut start = (recipe.draw)(SolverLook::Other);
        start.result = None;
        start.ghosts.clear();
        start.trail.clear();
        start.title = format!("{} before solving", recipe.name);
        let count = u32::try_from(recipe.solvers.len()).unwrap_or(0);
        let runs = (0..count).map(|order| run(recipe, order, seen + order)).collect();
        seen += count;
        models.push(Model {
            name: recipe.name.to_owned(),
            about: recipe.about.to_owned(),
            unit: "m".to_owned(),
            tolerance: Some(1e-6),
            start,
            runs,
        });
    }
    let row = |name: &str, value: &str| vec![name.to_owned(), value.to_owned()];
    Report {
        title: "posekit demo".to_owned(),
        answer: "Ten of fourteen runs reached their target, the slowest in 38 iterations."
            .to_owned(),
        about: "Every applicable solver ran on each model from the same start. Made-up numbers."
            .to_owned(),
        models,
        details: vec![DetailTable {
            title: "Settings".to_owned(),
            head: row("setting", "value"),
            rows: vec![row("tolerance", "1e-6 of the reach"), row("iterations", "at most 1000")],
        }],
        footer: "Made by posekit demo. Run it again for the same drawings; only the times differ."
            .to_owned(),
    }
}

/// A solution with its trace.
pub(super) fn sheet() -> Sheet {
    let look = SolverLook::Fabrik;
    Sheet {
        drawing: chain(look),
        solver: "fabrik".to_owned(),
        words: status_words(&Outcome::Reached, Effort::of(look, 9), "m", Some((3, "direct"))),
        curves: vec![ErrorCurve {
            solver: "fabrik".to_owned(),
            look,
            values: error_curve(0.6, 0.2, 9, 3),
            escaped_at: Some(3),
        }],
        tolerance: Some(1e-6),
    }
}
