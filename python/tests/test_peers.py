"""Other packages for robots agree with posekit, and take what it gives. Run by `cargo xtask py peers`."""

from __future__ import annotations

import importlib.util
import shutil
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import posekit
from posekit import Robot

pytestmark = pytest.mark.peers

SO101 = ["shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll"]


@pytest.fixture(scope="module")
def pin() -> Any:
    import pinocchio

    return pinocchio


@pytest.mark.parametrize(
    "name", ["ur5e", "talos_reduced", "atlas_minimal_contact", "iiwa14_primitive_collision", "fetch"]
)
def test_pinocchio_has_the_same_poses(assets: Path, pin: Any, name: str) -> None:
    path = assets / "urdf" / f"{name}.urdf"
    robot = Robot.from_urdf(path)
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    rng = np.random.default_rng(3)
    places = {joint.name: joint for joint in robot.joints}
    assert not [joint for joint in robot.joints if joint.mimics is not None]
    for _ in range(5):
        q, theirs = robot.start, pin.neutral(model)
        for index in range(1, model.njoints):
            joint, own = model.joints[index], places[model.names[index]]
            value = rng.uniform(max(own.lower, -3.0), min(own.upper, 3.0))
            q[own.first] = value
            # Pinocchio has continuous joints as cosine and sine.
            numbers = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
            theirs[joint.idx_q : joint.idx_q + joint.nq] = numbers
        pin.framesForwardKinematics(model, data, theirs)
        for link, pose in zip(robot.links, robot.link_poses(q), strict=True):
            frame = model.getFrameId(link, pin.FrameType.BODY)
            assert_allclose(pose, data.oMf[frame].homogeneous, atol=1e-9)


def test_pinocchio_has_the_same_jacobian(assets: Path, pin: Any) -> None:
    path = assets / "urdf" / "ur5e.urdf"
    robot = Robot.from_urdf(path, tip="tool0")
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    q = robot.spread(4)
    order = [robot.joint(name).first for name in list(model.names)[1:]]
    frame = model.getFrameId("tool0", pin.FrameType.BODY)
    theirs = pin.computeFrameJacobian(model, data, q[order], frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
    assert_allclose(robot.jacobian(q)[:, order], theirs, atol=1e-9)


def test_pinocchio_confirms_solutions(assets: Path, pin: Any) -> None:
    path = assets / "urdf" / "ur5e.urdf"
    robot = Robot.from_urdf(path, tip="tool0")
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    frame = model.getFrameId("tool0", pin.FrameType.BODY)
    order = [robot.joint(name).first for name in list(model.names)[1:]]
    targets = robot.forward(np.array([robot.spread(index) for index in range(200)]))
    batch = robot.solve_batch(targets)
    assert batch.reached.all()
    for target, q in zip(targets, batch.q, strict=True):
        pin.framesForwardKinematics(model, data, q[order])
        assert_allclose(data.oMf[frame].homogeneous, target, atol=5e-6)
        assert (q >= robot.lower).all()
        assert (q <= robot.upper).all()


def test_mujoco_has_the_same_poses(root: Path) -> None:
    import mujoco

    path = root / "testdata" / "mjcf" / "classes.xml"
    robot = Robot.from_mjcf(path)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    rng = np.random.default_rng(2)
    hinges = [joint for joint in robot.joints if joint.size == 1 and joint.mimics is None]
    assert len(hinges) >= 2
    for _ in range(10):
        q = robot.start
        for joint in hinges:
            q[joint.first] = rng.uniform(max(joint.lower, -2.0), min(joint.upper, 2.0))
        qpos = q.copy()
        for joint in robot.joints:
            # Quaternions are w, x, y, z there.
            if joint.size >= 4:
                last = joint.first + joint.size
                qpos[last - 4 : last] = np.roll(q[last - 4 : last], 1)
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        for link, pose in zip(robot.links, robot.link_poses(q), strict=True):
            body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, link)
            if body >= 0:
                assert_allclose(pose[:3, 3], data.xpos[body], atol=1e-9)
                assert_allclose(pose[:3, :3], data.xmat[body].reshape(3, 3), atol=1e-9)


def test_yourdfpy_has_the_same_poses(assets: Path) -> None:
    import yourdfpy

    path = assets / "urdf" / "ur5e.urdf"
    robot = Robot.from_urdf(path, tip="tool0")
    model = yourdfpy.URDF.load(str(path), load_meshes=False, build_scene_graph=True)
    q = robot.spread(7)
    model.update_cfg({joint.name: q[joint.first] for joint in robot.joints})
    for link, pose in zip(robot.links, robot.link_poses(q), strict=True):
        assert_allclose(model.get_transform(link), pose, atol=1e-9)


