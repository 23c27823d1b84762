//! A standing figure of 57 joints: both feet on the ground, one hand round the bar of a door, the other on a rail, and the hips moved over a
//! grid, forward and back, sideways, down and up.
//!
//! Where the hips can go is decided here by the geometry of limbs and not by the solver:
//!
//! - *reachable for certain* where trunk and collars may stay as they are, and each limb, a triangle of two bones, has a pose inside all its limits
//!   for one of many turns about the line from its root to its end;
//! - *out of reach for certain* where an ankle or a wrist is farther from the hips than all bones between them put together;
//! - in between nothing is promised but an honest answer.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]
#![allow(dead_code, reason = "the command draws what is not asked for here")]

#[path = "../src/figures.rs"]
mod figures;
#[path = "../src/humanoid.rs"]
mod humanoid;

use figures::Stance;
use humanoid::{ARM, LEG};
use posekit::glam::{DMat3, DQuat, DVec3};
use posekit::math::{Pose, acos, rotation_about};
use posekit::skeleton::{Limit, Skeleton};
use posekit::solve::{LeastSquares, Method, Settings, Solution, Status, solve};
use posekit::task::{Position, Task};

/// How near everything that is held must stay \[m, rad\].
const HELD: f64 = 1e-6;

/// Grid of the ways of the hips from where they are: step \[m\], and least and greatest count of steps forward, to the left, up.
const STEP: f64 = 0.05;
const FORWARD: [i32; 2] = [-5, 2];
const LEFT: [i32; 2] = [-3, 3];
const UP: [i32; 2] = [-8, 2];

/// A grid point by its counts of steps.
type Cell = [i32; 3];

fn cells() -> Vec<Cell> {
    let range = |[from, to]: [i32; 2]| from..=to;
    let plane = range(UP).flat_map(move |up| range(LEFT).map(move |left| (left, up)));
    plane.flat_map(|(left, up)| range(FORWARD).map(move |forward| [forward, left, up])).collect()
}

fn way(cell: Cell) -> DVec3 {
    DVec3::from_array(cell.map(|count| f64::from(count) * STEP))
}

/// What the geometry says about a place of the hips.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Reach {
    Certain,
    Unknown,
    Impossible,
}

/// Turns about the line from a limb's root to its end that are tried.
const TURNS: u32 = 144;

/// What a cone's limit is kept to: reading a rotation back rounds \[rad\].
const ROUNDING: f64 = 1e-12;

/// A joint's own rotation is this far inside its limit \[rad\], so that rounding decides nothing.
const INSIDE: f64 = 1e-3;

/// Whether a rotation of a ball joint from its parent lies inside its cone.
fn is_inside(skeleton: &Skeleton, joint: usize, parent_from_joint: DQuat) -> bool {
    let Limit::Cone { axis, swing, twist: [min, max] } = skeleton.limit(joint) else { return true };
    let motion = skeleton.parent_from_joint(joint).rotation.conjugate() * parent_from_joint;
    let split = posekit::math::swing_twist(motion, axis);
    let twist = split.twist;
    split.swing_angle() < swing - INSIDE && twist > min + INSIDE && twist < max - INSIDE
}

/// Rotation with these second and third axes; the second is made square to the third.
fn with_axes(y: DVec3, z: DVec3) -> DQuat {
    let z = z.normalize_or_zero();
    let y = (y - z * z.dot(y)).normalize_or_zero();
    DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z))
}

/// Both bones' directions and the axis of the hinge between them, for a turn about the line from `root` to `end`.
struct Bend {
    upper: DVec3,
    lower: DVec3,
    /// Turning the lower bone about it by the hinge's angle bends the limb.
    axis: DVec3,
    angle: f64,
}

fn bend(way: DVec3, [upper, lower]: [f64; 2], turn: u32) -> Option<Bend> {
    let far = way.length();
    if far >= upper + lower || far <= (upper - lower).abs() {
        return None;
    }
    let line = way / far;
    let cos = |a: f64, b: f64, c: f64| ((a * a + b * b - c * c) / (2.0 * a * b)).clamp(-1.0, 1.0);
    let lift = acos(cos(upper, far, lower));
    let about = core::f64::consts::TAU * f64::from(turn) / f64::from(TURNS);
    let axis = rotation_about(line, about) * line.any_orthonormal_vector();
    let upper_way = rotation_about(axis, -lift) * line;
    let joint = upper_way * upper;
    let lower_way = (way - joint).normalize_or_zero();
    Some(Bend {
        upper: upper_way,
        lower: lower_way,
        axis,
        angle: core::f64::consts::PI - acos(cos(upper, lower, far)),
    })
}

