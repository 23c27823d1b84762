"""Jobs that are divided into parts: what is computed, and for which rows. `posekit.runs` runs them.

A job is divided by its input alone, so that the parts, and the bytes of their files, do not depend on who computes them, how many at once, or how often a run is started.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from posekit import _posekit
from posekit.results import Status
from posekit.robot import Robot

__all__ = ["Clean", "Job", "JobError", "Map", "Part", "Piece", "Solve"]

SUFFIXES = frozenset({".bvh", ".glb", ".gltf", ".vrm", ".vrma"})
Record = dict[str, Any]


class JobError(RuntimeError):
    """A run that cannot start or go on; `code` is the exit code: 1 for the output, 3 for the input."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


class Part(NamedTuple):
    """A part of a job."""

    name: str
    """Of its record, and of its file."""
    source: str
    """The file that it reads, relative to the input; empty for a map."""
    begin: int
    """Its first row."""
    end: int
    """One past its last row."""
    key: str
    """Hash of the job, the input's bytes and the range."""


class Piece(NamedTuple):
    """The result of a range of rows."""

    table: pa.Table | None
    """A row for each."""
    aside: list[tuple[int, str]]
    """Rows set aside, and why."""
    data: bytes | None = None
    """The file, where it is not the table."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """What all jobs share."""

    kind: ClassVar[str] = ""
    output: Path
    """The folder of the results; workers write to it, so that on a cluster it is on storage that they share."""
    seconds: float = 600.0
    """Time budget of a part [s]."""
    memory: int | None = None
    """Memory that the process of a worker may allocate [MB]."""

    def identity(self) -> dict[str, Any]:
        """Give everything that results depend on, apart from the input's bytes."""
        raise NotImplementedError

    def parts(self) -> list[Part]:
        """Divide the input."""
        raise NotImplementedError

    def compute(self, part: Part, begin: int, end: int) -> Piece:
        """Compute a range of a part's rows."""
        raise NotImplementedError

    def absent(self, part: Part, row: int, reason: str) -> Piece:
        """Give the result of a row that has none."""
        return Piece(None, [(row, reason)])

    def counts(self, table: pa.Table) -> dict[str, int]:
        """Count rows by status."""
        return {row["values"]: row["counts"] for row in table["status"].value_counts().to_pylist()}

    def path_of(self, part: Part) -> str:
        """Name the file of a part in the output."""
        return f"{part.name}.parquet"

    def key(self, *more: object) -> str:
        """Hash the job and what a part reads."""
        return hashlib.sha256(to_json([self.kind, self.identity(), *more]).encode()).hexdigest()

    def conclude(self, records: list[Record]) -> None:
        """Write what summarises all parts."""


