//! Robot arms, as JavaScript sees them.

use js_sys::Float64Array;
use posekit::arm::{ArmSolution, ArmStatus, SelfMotion, TrackStatus};
use wasm_bindgen::prelude::*;

use super::problem::Problem;
use super::{Result, read, write};
use crate::arm::{DEXTERITY, Parameter, ToolArm, ToolTrack};
use crate::fault::Fault;

/// A robot arm with one tool: the frame that a task speaks about, moved by hinges and slides. Configurations are those of the whole problem.
#[wasm_bindgen]
pub struct Arm {
    own: ToolArm,
    last: ArmSolution,
    input: [Vec<f64>; 3],
}

#[wasm_bindgen]
impl Arm {
    /// The arm of a task, within the joint limits and velocity limits of the problem.
    ///
    /// - `settings`: JSON, any of `tolerance` (metres), `orientation_tolerance` (radians), `bounds` (6 numbers: how far the tool may be off along and about each axis of
    ///   a target), `prefer` (`nearest`, `first`, `posture`, `manipulability`) and `starts`
    #[wasm_bindgen(constructor)]
    pub fn new(
        problem: &Problem,
        task: usize,
        #[wasm_bindgen(unchecked_optional_param_type = "object | string | null")] settings: Option<
            String,
        >,
    ) -> Result<Self> {
        let own = ToolArm::new(&problem.own, task, settings.as_deref())?;
        Ok(Self { own, last: ArmSolution::default(), input: Default::default() })
    }

    /// Numbers of a configuration.
    #[wasm_bindgen(getter, js_name = nValues)]
    #[must_use]
    pub fn n_values(&self) -> usize {
        self.own.arm().n_values()
    }

    /// The joints of the arm, from the base to the tool.
    #[must_use]
    pub fn joints(&self) -> Vec<u32> {
        indices(self.own.joints())
    }

    /// The largest speed of each of them, in radians or metres a second; Infinity where there is none.
    #[wasm_bindgen(js_name = velocityLimits)]
    #[must_use]
    pub fn velocity_limits(&self) -> Vec<f64> {
        self.own.velocity_limits().to_vec()
    }

