"""TRAC-IK: Newton steps and SLSQP as two racing threads; the CPU time is that of both."""

from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

import trac_ik
from measure import main


class TracIk:
    NAME = "pytracik"
    PACKAGE = "pytracik"
    GIVES_ALL = False

    def __init__(self, arm, robot):
        # The tolerance is of each coordinate. No cap on the time that a busy machine could reach.
        epsilon = 1e-6 / 3.0**0.5
        with TemporaryDirectory() as folder:
            path = Path(folder, "arm.urdf")
            _narrowed(arm["urdf"]).write(path)
            self.solver = trac_ik.TracIK(
                "base", arm["tip"], str(path), timeout=0.1, epsilon=epsilon
            )

    def prepare(self, target):
        return target[:3, 3].copy(), target[:3, :3].copy()

    def solve(self, target, start):
        found = self.solver.ik(*target, start)
        return ([found] if found is not None else []), None, None


def _narrowed(path):
    """The robot with narrower limits: TRAC-IK keeps them in single precision."""
    tree = ElementTree.parse(path)
    for limit in tree.iter("limit"):
        for key, sign in (("lower", 1.0), ("upper", -1.0)):
            if key in limit.attrib:
                limit.set(key, repr(float(limit.get(key)) + sign * 1e-6))
    return tree


if __name__ == "__main__":
    main(TracIk)
