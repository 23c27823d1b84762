//! Builds a skeleton from plain joints, and checks them, once.

use super::configuration::LARGEST;
use super::joint::{Joint, JointKind, Mimic};
use super::limit::Limit;
use super::tree::{NO_PARENT, Skeleton};
use crate::error::{Error, ErrorKind, Result};
use crate::math::{Pose, canonical, check_unit, direction_or, unit_or_identity};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::f64::consts::PI;
use glam::DVec3;

/// Bounds whose gap is smaller than this, relative to 1 or their size, count as equal: dividing by a mimic's multiplier rounds.
const MEETING: f64 = 1e-12;

/// Collects joints, then builds a [`Skeleton`] of them.
#[derive(Debug, Clone, Default)]
pub struct SkeletonBuilder {
    joints: Vec<Joint>,
}

impl SkeletonBuilder {
    /// Adds a joint and returns its index. Nothing is checked before [`build`](Self::build).
    pub fn add(&mut self, joint: Joint) -> usize {
        self.joints.push(joint);
        self.joints.len() - 1
    }

    /// Checks the joints and builds the skeleton.
    ///
    /// # Errors
    /// As [`Skeleton::try_new`].
    pub fn build(self) -> Result<Skeleton> {
        build(self.joints)
    }
}

/// The whole construction, in the order in which errors are reported.
pub(super) fn build(mut joints: Vec<Joint>) -> Result<Skeleton> {
    if joints.is_empty() {
        return Err(ErrorKind::EmptySkeleton.into());
    }
    let by_name = names_in_order(&joints)?;
    check_parents(&joints)?;
    for joint in &mut joints {
        check_joint(joint)?;
    }
    let mimics = resolve_mimics(&joints)?;
    narrow_drivers(&mut joints, &mimics)?;
    Ok(assemble(joints, by_name, mimics))
}

/// Joint indices in the order of their names; refuses empty and repeated names.
fn names_in_order(joints: &[Joint]) -> Result<Vec<usize>> {
    if let Some(joint) = joints.iter().position(|joint| joint.name.is_empty()) {
        return Err(ErrorKind::EmptyName { joint }.into());
    }
    let mut order: Vec<usize> = (0..joints.len()).collect();
    order.sort_by(|a, b| joints[*a].name.cmp(&joints[*b].name));
    for pair in order.windows(2) {
        let [first, second] = [pair[0], pair[1]];
        if joints[first].name == joints[second].name {
            return Err(ErrorKind::DuplicateName {
                name: joints[first].name.clone(),
                first,
                second,
            }
            .into());
        }
    }
    Ok(order)
}

fn check_parents(joints: &[Joint]) -> Result<()> {
    let n_joints = joints.len();
    for joint in joints {
        if let Some(parent) = joint.parent.filter(|parent| *parent >= n_joints) {
            return Err(ErrorKind::ParentOutOfRange {
                joint: joint.name.clone(),
                parent,
                n_joints,
            }
            .into());
        }
    }
    for (index, joint) in joints.iter().enumerate() {
        let Some(parent) = joint.parent.filter(|parent| *parent >= index) else {
            continue;
        };
        let (joint, parent) = (joint.name.clone(), joints[parent].name.clone());
        return Err(match parent_cycle(joints, index) {
            Some(cycle) => ErrorKind::ParentCycle { cycle: names(joints, &cycle) }.into(),
            None => ErrorKind::ParentAfterChild { joint, parent }.into(),
        });
    }
    Ok(())
}

/// The cycle that the path from this joint to its parents enters, if any; its first joint is repeated at the end.
fn parent_cycle(joints: &[Joint], start: usize) -> Option<Vec<usize>> {
    let mut place = vec![None; joints.len()];
    let mut path = Vec::new();
    let mut at = Some(start);
    while let Some(joint) = at {
        if let Some(first) = place[joint] {
            path.push(joint);
            return Some(path.split_off(first));
        }
        place[joint] = Some(path.len());
        path.push(joint);
        at = joints[joint].parent;
    }
    None
}

