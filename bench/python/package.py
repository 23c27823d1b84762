"""The Python package beside its peers, in one process and on the same targets.

    python bench/python/package.py ASSETS [--targets N]

Needs an environment with posekit; of the peers those are measured that are installed:
placo (steps), lerobot with placo (its `RobotKinematics`), ikpy and optik (cold solves). Cold
answers are verified by the kinematics of `kinematics.py`, which belong to none of them; steps take
turns. The median counts.
"""

import argparse
import gc
import importlib.util
import json
import sys
import types
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import perf_counter_ns

import numpy as np
import posekit
from kinematics import Robot as Judge
from kinematics import rotation_vector

# The hand of the arm, in front of its fingers.
TIP = "panda_hand_tcp"
TOLERANCE = 1e-5
ROUNDS = 5


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("assets", type=Path)
    parser.add_argument("--targets", type=int, default=500)
    parser.add_argument("--batch", type=int, default=100_000)
    arguments = parser.parse_args()
    urdf = arguments.assets / "urdf" / "panda.urdf"
    robot = posekit.Robot.from_urdf(urdf, tip=TIP)
    rows = [*overhead(robot), *cold(robot, urdf, arguments.targets), *steps(robot, urdf)]
    rows += lerobot(arguments.assets / "mesh_robots" / "SO101" / "so101_new_calib.urdf")
    for row in rows:
        print(json.dumps(row))
    print(json.dumps(batch(robot, arguments.batch)))


def problems(robot, n):
    """Targets that can be reached, and starts far from them."""
    q = np.array([robot.spread(2 * index) for index in range(n)])
    starts = np.array([robot.spread(2 * index + 1) for index in range(n)])
    return robot.forward(q), starts


def timed(call, *arguments):
    gc.disable()
    before = perf_counter_ns()
    answer = call(*arguments)
    after = perf_counter_ns()
    gc.enable()
    return answer, after - before


def overhead(robot):
    """What a call costs beside the solve: a single one whose start is its answer, and a row of a batch of them on one thread."""
    q = robot.spread(3)
    target = robot.forward(q)
    n = 20_000
    targets, starts = np.tile(target, (n, 1, 1)), np.tile(q, (n, 1))
    single, many = [], []
    for _ in range(ROUNDS):
        _, time = timed(lambda: [robot.solve(target, start=q, prefer="first") for _ in range(n)])
        single.append(time / n)
        _, time = timed(
            lambda: robot.solve_batch(targets, start=starts, prefer="first", threads=1)
        )
        many.append(time / n)
    return [
        {"what": "one solve at its answer", "ns": median(single)},
        {"what": "a row of a batch at its answer, one thread", "ns": median(many)},
    ]


def cold(robot, urdf, n):
    """Single solves from starts that are far away."""
    targets, starts = problems(robot, n)
    places = robot.arm_values
    judge = Judge(str(urdf), robot.arm_joints)
    lower, upper = robot.lower[places] - 1e-9, robot.upper[places] + 1e-9
    solvers = {
        "posekit, first": lambda T, q: robot.solve(T, start=q, prefer="first").q[places],
        "posekit, nearest": lambda T, q: robot.solve(T, start=q).q[places],
        **peers(urdf, places),
    }
    for name, solve in solvers.items():
        answers, times = [], []
        for target, start in zip(targets, starts, strict=True):
            answer, time = timed(solve, target, start)
            answers.append(answer)
            times.append(time)
        solved = sum(
            answer is not None
            and np.all((np.asarray(answer) >= lower) & (np.asarray(answer) <= upper))
            and off(judge, answer, target) <= TOLERANCE
            for answer, target in zip(answers, targets, strict=True)
        )
        yield {"what": f"cold: {name}", "ns": median(times), "solved": int(solved), "of": n}


def off(judge, q, target):
    """The larger of distance [m] and angle [rad] from a target."""
    pose = judge.frame(TIP, q)
    angle = np.linalg.norm(rotation_vector(pose[:3, :3].T @ target[:3, :3]))
    return max(float(np.linalg.norm(pose[:3, 3] - target[:3, 3])), float(angle))


def peers(urdf, places):
    """The peers that are installed and solve for poses.

    - `places`: where the joints of the arm are in a start
    """
    found = {}
    if importlib.util.find_spec("ikpy"):
        from ikpy.chain import Chain

        chain = Chain.from_urdf_file(str(urdf), base_elements=["panda_link0"])
        active = [link.joint_type != "fixed" for link in chain.links]
        chain.active_links_mask[:] = active
        moving = np.flatnonzero(active)

        def ikpy(target, start):
            q = np.zeros(len(active))
            q[moving] = start[places]
            return chain.inverse_kinematics_frame(
                target, initial_position=q, orientation_mode="all"
            )[moving]

        found["ikpy " + version("ikpy")] = ikpy
    if importlib.util.find_spec("optik"):
        import optik

        own = optik.Robot.from_urdf_file(str(urdf), "panda_link0", TIP)
        own.set_parallelism(1)
        config = optik.SolverConfig(tol_f=1e-12, max_time=0.2)

        def solve(target, start):
            answer = own.ik(config, target, list(start[places]))
            return None if answer is None else answer[0]

        found["optik " + version("optik-py")] = solve
    return found


