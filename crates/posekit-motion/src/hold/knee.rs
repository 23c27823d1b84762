//! Knees of legs while they hold something: how bent they come out, and how rough, as the root is moved.

use core::ops::Range;

use posekit::glam::{DMat3, DVec3};

use super::carry::{Run, Side, positions, softness};
use super::ease::Span;
use super::root::{SECOND, System};
use super::spare::{KNEE_EDGE, fourth, moved_spans, rolled, weight};
use crate::Limb;

/// A knee is rough where its second difference is larger than the largest of the motion itself, times this.
pub(super) const ROUGH: f64 = 1.05;

/// Second differences below this are smooth in any case \[rad\].
const SMOOTH: f64 = 1e-6;

/// Knees that are bent less than this are all but straight \[rad\]: four degrees.
const STRAIGHT: f64 = 0.07;

/// While a leg is held, a straight knee is compared to itself at that time; up to this part of the roughest of all knees is smooth in any case.
const UNSEEN: f64 = 0.3;

/// How much a straight knee may be bent in addition \[rad\]: six degrees.
const MOST_RAISE: f64 = 0.105;

/// The least bend of a course \[rad\].
pub(super) const LEAST: f64 = 0.005;

/// The versine of a knee that counts as straight: that of a tenth of a milliradian.
const STRAIGHT_VERSINE: f64 = 1e-9;

/// What is farther out of reach is not held by going after it: that of a line longer than the leg by a fiftieth.
const FAR: f64 = -0.08;

/// Of what a foot spares its knee by rolling, this much more is left than it seems before the root has changed.
const ROLLED: f64 = 1.2;

/// How little a course hangs on the frames between those that stay as they are.
const LOOSE: f64 = 1e-6;

/// A leg whose knee is led along a course, and the frames in which it is.
pub(super) type Led = (Limb, Range<usize>);

/// A time for which a leg holds something.
pub(super) struct Stand<'a> {
    pub(super) limb: &'a Side<'a>,
    pub(super) span: &'a Span,
    /// How bent the knee came out, with something left of what it had where it was straightened.
    bends: Vec<f64>,
    /// It is all but straight at some time.
    pub(super) is_straight: bool,
    /// The squared sine of the bend below which it is as soft as there.
    pub(super) soft: f64,
    /// The course that it is led along; empty for none.
    pub(super) course: Vec<f64>,
    /// By how much that is bent in any case \[rad\].
    pub(super) raise: f64,
    /// Every so many frames from the first of the clip stay as they are.
    pub(super) pinned: Option<usize>,
    /// What its second difference costs, frame by frame.
    pub(super) prices: Vec<f64>,
    /// How the knee trembles as the root is now, in the window at hand.
    pub(super) trembles: Vec<Tremble>,
    /// What is left of that when the foot rolls; empty where it cannot.
    unspared: Vec<f64>,
    /// Second differences up to these are not rough: while the knee is straight, and else.
    limits: [f64; 2],
}

/// How a leg is bent when the root is moved.
pub(super) struct Knee {
    /// One less the cosine of its angle from straight; below zero out of reach.
    pub(super) versine: f64,
    /// In the motion itself.
    own: f64,
    /// How the versine changes with the root.
    pub(super) change: DVec3,
}

/// How rough a knee is in a frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tremble {
    pub(super) frame: usize,
    /// Above 1 where it is rough.
    pub(super) size: f64,
    bend: f64,
    pub(super) is_straight: bool,
}

/// Which of things in the order of time meet some frames.
pub(super) fn meeting<T>(
    things: &[T],
    frames: &Range<usize>,
    frames_of: impl Fn(&T) -> &Range<usize>,
) -> Range<usize> {
    let start = things.partition_point(|thing| frames_of(thing).end <= frames.start);
    let end = things.partition_point(|thing| frames_of(thing).start < frames.end);
    start..if end > start { end } else { start }
}

/// For each leg the times for which it holds something.
pub(super) fn stands<'a>(
    limbs: &'a [Side<'a>],
    run: &'a Run<'_>,
    root: &[DVec3],
) -> Vec<Vec<Stand<'a>>> {
    let legs = || limbs.iter().filter(|limb| limb.plan.is_leg);
    let own: Vec<Vec<f64>> = legs().map(|limb| own_bends(limb, run)).collect();
    let most = own.iter().map(|own| roughest(own)).fold(SMOOTH, greater);
    let stand = |limb: &'a Side<'a>, own: &[f64], span: &'a Span| {
        let knees = knees(limb, run, span.frames.clone(), root);
        if knees.iter().any(|knee| knee.versine < FAR) {
            return None;
        }
        let inside = span.frames.start - run.frames.start..span.frames.end - run.frames.start;
        Some(Stand {
            limb,
            span,
            bends: knees.iter().map(|knee| bend(knee.eased())).collect(),
            is_straight: knees.iter().any(|knee| knee.versine < 0.5 * STRAIGHT * STRAIGHT),
            soft: softness(limb.need, span, run),
            course: Vec::new(),
            raise: 0.0,
            pinned: None,
            prices: vec![1.0; knees.len()],
            trembles: Vec::new(),
            unspared: Vec::new(),
            limits: [greater(roughest(&own[inside]), UNSEEN * most), most],
        })
    };
    let of_leg = |(limb, own): (&'a Side<'a>, &Vec<f64>)| {
        moved_spans(limb.need, run).filter_map(|span| stand(limb, own, span)).collect()
    };
    legs().zip(&own).map(of_leg).collect()
}

