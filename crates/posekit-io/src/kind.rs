//! What a file is, by its first bytes, for messages about files given to the wrong reader.

use crate::gltf;

/// What a file seems to be, with its name for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A robot: URDF or MJCF.
    Robot(&'static str),
    /// A chain problem or a figure.
    Problem(&'static str),
    /// A motion or a character: BVH or glTF.
    Motion(&'static str),
    /// Anything else.
    Other(&'static str),
}

impl Kind {
    /// The kind of a file that begins with these bytes, if it is a known one. Blanks and comments may come first.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        if gltf::is_binary(bytes) {
            return Some(Self::Motion("a binary glTF"));
        }
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let text = text.trim_ascii_start();
        let begins = |word: &&[u8]| {
            text.get(..word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word))
        };
        let known = [
            (&b"HIERARCHY"[..], Self::Motion("a BVH")),
            (b"\x1F\x8B", Self::Other("compressed with gzip; decompress it first")),
            (b"BZh", Self::Other("compressed with bzip2; decompress it first")),
            (b"\x28\xB5\x2F\xFD", Self::Other("compressed with zstd; decompress it first")),
            (b"\xFD7zXZ", Self::Other("compressed with xz; decompress it first")),
            (b"PK\x03\x04", Self::Other("a zip archive; unpack it first")),
            (b"PAR1", Self::Other("a Parquet file")),
            (b"Kaydara FBX", Self::Other("an FBX file")),
            (b"; FBX", Self::Other("an FBX file of text")),
            (b"BLENDER", Self::Other("a Blender file")),
            (b"MOTION", Self::Other("a BVH without its hierarchy")),
            (b"c3d", Self::Other("a C3D file")),
        ];
        let has = |word: &[u8]| text.windows(word.len()).any(|found| found == word);
        let inside: &[(&[u8], Self)] = match text.first() {
            Some(b'<') => &[
                (b"<robot", Self::Robot("a URDF")),
                (b"<mujoco", Self::Robot("an MJCF")),
                (b"<COLLADA", Self::Other("a Collada file")),
                (b"<", Self::Other("XML of an unknown kind")),
            ],
            Some(b'{') => &[
                (b"\"posekit.chain/", Self::Problem("a chain problem")),
                (b"\"posekit.figure/", Self::Problem("a figure")),
                (b"\"posekit.contacts/", Self::Other("a file of contacts")),
                (b"\"posekit.solution/", Self::Other("a solution")),
                (b"\"asset\"", Self::Motion("a glTF")),
            ],
            _ => &[],
        };
        let by_start = known.into_iter().find(|(word, _)| begins(word));
        let by_word = || inside.iter().find(|(word, _)| has(word)).copied();
        by_start.or_else(by_word).map(|(_, kind)| kind)
    }

    /// Its name for people, with its article.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Robot(words)
            | Self::Problem(words)
            | Self::Motion(words)
            | Self::Other(words) => words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_beginnings() {
        for (text, kind) in [
            (&b"\xEF\xBB\xBF \nhierarchy\nROOT"[..], Some(Kind::Motion("a BVH"))),
            (b"<?xml version='1.0'?> <!-- arm --> <robot name='r'>", Some(Kind::Robot("a URDF"))),
            (b"<mujoco/>", Some(Kind::Robot("an MJCF"))),
            (b"{ \"schema\": \"posekit.chain/1\"", Some(Kind::Problem("a chain problem"))),
            (b"{\"asset\":{\"version\":\"2.0\"}}", Some(Kind::Motion("a glTF"))),
            (b"{}", None),
            (b"", None),
        ] {
            assert_eq!(Kind::of(text), kind, "{}", String::from_utf8_lossy(text));
        }
        assert!(Kind::of(b"\x1F\x8B\x08").is_some_and(|kind| kind.words().contains("gzip")));
    }
}
