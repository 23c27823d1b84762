//! Motion capture in BVH: a hierarchy of joints, and a row of channel values for each frame.
//!
//! A [`File`] has the content of the text in its own units: degrees, and a unit of length that the format does not specify. A [`Rig`] makes a
//! skeleton of it and converts rows to configurations and back; [`survey`] guesses the unit, the up axis and the rule for positions,
//! without applying them.
//!
//! # Accepted input
//! - Keywords and channel names in any case, tabs, any line ends, a byte-order mark, numbers with exponents; several roots; End Sites anywhere, or none;
//!   zero to six channels in any order, each joint with its own.
//! - A name is the rest of its line without the blanks around it, up to a ` {`. It is kept byte for byte, even if it is not UTF-8, empty, or
//!   a duplicate.
//! - A row is a line. Blank lines are skipped.
//! - `CHANNELS` may be missing from a joint that has none, with a warning.
//!
//! # Refused input
//! - Rows that are shorter or longer than the channels, and more or fewer rows than `Frames` says; see [`Options::lenient`] for truncated files.
//! - Values that are not finite or beyond the range of `f32`, which every program uses; see [`Options::filling_gaps`]. Decimal commas.
//! - A frame time outside a microsecond to a million seconds; see [`Options::with_frame_time`].
//! - Duplicate channels, unknown channels such as scales, braces that do not match.
//!
//! Memory and time are in proportion to the text, whatever numbers it declares, and the nesting of joints costs no stack.
//!
//! # Output
//! One fixed layout: tabs (up to 32 levels), single blanks, line feeds, numbers in the shortest form that reads back to the same bits. Written,
//! read and written again, the bytes are the same. Rows that a [`Rig`] makes have at most eight decimals, a hundred-millionth of a degree or unit, so that
//! rows of a file survive conversion bit for bit, and files do not grow by meaningless digits.

mod euler;
mod file;
mod fill;
mod hierarchy;
mod lexer;
mod motion;
mod number;
mod rig;
mod source;
mod survey;
mod write;

use std::fs;
use std::io::Read;
use std::path::Path;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::text::too_large_motion;
use crate::warnings::Warnings;
use source::Source;

pub(crate) use file::LARGEST;
pub use file::{Axis, Channel, File, Node};
pub(crate) use lexer::is_blank;
pub(crate) use motion::Layout;
pub(crate) use number::write_number;
pub use rig::{Convention, Loss, Positions, Rig, Tip};
pub(crate) use source::Input;
pub(crate) use survey::rule_of;
pub use survey::{Survey, Upward, survey};

/// The frame time of a file without a motion \[seconds\], which has no frames to which it could apply.
const NO_FRAME_TIME: f64 = 1.0 / 30.0;

/// Options for reading a file.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// Use the complete part of a truncated or miscounted file, with a warning. Default false: such a file is refused.
    ///
    /// - Fewer rows than `Frames` says: the rows that are there. A last row without a line end is left out then, since its last number may be cut.
    /// - More rows: all of them.
    /// - A faulty row: the rows before it, because omitting one in the middle would shift all that follow.
    /// - A joint without `OFFSET`: zero. Without `Frames`: all rows. Without a motion: no frames.
    pub is_lenient: bool,
    /// Values that are not finite (`nan`, `inf`, `-1.#IND`, or too large for `f32`) are interpolated linearly from the frames around them, angles along the shorter
    /// arc; at the ends they are the nearest value. A warning counts them. Default false: they are refused.
    pub fills_gaps: bool,
    /// A frame time \[seconds\] in place of the file's. Default `None`.
    pub frame_time: Option<f64>,
}

impl Options {
    /// Everything must be valid.
    #[must_use]
    pub const fn strict() -> Self {
        Self { is_lenient: false, fills_gaps: false, frame_time: None }
    }

    /// The complete part is used, with a warning about the rest.
    #[must_use]
    pub const fn lenient() -> Self {
        Self { is_lenient: true, ..Self::strict() }
    }

    /// The same, with values that are not finite interpolated.
    #[must_use]
    pub const fn filling_gaps(self) -> Self {
        Self { fills_gaps: true, ..self }
    }

    /// The same, with another frame time \[seconds\].
    #[must_use]
    pub const fn with_frame_time(self, frame_time: f64) -> Self {
        Self { frame_time: Some(frame_time), ..self }
    }
}