/// Whether a leg has a pose inside its limits: pelvis moved but not turned, sole where it was.
fn leg_reaches(stance: &Stance, side: usize, way: DVec3) -> bool {
    let figure = &stance.figure;
    let (skeleton, [hip, knee, ankle]) = (&figure.skeleton, figure.legs[side]);
    let poses = skeleton.poses(&stance.holding);
    let pelvis = poses[figure.pelvis.joint].rotation;
    let line = poses[ankle].translation - poses[hip].translation - way;
    (0..TURNS).any(|turn| {
        let Some(found) = bend(line, LEG, turn) else { return false };
        // A knee turns about its +y, so that the shank swings backward.
        let thigh = with_axes(found.axis, -found.upper);
        let shank = with_axes(found.axis, -found.lower);
        is_inside(skeleton, hip, pelvis.conjugate() * thigh)
            && skeleton.limit(knee).contains_value(found.angle, -INSIDE)
            && is_inside(skeleton, ankle, shank.conjugate() * poses[ankle].rotation)
    })
}

/// Whether an arm has one: trunk and collar moved with the hips but not turned. The hand stays as it is: on the bar it must, on the rail it may.
fn arm_reaches(stance: &Stance, side: usize, way: DVec3) -> bool {
    let figure = &stance.figure;
    let (skeleton, [shoulder, elbow, wrist]) = (&figure.skeleton, figure.arms[side]);
    let poses = skeleton.poses(&stance.holding);
    let collar = poses[skeleton.parent(shoulder).unwrap()].rotation;
    let forearm = skeleton.parent(wrist).unwrap();
    let line = poses[wrist].translation - poses[shoulder].translation - way;
    (0..TURNS).any(|turn| {
        let Some(found) = bend(line, ARM, turn) else { return false };
        // An elbow turns about its -y, so that the forearm swings forward.
        let upper = with_axes(-found.axis, -found.upper);
        let lower = with_axes(-found.axis, -found.lower);
        let is_arm = is_inside(skeleton, shoulder, collar.conjugate() * upper)
            && skeleton.limit(elbow).contains_value(found.angle, -INSIDE);
        // The forearm turns by as much as the wrist cannot.
        is_arm
            && (-80..=80).step_by(5).any(|degrees| {
                let angle = f64::from(degrees).to_radians();
                let turned = lower * rotation_about(DVec3::NEG_Z, angle);
                skeleton.limit(forearm).contains_value(angle, -INSIDE)
                    && is_inside(skeleton, wrist, turned.conjugate() * poses[wrist].rotation)
            })
    })
}

/// The longest that the bones from the pelvis to a joint can be together.
fn longest(skeleton: &Skeleton, pelvis: usize, joint: usize) -> f64 {
    let path = skeleton.ancestors(joint).take_while(|&joint| joint != pelvis);
    path.map(|joint| skeleton.parent_from_joint(joint).translation.length()).sum()
}

fn reach(stance: &Stance, way: DVec3) -> Reach {
    let figure = &stance.figure;
    let poses = figure.skeleton.poses(&stance.holding);
    let ends =
        [0, 1].map(|side| [figure.legs[side][2], figure.arms[side][2]]).into_iter().flatten();
    let hips = stance.hips() + way;
    // The left hand may turn about the rail, which moves its wrist by at most twice the grip's distance from it.
    let grip = figure.grips[0].joint_from_frame.translation.length();
    let is_too_far = |end: usize| {
        let tolerance = if end == figure.arms[0][2] { 2.0 * grip } else { 0.0 };
        let far = poses[end].translation.distance(hips);
        far > longest(&figure.skeleton, figure.pelvis.joint, end) + tolerance
    };
    if ends.into_iter().any(is_too_far) {
        return Reach::Impossible;
    }
    let limbs =
        [0, 1].iter().all(|&side| leg_reaches(stance, side, way) && arm_reaches(stance, side, way));
    if limbs { Reach::Certain } else { Reach::Unknown }
}

/// What any answer promises: finite values inside the limits, the misses of forward kinematics, and a word that fits them.
fn faults_of(stance: &Stance, way: DVec3, found: &Solution) -> Vec<String> {
    let (skeleton, q) = (&stance.figure.skeleton, &found.configuration);
    let mut faults = Vec::new();
    if !q.iter().all(|value| value.is_finite()) || !skeleton.within_limits(q, ROUNDING) {
        faults.push("a value is not finite or outside its limit".to_owned());
    }
    let misses: Vec<_> = tasks(stance, way).iter().map(|task| task.miss(skeleton, q)).collect();
    for (miss, reported) in misses.iter().zip(&found.misses) {
        let is_same = (miss.distance - reported.distance).abs() < 1e-9
            && (miss.angle - reported.angle).abs() < 1e-7;
        if !(is_same && miss.distance.is_finite() && miss.angle.is_finite()) {
            faults.push(format!("reported {reported:?}, is {miss:?}"));
        }
    }
    let is_held = misses.iter().all(|miss| miss.distance <= HELD && miss.angle <= HELD);
    let is_clear = match found.status {
        Status::Reached => is_held,
        Status::Unreachable { .. } | Status::Blocked { .. } | Status::Stalled => true,
        _ => false,
    };
    if !is_clear {
        faults.push(format!("{} with misses {misses:?}", found.status.word()));
    }
    faults
}

