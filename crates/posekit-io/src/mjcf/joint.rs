//! `<joint>` and `<freejoint>`.

use core::f64::consts::PI;

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::Limit;

use super::classes::Attributes;
use super::compiler::Compiler;
use super::notes::Notes;
use super::placement::unit;
use super::words::keyword;
use crate::error::Result;
use crate::xml::Element;

/// The attributes of a joint; those that are not read are about forces and appearance.
pub(super) const KNOWN: [&str; 25] = [
    "actuatorfrclimited",
    "actuatorfrcrange",
    "actuatorgravcomp",
    "armature",
    "axis",
    "class",
    "damping",
    "frictionloss",
    "group",
    "limited",
    "margin",
    "name",
    "pos",
    "range",
    "ref",
    "solimpfriction",
    "solimplimit",
    "solreffriction",
    "solreflimit",
    "springdamper",
    "springref",
    "springyield",
    "stiffness",
    "type",
    "user",
];

/// The kind of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Motion {
    Free,
    Ball,
    Slide,
    Hinge,
}

impl Motion {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Ball => "ball",
            Self::Slide => "slide",
            Self::Hinge => "hinge",
        }
    }
}

/// A joint of a body.
pub(super) struct JointPart<'x> {
    pub(super) element: Element<'x>,
    pub(super) name: String,
    /// Its number in the order of the file.
    pub(super) number: usize,
    /// Index of the body that it moves.
    pub(super) body: usize,
    pub(super) motion: Motion,
    /// The fixed point of the body's rotation, in the body's frame \[m\].
    pub(super) anchor: DVec3,
    /// Unit axis in the body's frame; meaningless for free and ball joints.
    pub(super) axis: DVec3,
    /// The value in the drawn configuration \[rad or m\].
    pub(super) reference: f64,
    /// Smallest and largest value \[rad or m\]; for a ball joint, 0 and the largest angle.
    pub(super) range: Option<[f64; 2]>,
}

impl<'x> JointPart<'x> {
    /// A joint that moves freely: a `<freejoint>`, or a `<joint>` of that type.
    pub(super) fn free(element: Element<'x>, name: String, body: usize) -> Self {
        Self {
            element,
            name,
            number: 0,
            body,
            motion: Motion::Free,
            anchor: DVec3::ZERO,
            axis: DVec3::Z,
            reference: 0.0,
            range: None,
        }
    }

    /// Reads a `<joint>`.
    ///
    /// - `body_from_frame`: the frame of the element
    pub(super) fn read(
        element: Element<'x>,
        attributes: &Attributes<'x>,
        compiler: &Compiler<'x>,
        body_from_frame: Pose,
        subject: &str,
        notes: &mut Notes<'_, 'x>,
    ) -> Result<Self> {
        let mut joint = Self::free(element, String::new(), 0);
        joint.motion = motion(attributes, subject)?;
        if joint.motion == Motion::Free {
            return Ok(joint);
        }
        let anchor = attributes.numbers::<3>("pos", subject)?.unwrap_or_default();
        joint.anchor = body_from_frame.transform_point(DVec3::from_array(anchor));
        if joint.motion != Motion::Ball {
            let axis =
                attributes.numbers::<3>("axis", subject)?.map_or(DVec3::Z, DVec3::from_array);
            let message = "the axis is zero and has no direction";
            let axis = unit(axis).ok_or_else(|| attributes.invalid("axis", subject, message))?;
            joint.axis = body_from_frame.transform_vector(axis);
            let reference = attributes.number("ref", subject)?.unwrap_or_default();
            joint.reference = joint.in_radians(reference, compiler);
        }
        let range = joint.range(attributes, compiler, subject, notes)?;
        joint.range = range.map(|range| range.map(|value| joint.in_radians(value, compiler)));
        joint.check_ball(attributes, subject, notes)?;
        Ok(joint)
    }

    /// A value of the file: an angle is in the file's unit, a distance in metres.
    fn in_radians(&self, value: f64, compiler: &Compiler<'_>) -> f64 {
        if self.motion == Motion::Slide { value } else { compiler.angle(value) }
    }

    /// The range, if the joint is limited: by `limited`, or else by an ascending range.
    fn range(
        &self,
        attributes: &Attributes<'x>,
        compiler: &Compiler<'_>,
        subject: &str,
        notes: &mut Notes<'_, 'x>,
    ) -> Result<Option<[f64; 2]>> {
        let range = attributes.numbers::<2>("range", subject)?.unwrap_or_default();
        let [min, max] = range;
        let words = ["false", "true", "auto"];
        let limited = match attributes.text("limited", subject)? {
            Some(word) => keyword(self.element, "limited", subject, word, &words)?,
            None => 2,
        };
        match limited {
            0 => Ok(None),
            1 if min >= max => {
                let message = format!("a limited joint needs a range with {min} below {max}");
                Err(attributes.invalid("range", subject, message))
            }
            1 => Ok(Some(range)),
            _ if range == [0.0; 2] => Ok(None),
            _ if !compiler.limits_follow_ranges => {
                let message = "with autolimits=\"false\" a joint with a range must have the attribute `limited`";
                Err(attributes.invalid("range", subject, message))
            }
            _ if min >= max => {
                let message = format!("the range {min} to {max} is not ascending; it is ignored");
                notes.warn(self.element, subject, message);
                Ok(None)
            }
            _ => Ok(Some(range)),
        }
    }

    /// A ball joint's range begins at 0.
    fn check_ball(
        &self,
        attributes: &Attributes<'x>,
        subject: &str,
        notes: &mut Notes<'_, 'x>,
    ) -> Result<()> {
        let (Motion::Ball, Some([min, max])) = (self.motion, self.range) else { return Ok(()) };
        if min != 0.0 {
            let message = "the range of a ball joint begins at 0 and ends at its largest angle";
            return Err(attributes.invalid("range", subject, message));
        }
        if max < PI {
            let message = format!(
                "the range limits the angle of the whole rotation; it is read as a cone of {max} rad about the joint's z axis \
                 and a twist of the same angle, which together allow larger rotations"
            );
            notes.warn(self.element, subject, message);
        }
        Ok(())
    }

    /// The limit of the skeleton's joint.
    pub(super) fn limit(&self) -> Limit {
        match (self.motion, self.range) {
            (Motion::Ball, Some([_, max])) if max < PI => {
                Limit::Cone { axis: DVec3::Z, swing: max, twist: [-max, max] }
            }
            (Motion::Hinge | Motion::Slide, Some([min, max])) => Limit::Range { min, max },
            _ => Limit::None,
        }
    }
}

fn motion(attributes: &Attributes<'_>, subject: &str) -> Result<Motion> {
    const ALL: [Motion; 4] = [Motion::Free, Motion::Ball, Motion::Slide, Motion::Hinge];
    let Some(word) = attributes.text("type", subject)? else { return Ok(Motion::Hinge) };
    ALL.into_iter().find(|motion| motion.name() == word).ok_or_else(|| {
        let known = ALL.map(Motion::name).join(", ");
        attributes.invalid("type", subject, format!("`type` is `{word}`, expected {known}"))
    })
}
