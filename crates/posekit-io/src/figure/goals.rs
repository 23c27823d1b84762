//! Reading the tasks of a figure.

use super::read::{each, named_numbers, named_values, read_name};
use super::{
    FigureCapsule, FigureDistance, FigureFrame, FigureGoal, FigureLink, FigurePose, FigureTask,
    FrameOwner,
};
use crate::error::{Error, Result};
use crate::json::{Cursor, Object};
use posekit::task::Task;

/// The optional fields of every task.
const COMMON: [&str; 4] = ["task", "name", "weight", "level"];

/// The kinds, and the fields of each besides the common ones.
const KINDS: [(&str, &[&str]); 14] = [
    ("position", &["frame", "target"]),
    ("orientation", &["frame", "orientation"]),
    ("pose", &["frame", "target", "orientation", "along", "about"]),
    ("look-at", &["frame", "axis", "target"]),
    ("axis-alignment", &["frame", "axis", "direction"]),
    ("pole", &["frames", "mid", "target"]),
    ("plane", &["frame", "point", "normal", "one_sided"]),
    ("distance", &["frames", "distance", "min", "max"]),
    ("relative-pose", &["frames", "target", "orientation", "along", "about"]),
    ("closure", &["frames", "link", "axes"]),
    ("center-of-mass", &["target", "along"]),
    ("support", &["corners", "up", "margin"]),
    ("clearance", &["capsules", "margin"]),
    ("posture", &["values", "cares"]),
];

pub(super) fn read_task(task: &Cursor<'_>) -> Result<FigureTask> {
    let kind = task.any_object()?.required("task")?;
    let word = kind.text()?;
    let Some((_, own)) = KINDS.iter().find(|(name, _)| *name == word) else {
        let known: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
        let message = format!("unknown task `{word}`, expected {}", known.join(", "));
        return Err(kind.invalid(message));
    };
    let known: Vec<&str> = COMMON.iter().chain(own.iter()).copied().collect();
    let fields = task.object(&known)?;
    Ok(FigureTask {
        name: fields.optional("name").map(|name| name.text().map(str::to_owned)).transpose()?,
        goal: read_goal(word, task, &fields)?,
        weight: fields.optional("weight").map(|w| w.non_negative("a weight")).transpose()?,
        level: fields.optional("level").map(|level| read_level(&level)).transpose()?,
    })
}

fn read_level(level: &Cursor<'_>) -> Result<u8> {
    match u8::try_from(level.count()?) {
        Ok(level @ 1..=Task::LOWEST_LEVEL) => Ok(level),
        _ => Err(level.invalid("a level is from 1, the most important, to 254")),
    }
}

