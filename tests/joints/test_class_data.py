"""What there is to say of a joint type is said in its class, and every list of them is made from it."""

import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import rbdkit
from rbdkit import joints
from rbdkit.drafting import KINDS
from rbdkit.formats.json.joints import KINDS as IN_FILES
from rbdkit.joints import TYPES, Helical, JointType, RackAndPinion, SplineCurve, SplineSurface, Universal


def test_no_joint_type_is_missing_in_the_list_of_them():
    classes = {cls for cls in vars(joints).values() if inspect.isclass(cls) and issubclass(cls, JointType)}
    assert set(TYPES) == {cls for cls in classes if not inspect.isabstract(cls)} and len(set(TYPES)) == len(TYPES)
    assert len({cls.kind for cls in TYPES}) == len(TYPES)
    assert {cls.__name__ for cls in TYPES} <= set(joints.__all__) and {cls.__name__ for cls in TYPES} <= set(
        dir(rbdkit)
    )
    assert set(IN_FILES) == {cls.kind for cls in TYPES} - {"prescribed"}
    assert set(KINDS) == {cls.kind for cls in TYPES} - {"prescribed", "reversed"}


def test_arguments_rebuild_a_joint(joint):
    assert set(joint.arguments) == set(joint.parameters())
    assert type(joint)(**joint.parameters()) == joint
    if joint.numbers:
        changed = joint.with_numbers({name: value + 0.5 for name, value in joint.numbers.items()})
        assert changed.numbers == {name: value + 0.5 for name, value in joint.numbers.items()}


def test_what_is_said_to_be_constant_is(joint, rng):
    for said, of in ((joint.constant_S, joint.motion_subspace), (joint.constant_T, joint.constraint_subspace)):
        if said:
            assert_array_equal(of(joint.random(rng)), of(joint.random(rng)))
    own = type("Own", (type(joint),), {})
    assert not own.constant_S and not own.constant_T and own.pieces is JointType.pieces


def test_parts_span_what_the_freedoms_span(joint, rng):
    q = joint.random(rng)
    P, G = joint.parts(q)
    assert_allclose(P @ G, joint.motion_subspace(q), atol=1e-15)
    stages = joint.stages()
    if isinstance(joint, SplineCurve | SplineSurface):  # their axes stand still in no frame
        assert stages is None
        return
    assert sorted(k for stage in stages for k in stage.freedoms) == list(range(P.shape[1]))


def test_the_velocity_product_by_differences_is_the_one_of_the_class(joint, rng):
    """h = 5e-3, order 6: truncation and rounding are below 1e-11."""
    if type(joint).velocity_product is JointType.velocity_product:
        return
    q, v = joint.random(rng), rng.normal(size=joint.nv)
    assert_allclose(JointType.velocity_product(joint, q, v), joint.velocity_product(q, v), atol=1e-11)


def test_what_a_class_need_not_say(joint, rng):
    """T from S, and coordinates from a pose that is not far: those of the class, as subspace and as pose."""
    q = joint.integrate(joint.neutral(), 0.4 * rng.uniform(-1.0, 1.0, joint.nv))
    S, T, own = joint.motion_subspace(q), JointType.constraint_subspace(joint, q), joint.constraint_subspace(q)
    assert_allclose(T.T @ S, np.zeros((6 - joint.nv, joint.nv)), atol=1e-14)
    assert_allclose(T @ (T.T @ own), own, atol=1e-14)
    assert_allclose(joint.pose(JointType.project(joint, joint.pose(q))), joint.pose(q), atol=1e-11)


def test_the_velocity_of_a_stack_of_states(joint, rng):
    """S is for one state: where it varies, a class that does not say its velocity is asked state by state."""
    q = np.array([joint.random(rng) for _ in range(3)])
    v = rng.normal(size=(3, joint.nv))
    own = type("Own", (type(joint),), {"velocity": JointType.velocity})(**joint.parameters())
    assert_allclose(own.velocity(q, v), joint.velocity(q, v), atol=1e-14)


def test_a_pose_out_of_reach_is_refused(rng):
    class Spinning(joints.VectorJoint):
        nq = nv = 1
        q_names, q_units = ("angle",), ("rad",)

        def pose(self, q, t=0.0):
            return joints.Revolute("z").pose(q)

        def motion_subspace(self, q):
            return -joints.Revolute("z").motion_subspace(q)

    with pytest.raises(rbdkit.StateError, match=r"Spinning joint: no coordinates were found .*; write its `project`"):
        Spinning().project(joints.Revolute("z").pose(np.array([0.3])))


