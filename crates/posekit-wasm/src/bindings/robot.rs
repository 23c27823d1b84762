//! The JavaScript API of robots: their problems, and what they look like.

use posekit_io::problem::{Problem as Read, tip_problem};
use posekit_io::{Limits, Warnings, read_robot};
use wasm_bindgen::prelude::*;

use super::problem::Problem;
use super::{Result, object};
use crate::fault::Fault;
use crate::robot::{Description, read};

#[wasm_bindgen]
impl Problem {
    /// Reads a robot from the text of a URDF, or of an MJCF that includes no other file; its problem is one pose task, 0, on a link, whose target is the pose of the link at the start.
    ///
    /// - `tip`: the link; by default the end of the robot that the most joints move, or what it is on if it is a finger of a gripper
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

/// A robot's shapes, largest speeds and named states, by the joints of its problem.
///
/// - `text`: a URDF, or an MJCF that includes no other file
/// - `srdf`: the text of the SRDF beside it
#[wasm_bindgen(js_name = describeRobot, unchecked_return_type = "RobotDescription")]
pub fn describe_robot(
    #[wasm_bindgen(unchecked_param_type = "string | Uint8Array")] text: &str,
    #[wasm_bindgen(unchecked_optional_param_type = "string | Uint8Array | null")] srdf: Option<
        String,
    >,
) -> Result<JsValue> {
    let (robot, warnings) = read(text, srdf.as_deref())?;
    object(&Description::new(&robot, &warnings))
}
