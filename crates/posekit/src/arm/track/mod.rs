//! Following a path of poses, on one branch, inside the limits of joints, velocities and accelerations.
//!
//! First the joint path is found, whatever time it takes: from each configuration the next pose is reached by small steps, and where joints would move far,
//! poses between are reached first. So a path never jumps to another branch: a motion that needs a fast one, as near a singular configuration, becomes many
//! small ones. Then each gets the time it needs: the arm slows down along the path where joints would be too fast.

mod follow;
mod timing;

use super::goal::Goal;
use super::solve::checked;
use super::{Arm, ArmSettings, Dexterity, Solver, by_size};
use crate::Result;
use crate::error::ErrorKind;
use crate::math::{Pose, slerp};
use alloc::vec::Vec;
use follow::{Follower, Node};

/// A path in joint values.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Track {
    /// The samples, in the order of time: one for each target that was reached, and others between where joints move far.
    pub samples: Vec<TrackSample>,
    /// The configurations of the whole skeleton, flat: those of the samples one after the other.
    pub values: Vec<f64>,
    /// How it ended.
    pub status: TrackStatus,
}

/// A sample of a [`Track`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TrackSample {
    /// When the arm is there \[s\]: later than asked for if it had to slow down before.
    pub time: f64,
    /// Where it is on the path, as a time between those that were given \[s\].
    pub path_time: f64,
    /// The index of the target, if the sample is at one.
    pub target: Option<usize>,
    /// Distance of the tool from the path outside the bounds \[m\].
    pub distance: f64,
    /// Angle of the tool from the path outside the bounds \[rad\].
    pub angle: f64,
}

/// Where a [`Track`] begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrackFrom {
    /// In the solution for the first target that is preferred, by default the one nearest to the start.
    #[default]
    Nearest,
    /// In any solution for the first target: the first from which the path can be followed to its end, in the order of [`Arm::solutions`], otherwise the
    /// one that leads furthest. Of seven joints whole [self-motions](Arm::self_motion) are tried.
    ///
    /// If the closed form of six joints is exact, [`TrackStatus::Ended`] is a proof that no motion inside the limits leads to the end, unless the first
    /// pose is singular, where solutions are not isolated.
    Any,
}

/// How a [`Track`] ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TrackStatus {
    /// At the last target.
    Completed,
    /// Before it: the branch goes no further.
    Ended {
        /// The time on the path up to which it was followed \[s\]; the time of the first target if not even this one was reached.
        path_time: f64,
        /// Why.
        reason: TrackEnd,
        /// How near the last configuration is to singular ones; of `start` if there is none.
        dexterity: Dexterity,
    },
    /// The caller of [`Arm::track_while`] ended it. There are no samples: their times would depend on the rest of the path.
    Cancelled,
}

/// Why a branch goes no further.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TrackEnd {
    /// These joints of the skeleton are at a limit; beyond it the branch would go on.
    Limits(Vec<usize>),
    /// The configuration is singular: the branch turns back here. Another branch reaches further.
    Singularity,
    /// No configuration was found that reaches the path beyond this point.
    Reach,
}

impl Track {
    /// Whether the last target was reached.
    #[must_use]
    pub fn is_completed(&self) -> bool {
        self.status == TrackStatus::Completed
    }

    /// The configuration of a sample.
    ///
    /// # Panics
    /// As a slice does, when there is no such sample.
    #[must_use]
    pub fn configuration(&self, sample: usize) -> &[f64] {
        let n = self.values.len() / self.samples.len().max(1);
        &self.values[sample * n..(sample + 1) * n]
    }

    /// The time at the last sample less the time asked for: by how much the arm had to slow down \[s\]. 0 for a track without samples.
    #[must_use]
    pub fn delay(&self) -> f64 {
        self.samples.last().map_or(0.0, |last| last.time - last.path_time)
    }
}

