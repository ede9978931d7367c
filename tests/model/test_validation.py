"""Each finding names the link, shows the value and says how to mend it; good models give none."""

import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ModelError, SimulationError
from rbdkit.joints import EulerAngles, Fixed, Free, Planar, Prismatic, Reversed, Revolute, Spherical, Universal
from rbdkit.library import double_pendulum, random_tree, spherical_pendulum
from rbdkit.model import Mimic, Model, validate
from rbdkit.spatial.inertia import Inertia

pytestmark = pytest.mark.source("F4.27")
BALL = Inertia.sphere(0.1, mass=1.0)
POINT = Inertia(1.0)


def findings(model):
    return [(f.severity, f.where, f.what) for f in validate(model)]


def one(inertia, joint=None, **more):
    model = Model("one")
    model.add_body("link", joint=Revolute("z") if joint is None else joint, inertia=inertia, joint_name="hinge", **more)
    return model


@pytest.mark.parametrize("model", [
    double_pendulum(), spherical_pendulum(), Model(), *(random_tree(k, 17) for k in range(3)),
], ids=lambda model: model.name)  # fmt: skip
def test_good_models_have_no_findings(model):
    assert model.validate() == []


@pytest.mark.parametrize("severity, inertia, says", [
    ("error", Inertia(-2.0, check=False), "the mass is negative: -2 kg"),
    ("error", Inertia(np.nan, check=False), "not finite: mass nan"),
    ("error", Inertia(1.0, [0, np.inf, 0], check=False), "not finite: mass 1.0, com [0.0, inf, 0.0]"),
    ("error", Inertia(1.0, inertia_com=np.diag([1.0, 1.0, np.nan]), check=False), "not finite"),
    ("error", Inertia(1.0, inertia_com=np.diag([0.2, -0.1, 0.2]), check=False), "its principal moments are -0.1"),
    ("warning", Inertia(1.0, inertia_com=np.diag([0.1, 0.1, 0.3]), check=False), "0.1 + 0.1 = 0.2 is less than 0.3"),
    ("warning", Inertia(0.0, inertia_com=np.diag([0.1, 0.1, 0.1]), check=False), "the mass is zero but the rotational"),
    ("error", Inertia(1.0, inertia_com=[[1, 0.2, 0], [0, 1, 0], [0, 0, 1]], check=False), "not symmetric: elements"),
])  # fmt: skip
def test_unphysical_inertia_is_said_once(severity, inertia, says):
    """An error where the equations of motion have no meaning, a warning where they only describe no real body."""
    (finding,) = one(inertia).validate()
    assert (finding.severity, finding.where, finding.what) == (severity, "link", "inertia")
    assert says in finding.message
    assert str(finding) == f"{severity}: link: inertia: {finding.message}"


def test_round_off_of_a_point_mass_is_no_finding():
    assert Inertia(0.1, inertia_com=np.diag([1e-20, -3e-21, 5e-20]), check=False).findings() == []


@pytest.mark.parametrize("joint, inertia", [
    (Revolute("z"), POINT),
    (Revolute("z"), Inertia(1.0, [0, 0, 0.5])),
    (Spherical(), Inertia(1.0, [0.3, 0, 0])),
    (Free(), POINT),
    (Planar("z"), POINT),
    (Universal(), Inertia(1.0, [0.0, 0.0, 0.0])),
    (Revolute("x"), Inertia(1.0, inertia_com=np.diag([0.0, 0.1, 0.1]))),
])  # fmt: skip
def test_a_leaf_that_has_no_inertia_where_it_moves(joint, inertia):
    """Positive mass is not enough: S.T I S must be positive definite."""
    (finding,) = one(inertia, joint).validate()
    assert (finding.severity, finding.where, finding.what) == ("error", "link", "inertia not positive definite")
    assert f"joint 'hinge' ({joint.kind}) can move it in a direction in which it has no inertia" in finding.message
    assert "give it rotational inertia" in finding.message


@pytest.mark.parametrize("sequence", ["XZX", "ZYZ"])
def test_a_joint_that_locks_where_it_is_neutral_can_be_simulated_elsewhere(sequence):
    """Two of the three axes fall together there, whatever the inertia; elsewhere it is a ball joint."""
    model = one(Inertia.box([0.1, 0.2, 0.3], mass=1.0), EulerAngles(sequence))
    assert model.validate() == []
    ball = one(Inertia.box([0.1, 0.2, 0.3], mass=1.0), Spherical())
    q, rates = np.array([0.3, 1.0, 0.2]), np.array([1.0, 2.0, 3.0])
    joint = model.joint("hinge").type
    start = ball.joint("hinge").type.project(joint.pose(q))
    expected = rbd.simulate(ball, start, joint.motion_subspace(q)[:3] @ rates, 0.1).poses()[-1]
    assert np.abs(rbd.simulate(model, q, rates, 0.1).poses()[-1] - expected).max() < 1e-9  # of order 4 in 1 ms


