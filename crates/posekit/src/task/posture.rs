//! The joints have preferred values.

use super::rows::Miss;
use crate::skeleton::{JointKind, Skeleton};
use crate::{Error, Result};
use std::sync::Arc;

/// The joints have preferred values: a rest pose, a comfortable elbow, straight fingers.
///
/// One row for each degree of freedom: radians count like the reach of the chain, slides in metres. A posture is a wish: it pulls, within its level,
/// but the [status](crate::solve::Status) does not wait for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Posture {
    /// Preferred joint values: a configuration.
    pub configuration: Arc<[f64]>,
    /// How much each joint of the skeleton cares, at least 0; empty means 1 for all.
    pub cares: Arc<[f64]>,
}

impl Posture {
    /// All joints alike.
    #[must_use]
    pub fn new(configuration: impl Into<Arc<[f64]>>) -> Self {
        Self { configuration: configuration.into(), cares: Arc::new([]) }
    }

    /// Each joint by so much.
    #[must_use]
    pub fn caring(self, cares: impl Into<Arc<[f64]>>) -> Self {
        Self { cares: cares.into(), ..self }
    }

    /// Whether a joint is to be somewhere.
    pub(crate) fn cares_for(&self, joint: usize) -> bool {
        self.care(joint) > 0.0
    }

    /// How much a joint cares.
    pub(crate) fn care(&self, joint: usize) -> f64 {
        self.cares.get(joint).copied().unwrap_or(1.0)
    }

    pub(super) fn check(&self, skeleton: &Skeleton, task: usize) -> Result<()> {
        skeleton.check(&self.configuration)?;
        let (expected, found) = (skeleton.n_joints(), self.cares.len());
        if found != 0 && found != expected {
            return Err(Error::Length { what: "posture cares", expected, found });
        }
        for &value in self.cares.iter() {
            if !value.is_finite() || value < 0.0 {
                let (what, need) = ("posture cares", "at least 0");
                return Err(Error::OutOfRange { what, index: task, value, need });
            }
        }
        Ok(())
    }

    /// The largest differences of one joint, in length and in angle, of those that care.
    pub(super) fn miss(&self, skeleton: &Skeleton, q: &[f64]) -> Miss {
        let mut off = vec![0.0; skeleton.n_dofs()];
        skeleton.difference(q, &self.configuration, &mut off);
        let mut miss = Miss::default();
        for joint in 0..skeleton.n_joints() {
            if !self.cares_for(joint) || skeleton.mimic(joint).is_some() {
                continue;
            }
            let dofs = &off[skeleton.dof_range(joint)];
            let norm = |part: &[f64]| part.iter().map(|x| x * x).sum::<f64>().sqrt();
            let (slide, turn) = match skeleton.kind(joint) {
                JointKind::Prismatic { .. } => (norm(dofs), 0.0),
                JointKind::Free => (norm(&dofs[..3]), norm(&dofs[3..])),
                _ => (0.0, norm(dofs)),
            };
            miss.distance = miss.distance.max(slide);
            miss.angle = miss.angle.max(turn);
        }
        miss
    }
}
