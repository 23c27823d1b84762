//! The JavaScript API of problems.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Float64Array;
use posekit::math::Pose;
use posekit::skeleton::{Frame, Limit, Skeleton};
use posekit_io::problem::{Body, Origin, Problem as Read, character_problem};
use posekit_io::{Limits, Warnings, gltf};
use wasm_bindgen::prelude::*;

use super::solver::Solver;
use super::{Result, object, read, write};
use crate::POSE;
use crate::fault::{Fault, wrong_length};
use crate::session::{forward, kind_code, methods, push_pose};

/// A problem: a chain or a figure, read from the text of its file.
#[wasm_bindgen]
pub struct Problem {
    pub(super) own: Rc<Read>,
    warnings: Vec<String>,
    scratch: RefCell<Scratch>,
}

/// Buffers of forward kinematics.
#[derive(Default)]
struct Scratch {
    q: Vec<f64>,
    world: Vec<Pose>,
    flat: Vec<f64>,
}

impl Problem {
    pub(super) fn new(own: Read, warnings: &Warnings) -> Self {
        let warnings = warnings.iter().map(ToString::to_string).collect();
        Self { own: Rc::new(own), warnings, scratch: RefCell::default() }
    }

    fn read(text: &str, file: Option<&[u8]>) -> Result<Self> {
        let mut warnings = Warnings::new();
        let own = Read::from_json(text, file, &mut warnings).map_err(Fault::from)?;
        Ok(Self::new(own, &warnings))
    }

    fn skeleton(&self) -> Option<&Skeleton> {
        self.own.skeleton()
    }

    /// A property of every joint; empty for a chain of points.
    fn each_joint<T>(&self, of: impl Fn(&Skeleton, usize) -> T) -> Vec<T> {
        let skeleton = self.skeleton();
        skeleton.map_or(Vec::new(), |skeleton| {
            (0..skeleton.n_joints()).map(|joint| of(skeleton, joint)).collect()
        })
    }
}

#[wasm_bindgen]
impl Problem {
    /// Reads a `posekit.chain/1` or `posekit.figure/1` file.
    ///
    /// - `urdf`: the text of the URDF (or `.gltf`) that a figure names
    #[wasm_bindgen(js_name = fromJson)]
    pub fn from_json(
        #[wasm_bindgen(unchecked_param_type = "ProblemFile | string")] text: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "string | Uint8Array | null")] urdf: Option<
            String,
        >,
    ) -> Result<Self> {
        Self::read(text, urdf.as_deref().map(str::as_bytes))
    }

    /// The same for a figure whose skeleton is in a file given as bytes (`.glb`, `.vrm`, or text).
    #[wasm_bindgen(js_name = fromJsonAndFile)]
    pub fn from_json_and_file(
        #[wasm_bindgen(unchecked_param_type = "ProblemFile | string")] text: &str,
        file: &[u8],
    ) -> Result<Self> {
        Self::read(text, Some(file))
    }

    /// Reads the skeleton of a glTF character (`.glb`, `.gltf`, `.vrm`, `.vrma`); its problem is one position task, 0, on a joint, whose target is the position of the joint
    /// at rest. Its figure contains the joints.
    ///
    /// - `tip`: the joint; by default the end of the character that the most joints move
    /// - `free_root`: true when the character floats instead of being fixed in the world
    #[wasm_bindgen(js_name = fromGltf)]
    pub fn from_gltf(file: &[u8], tip: Option<String>, free_root: Option<bool>) -> Result<Self> {
        let mut warnings = Warnings::new();
        let character =
            gltf::read_bytes(file, &Limits::default(), &mut warnings).map_err(Fault::from)?;
        let free_root = free_root.unwrap_or(false);
        let figure = character_problem(&character, tip.as_deref(), free_root, &mut warnings)
            .map_err(Fault::from)?;
        let own = Read::from_figure(&figure, None, &mut warnings).map_err(Fault::from)?;
        Ok(Self::new(own, &warnings))
    }

    /// `plane`, `space`, `points` or `figure`.
    #[wasm_bindgen(getter, unchecked_return_type = "ProblemKind")]
    #[must_use]
    pub fn kind(&self) -> String {
        let word = match self.own.as_ref() {
            Read::Figure(_) => "figure",
            Read::Scene(scene) => match &scene.body {
                Body::Points { .. } => "points",
                Body::Joints(rig) if rig.origin == Origin::Plane => "plane",
                Body::Joints(_) => "space",
            },
        };
        word.to_owned()
    }

