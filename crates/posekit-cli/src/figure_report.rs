//! The solution of a figure as tables for people.

use core::f64::consts::PI;

use posekit::skeleton::JointKind;
use posekit::solve::{Hold, HoldKind, JointOptions, Method, Settings, Solution, Status};
use posekit_io::problem::{FigureScene, is_preference};

use crate::draw::{HeldJoint, HeldLimit, Outcome, length_words, scientific, status_words};
use crate::report::{
    ACCENT, MOST_ROWS, effort, escape, held_joint, joint_value, limit_cell, limit_words,
    method_words, trace_rows, turn_words,
};
use crate::table::{Align, Cell, Table, WIDTH};

/// The largest number of limits listed for people.
const MOST_HOLDS: usize = 5;

/// The outcome of the solve, for text and drawings.
pub(crate) fn outcome(figure: &FigureScene, solution: &Solution, settings: &Settings) -> Outcome {
    match &solution.status {
        Status::Reached => Outcome::Reached,
        Status::Unreachable { shortfall } => Outcome::Unreachable { shortfall: *shortfall },
        Status::Blocked { joints } => {
            let hold = |joint: usize| solution.holds.iter().find(|hold| hold.joint == joint);
            let held = |&joint: &usize| held(figure, (joint, hold(joint)), solution, settings);
            Outcome::Blocked { joints: joints.iter().map(held).collect() }
        }
        Status::IterationLimit => Outcome::IterationLimit,
        Status::Cancelled => Outcome::Cancelled,
        _ => Outcome::Stalled,
    }
}

/// A joint with its limit, or with its largest change if that holds it back.
fn held(
    figure: &FigureScene,
    (joint, hold): (usize, Option<&Hold>),
    solution: &Solution,
    settings: &Settings,
) -> HeldJoint {
    let held = held_joint(&figure.rig, joint, &solution.configuration);
    let skeleton = &figure.rig.skeleton;
    let is_leashed = hold.is_some_and(|hold| hold.kind == HoldKind::LargestChange);
    // The largest change of a mimic joint is that of its driver.
    let (leads, by) =
        skeleton.mimic(joint).map_or((joint, 1.0), |mimic| (mimic.joint, mimic.multiplier.abs()));
    if !is_leashed {
        return held;
    }
    let change = settings.joint_options(leads).largest_change * by;
    let slides = matches!(skeleton.kind(joint), JointKind::Prismatic { .. });
    let limit = if slides { HeldLimit::Slide(change) } else { HeldLimit::Turn(change) };
    HeldJoint { limit, ..held }
}

/// The outcome as text, with the number of missed tasks of lower levels.
pub(crate) fn words(figure: &FigureScene, solution: &Solution, settings: &Settings) -> String {
    let effort = effort(solution.choice.method, solution);
    let outcome = outcome(figure, solution, settings);
    let mut words = status_words(&outcome, effort, "m", escape(solution));
    let is_missed = |(index, task): &(usize, &posekit::task::Task)| {
        let waits = task.level > 1 && task.weight > 0.0 && !is_preference(task);
        waits && !FigureScene::is_met(solution.misses[*index], solution, settings)
    };
    match figure.tasks.iter().enumerate().filter(is_missed).count() {
        0 => {}
        1 => words.push_str("; 1 task of a lower level is missed"),
        more => words.push_str(&format!("; {more} tasks of lower levels are missed")),
    }
    words
}

