"""Stiffness and damping of force elements by their own derivatives: against the notes' formulas, and differences."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms import elastic, element_force
from rbdkit.algorithms.elastic import Attached

NEAR = {"rel": 1e-11, "abs": 1e-11}  # sums of some dozen terms up to 1e2


@pytest.fixture
def bodies():
    """Three free bodies in motion, and their points by name."""
    rng = np.random.default_rng(3)
    model = rbd.Model("three", gravity=(0, 0, 0))
    for name in "abc":
        model.add_body(name, joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    q, v = model.random_q(rng), rng.normal(size=model.nv)
    poses = rbd.forward_kinematics(model, q).poses

    def point(name, x):
        k = model.body(name).index
        if k == 0:
            return Attached(np.eye(4), np.array(x))
        return Attached(poses[k], np.array(x), v[6 * k - 6 : 6 * k])

    return model, q, v, point


def compare(model, q, v, forces, on):
    expected = elastic.onto_bodies(forces, [None if k is None else k - 1 for k in on], 3)
    found = rbd.stiffness_and_damping(model, q, v)
    assert found.f_m == pytest.approx(expected.f, **NEAR)
    assert found.K_m.toarray() == pytest.approx(expected.K, **NEAR)
    assert found.D_m.toarray() == pytest.approx(expected.D, **NEAR)
    assert np.all(found.f_r == 0.0)
    symmetric = found.symmetrized().K.toarray()
    assert np.array_equal(symmetric, symmetric.T)


X = ((0.1, -0.2, 0.3), (0.4, 0.2, -0.1), (-0.3, 0.1, 0.2), (0.2, 0.2, 0.5))


@pytest.mark.source("S1.12")
def test_directed_force(bodies):
    model, q, v, point = bodies
    model.add_force("pull", rbd.DirectedForce("b", (1.0, -2.0, 0.5), X[0]))
    compare(model, q, v, elastic.directed_force(point("b", X[0]), np.array([1.0, -2.0, 0.5])), [2])


@pytest.mark.source("S1.13")
def test_zero_length_spring(bodies):
    model, q, v, point = bodies
    model.add_spring("band", "c", "a", 20.0, 0.0, 0.7, X[0], X[1])
    assert isinstance(model.forces[0].element, rbd.ZeroLengthSpring)
    compare(model, q, v, elastic.point_spring(point("c", X[0]), point("a", X[1]), 20.0, 0.7), [3, 1])


@pytest.mark.source("S1.16")
def test_spring_and_damper(bodies):
    model, q, v, point = bodies
    L = 0.6
    model.add_spring("band", "world", "a", 20.0 / L, L, 0.7 / L, X[0], X[1])
    both = elastic.spring_damper(point("world", X[0]), point("a", X[1]), 20.0, L, 0.7)
    compare(model, q, v, both, [None, 1])
    twin = rbd.Model("three", gravity=(0, 0, 0))
    for name in "abc":
        twin.add_body(name, joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    twin.add_damper("oil", "c", "a", 0.7 / L, X[0], X[1])
    compare(twin, q, v, elastic.spring_damper(point("c", X[0]), point("a", X[1]), 0.0, L, 0.7), [3, 1])


@pytest.mark.source("S1.14", "S1.15")
def test_muscles(bodies):
    model, q, v, point = bodies
    on = ["a", "world", "b", "a"]
    points = [point(name, x) for name, x in zip(on, X, strict=True)]
    numbers = elastic.MuscleNumbers(50.0, 4.0, 0.6, 1.1, 5.0)
    path = list(zip(on, X, strict=True))
    model.add_muscle("m", path, 50.0, 4.0, 0.6, tendon_length=1.1, max_velocity=5.0)
    compare(model, q, v, elastic.muscle_path(points, numbers), [1, None, 2, 1])


def geometric(model, q, v, found, h=1e-4):
    """K and D along the joints, by the rates of all bodies' Jacobians."""

    def J(u):
        here = model.integrate(q, u)
        rows = [rbd.jacobian(model, here, body.name, reference="body") for body in model.bodies[1:]]
        return np.vstack([*rows, np.eye(model.nv)])

    def slope(function):
        return (function(-2) - 8 * function(-1) + 8 * function(1) - function(2)) / (12 * h)

    here, K, D = J(np.zeros(model.nv)), found.K.toarray(), found.D.toarray()
    by_q = here.T @ K @ here
    for k, e in enumerate(np.eye(model.nv)):
        rate = slope(lambda s, e=e: J(s * h * e))
        by_q[:, k] += rate.T @ found.f - here.T @ (D @ (rate @ v))
    return by_q, here.T @ D @ here, here.T @ found.f


