"""Compares what posekit reads from MJCF files with what MuJoCo makes of them.

    python compare.py PROGRAM FOLDER [FOLDER ...]

PROGRAM is posekit's example `mjcf_poses`. Of every MJCF file in the folders, compared are the poses
of all bodies and sites at qpos0, in the keyframes and in random configurations, besides the joints'
names, kinds and limits, the keyframes, the shapes that may collide, closed loops, and masses where
they do not come from meshes. A file that
one of the two refuses must be refused by the other too. `cargo xtask mjcf` makes the environment,
builds the program and calls this.
"""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np

# Relative to 1 m or the distance from the origin, whichever is larger; rotations absolute.
TOLERANCE = 1e-9
RANDOM_CONFIGURATIONS = 20
# What a body that moves must weigh in MuJoCo, where its meshes are gone.
LEAST_MASS = 1e-3
KINDS = {
    mujoco.mjtJoint.mjJNT_FREE: {"floating"},
    mujoco.mjtJoint.mjJNT_BALL: {"ball"},
    mujoco.mjtJoint.mjJNT_SLIDE: {"prismatic"},
    mujoco.mjtJoint.mjJNT_HINGE: {"revolute", "continuous"},
}


class Mismatch(Exception):
    """The two readers disagree."""


def main(program, folders):
    files = sorted(
        file for folder in folders for file in Path(folder).rglob("*.xml") if is_mjcf(file)
    )
    if not files:
        return "no MJCF files in " + ", ".join(folders)
    failures, refused, worst = 0, [], 0.0
    for file in files:
        try:
            error = compare(program, file)
        except Mismatch as mismatch:
            failures += 1
            print(f"FAILED: {mismatch}: {file}")
            continue
        if isinstance(error, str):
            refused.append(f"  {error}: {file}")
        else:
            worst = max(worst, error)
    compared = len(files) - failures - len(refused)
    print(f"{compared} files agree with MuJoCo {mujoco.__version__} to {worst:.1e}")
    if refused:
        print("\n".join([f"{len(refused)} files are refused by both:", *refused]))
    return f"{failures} of {len(files)} files differ" if failures else 0


def is_mjcf(file):
    return ElementTree.parse(file).getroot().tag not in ("package", "robot")


def compare(program, file):
    """The largest error, or why both refuse the file."""
    try:
        model, untouched = stripped(file)
    except ValueError as error:
        found, message = read(program, file, [])
        if found is not None:
            raise Mismatch(f"MuJoCo refuses what posekit reads ({first_line(error)})") from error
        return message
    configurations = [model.qpos0, *model.key_qpos, *random_configurations(model)]
    found, message = read(program, file, [qpos.tolist() for qpos in configurations])
    if found is None:
        raise Mismatch(f"posekit refuses what MuJoCo reads ({message})")
    compare_joints(model, found["joints"])
    compare_states(model, found["states"])
    compare_shapes(model, found["shapes"])
    compare_closures(model, found["closures"])
    compare_masses(model, untouched, found["links"])
    return compare_poses(model, found, configurations)


def stripped(file):
    """The model without what needs files that are not there (meshes, and pictures in textures), and
    the numbers of the bodies whose masses that leaves alone."""
    spec = mujoco.MjSpec.from_file(str(file))
    touched = set()
    for geom in list(spec.geoms):
        if geom.type == mujoco.mjtGeom.mjGEOM_MESH or geom.meshname:
            touched.add(geom.parent.name)
            spec.delete(geom)
    for mesh in list(spec.meshes):
        spec.delete(mesh)
    for texture in list(spec.textures):
        if texture.file or any(texture.cubefiles):
            for material in spec.materials:
                names = material.textures
                material.textures = ["" if name == texture.name else name for name in names]
            spec.delete(texture)
    # Bodies that MuJoCo would fuse with their parents are compared too.
    spec.compiler.fusestatic = False
    if touched:
        # Bodies whose mass came from meshes.
        spec.compiler.boundmass, spec.compiler.boundinertia = LEAST_MASS, 1e-6
    model = spec.compile()
    untouched = {b.id for b in spec.bodies if b.explicitinertial or b.name not in touched}
    return model, untouched


