"""EAIK: closed forms by subproblems, for arms with six joints.

It knows no limits, so these are applied here, in the timing.
"""

import numpy as np
from eaik.IK_HP import HPRobot
from measure import Unsuited, main, wrap


class Eaik:
    NAME = "EAIK, all"
    PACKAGE = "EAIK"
    GIVES_ALL = True

    def __init__(self, arm, robot):
        if len(arm["joints"]) != 6:
            raise Unsuited("it has no closed form for an arm with seven joints")
        self.arm = arm
        axes, origins = robot.axes(arm["tip"])
        tool = robot.frame(arm["tip"], np.zeros(6))
        points = np.array([*origins, tool[:3, 3]])
        self.robot = HPRobot(np.array(axes), np.diff(points, axis=0, prepend=np.zeros((1, 3))))
        if not self.robot.hasKnownDecomposition():
            raise Unsuited("it has no closed form for this arm")
        self.back = np.eye(4)
        self.back[:3, :3] = tool[:3, :3].T

    def prepare(self, target):
        return target @ self.back

    def solve(self, target, start):
        found = self.robot.IK(target)
        exact = [q for q, is_least_squares in zip(found.Q, found.is_LS) if not is_least_squares]
        return wrap(exact, self.arm), None, None


if __name__ == "__main__":
    main(Eaik)
