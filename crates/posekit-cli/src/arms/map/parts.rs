//! Parts of a map, and the files of those that are done.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use posekit::arm::map::Reachability;

use crate::arm_args::Shard;
use crate::content::Digest;
use crate::failure::{Failure, Result};
use crate::output::{make_folder, write_bytes};

/// The least number of voxels in a part: they take about a second, which is lost when a run is stopped.
const LEAST: usize = 64;

/// The approximate number of parts of a large map.
const PARTS: usize = 4096;

/// Consecutive voxels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) index: usize,
    first: usize,
    end: usize,
}

impl Part {
    /// All parts of a map with this number of voxels, in order.
    pub(super) fn all(n_voxels: usize) -> impl Iterator<Item = Self> {
        let size = n_voxels.div_ceil(PARTS).max(LEAST);
        (0..n_voxels.div_ceil(size)).map(move |index| {
            let first = index * size;
            Self { index, first, end: (first + size).min(n_voxels) }
        })
    }

    pub(super) const fn range(self) -> Range<usize> {
        self.first..self.end
    }

    /// Whether the part belongs to a shard: every n-th does, because neighbours take equally long.
    pub(super) fn is_in(self, Shard { number, of }: Shard) -> bool {
        self.index as u64 % u64::from(of) == u64::from(number - 1)
    }
}

/// The folder of the finished parts, beside the output.
#[derive(Debug)]
pub(super) struct Done {
    folder: PathBuf,
}

/// The file with the key of the map.
const MANIFEST: &str = "map.key";

impl Done {
    /// The folder for a map with this key, which must be new unless the run is resumed.
    pub(super) fn open(output: &Path, key: &str, resume: bool) -> Result<Self> {
        let done = Self { folder: folder(output) };
        let shown = done.folder.display();
        let manifest = done.folder.join(MANIFEST);
        match fs::read_to_string(&manifest) {
            Ok(found) if found != key => {
                return Err(Failure::usage(format!(
                    "the existing parts belong to a map of another robot, with other options or by another version; \
                     remove them first: {shown}"
                )));
            }
            Ok(_) if !resume => {
                return Err(Failure::usage(format!(
                    "a run of this map was stopped; give --resume to continue it, or remove its parts: {shown}"
                )));
            }
            Ok(_) => return Ok(done),
            Err(_) => {}
        }
        make_folder(&done.folder)?;
        write_bytes(&manifest, key.as_bytes())?;
        Ok(done)
    }

    /// Removes the parts once the map is written.
    pub(super) fn remove(output: &Path) {
        let _ = fs::remove_dir_all(folder(output));
    }

    pub(super) fn has(&self, part: Part) -> bool {
        self.read(part).is_ok()
    }

    /// Writes the measurements of a part.
    pub(super) fn write(&self, part: Part, measured: &[Reachability]) -> Result<()> {
        let mut bytes = Vec::with_capacity(ROW * measured.len() + 32);
        for Reachability { reached, limit_margin, smallest_singular_value, .. } in measured {
            bytes.extend(reached.to_le_bytes());
            bytes.extend(limit_margin.to_le_bytes());
            bytes.extend(smallest_singular_value.to_le_bytes());
        }
        let digest = Digest::new().with(&bytes).text();
        bytes.extend(digest.as_bytes());
        write_bytes(&self.place(part), &bytes)
    }

    /// Reads a part; a damaged one counts as not finished.
    pub(super) fn read(&self, part: Part) -> Result<Vec<Reachability>> {
        let place = self.place(part);
        let failed = |message: &str| Failure::in_file(message, place.display());
        let bytes = fs::read(&place).map_err(|_| failed("cannot read the part"))?;
        let n_voxels = part.range().len();
        let (rows, digest) = bytes.split_at_checked(ROW * n_voxels).unwrap_or((&[], &[]));
        if Digest::new().with(rows).text().as_bytes() != digest {
            return Err(failed("the part is damaged"));
        }
        Ok(rows.chunks_exact(ROW).map(row).collect())
    }

    fn place(&self, part: Part) -> PathBuf {
        self.folder.join(format!("{}.part", part.index))
    }
}

fn folder(output: &Path) -> PathBuf {
    let mut name = output.file_name().unwrap_or_default().to_owned();
    name.push(".parts");
    output.with_file_name(name)
}

/// The number of bytes for a voxel.
const ROW: usize = 4 + 8 + 8;

fn row(bytes: &[u8]) -> Reachability {
    let number = |at: usize| bytes[at..at + 8].try_into().map_or(0.0, f64::from_le_bytes);
    let mut row = Reachability::default();
    row.reached = bytes[..4].try_into().map_or(0, u32::from_le_bytes);
    (row.limit_margin, row.smallest_singular_value) = (number(4), number(12));
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_have_every_voxel_once() {
        for n_voxels in [0, 1, 63, 64, 65, 1000, 300_000] {
            let all: Vec<Part> = Part::all(n_voxels).collect();
            assert_eq!(all.iter().map(|part| part.range().len()).sum::<usize>(), n_voxels);
            assert!(all.len() <= PARTS);
            for of in [1, 2, 7] {
                let shard = |number| Shard { number, of };
                let n_shards = |part: &Part| (1..=of).filter(|k| part.is_in(shard(*k))).count();
                assert!(all.iter().all(|part| n_shards(part) == 1));
            }
        }
    }
}
