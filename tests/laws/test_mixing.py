"""Sweeps that learn from those before: few where plain ones are many, and the same end."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine.contact.mixing import MEMORY, PLAIN, TURN, least_squares
from rbdkit.laws.cone import cone
from rbdkit.laws.mixing import Mixing
from rbdkit.laws.problem import Problem


def test_least_squares_leave_out_what_says_nothing_new():
    rng = np.random.default_rng(0)
    D, f = rng.normal(size=(9, 3)), rng.normal(size=9)
    rows = D.T
    expected = np.linalg.lstsq(D, f, rcond=None)[0]
    assert least_squares((rows @ D).tolist(), (rows @ f).tolist()) == pytest.approx(expected, rel=1e-11)
    twice = np.vstack([rows, rows[:1], np.zeros((1, 9))])
    found = np.array(least_squares((twice @ twice.T).tolist(), (twice @ f).tolist()))
    assert found[-2:].tolist() == [0.0, 0.0]
    assert found @ twice == pytest.approx(D @ expected, rel=1e-11)


def test_a_linear_sweep_ends_after_as_many_as_it_has_directions():
    """Anderson's acceleration is then a Krylov method; plain sweeps take off a millionth each."""
    rng = np.random.default_rng(1)
    Q = np.linalg.qr(rng.normal(size=(MEMORY, MEMORY)))[0]
    A, b = Q @ np.diag(np.linspace(0.5, 1.0 - 1e-6, MEMORY)) @ Q.T, rng.normal(size=MEMORY)
    x, mixing = np.zeros(MEMORY), Mixing(np.ones(MEMORY))
    for sweep in range(PLAIN + MEMORY + 1):
        plain = A @ x + b
        x = mixing.mixed(x, plain)
        if sweep < PLAIN - 1:
            assert x is plain
    assert x == pytest.approx(np.linalg.solve(np.eye(MEMORY) - A, b), rel=1e-7)


def test_all_is_forgotten_now_and_then():
    mixing, x = Mixing(np.ones(1)), np.zeros(1)
    plain = [mixing.mixed(x, g) is g for g in (np.array([1.0 / k]) for k in range(1, TURN + 6))]
    assert all(plain[: PLAIN - 1]) and not any(plain[PLAIN:TURN]) and all(plain[TURN:])


@pytest.mark.parametrize("seed", range(4))
def test_mixed_sweeps_end_where_plain_ones_do(seed):
    """A stack pressed together: without friction its impulses are the one minimum of a convex function."""
    rng, m = np.random.default_rng(seed), 6
    chain = np.eye(m) - np.eye(m, k=-1)
    masses = 10.0 ** rng.uniform(-1.0, 1.0, m)
    W = np.zeros((3 * m, 3 * m))
    W[::3, ::3] = chain @ np.diag(1.0 / masses) @ chain.T
    b = np.zeros(3 * m)
    b[::3] = -rng.uniform(0.0, 1.0, m)
    problem = Problem(W, b, np.zeros(m), tuple("abcdef"), np.zeros((m, 3)))
    found = cone(problem, tol=1e-13, most=1000)
    u = W[::3, ::3] @ found.lam[:, 0] + b[::3]
    assert found.settled and found.rounds < 200
    assert np.minimum(u, found.lam[:, 0]) == pytest.approx(0.0, abs=1e-11)


def test_a_pyramid_of_boxes_takes_tens_of_sweeps():
    """Plain ones go on for nine hundred until they change velocities by 1e-10 of the largest."""
    model, q, v = rbd.library.box_pyramid()
    found = rbd.simulate(model, q, v, 0.4, 2e-3, progress=False).report.contacts
    assert found.unsettled == 0
    assert found.rounds < 200
    assert found.residual < 1e-8
