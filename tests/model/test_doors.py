"""What a model takes and what it refuses: every wrong value is named and shown, with a word on how to mend it."""

from __future__ import annotations

from copy import copy

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import Box, Geometry, Inertia, Mesh, Sphere
from rbdkit.errors import ModelError, RbdkitError, StateError
from rbdkit.joints import Fixed, Free, Helical, Planar, Prescribed, RackAndPinion, Reversed, Revolute, Spherical
from rbdkit.model import Limits, Mimic, Model
from rbdkit.model.growing import Growing

MASKED = np.ma.masked_array([1.0, 2.0, 3.0], mask=[True, False, False])
WRONG = [
    None, "x", "1", b"1", 1j, [1j, 0, 0], [None, 0, 0], ["1", "2", "3"], 10**400, [10**400, 0, 0], [[0, 0], [0]],
    {0: 1}, {1}, iter([0]), object(), MASKED, np.zeros(3, dtype="M8[s]"), [np.nan] * 3, [1e308, 0, 0], 1e31,
    np.inf, lambda: 0, Revolute, slice(2), np.zeros((4, 4)), np.zeros((0, 2)),
]  # fmt: skip


def one(**arguments) -> Model:
    model = Model("m")
    model.add_body("a", joint=Revolute("z"), inertia=Inertia(1.0), joint_name="j")
    model.add_body("b", "a", **{"joint": Revolute("z"), "inertia": Inertia(1.0)} | arguments)
    return model


