//! Motion over time: clips, what must be held during them, and the poses that hold it.
//!
//! A [`Clip`] is a skeleton and a configuration for every frame. A [`Contact`] says what must stay where, from when to when: a foot on the ground, a
//! hand on a railing.
//!
//! [`Keyframes`] are the same as keys: a [`Curve`] for each joint, to be edited, sampled, or fitted to a clip.
//!
//! A [`Layer`] sets poses on top of a clip, which keeps its detail.
//!
//! Times are seconds, never frames: the same motion at another rate means the same.

mod clean;
mod clip;
mod contact;
mod curve;
mod find;
mod floor;
mod ground;
mod hold;
mod keyframes;
mod layer;
mod leg;
mod names;
mod path;
mod paths;
mod plant;
mod retime;
mod smooth;
mod tracks;

pub use clean::{CleanSettings, Cleaned, PlantReport, Verdict, clean};
pub use clip::Clip;
pub use contact::{Contact, Hold};
pub use curve::{Animated, Curve, Interpolation, Key};
pub use find::{Legs, find_legs};
pub use floor::{Floor, FloorChoice, find_floor};
pub use hold::{ContactReport, Held, HoldSettings, hold};
pub use keyframes::{Keyframes, Tolerance, Track};
pub use layer::Layer;
pub use leg::{Leg, Limb, Side};
pub use plant::{DetectSettings, Part, Plant, find_plants, plants_of_flags};
pub use retime::TimeMap;