impl Arm {
    /// Follows a path of poses, straight between them, with the shortest rotations.
    ///
    /// The first target is [solved](Self::solve) for from `start`; from there the tool stays on the path, within the tolerances at every sample, and no joint
    /// moves more than 0.05 rad (or 0.05 of the unit of length) between two samples. Velocities stay within the [limits](Self::with_velocity_limits) by slowing
    /// down along the path. With [acceleration limits](Self::with_acceleration_limits) the arm is at rest at both ends, and accelerations are limited by
    /// time-optimal path parameterization. Redundant joints move away from their limits, or as the settings prefer.
    ///
    /// - `times`: for each target, increasing \[s\]; the arm is never earlier
    /// - `targets`: of the tool, in the world
    /// - `start`: a configuration of the whole skeleton
    ///
    /// # Errors
    /// [`Error::is_wrong_length`](crate::Error::is_wrong_length) if times and targets are not of one number, at least one;
    /// [`is_not_finite`](crate::Error::is_not_finite) or [`is_out_of_range`](crate::Error::is_out_of_range) for times that are not finite or do not increase;
    /// those of [`solve`](Self::solve) for targets, start and settings.
    ///
    /// # Method
    /// Small damped steps with a bound on the change of each joint; the timing is that of reachability analysis \[pham18\].
    pub fn track(
        &self,
        times: &[f64],
        targets: &[Pose],
        start: &[f64],
        settings: &ArmSettings,
    ) -> Result<Track> {
        self.track_while(times, targets, start, settings, TrackFrom::Nearest, || true)
    }

    /// [`track`](Self::track) [from any solution](TrackFrom::Any) for the first target.
    ///
    /// # Errors
    /// Those of [`track`](Self::track).
    pub fn track_from_any(
        &self,
        times: &[f64],
        targets: &[Pose],
        start: &[f64],
        settings: &ArmSettings,
    ) -> Result<Track> {
        self.track_while(times, targets, start, settings, TrackFrom::Any, || true)
    }

    /// [`track`](Self::track), as long as a function returns true: it is called every few microseconds to milliseconds, and once it returns false the track is
    /// [cancelled](TrackStatus::Cancelled).
    ///
    /// # Errors
    /// Those of [`track`](Self::track).
    pub fn track_while(
        &self,
        times: &[f64],
        targets: &[Pose],
        start: &[f64],
        settings: &ArmSettings,
        from: TrackFrom,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<Track> {
        check_times(times, targets.len())?;
        let goal = self.goal(targets[0], start, settings)?;
        let targets = targets.iter().map(|target| checked(*target)).collect::<Result<Vec<_>>>()?;
        let path = PosePath { arm: self, times, targets: &targets, settings };
        // Whoever asks once more after the end has the same answer.
        let mut is_live = true;
        let mut goes_on = || {
            is_live = is_live && goes_on();
            is_live
        };
        let track =
            by_size!(&self.solver, solver => path.track(solver, from, &goal, start, &mut goes_on));
        Ok(track.unwrap_or(Track {
            samples: Vec::new(),
            values: Vec::new(),
            status: TrackStatus::Cancelled,
        }))
    }
}

/// How far a path was followed, and why no further.
struct Walk<const N: usize> {
    nodes: Vec<Node<N>>,
    end: Option<TrackEnd>,
}

impl<const N: usize> Walk<N> {
    fn is_longer(&self, other: Option<&Self>) -> bool {
        let path_time = |walk: &Self| walk.nodes.last().map(|node| node.path_time);
        path_time(self) > other.and_then(path_time)
    }
}

/// Called between two steps; false cancels the track.
type GoesOn<'a> = &'a mut dyn FnMut() -> bool;

/// The poses of a path.
#[derive(Debug)]
struct PosePath<'a> {
    arm: &'a Arm,
    times: &'a [f64],
    targets: &'a [Pose],
    settings: &'a ArmSettings,
}

