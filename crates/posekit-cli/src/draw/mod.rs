//! Pictures: poses, error curves, the stand-alone SVG of `posekit draw` and the page of `posekit demo`.
//!
//! Everything here works on plain data, points and text; nothing here solves or reads a file. Coordinates are the
//! problem's own (any unit, right-handed); angles are radians. The same data give the same bytes: numbers are written with
//! fixed decimals and no picture carries a date.

mod figure;
mod limits;
mod look;
mod page;
mod plot;
mod sheet;
pub(crate) mod svg;
mod view;
mod words;

#[cfg(test)]
mod fixtures;

use posekit::glam::{DQuat, DVec3};

pub(crate) use look::{SolverLook, Theme, ramp, share_style, svg_style};
pub(crate) use page::{DetailTable, Model, Report, Run, document, report_page};
#[cfg(test)]
pub(crate) use sheet::strip_svg;
pub(crate) use sheet::{Sheet, solution_svg};
pub(crate) use words::{
    Effort, HeldJoint, HeldLimit, Outcome, length_words, microseconds, scientific, significant,
    status_words,
};

/// The space of a pose, which determines the view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Space {
    /// The plane z = 0, seen straight on with +y up.
    Plane,
    /// Space, seen from a fixed height with the given direction up (any length; zero means +z), on a floor with shadows.
    Up(DVec3),
}

/// One pose of a skeleton, as points.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    /// Base and end of each bone, parents first. Bones without length are skipped.
    pub(crate) bones: Vec<[DVec3; 2]>,
    /// What to draw at the joints.
    pub(crate) joints: Vec<JointMark>,
    /// Half widths of each bone at its base and its end, in the problem's unit; empty for slim bones that suit the picture.
    pub(crate) radii: Vec<[f64; 2]>,
    /// Flat bodies: corners of each, in order.
    pub(crate) plates: Vec<Vec<DVec3>>,
    /// The fixed point of the skeleton; `None` for one that floats.
    pub(crate) root: Option<DVec3>,
    /// The end effectors, in the order of the targets.
    pub(crate) tips: Vec<DVec3>,
}

impl Figure {
    /// A chain of points, root first, with a plain disc at each joint.
    pub(crate) fn from_points(points: &[DVec3]) -> Self {
        let plain = |&at: &DVec3| JointMark::new(at, JointShape::Plain);
        Self {
            bones: points.windows(2).map(|pair| [pair[0], pair[1]]).collect(),
            joints: points[..points.len().saturating_sub(1)].iter().map(plain).collect(),
            radii: Vec::new(),
            plates: Vec::new(),
            root: points.first().copied(),
            tips: points.last().copied().into_iter().collect(),
        }
    }
}

/// One joint in a picture.
#[derive(Debug, Clone)]
pub(crate) struct JointMark {
    /// The joint's origin.
    pub(crate) at: DVec3,
    /// What kind of joint it is.
    pub(crate) shape: JointShape,
    /// Its limit, if it has one worth drawing.
    pub(crate) limit: Option<LimitMark>,
    /// True when the joint rests against its limit; its arc is drawn solid.
    pub(crate) at_limit: bool,
}

impl JointMark {
    /// A joint without a limit.
    pub(crate) const fn new(at: DVec3, shape: JointShape) -> Self {
        Self { at, shape, limit: None, at_limit: false }
    }
}

/// The kind of a joint, with its axis in the picture's coordinates (any length).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum JointShape {
    /// A joint of a chain of points: a disc.
    Plain,
    /// A weld: a dot.
    Fixed,
    /// A hinge: a disc with its axis as a short rod.
    Hinge {
        /// Axis of rotation.
        axis: DVec3,
    },
    /// A sliding joint: a rail along its axis.
    Prismatic {
        /// Direction of sliding.
        axis: DVec3,
    },
    /// A ball joint: a disc in a fine ring.
    Ball,
}

/// The limit of a joint, in the picture's coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum LimitMark {
    /// A hinge's range: the sector swept by `from` when it rotates about `axis` by `span`.
    Range {
        /// Axis of rotation (any length).
        axis: DVec3,
        /// Direction of the bone at the least angle; only its component across the axis counts.
        from: DVec3,
        /// Greatest minus least angle \[rad\]; a full turn or more is drawn as a circle.
        span: f64,
        /// The present angle minus the least \[rad\].
        value: f64,
    },
    /// A ball joint's cone about `axis`.
    Cone {
        /// Direction of the bone at rest (any length).
        axis: DVec3,
        /// Greatest angle from it \[rad\].
        swing: f64,
    },
}

