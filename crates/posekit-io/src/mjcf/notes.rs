//! Warnings of the reader: each fault once, however often a replica or an attached model repeats it.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Place;
use crate::warnings::Warnings;
use crate::xml::{Element, Source, Unknown};

/// Collects warnings.
pub(super) struct Notes<'w, 'x> {
    warnings: &'w mut Warnings,
    sources: &'x [Source<'x>],
    warned: BTreeSet<(usize, usize, String)>,
    /// Elements whose attributes and tags have been checked.
    seen: BTreeSet<(usize, usize)>,
    /// Unknown tags and attributes, file by file.
    unknown: Vec<Unknown<'x>>,
    /// Elements that were counted, with their kinds.
    counted: BTreeSet<(usize, usize, &'static str)>,
    /// The counts: the first place, and the number.
    skipped: BTreeMap<(&'static str, &'static str), (Place, usize)>,
}

impl<'w, 'x> Notes<'w, 'x> {
    pub(super) fn new(warnings: &'w mut Warnings, sources: &'x [Source<'x>]) -> Self {
        Self {
            warnings,
            sources,
            warned: BTreeSet::new(),
            seen: BTreeSet::new(),
            counted: BTreeSet::new(),
            unknown: sources.iter().map(|_| Unknown::default()).collect(),
            skipped: BTreeMap::new(),
        }
    }

    /// A warning about an element; duplicates are dropped.
    pub(super) fn warn(&mut self, element: Element<'x>, subject: &str, message: impl Into<String>) {
        let message = message.into();
        if self.warned.insert((element.file(), element.byte(), message.clone())) {
            self.warnings.push(element.place(subject), message);
        }
    }

    /// Counts an element of a kind that is not read.
    pub(super) fn skip(&mut self, what: &'static str, element: Element<'x>) {
        self.count("not read: ", what, element);
    }

    /// Counts an element; there is one warning for each kind.
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

    /// Notes an element that is unknown there.
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
