"""What each constraint holds, written out by hand with the poses of two bodies that fly, and with hooks on them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.algorithms.constraints import constraints_of
from rbdkit.errors import ModelError

HOOK = rbd.pose([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [0.3, -0.2, 0.1])
EYE = rbd.pose([[1.0, 0.0, 0.0], [0.0, 0.6, -0.8], [0.0, 0.8, 0.6]], [-0.4, 0.5, 0.2])
STEP = 1e-6


def flyers():
    """Bodies a and b with a hook and an eye, hinged arms on both, and a state."""
    model, body = rbd.Model("flyers"), rbd.Inertia.sphere(0.1, mass=1.0)
    for name, frame, placement in (("a", "hook", HOOK), ("b", "eye", EYE)):
        model.add_body(name, joint=rbd.Free(), inertia=body)
        model.add_body(f"{name} arm", name, rbd.Revolute("y"), [0.1, 0.2, 0.3], body, joint_name=f"{name} hinge")
        model.add_frame(frame, name, placement)
    model.add_body("sled", joint=rbd.Planar("z"), inertia=body, joint_name="ice")
    rng = np.random.default_rng(6)
    return model, model.random_q(rng), rng.normal(size=model.nv)


def gap_of(element):
    """The constraint on them, the model, the state, and the poses of hook and eye."""
    model, q, v = flyers()
    model.add_constraint("own", element)
    (own,) = constraints_of(model)
    poses = rbd.forward_kinematics(model, q)
    return own, model, q, v, poses.pose("hook"), poses.pose("eye")


def test_distance_and_string():
    ends = (0.1, 0.2, -0.3), (0.4, 0.0, 0.5)
    for kind, sign in ((rbd.Distance, 1.0), (rbd.TautString, -1.0)):
        element = kind("hook", "eye", 0.7, *ends)
        own, _, q, _, A, B = gap_of(element)
        a, b = ((T @ [*x, 1.0])[:3] for T, x in zip((A, B), ends, strict=True))
        assert_allclose(own.gap(q), [sign * (np.linalg.norm(b - a) - 0.7)], rtol=1e-13)
        assert element.ends() == (("hook", ends[0]), ("eye", ends[1]))


def test_points_on_a_plane_and_on_a_line():
    """Coordinates of the point in the frame: z less the height, and x and y."""
    own, _, q, _, A, B = gap_of(rbd.PointOnPlane("eye", "hook", (0.1, 0.2, -0.3), 0.4))
    there = np.linalg.inv(A) @ B @ [0.1, 0.2, -0.3, 1.0]
    assert_allclose(own.gap(q), [there[2] - 0.4], rtol=1e-13)
    own, _, q, _, A, B = gap_of(rbd.PointOnLine("eye", "hook", (0.1, 0.2, -0.3)))
    assert_allclose(own.gap(q), there[:2], rtol=1e-13)


def test_ties_and_limits():
    own, model, q, _, *_ = gap_of(rbd.Tie("b hinge", "a hinge", -2.5, 0.3))
    a, b = (model.joint(f"{name} hinge").coordinates(q)[0] for name in "ab")
    assert_allclose(own.gap(q), [b + 2.5 * a - 0.3], rtol=1e-14)
    x, y = model.joint("ice").coordinates(q)[1:]
    for limit, expected in (
        (rbd.Limit("a hinge", -0.4, 0.7), [a + 0.4, 0.7 - a]),
        (rbd.Limit("a hinge", None, 0.7), [0.7 - a]),
        (rbd.Limit("ice", -0.4, None, "x"), [x + 0.4]),
        (rbd.Limit("ice", -0.4, 0.9, "y"), [y + 0.4, 0.9 - y]),
    ):
        assert_allclose(gap_of(limit)[0].gap(q), expected, rtol=1e-14)


@pytest.mark.parametrize("axle", [None, (0.3, 1.0, -0.2)], ids=["ball", "wheel"])
def test_rolling(axle):
    """Gap: height of the lowest point of the circle, found among many. Slip: how points of both bodies part there."""
    own, model, q, v, A, B = gap_of(rbd.Rolling("eye", "hook", 0.6, axle))
    inside = np.linalg.inv(A) @ B  # the wheel in the frame of the plane
    if axle is None:
        lowest = inside[:3, 3] - [0.0, 0.0, 0.6]
    else:
        n = inside[:3, :3] @ axle / np.linalg.norm(axle)
        turns = np.linspace(0.0, 2.0 * np.pi, 100_001)[:, None]
        u = np.cross(n, [1.0, 0.0, 0.0])
        u /= np.linalg.norm(u)
        rim = inside[:3, 3] + 0.6 * (np.cos(turns) * u + np.sin(turns) * np.cross(n, u))
        lowest = rim[np.argmin(rim[:, 2])]
    assert_allclose(own.gap(q)[0], lowest[2], atol=1e-9)  # a circle is flat at its lowest point
    touching = A @ [*lowest, 1.0]
    on_plane, on_wheel = (np.linalg.inv(T) @ touching for T in (A, B))

    def parted(s):
        poses = rbd.forward_kinematics(model, model.integrate(q, s * v))
        return (poses.pose("eye") @ on_wheel - poses.pose("hook") @ on_plane)[:3]

    rate = A[:3, :2].T @ (parted(STEP) - parted(-STEP)) / (2.0 * STEP)
    assert_allclose(own.slip(q, v)[1:], rate, atol=1e-4 if axle else 1e-8)  # the lowest of 100,000 points


@pytest.mark.parametrize("wrong, message", [
    (lambda: rbd.Rolling("eye", "hook", 0.0), "radius 0.0 must be"),
    (lambda: rbd.Rolling("eye", "hook", -1.0), "radius -1.0 must be"),
    (lambda: rbd.Rolling("eye", "hook", 1.0, (0.0, 0.0, 0.0)), "axle"),
    (lambda: rbd.Rolling("eye", "eye", 1.0), "name two bodies"),
    (lambda: rbd.Distance("eye", "hook", 0.0), "length 0.0 must be"),
    (lambda: rbd.Distance("eye", "eye", 1.0), "on 'eye'"),
    (lambda: rbd.PointOnPlane("eye", "eye"), "both of 'eye'"),
    (lambda: rbd.PointOnLine("eye", "eye"), "both of 'eye'"),
    (lambda: rbd.Tie("a hinge", "b hinge", 0.0), "would hold 'a hinge' still"),
    (lambda: rbd.Tie("a hinge", "a hinge", 1.0), "cannot follow itself"),
    (lambda: rbd.Limit("a hinge", 0.5, 0.5), "must be below the upper one"),
])  # fmt: skip
def test_what_has_no_meaning_is_refused(wrong, message):
    with pytest.raises(ModelError, match=message):
        wrong()


def test_what_is_no_constraint_is_refused():
    model, *_ = flyers()
    for wrong, hint in ((5, "5 is no constraint"), ("rod", "'rod' is no constraint"),
                        (rbd.Distance, r"give an object of a ConstraintElement class, Distance\(\.\.\.\)"),
                        (int, "give an object of a ConstraintElement class$"),
                        (rbd.JointFriction("a hinge", 0.1), "is no constraint")):  # fmt: skip
        with pytest.raises(ModelError, match=hint):
            model.add_constraint("own", wrong)
    assert not model.constraints


def test_units_are_those_of_joints():
    model, *_ = flyers()
    model.add_body("lift", joint=rbd.Prismatic("z"), inertia=rbd.Inertia(1.0), joint_name="shaft")
    for name, element in (("rack", rbd.Tie("shaft", "a hinge", 0.1)), ("pinion", rbd.Tie("a hinge", "shaft", 10.0)),
                          ("top", rbd.Limit("shaft", 0.0, 3.0)), ("edge", rbd.Limit("ice", 0.0, None, "x")),
                          ("turn", rbd.Limit("ice", 0.0, None, "angle"))):  # fmt: skip
        model.add_constraint(name, element)
    units = {own.name: [row.unit for row in own.rows] for own in constraints_of(model)}
    assert units == {"rack": ["m"], "pinion": ["rad"], "top": ["m", "m"], "edge": ["m"], "turn": ["rad"]}
