//! The contacts of a motion: the file format `posekit.contacts/1`.

mod read;

use std::sync::Arc;

use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{Frame, Skeleton};
use posekit_motion::{Contact, Hold, Support, Trajectory};
use serde::Serialize;

use crate::error::{Error, Place, Result};
use crate::json;
use crate::limits::Limits;

/// The name of the format, the first field of every file.
pub const CONTACTS_SCHEMA: &str = "posekit.contacts/1";

/// The default blend-in and blend-out time of a contact \[s\]: about the time in which a foot lands or lifts off.
pub const DEFAULT_EASE: f64 = 0.2;

/// The contacts in a file: time intervals in which joints are held.
///
/// ```json
/// { "schema": "posekit.contacts/1",
///   "contacts": [ { "joint": "LeftFoot", "point": [0, -0.05, 0.1], "from": 0.5, "to": 1.2, "hold": "position" },
///                 { "joint": "RightHand", "from": 1.2, "to": 3.4, "hold": "pose", "at": [0.4, 1.1, 0.2], "rotation": [0, 0, 0, 1], "ease_in": 0.3 },
///                 { "joint": "RightFoot", "from": 0, "to": 2, "hold": "surface", "at": [0, 0, 0], "normal": [0, 1, 0] },
///                 { "joint": "LeftHand", "from": 2, "to": 3, "hold": "position", "on": "RightHand" },
///                 { "joint": "LeftHand", "from": 0, "to": 1, "hold": "position", "at": [0, 1, 0.8],
///                   "on": [ { "time": 0, "at": [2, 0, 0] }, { "time": 1, "at": [2, 0, 0], "rotation": [0, 0.6, 0, 0.8] } ] } ] }
/// ```
///
/// - `joint`: its name in the skeleton; `point` that is held, in its own frame (by default its origin), and `turn`, the rotation (x, y, z, w) on the joint of the frame that
///   is held in a pose.
/// - `from`, `to` \[s\]: the start and the end of the contact.
/// - `hold`: `position`, `pose` or `surface`. `at` is the point, `rotation` (x, y, z, w) the rotation, both in the world; by default those of the clip in the
///   middle of the contact. A surface needs `at`, a point on it, and `normal`, of any length.
/// - `on`: what it is on, the world by default: the name of a joint, or the poses of something that moves, a door or a step, by `time` \[s\]. `at`, `rotation` and `normal` are in
///   its frame then, and what is held moves with it ([`Support`]).
/// - `ease_in`, `ease_out` \[s\]: the blend-in time before and the blend-out time after the contact; by default [`DEFAULT_EASE`].
///
/// Lengths are in the unit of the clip.
///
/// # Example
/// ```
/// use posekit::skeleton::{Joint, Skeleton};
/// use posekit_io::ContactsFile;
///
/// let file = ContactsFile::from_json(
///     r#"{ "schema": "posekit.contacts/1", "contacts": [ { "joint": "hand", "from": 1, "to": 2, "hold": "position", "at": [0, 1, 0] } ] }"#,
/// )?;
/// let skeleton = Skeleton::try_new(vec![Joint::free("hand")])?;
/// let contacts = file.to_contacts(&skeleton)?;
/// assert_eq!((contacts[0].frame.joint, contacts[0].to), (0, 2.0));
/// assert_eq!(ContactsFile::from_json(&file.to_json()?)?, file);
/// # Ok::<(), posekit_io::Error>(())
/// ```
///
/// # Example: an end before its beginning
/// ```
/// use posekit_io::ContactsFile;
///
/// let error = ContactsFile::from_json(
///     r#"{ "schema": "posekit.contacts/1", "contacts": [ { "joint": "hand", "from": 2, "to": 1, "hold": "position" } ] }"#,
/// )
/// .unwrap_err();
/// assert_eq!(error.to_string(), "contacts[0].to, line 1, column 85: it ends at 1 s, before it begins at 2 s");
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields, rename = "ContactsFile"))]
#[serde(tag = "schema", rename = "posekit.contacts/1")]
pub struct ContactsFile {
    /// The contacts, in the order of the file. They may overlap.
    pub contacts: Vec<ContactEntry>,
}

