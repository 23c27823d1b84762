"""The command `python -m posekit.cluster`: jobs of `posekit.ray` from a terminal."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from posekit.jobs import JobError, Record
from posekit.robot import Robot
from posekit.runs import Report

UNITS = {"solve": "targets", "clean": "clips", "map": "voxels"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; gives the exit code: 0 done, 1 output, 2 usage, 3 input, 4 something was set aside, 130 interrupted."""
    options = vars(_parser().parse_args(arguments))
    kind = options.pop("job")
    meter = _Meter(UNITS[kind])
    try:
        report = _run(kind, {name: value for name, value in options.items() if value is not None}, meter)
    except (JobError, ValueError, FileNotFoundError) as error:
        meter.end()
        print(f"error: {error}", file=sys.stderr)
        return getattr(error, "code", 3)
    except KeyboardInterrupt:
        meter.end()
        print("stopped; the same command continues", file=sys.stderr)
        return 130
    meter.end(report)
    _show(report, UNITS[kind])
    return report.exit_code


def _run(kind: str, options: dict[str, Any], meter: _Meter) -> Report:
    # Ray warns of every actor that it may start again; the setting must be there before it is imported, which takes seconds.
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    from posekit import ray

    if kind == "clean":
        return ray.clean_dataset(progress=meter, **options)
    path = options.pop("robot")
    read = Robot.from_urdf if path.suffix.lower() == ".urdf" else Robot.from_mjcf
    robot = read(path, tip=options.pop("tip", None))
    job = ray.solve_dataset if kind == "solve" else ray.reachability_map
    return job(robot, progress=meter, **options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m posekit.cluster",
        description="Solve data sets, clean folders of clips and measure reachability maps on Ray. A run that was stopped or killed is continued by the same command.",
        epilog="Exit codes: 0 done, 1 the output cannot be written, 2 usage, 3 the input is wrong, 4 rows or files were set aside, 130 interrupted.",
    )
    commands = parser.add_subparsers(dest="job", required=True)

    solve = commands.add_parser("solve", help="joint values for the targets in Parquet files")
    _robot(solve)
    solve.add_argument(
        "source",
        type=Path,
        metavar="TARGETS",
        help="a Parquet file or a folder of them: columns x, y, z, and qx to qw for whole poses",
    )
    solve.add_argument("--column", help="a column of lists of 3, 7 or 16 numbers instead")
    solve.add_argument("--rows", type=_count, help="rows of a part (200000)")
    solve.add_argument(
        "--prefer",
        choices=["nearest", "first", "posture", "manipulability"],
        help="which configuration is wanted (nearest)",
    )
    solve.add_argument("--tolerance", type=float, metavar="M", help="of the position [m]")
    solve.add_argument("--starts", type=_count, help="starts for each target, at most")

    clean = commands.add_parser("clean", help="clips whose standing feet stand still")
    clean.add_argument("source", type=Path, metavar="CLIPS", help="a folder of BVH, glTF, GLB, VRM and VRMA files")
    clean.add_argument("--strength", type=float, help="0 to 1 (1)")
    clean.add_argument("--in-place", action="store_true", default=None, help="walks on a treadmill")

    reach = commands.add_parser("map", help="where an arm can hold its tool")
    _robot(reach)
    reach.add_argument("--voxel", dest="size", type=float, default=0.05, metavar="M", help="edge of a voxel [m] (0.05)")
    reach.add_argument("--orientations", type=_count, default=50, help="that are tried in each voxel (50)")
    reach.add_argument("--starts", type=_count, help="starts for each orientation, at most")
    reach.add_argument("--poses", type=_count, help="poses of a part, about (200000)")

    for command in (solve, clean, reach):
        command.add_argument(
            "-o", "--output", type=Path, required=True, metavar="FOLDER", help="a new folder, or that of the same job"
        )
        command.add_argument(
            "--address", help='of a cluster, or "auto" for that of this machine; otherwise Ray is started here'
        )
        command.add_argument("--workers", type=_count, help="actors with one core each (one per core)")
        command.add_argument("--seconds", type=float, help="time budget of a part or clip [s]")
        command.add_argument("--memory", type=_count, metavar="MB", help="that the process of a worker may allocate")
        command.add_argument("--retry", action="store_true", help="compute again what was set aside")
    return parser


def _robot(command: argparse.ArgumentParser) -> None:
    command.add_argument("robot", type=Path, metavar="ROBOT", help="a robot: URDF, or MJCF as .xml")
    command.add_argument("--tip", metavar="LINK", help="the link that must reach")


def _count(text: str) -> int:
    if (number := int(text)) < 1:
        raise ValueError
    return number


class _Meter:
    """A line of progress: rewritten in a terminal, and every ten seconds elsewhere."""

    def __init__(self, unit: str) -> None:
        self.unit, self.is_terminal = unit, sys.stderr.isatty()
        self.start = self.first = self.shown = time.monotonic()
        self.parts = self.rows = self.aside = 0
        self._show("starting Ray …" if self.is_terminal else "")

    def __call__(self, done: int, parts: int, record: Record) -> None:
        now = time.monotonic()
        self.aside += len(record["aside"])
        if self.parts == 0:  # Rates count from here, after the start of the workers.
            self.first = now
        else:
            self.rows += record["rows"]
        self.parts += 1
        if now - self.shown < (0.2 if self.is_terminal else 10) or done == parts or self.parts == 1:
            return
        self.shown, seconds = now, now - self.first
        left = _time(seconds / (self.parts - 1) * (parts - done))
        line = f"{done:>7,} of {parts:,} parts{self.rows / seconds:>12,.0f} {self.unit}/s{left:>10} left"
        self._show(line + (f"   {self.aside:,} set aside" if self.aside else ""))

    def _show(self, line: str) -> None:
        if self.is_terminal:
            print(f"\r{line:<78}", end="\r" if not line else "", file=sys.stderr, flush=True)
        elif line:
            print(line, file=sys.stderr, flush=True)

    def end(self, report: Report | None = None) -> None:
        """Clear the line, and say how long it took."""
        self._show("")
        if report:
            seconds = time.monotonic() - self.start
            print(f"{report.computed:,} of {report.parts:,} parts computed in {_time(seconds)}", file=sys.stderr)


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _show(report: Report, unit: str) -> None:
    """Print a table of what came of a run."""
    print(f"{'status':<20}{unit:>14}{'share':>10}\n{'─' * 44}")
    for status, count in sorted(report.counts.items(), key=lambda item: -item[1]):
        print(f"{status.replace('-', ' '):<20}{count:>14,}{100 * count / max(report.rows, 1):>8.2f} %")
    parts = "1 part" if report.parts == 1 else f"{report.parts:,} parts"
    print(f"\n{report.rows:,} {unit} in {parts}: {report.output}")
    if report.aside:
        print(f"\n{report.n_aside:,} set aside:")
        for source, row, reason in report.aside[:10]:
            print(f"  {source}{f', row {row}' if unit == 'targets' else ''}: {reason}")
        if report.n_aside > 10:
            print("  … the rest is in _report.json and in the records")


if __name__ == "__main__":
    sys.exit(main())
