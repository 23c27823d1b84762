//! Levels: what is asked at a lower level changes nothing at a higher one, and what a higher one leaves free is used.
//!
//! All misses are measured by [`Task::miss`], from the returned joint values alone.

use crate::support;

use posekit::glam::DVec3;
use posekit::skeleton::{Frame, Skeleton};
use posekit::solve::{LeastSquares, Method, Settings, solve};
use posekit::task::{Miss, Position, Posture, Task, TaskKind};
use support::random::{Figure, N_KINDS, Traits};
use support::{Rng, space_limb};

const CASES: u64 = 500;

/// Largest change of a miss of a higher level, as a part of the reach and in radians.
const UNCHANGED: f64 = 1e-9;

/// What tasks come to with nothing asked below them. A posture that cares for no joint stands in for the levels below, because a single
/// task on a single limb has shortcuts that may end on another branch.
fn alone(figure: &Figure, start: &[f64], tasks: &[Task]) -> Vec<Miss> {
    let nothing = Posture::new(start).caring(vec![0.0; figure.skeleton.n_joints()]);
    let mut all = tasks.to_vec();
    all.push(Task::new(nothing).at_level(9));
    let mut before = misses(&figure.skeleton, start, &all);
    before.pop();
    before
}

fn misses(skeleton: &Skeleton, start: &[f64], tasks: &[Task]) -> Vec<Miss> {
    // Enough for a level that cannot be met to come to rest.
    let settings = Settings::default().with_iterations(1000);
    let solution = solve(skeleton, start, tasks, Method::LeastSquares, &settings);
    let q = solution.expect("the tasks are valid").configuration;
    assert!(skeleton.within_limits(&q, 1e-9), "limits broken");
    tasks.iter().map(|task| task.miss(skeleton, &q)).collect()
}

/// Tasks of all kinds but postures; those that are out of reach are made for a figure that is larger by half.
fn tasks(rng: &mut Rng, figure: &Figure, n: usize, is_reachable: bool, level: u8) -> Vec<Task> {
    let truth = figure.pose(rng);
    let made = (0..n).map(|_| {
        let kind = rng.whole(0, N_KINDS - 2);
        let mut task = figure.task(rng, kind, &truth);
        if let (false, TaskKind::Position(position)) = (is_reachable, &mut task.kind) {
            position.target_in_world *= 1.5;
            position.target_in_world += rng.direction() * figure.reach;
        }
        task.at_level(level).weighing(rng.between(0.5, 2.0))
    });
    made.collect()
}

/// Which misses of `before` have grown.
fn disturbed(reach: f64, before: &[Miss], after: &[Miss]) -> Option<String> {
    before
        .iter()
        .zip(after)
        .position(|(before, after)| {
            let worse = |a: f64, b: f64| b - a > UNCHANGED;
            worse(before.distance / reach, after.distance / reach)
                || worse(before.angle, after.angle)
        })
        .map(|k| format!("task {k} from {:?} to {:?}", before[k], after[k]))
}

fn check_levels(name: &str, traits: Traits, is_reachable: bool) {
    let mut failures = Vec::new();
    for index in 0..CASES {
        let mut rng = Rng::new(index);
        let figure = Figure::random(&mut rng, traits);
        let start = figure.pose(&mut rng);
        let n = rng.whole(1, 3);
        let mut all = tasks(&mut rng, &figure, n, is_reachable, 1);
        let mut before = alone(&figure, &start, &all);
        for level in [2, 3] {
            let n = rng.whole(1, 3);
            let is_reachable = rng.whole(0, 1) == 0;
            all.extend(tasks(&mut rng, &figure, n, is_reachable, level));
            let after = misses(&figure.skeleton, &start, &all);
            if let Some(how) = disturbed(figure.reach, &before, &after) {
                let kinds: Vec<_> = all.iter().map(|task| (task.kind.name(), task.level)).collect();
                failures.push(format!("case {index}: level {level} moves {how}: {kinds:?}"));
                break;
            }
            before = after;
        }
    }
    let shown = failures.len().min(20);
    let listed = failures[..shown].join("\n");
    assert!(failures.is_empty(), "{name}: {} of {CASES}:\n{listed}", failures.len());
}

#[test]
fn lower_levels_disturb_no_reachable_level() {
    check_levels("free", Traits::default(), true);
}

