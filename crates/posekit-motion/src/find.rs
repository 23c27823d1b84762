//! Finding the legs of a figure: by the names of its joints, else by where its limbs end.

use posekit::math::Pose;
use posekit::skeleton::Skeleton;

use super::clip::Clip;
use super::leg::{Leg, Limb, Shape, Side};
use super::names::{Part, convention, words};

/// Left before right.
const SIDES: [Side; 2] = [Side::Left, Side::Right];

/// So many limbs are named in a reason: as many as a spider has legs.
const NAMED: usize = 8;

/// Frames that are looked at to see how low limbs hang; spread over the clip.
const SAMPLES: usize = 32;

/// How high above the lowest limb another may end, half of the time, to be a leg too \[of the lowest limb's length\]. Hands hang at 0.8.
const LOW: f64 = 0.25;

/// How much two limbs may differ in length to be a pair \[part of the longer\].
const EVEN: f64 = 0.05;

/// How far a ball is from its ankle at least \[of the limb's length\]: joints nearer are at the same place.
const FOOT: f64 = 0.02;

/// A limb that ends nearer than this to the foot of a leg is no other leg, but steers this one \[of the leg's length\].
const AT_FOOT: f64 = 0.25;

/// How many times longer and more even a limb must be that ends farther down, for its foot not to be taken for a shin.
const LONGER: f64 = 1.3;

/// The legs of a figure, and why these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Legs {
    /// The legs: left before right, fore and hind pairs in the order of the skeleton. Empty where none are found.
    pub legs: Vec<Leg>,
    /// Why these, or why none: for people.
    pub reason: String,
    /// Where no legs are found: the joints that limbs end at, by name, for somebody to choose from.
    pub candidates: Vec<String>,
}

/// Finds the legs of a clip's figure.
///
/// By name first, in the words of the usual conventions (CMU, Mixamo, Unreal, VRM, `VRoid`, Biped, `HumanIK`, DAZ, `MakeHuman`, iClone, Rigify, Kinect, SMPL,
/// `MikuMikuDance` and what is like them); else by shape: pairs of limbs of one length that end lowest over the clip, and so the four of a quadruped.
/// Pairs that end as low as legs found by name are added to them, save those that end where these do, or steer by their names, or are hands that end higher at
/// rest: in all motions of a figure the legs are the same, whether such joints move in them or not, and whether somebody sits on the floor.
///
/// # Degenerate cases
/// Where nothing is found, `legs` is empty and `candidates` names the ends of all limbs. A clip without frames is judged at neutral values.
#[must_use]
pub fn find_legs(clip: &Clip) -> Legs {
    let shape = Shape::new(clip.skeleton());
    let stiff = stiff_ankles(&shape);
    let named = by_name(&shape, &stiff);
    let lowest = Lowest::new(clip);
    let mut shaped = by_shape(&shape, &lowest);
    shaped.retain(|leg| !stiff.iter().any(|ankle| is_around(shape.skeleton, leg, *ankle)));
    let mut more = beside(&shape, &named, &shaped);
    if more.iter().any(|leg| is_hand(&shape, leg)) {
        let at_rest = by_shape(&shape, &Lowest::at_rest(clip));
        more.retain(|leg| !is_hand(&shape, leg) || at_rest.contains(leg));
    }
    let name = |joint: usize| shape.skeleton.name(joint);
    let ends = |legs: &[Leg]| -> Vec<&str> { legs.iter().map(|leg| name(leg.limb.end)).collect() };
    if named.is_empty() {
        if shaped.is_empty() {
            return none(&shape, &stiff);
        }
        let reason = format!("by shape: the limbs that end lowest, at {}", listed(&ends(&shaped)));
        return Legs { legs: shaped, reason, candidates: Vec::new() };
    }
    let feet = ends(&named);
    let mut reason = match convention(&feet) {
        Some(convention) => format!("by name, as in {convention}: {}", listed(&feet)),
        None => format!("by name: {}", listed(&feet)),
    };
    if !more.is_empty() {
        reason.push_str(&format!("; and limbs that end as low: {}", listed(&ends(&more))));
    }
    let legs = named.into_iter().chain(more).collect();
    Legs { legs, reason, candidates: Vec::new() }
}

