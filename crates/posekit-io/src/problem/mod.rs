//! Prepares problems from files for a [`Workspace`], and converts their solutions to files, for every front end (command line,
//! browser).
//!
//! ```
//! use posekit::solve::{Method, Settings, Workspace};
//! use posekit_io::Warnings;
//! use posekit_io::problem::Problem;
//!
//! let text = r#"{ "schema": "posekit.chain/1", "dimension": 2, "target": [0.5, 1.2],
//!                 "bones": [ { "length": 1, "angle": 0.2 }, { "length": 1, "angle": 0.3 } ] }"#;
//! let problem = Problem::from_json(text, None, &mut Warnings::new())?;
//! let settings = problem.settings(Settings::default());
//! let mut workspace = Workspace::default();
//! problem.prepare(&settings).begin(&mut workspace, Method::Ccd)?;
//! let solution = workspace.run();
//! assert!(solution.is_reached());
//! println!("{}", problem.solution_file(solution, &settings, false).to_json()?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod digest;
mod figure;
mod report;
mod robot;
mod scene;
mod settings;
mod target;
mod tasks;
mod written;

use posekit::skeleton::Skeleton;
#[cfg(doc)]
use posekit::solve::Workspace;
use posekit::solve::{Settings, Solution};
use posekit::task::Task;

pub use digest::{Digest, case_names};
pub use figure::{FigureScene, Label, is_preference};
pub use report::{figure_solution_file, solution_file, step_points};
pub use robot::{character_problem, end_links, only_tip, tip_problem};
pub use scene::{Body, Origin, Prepared, Rig, Scene, chunks, distance};
pub use settings::read_settings;
pub use target::{set_frame, set_target, target_len, write_target};
pub use tasks::ProblemTask;

use crate::chain_problem::{CHAIN_SCHEMA, ChainProblem};
use crate::error::Result;
use crate::figure::{FIGURE_SCHEMA, FigureProblem, FigureSource};
use crate::json::{Document, check_schema_among};
use crate::limits::Limits;
use crate::solution::SolutionFile;
use crate::warnings::Warnings;

/// Whether the text of a problem file is a figure and not a chain, by its schema.
///
/// # Errors
/// A text that is not JSON or has no schema; one with an unknown schema, listing the known ones.
///
/// # Example: an unknown version
/// ```
/// use posekit_io::problem::is_figure;
///
/// let error = is_figure(r#"{ "schema": "posekit.figure/2" }"#).unwrap_err().to_string();
/// assert!(error.ends_with("the schema is `posekit.figure/2`, expected `posekit.chain/1` or `posekit.figure/1`"), "{error}");
/// ```
pub fn is_figure(text: &str) -> Result<bool> {
    let document = Document::parse(text, &Limits::default())?;
    check_schema_among(&document.root(), &[CHAIN_SCHEMA, FIGURE_SCHEMA])?;
    let schema = document.root().any_object()?.required("schema")?;
    Ok(schema.text()? == FIGURE_SCHEMA)
}

/// The content of a problem file.
#[derive(Debug, Clone)]
pub enum Problem {
    /// A tip and its target: `posekit.chain/1`.
    Scene(Box<Scene>),
    /// A skeleton and its tasks: `posekit.figure/1`.
    Figure(Box<FigureScene>),
}

impl Problem {
    /// Reads a chain problem or a figure, recognised by the schema.
    ///
    /// - `source`: the bytes of the URDF or glTF that a figure names; ignored otherwise
    ///
    /// # Errors
    /// As the readers of the two formats, of URDF and of glTF; a figure without the file that it names.
    pub fn from_json(text: &str, source: Option<&[u8]>, warnings: &mut Warnings) -> Result<Self> {
        if is_figure(text)? {
            let problem = FigureProblem::from_json(text)?;
            return Self::from_figure(&problem, source, warnings)
                .map_err(|error| error.located_in(text));
        }
        let scene =
            Scene::from_chain(&ChainProblem::from_json(text)?, "chain".to_owned(), warnings)?;
        Ok(Self::Scene(Box::new(scene)))
    }

