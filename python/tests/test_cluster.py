"""Jobs on a real Ray: what is left when workers, drivers, disks and inputs fail. Rows D1 to D9 of the list of hazards, and how to use it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import posekit

pytest.importorskip("fcntl", reason="the jobs need Linux or macOS")

from posekit import cluster, jobs, runs
from posekit.jobs import JobError, Map, Solve

pytestmark = pytest.mark.ray
ROWS = 100


@pytest.fixture(scope="module")
def on_ray() -> Iterator[Any]:
    """Return `posekit.ray`, with a Ray of four workers behind it."""
    # Workers are started with it.
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)
    sys.path.append(str(Path(__file__).parent))
    import ray

    from posekit import ray as on_ray

    ray.init(
        address="local", num_cpus=4, object_store_memory=on_ray.STORE, include_dashboard=False, log_to_driver=False
    )
    yield on_ray
    ray.shutdown()


@pytest.fixture
def targets(arm: posekit.Robot, tmp_path: Path) -> Path:
    """Return a folder of two files of targets with eight parts; row 250 of the first is no pose."""
    folder = tmp_path / "targets"
    folder.mkdir()
    write_targets(arm, folder / "0.parquet", 500, bad=250)
    write_targets(arm, folder / "1.parquet", 300)
    return folder


def write_targets(arm: posekit.Robot, path: Path, count: int, bad: int | None = None) -> None:
    poses = np.array([arm.forward(arm.spread(k))[:3, 3] for k in range(count)])
    if bad is not None:
        poses[bad, 1] = np.nan
    columns = {"id": np.arange(count), "x": poses[:, 0], "y": poses[:, 1], "z": poses[:, 2]}
    pq.write_table(pa.table(columns), path, row_group_size=70)


@pytest.fixture
def solve(arm: posekit.Robot, targets: Path, tmp_path: Path) -> Callable[..., Solve]:
    return lambda name, kind=Solve, **more: kind(robot=arm, source=targets, output=tmp_path / name, rows=ROWS, **more)


@pytest.fixture
def alone(solve: Callable[..., Solve]) -> runs.Report:
    """Return the report of a run in one process."""
    return runs.run(solve("alone"), runs.in_this_process)


def files(folder: Path) -> dict[str, bytes]:
    """Give everything that a run has written."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def same(a: pa.Table, b: pa.Table) -> bool:
    """Compare bits, so that a NaN is itself."""
    return jobs.parquet(a.combine_chunks()) == jobs.parquet(b.combine_chunks())


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "posekit.cluster", *map(str, arguments)]


