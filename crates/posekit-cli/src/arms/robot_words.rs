//! What an SRDF adds to a robot: groups, named states, and pairs of links that may touch.

use posekit_io::Robot;
use posekit_io::robot::RobotState;
use serde::Serialize;

use crate::draw::significant;
use crate::output::Console;
use crate::table::{Align, Cell, Table, width};

/// The largest number of pairs listed without `-v`.
const MOST_PAIRS: usize = 20;

/// The same for programs.
#[derive(Serialize)]
pub(super) struct Semantics<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<Group<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    states: Vec<State<'a>>,
    /// The pairs of links that collision checks leave out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    disabled_pairs: Vec<Pair<'a>>,
}

#[derive(Serialize)]
struct Group<'a> {
    name: &'a str,
    joints: Vec<&'a str>,
    links: Vec<&'a str>,
}

#[derive(Serialize)]
struct State<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    /// Joints with their values \[rad, m\].
    values: Vec<(&'a str, &'a [f64])>,
}

#[derive(Serialize)]
struct Pair<'a> {
    links: [&'a str; 2],
    reason: &'a str,
}

impl<'a> Semantics<'a> {
    pub(super) fn of(robot: &'a Robot) -> Self {
        let link = |index: usize| robot.links()[index].name.as_str();
        let joint = |index: usize| robot.joints()[index].name.as_str();
        let groups = robot.groups().iter().map(|group| Group {
            name: &group.name,
            joints: group.joints.iter().map(|&index| joint(index)).collect(),
            links: group.links.iter().map(|&index| link(index)).collect(),
        });
        let states = robot.states().iter().map(|state| State {
            name: &state.name,
            group: state.group.map(|group| robot.groups()[group].name.as_str()),
            values: values(robot, state).collect(),
        });
        let pairs = robot.disabled_pairs().iter();
        let pairs = pairs.map(|pair| Pair { links: pair.links.map(link), reason: &pair.reason });
        Self { groups: groups.collect(), states: states.collect(), disabled_pairs: pairs.collect() }
    }
}

fn values<'a>(
    robot: &'a Robot,
    state: &'a RobotState,
) -> impl Iterator<Item = (&'a str, &'a [f64])> {
    let value = |values: &'a posekit_io::robot::StateValues| {
        (robot.joints()[values.joint].name.as_str(), values.values.as_slice())
    };
    state.values.iter().map(value)
}

/// The tables of those that the robot has.
pub(super) fn semantic_tables(robot: &Robot) -> String {
    let Semantics { groups, states, disabled_pairs } = Semantics::of(robot);
    let mut text = String::new();
    let mut add = |heads: &[&str], rows: Vec<Vec<String>>| {
        if rows.is_empty() {
            return;
        }
        let heads: Vec<_> = heads.iter().map(|head| (*head, Align::Left)).collect();
        let mut table = Table::new(&heads);
        for row in rows {
            table.row(row.iter().map(Cell::new));
        }
        text.push('\n');
        text.push_str(&table.render(width()));
    };
    let group = |group: &Group<'_>| {
        vec![group.name.to_owned(), group.joints.join(", "), group.links.join(", ")]
    };
    add(&["group", "joints", "links"], groups.iter().map(group).collect());
    let number = |values: &[f64]| {
        values.iter().map(|value| significant(*value, 4)).collect::<Vec<_>>().join(" ")
    };
    let state = |state: &State<'_>| {
        let values: Vec<String> = state
            .values
            .iter()
            .map(|(joint, values)| format!("{joint} {}", number(values)))
            .collect();
        vec![state.name.to_owned(), state.group.unwrap_or("").to_owned(), values.join(", ")]
    };
    add(&["state", "group", "values (rad, m)"], states.iter().map(state).collect());
    let n_shown = if Console::get().is_verbose { usize::MAX } else { MOST_PAIRS };
    let pair = |pair: &Pair<'_>| {
        let [a, b] = pair.links;
        vec![format!("{a}, {b}"), pair.reason.to_owned()]
    };
    let shown = disabled_pairs.iter().take(n_shown).map(pair).collect();
    add(&["pair that is not checked for collisions", "reason in the file"], shown);
    if let Some(more @ 1..) = disabled_pairs.len().checked_sub(n_shown) {
        text.push_str(&format!("… and {more} more; -v lists all\n"));
    }
    text
}