@dataclass(frozen=True, kw_only=True)
class Solve(Job):
    """Joint values for the targets in Parquet files: one file of results for each range of rows."""

    kind: ClassVar[str] = "solve"
    robot: Robot
    source: Path
    """A Parquet file, or a folder of them."""
    column: str | None = None
    """A column of lists of 3, 7 or 16 numbers; by default the columns x, y, z, and qx to qw where they are there."""
    rows: int = 200_000
    """Rows of a part."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """For `Robot.solve_batch`."""

    def identity(self) -> dict[str, Any]:
        """Give robot, options and division."""
        options = {"column": self.column, "rows": self.rows, **self.options}
        return {"robot": _robot_hash(self.robot), "options": options}

    def parts(self) -> list[Part]:
        """Divide each file into ranges of rows."""
        found: list[Part] = []
        for path, name in _files(self.source, frozenset({".parquet"})):
            key = self.key(hash_file(path))
            try:
                n_rows = pq.ParquetFile(path).metadata.num_rows
            except (pa.ArrowException, OSError):
                n_rows = 0  # Its part says what is wrong.
            for begin in range(0, max(n_rows, 1), self.rows):
                end = min(begin + self.rows, n_rows)
                found.append(Part(f"part-{len(found):05}", name, begin, end, f"{key}:{begin}-{end}"))
        return found

    def compute(self, part: Part, begin: int, end: int) -> Piece:
        """Solve a range of rows; one that is no pose is set aside."""
        return self.solve(self._read(part, begin, end), begin)

    def solve(self, table: pa.Table, begin: int = 0) -> Piece:
        """Solve rows, of which `begin` is the number of the first."""
        targets = self._targets(table)
        batch = self.robot.solve_batch(targets, invalid="mark", threads=1, **self.options)
        bad = batch.status == Status.INVALID_TARGET
        aside = [(begin + int(row), self._reason(targets[row])) for row in np.flatnonzero(bad)]
        return Piece(self._join(table, batch.q, batch.status, batch.errors, bad), aside)

    def absent(self, part: Part, row: int, reason: str) -> Piece:
        """Give the row without joint values."""
        table = self._read(part, row, row + 1)
        empty = np.zeros((1, self.robot.n_values)), np.zeros(1, np.uint8), np.zeros((1, 2))
        joined = self._join(table, *empty, np.ones(1, bool))
        place = joined.column_names.index("status")
        return Piece(joined.set_column(place, "status", pa.array(["set-aside"])), [(row, reason)])

    def _read(self, part: Part, begin: int, end: int) -> pa.Table:
        file = pq.ParquetFile(_path(self.source, part.source))
        groups: list[int] = []
        first = row = 0
        for group in range(file.num_row_groups):
            last = row + file.metadata.row_group(group).num_rows
            if row < end and last > begin:
                first = first if groups else row
                groups.append(group)
            row = last
        return file.read_row_groups(groups, use_threads=False).slice(begin - first, end - begin)

    def _targets(self, table: pa.Table) -> npt.NDArray[np.float64]:
        if self.column is None:
            names = ["x", "y", "z", *(name for name in ("qx", "qy", "qz", "qw") if name in table.column_names)]
            if len(names) not in (3, 7) or not set(names) <= set(table.column_names):
                raise ValueError("there are no columns x, y and z, and qx, qy, qz and qw or none of these")
            return np.column_stack([table[name].cast(pa.float64()).to_numpy() for name in names])
        lists = table[self.column].combine_chunks()
        sizes = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
        width = int(sizes.max(initial=0))
        if width not in (0, 3, 7, 16):
            raise ValueError(f"{self.column} has lists of {width} numbers, not of 3, 7 or 16")
        # What has no numbers is no pose, and is set aside as one.
        targets = np.full((len(table), width or 3), np.nan)
        whole = sizes == width
        numbers = lists.filter(pa.array(whole)).flatten().cast(pa.float64())
        targets[whole] = numbers.to_numpy(zero_copy_only=False).reshape(-1, width or 3)
        return targets.reshape(-1, 4, 4) if width == 16 else targets

    def _reason(self, target: npt.NDArray[np.float64]) -> str:
        try:
            self.robot.solve(target)
        except ValueError as error:
            return str(error)
        return "no pose"

    @staticmethod
    def _join(table: pa.Table, q: Any, status: Any, errors: Any, bad: npt.NDArray[np.bool_]) -> pa.Table:
        words = np.array([status.name.lower().replace("_", "-") for status in Status])
        columns = {
            "q": pa.FixedSizeListArray.from_arrays(pa.array(q.reshape(-1)), q.shape[1], mask=pa.array(bad)),
            "status": pa.array(words[status], pa.string()),
            "distance": pa.array(errors[:, 0], mask=bad),
            "angle": pa.array(errors[:, 1], mask=bad),
        }
        table = table.drop_columns([name for name in columns if name in table.column_names])
        for name, column in columns.items():
            table = table.append_column(name, column)
        return table.replace_schema_metadata(None).combine_chunks()


@dataclass(frozen=True, kw_only=True)
class Map(Job):
    """A reachability map: one file for each run of consecutive voxels."""

    kind: ClassVar[str] = "map"
    robot: Robot
    size: float
    """Edge of a voxel [m]."""
    orientations: int = 32
    poses: int = 200_000
    """Poses of a part, about."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """For `Robot.map`: center, radius, start, starts."""

    def identity(self) -> dict[str, Any]:
        """Give robot, options and division."""
        own = {"size": self.size, "orientations": self.orientations, "poses": self.poses}
        return {"robot": _robot_hash(self.robot), "options": {**own, **self.options}}

    def parts(self) -> list[Part]:
        """Divide the voxels into runs, by the volume of the ball."""
        of = 1 << 40
        self.robot.map(self.size, shard=(of - 1, of), **self.options)  # No voxel, but every check.
        n_parts = self._n_parts()
        return [Part(f"part-{k:05}", "", k, k + 1, self.key(k, n_parts)) for k in range(n_parts)]

    def _n_parts(self) -> int:
        radius = self.options.get("radius") or self.robot.reach
        n_poses = 4 / 3 * math.pi * (radius / self.size) ** 3 * self.orientations
        return max(1, round(n_poses / self.poses))

    def compute(self, part: Part, begin: int, end: int) -> Piece:
        """Measure a run of voxels."""
        shard = (begin, self._n_parts())
        found = self.robot.map(self.size, orientations=self.orientations, shard=shard, threads=1, **self.options)
        columns = {
            "x": found.points[:, 0],
            "y": found.points[:, 1],
            "z": found.points[:, 2],
            "reached": found.reached,
            "share": found.share,
            "limit_margin": found.limit_margin,
            "smallest_singular_value": found.smallest_singular_value,
        }
        return Piece(pa.table(columns), [])

    def counts(self, table: pa.Table) -> dict[str, int]:
        """Count voxels by what was reached in them."""
        reached = table["reached"].to_numpy()
        whole, some = int((reached == self.orientations).sum()), int((reached > 0).sum())
        return {"every-orientation": whole, "some": some - whole, "none": len(reached) - some}


@dataclass(frozen=True, kw_only=True)
class Clean(Job):
    """Clean clips: one file for each, and `clips.parquet` with a row for each."""

    kind: ClassVar[str] = "clean"
    source: Path
    """A clip, or a folder of them."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """For `Clip.clean`."""

    def identity(self) -> dict[str, Any]:
        """Give the options."""
        return {"options": dict(self.options)}

    def parts(self) -> list[Part]:
        """List the clips; one is never divided, whatever its length."""
        found = []
        for path, name in _files(self.source, SUFFIXES):
            beside = sorted(path.parent.glob("*.bin")) if path.suffix.lower() == ".gltf" else []
            key = self.key([hash_file(file) for file in (path, *beside)])
            found.append(Part(name, name, 0, 1, key))
        return found

    def compute(self, part: Part, begin: int, end: int) -> Piece:
        """Clean a clip."""
        cleaned = _posekit.Clip.read(_path(self.source, part.source)).clean(**self.options)
        status = "cleaned" if cleaned.changed else "unchanged"
        measures = {
            f"{name}_{when}": value for when in ("before", "after") for name, value in getattr(cleaned, when).items()
        }
        table = self._row(part, status, plants=len(cleaned.plants), frames=cleaned.clip.n_frames, **measures)
        return Piece(table, [], cleaned.clip.encode())

    def absent(self, part: Part, row: int, reason: str) -> Piece:
        """Give the clip's row without measures, and no file."""
        return Piece(self._row(part, "set-aside", reason=reason), [(row, reason)])

    @staticmethod
    def _row(part: Part, status: str, reason: str | None = None, **columns: float | None) -> pa.Table:
        return pa.Table.from_pylist([{"file": part.name, "status": status, "reason": reason, **columns}])

    def path_of(self, part: Part) -> str:
        """Keep the clip's name."""
        return part.name

    def conclude(self, records: list[Record]) -> None:
        """Write a row for each clip."""
        rows = [row for record in records for row in record["table"]]
        names = list(dict.fromkeys(name for row in rows for name in row))
        write_whole(
            self.output / "clips.parquet",
            parquet(pa.Table.from_pylist([{name: row.get(name) for name in names} for row in rows])),
        )


