"""Sweeps with momentum: few where plain ones are many, the same end, and the same by any compiler."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine.run.compiled_programs import loop_code
from rbdkit.laws.cone import Momentum, cone
from rbdkit.laws.problem import Problem
from rbdkit.trace.emit import llvm


@pytest.mark.parametrize("seed", range(4))
def test_sweeps_over_a_stack_end_where_an_elimination_does(seed):
    """Blocks pressed on a floor one on another: all push, so impulses solve linear equations."""
    rng, m = np.random.default_rng(seed), 8
    chain = np.eye(m) - np.eye(m, k=-1)
    masses = 10.0 ** rng.uniform(-0.5, 0.5, m)
    W, b = np.zeros((3 * m, 3 * m)), np.zeros(3 * m)
    W[::3, ::3] = chain.T @ np.diag(1.0 / masses) @ chain
    b[::3] = -chain.T @ rng.uniform(0.5, 1.0, m).cumsum()
    expected = np.linalg.solve(W[::3, ::3], -b[::3])
    assert (expected > 0.0).all()
    problem = Problem(W, b, np.zeros(m), tuple("abcdefgh"), np.zeros((m, 3)))
    found = cone(problem, tol=1e-13, most=5000)
    assert found.settled
    assert found.lam[:, 0] == pytest.approx(expected, rel=1e-9)


def test_momentum_is_nesterovs_and_begins_anew_where_the_way_turns_back():
    """Ways that go on add up with the weights (t - 1) / t', t' = (1 + sqrt(1 + 4 t^2)) / 2; these start at 0."""
    momentum, x = Momentum(np.ones(1)), np.zeros(1)
    gone = []
    for sweep in range(1, 9):
        plain = x + 1.0
        x = momentum.ahead(sweep, x, plain).copy()
        gone.append(float((x - plain)[0]))
    assert gone[:6] == [0.0] * 6  # five plain ones, one that begins the way, and a weight of 0
    t = 0.5 + 0.5 * np.sqrt(5.0)
    t_next = 0.5 + 0.5 * np.sqrt(1.0 + 4.0 * t**2)
    assert gone[6] == pytest.approx((t - 1.0) / t_next)
    assert gone[7] > 0.0
    back = x - 10.0
    assert momentum.ahead(9, back - 1.0, back) is back
    assert momentum.ahead(10, back, back - 1.0) == pytest.approx(back - 1.0)  # the first weight again
    assert momentum.ahead(101, back, x) is x  # plain from there on


def test_boxes_in_a_pyramid_take_tens_of_sweeps():
    """Plain ones go on for hundreds until they change velocities by 1e-6 of the largest."""
    model, q, v = rbd.library.box_pyramid()
    law = rbd.laws.TimeStepping(tol=1e-6)
    found = rbd.simulate(model, q, v, 0.4, 2e-3, contact=law, progress=False).report.contacts
    assert found.unsettled == 0
    assert found.rounds < 100
    assert found.residual < 1e-6


def test_processors_that_round_otherwise_move_bodies_alike(monkeypatch):
    """With two roundings for a product and a sum, or with one: four corners a box, of which three were enough."""
    model, size = rbd.Model("boxes"), [0.2, 0.2, 0.2]
    for k in range(3):
        inertia = rbd.Inertia.box(size, mass=1.0)
        model.add_body(f"box{k}", joint=rbd.Free(), inertia=inertia, geometry=rbd.Box(size))
    model.add_ground(friction=0.5)
    q = np.tile(model.neutral()[:7], (3, 1))
    q[:, 4], q[:, 6] = 0.5 * np.arange(3), 0.3
    v = 2.0 * np.random.default_rng(1).normal(size=18)
    fused, sources = llvm.llvm_source, []

    def apart(program, _):
        sources.append(fused(program, False).replace(" contract", ""))
        return sources[-1]

    runs = [rbd.simulate(model, q.ravel(), v, 1.0, 2e-3, progress=False)]
    monkeypatch.setattr(llvm, "llvm_source", apart)
    loop_code.cache_clear()
    runs.append(rbd.simulate(model, q.ravel(), v, 1.0, 2e-3, progress=False))
    loop_code.cache_clear()
    assert sources and runs[1].report.contacts.rounds > 10
    assert len(runs[0].contacts.at(-1)) == 12
    assert runs[0].q == pytest.approx(runs[1].q, abs=1e-9)  # they tumble first: what rounding does grows a little
