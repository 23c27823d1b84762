//! `posekit track`: a path of poses in, joint values at times out.

use std::path::Path;

use posekit::arm::{Arm, ArmSettings, Track, TrackEnd, TrackSample, TrackStatus};
use posekit::glam::DQuat;
use posekit::math::Pose;

use super::rows::{Joints, add_joints};
use super::sheet::{Column, Kind, ParquetWriter, Value, csv_head, csv_line};
use super::targets::{Target, Targets};
use super::tool::Tool;
use crate::arm_args::TrackArgs;
use crate::draw::significant;
use crate::failure::{Failure, Result};
use crate::output::{Console, Pending, Stream, count, json, json_line, note, print, report};

/// Poses per second of a path without times.
const RATE: f64 = 500.0;

/// Follows the path, writes the joint values and reports how the track ended.
pub(crate) fn track(args: &TrackArgs) -> Result<()> {
    let tool = Tool::open(&args.tool)?;
    let name = args.path.display();
    let targets = read(&args.path)?;
    let times = times(&targets, args.rate).map_err(|error| Failure::in_file(error, &name))?;
    let mut settings = ArmSettings::default();
    settings.tolerance = args.tolerance;
    let n_turned = targets.iter().filter(|target| target.orientation.is_some()).count();
    if n_turned == 0 {
        settings.bounds[3..].fill(f64::INFINITY);
    } else if n_turned < targets.len() {
        return Err(Failure::in_file("some poses have an orientation and some do not", &name));
    }
    let pose = |target: &Target| {
        let rotation = target.orientation.unwrap_or(DQuat::IDENTITY);
        tool.world_from_base * Pose::new(rotation, target.position)
    };
    let poses: Vec<Pose> = targets.iter().map(pose).collect();
    let arm = with_limits(&tool, args)?;
    let track = match args.from_any {
        true => arm.track_from_any(&times, &poses, &tool.start, &settings)?,
        false => arm.track(&times, &poses, &tool.start, &settings)?,
    };
    write(&tool, &track, args.output.as_deref())?;
    let is_timed = args.rate.is_some() || targets[0].time.is_some();
    tell(&tool, &track, (&times, is_timed), args)
}

/// All poses of a file; a single bad one is an error.
fn read(path: &Path) -> Result<Vec<Target>> {
    let mut source = Targets::open(path)?;
    let mut targets = Vec::new();
    loop {
        let rows = source.next_rows(usize::MAX)?;
        if rows.is_empty() {
            break;
        }
        for row in rows {
            targets.push(row.target.map_err(|error| Failure::in_file(error, path.display()))?);
        }
    }
    if targets.is_empty() {
        return Err(Failure::in_file("there are no poses in the file", path.display()));
    }
    Ok(targets)
}

/// The times of the poses \[s\].
fn times(targets: &[Target], rate: Option<f64>) -> core::result::Result<Vec<f64>, String> {
    let times: Vec<f64> = targets.iter().filter_map(|target| target.time).collect();
    match (times.len(), rate) {
        (0, _) => {
            let rate = rate.unwrap_or(RATE);
            Ok((0..targets.len()).map(|k| k as f64 / rate).collect())
        }
        (_, Some(_)) => Err("the poses have times; omit --rate".to_owned()),
        (n, None) if n < targets.len() => Err("some poses have a time and some do not".to_owned()),
        (_, None) => match times.windows(2).position(|pair| pair[1] <= pair[0]) {
            Some(k) => {
                Err(format!("the time of pose {} is not after that of the previous one", k + 2))
            }
            None => Ok(times),
        },
    }
}

/// The arm within the limits of the command line, or the velocity limits of its file.
fn with_limits(tool: &Tool, args: &TrackArgs) -> Result<Arm> {
    let mut arm = tool.arm.clone();
    if args.velocity.is_empty() {
        arm = arm.with_velocity_limits(tool.file.robot.velocity_limits())?;
    } else {
        arm = arm.with_velocity_limits(&limits(tool, "--velocity", &args.velocity)?)?;
    }
    if !args.acceleration.is_empty() {
        arm = arm.with_acceleration_limits(&limits(tool, "--acceleration", &args.acceleration)?)?;
    }
    Ok(arm)
}

/// Limits of all degrees of freedom, from those of the arm's joints.
fn limits(tool: &Tool, option: &str, given: &[f64]) -> Result<Vec<f64>> {
    let mut limits = vec![f64::INFINITY; tool.skeleton.n_dofs()];
    let of_joint = |k: usize| match given {
        [one] => Some(*one),
        all if all.len() == tool.joints.len() => Some(all[k]),
        _ => None,
    };
    for (k, joint) in tool.joints.iter().enumerate() {
        let Some(limit) = of_joint(k) else {
            let (n, all) = (given.len(), tool.joints.len());
            return Err(Failure::usage(format!(
                "{option} has {n} values; give one for all joints that move {}, or {all} for one each",
                tool.tip
            )));
        };
        limits[tool.skeleton.dof_range(joint.joint).start] = limit;
    }
    Ok(limits)
}

fn columns(tool: &Tool) -> Vec<Column> {
    let real = |name: &str| (name.to_owned(), Kind::Real);
    let mut columns = vec![real("time"), real("path_time"), ("target".to_owned(), Kind::Whole)];
    let first_joint = columns.len();
    columns.extend([real("distance"), real("angle")]);
    add_joints(&mut columns, first_joint, tool);
    columns
}

