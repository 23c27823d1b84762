//! A map in memory, and as a file.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;
use posekit::arm::map::Reachability;
use posekit::glam::DVec3;
use serde::{Deserialize, Serialize};

use super::parts::Part;
use crate::arm_args::Shard;
use crate::arms::sheet::{Column, Kind, ParquetWriter, Value, csv_head, csv_line};
use crate::arms::targets::guarded;
use crate::failure::{Failure, Result};
use crate::output::{self, Pending, Stream};

/// The schema of a map.
pub(super) const SCHEMA: &str = "posekit.map/1";

/// The name of [`About`] in the metadata of a Parquet file.
const ABOUT: &str = "posekit.map";

/// The description of a map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct About {
    pub(super) schema: String,
    pub(super) version: String,
    /// A digest of the robot and all options: maps with the same key are the same.
    pub(super) key: String,
    pub(super) robot: String,
    pub(super) tip: String,
    /// The link in whose frame the map is.
    pub(super) base: String,
    pub(super) voxel: f64,
    pub(super) orientations: u32,
    pub(super) starts: u32,
    /// The origin of the first joint, and the largest distance of the tip from it.
    pub(super) center: [f64; 3],
    pub(super) reach: f64,
    /// K and N of a shard; 1 and 1 for the whole map.
    pub(super) shard: [u32; 2],
}

/// Voxels with the reachability of an arm in each.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReachMap {
    pub(super) about: About,
    pub(super) cells: Vec<Cell>,
}

/// A voxel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cell {
    pub(super) index: [i32; 3],
    pub(super) center: DVec3,
    pub(super) measured: Reachability,
}

impl ReachMap {
    /// - `parts`: in order, with their measurements
    pub(super) fn new(about: About, parts: Vec<(Part, Vec<Reachability>)>) -> Self {
        let mut cells = Vec::new();
        let Ok(voxels) = about.voxels() else { return Self { about, cells } };
        let mut all = voxels.indices().enumerate();
        for (part, measured) in parts {
            let range = part.range();
            let own = all.by_ref().skip_while(|(k, _)| *k < range.start);
            let own = own.take(range.len()).zip(measured);
            cells.extend(own.map(|((_, index), measured)| Cell {
                index,
                center: voxels.center_of(index),
                measured,
            }));
        }
        Self { about, cells }
    }

    /// The share of the orientations that are reached in a voxel.
    pub(super) fn share(&self, cell: &Cell) -> f64 {
        f64::from(cell.measured.reached) / f64::from(self.about.orientations)
    }

    /// The number of voxels that are reached, and of those that are in every orientation.
    fn counts(&self) -> [usize; 2] {
        let count =
            |least: u32| self.cells.iter().filter(|cell| cell.measured.reached >= least).count();
        [count(1), count(self.about.orientations)]
    }

    /// A summary of the map for programs.
    pub(super) fn json(&self, output: &Path) -> Result<String> {
        let [reached, full] = self.counts();
        output::json(&serde_json::json!({
            "schema": "posekit.map-report/1", "about": self.about, "voxels": self.cells.len(),
            "reached": reached, "reached_in_every_orientation": full, "output": output.display().to_string(),
        }))
    }

    /// A summary of the map in one line.
    pub(super) fn words(&self) -> String {
        let [reached, full] = self.counts();
        let which = match self.about.shard {
            [_, 1] => String::new(),
            [number, of] => format!("shard {number} of {of}: "),
        };
        format!(
            "{which}{reached} of {} voxels reached, {full} of them in every orientation",
            self.cells.len()
        )
    }

    /// Writes it, as Parquet or as CSV.
    pub(super) fn write(&self, path: &Path, is_parquet: bool) -> Result<()> {
        if !is_parquet {
            let mut stream = Stream::to(Some(path))?;
            stream.write(&csv_head(&columns()))?;
            for cell in &self.cells {
                stream.write(&csv_line(&self.row(cell)))?;
            }
            return stream.finish();
        }
        let about = serde_json::to_string(&self.about).map_err(Failure::output)?;
        let file = Pending::begin(path)?;
        let failed = |error| Failure::output(format!("{error}: {}", path.display()));
        let mut writer = ParquetWriter::new(file, &columns(), &[(ABOUT, about)]).map_err(failed)?;
        for cell in &self.cells {
            writer.row(self.row(cell)).map_err(failed)?;
        }
        let mut file = writer.finish().map_err(failed)?;
        file.flush().map_err(|error| file.failed(&error))?;
        file.finish()
    }

