"""What is written as URDF is read back with the same dynamics, or the joint that URDF cannot express is named."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rbdkit.errors import FormatError
from rbdkit.formats import FormatWarning, from_urdf, load, save, to_urdf
from rbdkit.formats.urdf.origin import matrix_from_rpy, rpy_from_matrix
from rbdkit.joints import (
    Cylindrical,
    EulerSpherical,
    Fixed,
    Free,
    Helical,
    Planar,
    Prescribed,
    Prismatic,
    Reversed,
    Revolute,
    Spherical,
    Universal,
)
from rbdkit.library.random_tree import random_tree
from rbdkit.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Limits, Mesh, Mimic, Model, Sphere
from rbdkit.spatial import so3
from rbdkit.spatial.inertia import Inertia

AXIS = [0.48, -0.6, 0.64]
SUFFIXES = {
    "universal": ["_angle1", "_angle2"],
    "cylindrical": ["_angle", "_distance"],
    "euler_spherical": ["_yaw", "_pitch", "_roll"],
}
WRITABLE = [
    Fixed(),
    Revolute(AXIS),
    Prismatic(AXIS),
    Helical(AXIS, 0.3),
    Helical(AXIS, 0.0),
    Cylindrical(AXIS),
    Universal("y", AXIS),
    EulerSpherical(),
    Planar(AXIS),
    Free(),
    Reversed(Fixed()),
    Reversed(Revolute(AXIS)),
    Reversed(Prismatic(AXIS)),
    Reversed(Helical(AXIS, 0.3)),
    Reversed(Cylindrical(AXIS)),
    Reversed(Universal("y", AXIS)),
    Reversed(EulerSpherical()),
    Reversed(Reversed(Planar(AXIS))),
]


def body_inertia(rng: np.random.Generator) -> Inertia:
    return Inertia.box(rng.uniform(0.1, 0.5, 3), mass=rng.uniform(0.5, 2.0)).transformed(
        [[1, 0, 0, 0.1], [0, 0, -1, 0.2], [0, 1, 0, 0.3], [0, 0, 0, 1]]
    )


def inner_kind(type_) -> str:
    return inner_kind(type_.joint) if isinstance(type_, Reversed) else type_.kind


def carried_over(one: Model, two: Model):
    """The map of states from a model to what was read from its URDF, by the names of the joints."""

    def move(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q2, v2 = np.full(two.nq, np.nan), np.full(two.nv, np.nan)
        for joint in one.joints:
            if joint.mimic is not None or not joint.nv:
                continue
            suffixes = SUFFIXES.get(inner_kind(joint.type))
            if suffixes is None:
                q2[two.joint(joint.name).q_slice] = q[joint.q_slice]
                v2[two.joint(joint.name).v_slice] = v[joint.v_slice]
            else:
                for k, suffix in enumerate(suffixes):
                    q2[two.joint(joint.name + suffix).q_slice] = q[joint.q_slice][k]
                    v2[two.joint(joint.name + suffix).v_slice] = v[joint.v_slice][k]
        return q2, v2

    return move


@pytest.mark.parametrize("type_", WRITABLE, ids=repr)
def test_every_joint_type_that_urdf_can_say(type_, rng, same_dynamics):
    model = Model("m")
    model.add_body("base", inertia=body_inertia(rng))
    model.add_body("b", "base", Revolute("z"), [0, 0, 1], body_inertia(rng))
    model.add_body("c", "b", type_, [1, 2, 3], body_inertia(rng), damping=0.5, friction=0.25)
    model.add_body("d", "c", Revolute("x"), [0, 1, 0], body_inertia(rng))
    again = from_urdf(to_urdf(model))
    assert (again.nq, again.nv) == (model.nq, model.nv)
    same_dynamics(model, again, carried_over(model, again))
    damping = np.concatenate([j.damping for j in again.joints if j.mimic is None])
    assert sorted(damping) == sorted(np.concatenate([j.damping for j in model.joints]))
    friction = np.concatenate([j.friction for j in again.joints if j.mimic is None])
    assert sorted(friction) == sorted(np.concatenate([j.friction for j in model.joints]))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), bodies=st.integers(0, 12), merge_fixed=st.booleans())
def test_random_trees(seed, bodies, merge_fixed, same_dynamics):
    model = random_tree(seed, bodies, WRITABLE)
    with pytest.warns(FormatWarning, match="gravity"):
        text = to_urdf(model)
    again = from_urdf(text, gravity=model.gravity, merge_fixed=merge_fixed)
    assert again.name == model.name
    assert again.nv == model.nv
    same_dynamics(model, again, carried_over(model, again), seed)
    same_shapes = sum(len(body.geometry) for body in again.bodies)
    assert same_shapes == bodies


def test_mimics_helical_ones_too(rng, same_dynamics):
    model = Model("m")
    model.add_body("a", "world", Helical("x", 0.2), inertia=body_inertia(rng), joint_name="lead")
    model.add_body("b", "a", Revolute("y"), [0, 0, 1], body_inertia(rng), mimic=Mimic("lead", -2, 0.5))
    model.add_body("c", "b", Helical(AXIS, 0.1), [0, 1, 0], body_inertia(rng), mimic=Mimic("lead", 3, 0.1))
    model.add_body("d", "a", Prismatic("y"), [1, 0, 0], body_inertia(rng), mimic=Mimic("lead", 0.5))
    again = from_urdf(to_urdf(model))
    assert again.nv == 1
    same_dynamics(model, again)


def test_limits(rng):
    limits = {
        "both": Limits(-1, 2, 3, 4),
        "lower": Limits(lower=-1),
        "upper": Limits(upper=0.1),
        "effort": Limits(effort=5),
        "none": Limits(),
    }
    model = Model("m")
    for type_ in (Revolute("x"), Prismatic("x")):
        for name, limit in limits.items():
            model.add_body(f"{type_.kind} {name}", joint=type_, limits=limit)
    model.add_body("cylindrical", joint=Cylindrical(), limits=Limits([-1, -2], [1, 2], [3, 4], [5, 6]))
    again = from_urdf(to_urdf(model))
    for joint in again.joints[1:11]:
        given, read = model.joint(joint.name).limits, joint.limits
        for name in ("lower", "upper", "velocity", "effort"):
            assert getattr(given, name) == getattr(read, name), (joint.name, name)
    for suffix, k in (("_angle", 0), ("_distance", 1)):
        read = again.joint(f"cylindrical_joint{suffix}").limits
        assert (read.lower, read.upper, read.velocity, read.effort) == (-1 - k, 1 + k, 3 + k, 5 + k)


def test_frames_and_the_root(same_dynamics, rng):
    model = Model("m")
    model.add_body("base", inertia=body_inertia(rng))
    model.add_body("b", "base", Revolute("z"), [0, 0, 1], body_inertia(rng))
    model.add_frame("tool", "b", [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]])
    text = to_urdf(model)
    assert '"world"' not in text
    again = from_urdf(text)
    assert [frame.name for frame in again.frames] == ["tool"]
    same_dynamics(model, again)
    model.add_frame("goal", "world", [1, 1, 1])
    again = from_urdf(to_urdf(model))
    assert [frame.name for frame in again.frames] == ["tool", "goal"]
    assert [body.name for body in again.bodies] == ["world", "base", "b"]
    same_dynamics(model, again)


def test_names_in_use_are_kept_clear_of():
    model = Model("m")
    model.add_body("b", joint=Universal(), joint_name="j")
    model.add_body("b_before_angle1", "b", Revolute("x"), joint_name="j_angle1")
    again = from_urdf(to_urdf(model), merge_fixed=False)
    assert [body.name for body in again.bodies] == ["world", "b_before_angle1_2", "b", "b_before_angle1"]
    assert [j.name for j in again.joints[1:]] == ["j_angle1_2", "j_angle2", "j_angle1"]


SHAPES = [
    Geometry(Box((1, 2, 3)), [1, 2, 3], (0.1, 0.2, 0.3, 0.4), "a box"),
    Geometry(Sphere(1), color=(1, 0, 0)),
    Geometry(Cylinder(1, 2), role="collision"),
    Geometry(Capsule(1, 2)),
    Geometry(Mesh("package://p/m.stl", (1, -1, 0.001))),
]
DRAWN_ONLY = [
    Geometry(Cone(1, 2)),
    Geometry(Ellipsoid((1, 2, 3))),
    Geometry(Mesh(vertices=np.eye(3), faces=[[0, 1, 2]])),
]


def test_shapes():
    model = Model("m")
    model.add_body("b", geometry=SHAPES)
    with pytest.warns(FormatWarning, match="1 mesh file not found"):
        again = from_urdf(to_urdf(model)).body("b").geometry
    for one, two in zip(SHAPES, [again[0], again[1], again[4], again[2], again[3]], strict=True):
        if not isinstance(one.shape, Mesh):
            assert one.shape == two.shape
        np.testing.assert_array_equal(one.placement, two.placement)
        assert (one.color, one.name, one.role) == (two.color, two.name, two.role)
    assert (again[3].shape.path, again[3].shape.scale) == ("package://p/m.stl", (1, -1, 0.001))


def test_what_is_left_out_is_told_once():
    model = Model("m", gravity=(0, 0, -1.62))
    model.add_body("b", joint=Planar(), geometry=DRAWN_ONLY, limits=Limits(-1, 1))
    with pytest.warns(FormatWarning) as caught:
        to_urdf(model)
    assert len(caught) == 1
    for word in (
        "cone of body 'b'",
        "ellipsoid of body 'b'",
        "mesh of body 'b'",
        "gravity [0.0, 0.0, -1.62]",
        "'b_joint'",
    ):
        assert word in str(caught[0].message)


def refused(**arguments) -> Model:
    model = Model("m")
    model.add_body("b", **arguments)
    return model


def with_loop() -> Model:
    model = refused(joint=Revolute("z"))
    model.add_loop("closure", "world", "b", Revolute("z"))
    return model


CASES = [
    (refused(joint=Spherical(), joint_name="ball"), ["'ball'", "spherical", "EulerSpherical", "JSON"]),
    (refused(joint=Reversed(Planar()), joint_name="back"), ["'back'", "reversed planar", "JSON"]),
    (refused(joint=Reversed(Free()), joint_name="back"), ["'back'", "reversed free", "JSON"]),
    (refused(joint=Reversed(Spherical()), joint_name="back"), ["'back'", "spherical", "JSON"]),
    (refused(joint=Prescribed(Revolute("z"), lambda t: (t, 1, 0))), ["'b_joint'", "prescribed", "JSON"]),
    (refused(joint=Revolute("z"), stiffness=2.0), ["'b_joint'", "stiffness [2.0]", "JSON"]),
    (refused(joint=Revolute("z"), armature=0.5), ["'b_joint'", "armature [0.5]", "JSON"]),
    (refused(joint=Free(), damping=[1, 2, 3, 4, 5, 6]), ["'b_joint'", "damping", "JSON"]),
    (with_loop(), ["'closure'", "loop", "JSON"]),
    (refused(inertia=Inertia(math.nan, check=False)), ["body 'b'", "nan", "validate"]),
    (refused(inertia=Inertia(1e31, check=False)), ["body 'b'", "1e+30"]),
    (refused(inertia=Inertia(1, (0, 0, 0), [[1, 2, 0], [0, 1, 0], [0, 0, 1]], check=False)), ["'b'", "symmetric"]),
    (refused(joint_name="a\x00b"), ["joint", "a\\x00b", "character"]),
]


@pytest.mark.parametrize(("model", "words"), CASES, ids=[" ".join(words[:2]) for _, words in CASES])
def test_what_urdf_cannot_say_is_refused_by_name(model, words, tmp_path):
    if len(model.bodies) == 2 and isinstance(model.bodies[1].joint.type, Fixed):
        model.add_body("another")  # so that the first has a joint in the file
    with pytest.raises(FormatError) as caught:
        save(model, tmp_path / "m.urdf")
    assert all(word in str(caught.value) for word in words), caught.value
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=50, deadline=None)
@given(name=st.text(min_size=1), joint=st.text(min_size=1))
@example(name="a\n\t\rb", joint='<&>"')
@example(name=" world ", joint="world_")
def test_any_name_is_written_or_refused(name, joint):
    model = Model(name)
    try:
        model.add_body(name + "_", joint=Revolute("x"), joint_name=joint + "_")
        text = to_urdf(model)
    except FormatError as fault:
        assert "XML cannot hold" in str(fault)
        return
    again = from_urdf(text)
    assert (again.name, again.bodies[1].name, again.joints[1].name) == (name, name + "_", joint + "_")


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), pitch=st.sampled_from([None, math.pi / 2, -math.pi / 2, 1.57079632, -1.5707963]))
def test_roll_pitch_yaw_of_any_rotation(seed, pitch):
    rng = np.random.default_rng(seed)
    if pitch is None:
        R = so3.random(rng)
    else:
        R = matrix_from_rpy(rng.uniform(-3, 3), pitch, rng.uniform(-3, 3))
    # a few roundings of numbers of size 1
    np.testing.assert_allclose(matrix_from_rpy(*rpy_from_matrix(R)), R, atol=1e-15)


def test_a_real_robot_survives(robots, same_dynamics, tmp_path):
    model = load(robots / "panda_description" / "urdf" / "panda.urdf")
    save(model, tmp_path / "panda.urdf")
    again = load(tmp_path / "panda.urdf", mesh_paths=[robots.parents[1]])
    same_dynamics(model, again)
    assert {f.name for f in again.frames} == {f.name for f in model.frames}


def test_links_between_have_names_that_no_body_and_no_frame_has():
    def link_names(first, frame):
        model = Model()
        model.add_body(first)
        model.add_body("b", first, Cylindrical("z"), inertia=Inertia(1.0))
        model.add_frame(frame, "b")
        return re.findall('<link name="(.*?)"', to_urdf(model))

    between = next(name for name in link_names("a", "tool") if name.startswith("b_before"))
    for first, frame in ((between, "tool"), ("a", between), (between, f"{between}_2")):
        names = link_names(first, frame)
        assert len(set(names)) == len(names) and {first, frame, "b"} <= set(names)
