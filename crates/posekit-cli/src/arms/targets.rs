//! Files of targets: JSON lines, CSV and Parquet, read row by row. A bad row does not stop the others.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read, Seek as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::{Field, reader::RowIter};
use posekit::glam::{DMat3, DQuat, DVec3};
use posekit::math::rotation_about;
use serde::Deserialize;

use super::sheet::is_parquet;
use crate::failure::{Failure, Result};
use crate::input::STDIN;
use crate::output::{is_dash, warn};

/// The target of a tip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Target {
    pub(super) position: DVec3,
    /// `None` if the orientation is free.
    pub(super) orientation: Option<DQuat>,
    /// The time on a path \[s\].
    pub(super) time: Option<f64>,
}

/// A target, or an error with its location.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// From 1.
    pub(super) number: usize,
    pub(super) target: core::result::Result<Target, String>,
}

/// The rows of a file.
pub(super) struct Targets {
    source: Source,
    n_read: usize,
    name: String,
}

enum Source {
    JsonLines(Lines),
    Csv(Lines, Layout),
    Parquet(Box<RowIter<'static>>, Layout),
}

/// The longest line that is read \[bytes\].
const LONGEST: u64 = 1 << 16;

/// The largest number in a target, as in all files: squares stay finite.
const LARGEST: f64 = 1e100;

/// The number of bytes read at once.
const BUFFER: usize = 1 << 18;

impl Targets {
    /// Opens a file, or standard input for `-`.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let is_input = is_dash(path);
        let name = if is_input { STDIN.to_owned() } else { path.display().to_string() };
        let in_file = |message: String| Failure::in_file(message, &name);
        let cannot = |error: std::io::Error| in_file(format!("cannot read the file: {error}"));
        let reader: Box<dyn Read> = if is_input {
            Box::new(std::io::stdin())
        } else {
            let mut file = File::open(path).map_err(cannot)?;
            let mut head = [0; 4];
            let n_read = file.read(&mut head).map_err(cannot)?;
            if is_parquet(&head[..n_read]) {
                let source = parquet(file).map_err(in_file)?;
                return Ok(Self { source, n_read: 0, name });
            }
            file.rewind().map_err(cannot)?;
            Box::new(file)
        };
        let mut lines = Lines::new(reader).map_err(in_file)?;
        let source = match lines.first_byte().map_err(in_file)? {
            Some(b'{') => Source::JsonLines(lines),
            Some(_) => csv(lines, &name).map_err(in_file)?,
            None => return Err(in_file("there are no targets in the file".to_owned())),
        };
        Ok(Self { source, n_read: 0, name })
    }

    /// The next rows that are available without waiting, at most this many; none at the end.
    pub(super) fn next_rows(&mut self, most: usize) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        while rows.len() < most && (rows.is_empty() || self.source.is_at_hand()) {
            let next = self.source.next().map_err(|error| Failure::in_file(error, &self.name))?;
            let Some(target) = next else { break };
            self.n_read += 1;
            rows.push(Row { number: self.n_read, target });
        }
        Ok(rows)
    }
}

/// A target, or its error; an error of the whole file is the outer one.
type Next = core::result::Result<Option<core::result::Result<Target, String>>, String>;

impl Source {
    fn is_at_hand(&self) -> bool {
        match self {
            Self::JsonLines(lines) | Self::Csv(lines, _) => lines.is_at_hand(),
            Self::Parquet(..) => true,
        }
    }

    fn next(&mut self) -> Next {
        match self {
            Self::JsonLines(lines) => {
                let is_first = lines.n_taken == 0;
                let Some((line, text)) = lines.next()? else { return Ok(None) };
                if is_first && text.as_ref().is_ok_and(|text| ends_inside(text)) {
                    return Err(format!(
                        "line {line} ends inside an object; give one target per line (JSON lines)"
                    ));
                }
                let target = text.and_then(|text| json_target(&text));
                Ok(Some(target.map_err(|error| format!("line {line}, {error}"))))
            }
            Self::Csv(lines, layout) => {
                let Some((line, text)) = lines.next()? else { return Ok(None) };
                let target = text.and_then(|text| csv_target(&text, layout));
                Ok(Some(target.map_err(|error| format!("line {line}, {error}"))))
            }
            Self::Parquet(rows, layout) => {
                let Some(row) = guarded(|| rows.next().transpose())? else { return Ok(None) };
                let fields: Vec<&Field> = row.get_column_iter().map(|(_, field)| field).collect();
                Ok(Some(layout.target(|column| match fields.get(column) {
                    Some(Field::Double(x)) => Ok(*x),
                    Some(Field::Float(x)) => Ok(f64::from(*x)),
                    Some(Field::Int(x)) => Ok(f64::from(*x)),
                    Some(Field::Long(x)) => Ok(*x as f64),
                    Some(Field::Null) | None => Err("is missing".to_owned()),
                    Some(_) => Err("is not a number".to_owned()),
                })))
            }
        }
    }
}

