"""The joints of Sueda's notes, section 2.4: in files, in programs of the builder, in pictures and in compiled code."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.drafting import KINDS, Draft, joint_of_kind
from rbdkit.engine import kernels_for
from rbdkit.formats import to_json
from rbdkit.formulations import JointSystem
from rbdkit.integrators import LinearlyImplicitEuler
from rbdkit.scene import scene_of
from rbdkit.scene.joint_axes import joint_mark
from rbdkit.spatial import se3

ALONG = [se3.pose(position=[0.3 * k, 0.1 * k * k, 0.05 * k]) for k in range(5)]
NET = np.zeros((6, 4, 5))
NET[0], NET[1] = np.meshgrid(0.3 * np.arange(4.0), 0.3 * np.arange(5.0), indexing="ij")
NET[2], NET[4] = 0.1 * NET[0] * NET[1], 0.2 * NET[0]
JOINTS = {
    "translational": rbd.Translational(),
    "planar of two": rbd.PlanarTranslation("y"),
    "universal": rbd.Universal("x", "y"),
    "Euler, any sequence": rbd.EulerAngles("ZXZ"),
    "exponential": rbd.ExponentialSpherical(),
    "composite": rbd.Composite(rbd.Prismatic("x"), rbd.Revolute("z")),
    "free in the plane": rbd.FreeInPlane("z"),
    "spline curve": rbd.SplineCurve(ALONG),
    "spline surface": rbd.SplineSurface(NET),
}


def model_with(joint):
    model = rbd.Model("two")
    inertia = rbd.Inertia(1.2, [0.1, 0.05, 0.0], np.diag([0.02, 0.03, 0.04]))
    model.add_body("first", joint=joint, inertia=inertia, joint_name="joint")
    model.add_body("second", "first", rbd.Revolute("y"), se3.pose(position=[0.2, 0.0, 0.0]), inertia)
    model.add_spring("band", "second", "world", 12.0, 0.1, damping=0.4, at_b=(0.4, 0.3, 0.6))
    return model


@pytest.mark.source("S2.06", "S2.07", "S2.08", "S2.09", "S2.11", "S2.12", "S2.13", "S2.15", "S2.16")
@pytest.mark.parametrize("kind", JOINTS)
def test_everywhere(kind):
    model = model_with(JOINTS[kind])
    rng = np.random.default_rng(7)
    q, v, tau = model.random_q(rng), 0.5 * rng.normal(size=model.nv), rng.normal(size=model.nv)
    expected = rbd.forward_dynamics(model, q, v, tau, backend="book")
    names = {}
    exec(Draft.from_model(model).code(), names)
    for other in (model, rbd.load(to_json(model)), Draft.from_model(model).model(), names["model"]):
        assert rbd.forward_dynamics(other, q, v, tau) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert kernels_for(model) is not None
    axes = joint_mark(model, 1, q, 0.3)
    assert axes is not None
    assert len(scene_of(model).nodes) >= 3
    assert type(joint_of_kind(JOINTS[kind].kind)) is type(JOINTS[kind])
    assert JOINTS[kind].kind in KINDS
    method, system = LinearlyImplicitEuler(), JointSystem(model)
    run = rbd.simulate(model, q, v, duration=0.003, dt=1e-3, formulation="redmax", integrator=method)
    assert "compiled loop" in run.report.backend
    state = method.init(system, 0.0, q, v)
    for _ in range(3):
        state = method.step(system, state, 1e-3)
    assert run.q[-1] == pytest.approx(state.x, abs=1e-10)
