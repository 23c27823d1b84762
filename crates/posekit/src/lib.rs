//! posekit finds the pose: given a skeleton and what its hands, feet, tools or eyes must do, it returns the joint values that
//! do it: for characters and robots, in the plane and in space, within limits of every kind, and never silently stuck.
//!
//! ```
//! use posekit::glam::DVec3;
//! use posekit::math::Pose;
//! use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
//! use posekit::solve::{Method, Settings, Status, solve};
//! use posekit::task::Position;
//!
//! // An arm of two bones: a ball at the shoulder, an elbow that bends in one direction.
//! let upper_arm = Pose::from_translation(DVec3::new(0.30, 0.0, 0.0));
//! let forearm = Pose::from_translation(DVec3::new(0.25, 0.0, 0.0));
//! let mut builder = Skeleton::builder();
//! let shoulder = builder.add(Joint::ball("shoulder"));
//! let elbow = Joint::revolute("elbow", DVec3::Y)
//!     .child_of(shoulder)
//!     .at(upper_arm)
//!     .with_limit(Limit::Range { min: -2.6, max: 0.0 });
//! let elbow = builder.add(elbow);
//! let arm = builder.build()?;
//! let hand = Frame { joint: elbow, joint_from_frame: forearm };
//!
//! let reach_for = |target: DVec3| {
//!     let task = Position::new(hand, target).into();
//!     solve(&arm, &arm.neutral(), &[task], Method::Auto, &Settings::default())
//! };
//! // The target lies on the line of the straight arm: many solvers make no progress here.
//! assert!(reach_for(DVec3::new(0.4, 0.0, 0.0))?.is_reached());
//! // A target out of reach is data, not an error: the arm points at it, and the status has the missing distance.
//! let far = reach_for(DVec3::new(0.0, 0.7, 0.0))?;
//! assert!(matches!(far.status, Status::Unreachable { shortfall } if (shortfall - 0.15).abs() < 1e-9));
//! # Ok::<(), posekit::Error>(())
//! ```
//!
//! # Concepts
//! - A [`Skeleton`](skeleton::Skeleton) is an immutable tree of joints: fixed, revolute, prismatic, ball or free, with limits. Its *configuration* `q` is
//!   a flat slice of joint values.
//! - A [`Chain`](chain::Chain) consists of points at fixed distances, in any dimension, without rotations.
//! - A [`Task`](task::Task) is a condition: a hand is at a point, eyes look at one, a foot stays above the ground, a loop stays closed, the
//!   centre of mass stays over the feet. Its *weight* is its importance among the tasks of its *level*; a lower level uses only
//!   the freedom that remains after the levels above it.
//! - [`Settings`](solve::Settings) → [`Workspace`](solve::Workspace) → [`Solution`](solve::Solution): plain data in, every buffer in one place, the
//!   best pose found and a [`Status`](solve::Status) out. The solution also reports the error of every task (`misses`), the limits that hold it
//!   back (`holds`), and which method ran and why (`choice`).
//! - [`Arm`](arm::Arm) is the path from the world to the tool of a robot, compiled for fast solves; [`batch`] solves for many targets at once.
//! - [`limb`] has closed forms for single limbs, which need no skeleton: [`TwoBone`](limb::TwoBone) and [`Aim`](limb::Aim).
//!
//! # Choosing a method
//!
//! | method | for | how |
//! |---|---|---|
//! | [`Auto`](solve::Method::Auto) | everything | chooses one of the methods below |
//! | [`TwoBone`](solve::Method::TwoBone) | two joints and a point | closed form, both answers |
//! | [`Arm`](solve::Method::Arm) | a tool's pose on hinges and slides | closed forms and a kernel for robot arms, all branches |
//! | [`Direct`](solve::Method::Direct) | unbranched chains without limits | a convex problem in as many unknowns as there are dimensions |
//! | [`Ccd`](solve::Method::Ccd) | any joints, limits, trees, orientations | one joint after the other makes its best move |
//! | [`Fabrik`](solve::Method::Fabrik) | chains and trees, smooth bends | points are dragged to the target and back to the root |
//! | [`Relaxation`](solve::Method::Relaxation) | ropes, weighted points, any dimension | one bone after the other is corrected to its length |
//! | [`LeastSquares`](solve::Method::LeastSquares) | any tasks on any skeleton, weights and levels, least change | damped steps that end at the limits, all joints at once |
//!
//! # Conventions
//! - f64, radians, metres; any other unit of length works too, tolerances are relative.
//! - Right-handed frames; quaternions are x, y, z, w; a transform `b_from_a` maps coordinates in `a` to coordinates in `b`.
//! - A problem in the plane is hinges about +z in the plane z = 0.
//! - The same input gives the same bits, in debug and release, on every target.
//!
//! # What it does not do
//! It does not plan motions: it finds a pose, not a path to it, and [`Clearance`](task::Clearance) keeps capsules apart, not meshes. It has no
//! dynamics beyond balance. It proves that a target cannot be reached only from the lengths of bones; `Blocked` and `Stalled` mean that no better pose
//! was found. It reads no files (`posekit-io` does), edits no motions (`posekit-motion` does) and has no clock: for time limits and cancelling see
//! [`Workspace::run_while`](solve::Workspace::run_while).
//!
//! # Features
//! None of them changes a result, except that without `arm` another method solves for the poses of arms. Without `std` the library needs only `core`, `alloc` and `libm`.
//!
//! | feature | default | effect |
//! |---|---|---|
//! | `std` | yes | square roots by the processor's instruction instead of `libm` |
//! | `libm` | yes, and needed without `std` | glam's transcendental functions come from `libm`: deterministic across targets, and slower, for the whole program (`powf` takes 126 ns instead of 7). posekit's own come from `libm` in any case. |
//! | `arm` | yes | solves try the closed form and the kernel of an [`Arm`](arm::Arm). Without it [`Method::Arm`](solve::Method::Arm) suits no problem, and programs that use none themselves do not contain their code. |
//! | `serde` | no | `Serialize` and `Deserialize` for joints and limits, skeletons (validated by their builder), frames and poses, tasks, settings and solutions. Text formats without infinity, such as JSON, cannot hold limits that are open on one side. |
//! | `rayon` | no | batches are shared among the threads of rayon's current pool |
//! | `simd` | no | [batches](batch) of one arm solve four problems at once with AVX2, two on other processors with registers for it. With Rust 1.89, a program that depends on `pulp` 0.22 with its feature `x86-v4` has AVX-512, too: eight. |
//! | `mint` | no | glam's types convert to and from those of `mint` |
//!
//! # Supported versions
//! The oldest supported Rust is 1.88. glam may be 0.34, or 0.33 from 0.33.11 on; [`posekit::glam`](glam) is the one in use. Cargo takes the newest: in a program whose
//! engine has 0.33, `cargo update glam@0.34.3 --precise 0.33.12` makes both use that.
#![forbid(unsafe_code)]
#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub use glam;

pub mod arm;
pub mod batch;
pub mod chain;
mod error;
pub mod limb;
pub mod math;
pub mod skeleton;
pub mod solve;
pub mod task;

pub(crate) use error::ErrorKind;
pub use error::{Error, Result};
