//! What must hold for any bytes: nothing panics, and what is read and written comes back. Run by the fuzz targets on bytes that they make up, and by the
//! tests on those that once failed.

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{Joint, JointKind, Skeleton};
use posekit_io::bvh::{self, Options};
use posekit_io::gltf::Asset;
use posekit_io::motion::{MotionFile, MotionOptions, to_bvh, to_glb, to_glb_within};
use posekit_io::{
    ChainProblem, ContactsFile, Error, FigureProblem, Limits, Result, Robot, SolutionFile,
    Warnings, read_robot,
};
use posekit_motion::{
    CleanSettings, Clip, Contact, FloorChoice, Hold, HoldSettings, Support, Trajectory, clean,
    clean_within, hold_within,
};

/// Caps so low that no input takes long.
fn limits() -> Limits {
    Limits::default()
        .with_file_bytes(1 << 20)
        .with_motion_bytes(1 << 20)
        .with_joints(512)
        .with_animation_values(1 << 15)
}

/// Bytes for any file that a glTF names.
fn beside(path: &str) -> Result<Vec<u8>> {
    if path.ends_with("none") {
        return Err(Error::Read { message: "there is none".into(), path: path.to_owned() });
    }
    Ok((0..=255).cycle().take(1024).collect())
}

fn open(bytes: &[u8], options: &MotionOptions) -> Option<MotionFile> {
    let warnings = &mut Warnings::new();
    MotionFile::from_bytes(bytes, &mut beside, options, &limits(), warnings).ok()
}

/// A BVH: strictly and leniently; written and read again it is the same, and so are its bytes.
pub(crate) fn bvh(bytes: &[u8]) {
    for options in [Options::strict(), Options::lenient().filling_gaps()] {
        let read = |bytes: &[u8]| bvh::read_bytes(bytes, &options, &limits(), &mut Warnings::new());
        let Ok(file) = read(bytes) else { continue };
        let text = file.to_bytes();
        // The caps are about sizes, which the written form may pass.
        let again = match read(&text) {
            Ok(again) => again,
            Err(Error::TooLarge { .. }) => continue,
            Err(error) => panic!("what was written is refused: {error}"),
        };
        assert_eq!(again, file, "what was written is read as it was");
        assert!(again.to_bytes() == text, "and written the same");
    }
    let lenient = MotionOptions::default().lenient().filling_gaps();
    for (options, is_strict) in [(MotionOptions::default(), true), (lenient, false)] {
        let Some(file) = open(bytes, &options) else { continue };
        let Ok(clip) = file.clip(0) else { continue };
        let same = file.write(0, clip, "new").expect("what was read can be written");
        assert!(
            !is_strict || file.bvh().is_none() || same.file == bytes || is_without_rows(&file),
            "unedited, it stays"
        );
        edit(&file, 0);
        convert(clip);
    }
}

/// True for a file whose text is not kept: one without a motion.
fn is_without_rows(file: &MotionFile) -> bool {
    file.bvh().is_some_and(|bvh| bvh.n_frames() == 0)
}

/// A glTF: unedited it stays byte for byte; edited it is read again.
pub(crate) fn gltf(bytes: &[u8]) {
    let warnings = &mut Warnings::new();
    if let Ok(asset) = Asset::from_bytes(bytes, &mut beside, &limits(), warnings) {
        let same = asset.write(asset.animations(), "new").expect("what was read can be written");
        assert!(same.file == bytes && same.buffers.is_empty(), "unedited, it stays");
    }
    let Some(file) = open(bytes, &MotionOptions::default()) else { return };
    if let Ok(rest) = file.rest() {
        convert(&rest);
    }
    for index in 0..file.n_clips().min(3) {
        let Ok(clip) = file.clip(index) else { continue };
        assert!(file.seconds(index) >= 0.0, "a length of time");
        let same = file.write(index, clip, "new").expect("what was read can be written");
        assert!(
            same.file.len() == file.gltf().map_or(same.file.len(), |asset| asset.bytes().len()),
            "unedited, it stays"
        );
        edit(&file, index);
        convert(clip);
    }
}

/// Contacts: what is read is written and read again as it was, and so is what it means.
pub(crate) fn contacts(bytes: &[u8]) {
    let Ok(text) = core::str::from_utf8(bytes) else { return };
    let Ok(file) = ContactsFile::from_json_with(text, &limits()) else { return };
    let written = file.to_json().expect("what was read can be written");
    let again = ContactsFile::from_json_with(&written, &Limits::default()).expect("and read again");
    assert_eq!(again, file, "as it was");
    assert!(again.to_json().is_ok_and(|text| text == written), "and written the same");
    let Some(skeleton) = skeleton_of(&file) else { return };
    let contacts = file.to_contacts(&skeleton).expect("its joints are there");
    let back = ContactsFile::from_contacts(&contacts, &skeleton).expect("they have names");
    assert_eq!(back.to_contacts(&skeleton).as_ref(), Ok(&contacts), "contacts come back");
}

