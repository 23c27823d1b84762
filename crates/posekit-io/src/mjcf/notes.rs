//! What the reader reports: each fault once, however often a replica or an attached model repeats it.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Place;
use crate::warnings::Warnings;
use crate::xml::{Element, Source, Unknown};

/// Collects warnings.
pub(super) struct Notes<'w, 'x> {
    warnings: &'w mut Warnings,
    sources: &'x [Source<'x>],
    said: BTreeSet<(usize, usize, String)>,
    /// Elements whose attributes and tags were looked at.
    seen: BTreeSet<(usize, usize)>,
    /// What was not understood, file by file.
    unknown: Vec<Unknown<'x>>,
    /// Elements that were counted, and as what.
    counted: BTreeSet<(usize, usize, &'static str)>,
    /// What is counted: the first place, and how many.
    skipped: BTreeMap<(&'static str, &'static str), (Place, usize)>,
}

impl<'w, 'x> Notes<'w, 'x> {
    pub(super) fn new(warnings: &'w mut Warnings, sources: &'x [Source<'x>]) -> Self {
        Self {
            warnings,
            sources,
            said: BTreeSet::new(),
            seen: BTreeSet::new(),
            counted: BTreeSet::new(),
            unknown: sources.iter().map(|_| Unknown::default()).collect(),
            skipped: BTreeMap::new(),
        }
    }

    /// One warning about an element; the same one again says nothing new.
    pub(super) fn warn(&mut self, element: Element<'x>, subject: &str, message: impl Into<String>) {
        let message = message.into();
        if self.said.insert((element.file(), element.byte(), message.clone())) {
            self.warnings.push(element.place(subject), message);
        }
    }

    /// Counts an element of a kind that is not read.
    pub(super) fn skip(&mut self, what: &'static str, element: Element<'x>) {
        self.count("not read: ", what, element);
    }

    /// Counts an element; all that are counted as the same thing give one warning.
    pub(super) fn count(
        &mut self,
        verdict: &'static str,
        what: &'static str,
        element: Element<'x>,
    ) {
        if self.counted.insert((element.file(), element.byte(), what)) {
            let first = || (element.place(""), 0);
            self.skipped.entry((verdict, what)).or_insert_with(first).1 += 1;
        }
    }

    /// Notes the attributes of an element that are not in `known`.
    pub(super) fn check_attributes(&mut self, element: Element<'x>, known: &[&str]) {
        if self.seen.insert((element.file(), element.byte())) {
            element.note_unknown_attributes(known, &mut self.unknown[element.file()]);
        }
    }

    /// Notes an element that the format does not have there.
    pub(super) fn unknown_tag(&mut self, element: Element<'x>) {
        if self.seen.insert((element.file(), element.byte())) {
            self.unknown[element.file()].note_any_tag(element);
        }
    }

    /// The warnings that need the whole file.
    pub(super) fn finish(self) {
        for (unknown, source) in self.unknown.iter().zip(self.sources) {
            unknown.report(source, self.warnings);
        }
        for ((verdict, what), (place, count)) in self.skipped {
            self.warnings.push(place, format!("{verdict}{what} ({count} of them)"));
        }
    }
}
