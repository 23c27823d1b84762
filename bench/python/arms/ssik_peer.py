"""ssik: the solvers that it ships for these arms, answers certified; the nearest to the start."""

from importlib import import_module

import numpy as np
import ssik
from measure import Unsuited, limits, main, wrap

SHIPPED = {
    "panda": "franka_panda_ik",
    "ur5e": "ur5e_ik",
    "iiwa14": "iiwa14_ik",
    "puma": "puma560_ik",
}
TESTS = 20


class Ssik:
    NAME = "ssik, nearest"
    PACKAGE = "ssik"
    GIVES_ALL = False

    def __init__(self, arm, robot):
        name = SHIPPED.get(arm["name"])
        shipped = {entry.name: entry.import_path for entry in ssik.list_arms()}
        if name not in shipped:
            raise Unsuited("no solver for this arm is shipped")
        self.arm, self.artifact = arm, import_module(shipped[name])
        model = ssik.Manipulator.from_prebuilt(name)
        self.back = _tool(model, robot, arm)
        self.has_our_limits = np.allclose(np.array(model.joint_limits).T, limits(arm), atol=1e-9)

    def prepare(self, target):
        return target @ self.back

    def solve(self, target, start):
        if self.has_our_limits:
            found = self.artifact.solve(target, max_solutions=1, q_seed=start)
            return [solution.q for solution in found], None, None
        found = self.artifact.solve(target, q_seed=start, respect_limits=False)
        return wrap([solution.q for solution in found], self.arm)[:1], None, None


def _tool(model, robot, arm):
    """`tool_from_flange`, where the shipped arm is this one but for that."""
    n = len(arm["joints"])
    flange_from_tool = np.linalg.inv(model.fk(np.zeros(n))) @ robot.frame(arm["tip"], np.zeros(n))
    random = np.random.default_rng(1)
    for _ in range(TESTS):
        q = random.uniform(-1.0, 1.0, n)
        if not np.allclose(model.fk(q) @ flange_from_tool, robot.frame(arm["tip"], q), atol=1e-9):
            raise Unsuited("the shipped arm has another geometry")
    return np.linalg.inv(flange_from_tool)


if __name__ == "__main__":
    main(Ssik)
