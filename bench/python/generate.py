"""Writes the problem file that README.md describes: seeded, so the same file every time.

    python generate.py ASSETS PROBLEMS.json

ASSETS is the folder with `urdf/`. Targets are forward kinematics of joint values inside the
limits, so every problem has a solution.
"""

import json
import sys
from pathlib import Path

import numpy as np
from kinematics import Robot, axis_rotation, list_from_pose, pose_matrix, quaternion_from_rotation

SEED = 20260101
PATH_STEPS = 512
WARM_PROBLEMS = 256
# Largest distance of each joint of a warm start from the solution [rad].
WARM_DISTANCE = 0.05

PANDA = {
    "name": "panda",
    "urdf": "panda.urdf",
    "floating_base": False,
    "joints": [f"panda_joint{i}" for i in range(1, 8)],
    "tasks": [{"kind": "pose", "frame": "panda_hand_tcp"}],
    "posture_weight": 1e-4,
}

SIDES = ("left", "right")
G1 = {
    "name": "g1",
    "urdf": "g1_29dof_rev_1_0.urdf",
    "floating_base": True,
    "joints": [
        *(
            f"{side}_{joint}_joint"
            for side in SIDES
            for joint in ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll")
        ),
        *(f"waist_{axis}_joint" for axis in ("yaw", "roll", "pitch")),
        *(
            f"{side}_{joint}_joint"
            for side in SIDES
            for joint in (
                *("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow"),
                *("wrist_roll", "wrist_pitch", "wrist_yaw"),
            )
        ),
    ],
    "tasks": [
        {"kind": "pose", "frame": "left_ankle_roll_link"},
        {"kind": "pose", "frame": "right_ankle_roll_link"},
        {"kind": "position", "frame": "left_rubber_hand"},
        {"kind": "position", "frame": "right_rubber_hand"},
        {"kind": "orientation", "frame": "head_link"},
    ],
    "posture_weight": 1e-4,
}
# A stance with bent knees and elbows; the joints that are not listed are at zero in it.
G1_STANCE = {"hip_pitch": -0.4, "knee": 0.8, "ankle_pitch": -0.4, "elbow": 0.5}


def main(assets, output):
    random = np.random.default_rng(SEED)
    panda = Robot(Path(assets, "urdf", PANDA["urdf"]), PANDA["joints"])
    middle = [0.5 * sum(panda.limits[name]) for name in panda.joints]
    panda_case = {
        **PANDA,
        "track": path(panda, PANDA, middle, random),
        "warm": [warm(panda, PANDA, random) for _ in range(WARM_PROBLEMS)],
    }
    g1 = Robot(Path(assets, "urdf", G1["urdf"]), G1["joints"])
    stance = [
        next((angle for part, angle in G1_STANCE.items() if part in name), 0.0)
        for name in g1.joints
    ]
    g1_case = {**G1, "track": path(g1, G1, stance, random), "warm": []}
    document = {
        "schema": "posekit.bench.steps/1",
        "seed": SEED,
        "cases": [panda_case, g1_case],
    }
    Path(output).write_text(json.dumps(document) + "\n")


def path(robot, case, centre, random):
    """A closed, smooth path: each joint swings about `centre`, at most half the way to a limit."""
    amplitude, turns, phase = [], [], []
    for name, middle in zip(robot.joints, centre, strict=True):
        lower, upper = robot.limits[name]
        amplitude.append(min(0.3, 0.5 * (middle - lower), 0.5 * (upper - middle)))
        turns.append(random.integers(1, 3))
        phase.append(random.uniform(0.0, 2.0 * np.pi))
    base_phase = random.uniform(0.0, 2.0 * np.pi, 6)

    def state(step):
        angle = 2.0 * np.pi * step / PATH_STEPS
        q = np.array(centre) + amplitude * np.sin(np.array(turns) * angle + phase)
        if not case["floating_base"]:
            return q, None
        swing = np.sin(angle + base_phase)
        vector = 0.1 * swing[3:]
        length = np.linalg.norm(vector)
        return q, pose_matrix(
            np.array([0.0, 0.0, 0.75]) + 0.05 * swing[:3], axis_rotation(vector / length, length)
        )

    q, base = state(0)
    states = [state(step + 1) for step in range(PATH_STEPS)]
    return {
        **start(q, base),
        "targets": [targets(robot, case, q, base) for q, base in states],
    }


def warm(robot, case, random):
    """A pose from the inner four fifths of the limits and a start close to it."""
    ranges = np.array([robot.limits[name] for name in robot.joints])
    middle, half = ranges.mean(axis=1), 0.5 * (ranges[:, 1] - ranges[:, 0])
    solution = middle + 0.8 * half * random.uniform(-1.0, 1.0, len(half))
    away = random.uniform(-WARM_DISTANCE, WARM_DISTANCE, len(half))
    return {**start(solution + away, None), "targets": [targets(robot, case, solution, None)]}


def start(q, base):
    values = {"start": [float(value) for value in q]}
    if base is not None:
        values["start_base"] = [float(value) for value in list_from_pose(base)]
    return values


def targets(robot, case, q, base):
    """One target per task, in the order of the tasks."""
    found = []
    for task in case["tasks"]:
        pose = robot.frame(task["frame"], q, base)
        values = {
            "pose": lambda pose=pose: list_from_pose(pose),
            "position": lambda pose=pose: pose[:3, 3],
            "orientation": lambda pose=pose: quaternion_from_rotation(pose[:3, :3]),
        }[task["kind"]]()
        found.append([float(value) for value in values])
    return found


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
