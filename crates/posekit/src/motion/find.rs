//! Finding the legs of a figure: by the names of its joints, else by where its limbs end.

use super::clip::Clip;
use super::leg::{Leg, Limb, Shape, Side};
use super::names::{Part, convention, words};
use crate::math::Pose;
use crate::skeleton::Skeleton;

/// Frames that are looked at to see how low limbs hang; spread over the clip.
const SAMPLES: usize = 32;

/// How high above the lowest limb another may end, half of the time, to be a leg too \[of the lowest limb's length\]. Hands hang at 0.8.
const LOW: f64 = 0.25;

/// How much two limbs may differ in length to be a pair \[part of the longer\].
const EVEN: f64 = 0.05;

/// How far a ball is from its ankle at least \[of the limb's length\]: joints nearer are at the same place.
const FOOT: f64 = 0.02;

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
/// Pairs that end as low as legs found by name are added to them.
///
/// # Degenerate cases
/// Where nothing is found, `legs` is empty and `candidates` names the ends of all limbs. A clip without frames is judged at neutral values.
#[must_use]
pub fn find_legs(clip: &Clip) -> Legs {
    let shape = Shape::new(clip.skeleton());
    let named = by_name(&shape);
    let lowest = Lowest::new(clip);
    let shaped = by_shape(&shape, &lowest);
    let is_new = |leg: &&Leg| {
        !named.iter().any(|other| {
            other.limb.start == leg.limb.start
                || shape.skeleton.ancestors(leg.limb.end).any(|j| j == other.limb.start)
        })
    };
    let more: Vec<Leg> = shaped.iter().filter(is_new).cloned().collect();
    let name = |joint: usize| shape.skeleton.name(joint);
    if named.is_empty() {
        if shaped.is_empty() {
            return none(&shape);
        }
        let ends: Vec<&str> = shaped.iter().map(|leg| name(leg.limb.end)).collect();
        let reason = format!("by shape: the limbs that end lowest, at {}", ends.join(", "));
        return Legs { legs: shaped, reason, candidates: Vec::new() };
    }
    let ends: Vec<&str> = named.iter().map(|leg| name(leg.limb.end)).collect();
    let mut reason = match convention(&ends) {
        Some(convention) => format!("by name, as in {convention}: {}", ends.join(", ")),
        None => format!("by name: {}", ends.join(", ")),
    };
    if !more.is_empty() {
        let ends: Vec<&str> = more.iter().map(|leg| name(leg.limb.end)).collect();
        reason.push_str(&format!("; and limbs that end as low: {}", ends.join(", ")));
    }
    let legs = named.into_iter().chain(more).collect();
    Legs { legs, reason, candidates: Vec::new() }
}

