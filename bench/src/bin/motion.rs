//! Cleans clips with faults of known size, with posekit and in the ways of others, and writes `MOTION.md`; with `speed`, only its part about times real time; with `faults`,
//! prints what comes of every fault of its tests, and with `hold` what comes of random contacts, and writes nothing.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use posekit::math::Pose;
use posekit::skeleton::Frame;
use posekit_bench::motion::gate::{self, Memory};
use posekit_bench::motion::holds;
use posekit_bench::motion::measure::{
    Figures, ROLL, figures, joint_of, largest, mean, median, standing,
};
use posekit_bench::motion::peers::{Stand, averaged, naive_pin};
use posekit_bench::report::{circumstances, markdown};
use posekit_motion::{
    CleanSettings, Clip, Contact, Hold, Leg, Plant, Support, clean, find_legs, find_plants,
};

#[path = "../../../crates/posekit-io/tests/support/clips.rs"]
mod clips;
#[path = "../../../crates/posekit-io/tests/support/skate.rs"]
mod skate;

/// Where the shared assets are, for the support of the tests.
mod common {
    use std::path::PathBuf;

    pub(crate) fn assets() -> Option<PathBuf> {
        std::env::var_os("POSEKIT_ASSETS").map(PathBuf::from).filter(|path| path.is_dir())
    }
}

use skate::Injury;

/// The command's allocator, with how much is allocated, and the most that was.
struct Counting {
    now: AtomicUsize,
    most: AtomicUsize,
}

// SAFETY: every call is handed to that allocator unchanged; counting touches no memory that it manages.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = self.now.fetch_add(layout.size(), Relaxed) + layout.size();
        self.most.fetch_max(now, Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let now = self.now.fetch_add(layout.size(), Relaxed) + layout.size();
        self.most.fetch_max(now, Relaxed);
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let now = self.now.fetch_add(size, Relaxed) + size;
        self.most.fetch_max(now, Relaxed);
        self.now.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        self.now.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(old, layout) }
    }
}

