//! Legs and plants of made-up figures.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a helper of a test may fail and speak as a test does"
)]

use posekit::glam::DVec3;
use posekit::math::{Pose, rotation_about, sin_cos};
use posekit::skeleton::{Joint, Skeleton};
use posekit_motion::{
    CleanSettings, Clip, FloorChoice, Leg, Limb, Part, Plant, find_floor, find_legs, judge, measure,
};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

/// A body on four legs with a tail and a head, its joints numbered.
fn dog() -> Skeleton {
    let mut joints = vec![Joint::free("0"), Joint::ball("1").at(at(0.0, 0.0, 0.6)).child_of(0)];
    for (body, x) in [(0, 0.1), (0, -0.1), (1, 0.1), (1, -0.1)] {
        for (k, place) in
            [at(x, 0.0, 0.0), at(0.0, -0.25, 0.05), at(0.0, -0.25, -0.05), at(0.0, -0.05, 0.08)]
                .into_iter()
                .enumerate()
        {
            let parent = if k == 0 { body } else { joints.len() - 1 };
            joints.push(Joint::ball(format!("{}", joints.len())).at(place).child_of(parent));
        }
    }
    for (body, z) in [(0, -0.2), (1, 0.2)] {
        for k in 0..3 {
            let parent = if k == 0 { body } else { joints.len() - 1 };
            joints.push(
                Joint::ball(format!("{}", joints.len())).at(at(0.0, 0.1, z)).child_of(parent),
            );
        }
    }
    Skeleton::try_new(joints).unwrap()
}

#[test]
fn quadrupeds_have_four_legs() {
    let skeleton = dog();
    let clip = Clip::try_new(skeleton.clone(), 0.1, skeleton.neutral()).unwrap();
    let found = find_legs(&clip);
    let ends: Vec<usize> = found.legs.iter().map(|leg| leg.limb.end).collect();
    assert_eq!(ends, [4, 8, 12, 16], "{}", found.reason);
    assert!(found.legs.iter().all(|leg| leg.ball == Some(leg.limb.end + 1)));
}

#[test]
fn figures_without_legs_say_so() {
    let chain = vec![
        Joint::ball("a"),
        Joint::ball("b").at(at(0.0, 1.0, 0.0)).child_of(0),
        Joint::ball("c").at(at(0.0, 1.0, 0.0)).child_of(1),
    ];
    let skeleton = Skeleton::try_new(chain).unwrap();
    let clip = Clip::try_new(skeleton.clone(), 0.1, skeleton.neutral()).unwrap();
    let found = find_legs(&clip);
    assert!(found.legs.is_empty());
    assert_eq!(found.candidates, ["c"]);
    assert!(found.reason.starts_with("no legs"), "{}", found.reason);
}

#[test]
fn limbs_pass_over_twist_joints_and_short_bones() {
    let joints = vec![
        Joint::free("hips"),
        Joint::ball("pelvis").at(at(0.05, 0.0, 0.0)).child_of(0),
        Joint::ball("thigh").at(at(0.05, -0.05, 0.0)).child_of(1),
        Joint::ball("thigh twist").at(at(0.0, -0.2, 0.0)).child_of(2),
        Joint::ball("knee").at(at(0.0, -0.2, 0.0)).child_of(3),
        Joint::ball("shin twist").at(at(0.0, -0.2, 0.0)).child_of(4),
        Joint::ball("ankle").at(at(0.0, -0.2, 0.0)).child_of(5),
    ];
    let skeleton = Skeleton::try_new(joints).unwrap();
    let limb = Limb::ending_at(&skeleton, 6).unwrap();
    assert_eq!((limb.start, limb.mid, limb.end), (2, 4, 6));
    assert!((limb.length(&skeleton) - 0.8).abs() < 1e-12);
    assert_eq!(Limb::ending_at(&skeleton, 99), None);
    assert_eq!(Limb::ending_at(&skeleton, 0), None);
}

/// A body with two legs by name, and more joints below it.
fn person(more: impl IntoIterator<Item = Joint>) -> Clip {
    let mut joints = vec![Joint::free("hips")];
    for (side, x) in [("L", 0.1), ("R", -0.1)] {
        let hip = joints.len();
        joints.push(Joint::ball(format!("thigh.{side}")).at(at(x, 0.0, 0.0)).child_of(0));
        joints.push(Joint::ball(format!("shin.{side}")).at(at(0.0, -0.4, 0.02)).child_of(hip));
        joints.push(Joint::ball(format!("foot.{side}")).at(at(0.0, -0.4, -0.02)).child_of(hip + 1));
        // The toes of the right foot stand in another order.
        let mut toes = [(1, 0.02, 0.15), (2, 0.0, 0.14), (3, -0.02, 0.12)];
        if x < 0.0 {
            toes.rotate_left(1);
        } else {
            toes.reverse();
        }
        for (toe, inside, far) in toes {
            let place = at(-inside * x.signum(), -0.05, far);
            joints.push(Joint::ball(format!("toe{toe}.{side}")).at(place).child_of(hip + 2));
        }
    }
    joints.extend(more);
    let skeleton = Skeleton::try_new(joints).unwrap();
    Clip::try_new(skeleton.clone(), 0.1, skeleton.neutral()).unwrap()
}

