//! Row L23: parents that mirror or scale unevenly. A limb job takes positions only, so such parents need no special treatment.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use posekit::glam::DVec3;
use posekit::limb::TwoBone;

#[test]
fn l23_mirrored_and_unevenly_scaled_parents() {
    let joints = [DVec3::ZERO, DVec3::new(0.9, 0.2, 0.1), DVec3::new(1.7, -0.3, 0.4)];
    let target = DVec3::new(0.4, 0.8, -0.5);
    for scale in [DVec3::new(-1.0, 1.0, 1.0), DVec3::new(1.0, -2.0, 0.5), DVec3::splat(-3.0)] {
        let [start, mid, end] = joints.map(|joint| joint * scale);
        let limb = TwoBone::new(start, mid, end, target * scale.abs().min_element());
        let solved = limb.solve().unwrap();
        let moved = solved.mid_correction * (end - mid) + solved.start_correction * (mid - start);
        assert!((start + moved).distance(limb.target) < 1e-12, "reached under {scale}");
        let kept = (solved.mid - start).length() - (mid - start).length();
        assert!(kept.abs() < 1e-12, "the bone keeps the length it has in model space");
    }
}
