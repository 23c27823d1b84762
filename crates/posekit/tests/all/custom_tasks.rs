//! Tasks of a program's own are solved like those of the library.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use crate::support;

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Skeleton};
use posekit::solve::{Method, Settings, Workspace, solve};
use posekit::task::{Custom, Distance, Formula, Position, Row, Task, TaskKind, Unit, Wrench};
use support::{Rng, space_limb};

/// A position, as a program would write it.
#[derive(Debug)]
struct At(Frame, DVec3);

impl Formula for At {
    fn name(&self) -> &'static str {
        "at"
    }

    fn frames(&self) -> [Option<Frame>; 2] {
        [Some(self.0), None]
    }

    fn rows(&self, [frame, world]: &[Pose; 2], push: &mut dyn FnMut(Row)) {
        assert_eq!(*world, Pose::IDENTITY, "a frame that is none is the world's own");
        let miss = self.1 - frame.translation;
        for (k, axis) in DVec3::AXES.into_iter().enumerate() {
            push(Row::new(Unit::Length, miss[k], Wrench::push(axis)));
        }
    }

    fn is_sound(&self) -> bool {
        self.1.is_finite()
    }
}

/// At most so far apart, and the angle between the x axes of two frames.
#[derive(Debug)]
struct Rope([Frame; 2], f64);

impl Formula for Rope {
    fn name(&self) -> &'static str {
        "rope"
    }

    fn frames(&self) -> [Option<Frame>; 2] {
        self.0.map(Some)
    }

    fn rows(&self, [a, b]: &[Pose; 2], push: &mut dyn FnMut(Row)) {
        let line = b.translation - a.translation;
        let out = Wrench::push(line.normalize_or(DVec3::X));
        push(Row::between(Unit::Length, line.length() - self.1, out, -out).floor());
    }
}

fn settings() -> Settings {
    Settings::default()
}

#[test]
fn a_position_of_ones_own_is_that_of_the_library() {
    for seed in 0..200 {
        let rng = &mut Rng::new(seed);
        let by = [1.0, 1000.0, 0.01][rng.below(3)];
        let lengths: Vec<f64> = (0..rng.whole(2, 6)).map(|_| by * rng.between(0.3, 1.0)).collect();
        let (skeleton, tip) = space_limb(&lengths);
        let mut pose =
            || (0..lengths.len()).flat_map(|_| rng.rotation().to_array()).collect::<Vec<_>>();
        let (truth, start) = (pose(), pose());
        let target = tip.world(&skeleton.poses(&truth)).translation;
        let run = |task: Task| {
            solve(&skeleton, &start, &[task], Method::LeastSquares, &settings()).unwrap()
        };
        let (own, library) =
            (run(Custom::new(At(tip, target)).into()), run(Position::new(tip, target).into()));
        assert!(own.is_reached(), "seed {seed}: {:?}", own.status);
        assert_eq!(own.iterations, library.iterations, "seed {seed}");
        let off = own.configuration.iter().zip(&library.configuration);
        let off = off.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-6, "seed {seed}: {off}");
        let miss = Task::new(Custom::new(At(tip, target))).miss(&skeleton, &own.configuration);
        assert!((miss.distance - own.misses[0].distance).abs() <= 1e-12 * by, "seed {seed}");
    }
}

/// Two arms on one stem.
fn arms() -> (Skeleton, [Frame; 2]) {
    let mut builder = Skeleton::builder();
    let bone = Pose::from_translation(DVec3::X);
    let stem = builder.add(Joint::ball("stem"));
    let ends = [1.0, -1.0].map(|side| {
        let at = Pose::from_translation(DVec3::Y * side);
        let upper = builder.add(Joint::ball(format!("upper {side}")).child_of(stem).at(at));
        builder.add(Joint::ball(format!("lower {side}")).child_of(upper).at(bone))
    });
    (builder.build().unwrap(), ends.map(|joint| Frame::new(joint, bone)))
}

#[test]
fn an_inequality_on_two_frames_has_a_level() {
    let (skeleton, hands) = arms();
    let rope = Task::new(Custom::new(Rope(hands, 0.5)));
    let away = Task::new(Position::new(hands[0], DVec3::new(0.0, 2.5, 0.0))).at_level(2);
    let tasks = [rope.clone(), away.clone()];
    let solution =
        solve(&skeleton, &skeleton.neutral(), &tasks, Method::Auto, &settings()).unwrap();
    assert!(solution.is_reached(), "{:?}", solution.status);
    let library = [Distance::between(hands, 0.0, 0.5).into(), away];
    let other = solve(&skeleton, &skeleton.neutral(), &library, Method::Auto, &settings()).unwrap();
    let off = solution.misses[1].distance - other.misses[1].distance;
    assert!(off.abs() < 1e-6, "as far as with the library's own: {off}");
    assert_eq!(rope.kind.name(), "rope");
}

#[test]
fn targets_of_ones_own_move() {
    let (skeleton, tip) = space_limb(&[1.0, 0.8, 0.5]);
    let at = |x: f64| -> TaskKind { Custom::new(At(tip, DVec3::new(x, 1.0, 0.2))).into() };
    let mut workspace = Workspace::default();
    let tasks = [Task::new(at(0.5))];
    workspace
        .begin(&skeleton, &skeleton.neutral(), &tasks, Method::LeastSquares, &settings())
        .unwrap();
    for step in 0..10 {
        let kind = at(0.5 + 0.05 * f64::from(step));
        workspace.set_target(0, &kind).unwrap();
        let solution = workspace.run();
        assert!(solution.is_reached(), "step {step}");
        let miss = Task::new(kind).miss(&skeleton, &solution.configuration);
        assert!(miss.distance < 3e-6, "step {step}: {miss:?}");
    }
    let other = Custom::new(Rope([tip; 2], 1.0)).into();
    assert!(workspace.set_target(0, &other).unwrap_err().is_unsuited());
}

#[test]
fn what_is_not_sound_is_refused() {
    let (skeleton, tip) = space_limb(&[1.0, 1.0]);
    let task: Task = Custom::new(At(tip, DVec3::NAN)).into();
    let refused = task.check(&skeleton, 3).unwrap_err();
    assert!(refused.is_out_of_range() && refused.index() == Some(3), "{refused}");
    let elsewhere: Task = Custom::new(At(Frame::new(9, Pose::IDENTITY), DVec3::X)).into();
    assert!(elsewhere.check(&skeleton, 0).is_err());
}
