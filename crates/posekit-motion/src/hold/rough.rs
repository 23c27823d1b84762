//! Knees that come out rougher than they were.
//!
//! The root's displacement is the minimum of one quadratic form, in which the bend of a knee is linear. Two things escape that form. A knee that is all but
//! straight is not linear in anything: at one degree it takes up a hundredth of a millimetre by half a degree, and trembles with what no eye sees of the
//! hip. And one price for all knees is too little where a foot is held and its hip jumps. So the knees are looked at when the root has been found. Where one is
//! rougher than the motion's own, the root changes a little around that time:
//!
//! - the knee becomes dearer, and the other one there a little, too;
//! - if it is straight, its bend is led along a smooth course, and the root goes to where the leg then reaches: the squared distance that a bend asks for is all
//!   but linear in the root, also where the leg is straight;
//! - if that is not enough, it is bent a little more. That costs next to nothing: a leg at six degrees is shorter by a thousandth, and trembles six times less
//!   than at one.
//!
//! What the foot spares its knee by rolling afterwards counts as spared: where a captured figure jumps, that is most of it. And hips pay for knees: two legs side by
//! side turn a small difference into a large one across them. So the best is where both the roughest knee and the roughest hip are the least, each against what is
//! rough in the motion.
//!
//! | Symbol | Meaning |
//! |---|---|
//! | `Δ(t)` | change of the root's displacement, the unknown; zero outside a window of time |
//! | `s(t)` | versine of the knee: one less the cosine of its angle from straight; below zero out of reach |
//! | `θ(t)` | its bend as the chord of that angle, `√(2 s)`: what the angle is where it is small, and as smooth |
//! | `θ*(t)` | the course, or what the bend is now; about it the bend is `θ* + (s − s*) / θ*` |
//! | `c(t)` | price of a knee, 1 for all at first |
//!
//! `Δ` minimises `ΔᵀAΔ + Σ_t c τ_k⁴ (D²θ)² + γ |Δ|²`, with `A` of the form that the root is the minimum of; where a course is led, `(θ − θ*)²` takes the
//! place of what the bend of that leg costs there.

use core::ops::Range;

use posekit::glam::{DMat3, DVec3};

use super::carry::{Run, SWING, Side, stiffness};
use super::knee::{LEAST, Led, ROUGH, Stand, bend, follow, greater, knees, meeting, stands};
use super::root::System;
use super::spare::{KNEE_EDGE, KNEE_TIME, fourth, weight};

/// Bends of a course faster than in about six times this are smoothed away \[s\].
const COURSE_TIME: f64 = 0.03;

/// How much dearer a rough knee becomes at the first look; at later ones less, the more often it was looked at, so that it comes to rest.
const DEARER: f64 = 8.0;

/// The part of that by which the other knees become dearer there, too: or where both feet stand, what one knee is spared goes to the other, and back at the next look.
const BESIDE: f64 = 0.35;

/// So long before and after the rough time \[s\].
const NEAR: f64 = 0.05;

/// The root may change for so long before and after a rough time \[s\].
const WINDOW: f64 = 0.18;

/// What it costs the root to change, against what it costs to move it: much, so that it follows what is fast and does not drift off after it.
const STAY: f64 = 1000.0;

/// The same where a course is led, which may be lower than the root.
const STAY_LED: f64 = 200.0;

/// By how much farther than before the root may get, and as a part of the limb: two legs side by side ask for it, when they must differ by a little.
const FARTHER: (f64, f64) = (1.5, 0.004);

/// How often the knees are looked at again.
const LOOKS: usize = 14;

