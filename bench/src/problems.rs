//! The problems: chains of free joints, two-bone limbs with a pole, and a seven-hinge arm.

use posekit::glam::{DQuat, DVec3};

use crate::SEED;
use crate::random::Random;

/// Points at fixed distances whose last one must meet the target. The first one stays.
#[derive(Debug, Clone)]
pub struct ChainProblem {
    /// The start, root first, tip last \[m\]. The root is the origin.
    pub points: Vec<DVec3>,
    /// Distances between neighbours \[m\].
    pub lengths: Vec<f64>,
    /// Where the tip shall be \[m\]; always within reach.
    pub target: DVec3,
    /// The point towards which the middle joint of a two-bone limb shall bend \[m\].
    pub pole: Option<DVec3>,
}

impl ChainProblem {
    /// Sum of the lengths \[m\].
    pub fn reach(&self) -> f64 {
        self.lengths.iter().sum()
    }
}

/// A start configuration of [`ARM`] and a position for its tip.
#[derive(Debug, Clone)]
pub struct ArmProblem {
    /// Joint angles to start from \[rad\].
    pub start: [f64; 7],
    /// Where the tip shall be, in the base frame \[m\]; the tip of some configuration within limits.
    pub target: DVec3,
}

/// One hinge of the arm: where it sits in the frame before it, about which axis it turns, how far.
#[derive(Debug, Clone, Copy)]
pub struct Hinge {
    /// From the frame of the hinge before \[m\].
    pub offset: DVec3,
    /// Unit axis.
    pub axis: DVec3,
    /// The angle stays within plus and minus this \[rad\].
    pub limit: f64,
}

/// A seven-hinge arm with the published dimensions and limits of the KUKA LBR iiwa 7 R800.
pub const ARM: [Hinge; 7] = [
    hinge(0.1475, DVec3::Z, 170.0),
    hinge(0.1925, DVec3::Y, 120.0),
    hinge(0.2075, DVec3::Z, 170.0),
    hinge(0.1925, DVec3::NEG_Y, 120.0),
    hinge(0.2075, DVec3::Z, 170.0),
    hinge(0.1925, DVec3::Y, 120.0),
    hinge(0.081, DVec3::Z, 175.0),
];

/// From the last hinge to the tip \[m\].
pub const ARM_TIP: DVec3 = DVec3::new(0.0, 0.0, 0.045);

const fn hinge(height: f64, axis: DVec3, limit_deg: f64) -> Hinge {
    let limit = limit_deg * core::f64::consts::PI / 180.0;
    Hinge { offset: DVec3::new(0.0, 0.0, height), axis, limit }
}

/// Sum of the distances along the arm \[m\].
pub fn arm_reach() -> f64 {
    ARM.iter().map(|hinge| hinge.offset.length()).sum::<f64>() + ARM_TIP.length()
}

/// Position of the arm's tip, in the base frame \[m\]: this crate's own forward kinematics.
pub fn arm_tip(angles: &[f64; 7]) -> DVec3 {
    let mut rotation = DQuat::IDENTITY;
    let mut position = DVec3::ZERO;
    for (hinge, &angle) in ARM.iter().zip(angles) {
        position += rotation * hinge.offset;
        rotation *= DQuat::from_axis_angle(hinge.axis, angle);
    }
    position + rotation * ARM_TIP
}

/// The problems of the case of that name; none when there is no such case or its problems are arms.
pub fn chains_of(case: &str, count: usize) -> Vec<ChainProblem> {
    match CASES.iter().find(|known| known.name == case).map(|case| case.problems(count)) {
        Some(Problems::Chains(chains)) => chains,
        Some(Problems::Arms(_)) | None => Vec::new(),
    }
}

/// The problems of one case.
#[derive(Debug, Clone)]
pub enum Problems {
    /// Chains of free joints, or two-bone limbs.
    Chains(Vec<ChainProblem>),
    /// Problems of the seven-hinge arm.
    Arms(Vec<ArmProblem>),
}

