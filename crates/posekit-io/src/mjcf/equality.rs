//! `<equality>` and `<contact>`: mimic joints, loops, and excluded pairs of bodies.

use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;

use super::classes::{Kind, MAIN};
use super::document::{Library, Model};
use super::joint::Motion;
use super::names::Names;
use super::notes::Notes;
use super::placement::unit_quaternion;
use super::tree::{Tree, WORLD};
use super::words::subject;
use crate::error::{Error, Result};
use crate::xml::{Element, Infinite};

/// The equalities and contacts of a model.
pub(super) struct Relations<'x> {
    /// For each joint, the relation that determines its value.
    pub(super) follows: Vec<Option<Follow<'x>>>,
    pub(super) closures: Vec<ClosurePart>,
    /// Pairs of bodies that are not checked for collisions, and the names of those exclusions.
    pub(super) excluded: Vec<([usize; 2], String)>,
}

/// A relation that determines the value of a joint.
#[derive(Clone, Copy)]
pub(super) enum Follow<'x> {
    /// `multiplier * value of joint + offset`.
    Joint { element: Element<'x>, joint: usize, multiplier: f64, offset: f64 },
    /// It stays at a value.
    Value { element: Element<'x>, value: f64 },
}

/// Two frames on two bodies that coincide; a missing one is chosen so that it coincides with the other in the drawn configuration.
pub(super) struct ClosurePart {
    pub(super) name: String,
    pub(super) bodies: [usize; 2],
    pub(super) body_from_frame: [Option<Pose>; 2],
    /// The orientations coincide too.
    pub(super) is_rigid: bool,
}

/// Reads the relations of the model and of each attached model.
pub(super) fn read<'x>(
    tree: &Tree<'x>,
    library: &Library<'x>,
    models: &[Model<'x>],
    notes: &mut Notes<'_, 'x>,
) -> Result<Relations<'x>> {
    let relations = Relations {
        follows: vec![None; tree.joints.len()],
        closures: Vec::new(),
        excluded: Vec::new(),
    };
    let roots = (0..tree.joints.len()).collect();
    let mut reader = Reader { tree, library, models, notes, relations, roots, spent: 0 };
    for scope in 0..tree.scopes.len() {
        let model = &models[tree.scopes[scope].model];
        for element in model.inside("equality", library) {
            reader.equality(element, scope)?;
        }
        for element in model.inside("contact", library) {
            reader.contact(element, scope)?;
        }
    }
    Ok(reader.relations)
}

struct Reader<'l, 'w, 'x> {
    tree: &'l Tree<'x>,
    library: &'l Library<'x>,
    models: &'l [Model<'x>],
    notes: &'l mut Notes<'w, 'x>,
    relations: Relations<'x>,
    /// For each joint, one on which its value depends; an independent joint has its own index.
    roots: Vec<usize>,
    /// The number of references followed.
    spent: usize,
}

impl<'x> Reader<'_, '_, 'x> {
    fn equality(&mut self, element: Element<'x>, scope: usize) -> Result<()> {
        let subject = subject(element);
        let model = &self.models[self.tree.scopes[scope].model];
        let attributes = model.classes.attributes(element, Kind::Equality, MAIN, &subject)?;
        if attributes.text("active", &subject)? == Some("false") {
            self.notes.skip("equalities that are not active", element);
            return Ok(());
        }
        match element.tag() {
            "joint" => self.joints(element, scope, &subject),
            "connect" => self.loops(element, scope, false, &subject),
            "weld" => self.loops(element, scope, true, &subject),
            "tendon" => {
                self.notes.skip("equalities of tendons", element);
                Ok(())
            }
            "flex" | "flexvert" | "flexstrain" => {
                self.notes.skip("equalities of flexes", element);
                Ok(())
            }
            _ => {
                self.notes.unknown_tag(element);
                Ok(())
            }
        }
    }

