//! Which closed form fits six joints: where three consecutive axes meet in a point or are parallel, and how the pairs of axes beside them lie.

use super::chain::{Chain, SIX, unrotated_x};
use glam::DVec3;

/// Axes within this angle count as parallel, axes within this distance \[units of length\] as meeting. Robots as built differ from the design by about
/// this much; what is not exact needs a step or two of the kernel.
const NEARLY: f64 = 0.01;

/// Less than this is rounding.
pub(super) const EXACT: f64 = 1e-10;

/// What three consecutive axes have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Triple {
    Meeting,
    Parallel,
}

/// Where in the chain the three axes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The last three. The joint between the two that are found first is the second.
    End,
    /// The second to the fourth. The joint between the two that are found first is the last.
    Middle,
}

/// How two axes lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Parallel,
    Meeting,
    Skew,
}

/// In which order the two joints are found on which the two scalar equations depend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// One equation is free of the inner joint.
    OuterFirst,
    /// One equation is free of the outer joint.
    InnerFirst,
    /// Neither: a quartic.
    Together,
}

/// A closed form for a chain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Plan {
    pub(super) triple: Triple,
    pub(super) place: Place,
    pub(super) is_reversed: bool,
    /// Of the first axis to the second; skew if the three are in the middle.
    pub(super) outer: Relation,
    /// Of the joint between to the inner one: the second and the third, or the fifth and the last.
    pub(super) inner: Relation,
    /// By how much the axes differ from the plan \[rad, units of length\].
    pub(super) deviation: f64,
}

impl Plan {
    /// The best that fits all of some chains, which differ in the angle of a joint that is fixed.
    pub(super) fn find(chains: &[Chain<SIX>]) -> Option<Self> {
        let mut best: Option<Self> = None;
        for is_reversed in [false, true] {
            for place in [Place::End, Place::Middle] {
                for triple in [Triple::Meeting, Triple::Parallel] {
                    let plans =
                        chains.iter().map(|chain| Self::of(chain, triple, place, is_reversed));
                    let plan = plans.reduce(|a, b| Some(a?.and(b?))).flatten();
                    if let Some(plan) = plan
                        && best.is_none_or(|best| plan.cost() < best.cost())
                    {
                        best = Some(plan);
                    }
                }
            }
        }
        best
    }

    fn of(chain: &Chain<SIX>, triple: Triple, place: Place, is_reversed: bool) -> Option<Self> {
        let mut chain = if is_reversed { chain.clone().reversed() } else { chain.clone() };
        let deviation = straighten(&mut chain, triple, place)?;
        let outer = match place {
            Place::End => Relation::of(&mut chain, 0),
            // Parallel to the three, or through their point: the equations have no solution in general.
            Place::Middle => (Relation::Skew, 0.0),
        };
        let inner = Relation::of(&mut chain, place.inner_link());
        let deviation = deviation.max(outer.1).max(inner.1);
        let plan = Self { triple, place, is_reversed, outer: outer.0, inner: inner.0, deviation };
        plan.is_regular(&chain).then_some(plan)
    }

    /// The plan for two chains.
    fn and(self, other: Self) -> Self {
        let both = |a: Relation, b| if a == b { a } else { Relation::Skew };
        Self {
            outer: both(self.outer, other.outer),
            inner: both(self.inner, other.inner),
            deviation: self.deviation.max(other.deviation),
            ..self
        }
    }

    pub(super) fn order(&self) -> Order {
        match (self.outer, self.inner) {
            (_, Relation::Parallel | Relation::Meeting) => Order::OuterFirst,
            (Relation::Parallel | Relation::Meeting, _) => Order::InnerFirst,
            _ => Order::Together,
        }
    }

    /// Solutions that need no step of the kernel are better, then those without a quartic, then those that deviate less.
    pub(super) fn cost(&self) -> f64 {
        let inexact = if self.deviation <= EXACT { 0.0 } else { 2.0 };
        let quartic = if self.order() == Order::Together { 1.0 } else { 0.0 };
        inexact + quartic + self.deviation
    }

