//! The joints on the path from the world to a tool, as links.

use super::kernel::{Joint, Link};
use crate::error::{ErrorKind, Result};
use crate::math::{
    Pose, atan2, power_of_two_near, rotation_about, shortest_rotation, sin_cos, sqrt,
};
use crate::skeleton::{Frame, JointKind, Mimic, Skeleton};
use alloc::vec::Vec;
use core::f64::consts::TAU;
use glam::{DMat3, DVec3};

/// Two axes are parallel if the sine between them is less: the direction of their common normal is rounding.
const PARALLEL: f64 = 1e-12;

/// The unit of length is between half of this fraction of the reach and all of it. A radian counts as much as the unit; solves take the same time
/// within 10 % from a third of the reach up to all of it.
const UNIT_OF_REACH: f64 = 0.7;

/// The most moving joints.
pub(super) const MOST_JOINTS: usize = 32;

/// The joints of an arm, and where their values are.
#[derive(Debug, Clone)]
pub(super) struct Path {
    /// The frame of the first joint in the world.
    pub(super) base: Pose,
    pub(super) joints: Vec<Joint>,
    pub(super) tool: Link,
    /// Sine and cosine of the rotation of the tool about its z.
    pub(super) tool_turn: (f64, f64),
    /// For each joint where its unknown comes from; none for a mimic of another joint of the path.
    pub(super) sources: Vec<Option<Source>>,
    /// The unit of length \[m\], a power of two.
    pub(super) unit: f64,
    /// The largest distance of the tool from the origin of the base \[units of length\].
    pub(super) reach: f64,
}

/// An unknown in the skeleton.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source {
    /// The joint.
    pub(super) joint: usize,
    /// Its index in a configuration.
    pub(super) value: usize,
    /// Its index among the degrees of freedom.
    pub(super) dof: usize,
}

/// A moving joint, in metres.
struct Draft {
    /// From the frame of the joint before to that of this one, both with z along their axes.
    from_before: Pose,
    joint: usize,
    /// The joint whose value moves it: itself, or the one it mimics.
    driver: usize,
    mimic: Option<Mimic>,
}

impl Path {
    /// - `held`: joints that stay as they are in the configuration `q`
    pub(super) fn new(
        skeleton: &Skeleton,
        tool: &Frame,
        held: &[usize],
        q: &[f64],
    ) -> Result<Self> {
        let (drafts, from_last) = drafts(skeleton, tool, held, q)?;
        let lengths = drafts.iter().skip(1).map(|draft| draft.from_before.translation.length());
        let length = lengths.sum::<f64>() + from_last.translation.length();
        let slides = drafts.iter().filter(|draft| is_slide(skeleton, draft.joint));
        let slides = slides.map(|draft| {
            let (min, max) = skeleton.limit(draft.joint).bounds();
            max.abs().max(min.abs())
        });
        let (mut reach, mut finite) = (length, length);
        for slide in slides {
            reach += slide;
            finite += if slide.is_finite() { slide } else { 0.0 };
        }
        let unit = if finite > 0.0 { power_of_two_near(UNIT_OF_REACH * finite) } else { 1.0 };
        let mut path = Self {
            base: drafts[0].from_before,
            joints: Vec::new(),
            tool: Link { translation: DVec3::ZERO, turn: (0.0, 1.0) },
            tool_turn: (0.0, 1.0),
            sources: Vec::new(),
            unit,
            reach: reach / unit,
        };
        for draft in &drafts {
            path.add(skeleton, &drafts, draft);
        }
        let (tool, angle) = path.link(from_last);
        (path.tool, path.tool_turn) = (tool, sin_cos(angle));
        Ok(path)
    }

