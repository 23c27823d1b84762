"""The stopwatch and the judge: the same for every peer.

A peer is a class with

- `NAME`, `PACKAGE`: what to call it, and the package whose version to report,
- `VARIANTS`: settings to try; the fastest that tracks the path is the one reported,
- `FAILURES`: what `step` raises where the peer finds no step; the problem counts as unsolved,
- `__init__(case, robot, variant)`: builds the model and the tasks,
- `prepare(targets)`: targets of the file in the peer's own types, outside the timing,
- `reset(problem)`: back to a start, which also is the posture's target,
- `step(prepared)`: one differential step: set targets, solve, integrate, update the kinematics,
- `state()`: the joint values in the order of the case, and `world_from_root` or None.
"""

import gc
import json
import sys
from importlib.metadata import version
from pathlib import Path
from statistics import mean, median
from time import perf_counter_ns

import numpy as np
from kinematics import Robot, pose_from_list, rotation_from_quaternion, rotation_vector

# A problem is solved when every target is met this closely [m, rad].
TOLERANCE = 1e-6
# One step along the path leaves an error of second order in its length; more means a wrong step.
TRACKING_TOLERANCE = 1e-3
MOST_STEPS = 50
PASSES = 20
REPEATS = 5


def main(peer):
    """Runs every case of the problem file and prints one line of JSON for each.

    Called as `python SCRIPT ASSETS PROBLEMS.json`.
    """
    if len(sys.argv) != 3:
        sys.exit(f"usage: {Path(sys.argv[0]).name} ASSETS PROBLEMS.json")
    assets, problems = sys.argv[1:]
    for case in json.loads(Path(problems).read_text())["cases"]:
        robot = Robot(Path(assets, "urdf", case["urdf"]), case["joints"])
        print(json.dumps(best_variant(peer, case, robot)), flush=True)


def best_variant(peer, case, robot):
    found = []
    for variant in peer.VARIANTS:
        solver = peer(case, robot, variant)
        result = {
            "peer": peer.NAME,
            "version": version(peer.PACKAGE),
            "case": case["name"],
            "settings": variant,
            **time_steps(solver, case, robot),
            **time_convergence(solver, case, robot),
        }
        print(f"{peer.NAME} {case['name']} {variant}: {result}", file=sys.stderr, flush=True)
        found.append(result)
    return min(found, key=lambda result: (-result["tracked"], result["step_ns_median"]))


def time_steps(solver, case, robot):
    """Time per step along the path, in one process, the state going on from step to step."""
    path = case["track"]
    prepared = [solver.prepare(targets) for targets in path["targets"]]
    solver.reset(path)
    met = 0
    worst = 0.0
    for ready, targets in zip(prepared, path["targets"], strict=True):
        solver.step(ready)
        error = worst_error(robot, case, targets, solver.state())
        worst = max(worst, error)
        met += error <= TRACKING_TOLERANCE
    times = []
    gc.disable()
    for _ in range(PASSES):
        solver.reset(path)
        for ready in prepared:
            before = perf_counter_ns()
            solver.step(ready)
            times.append(perf_counter_ns() - before)
    gc.enable()
    return {
        "step_ns_median": median(times),
        "step_ns_mean": round(mean(times)),
        "tracked": met / len(prepared),
        "tracking_error": worst,
        "n": len(times),
    }


def time_convergence(solver, case, robot):
    """Steps and time from a warm start to the tolerance.

    The steps are counted first, each judged by our own forward kinematics; then as many are
    timed in one go, so that no check is part of the time. Unsolved problems have no part in the medians.
    """
    counts, times = [], []
    for problem in case["warm"]:
        (targets,) = problem["targets"]
        ready = solver.prepare(targets)
        count = steps_to_converge(solver, case, robot, problem, ready)
        if count is None:
            continue
        counts.append(count)
        times.append(median(time_of(solver, problem, ready, count) for _ in range(REPEATS)))
    problems = len(case["warm"])
    return {
        "converge_steps_median": median(counts) if counts else None,
        "converge_steps_max": max(counts, default=None),
        "converge_ns_median": median(times) if times else None,
        "solved": len(counts) / problems if problems else None,
        "n_problems": problems,
    }


def steps_to_converge(solver, case, robot, problem, ready):
    (targets,) = problem["targets"]
    solver.reset(problem)
    for count in range(1, MOST_STEPS + 1):
        try:
            solver.step(ready)
        except solver.FAILURES:
            return None
        q, base = solver.state()
        inside = all(
            robot.limits[name][0] - TOLERANCE <= value <= robot.limits[name][1] + TOLERANCE
            for name, value in zip(robot.joints, q, strict=True)
        )
        if inside and worst_error(robot, case, targets, (q, base)) <= TOLERANCE:
            return count
    return None


def time_of(solver, problem, ready, count):
    solver.reset(problem)
    gc.disable()
    before = perf_counter_ns()
    for _ in range(count):
        solver.step(ready)
    elapsed = perf_counter_ns() - before
    gc.enable()
    return elapsed


def worst_error(robot, case, targets, state):
    """The largest distance [m] or angle [rad] between a task's frame and its target."""
    q, base = state
    worst = 0.0
    for task, values in zip(case["tasks"], targets, strict=True):
        pose = robot.frame(task["frame"], q, base)
        if task["kind"] in ("pose", "position"):
            worst = max(worst, np.linalg.norm(pose[:3, 3] - values[:3]))
        if task["kind"] in ("pose", "orientation"):
            turned = pose[:3, :3].T @ rotation_from_quaternion(values[-4:])
            worst = max(worst, np.linalg.norm(rotation_vector(turned)))
    return float(worst)


def target_matrix(kind, values):
    """A target as a 4 x 4 matrix, for peers that take whole poses; the part without a say is identity."""
    if kind == "pose":
        return pose_from_list(values)
    matrix = np.eye(4)
    if kind == "position":
        matrix[:3, 3] = values
    else:
        matrix[:3, :3] = rotation_from_quaternion(values)
    return matrix
