//! Sound clips with faults of known size put into them, as retargeting, capture and export leave them.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]
#![allow(clippy::cast_possible_truncation, reason = "counts of frames of test clips are small")]
#![allow(dead_code, reason = "every suite uses a part of it")]

use core::fmt;

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, rotation_about, shortest_rotation};
use posekit::skeleton::{Joint, JointKind, Skeleton};
use posekit_motion::{Clip, Leg};

/// A leg of this length is what centimetres and millimetres below speak of \[m\].
pub(crate) const LEG: f64 = 0.85;

/// A fault to put into a clip. Lengths are those of a figure with legs of [`LEG`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Injury {
    /// Nothing.
    None,
    /// The path of the root along the floor, times this: every planted foot slides along.
    RootScale(f64),
    /// Thighs and shins times this, rotations as they were; the root's height above the floor times this, too, as retargeting does.
    Legs(f64),
    /// The same with the root where it was: feet go through the floor or float.
    LegsAlone(f64),
    /// A steady drift \[cm/s\].
    Drift(f64),
    /// The root off by as much in every frame, in all directions: the standard deviation \[mm\].
    Noise(f64),
    /// All turned about a level axis \[degrees\], up as before.
    Tilt(f64),
    /// All lifted \[cm\].
    Lift(f64),
    /// The root stays over one point of the floor.
    InPlace,
    /// Sampled at this rate \[Hz\].
    Rate(f64),
    /// This part of the frames is lost, the frame before standing in.
    Dropped(f64),
    /// Left and right changed places, by x with its sign changed.
    Mirrored,
    /// Turned so that +z is up.
    UpZ,
    /// In a unit of this many of the old ones.
    Unit(f64),
}

impl fmt::Display for Injury {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => write!(f, "none"),
            Self::RootScale(scale) => write!(f, "root path x{scale}"),
            Self::Legs(scale) => write!(f, "legs x{scale}"),
            Self::LegsAlone(scale) => write!(f, "legs x{scale}, root not"),
            Self::Drift(speed) => write!(f, "drift {speed} cm/s"),
            Self::Noise(size) => write!(f, "noise {size} mm"),
            Self::Tilt(angle) => write!(f, "tilt {angle} deg"),
            Self::Lift(height) => write!(f, "lift {height} cm"),
            Self::InPlace => write!(f, "in place"),
            Self::Rate(rate) => write!(f, "{rate} Hz"),
            Self::Dropped(part) => write!(f, "{} % dropped", part * 100.0),
            Self::Mirrored => write!(f, "mirrored"),
            Self::UpZ => write!(f, "z up"),
            Self::Unit(unit) => write!(f, "unit x{unit}"),
        }
    }
}

/// Every injury at every level that is measured.
pub(crate) fn all() -> Vec<Injury> {
    use Injury::{
        Drift, Dropped, InPlace, Legs, LegsAlone, Lift, Mirrored, Noise, Rate, RootScale, Tilt,
        Unit, UpZ,
    };
    let mut all = vec![Injury::None];
    all.extend([0.8, 1.05, 1.1, 1.2, 1.3, 1.5].map(RootScale));
    all.extend([0.8, 0.9, 1.1, 1.25].map(Legs));
    all.extend([0.8, 0.9, 1.1, 1.25].map(LegsAlone));
    all.extend([2.0, 5.0, 10.0].map(Drift));
    all.extend([1.0, 2.0, 5.0].map(Noise));
    all.extend([2.0, 5.0].map(Tilt));
    all.extend([-5.0, 5.0].map(Lift));
    all.push(InPlace);
    all.extend([24.0, 30.0, 60.0, 120.0].map(Rate));
    all.extend([0.02, 0.05].map(Dropped));
    all.extend([Mirrored, UpZ]);
    all.extend([100.0, 1.0 / 0.0254].map(Unit));
    all
}

/// The clip with the fault.
///
/// - `legs`: its legs
pub(crate) fn injure(clip: &Clip, legs: &[Leg], injury: Injury) -> Clip {
    let lengths = legs.iter().map(|leg| leg.limb.length(clip.skeleton()));
    let metre = lengths.sum::<f64>() / legs.len() as f64 / LEG;
    let up = clip.up();
    let level = |v: DVec3| v - up * v.dot(up);
    let first = root(clip, 0);
    match injury {
        Injury::None => clip.clone(),
        Injury::RootScale(scale) => moved(clip, |_, p| p + level(p - first) * (scale - 1.0)),
        Injury::Legs(scale) => {
            let floor = lowest(clip, legs);
            let lifted = moved(clip, |_, p| p + up * (p.dot(up) - floor) * (scale - 1.0));
            with_legs(&lifted, legs, scale)
        }
        Injury::LegsAlone(scale) => with_legs(clip, legs, scale),
        Injury::Drift(speed) => {
            let along = level(DVec3::new(0.6, 0.48, 0.64)) * (speed / 100.0 * metre);
            moved(clip, |frame, p| p + along * (clip.frame_time() * frame as f64))
        }
        Injury::Noise(size) => {
            let mut noise = Noise(7);
            moved(clip, |_, p| p + noise.vector() * (size / 1000.0 * metre))
        }
        Injury::Tilt(angle) => {
            let axis = level(DVec3::new(0.8, 0.36, 0.48));
            turned(clip, rotation_about(axis / axis.length(), angle.to_radians()))
        }
        Injury::Lift(height) => moved(clip, |_, p| p + up * (height / 100.0 * metre)),
        Injury::InPlace => moved(clip, |_, p| p - level(p - first)),
        Injury::Rate(rate) => resampled(clip, rate),
        Injury::Dropped(part) => dropped(clip, part),
        Injury::Mirrored => mirrored(clip),
        Injury::UpZ => turned(clip, shortest_rotation(up, DVec3::Z)).with_up(DVec3::Z).unwrap(),
        Injury::Unit(unit) => scaled(clip, unit),
    }
}

