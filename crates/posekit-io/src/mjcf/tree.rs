//! `<worldbody>`: bodies with their joints, geoms and sites, with frames, replicas and attached models resolved.
//!
//! The elements are visited in the order of the file, without recursion: a stack of levels has the remaining children of each element. Every body comes
//! after its parent, and bodies and joints are in MuJoCo's own order.

use posekit::glam::DVec3;
use posekit::math::Pose;

use super::classes::{Kind, MAIN};
use super::compiler::{Compiler, InertiaSource};
use super::document::{Library, Model};
use super::geom::{self, Geom, Weight};
use super::joint::{self, JointPart, Motion};
use super::names::{Copies, Names, ROOT};
use super::notes::Notes;
use super::placement;
use super::words::{keyword, subject};
use crate::error::{Error, Result};
use crate::robot::Geometry;
use crate::xml::{Element, Infinite, shortened};

const BODY: [&str; 14] = [
    "axisangle",
    "childclass",
    "euler",
    "fuse",
    "gravcomp",
    "mocap",
    "name",
    "pos",
    "quat",
    "simple",
    "sleep",
    "user",
    "xyaxes",
    "zaxis",
];
const FRAME: [&str; 8] =
    ["axisangle", "childclass", "euler", "name", "pos", "quat", "xyaxes", "zaxis"];
const INERTIAL: [&str; 9] =
    ["axisangle", "diaginertia", "euler", "fullinertia", "mass", "pos", "quat", "xyaxes", "zaxis"];
const SITE: [&str; 16] = [
    "axisangle",
    "class",
    "euler",
    "fromto",
    "group",
    "material",
    "mesh",
    "name",
    "pos",
    "quat",
    "rgba",
    "size",
    "type",
    "user",
    "xyaxes",
    "zaxis",
];

/// The root of all bodies.
pub(super) const WORLD: usize = 0;

/// The name of the world's body.
const WORLD_NAME: &str = "world";

/// All bodies with their joints, geoms and sites.
pub(super) struct Tree<'x> {
    /// Each after its parent; the first is the world.
    pub(super) bodies: Vec<BodyPart<'x>>,
    /// In the order of their bodies, and of the file in each body.
    pub(super) joints: Vec<JointPart<'x>>,
    pub(super) shapes: Vec<ShapePart>,
    pub(super) sites: Vec<SitePart>,
    /// The requested model, and each attachment of a model.
    pub(super) scopes: Vec<Scope>,
    pub(super) copies: Copies,
    pub(super) body_names: Names<'x>,
    pub(super) joint_names: Names<'x>,
    pub(super) site_names: Names<'x>,
}

/// A body.
pub(super) struct BodyPart<'x> {
    pub(super) element: Option<Element<'x>>,
    /// Empty if the file gives none.
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    /// Its drawn pose.
    pub(super) parent_from_body: Pose,
    /// Mass and centre of mass of `<inertial>` \[kg, m\].
    inertial: Option<(f64, DVec3)>,
    /// The sum of the masses of the geoms, and of the masses times their centres \[kg, kg m\].
    geoms: (f64, DVec3),
    /// A geom is a mesh of unknown mass.
    has_unknown_weight: bool,
    compiler: Inertia,
}

/// The settings of a body's model about masses.
#[derive(Debug, Clone, Copy)]
struct Inertia {
    source: InertiaSource,
    least_mass: f64,
}

/// A shape on a body.
pub(super) struct ShapePart {
    pub(super) name: String,
    pub(super) body: usize,
    pub(super) body_from_shape: Pose,
    pub(super) geometry: Geometry,
    /// It may collide with something.
    pub(super) is_solid: bool,
    pub(super) is_drawn: bool,
    pub(super) color: Option<[f64; 4]>,
}

/// A site.
pub(super) struct SitePart {
    /// Its number in the order of the file.
    number: usize,
    /// Empty if the file gives none.
    pub(super) name: String,
    pub(super) body: usize,
    pub(super) body_from_site: Pose,
}

/// A model in the tree.
pub(super) struct Scope {
    /// Index into the list of models.
    pub(super) model: usize,
    /// The prefix of its names.
    pub(super) prefix: String,
    /// The number of attachments around it.
    depth: usize,
}

