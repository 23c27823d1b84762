//! Where the joints of the legs are in every frame: computed once, read by all who look at feet.

use glam::DVec3;

use super::clip::Clip;
use super::leg::Leg;
use super::plant::Part;
use crate::math::Pose;

/// Where the joints of all legs are, frame by frame, in the world.
#[derive(Debug, Clone)]
pub(crate) struct Paths {
    pub(crate) legs: Vec<LegPaths>,
    pub(crate) n_frames: usize,
    pub(crate) frame_time: f64,
    pub(crate) up: DVec3,
    /// The mean length of the legs, by which all else is measured \[unit of the clip\]; 1 where there is none.
    pub(crate) length: f64,
}

/// Where the joints of one leg are.
#[derive(Debug, Clone)]
pub(crate) struct LegPaths {
    pub(crate) hip: Vec<DVec3>,
    pub(crate) knee: Vec<DVec3>,
    pub(crate) ankle: Vec<DVec3>,
    pub(crate) ball: Option<Vec<DVec3>>,
}

impl LegPaths {
    /// The path of a part of the foot; `None` where the foot has none.
    pub(crate) fn part(&self, part: Part) -> Option<&[DVec3]> {
        match part {
            Part::Heel => Some(&self.ankle),
            Part::Ball => self.ball.as_deref(),
        }
    }
}

impl Paths {
    /// Only the legs' joints and what they hang on are computed. Legs whose joints the skeleton does not have are left out.
    pub(crate) fn new(clip: &Clip, legs: &[Leg]) -> Self {
        let skeleton = clip.skeleton();
        let n_frames = clip.n_frames();
        let mut is_needed = vec![false; skeleton.n_joints()];
        for leg in legs {
            for joint in joints(leg) {
                skeleton.ancestors(joint).for_each(|joint| is_needed[joint] = true);
            }
        }
        let needed: Vec<usize> = (0..is_needed.len()).filter(|&joint| is_needed[joint]).collect();
        let place = |joint: usize| needed.partition_point(|&other| other < joint);
        // The identity stands behind the last: the world.
        let parents: Vec<usize> = needed
            .iter()
            .map(|&joint| skeleton.parent(joint).map_or(needed.len(), place))
            .collect();
        let mut poses = vec![Pose::IDENTITY; needed.len() + 1];
        let read: Vec<usize> = legs.iter().flat_map(joints).map(place).collect();
        let mut tracks = vec![Vec::with_capacity(n_frames); read.len()];
        for frame in 0..n_frames {
            let q = clip.frame(frame);
            for (at, (&joint, &parent)) in needed.iter().zip(&parents).enumerate() {
                poses[at] = skeleton.pose_on(joint, q, poses[parent]);
            }
            for (track, &at) in tracks.iter_mut().zip(&read) {
                track.push(poses[at].translation);
            }
        }
        let mut tracks = tracks.into_iter();
        let mut take = || tracks.next().unwrap_or_default();
        let of_leg = |leg: &Leg| LegPaths {
            hip: take(),
            knee: take(),
            ankle: take(),
            ball: leg.ball.map(|_| take()),
        };
        let paths = legs.iter().map(of_leg).collect();
        let (frame_time, up) = (clip.frame_time(), clip.up());
        Self { legs: paths, n_frames, frame_time, up, length: mean_length(clip, legs) }
    }

    /// All parts of all feet: leg, part, path.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (usize, Part, &[DVec3])> {
        let legs = self.legs.iter().enumerate();
        legs.flat_map(|(leg, paths)| {
            let part = move |part| paths.part(part).map(|path| (leg, part, path));
            [Part::Heel, Part::Ball].into_iter().filter_map(part)
        })
    }
}

fn joints(leg: &Leg) -> impl Iterator<Item = usize> + use<> {
    [leg.limb.start, leg.limb.mid, leg.limb.end].into_iter().chain(leg.ball)
}

fn mean_length(clip: &Clip, legs: &[Leg]) -> f64 {
    let mut lengths: Vec<f64> = legs.iter().map(|leg| leg.limb.length(clip.skeleton())).collect();
    // In the order of their sizes, so that left and right make no difference.
    lengths.sort_by(f64::total_cmp);
    let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
    if mean > 0.0 { mean } else { 1.0 }
}
