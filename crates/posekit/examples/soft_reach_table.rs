//! What soft reach costs and what it buys: lost reach against the knee's worst speed, as a Markdown table.
//!
//! Two bones of length 1; the target leaves through full reach at one bone length per second, 60 frames per second. The
//! worst change of the knee's angle in one frame depends on where the frames fall, so it is the worst over 64 phases.
//!
//! Run with `cargo run --release --example soft_reach_table`.
#![allow(clippy::print_stdout, reason = "an example speaks to its reader")]

use posekit::glam::DVec3;
use posekit::limb::{SoftReach, TwoBone};
use posekit::math::acos;

const STEP: f64 = 1.0 / 60.0;
const PHASES: usize = 64;
const REACH: f64 = 2.0;

fn main() -> posekit::Result<()> {
    println!(
        "| curve | zone, of the reach | worst knee step per frame | lost reach | straight at |"
    );
    println!("|---|---|---|---|---|");
    row("none", SoftReach::None)?;
    for ratio in [0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2] {
        row("finite", SoftReach::Finite { ratio })?;
    }
    for ratio in [0.01, 0.03, 0.05, 0.1, 0.15, 0.2] {
        row("asymptotic", SoftReach::Asymptotic { ratio })?;
    }
    for ratio in [0.03, 0.1] {
        published_row(ratio);
    }
    Ok(())
}

fn row(name: &str, soft: SoftReach) -> posekit::Result<()> {
    let bend = |distance: f64| bend_of_solution(distance, soft);
    let lost = REACH - soft.distance(REACH, REACH, 0.0);
    let straight = match soft {
        SoftReach::Asymptotic { .. } => "never".to_owned(),
        _ => format!("{:.1} % of reach", 100.0 * (1.0 + soft.ratio())),
    };
    print_row(name, soft.ratio(), worst_step(bend)?, lost, &straight);
    Ok(())
}

/// The curve that ozz 0.16 publishes, with its constant 3, for comparison; not offered by the library.
fn published_row(ratio: f64) {
    let zone = ratio * REACH;
    let distance = |distance: f64| {
        let place = (distance - (REACH - zone)) / zone;
        let root = 3.0 / (place.max(0.0) + 3.0);
        if place > 0.0 { REACH - zone * root * root * root * root } else { distance }
    };
    let bend = |target: f64| Ok(2.0 * acos(distance(target) / REACH).to_degrees());
    if let Ok(step) = worst_step(bend) {
        print_row("ozz as published", ratio, step, REACH - distance(REACH), "never");
    }
}

fn print_row(name: &str, ratio: f64, step: f64, lost: f64, straight: &str) {
    println!("| {name} | {ratio:.3} | {step:.1}° | {:.2} % | {straight} |", 100.0 * lost / REACH);
}

/// The bend of the solved knee \[degrees\], from its positions.
fn bend_of_solution(distance: f64, soft: SoftReach) -> posekit::Result<f64> {
    let (knee, ankle) = (DVec3::new(0.6, 0.8, 0.0), DVec3::new(1.2, 0.0, 0.0));
    let limb = TwoBone::new(DVec3::ZERO, knee, ankle, DVec3::X * distance).with_soft_reach(soft);
    let solution = limb.solve()?;
    let cosine = solution.mid.dot(solution.end - solution.mid);
    Ok(acos(cosine).to_degrees())
}

/// The largest change of bend between two frames.
fn worst_step(bend: impl Fn(f64) -> posekit::Result<f64>) -> posekit::Result<f64> {
    let mut worst = 0.0_f64;
    for phase in 0..PHASES {
        let first = 1.4 + STEP * phase as f64 / PHASES as f64;
        let mut before = bend(first)?;
        for frame in 1..120 {
            let now = bend(first + STEP * f64::from(frame))?;
            worst = worst.max((now - before).abs());
            before = now;
        }
    }
    Ok(worst)
}