/// Changes the root so that knees do not come out rougher than they were; which of them it leads along a course, and when.
///
/// - `pinned`: which are led already, in the order of time, counted in frames that stay as they are: every so many from the first
/// - `system`: of which `root` is the minimum
pub(super) fn spare_rough_knees(
    limbs: &[Side<'_>],
    run: &Run<'_>,
    pinned: Option<(&[Led], usize)>,
    system: &System,
    root: &mut [DVec3],
) -> Vec<Led> {
    let mut legs = stands(limbs, run, root);
    if let Some((led, step)) = pinned {
        legs.iter_mut().for_each(|stands| follow(stands, led, step));
    }
    let step = pinned.map(|(_, step)| step);
    for stand in legs.iter_mut().flatten() {
        stand.trembles = stand.trembles(run, root, stand.frames());
        if stand.trembles.iter().any(|tremble| tremble.size > 1.0) && stand.spare_by_foot(run, root)
        {
            stand.trembles = stand.trembles(run, root, stand.frames());
        }
    }
    let windows = windows(&legs, run);
    let roughest = if windows.is_empty() { 0.0 } else { roughest_joint(limbs, run) };
    for window in windows {
        let mut met: Vec<&mut [Stand<'_>]> = Vec::with_capacity(legs.len());
        for stands in &mut legs {
            let inside = meeting(stands, &window, Stand::frames);
            met.push(&mut stands[inside]);
        }
        smooth(&mut met, run, (system, &window, step), (root, roughest));
    }
    let led = legs.iter().flatten().filter(|stand| stand.is_led());
    led.map(|stand| (stand.limb.plan.limb, stand.frames().clone())).collect()
}

/// The times in which the root changes: around rough knees, for straight ones as long as a leg is held, also the other one that is straight then.
fn windows(legs: &[Vec<Stand<'_>>], run: &Run<'_>) -> Vec<Range<usize>> {
    let around = frames_of(WINDOW, run.frame_time);
    let mut found: Vec<Range<usize>> = Vec::new();
    for stand in legs.iter().flatten() {
        let mut rough = stand.trembles.iter().filter(|tremble| tremble.size > 1.0).peekable();
        if rough.peek().is_some() && rough.clone().any(|tremble| tremble.is_straight) {
            for stands in legs {
                let met = stands[meeting(stands, stand.frames(), Stand::frames)].iter();
                found.extend(met.filter(|other| other.is_straight).map(|o| o.frames().clone()));
            }
        }
        found.extend(rough.map(|tremble| tremble.frame..tremble.frame + 1));
        found.extend(stand.is_led().then(|| stand.frames().clone()));
    }
    for window in &mut found {
        window.start = window.start.saturating_sub(around).max(run.frames.start);
        window.end = (window.end + around).min(run.frames.end);
    }
    found.sort_by_key(|window| (window.start, window.end));
    let mut windows: Vec<Range<usize>> = Vec::new();
    for window in found {
        match windows.last_mut() {
            Some(last) if window.start <= last.end => last.end = last.end.max(window.end),
            _ => windows.push(window),
        }
    }
    windows
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
fn frames_of(time: f64, frame_time: f64) -> usize {
    (time / frame_time).clamp(1.0, 1e6) as usize
}

/// The largest third difference of a hip, knee or ankle in the motion itself.
fn roughest_joint(limbs: &[Side<'_>], run: &Run<'_>) -> f64 {
    let legs = limbs.iter().filter(|limb| limb.plan.is_leg).map(|limb| limb.plan.limb);
    let joints = legs.flat_map(|limb| [limb.start, limb.mid, limb.end]);
    let place = |joint| move |frame| run.tracks.place(frame, joint);
    joints.map(|joint| roughest(run.frames.clone().map(place(joint)))).fold(0.0, greater)
}

/// The largest third difference of places in a row.
fn roughest(places: impl Iterator<Item = DVec3>) -> f64 {
    let (mut last, mut most) = ([DVec3::ZERO; 3], 0.0);
    for (n, place) in places.enumerate() {
        if n >= 3 {
            most = greater(most, ((place - last[0]) - (last[2] - last[1]) * 3.0).length_squared());
        }
        last = [last[1], last[2], place];
    }
    most.sqrt()
}

/// Changes the root in a window for as long as that makes the roughest knee of it smoother, and hips not rough.
///
/// - `roughest_joint`: third differences of hips up to this are not rough
fn smooth(
    legs: &mut [&mut [Stand<'_>]],
    run: &Run<'_>,
    (system, window, step): (&System, &Range<usize>, Option<usize>),
    (root, roughest_joint): (&mut [DVec3], f64),
) {
    let inside = window.start - run.frames.start..window.end - run.frames.start;
    let first = root[inside.clone()].to_vec();
    let farthest = |root: &[DVec3]| root.iter().map(|r| r.length()).fold(0.0, greater);
    let mut all = legs.iter().flat_map(|stands| stands.iter());
    let length = all.clone().map(|stand| stand.limb.need.length).fold(0.0, greater);
    let far = FARTHER.0 * farthest(&first) + FARTHER.1 * length;
    // What is led from the first has not been gone after yet.
    let is_new = all.any(Stand::is_led);
    let held = legs.iter().filter_map(|stands| stands.first());
    let hips: Vec<usize> = held.map(|stand| stand.limb.plan.limb.start).collect();
    let of_hips = |root: &[DVec3]| {
        let moved = |hip: usize| {
            let places = window.clone().map(move |frame| run.tracks.place(frame, hip));
            roughest(places.zip(root).map(|(place, shift)| place + *shift))
        };
        hips.iter().map(|hip| moved(*hip)).fold(0.0, greater)
    };
    let most = ROUGH * greater(roughest_joint, of_hips(&first));
    let rough = look(legs, run, root, window);
    let mut left = if is_new { f64::INFINITY } else { rough };
    let (mut least, mut best) = (left, first.clone());
    let mut change = vec![DVec3::ZERO; first.len()];
    for look_no in 0..LOOKS {
        if left <= 1.0 {
            break;
        }
        lead(legs, run, window);
        charge(legs, run, (DEARER - 1.0) / (1.0 + look_no as f64));
        let mut costs = costs(legs, run, (root, &change), (window, step));
        costs.add_part(system, inside.start);
        costs.solve(&mut change);
        for (root, (first, change)) in
            root[inside.clone()].iter_mut().zip(first.iter().zip(&change))
        {
            *root = *first + *change;
        }
        left = greater(look(legs, run, root, window), of_hips(&root[inside.clone()]) / most);
        if farthest(&root[inside.clone()]) > far {
            break;
        }
        if left < least {
            least = left;
            best.copy_from_slice(&root[inside.clone()]);
        }
    }
    root[inside].copy_from_slice(&best);
}

/// Looks how knees tremble in a window; returns how much the roughest does.
fn look(
    legs: &mut [&mut [Stand<'_>]],
    run: &Run<'_>,
    root: &[DVec3],
    window: &Range<usize>,
) -> f64 {
    let mut most = 0.0;
    for stand in legs.iter_mut().flat_map(|stands| stands.iter_mut()) {
        stand.trembles = stand.trembles(run, root, window);
        most = stand.trembles.iter().map(|tremble| tremble.size).fold(most, greater);
    }
    most
}

/// Makes knees dearer where they are rough, and the others there by a part of that.
///
/// - `more`: by how much, as a part of what they cost
fn charge(legs: &mut [&mut [Stand<'_>]], run: &Run<'_>, more: f64) {
    let near = frames_of(NEAR, run.frame_time);
    let rough: Vec<Vec<usize>> = legs.iter().map(|stands| rough_frames(stands)).collect();
    for (own, stands) in legs.iter_mut().enumerate() {
        for stand in stands.iter_mut() {
            // First it is seen what leading does, then what bending does, where the knee is rough and straight.
            let is_to_bend = stand.is_led() && stand.raise == 0.0 && stand.pinned.is_none();
            if is_to_bend && stand.wanted_raise().is_some() {
                continue;
            }
            // A stand may last for all of a clip: only what is near to anything rough is looked at.
            let all = rough.iter().flatten();
            let first = all.clone().min().map_or(0, |frame| frame.saturating_sub(near));
            let end = all.max().map_or(0, |frame| frame + near + 1);
            let start = stand.frames().start.max(first);
            let inside = start - stand.frames().start
                ..end.min(stand.frames().end).max(start) - stand.frames().start;
            let n = inside.len();
            let mut factors = vec![1.0; n];
            for (leg, frames) in rough.iter().enumerate() {
                let factor = 1.0 + if leg == own { more } else { BESIDE * more };
                // Each frame once, however many are rough near it.
                let mut next = 0;
                for frame in frames {
                    let from = frame.saturating_sub(start + near).max(next);
                    let end = (frame + near + 1).saturating_sub(start).min(n);
                    let near = factors.get_mut(from..end).unwrap_or_default();
                    near.iter_mut().for_each(|own| *own = greater(*own, factor));
                    next = end;
                }
            }
            let prices = stand.prices.get_mut(inside).unwrap_or_default();
            prices.iter_mut().zip(factors).for_each(|(price, factor)| *price *= factor);
        }
    }
}

/// The frames in which the knee of a leg is rough, in their order.
fn rough_frames(stands: &[Stand<'_>]) -> Vec<usize> {
    let trembles = stands.iter().flat_map(|stand| &stand.trembles);
    trembles.filter(|tremble| tremble.size > 1.0).map(|tremble| tremble.frame).collect()
}

/// Leads straight knees that are rough, with the other one that is straight then, and bends those that were led already.
fn lead(legs: &mut [&mut [Stand<'_>]], run: &Run<'_>, window: &Range<usize>) {
    let raise = |stand: &Stand<'_>| Some((stand.wanted_raise()?, stand.frames().clone()));
    let raises: Vec<Vec<(f64, Range<usize>)>> =
        legs.iter().map(|stands| stands.iter().filter_map(raise).collect()).collect();
    for stand in legs.iter_mut().flat_map(|stands| stands.iter_mut()) {
        let frames = stand.frames();
        if !stand.is_straight || frames.start < window.start || frames.end > window.end {
            continue;
        }
        let met = raises.iter().flat_map(|raises| &raises[meeting(raises, frames, |(_, at)| at)]);
        let Some(raise) = met.map(|(raise, _)| *raise).reduce(greater) else { continue };
        if !stand.is_led() {
            stand.course = stand.new_course(COURSE_TIME / run.frame_time);
        }
        if stand.pinned.is_none() {
            stand.raise = greater(stand.raise, raise);
        }
    }
}

/// What it costs to change the root in a window, besides what it costs to move it.
///
/// - `root`, `change`: as it is now, and by how much that was changed
fn costs(
    legs: &[&mut [Stand<'_>]],
    run: &Run<'_>,
    (root, change): (&[DVec3], &[DVec3]),
    (window, step): (&Range<usize>, Option<usize>),
) -> System {
    let new_system = || System::new(window.clone(), step.map(|step| (&[][..], step)));
    let mut all = new_system();
    let mut stays = vec![STAY; window.len()];
    // Of each leg by itself, so that left and right make no difference.
    for stands in legs {
        let mut own = new_system();
        for stand in stands.iter() {
            stand.add_costs(run, (root, change), window, &mut own);
            let frames = stand.frames();
            let inside = frames.start.max(window.start)..frames.end.min(window.end);
            if stand.is_led() {
                stays[inside.start - window.start..inside.end - window.start].fill(STAY_LED);
            }
        }
        all.add_all(&own);
    }
    for (at, stay) in stays.into_iter().enumerate() {
        let stay = stay * run.settings.root_stiffness;
        all.add(at, &DMat3::from_diagonal(DVec3::splat(stay)), DVec3::ZERO);
    }
    all
}

impl Stand<'_> {
    fn add_costs(
        &self,
        run: &Run<'_>,
        (root, change): (&[DVec3], &[DVec3]),
        window: &Range<usize>,
        system: &mut System,
    ) {
        let span = &self.span.frames;
        let frames = span.start.max(window.start)..span.end.min(window.end);
        let prices = frames.start.saturating_sub(span.start)..frames.end.saturating_sub(span.start);
        let prices = self.prices.get(prices).unwrap_or_default();
        let is_dear = || prices.iter().any(|price| *price > 1.0);
        if !self.is_led() && !is_dear() {
            return;
        }
        let square = self.limb.need.length * self.limb.need.length;
        let mut linear = Vec::with_capacity(frames.len());
        for (frame, knee) in frames.clone().zip(knees(self.limb, run, frames.clone(), root)) {
            let at = frame - window.start;
            let course = if self.is_led() {
                self.course(frame - span.start)
            } else {
                greater(bend(knee.versine), LEAST)
            };
            let rate = knee.change / course;
            let off = (knee.versine - 0.5 * course * course) / course - rate.dot(change[at]);
            if self.is_led() {
                system.add_row(at, &[rate], -off, square);
                let place = root[frame - run.frames.start] - change[at];
                self.take_off_bend(run, frame, place, (at, system));
            }
            linear.push((course + off, rate));
        }
        let cost = square * fourth(KNEE_TIME / run.frame_time);
        let n_frames = self.limb.need.shifts.len();
        for (frame, three) in (frames.start + 1..).zip(linear.windows(3)) {
            // What all knees cost is in the form already, if they are not led.
            let price = self.prices[frame - span.start] - if self.is_led() { 0.0 } else { 1.0 };
            if price > 0.0 {
                let weight = weight(self.span, frame, n_frames, KNEE_EDGE / run.frame_time);
                let [a, b, c] = [three[0], three[1], three[2]];
                let wanted = (b.0 - a.0) - (c.0 - b.0);
                let factors = [a.1, -2.0 * b.1, c.1];
                system.add_row(frame - 1 - window.start, &factors, wanted, weight * cost * price);
            }
        }
    }

    /// Takes off what it costs the leg to bend, as it is in the form.
    ///
    /// - `place`: the root's displacement that is changed
    fn take_off_bend(
        &self,
        run: &Run<'_>,
        frame: usize,
        place: DVec3,
        (at, system): (usize, &mut System),
    ) {
        let swing = DMat3::from_diagonal(DVec3::splat(SWING));
        let along = stiffness(self.limb.plan, run.tracks, frame, self.soft) - swing;
        system.add(at, &-along, -along * (self.limb.need.shifts[frame] - place));
    }
}
