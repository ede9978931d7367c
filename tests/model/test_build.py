"""Building a model: what is in it afterwards, and errors that leave it as it was."""

import inspect
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from rbdkit.errors import ModelError
from rbdkit.joints import Cylindrical, Fixed, Free, Planar, Prismatic, Revolute, Spherical
from rbdkit.model import Box, Geometry, Limits, Mimic, Model, Sphere
from rbdkit.spatial.inertia import Inertia

DISC = Inertia.cylinder(0.1, 0.02, mass=1.0)


@pytest.mark.source("F4.27")
def test_a_complete_system_model():
    """Table 4.3: N_B, lambda, joint types, X_T, I; N_L, p, s, loop joint types, X_P, X_S."""
    model = Model("crank-slider")
    crank = model.add_body("crank", joint=Revolute("y"), inertia=DISC)
    rod = model.add_body("rod", crank, Revolute("y"), [0.3, 0, 0], DISC)
    slider = model.add_body("slider", joint=Prismatic("x"), placement=[1.0, 0, 0], inertia=DISC)
    loop = model.add_loop("pin", rod, "slider", Revolute("y"), [0.7, 0, 0], [0, 0, 0.1])
    assert [body.name for body in model.bodies] == ["world", "crank", "rod", "slider"]
    assert model.parent == (-1, 0, 1, 0)
    assert [joint.type for joint in model.joints] == [Fixed(), Revolute("y"), Revolute("y"), Prismatic("x")]
    assert_array_equal(model.I[2], DISC.matrix)
    assert_array_equal(model.I[0], np.zeros((6, 6)))
    assert model.loops == (loop,)
    assert (loop.predecessor, loop.successor, loop.joint.type) == (2, 3, Revolute("y"))
    assert_array_equal(loop.joint.placement[:3, 3], [0.7, 0, 0])
    assert_array_equal(loop.successor_placement[:3, 3], [0, 0, 0.1])
    assert (model.nq, model.nv) == (3, 3), "a loop joint has no coordinates"
    assert model.mass == pytest.approx(3.0, rel=1e-15)
    assert slider is model.body("slider") is model.body(3)


@pytest.mark.source("F4.27")
def test_offsets_of_joints_with_several_freedoms():
    """Where each joint's coordinates begin in q and in v, which differ once a quaternion is in front."""
    model = Model()
    for k, type_ in enumerate([Free(), Fixed(), Revolute(), Spherical(), Planar(), Cylindrical()]):
        model.add_body(f"b{k}", f"b{k - 1}" if k else "world", type_, inertia=DISC)
    q = [(s.start, s.stop) for s in (joint.q_slice for joint in model.joints[1:])]
    v = [(s.start, s.stop) for s in (joint.v_slice for joint in model.joints[1:])]
    assert q == [(0, 7), (7, 7), (7, 8), (8, 12), (12, 15), (15, 17)]
    assert v == [(0, 6), (6, 6), (6, 7), (7, 10), (10, 13), (13, 15)]
    assert (model.nq, model.nv) == (17, 15)


def test_defaults():
    model = Model()
    body = model.add_body("plate", geometry=Geometry(Box((1, 1, 0.1))))
    assert (body.parent, body.joint.type, body.joint.name, body.inertia) == (0, Fixed(), "plate_joint", None)
    assert_array_equal(body.joint.placement, np.eye(4))
    assert_array_equal(model.gravity, [0, 0, -9.81])
    assert isinstance(body.geometry, tuple)
    assert len(body.geometry) == 1


def test_parts_can_be_looked_up_by_name(arm):
    assert arm.body("hand").index == 4
    assert arm.joint("wrist") is arm.body("hand").joint
    assert arm.frame("tool").body == 4
    own = arm.frame("hand")
    assert own.body == 4
    assert_array_equal(own.placement, np.eye(4))


