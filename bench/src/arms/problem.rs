//! Targets and starts, and the verdict on an answer.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;

use super::chain::{Chain, TIP};
use super::matrix::{Matrix, Vector};
use super::robot::{Joint, Motion, Robot};
use super::{ROUNDING, TOLERANCE};
use crate::random::Random;

/// A target that can be reached, and a start that has nothing to do with it.
#[derive(Debug, Clone)]
pub struct Problem {
    /// What it was drawn with.
    pub seed: u64,
    /// A configuration.
    pub start: Vec<f64>,
    /// The pose of the tool in another.
    pub target: Matrix,
}

impl Problem {
    /// Two configurations at random; one of them is the solution.
    pub fn draw(chain: &Chain, seed: u64) -> Self {
        let random = &mut Random::new(seed);
        let solution = chain.sample(random);
        Self { seed, target: chain.tool(&solution), start: chain.sample(random) }
    }

    /// As many as asked for, from the name of the chain.
    pub fn draw_all(chain: &Chain, n: usize) -> Vec<Self> {
        let first = first_seed(&chain.name);
        (0..n as u64).map(|k| Self::draw(chain, first.wrapping_add(k))).collect()
    }
}

/// The seed of the first problem of a chain: FNV-1a of its name, so that chains do not share problems.
pub fn first_seed(name: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    name.bytes().fold(0xcbf2_9ce4_8422_2325 ^ crate::SEED, step)
}

/// How good an answer is.
#[derive(Debug, Clone, Copy)]
pub struct Verdict {
    /// Distance of the tool from the target \[m\].
    pub distance: f64,
    /// Angle between their orientations \[rad\].
    pub angle: f64,
    /// Whether every joint is inside its bounds.
    pub is_inside: bool,
}

impl Verdict {
    /// Measures an answer.
    pub fn new(chain: &Chain, target: &Matrix, q: &[f64]) -> Self {
        if q.len() != chain.unknowns.len() || !q.iter().all(|x| x.is_finite()) {
            return Self { distance: f64::INFINITY, angle: f64::INFINITY, is_inside: false };
        }
        let tool = chain.tool(q);
        let (distance, angle) = (tool.distance(target), tool.angle(target));
        Self { distance, angle, is_inside: chain.is_inside(q) }
    }

    /// The larger of the two errors \[m or rad\].
    pub fn error(&self) -> f64 {
        self.distance.max(self.angle)
    }

    /// Whether the target is met within the tolerance, inside all bounds.
    pub fn is_solved(&self) -> bool {
        self.is_inside && self.error() <= TOLERANCE + ROUNDING
    }
}

/// The arms of the comparison: three from the folder of robots, and one from its published table.
///
/// # Errors
/// When a robot cannot be read.
pub fn arms(assets: &Path) -> Result<Vec<Chain>> {
    let file = |name: &str, file: &str, tip: &str| {
        let robot = Robot::read(&assets.join("urdf").join(file))?;
        Chain::whole(name, &robot, tip)
    };
    Ok(vec![
        file("panda", "panda.urdf", "panda_hand_tcp")?,
        file("ur5e", "ur5e.urdf", "tool0")?,
        file("iiwa14", "iiwa14_primitive_collision.urdf", "iiwa_link_ee_kuka")?,
        puma()?,
    ])
}

/// Unimation Puma 560 by its Denavit–Hartenberg rows: range \[degrees\], then a and d \[m\] and alpha \[quarter turns\] of the link after the joint.
const PUMA: [([f64; 2], f64, f64, f64); 6] = [
    ([-160.0, 160.0], 0.0, 0.0, 1.0),
    ([-45.0, 225.0], 0.4318, 0.0, 0.0),
    ([-225.0, 45.0], 0.0203, 0.15005, -1.0),
    ([-110.0, 170.0], 0.0, 0.4318, 1.0),
    ([-100.0, 100.0], 0.0, 0.0, -1.0),
    ([-266.0, 266.0], 0.0, 0.0, 0.0),
];

