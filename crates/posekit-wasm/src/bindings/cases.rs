//! The JavaScript API of the determinism digest.

use posekit_io::problem::Digest as CaseDigest;
use wasm_bindgen::prelude::*;

use super::Result;
use crate::fault::Fault;

/// A hash of the results of every solver on a table of cases: the same natively and here.
#[wasm_bindgen]
#[derive(Default)]
pub struct Digest {
    own: CaseDigest,
}

#[wasm_bindgen]
impl Digest {
    /// A hash of no results.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves a case, the text of a `posekit.chain/1` file, with every applicable solver, and adds the results.
    pub fn add(&mut self, name: &str, text: &str) -> Result<()> {
        self.own.add(name, text).map_err(|error| Fault::from(error).into())
    }

    /// The digest of all results so far: 16 hexadecimal digits.
    pub fn value(&self) -> String {
        self.own.hexadecimal()
    }
}

/// The names of the cases that the text of an `index.json` lists.
#[wasm_bindgen(js_name = caseNames)]
pub fn case_names(index: &str) -> Result<Vec<String>> {
    posekit_io::problem::case_names(index).map_err(|error| Fault::from(error).into())
}
