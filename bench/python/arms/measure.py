"""The stopwatch and the judge of peers that solve for whole poses of an arm: the same for all.

A peer is a class with

- `NAME`, `PACKAGE`: what to call it, and the package whose version to report,
- `GIVES_ALL`: whether it returns all solutions that it finds,
- `__init__(arm, robot)`: an arm of the problem file, and its kinematics; raises `Unsuited`,
- `prepare(target)`: a 4 x 4 matrix in the peer's own types, outside the timing,
- `solve(target, start)`: the answers, best first, and the iterations and starts or None.
"""

import gc
import json
import sys
from importlib.metadata import version
from pathlib import Path
from statistics import mean, median
from time import process_time, process_time_ns

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent))
from kinematics import Robot, rotation_vector

ROUNDS = 3
# A peer gets no further round of an arm after this, and solves no further problems of the first [s].
BUDGET = 40.0
# Between two implementations of forward kinematics [m, rad].
ROUNDING = 1e-9


class Unsuited(Exception):
    """The peer is not made for this arm."""


def main(peer):
    """Runs every arm of the problem file and prints one line of JSON for each.

    Called as `python SCRIPT PROBLEMS.json`.
    """
    if len(sys.argv) != 2:
        sys.exit(f"usage: {Path(sys.argv[0]).name} PROBLEMS.json")
    document = json.loads(Path(sys.argv[1]).read_text())
    for arm in document["arms"]:
        robot = Robot(arm["urdf"], arm["joints"])
        try:
            solver = peer(arm, robot)
        except Unsuited as error:
            print(f"{peer.NAME}, {arm['name']}: {error}", file=sys.stderr, flush=True)
            continue
        result = {
            "peer": peer.NAME,
            "version": version(peer.PACKAGE),
            "arm": arm["name"],
            **run(solver, arm, robot, document["tolerance"]),
        }
        print(json.dumps(result), flush=True)


def run(solver, arm, robot, tolerance):
    """CPU time of each problem, the median over the rounds, and what came of the first round."""
    targets = [matrix(problem["target"]) for problem in arm["problems"]]
    prepared = [solver.prepare(target) for target in targets]
    starts = [np.array(problem["start"]) for problem in arm["problems"]]
    times = [[] for _ in targets]
    tally = Tally(arm, robot, tolerance)
    begin = process_time()
    for number in range(ROUNDS):
        for index, (ready, start) in enumerate(zip(prepared, starts, strict=True)):
            if process_time() - begin > BUDGET:
                break
            gc.disable()
            before = process_time_ns()
            answers, iterations, n_starts = solver.solve(ready, start)
            times[index].append(process_time_ns() - before)
            gc.enable()
            if number == 0:
                tally.add(targets[index], answers, iterations, n_starts)
    result = tally.result(type(solver).GIVES_ALL)
    overhead = stopwatch_overhead()
    result["times_ns"] = [median(of) - overhead for of in times if of]
    return result


def stopwatch_overhead():
    """What reading the clock costs [ns]."""
    times = []
    for _ in range(1000):
        before = process_time_ns()
        times.append(process_time_ns() - before)
    return median(times)


class Tally:
    def __init__(self, arm, robot, tolerance):
        self.robot, self.tip, self.tolerance = robot, arm["tip"], tolerance
        self.lower, self.upper = limits(arm)
        self.solved = self.wrong = 0
        self.iterations, self.starts, self.answers = [], [], []
        self.worst_error = 0.0

    def add(self, target, answers, iterations, n_starts):
        errors = [self.error(target, answer) for answer in answers]
        is_solved = [
            error <= self.tolerance + ROUNDING and self.is_inside(answer)
            for error, answer in zip(errors, answers, strict=True)
        ]
        self.solved += bool(is_solved) and is_solved[0]
        self.wrong += not all(is_solved)
        self.worst_error = max([self.worst_error, *errors])
        self.answers.append(len(answers))
        if iterations is not None:
            self.iterations.append(iterations)
        if n_starts is not None:
            self.starts.append(n_starts)

    def error(self, target, answer):
        """The larger of distance [m] and angle [rad] from the target."""
        pose = self.robot.frame(self.tip, answer)
        angle = np.linalg.norm(rotation_vector(pose[:3, :3].T @ target[:3, :3]))
        return max(float(np.linalg.norm(pose[:3, 3] - target[:3, 3])), float(angle))

    def is_inside(self, answer):
        answer = np.asarray(answer)
        return bool(
            np.all(answer >= self.lower - ROUNDING) and np.all(answer <= self.upper + ROUNDING)
        )

    def result(self, gives_all):
        return {
            "solved": self.solved,
            "wrong": self.wrong,
            "iterations": median(self.iterations) if self.iterations else None,
            "starts": mean(self.starts) if self.starts else None,
            "answers": mean(self.answers) if gives_all else None,
            "worst_error": self.worst_error,
        }


def matrix(rows):
    """The 4 x 4 matrix of its upper three rows."""
    return np.vstack([rows, [0.0, 0.0, 0.0, 1.0]])


def limits(arm):
    """Lower and upper bounds, infinite where there are none."""
    bounds = np.array(
        [
            [-np.inf if low is None else low, np.inf if high is None else high]
            for low, high in arm["bounds"]
        ]
    )
    return bounds[:, 0], bounds[:, 1]


def wrap(answers, arm):
    """Angles brought inside the limits by whole turns; answers that are not inside then are dropped."""
    if len(answers) == 0:
        return []
    lower, upper = arm.setdefault("limits", limits(arm))
    turn = 2.0 * np.pi
    answers = np.array(answers)
    answers += turn * np.ceil(np.maximum(lower - answers, 0.0) / turn)
    answers -= turn * np.ceil(np.maximum(answers - upper, 0.0) / turn)
    return answers[np.all((answers >= lower) & (answers <= upper), axis=1)]
