"""LeRobot's `RobotKinematics`, on posekit: the same constructor and methods, in degrees."""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt

from posekit.robot import Robot

__all__ = ["RobotKinematics"]

Floats = npt.NDArray[np.float64]


class RobotKinematics:
    """Kinematics of a robot with LeRobot's interface, in place of `lerobot.model.kinematics.RobotKinematics`.

    Unlike LeRobot's, `inverse_kinematics` returns in one call the solution or the best pose found, inside the limits, without placo, and always the same for the same
    input.

    Parameters
    ----------
    urdf_path : path-like or str
        The robot's URDF.
    target_frame_name : str, default "gripper_frame_link"
        The link that holds the tool.
    joint_names : sequence of str, optional
        The joints of all configurations, in order; by default all, in the order of the file.

    Examples
    --------
    >>> import numpy as np, posekit
    >>> names = ["shoulder_pan", "shoulder_lift", "elbow", "wrist_1_turn", "wrist_2_turn", "wrist_3_turn"]
    >>> kinematics = posekit.RobotKinematics(posekit.ARM6, "tool0", names)
    >>> pose = kinematics.forward_kinematics(np.array([10.0, -60.0, 80.0, -30.0, 90.0, 0.0]))
    >>> joints = kinematics.inverse_kinematics(np.array([0.0, -50.0, 70.0, -30.0, 80.0, 0.0]), pose)
    >>> bool(np.allclose(kinematics.forward_kinematics(joints), pose, atol=1e-5))
    True
    """

    def __init__(
        self,
        urdf_path: str | os.PathLike[str],
        target_frame_name: str = "gripper_frame_link",
        joint_names: list[str] | None = None,
    ) -> None:
        robot = Robot.from_urdf(urdf_path, tip=target_frame_name)
        followers = {joint.name for joint in robot.joints if joint.mimics is not None}
        names = [name for name in robot.joint_names if name not in followers]
        self.joint_names = names if joint_names is None else list(joint_names)
        self.target_frame_name = target_frame_name
        places = {joint.name: joint.first for joint in robot.joints}
        unknown = [name for name in self.joint_names if name not in places]
        if unknown:
            raise ValueError(f"there is no joint {unknown[0]!r}; joints: {', '.join(names)}")
        self.robot = robot
        self._places = [places[name] for name in self.joint_names]
        self._start = robot.start
        # Other joints do not move.
        self._held = [name for name in robot.arm_joints if name not in self.joint_names]
        if self._held:
            self.robot = robot.with_tool(target_frame_name, held=self._held)

    def forward_kinematics(self, joint_pos_deg: npt.ArrayLike) -> Floats:
        """Return the pose of the tool.

        Parameters
        ----------
        joint_pos_deg : array_like (n,)
            One value for each of `joint_names`; more are ignored [deg].

        Returns
        -------
        ndarray (4, 4)
            In the world [m].
        """
        return self.robot.forward(self._configuration(joint_pos_deg))

    def inverse_kinematics(
        self,
        current_joint_pos: npt.ArrayLike,
        desired_ee_pose: npt.ArrayLike,
        position_weight: float = 1.0,
        orientation_weight: float = 0.01,
    ) -> Floats:
        """Give joint values for a pose of the tool, from those it has now.

        With fewer than six joints, position and orientation may not be reachable together: then their weights balance the two errors, as in LeRobot. With an
        orientation weight of 0 only the position counts.

        Parameters
        ----------
        current_joint_pos : array_like (n,)
            [deg]; further values, such as a gripper's, are returned unchanged.
        desired_ee_pose : array_like (4, 4)
            In the world [m].
        position_weight : float, default 1
            Of an error of a metre.
        orientation_weight : float, default 0.01
            Of an error of a radian.

        Returns
        -------
        ndarray (n,)
            [deg]
        """
        current = np.asarray(current_joint_pos, dtype=np.float64)
        target = np.asarray(desired_ee_pose, dtype=np.float64)
        start = self._configuration(current)
        if orientation_weight == 0.0:
            q = self.robot.solve(target[:3, 3], start=start).q
        else:
            solution = self.robot.solve(target, start=start)
            q = solution.q
            if not solution.reached:
                q = self._traded(target, start, position_weight, orientation_weight)
        result: Floats = current.copy()
        result[: len(self._places)] = np.rad2deg(q[self._places])
        return result

    def _traded(self, target: Floats, start: Floats, position_weight: float, orientation_weight: float) -> Floats:
        """Minimise the weighted sum of both errors, per metre and per radian."""
        from posekit.tasks import Task

        name = self.target_frame_name
        tasks = [
            Task.position(name, target[:3, 3]).weighing(position_weight),
            # In tasks an error of a radian counts like one of the reach.
            Task.orientation(name, target[:3, :3]).weighing(orientation_weight / self.robot.reach),
        ]
        return self.robot.solve_tasks(tasks, start=start, locked=self._locked()).q

    def _locked(self) -> list[str]:
        """Return the joints that do not move: those that are not in `joint_names`."""
        return [name for name in self.robot.joint_names if name not in self.joint_names]

    def _configuration(self, joint_pos_deg: npt.ArrayLike) -> Floats:
        """Return the configuration of the whole robot."""
        given = np.asarray(joint_pos_deg, dtype=np.float64)
        n = len(self._places)
        if given.ndim != 1 or len(given) < n:
            raise ValueError(f"joint positions: the shape is {given.shape}, and must be ({n},) or longer")
        q: Floats = self._start.copy()
        q[self._places] = np.deg2rad(given[:n])
        return q
