//! A hundred thousand random targets within reach of free limbs: every one is reached, by every iterative method.
//!
//! What is reached is measured here, from the returned joint values alone.

use crate::support;

use posekit::glam::DVec3;
use posekit::math::sin_cos;
use posekit::solve::{Method, Settings, Workspace};
use posekit::task::{Position, Task};
use support::{Rng, TOLERANCE, ends_well, plane_limb, plane_tip, radii, space_limb, space_tip};

const CASES: u64 = 100_000;

/// One case: bones of random lengths, a random start, and a target that some pose reaches.
struct Case {
    in_space: bool,
    lengths: Vec<f64>,
    start: Vec<f64>,
    target: DVec3,
}

impl Case {
    fn random(index: u64) -> Self {
        let mut rng = Rng::new(index);
        let (in_space, n) = (index % 2 == 1, rng.whole(2, 30));
        let lengths: Vec<f64> = (0..n).map(|_| rng.between(0.1, 1.0)).collect();
        let start = values(&mut rng, n, in_space);
        // Half of the targets are the tips of random poses, the others lie evenly between the inner and the outer radius.
        let target = if index % 4 < 2 {
            let pose = values(&mut rng, n, in_space);
            if in_space { space_tip(&lengths, &pose) } else { plane_tip(&lengths, &pose) }
        } else {
            let (inner, outer) = radii(&lengths);
            let (s, c) = sin_cos(rng.angle());
            let direction = if in_space { rng.direction() } else { DVec3::new(c, s, 0.0) };
            direction * rng.between(inner, outer)
        };
        Self { in_space, lengths, start, target }
    }

    fn tip(&self, values: &[f64]) -> DVec3 {
        if self.in_space {
            space_tip(&self.lengths, values)
        } else {
            plane_tip(&self.lengths, values)
        }
    }
}

fn values(rng: &mut Rng, n: usize, in_space: bool) -> Vec<f64> {
    if in_space {
        (0..n).flat_map(|_| rng.rotation().to_array()).collect()
    } else {
        (0..n).map(|_| rng.angle()).collect()
    }
}

/// Runs all cases; the number of iterations of each, and those that failed.
fn run(method: Method, cases: u64) -> (Vec<u32>, Vec<String>) {
    let (mut workspace, settings) = (Workspace::default(), Settings::default());
    let (mut iterations, mut failures) = (Vec::new(), Vec::new());
    for index in 0..cases {
        let case = Case::random(index);
        let (skeleton, tip) =
            if case.in_space { space_limb(&case.lengths) } else { plane_limb(&case.lengths) };
        let task: Task = Position::new(tip, case.target).into();
        workspace
            .begin(&skeleton, &case.start, core::slice::from_ref(&task), method, &settings)
            .expect("the case is valid");
        let solution = workspace.run();
        iterations.push(solution.iterations);
        let miss = case.tip(&solution.configuration).distance(case.target);
        let tolerance = TOLERANCE * radii(&case.lengths).1;
        // The two ways to measure differ by rounding.
        let is_there = miss <= tolerance * (1.0 + 1e-6);
        let (n, status) = (case.lengths.len(), solution.status.word());
        assert!(is_there || !solution.is_reached(), "case {index}: said to reach, {miss:e} off");
        assert!(ends_well(method, solution), "case {index}, {n} bones: {status}");
        if !solution.is_reached() {
            failures.push(format!("case {index}, {n} bones: {status}, {miss:e} off"));
        }
    }
    (iterations, failures)
}

/// The usual quantiles, in one line.
fn quantiles(mut counts: Vec<u32>) -> String {
    counts.sort_unstable();
    let at = |per_mille: usize| counts[(counts.len() - 1) * per_mille / 1000];
    let parts = [("min", 0), ("25 %", 250), ("50 %", 500), ("75 %", 750), ("90 %", 900)];
    let tail = [("99 %", 990), ("99.9 %", 999), ("max", 1000)];
    let all = parts.iter().chain(&tail);
    all.map(|(name, part)| format!("{name} {}", at(*part))).collect::<Vec<_>>().join(", ")
}

/// At least so many of a thousand are reached; the others end with their iterations.
fn assert_reached(method: Method, cases: u64, per_mille: u64) {
    let (iterations, failures) = run(method, cases);
    let failed = failures.len() as u64;
    let listed = failures[..failures.len().min(20)].join("\n");
    let report = format!(
        "{}, {cases} cases: {failed} not reached, iterations {}\n",
        method.name(),
        quantiles(iterations)
    );
    std::io::Write::write_all(&mut std::io::stdout(), report.as_bytes()).expect("stdout is open");
    assert!((cases - failed) * 1000 >= cases * per_mille, "{report}{listed}");
}

#[test]
fn ccd_reaches_most_targets() {
    assert_reached(Method::Ccd, CASES / 5, 910);
}

#[test]
fn fabrik_reaches_nearly_every_target() {
    assert_reached(Method::Fabrik, CASES / 5, 993);
}

#[test]
fn relaxation_reaches_most_targets() {
    assert_reached(Method::Relaxation, CASES / 5, 810);
}

#[test]
fn the_direct_method_reaches_every_target() {
    assert_reached(Method::Direct, CASES, 1000);
}

/// Made for more than one point, and with an equation for every degree of freedom the slowest here: a fifth of the cases.
#[test]
fn least_squares_reaches_every_target() {
    assert_reached(Method::LeastSquares, CASES / 5, 1000);
}
