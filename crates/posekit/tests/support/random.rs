//! Random figures, poses of them, and tasks of every kind that a pose satisfies.

use super::Rng;
use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, rotation_about, so3_exp};
use posekit::skeleton::{Frame, Joint, JointKind, Limit, Skeleton};
use posekit::task::{
    Axes, AxisAlignment, Body, Capsule, CenterOfMass, Clearance, Closure, Distance, FramePose,
    Link, LookAt, Orientation, Plane, Pole, Position, Posture, RelativePose, Support, Task,
    center_of_mass,
};

/// How many kinds of tasks [`Figure::task`] makes.
pub(crate) const N_KINDS: usize = 14;

/// What a random figure may have.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Traits {
    /// Limits on hinges, balls and slides.
    pub(crate) limits: bool,
    /// Some of the joints slide.
    pub(crate) slides: bool,
    /// A root that moves and turns freely.
    pub(crate) floats: bool,
}

/// A tree of joints with some tips.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    pub(crate) skeleton: Skeleton,
    pub(crate) tips: Vec<Frame>,
    /// Length of the longest way from the first joint to a tip, slides drawn out.
    pub(crate) reach: f64,
}

fn range(rng: &mut Rng) -> Limit {
    let (middle, half) = (rng.between(-1.0, 1.0), rng.between(0.3, 2.0));
    Limit::Range { min: middle - half, max: middle + half }
}

fn joint(rng: &mut Rng, name: String, traits: Traits, bone: DVec3) -> Joint {
    match rng.whole(0, if traits.slides { 5 } else { 4 }) {
        0..=2 => {
            let hinge = Joint::revolute(name, rng.direction());
            if traits.limits { hinge.with_limit(range(rng)) } else { hinge }
        }
        3 | 4 => {
            let (swing, middle) = (rng.between(0.3, 2.0), rng.between(-1.0, 1.0));
            let half = rng.between(0.2, 1.5);
            let twist = [middle - half, middle + half];
            let cone = Limit::Cone { axis: bone.normalize_or(DVec3::X), swing, twist };
            if traits.limits { Joint::ball(name).with_limit(cone) } else { Joint::ball(name) }
        }
        _ => {
            let min = rng.between(-0.5, 0.0);
            let limit = Limit::Range { min, max: min + rng.between(0.1, 1.0) };
            Joint::prismatic(name, rng.direction()).with_limit(limit)
        }
    }
}

impl Figure {
    /// A stem of one to three bones and one to three branches of two to five.
    pub(crate) fn random(rng: &mut Rng, traits: Traits) -> Self {
        let mut builder = Skeleton::builder();
        let (mut tips, mut reach) = (Vec::new(), 0.0);
        let mut at: Option<(usize, DVec3, f64)> = None;
        let mut grow = |rng: &mut Rng, at: Option<(usize, DVec3, f64)>, name: String| {
            let bone = rng.direction() * rng.between(0.2, 1.0);
            let mut made = joint(rng, name, traits, bone);
            let slide = if matches!(made.kind, JointKind::Prismatic { .. }) { 1.0 } else { 0.0 };
            let mut far = bone.length() + slide;
            if let Some((parent, bone, length)) = at {
                let placement = Pose { rotation: rng.rotation(), translation: bone };
                made = made.child_of(parent).at(placement);
                far += length;
            } else if traits.floats {
                made = Joint::free("root");
            }
            (builder.add(made), bone, far)
        };
        for i in 0..rng.whole(1, 3) + usize::from(traits.floats) {
            at = Some(grow(rng, at, format!("stem {i}")));
        }
        for branch in 0..rng.whole(1, 3) {
            let mut end = at;
            for i in 0..rng.whole(2, 5) {
                end = Some(grow(rng, end, format!("branch {branch}, {i}")));
            }
            if let Some((joint, bone, length)) = end {
                tips.push(Frame::new(joint, Pose::from_translation(bone)));
                reach = f64::max(reach, length);
            }
        }
        Self { skeleton: builder.build().expect("the joints are valid"), tips, reach }
    }