/// Names in a row; of more than [`NAMED`] the first.
fn listed(names: &[&str]) -> String {
    match names.len().saturating_sub(NAMED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..NAMED].join(", ")),
    }
}

/// The limbs found by shape that are legs beside those found by name, as the fore legs of a horse are: no part of these, not at their feet,
/// and not such as only steer by their names, wherever a pose has left them.
fn beside(shape: &Shape<'_>, named: &[Leg], shaped: &[Leg]) -> Vec<Leg> {
    let mut is_in_named = vec![false; shape.skeleton.n_joints()];
    for joint in 0..is_in_named.len() {
        let parent = shape.skeleton.parent(joint);
        is_in_named[joint] = named.iter().any(|leg| leg.limb.start == joint)
            || parent.is_some_and(|parent| is_in_named[parent]);
    }
    let steers = |leg: &Leg| named.iter().any(|other| ends_at_foot(shape, leg, other));
    let is_helper = |joint: usize| words(shape.skeleton.name(joint)).is_helper;
    let helps = |leg: &Leg| leg.limb.joints().into_iter().all(is_helper);
    let is_new = |leg: &&Leg| !is_in_named[leg.limb.end] && !steers(leg) && !helps(leg);
    shaped.iter().filter(is_new).cloned().collect()
}

/// Whether a limb ends in what is called a hand: an arm of people, a fore leg of some animals.
fn is_hand(shape: &Shape<'_>, leg: &Leg) -> bool {
    words(shape.skeleton.name(leg.limb.end)).part == Some(Part::Wrist)
}

/// Whether a limb ends at the foot of a leg: nearer to its ankle or its ball, at rest, than any other leg of the figure stands.
fn ends_at_foot(shape: &Shape<'_>, limb: &Leg, leg: &Leg) -> bool {
    let Limb { start, mid, end } = leg.limb;
    let near = AT_FOOT * (shape.distance(start, mid) + shape.distance(mid, end));
    let foot = [Some(end), leg.ball];
    foot.into_iter().flatten().any(|joint| shape.distance(joint, limb.limb.end) < near)
}

impl Leg {
    /// The leg that ends at a joint, by shape and the names of what is below it; `None` where no limb ends there.
    ///
    /// # Example
    /// ```
    /// use posekit::glam::DVec3;
    /// use posekit::math::Pose;
    /// use posekit_motion::{Leg, Side};
    /// use posekit::skeleton::{Joint, Skeleton};
    ///
    /// let down = Pose::from_translation(DVec3::new(0.0, -0.4, 0.0));
    /// let skeleton = Skeleton::try_new(vec![
    ///     Joint::free("hips"),
    ///     Joint::ball("LeftUpLeg").child_of(0),
    ///     Joint::ball("LeftLeg").at(down).child_of(1),
    ///     Joint::ball("LeftFoot").at(down).child_of(2),
    /// ])?;
    /// let leg = Leg::ending_at(&skeleton, 3).expect("hip and knee are above it");
    /// assert_eq!((leg.limb.start, leg.limb.mid, leg.side), (1, 2, Side::Left));
    /// # Ok::<(), posekit_motion::Error>(())
    /// ```
    #[must_use]
    pub fn ending_at(skeleton: &Skeleton, joint: usize) -> Option<Self> {
        leg_of(&Shape::new(skeleton), joint)
    }
}

