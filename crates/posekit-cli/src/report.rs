//! A solution as tables for people.

use anstyle::{AnsiColor, Style};
use posekit::glam::DQuat;
use posekit::math::{so3_log, swing_twist, wrap_angle};
use posekit::skeleton::{JointKind, Limit, Skeleton};
use posekit::solve::{Method, Phase, Solution, Status};
use posekit_io::problem::{Body, Origin, Rig, Scene};

use crate::draw::{Effort, HeldJoint, HeldLimit, Outcome, SolverLook, scientific, status_words};
use crate::table::{Align, Cell, Table, WIDTH};

/// The accent of marks and of joints at their limits.
pub(crate) const ACCENT: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Cyan)));

/// The largest number of joints or points listed for people.
pub(crate) const MOST_ROWS: usize = 40;

/// The outcome of the solve, for text and drawings.
pub(crate) fn outcome(scene: &Scene, solution: &Solution) -> Outcome {
    match &solution.status {
        Status::Reached => Outcome::Reached,
        Status::Unreachable { shortfall } => Outcome::Unreachable { shortfall: *shortfall },
        Status::Blocked { joints } => Outcome::Blocked {
            joints: match &scene.body {
                Body::Joints(rig) => {
                    joints.iter().map(|&j| held_joint(rig, j, &solution.configuration)).collect()
                }
                Body::Points { .. } => Vec::new(),
            },
        },
        Status::IterationLimit => Outcome::IterationLimit,
        Status::Cancelled => Outcome::Cancelled,
        _ => Outcome::Stalled,
    }
}

pub(crate) fn held_joint(rig: &Rig, joint: usize, q: &[f64]) -> HeldJoint {
    let nearer =
        |value: f64, (min, max): (f64, f64)| if max - value < value - min { max } else { min };
    let values = &q[rig.skeleton.value_range(joint)];
    let limit = match (rig.skeleton.kind(joint), rig.skeleton.limit(joint), values) {
        (JointKind::Prismatic { .. }, Limit::Range { min, max }, [value]) => {
            HeldLimit::Distance(nearer(*value, (min, max)))
        }
        (_, Limit::Range { min, max }, [value]) => HeldLimit::Angle(nearer(*value, (min, max))),
        (_, Limit::Cone { axis, swing, .. }, &[x, y, z, w]) => {
            let split = swing_twist(DQuat::from_xyzw(x, y, z, w), axis);
            let is_swing = split.swing_angle() >= swing - 1e-9;
            if is_swing { HeldLimit::Angle(swing) } else { HeldLimit::Shape }
        }
        _ => HeldLimit::Shape,
    };
    HeldJoint { name: rig.skeleton.name(joint).to_owned(), limit }
}

/// The effort of the solve, for text.
pub(crate) fn effort(method: Method, solution: &Solution) -> Effort {
    Effort::of(SolverLook::of(method.name()), solution.iterations)
}

/// The iteration of the escape from a lock-up, and the method that took over.
pub(crate) fn escape(solution: &Solution) -> Option<(usize, &'static str)> {
    let iteration = usize::try_from(solution.escaped_at?).ok()?;
    Some((iteration, solution.escaped_by?.name()))
}

/// The requested method, and the one that ran if it differs: `auto (direct)`.
pub(crate) fn method_words(requested: Method, ran: Method) -> String {
    if requested == ran {
        ran.name().to_owned()
    } else {
        format!("{} ({})", requested.name(), ran.name())
    }
}

/// The solution for people: status, numbers, joints or points, and the trace if it was recorded. The methods are the requested one and the one
/// that ran.
pub(crate) fn text(
    scene: &Scene,
    [requested, ran]: [Method; 2],
    solution: &Solution,
    explain: bool,
) -> String {
    let outcome = outcome(scene, solution);
    let words = status_words(&outcome, effort(ran, solution), scene.unit, escape(solution));
    let mut out = format!("{ACCENT}{}{ACCENT:#} {words}\n\n", outcome.mark());
    let mut facts = facts(scene, &method_words(requested, ran), solution);
    if explain {
        facts.insert(1, ("because", solution.choice.reason.to_owned()));
    }
    for (name, value) in facts {
        out.push_str(&format!("{name:<12}{value}\n"));
    }
    out.push('\n');
    match &scene.body {
        Body::Joints(rig) => out.push_str(&joint_table(rig, scene.unit, solution)),
        Body::Points { .. } => out.push_str(&point_table(scene, solution)),
    }
    if !solution.trace.is_empty() {
        out.push('\n');
        out.push_str(&trace_table(scene, solution));
    }
    out
}

