//! The data of a motion for a page: millimetres and seconds, for a leg of 0.85 m, with the floor at height zero.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use posekit::glam::DVec3;
use posekit_motion::{Clip, Floor, Leg, Part, Plant, median};
use serde::Serialize;

use super::feet::{Places, along, part_word};
use super::record::{ClipRecord, PlantRecord};

/// The frame rate of the player.
const PLAYED: f64 = 30.0;

/// The largest number of frames played: a minute. For longer motions it is the minute around the worst plant.
const MOST_PLAYED: usize = 1800;

/// The largest number of values played for one figure; a figure with more joints is played with fewer frames.
const MOST_NUMBERS: usize = 400_000;

/// A foot that slides by less than this stands \[mm\].
const SLIDES_ON: f64 = 0.5;

/// A motion before and after.
pub(super) struct Sides<'a> {
    pub(super) clip: &'a Clip,
    pub(super) before: &'a Places,
    pub(super) after: Option<&'a Places>,
}

/// The view of a motion on a page.
pub(super) struct ClipView {
    pub(super) record: ClipRecord,
    /// The times of the frames \[s\].
    pub(super) times: Vec<f64>,
    pub(super) feet: Vec<Foot>,
    pub(super) worst: Option<Worst>,
    pub(super) play: Play,
}

/// A part of a foot over time: before, and after if there is a result.
pub(super) struct Foot {
    /// The index of the leg.
    pub(super) leg: usize,
    /// `heel` or `ball`.
    pub(super) part: &'static str,
    /// Height above the floor \[mm\].
    pub(super) height: Vec<Vec<f64>>,
    /// Speed along the floor \[m/s\].
    pub(super) speed: Vec<Vec<f64>>,
}

/// The plant that slides the most, from above \[mm\], each path relative to its own median, because the whole figure may have moved.
pub(super) struct Worst {
    /// The index of the plant in the record.
    pub(super) plant: usize,
    /// The beginning of a caption.
    pub(super) what: &'static str,
    /// Its positions along the floor, frame by frame; before, and after if there is a result.
    pub(super) trails: Vec<Vec<[f64; 2]>>,
}

/// An animated figure, for the page's script.
#[derive(Serialize)]
pub(super) struct Play {
    fps: f64,
    /// The time of the first frame \[s\].
    start: f64,
    /// The parent of each joint; -1 for none.
    parents: Vec<i64>,
    /// Metres for one step of the numbers in `before` and `after`.
    step: f64,
    /// Little-endian numbers of 16 bits in base 64: x, y along the floor and z up, for each joint of each frame.
    before: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    /// The joints with trails.
    feet: Vec<usize>,
    /// Joint, first and last frame of each plant.
    plants: Vec<[usize; 3]>,
    /// The joint that the camera follows.
    root: usize,
    /// The joint on which a head is drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<usize>,
    /// The direction in which the figure walks or faces \[rad\].
    heading: f64,
}

impl ClipView {
    /// `None` for a motion without frames.
    pub(super) fn new(
        record: &ClipRecord,
        sides: &Sides<'_>,
        legs: &[Leg],
        floor: &Floor,
        millimetres: f64,
        plants: &[Plant],
    ) -> Option<Self> {
        let clip = sides.clip;
        if clip.n_frames() == 0 {
            return None;
        }
        let places = || [Some(sides.before), sides.after].into_iter().flatten();
        let frame_time = clip.frame_time();
        let foot = |leg: usize, part: Part| {
            let joint = legs[leg].joint(part);
            let heights = |places: &Places| {
                let height = |frame| floor.height(places.at(frame, joint)) * millimetres;
                (0..places.n_frames()).map(height).collect()
            };
            let speeds = |places: &Places| {
                speeds(places, joint, floor.normal, frame_time, millimetres * 1e-3)
            };
            Foot {
                leg,
                part: part_word(part),
                height: places().map(heights).collect(),
                speed: places().map(speeds).collect(),
            }
        };
        let feet = (0..legs.len())
            .flat_map(|leg| {
                let ball = legs[leg].ball.map(|_| (leg, Part::Ball));
                [Some((leg, Part::Heel)), ball].into_iter().flatten()
            })
            .map(|(leg, part)| foot(leg, part))
            .collect();
        let worst = worst(record, sides, legs, floor, millimetres, plants);
        let middle = worst.as_ref().map_or(0, |worst| {
            let frames = &plants[worst.plant].frames;
            frames.start.midpoint(frames.end)
        });
        let play = play(sides, legs, floor, millimetres * 1e-3, plants, middle);
        let times = (0..clip.n_frames()).map(|frame| clip.time(frame)).collect();
        Some(Self { record: record.clone(), times, feet, worst, play })
    }
}