def random_configurations(model):
    random = np.random.default_rng(20260101)
    for _ in range(RANDOM_CONFIGURATIONS):
        qpos = model.qpos0.copy()
        for joint in range(model.njnt):
            at, kind = model.jnt_qposadr[joint], mujoco.mjtJoint(model.jnt_type[joint])
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                qpos[at : at + 3] = random.uniform(-2, 2, 3)
                at += 3
            if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
                quaternion = random.normal(size=4)
                qpos[at : at + 4] = quaternion / np.linalg.norm(quaternion)
            elif model.jnt_limited[joint]:
                qpos[at] = random.uniform(*model.jnt_range[joint])
            else:
                qpos[at] = random.uniform(-np.pi, np.pi)
        yield qpos


def read(program, file, configurations):
    """What posekit reads; or nothing, and its message."""
    run = subprocess.run(
        [program, str(file)], input=json.dumps(configurations), capture_output=True, text=True
    )
    if run.returncode == 0:
        return json.loads(run.stdout), ""
    if "panicked" in run.stderr:
        raise Mismatch(run.stderr.strip())
    return None, run.stderr.strip().splitlines()[-1]


def compare_joints(model, joints):
    if len(joints) != model.njnt:
        raise Mismatch(f"{len(joints)} joints, MuJoCo has {model.njnt}")
    for index, joint in enumerate(joints):
        name, kind = model.joint(index).name, mujoco.mjtJoint(model.jnt_type[index])
        if name and joint["name"] != name:
            raise Mismatch(f"joint {index} is {joint['name']}, MuJoCo's is {name}")
        if joint["kind"] not in KINDS[kind]:
            raise Mismatch(f"joint {joint['name']} is {joint['kind']}")
        if kind in (mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE):
            expected = model.jnt_range[index] if model.jnt_limited[index] else None
            compare_limit(joint, expected)


def compare_limit(joint, expected):
    limit = joint["limit"]
    is_same = limit is None if expected is None else limit and np.allclose(limit, expected, 1e-12)
    if not is_same:
        raise Mismatch(f"joint {joint['name']} has the limit {limit}, MuJoCo's is {expected}")


def compare_states(model, states):
    expected = [("qpos0", model.qpos0)]
    expected += [(model.key(k).name or f"key{k}", model.key_qpos[k]) for k in range(model.nkey)]
    names = [state["name"] for state in states]
    if names != [name for name, _ in expected]:
        raise Mismatch(f"the states are {names}")
    for state, (name, qpos) in zip(states, expected, strict=True):
        if not np.allclose(state["qpos"], qpos, rtol=1e-12, atol=1e-12):
            raise Mismatch(f"the state {name} differs: {state['qpos']}, MuJoCo's is {qpos}")


def compare_shapes(model, shapes):
    """The primitives that may collide; meshes were taken away, and height fields are not read."""
    masks = model.geom_contype | model.geom_conaffinity
    is_read = (masks != 0) & (model.geom_type != mujoco.mjtGeom.mjGEOM_HFIELD)
    geoms = np.flatnonzero(is_read)
    if len(shapes) != len(geoms):
        raise Mismatch(f"{len(shapes)} shapes, MuJoCo has {len(geoms)}")
    for shape, geom in zip(shapes, geoms, strict=True):
        kind = mujoco.mjtGeom(model.geom_type[geom]).name.removeprefix("mjGEOM_").lower()
        link, size = model.geom_bodyid[geom], model.geom_size[geom, : len(shape["size"])]
        matrix = np.zeros(9)
        mujoco.mju_quat2Mat(matrix, model.geom_quat[geom])
        error = pose_error(np.array(shape["pose"]), model.geom_pos[geom], matrix)
        is_same = (shape["kind"], shape["link"]) == (kind, link) and error <= TOLERANCE
        if not is_same or not np.allclose(shape["size"], size, rtol=1e-9):
            raise Mismatch(f"the shape {shape} is a {kind} of size {size} on body {link} in MuJoCo")