/// Where the root is in a frame, in the world.
fn root(clip: &Clip, frame: usize) -> DVec3 {
    let poses = clip.skeleton().poses(clip.frame(frame));
    poses[root_joint(clip)].translation
}

/// The joint that carries the figure about.
fn root_joint(clip: &Clip) -> usize {
    let skeleton = clip.skeleton();
    (0..skeleton.n_joints()).find(|&joint| skeleton.kind(joint) == JointKind::Free).unwrap()
}

/// The clip with the root elsewhere: `to` says where, from the frame and where it was.
fn moved(clip: &Clip, mut to: impl FnMut(usize, DVec3) -> DVec3) -> Clip {
    let skeleton = clip.skeleton();
    let joint = root_joint(clip);
    assert_eq!(skeleton.parent(joint), None, "a root hangs on nothing");
    let world_from_rest = skeleton.parent_from_joint(joint);
    let start = skeleton.value_range(joint).start;
    let mut values = clip.values().to_vec();
    for (frame, q) in values.chunks_mut(skeleton.n_values()).enumerate() {
        let p = DVec3::new(q[start], q[start + 1], q[start + 2]);
        let place = world_from_rest
            .inverse()
            .transform_point(to(frame, world_from_rest.transform_point(p)));
        q[start..start + 3].copy_from_slice(&place.to_array());
    }
    clip.with_values(values).unwrap()
}

/// The clip turned about the origin, up as before.
fn turned(clip: &Clip, turn: DQuat) -> Clip {
    let skeleton = clip.skeleton();
    let joint = root_joint(clip);
    let rest = skeleton.parent_from_joint(joint);
    let range = skeleton.value_range(joint);
    let mut values = clip.values().to_vec();
    for q in values.chunks_mut(skeleton.n_values()) {
        let q = &mut q[range.clone()];
        let motion = Pose {
            translation: DVec3::new(q[0], q[1], q[2]),
            rotation: DQuat::from_xyzw(q[3], q[4], q[5], q[6]),
        };
        let turned = rest.inverse() * (Pose::from_rotation(turn) * (rest * motion));
        q[..3].copy_from_slice(&turned.translation.to_array());
        q[3..].copy_from_slice(&turned.rotation.to_array());
    }
    clip.with_values(values).unwrap()
}

/// A skeleton with its joints changed, frames as they are.
fn rebuilt(clip: &Clip, mut change: impl FnMut(usize, Joint) -> Joint) -> Clip {
    let skeleton = clip.skeleton();
    let joints = (0..skeleton.n_joints()).map(|joint| {
        let name = skeleton.name(joint).to_owned();
        let made = match skeleton.kind(joint) {
            JointKind::Fixed => Joint::fixed(name),
            JointKind::Revolute { axis } => Joint::revolute(name, axis),
            JointKind::Prismatic { axis } => Joint::prismatic(name, axis),
            JointKind::Ball => Joint::ball(name),
            JointKind::Free => Joint::free(name),
        };
        let made = made.at(skeleton.parent_from_joint(joint));
        change(joint, skeleton.parent(joint).map_or(made.clone(), |parent| made.child_of(parent)))
    });
    let built = Skeleton::try_new(joints.collect()).unwrap();
    let made = Clip::try_new(built, clip.frame_time(), clip.values().to_vec()).unwrap();
    made.with_up(clip.up())
        .unwrap()
        .with_start(clip.start())
        .with_metres_per_unit(clip.metres_per_unit())
}

/// Longer or shorter thighs and shins.
fn with_legs(clip: &Clip, legs: &[Leg], scale: f64) -> Clip {
    let skeleton = clip.skeleton();
    let mut is_bone = vec![false; skeleton.n_joints()];
    for leg in legs {
        let inside = skeleton.ancestors(leg.limb.end).skip(1).take_while(|j| *j >= leg.limb.start);
        inside.for_each(|joint| is_bone[joint] = true);
    }
    rebuilt(clip, |joint, made| {
        let placement = skeleton.parent_from_joint(joint);
        let is_on_bone = skeleton.parent(joint).is_some_and(|parent| is_bone[parent]);
        let factor = if is_on_bone { scale } else { 1.0 };
        made.at(Pose { translation: placement.translation * factor, ..placement })
    })
}

