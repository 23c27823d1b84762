//! Limbs of a figure: which joints bend to put a hand or a foot somewhere.

use posekit::glam::DVec3;
use posekit::skeleton::{JointKind, Skeleton};

use super::plant::Part;

/// How long another branch must be, as a part of the limb's own, for the joint that carries both to be the body and not the limb: the other leg at the hips,
/// the other arm at the chest. Twist joints and helpers along a limb end before it does.
const BODY_BRANCH: f64 = 0.9;

/// The shorter bone of a limb, as a part of the longer one: below this the two cannot fold.
const LEAST_RATIO: f64 = 0.2;

/// How many times longer and more even a limb with joints farther up must be to be taken instead: more than what a hip joint's offset adds to a thigh, less
/// than what a twist joint in the middle of a thigh takes off it.
pub(super) const BETTER: f64 = 1.35;

/// How many joints that can turn are looked at above the end of a limb: more than any figure has there, and a chain of thousands must not cost its cube.
const MOST_ABOVE: usize = 64;

/// Joints nearer than this to the one they hang on are at its place \[of the reach from there\].
const AT_BODY: f64 = 0.005;

/// Three joints of one branch that put its end somewhere: hip, knee and ankle, or shoulder, elbow and wrist. They need not be neighbours: joints between
/// them, such as those that share out a twist, keep their values and move along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limb {
    /// Where the limb begins: hip or shoulder.
    pub start: usize,
    /// Where it bends: knee or elbow.
    pub mid: usize,
    /// Where it ends: ankle or wrist.
    pub end: usize,
}

impl Limb {
    /// The limb that ends at a joint, by the shape of the skeleton alone; `None` where no two joints above it could bend like one.
    ///
    /// Looked at are the joints between the body and this one that can turn, the nearest 64 of them; the body begins where another branch is about as
    /// long. Of all pairs of them, from the nearest up, the limb is the one with the longest and most even bones: with `a` the shorter and `b` the longer distance at neutral
    /// values, `a * a / b` must be a third larger to go farther up. So twist joints, and short bones at hip and shoulder, are passed over.
    ///
    /// # Degenerate cases
    /// A joint that is not in the skeleton has no limb. Of equal pairs the one nearer to the end wins.
    #[must_use]
    pub fn ending_at(skeleton: &Skeleton, joint: usize) -> Option<Self> {
        Shape::new(skeleton).limb_ending_at(joint).map(|(limb, _)| limb)
    }

    /// Its joints, from the body outwards.
    #[must_use]
    pub const fn joints(self) -> [usize; 3] {
        [self.start, self.mid, self.end]
    }

    /// Whether nothing stands between its joints.
    #[must_use]
    pub fn is_in_line(&self, skeleton: &Skeleton) -> bool {
        skeleton.parent(self.mid) == Some(self.start) && skeleton.parent(self.end) == Some(self.mid)
    }

    /// Whether its bones can become longer: what they end at can be [moved](JointKind::Free), and nothing stands between.
    #[must_use]
    pub fn can_stretch(&self, skeleton: &Skeleton) -> bool {
        let is_free = |joint| matches!(skeleton.kind(joint), JointKind::Free);
        self.is_in_line(skeleton) && is_free(self.mid) && is_free(self.end)
    }

    /// The length of both bones together at neutral values \[the skeleton's unit\].
    ///
    /// # Panics
    /// When the skeleton has no such joints.
    #[must_use]
    pub fn length(&self, skeleton: &Skeleton) -> f64 {
        let poses = skeleton.poses(&skeleton.neutral());
        let [start, mid, end] = self.joints().map(|j| poses[j].translation);
        start.distance(mid) + mid.distance(end)
    }
}

/// What a skeleton is like at neutral values.
#[derive(Debug)]
pub(super) struct Shape<'a> {
    pub(super) skeleton: &'a Skeleton,
    /// Of every joint, in the world.
    pub(super) positions: Vec<DVec3>,
    /// From every joint along the bones to the farthest end of its branch.
    pub(super) reaches: Vec<f64>,
    /// Of every joint the nearest one above that can turn; none where the body is in between.
    turning_above: Vec<Option<usize>>,
}

impl<'a> Shape<'a> {
    pub(super) fn new(skeleton: &'a Skeleton) -> Self {
        let poses = skeleton.poses(&skeleton.neutral());
        let positions: Vec<DVec3> = poses.iter().map(|pose| pose.translation).collect();
        let mut reaches = vec![0.0; positions.len()];
        let mut widest = vec![[None; 2]; positions.len()];
        for joint in (0..positions.len()).rev() {
            if let Some(parent) = skeleton.parent(joint) {
                let reach: f64 = reaches[joint] + positions[joint].distance(positions[parent]);
                if reach > reaches[parent] {
                    reaches[parent] = reach;
                }
                keep_widest(&mut widest[parent], (joint, reach));
            }
        }
        let mut shape = Self { skeleton, positions, reaches, turning_above: Vec::new() };
        shape.turning_above = shape.find_turning_above(&widest);
        shape
    }

