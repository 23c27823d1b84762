//! The judge's robots: its own reader of URDF takes from a file only what moves the links; models of MuJoCo come from `posekit-io`, whose reader is tested against
//! MuJoCo itself.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use roxmltree::{Document, Node};

use super::matrix::{Matrix, Vector, norm};
use posekit::glam::{DMat3, DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{JointKind, Skeleton};
use posekit_io::{Limits, Warnings, mjcf};

/// A robot: a tree of links.
#[derive(Debug, Clone)]
pub struct Robot {
    /// The name of the file, without its ending.
    pub name: String,
    /// In the order of the file.
    pub joints: Vec<Joint>,
    /// The names of the links, in the order of the file.
    pub links: Vec<String>,
}

/// How a joint moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Motion {
    /// Not at all.
    Fixed,
    /// About a unit axis.
    Turn(Vector),
    /// Along a unit axis.
    Slide(Vector),
}

/// A joint between two links.
#[derive(Debug, Clone)]
pub struct Joint {
    /// Its name.
    pub name: String,
    /// Index of the link that it hangs on.
    pub parent: usize,
    /// Index of the link that it moves.
    pub child: usize,
    /// The translation and the fixed-axis angles of its origin, as the file has them.
    pub origin: (Vector, Vector),
    /// How it moves.
    pub motion: Motion,
    /// Bounds \[rad or m\], infinite where there are none.
    pub bounds: (f64, f64),
    /// The largest speed \[rad/s or m/s\], if the file has one above zero.
    pub velocity: Option<f64>,
    /// The joint that it follows, with multiplier and offset.
    pub mimic: Option<(usize, f64, f64)>,
}

impl Joint {
    /// From the parent link to the frame of the joint at zero.
    pub fn origin(&self) -> Matrix {
        Matrix::origin(self.origin.0, self.origin.1)
    }

    /// The motion at a value.
    pub fn at(&self, value: f64) -> Matrix {
        match self.motion {
            Motion::Fixed => Matrix::IDENTITY,
            Motion::Turn(axis) => Matrix::rotation(axis, value),
            Motion::Slide(axis) => Matrix::translation(axis.map(|x| x * value)),
        }
    }

    /// Whether it can move: not fixed, and its bounds leave room.
    pub fn moves(&self) -> bool {
        self.motion != Motion::Fixed && self.bounds.0 < self.bounds.1
    }
}

impl Robot {
    /// Reads a file.
    ///
    /// # Errors
    /// When it is not XML, or has a joint of a kind that has more than one value, or names a link or joint that is not there.
    pub fn read(path: &Path) -> Result<Self> {
        if is_mjcf(path) {
            let robot = mjcf::read_file(path, &Limits::default(), &mut Warnings::new())?;
            return Ok(Self::of(robot.name(), robot.skeleton()));
        }
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Self::parse(&name, &text).with_context(|| path.display().to_string())
    }

