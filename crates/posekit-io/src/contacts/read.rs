//! Reading and checking contacts.

use super::{CONTACTS_SCHEMA, ContactEntry, ContactsFile, HoldEntry, SupportEntry, SupportKey};
use crate::error::Result;
use crate::json::{Cursor, Document, Object, check_schema};
use crate::limits::{LARGEST, Limits};

const FIELDS: [&str; 12] = [
    "joint", "point", "turn", "from", "to", "hold", "at", "rotation", "normal", "on", "ease_in",
    "ease_out",
];

pub(super) fn read(text: &str, limits: &Limits) -> Result<ContactsFile> {
    let document = Document::parse(text, limits)?;
    let root = document.root().with_largest(LARGEST);
    check_schema(&root, CONTACTS_SCHEMA)?;
    let file = root.object(&["schema", "contacts"])?;
    let contacts: Result<Vec<ContactEntry>> =
        file.required("contacts")?.list()?.iter().map(read_contact).collect();
    Ok(ContactsFile { contacts: contacts? })
}

fn read_contact(cursor: &Cursor<'_>) -> Result<ContactEntry> {
    let fields = cursor.object(&FIELDS)?;
    let (from, end) = (fields.required("from")?.number()?, fields.required("to")?);
    let to = end.number()?;
    if to < from {
        return Err(end.invalid(format!("it ends at {to} s, before it begins at {from} s")));
    }
    let ease =
        |name: &str| fields.optional(name).map(|field| field.non_negative("an ease")).transpose();
    Ok(ContactEntry {
        joint: fields.required("joint")?.text()?.to_owned(),
        point: fields.optional("point").map(|point| point.point()).transpose()?,
        turn: fields.optional("turn").map(|turn| turn.rotation()).transpose()?,
        from,
        to,
        hold: read_hold(&fields)?,
        on: fields.optional("on").map(|on| read_support(&on)).transpose()?,
        ease_in: ease("ease_in")?,
        ease_out: ease("ease_out")?,
    })
}

/// The name of a joint, or the poses of what moves.
fn read_support(on: &Cursor<'_>) -> Result<SupportEntry> {
    if on.is_text() {
        return Ok(SupportEntry::Joint(on.text()?.to_owned()));
    }
    let mut keys: Vec<SupportKey> = Vec::new();
    for key in on.list()? {
        let fields = key.object(&["time", "at", "rotation"])?;
        let at_time = fields.required("time")?;
        let time = at_time.number()?;
        if let Some(last) = keys.last().filter(|last| last.time >= time) {
            return Err(at_time.invalid(format!("it is not after {} s, the one before", last.time)));
        }
        let at = fields.required("at")?.point()?;
        let rotation = fields.optional("rotation").map(|field| field.rotation()).transpose()?;
        keys.push(SupportKey { time, at, rotation });
    }
    if keys.is_empty() {
        return Err(on.invalid("what moves has no poses"));
    }
    Ok(SupportEntry::Moving(keys))
}

fn read_hold(fields: &Object<'_>) -> Result<HoldEntry> {
    let kind = fields.required("hold")?;
    let at = fields.optional("at").map(|at| at.point()).transpose()?;
    let refuse =
        |names: &[&str], word: &str| match names.iter().find_map(|name| fields.optional(name)) {
            Some(field) => Err(field.invalid(format!("has no meaning for the hold `{word}`"))),
            None => Ok(()),
        };
    match kind.text()? {
        "position" => {
            refuse(&["rotation", "normal"], "position")?;
            Ok(HoldEntry::Position { at })
        }
        "pose" => {
            refuse(&["normal"], "pose")?;
            let rotation = fields.optional("rotation").map(|field| field.rotation()).transpose()?;
            match (at, rotation) {
                (Some(at), Some(rotation)) => Ok(HoldEntry::Pose { at, rotation }),
                (None, None) => Ok(HoldEntry::OwnPose),
                _ => Err(kind.invalid("a pose has both `at` and `rotation`, or neither")),
            }
        }
        "surface" => {
            refuse(&["rotation"], "surface")?;
            let normal = fields.required("normal")?.direction("normal")?;
            Ok(HoldEntry::Surface { at: fields.required("at")?.point()?, normal })
        }
        other => {
            Err(kind.invalid(format!("expected `position`, `pose` or `surface`, found `{other}`")))
        }
    }
}
