//! A serial path of joints: what every solver is asked about, and the forward kinematics that judge it.

use std::f64::consts::PI;
use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};

use super::matrix::{Matrix, Vector};
use super::robot::{Joint, Motion, Robot};
use crate::random::Random;

/// Speed above which a joint without a limit of its own jumps \[rad/s or m/s\].
const FASTEST: f64 = 20.0;

/// A range this wide is written for want of none \[rad or m\].
const WIDEST: f64 = 100.0;

/// An angle or a length outside its bounds by less is rounding \[rad or m\].
const ROUNDING: f64 = 1e-9;

/// The joints from a base to a tool. Configurations hold one value for each of the [`unknowns`](Self::unknowns).
#[derive(Debug, Clone)]
pub struct Chain {
    /// What to call it.
    pub name: String,
    /// From the base to the tool.
    pub steps: Vec<Step>,
    /// What a configuration holds.
    pub unknowns: Vec<Unknown>,
    /// The joints before the base, by the names of those that move them, and their values.
    pub held: Vec<(String, f64)>,
}

/// A joint of the path.
#[derive(Debug, Clone)]
pub struct Step {
    /// The joint.
    pub joint: Joint,
    /// From which unknown its value comes, times what and plus what; none where it stays.
    pub unknown: Option<(usize, f64, f64)>,
    /// The value where it stays.
    pub held: f64,
}

/// A joint with a value of its own.
#[derive(Debug, Clone)]
pub struct Unknown {
    /// Its name.
    pub name: String,
    /// Bounds that keep it and all that follow it inside theirs \[rad or m\]; infinite where there are none.
    pub bounds: (f64, f64),
    /// The most that it may change in a second \[rad or m\].
    pub velocity: f64,
    /// Whether it is an angle.
    pub turns: bool,
}

impl Chain {
    /// The joints from the root to a link. Those before the step `base` stay where they are nearest to zero.
    ///
    /// # Errors
    /// When the robot has no such link.
    pub fn new(name: &str, robot: &Robot, tip: &str, base: usize) -> Result<Self> {
        let link = robot.links.iter().position(|link| link == tip);
        let path = robot.path(link.with_context(|| format!("{} has no link {tip}", robot.name))?);
        let mut drivers: Vec<usize> = Vec::new();
        let held: Vec<usize> = path[..base].iter().map(|&joint| robot.driver(joint).0).collect();
        let value = |&driver: &usize| {
            (robot.joints[driver].name.clone(), nearest_to_zero(bounds(robot, driver)))
        };
        let mut chain = Self {
            name: name.to_owned(),
            steps: Vec::new(),
            unknowns: Vec::new(),
            held: held.iter().map(value).collect(),
        };
        for &index in &path {
            let joint = robot.joints[index].clone();
            let (driver, multiplier, offset) = robot.driver(index);
            let bounds = bounds(robot, driver);
            let is_held = held.contains(&driver) || bounds.0 >= bounds.1;
            let held = multiplier * nearest_to_zero(bounds) + offset;
            let unknown = (joint.motion != Motion::Fixed && !is_held).then(|| {
                let known = drivers.iter().position(|&other| other == driver);
                let unknown = known.unwrap_or_else(|| {
                    drivers.push(driver);
                    chain.unknowns.push(Unknown::new(&robot.joints[driver], bounds));
                    drivers.len() - 1
                });
                (unknown, multiplier, offset)
            });
            chain.steps.push(Step { joint, unknown, held });
        }
        Ok(chain)
    }

