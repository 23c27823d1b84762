//! A chain problem as a skeleton.

use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::math::{so3_log, swing_twist};
use posekit::skeleton::{Frame, Joint, JointKind, Limit, Skeleton};

use super::{ChainData, ChainProblem, PlaneBone, SpaceBone, SpaceConstraint};
use crate::error::{Error, Place, Result};
use crate::rotation::unit_rotation;
use crate::solution::bone_name;
use crate::warnings::Warnings;

/// The largest rotation of a hinge's start about other axes without a warning \[rad\]: the rounding of a rotation written
/// with nine digits.
const OFF_AXIS_NOTE: f64 = 1e-8;

/// A chain problem as a skeleton, for the solvers on joints.
#[derive(Debug, Clone)]
pub struct ChainModel {
    /// One joint per bone, `bone0` first, each at the end of the previous one. In the plane they are hinges about +z in the plane z = 0.
    pub skeleton: Skeleton,
    /// The configuration to start from, within the limits.
    pub start: Vec<f64>,
    /// The tip: the end of the last bone, with that bone's orientation.
    pub tip: Frame,
    /// The target position of the tip \[m\]; z = 0 in the plane.
    pub target: DVec3,
    /// The target orientation of the tip.
    pub orientation: Option<DQuat>,
    /// Weights for relaxation, one for the base of each bone, then the tip's.
    pub weights: Vec<f64>,
}

/// One bone, whatever its dimension.
struct Bone {
    joint: Joint,
    /// From this joint to the next, in this joint's frame.
    offset: DVec3,
    start: Start,
}

enum Start {
    Angle(f64),
    Rotation(DQuat),
}

impl ChainProblem {
    /// The problem as a skeleton of hinges and ball joints.
    ///
    /// The start is clamped to the limits, with a warning for each joint that changes. Angles that differ by whole turns are the same pose, so a
    /// value within the limits that differs by whole turns is preferred. The rotation of a hinge in space is reduced to its angle about the
    /// hinge, with a warning if there was a rotation about other axes. Rotations and hinge axes are normalised.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a problem of bare points, which have no joints; [`Error::Skeleton`] for values that a problem built in code may
    /// have and one from [`ChainProblem::from_json`] does not.
    pub fn to_skeleton(&self, warnings: &mut Warnings) -> Result<ChainModel> {
        let (root, bones) = match &self.chain {
            ChainData::Plane { root, bones } => {
                let [x, y] = root.unwrap_or_default();
                let bones: Vec<Bone> =
                    bones.iter().enumerate().map(|(index, bone)| plane_bone(bone, index)).collect();
                (DVec3::new(x, y, 0.0), bones)
            }
            ChainData::Space { root, bones } => {
                let bones = bones
                    .iter()
                    .enumerate()
                    .map(|(index, bone)| space_bone(bone, index, warnings))
                    .collect();
                (DVec3::from_array(root.unwrap_or_default()), bones)
            }
            ChainData::Points { .. } => {
                return Err(Error::Unsupported {
                    place: Place::named("points"),
                    message: "a chain of points has no joints; give `bones`, or use a \
                              solver for points (relaxation, fabrik)"
                        .into(),
                });
            }
        };
        self.assemble(root, bones, warnings)
    }

    fn assemble(
        &self,
        root: DVec3,
        bones: Vec<Bone>,
        warnings: &mut Warnings,
    ) -> Result<ChainModel> {
        let mut builder = Skeleton::builder();
        let mut starts = Vec::with_capacity(bones.len());
        let mut at = root;
        let mut parent = None;
        for bone in bones {
            let mut joint = bone.joint.at(Pose::from_translation(at));
            if let Some(parent) = parent {
                joint = joint.child_of(parent);
            }
            parent = Some(builder.add(joint));
            starts.push(bone.start);
            at = bone.offset;
        }
        let skeleton = builder.build()?;
        let Some(last) = parent else {
            let message = "needs at least one bone".into();
            return Err(Error::Value { place: Place::named("bones"), message });
        };
        let start = start_configuration(&skeleton, &starts, warnings)?;
        let target = self.target.as_slice();
        let coordinate = |axis: usize| target.get(axis).copied().unwrap_or(0.0);
        Ok(ChainModel {
            start,
            tip: Frame { joint: last, joint_from_frame: Pose::from_translation(at) },
            target: DVec3::new(coordinate(0), coordinate(1), coordinate(2)),
            orientation: self.orientation.map(unit_rotation),
            weights: self.weights(),
            skeleton,
        })
    }
}

fn plane_bone(bone: &PlaneBone, index: usize) -> Bone {
    let hinge = Joint::revolute(bone_name(index), DVec3::Z);
    let (joint, start) = with_range(hinge, bone.limit, bone.angle);
    Bone { joint, offset: DVec3::new(bone.length, 0.0, 0.0), start }
}

