"""Linearly implicit steps of bodies with joints: the compiled ones are those of the equations in arrays."""

import warnings

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.formulations import ConstrainedBodies
from rbdkit.simulation import SimulationWarning


class Coupling(rbd.ForceElement):
    """A user's own element that asks for joints."""

    gain: float

    def act(self, at):
        bend = at.coordinates("j0")
        at.apply_torque("j2", -self.gain * bend[0] * bend[0] - 0.2 * at.velocities("j0")[0])


def chain(*joints: rbd.joints.JointType) -> rbd.Model:
    model = rbd.Model("chain")
    for k, joint in enumerate(joints):
        inertia = rbd.Inertia(2.0, (0.0, 0.05, 0.2), np.diag([0.3, 0.4, 0.2]))
        model.add_body(f"b{k}", f"b{k - 1}" if k else "world", joint, (0.2, 0.0, 0.1), inertia, joint_name=f"j{k}")
    return model


def sprung() -> rbd.Model:
    """Curved joints, axes that move, a rotor; and springs and dampers in joints."""
    model = chain(rbd.Revolute("y"), rbd.Spherical(), rbd.Universal("x", "z"))
    numbers = {"j0.stiffness": 300.0, "j0.damping": 2.0, "j0.armature": 0.3, "j1.stiffness": [100.0, 200.0, 300.0]}
    return model.with_parameters(numbers | {"j1.damping": [1.0, 2.0, 3.0], "j2.stiffness": [80.0, 90.0]})


def with_elements() -> rbd.Model:
    model = chain(rbd.Revolute("y"), rbd.Spherical(), rbd.Revolute("x"))
    model.add_spring("band", "b2", "world", 800.0, 0.1, damping=6.0, at_a=(0.1, 0.2, 0.0), at_b=(1.0, 0.3, 0.2))
    model.add_muscle(
        "flexor", [("world", (0.0, 0.1, 0.0)), ("b0", (0.1, 0.0, 0.3)), ("b2", (0.0, 0.1, 0.2))], 500.0, 0.4
    )
    model.add_force("coupling", Coupling(40.0))
    return model


def four_bar() -> rbd.Model:
    model = rbd.library.planar_four_bar()
    crank, coupler = [joint.name for joint in model.joints[1:] if joint.nv][:2]
    return model.with_parameters({f"{crank}.stiffness": 20.0, f"{coupler}.damping": 0.5})


def held() -> rbd.Model:
    model = sprung()
    model.add_constraint("plane", rbd.PointOnPlane("b1", "world", height=0.1))
    return model


CASES = [
    (sprung, "se3", "linearly_implicit_sdirk2", 10),
    (four_bar, "bodywise", "linearly_implicit_euler", 20),
    (four_bar, "maximal", "linearly_implicit_sdirk2", 20),
    (held, "so3xr3", "linearly_implicit_euler", 1),
    (with_elements, "so3xr3", "linearly_implicit_euler", 1),
]
"""Elements act on bodies where these are, or where their joints put them: both are one as long as joints are closed, so
with elements one step is compared. Constraints close to first order in the step only."""


@pytest.mark.source("S1.17", "S2.20")
@pytest.mark.parametrize(("make", "formulation", "integrator", "steps"), CASES)
def test_compiled_steps_are_those_of_the_equations_in_arrays(make, formulation, integrator, steps, monkeypatch):
    rng, runs = np.random.default_rng(3), []
    model = make()
    q, v = model.neutral(), np.zeros(model.nv)
    if make in (sprung, with_elements):
        q, v = model.random_q(rng), rng.normal(size=model.nv)
    if make is held:
        q = rbd.assemble(model, q)
    options = {"duration": 0.01 * steps, "dt": 0.01, "formulation": formulation, "integrator": integrator}
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SimulationWarning)  # the steps are long
            runs.append(rbd.simulate(make(), q, v, progress=False, **options))
        monkeypatch.setattr(ConstrainedBodies, "compiled_run", lambda *given, **named: None)
    assert "compiled loop" in runs[0].report.backend and "stepped from Python" in runs[1].report.backend
    assert np.abs(runs[1].v).max() > 0.05
    # the same equations, eliminated in another order
    assert np.abs(runs[0].v - runs[1].v).max() < 1e-11 * np.abs(runs[1].v).max()
