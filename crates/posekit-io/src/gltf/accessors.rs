//! Accessors: numbers inside buffers. Offsets, strides and counts are added and multiplied with overflow checks, and compared with the actual sizes before
//! anything is read or allocated.

use core::ops::Range;

use super::buffers::Buffers;
use super::channels::warn;
use super::nodes::read_index;
use crate::error::{Error, Result};
use crate::json::{Cursor, Object};
use crate::warnings::Warnings;

/// The name of extensions that compress buffer views, after the vendor's prefix.
const COMPRESSION: &str = "meshopt_compression";

/// Prefixes of the names of extensions that concern only rendering.
const HARMLESS: [&str; 8] = [
    "KHR_materials_",
    "KHR_texture_",
    "KHR_lights_",
    "KHR_draco_",
    "KHR_mesh_quantization",
    "KHR_gaussian_",
    "EXT_texture_",
    "MSFT_texture_",
];

/// The lists that locate numbers.
#[derive(Debug)]
pub(super) struct Lists<'d> {
    pub(super) accessors: Vec<Cursor<'d>>,
    pub(super) views: Vec<Cursor<'d>>,
    pub(super) buffers: Vec<Cursor<'d>>,
    /// The extensions that the file requires.
    required: Vec<Cursor<'d>>,
}

/// The numbers of a list of vectors or matrices.
#[derive(Debug)]
pub(super) struct Accessor<'d> {
    pub(super) cursor: Cursor<'d>,
    pub(super) component: Component,
    pub(super) is_normalized: bool,
    /// `SCALAR`, `VEC3` and so on.
    pub(super) kind: &'d str,
    /// The number of components of an element.
    pub(super) width: usize,
    /// The number of elements.
    pub(super) count: u64,
    /// The place of the elements; without one they are zeros.
    pub(super) span: Option<Span>,
    /// The sparse replacements.
    pub(super) sparse: Option<Sparse<'d>>,
    /// Whether `min` and `max` are given.
    pub(super) has_bounds: bool,
}

/// The type of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

/// Elements at equal distances in a buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) view: usize,
    pub(super) buffer: usize,
    /// The offset of the first one \[bytes\].
    pub(super) start: u64,
    /// The distance between two \[bytes\].
    pub(super) stride: u64,
    /// The end of the last one \[bytes\].
    pub(super) end: u64,
    /// Whether the stride is given.
    pub(super) is_strided: bool,
}

/// Elements that replace others.
#[derive(Debug)]
pub(super) struct Sparse<'d> {
    indices_cursor: Cursor<'d>,
    pub(super) count: u64,
    pub(super) indices: Span,
    index_form: Component,
    pub(super) values: Span,
}

/// A part of a buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    pub(super) buffer: usize,
    pub(super) start: u64,
    pub(super) length: u64,
    stride: Option<u64>,
}

/// The requirements for a span: the number of elements, and the sizes of an element and of a number.
#[derive(Debug, Clone, Copy)]
struct Required {
    count: u64,
    size: u64,
    number_size: u64,
    may_stride: bool,
}

impl<'d> Lists<'d> {
    pub(super) fn read(file: &Object<'d>) -> Result<Self> {
        let list = |name| file.optional(name).map_or(Ok(Vec::new()), |list| list.list());
        let (accessors, views) = (list("accessors")?, list("bufferViews")?);
        Ok(Self {
            accessors,
            views,
            buffers: list("buffers")?,
            required: list("extensionsRequired")?,
        })
    }

    /// Warns of required extensions, except those that do not affect nodes and animations, or that are
    /// refused where an animation needs them.
    pub(super) fn warn_of_required(&self, warnings: &mut Warnings) {
        let is_harmless = |name: &str| {
            name.ends_with(COMPRESSION)
                || HARMLESS.iter().any(|harmless| name.starts_with(harmless))
        };
        for cursor in self.required.iter().filter(|name| !name.as_text().is_some_and(is_harmless)) {
            warn(warnings, cursor, "the file requires this extension, which is not supported");
        }
    }

