//! How many targets posekit finds, over all limbs.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use posekit::arm::{Arm, ArmSolution, Prefer};
use posekit::skeleton::{JointKind, Skeleton};
use posekit_io::{Limits, Warnings, read_robot_file};

use super::cold::Times;
use super::limbs::Limb;
use super::ours::{pose, settings};
use super::problem::{Problem, Verdict, first_seed};
use super::robot::is_mjcf;
use crate::measure::stopwatch_overhead;

/// What came of one limb.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// How many joints have values of their own.
    pub n_unknowns: usize,
    /// Problems.
    pub total: usize,
    /// Times, failures included.
    pub times: Times,
    /// Starts, mean.
    pub starts: f64,
    /// The largest error of an answer that is called reached \[m, rad\].
    pub worst_error: f64,
    /// What was not solved.
    pub failures: Vec<Failure>,
}

/// A problem that was not solved.
#[derive(Debug, Clone, Copy)]
pub struct Failure {
    /// What it was drawn with.
    pub seed: u64,
    /// Whether posekit calls it reached.
    pub is_called_reached: bool,
    /// The verdict on the answer.
    pub verdict: Verdict,
}

/// A limb as posekit has it: the whole robot, with all joints held that are not the limb's.
struct Solver {
    arm: Arm,
    /// Every joint at its place, the limb's to be filled in.
    rest: Vec<f64>,
    /// Where the values of the limb are.
    places: Vec<usize>,
}

impl Solver {
    fn new(limb: &Limb, folder: &Path) -> Result<Self> {
        let path = folder.join(&limb.file);
        let robot = read_robot_file(&path, &Limits::default(), &mut Warnings::new())?;
        let skeleton = robot.skeleton();
        let tool = match is_mjcf(&path) {
            true => skeleton.find(&limb.tip).map(|joint| skeleton.frame(joint)),
            false => robot.frame(&limb.tip),
        };
        let tool = tool.context("no tip")?;
        let place = |name: &String| -> Result<(usize, usize)> {
            let joint = skeleton.find(name).with_context(|| format!("no joint {name}"))?;
            Ok((joint, skeleton.value_range(joint).start))
        };
        let mut rest = skeleton.neutral();
        for (name, value) in &limb.chain.held {
            let (joint, place) = place(name)?;
            if !skeleton.value_range(joint).is_empty() {
                rest[place] = *value;
            }
        }
        let mut held = before(skeleton, limb)?;
        let is_unbounded =
            |&joint: &usize| matches!(skeleton.kind(joint), JointKind::Ball | JointKind::Free);
        held.extend(skeleton.ancestors(tool.joint).filter(is_unbounded));
        let arm = match held.is_empty() {
            true => Arm::new(skeleton, tool)?,
            false => Arm::with_held(skeleton, tool, &held, &rest)?,
        };
        let places = limb.chain.unknowns.iter().map(|unknown| Ok(place(&unknown.name)?.1));
        Ok(Self { arm, rest, places: places.collect::<Result<_>>()? })
    }
}

/// The joints before the limb, by their numbers in the skeleton.
fn before(skeleton: &Skeleton, limb: &Limb) -> Result<Vec<usize>> {
    let steps = limb.chain.steps[..limb.base_step].iter().filter(|step| step.joint.moves());
    let joint = |name: &String| skeleton.find(name).with_context(|| format!("no joint {name}"));
    steps.map(|step| joint(&step.joint.name)).collect()
}

/// Solves `n` problems from random starts, and has each answer judged.
///
/// # Errors
/// When posekit does not read the robot, or refuses the limb.
pub fn run(limb: &Limb, folder: &Path, n: usize) -> Result<Row> {
    let first = first_seed(&limb.chain.name);
    run_seeds(limb, folder, (0..n as u64).map(|k| first.wrapping_add(k)))
}

/// The same for the problems of given seeds, as failures are listed by.
///
/// # Errors
/// As [`run`].
pub fn run_seeds(limb: &Limb, folder: &Path, seeds: impl Iterator<Item = u64>) -> Result<Row> {
    let Solver { arm, rest, places } = Solver::new(limb, folder)?;
    let (chain, settings, overhead) = (&limb.chain, settings(Prefer::First), stopwatch_overhead());
    let (mut times, mut failures, mut starts, mut worst_error) = (vec![], vec![], 0.0, 0.0_f64);
    for seed in seeds {
        let problem = Problem::draw(chain, seed);
        let (mut start, target) = (rest.clone(), pose(&problem.target));
        places.iter().zip(&problem.start).for_each(|(&place, value)| start[place] = *value);
        let mut q = start.clone();
        let mut timed = || -> posekit::Result<(f64, ArmSolution)> {
            q.clone_from(&start);
            let watch = Instant::now();
            let solution = arm.solve(target, &mut q, &settings)?;
            Ok((watch.elapsed().as_secs_f64() * 1e9 - overhead, solution))
        };
        // The faster of two counts: a solve always does the same, what interrupts it does not.
        let ((first, solution), (second, _)) = (timed()?, timed()?);
        times.push(first.min(second));
        starts += f64::from(solution.starts);
        let answer: Vec<f64> = places.iter().map(|&place| q[place]).collect();
        let verdict = Verdict::new(chain, &problem.target, &answer);
        let is_called_reached = solution.is_reached();
        if is_called_reached {
            worst_error = worst_error.max(verdict.error());
        }
        if !(verdict.is_solved() && is_called_reached) {
            failures.push(Failure { seed, is_called_reached, verdict });
        }
    }
    Ok(Row {
        name: chain.name.clone(),
        n_unknowns: chain.unknowns.len(),
        total: times.len(),
        starts: starts / times.len().max(1) as f64,
        times: Times::new(times),
        worst_error,
        failures,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arms::chain::{Chain, TIP};
    use crate::arms::problem::{folder, puma, write_urdf};
    use crate::arms::robot::Robot;

    #[test]
    fn targets_are_found_unless_the_judge_has_another_robot() {
        let chain = Chain { name: "judged".to_owned(), ..puma().expect("an arm") };
        let path = write_urdf(&chain).expect("a file");
        let robot = Robot::read(&path).expect("a robot");
        let (file, folder) = ("judged.urdf".into(), folder().expect("a folder"));
        let chain = Chain::whole("judged", &robot, TIP).expect("a chain");
        let (tip, base) = (TIP.to_owned(), "base".to_owned());
        let mut limb = Limb { file, tip, base, base_step: 0, chain };
        let row = run(&limb, &folder, 50).expect("a run");
        assert!(row.failures.is_empty() && row.worst_error <= 1e-6, "{row:?}");
        limb.chain.steps[3].joint.origin.0[2] += 1e-5;
        let row = run(&limb, &folder, 50).expect("a run");
        assert_eq!(row.failures.len(), 50, "each is ten tolerances beside its target");
        let seed = row.failures[7].seed;
        let again = run_seeds(&limb, &folder, [seed].into_iter()).expect("a run");
        assert_eq!(again.failures[0].verdict.distance, row.failures[7].verdict.distance);
    }
}