    /// Pairs of the elements that two attributes name, within the same replica; `None` for a missing attribute.
    ///
    /// A reference of an attached model may be to a part of it that is not attached; then there is no pair.
    fn pairs(
        &mut self,
        element: Element<'x>,
        scope: usize,
        names: &Names<'x>,
        attributes: [&str; 2],
        subject: &str,
    ) -> Result<Vec<[Option<usize>; 2]>> {
        let Some(first) = self.find(element, scope, names, attributes[0], subject)? else {
            return Err(element.missing(attributes[0], subject));
        };
        let Some(second) = self.find(element, scope, names, attributes[1], subject)? else {
            return Ok(first.into_iter().map(|(_, index)| [Some(index), None]).collect());
        };
        let steps = first.len().saturating_mul(second.len());
        self.spent = self.spent.saturating_add(steps);
        let limit = self.library.limits.xml_nodes as usize;
        if self.spent > limit {
            let what = "the number of pairs of replicas".into();
            return Err(Error::TooLarge { what, limit, field: "xml_nodes" });
        }
        let mut pairs = Vec::new();
        for &(copy, index) in &first {
            for &(other_copy, other) in &second {
                if self.tree.copies.belong_together(copy, other_copy) {
                    pairs.push([Some(index), Some(other)]);
                }
            }
        }
        Ok(pairs)
    }

    /// The elements that an attribute names, with the replica of each; `None` for a missing attribute.
    fn find(
        &self,
        element: Element<'x>,
        scope: usize,
        names: &Names<'x>,
        attribute: &str,
        subject: &str,
    ) -> Result<Option<Vec<(usize, usize)>>> {
        let Some(name) = element.attribute(attribute, subject)? else { return Ok(None) };
        let found = names.find(scope, &self.tree.scopes[scope].prefix, name);
        if found.is_empty() && scope == 0 {
            let (place, kind) = (element.place(subject), names.kind());
            return Err(Error::NoSuchName { place, kind, name: name.to_owned() });
        }
        Ok(Some(found))
    }

    /// One joint follows another by a polynomial, which is read only if it is linear.
    fn joints(&mut self, element: Element<'x>, scope: usize, subject: &str) -> Result<()> {
        const KNOWN: [&str; 8] =
            ["active", "class", "joint1", "joint2", "name", "polycoef", "solimp", "solref"];
        self.notes.check_attributes(element, &KNOWN);
        let mut coefficients = [0.0, 1.0, 0.0, 0.0, 0.0];
        let given = element.number_list("polycoef", subject, 5)?.unwrap_or_default();
        coefficients[..given.len()].copy_from_slice(&given);
        let [constant, slope, higher @ ..] = coefficients;
        let tree = self.tree;
        for [follower, driver] in
            self.pairs(element, scope, &tree.joint_names, ["joint1", "joint2"], subject)?
        {
            let Some(follower) = follower else { continue };
            for joint in [Some(follower), driver].into_iter().flatten() {
                if !matches!(tree.joints[joint].motion, Motion::Hinge | Motion::Slide) {
                    let message = "only hinges and slides can follow each other";
                    return Err(element.unsupported(subject, message));
                }
            }
            // Both values are relative to the drawn configuration.
            let start = tree.joints[follower].reference + constant;
            let Some(driver) = driver else {
                self.follow(element, subject, follower, Follow::Value { element, value: start });
                continue;
            };
            if higher != [0.0; 3] {
                let message = "the polynomial is not linear; the joints are not coupled";
                self.notes.warn(element, subject, message);
                continue;
            }
            let offset = start - slope * tree.joints[driver].reference;
            let follow = Follow::Joint { element, joint: driver, multiplier: slope, offset };
            self.follow(element, subject, follower, follow);
        }
        Ok(())
    }

    /// Couples a joint, unless it follows another joint already, or would follow itself.
    fn follow(&mut self, element: Element<'x>, subject: &str, joint: usize, follow: Follow<'x>) {
        let name = &self.tree.joints[joint].name;
        if self.relations.follows[joint].is_some() {
            let message = format!("`{name}` follows another joint already; this is not read");
            return self.notes.warn(element, subject, message);
        }
        if let Follow::Joint { joint: driver, .. } = follow {
            let root = self.root(driver);
            if root == joint {
                let message = format!("`{name}` would follow itself; this is not read");
                return self.notes.warn(element, subject, message);
            }
            self.roots[joint] = root;
        }
        self.relations.follows[joint] = Some(follow);
    }

