//! GLBs with few keys: how near they keep joints, as a reader finds them.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a helper of a test may fail and speak as a test does"
)]

use crate::common;

use std::path::{Path, PathBuf};

use posekit_io::gltf::no_files;
use posekit_io::motion::{MotionFile, MotionOptions, to_glb, to_glb_within};
use posekit_io::{Limits, Warnings};
use posekit_motion::Clip;

fn read(bytes: &[u8], options: &MotionOptions) -> MotionFile {
    let warnings = &mut Warnings::new();
    MotionFile::from_bytes(bytes, &mut no_files, options, &Limits::default(), warnings).unwrap()
}

fn walk() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/clips/walk.bvh")
}

/// The largest distance of a joint from where it is, over all frames \[m\]. Between keys both files are sampled as any reader does.
fn apart(a: &Clip, b: &Clip) -> f64 {
    assert_eq!(a.n_frames(), b.n_frames(), "as many frames");
    let mut worst = 0.0_f64;
    for frame in 0..a.n_frames() {
        let (then, now) = (a.skeleton().poses(a.frame(frame)), b.skeleton().poses(b.frame(frame)));
        for (joint, pose) in then.iter().enumerate() {
            let other = b.skeleton().find(a.skeleton().name(joint)).unwrap();
            worst = worst.max(pose.translation.distance(now[other].translation));
        }
    }
    worst
}

#[test]
fn few_keys_keep_joints_within_the_distance_at_every_frame() {
    let mut paths = vec![walk()];
    if let Some(assets) = common::assets() {
        let names =
            ["cmu_12_01_walk_cgspeed", "salsa_10_daz", "makehuman_walk1", "cmu_iclone_002_01"];
        paths.extend(names.map(|name| assets.join(format!("bvh/{name}.bvh"))));
    }
    for path in paths {
        let file = read(&std::fs::read(&path).unwrap(), &MotionOptions::default());
        let clip = file.clip(0).unwrap();
        let options = MotionOptions::default().with_fps(1.0 / clip.frame_time());
        let bytes = to_glb(clip, "x").unwrap();
        let (size, whole) = (bytes.len(), read(&bytes, &options));
        let whole = whole.clip(0).unwrap();
        let mut fewest = 0;
        for distance in [0.0, 1e-4, 1e-3, 1e-2] {
            let thinned = to_glb_within(clip, "x", distance).unwrap();
            let back = read(&thinned.file, &options);
            let miss = apart(whole, back.clip(0).unwrap());
            println!(
                "{}: {distance} m: {} of {}, {miss} off",
                path.display(),
                thinned.kept,
                thinned.of
            );
            // The file has single precision.
            assert!(miss <= distance + 2e-6, "{}: {distance}: {miss}", path.display());
            assert!(thinned.file.len() <= size, "{}: not smaller", path.display());
            fewest = thinned.kept;
        }
        // A centimetre leaves few; straight ways are long only where frames are near each other.
        let most = if clip.frame_time() < 0.02 { 0.3 } else { 0.6 };
        let of = to_glb_within(clip, "x", 0.0).unwrap().of;
        assert!((fewest as f64) < most * of as f64, "{}: {fewest} of {of}", path.display());
        // The same again: no chance in it.
        assert_eq!(to_glb_within(clip, "x", 1e-3), to_glb_within(clip, "x", 1e-3));
    }
}