impl Problems {
    /// How many problems.
    pub fn len(&self) -> usize {
        match self {
            Self::Chains(problems) => problems.len(),
            Self::Arms(problems) => problems.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Where a chain starts.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Start {
    /// Every bone in a direction of its own.
    Random,
    /// All bones along one direction: straight up to rounding.
    Straight,
    /// All bones along +x: straight in every number type, as limbs in files are.
    AlongX,
}

/// Where the target of a chain lies.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Target {
    /// Uniform in the ball between two fractions of the reach.
    Ball(f64, f64),
    /// On the line of the straight chain, between two fractions of the reach; behind the root when they
    /// are negative.
    OnLine(f64, f64),
}

/// What the chains of a case are made of.
#[derive(Debug, Clone, Copy)]
struct ChainKind {
    bones: usize,
    start: Start,
    target: Target,
    in_plane: bool,
    pole: bool,
}

/// One row of the comparison.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// Name on the command line.
    pub name: &'static str,
    /// Heading in the report.
    pub title: &'static str,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Chain(ChainKind),
    /// The start is random, or this far from a solution in every joint \[rad\].
    Arm(Option<f64>),
}

const WIDE: Target = Target::Ball(0.05, 0.95);

const fn chain(
    name: &'static str,
    title: &'static str,
    bones: usize,
    start: Start,
    target: Target,
) -> Case {
    let kind = ChainKind { bones, start, target, in_plane: false, pole: false };
    Case { name, title, kind: Kind::Chain(kind) }
}

const fn plane(name: &'static str, title: &'static str, start: Start, target: Target) -> Case {
    let kind = ChainKind { bones: 10, start, target, in_plane: true, pole: false };
    Case { name, title, kind: Kind::Chain(kind) }
}

/// Every case, in the order of the report.
pub const CASES: [Case; 18] = [
    Case {
        name: "two-bone",
        title: "Two bones in space with a pole",
        kind: Kind::Chain(ChainKind {
            bones: 2,
            start: Start::Random,
            target: WIDE,
            in_plane: false,
            pole: true,
        }),
    },
    chain("random-2", "2 bones, random start, target anywhere", 2, Start::Random, WIDE),
    chain("random-5", "5 bones, random start, target anywhere", 5, Start::Random, WIDE),
    chain("random-10", "10 bones, random start, target anywhere", 10, Start::Random, WIDE),
    chain("random-20", "20 bones, random start, target anywhere", 20, Start::Random, WIDE),
    chain("random-50", "50 bones, random start, target anywhere", 50, Start::Random, WIDE),
    chain("random-100", "100 bones, random start, target anywhere", 100, Start::Random, WIDE),
    chain("straight-10", "10 bones, straight start, target anywhere", 10, Start::Straight, WIDE),
    chain(
        "line-10",
        "10 bones, straight along +x, target on the line within reach",
        10,
        Start::AlongX,
        Target::OnLine(0.05, 0.95),
    ),
    chain(
        "behind-10",
        "10 bones, straight along +x, target on the line behind the root",
        10,
        Start::AlongX,
        Target::OnLine(-0.95, -0.05),
    ),
    chain(
        "line-any-10",
        "10 bones, straight in any direction (up to rounding), target on the line within reach",
        10,
        Start::Straight,
        Target::OnLine(0.05, 0.95),
    ),
    chain(
        "far-99",
        "10 bones, random start, target at 99 to 99.9 % of the reach",
        10,
        Start::Random,
        Target::Ball(0.99, 0.999),
    ),
    chain(
        "far-999",
        "10 bones, random start, target at 99.9 to 99.99 % of the reach",
        10,
        Start::Random,
        Target::Ball(0.999, 0.9999),
    ),
    plane("plane-random-10", "10 bones in the plane, random start", Start::Random, WIDE),
    plane("plane-straight-10", "10 bones in the plane, straight start", Start::Straight, WIDE),
    plane(
        "plane-line-10",
        "10 bones in the plane, straight along +x, target on the line within reach",
        Start::AlongX,
        Target::OnLine(0.05, 0.95),
    ),
    Case {
        name: "arm-random",
        title: "Seven-hinge arm with limits, position only, random start",
        kind: Kind::Arm(None),
    },
    Case {
        name: "arm-near",
        title: "Seven-hinge arm with limits, position only, every joint within 0.1 rad of a solution",
        kind: Kind::Arm(Some(0.1)),
    },
];

impl Case {
    /// `count` problems of this case; the same ones in every run, whatever other cases run.
    pub fn problems(&self, count: usize) -> Problems {
        // The name is part of the seed, so that a new case leaves the others as they are.
        let seed = self.name.bytes().fold(SEED, |seed, byte| {
            seed.wrapping_mul(0x0100_0000_01b3).wrapping_add(u64::from(byte))
        });
        let random = &mut Random::new(seed);
        match self.kind {
            Kind::Chain(kind) => {
                Problems::Chains((0..count).map(|_| chain_problem(kind, random)).collect())
            }
            Kind::Arm(distance) => {
                Problems::Arms((0..count).map(|_| arm_problem(distance, random)).collect())
            }
        }
    }

