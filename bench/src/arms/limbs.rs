//! Every arm and limb of every robot in a folder.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::chain::{Chain, Step};
use super::robot::{Joint, Robot, is_mjcf};

/// A limb: the joints from the root of a robot, or from where the limb begins, to a tip.
#[derive(Debug, Clone)]
pub struct Limb {
    /// The file, relative to the folder.
    pub file: PathBuf,
    /// The link at its tip.
    pub tip: String,
    /// The link that it begins at.
    pub base: String,
    /// The joints of the path before it.
    pub base_step: usize,
    /// Its joints.
    pub chain: Chain,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// With at least three unknowns.
    pub limbs: Vec<Limb>,
    /// Files, and why they were left out.
    pub left_out: Vec<(PathBuf, String)>,
}

/// Reads all URDF and MJCF files below a folder, in the order of their names; of files with the same bytes one, and of limbs of MJCF with the same numbers.
///
/// # Errors
/// When a folder cannot be read.
pub fn find(folder: &Path) -> Result<Found> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    let (mut found, mut seen, mut known) = (Found::default(), HashSet::new(), HashSet::new());
    for path in files {
        let file = path.strip_prefix(folder).unwrap_or(&path).to_owned();
        if !seen.insert(fs::read(&path)?) {
            found.left_out.push((file, "the same bytes as another".to_owned()));
            continue;
        }
        match Robot::read(&path) {
            Ok(robot) => {
                let mut limbs = limbs(&file, &robot)?;
                let n_limbs = limbs.len();
                // A scene includes its robot, and some models differ in what does not move.
                limbs.retain(|limb| known.insert(numbers(&limb.chain)) || !is_mjcf(&path));
                let reason = match (n_limbs, limbs.len()) {
                    (0, _) => Some("no limb of three joints"),
                    (_, 0) => Some("the same limbs as another"),
                    _ => None,
                };
                found.left_out.extend(reason.map(|reason| (file, reason.to_owned())));
                found.limbs.extend(limbs);
            }
            Err(error) => {
                let folder = format!("{}/", folder.display());
                found.left_out.push((file, error.root_cause().to_string().replace(&folder, "")));
            }
        }
    }
    Ok(found)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "urdf") || is_mjcf(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// All that a chain is made of but names.
fn numbers(chain: &Chain) -> String {
    let step = |step: &Step| {
        let Joint { origin, motion, bounds, .. } = step.joint;
        format!("{origin:?} {motion:?} {bounds:?} {:?} {}", step.unknown, step.held)
    };
    chain.steps.iter().map(step).collect()
}

/// The limbs of a robot with at least three unknowns. Their tips are the bodies that have a link with nothing attached, or from which several joints
/// go on; they begin at the root, and at the last body before the tip from which several joints go on.
///
/// # Errors
/// Those of [`Chain::new`].
pub fn limbs(file: &Path, robot: &Robot) -> Result<Vec<Limb>> {
    let name = file.with_extension("");
    let name = name.strip_prefix("urdf").unwrap_or(&name).to_string_lossy().into_owned();
    let bodies = Bodies::new(robot);
    let mut limbs = Vec::new();
    for tip in bodies.tips(robot) {
        let path = robot.path(tip);
        let mut moving = (0..path.len()).filter(|&step| robot.joints[path[step]].moves());
        let parent = |step: usize| robot.joints[path[step]].parent;
        let Some(first) = moving.next() else { continue };
        let begin = moving.rfind(|&step| bodies.is_branch(parent(step)));
        for base in [Some(0), begin.filter(|&step| step > first)].into_iter().flatten() {
            let (base_link, tip) = (&robot.links[parent(base)], &robot.links[tip]);
            let label = format!("{name}: {base_link} to {tip}");
            let chain = Chain::new(&label, robot, tip, base)?;
            if chain.unknowns.len() >= 3 {
                limbs.push(Limb {
                    file: file.to_owned(),
                    base: base_link.clone(),
                    tip: tip.clone(),
                    base_step: base,
                    chain,
                });
            }
        }
    }
    Ok(limbs)
}

/// Links that move together.
struct Bodies {
    /// For each link, the first link of its body.
    of_link: Vec<usize>,
    /// For each link that is the first of its body, how many joints go on from the body.
    n_joints: Vec<usize>,
}

impl Bodies {
    fn new(robot: &Robot) -> Self {
        let body = |link: usize| {
            let path = robot.path(link);
            let last = path.iter().rev().find(|&&joint| robot.joints[joint].moves());
            let root = path.first().map_or(link, |&joint| robot.joints[joint].parent);
            last.map_or(root, |&joint| robot.joints[joint].child)
        };
        let of_link: Vec<usize> = (0..robot.links.len()).map(body).collect();
        let mut n_joints = vec![0; robot.links.len()];
        for joint in robot.joints.iter().filter(|joint| joint.moves()) {
            n_joints[of_link[joint.parent]] += 1;
        }
        Self { of_link, n_joints }
    }

    /// Whether several joints go on from the body of a link.
    fn is_branch(&self, link: usize) -> bool {
        self.n_joints[self.of_link[link]] > 1
    }

    /// The tip of each body that has one: its last link with nothing attached, otherwise its first link if several joints go on.
    fn tips(&self, robot: &Robot) -> Vec<usize> {
        let is_end = |link: usize| robot.joints.iter().all(|joint| joint.parent != link);
        let tip = |body: usize| {
            let mut links = (0..robot.links.len()).rev().filter(|&link| self.of_link[link] == body);
            links.find(|&link| is_end(link)).or_else(|| self.is_branch(body).then_some(body))
        };
        (0..robot.links.len()).filter(|&link| self.of_link[link] == link).filter_map(tip).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A torso on one joint, with an arm of three joints and a sensor, and a head of one.
    fn torso() -> Robot {
        let joint = |name: &str, kind: &str, parent: &str, child: &str| {
            format!(
                "<link name=\"{child}\"/> <joint name=\"{name}\" type=\"{kind}\"> <parent link=\"{parent}\"/> \
                 <child link=\"{child}\"/> <limit lower=\"-1\" upper=\"1\"/> </joint>"
            )
        };
        let joints = [
            joint("waist", "revolute", "base", "torso"),
            joint("neck", "revolute", "torso", "head"),
            joint("one", "revolute", "torso", "upper"),
            joint("two", "revolute", "upper", "lower"),
            joint("three", "revolute", "lower", "hand"),
            joint("mount", "fixed", "hand", "camera"),
        ];
        let text = format!("<robot name=\"r\"> <link name=\"base\"/> {} </robot>", joints.concat());
        Robot::parse("r", &text).expect("a robot")
    }

    #[test]
    fn a_limb_begins_at_the_root_and_where_the_body_branches() {
        let limbs = limbs(Path::new("urdf/r.urdf"), &torso()).expect("limbs");
        let names: Vec<_> = limbs.iter().map(|limb| limb.chain.name.as_str()).collect();
        assert_eq!(names, ["r: base to camera", "r: torso to camera"]);
        let unknowns = limbs.iter().map(|limb| limb.chain.unknowns.len());
        assert_eq!(unknowns.collect::<Vec<_>>(), [4, 3]);
    }
}
