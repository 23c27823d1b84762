//! Joints, limits and the immutable tree they form.
//!
//! A [`Skeleton`] is built once, from plain [`Joint`]s, by a builder that refuses invalid joints by name. After that it never changes:
//! solvers share it, and everything that moves is in a configuration `q`.
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
//! # Example: a limit whose ends are exchanged
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
//! | revolute | angle \[rad\] | rotates about the axis | 1: added to the angle |
//! | prismatic | distance \[m\] | slides along the axis | 1: added to the distance |
//! | ball | x, y, z, w | rotates | 3: rotation vector in the joint's own frame after its motion, `q <- q * exp(v)` |
//! | free | position, then x, y, z, w | translates and rotates | 6: added to the position, in the axes of the joint's frame before its motion; then as for a ball |
//!
//! A mimic joint has its own value, kept consistent by [`settle`](Skeleton::settle), and no degree of freedom of its own:
//! it moves with its driver's.
//!
//! # Frames
//! `world_from_joint[i] = world_from_joint[parent] * parent_from_joint[i] * motion(i)`; for a joint without a parent, the
//! world takes its place. Several joints may have none. Axes and limits are in the joint's own frame.
//!
//! # Contract of the caller
//! The accessors of joints panic on an index out of range, as slices do; [`Skeleton::check_frame`] checks one from outside. *Data* never
//! panics: [`Skeleton::try_new`] and [`Skeleton::check`] refuse bad numbers, [`Skeleton::set_rotation`] and its siblings return errors, and the kernels that take
//! a `q` do not write their output (and assert in debug builds) when a slice has the wrong length.
//!
//! # Rotations and poses
//! [`Skeleton::rotation`] and [`Skeleton::set_rotation`] are about a joint's own motion, behind its placement; [`Skeleton::world_rotation`] and
//! [`Skeleton::set_world_rotation`] about its frame in the world. [`Pose`](crate::math::Pose) converts to and from matrices.

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
