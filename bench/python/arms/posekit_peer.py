"""posekit through its Python package: the same solves as in Rust, with what the call costs."""

import posekit
from measure import main


class Posekit:
    NAME = "posekit, from Python"
    PACKAGE = "posekit"
    GIVES_ALL = False

    def __init__(self, arm, robot):
        # The problems name joints in the order of the arm.
        self.robot = posekit.Robot.from_urdf(arm["urdf"], tip=arm["tip"])
        self.places = [self.robot.joint(name).first for name in arm["joints"]]
        self.q = self.robot.start

    def prepare(self, target):
        return target

    def solve(self, target, start):
        self.q[self.places] = start
        found = self.robot.solve(target, start=self.q, prefer="first")
        return ([found.q[self.places]] if found.reached else []), found.iterations, found.starts


if __name__ == "__main__":
    main(Posekit)