fn names(joints: &[Joint], indices: &[usize]) -> Vec<String> {
    indices.iter().map(|index| joints[*index].name.clone()).collect()
}

/// Checks one joint by itself and brings its axes and placement to unit length.
fn check_joint(joint: &mut Joint) -> Result<()> {
    joint.parent_from_joint = checked_placement(&joint.name, joint.parent_from_joint)?;
    if let JointKind::Revolute { axis } | JointKind::Prismatic { axis } = joint.kind {
        let axis = checked_axis(joint, "axis", axis)?;
        match &mut joint.kind {
            JointKind::Revolute { axis: a } | JointKind::Prismatic { axis: a } => *a = axis,
            JointKind::Fixed | JointKind::Ball | JointKind::Free => {}
        }
    }
    joint.limit = checked_limit(joint)?;
    if let Some(mimic) = joint.mimic {
        check_size(&joint.name, "mimic multiplier", mimic.multiplier)?;
        check_size(&joint.name, "mimic offset", mimic.offset)?;
    }
    Ok(())
}

/// A placement with one of the two quaternions of its rotation, of unit length.
pub(super) fn checked_placement(name: &str, placement: Pose) -> Result<Pose> {
    let Pose { rotation, translation } = placement;
    for length in translation.to_array() {
        check_size(name, "parent_from_joint translation", length)?;
    }
    let field = "parent_from_joint rotation";
    if !rotation.is_finite() {
        return Err(ErrorKind::JointNonFinite { joint: name.into(), field }.into());
    }
    check_unit(rotation).map_err(|length| ErrorKind::JointNotUnit {
        joint: name.into(),
        field,
        length,
    })?;
    // One of q and -q is chosen, so that the sign in a file cannot change a single bit downstream.
    Ok(Pose { rotation: canonical(unit_or_identity(rotation)), translation })
}

fn checked_axis(joint: &Joint, field: &'static str, axis: DVec3) -> Result<DVec3> {
    if !axis.is_finite() {
        return Err(ErrorKind::JointNonFinite { joint: joint.name.clone(), field }.into());
    }
    let direction = direction_or(axis, DVec3::ZERO);
    if direction == DVec3::ZERO {
        return Err(ErrorKind::ZeroAxis { joint: joint.name.clone(), field }.into());
    }
    Ok(direction)
}

/// Finite, and small enough for its square to stay finite.
fn check_size(name: &str, field: &'static str, value: f64) -> Result<()> {
    check_between(name, field, value, -LARGEST, LARGEST)?;
    if value.is_finite() {
        Ok(())
    } else {
        Err(ErrorKind::JointNonFinite { joint: name.into(), field }.into())
    }
}

/// Not NaN, and in \[min, max\].
fn check_between(name: &str, field: &'static str, value: f64, min: f64, max: f64) -> Result<()> {
    if value.is_nan() {
        return Err(ErrorKind::JointNonFinite { joint: name.into(), field }.into());
    }
    if value < min || value > max {
        let joint = name.into();
        return Err(ErrorKind::JointOutOfBounds { joint, field, value, min, max }.into());
    }
    Ok(())
}

fn checked_limit(joint: &Joint) -> Result<Limit> {
    match (joint.limit, joint.kind) {
        (Limit::None, _) => {}
        (Limit::Range { min, max }, JointKind::Revolute { .. } | JointKind::Prismatic { .. }) => {
            // An infinite bound means unlimited, but a range must hold values that a configuration may have.
            check_between(&joint.name, "limit minimum", min, f64::NEG_INFINITY, LARGEST)?;
            check_between(&joint.name, "limit maximum", max, -LARGEST, f64::INFINITY)?;
            check_order(joint, "limit", min, max)?;
        }
        (Limit::Cone { axis, swing, twist: [min, max] }, JointKind::Ball) => {
            let axis = checked_axis(joint, "limit axis", axis)?;
            check_between(&joint.name, "limit swing", swing, 0.0, PI)?;
            check_between(&joint.name, "twist minimum", min, f64::NEG_INFINITY, LARGEST)?;
            check_between(&joint.name, "twist maximum", max, -LARGEST, f64::INFINITY)?;
            check_order(joint, "twist limit", min, max)?;
            return Ok(Limit::Cone { axis, swing, twist: [min, max] });
        }
        (limit, kind) => {
            let (kind, limit) = (kind.name(), limit.name());
            return Err(ErrorKind::LimitKind { joint: joint.name.clone(), kind, limit }.into());
        }
    }
    Ok(joint.limit)
}

