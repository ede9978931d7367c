"""K and D of everything that acts, and the linearly implicit step."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.redmax import (
    bodies_at,
    implicit_velocities,
    implicit_velocities_by_cg,
    redmax_jacobian,
)
from rbdkit.derivatives import stiffness_at
from rbdkit.library import chain_pendulum, random_state


class Decides(rbd.ForceElement):
    """A spring that pulls only: it decides by a value, which symbols cannot."""

    body: str
    stiffness: float

    def act(self, at):
        x = at.position(self.body)
        if float(x[2]) < 100.0:
            at.apply_force(self.body, -self.stiffness * x * (x @ x))


@pytest.mark.source("S2.17", "S1.11")
@pytest.mark.parametrize("seed", range(3))
def test_stiffness_along_the_joints_is_that_of_the_joint_forces(seed, make_tree, off):
    """Wrenches and forces along the velocities change as K and D say where joints move, and where velocities do."""
    model = make_tree(seed, True)
    q, v, _ = random_state(model, seed)
    bodies = bodies_at(model, q, v, t=0.4)
    stiffness = stiffness_at(model, bodies, q, t=0.4)
    along = np.vstack([redmax_jacobian(bodies), np.eye(model.nv)])
    first = 6 * bodies.n

    def forces(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Wrenches of what acts by itself in body frames, and forces along the velocities."""
        with_them, without = (bodies_at(model, q, v, t=0.4, passive=x) for x in (True, False))
        wrenches = with_them.stacked(with_them.f_m) - without.stacked(without.f_m)
        return np.concatenate([wrenches, with_them.f_r - without.f_r])

    h, e = 1e-3, np.random.default_rng(seed).normal(size=model.nv)
    e /= np.linalg.norm(e)
    four = ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))
    # a displacement of the joints keeps the numbers of v; the twists of the bodies change with J, by J-dot e
    by_v = sum(w * forces(q, v + k * h * e) for k, w in four) / (12 * h)
    assert off(-(stiffness.D @ (along @ e)), by_v) < 1e-9
    by_q = sum(w * forces(model.move(q, k * h * e), v) for k, w in four) / (12 * h)
    twists = sum(w * bodies_at(model, model.move(q, k * h * e), v, t=0.4).phi[1:].ravel() for k, w in four) / (12 * h)
    moved = np.concatenate([twists, np.zeros(model.nv)])
    assert off(stiffness.K @ (along @ e) - stiffness.D @ moved, by_q) < 1e-8
    assert stiffness.K_m.shape == (first, first)


@pytest.mark.source("S1.11")
def test_slopes_by_differences_are_those_of_the_formulas(make_tree, off):
    class Reads(rbd.ForceElement):
        body: str
        stiffness: float

        def act(self, at):
            x = at.position(self.body)
            at.apply_force(self.body, -self.stiffness * x * (x @ x))

    found = []
    for element in (Decides, Reads):
        model = make_tree(1, False)
        model.add_force("own", element("b9", 3.0))
        q, v, _ = random_state(model, 1)
        found.append(stiffness_at(model, bodies_at(model, q, v), q))
    one, other = found
    without = make_tree(1, False)
    rest = stiffness_at(without, bodies_at(without, q, v), q)
    assert off((one.K_m - rest.K_m).toarray(), (other.K_m - rest.K_m).toarray()) < 1e-9
    assert np.abs((one.K - rest.K).toarray()[6 * one.n :]).max() == 0.0  # its rows of joints
    assert np.abs((one.D - rest.D).toarray()).max() < 1e-9


@pytest.mark.source("S2.17")
def test_without_stiffness_the_step_is_the_explicit_one(off):
    model = chain_pendulum(6)
    q, v, tau = random_state(model, 3)
    bodies = bodies_at(model, q, v, tau)
    expected = v + 0.01 * rbd.forward_dynamics(model, q, v, tau)
    assert off(implicit_velocities(bodies, stiffness_at(model, bodies, q), 0.01), expected) < 1e-12


@pytest.mark.source("S2.17")
def test_linear_joints_step_by_the_implicit_euler_method(off):
    """Masses on rails with springs and dampers in their joints and between them."""
    model, h = rbd.Model("rails", gravity=(0, 0, -9.81)), 0.1
    for k, mass in enumerate((1.0, 2.5, 0.7)):
        model.add_body(
            f"car{k}", f"car{k - 1}" if k else "world", rbd.Prismatic("x"), [0.5, 0, 0] if k else None,
            rbd.Inertia(mass), joint_name=f"rail{k}", stiffness=40.0 + 10.0 * k, damping=3.0 - k,
        )  # fmt: skip
    model.add_force("band", rbd.Spring("car0", "car2", stiffness=90.0, damping=5.0, rest_length=0.6))
    q, v = np.array([0.1, 0.05, -0.2]), np.array([1.0, -2.0, 0.5])
    bodies = bodies_at(model, q, v)
    found = implicit_velocities(bodies, stiffness_at(model, bodies, q), h)
    H = algorithms.crba(model, q).H
    residual = H @ (found - v) - h * algorithms.passive_force(model, q + h * found, found)
    assert np.abs(residual).max() < 1e-12


@pytest.mark.source("S2.26", "S2.17")
@pytest.mark.parametrize("preconditioned", [True, False])
def test_conjugate_gradients_find_the_same_step(preconditioned, make_tree, off):
    model = chain_pendulum(12)
    for k in range(0, 10, 2):
        band = rbd.Spring(f"rod{k + 1}", f"rod{k + 3}", stiffness=200.0, damping=3.0, at_a=(0.02, 0, 0))
        model.add_force(f"band{k}", band)
    model = model.with_parameters({f"{joint.name}.stiffness": 5.0 for joint in model.joints[1:]})
    q, v, tau = random_state(model, 5)
    bodies = bodies_at(model, q, v, tau)
    stiffness = stiffness_at(model, bodies, q)
    found = implicit_velocities_by_cg(bodies, stiffness, 0.01, preconditioned=preconditioned)
    exact = implicit_velocities(bodies, stiffness.symmetrised(), 0.01)
    assert off(found.qd, exact) < 1e-8  # rtol of the residual times the condition
    plain = implicit_velocities_by_cg(bodies, stiffness, 0.01, preconditioned=False)
    assert found.iterations <= plain.iterations


@pytest.mark.source("S2.17")
def test_stiffness_without_symmetry_is_symmetrised(make_tree, off):
    model = make_tree(2, False)
    q, v, _ = random_state(model, 2)
    stiffness = stiffness_at(model, bodies_at(model, q, v), q)
    assert abs(stiffness.K - stiffness.K.T).max() > 0.1
    assert abs(stiffness.symmetrised().K - stiffness.symmetrised().K.T).max() < 1e-13
