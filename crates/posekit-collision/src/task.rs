//! Two bodies keep a distance, inside a solve.

use std::cell::RefCell;
use std::sync::Arc;

use posekit::glam::DVec3;
use posekit::math::{Pose, direction_or};
use posekit::skeleton::Frame;
use posekit::task::{Formula, Row, Unit, Wrench};

use crate::convex::{Polytope, Separation};
use crate::model::{Body, between};

/// Two bodies of a model keep a distance: one row \[m\], the gap between their surfaces, which counts only where it is below the margin.
///
/// [`CollisionModel::clearances`](crate::CollisionModel::clearances) makes one for each pair.
///
/// # Degenerate cases
/// Bodies whose bounding spheres are further apart than the margin and a quarter of their radii are not measured: the gap of the spheres stands for theirs, which is
/// never more. Bodies that overlap are pushed apart where they leave each other soonest; at the centre of an overlap that is one of several directions, the same
/// for the same pose.
#[derive(Debug, Clone)]
pub struct PairClearance {
    bodies: [Arc<Body>; 2],
    margin: f64,
}

/// Part of the bounding radii beyond the margin within which bodies are measured.
const MEASURED: f64 = 0.25;

thread_local! {
    /// The buffer of overlaps, one for all tasks of a thread.
    static POLYTOPE: RefCell<Polytope> = RefCell::default();
}

impl PairClearance {
    pub(crate) const fn new(bodies: [Arc<Body>; 2], margin: f64) -> Self {
        Self { bodies, margin }
    }

    /// The names of the two bodies.
    #[must_use]
    pub fn names(&self) -> [&str; 2] {
        self.bodies.each_ref().map(|body| body.name.as_str())
    }

    /// The gap and where it is measured, in the world.
    fn gap(&self, [world_from_a, world_from_b]: &[Pose; 2]) -> Separation {
        let [a, b] = &self.bodies;
        let spheres = [a.sphere(*world_from_a), b.sphere(*world_from_b)];
        let gap = spheres[0].gap(spheres[1]);
        let near = self.margin + MEASURED * (spheres[0].radius + spheres[1].radius);
        let by_spheres = || {
            let [first, second] = spheres.map(|sphere| sphere.center);
            let direction = direction_or(first - second, DVec3::X);
            Separation { distance: gap, direction, points: [first, second] }
        };
        if gap > near {
            return by_spheres();
        }
        let measured = POLYTOPE.with_borrow_mut(|polytope| {
            between(a, *world_from_a, b, *world_from_b, f64::INFINITY, polytope)
        });
        measured.unwrap_or_else(by_spheres)
    }
}

impl Formula for PairClearance {
    fn name(&self) -> &'static str {
        "pair-clearance"
    }

    fn frames(&self) -> [Option<Frame>; 2] {
        self.bodies.each_ref().map(|body| body.joint.map(|joint| Frame::new(joint, Pose::IDENTITY)))
    }

    fn rows(&self, world_from_frames: &[Pose; 2], push: &mut dyn FnMut(Row)) {
        let Separation { distance, direction, points } = self.gap(world_from_frames);
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
                let pair = PairClearance::new([body(a.clone()), body(b.clone())], 0.1);
                for (k, apart) in [0.2, 0.7, 1.0].into_iter().enumerate() {
                    let turned = DQuat::from_xyzw(0.3 * k as f64, 0.4, 0.1 + 0.07 * i as f64, 1.0);
                    let second = DVec3::new(0.62, -0.31, 0.72) * apart;
                    let poses = [
                        Pose::from_rotation(DQuat::from_xyzw(0.2, -0.1, 0.3, 0.9).normalize()),
                        Pose::new(turned.normalize(), second),
                    ];
                    let Separation { distance, direction, points } = pair.gap(&poses);
                    for frame in 0..2 {
                        let force = if frame == 0 { direction } else { -direction };
                        let moment = (points[frame] - poses[frame].translation).cross(force);
                        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                            let moved = |h: f64, turn: f64| {
                                let mut poses = poses;
                                poses[frame].translation += axis * h;
                                poses[frame].rotation =
                                    so3_exp(axis * turn) * poses[frame].rotation;
                                pair.gap(&poses).distance
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
