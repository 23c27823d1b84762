"""posekit finds the pose: joint values that put a hand, foot or tool in its place.

Inverse kinematics for robots and characters: arms by closed forms and a fast descent, batches of targets, paths, reachability maps, whole bodies with prioritised
tasks, limbs, chains, and motion clips whose feet stand still. The same input gives the same bits, in Python, Rust and WebAssembly.

Metres, radians, seconds; poses are 4 x 4 matrices for column vectors, quaternions x, y, z, w. Arrays of float64 in C order are read in place, others of real
numbers are converted once. Every fault is a `ValueError` of `posekit.errors` that names the argument and the first bad index.
"""

from posekit import errors, results
from posekit._posekit import (
    ARM6,
    Chain,
    Clip,
    Description,
    Digest,
    Servo,
    __version__,
    aim,
    case_names,
    solve_jobs,
    solve_json,
    two_bone,
)
from posekit.errors import FileError, PosekitError, UnsuitedError
from posekit.lerobot import RobotKinematics
from posekit.results import Status
from posekit.robot import Robot
from posekit.tasks import Task

__all__ = [
    "ARM6",
    "Chain",
    "Clip",
    "Description",
    "Digest",
    "FileError",
    "PosekitError",
    "Robot",
    "RobotKinematics",
    "Servo",
    "Status",
    "Task",
    "UnsuitedError",
    "__version__",
    "aim",
    "case_names",
    "errors",
    "results",
    "solve_jobs",
    "solve_json",
    "two_bone",
]
