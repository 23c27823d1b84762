//! `<material>`: the colours of what is only seen. Textures are not read.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::warnings::Warnings;
use crate::xml::{Element, Infinite};

/// A material, in the robot or in a `<visual>`, which may only name one that is elsewhere.
#[derive(Clone, Copy)]
pub(super) struct Material<'x> {
    /// Empty if the file gives none.
    name: &'x str,
    /// Red, green, blue and opacity, 0 to 1.
    color: Option<[f64; 4]>,
}

impl<'x> Material<'x> {
    /// A fault of a colour is a warning.
    pub(super) fn read(element: Element<'x>, subject: &str, warnings: &mut Warnings) -> Self {
        let read = || -> Result<Self> {
            let name = element.attribute("name", subject)?.unwrap_or_default();
            let color = element.children().find(|child| child.tag() == "color");
            let numbers = |color: Element<'x>| color.numbers("rgba", subject, Infinite::Refused);
            let color = color.map(numbers).transpose()?.flatten();
            let color = color.map(|rgba: [f64; 4]| rgba.map(|part| part.clamp(0.0, 1.0)));
            Ok(Self { name, color })
        };
        read().unwrap_or_else(|error| {
            warnings.push(element.place(subject), format!("a material is ignored: {error}"));
            Self { name: "", color: None }
        })
    }
}

/// The colours of materials by their names.
#[derive(Default)]
pub(super) struct Materials<'x>(BTreeMap<&'x str, [f64; 4]>);

impl<'x> Materials<'x> {
    /// Adds one that has a name and a colour; of several with one name, the first counts.
    pub(super) fn add(&mut self, material: Material<'x>) {
        if let Some(color) = material.color.filter(|_| !material.name.is_empty()) {
            self.0.entry(material.name).or_insert(color);
        }
    }

    /// The colour of a material: its own, or that of the one it names.
    pub(super) fn color(&self, material: Material<'x>) -> Option<[f64; 4]> {
        material.color.or_else(|| self.0.get(material.name).copied())
    }
}
