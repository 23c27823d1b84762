//! The course of the whole body over time: a configuration for every frame in which it is moved.

use core::ops::Range;

use posekit::math::Pose;
use posekit::skeleton::Skeleton;
use posekit::solve::{Method, Settings, Workspace};
use posekit::task::{Miss, Task};

use crate::Clip;
use crate::banded::Banded;
use crate::error::Result;

/// The second difference of three frames in a row.
const SECOND: [f64; 3] = [1.0, -2.0, 1.0];

/// Iterations a frame. A frame begins where the one before ended, so that few are needed; a jump to another way would be worse than a miss.
const ITERATIONS: u32 = 100;

/// The body in the frames in which it is moved.
pub(super) struct Course<'a> {
    skeleton: &'a Skeleton,
    source: &'a Clip,
    /// The frames of the clip in which it is moved, in ascending order.
    frames: Vec<usize>,
    /// Configurations of all frames of the clip.
    values: Vec<f64>,
    workspace: Workspace,
    settings: Settings,
    change: Vec<f64>,
}

impl<'a> Course<'a> {
    /// - `skeleton`: the clip's, with joints of no values behind it
    /// - `source`: what the change is against
    /// - `frames`: of the clip, in ascending order
    pub(super) fn new(skeleton: &'a Skeleton, source: &'a Clip, frames: Vec<usize>) -> Self {
        let settings = Settings::tracking().with_iterations(ITERATIONS);
        Self {
            skeleton,
            source,
            frames,
            values: source.values().to_vec(),
            workspace: Workspace::default(),
            settings,
            change: vec![0.0; skeleton.n_dofs()],
        }
    }

    pub(super) fn frames(&self) -> &[usize] {
        &self.frames
    }

    fn range(&self, k: usize) -> Range<usize> {
        let n = self.skeleton.n_values();
        self.frames[k] * n..(self.frames[k] + 1) * n
    }

    /// The configuration of the `k`th frame.
    pub(super) fn now(&self, k: usize) -> &[f64] {
        &self.values[self.range(k)]
    }

    pub(super) fn set(&mut self, k: usize, q: &[f64]) {
        let range = self.range(k);
        self.values[range].copy_from_slice(q);
    }

    pub(super) fn poses(&self, k: usize) -> Vec<Pose> {
        self.skeleton.poses(self.now(k))
    }

    /// Puts a joint back as it is in the source.
    pub(super) fn put_back(&mut self, k: usize, joint: usize) {
        let range = self.skeleton.value_range(joint);
        let first = self.range(k).start;
        let source = &self.source.frame(self.frames[k])[range.clone()];
        self.values[first + range.start..first + range.end].copy_from_slice(source);
    }

    /// The places of frames in an order in which each follows on the one beside it, and the place of that one: from where nothing is changed, if there is such an end.
    pub(super) fn order(&self) -> Vec<(usize, Option<usize>)> {
        let mut order = Vec::with_capacity(self.frames.len());
        for run in self.runs() {
            let (first, last) = (run.start, run.end - 1);
            match self.is_open(&run) {
                [true, false] => order.extend(run.rev().map(|k| (k, (k < last).then_some(k + 1)))),
                _ => order.extend(run.map(|k| (k, (k > first).then(|| k - 1)))),
            }
        }
        order
    }

    /// The places of frames that follow each other.
    fn runs(&self) -> Vec<Range<usize>> {
        let mut end = 0;
        let run = |run: &[usize]| {
            end += run.len();
            end - run.len()..end
        };
        self.frames.chunk_by(|a, b| a + 1 == *b).map(run).collect()
    }

    /// Whether the clip begins with a run, and ends with it, so that nothing is known before it, and after.
    fn is_open(&self, run: &Range<usize>) -> [bool; 2] {
        let last = self.source.n_frames() - 1;
        [self.frames[run.start] == 0, self.frames[run.end - 1] == last]
    }

    /// Gives a frame the change of another.
    pub(super) fn follow(&mut self, k: usize, other: usize) {
        self.read_change(other);
        self.write_change(k);
    }

    /// Goes from the configuration of the `k`th frame to one nearby in which some tasks hold, and tells by how much they are missed.
    pub(super) fn solve(&mut self, k: usize, tasks: &[Task]) -> Result<&[Miss]> {
        let range = self.range(k);
        let Self { skeleton, workspace, settings, values, .. } = self;
        workspace.begin(skeleton, &values[range.clone()], tasks, Method::LeastSquares, settings)?;
        workspace.run();
        values[range].copy_from_slice(&workspace.solution().configuration);
        Ok(&workspace.solution().misses)
    }

    /// The poses after that, in a frame that stays as it is.
    pub(super) fn poses_after(&mut self, k: usize, tasks: &[Task]) -> Result<Vec<Pose>> {
        let now = self.now(k).to_vec();
        self.solve(k, tasks)?;
        let poses = self.poses(k);
        self.set(k, &now);
        Ok(poses)
    }

