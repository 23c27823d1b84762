from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Final, TypeAlias, final

import numpy as np
import numpy.typing as npt

from posekit.results import (
    Batch,
    ChainSolution,
    Check,
    Cleaned,
    Contact,
    Dexterity,
    Joint,
    Limbs,
    Map,
    Pinned,
    Shape,
    Solution,
    Step,
    TaskSolution,
    Track,
)
from posekit.tasks import Task

_Floats: TypeAlias = npt.NDArray[np.float64]

__all__ = [
    "ARM6",
    "Chain",
    "Clip",
    "Description",
    "Digest",
    "Robot",
    "Servo",
    "__version__",
    "aim",
    "case_names",
    "solve_jobs",
    "solve_json",
    "two_bone",
]

ARM6: Final[str]
__version__: Final[str]

@final
class Description:
    def __new__(
        cls,
        kind: str,
        data: bytes,
        *,
        folder: str | PathLike[str] | None = None,
        srdf: bytes | None = None,
        floating: bool = False,
        soft_limits: bool = False,
        files: Mapping[str, bytes] | None = None,
    ) -> Description: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def data(self) -> bytes: ...
    @property
    def kind(self) -> str: ...
    @property
    def link_parents(self) -> list[int]: ...
    def __getnewargs_ex__(self) -> tuple[tuple[str, bytes], dict[str, Any]]: ...

