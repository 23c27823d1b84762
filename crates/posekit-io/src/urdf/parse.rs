//! Parses and checks XML elements as links and joints.

use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::math::rotation_about;

use super::Options;
use super::materials::{Material, Materials};
use super::shapes::{ShapeElement, read_shape, read_visual};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::robot::RobotJointKind;
use crate::rotation::check_unit;
use crate::warnings::Warnings;
use crate::xml::{Element, Infinite, Source, Unknown, only, shortened};

/// The tolerance for the length of an axis without a warning: four written digits are within it.
const AXIS_NOTE: f64 = 1e-3;

/// A file's content, in document order.
pub(super) struct Description<'x> {
    pub(super) name: &'x str,
    pub(super) element: Element<'x>,
    pub(super) links: Vec<LinkElement<'x>>,
    pub(super) joints: Vec<JointElement<'x>>,
    /// Those of the robot and of its links.
    pub(super) materials: Materials<'x>,
}

pub(super) struct LinkElement<'x> {
    pub(super) element: Element<'x>,
    pub(super) name: &'x str,
    pub(super) inertial: Option<Inertial>,
    pub(super) shapes: Vec<ShapeElement<'x>>,
    pub(super) visuals: Vec<ShapeElement<'x>>,
}

/// The mass of a link; by default none.
#[derive(Clone, Copy, Default)]
pub(super) struct Inertial {
    /// Not negative \[kg\].
    pub(super) mass: f64,
    /// The centre of mass in the link's frame \[m\].
    pub(super) center: DVec3,
}

pub(super) struct JointElement<'x> {
    pub(super) element: Element<'x>,
    pub(super) name: &'x str,
    pub(super) kind: RobotJointKind,
    pub(super) parent: &'x str,
    pub(super) child: &'x str,
    /// Pose of the joint in the frame of its parent link, at zero.
    pub(super) parent_from_joint: Pose,
    /// Unit axis in the joint's frame; meaningless for fixed and floating joints.
    pub(super) axis: DVec3,
    /// Smallest and largest value \[rad or m\].
    pub(super) limit: Option<[f64; 2]>,
    /// Above 0, infinite without a limit \[rad/s or m/s\].
    pub(super) max_speed: f64,
    pub(super) mimic: Option<MimicElement<'x>>,
}

#[derive(Clone, Copy)]
pub(super) struct MimicElement<'x> {
    pub(super) element: Element<'x>,
    pub(super) joint: &'x str,
    pub(super) multiplier: f64,
    pub(super) offset: f64,
}

pub(super) fn read_robot<'x>(
    root: Element<'x>,
    source: &Source<'_>,
    options: &Options,
    limits: &Limits,
    warnings: &mut Warnings,
) -> Result<Description<'x>> {
    root.check_robot("a URDF")?;
    let mut unknown = Unknown::default();
    let mut description = Description {
        name: root.name("name", "the robot")?,
        element: root,
        links: Vec::new(),
        joints: Vec::new(),
        materials: Materials::default(),
    };
    root.note_unknown_attributes(&["name", "version"], &mut unknown);
    for element in root.children() {
        match element.tag() {
            "link" => description.links.push(read_link(element, &mut unknown, warnings)?),
            "joint" => {
                description.joints.push(read_joint(element, options, &mut unknown, warnings)?);
            }
            "material" => {
                description.materials.add(Material::read(element, "a material", warnings));
            }
            _ => unknown.note_tag(element),
        }
        if description.joints.len() > limits.joints || description.links.len() > limits.joints + 1 {
            let what = "the number of joints".into();
            return Err(Error::TooLarge { what, limit: limits.joints, field: "joints" });
        }
    }
    for visual in description.links.iter().flat_map(|link| &link.visuals) {
        visual.material.into_iter().for_each(|material| description.materials.add(material));
    }
    unknown.report(source, warnings);
    Ok(description)
}

fn read_link<'x>(
    element: Element<'x>,
    unknown: &mut Unknown<'x>,
    warnings: &mut Warnings,
) -> Result<LinkElement<'x>> {
    let name = element.name("name", "a link")?;
    element.note_unknown_attributes(&["name", "type"], unknown);
    let subject = format!("link `{}`", shortened(name));
    let mut inertial: Option<Element<'x>> = None;
    let (mut shapes, mut visuals) = (Vec::new(), Vec::new());
    for child in element.children() {
        match child.tag() {
            "inertial" => only(&mut inertial, child, &subject)?,
            "collision" => shapes.extend(read_shape(child, &subject, unknown, warnings)?),
            "visual" => visuals.extend(read_visual(child, &subject, unknown, warnings)),
            _ => unknown.note_tag(child),
        }
    }
    let inertial =
        inertial.map(|inertial| read_inertial(inertial, &subject, unknown)).transpose()?;
    Ok(LinkElement { element, name, inertial, shapes, visuals })
}