/// Reads a motion from the bytes of a BVH file.
///
/// # Errors
/// Every fault named in the [module](self), with line and column; faults of rows with frame (from 0) and channel. [`Error::TooLarge`] beyond
/// [`Limits::motion_bytes`], [`Limits::joints`] and [`Limits::text_bytes`].
///
/// # Example
/// ```
/// use posekit_io::{Limits, Warnings, bvh};
///
/// let text = b"HIERARCHY
/// ROOT hips
/// {
///     OFFSET 0 0 0
///     CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
///     End Site
///     {
///         OFFSET 0 12.5 0
///     }
/// }
/// MOTION
/// Frames: 2
/// Frame Time: 0.04
/// 0 90 0 10 0 0
/// 0 91 0 20 0 0
/// ";
/// let options = bvh::Options::strict();
/// let file = bvh::read_bytes(text, &options, &Limits::default(), &mut Warnings::new())?;
/// assert_eq!((file.n_frames(), file.n_channels()), (2, 6));
/// assert_eq!(file.frame(1)[3], 20.0);
/// assert_eq!(file.nodes()[1].offset.y, 12.5);
/// # Ok::<(), posekit_io::Error>(())
/// ```
///
/// # Example: a truncated file
/// ```
/// use posekit_io::{Limits, Warnings, bvh};
///
/// let text = b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 3\nFrame Time: 0.1\n1\n2\n";
/// let read = |options| bvh::read_bytes(text, &options, &Limits::default(), &mut Warnings::new());
/// let error = read(bvh::Options::strict()).unwrap_err();
/// assert!(error.to_string().contains("2 rows follow"), "{error}");
/// assert_eq!(read(bvh::Options::lenient())?.n_frames(), 2);
/// # Ok::<(), posekit_io::Error>(())
/// ```
pub fn read_bytes(
    bytes: &[u8],
    options: &Options,
    limits: &Limits,
    warnings: &mut Warnings,
) -> Result<File> {
    Ok(read_with_layout(Input::Text(bytes), options, limits, warnings)?.0)
}

/// Reads a motion from a stream. The text is never in memory as a whole, only its numbers are.
///
/// # Errors
/// As [`read_bytes`]; [`Error::Read`] if the stream fails.
pub fn read_from(
    input: &mut dyn Read,
    options: &Options,
    limits: &Limits,
    warnings: &mut Warnings,
) -> Result<File> {
    Ok(read_with_layout(Input::Stream(input), options, limits, warnings)?.0)
}

/// Reads a motion, and the places of its numbers in the text; `None` if the text differs from what was read.
pub(crate) fn read_with_layout<'a>(
    input: Input<'a>,
    options: &Options,
    limits: &'a Limits,
    warnings: &mut Warnings,
) -> Result<(File, Option<Layout>)> {
    check_frame_time(options)?;
    let n_warnings = warnings.len();
    let size = input.size();
    let mut source = Source::new(input, limits)?;
    let (nodes, has_motion) = hierarchy::read_hierarchy(&mut source, options, limits, warnings)?;
    if !has_motion {
        let frame_time = options.frame_time.unwrap_or(NO_FRAME_TIME);
        return Ok((File::from_checked(nodes, frame_time, Vec::new()), None));
    }
    let (file, layout) = motion::read_motion(&mut source, nodes, options, size, warnings)?;
    // A file that needed lenient reading has warnings.
    let is_right = !options.is_lenient || warnings.len() == n_warnings;
    Ok((file, layout.filter(|_| is_right)))
}

/// Reads a motion from a file. No other file is opened.
///
/// # Errors
/// [`Error::Read`] when the system cannot read the file; otherwise as [`read_bytes`]. A file beyond [`Limits::motion_bytes`] is refused before it
/// is read if the system knows its size.
pub fn read_file(
    path: &Path,
    options: &Options,
    limits: &Limits,
    warnings: &mut Warnings,
) -> Result<File> {
    let failed = |error: std::io::Error| Error::Read {
        message: error.to_string(),
        path: path.display().to_string(),
    };
    let mut input = fs::File::open(path).map_err(failed)?;
    if input.metadata().map_err(failed)?.len() > limits.motion_bytes as u64 {
        return Err(too_large_motion(limits));
    }
    read_from(&mut input, options, limits, warnings).map_err(|error| match error {
        Error::Read { message, .. } => Error::Read { message, path: path.display().to_string() },
        other => other,
    })
}

/// Refuses a frame time of the caller that no file could have.
fn check_frame_time(options: &Options) -> Result<()> {
    match options.frame_time {
        Some(time) if !file::FRAME_TIMES.contains(&time) => {
            let place = crate::error::Place::named("frame_time");
            Err(Error::Value { place, message: file::frame_time_message(time) })
        }
        _ => Ok(()),
    }
}
