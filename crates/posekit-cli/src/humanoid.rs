//! A standing figure: 57 joints, 1.75 m, 75 kg, z up, x forward, y to its left.
//!
//! - Lengths and masses are shares of stature and weight \[winter09\], figure 4.1 and table 4.1.
//! - Ranges are those of healthy adults \[norkin16\]. A ball joint's range is a cone about the middle of its motion, which is why most
//!   of them are not at rest when the figure stands. The ankle's range is that under weight \[rabin15\].
//!
//! In every joint's frame the bone of an arm or a leg is along -z and that of spine and neck along +z when the figure stands; a foot points
//! along +x. A hand hangs with its thumb along +x and its palm towards the body.

use posekit::Result;
use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, rotation_about, shortest_rotation};
use posekit::skeleton::{Frame, Joint, Limit, Skeleton, SkeletonBuilder};
use posekit::task::Body;

/// Stature \[m\] and weight \[kg\].
const STATURE: f64 = 1.75;
const WEIGHT: f64 = 75.0;

/// Heights above the ground and lengths, as shares of the stature.
const HIP: f64 = 0.530 * STATURE;
const KNEE: f64 = 0.285 * STATURE;
const ANKLE: f64 = 0.039 * STATURE;
const SHOULDER: f64 = 0.818 * STATURE;
const UPPER_ARM: f64 = 0.186 * STATURE;
const FOREARM: f64 = 0.146 * STATURE;
const HAND: f64 = 0.108 * STATURE;
const FOOT: f64 = 0.152 * STATURE;
/// Thigh and shank \[m\].
pub(crate) const LEG: [f64; 2] = [HIP - KNEE, KNEE - ANKLE];
/// Upper arm and forearm \[m\].
pub(crate) const ARM: [f64; 2] = [UPPER_ARM, FOREARM];
/// From the middle of the pelvis to a hip: half of the hips' half breadth, 0.0955 of the stature.
const HIP_ASIDE: f64 = 0.0955 * STATURE / 2.0;
/// From the breastbone's end of a collar bone to the shoulder; the joint is inward of the acromion, 0.129 of the stature aside.
const COLLAR: f64 = 0.165;

/// A body part as it is drawn: a tapered limb in a joint's frame \[m\].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub(crate) joint: usize,
    pub(crate) ends: [DVec3; 2],
    /// Half width at either end.
    pub(crate) radii: [f64; 2],
}

/// The figure.
#[derive(Debug, Clone)]
pub(crate) struct Humanoid {
    pub(crate) skeleton: Skeleton,
    /// Upright, knees slightly bent, soles on z = 0.
    pub(crate) start: Vec<f64>,
    pub(crate) pelvis: Frame,
    /// On the ground under the ankle, x towards the toes, z up; left, right.
    pub(crate) soles: [Frame; 2],
    /// In the closed hand, the bar that it holds along x; left, right.
    pub(crate) grips: [Frame; 2],
    /// Between the eyes, looking along x.
    pub(crate) eyes: Frame,
    /// The masses.
    pub(crate) bodies: Vec<Body>,
    /// The stiffness of each joint: the limbs move more readily than the trunk.
    pub(crate) stiffness: Vec<f64>,
    /// The drawn body parts.
    pub(crate) parts: Vec<Part>,
    /// Hip, knee, ankle, of the left and the right leg.
    pub(crate) legs: [[usize; 3]; 2],
    /// Shoulder, elbow, wrist, of the left and the right arm.
    pub(crate) arms: [[usize; 3]; 2],
    /// Hinges of the fingers and how much of a fist they make.
    fingers: Vec<(usize, f64)>,
}