    /// A pose inside the limits.
    pub(crate) fn pose(&self, rng: &mut Rng) -> Vec<f64> {
        let skeleton = &self.skeleton;
        let mut q = skeleton.neutral();
        for i in 0..skeleton.n_joints() {
            let place = &mut q[skeleton.value_range(i)];
            match (skeleton.kind(i), skeleton.limit(i)) {
                (_, Limit::Range { min, max }) => {
                    // An open end is ten radians, or metres, from the other or from zero.
                    let low = if min.is_finite() { min } else { max.min(10.0) - 10.0 };
                    let high = if max.is_finite() { max } else { low.max(0.0) + 10.0 };
                    place[0] = rng.between(low.max(min), high.min(max));
                }
                (JointKind::Prismatic { .. }, _) => place[0] = rng.between(-1.0, 1.0) * self.reach,
                (_, Limit::Cone { axis, swing, twist }) => {
                    let across =
                        axis.cross(rng.direction()).normalize_or(axis.any_orthonormal_vector());
                    let swing = rotation_about(across, rng.between(0.0, swing));
                    let twist = rotation_about(axis, rng.between(twist[0], twist[1]));
                    (swing * twist).write_to_slice(place);
                }
                (JointKind::Revolute { .. }, _) => place[0] = rng.angle(),
                (JointKind::Ball, _) => rng.rotation().write_to_slice(place),
                (JointKind::Free, _) => {
                    (rng.direction() * rng.between(0.0, self.reach)).write_to_slice(place);
                    rng.rotation().write_to_slice(&mut place[3..]);
                }
                _ => {}
            }
        }
        skeleton.settle(&mut q);
        skeleton.clamp(&mut q);
        q
    }

    /// A pose near another one: every degree of freedom differs by up to so much.
    pub(crate) fn pose_near(&self, rng: &mut Rng, q: &[f64], by: f64) -> Vec<f64> {
        let v: Vec<f64> = (0..self.skeleton.n_dofs()).map(|_| rng.between(-by, by)).collect();
        let mut out = q.to_vec();
        self.skeleton.integrate(q, &v, &mut out);
        self.skeleton.clamp(&mut out);
        out
    }

    /// Any tip, or now and then another joint.
    fn frame(&self, rng: &mut Rng) -> Frame {
        if rng.whole(0, 3) > 0 {
            return self.tips[rng.whole(0, self.tips.len() - 1)];
        }
        let joint = rng.whole(1, self.skeleton.n_joints().max(2) - 1) % self.skeleton.n_joints();
        let offset = rng.direction() * rng.between(0.05, 0.3);
        Frame::new(joint, Pose { rotation: rng.rotation(), translation: offset })
    }

    /// Two frames on different joints, or on the first one where there are none.
    fn frames(&self, rng: &mut Rng) -> [Frame; 2] {
        for _ in 0..100 {
            let frames = [self.frame(rng), self.frame(rng)];
            if frames[0].joint != frames[1].joint {
                return frames;
            }
        }
        [self.frame(rng), self.skeleton.frame(0)]
    }

    /// Every joint weighs something.
    pub(crate) fn bodies(&self, rng: &mut Rng) -> Vec<Body> {
        let body = |joint| Body {
            joint,
            center_in_joint: rng.direction() * rng.between(0.0, 0.3),
            mass: rng.between(0.1, 3.0),
        };
        (0..self.skeleton.n_joints()).map(body).collect()
    }

