//! Giving a walk on the spot its way back, and taking it off again.

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::JointKind;

use super::clip::Clip;
use super::floor::{Floor, FloorChoice, Footing};
use super::hold::root_of;
use super::leg::Leg;
use super::paths::Paths;
use super::plant::{DetectSettings, Part, Plant, ground_of};
use crate::error::{Error, Result};

/// How far the floor has slid under the figure by each frame, as its planted feet show it \[unit of the clip\]: along the floor, zero in the first frame.
///
/// Taken off the root's path, it gives a walk on the spot its way, and takes a drift away: the planted feet then stand as well as they can all at once. It is about zero all
/// the time for a clip whose feet do not slide.
///
/// - `plants`: as [`find_plants`](super::find_plants) gives them for the same legs, floor and settings
///
/// # Degenerate cases
/// Without frames it is empty; without plants the feet that are lowest and keep their height count, and where there are none, nothing slides.
/// # Method
/// The mean step of the feet that are planted in both frames, by their balls, else by their heels; where none is, the speed of the floor as detection sees it.
#[must_use]
pub fn ground_path(
    clip: &Clip,
    legs: &[Leg],
    plants: &[Plant],
    floor: &Floor,
    choice: FloorChoice,
    settings: &DetectSettings,
) -> Vec<DVec3> {
    let paths = Paths::new(clip, legs);
    if paths.n_frames == 0 {
        return Vec::new();
    }
    let ground = ground_of(&Footing::on(&paths, *floor, choice), choice, settings);
    let mut steps: Vec<Vec<(usize, DVec3)>> = vec![Vec::new(); paths.n_frames - 1];
    // The ball before the heel, which rolls forward as long as it stands: of a leg only what stands stillest counts.
    let parts = [Part::Ball, Part::Heel].into_iter();
    for plant in parts.flat_map(|part| plants.iter().filter(move |plant| plant.part == part)) {
        let path = paths.legs.get(plant.leg).and_then(|leg| leg.part(plant.part));
        let Some(path) = path.and_then(|path| path.get(plant.frames.clone())) else { continue };
        for (steps, pair) in steps[plant.frames.start..].iter_mut().zip(path.windows(2)) {
            if steps.iter().all(|(leg, _)| *leg != plant.leg) {
                steps.push((plant.leg, pair[1] - pair[0]));
            }
        }
    }
    let mut place = DVec3::ZERO;
    let mut slid = vec![place];
    for (frame, steps) in steps.iter_mut().enumerate() {
        // In the order of their sizes, so that left and right make no difference.
        steps.sort_by(|a, b| a.1.length_squared().total_cmp(&b.1.length_squared()));
        let step = if steps.is_empty() {
            ground.velocity(frame) * (paths.length * paths.frame_time)
        } else {
            steps.iter().map(|step| step.1).sum::<DVec3>() / steps.len() as f64
        };
        place += step - floor.normal * step.dot(floor.normal);
        slid.push(place);
    }
    slid
}

/// The clip with the joint that carries the legs moved in the world: by so much in each frame, as along a walk's way.
///
/// - `path`: frame after frame, in the clip's unit; frames beyond its end stay where they are
///
/// The joint is the one that carries the whole figure and can be moved ([`Free`](JointKind::Free)), else the one farthest up that carries all the legs; without
/// legs the first that can be moved. It is the joint that [`clean`](super::clean()) moves.
///
/// # Degenerate cases
/// `None` where no such joint can be moved.
/// # Errors
/// [`Error::NonFinite`] for a path that is not finite.
pub fn along_path(clip: &Clip, legs: &[Leg], path: &[DVec3]) -> Result<Option<Clip>> {
    if let Some(index) = path.iter().position(|shift| !shift.is_finite()) {
        return Err(Error::NonFinite { what: "path", index });
    }
    Ok(carrier(clip, legs).map(|carrier| shifted(clip, carrier, path)))
}

/// The clip with a joint that can be moved, moved in the world: by so much in each frame.
pub(super) fn shifted(clip: &Clip, carrier: usize, path: &[DVec3]) -> Clip {
    let skeleton = clip.skeleton();
    let place = skeleton.value_range(carrier).start;
    let above: Vec<usize> = skeleton.ancestors(carrier).skip(1).collect();
    let placement = skeleton.parent_from_joint(carrier).rotation;
    let mut values = clip.values().to_vec();
    for (q, shift) in values.chunks_exact_mut(skeleton.n_values()).zip(path) {
        let parent = above
            .iter()
            .rev()
            .fold(Pose::IDENTITY, |parent, &joint| skeleton.pose_on(joint, q, parent));
        let local = (parent.rotation * placement).conjugate() * *shift;
        for (value, more) in q[place..place + 3].iter_mut().zip(local.to_array()) {
            *value += more;
        }
    }
    clip.with_edited(values, &[])
}

/// The joint that [`along_path`] moves: it carries the whole figure, or all the legs, and can be moved. `None` where there is none.
#[must_use]
pub fn carrier(clip: &Clip, legs: &[Leg]) -> Option<usize> {
    let skeleton = clip.skeleton();
    if legs.is_empty() {
        let is_free = |joint: &usize| skeleton.kind(*joint) == JointKind::Free;
        return (0..skeleton.n_joints()).find(is_free);
    }
    let starts: Vec<usize> = legs.iter().map(|leg| leg.limb.start).collect();
    root_of(skeleton, &starts)
}
