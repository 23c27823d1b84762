//! What several suites share: numbers that are random and the same every time, and limbs made of them.
#![allow(dead_code, reason = "every suite uses a part of it")]

pub(crate) mod arms;
pub(crate) mod person;
pub(crate) mod problems;
pub(crate) mod random;
pub(crate) mod solved;

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, sin_cos};
use posekit::skeleton::{Frame, Joint, Skeleton};
use posekit::solve::{JointOptions, Method, Settings, Solution, Status};

/// Relative distance that counts as reached by default.
pub(crate) const TOLERANCE: f64 = 1e-6;

/// One option of each joint, from the first on: `joints(&[2.0; 3], JointOptions::with_stiffness)`.
pub(crate) fn joints(
    values: &[f64],
    with: fn(JointOptions, f64) -> JointOptions,
) -> Vec<JointOptions> {
    values.iter().map(|&value| with(JointOptions::default(), value)).collect()
}

/// The defaults, but these joints stay.
pub(crate) fn locking(joints: &[usize]) -> Settings {
    let mut settings = Settings::default();
    joints.iter().for_each(|&joint| settings.joint(joint).locked = true);
    settings
}

/// A small generator (splitmix64): the same numbers on every machine.
#[derive(Debug, Clone)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def0)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In 0..1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// In `low..=high`.
    pub(crate) fn whole(&mut self, low: usize, high: usize) -> usize {
        let span = (high - low + 1) as u64;
        low + usize::try_from(self.bits() % span).expect("less than a span that is a usize")
    }

    pub(crate) fn angle(&mut self) -> f64 {
        self.between(-core::f64::consts::PI, core::f64::consts::PI)
    }

    /// In `0..n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.whole(0, n - 1)
    }

    /// With components in `-half..half`.
    pub(crate) fn vector(&mut self, half: f64) -> DVec3 {
        DVec3::from_array([(); 3].map(|()| self.between(-half, half)))
    }

    /// With so many components in -1..1.
    pub(crate) fn vector_in(&mut self, dimension: usize) -> Vec<f64> {
        (0..dimension).map(|_| self.between(-1.0, 1.0)).collect()
    }

    /// A unit vector with so many components.
    pub(crate) fn direction_in(&mut self, dimension: usize) -> Vec<f64> {
        loop {
            let v = self.vector_in(dimension);
            let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            if (0.1..1.0).contains(&size) {
                return v.iter().map(|x| x / size).collect();
            }
        }
    }

    /// Evenly over the sphere.
    pub(crate) fn direction(&mut self) -> DVec3 {
        let z = self.between(-1.0, 1.0);
        let (s, c) = sin_cos(self.angle());
        let r = (1.0 - z * z).sqrt();
        DVec3::new(r * c, r * s, z)
    }

    /// Evenly over all rotations (Shoemake's three numbers).
    pub(crate) fn rotation(&mut self) -> DQuat {
        let u = self.unit();
        let (a, b) = (self.angle(), self.angle());
        let ((sa, ca), (sb, cb)) = (sin_cos(a), sin_cos(b));
        let (p, q) = ((1.0 - u).sqrt(), u.sqrt());
        DQuat::from_xyzw(p * sa, p * ca, q * sb, q * cb)
    }
}

/// Hinges about +z in the plane z = 0, the first at the origin, bones along their own x.
pub(crate) fn plane_limb(lengths: &[f64]) -> (Skeleton, Frame) {
    limb(lengths, |name| Joint::revolute(name, DVec3::Z))
}

/// Balls, the first at the origin, bones along their own x.
pub(crate) fn space_limb(lengths: &[f64]) -> (Skeleton, Frame) {
    limb(lengths, Joint::ball)
}

/// Joints of any one kind, bones along their own x.
pub(crate) fn limb(lengths: &[f64], joint: impl Fn(String) -> Joint) -> (Skeleton, Frame) {
    let mut builder = Skeleton::builder();
    for i in 0..lengths.len() {
        let joint = joint(format!("b{i}"));
        builder.add(match i.checked_sub(1) {
            None => joint,
            Some(parent) => {
                joint.child_of(parent).at(Pose::from_translation(DVec3::X * lengths[parent]))
            }
        });
    }
    let tip = Pose::from_translation(DVec3::X * lengths[lengths.len() - 1]);
    let frame = Frame::new(lengths.len() - 1, tip);
    (builder.build().expect("a limb of finite bones is valid"), frame)
}

/// Where the tip of a plane limb is, by the sum of its angles alone.
pub(crate) fn plane_tip(lengths: &[f64], angles: &[f64]) -> DVec3 {
    let (mut tip, mut angle) = (DVec3::ZERO, 0.0);
    for (length, own) in lengths.iter().zip(angles) {
        angle += own;
        let (s, c) = sin_cos(angle);
        tip += DVec3::new(c, s, 0.0) * *length;
    }
    tip
}

/// Where the tip of a limb of balls is, by the product of its quaternions alone.
pub(crate) fn space_tip(lengths: &[f64], rotations: &[f64]) -> DVec3 {
    let (mut tip, mut world) = (DVec3::ZERO, DQuat::IDENTITY);
    for (length, own) in lengths.iter().zip(rotations.chunks_exact(4)) {
        world *= DQuat::from_slice(own);
        tip += (world * DVec3::X) * *length;
    }
    tip
}

/// Smallest and largest distance that the tip of free bones can have from their root.
pub(crate) fn radii(lengths: &[f64]) -> (f64, f64) {
    let outer: f64 = lengths.iter().sum();
    let longest = lengths.iter().fold(0.0_f64, |a, b| a.max(*b));
    ((2.0 * longest - outer).max(0.0), outer)
}

/// Whether a solve came to what its method promises for a target in reach. One that is named runs itself to the end, which near full reach, and
/// along limits, may take more iterations than there are; it then says so.
pub(crate) fn ends_well(method: Method, solution: &Solution) -> bool {
    let runs_itself = matches!(method, Method::Ccd | Method::Fabrik | Method::Relaxation);
    solution.is_reached() || (runs_itself && solution.status == Status::IterationLimit)
}