/// Settings of the test: the tolerance is what is asserted, well inside it; and so few restarts that a verdict comes before the iterations run out.
fn settings() -> Settings {
    Settings::default()
        .with_tolerance(0.5 * HELD)
        .with_orientation_tolerance(0.5 * HELD)
        .with_iterations(2000)
        .with_least_squares(LeastSquares::default().with_restarts(20))
}

/// Everything held, and the hips moved by `way` \[m\].
fn tasks(stance: &Stance, way: DVec3) -> Vec<Task> {
    let hips = Position::new(stance.figure.pelvis, stance.hips() + way);
    let contacts = stance.contacts.iter().map(|named| named.task.clone());
    contacts.chain([Task::new(hips)]).collect()
}

fn solve_from(
    stance: &Stance,
    q: &[f64],
    way: DVec3,
    settings: &Settings,
) -> posekit::Result<Solution> {
    solve(&stance.figure.skeleton, q, &tasks(stance, way), Method::LeastSquares, settings)
}

/// Largest change of one joint between two poses \[rad\]; the pelvis' way is what is asked for and does not count.
fn largest_turn(skeleton: &Skeleton, a: &[f64], b: &[f64]) -> f64 {
    let mut v = vec![0.0; skeleton.n_dofs()];
    skeleton.difference(a, b, &mut v);
    let turn = |joint: usize| {
        let dofs = &v[skeleton.dof_range(joint)];
        let turn = &dofs[dofs.len().saturating_sub(3)..];
        turn.iter().map(|x| x * x).sum::<f64>().sqrt()
    };
    (0..skeleton.n_joints()).map(turn).fold(0.0, f64::max)
}

/// The most that a limb's hinge can turn when the distance of its ends changes by `by`, which is by folding from straight.
fn steepest(limb: [f64; 2], by: f64) -> f64 {
    let [a, b] = limb;
    let far = a + b - by;
    core::f64::consts::PI - acos((a * a + b * b - far * far) / (2.0 * a * b))
}

/// Every place of the hips on the grid, solved from the pose that holds everything.
fn solve_grid(stance: &Stance) -> Vec<(Cell, Solution)> {
    let settings = settings();
    let solve = |cell| solve_from(stance, &stance.holding, way(cell), &settings).unwrap();
    cells().into_iter().map(|cell| (cell, solve(cell))).collect()
}

fn are_neighbours(a: Cell, b: Cell) -> bool {
    a.iter().zip(&b).map(|(a, b)| (a - b).abs()).sum::<i32>() == 1
}

#[test]
fn every_place_of_the_hips_within_reach_keeps_all_contacts() {
    let stance = Stance::try_new().unwrap();
    let (mut failures, mut counts) = (Vec::new(), [0; 3]);
    for (cell, found) in solve_grid(&stance) {
        let way = way(cell);
        failures
            .extend(faults_of(&stance, way, &found).iter().map(|what| format!("{way}: {what}")));
        let reach = reach(&stance, way);
        counts[reach as usize] += 1;
        if (reach == Reach::Certain) != found.is_reached() && reach != Reach::Unknown {
            let word = found.status.word();
            failures.push(format!("{way}: {reach:?}, but {word}, {} m off", found.error));
        }
    }
    println!("{counts:?} certain, unknown, impossible");
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
    assert!(counts[0] >= 80 && counts[2] >= 20, "the grid asks for both: {counts:?}");
}

/// Where the geometry promises nothing, whoever drags the hips there, from the pose of a neighbour, may still get there; then a solve from far away
/// must, too, if it takes more than the usual iterations: at the corners of reach many limits hold.
#[test]
fn what_a_drag_reaches_is_reached_at_once() {
    let stance = Stance::try_new().unwrap();
    let patient = settings().with_iterations(2000);
    let (reached, missed): (Vec<_>, Vec<_>) =
        solve_grid(&stance).into_iter().partition(|(_, found)| found.is_reached());
    let is_reached = |from: &[f64], cell: Cell, settings: &Settings| {
        solve_from(&stance, from, way(cell), settings).unwrap().is_reached()
    };
    let is_dragged_to = |cell: &Cell| {
        let mut beside = reached.iter().filter(|(at, _)| are_neighbours(*at, *cell));
        beside.any(|(_, from)| is_reached(&from.configuration, *cell, &settings()))
    };
    let late: Vec<Cell> = missed.iter().map(|(cell, _)| *cell).filter(is_dragged_to).collect();
    println!("{} reached, {} not, {late:?} late", reached.len(), missed.len());
    assert!(reached.len() >= 310 && late.len() <= 2, "{} reached, {late:?} late", reached.len());
    for cell in late {
        assert!(is_reached(&stance.holding, cell, &patient), "a drag gets to {cell:?}");
    }
}