    /// The same from text.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let document = Document::parse(text)?;
        let root = document.root_element();
        let named = |tag| root.children().filter(move |node| node.has_tag_name(tag));
        let attribute =
            |node: Node<'_, '_>, key| node.attribute(key).unwrap_or_default().to_owned();
        let links: Vec<String> = named("link").map(|node| attribute(node, "name")).collect();
        let names: Vec<String> = named("joint").map(|node| attribute(node, "name")).collect();
        let joints: Result<_> = named("joint").map(|node| joint(node, &links, &names)).collect();
        Ok(Self { name: name.to_owned(), joints: joints?, links })
    }

    /// The robot of a skeleton: every joint moves a link of its own name. Joints that move freely stay where they are neutral.
    pub fn of(name: &str, skeleton: &Skeleton) -> Self {
        let neutral = skeleton.neutral();
        let joint = |joint: usize| {
            let values = &neutral[skeleton.value_range(joint)];
            let placement = skeleton.parent_from_joint(joint);
            let (motion, placement) = match skeleton.kind(joint) {
                JointKind::Fixed => (Motion::Fixed, placement),
                JointKind::Revolute { axis } => (Motion::Turn(axis.to_array()), placement),
                JointKind::Prismatic { axis } => (Motion::Slide(axis.to_array()), placement),
                JointKind::Ball => {
                    let moved = Pose::from_rotation(DQuat::from_slice(values));
                    (Motion::Fixed, placement * moved)
                }
                JointKind::Free => {
                    let rotation = DQuat::from_slice(&values[3..]);
                    let moved = Pose::new(rotation, DVec3::from_slice(values));
                    (Motion::Fixed, placement * moved)
                }
            };
            let mimic = skeleton.mimic(joint);
            Joint {
                name: skeleton.name(joint).to_owned(),
                parent: skeleton.parent(joint).unwrap_or(joint),
                child: joint,
                origin: (placement.translation.to_array(), fixed_axis_angles(placement.rotation)),
                motion,
                bounds: skeleton.limit(joint).bounds(),
                velocity: None,
                mimic: mimic.map(|mimic| (mimic.joint, mimic.multiplier, mimic.offset)),
            }
        };
        let joints: Vec<Joint> = (0..skeleton.n_joints()).map(joint).collect();
        let links = joints.iter().map(|joint| joint.name.clone()).collect();
        Self { name: name.to_owned(), joints, links }
    }

    /// The joint that moves a link; none for the root.
    pub fn joint_of(&self, link: usize) -> Option<usize> {
        self.joints.iter().position(|joint| joint.child == link)
    }

    /// The joints from the root to a link.
    pub fn path(&self, link: usize) -> Vec<usize> {
        let mut path: Vec<usize> = Vec::new();
        let mut at = link;
        while let Some(joint) = self.joint_of(at).filter(|joint| !path.contains(joint)) {
            path.push(joint);
            at = self.joints[joint].parent;
        }
        path.reverse();
        path
    }

    /// The joint whose value moves a joint, and how that value does.
    pub fn driver(&self, joint: usize) -> (usize, f64, f64) {
        let (mut at, mut multiplier, mut offset) = (joint, 1.0, 0.0);
        for _ in 0..self.joints.len() {
            let Some((next, by, plus)) = self.joints[at].mimic else { break };
            offset += multiplier * plus;
            multiplier *= by;
            at = next;
        }
        (at, multiplier, offset)
    }
}

/// Whether a file is a model of MuJoCo.
pub fn is_mjcf(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "xml")
}

/// The angles of `Rz Ry Rx`. Where the first and the last rotate about one axis, the last makes up for any error of the first.
fn fixed_axis_angles(rotation: DQuat) -> Vector {
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = DMat3::from_quat(rotation);
    let yaw = x.y.atan2(x.x);
    let (sin, cos) = yaw.sin_cos();
    let roll = (sin * z.x - cos * z.y).atan2(cos * y.y - sin * y.x);
    [roll, (-x.z).atan2(x.x.hypot(x.y)), yaw]
}