    /// A figure, ready to be solved.
    ///
    /// - `source`: the bytes of the URDF or glTF that the figure names; ignored if it names none
    ///
    /// # Errors
    /// As [`FigureProblem::to_model`] and [`FigureSource::read_bytes`].
    pub fn from_figure(
        problem: &FigureProblem,
        source: Option<&[u8]>,
        warnings: &mut Warnings,
    ) -> Result<Self> {
        let source = match (problem.source(), source) {
            (Some((kind, _)), Some(bytes)) => {
                Some(FigureSource::read_bytes(kind, bytes, &Limits::default(), warnings)?)
            }
            _ => None,
        };
        let model = problem.to_model(source.as_ref(), warnings)?;
        let scene = FigureScene::new("figure".to_owned(), problem, model);
        Ok(Self::Figure(Box::new(scene)))
    }

    /// The joints; none for a chain of bare points.
    #[must_use]
    pub fn skeleton(&self) -> Option<&Skeleton> {
        self.rig().map(|rig| &rig.skeleton)
    }

    /// The joints, to place them anew ([`Skeleton::set_parent_from_joint`]).
    pub fn skeleton_mut(&mut self) -> Option<&mut Skeleton> {
        match self {
            Self::Scene(scene) => match &mut scene.body {
                Body::Joints(rig) => Some(&mut rig.skeleton),
                Body::Points { .. } => None,
            },
            Self::Figure(figure) => Some(&mut figure.rig.skeleton),
        }
    }

    /// Joints, start and tip; none for a chain of bare points.
    #[must_use]
    pub fn rig(&self) -> Option<&Rig> {
        match self {
            Self::Scene(scene) => match &scene.body {
                Body::Joints(rig) => Some(rig),
                Body::Points { .. } => None,
            },
            Self::Figure(figure) => Some(&figure.rig),
        }
    }

    /// Coordinates per point.
    #[must_use]
    pub fn dimension(&self) -> usize {
        match self {
            Self::Scene(scene) => scene.dimension(),
            Self::Figure(_) => 3,
        }
    }

    /// The given settings with those of the problem: weights of relaxation, and the settings in a figure's file.
    #[must_use]
    pub fn settings(&self, given: Settings) -> Settings {
        match self {
            Self::Scene(scene) => scene.prepare(&given).settings,
            Self::Figure(figure) => figure.settings(given),
        }
    }

    /// The input of one solve with these settings. Weights of relaxation and a figure's own settings come from [`settings`](Self::settings).
    #[must_use]
    pub fn prepare(&self, settings: &Settings) -> Prepared<'_> {
        match self {
            Self::Scene(scene) => Prepared::new(&scene.body, settings.clone()),
            Self::Figure(figure) => figure.prepare(settings.clone()),
        }
    }

    /// The solution as `posekit.solution/1`, the same as the command writes.
    ///
    /// - `settings`: those of the solve
    #[must_use]
    pub fn solution_file(
        &self,
        solution: &Solution,
        settings: &Settings,
        with_trace: bool,
    ) -> SolutionFile {
        match self {
            Self::Scene(scene) => {
                solution_file(scene, solution.choice.method, solution, with_trace, false)
            }
            Self::Figure(figure) => figure_solution_file(figure, solution, settings, with_trace),
        }
    }

    /// The tasks; empty for bare points, whose tip has a target.
    #[must_use]
    pub fn tasks(&self) -> Vec<Task> {
        match self {
            Self::Scene(_) => self.rig().map_or(Vec::new(), Rig::tasks),
            Self::Figure(figure) => figure.tasks.clone(),
        }
    }

    /// The tasks as words and numbers, for pages that show them.
    ///
    /// - `figure`: the problem [as a figure](Self::to_figure)
    #[must_use]
    pub fn described_tasks<'a>(
        &'a self,
        figure: Option<&'a FigureProblem>,
    ) -> Vec<ProblemTask<'a>> {
        let labels: &[Label] = match self {
            Self::Scene(_) => &[],
            Self::Figure(figure) => &figure.labels,
        };
        tasks::described(&self.tasks(), labels, figure)
    }

    /// The problem as a figure: joints written out, the start, and its tasks. A figure is returned unchanged; bare points have none.
    #[must_use]
    pub fn to_figure(&self) -> Option<FigureProblem> {
        match self {
            Self::Scene(_) => self.rig().map(written::figure_of),
            Self::Figure(figure) => Some(figure.problem.clone()),
        }
    }
}
