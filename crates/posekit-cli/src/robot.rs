//! A robot with the options for its target and start.

use posekit::glam::{DQuat, DVec3};
use posekit::skeleton::{Frame, JointKind, Skeleton};
use posekit_io::problem::{Body, Origin, Rig, Scene, end_links, only_tip};
use posekit_io::{Place, Robot, Warnings};

use crate::args::RobotArgs;
use crate::failure::{Failure, Result};

/// At most this many links are suggested in a message: a hand has many ends, and the reader looks for one.
const LINKS: usize = 8;
/// Names with this similarity (Jaro and Winkler) are taken for what was meant.
const SIMILAR: f64 = 0.8;
/// At most this many joints are listed in a message: enough for all joints of an arm, because their order matters.
const JOINTS: usize = 24;

/// The scene that the options describe.
pub(crate) fn scene(robot: &Robot, args: &RobotArgs, warnings: &mut Warnings) -> Result<Scene> {
    let tip_name = tip_name(robot, args.tip.as_deref())?;
    let target = args.position.as_deref().map(DVec3::from_slice);
    let orientation = args.orientation.as_deref().map(unit_rotation).transpose()?;
    // A wrong name is reported first.
    if robot.frame(tip_name).is_some() && target.is_none() && orientation.is_none() {
        return Err(Failure::usage(format!(
            "give a target for {tip_name}: --position X Y Z, --orientation X Y Z W, or both"
        )));
    }
    let rig = rig(robot, tip_name, args.start.as_deref(), warnings)?;
    Ok(Scene {
        title: robot.name().to_owned(),
        unit: "m",
        up: DVec3::Z,
        body: Body::Joints(Box::new(Rig { target, orientation, ..rig })),
    })
}

/// The robot with its tip and its start, without a target.
pub(crate) fn rig(
    robot: &Robot,
    tip_name: &str,
    start: Option<&[f64]>,
    warnings: &mut Warnings,
) -> Result<Rig> {
    let tip = link_frame(robot, tip_name)?;
    let skeleton = robot.skeleton().clone();
    let mut rig = Rig {
        origin: Origin::Robot,
        start: robot.start_configuration(),
        skeleton,
        tip,
        target: None,
        orientation: None,
        weights: Vec::new(),
    };
    if rig.moving().is_empty() {
        let root = &robot.root_link().name;
        return Err(Failure::usage(format!(
            "no joint moves {tip_name}: it is fixed to the root link {root}{}",
            candidates(robot)
        )));
    }
    if let Some(values) = start {
        place_start(&mut rig, tip_name, values, warnings)?;
    }
    Ok(rig)
}

/// The frame of a link.
pub(crate) fn link_frame(robot: &Robot, link: &str) -> Result<Frame> {
    robot.frame(link).ok_or_else(|| Failure::usage(no_such_link(robot, link)))
}

/// The link that `--tip` names; without it the [`only_tip`].
pub(crate) fn tip_name<'a>(robot: &'a Robot, given: Option<&'a str>) -> Result<&'a str> {
    given.or_else(|| only_tip(robot)).ok_or_else(|| {
        let name = robot.name();
        Failure::usage(format!("--tip LINK is missing for the robot {name}{}", candidates(robot)))
    })
}

fn no_such_link(robot: &Robot, tip: &str) -> String {
    let links = robot.links().iter().map(|link| link.name.as_str());
    let names = links.chain(robot.frames().iter().map(|frame| frame.name.as_str()));
    let mut similar: Vec<(f64, &str)> =
        names.map(|name| (strsim::jaro_winkler(tip, name), name)).collect();
    similar.retain(|&(similarity, _)| similarity >= SIMILAR);
    similar.sort_by(|a, b| b.0.total_cmp(&a.0));
    let similar: Vec<&str> = similar.into_iter().map(|(_, name)| name).collect();
    let hint = match &*similar {
        [] => candidates(robot),
        similar => format!("; similar: {}", listed(similar, LINKS)),
    };
    format!("there is no link {tip}{hint}")
}

/// The links at the ends of the tree, the usual tips.
fn candidates(robot: &Robot) -> String {
    match &*end_links(robot) {
        [] => "; no joint moves any of its links".to_owned(),
        ends => format!("; links at the ends: {}", listed(ends, LINKS)),
    }
}

fn listed(names: &[&str], most: usize) -> String {
    match names.len().saturating_sub(most) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..most].join(", ")),
    }
}

/// The rotation of `--orientation`.
pub(crate) fn unit_rotation(values: &[f64]) -> Result<DQuat> {
    let rotation = DQuat::from_slice(values);
    let length = rotation.length();
    if (length - 1.0).abs() > 1e-3 {
        return Err(Failure::usage(format!(
            "--orientation must be a unit quaternion X Y Z W, its length is {length}"
        )));
    }
    Ok(rotation * length.recip())
}

