#![allow(warnings)]
mod common;
use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::Frame;
use posekit_io::motion::{MotionFile, MotionOptions};
use posekit_io::{Limits, Warnings};
use posekit_motion::{Clip, Contact, Hold, HoldSettings, Limb, Support, hold_within};
#[test]
fn compare() {
    let assets = common::assets().unwrap();
    let mut files: Vec<_> = std::fs::read_dir(assets.join("bvh"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "bvh"))
        .collect();
    files.sort();
    let mut seed = 7_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut all = [vec![], vec![], vec![], vec![]];
    let (mut n_missed, mut n, mut frames_missed, mut n_frames) = (0, 0, 0, 0);
    for path in files {
        let Ok(file) = MotionFile::open(
            &path,
            &MotionOptions::default(),
            &Limits::default(),
            &mut Warnings::new(),
        ) else {
            continue;
        };
        let Ok(clip) = file.clip(0) else { continue };
        if clip.n_frames() < 60 || clip.duration() < 2.0 {
            continue;
        }
        let legs: Vec<Limb> = file.legs_of(clip).legs.iter().map(|leg| leg.limb).collect();
        if legs.is_empty() {
            continue;
        }
        let keep = file.keeper();
        let rest = clip.skeleton().poses(clip.frame(0));
        let leg = rest[legs[0].start].translation.distance(rest[legs[0].mid].translation)
            + rest[legs[0].mid].translation.distance(rest[legs[0].end].translation);
        for run in 0..6 {
            let k = 1 + (random() * 3.0) as usize;
            let base = 0.3 + random() * (clip.duration() - 1.5).max(0.0).min(4.0);
            let contacts: Vec<Contact> = (0..k)
                .map(|_| {
                    let joint = (random() * clip.skeleton().n_joints() as f64) as usize;
                    let from = base + 0.4 * random();
                    let to = from + 0.1 + 0.7 * random();
                    let frame = Frame::new(joint, Pose::IDENTITY);
                    let place = clip.frame_pose(&frame, None, from).translation;
                    let off =
                        DVec3::new(random() - 0.5, random() - 0.5, random() - 0.5) * 0.25 * leg;
                    let hold = Hold::Position((random() > 0.4).then_some(place + off));
                    Contact {
                        frame,
                        from,
                        to,
                        hold,
                        on: Support::World,
                        ease_in: 0.25,
                        ease_out: 0.25,
                    }
                })
                .collect();
            let settings = HoldSettings {
                legs: legs.clone(),
                root_stiffness: 20.0,
                by_hand: true,
                ..HoldSettings::default()
            };
            let start = std::time::Instant::now();
            let held = hold_within(clip, &contacts, &settings, keep.as_ref()).unwrap();
            let time = start.elapsed().as_secs_f64();
            let places = |clip: &Clip, frame| -> Vec<DVec3> {
                clip.skeleton()
                    .poses(clip.frame(frame))
                    .iter()
                    .map(|pose| pose.translation)
                    .collect()
            };
            let mut jump = 0.0_f64;
            let mut acc = 0.0_f64;
            let mut change = 0.0_f64;
            let (mut d1, mut d2): (Vec<DVec3>, Vec<DVec3>) = (vec![], vec![]);
            for f in 0..clip.n_frames() {
                let (a, b) = (places(&held.clip, f), places(clip, f));
                let d: Vec<DVec3> = a.iter().zip(&b).map(|(a, b)| (*a - *b) / leg).collect();
                assert!(d.iter().all(|d| d.is_finite()));
                change += d.iter().map(|d| d.length()).sum::<f64>() / d.len() as f64;
                if !d1.is_empty() {
                    for j in 0..d.len() {
                        jump = jump.max(d[j].distance(d1[j]));
                    }
                }
                if !d2.is_empty() {
                    for j in 0..d.len() {
                        acc = acc.max((d[j] - 2.0 * d1[j] + d2[j]).length());
                    }
                }
                d2 = d1;
                d1 = d;
            }
            let r = clip.frame_time() * 60.0;
            all[0].push(jump / r);
            all[1].push(acc / r / r);
            all[2].push(change);
            all[3].push(time);
            for c in &held.contacts {
                n += 1;
                n_missed += usize::from(!c.missed.is_empty());
                frames_missed += c.missed.len();
                n_frames += c.frames.len();
            }
            println!(
                "R {} {run} jump {:.3} acc {:.3} change {:.2} ms {:.0} missed {:?}",
                path.file_name().unwrap().to_string_lossy(),
                jump / r,
                acc / r / r,
                change,
                1e3 * time,
                held.contacts
                    .iter()
                    .map(|c| (
                        c.missed.len(),
                        c.frames.len(),
                        c.limb.is_some(),
                        (1e4 * c.residual / leg).round() / 1e4
                    ))
                    .collect::<Vec<_>>()
            );
        }
    }
    println!("contacts {n} missed {n_missed} frames {n_frames} missed {frames_missed}");
    for (name, mut v) in ["jump", "acc", "change", "s"].iter().zip(all) {
        v.sort_by(f64::total_cmp);
        let at = |q: f64| v[((v.len() - 1) as f64 * q) as usize];
        println!(
            "{name}: mean {:.4} median {:.4} p90 {:.4} p99 {:.4} max {:.4}",
            v.iter().sum::<f64>() / v.len() as f64,
            at(0.5),
            at(0.9),
            at(0.99),
            at(1.0)
        );
    }
}
