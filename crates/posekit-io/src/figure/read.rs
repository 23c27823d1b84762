//! Reading and checking a figure, except its tasks.

use core::f64::consts::PI;

use super::goals;
use super::{
    FIGURE_SCHEMA, FigureBody, FigureCone, FigureJoint, FigureMimic, FigureMotion, FigureProblem,
    FigureRoot, FigureSettings, FigureSkeleton, RootMode, SourceKind,
};
use crate::error::{Error, Result};
use crate::json::{Cursor, Document, Object, check_schema};
use crate::limits::{LARGEST, Limits};
use crate::solution::NamedValues;

const FILE_FIELDS: [&str; 9] =
    ["schema", "joints", "urdf", "gltf", "root", "bodies", "start", "tasks", "settings"];

pub(super) fn read(text: &str, limits: &Limits) -> Result<FigureProblem> {
    let document = Document::parse(text, limits)?;
    let root = document.root().with_largest(LARGEST);
    check_schema(&root, FIGURE_SCHEMA)?;
    let file = root.object(&FILE_FIELDS)?;
    let skeleton = read_skeleton(&root, &file, limits)?;
    let bodies = file.optional("bodies").map(|bodies| each(&bodies, read_body)).transpose()?;
    let tasks = each(&file.required("tasks")?, goals::read_task)?;
    let settings =
        file.optional("settings").map(|settings| read_settings(&settings)).transpose()?;
    Ok(FigureProblem {
        skeleton,
        bodies,
        start: file
            .optional("start")
            .map(|start| named_values(&start))
            .transpose()?
            .unwrap_or_default(),
        tasks,
        settings: settings.unwrap_or_default(),
    })
}