impl Humanoid {
    /// Builds it.
    ///
    /// # Errors
    /// Those of the skeleton's builder, which the figure's own tests rule out.
    pub(crate) fn try_new() -> Result<Self> {
        let mut assembly = Assembly::default();
        let pelvis = assembly.pelvis();
        let legs = SIDES.map(|side| assembly.leg(&side, pelvis));
        let chest = assembly.spine(pelvis);
        let head = assembly.head(chest);
        let arms = SIDES.map(|side| assembly.arm(&side, chest));
        let skeleton = assembly.builder.build()?;
        let stiffness =
            (0..skeleton.n_joints()).map(|joint| stiffness_of(skeleton.name(joint))).collect();
        let frame = |joint, at| Frame::new(joint, Pose::from_translation(at));
        let soles = legs.map(|leg| frame(leg[2], DVec3::NEG_Z * ANKLE));
        let palm = |k: usize| DVec3::new(0.0, -0.03 * SIDES[k].sign, -0.09);
        let mut figure = Self {
            start: assembly.start,
            pelvis: frame(pelvis, DVec3::ZERO),
            soles,
            grips: [0, 1].map(|k| frame(arms[k][2], palm(k))),
            eyes: frame(head, DVec3::new(0.09, 0.0, 0.08)),
            stiffness,
            bodies: assembly.bodies,
            parts: assembly.parts,
            legs,
            arms,
            fingers: assembly.fingers,
            skeleton,
        };
        // Stand on the ground.
        let sole = figure.soles[0].world(&figure.skeleton.poses(&figure.start));
        figure.start[2] -= sole.translation.z;
        Ok(figure)
    }

    /// Closes both hands: 0 is flat, 1 a fist.
    pub(crate) fn close_hands(&self, q: &mut [f64], fist: f64) {
        for &(joint, most) in &self.fingers {
            q[self.skeleton.value_range(joint).start] = fist * most;
        }
    }

    /// Corners of both soles on the ground in `q`: a balanced figure keeps its centre of mass over them.
    pub(crate) fn ground_contact(&self, q: &[f64]) -> Vec<DVec3> {
        let poses = self.skeleton.poses(q);
        let corners = self.soles.iter().flat_map(|sole| {
            let world = sole.world(&poses);
            SOLE.map(|[x, y]| world.transform_point(DVec3::new(x, y, 0.0)))
        });
        corners.collect()
    }
}

/// Corners of a sole, from the point under the ankle \[m\].
const SOLE: [[f64; 2]; 4] =
    [[-0.06, -0.035], [-0.06, 0.035], [FOOT - 0.06, 0.05], [FOOT - 0.06, -0.05]];

/// Five joints of a spine that each bend a little make a flexible trunk; this makes them as stiff as one trunk, so that neck and limbs move first.
fn stiffness_of(joint: &str) -> f64 {
    match joint {
        _ if joint.starts_with("spine") => 1.0,
        _ if joint.ends_with("collar") => 0.5,
        _ => 0.1,
    }
}

/// Left and right.
struct Side {
    name: &'static str,
    sign: f64,
}

const SIDES: [Side; 2] = [Side { name: "left", sign: 1.0 }, Side { name: "right", sign: -1.0 }];

/// A ball joint's cone: its axis in the joint, the middle of the range relative to the standing pose, and the largest swing from there.
struct Cone {
    axis: DVec3,
    middle: DQuat,
    swing_deg: f64,
    twist_deg: [f64; 2],
}

/// A skeleton under construction, with the values of the standing pose.
#[derive(Default)]
struct Assembly {
    builder: SkeletonBuilder,
    start: Vec<f64>,
    bodies: Vec<Body>,
    parts: Vec<Part>,
    fingers: Vec<(usize, f64)>,
}

/// A rotation by degrees.
fn turn(axis: DVec3, degrees: f64) -> DQuat {
    rotation_about(axis, degrees.to_radians())
}

impl Assembly {
    /// A ball joint whose standing pose is rotated by `standing` relative to its parent.
    fn ball(
        &mut self,
        name: String,
        (parent, at): (usize, DVec3),
        cone: &Cone,
        standing: DQuat,
    ) -> usize {
        let limit = Limit::Cone {
            axis: cone.axis,
            swing: cone.swing_deg.to_radians(),
            twist: cone.twist_deg.map(f64::to_radians),
        };
        self.start.extend((cone.middle.conjugate() * standing).to_array());
        let place = Pose::new(cone.middle, at);
        self.builder.add(Joint::ball(name).child_of(parent).at(place).with_limit(limit))
    }

    /// A hinge: the first two angles are its range, the third is that of the standing pose.
    fn hinge(
        &mut self,
        name: String,
        (parent, at): (usize, DVec3),
        axis: DVec3,
        [min, max, standing]: [f64; 3],
    ) -> usize {
        let limit = Limit::Range { min: min.to_radians(), max: max.to_radians() };
        self.start.push(standing.to_radians());
        let place = Pose::from_translation(at);
        self.builder.add(Joint::revolute(name, axis).child_of(parent).at(place).with_limit(limit))
    }

