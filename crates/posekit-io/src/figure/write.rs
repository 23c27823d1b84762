//! Writing a figure.

use super::{
    FIGURE_SCHEMA, FigureBody, FigureCapsule, FigureFrame, FigureGoal, FigureJoint, FigureLink,
    FigureMotion, FigurePose, FigureProblem, FigureSettings, FigureSkeleton, FigureTask,
    FrameOwner,
};
use crate::error::Result;
use crate::json::{
    Fields, list_in_lines, list_inline, number, numbers, object, object_inline, text_value,
};
use crate::solution::NamedValues;

pub(super) fn write(problem: &FigureProblem) -> Result<String> {
    let mut file = Fields::new();
    file.add("schema", text_value(FIGURE_SCHEMA));
    match &problem.skeleton {
        FigureSkeleton::Joints(joints) => file.add("joints", in_lines(joints, joint)?),
        FigureSkeleton::File { kind, path, has_free_root } => {
            file.add(kind.field(), text_value(path));
            file.add_some("root", has_free_root.then(|| text_value("free")));
        }
    }
    let bodies = problem.bodies.as_ref().map(|bodies| in_lines(bodies, body));
    file.add_some("bodies", bodies.transpose()?);
    if !problem.start.is_empty() {
        file.add("start", object(&values(&problem.start, "start")?));
    }
    file.add("tasks", in_lines(&problem.tasks, task)?);
    if problem.settings != FigureSettings::default() {
        file.add("settings", settings(&problem.settings)?);
    }
    Ok(file.file())
}

fn in_lines<T>(items: &[T], write: impl Fn(&T, usize) -> Result<String>) -> Result<String> {
    let lines: Result<Vec<String>> =
        items.iter().enumerate().map(|(index, item)| write(item, index)).collect();
    Ok(list_in_lines(&lines?))
}

/// Adds a number if there is one.
fn add_number(fields: &mut Fields, name: &'static str, value: Option<f64>, at: &str) -> Result<()> {
    let value = value.map(|value| number(value, &format!("{at}.{name}")));
    fields.add_some(name, value.transpose()?);
    Ok(())
}

/// Adds a list of numbers if there is one.
fn add_list(fields: &mut Fields, name: &'static str, list: Option<&[f64]>, at: &str) -> Result<()> {
    let list = list.map(|list| numbers(list, &format!("{at}.{name}")));
    fields.add_some(name, list.transpose()?);
    Ok(())
}

fn values(list: &[NamedValues], at: &str) -> Result<Vec<(String, String)>> {
    let write = |entry: &NamedValues| {
        let name = format!("{at}.{}", entry.name);
        let value = match entry.values.as_slice() {
            [value] => number(*value, &name)?,
            values => numbers(values, &name)?,
        };
        Ok((entry.name.clone(), value))
    };
    list.iter().map(write).collect()
}

fn by_name(list: &[(String, f64)], at: &str) -> Result<String> {
    let write = |(name, value): &(String, f64)| {
        Ok((name.clone(), number(*value, &format!("{at}.{name}"))?))
    };
    let fields: Result<Vec<(String, String)>> = list.iter().map(write).collect();
    Ok(object_inline(&fields?))
}

fn joint(joint: &FigureJoint, index: usize) -> Result<String> {
    let at = format!("joints[{index}]");
    let mut fields = Fields::new();
    fields.add("name", text_value(&joint.name));
    fields
        .add("parent", joint.parent.as_ref().map_or_else(|| "null".to_owned(), |p| text_value(p)));
    fields.add("kind", text_value(joint.motion.name()));
    add_list(&mut fields, "position", joint.position.as_ref().map(|p| &p[..]), &at)?;
    add_list(&mut fields, "rotation", joint.rotation.as_ref().map(|r| &r[..]), &at)?;
    match &joint.motion {
        FigureMotion::Revolute { axis, limit } | FigureMotion::Prismatic { axis, limit } => {
            add_list(&mut fields, "axis", Some(axis), &at)?;
            add_list(&mut fields, "limit", limit.as_ref().map(|limit| &limit[..]), &at)?;
        }
        FigureMotion::Ball { cone: Some(cone) } => {
            let at = format!("{at}.cone");
            let mut inner = Fields::new();
            add_list(&mut inner, "axis", Some(&cone.axis), &at)?;
            add_number(&mut inner, "swing", Some(cone.swing), &at)?;
            add_list(&mut inner, "twist", Some(&cone.twist), &at)?;
            fields.add("cone", inner.inline());
        }
        FigureMotion::Ball { cone: None } | FigureMotion::Fixed | FigureMotion::Free => {}
    }
    if let Some(mimic) = &joint.mimic {
        let at = format!("{at}.mimic");
        let mut inner = Fields::new();
        inner.add("joint", text_value(&mimic.joint));
        add_number(&mut inner, "multiplier", mimic.multiplier, &at)?;
        add_number(&mut inner, "offset", mimic.offset, &at)?;
        fields.add("mimic", inner.inline());
    }
    Ok(fields.inline())
}