    /// Reads the description of an accessor, not its numbers.
    pub(super) fn accessor(&self, index: usize) -> Result<Accessor<'d>> {
        let cursor = self.accessors[index].clone();
        let fields = cursor.any_object()?;
        let component = Component::read(&fields.required("componentType")?)?;
        let kind = fields.required("type")?;
        let shape = shape(kind.text()?);
        let (rows, columns) =
            shape.ok_or_else(|| kind.invalid("expected SCALAR, VEC2 to VEC4 or MAT2 to MAT4"))?;
        let count = positive(&fields.required("count")?)?;
        let size = element_size(rows, columns, component);
        let required = Required { count, size, number_size: component.size(), may_stride: true };
        let span = match fields.optional("bufferView") {
            Some(view) => Some(self.span(&cursor, &fields, &view, required)?),
            None => None,
        };
        let sparse = match fields.optional("sparse") {
            Some(sparse) => Some(self.sparse(&sparse, required)?),
            None => None,
        };
        let is_normalized = fields.optional("normalized").map_or(Ok(false), |flag| flag.flag())?;
        let has_bounds = ["min", "max"].iter().all(|bound| fields.optional(bound).is_some());
        let (kind, width) = (kind.text()?, rows * columns);
        Ok(Accessor {
            cursor,
            component,
            is_normalized,
            kind,
            width,
            count,
            span,
            sparse,
            has_bounds,
        })
    }

    fn sparse(&self, cursor: &Cursor<'d>, elements: Required) -> Result<Sparse<'d>> {
        let fields = cursor.any_object()?;
        let count = fields.required("count")?;
        let n = positive(&count)?;
        if n > elements.count {
            let all = elements.count;
            return Err(count
                .invalid(format!("{n} sparse elements replace others, but there are only {all}")));
        }
        let (indices, values) = (fields.required("indices")?, fields.required("values")?);
        let (index_fields, value_fields) = (indices.any_object()?, values.any_object()?);
        let form = index_fields.required("componentType")?;
        let index_form = Component::read(&form)?;
        if !matches!(index_form, Component::U8 | Component::U16 | Component::U32) {
            return Err(form.invalid("indices are unsigned whole numbers: 5121, 5123 or 5125"));
        }
        let size = index_form.size();
        let required = Required { count: n, size, number_size: size, may_stride: false };
        let view = index_fields.required("bufferView")?;
        let index_span = self.span(&indices, &index_fields, &view, required)?;
        let required = Required { count: n, may_stride: false, ..elements };
        let view = value_fields.required("bufferView")?;
        let values = self.span(&values, &value_fields, &view, required)?;
        Ok(Sparse { indices_cursor: indices, count: n, indices: index_span, index_form, values })
    }

    /// The place of elements, from the object that has `byteOffset`.
    fn span(
        &self,
        cursor: &Cursor<'d>,
        fields: &Object<'d>,
        reference: &Cursor<'d>,
        required: Required,
    ) -> Result<Span> {
        let index = read_index(reference, self.views.len(), "buffer view")?;
        let view = self.view(index)?;
        let offset = optional_count(fields, "byteOffset")?;
        let stride = view.stride.filter(|_| required.may_stride);
        if let Some(stride) = stride.filter(|&stride| stride < required.size) {
            let size = required.size;
            let message = format!(
                "elements of {size} bytes do not fit into a stride of {stride} (bufferViews[{index}])"
            );
            return Err(cursor.invalid(message));
        }
        let stride_or_size = stride.unwrap_or(required.size);
        let end = (required.count - 1)
            .checked_mul(stride_or_size)
            .and_then(|last| last.checked_add(offset)?.checked_add(required.size))
            .filter(|&end| end <= view.length);
        let Some(end) = end else {
            let Required { count, size, .. } = required;
            let message = format!(
                "{count} elements of {size} bytes, {stride_or_size} apart, from byte {offset} on, are more than the {} bytes of bufferViews[{index}]",
                view.length
            );
            return Err(cursor.invalid(message));
        };
        let start = view.start + offset;
        if !start.is_multiple_of(required.number_size)
            || !stride_or_size.is_multiple_of(required.number_size)
        {
            let message = format!(
                "numbers of {} bytes begin at a multiple of their size",
                required.number_size
            );
            return Err(cursor.invalid(message));
        }
        let (buffer, end, is_strided) = (view.buffer, view.start + end, stride.is_some());
        Ok(Span { view: index, buffer, start, stride: stride_or_size, end, is_strided })
    }

    /// A buffer view, which is inside the declared length of its buffer.
    pub(super) fn view(&self, index: usize) -> Result<View> {
        let cursor = &self.views[index];
        let fields = cursor.any_object()?;
        let buffer = read_index(&fields.required("buffer")?, self.buffers.len(), "buffer")?;
        let start = optional_count(&fields, "byteOffset")?;
        let length = positive(&fields.required("byteLength")?)?;
        let whole = u64::from(self.buffers[buffer].any_object()?.required("byteLength")?.count()?);
        if start.checked_add(length).is_none_or(|end| end > whole) {
            let message = format!(
                "{length} bytes from byte {start} on are more than the {whole} of buffers[{buffer}]"
            );
            return Err(cursor.invalid(message));
        }
        let stride = fields.optional("byteStride").map(|stride| positive(&stride)).transpose()?;
        Ok(View { buffer, start, length, stride })
    }

    /// Refuses numbers that are available only in compressed form.
    pub(super) fn check_compression(&self, accessor: &Accessor<'d>) -> Result<()> {
        for view in accessor.spans().map(|span| &self.views[span.view]) {
            let fields = view.any_object()?;
            let Some(extensions) = fields.optional("extensions") else { continue };
            let object = extensions.any_object()?;
            let Some((name, place)) = object.fields().find(|(name, _)| name.ends_with(COMPRESSION))
            else {
                continue;
            };
            let buffer = read_index(&fields.required("buffer")?, self.buffers.len(), "buffer")?;
            let is_stand_in =
                buffer > 0 && self.buffers[buffer].any_object()?.optional("uri").is_none();
            let is_required = self.required.iter().any(|required| required.as_text() == Some(name));
            if is_stand_in || is_required {
                let message = format!(
                    "these bytes are compressed by {name}, which is not supported; save the animations without it"
                );
                return Err(Error::Unsupported { place: place.place(), message });
            }
        }
        Ok(())
    }
}

