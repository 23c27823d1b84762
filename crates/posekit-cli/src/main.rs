//! The command `posekit`.
#![allow(dead_code, unused_imports, reason = "the commands that draw are wired up next")]

mod draw;
mod table;

fn main() {}