impl PosePath<'_> {
    /// A pose between the targets `segment` and the next.
    fn pose(&self, segment: usize, time: f64) -> Pose {
        let (from, to) = (self.targets[segment], self.targets[segment + 1]);
        let (begin, end) = (self.times[segment], self.times[segment + 1]);
        if time >= end {
            return to;
        }
        let part = (time - begin) / (end - begin);
        let rotation = slerp(from.rotation, to.rotation, part);
        Pose::new(rotation, from.translation.lerp(to.translation, part))
    }

    fn goal(&self, segment: usize, time: f64) -> Goal {
        self.arm.goal_at(self.pose(segment, time), self.settings)
    }

    /// Goes along the path from a configuration at its beginning; none if it is cancelled.
    fn walk<const N: usize>(
        &self,
        solver: &Solver<N>,
        x: [f64; N],
        goes_on: GoesOn<'_>,
    ) -> Option<Walk<N>> {
        let mut follower = Follower::new(self, solver, x);
        let end = follower.follow(goes_on)?;
        Some(Walk { nodes: follower.nodes, end })
    }

    /// The walk from one of some configurations that leads to the end, or furthest, if there are any; none if it is cancelled.
    fn longest_walk<const N: usize>(
        &self,
        solver: &Solver<N>,
        mut starts: Vec<[f64; N]>,
        goes_on: GoesOn<'_>,
    ) -> Option<Option<Walk<N>>> {
        let mut longest: Option<Walk<N>> = None;
        let mut next = 0;
        while let Some(&start) = starts.get(next) {
            let walk = self.walk(solver, start, goes_on)?;
            // Where a limit ends the walk, it may go on from a turn before.
            if let (Some(TrackEnd::Limits(_)), Some(last)) = (&walk.end, walk.nodes.last()) {
                let turned = solver.kernel.turned_starts(&start, &last.x);
                starts.extend(turned.filter(|other| !starts.contains(other)).collect::<Vec<_>>());
            }
            if walk.is_longer(longest.as_ref()) {
                longest = Some(walk);
            }
            if longest.as_ref().is_some_and(|longest| longest.end.is_none()) {
                break;
            }
            next += 1;
        }
        Some(longest)
    }

    /// The track; none if it is cancelled.
    ///
    /// - `goal`: that of the first target
    /// - `start`: the configuration of the whole skeleton
    fn track<const N: usize>(
        &self,
        solver: &Solver<N>,
        from: TrackFrom,
        goal: &Goal,
        start: &[f64],
        goes_on: GoesOn<'_>,
    ) -> Option<Track> {
        let mut q = start.to_vec();
        let walk = match from {
            TrackFrom::Any => {
                let mut starts = Vec::new();
                let x = self.arm.start(solver, start);
                self.arm.each_solution(solver, goal, x, self.settings, goes_on, |x| {
                    starts.push(*x);
                });
                let mut walk = self.longest_walk(solver, starts, goes_on)?;
                if walk.as_ref().is_some_and(|walk| walk.end.is_some()) {
                    let samples = self.arm.self_motion_starts(solver, goal, &x);
                    let other = self.longest_walk(solver, samples, goes_on)?;
                    walk = other.filter(|other| other.is_longer(walk.as_ref())).or(walk);
                }
                walk
            }
            TrackFrom::Nearest => {
                let first = self.arm.solve_goal(goal, &mut q, self.settings, |_| true, goes_on);
                let x = first.is_reached().then(|| self.arm.path.read(&q));
                x.map_or(Some(None), |x| self.walk(solver, x, goes_on).map(Some))?
            }
        };
        let Some(Walk { nodes, end }) = walk else {
            let dexterity = self.arm.dexterity_of(&solver.kernel, &self.arm.path.read(start));
            let (path_time, reason) = (self.times[0], TrackEnd::Reach);
            let status = TrackStatus::Ended { path_time, reason, dexterity };
            return goes_on().then_some(Track { samples: Vec::new(), values: Vec::new(), status });
        };
        let times = timing::times(&nodes, &solver.rates, self.times[0], goes_on)?;
        let (mut samples, mut values) = (Vec::new(), Vec::new());
        for (node, time) in nodes.iter().zip(times) {
            let Node { path_time, target, residual, .. } = *node;
            let distance = residual.distance * self.arm.path.unit;
            let angle = residual.angle;
            samples.push(TrackSample { time, path_time, target, distance, angle });
            self.arm.write(&node.x, &mut q);
            values.extend_from_slice(&q);
        }
        let status = match (end, nodes.last()) {
            (Some(reason), Some(Node { path_time, x, .. })) => {
                let dexterity = self.arm.dexterity_of(&solver.kernel, x);
                TrackStatus::Ended { path_time: *path_time, reason, dexterity }
            }
            _ => TrackStatus::Completed,
        };
        Some(Track { samples, values, status })
    }
}

fn check_times(times: &[f64], n_targets: usize) -> Result<()> {
    if times.len() != n_targets || times.is_empty() {
        let (expected, found) = (n_targets.max(1), times.len());
        return Err(ErrorKind::Length { what: "times", expected, found }.into());
    }
    if let Some(index) = times.iter().position(|time| !time.is_finite()) {
        return Err(ErrorKind::NonFinite { what: "times", index }.into());
    }
    match times.windows(2).position(|pair| pair[1] <= pair[0]) {
        Some(before) => {
            let (index, value) = (before + 1, times[before + 1]);
            let need = "later than the one before";
            Err(ErrorKind::OutOfRange { what: "times", index, value, need }.into())
        }
        None => Ok(()),
    }
}
