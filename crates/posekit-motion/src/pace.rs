//! How often feet are looked at: about sixty times a second, by no more than thirty frames, whatever the rate of the clip.

use core::ops::Range;

use posekit::glam::DVec3;

use super::frozen::Frozen;
use super::paths::{LegPaths, Paths};
use super::plant::Part;

/// Frames of a second that are looked at, at most.
const SEEN: f64 = 30.0;

/// Looks in a second: what a sprinter's foot does in a tenth of one is six of them.
const LOOKS: f64 = 60.0;

/// Rates such as 59.94 Hz are taken for what they stand for, to this part of a frame.
const NEARLY: f64 = 0.1;

/// Looks from one seen frame to the next, at most: between frames that are farther apart nothing is known.
const MOST: usize = 4;

/// Feet that jitter by more than this from one frame that is seen to the next are noisy \[leg lengths\]: three millimetres for a leg of 0.85 m, twice what those
/// of a sprinter do.
const NOISY: f64 = 3.5e-3;

/// Third differences of noise of standard deviation 1 have this one.
const THIRD: f64 = 4.47;

/// Frames and looks nearer than this are the same.
const SAME: f64 = 1e-9;

/// At which times a clip is looked at: at every so many frames from the first, and between these at cubics through them.
///
/// All that is decided about feet is decided at looks, and where one decision ends and the other begins is a time between two of them. So clips of 30, 60 and
/// 120 Hz, which share the frames that are seen, come to the same decisions, and all others nearly.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// Frames from one that is seen to the next.
    step: usize,
    /// Looks from one frame that is seen to the next.
    per_step: usize,
    /// Of the clip.
    n_frames: usize,
}