    /// Smooths the change against the source.
    ///
    /// - `smoothing`: it comes and goes in no less than about six times this \[s\]
    ///
    /// # Method
    /// `Σ_t |x − x_now|² + τ⁴ |D²x|²` is as small as can be, with `D²` the second difference and nothing changed before and after.
    pub(super) fn smooth(&mut self, smoothing: f64) {
        let time = smoothing / self.source.frame_time();
        let weight = (time * time) * (time * time);
        let n = self.skeleton.n_dofs();
        for run in self.runs() {
            let smoother = smoother(run.len(), weight, self.is_open(&run));
            let mut tracks = vec![vec![0.0; run.len()]; n];
            for (i, k) in run.clone().enumerate() {
                self.read_change(k);
                tracks.iter_mut().zip(&self.change).for_each(|(track, change)| track[i] = *change);
            }
            tracks.iter_mut().for_each(|track| smoother.solve(track));
            for (i, k) in run.enumerate() {
                self.change.iter_mut().zip(&tracks).for_each(|(change, track)| *change = track[i]);
                self.write_change(k);
            }
        }
    }

    fn read_change(&mut self, k: usize) {
        let source = self.source.frame(self.frames[k]);
        let range = self.range(k);
        self.skeleton.difference(source, &self.values[range], &mut self.change);
    }

    fn write_change(&mut self, k: usize) {
        let source = self.source.frame(self.frames[k]);
        let range = self.range(k);
        self.skeleton.integrate(source, &self.change, &mut self.values[range]);
    }

    pub(super) fn into_clip(self) -> Result<Clip> {
        self.source.with_values(self.values)
    }
}

/// What smooths a track of so many frames that is zero before it begins and after it ends, factorised.
///
/// - `weight`: of the squared second difference
/// - `is_open`: nothing is known before it, and after
fn smoother(n: usize, weight: f64, is_open: [bool; 2]) -> Banded {
    let mut matrix = Banded::zero(n, SECOND.len() - 1);
    (0..n).for_each(|k| matrix.add(k, k, 1.0));
    // Every three frames in a row of which one is the track's, and the last of them.
    for last in 0..n + 2 {
        if last < 2 && is_open[0] || last >= n && is_open[1] {
            continue;
        }
        let of =
            |k: usize| (last + k).checked_sub(2).filter(|frame| *frame < n).map(|f| (f, SECOND[k]));
        let entries = || (0..SECOND.len()).filter_map(of);
        for (row, a) in entries() {
            for (column, b) in entries().filter(|(column, _)| *column >= row) {
                matrix.add(row, column, weight * a * b);
            }
        }
    }
    // With its own entries on the diagonal it is positive definite.
    matrix.factorise();
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use posekit::glam::DVec3;
    use posekit::skeleton::Joint;

    /// A joint on a rail, that is at the number of the frame.
    fn clip(n_frames: usize) -> Clip {
        let skeleton = Skeleton::try_new(vec![Joint::prismatic("sled", DVec3::X)]).unwrap();
        let values = (0..n_frames).map(|frame| frame as f64).collect();
        Clip::try_new(skeleton, 0.01, values).unwrap()
    }

    fn largest(numbers: impl Iterator<Item = f64>) -> f64 {
        numbers.map(f64::abs).fold(0.0, f64::max)
    }

    #[test]
    fn frames_follow_on_what_is_not_changed() {
        let clip = clip(12);
        let order = |frames: &[usize]| Course::new(clip.skeleton(), &clip, frames.to_vec()).order();
        let ahead = [(0, None), (1, Some(0)), (2, None), (3, Some(2))];
        assert_eq!(order(&[3, 4, 7, 8]), ahead);
        assert_eq!(order(&[0, 1, 7, 8]), [(1, None), (0, Some(1)), ahead[2], ahead[3]]);
        assert_eq!(order(&[3, 4, 10, 11]), ahead, "the clip ends with it");
        let all: Vec<usize> = (0..12).collect();
        assert_eq!(order(&all)[..2], [(0, None), (1, Some(0))], "there is no such end");
        assert!(order(&[]).is_empty());
    }

    #[test]
    fn a_jump_is_spread_over_frames_and_what_goes_evenly_stays() {
        let clip = clip(60);
        let smoothed = |frames: Range<usize>, change: fn(usize) -> f64| {
            let mut course = Course::new(clip.skeleton(), &clip, frames.clone().collect());
            for (k, frame) in frames.clone().enumerate() {
                course.set(k, &[frame as f64 + change(frame)]);
            }
            course.smooth(0.037);
            let change = |(k, frame)| course.now(k)[0] - frame as f64;
            frames.clone().enumerate().map(change).collect::<Vec<f64>>()
        };
        let even = smoothed(0..60, |frame| 2.0 + 0.1 * frame as f64);
        let off = even.iter().enumerate().map(|(frame, now)| now - 2.0 - 0.1 * frame as f64);
        assert!(largest(off) < 1e-9, "{even:?}");
        let jump = smoothed(0..60, |frame| f64::from(u8::from(frame >= 30)));
        assert!(largest(jump.windows(2).map(|two| two[1] - two[0])) < 0.15, "{jump:?}");
        assert!(jump[5].abs() < 0.01 && (jump[54] - 1.0).abs() < 0.01, "{jump:?}");
        let within = smoothed(10..50, |_| 1.0);
        assert!(within[0] < 0.2 && within[39] < 0.2, "it comes and goes: {within:?}");
        assert!((within[20] - 1.0).abs() < 0.1, "{within:?}");
    }
}
