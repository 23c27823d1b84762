//! A task that keeps two bodies apart in a solve.

use std::cell::RefCell;
use std::sync::Arc;

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::Frame;
use posekit::task::{Formula, Row, Unit, Wrench};

use crate::convex::{Polytope, Separation};
use crate::model::{Body, between};

/// Two rigid parts of a robot, or a part and an obstacle, keep a distance: one row \[m\], the gap between their two nearest bodies, which
/// counts only where it is below the margin.
///
/// [`CollisionModel::clearances`](crate::CollisionModel::clearances) makes them.
///
/// # Degenerate cases
/// Bodies that are further apart than twice the margin, or than a tenth of their size beyond it, are measured by the first separating planes that show it: a gap that is
/// never larger than the actual one. Bodies that overlap are pushed apart along the shortest separation; at the centre of an overlap that is one of several
/// directions, the same for the same pose.
#[derive(Debug)]
pub struct PairClearance {
    /// The pairs of bodies of the two parts.
    pairs: Vec<[Arc<Body>; 2]>,
    margin: f64,
    /// Distance up to which pairs are measured \[m\].
    cutoff: f64,
}

/// Bodies are measured exactly up to this fraction of their size beyond the margin: a step of the solver seldom changes their distance by more.
const MEASURED: f64 = 0.05;

thread_local! {
    /// The buffer of overlaps, one for all tasks of a thread.
    static POLYTOPE: RefCell<Polytope> = RefCell::default();
}

impl PairClearance {
    /// A clearance of at least one pair; all pairs belong to the same two parts.
    pub(crate) fn new(pairs: Vec<[Arc<Body>; 2]>, margin: f64) -> Self {
        let radii = pairs.iter().flatten().map(|body| body.radius());
        let size = radii.filter(|radius| radius.is_finite()).fold(0.0, f64::max);
        Self { pairs, margin, cutoff: 2.0 * margin + 2.0 * MEASURED * size }
    }

    /// The names of the bodies of each pair.
    pub fn names(&self) -> impl Iterator<Item = [&str; 2]> {
        self.pairs.iter().map(|bodies| bodies.each_ref().map(|body| body.name.as_str()))
    }

    /// The gap and its nearest points, in the world. There is at least one pair.
    fn gap(&self, &[world_from_a, world_from_b]: &[Pose; 2]) -> Option<Separation> {
        POLYTOPE.with_borrow_mut(|polytope| {
            let mut nearest: Option<Separation> = None;
            for [a, b] in &self.pairs {
                let cutoff = nearest.map_or(self.cutoff, |found| found.distance.min(self.cutoff));
                let found = between(a, world_from_a, b, world_from_b, cutoff, polytope);
                if nearest.is_none_or(|nearest| found.distance < nearest.distance) {
                    nearest = Some(found);
                }
            }
            nearest
        })
    }
}

impl Formula for PairClearance {
    fn name(&self) -> &'static str {
        "pair-clearance"
    }

    fn frames(&self) -> [Option<Frame>; 2] {
        let frame = |body: &Arc<Body>| body.joint.map(|joint| Frame::new(joint, Pose::IDENTITY));
        self.pairs.first().map_or([None, None], |bodies| bodies.each_ref().map(frame))
    }

    fn rows(&self, world_from_frames: &[Pose; 2], push: &mut dyn FnMut(Row)) {
        let Some(Separation { distance, direction, points }) = self.gap(world_from_frames) else {
            return;
        };
        let wrench = |frame: usize, force: DVec3| {
            let lever = points[frame] - world_from_frames[frame].translation;
            Wrench { force, moment: lever.cross(force) }
        };
        let (on_a, on_b) = (wrench(0, direction), wrench(1, -direction));
        push(Row::between(Unit::Length, self.margin - distance, on_a, on_b).floor());
    }
}

#[cfg(test)]
mod tests {
    use posekit::glam::DQuat;
    use posekit::math::so3_exp;
    use posekit_io::robot::Geometry;

    use super::*;
    use crate::Solid;
    use crate::convex::Convex;

    fn solids() -> Vec<Convex> {
        let half_extents = DVec3::new(0.3, 0.2, 0.1);
        let mut solids: Vec<Convex> = [
            Geometry::Box { half_extents },
            Geometry::Sphere { radius: 0.25 },
            Geometry::Cylinder { radius: 0.15, half_length: 0.3 },
            Geometry::Capsule { radius: 0.1, half_length: 0.25 },
            Geometry::Ellipsoid { radii: half_extents },
        ]
        .iter()
        .map(|geometry| Solid::new(geometry).unwrap().convex)
        .collect();
        let corner = |k: usize| {
            let sign = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
            DVec3::new(0.2 * sign(1), 0.25 * sign(2), 0.15 * sign(4)) * (1.0 + 0.1 * k as f64)
        };
        let points: Vec<DVec3> = (0..8).map(corner).collect();
        solids.push(Solid::hull(&points).unwrap().convex);
        solids
    }

    fn body(convex: Convex) -> Arc<Body> {
        let placed =
            Pose::new(DQuat::from_xyzw(0.1, 0.5, -0.3, 0.8).normalize(), DVec3::splat(0.05));
        Arc::new(Body::new("body".into(), Some(0), vec![(placed, convex)]))
    }

    /// The gap falls as fast as its gradient says, in generic poses, apart and overlapping.
    #[test]
    fn gradients_agree_with_finite_differences() {
        const H: f64 = 1e-5;
        let solids = solids();
        for (i, a) in solids.iter().enumerate() {
            for (j, b) in solids.iter().enumerate() {
                let pair = PairClearance::new(vec![[body(a.clone()), body(b.clone())]], 0.5);
                for (k, apart) in [0.2, 0.7, 1.0].into_iter().enumerate() {
                    let turned = DQuat::from_xyzw(0.3 * k as f64, 0.4, 0.1 + 0.07 * i as f64, 1.0);
                    let second = DVec3::new(0.62, -0.31, 0.72) * apart;
                    let poses = [
                        Pose::from_rotation(DQuat::from_xyzw(0.2, -0.1, 0.3, 0.9).normalize()),
                        Pose::new(turned.normalize(), second),
                    ];
                    let Separation { distance, direction, points } = pair.gap(&poses).unwrap();
                    for frame in 0..2 {
                        let force = if frame == 0 { direction } else { -direction };
                        let moment = (points[frame] - poses[frame].translation).cross(force);
                        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                            let moved = |h: f64, turn: f64| {
                                let mut poses = poses;
                                poses[frame].translation += axis * h;
                                poses[frame].rotation =
                                    so3_exp(axis * turn) * poses[frame].rotation;
                                pair.gap(&poses).unwrap().distance
                            };
                            let slide = (moved(H, 0.0) - moved(-H, 0.0)) / (2.0 * H);
                            let turn = (moved(0.0, H) - moved(0.0, -H)) / (2.0 * H);
                            let error = (slide - force.dot(axis))
                                .abs()
                                .max((turn - moment.dot(axis)).abs());
                            assert!(
                                error < 2e-5,
                                "{i} {j} at {apart} ({distance}), frame {frame}: {error}"
                            );
                        }
                    }
                }
            }
        }
    }
}