fn leg_of(shape: &Shape<'_>, ankle: usize) -> Option<Leg> {
    let (limb, _) = shape.limb_ending_at(ankle)?;
    let chain = [ankle, limb.mid, limb.start];
    let sides = chain.map(|joint| words(shape.skeleton.name(joint)).side);
    let side = sides.into_iter().find(|side| *side != Side::Middle).unwrap_or(Side::Middle);
    Some(Leg { limb, ball: ball(shape, &limb), side })
}

/// The ball of a foot: of the uppermost joints below the ankle that have a toe's name the one farthest from it, which left and right have in common,
/// whatever the order in the file; else the only joint that carries on, if it is away from the ankle.
fn ball(shape: &Shape<'_>, limb: &Limb) -> Option<usize> {
    let skeleton = shape.skeleton;
    let length = shape.distance(limb.start, limb.mid) + shape.distance(limb.mid, limb.end);
    let is_away = |joint: &usize| shape.distance(*joint, limb.end) > FOOT * length;
    let is_toe = |joint: &usize| words(skeleton.name(*joint)).part == Some(Part::Ball);
    let far = |joint: &usize| shape.distance(*joint, limb.end);
    let mut level = skeleton.children(limb.end).to_vec();
    let mut first = level.iter().copied().filter(is_away);
    let only = first.next().filter(|_| first.next().is_none());
    while !level.is_empty() {
        let toes = level.iter().copied().filter(|joint| is_away(joint) && is_toe(joint));
        // Of joints that are as far the first.
        if let Some(toe) = toes.rev().max_by(|a, b| far(a).total_cmp(&far(b))) {
            return Some(toe);
        }
        level = level.iter().flat_map(|&joint| skeleton.children(joint)).copied().collect();
    }
    only
}

fn by_name(shape: &Shape<'_>, stiff: &[usize]) -> Vec<Leg> {
    let mut best: [Option<((bool, f64), usize)>; 2] = [None; 2];
    for joint in 0..shape.skeleton.n_joints() {
        let found = words(shape.skeleton.name(joint));
        let Some(at) = SIDES.iter().position(|side| *side == found.side) else { continue };
        if found.part != Some(Part::Ankle) || stiff.contains(&joint) {
            continue;
        }
        // Of several the one that deforms the body, then the one with the longest leg: the ankle and not a joint of the foot below it.
        let Some((_, score)) = shape.limb_ending_at(joint) else { continue };
        let rank = (found.is_deforming, score);
        if best[at].is_none_or(|(best, _)| rank > best) {
            best[at] = Some((rank, joint));
        }
    }
    let leg = |(side, best): (Side, Option<(_, usize)>)| {
        best.and_then(|(_, joint)| leg_of(shape, joint)).map(|leg| Leg { side, ..leg })
    };
    SIDES.into_iter().zip(best).filter_map(leg).collect()
}

/// Joints called ankles, of one side, whose knees cannot turn: they have no channels, or nothing moves them.
fn stiff_ankles(shape: &Shape<'_>) -> Vec<usize> {
    let is_ankle = |joint: &usize| {
        let found = words(shape.skeleton.name(*joint));
        found.part == Some(Part::Ankle) && found.side != Side::Middle && !found.is_helper
    };
    let all = 0..shape.skeleton.n_joints();
    all.filter(|joint| is_ankle(joint) && shape.is_stiff_above(*joint)).collect()
}

/// Whether a limb bends about an ankle, or ends above it: it is no leg then, but a part of one.
fn is_around(skeleton: &Skeleton, leg: &Leg, ankle: usize) -> bool {
    let carries =
        |above: usize, below: usize| skeleton.ancestors(below).any(|joint| joint == above);
    carries(ankle, leg.limb.end) || carries(leg.limb.end, ankle)
}

/// How low every joint, and what it carries, is over a clip: the middle value over frames, along up.
struct Lowest(Vec<f64>);

