//! The commands for robot arms: many targets, tracks, maps, benchmarks.

mod answers;
mod robot_words;
mod rows;
mod sheet;
mod targets;
mod tool;

mod bench;
mod info;
mod map;
mod solve;
mod track;

pub(crate) use bench::bench;
pub(crate) use info::{info, is_robot_file};
pub(crate) use map::map;
pub(crate) use solve::solve;
pub(crate) use track::track;
