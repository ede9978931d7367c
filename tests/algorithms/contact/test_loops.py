"""Contacts in systems with loops, against every choice of contacts in the whole system of equations."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.algorithms import crba
from rbdkit.algorithms.contact import (
    PointContact,
    SphereOnPlane,
    contact_equation,
    contact_impulse,
    contact_motion,
    event_driven,
    separation,
)
from rbdkit.algorithms.kinematics import forward_kinematics, in_world
from rbdkit.algorithms.loops import loop_equation
from rbdkit.algorithms.solvers import InfeasibleError, quadratic_program


def linkage(seed):
    """A four-bar that turns, and what is to touch: bodies, places on them, normals, and their rates."""
    rng = np.random.default_rng(seed)
    model = rbd.library.planar_four_bar(rbd.SphereInCylinder("y"), angle=float(rng.uniform(0.5, 2.5)))
    q = model.neutral()
    qd = rbd.project_velocity(model, q, (seed % 4 == 3) * rng.normal(size=model.nv))
    bodies = rng.choice([body.name for body in model.bodies[1:]], 4)
    return model, q, qd, [(str(body), *rng.normal(size=(4, 3))) for body in bodies], rng


def resting(model, q, qd, name, body, at, n, n_rate, point_rate):
    """A contact at a point of the body; its normal stands across the velocity there, if there is any."""
    kinematics = forward_kinematics(model, q, qd)
    pose, v = kinematics.pose(body), in_world(kinematics.pose(body), kinematics.velocity(body))
    point = pose[:3, :3] @ at + pose[:3, 3]
    speed = v[3:] + np.cross(v[:3], point)
    n = n - speed * (n @ speed) / max(speed @ speed, 1e-30)
    n /= np.linalg.norm(n)
    return PointContact(name, "world", body, point, n, point_rate, n_rate - n * (n @ n_rate))


def every_choice(equation, loops):
    H, K, n = equation.H, loops.constraint.K, len(equation.H)
    found = []
    for size in range(len(equation.contacts) + 1):
        for rows in map(list, combinations(range(len(equation.contacts)), size)):
            A = np.vstack([K, equation.T[:, rows].T])
            if np.linalg.svd(A)[1][-1] < 1e-9 or len(A) > n:
                continue
            k = np.concatenate([loops.space.k, -equation.Tdot_qd[rows]])
            matrix = np.block([[H, -A.T], [A, np.zeros((len(A), len(A)))]])
            x = np.linalg.solve(matrix, np.concatenate([equation.tau - equation.C, k]))
            zeta = equation.T.T @ x[:n] + equation.Tdot_qd
            if x[n + len(K) :].min(initial=0.0) > -1e-8 and zeta.min() > -1e-8:
                found.append(x[:n])
    return found


@pytest.mark.source("F11.04")
@pytest.mark.parametrize("seed", range(8))
def test_a_four_bar_with_contacts(seed):
    """M = T^T G (G^T H G)^-1 G^T T. The linkage has one freedom: contacts are soon more than enough.

    Where it turns, a normal across the velocity of its point is one that nothing moves along, and M is zero.
    """
    model, q, qd, given, rng = linkage(seed)
    contacts = [resting(model, q, qd, f"C{i}", *each) for i, each in enumerate(given)]
    tau = 3.0 * rng.normal(size=model.nv)
    equation = contact_equation(model, q, qd, tau, contacts)
    assert_allclose(equation.zeta, 0.0, atol=1e-12)
    loops = loop_equation(model, q, qd, tau)
    known = every_choice(equation, loops)
    for method in ("active set", "lemke", "gauss"):
        if not known:
            with pytest.raises(InfeasibleError, match="C"):
                contact_motion(equation, method)
            continue
        motion = contact_motion(equation, method)
        assert_allclose(motion.qdd, known[0], atol=1e-8 * (1 + np.abs(known[0]).max()))
        assert_allclose(loops.constraint.K @ motion.qdd, loops.space.k, atol=1e-8 * (1 + np.abs(known[0]).max()))
    none = contact_equation(model, q, qd, tau, [])
    assert_allclose(none.free, rbd.forward_dynamics(model, q, qd, tau), rtol=1e-9, atol=1e-9)


@pytest.mark.source("F11.13", "F11.14")
@pytest.mark.parametrize("seed", range(6))
def test_a_blow_on_a_four_bar(seed):
    """Without restitution the nearest velocity that parts all contacts and keeps the loop closed."""
    model, q, qd, given, _ = linkage(seed)
    body, at, n, _, _ = given[0]
    contacts = [PointContact("C", "world", body, at, n / np.linalg.norm(n), np.zeros(3), np.zeros(3))]
    H, K = crba(model, q).H, loop_equation(model, q, qd, np.zeros(model.nv)).constraint.K
    T, zeta, _ = separation(model, q, qd, contacts)
    found = contact_impulse(model, q, qd, contacts, 0.0)
    near = quadratic_program(H, H @ qd, C=T.T, G=K)
    assert_allclose(found.qd, near.x, atol=1e-9 * (1 + np.abs(qd).max()))
    assert_allclose(K @ found.qd, 0.0, atol=1e-9)
    bounced = contact_impulse(model, q, qd, contacts, 1.0)
    if zeta[0] < 0.0:
        assert_allclose(bounced.zeta_after, -zeta, rtol=1e-9)
        assert abs(bounced.energy_lost) < 1e-9 * (qd @ H @ qd)


def test_a_contact_that_separates_slowly_comes_to_rest_on_a_linkage():
    """What is left of its speed is taken away by a motion that the loops allow: they stay closed, to rounding."""
    model = rbd.library.planar_four_bar(angle=1.2)
    q, name = model.neutral(), model.bodies[1].name
    v = rbd.project_velocity(model, q, np.ones(model.nv))
    ball = SphereOnPlane("floor", "world", name, (0.1, 0.0, 0.1), 0.05)
    here = ball.at(model, q, v)
    floor = replace(ball, on=(0.0, 0.0, here.phi))
    v *= 5e-4 / separation(model, q, v, [here])[1][0]  # it separates at half the speed that counts as rest
    run = event_driven(model, q, v, [floor], duration=1e-4, settle=1e-3)
    assert run.changes[0].tried == ("floor",)
    still = loop_equation(model, run.q[0], run.v[0], np.zeros(model.nv)).constraint
    assert_allclose(still.K @ run.v[0], 0.0, atol=1e-16)
    assert_allclose(run.v[0], 0.0, atol=1e-16)  # its one freedom is held