def wait_for(condition: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def workers_of(pid: int) -> list[int]:
    """List the actors that a Ray started by a process runs."""
    parents, actors = {}, []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parents[int(path.name)] = int((path / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if b"ray::" in (path / "cmdline").read_bytes() and b"MapWorker" in (path / "cmdline").read_bytes():
                actors.append(int(path.name))

    def ancestors(child: int) -> Iterator[int]:
        while child := parents.get(child, 0):
            yield child

    return [actor for actor in actors if pid in ancestors(actor)]


def test_a_run_in_one_process_has_every_row_with_its_status(
    alone: runs.Report, arm: posekit.Robot, targets: Path
) -> None:
    table = pq.read_table(alone.output)
    sources = [pq.read_table(targets / name) for name in ("0.parquet", "1.parquet")]
    assert table["id"].to_pylist() == [k for source in sources for k in source["id"].to_pylist()]
    assert table.column_names == ["id", "x", "y", "z", "q", "status", "distance", "angle"]
    points = np.column_stack([sources[0][name].to_numpy() for name in "xyz"])
    batch = arm.solve_batch(points, invalid="mark")
    assert table["status"][250].as_py() == "invalid-target"
    assert table["q"][250].as_py() is None
    for row in (0, 249, 251, 499):
        assert table["q"][row].as_py() == batch.q[row].tolist(), "the bits of a batch"
    assert (alone.rows, alone.parts, alone.computed, alone.exit_code) == (800, 8, 8, 4)
    assert alone.aside == [("0.parquet", 250, "target[1] is nan")]
    assert sum(alone.counts.values()) == 800


def test_d1_worker_killed_amid_its_part(on_ray: Any, solve: Callable[..., Solve], alone: runs.Report) -> None:
    killed: list[int] = []

    def kill(done: int, parts: int, record: jobs.Record) -> None:
        if not killed:
            killed.extend(workers_of(os.getpid())[:1])
            os.kill(killed[0], signal.SIGKILL)

    report = on_ray.run_job(solve("killed"), 2, progress=kill)
    assert killed, "there was a worker"
    assert files(report.output) == files(alone.output), "nothing lost, nothing doubled, no half file"


@pytest.mark.parametrize("what", ["crash", "memory"])
def test_d1_process_crashes_or_outgrows_its_memory(
    on_ray: Any, solve: Callable[..., Solve], alone: runs.Report, what: str
) -> None:
    from hazards import Hazard

    job = solve(what, Hazard, row=333, what=what, memory=2000)
    report = on_ray.run_job(job, 2) if what == "memory" else runs.run(job, runs.in_this_process)
    reason = {"crash": "ended by signal SIGKILL", "memory": "more than 2000 MB"}[what]
    assert [(source, row) for source, row, _ in report.aside] == [("0.parquet", 250), ("0.parquet", 333)]
    assert reason in report.aside[1][2]
    table, whole = pq.read_table(report.output), pq.read_table(alone.output)
    assert table["status"][333].as_py() == "set-aside"
    assert same(table.slice(0, 333), whole.slice(0, 333))
    assert same(table.slice(334), whole.slice(334))


def test_d2_run_again(on_ray: Any, arm: posekit.Robot, solve: Callable[..., Solve], targets: Path) -> None:
    first = on_ray.run_job(solve("again"), 2)
    before = files(first.output)
    for path in targets.iterdir():
        os.utime(path, (2**31, 2**31))
    again = runs.run(solve("again"), runs.in_this_process)
    assert (first.computed, again.computed) == (8, 0)
    assert files(first.output) == before
    write_targets(arm, targets / "1.parquet", 250)
    assert runs.run(solve("again"), runs.in_this_process).computed == 3, "only the parts of the file that is another"
    with pytest.raises(JobError, match="differs in options"):
        runs.run(solve("again", options={"prefer": "first"}), runs.in_this_process)


def test_d2_driver_killed_and_started_again(arm: posekit.Robot, tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(posekit.ARM6)
    write_targets(arm, tmp_path / "many.parquet", 2000)
    output = tmp_path / "out"
    run = command("solve", tmp_path / "arm.urdf", tmp_path / "many.parquet", "-o", output, "--rows", 20, "--workers", 2)
    driver = subprocess.Popen(run, stderr=subprocess.PIPE)
    # D4: as long as it runs, no other run may write there.
    wait_for(lambda: list(output.glob("_records/*.json")))
    other = solve_of(arm, tmp_path, "many.parquet", 20)
    with pytest.raises(JobError, match=f"another run writes to this folder .process {driver.pid} "):
        runs.run(other, runs.in_this_process)
    driver.kill()
    driver.communicate()
    n_done = len(list(output.glob("_records/*.json")))
    assert 0 < n_done < 100
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert "in 100 parts" in done.stdout
    whole = runs.run(solve_of(arm, tmp_path, "many.parquet", 20, "whole"), runs.in_this_process)
    assert files(output) == files(whole.output)


def solve_of(arm: posekit.Robot, folder: Path, name: str, rows: int, output: str = "out") -> Solve:
    return Solve(robot=arm, source=folder / name, output=folder / output, rows=rows)


def test_d3_part_that_ends_every_worker(on_ray: Any, solve: Callable[..., Solve], alone: runs.Report) -> None:
    from hazards import Hazard

    report = on_ray.run_job(solve("deadly", Hazard, row=120, what="worker"), 2)
    # Row 120 is in the second part of both files.
    assert [reason for _, _, reason in report.aside if "workers" in reason] == [
        "3 workers ended while they had it (rows 100 to 199)"
    ] * 2
    assert report.exit_code == 4
    assert report.rows == 800
    ours, theirs = files(report.output), files(alone.output)
    same = [name for name in theirs if name.startswith("part-") and ours.get(name) == theirs[name]]
    assert len(same) == 6, "all the others are done"
    healthy = runs.run(solve("deadly"), runs.in_this_process, retry=True)
    assert healthy.digest == alone.digest


def test_d4_lock_of_a_dead_process_is_taken_over(solve: Callable[..., Solve], alone: runs.Report) -> None:
    job = solve("stale")
    job.output.mkdir()
    (job.output / ".lock").write_text("process 1 on another-host")
    assert runs.run(job, runs.in_this_process).digest == alone.digest


def test_d5_any_number_of_workers(on_ray: Any, solve: Callable[..., Solve], alone: runs.Report, targets: Path) -> None:
    for workers in (1, 4):
        report = on_ray.run_job(solve(f"{workers}"), workers)
        assert report.digest == alone.digest
        assert files(report.output) == files(alone.output)
    other = on_ray.solve_dataset(solve("x").robot, targets, solve("larger").output, rows=333, workers=2)
    assert same(pq.read_table(other.output), pq.read_table(alone.output)), "the same rows in larger parts"


def test_d6_worker_hangs(on_ray: Any, solve: Callable[..., Solve], tmp_path: Path) -> None:
    from hazards import Hazard

    job = solve("slow", Hazard, row=2, what="hang", seconds=2)
    write_targets(job.robot, tmp_path / "few.parquet", 4)
    job = Hazard(**{**vars(job), "source": tmp_path / "few.parquet"})
    report = on_ray.run_job(job, 1)
    assert report.aside == [("few.parquet", 2, "its process needed more than 2 s")]
    assert pq.read_table(report.output)["status"].to_pylist() == ["reached", "reached", "set-aside", "reached"]


def test_d7_clips_are_whole_and_bad_ones_are_set_aside(on_ray: Any, root: Path, tmp_path: Path) -> None:
    (tmp_path / "clips" / "deep").mkdir(parents=True)
    shutil.copy(root / "testdata" / "clips" / "walk.bvh", tmp_path / "clips" / "deep")
    (tmp_path / "clips" / "bad.bvh").write_text("HIERARCHY\nROOT")
    report = on_ray.clean_dataset(tmp_path / "clips", tmp_path / "out", workers=2)
    cleaned = posekit.Clip.read(tmp_path / "clips" / "deep" / "walk.bvh").clean()
    assert (tmp_path / "out" / "deep" / "walk.bvh").read_bytes() == cleaned.clip.encode()
    assert (report.n_aside, report.exit_code) == (1, 4)
    rows = pq.read_table(tmp_path / "out" / "clips.parquet").to_pylist()
    assert [(row["file"], row["status"]) for row in rows] == [("bad.bvh", "set-aside"), ("deep/walk.bvh", "cleaned")]
    assert rows[1]["drift_median_after"] == cleaned.after["drift_median"]
    (tmp_path / "clips" / "bad.bvh").unlink()
    job = jobs.Clean(source=tmp_path / "clips", output=tmp_path / "out")
    again = runs.run(job, runs.in_this_process)
    assert (again.computed, again.n_aside) == (0, 0)


def test_d8_another_version(solve: Callable[..., Solve]) -> None:
    def engine(job: jobs.Job, parts: list[jobs.Part]) -> Iterator[jobs.Record]:
        worker = runs.Worker(job, {**jobs.build(), "posekit": "9.9.9"})
        return (worker.finish(part) for part in parts)

    with pytest.raises(JobError, match="a worker has another build"):
        runs.run(solve("mixed"), engine)
    manifest = solve("mixed").output / "_manifest.json"
    manifest.write_text(manifest.read_text().replace(posekit.__version__, "9.9.9"))
    with pytest.raises(JobError, match="differs in build"):
        runs.run(solve("mixed"), runs.in_this_process)


def test_d9_files_cut_by_a_crash(solve: Callable[..., Solve], alone: runs.Report) -> None:
    before = files(alone.output)
    record, part = alone.output / "_records" / "part-00002.json", alone.output / "part-00004.parquet"
    record.write_bytes(record.read_bytes()[:40])
    part.write_bytes(part.read_bytes()[:1000])
    (alone.output / "part-00005.parquet").unlink()
    (alone.output / ".part-00006.parquet.0.tmp").write_bytes(b"half")
    (alone.output / "_records" / "part-00006.tries").write_bytes(b"..")
    os.utime(alone.output / "part-00007.parquet", (0, 0))
    report = runs.run(solve("alone"), runs.in_this_process)
    assert report.computed == 3
    assert files(report.output) == before


def test_d9_full_disk(
    on_ray: Any, solve: Callable[..., Solve], alone: runs.Report, lacking: Callable[[str], NoReturn]
) -> None:
    job = solve("full")
    job.output.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=48k", "none", str(job.output)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        lacking("a small disk can be mounted only by root")
    try:
        with pytest.raises(JobError, match="No space left on device"):
            on_ray.run_job(job, 2)
        left = files(job.output)
        assert not [name for name in left if name.endswith(".tmp")]
        subprocess.run(["mount", "-o", "remount,size=4m", str(job.output)], check=True)
        assert 0 < runs.run(job, runs.in_this_process).computed < 8, "what fitted is kept"
        assert files(job.output) == files(alone.output)
    finally:
        subprocess.run(["umount", "-l", str(job.output)], check=True)


def test_map_in_parts_is_the_map(on_ray: Any, arm: posekit.Robot, tmp_path: Path) -> None:
    report = on_ray.reachability_map(arm, 0.3, tmp_path / "map", orientations=8, poses=500, workers=2, starts=4)
    whole = arm.map(0.3, orientations=8, starts=4)
    table = pq.read_table(report.output)
    assert report.parts > 2
    assert np.array_equal(np.column_stack([table[name].to_numpy() for name in "xyz"]), whole.points)
    assert np.array_equal(table["reached"].to_numpy(), whole.reached)
    assert np.array_equal(table["limit_margin"].to_numpy(), whole.limit_margin)
    assert report.rows == len(whole.points)
    for shard in [(2, 2), (0, 0)]:
        with pytest.raises(ValueError, match="shard"):
            arm.map(0.3, shard=shard)
    with pytest.raises(ValueError, match="voxel size"):
        Map(robot=arm, size=-1, output=tmp_path).parts()


@pytest.mark.parametrize("width", [3, 7, 16])
def test_targets_in_a_column_of_lists(arm: posekit.Robot, tmp_path: Path, width: int) -> None:
    matrices = [arm.forward(arm.spread(k)) for k in range(4)]
    rows = {
        3: [m[:3, 3] for m in matrices],
        7: [[*m[:3, 3], 0, 0, 0, 1] for m in matrices],
        16: [m.reshape(-1) for m in matrices],
    }
    lists = [list(map(float, row)) for row in rows[width]]
    pq.write_table(pa.table({"pose": [*lists, None, [1.0]]}), tmp_path / "poses.parquet")
    job = Solve(robot=arm, source=tmp_path / "poses.parquet", output=tmp_path / "out", column="pose")
    table = pq.read_table(runs.run(job, runs.in_this_process).output)
    expected = arm.solve_batch(np.array(rows[width]).reshape((4, 4, 4) if width == 16 else (4, width)))
    assert table["q"].to_pylist() == [*expected.q.tolist(), None, None]
    assert table["status"].to_pylist()[4:] == ["invalid-target"] * 2


def test_solver_in_a_pipeline_of_ones_own(on_ray: Any, targets: Path, arm: posekit.Robot, alone: runs.Report) -> None:
    import ray

    pool = ray.data.ActorPoolStrategy(size=2)
    data = ray.data.read_parquet(str(targets)).map_batches(
        on_ray.Solver, fn_constructor_args=[arm], batch_format="pyarrow", batch_size=64, compute=pool
    )
    q = {(row["x"], row["z"]): row["q"] for row in data.iter_rows() if row["status"] != "invalid-target"}
    for row in pq.read_table(alone.output).to_pylist():
        assert row["q"] is None or list(q[row["x"], row["z"]]) == row["q"]


def test_command_joins_a_cluster(arm: posekit.Robot, targets: Path, tmp_path: Path, root: Path) -> None:
    (targets / "2.parquet").write_bytes(b"PAR1 and no more")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start = [Path(sys.executable).with_name("ray"), "start", "--head", f"--port={port}", "--num-cpus=2", "--block"]
    start += ["--object-store-memory=200000000", "--include-dashboard=false", "--disable-usage-stats"]
    own = {**os.environ, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    head = subprocess.Popen(list(map(str, start)), env=own, start_new_session=True, **quiet)
    try:
        wait_for(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0)
        run = ["solve", root / "testdata" / "arm6.urdf", targets, "--tip", "tool0", "-o", tmp_path / "out"]
        done = subprocess.run(
            command(*run, "--address", f"127.0.0.1:{port}"), env=own, capture_output=True, text=True, check=False
        )
        assert done.returncode == 4, done.stderr
        assert "2 set aside:\n  0.parquet, row 250: target[1] is nan\n  2.parquet, row 0: Parquet" in done.stdout
        assert json.loads((tmp_path / "out" / "_report.json").read_text())["rows"] == 800
    finally:
        # With all that it has started; asked to end, it takes half a minute.
        os.killpg(head.pid, signal.SIGKILL)
        head.wait()


def test_files_for_clusters_have_the_version_that_is_tested(root: Path) -> None:
    import jsonschema
    import ray
    import yaml

    (version,) = re.findall(r"==([\d.]+)", (root / "python" / "tests" / "requirements-ray.txt").read_text())
    for name in ("Dockerfile", "kuberay.yaml", "ray-up.yaml"):
        found = re.findall(
            r"\b\d+\.\d+\.\d+\b(?!\.)", re.sub(r"192\.0\.2\.\d", "", (root / "deploy" / name).read_text())
        )
        assert set(found) == {version}, name
    schema = json.loads((Path(ray.__file__).parent / "autoscaler" / "ray-schema.json").read_text())
    jsonschema.validate(yaml.safe_load((root / "deploy" / "ray-up.yaml").read_text()), schema)
    job, claim = yaml.safe_load_all((root / "deploy" / "kuberay.yaml").read_text())
    (volume,) = job["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]["template"]["spec"]["volumes"]
    assert volume["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
    arguments = job["spec"]["entrypoint"].split()
    assert cluster._parser().parse_args(arguments[3:]).workers == 64


def test_output_that_is_not_ones_own(tmp_path: Path, targets: Path, arm: posekit.Robot) -> None:
    for output, why in [(tmp_path, "is not empty"), (targets / "out", "in the folder of the input")]:
        with pytest.raises(JobError, match=why):
            runs.run(Solve(robot=arm, source=targets, output=output), runs.in_this_process)


def test_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "arm.urdf").write_text(posekit.ARM6)
    arguments = ["solve", str(tmp_path / "arm.urdf"), str(tmp_path / "none"), "-o", str(tmp_path / "out")]
    assert cluster.main(arguments) == 3
    assert "there is no" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        cluster.main(["solve", "--rows", "0"])