    /// Whether the equations have a finite number of solutions for most targets.
    fn is_regular(&self, chain: &Chain<SIX>) -> bool {
        let [t0, t1, t2, t3, ..] = chain.links.map(|link| link.translation);
        let is_skew = |link: usize| chain.links[link].turn.0.abs() > NEARLY;
        let is_off = |v: DVec3| v.truncate().length() > NEARLY;
        let coincide = |relation, link: usize| {
            relation == Relation::Parallel && !is_off(chain.links[link].translation)
        };
        // Both pairs parallel, or meeting in the same point, makes the two equations one.
        let is_one = match (self.outer, self.inner) {
            (Relation::Parallel, Relation::Parallel) => true,
            (Relation::Meeting, Relation::Meeting) => t1.length() <= NEARLY,
            _ => false,
        };
        let are_useful = match (self.place, self.triple) {
            (Place::End, Triple::Meeting) => is_off(t2),
            (Place::End, Triple::Parallel) => is_skew(2),
            (Place::Middle, Triple::Meeting) => {
                is_off(t0) && is_off(unrotated_x(chain.links[3].turn, t3))
            }
            (Place::Middle, Triple::Parallel) => is_skew(0) && is_skew(3),
        };
        let is_twice = coincide(self.outer, 0) || coincide(self.inner, self.place.inner_link());
        are_useful && !is_one && !is_twice
    }
}

impl Place {
    /// The first of the three joints.
    pub(super) fn start(self) -> usize {
        match self {
            Self::End => 3,
            Self::Middle => 1,
        }
    }

    /// The joint found with the first one.
    pub(super) fn inner(self) -> usize {
        match self {
            Self::End => 2,
            Self::Middle => 4,
        }
    }

    /// The joint that follows from these two.
    pub(super) fn between(self) -> usize {
        match self {
            Self::End => 1,
            Self::Middle => 5,
        }
    }

    /// The link between the last two.
    fn inner_link(self) -> usize {
        self.between().min(self.inner())
    }
}

impl Relation {
    /// Of the axes at both ends of a link, and by how much they differ from it. The frame behind the link is moved to the common normal.
    fn of(chain: &mut Chain<SIX>, link: usize) -> (Self, f64) {
        align(chain, link);
        let (sin, x) = (chain.links[link].turn.0.abs(), chain.links[link].translation.x.abs());
        match () {
            () if sin <= NEARLY => (Self::Parallel, sin),
            () if x <= NEARLY => (Self::Meeting, x),
            () => (Self::Skew, 0.0),
        }
    }
}

/// Moves the frame behind a link along its axis to the common normal with the axis before. Frames on a point where three axes meet are not moved.
fn align(chain: &mut Chain<SIX>, link: usize) {
    let (sin, _) = chain.links[link].turn;
    if sin.abs() > NEARLY && link + 1 < SIX {
        let by = chain.links[link].translation.y / sin;
        chain.slide(link + 1, by);
    }
}

/// Brings a chain into the form of a plan: the frames of three axes that meet to their point, or three parallel axes into one direction. Returns by
/// how much they differ from that, or `None` if it is too much.
pub(super) fn straighten(chain: &mut Chain<SIX>, triple: Triple, place: Place) -> Option<f64> {
    let deviation = match triple {
        Triple::Meeting => meet(chain, place.start()),
        Triple::Parallel => make_parallel(chain, place.start()),
    }?;
    if place == Place::End {
        align(chain, 0);
    }
    align(chain, place.inner_link());
    Some(deviation)
}

/// Brings the frames of three joints to the point where their axes meet.
pub(super) fn meet<const J: usize>(chain: &mut Chain<J>, start: usize) -> Option<f64> {
    let sines = [chain.links[start].turn.0, chain.links[start + 1].turn.0];
    if sines.iter().any(|sin| sin.abs() <= 10.0 * NEARLY) {
        return None;
    }
    chain.slide(start + 2, chain.links[start + 1].translation.y / sines[1]);
    let [here, beyond] = [chain.links[start].translation, chain.links[start + 1].translation];
    // The feet of both common normals on the axis between, in its frame.
    let (foot, other) = (here.y / sines[0], beyond.z);
    let by = 0.5 * (foot + other);
    let deviation = here.x.abs().max(beyond.x.abs()).max((foot - other).abs());
    chain.slide(start + 1, by);
    chain.slide(start, chain.links[start].translation.z);
    chain.links[start].translation = DVec3::ZERO;
    chain.links[start + 1].translation = DVec3::ZERO;
    (deviation <= NEARLY).then_some(deviation)
}

fn make_parallel(chain: &mut Chain<SIX>, start: usize) -> Option<f64> {
    let mut deviation: f64 = 0.0;
    for link in [start, start + 1] {
        if chain.links[link].turn.1 < 0.0 {
            chain.flip(link + 1);
        }
        deviation = deviation.max(chain.links[link].turn.0.abs());
        chain.links[link].turn = (0.0, 1.0);
        if chain.links[link].translation.truncate().length() <= NEARLY {
            return None;
        }
    }
    (deviation <= NEARLY).then_some(deviation)
}