/// Assigns the values of `--start` to the joints that move the tip, or to all joints.
fn place_start(rig: &mut Rig, tip: &str, values: &[f64], warnings: &mut Warnings) -> Result<()> {
    let skeleton = &rig.skeleton;
    let is_independent = |&joint: &usize| skeleton.mimic(joint).is_none();
    let n_values = |joints: &[usize]| -> usize {
        joints.iter().map(|&joint| skeleton.value_range(joint).len()).sum()
    };
    // A mimic joint on the path is given by its driver, which may be off the path.
    let mut on_path: Vec<usize> = rig
        .moving()
        .into_iter()
        .map(|joint| skeleton.mimic(joint).map_or(joint, |mimic| mimic.joint))
        .collect();
    on_path.sort_unstable();
    on_path.dedup();
    let all: Vec<usize> = (0..skeleton.n_joints())
        .filter(|&joint| skeleton.kind(joint) != JointKind::Fixed)
        .filter(is_independent)
        .collect();
    let joints = if values.len() == n_values(&on_path) {
        &on_path
    } else if values.len() == n_values(&all) {
        &all
    } else {
        let names: Vec<&str> = on_path.iter().map(|&joint| skeleton.name(joint)).collect();
        let or_all = if all.len() == on_path.len() {
            String::new()
        } else {
            format!(", or {} for all joints", n_values(&all))
        };
        return Err(Failure::usage(format!(
            "--start has {} values; give {} for the joints that move {tip} ({}){or_all}",
            values.len(),
            n_values(&on_path),
            listed(&names, JOINTS),
        )));
    };
    let mut next = values.iter();
    for &joint in joints {
        for (slot, value) in rig.start[skeleton.value_range(joint)].iter_mut().zip(&mut next) {
            *slot = *value;
        }
    }
    skeleton.check(&rig.start).map_err(|error| Failure::usage(format!("--start: {error}")))?;
    skeleton.settle(&mut rig.start);
    let given = rig.start.clone();
    skeleton.clamp(&mut rig.start);
    warn_of_clamped(skeleton, &given, &rig.start, warnings);
    Ok(())
}

/// Clamps a start to the limits, with a warning.
fn warn_of_clamped(skeleton: &Skeleton, given: &[f64], used: &[f64], warnings: &mut Warnings) {
    for joint in (0..skeleton.n_joints()).filter(|&joint| skeleton.mimic(joint).is_none()) {
        let values = skeleton.value_range(joint);
        if given[values.clone()] != used[values.clone()] {
            let listed =
                |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
            let (from, to) = (listed(&given[values.clone()]), listed(&used[values]));
            let place = Place::named(format!("--start, joint {}", skeleton.name(joint)));
            warnings.push(place, format!("{from} is outside its limit; {to} is used"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posekit_io::{Limits, urdf};

    /// A palm with this many fingers, each on a hinge.
    fn hand(fingers: usize) -> Robot {
        let mut text = "<robot name='hand'><link name='base'/><link name='palm'/>".to_owned();
        let mut hinge = |name: &str, parent: &str, child: &str| {
            text.push_str(&format!(
                "<joint name='{name}' type='continuous'><parent link='{parent}'/><child link='{child}'/>\
                 <origin xyz='0.1 0 0'/><axis xyz='0 0 1'/></joint>"
            ));
        };
        hinge("wrist", "base", "palm");
        for finger in 0..fingers {
            hinge(&format!("knuckle{finger}"), "palm", &format!("finger{finger}"));
        }
        for finger in 0..fingers {
            text.push_str(&format!("<link name='finger{finger}'/>"));
        }
        text.push_str("</robot>");
        urdf::read_bytes(text.as_bytes(), &Limits::default(), &mut Warnings::new()).unwrap()
    }

    #[test]
    fn the_only_tip_is_the_one_that_a_joint_moves() {
        let text = "<robot name='arm'><link name='base_link'/><link name='base'/><link name='tool0'/>\
            <joint name='fixed' type='fixed'><parent link='base_link'/><child link='base'/></joint>\
            <joint name='pan' type='continuous'><parent link='base_link'/><child link='tool0'/></joint></robot>";
        let arm =
            urdf::read_bytes(text.as_bytes(), &Limits::default(), &mut Warnings::new()).unwrap();
        assert_eq!(tip_name(&arm, None).ok(), Some("tool0"));
    }

    fn args(tip: &str) -> RobotArgs {
        let position = Some(vec![0.1, 0.0, 0.0]);
        RobotArgs { tip: Some(tip.to_owned()), position, orientation: None, start: None }
    }

    fn message(robot: &Robot, tip: &str) -> String {
        let failure = scene(robot, &args(tip), &mut Warnings::new()).unwrap_err();
        failure.error.unwrap().to_string()
    }

    #[test]
    fn at_most_eight_links_are_proposed() {
        let names = |count: usize| (0..count).map(|i| format!("finger{i}")).collect::<Vec<_>>();
        let expected =
            format!("there is no link thumb; links at the ends: {}", names(8).join(", "));
        assert_eq!(message(&hand(8), "thumb"), expected);
        assert_eq!(message(&hand(30), "thumb"), format!("{expected} and 22 more"));
    }

    #[test]
    fn links_with_similar_names_are_proposed_first() {
        assert_eq!(message(&hand(3), "plam"), "there is no link plam; similar: palm");
        let expected = "there is no link finger; similar: finger0, finger1, finger2";
        assert_eq!(message(&hand(3), "finger"), expected);
    }

    #[test]
    fn a_tip_is_needed_where_there_are_several_ends() {
        assert_eq!(tip_name(&hand(1), None).ok(), Some("finger0"));
        assert_eq!(tip_name(&hand(2), Some("palm")).ok(), Some("palm"));
        let error = tip_name(&hand(2), None).unwrap_err().error.unwrap().to_string();
        let expected =
            "--tip LINK is missing for the robot hand; links at the ends: finger0, finger1";
        assert_eq!(error, expected);
    }

    #[test]
    fn an_inner_link_may_be_the_tip() {
        let scene = scene(&hand(3), &args("palm"), &mut Warnings::new()).unwrap();
        let Body::Joints(rig) = &scene.body else { panic!("a robot has joints") };
        let moving: Vec<&str> =
            rig.moving().into_iter().map(|joint| rig.skeleton.name(joint)).collect();
        assert_eq!(moving, ["wrist"]);
    }
}
