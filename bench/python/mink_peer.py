"""mink: tasks and QP assembled in Python on MuJoCo, solved by DAQP."""

from xml.etree.ElementTree import Element, SubElement

import mink
import mujoco
import numpy as np
from kinematics import pose_matrix, rotation_from_quaternion
from measure import main, target_matrix

# The tasks have gain 1, so the duration of a step does not change it.
STEP_SECONDS = 1.0


class Mink:
    NAME = "mink"
    PACKAGE = "mink"
    VARIANTS = ("daqp", "quadprog")
    FAILURES = (mink.NoSolutionFound,)

    def __init__(self, case, robot, variant):
        self.qp_solver = variant
        self.kinds = [task["kind"] for task in case["tasks"]]
        self.floating = case["floating_base"]
        text = robot.reduced_urdf([compiler_options()], "floating" if self.floating else None)
        self.model = mujoco.MjModel.from_xml_string(text)
        self.configuration = mink.Configuration(self.model)
        self.places = [self.model.joint(name).qposadr[0] for name in case["joints"]]
        self.frame_tasks = [
            mink.FrameTask(
                task["frame"],
                "body",
                position_cost=float(task["kind"] != "orientation"),
                orientation_cost=float(task["kind"] != "position"),
            )
            for task in case["tasks"]
        ]
        self.posture = mink.PostureTask(self.model, cost=case["posture_weight"])
        self.tasks = [*self.frame_tasks, self.posture]
        self.limits = [mink.ConfigurationLimit(self.model, gain=1.0)]

    def prepare(self, targets):
        return [
            mink.SE3.from_matrix(target_matrix(kind, values))
            for kind, values in zip(self.kinds, targets, strict=True)
        ]

    def reset(self, problem):
        q = np.zeros(self.model.nq)
        q[self.places] = problem["start"]
        if self.floating:
            x, y, z, w = problem["start_base"][3:]
            q[:7] = [*problem["start_base"][:3], w, x, y, z]
        self.configuration.update(q)
        self.posture.set_target(q)

    def step(self, prepared):
        for task, target in zip(self.frame_tasks, prepared):
            task.set_target(target)
        velocity = mink.solve_ik(
            self.configuration,
            self.tasks,
            STEP_SECONDS,
            solver=self.qp_solver,
            limits=self.limits,
        )
        self.configuration.integrate_inplace(velocity, STEP_SECONDS)

    def state(self):
        q = self.configuration.q
        base = None
        if self.floating:
            w, x, y, z = q[3:7]
            base = pose_matrix(q[:3], rotation_from_quaternion([x, y, z, w]))
        return q[self.places], base


def compiler_options():
    """Keeps every link a body of its own, and gives those without a mass a small one."""
    mujoco_element = Element("mujoco")
    SubElement(
        mujoco_element,
        "compiler",
        fusestatic="false",
        balanceinertia="true",
        boundmass="1e-3",
        boundinertia="1e-6",
    )
    return mujoco_element


if __name__ == "__main__":
    main(Mink)