impl<'d> Accessor<'d> {
    /// The places of its numbers and of sparse replacements.
    pub(super) fn spans(&self) -> impl Iterator<Item = Span> + '_ {
        let sparse = self.sparse.iter().flat_map(|sparse| [sparse.indices, sparse.values]);
        self.span.into_iter().chain(sparse)
    }

    /// All numbers, element by element; normalised integers as the numbers that they represent.
    ///
    /// The allocation is in proportion to the data only if there is a span; callers check the count otherwise.
    pub(super) fn read(
        &self,
        lists: &Lists<'d>,
        buffers: &mut Buffers<'_, 'd>,
    ) -> Result<Vec<f64>> {
        let count = self.size_of(self.count)?;
        let mut numbers = match &self.span {
            Some(span) => {
                let bytes = elements(span, lists, buffers)?;
                let mut numbers = Vec::with_capacity(count.saturating_mul(self.width));
                let stride = self.size_of(span.stride)?;
                (0..count).for_each(|i| self.read_element(&bytes[i * stride..], &mut numbers));
                numbers
            }
            None => vec![0.0; count.saturating_mul(self.width)],
        };
        if let Some(sparse) = &self.sparse {
            self.replace(sparse, &mut numbers, lists, buffers)?;
        }
        Ok(numbers)
    }

    fn read_element(&self, bytes: &[u8], out: &mut Vec<f64>) {
        let size = self.component.bytes();
        let parts = bytes.chunks_exact(size).take(self.width);
        out.extend(parts.map(|part| self.component.number(part, self.is_normalized)));
    }

    fn replace(
        &self,
        sparse: &Sparse<'d>,
        numbers: &mut [f64],
        lists: &Lists<'d>,
        buffers: &mut Buffers<'_, 'd>,
    ) -> Result<()> {
        let size = sparse.index_form.bytes();
        let indices: Vec<u64> = elements(&sparse.indices, lists, buffers)?
            .chunks_exact(size)
            .map(whole_number)
            .collect();
        let bytes = elements(&sparse.values, lists, buffers)?;
        let stride = self.size_of(sparse.values.stride)?;
        let mut element = Vec::with_capacity(self.width);
        let mut before = None;
        for (i, &index) in indices.iter().enumerate() {
            if index >= self.count || before.is_some_and(|before| before >= index) {
                let message = format!(
                    "index {index} is beyond the {} elements, or not above the previous one",
                    self.count
                );
                return Err(sparse.indices_cursor.invalid(message));
            }
            before = Some(index);
            element.clear();
            self.read_element(&bytes[i * stride..], &mut element);
            let start = self.size_of(index)? * self.width;
            numbers[start..start + self.width].copy_from_slice(&element);
        }
        Ok(())
    }

    fn size_of(&self, number: u64) -> Result<usize> {
        usize::try_from(number)
            .map_err(|_| self.cursor.invalid("is larger than this machine's memory"))
    }
}

