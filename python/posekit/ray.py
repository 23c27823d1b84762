"""Past one machine: data sets of targets and clips, and large reachability maps, on Ray Data.

Each function runs a job in parts on an actor pool of `Dataset.map_batches`, in the cluster at `address`, or without one in a local Ray that it starts. A run that is stopped
or killed is continued by the same call, and the files have the same bytes for any number of workers and restarts. Actors read the input and write the output themselves:
on several machines both are on storage that all of them mount. Needs `pip install "posekit[ray]"`, on Linux or macOS.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import ray
import ray.data

from posekit import jobs, runs
from posekit.jobs import Clean, Job, JobError, Map, Part, Record, Solve
from posekit.robot import Robot
from posekit.runs import Report

__all__ = ["JobError", "Report", "Solver", "clean_dataset", "reachability_map", "run_job", "solve_dataset"]

STORE = 200_000_000
"""Bytes of the object store of a local Ray. Only names of parts and their records are in it."""

Progress = Callable[[int, int, Record], None]
Pathlike = str | os.PathLike[str]


def solve_dataset(
    robot: Robot,
    source: Pathlike,
    output: Pathlike,
    *,
    column: str | None = None,
    rows: int = 200_000,
    workers: int | None = None,
    address: str | None = None,
    seconds: float = 600.0,
    memory: int | None = None,
    retry: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Report:
    """Solve for the targets in Parquet files.

    Parameters
    ----------
    robot : Robot
        The arm.
    source : path-like
        A Parquet file, or a folder of them.
    output : path-like
        A new folder, or that of the same job: `part-00000.parquet` and so on, with the columns of the input and q, status, distance, angle.
    column : str, optional
        A column of lists of 3, 7 or 16 numbers; by default the columns x, y, z, and qx to qw where they are there.
    rows : int
        Rows of a part.
    workers : int, optional
        Actors, each with one core; by default one per core of the cluster.
    address : str, optional
        Of a cluster, or "auto" for that of this machine; by default `RAY_ADDRESS`, or a local Ray.
    seconds : float
        Time budget of a part [s]. Where it is exceeded, the rows at fault are found by halving, and set aside.
    memory : int, optional
        Memory that the process of an actor may allocate [MB].
    retry : bool, default False
        Compute parts again of which something was set aside.
    progress : callable, optional
        Called with the number of parts done, of all parts, and the record of the last.
    **options
        For `Robot.solve_batch`.

    Returns
    -------
    Report

    Raises
    ------
    JobError
        For an output in use, of another job, or that cannot be written.
    """
    job = Solve(
        robot=robot,
        source=Path(source),
        output=Path(output),
        column=column,
        rows=rows,
        seconds=seconds,
        memory=memory,
        options=options,
    )
    return run_job(job, workers, address, retry, progress)


def clean_dataset(
    source: Pathlike,
    output: Pathlike,
    *,
    workers: int | None = None,
    address: str | None = None,
    seconds: float = 600.0,
    memory: int | None = None,
    retry: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Report:
    """Clean the clips of a folder.

    Parameters
    ----------
    source : path-like
        A folder of BVH, glTF, GLB, VRM and VRMA files.
    output : path-like
        A new folder, or that of the same job: the clips by their names, and `clips.parquet` with a row for each.
    workers, address, seconds, memory, retry, progress
        As in `solve_dataset`; the time budget is that of a clip.
    **options
        For `Clip.clean`.

    Returns
    -------
    Report
    """
    job = Clean(source=Path(source), output=Path(output), seconds=seconds, memory=memory, options=options)
    return run_job(job, workers, address, retry, progress)


def reachability_map(
    robot: Robot,
    size: float,
    output: Pathlike,
    *,
    orientations: int = 32,
    poses: int = 200_000,
    workers: int | None = None,
    address: str | None = None,
    seconds: float = 3600.0,
    memory: int | None = None,
    retry: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Report:
    """Measure a reachability map.

    Parameters
    ----------
    robot : Robot
        The arm.
    size : float
        Edge of a voxel [m].
    output : path-like
        A new folder, or that of the same job: Parquet files that are one after another the map, in the order of `Robot.map`.
    orientations : int
        Orientations that are tried at each point.
    poses : int
        Poses of a part, about.
    workers, address, seconds, memory, retry, progress
        As in `solve_dataset`.
    **options
        For `Robot.map`: center, radius, start, starts.

    Returns
    -------
    Report
    """
    job = Map(
        robot=robot,
        size=size,
        output=Path(output),
        orientations=orientations,
        poses=poses,
        seconds=seconds,
        memory=memory,
        options=options,
    )
    return run_job(job, workers, address, retry, progress)


class Solver:
    """A callable class for `Dataset.map_batches(..., batch_format="pyarrow")` in a pipeline of your own: adds q, status, distance and angle.

    Parameters
    ----------
    robot : Robot
        The arm.
    column : str, optional
        As in `solve_dataset`.
    **options
        For `Robot.solve_batch`.
    """

    def __init__(self, robot: Robot, column: str | None = None, **options: Any) -> None:
        self.job = Solve(robot=robot, source=Path(), output=Path(), column=column, options=options)

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Solve a batch; a row that is no pose has the status invalid-target."""
        return self.job.solve(batch).table


class _Actor:
    """A worker in an actor pool."""

    def __init__(self, job: Job, build: dict[str, str]) -> None:
        self.worker = runs.Worker(job, build)

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[str]]:
        parts = [Part(*json.loads(text)) for text in batch["part"]]
        return {"record": [json.dumps(self.worker.finish(part)) for part in parts]}


def run_job(
    job: Job,
    workers: int | None = None,
    address: str | None = None,
    retry: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Run a job of `posekit.jobs`, which the other functions make, or of a class of your own."""

    def engine(job: Job, parts: list[Part]) -> Iterator[Record]:
        with _cluster(address, workers):
            n_workers = workers or int(ray.cluster_resources().get("CPU", 1))
            pool = ray.data.ActorPoolStrategy(size=min(n_workers, len(parts)))
            # A block for each part, so that one is reported, and repeated, alone.
            items = ray.data.from_items([{"part": json.dumps(part)} for part in parts], override_num_blocks=len(parts))
            records = items.map_batches(_Actor, compute=pool, num_cpus=1, fn_constructor_args=(job, jobs.build()))
            for row in records.iter_rows():
                yield json.loads(row["record"])

    try:
        return runs.run(job, engine, retry=retry, progress=progress)
    except ray.exceptions.RayError as error:
        raise JobError(f"Ray ended the run: {error}") from error


@contextlib.contextmanager
def _cluster(address: str | None, workers: int | None) -> Iterator[None]:
    """Join a cluster, or start a local one, unless the program has done so; quietly."""
    is_owner = not ray.is_initialized()
    address = address or os.environ.get("RAY_ADDRESS")
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if is_owner and address:
        ray.init(address=address, **quiet)
    elif is_owner:
        ray.init(address="local", num_cpus=workers, object_store_memory=STORE, include_dashboard=False, **quiet)
    context = ray.data.DataContext.get_current()
    log, bars = logging.getLogger("ray.data"), context.enable_progress_bars
    level = log.level
    try:
        context.enable_progress_bars = False
        log.setLevel(logging.ERROR)
        yield
    finally:
        log.setLevel(level)
        context.enable_progress_bars = bars
        if is_owner:
            ray.shutdown()
