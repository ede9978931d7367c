"""JSON keeps all of a model to the last bit, and refuses what is not one with the path in the document."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rbdkit as rbd
from rbdkit.errors import FormatError, RbdkitError
from rbdkit.formats import from_dict, from_json, load, save, to_dict, to_json
from rbdkit.joints import Free, Prescribed, Prismatic, Reversed, Revolute, Spherical, Universal
from rbdkit.library.random_tree import joint_gallery, random_tree
from rbdkit.model import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Limits,
    Material,
    Mesh,
    Mimic,
    Model,
    Sphere,
)
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


def rich_model(seed: int, bodies: int = 20) -> Model:
    """A random tree of all joint types, with frames, loops, mimics, limits, springs and every shape."""
    rng = np.random.default_rng(seed)
    model = random_tree(seed, bodies)
    type_ = Universal(axis2=[0.6, 0.8, 0])
    shapes = [
        Geometry(Box(tuple(rng.uniform(0, 1, 3))), se3.random(rng), tuple(rng.uniform(0, 1, 4)), 'quoted "näme"'),
        Geometry(Sphere(rng.uniform()), role="collision", collide=True, material=Material(0.1, stiffness=1 / 3)),
        Geometry(Cylinder(0.1, 0.2)),
        Geometry(Capsule(0.1, 0.2)),
        Geometry(Cone(0.1, 0.2)),
        Geometry(Ellipsoid((0.1, 0.2, 0.3))),
        Geometry(Mesh("package://a/b.stl", (1, -1, 0.001), searched=("/a", "/b"), found="/b")),
        Geometry(Mesh(vertices=rng.normal(size=(9, 3)), faces=rng.integers(0, 9, (20, 3)))),
        Geometry(Sphere(rng.uniform()), name="off", collide=False),
    ]
    model.add_body(
        "rich",
        model.bodies[-1],
        type_,
        se3.random(rng),
        Inertia(-1.0, rng.normal(size=3), rng.normal(size=(3, 3)), check=False),
        shapes,
        "hinge",
        damping=rng.uniform(size=2),
        friction=[0.1, 0.0],
        stiffness=0.3,
        rest=rng.normal(size=2),
        armature=1e-3,
        limits=Limits([-math.inf, -1], [0.1, math.inf], velocity=rng.uniform(size=2)),
    )
    model.add_body("ball", "rich", Spherical(), rest=[0, 0, 1, 0], stiffness=1)
    model.add_body("slider", "rich", Prismatic("-y"), limits=Limits(effort=1 / 3))
    model.add_body("follower", "world", Reversed(Revolute("x")), mimic=Mimic("slider_joint", -1 / 3, math.pi))
    model.add_frame("tip", "rich", se3.random(rng))
    model.add_frame("origin", "world")
    model.add_loop("closure", "ball", "rich", joint_gallery(rng)[seed % 17], se3.random(rng), se3.random(rng))
    model.add_loop("weld", "world", "ball", Spherical())
    model.add_body("stone", "world", Free(), geometry=Geometry(Sphere(0.1), name="all"))
    surface = Material(0.5, 0.25, 1e4 / 3, 3.0, 2.0, 0.1, "largest")
    model.add_ground(normal=rng.normal(size=3), height=rng.normal(), material=surface, name="slope")
    model.add_ground()
    model.add_contact("rich", "stone:all")
    model.add_contact("slope", "stone", restitution=1 / 3, name="again")
    model.add_contacts(except_=[("rich", "stone"), ("ball", "world")], friction=0.1)
    return model


def bits(data) -> object:
    """The same data with every float as its eight bytes, so that -0.0 and 0.0 differ."""
    if isinstance(data, dict):
        return {key: bits(value) for key, value in data.items()}
    if isinstance(data, list):
        return [bits(value) for value in data]
    return struct.pack("d", data) if isinstance(data, float) else data


def assert_same(one: Model, two: Model) -> None:
    """Field by field, without the writer under test."""
    assert (one.name, one.nq, one.nv) == (two.name, two.nq, two.nv)
    assert one.gravity.tobytes() == two.gravity.tobytes()
    for a, b in zip(one.bodies, two.bodies, strict=True):
        assert (a.name, a.index, a.parent, a.inertia) == (b.name, b.index, b.parent, b.inertia)
        assert (a.joint.name, a.joint.type, a.joint.mimic) == (b.joint.name, b.joint.type, b.joint.mimic)
        assert (a.joint.q_slice, a.joint.v_slice) == (b.joint.q_slice, b.joint.v_slice)
        for name in ("placement", "damping", "friction", "stiffness", "rest", "armature"):
            assert getattr(a.joint, name).tobytes() == getattr(b.joint, name).tobytes(), (a.joint.name, name)
        for name in ("lower", "upper", "velocity", "effort"):
            given, read = (np.asarray(getattr(j.limits, name)) for j in (a.joint, b.joint))
            assert given.tobytes() == read.tobytes()
        for g, h in zip(a.geometry, b.geometry, strict=True):
            assert (type(g.shape), g.color, g.name, g.role) == (type(h.shape), h.color, h.name, h.role)
            assert (g.collide, g.material) == (h.collide, h.material)
            assert g.placement.tobytes() == h.placement.tobytes()
            if isinstance(g.shape, Mesh):
                for name in ("path", "scale", "searched", "found"):
                    assert getattr(g.shape, name) == getattr(h.shape, name)
                assert np.array_equal(g.shape.vertices, h.shape.vertices)
                assert np.array_equal(g.shape.faces, h.shape.faces)
            else:
                assert g.shape == h.shape
    for a, b in zip(one.frames, two.frames, strict=True):
        assert (a.name, a.body) == (b.name, b.body)
        assert a.placement.tobytes() == b.placement.tobytes()
    for a, b in zip(one.loops, two.loops, strict=True):
        assert (a.joint.name, a.joint.type) == (b.joint.name, b.joint.type)
        assert (a.predecessor, a.successor) == (b.predecessor, b.successor)
        assert a.joint.placement.tobytes() == b.joint.placement.tobytes()
        assert a.successor_placement.tobytes() == b.successor_placement.tobytes()
    for a, b in zip(one.contact_rules, two.contact_rules, strict=True):
        for field in dataclasses.fields(a):
            given, read = getattr(a, field.name), getattr(b, field.name)
            assert given.tobytes() == read.tobytes() if isinstance(given, np.ndarray) else given == read
    for a, b in zip(one.contact_pairs, two.contact_pairs, strict=True):
        assert (a.name, a.material) == (b.name, b.material)


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), bodies=st.integers(0, 18))
def test_nothing_is_lost(seed, bodies):
    model = rich_model(seed, bodies)
    again = from_json(to_json(model))
    assert_same(model, again)
    assert bits(to_dict(again)) == bits(to_dict(model))
    assert_same(model, from_dict(to_dict(model)))


@settings(max_examples=60, deadline=None)
@given(name=st.text(min_size=1), mass=st.floats(0, 1e30), x=st.floats(-1e30, 1e30))
def test_names_and_numbers_are_kept_to_the_bit(name, mass, x, tmp_path_factory):
    model = Model(name)
    model.add_body(name + "'", placement=[x, -0.0, 0], inertia=Inertia(mass), joint_name=name + '"')
    path = tmp_path_factory.mktemp("json") / "model.json"
    save(model, path)
    assert_same(model, load(path))


def test_the_text_is_for_people_too():
    model = Model("pendulum")
    model.add_body("rod", joint=Revolute("y"), inertia=Inertia(1, (0, 0, -0.5)), damping=0.1)
    text = to_json(model)
    assert '"joint": {"name": "rod_joint", "type": {"kind": "revolute", "axis": "y"}, "damping": [0.1]}' in text
    assert "placement" not in text
    shapes = Model("shapes")
    shapes.add_body("ball", geometry=[Geometry(Sphere(1.0)), Geometry(Sphere(1.0), [1.0, 0, 0])])
    plain, moved = to_dict(shapes)["bodies"][0]["geometry"]
    assert list(plain) == ["shape"] and list(moved) == ["shape", "placement"]
    assert max(len(line) for line in to_json(rich_model(0)).split("\n")) < 300
    assert json.loads(text) == to_dict(model)
    assert (json.loads(text)["format"], json.loads(text)["version"]) == ("rbdkit", 1)


def test_a_prescribed_joint_is_refused_by_name():
    model = Model()
    model.add_body("b", joint=Reversed(Prescribed(Revolute("z"), lambda t: (t, 1, 0))), joint_name="crank")
    with pytest.raises(FormatError, match=r"joint 'crank'.*Python function"):
        to_json(model)


def test_a_joint_type_of_somebody_else_is_refused_by_name():
    class Hinge(Revolute):
        kind = "my hinge"

    model = Model()
    model.add_body("b", joint=Hinge("z"))
    with pytest.raises(FormatError, match=r"joint 'b_joint'.*Hinge"):
        to_dict(model)


def test_numbers_that_are_none_are_refused_with_their_place():
    model = Model()
    model.add_body("a", inertia=Inertia(1.0))
    model.add_body("b", inertia=Inertia(1.0, (0, math.nan, 0), check=False))
    with pytest.raises(FormatError, match=r"bodies\[1\]\.inertia\.com\[1\] is nan.*validate"):
        to_json(model)


def changed(path: str, value: object) -> dict:
    """A good document with one entry changed, or removed if the value is `...`."""
    data = copy.deepcopy(GOOD)
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    place = data
    for step in way:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return data


GOOD = to_dict(rich_model(3, 2))
RICH = "bodies.2"  # the body 'rich'
SHAPE = f"{RICH}.geometry"
CASES = [
    ("format", "urdf", ["not a model of rbdkit"]),
    ("format", ..., ["not a model of rbdkit"]),
    ("version", 2, ["version 2", "version 1"]),
    ("version", "1", ["version '1'"]),
    ("version", True, ["version True"]),
    ("version", ..., ["version None"]),
    ("name", ..., ["the document", "'name' is missing"]),
    ("name", 3, ["name", "text"]),
    ("bodys", [], ["the document", "'bodys'", "did you mean 'bodies'"]),
    ("gravity", [0, 0], ["gravity", "list of 3 numbers"]),
    ("gravity", [0, 0, math.nan], ["gravity[2]", "finite", "nan"]),
    ("gravity", [0, 0, 10**400], ["gravity[2]", "finite"]),
    ("gravity", [0, 0, "9.81"], ["gravity[2]", "'9.81'"]),
    ("gravity", [0, 0, True], ["gravity[2]", "True"]),
    ("bodies", {}, ["bodies", "must be a list"]),
    ("bodies.0", 3, ["bodies[0]", "must be an object"]),
    ("bodies.0.joint", ..., ["bodies[0]", "'joint' is missing"]),
    ("bodies.0.joint", None, ["bodies[0]", "'joint' is missing"]),
    (f"{RICH}.parent", "b", ["bodies[2]", "'b'", "did you mean"]),
    (f"{RICH}.name", "b1", ["bodies[2]", "'b1' is taken"]),
    (f"{RICH}.color", "red", ["bodies[2]", "'color' is unknown"]),
    (f"{RICH}.joint.type.kind", "hinge", ["bodies[2].joint.type.kind", "'hinge'", "revolute"]),
    (f"{RICH}.joint.type.kind", "prescribed", ["bodies[2].joint.type.kind", "'prescribed'"]),
    (f"{RICH}.joint.type.kind", [], ["bodies[2].joint.type.kind", "text"]),
    (f"{RICH}.joint.type.axis", "z", ["bodies[2].joint.type", "'axis' is unknown", "'axis2'"]),
    (f"{RICH}.joint.type.axis1", "w", ["bodies[2].joint.type", "'w'"]),
    (f"{RICH}.joint.type.axis1", [0, 0, 2], ["bodies[2].joint.type", "length 2"]),
    (f"{RICH}.joint.type", {"kind": "reversed"}, ["bodies[2].joint.type", "'joint' is missing"]),
    (f"{RICH}.joint.type", {"kind": "planar", "translation": "x"}, ["bodies[2].joint.type", "'x'"]),
    (f"{RICH}.joint.type", {"kind": "helical", "pitch": "1"}, ["bodies[2].joint.type.pitch", "'1'"]),
    (f"{RICH}.joint.damping", [1], ["bodies[2].joint.damping", "list of 2"]),
    (f"{RICH}.joint.damping", [1, -1], ["bodies[2]", "damping", "negative"]),
    (f"{RICH}.joint.placement", [[1]], ["bodies[2].joint.placement", "list of 4"]),
    (f"{RICH}.joint.placement", [[2, 0, 0, 0]] * 4, ["bodies[2]", "placement", "not a pose"]),
    (f"{RICH}.joint.limits.lower", ["inf", "nan"], ["bodies[2].joint.limits.lower[1]", "'nan'", '"inf"']),
    (f"{RICH}.joint.limits.uper", [1, 1], ["bodies[2].joint.limits", "'uper'", "'upper'"]),
    (f"{RICH}.inertia.mass", ..., ["bodies[2].inertia", "'mass' is missing"]),
    (f"{RICH}.inertia.inertia_com", [1, 2, 3], ["bodies[2].inertia.inertia_com[0]", "list of 3"]),
    (f"{SHAPE}.0.color", 3, ["bodies[2].geometry[0].color", "list of any number"]),
    (f"{SHAPE}.0.shape.kind", "torus", ["bodies[2].geometry[0].shape.kind", "'torus'", "box"]),
    (f"{SHAPE}.0.shape.size", [1, -1, 1], ["bodies[2].geometry[0].shape", "negative"]),
    (f"{SHAPE}.0.color", [1, 2, 3], ["bodies[2].geometry[0]", "color"]),
    (f"{SHAPE}.0.role", "both", ["bodies[2].geometry[0]", "role 'both'"]),
    (f"{SHAPE}.7.shape.faces", [[0, 1, 99]], ["bodies[2].geometry[7].shape", "faces"]),
    (f"{SHAPE}.7.shape.faces", [[0, 1, 1.5]], ["bodies[2].geometry[7].shape.faces", "whole"]),
    (f"{SHAPE}.7.shape.faces", [[0, 1, 2**63 - 1]], ["bodies[2].geometry[7].shape.faces", "whole"]),
    (f"{SHAPE}.7.shape.vertices", ..., ["bodies[2].geometry[7].shape", "vertices"]),
    ("bodies.3.joint.rest", [1, 1, 0, 0], ["bodies[3]", "norm"]),
    ("bodies.5.joint.mimic.leader", "hinge", ["bodies[5]", "one coordinate"]),
    ("bodies.5.joint.mimic.multiplier", None, ["bodies[5].joint.mimic", "'multiplier' is missing"]),
    ("frames.0.body", "nowhere", ["frames[0]", "'nowhere'"]),
    ("loops.0.name", "hinge", ["loops[0]", "'hinge' is taken"]),
    ("loops.1.successor", "nowhere", ["loops[1]", "'nowhere'"]),
]


@pytest.mark.parametrize(("path", "value", "words"), CASES, ids=[f"{c[0]}={c[1]!r:.30}" for c in CASES])
def test_error_has_the_path(path, value, words):
    from_dict(GOOD)
    with pytest.raises(FormatError) as caught:
        from_dict(changed(path, value), source="m.json")
    message = str(caught.value)
    assert message.startswith("m.json: ")
    assert all(word in message for word in words), message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"format":\n "rbdkit",}', ["line 2, column 1", "not JSON"]),
        (b'{"name": "\xff"}', ["UTF-8"]),
        ("[]", ["the document", "must be an object"]),
        ('{"a":' * 100_000, ["not a model in JSON"]),
        ('{"format": "rbdkit", "version": 1, "name": "m", "gravity": [0, 0, NaN]}', ["gravity[2]", "nan"]),
        ('{"format": "rbdkit", "version": 1, "name": "m", "gravity": [0, 0, 1e999]}', ["gravity[2]", "inf"]),
        ('{"format": "rbdkit", "version": 1, "name": "m", "gravity": [0, 0, ' + "1" * 5000 + "]}", ["5000"]),
    ],
)
def test_what_is_not_json_is_refused_with_its_place(text, words):
    with pytest.raises(FormatError) as caught:
        from_json(text)
    assert all(word in str(caught.value) for word in words), caught.value


def test_joints_reversed_without_end_are_refused():
    type_ = {"kind": "fixed"}
    for _ in range(400):
        type_ = {"kind": "reversed", "joint": type_}
    with pytest.raises(FormatError, match="more than 16 times"):
        from_dict(changed(f"{RICH}.joint.type", type_))


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner))


def places(data, path=()) -> list[tuple]:
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path] * bool(path) + [place for key, value in items for place in places(value, (*path, key))]


PLACES = places(GOOD)


@settings(max_examples=80, deadline=None)
@given(place=st.sampled_from(PLACES), value=VALUES)
def test_any_change_gives_a_model_or_an_error_of_ours(place, value):
    data = copy.deepcopy(GOOD)
    target = data
    for key in place[:-1]:
        target = target[key]
    target[place[-1]] = value
    try:
        from_dict(data)
    except RbdkitError as fault:
        assert isinstance(fault, FormatError)


def test_what_elements_are_made_from_is_no_element():
    data = json.loads(to_json(rbd.library.pendulum()))
    for part, kind in (("forces", "ForceElement"), ("constraints", "ConstraintElement")):
        with pytest.raises(FormatError, match=rf"{part}\[0\]\.kind: '{kind}' is no "):
            rbd.load(json.dumps({**data, part: [{"name": "f", "kind": kind}]}))