/// The context of an element.
#[derive(Debug, Clone, Copy)]
struct Context {
    scope: usize,
    copy: usize,
    body: usize,
    class: usize,
    body_from_frame: Pose,
    /// Joints here would belong to the parent of a replica.
    is_replica: bool,
}

/// The remaining children of an element.
struct Level<'x> {
    elements: Vec<Element<'x>>,
    next: usize,
    context: Context,
    repeat: Option<Repeat>,
}

/// The remaining replicas of a level.
struct Repeat {
    /// The context of the replicas.
    outside: Context,
    count: u64,
    index: u64,
    separator: String,
    /// Displacement from one replica to the next, in the frame of the first of them \[m\].
    offset: DVec3,
    /// Euler angles from one replica to the next, in the file's unit.
    euler: [f64; 3],
    /// Position of the replica at `index` \[m\].
    position: DVec3,
}

/// Visits the tree of the first model.
pub(super) fn walk<'x>(
    library: &Library<'x>,
    models: &[Model<'x>],
    notes: &mut Notes<'_, 'x>,
) -> Result<Tree<'x>> {
    let mut walker =
        Walker { library, models, notes, tree: Tree::new(models), levels: Vec::new(), spent: 0 };
    walker.start()?;
    while let Some(level) = walker.levels.last_mut() {
        match level.elements.get(level.next).copied() {
            Some(element) => {
                level.next += 1;
                let context = level.context;
                walker.visit(element, context)?;
            }
            None => walker.end_level()?,
        }
    }
    walker.tree.sort();
    Ok(walker.tree)
}

impl<'x> Tree<'x> {
    fn new(models: &[Model<'x>]) -> Self {
        let mut tree = Self {
            bodies: vec![BodyPart::new(None, None, &models[0].compiler)],
            joints: Vec::new(),
            shapes: Vec::new(),
            sites: Vec::new(),
            scopes: vec![Scope { model: 0, prefix: String::new(), depth: 0 }],
            copies: Copies::new(),
            body_names: Names::new("body"),
            joint_names: Names::new("joint"),
            site_names: Names::new("site"),
        };
        tree.bodies[WORLD].name = WORLD_NAME.into();
        tree.body_names.reserve(WORLD_NAME, WORLD);
        tree
    }

    /// Sorts joints, sites and shapes by their bodies: in a file, those of a body may come after its children.
    fn sort(&mut self) {
        self.joints.sort_by_key(|joint| joint.body);
        self.sites.sort_by_key(|site| site.body);
        self.shapes.sort_by_key(|shape| shape.body);
        let renumbered = |old_index: &dyn Fn(usize) -> usize, length: usize| {
            let mut new_of_old = vec![0; length];
            (0..length).for_each(|new| new_of_old[old_index(new)] = new);
            new_of_old
        };
        let joints = renumbered(&|new| self.joints[new].number, self.joints.len());
        let sites = renumbered(&|new| self.sites[new].number, self.sites.len());
        self.joint_names.renumber(&joints);
        self.site_names.renumber(&sites);
    }
}

impl<'x> BodyPart<'x> {
    fn new(element: Option<Element<'x>>, parent: Option<usize>, compiler: &Compiler<'x>) -> Self {
        Self {
            element,
            name: String::new(),
            parent,
            parent_from_body: Pose::IDENTITY,
            inertial: None,
            geoms: (0.0, DVec3::ZERO),
            has_unknown_weight: false,
            compiler: Inertia { source: compiler.inertia, least_mass: compiler.least_mass },
        }
    }

