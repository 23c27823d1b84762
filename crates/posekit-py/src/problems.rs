//! Problems of files, and the table of cases on which all front ends agree.

use posekit::solve::{Settings, Workspace};
use posekit_io::Warnings;
use posekit_io::problem::{self, Problem};
use pyo3::prelude::*;

use crate::fault;
use crate::interrupt::Signals;
use crate::tasks::method_named;

/// Solves a problem file of the format `posekit.chain/1` or `posekit.figure/1`.
///
/// Parameters
/// ----------
/// text : str
///     The file's text.
/// source : bytes, optional
///     The URDF or glTF that a figure names.
/// method : str, default "auto"
///     A solver by its name.
/// trace : bool, default False
///     Record every iteration.
///
/// Returns
/// -------
/// str
///     A file of the format `posekit.solution/1`.
#[pyfunction]
#[pyo3(signature = (text, *, source=None, method="auto", trace=false))]
pub(crate) fn solve_json(
    py: Python<'_>,
    text: &str,
    source: Option<&[u8]>,
    method: &str,
    trace: bool,
) -> PyResult<String> {
    let method = method_named(method)?;
    let failed = |error: posekit_io::Error| fault::file(&error);
    let problem = Problem::from_json(text, source, &mut Warnings::new()).map_err(failed)?;
    let mut settings = problem.settings(Settings::default());
    if trace {
        settings.trace = posekit::solve::Detail::Iterations;
    }
    let mut workspace = Workspace::default();
    problem
        .prepare(&settings)
        .begin(&mut workspace, method)
        .map_err(|error| fault::library(&error))?;
    let mut signals = Signals::default();
    py.detach(|| {
        workspace.run_while(|_| signals.go_on());
    });
    signals.check()?;
    problem.solution_file(workspace.solution(), &settings, trace).to_json().map_err(failed)
}

/// A hash over the results of every solver on case after case: that of the command `posekit digest`, bit for bit.
#[pyclass(module = "posekit._posekit")]
pub(crate) struct Digest {
    own: problem::Digest,
}

#[pymethods]
impl Digest {
    #[new]
    fn new() -> Self {
        Self { own: problem::Digest::default() }
    }

    /// Solves a case with every solver that fits it.
    ///
    /// Parameters
    /// ----------
    /// name : str
    ///     What the case is called.
    /// text : str
    ///     A file of the format `posekit.chain/1`.
    fn add(&mut self, name: &str, text: &str) -> PyResult<()> {
        self.own.add(name, text).map_err(|error| fault::file(&error))
    }

    /// The digest so far: 16 hexadecimal digits.
    fn value(&self) -> String {
        self.own.hexadecimal()
    }
}

/// The names of the cases that the text of an `index.json` lists.
///
/// Parameters
/// ----------
/// index : str
///     The text.
///
/// Returns
/// -------
/// list of str
#[pyfunction]
pub(crate) fn case_names(index: &str) -> PyResult<Vec<String>> {
    problem::case_names(index).map_err(|error| fault::file(&error))
}