def compare_closures(model, closures):
    """Connects and welds, whose frames are on the bodies of the sites if they name sites."""
    active = (model.eq_active0 != 0) & np.isin(model.eq_type, (0, 1))
    equalities = np.flatnonzero(active)
    if len(closures) != len(equalities):
        raise Mismatch(f"{len(closures)} closed loops, MuJoCo has {len(equalities)}")
    for closure, equality in zip(closures, equalities, strict=True):
        is_weld = model.eq_type[equality] == mujoco.mjtEq.mjEQ_WELD
        links = [model.eq_obj1id[equality], model.eq_obj2id[equality]]
        first, second = (np.array(pose) for pose in closure["poses"])
        expected = [first[:3], second[:3]]
        if model.eq_objtype[equality] == mujoco.mjtObj.mjOBJ_SITE:
            expected = [model.site_pos[site] for site in links]
            links = [model.site_bodyid[site] for site in links]
        elif is_weld:
            expected = [model.eq_data[equality, 3:6], np.zeros(3)]
            compare_rotation(first[3:], model.eq_data[equality, 6:10])
        else:
            expected = [model.eq_data[equality, :3], model.eq_data[equality, 3:6]]
        if closure["links"] != links or closure["is_rigid"] != is_weld:
            raise Mismatch(f"the closed loop {closure} is on the bodies {links} in MuJoCo")
        if not np.allclose([first[:3], second[:3]], expected, atol=TOLERANCE):
            raise Mismatch(f"the closed loop {closure} is at {expected} in MuJoCo")


def compare_rotation(found, expected):
    if abs(np.dot(found, expected)) < 1 - TOLERANCE:
        raise Mismatch(f"a weld has the rotation {found}, MuJoCo's is {expected}")


def compare_masses(model, untouched, links):
    for index in range(1, model.nbody):
        name, mass = model.body(index).name, model.body_mass[index]
        if index not in untouched or mass in (0, LEAST_MASS):
            continue
        if not np.isclose(links[index]["mass"], mass, rtol=1e-9):
            raise Mismatch(f"{name} weighs {links[index]['mass']} kg, in MuJoCo {mass} kg")
        if not np.allclose(links[index]["center"], model.body_ipos[index], rtol=1e-9, atol=1e-9):
            raise Mismatch(f"{name} has its centre of mass at {links[index]['center']}")


def compare_poses(model, found, configurations):
    names = [link["name"] for link in found["links"]]
    if len(names) != model.nbody:
        raise Mismatch(f"{len(names)} bodies, MuJoCo has {model.nbody}")
    sites = [site for site in range(model.nsite) if model.site(site).name]
    if found["sites"] != [model.site(site).name for site in sites]:
        raise Mismatch(f"the sites are {found['sites']}")
    data, worst = mujoco.MjData(model), 0.0
    for poses, qpos in zip(found["poses"], configurations, strict=True):
        data.qpos = qpos
        mujoco.mj_kinematics(model, data)
        positions = np.concatenate([data.xpos, data.site_xpos[sites]])
        matrices = np.concatenate([data.xmat, data.site_xmat[sites]])
        for pose, position, matrix, name in zip(
            poses, positions, matrices, names + found["sites"], strict=True
        ):
            error = pose_error(np.array(pose), position, matrix)
            worst = max(worst, error)
            if error > TOLERANCE:
                raise Mismatch(f"{name} is off by {error:.1e} at qpos {qpos.tolist()}")
    for index, name in enumerate(names):
        if model.body(index).name and model.body(index).name != name:
            raise Mismatch(f"body {index} is {name}, MuJoCo's is {model.body(index).name}")
    return worst


def pose_error(pose, position, matrix):
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, pose[3:])
    distance = np.abs(pose[:3] - position).max() / max(1.0, np.abs(position).max())
    return max(distance, np.abs(rotation - matrix).max())


def first_line(error):
    return str(error).splitlines()[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