fn body(body: &FigureBody, index: usize) -> Result<String> {
    let at = format!("bodies[{index}]");
    let mut fields = Fields::new();
    fields.add("joint", text_value(&body.joint));
    add_list(&mut fields, "center", Some(&body.center), &at)?;
    add_number(&mut fields, "mass", Some(body.mass), &at)?;
    Ok(fields.inline())
}

pub(super) fn task(task: &FigureTask, index: usize) -> Result<String> {
    let at = format!("tasks[{index}]");
    let mut fields = Fields::new();
    fields.add("task", text_value(task.goal.name()));
    fields.add_some("name", task.name.as_deref().map(text_value));
    goal(&mut fields, &task.goal, &at)?;
    add_number(&mut fields, "weight", task.weight, &at)?;
    fields.add_some("level", task.level.map(|level| level.to_string()));
    Ok(fields.inline())
}

fn goal(fields: &mut Fields, goal: &FigureGoal, at: &str) -> Result<()> {
    let one = |given: &FigureFrame| frame(given, &format!("{at}.frame"));
    let two = |frames: &[FigureFrame; 2]| -> Result<String> {
        let [a, b] = frames;
        let texts = [frame(a, &format!("{at}.frames[0]"))?, frame(b, &format!("{at}.frames[1]"))?];
        Ok(list_inline(&texts))
    };
    match goal {
        FigureGoal::Position { frame, target } => {
            fields.add("frame", one(frame)?);
            add_list(fields, "target", Some(target), at)
        }
        FigureGoal::Orientation { frame, orientation } => {
            fields.add("frame", one(frame)?);
            add_list(fields, "orientation", Some(orientation), at)
        }
        FigureGoal::Pose { frame, pose } => {
            fields.add("frame", one(frame)?);
            add_pose(fields, pose, at)
        }
        FigureGoal::LookAt { frame, axis, target } => {
            fields.add("frame", one(frame)?);
            add_list(fields, "axis", Some(axis), at)?;
            add_list(fields, "target", Some(target), at)
        }
        FigureGoal::AxisAlignment { frame, axis, direction } => {
            fields.add("frame", one(frame)?);
            add_list(fields, "axis", Some(axis), at)?;
            add_list(fields, "direction", Some(direction), at)
        }
        FigureGoal::Plane { frame, point, normal, is_one_sided } => {
            fields.add("frame", one(frame)?);
            add_list(fields, "point", Some(point), at)?;
            add_list(fields, "normal", Some(normal), at)?;
            fields.add_some("one_sided", is_one_sided.then(|| "true".to_owned()));
            Ok(())
        }
        FigureGoal::Pole { frames, mid, target } => {
            fields.add("frames", two(frames)?);
            add_list(fields, "mid", Some(mid), at)?;
            add_list(fields, "target", Some(target), at)
        }
        FigureGoal::Distance { frames, min, max } => {
            fields.add("frames", two(frames)?);
            add_distance(fields, [*min, *max], at)
        }
        FigureGoal::RelativePose { frames, pose } => {
            fields.add("frames", two(frames)?);
            add_pose(fields, pose, at)
        }
        FigureGoal::Closure { frames, link } => {
            fields.add("frames", two(frames)?);
            add_link(fields, link, at)
        }
        FigureGoal::CenterOfMass { target, along } => {
            add_list(fields, "target", Some(target), at)?;
            fields.add_some("along", (*along != [true; 3]).then(|| axes(*along)));
            Ok(())
        }
        FigureGoal::Support { corners, up, margin } => {
            let corner = |(index, corner): (usize, &[f64; 3])| {
                numbers(corner, &format!("{at}.corners[{index}]"))
            };
            let corners: Result<Vec<String>> = corners.iter().enumerate().map(corner).collect();
            fields.add("corners", list_inline(&corners?));
            add_list(fields, "up", up.as_ref().map(|up| &up[..]), at)?;
            add_number(fields, "margin", *margin, at)
        }
        FigureGoal::Clearance { capsules: [a, b], margin } => {
            let texts = [
                capsule(a, &format!("{at}.capsules[0]"))?,
                capsule(b, &format!("{at}.capsules[1]"))?,
            ];
            fields.add("capsules", list_inline(&texts));
            add_number(fields, "margin", *margin, at)
        }
        FigureGoal::Posture { values: list, cares } => {
            if !list.is_empty() {
                fields.add("values", object_inline(&values(list, &format!("{at}.values"))?));
            }
            let cares = cares.as_ref().map(|cares| by_name(cares, &format!("{at}.cares")));
            fields.add_some("cares", cares.transpose()?);
            Ok(())
        }
    }
}

