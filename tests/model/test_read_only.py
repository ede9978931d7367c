"""No array of a model can be written to, nor one of its copies: compiled code works with what it was made from."""

from __future__ import annotations

import copy
import pickle
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.joints import TYPES
from rbdkit.library import joint_gallery, led_joints, uncommon_joints

COPIES: dict[str, Callable[[rbd.Model], rbd.Model]] = {
    "the model": lambda model: model,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "old pickle": lambda model: pickle.loads(pickle.dumps(model, protocol=2)),
    "twice": lambda model: copy.deepcopy(pickle.loads(pickle.dumps(model))),
    "with_parameters": lambda model: model.with_parameters({"b1.mass": 2.0}),
    "pickled with_parameters": lambda model: pickle.loads(pickle.dumps(model.with_parameters({"b1.mass": 2.0}))),
    "of a motion": lambda model: rbd.Trajectory(model, *_start(model)).model,
    "deepcopy of a motion": lambda model: copy.deepcopy(rbd.Trajectory(model, *_start(model))).model,
}


class Wind(rbd.ForceElement):
    body: str
    direction: tuple[float, ...]

    def act(self, at: Any) -> None:
        at.apply_force(self.body, self.direction)


class Bent(rbd.Revolute):
    """A user's joint with an array of its own."""

    __slots__ = ("mark",)

    def __init__(self) -> None:
        super().__init__("x")
        self.fixed, self.open, self.mark = np.ones(2), np.ones(2), 7
        self.fixed.flags.writeable = False


def _start(model: rbd.Model) -> tuple[np.ndarray, np.ndarray, np.ndarray, Any]:
    return np.zeros(1), model.neutral()[None], np.zeros((1, model.nv)), None