@pytest.mark.parametrize("joint, inertia", [
    (Prismatic("z"), POINT), (Revolute("z"), Inertia(1.0, [1e-4, 0, 0])), (Fixed(), POINT),
])  # fmt: skip
def test_a_point_mass_is_enough_where_it_resists(joint, inertia):
    assert one(inertia, joint).validate() == []


@pytest.mark.parametrize("inertia, what", [(None, "missing inertia"), (Inertia.zero(), "zero mass on a moving leaf")])
def test_a_massless_moving_leaf(inertia, what):
    (finding,) = one(inertia).validate()
    assert (finding.severity, finding.where, finding.what) == ("error", "link", what)
    assert finding.message.startswith("joint 'hinge' (revolute) moves only bodies without mass")
    assert finding.message.endswith("give inertia=, or make the joint fixed")


def test_a_rotor_gives_a_massless_leaf_its_inertia():
    assert findings(one(Inertia.zero(), armature=0.1)) == []
    assert findings(one(POINT, armature=0.1)) == []
    assert findings(one(None, armature=0.1)) == [("warning", "link", "missing inertia")]
    (lame,) = findings(one(POINT, Spherical(), armature=[0.1, 0.1, 0.0]))
    assert lame == ("error", "link", "inertia not positive definite")


def test_a_massless_body_between_others_is_a_warning():
    model = one(None)
    model.add_body("hand", "link", Revolute("x"), inertia=BALL)
    (finding,) = model.validate()
    assert (finding.severity, finding.where, finding.what) == ("warning", "link", "missing inertia")
    assert "what it carries gives joint 'hinge' (revolute) its mass" in finding.message


@pytest.mark.parametrize("weld", [Fixed(), Reversed(Fixed())])
def test_what_is_fixed_to_a_leaf_counts(weld):
    """A flange without inertia on the moving link is fine; its mass off the axis is what makes it turn."""
    model = one(POINT)
    model.add_body("flange", "link", weld, placement=[0, 0, 0.3])
    assert findings(model) == [("error", "link", "inertia not positive definite")]
    model.add_body("weight", "flange", placement=[0.2, 0, 0], inertia=POINT)
    assert findings(model) == []
    empty = one(None)
    empty.add_body("flange", "link")
    empty.add_body("leaf", "flange", Revolute())
    assert findings(empty) == [("error", "link", "missing inertia"), ("error", "leaf", "missing inertia")]


def test_unmoved_bodies_need_no_inertia():
    model = Model()
    model.add_body("table")
    model.add_body("plate", "table", inertia=Inertia.zero())
    assert model.validate() == []


def test_mimic_joints_share_their_mass():
    """A massless finger that follows a heavy one moves with it."""
    model = one(BALL, Prismatic("x"))
    model.add_body("follower", joint=Prismatic("x"), inertia=Inertia.zero(), mimic=Mimic("hinge", -1.0))
    assert findings(model) == []
    both = one(None, Prismatic("x"))
    both.add_body("follower", joint=Prismatic("x"), inertia=Inertia.zero(), mimic=Mimic("hinge", -1.0))
    assert [f[:2] for f in findings(both)] == [("error", "link"), ("error", "follower")]


def test_an_axis_that_was_bent_afterwards():
    model = one(BALL)
    joint = Universal("x", "y")
    model.add_body("gimbal", "link", joint, inertia=BALL, joint_name="cross")
    joint.axis2 = np.array([0.0, 1.0, 0.5])
    (finding,) = model.validate()
    assert (finding.severity, finding.where, finding.what) == ("error", "gimbal", "non-unit axis")
    assert "axis2 [0.0, 1.0, 0.5] of joint 'cross' has length 1.11803399, not 1" in finding.message
    joint.axis2 = np.array([0.0, np.nan, 0.5])
    assert findings(model)[0][2] == "non-unit axis"


def test_duplicate_names_in_a_model_that_was_put_together_by_hand():
    model = double_pendulum()
    model.bodies = (*model.bodies[:2], replace(model.bodies[2], name="rod1"))
    (finding,) = model.validate()
    assert (finding.severity, finding.where, finding.what) == ("error", "rod1", "duplicate name")


def test_all_findings_come_at_once():
    model = one(Inertia(-1.0, check=False))
    model.add_body("ghost", "link", Revolute("x"))
    model.add_body("point", "link", Spherical(), inertia=POINT)
    assert [f[1:] for f in findings(model)] == [
        ("link", "inertia"), ("ghost", "missing inertia"), ("point", "inertia not positive definite"),
    ]  # fmt: skip