impl Leg {
    /// The leg that ends at a joint, by shape and the names of what is below it; `None` where no limb ends there.
    ///
    /// # Example
    /// ```
    /// use posekit::glam::DVec3;
    /// use posekit::math::Pose;
    /// use posekit::motion::{Leg, Side};
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
    /// # Ok::<(), posekit::Error>(())
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

/// The ball of a foot: the uppermost joint below the ankle that has a toe's name; else the only one that carries on, if it is away from the ankle.
fn ball(shape: &Shape<'_>, limb: &Limb) -> Option<usize> {
    let skeleton = shape.skeleton;
    let length = shape.distance(limb.start, limb.mid) + shape.distance(limb.mid, limb.end);
    let is_away = |joint: usize| shape.distance(joint, limb.end) > FOOT * length;
    let below = (limb.end + 1..skeleton.n_joints())
        .filter(|&joint| is_away(joint) && skeleton.ancestors(joint).any(|j| j == limb.end));
    let is_toe = |joint: &usize| words(skeleton.name(*joint)).part == Some(Part::Ball);
    let depth = |joint: &usize| skeleton.ancestors(*joint).count();
    if let Some(toe) = below.clone().filter(is_toe).min_by_key(depth) {
        return Some(toe);
    }
    let mut all = below.filter(|joint| skeleton.parent(*joint) == Some(limb.end));
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

fn by_name(shape: &Shape<'_>) -> Vec<Leg> {
    let mut legs = Vec::new();
    let named =
        (0..shape.skeleton.n_joints()).map(|joint| (joint, words(shape.skeleton.name(joint))));
    let ankles: Vec<_> = named.filter(|(_, found)| found.part == Some(Part::Ankle)).collect();
    for side in [Side::Left, Side::Right] {
        let mut best: Option<((bool, f64), Leg)> = None;
        for (joint, found) in ankles.iter().filter(|(_, found)| found.side == side) {
            let joint = *joint;
            // Of several the one that deforms the body, then the one with the longest leg: the ankle and not a joint of the foot below it.
            let Some((_, score)) = shape.limb_ending_at(joint) else { continue };
            let rank = (found.is_deforming, score);
            if best.as_ref().is_none_or(|(best, _)| rank > *best) {
                best = leg_of(shape, joint).map(|leg| (rank, Leg { side, ..leg }));
            }
        }
        legs.extend(best.map(|(_, leg)| leg));
    }
    legs
}

/// How low every joint, and what it carries, is over a clip: the middle value over frames, along up.
struct Lowest(Vec<f64>);

impl Lowest {
    fn new(clip: &Clip) -> Self {
        let skeleton = clip.skeleton();
        let n = skeleton.n_joints();
        let n_frames = clip.n_frames();
        let n_samples = if n_frames < SAMPLES { n_frames } else { SAMPLES };
        let mut poses = vec![Pose::IDENTITY; n];
        let mut heights = vec![Vec::with_capacity(n_samples); n];
        let mut add = |q: &[f64]| {
            skeleton.forward_kinematics(q, &mut poses);
            let mut lowest: Vec<f64> = poses.iter().map(|p| p.translation.dot(clip.up())).collect();
            for joint in (0..n).rev() {
                if let Some(parent) = skeleton.parent(joint) {
                    lowest[parent] =
                        if lowest[joint] < lowest[parent] { lowest[joint] } else { lowest[parent] };
                }
                heights[joint].push(lowest[joint]);
            }
        };
        for sample in 0..n_samples {
            add(clip.frame(sample * n_frames / n_samples));
        }
        if n_samples == 0 {
            add(&skeleton.neutral());
        }
        Self(heights.iter_mut().map(|heights| middle(heights)).collect())
    }
}

/// The middle value of some numbers; 0 of none.
fn middle(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

/// Pairs of limbs of one length under one joint, that end lowest.
fn by_shape(shape: &Shape<'_>, lowest: &Lowest) -> Vec<Leg> {
    let mut pairs: Vec<(f64, f64, [Leg; 2])> = Vec::new();
    for joint in 0..shape.skeleton.n_joints() {
        let children = shape.skeleton.children(joint);
        for (i, &a) in children.iter().enumerate() {
            for &b in &children[i + 1..] {
                let reaches = [a, b].map(|child| shape.reach_through(child, joint));
                let is_pair =
                    (reaches[0] - reaches[1]).abs() <= EVEN * (reaches[0] + reaches[1]) / 2.0;
                let legs = [a, b].map(|child| limb_below(shape, child));
                if let (true, [Some(a_leg), Some(b_leg)]) = (is_pair, legs) {
                    let low = (lowest.0[a] + lowest.0[b]) / 2.0;
                    pairs.push((low, (reaches[0] + reaches[1]) / 2.0, [a_leg, b_leg]));
                }
            }
        }
    }
    let Some(bottom) = pairs.iter().map(|pair| pair.0).min_by(f64::total_cmp) else {
        return Vec::new();
    };
    let reach = pairs.iter().filter(|pair| pair.0 == bottom).map(|pair| pair.1).fold(0.0, f64::max);
    pairs.retain(|pair| pair.0 <= bottom + LOW * reach);
    pairs
        .into_iter()
        .flat_map(|(.., [a, b])| if a.side > b.side { [b, a] } else { [a, b] })
        .collect()
}

/// The limb of a branch: of all on the way to its farthest end, the longest and most even.
fn limb_below(shape: &Shape<'_>, branch: usize) -> Option<Leg> {
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
    best.and_then(|(limb, _)| leg_of(shape, limb.end))
}

fn none(shape: &Shape<'_>) -> Legs {
    let skeleton = shape.skeleton;
    let ends = (0..skeleton.n_joints()).filter(|&joint| shape.limb_ending_at(joint).is_some());
    let candidates: Vec<String> = ends.map(|joint| skeleton.name(joint).to_owned()).collect();
    let reason = if candidates.is_empty() {
        "no legs: no joint has two others above it that could bend like hip and knee".to_owned()
    } else {
        "no legs: no joints have names of feet, and no two limbs of one length end lowest"
            .to_owned()
    };
    Legs { legs: Vec::new(), reason, candidates }
}
