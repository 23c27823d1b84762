//! Times in which a motion is left alone.

use core::ops::Range;

use posekit::glam::DVec3;

use super::Clip;
use super::clean::CleanSettings;
use super::firm::{BRIEFEST, Firm, Stance};
use super::pace::Pace;
use super::plant::{Plant, runs};

/// How much of what cleaning changes each frame takes: nothing in times that are kept, all of it away from these, and in between it goes over.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    /// Frame after frame, from 0 to 1; empty where nothing is kept.
    shares: Vec<f64>,
    frame_time: f64,
}

impl Kept {
    /// Nothing is kept.
    #[cfg(test)]
    pub(super) const fn none() -> Self {
        Self { shares: Vec::new(), frame_time: 1.0 }
    }

    pub(super) fn new(clip: &Clip, settings: &CleanSettings) -> Self {
        let (n, frame_time) = (clip.n_frames(), clip.frame_time());
        let times = settings.keep.iter().map(|(from, to)| clip.frames(*from, *to));
        let times: Vec<Range<usize>> = times.filter(|frames| !frames.is_empty()).collect();
        let mut shares = if times.is_empty() { Vec::new() } else { vec![1.0; n] };
        let ease = settings.ease / frame_time;
        for frames in times {
            let after = (frames.end..n).map(|frame| (frame, frame + 1 - frames.end));
            let before = (0..frames.start).rev().map(|frame| (frame, frames.start - frame));
            let is_near = |(_, away): &(usize, usize)| (*away as f64) < ease;
            for (frame, away) in after.take_while(is_near).chain(before.take_while(is_near)) {
                let t = away as f64 / ease;
                let own = t * t * (3.0 - 2.0 * t);
                shares[frame] = if own < shares[frame] { own } else { shares[frame] };
            }
            shares[frames].fill(0.0);
        }
        Self { shares, frame_time }
    }

    /// Frame after frame; empty where nothing is kept.
    pub(super) fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// A path of the root that stays where it is in times that are kept, so that what slides there slides as it did; where the first of these is, it is zero.
    pub(super) fn path(&self, path: &[DVec3]) -> Vec<DVec3> {
        let first = self.shares.iter().position(|share| *share == 0.0);
        let Some(first) = first.filter(|_| !path.is_empty()) else { return path.to_vec() };
        let mut place = DVec3::ZERO;
        let mut places = vec![place];
        for (step, shares) in path.windows(2).zip(self.shares.windows(2)) {
            place += (step[1] - step[0]) * (0.5 * (shares[0] + shares[1]));
            places.push(place);
        }
        let start = places[first];
        places.iter_mut().for_each(|place| *place -= start);
        places
    }

    /// The clip with its frames of kept times as they were, to the bit.
    pub(super) fn restored(&self, source: &Clip, clip: Clip) -> Clip {
        if self.shares.is_empty() {
            return clip;
        }
        let n = clip.skeleton().n_values();
        let mut values = clip.values().to_vec();
        for (frame, q) in values.chunks_exact_mut(n).enumerate() {
            if self.shares[frame] == 0.0 {
                q.copy_from_slice(source.frame(frame));
            }
        }
        clip.with_edited(values, &[])
    }

    /// What stands, in two: what of it is left alone, and what may be held.
    pub(super) fn split(&self, firm: Vec<Firm>, pace: Pace) -> Vec<Firm> {
        if self.shares.is_empty() {
            return firm;
        }
        let mut parts: Vec<Firm> =
            firm.into_iter().flat_map(|firm| self.parts(firm, pace)).collect();
        parts.sort_by_key(|firm| (firm.looks.start, firm.plant.leg, firm.plant.part));
        parts
    }

    fn parts(&self, firm: Firm, pace: Pace) -> Vec<Firm> {
        let frames = firm.plant.frames.clone();
        let shares = &self.shares[frames.clone()];
        if shares.iter().all(|share| *share == 1.0) {
            return vec![firm];
        }
        let runs_of = |share: f64| {
            let flags: Vec<bool> = shares.iter().map(|own| *own == share).collect();
            let runs = runs(&flags).into_iter();
            runs.map(|run| run.start + frames.start..run.end + frames.start).collect::<Vec<_>>()
        };
        let kept = runs_of(0.0);
        let mut parts: Vec<Firm> = Vec::new();
        if firm.stance == Stance::Firm {
            for run in runs_of(1.0) {
                let looks = pace.looks_at(&run);
                let held = if firm.is_still || looks.is_empty() {
                    run
                } else {
                    pace.seen(&looks, [0.0; 2]).0
                };
                let is_long = (held.len() - 1) as f64 * self.frame_time >= BRIEFEST;
                if firm.is_still || is_long {
                    let before = kept.iter().rev().find(|kept| kept.end <= held.start);
                    let after = kept.iter().find(|kept| kept.start >= held.end);
                    let beside = [before.map(|kept| kept.end - 1), after.map(|kept| kept.start)];
                    parts.push(part(&firm, held, pace, (Stance::Firm, beside)));
                }
            }
        }
        let is_none = parts.is_empty();
        let alone = kept.into_iter().map(|run| part(&firm, run, pace, (Stance::Kept, [None; 2])));
        parts.extend(alone);
        if is_none && parts.is_empty() {
            parts.push(Firm { stance: Stance::Kept, ..firm });
        }
        parts
    }
}

/// Some frames of what stands.
fn part(
    firm: &Firm,
    frames: Range<usize>,
    pace: Pace,
    (stance, beside): (Stance, [Option<usize>; 2]),
) -> Firm {
    let own = &firm.plant.frames;
    let leads = |leads: [f64; 2]| {
        [
            if frames.start == own.start { leads[0] } else { 0.0 },
            if frames.end == own.end { leads[1] } else { 0.0 },
        ]
    };
    Firm {
        lead: leads(firm.lead),
        look_lead: leads(firm.look_lead),
        looks: pace.looks_at(&frames),
        plant: Plant { frames, ..firm.plant },
        is_still: firm.is_still,
        is_sign: firm.is_sign,
        stance,
        beside,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_where_a_time_is_kept() {
        let kept = Kept { shares: vec![1.0, 1.0, 0.5, 0.0, 0.0, 0.0, 0.5, 1.0], frame_time: 0.1 };
        let path: Vec<DVec3> = (0..8_u32).map(|k| DVec3::X * f64::from(k)).collect();
        let found: Vec<f64> = kept.path(&path).iter().map(|place| place.x).collect();
        assert_eq!(found, [-2.0, -1.0, -0.25, 0.0, 0.0, 0.0, 0.25, 1.0]);
        assert_eq!(Kept::none().path(&path), path);
        assert!(kept.path(&[]).is_empty());
    }
}
