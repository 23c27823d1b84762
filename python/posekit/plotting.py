"""Pictures of robots: matplotlib, and rerun."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from posekit.robot import rows

if TYPE_CHECKING:
    from posekit.robot import Robot

__all__ = ["plot", "to_rerun"]

Floats = npt.NDArray[np.float64]

# The colours of x, y and z in drawn frames.
AXES = ("tab:red", "tab:green", "tab:blue")


def bones(robot: Robot, q: Floats) -> Floats:
    """Give the lines from each link to the one that it hangs on, shape (k, 2, 3) [m]."""
    origins = robot.link_poses(q)[:, :3, 3]
    pairs = [(origins[parent], origins[link]) for link, parent in enumerate(robot.link_parents) if parent >= 0]
    return np.array(pairs).reshape(-1, 2, 3)


def plot(
    robot: Robot,
    q: npt.ArrayLike | None = None,
    *,
    ax: Any = None,
    target: npt.ArrayLike | None = None,
    meshes: str | os.PathLike[str] | None = None,
    **style: Any,
) -> Any:
    """Draw a robot with matplotlib; see `Robot.plot`."""
    import matplotlib.pyplot as plt

    if ax is None:
        ax = plt.figure().add_subplot(projection="3d")
    style = {"color": "0.25", "marker": "o", "markersize": 3, "linewidth": 2, **style}
    configurations = rows(robot.start if q is None else q)
    for configuration in configurations:
        for line in bones(robot, configuration):
            ax.plot(*line.T, **style)
        if meshes is not None:
            _draw_meshes(ax, meshes, robot, configuration)
        if robot.tip is not None:
            _draw_frame(ax, robot.forward(configuration), size=_size(robot, configuration))
    if target is not None:
        place = np.asarray(target, dtype=np.float64)
        _draw_frame(ax, place, size=_size(robot, configurations[0]), linestyle="--")
    ax.set_xlabel("x (m)")
    ax.set_ylabel("y (m)")
    ax.set_zlabel("z (m)")
    ax.set_aspect("equal")
    return ax


def _size(robot: Robot, q: Floats) -> float:
    """Give the length of the axes of a drawn frame: a tenth of the robot."""
    origins = robot.link_poses(q)[:, :3, 3]
    return 0.1 * float(np.ptp(origins, axis=0).max()) or 0.1


def _draw_frame(ax: Any, pose: Floats, *, size: float, linestyle: str = "-") -> None:
    origin = pose[:3, 3]
    for axis, color in enumerate(AXES):
        line = np.array([origin, origin + size * pose[:3, axis]])
        ax.plot(*line.T, color=color, linestyle=linestyle, linewidth=1.5)


def _draw_meshes(ax: Any, urdf: str | os.PathLike[str], robot: Robot, configuration: Floats) -> None:
    """Draw the meshes of a URDF: yourdfpy finds them, trimesh reads them, and the poses are the robot's own."""
    import yourdfpy
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    model = yourdfpy.URDF.load(str(Path(urdf)), build_scene_graph=True, load_meshes=True)
    poses = dict(zip(robot.links, robot.link_poses(configuration), strict=True))
    # Poses of meshes are of the links that they hang on, in the model's own zero pose.
    for name, mesh in model.scene.geometry.items():
        link, mesh_in_link = _link_of(model, name)
        corners = mesh.vertices @ mesh_in_link[:3, :3].T + mesh_in_link[:3, 3]
        corners = corners @ poses[link][:3, :3].T + poses[link][:3, 3]
        faces = Poly3DCollection(corners[mesh.faces], facecolor="0.8", edgecolor="none", alpha=0.6)
        ax.add_collection3d(faces)


def _link_of(model: Any, geometry: str) -> tuple[str, Floats]:
    """Give the link that a mesh hangs on, and its pose there."""
    graph = model.scene.graph
    node = next(node for node in graph.nodes_geometry if graph[node][1] == geometry)
    parents = graph.transforms.parents
    link = parents[node]
    while link not in model.link_map:
        link = parents[link]
    return link, np.asarray(graph.get(node, link)[0])


def to_rerun(robot: Robot, q: npt.ArrayLike, *, path: str = "robot", times: npt.ArrayLike | None = None) -> None:
    """Log a robot to rerun; see `Robot.to_rerun`."""
    import rerun as rr

    configurations = rows(q)
    given = None if times is None else np.asarray(times, dtype=np.float64)
    if given is not None and given.shape != (len(configurations),):
        raise ValueError(f"times: their shape is {given.shape}, and must be ({len(configurations)},)")
    for index, configuration in enumerate(configurations):
        if given is not None:
            rr.set_time("time", duration=float(given[index]))
        elif len(configurations) > 1:
            rr.set_time("sample", sequence=index)
        rr.log(path, rr.LineStrips3D(bones(robot, configuration)))
        for link, pose in zip(robot.links, robot.link_poses(configuration), strict=True):
            transform = rr.Transform3D(translation=pose[:3, 3], mat3x3=pose[:3, :3])
            rr.log(f"{path}/{link}", transform)
