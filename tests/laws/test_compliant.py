"""Surfaces that give way: statics, free recovery, blows against their own differential equation, friction."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rbdkit as rbd
from rbdkit.errors import SimulationError
from rbdkit.laws import Compliant
from rbdkit.simulation import SimulationWarning
from tests.laws.scenes import ball, cube

SOFT = {"stiffness": 4e3, "damping": 40.0}


@pytest.mark.source("F11.16", "F11.18")
@pytest.mark.parametrize("patch", ["analytic", "state"])
@pytest.mark.parametrize("exponents", [{}, {"n": 1.5, "m": 1.5}])
def test_a_blow_against_its_equation(patch, exponents):
    """One bounce with a mass, a spring and a damper; force and z as functions of time are integrated independently."""
    law = Compliant(**SOFT, **exponents, patch=patch)
    if exponents:
        law = Compliant(stiffness=6e4, damping=6e2, **exponents, patch=patch)
    model, q = ball()
    q[6] += 0.02

    def rate(t, y):
        p, v = y
        depth = max(-p, 0.0)
        f = max(0.0, law.stiffness * depth**law.n - law.damping * depth**law.m * v) if p < 0.0 else 0.0
        return v, f - 10.0

    exact = solve_ivp(rate, (0.0, 0.16), (0.02, 0.0), rtol=1e-10, atol=1e-12, max_step=1e-3)
    motion = rbd.simulate(model, q, duration=0.16, dt=1e-3, contact=law)
    np.testing.assert_allclose(motion.q[-1, 6] - 0.1, exact.y[0, -1], atol=1e-4)
    np.testing.assert_allclose(motion.v[-1, 5], exact.y[1, -1], atol=5e-3)
    assert motion.report.energy_error < 1e-2
    assert motion.events[0].kind == "impact"


@pytest.mark.source("F11.16")
def test_what_rests_dents_by_its_weight():
    model, q = ball(mass=3.0)
    motion = rbd.simulate(model, q, duration=0.6, dt=4e-3, contact=Compliant(stiffness=1e4, damping=3e2))
    np.testing.assert_allclose(0.1 - motion.q[-1, 6], 30.0 / 1e4, rtol=1e-5)
    np.testing.assert_allclose(motion.contacts.normal_force("ground/ball")[-1], 30.0, rtol=1e-4)
    np.testing.assert_allclose(motion.report.contacts.penetration, (0.1 - motion.q[:, 6]).max(), rtol=1e-12)


def test_materials_say_what_surfaces_are_like():
    """Stiffness of the pair counts before that of the law; two in series give half."""
    rubber = rbd.Material(stiffness=4e3, damping=1.2e2)
    model = rbd.Model("drop", gravity=(0, 0, -10))
    inertia, shape = rbd.Inertia.sphere(0.1, 1.0), rbd.Geometry(rbd.Sphere(0.1), material=rubber)
    model.add_body("ball", joint=rbd.Free(), inertia=inertia, geometry=shape)
    model.add_ground(material=rubber)
    q = model.neutral()
    q[6] = 0.1
    motion = rbd.simulate(model, q, duration=0.3, dt=5e-3, contact="compliant")
    np.testing.assert_allclose(0.1 - motion.q[-1, 6], 10.0 / 2e3, rtol=1e-3)


@pytest.mark.source("F11.19")
def test_friction_sticks_behind_a_spring_and_slides_at_its_limit():
    """Pulled by less than mu N a cube gives way as its springs do and no further; by more it accelerates."""
    model, q = cube(friction=0.5)
    law = Compliant(stiffness=1e4, damping=1e2)
    ends = []
    for pull in (4.0, 6.0):
        f_ext = {"cube": rbd.wrench(force=(pull, 0, 0), point=(0, 0, 0.0))}
        motion = rbd.simulate(model, q, duration=0.1, dt=1e-3, f_ext=f_ext, contact=law)
        ends.append(motion.v[-1, 3])
        force = motion.contacts.total_force("ground/cube")[-1]
        np.testing.assert_allclose(force[2], 9.81, rtol=5e-2)
        np.testing.assert_allclose(force[0], -min(pull, 0.5 * force[2]), rtol=2e-2)
    assert abs(ends[0]) < 5e-3
    assert ends[1] > 0.06


def test_steps_too_long_for_the_surface_are_told():
    model, q = ball()
    with pytest.warns(SimulationWarning, match="STEP TOO LONG FOR CONTACTS"):
        rbd.simulate(model, q - [0, 0, 0, 0, 0, 0, 1e-4], duration=0.05, dt=0.01, contact=Compliant(damping=1e3))


def test_steps_too_long_along_the_surface_are_told():
    """A damper along the surface that steps cannot follow, where the normal one gives no reason to complain."""
    model, q = cube(friction=0.5)
    law = Compliant(stiffness=1e4, damping=1e2, tangential_stiffness=1e6, tangential_damping=1e4)
    with pytest.warns(SimulationWarning, match="STEP TOO LONG FOR CONTACTS"):
        rbd.simulate(model, q, duration=0.02, dt=1e-3, contact=law)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"stiffness": 0.0}, "stiffness = 0.0"),
        ({"damping": -1.0}, "damping = -1.0"),
        ({"m": np.nan}, "m = nan"),
        ({"patch": "none"}, "'analytic' or 'state'"),
    ],
)
def test_options_that_make_no_sense(options, what):
    with pytest.raises(SimulationError, match=what):
        Compliant(**options)