/// Runs a reader that a damaged file could make panic.
pub(super) fn guarded<T>(
    work: impl FnOnce() -> parquet::errors::Result<T>,
) -> core::result::Result<T, String> {
    let damaged = |_| "the Parquet file is damaged".to_owned();
    let result = catch_unwind(AssertUnwindSafe(work)).map_err(damaged)?;
    result.map_err(|error| format!("cannot read the Parquet file: {error}"))
}

fn parquet(file: File) -> core::result::Result<Source, String> {
    let reader = guarded(|| SerializedFileReader::new(file))?;
    let schema = reader.metadata().file_metadata().schema_descr();
    let fields = schema.root_schema().get_fields();
    let names: Vec<String> = fields.iter().map(|field| field.name().to_owned()).collect();
    let (layout, unread) = Layout::of(&names)?;
    warn_of_unread(&unread);
    Ok(Source::Parquet(Box::new(reader.into_iter()), layout))
}

/// Numbered lines of a stream, without blank ones.
struct Lines {
    reader: BufReader<Box<dyn Read>>,
    /// The number of all lines read, and of those that were not blank.
    n_read: usize,
    n_taken: usize,
}

impl Lines {
    /// Skips a byte-order mark.
    fn new(reader: Box<dyn Read>) -> core::result::Result<Self, String> {
        let mut reader = BufReader::with_capacity(BUFFER, reader);
        let head = reader.fill_buf().map_err(cannot_read)?;
        if head.starts_with(b"\xef\xbb\xbf") {
            reader.consume(3);
        } else if is_parquet(head) {
            return Err("Parquet is read from a file, not from standard input".to_owned());
        }
        Ok(Self { reader, n_read: 0, n_taken: 0 })
    }

    /// The first byte that is not blank, without consuming it.
    fn first_byte(&mut self) -> core::result::Result<Option<u8>, String> {
        loop {
            let Some(&byte) = self.reader.fill_buf().map_err(cannot_read)?.first() else {
                return Ok(None);
            };
            if !byte.is_ascii_whitespace() {
                return Ok(Some(byte));
            }
            self.n_read += usize::from(byte == b'\n');
            self.reader.consume(1);
        }
    }

    /// Whether a line is available without waiting.
    fn is_at_hand(&self) -> bool {
        self.reader.buffer().contains(&b'\n')
    }

    /// The next line that is not blank, and its number from 1.
    #[expect(clippy::type_complexity, reason = "a numbered line, whose text may be bad")]
    fn next(
        &mut self,
    ) -> core::result::Result<Option<(usize, core::result::Result<String, String>)>, String> {
        loop {
            let mut bytes = Vec::new();
            let line = self.reader.by_ref().take(LONGEST).read_until(b'\n', &mut bytes);
            if line.map_err(cannot_read)? == 0 {
                return Ok(None);
            }
            self.n_read += 1;
            if bytes.len() as u64 == LONGEST && bytes.last() != Some(&b'\n') {
                return Err(format!("line {} is longer than {LONGEST} bytes", self.n_read));
            }
            let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned());
            if text.as_ref().is_ok_and(|text| text.trim().is_empty()) {
                continue;
            }
            self.n_taken += 1;
            return Ok(Some((self.n_read, text)));
        }
    }
}

fn cannot_read(error: std::io::Error) -> String {
    format!("cannot read the file: {error}")
}

/// A target as a line of JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `position`")]
struct JsonTarget {
    position: [f64; 3],
    orientation: Option<[f64; 4]>,
    rpy: Option<[f64; 3]>,
    matrix: Option<[[f64; 3]; 3]>,
    time: Option<f64>,
}

/// Whether a line ends before its object does.
fn ends_inside(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_err_and(|error| error.is_eof())
}

