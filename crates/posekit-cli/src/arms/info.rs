//! `posekit info` of a robot: its links and joints, and the arms that end at its tips.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use posekit::arm::Arm;
use posekit::skeleton::{JointKind, Skeleton};
use posekit_io::Robot;
use posekit_io::problem::end_links;
use serde::Serialize;

use crate::failure::{Failure, Result};
use crate::input::read_robot;
use crate::motion_args::InfoArgs;
use crate::output::print;
use crate::report::{length, limit_of};
use crate::table::{Align, Cell, Table, width};

/// Whether a file begins like a robot: other XML could be anything.
pub(crate) fn is_robot_file(path: &Path) -> bool {
    /// The first tag is within these bytes, possibly after a comment.
    const HEAD: u64 = 1 << 16;
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    let begins = |tag: &[u8]| head.windows(tag.len()).any(|bytes| bytes == tag);
    read.is_ok() && (begins(b"<robot") || begins(b"<mujoco"))
}

/// Reads the robot and prints its description.
pub(crate) fn info(args: &InfoArgs) -> Result<()> {
    if let Some(option) = args.input.first_given().or(args.batch.first_given()) {
        return Err(Failure::usage(format!(
            "{option} applies to motions, but this file is a robot"
        )));
    }
    let file = read_robot(&args.input.file)?;
    let tips: Vec<Tip> = end_links(&file.robot).iter().map(|link| tip(&file.robot, link)).collect();
    let text = if args.batch.json { json(&file.robot, &tips)? } else { text(&file.robot, &tips) };
    print(&text)
}

/// A tip, and the joints that move it.
#[derive(Debug, Serialize)]
struct Tip {
    link: String,
    /// The moving joints between the root and the tip, root first.
    joints: Vec<String>,
    /// The length of the arm, if it has one \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    reach: Option<f64>,
    /// The family of its closed form, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<String>,
    /// Why the arm's own solver does not apply, if it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    unsuited: Option<String>,
}

fn tip(robot: &Robot, link: &str) -> Tip {
    let skeleton = robot.skeleton();
    let (mut joints, mut reach) = (Vec::new(), None);
    let (mut family, mut unsuited) = (None, None);
    if let Some(frame) = robot.frame(link) {
        let moving = skeleton.ancestors(frame.joint);
        let moving = moving.filter(|&joint| skeleton.kind(joint) != JointKind::Fixed);
        joints = moving.map(|joint| skeleton.name(joint).to_owned()).collect();
        joints.reverse();
        if !joints.is_empty() {
            match Arm::new(skeleton, frame) {
                Ok(arm) => {
                    reach = Some(arm.reach()).filter(|reach| reach.is_finite());
                    family = arm.family().map(ToString::to_string);
                }
                Err(error) => unsuited = Some(error.to_string()),
            }
        }
    }
    Tip { link: link.to_owned(), joints, reach, family, unsuited }
}

fn text(robot: &Robot, tips: &[Tip]) -> String {
    let skeleton = robot.skeleton();
    let moving = |joint: &usize| skeleton.kind(*joint) != JointKind::Fixed;
    let n_moving = (0..skeleton.n_joints()).filter(moving).count();
    let n_following = (0..skeleton.n_joints()).filter(|&j| skeleton.mimic(j).is_some()).count();
    let following = match n_following {
        0 => String::new(),
        n => format!(", {n} of them mimic others"),
    };
    let mass: f64 = robot.bodies().iter().map(|body| body.mass).sum();
    let mass = if mass > 0.0 { format!(", {mass:.1} kg") } else { String::new() };
    let shapes = match robot.shapes().len() {
        0 => String::new(),
        n => format!(", {n} collision shapes"),
    };
    format!(
        "{}: {} links, {} joints, {n_moving} of which move{following}{mass}{shapes}\n\n{}\n{}",
        robot.name(),
        robot.links().len(),
        robot.joints().len(),
        link_table(robot).render(width()),
        tip_table(tips).render(width()),
    )
}

/// A table of links and the joints that move them; branches are indented, chains are not.
fn link_table(robot: &Robot) -> Table {
    let mut table = Table::new(&[
        ("link", Align::Left),
        ("joint", Align::Left),
        ("kind", Align::Left),
        ("limit", Align::Left),
        ("speed", Align::Right),
    ]);
    let links = robot.links();
    let mut children = vec![Vec::new(); links.len()];
    let mut carriers = vec![Vec::new(); links.len()];
    for (index, link) in links.iter().enumerate() {
        if let Some(parent) = link.parent {
            children[parent].push(index);
        }
    }
    for joint in robot.joints() {
        carriers[joint.child_link].push(joint);
    }
    // The last is next: link, indentation.
    let roots = (0..links.len()).filter(|&link| links[link].parent.is_none());
    let mut stack: Vec<(usize, usize)> = roots.map(|link| (link, 0)).collect();
    while let Some((link, depth)) = stack.pop() {
        let is_branch = links[link].parent.is_some_and(|parent| children[parent].len() > 1);
        let mark =
            if is_branch { format!("{}- ", "  ".repeat(depth - 1)) } else { "  ".repeat(depth) };
        let name = format!("{mark}{}", links[link].name);
        if carriers[link].is_empty() {
            let kind = if links[link].parent.is_some() { "fixed" } else { "" };
            table.row([Cell::new(&name), Cell::new(""), Cell::new(kind)]);
        }
        for (k, joint) in carriers[link].iter().enumerate() {
            let moves = joint.skeleton_joints.clone();
            let speed = speed_words(robot, moves.start);
            let limits = moves.map(|joint| limit_words(robot.skeleton(), joint));
            let limits: Vec<String> = limits.filter(|words| !words.is_empty()).collect();
            // A body with several joints is named only once.
            let name = if k == 0 { name.as_str() } else { "" };
            let is_fixed = joint.kind.name() == "fixed";
            let cells = [name, &joint.name, joint.kind.name()].map(Cell::new);
            let cells = cells.map(|cell| if is_fixed { cell.quiet() } else { cell });
            table.row(cells.into_iter().chain([limits.join("; "), speed].map(Cell::new)));
        }
        let depth = if children[link].len() > 1 { depth + 1 } else { depth };
        stack.extend(children[link].iter().rev().map(|&child| (child, depth)));
    }
    table
}

