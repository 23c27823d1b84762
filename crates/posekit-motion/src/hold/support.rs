//! Contacts on joints of the figure itself, which move as it is held.

use std::sync::Arc;

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::Frame;

use super::{ContactReport, Held, MISS, plan, size};
use crate::error::Result;
use crate::tracks::Tracks;
use crate::{Clip, Contact, Hold, Support, Trajectory};

/// Rounds at most in which the joints come to rest: one where holding does not move them, a few where the body goes along with its hands.
const ROUNDS: usize = 8;

/// A joint is at rest that goes no farther than this part of a miss.
const AT_REST: f64 = 0.1;

/// Holds contacts of which some may be on joints: these are where the last round has put them, until they stay there.
///
/// - `hold`: holds contacts that are on no joint
pub(crate) fn hold_on_joints(
    clip: &Clip,
    contacts: &[Contact],
    hold: impl Fn(&[Contact]) -> Result<Held>,
) -> Result<Held> {
    if contacts.iter().all(|contact| joint_of(contact).is_none()) {
        return hold(contacts);
    }
    plan::check_contacts(clip.skeleton(), contacts)?;
    let seen = seen(clip, contacts)?;
    let is_fixed = |contact: &&Contact| joint_of(contact).is_none();
    let fixed: Vec<Contact> = seen.iter().filter(is_fixed).cloned().collect();
    let mut held = hold(&fixed)?;
    let mut off = Vec::new();
    for _ in 0..ROUNDS {
        let before = held.clip;
        held = hold(&placed(&before, &seen)?)?;
        off = seen.iter().map(|contact| apart([&before, &held.clip], contact)).collect();
        let is_at_rest = |(report, off): (&ContactReport, &f64)| {
            *off <= AT_REST * MISS * size(report.limb, clip)
        };
        if held.contacts.iter().zip(&off).all(is_at_rest) {
            break;
        }
    }
    // By what a joint has moved since, its contacts are off.
    for (report, off) in held.contacts.iter_mut().zip(off) {
        report.residual += off;
        if off > MISS * size(report.limb, clip) {
            report.missed = report.frames.clone().collect();
        }
    }
    Ok(held)
}

/// The joint that a contact is on.
fn joint_of(contact: &Contact) -> Option<usize> {
    match contact.on {
        Support::Joint(joint) => Some(joint),
        Support::World | Support::Moving(_) => None,
    }
}

/// The contacts, those on joints on the course that these take in a clip.
fn placed(clip: &Clip, contacts: &[Contact]) -> Result<Vec<Contact>> {
    let place = |contact: &Contact| {
        let Some(joint) = joint_of(contact) else { return Ok(contact.clone()) };
        let tracks = Tracks::new(clip, &[joint]);
        let frames = 0..clip.n_frames();
        let times = frames.clone().map(|frame| clip.time(frame)).collect();
        let poses: Vec<Pose> = frames.map(|frame| tracks.pose(frame, joint)).collect();
        let on = match poses.is_empty() {
            true => Support::World,
            false => Support::Moving(Arc::new(Trajectory::try_new(times, poses)?)),
        };
        Ok(Contact { on, ..contact.clone() })
    };
    contacts.iter().map(place).collect()
}

/// The contacts, those on joints with what they leave open as it is in the motion.
fn seen(clip: &Clip, contacts: &[Contact]) -> Result<Vec<Contact>> {
    let see = |(index, placed): (usize, Contact)| {
        let own = &contacts[index];
        let hold = match joint_of(own) {
            Some(_) => plan::filled(clip, index, &placed),
            None => own.hold,
        };
        Contact { hold, ..own.clone() }
    };
    Ok(placed(clip, contacts)?.into_iter().enumerate().map(see).collect())
}

/// How far what a contact holds on a joint is in one clip from where it is in another.
fn apart([a, b]: [&Clip; 2], contact: &Contact) -> f64 {
    let Some(joint) = joint_of(contact) else { return 0.0 };
    let point = match contact.hold {
        Hold::Position(point) => point.unwrap_or(DVec3::ZERO),
        Hold::Pose(pose) => pose.map_or(DVec3::ZERO, |pose| pose.translation),
        Hold::Surface { point, .. } => point,
    };
    let place = Frame::new(joint, Pose::from_translation(point));
    let [a_tracks, b_tracks] = [a, b].map(|clip| Tracks::new(clip, &[joint]));
    let away =
        |frame| a_tracks.frame_place(frame, &place).distance(b_tracks.frame_place(frame, &place));
    a.frames(contact.from, contact.to).map(away).fold(0.0, f64::max)
}
