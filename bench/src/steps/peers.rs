//! What the peers in Python took: `results.json`, which `bench/python/run.py` writes.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// The whole file.
#[derive(Debug, Default, Deserialize)]
pub struct Peers {
    /// Load of the machine at the end of the run.
    pub load_average: f64,
    /// A line per peer and case.
    pub results: Vec<Peer>,
    /// Who could not be run.
    pub failures: Vec<Failure>,
}

/// A peer on a case.
#[derive(Debug, Deserialize)]
pub struct Peer {
    /// Its name.
    pub peer: String,
    /// Its version.
    pub version: String,
    /// Name of the case.
    pub case: String,
    /// What it was run with: the fastest that tracks the path.
    pub settings: String,
    /// One differential step \[ns\].
    pub step_ns_median: f64,
    /// The same, mean \[ns\].
    pub step_ns_mean: f64,
    /// Share of the steps after which every task is within the tracking tolerance.
    pub tracked: f64,
    /// Largest error after a step \[m, rad\].
    pub tracking_error: f64,
    /// Steps from a warm start.
    pub converge_steps_median: Option<f64>,
    /// Their time \[ns\].
    pub converge_ns_median: Option<f64>,
    /// Share of the warm starts that were solved.
    pub solved: Option<f64>,
}

/// A peer that could not be run.
#[derive(Debug, Deserialize)]
pub struct Failure {
    /// Its name.
    pub peer: String,
    /// What its installer or interpreter said.
    pub reason: String,
}

/// The peers' results; none where nothing was written.
///
/// # Errors
/// When the file is there but not what it must be.
pub fn read(path: &Path) -> Result<Option<Peers>> {
    let Ok(text) = fs::read_to_string(path) else { return Ok(None) };
    let peers = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    Ok(Some(peers))
}