    /// The joints of the unknowns, from the base to the tool, with their numbers in the kernel.
    pub(super) fn unknowns(&self) -> impl Iterator<Item = (usize, Source)> + '_ {
        let numbered = self.sources.iter().enumerate();
        numbered.filter_map(|(i, source)| source.map(|source| (i, source)))
    }

    /// Their indices in the skeleton.
    pub(super) fn joints(&self) -> impl Iterator<Item = usize> + '_ {
        self.unknowns().map(|(_, source)| source.joint)
    }

    /// The unknowns of the kernel, from a configuration.
    pub(super) fn read<const N: usize>(&self, q: &[f64]) -> [f64; N] {
        let mut x = [0.0; N];
        for (i, source) in self.unknowns() {
            x[i] = q[source.value] / self.joints[i].unit;
        }
        x
    }

    /// Writes the unknowns into a configuration.
    pub(super) fn write<const N: usize>(&self, x: &[f64; N], q: &mut [f64]) {
        for (i, source) in self.unknowns() {
            q[source.value] = x[i] * self.joints[i].unit;
        }
    }

    /// Limits of rates of the unknowns, from those of the skeleton's degrees of freedom.
    pub(super) fn rates<const N: usize>(&self, limits: &[f64]) -> [f64; N] {
        let mut rates = [f64::INFINITY; N];
        for (i, source) in self.unknowns() {
            rates[i] = limits[source.dof] / self.joints[i].unit;
        }
        rates
    }

    fn add(&mut self, skeleton: &Skeleton, drafts: &[Draft], draft: &Draft) {
        let (link, angle) = match self.joints.is_empty() {
            // The base is part of the target.
            true => (Joint::NONE.link, 0.0),
            false => self.link(draft.from_before),
        };
        let i = self.joints.len();
        let is_driver = |other: &Draft| other.joint == draft.driver;
        let shares = |other: &Draft| other.driver == draft.driver;
        let leader = drafts.iter().position(is_driver).or_else(|| drafts.iter().position(shares));
        let leader = leader.unwrap_or(i);
        let [own_unit, unit] = [draft.joint, draft.driver]
            .map(|joint| if is_slide(skeleton, joint) { self.unit } else { 1.0 });
        let (multiplier, offset) = draft.mimic.map_or((1.0, 0.0), |m| (m.multiplier, m.offset));
        let (min, max) = match leader == i {
            true => skeleton.limit(draft.driver).bounds(),
            false => (f64::NEG_INFINITY, f64::INFINITY),
        };
        let mut mimics = (0..skeleton.n_joints()).filter_map(|joint| skeleton.mimic(joint));
        let is_followed = mimics.any(|mimic| mimic.joint == draft.driver);
        let is_slide = is_slide(skeleton, draft.joint);
        let source = |joint| Source {
            joint,
            value: skeleton.value_range(joint).start,
            dof: skeleton.dof_range(joint).start,
        };
        self.sources.push((leader == i).then(|| source(draft.driver)));
        self.joints.push(Joint {
            link,
            is_slide,
            angle,
            offset: offset / own_unit,
            leader,
            multiplier: multiplier * unit / own_unit,
            unit,
            min: min / unit,
            max: max / unit,
            turns: !is_slide && !is_followed && max - min >= TAU,
        });
    }

    /// A transform as a link and an angle about z behind it; the angle before it is added to the last joint.
    fn link(&mut self, transform: Pose) -> (Link, f64) {
        let rotation = DMat3::from_quat(transform.rotation);
        let z = rotation.z_axis;
        let sin = sqrt(z.x * z.x + z.y * z.y);
        let (before, turn) = match sin > PARALLEL {
            true => (atan2(z.x, -z.y), (sin, z.z)),
            false => (0.0, (0.0, f64::copysign(1.0, z.z))),
        };
        let back = rotation_about(DVec3::Z, -before);
        // Rz(γ) = Rx(−α) Rz(−β) R, of which the first column is enough.
        let x = back * rotation.x_axis;
        let after = atan2(turn.1 * x.y + turn.0 * x.z, x.x);
        if let Some(last) = self.joints.last_mut() {
            last.angle += before;
        }
        (Link { translation: back * transform.translation / self.unit, turn }, after)
    }
}

fn is_slide(skeleton: &Skeleton, joint: usize) -> bool {
    matches!(skeleton.kind(joint), JointKind::Prismatic { .. })
}