def parquet(table: pa.Table) -> bytes:
    """Give a table as a Parquet file."""
    sink = pa.BufferOutputStream()
    # Numbers hardly repeat: a dictionary of them takes three times as long and is larger.
    pq.write_table(table, sink, use_dictionary=["status"])
    return bytes(sink.getvalue())


def write_whole(path: Path, data: bytes) -> None:
    """Write a file under another name and rename it, so that it is there as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    other = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        with other.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        other.replace(path)
    except BaseException:
        other.unlink(missing_ok=True)
        raise


def hash_file(path: Path) -> str:
    """Hash a file."""
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
        return digest.hexdigest()


def to_json(value: object) -> str:
    """Give a value as JSON that is the same everywhere."""

    def other(value: Any) -> Any:
        if isinstance(value, bytes):
            return hashlib.sha256(value).hexdigest()
        return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)

    return json.dumps(value, sort_keys=True, default=other)


def build() -> dict[str, str]:
    """Name what computes: the version, and a hash of a few solves, which is the same on every machine."""
    robot = Robot.from_urdf(_posekit.ARM6)
    targets = np.stack([robot.forward(robot.spread(index)) for index in range(16)])
    q = robot.solve_batch(targets, threads=1).q
    return {
        "posekit": _posekit.__version__,
        "solves": hashlib.sha256(q.tobytes()).hexdigest(),
        "pyarrow": pa.__version__,
    }


def _robot_hash(robot: Robot) -> str:
    (kind, data), more = robot.description.__getnewargs_ex__()
    more = {name: value for name, value in more.items() if name != "folder"}
    return hashlib.sha256(to_json([kind, data, more, robot.options]).encode()).hexdigest()


def _files(source: Path, suffixes: frozenset[str]) -> list[tuple[Path, str]]:
    """List the files of a folder, with their names in it."""
    if not source.exists():
        raise JobError(f"there is no {source}", 3)
    paths = [source] if source.is_file() else [path for path in source.rglob("*") if path.is_file()]
    paths = [path for path in paths if path.suffix.lower() in suffixes and not path.name.startswith(".")]
    root = source.parent if source.is_file() else source
    found = sorted((path.relative_to(root).as_posix(), path) for path in paths)
    if not found:
        raise JobError(f"no file that ends in {', '.join(sorted(suffixes))}: {source}", 3)
    return [(path, name) for name, path in found]


def _path(source: Path, name: str) -> Path:
    return source if source.is_file() else source / name