@pytest.mark.parametrize("seed", (1, 2))
def test_all_elements_on_trees_of_all_joints(forced, seed):
    model = forced(seed)
    rng = np.random.default_rng(seed)
    q, v = model.random_q(rng), rng.normal(size=model.nv)
    K, D, f = geometric(model, q, v, rbd.stiffness_and_damping(model, q, v))
    assert f == pytest.approx(rbd.passive_force(model, q, v), rel=1e-10, abs=1e-10)
    by_q, by_v = np.zeros((2, model.nv, model.nv))
    h = 1e-4
    for k, e in enumerate(np.eye(model.nv)):
        ways = (
            lambda x: rbd.passive_force(model, model.integrate(q, x), v),
            lambda x: rbd.passive_force(model, q, v + x),
        )
        by_q[:, k], by_v[:, k] = (
            (way(-2 * h * e) - 8 * way(-h * e) + 8 * way(h * e) - way(2 * h * e)) / (12 * h) for way in ways
        )
    # the differences lose 1e-16 / 1e-4 of forces, and their fourth derivatives where friction turns over
    size = max(np.abs(by_q).max(), np.abs(by_v).max(), 1.0)
    assert np.abs(by_q - K).max() < 1e-7 * size
    assert np.abs(by_v + D).max() < 1e-7 * size


def test_many_springs_are_recorded_once():
    chain = rbd.Model("chain")
    for k in range(40):
        chain.add_body(f"b{k}", f"b{k - 1}" if k else "world", rbd.Revolute("y"), [0, 0, -0.1], rbd.Inertia(0.1))
    for k in range(1, 40):
        chain.add_spring(f"s{k}", f"b{k - 1}", f"b{k}", 5.0 + k, 0.01, 0.1, (0.05, 0, 0), (0.05, 0, 0.01))
    chain.add_spring("last", "b39", "world", 3.0, at_b=(1.0, 0.0, 0.0))
    q, v = chain.random_q(1), np.linspace(-1, 1, 40)
    found = rbd.stiffness_and_damping(chain, q, v)
    J = np.vstack([rbd.jacobian(chain, q, b.name, reference="body") for b in chain.bodies[1:]])
    assert J.T @ found.f_m == pytest.approx(element_force(chain, q, v), rel=1e-10, abs=1e-10)
    assert found.K.nnz < 40 * 4 * 36
    from rbdkit.engine.links.element_slopes import _recorded

    assert [len(alike.forces) for alike in _recorded(chain).groups] == [39, 1]


def test_what_cannot_be_derived():
    class Stubborn(rbd.ForceElement):
        body: str

        def act(self, at):
            if at.position(self.body)[0] > 0.0:
                at.apply_force(self.body, np.array([1.0, 0.0, 0.0]))
            else:
                at.apply_force(self.body, np.zeros(3))

    model = rbd.library.pendulum()
    model.add_force("mule", Stubborn("rod"))
    with pytest.raises(rbd.ModelError, match="'mule' has no derivatives"):
        rbd.stiffness_and_damping(model, [0.1], [0.0])
    with pytest.raises(rbd.StateError, match="one state"):
        rbd.stiffness_and_damping(rbd.library.pendulum(), [[0.1], [0.2]], [[0.0], [0.0]])
