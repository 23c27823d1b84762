//! Giving a walk on the spot its way back.

use glam::DVec3;

use super::clip::Clip;
use super::floor::{Floor, FloorChoice};
use super::leg::Leg;
use super::paths::Paths;
use super::plant::{DetectSettings, Part, Plant, ground_of};

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
    let ground = ground_of(&paths, floor, choice, settings);
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
