//! Collisions of robots: distances between links and to obstacles, and tasks that keep them apart.
//!
//! A [`CollisionModel`] is made from the shapes of a [`Robot`](posekit_io::Robot). It measures distances in any configuration, and makes
//! [`Task`](posekit::task::Task)s that keep pairs apart in a solve with other tasks.
//!
//! # Example: a hand that would penetrate its base
//! ```
//! use posekit::glam::DVec3;
//! use posekit::solve::{Method, Settings, solve};
//! use posekit::task::{Position, Task};
//! use posekit_collision::{CollisionModel, CollisionOptions, Query};
//! use posekit_io::{Warnings, urdf};
//!
//! let text = r#"<robot name="arm">
//!   <link name="base"> <collision> <geometry> <sphere radius="0.2"/> </geometry> </collision> </link>
//!   <link name="upper"/>
//!   <link name="lower"> <collision> <origin xyz="0.5 0 0"/> <geometry> <sphere radius="0.1"/> </geometry> </collision> </link>
//!   <joint name="shoulder" type="continuous"> <parent link="base"/> <child link="upper"/> <axis xyz="0 0 1"/> </joint>
//!   <joint name="elbow" type="continuous"> <parent link="upper"/> <child link="lower"/> <origin xyz="0.5 0 0"/> <axis xyz="0 0 1"/> </joint>
//! </robot>"#;
//! let mut warnings = Warnings::new();
//! let robot = urdf::read(text, &mut warnings)?;
//! let model = CollisionModel::from_robot(&robot, &CollisionOptions::default(), &mut warnings)?;
//! assert_eq!(model.names(0), ["base", "lower"]);
//!
//! // The target of the hand is the middle of the base; a gap of a centimetre has priority.
//! let mut hand = robot.frame("lower").expect("the file has it");
//! hand.joint_from_frame.translation.x = 0.5;
//! let mut tasks = model.clearances(0.01)?;
//! tasks.push(Task::new(Position::new(hand, DVec3::ZERO)).at_level(2));
//! let start = [0.3, 1.0];
//! let solution = solve(robot.skeleton(), &start, &tasks, Method::Auto, &Settings::default())?;
//!
//! let held = model.holding(&solution, 0.01, &mut Query::default())?.to_vec();
//! assert_eq!(model.names(held[0].pair), ["base", "lower"]);
//! assert!((held[0].distance - 0.01).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//! - [`CollisionModel`]: bodies (links with shapes, and obstacles) and the pairs of them that are checked. Pairs that cannot or need not be kept apart are
//!   [excluded](CollisionModel::left_out), each with its [`Reason`].
//! - [`Solid`]: a convex shape of an obstacle; [`Query`]: the buffers of a check, and [`Contact`]: its result.
//! - [`PairClearance`]: the residual of one pair of rigid parts, inside the tasks of [`CollisionModel::clearances`].
//!
//! # Conventions
//! Metres; a distance below 0 is the depth of an overlap. Points and directions are in the world. Meshes count as their convex hulls. Same input, same bits, on every
//! target. The first check of a size allocates, later ones do not.
//!
//! # What it does not do
//! It checks poses, not the motion between them. It does not decompose meshes that are not convex: give such a link several shapes.
#![forbid(unsafe_code)]

mod convex;
mod error;
mod model;
mod solid;
mod task;

pub use error::{Error, Result};
pub use model::{CollisionModel, CollisionOptions, Contact, LeftOut, Query, Reason};
pub use solid::Solid;
pub use task::PairClearance;