    fn row(&self, cell: &Cell) -> Vec<Value> {
        let Reachability { reached, limit_margin, smallest_singular_value, .. } = cell.measured;
        let of_poses = |mean: f64| if reached > 0 { Value::Real(mean) } else { Value::Absent };
        let [x, y, z] = cell.center.to_array().map(Value::Real);
        let share = Value::Real(self.share(cell));
        let means = [limit_margin, smallest_singular_value].map(of_poses);
        [x, y, z, Value::Whole(reached.into()), share].into_iter().chain(means).collect()
    }

    /// The whole map from all of its shards.
    pub(super) fn merge(paths: &[PathBuf]) -> Result<Self> {
        let shards = paths.iter().map(|path| Ok((path, read(path)?)));
        let mut shards = shards.collect::<Result<Vec<_>>>()?;
        shards.sort_by_key(|(_, shard)| shard.about.shard);
        let Some((first_path, first)) = shards.first() else {
            return Err(Failure::usage("give the outputs of all shards: --merge PART..."));
        };
        let about = About { shard: [1, 1], ..first.about.clone() };
        let of = first.about.shard[1];
        for (path, shard) in &shards {
            if (About { shard: [1, 1], ..shard.about.clone() }) != about
                || shard.about.shard[1] != of
            {
                let (a, b) = (first_path.display(), path.display());
                return Err(Failure::input(format!("these are not shards of one map: {a}, {b}")));
            }
        }
        for number in 1..=of {
            match shards.iter().filter(|(_, shard)| shard.about.shard[0] == number).count() {
                1 => {}
                0 => return Err(Failure::usage(format!("shard {number} of {of} is missing"))),
                _ => return Err(Failure::usage(format!("shard {number} of {of} is given twice"))),
            }
        }
        let mut cells: Vec<Cell> = shards.into_iter().flat_map(|(_, shard)| shard.cells).collect();
        cells.sort_by_key(|cell| cell.index);
        Ok(Self { about, cells })
    }
}

fn columns() -> Vec<Column> {
    let real = ["share", "limit_margin", "smallest_singular_value"];
    let center = ["x", "y", "z"].map(|name| (name.to_owned(), Kind::Real));
    let reached = ("reached".to_owned(), Kind::Whole);
    let real = real.map(|name| (name.to_owned(), Kind::Real));
    center.into_iter().chain([reached]).chain(real).collect()
}

/// Reads a shard written by [`ReachMap::write`].
fn read(path: &Path) -> Result<ReachMap> {
    let in_file = |message: String| Failure::in_file(message, path.display());
    let file = File::open(path);
    let file = file.map_err(|error| in_file(format!("cannot read the file: {error}")))?;
    let reader = guarded(|| SerializedFileReader::new(file)).map_err(in_file)?;
    let metadata = reader.metadata().file_metadata().key_value_metadata();
    let about = metadata.into_iter().flatten().find(|entry| entry.key == ABOUT);
    let about = about.and_then(|entry| entry.value.as_deref());
    let about: Option<About> = about.and_then(|text| serde_json::from_str(text).ok());
    let is_sound = |about: &About| {
        let [number, of] = about.shard;
        about.schema == SCHEMA && (1..=of).contains(&number) && about.orientations > 0
    };
    let Some(about) = about.filter(is_sound) else {
        return Err(in_file("it is not a map written by this version".to_owned()));
    };
    let mut measured = Vec::new();
    let mut rows = reader.into_iter();
    while let Some(row) = guarded(|| rows.next().transpose()).map_err(in_file)? {
        let mut fields = row.get_column_iter().map(|(_, field)| field).skip(3);
        let mut one = Reachability::default();
        if let Some(Field::Long(reached)) = fields.next() {
            one.reached = u32::try_from(*reached).unwrap_or(0);
        }
        let real = |field: Option<&Field>| match field {
            Some(Field::Double(x)) => *x,
            _ => 0.0,
        };
        (one.limit_margin, one.smallest_singular_value) =
            (real(fields.nth(1)), real(fields.next()));
        measured.push(one);
    }
    let n_voxels = about.voxels()?.indices().count();
    let shard = Shard { number: about.shard[0], of: about.shard[1] };
    let own: Vec<Part> = Part::all(n_voxels).filter(|part| part.is_in(shard)).collect();
    if own.iter().map(|part| part.range().len()).sum::<usize>() != measured.len() {
        return Err(in_file("some voxels of its shard are missing".to_owned()));
    }
    let mut measured = measured.into_iter();
    let parts = own.into_iter().map(|part| {
        let cells = measured.by_ref().take(part.range().len()).collect();
        (part, cells)
    });
    Ok(ReachMap::new(about, parts.collect()))
}