/// Begins along a course where a leg is led already in the frames that stay as they are.
pub(super) fn follow(stands: &mut [Stand<'_>], led: &[Led], step: usize) {
    let Some(first) = stands.first() else { return };
    let own = led.iter().filter(|(limb, _)| *limb == first.limb.plan.limb);
    let own: Vec<Range<usize>> =
        own.map(|(_, frames)| frames.start * step..frames.end * step).collect();
    for stand in stands {
        stand.pinned = Some(step);
        if !meeting(&own, stand.frames(), |frames| frames).is_empty() {
            stand.course = stand.new_course(1.0);
        }
    }
}

pub(super) fn greater(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// The bends of a knee in the motion itself.
fn own_bends(limb: &Side<'_>, run: &Run<'_>) -> Vec<f64> {
    let bend = |frame| {
        let [start, mid, end] = positions(limb.plan.limb, run.tracks, frame);
        bend(Bones::new(mid - start, end - mid).versine(end - start))
    };
    run.frames.clone().map(bend).collect()
}

/// The largest second difference.
fn roughest(bends: &[f64]) -> f64 {
    bends.windows(3).map(second).fold(SMOOTH, greater)
}

/// The second difference of the angles of three chords. An angle that is large already changes by more than its chord.
fn second(three: &[f64]) -> f64 {
    let half = 0.5 * three[1];
    let slope = greater(1.0 - half * half, LEAST).sqrt();
    ((three[1] - three[0]) - (three[2] - three[1])).abs() / slope
}

pub(super) fn knees(
    limb: &Side<'_>,
    run: &Run<'_>,
    frames: Range<usize>,
    root: &[DVec3],
) -> Vec<Knee> {
    let knee = |frame: usize| {
        let (bones, own, line) = reach(limb, run, frame, root);
        let change = if bones.product > 0.0 { line / bones.product } else { DVec3::ZERO };
        Knee { versine: bones.versine(line), own: bones.versine(own), change }
    };
    frames.map(knee).collect()
}

/// The bones of a leg, the line from its start to its end in the motion, and when the root is moved.
fn reach(limb: &Side<'_>, run: &Run<'_>, frame: usize, root: &[DVec3]) -> (Bones, DVec3, DVec3) {
    let [start, mid, end] = positions(limb.plan.limb, run.tracks, frame);
    let own = end - start;
    let line = own + limb.need.shifts[frame] - root[frame - run.frames.start];
    (Bones::new(mid - start, end - mid), own, line)
}

/// The bones of a leg: the sum of the squares of their lengths, and their product.
struct Bones {
    pub(super) squares: f64,
    pub(super) product: f64,
}

impl Bones {
    fn new(u: DVec3, v: DVec3) -> Self {
        let (u, v) = (u.length_squared(), v.length_squared());
        Self { squares: u + v, product: (u * v).sqrt() }
    }

    /// The versine of the knee when the leg reaches along this line. A knee without bones never changes its own.
    fn versine(&self, line: DVec3) -> f64 {
        if self.product <= 0.0 {
            return 1.0;
        }
        1.0 + 0.5 * (self.squares - line.length_squared()) / self.product
    }
}

impl Knee {
    /// Its versine, but never nothing where it is straightened.
    fn eased(&self) -> f64 {
        let own = greater(self.own, STRAIGHT_VERSINE);
        if self.versine < own { own * own / (2.0 * own - self.versine) } else { self.versine }
    }
}

/// The bend with a versine.
pub(super) fn bend(versine: f64) -> f64 {
    (2.0 * greater(versine, 0.0)).sqrt()
}

impl Stand<'_> {
    pub(super) fn is_led(&self) -> bool {
        !self.course.is_empty()
    }

    /// The bend that it is led to.
    pub(super) fn course(&self, index: usize) -> f64 {
        greater((self.course[index] * self.course[index] + self.raise * self.raise).sqrt(), LEAST)
    }

    pub(super) const fn frames(&self) -> &Range<usize> {
        &self.span.frames
    }

    /// A smooth course: through the frames that stay as they are, else near all of them.
    ///
    /// - `time`: what is faster than in about six times this is smoothed away, in frames
    pub(super) fn new_course(&self, time: f64) -> Vec<f64> {
        let places = self.pinned.map(|step| (self.pinned_bends(step), step));
        // From the last frame that stays before it, or from its first.
        let first = self.span.frames.start % self.pinned.unwrap_or(1);
        let frames = first..first + self.bends.len();
        let (near, smooth) = if places.is_some() { (LOOSE, 1.0) } else { (1.0, fourth(time)) };
        let pins = places.as_ref().map(|(places, step)| (places.as_slice(), *step));
        let mut system = System::new(frames, pins);
        for (k, bend) in self.bends.iter().enumerate() {
            system.add(k, &DMat3::from_diagonal(DVec3::splat(near)), DVec3::X * (*bend * near));
            if k + 2 < self.bends.len() {
                system.add_sum(k, &SECOND, DVec3::ZERO, smooth);
            }
        }
        let mut course = vec![DVec3::ZERO; self.bends.len()];
        system.solve(&mut course);
        course.into_iter().map(|bend| greater(bend.x, 0.0)).collect()
    }

    /// The bends in frames that stay as they are, every so many of the clip, from the last of them that is not behind its first.
    fn pinned_bends(&self, step: usize) -> Vec<DVec3> {
        let first = self.span.frames.start % step;
        let inside = self.bends.iter().copied();
        let all = core::iter::repeat_n(0.0, first).chain(inside);
        all.step_by(step).map(|bend| DVec3::X * bend).collect()
    }

    /// Finds out what is left of how the knee trembles when the foot rolls; returns whether it does.
    pub(super) fn spare_by_foot(&mut self, run: &Run<'_>, root: &[DVec3]) -> bool {
        let Some(moves) = rolled(self.limb, run, self.span, root) else { return false };
        let reached = self.frames().clone().zip(moves).map(|(frame, more)| {
            let (bones, _, line) = reach(self.limb, run, frame, root);
            [line, line + more].map(|line| bend(bones.versine(line)))
        });
        let reached: Vec<[f64; 2]> = reached.collect();
        // Nothing bends before the first and after the last.
        let mut seconds = vec![[SMOOTH; 2]; reached.len()];
        for (seconds, three) in seconds[1..].iter_mut().zip(reached.windows(3)) {
            let of = |which: usize| greater(second(&[0, 1, 2].map(|k| three[k][which])), SMOOTH);
            *seconds = [of(0), of(1)];
        }
        // With the frames beside, as what is next to nothing says nothing.
        let unspared = |at: usize| {
            let near = &seconds[at.saturating_sub(1)..(at + 2).min(seconds.len())];
            let [before, after] = [0, 1].map(|k| near.iter().map(|s| s[k]).fold(SMOOTH, greater));
            (ROLLED * after / before).min(1.0)
        };
        self.unspared = (0..seconds.len()).map(unspared).collect();
        true
    }

    /// By how much it is to be bent where it is straight and rough; `None` where it is not.
    pub(super) fn wanted_raise(&self) -> Option<f64> {
        let rough = self.trembles.iter().filter(|tremble| tremble.size > 1.0);
        let more = rough.filter(|tremble| tremble.is_straight).map(|tremble| {
            if self.is_led() { tremble.size * greater(tremble.bend, LEAST) } else { 0.0 }
        });
        let raise = greater(self.raise, more.reduce(greater)?);
        Some(if raise < MOST_RAISE { raise } else { MOST_RAISE })
    }

    /// How the knee trembles in frames of a window.
    pub(super) fn trembles(
        &self,
        run: &Run<'_>,
        root: &[DVec3],
        window: &Range<usize>,
    ) -> Vec<Tremble> {
        let span = &self.span.frames;
        let from = span.start.max(window.start.saturating_sub(1));
        let to = span.end.min(window.end + 1).max(from);
        let knees = knees(self.limb, run, from..to, root);
        let bends: Vec<f64> = knees.iter().map(|knee| bend(knee.versine)).collect();
        let n_frames = self.limb.need.shifts.len();
        let tremble = |(k, three): (usize, &[f64])| {
            let (frame, bend) = (from + k + 1, three[1]);
            let is_straight = bend < STRAIGHT + self.raise;
            // While a foot comes down or lifts off, its knee is straightened fast: it is compared to the roughest then.
            let weight = if is_straight {
                weight(self.span, frame, n_frames, KNEE_EDGE / run.frame_time)
            } else {
                1.0
            };
            let part = self.unspared.get(frame - span.start).copied().unwrap_or(1.0);
            let size =
                part * weight * second(three) / (ROUGH * self.limits[usize::from(!is_straight)]);
            Tremble { frame, size, bend, is_straight: is_straight && self.is_straight }
        };
        bends.windows(3).enumerate().map(tremble).collect()
    }
}
