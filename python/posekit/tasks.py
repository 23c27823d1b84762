"""Tasks of whole bodies, for `Robot.solve_tasks`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy.typing as npt

__all__ = ["Task"]

ALL = (True, True, True)


class Task(NamedTuple):
    """What must hold, made by one of the static methods.

    Frames are links or named frames of the robot; points, directions and poses are in the world [m]. Tasks of level 1 are solved first, those of level 2 with the
    freedom that remains, and so on; a weight trades tasks of one level.
    """

    kind: str
    """Which condition."""
    frames: tuple[str, ...]
    """The frames that it is about."""
    arguments: Mapping[str, Any]
    """Its target and the rest."""
    weight: float = 1.0
    """Against others of its level; an error of a radian counts like one of the robot's reach."""
    level: int = 1
    """From 1, the most important."""

    def weighing(self, weight: float) -> Task:
        """Return the same task with another weight."""
        return self._replace(weight=weight)

    def at_level(self, level: int) -> Task:
        """Return the same task at another level."""
        return self._replace(level=level)

    @staticmethod
    def position(frame: str, target: npt.ArrayLike, *, offset: npt.ArrayLike | None = None) -> Task:
        """Put a frame's origin at a point (3,); `offset` (4, 4) moves the frame on its link."""
        return Task("position", (frame,), {"target": target, "offset": offset})

    @staticmethod
    def orientation(frame: str, rotation: npt.ArrayLike, *, offset: npt.ArrayLike | None = None) -> Task:
        """Rotate a frame to an orientation: a matrix (3, 3) or a quaternion x, y, z, w."""
        return Task("orientation", (frame,), {"rotation": rotation, "offset": offset})

    @staticmethod
    def pose(
        frame: str,
        target: npt.ArrayLike,
        *,
        along: Sequence[bool] = ALL,
        about: Sequence[bool] = ALL,
        offset: npt.ArrayLike | None = None,
    ) -> Task:
        """Give a frame a pose (4, 4) or (7,), or some coordinates of it, along and about the target's axes."""
        arguments = {"target": target, "along": along, "about": about, "offset": offset}
        return Task("pose", (frame,), arguments)

    @staticmethod
    def look_at(
        frame: str,
        axis: npt.ArrayLike,
        target: npt.ArrayLike,
        *,
        offset: npt.ArrayLike | None = None,
    ) -> Task:
        """Point an axis of a frame at a point."""
        return Task("look-at", (frame,), {"axis": axis, "target": target, "offset": offset})

    @staticmethod
    def align(
        frame: str,
        axis: npt.ArrayLike,
        direction: npt.ArrayLike,
        *,
        offset: npt.ArrayLike | None = None,
    ) -> Task:
        """Give an axis of a frame a direction in the world: a cup upright, a foot flat."""
        arguments = {"axis": axis, "direction": direction, "offset": offset}
        return Task("axis-alignment", (frame,), arguments)

    @staticmethod
    def pole(upper: str, mid: npt.ArrayLike, tip: str, pole: npt.ArrayLike) -> Task:
        """Point the middle joint of a limb, at `mid` in the frame `upper`, at a point: a knee forward."""
        return Task("pole", (upper, tip), {"mid": mid, "pole": pole})

    @staticmethod
    def plane(
        frame: str,
        point: npt.ArrayLike,
        normal: npt.ArrayLike,
        *,
        one_sided: bool = False,
        offset: npt.ArrayLike | None = None,
    ) -> Task:
        """Keep a frame's origin on a plane, or on the side that its normal points to: a foot on or above the floor."""
        arguments = {"point": point, "normal": normal, "one_sided": one_sided, "offset": offset}
        return Task("plane", (frame,), arguments)

    @staticmethod
    def distance(a: str, b: str, least: float, most: float = math.inf) -> Task:
        """Keep the origins of two frames between two distances [m]."""
        return Task("distance", (a, b), {"least": least, "most": most})

    @staticmethod
    def relative_pose(
        a: str,
        b: str,
        target: npt.ArrayLike,
        *,
        along: Sequence[bool] = ALL,
        about: Sequence[bool] = ALL,
    ) -> Task:
        """Give frame `b` a pose (4, 4) as seen from frame `a`, or some coordinates of it."""
        return Task("relative-pose", (a, b), {"target": target, "along": along, "about": about})

    @staticmethod
    def closure(a: str, b: str, *, rigid: bool = False) -> Task:
        """Keep two frames together: their origins, or if `rigid` everything."""
        return Task("closure", (a, b), {"rigid": rigid})

    @staticmethod
    def center_of_mass(target: npt.ArrayLike, *, axes: Sequence[bool] = ALL) -> Task:
        """Put the centre of mass at a point, or give it some coordinates of one."""
        return Task("center-of-mass", (), {"target": target, "axes": axes})

    @staticmethod
    def support(
        corners: npt.ArrayLike,
        *,
        up: npt.ArrayLike = (0.0, 0.0, 1.0),
        margin: float = 0.0,
    ) -> Task:
        """Keep the centre of mass above the hull of points on the ground (n, 3), this far inside [m]: static balance."""
        return Task("support", (), {"corners": corners, "up": up, "margin": margin})

    @staticmethod
    def clearance(margin: float = 0.0) -> Task:
        """Keep every pair of `Robot.collision_pairs` at least this far apart [m]."""
        return Task("clearance", (), {"margin": margin})

    @staticmethod
    def posture(q: npt.ArrayLike) -> Task:
        """Prefer a configuration (n_values,): a rest pose. The status does not depend on it."""
        return Task("posture", (), {"q": q})
