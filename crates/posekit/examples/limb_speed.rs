//! How long a two-bone solve takes: the median over rounds of random limbs, with everything that a character needs.
//!
//! Run with `cargo run --release --example limb_speed`.
#![allow(clippy::print_stdout, reason = "an example speaks to its reader")]

use std::hint::black_box;
use std::time::Instant;

use posekit::glam::DVec3;
use posekit::limb::{Aim, Pole, SoftReach, TwoBone};
use posekit::math::{Pose, shortest_rotation};

const LIMBS: usize = 1024;
const ROUNDS: usize = 401;

/// A small generator of numbers, so that every run measures the same limbs.
struct Numbers(u64);

impl Numbers {
    /// A number in −1..1.
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from((self.0 >> 33) as u32) / f64::from(1u32 << 30) - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

fn main() -> posekit::Result<()> {
    let mut numbers = Numbers(1);
    let limbs: Vec<TwoBone> = (0..LIMBS).map(|_| random_limb(&mut numbers)).collect();
    println!(
        "{LIMBS} random limbs with reachable targets, median of {ROUNDS} rounds, one thread\n"
    );
    println!("{:<44} {:>8} {:>9}", "two bones, rotations and positions out", "ns", "reached");
    let plain = |limb: &TwoBone| (*limb).with_pole(Pole::None);
    show("no pole", &limbs, plain)?;
    let soft = |limb: &TwoBone| limb.with_soft_reach(SoftReach::RECOMMENDED);
    show("pole", &limbs, |limb| *limb)?;
    show("pole, soft reach", &limbs, soft)?;
    show("pole, soft reach, weight 0.5", &limbs, |limb| soft(limb).with_weight(0.5))?;
    show("pole, soft reach, twist", &limbs, |limb| soft(limb).with_twist(0.3))?;
    let aims: Vec<Aim> = (0..LIMBS).map(|_| random_aim(&mut numbers)).collect();
    let aim = median(&aims, |aim| aim.solve().map(|solution| solution.correction.w))?;
    println!("{:<44} {aim:>8.1}", "aim with offset and pole");
    Ok(())
}

fn random_limb(numbers: &mut Numbers) -> TwoBone {
    let start = numbers.vector();
    let mid = start + numbers.vector();
    let end = mid + numbers.vector();
    let (a, b) = ((mid - start).length(), (end - mid).length());
    let within = 0.5 + 0.499 * numbers.next();
    let direction = numbers.vector();
    let distance = (a - b).abs() + within * (a + b - (a - b).abs());
    let target = start + direction * (distance / direction.length());
    TwoBone::new(start, mid, end, target).with_pole(Pole::Direction(numbers.vector()))
}

fn random_aim(numbers: &mut Numbers) -> Aim {
    let pose = Pose::new(shortest_rotation(numbers.vector(), numbers.vector()), numbers.vector());
    Aim::new(pose, 3.0 * numbers.vector())
        .with_offset(0.1 * numbers.vector())
        .with_pole(numbers.vector())
}

fn show(
    name: &str,
    limbs: &[TwoBone],
    variant: impl Fn(&TwoBone) -> TwoBone,
) -> posekit::Result<()> {
    let limbs: Vec<TwoBone> = limbs.iter().map(variant).collect();
    let nanoseconds = median(&limbs, |limb| limb.solve().map(|solution| solution.end.x))?;
    let mut reached = 0;
    for limb in &limbs {
        let solution = limb.solve()?;
        // Measured afresh from the bones and the two rotations.
        let end = limb.start
            + solution.start_correction * (limb.mid - limb.start)
            + solution.mid_correction * (limb.end - limb.mid);
        reached += usize::from((end - limb.target).length() < 1e-12);
    }
    println!("{name:<44} {nanoseconds:>8.1} {reached:>4}/{}", limbs.len());
    Ok(())
}

/// Median time of one solve \[ns\].
fn median<Job>(jobs: &[Job], solve: impl Fn(&Job) -> posekit::Result<f64>) -> posekit::Result<f64> {
    let mut rounds = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let before = Instant::now();
        let mut sum = 0.0;
        for job in jobs {
            sum += solve(black_box(job))?;
        }
        black_box(sum);
        rounds.push(before.elapsed().as_secs_f64() * 1e9 / jobs.len() as f64);
    }
    rounds.sort_by(f64::total_cmp);
    Ok(rounds[ROUNDS / 2])
}
