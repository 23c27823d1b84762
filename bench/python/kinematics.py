"""Forward kinematics of a URDF, and URDFs reduced to joints, in numpy: the judge of every peer.

Poses are 4 x 4 matrices `world_from_frame`. Quaternions are x, y, z, w. Metres and radians.
"""

import xml.etree.ElementTree as ElementTree

import numpy as np

MOVING = ("revolute", "continuous", "prismatic")
# What no solver of a differential step reads. `safety_controller` has limits of its own, and one
# reader takes them for the joint's.
IGNORED = (
    "visual",
    "collision",
    "safety_controller",
    "mimic",
    "dynamics",
    "transmission",
    "gazebo",
)


def axis_rotation(axis, angle):
    """The 3 x 3 rotation about a unit axis (Rodrigues' formula)."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross


def rotation_vector(rotation):
    """The rotation vector of a 3 x 3 rotation, accurate near zero; near a half turn only its length is."""
    skew = 0.5 * np.array(
        [
            rotation[2, 1] - rotation[1, 2],
            rotation[0, 2] - rotation[2, 0],
            rotation[1, 0] - rotation[0, 1],
        ]
    )
    sine = np.linalg.norm(skew)
    angle = np.arctan2(sine, 0.5 * (np.trace(rotation) - 1.0))
    if sine > 0.0:
        return skew * (angle / sine)
    return np.array([angle, 0.0, 0.0])


def quaternion_from_rotation(rotation):
    """x, y, z, w of a 3 x 3 rotation, from the largest of the four candidates (Shepperd's method)."""
    trace = np.trace(rotation)
    diagonal = np.diag(rotation)
    largest = int(np.argmax([*diagonal, trace]))
    if largest == 3:
        quaternion = np.array(
            [
                rotation[2, 1] - rotation[1, 2],
                rotation[0, 2] - rotation[2, 0],
                rotation[1, 0] - rotation[0, 1],
                1.0 + trace,
            ]
        )
    else:
        i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
        quaternion = np.empty(4)
        quaternion[i] = 1.0 + rotation[i, i] - rotation[j, j] - rotation[k, k]
        quaternion[j] = rotation[j, i] + rotation[i, j]
        quaternion[k] = rotation[k, i] + rotation[i, k]
        quaternion[3] = rotation[k, j] - rotation[j, k]
    return quaternion / np.linalg.norm(quaternion)


def rotation_from_quaternion(quaternion):
    """The 3 x 3 rotation of x, y, z, w."""
    x, y, z, w = np.asarray(quaternion) / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def pose_matrix(position, rotation):
    """The 4 x 4 matrix of a position and a 3 x 3 rotation."""
    matrix = np.eye(4)
    matrix[:3, :3] = rotation
    matrix[:3, 3] = position
    return matrix


def pose_from_list(values):
    """The 4 x 4 matrix of x, y, z, qx, qy, qz, qw."""
    return pose_matrix(values[:3], rotation_from_quaternion(values[3:]))


def list_from_pose(matrix):
    """x, y, z, qx, qy, qz, qw of a 4 x 4 matrix."""
    return [*matrix[:3, 3], *quaternion_from_rotation(matrix[:3, :3])]


class Robot:
    """The joints of a URDF. Those in `joints` move, in that order; every other one stays at zero."""

    def __init__(self, path, joints):
        self.tree = ElementTree.parse(path).getroot()
        self.joints = list(joints)
        self._by_child = {}
        self.limits = {}
        for joint in self.tree.findall("joint"):
            name = joint.get("name")
            parent = joint.find("parent").get("link")
            self._by_child[joint.find("child").get("link")] = (
                name,
                parent,
                _origin(joint.find("origin")),
                joint.get("type"),
                _axis(joint.find("axis")),
            )
            limit = joint.find("limit")
            if name in self.joints:
                if joint.get("type") not in MOVING:
                    raise ValueError(f"joint {name} does not move")
                continuous = joint.get("type") == "continuous"
                self.limits[name] = (
                    -np.inf if continuous else float(limit.get("lower")),
                    np.inf if continuous else float(limit.get("upper")),
                )
        missing = set(self.joints) - set(self.limits)
        if missing:
            raise ValueError(f"{path} has no joint {sorted(missing)}")
        links = {link.get("name") for link in self.tree.findall("link")}
        (self.root,) = links - set(self._by_child)

    def frame(self, name, q, world_from_root=None):
        """`world_from_frame` of a link at the joint values `q`."""
        values = dict(zip(self.joints, q, strict=True))
        pose = np.eye(4)
        while name != self.root:
            joint, name, parent_from_joint, kind, axis = self._by_child[name]
            value = values.get(joint, 0.0)
            motion = np.eye(4)
            if kind == "prismatic":
                motion[:3, 3] = axis * value
            elif kind in MOVING:
                motion[:3, :3] = axis_rotation(axis, value)
            pose = parent_from_joint @ motion @ pose
        return pose if world_from_root is None else world_from_root @ pose

    def axes(self, name):
        """Axes of the joints that move a link, and points on them, in the root with joints at zero."""
        path = []
        while name != self.root:
            path.append(self._by_child[name])
            name = path[-1][1]
        pose, directions, points = np.eye(4), [], []
        for joint, _, parent_from_joint, _, axis in reversed(path):
            pose = pose @ parent_from_joint
            if joint in self.joints:
                directions.append(pose[:3, :3] @ axis)
                points.append(pose[:3, 3])
        return directions, points

    def reduced_urdf(self, extra=(), root_joint=None):
        """The URDF as text with nothing but joints and masses; joints that stay are fixed.

        `extra` are elements to put first; `root_joint`, a type of joint, adds a link `world` and a
        joint from it to the root.
        """
        root = ElementTree.Element("robot", name="robot")
        root.extend(extra)
        for element in self.tree:
            if element.tag not in ("link", "joint"):
                continue
            copy = ElementTree.SubElement(root, element.tag, dict(element.attrib))
            copy.extend(child for child in element if child.tag not in IGNORED)
            if element.tag == "joint" and element.get("name") not in self.joints:
                copy.set("type", "fixed")
        if root_joint is not None:
            ElementTree.SubElement(root, "link", name="world")
            joint = ElementTree.SubElement(root, "joint", name="root_joint", type=root_joint)
            ElementTree.SubElement(joint, "parent", link="world")
            ElementTree.SubElement(joint, "child", link=self.root)
        return ElementTree.tostring(root, encoding="unicode")


def _origin(element):
    """The 4 x 4 matrix of an `<origin>`: fixed-axis roll, pitch, yaw after the shift."""
    xyz = _numbers(element, "xyz", "0 0 0")
    roll, pitch, yaw = _numbers(element, "rpy", "0 0 0")
    x, y, z = np.eye(3)
    rotation = axis_rotation(z, yaw) @ axis_rotation(y, pitch) @ axis_rotation(x, roll)
    return pose_matrix(xyz, rotation)


def _axis(element):
    axis = _numbers(element, "xyz", "1 0 0")
    return axis / np.linalg.norm(axis)


def _numbers(element, attribute, default):
    text = default if element is None else element.get(attribute, default)
    return np.array([float(word) for word in text.split()])
