"""Modes of large systems from a bounded number of evaluations, against all of them."""

import numpy as np
import pytest
import scipy.linalg
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.formulations import JointSystem, LinearSystem, TangentSystem, linearize
from rbdkit.integrators import INTEGRATORS, RK4, RK5, SymplecticEuler
from rbdkit.library import random_tree
from rbdkit.simulation import SimulationWarning
from rbdkit.simulation.linearized import Near
from rbdkit.simulation.spectrum import (
    EXACT,
    KRYLOV,
    _balanced,
    _bound,
    followed,
    growth_in_a_step,
    modes_of,
    stability_polynomial,
)


def chain(n, **joint):
    rod = rbd.Inertia.box((0.05, 0.05, 0.1), mass=1.0)
    model = rbd.Model("chain")
    for k in range(n):
        model.add_body(f"b{k}", f"b{k - 1}" if k else "world", joint=rbd.Revolute("xyz"[k % 3]),
                       placement=(0, 0, -0.1 if k else 0), inertia=rod, **joint)  # fmt: skip
    return model


class Counted(JointSystem):
    """Counts how often its rate is asked for."""

    calls = 0

    def rate(self, t, x, v):
        self.calls += 1
        return super().rate(t, x, v)


@pytest.mark.parametrize("n", [EXACT + 1, 60])
@pytest.mark.parametrize("joint", [{}, {"damping": 0.5}, {"stiffness": 100.0}], ids=["free", "damped", "springs"])
def test_the_fastest_mode_of_a_large_system_is_found(n, joint):
    model = chain(n, **joint)
    rng = np.random.default_rng(3)
    q, v = 0.3 * rng.normal(size=n), rng.normal(size=n)
    system = Counted(model)
    found = modes_of(Near(system, 0.0, q, v), None)
    assert system.calls <= 2 * (KRYLOV + 1) and not found.exact
    every = np.linalg.eigvals(linearize(JointSystem(model), 0.0, q, v).matrix)
    fastest = np.abs(every).max()
    assert np.abs(found.rates).max() == pytest.approx(fastest, rel=0.01)
    for z in (1.5, 2.7, 3.2):  # what a step makes of it, near the limit of stability of RK4 and beyond
        h = z / fastest
        growth = growth_in_a_step(RK4(), found)(h)
        assert growth == pytest.approx(np.abs(np.polyval([1 / 24, 1 / 6, 1 / 2, 1, 1], h * every)).max(), rel=0.05)


def test_products_of_the_tangent_system_are_those_of_its_matrices():
    """Joints of all kinds, so that displacements are not mere sums."""
    model = random_tree(4, 6)
    system, rng = JointSystem(model), np.random.default_rng(0)
    q, v = model.random_q(rng), rng.normal(size=model.nv)
    x, w = rng.normal(size=(2, model.nv))
    exact = linearize(system, 0.0, q, v).rate(0.0, x, w)
    assert_allclose(TangentSystem(system, 0.0, q, v).rate(0.0, x, w), exact, rtol=0, atol=1e-6 * np.abs(exact).max())
    assert not TangentSystem(system, 0.0, q, v).rate(0.0, 0.0 * x, 0.0 * w).any()


def test_the_stability_polynomials_are_taylor_series_up_to_the_order():
    assert_allclose(stability_polynomial(RK4()), [1 / 24, 1 / 6, 1 / 2, 1, 1], rtol=1e-14)
    assert_allclose(stability_polynomial(RK5())[::-1][:6], [1, 1, 1 / 2, 1 / 6, 1 / 24, 1 / 120], rtol=1e-12)


@pytest.mark.parametrize("n", [3, EXACT + 2])
@pytest.mark.parametrize(
    "name", [name for name, m in INTEGRATORS.items() if isinstance(LinearSystem(1, 1), m.requires)]
)
def test_growth_is_that_of_the_steps_of_a_linear_system(name, n):
    """Of commuting K and C every mode is on its own: the largest growth is that of one of n systems of one variable."""
    method, rng = INTEGRATORS[name], np.random.default_rng(1)
    basis = scipy.linalg.qr(rng.normal(size=(n, n)))[0]
    k, c = -rng.uniform(1.0, 400.0, n), -rng.uniform(0.0, 8.0, n)
    k[0], c[0] = -3000.0, -1.0  # this one stands out
    system = LinearSystem(basis @ np.diag(k) @ basis.T, basis @ np.diag(c) @ basis.T)
    growth = growth_in_a_step(method, modes_of(Near(system, 0.0, np.zeros(n), np.zeros(n)), None))
    if growth is None:
        assert name in ("implicit_midpoint", "variational") and n > EXACT
        return
    for h in (0.04, 0.07):
        largest = 0.0
        for pair in zip(k, c, strict=True):
            one = LinearSystem(*(np.array([[x]]) for x in pair))
            ends = [method.step(one, method.init(one, 0.0, np.array([x]), np.array([1.0 - x])), h) for x in (1.0, 0.0)]
            step = np.array([[*end.x, *end.v] for end in ends]).T
            largest = max(largest, np.abs(np.linalg.eigvals(step)).max())
        assert growth(h) == pytest.approx(largest, rel=2e-2)


def test_the_work_for_the_report_does_not_grow_with_the_number_of_joints():
    calls = []
    for n in (40, 120):
        system = Counted(chain(n))
        modes = modes_of(Near(system, 0.0, np.zeros(n), np.ones(n)), None)
        growth_in_a_step(SymplecticEuler(), modes)(0.01)
        calls.append(system.calls)
    assert calls[0] == calls[1] < 100


def test_a_stiff_damper_among_many_joints_is_named():
    """The joint that moves most in the fastest of all modes."""
    model, q = chain(80), np.full(80, 0.1)
    damped = model.with_parameters({"b57_joint.damping": 400.0})
    every, modes = np.linalg.eig(linearize(JointSystem(damped), 0.0, q, np.zeros(80)).matrix)
    fastest = int(np.argmax(np.abs(every)))
    joint = f"b{np.argmax(np.abs(modes[80:, fastest]))}_joint"
    with pytest.warns(SimulationWarning, match=f"STEP TOO LONG: joint '{joint}' has a motion with rate") as caught:
        rbd.simulate(damped, q, duration=2e-3, dt=1e-3)
    assert f"rate {abs(every[fastest]):.3g} 1/s" in str(caught[0].message)
    assert rbd.simulate(model, q, duration=2e-3, dt=1e-3).report.alarms(model) == []


@pytest.mark.parametrize("seed", range(20))
def test_no_rate_is_beyond_its_bound_in_any_units(seed):
    """Of motions whose variables are of very different sizes, where units of their own bring the bound far down."""
    rng = np.random.default_rng(seed)
    units = 10.0 ** rng.uniform(-3.0, 3.0, 8)
    K, C = -rng.uniform(0.0, 400.0, (2, 8, 8)) * units / units[:, None]
    K[rng.integers(8)] = 0.0
    sizes, rates = np.abs([(K, C)]), np.linalg.eigvals(LinearSystem(K, C).matrix)
    plain, balanced = _bound(sizes), _bound(_balanced(sizes))
    assert np.abs(rates).max() <= balanced * (1.0 + 1e-9) < 0.1 * plain
    assert _bound(_balanced(0.0 * sizes)) == 0.0
    h = 0.9 / balanced
    assert followed(RK4(), [LinearSystem(K, C)], h, 1.02) and not followed(RK4(), [LinearSystem(K, C)], 3.0 * h, 1.02)