def _rich() -> rbd.Model:
    """A model with every type of joint, and of all else something."""
    rng = np.random.default_rng(35)
    model = rbd.Model("rich")
    corner = rbd.Mesh(vertices=np.eye(4, 3), faces=[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    shapes = [rbd.Geometry(rbd.Sphere(0.1)), rbd.Geometry(rbd.Box([1, 1, 1]), placement=[1, 0, 0]), corner]
    turn = rbd.Prescribed(rbd.Revolute([0.6, 0.0, 0.8]), _turn)
    for k, joint in enumerate([*joint_gallery(rng), *uncommon_joints(rng), *led_joints(rng), turn]):
        limits = None if "1" in joint.q_units else rbd.Limits(-2.0, 2.0)
        model.add_body(
            f"b{k}", f"b{k - 1}" if k % 3 else "world", joint, rng.normal(size=3), rbd.Inertia.sphere(0.1, 1.0),
            geometry=shapes, damping=0.1, limits=limits,
        )  # fmt: skip
    assert {type(joint.type) for joint in model.joints} == set(TYPES)
    model.add_body("f", "b2", rbd.Revolute("y"), inertia=rbd.Inertia(1.0), mimic=rbd.Mimic(model.joints[3].name, 0.5))
    model.add_frame("tip", "b1", [0, 0, 1])
    model.add_loop("ring", "b1", "b4", rbd.Spherical(), [0, 0, 1.0], [0, 1.0, 0])
    model.add_spring("spring", "b1", "b5", 3.0, at_a=np.array([0.0, 0.1, 0.0]))
    model.add_muscle("muscle", ["b1", ("b4", [0.0, 0.0, 0.1])], peak_force=10.0, optimal_length=0.3)
    model.add_force("wind", Wind("b3", np.array([1.0, 0.0, 0.0])))
    model.add_constraint("rod", rbd.Distance("b7", "b9", 1.0, at_a=np.array([0.0, 0.1, 0.0])))
    model.add_ground(normal=[0.6, 0.0, 0.8])
    model.add_contact("b1", "b6", friction=0.3)
    return model


def _turn(t: float) -> tuple[float, float, float]:
    return 0.1 * t, 0.1, 0.0


def _arrays(whole: object) -> Iterator[tuple[str, np.ndarray]]:
    """Every array that can be reached, by its path."""
    seen: dict[int, object] = {}
    waiting = [("", whole)]
    while waiting:
        path, thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, type | types.ModuleType | types.FunctionType):
            continue
        seen[id(thing)] = thing
        if isinstance(thing, np.ndarray):
            yield path, thing
        elif isinstance(thing, Mapping):
            waiting += [(f"{path}[{key!r}]", value) for key, value in thing.items()]
        elif isinstance(thing, list | tuple | set | frozenset):
            waiting += [(f"{path}[{k}]", value) for k, value in enumerate(thing)]
        else:
            own = {name: value for name, value in getattr(thing, "__dict__", {}).items() if name != "_kept"}
            waiting += [(f"{path}.{name}", value) for name, value in own.items()]


@pytest.fixture(scope="module")
def rich() -> rbd.Model:
    return _rich()


@pytest.mark.parametrize("how", COPIES)
def test_no_array_of_a_model_or_of_its_copies_can_be_written_to(rich: rbd.Model, how: str) -> None:
    made = COPIES[how](rich)
    assert made.contact_pairs and made.acting  # what is found out lies in no part of it
    found = dict(_arrays(made))
    assert len(found) > 11 * len(made.bodies)
    assert [path for path, array in found.items() if array.flags.writeable] == []


@pytest.mark.parametrize("how", COPIES)
def test_copies_are_the_same_model_and_grow_on_their_own(rich: rbd.Model, how: str) -> None:
    made = COPIES[how](rich)
    assert [body.name for body in made.bodies] == [body.name for body in rich.bodies]
    assert all(made.joints[k] is body.joint and made.parent[k] == body.parent for k, body in enumerate(made.bodies))
    assert all(np.array_equal(a, b) for a, b in zip(made.X_tree, rich.X_tree, strict=True))
    rng = np.random.default_rng(1)
    q = rich.random_q(rng)
    poses = rbd.forward_kinematics(rich, q).poses
    assert np.array_equal(rbd.forward_kinematics(made, q).poses, poses)
    if "motion" not in how and made is not rich:
        made.add_body("new", "b3", rbd.Revolute("x"), inertia=rbd.Inertia(1.0))
        assert made.nv == rich.nv + 1
        with pytest.raises(rbd.ModelError):
            rich.body("new")
        again = pickle.loads(pickle.dumps(made))
        assert again.body("new").index == len(rich.bodies)


def test_a_copy_shares_matrices_with_its_own_bodies() -> None:
    made = copy.deepcopy(rbd.library.double_pendulum())
    for k, body in enumerate(made.bodies[1:], 1):
        assert body.inertia is not None
        assert made.I[k] is body.inertia.matrix and made.X_tree[k] is body.joint.X_tree


@pytest.mark.parametrize("how", ["deepcopy", "pickle", "twice"])
def test_what_is_written_into_a_copy_is_refused_before_it_is_ignored(how: str) -> None:
    made = COPIES[how](rbd.library.pendulum())
    before = rbd.forward_dynamics(made, [0.3], [0.0], [0.0])
    for array in (made.gravity, made.joints[1].type.axis, made.joints[1].placement, made.bodies[1].inertia.com):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5.0
    made.gravity = [0.0, 0.0, -1.62]
    assert rbd.forward_dynamics(made, [0.3], [0.0], [0.0]) == pytest.approx(before * 1.62 / 9.81, rel=1e-14)


@pytest.mark.parametrize("joint", [*joint_gallery(np.random.default_rng(2)), *led_joints(np.random.default_rng(3))])
def test_a_joint_type_that_is_copied_alone_comes_into_a_model_read_only(joint: rbd.joints.JointType) -> None:
    for made in (copy.copy(joint), copy.deepcopy(joint), pickle.loads(pickle.dumps(joint))):
        assert [path for path, array in _arrays(made) if array.flags.writeable] == []
        assert made == joint


def test_arrays_of_a_users_joint_are_as_they_were() -> None:
    """What could be written to still can, for that is looked at; what stands in slots comes along."""
    joint = Bent()
    for made in (copy.copy(joint), copy.deepcopy(joint), pickle.loads(pickle.dumps(joint))):
        assert not made.axis.flags.writeable and not made.fixed.flags.writeable and made.open.flags.writeable
        assert made.mark == 7
    assert joint.open.flags.writeable


def test_numbers_in_a_users_joint_that_can_be_written_to_are_seen_after_a_copy() -> None:
    made = copy.deepcopy(_with(Crank()))
    before = rbd.crba(made, [0.3])
    made.joints[1].type.ratio[0] = 2.0
    assert rbd.crba(made, [0.3]) == pytest.approx(4.0 * before, rel=1e-14)


class Crank(rbd.joints.VectorJoint):
    kind, nq, nv, q_names, q_units = "crank", 1, 1, ("angle",), ("rad",)

    def __init__(self) -> None:
        self.ratio = np.ones(1)

    def pose(self, q: np.ndarray, t: float = 0.0) -> np.ndarray:
        return rbd.Revolute("z").pose(self.ratio * q)

    def motion_subspace(self, q: np.ndarray) -> np.ndarray:
        return np.array([[0, 0, self.ratio[0], 0, 0, 0]]).T


def _with(joint: rbd.joints.JointType) -> rbd.Model:
    model = rbd.Model("one")
    model.add_body("disc", joint=joint, inertia=rbd.Inertia.cylinder(0.5, 0.1, mass=4.0))
    return model
