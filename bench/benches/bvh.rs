//! How fast is a BVH read and written, in bytes of its text, and what does a row cost on its way to a configuration and back? The text has six
//! decimals, as files have them; the second one is what comes back from rotations, with all digits. And what does a frame of 30 joints cost on its whole way,
//! from bytes to a clip and back, nothing edited, and a walk's legs edited while a foot stands?

mod common;

use std::hint::black_box;

use common::quick;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use posekit::glam::DVec3;
use posekit::skeleton::JointKind;
use posekit_bench::random::Random;
use posekit_io::bvh::{self, Axis, Channel, Convention, File, Node, Options, Rig};
use posekit_io::motion::{MotionFile, MotionOptions};
use posekit_io::{Limits, Warnings, gltf};
use posekit_motion::Clip;

const JOINTS: usize = 30;
const FRAMES: usize = 1200;

/// A figure of 30 joints that moves for ten seconds: five limbs on a root.
fn motion() -> File {
    let turns = [Axis::Z, Axis::X, Axis::Y].map(Channel::Rotation);
    let node = |index: usize| Node {
        name: format!("joint{index}").into_bytes(),
        parent: index.checked_sub(1).map(|before| if index % 6 == 1 { 0 } else { before }),
        offset: DVec3::new(1.5, 20.0, -0.25),
        channels: match index {
            0 => Axis::ALL.map(Channel::Position).into_iter().chain(turns).collect(),
            _ => turns.to_vec(),
        },
        is_end_site: false,
    };
    let random = &mut Random::new(1);
    let n_channels = 3 * JOINTS + 3;
    let speeds: Vec<f64> = (0..n_channels).map(|_| random.between(-1.0, 1.0)).collect();
    let mut row: Vec<f64> = (0..n_channels).map(|_| random.between(-80.0, 80.0)).collect();
    let mut values = Vec::new();
    for _ in 0..FRAMES {
        row.iter_mut().zip(&speeds).for_each(|(value, speed)| *value += speed);
        // Six decimals.
        values.extend(row.iter().map(|value| (value * 1e6).round() / 1e6));
    }
    File::try_new((0..JOINTS).map(node).collect(), 1.0 / 120.0, values).expect("a motion")
}

fn read(text: &[u8]) -> File {
    let warnings = &mut Warnings::new();
    bvh::read_bytes(text, &Options::strict(), &Limits::default(), warnings).expect("a file")
}

fn open(text: &[u8]) -> MotionFile {
    let (options, limits) = (MotionOptions::default(), Limits::default());
    let warnings = &mut Warnings::new();
    MotionFile::from_bytes(text, &mut gltf::no_files, &options, &limits, warnings).expect("a file")
}

/// The clip with the root moved in all frames, and two limbs of six joints turned in two of three: about what cleaning a walk changes.
fn cleaned(clip: &Clip) -> Clip {
    let skeleton = clip.skeleton();
    let mut values = clip.values().to_vec();
    for (frame, q) in values.chunks_exact_mut(skeleton.n_values()).enumerate() {
        q[1] += 0.5;
        for joint in (1..=12).filter(|_| frame % 60 < 40) {
            assert!(matches!(skeleton.kind(joint), JointKind::Ball), "a ball");
            let range = skeleton.value_range(joint);
            // A small turn about y, of unit length nearly enough.
            let (sin, cos) = (0.01, 0.999_949_998_749_937_5);
            let [x, y, z, w] =
                [q[range.start], q[range.start + 1], q[range.start + 2], q[range.start + 3]];
            let turned =
                [x * cos - z * sin, y * cos + w * sin, z * cos + x * sin, w * cos - y * sin];
            q[range].copy_from_slice(&turned);
        }
    }
    clip.with_values(values).expect("a clip")
}

fn whole_way(criterion: &mut Criterion, file: &File) {
    let text = file.to_bytes();
    let read = open(&text);
    let clip = read.clip(0).expect("a clip");
    let edited = cleaned(clip);
    let mut group = criterion.benchmark_group("BVH of 30 joints, per frame");
    group.throughput(Throughput::Elements(FRAMES as u64));
    group.bench_function("bytes to a clip", |bencher| bencher.iter(|| open(black_box(&text))));
    group.bench_function("a clip as it was to bytes", |bencher| {
        bencher.iter(|| read.write(0, black_box(clip), "").expect("bytes"));
    });
    group.bench_function("a clip with edited legs to bytes", |bencher| {
        bencher.iter(|| read.write(0, black_box(&edited), "").expect("bytes"));
    });
    group.bench_function("bytes to a clip, legs edited, to bytes", |bencher| {
        bencher.iter(|| {
            let read = open(black_box(&text));
            read.write(0, &edited, "").expect("bytes")
        });
    });
}

fn bytes(criterion: &mut Criterion, name: &str, file: &File) {
    let text = file.to_bytes();
    let mut group = criterion.benchmark_group(format!("BVH with {name}, per byte"));
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("read", |bencher| bencher.iter(|| read(black_box(&text))));
    group.bench_function("write", |bencher| bencher.iter(|| black_box(file).to_bytes()));
}

fn bvh_files(criterion: &mut Criterion) {
    let file = motion();
    let rig = Rig::try_new(&file, &Convention::default(), &mut Warnings::new()).expect("a rig");
    let q = rig.configurations(&file);
    let (values, _) = rig.rows(&q, file.frame(0)).expect("rows");
    bytes(criterion, "six decimals", &file);
    bytes(criterion, "all digits", &file.with_values(values).expect("a motion"));
    whole_way(criterion, &file);
    let mut group = criterion.benchmark_group("BVH, per joint and frame");
    group.throughput(Throughput::Elements((JOINTS * FRAMES) as u64));
    group.bench_function("rows to configurations", |bencher| {
        bencher.iter(|| rig.configurations(black_box(&file)));
    });
    group.bench_function("configurations to rows", |bencher| {
        bencher.iter(|| rig.rows(black_box(&q), file.frame(0)));
    });
}

criterion_group! { name = benches; config = quick(); targets = bvh_files }
criterion_main!(benches);
