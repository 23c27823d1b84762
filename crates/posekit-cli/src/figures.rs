//! Problems with many tasks: a standing figure that holds on while its hips move, and a platform on six legs.
//!
//! This file has joints, tasks and shapes in metres; `task_picture.rs` draws them.

use posekit::Result;
use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, rotation_about, shortest_rotation};
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::{JointOptions, Method, Settings, solve};
use posekit::task::{AxisAlignment, Closure, FramePose, Link, LookAt, Position, Support, Task};

use crate::humanoid::{Humanoid, Part};

/// A problem with many tasks, and the shapes to draw.
#[derive(Debug, Clone)]
pub(crate) struct TaskScene {
    pub(crate) title: &'static str,
    /// A one-line description.
    pub(crate) about: String,
    pub(crate) skeleton: Skeleton,
    /// Joint values, inside the limits.
    pub(crate) start: Vec<f64>,
    pub(crate) named_tasks: Vec<NamedTask>,
    /// Limbs.
    pub(crate) parts: Vec<Part>,
    /// Flat bodies.
    pub(crate) plates: Vec<Plate>,
    /// Rods that stand in the world: end, end, half width.
    pub(crate) rods: Vec<([DVec3; 2], f64)>,
    /// The stiffness of each joint.
    pub(crate) stiffness: Vec<f64>,
    /// The joints to mark.
    pub(crate) marked: Vec<usize>,
    /// The azimuth of the view: degrees about z from +x.
    pub(crate) azimuth_deg: f64,
}

/// A task and its description.
#[derive(Debug, Clone)]
pub(crate) struct NamedTask {
    /// A few words: "left foot stands".
    pub(crate) words: &'static str,
    pub(crate) task: Task,
}

/// A polygon that moves with a joint, or stands in the world.
#[derive(Debug, Clone)]
pub(crate) struct Plate {
    pub(crate) joint: Option<usize>,
    pub(crate) corners: Vec<DVec3>,
}

fn named(words: &'static str, task: impl Into<Task>) -> NamedTask {
    NamedTask { words, task: task.into() }
}

impl TaskScene {
    /// What must hold, in order.
    pub(crate) fn tasks(&self) -> Vec<Task> {
        self.named_tasks.iter().map(|named| named.task.clone()).collect()
    }

    /// The settings of the solve.
    pub(crate) fn settings(&self) -> Settings {
        stiff(&self.stiffness)
    }
}

fn stiff(stiffness: &[f64]) -> Settings {
    let joints = stiffness.iter().map(|&value| JointOptions::default().with_stiffness(value));
    Settings::default().with_joints(joints)
}

/// The rail for the left hand and the bar of the door for the right one, each at the place that is held \[m\].
const RAIL: DVec3 = DVec3::new(0.12, 0.40, 0.98);
const DOOR_BAR: DVec3 = DVec3::new(0.44, -0.26, 1.08);
/// The door's leaf is this far behind its bar.
const DOOR_BEHIND: f64 = 0.07;
/// The height of the eyes \[m\].
const LOOKED_AT: DVec3 = DVec3::new(0.9, 0.1, 1.0);
/// How far the centre of mass stays inside the soles' hull \[m\].
const BALANCE_MARGIN: f64 = 0.02;

/// The figure with both feet on the ground, its right hand round the bar of a door and its left hand on a rail.
#[derive(Debug, Clone)]
pub(crate) struct Stance {
    pub(crate) figure: Humanoid,
    /// A pose that meets all contacts, with the hips where they are when the figure stands.
    pub(crate) holding: Vec<f64>,
    /// Feet, right hand, left hand and its axis.
    pub(crate) contacts: Vec<NamedTask>,
}