impl Pace {
    /// Of a clip of so many frames.
    pub(super) fn new(frame_time: f64, n_frames: usize) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let whole = |part: f64| (part + NEARLY).floor().clamp(1.0, 1e6) as usize;
        let step = whole(1.0 / (SEEN * frame_time));
        let per_step = whole(LOOKS * frame_time * step as f64).min(MOST);
        Self { step, per_step, n_frames }
    }

    /// Frames from one that is seen to the next.
    pub(super) const fn step(self) -> usize {
        self.step
    }

    /// Frames from one to the next of those in which the root's way is found first: those that are seen, and all of them where the feet are noisy even in
    /// these, so that as much as can be is averaged out.
    pub(super) fn carried(self, paths: &Paths) -> usize {
        if self.step > 1 && jitter(paths, self.step) > NOISY * paths.length { 1 } else { self.step }
    }

    /// Frames from one look to the next.
    fn stride(self) -> f64 {
        self.step as f64 / self.per_step as f64
    }

    /// The joints' paths as they are looked at.
    pub(super) fn looks(self, paths: &Paths) -> Paths {
        let looks = |path: &Vec<DVec3>| self.looks_on(path);
        let of_leg = |leg: &LegPaths| LegPaths {
            hip: looks(&leg.hip),
            knee: looks(&leg.knee),
            ankle: looks(&leg.ankle),
            ball: leg.ball.as_ref().map(looks),
        };
        Paths {
            legs: paths.legs.iter().map(of_leg).collect(),
            n_frames: self.n_looks(),
            frame_time: paths.frame_time * self.stride(),
            ..*paths
        }
    }

    /// In which looks the figure is as it was in the frame before, look after look.
    pub(super) fn held(self, frozen: &Frozen) -> Vec<bool> {
        let at = |look: usize| frozen.is_held((look * self.step).div_ceil(self.per_step));
        (0..self.n_looks()).map(at).collect()
    }

    fn n_looks(self) -> usize {
        let n = self.n_frames.saturating_sub(1) / self.step * self.per_step;
        if self.n_frames == 0 { 0 } else { n + 1 }
    }

    /// A path of frames as it is looked at.
    pub(super) fn looks_on(self, path: &[DVec3]) -> Vec<DVec3> {
        let path: Vec<DVec3> = path.iter().copied().step_by(self.step).collect();
        (0..self.n_looks())
            .map(|look| {
                let (frame, part) = (look / self.per_step, look % self.per_step);
                between(&path, frame, part as f64 / self.per_step as f64)
            })
            .collect()
    }

    /// The looks in a range of frames; none where there is no look.
    pub(super) fn looks_at(self, frames: &Range<usize>) -> Range<usize> {
        let start = (frames.start * self.per_step).div_ceil(self.step);
        let end = frames.end.checked_sub(1).map_or(0, |l| l * self.per_step / self.step + 1);
        let end = end.min(self.n_looks());
        start.min(end)..end
    }

    /// The frames of a time, and what of it is before the first and after the last of them, in frames, below one.
    ///
    /// - `looks`: never empty
    /// - `lead`: how long before its first look it begins, and after its last it ends, in looks, below one
    pub(super) fn frames(self, looks: &Range<usize>, lead: [f64; 2]) -> (Range<usize>, [f64; 2]) {
        let from = (looks.start as f64 - lead[0]) * self.stride();
        let to = ((looks.end - 1) as f64 + lead[1]) * self.stride();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the clip")]
        let first = (from - SAME).ceil().max(0.0) as usize;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the clip")]
        let last = (to + SAME).floor().max(0.0) as usize;
        let first = if first < self.n_frames { first } else { self.n_frames - 1 };
        let last = if last > first { last } else { first };
        let before = (first as f64 - from).clamp(0.0, 0.999);
        // The last look stands for the rest of the clip.
        if looks.end >= self.n_looks() || last + 1 >= self.n_frames {
            return (first..self.n_frames, [before, 0.0]);
        }
        (first..last + 1, [before, (to - last as f64).clamp(0.0, 0.999)])
    }

    /// The frames of a time from the first that is seen to the last, and on to the end of the clip where it goes on to it; all of them where none is seen.
    /// It is cut down to these because nothing is known of what is between them: what is held there would be another thing at another rate.
    ///
    /// - `looks`, `lead`: as for [`frames`](Self::frames)
    pub(super) fn seen(self, looks: &Range<usize>, lead: [f64; 2]) -> (Range<usize>, [f64; 2]) {
        let (frames, _) = self.frames(looks, lead);
        let start = frames.start.next_multiple_of(self.step);
        let last = frames.end.saturating_sub(1) / self.step * self.step;
        let end = if frames.end < self.n_frames { last + 1 } else { frames.end };
        (if start < end { start..end } else { frames }, [0.0; 2])
    }

    /// A path in every frame from that of looks; after the last it stays.
    pub(super) fn filled(self, looks: &[DVec3]) -> Vec<DVec3> {
        let value = |frame: usize| {
            let (at, part) = (frame * self.per_step / self.step, frame * self.per_step % self.step);
            let at = if at < looks.len() { at } else { looks.len() - 1 };
            between(looks, at, part as f64 / self.step as f64)
        };
        (0..self.n_frames).map(value).collect()
    }
}

/// How much the stillest part of the feet jitters for at least a tenth of the time, in any direction.
///
/// - `step`: every so many frames count
fn jitter(paths: &Paths, step: usize) -> f64 {
    let of_part = |(.., path): (usize, Part, &[DVec3])| {
        let seen: Vec<DVec3> = path.iter().copied().step_by(step).collect();
        let third = |w: &[DVec3]| (w[3] - w[0] - (w[2] - w[1]) * 3.0).length();
        let mut all: Vec<f64> = seen.windows(4).map(third).collect();
        let rank = all.len() / 10;
        if all.is_empty() {
            return 0.0;
        }
        *all.select_nth_unstable_by(rank, f64::total_cmp).1 / THIRD
    };
    let least = paths.parts().map(of_part).fold(f64::INFINITY, |a, b| if b < a { b } else { a });
    if least.is_finite() { least } else { 0.0 }
}

