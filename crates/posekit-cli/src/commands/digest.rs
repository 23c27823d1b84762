//! `posekit digest`: one number over every result of a table of cases, to see that builds and machines agree to the bit.

use std::path::Path;

use posekit::solve::{Method, Settings, Solution, Status};
use posekit_io::{ChainProblem, Limits, Warnings, read_text};

use crate::args::DigestArgs;
use crate::failure::{Failure, Result};
use crate::input::chain_scene;
use crate::output::print;
use crate::progress::Progress;

/// The name of the format of the list of cases.
const CASES_SCHEMA: &str = "posekit.cases/1";

/// Solvers in the order in which their results are hashed; the digest depends on it.
const METHODS: [Method; 5] =
    [Method::Ccd, Method::Fabrik, Method::Relaxation, Method::Direct, Method::TwoBone];

/// Solves every case with every solver that fits, as a rule and in classic mode, and prints the digest.
pub(crate) fn digest(args: &DigestArgs) -> Result<()> {
    let names = case_names(&args.directory.join("index.json"))?;
    let mut hash = Fnv::new();
    let mut progress = Progress::new(names.len());
    for name in &names {
        progress.step(name);
        hash_case(&mut hash, &args.directory.join(format!("{name}.json")), name)?;
    }
    progress.finish();
    print(&format!("{:016x}\n", hash.0))
}

/// The names in the index, in its order.
fn case_names(index: &Path) -> Result<Vec<String>> {
    let file = index.display();
    let wrong = |message: &str| Failure::in_file(message, file.to_string());
    let text = read_text(index, &Limits::default()).map_err(|e| Failure::in_file(e, &file))?;
    let value: serde_json::Value =
        serde_json::from_str(&text).map_err(|e| Failure::in_file(e, &file))?;
    if value.get("schema").and_then(serde_json::Value::as_str) != Some(CASES_SCHEMA) {
        return Err(wrong(&format!("schema: expected {CASES_SCHEMA:?}")));
    }
    let cases = value.get("cases").and_then(serde_json::Value::as_array);
    let cases = cases.ok_or_else(|| wrong("cases: expected a list"))?;
    let name = |case: &serde_json::Value| {
        let name = case.get("name").and_then(serde_json::Value::as_str);
        // A name is a file beside the index, not a way out of its directory.
        let name = name.filter(|name| !name.contains(['/', '\\']));
        name.map(str::to_owned).ok_or_else(|| wrong("cases: every case needs the name of a file"))
    };
    cases.iter().map(name).collect()
}

fn hash_case(hash: &mut Fnv, file: &Path, name: &str) -> Result<()> {
    let in_file = |error: &dyn core::fmt::Display| Failure::in_file(error, file.display());
    let text = read_text(file, &Limits::default()).map_err(|error| in_file(&error))?;
    let problem = ChainProblem::from_json(&text).map_err(|error| in_file(&error))?;
    let scene = chain_scene(&problem, name.to_owned(), &mut Warnings::new())?;
    for method in METHODS.into_iter().filter(|&method| scene.fits(method)) {
        for classic in [false, true] {
            let settings = Settings { classic, ..Settings::default() };
            let solution = scene.solve(method, &settings)?;
            hash.text(name);
            hash.text(method.name());
            hash.solution(&solution);
        }
    }
    Ok(())
}

/// The hash FNV-1a of 64 bits: short, the same everywhere, and no more is asked of it here.
struct Fnv(u64);

impl Fnv {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// A text and its end, so that two texts in a row are not one.
    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.bytes(&[0]);
    }

    fn numbers(&mut self, values: &[f64]) {
        for value in values {
            self.bytes(&value.to_bits().to_le_bytes());
        }
    }

    fn solution(&mut self, solution: &Solution) {
        self.text(solution.status.word());
        match &solution.status {
            Status::Unreachable { shortfall } => self.numbers(&[*shortfall]),
            Status::Blocked { joints } => {
                joints.iter().for_each(|&joint| self.bytes(&(joint as u64).to_le_bytes()));
            }
            _ => {}
        }
        self.bytes(&solution.iterations.to_le_bytes());
        self.numbers(&[solution.error, solution.orientation_error]);
        self.numbers(&solution.configuration);
        self.numbers(&solution.points);
        solution.others.iter().for_each(|other| self.numbers(other));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        let of = |text: &str| {
            let mut hash = Fnv::new();
            hash.bytes(text.as_bytes());
            hash.0
        };
        // Test vectors of the hash's authors.
        assert_eq!(of(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(of("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(of("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn every_bit_of_a_result_counts() {
        let digest = |solution: &Solution| {
            let mut hash = Fnv::new();
            hash.solution(solution);
            hash.0
        };
        let one = Solution { configuration: vec![0.0], ..Solution::default() };
        let other = Solution { configuration: vec![-0.0], ..Solution::default() };
        assert_ne!(digest(&one), digest(&other), "the sign of zero");
    }
}