    /// The largest distance of the tool from the first joint, in metres; Infinity with a slide without limits.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn reach(&self) -> f64 {
        self.own.arm().reach()
    }

    /// Why there is a closed form, such as "axes 2, 3 and 4 are parallel, 5 and 6 meet"; empty without one.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn family(&self) -> String {
        self.own.arm().family().map(ToString::to_string).unwrap_or_default()
    }

    /// What the parameter of the self-motion is: a joint, or -1 for the arm angle; undefined if there is no self-motion by formulas.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn parameter(&self) -> Option<i32> {
        self.own.parameter().map(|parameter| match parameter {
            Parameter::ArmAngle => -1,
            Parameter::Joint(joint) => i32::try_from(joint).unwrap_or(i32::MAX),
        })
    }

    /// Writes the pose of the tool, 7 numbers.
    pub fn pose(&mut self, q: &Float64Array, out: &Float64Array) -> Result<()> {
        read(q, &mut self.input[0]);
        write(&self.own.pose(&self.input[0])?, out).map(|_| ())
    }

    /// Solves for a pose of the tool; returns `reached`, `unreachable` or `outside-limits` where that is proven, else `not-found`.
    ///
    /// - `target`: 7 numbers, in the world
    /// - `q`: where the arm is; on return the best configuration found, inside the limits
    pub fn solve(&mut self, target: &Float64Array, q: &Float64Array) -> Result<String> {
        let [goal, values, _] = &mut self.input;
        read(target, goal);
        read(q, values);
        self.last = self.own.solve(goal, values)?;
        write(values, q)?;
        let word = match self.last.status {
            ArmStatus::Reached => "reached",
            ArmStatus::Unreachable { .. } => "unreachable",
            ArmStatus::OutsideLimits => "outside-limits",
            _ => "not-found",
        };
        Ok(word.to_owned())
    }

    /// Distance of the tool from the target after the last solve, in metres.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn distance(&self) -> f64 {
        self.last.distance
    }

    /// Angle of the tool from the target's orientation after the last solve, in radians.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn angle(&self) -> f64 {
        self.last.angle
    }

    /// By how much the target of the last solve is further than the arm is long; 0 where it is not.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn shortfall(&self) -> f64 {
        match self.last.status {
            ArmStatus::Unreachable { shortfall } => shortfall,
            _ => 0.0,
        }
    }

    /// All distinct configurations found that reach a target, one after the other, the preferred first. An arm with more than six joints has infinitely many: of
    /// these it is the nearest of each branch.
    pub fn solutions(&mut self, target: &Float64Array, q: &Float64Array) -> Result<Float64Array> {
        let [goal, values, _] = &mut self.input;
        read(target, goal);
        read(q, values);
        Ok(Float64Array::new_from_slice(&self.own.solutions(goal, values)?))
    }

    /// All configurations of an arm with seven joints that hold the tool at a target.
    ///
    /// - `q`: chooses among angles that differ by whole turns
    /// - `samples`: steps over the range of the parameter, 2 to 10000; there are more where joints move fast
    #[wasm_bindgen(js_name = selfMotion)]
    pub fn self_motion(
        &mut self,
        target: &Float64Array,
        q: &Float64Array,
        samples: u32,
    ) -> Result<SelfMotionCurves> {
        let [goal, values, _] = &mut self.input;
        read(target, goal);
        read(q, values);
        Ok(SelfMotionCurves { own: self.own.self_motion(goal, values, samples)? })
    }

    /// Which of some configurations, one after the other, is nearest to `q`: its number, and the largest difference of a joint. Empty if there are none.
    pub fn nearest(&mut self, q: &Float64Array, configurations: &Float64Array) -> Result<Vec<f64>> {
        let [values, others, _] = &mut self.input;
        read(q, values);
        read(configurations, others);
        let nearest = self.own.nearest(values, others)?;
        Ok(nearest.map_or(Vec::new(), |(index, difference)| vec![index as f64, difference]))
    }

    /// Writes how well the arm moves its tool, 7 numbers: manipulability, smallest and largest singular value of the Jacobian (metres and radians); the joint nearest to a
    /// limit, that limit, the distance from it, and this in halves of the joint's range. Without limits the joint is -1 and the last number 1.
    pub fn dexterity(&mut self, q: &Float64Array, out: &Float64Array) -> Result<()> {
        read(q, &mut self.input[0]);
        write(&self.own.dexterity(&self.input[0])?, out).map(|_| ())
    }

    /// Follows a path of poses, straight between them, on one branch and within the velocity limits: where joints would be too fast, the arm slows down.
    ///
    /// - `times`: one for each pose, increasing, in seconds
    /// - `targets`: 7 numbers a pose
    /// - `start`: from where the first pose is solved for
    pub fn track(
        &mut self,
        times: &Float64Array,
        targets: &Float64Array,
        start: &Float64Array,
    ) -> Result<ArmTrack> {
        let [when, goals, values] = &mut self.input;
        read(times, when);
        read(targets, goals);
        read(start, values);
        let own = self.own.track(when, goals, values)?;
        let dexterity = own.track().values.chunks_exact(values.len().max(1));
        let dexterity = dexterity.map(|q| self.own.dexterity(q));
        let dexterity = dexterity.collect::<core::result::Result<Vec<_>, Fault>>()?;
        debug_assert!(dexterity.iter().all(|each| each.len() == DEXTERITY), "as documented");
        Ok(ArmTrack { own, dexterity: dexterity.concat() })
    }
}

/// The curves of a self-motion.
#[wasm_bindgen(js_name = SelfMotion)]
pub struct SelfMotionCurves {
    own: Vec<SelfMotion>,
}

#[wasm_bindgen(js_class = SelfMotion)]
impl SelfMotionCurves {
    /// How many curves there are.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn length(&self) -> usize {
        self.own.len()
    }

    /// The values of the parameter along a curve, ascending, in radians.
    pub fn parameters(&self, curve: usize) -> Result<Float64Array> {
        Ok(Float64Array::new_from_slice(&self.curve(curve)?.parameters))
    }

    /// A configuration for each, one after the other.
    pub fn values(&self, curve: usize) -> Result<Float64Array> {
        Ok(Float64Array::new_from_slice(&self.curve(curve)?.configurations.concat()))
    }
}