impl Lowest {
    fn new(clip: &Clip) -> Self {
        let n_frames = clip.n_frames();
        if n_frames == 0 {
            return Self::at_rest(clip);
        }
        let n_samples = if n_frames < SAMPLES { n_frames } else { SAMPLES };
        let frames = (0..n_samples).map(|sample| sample * n_frames / n_samples);
        Self::over(clip, frames.map(|frame| clip.frame(frame)))
    }

    /// At neutral values.
    fn at_rest(clip: &Clip) -> Self {
        Self::over(clip, core::iter::once(clip.skeleton().neutral().as_slice()))
    }

    fn over<'a>(clip: &Clip, frames: impl Iterator<Item = &'a [f64]>) -> Self {
        let skeleton = clip.skeleton();
        let n = skeleton.n_joints();
        let mut poses = vec![Pose::IDENTITY; n];
        let mut heights = vec![Vec::with_capacity(SAMPLES); n];
        for q in frames {
            skeleton.forward_kinematics(q, &mut poses);
            let mut lowest: Vec<f64> = poses.iter().map(|p| p.translation.dot(clip.up())).collect();
            for joint in (0..n).rev() {
                if let Some(parent) = skeleton.parent(joint) {
                    lowest[parent] =
                        if lowest[joint] < lowest[parent] { lowest[joint] } else { lowest[parent] };
                }
                heights[joint].push(lowest[joint]);
            }
        }
        Self(heights.iter_mut().map(|heights| middle(heights)).collect())
    }
}

