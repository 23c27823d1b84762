//! Arms of all kinds, and problems for them.
#![allow(dead_code, reason = "every suite uses a part of it")]

use crate::support::Rng;
use posekit::arm::{Arm, ArmSettings, ArmSolution, Prefer};
use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Limit, Mimic, Skeleton};

/// Problems of one arm, and their flat results.
pub(crate) struct Problems {
    pub(crate) skeleton: Skeleton,
    pub(crate) arm: Arm,
    pub(crate) targets: Vec<Pose>,
    pub(crate) starts: Vec<f64>,
}

/// Values and solutions, as their bits: infinities and signs of zeros count.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Results {
    pub(crate) values: Vec<u64>,
    pub(crate) solutions: Vec<ArmSolution>,
}

impl Results {
    pub(crate) fn new(values: &[f64], solutions: Vec<ArmSolution>) -> Self {
        Self { values: values.iter().map(|x| x.to_bits()).collect(), solutions }
    }
}

impl Problems {
    /// An arm of so many joints: hinges and slides, some without limits, some that mimic another, in any arrangement.
    pub(crate) fn random(rng: &mut Rng, n_joints: usize, n_targets: usize) -> Self {
        let mut joints = Vec::new();
        for i in 0..n_joints {
            let (axis, place) = (rng.direction(), Pose::new(rng.rotation(), rng.vector(0.4)));
            let name = format!("j{i}");
            let is_slide = rng.below(6) == 0;
            let joint = match is_slide {
                true => Joint::prismatic(name, axis),
                false => Joint::revolute(name, axis),
            };
            let joint = joint.at(place).with_limit(match rng.below(5) {
                _ if is_slide => Limit::Range { min: -0.3, max: rng.between(0.0, 0.5) },
                0 => Limit::None,
                1 => Limit::Range { min: -7.0, max: 6.0 },
                _ => Limit::Range { min: rng.between(-3.0, 0.0), max: rng.between(0.1, 3.0) },
            });
            let joint = if i == 0 { joint } else { joint.child_of(i - 1) };
            joints.push(match i >= 2 && rng.below(8) == 0 {
                true => joint.with_limit(Limit::None).with_mimic(Mimic {
                    joint: i - 2,
                    multiplier: rng.between(-1.0, 1.0),
                    offset: rng.between(-0.3, 0.3),
                }),
                false => joint,
            });
        }
        let skeleton = Skeleton::try_new(joints).expect("the joints are valid");
        let tool = Frame::new(n_joints - 1, Pose::new(rng.rotation(), rng.vector(0.2)));
        Self::of(skeleton, tool, rng, n_targets)
    }

    /// Targets of an arm: half of them in reach and within the limits, others near, far, or too large for their squares.
    pub(crate) fn of(skeleton: Skeleton, tool: Frame, rng: &mut Rng, n_targets: usize) -> Self {
        let arm = Arm::new(&skeleton, tool).expect("a serial arm");
        let (mut targets, mut starts) = (Vec::new(), Vec::new());
        for k in 0..n_targets {
            let q = configuration(&skeleton, rng);
            targets.push(match k % 16 {
                0..8 => arm.pose(&q).expect("a configuration"),
                8..13 => Pose::new(rng.rotation(), rng.vector(0.8)),
                13 => Pose::new(rng.rotation(), rng.vector(10.0)),
                14 => Pose::new(rng.rotation(), rng.vector(1e12)),
                _ => Pose::new(rng.rotation(), DVec3::new(1e200, rng.unit(), -1e300)),
            });
            // Every fourth start is the solution, moved a little, and every eighth has hinges that have turned many times.
            let mut start = if k % 4 == 0 { q } else { configuration(&skeleton, rng) };
            for x in &mut start {
                *x += if k % 4 == 0 { rng.between(-0.1, 0.1) } else { 0.0 };
                *x += if k % 8 == 5 { rng.between(-1e6, 1e6) } else { 0.0 };
            }
            starts.extend(start);
        }
        Self { skeleton, arm, targets, starts }
    }

    /// One solve after the other.
    pub(crate) fn one_by_one(&self, settings: &ArmSettings) -> Results {
        let mut values = self.starts.clone();
        let rows = self.targets.iter().zip(values.chunks_exact_mut(self.arm.n_values()));
        let solve = |(target, q): (&Pose, &mut [f64])| self.arm.solve(*target, q, settings);
        let solutions = rows.map(|row| solve(row).expect("valid input")).collect();
        Results::new(&values, solutions)
    }

    /// As one batch.
    pub(crate) fn as_batch(&self, settings: &ArmSettings) -> Results {
        let mut values = vec![f64::NAN; self.starts.len()];
        let mut solutions = vec![ArmSolution::default(); self.targets.len()];
        let Self { arm, targets, starts, .. } = self;
        posekit::batch::solve(arm, targets, starts, settings, &mut values, &mut solutions)
            .expect("valid input");
        Results::new(&values, solutions)
    }
}

/// Evenly inside the limits, or within a turn and a half where there are none.
pub(crate) fn configuration(skeleton: &Skeleton, rng: &mut Rng) -> Vec<f64> {
    let mut q = skeleton.neutral();
    for joint in 0..skeleton.n_joints() {
        let (min, max) = skeleton.limit(joint).bounds();
        q[skeleton.value_range(joint).start] = rng.between(min.max(-5.0), max.min(5.0));
    }
    q
}

/// The first pose that is found, from few starts.
pub(crate) fn first() -> ArmSettings {
    let mut settings = ArmSettings::default();
    (settings.prefer, settings.starts) = (Prefer::First, 24);
    settings
}