/// The solution for people: status, the method and why it was chosen, the tasks, what holds them back, the joints, and the trace if it was recorded.
pub(crate) fn text(
    figure: &FigureScene,
    requested: Method,
    solution: &Solution,
    settings: &Settings,
    explain: bool,
) -> String {
    let mark = outcome(figure, solution, settings).mark();
    let words = words(figure, solution, settings);
    let mut out = format!("{ACCENT}{mark}{ACCENT:#} {words}\n\n");
    let solver = method_words(requested, solution.choice.method);
    out.push_str(&format!("{:<12}{solver}: {}\n", "solver", solution.choice.reason));
    if explain {
        for (name, value) in facts(figure, solution, settings) {
            out.push_str(&format!("{name:<12}{value}\n"));
        }
    }
    if !figure.tasks.is_empty() {
        out.push('\n');
        out.push_str(&task_table(figure, solution, settings));
    }
    out.push_str(&hold_lines(figure, solution, settings));
    if !figure.moving().is_empty() {
        out.push('\n');
        out.push_str(&joint_table(figure, solution));
    }
    if !solution.trace.is_empty() {
        out.push('\n');
        out.push_str(&trace_rows(figure.start_error(), "m", solution));
    }
    out
}

/// The constraints of the solve.
fn facts(
    figure: &FigureScene,
    solution: &Solution,
    settings: &Settings,
) -> Vec<(&'static str, String)> {
    let skeleton = &figure.rig.skeleton;
    let mut facts = vec![
        ("tolerance", tolerance_words(figure, solution, settings)),
        ("joints", format!("{}, {} degrees of freedom", figure.moving().len(), skeleton.n_dofs())),
    ];
    let mut add_joints = |fact, is_set: fn(JointOptions) -> bool| {
        let set = (0..skeleton.n_joints()).filter(|&joint| is_set(settings.joint_options(joint)));
        let names: Vec<&str> = set.map(|joint| skeleton.name(joint)).collect();
        if !names.is_empty() {
            facts.push((fact, names.join(", ")));
        }
    };
    add_joints("locked", |joint| joint.locked);
    add_joints("pre-pulled", |joint| joint.pre_pulled);
    if figure.mass > 0.0 {
        facts.push(("mass", format!("{:.1} kg", figure.mass)));
    }
    if let Some(iteration) = solution.accelerated_at {
        facts.push(("accelerated", format!("at iteration {iteration}, as convergence was slow")));
    }
    facts
}

/// The tolerances that apply to the tasks: a distance, an angle or both.
fn tolerance_words(figure: &FigureScene, solution: &Solution, settings: &Settings) -> String {
    let miss = |index: usize| figure.relevant_miss(index, solution.misses[index]);
    let has = |part: usize| (0..figure.tasks.len()).any(|index| miss(index)[part].is_some());
    let distance = has(0).then(|| format!("{} m", scientific(solution.tolerance)));
    let angle = settings.angle_tolerance().to_degrees();
    let angle = has(1).then(|| format!("{}°", scientific(angle)));
    let words: Vec<String> = distance.into_iter().chain(angle).collect();
    if words.is_empty() { "none, no tasks".to_owned() } else { words.join(", ") }
}

fn task_table(figure: &FigureScene, solution: &Solution, settings: &Settings) -> String {
    // Columns that would be empty are omitted.
    let has_names = figure.labels.iter().any(|label| label.name.is_some());
    let mut columns = vec![("task", Align::Left)];
    if has_names {
        columns.insert(0, ("name", Align::Left));
    }
    columns.extend([
        ("frame", Align::Left),
        ("level", Align::Right),
        ("weight", Align::Right),
        ("error", Align::Right),
        ("angle error", Align::Right),
        ("", Align::Left),
    ]);
    let mut table = Table::new(&columns);
    for (index, task) in figure.tasks.iter().enumerate() {
        let (label, miss) = (&figure.labels[index], solution.misses[index]);
        let is_met = FigureScene::is_met(miss, solution, settings);
        let [distance, angle] = figure.relevant_miss(index, miss);
        let state = match (is_met, task.weight > 0.0, is_preference(task)) {
            (_, false, _) => Cell::new("off").quiet(),
            (true, ..) => Cell::new("✓ met"),
            (false, _, true) => Cell::new("preference").quiet(),
            (false, ..) => Cell::new("○ missed").accent(),
        };
        let mut cells = vec![Cell::new(task.kind.name())];
        if has_names {
            cells.insert(0, Cell::new(label.name.as_deref().unwrap_or_default()));
        }
        cells.extend([
            Cell::new(&label.frame),
            Cell::new(task.level.to_string()),
            Cell::new(task.weight.to_string()),
            Cell::new(distance.map_or(String::new(), |distance| miss_words(distance * 1e3, " mm"))),
            Cell::new(angle.map_or(String::new(), |angle| miss_words(angle.to_degrees(), "°"))),
            state,
        ]);
        table.row(cells);
    }
    table.render(WIDTH)
}

