//! What the pieces of a solve cost, and how that compares with the arithmetic in them.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, Result};
use posekit::arm::{Arm, Prefer};
use posekit::math::Pose;
use posekit::solve::{Method, Settings, Workspace};
use posekit::task::{FramePose, Task};

use super::chain::Chain;
use super::lines::RATE;
use super::ours::{Model, pose, settings};
use super::problem::Problem;
use crate::measure::median_of;

/// Configurations that the pieces are run on, so that no branch is learned.
const CONFIGURATIONS: usize = 256;

/// Arithmetic of a core without vectors, where every cycle ends two fused products and sums.
pub const FLOP_PER_CYCLE: f64 = 4.0;

/// Products and sums of kinematics, kinematics with the Jacobian, and a damped step with these, for six and for seven hinges: a general transform to each
/// joint, a sine and cosine of 30, a Cholesky factorisation of the dual system.
const FLOP: [[f64; 3]; 2] = [[549.0, 801.0, 1361.0], [630.0, 924.0, 1647.0]];

/// A piece and its time.
#[derive(Debug, Clone)]
pub struct Piece {
    /// What it is.
    pub name: &'static str,
    /// \[ns\].
    pub time: f64,
    /// Products and sums in it.
    pub flop: Option<f64>,
}

/// The pieces of posekit on one arm, each the median over the rounds.
///
/// # Errors
/// When posekit refuses the arm.
pub fn pieces(chain: &Chain, rounds: usize) -> Result<Vec<Piece>> {
    let problems = Problem::draw_all(chain, CONFIGURATIONS);
    let Model { skeleton, tool, .. } = Model::new(chain)?;
    let arm = Arm::new(&skeleton, tool)?;
    let starts: Vec<&[f64]> = problems.iter().map(|problem| &problem.start[..]).collect();
    let flop = (6..=7).contains(&starts[0].len()).then(|| FLOP[starts[0].len() - 6]);
    let mut poses = vec![Pose::IDENTITY; skeleton.n_joints()];
    let mut jacobian = vec![0.0; 6 * skeleton.n_dofs()];
    let mut differential = Differential::new(chain, &problems)?;
    let near = near(&problems, &arm)?;
    let mut times: [Vec<f64>; 6] = Default::default();
    for _ in 0..rounds {
        let arm_pose = each(&starts, |q| {
            let _ = black_box(arm.pose(black_box(q)));
        });
        let kinematics = each(&starts, |q| {
            skeleton.forward_kinematics(black_box(q), &mut poses);
            black_box(&poses);
        });
        let with_jacobian = each(&starts, |q| {
            skeleton.forward_kinematics(black_box(q), &mut poses);
            skeleton.jacobian(&poses, &tool, black_box(&mut jacobian));
        });
        let [iteration, ..] = fit(&arm, &problems)?;
        let servo = servo(&arm, &problems, &near)?;
        let all = [arm_pose, kinematics, with_jacobian, iteration, servo, differential.step()?];
        times.iter_mut().zip(all).for_each(|(times, time)| times.push(time));
    }
    let names = [
        ("`Arm::pose`", 0),
        ("`Skeleton::forward_kinematics`", 0),
        ("`forward_kinematics` and `jacobian`", 1),
        ("one more iteration of `Arm::solve`", 2),
        ("`Arm::step`", 2),
        ("`Workspace::set_target` and `step`", 2),
    ];
    let piece = |((name, k), mut times): ((&'static str, usize), Vec<f64>)| Piece {
        name,
        time: median_of(&mut times),
        flop: flop.map(|flop| flop[k]),
    };
    Ok(names.into_iter().zip(times).map(piece).collect())
}

/// The mean time over a list of configurations \[ns\].
fn each(starts: &[&[f64]], mut run: impl FnMut(&[f64])) -> f64 {
    let watch = Instant::now();
    starts.iter().for_each(|q| run(q));
    watch.elapsed().as_secs_f64() * 1e9 / starts.len() as f64
}

/// For each start a pose of the tool near by: every joint is 0.001 rad away.
fn near(problems: &[Problem], arm: &Arm) -> Result<Vec<Pose>> {
    let near = |problem: &Problem| {
        let by = |k: usize| if k % 2 == 0 { 1e-3 } else { -1e-3 };
        let q: Vec<f64> = problem.start.iter().enumerate().map(|(k, x)| x + by(k)).collect();
        Ok(arm.pose(&q)?)
    };
    problems.iter().map(near).collect()
}

/// The mean time of a step of a servo loop \[ns\].
fn servo(arm: &Arm, problems: &[Problem], near: &[Pose]) -> Result<f64> {
    let (settings, mut q) = (settings(Prefer::Nearest), problems[0].start.clone());
    let watch = Instant::now();
    for (problem, target) in problems.iter().zip(near) {
        q.copy_from_slice(&problem.start);
        black_box(arm.step(*target, &mut q, 1.0 / RATE, &settings)?);
    }
    Ok(watch.elapsed().as_secs_f64() * 1e9 / problems.len() as f64)
}

/// Times of solves by least squares: what each iteration takes, what each start takes besides, and what the rest takes \[ns\].
fn fit(arm: &Arm, problems: &[Problem]) -> Result<[f64; 3]> {
    let settings = settings(Prefer::First);
    let (mut normal, mut right) = ([[0.0; 3]; 3], [0.0; 3]);
    for problem in problems {
        let (target, mut q) = (pose(&problem.target), problem.start.clone());
        let watch = Instant::now();
        let solution = arm.solve(target, &mut q, &settings)?;
        let time = watch.elapsed().as_secs_f64() * 1e9;
        let row = [f64::from(solution.iterations), f64::from(solution.starts), 1.0];
        // Long solves count as much as short ones: a moment in which the machine is busy is longer, too.
        let weight = 1.0 / (time * time);
        for i in 0..3 {
            (0..3).for_each(|j| normal[i][j] += weight * row[i] * row[j]);
            right[i] += weight * row[i] * time;
        }
    }
    solve_three(normal, right).context("solves that all take as many iterations")
}

/// A system of three equations by Cramer's rule; none where it is singular.
fn solve_three(a: [[f64; 3]; 3], b: [f64; 3]) -> Option<[f64; 3]> {
    let determinant =
        |m: &[[f64; 3]; 3]| super::matrix::dot(m[0], super::matrix::cross(m[1], m[2]));
    let whole = determinant(&a);
    let replaced = |column: usize| {
        let mut m = a;
        m.iter_mut().zip(b).for_each(|(row, b)| row[column] = b);
        determinant(&m) / whole
    };
    let solution = [0, 1, 2].map(replaced);
    solution.iter().all(|x| x.is_finite()).then_some(solution)
}

/// Differential steps towards targets that are near.
struct Differential {
    workspace: Workspace,
    tasks: Vec<Task>,
}

impl Differential {
    fn new(chain: &Chain, problems: &[Problem]) -> Result<Self> {
        let Model { skeleton, tool, .. } = Model::new(chain)?;
        let near = |(k, x): (usize, &f64)| x + if k % 2 == 0 { 1e-2 } else { -1e-2 };
        let start = &problems[0].start;
        let near: Vec<f64> = start.iter().enumerate().map(near).collect();
        let task = |q: &[f64]| FramePose::new(tool, pose(&chain.tool(q))).into();
        let tasks = vec![task(start), task(&near)];
        let mut workspace = Workspace::default();
        let settings = Settings::tracking();
        workspace.begin(&skeleton, start, &tasks[..1], Method::LeastSquares, &settings)?;
        Ok(Self { workspace, tasks })
    }

    /// The mean time \[ns\].
    fn step(&mut self) -> Result<f64> {
        let watch = Instant::now();
        for k in 0..CONFIGURATIONS {
            self.workspace.set_target(0, &self.tasks[(k + 1) % 2].kind)?;
            self.workspace.step();
        }
        Ok(watch.elapsed().as_secs_f64() * 1e9 / CONFIGURATIONS as f64)
    }
}

/// Cycles in a nanosecond: of a chain of integer products, each of which needs the one before and takes three cycles on the x86 and ARM cores of the
/// last ten years. The fastest of many, since anything else that the core does only adds.
pub fn clock() -> f64 {
    const PRODUCTS: u32 = 10_000;
    let fastest = (0..200).map(|_| {
        let mut x = black_box(3_u64);
        let watch = Instant::now();
        for _ in 0..PRODUCTS {
            x = x.wrapping_mul(x);
        }
        black_box(x);
        watch.elapsed().as_secs_f64() * 1e9
    });
    3.0 * f64::from(PRODUCTS) / fastest.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_equations_are_solved() {
        let a = [[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]];
        let x = solve_three(a, [6.0, 10.0, 8.0]).expect("regular");
        assert!(x.iter().zip([1.0, 2.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{x:?}");
        assert!(solve_three([[1.0, 2.0, 3.0]; 3], [1.0; 3]).is_none());
    }
}
