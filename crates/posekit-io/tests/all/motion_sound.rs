//! Cleaning sound captures: what is good stays as it is, whatever the rate and wherever a clip begins.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail and speak")]

use crate::clips;
use crate::skate;

use posekit::glam::DVec3;
use posekit_motion::{CleanSettings, Clip, clean, find_legs};
use skate::{Injury, LEG};

fn cleaned(clip: &Clip) -> Clip {
    clean(clip, &CleanSettings::default()).unwrap().clip
}

/// Millimetres of a figure with legs of 0.85 m for the unit of a clip.
fn millimetres(clip: &Clip) -> f64 {
    let legs = find_legs(clip).legs;
    let lengths: f64 = legs.iter().map(|leg| leg.limb.length(clip.skeleton())).sum();
    1000.0 * LEG / (lengths / legs.len() as f64)
}

/// Distances of the joints of two clips in the same frames: of the root alone, and of all joints.
///
/// - `every`: frames of the first for one of the second
fn apart(a: &Clip, b: &Clip, every: usize) -> (Vec<f64>, Vec<f64>) {
    let (n, mm) = (a.skeleton().n_joints(), millimetres(b));
    let (mut root, mut all) = (Vec::new(), Vec::new());
    for (a, b) in a.poses().chunks(n).step_by(every).zip(b.poses().chunks(n)) {
        let off = |k: usize| -> DVec3 { (a[k].translation - b[k].translation) * mm };
        root.push(off(0).length());
        all.extend((0..n).map(|k| off(k).length()));
    }
    (root, all)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

#[test]
fn sound_captures_stay_where_they_are() {
    let mut roots = Vec::new();
    for (name, clip) in &clips::sound() {
        let (root, all) = apart(&cleaned(clip), clip, 1);
        let means = (mean(&root), mean(&all));
        println!(
            "{name:28} root {:5.1} worst {:5.1} joints {:5.2}",
            means.0,
            largest(&root),
            means.1
        );
        assert!(largest(&root) < 100.0, "{name}: the root is moved by {} mm", largest(&root));
        roots.extend(root);
    }
    let mean = if roots.is_empty() { 0.0 } else { mean(&roots) };
    assert!(mean < 10.0, "the mean root error is {mean} mm");
}

/// How far apart joints may be on average \[mm\]: what is hardly seen, a quarter of what people see of a slide.
const AGREE: f64 = 5.0;

#[test]
fn trims_and_rates_agree() {
    let mut rates = Vec::new();
    for (name, clip) in &clips::sound() {
        let legs = find_legs(clip).legs;
        let fast = skate::injure(clip, &legs, Injury::Rate(120.0));
        let whole = cleaned(&fast);
        let mut report = format!("{name:28}");
        for every in [2, 4] {
            let n = fast.skeleton().n_values();
            let values = fast.values().chunks(n).step_by(every).flatten().copied().collect();
            let slow =
                Clip::try_new(fast.skeleton().clone(), every as f64 / 120.0, values).unwrap();
            let slow = cleaned(&slow.with_up(fast.up()).unwrap());
            let (_, all) = apart(&whole, &slow, every);
            rates.push(mean(&all));
            report += &format!(
                " {} Hz: mean {:5.2} worst {:6.1}",
                120 / every,
                mean(&all),
                largest(&all)
            );
        }
        for trim in [1, 16] {
            let part = cleaned(&skate::cut(&fast, trim..fast.n_frames()));
            let (_, all) = apart(&skate::cut(&whole, trim..fast.n_frames()), &part, 1);
            assert!(mean(&all) < AGREE, "{name}: {trim} frames less: {} mm", mean(&all));
            report += &format!(" trim {trim}: mean {:5.2} worst {:6.1}", mean(&all), largest(&all));
        }
        println!("{report}");
    }
    if !rates.is_empty() {
        assert!(mean(&rates) < AGREE, "rates differ by {} mm", mean(&rates));
    }
}