    /// Whether every problem lies in the plane z = 0.
    pub fn in_plane(&self) -> bool {
        matches!(self.kind, Kind::Chain(kind) if kind.in_plane)
    }

    /// Whether the problems are chains of free joints with nothing but a target.
    pub fn is_free_chain(&self) -> bool {
        matches!(self.kind, Kind::Chain(kind) if !kind.pole)
    }

    /// Whether the problems are those of the seven-hinge arm.
    pub fn is_arm(&self) -> bool {
        matches!(self.kind, Kind::Arm(_))
    }

    /// Whether the problems are two-bone limbs with a pole.
    pub fn has_pole(&self) -> bool {
        matches!(self.kind, Kind::Chain(kind) if kind.pole)
    }
}

/// Chains with random starts and targets between two fractions of the reach; the same ones in every run.
pub fn chains_at(bones: usize, low: f64, high: f64, count: usize) -> Vec<ChainProblem> {
    let target = Target::Ball(low, high);
    let kind = ChainKind { bones, start: Start::Random, target, in_plane: false, pole: false };
    let random = &mut Random::new(SEED);
    (0..count).map(|_| chain_problem(kind, random)).collect()
}

fn chain_problem(kind: ChainKind, random: &mut Random) -> ChainProblem {
    let lengths: Vec<f64> = (0..kind.bones).map(|_| random.between(0.5, 1.5)).collect();
    let reach: f64 = lengths.iter().sum();
    let longest = lengths.iter().fold(0.0_f64, |longest, &length| longest.max(length));
    // Nearer than this the chain cannot fold; two unequal bones are the common example.
    let inner = (2.0 * longest - reach).max(0.0) * 1.02;
    let direction = |random: &mut Random| {
        if kind.in_plane { random.direction_in_plane() } else { random.direction() }
    };
    let axis = match kind.start {
        Start::AlongX => DVec3::X,
        Start::Straight | Start::Random => direction(random),
    };
    let mut points = vec![DVec3::ZERO];
    for &length in &lengths {
        let along = if kind.start == Start::Random { direction(random) } else { axis };
        let last = points[points.len() - 1];
        points.push(last + along * length);
    }
    let target = match kind.target {
        Target::Ball(low, high) => {
            let (low, high) = ((low * reach).max(inner), high * reach);
            let radius = if kind.in_plane {
                random.between(low * low, high * high).sqrt()
            } else {
                random.between(low * low * low, high * high * high).cbrt()
            };
            direction(random) * radius
        }
        Target::OnLine(low, high) => axis * (random.between(low, high) * reach),
    };
    let pole = kind.pole.then(|| random.direction() * reach);
    ChainProblem { points, lengths, target, pole }
}

fn arm_problem(distance: Option<f64>, random: &mut Random) -> ArmProblem {
    let configuration =
        |random: &mut Random| ARM.map(|hinge| random.between(-hinge.limit, hinge.limit));
    let goal = configuration(random);
    let mut start = configuration(random);
    if let Some(distance) = distance {
        for ((angle, goal), hinge) in start.iter_mut().zip(goal).zip(ARM) {
            *angle = goal + random.between(-distance, distance);
            *angle = angle.clamp(-hinge.limit, hinge.limit);
        }
    }
    ArmProblem { start, target: arm_tip(&goal) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_what_their_case_says() {
        for case in CASES {
            let Problems::Chains(problems) = case.problems(50) else { continue };
            for problem in problems {
                let distance = problem.target.length();
                assert!(distance < problem.reach(), "{} is out of reach", case.name);
                for (pair, length) in problem.points.windows(2).zip(&problem.lengths) {
                    assert!((pair[0].distance(pair[1]) - length).abs() < 1e-12, "{}", case.name);
                }
                if case.in_plane() {
                    assert!(problem.points.iter().all(|p| p.z == 0.0) && problem.target.z == 0.0);
                }
            }
        }
    }

    #[test]
    fn the_arm_has_its_published_reach() {
        let straight = arm_tip(&[0.0; 7]);
        assert!((straight - DVec3::new(0.0, 0.0, 1.266)).length() < 1e-12, "{straight}");
        assert!((arm_reach() - 1.266).abs() < 1e-12);
    }
}