/// The bytes of a span.
fn elements<'b, 'd>(
    span: &Span,
    lists: &Lists<'d>,
    buffers: &'b mut Buffers<'_, 'd>,
) -> Result<&'b [u8]> {
    let bytes = buffers.load(lists, span.buffer)?;
    let range = usize::try_from(span.start).ok().zip(usize::try_from(span.end).ok());
    let found = range.and_then(|(start, end)| bytes.get(Range { start, end }));
    found.ok_or_else(|| lists.views[span.view].invalid("the buffer is shorter than it declares"))
}

impl Component {
    fn read(cursor: &Cursor<'_>) -> Result<Self> {
        Ok(match cursor.count()? {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            other => {
                let message =
                    format!("{other} is not a component type; 5120 to 5123, 5125 and 5126 are");
                return Err(cursor.invalid(message));
            }
        })
    }

    const fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    pub(super) const fn size(self) -> u64 {
        self.bytes() as u64
    }

    /// Its name in the format.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::I8 => "BYTE",
            Self::U8 => "UNSIGNED_BYTE",
            Self::I16 => "SHORT",
            Self::U16 => "UNSIGNED_SHORT",
            Self::U32 => "UNSIGNED_INT",
            Self::F32 => "FLOAT",
        }
    }

    /// The number that these bytes represent; there are as many as its type has.
    fn number(self, bytes: &[u8], is_normalized: bool) -> f64 {
        let (number, one) = match (self, bytes) {
            (Self::F32, &[a, b, c, d]) => return f64::from(f32::from_le_bytes([a, b, c, d])),
            (Self::I8, &[a]) => (f64::from(i8::from_le_bytes([a])), f64::from(i8::MAX)),
            (Self::I16, &[a, b]) => (f64::from(i16::from_le_bytes([a, b])), f64::from(i16::MAX)),
            (Self::U8, &[a]) => (f64::from(a), f64::from(u8::MAX)),
            (Self::U16, &[a, b]) => (f64::from(u16::from_le_bytes([a, b])), f64::from(u16::MAX)),
            (_, bytes) => (whole_number(bytes) as f64, f64::from(u32::MAX)),
        };
        if is_normalized { (number / one).max(-1.0) } else { number }
    }
}

/// An unsigned integer, little-endian.
fn whole_number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Rows and columns of an element.
fn shape(kind: &str) -> Option<(usize, usize)> {
    Some(match kind {
        "SCALAR" => (1, 1),
        "VEC2" => (2, 1),
        "VEC3" => (3, 1),
        "VEC4" => (4, 1),
        "MAT2" => (2, 2),
        "MAT3" => (3, 3),
        "MAT4" => (4, 4),
        _ => return None,
    })
}

/// The size of an element in bytes; the columns of a matrix begin at multiples of 4.
const fn element_size(rows: usize, columns: usize, component: Component) -> u64 {
    let column = rows * component.bytes();
    let bytes = if columns > 1 { columns * column.next_multiple_of(4) } else { column };
    bytes as u64
}

fn positive(cursor: &Cursor<'_>) -> Result<u64> {
    match cursor.count()? {
        0 => Err(cursor.invalid("must be at least 1")),
        count => Ok(u64::from(count)),
    }
}

fn optional_count(fields: &Object<'_>, name: &str) -> Result<u64> {
    fields.optional(name).map_or(Ok(0), |field| field.count().map(u64::from))
}