/// Joints that can move, with their values and limits.
fn joint_table(figure: &FigureScene, solution: &Solution) -> String {
    let columns = [
        ("joint", Align::Left),
        ("value", Align::Right),
        ("limit", Align::Left),
        ("", Align::Left),
    ];
    let mut table = Table::new(&columns);
    let (rig, moving) = (&figure.rig, figure.moving());
    for &joint in moving.iter().take(MOST_ROWS) {
        let values = &solution.configuration[rig.skeleton.value_range(joint)];
        // A free joint has two lines: its rotation and its position.
        let (value, at) = match values {
            &[x, y, z, ref rotation @ ..] if rotation.len() == 4 => {
                let turn = rotation.last_chunk().map_or(String::new(), |turn| turn_words(*turn));
                (turn, Some(format!("at {x:.3}, {y:.3}, {z:.3} m")))
            }
            _ => (joint_value(rig, joint, &solution.configuration, "m"), None),
        };
        table.row([
            Cell::new(rig.skeleton.name(joint)),
            Cell::new(value),
            Cell::new(limit_words(rig, joint, "m")),
            limit_cell(rig, joint, solution),
        ]);
        if let Some(at) = at {
            table.row([Cell::new(""), Cell::new(at)]);
        }
    }
    let mut out = table.render(WIDTH);
    if moving.len() > MOST_ROWS {
        let more = moving.len() - MOST_ROWS;
        out.push_str(&format!("… and {more} more joints; --format json lists all\n"));
    }
    out
}

/// A miss to three decimals, or as a power of ten if that would show only zeros.
fn miss_words(value: f64, unit: &str) -> String {
    // Far below the tolerance the exact value does not matter.
    if !(1e-6..5e-4).contains(&value) {
        format!("{value:.3}{unit}")
    } else {
        format!("{}{unit}", scientific(value))
    }
}

/// A line for each limit, or largest change, that holds the figure back, the largest relief first.
fn hold_lines(figure: &FigureScene, solution: &Solution, settings: &Settings) -> String {
    let mut holds = solution.holds.clone();
    holds.sort_by(|a, b| b.relief.total_cmp(&a.relief));
    let mut out = String::new();
    for hold in holds.iter().take(MOST_HOLDS) {
        let joints = vec![held(figure, (hold.joint, Some(hold)), solution, settings)];
        let effort = effort(solution.choice.method, solution);
        let words = status_words(&Outcome::Blocked { joints }, effort, "m", None);
        let relief = relief_words(figure.rig.skeleton.kind(hold.joint), hold.relief);
        out.push_str(&format!("{ACCENT}■{ACCENT:#} {words}{relief}\n"));
    }
    if holds.len() > MOST_HOLDS {
        let more = holds.len() - MOST_HOLDS;
        out.push_str(&format!("… and {more} more limits; --format json lists all\n"));
    }
    if out.is_empty() { out } else { format!("\n{out}") }
}

/// The relief for each degree or millimetre by which the limit is relaxed.
fn relief_words(kind: JointKind, relief: f64) -> String {
    if relief <= 0.0 {
        return String::new();
    }
    match kind {
        JointKind::Prismatic { .. } => format!(": {} per mm", length_words(relief, "mm")),
        _ => format!(": {} per degree", length_words(relief * PI / 180.0, "m")),
    }
}
