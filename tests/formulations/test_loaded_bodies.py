"""Free bodies under forces of all kinds run compiled, as they are stepped from Python and as joint coordinates move."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.integrators import INTEGRATORS

PAIRS = [("quaternion", name) for name in ("rk4", "implicit_midpoint", "symplectic_euler", "crouch_grossman4")]
PAIRS += [("local_velocity", "rk4"), ("local_velocity", "implicit_midpoint")]
PAIRS += [("quaternion", "moser_veselov"), ("local_velocity", "moser_veselov")]
ROUND_OFF = 1e-12
"""Of twenty steps; equations are solved to 1e-14 of the largest velocity."""


def boxes(elements=False):
    """Two bodies whose frames are not at their centres of mass, one with its position along its own axes."""
    model = rbd.Model("two boxes")
    for name, size, com, translation in (
        ("large", [0.1, 0.2, 0.4], [0.1, -0.05, 0.2], "predecessor"),
        ("small", [0.3, 0.1, 0.05], [0.0, 0.1, 0.05], "successor"),
    ):
        inertia = rbd.Inertia.box(size, mass=2.0).transformed(rbd.pose(position=com))
        model.add_body(name, joint=rbd.Free(translation), inertia=inertia)
    if elements:
        model.add_force("band", rbd.Spring("large", "small", 20.0, 0.3, 0.2, (0.1, 0.0, 0.1), (0.0, 0.2, 0.0)))
        model.add_force("oil", rbd.JointDamper("small_joint", 0.1))
        model.add_force("hold", rbd.JointSpring("large_joint", 3.0))
    return model


def tau(t, q, v):
    return np.concatenate([0.2 * np.sin(3.0 * t) - 0.1 * v[:6], 0.3 * q[7:13]])


def f_ext(t, q, v):
    return {"small": np.array([0.1, 0.2, 0.3, 1.0, 0.5 * np.sin(5.0 * t), -q[4]])}


ROWS = np.random.default_rng(3).normal(size=(21, 12))
LOADS = {
    "elements": {},
    "constant": {"tau": ROWS[0], "f_ext": {"large": [0.1, 0.2, 0.3, 4.0, 5.0, 6.0]}},
    "held": {"tau": ROWS[:20]},
    "sampled": {"tau": ROWS},
    "laws": {"tau": rbd.traced(tau), "f_ext": rbd.traced(f_ext)},
}


def start(model):
    return model.random_q(np.random.default_rng(5)), np.random.default_rng(6).normal(size=model.nv)


def from_python(method):
    """The same method without a record."""
    base = type(method)
    return type(f"{base.__name__}FromPython", (base,), {"record": None})()


@pytest.mark.parametrize("loads", LOADS)
@pytest.mark.parametrize("formulation, integrator", PAIRS)
def test_steps_are_those_of_the_readable_form(formulation, integrator, loads):
    model = boxes(loads in ("elements", "laws"))
    method, options = INTEGRATORS[integrator], {"duration": 0.02, "dt": 1e-3, "progress": False, **LOADS[loads]}
    compiled, stepped = (
        rbd.simulate(model, *start(model), formulation=formulation, integrator=x, **options)
        for x in (method, from_python(method))
    )
    assert "compiled loop" in compiled.report.backend
    assert "stepped from Python" in stepped.report.backend
    assert_allclose(compiled.q, stepped.q, rtol=0, atol=ROUND_OFF)
    assert_allclose(compiled.v, stepped.v, rtol=0, atol=10.0 * ROUND_OFF)


@pytest.mark.parametrize("formulation", ["quaternion", "local_velocity"])
@pytest.mark.parametrize("loads", ["sampled", "laws"])
def test_adaptive_steps_lead_where_joint_coordinates_do(formulation, loads):
    model, options = boxes(True), {"duration": 0.5, "dt": 0.025, "integrator": "dop853", "progress": False}
    runs = [
        rbd.simulate(model, *start(model), formulation=x, **options, **LOADS[loads]) for x in (formulation, "joint")
    ]
    assert all("compiled loop" in run.report.backend for run in runs)
    poses = [rbd.forward_kinematics(model, run.q).poses for run in runs]
    assert_allclose(*poses, rtol=0, atol=1e-6)  # dop853 as it is: 1e-8 a step in other coordinates


@pytest.mark.parametrize("formulation", ["quaternion", "local_velocity"])
def test_what_is_not_recorded_is_said(formulation):
    model, options = boxes(), {"duration": 0.01, "dt": 1e-3, "formulation": formulation, "progress": False}
    run = rbd.simulate(model, *start(model), tau=rbd.untraced(tau), **options)
    assert "stepped from Python: tau" in run.report.backend


def test_the_energy_of_the_run_is_the_work_of_its_forces():
    """Without a damper the spring between two bodies keeps energy and momentum; no formula of the package in this."""
    model = rbd.Model("pair", gravity=(0, 0, 0))
    for name in ("a", "b"):
        model.add_body(name, joint=rbd.Free(), inertia=rbd.Inertia.box([0.1, 0.2, 0.3], mass=1.0))
    model.add_force("band", rbd.Spring("a", "b", 30.0, at_a=(0.1, 0.0, 0.0), at_b=(0.0, 0.1, 0.0)))
    q, v = start(model)
    run = rbd.simulate(model, q, v, duration=0.5, dt=5e-4, formulation="quaternion", progress=False)
    assert "compiled loop" in run.report.backend
    assert np.ptp(run.energy().total) < 1e-7
    momenta = rbd.momentum(model, run.q, run.v)
    assert np.ptp(momenta, axis=0).max() < 1e-8