/// A robot, URDF or MJCF: its parts make it again, and its poses are finite.
pub(crate) fn robot(bytes: &[u8]) {
    let Ok(robot) = read_robot(bytes, &limits(), &mut Warnings::new()) else { return };
    let q = robot.start_configuration();
    let poses = robot.skeleton().poses(&q);
    assert!(poses.iter().all(|pose| pose.is_finite()), "finite poses");
    let n_links = robot.links().len();
    let again = Robot::try_new(robot.into_parts()).expect("its own parts are valid");
    assert_eq!((again.links().len(), again.skeleton().poses(&q)), (n_links, poses), "the same");
}

/// A chain problem: what is read is written and read again as it was, and it can be posed.
pub(crate) fn chain(bytes: &[u8]) {
    let Ok(text) = core::str::from_utf8(bytes) else { return };
    let Ok(problem) = ChainProblem::from_json_with(text, &limits()) else { return };
    let written = problem.to_json().expect("what was read can be written");
    let again = ChainProblem::from_json(&written).expect("and read again");
    assert_eq!(again, problem, "as it was");
    if let Ok(model) = problem.to_skeleton(&mut Warnings::new()) {
        assert!(model.skeleton.check(&model.start).is_ok(), "a valid start");
    }
}

/// A figure, likewise.
pub(crate) fn figure(bytes: &[u8]) {
    let Ok(text) = core::str::from_utf8(bytes) else { return };
    let Ok(problem) = FigureProblem::from_json_with(text, &limits()) else { return };
    let written = problem.to_json().expect("what was read can be written");
    assert_eq!(FigureProblem::from_json(&written).expect("and read again"), problem, "as it was");
    let _ = problem.to_model(None, &mut Warnings::new());
}

/// A solution: what is read is written and read again as it was.
pub(crate) fn solution(bytes: &[u8]) {
    let Ok(text) = core::str::from_utf8(bytes) else { return };
    let Ok(file) = SolutionFile::from_json_with(text, &limits()) else { return };
    let written = file.to_json().expect("what was read can be written");
    assert_eq!(SolutionFile::from_json(&written).expect("and read again"), file, "as it was");
}

/// The whole way: a file is read, cleaned, written, read and cleaned again. The first bytes choose how, and what else is held.
pub(crate) fn pipeline(bytes: &[u8]) {
    let Some((&[how, joint, kind, start], file)) = bytes.split_first_chunk() else { return };
    let Some(file) = open(file, &MotionOptions::default().lenient().filling_gaps()) else { return };
    let settings = CleanSettings {
        floor: [FloorChoice::Fit, FloorChoice::Level, FloorChoice::PerPlant][usize::from(how % 3)],
        in_place: how & 16 != 0,
        path: how & 32 == 0,
        keep_ends: how & 128 != 0,
        ..CleanSettings::default()
    };
    for index in 0..file.n_clips().min(2) {
        let Ok(clip) = file.clip(index) else { continue };
        let own = contact(clip, joint, kind, start);
        let keep = file.keeper();
        let keep = keep.as_ref();
        let legs = file.legs_of(clip).legs.iter().map(|leg| leg.limb).collect();
        let by_hand = HoldSettings { legs, by_hand: how & 64 != 0, ..HoldSettings::default() };
        if let Ok(held) = hold_within(clip, &[own], &by_hand, keep) {
            assert_eq!(held.clip.n_frames(), clip.n_frames(), "as many frames");
        }
        let Ok(cleaned) = clean_within(clip, &settings, keep) else { continue };
        assert!(cleaned.clip.skeleton() == clip.skeleton(), "the same figure");
        assert_eq!(cleaned.clip.n_frames(), clip.n_frames(), "as many frames");
        let Ok(written) = file.write(index, &cleaned.clip, "new") else { continue };
        assert!(written.loss.angle < KEPT, "what channels cut is cut before: {:?}", written.loss);
        let mut resolve = |path: &str| {
            let new = written.beside.iter().find(|file| file.path == path);
            new.map_or_else(|| beside(path), |file| Ok(file.bytes.clone()))
        };
        let options = MotionOptions::default();
        let wide = Limits::default();
        let warnings = &mut Warnings::new();
        let again = MotionFile::from_bytes(&written.file, &mut resolve, &options, &wide, warnings)
            .expect("what was written is read again");
        let clip = again.clip(index).expect("with its motion");
        assert_eq!(clip.n_frames(), cleaned.clip.n_frames(), "as many frames");
        let _ = clean(clip, &settings);
    }
}