    /// The serial arm of a robot that has one, from the root.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn whole(name: &str, robot: &Robot, tip: &str) -> Result<Self> {
        Self::new(name, robot, tip, 0)
    }

    /// A configuration at random inside the bounds; half a turn, or as many metres, to both sides where there are none, or none that are meant.
    pub fn sample(&self, random: &mut Random) -> Vec<f64> {
        let draw = |unknown: &Unknown| match unknown.bounds {
            (low, high) if high - low < WIDEST => random.between(low, high),
            _ => random.between(-PI, PI),
        };
        self.unknowns.iter().map(draw).collect()
    }

    /// The tool in the frame of the root link.
    pub fn tool(&self, q: &[f64]) -> Matrix {
        let step =
            |at: Matrix, step: &Step| at * step.joint.origin() * step.joint.at(step.value(q));
        self.steps.iter().fold(Matrix::IDENTITY, step)
    }

    /// Whether all joints, with those that follow others, are inside their bounds.
    pub fn is_inside(&self, q: &[f64]) -> bool {
        let inside = |value: f64, (low, high): (f64, f64)| {
            value >= low - ROUNDING && value <= high + ROUNDING
        };
        q.len() == self.unknowns.len()
            && q.iter().zip(&self.unknowns).all(|(&value, unknown)| inside(value, unknown.bounds))
    }

    /// Brings angles inside their bounds by whole turns, where that is possible.
    pub fn wrap(&self, q: &mut [f64]) {
        for (value, unknown) in q.iter_mut().zip(&self.unknowns) {
            let (low, high) = unknown.bounds;
            if unknown.turns && *value < low {
                *value += 2.0 * PI * ((low - *value) / (2.0 * PI)).ceil();
            } else if unknown.turns && *value > high {
                *value -= 2.0 * PI * ((*value - high) / (2.0 * PI)).ceil();
            }
        }
    }

    /// The chain alone as a URDF whose tip is the link [`TIP`], for solvers that read one: nothing but joints.
    ///
    /// # Errors
    /// When a joint follows another, or is held: such a chain is not alone.
    pub fn urdf(&self) -> Result<String> {
        let is_alone = |(k, step): (usize, &Step)| match step.unknown {
            Some((unknown, by, plus)) => {
                let before = self.steps[..k].iter().filter(|step| step.unknown.is_some()).count();
                unknown == before && by == 1.0 && plus == 0.0
            }
            None => step.joint.motion == Motion::Fixed,
        };
        ensure!(self.steps.iter().enumerate().all(is_alone), "{} is not alone", self.name);
        let mut text = String::from("<robot name=\"arm\">\n<link name=\"base\"/>\n");
        let n = self.steps.len();
        let link = |k: usize| match k {
            0 => "base".to_owned(),
            k if k == n => TIP.to_owned(),
            k => format!("link{k}"),
        };
        for (k, step) in self.steps.iter().enumerate() {
            let unknown = step.unknown.map(|(unknown, ..)| &self.unknowns[unknown]);
            let numbers = |v: Vector| v.map(|x| x.to_string()).join(" ");
            let (xyz, rpy) = step.joint.origin;
            let (kind, axis) = match (step.joint.motion, unknown) {
                (Motion::Turn(axis), Some(unknown)) if unknown.bounds.1.is_infinite() => {
                    ("continuous", axis)
                }
                (Motion::Turn(axis), Some(_)) => ("revolute", axis),
                (Motion::Slide(axis), Some(_)) => ("prismatic", axis),
                (_, None) | (Motion::Fixed, _) => ("fixed", [1.0, 0.0, 0.0]),
            };
            let _ = write!(
                text,
                "<link name=\"{child}\"/>\n<joint name=\"{name}\" type=\"{kind}\">\n  <parent link=\"{parent}\"/> <child link=\"{child}\"/>\n  \
                 <origin xyz=\"{xyz}\" rpy=\"{rpy}\"/>\n",
                child = link(k + 1),
                name = unknown.map_or_else(|| format!("fixed{k}"), |unknown| unknown.name.clone()),
                parent = link(k),
                xyz = numbers(xyz),
                rpy = numbers(rpy),
            );
            if let Some(Unknown { bounds: (low, high), velocity, .. }) = unknown {
                let _ = writeln!(text, "  <axis xyz=\"{}\"/>", numbers(axis));
                let bounds = match kind {
                    "continuous" => String::new(),
                    _ => format!("lower=\"{low}\" upper=\"{high}\" "),
                };
                let _ = writeln!(text, "  <limit {bounds}effort=\"100\" velocity=\"{velocity}\"/>");
            }
            text.push_str("</joint>\n");
        }
        Ok(text + "</robot>\n")
    }
}

/// The link at the tip of [`Chain::urdf`].
pub const TIP: &str = "tool";

impl Step {
    /// The value of the joint in a configuration.
    pub fn value(&self, q: &[f64]) -> f64 {
        self.unknown.map_or(self.held, |(unknown, by, plus)| by * q[unknown] + plus)
    }
}

