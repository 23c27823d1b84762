//! Names in the tree, with the prefixes of attached models and the suffixes of replicas, and the resolution of references.

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::xml::{Element, shortened};

/// The tree itself, outside of all replicas.
pub(super) const ROOT: usize = 0;

/// Replicas, and replicas inside replicas.
pub(super) struct Copies {
    /// The parent of each replica, and the suffix of its names. The first is [`ROOT`].
    list: Vec<(usize, String)>,
    /// The total length of all names so far in bytes.
    bytes: usize,
}

impl Copies {
    pub(super) fn new() -> Self {
        Self { list: vec![(ROOT, String::new())], bytes: 0 }
    }

    /// Adds a replica: the number `index` of `count`, with as many digits as `count` has.
    pub(super) fn add(
        &mut self,
        outside: usize,
        separator: &str,
        (index, count): (u64, u64),
        limits: &Limits,
    ) -> Result<usize> {
        if self.list.len() > limits.joints {
            let what = "the number of replicas".into();
            return Err(Error::TooLarge { what, limit: limits.joints, field: "joints" });
        }
        let width = count.to_string().len();
        // The number of an inner replica comes before that of the outer one.
        let suffix = format!("{separator}{index:0width$}{}", self.list[outside].1);
        self.spend(suffix.len(), limits)?;
        self.list.push((outside, suffix));
        Ok(self.list.len() - 1)
    }

    pub(super) fn suffix(&self, copy: usize) -> &str {
        &self.list[copy].1
    }

    /// Counts bytes of names, which replicas multiply.
    pub(super) fn spend(&mut self, bytes: usize, limits: &Limits) -> Result<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > limits.file_bytes {
            let what = "the length in bytes of all names, replicas included,".into();
            return Err(Error::TooLarge { what, limit: limits.file_bytes, field: "file_bytes" });
        }
        Ok(())
    }

    /// Whether two elements belong together: they are in the same replica, or one is in a replica nested in that of the other.
    pub(super) fn belong_together(&self, a: usize, b: usize) -> bool {
        // A replica comes after the one that it is in.
        let (mut inner, outer) = (a.max(b), a.min(b));
        while inner > outer {
            inner = self.list[inner].0;
        }
        inner == outer
    }
}

/// The names of one kind of element.
pub(super) struct Names<'x> {
    kind: &'static str,
    /// By full name: the index, and the line of the element.
    full: BTreeMap<String, (usize, usize)>,
    /// By the name in a model: the replica and the index of each.
    plain: BTreeMap<(usize, &'x str), Vec<(usize, usize)>>,
}

impl<'x> Names<'x> {
    pub(super) const fn new(kind: &'static str) -> Self {
        Self { kind, full: BTreeMap::new(), plain: BTreeMap::new() }
    }

    /// A predefined name of the format.
    pub(super) fn reserve(&mut self, name: &str, index: usize) {
        self.full.insert(name.to_owned(), (index, 0));
    }

    /// Adds a name; `plain` is the model it is in, and the name there.
    pub(super) fn add(
        &mut self,
        plain: (usize, &'x str),
        copy: usize,
        full: &str,
        element: Element<'x>,
        index: usize,
    ) -> Result<()> {
        if let Some((_, first_line)) = self.full.insert(full.to_owned(), (index, element.line())) {
            let subject = format!("{} `{}`", self.kind, shortened(full));
            let message = format!("a second {} of this name", self.kind);
            return Err(Error::Duplicate { place: element.place(subject), message, first_line });
        }
        self.plain.entry(plain).or_default().push((copy, index));
        Ok(())
    }

    /// The kind of the elements in messages.
    pub(super) const fn kind(&self) -> &'static str {
        self.kind
    }

    pub(super) fn has(&self, full: &str) -> bool {
        self.full.contains_key(full)
    }

    /// Gives the elements other indices.
    pub(super) fn renumber(&mut self, new_of_old: &[usize]) {
        let full = self.full.values_mut().map(|(index, _)| index);
        let plain = self.plain.values_mut().flatten().map(|(_, index)| index);
        full.chain(plain).for_each(|index| *index = new_of_old[*index]);
    }

    /// Resolves a reference in a model: the element with that full name, or else every replica of the element with that name, with its replica.
    pub(super) fn find(&self, scope: usize, prefix: &str, name: &str) -> Vec<(usize, usize)> {
        match (self.plain.get(&(scope, name)), self.full.get(&format!("{prefix}{name}"))) {
            (Some(list), _) => list.clone(),
            (None, Some(&(index, _))) => vec![(ROOT, index)],
            (None, None) => Vec::new(),
        }
    }
}