#[test]
fn the_ball_is_the_same_toe_on_both_sides() {
    let clip = person([]);
    let legs = find_legs(&clip).legs;
    let balls: Vec<&str> = legs.iter().map(|leg| clip.skeleton().name(leg.ball.unwrap())).collect();
    assert_eq!(balls, ["toe1.L", "toe1.R"]);
}

/// Two branches of three joints each under the root, behind so many others: what it is called, and where each joint stands on the one before.
fn branches(n: usize, parts: [(&str, Pose); 3]) -> Vec<Joint> {
    let mut joints = Vec::new();
    for (side, x) in [("l", 0.1), ("r", -0.1)] {
        for (k, (part, place)) in parts.into_iter().enumerate() {
            let parent = if k == 0 { 0 } else { n + joints.len() - 1 };
            let aside = at(if k == 0 { x } else { 0.0 }, 0.0, 0.0);
            joints.push(Joint::ball(format!("{part}.{side}")).at(aside * place).child_of(parent));
        }
    }
    joints
}

#[test]
fn joints_that_steer_the_feet_are_no_more_legs() {
    let alone = person([]);
    let n = alone.skeleton().n_joints();
    // As rigs have them that roll a foot about its toes and its heel.
    let steer = branches(
        n,
        [
            ("control-toe-roll", at(0.0, -0.9, 0.15)),
            ("control-heel-roll", at(0.0, 0.0, -0.2)),
            ("control-foot-roll", at(0.0, 0.1, 0.05)),
        ],
    );
    let found = find_legs(&person(steer));
    assert_eq!(found.legs, find_legs(&alone).legs, "{}", found.reason);
    // Where the names say it, also if a pose has left them elsewhere; else they are legs there.
    let away = |names: [&'static str; 3]| {
        let places = [at(0.0, -0.9, 0.95), at(0.0, 0.0, -0.2), at(0.0, 0.1, 0.05)];
        let [a, b, c] = [0, 1, 2].map(|k| (names[k], places[k]));
        find_legs(&person(branches(n, [a, b, c]))).legs.len()
    };
    assert_eq!(away(["control-toe-roll", "control-heel-roll", "control-foot-roll"]), 2);
    assert_eq!(away(["upper", "middle", "lower"]), 4);
    // Away from the feet they are legs.
    let arms =
        [("arm", at(0.0, 0.0, 0.6)), ("elbow", at(0.0, -0.4, 0.0)), ("hand", at(0.0, -0.42, 0.0))];
    assert_eq!(find_legs(&person(branches(n, arms))).legs.len(), 4);
}

/// A star: so many limbs of three joints under one root, of one length.
fn star(n: usize) -> Skeleton {
    let mut joints = vec![Joint::free("root")];
    for limb in 0..n {
        let (sin, cos) = sin_cos(limb as f64);
        joints.push(Joint::ball(format!("a{limb}")).at(at(0.1 * cos, 0.0, 0.1 * sin)).child_of(0));
        joints.push(Joint::ball(format!("b{limb}")).at(at(0.0, -0.4, 0.0)).child_of(3 * limb + 1));
        joints.push(Joint::ball(format!("c{limb}")).at(at(0.0, -0.4, 0.0)).child_of(3 * limb + 2));
    }
    Skeleton::try_new(joints).unwrap()
}

#[test]
fn every_limb_of_many_is_found_once() {
    for n in [3, 8] {
        let skeleton = star(n);
        let clip = Clip::try_new(skeleton.clone(), 0.1, skeleton.neutral()).unwrap();
        let mut ends: Vec<usize> = find_legs(&clip).legs.iter().map(|leg| leg.limb.end).collect();
        ends.sort_unstable();
        assert_eq!(ends, (1..=n).map(|limb| 3 * limb).collect::<Vec<_>>());
    }
}

/// Joints of figures that no one has.
const MANY: usize = 400_000;

#[test]
fn finding_takes_time_by_the_number_of_joints() {
    let chain = |n: usize, kind: fn(String) -> Joint| {
        let joint = |k: usize| {
            let joint = kind(k.to_string()).at(at(0.0, -1.0, 0.0));
            if k == 0 { joint } else { joint.child_of(k - 1) }
        };
        Skeleton::try_new((0..n).map(joint).collect()).unwrap()
    };
    let limbs = MANY / 3;
    // By the square of the number of joints it would take longer than any test may.
    for (skeleton, n_legs) in
        [(star(limbs), limbs), (chain(MANY, Joint::ball), 0), (chain(MANY, Joint::fixed), 0)]
    {
        let clip = Clip::try_new(skeleton.clone(), 0.1, skeleton.neutral()).unwrap();
        let found = find_legs(&clip);
        assert_eq!(found.legs.len(), n_legs, "of {} joints", skeleton.n_joints());
        assert!(found.reason.len() < 200, "a reason for people: {} bytes", found.reason.len());
    }
}

