//! The section of `RESULTS.md` about steps.

use std::fmt::Write;

use super::measure::{Solves, Steps};
use super::peers::Peers;
use super::{MOST_STEPS, TOLERANCE, TRACKING_TOLERANCE};
use crate::report::{STEPS, circumstances, markdown, time};

/// Everything measured of a model.
#[derive(Debug)]
pub struct Measured {
    /// Name of the case.
    pub name: String,
    /// Joints that move, and unknowns.
    pub sizes: [usize; 2],
    /// One step per target.
    pub steps: Steps,
    /// Allocations in the timed steps.
    pub allocations: u64,
    /// Warm starts, as the peers are measured.
    pub convergence: Option<Solves>,
    /// Whole solves: of what, and what they took.
    pub solves: Vec<(&'static str, Solves)>,
}

/// The section, with the heading that it begins at.
pub fn section(measured: &[Measured], peers: Option<&Peers>, notes: &[String]) -> String {
    let mut text = format!("{STEPS}\n\n");
    text.push_str(&circumstances());
    let _ = write!(text, "- problems: `bench/python/README.md`\n- timed as there, on one thread");
    if let Some(peers) = peers.filter(|peers| !peers.results.is_empty()) {
        let _ = write!(text, "; load average {:.2} after the peers had run", peers.load_average);
    }
    text.push_str("\n\n");
    for note in notes {
        let _ = write!(text, "{note}\n\n");
    }
    let _ = write!(
        text,
        "One **step** sets the targets, solves once for the displacement and computes the new configuration with its kinematics: \
         for posekit a `Workspace::set_target` for each task, one `Workspace::step` and a `Workspace::configuration`, without restarts and without the least change. \
         All tasks weigh the same, a posture pulls the joints to the start with a weight of 1e-8 (1e-4 before squaring), joint limits hold. **Tracked**: steps after which every task is within {TRACKING_TOLERANCE:e} (m, rad), by \
         forward kinematics. **Warm solved**: within {TOLERANCE:e} (m, rad) and the limits after at most {MOST_STEPS} steps, from \
         starts within 0.05 rad of a solution; **to converge** is the time of those steps. \
         **Times posekit** divides by posekit's median step.\n\n",
    );
    for case in measured {
        text.push_str(&case_table(case, peers));
        text.push('\n');
    }
    text.push_str(&parts_table(measured));
    text.push('\n');
    text.push_str(&solves_table(measured));
    text
}

fn case_table(case: &Measured, peers: Option<&Peers>) -> String {
    let [joints, unknowns] = case.sizes;
    let title = format!("### {} joints, {} degrees of freedom (`{}`)", joints, unknowns, case.name);
    let mut cells = vec![
        [
            "solver",
            "median step",
            "mean",
            "tracked",
            "worst error",
            "warm solved",
            "steps",
            "to converge",
            "times posekit",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    let ours = &case.steps;
    let dash = || "-".to_owned();
    let solved = |solves: &Solves| percent(solves.solved as f64 / solves.total as f64);
    let convergence = case.convergence.as_ref();
    cells.push(vec![
        "posekit least squares".to_owned(),
        time(ours.median),
        time(ours.mean),
        percent(ours.tracked),
        format!("{:.1e}", ours.worst),
        convergence.map_or_else(dash, solved),
        convergence.map_or_else(dash, |c| c.iterations.to_string()),
        convergence.map_or_else(dash, |c| time(c.median)),
        "1.00".to_owned(),
    ]);
    let all = peers.map_or(&[][..], |peers| &peers.results);
    for peer in all.iter().filter(|peer| peer.case == case.name) {
        cells.push(vec![
            format!("{} {}, {}", peer.peer, peer.version, peer.settings),
            time(peer.step_ns_median),
            time(peer.step_ns_mean),
            percent(peer.tracked),
            format!("{:.1e}", peer.tracking_error),
            peer.solved.map_or_else(dash, percent),
            peer.converge_steps_median.map_or_else(dash, |steps| steps.to_string()),
            peer.converge_ns_median.map_or_else(dash, time),
            format!("{:.2}", peer.step_ns_median / ours.median),
        ]);
    }
    format!("{title}\n\n{}", markdown(&cells))
}

/// What posekit's step is made of.
fn parts_table(measured: &[Measured]) -> String {
    let mut cells = vec![
        [
            "case",
            "`set_target`s",
            "`step`, one iteration",
            "`configuration`",
            "steps",
            "allocations",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    for case in measured {
        let [begin, step, solution] = case.steps.parts.map(time);
        let (n, allocations) = (case.steps.n.to_string(), case.allocations.to_string());
        cells.push(vec![case.name.clone(), begin, step, solution, n, allocations]);
    }
    format!(
        "### The parts of a step of posekit\n\nMedians along the paths.\n\n{}",
        markdown(&cells)
    )
}

/// Whole solves.
fn solves_table(measured: &[Measured]) -> String {
    let mut cells = vec![
        ["case", "solves", "solved", "median time", "mean", "slowest", "iterations", "most"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for case in measured {
        for (of_what, solves) in &case.solves {
            cells.push(vec![
                case.name.clone(),
                (*of_what).to_owned(),
                format!("{} of {}", solves.solved, solves.total),
                time(solves.median),
                time(solves.mean),
                time(solves.slowest),
                solves.iterations.to_string(),
                solves.most_iterations.to_string(),
            ]);
        }
    }
    format!(
        "### Whole solves of posekit\n\nEach `begin`, `run` and `solution`, to {TOLERANCE:e} (m, rad); **solved** by forward kinematics of the result, \
         within the limits. **Path**: from frame to frame. **Warm**: from within 0.05 rad of a solution. **Cold**: from anywhere. \
         **Tracking**: no restarts, the first pose found. **Defaults**: the least change, and restarts. The posture weighs in the \
         same level, so near singular poses it is traded for errors above the tolerance: these are the misses of cold solves with restarts.\n\n{}",
        markdown(&cells)
    )
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