fn json_target(text: &str) -> core::result::Result<Target, String> {
    let target: JsonTarget = serde_json::from_str(text).map_err(|error| {
        // There is only one line, so only the column is useful.
        let (column, message) = (error.column(), error.to_string());
        let message = message.split(" at line ").next().unwrap_or_default();
        format!("column {column}: {message}")
    })?;
    let JsonTarget { position, orientation, rpy, matrix, time } = target;
    let numbers = position.iter().chain(rpy.iter().flatten()).chain(&time);
    if let Some(number) = numbers.copied().find(|number| number.abs() > LARGEST) {
        return Err(format!("{number:?} is larger than {LARGEST:?}"));
    }
    let orientation = match (orientation, rpy, matrix) {
        (None, None, None) => None,
        (Some(quaternion), None, None) => Some(unit(quaternion, "orientation")?),
        (None, Some(angles), None) => Some(of_angles(angles)),
        (None, None, Some(rows)) => Some(of_matrix(rows, "matrix")?),
        _ => return Err("only one of orientation, rpy and matrix may be given".to_owned()),
    };
    Ok(Target { position: DVec3::from_array(position), orientation, time })
}

/// The columns of the header, which is the first line.
fn csv(mut lines: Lines, name: &str) -> core::result::Result<Source, String> {
    let Some((line, head)) = lines.next()? else {
        return Err("there are no targets in the file".to_owned());
    };
    let at_head = |error: String| format!("line {line}: {error}");
    let names: Vec<String> = fields(&head.map_err(at_head)?).map(str::to_owned).collect();
    let (layout, unread) = Layout::of(&names).map_err(at_head)?;
    warn_of_unread(&unread.iter().map(|column| format!("{column}: {name}")).collect::<Vec<_>>());
    Ok(Source::Csv(lines, layout))
}

fn warn_of_unread(columns: &[String]) {
    for column in columns {
        warn(&format!("this column is not read: {column}"));
    }
}

fn fields(line: &str) -> impl Iterator<Item = &str> {
    line.trim_end_matches(['\n', '\r']).split(',').map(|field| {
        let field = field.trim();
        field.strip_prefix('"').and_then(|field| field.strip_suffix('"')).unwrap_or(field)
    })
}

fn csv_target(text: &str, layout: &Layout) -> core::result::Result<Target, String> {
    let fields: Vec<&str> = fields(text).collect();
    if fields.len() != layout.n_columns {
        let (found, expected) = (fields.len(), layout.n_columns);
        return Err(format!("it has {found} fields, expected {expected}"));
    }
    layout.target(|column| match fields[column] {
        "" => Err("is missing".to_owned()),
        text => text.parse().map_err(|_| format!("is not a number: {text}")),
    })
}

/// The columns that contain the numbers of a target.
#[derive(Debug, Clone, PartialEq)]
struct Layout {
    n_columns: usize,
    position: [usize; 3],
    orientation: Option<Turned>,
    time: Option<usize>,
}

/// The columns of an orientation.
#[derive(Debug, Clone, PartialEq)]
enum Turned {
    Quaternion([usize; 4]),
    Angles([usize; 3]),
    Matrix([usize; 9]),
}

const POSITION: [&str; 3] = ["x", "y", "z"];
const QUATERNION: [&str; 4] = ["qx", "qy", "qz", "qw"];
const ANGLES: [&str; 3] = ["roll", "pitch", "yaw"];
const TIME: [&str; 1] = ["time"];
const MATRIX: [&str; 9] = ["r11", "r12", "r13", "r21", "r22", "r23", "r31", "r32", "r33"];

impl Layout {
    /// The layout of columns with these names, and the unused ones.
    fn of(names: &[String]) -> core::result::Result<(Self, Vec<String>), String> {
        let Some(position) = find(names, POSITION)? else {
            return Err("there are no columns x, y and z".to_owned());
        };
        let (quaternion, angles, matrix) =
            (find(names, QUATERNION)?, find(names, ANGLES)?, find(names, MATRIX)?);
        let orientation = match (quaternion, angles, matrix) {
            (None, None, None) => None,
            (Some(columns), None, None) => Some(Turned::Quaternion(columns)),
            (None, Some(columns), None) => Some(Turned::Angles(columns)),
            (None, None, Some(columns)) => Some(Turned::Matrix(columns)),
            _ => {
                let message = "only one of qx to qw, roll to yaw and r11 to r33 may be given";
                return Err(message.to_owned());
            }
        };
        let known = |name: &&String| {
            let turned = QUATERNION.iter().chain(&ANGLES).chain(&MATRIX);
            POSITION.iter().chain(turned).chain(&TIME).any(|known| known == name)
        };
        let unread = names.iter().filter(|name| !known(name)).cloned().collect();
        let time = find(names, TIME)?.map(|[time]| time);
        Ok((Self { n_columns: names.len(), position, orientation, time }, unread))
    }