/// The velocity limit of a joint with one value, if the file has one.
fn speed_words(robot: &Robot, joint: usize) -> String {
    let skeleton = robot.skeleton();
    let dofs = skeleton.dof_range(joint);
    if dofs.len() != 1 || skeleton.mimic(joint).is_some() {
        return String::new();
    }
    let limit = robot.velocity_limits()[dofs.start];
    match (limit.is_finite(), skeleton.kind(joint)) {
        (false, _) => String::new(),
        (true, JointKind::Prismatic { .. }) => format!("{limit:.2} m/s"),
        (true, _) => format!("{:.0}°/s", limit.to_degrees()),
    }
}

/// The limit of a joint, or the joint that it mimics; empty for a fixed joint.
fn limit_words(skeleton: &Skeleton, joint: usize) -> String {
    if skeleton.kind(joint) == JointKind::Fixed {
        return String::new();
    }
    let Some(mimic) = skeleton.mimic(joint) else { return limit_of(skeleton, joint, "m") };
    let times =
        if mimic.multiplier == 1.0 { String::new() } else { format!(" × {}", mimic.multiplier) };
    let plus = match mimic.offset {
        0.0 => String::new(),
        offset if offset < 0.0 => format!(" - {}", -offset),
        offset => format!(" + {offset}"),
    };
    format!("mimics {}{times}{plus}", skeleton.name(mimic.joint))
}

fn tip_table(tips: &[Tip]) -> Table {
    let mut table = Table::new(&[
        ("tip", Align::Left),
        ("joints", Align::Right),
        ("reach", Align::Right),
        ("from", Align::Left),
        ("to", Align::Left),
        ("solved by", Align::Left),
    ]);
    for tip in tips {
        let end = |joint: Option<&String>| Cell::new(joint.map_or("", String::as_str));
        table.row([
            Cell::new(&tip.link).accent(),
            Cell::new(tip.joints.len().to_string()),
            Cell::new(tip.reach.map(|reach| length(reach, "m")).unwrap_or_default()),
            end(tip.joints.first()),
            end(tip.joints.last()),
            Cell::new(solved_by(tip)),
        ]);
    }
    table
}

/// The solver for poses of the tip.
fn solved_by(tip: &Tip) -> String {
    match (tip.joints.is_empty(), &tip.unsuited, &tip.family) {
        (true, ..) => "nothing moves it".to_owned(),
        (false, Some(_), _) => "least squares".to_owned(),
        (false, None, Some(family)) => format!("closed form: {family}"),
        (false, None, None) => "arm, numeric".to_owned(),
    }
}

fn json(robot: &Robot, tips: &[Tip]) -> Result<String> {
    #[derive(Serialize)]
    struct Info<'a> {
        schema: &'static str,
        name: &'a str,
        root: &'a str,
        links: Vec<&'a str>,
        joints: Vec<Joint<'a>>,
        tips: &'a [Tip],
    }
    #[derive(Serialize)]
    struct Joint<'a> {
        name: &'a str,
        kind: &'static str,
        parent: &'a str,
        child: &'a str,
        /// For each value \[rad, m\]; `null` where there is none.
        limits: Vec<[Option<f64>; 2]>,
        /// For each degree of freedom \[rad/s, m/s\]; `null` where there is none.
        max_speeds: Vec<Option<f64>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        mimic: Option<Mimic<'a>>,
    }
    #[derive(Serialize)]
    struct Mimic<'a> {
        joint: &'a str,
        multiplier: f64,
        offset: f64,
    }
    let skeleton = robot.skeleton();
    let link = |index: usize| robot.links()[index].name.as_str();
    let finite = |bound: f64| bound.is_finite().then_some(bound);
    let speeds = |joint| {
        let dofs = skeleton.dof_range(joint);
        robot.velocity_limits()[dofs].iter().map(|&limit| finite(limit))
    };
    let joints = robot.joints().iter().map(|joint| {
        let mut moves = joint.skeleton_joints.clone();
        let limits = moves.clone().filter(|&joint| skeleton.kind(joint) != JointKind::Fixed);
        let limits =
            limits.map(|joint| <[f64; 2]>::from(skeleton.limit(joint).bounds()).map(finite));
        Joint {
            name: &joint.name,
            kind: joint.kind.name(),
            parent: link(joint.parent_link),
            child: link(joint.child_link),
            limits: limits.collect(),
            max_speeds: moves.clone().flat_map(speeds).collect(),
            mimic: moves.find_map(|joint| skeleton.mimic(joint)).map(|mimic| Mimic {
                joint: skeleton.name(mimic.joint),
                multiplier: mimic.multiplier,
                offset: mimic.offset,
            }),
        }
    });
    let info = Info {
        schema: "posekit.robot-info/1",
        name: robot.name(),
        root: &robot.root_link().name,
        links: robot.links().iter().map(|link| link.name.as_str()).collect(),
        joints: joints.collect(),
        tips,
    };
    Ok(serde_json::to_string_pretty(&info).map_err(Failure::output)? + "\n")
}
