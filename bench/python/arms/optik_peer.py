"""optik: SLSQP on the squared logarithm of the error, with its own restarts, on one thread."""

import optik
from measure import Unsuited, limits, main


class Optik:
    NAME = "optik"
    PACKAGE = "optik-py"
    GIVES_ALL = False

    def __init__(self, arm, robot):
        lower, upper = limits(arm)
        if not all(upper - lower < float("inf")):
            raise Unsuited("it does not read continuous joints")
        self.robot = optik.Robot.from_urdf_file(arm["urdf"], "base", arm["tip"])
        self.robot.set_parallelism(1)
        # The tolerance is of the squared error. No cap on the time that a busy machine could reach.
        self.config = optik.SolverConfig(tol_f=1e-12, max_time=0.2)

    def prepare(self, target):
        return target

    def solve(self, target, start):
        found = self.robot.ik(self.config, target, list(start))
        return ([found[0]] if found is not None else []), None, None


if __name__ == "__main__":
    main(Optik)
