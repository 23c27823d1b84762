"""PlaCo as a solver of whole poses: steps of its task solver, and other starts where 50 fail."""

import numpy as np
import placo
from measure import limits, main

STEPS = 50
STARTS = 20
TOLERANCE = 1e-6


class Placo:
    NAME = "placo, restarts after 50"
    PACKAGE = "placo"
    GIVES_ALL = False

    def __init__(self, arm, robot):
        with open(arm["urdf"]) as file:
            self.robot = placo.RobotWrapper("", placo.Flags.ignore_collisions, file.read())
        self.joints, self.tip = arm["joints"], arm["tip"]
        lower, upper = limits(arm)
        self.ranges = np.maximum(lower, -np.pi * 2), np.minimum(upper, np.pi * 2)
        self.random = np.random.default_rng(20260101)
        self.solver = placo.KinematicsSolver(self.robot)
        self.solver.mask_fbase(True)
        self.solver.enable_joint_limits(True)
        self.task = self.solver.add_frame_task(self.tip, np.eye(4))
        self.task.configure(self.tip, "soft", 1.0, 1.0)

    def prepare(self, target):
        return target

    def solve(self, target, start):
        self.task.T_world_frame = target
        q, steps = start, 0
        for n_starts in range(1, STARTS + 1):
            for name, value in zip(self.joints, q):
                self.robot.set_joint(name, value)
            self.robot.update_kinematics()
            for _ in range(STEPS):
                try:
                    self.solver.solve(True)
                except RuntimeError:
                    break
                self.robot.update_kinematics()
                steps += 1
                if self.is_reached(target):
                    return [[self.robot.get_joint(name) for name in self.joints]], steps, n_starts
            q = self.random.uniform(*self.ranges)
        return [], steps, STARTS

    def is_reached(self, target):
        pose = self.robot.get_T_world_frame(self.tip)
        if np.linalg.norm(pose[:3, 3] - target[:3, 3]) > TOLERANCE:
            return False
        rotation = pose[:3, :3].T @ target[:3, :3]
        vector = [
            rotation[2, 1] - rotation[1, 2],
            rotation[0, 2] - rotation[2, 0],
            rotation[1, 0] - rotation[0, 1],
        ]
        return np.trace(rotation) > 0.0 and 0.5 * np.linalg.norm(vector) <= TOLERANCE


if __name__ == "__main__":
    main(Placo)
