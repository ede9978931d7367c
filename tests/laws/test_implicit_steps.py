"""Time stepping with springs taken implicitly: M + h D - h^2 K in place of M, as in Sueda's notes."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import SimulationError
from rbdkit.integrators import LinearlyImplicitEuler
from rbdkit.laws import TimeStepping

pytestmark = [pytest.mark.filterwarnings(f"ignore:{told}") for told in ("STEP TOO LONG", "ENERGY NOT KEPT")]
"""Long steps lose the energy of fast oscillations, which is what they are for."""

RADIUS, MASS, K, D, G = 0.1, 1.0, 4e3, 3.0, 9.81
IMPLICIT = {"integrator": "linearly_implicit_euler", "contact": "time_stepping"}


def beads(stiffness=K, friction=0.0, height=0.0):
    """Four balls on straight ways, no turning, tied by springs of no length; the lowest two touch the ground."""
    model = rbd.Model("beads")
    solid = rbd.Inertia.sphere(RADIUS, mass=MASS)
    for k in range(4):
        model.add_body(f"b{k}", joint=rbd.Translational(), inertia=solid, geometry=rbd.Sphere(RADIUS))
    model.add_ground(friction=friction)
    for k in range(4):
        for j in range(k):
            model.add_spring(f"s{j}{k}", f"b{j}", f"b{k}", stiffness, 0.0, D)
    q = np.array([0.0, 0, 0.1, 0.5, 0, 0.1, 0.2, 0.3, 0.6, 0.1, 0.2, 1.2]) + height * np.tile([0, 0, 1.0], 4)
    return model, q


def by_hand(stiffness):
    """Force matrices of springs between all pairs of four points: f = -k L x - d L v."""
    L = np.kron(4.0 * np.eye(4) - np.ones((4, 4)), np.eye(3))
    return -stiffness * L, D * L


def test_a_step_is_the_solution_of_the_quadratic_program():
    """Karush, Kuhn and Tucker: A (v_new - v) - h f - h^2 K v = J^T lambda, 0 <= lambda, 0 <= J v_new, one of them 0."""
    model, q = beads()
    rng = np.random.default_rng(2)
    v, h = 0.3 * rng.normal(size=12), 0.02
    slope, damping = by_hand(K)
    run = rbd.simulate(model, q, v, h, h, **IMPLICIT)
    v_new = run.v[1]
    A = MASS * np.eye(12) + h * damping - h * h * slope
    f = slope @ q - damping @ v + MASS * G * np.tile([0, 0, -1.0], 4)
    reaction = A @ (v_new - v) - h * f - h * h * slope @ v
    pushed = [2, 5]
    assert np.delete(reaction, pushed) == pytest.approx(np.zeros(10), abs=1e-9)  # sweeps end at 1e-10 of 1e1 N s
    assert np.all(reaction[pushed] > -1e-9) and np.all(v_new[pushed] > -1e-9)
    assert np.all(np.abs(reaction[pushed] * v_new[pushed]) < 1e-8)
    assert run.q[1] == pytest.approx(q + h * v_new, abs=1e-12)


def test_stiff_flesh_comes_to_rest_in_long_steps():
    """Springs whose fastest oscillation has 1000 rad in a step: all points meet, and the ground bears the weight."""
    model, q = beads(stiffness=2.5e9, friction=0.5)
    run = rbd.simulate(model, q, duration=0.5, dt=0.01, **IMPLICIT)
    assert np.ptp(run.q[-1].reshape(4, 3), axis=0) == pytest.approx(np.zeros(3), abs=1e-6)
    assert np.abs(run.v[-1]).max() < 1e-6
    carried = sum(run.contacts.total_force(f"ground/b{k}")[-1] for k in range(4))
    assert carried == pytest.approx([0.0, 0.0, 4.0 * MASS * G], rel=1e-3, abs=1e-2)


def test_it_tends_to_the_explicit_law_as_steps_get_short():
    """Both have order 1 and one limit: what parts them halves with the step."""
    model, q = beads(stiffness=40.0, friction=0.4, height=0.02)
    v = np.tile([0.5, 0.0, 0.0], 4)
    apart = []
    for h in (4e-3, 2e-3, 1e-3):
        ends = [rbd.simulate(model, q, v, 0.08, h, contact=TimeStepping(implicit=x)).q[-1] for x in (True, False)]
        apart.append(np.abs(ends[0] - ends[1]).max())
    assert apart[0] < 0.02
    assert apart[0] / apart[1] == pytest.approx(2.0, rel=0.25) and apart[1] / apart[2] == pytest.approx(2.0, rel=0.25)


def test_what_touches_nothing_steps_as_the_integrator_does():
    model, q = beads(height=5.0)
    v = np.random.default_rng(1).normal(size=12)
    runs = [
        rbd.simulate(model, q, v, 0.1, 0.01, integrator="linearly_implicit_euler", contact=x) for x in ("none", None)
    ]
    assert runs[1].q == pytest.approx(runs[0].q, abs=1e-13)
    assert "not compiled with these options" in runs[1].report.backend


def test_joints_that_turn_step_as_the_integrator_does():
    """An arm high above the ground with a spring across; K of joints that turn is made symmetric, which costs h^2."""
    model = rbd.Model("arm")
    link = rbd.Inertia(1.0, [0.3, 0.0, 0.0], 0.05 * np.eye(3))
    model.add_body("upper", "world", rbd.Revolute("y"), [0.0, 0.0, 5.0], link, rbd.Sphere(RADIUS))
    model.add_body("lower", "upper", rbd.Universal("x", "y"), [0.6, 0.0, 0.0], link, rbd.Sphere(RADIUS))
    model.add_ground()
    model.add_spring("tendon", "world", "lower", 300.0, 0.1, 2.0, (0.5, 0.2, 5.5), (0.3, 0.0, 0.1))
    q, v = np.array([0.2, -0.4, 0.3]), np.array([1.0, -2.0, 0.5])
    apart = []
    for h in (2e-3, 1e-3):
        free, law = (rbd.simulate(model, q, v, 0.02, h, integrator="linearly_implicit_euler", contact=x).q[-1]
                     for x in ("none", None))  # fmt: skip
        apart.append(np.abs(free - law).max())
    assert apart[0] < 1e-4 and apart[1] < 0.6 * apart[0]


def test_what_it_cannot_take_is_refused():
    model, q = beads()
    with pytest.raises(SimulationError, match="has no part"):
        rbd.simulate(model, q, duration=0.01, integrator=LinearlyImplicitEuler(gamma=3.0))
    with pytest.raises(SimulationError, match="has no part"):
        rbd.simulate(model, q, duration=0.01, integrator="linearly_implicit_sdirk2")
    with pytest.raises(SimulationError, match="implicit = 1 must be True or False"):
        TimeStepping(implicit=1)
    model.add_constraint("rod", rbd.Distance("b0", "b1", 0.5))
    with pytest.raises(SimulationError, match="'rod' close"):
        rbd.simulate(model, q, duration=0.01, **IMPLICIT)


def test_springs_that_push_apart_are_named():
    """A spring pressed to a tenth of its length is unstable across; a long step does not see it."""
    model = rbd.Model("strut")
    model.add_body(
        "ball", joint=rbd.Translational(), inertia=rbd.Inertia.sphere(RADIUS, mass=MASS), geometry=rbd.Sphere(RADIUS)
    )
    model.add_ground()
    model.add_spring("strut", "ball", "world", 1e5, 1.0)
    with pytest.raises(SimulationError, match="not positive definite at t = 0 s"):
        rbd.simulate(model, [0.0, 0.0, 0.15], duration=0.1, dt=0.1, **IMPLICIT)
