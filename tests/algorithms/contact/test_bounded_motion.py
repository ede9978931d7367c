"""Joint limits, contacts and loops in one program, against the complementarity problem and against locked joints."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.algorithms import aba
from rbdkit.algorithms.contact import VertexOnPlane, bounded_motion, contact_equation, contact_motion, limit_rows
from rbdkit.algorithms.solvers import lemke
from rbdkit.errors import ModelError, StateError
from rbdkit.spatial import se3


def arm(n=3, upper=0.4):
    model = rbd.Model("arm")
    parent = "world"
    for i in range(n):
        model.add_body(f"link{i}", parent, rbd.Revolute("y"), [0.0, 0.0, 0.0] if i == 0 else [0.5, 0.0, 0.0],
                       rbd.Inertia.box([0.5, 0.05, 0.05], mass=1.0 + i).transformed(se3.pose(None, [0.25, 0.0, 0.0])),
                       limits=rbd.Limits(lower=-0.4, upper=upper))  # fmt: skip
        parent = f"link{i}"
    return model


@pytest.mark.source("S2.21")
@pytest.mark.parametrize("seed", range(10))
def test_an_arm_at_its_stops(seed):
    """The program in qdd against the complementarity problem in the forces of the stops."""
    rng = np.random.default_rng(seed)
    model = arm()
    q, tau = rng.choice([-0.4, 0.4, 0.1], 3), 30.0 * rng.normal(size=3)
    found = bounded_motion(model, q, np.zeros(3), tau)
    rows, names = limit_rows(model, q, np.zeros(3))
    assert names == found.names and len(names) == np.count_nonzero(np.abs(q) == 0.4)
    H, free = rbd.algorithms.crba(model, q).H, aba(model, q, np.zeros(3), tau).qdd
    solved = lemke(rows @ np.linalg.solve(H, rows.T), rows @ free)
    assert_allclose(found.lam, solved.lam, atol=1e-9 * (1 + np.abs(solved.lam).max(initial=0.0)))
    assert_allclose(found.qdd, aba(model, q, np.zeros(3), tau + rows.T @ solved.lam).qdd, atol=1e-8)


@pytest.mark.source("S2.21")
def test_a_stop_and_a_floor_at_once():
    """All bounds together, Eq 2.104: the last link lies on the floor and the first one at its stop."""
    model = arm(2, upper=0.0)
    tip = VertexOnPlane("tip", "world", "link1", (0.5, 0.0, 0.0), (0.0, 0.0, 0.0))
    q, v = np.zeros(2), np.zeros(2)
    contact = tip.at(model, q, v)
    rng = np.random.default_rng(1)
    for _ in range(10):
        tau = 20.0 * rng.normal(size=2)
        found = bounded_motion(model, q, v, tau, [contact])
        assert found.names == ("tip", "link0_joint above", "link1_joint above")
        rows = np.vstack([contact_equation(model, q, v, tau, [contact]).T.T, limit_rows(model, q, v)[0]])
        H, free = rbd.algorithms.crba(model, q).H, aba(model, q, v, tau).qdd
        solved = lemke(rows @ np.linalg.solve(H, rows.T), rows @ free)
        assert_allclose(found.qdd, free + np.linalg.solve(H, rows.T @ solved.lam), atol=1e-9)
    without = bounded_motion(model, np.array([0.0, -0.2]), v, tau)
    assert without.names == ("link0_joint above",)


@pytest.mark.source("S2.21")
def test_loops_and_contacts():
    """On a linkage it is the answer of `contact_motion`, which solves for the forces."""
    model = rbd.library.planar_four_bar(rbd.SphereInCylinder("y"), angle=1.0)
    q, qd = model.neutral(), np.zeros(model.nv)
    place = rbd.forward_kinematics(model, q).pose("coupler")[:3, 3]
    floor = VertexOnPlane("floor", "world", "coupler", (0.0, 0.0, 0.0), tuple(place.tolist()))
    contact = floor.at(model, q, qd)
    tau = np.array([5.0, 0.0, 0.0])
    found = bounded_motion(model, q, qd, tau, [contact])
    known = contact_motion(contact_equation(model, q, qd, tau, [contact]))
    assert_allclose(found.qdd, known.qdd, atol=1e-9)
    assert_allclose(found.lam, known.lam, rtol=1e-9, atol=1e-12)


def test_what_is_refused():
    model = arm(1)
    with pytest.raises(StateError, match=r"q = 0.5 is above its limit 0.4"):
        bounded_motion(model, np.array([0.5]), np.zeros(1), np.zeros(1))
    with pytest.raises(StateError, match="runs into its limit with 2"):
        bounded_motion(model, np.array([0.4]), np.array([2.0]), np.zeros(1))
    assert bounded_motion(model, np.array([0.4]), np.array([-2.0]), np.zeros(1)).names == ()
    flat = rbd.Model("puck")
    flat.add_body("puck", joint=rbd.Planar("z"), inertia=rbd.Inertia.sphere(0.1, mass=1.0),
                  limits=rbd.Limits(upper=1.0))  # fmt: skip
    with pytest.raises(ModelError, match="'puck_joint' has limits and 3"):
        bounded_motion(flat, flat.neutral(), np.zeros(3), np.zeros(3))


def test_a_joint_that_follows_has_limits_of_its_own():
    model = rbd.Model("gripper", gravity=(0.0, 0.0, 0.0))
    finger = rbd.Inertia.box([0.1, 0.1, 0.1], mass=1.0)
    model.add_body("left", joint=rbd.Prismatic("x"), inertia=finger)
    model.add_body("right", joint=rbd.Prismatic("x"), inertia=finger, mimic=rbd.Mimic("left_joint", -2.0),
                   limits=rbd.Limits(lower=-0.2))  # fmt: skip
    found = bounded_motion(model, np.array([0.1]), np.zeros(1), np.array([3.0]))
    assert found.names == ("right_joint below",)
    assert_allclose([found.qdd[0], found.lam[0]], [0.0, 1.5], atol=1e-12)  # 2 N of the stop are 1 N on the leader
