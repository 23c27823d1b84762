//! Tables of values, as CSV and as Parquet.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

/// Number of rows in a row group. They are in memory at once. The number is fixed, so equal rows give equal bytes.
pub(super) const GROUP: usize = 65_536;

/// The type of a column; any value may be absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Whole,
    Real,
    Text,
}

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Absent,
    Whole(i64),
    Real(f64),
    Text(String),
}

/// A column's name and kind.
pub(super) type Column = (String, Kind);

/// A line of CSV: fields are quoted where necessary, numbers are in the shortest form that reads back to the same bits.
pub(super) fn csv_line(values: &[Value]) -> String {
    let field = |value: &Value| match value {
        Value::Absent => String::new(),
        Value::Whole(number) => number.to_string(),
        Value::Real(number) => format!("{number:?}"),
        Value::Text(text) => quoted(text),
    };
    values.iter().map(field).collect::<Vec<_>>().join(",") + "\n"
}

/// The header line.
pub(super) fn csv_head(columns: &[Column]) -> String {
    columns.iter().map(|(name, _)| quoted(name)).collect::<Vec<_>>().join(",") + "\n"
}

fn quoted(text: &str) -> String {
    let is_plain = |c: char| !matches!(c, ',' | '"' | '\n' | '\r');
    if text.chars().all(is_plain) && text.trim() == text {
        return text.to_owned();
    }
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A Parquet file that grows row by row.
pub(super) struct ParquetWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Column>,
    /// Rows of the group that is not full yet.
    rows: Vec<Vec<Value>>,
}

impl<W: Write + Send> ParquetWriter<W> {
    /// - `about`: names and texts in the file's metadata
    pub(super) fn new(
        to: W,
        columns: &[Column],
        about: &[(&str, String)],
    ) -> Result<Self, ParquetError> {
        let about =
            about.iter().map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone()));
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(about.collect()))
            .build();
        let properties = WriterPropertiesPtr::new(properties);
        let file = SerializedFileWriter::new(to, schema(columns)?, properties)?;
        Ok(Self { file, columns: columns.to_vec(), rows: Vec::new() })
    }

    /// Adds a row with a value for each column.
    pub(super) fn row(&mut self, row: Vec<Value>) -> Result<(), ParquetError> {
        self.rows.push(row);
        if self.rows.len() == GROUP { self.write_group() } else { Ok(()) }
    }

    /// Writes the last group and the footer.
    pub(super) fn finish(mut self) -> Result<W, ParquetError> {
        if !self.rows.is_empty() {
            self.write_group()?;
        }
        self.file.into_inner()
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        for index in 0..self.columns.len() {
            if let Some(column) = group.next_column()? {
                write_column(column, self.rows.iter().map(|row| &row[index]))?;
            }
        }
        group.close()?;
        self.rows.clear();
        Ok(())
    }
}

fn schema(columns: &[Column]) -> Result<TypePtr, ParquetError> {
    let field = |(name, kind): &Column| {
        let (physical, logical) = match kind {
            Kind::Whole => (Physical::INT64, None),
            Kind::Real => (Physical::DOUBLE, None),
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let field = Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        field.build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    Ok(Arc::new(Type::group_type_builder("rows").with_fields(fields).build()?))
}

fn write_column<'v>(
    mut column: SerializedColumnWriter<'_>,
    values: impl Iterator<Item = &'v Value> + Clone,
) -> Result<(), ParquetError> {
    let levels: Vec<i16> = values.clone().map(|value| (*value != Value::Absent).into()).collect();
    match column.untyped() {
        ColumnWriter::Int64ColumnWriter(_) => {
            let whole = |value: &Value| if let Value::Whole(n) = value { Some(*n) } else { None };
            let list: Vec<i64> = values.filter_map(whole).collect();
            column.typed::<Int64Type>().write_batch(&list, Some(&levels), None)?;
        }
        ColumnWriter::DoubleColumnWriter(_) => {
            let real = |value: &Value| if let Value::Real(x) = value { Some(*x) } else { None };
            let list: Vec<f64> = values.filter_map(real).collect();
            column.typed::<DoubleType>().write_batch(&list, Some(&levels), None)?;
        }
        _ => {
            let text = |value: &'v Value| match value {
                Value::Text(text) => Some(ByteArray::from(text.as_str())),
                _ => None,
            };
            let list: Vec<ByteArray> = values.filter_map(text).collect();
            column.typed::<ByteArrayType>().write_batch(&list, Some(&levels), None)?;
        }
    }
    column.close()
}

/// True for bytes that begin like a Parquet file.
pub(super) fn is_parquet(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PAR1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let text = |text: &str| Value::Text(text.to_owned());
        let row = [text("a"), text("a,b"), text("a\"b"), text(" a"), text("a\nb")];
        assert_eq!(csv_line(&row), "a,\"a,b\",\"a\"\"b\",\" a\",\"a\nb\"\n");
        let row = [Value::Whole(-3), Value::Absent, Value::Real(0.1), Value::Real(1e-9)];
        assert_eq!(csv_line(&row), "-3,,0.1,1e-9\n");
    }

    #[test]
    fn rows_beyond_a_group_are_kept() {
        use parquet::file::reader::{FileReader as _, SerializedFileReader};

        let columns = [("k".to_owned(), Kind::Whole), ("t".to_owned(), Kind::Text)];
        let mut writer = ParquetWriter::new(Vec::new(), &columns, &[]).unwrap();
        let count = i64::try_from(GROUP).unwrap() + 10;
        for k in 0..count {
            let text = if k % 2 == 0 { Value::Absent } else { Value::Text(k.to_string()) };
            writer.row(vec![Value::Whole(k), text]).unwrap();
        }
        let bytes = writer.finish().unwrap();
        let file = std::env::temp_dir().join(format!("posekit-sheet-{}", std::process::id()));
        std::fs::write(&file, bytes).unwrap();
        let reader = SerializedFileReader::new(std::fs::File::open(&file).unwrap()).unwrap();
        assert_eq!(reader.metadata().num_row_groups(), 2);
        let rows: Vec<String> = reader.into_iter().map(|row| row.unwrap().to_string()).collect();
        assert_eq!(rows.len(), GROUP + 10);
        assert_eq!(rows[3], "{k: 3, t: \"3\"}");
        assert_eq!(rows[GROUP], format!("{{k: {GROUP}, t: null}}"));
        std::fs::remove_file(file).unwrap();
    }
}