/// A path between two of its frames: the cubic through these and their neighbours; in proportion where one of them is missing.
///
/// - `part`: from 0 at the frame to 1 at the next
pub(super) fn between(path: &[DVec3], frame: usize, part: f64) -> DVec3 {
    let here = path[frame];
    let Some(next) = path.get(frame + 1).filter(|_| part > 0.0) else { return here };
    let outer = frame.checked_sub(1).and_then(|before| path.get(before)).zip(path.get(frame + 2));
    let Some((before, after)) = outer else { return here + (*next - here) * part };
    let (u, v) = (part, 1.0 - part);
    // How far the parabolas through three points each are from the line, mixed: the same from both sides.
    let bend =
        (here * 2.0 - *before - *next) * (1.0 + v) + (*next * 2.0 - here - *after) * (1.0 + u);
    here * v + *next * u + bend * (u * v / 6.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_looked_at_alike() {
        let pace = |rate: f64| {
            let pace = Pace::new(1.0 / rate, 1);
            (pace.step, pace.per_step)
        };
        assert_eq!([10.0, 24.0, 30.0, 50.0].map(pace), [(1, 4), (1, 2), (1, 2), (1, 1)]);
        assert_eq!([59.94, 60.0, 120.0].map(pace), [(2, 2), (2, 2), (4, 2)]);
    }

    #[test]
    fn looks_and_frames_are_the_same_time() {
        let pace = Pace::new(1.0 / 240.0, 100);
        let (frames, lead) = pace.frames(&(2..5), [0.3, 0.9]);
        assert_eq!(frames, 7..20, "from 6.8 to 19.6");
        assert!((lead[0] - 0.2).abs() < 1e-12 && (lead[1] - 0.6).abs() < 1e-12, "{lead:?}");
        assert_eq!(pace.looks_at(&frames), 2..5);
        assert_eq!(pace.frames(&(0..25), [0.0; 2]).0, 0..100, "the last look is at 96");
        assert_eq!(pace.looks_at(&(9..11)), 3..3, "between looks");
        assert_eq!(pace.looks_at(&(0..100)), 0..25);
        let pace = Pace::new(1.0 / 30.0, 10);
        let (frames, lead) = pace.frames(&(3..6), [0.5, 0.5]);
        assert_eq!((frames, lead), (2..3, [0.75, 0.75]), "from 1.25 to 2.75");
        assert_eq!(pace.looks_at(&(2..3)), 4..5);
        assert_eq!(pace.looks_at(&(0..10)), 0..19);
    }

    #[test]
    fn what_is_held_begins_and_ends_at_seen_frames() {
        let pace = Pace::new(1.0 / 120.0, 100);
        assert_eq!(pace.seen(&(2..5), [0.4, 0.9]), (4..9, [0.0; 2]), "3.2 to 9.8");
        assert_eq!(pace.seen(&(2..50), [0.0; 2]), (4..100, [0.0; 2]), "to the end");
        assert_eq!(pace.seen(&(3..4), [0.4, 0.4]), (6..7, [0.0; 2]), "5.2 to 6.8 has none");
        let slow = Pace::new(1.0 / 30.0, 25);
        assert_eq!(slow.seen(&(2..5), [0.4, 0.9]).0, 1..3, "the same time");
    }

    #[test]
    fn looks_of_thinned_out_clips_are_the_same() {
        let path: Vec<DVec3> = (0..81_u32).map(|k| DVec3::X * f64::from(k * k % 17)).collect();
        let thinned: Vec<DVec3> = path.iter().copied().step_by(4).collect();
        let (fast, slow) = (Pace::new(1.0 / 120.0, 81), Pace::new(1.0 / 30.0, 21));
        let looks = fast.looks_on(&path);
        assert_eq!(looks, slow.looks_on(&thinned));
        assert_eq!(looks.len(), fast.n_looks());
        assert!(thinned.iter().eq(fast.filled(&looks).iter().step_by(4)));
    }

    #[test]
    fn between_frames_cubics_stay_what_they_are() {
        let cubic = |t: f64| DVec3::new(1.0 + t, t * t, 2.0 * t - t * t * t);
        let path: Vec<DVec3> = (0..6).map(|t| cubic(f64::from(t))).collect();
        assert!((between(&path, 2, 0.3) - cubic(2.3)).length() < 1e-12);
        assert_eq!(between(&path, 5, 0.3), path[5]);
        assert_eq!(between(&path[..2], 0, 0.5), (path[0] + path[1]) * 0.5);
    }
}
