//! Every BVH of the shared assets: read, written, read again; as a skeleton it stands where its matrices say, and comes back as the same poses.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use crate::common;

use std::f64::consts::PI;
use std::fs;
use std::path::{Path, PathBuf};

use posekit::glam::{DMat4, DVec3};
use posekit::math::{sin_cos, so3_log};
use posekit_io::bvh::{self, Axis, Channel, Convention, File, Options, Positions, Rig, Survey};
use posekit_io::{Limits, Warnings};

/// The one that has a row more than it says.
const MISCOUNTED: &str = "Boxing_Toes.bvh";

fn files() -> Vec<PathBuf> {
    let Some(assets) = common::assets() else { return Vec::new() };
    let entries = fs::read_dir(assets.join("bvh")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 30, "{} files", files.len());
    files
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn read(path: &Path) -> File {
    let mut warnings = Warnings::new();
    let is_miscounted = name(path) == MISCOUNTED;
    let options = if is_miscounted { Options::lenient() } else { Options::strict() };
    let file = bvh::read_file(path, &options, &Limits::default(), &mut warnings)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(warnings.len(), usize::from(is_miscounted), "{}: {warnings:?}", path.display());
    file
}

/// What the words of a text say, taken apart without the reader: joints and End Sites, channels, rows.
fn counted(text: &str) -> (usize, usize, Vec<Vec<f64>>) {
    let (hierarchy, motion) = text.split_once("MOTION").unwrap();
    let words: Vec<&str> = hierarchy.split_whitespace().collect();
    let nodes = words.iter().filter(|word| **word == "{").count();
    let is_channel = |word: &&&str| word.ends_with("rotation") || word.ends_with("position");
    let n_channels = words.iter().filter(is_channel).count();
    let lines = motion.lines().map(str::trim).filter(|line| !line.is_empty());
    let rows = lines.filter(|line| !line.starts_with("Frame"));
    let numbers = |row: &str| row.split_whitespace().map(|word| word.parse().unwrap()).collect();
    (nodes, n_channels, rows.map(numbers).collect())
}

#[test]
fn every_file_is_read_to_the_bit() {
    for path in files() {
        let text = fs::read_to_string(&path).unwrap();
        let (n_nodes, n_channels, rows) = counted(&text);
        let file = read(&path);
        let found = (file.nodes().len(), file.n_channels(), file.n_frames());
        assert_eq!(found, (n_nodes, n_channels, rows.len()), "{}", path.display());
        for (frame, row) in rows.iter().enumerate() {
            let bits = |row: &[f64]| -> Vec<u64> { row.iter().map(|v| v.to_bits()).collect() };
            assert_eq!(bits(file.frame(frame)), bits(row), "{}: frame {frame}", path.display());
        }
    }
}

#[test]
fn b15_every_file_is_written_the_same_again() {
    for path in files() {
        let file = read(&path);
        let once = file.to_bytes();
        let mut warnings = Warnings::new();
        let again =
            bvh::read_bytes(&once, &Options::strict(), &Limits::default(), &mut warnings).unwrap();
        assert_eq!((&again, warnings.len()), (&file, 0), "{}", path.display());
        assert_eq!(again.to_bytes(), once, "{}", path.display());
    }
}

#[test]
fn b1_a_row_too_many_is_kept_leniently_and_refused_otherwise() {
    let Some(path) = files().into_iter().find(|path| name(path) == MISCOUNTED) else { return };
    let mut warnings = Warnings::new();
    let strict = bvh::read_file(&path, &Options::strict(), &Limits::default(), &mut warnings);
    let error = strict.unwrap_err().to_string();
    assert!(error.contains("`Frames` is 3069, but 3070 rows follow"), "{error}");
    assert_eq!(read(&path).n_frames(), 3070);
}

/// Where the nodes stand in the world, by matrices alone.
fn world(file: &File, row: &[f64], rule: Positions) -> Vec<DMat4> {
    let mut world: Vec<DMat4> = Vec::new();
    for (index, node) in file.nodes().iter().enumerate() {
        let mut place = node.offset;
        let mut turn = DMat4::IDENTITY;
        for (channel, value) in node.channels.iter().zip(&row[file.channel_range(index)]) {
            let (sin, cos) = sin_cos(value * PI / 180.0);
            let columns = match channel {
                Channel::Position(axis) => {
                    let from =
                        if rule == Positions::FromParent { 0.0 } else { node.offset[axis.index()] };
                    place[axis.index()] = from + value;
                    continue;
                }
                Channel::Rotation(Axis::X) => [[1.0, 0.0, 0.0], [0.0, cos, sin], [0.0, -sin, cos]],
                Channel::Rotation(Axis::Y) => [[cos, 0.0, -sin], [0.0, 1.0, 0.0], [sin, 0.0, cos]],
                Channel::Rotation(Axis::Z) => [[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]],
            };
            turn *= DMat4::from_mat3(posekit::glam::DMat3::from_cols_array_2d(&columns));
        }
        let local = DMat4::from_translation(place) * turn;
        world.push(node.parent.map_or(local, |parent| world[parent] * local));
    }
    world
}

#[test]
fn every_file_stands_where_its_matrices_say() {
    for path in files() {
        let file = read(&path);
        for rule in [Positions::FromOffset, Positions::FromParent] {
            let convention = Convention::default().with_positions(rule);
            let rig = Rig::try_new(&file, &convention, &mut Warnings::new()).unwrap();
            let skeleton = rig.skeleton();
            let q = rig.configurations(&file);
            let n = skeleton.n_values();
            for frame in (0..file.n_frames()).step_by(37) {
                let expected = world(&file, file.frame(frame), rule);
                let poses = skeleton.poses(&q[frame * n..(frame + 1) * n]);
                skeleton.check(&q[frame * n..(frame + 1) * n]).unwrap();
                for (joint, pose) in poses.iter().enumerate() {
                    let matrix = expected[rig.node(joint)];
                    let off = pose.translation.distance(matrix.w_axis.truncate());
                    let size = 1.0 + matrix.w_axis.truncate().length();
                    assert!(off < 1e-11 * size, "{}: {frame}, {joint}: {off}", path.display());
                    let turned = pose.rotation * DVec3::X - matrix.x_axis.truncate();
                    assert!(turned.length() < 1e-11, "{}: {frame}, {joint}", path.display());
                }
                for tip in rig.tips() {
                    let off =
                        tip.frame.world(&poses).translation - expected[tip.node].w_axis.truncate();
                    assert!(off.length() < 1e-9, "{}: tip {}", path.display(), tip.node);
                }
            }
        }
    }
}

/// The largest step of any rotation channel from one row to the next.
fn largest_step(file: &File, values: &[f64]) -> f64 {
    let n = file.n_channels();
    let channels = file.nodes().iter().flat_map(|node| &node.channels);
    let is_turn: Vec<bool> = channels.map(|c| matches!(c, Channel::Rotation(_))).collect();
    let pairs = values.chunks(n).zip(values.chunks(n).skip(1));
    let steps = pairs.flat_map(|(a, b)| (0..n).map(move |c| (c, (b[c] - a[c]).abs())));
    steps.filter(|(c, _)| is_turn[*c]).map(|(_, step)| step).fold(0.0, f64::max)
}

#[test]
fn b13_every_file_comes_back_as_the_same_poses_without_jumps() {
    for path in files() {
        let file = read(&path);
        let mut warnings = Warnings::new();
        let rig = Rig::try_new(&file, &Convention::default(), &mut warnings).unwrap();
        let q = rig.configurations(&file);
        let (values, loss) = rig.rows(&q, file.frame(0)).unwrap();
        assert!(loss.angle < 1e-7 && loss.distance == 0.0, "{}: {loss:?}", path.display());
        let (before, after) = (largest_step(&file, file.values()), largest_step(&file, &values));
        assert!(after <= before + 1e-6, "{}: from {before} to {after} degrees", path.display());
        assert!(after < 181.0, "{}: no whole turns, {after}", path.display());
        let back = file.with_values(values).unwrap();
        let again = rig.configurations(&back);
        let n = rig.skeleton().n_values();
        let mut change = vec![0.0; rig.skeleton().n_dofs()];
        for (a, b) in q.chunks(n).zip(again.chunks(n)) {
            rig.skeleton().difference(a, b, &mut change);
            let largest = change.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
            // Half of the eighth decimal of positions; rotations to less, or what a locked pose may be off.
            assert!(largest < 6e-9, "{}: {largest}", path.display());
        }
    }
}

fn survey_of(file: &str) -> Option<Survey> {
    let path = files().into_iter().find(|path| name(path) == file)?;
    Some(bvh::survey(&read(&path)))
}

#[test]
fn surveys_say_what_files_seem_to_mean() {
    use Positions::{FromOffset, FromParent};
    for (file, up, unit, positions) in [
        ("cmu_01_01_cgspeed.bvh", Some(Axis::Y), Some(0.0254 / 0.45), None),
        ("cmu_12_01_walk_cgspeed.bvh", Some(Axis::Y), Some(0.0254 / 0.45), None),
        ("cmu_iclone_002_04.bvh", Some(Axis::Y), Some(0.01), Some(FromOffset)),
        ("cmu_iclone_003_01.bvh", Some(Axis::Y), Some(0.01), Some(FromOffset)),
        ("kinect_openni.bvh", Some(Axis::Y), Some(0.01), None),
        ("makehuman_dance1.bvh", Some(Axis::Z), Some(0.1), Some(FromParent)),
        ("makehuman_tpose.bvh", Some(Axis::Z), Some(0.1), Some(FromOffset)),
        ("makehuman_zombieWalk1.bvh", Some(Axis::Z), Some(0.1), Some(FromParent)),
        ("meredith_figure8_walk.bvh", Some(Axis::Y), Some(0.0254), Some(FromParent)),
        ("walk01_blender.bvh", Some(Axis::Y), Some(0.01), Some(FromParent)),
        ("salsa_10_daz.bvh", Some(Axis::Y), Some(0.01), None),
        ("fairmotion_sinusoidal.bvh", None, None, None),
    ] {
        let Some(survey) = survey_of(file) else { return };
        let found = (survey.up.map(|up| up.axis), survey.metres_per_unit, survey.positions);
        assert_eq!(found, (up, unit, positions), "{file}");
    }
}

/// The angle between two poses of a joint never depends on how the file was written.
#[test]
fn b9_mixed_orders_are_read_each_by_itself() {
    let Some(path) = files().into_iter().find(|path| name(path) == "pybvh_bvh_test1.bvh") else {
        return;
    };
    let file = read(&path);
    let orders = file.nodes().iter().filter(|node| node.channels.len() == 3);
    let mut orders: Vec<&[Channel]> = orders.map(|node| node.channels.as_slice()).collect();
    orders.sort();
    orders.dedup();
    assert_eq!(orders.len(), 4, "orders of three");
    let rig = Rig::try_new(&file, &Convention::default(), &mut Warnings::new()).unwrap();
    let q = rig.configurations(&file);
    let (values, _) = rig.rows(&q, &vec![0.0; file.n_channels()]).unwrap();
    let again = rig.configurations(&file.with_values(values).unwrap());
    for joint in 0..rig.skeleton().n_joints() {
        let turn =
            |q: &[f64]| rig.skeleton().motion(joint, &q[..rig.skeleton().n_values()]).rotation;
        let apart = so3_log(turn(&q).inverse() * turn(&again)).length();
        assert!(apart < 1e-12, "{}: {apart}", rig.skeleton().name(joint));
    }
}