/// The speed of a joint along the floor, frame by frame \[m/s\].
fn speeds(places: &Places, joint: usize, normal: DVec3, frame_time: f64, metres: f64) -> Vec<f64> {
    let n = places.n_frames();
    let speed = |frame: usize| {
        let (from, to) = (frame.saturating_sub(1), (frame + 1).min(n - 1));
        if from == to {
            return 0.0;
        }
        let way = places.at(to, joint) - places.at(from, joint);
        let way = way - normal * way.dot(normal);
        way.length() * metres / (frame_time * (to - from) as f64)
    };
    (0..n).map(speed).collect()
}

/// The worst of the plants, with the beginning of a caption: the worst in the result if one still slides, else the worst before.
pub(super) fn worst_of(plants: &[PlantRecord]) -> Option<(usize, &'static str)> {
    let most = |of: fn(&PlantRecord) -> Option<f64>| {
        let one = |(index, plant): (usize, &PlantRecord)| Some((index, of(plant)?));
        plants.iter().enumerate().filter_map(one).max_by(|a, b| a.1.total_cmp(&b.1))
    };
    let was = most(|plant| plant.drift_before)?.0;
    match most(|plant| plant.drift_after).filter(|(_, slide)| *slide >= SLIDES_ON) {
        Some((is, _)) if was != is => Some((is, "The worst now")),
        _ => Some((was, "The worst")),
    }
}

fn worst(
    record: &ClipRecord,
    sides: &Sides<'_>,
    legs: &[Leg],
    floor: &Floor,
    millimetres: f64,
    plants: &[Plant],
) -> Option<Worst> {
    let (plant, what) = worst_of(&record.plants)?;
    if plant >= plants.len() {
        return None;
    }
    let Plant { leg, part, frames } = &plants[plant];
    let joint = legs[*leg].joint(*part);
    let [x, y] = along(floor.normal);
    let trail = |places: &Places| -> Vec<[f64; 2]> {
        let at = |frame: usize| {
            let point = (places.at(frame, joint) - floor.point) * millimetres;
            [point.dot(x), point.dot(y)]
        };
        let trail: Vec<[f64; 2]> = frames.clone().map(at).collect();
        let middle = |axis: usize| median(trail.iter().map(|point| point[axis])).unwrap_or(0.0);
        let [x, y] = [middle(0), middle(1)];
        trail.iter().map(|point| [point[0] - x, point[1] - y]).collect()
    };
    let trails = [Some(sides.before), sides.after].into_iter().flatten().map(trail).collect();
    Some(Worst { plant, what, trails })
}

