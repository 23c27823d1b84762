//! Resolves the elements of groups to joints and links.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::merge::Names;
use super::parse::{GroupElement, Named};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::robot::{Robot, RobotGroup};
use crate::xml::shortened;

/// The largest number of joints and links of all groups together, for each joint that a robot may have: far more than any file needs.
const ENTRIES_PER_JOINT: usize = 64;

/// The groups, in the order of the file.
pub(super) fn resolve(
    names: &Names<'_>,
    elements: &[GroupElement<'_>],
    limits: &Limits,
) -> Result<Vec<RobotGroup>> {
    check_names(elements)?;
    let mut budget = Budget { left: limits.joints.saturating_mul(ENTRIES_PER_JOINT), limits };
    let mut groups = Vec::with_capacity(elements.len());
    for element in elements {
        groups.push(own(names, element, &mut budget)?);
    }
    let subgroups = subgroups(names, elements)?;
    join(&mut groups, &subgroups, elements, &mut budget)?;
    let finished = |(group, element): (Members, &GroupElement<'_>)| RobotGroup {
        name: element.named.name.to_owned(),
        joints: group.joints.into_iter().collect(),
        links: group.links.into_iter().collect(),
        chains: group.chains,
    };
    Ok(groups.into_iter().zip(elements).map(finished).collect())
}

/// How many more joints and links may be added to groups, so that time stays in proportion to the file.
struct Budget<'a> {
    left: usize,
    limits: &'a Limits,
}

impl Budget<'_> {
    fn spend(&mut self, entries: usize) -> Result<()> {
        self.left = self.left.checked_sub(entries).ok_or_else(|| Error::TooLarge {
            what: "the number of joints and links in groups".into(),
            limit: self.limits.joints,
            field: "joints",
        })?;
        Ok(())
    }
}

/// The content of a group.
#[derive(Default)]
struct Members {
    joints: BTreeSet<usize>,
    links: BTreeSet<usize>,
    chains: Vec<[usize; 2]>,
}

fn subject(element: &GroupElement<'_>) -> String {
    format!("group `{}`", shortened(element.named.name))
}

fn check_names(elements: &[GroupElement<'_>]) -> Result<()> {
    let mut index_of = BTreeMap::new();
    for (index, element) in elements.iter().enumerate() {
        if let Some(first) = index_of.insert(element.named.name, index) {
            return Err(Error::Duplicate {
                place: element.named.element.place(subject(element)),
                message: "a second group of this name".into(),
                first_line: elements[first].named.element.line(),
            });
        }
    }
    Ok(())
}

/// The direct content of a group.
fn own(names: &Names<'_>, element: &GroupElement<'_>, budget: &mut Budget<'_>) -> Result<Members> {
    let subject = subject(element);
    let mut group = Members::default();
    for joint in &element.joints {
        // A virtual joint is not a joint of the robot.
        group.joints.extend(names.joint(joint, &subject)?);
    }
    for link in &element.links {
        let link = names.link(link.element, link.name, &subject)?;
        group.links.insert(link);
        group.joints.extend(names.joints_above(link));
    }
    for [base, tip] in &element.chains {
        let find = |end: &Named<'_>| names.link(end.element, end.name, &subject);
        let chain = [find(base)?, find(tip)?];
        group.joints.extend(path(names, chain, budget)?);
        group.chains.push(chain);
    }
    let carried = group.joints.iter().map(|&joint| names.robot.joints()[joint].child_link);
    group.links.extend(carried.collect::<Vec<_>>());
    Ok(group)
}

/// The joints between two links: from each up to the nearest common ancestor.
fn path(names: &Names<'_>, chain: [usize; 2], budget: &mut Budget<'_>) -> Result<Vec<usize>> {
    let [base, tip] = chain.map(|link| lineage(names.robot, link));
    budget.spend(base.len() + tip.len())?;
    let shared = base.iter().rev().zip(tip.iter().rev()).take_while(|(a, b)| a == b).count();
    let legs = [base, tip].map(|line| line[..line.len() - shared].to_vec());
    Ok(legs.iter().flatten().flat_map(|&link| names.joints_above(link)).collect())
}

/// A link and its ancestors, up to the root.
fn lineage(robot: &Robot, link: usize) -> Vec<usize> {
    std::iter::successors(Some(link), |&link| robot.links()[link].parent).collect()
}

/// The groups that each group includes.
fn subgroups(names: &Names<'_>, elements: &[GroupElement<'_>]) -> Result<Vec<Vec<usize>>> {
    let of = |element: &GroupElement<'_>| {
        let find = |named: &Named<'_>| names.group(named.element, named.name, &subject(element));
        element.subgroups.iter().map(find).collect()
    };
    elements.iter().map(of).collect()
}

/// Adds the content of subgroups to each group, innermost first.
fn join(
    groups: &mut [Members],
    subgroups: &[Vec<usize>],
    elements: &[GroupElement<'_>],
    budget: &mut Budget<'_>,
) -> Result<()> {
    let mut outer = vec![Vec::new(); groups.len()];
    let mut waiting: Vec<usize> = subgroups.iter().map(Vec::len).collect();
    for (group, inner) in subgroups.iter().enumerate() {
        inner.iter().for_each(|&inner| outer[inner].push(group));
    }
    let mut ready: VecDeque<usize> = (0..groups.len()).filter(|&g| waiting[g] == 0).collect();
    while let Some(inner) = ready.pop_front() {
        let done = core::mem::take(&mut groups[inner]);
        for &group in &outer[inner] {
            groups[group].joints.extend(&done.joints);
            groups[group].links.extend(&done.links);
            groups[group].chains.extend(&done.chains);
            waiting[group] -= 1;
            if waiting[group] == 0 {
                ready.push_back(group);
            }
            budget.spend(done.joints.len() + done.links.len() + done.chains.len())?;
        }
        groups[inner] = done;
    }
    match waiting.iter().position(|&waiting| waiting > 0) {
        Some(group) => Err(Error::Tree {
            place: elements[group].named.element.place(subject(&elements[group])),
            message: "the group includes itself, directly or through others".into(),
        }),
        None => Ok(()),
    }
}