fn check_order(joint: &Joint, field: &'static str, min: f64, max: f64) -> Result<()> {
    if min > max {
        return Err(ErrorKind::RangeInverted { joint: joint.name.clone(), field, min, max }.into());
    }
    Ok(())
}

/// Every mimic in terms of an independent joint. Each link is followed once, without recursion.
fn resolve_mimics(joints: &[Joint]) -> Result<Vec<Option<Mimic>>> {
    for joint in joints {
        check_mimic_link(joints, joint)?;
    }
    let mut resolved: Vec<Option<Mimic>> = vec![None; joints.len()];
    let mut on_path = vec![false; joints.len()];
    let mut path = Vec::new();
    for start in 0..joints.len() {
        let mut at = start;
        while let (Some(link), None) = (joints[at].mimic, resolved[at]) {
            if on_path[at] {
                return Err(mimic_cycle(joints, &path, at));
            }
            on_path[at] = true;
            path.push(at);
            at = link.joint;
        }
        while let Some(follower) = path.pop() {
            on_path[follower] = false;
            resolved[follower] = multiplied_out(&joints[follower], &resolved)?;
        }
    }
    Ok(resolved)
}

fn check_mimic_link(joints: &[Joint], joint: &Joint) -> Result<()> {
    let Some(link) = joint.mimic else {
        return Ok(());
    };
    let Some(driver) = joints.get(link.joint) else {
        return Err(ErrorKind::MimicMissing {
            joint: joint.name.clone(),
            driver: link.joint,
            n_joints: joints.len(),
        }
        .into());
    };
    match [joint, driver].into_iter().find(|candidate| candidate.kind.axis().is_none()) {
        None => Ok(()),
        Some(at_fault) => Err(ErrorKind::MimicKind {
            joint: joint.name.clone(),
            driver: driver.name.clone(),
            at_fault: at_fault.name.clone(),
            kind: at_fault.kind.name(),
        }
        .into()),
    }
}

fn mimic_cycle(joints: &[Joint], path: &[usize], at: usize) -> Error {
    let mut cycle: Vec<usize> = path.iter().copied().skip_while(|joint| *joint != at).collect();
    cycle.push(at);
    ErrorKind::MimicCycle { cycle: names(joints, &cycle) }.into()
}

/// A follower's mimic with its driver's own, resolved mimic substituted for the driver's value.
fn multiplied_out(follower: &Joint, resolved: &[Option<Mimic>]) -> Result<Option<Mimic>> {
    let Some(link) = follower.mimic else {
        return Ok(None);
    };
    let Some(above) = resolved[link.joint] else {
        return Ok(Some(link));
    };
    let multiplier = link.multiplier * above.multiplier;
    let offset = link.value(above.offset);
    check_size(&follower.name, "mimic multiplier", multiplier)?;
    check_size(&follower.name, "mimic offset", offset)?;
    Ok(Some(Mimic { joint: above.joint, multiplier, offset }))
}

/// Narrows every driver's range to the values that keep its followers inside theirs.
fn narrow_drivers(joints: &mut [Joint], mimics: &[Option<Mimic>]) -> Result<()> {
    for (follower, mimic) in mimics.iter().enumerate() {
        let (Some(mimic), Limit::Range { min, max }) = (mimic, joints[follower].limit) else {
            continue;
        };
        let own = joints[mimic.joint].limit.bounds();
        match narrowed(own, mimic, (min, max)) {
            Some((min, max)) => joints[mimic.joint].limit = Limit::Range { min, max },
            None => {
                return Err(ErrorKind::MimicLimits {
                    joint: joints[follower].name.clone(),
                    driver: joints[mimic.joint].name.clone(),
                }
                .into());
            }
        }
    }
    Ok(())
}