fn facts(scene: &Scene, solver: &str, solution: &Solution) -> Vec<(&'static str, String)> {
    let with_unit = |number: String| format!("{number} {}", scene.unit).trim_end().to_owned();
    let mut facts = vec![("solver", solver.to_owned())];
    if let Some(iteration) = solution.accelerated_at {
        facts.push(("accelerated", format!("at iteration {iteration}, as convergence was slow")));
    }
    if let Some(target) = scene.target() {
        facts.push(("target", with_unit(coordinates(&target))));
        if let Some(tip) = scene.solution_points(solution).last() {
            facts.push(("tip", with_unit(coordinates(tip))));
        }
        let within = format!(" (tolerance {})", scientific(solution.tolerance));
        let error = match solution.error {
            large if large >= 1e-3 => plain(large, 6),
            small => scientific(small),
        };
        facts.push(("error", with_unit(error) + &within));
    }
    if let Body::Joints(rig) = &scene.body
        && rig.orientation.is_some()
    {
        let degrees = solution.orientation_error.to_degrees();
        facts.push(("angle error", format!("{}°", scientific(degrees))));
    }
    facts
}

/// Coordinates in a line; those negligible relative to the largest are shown as 0.
fn coordinates(values: &[f64]) -> String {
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let shown = |&value: &f64| plain(if value.abs() < 1e-9 * largest { 0.0 } else { value }, 6);
    values.iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// A number with six significant digits where that is short, a power of ten elsewhere.
fn plain(value: f64, digits: usize) -> String {
    let size = value.abs();
    let text = if size == 0.0 || (1e-4..1e6).contains(&size) {
        format!("{value:.digits$}")
    } else {
        return format!("{value:.4e}");
    };
    let trimmed = text.trim_end_matches('0').trim_end_matches('.');
    if trimmed == "-0" { "0".to_owned() } else { trimmed.to_owned() }
}

/// Joints that move the tip, with their start, value and limit.
fn joint_table(rig: &Rig, unit: &str, solution: &Solution) -> String {
    let mut table = Table::new(&[
        ("joint", Align::Left),
        ("start", Align::Right),
        ("value", Align::Right),
        ("limit", Align::Left),
        ("", Align::Left),
    ]);
    let moving = rig.moving();
    for &joint in moving.iter().take(MOST_ROWS) {
        table.row([
            Cell::new(rig.skeleton.name(joint)),
            Cell::new(joint_value(rig, joint, &rig.start, unit)).quiet(),
            Cell::new(joint_value(rig, joint, &solution.configuration, unit)),
            Cell::new(limit_words(rig, joint, unit)),
            limit_cell(rig, joint, solution),
        ]);
    }
    let mut out = table.render(WIDTH);
    if moving.len() > MOST_ROWS {
        let more = moving.len() - MOST_ROWS;
        out.push_str(&format!("… and {more} more joints; --format json lists all\n"));
    }
    out
}

/// Whether a joint is at its limit, and whether that holds the tip back.
pub(crate) fn limit_cell(rig: &Rig, joint: usize, solution: &Solution) -> Cell {
    let blocking: &[usize] =
        if let Status::Blocked { joints } = &solution.status { joints } else { &[] };
    let mark = match (blocking.contains(&joint), rig.is_at_limit(joint, &solution.configuration)) {
        (true, _) => "■ holds back",
        (false, true) => "■ at limit",
        _ => "",
    };
    Cell::new(mark).accent()
}

/// An angle for people; without an end where a file has a large number for that.
pub(crate) fn degrees(angle: f64) -> String {
    let degrees = angle.to_degrees();
    if degrees.abs() >= 1e6 {
        return format!("{degrees:.1e}°");
    }
    let text = format!("{degrees:.2}°");
    if text == "-0.00°" { "0.00°".to_owned() } else { text }
}

/// A length for people.
pub(crate) fn length(value: f64, unit: &str) -> String {
    format!("{} {unit}", plain(value, 4)).trim_end().to_owned()
}

pub(crate) fn joint_value(rig: &Rig, joint: usize, q: &[f64], unit: &str) -> String {
    let values = &q[rig.skeleton.value_range(joint)];
    match (rig.skeleton.kind(joint), values) {
        (JointKind::Prismatic { .. }, [value]) => length(*value, unit),
        (_, [value]) if rig.origin == Origin::Plane => degrees(wrap_angle(*value)),
        (_, [value]) => degrees(*value),
        (_, [.., x, y, z, w]) => {
            let at = if values.len() == 7 {
                format!("at {}, ", coordinates(&values[..3]))
            } else {
                String::new()
            };
            format!("{at}{}", turn_words([*x, *y, *z, *w]))
        }
        _ => String::new(),
    }
}

/// Rotations smaller than this are shown as 0.00°, without an axis \[degrees\].
const NO_TURN: f64 = 0.005;

/// A rotation as an angle and its axis, both to two places.
pub(crate) fn turn_words(rotation: [f64; 4]) -> String {
    let turn = so3_log(DQuat::from_array(rotation));
    let angle = turn.length();
    let about = match turn.try_normalize() {
        Some(axis) if angle.to_degrees() >= NO_TURN => {
            let [x, y, z] = axis.to_array().map(|v| plain((v * 100.0).round() / 100.0, 2));
            format!(" about {x} {y} {z}")
        }
        _ => String::new(),
    };
    format!("{}{about}", degrees(angle))
}

pub(crate) fn limit_words(rig: &Rig, joint: usize, unit: &str) -> String {
    limit_of(&rig.skeleton, joint, unit)
}

/// The limit of a joint for people.
pub(crate) fn limit_of(skeleton: &Skeleton, joint: usize, unit: &str) -> String {
    let is_slide = matches!(skeleton.kind(joint), JointKind::Prismatic { .. });
    let show = |value: f64| if is_slide { length(value, unit) } else { degrees(value) };
    match skeleton.limit(joint) {
        Limit::Range { min, max } => match (min.is_finite(), max.is_finite()) {
            (true, true) => format!("{} to {}", show(min), show(max)),
            (true, false) => format!("at least {}", show(min)),
            (false, true) => format!("at most {}", show(max)),
            (false, false) => "none".to_owned(),
        },
        Limit::Cone { swing, twist: [min, max], .. } => {
            format!("swing {}, twist {} to {}", degrees(swing), degrees(min), degrees(max))
        }
        Limit::None => "none".to_owned(),
    }
}

fn point_table(scene: &Scene, solution: &Solution) -> String {
    let mut table =
        Table::new(&[("point", Align::Left), ("start", Align::Left), ("now", Align::Left)]);
    let points = scene.solution_points(solution);
    let count = points.len();
    for (index, (before, after)) in scene.start_points().iter().zip(&points).enumerate() {
        if index >= MOST_ROWS && index + 1 < count {
            continue;
        }
        let name = match index {
            0 => "root".to_owned(),
            last if last + 1 == count => "tip".to_owned(),
            index => index.to_string(),
        };
        let [before, after] = [before, after].map(|point| Cell::new(coordinates(point)));
        table.row([Cell::new(name), before.quiet(), after]);
    }
    let mut out = table.render(WIDTH);
    if count > MOST_ROWS + 1 {
        let more = count - MOST_ROWS - 1;
        out.push_str(&format!("… and {more} more points; --format json lists all\n"));
    }
    out
}

fn trace_table(scene: &Scene, solution: &Solution) -> String {
    trace_rows(scene.start_error(), scene.unit, solution)
}

/// The trace of a solve: its error in this unit before the first iteration and after each one.
pub(crate) fn trace_rows(start_error: f64, unit: &str, solution: &Solution) -> String {
    let unit = if unit.is_empty() { "error".to_owned() } else { format!("error ({unit})") };
    let mut table =
        Table::new(&[("iteration", Align::Right), (&unit, Align::Right), ("", Align::Left)]);
    table.row([Cell::new("0"), Cell::new(scientific(start_error)), Cell::new("start").quiet()]);
    for step in &solution.trace {
        let what = match step.phase {
            Phase::Escape => "escaped from a lock-up",
            Phase::Acceleration => "accelerated slow convergence",
            _ => "",
        };
        table.row([
            Cell::new(step.iteration.to_string()),
            Cell::new(scientific(step.error)),
            Cell::new(what).accent(),
        ]);
    }
    table.render(WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use posekit::glam::DVec3;
    use posekit::math::so3_exp;

    #[test]
    fn turns_have_an_axis_to_two_places() {
        let words = |turn: DVec3| turn_words(so3_exp(turn).to_array());
        assert_eq!(words(DVec3::new(-0.3, -2e-7, 0.4)), "28.65° about -0.6 0 0.8");
        assert_eq!(words(DVec3::Y * 1e-5), "0.00°");
        assert_eq!(words(DVec3::ZERO), "0.00°");
    }
}