    /// A task of a kind, from 0 to [`N_KINDS`], that a pose satisfies.
    pub(crate) fn task(&self, rng: &mut Rng, kind: usize, q: &[f64]) -> Task {
        let poses = self.skeleton.poses(q);
        let (frame, frames) = (self.frame(rng), self.frames(rng));
        let at = frame.world(&poses);
        let [a, b] = frames.map(|frame| frame.world(&poses));
        let (axis, point) = (rng.direction(), at.translation);
        match kind {
            0 => Position::new(frame, point).into(),
            1 => Orientation::new(frame, at.rotation).into(),
            2 => FramePose::new(frame, at).along(some_axes(rng)).into(),
            3 => {
                let far = rng.between(0.3, 2.0) * self.reach;
                LookAt::new(frame, axis, point + at.rotation * axis * far).into()
            }
            4 => AxisAlignment::new(frame, axis, at.rotation * axis).into(),
            5 => {
                let plane = Plane::new(frame, point + axis.any_orthonormal_vector(), axis);
                if rng.whole(0, 1) == 0 { plane.one_sided() } else { plane }.into()
            }
            6 => {
                let (far, below) = (a.translation.distance(b.translation), rng.between(0.5, 1.0));
                match rng.whole(0, 2) {
                    0 => Distance::new(frames, far),
                    1 => Distance::between(frames, below * far, far),
                    _ => Distance::between(frames, 0.0, far),
                }
                .into()
            }
            7 => RelativePose::new(frames, a.inverse() * b).along(some_axes(rng)).into(),
            8 => self.closure(rng, frames, &poses),
            9 => {
                let bodies = self.bodies(rng);
                let at = center_of_mass(&bodies, &poses);
                let axes = [true, rng.whole(0, 1) == 0, rng.whole(0, 1) == 0];
                CenterOfMass::new(bodies, at).along(axes).into()
            }
            10 => {
                let bodies = self.bodies(rng);
                let at = center_of_mass(&bodies, &poses);
                let half = rng.between(0.05, 0.3) * self.reach;
                let corners: Vec<DVec3> =
                    (0..6).map(|_| at + rng.direction() * half).chain([at]).collect();
                let support = Support::try_new(bodies, &corners, DVec3::Z, 0.0);
                support.expect("the corners are finite").into()
            }
            11 => self.clearance(rng, frames, &poses),
            12 => {
                let mid = rng.direction() * rng.between(0.1, 0.5) * self.reach;
                let [along, out] = [rng.between(-1.0, 1.0), rng.between(0.2, 3.0)];
                let line = b.translation - a.translation;
                let pole = a.translation + line * along + a.rotation * mid * out;
                Pole::new(frames[0], mid, frames[1], pole).into()
            }
            _ => Posture::new(q).into(),
        }
    }

    /// The second frame moved to where the first one is, and held there.
    fn closure(&self, rng: &mut Rng, [a, b]: [Frame; 2], poses: &[Pose]) -> Task {
        let met = Frame::new(b.joint, poses[b.joint].inverse() * a.world(poses));
        let axis = rng.direction();
        let link = match rng.whole(0, 2) {
            0 => Link::Ball,
            1 => Link::Hinge([axis; 2]),
            _ => Link::Weld,
        };
        Closure::new([a, met], link).into()
    }

    /// Capsules around two frames that keep at least half of the gap that they have.
    fn clearance(&self, rng: &mut Rng, [a, b]: [Frame; 2], poses: &[Pose]) -> Task {
        let ends = |frame: Frame| [frame.joint_from_frame.translation; 2];
        let other = if rng.whole(0, 1) == 0 {
            Capsule::obstacle(b.world(poses).translation, 0.0)
        } else {
            Capsule::on_joint(b.joint, ends(b), 0.0)
        };
        let far = a.world(poses).translation.distance(b.world(poses).translation);
        let [one, other] = [Capsule::on_joint(a.joint, ends(a), 0.0), other];
        let capsules = [one, other].map(|capsule| Capsule { radius: 0.2 * far, ..capsule });
        Clearance::new(capsules, 0.1 * far).into()
    }
}

fn some_axes(rng: &mut Rng) -> Axes {
    match rng.whole(0, 3) {
        0 => Axes::ALL,
        1 => Axes::ALL.without_rotation_about_z(),
        2 => Axes::ALONG,
        _ => Axes { along: [true, false, true], about: [false, true, false] },
    }
}

/// A rotation by a given angle about any axis.
pub(crate) fn turn(rng: &mut Rng, angle: f64) -> DQuat {
    so3_exp(rng.direction() * angle)
}