/// A target, with its orientation, if any.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TargetMark {
    /// Position.
    pub(crate) at: DVec3,
    /// Target orientation, drawn as three short axes.
    pub(crate) rotation: Option<DQuat>,
    /// Target direction of an axis (any length), drawn as an arrow.
    pub(crate) direction: Option<DVec3>,
    /// True when the effector looks at it: a line of sight leads there, and a distance is not an error.
    pub(crate) is_seen: bool,
}

impl TargetMark {
    /// A point to be reached.
    pub(crate) const fn point(at: DVec3) -> Self {
        Self { at, rotation: None, direction: None, is_seen: false }
    }
}

/// A rod: a rail or a handle in the world, an obstacle, a capsule around a bone. With both ends at one point it is a ball.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rod {
    /// Its ends.
    pub(crate) ends: [DVec3; 2],
    /// Half its width, in the problem's unit.
    pub(crate) radius: f64,
}

/// A pole: the point towards which a limb bends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PoleMark {
    /// The pole.
    pub(crate) at: DVec3,
    /// The joint that bends towards it, to which its line is drawn.
    pub(crate) joint: DVec3,
}

/// A picture of one solve: the poses before, during and after it.
#[derive(Debug, Clone)]
pub(crate) struct PoseDrawing {
    /// The text alternative of the picture.
    pub(crate) title: String,
    /// Plane or space.
    pub(crate) space: Space,
    /// Unit of the coordinates, for the scale: "m", or empty if unknown.
    pub(crate) unit: String,
    /// The solver, which gives the colour.
    pub(crate) look: SolverLook,
    /// The pose before: dashed grey behind the result, or a full grey figure when there is no result.
    pub(crate) start: Option<Figure>,
    /// The pose after.
    pub(crate) result: Option<Figure>,
    /// Bones of the intermediate poses, oldest first; a few of them are drawn, older ones fainter.
    pub(crate) ghosts: Vec<Vec<[DVec3; 2]>>,
    /// Positions of the end effector from start to result.
    pub(crate) trail: Vec<DVec3>,
    /// The targets, in the order of the tips.
    pub(crate) targets: Vec<TargetMark>,
    /// Rods fixed in the world.
    pub(crate) rods: Vec<Rod>,
    /// Obstacles. They are shown whole if the figure then still fills a third of the picture.
    pub(crate) obstacles: Vec<Rod>,
    /// Capsules around the bones of the pose shown, which must stay clear of obstacles and each other.
    pub(crate) hulls: Vec<Rod>,
    /// Flat things fixed in the world: corners of each, in order.
    pub(crate) plates: Vec<Vec<DVec3>>,
    /// The azimuth of the view \[degrees about up from the first floor axis\]; `None` for the best one.
    pub(crate) azimuth_deg: Option<f64>,
    /// The pole.
    pub(crate) pole: Option<PoleMark>,
}

impl PoseDrawing {
    /// A picture of nothing yet.
    pub(crate) fn new(title: &str, space: Space, unit: &str, look: SolverLook) -> Self {
        Self {
            title: title.to_owned(),
            space,
            unit: unit.to_owned(),
            look,
            start: None,
            result: None,
            ghosts: Vec::new(),
            trail: Vec::new(),
            targets: Vec::new(),
            rods: Vec::new(),
            obstacles: Vec::new(),
            hulls: Vec::new(),
            plates: Vec::new(),
            azimuth_deg: None,
            pole: None,
        }
    }
}

/// The errors of one solver.
#[derive(Debug, Clone)]
pub(crate) struct ErrorCurve {
    /// Name shown beside the curve.
    pub(crate) solver: String,
    /// Colour, dash and marker.
    pub(crate) look: SolverLook,
    /// Error before the first iteration and after each one, in the problem's unit. Values that are not finite leave a gap; zero is
    /// drawn on the bottom line.
    pub(crate) values: Vec<f64>,
    /// The iteration (index into `values`) at which the solver escaped from a lock-up.
    pub(crate) escaped_at: Option<usize>,
}
