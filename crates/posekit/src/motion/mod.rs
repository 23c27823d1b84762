//! Motion over time: clips, what must be held during them, and the poses that hold it.
//!
//! A [`Clip`] is a skeleton and a configuration for every frame. A [`Contact`] says what must stay where, from when to when: a foot on the ground, a
//! hand on a railing.
//!
//! Times are seconds, never frames: the same motion at another rate means the same.

mod change;
mod clean;
mod clip;
mod contact;
mod find;
mod firm;
mod floor;
mod ground;
mod hold;
mod leg;
mod metrics;
mod names;
mod path;
mod paths;
mod plant;
mod smooth;
mod tracks;

pub use clean::{CleanSettings, Cleaned, PlantReport, Verdict, clean};
mod travel;

pub use change::Change;
pub use clip::Clip;
pub use contact::{Contact, Hold};
pub use find::{Legs, find_legs};
pub use floor::{Floor, FloorChoice, find_floor};
pub use hold::{ContactReport, Held, HoldSettings, hold};
pub use leg::{Leg, Limb, Side};
pub use metrics::{LEG_LENGTH, Metrics, VISIBLE_SLIDE, agreement, airborne, measure};
pub use plant::{DetectSettings, Part, Plant, find_plants, plants_of_flags};
pub use travel::ground_path;
