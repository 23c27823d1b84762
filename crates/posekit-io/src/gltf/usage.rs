//! Finds the accessors on which nothing else depends, so that their numbers may be overwritten.

use std::collections::BTreeSet;

use super::accessors::{Accessor, Component, Lists};
use crate::error::Result;
use crate::json::{Cursor, Object, Spans};

/// A range of a buffer that something uses.
struct Claim {
    buffer: usize,
    start: u64,
    end: u64,
    /// The accessor that uses them; otherwise it is an image or something unknown.
    accessor: Option<usize>,
}

/// For each accessor, whether only one animation sampler uses it, and only it uses its bytes.
pub(super) fn own_accessors(file: &Object<'_>, lists: &Lists<'_>, spans: &Spans<'_>) -> Vec<bool> {
    let n = lists.accessors.len();
    let accessors: Result<Vec<Accessor<'_>>> = (0..n).map(|index| lists.accessor(index)).collect();
    // One that cannot be parsed may use any bytes.
    let Ok(accessors) = accessors else { return vec![false; n] };
    let Ok(mut claims) = claims(file, lists, &accessors) else { return vec![false; n] };
    let mut is_own: Vec<bool> = uses(file, n).iter().map(|&uses| uses == 1).collect();
    let mentioned = numbers_in_extensions(spans);
    for (index, accessor) in accessors.iter().enumerate() {
        let is_simple = accessor.component == Component::F32 && accessor.sparse.is_none();
        let span = accessor.span.filter(|span| is_simple && !span.is_strided);
        is_own[index] &= span.is_some_and(|span| {
            !mentioned.contains(&index)
                && !mentioned.contains(&span.view)
                && is_plain(&lists.accessors[index])
                && is_plain(&lists.views[span.view])
                && is_plain(&lists.buffers[span.buffer])
        });
    }
    claims.sort_by_key(|claim| (claim.buffer, claim.start));
    // The range so far with the largest end; a range that begins before it shares bytes with it.
    let mut farthest: Option<&Claim> = None;
    for claim in &claims {
        if let Some(before) =
            farthest.filter(|far| far.buffer == claim.buffer && claim.start < far.end)
        {
            let both = [before, claim].into_iter().filter_map(|claim| claim.accessor);
            both.for_each(|index| is_own[index] = false);
        }
        if farthest.is_none_or(|far| far.buffer != claim.buffer || claim.end > far.end) {
            farthest = Some(claim);
        }
    }
    is_own
}

/// The number of references to each accessor.
fn uses(file: &Object<'_>, n_accessors: usize) -> Vec<usize> {
    let mut uses = vec![0_usize; n_accessors];
    let mut count = |field: Option<Cursor<'_>>| {
        if let Some(used) =
            field.and_then(|field| field.as_index()).and_then(|index| uses.get_mut(index))
        {
            *used += 1;
        }
    };
    for animation in objects(file, "animations") {
        for sampler in objects(&animation, "samplers") {
            count(sampler.optional("input"));
            count(sampler.optional("output"));
        }
    }
    for skin in objects(file, "skins") {
        count(skin.optional("inverseBindMatrices"));
    }
    for primitive in objects(file, "meshes").iter().flat_map(|mesh| objects(mesh, "primitives")) {
        count(primitive.optional("indices"));
        let attributes = primitive.optional("attributes").and_then(|field| field.as_object());
        for attributes in attributes.into_iter().chain(objects(&primitive, "targets")) {
            attributes.fields().for_each(|(_, field)| count(Some(field)));
        }
    }
    uses
}

/// The ranges of buffers that accessors, images, and otherwise unused views occupy.
fn claims(file: &Object<'_>, lists: &Lists<'_>, accessors: &[Accessor<'_>]) -> Result<Vec<Claim>> {
    let mut claims = Vec::new();
    let mut is_plain_use = vec![false; lists.views.len()];
    for (index, accessor) in accessors.iter().enumerate() {
        for span in accessor.spans() {
            is_plain_use[span.view] = true;
            let (buffer, start, end) = (span.buffer, span.start, span.end);
            claims.push(Claim { buffer, start, end, accessor: Some(index) });
        }
    }
    for image in objects(file, "images") {
        let view = image.optional("bufferView").and_then(|view| view.as_index());
        if let Some(is_plain_use) = view.and_then(|view| is_plain_use.get_mut(view)) {
            *is_plain_use = false;
        }
    }
    for view in (0..lists.views.len()).filter(|&view| !is_plain_use[view]) {
        let view = lists.view(view)?;
        let (buffer, start) = (view.buffer, view.start);
        claims.push(Claim { buffer, start, end: start + view.length, accessor: None });
    }
    Ok(claims)
}

/// Every whole number in extensions and extras: any of them may refer to an accessor or a view.
fn numbers_in_extensions(spans: &Spans<'_>) -> BTreeSet<usize> {
    let mut numbers = BTreeSet::new();
    let mut value = spans.root();
    let end = spans.all_inside(spans.root()).end;
    while value < end {
        let is_open = spans.has_key(value, "extensions") || spans.has_key(value, "extras");
        let inside = if is_open { spans.all_inside(value) } else { value..value + 1 };
        if is_open {
            numbers.extend(inside.clone().filter_map(|value| spans.index(value)));
        }
        value = inside.end;
    }
    numbers
}

/// The elements of a list that are objects.
fn objects<'d>(parent: &Object<'d>, name: &str) -> Vec<Object<'d>> {
    let list = parent.optional(name).and_then(|list| list.as_list()).unwrap_or_default();
    list.iter().filter_map(Cursor::as_object).collect()
}

fn is_plain(cursor: &Cursor<'_>) -> bool {
    cursor.as_object().is_some_and(|fields| fields.optional("extensions").is_none())
}
