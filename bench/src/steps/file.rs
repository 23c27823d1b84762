//! The problem file `posekit.bench.steps/1`, which `bench/python/generate.py` writes.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

const SCHEMA: &str = "posekit.bench.steps/1";

/// The whole file.
#[derive(Debug, Deserialize)]
pub struct File {
    schema: String,
    /// What the problems were drawn with.
    pub seed: u64,
    /// One robot each.
    pub cases: Vec<Case>,
}

/// A robot, its tasks and its problems.
#[derive(Debug, Deserialize)]
pub struct Case {
    /// What to call it.
    pub name: String,
    /// File name of the robot.
    pub urdf: String,
    /// Whether the root link moves freely.
    pub floating_base: bool,
    /// Joints that move, in the order of joint values; all others stay at zero.
    pub joints: Vec<String>,
    /// What is asked for, in the order of targets.
    pub tasks: Vec<TaskEntry>,
    /// Factor on the distance of each joint from the start.
    pub posture_weight: f64,
    /// A target a step, along a closed path.
    pub track: Problem,
    /// Single targets next to their starts.
    pub warm: Vec<Problem>,
}

/// What is asked of a link.
#[derive(Debug, Deserialize)]
pub struct TaskEntry {
    /// Which of its coordinates.
    pub kind: Coordinates,
    /// The link.
    pub frame: String,
}

/// What a task asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Coordinates {
    /// Position and orientation: x, y, z, qx, qy, qz, qw.
    Pose,
    /// x, y, z.
    Position,
    /// qx, qy, qz, qw.
    Orientation,
}

/// A start and targets.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Problem {
    /// A value per joint \[rad, m\].
    pub start: Vec<f64>,
    /// Pose of a floating base in the world: x, y, z, qx, qy, qz, qw.
    pub start_base: Option<[f64; 7]>,
    /// Over time, over tasks, coordinates.
    pub targets: Vec<Vec<Vec<f64>>>,
}

/// Reads the file.
///
/// # Errors
/// When it is not there or not what it must be.
pub fn read(path: &Path) -> Result<File> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let file: File = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    ensure!(file.schema == SCHEMA, "the schema is {:?}, not {SCHEMA:?}", file.schema);
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_generator_writes_is_read() {
        let text = r#"{ "schema": "posekit.bench.steps/1", "seed": 7, "cases": [
            { "name": "arm", "urdf": "arm.urdf", "floating_base": true, "joints": ["a"],
              "tasks": [{ "kind": "orientation", "frame": "tip" }], "posture_weight": 1e-4,
              "track": { "start": [0.1], "start_base": [0, 0, 1, 0, 0, 0, 1],
                         "targets": [[[0, 0, 0, 1]]] },
              "warm": [] }] }"#;
        let file: File = serde_json::from_str(text).expect("a file");
        assert_eq!(file.cases[0].tasks[0].kind, Coordinates::Orientation);
        assert_eq!(file.cases[0].track.targets[0][0].len(), 4);
    }
}
