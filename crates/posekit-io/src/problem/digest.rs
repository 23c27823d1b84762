//! A hash of all results of a table of cases, to check that builds, machines and languages agree bit for bit.

use posekit::solve::{Method, Settings, Solution, Status};

use super::scene::Scene;
use crate::chain_problem::ChainProblem;
use crate::error::{Error, Place, Result};
use crate::json::Document;
use crate::limits::Limits;
use crate::warnings::Warnings;

/// The name of the format of the list of cases.
const CASES_SCHEMA: &str = "posekit.cases/1";

/// Solvers in the order in which their results are hashed; the digest depends on it.
const METHODS: [Method; 5] =
    [Method::Ccd, Method::Fabrik, Method::Relaxation, Method::Direct, Method::TwoBone];

/// The names of the cases that an index (`posekit.cases/1`) lists, in its order: each is a file `NAME.json` beside it.
///
/// # Errors
/// Every fault of the text, with its place; a name that leads out of the index's folder.
pub fn case_names(index: &str) -> Result<Vec<String>> {
    let document = Document::parse(index, &Limits::default())?;
    let root = document.root();
    crate::json::check_schema(&root, CASES_SCHEMA)?;
    let cases = root.any_object()?.required("cases")?.list()?;
    let name = |case: &crate::json::Cursor<'_>| {
        let name = case.any_object()?.required("name")?;
        let text = name.text()?;
        if text.contains(['/', '\\']) {
            return Err(name.invalid("a case is the name of a file beside the index"));
        }
        Ok(text.to_owned())
    };
    cases.iter().map(name).collect()
}

/// A hash over the results of case after case.
#[derive(Debug, Clone)]
pub struct Digest(Fnv);

impl Default for Digest {
    fn default() -> Self {
        Self(Fnv::new())
    }
}

impl Digest {
    /// Solves a case, the text of a chain problem, with every applicable solver, in default and in classic mode, and adds the results.
    ///
    /// # Errors
    /// As [`ChainProblem::from_json`].
    pub fn add(&mut self, name: &str, text: &str) -> Result<()> {
        let problem = ChainProblem::from_json(text)?;
        let scene = Scene::from_chain(&problem, name.to_owned(), &mut Warnings::new())?;
        for method in METHODS.into_iter().filter(|&method| scene.fits(method)) {
            for classic in [false, true] {
                let settings = Settings::default().with_classic(classic);
                let solution = scene.solve(method, &settings).map_err(|error| refused(&error))?;
                self.0.text(name);
                self.0.text(method.name());
                self.0.solution(&solution);
            }
        }
        Ok(())
    }

    /// The digest of all results so far, 16 hexadecimal digits.
    #[must_use]
    pub fn hexadecimal(&self) -> String {
        format!("{:016x}", self.0.0)
    }
}

fn refused(error: &posekit::Error) -> Error {
    Error::Value { place: Place::default(), message: error.to_string() }
}

/// The 64-bit hash FNV-1a: short and the same on every machine, which is sufficient here.
#[derive(Debug, Clone)]
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

    /// A text with a terminator, so that consecutive texts are distinct.
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
        let digest = |value: f64| {
            let mut solution = Solution::default();
            solution.configuration = vec![value];
            let mut hash = Fnv::new();
            hash.solution(&solution);
            hash.0
        };
        assert_ne!(digest(0.0), digest(-0.0), "the sign of zero");
    }
}
