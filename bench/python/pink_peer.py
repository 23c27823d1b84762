"""pink: tasks and QP assembled in Python on Pinocchio, solved through qpsolvers."""

import numpy as np
import pink
import pinocchio as pin
from kinematics import pose_matrix, rotation_from_quaternion
from measure import main, target_matrix

# The tasks have gain 1, so the duration of a step does not change it.
STEP_SECONDS = 1.0


class Pink:
    NAME = "pink"
    PACKAGE = "pin-pink"
    VARIANTS = ("daqp", "proxqp", "quadprog")
    FAILURES = (pink.exceptions.NoSolutionFound,)

    def __init__(self, case, robot, variant):
        self.qp_solver = variant
        self.kinds = [task["kind"] for task in case["tasks"]]
        self.floating = case["floating_base"]
        text = robot.reduced_urdf()
        if self.floating:
            self.model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
        else:
            self.model = pin.buildModelFromXML(text)
        self.data = self.model.createData()
        self.places = [
            self.model.joints[self.model.getJointId(name)].idx_q for name in case["joints"]
        ]
        self.frame_tasks = [
            pink.FrameTask(
                task["frame"],
                position_cost=float(task["kind"] != "orientation"),
                orientation_cost=float(task["kind"] != "position"),
            )
            for task in case["tasks"]
        ]
        self.posture = pink.PostureTask(cost=case["posture_weight"])
        self.tasks = [*self.frame_tasks, self.posture]
        self.limits = [pink.limits.ConfigurationLimit(self.model, config_limit_gain=1.0)]

    def prepare(self, targets):
        return [
            pin.SE3(target_matrix(kind, values))
            for kind, values in zip(self.kinds, targets, strict=True)
        ]

    def reset(self, problem):
        q = pin.neutral(self.model)
        q[self.places] = problem["start"]
        if self.floating:
            q[:7] = problem["start_base"]
        self.configuration = pink.Configuration(self.model, self.data, q)
        self.posture.set_target(q)

    def step(self, prepared):
        for task, target in zip(self.frame_tasks, prepared):
            task.set_target(target)
        velocity = pink.solve_ik(
            self.configuration,
            self.tasks,
            STEP_SECONDS,
            solver=self.qp_solver,
            limits=self.limits,
            safety_break=False,
        )
        self.configuration.integrate_inplace(velocity, STEP_SECONDS)

    def state(self):
        q = self.configuration.q
        base = None
        if self.floating:
            base = pose_matrix(q[:3], rotation_from_quaternion(q[3:7]))
        return np.array(q)[self.places], base


if __name__ == "__main__":
    main(Pink)