/// Two straight legs on one body, and how each ankle is lifted and put forward by a slide; steps are climbed by the body.
fn stilts(steps: usize, rise: f64) -> (Clip, Vec<Leg>) {
    let mut joints = vec![Joint::free("hips")];
    for (side, x) in [("Left", 0.1), ("Right", -0.1)] {
        let hip = joints.len();
        joints.push(Joint::free(format!("{side}UpLeg")).at(at(x, 0.0, 0.0)).child_of(0));
        joints.push(Joint::ball(format!("{side}Leg")).at(at(0.0, -0.4, 0.0)).child_of(hip));
        joints.push(Joint::ball(format!("{side}Foot")).at(at(0.0, -0.4, 0.0)).child_of(hip + 1));
    }
    let skeleton = Skeleton::try_new(joints).unwrap();
    let mut values = Vec::new();
    let per_step = 60;
    for frame in 0..steps * per_step {
        let time = frame as f64 / per_step as f64;
        let mut q = skeleton.neutral();
        for (leg, from) in [(1, 0.0), (4, 1.0)] {
            // One leg swings while the other stands, two steps far and high, and both stand a little in between.
            let stride = ((time - from) / 2.0).floor();
            let part = (((time - from) / 2.0 - stride) * 2.0 * 1.25).min(1.0);
            let eased = part * part * (3.0 - 2.0 * part);
            let at = 2.0 * stride + 2.0 * eased;
            let (lift, _) = sin_cos(core::f64::consts::PI * part);
            let place = skeleton.value_range(leg).start;
            q[place + 1] = rise * at + 0.2 * lift;
            q[place + 2] = 0.3 * at;
        }
        values.extend(q);
    }
    let clip = Clip::try_new(skeleton, 1.0 / 60.0, values).unwrap();
    let legs = find_legs(&clip).legs;
    assert_eq!(legs.len(), 2, "both are named");
    (clip, legs)
}

fn plants(clip: &Clip, legs: &[Leg], floor: FloorChoice) -> Vec<Plant> {
    let settings = CleanSettings { floor, ..CleanSettings::default() };
    let judged = judge(clip, legs, &settings, None).unwrap();
    judged.plants.into_iter().map(|report| report.plant).collect()
}

#[test]
fn stairs_are_climbed_plant_by_plant() {
    let (clip, legs) = stilts(8, 0.15);
    for choice in [FloorChoice::PerPlant, FloorChoice::Level, FloorChoice::Fit] {
        let floor = find_floor(&clip, &legs, choice);
        let plants = plants(&clip, &legs, choice);
        assert!((8..=10).contains(&plants.len()), "{choice:?}: {plants:?}");
        assert!(plants.iter().all(|plant| plant.part == Part::Heel));
        let metrics = measure(&clip, None, &legs, &plants, &floor);
        assert!(metrics.drift_max < 0.06, "{choice:?}: {}", metrics.drift_max);
    }
}

#[test]
fn a_tilted_floor_is_found() {
    let (clip, legs) = stilts(8, 0.0);
    let tilt = rotation_about(DVec3::X, 0.08);
    let mut values = clip.values().to_vec();
    for q in values.chunks_mut(clip.skeleton().n_values()) {
        q[3..7].copy_from_slice(&tilt.to_array());
    }
    let tilted = clip.with_values(values).unwrap();
    let floor = find_floor(&tilted, &legs, FloorChoice::Fit);
    let off = (floor.normal - tilt * DVec3::Y).length();
    assert!(off < 0.01, "{floor:?} is off by {off}");
    let level = find_floor(&tilted, &legs, FloorChoice::Level);
    assert_eq!(level.normal, DVec3::Y);
    let given = find_floor(&tilted, &legs, FloorChoice::Given(floor));
    assert_eq!(given, floor);
}

#[test]
fn nothing_is_made_of_nothing() {
    let (clip, legs) = stilts(2, 0.0);
    let empty = clip.with_values(Vec::new()).unwrap();
    let one = clip.with_values(clip.frame(0).to_vec()).unwrap();
    for choice in [FloorChoice::Fit, FloorChoice::Level, FloorChoice::PerPlant] {
        let floor = find_floor(&empty, &legs, choice);
        assert!(plants(&empty, &legs, choice).is_empty());
        let metrics = measure(&empty, Some(&empty), &legs, &[], &floor);
        assert_eq!((metrics.drift_max, metrics.jerk, metrics.slide), (0.0, 0.0, 0.0));
        let floor = find_floor(&one, &legs, choice);
        assert!(floor.point.is_finite() && floor.normal.is_finite());
        let metrics = measure(&one, Some(&one), &legs, &plants(&one, &legs, choice), &floor);
        assert_eq!(metrics.change.unwrap().distance, 0.0);
        assert!(plants(&clip, &[], choice).is_empty());
    }
}