impl Stance {
    /// Solves for a standing figure that holds both contacts of its hands.
    ///
    /// # Errors
    /// Those of the figure and of the solver, which tests rule out.
    pub(crate) fn try_new() -> Result<Self> {
        let figure = Humanoid::try_new()?;
        let mut standing = figure.start.clone();
        figure.close_hands(&mut standing, 0.75);
        let poses = figure.skeleton.poses(&standing);
        let [left_sole, right_sole] = figure.soles;
        let stay = |frame: Frame| FramePose::new(frame, frame.world(&poses));
        // Thumb up, fingers forward: the bar is along z.
        let round_bar = Pose::new(rotation_about(DVec3::Y, -90_f64.to_radians()), DOOR_BAR);
        let [left_hand, right_hand] = figure.grips;
        let contacts = vec![
            named("left foot stands", Task::new(stay(left_sole))),
            named("right foot stands", Task::new(stay(right_sole))),
            named("right hand holds the door", Task::new(FramePose::new(right_hand, round_bar))),
            named("left hand on the rail", Task::new(Position::new(left_hand, RAIL))),
            named(
                "left hand along the rail",
                Task::new(AxisAlignment::new(left_hand, DVec3::X, DVec3::X)),
            ),
        ];
        let mut tasks: Vec<Task> = contacts.iter().map(|named| named.task.clone()).collect();
        let upright = FramePose::new(figure.pelvis, figure.pelvis.world(&poses));
        tasks.push(Task::new(upright));
        let settings = stiff(&figure.stiffness);
        let taken = solve(&figure.skeleton, &standing, &tasks, Method::LeastSquares, &settings)?;
        Ok(Self { holding: taken.configuration, figure, contacts })
    }

    /// Where the hips are when the figure stands \[m\].
    pub(crate) fn hips(&self) -> DVec3 {
        self.figure.pelvis.world(&self.figure.skeleton.poses(&self.holding)).translation
    }
}

/// The figure holds a door and a rail while its hips move down and aside.
pub(crate) fn standing_figure() -> Result<TaskScene> {
    let stance = Stance::try_new()?;
    let way = DVec3::new(-0.08, -0.12, -0.20);
    let Stance { figure, holding, contacts } = &stance;
    let mut named_tasks = contacts.clone();
    let hips = Position::new(figure.pelvis, stance.hips() + way);
    named_tasks.push(named("hips 20 cm down, 12 cm aside", Task::new(hips)));
    named_tasks
        .push(named("eyes on the lamp", Task::new(LookAt::new(figure.eyes, DVec3::X, LOOKED_AT))));
    let ground = figure.ground_contact(holding);
    let balance = Support::try_new(figure.bodies.clone(), &ground, DVec3::Z, BALANCE_MARGIN)?;
    named_tasks.push(named("weight over the feet", Task::new(balance)));
    let mut scene = TaskScene {
        title: "Standing figure",
        about: format!(
            "{} joints, 1.75 m: both feet stand, one hand holds a door, the other a rail; the hips move 20 cm down and 12 cm aside",
            figure.skeleton.n_joints()
        ),
        skeleton: figure.skeleton.clone(),
        start: holding.clone(),
        named_tasks,
        stiffness: figure.stiffness.clone(),
        parts: figure.parts.clone(),
        plates: Vec::new(),
        rods: Vec::new(),
        marked: figure.legs.iter().chain(&figure.arms).flatten().copied().collect(),
        azimuth_deg: 38.0,
    };
    scene.furnish();
    Ok(scene)
}

impl TaskScene {
    /// The door with its bar and the rail on its posts.
    fn furnish(&mut self) {
        let behind = DVec3::X * DOOR_BEHIND;
        let (left, right) = (DOOR_BAR.y + 0.10, DOOR_BAR.y - 0.5);
        let x = DOOR_BAR.x + DOOR_BEHIND;
        let leaf = [[left, 0.0], [right, 0.0], [right, 1.95], [left, 1.95]];
        let corners = leaf.map(|[y, z]| DVec3::new(x, y, z)).to_vec();
        self.plates.push(Plate { joint: None, corners });
        let [top, bottom] = [0.17, -0.17].map(|z| DOOR_BAR + DVec3::Z * z);
        self.rods.extend([
            ([bottom, top], 0.014),
            ([bottom, bottom + behind], 0.009),
            ([top, top + behind], 0.009),
        ]);
        let [back, front] = [-0.5, 0.3].map(|x| DVec3::new(x, RAIL.y, RAIL.z));
        self.rods.push(([back, front], 0.02));
        for x in [-0.42, 0.22] {
            let post = DVec3::new(x, RAIL.y, 0.0);
            self.rods.push(([post, post.with_z(RAIL.z)], 0.012));
        }
    }
}

/// Radii of the circles of the legs' lower and upper ends, and half the angle between two neighbours \[m, degrees\].
const BASE: (f64, f64) = (0.55, 12.0);
const CARRIED: (f64, f64) = (0.34, 46.0);
/// Least and greatest length of a leg \[m\].
const STROKE: [f64; 2] = [0.52, 0.92];
/// Initial height of the platform \[m\].
const RAISED: f64 = 0.56;