fn space_bone(bone: &SpaceBone, index: usize, warnings: &mut Warnings) -> Bone {
    let offset = DVec3::from_array(bone.offset);
    let rotation = unit_rotation(bone.rotation);
    let name = bone_name(index);
    let (joint, start) = match bone.constraint {
        None => (Joint::ball(name), Start::Rotation(rotation)),
        Some(SpaceConstraint::Cone { swing, twist }) => {
            let axis = unit_vector(bone.offset);
            let joint = Joint::ball(name).with_limit(Limit::Cone { axis, swing, twist });
            (joint, Start::Rotation(rotation))
        }
        Some(SpaceConstraint::Hinge { axis, limit }) => {
            let axis = unit_vector(axis);
            let angle = hinge_angle(rotation, axis, index, warnings);
            with_range(Joint::revolute(name, axis), limit, angle)
        }
    };
    Bone { joint, offset, start }
}

/// The angle of a rotation about a hinge, with a warning about the part about other axes, which is lost.
fn hinge_angle(rotation: DQuat, axis: DVec3, index: usize, warnings: &mut Warnings) -> f64 {
    let parts = swing_twist(rotation, axis);
    let off_axis = so3_log(parts.swing).length();
    if off_axis > OFF_AXIS_NOTE {
        let place = Place::named(format!("bones[{index}].rotation"));
        let message = format!(
            "rotates by {} about axes other than the hinge; only {} about the hinge are used",
            degrees(off_axis),
            degrees(parts.twist)
        );
        warnings.push(place, message);
    }
    parts.twist
}

/// An angle for people: hundredths of a degree, and two digits of smaller ones.
fn degrees(angle: f64) -> String {
    // Adding zero makes negative zero positive.
    let angle = angle.to_degrees() + 0.0;
    if angle == 0.0 || angle.abs() >= 0.01 {
        let text = format!("{angle:.2}");
        return format!("{}°", text.trim_end_matches('0').trim_end_matches('.'));
    }
    format!("{angle:.1e}°")
}

/// A hinge's limit, and the start moved into it by whole turns if possible.
fn with_range(joint: Joint, limit: Option<[f64; 2]>, angle: f64) -> (Joint, Start) {
    let Some([min, max]) = limit else { return (joint, Start::Angle(angle)) };
    let limit = Limit::Range { min, max };
    let angle = limit.equivalent_angle(angle, angle).unwrap_or(angle);
    (joint.with_limit(limit), Start::Angle(angle))
}

fn start_configuration(
    skeleton: &Skeleton,
    starts: &[Start],
    warnings: &mut Warnings,
) -> Result<Vec<f64>> {
    let mut q = skeleton.neutral();
    for (joint, start) in starts.iter().enumerate() {
        let slot = &mut q[skeleton.value_range(joint)];
        match start {
            Start::Angle(angle) => slot[0] = *angle,
            Start::Rotation(rotation) => slot.copy_from_slice(&rotation.to_array()),
        }
    }
    skeleton.check(&q)?;
    let given = q.clone();
    skeleton.clamp(&mut q);
    for joint in 0..starts.len() {
        let values = skeleton.value_range(joint);
        if q[values.clone()] == given[values.clone()] {
            continue;
        }
        let message = match skeleton.kind(joint) {
            JointKind::Revolute { .. } => {
                let (from, to) = (given[values.start], q[values.start]);
                format!("the start, {from} rad, is outside its limit; {to} rad is used")
            }
            _ => "the start is outside its cone; the nearest rotation inside is used".into(),
        };
        warnings.push(Place::named(format!("bones[{joint}]")), message);
    }
    Ok(q)
}

/// The direction of a vector of any length. The reader refuses zero; it stays zero for the skeleton's builder to refuse.
fn unit_vector(vector: [f64; 3]) -> DVec3 {
    let vector = DVec3::from_array(vector);
    let scale = vector.abs().max_element();
    (vector / scale).try_normalize().unwrap_or(DVec3::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_are_rounded() {
        let quarter = core::f64::consts::FRAC_PI_2;
        for (angle, text) in [
            (quarter, "90°"),
            (-quarter / 4.0, "-22.5°"),
            (1.0, "57.3°"),
            (0.0, "0°"),
            (-0.0, "0°"),
            (2e-4, "0.01°"),
            (3e-8, "1.7e-6°"),
        ] {
            assert_eq!(degrees(angle), text, "{angle}");
        }
    }

    #[test]
    fn what_a_hinge_loses_is_said_in_degrees() {
        let text = r#"{ "schema": "posekit.chain/1", "dimension": 3, "target": [0.5, 0.5, 0],
            "bones": [ { "offset": [1, 0, 0], "rotation": [0.6, 0, 0, 0.8], "hinge": [0, 0, 1] } ] }"#;
        let mut warnings = Warnings::new();
        ChainProblem::from_json(text).unwrap().to_skeleton(&mut warnings).unwrap();
        let said: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        let expected = "bones[0].rotation: rotates by 73.74° about axes other than the hinge; only 0° about the hinge are used";
        assert_eq!(said, [expected]);
    }
}