impl SelfMotionCurves {
    fn curve(&self, curve: usize) -> Result<&SelfMotion> {
        let missing =
            || Fault::new(format!("there is no curve {curve}; there are {}", self.own.len()));
        Ok(self.own.get(curve).ok_or_else(missing)?)
    }
}

/// A path in joint values, as the arm can follow it.
#[wasm_bindgen(js_name = Track)]
pub struct ArmTrack {
    own: ToolTrack,
    dexterity: Vec<f64>,
}

#[wasm_bindgen(js_class = Track)]
impl ArmTrack {
    /// How many samples there are: one for each pose that was reached, and others between.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn length(&self) -> usize {
        self.own.track().samples.len()
    }

    /// When the arm is at each sample, in seconds: later than asked for if it had to slow down.
    #[must_use]
    pub fn times(&self) -> Vec<f64> {
        self.own.track().samples.iter().map(|sample| sample.time).collect()
    }

    /// Where it is on the path then, as a time between those that were given.
    #[wasm_bindgen(js_name = pathTimes)]
    #[must_use]
    pub fn path_times(&self) -> Vec<f64> {
        self.own.track().samples.iter().map(|sample| sample.path_time).collect()
    }

    /// The pose at which each sample is, -1 for those between.
    #[must_use]
    pub fn targets(&self) -> Vec<i32> {
        let number = |target: Option<usize>| target.and_then(|target| i32::try_from(target).ok());
        let samples = &self.own.track().samples;
        samples.iter().map(|sample| number(sample.target).unwrap_or(-1)).collect()
    }

    /// The configurations of the samples, one after the other.
    #[must_use]
    pub fn values(&self) -> Float64Array {
        Float64Array::new_from_slice(&self.own.track().values)
    }

    /// The speeds of the arm's joints on the way to each sample, in radians or metres a second.
    #[must_use]
    pub fn speeds(&self) -> Float64Array {
        Float64Array::new_from_slice(self.own.speeds())
    }

    /// For each sample the 7 numbers of the arm's `dexterity`.
    #[must_use]
    pub fn dexterity(&self) -> Float64Array {
        Float64Array::new_from_slice(&self.dexterity)
    }

    /// Writes the configuration at a time.
    #[wasm_bindgen(js_name = configurationAt)]
    pub fn configuration_at(&self, time: f64, out: &Float64Array) -> Result<()> {
        let mut q = vec![0.0; out.length() as usize];
        self.own.configuration_at(time, &mut q)?;
        write(&q, out).map(|_| ())
    }

    /// How it ended: `completed`; `limits`, where joints are at theirs; `singularity`, where this branch turns back and another goes further; `reach`, where none was
    /// found that goes further.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn outcome(&self) -> String {
        self.own.outcome().0.to_owned()
    }

    /// The joints at a limit, if that ended it.
    #[must_use]
    pub fn blocked(&self) -> Vec<u32> {
        indices(self.own.outcome().1)
    }

    /// Where on the path it ended, as a time between those that were given; undefined if it was completed.
    #[wasm_bindgen(getter, js_name = endedAt)]
    #[must_use]
    pub fn ended_at(&self) -> Option<f64> {
        match self.own.track().status {
            TrackStatus::Ended { path_time, .. } => Some(path_time),
            _ => None,
        }
    }

    /// The smallest singular value where it ended; undefined if it was completed.
    #[wasm_bindgen(getter, js_name = smallestSingularValue)]
    #[must_use]
    pub fn smallest_singular_value(&self) -> Option<f64> {
        match self.own.track().status {
            TrackStatus::Ended { dexterity, .. } => Some(dexterity.smallest_singular_value),
            _ => None,
        }
    }
}

fn indices(joints: &[usize]) -> Vec<u32> {
    #[expect(clippy::cast_possible_truncation, reason = "readers cap the joints far below")]
    joints.iter().map(|&joint| joint as u32).collect()
}
