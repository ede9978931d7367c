"""The same model in Pinocchio: here, and only here, the two conventions are mapped to each other.

Pinocchio puts the linear part of a spatial vector first and the scalar of a quaternion last; a free joint has
q = (position, quaternion); a planar joint moves in x and y with q = (x, y, cos, sin). Both measure twists of joints in
body axes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import rbdkit as rbd
from rbdkit.joints import JointType
from rbdkit.joints.axis import plane_basis
from rbdkit.library import random_tree
from rbdkit.library.random_tree import joint_gallery
from rbdkit.model import Joint, Model
from rbdkit.spatial import se3

ROBOTS = {
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "talos": "talos_data/robots/talos_full_v2.urdf",
}
ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]  # swaps the halves of a spatial vector, both ways


class Twin:
    """A model and its double in Pinocchio, with the maps between their coordinates."""

    def __init__(self, model: Model, other: pin.Model) -> None:
        self.model, self.other, self.data = model, other, other.createData()
        other.gravity.linear = model.gravity
        self.joints = [joint for joint in model.joints if joint.nv > 0]
        self.order = np.concatenate([self._places(joint) for joint in self.joints])  # v of ours = v of theirs [order]
        other.armature = self.v(np.concatenate([joint.armature for joint in self.joints]))

    def _places(self, joint: Joint) -> np.ndarray:
        index = self.other.getJointId(joint.name)
        start, nv = self.other.joints[index].idx_v, self.other.joints[index].nv
        assert nv == joint.nv
        order = {"free": [3, 4, 5, 0, 1, 2], "planar": [2, 0, 1]}.get(joint.type.kind, list(range(nv)))
        return start + np.array(order)

    def q(self, q: np.ndarray) -> np.ndarray:
        theirs = np.empty(self.other.nq)
        for joint in self.joints:
            place = self.other.joints[self.other.getJointId(joint.name)]
            theirs[place.idx_q : place.idx_q + place.nq] = to_theirs(joint.type, q[joint.q_slice], place.nq)
        return theirs

    def v(self, v: np.ndarray) -> np.ndarray:
        """Joint velocities, accelerations or forces."""
        theirs = np.empty(self.other.nv)
        theirs[self.order] = v
        return theirs

    def back(self, theirs: np.ndarray) -> np.ndarray:
        return theirs[self.order]

    def matrix_back(self, H: np.ndarray) -> np.ndarray:
        return H[np.ix_(self.order, self.order)]

    def jacobian_back(self, J: np.ndarray) -> np.ndarray:
        return J[np.ix_(ANGULAR_FIRST, self.order)]

    def frame(self, name: str) -> int:
        return self.other.getFrameId(name)


def to_theirs(kind: JointType, q: np.ndarray, nq: int) -> np.ndarray:
    if kind.kind in ("free", "spherical"):
        quaternion, position = np.roll(q[:4], -1), q[4:]
        if kind.kind == "free" and kind.translation == "successor":
            position = pin.Quaternion(quaternion).matrix() @ position
        return np.concatenate([position, quaternion])
    if kind.kind == "planar":
        c, s, (x, y) = np.cos(q[0]), np.sin(q[0]), q[1:]
        return np.array([x, y, c, s] if kind.translation == "predecessor" else [c * x - s * y, s * x + c * y, c, s])
    if len(q) == 1 and nq == 2:  # a revolute joint without limits
        return np.array([np.cos(q[0]), np.sin(q[0])])
    return q


def build(model: Model) -> pin.Model:
    """The model built joint by joint; every body becomes a frame of its name.

    Pinocchio's inertia matrix leaves entries out if the joints of a subtree do not stand together: so depth first.
    """
    other = pin.Model()
    place = {0: (0, pin.SE3.Identity())}  # number of the carrying joint there, pose of the body in it
    for body in sorted(model.bodies[1:], key=lambda body: model.support(body.index)):
        joint, (carrier, at) = body.joint, place[body.parent]
        at = at * pin.SE3(joint.placement)
        if joint.nv > 0:
            kind, before, after = their_joint(joint.type)
            index = other.addJoint(carrier, kind, at * before, joint.name)
            carrier, at = index, after
        place[body.index] = (carrier, at)
        if body.inertia is not None:
            inertia = pin.Inertia(body.inertia.mass, body.inertia.com, body.inertia.inertia_com)
            other.appendBodyToJoint(carrier, inertia, at)
        other.addFrame(pin.Frame(body.name, carrier, at, pin.FrameType.OP_FRAME))
    return other


def their_joint(kind: JointType) -> tuple[pin.JointModel, pin.SE3, pin.SE3]:
    """Their joint, and the constant poses before and after it."""
    one = pin.SE3.Identity()
    if kind.kind == "planar":  # theirs is normal to z
        turn = pin.SE3(plane_basis(kind.axis), np.zeros(3))
        return pin.JointModelPlanar(), turn, turn.inverse()
    if kind.kind in ("cylindrical", "universal"):
        chain = pin.JointModelComposite(2)
        if kind.kind == "cylindrical":
            parts = [pin.JointModelRevoluteUnaligned(kind.axis), pin.JointModelPrismaticUnaligned(kind.axis)]
        else:
            parts = [pin.JointModelRevoluteUnaligned(kind.axis1), pin.JointModelRevoluteUnaligned(kind.axis2)]
        for part in parts:
            chain.addJoint(part, one)
        return chain, one, one
    simple = {
        "revolute": lambda: pin.JointModelRevoluteUnaligned(kind.axis),
        "prismatic": lambda: pin.JointModelPrismaticUnaligned(kind.axis),
        "helical": lambda: pin.JointModelHelicalUnaligned(kind.axis, kind.pitch),
        "spherical": pin.JointModelSpherical,
        "euler_spherical": pin.JointModelSphericalZYX,
        "free": pin.JointModelFreeFlyer,
    }
    return simple[kind.kind](), one, one


def robot_file(name: str) -> Path:
    return Path(sys.prefix, "lib", f"python3.{sys.version_info.minor}", "site-packages", "cmeel.prefix", "share",
                "example-robot-data", "robots", ROBOTS[name])  # fmt: skip


@pytest.fixture(scope="session")
def tree_twin():
    """Random tree number seed, without reversed joints, and its double."""

    def make(seed: int, bodies: int = 20) -> Twin:
        gallery = joint_gallery(np.random.default_rng(seed))
        model = random_tree(seed, bodies, [kind for kind in gallery if kind.kind != "reversed"])
        return Twin(model, build(model))

    return make


@pytest.fixture(scope="session")
def robot_twin():
    """A robot of example-robot-data, read by both."""
    made: dict[str, Twin] = {}

    def make(name: str) -> Twin:
        if name not in made:
            file = robot_file(name)
            made[name] = Twin(rbd.load(file, mimic=False), pin.buildModelFromUrdf(str(file)))
        return made[name]

    return make


@pytest.fixture(scope="session")
def twin_of():
    """The double of any tree without reversed, prescribed and mimic joints."""
    return lambda model: Twin(model, build(model))


@pytest.fixture(scope="session")
def off():
    """Largest deviation, relative to the largest number expected or to a larger one of which it is a difference."""

    def deviation(found, expected, scale: float = 0.0) -> float:
        found, expected = np.asarray(found), np.asarray(expected)
        assert found.shape == expected.shape
        scale = max(np.max(np.abs(expected), initial=0.0), scale)
        return float(np.max(np.abs(found - expected), initial=0.0)) / (scale if scale > 0.0 else 1.0)

    return deviation


@pytest.fixture(scope="session")
def mimicking():
    """A model with geared joints that follow others, and the same one with every joint free.

    Returns the two models, the matrix G with (v of the free one) = G v, and the function from q to the free one's q.
    H of the first is G^T H G of the second.
    """
    rng = np.random.default_rng(8)
    kinds = {"a": rbd.Revolute("y"), "b": rbd.Prismatic("x"), "c": rbd.Helical("z", pitch=0.2), "d": rbd.Revolute("x")}
    parents = {"a": "world", "b": "a", "c": "b", "d": "a"}
    following = {"c": rbd.Mimic("a_joint", -1.5, 0.3), "d": rbd.Mimic("b_joint", 2.0, -0.1)}
    coupled, independent = rbd.Model("coupled"), rbd.Model("independent")
    for name, kind in kinds.items():
        inertia = rbd.Inertia.box(rng.uniform(0.1, 0.3, 3), mass=1.0).transformed(se3.random(rng))
        numbers = {name: rng.uniform(0.5, 1.0) for name in ("armature", "damping", "stiffness", "rest")}
        where = se3.random(rng)
        independent.add_body(name, parents[name], kind, where, inertia, **numbers)
        coupled.add_body(name, parents[name], kind, where, inertia, mimic=following.get(name), **numbers)
    G = np.array([[1.0, 0.0], [0.0, 1.0], [-1.5, 0.0], [0.0, 2.0]])
    return coupled, independent, G, lambda q: G @ q + np.array([0.0, 0.0, 0.3, -0.1])