impl Unknown {
    fn new(joint: &Joint, bounds: (f64, f64)) -> Self {
        Self {
            name: joint.name.clone(),
            bounds,
            velocity: joint.velocity.unwrap_or(FASTEST),
            turns: matches!(joint.motion, Motion::Turn(_)),
        }
    }
}

/// The bounds of a joint that keep all that follow it inside theirs. Bounds of a follower that would leave the joint no room do not count: grippers are
/// often written with a follower that turns the other way and repeats the range of its driver.
fn bounds(robot: &Robot, driver: usize) -> (f64, f64) {
    let mut all = robot.joints[driver].bounds;
    for (index, joint) in robot.joints.iter().enumerate() {
        let (other, by, plus) = robot.driver(index);
        if other == driver && index != driver && by != 0.0 {
            let (a, b) = ((joint.bounds.0 - plus) / by, (joint.bounds.1 - plus) / by);
            let narrowed = (all.0.max(a.min(b)), all.1.min(a.max(b)));
            if narrowed.0 < narrowed.1 {
                all = narrowed;
            }
        }
    }
    all
}

fn nearest_to_zero((low, high): (f64, f64)) -> f64 {
    0.0_f64.min(high).max(low)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    const TEXT: &str = r#"<robot name="r">
        <link name="a"/> <link name="b"/> <link name="c"/> <link name="d"/>
        <joint name="lift" type="prismatic"> <parent link="a"/> <child link="b"/>
            <axis xyz="0 0 1"/> <limit lower="0.5" upper="1"/> </joint>
        <joint name="one" type="revolute"> <parent link="b"/> <child link="c"/>
            <axis xyz="0 0 1"/> <limit lower="-2" upper="2"/> </joint>
        <joint name="two" type="revolute"> <parent link="c"/> <child link="d"/> <origin xyz="1 0 0"/>
            <axis xyz="0 0 1"/> <limit lower="-1" upper="1"/> <mimic joint="one" multiplier="-1"/> </joint>
        </robot>"#;

    fn chain(base: usize) -> Chain {
        Chain::new("r", &Robot::parse("r", TEXT).expect("a robot"), "d", base).expect("a chain")
    }

    #[test]
    fn followers_move_with_their_driver_and_narrow_it() {
        let chain = chain(0);
        assert_eq!(chain.unknowns.len(), 2);
        assert_eq!(chain.unknowns[1].bounds, (-1.0, 1.0));
        let tool = chain.tool(&[0.75, FRAC_PI_2]);
        let there = Matrix::translation([0.0, 1.0, 0.75]);
        assert!(tool.distance(&there) < 1e-15 && tool.angle(&there) < 1e-15);
        assert!(chain.is_inside(&[0.5, 1.0]) && !chain.is_inside(&[0.5, 1.1]));
    }

    #[test]
    fn joints_before_the_base_stay_where_they_are_nearest_to_zero() {
        let chain = chain(1);
        assert_eq!(chain.unknowns.len(), 1);
        assert_eq!(chain.held, [("lift".to_owned(), 0.5)]);
        assert_eq!(chain.tool(&[0.0]).position(), [1.0, 0.0, 0.5]);
        assert!(chain.urdf().is_err(), "a joint is held");
    }

    #[test]
    fn the_chain_alone_moves_as_the_robot_does() {
        let text = TEXT.replace("<mimic joint=\"one\" multiplier=\"-1\"/>", "");
        let robot = Robot::parse("r", &text).expect("a robot");
        let whole = Chain::whole("r", &robot, "d").expect("a chain");
        let alone = Robot::parse("arm", &whole.urdf().expect("alone")).expect("what was written");
        let alone = Chain::whole("arm", &alone, TIP).expect("a chain");
        let q = whole.sample(&mut Random::new(1));
        assert!(whole.is_inside(&q));
        assert_eq!(whole.tool(&q), alone.tool(&q));
    }

    #[test]
    fn angles_come_back_by_whole_turns() {
        let mut q = [0.75, 0.5 + 4.0 * PI];
        chain(0).wrap(&mut q);
        assert!((q[1] - 0.5).abs() < 1e-14 && q[0] == 0.75);
    }
}
