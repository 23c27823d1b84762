"""PlaCo: task stack and QP in C++ (Pinocchio, eiquadprog)."""

import numpy as np
import placo
from kinematics import rotation_from_quaternion
from measure import main, target_matrix


class Placo:
    NAME = "placo"
    PACKAGE = "placo"
    VARIANTS = ("soft tasks", "hard tasks")
    # An infeasible QP; hard tasks make one where a singular pose needs a step past a limit.
    FAILURES = (RuntimeError,)

    def __init__(self, case, robot, variant):
        self.joints = case["joints"]
        self.priority = variant.split()[0]
        self.kinds = [task["kind"] for task in case["tasks"]]
        self.floating = case["floating_base"]
        self.root = robot.root
        self.robot = placo.RobotWrapper("", placo.Flags.ignore_collisions, robot.reduced_urdf())
        self.solver = placo.KinematicsSolver(self.robot)
        self.solver.mask_fbase(not self.floating)
        self.solver.enable_joint_limits(True)
        self.setters = [self._add(task) for task in case["tasks"]]
        self.posture = self.solver.add_joints_task()
        # The default, 1e-8, is as large as the posture's weight; pink and mink add 1e-12.
        self.solver.problem.regularization = 1e-12
        # PlaCo's weights multiply the squared error, the file's the error.
        self.posture.configure("posture", "soft", case["posture_weight"] ** 2)

    def _add(self, task):
        kind, frame = task["kind"], task["frame"]
        if kind == "pose":
            added = self.solver.add_frame_task(frame, np.eye(4))
            attribute = "T_world_frame"
        elif kind == "position":
            added = self.solver.add_position_task(frame, np.zeros(3))
            attribute = "target_world"
        else:
            added = self.solver.add_orientation_task(frame, np.eye(3))
            attribute = "R_world_frame"
        added.configure(frame, self.priority, *([1.0, 1.0] if kind == "pose" else [1.0]))
        return added, attribute

    def prepare(self, targets):
        return [
            {
                "pose": lambda values=values: target_matrix("pose", values),
                "position": lambda values=values: np.array(values),
                "orientation": lambda values=values: rotation_from_quaternion(values),
            }[kind]()
            for kind, values in zip(self.kinds, targets, strict=True)
        ]

    def reset(self, problem):
        for name, value in zip(self.joints, problem["start"], strict=True):
            self.robot.set_joint(name, value)
        self.posture.set_joints(dict(zip(self.joints, problem["start"], strict=True)))
        if self.floating:
            self.robot.set_T_world_fbase(target_matrix("pose", problem["start_base"]))
        self.robot.update_kinematics()

    def step(self, prepared):
        for (task, attribute), target in zip(self.setters, prepared):
            setattr(task, attribute, target)
        self.solver.solve(True)
        self.robot.update_kinematics()

    def state(self):
        q = [self.robot.get_joint(name) for name in self.joints]
        return q, self.robot.get_T_world_fbase() if self.floating else None


if __name__ == "__main__":
    main(Placo)
