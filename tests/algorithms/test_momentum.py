"""Centre of mass and momentum against sums over bodies and differences, and their laws."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.errors import ModelError, StateError
from rbdkit.library import random_state, random_tree

SEEDS = range(6)


@pytest.mark.parametrize("seed", SEEDS)
def test_linear_momentum_is_mass_times_velocity_of_the_centre(seed, off):
    model = random_tree(seed, 12)
    q, v, _ = random_state(model, seed)
    h = 1e-5
    ahead, behind = (rbd.center_of_mass(model, model.integrate(q, d * v)) for d in (h, -h))
    velocity = (ahead - behind) / (2.0 * h)
    p = rbd.momentum(model, q, v)[3:]
    assert off(p, algorithms.total_mass(model) * velocity) < 1e-8
    assert off(algorithms.center_of_mass_jacobian(model, q) @ v, p / algorithms.total_mass(model)) < 1e-12


@pytest.mark.source("F6.04")
@pytest.mark.parametrize("about", ["world", "com"])
@pytest.mark.parametrize("seed", SEEDS)
def test_momentum_matrix(seed, about, off):
    model = random_tree(seed)
    q, v, _ = random_state(model, seed)
    assert off(algorithms.momentum_matrix(model, q, about) @ v, rbd.momentum(model, q, v, about)) < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_angular_momentum_moves_with_its_point(seed, off):
    model = random_tree(seed, 12)
    q, v, _ = random_state(model, seed)
    origin, centre = rbd.momentum(model, q, v), rbd.momentum(model, q, v, about="com")
    assert off(centre[3:], origin[3:]) == 0.0
    assert off(centre[:3] + np.cross(rbd.center_of_mass(model, q), origin[3:]), origin[:3]) < 1e-13


@pytest.mark.source("F5.07")
def test_rate_of_momentum_is_the_force_from_outside(off):
    """The base reaction, the weight and the external forces make up the rate of the total momentum."""
    model = random_tree(2, 10)
    while any(model.joints[i].nv == 0 for i in model.children(0)):  # what is welded to the world does not count
        model = random_tree(int(model.name.split()[-1]) + 1, 10)
    q, v, a = random_state(model, 2)
    h = 1e-5
    ends = [rbd.momentum(model, model.integrate(q, d * v + 0.5 * d * d * a), v + d * a) for d in (h, -h)]
    f_ext = {"b4": np.arange(6.0)}
    base = algorithms.rnea(model, q, v, a, f_ext=f_ext).f[0]
    mass = algorithms.total_mass(model)
    weight = rbd.wrench(mass * model.gravity, rbd.center_of_mass(model, q))
    assert off(base + weight + f_ext["b4"], (ends[0] - ends[1]) / (2.0 * h)) < 1e-7


def test_what_is_welded_to_the_world_does_not_count():
    model = rbd.Model()
    model.add_body("rock", inertia=rbd.Inertia.sphere(1.0, mass=100.0))
    with pytest.raises(ModelError, match="no moving mass"):
        rbd.center_of_mass(model, np.zeros(0))
    model.add_body("ball", "rock", rbd.Prismatic("x"), inertia=rbd.Inertia.sphere(0.1, mass=2.0))
    np.testing.assert_array_equal(rbd.center_of_mass(model, [3.0]), [3.0, 0.0, 0.0])
    assert algorithms.total_mass(model) == 2.0


@pytest.mark.parametrize("weld", [rbd.Fixed(), rbd.Reversed(rbd.Fixed()), rbd.Reversed(rbd.Reversed(rbd.Fixed()))])
def test_a_weld_is_a_weld_from_either_end(weld):
    """What it ties to the world does not count, by compiled code, in the book's form and by hand."""
    model = rbd.Model()
    model.add_body("rock", joint=weld, placement=[0, 0, 1.0], inertia=rbd.Inertia.sphere(1.0, mass=100.0))
    model.add_body("ball", "rock", rbd.Prismatic("x"), inertia=rbd.Inertia.sphere(0.1, mass=2.0))
    for backend in ("auto", "book"):
        np.testing.assert_array_equal(rbd.center_of_mass(model, [3.0], backend=backend), [3.0, 0.0, 1.0])
        np.testing.assert_array_equal(
            rbd.momentum(model, [3.0], [0.5], backend=backend), [0.0, 1.0, 0.0, 1.0, 0.0, 0.0]
        )
        np.testing.assert_array_equal(
            rbd.momentum(model, [3.0], [0.5], about="com", backend=backend), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
        )
    assert algorithms.total_mass(model) == 2.0
    assert algorithms.center_of_mass_jacobian(model, np.array([3.0]))[:, 0].tolist() == [1.0, 0.0, 0.0]


def test_what_a_driven_joint_carries_counts():
    """It has no freedom either, but it moves: from both ends, and unless what it drives is a weld."""
    turn = rbd.Prescribed(rbd.Revolute("z"), lambda t: ([t], [1.0], [0.0]))
    still = rbd.Prescribed(rbd.Fixed(), lambda t: ([], [], []))
    for joint, mass in ((turn, 5.0), (rbd.Reversed(turn), 5.0), (still, 0.0), (rbd.Reversed(still), 0.0)):
        model = rbd.Model()
        model.add_body("arm", joint=joint, inertia=rbd.Inertia(5.0, [0.2, 0.0, 0.0]))
        model.add_body("ball", "arm", rbd.Prismatic("x"), inertia=rbd.Inertia(1.0))
        assert algorithms.total_mass(model) == 1.0 + mass
        book, compiled = (rbd.momentum(model, [0.0], [0.0], t=0.3, backend=b) for b in ("book", "auto"))
        np.testing.assert_allclose(compiled, book, atol=1e-15)
        assert np.any(book) == (mass > 0.0)


def test_the_point_of_reference_is_checked():
    model = random_tree(0, 3)
    q, v, _ = random_state(model, 0)
    with pytest.raises(StateError, match="'center' must be 'world' or 'com'"):
        rbd.momentum(model, q, v, about="center")