fn read_goal(word: &str, task: &Cursor<'_>, fields: &Object<'_>) -> Result<FigureGoal> {
    let frame = || read_frame(&fields.required("frame")?);
    let point = |name: &str| fields.required(name)?.point();
    let direction = |name: &str| fields.required(name)?.direction(name);
    Ok(match word {
        "position" => FigureGoal::Position { frame: frame()?, target: point("target")? },
        "orientation" => {
            let orientation = fields.required("orientation")?.rotation()?;
            FigureGoal::Orientation { frame: frame()?, orientation }
        }
        "pose" => FigureGoal::Pose { frame: frame()?, pose: read_pose(task, fields)? },
        "look-at" => FigureGoal::LookAt {
            frame: frame()?,
            axis: direction("axis")?,
            target: point("target")?,
        },
        "axis-alignment" => FigureGoal::AxisAlignment {
            frame: frame()?,
            axis: direction("axis")?,
            direction: direction("direction")?,
        },
        "pole" => FigureGoal::Pole {
            frames: read_frames(fields)?,
            mid: point("mid")?,
            target: point("target")?,
        },
        "plane" => FigureGoal::Plane {
            frame: frame()?,
            point: point("point")?,
            normal: direction("normal")?,
            is_one_sided: fields.optional("one_sided").map_or(Ok(false), |side| side.flag())?,
        },
        "distance" => FigureGoal::Distance {
            frames: read_frames(fields)?,
            distance: read_distance(task, fields)?,
        },
        "relative-pose" => FigureGoal::RelativePose {
            frames: read_frames(fields)?,
            pose: read_pose(task, fields)?,
        },
        "closure" => FigureGoal::Closure { frames: read_frames(fields)?, link: read_link(fields)? },
        "center-of-mass" => FigureGoal::CenterOfMass {
            target: point("target")?,
            along: fields.optional("along").map(|along| read_axes(&along)).transpose()?,
        },
        "support" => read_support(fields)?,
        "clearance" => {
            let capsules: [Cursor<'_>; 2] =
                fields.required("capsules")?.list_of("the two capsules")?;
            let [a, b] = capsules;
            FigureGoal::Clearance {
                capsules: [read_capsule(&a)?, read_capsule(&b)?],
                margin: fields.optional("margin").map(|margin| margin.number()).transpose()?,
            }
        }
        _ => FigureGoal::Posture {
            values: fields
                .optional("values")
                .map(|values| named_values(&values))
                .transpose()?
                .unwrap_or_default(),
            cares: fields
                .optional("cares")
                .map(|cares| named_numbers(&cares, "a care"))
                .transpose()?,
        },
    })
}

/// A joint's name, or an object with `joint` or `link` and an offset.
fn read_frame(frame: &Cursor<'_>) -> Result<FigureFrame> {
    if frame.is_text() {
        let on = FrameOwner::Joint(read_name(frame)?);
        return Ok(FigureFrame { on, position: None, rotation: None });
    }
    let fields = frame.object(&["joint", "link", "position", "rotation"])?;
    let Some(on) = read_owner(&fields)? else {
        return Err(Error::Missing { place: frame.place(), field: "joint".into() });
    };
    Ok(FigureFrame {
        on,
        position: fields.optional("position").map(|at| at.point()).transpose()?,
        rotation: fields.optional("rotation").map(|turn| turn.rotation()).transpose()?,
    })
}

fn read_owner(fields: &Object<'_>) -> Result<Option<FrameOwner>> {
    match (fields.optional("joint"), fields.optional("link")) {
        (Some(_), Some(link)) => Err(link.invalid("give `joint` or `link`, not both")),
        (Some(joint), None) => Ok(Some(FrameOwner::Joint(read_name(&joint)?))),
        (None, Some(link)) => Ok(Some(FrameOwner::Link(read_name(&link)?))),
        (None, None) => Ok(None),
    }
}

fn read_frames(fields: &Object<'_>) -> Result<[FigureFrame; 2]> {
    let [a, b]: [Cursor<'_>; 2] = fields.required("frames")?.list_of("the two frames")?;
    Ok([read_frame(&a)?, read_frame(&b)?])
}

/// Some of `["x", "y", "z"]`.
fn read_axes(axes: &Cursor<'_>) -> Result<[bool; 3]> {
    let mut which = [false; 3];
    for axis in axes.list()? {
        match axis.text()? {
            "x" => which[0] = true,
            "y" => which[1] = true,
            "z" => which[2] = true,
            other => {
                return Err(axis.invalid(format!("unknown axis `{other}`, expected x, y or z")));
            }
        }
    }
    Ok(which)
}

fn read_pose(task: &Cursor<'_>, fields: &Object<'_>) -> Result<FigurePose> {
    let target = fields.optional("target").map(|target| target.point()).transpose()?;
    let orientation = fields.optional("orientation").map(|turn| turn.rotation()).transpose()?;
    if target.is_none() && orientation.is_none() {
        return Err(Error::Missing { place: task.place(), field: "target".into() });
    }
    let axes =
        |name: &str, whose: &str, is_there: bool| match fields.optional(name) {
            Some(axes) if is_there => read_axes(&axes).map(Some),
            Some(axes) => Err(axes
                .invalid(format!("`{name}` selects axes of `{whose}`, but `{whose}` is missing"))),
            None => Ok(None),
        };
    Ok(FigurePose {
        target,
        orientation,
        along: axes("along", "target", target.is_some())?,
        about: axes("about", "orientation", orientation.is_some())?,
    })
}

fn read_distance(task: &Cursor<'_>, fields: &Object<'_>) -> Result<FigureDistance> {
    let number = |name: &str| {
        fields.optional(name).map(|value| value.non_negative("a distance")).transpose()
    };
    let (exact, min, max) = (number("distance")?, number("min")?, number("max")?);
    match (exact, min, max) {
        (Some(distance), None, None) => Ok(FigureDistance::Exactly { distance }),
        (None, None, None) => Err(Error::Missing { place: task.place(), field: "distance".into() }),
        (None, Some(min), Some(max)) if min > max => {
            Err(task.invalid(format!("`min`, {min}, is above `max`, {max}")))
        }
        (None, min, max) => Ok(FigureDistance::Between { min, max }),
        _ => Err(task.invalid("give `distance`, or `min` and `max`, not both")),
    }
}

fn read_link(fields: &Object<'_>) -> Result<FigureLink> {
    let link = fields.required("link")?;
    let axes = fields.optional("axes");
    match (link.text()?, axes) {
        ("hinge", _) => {
            let [a, b]: [Cursor<'_>; 2] = fields.required("axes")?.list_of("one in each frame")?;
            Ok(FigureLink::Hinge { axes: [a.direction("axis")?, b.direction("axis")?] })
        }
        ("ball" | "weld", Some(axes)) => Err(axes.invalid("only a hinge has `axes`")),
        ("ball", None) => Ok(FigureLink::Ball),
        ("weld", None) => Ok(FigureLink::Weld),
        (other, _) => {
            Err(link.invalid(format!("unknown link `{other}`, expected ball, hinge or weld")))
        }
    }
}

fn read_support(fields: &Object<'_>) -> Result<FigureGoal> {
    let list = fields.required("corners")?;
    let corners = each(&list, |corner| corner.point())?;
    if corners.is_empty() {
        return Err(list.invalid("needs at least one corner"));
    }
    Ok(FigureGoal::Support {
        corners,
        up: fields.optional("up").map(|up| up.direction("vertical")).transpose()?,
        margin: fields.optional("margin").map(|m| m.non_negative("a margin")).transpose()?,
    })
}

fn read_capsule(capsule: &Cursor<'_>) -> Result<FigureCapsule> {
    let fields = capsule.object(&["joint", "link", "ends", "radius"])?;
    let ends = fields.required("ends")?;
    let points = each(&ends, |end| end.point())?;
    let ends = match points[..] {
        [center] => [center; 2],
        [from, to] => [from, to],
        _ => {
            let message = format!("expected one point or two, found {}", points.len());
            return Err(ends.invalid(message));
        }
    };
    let radius = fields.required("radius")?.non_negative("a radius")?;
    Ok(FigureCapsule { on: read_owner(&fields)?, ends, radius })
}