/// The driver's bounds within `own` that keep the follower within `(min, max)`; `None` when there are none.
fn narrowed(own: (f64, f64), mimic: &Mimic, (min, max): (f64, f64)) -> Option<(f64, f64)> {
    let (a, b) = if mimic.multiplier == 0.0 {
        // The follower never moves: all of the driver's values are valid, or none is.
        let margin = MEETING * (1.0 + mimic.offset.abs());
        let inside = mimic.offset >= min - margin && mimic.offset <= max + margin;
        return inside.then_some(own);
    } else {
        ((min - mimic.offset) / mimic.multiplier, (max - mimic.offset) / mimic.multiplier)
    };
    let (low, high) = if a <= b { (a, b) } else { (b, a) };
    let low = if low > own.0 { low } else { own.0 };
    let high = if high < own.1 { high } else { own.1 };
    if low <= high {
        // Adding zero makes the -0 of a negative multiplier 0.
        Some((low + 0.0, high + 0.0))
    } else if low - high <= MEETING * (1.0 + high.abs()) {
        Some((high, high))
    } else {
        None
    }
}

/// The flat arrays of checked joints.
fn assemble(joints: Vec<Joint>, by_name: Vec<usize>, mimics: Vec<Option<Mimic>>) -> Skeleton {
    let kinds: Vec<JointKind> = joints.iter().map(|joint| joint.kind).collect();
    let (value_starts, n_values) = running_sum(kinds.iter().map(JointKind::n_values));
    let has_rotation = |kind: &JointKind| matches!(kind, JointKind::Ball | JointKind::Free);
    let ends = kinds.iter().zip(&value_starts).filter(|(kind, _)| has_rotation(kind));
    let rotations = ends.map(|(kind, start)| start + kind.n_values() - 4).collect();
    let independent = |(kind, mimic): (&JointKind, &Option<Mimic>)| match mimic {
        Some(_) => 0,
        None => kind.n_dofs(),
    };
    let (mut dof_starts, n_dofs) = running_sum(kinds.iter().zip(&mimics).map(independent));
    let followers: Vec<usize> = (0..joints.len()).filter(|i| mimics[*i].is_some()).collect();
    for (follower, mimic) in mimics.iter().enumerate() {
        if let Some(mimic) = mimic {
            dof_starts[follower] = dof_starts[mimic.joint];
        }
    }
    let parents: Vec<usize> = joints.iter().map(|j| j.parent.unwrap_or(NO_PARENT)).collect();
    let (child_starts, child_list) = children(&parents);
    Skeleton {
        by_name,
        parents,
        placements: joints.iter().map(|joint| joint.parent_from_joint).collect(),
        limits: joints.iter().map(|joint| joint.limit).collect(),
        names: joints.into_iter().map(|joint| joint.name).collect(),
        kinds,
        mimics,
        followers,
        value_starts,
        rotations,
        dof_starts,
        n_values,
        n_dofs,
        child_starts,
        child_list,
    }
}

/// The start of each of several consecutive runs, and the end of the last.
fn running_sum(lengths: impl Iterator<Item = usize>) -> (Vec<usize>, usize) {
    let mut end = 0;
    let mut starts = Vec::new();
    for length in lengths {
        starts.push(end);
        end += length;
    }
    (starts, end)
}

/// Children of every joint in one list: the start of each joint's part (and the end of the last), and the list.
fn children(parents: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut counts = vec![0; parents.len()];
    for parent in parents.iter().filter(|parent| **parent != NO_PARENT) {
        counts[*parent] += 1;
    }
    let (mut starts, end) = running_sum(counts.into_iter());
    let mut next = starts.clone();
    let mut list = vec![0; end];
    for (child, parent) in parents.iter().enumerate() {
        if let Some(place) = next.get_mut(*parent) {
            list[*place] = child;
            *place += 1;
        }
    }
    starts.push(end);
    (starts, list)
}