def test_followers_are_looked_at_once_each():
    """A joint that n others follow: the calls grow with n, not with its square."""

    def calls(n):
        model, count = Model(), 0
        rod = Inertia.box((0.1, 0.1, 0.1), mass=1.0)
        model.add_body("leader", joint=Revolute("z"), inertia=rod)
        for k in range(n):
            model.add_body(f"b{k}", joint=Revolute("z"), inertia=rod, mimic=Mimic("leader_joint"))

        def counted(frame, event, argument):
            nonlocal count
            count += 1

        before = sys.getprofile()
        sys.setprofile(counted)
        try:
            assert model.validate() == []
        finally:
            sys.setprofile(before)
        return count

    assert calls(200) < 2.1 * calls(100)


def linkage(rod=None, **joints):
    """A slider-crank of which the rod is massless."""
    y, bar = Revolute("y"), Inertia(1.0, [0.1, 0, 0], 1e-3 * np.eye(3))
    model = Model("linkage")
    model.add_body("crank", joint=y, inertia=joints.get("crank", bar))
    model.add_body("rod", "crank", joints.get("first", y), [0.2, 0, 0], rod)
    model.add_body("slider", joint=Prismatic("x"), inertia=joints.get("slider", bar))
    model.add_loop("pin", "rod", "slider", joints.get("last", y), [0.5, 0, 0])
    return model


def serious(model):
    return [f[:3] for f in findings(model) if f[0] != "note"]


def test_a_massless_link_that_a_loop_leads():
    assert serious(linkage()) == [("warning", "rod", "missing inertia")]
    assert "loops or constraints determine how it moves" in str(linkage().validate()[0])
    assert serious(linkage(Inertia.zero())) == []
    assert serious(linkage(first=Universal("y", "z"), last=Spherical())) == [("warning", "rod", "missing inertia")]
    assert serious(linkage(crank=None)) == [("warning", name, "missing inertia") for name in ("crank", "rod")]


def test_massless_links_that_loops_leave_free():
    """A rod between two balls turns about itself; a leaf hangs on it; a mechanism of nothing but massless links."""
    (free,) = linkage(first=Spherical(), last=Spherical()).validate()[:1]
    assert (free.severity, free.where) == ("error", "rod") and "do not determine how it moves" in free.message
    model = linkage()
    model.add_body("leaf", "rod", Revolute("y"), [0.1, 0, 0])
    assert [f[:2] for f in serious(model)] == [("warning", "rod"), ("error", "leaf")]
    none = serious(linkage(crank=None, slider=None))
    assert none == [("error", name, "missing inertia") for name in ("crank", "rod", "slider")]


def test_two_joints_of_a_loop_on_one_axis_with_nothing_between():
    model = linkage(BALL)
    model.add_body("ring", "slider", Revolute("y"))
    model.add_body("wheel", "ring", Revolute("y"), inertia=Inertia(1.0, [0.1, 0, 0]))
    found = [f for f in model.validate() if f.severity == "error"]
    assert [f.what for f in found] == ["inertia not positive definite"]
    assert "'ring_joint', 'wheel_joint' can move together" in found[0].message


LINE = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0)


def two_hinges(second, between=None):
    """A box on two hinges, with nothing between them, or `between`; the first lies on a skew line."""
    model = rbd.Model("two hinges")
    model.add_body("ring", joint=rbd.Revolute(LINE), placement=[0.1, 0.2, 0.3], inertia=between)
    inertia = rbd.Inertia(1.0, (0.2, 0.0, 0.0), np.diag([0.1, 0.2, 0.3]))
    model.add_body("box", parent="ring", joint=rbd.Revolute(second), placement=0.7 * LINE, inertia=inertia)
    return model


@pytest.mark.parametrize("between", [None, rbd.Inertia(2.0, com=0.3 * LINE)], ids=["nothing", "mass on the line"])
def test_hinges_on_one_line_with_nothing_between_them_are_refused(between):
    """The mass matrix is singular in every pose; its last digits gave accelerations of 3 or of 3e17 rad/s2."""
    model = two_hinges(LINE, between)
    q, v, none = [0.3, 0.2], [0.1, 0.2], np.zeros(2)
    assert abs(np.linalg.det(rbd.crba(model, q))) < 1e-15  # of entries near 0.3
    (finding,) = [finding for finding in model.validate() if finding.severity == "error"]
    assert finding.where == "ring" and "joint 'ring_joint' moves something without inertia" in finding.message
    calls = [
        partial(f, model, q, v, none, backend=b) for f in (rbd.aba, rbd.forward_dynamics) for b in ("auto", "book")
    ]
    stack = [np.tile(x, (9, 1)) for x in (q, v, none)]
    calls += [partial(rbd.aba, model, *stack), partial(rbd.forward_dynamics_derivatives, model, q, v, none)]
    calls += [partial(rbd.simulate, model, q, v, 0.01, formulation=f) for f in ("joint", "redmax", "maximal", "se3")]
    for call in calls:
        with pytest.raises(
            (ModelError, SimulationError), match="joint 'ring_joint' moves something without inertia: body 'ring'"
        ):
            call()
    np.testing.assert_allclose(rbd.rnea(model, q, none, [1.0, -1.0]), rbd.rnea(model, q, none, none), atol=1e-15)


