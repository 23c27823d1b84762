"""Motions, chains, limbs, problem files, and the table of cases."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import posekit
from posekit import Chain, Clip, PosekitError, Robot, Status, UnsuitedError


@pytest.fixture(scope="module")
def walk(root: Path) -> Clip:
    return Clip.read(root / "testdata" / "clips" / "walk.bvh")


def test_a_clip_is_arrays(walk: Clip) -> None:
    assert walk.values.shape == (walk.n_frames, sum(joint.size for joint in walk.joints))
    assert walk.times.shape == (walk.n_frames,)
    assert walk.duration == pytest.approx(walk.times[-1] - walk.times[0])
    assert walk.positions().shape == (walk.n_frames, len(walk.joint_names), 3)
    assert_array_equal(walk.poses()[:, :, :3, 3], walk.positions())
    assert len(walk.parents) == len(walk.joint_names)
    assert walk.parents[0] == -1
    assert_allclose(np.linalg.norm(walk.up), 1)


def test_a_clip_without_edits_is_the_file(walk: Clip, root: Path) -> None:
    assert walk.encode() == (root / "testdata" / "clips" / "walk.bvh").read_bytes()


def test_cleaned_feet_stand(walk: Clip) -> None:
    cleaned = walk.clean()
    assert cleaned.plants
    assert {plant.verdict for plant in cleaned.plants} <= {"fixed", "clean", "released", "unreachable", "skipped"}
    assert cleaned.after["drift_median"] <= cleaned.before["drift_median"]
    assert cleaned.clip.n_frames == walk.n_frames
    again = cleaned.clip.clean()
    assert np.abs(again.clip.values - cleaned.clip.values).mean() < 1e-2
    assert walk.clean(strength=0.0).clip.encode() == walk.encode()
    assert walk.check().measures["drift_median"] == cleaned.before["drift_median"]


def test_times_that_are_kept_stay(walk: Clip) -> None:
    end = walk.times[walk.n_frames // 3]
    cleaned = walk.clean(keep=[(0.0, end)])
    kept = walk.times <= end
    assert_array_equal(cleaned.clip.values[kept], walk.values[kept])


def test_a_pinned_hand_stays(walk: Clip) -> None:
    hand = next(name for name in walk.joint_names if "hand" in name.lower() or "wrist" in name.lower())
    begin, end = walk.times[10], walk.times[14]
    pinned = walk.pin(hand, begin, end)
    index = walk.joint_names.index(hand)
    held = pinned.clip.positions()[10:15, index]
    if not pinned.missed:
        assert np.abs(held - held[0]).max() < 1e-3 * np.ptp(walk.positions())
    assert pinned.changed


def test_a_hand_that_is_on_the_hips_goes_with_them(walk: Clip) -> None:
    hand = next(name for name in walk.joint_names if "hand" in name.lower() or "wrist" in name.lower())
    begin, end = walk.times[10], walk.times[20]
    pinned = walk.pin(hand, begin, end, on=walk.joint_names[0])
    index = walk.joint_names.index(hand)
    poses = pinned.clip.poses()[10:21]
    seen = np.linalg.inv(poses[:, 0]) @ poses[:, index]
    assert not pinned.missed
    assert np.abs(seen[:, :3, 3] - seen[0, :3, 3]).max() < 1e-4 * np.ptp(walk.positions())
    with pytest.raises(PosekitError, match="no joint"):
        walk.pin(hand, begin, end, on="a door")


def test_ends_that_are_kept_stay(walk: Clip) -> None:
    cleaned = walk.clean(keep_ends=True).clip.values
    for ends in (slice(None, 2), slice(-2, None)):
        assert_array_equal(cleaned[ends], walk.values[ends])


def test_retimed_clips(walk: Clip, tmp_path: Path) -> None:
    slow = walk.retime(speed=0.5)
    assert slow.duration == pytest.approx(2 * walk.duration, rel=0.05)
    assert slow.fps == pytest.approx(walk.fps)
    fine = walk.retime(fps=2 * walk.fps, smooth=True)
    assert fine.n_frames == pytest.approx(2 * walk.n_frames, abs=2)
    assert walk.retime(duration=1.0).duration == pytest.approx(1.0, abs=walk.frame_time)
    slow.write(tmp_path / "slow.bvh")
    assert Clip.read(tmp_path / "slow.bvh").n_frames == slow.n_frames
    with pytest.raises(PosekitError, match="not both"):
        walk.retime(speed=2, duration=1)


def test_writing_and_reading_again(walk: Clip, tmp_path: Path) -> None:
    values = walk.values
    values[:, 1] += 1.0
    edited = walk.with_values(values)
    for name in ("edited.bvh", "edited.glb"):
        edited.write(tmp_path / name)
        back = Clip.read(tmp_path / name)
        assert back.n_frames == walk.n_frames
        moved = back.positions()[:, 0] - edited.positions()[:, 0]
        scale = np.ptp(walk.positions())
        assert np.abs(moved).max() < scale or name.endswith("glb")
        with pytest.raises(FileExistsError):
            edited.write(tmp_path / name)
        edited.write(tmp_path / name, overwrite=True)
    assert not list(tmp_path.glob("*.tmp"))
    with pytest.raises(PosekitError, match="shape"):
        walk.with_values(values[:, :-1])
    with pytest.raises(PosekitError, match=r"values\[2, 0\] is nan"):
        walk.with_values(np.where(np.arange(len(values))[:, None] == 2, np.nan, values))


def test_clips_pickle(walk: Clip) -> None:
    edited = walk.retime(speed=2.0)
    copy = pickle.loads(pickle.dumps(edited))
    assert_array_equal(copy.values, edited.values)
    assert copy.encode() == edited.encode()


def test_gltf_motions(assets: Path) -> None:
    path = next(path for path in sorted((assets / "gltf").rglob("*.glb")) if "Fox" in path.name)
    with pytest.raises(UnsuitedError, match="name one as index="):
        Clip.read(path)
    clip = Clip.read(path, index=1)
    assert clip.name == "Walk"
    assert clip.encode() == path.read_bytes()
    assert clip.positions().shape[2] == 3


def test_chains_reach() -> None:
    points = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]])
    chain = Chain(points)
    for method in ("auto", "direct", "fabrik", "relaxation"):
        solution = chain.solve([1.0, 1.5, 0.3], method=method)
        assert solution.reached, method
        assert_allclose(np.linalg.norm(np.diff(solution.points, axis=0), axis=1), 1, atol=1e-9)
    far = chain.solve([9.0, 0, 0])
    assert far.status is Status.UNREACHABLE
    assert far.shortfall == pytest.approx(6.0)
    with pytest.raises(PosekitError):
        Chain(np.zeros(3))


def test_limbs_in_rows() -> None:
    rng = np.random.default_rng(1)
    start, mid, end = rng.normal(size=(3, 50, 3))
    # Between as near and as far as the two bones let the end go.
    bones = np.linalg.norm([mid - start, end - mid], axis=2)
    distance = np.abs(bones[0] - bones[1]) + 0.4 * (2 * bones.min(axis=0))
    target = start + distance[:, None] * (end - start) / np.linalg.norm(end - start, axis=1)[:, None]
    limbs = posekit.two_bone(start, mid, end, target)
    assert limbs.error.max() < 1e-9
    one = posekit.two_bone(start[3], mid[3], end[3], target[3])
    assert_array_equal(one.mid, limbs.mid[3])
    assert isinstance(one.error, float)
    pole = posekit.two_bone([0, 0, 0], [0, -1, 0.1], [0, -2, 0], [0, -1.5, 0], pole=[0, -1, 5])
    assert pole.mid[2] > 0.1
    with pytest.raises(PosekitError, match="mid: the shape"):
        posekit.two_bone(start, mid[:4], end, target)


def test_aim_points_forward() -> None:
    correction = posekit.aim([0, 0, 0], [0, 0, 0, 1], [3.0, 0, 0])
    assert_allclose(np.abs(correction), np.abs([0, np.sqrt(0.5), 0, np.sqrt(0.5)]), atol=1e-9)
    assert posekit.aim(np.zeros((4, 3)), np.tile([0.0, 0, 0, 1], (4, 1)), np.ones((4, 3))).shape == (4, 4)


def test_the_table_of_cases_has_the_digest_of_the_repository(root: Path) -> None:
    folder = root / "testdata" / "cases"
    digest = posekit.Digest()
    names = posekit.case_names((folder / "index.json").read_text())
    for name in names:
        digest.add(name, (folder / f"{name}.json").read_text())
    assert len(names) > 30
    assert digest.value() == (root / "testdata" / "digest.txt").read_text().strip()


def test_problem_files_give_what_the_command_gives(root: Path, command: Path) -> None:
    for name in ("plane-limits-knees", "space-hinges", "points-four"):
        path = root / "testdata" / "cases" / f"{name}.json"
        own = json.loads(posekit.solve_json(path.read_text()))
        arguments = [command, "solve", path, "--format", "json"]
        theirs = json.loads(subprocess.run(arguments, check=True, capture_output=True).stdout)
        assert own == theirs


def test_arms_have_the_bits_of_the_command(root: Path, command: Path, arm: Robot, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    places = rng.uniform([-0.5, -0.5, 0.1], [0.5, 0.5, 0.6], (40, 3))
    # Of unit length to the last bit, so that it does not matter how often they are brought to it.
    turns = np.where(
        np.arange(40)[:, None] % 2, 0.5 * rng.choice([-1.0, 1.0], (40, 4)), np.eye(4)[rng.integers(0, 4, 40)]
    )
    targets = np.concatenate([places, turns], axis=1)
    table = tmp_path / "targets.csv"
    lines = ["x,y,z,qx,qy,qz,qw", *(",".join(map(repr, map(float, row))) for row in targets)]
    table.write_text("\n".join(lines) + "\n")
    out = tmp_path / "answers.csv"
    arguments = [command, "solve", root / "testdata" / "arm6.urdf", "--tip", "tool0", "--targets", table, "--nearest"]
    subprocess.run([*arguments, "-o", out], check=True, capture_output=True)
    header, *rows = (line.split(",") for line in out.read_text().splitlines() if not line.startswith("#"))
    columns = [header.index(name) for name in arm.joint_names]
    theirs = np.array([[float(row[column]) for column in columns] for row in rows])
    own = arm.solve_batch(targets)
    assert own.reached.any()
    assert_array_equal(own.q[own.reached], theirs[own.reached])


def test_lerobot_drop_in(assets: Path) -> None:
    urdf = assets / "mesh_robots" / "SO101" / "so101_new_calib.urdf"
    names = ["shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll"]
    kinematics = posekit.RobotKinematics(urdf, "gripper_frame_link", names)
    there = np.array([20.0, -30.0, 40.0, 25.0, 10.0, 7.0])
    pose = kinematics.forward_kinematics(there)
    assert pose.shape == (4, 4)
    start = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 55.0])
    found = kinematics.inverse_kinematics(start, pose)
    assert found.shape == (6,)
    assert found[5] == 55.0
    assert_allclose(kinematics.forward_kinematics(found), pose, atol=1e-4)
    # Five joints do not reach every pose: then position counts a hundred times as much as orientation.
    tilted = pose.copy()
    tilted[:3, :3] = pose[:3, :3] @ np.array([[0.96, 0, 0.28], [0, 1, 0], [-0.28, 0, 0.96]])
    traded = kinematics.forward_kinematics(kinematics.inverse_kinematics(start, tilted))
    assert np.linalg.norm(traded[:3, 3] - tilted[:3, 3]) < 0.01
    only = kinematics.forward_kinematics(kinematics.inverse_kinematics(start, tilted, orientation_weight=0.0))
    assert np.linalg.norm(only[:3, 3] - tilted[:3, 3]) < 1e-5
    with pytest.raises(ValueError, match="no joint"):
        posekit.RobotKinematics(urdf, "gripper_frame_link", ["nose"])
    assert sys.modules.get("placo") is None
