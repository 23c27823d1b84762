//! `<default>`: classes of attributes, each with what it inherits.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::document::Library;
use super::notes::Notes;
use crate::error::{Error, Result};
use crate::xml::{Element, Infinite, shortened};

/// The attributes that give an orientation, of which an element has at most one. An element's own replaces whatever its class has.
pub(super) const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];

/// The sizes of a geom, which are inherited one by one: `size="0.1"` replaces the first and keeps the others.
const SIZES: [&str; 3] = ["size[0]", "size[1]", "size[2]"];

/// The class of elements that name none.
pub(super) const MAIN: usize = 0;

/// The elements with classes, among those that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Joint,
    Geom,
    Site,
    Mesh,
    Equality,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Joint, Self::Geom, Self::Site, Self::Mesh, Self::Equality];

    const fn tag(self) -> &'static str {
        match self {
            Self::Joint => "joint",
            Self::Geom => "geom",
            Self::Site => "site",
            Self::Mesh => "mesh",
            Self::Equality => "equality",
        }
    }

    /// The attributes that are read, besides orientations and sizes.
    const fn attributes(self) -> &'static [&'static str] {
        match self {
            Self::Joint => &["type", "pos", "axis", "range", "ref", "limited"],
            Self::Geom => &[
                "type",
                "pos",
                "fromto",
                "mesh",
                "mass",
                "density",
                "shellinertia",
                "group",
                "contype",
                "conaffinity",
                "rgba",
                "material",
            ],
            Self::Site => &["type", "pos", "fromto"],
            Self::Mesh => &["scale"],
            Self::Equality => &["active"],
        }
    }

    const fn has_frame(self) -> bool {
        matches!(self, Self::Geom | Self::Site)
    }
}

/// The source element of each attribute of a class.
type Table<'x> = BTreeMap<&'static str, Element<'x>>;

/// The classes of a model; the first is `main`.
pub(super) struct Classes<'x> {
    index_of: BTreeMap<&'x str, usize>,
    /// For each class, a table for each kind. A class that adds nothing shares those of its parent.
    tables: Vec<[Rc<Table<'x>>; Kind::ALL.len()]>,
}

impl<'x> Classes<'x> {
    pub(super) fn read(
        sections: &[Element<'x>],
        library: &Library<'x>,
        notes: &mut Notes<'_, 'x>,
    ) -> Result<Self> {
        let main = Kind::ALL.map(|_| Rc::new(Table::new()));
        let mut classes = Self { index_of: BTreeMap::from([("main", MAIN)]), tables: vec![main] };
        for &section in sections {
            // Another name for the first class, as older versions of MuJoCo allow.
            if let Some(name) = section.attribute("class", SUBJECT)? {
                classes.index_of.insert(name, MAIN);
            }
            let mut open = vec![(section, MAIN)];
            while let Some((element, class)) = open.pop() {
                classes.read_class(element, class, library, &mut open, notes)?;
            }
        }
        Ok(classes)
    }

    /// Reads the attributes of a class, and adds its nested classes to the list of those to read.
    fn read_class(
        &mut self,
        element: Element<'x>,
        class: usize,
        library: &Library<'x>,
        open: &mut Vec<(Element<'x>, usize)>,
        notes: &mut Notes<'_, 'x>,
    ) -> Result<()> {
        notes.check_attributes(element, &["class"]);
        let children = library.children(element);
        for &child in &children {
            if let Some(at) = Kind::ALL.iter().position(|kind| kind.tag() == child.tag()) {
                inherit(Rc::make_mut(&mut self.tables[class][at]), child, Kind::ALL[at])?;
            }
        }
        for child in children.into_iter().filter(|child| child.tag() == "default") {
            let name = child.name("class", SUBJECT)?;
            let index = self.tables.len();
            if self.index_of.insert(name, index).is_some() {
                let message = format!("a second class `{}`", shortened(name));
                return Err(child.invalid("class", SUBJECT, message));
            }
            if index > library.limits.joints {
                let what = "the number of default classes".into();
                let limit = library.limits.joints;
                return Err(Error::TooLarge { what, limit, field: "joints" });
            }
            self.tables.push(self.tables[class].clone());
            open.push((child, index));
        }
        Ok(())
    }

    /// The class that an attribute of an element names, if it names one.
    pub(super) fn named(
        &self,
        element: Element<'x>,
        attribute: &str,
        subject: &str,
    ) -> Result<Option<usize>> {
        let Some(name) = element.attribute(attribute, subject)? else { return Ok(None) };
        let class = self.index_of.get(name).copied().ok_or_else(|| Error::NoSuchName {
            place: element.place(subject),
            kind: "class",
            name: shortened(name),
        })?;
        Ok(Some(class))
    }

    /// The attributes of an element: its own, and those of the class it names, or else of `class`.
    pub(super) fn attributes(
        &self,
        element: Element<'x>,
        kind: Kind,
        class: usize,
        subject: &str,
    ) -> Result<Attributes<'x>> {
        let class = self.named(element, "class", subject)?.unwrap_or(class);
        let at = Kind::ALL.iter().position(|other| *other == kind).unwrap_or(0);
        Ok(Attributes { own: element, class: Rc::clone(&self.tables[class][at]) })
    }
}

const SUBJECT: &str = "a <default>";

/// Takes the attributes of an element of a class into its table.
fn inherit<'x>(table: &mut Table<'x>, element: Element<'x>, kind: Kind) -> Result<()> {
    for &name in kind.attributes().iter().filter(|name| element.has(name)) {
        table.insert(name, element);
    }
    if kind.has_frame() {
        if ORIENTATIONS.iter().any(|name| element.has(name)) {
            ORIENTATIONS.iter().for_each(|name| _ = table.remove(name));
        }
        for &name in ORIENTATIONS.iter().filter(|name| element.has(name)) {
            table.insert(name, element);
        }
        let sizes = element.number_list("size", SUBJECT, SIZES.len())?.unwrap_or_default();
        for (name, _) in SIZES.iter().zip(sizes) {
            table.insert(name, element);
        }
    }
    Ok(())
}

