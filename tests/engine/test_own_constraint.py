"""A constraint of one's own, in this file alone: a class, added to a model; nothing has to be registered."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine import Kernels, NotCovered, packaged
from rbdkit.integrators import RK4, Projected
from rbdkit.scene import scene_of

R = 1.3


class Torus(rbd.ConstraintElement):
    """A point of a body stays on a torus about the world's z axis."""

    body: str
    ring: float
    tube: float

    def gap(self, at):
        x, y, z = at.position(self.body)
        out = np.sqrt(x * x + y * y) - self.ring
        return np.sqrt(out * out + z * z) - self.tube

    def ends(self):
        return ("world", (0.0, 0.0, 0.0)), (self.body, (0.0, 0.0, 0.0))


def bead(tmp_path):
    """A bead on a torus, by a file that names the class."""
    model = rbd.Model("bead", gravity=(0.0, 0.0, 0.0))
    model.add_body("bead", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.05, mass=0.4))
    model.add_constraint("torus", Torus("bead", ring=1.0, tube=0.3))
    rbd.save(model, tmp_path / "bead.json")
    return rbd.load(tmp_path / "bead.json", constraints=[Torus])


Q = np.array([1.0, 0, 0, 0, R, 0, 0])
V = np.array([0, 0, 0, 0, 0.7, 0.5])


@pytest.mark.parametrize("formulation", ["joint", "se3", "so3xr3", "bodywise"])
def test_it_runs_compiled_in_every_formulation_that_knows_constraints(formulation, tmp_path):
    """Without gravity a bead runs on a geodesic: its speed stays, and so does its moment about the axis (Clairaut)."""
    motion = rbd.simulate(bead(tmp_path), Q, V, duration=1.0, dt=1e-3, formulation=formulation)
    assert "compiled loop" in motion.report.backend
    p = motion.poses("bead")[:, :3, 3]
    rate = np.gradient(p, motion.t, axis=0, edge_order=2)[2:-2]
    assert np.abs(np.hypot(np.hypot(p[:, 0], p[:, 1]) - 1.0, p[:, 2]) - 0.3).max() < 1e-7
    moment = p[2:-2, 0] * rate[:, 1] - p[2:-2, 1] * rate[:, 0]
    np.testing.assert_allclose(moment, R * 0.7, rtol=1e-4)  # differences of second order
    assert motion.report.energy_error < 1e-8
    assert motion.constraint_forces()["torus"].shape == (1001, 1)


@pytest.mark.parametrize("backend", ["llvm", "python", "wasm"])
def test_it_is_compiled_in_every_backend(backend, wasm, tmp_path):
    """The force that holds it at the start is m v^2 over the radii of both circles."""
    kernels = Kernels(bead(tmp_path), backend)
    acceleration = kernels.forward_dynamics(Q, V, np.zeros(6))
    expected = -(0.7**2 / R + 0.5**2 / 0.3)
    np.testing.assert_allclose(acceleration, [0, 0, 0, expected, 0, 0], atol=1e-12)


def test_it_is_drawn_and_its_numbers_are_parameters(tmp_path):
    model = bead(tmp_path)
    assert [band.nodes for band in scene_of(model).bands] == [(0, 1)]
    view = rbd.show(rbd.simulate(model, Q, V, duration=0.05))
    assert view.tracks.t[-1] == pytest.approx(0.05)
    view.close()
    wider = model.with_parameters({"torus.tube": 0.5})
    assert wider.constraint("torus").element.tube == 0.5
    ensemble = rbd.sweep(model, {"bead.mass": [0.4, 0.8]}, Q, V, duration=0.1, dt=1e-3)
    np.testing.assert_allclose(ensemble[0].q, ensemble[1].q, rtol=0, atol=1e-12)  # its mass is no matter


def test_what_does_not_know_it_says_so(tmp_path):
    for ask in (
        lambda model: packaged(model, RK4()),
        lambda model: rbd.aba(model, Q, V, np.zeros(6)),
        lambda model: rbd.simulate(model, Q, V, formulation="quaternion"),
    ):
        with pytest.raises((rbd.ModelError, NotCovered), match="torus"):
            ask(bead(tmp_path))
    page = packaged(bead(tmp_path), Projected(RK4()))
    assert "held_numbers" in page["programs"]["simulate"]["arrays"]
