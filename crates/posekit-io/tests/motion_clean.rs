//! What cleaning must show on real clips with injected faults: every gate in one table per fault, the worst clip named.

use std::path::PathBuf;
use std::time::Instant;

use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::motion::{CleanSettings, Cleaned, Clip, Part, Verdict, clean};
use posekit::skeleton::{Joint, JointKind, Skeleton};
use posekit_io::{Limits, Warnings, bvh};

const CLIPS: [&str; 18] = [
    "cmu_01_01_cgspeed",
    "cmu_12_01_walk_cgspeed",
    "cmu_iclone_002_01",
    "cmu_iclone_002_02",
    "cmu_iclone_002_03",
    "cmu_iclone_002_04",
    "cmu_iclone_003_01",
    "cmu_iclone_005_01",
    "cmu_iclone_005_05",
    "cmu_iclone_006_10",
    "meredith_figure8_walk",
    "Boxing_Toes",
    "salsa_10_daz",
    "mocapbank",
    "pybvh_bvh_test1",
    "pybvh_bvh_test2",
    "pybvh_bvh_test3",
    "walk01_blender",
];

fn load(name: &str) -> Option<Clip> {
    let folder = std::env::var_os("POSEKIT_ASSETS")?;
    let path = PathBuf::from(folder).join("bvh").join(format!("{name}.bvh"));
    let warnings = &mut Warnings::new();
    let file =
        bvh::read_file(&path, &bvh::Options::lenient(), &Limits::default(), warnings).ok()?;
    let survey = bvh::survey(&file);
    let convention = bvh::Convention::default().with_positions(survey.positions);
    let rig = bvh::Rig::try_new(&file, &convention, warnings).ok()?;
    let values = rig.configurations(&file);
    let clip = Clip::try_new(rig.skeleton().clone(), file.frame_time(), values).ok()?;
    let up = survey.up.map_or(DVec3::Y, |up| up.direction);
    clip.with_up(up).ok()
}