    fn part(&mut self, joint: usize, ends: [DVec3; 2], radii: [f64; 2]) {
        self.parts.push(Part { joint, ends, radii });
    }

    /// A share of the mass at a point of a joint's frame.
    fn weigh(&mut self, joint: usize, center_in_joint: DVec3, share: f64) {
        self.bodies.push(Body { joint, center_in_joint, mass: share * WEIGHT });
    }

    fn pelvis(&mut self) -> usize {
        let pelvis = self.builder.add(Joint::free("pelvis"));
        self.start.extend([0.0, 0.0, HIP, 0.0, 0.0, 0.0, 1.0]);
        let aside = DVec3::Y * 0.6 * HIP_ASIDE;
        self.part(pelvis, [-aside, aside], [0.085, 0.085]);
        self.part(pelvis, [DVec3::Z * 0.03, DVec3::Z * 0.11], [0.095, 0.08]);
        self.weigh(pelvis, DVec3::Z * 0.04, 0.142);
        pelvis
    }

    /// Hip, knee and ankle; the toes are children of the ankle.
    fn leg(&mut self, side: &Side, pelvis: usize) -> [usize; 3] {
        let Side { name, sign } = *side;
        // Flexion 120° and extension 20° make a cone about 50°; abduction 45° and adduction 20° lean it outward.
        let toward = turn(DVec3::X, 10.0 * sign) * (turn(DVec3::Y, -50.0) * DVec3::NEG_Z);
        let cone = Cone {
            axis: DVec3::NEG_Z,
            middle: shortest_rotation(DVec3::NEG_Z, toward),
            swing_deg: 70.0,
            twist_deg: [-45.0, 45.0],
        };
        let at = DVec3::Y * HIP_ASIDE * sign;
        let hip = self.ball(format!("{name} hip"), (pelvis, at), &cone, turn(DVec3::Y, -8.0));
        let thigh = DVec3::NEG_Z * LEG[0];
        self.part(hip, [DVec3::NEG_Z * 0.02, thigh], [0.072, 0.046]);
        self.weigh(hip, thigh * 0.433, 0.100);
        let knee = self.hinge(format!("{name} knee"), (hip, thigh), DVec3::Y, [0.0, 140.0, 16.0]);
        let shank = DVec3::NEG_Z * LEG[1];
        self.part(knee, [DVec3::ZERO, shank], [0.046, 0.027]);
        self.weigh(knee, shank * 0.433, 0.0465);
        // Plantar flexion 50°, dorsiflexion 38° under weight; inversion 35°, eversion 25°.
        let cone = Cone {
            axis: DVec3::X,
            middle: turn(DVec3::Y, 6.0),
            swing_deg: 44.0,
            twist_deg: if sign > 0.0 { [-35.0, 25.0] } else { [-25.0, 35.0] },
        };
        let ankle = self.ball(format!("{name} ankle"), (knee, shank), &cone, turn(DVec3::Y, -8.0));
        let ball = DVec3::new(FOOT * 0.5, 0.0, 0.016 - ANKLE);
        self.part(ankle, [DVec3::new(-0.04, 0.0, 0.026 - ANKLE), ball], [0.026, 0.016]);
        self.part(ankle, [DVec3::ZERO, ball], [0.027, 0.016]);
        self.weigh(ankle, DVec3::new(FOOT * 0.27, 0.0, 0.03 - ANKLE), 0.0145);
        let toes = self.hinge(format!("{name} toes"), (ankle, ball), DVec3::Y, [-70.0, 40.0, 0.0]);
        self.part(toes, [DVec3::ZERO, DVec3::X * FOOT * 0.23], [0.016, 0.012]);
        [hip, knee, ankle]
    }

    /// Five balls; neck and arms are children of the last one.
    fn spine(&mut self, pelvis: usize) -> usize {
        // Together: flexion 80°, extension 25°, to the side 35° (here the swing of the cone), rotation 45°.
        let cone = Cone {
            axis: DVec3::Z,
            middle: turn(DVec3::Y, 5.5),
            swing_deg: 10.5,
            twist_deg: [-9.0, 9.0],
        };
        const RADII: [f64; 6] = [0.08, 0.082, 0.09, 0.098, 0.1, 0.085];
        let (mut last, mut at) = (pelvis, DVec3::Z * 0.10);
        for k in 0..5 {
            last = self.ball(format!("spine {}", k + 1), (last, at), &cone, DQuat::IDENTITY);
            at = DVec3::Z * 0.085;
            self.part(
                last,
                [DVec3::ZERO, if k < 4 { at } else { DVec3::Z * 0.03 }],
                [RADII[k], RADII[k + 1]],
            );
            self.weigh(last, at * 0.5, 0.355 / 5.0);
        }
        last
    }

