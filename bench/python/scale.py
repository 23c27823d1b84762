"""What Ray costs: the numbers of docs/scale.md, as a table. Needs a release build, `pip install ".[ray]"`, and an idle machine.

python bench/python/scale.py WORKERS...    # 0 is one process without Ray
"""

import itertools
import logging
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import posekit
from posekit import jobs, runs

# What is solved, rows of a part, and parts for each worker.
SIZES = [("poses", 200, 100), ("poses", 5000, 20), ("poses", 100_000, 6), ("points", 2000, 20)]


def main() -> None:
    """Measure a line for each number of workers and size of parts."""
    import ray

    from posekit import ray as on_ray

    folder = Path(tempfile.mkdtemp())
    robot = posekit.Robot.from_urdf(posekit.ARM6)
    most = 2_400_000
    q = np.random.default_rng(1).uniform(robot.lower, robot.upper, (most, 6))
    poses = robot.forward(q)
    columns = dict(zip("xyz", poses[:, :3, 3].T, strict=True)) | dict(
        zip(["qx", "qy", "qz", "qw"], quaternions(poses), strict=True)
    )
    table = pa.table(columns)

    poses = poses[:20_000]
    voxel = robot.reach / 5
    n_map = len(robot.map(voxel, orientations=1, starts=1).points) * 50
    calls = {
        "a pose": (len(poses), lambda: robot.solve_batch(poses, threads=1)),
        "a point": (2000, lambda: robot.solve_batch(poses[:2000, :3, 3], threads=1)),
        "a pose of the map": (n_map, lambda: robot.map(voxel, orientations=50, threads=1)),
    }
    for name, (count, call) in calls.items():
        start = time.perf_counter()
        call()
        print(f"{name}: {(time.perf_counter() - start) / count * 1e6:.2f} us on one thread")

    ray.init(
        address="local", num_cpus=4, object_store_memory=on_ray.STORE, include_dashboard=False, log_to_driver=False
    )
    print(f"{'workers':>8}{'of':>8}{'rows':>9}{'parts':>7}{'start':>9}{'a part':>10}{'targets/s':>12}{'B/target':>10}")
    for workers, (kind, rows, parts) in itertools.product(map(int, sys.argv[1:]), SIZES):
        parts *= max(workers, 1)
        part = folder / "part.parquet"
        own = table.select(["x", "y", "z"]) if kind == "points" else table
        pq.write_table(own.slice(0, rows * parts), part, row_group_size=rows)
        job = jobs.Solve(robot=robot, source=part, output=folder / f"{workers}-{kind}-{rows}", rows=rows)
        times = [time.perf_counter()]
        note = lambda *_: times.append(time.perf_counter())  # noqa: E731
        if workers:
            on_ray.run_job(job, workers, progress=note)
        else:
            runs.run(job, runs.in_this_process, progress=note)
        # From the first part of each worker to the last, so that the start of the pool does not count.
        skipped = max(workers, 1)
        seconds = (times[-1] - times[skipped]) / (parts - skipped)
        size = sum(path.stat().st_size for path in job.output.rglob("*") if path.is_file()) / (rows * parts)
        print(
            f"{workers or 'none':>8}{kind:>8}{rows:>9,}{parts:>7}{times[1] - times[0]:>7.1f} s{seconds * 1e3:>7.1f} ms{rows / seconds:>12,.0f}{size:>10.0f}",
            flush=True,
        )
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    # What the driver and the engine need for a part in which nothing is done.
    for n, actors in [(1000, 1), (1000, 4)]:
        start = time.perf_counter()
        items = ray.data.from_items([{"part": str(k)} for k in range(n)], override_num_blocks=n)
        pool = ray.data.ActorPoolStrategy(size=actors)
        seen = [time.perf_counter() for _ in items.map_batches(Nothing, compute=pool, num_cpus=1).iter_rows()]
        print(
            f"{n} empty parts: {(seen[-1] - seen[0]) / n * 1e3:.2f} ms each, {seen[0] - start:.1f} s before the first"
        )


class Nothing:
    """An actor that does nothing."""

    def __call__(self, batch: dict) -> dict:
        """Give the batch."""
        return batch


def quaternions(poses: np.ndarray) -> np.ndarray:
    """Give x, y, z, w of rotation matrices, each as a row; rough for half turns."""
    m = poses[:, :3, :3]
    w = np.sqrt(np.maximum(1 + np.trace(m, axis1=1, axis2=2), 1e-9)) / 2
    vector = (m[:, [2, 0, 1], [1, 2, 0]] - m[:, [1, 2, 0], [2, 0, 1]]).T / (4 * w)
    return np.vstack([vector, w]) / np.linalg.norm(np.vstack([vector, w]), axis=0)


if __name__ == "__main__":
    main()
