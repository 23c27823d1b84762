//! Chain problems: the file format `posekit.chain/1`.
//!
//! A chain of bones (in the plane or in space) or of bare points (in any dimension), and the target of its tip.

mod model;
mod points;
mod read;

use serde::Serialize;

use crate::error::Result;
use crate::json;
use crate::limits::Limits;

pub use model::ChainModel;
pub use points::PointChain;

/// The name of the format, the first field of every file.
pub const CHAIN_SCHEMA: &str = "posekit.chain/1";

/// The content of a chain problem file.
///
/// The fields have the values of the file, bit for bit: a rotation that is slightly off unit length is kept, and is normalised by
/// [`ChainProblem::to_skeleton`]. So reading and writing a file any number of times gives the same problem.
///
/// # Example
/// ```
/// use posekit_io::ChainProblem;
///
/// let problem = ChainProblem::from_json(
///     r#"{ "schema": "posekit.chain/1", "dimension": 2,
///          "bones": [ { "length": 1.0, "angle": 0.3 }, { "length": 0.5, "angle": 0.0, "limit": [0.0, 2.5] } ],
///          "target": [0.8, 1.1] }"#,
/// )?;
/// assert_eq!(problem.dimension, 2);
/// assert_eq!(ChainProblem::from_json(&problem.to_json()?)?, problem);
/// # Ok::<(), posekit_io::Error>(())
/// ```
///
/// # Example: an unknown field
/// ```
/// use posekit_io::ChainProblem;
///
/// let error = ChainProblem::from_json(
///     r#"{ "schema": "posekit.chain/1", "dimension": 2,
///          "bones": [ { "length": 1.0, "angel": 0.3 } ], "target": [0.8, 1.1] }"#,
/// )
/// .unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "bones[0].angel, line 2, column 47: unknown field `angel`, expected length, angle, weight, limit"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields, rename = "ChainProblem"))]
#[serde(tag = "schema", rename = "posekit.chain/1")]
pub struct ChainProblem {
    /// Number of coordinates of every point, at least 1.
    pub dimension: usize,
    /// The chain before solving.
    #[serde(flatten)]
    pub chain: ChainData,
    /// The target position of the tip, `dimension` numbers \[m\].
    pub target: Vec<f64>,
    /// The target orientation of the tip, x, y, z, w; only with bones in space.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orientation: Option<[f64; 4]>,
}

/// The chain of a problem, in the form that its dimension allows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[non_exhaustive]
#[serde(untagged)]
pub enum ChainData {
    /// Bones in the plane.
    Plane {
        /// The base of the first bone \[m\]; omitted from the file if it is the origin.
        #[serde(skip_serializing_if = "Option::is_none")]
        root: Option<[f64; 2]>,
        /// The bones, root first; at least one.
        bones: Vec<PlaneBone>,
    },
    /// Bones in space.
    Space {
        /// The base of the first bone \[m\]; omitted from the file if it is the origin.
        #[serde(skip_serializing_if = "Option::is_none")]
        root: Option<[f64; 3]>,
        /// The bones, root first; at least one.
        bones: Vec<SpaceBone>,
    },
    /// Bare points, in any dimension.
    Points {
        /// The joints, root first, tip last, each with as many numbers as the problem has dimensions \[m\]; at least two.
        points: Vec<Vec<f64>>,
        /// Weights for relaxation, one per point, or one per bone (the points without the tip). Without them every weight is 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        weights: Option<Vec<f64>>,
    },
}

/// A bone in the plane.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct PlaneBone {
    /// Length \[m\], zero or positive.
    pub length: f64,
    /// Angle \[rad\] relative to the previous bone; the first relative to +x.
    pub angle: f64,
    /// Weight of the bone's base point in relaxation, not negative; 1 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// Smallest and largest angle \[rad\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<[f64; 2]>,
}

/// A bone in space.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(
        type = "{ offset: [number, number, number], rotation: [number, number, number, number], weight?: number, hinge?: [number, number, number], limit?: [number, number], cone?: { swing: number, twist: [number, number] } }"
    )
)]
pub struct SpaceBone {
    /// From this joint to the next, in this joint's own frame \[m\]; it may be zero.
    pub offset: [f64; 3],
    /// Rotation relative to the parent, x, y, z, w; of unit length within 1e-3.
    pub rotation: [f64; 4],
    /// Weight of the bone's base point in relaxation, not negative; 1 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// The freedom of the joint; any rotation by default.
    #[serde(flatten)]
    pub constraint: Option<SpaceConstraint>,
}

/// The freedom of a joint in space.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub enum SpaceConstraint {
    /// A cone about the direction of the offset, and a range of twist about it.
    #[serde(rename = "cone")]
    Cone {
        /// Largest angle between the offset's direction and its direction at rest \[rad\], 0 to pi.
        swing: f64,
        /// Smallest and largest twist about the offset's direction \[rad\].
        twist: [f64; 2],
    },
    /// Rotation about one axis only.
    #[serde(untagged)]
    Hinge {
        /// The axis in the joint's own frame; any length but zero.
        #[serde(rename = "hinge")]
        axis: [f64; 3],
        /// Smallest and largest angle about the axis \[rad\], measured from the identity rotation.
        #[serde(skip_serializing_if = "Option::is_none")]
        limit: Option<[f64; 2]>,
    },
}

impl ChainProblem {
    /// Reads a problem from the text of its file, with the default [`Limits`].
    ///
    /// # Errors
    /// Every fault of the text, the fields and their values, with the path of the value, its line and its column. Unknown and duplicate
    /// fields are faults; so are numbers larger than 1e100 in size, which no skeleton accepts.
    pub fn from_json(text: &str) -> Result<Self> {
        Self::from_json_with(text, &Limits::default())
    }

    /// Reads a problem with other limits.
    ///
    /// # Errors
    /// As [`ChainProblem::from_json`].
    pub fn from_json_with(text: &str, limits: &Limits) -> Result<Self> {
        read::read(text, limits)
    }

    /// The text of the problem's file: fields in the order of the format's description, one bone per line, numbers in the shortest form
    /// that reads back exactly.
    ///
    /// The values are written unchecked; readers check whether they form a valid problem.
    ///
    /// # Errors
    /// [`Error::NotFinite`](crate::Error::NotFinite) names the field of a NaN or an infinity.
    pub fn to_json(&self) -> Result<String> {
        json::file(self)
    }

    /// Number of bones; one less than the points.
    #[must_use]
    pub fn n_bones(&self) -> usize {
        match &self.chain {
            ChainData::Plane { bones, .. } => bones.len(),
            ChainData::Space { bones, .. } => bones.len(),
            ChainData::Points { points, .. } => points.len().saturating_sub(1),
        }
    }

    /// The weights for relaxation, one per point: each bone's weight at its base, 1 by default. The tip has the weight 1 unless the
    /// file gives weights per point.
    #[must_use]
    pub fn weights(&self) -> Vec<f64> {
        let mut weights = match &self.chain {
            ChainData::Plane { bones, .. } => {
                bones.iter().map(|bone| bone.weight.unwrap_or(1.0)).collect()
            }
            ChainData::Space { bones, .. } => {
                bones.iter().map(|bone| bone.weight.unwrap_or(1.0)).collect()
            }
            ChainData::Points { weights, .. } => weights.clone().unwrap_or_default(),
        };
        weights.resize(self.n_bones() + 1, 1.0);
        weights
    }
}
