//! The peers, each in its own file: how it is used, and why so.

mod fabrik_crate;
mod k_crate;
mod rebirth;
mod skelly_crate;

use crate::entrant::Contender;
use crate::problems::Case;

/// Every peer, in the order of the report.
pub fn contenders() -> Vec<Contender> {
    let mut all = vec![
        Contender::new("rebirth-ik 0.1 two_bone (f32)", Case::has_pole, rebirth::two_bone),
        Contender::new("rebirth-ik 0.1 FABRIK (f32)", Case::is_free_chain, rebirth::chain),
        Contender::new("skelly 0.4 FABRIK (f64)", Case::is_free_chain, skelly_crate::fabrik),
        Contender::new("skelly 0.4 FRIK (f64)", Case::is_free_chain, skelly_crate::frik),
        Contender::new("skelly 0.4 rotor (f64)", Case::is_free_chain, skelly_crate::rotor),
    ];
    let plane = Contender::new("fabrik 0.1 (f64)", Case::in_plane, fabrik_crate::chain);
    all.push(Contender { may_hang: true, ..plane });
    all.push(Contender::new("k 0.32 Jacobian x 0.5 (f64)", Case::is_arm, k_crate::half));
    all.push(Contender::new("k 0.32 Jacobian x 1 (f64)", Case::is_arm, k_crate::full));
    let brief = "k 0.32 Jacobian x 1, 50 tries (f64)";
    all.push(Contender::new(brief, Case::is_arm, k_crate::full_but_brief));
    all
}