    /// The target of a row.
    ///
    /// - `number`: the number in a column, or its error
    fn target(
        &self,
        number: impl Fn(usize) -> core::result::Result<f64, String>,
    ) -> core::result::Result<Target, String> {
        let read = |column: usize, name: &str| match number(column) {
            Ok(number) if number.abs() <= LARGEST => Ok(number),
            Ok(number) if number.is_finite() => Err(format!("{name}: is larger than {LARGEST:?}")),
            Ok(_) => Err(format!("{name}: is not finite")),
            Err(error) => Err(format!("{name}: {error}")),
        };
        let position = all(self.position, POSITION, read)?;
        let time = self.time.map(|time| read(time, TIME[0])).transpose()?;
        let orientation = match self.orientation {
            None => None,
            Some(Turned::Quaternion(columns)) => {
                Some(unit(all(columns, QUATERNION, read)?, "qx to qw")?)
            }
            Some(Turned::Angles(columns)) => Some(of_angles(all(columns, ANGLES, read)?)),
            Some(Turned::Matrix(columns)) => {
                let [a, b, c, d, e, f, g, h, i] = all(columns, MATRIX, read)?;
                Some(of_matrix([[a, b, c], [d, e, f], [g, h, i]], "r11 to r33")?)
            }
        };
        Ok(Target { position: DVec3::from_array(position), orientation, time })
    }
}

fn all<const N: usize>(
    columns: [usize; N],
    names: [&str; N],
    read: impl Fn(usize, &str) -> core::result::Result<f64, String>,
) -> core::result::Result<[f64; N], String> {
    let mut numbers = [0.0; N];
    for (number, (column, name)) in numbers.iter_mut().zip(columns.into_iter().zip(names)) {
        *number = read(column, name)?;
    }
    Ok(numbers)
}

/// The columns with these names: all, or none.
fn find<const N: usize>(
    names: &[String],
    wanted: [&str; N],
) -> core::result::Result<Option<[usize; N]>, String> {
    let mut columns = [0; N];
    let mut missing = Vec::new();
    for (column, wanted) in columns.iter_mut().zip(wanted) {
        let mut found = names.iter().enumerate().filter(|(_, name)| *name == wanted);
        match (found.next(), found.next()) {
            (Some((index, _)), None) => *column = index,
            (Some(_), Some(_)) => return Err(format!("the column {wanted} appears twice")),
            (None, _) => missing.push(wanted),
        }
    }
    match missing.len() {
        0 => Ok(Some(columns)),
        n if n == N => Ok(None),
        _ => {
            Err(format!("of the columns {} there is no {}", wanted.join(", "), missing.join(", ")))
        }
    }
}

/// A quaternion x, y, z, w of nearly unit length.
fn unit(quaternion: [f64; 4], what: &str) -> core::result::Result<DQuat, String> {
    let rotation = DQuat::from_array(quaternion);
    let length = rotation.length();
    if (length - 1.0).abs() <= 1e-3 {
        return Ok(rotation * length.recip());
    }
    Err(format!("{what}: is not a unit quaternion (length {length:?}, expected 1 within 0.001)"))
}

/// Roll about x, then pitch about y, then yaw about z, all fixed, as in URDF.
fn of_angles([roll, pitch, yaw]: [f64; 3]) -> DQuat {
    rotation_about(DVec3::Z, yaw) * rotation_about(DVec3::Y, pitch) * rotation_about(DVec3::X, roll)
}