/// Six points on a circle, in three pairs about 0°, 120° and 240°.
fn hexagon((radius, half_gap_deg): (f64, f64)) -> [DVec3; 6] {
    core::array::from_fn(|k| {
        let pair = [0.0, 120.0, 240.0][k / 2];
        let angle = if k % 2 == 0 { pair - half_gap_deg } else { pair + half_gap_deg };
        rotation_about(DVec3::Z, angle.to_radians()) * (DVec3::X * radius)
    })
}

/// A platform on six legs that lengthen, as Gough and Stewart built them: six loops, each closed by a task.
pub(crate) fn platform() -> Result<TaskScene> {
    let (feet, carried) = (hexagon(BASE), hexagon(CARRIED));
    let raised = DVec3::Z * RAISED;
    let mut builder = Skeleton::builder();
    let platform = builder.add(Joint::free("platform"));
    let mut start = [0.0, 0.0, RAISED, 0.0, 0.0, 0.0, 1.0].to_vec();
    let (mut named_tasks, mut parts, mut marked) = (Vec::new(), Vec::new(), Vec::new());
    for (k, (&foot, &top)) in feet.iter().zip(&carried).enumerate() {
        let leg = raised + top - foot;
        let place = Pose::new(shortest_rotation(DVec3::Z, leg), foot);
        let ball = builder.add(Joint::ball(format!("foot {}", k + 1)).at(place));
        let stroke = Limit::Range { min: STROKE[0], max: STROKE[1] };
        let slide = Joint::prismatic(format!("leg {}", k + 1), DVec3::Z).with_limit(stroke);
        let slide = builder.add(slide.child_of(ball));
        start.extend(DQuat::IDENTITY.to_array());
        start.push(leg.length());
        let ends = [slide, platform].map(|joint| {
            let at = if joint == slide { DVec3::ZERO } else { top };
            Frame::new(joint, Pose::from_translation(at))
        });
        named_tasks.push(named("leg closes its loop", Task::new(Closure::new(ends, Link::Ball))));
        let tube = DVec3::Z * 0.46;
        parts.push(Part {
            joint: slide,
            ends: [DVec3::NEG_Z * 0.42, DVec3::ZERO],
            radii: [0.009, 0.009],
        });
        parts.push(Part { joint: ball, ends: [DVec3::ZERO, tube], radii: [0.02, 0.016] });
        marked.extend([ball, slide]);
    }
    let tilt = rotation_about(DVec3::new(0.8, 0.6, 0.0), 16_f64.to_radians());
    let turn = rotation_about(DVec3::Z, 14_f64.to_radians());
    let target = Pose::new(tilt * turn, DVec3::new(0.10, -0.06, RAISED + 0.10));
    let frame = Frame::new(platform, Pose::IDENTITY);
    named_tasks.insert(0, named("platform at its pose", Task::new(FramePose::new(frame, target))));
    let plates = vec![
        Plate { joint: None, corners: feet.to_vec() },
        Plate { joint: Some(platform), corners: carried.to_vec() },
    ];
    Ok(TaskScene {
        title: "Six-legged platform",
        about: "6 legs that pivot and lengthen, 6 loops closed by tasks; the platform moves 15 cm and tilts".to_owned(),
        skeleton: builder.build()?,
        stiffness: Vec::new(),
        start,
        named_tasks,
        parts,
        plates,
        rods: Vec::new(),
        marked,
        azimuth_deg: -55.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figure_has_taken_hold_at_its_start() {
        let stance = Stance::try_new().unwrap();
        let Stance { figure, holding, contacts } = &stance;
        // Rotations are inside their cones to rounding.
        assert!(figure.skeleton.within_limits(holding, 1e-12), "inside the limits");
        for named in contacts {
            let miss = named.task.miss(&figure.skeleton, holding);
            assert!(miss.distance < 1e-6 && miss.angle < 1e-6, "{}: {miss:?}", named.words);
        }
    }

    #[test]
    fn the_platform_starts_closed() {
        let scene = platform().unwrap();
        assert!(scene.skeleton.within_limits(&scene.start, 0.0), "inside the limits");
        for named in &scene.named_tasks[1..] {
            let miss = named.task.miss(&scene.skeleton, &scene.start);
            assert!(miss.distance < 1e-12, "{miss:?}");
        }
    }
}