@pytest.mark.parametrize("joint_with_number", [Helical([0.6, 0.0, 0.8], 0.3), RackAndPinion("y", -0.2)])
def test_how_a_joint_changes_with_its_numbers(joint_with_number, rng):
    """The closed forms against the differences that stand for them in other classes."""
    own = joint_with_number
    (name,) = own.numbers
    q, v = own.random(rng), rng.normal(size=1)
    for found, expected in zip(own.by_number(name, q, v), JointType.by_number(own, name, q, v), strict=True):
        assert_allclose(found, expected, atol=1e-11)


def test_what_is_reversed_keeps_the_class_inside():
    """A class made from Reversed says nothing of how it may be simplified."""

    class Twice(joints.Reversed):
        pass

    inside = Twice(Universal())
    assert joints.Reversed(inside).simplified() == joints.Reversed(inside)
    assert inside.simplified() is inside


SLOT = '''"""A pin in a slot that is bent to a sine."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints.joint_type import VectorJoint


class Slot(VectorJoint):
    """A pin in a slot: x, and y = depth sin x."""

    kind = "slot"
    tip = "A pin in a slot that is bent to a sine"
    arguments: ClassVar = {"depth": "number"}
    nq = nv = 1
    q_names, q_units = ("x",), ("m",)

    def __init__(self, depth: float = 0.2) -> None:
        self.depth = float(depth)

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        T = np.broadcast_to(np.eye(4), (*np.shape(q)[:-1], 4, 4)).copy()
        T[..., 0, 3], T[..., 1, 3] = q[..., 0], self.depth * np.sin(q[..., 0])
        return T

    def project(self, pose: NDArray) -> NDArray:
        return pose[:1, 3].copy()

    def motion_subspace(self, q: NDArray) -> NDArray:
        return np.array([[0, 0, 0, 1.0, self.depth * np.cos(q[0]), 0]]).T

    def constraint_subspace(self, q: NDArray) -> NDArray:
        T = np.eye(6)[:, [0, 1, 2, 5, 4]]
        T[3, 4] = -self.depth * np.cos(q[0])
        return T
'''
USE = """
import numpy as np
import rbdkit as rbd
from rbdkit.drafting import KINDS, joint_of_kind
from rbdkit.joints import Slot
from rbdkit.widgets.builder.form import CLASSES

model = rbd.Model("slot")
model.add_body("pin", joint=Slot(0.3), inertia=rbd.Inertia(2.0), joint_name="slot")
assert rbd.engine.backend(model)[0] != "book" and not model.joint("slot").type.is_users_own
x, v, tau, k = 0.4, 1.3, 0.7, 0.3
# Lagrange, by hand, with gravity across: m (1 + y'^2) x'' + m y' y'' x'^2 = tau
slope, bend = k * np.cos(x), -k * np.sin(x)
expected = (tau / 2.0 - slope * bend * v**2) / (1 + slope**2)
assert abs(rbd.aba(model, [x], [v], [tau])[0] - expected) < 1e-14
assert model.with_parameters({"slot.depth": 0.5}).joint("slot").type == Slot(0.5)
assert rbd.load(rbd.formats.to_json(model)).joint("slot").type == Slot(0.3)
assert "slot" in KINDS and joint_of_kind("slot") == Slot() and CLASSES["slot"].tip.startswith("A pin")
print("done")
"""


def test_a_joint_is_a_file_and_its_place_in_the_list(tmp_path):
    """As CONTRIBUTING says: nothing else has to be told, and it is compiled, saved, chosen and varied."""
    home = Path(rbdkit.__file__).parent
    package = shutil.copytree(home, tmp_path / "rbdkit", ignore=shutil.ignore_patterns("__pycache__", "*.ipynb"))
    (package / "joints" / "slot.py").write_text(SLOT)
    face = package / "joints" / "__init__.py"
    text = (
        face.read_text()
        .replace("\nTYPES: ", "\nfrom rbdkit.joints.slot import Slot\n\nTYPES: ", 1)
        .replace("Reversed, Prescribed,\n)", "Slot, Reversed, Prescribed,\n)", 1)
    )
    face.write_text(text)
    settings = {**os.environ, "PYTHONPATH": str(tmp_path), "RBDKIT_BACKEND": "python"}
    said = subprocess.run([sys.executable, "-c", USE], capture_output=True, text=True, env=settings, cwd=tmp_path)
    assert said.stdout == "done\n", said.stderr