/// The attributes of an element with those of its class.
#[derive(Clone)]
pub(super) struct Attributes<'x> {
    own: Element<'x>,
    class: Rc<Table<'x>>,
}

impl<'x> Attributes<'x> {
    /// The source element of an attribute: this one, or one of a class.
    pub(super) fn holder(&self, name: &str) -> Option<Element<'x>> {
        if self.own.has(name) { Some(self.own) } else { self.class.get(name).copied() }
    }

    /// An error about the value of an attribute, at its source.
    pub(super) fn invalid(&self, name: &str, subject: &str, message: impl Into<String>) -> Error {
        self.holder(name).unwrap_or(self.own).invalid(name, subject, message)
    }

    pub(super) fn text(&self, name: &str, subject: &str) -> Result<Option<&'x str>> {
        self.holder(name).map_or(Ok(None), |holder| holder.attribute(name, subject))
    }

    pub(super) fn numbers<const N: usize>(
        &self,
        name: &str,
        subject: &str,
    ) -> Result<Option<[f64; N]>> {
        let numbers = |holder: Element<'x>| holder.numbers(name, subject, Infinite::Refused);
        self.holder(name).map_or(Ok(None), numbers)
    }

    pub(super) fn number(&self, name: &str, subject: &str) -> Result<Option<f64>> {
        Ok(self.numbers::<1>(name, subject)?.map(|[number]| number))
    }

    /// The source element of the orientation: this one if it has any, or else one of a class.
    pub(super) fn orientation(&self) -> Option<Element<'x>> {
        let is_own = ORIENTATIONS.iter().any(|name| self.own.has(name));
        let inherited = || ORIENTATIONS.iter().find_map(|name| self.class.get(name).copied());
        if is_own { Some(self.own) } else { inherited() }
    }

    /// Up to three sizes; each the element's own, or else that of a class.
    pub(super) fn sizes(&self, subject: &str) -> Result<[Option<f64>; 3]> {
        let list = |element: Element<'x>| element.number_list("size", subject, SIZES.len());
        let own = list(self.own)?.unwrap_or_default();
        let mut sizes = [None; 3];
        for (at, name) in SIZES.iter().enumerate() {
            sizes[at] = match (own.get(at), self.class.get(name)) {
                (Some(&size), _) => Some(size),
                (None, Some(&element)) => list(element)?.unwrap_or_default().get(at).copied(),
                (None, None) => None,
            };
        }
        Ok(sizes)
    }
}
