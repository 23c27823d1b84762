//! The command `posekit`.

mod draw;
mod table;

fn main() {}
