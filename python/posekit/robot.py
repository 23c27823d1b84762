"""Robots: reading files, pictures, and other packages."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from posekit import _posekit

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Robot"]

Source = str | bytes | os.PathLike[str] | os.PathLike[bytes]


class Robot(_posekit.Robot):
    """A robot, and the arm that moves one of its tools.

    Made by `from_urdf` or `from_mjcf`. It is immutable: `with_tool` gives another that shares what was read. Threads may share it, and it can be pickled.

    Examples
    --------
    >>> import posekit
    >>> robot = posekit.Robot.from_urdf(posekit.ARM6)
    >>> solution = robot.solve([0.4, 0.1, 0.3])
    >>> solution.status.name
    'REACHED'
    """

    @classmethod
    def from_urdf(
        cls,
        source: Source,
        *,
        srdf: Source | None = None,
        floating: bool = False,
        soft_limits: bool = False,
        **tool: Any,
    ) -> Self:
        """Read a robot from a URDF.

        Parameters
        ----------
        source : path-like, str or bytes
            A path, or a text that contains a `<`.
        srdf : path-like, str or bytes, optional
            Groups, end effectors and named states.
        floating : bool, default False
            The robot stands on a floating base: seven more values, position and quaternion.
        soft_limits : bool, default False
            Keep the soft limits of `<safety_controller>`.
        **tool
            tip, group, offset, held, at, posture, velocity_limits, acceleration_limits: see `with_tool`.

        Returns
        -------
        Robot
        """
        data, folder = _read(source)
        beside = None if srdf is None else _read(srdf)[0]
        description = _posekit.Description(
            "urdf", data, folder=folder, srdf=beside, floating=floating, soft_limits=soft_limits
        )
        return cls(description, **tool)

    @classmethod
    def from_mjcf(
        cls,
        source: Source,
        *,
        srdf: Source | None = None,
        floating: bool = False,
        **tool: Any,
    ) -> Self:
        """Read a robot from an MJCF, with the files of its folder that it includes.

        Parameters
        ----------
        source : path-like, str or bytes
            A path, or a text that contains a `<`.
        srdf, floating, **tool
            As in `from_urdf`.

        Returns
        -------
        Robot
            Values are those of MuJoCo's `qpos`, with quaternions as x, y, z, w.
        """
        data, folder = _read(source)
        beside = None if srdf is None else _read(srdf)[0]
        description = _posekit.Description("mjcf", data, folder=folder, srdf=beside, floating=floating)
        return cls(description, **tool)

    def with_tool(
        self,
        tip: str | None = None,
        *,
        group: str | None = None,
        offset: npt.ArrayLike | None = None,
        held: Sequence[str] = (),
        at: npt.ArrayLike | None = None,
        posture: npt.ArrayLike | None = None,
        velocity_limits: npt.ArrayLike | None = None,
        acceleration_limits: npt.ArrayLike | None = None,
    ) -> Self:
        """Return the same robot with another tool.

        Parameters
        ----------
        tip : str, optional
            The link or frame that holds it. By default that of the only end effector, the only link without children that a joint moves, or
            what the fingers of a gripper are on.
        group : str, optional
            A group of the SRDF: its joints move, and the tip is its last link.
        offset : array_like (4, 4) or (7,), optional
            The pose of the tool on the tip [m].
        held : sequence of str
            Joints that keep their values of `at`.
        at : array_like (n_values,), optional
            By default `start`.
        posture : array_like (n_values,), optional
            What `prefer="posture"` prefers; by default the middle of all limits.
        velocity_limits, acceleration_limits : float or array_like (n_dofs,), optional
            For `step` and `track` [rad/s, m/s; rad/s², m/s²]; velocities by default as in the file.

        Returns
        -------
        Robot
        """
        return type(self)(
            self.description,
            tip=tip,
            group=group,
            offset=offset,
            held=list(held),
            at=at,
            posture=posture,
            velocity_limits=velocity_limits,
            acceleration_limits=acceleration_limits,
        )

    @property
    def joint_names(self) -> list[str]:
        """The names of the joints that have values, in the order of their values."""
        return [joint.name for joint in self.joints]

    def joint(self, name: str) -> Any:
        """Return the joint of a name; a KeyError where there is none."""
        for joint in self.joints:
            if joint.name == name:
                return joint
        raise KeyError(name)

    def plot(
        self,
        q: npt.ArrayLike | None = None,
        *,
        ax: Any = None,
        target: npt.ArrayLike | None = None,
        meshes: str | os.PathLike[str] | None = None,
        color: Any = None,
        alpha: float = 1.0,
    ) -> Any:
        """Draw the robot with matplotlib: a tapered body for each link.

        Parameters
        ----------
        q : array_like (n_values,) or (n, n_values), optional
            One configuration, or several in one picture; by default `start`.
        ax : Axes3D, optional
            The axes; by default those of a new figure.
        target : array_like (4, 4) or (3,), optional
            A pose or point to mark [m].
        meshes : path-like, optional
            The URDF's path: its meshes are drawn instead of bodies; needs yourdfpy and trimesh.
        color : optional
            Of the bodies, as matplotlib takes it.
        alpha : float, default 1
            Their opacity.

        Returns
        -------
        Axes3D
        """
        from posekit import plotting

        color = plotting.ROBOT if color is None else color
        return plotting.plot(self, q, ax=ax, target=target, meshes=meshes, color=color, alpha=alpha)

    def to_rerun(self, q: npt.ArrayLike, *, path: str = "robot", times: npt.ArrayLike | None = None) -> None:
        """Log the robot to the current recording of rerun: its links as transforms and lines.

        Parameters
        ----------
        q : array_like (n_values,) or (n, n_values)
            One pose, or one for each of `times` [rad, m].
        path : str
            The path of the entity.
        times : array_like (n,), optional
            The times [s]; by default 0, 1, 2, ... as a sequence.
        """
        from posekit import plotting

        plotting.to_rerun(self, q, path=path, times=times)

    @property
    def link_parents(self) -> list[int]:
        """The index of each link's parent; -1 for the root."""
        return list(self.description.link_parents)


def _read(source: Source) -> tuple[bytes, Path | None]:
    """Return the bytes of a robot's file, and its folder where it is one."""
    if isinstance(source, bytes):
        return source, None
    if isinstance(source, str) and "<" in source:
        return source.encode(), None
    path = Path(os.fsdecode(source))
    return path.read_bytes(), path.parent


def rows(q: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Give one configuration, or several, as rows."""
    return np.atleast_2d(np.asarray(q, dtype=np.float64))