def test_plot_draws_meshes(assets: Path) -> None:
    path = assets / "mesh_robots" / "SO101" / "so101_new_calib.urdf"
    robot = Robot.from_urdf(path, tip="gripper_frame_link")
    axes = robot.plot(meshes=path)
    assert len(axes.collections) > 5
    # The arm is less than half a metre in size, and what is drawn is where it is.
    axes.figure.canvas.draw()
    size = np.ptp(robot.link_poses(robot.start)[:, :3, 3], axis=0)
    limits = np.array([axes.get_xlim3d(), axes.get_ylim3d(), axes.get_zlim3d()])
    assert (np.diff(limits)[:, 0] < 1.0).all()
    assert (np.diff(limits)[:, 0] > 0.5 * size).all()


def test_rerun_takes_robots(assets: Path, arm: Robot, tmp_path: Path) -> None:
    import rerun

    rerun.init("posekit-test")
    rerun.save(str(tmp_path / "robot.rrd"))
    arm.to_rerun(arm.start)
    arm.to_rerun(np.array([arm.start, arm.spread(1)]), times=[0.0, 0.5])
    rerun.disconnect()
    assert (tmp_path / "robot.rrd").stat().st_size > 1000


def test_pandas_and_polars_take_batches(arm: Robot) -> None:
    batch = arm.solve_batch(arm.forward(np.array([arm.spread(index) for index in range(5)]))).to_arrow()
    frame = batch.to_pandas()
    assert list(frame["status"]) == ["reached"] * 5
    assert np.stack(frame["q"]).shape == (5, 6)
    import polars

    table = polars.from_arrow(batch)
    assert table.shape == (5, 4)
    assert table["status"].to_list() == ["reached"] * 5
    assert_allclose(np.array(table["q"].to_list()), np.stack(frame["q"]))
    assert_allclose(table["distance"].to_numpy(), frame["distance"])
    # An empty batch has the same columns.
    nothing = polars.from_arrow(arm.solve_batch(np.empty((0, 7))).to_arrow())
    assert nothing.schema == table.schema


def test_files_of_robot_descriptions(assets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Its modules clone a repository when they are imported. A repository in its cache needs no network.
    import git

    work = tmp_path / "work"
    urdf = work / "robots" / "panda_description" / "urdf" / "panda.urdf"
    urdf.parent.mkdir(parents=True)
    shutil.copy(assets / "urdf" / "panda.urdf", urdf)
    repository = git.Repo.init(work)
    repository.index.add([str(urdf)])
    commit = repository.index.commit("Panda", author=git.Actor("test", "test@example.com")).hexsha
    cached = tmp_path / f"example-robot-data-{commit}" / "example-robot-data"
    cached.parent.mkdir()
    work.rename(cached)
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path))
    monkeypatch.setenv("ROBOT_DESCRIPTION_COMMIT", commit)
    from robot_descriptions import panda_description

    robot = Robot.from_urdf(panda_description.URDF_PATH, tip="panda_hand")
    assert len(robot.arm_joints) == 7
    assert robot.solve(robot.forward(robot.spread(3))).reached


@pytest.fixture(scope="module")
def theirs() -> Any:
    """Return LeRobot's own class, from its wheel: of the rest of the package, which needs PyTorch, nothing is needed."""
    spec = importlib.util.find_spec("lerobot")
    assert spec is not None
    assert spec.submodule_search_locations, "lerobot is not installed"
    path = Path(next(iter(spec.submodule_search_locations))) / "model" / "kinematics.py"
    module = types.ModuleType("lerobot_kinematics")
    exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    return module.RobotKinematics


def test_lerobots_own_class_has_the_same_poses(assets: Path, theirs: Any, tmp_path: Path) -> None:
    urdf = assets / "mesh_robots" / "SO101" / "so101_new_calib.urdf"
    own = posekit.RobotKinematics(urdf, "gripper_frame_link", SO101)
    other = theirs(str(urdf), "gripper_frame_link", SO101)
    rng = np.random.default_rng(1)
    for _ in range(50):
        joints = rng.uniform(-60, 60, 6)
        assert_allclose(own.forward_kinematics(joints), other.forward_kinematics(joints), atol=1e-9)


def test_where_lerobots_own_class_converges_it_is_where_posekit_is(assets: Path, theirs: Any) -> None:
    urdf = assets / "mesh_robots" / "SO101" / "so101_new_calib.urdf"
    own = posekit.RobotKinematics(urdf, "gripper_frame_link", SO101)
    other = theirs(str(urdf), "gripper_frame_link", SO101)
    rng = np.random.default_rng(4)
    converged = 0
    for _ in range(20):
        there = rng.uniform(-40, 40, 5)
        pose = own.forward_kinematics(there)
        start = there + rng.uniform(-5, 5, 5)
        found = own.inverse_kinematics(start, pose)
        assert_allclose(own.forward_kinematics(found), pose, atol=1e-4)
        joints = start
        for _ in range(300):
            joints = other.inverse_kinematics(joints, pose)
        # It makes one full step in a call, without a check whether that led nearer; some starts it never leaves.
        if np.linalg.norm(own.forward_kinematics(joints)[:3, 3] - pose[:3, 3]) < 1e-6:
            converged += 1
            assert_allclose(found, joints, atol=0.01)
    assert converged >= 10