    /// Mass and centre of mass, and whether a mesh is missing from them \[kg, m\].
    pub(super) fn weight(&self) -> (f64, DVec3, bool) {
        let (sum, moment) = self.geoms;
        let of_geoms = || {
            let center = if sum > 0.0 { moment / sum } else { DVec3::ZERO };
            (sum, center, self.has_unknown_weight)
        };
        let (mass, center, is_partial) = match (self.compiler.source, self.inertial) {
            (InertiaSource::Either | InertiaSource::Inertial, Some((mass, center))) => {
                (mass, center, false)
            }
            (InertiaSource::Inertial, None) => (0.0, DVec3::ZERO, false),
            _ => of_geoms(),
        };
        (mass.max(self.compiler.least_mass), center, is_partial)
    }
}

struct Walker<'l, 'w, 'x> {
    library: &'l Library<'x>,
    models: &'l [Model<'x>],
    notes: &'l mut Notes<'w, 'x>,
    tree: Tree<'x>,
    levels: Vec<Level<'x>>,
    /// The number of elements visited, including those of replicas and attached models.
    spent: usize,
}

impl<'x> Walker<'_, '_, 'x> {
    fn start(&mut self) -> Result<()> {
        let elements = self.models[0].inside("worldbody", self.library);
        let context = Context {
            scope: 0,
            copy: ROOT,
            body: WORLD,
            class: MAIN,
            body_from_frame: Pose::IDENTITY,
            is_replica: false,
        };
        self.levels.push(Level { elements, next: 0, context, repeat: None });
        Ok(())
    }