/// The moving joints from the world to the tool, and the tool behind the last of them.
fn drafts(
    skeleton: &Skeleton,
    tool: &Frame,
    held: &[usize],
    q: &[f64],
) -> Result<(Vec<Draft>, Pose)> {
    skeleton.check_frame(tool)?;
    for &joint in held {
        skeleton.check_joint("held joint", joint)?;
    }
    let mut q = q.to_vec();
    if !held.is_empty() {
        skeleton.check(&q)?;
        skeleton.apply_mimics(&mut q);
    }
    // A joint and its mimics are held together.
    let driver = |joint| skeleton.mimic(joint).map_or(joint, |mimic: Mimic| mimic.joint);
    let is_held = |joint| held.iter().any(|&other| driver(other) == driver(joint));
    let mut path: Vec<usize> = skeleton.ancestors(tool.joint).collect();
    path.reverse();
    let (mut drafts, mut from_before) = (Vec::new(), Pose::IDENTITY);
    for joint in path {
        from_before = from_before * skeleton.parent_from_joint(joint);
        if is_held(joint) {
            from_before = from_before * skeleton.motion(joint, &q);
            continue;
        }
        let axis = match skeleton.kind(joint) {
            JointKind::Fixed => continue,
            JointKind::Revolute { axis } | JointKind::Prismatic { axis } => axis,
            JointKind::Ball | JointKind::Free => return Err(unsuited("joints with one value")),
        };
        let along_z = Pose::from_rotation(shortest_rotation(DVec3::Z, axis));
        let (driver, mimic) = (driver(joint), skeleton.mimic(joint));
        drafts.push(Draft { from_before: from_before * along_z, joint, driver, mimic });
        from_before = along_z.inverse();
    }
    match drafts.len() {
        1..=MOST_JOINTS => Ok((drafts, from_before * tool.joint_from_frame)),
        _ => Err(unsuited("1 to 32 moving joints")),
    }
}

fn unsuited(need: &'static str) -> crate::Error {
    ErrorKind::Unsuited { method: "arm", need }.into()
}

/// Everything that an arm is compiled from, as bits: arms with equal keys are equal.
///
/// - `held`: joints that stay as they are in the configuration `q`
pub(crate) fn write_key(
    skeleton: &Skeleton,
    tool: &Frame,
    held: &[usize],
    q: &[f64],
    key: &mut Vec<u64>,
) {
    let index = |index: usize| index as u64;
    let joint = |key: &mut Vec<u64>, i: usize| {
        let mut write = |numbers: &[f64]| key.extend(numbers.iter().map(|x| x.to_bits()));
        let Pose { rotation, translation } = skeleton.parent_from_joint(i);
        write(&rotation.to_array());
        write(&translation.to_array());
        let (kind, axis) = match skeleton.kind(i) {
            JointKind::Fixed => (0, DVec3::ZERO),
            JointKind::Revolute { axis } => (1, axis),
            JointKind::Prismatic { axis } => (2, axis),
            JointKind::Ball => (3, DVec3::ZERO),
            JointKind::Free => (4, DVec3::ZERO),
        };
        write(&axis.to_array());
        let (min, max) = skeleton.limit(i).bounds();
        write(&[min, max]);
        let places = [skeleton.value_range(i).start, skeleton.dof_range(i).start].map(index);
        key.extend([index(i), kind, places[0], places[1]]);
    };
    key.clear();
    key.extend([skeleton.n_values(), skeleton.n_dofs(), held.len()].map(index));
    for &i in held {
        // A mimic is held where its driver's value brings it.
        let driver = skeleton.mimic(i).map_or(i, |mimic| mimic.joint);
        key.push(index(i));
        key.extend(q[skeleton.value_range(driver)].iter().map(|x| x.to_bits()));
    }
    let Pose { rotation, translation } = tool.joint_from_frame;
    key.extend(rotation.to_array().map(f64::to_bits));
    key.extend(translation.to_array().map(f64::to_bits));
    skeleton.ancestors(tool.joint).for_each(|i| joint(key, i));
    let mimics = (0..skeleton.n_joints()).filter_map(|i| Some((i, skeleton.mimic(i)?)));
    for (i, Mimic { joint: driver, multiplier, offset }) in mimics {
        [i, driver].into_iter().for_each(|i| joint(key, i));
        key.extend([multiplier, offset].map(f64::to_bits));
    }
}