def steps(robot, urdf):
    """One step of a servo loop along a circle: target in, joint values out."""
    q = robot.solve([0.5, 0.0, 0.4], np.diag([1.0, -1.0, -1.0])).q
    center = robot.forward(q)
    turns = np.linspace(0, 2 * np.pi, 1000, endpoint=False)
    targets = np.tile(center, (1000, 1, 1))
    targets[:, 1, 3] += 0.1 * np.sin(turns)
    targets[:, 2, 3] += 0.1 * (np.cos(turns) - 1)

    def own():
        value = q
        for target in targets:
            value = robot.step(value, target, dt=0.01).q
        return value[robot.arm_values]

    def servo():
        loop = robot.servo(q, dt=0.01)
        for target in targets:
            value = loop.step(target)
        return value[robot.arm_values]

    loops = {"posekit, Servo": servo, "posekit, Robot.step": own}
    if importlib.util.find_spec("placo"):
        loops["placo " + version("placo")] = placo_loop(
            urdf, robot.arm_joints, q[robot.arm_values], targets
        )
    times = {name: [] for name in loops}
    ends = {}
    for _ in range(ROUNDS):
        for name, loop in loops.items():
            ends[name], time = timed(loop)
            times[name].append(time / len(targets))
    for name, of in times.items():
        end = q.copy()
        end[robot.arm_values] = ends[name]
        error = np.linalg.norm(robot.forward(end)[:3, 3] - targets[-1][:3, 3])
        yield {"what": f"step: {name}", "ns": median(of), "behind_m": float(error)}


def placo_loop(urdf, joints, start, targets):
    import placo

    reduced = Judge(str(urdf), joints).reduced_urdf()
    wrapper = placo.RobotWrapper("", placo.Flags.ignore_collisions, reduced)
    solver = placo.KinematicsSolver(wrapper)
    solver.mask_fbase(True)
    solver.enable_joint_limits(True)
    task = solver.add_frame_task(TIP, np.eye(4))
    task.configure(TIP, "soft", 1.0, 1.0)

    def loop():
        for name, value in zip(joints, start, strict=True):
            wrapper.set_joint(name, value)
        wrapper.update_kinematics()
        for target in targets:
            task.T_world_frame = target
            solver.solve(True)
            wrapper.update_kinematics()
        return np.array([wrapper.get_joint(name) for name in joints])

    return loop


def lerobot(urdf):
    """LeRobot's `RobotKinematics` and posekit's, on the SO-101: one call, and where it leaves the tool."""
    names = ["shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll"]
    classes = {"posekit": posekit.RobotKinematics}
    spec = importlib.util.find_spec("lerobot")
    if spec is not None and importlib.util.find_spec("placo"):
        # The rest of that package needs PyTorch; this file needs only placo.
        path = Path(next(iter(spec.submodule_search_locations))) / "model" / "kinematics.py"
        module = types.ModuleType("lerobot_kinematics")
        exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
        classes["lerobot " + version("lerobot")] = module.RobotKinematics
    rng = np.random.default_rng(6)
    poses = rng.uniform(-40, 40, (300, 5))
    starts = poses + rng.uniform(-5, 5, poses.shape)
    judge = posekit.RobotKinematics(urdf, "gripper_frame_link", names)
    targets = [judge.forward_kinematics(pose) for pose in poses]
    for name, kind in classes.items():
        kinematics = kind(str(urdf), "gripper_frame_link", names)
        times, misses = [], []
        for target, start in zip(targets, starts, strict=True):
            joints, time = timed(kinematics.inverse_kinematics, start, target)
            times.append(time)
            found = judge.forward_kinematics(joints)
            misses.append(float(np.linalg.norm(found[:3, 3] - target[:3, 3])))
        yield {"what": f"SO-101, one call: {name}", "ns": median(times), "miss_m": median(misses)}


def batch(robot, n):
    """Many targets: what the example `batch` of posekit-py measures in Rust."""
    targets, _ = problems(robot, n)
    times = {}
    for threads in (1, None):
        for prefer in ("first", "nearest"):
            _, time = timed(lambda: robot.solve_batch(targets, prefer=prefer, threads=threads))
            times[f"{prefer}, {threads or 'all'} threads"] = time / n
    return {"what": f"batch of {n}", "ns_per_target": times}


if __name__ == "__main__":
    sys.exit(main())