/// A rotation matrix by its rows.
fn of_matrix(rows: [[f64; 3]; 3], what: &str) -> core::result::Result<DQuat, String> {
    let matrix = DMat3::from_cols_array_2d(&rows).transpose();
    let off = (matrix * matrix.transpose() - DMat3::IDENTITY).to_cols_array();
    let off = off.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    // Not `off > 1e-3`: numbers whose products overflow must be refused, too.
    if !(off <= 1e-3 && matrix.determinant() > 0.0) {
        return Err(format!("{what}: is not a rotation matrix"));
    }
    let rotation = DQuat::from_mat3(&matrix);
    Ok(rotation * rotation.length().recip())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn layout(names: &str) -> core::result::Result<(Layout, Vec<String>), String> {
        Layout::of(&names.split(',').map(str::to_owned).collect::<Vec<_>>())
    }

    fn lines(text: &'static str) -> Lines {
        Lines::new(Box::new(Cursor::new(text))).unwrap()
    }

    #[test]
    fn columns_are_all_there_or_none() {
        assert_eq!(layout("z,y,x").unwrap().0.position, [2, 1, 0]);
        assert_eq!(layout("t,x,y,z,qx,qy,qz,qw").unwrap().1, ["t"]);
        for (names, part) in [
            ("a,b", "there are no columns x, y and z"),
            ("x,y", "there is no z"),
            ("x,y,z,x", "the column x appears twice"),
            ("x,y,z,qx,qy", "there is no qz, qw"),
            ("x,y,z,roll,pitch,yaw,qx,qy,qz,qw", "only one of"),
        ] {
            let error = layout(names).unwrap_err();
            assert!(error.contains(part), "{names}: {error}");
        }
    }

    #[test]
    fn three_forms_of_one_orientation_agree() {
        let of = |text: &str| json_target(text).unwrap().orientation.unwrap();
        let quaternion = of(r#"{"position":[0,0,0],"orientation":[0.5,0.5,0.5,0.5]}"#);
        let half = core::f64::consts::FRAC_PI_2;
        let angles = of(&format!(r#"{{"position":[0,0,0],"rpy":[{half},0,{half}]}}"#));
        let matrix = of(r#"{"position":[0,0,0],"matrix":[[0,0,1],[1,0,0],[0,1,0]]}"#);
        assert!(quaternion.dot(matrix).abs() > 1.0 - 1e-15);
        assert!(quaternion.dot(angles).abs() > 1.0 - 1e-15);
    }

    #[test]
    fn what_is_wrong_with_a_line_of_json_is_named() {
        for (text, part) in [
            ("{", "column 1: EOF"),
            (r#"{"position":[1,2]}"#, "length 2"),
            (r#"{"position":[1,2,"a"]}"#, "invalid type: string"),
            (r#"{"position":[1,2,1e999]}"#, "number out of range"),
            (r#"{"position":[1,2,-1e200]}"#, "-1e200 is larger than 1e100"),
            (r#"{"orientation":[0,0,0,1]}"#, "missing field `position`"),
            (r#"{"position":[0,0,0],"turn":1}"#, "unknown field `turn`"),
            (r#"{"position":[0,0,0],"orientation":[0,0,0,0]}"#, "not a unit quaternion"),
            (r#"{"position":[0,0,0],"matrix":[[1,0,0],[0,1,0],[0,0,-1]]}"#, "not a rotation"),
            (r#"{"position":[0,0,0],"matrix":[[1e200,0,0],[0,1,0],[0,0,1]]}"#, "not a rotation"),
            (r#"{"position":[0,0,0],"rpy":[0,0,0],"orientation":[0,0,0,1]}"#, "only one of"),
        ] {
            let error = json_target(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn lines_are_numbered_as_editors_do() {
        let mut lines = lines("\u{feff}\n\r\n a\r\n\n\nb");
        assert_eq!(lines.first_byte().unwrap(), Some(b'a'));
        assert_eq!(lines.next().unwrap(), Some((3, Ok("a\r\n".to_owned()))));
        assert_eq!(lines.next().unwrap(), Some((6, Ok("b".to_owned()))));
        assert_eq!(lines.next().unwrap(), None);
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let text: &'static str = "1".repeat(70_000).leak();
        assert!(lines(text).next().unwrap_err().contains("longer than"));
    }

    #[test]
    fn fields_may_be_in_quotes() {
        assert_eq!(fields("\"x\", y ,z\r\n").collect::<Vec<_>>(), ["x", "y", "z"]);
        let (layout, _) = layout("x,y,z").unwrap();
        assert_eq!(csv_target("1,\"2\",-3e-1", &layout).unwrap().position.z, -0.3);
        assert!(csv_target("1,NaN,3", &layout).unwrap_err().contains("y: is not finite"));
    }
}