/// One contact of a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct ContactEntry {
    /// The name of the held joint.
    pub joint: String,
    /// The held point in the joint's frame; by default the origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 3]>,
    /// The rotation of the held frame on the joint \[x, y, z, w\]; by default the identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<[f64; 4]>,
    /// The start \[s\].
    pub from: f64,
    /// The end \[s\].
    pub to: f64,
    /// The kind of contact, with its target.
    #[serde(flatten)]
    pub hold: HoldEntry,
    /// What it is on; by default the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<SupportEntry>,
    /// The blend-in time \[s\]; 0.2 by default.
    ///
    /// This is [`DEFAULT_EASE`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ease_in: Option<f64>,
    /// The blend-out time \[s\]; 0.2 by default.
    ///
    /// This is [`DEFAULT_EASE`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ease_out: Option<f64>,
}

/// What a contact in a file is on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[non_exhaustive]
#[serde(untagged)]
pub enum SupportEntry {
    /// The name of a joint.
    Joint(String),
    /// Something that moves, at ascending times.
    Moving(Vec<SupportKey>),
}

/// Where something that moves is at a time, in the world.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct SupportKey {
    /// \[s\]
    pub time: f64,
    /// Its origin.
    pub at: [f64; 3],
    /// Its rotation \[x, y, z, w\]; by default none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation: Option<[f64; 4]>,
}

/// The target of a contact in a file, in the frame of what it is on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[non_exhaustive]
#[serde(tag = "hold", rename_all = "kebab-case")]
pub enum HoldEntry {
    /// A point.
    Position {
        /// The point; by default its position in the middle of the contact.
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<[f64; 3]>,
    },
    /// A point and a rotation.
    Pose {
        /// The point.
        at: [f64; 3],
        /// The rotation \[x, y, z, w\].
        rotation: [f64; 4],
    },
    /// The pose in the middle of the contact.
    #[serde(rename = "pose")]
    OwnPose,
    /// A plane, along which it may slide.
    Surface {
        /// A point of the plane.
        at: [f64; 3],
        /// The normal of the plane, of any length but zero.
        normal: [f64; 3],
    },
}

impl ContactsFile {
    /// Reads contacts from the text of their file, with the default [`Limits`].
    ///
    /// # Errors
    /// Every fault of the text, the fields and their values, with the path of the value, its line and its column. Unknown and duplicate fields are
    /// faults; so are contacts that end before they begin.
    pub fn from_json(text: &str) -> Result<Self> {
        Self::from_json_with(text, &Limits::default())
    }

    /// Reads contacts with other limits.
    ///
    /// # Errors
    /// As [`ContactsFile::from_json`].
    pub fn from_json_with(text: &str, limits: &Limits) -> Result<Self> {
        read::read(text, limits)
    }

    /// The text of the file: one contact per line, numbers in the shortest form that reads back exactly.
    ///
    /// # Errors
    /// [`Error::NotFinite`] names the field of a NaN or an infinity.
    pub fn to_json(&self) -> Result<String> {
        json::file(self)
    }

    /// The contacts of a skeleton.
    ///
    /// # Errors
    /// [`Error::NoSuchName`] for a joint that the skeleton does not have, with its place in the file; [`Error::located_in`] adds the line.
    pub fn to_contacts(&self, skeleton: &Skeleton) -> Result<Vec<Contact>> {
        let contact = |(index, entry): (usize, &ContactEntry)| entry.to_contact(index, skeleton);
        self.contacts.iter().enumerate().map(contact).collect()
    }

    /// The file of contacts, with all fields written out.
    ///
    /// # Errors
    /// [`Error::Value`] for a joint that the skeleton does not have, or a kind of hold that the format does not know.
    pub fn from_contacts(contacts: &[Contact], skeleton: &Skeleton) -> Result<Self> {
        let entry = |(index, contact): (usize, &Contact)| {
            ContactEntry::new(contact, skeleton).ok_or_else(|| {
                let message =
                    "its joint is not in the skeleton, or the format has no name for its kind"
                        .into();
                Error::Value { place: Place::named(format!("contacts[{index}]")), message }
            })
        };
        let contacts: Result<Vec<ContactEntry>> = contacts.iter().enumerate().map(entry).collect();
        Ok(Self { contacts: contacts? })
    }
}

