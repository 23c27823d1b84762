//! The peers in Rust, each in its own file: how it is used, and why so.

mod dynibo_crate;
#[cfg(feature = "ik-geo")]
mod ik_geo_crate;
mod k_crate;
mod opw_crate;

use super::chain::Chain;
use super::solver::Contender;
use crate::random::Random;

/// From a random start.
pub fn cold() -> Vec<Contender> {
    let all = vec![
        Contender { name: "dynibo 0.5, restarts", enter: dynibo_crate::defaults },
        Contender { name: "dynibo 0.5, restarts after 25", enter: dynibo_crate::brief },
        Contender { name: "k 0.32 x 0.5, restarts after 50", enter: k_crate::half },
        Contender { name: "k 0.32 x 1, restarts after 12", enter: k_crate::full },
        Contender { name: "rs-opw-kinematics 3.0, all", enter: opw_crate::all },
    ];
    #[cfg(feature = "ik-geo")]
    let all = [all, vec![Contender { name: "ik-geo 0.1, all", enter: ik_geo_crate::all }]].concat();
    all
}

/// From the answer before.
pub const WARM: [Contender; 2] = [
    Contender { name: "dynibo 0.5", enter: dynibo_crate::warm },
    Contender { name: "k 0.32", enter: k_crate::warm },
];

/// Who was left out of this build, and why.
pub fn left_out() -> Option<&'static str> {
    (!cfg!(feature = "ik-geo"))
        .then_some("ik-geo was left out: it is built with `--features ik-geo`, which needs cmake.")
}

/// Starts for solvers that have none of their own: the given one, then configurations at random, the same for every target.
struct Restarts {
    chain: Chain,
    random: Random,
}

impl Restarts {
    fn new(chain: &Chain) -> Self {
        Self { chain: chain.clone(), random: Random::new(crate::SEED) }
    }

    fn next(&mut self, q: &mut Vec<f64>) {
        *q = self.chain.sample(&mut self.random);
    }
}
