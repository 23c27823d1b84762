//! Motion over time: clips, what must be held during them, and the poses that hold it.
//!
//! A [`Clip`] is a skeleton and a configuration for every frame. A [`Contact`] says what must stay where, from when to when: a foot on the ground, a
//! hand on a railing.
//!
//! Times are seconds, never frames: the same motion at another rate means the same.

mod clip;
mod contact;
mod find;
mod hold;
mod leg;
mod names;
mod tracks;

pub use clip::Clip;
pub use contact::{Contact, Hold};
pub use find::{Legs, find_legs};
pub use hold::{ContactReport, Held, HoldSettings, hold};
pub use leg::{Leg, Limb, Side};
