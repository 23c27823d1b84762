//! Motion over time: clips, what must be held during them, and the poses that hold it.
//!
//! A [`Clip`] is a skeleton and a configuration for every frame. A [`Contact`] says what must stay where, from when to when: a foot on the ground, a
//! hand on a railing.
//!
//! [`find_legs`] finds the legs of a clip's figure, [`find_floor`] the floor under them, [`find_plants`] when they stand on it, [`firm_plants`] what of that
//! is firm and no roll, and [`measure`] says how far they slide while they do.
//!
//! [`clean`] makes planted feet stand, [`hold`] makes any contacts hold.
//!
//! [`Keyframes`] are a motion as keys: a [`Curve`] for each joint, to be edited, sampled, or fitted to a clip. A [`Layer`] sets poses on top of a clip,
//! which keeps its detail.
//!
//! Times are seconds, never frames: the same motion at another rate means the same.

mod again;
mod bob;
mod change;
mod clean;
mod clip;
mod contact;
mod curve;
mod decide;
mod find;
mod firm;
mod floor;
mod frozen;
mod given;
mod ground;
mod hold;
mod kept;
mod keyframes;
mod layer;
mod leg;
mod metrics;
mod names;
mod pace;
mod path;
mod paths;
mod plant;
mod power;
mod retime;
mod seen;
mod smooth;
mod spot;
mod tracks;
mod travel;
mod verdict;

pub use change::Change;
pub use clean::{CleanSettings, Cleaned, Judged, clean, clean_within, judge, way_on_the_spot};
pub use clip::Clip;
pub use contact::{Contact, Hold};
pub use curve::{Animated, Curve, Interpolation, Key};
pub use find::{Legs, find_legs};
pub use firm::firm_plants;
pub use floor::{Floor, FloorChoice, find_floor};
pub use hold::{ContactReport, Cut, Held, HoldSettings, Keep, hold, hold_within};
pub use keyframes::{Keyframes, Tolerance, Track};
pub use layer::Layer;
pub use leg::{Leg, Limb, Side};
pub use metrics::{
    LEG_LENGTH, Metrics, VISIBLE_SLIDE, agreement, airborne, drift, measure, measure_on, median,
};
pub use plant::{DetectSettings, Part, Plant, find_plants, plants_of_flags};
pub use retime::TimeMap;
pub use travel::{along_path, carrier, ground_path};
pub use verdict::{PlantReport, Verdict};