pub(crate) fn puma() -> Result<Chain> {
    let place = |k: usize| -> (Vector, Vector) {
        let Some((_, a, d, alpha)) = k.checked_sub(1).map(|k| PUMA[k]) else {
            return ([0.0; 3], [0.0; 3]);
        };
        ([a, 0.0, d], [alpha * core::f64::consts::FRAC_PI_2, 0.0, 0.0])
    };
    let joint = |k: usize| Joint {
        name: format!("joint{}", k + 1),
        parent: k,
        child: k + 1,
        origin: place(k),
        motion: if k < 6 { Motion::Turn([0.0, 0.0, 1.0]) } else { Motion::Fixed },
        bounds: PUMA.get(k).map_or((0.0, 0.0), |row| {
            let [low, high] = row.0.map(f64::to_radians);
            (low, high)
        }),
        velocity: None,
        mimic: None,
    };
    let links = (0..=7).map(|k| if k == 7 { TIP.to_owned() } else { format!("link{k}") });
    let robot = Robot {
        name: "puma".to_owned(),
        joints: (0..7).map(joint).collect(),
        links: links.collect(),
    };
    Chain::whole("puma", &robot, TIP)
}

/// What the peers in Python are given: `posekit.bench.arms/1`.
#[derive(Debug, Serialize)]
struct File {
    schema: &'static str,
    tolerance: f64,
    arms: Vec<FileArm>,
}

#[derive(Debug, Serialize)]
struct FileArm {
    name: String,
    urdf: PathBuf,
    tip: &'static str,
    joints: Vec<String>,
    bounds: Vec<[Option<f64>; 2]>,
    problems: Vec<FileProblem>,
}

#[derive(Debug, Serialize)]
struct FileProblem {
    start: Vec<f64>,
    target: [[f64; 4]; 3],
}

/// Writes each chain as a URDF, and the problems of all of them beside these.
///
/// # Errors
/// When a file cannot be written.
pub fn write(chains: &[Chain], n: usize) -> Result<()> {
    let arm = |chain: &Chain| -> Result<FileArm> {
        let bound = |x: f64| x.is_finite().then_some(x);
        let problem =
            |problem: Problem| FileProblem { start: problem.start, target: problem.target.0 };
        Ok(FileArm {
            name: chain.name.clone(),
            urdf: write_urdf(chain)?,
            tip: TIP,
            joints: chain.unknowns.iter().map(|unknown| unknown.name.clone()).collect(),
            bounds: chain.unknowns.iter().map(|u| [bound(u.bounds.0), bound(u.bounds.1)]).collect(),
            problems: Problem::draw_all(chain, n).into_iter().map(problem).collect(),
        })
    };
    let arms = chains.iter().map(arm).collect::<Result<_>>()?;
    let file = File { schema: "posekit.bench.arms/1", tolerance: TOLERANCE, arms };
    let path = folder()?.join("problems.json");
    fs::write(&path, serde_json::to_string(&file)?).with_context(|| path.display().to_string())
}

/// Writes a chain as a URDF, for solvers that read files.
///
/// # Errors
/// When the file cannot be written.
pub fn write_urdf(chain: &Chain) -> Result<PathBuf> {
    let path = folder()?.join(format!("{}.urdf", chain.name));
    fs::write(&path, chain.urdf()?).with_context(|| path.display().to_string())?;
    Ok(path)
}

/// Where files for the peers, and from them, are.
///
/// # Errors
/// When it cannot be made.
pub fn folder() -> Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/arms");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solution_is_solved_and_little_else_is() {
        let chain = puma().expect("an arm");
        let random = &mut Random::new(5);
        let q = chain.sample(random);
        let target = chain.tool(&q);
        assert!(Verdict::new(&chain, &target, &q).is_solved());
        let mut other = q.clone();
        other[0] += 2e-6;
        assert!(!Verdict::new(&chain, &target, &other).is_solved(), "2e-6 rad beside it");
        other[0] = q[0] + core::f64::consts::TAU;
        let verdict = Verdict::new(&chain, &target, &other);
        assert!(verdict.error() < 1e-12 && !verdict.is_solved(), "outside its bounds");
        assert!(!Verdict::new(&chain, &target, &q[1..]).is_solved(), "a missing joint");
    }

    #[test]
    fn the_puma_is_where_its_table_has_it() {
        let tool = puma().expect("an arm").tool(&[0.0; 6]);
        let expected = [0.4521, -0.15005, 0.4318];
        assert!(tool.position().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn problems_depend_on_the_seed_alone() {
        let chain = puma().expect("an arm");
        let (a, b) =
            (&Problem::draw_all(&chain, 2)[1], Problem::draw(&chain, first_seed("puma") + 1));
        assert_eq!((&a.start, a.target), (&b.start, b.target));
    }
}
