"""Pictures of robots: matplotlib, and rerun."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from posekit.robot import rows

if TYPE_CHECKING:
    from posekit.robot import Robot

__all__ = ["STYLE", "axes", "plot", "to_rerun"]

Floats = npt.NDArray[np.float64]

# The colours of the page and of the drawings.
PAPER, INK, GRID, TARGET = "#FAFAF7", "#1C1E21", "#E4E4DE", "#D55E00"
# Of a robot: that of closed forms.
ROBOT = "#56B4E9"
# Of x, y and z in drawn frames.
AXES = ("#C44E52", "#4C9F70", "#3B6FB6")
# Sides of a drawn link.
SIDES = 10

STYLE = {
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GRID,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": GRID,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "figure.constrained_layout.use": True,
}
"""The style of posekit's drawings, for `matplotlib.rcParams`."""


def bones(robot: Robot, q: Floats) -> Floats:
    """Return the lines from each link to its parent, shape (k, 2, 3) [m]."""
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
    color: Any = ROBOT,
    alpha: float = 1.0,
) -> Any:
    """Draw a robot with matplotlib; see `Robot.plot`."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    ax = axes() if ax is None else ax
    for configuration in rows(robot.start if q is None else q):
        lines = bones(robot, configuration)
        size = _size(lines)
        faces = np.concatenate([_body(line, 0.035 * size) for line in lines] or [np.empty((0, 4, 3))])
        if meshes is not None:
            _draw_meshes(ax, meshes, robot, configuration)
        elif len(faces):
            colors = _shaded(faces, color, alpha)
            # Edges hide the seams between faces.
            edges = colors if alpha == 1.0 else "none"
            ax.add_collection3d(Poly3DCollection(faces, facecolors=colors, edgecolors=edges, linewidths=0.4))
        if robot.tip is not None:
            _draw_frame(ax, robot.forward(configuration), size=0.12 * size, alpha=alpha)
    if target is not None:
        place = np.asarray(target, dtype=np.float64)
        point = place if place.ndim == 1 else place[:3, 3]
        # A ring with a cross.
        ax.plot(*point[:, None], marker="o", markersize=11, markerfacecolor="none", color=TARGET, markeredgewidth=1.5)
        ax.plot(*point[:, None], marker="+", markersize=11, color=TARGET, markeredgewidth=1.5)
        if place.ndim == 2:
            _draw_frame(ax, place, size=0.12 * size, linestyle=":")
    ax.set_aspect("equal")
    return ax


def axes(figure: Any = None, position: Any = 111) -> Any:
    """Return empty axes in the style of posekit's drawings: metres on a quiet grid."""
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(6, 5), facecolor=PAPER, layout="constrained") if figure is None else figure
    # What is drawn later is in front: depth would be that of whole robots.
    ax = figure.add_subplot(position, projection="3d", facecolor=PAPER, computed_zorder=False)
    ax.view_init(elev=22, azim=-50)
    for axis, name in ((ax.xaxis, "x"), (ax.yaxis, "y"), (ax.zaxis, "z")):
        axis.set_pane_color((0, 0, 0, 0))
        axis._axinfo["grid"].update(color=GRID, linewidth=0.8)
        axis.line.set_color(GRID)
        axis.set_label_text(f"{name} (m)", color=INK, fontsize=9)
        axis.set_tick_params(labelsize=8, labelcolor=INK, color=GRID)
        axis.set_major_locator(plt.MaxNLocator(5))
    return ax


def _size(lines: Floats) -> float:
    """Return the size of what lines draw; 1 for nothing."""
    return float(np.ptp(lines.reshape(-1, 3), axis=0).max(initial=0.0)) or 1.0


def _body(line: Floats, radius: float) -> Floats:
    """Return the faces of a slim tapered body along a line, shape (k, 4, 3)."""
    along = line[1] - line[0]
    length = float(np.linalg.norm(along))
    if length < 1e-9:
        return np.empty((0, 4, 3))
    across = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    across /= np.linalg.norm(across)
    turns = np.linspace(0, 2 * np.pi, SIDES + 1)[:, None]
    ring = np.cos(turns) * across + np.sin(turns) * np.cross(along / length, across)
    # Along the line and across it: thick behind the joint, thin at the next one.
    profile = [(0.0, 0.0), (0.0, 0.75), (min(0.2, radius / length), 1.0), (1.0, 0.6), (1.0, 0.0)]
    rings = [line[0] + part * along + width * radius * ring for part, width in profile]
    sides = [np.stack([a[:-1], a[1:], b[1:], b[:-1]], axis=1) for a, b in pairwise(rings)]
    return np.concatenate(sides)


def _shaded(faces: Floats, color: Any, alpha: float) -> Floats:
    """Return the colours of faces in the light of one lamp, shape (k, 4)."""
    from matplotlib.colors import to_rgb

    normals = np.cross(faces[:, 2] - faces[:, 0], faces[:, 3] - faces[:, 1])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    light = 0.8 + 0.2 * normals @ (np.array([0.3, -0.5, 0.8]) / 0.99)
    return np.column_stack([np.outer(light, to_rgb(color)), np.full(len(faces), alpha)])


def _draw_frame(ax: Any, pose: Floats, *, size: float, linestyle: str = "-", alpha: float = 1.0) -> None:
    origin = pose[:3, 3]
    for axis, color in enumerate(AXES):
        line = np.array([origin, origin + size * pose[:3, axis]])
        ax.plot(*line.T, color=color, linestyle=linestyle, linewidth=2, alpha=alpha)


def _draw_meshes(ax: Any, urdf: str | os.PathLike[str], robot: Robot, configuration: Floats) -> None:
    """Draw the meshes of a URDF, which yourdfpy and trimesh read, at the poses of the robot."""
    import yourdfpy
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    model = yourdfpy.URDF.load(str(Path(urdf)), build_scene_graph=True, load_meshes=True)
    poses = dict(zip(robot.links, robot.link_poses(configuration), strict=True))
    # The poses of meshes are relative to their links, so the pose of the model does not matter.
    for name, mesh in model.scene.geometry.items():
        link, mesh_in_link = _link_of(model, name)
        corners = mesh.vertices @ mesh_in_link[:3, :3].T + mesh_in_link[:3, 3]
        corners = corners @ poses[link][:3, :3].T + poses[link][:3, 3]
        faces = Poly3DCollection(corners[mesh.faces], facecolor="0.8", edgecolor="none", alpha=0.6)
        ax.add_collection3d(faces)


def _link_of(model: Any, geometry: str) -> tuple[str, Floats]:
    """Return the link of a mesh, and the pose of the mesh in it."""
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
        raise ValueError(f"times: the shape is {given.shape}, and must be ({len(configurations)},)")
    for index, configuration in enumerate(configurations):
        if given is not None:
            rr.set_time("time", duration=float(given[index]))
        elif len(configurations) > 1:
            rr.set_time("sample", sequence=index)
        rr.log(path, rr.LineStrips3D(bones(robot, configuration)))
        for link, pose in zip(robot.links, robot.link_poses(configuration), strict=True):
            transform = rr.Transform3D(translation=pose[:3, 3], mat3x3=pose[:3, :3])
            rr.log(f"{path}/{link}", transform)