/// The mass, which is required, and its centre. Its rotation is not used, but its numbers are checked.
fn read_inertial<'x>(
    element: Element<'x>,
    subject: &str,
    unknown: &mut Unknown<'x>,
) -> Result<Inertial> {
    let (mut origin, mut mass) = (None, None);
    for child in element.children() {
        match child.tag() {
            "origin" => only(&mut origin, child, subject)?,
            "mass" => only(&mut mass, child, subject)?,
            "inertia" => {}
            _ => unknown.note_tag(child),
        }
    }
    let missing = |field: &str| Error::Missing {
        place: mass.unwrap_or(element).place(subject),
        field: field.to_owned(),
    };
    let element = mass.ok_or_else(|| missing("mass"))?;
    element.note_unknown_attributes(&["value"], unknown);
    let mass = element.number("value", subject)?.ok_or_else(|| missing("mass/@value"))?;
    if mass < 0.0 {
        let message = format!("a mass must not be negative, found {mass}");
        return Err(element.invalid("value", subject, message));
    }
    let origin = origin.map(|origin| read_origin(origin, subject, unknown)).transpose()?;
    Ok(Inertial { mass, center: origin.unwrap_or(Pose::IDENTITY).translation })
}

/// The elements of a joint that this reader uses, each at most once.
#[derive(Default)]
struct JointParts<'x> {
    origin: Option<Element<'x>>,
    parent: Option<Element<'x>>,
    child: Option<Element<'x>>,
    axis: Option<Element<'x>>,
    limit: Option<Element<'x>>,
    mimic: Option<Element<'x>>,
    safety: Option<Element<'x>>,
}

fn read_parts<'x>(
    joint: Element<'x>,
    subject: &str,
    unknown: &mut Unknown<'x>,
) -> Result<JointParts<'x>> {
    let mut parts = JointParts::default();
    for element in joint.children() {
        let slot = match element.tag() {
            "origin" => &mut parts.origin,
            "parent" => &mut parts.parent,
            "child" => &mut parts.child,
            "axis" => &mut parts.axis,
            "limit" => &mut parts.limit,
            "mimic" => &mut parts.mimic,
            "safety_controller" => &mut parts.safety,
            // Standard elements about forces and sensors, which do not affect kinematics.
            "dynamics" | "calibration" => continue,
            _ => {
                unknown.note_tag(element);
                continue;
            }
        };
        only(slot, element, subject)?;
    }
    Ok(parts)
}

fn read_joint<'x>(
    element: Element<'x>,
    options: &Options,
    unknown: &mut Unknown<'x>,
    warnings: &mut Warnings,
) -> Result<JointElement<'x>> {
    let name = element.name("name", "a joint")?;
    let subject = format!("joint `{}`", shortened(name));
    element.note_unknown_attributes(&["name", "type"], unknown);
    let kind = read_kind(element, &subject)?;
    let parts = read_parts(element, &subject, unknown)?;
    let parent_from_joint = match parts.origin {
        Some(origin) => read_origin(origin, &subject, unknown)?,
        None => Pose::IDENTITY,
    };
    let parent = read_link_name(parts.parent, element, "parent", &subject, unknown)?;
    let child = read_link_name(parts.child, element, "child", &subject, unknown)?;
    let axis = read_axis(parts.axis, kind, &subject, unknown, warnings)?;
    let mut limit = read_limit(&parts, element, kind, &subject, unknown, warnings)?;
    if options.has_soft_limits {
        limit = narrowed(limit, parts.safety, kind, &subject, warnings)?;
    }
    let max_speed = read_velocity(parts.limit, kind, &subject, warnings)?;
    let mimic = read_mimic(parts.mimic, kind, &subject, unknown, warnings)?;
    Ok(JointElement {
        element,
        name,
        kind,
        parent,
        child,
        parent_from_joint,
        axis,
        limit,
        max_speed,
        mimic,
    })
}

/// The joint types of URDF.
const KINDS: [RobotJointKind; 6] = [
    RobotJointKind::Fixed,
    RobotJointKind::Revolute,
    RobotJointKind::Continuous,
    RobotJointKind::Prismatic,
    RobotJointKind::Planar,
    RobotJointKind::Floating,
];

