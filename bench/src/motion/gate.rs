//! How many times faster than it plays a clip is read, cleaned and written.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

use anyhow::{Context, Result};
use posekit::glam::DVec3;
use posekit_io::motion::{MotionFile, MotionOptions};
use posekit_io::{Limits, Warnings};
use posekit_motion::{CleanSettings, Clip, carrier, clean, find_legs};

use crate::report::markdown;

/// Rounds of which the best counts: others wait for what else the machine does.
const ROUNDS: usize = 40;

/// Frames of the clips that show how the time for cleaning grows with them.
const LONG: [usize; 3] = [25_000, 100_000, 200_000];

/// Rounds for each of these.
const LONG_ROUNDS: usize = 5;

/// Where the part of `MOTION.md` about this begins.
pub const HEADING: &str = "## Times real time";

/// Bytes that are allocated, and the most that were since they were last asked for.
pub trait Memory {
    /// The most that was allocated at once since the last call, less what was then \[bytes\].
    fn peak(&self) -> usize;
}

/// One clip.
struct Row {
    name: String,
    joints: usize,
    frames: usize,
    frame_time: f64,
    /// Reading, cleaning, writing, and all of a round \[s\]; the best of each.
    best: [f64; 4],
    /// The most memory at once, for each byte of the clip.
    memory: f64,
}

/// The part of `MOTION.md` about this: a table with a row for each file, and one about the last of them going on.
///
/// # Errors
/// What reading or cleaning says.
pub fn section(files: &[&Path], memory: &dyn Memory) -> Result<String> {
    let head =
        ["clip", "joints", "frames", "read", "clean", "write", "all", "times real time", "memory"];
    let mut cells = vec![head.map(str::to_owned).to_vec()];
    for file in files {
        let row = measured(file, memory).with_context(|| file.display().to_string())?;
        let of_frame = |seconds: f64| format!("{:.2} us", seconds / row.frames as f64 * 1e6);
        let speed = row.frames as f64 * row.frame_time / row.best[3];
        cells.push(vec![
            row.name.clone(),
            row.joints.to_string(),
            row.frames.to_string(),
            of_frame(row.best[0]),
            of_frame(row.best[1]),
            of_frame(row.best[2]),
            of_frame(row.best[3]),
            format!("{speed:.0}"),
            format!("{:.1}", row.memory),
        ]);
    }
    Ok(format!(
        "{HEADING}\n\nCaptures at their own 120 Hz, opened from their file, cleaned, and written into memory; times are those of one core for a frame, the best of {ROUNDS} rounds. \
         **Memory** is the peak allocation, relative to the numbers of the clip: 8 bytes for each value of each frame.\n\n{}\n{}",
        markdown(&cells),
        files.last().map_or(Ok(String::new()), |file| long(file, memory))?
    ))
}

/// How the time for cleaning grows with the length of a clip.
fn long(file: &Path, memory: &dyn Memory) -> Result<String> {
    let opened = opened(file)?;
    let mut cells = vec![
        ["frames", "minutes", "clean", "times real time", "memory"].map(str::to_owned).to_vec(),
    ];
    for n_frames in LONG {
        let clip = going_on(opened.clip(0)?, n_frames)?;
        let (mut best, mut most) = (f64::INFINITY, 0.0);
        for _ in 0..LONG_ROUNDS {
            memory.peak();
            let begun = seconds();
            let cleaned = clean(&clip, &CleanSettings::default())?;
            best = (seconds() - begun).min(best);
            most = memory.peak() as f64 / (8 * clip.values().len()) as f64;
            drop(cleaned);
        }
        cells.push(vec![
            n_frames.to_string(),
            format!("{:.1}", clip.duration() / 60.0),
            format!("{:.2} us", best / n_frames as f64 * 1e6),
            format!("{:.0}", n_frames as f64 * clip.frame_time() / best),
            format!("{most:.1}"),
        ]);
    }
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    Ok(format!(
        "{name} repeated, each time from where it ended: only the cleaning, the best of {LONG_ROUNDS} rounds; memory is what cleaning needs besides the clip.\n\n{}",
        markdown(&cells)
    ))
}

/// A walk of so many frames: copies of a clip, each from where the one before ended.
fn going_on(clip: &Clip, n_frames: usize) -> Result<Clip> {
    let root = carrier(clip, &find_legs(clip).legs).context("nothing carries the legs")?;
    let place = clip.skeleton().value_range(root).start;
    let root_at = |frame: usize| DVec3::from_slice(&clip.frame(frame)[place..]);
    let way = root_at(clip.n_frames() - 1) - root_at(0);
    let way = way - clip.up() * way.dot(clip.up());
    let mut values = Vec::with_capacity(n_frames * clip.skeleton().n_values());
    for frame in 0..n_frames {
        let (copy, at) = (frame / clip.n_frames(), frame % clip.n_frames());
        let start = values.len() + place;
        values.extend_from_slice(clip.frame(at));
        (root_at(at) + way * copy as f64).write_to_slice(&mut values[start..start + 3]);
    }
    Ok(clip.with_values(values)?)
}

fn opened(file: &Path) -> Result<MotionFile> {
    let (options, limits) = (MotionOptions::default(), Limits::default());
    Ok(MotionFile::open(file, &options, &limits, &mut Warnings::new())?)
}

/// For how long this thread has been on a core, or where the system does not say so, how late it is \[s\].
fn seconds() -> f64 {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    // The system counts when it changes from one thread to another; so it does here.
    std::thread::yield_now();
    let on_core = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = on_core.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    let begun = BEGUN.get_or_init(Instant::now);
    nanoseconds.map_or_else(|| begun.elapsed().as_secs_f64(), |nanoseconds| nanoseconds * 1e-9)
}

fn measured(file: &Path, memory: &dyn Memory) -> Result<Row> {
    let mut row = Row {
        name: file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        joints: 0,
        frames: 0,
        frame_time: 0.0,
        best: [f64::INFINITY; 4],
        memory: 0.0,
    };
    for _ in 0..ROUNDS {
        memory.peak();
        let begun = seconds();
        let opened = opened(file)?;
        let clip = opened.clip(0)?;
        let read = seconds();
        let cleaned = clean(clip, &CleanSettings::default())?;
        let done = seconds();
        let written = opened.write(0, &cleaned.clip, "")?;
        let end = seconds();
        let times = [read - begun, done - read, end - done, end - begun];
        row.best.iter_mut().zip(times).for_each(|(best, time)| *best = best.min(time));
        (row.joints, row.frames) = (clip.skeleton().n_joints(), clip.n_frames());
        row.frame_time = clip.frame_time();
        row.memory = memory.peak() as f64 / (8 * clip.values().len()) as f64;
        drop(written);
    }
    Ok(row)
}