@pytest.mark.parametrize("model", [two_hinges("x"), two_hinges(LINE, rbd.Inertia.sphere(0.01, mass=0.01))], ids=repr)
def test_hinges_that_feel_inertia_are_let_pass(model):
    """Crossed hinges need nothing between them, and a ball of a millionth of the box's inertia is enough."""
    assert not [finding for finding in model.validate() if finding.severity == "error"]
    q, tau = np.array([0.3, 0.2]), np.array([0.1, -0.2])
    acceleration = rbd.aba(model, q, np.zeros(2), tau)
    known = rbd.rnea(model, q, np.zeros(2), acceleration)
    np.testing.assert_allclose(known, tau, rtol=0.0, atol=1e-9)  # 1e6 in condition, of round-off 1e-15


def oblique_gimbal(draw):
    """A gimbal on a body that turns, with axes in no plane of coordinates: outer and rotor axis coincide at zero."""
    outer, inner = (axis / np.linalg.norm(axis) for axis in draw.normal(size=(2, 3)))
    inertia = rbd.Inertia(1.0, (0.1, 0.02, 0.2), np.diag([0.1, 0.2, 0.3]))
    model = rbd.Model("gimbal")
    model.add_body("base", joint=rbd.Revolute("x"), inertia=inertia)
    model.add_body("outer", "base", rbd.Revolute(outer))
    model.add_body("inner", "outer", rbd.Revolute(inner))
    model.add_body("rotor", "inner", rbd.Revolute(outer), inertia=inertia)
    return model


@pytest.mark.parametrize("ask", [rbd.aba, rbd.forward_dynamics])
def test_accelerations_in_a_pose_without_inertia_are_refused(ask):
    """Round-off of oblique axes leaves a little inertia there: it gave 1e15 rad/s2 and more. Beside it all is well."""
    draw = np.random.default_rng(4)
    for _ in range(5):
        model = oblique_gimbal(draw)
        q, v, tau = draw.normal(size=(3, 4))
        q[2] = 0.0
        beside = q + [0.0, 0.0, 1e-3, 0.0]
        for options in ({}, {"backend": "book"}):
            with pytest.raises(ModelError, match=r"joint 'outer_joint' moves .* at q = "):
                ask(model, q, v, tau, **options)
            assert np.isfinite(ask(model, beside, v, tau, **options)).all()
        with pytest.raises(ModelError, match="joint 'outer_joint' moves"):
            ask(model, np.array([beside, q]), np.array([v, v]), np.array([tau, tau]))


def test_a_point_mass_may_be_thrown_hard():
    """A pendulum of a point mass resists about its hinge: huge accelerations are right there."""
    model = rbd.Model("pendulum", gravity=(0, 0, 0))
    model.add_body("ball", joint=rbd.Revolute("y"), inertia=rbd.Inertia(2.0, com=(0, 0, -1)))
    assert rbd.aba(model, [0.3], [0.0], [4e12]).tolist() == [2e12]


def test_a_pose_without_inertia_is_refused_where_a_motion_begins():
    """Three hinges as a gimbal: in the pose in which two of them lie on one line, and in no other."""
    model = rbd.Model("gimbal")
    for name, axis in (("outer", "z"), ("inner", "y")):
        model.add_body(name, model.bodies[-1], rbd.Revolute(axis))
    inertia = rbd.Inertia(1.0, (0.2, 0.0, 0.0), np.diag([0.1, 0.2, 0.3]))
    model.add_body("rotor", "inner", rbd.Revolute("z"), inertia=inertia)
    assert not [finding for finding in model.validate() if finding.severity == "error"]
    with pytest.raises(ModelError, match=r"joint 'outer_joint' moves .* body 'outer' can .* at q = \[0.3, 0.0"):
        rbd.simulate(model, [0.3, 0.0, 0.1], duration=0.01)
    assert not rbd.simulate(model, [0.3, 1.2, 0.1], duration=0.01).report.stopped
