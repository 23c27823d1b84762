//! posekit-motion edits motion clips on the skeletons of [posekit]: it makes planted feet stand still, holds hands and feet where they must be, and leaves
//! the rest of the motion as it was. It finds legs, floor and foot contacts by itself, and measures what a change cost.
//!
//! ```
//! use posekit::glam::DVec3;
//! use posekit::math::Pose;
//! use posekit::skeleton::{Frame, Joint, Skeleton};
//! use posekit_motion::{Clip, Contact, Hold, HoldSettings, Limb, Support, hold};
//!
//! // A leg of two bones, straight down from hips that move.
//! let bone = Pose::from_translation(DVec3::new(0.0, -0.5, 0.0));
//! let mut builder = Skeleton::builder();
//! let hips = builder.add(Joint::free("hips"));
//! let hip = builder.add(Joint::ball("hip").child_of(hips));
//! let knee = builder.add(Joint::ball("knee").child_of(hip).at(bone));
//! let ankle = builder.add(Joint::ball("ankle").child_of(knee).at(bone));
//! let leg = builder.build()?;
//!
//! // The hips travel 10 cm in half a second, and the foot with them.
//! let n_frames = 31;
//! let mut values = Vec::new();
//! for frame in 0..n_frames {
//!     let mut q = leg.neutral();
//!     (q[0], q[1]) = (0.1 * frame as f64 / (n_frames - 1) as f64, 0.95);
//!     values.extend(q);
//! }
//! let clip = Clip::try_new(leg.clone(), 1.0 / 60.0, values)?;
//!
//! // The foot stays where it is in the middle of that time.
//! let foot = Contact {
//!     frame: Frame::new(ankle, Pose::IDENTITY),
//!     from: 0.0,
//!     to: clip.duration(),
//!     hold: Hold::Position(None),
//!     on: Support::World,
//!     ease_in: 0.0,
//!     ease_out: 0.0,
//! };
//! let limb = Limb { start: hip, mid: knee, end: ankle };
//! let held = hold(&clip, &[foot.clone()], &HoldSettings { legs: vec![limb], ..HoldSettings::default() })?;
//! let ankle_at = |frame| leg.poses(held.clip.frame(frame))[ankle].translation;
//! assert!(ankle_at(0).distance(ankle_at(n_frames - 1)) < 1e-6);
//! assert!(held.contacts[0].missed.is_empty());
//!
//! // A contact that ends before it begins is bad input.
//! assert!(hold(&clip, &[Contact { to: -1.0, ..foot }], &HoldSettings::default()).is_err());
//! # Ok::<(), posekit_motion::Error>(())
//! ```
//!
//! # The nouns
//! - A [`Clip`] is a skeleton and a configuration for every frame. A [`Contact`] says what must stay where, from when to when: a foot on the ground, a
//!   hand on a railing.
//! - [`find_legs`] finds the legs of a clip's figure, [`find_floor`] the floor under them, [`find_plants`] the times at which feet stand on it (each a
//!   [`Plant`]), and [`measure`] says how far they slide while they do.
//! - [`clean`] makes planted feet stand, [`hold`] makes any contacts hold; both report how well. [`slides`] looks at the outcome with other eyes.
//! - [`Keyframes`] are a motion as keys: a [`Curve`] for each joint, to be edited, sampled, or fitted to a clip. A [`Layer`] sets poses on top of a clip,
//!   which keeps its detail. A [`TimeMap`] moves it in time.
//!
//! # Conventions
//! - Those of [posekit]: f64, radians, quaternions x, y, z, w. Lengths are in the skeleton's unit, which a clip may name.
//! - Times are seconds, never frames: the same motion at another rate means the same.
//! - Up is +y unless a clip says otherwise.
//! - The same input gives the same bits. What is good already comes back as it was.
//!
//! # What it does not do
//! It reads no files (`posekit-io` does), simulates no forces, and moves no motion onto other skeletons.
//!
//! # Features and supported Rust
//! No optional features. The oldest supported Rust is 1.88.
#![forbid(unsafe_code)]

mod banded;
mod bend;
mod change;
mod clean;
mod clip;
mod contact;
mod curve;
mod descent;
mod error;
mod find;
mod floor;
mod hold;
mod keyframes;
mod layer;
mod leg;
mod metrics;
mod names;
mod paths;
mod plant;
mod power;
mod retime;
mod smooth;
mod space_time;
mod tracks;
mod travel;

pub use change::Change;
pub use clean::{
    CleanSettings, Cleaned, Judged, Slide, clean, clean_within, find_floor, find_plants, judge,
    slides,
};
pub use clip::Clip;
pub use contact::{Contact, Hold, Support, Trajectory};
pub use curve::{Animated, Curve, Interpolation, Key};
pub use error::{Error, Result};
pub use find::{Legs, find_legs};
pub use floor::{Floor, FloorChoice};
pub use hold::{ContactReport, Held, HoldSettings, Keep, hold, hold_within};
pub use keyframes::{Keyframes, Tolerance, Track};
pub use layer::Layer;
pub use leg::{Leg, Limb, Side};
pub use metrics::{
    LEG_LENGTH, Metrics, VISIBLE_SLIDE, agreement, airborne, drift, measure, measure_on, median,
};
pub use plant::{Part, Plant, PlantReport, Verdict};
pub use retime::TimeMap;
pub use travel::{along_path, carrier};