    fn head(&mut self, chest: usize) -> usize {
        // Two joints of the neck and one of the head: together 45° in each direction and 75° of rotation.
        let cone = Cone {
            axis: DVec3::Z,
            middle: DQuat::IDENTITY,
            swing_deg: 15.0,
            twist_deg: [-25.0, 25.0],
        };
        let stand = DQuat::IDENTITY;
        let lower = self.ball("lower neck".to_owned(), (chest, DVec3::Z * 0.10), &cone, stand);
        let upper = self.ball("upper neck".to_owned(), (lower, DVec3::Z * 0.05), &cone, stand);
        let head = self.ball("head".to_owned(), (upper, DVec3::Z * 0.04), &cone, stand);
        self.part(lower, [DVec3::NEG_Z * 0.02, DVec3::Z * 0.05], [0.05, 0.046]);
        self.part(upper, [DVec3::ZERO, DVec3::Z * 0.05], [0.046, 0.046]);
        self.part(head, [DVec3::new(0.035, 0.0, 0.03), DVec3::new(0.02, 0.0, 0.1)], [0.066, 0.088]);
        self.weigh(head, DVec3::new(0.02, 0.0, 0.06), 0.081);
        head
    }

    /// Shoulder, elbow and wrist, on a collar bone, with a rotating forearm and a hand.
    fn arm(&mut self, side: &Side, chest: usize) -> [usize; 3] {
        let Side { name, sign } = *side;
        let down = DVec3::NEG_Z;
        let cone = Cone {
            axis: DVec3::Y * sign,
            middle: DQuat::IDENTITY,
            swing_deg: 18.0,
            twist_deg: [-20.0, 20.0],
        };
        let at = DVec3::new(0.02, 0.025 * sign, SHOULDER - (HIP + 0.10 + 4.0 * 0.085));
        let collar = self.ball(format!("{name} collar"), (chest, at), &cone, DQuat::IDENTITY);
        let aside = DVec3::Y * COLLAR * sign;
        self.part(collar, [DVec3::ZERO, aside], [0.05, 0.046]);
        // Up to 180° forward and aside, 50° back: a cone about a direction that points forward, outward and down.
        let toward = DVec3::new(0.55, 0.65 * sign, -0.25);
        let cone = Cone {
            axis: down,
            middle: shortest_rotation(down, toward.normalize_or(down)),
            swing_deg: 105.0,
            twist_deg: [-90.0, 90.0],
        };
        let standing = turn(DVec3::X, 8.0 * sign);
        let shoulder = self.ball(format!("{name} shoulder"), (collar, aside), &cone, standing);
        let upper = down * ARM[0];
        self.part(shoulder, [DVec3::ZERO, upper], [0.044, 0.032]);
        self.weigh(shoulder, upper * 0.436, 0.028);
        let elbow = self.hinge(
            format!("{name} elbow"),
            (shoulder, upper),
            DVec3::NEG_Y,
            [0.0, 150.0, 16.0],
        );
        let half = down * ARM[1] * 0.5;
        let forearm =
            self.hinge(format!("{name} forearm"), (elbow, half), down, [-85.0, 85.0, 0.0]);
        self.part(elbow, [DVec3::ZERO, half * 2.0], [0.033, 0.021]);
        self.weigh(elbow, half * 0.86, 0.016);
        // Flexion 80°, extension 70°, but only 20° and 35° to the sides: a cone between these.
        let cone =
            Cone { axis: down, middle: DQuat::IDENTITY, swing_deg: 60.0, twist_deg: [-8.0, 8.0] };
        let wrist = self.ball(format!("{name} wrist"), (forearm, half), &cone, DQuat::IDENTITY);
        self.hand(side, wrist);
        [shoulder, elbow, wrist]
    }

