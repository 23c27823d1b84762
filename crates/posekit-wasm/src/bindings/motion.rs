//! The JavaScript API of motions.

use js_sys::{Float32Array, Float64Array, Uint8Array};
use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use wasm_bindgen::prelude::*;

use super::{Result, object, read, write};
use crate::POSE;
use crate::fault::wrong_length;
use crate::motion::{CURVES, Pull, Table, Target, Which};

/// Types of texts.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
import type { ContactsFile, MotionInfo, MotionReport, MotionSettings } from "posekit";

/** The formats in which a motion is written: that of its file, or another. */
export type MotionFormat = "same" | "bvh" | "glb";

/** How the change that a pose makes goes on to the next pose. */
export type Interpolation = "cubic" | "linear" | "step";

/** The motion of a file, or what has been made of it. */
export type MotionSide = "source" | "result";
"#;

/// An open motion file, the edits on it, and the result.
#[wasm_bindgen]
pub struct Motion {
    table: Table,
    input: Vec<f64>,
    output: Vec<f32>,
}

#[wasm_bindgen]
impl Motion {
    /// Opens a BVH, glTF, GLB, VRM or VRMA file.
    ///
    /// - `name`: its name
    /// - `clip`: the index of a clip; 0 for a file without clips, which shows the figure at rest
    /// - `seconds`: for how long a character without clips stands at rest, to be posed; one frame without it
    pub fn open(bytes: &Uint8Array, name: &str, clip: usize, seconds: Option<f64>) -> Result<Self> {
        let table = Table::open(&bytes.to_vec(), name, clip, seconds)?;
        Ok(Self { table, input: Vec::new(), output: Vec::new() })
    }

    /// The content of the file: its joints, clips, legs, handles, units and remarks.
    #[wasm_bindgen(unchecked_return_type = "MotionInfo")]
    pub fn info(&self) -> Result<JsValue> {
        object(&self.table.info())
    }

    /// The number of values in the poses of all joints in all frames.
    #[wasm_bindgen(getter, js_name = posesLength)]
    pub fn poses_length(&self) -> usize {
        let clip = self.table.clip(Which::Source);
        clip.n_frames() * clip.skeleton().n_joints() * POSE
    }

