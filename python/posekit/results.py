"""Results: named tuples of NumPy arrays and numbers."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from posekit._posekit import Clip

__all__ = [
    "Batch",
    "ChainSolution",
    "Check",
    "Cleaned",
    "Contact",
    "Dexterity",
    "Joint",
    "Limbs",
    "Map",
    "Pinned",
    "Plant",
    "Shape",
    "Solution",
    "Status",
    "Step",
    "TaskSolution",
    "Track",
]

Floats = npt.NDArray[np.float64]


class Status(enum.IntEnum):
    """How a solve ended; `Batch.status` has the numbers."""

    REACHED = 0
    """At the target, within the tolerances."""
    UNREACHABLE = 1
    """Proven out of reach; `shortfall` is the distance beyond the reach, or 0 where the proof is another."""
    NOT_FOUND = 2
    """No start led to the target, and nothing is proven: out of reach, outside the limits, or hard to find."""
    INVALID_TARGET = 3
    """In a batch: the row is not a pose."""
    OUTSIDE_LIMITS = 4
    """Proven by a closed form: every configuration that reaches the target is outside the limits."""
    BLOCKED = 5
    """Joints at their limits hold it back."""
    STALLED = 6
    """No further progress, for no proven reason."""
    ITERATION_LIMIT = 7
    """The iterations ran out."""
    CANCELLED = 8
    """The caller ended it."""


class Joint(NamedTuple):
    """A joint that has values."""

    name: str
    """The name in the file."""
    kind: str
    """revolute, prismatic, ball or free."""
    first: int
    """Index of its first value in a configuration."""
    size: int
    """Number of its values: 1, 4 for a ball (x, y, z, w), 7 for a free joint (position, then quaternion)."""
    lower: float
    """Lower limit [rad, m]; -inf without one."""
    upper: float
    """Upper limit [rad, m]; inf without one."""
    velocity: float
    """Largest velocity [rad/s, m/s]; inf where the file gives none."""
    mimics: str | None
    """The joint that it follows."""


class Shape(NamedTuple):
    """A shape of a link for collision checking."""

    name: str
    """The name in the file; may be empty."""
    link: str
    """The link that it is fixed to."""
    kind: str
    """box, sphere, cylinder, capsule, ellipsoid, mesh or half-space."""
    size: Floats
    """Edges of a box; radius; radius and length (of a capsule without its ends); semi-axes; scale of a mesh [m]."""
    file: str | None
    """The mesh, as the file names it."""
    pose: Floats
    """Its pose in the frame of the link, shape (4, 4) [m]."""


class Contact(NamedTuple):
    """Two links that are near each other."""

    links: tuple[str, str]
    """Their names."""
    distance: float
    """Between their surfaces [m]; below 0 the depth of the overlap."""
    points: Floats
    """The points between which it is measured, in the world, shape (2, 3) [m]."""
    direction: Floats
    """The direction in which a motion of the first link increases the distance: a unit vector in the world, shape (3,)."""


class Solution(NamedTuple):
    """The result for one target."""

    q: Floats
    """The best configuration found, inside the limits, shape (n_values,) [rad, m]."""
    status: Status
    """How it ended."""
    distance: float
    """Distance of the tool from the target outside the bounds [m]."""
    angle: float
    """Angle of the tool from the target outside the bounds [rad]."""
    iterations: int
    """Steps over all starts; 0 where a closed form answered."""
    starts: int
    """Starts that were tried."""
    shortfall: float
    """Distance of the target beyond the reach [m], for UNREACHABLE; 0 where the proof is another."""

    @property
    def reached(self) -> bool:
        """Whether the tool is at the target."""
        return self.status == Status.REACHED


class Step(NamedTuple):
    """A step of a servo loop."""

    q: Floats
    """The configuration after it, shape (n_values,) [rad, m]."""
    distance: float
    """Distance of the tool from the target before it [m]."""
    angle: float
    """Angle before it [rad]."""
    scale: float
    """The part of the step that velocity limits permit, 0 to 1."""


class Batch(NamedTuple):
    """The results for many targets."""

    q: Floats
    """Configurations, shape (n, n_values) [rad, m]; from `solve_jobs`, shorter rows end in NaN."""
    status: npt.NDArray[np.uint8]
    """The numbers of `Status`, shape (n,)."""
    errors: Floats
    """Distance [m] and angle [rad] from the target outside the bounds, shape (n, 2)."""

    @property
    def reached(self) -> npt.NDArray[np.bool_]:
        """Which rows are at their targets, shape (n,)."""
        return np.equal(self.status, Status.REACHED)

    def to_arrow(self) -> Any:
        """Return the rows as a `pyarrow.RecordBatch`: q (a list of fixed size), status (a dictionary of words), distance, angle.

        The numbers of q are not copied. Needs pyarrow; pandas and polars read the result.
        """
        import pyarrow as pa

        n, width = self.q.shape
        q = pa.FixedSizeListArray.from_arrays(pa.array(self.q.reshape(-1)), max(width, 1))
        words = pa.array([status.name.lower().replace("_", "-") for status in Status])
        status = pa.DictionaryArray.from_arrays(pa.array(self.status.astype(np.int8)), words)
        columns = [q if n and width else pa.array([], q.type), status]
        columns += [pa.array(self.errors[:, 0]), pa.array(self.errors[:, 1])]
        return pa.RecordBatch.from_arrays(columns, names=["q", "status", "distance", "angle"])


class Track(NamedTuple):
    """A path in joint values."""

    times: Floats
    """The times of the samples, shape (n,) [s]: later than requested where the arm has to slow down."""
    q: Floats
    """Configurations, shape (n, n_values) [rad, m]."""
    path_times: Floats
    """The places of the samples on the path, as times between the given ones, shape (n,) [s]."""
    targets: npt.NDArray[np.int64]
    """The index of the target at each sample, -1 between targets, shape (n,)."""
    errors: Floats
    """Distance [m] and angle [rad] from the path, shape (n, 2)."""
    ended_at: float | None
    """The time on the path at which it ended before the last target [s]; None where it did not."""
    reason: str | None
    """Why: limits, singularity or reach."""
    blocked: list[str]
    """The joints that are at a limit there."""

    @property
    def completed(self) -> bool:
        """Whether the last target was reached."""
        return self.reason is None


class Map(NamedTuple):
    """A reachability map: where an arm can hold its tool."""

    points: Floats
    """Centres of voxels, shape (n, 3) [m]."""
    reached: npt.NDArray[np.uint32]
    """How many orientations were reached, shape (n,)."""
    limit_margin: Floats
    """Mean distance from the limits of the poses found, 0 at a limit to 1 in the middle, shape (n,)."""
    smallest_singular_value: Floats
    """Mean of the smallest singular values of the poses found, shape (n,)."""
    orientations: int
    """How many were tried at each point."""
    size: float
    """Edge of a voxel [m]."""

    @property
    def share(self) -> Floats:
        """The part of the orientations that were reached, shape (n,)."""
        return self.reached / max(self.orientations, 1)


class Dexterity(NamedTuple):
    """Measures of how well an arm moves its tool, with lengths in metres and angles in radians."""

    manipulability: float
    """Product of the singular values of the Jacobian."""
    smallest_singular_value: float
    """0 in a singular configuration."""
    largest_singular_value: float
    """How fast the tool moves, at most, per unit of joint velocity."""


class TaskSolution(NamedTuple):
    """The result for tasks."""

    q: Floats
    """The best configuration found, inside the limits, shape (n_values,) [rad, m]."""
    status: Status
    """How the tasks of level 1 ended."""
    error: float
    """Their largest error in length [m]."""
    orientation_error: float
    """Their largest error in angle [rad]."""
    misses: Floats
    """Error of every task in length [m] and angle [rad], shape (n_tasks, 2)."""
    blocked: list[str]
    """Joints whose limits hold it back."""
    iterations: int
    """Iterations."""
    method: str
    """The method that found it."""
    shortfall: float
    """Distance of the target beyond the range [m], for UNREACHABLE."""

    @property
    def reached(self) -> bool:
        """Whether every task of level 1 holds."""
        return self.status == Status.REACHED


class ChainSolution(NamedTuple):
    """The result for a chain of points."""

    points: Floats
    """The points, at their distances, shape (n, d)."""
    status: Status
    """How it ended."""
    error: float
    """Largest distance of an effector from its target."""
    iterations: int
    """Iterations."""
    shortfall: float
    """Distance of the target beyond the range, for UNREACHABLE."""

    @property
    def reached(self) -> bool:
        """Whether the effectors are at their targets."""
        return self.status == Status.REACHED


class Limbs(NamedTuple):
    """Limbs of two bones: one, or n of them."""

    mid: Floats
    """New places of the middle joints, shape (3,) or (n, 3)."""
    end: Floats
    """New places of the ends, shape (3,) or (n, 3)."""
    start_rotation: Floats
    """Rotations to put on those of the first joints, from the left, as x, y, z, w, shape (4,) or (n, 4)."""
    mid_rotation: Floats
    """Rotations to put on the old ones of the middle joints, from the left, shape (4,) or (n, 4)."""
    error: Any
    """Distance of the ends from their targets, a float or shape (n,)."""


class Plant(NamedTuple):
    """A time in which a foot stands."""

    joint: str
    """The joint that stands."""
    side: str
    """left, right or middle."""
    part: str
    """heel or ball."""
    begin: float
    """Its first frame [s]."""
    end: float
    """Its last frame [s]."""
    drift_before: float
    """Its slide in the source [the clip's unit]."""
    drift_after: float
    """Its slide after cleaning [the clip's unit]."""
    verdict: str
    """fixed, clean, lessened, released, unreachable or skipped."""
    reason: str
    """Why, in words; may be empty."""


class Cleaned(NamedTuple):
    """A cleaned clip, and the report on it."""

    clip: Clip
    """Joints and frames that need no change keep every bit."""
    plants: list[Plant]
    """Every time in which a foot stands, in the order of their first frames."""
    before: dict[str, float | None]
    """Measures of the source; lengths for a leg of 0.85 m."""
    after: dict[str, float | None]
    """Measures of the result, and what the change cost."""
    changed: list[str]
    """The joints that were changed."""
    legs: str
    """Why these are the legs, or why none were found."""


class Check(NamedTuple):
    """The report on the feet of a clip."""

    plants: list[Plant]
    """Every time in which a foot stands."""
    measures: dict[str, float | None]
    """Measures of the whole; lengths for a leg of 0.85 m."""
    legs: str
    """Why these are the legs, or why none were found."""


class Pinned(NamedTuple):
    """A clip in which a joint is held."""

    clip: Clip
    """The result."""
    residual: float
    """Largest distance from the place [the clip's unit]."""
    angle: float
    """Largest angle from the rotation [rad]."""
    missed: list[int]
    """Frames in which it is missed."""
    changed: list[str]
    """The joints that were changed."""
