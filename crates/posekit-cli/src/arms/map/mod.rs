//! `posekit map`: where an arm can hold its tool.
//!
//! The work is divided into parts of consecutive voxels. The map alone determines the division. Finished parts are files, so a stopped run continues where
//! it ended; a shard does every n-th part. The map is the same, byte for byte, however the parts are distributed.

mod cloud;
mod parts;
mod reach_map;
mod slices;

use std::path::{Path, PathBuf};

use posekit::arm::ArmSettings;
use posekit::arm::map::{Reachability, Voxels, orientations};
use posekit::glam::{DQuat, DVec3};

use super::tool::Tool;
use crate::arm_args::{MapArgs, Shard};
use crate::content::Digest;
use crate::draw::{length_words, significant};
use crate::failure::{Failure, Result};
use crate::output::{is_dash, note, print, report, write_bytes, write_file};
use crate::parallel;
use crate::stop::Stop;
use parts::{Done, Part};
use reach_map::{About, ReachMap, SCHEMA};

/// Measures the map, or merges one, and writes it.
pub(crate) fn map(args: &MapArgs) -> Result<()> {
    let is_parquet = is_parquet(&args.output)?;
    check_extension("--picture", args.picture.as_ref(), "svg")?;
    check_extension("--cloud", args.cloud.as_ref(), "glb")?;
    let map = match &args.robot {
        Some(robot) => measure(args, robot, is_parquet)?,
        None => ReachMap::merge(&args.merge)?,
    };
    // Errors of the pictures are found before anything is written.
    let cloud = args.cloud.as_ref().map(|_| cloud::glb(&map)).transpose()?;
    map.write(&args.output, is_parquet)?;
    if let Some(path) = &args.picture {
        write_file(path, &slices::svg(&map))?;
    }
    if let (Some(path), Some(bytes)) = (&args.cloud, cloud) {
        write_bytes(path, &bytes)?;
    }
    if args.robot.is_some() {
        Done::remove(&args.output);
    }
    if args.report.json {
        return print(&map.json(&args.output)?);
    }
    report(&format!("{}: {}\n", map.words(), args.output.display()))
}

fn is_parquet(output: &Path) -> Result<bool> {
    match extension(output).as_str() {
        "parquet" => Ok(true),
        "csv" => Ok(false),
        _ if is_dash(output) => Ok(false),
        _ => Err(Failure::usage(format!(
            "a map is written as Parquet or CSV; the name of the output must end in .parquet or .csv: {}",
            output.display()
        ))),
    }
}

/// Refuses a picture whose name says that it is of another format: one is easily given to the wrong option.
fn check_extension(option: &str, path: Option<&PathBuf>, expected: &str) -> Result<()> {
    match path {
        Some(path) if extension(path) != expected => Err(Failure::usage(format!(
            "the name of the file of {option} must end in .{expected}: {}",
            path.display()
        ))),
        _ => Ok(()),
    }
}

fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// Measures the parts that are not finished.
fn measure(args: &MapArgs, robot: &Path, is_parquet: bool) -> Result<ReachMap> {
    let shard = args.shard.unwrap_or(Shard::WHOLE);
    if !is_parquet && args.shard.is_some() {
        return Err(Failure::usage("a shard is written as Parquet; only --merge can write CSV"));
    }
    let [tip, base] = [&args.tip, &args.base].map(Option::as_deref);
    let tool = Tool::of(robot, tip, base, args.start.as_deref())?;
    let about = about(args, &tool, shard)?;
    let voxels = about.voxels()?;
    let centers: Vec<DVec3> = voxels.centers().collect();
    let own = Part::all(centers.len()).filter(|part| part.is_in(shard));
    let own: Vec<Part> = own.collect();
    let done = Done::open(&args.output, &about.key, args.resume)?;
    let missing: Vec<Part> = own.iter().copied().filter(|part| !done.has(*part)).collect();
    let (settings, turns) = (settings(args), orientations(args.orientations));
    let turns: Vec<DQuat> =
        turns.iter().map(|turn| tool.world_from_base.rotation * *turn).collect();
    let work = |part: &Part| {
        let point = |center: &DVec3| tool.world_from_base.transform_point(*center);
        let points = centers[part.range()].iter().map(point);
        let measured = points.map(|p| tool.arm.reachability(p, &turns, &tool.start, &settings));
        let measured = measured.collect::<posekit::Result<Vec<Reachability>>>()?;
        done.write(*part, &measured)
    };
    let threads = args.threads.map_or_else(parallel::cores, usize::from);
    let stop = Stop::listen();
    let results = parallel::run(&missing, threads, &stop, |_| "parts of the map".to_owned(), work);
    let n_stopped = results.iter().filter(|result| result.is_none()).count();
    for result in results.into_iter().flatten() {
        result.map_err(Failure::output)??;
    }
    if n_stopped > 0 {
        let (n, all) = (own.len() - n_stopped, own.len());
        note(&format!("stopped after {n} of {all} parts; continue with --resume"));
        return Err(Failure::stopped());
    }
    let cells = own.iter().map(|part| done.read(*part)).collect::<Result<Vec<_>>>()?;
    Ok(ReachMap::new(about, own.into_iter().zip(cells).collect()))
}

fn settings(args: &MapArgs) -> ArmSettings {
    let mut settings = ArmSettings::default();
    settings.starts = args.starts;
    settings
}

/// The description of the map.
fn about(args: &MapArgs, tool: &Tool, shard: Shard) -> Result<About> {
    let reach = tool.finite_reach()?;
    let center = tool.world_from_base.inverse() * tool.arm.base();
    let base = args.base.clone().unwrap_or_else(|| tool.file.robot.root_link().name.clone());
    let mut about = About {
        schema: SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        key: String::new(),
        robot: tool.file.robot.name().to_owned(),
        tip: tool.tip.clone(),
        base,
        voxel: args.voxel,
        orientations: args.orientations,
        starts: args.starts,
        center: center.translation.to_array(),
        reach,
        shard: [shard.number, shard.of],
    };
    // The text contains the joints, the rest are the options.
    let numbers = tool.start.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let options = serde_json::to_string(&About { shard: [1, 1], ..about.clone() });
    let options = options.map_err(Failure::output)?;
    let key = [tool.file.text.as_bytes(), options.as_bytes(), &numbers];
    about.key = key.iter().fold(Digest::new(), |sum, piece| sum.with(piece)).text();
    about.voxels()?;
    Ok(about)
}

impl About {
    /// The voxels, in the frame of the base.
    pub(super) fn voxels(&self) -> Result<Voxels> {
        /// Along an axis: a bound that keeps the map in memory.
        const MOST: f64 = 256.0;
        let Self { voxel, reach, .. } = *self;
        if 2.0 * reach > MOST * voxel {
            let (reach, least) = (length_words(reach, "m"), significant(2.001 * reach / MOST, 3));
            return Err(Failure::usage(format!(
                "--voxel {voxel} is too small for a reach of {reach}: at most {MOST} voxels are allowed along an axis; \
                 give {least} or more"
            )));
        }
        let voxels = Voxels::around(DVec3::from_array(self.center), reach, voxel);
        voxels.map_err(|error| Failure::usage(format!("--voxel {voxel}: {error}")))
    }
}