    /// Coordinates per point.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.own.dimension()
    }

    /// Number of joints; 0 for a chain of points.
    #[wasm_bindgen(getter, js_name = nJoints)]
    #[must_use]
    pub fn n_joints(&self) -> usize {
        self.skeleton().map_or(0, Skeleton::n_joints)
    }

    /// Number of values in a configuration; 0 for a chain of points.
    #[wasm_bindgen(getter, js_name = nValues)]
    #[must_use]
    pub fn n_values(&self) -> usize {
        self.skeleton().map_or(0, Skeleton::n_values)
    }

    /// Number of tasks; 1 for a chain of points, whose tip has a target.
    #[wasm_bindgen(getter, js_name = nTasks)]
    #[must_use]
    pub fn n_tasks(&self) -> usize {
        if self.skeleton().is_some() { self.own.tasks().len() } else { 1 }
    }

    /// Number of points of a solution: for a chain its moving joints and its tip, for a figure the origins of all joints.
    #[wasm_bindgen(getter, js_name = nPoints)]
    #[must_use]
    pub fn n_points(&self) -> usize {
        match self.own.as_ref() {
            Read::Scene(scene) => scene.start_points().len(),
            Read::Figure(_) => self.n_joints(),
        }
    }

    /// Names of the joints.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.each_joint(|skeleton, joint| skeleton.name(joint).to_owned())
    }

    /// The names of a robot's links by the joints whose frames they are, for tasks; empty for joints without a link, and for all joints if the
    /// problem's joints are not those of a URDF.
    #[must_use]
    pub fn links(&self) -> Vec<String> {
        let links = match self.own.as_ref() {
            Read::Figure(figure) => figure.links.as_slice(),
            Read::Scene(_) => &[],
        };
        self.each_joint(|_, joint| links.get(joint).cloned().flatten().unwrap_or_default())
    }

    /// Kinds of the joints: 0 fixed, 1 revolute, 2 prismatic, 3 ball, 4 free.
    #[must_use]
    pub fn kinds(&self) -> Vec<u8> {
        self.each_joint(|skeleton, joint| kind_code(skeleton.kind(joint)))
    }

    /// Parents of the joints, -1 for roots.
    #[must_use]
    pub fn parents(&self) -> Vec<i32> {
        self.each_joint(|skeleton, joint| index(skeleton.parent(joint)))
    }

    /// The driver of each joint, -1 for joints that do not mimic another.
    #[must_use]
    pub fn mimics(&self) -> Vec<i32> {
        self.each_joint(|skeleton, joint| index(skeleton.mimic(joint).map(|mimic| mimic.joint)))
    }

    /// The index of each joint's first value in a configuration.
    #[wasm_bindgen(js_name = valueOffsets)]
    #[must_use]
    pub fn value_offsets(&self) -> Vec<u32> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "readers limit the number of joints far below"
        )]
        self.each_joint(|skeleton, joint| skeleton.value_range(joint).start as u32)
    }

    /// Axes of hinges and slides in their own frames, 3 numbers for each joint, zero for other joints.
    #[must_use]
    pub fn axes(&self) -> Vec<f64> {
        let axis = |skeleton: &Skeleton, joint: usize| {
            skeleton.kind(joint).axis().unwrap_or_default().to_array()
        };
        self.each_joint(axis).concat()
    }

    /// `parent_from_joint` of each joint at its zero value, 7 numbers.
    #[must_use]
    pub fn rest(&self) -> Vec<f64> {
        let mut flat = Vec::new();
        self.each_joint(|skeleton, joint| skeleton.parent_from_joint(joint))
            .into_iter()
            .for_each(|pose| push_pose(&mut flat, pose));
        flat
    }

    /// Limits, 6 numbers for each joint: kind (0 none, 1 range, 2 cone), least and greatest value of a range, swing, least and greatest twist of a cone; 0 for
    /// values that do not apply.
    #[must_use]
    pub fn limits(&self) -> Vec<f64> {
        let limit = |skeleton: &Skeleton, joint: usize| match skeleton.limit(joint) {
            Limit::None => [0.0; 6],
            Limit::Range { min, max } => [1.0, min, max, 0.0, 0.0, 0.0],
            Limit::Cone { swing, twist: [min, max], .. } => [2.0, 0.0, 0.0, swing, min, max],
        };
        self.each_joint(limit).concat()
    }

    /// The largest speed of each joint, in radians or metres a second, Infinity where the file gives none: a joint that mimics has its driver's.
    #[wasm_bindgen(js_name = velocityLimits)]
    #[must_use]
    pub fn velocity_limits(&self) -> Vec<f64> {
        let Read::Figure(figure) = self.own.as_ref() else { return Vec::new() };
        self.each_joint(|skeleton, joint| {
            let limits = figure.velocity_limits.get(skeleton.dof_range(joint));
            limits.unwrap_or_default().iter().copied().fold(f64::INFINITY, f64::min)
        })
    }

    /// Axes of the cones in their joints' frames, 3 numbers for each joint, zero for joints without one.
    #[wasm_bindgen(js_name = coneAxes)]
    #[must_use]
    pub fn cone_axes(&self) -> Vec<f64> {
        let axis = |skeleton: &Skeleton, joint: usize| match skeleton.limit(joint) {
            Limit::Cone { axis, .. } => axis.to_array(),
            _ => [0.0; 3],
        };
        self.each_joint(axis).concat()
    }

    /// The frames of the tasks, 16 numbers for each: joint (-1 for none) and pose on it, twice.
    #[must_use]
    pub fn frames(&self) -> Vec<f64> {
        let mut flat = Vec::new();
        let frames = self.own.tasks().into_iter().flat_map(|task| task.kind.frames());
        for frame in frames.collect::<Vec<Option<Frame>>>() {
            flat.push(frame.map_or(-1.0, |frame| frame.joint as f64));
            push_pose(&mut flat, frame.map_or(Pose::IDENTITY, |frame| frame.joint_from_frame));
        }
        flat
    }

    /// The tasks.
    #[wasm_bindgen(unchecked_return_type = "ProblemTask[]")]
    pub fn tasks(&self) -> Result<JsValue> {
        let figure = self.own.to_figure();
        object(&self.own.described_tasks(figure.as_ref()))
    }

    /// The joint values to start from; empty for a chain of points.
    #[must_use]
    pub fn start(&self) -> Vec<f64> {
        self.own.rig().map_or(Vec::new(), |rig| rig.start.clone())
    }

    /// The points to start from, in the format of [`Solver::points`].
    #[must_use]
    pub fn points(&self) -> Vec<f64> {
        match self.own.as_ref() {
            Read::Scene(scene) => scene.start_points().concat(),
            Read::Figure(figure) => {
                let poses = figure.rig.skeleton.poses(&figure.rig.start);
                poses.iter().flat_map(|pose| pose.translation.to_array()).collect()
            }
        }
    }

    /// The applicable methods, `auto` first.
    #[must_use]
    pub fn methods(&self) -> Vec<String> {
        methods(&self.own).into_iter().map(str::to_owned).collect()
    }

    /// The warnings of the readers.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// The problem as the text of a `posekit.figure/1` file: joints, start and tasks.
    #[wasm_bindgen(js_name = toFigureJson)]
    pub fn to_figure_json(&self) -> Result<String> {
        let Some(figure) = self.own.to_figure() else {
            return Err(Fault::new("a chain of points has no joints to write as a figure").into());
        };
        Ok(figure.to_json().map_err(Fault::from)?)
    }

    /// Forward kinematics: the poses of all joints in the world.
    ///
    /// - `q`: a configuration, `nValues` numbers
    /// - `out`: 7 numbers for each joint
    pub fn poses(&self, q: &Float64Array, out: &Float64Array) -> Result<()> {
        let Some(skeleton) = self.skeleton() else { return Ok(()) };
        let mut scratch = self.scratch.borrow_mut();
        let Scratch { q: values, world, flat } = &mut *scratch;
        read(q, values);
        if values.len() != skeleton.n_values() {
            return Err(wrong_length("q", skeleton.n_values(), values.len()).into());
        }
        skeleton.check(values).map_err(Fault::from)?;
        skeleton.settle(values);
        forward(skeleton, values, world, flat);
        debug_assert_eq!(flat.len(), POSE * skeleton.n_joints(), "a pose a joint");
        write(flat, out).map(|_| ())
    }

    /// A solver of this problem, with its own buffers.
    #[must_use]
    pub fn solver(&self) -> Solver {
        Solver::new(&self.own)
    }
}

fn index(of: Option<usize>) -> i32 {
    of.and_then(|index| i32::try_from(index).ok()).unwrap_or(-1)
}