/// Two neighbours of the grid are 5 cm apart. A limb whose ends come closer by as much turns its hinge by at most what it turns from straight,
/// and a ball at either end by no more than that and the turn of the line between them; the sum is the bound, where the trunk need not move. At the edge
/// of reach, where trunk and collars give what limbs do not, it may be a fifth more; and a pose that only another start found may be of another family there. What jumps to another
/// family of poses (elbow up for elbow down, a knee to the other side) turns by more.
#[test]
fn neighbours_of_the_grid_do_not_jump() {
    let stance = Stance::try_new().unwrap();
    let skeleton = &stance.figure.skeleton;
    let sure = steepest(ARM, STEP) + STEP / ARM[1];
    let solved: Vec<(Cell, Solution)> =
        solve_grid(&stance).into_iter().filter(|(_, found)| found.is_reached()).collect();
    let (mut pairs, mut failures, mut most) = (0, Vec::new(), 0.0_f64);
    for (i, (a, from)) in solved.iter().enumerate() {
        for (b, to) in solved[i + 1..].iter().filter(|(b, _)| are_neighbours(*a, *b)) {
            let are_sure = [a, b].iter().all(|cell| reach(&stance, way(**cell)) == Reach::Certain);
            let is_elsewhere = |found: &Solution| found.accelerated_at.is_some();
            if !are_sure && (is_elsewhere(from) || is_elsewhere(to)) {
                continue;
            }
            let bound = if are_sure { sure } else { 1.2 * sure };
            pairs += 1;
            let turn = largest_turn(skeleton, &from.configuration, &to.configuration);
            most = most.max(turn);
            if turn > bound {
                failures.push(format!("{} to {}: {turn} rad", way(*a), way(*b)));
            }
        }
    }
    println!("{pairs} pairs, most {most} rad, bound {sure} rad");
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
    assert!(pairs >= 700, "{pairs} pairs");
}

/// The hips are dragged round, each solve from the last: down, aside, back, and out of reach and in again.
#[test]
fn a_drag_of_the_hips_is_smooth() {
    const DRAG: f64 = 0.01;
    let stance = Stance::try_new().unwrap();
    let (skeleton, settings) = (&stance.figure.skeleton, settings());
    let corners = [
        [0.0, 0.0, 0.0],
        [-0.05, 0.0, -0.15],
        [-0.1, 0.1, -0.2],
        [-0.15, -0.12, -0.2],
        [-0.05, -0.05, -0.1],
        [0.0, 0.0, -0.02],
    ]
    .map(DVec3::from_array);
    let bound = steepest(ARM, DRAG) + DRAG / ARM[1];
    let (mut last, mut steps, mut most) = (stance.holding.clone(), 0, 0.0_f64);
    for pair in corners.windows(2) {
        let count = (pair[0].distance(pair[1]) / DRAG).ceil();
        let mut k = 1.0;
        while k <= count {
            let way = pair[0].lerp(pair[1], k / count);
            let found = solve_from(&stance, &last, way, &settings).unwrap();
            let faults = faults_of(&stance, way, &found);
            assert!(faults.is_empty(), "{way}: {faults:?}");
            if reach(&stance, way) == Reach::Certain {
                assert!(found.is_reached(), "{way}: {}", found.status.word());
            }
            let turn = largest_turn(skeleton, &last, &found.configuration);
            assert!(turn <= bound, "{way}: {turn} rad in one step, at most {bound}");
            most = most.max(turn);
            last = found.configuration;
            (k, steps) = (k + 1.0, steps + 1);
        }
    }
    println!("{steps} steps, most {most} rad, bound {bound} rad");
}

/// The pose from which everything starts must be one that the geometry accepts.
#[test]
fn the_geometry_accepts_the_start_and_refuses_the_ceiling() {
    let stance = Stance::try_new().unwrap();
    let here = way([0, 0, 0]);
    assert!((0..2).all(|side| leg_reaches(&stance, side, here)), "legs");
    assert!((0..2).all(|side| arm_reaches(&stance, side, here)), "arms");
    assert_eq!(reach(&stance, DVec3::Z * 0.5), Reach::Impossible, "half a metre up");
    let poses = stance.figure.skeleton.poses(&stance.holding);
    let pelvis: Pose = stance.figure.pelvis.world(&poses);
    assert!(pelvis.rotation.w.abs() > 1.0 - 1e-9, "the pelvis is not turned: {pelvis:?}");
}