#[test]
fn lower_levels_disturb_no_unreachable_level() {
    check_levels("free", Traits::default(), false);
}

#[test]
fn lower_levels_disturb_no_level_at_limits() {
    check_levels("limited", Traits { limits: true, slides: true, floats: false }, true);
}

#[test]
fn lower_levels_disturb_no_unreachable_level_at_limits() {
    check_levels("limited", Traits { limits: true, slides: true, floats: false }, false);
}

#[test]
fn lower_levels_disturb_no_level_of_a_floating_figure() {
    check_levels("floating", Traits { limits: true, slides: false, floats: true }, true);
}

/// Limbs of five to eight balls: the tip stands on its target, and a joint in the middle on a target of the second level.
#[test]
fn a_second_level_that_fits_is_met() {
    let mut failures = Vec::new();
    for index in 0..CASES {
        let mut rng = Rng::new(index);
        let lengths: Vec<f64> = (0..rng.whole(5, 8)).map(|_| rng.between(0.3, 1.0)).collect();
        let (skeleton, tip) = space_limb(&lengths);
        let mut pose =
            || (0..lengths.len()).flat_map(|_| rng.rotation().to_array()).collect::<Vec<_>>();
        let (truth, start) = (pose(), pose());
        let poses = skeleton.poses(&truth);
        let middle = skeleton.frame(lengths.len() / 2);
        let at = |frame: Frame| Task::new(Position::new(frame, frame.world(&poses).translation));
        let reach: f64 = lengths.iter().sum();
        let after = misses(&skeleton, &start, &[at(tip), at(middle).at_level(2)]);
        if after.iter().any(|miss| miss.distance > 1e-6 * reach) {
            failures.push(format!("case {index}, {} bones: {after:?}", lengths.len()));
        }
    }
    assert!(failures.is_empty(), "{} of {CASES}:\n{}", failures.len(), failures.join("\n"));
}

/// Any task, and at the second level a posture near the start that satisfies it. Where level 1 has come to another branch, from which nothing
/// leads to the posture, a start nearer to it must do.
#[test]
fn a_posture_that_fits_is_met() {
    let (mut failures, mut elsewhere) = (Vec::new(), 0);
    for index in 0..CASES {
        let mut rng = Rng::new(index);
        let figure = Figure::random(&mut rng, Traits::default());
        let truth = figure.pose(&mut rng);
        let start = figure.pose_near(&mut rng, &truth, 0.2);
        let kind = rng.whole(0, N_KINDS - 2);
        let task = figure.task(&mut rng, kind, &truth);
        let tasks = [task, Task::new(Posture::new(truth.as_slice())).at_level(2)];
        let is_met = |after: &[Miss]| {
            after.iter().all(|miss| miss.distance <= 1e-6 * figure.reach && miss.angle <= 1e-6)
        };
        if is_met(&misses(&figure.skeleton, &start, &tasks)) {
            continue;
        }
        elsewhere += 1;
        let nearer = figure.pose_near(&mut rng, &truth, 0.02);
        let after = misses(&figure.skeleton, &nearer, &tasks);
        if !is_met(&after) {
            failures.push(format!("case {index}, {}: {after:?}", tasks[0].kind.name()));
        }
    }
    assert!(failures.is_empty(), "{} of {CASES}:\n{}", failures.len(), failures.join("\n"));
    assert!(elsewhere * 50 <= CASES, "{elsewhere} of {CASES} come to another branch");
}

/// A lower level is heard also when the least change is not asked for.
#[test]
fn levels_do_not_need_the_least_change() {
    let least_squares = LeastSquares::default().with_least_change(false);
    let settings = Settings::default().with_least_squares(least_squares);
    let (skeleton, tip) = space_limb(&[1.0; 4]);
    let middle = skeleton.frame(2);
    let (high, low) = (DVec3::new(1.0, 2.0, 0.5), DVec3::new(0.9, 1.0, 1.0));
    let tasks =
        [Position::new(tip, high).into(), Task::new(Position::new(middle, low)).at_level(2)];
    let solution = solve(&skeleton, &skeleton.neutral(), &tasks, Method::LeastSquares, &settings);
    let q = solution.expect("the tasks are valid").configuration;
    assert!(tasks.iter().all(|task| task.miss(&skeleton, &q).distance < 4e-6), "both are met");
}
