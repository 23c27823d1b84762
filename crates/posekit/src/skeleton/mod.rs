//! Joints, limits and the immutable tree they form.
//!
//! A [`Skeleton`] is built once, from plain [`Joint`]s, by a builder that refuses what makes no sense and names the joint
//! at fault. After that it never changes: solvers share it, and everything that moves lives in a configuration `q`.
//!
//! ```
//! use posekit::glam::DVec3;
//! use posekit::math::Pose;
//! use posekit::skeleton::{Joint, Limit, Skeleton};
//!
//! let mut builder = Skeleton::builder();
//! let shoulder = builder.add(Joint::revolute("shoulder", DVec3::Z));
//! let elbow = builder.add(
//!     Joint::revolute("elbow", DVec3::Z)
//!         .child_of(shoulder)
//!         .at(Pose::from_translation(DVec3::X))
//!         .with_limit(Limit::Range { min: 0.0, max: 2.5 }),
//! );
//! let arm = builder.build()?;
//!
//! let world_from_joint = arm.poses(&[core::f64::consts::FRAC_PI_2, 0.0]);
//! assert!((world_from_joint[elbow].translation - DVec3::Y).length() < 1e-15);
//! # Ok::<(), posekit::Error>(())
//! ```
//!
//! # Example: a limit the wrong way round
//! ```
//! use posekit::glam::DVec3;
//! use posekit::skeleton::{Joint, Limit, Skeleton};
//!
//! let knee = Joint::revolute("knee", DVec3::X).with_limit(Limit::Range { min: 2.0, max: 0.0 });
//! let error = Skeleton::try_new(vec![knee]).unwrap_err();
//! assert_eq!(error.to_string(), r#"joint "knee": limit has its minimum 2.0 above its maximum 0.0"#);
//! ```
//!
//! # The configuration `q`
//! A flat slice of [`n_values`](Skeleton::n_values) numbers, joint after joint ([`value_range`](Skeleton::value_range)).
//!
//! | kind | values | motion | degrees of freedom (tangent `v`) |
//! |---|---|---|---|
//! | fixed | none | none | none |
//! | revolute | angle \[rad\] | turns about the axis | 1: added to the angle |
//! | prismatic | distance \[m\] | slides along the axis | 1: added to the distance |
//! | ball | x, y, z, w | turns | 3: rotation vector in the joint's own frame after its motion, `q <- q * exp(v)` |
//! | free | position, then x, y, z, w | moves and turns | 6: added to the position, in the axes of the joint's frame before its motion; then as for a ball |
//!
//! A mimic joint has its own value, kept consistent by [`settle`](Skeleton::settle), and no degree of freedom of its own:
//! it moves with its driver's.
//!
//! # Frames
//! `world_from_joint[i] = world_from_joint[parent] * parent_from_joint[i] * motion(i)`; for a joint without parent the world
//! stands in for it. Several joints may have none. Axes and limits are in the joint's own frame.
//!
//! # What is the caller's contract
//! Joint indices out of range panic in the accessors, as slices do. *Data* never does: numbers are refused by
//! [`Skeleton::try_new`] and [`Skeleton::check`], and the functions that take a `q` leave their output untouched (and assert in
//! debug builds) when a slice has the wrong length.

mod builder;
mod configuration;
mod joint;
mod kinematics;
mod limit;
mod rotation;
mod tree;

pub use builder::SkeletonBuilder;
pub(crate) use configuration::{LARGEST, rotation_in};
pub use joint::{Joint, JointKind, Mimic};
pub use limit::Limit;
pub use tree::{Frame, Skeleton};
