//! Writing contacts.

use super::{CONTACTS_SCHEMA, ContactEntry, ContactsFile, HoldEntry, SupportEntry};
use crate::error::Result;
use crate::json::{Fields, list_in_lines, number, numbers, text_value};

pub(super) fn write(contacts: &ContactsFile) -> Result<String> {
    let lines: Result<Vec<String>> =
        contacts.contacts.iter().enumerate().map(|(index, entry)| line(entry, index)).collect();
    let mut file = Fields::new();
    file.add("schema", text_value(CONTACTS_SCHEMA));
    file.add("contacts", list_in_lines(&lines?));
    Ok(file.file())
}

fn line(entry: &ContactEntry, index: usize) -> Result<String> {
    let name = |field: &str| format!("contacts[{index}].{field}");
    let list = |field: &str, values: &[f64]| numbers(values, &name(field));
    let mut fields = Fields::new();
    fields.add("joint", text_value(&entry.joint));
    fields.add_some("point", entry.point.map(|point| list("point", &point)).transpose()?);
    fields.add_some("turn", entry.turn.map(|turn| list("turn", &turn)).transpose()?);
    fields.add("from", number(entry.from, &name("from"))?);
    fields.add("to", number(entry.to, &name("to"))?);
    let (word, at, rotation, normal) = match entry.hold {
        HoldEntry::Position(at) => ("position", at, None, None),
        HoldEntry::Pose(goal) => ("pose", goal.map(|goal| goal.0), goal.map(|goal| goal.1), None),
        HoldEntry::Surface { at, normal } => ("surface", Some(at), None, Some(normal)),
    };
    fields.add("hold", text_value(word));
    fields.add_some("at", at.map(|at| list("at", &at)).transpose()?);
    let rotation = rotation.map(|rotation| list("rotation", &rotation));
    fields.add_some("rotation", rotation.transpose()?);
    fields.add_some("normal", normal.map(|normal| list("normal", &normal)).transpose()?);
    fields.add_some("on", entry.on.as_ref().map(|on| support(on, &name("on"))).transpose()?);
    for (field, ease) in [("ease_in", entry.ease_in), ("ease_out", entry.ease_out)] {
        fields.add_some(field, ease.map(|ease| number(ease, &name(field))).transpose()?);
    }
    Ok(fields.inline())
}

fn support(on: &SupportEntry, name: &str) -> Result<String> {
    let keys = match on {
        SupportEntry::Joint(joint) => return Ok(text_value(joint)),
        SupportEntry::Moving(keys) => keys,
    };
    let key = |(index, key): (usize, &super::SupportKey)| {
        let name = |field: &str| format!("{name}[{index}].{field}");
        let mut fields = Fields::new();
        fields.add("time", number(key.time, &name("time"))?);
        fields.add("at", numbers(&key.at, &name("at"))?);
        let rotation = key.rotation.map(|rotation| numbers(&rotation, &name("rotation")));
        fields.add_some("rotation", rotation.transpose()?);
        Ok(fields.inline())
    };
    let keys: Result<Vec<String>> = keys.iter().enumerate().map(key).collect();
    Ok(format!("[{}]", keys?.join(", ")))
}
