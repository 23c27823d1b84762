//! Where the joints of the legs are in every frame: computed once, read by all who look at feet.

use posekit::glam::DVec3;

use super::clip::Clip;
use super::leg::Leg;
use super::plant::Part;
use super::tracks::Tracks;

/// Where the joints of all legs are, frame by frame, in the world.
#[derive(Debug, Clone)]
pub(crate) struct Paths {
    pub(crate) legs: Vec<LegPaths>,
    pub(crate) n_frames: usize,
    pub(crate) frame_time: f64,
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
    /// Only the legs' joints and what they hang on are computed.
    pub(crate) fn new(clip: &Clip, legs: &[Leg]) -> Self {
        Self::of(&Tracks::new(clip, &joints_of(legs)), clip, legs)
    }

    /// Paths of joints whose tracks are known.
    ///
    /// - `tracks`: of the clip, with all of [`joints_of`] the legs
    pub(super) fn of(tracks: &Tracks, clip: &Clip, legs: &[Leg]) -> Self {
        let places = |joint| tracks.places(joint).to_vec();
        let of_leg = |leg: &Leg| LegPaths {
            hip: places(leg.limb.start),
            knee: places(leg.limb.mid),
            ankle: places(leg.limb.end),
            ball: leg.ball.map(places),
        };
        let legs_paths = legs.iter().map(of_leg).collect();
        let (n_frames, frame_time) = (clip.n_frames(), clip.frame_time());
        Self { legs: legs_paths, n_frames, frame_time, length: mean_length(clip, legs) }
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

/// The joints of legs and feet.
pub(super) fn joints_of(legs: &[Leg]) -> Vec<usize> {
    let of_leg = |leg: &Leg| leg.limb.joints().into_iter().chain(leg.ball);
    legs.iter().flat_map(of_leg).collect()
}

/// The mean length of legs; 1 where there is none.
pub(super) fn mean_length(clip: &Clip, legs: &[Leg]) -> f64 {
    let mut lengths: Vec<f64> = legs.iter().map(|leg| leg.limb.length(clip.skeleton())).collect();
    // In the order of their sizes, so that left and right make no difference.
    lengths.sort_by(f64::total_cmp);
    let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
    if mean > 0.0 { mean } else { 1.0 }
}
