//! Random skeletons with limits, and targets that some pose inside the limits reaches.
//!
//! With limits there is no proof that a method gets there. The suite measures how often each does, prints it, and holds
//! the rates at what they are; limits are never broken, and what a solution says about itself is checked by forward kinematics.

use crate::support;

use posekit::solve::{Method, Settings, Workspace};
use posekit::task::TaskKind;
use support::Rng;
use support::problems::{Problem, Recipe, Trait};

/// Cases per family.
const CASES: u64 = 1000;

/// Iterations in which every case is reached.
const PATIENCE: u32 = 1000;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Family {
    /// Hinges about +z in the plane.
    Plane,
    /// Hinges about any axes.
    Hinges,
    /// Balls with cones.
    Cones,
    /// Hinges, balls and slides in turn.
    Mixed,
    /// The same with branches and several roots, up to three points to reach.
    Trees,
}

fn problem(family: Family, index: u64) -> Problem {
    let rng = &mut Rng::new(index * 8 + family as u64);
    let traits: &[Trait] = match family {
        Family::Plane => &[Trait::Plane, Trait::OnePoint],
        Family::Hinges => &[Trait::Hinges, Trait::OnePoint],
        Family::Cones => &[Trait::Balls, Trait::OnePoint],
        Family::Mixed => &[Trait::Slides, Trait::OnePoint],
        Family::Trees => &[Trait::Branches],
    };
    let recipe = Recipe { seed: index, n_joints: rng.whole(2, 12), n_tasks: 3, traits: 0 };
    let mut problem = Problem::new(recipe.with(traits).with(&[Trait::Limits, Trait::Roomy]));
    problem.settings = Settings::default();
    problem.tasks.retain(|task| matches!(task.kind, TaskKind::Position(_)));
    problem
}

/// How many cases of a family a method reaches in the default number of iterations; prints which it does not. Least squares must
/// reach all of them in [`PATIENCE`].
fn reached(family: Family, method: Method) -> u64 {
    let mut workspace = Workspace::default();
    let (mut reached, mut iterations, mut missed) = (0, Vec::new(), Vec::new());
    for index in 0..CASES {
        let mut problem = problem(family, index);
        let solution = problem.solve_in(&mut workspace, method).expect("it suits");
        let name = format!("{family:?} {index} by {}", method.name());
        for law in [Problem::check_poses, Problem::check_misses, Problem::check_status] {
            let kept = law(&problem, &solution, &problem.tasks);
            assert!(kept.is_ok(), "{name}: {kept:?}");
        }
        if solution.is_reached() {
            reached += 1;
            iterations.push(solution.iterations);
        } else {
            let (word, error) = (solution.status.word(), solution.error);
            missed.push(format!("{index} ({word}, {:.1e})", error / problem.size));
            if method != Method::LeastSquares {
                continue;
            }
            problem.settings.iterations = PATIENCE;
            let solution = problem.solve_in(&mut workspace, method).expect("it suits");
            assert!(solution.is_reached(), "{name}: {:?} in the end", solution.status);
        }
    }
    iterations.sort_unstable();
    let at = |per_cent: usize| iterations[(iterations.len() - 1) * per_cent / 100];
    let is_named = method != Method::LeastSquares;
    assert!(is_named || at(99) <= 200, "{family:?} by {}: 99 % need {}", method.name(), at(99));
    let rate = 100.0 * reached as f64 / CASES as f64;
    let report = format!(
        "{family:?} by {}: {rate:.1} %, iterations 50 % {}, 90 % {}, 99 % {}, max {}; not: {}\n",
        method.name(),
        at(50),
        at(90),
        at(99),
        at(100),
        missed.join(", ")
    );
    std::io::Write::write_all(&mut std::io::stdout(), report.as_bytes()).expect("stdout is open");
    reached
}

/// `floors`: how many of the cases CCD, FABRIK, relaxation and least squares must reach at least. A method that is named runs itself to the end.
fn check(family: Family, floors: [u64; 4]) {
    let methods = [Method::Ccd, Method::Fabrik, Method::Relaxation, Method::LeastSquares];
    let counts = methods.map(|method| reached(family, method));
    assert!(
        counts.iter().zip(&floors).all(|(count, floor)| count >= floor),
        "{family:?}: {counts:?} of {CASES} reached, were {floors:?}"
    );
}

#[test]
fn hinges_in_the_plane() {
    check(Family::Plane, [940, 975, 905, CASES]);
}

#[test]
fn hinges_in_space() {
    check(Family::Hinges, [950, 965, 945, CASES]);
}

#[test]
fn balls_with_cones() {
    check(Family::Cones, [975, 985, 970, CASES]);
}

#[test]
fn hinges_balls_and_slides() {
    check(Family::Mixed, [970, 980, 965, CASES]);
}

#[test]
fn trees_with_two_effectors() {
    check(Family::Trees, [900, 970, 955, CASES]);
}