fn read_kind(joint: Element<'_>, subject: &str) -> Result<RobotJointKind> {
    let word = joint.required("type", subject)?;
    KINDS.into_iter().find(|kind| kind.name() == word).ok_or_else(|| {
        let known = KINDS.map(RobotJointKind::name).join(", ");
        let message = format!("unknown joint type `{}`, expected {known}", shortened(word));
        joint.invalid("type", subject, message)
    })
}

fn read_link_name<'x>(
    element: Option<Element<'x>>,
    joint: Element<'x>,
    role: &str,
    subject: &str,
    unknown: &mut Unknown<'x>,
) -> Result<&'x str> {
    let element = element
        .ok_or_else(|| Error::Missing { place: joint.place(subject), field: role.to_owned() })?;
    element.note_unknown_attributes(&["link"], unknown);
    element.name("link", subject)
}

/// `xyz` and either `rpy` (about the fixed x, then y, then z axis) or, since URDF 1.2, `quat_xyzw`.
pub(super) fn read_origin<'x>(
    origin: Element<'x>,
    subject: &str,
    unknown: &mut Unknown<'x>,
) -> Result<Pose> {
    origin.note_unknown_attributes(&["xyz", "rpy", "quat_xyzw"], unknown);
    let translation = origin.numbers::<3>("xyz", subject, Infinite::Refused)?.unwrap_or_default();
    let rpy = origin.numbers::<3>("rpy", subject, Infinite::Refused)?;
    let quaternion = origin.numbers::<4>("quat_xyzw", subject, Infinite::Refused)?;
    let rotation = match (rpy, quaternion) {
        (Some(_), Some(_)) => {
            let message = "both `rpy` and `quat_xyzw` are given; omit one";
            return Err(origin.invalid("quat_xyzw", subject, message));
        }
        (None, Some([x, y, z, w])) => {
            let quaternion = DQuat::from_xyzw(x, y, z, w);
            if let Err(length) = check_unit(quaternion) {
                let message = format!("the quaternion has length {length}, not 1");
                return Err(origin.invalid("quat_xyzw", subject, message));
            }
            quaternion.normalize()
        }
        (rpy, None) => rotation_from_rpy(rpy.unwrap_or_default()),
    };
    Ok(Pose::new(rotation, DVec3::from_array(translation)))
}

/// Roll about x, then pitch about y, then yaw about z, all fixed axes of the parent.
fn rotation_from_rpy([roll, pitch, yaw]: [f64; 3]) -> DQuat {
    let about = |axis, angle: f64| {
        if angle == 0.0 { DQuat::IDENTITY } else { rotation_about(axis, angle) }
    };
    about(DVec3::Z, yaw) * about(DVec3::Y, pitch) * about(DVec3::X, roll)
}

/// The unit axis; x by default. Fixed and floating joints have none, and exporters write zeros there.
fn read_axis<'x>(
    axis: Option<Element<'x>>,
    kind: RobotJointKind,
    subject: &str,
    unknown: &mut Unknown<'x>,
    warnings: &mut Warnings,
) -> Result<DVec3> {
    let Some(element) = axis else { return Ok(DVec3::X) };
    element.note_unknown_attributes(&["xyz"], unknown);
    if matches!(kind, RobotJointKind::Fixed | RobotJointKind::Floating) {
        return Ok(DVec3::X);
    }
    let Some(numbers) = element.numbers::<3>("xyz", subject, Infinite::Refused)? else {
        return Err(Error::Missing { place: element.place(subject), field: "axis/@xyz".into() });
    };
    let axis = DVec3::from_array(numbers);
    // Scaled by its largest component first, so that neither tiny nor huge axes lose their direction.
    let scale = axis.abs().max_element();
    let Some(unit) = (axis / scale).try_normalize() else {
        return Err(element.invalid("xyz", subject, "the axis is zero and has no direction"));
    };
    let length = scale * (axis / scale).length();
    if (length - 1.0).abs() > AXIS_NOTE {
        let place = element.place(subject);
        warnings.push(place, format!("the axis has length {length}; only its direction is used"));
    }
    Ok(unit)
}

