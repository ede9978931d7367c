"""What elements are where nothing is said of them, and which functions are no law of a force."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ModelError
from rbdkit.forces import ExcitedMuscle, ZeroLengthSpring
from rbdkit.forces.loop_joint import _solved
from rbdkit.forces.point_force import point_force


@pytest.mark.parametrize("kind", [rbd.Spring, ZeroLengthSpring])
def test_a_spring_of_which_only_the_stiffness_is_said(kind):
    """It pulls from no length on, and damps nothing."""
    model = rbd.Model("cart", gravity=(0.0, 0.0, 0.0))
    model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0))
    spring = kind("world", "cart", 18.0)
    model.add_force("band", spring)
    assert spring.conservative
    assert not kind("world", "cart", 18.0, damping=0.1).conservative
    for speed in (0.0, 0.7):
        assert rbd.forward_dynamics(model, [0.3], [speed], [0.0]) == pytest.approx([-9.0 * 0.3], rel=1e-14)


def test_a_muscle_that_nothing_excites_falls_asleep():
    model = rbd.Model("weight", gravity=(0.0, 0.0, 0.0))
    model.add_body("weight", joint=rbd.Prismatic("z"), inertia=rbd.Inertia(1.0))
    path, points = ("world", "weight"), ((0, 0, 0.3), (0, 0, 0))
    model.add_force("biceps", ExcitedMuscle(path, points, 1.0, optimal_length=0.3, activation=0.5))
    motion = rbd.simulate(model, duration=0.2, dt=1e-3)
    fallen = 0.5 * np.exp(-0.2 / 0.04)  # with its time of deactivation
    assert motion.z[-1] == pytest.approx([fallen], rel=1e-6)


@pytest.mark.parametrize("law", [lambda: 0.0, lambda x: x, lambda x, v, t, more: x, "no function", max])
def test_functions_that_are_no_law_of_a_force(law):
    with pytest.raises(ModelError, match=r"must be a function of|must take"):
        point_force(law)


def test_laws_of_place_and_velocity_and_of_time_too():
    def drag(x, v):
        return -0.5 * v

    def wind(x, v, t):
        return -0.5 * (v - t)

    for law in (drag, wind):
        assert point_force(law)("cart").known_as == law.__name__


@pytest.mark.parametrize("seed", range(4))
def test_equations_of_symbols_are_solved_as_those_of_numbers(seed):
    rng = np.random.default_rng(seed)
    S = rng.normal(size=(6, 4))
    A, b = S.T @ S, rng.normal(size=4)
    assert _solved(A.astype(object), b).astype(float) == pytest.approx(np.linalg.solve(A, b), rel=1e-10)