    /// Writes the poses of all joints in all frames, 7 numbers each, of the `source` or the `result`.
    pub fn poses(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "MotionSide")] which: &str,
        out: &Float32Array,
    ) -> Result<()> {
        self.output.resize(self.poses_length(), 0.0);
        self.table.poses(Which::named(which)?, &mut self.output)?;
        self.give(out)
    }

    /// Writes the poses of all joints at rest, the bind pose of a skin.
    #[wasm_bindgen(js_name = restPoses)]
    pub fn rest_poses(&mut self, out: &Float32Array) -> Result<()> {
        self.output.resize(out.length() as usize, 0.0);
        self.table.rest(&mut self.output)?;
        self.give(out)
    }

    /// Sets everything at once; on an error nothing is changed.
    ///
    /// - `settings`: any of the settings, as an object or as JSON
    /// - `contacts`: a `posekit.contacts/1` file or its text; by default those that are found
    /// - `times`: the times of edited poses in seconds; `values`: their configurations, one after the other
    /// - `interpolations`: how to go on from each of them to the next; by default on cubic curves
    pub fn set(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Partial<MotionSettings> | string")] settings: &str,
        #[wasm_bindgen(unchecked_param_type = "ContactsFile | string | null | undefined")]
        contacts: Option<String>,
        times: &Float64Array,
        values: &Float64Array,
        #[wasm_bindgen(unchecked_optional_param_type = "readonly Interpolation[]")]
        interpolations: Option<Vec<String>>,
    ) -> Result<()> {
        let mut when = Vec::new();
        read(times, &mut when);
        read(values, &mut self.input);
        let words = interpolations.unwrap_or_default();
        Ok(self.table.set(settings, contacts.as_deref(), &when, &self.input, &words)?)
    }

    /// The report: floor, plants with their verdicts, metrics before and after.
    #[wasm_bindgen(unchecked_return_type = "MotionReport")]
    pub fn report(&self) -> Result<JsValue> {
        object(&self.table.report())
    }

    /// The contacts that are held, as the text of a `posekit.contacts/1` file.
    pub fn contacts(&self) -> Result<String> {
        Ok(self.table.contacts()?)
    }

    /// Writes the configuration of a frame of the result.
    pub fn configuration(&self, frame: usize, out: &Float64Array) -> Result<()> {
        write(self.table.configuration(frame)?, out).map(|_| ())
    }

    /// Pulls joints of a frame of the result, with the least change.
    ///
    /// - `joints`: their indices; `targets`: 3 numbers for a point or 7 for a pose each, all of the same kind
    /// - `start`: the configuration to start from: the result of the previous pull while dragging
    /// - `q`: receives the resulting configuration; `poses`: its poses, 7 numbers for each joint
    pub fn pull(
        &mut self,
        frame: usize,
        joints: &[usize],
        targets: &Float64Array,
        start: Option<Float64Array>,
        q: &Float64Array,
        poses: &Float32Array,
    ) -> Result<()> {
        read(targets, &mut self.input);
        let pulls = pulls(joints, &self.input)?;
        let start = start.map(|start| start.to_vec());
        let found = self.table.pull(frame, &pulls, start.as_deref())?.to_vec();
        self.output.resize(poses.length() as usize, 0.0);
        self.table.poses_of(&found, &mut self.output)?;
        write(&found, q)?;
        self.give(poses)
    }

    /// Writes the curves of a joint, 6 numbers for each frame: a rotation vector on its parent in degrees, and its position in the world.
    pub fn curves(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "MotionSide")] which: &str,
        joint: usize,
        out: &Float32Array,
    ) -> Result<()> {
        let n_frames = self.table.clip(Which::Source).n_frames();
        self.output.resize(n_frames * CURVES, 0.0);
        self.table.curves(Which::named(which)?, joint, &mut self.output)?;
        self.give(out)
    }

    /// The numbers of a joint in the poses that were set, 6 for each, as in its curves.
    #[wasm_bindgen(js_name = keyCurves)]
    pub fn key_curves(&self, joint: usize) -> Result<Float64Array> {
        Ok(Float64Array::from(self.table.key_curves(joint)?.as_slice()))
    }

    /// Writes a configuration with one joint as its curves say.
    ///
    /// - `numbers`: 6, as in its curves; what its kind cannot do is left out
    #[wasm_bindgen(js_name = withCurve)]
    pub fn with_curve(
        &mut self,
        q: &Float64Array,
        joint: usize,
        numbers: &Float64Array,
        out: &Float64Array,
    ) -> Result<()> {
        read(q, &mut self.input);
        write(&self.table.with_curve(&self.input, joint, &numbers.to_vec())?, out).map(|_| ())
    }

    /// The result as a file.
    ///
    /// - `format`: `same` for the format of the input, `bvh` or `glb`
    pub fn write(
        &self,
        #[wasm_bindgen(unchecked_param_type = "MotionFormat")] format: &str,
    ) -> Result<Uint8Array> {
        Ok(Uint8Array::from(self.table.write(format)?.as_slice()))
    }
}

impl Motion {
    /// Writes the output into the caller's array.
    fn give(&self, out: &Float32Array) -> Result<()> {
        if out.length() as usize != self.output.len() {
            return Err(wrong_length("out", self.output.len(), out.length() as usize).into());
        }
        out.copy_from(&self.output);
        Ok(())
    }
}

/// Joints paired with their targets.
fn pulls(joints: &[usize], targets: &[f64]) -> Result<Vec<Pull>> {
    let of_points = targets.len() == 3 * joints.len();
    if !of_points && targets.len() != POSE * joints.len() {
        return Err(wrong_length("targets", 3 * joints.len(), targets.len()).into());
    }
    let size = if of_points { 3 } else { POSE };
    let pull = |(&joint, t): (&usize, &[f64])| {
        let place = DVec3::new(t[0], t[1], t[2]);
        let target = match t.get(3..POSE) {
            Some(turn) => Target::Pose(Pose {
                rotation: DQuat::from_xyzw(turn[0], turn[1], turn[2], turn[3]),
                translation: place,
            }),
            None => Target::Place(place),
        };
        Pull { joint, target }
    };
    Ok(joints.iter().zip(targets.chunks(size)).map(pull).collect())
}
