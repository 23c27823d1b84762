//! The command `posekit`.
fn main() {}