/// The middle value of some numbers; 0 of none.
fn middle(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

/// A branch of a joint with a limb.
struct Branch {
    limb: Limb,
    /// From the joint to the farthest end.
    reach: f64,
    low: f64,
}

/// How low a branch and the lowest of its length end together, and how far they reach.
struct Pairing {
    limb: Limb,
    low: f64,
    reach: f64,
}

/// Limbs of which two under one joint have one length, that end lowest.
fn by_shape(shape: &Shape<'_>, lowest: &Lowest) -> Vec<Leg> {
    let groups: Vec<Vec<Pairing>> = (0..shape.skeleton.n_joints())
        .map(|joint| pairings(&branches(shape, lowest, joint)))
        .filter(|group| !group.is_empty())
        .collect();
    let all = || groups.iter().flatten();
    let Some(bottom) = all().map(|pairing| pairing.low).min_by(f64::total_cmp) else {
        return Vec::new();
    };
    let reach = all().filter(|p| p.low == bottom).map(|p| p.reach).fold(0.0, f64::max);
    let mut legs = Vec::new();
    for group in &groups {
        let low = group.iter().filter(|pairing| pairing.low <= bottom + LOW * reach);
        let mut own: Vec<Leg> = low.filter_map(|p| leg_of(shape, p.limb.end)).collect();
        for pair in own.chunks_exact_mut(2) {
            if pair[0].side > pair[1].side {
                pair.swap(0, 1);
            }
        }
        legs.extend(own);
    }
    legs
}

/// The branches of a joint that have a limb and another of their length beside them, in the order of the skeleton.
fn branches(shape: &Shape<'_>, lowest: &Lowest, joint: usize) -> Vec<Branch> {
    let reach = |child: usize| shape.reach_through(child, joint);
    let mut children = shape.skeleton.children(joint).to_vec();
    children.sort_by(|&a, &b| reach(a).total_cmp(&reach(b)));
    let even = |place: usize| {
        let (a, b) = (children.get(place), children.get(place + 1));
        a.zip(b).is_some_and(|(&a, &b)| is_even(reach(a), reach(b)))
    };
    let mut paired: Vec<usize> = (0..children.len())
        .filter(|&place| even(place) || place > 0 && even(place - 1))
        .map(|place| children[place])
        .collect();
    paired.sort_unstable();
    let branch = |child: usize| {
        let limb = limb_below(shape, child)?;
        Some(Branch { limb, reach: reach(child), low: lowest.0[child] })
    };
    paired.into_iter().filter_map(branch).collect()
}

fn is_even(a: f64, b: f64) -> bool {
    (a - b).abs() <= EVEN * (a + b) / 2.0
}

/// Each branch with the lowest of its length, for those that have one.
///
/// From the lowest up, each is the partner of all of its length that have none yet. These stand side by side in the order of lengths, and those that have one
/// are skipped, so that thousands of equal branches cost no more than sorting them.
fn pairings(branches: &[Branch]) -> Vec<Pairing> {
    let n = branches.len();
    let mut by_reach: Vec<usize> = (0..n).collect();
    by_reach.sort_by(|&a, &b| branches[a].reach.total_cmp(&branches[b].reach));
    let mut by_low: Vec<usize> = (0..n).collect();
    by_low.sort_by(|&a, &b| branches[by_reach[a]].low.total_cmp(&branches[by_reach[b]].low));
    let mut partners = vec![None; n];
    // From each place the next that may have none.
    let mut next: Vec<usize> = (0..=n).collect();
    for own in by_low {
        let reach = branches[by_reach[own]].reach;
        let is_below = |&k: &usize| branches[k].reach < reach;
        let is_alike = |&k: &usize| is_even(branches[k].reach, reach);
        let end = by_reach.partition_point(|k| is_below(k) || is_alike(k));
        let start = by_reach.partition_point(|k| is_below(k) && !is_alike(k));
        let mut place = skip(&mut next, start);
        while place < end {
            if place != own {
                partners[by_reach[place]] = Some(by_reach[own]);
                next[place] = place + 1;
            }
            place = skip(&mut next, place + 1);
        }
    }
    let pairing = |(branch, partner): (&Branch, Option<usize>)| {
        let other = &branches[partner?];
        let low = (branch.low + other.low) / 2.0;
        Some(Pairing { limb: branch.limb, low, reach: (branch.reach + other.reach) / 2.0 })
    };
    branches.iter().zip(partners).filter_map(pairing).collect()
}

/// The first place from one on that leads to itself; ways there become shorter.
fn skip(next: &mut [usize], mut place: usize) -> usize {
    while next[place] != place {
        next[place] = next[next[place]];
        place = next[place];
    }
    place
}

/// The limb of a branch: of all on the way to its farthest end, the longest and most even.
fn limb_below(shape: &Shape<'_>, branch: usize) -> Option<Limb> {
    let mut joint = branch;
    let mut best: Option<(Limb, f64)> = None;
    loop {
        let found = shape.limb_ending_at(joint).filter(|(limb, _)| limb.start >= branch);
        if let Some((limb, score)) = found
            && best.is_none_or(|(_, best)| score > LONGER * best)
        {
            best = Some((limb, score));
        }
        let children = shape.skeleton.children(joint).iter().copied();
        let farther = |a: &usize, b: &usize| {
            shape.reach_through(*a, joint).total_cmp(&shape.reach_through(*b, joint))
        };
        match children.rev().max_by(farther) {
            Some(child) => joint = child,
            None => break,
        }
    }
    best.map(|(limb, _)| limb)
}

fn none(shape: &Shape<'_>, stiff: &[usize]) -> Legs {
    let skeleton = shape.skeleton;
    let ends = (0..skeleton.n_joints()).filter(|&joint| shape.limb_ending_at(joint).is_some());
    let candidates: Vec<String> = ends.map(|joint| skeleton.name(joint).to_owned()).collect();
    let reason = if !stiff.is_empty() {
        let stiff: Vec<&str> = stiff.iter().map(|joint| skeleton.name(*joint)).collect();
        format!("no legs: no knee above {} can turn", listed(&stiff))
    } else if candidates.is_empty() {
        "no legs: no joint has two others above it that could bend like hip and knee".to_owned()
    } else {
        "no legs: no joints have names of feet, and no two limbs of one length end lowest"
            .to_owned()
    };
    Legs { legs: Vec::new(), reason, candidates }
}