impl ContactEntry {
    fn to_contact(&self, index: usize, skeleton: &Skeleton) -> Result<Contact> {
        let find = |field: &str, name: &str| {
            skeleton.find(name).ok_or_else(|| {
                let place = Place::named(format!("contacts[{index}].{field}"));
                Error::NoSuchName { place, kind: "joint", name: name.to_owned() }
            })
        };
        let joint = find("joint", &self.joint)?;
        let on = match &self.on {
            None => Support::World,
            Some(SupportEntry::Joint(name)) => Support::Joint(find("on", name)?),
            Some(SupportEntry::Moving(keys)) => {
                let times = keys.iter().map(|key| key.time).collect();
                let poses = keys.iter().map(|key| pose(key.at, key.rotation)).collect();
                Support::Moving(Arc::new(Trajectory::try_new(times, poses)?))
            }
        };
        let offset = pose(self.point.unwrap_or_default(), self.turn);
        let hold = match self.hold {
            HoldEntry::Position { at } => Hold::Position(at.map(DVec3::from_array)),
            HoldEntry::Pose { at, rotation } => Hold::Pose(Some(pose(at, Some(rotation)))),
            HoldEntry::OwnPose => Hold::Pose(None),
            HoldEntry::Surface { at, normal } => {
                Hold::Surface { point: at.into(), normal: normal.into() }
            }
        };
        Ok(Contact {
            frame: Frame::new(joint, offset),
            from: self.from,
            to: self.to,
            hold,
            on,
            ease_in: self.ease_in.unwrap_or(DEFAULT_EASE),
            ease_out: self.ease_out.unwrap_or(DEFAULT_EASE),
        })
    }

    fn new(contact: &Contact, skeleton: &Skeleton) -> Option<Self> {
        let joint = contact.frame.joint;
        let Pose { rotation, translation } = contact.frame.joint_from_frame;
        let hold = match contact.hold {
            Hold::Position(at) => HoldEntry::Position { at: at.map(|at| at.to_array()) },
            Hold::Pose(Some(Pose { rotation, translation })) => {
                HoldEntry::Pose { at: translation.to_array(), rotation: rotation.to_array() }
            }
            Hold::Pose(None) => HoldEntry::OwnPose,
            Hold::Surface { point, normal } => {
                HoldEntry::Surface { at: point.to_array(), normal: normal.to_array() }
            }
            _ => return None,
        };
        let on = match &contact.on {
            Support::World => None,
            Support::Joint(joint) if *joint < skeleton.n_joints() => {
                Some(SupportEntry::Joint(skeleton.name(*joint).to_owned()))
            }
            Support::Moving(path) => {
                let key = |(time, pose): (&f64, &Pose)| SupportKey {
                    time: *time,
                    at: pose.translation.to_array(),
                    rotation: (pose.rotation != DQuat::IDENTITY).then(|| pose.rotation.to_array()),
                };
                Some(SupportEntry::Moving(path.times().iter().zip(path.poses()).map(key).collect()))
            }
            _ => return None,
        };
        (joint < skeleton.n_joints()).then(|| Self {
            joint: skeleton.name(joint).to_owned(),
            point: (translation != DVec3::ZERO).then(|| translation.to_array()),
            turn: (rotation != DQuat::IDENTITY).then(|| rotation.to_array()),
            from: contact.from,
            to: contact.to,
            hold,
            on,
            ease_in: Some(contact.ease_in),
            ease_out: Some(contact.ease_out),
        })
    }
}

/// A pose with its rotation normalised; a rotation of unit length keeps its bits.
fn pose(at: [f64; 3], rotation: Option<[f64; 4]>) -> Pose {
    /// A quaternion whose squared length is this close to 1 is unchanged, so that reading what was written changes nothing.
    const ROUNDING: f64 = 1e-15;
    let rotation = rotation.map_or(DQuat::IDENTITY, DQuat::from_array);
    let square = rotation.length_squared();
    let is_unit = (square - 1.0).abs() <= ROUNDING;
    Pose::new(if is_unit { rotation } else { rotation / square.sqrt() }, at.into())
}
