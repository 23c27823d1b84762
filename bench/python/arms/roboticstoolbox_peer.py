"""Robotics Toolbox: Levenberg-Marquardt with Chan's damping, in C++, with its own restarts."""

import warnings

import roboticstoolbox
from measure import main


class RoboticsToolbox:
    NAME = "roboticstoolbox ik_LM chan"
    PACKAGE = "roboticstoolbox-python"
    GIVES_ALL = False

    def __init__(self, arm, robot):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            self.chain = roboticstoolbox.Robot.URDF(arm["urdf"]).ets()

    def prepare(self, target):
        return target

    def solve(self, target, start):
        # Half of the squared error is what the tolerance bounds: this is 1e-6.
        found = self.chain.ik_LM(target, q0=start, method="chan", k=0.1, tol=5e-13)
        return ([found.q] if found.success else []), found.iterations, found.searches


if __name__ == "__main__":
    main(RoboticsToolbox)