fn joint(node: Node<'_, '_>, links: &[String], names: &[String]) -> Result<Joint> {
    let name = node.attribute("name").unwrap_or_default().to_owned();
    let child = |tag| node.children().find(|child| child.has_tag_name(tag));
    let link = |tag: &str| {
        let link = node.children().find(|child| child.has_tag_name(tag));
        let link = link.and_then(|link| link.attribute("link")).unwrap_or_default();
        links.iter().position(|other| other == link).with_context(|| format!("no link {link:?}"))
    };
    let axis = || -> Result<Vector> {
        let axis = vector(child("axis").and_then(|axis| axis.attribute("xyz")), [1.0, 0.0, 0.0])?;
        let length = norm(axis);
        ensure!(length > 0.0, "joint {name} has no axis");
        Ok(axis.map(|x| x / length))
    };
    let kind = node.attribute("type").unwrap_or_default();
    let motion = match kind {
        "fixed" => Motion::Fixed,
        "revolute" | "continuous" => Motion::Turn(axis()?),
        "prismatic" => Motion::Slide(axis()?),
        _ => bail!("joint {name} is {kind}"),
    };
    let limit = |key: &str| -> Result<Option<f64>> {
        let text = child("limit").and_then(|limit| limit.attribute(key));
        Ok(text.map(|text| text.trim().parse()).transpose()?)
    };
    let bounds = match kind {
        "continuous" => (f64::NEG_INFINITY, f64::INFINITY),
        _ => (limit("lower")?.unwrap_or(0.0), limit("upper")?.unwrap_or(0.0)),
    };
    let mimic = child("mimic").map(|mimic| -> Result<_> {
        let driver = mimic.attribute("joint").unwrap_or_default();
        let driver = names.iter().position(|other| other == driver).context("no such joint")?;
        let number = |key, default| mimic.attribute(key).map_or(Ok(default), |x| x.trim().parse());
        Ok((driver, number("multiplier", 1.0)?, number("offset", 0.0)?))
    });
    let origin = child("origin");
    Ok(Joint {
        parent: link("parent")?,
        child: link("child")?,
        origin: (
            vector(origin.and_then(|o| o.attribute("xyz")), [0.0; 3])?,
            vector(origin.and_then(|o| o.attribute("rpy")), [0.0; 3])?,
        ),
        motion,
        bounds,
        velocity: limit("velocity")?.filter(|velocity| *velocity > 0.0),
        mimic: mimic.transpose()?.filter(|_| motion != Motion::Fixed),
        name,
    })
}

fn vector(text: Option<&str>, default: Vector) -> Result<Vector> {
    let Some(text) = text else { return Ok(default) };
    let numbers: Vec<f64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    <[f64; 3]>::try_from(numbers).ok().with_context(|| format!("not three numbers: {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"<robot name="r"> <link name="a"/> <link name="b"/> <link name="c"/>
        <joint name="turn" type="revolute"> <parent link="a"/> <child link="b"/>
            <origin xyz="0 0 1"/> <axis xyz="0 0 2"/> <limit lower="-1" upper="2" velocity="3"/>
        </joint>
        <joint name="slide" type="prismatic"> <parent link="b"/> <child link="c"/>
            <limit lower="0" upper="1" velocity="0"/> <mimic joint="turn" multiplier="2" offset="3"/>
        </joint> </robot>"#;

    #[test]
    fn what_moves_the_links_is_read() {
        let robot = Robot::parse("r", TEXT).expect("a robot");
        assert_eq!(robot.path(2), [0, 1]);
        assert_eq!(robot.joints[0].motion, Motion::Turn([0.0, 0.0, 1.0]));
        assert_eq!(robot.joints[0].bounds, (-1.0, 2.0));
        assert_eq!((robot.joints[0].velocity, robot.joints[1].velocity), (Some(3.0), None));
        assert_eq!(robot.driver(1), (0, 2.0, 3.0));
    }

    #[test]
    fn angles_about_fixed_axes_give_the_rotation() {
        for [roll, pitch, yaw] in [[0.3, -1.2, 2.5], [1.0, 0.5, -3.0], [0.4, 1.570_796_326, 0.7]] {
            let [x, y, z] =
                [DQuat::from_rotation_x, DQuat::from_rotation_y, DQuat::from_rotation_z];
            let rotation = z(yaw) * y(pitch) * x(roll);
            let matrix = Matrix::origin([0.0; 3], fixed_axis_angles(rotation));
            let [a, b, c, d] = matrix.quaternion();
            assert!(DQuat::from_xyzw(a, b, c, d).dot(rotation).abs() > 1.0 - 1e-14, "{roll}");
        }
    }

    #[test]
    fn what_cannot_be_judged_is_refused() {
        for (from, to) in
            [("revolute", "floating"), ("0 0 2", "0 0"), ("child link=\"b\"", "child link=\"x\"")]
        {
            assert!(Robot::parse("r", &TEXT.replace(from, to)).is_err(), "{to}");
        }
    }
}
