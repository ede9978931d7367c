"""Munthe-Kaas methods from tableaus: their order by the order conditions, and as it shows on both groups."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from rbdkit.errors import SimulationError
from rbdkit.formulations import SE3, ConstrainedBodies, JointSystem, SO3xR3
from rbdkit.integrators import RK3, RK4, RK5, Adaptive, ExplicitEuler, MuntheKaas, RungeKutta
from rbdkit.integrators.order_conditions import _trees, classical_order
from rbdkit.library import heavy_top, spherical_double_pendulum
from rbdkit.spatial import se3

RALSTON = RungeKutta([[0, 0], [2 / 3, 0]], [1 / 4, 3 / 4], "ralston")
EULER, MIDPOINT = RungeKutta([[0]], [1], "euler"), RungeKutta([[0, 0], [0.5, 0]], [0, 1], "midpoint")
KUTTA_38 = RungeKutta(
    [[0] * 4, [1 / 3, 0, 0, 0], [-1 / 3, 1, 0, 0], [1, -1, 1, 0]], [1 / 8, 3 / 8, 3 / 8, 1 / 8], "3/8"
)
METHODS = {1: EULER, 2: MIDPOINT, 3: RK3(), 4: KUTTA_38, 5: RK5()}
STEPS = {1: 400, 2: 100, 3: 50, 4: 30, 5: 20}
SLOPES_OF_RK5 = {
    ("heavy top", SE3): 4.92,
    ("heavy top", SO3xR3): 5.99,
    ("double pendulum", SE3): 5.74,
    ("double pendulum", SO3xR3): 6.0,
}
DURATION = 0.05
EXAMPLES = {"heavy top": heavy_top((0.0, 0.0, -9.81)), "double pendulum": spherical_double_pendulum()}


@cache
def reference(example: str) -> np.ndarray:
    """Poses and velocities at the end by joint coordinates, to about 1e-12."""
    model, q, v = EXAMPLES[example]
    system = JointSystem(model)
    (x, w, *_), *_ = Adaptive("dop853", 1e-13, 1e-13).samples(system, np.array([0.0, DURATION]), q, v)
    return np.concatenate([system.poses(x).ravel(), system.velocities(x, w).ravel()])


def error(method: MuntheKaas, system, example: str, steps: int) -> float:
    _, q, v = EXAMPLES[example]
    state = method.init(system, 0.0, *system.state(q, v))
    for _ in range(steps):
        state = method.step(system, state, DURATION / steps)
    end = np.concatenate([system.poses(state.x).ravel(), system.velocities(state.x, state.v).ravel()])
    return float(np.linalg.norm(end - reference(example)))


@pytest.mark.source("M.05", "M.06", "M.07")
@pytest.mark.parametrize("formulation", [SE3, SO3xR3])
@pytest.mark.parametrize("example", list(EXAMPLES))
@pytest.mark.parametrize("order", list(METHODS))
def test_the_order_of_the_tableau_shows_on_both_groups(order, example, formulation):
    """Towards the motion in joint coordinates. A third of an order is for the next term of the series.

    In that of RK5 the next term is the larger one in three of four cases, and the slope nearer to 6; shorter steps, at
    which it is not, would end in round-off.
    """
    method, system = METHODS[order], formulation(EXAMPLES[example].model)
    assert method.order == order
    coarse, fine = (error(method, system, example, n) for n in (STEPS[order], 2 * STEPS[order]))
    slope = np.log2(coarse / fine)
    if order < 5:
        assert slope == pytest.approx(order, abs=0.33), (coarse, fine)
    else:
        assert slope == pytest.approx(SLOPES_OF_RK5[example, formulation], abs=0.02), (coarse, fine)


class TruncatedSeries(ConstrainedBodies):
    """SE(3)^n with dexp^-1 cut off after the term with ad^k."""

    terms = 0

    def local_rate(self, u, v):
        total = v.reshape(-1, 6).copy()
        for k, (u_i, v_i) in enumerate(zip(u.reshape(-1, 6), v.reshape(-1, 6))):
            ad = se3.ad(u_i)
            series = [v_i, 0.5 * ad @ v_i, ad @ ad @ v_i / 12, 0 * v_i, -ad @ ad @ ad @ ad @ v_i / 720]
            total[k] = sum(series[: self.terms + 1])
        return total.ravel()


@pytest.mark.source("M.05")
def test_a_truncated_inverse_tangent_needs_two_terms_less_than_the_order():
    """RK4 keeps order 4 with dexp^-1 up to ad^2, and loses it with ad^1; the exact operator, as here, never asks."""
    slopes = {}
    for terms in (0, 1, 2, 4):
        system = TruncatedSeries(EXAMPLES["double pendulum"].model)
        system.terms = terms
        coarse, fine = (error(RK4(), system, "double pendulum", n) for n in (30, 60))
        slopes[terms] = float(np.log2(coarse / fine))
    assert slopes == pytest.approx({0: 2.0, 1: 3.0, 2: 4.0, 4: 4.0}, abs=0.25)


@pytest.mark.source("M.05")
def test_the_order_conditions_find_the_order_of_known_methods():
    """Butcher's count of trees, and methods whose order is in every book."""
    assert [len(_trees(n)) for n in range(1, 8)] == [1, 1, 2, 4, 9, 20, 48]
    for method in (ExplicitEuler(), RK3(), RK4(), RK5()):
        assert classical_order(method.A, method.b) == method.order
    assert (RALSTON.order, KUTTA_38.order) == (2, 4)
    gauss = np.array([[1 / 4, 1 / 4 - np.sqrt(3) / 6], [1 / 4 + np.sqrt(3) / 6, 1 / 4]])
    assert classical_order(gauss, [0.5, 0.5]) == 4


def test_tableaus_that_are_none_are_refused():
    with pytest.raises(SimulationError, match=r"\(2, 2\) and b \(3,\)|shape"):
        RungeKutta([[0, 0], [1, 0]], [0.5, 0.25, 0.25])
    with pytest.raises(SimulationError, match=r"'gauss' is implicit"):
        RungeKutta([[0.5]], [1.0], "gauss")
    with pytest.raises(SimulationError, match=r"add up to 0.9"):
        RungeKutta([[0]], [0.9])


def test_a_tableau_says_what_it_is():
    assert repr(MIDPOINT) == "RungeKutta('midpoint': 2 stages, order 2)"
