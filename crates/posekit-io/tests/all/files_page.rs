//! The page `docs/files.md`: every file that it shows is read, solved and written again, and its solution is that of its figure.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use posekit::skeleton::{Joint, Skeleton};
use posekit::solve::{Method, Settings, Solution, solve};
use posekit::task::{Orientation, Position};
use posekit_io::bvh::{self, Options};
use posekit_io::{
    CHAIN_SCHEMA, CONTACTS_SCHEMA, ChainProblem, ContactsFile, DEFAULT_EASE, FIGURE_SCHEMA,
    FigureModel, FigureProblem, Limits, Outcome, SOLUTION_SCHEMA, SolutionFile, Warnings,
    schema_of,
};

/// The blocks of the page in this language.
fn blocks(language: &str) -> Vec<String> {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/files.md");
    let page = std::fs::read_to_string(page).unwrap().replace('\r', "");
    let fence = format!("```{language}\n");
    let blocks = page.split(&fence).skip(1);
    blocks.map(|block| block.split("```").next().unwrap().to_owned()).collect()
}

/// The examples of the page that have this schema.
fn examples(schema: &str) -> Vec<String> {
    let texts = blocks("json").into_iter();
    let is_one =
        |text: &String| schema_of(text, &Limits::default()).unwrap().as_deref() == Some(schema);
    texts.filter(is_one).collect()
}

fn solve_figure(figure: &FigureProblem) -> (FigureModel, Solution) {
    let model = figure.to_model(None, &mut Warnings::new()).unwrap();
    let FigureModel { skeleton, start, tasks, settings, .. } = &model;
    let solution = solve(skeleton, start, tasks, Method::Auto, settings).unwrap();
    (model, solution)
}

#[test]
fn its_chains_are_read_and_solved() {
    let texts = examples(CHAIN_SCHEMA);
    assert_eq!(texts.len(), 2, "one in the plane, one in space");
    for text in texts {
        let problem = ChainProblem::from_json(&text).unwrap();
        assert_eq!(ChainProblem::from_json(&problem.to_json().unwrap()).unwrap(), problem);
        let model = problem.to_skeleton(&mut Warnings::new()).unwrap();
        let mut tasks = vec![Position::new(model.tip, model.target).into()];
        tasks.extend(model.orientation.map(|turn| Orientation::new(model.tip, turn).into()));
        let settings = Settings::default();
        let solution = solve(&model.skeleton, &model.start, &tasks, Method::Auto, &settings);
        assert!(solution.unwrap().is_reached(), "{text}");
    }
}

#[test]
fn its_figure_is_read_and_solved() {
    let texts = examples(FIGURE_SCHEMA);
    assert_eq!(texts.len(), 1, "one figure");
    let figure = FigureProblem::from_json(&texts[0]).unwrap();
    assert_eq!(FigureProblem::from_json(&figure.to_json().unwrap()).unwrap(), figure);
    assert!(solve_figure(&figure).1.is_reached(), "the step is in reach");
}

/// The values agree to a millionth; the page is not rewritten for a last digit.
#[test]
fn its_solution_is_that_of_its_figure() {
    let texts = examples(SOLUTION_SCHEMA);
    assert_eq!(texts.len(), 1, "one solution");
    let reported = SolutionFile::from_json(&texts[0]).unwrap();
    assert_eq!(SolutionFile::from_json(&reported.to_json().unwrap()).unwrap(), reported);
    let figure = FigureProblem::from_json(&examples(FIGURE_SCHEMA)[0]).unwrap();
    let (model, solution) = solve_figure(&figure);
    assert_eq!((reported.outcome, solution.status.word()), (Outcome::Reached, "reached"));
    let joints: Vec<&str> = (0..reported.points.len()).map(|i| model.skeleton.name(i)).collect();
    assert_eq!(reported.point_names.unwrap(), joints, "each point is a joint's");
    let shown = reported.configuration.unwrap();
    assert_eq!(shown.len(), model.skeleton.n_joints(), "every joint has a value");
    for (joint, named) in shown.iter().enumerate() {
        assert_eq!(named.name, model.skeleton.name(joint));
        let found = &solution.configuration[model.skeleton.value_range(joint)];
        for (a, b) in named.values.iter().zip(found) {
            assert!((a - b).abs() < 1e-6, "{}: {a} is shown, {b} found", named.name);
        }
    }
    let misses = reported.misses.unwrap();
    assert_eq!(misses.len(), solution.misses.len(), "every task has its miss");
    for (reported, found) in misses.iter().zip(&solution.misses) {
        let off = |reported: Option<f64>, found: f64| (reported.unwrap_or(0.0) - found).abs();
        assert!(off(reported.distance, found.distance) < 1e-6, "{reported:?}, but {found:?}");
        assert!(off(reported.angle, found.angle) < 1e-6, "{reported:?}, but {found:?}");
    }
}

#[test]
fn its_contacts_are_read_and_written_again() {
    let texts = examples(CONTACTS_SCHEMA);
    assert_eq!(texts.len(), 1, "one file of contacts");
    let file = ContactsFile::from_json(&texts[0]).unwrap();
    assert_eq!(file.contacts.len(), 5, "one of each kind, on a joint, and on what moves");
    assert_eq!(ContactsFile::from_json(&file.to_json().unwrap()).unwrap(), file);
    let mut names: Vec<&str> = file.contacts.iter().map(|contact| &*contact.joint).collect();
    names.sort_unstable();
    names.dedup();
    let joints = names.into_iter().map(Joint::free).collect();
    let contacts = file.to_contacts(&Skeleton::try_new(joints).unwrap()).unwrap();
    assert_eq!(contacts[0].ease_out, DEFAULT_EASE, "as the page says");
    assert_eq!(DEFAULT_EASE, 0.2, "as the page says");
}

#[test]
fn its_motion_is_in_the_layout_that_is_written() {
    let texts = blocks("bvh");
    assert_eq!(texts.len(), 1, "one motion");
    let mut warnings = Warnings::new();
    let (options, limits) = (Options::strict(), Limits::default());
    let file = bvh::read_bytes(texts[0].as_bytes(), &options, &limits, &mut warnings).unwrap();
    assert_eq!(String::from_utf8(file.to_bytes()).unwrap(), texts[0]);
    assert!(warnings.is_empty(), "{warnings:?}");
}