    fn model(&self, context: Context) -> &Model<'x> {
        &self.models[self.tree.scopes[context.scope].model]
    }

    /// Counts elements, so that replicas of replicas end.
    fn spend(&mut self, count: usize) -> Result<()> {
        self.spent = self.spent.saturating_add(count);
        let limit = self.library.limits.xml_nodes as usize;
        if self.spent > limit {
            let what = "the number of elements, replicas included,".into();
            return Err(Error::TooLarge { what, limit, field: "xml_nodes" });
        }
        Ok(())
    }

    /// Checks that a list does not exceed its limit.
    fn room(&self, length: usize, what: &str) -> Result<()> {
        let limit = self.library.limits.joints;
        if length >= limit {
            return Err(Error::TooLarge {
                what: format!("the number of {what}"),
                limit,
                field: "joints",
            });
        }
        Ok(())
    }

    fn visit(&mut self, element: Element<'x>, context: Context) -> Result<()> {
        self.spend(1)?;
        match element.tag() {
            "body" => self.body(element, context),
            "frame" => self.frame(element, context),
            "replicate" => self.replicate(element, context),
            "attach" => self.attach(element, context),
            "joint" | "freejoint" => self.joint(element, context),
            "inertial" => self.inertial(element, context),
            "geom" => self.geom(element, context),
            "site" => self.site(element, context),
            "camera" | "light" => Ok(()),
            "plugin" => {
                self.notes.skip("plugins", element);
                Ok(())
            }
            tag @ ("composite" | "flexcomp") => {
                let message = format!(
                    "<{tag}> generates bodies and is not supported; save the model with MuJoCo to write them out"
                );
                Err(element.unsupported(&subject(element), message))
            }
            _ => {
                self.notes.unknown_tag(element);
                Ok(())
            }
        }
    }

    fn push(&mut self, element: Element<'x>, context: Context) {
        let elements = self.library.children(element);
        self.levels.push(Level { elements, next: 0, context, repeat: None });
    }

    fn body(&mut self, element: Element<'x>, context: Context) -> Result<()> {
        let subject = subject(element);
        self.notes.check_attributes(element, &BODY);
        self.room(self.tree.bodies.len(), "bodies")?;
        let model = self.model(context);
        let mut body = BodyPart::new(Some(element), Some(context.body), &model.compiler);
        body.parent_from_body =
            context.body_from_frame * placement::pose(element, &model.compiler, &subject)?;
        let class = model.classes.named(element, "childclass", &subject)?.unwrap_or(context.class);
        if element.attribute("mocap", &subject)? == Some("true") {
            let message = "a mocap body is moved by a program; it is fixed at its pose in the file";
            self.notes.warn(element, &subject, message);
        }
        let index = self.tree.bodies.len();
        body.name = self.name(element, context, index, |tree| &mut tree.body_names)?;
        self.tree.bodies.push(body);
        let body_from_frame = Pose::IDENTITY;
        self.push(
            element,
            Context { body: index, class, body_from_frame, is_replica: false, ..context },
        );
        Ok(())
    }

    /// The full name of an element, registered for references; empty where the file gives none.
    fn name(
        &mut self,
        element: Element<'x>,
        context: Context,
        index: usize,
        names: impl for<'t> FnOnce(&'t mut Tree<'x>) -> &'t mut Names<'x>,
    ) -> Result<String> {
        let subject = subject(element);
        let Some(name) = element.attribute("name", &subject)?.filter(|name| !name.is_empty())
        else {
            return Ok(String::new());
        };
        let prefix = &self.tree.scopes[context.scope].prefix;
        let full = format!("{prefix}{name}{}", self.tree.copies.suffix(context.copy));
        self.tree.copies.spend(full.len(), self.library.limits)?;
        names(&mut self.tree).add((context.scope, name), context.copy, &full, element, index)?;
        Ok(full)
    }

    fn frame(&mut self, element: Element<'x>, context: Context) -> Result<()> {
        let subject = subject(element);
        self.notes.check_attributes(element, &FRAME);
        let model = self.model(context);
        let class = model.classes.named(element, "childclass", &subject)?.unwrap_or(context.class);
        let pose = placement::pose(element, &model.compiler, &subject)?;
        let body_from_frame = context.body_from_frame * pose;
        self.push(element, Context { class, body_from_frame, ..context });
        Ok(())
    }

    fn replicate(&mut self, element: Element<'x>, context: Context) -> Result<()> {
        const SUBJECT: &str = "a <replicate>";
        self.notes.check_attributes(element, &["childclass", "count", "euler", "offset", "sep"]);
        let numbers = |name| element.numbers::<3>(name, SUBJECT, Infinite::Refused);
        let model = self.model(context);
        let class = model.classes.named(element, "childclass", SUBJECT)?.unwrap_or(context.class);
        let repeat = Repeat {
            outside: Context { class, is_replica: true, ..context },
            count: count(element, SUBJECT)?,
            index: 0,
            separator: element.attribute("sep", SUBJECT)?.unwrap_or_default().to_owned(),
            offset: DVec3::from_array(numbers("offset")?.unwrap_or_default()),
            euler: numbers("euler")?.unwrap_or_default(),
            position: DVec3::ZERO,
        };
        if repeat.count == 0 {
            return Ok(());
        }
        let elements = self.library.children(element);
        let outside = repeat.outside;
        self.levels.push(Level { elements, next: 0, context: outside, repeat: Some(repeat) });
        self.begin_replica()
    }

    /// Resets the top level to the beginning of the replica of its counter.
    fn begin_replica(&mut self) -> Result<()> {
        self.spend(1)?;
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        let Some(repeat) = &mut level.repeat else { return Ok(()) };
        let compiler = &self.models[self.tree.scopes[repeat.outside.scope].model].compiler;
        let times = repeat.index as f64;
        let rotation = placement::from_euler(repeat.euler.map(|angle| times * angle), compiler);
        let frame_from_replica = Pose::new(rotation, repeat.position);
        repeat.position += rotation * repeat.offset;
        let copy = self.tree.copies.add(
            repeat.outside.copy,
            &repeat.separator,
            (repeat.index, repeat.count),
            self.library.limits,
        )?;
        let body_from_frame = repeat.outside.body_from_frame * frame_from_replica;
        level.context = Context { copy, body_from_frame, ..repeat.outside };
        level.next = 0;
        Ok(())
    }

    /// Begins the next replica of the top level, or removes the level.
    fn end_level(&mut self) -> Result<()> {
        let repeat = self.levels.last_mut().and_then(|level| level.repeat.as_mut());
        match repeat {
            Some(repeat) if repeat.index + 1 < repeat.count => {
                repeat.index += 1;
                self.begin_replica()
            }
            _ => {
                self.levels.pop();
                Ok(())
            }
        }
    }

    /// Attaches a body, a frame or a whole model here, with a prefix.
    fn attach(&mut self, element: Element<'x>, context: Context) -> Result<()> {
        const SUBJECT: &str = "an <attach>";
        self.notes.check_attributes(element, &["body", "frame", "model", "prefix"]);
        let text = |name| element.attribute(name, SUBJECT);
        let own = self.tree.scopes[context.scope].model;
        let model = match text("model")? {
            None => own,
            Some(name) => self.models[own].models.get(name).copied().ok_or_else(|| {
                let (place, name) = (element.place(SUBJECT), name.to_owned());
                Error::NoSuchName { place, kind: "model", name }
            })?,
        };
        let (elements, class) = match (text("body")?, text("frame")?) {
            (Some(name), _) => self.target(element, model, "body", name)?,
            (None, Some(name)) => self.target(element, model, "frame", name)?,
            (None, None) if model != own => {
                (self.models[model].inside("worldbody", self.library), MAIN)
            }
            (None, None) => {
                let message = "without a `model`, <attach> names a `body` or a `frame`";
                return Err(element.unsupported(SUBJECT, message));
            }
        };
        let outside = &self.tree.scopes[context.scope];
        let depth = outside.depth + 1;
        if depth > self.library.limits.xml_depth {
            let (what, limit) =
                ("the depth of attached models".into(), self.library.limits.xml_depth);
            return Err(Error::TooLarge { what, limit, field: "xml_depth" });
        }
        let prefix = format!("{}{}", outside.prefix, element.required("prefix", SUBJECT)?);
        if model != own && !self.models[model].inside("keyframe", self.library).is_empty() {
            self.notes.warn(element, SUBJECT, "the keyframes of an attached model are not read");
        }
        self.room(self.tree.scopes.len(), "attached models")?;
        self.tree.scopes.push(Scope { model, prefix, depth });
        let context = Context { scope: self.tree.scopes.len() - 1, class, ..context };
        self.levels.push(Level { elements, next: 0, context, repeat: None });
        Ok(())
    }

    /// A named body or frame of a model, and the class that it inherits. The frames around it do not count.
    fn target(
        &mut self,
        element: Element<'x>,
        model: usize,
        tag: &'static str,
        name: &str,
    ) -> Result<(Vec<Element<'x>>, usize)> {
        const SUBJECT: &str = "an <attach>";
        let models = self.models;
        let mut open: Vec<(Element<'x>, usize)> = Vec::new();
        let world = models[model].inside("worldbody", self.library);
        open.extend(world.into_iter().rev().map(|child| (child, MAIN)));
        while let Some((candidate, class)) = open.pop() {
            self.spend(1)?;
            if candidate.tag() == tag && candidate.attribute("name", SUBJECT)? == Some(name) {
                return Ok((vec![candidate], class));
            }
            if matches!(candidate.tag(), "body" | "frame") {
                let own = models[model].classes.named(candidate, "childclass", SUBJECT)?;
                let children = self.library.children(candidate);
                let class = own.unwrap_or(class);
                open.extend(children.into_iter().rev().map(|child| (child, class)));
            }
        }
        Err(Error::NoSuchName { place: element.place(SUBJECT), kind: tag, name: name.to_owned() })
    }

    fn joint(&mut self, element: Element<'x>, context: Context) -> Result<()> {
        let subject = subject(element);
        if context.body == WORLD || context.is_replica {
            let message = "a joint must be inside the <body> that it moves";
            return Err(element.unsupported(&subject, message));
        }
        self.room(self.tree.joints.len(), "joints")?;
        let mut joint = if element.tag() == "freejoint" {
            self.notes.check_attributes(element, &["align", "group", "name"]);
            if element.attribute("align", &subject)? == Some("true") {
                let message = "`align` is ignored: the body keeps its frame from the file";
                self.notes.warn(element, &subject, message);
            }
            JointPart::free(element, String::new(), context.body)
        } else {
            self.notes.check_attributes(element, &joint::KNOWN);
            let model = &self.models[self.tree.scopes[context.scope].model];
            let attributes =
                model.classes.attributes(element, Kind::Joint, context.class, &subject)?;
            let frame = context.body_from_frame;
            JointPart::read(element, &attributes, &model.compiler, frame, &subject, self.notes)?
        };
        joint.body = context.body;
        let index = self.tree.joints.len();
        joint.number = index;
        joint.name = self.name(element, context, index, |tree| &mut tree.joint_names)?;
        if joint.motion == Motion::Free && self.tree.bodies[context.body].parent != Some(WORLD) {
            let message = "a free joint is for bodies in the world, not for bodies on other bodies";
            return Err(element.unsupported(&subject, message));
        }
        self.tree.joints.push(joint);
        Ok(())
    }

    fn inertial(&mut self, element: Element<'x>, context: Context) -> Result<()> {
        const SUBJECT: &str = "an <inertial>";
        self.notes.check_attributes(element, &INERTIAL);
        let compiler = &self.models[self.tree.scopes[context.scope].model].compiler;
        let missing =
            |field: &str| Error::Missing { place: element.place(SUBJECT), field: field.into() };
        let mass = element.number("mass", SUBJECT)?.ok_or_else(|| missing("inertial/@mass"))?;
        if mass < 0.0 {
            let message = format!("a mass must not be negative, found {mass}");
            return Err(element.invalid("mass", SUBJECT, message));
        }
        if !element.has("pos") {
            return Err(missing("inertial/@pos"));
        }
        let pose = placement::pose(element, compiler, SUBJECT)?;
        let center = context.body_from_frame.transform_point(pose.translation);
        self.tree.bodies[context.body].inertial = Some((mass, center));
        Ok(())
    }

    fn geom(&mut self, element: Element<'x>, context: Context) -> Result<()> {
        let subject = subject(element);
        self.notes.check_attributes(element, &geom::KNOWN);
        let model = &self.models[self.tree.scopes[context.scope].model];
        let attributes = model.classes.attributes(element, Kind::Geom, context.class, &subject)?;
        let geom =
            Geom::read(element, &attributes, model, context.body_from_frame, &subject, self.notes)?;
        let body = &mut self.tree.bodies[context.body];
        match geom.weight {
            Weight::Known(mass) => {
                body.geoms.0 += mass;
                body.geoms.1 += mass * geom.body_from_geom.translation;
            }
            Weight::Unknown => body.has_unknown_weight = true,
        }
        let Some(geometry) = geom.shape else { return Ok(()) };
        self.room(self.tree.shapes.len(), "shapes")?;
        let prefix = &self.tree.scopes[context.scope].prefix;
        let name = match element.attribute("name", &subject)? {
            Some(name) => format!("{prefix}{name}{}", self.tree.copies.suffix(context.copy)),
            None => String::new(),
        };
        let bytes =
            name.len() + if let Geometry::Mesh { file, .. } = &geometry { file.len() } else { 0 };
        self.tree.copies.spend(bytes, self.library.limits)?;
        self.tree.shapes.push(ShapePart {
            name,
            body: context.body,
            body_from_shape: geom.body_from_geom,
            geometry,
            is_solid: geom.is_solid,
            is_drawn: geom.is_drawn,
            color: geom.color,
        });
        Ok(())
    }

    fn site(&mut self, element: Element<'x>, context: Context) -> Result<()> {
        let subject = subject(element);
        self.notes.check_attributes(element, &SITE);
        self.room(self.tree.sites.len(), "sites")?;
        let model = &self.models[self.tree.scopes[context.scope].model];
        let attributes = model.classes.attributes(element, Kind::Site, context.class, &subject)?;
        let words = ["sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"];
        if let Some(word) = attributes.text("type", &subject)? {
            keyword(element, "type", &subject, word, &words)?;
        }
        let (pose, _) = placement::pose_and_length(&attributes, &model.compiler, &subject)?;
        let body_from_site = context.body_from_frame * pose;
        let index = self.tree.sites.len();
        let name = self.name(element, context, index, |tree| &mut tree.site_names)?;
        let (number, body) = (index, context.body);
        self.tree.sites.push(SitePart { number, name, body, body_from_site });
        Ok(())
    }
}

/// The number of replicas of an element.
fn count(element: Element<'_>, subject: &str) -> Result<u64> {
    let text = element.required("count", subject)?;
    text.trim_ascii().parse().map_err(|_| {
        let message = format!("`count` is a whole number, not `{}`", shortened(text));
        element.invalid("count", subject, message)
    })
}