impl Memory for Counting {
    fn peak(&self) -> usize {
        /// What was allocated at the last call.
        static BEFORE: AtomicUsize = AtomicUsize::new(0);
        let now = self.now.load(Relaxed);
        let most = self.most.swap(now, Relaxed);
        most.saturating_sub(BEFORE.swap(now, Relaxed))
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting { now: AtomicUsize::new(0), most: AtomicUsize::new(0) };

/// The captures of 31 joints at 120 Hz, a long one and a short one.
const CAPTURES: [&str; 2] = ["bvh/cmu_01_01_cgspeed.bvh", "bvh/cmu_12_01_walk_cgspeed.bvh"];

/// The rate at which the averaging cleaner was measured by its users \[Hz\].
const RATE: f64 = 30.0;

const NAMES: [&str; 5] =
    ["as it was", "naive pin", "averaged targets", "posekit, given plants", "posekit"];

const INJURIES: [Injury; 9] = [
    Injury::None,
    Injury::RootScale(0.8),
    Injury::RootScale(1.2),
    Injury::RootScale(1.5),
    Injury::Legs(0.8),
    Injury::Legs(1.25),
    Injury::Drift(5.0),
    Injury::Noise(2.0),
    Injury::Tilt(2.0),
];

/// A sound clip, its legs, and when it stands.
struct Sound {
    name: String,
    clip: Clip,
    legs: Vec<Leg>,
    plants: Vec<Plant>,
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next();
    match what.as_deref() {
        Some("speed") => return write_speed(),
        Some("faults") => return faults(arguments.next().as_deref()),
        _ => {}
    }
    let set: Vec<Sound> = clips::sound().into_iter().filter_map(sound).collect();
    if set.is_empty() {
        bail!("POSEKIT_ASSETS names no folder with clips");
    }
    let random_contacts = || holds::section(set.iter().map(|sound| &sound.clip));
    if what.as_deref() == Some("hold") {
        println!("{}", random_contacts()?);
        return Ok(());
    }
    let mut text = head(&set);
    let (mut worst, mut knees, mut jerks) = (Vec::new(), Vec::new(), Vec::new());
    for injury in INJURIES {
        let mut totals: [Figures; 5] = Default::default();
        for sound in &set {
            let injured = skate::injure(&sound.clip, &sound.legs, injury);
            let race = race(sound, &injured)?;
            let of = format!("{}, {injury}", sound.name);
            worst.push((largest(&race[4].drifts), of.clone()));
            knees.push((worst_ratio(&race[4].knee_pops, &race[0].knee_pops), of.clone()));
            jerks.push((worst_ratio(&race[4].jerks, &race[0].jerks), of));
            totals.iter_mut().zip(race).for_each(|(total, figures)| total.add(figures));
        }
        let table = table(&totals);
        println!("{injury}\n{table}");
        let _ = write!(text, "\n## {injury}\n\n{table}");
    }
    text.push_str("\n## The worst results of posekit\n\nDrift of a plant:\n\n");
    text.push_str(&list(worst, " mm"));
    text.push_str("\nKnee, relative to the clip before:\n\n");
    text.push_str(&list(knees, ""));
    text.push_str("\nJerk, relative to the clip before:\n\n");
    text.push_str(&list(jerks, ""));
    text.push('\n');
    text.push_str(&random_contacts()?);
    text.push('\n');
    text.push_str(&speed()?);
    let path = path();
    std::fs::write(&path, text).with_context(|| path.display().to_string())
}

/// What comes of every fault, or those whose names contain a word, before and after.
fn faults(word: Option<&str>) -> Result<()> {
    let head = [
        "fault",
        "clip",
        "drift",
        "worst",
        "seen",
        "knee",
        "worst",
        "jerk",
        "worst",
        "change",
        "error",
        "root error",
        "root moved",
        "us/frame",
        "x real time",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let sound = clips::sound();
    for injury in skate::all() {
        if word.is_some_and(|word| !injury.to_string().contains(word)) {
            continue;
        }
        let mut totals: [Figures; 2] = Default::default();
        let mut seconds = 0.0;
        for (name, native) in &sound {
            let clip = native.resampled(1.0 / RATE)?;
            let legs = find_legs(&clip).legs;
            // Where a fault changes frames, rate, side or unit, what comes of it is the sound clip.
            let is_other = matches!(
                injury,
                Injury::Rate(_) | Injury::Mirrored | Injury::UpZ | Injury::Unit(_)
            );
            let of = if matches!(injury, Injury::Rate(_)) { native } else { &clip };
            let injured = skate::injure(of, &legs, injury);
            let truth = if is_other { injured.clone() } else { clip };
            let Some(truth) = standing_in(name.clone(), truth) else { continue };
            seconds += injured.duration();
            let settings = CleanSettings {
                legs: Some(truth.legs.clone()),
                in_place: injury == Injury::InPlace,
                ..CleanSettings::default()
            };
            let of = |is_cleaned: bool| -> Result<Figures> {
                let begun = Instant::now();
                let cleaned = is_cleaned.then(|| clean(&injured, &settings));
                let taken = begun.elapsed().as_secs_f64();
                let clip = match cleaned.transpose()? {
                    Some(cleaned) => cleaned.as_judged(&cleaned.clip).into_owned(),
                    None => injured.clone(),
                };
                let found = figures(&clip, &injured, &truth.clip, &truth.legs, &truth.plants);
                Ok(Figures { seconds: taken, ..found })
            };
            let both = [of(false)?, of(true)?];
            if word.is_some() {
                for (figures, what) in both.iter().zip(["before", "after"]) {
                    println!(
                        "{name:28} {what:6} drift {:6.2} {:6.1} knee {:5.2} jerk {:5.2} change {:5.2} mm error {:6.2} root {:6.1} moved {:6.1} us {:.1}",
                        median(&figures.drifts),
                        largest(&figures.drifts),
                        worst_ratio(&figures.knee_pops, &both[0].knee_pops),
                        worst_ratio(&figures.jerks, &both[0].jerks),
                        10.0 * mean(&figures.changes),
                        10.0 * mean(&figures.errors),
                        mean(&figures.root_errors),
                        largest(&figures.root_shifts),
                        figures.seconds / figures.frames as f64 * 1e6,
                    );
                }
            }
            totals.iter_mut().zip(both).for_each(|(total, figures)| total.add(figures));
        }
        let [before, ..] = &totals;
        // Of sums: a clip that stands still would make a ratio to next to nothing.
        let sum = |values: &[f64]| values.iter().sum::<f64>();
        let ratios = |after: &[f64], before: &[f64]| -> Vec<f64> {
            after.iter().zip(before).map(|(after, before)| after / before).collect()
        };
        for (figures, what) in totals.iter().zip(["before", "after"]) {
            let knees = ratios(&figures.knee_pops, &before.knee_pops);
            let jerks = ratios(&figures.jerks, &before.jerks);
            rows.push(vec![
                injury.to_string(),
                what.to_owned(),
                format!("{:.2} mm", median(&figures.drifts)),
                format!("{:.1} mm", largest(&figures.drifts)),
                format!("{:.1} %", 100.0 * figures.seen()),
                format!("{:.2}", sum(&figures.knee_pops) / sum(&before.knee_pops)),
                format!("{:.2}", largest(&knees)),
                format!("{:.2}", sum(&figures.jerks) / sum(&before.jerks)),
                format!("{:.2}", largest(&jerks)),
                format!("{:.2} mm", 10.0 * mean(&figures.changes)),
                format!("{:.2} mm", 10.0 * mean(&figures.errors)),
                format!("{:.1} mm", mean(&figures.root_errors)),
                format!("{:.0} mm", largest(&figures.root_shifts)),
                format!("{:.1}", figures.seconds / figures.frames.max(1) as f64 * 1e6),
                format!("{:.0}", seconds / figures.seconds),
            ]);
        }
    }
    println!("{}", markdown(&rows));
    Ok(())
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("MOTION.md")
}

/// The part about times real time.
fn speed() -> Result<String> {
    let assets = common::assets().context("POSEKIT_ASSETS names no folder")?;
    let files = CAPTURES.map(|name| assets.join(name));
    let section = gate::section(&files.each_ref().map(PathBuf::as_path), &ALLOCATOR)?;
    println!("{section}");
    Ok(format!("{section}\n{}", circumstances()))
}

/// Writes that part anew, and leaves all else.
fn write_speed() -> Result<()> {
    let path = path();
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let rest = text.split(gate::HEADING).next().unwrap_or_default().trim_end();
    let text = format!("{rest}\n\n{}", speed()?);
    std::fs::write(&path, text).with_context(|| path.display().to_string())
}

/// The largest few of some values, each with what it is of.
fn list(mut values: Vec<(f64, String)>, unit: &str) -> String {
    values.sort_by(|a, b| b.0.total_cmp(&a.0));
    let line = |(value, of): &(f64, String)| format!("- {value:.2}{unit}: {of}\n");
    values.iter().take(8).map(line).collect()
}

fn sound((name, clip): (String, Clip)) -> Option<Sound> {
    standing_in(name, clip.resampled(1.0 / RATE).ok()?)
}

/// A sound clip and when its feet stand; `None` where they never do.
fn standing_in(name: String, clip: Clip) -> Option<Sound> {
    let legs = find_legs(&clip).legs;
    let found = find_plants(&clip, &legs, &CleanSettings::default());
    let plants = standing(&clip, &legs, found);
    (!plants.is_empty()).then_some(Sound { name, clip, legs, plants })
}

/// One clip in all ways.
fn race(sound: &Sound, injured: &Clip) -> Result<[Figures; 5]> {
    let legs = &sound.legs;
    let stand = |plant: &Plant| {
        let leg = &legs[plant.leg];
        Stand { limb: leg.limb, joint: joint_of(leg, plant.part), frames: plant.frames.clone() }
    };
    let stands: Vec<Stand> = sound.plants.iter().map(stand).collect();
    let lengths = legs.iter().map(|leg| leg.limb.length(injured.skeleton()));
    let leg = lengths.sum::<f64>() / legs.len() as f64;
    let timed = |clean: &dyn Fn() -> posekit_motion::Result<Clip>| -> Result<Figures> {
        let begun = Instant::now();
        let cleaned = clean()?;
        let seconds = begun.elapsed().as_secs_f64();
        let found = figures(&cleaned, injured, &sound.clip, legs, &sound.plants);
        Ok(Figures { seconds, ..found })
    };
    let settings = CleanSettings { legs: Some(legs.clone()), ..CleanSettings::default() };
    let contact = |stand: &Stand| Contact {
        frame: Frame::new(stand.joint, Pose::IDENTITY),
        from: injured.time(stand.frames.start),
        to: injured.time(stand.frames.end - 1),
        hold: Hold::Position(None),
        on: Support::World,
        ease_in: settings.ease,
        ease_out: settings.ease,
    };
    let contacts = Some(stands.iter().map(contact).collect());
    let reported = CleanSettings { contacts, ..settings.clone() };
    Ok([
        timed(&|| Ok(injured.clone()))?,
        timed(&|| naive_pin(injured, &stands))?,
        timed(&|| averaged(injured, &stands, leg))?,
        timed(&|| clean(injured, &reported).map(|cleaned| cleaned.clip))?,
        timed(&|| clean(injured, &settings).map(|cleaned| cleaned.clip))?,
    ])
}

fn head(set: &[Sound]) -> String {
    let frames: usize = set.iter().map(|sound| sound.clip.n_frames()).sum();
    let plants: usize = set.iter().map(|sound| sound.plants.len()).sum();
    format!(
        "# Foot-slide removal\n\n\
         Written by `cargo xtask bench motion`; every run rewrites it.\n\n{}\
         - {} sound clips at {RATE} Hz, {frames} frames, {plants} plants; each fault is added to all of them\n\n\
         Plants are those of the sound clip, without the ends in which its own foot rolls by more than {ROLL} mm; the other two methods are given these plants, posekit finds its own, and is also measured with the given plants. **Drift** is the largest distance of a planted joint from its median along the \
         floor, for legs scaled to 0.85 m; people notice 21 mm. **Slide** is its displacement from frame to frame. **Knee** is the largest second difference of a \
         knee's angle relative to that of the clip before cleaning, for the worst clip; **jerk** the same for the mean third derivative of the trajectories of hips, knees and feet. **Change** is the mean distance of joints from the clip before cleaning, with roots aligned; **error** that from the sound \
         clip, **root error** the mean distance of the root from that of the sound clip, with the means of both aligned. *Naive pin* holds each foot where it first stands, without blending; *averaged targets* is the published cleaner, implemented from its description: runs averaged, \
         faded over five frames, followed by ten damped Jacobian steps of the whole figure.\n",
        circumstances(),
        set.len(),
    )
}

fn table(totals: &[Figures; 5]) -> String {
    let head = [
        "cleaner",
        "drift, median",
        "worst",
        "seen",
        "slide",
        "knee",
        "jerk",
        "change",
        "error",
        "root error",
        "a frame",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for (name, figures) in NAMES.iter().zip(totals) {
        let time = figures.seconds / figures.frames.max(1) as f64;
        rows.push(vec![
            (*name).to_owned(),
            format!("{:.2} mm", median(&figures.drifts)),
            format!("{:.1} mm", largest(&figures.drifts)),
            format!("{:.0} %", 100.0 * figures.seen()),
            format!("{:.2} mm", mean(&figures.slides)),
            format!("{:.2}", worst_ratio(&figures.knee_pops, &totals[0].knee_pops)),
            format!("{:.2}", worst_ratio(&figures.jerks, &totals[0].jerks)),
            format!("{:.2} cm", mean(&figures.changes)),
            format!("{:.2} cm", mean(&figures.errors)),
            format!("{:.1} mm", mean(&figures.root_errors)),
            if *name == NAMES[0] { "-".to_owned() } else { format!("{:.1} us", time * 1e6) },
        ]);
    }
    markdown(&rows)
}

fn worst_ratio(after: &[f64], before: &[f64]) -> f64 {
    largest(&after.iter().zip(before).map(|(after, before)| after / before).collect::<Vec<_>>())
}