class Robot:
    def __new__(
        cls,
        description: Description,
        *,
        tip: str | None = None,
        group: str | None = None,
        offset: npt.ArrayLike | None = None,
        held: Sequence[str] = ...,
        at: npt.ArrayLike | None = None,
        posture: npt.ArrayLike | None = None,
        velocity_limits: npt.ArrayLike | None = None,
        acceleration_limits: npt.ArrayLike | None = None,
    ) -> Robot: ...
    @property
    def description(self) -> Description: ...
    @property
    def options(self) -> dict[str, Any]: ...
    @property
    def name(self) -> str: ...
    @property
    def tip(self) -> str | None: ...
    @property
    def n_values(self) -> int: ...
    @property
    def n_dofs(self) -> int: ...
    @property
    def start(self) -> _Floats: ...
    @property
    def joints(self) -> list[Joint]: ...
    @property
    def arm_joints(self) -> list[str]: ...
    @property
    def arm_values(self) -> list[int]: ...
    @property
    def lower(self) -> _Floats: ...
    @property
    def upper(self) -> _Floats: ...
    @property
    def velocity_limits(self) -> _Floats: ...
    @property
    def links(self) -> list[str]: ...
    @property
    def frames(self) -> list[str]: ...
    @property
    def ends(self) -> list[str]: ...
    @property
    def groups(self) -> dict[str, list[str]]: ...
    @property
    def states(self) -> dict[str, _Floats]: ...
    @property
    def shapes(self) -> list[Shape]: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def reach(self) -> float: ...
    @property
    def closed_form(self) -> str | None: ...
    def forward(self, q: npt.ArrayLike, frame: str | None = None) -> _Floats: ...
    def link_poses(self, q: npt.ArrayLike) -> _Floats: ...
    def jacobian(self, q: npt.ArrayLike, frame: str | None = None) -> _Floats: ...
    def solve(
        self,
        target: npt.ArrayLike,
        rotation: npt.ArrayLike | None = None,
        *,
        start: npt.ArrayLike | None = None,
        prefer: str = "nearest",
        tolerance: float | None = None,
        orientation_tolerance: float | None = None,
        bounds: npt.ArrayLike | None = None,
        starts: int | None = None,
        accept: Callable[[_Floats], bool] | None = None,
    ) -> Solution: ...
    def all_solutions(
        self,
        target: npt.ArrayLike,
        rotation: npt.ArrayLike | None = None,
        *,
        start: npt.ArrayLike | None = None,
        prefer: str = "nearest",
        tolerance: float | None = None,
        orientation_tolerance: float | None = None,
        bounds: npt.ArrayLike | None = None,
        starts: int | None = None,
    ) -> _Floats: ...
    def step(
        self,
        q: npt.ArrayLike,
        target: npt.ArrayLike,
        rotation: npt.ArrayLike | None = None,
        *,
        dt: float,
        prefer: str = "nearest",
        bounds: npt.ArrayLike | None = None,
    ) -> Step: ...
    def servo(
        self,
        q: npt.ArrayLike | None = None,
        *,
        dt: float,
        prefer: str = "nearest",
        bounds: npt.ArrayLike | None = None,
    ) -> Servo: ...
    def solve_batch(
        self,
        targets: npt.ArrayLike,
        rotations: npt.ArrayLike | None = None,
        *,
        start: npt.ArrayLike | None = None,
        prefer: str = "nearest",
        tolerance: float | None = None,
        orientation_tolerance: float | None = None,
        bounds: npt.ArrayLike | None = None,
        starts: int | None = None,
        invalid: str = "raise",
        threads: int | None = None,
    ) -> Batch: ...
    def track(
        self,
        times: npt.ArrayLike,
        targets: npt.ArrayLike,
        rotations: npt.ArrayLike | None = None,
        *,
        start: npt.ArrayLike | None = None,
        prefer: str = "nearest",
        tolerance: float | None = None,
        orientation_tolerance: float | None = None,
        bounds: npt.ArrayLike | None = None,
        from_any: bool = False,
    ) -> Track: ...
    def map(
        self,
        size: float,
        *,
        orientations: int = 32,
        center: npt.ArrayLike | None = None,
        radius: float | None = None,
        start: npt.ArrayLike | None = None,
        starts: int | None = None,
        shard: tuple[int, int] | None = None,
        threads: int | None = None,
    ) -> Map: ...
    def dexterity(self, q: npt.ArrayLike) -> Dexterity: ...
    def spread(self, index: int) -> _Floats: ...
    def within_limits(self, q: npt.ArrayLike, tolerance: float = 0.0) -> bool: ...
    @property
    def collision_pairs(self) -> list[tuple[str, str]]: ...
    def collisions(self, q: npt.ArrayLike, margin: float = 0.0) -> list[Contact]: ...
    def solve_tasks(
        self,
        tasks: Sequence[Task],
        *,
        start: npt.ArrayLike | None = None,
        method: str = "auto",
        tolerance: float | None = None,
        orientation_tolerance: float | None = None,
        iterations: int | None = None,
        tracking: bool = False,
        locked: Sequence[str] = ...,
        stiffness: Mapping[str, float] | None = None,
        dt: float | None = None,
        closures: bool = True,
    ) -> TaskSolution: ...
    def __getnewargs_ex__(self) -> tuple[tuple[Description], dict[str, Any]]: ...

@final
class Servo:
    def step(self, target: npt.ArrayLike, rotation: npt.ArrayLike | None = None) -> _Floats: ...
    @property
    def q(self) -> _Floats: ...
    @q.setter
    def q(self, q: npt.ArrayLike) -> None: ...
    @property
    def dt(self) -> float: ...
    @property
    def distance(self) -> float: ...
    @property
    def angle(self) -> float: ...
    @property
    def scale(self) -> float: ...

@final
class Chain:
    def __new__(
        cls,
        points: npt.ArrayLike,
        *,
        parents: Sequence[int] | None = None,
        weights: npt.ArrayLike | None = None,
    ) -> Chain: ...
    @property
    def points(self) -> _Floats: ...
    def solve(
        self,
        targets: npt.ArrayLike,
        *,
        effectors: Sequence[int] | None = None,
        method: str = "auto",
        tolerance: float | None = None,
        iterations: int = 500,
    ) -> ChainSolution: ...
    def __reduce__(self) -> Any: ...

