"""Robots: what files say, kinematics, and every kind of solve."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import posekit
from posekit import PosekitError, Robot, Status, UnsuitedError


def targets_of(robot: Robot, n: int) -> np.ndarray:
    return robot.forward(np.array([robot.spread(index) for index in range(n)]))


def angle_between(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.arccos(np.clip((np.trace(a[:3, :3].T @ b[:3, :3]) - 1) / 2, -1, 1)))


def test_what_the_file_says(arm: Robot) -> None:
    assert arm.name == "arm6"
    assert arm.tip == "tool0"
    assert arm.n_values == arm.n_dofs == 6
    assert arm.joint_names[:3] == ["shoulder_pan", "shoulder_lift", "elbow"] == arm.arm_joints[:3]
    pan = arm.joint("shoulder_pan")
    assert (pan.kind, pan.first, pan.size, pan.mimics) == ("revolute", 0, 1, None)
    assert pan.upper == pytest.approx(2 * np.pi)
    assert pan.velocity == 3.14
    assert_array_equal(arm.upper, -arm.lower)
    assert arm.velocity_limits.shape == (6,)
    assert arm.ends == ["tool0"]
    assert "parallel" in (arm.closed_form or "")


def test_shapes_groups_and_states() -> None:
    urdf = """<robot name="r"> <link name="a"/> <link name="b"> <collision> <origin xyz="0 0 1"/>
        <geometry> <box size="0.2 0.4 0.6"/> </geometry> </collision> </link> <joint name="j" type="prismatic">
        <parent link="a"/> <child link="b"/> <limit lower="0" upper="1" effort="1" velocity="2"/> </joint> </robot>"""
    srdf = """<robot name="r"> <group name="g"> <chain base_link="a" tip_link="b"/> </group>
        <group_state name="out" group="g"> <joint name="j" value="0.5"/> </group_state> </robot>"""
    robot = Robot.from_urdf(urdf, srdf=srdf, group="g")
    assert robot.groups == {"g": ["j"]}
    assert_array_equal(robot.states["out"], [0.5])
    (shape,) = robot.shapes
    assert (shape.link, shape.kind) == ("b", "box")
    assert_allclose(shape.size, [0.2, 0.4, 0.6])
    assert shape.pose[2, 3] == 1.0


def test_solve_reaches_what_forward_gives(arm: Robot) -> None:
    for target in targets_of(arm, 50):
        solution = arm.solve(target)
        assert solution.reached
        assert arm.within_limits(solution.q)
        found = arm.forward(solution.q)
        assert_allclose(found[:3, 3], target[:3, 3], atol=2e-6)
        assert angle_between(found, target) < 3e-6


def test_every_notation_of_a_target_is_the_same_target(arm: Robot) -> None:
    target = targets_of(arm, 1)[0]
    matrix = arm.solve(target)
    apart = arm.solve(target[:3, 3], target[:3, :3])
    assert_array_equal(matrix.q, apart.q)
    half = np.sqrt(0.5)
    turned = np.array([[0.0, -1, 0, 0.4], [1, 0, 0, 0.1], [0, 0, 1, 0.3], [0, 0, 0, 1]])
    as_matrix = arm.solve(turned)
    as_seven = arm.solve([0.4, 0.1, 0.3, 0, 0, half, half])
    as_parts = arm.solve([0.4, 0.1, 0.3], [0, 0, half, half])
    assert_allclose(as_matrix.q, as_seven.q, atol=1e-9)
    assert_array_equal(as_seven.q, as_parts.q)


def test_a_point_leaves_the_rotation_free(arm: Robot) -> None:
    solution = arm.solve([0.4, 0.1, 0.3])
    assert solution.reached
    assert_allclose(arm.forward(solution.q)[:3, 3], [0.4, 0.1, 0.3], atol=2e-6)


def test_out_of_reach_is_data(arm: Robot) -> None:
    solution = arm.solve([3.0, 0.0, 0.0])
    assert solution.status is Status.UNREACHABLE
    assert solution.shortfall == pytest.approx(3.0 - arm.reach, abs=0.2)
    assert np.isfinite(solution.q).all()


def test_what_only_limits_forbid_is_proven() -> None:
    text = posekit.ARM6.replace('lower="-6.283185307179586" upper="6.283185307179586"', 'lower="-0.2" upper="0.2"')
    narrow, wide = Robot.from_urdf(text), Robot.from_urdf(posekit.ARM6)
    target = wide.forward(np.full(6, 1.0))
    assert wide.solve(target).reached
    assert narrow.solve(target).status is Status.OUTSIDE_LIMITS
    assert narrow.solve_batch([target]).status[0] == Status.OUTSIDE_LIMITS


def test_servo_has_the_bits_of_steps(panda: Robot) -> None:
    limited = panda.with_tool("panda_hand", velocity_limits=1.0)
    target = limited.forward(limited.spread(5))
    for prefer in ("nearest", "posture"):
        servo = limited.servo(dt=0.01, prefer=prefer)
        assert np.isnan(servo.distance)
        q = limited.start
        for k in range(200):
            # A pose, then a point.
            aim = target if k < 150 else target[:3, 3]
            step = limited.step(q, aim, dt=0.01, prefer=prefer)
            assert_array_equal(servo.step(aim), step.q)
            assert (servo.distance, servo.angle, servo.scale) == step[1:]
            q = step.q
        assert_array_equal(servo.q, q)
    servo.q = limited.start
    assert_array_equal(servo.q, limited.start)
    with pytest.raises(ValueError, match=r"q: the shape is \(2,\)"):
        servo.q = [0.0, 0.0]
    with pytest.raises(ValueError, match="dt: it must be above 0"):
        limited.servo(dt=0.0)
    with pytest.raises(ValueError, match=r"target\[0\] is nan"):
        servo.step([np.nan, 0, 0])


TWO_ENDS = """<robot name="r"> <link name="a"/> <link name="b"/> <link name="c"/>
  <joint name="j" type="continuous"> <parent link="a"/> <child link="b"/> </joint>
  <joint name="k" type="continuous"> <parent link="a"/> <child link="c"/> </joint> </robot>"""


def test_batch_rows_have_the_bits_of_single_solves(arm: Robot, panda: Robot) -> None:
    for robot in (arm, panda):
        targets = targets_of(robot, 300)
        for prefer in ("first", "nearest"):
            batch = robot.solve_batch(targets, prefer=prefer)
            assert batch.reached.mean() > 0.99
            for row in range(0, 300, 7):
                single = robot.solve(targets[row], prefer=prefer)
                assert_array_equal(batch.q[row], single.q)
                assert batch.status[row] == single.status
                assert_array_equal(batch.errors[row], [single.distance, single.angle])


def test_threads_change_nothing(panda: Robot) -> None:
    targets = targets_of(panda, 1500)
    one, three = (panda.solve_batch(targets, prefer="first", threads=n) for n in (1, 3))
    assert one.q.tobytes() == three.q.tobytes()


def test_jobs_of_several_robots_have_the_bits_of_single_solves(arm: Robot, panda: Robot) -> None:
    robots = [arm, panda]
    which = np.arange(1200) % 2
    targets = np.array([robots[k].forward(robots[k].spread(row)) for row, k in enumerate(which)])
    for prefer in ("first", "nearest"):
        batch = posekit.solve_jobs(robots, which, targets, prefer=prefer)
        assert batch.q.shape == (1200, panda.n_values)
        assert batch.reached.mean() > 0.99
        for row in range(0, 1200, 31):
            robot = robots[which[row]]
            single = robot.solve(targets[row], prefer=prefer)
            assert_array_equal(batch.q[row, : robot.n_values], single.q)
            assert np.isnan(batch.q[row, robot.n_values :]).all()
            assert batch.status[row] == single.status
            assert_array_equal(batch.errors[row], [single.distance, single.angle])
    one, three = (posekit.solve_jobs(robots, which, targets, prefer="first", threads=n) for n in (1, 3))
    assert one.q.tobytes() == three.q.tobytes()
    # A result is a start, NaN and all.
    again = posekit.solve_jobs(robots, which, targets, start=batch.q)
    assert_allclose(again.q[batch.reached], batch.q[batch.reached], atol=1e-4)


def test_jobs_have_bases_and_tools(arm: Robot) -> None:
    turned = np.diag([-1.0, -1.0, 1.0, 1.0])
    turned[:3, 3] = [0.9, 0.1, 0.05]
    bases = np.stack([np.eye(4), turned])
    tool = np.eye(4)
    tool[2, 3] = 0.1
    which = np.array([0, 1, 1, 0, 1])
    targets = np.array([bases[k] @ arm.forward(arm.spread(row)) @ tool for row, k in enumerate(which)])
    batch = posekit.solve_jobs([arm, arm], which, targets, bases=bases[which], tools=tool)
    assert batch.reached.all()
    assert_allclose(bases[which] @ arm.forward(batch.q) @ tool, targets, atol=1e-5)
    # Positions leave the rotation free, and one base may be for all.
    up = np.array([0, 0, 0.01])
    points = targets_of(arm, 5)[:, :3, 3] + up
    batch = posekit.solve_jobs([arm], np.zeros(5, int), points, bases=[*up, 0, 0, 0, 1])
    assert_allclose(arm.forward(batch.q)[:, :3, 3] + up, points, atol=1e-5)


def test_jobs_refuse_wrong_input(arm: Robot, panda: Robot) -> None:
    target = [0.4, 0.1, 0.3]
    with pytest.raises(ValueError, match="robots: there are none"):
        posekit.solve_jobs([], [], np.empty((0, 3)))
    with pytest.raises(ValueError, match=r"which\[1\] is 2, and must be from 0 to 1"):
        posekit.solve_jobs([arm, panda], [0, 2], [target, target])
    with pytest.raises(ValueError, match=r"which\[0\] is -1"):
        posekit.solve_jobs([arm], [-1], [target])
    with pytest.raises(ValueError, match="which: its dtype is float64"):
        posekit.solve_jobs([arm], [0.0], [target])
    with pytest.raises(ValueError, match=r"which: the shape is \(2,\), and must be \(1,\)"):
        posekit.solve_jobs([arm], [0, 0], [target])
    with pytest.raises(ValueError, match=r"bases: the shape is \(3, 7\), and must be"):
        posekit.solve_jobs([arm], [0, 0], [target, target], bases=np.tile([0, 0, 0, 0, 0, 0, 1.0], (3, 1)))
    with pytest.raises(ValueError, match=r"tools\[1\]: .*length"):
        posekit.solve_jobs([arm], [0, 0], [target, target], tools=[[0, 0, 0, 0, 0, 0, 1.0], [0, 0, 0, 0, 0, 0, 2.0]])
    start = np.tile(arm.start, (2, 1))
    start[1, 2] = np.nan
    with pytest.raises(ValueError, match=r"start\[1, 2\] is nan"):
        posekit.solve_jobs([arm], [0, 0], [target, target], start=start)
    with pytest.raises(UnsuitedError, match="tip="):
        posekit.solve_jobs([Robot.from_urdf(TWO_ENDS)], [0], [target])
    marked = posekit.solve_jobs([arm], [0, 0], [target, [np.nan, 0, 0]], invalid="mark")
    assert list(marked.status) == [Status.REACHED, Status.INVALID_TARGET]
    assert posekit.solve_jobs([arm], np.zeros(0, int), np.empty((0, 3))).q.shape == (0, 6)


def test_batch_with_a_start_for_each(arm: Robot) -> None:
    targets = targets_of(arm, 10)
    starts = np.array([arm.spread(index) for index in range(10)])
    batch = arm.solve_batch(targets, start=starts)
    assert_allclose(batch.q, starts, atol=1e-4)


def test_batch_to_arrow(arm: Robot) -> None:
    arrow = pytest.importorskip("pyarrow")
    batch = arm.solve_batch(np.concatenate([targets_of(arm, 4), np.eye(4)[None] * 1.0]))
    record = batch.to_arrow()
    assert record.num_rows == 5
    assert record.schema.names == ["q", "status", "distance", "angle"]
    assert record.column("status")[0].as_py() == "reached"
    assert_array_equal(record.column("q").flatten().to_numpy(), batch.q.reshape(-1))
    assert arm.solve_batch(np.empty((0, 7))).to_arrow().num_rows == 0
    assert arrow.Table.from_batches([record]).num_rows == 5


def test_all_solutions_are_distinct_and_reach(arm: Robot) -> None:
    target = targets_of(arm, 1)[0]
    solutions = arm.all_solutions(target)
    assert len(solutions) >= 2
    assert_allclose(arm.forward(solutions), np.broadcast_to(target, (len(solutions), 4, 4)), atol=1e-5)
    assert arm.all_solutions([9.0, 0, 0, 0, 0, 0, 1]).shape == (0, 6)


def test_preferences(panda: Robot) -> None:
    target = targets_of(panda, 3)[2]
    start = panda.spread(9)
    by = {prefer: panda.solve(target, start=start, prefer=prefer) for prefer in ("nearest", "manipulability")}
    assert np.linalg.norm(by["nearest"].q - start) <= np.linalg.norm(by["manipulability"].q - start)
    dexterity = {prefer: panda.dexterity(solution.q).manipulability for prefer, solution in by.items()}
    assert dexterity["manipulability"] >= dexterity["nearest"]


def test_accept_makes_the_search_go_on(arm: Robot) -> None:
    target = targets_of(arm, 1)[0]
    first = arm.solve(target).q
    other = arm.solve(target, accept=lambda q: bool(np.abs(q - first).max() > 0.1))
    assert other.reached
    assert np.abs(other.q - first).max() > 0.1
    with pytest.raises(ZeroDivisionError):
        arm.solve(target, accept=lambda q: 1 / 0)


def test_steps_converge_and_keep_velocity_limits(panda: Robot) -> None:
    q = panda.start
    target = targets_of(panda, 2)[1]
    for _ in range(600):
        step = panda.step(q, target, dt=0.01)
        assert (np.abs(step.q - q) <= panda.velocity_limits * 0.01 * (1 + 1e-9)).all()
        q = step.q
    assert step.distance < 1e-6


def test_track_follows_a_line(arm: Robot) -> None:
    begin = arm.forward(arm.solve([0.4, -0.2, 0.4], np.diag([1.0, -1, -1])).q)
    end = begin.copy()
    end[1, 3] += 0.4
    track = arm.track([0.0, 2.0], np.array([begin, end]))
    assert track.completed
    assert track.ended_at is None
    assert (np.abs(np.diff(track.q, axis=0)) < 0.051).all()
    assert track.errors[:, 0].max() < 1e-5
    assert_array_equal(track.targets[[0, -1]], [0, 1])
    speed = np.abs(np.diff(track.q, axis=0)) / np.diff(track.times)[:, None]
    assert (speed <= arm.velocity_limits * 1.02).all()


def test_track_says_where_it_ends(arm: Robot) -> None:
    targets = np.array([[0.4, 0.1, 0.3, 0, 0, 0, 1], [2.0, 0.1, 0.3, 0, 0, 0, 1]])
    track = arm.track([0.0, 1.0], targets)
    assert not track.completed
    assert 0.0 <= track.ended_at < 1.0
    assert track.reason in ("limits", "singularity", "reach")


def test_map_counts_orientations(arm: Robot) -> None:
    reach = arm.map(0.3, orientations=8, starts=20)
    assert reach.points.shape == (len(reach.reached), 3)
    assert reach.share.max() == 1.0
    assert reach.share.min() == 0.0
    assert (reach.reached <= 8).all()
    assert_array_equal(reach.reached, arm.map(0.3, orientations=8, starts=20, threads=1).reached)


def test_jacobian_is_the_derivative_of_forward(arm: Robot) -> None:
    q = arm.spread(3)
    jacobian = arm.jacobian(q)
    for joint in range(6):
        step = np.zeros(6)
        step[joint] = 1e-6
        ahead, behind = arm.forward(q + step), arm.forward(q - step)
        linear = (ahead - behind)[:3, 3] / 2e-6
        spin = (ahead - behind)[:3, :3] @ arm.forward(q)[:3, :3].T / 2e-6
        angular = [spin[2, 1], spin[0, 2], spin[1, 0]]
        assert_allclose(jacobian[:, joint], [*linear, *angular], atol=1e-7)
    assert arm.jacobian(np.array([q, q])).shape == (2, 6, 6)
    assert arm.jacobian(q, "elbow" if "elbow" in arm.links else "forearm").shape == (6, 6)


def test_link_poses_are_those_of_forward(arm: Robot) -> None:
    q = arm.spread(5)
    for link, pose in zip(arm.links, arm.link_poses(q), strict=True):
        assert_array_equal(pose, arm.forward(q, link))


def test_a_robot_with_many_tips_asks_for_one(assets: Path) -> None:
    robot = Robot.from_urdf(assets / "urdf" / "ur5.urdf")
    assert robot.tip is None
    with pytest.raises(UnsuitedError, match=r"name the link.*ee_link, tool0"):
        robot.solve([0.4, 0, 0.4])
    assert robot.with_tool("tool0").solve([0.4, 0, 0.4]).reached


def test_the_tip_of_a_gripper_is_what_its_fingers_are_on(assets: Path) -> None:
    robot = Robot.from_urdf(assets / "urdf" / "panda_arm_hand.urdf")
    assert robot.ends == ["panda_leftfinger", "panda_rightfinger"]
    assert robot.tip == "panda_hand"
    assert robot.solve([0.4, 0, 0.4]).reached


def test_a_robot_that_no_joint_moves_says_so() -> None:
    robot = Robot.from_urdf("<robot name='r'><link name='a'/></robot>")
    assert robot.ends == []
    with pytest.raises(UnsuitedError, match="no joint moves a link"):
        robot.solve([0.4, 0, 0.4])


def test_tools_and_held_joints(panda: Robot) -> None:
    longer = panda.with_tool("panda_hand", offset=[0, 0, 0.1, 0, 0, 0, 1])
    q = panda.start
    expected = panda.forward(q) @ np.block([[np.eye(3), np.array([[0], [0], [0.1]])], [0, 0, 0, 1]])
    assert_allclose(longer.forward(q), expected, atol=1e-12)
    held = panda.with_tool("panda_hand", held=["panda_joint3"], at=q)
    assert "panda_joint3" not in held.arm_joints
    solution = held.solve(targets_of(held, 4)[3])
    assert solution.q[2] == q[2]


def test_mjcf_with_included_files(assets: Path) -> None:
    panda = Robot.from_mjcf(assets / "mjcf" / "franka_emika_panda" / "panda.xml", tip="hand")
    assert panda.solve(panda.forward(panda.spread(4))).reached


def test_tasks_of_a_whole_body(assets: Path) -> None:
    urdf = assets / "urdf" / "g1_29dof_rev_1_0.urdf"
    robot = Robot.from_urdf(urdf, floating=True)
    feet = ["left_ankle_roll_link", "right_ankle_roll_link"]
    start = robot.start
    stand = {foot: robot.forward(start, foot) for foot in feet}
    hand = robot.forward(start, "right_wrist_yaw_link")[:3, 3] + [0.15, 0.0, 0.1]
    tasks = [posekit.Task.pose(foot, stand[foot]) for foot in feet]
    corners = np.concatenate(
        [stand[foot][:3, 3] + np.array([[x, y, 0.0] for x in (-0.05, 0.1) for y in (-0.03, 0.03)]) for foot in feet]
    )
    tasks.append(posekit.Task.support(corners, margin=0.005))
    tasks.append(posekit.Task.position("right_wrist_yaw_link", hand).at_level(2))
    tasks.append(posekit.Task.posture(start).at_level(3))
    solution = robot.solve_tasks(tasks)
    assert solution.reached
    assert solution.misses.shape == (5, 2)
    assert solution.misses[:4, 0].max() < 1e-3
    for foot in feet:
        assert_allclose(robot.forward(solution.q, foot), stand[foot], atol=1e-4)
    again = robot.solve_tasks(tasks, start=solution.q, tracking=True, dt=0.01)
    assert again.reached


def test_tasks_keep_locked_joints_and_say_what_blocks(arm: Robot) -> None:
    target = targets_of(arm, 1)[0]
    locked = arm.solve_tasks([posekit.Task.position("tool0", target[:3, 3])], locked=["shoulder_pan"])
    assert locked.q[0] == arm.start[0]
    far = arm.solve_tasks([posekit.Task.position("tool0", [5.0, 0, 0])])
    assert far.status is Status.UNREACHABLE
    assert far.shortfall > 3
    stiff = arm.solve_tasks([posekit.Task.pose("tool0", target)], stiffness={"elbow": 10.0})
    assert stiff.status in (Status.REACHED, Status.ITERATION_LIMIT, Status.STALLED)


def test_every_kind_of_task(panda: Robot) -> None:
    here = panda.forward(panda.start)
    Task = posekit.Task
    tasks = [
        Task.position("panda_hand", here[:3, 3]),
        Task.orientation("panda_hand", here[:3, :3]),
        Task.pose("panda_hand", here, about=(True, True, False)),
        Task.look_at("panda_hand", [0, 0, 1], here[:3, 3] + here[:3, 2]),
        Task.align("panda_hand", [0, 0, 1], here[:3, 2]),
        Task.plane("panda_hand", [0, 0, -1], [0, 0, 1], one_sided=True),
        Task.distance("panda_hand", "panda_link0", 0.0, 2.0),
        Task.relative_pose("panda_link0", "panda_hand", here),
        Task.posture(panda.start).weighing(0.1),
        Task.center_of_mass([0, 0, 0], axes=(False, False, False)),
    ]
    solution = panda.solve_tasks(tasks)
    assert solution.reached
    assert_allclose(solution.q, panda.start, atol=1e-6)
    pole = Task.pole("panda_link2", [0, -0.316, 0], "panda_hand", [0, 1, 1])
    assert np.isfinite(panda.solve_tasks([pole]).misses).all()
    closure = Task.closure("panda_link0", "panda_hand")
    assert panda.solve_tasks([closure]).misses[0, 0] < 1.0


def test_faults_of_tasks_name_the_task(arm: Robot) -> None:
    task = posekit.Task.position("tool0", [0.4, 0, 0.3])
    with pytest.raises(PosekitError, match=r"no link or frame 'hand'|no link or frame \"hand\""):
        arm.solve_tasks([posekit.Task.position("hand", [0, 0, 0])])
    with pytest.raises(PosekitError, match=r"tasks\[1\]: its level is 0"):
        arm.solve_tasks([task, task.at_level(0)])
    with pytest.raises(PosekitError, match="method"):
        arm.solve_tasks([task], method="magic")
    with pytest.raises(PosekitError, match="shape"):
        arm.solve_tasks([posekit.Task.position("tool0", [0, 0])])


def test_plot_draws_robots(arm: Robot) -> None:
    axes = arm.plot(arm.start, target=arm.forward(arm.spread(1)))
    # Three lines for each of two frames, and two for the mark of the target.
    assert len(axes.lines) == 8
    assert len(arm.plot(target=[0.4, 0.1, 0.3]).lines) == 5
    assert len(axes.collections) == 1
    assert len(arm.plot(np.array([arm.start, arm.spread(1)]), ax=axes).collections) == 3
    axes.figure.canvas.draw()


BALLS = """<robot name="arm">
  <link name="base"> <collision> <geometry> <sphere radius="0.2"/> </geometry> </collision> </link>
  <link name="upper"/>
  <link name="lower"> <collision> <origin xyz="0.5 0 0"/> <geometry> <sphere radius="0.1"/> </geometry> </collision> </link>
  <joint name="shoulder" type="continuous"> <parent link="base"/> <child link="upper"/> <axis xyz="0 0 1"/> </joint>
  <joint name="elbow" type="continuous"> <parent link="upper"/> <child link="lower"/> <origin xyz="0.5 0 0"/>
    <axis xyz="0 0 1"/> </joint> </robot>"""


def test_collisions_are_measured_and_avoided() -> None:
    robot = Robot.from_urdf(BALLS, offset=[0.5, 0, 0, 0, 0, 0, 1])
    assert robot.collision_pairs == [("base", "lower")]
    assert robot.collisions([0.0, 0.0]) == []
    (contact,) = robot.collisions([0.0, np.pi])
    assert contact.links == ("base", "lower")
    assert contact.distance == pytest.approx(-0.3)
    (near,) = robot.collisions([0.0, 0.0], margin=1.0)
    assert near.distance == pytest.approx(0.7)
    assert_allclose(np.linalg.norm(near.points[1] - near.points[0]), 0.7)
    tasks = [posekit.Task.clearance(0.01), posekit.Task.position("lower", [0, 0, 0], offset=np.eye(4)).at_level(2)]
    solution = robot.solve_tasks(tasks, start=[0.3, 1.0])
    assert solution.reached
    assert solution.misses.shape == (2, 2)
    assert robot.collisions(solution.q, margin=0.0099) == []


def test_meshes_are_found_beside_the_file(assets: Path) -> None:
    robot = Robot.from_urdf(assets / "mesh_robots" / "SO101" / "so101_new_calib.urdf", tip="gripper_frame_link")
    assert len(robot.collision_pairs) >= 5
