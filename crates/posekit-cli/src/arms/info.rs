//! `posekit info` of a robot: its links and joints, and the arms that end at its tips.

use std::path::Path;

use posekit::arm::Arm;
use posekit::skeleton::{JointKind, Skeleton};
use posekit_io::problem::{end_links, only_tip};
use posekit_io::{Limits, Robot, Warnings, srdf};
use serde::Serialize;

use super::robot_words::{Semantics, semantic_tables};
use crate::failure::{Failure, Result};
use crate::input::{RobotFile, head, read_robot, say};
use crate::motion_args::InfoArgs;
use crate::output::{count, json, note, plain, print, report};
use crate::report::{length, limit_of};
use crate::table::{Align, Cell, Table, width};

/// Whether a file begins like a robot, as other XML could be anything, or is called one and cannot be read.
pub(crate) fn is_robot_file(path: &Path) -> bool {
    let head = head(path);
    if head.is_empty() {
        return path.extension().is_some_and(|word| word.eq_ignore_ascii_case("urdf"));
    }
    let begins = |tag: &[u8]| head.windows(tag.len()).any(|bytes| bytes == tag);
    begins(b"<robot") || begins(b"<mujoco")
}

/// Reads the robots and prints their descriptions; one of several that cannot be read does not stop the others.
pub(crate) fn info(args: &InfoArgs) -> Result<()> {
    if let Some(option) = args.input.first_given().or(args.batch.first_given()) {
        return Err(Failure::usage(format!(
            "{option} applies to motions, but this file is a robot"
        )));
    }
    if args.srdf.is_some() && args.input.files.len() > 1 {
        return Err(Failure::usage("--srdf applies to a single robot"));
    }
    let (mut robots, mut errors) = (Vec::new(), Vec::new());
    let mut ended = Ok(());
    for file in &args.input.files {
        match read_robot(file).and_then(|robot| with_srdf(robot, args.srdf.as_deref())) {
            Ok(robot) => robots.push(robot),
            Err(failure) => {
                errors.extend(failure.error.as_ref().map(|error| format!("{error:#}")));
                ended = match args.input.files.len() {
                    1 => Err(Failure { error: None, ..failure }),
                    _ => Err(Failure::some_failed()),
                };
            }
        }
    }
    if args.batch.json {
        let all: Vec<Info<'_>> = robots.iter().map(Info::of).collect();
        match all.as_slice() {
            [one] if errors.is_empty() => print(&json(one)?)?,
            _ => print(&json(&Several { schema: SCHEMA, robots: all, errors: &errors })?)?,
        }
    } else {
        let texts: Vec<String> = robots.iter().map(text).collect();
        report(&texts.join("\n"))?;
    }
    errors.iter().for_each(|error| note(&format!("error: {error}")));
    ended
}

/// The robot with the properties in its SRDF, if there is one.
fn with_srdf(file: RobotFile, srdf: Option<&Path>) -> Result<RobotFile> {
    let Some(srdf) = srdf else { return Ok(file) };
    let (mut warnings, name) = (Warnings::new(), srdf.display().to_string());
    let robot = srdf::merge_file(&file.robot, srdf, &Limits::default(), &mut warnings);
    let robot = robot.map_err(|error| Failure::in_file(error, &name))?;
    say(&warnings, &name);
    Ok(RobotFile { robot, ..file })
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

fn tip(robot: &Robot, link: &str) -> Option<Tip> {
    let (skeleton, frame) = (robot.skeleton(), robot.frame(link)?);
    let moving = skeleton.ancestors(frame.joint);
    let moving = moving.filter(|&joint| skeleton.kind(joint) != JointKind::Fixed);
    let mut joints: Vec<String> = moving.map(|joint| skeleton.name(joint).to_owned()).collect();
    joints.reverse();
    let (reach, family, unsuited) = match Arm::new(skeleton, frame) {
        Ok(arm) => {
            let reach = Some(arm.reach()).filter(|reach| reach.is_finite());
            (reach, arm.family().map(ToString::to_string), None)
        }
        Err(error) => (None, None, Some(error.to_string())),
    };
    Some(Tip { link: link.to_owned(), joints, reach, family, unsuited })
}

/// The tips of a robot, that of its only tool first.
fn tips(robot: &Robot) -> Vec<Tip> {
    let (only, ends) = (only_tip(robot), end_links(robot));
    let others = ends.into_iter().filter(|&link| Some(link) != only);
    only.into_iter().chain(others).filter_map(|link| tip(robot, link)).collect()
}

fn text(file: &RobotFile) -> String {
    let (robot, tips) = (&file.robot, tips(&file.robot));
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
        n => format!(", {}", count(n, "collision shape")),
    };
    let moves = if n_moving == 1 { "moves" } else { "move" };
    format!(
        "{}: {}, {}, {n_moving} of which {moves}{following}{mass}{shapes}\n\n{}\n{}{}{}",
        robot.name(),
        count(robot.links().len(), "link"),
        count(robot.joints().len(), "joint"),
        link_table(robot).render(width()),
        if tips.is_empty() { String::new() } else { tip_table(&tips).render(width()) },
        semantic_tables(robot),
        next_step(file, &tips),
    )
}