@final
class Clip:
    def __new__(
        cls,
        data: bytes,
        *,
        index: int | None = None,
        folder: str | PathLike[str] | None = None,
        fps: float | None = None,
        up: Sequence[float] | None = None,
        metres_per_unit: float | None = None,
        lenient: bool = False,
        fill_gaps: bool = False,
        files: Mapping[str, bytes] | None = None,
        edited: tuple[npt.ArrayLike, float, float, Sequence[tuple[float, float]]] | None = None,
    ) -> Clip: ...
    @classmethod
    def read(
        cls,
        source: str | PathLike[str] | PathLike[bytes] | bytes,
        *,
        index: int | None = None,
        fps: float | None = None,
        up: Sequence[float] | None = None,
        metres_per_unit: float | None = None,
        lenient: bool = False,
        fill_gaps: bool = False,
    ) -> Clip: ...
    @property
    def name(self) -> str | None: ...
    @property
    def values(self) -> _Floats: ...
    @property
    def n_frames(self) -> int: ...
    @property
    def frame_time(self) -> float: ...
    @property
    def fps(self) -> float: ...
    @property
    def duration(self) -> float: ...
    @property
    def times(self) -> _Floats: ...
    @property
    def up(self) -> _Floats: ...
    @property
    def metres_per_unit(self) -> float | None: ...
    @property
    def joint_names(self) -> list[str]: ...
    @property
    def parents(self) -> list[int]: ...
    @property
    def joints(self) -> list[Joint]: ...
    @property
    def warnings(self) -> list[str]: ...
    def positions(self) -> _Floats: ...
    def poses(self) -> _Floats: ...
    def with_values(self, values: npt.ArrayLike) -> Clip: ...
    def clean(
        self,
        *,
        strength: float = 1.0,
        floor: str = "fit",
        keep: Sequence[tuple[float, float]] = ...,
        keep_ends: bool = False,
        in_place: bool = False,
        keep_path: bool = False,
        blend: float | None = None,
    ) -> Cleaned: ...
    def check(self, *, floor: str = "fit", in_place: bool = False) -> Check: ...
    def pin(
        self,
        joint: str,
        begin: float,
        end: float,
        *,
        at: npt.ArrayLike | None = None,
        offset: npt.ArrayLike | None = None,
        pose: bool = False,
        on: str | None = None,
        blend: float = 0.12,
    ) -> Pinned: ...
    def retime(
        self,
        *,
        speed: float | None = None,
        duration: float | None = None,
        fps: float | None = None,
        smooth: bool = False,
    ) -> Clip: ...
    def encode(self, format: str | None = None) -> bytes: ...
    def write(self, path: str | PathLike[str] | PathLike[bytes], *, overwrite: bool = False) -> None: ...
    def __getnewargs_ex__(self) -> tuple[tuple[bytes], dict[str, Any]]: ...

@final
class Digest:
    def __new__(cls) -> Digest: ...
    def add(self, name: str, text: str) -> None: ...
    def value(self) -> str: ...

def aim(
    position: npt.ArrayLike,
    rotation: npt.ArrayLike,
    target: npt.ArrayLike,
    *,
    forward: npt.ArrayLike | None = None,
    up: npt.ArrayLike | None = None,
    pole: npt.ArrayLike | None = None,
) -> _Floats: ...
def two_bone(
    start: npt.ArrayLike,
    mid: npt.ArrayLike,
    end: npt.ArrayLike,
    target: npt.ArrayLike,
    *,
    pole: npt.ArrayLike | None = None,
) -> Limbs: ...
def solve_jobs(
    robots: Sequence[Robot],
    which: npt.ArrayLike,
    targets: npt.ArrayLike,
    rotations: npt.ArrayLike | None = None,
    *,
    bases: npt.ArrayLike | None = None,
    tools: npt.ArrayLike | None = None,
    start: npt.ArrayLike | None = None,
    prefer: str = "nearest",
    tolerance: float | None = None,
    orientation_tolerance: float | None = None,
    bounds: npt.ArrayLike | None = None,
    starts: int | None = None,
    invalid: str = "raise",
    threads: int | None = None,
) -> Batch: ...
def solve_json(text: str, *, source: bytes | None = None, method: str = "auto", trace: bool = False) -> str: ...
def case_names(index: str) -> list[str]: ...
