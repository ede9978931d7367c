"""Forces for a motion of loops, against forward dynamics; the free choice, made and left."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.loops import (
    actuated_freedoms,
    closed_loop_inverse_dynamics,
    loop_constraint,
    loop_equation,
    solve_directly,
)
from rbdkit.errors import ModelError, StateError
from rbdkit.library import planar_four_bar


def motion_of(case, seed):
    constraint = loop_constraint(case.model, case.q, case.v, t=case.t)
    K = constraint.K
    anything = np.random.default_rng(seed).normal(size=case.model.nv)
    return constraint, anything + np.linalg.pinv(K) @ (constraint.k - K @ anything)


@pytest.mark.source("F8.19")
@pytest.mark.parametrize("seed", range(10))
def test_forces_bring_the_motion_about(seed, looped):
    """The smallest ones, weighted ones, and these with any of the free ones added: the motion is the same."""
    case = looped(seed, seed % 2 == 1)
    constraint, a = motion_of(case, seed)
    rng = np.random.default_rng(seed)
    efforts = {loop.joint.name: rng.normal(size=loop.joint.nv) for loop in case.model.loops}
    at = case.model, case.q, case.v
    plain = closed_loop_inverse_dynamics(*at, a, f_ext=case.f_ext, t=case.t, tau_loop=efforts)
    weights = rng.uniform(0.5, 5.0, case.model.nv)
    weighted = closed_loop_inverse_dynamics(*at, a, f_ext=case.f_ext, t=case.t, tau_loop=efforts, weights=weights)
    assert plain.free.shape == (case.model.nv, constraint.n_c)
    assert_allclose(constraint.K @ np.linalg.pinv(constraint.K) @ constraint.K, constraint.K, atol=1e-10)
    z = rng.normal(size=constraint.n_c)
    condition = np.linalg.cond(loop_equation(*case.args[:4], f_ext=case.f_ext, t=case.t).matrix)
    for tau in (plain.tau, weighted.tau, plain.tau + plain.free @ z, plain.tau_ID):
        found = solve_directly(loop_equation(*at, tau, f_ext=case.f_ext, t=case.t, tau_loop=efforts))
        assert_allclose(found.qdd, a, atol=1e-13 * condition * (1.0 + np.abs(a).max()))
    assert_allclose(plain.G.T @ plain.free, 0.0, atol=1e-11 * (1 + np.abs(plain.G).max()))
    # of all tau that do it these are the smallest: the gradient has no free part
    scale = 1e-10 * (1.0 + np.abs(plain.tau_ID).max())
    assert_allclose(plain.free.T @ plain.tau, 0.0, atol=scale)
    assert_allclose(plain.free.T @ (weights * weighted.tau), 0.0, atol=10 * scale)
    assert weights @ weighted.tau**2 <= weights @ plain.tau**2 * (1 + 1e-12)
    tau_tree = algorithms.rnea(*at, a, f_ext=case.f_ext, t=case.t).tau - algorithms.loops.active_force(
        *at[:2], efforts, t=case.t
    )
    assert_allclose(plain.tau_ID, tau_tree, atol=scale)
    assert_allclose(plain.tau_ID - plain.tau, constraint.K.T @ plain.lam, atol=scale)  # Eq 8.61


@pytest.mark.source("F8.20")
def test_kinds_of_actuation_of_a_five_bar():
    """Two freedoms: two motors on the ground are proper, three redundant, one too few; names and numbers alike."""
    model = rbd.Model("five-bar")
    bar, y = rbd.Inertia(0.5, com=[0, 0, 0.2]), rbd.Revolute("y")
    for name, parent, at in (("a", "world", [0, 0, 0]), ("b", "a", [0, 0, 0.4]), ("c", "world", [0.3, 0, 0]),
                             ("d", "c", [0, 0, 0.4])):  # fmt: skip
        model.add_body(name, parent, y, at, bar)
    tip = [0.15, 0.0, 0.35]
    model.add_loop("pin", "b", "d", y, tip, [-0.15, 0.0, 0.35])
    q = model.neutral()
    kinds = {("a_joint", "c_joint"): "proper", ("a_joint",): "under", ("a_joint", "b_joint", "c_joint"): "redundant",
             (): "under", (0, 2): "proper"}  # fmt: skip
    for joints, kind in kinds.items():
        found = actuated_freedoms(model, q, joints)
        assert found.kind == kind, joints
        assert found.mobility == 2 and found.G_u.shape == (len(joints), 2) and found.G_0.shape == (4 - len(joints), 2)
    with pytest.raises(ModelError, match="joint 'pin' is no tree joint"):
        actuated_freedoms(model, q, ["pin"])
    with pytest.raises(ModelError, match="variable 4 does not exist"):
        actuated_freedoms(model, q, [4])
    with pytest.raises(ModelError, match="named twice"):
        actuated_freedoms(model, q, ["a_joint", 0])


@pytest.mark.source("F8.19")
def test_refusals():
    model = planar_four_bar()
    q, still = model.neutral(), np.zeros(3)
    with pytest.raises(StateError, match="qdd opens loop joint 'pin' by"):
        closed_loop_inverse_dynamics(model, q, still, np.ones(3))
    for weights in ([1.0], [1.0, 0.0, 1.0], [1.0, np.nan, 1.0]):
        with pytest.raises(StateError, match="must be 3 positive numbers"):
            closed_loop_inverse_dynamics(model, q, still, still, weights=weights)
    with pytest.raises(StateError, match=r"\(none\) move 0 of 1 freedoms"):
        closed_loop_inverse_dynamics(model, q, still, still, actuated=[])


@pytest.mark.source("F8.19")
def test_one_motor_holds_a_four_bar_up():
    """By virtual work: the torque at the crank is the rate of potential energy by its angle."""
    model = planar_four_bar()
    q, still = model.neutral(), np.zeros(3)
    G = closed_loop_inverse_dynamics(model, q, still, still).G
    direction = G[:, 0] / G[0, 0]
    h = 1e-5
    up, down = (algorithms.energy(model, q + s * h * direction, still).potential for s in (1, -1))
    for joint, lever in (("crank_joint", 1.0), ("rocker_joint", direction[2])):
        (u,) = closed_loop_inverse_dynamics(model, q, still, still, actuated=[joint]).u
        assert_allclose(u * lever, (up - down) / (2 * h), rtol=1e-8)
