//! Recurring jobs.
fn main() {}