#[test]
fn few_keys_of_motions_that_are_hardly_one() {
    let text = |rows: &str, n: usize| {
        format!(
            "HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\nJOINT b\n{{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n}}\n}}\nMOTION\nFrames: {n}\nFrame Time: {}\n{rows}",
            1.0 / 30.0
        )
    };
    let unit = MotionOptions::default().with_metres_per_unit(1.0);
    let keys = |rows: &str, n: usize, distance: f64| {
        let file = read(text(rows, n).as_bytes(), &unit);
        let thinned = to_glb_within(file.clip(0).unwrap(), "x", distance).unwrap();
        let again = read(&thinned.file, &MotionOptions::default());
        assert_eq!((again.n_clips(), again.clip(0).unwrap().n_frames()), (1, n), "as long");
        (thinned.kept, thinned.of)
    };
    assert_eq!(keys("1 0 0 0 0 0 0 0 0\n", 1, 0.1), (1, 1), "one frame");
    assert_eq!(keys(&"1 0 0 0 0 0 0 0 0\n".repeat(9), 9, 0.1), (2, 9), "it stands");
    // A straight way is two keys, a corner in it a third.
    let straight: String = (0..21).map(|k| format!("{k} 0 0 0 0 0 0 0 0\n")).collect();
    assert_eq!(keys(&straight, 21, 1e-3), (2, 21));
    // However long it is: of two that go so, one has a key at every frame where the rate could not be known otherwise.
    let long: String = (0..1000).map(|k| format!("{k} 0 0 0 0 0 0 0 0\n")).collect();
    assert_eq!(keys(&long, 1000, 1e-3), (1000, 1000));
    let both: String =
        (0..1000).map(|k| format!("{k} 0 0 0 0 0 {} 0 0\n", 0.1 * f64::from(k))).collect();
    assert_eq!(keys(&both, 1000, 0.1), (1002, 2000));
    let corner: String =
        (0..21).map(|k: i32| format!("{} 0 0 0 0 0 0 0 0\n", (k - 10).abs())).collect();
    assert_eq!(keys(&corner, 21, 1e-3), (3, 21));
    // A whole turn at a steady pace needs keys by which its way is clear, whatever the distance.
    let turn: String = (0..41).map(|k| format!("0 0 0 0 {} 0 0 0 0\n", 18 * k)).collect();
    let (kept, of) = keys(&turn, 41, 10.0);
    assert!((4..=10).contains(&kept) && of == 41, "{kept}");
    let file = read(text(&straight, 21).as_bytes(), &unit);
    for distance in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(to_glb_within(file.clip(0).unwrap(), "x", distance).is_err());
    }
}

#[test]
fn few_keys_are_read_at_the_rate_that_they_were_written_at() {
    let file = read(&std::fs::read(walk()).unwrap(), &MotionOptions::default());
    let source = file.clip(0).unwrap();
    let n_values = source.skeleton().n_values();
    let rates = [
        12.0, 12.5, 15.0, 20.0, 23.976, 24.0, 25.0, 29.97, 30.0, 33.3, 47.952, 48.0, 50.0, 59.94,
        60.0, 72.0, 90.0, 100.0, 120.0, 144.0, 239.76, 240.0, 480.0, 500.0, 1000.0,
    ];
    let (mut n_all, mut n_thinned) = (0, 0);
    for (at, rate) in rates.into_iter().enumerate() {
        for n_frames in [2, 3, 14, 57, source.n_frames()] {
            let first = at * 5 % (source.n_frames() - n_frames + 1);
            let values = &source.values()[n_values * first..n_values * (first + n_frames)];
            let clip = Clip::try_new(source.skeleton().clone(), 1.0 / rate, values.to_vec());
            let clip = clip.unwrap().with_metres_per_unit(source.metres_per_unit());
            for distance in [0.0, 1e-3, 5e-3, 2e-2, 0.1, 10.0] {
                let thinned = to_glb_within(&clip, "x", distance).unwrap();
                let back = read(&thinned.file, &MotionOptions::default());
                let back = back.clip(0).unwrap();
                assert_eq!(back.n_frames(), n_frames, "{rate} a second, {distance} m");
                let off = back.frame_time() * rate - 1.0;
                assert!(off.abs() < 1e-6, "{rate} a second, {n_frames} frames: off by {off}");
                n_all += 1;
                n_thinned += usize::from(thinned.kept < thinned.of);
            }
        }
    }
    assert!(3 * n_thinned > n_all, "keys are left out of {n_thinned} of {n_all}");
}

#[test]
fn a_glb_is_sampled_when_frames_are_at_another_rate() {
    use posekit::skeleton::{Joint, Skeleton};
    // It goes by a metre a frame, so that a part of a frame is seen.
    let skeleton = Skeleton::try_new(vec![Joint::free("root"), Joint::ball("end").child_of(0)]);
    let values = |n: u32| {
        let at = |k: u32| [f64::from(k), 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        (0..n).flat_map(at).collect::<Vec<f64>>()
    };
    let clip = Clip::try_new(skeleton.unwrap(), 1.0 / 30.0, values(60)).unwrap();
    let bytes = to_glb(&clip, "x").unwrap();
    for fps in [30.0, 29.97, 30.03, 60.0, 24.0] {
        let file = read(&bytes, &MotionOptions::default().with_fps(fps));
        let sampled = file.clip(0).unwrap();
        for frame in 0..sampled.n_frames() - 1 {
            let place = sampled.skeleton().poses(sampled.frame(frame))[0].translation.x;
            let off = (place - 30.0 * frame as f64 / fps).abs();
            assert!(off < 1e-4, "frame {frame} at {fps} a second is {off} of a frame off");
        }
    }
}
