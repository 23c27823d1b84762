//! What the peers in Python took: `results.json`, which `bench/python/arms/compare.py` writes.

use std::collections::HashMap;
use std::fs;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::cold::{Row, Times};
use super::problem::folder;
use crate::steps::peers::Failure;

/// The whole file.
#[derive(Debug, Deserialize)]
pub struct Peers {
    /// Load of the machine at the end of the run.
    pub load_average: f64,
    /// A line for each peer and arm.
    results: Vec<Peer>,
    /// The same by arm, for the tables.
    #[serde(skip)]
    pub rows: HashMap<String, Vec<Row>>,
    /// Who could not be run.
    pub failures: Vec<Failure>,
}

/// A peer on an arm.
#[derive(Debug, Deserialize)]
struct Peer {
    peer: String,
    version: String,
    arm: String,
    solved: usize,
    wrong: usize,
    /// CPU time of each problem, the median over the rounds \[ns\].
    times_ns: Vec<f64>,
    iterations: Option<f64>,
    starts: Option<f64>,
    answers: Option<f64>,
    worst_error: f64,
}

/// The peers' results; none where nothing was written.
///
/// # Errors
/// When the file is there but not what it must be.
pub fn read() -> Result<Option<Peers>> {
    let path = folder()?.join("results.json");
    let Ok(text) = fs::read_to_string(&path) else { return Ok(None) };
    let mut peers: Peers =
        serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    for peer in core::mem::take(&mut peers.results) {
        peers.rows.entry(peer.arm.clone()).or_default().push(peer.row());
    }
    Ok(Some(peers))
}

impl Peer {
    fn row(self) -> Row {
        Row {
            name: format!("{} {}*", self.peer, self.version),
            total: self.times_ns.len(),
            solved: self.solved,
            wrong: self.wrong,
            times: Times::new(self.times_ns),
            iterations: self.iterations,
            starts: self.starts,
            answers: self.answers,
            worst_error: self.worst_error,
        }
    }
}
