"""Runs of jobs: resumable and idempotent, by files alone.

A worker computes a part and writes its file, then its record, each under another name first and then renamed. The record has the hashes of what went in and of what came
out; a part whose record holds is not computed again. No clock is read except for the time budget.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import pickle
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from posekit import jobs
from posekit.jobs import Job, JobError, Part, Piece, Record

__all__ = ["Report", "Worker", "in_this_process", "run"]

TRIES = 3
"""Workers that a part may take down before it is set aside: one may fall to its machine, three are no coincidence."""
SHOWN = 100
"""Rows set aside that a report lists; the records have all of them."""

Engine = Callable[[Job, list[Part]], Iterable[Record]]


class Report(NamedTuple):
    """What a run has done; `_report.json` in the output has the same."""

    output: Path
    """The folder."""
    parts: int
    """How many parts there are."""
    computed: int
    """How many of them this run computed; the others were done."""
    rows: int
    """Targets, clips or voxels."""
    counts: dict[str, int]
    """How many rows have which status."""
    n_aside: int
    """How many rows or files were set aside."""
    aside: list[tuple[str, int, str]]
    """The first of them: file, row, reason."""
    digest: str
    """Hash of all results in their order: the same for any number of workers and restarts."""

    @property
    def exit_code(self) -> int:
        """4 where something was set aside."""
        return 4 if self.n_aside else 0


def run(
    job: Job, engine: Engine, *, retry: bool = False, progress: Callable[[int, int, Record], None] | None = None
) -> Report:
    """Run what is not done of a job.

    Parameters
    ----------
    job : Job
        What.
    engine : callable
        Given the job and parts, it computes them and gives their records as they come.
    retry : bool, default False
        Compute parts again of which something was set aside.
    progress : callable, optional
        Called with the number of parts done, of all, and the record of the last.

    Returns
    -------
    Report

    Raises
    ------
    JobError
        For an output in use, of another job, or that cannot be written.
    """
    output = job.output
    source = getattr(job, "source", None)
    if source and source.resolve() in (output.resolve(), *output.resolve().parents):
        raise JobError(f"the output is in the folder of the input: {output}", 3)
    parts = job.parts()
    try:
        with _lock(output):
            _claim(job)
            _tidy(job, parts, retry)
            records = {part.name: record for part in parts if (record := _done(job, part))}
            missing = [part for part in parts if part.name not in records]
            for record in engine(job, missing) if missing else ():
                if "failure" in record:
                    raise JobError(record["failure"])
                records[record["part"]] = record
                if progress:
                    progress(len(records), len(parts), record)
            _sweep(output)
            ordered = [records[part.name] for part in parts]
            job.conclude(ordered)
            report = _report(job, ordered, len(missing))
            content = {name: value for name, value in report._asdict().items() if name not in ("output", "computed")}
            jobs.write_whole(output / "_report.json", json.dumps(content, indent=1).encode())
            return report
    except OSError as error:
        raise JobError(str(error)) from error


def _report(job: Job, records: list[Record], computed: int) -> Report:
    counts: Counter[str] = Counter()
    digest = hashlib.sha256()
    aside = []
    for record in records:
        counts.update(record["counts"])
        digest.update(jobs.to_json(record).encode())
        aside += [(record["source"], row, reason) for row, reason in record["aside"]]
    rows = sum(record["rows"] for record in records)
    ordered = dict(sorted(counts.items()))
    return Report(job.output, len(records), computed, rows, ordered, len(aside), aside[:SHOWN], digest.hexdigest())


@contextlib.contextmanager
def _lock(output: Path) -> Iterator[None]:
    """Hold the output alone. The system releases the lock when its process ends, however it ends."""
    output.mkdir(parents=True, exist_ok=True)
    with (output / ".lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise JobError(
                f"another run writes to this folder ({file.read().strip() or 'starting'}): {output}"
            ) from None
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}")
        file.flush()
        yield


def _claim(job: Job) -> None:
    """Write the manifest, or compare it: results of different jobs or versions are not mixed."""
    path = job.output / "_manifest.json"
    own = json.loads(jobs.to_json({"job": job.kind, **job.identity(), "build": jobs.build()}))
    if path.is_file():
        there = json.loads(path.read_text())
        if there != own:
            names = ", ".join(name for name in sorted({*own, *there}) if own.get(name) != there.get(name))
            raise JobError(
                f"the folder has the results of another job, which differs in {names}; name another folder: {job.output}",
                3,
            )
    elif any(child.name != ".lock" and not child.name.endswith(".tmp") for child in job.output.iterdir()):
        raise JobError(f"the folder is not empty and has no manifest; name another folder: {job.output}", 3)
    else:
        jobs.write_whole(path, json.dumps(own, indent=1).encode())


def _tidy(job: Job, parts: list[Part], retry: bool) -> None:
    """Remove what killed workers left, the results of inputs that are gone, and the records of what is tried again."""
    records = job.output / "_records"
    known = {_record_path(job, part.name) for part in parts}
    _sweep(job.output)
    for part in parts if retry else ():
        if (record := _done(job, part)) and record["aside"]:
            _record_path(job, part.name).unlink()
    for path in records.rglob("*.json"):
        if path not in known:
            name = path.relative_to(records).as_posix().removesuffix(".json")
            (job.output / job.path_of(Part(name, "", 0, 0, ""))).unlink(missing_ok=True)
            path.unlink()


def _sweep(output: Path) -> None:
    """Remove what workers that were killed left."""
    for path in [*output.rglob(".*.tmp"), *output.rglob("_records/**/*.tries")]:
        path.unlink(missing_ok=True)


def _record_path(job: Job, name: str) -> Path:
    return job.output / "_records" / f"{name}.json"


def _done(job: Job, part: Part) -> Record | None:
    """Read the record of a part, if it holds: it is whole, for this input, and the file has its hash."""
    try:
        record: Record = json.loads(_record_path(job, part.name).read_text())
        holds = record["key"] == part.key
        if holds and record["sha256"]:
            holds = jobs.hash_file(job.output / job.path_of(part)) == record["sha256"]
    except (OSError, ValueError, KeyError):
        return None
    return record if holds else None


class Worker:
    """Computes parts, in a process of its own that may crash, hang or outgrow its memory.

    Parameters
    ----------
    job : Job
        What.
    build : dict
        What the driver computes with; a worker that computes with something else refuses.
    """

    def __init__(self, job: Job, build: dict[str, str]) -> None:
        self.job = job
        own = jobs.build()
        self.refusal = None if own == build else f"a worker has another build: {own}, the driver {build}"
        self.child = _Child(job)

    def finish(self, part: Part) -> Record:
        """Compute a part, unless it is done, and write it; a record of what came of it, or of why the run must end."""
        if self.refusal:
            return {"failure": self.refusal}
        try:
            return _done(self.job, part) or self._write(part, self._attempt(part))
        except OSError as error:
            return {"failure": f"cannot write {part.name}: {error.strerror or error}: {self.job.output}"}

    def _attempt(self, part: Part) -> Piece:
        tries = _record_path(self.job, part.name).with_suffix(".tries")
        tries.parent.mkdir(parents=True, exist_ok=True)
        with tries.open("ab") as file:
            file.write(b".")
            file.flush()
            n_tries = file.tell()
        if n_tries > TRIES:
            return self._without(part, part.begin, part.end, f"{TRIES} workers ended while they had it")
        return self._piece(part, part.begin, part.end)

    def _piece(self, part: Part, begin: int, end: int) -> Piece:
        """Compute rows; of those whose process ends the halves, so that a bad row is set aside alone."""
        for _ in range(2 if end - begin == 1 else 1):
            try:
                return self.child.compute(part, begin, end)
            except Fault as caught:
                fault = caught
                if not isinstance(fault, Crash):
                    break
        if isinstance(fault, Crash) and end - begin > 1:
            middle = (begin + end) // 2
            halves = self._piece(part, begin, middle), self._piece(part, middle, end)
            return Piece(
                pa.concat_tables([half.table for half in halves]), [row for half in halves for row in half.aside]
            )
        return self._without(part, begin, end, str(fault))

    def _without(self, part: Part, begin: int, end: int, reason: str) -> Piece:
        if end - begin == 1:
            return self.job.absent(part, begin, reason)
        return Piece(None, [(begin, f"{reason} (rows {begin} to {end - 1})" if end > begin else reason)])

    def _write(self, part: Part, piece: Piece) -> Record:
        table, data = piece.table, piece.data
        record: Record = {
            "part": part.name,
            "source": part.source,
            "key": part.key,
            "aside": [list(row) for row in piece.aside],
            "sha256": None,
        }
        record["rows"] = part.end - part.begin if table is None else len(table)
        record["counts"] = {"set-aside": record["rows"]} if table is None else self.job.counts(table)
        if isinstance(self.job, jobs.Clean):
            record["table"] = table.to_pylist() if table is not None else []
        elif table is not None:
            data = jobs.parquet(table)
        if data is None:
            (self.job.output / self.job.path_of(part)).unlink(missing_ok=True)
        else:
            jobs.write_whole(self.job.output / self.job.path_of(part), data)
            record["sha256"] = hashlib.sha256(data).hexdigest()
        path = _record_path(self.job, part.name)
        jobs.write_whole(path, json.dumps(record).encode())
        path.with_suffix(".tries").unlink(missing_ok=True)
        return record


def in_this_process(job: Job, parts: list[Part]) -> Iterator[Record]:
    """Compute parts one after another, without an engine."""
    worker = Worker(job, jobs.build())
    return (worker.finish(part) for part in parts)


class Fault(Exception):
    """Why rows have no result."""


class Crash(Fault):
    """Their process ended; fewer of them may have one."""


class _Child:
    """The process that computes; started again when it has ended."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.process: subprocess.Popen[bytes] | None = None

    def compute(self, part: Part, begin: int, end: int) -> Piece:
        """Compute a piece within the time budget."""
        if self.process is None:
            command = [sys.executable, "-c", "from posekit import runs; runs.serve()"]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self._ask(self.process, self.job, max(60.0, self.job.seconds))
        return self._ask(self.process, (part, begin, end), self.job.seconds)

    def _ask(self, process: subprocess.Popen[bytes], question: object, seconds: float) -> Piece:
        assert process.stdin
        assert process.stdout
        late = threading.Event()

        def expire() -> None:
            late.set()
            process.kill()

        clock = threading.Timer(seconds, expire)
        clock.start()
        try:
            pickle.dump(question, process.stdin)
            process.stdin.flush()
            answer = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            process.kill()
            code = process.wait()
            self.process = None
            how = f"needed more than {seconds:g} s" if late.is_set() else f"ended by {_cause(code)}"
            raise Crash(f"its process {how}") from None
        finally:
            clock.cancel()
        if isinstance(answer, Piece):
            return answer
        raise answer


def _cause(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def serve() -> None:
    """Read a job from standard input, then ranges of rows, and write their pieces to standard output."""
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # What else prints does not go between the answers.
    job: Job = pickle.load(source)
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    pa.set_cpu_count(1)
    if job.memory:
        resource.setrlimit(resource.RLIMIT_DATA, (job.memory << 20, job.memory << 20))
    answer: Piece | Fault = Piece(None, [])
    while True:
        pickle.dump(answer, sink)
        sink.flush()
        try:
            part, begin, end = pickle.load(source)
        except EOFError:
            return
        try:
            answer = job.compute(part, begin, end)
        except MemoryError:
            answer = Crash(f"needed more than {job.memory} MB")
        except Exception as error:
            answer = Fault(f"{error}" or type(error).__name__)


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