    /// - `widest`: of every joint the two children through which the way to the farthest end is longest, and how long it is
    fn find_turning_above(&self, widest: &[[Option<(usize, f64)>; 2]]) -> Vec<Option<usize>> {
        let mut turning: Vec<Option<usize>> = Vec::with_capacity(widest.len());
        for below in 0..widest.len() {
            let Some(joint) = self.skeleton.parent(below) else {
                turning.push(None);
                continue;
            };
            let own = self.reach_through(below, joint);
            let other = widest[joint].iter().flatten().find(|(child, _)| *child != below);
            let is_body =
                other.is_some_and(|&(_, reach)| reach > 0.0 && reach >= BODY_BRANCH * own);
            let can_turn = match self.skeleton.kind(joint) {
                JointKind::Ball | JointKind::Revolute { .. } => true,
                // A root that goes where it likes is no hip.
                JointKind::Free => self.skeleton.parent(joint).is_some(),
                JointKind::Fixed | JointKind::Prismatic { .. } => false,
            };
            turning.push(match (is_body, can_turn) {
                (true, _) => None,
                (false, true) => Some(joint),
                (false, false) => turning[joint],
            });
        }
        turning
    }

    pub(super) fn distance(&self, a: usize, b: usize) -> f64 {
        self.positions[a].distance(self.positions[b])
    }

    /// From a joint along the bones through one of its children to the farthest end.
    pub(super) fn reach_through(&self, child: usize, parent: usize) -> f64 {
        self.reaches[child] + self.distance(child, parent)
    }

    /// [`Limb::ending_at`], and how long and even it is.
    pub(super) fn limb_ending_at(&self, end: usize) -> Option<(Limb, f64)> {
        if end >= self.positions.len() {
            return None;
        }
        let chain = self.chain_above(end);
        // A joint in the very middle of the body is no hip: both sides have one there, to lead to their hips.
        let is_hip = |joint: &usize| match self.skeleton.parent(*joint) {
            Some(parent) => self.distance(*joint, parent) > AT_BODY * self.reaches[parent],
            None => true,
        };
        let n_hips = chain.len() - chain.iter().rev().take_while(|joint| !is_hip(joint)).count();
        self.best_limb(&chain[..n_hips], end).or_else(|| self.best_limb(&chain, end))
    }

    /// Whether the joint that is the knee of a limb ending here, by all bones above it, cannot turn.
    pub(super) fn is_stiff_above(&self, end: usize) -> bool {
        let chain = self.chain_above(end);
        let Some(&top) = chain.last() else { return true };
        let above = |joint: &usize| self.skeleton.parent(*joint).filter(|_| *joint != top);
        let all: Vec<usize> = core::iter::successors(above(&end), above).take(MOST_ABOVE).collect();
        self.best_limb(&all, end).is_none_or(|(limb, _)| !chain.contains(&limb.mid))
    }

    /// The best limb of some of the joints above its end; other than by [`Shape::limb_ending_at`] a hip may be in the middle of the body.
    pub(super) fn limb_of(&self, end: usize, is_part: impl Fn(&usize) -> bool) -> Option<Limb> {
        let mut chain = self.chain_above(end);
        chain.retain(is_part);
        self.best_limb(&chain, end).map(|(limb, _)| limb)
    }

    fn best_limb(&self, chain: &[usize], end: usize) -> Option<(Limb, f64)> {
        let mut best: Option<(Limb, f64)> = None;
        for (above, &mid) in chain.iter().enumerate() {
            for &start in &chain[above + 1..] {
                let (upper, lower) = (self.distance(start, mid), self.distance(mid, end));
                let (a, b) = if upper < lower { (upper, lower) } else { (lower, upper) };
                let score = if a > LEAST_RATIO * b { a * a / b } else { 0.0 };
                if score > best.map_or(0.0, |(_, score)| BETTER * score) {
                    best = Some((Limb { start, mid, end }, score));
                }
            }
        }
        best
    }

    /// The joints between the body and this one that can turn, from this one up.
    fn chain_above(&self, end: usize) -> Vec<usize> {
        let above = |joint: &usize| self.turning_above[*joint];
        core::iter::successors(above(&end), above).take(MOST_ABOVE).collect()
    }
}

/// Keeps the two longest of a joint's branches.
fn keep_widest(widest: &mut [Option<(usize, f64)>; 2], branch: (usize, f64)) {
    let is_longer = |than: Option<(usize, f64)>| than.is_none_or(|(_, reach)| branch.1 > reach);
    if is_longer(widest[0]) {
        *widest = [Some(branch), widest[0]];
    } else if is_longer(widest[1]) {
        widest[1] = Some(branch);
    }
}

/// A limb that stands on the ground.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leg {
    /// Hip, knee and ankle; of a quadruped's leg the joints that do most of what these do.
    pub limb: Limb,
    /// The joint at the ball of the foot, on which the heel lifts off; `None` where the foot is one piece.
    pub ball: Option<usize>,
    /// Which side of the body it is on.
    pub side: Side,
}

impl Leg {
    /// The joint by which a part of its foot is judged: of a foot in one piece the ankle for all of them.
    #[must_use]
    pub fn joint(&self, part: Part) -> usize {
        match part {
            Part::Heel => self.limb.end,
            Part::Ball => self.ball.unwrap_or(self.limb.end),
        }
    }
}

/// A side of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The figure's left.
    Left,
    /// The figure's right.
    Right,
    /// Neither, or not known.
    Middle,
}