/// What is kept of a pose may be given by other angles that are as near \[rad\].
const KEPT: f64 = 1e-5;

/// A contact somewhere in a clip.
fn contact(clip: &Clip, joint: u8, kind: u8, start: u8) -> Contact {
    let joint = usize::from(joint) % clip.skeleton().n_joints();
    let from = clip.start() + clip.duration() * f64::from(start) / 255.0;
    let hold = match kind % 4 {
        0 => Hold::Position(None),
        1 => Hold::Pose(None),
        2 => Hold::Position(Some(DVec3::new(f64::from(kind), 0.0, 1.0))),
        _ => Hold::Surface { point: DVec3::ZERO, normal: DVec3::Y },
    };
    let to = from + 0.25 * clip.duration();
    let on = match kind / 4 % 8 {
        0 => Support::Joint(usize::from(start) % clip.skeleton().n_joints()),
        1 => {
            let pose = |x: f64| Pose::from_translation(DVec3::X * x);
            let path = Trajectory::try_new(vec![from, to + 1.0], vec![pose(0.0), pose(to)]);
            path.map_or(Support::World, |path| Support::Moving(path.into()))
        }
        _ => Support::World,
    };
    Contact { frame: clip.skeleton().frame(joint), from, to, hold, on, ease_in: 0.1, ease_out: 0.0 }
}

/// A skeleton with the joints that a file names.
fn skeleton_of(file: &ContactsFile) -> Option<Skeleton> {
    let mut names: Vec<&String> = file.contacts.iter().map(|entry| &entry.joint).collect();
    names.sort();
    names.dedup();
    Skeleton::try_new(names.into_iter().map(Joint::free).collect()).ok()
}

/// Moves what can move, writes it, and reads it again.
fn edit(file: &MotionFile, index: usize) {
    let Ok(clip) = file.clip(index) else { return };
    let mut values = clip.values().to_vec();
    let skeleton = clip.skeleton();
    for (frame, q) in values.chunks_exact_mut(skeleton.n_values().max(1)).enumerate() {
        for joint in (0..skeleton.n_joints()).filter(|joint| (joint + frame) % 3 != 1) {
            let range = skeleton.value_range(joint);
            match skeleton.kind(joint) {
                JointKind::Ball => q[range].rotate_left(1),
                JointKind::Free => q[range][..3].rotate_left(1),
                _ => q[range].iter_mut().for_each(|value| *value = 0.5 - *value),
            }
        }
    }
    let edited = clip.with_values(values).expect("a clip like the one before");
    // Numbers may leave single precision, and nodes under a scale of zero cannot be moved.
    let Ok(written) = file.write(index, &edited, "new") else { return };
    let mut resolve = |path: &str| {
        let new = written.beside.iter().find(|file| file.path == path);
        new.map_or_else(|| beside(path), |file| Ok(file.bytes.clone()))
    };
    let options = MotionOptions::default();
    let wide = Limits::default();
    let again =
        MotionFile::from_bytes(&written.file, &mut resolve, &options, &wide, &mut Warnings::new());
    let again = again.expect("what was written is read again");
    let n_joints = again.clip(index).map(|clip| clip.skeleton().n_joints());
    assert_eq!(n_joints, Ok(skeleton.n_joints()), "with its joints");
}

/// Any clip as a file of either form, where it fits.
fn convert(clip: &Clip) {
    let options = MotionOptions::default().with_up(DVec3::Y);
    let read = |bytes: &[u8]| {
        let wide = Limits::default();
        MotionFile::from_bytes(bytes, &mut beside, &options, &wide, &mut Warnings::new())
            .expect("what was written is read again")
    };
    if let Ok(bvh) = to_bvh(clip) {
        let file = read(&bvh.to_bytes());
        let frames = file.clip(0).map(|clip| clip.n_frames());
        assert!(frames.is_ok_and(|n| n == clip.n_frames()), "as many frames");
    }
    if let Ok(glb) = to_glb(clip, "motion") {
        let file = read(&glb);
        assert!(
            file.rest().is_ok_and(|rest| rest.skeleton().n_joints() == clip.skeleton().n_joints()),
            "as many joints"
        );
        let thinned = to_glb_within(clip, "motion", 0.01).expect("as many keys as fit");
        assert!(thinned.kept <= thinned.of && read(&thinned.file).rest().is_ok(), "fewer keys");
    }
}