/// The command that solves for a pose of the first tip.
fn next_step(file: &RobotFile, tips: &[Tip]) -> String {
    let Some(tip) = tips.first() else { return String::new() };
    let (name, link) = (&file.path.display(), &tip.link);
    plain(&format!("\nTo reach a pose: posekit solve {name} --tip {link} --position X Y Z\n"))
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
    match (&tip.unsuited, &tip.family) {
        (Some(_), _) => "least squares".to_owned(),
        (None, Some(family)) => format!("closed form: {family}"),
        (None, None) => "arm, numeric".to_owned(),
    }
}

const SCHEMA: &str = "posekit.robot-info/1";

/// What `--json` prints for one robot.
#[derive(Serialize)]
struct Info<'a> {
    schema: &'static str,
    file: &'a str,
    name: &'a str,
    root: &'a str,
    links: Vec<&'a str>,
    joints: Vec<JointInfo<'a>>,
    tips: Vec<Tip>,
    #[serde(flatten)]
    semantics: Semantics<'a>,
}

/// The same for several.
#[derive(Serialize)]
struct Several<'a> {
    schema: &'static str,
    robots: Vec<Info<'a>>,
    /// Why the others cannot be read.
    errors: &'a [String],
}

#[derive(Serialize)]
struct JointInfo<'a> {
    name: &'a str,
    kind: &'static str,
    parent: &'a str,
    child: &'a str,
    /// For each value \[rad, m\]; `null` where there is none.
    limits: Vec<[Option<f64>; 2]>,
    /// For each degree of freedom \[rad/s, m/s\]; `null` where there is none.
    max_speeds: Vec<Option<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mimic: Option<MimicInfo<'a>>,
}

#[derive(Serialize)]
struct MimicInfo<'a> {
    joint: &'a str,
    multiplier: f64,
    offset: f64,
}

impl<'a> Info<'a> {
    fn of(file: &'a RobotFile) -> Self {
        let robot = &file.robot;
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
            JointInfo {
                name: &joint.name,
                kind: joint.kind.name(),
                parent: link(joint.parent_link),
                child: link(joint.child_link),
                limits: limits.collect(),
                max_speeds: moves.clone().flat_map(speeds).collect(),
                mimic: moves.find_map(|joint| skeleton.mimic(joint)).map(|mimic| MimicInfo {
                    joint: skeleton.name(mimic.joint),
                    multiplier: mimic.multiplier,
                    offset: mimic.offset,
                }),
            }
        });
        Self {
            schema: SCHEMA,
            file: &file.name,
            name: robot.name(),
            root: &robot.root_link().name,
            links: robot.links().iter().map(|link| link.name.as_str()).collect(),
            joints: joints.collect(),
            tips: tips(robot),
            semantics: Semantics::of(robot),
        }
    }
}