@pytest.mark.parametrize("look, says", [
    (lambda m: m.body("hnad"), "body 'hnad' is not in model 'arm'; did you mean 'hand'?"),
    (lambda m: m.body("q"), "body 'q' is not in model 'arm'; known: 'base', 'hand', 'slider', 'spindle', 'upper', "),
    (lambda m: m.body(6), "body 6 is not in model 'arm'"),
    (lambda m: m.body(-1), "body -1 is not in model 'arm'"),
    (lambda m: m.joint("Wrist"), "joint 'Wrist' is not in model 'arm'; did you mean 'wrist'?"),
    (lambda m: m.frame("tol"), "frame 'tol' is not in model 'arm'; did you mean 'tool'?"),
])  # fmt: skip
def test_unknown_names_suggest_one(arm, look, says):
    with pytest.raises(ModelError, match=re.escape(says)):
        look(arm)


WRONG_BODIES = {
    "name taken by a body": (dict(name="hand"), "name 'hand' is taken; give every body and frame its own name"),
    "name taken by a frame": (dict(name="tool"), "name 'tool' is taken"),
    "name of the world": (dict(name="world"), "name 'world' is taken"),
    "empty name": (dict(name=""), "a name must be a non-empty text, not ''"),
    "no name": (dict(name=None), "a name must be a non-empty text, not None"),
    "unknown parent": (dict(parent="hamd"), "body 'hamd' is not in model 'arm'; did you mean 'hand'?"),
    "no parent": (dict(parent=None), "body None is not in model 'arm'"),
    "joint name taken": (dict(joint_name="wrist"), "joint name 'wrist' is taken; give every joint its own name"),
    "joint name empty": (dict(joint_name=""), "the name of a joint must be a non-empty text, not ''"),
    "a class for a joint": (dict(joint=Revolute), "is not a joint type; give an instance such as Revolute('z')"),
    "a matrix for an inertia": (dict(inertia=np.eye(3)), "is not an rbdkit.Inertia; make one with Inertia(mass, com"),
    "a number for a shape": (
        dict(geometry=[0.1]),
        "body 'new': 0.1 is neither a shape such as rbdkit.Box([1, 1, 1]) nor a Geometry",
    ),
    "placement of four numbers": (
        dict(placement=[1, 0, 0, 0]),
        "placement of joint 'new_joint' has shape (4,); give a position",
    ),
    "placement not finite": (
        dict(placement=[0, np.nan, 0]),
        "placement of joint 'new_joint' holds a number that is not finite",
    ),
    "placement of text": (dict(placement="here"), "placement of joint 'new_joint' is not made of numbers"),
    "placement with scale": (
        dict(placement=2 * np.eye(3)),
        "placement of joint 'new_joint' is not a pose; its upper left 3x3",
    ),
    "a reflection": (dict(placement=np.diag([1.0, 1.0, -1.0])), "must be a rotation matrix (determinant 1"),
    "a projective row": (
        dict(placement=np.diag([1.0, 1.0, 1.0, 2.0])),
        "last row 0 0 0 1",
    ),
    "negative damping": (dict(damping=-0.1), "joint 'new_joint': damping [-0.1] must be finite and not negative"),
    "infinite stiffness": (
        dict(stiffness=np.inf),
        "joint 'new_joint': stiffness [inf] must be finite and not negative",
    ),
    "NaN armature": (dict(armature=np.nan), "joint 'new_joint': armature holds NaN"),
    "friction of text": (dict(friction="much"), "joint 'new_joint': friction 'much' must be a number or 1 of them"),
    "too many dampings": (dict(damping=[1, 2]), "joint 'new_joint': damping has shape (2,); give one number or 1"),
    "infinite rest": (dict(rest=np.inf), "joint 'new_joint': rest [inf] of the spring must be finite"),
    "rest off the manifold": (
        dict(joint=Spherical(), rest=[1, 1, 0, 0]),
        "rest of the spring: spherical joint: quaternion",
    ),
    "limits crossed": (
        dict(limits=Limits(1.0, -1.0)),
        "joint 'new_joint': lower limit [1.] lies above upper limit [-1.]",
    ),
    "lower limit at infinity": (
        dict(limits=Limits(np.inf)),
        "joint 'new_joint': no coordinate lies between limits [inf] and [inf]",
    ),
    "upper limit at minus infinity": (
        dict(limits=Limits(upper=-np.inf)),
        "joint 'new_joint': no coordinate lies between limits [-inf] and [-inf]",
    ),
    "limits NaN": (dict(limits=Limits(upper=np.nan)), "joint 'new_joint': limit 'upper' holds NaN"),
    "limits negative": (dict(limits=Limits(effort=-1)), "limit 'effort' is negative: [-1.]; it bounds a magnitude"),
    "limits of two": (
        dict(limits=Limits([0, 0])),
        "joint 'new_joint': limit 'lower' has shape (2,); give one number or 1",
    ),
    "limits as a pair": (
        dict(limits=(-1, 1)),
        "limits (-1, 1) must be given as Limits(lower, upper, velocity, effort)",
    ),
    "limits of a quaternion": (
        dict(joint=Free(), limits=Limits(-1, 1)),
        "the quaternion of a free joint cannot have lower",
    ),
    "mimic by name": (dict(mimic="slide"), "mimic 'slide' must be given as Mimic(leader, multiplier, offset)"),
    "mimic of nobody": (dict(mimic=Mimic("glide")), "joint 'glide' is not in model 'arm'; did you mean 'slide'?"),
    "mimic of many": (
        dict(mimic=Mimic("wrist")),
        "joint 'new_joint' cannot mimic 'wrist': both must have one coordinate",
    ),
    "many mimic one": (
        dict(joint=Planar(), mimic=Mimic("slide")),
        "cannot mimic 'slide': both must have one coordinate",
    ),
    "fixed mimics": (dict(joint=None, mimic=Mimic("slide")), "cannot mimic 'slide': both must have one coordinate"),
    "mimic not finite": (dict(mimic=Mimic("slide", np.nan)), "holds a number that is not finite"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG_BODIES)
def test_wrong_bodies_are_refused_and_leave_no_trace(arm, snapshot, case):
    changes, says = WRONG_BODIES[case]
    before = snapshot(arm)
    with pytest.raises(ModelError, match=re.escape(says)):
        arm.add_body(**{"name": "new", "parent": "hand", "joint": Revolute("z"), "inertia": DISC} | changes)
    assert snapshot(arm) == before
    arm.add_body("new", "hand", Revolute("z"), inertia=DISC)


def test_a_mimic_of_a_mimic_is_refused(arm, snapshot):
    arm.add_body("second", "base", Prismatic("y"), inertia=DISC, joint_name="second", mimic=Mimic("slide", -1.0))
    before = snapshot(arm)
    with pytest.raises(ModelError, match="'third' mimics 'second', which itself mimics 'slide'; name the last one"):
        arm.add_body("third", "base", Prismatic("y"), inertia=DISC, joint_name="third", mimic=Mimic("second"))
    assert snapshot(arm) == before


@pytest.mark.parametrize("arguments, says", [
    (dict(name="hand", body="base"), "name 'hand' is taken"),
    (dict(name="tool", body="base"), "name 'tool' is taken"),
    (dict(name="tip", body="hnad"), "body 'hnad' is not in model 'arm'; did you mean 'hand'?"),
    (dict(name="tip", body="hand", placement=np.ones((3, 3))), "placement of frame 'tip' is not a pose"),
])  # fmt: skip
def test_wrong_frames(arm, snapshot, arguments, says):
    before = snapshot(arm)
    with pytest.raises(ModelError, match=re.escape(says)):
        arm.add_frame(**arguments)
    assert snapshot(arm) == before


@pytest.mark.parametrize("changes, says", [
    (dict(name="wrist"), "joint name 'wrist' is taken"),
    (dict(name="ring"), "joint name 'ring' is taken"),
    (dict(name=""), "the name of a joint must be a non-empty text"),
    (dict(predecessor="bse"), "body 'bse' is not in model 'arm'; did you mean 'base'?"),
    (dict(successor="hnad"), "did you mean 'hand'?"),
    (dict(joint="revolute"), "joint 'loop': 'revolute' is not a joint type"),
    (dict(predecessor_placement=[np.inf, 0, 0]), "placement of joint 'loop' holds a number that is not finite"),
    (dict(successor_placement=[0, 0]), "placement of loop joint 'loop' has shape (2,)"),
])  # fmt: skip
def test_wrong_loops(arm, snapshot, changes, says):
    arm.add_loop("ring", "base", "hand", Spherical())
    before = snapshot(arm)
    with pytest.raises(ModelError, match=re.escape(says)):
        arm.add_loop(**{"name": "loop", "predecessor": "base", "successor": "hand", "joint": Revolute()} | changes)
    assert snapshot(arm) == before
    with pytest.raises(ModelError, match="joint name 'ring' is taken"):
        arm.add_body("more", joint_name="ring")


@pytest.mark.parametrize("gravity", [9.81, [0, 0], [0, 0, np.nan], [0, 0, np.inf], "down", None])
def test_gravity_must_be_three_finite_numbers(gravity):
    with pytest.raises(ModelError, match=re.escape(f"gravity must be three finite numbers (m/s2), not {gravity!r}")):
        Model(gravity=gravity)


def test_what_is_in_a_model_can_not_be_written_to(arm):
    joint = arm.joint("wrist")
    for array in (arm.gravity, joint.placement, joint.damping, joint.rest, joint.limits.lower, joint.X_tree, arm.I[1],
                  arm.frame("tool").placement):  # fmt: skip
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 1.0
    with pytest.raises(AttributeError):
        joint.name = "elbow"
    with pytest.raises(AttributeError):
        arm.bodies[1].inertia = None


def test_given_arrays_are_copied():
    placement, model = np.eye(4), Model()
    model.add_body("a", placement=placement)
    placement[0, 3] = 5.0
    assert model.joints[1].placement[0, 3] == 0.0


NAMES = st.text(min_size=1, max_size=8).filter(lambda name: name != "world")


@settings(max_examples=10, deadline=None, derandomize=True)
@given(st.lists(NAMES, min_size=1, max_size=6, unique=True), st.data())
def test_any_text_is_a_name(names, data):
    """Also quotes, tags and control characters; each part is found again, and describing it works."""
    model = Model()
    for k, name in enumerate(names):
        parent = data.draw(st.sampled_from(["world", *names[:k]]))
        model.add_body(name, parent, Revolute(), inertia=DISC, joint_name=f"j{k}")
    for k, name in enumerate(names, start=1):
        assert model.body(name).index == k
        assert model.parent[k] < k
    assert model.validate() == []
    assert all(name in model.describe() for name in names)


def test_reprs_say_what_it_is(arm):
    arm.add_loop("ring", "base", "hand", Spherical())
    assert repr(arm) == "<Model 'arm': 5 bodies, 5 moving joints, nq=14, nv=12, 10 kg>"
    assert repr(arm.body("upper")) == "<Body 2 'upper': 1.5 kg, revolute joint 'shoulder' to body 1>"
    assert repr(arm.joint("slide")) == "<Joint 'slide': Prismatic(axis='x'), q[8:9], v[7:8]>"
    assert repr(arm.frame("tool")) == "<Frame 'tool' on body 4 at [0.0, 0.0, 0.2]>"
    assert repr(arm.loops[0]) == "<Loop: spherical joint 'ring' from body 1 to body 4>"


def test_a_bare_shape_is_a_geometry_without_more():
    one, many = Model(), Model()
    one.add_body("stone", geometry=Sphere(0.1))
    many.add_body("stone", geometry=[Geometry(Sphere(0.1), name="ball"), Sphere(0.1)])
    assert isinstance(one.bodies[1].geometry[0], Geometry) and one.bodies[1].geometry[0].shape == Sphere(0.1)
    assert [geometry.name for geometry in many.bodies[1].geometry] == ["ball", ""]


def test_methods_go_by_the_names_of_their_functions():
    """The class names functions of other files as its methods, line by line."""
    functions = {name: own for name, own in vars(Model).items() if inspect.isfunction(own)}
    assert {name: own.__name__ for name, own in functions.items()} == {name: name for name in functions}
    moved = [name for name, own in functions.items() if own.__module__.startswith("rbdkit.model.methods")]
    assert len(moved) > 25
    for name in moved:
        assert f"def {name}(" in inspect.getsource(getattr(Model, name))
        assert next(iter(inspect.signature(functions[name]).parameters)) == "self"