DOORS = {
    "gravity": lambda x: Model("m", x),
    "damping": lambda x: one(damping=x),
    "stiffness": lambda x: one(stiffness=x),
    "armature": lambda x: one(armature=x),
    "friction": lambda x: one(friction=x),
    "multiplier": lambda x: one(mimic=Mimic("j", x)),
    "offset": lambda x: one(mimic=Mimic("j", 1.0, x)),
    "axis": Revolute,
    "pitch": lambda x: Helical("z", x),
    "radius": lambda x: RackAndPinion("z", x),
    "mass": Inertia,
    "com": lambda x: Inertia(1.0, x),
    "inertia_com": lambda x: Inertia(1.0, (0, 0, 0), x),
    "size": lambda x: Inertia.box(x, mass=1.0),
    "mass of a solid": lambda x: Inertia.box((1, 1, 1), mass=x),
    "radius of a solid": lambda x: Inertia.sphere(x, mass=1.0),
    "size of a box": Box,
    "radius of a sphere": Sphere,
    "scale": lambda x: Mesh("m.stl", scale=x),
    "vertices": lambda x: Mesh(vertices=x, faces=[[0, 0, 0]]),
    "faces": lambda x: Mesh(vertices=np.eye(3), faces=x),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_no_door_takes_what_is_not_a_number_or_has_no_meaning(door):
    for value in WRONG:
        if door is Revolute and isinstance(value, str) and value == "x":
            continue
        with pytest.raises(ModelError) as caught:
            door(value)
        assert len(str(caught.value)) < 600


@pytest.mark.parametrize("wrong", [x for x in WRONG if x is not None and not isinstance(x, np.ndarray)])
def test_placements(wrong):
    with pytest.raises(ModelError, match="placement of "):
        one(placement=wrong)


NAMED = [
    (lambda: one(geometry=None), "body 'b': geometry None must be a shape"),
    (lambda: one(geometry=[3]), "body 'b': 3 is neither a shape"),
    (lambda: one(joint="revolute"), "'revolute' is not a joint type; give an instance such as Revolute"),
    (lambda: one(limits=3), "limits 3 must be given as Limits"),
    (lambda: one(mimic="j"), "mimic 'j' must be given as Mimic"),
    (lambda: one(mimic=Mimic(["j"])), "joint ['j'] is not in model 'm'"),
    (lambda: one().add_body(["c"]), "a name must be a non-empty text, not ['c']"),
    (lambda: one().add_body("c", parent=[1]), "body [1] is not in model 'm'"),
    (lambda: one().body([1]), "body [1] is not in model 'm'; known: 'a', 'b', 'world'"),
    (lambda: one().joint({}), "joint {} is not in model"),
    (lambda: one().frame(np.zeros(2)), "frame array([0., 0.]) is not in model"),
    (lambda: one().with_parameters(None), "parameters are given as a mapping such as {'link1.mass': 2.0}, not as None"),
    (lambda: one().with_parameters([1]), "not as [1]"),
    (lambda: one().with_parameters({3: 1}), "parameter 3 is not one of model 'm'"),
    (lambda: Reversed("x"), "the joint to be reversed: 'x' is not a joint type"),
    (lambda: Prescribed("x", lambda t: t), "the joint of a prescribed motion: 'x' is not a joint type"),
    (lambda: Prescribed(Revolute(), 3.0), "the motion of a prescribed joint is a function of time, not 3.0"),
    (lambda: Planar("z", np.zeros((2, 2))), "translation array([[0., 0.], [0., 0.]]) of a planar joint must be"),
    (lambda: Free(3), "translation 3 of a free joint must be 'predecessor' or 'successor'"),
    (lambda: Geometry(Sphere(1.0), role=np.zeros(2)), "role array([0., 0.]) of geometry"),
    (lambda: Geometry(Sphere(1.0), name=3), "name 3 of a geometry must be a text"),
    (lambda: Mesh(3.0), "path 3.0 of a mesh must be the name of a file"),
    (lambda: Inertia.cylinder(1, 1, mass=1, axis=[1]), 'the axis of a solid is "x", "y" or "z", got [1]'),
    (lambda: Inertia(1.0).transformed("x"), "an inertia is moved by a pose (4, 4), not 'x'"),
]  # fmt: skip


@pytest.mark.parametrize("call, message", NAMED, ids=[message[:40] for _, message in NAMED])
def test_wrong_types_are_named(call, message):
    with pytest.raises(ModelError) as caught:
        call()
    assert message in str(caught.value)


def test_a_motion_that_is_no_motion_is_told():
    for given in (None, 3.0, (1.0, 2.0, "x"), (1.0, 2.0)):
        with pytest.raises(StateError, match=r"prescribed revolute joint"):
            Prescribed(Revolute(), lambda t, given=given: given).state(0.5)


def test_seeds():
    with pytest.raises(StateError, match="rng 'x' is neither a NumPy generator nor a seed"):
        one().random_q("x")


HUGE_INERTIAS = [
    Inertia(1e308, check=False), Inertia(1.0, (1e308, 0, 0), check=False),
    Inertia(1.0, (0, 0, 0), np.diag([1e308, 1e308, 1e308]), check=False), Inertia(2e30, check=False),
]  # fmt: skip


@pytest.mark.parametrize("inertia", HUGE_INERTIAS, ids=range(4))
def test_absurd_inertias_are_found_and_not_computed_with(inertia):
    model = one(inertia=inertia)
    (finding,) = [f for f in model.validate() if f.what == "inertia"]
    assert (finding.severity, finding.where) == ("error", "b")
    assert "beyond 1e+30" in finding.message
    z = np.zeros(2)
    for call in (
        lambda: rbd.aba(model, z, z, z), lambda: rbd.rnea(model, z, z, z), lambda: rbd.crba(model, z),
        lambda: rbd.forward_dynamics(model, z, z, z), lambda: rbd.energy(model, z, z),
        lambda: rbd.momentum(model, z, z), lambda: rbd.center_of_mass(model, z),
        lambda: rbd.gravity_force(model, z), lambda: rbd.bias_force(model, z, z),
        lambda: rbd.aba_derivatives(model, z, z, z), lambda: rbd.rnea_derivatives(model, z, z, z),
    ):  # fmt: skip
        with pytest.raises(ModelError, match="body 'b' of model 'm' cannot be computed with"):
            call()
    assert np.isfinite(rbd.forward_kinematics(model, z, z).velocities).all()  # it can still be looked at
    with pytest.raises(ModelError, match="beyond 1e"):
        model.with_parameters({"b.mass": 1e308})


def test_building_is_linear(monkeypatch):
    """However many bodies, frames and loops there are, one more makes no tuple and compares no names."""
    made, compared = [], []
    get = Growing.__get__
    monkeypatch.setattr(
        Growing, "__get__", lambda self, own, kind: (own is not None and made.append(1), get(self, own, kind))[1]
    )

    class Name(str):
        __hash__ = str.__hash__

        def __eq__(self, other):
            compared.append(1)
            return str.__eq__(self, other)

    model = Model()
    joint = Fixed()
    for k in range(300):
        model.add_body(Name(f"b{k}"), joint=joint, joint_name=Name(f"j{k}"))
        model.add_loop(Name(f"l{k}"), "world", "world", joint)
        model.add_frame(Name(f"f{k}"), "world")
    looked_up = 3 * 300 + 1  # the parents and ends of 900 parts are looked up in the bodies, made anew after each body
    assert len(made) <= looked_up
    assert len(compared) <= 20 * 300  # a few a part, for hashes that meet
    assert (len(model.bodies), len(model.frames), len(model.loops)) == (301, 300, 300)


def test_what_grows_can_be_assigned_and_copied():
    model = one()
    model.add_frame("f", "a")
    twin = copy(model)
    twin.add_body("c", "b")
    twin.add_frame("g", "c")
    twin.add_loop("l", "a", "c", Spherical())
    assert [b.name for b in model.bodies] == ["world", "a", "b"]
    assert ([f.name for f in model.frames], model.loops) == (["f"], ())
    assert len(twin.bodies) == len(twin.joints) == len(twin.parent) == len(twin.X_tree) == len(twin.I) == 4
    with pytest.raises(ModelError, match="'c' is not in model"):
        model.body("c")
    bodies = twin.bodies
    assert twin.bodies is bodies
    twin.loops = ()
    twin.add_loop("k", "a", "c", Spherical())
    assert [loop.joint.name for loop in twin.loops] == ["k"]


def test_limits_may_be_infinite_and_are_otherwise_numbers():
    assert one(limits=Limits(upper=1e15)).bodies[2].joint.limits.upper == 1e15
    with pytest.raises(ModelError, match="it is text"):
        one(limits=Limits(upper="1"))


def test_messages_are_all_of_one_family():
    for call in DOORS.values():
        with pytest.raises(RbdkitError):
            call("much")