/// The height of the lowest ankle of all frames.
fn lowest(clip: &Clip, legs: &[Leg]) -> f64 {
    let n = clip.skeleton().n_joints();
    let heights = clip.poses();
    let heights = heights.chunks(n).flat_map(|poses| {
        legs.iter().map(|leg| poses[leg.limb.end].translation.dot(clip.up())).collect::<Vec<_>>()
    });
    heights.fold(f64::INFINITY, f64::min)
}

fn resampled(clip: &Clip, rate: f64) -> Clip {
    let n_values = clip.skeleton().n_values();
    let n = (clip.duration() * rate + 1e-9).floor() as usize + 1;
    let mut values = vec![0.0; n * n_values];
    for (frame, q) in values.chunks_mut(n_values).enumerate() {
        clip.sample(clip.start() + frame as f64 / rate, q);
    }
    let made = Clip::try_new(clip.skeleton().clone(), 1.0 / rate, values).unwrap();
    made.with_up(clip.up())
        .unwrap()
        .with_start(clip.start())
        .with_metres_per_unit(clip.metres_per_unit())
}

fn dropped(clip: &Clip, part: f64) -> Clip {
    let n = clip.skeleton().n_values();
    let mut noise = Noise(11);
    let mut values = clip.values().to_vec();
    for frame in 1..clip.n_frames() {
        if noise.uniform() < part {
            values.copy_within((frame - 1) * n..frame * n, frame * n);
        }
    }
    clip.with_values(values).unwrap()
}

/// The clip in a mirror: x with its sign changed, of the figure, too. Joints keep their names, so that who asks for legs by name finds those of the other side.
pub(crate) fn mirrored(clip: &Clip) -> Clip {
    let vector = |v: DVec3| DVec3::new(-v.x, v.y, v.z);
    let quaternion = |q: DQuat| DQuat::from_xyzw(q.x, -q.y, -q.z, q.w);
    let skeleton = clip.skeleton();
    let mirror = rebuilt(clip, |joint, made| {
        let Pose { rotation, translation } = skeleton.parent_from_joint(joint);
        made.at(Pose { rotation: quaternion(rotation), translation: vector(translation) })
    });
    let mut values = clip.values().to_vec();
    for q in values.chunks_mut(skeleton.n_values()) {
        for joint in 0..skeleton.n_joints() {
            let q = &mut q[skeleton.value_range(joint)];
            let turn = match skeleton.kind(joint) {
                JointKind::Ball => q,
                JointKind::Free => {
                    q[0] = -q[0];
                    &mut q[3..]
                }
                JointKind::Fixed => continue,
                // An axis off a coordinate axis would need the axis mirrored; no file of the set has one.
                JointKind::Revolute { axis } => {
                    q[0] = if axis.x == 0.0 { -q[0] } else { q[0] };
                    continue;
                }
                JointKind::Prismatic { axis } => {
                    q[0] = if axis.x == 0.0 { q[0] } else { -q[0] };
                    continue;
                }
            };
            let mirrored = quaternion(DQuat::from_xyzw(turn[0], turn[1], turn[2], turn[3]));
            turn.copy_from_slice(&mirrored.to_array());
        }
    }
    mirror.with_up(vector(clip.up())).unwrap().with_values(values).unwrap()
}

/// All lengths in another unit.
fn scaled(clip: &Clip, unit: f64) -> Clip {
    let skeleton = clip.skeleton();
    let made = rebuilt(clip, |joint, made| {
        let placement = skeleton.parent_from_joint(joint);
        made.at(Pose { translation: placement.translation / unit, ..placement })
    });
    let mut values = clip.values().to_vec();
    for q in values.chunks_mut(skeleton.n_values()) {
        for joint in 0..skeleton.n_joints() {
            let range = skeleton.value_range(joint);
            let n_lengths = match skeleton.kind(joint) {
                JointKind::Free => 3,
                JointKind::Prismatic { .. } => 1,
                JointKind::Fixed | JointKind::Revolute { .. } | JointKind::Ball => 0,
            };
            q[range].iter_mut().take(n_lengths).for_each(|length| *length /= unit);
        }
    }
    made.with_values(values).unwrap().with_metres_per_unit(clip.metres_per_unit().map(|m| m * unit))
}

/// The clip from one frame to before another.
pub(crate) fn cut(clip: &Clip, frames: core::ops::Range<usize>) -> Clip {
    let n = clip.skeleton().n_values();
    clip.with_values(clip.values()[frames.start * n..frames.end * n].to_vec()).unwrap()
}

/// Numbers that look random, the same every time.
#[derive(Debug)]
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    /// Between 0 and 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// About normal, of standard deviation 1: twelve uniform numbers.
    pub(crate) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.normal(), self.normal(), self.normal())
    }
}
