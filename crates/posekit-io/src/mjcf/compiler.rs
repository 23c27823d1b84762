//! `<compiler>`: the interpretation of the numbers of a model.

use posekit::glam::DVec3;

use super::notes::Notes;
use super::words::keyword;
use crate::error::Result;
use crate::xml::{Element, Infinite, shortened};

/// Attributes that do not affect poses, or only name files that are not opened.
const KNOWN: [&str; 24] = [
    "alignfree",
    "angle",
    "assetdir",
    "autolimits",
    "balanceinertia",
    "boundinertia",
    "boundmass",
    "conflict",
    "coordinate",
    "discardvisual",
    "eulerseq",
    "fitaabb",
    "fusestatic",
    "inertiafromgeom",
    "inertiagrouprange",
    "meshdir",
    "passthrough",
    "savecanonical",
    "savecompiled",
    "saveinertial",
    "settotalmass",
    "strippath",
    "texturedir",
    "usethread",
];

/// The settings of a model. They apply to all of it, wherever they are; the last ones count.
#[derive(Debug, Clone)]
pub(super) struct Compiler<'x> {
    /// Angles are in degrees, not in radians.
    pub(super) is_degrees: bool,
    /// Axis of each of three Euler rotations, and whether it is a fixed axis.
    pub(super) euler_sequence: [(DVec3, bool); 3],
    /// A joint with a range is limited, unless `limited` overrides it.
    pub(super) limits_follow_ranges: bool,
    pub(super) mesh_folder: Option<&'x str>,
    pub(super) asset_folder: Option<&'x str>,
    /// Only the last part of a file's name counts.
    pub(super) strips_paths: bool,
    pub(super) inertia: InertiaSource,
    /// Smallest and largest group of the geoms that contribute to masses.
    pub(super) weighing_groups: [f64; 2],
    /// All masses are scaled so that their sum is this \[kg\].
    pub(super) total_mass: Option<f64>,
    /// Smallest mass of a body \[kg\].
    pub(super) least_mass: f64,
}

/// The source of a body's mass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InertiaSource {
    /// From its `<inertial>`, or else from its geoms.
    Either,
    /// From its geoms, even if there is an `<inertial>`.
    Geoms,
    /// Only from its `<inertial>`.
    Inertial,
}

impl<'x> Compiler<'x> {
    pub(super) fn read(sections: &[Element<'x>], notes: &mut Notes<'_, 'x>) -> Result<Self> {
        let mut compiler = Self {
            is_degrees: true,
            euler_sequence: [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| (axis, false)),
            limits_follow_ranges: true,
            mesh_folder: None,
            asset_folder: None,
            strips_paths: false,
            inertia: InertiaSource::Either,
            weighing_groups: [f64::NEG_INFINITY, f64::INFINITY],
            total_mass: None,
            least_mass: 0.0,
        };
        for &section in sections {
            notes.check_attributes(section, &KNOWN);
            compiler.apply(section, notes)?;
        }
        Ok(compiler)
    }

    fn apply(&mut self, section: Element<'x>, notes: &mut Notes<'_, 'x>) -> Result<()> {
        const SUBJECT: &str = "<compiler>";
        let word = |name| section.attribute(name, SUBJECT);
        let choice = |name, words: &[&str]| match word(name)? {
            Some(word) => keyword(section, name, SUBJECT, word, words).map(Some),
            None => Ok(None),
        };
        let is_true = |name| choice(name, &["false", "true"]).map(|at| at.map(|at| at == 1));
        if choice("coordinate", &["local", "global"])? == Some(1) {
            let message = "global coordinates are not supported (nor by MuJoCo since 2.3.4); load and save the model with \
                           MuJoCo 2.3.3 to convert it";
            return Err(section.unsupported(SUBJECT, message));
        }
        if let Some(at) = choice("angle", &["radian", "degree"])? {
            self.is_degrees = at == 1;
        }
        if let Some(word) = word("eulerseq")? {
            self.euler_sequence = euler_sequence(word).ok_or_else(|| {
                let message = format!(
                    "`eulerseq` is three of the letters x, y, z, X, Y, Z, not `{}`",
                    shortened(word)
                );
                section.invalid("eulerseq", SUBJECT, message)
            })?;
        }
        self.limits_follow_ranges = is_true("autolimits")?.unwrap_or(self.limits_follow_ranges);
        self.strips_paths = is_true("strippath")?.unwrap_or(self.strips_paths);
        self.mesh_folder = word("meshdir")?.or(self.mesh_folder);
        self.asset_folder = word("assetdir")?.or(self.asset_folder);
        if is_true("alignfree")? == Some(true) {
            let message = "`alignfree` is ignored: bodies keep the frames that the file gives them";
            notes.warn(section, SUBJECT, message);
        }
        match choice("inertiafromgeom", &["false", "true", "auto"])? {
            Some(0) => self.inertia = InertiaSource::Inertial,
            Some(1) => self.inertia = InertiaSource::Geoms,
            Some(_) => self.inertia = InertiaSource::Either,
            None => {}
        }
        let numbers = section.numbers::<2>("inertiagrouprange", SUBJECT, Infinite::Refused)?;
        self.weighing_groups = numbers.unwrap_or(self.weighing_groups);
        if let Some(mass) = section.number("settotalmass", SUBJECT)? {
            self.total_mass = (mass > 0.0).then_some(mass);
        }
        self.least_mass = section.number("boundmass", SUBJECT)?.unwrap_or(self.least_mass);
        Ok(())
    }

    /// An angle of the file in radians.
    pub(super) fn angle(&self, angle: f64) -> f64 {
        if self.is_degrees { angle.to_radians() } else { angle }
    }
}

fn euler_sequence(word: &str) -> Option<[(DVec3, bool); 3]> {
    let letters: Vec<char> = word.chars().collect();
    let [a, b, c] = <[char; 3]>::try_from(letters).ok()?;
    let axis = |letter: char| {
        let axis = match letter.to_ascii_lowercase() {
            'x' => DVec3::X,
            'y' => DVec3::Y,
            'z' => DVec3::Z,
            _ => return None,
        };
        Some((axis, letter.is_ascii_uppercase()))
    };
    Some([axis(a)?, axis(b)?, axis(c)?])
}