fn number(target: Option<usize>) -> Option<i64> {
    i64::try_from(target?).ok().map(|index| index + 1)
}

fn row(sample: &TrackSample, values: Vec<f64>) -> Vec<Value> {
    let target = number(sample.target).map_or(Value::Absent, Value::Whole);
    let mut row = vec![Value::Real(sample.time), Value::Real(sample.path_time), target];
    row.extend(values.into_iter().chain([sample.distance, sample.angle]).map(Value::Real));
    row
}

fn line(tool: &Tool, sample: &TrackSample, values: &[f64]) -> Result<String> {
    #[derive(serde::Serialize)]
    struct Line<'a> {
        time: f64,
        path_time: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        target: Option<i64>,
        joints: Joints<'a>,
        distance: f64,
        angle: f64,
    }
    let TrackSample { time, path_time, distance, angle, .. } = *sample;
    let joints = Joints(&tool.joints, values);
    let line = Line { time, path_time, target: number(sample.target), joints, distance, angle };
    json_line(&line)
}

fn write(tool: &Tool, track: &Track, output: Option<&Path>) -> Result<()> {
    let extension = output.and_then(Path::extension).and_then(|extension| extension.to_str());
    let extension = extension.unwrap_or("csv").to_ascii_lowercase();
    let samples = track.samples.iter().enumerate();
    let samples = samples.map(|(k, sample)| (sample, tool.values(track.configuration(k))));
    if let (Some(output), "parquet") = (output, extension.as_str()) {
        let writer = ParquetWriter::new(Pending::begin(output)?, &columns(tool), &[]);
        let mut writer = writer.map_err(Failure::output)?;
        for (sample, values) in samples {
            writer.row(row(sample, values)).map_err(Failure::output)?;
        }
        return writer.finish().map_err(Failure::output)?.finish();
    }
    let mut stream = Stream::to(output)?;
    let is_json = extension == "jsonl";
    if !is_json {
        stream.write(&csv_head(&columns(tool)))?;
    }
    for (sample, values) in samples {
        let line = match is_json {
            true => line(tool, sample, &values)?,
            false => csv_line(&row(sample, values)),
        };
        if !stream.write(&line)? {
            return Ok(());
        }
    }
    stream.finish()
}

/// Prints how the track ended, on standard output unless the joint values go there.
fn tell(
    tool: &Tool,
    track: &Track,
    (times, is_timed): (&[f64], bool),
    args: &TrackArgs,
) -> Result<()> {
    if args.report.json {
        print(&report_json(tool, track, times)?)?;
    }
    let words = words(tool, track, (times, is_timed));
    match &args.output {
        _ if args.report.json => {}
        Some(output) => report(&format!("{words}: {}\n", output.display()))?,
        None if Console::get().is_quiet => {}
        None => note(&words),
    }
    if args.require_reached && !track.is_completed() {
        return Err(Failure::not_reached());
    }
    Ok(())
}

/// How the track ended, for programs.
fn report_json(tool: &Tool, track: &Track, times: &[f64]) -> Result<String> {
    let mut report = serde_json::json!({
        "schema": "posekit.track-report/1", "is_completed": track.is_completed(),
        "poses": times.len(), "seconds": times[times.len() - 1] - times[0], "delay": track.delay(),
    });
    if let TrackStatus::Ended { path_time, reason, dexterity } = &track.status {
        report["path_time"] = (*path_time).into();
        report["smallest_singular_value"] = dexterity.smallest_singular_value.into();
        report["reason"] = match reason {
            TrackEnd::Limits(_) => "limits",
            TrackEnd::Singularity => "singularity",
            _ => "out-of-reach",
        }
        .into();
        if let TrackEnd::Limits(joints) = reason {
            let names: Vec<&str> = joints.iter().map(|&joint| tool.skeleton.name(joint)).collect();
            report["joints"] = names.into();
        }
    }
    json(&report)
}

/// - `times`: of the poses, and whether somebody asked for them
fn words(tool: &Tool, track: &Track, (times, is_timed): (&[f64], bool)) -> String {
    let seconds = |time: f64| format!("{} s", significant(time, 3));
    let (begin, end) = (times[0], times[times.len() - 1]);
    let TrackStatus::Ended { path_time, reason, dexterity } = &track.status else {
        let (n, time) = (count(times.len(), "pose"), seconds(end - begin + track.delay()));
        let slower = match track.delay() {
            delay if is_timed && delay > 1e-9 => {
                format!(", {} later than requested", seconds(delay))
            }
            _ => String::new(),
        };
        return format!("✓ followed to the end: {n} in {time}{slower}");
    };
    let why = match reason {
        TrackEnd::Limits(joints) => {
            let names: Vec<&str> = joints.iter().map(|&joint| tool.skeleton.name(joint)).collect();
            format!("stopped by the limit of {}", names.join(" and "))
        }
        TrackEnd::Singularity => {
            "the configuration is singular, and the branch turns back".to_owned()
        }
        _ => "no configuration reaches further".to_owned(),
    };
    format!(
        "■ followed for {} of {}: {why} (smallest singular value {})",
        seconds(path_time - begin),
        seconds(end - begin),
        significant(dexterity.smallest_singular_value, 2)
    )
}