    /// Four fingers of three hinges and a thumb of a ball and two.
    fn hand(&mut self, side: &Side, wrist: usize) {
        let Side { name, sign } = *side;
        let down = DVec3::NEG_Z;
        self.part(
            wrist,
            [DVec3::new(0.006, 0.0, -0.012), DVec3::new(0.014, 0.0, -0.075)],
            [0.02, 0.019],
        );
        self.part(
            wrist,
            [DVec3::new(-0.006, 0.0, -0.012), DVec3::new(-0.014, 0.0, -0.072)],
            [0.02, 0.018],
        );
        self.weigh(wrist, down * HAND * 0.506, 0.006);
        // The base of a finger, towards the thumb and from the wrist, and the lengths of its bones \[m\].
        let fingers = [
            ("index", 0.026, 0.090, 1.0),
            ("middle", 0.009, 0.093, 1.06),
            ("ring", -0.009, 0.089, 1.0),
            ("little", -0.026, 0.082, 0.82),
        ];
        for (finger, aside, from, long) in fingers {
            let (mut last, mut at) = (wrist, DVec3::new(aside, 0.0, -from));
            for (k, (most, length)) in
                [(90.0, 0.042), (100.0, 0.027), (80.0, 0.022)].into_iter().enumerate()
            {
                let about = DVec3::NEG_X * sign;
                last = self.hinge(
                    format!("{name} {finger} {}", k + 1),
                    (last, at),
                    about,
                    [0.0, most, 0.2 * most],
                );
                at = down * length * long;
                self.part(last, [DVec3::ZERO, at], [0.009, 0.0075]);
                self.fingers.push((last, most.to_radians()));
            }
        }
        let cone = Cone {
            axis: down,
            middle: turn(DVec3::Y, -35.0),
            swing_deg: 35.0,
            twist_deg: [-20.0, 20.0],
        };
        let root = DVec3::new(0.018, -0.006 * sign, -0.025);
        let thumb =
            self.ball(format!("{name} thumb 1"), (wrist, root), &cone, turn(DVec3::Y, -35.0));
        let (mut last, mut at) = (thumb, down * 0.042);
        self.part(thumb, [DVec3::ZERO, at], [0.013, 0.01]);
        for (k, (most, length)) in [(50.0, 0.03), (80.0, 0.025)].into_iter().enumerate() {
            let about = DVec3::NEG_X * sign;
            last = self.hinge(
                format!("{name} thumb {}", k + 2),
                (last, at),
                about,
                [0.0, most, 0.2 * most],
            );
            at = down * length;
            self.part(last, [DVec3::ZERO, at], [0.01, 0.008]);
            self.fingers.push((last, 0.6 * most.to_radians()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stands_on_both_feet_with_its_head_up() {
        let figure = Humanoid::try_new().unwrap();
        let Humanoid { skeleton, start, .. } = &figure;
        assert!((55..=65).contains(&skeleton.n_joints()), "{} joints", skeleton.n_joints());
        assert!(skeleton.check(start).is_ok(), "one value for each");
        assert!(skeleton.within_limits(start, 0.0), "inside the limits");
        let poses = skeleton.poses(start);
        for sole in &figure.soles {
            let world = sole.world(&poses);
            assert!(world.translation.z.abs() < 1e-12, "on the ground: {world:?}");
            assert!((world.rotation * DVec3::Z).z > 1.0 - 1e-12, "flat: {world:?}");
        }
        let eyes = figure.eyes.world(&poses);
        let height = eyes.translation.z / STATURE;
        assert!((height - 0.936).abs() < 0.01, "eyes at 0.936 of the stature, not {height}");
        assert!((eyes.rotation * DVec3::X).x > 1.0 - 1e-12, "looks ahead");
        assert!(start[2] < HIP && start[2] > HIP - 0.02, "knees slightly bent");
    }

    #[test]
    fn it_weighs_what_it_should_over_its_feet() {
        let figure = Humanoid::try_new().unwrap();
        let weight: f64 = figure.bodies.iter().map(|body| body.mass).sum();
        assert!((weight - WEIGHT).abs() < 1e-2 * WEIGHT, "{weight} kg");
        let center =
            posekit::task::center_of_mass(&figure.bodies, &figure.skeleton.poses(&figure.start));
        assert!(center.y.abs() < 1e-9, "in the middle: {center}");
        assert!(center.x.abs() < 0.08, "over the feet: {center}");
        assert!((0.52..0.60).contains(&(center.z / STATURE)), "{center}");
    }
}
