//! See `checks::solution`.
#![no_main]

#[path = "../../crates/posekit-io/tests/fuzzed/checks.rs"]
#[allow(dead_code, reason = "every target uses a part of it")]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::solution(bytes));