    /// The driver at the end of a chain of mimic joints, with path compression.
    fn root(&mut self, mut joint: usize) -> usize {
        while self.roots[joint] != joint {
            self.roots[joint] = self.roots[self.roots[joint]];
            joint = self.roots[joint];
        }
        joint
    }

    /// `<connect>` and `<weld>`, between bodies or between sites.
    fn loops(
        &mut self,
        element: Element<'x>,
        scope: usize,
        is_rigid: bool,
        subject: &str,
    ) -> Result<()> {
        const KNOWN: [&str; 12] = [
            "active",
            "anchor",
            "body1",
            "body2",
            "class",
            "name",
            "relpose",
            "site1",
            "site2",
            "solimp",
            "solref",
            "torquescale",
        ];
        self.notes.check_attributes(element, &KNOWN);
        let tree = self.tree;
        let name = element.attribute("name", subject)?.unwrap_or_default();
        let add = |reader: &mut Self, bodies, body_from_frame| {
            reader.notes.count("to be closed by tasks, `Robot::closure_tasks`: ", "loops", element);
            let name = name.to_owned();
            reader.relations.closures.push(ClosurePart { name, bodies, body_from_frame, is_rigid });
        };
        if element.has("site1") {
            let pairs =
                self.pairs(element, scope, &tree.site_names, ["site1", "site2"], subject)?;
            for pair in pairs {
                let [Some(first), Some(second)] = pair else {
                    return Err(element.missing("site2", subject));
                };
                let sites = [&tree.sites[first], &tree.sites[second]];
                let frames = sites.map(|site| Some(site.body_from_site));
                add(self, sites.map(|site| site.body), frames);
            }
            return Ok(());
        }
        let frames = if is_rigid {
            [relative_pose(element, subject)?, Some(Pose::IDENTITY)]
        } else {
            let anchor = element.numbers::<3>("anchor", subject, Infinite::Refused)?;
            let anchor = anchor.ok_or_else(|| element.missing("anchor", subject))?;
            [Some(Pose::from_translation(DVec3::from_array(anchor))), None]
        };
        for [first, second] in
            self.pairs(element, scope, &tree.body_names, ["body1", "body2"], subject)?
        {
            add(self, [first.unwrap_or(WORLD), second.unwrap_or(WORLD)], frames);
        }
        Ok(())
    }

    fn contact(&mut self, element: Element<'x>, scope: usize) -> Result<()> {
        const SUBJECT: &str = "an <exclude>";
        match element.tag() {
            "exclude" => {
                self.notes.check_attributes(element, &["body1", "body2", "name"]);
                let tree = self.tree;
                let name = element.attribute("name", SUBJECT)?.unwrap_or_default();
                let names = ["body1", "body2"];
                for pair in self.pairs(element, scope, &tree.body_names, names, SUBJECT)? {
                    let [Some(first), Some(second)] = pair else {
                        return Err(element.missing("body2", SUBJECT));
                    };
                    self.relations.excluded.push(([first, second], name.to_owned()));
                }
                Ok(())
            }
            "pair" => {
                self.notes.skip("contact pairs", element);
                Ok(())
            }
            _ => {
                self.notes.unknown_tag(element);
                Ok(())
            }
        }
    }
}

/// The pose of the second body of a `<weld>` in the frame of the first; `None` for the one in the drawn configuration.
fn relative_pose(element: Element<'_>, subject: &str) -> Result<Option<Pose>> {
    let numbers = element.numbers::<7>("relpose", subject, Infinite::Refused)?;
    let Some([x, y, z, quaternion @ ..]) = numbers else { return Ok(None) };
    let rotation: Option<DQuat> = unit_quaternion(quaternion);
    Ok(rotation.map(|rotation| Pose::new(rotation, DVec3::new(x, y, z))))
}
