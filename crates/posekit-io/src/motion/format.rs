//! The format of a motion file, by its first bytes.

use core::fmt;
use std::path::Path;

use crate::error::{Error, Place, Result};
use crate::gltf;
use crate::kind::Kind;
use crate::warnings::Warnings;

/// The number of first bytes examined; a motion does not begin with more blanks and comments than this.
pub(super) const HEAD: u64 = 4096;

/// The formats of motion files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Motion capture as text.
    Bvh,
    /// glTF as text.
    Gltf,
    /// glTF in a binary container: `.glb`, `.vrm`, `.vrma`.
    Glb,
}

impl Format {
    /// The format of a file that begins with these bytes.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for any other, with the probable format; [`Error::Encoding`] for text that is not UTF-8.
    pub fn of(bytes: &[u8]) -> Result<Self> {
        if gltf::is_binary(bytes) {
            return Ok(Self::Glb);
        }
        if let Some(encoding) = crate::text::wide_encoding(bytes) {
            return Err(Error::Encoding { encoding: encoding.into(), byte: 0 });
        }
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let is_blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0B;
        let start = text.iter().position(|byte| !is_blank(byte)).unwrap_or(text.len());
        let text = &text[start..];
        let begins = |word: &[u8]| {
            text.get(..word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word))
        };
        if begins(b"HIERARCHY") {
            return Ok(Self::Bvh);
        }
        let is_problem = matches!(Kind::of(bytes), Some(Kind::Problem(_) | Kind::Other(_)));
        if begins(b"{") && !is_problem {
            return Ok(Self::Gltf);
        }
        let other = if text.is_empty() { "empty" } else { "neither BVH nor glTF" };
        let what = Kind::of(bytes).map_or(other, Kind::words);
        let message = format!("it is {what}; motions are read from BVH, glTF, GLB, VRM and VRMA");
        Err(Error::Unsupported { place: Place::named("the file"), message })
    }

    /// The same, with a warning if the extension of the file is that of another format.
    pub(super) fn named(self, path: &Path, warnings: &mut Warnings) -> Self {
        let extension =
            path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        let named = match extension.as_deref() {
            Some("bvh") => Self::Bvh,
            Some("gltf") => Self::Gltf,
            Some("glb" | "vrm" | "vrma") => Self::Glb,
            _ => self,
        };
        if named != self {
            warnings.push(
                Place::named("the file"),
                format!("its extension is that of {named}, but its content is {self}, and it is read as such"),
            );
        }
        self
    }

    /// The extension of such a file, without the dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Bvh => "bvh",
            Self::Gltf => "gltf",
            Self::Glb => "glb",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bvh => "BVH",
            Self::Gltf => "glTF",
            Self::Glb => "GLB",
        })
    }
}