fn frame(frame: &FigureFrame, at: &str) -> Result<String> {
    if let (FrameOwner::Joint(name), None, None) = (&frame.on, frame.position, frame.rotation) {
        return Ok(text_value(name));
    }
    let mut fields = Fields::new();
    add_owner(&mut fields, &frame.on);
    add_list(&mut fields, "position", frame.position.as_ref().map(|p| &p[..]), at)?;
    add_list(&mut fields, "rotation", frame.rotation.as_ref().map(|r| &r[..]), at)?;
    Ok(fields.inline())
}

fn add_owner(fields: &mut Fields, owner: &FrameOwner) {
    let field = match owner {
        FrameOwner::Joint(_) => "joint",
        FrameOwner::Link(_) => "link",
    };
    fields.add(field, text_value(owner.name()));
}

fn add_pose(fields: &mut Fields, pose: &FigurePose, at: &str) -> Result<()> {
    add_list(fields, "target", pose.target.as_ref().map(|t| &t[..]), at)?;
    add_list(fields, "orientation", pose.orientation.as_ref().map(|r| &r[..]), at)?;
    fields.add_some("along", pose.along.map(axes));
    fields.add_some("about", pose.about.map(axes));
    Ok(())
}

fn axes(which: [bool; 3]) -> String {
    let names = ["x", "y", "z"].into_iter().zip(which);
    let names: Vec<String> =
        names.filter(|(_, is)| *is).map(|(name, _)| text_value(name)).collect();
    list_inline(&names)
}

fn add_distance(fields: &mut Fields, [min, max]: [f64; 2], at: &str) -> Result<()> {
    if min == max {
        return add_number(fields, "distance", Some(min), at);
    }
    // A file cannot contain infinity, so an infinite maximum is omitted; then the minimum is always written.
    let max = (max != f64::INFINITY).then_some(max);
    let min = (min != 0.0 || max.is_none()).then_some(min);
    add_number(fields, "min", min, at)?;
    add_number(fields, "max", max, at)
}

fn add_link(fields: &mut Fields, link: &FigureLink, at: &str) -> Result<()> {
    let word = match link {
        FigureLink::Ball => "ball",
        FigureLink::Hinge(_) => "hinge",
        FigureLink::Weld => "weld",
    };
    fields.add("link", text_value(word));
    if let FigureLink::Hinge([a, b]) = link {
        let axes = [numbers(a, &format!("{at}.axes[0]"))?, numbers(b, &format!("{at}.axes[1]"))?];
        fields.add("axes", list_inline(&axes));
    }
    Ok(())
}

fn capsule(capsule: &FigureCapsule, at: &str) -> Result<String> {
    let mut fields = Fields::new();
    if let Some(owner) = &capsule.on {
        add_owner(&mut fields, owner);
    }
    let [a, b] = &capsule.ends;
    let n_ends = if a == b { 1 } else { 2 };
    let end = |(index, end): (usize, &[f64; 3])| numbers(end, &format!("{at}.ends[{index}]"));
    let ends: Result<Vec<String>> = [a, b].into_iter().take(n_ends).enumerate().map(end).collect();
    fields.add("ends", list_inline(&ends?));
    add_number(&mut fields, "radius", Some(capsule.radius), at)?;
    Ok(fields.inline())
}

fn settings(settings: &FigureSettings) -> Result<String> {
    let mut fields = Fields::new();
    if !settings.locked.is_empty() {
        let names: Vec<String> = settings.locked.iter().map(|name| text_value(name)).collect();
        fields.add("locked", list_inline(&names));
    }
    fields.add_some("root", settings.root.map(|mode| text_value(mode.word())));
    for (name, list) in
        [("stiffness", &settings.stiffness), ("largest_change", &settings.largest_change)]
    {
        if !list.is_empty() {
            fields.add(name, by_name(list, &format!("settings.{name}"))?);
        }
    }
    add_number(&mut fields, "regularisation", settings.regularisation, "settings")?;
    fields.add_some("restarts", settings.restarts.map(|count| count.to_string()));
    fields.add_some("least_change", settings.least_change.map(|flag| flag.to_string()));
    Ok(fields.inline())
}