fn play(
    sides: &Sides<'_>,
    legs: &[Leg],
    floor: &Floor,
    metres: f64,
    plants: &[Plant],
    middle: usize,
) -> Play {
    let clip = sides.clip;
    let skeleton = clip.skeleton();
    let n_joints = skeleton.n_joints();
    let stride = stride(clip.frame_time());
    let most = MOST_PLAYED.min(MOST_NUMBERS / (3 * n_joints)).max(60);
    let n_played = clip.n_frames().div_ceil(stride).min(most);
    let first = (middle / stride).saturating_sub(n_played / 2);
    let first = first.min(clip.n_frames().div_ceil(stride) - n_played) * stride;
    let played = |frame: usize| frame.saturating_sub(first) / stride;
    let origin = floor.point;
    let [x, y] = along(floor.normal);
    let local = |point: DVec3| {
        let point = (point - origin) * metres;
        DVec3::new(point.dot(x), point.dot(y), point.dot(floor.normal))
    };
    let frames = || (0..n_played).map(|k| first + k * stride);
    let sides_of = || [Some(sides.before), sides.after].into_iter().flatten();
    let extent = sides_of()
        .flat_map(|places| frames().flat_map(|frame| places.frame(frame)))
        .map(|&point| local(point).abs().max_element())
        .fold(0.1, f64::max);
    let step = extent / f64::from(i16::MAX);
    let packed = |places: &Places| {
        let numbers = frames()
            .flat_map(|frame| places.frame(frame))
            .flat_map(|&point| local(point).to_array());
        STANDARD.encode(
            numbers.flat_map(|value| short(value / step).to_le_bytes()).collect::<Vec<u8>>(),
        )
    };
    let last = first + n_played * stride;
    let bars = plants.iter().filter(|plant| plant.frames.end > first && plant.frames.start < last);
    let bars = bars.map(|plant| {
        let joint = legs[plant.leg].joint(plant.part);
        [joint, played(plant.frames.start), played(plant.frames.end - 1).min(n_played - 1)]
    });
    let feet = legs.iter().map(|leg| leg.joint(Part::Ball));
    let root = root(clip, legs);
    Play {
        fps: 1.0 / (clip.frame_time() * stride as f64),
        start: clip.time(first),
        parents: (0..n_joints)
            .map(|joint| {
                skeleton.parent(joint).map_or(-1, |parent| i64::try_from(parent).unwrap_or(-1))
            })
            .collect(),
        step,
        before: packed(sides.before),
        after: sides.after.map(packed),
        feet: feet.collect(),
        plants: bars.collect(),
        root,
        head: head(clip),
        heading: heading(sides.before, legs, root, local, first..last.min(clip.n_frames())),
    }
}

/// The interval of the frames that are played.
fn stride(frame_time: f64) -> usize {
    let stride = (1.0 / (PLAYED * frame_time)).round().clamp(1.0, 1e6);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let stride = stride as usize;
    stride
}

#[expect(clippy::cast_possible_truncation, reason = "clamped to the range")]
fn short(value: f64) -> i16 {
    value.round().clamp(f64::from(i16::MIN), f64::from(i16::MAX)) as i16
}

/// The common ancestor of all legs, usually the hips.
pub(super) fn root(clip: &Clip, legs: &[Leg]) -> usize {
    let skeleton = clip.skeleton();
    let Some(first) = legs.first() else { return 0 };
    let carries = |joint: usize| {
        legs.iter().all(|leg| skeleton.ancestors(leg.limb.start).any(|above| above == joint))
    };
    skeleton.ancestors(first.limb.start).find(|&joint| carries(joint)).unwrap_or(0)
}

/// The first joint named as a head.
pub(super) fn head(clip: &Clip) -> Option<usize> {
    let skeleton = clip.skeleton();
    let is_head = |&joint: &usize| skeleton.name(joint).to_ascii_lowercase().ends_with("head");
    (1..skeleton.n_joints()).find(is_head)
}

/// The direction in which the figure walks, or in which it faces if it stays.
///
/// - `frames`: at least one
pub(super) fn heading(
    places: &Places,
    legs: &[Leg],
    root: usize,
    local: impl Fn(DVec3) -> DVec3,
    frames: core::ops::Range<usize>,
) -> f64 {
    let way = local(places.at(frames.end - 1, root)) - local(places.at(frames.start, root));
    if way.truncate().length() > 1.0 {
        return posekit::math::atan2(way.y, way.x);
    }
    let side = |side| {
        let leg = legs.iter().find(|leg| leg.side == side)?;
        Some(local(places.at(frames.start, leg.limb.start)))
    };
    match (side(posekit_motion::Side::Left), side(posekit_motion::Side::Right)) {
        (Some(left), Some(right)) => {
            let ahead = (left - right).cross(DVec3::Z);
            posekit::math::atan2(ahead.y, ahead.x)
        }
        _ => 0.0,
    }
}
