"""Closed loops by compiled code against the book's way to solve the whole equation at once."""

import os

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.loops import loop_equation, solve_directly
from rbdkit.engine import Kernels, kernels_for
from rbdkit.formulations import SE3, Baumgarte, JointSystem
from rbdkit.joints import Reversed

SEEDS = range(int(os.environ.get("RBDKIT_TREES", "12")))


def book(case, q, v, tau):
    acting = tau + algorithms.passive_force(case.model, q, v, t=case.t)
    return solve_directly(loop_equation(case.model, q, v, acting, f_ext=case.f_ext, t=case.t)).qdd


@pytest.mark.source("F8.07")
@pytest.mark.parametrize("special", [False, True], ids=["plain", "followers and driven joints"])
@pytest.mark.parametrize("seed", SEEDS)
def test_forward_dynamics(looped, seed, special):
    """Two algorithms on the same H, C, K and k agree to what their conditioning, below 1e6, leaves of the digits."""
    case = looped(seed, special)
    m, q, v, tau, f_ext = case.args
    expected = book(case, q, v, tau)
    found = rbd.forward_dynamics(m, q, v, tau, f_ext=f_ext, t=case.t)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9 * max(1.0, np.abs(expected).max()))


def compiled(looped):
    """Cases that compiled code knows."""
    cases = [looped(seed) for seed in SEEDS]
    return [case for case in cases if kernels_for(case.model).rows is not None]


def straight(looped):
    """Those among them without reversed joints: where such a loop is open, its rows are fixed in another body."""
    cases = [looped(seed) for seed in range(40)]
    known = (case for case in cases if kernels_for(case.model).rows is not None)
    return [case for case in known if not any(isinstance(loop.joint.type, Reversed) for loop in case.model.loops)]


def test_some_cases_are_compiled(looped):
    assert len(compiled(looped)) >= 3 and len(straight(looped)) >= 2


def test_states_in_lanes_are_the_same(looped):
    for case in compiled(looped)[:2]:
        rng = np.random.default_rng(1)
        q = np.array([case.model.integrate(case.q, 1e-3 * rng.normal(size=case.model.nv)) for _ in range(600)])
        v, tau = rng.normal(size=(2, 600, case.model.nv))
        found = rbd.forward_dynamics(case.model, q, v, tau, t=case.t)
        for k in (0, 311, 599):
            one = rbd.forward_dynamics(case.model, q[k], v[k], tau[k], t=case.t)
            np.testing.assert_allclose(found[k], one, rtol=1e-9, atol=1e-9 * np.abs(one).max())


@pytest.mark.parametrize("backend", ["python", "llvm"])
def test_other_code_computes_the_same(looped, backend):
    case = compiled(looped)[0]
    m, q, v, tau, _ = case.args
    found = Kernels(m, backend).forward_dynamics(q, v, tau)
    expected = rbd.forward_dynamics(m, q, v, tau)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-10 * np.abs(expected).max())


def _inside(type):
    """The joint inside of a reversed one."""
    type = type.simplified()
    return type.joint if isinstance(type, Reversed) else type


def test_reactions_close_the_balance_of_forces(looped):
    """Of joints whose wrenches stand still in the successor; the rows of all are those that stand in K."""
    known = compiled(looped)
    for case in known[:4]:
        m, q, v, tau, f_ext = case.args
        qdd, reactions = kernels_for(m).reactions(q, v, tau, f_ext, case.t)
        acting = tau + algorithms.passive_force(m, q, v, t=case.t)
        equation = loop_equation(m, q, v, acting, f_ext=f_ext, t=case.t)
        across = -kernels_for(m).constraint_rows(q, v, case.t).K.T @ reactions
        np.testing.assert_allclose(equation.H @ qdd + equation.C_, equation.tau + across, rtol=0.0, atol=1e-7)
    still = [c for c in known if all(_inside(loop.joint.type).constant_T for loop in c.model.loops)]
    assert still
    for case in still[:3]:
        m, q, v, tau, f_ext = case.args
        qdd, reactions = kernels_for(m).reactions(q, v, tau, f_ext, case.t)
        equation = loop_equation(m, q, v, tau + algorithms.passive_force(m, q, v, t=case.t), f_ext=f_ext, t=case.t)
        T = kernels_for(m).transmitted()
        poses = algorithms.forward_kinematics(m, q, t=case.t).poses
        across = np.zeros(m.nv)
        for loop, own in zip(m.loops, T, strict=True):
            lam, reactions = -reactions[: len(own)], reactions[len(own) :]
            turned = isinstance(loop.joint.type.simplified(), Reversed)
            ends = (loop.predecessor, loop.successor)[:: -1 if turned else 1]
            J_S = algorithms.jacobian(m, q, m.bodies[ends[1]].name, reference="body", t=case.t)
            J_P = algorithms.jacobian(m, q, m.bodies[ends[0]].name, reference="body", t=case.t)
            X = rbd.spatial.se3.adjoint(rbd.spatial.se3.inverse(poses[ends[1]]) @ poses[ends[0]])
            across += (J_S - X @ J_P).T @ (own.T @ lam)
        np.testing.assert_allclose(equation.H @ qdd + equation.C_, equation.tau + across, rtol=0.0, atol=1e-7)


def test_baumgartes_terms_are_those_of_the_book(looped):
    for case in straight(looped)[:3]:
        m, q, v, *_ = case.args
        off, fast = m.integrate(q, np.full(m.nv, 1e-6)), v + 0.1
        pulled = JointSystem(m, baumgarte=Baumgarte(5.0, 7.0))
        expected = pulled.index1(case.t, off, fast).accelerations()
        np.testing.assert_allclose(
            pulled.rate(case.t, off, fast), expected, rtol=0.0, atol=1e-8 * np.abs(expected).max()
        )


def test_a_changed_length_compiles_nothing(looped, monkeypatch):
    case = straight(looped)[0]
    m, q, v, tau, _ = case.args
    rbd.forward_dynamics(m, q, v, tau)
    loop, moved = m.loops[0], m.loops[0].joint.placement.copy()
    moved[:3, 3] += 0.01
    longer = m.with_parameters({f"{loop.joint.name}.placement": moved})
    from rbdkit.engine.run import compiled_programs

    with monkeypatch.context() as patch:
        patch.setattr(compiled_programs, "executable", lambda *_: pytest.fail("compiled again"))
        found = rbd.forward_dynamics(longer, q, v, tau)
    expected = JointSystem(longer, lambda *_: tau).index1(0.0, q, v).accelerations()
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-8 * np.abs(expected).max())


def test_bodies_with_constraints_move_alike(looped):
    """In SE(3)^n all joints are constraints; the velocities of its bodies change as those of the tree do."""
    for case in compiled(looped)[:3]:
        m, q, v, *_ = case.args
        qdd, h = rbd.forward_dynamics(m, q, v, np.zeros(m.nv)), 1e-4
        system = SE3(m)
        x, w = system.state(q, v)

        def twists(s, m=m, q=q, v=v, qdd=qdd, system=system):
            return system.state(m.integrate(q, s * v + 0.5 * s * s * qdd), v + s * qdd)[1]

        slope = (8.0 * (twists(h) - twists(-h)) - twists(2 * h) + twists(-2 * h)) / (12.0 * h)
        expected = system.rate(0.0, x, w)
        np.testing.assert_allclose(slope, expected, rtol=0.0, atol=1e-7 * max(1.0, np.abs(expected).max()))