/// A list whose elements are read one by one.
pub(super) fn each<T>(
    list: &Cursor<'_>,
    read: impl Fn(&Cursor<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    list.list()?.iter().map(read).collect()
}

/// Numbers, or lists of them, by name.
pub(super) fn named_values(values: &Cursor<'_>) -> Result<Vec<NamedValues>> {
    let read = |(name, value): (&str, Cursor<'_>)| {
        let values = if value.is_list() { value.numbers()? } else { vec![value.number()?] };
        Ok(NamedValues { name: name.to_owned(), values })
    };
    values.any_object()?.fields().map(read).collect()
}

/// Numbers by name, none of them negative.
pub(super) fn named_numbers(values: &Cursor<'_>, what: &str) -> Result<Vec<(String, f64)>> {
    let read = |(name, value): (&str, Cursor<'_>)| Ok((name.to_owned(), value.non_negative(what)?));
    values.any_object()?.fields().map(read).collect()
}

fn read_skeleton(root: &Cursor<'_>, file: &Object<'_>, limits: &Limits) -> Result<FigureSkeleton> {
    let other = [("urdf", SourceKind::Urdf), ("gltf", SourceKind::Gltf)];
    let mut files =
        other.into_iter().filter_map(|(field, kind)| Some((file.optional(field)?, kind)));
    match (file.optional("joints"), files.next(), files.next()) {
        (Some(_), Some((file, _)), _) | (None, Some(_), Some((file, _))) => {
            Err(file.invalid("a figure has one of `joints`, `urdf` and `gltf`"))
        }
        (None, None, _) => Err(Error::Missing { place: root.place(), field: "joints".into() }),
        (Some(joints), None, _) => {
            if let Some(root) = file.optional("root") {
                return Err(root.invalid(
                    "`root` is for the skeleton of another file; among `joints`, give the first one the kind `free`",
                ));
            }
            read_joints(&joints, limits).map(|joints| FigureSkeleton::Joints { joints })
        }
        (None, Some((named, kind)), None) => {
            let path = read_path(&named)?;
            let root = file.optional("root").map(|root| read_root(&root)).transpose()?;
            let root = root.unwrap_or_default();
            Ok(match kind {
                SourceKind::Urdf => FigureSkeleton::Robot { urdf: path, root },
                SourceKind::Gltf => FigureSkeleton::Character { gltf: path, root },
            })
        }
    }
}

fn read_root(root: &Cursor<'_>) -> Result<FigureRoot> {
    match root.text()? {
        "free" => Ok(FigureRoot::Free),
        "pinned" => Ok(FigureRoot::Pinned),
        other => Err(root.invalid(format!("unknown root `{other}`, expected free or pinned"))),
    }
}

/// A path inside the folder of the file: a file must not give access to others outside of its folder.
fn read_path(named: &Cursor<'_>) -> Result<String> {
    let path = named.text()?;
    if path.trim().is_empty() {
        return Err(named.invalid("the path is empty"));
    }
    let leaves = path.starts_with(['/', '\\', '~'])
        || path.contains(':')
        || path.split(['/', '\\']).any(|part| part == "..");
    if leaves {
        return Err(Error::Unsupported {
            place: named.place(),
            message: format!(
                "the path `{path}` is outside of the folder of the figure's file; place that file beside it"
            ),
        });
    }
    Ok(path.to_owned())
}

fn read_joints(joints: &Cursor<'_>, limits: &Limits) -> Result<Vec<FigureJoint>> {
    let list = joints.list()?;
    if list.is_empty() {
        return Err(joints.invalid("needs at least one joint"));
    }
    if list.len() > limits.joints {
        let what = "the number of joints".into();
        return Err(Error::TooLarge { what, limit: limits.joints, field: "joints" });
    }
    list.iter().map(read_joint).collect()
}

fn read_joint(joint: &Cursor<'_>) -> Result<FigureJoint> {
    let fields = joint.object(&[
        "name", "parent", "kind", "axis", "position", "rotation", "limit", "cone", "mimic",
    ])?;
    let motion = read_motion(&fields)?;
    let name = read_name(&fields.required("name")?)?;
    let parent = fields.required("parent")?;
    let parent = if parent.is_null() { None } else { Some(read_name(&parent)?) };
    let mimic = match (fields.optional("mimic"), motion) {
        (Some(mimic), FigureMotion::Revolute { .. } | FigureMotion::Prismatic { .. }) => {
            Some(read_mimic(&mimic)?)
        }
        (Some(mimic), motion) => {
            let message = format!(
                "a {} joint has no single value, so it cannot mimic another",
                motion.name()
            );
            return Err(mimic.invalid(message));
        }
        (None, _) => None,
    };
    Ok(FigureJoint {
        name,
        parent,
        motion,
        position: fields.optional("position").map(|at| at.point()).transpose()?,
        rotation: fields.optional("rotation").map(|turn| turn.rotation()).transpose()?,
        mimic,
    })
}

pub(super) fn read_name(name: &Cursor<'_>) -> Result<String> {
    let text = name.text()?;
    if text.trim().is_empty() {
        return Err(name.invalid("the name is empty"));
    }
    Ok(text.to_owned())
}

fn read_motion(fields: &Object<'_>) -> Result<FigureMotion> {
    let kind = fields.required("kind")?;
    let allowed: &[&str] = match kind.text()? {
        "revolute" | "prismatic" => &["axis", "limit"],
        "ball" => &["cone"],
        "fixed" | "free" => &[],
        other => {
            return Err(kind.invalid(format!(
                "unknown kind `{other}`, expected fixed, revolute, prismatic, ball or free"
            )));
        }
    };
    for field in ["axis", "limit", "cone"] {
        if let Some(extra) = fields.optional(field).filter(|_| !allowed.contains(&field)) {
            let message = format!("a {} joint has no `{field}`", kind.text()?);
            return Err(extra.invalid(message));
        }
    }
    let axis = || fields.required("axis")?.direction("axis");
    let limit = || fields.optional("limit").map(|limit| limit.range()).transpose();
    Ok(match kind.text()? {
        "revolute" => FigureMotion::Revolute { axis: axis()?, limit: limit()? },
        "prismatic" => FigureMotion::Prismatic { axis: axis()?, limit: limit()? },
        "ball" => {
            let cone = fields.optional("cone").map(|cone| read_cone(&cone)).transpose()?;
            FigureMotion::Ball { cone }
        }
        "free" => FigureMotion::Free,
        _ => FigureMotion::Fixed,
    })
}

fn read_cone(cone: &Cursor<'_>) -> Result<FigureCone> {
    let fields = cone.object(&["axis", "swing", "twist"])?;
    let swing = fields.required("swing")?;
    let angle = swing.number()?;
    if !(0.0..=PI).contains(&angle) {
        return Err(swing.invalid(format!("the swing must be from 0 to pi, found {angle}")));
    }
    Ok(FigureCone {
        axis: fields.required("axis")?.direction("axis")?,
        swing: angle,
        twist: fields.required("twist")?.range()?,
    })
}

fn read_mimic(mimic: &Cursor<'_>) -> Result<FigureMimic> {
    let fields = mimic.object(&["joint", "multiplier", "offset"])?;
    let number = |name: &str| fields.optional(name).map(|value| value.number()).transpose();
    Ok(FigureMimic {
        joint: read_name(&fields.required("joint")?)?,
        multiplier: number("multiplier")?,
        offset: number("offset")?,
    })
}

fn read_body(body: &Cursor<'_>) -> Result<FigureBody> {
    let fields = body.object(&["joint", "center", "mass"])?;
    Ok(FigureBody {
        joint: read_name(&fields.required("joint")?)?,
        center: fields.required("center")?.point()?,
        mass: fields.required("mass")?.non_negative("a mass")?,
    })
}

fn read_settings(settings: &Cursor<'_>) -> Result<FigureSettings> {
    let fields = settings.object(&[
        "locked",
        "root",
        "stiffness",
        "largest_change",
        "regularisation",
        "restarts",
        "least_change",
    ])?;
    let stiffness = fields.optional("stiffness").map(|list| read_stiffness(&list)).transpose()?;
    let change = fields.optional("largest_change");
    let change = change.map(|list| named_numbers(&list, "a largest change")).transpose()?;
    let regularisation = fields.optional("regularisation");
    let locked = fields.optional("locked").map(|locked| each(&locked, read_name)).transpose()?;
    Ok(FigureSettings {
        locked: locked.unwrap_or_default(),
        root: fields.optional("root").map(|root| RootMode::read(&root)).transpose()?,
        stiffness: stiffness.unwrap_or_default(),
        largest_change: change.unwrap_or_default(),
        regularisation: regularisation
            .map(|value| value.non_negative("a regularisation"))
            .transpose()?,
        restarts: fields.optional("restarts").map(|value| value.count()).transpose()?,
        least_change: fields.optional("least_change").map(|value| value.flag()).transpose()?,
    })
}

fn read_stiffness(list: &Cursor<'_>) -> Result<Vec<(String, f64)>> {
    let read = |(name, value): (&str, Cursor<'_>)| match value.number()? {
        stiffness if stiffness > 0.0 => Ok((name.to_owned(), stiffness)),
        other => Err(value.invalid(format!("a stiffness must be above 0, found {other}"))),
    };
    list.any_object()?.fields().map(read).collect()
}
