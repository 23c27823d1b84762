//! The JavaScript API of robots: their problems, and what they look like.

use posekit_io::problem::{Problem as Read, tip_problem};
use posekit_io::{Limits, Warnings, read_robot};
use wasm_bindgen::prelude::*;

use super::Result;
use super::problem::Problem;
use crate::fault::Fault;
use crate::robot::description;

#[wasm_bindgen]
impl Problem {
    /// Reads a robot from the text of a URDF, or of an MJCF that includes no other file; its problem is one pose task, 0, on a link, whose target is the pose of the link at the start.
    ///
    /// - `tip`: the link; by default the end of the robot that the most joints move
    /// - `free_root`: true when the robot floats instead of being fixed in the world
    #[wasm_bindgen(js_name = fromUrdf)]
    pub fn from_urdf(
        #[wasm_bindgen(unchecked_param_type = "string | Uint8Array")] text: &str,
        tip: Option<String>,
        free_root: Option<bool>,
    ) -> Result<Self> {
        let mut warnings = Warnings::new();
        let robot = read_robot(text.as_bytes(), &Limits::default(), &mut Warnings::new())
            .map_err(Fault::from)?;
        let free_root = free_root.unwrap_or(false);
        let figure =
            tip_problem(&robot, "robot.urdf", tip.as_deref(), free_root).map_err(Fault::from)?;
        let own = Read::from_figure(&figure, Some(text.as_bytes()), &mut warnings);
        Ok(Self::new(own.map_err(Fault::from)?, &warnings))
    }
}

/// A robot's shapes, largest speeds and named states, as JSON, by the joints of its problem.
///
/// `visuals` (with `color`: red, green, blue, opacity, if the file gives it) and `collisions` are lists of objects with `joint`, `pose` on it (7 numbers), `kind`
/// (`box`, `sphere`, `cylinder`, `capsule`, `ellipsoid`, `mesh`, `half-space`), `size` (half extents; radii; radius and half length, along z; the scale of a mesh)
/// and for a mesh `file`, as written. `maxSpeeds` has a number or null for each joint, `states` objects with `name`, `group` and `values`, pairs of a joint
/// and its values, `warnings` those about the SRDF.
///
/// - `text`: a URDF, or an MJCF that includes no other file
/// - `srdf`: the text of the SRDF beside it
#[wasm_bindgen(js_name = describeRobot)]
pub fn describe_robot(
    #[wasm_bindgen(unchecked_param_type = "string | Uint8Array")] text: &str,
    #[wasm_bindgen(unchecked_optional_param_type = "string | Uint8Array | null")] srdf: Option<
        String,
    >,
) -> Result<String> {
    Ok(description(text, srdf.as_deref())?)
}
