//! What must be held, and when.

use std::sync::Arc;

use posekit::glam::DVec3;
use posekit::math::{Pose, slerp};
use posekit::skeleton::Frame;

use crate::error::{Error, Result};

/// A time during which a point of a figure holds something: a foot the ground, a hand a railing.
///
/// Several may hold at once, also on one limb: heel and ball of a foot.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// What holds: a joint, and a point or frame on it.
    pub frame: Frame,
    /// When it begins to hold \[s\].
    pub from: f64,
    /// When it last holds \[s\]; at least `from`. The frames at both are held.
    pub to: f64,
    /// What it holds.
    pub hold: Hold,
    /// What it is on: what it holds is given in that frame, and moves with it.
    pub on: Support,
    /// Before `from`, the time in which the pose goes over from the original to what is held \[s\]; 0 or more.
    pub ease_in: f64,
    /// After `to`, the time in which the pose goes back to the original \[s\]; 0 or more.
    pub ease_out: f64,
}

impl Contact {
    /// The same contact so much later \[s\], and elsewhere in the world.
    pub(crate) fn moved(&self, later: f64, by: DVec3) -> Self {
        let pose = |pose: Pose| Pose { translation: pose.translation + by, ..pose };
        let in_world = match self.hold {
            Hold::Position(point) => Hold::Position(point.map(|point| point + by)),
            Hold::Pose(held) => Hold::Pose(held.map(pose)),
            Hold::Surface { point, normal } => Hold::Surface { point: point + by, normal },
        };
        let (hold, on) = match &self.on {
            Support::World => (in_world, Support::World),
            Support::Joint(joint) => (self.hold, Support::Joint(*joint)),
            Support::Moving(path) => {
                let mut path = path.retimed(|time| time + later);
                path.poses.iter_mut().for_each(|at| *at = pose(*at));
                (self.hold, Support::Moving(Arc::new(path)))
            }
        };
        Self { from: self.from + later, to: self.to + later, hold, on, ..self.clone() }
    }
}

/// What a contact is on.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Support {
    /// The world: what is held stands still.
    #[default]
    World,
    /// A joint of the figure, wherever it goes when the contacts on everything else hold: a hand on the sword in the other one, or on the own hip.
    Joint(usize),
    /// Something that moves: a door, a step that turns, a boat.
    Moving(Arc<Trajectory>),
}

/// Where something is over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    times: Vec<f64>,
    poses: Vec<Pose>,
}

impl Trajectory {
    /// A trajectory through poses in the world: straight between them, with rotations at even speed; before the first and after the last it stands.
    ///
    /// - `times`: ascending \[s\]
    ///
    /// # Errors
    /// [`Error::Length`] without poses, or for another number of them than of times; [`Error::NonFinite`]; [`Error::OutOfRange`] for a time that is not later than the one before;
    /// [`Error::NotUnit`] for a rotation further than 0.001 from unit length.
    pub fn try_new(times: Vec<f64>, poses: Vec<Pose>) -> Result<Self> {
        let (expected, found) = (times.len().max(1), poses.len());
        if found != expected || times.is_empty() {
            return Err(Error::Length { what: "poses of a trajectory", expected, found });
        }
        for (index, pose) in poses.iter().enumerate() {
            if !(times[index].is_finite() && pose.is_finite()) {
                return Err(Error::NonFinite { what: "trajectory", index });
            }
            let length = pose.rotation.length();
            if (length - 1.0).abs() > 1e-3 {
                return Err(Error::NotUnit { what: "rotation of a trajectory", length });
            }
        }
        if let Some(index) = (1..times.len()).find(|&index| times[index] <= times[index - 1]) {
            let need = "later than the one before";
            return Err(Error::OutOfRange { what: "trajectory", index, value: times[index], need });
        }
        Ok(Self { times, poses })
    }

    /// The times of its poses \[s\].
    #[must_use]
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Its poses in the world.
    #[must_use]
    pub fn poses(&self) -> &[Pose] {
        &self.poses
    }

    /// The pose at a time \[s\].
    #[must_use]
    pub fn pose(&self, time: f64) -> Pose {
        let unit = |pose: Pose| Pose { rotation: pose.rotation.normalize(), ..pose };
        let next = self.times.partition_point(|&at| at <= time);
        if next == 0 || next == self.times.len() {
            return unit(self.poses[next.min(self.poses.len() - 1)]);
        }
        let (a, b) = (unit(self.poses[next - 1]), unit(self.poses[next]));
        let part = (time - self.times[next - 1]) / (self.times[next] - self.times[next - 1]);
        Pose::new(slerp(a.rotation, b.rotation, part), a.translation.lerp(b.translation, part))
    }

    /// The trajectory at other times, in the same order.
    pub(crate) fn retimed(&self, time: impl Fn(f64) -> f64) -> Self {
        Self { times: self.times.iter().map(|&at| time(at)).collect(), poses: self.poses.clone() }
    }
}

/// What is held, in the frame of what a contact is on.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Hold {
    /// The frame's origin stays at a point, however the frame turns; `None` for the point where it is in the middle of its time.
    Position(Option<DVec3>),
    /// The frame stays in a pose; `None` for the pose that it has in the middle of its time.
    Pose(Option<Pose>),
    /// The frame's origin stays on a plane and may slide along it.
    Surface {
        /// A point of the plane.
        point: DVec3,
        /// The plane's normal, of any length but zero.
        normal: DVec3,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use posekit::glam::DQuat;

    #[test]
    fn a_contact_is_moved_with_what_it_is_on() {
        let (later, by) = (2.0, DVec3::new(1.0, 2.0, 3.0));
        let turned = Pose::new(DQuat::from_rotation_z(0.5), DVec3::X);
        let door = Trajectory::try_new(vec![0.0, 1.0], vec![Pose::IDENTITY, turned]).unwrap();
        let at = DVec3::new(0.3, 0.1, 0.0);
        let holds = [
            Hold::Position(Some(at)),
            Hold::Pose(Some(Pose::from_translation(at))),
            Hold::Surface { point: at, normal: DVec3::Y },
        ];
        let place = |contact: &Contact, time: f64| {
            let at = match contact.hold {
                Hold::Position(point) => point.unwrap(),
                Hold::Pose(pose) => pose.unwrap().translation,
                Hold::Surface { point, .. } => point,
            };
            match &contact.on {
                Support::Moving(path) => path.pose(time).transform_point(at),
                Support::World | Support::Joint(_) => at,
            }
        };
        for hold in holds {
            for (on, goes) in [
                (Support::World, by),
                (Support::Moving(Arc::new(door.clone())), by),
                (Support::Joint(0), DVec3::ZERO),
            ] {
                let frame = Frame::new(1, Pose::IDENTITY);
                let [from, to, ease_in, ease_out] = [0.2, 0.8, 0.1, 0.1];
                let contact = Contact { frame, from, to, hold, on, ease_in, ease_out };
                let moved = contact.moved(later, by);
                assert_eq!((moved.from, moved.to), (from + later, to + later), "its times");
                for time in [0.2, 0.5, 0.8] {
                    let off = place(&moved, time + later) - place(&contact, time) - goes;
                    assert!(off.length() < 1e-12, "{contact:?} at {time}: {off}");
                }
            }
        }
        let open = Contact {
            frame: Frame::new(1, Pose::IDENTITY),
            from: 0.0,
            to: 1.0,
            hold: Hold::Position(None),
            on: Support::World,
            ease_in: 0.0,
            ease_out: 0.0,
        };
        assert_eq!(open.moved(later, by).hold, Hold::Position(None), "what is open stays so");
    }
}
