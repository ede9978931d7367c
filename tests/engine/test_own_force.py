"""A force of one's own, in this file alone: a class, added to a model; nothing has to be registered."""

import json

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine import Kernels, packaged
from rbdkit.integrators import RK4
from rbdkit.scene import scene_of

MASS, CHARGE, RATE = 0.5, 3.0, 2.0
BALL = rbd.Inertia.sphere(0.05, mass=MASS)


class Attraction(rbd.ForceElement):
    """A body is drawn to a point of the world by a force of the inverse square, and slowed by a lazy brake.

    The brake has a state of its own, the velocity along x as it was a little earlier.
    """

    body: str
    strength: float
    brake: float = 0.0
    rate: float = RATE
    felt: float = 0.0
    states = ("felt",)

    def act(self, at):
        p, v = at.position(self.body), at.velocity(self.body)
        r = np.sqrt(p @ p)
        at.apply_force(self.body, -self.strength / (r * r * r) * p)
        at.apply_force(self.body, np.array([-self.brake * self.felt, 0.0, 0.0]))
        at.set_rate("felt", self.rate * (v[0] - self.felt))

    def energy(self, at):
        p = at.position(self.body)
        return -self.strength / np.sqrt(p @ p)

    def ends(self):
        return ("world", (0.0, 0.0, 0.0)), (self.body, (0.0, 0.0, 0.0))


def comet(tmp_path, **numbers):
    """By a file that names the class."""
    model = rbd.Model("comet", gravity=(0.0, 0.0, 0.0))
    model.add_body("ice", joint=rbd.Free(), placement=[0, 3, 0], inertia=BALL)
    model.add_force("sun", Attraction("ice", CHARGE, **numbers))
    rbd.save(model, tmp_path / "comet.json")
    return rbd.load(tmp_path / "comet.json", forces=[Attraction])


Q = np.array([1.0, 0, 0, 0, 1.2, -3.0, 0])
V = np.array([0, 0, 0, 0, 1.5, 0.9])


@pytest.mark.parametrize("formulation", ["joint", "se3", "so3xr3", "bodywise", "maximal"])
def test_it_runs_compiled_in_every_formulation_that_knows_states(formulation, tmp_path):
    """Kepler's orbit: the vector of Laplace, Runge and Lenz stands still."""
    motion = rbd.simulate(comet(tmp_path), Q, V, duration=1.0, dt=1e-3, formulation=formulation)
    assert "compiled loop" in motion.report.backend
    r = motion.poses("ice")[:, :3, 3]
    v = rbd.forward_kinematics(motion.model, motion.q, motion.v).velocities[:, 1, 3:]  # it does not turn
    axis = np.cross(v, np.cross(r, v)) - CHARGE / MASS * r / np.linalg.norm(r, axis=1)[:, None]
    np.testing.assert_allclose(axis, np.broadcast_to(axis[0], axis.shape), atol=1e-8)
    assert np.ptp(motion.energy().total) < 1e-8
    p = rbd.simulate(comet(tmp_path), Q, V, duration=1.0, dt=1e-3).poses("ice")
    np.testing.assert_allclose(motion.poses("ice"), p, atol=1e-9)


@pytest.mark.parametrize("backend", ["llvm", "python", "wasm"])
def test_it_is_compiled_in_every_backend(backend, wasm, tmp_path):
    kernels = Kernels(comet(tmp_path, brake=0.7), backend)
    z = np.array([0.4])
    expected = (-CHARGE / 1.2**2 - 0.7 * 0.4) / MASS
    acceleration = kernels.forward_dynamics(Q, V, np.zeros(6), z=z)
    np.testing.assert_allclose(acceleration, [0, 0, 0, expected, 0, 0], atol=1e-13)
    np.testing.assert_allclose(kernels.own_state_rates(Q, V, z), [RATE * (0.0 - 0.4)], atol=1e-14)
    np.testing.assert_allclose(kernels.energy(Q, V, z=z)[2], -CHARGE / 1.2, rtol=1e-14)


def test_it_is_shown_swept_and_packed_for_pages(tmp_path):
    model = comet(tmp_path, brake=0.3)
    assert [band.nodes for band in scene_of(model).bands] == [(0, 1)]
    motion = rbd.simulate(model, Q, V, duration=0.1, dt=1e-3)
    view = rbd.show(motion)
    assert view.tracks.t[-1] == pytest.approx(0.1)
    view.close()
    ensemble = rbd.sweep(model, {"sun.strength": [CHARGE, 2 * CHARGE]}, Q, V, duration=0.1, dt=1e-3, progress=False)
    np.testing.assert_allclose(ensemble[0].q, motion.q, rtol=0, atol=1e-12)
    other = rbd.simulate(model.with_parameters({"sun.strength": 2 * CHARGE}), Q, V, duration=0.1, dt=1e-3)
    np.testing.assert_allclose(ensemble[1].q, other.q, rtol=0, atol=1e-12)
    page = packaged(model, RK4(), parameters=["sun.strength"])
    assert page["states"]["names"] == ["sun.felt"] and json.dumps(page)


class Later(rbd.ForceElement):
    """Pushes from half a second on, in terms that NumPy and plain Python read otherwise."""

    body: str

    def act(self, at):
        at.apply_force(self.body, np.array([1.0 * ~(at.time < 0.5), 0.0, 0.0]))


@pytest.mark.parametrize("formulation", ["joint", "se3", "maximal"])
@pytest.mark.parametrize("backend", ["auto", "book"])
def test_conditions_of_time_are_those_of_numpy_in_all_forms(formulation, backend):
    """The ball flies half a second of 1 N at 2 m/s^2: 0.25 m."""
    model = rbd.Model("ball", gravity=(0.0, 0.0, 0.0))
    model.add_body("ball", joint=rbd.Free(), inertia=BALL)
    model.add_force("later", Later("ball"))
    motion = rbd.simulate(
        model, duration=1.0, dt=0.05, formulation=formulation, backend=backend, integrator="explicit_euler"
    )
    # explicit Euler: the 10 steps from 0.5 s on
    assert motion.poses("ball")[-1, 0, 3] == pytest.approx(2.0 * 0.05**2 * sum(range(10)), rel=1e-12)