/// The range of a revolute or prismatic joint, which must have a `<limit>`; `lower` and `upper` are 0 by default.
///
/// A continuous joint has no bounds: those given are ignored, with a warning unless both are 0 (which exporters write for "none").
fn read_limit<'x>(
    parts: &JointParts<'x>,
    joint: Element<'x>,
    kind: RobotJointKind,
    subject: &str,
    unknown: &mut Unknown<'x>,
    warnings: &mut Warnings,
) -> Result<Option<[f64; 2]>> {
    const KNOWN: [&str; 7] =
        ["lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"];
    let needed = matches!(kind, RobotJointKind::Revolute | RobotJointKind::Prismatic);
    let Some(element) = parts.limit else {
        if needed {
            return Err(Error::Missing { place: joint.place(subject), field: "limit".into() });
        }
        return Ok(None);
    };
    element.note_unknown_attributes(&KNOWN, unknown);
    let lower = element.numbers::<1>("lower", subject, Infinite::Allowed)?.map(|[value]| value);
    let upper = element.numbers::<1>("upper", subject, Infinite::Allowed)?.map(|[value]| value);
    let range = [lower.unwrap_or(0.0), upper.unwrap_or(0.0)];
    if !needed {
        if kind != RobotJointKind::Fixed && range != [0.0; 2] {
            let message = format!("a {} joint has no bounds; those given are ignored", kind.name());
            warnings.push(element.place(subject), message);
        }
        return Ok(None);
    }
    if range[0] > range[1] {
        let message = format!("`lower` ({}) is above `upper` ({})", range[0], range[1]);
        return Err(element.invalid("lower", subject, message));
    }
    if range == [f64::NEG_INFINITY, f64::INFINITY] {
        return Ok(None);
    }
    if lower.is_none() || upper.is_none() {
        let message = format!(
            "`lower` or `upper` is missing and defaults to 0; the range is {} to {}",
            range[0], range[1]
        );
        warnings.push(element.place(subject), message);
    }
    Ok(Some(range))
}

/// The range of a joint, no wider than the soft limits of its `<safety_controller>`. A missing bound means none.
fn narrowed(
    range: Option<[f64; 2]>,
    safety: Option<Element<'_>>,
    kind: RobotJointKind,
    subject: &str,
    warnings: &mut Warnings,
) -> Result<Option<[f64; 2]>> {
    let Some(element) = safety else { return Ok(range) };
    let lower = element.number("soft_lower_limit", subject)?;
    let upper = element.number("soft_upper_limit", subject)?;
    if lower.is_none() && upper.is_none() {
        return Ok(range);
    }
    if !matches!(kind, RobotJointKind::Revolute | RobotJointKind::Prismatic) {
        let message = format!("a {} joint has no bounds; soft limits are ignored", kind.name());
        warnings.push(element.place(subject), message);
        return Ok(range);
    }
    let [min, max] = range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    let soft = [min.max(lower.unwrap_or(min)), max.min(upper.unwrap_or(max))];
    if soft[0] > soft[1] {
        let message = format!("the soft limits do not overlap the range {min} to {max}");
        return Err(Error::Value { place: element.place(subject), message });
    }
    Ok(Some(soft))
}

/// The largest speed; infinite if none is given, or one with which the joint could not move, which exporters write for "unknown".
fn read_velocity(
    limit: Option<Element<'_>>,
    kind: RobotJointKind,
    subject: &str,
    warnings: &mut Warnings,
) -> Result<f64> {
    let Some(element) = limit else { return Ok(f64::INFINITY) };
    let given = element.numbers::<1>("velocity", subject, Infinite::Allowed)?;
    let message = match (given, kind) {
        (None, _) | (Some([0.0]), RobotJointKind::Fixed) => return Ok(f64::INFINITY),
        (Some([speed]), RobotJointKind::Planar | RobotJointKind::Floating) => {
            format!(
                "a single velocity ({speed}) for rotations and slides has no unit; it is ignored"
            )
        }
        (Some([speed]), _) if speed > 0.0 => return Ok(speed),
        (Some([speed]), _) => format!("the velocity {speed} is read as no limit"),
    };
    warnings.push(element.place(subject), message);
    Ok(f64::INFINITY)
}

fn read_mimic<'x>(
    mimic: Option<Element<'x>>,
    kind: RobotJointKind,
    subject: &str,
    unknown: &mut Unknown<'x>,
    warnings: &mut Warnings,
) -> Result<Option<MimicElement<'x>>> {
    let Some(element) = mimic else { return Ok(None) };
    element.note_unknown_attributes(&["joint", "multiplier", "offset"], unknown);
    match kind {
        RobotJointKind::Fixed => {
            let message = "a fixed joint has no value and cannot mimic another; <mimic> is ignored";
            warnings.push(element.place(subject), message);
            return Ok(None);
        }
        RobotJointKind::Planar | RobotJointKind::Floating => {
            return Err(Error::Unsupported {
                place: element.place(subject),
                message: format!("a {} joint cannot mimic another", kind.name()),
            });
        }
        _ => {}
    }
    Ok(Some(MimicElement {
        element,
        joint: element.name("joint", subject)?,
        multiplier: element.number("multiplier", subject)?.unwrap_or(1.0),
        offset: element.number("offset", subject)?.unwrap_or(0.0),
    }))
}
