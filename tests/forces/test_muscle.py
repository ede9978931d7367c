"""Muscles, dampers, springs of no length and forces that are functions: in models, files and all formulations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rbdkit as rbd
from rbdkit.forces import muscle_curves


def arm():
    """An upper arm and a forearm, with a muscle over the elbow."""
    model = rbd.Model("arm")
    bone = rbd.Inertia(1.0, [0.0, 0.0, -0.15], 0.01 * np.eye(3))
    model.add_body("upper", joint=rbd.Revolute("y"), inertia=bone, damping=0.1)
    model.add_body("lower", "upper", rbd.Revolute("y"), [0, 0, -0.3], bone, damping=0.1)
    return model


PATH = [("world", (0.05, 0, 0)), ("upper", (0.06, 0, -0.2)), ("lower", (0.05, 0, -0.1)), ("upper", (0.0, 0, -0.3))]
NUMBERS = {"peak_force": 40.0, "optimal_length": 0.5, "tendon_length": 0.05, "max_velocity": 8.0}
Q, V = [0.2, 0.5], [0.3, -0.6]


@pytest.mark.source("S1.15")
@pytest.mark.parametrize("formulation", ("joint", "se3", "so3xr3", "bodywise"))
@pytest.mark.parametrize("sort", ("constant", "excited", "timed"))
def test_in_all_formulations(formulation, sort):
    model = arm()
    options = {"constant": {"activation": 0.7}, "excited": {"excitation": 0.9, "activation": 0.2},
               "timed": {"activation": lambda t: 0.5 + 0.4 * np.sin(8.0 * t)}}[sort]  # fmt: skip
    model.add_muscle("biceps", PATH, **NUMBERS, **options)
    run = rbd.simulate(model, Q, V, 0.1, dt=1e-3, formulation=formulation)
    assert "compiled loop" in run.report.backend
    expected = rbd.simulate(model, Q, V, 0.1, dt=1e-3, backend="book")
    assert run.poses() == pytest.approx(expected.poses(), abs=1e-8)  # joints of bodies drift by h^4
    assert run.z == pytest.approx(expected.z, abs=1e-12)


@pytest.mark.source("S1.14")
def test_motion_by_scipy():
    """A muscle between two points moves a mass as its equation says, with an activation that is a function of time."""
    rail = rbd.Model("rail", gravity=(0, 0, 0))
    rail.add_body("mass", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0))

    def activation(t):
        return 0.5 - 0.4 * np.cos(5.0 * t)

    rail.add_muscle("m", ["world", ("mass", (0.4, 0, 0))], 30.0, 0.3, activation, tendon_length=0.1, max_velocity=4.0)

    def equation(t, y):
        l, v = (0.4 + y[0] - 0.1) / 0.3, y[1] / (0.3 * 4.0)
        f_L, f_V, f_P = (
            getattr(muscle_curves, name)() for name in ("active_force_length", "force_velocity", "passive_force_length")
        )
        return [y[1], -30.0 * (activation(t) * f_L(l) * f_V(v) + f_P(l)) / 2.0]

    # the curves have kinks in their second derivatives, which cost Runge-Kutta methods some digits
    expected = solve_ivp(equation, (0.0, 0.4), [0.05, 0.2], rtol=1e-11, atol=1e-12).y[:, -1]
    run = rbd.simulate(rail, [0.05], [0.2], 0.4, dt=2e-4)
    assert [run.q[-1, 0], run.v[-1, 0]] == pytest.approx(expected, abs=1e-7)


@pytest.mark.source("S1.14")
def test_passive_muscle_keeps_energy():
    model = rbd.Model("arm")
    model.add_body("upper", joint=rbd.Revolute("y"), inertia=rbd.Inertia(1.0, [0, 0, -0.3], 0.01 * np.eye(3)))
    model.add_muscle("m", [("world", (0.3, 0, 0)), ("upper", (0, 0, -0.3))], 60.0, 0.2, activation=0.0)
    run = rbd.simulate(model, [-0.3], [0.0], 0.5, dt=5e-4)
    assert np.ptp(run.energy().potential) > 0.1
    assert np.ptp(run.energy().total) < 1e-7


class Stiff(rbd.Muscle):
    """A muscle with curves of a user's own."""

    def passive_force_length(self, length):
        return 3.0 * np.maximum(length - 1.0, 0.0) ** 2

    def passive_energy(self, length):
        return np.maximum(length - 1.0, 0.0) ** 3

    def active_force_length(self, length):
        return 1.0 / (1.0 + 4.0 * (length - 1.0) ** 2)


def test_curves_can_be_exchanged():
    model = arm()
    names, points = zip(*PATH, strict=True)
    model.add_force("biceps", Stiff(names, points, 40.0, 0.5, activation=0.0))
    ours, book = (rbd.simulate(model, Q, V, 0.05, backend=backend) for backend in ("auto", "book"))
    assert "compiled" in ours.report.backend
    assert ours.q == pytest.approx(book.q, abs=1e-12)
    again = rbd.load(rbd.formats.to_json(model), forces=[Stiff])
    assert repr(again.forces[0].element) == repr(model.forces[0].element)
    with pytest.raises(rbd.ModelError, match="write passive_energy"):

        class Half(rbd.Muscle):
            def passive_force_length(self, length):
                return 0.0


def test_files_and_parameters():
    model = arm()
    model.add_muscle("flexor", PATH, **NUMBERS, excitation=0.3)
    model.add_muscle("extensor", PATH[:2], **NUMBERS)
    model.add_damper("oil", "upper", "world", 2.0, (0, 0, -0.2), (0.3, 0, 0))
    model.add_spring("band", "upper", "world", 30.0, at_b=(0.3, 0, 0))
    model.add_spring("bushing", "lower", "world", 30.0, 0.0, 0.1, at_b=(0.3, 0, 0))
    model.add_force("pull", rbd.DirectedForce("lower", (1.0, 0, 0)))
    again = rbd.load(rbd.formats.to_json(model))
    assert [repr(f.element) for f in again.forces] == [repr(f.element) for f in model.forces]
    changed = model.with_parameters({"flexor.peak_force": 80.0, "flexor.excitation": 1.0, "pull.force": [0, 0, 2.0]})
    run, expected = rbd.simulate(changed, Q, V, 0.02), rbd.simulate(model, Q, V, 0.02)
    assert run.report.backend == expected.report.backend
    assert np.abs(run.q[-1] - expected.q[-1]).max() > 1e-6
    assert model.forces[3].element.rest_length == pytest.approx(0.3)  # in the neutral state


def test_forces_that_are_functions():
    def wind(x, v, t):
        return [0.5 * np.cos(3.0 * t), 0.2 * x[0], -0.1 * v[2]]

    model = arm()
    model.add_force("wind", wind, "lower", (0.0, 0.0, -0.3))
    model.add_force("drag", lambda x, v: -0.3 * v, "upper")
    run = rbd.simulate(model, Q, V, 0.1)
    assert "compiled" in run.report.backend

    class Drag(rbd.ForceElement):
        def act(self, at):
            at.apply_force("upper", -0.3 * at.velocity("upper"))

    def f_ext(t, q, v):
        point = rbd.forward_kinematics(twin, q).pose("tip")[:3, 3]
        velocity = rbd.jacobian(twin, q, "tip", reference="aligned")[3:] @ v
        force = np.array(wind(point, velocity, t))
        return {"lower": np.concatenate([np.cross(point, force), force])}

    twin = arm()
    twin.add_frame("tip", "lower", [0.0, 0.0, -0.3])
    twin.add_force("drag", Drag())
    expected = rbd.simulate(twin, Q, V, 0.1, f_ext=rbd.untraced(f_ext), dt=2e-3)
    assert rbd.simulate(model, Q, V, 0.1, dt=2e-3).q == pytest.approx(expected.q, abs=1e-11)
    for text, options in {
        "must take": {"element": lambda x: x, "body": "lower"},
        "must be a function": {"element": 3.0, "body": "lower"},
        "leave out body": {"element": rbd.DirectedForce("lower", (1, 0, 0)), "body": "lower"},
        "is no force element": {"element": wind},
    }.items():
        with pytest.raises(rbd.ModelError, match=text):
            model.add_force("other", **options)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"path": ["upper"]}, "two bodies or frames"),
        ({"path": [("upper", (0, 0, 0)), ("upper", (0, 0, 1))]}, "whole path is on 'upper'"),
        ({"path": [("upper", (0, 0)), ("lower", (0, 0))]}, r"needs \(2, 3\)"),
        ({"path": [("upper", (0, 0)), ("lower", (0, 0, 0))]}, "points"),
        ({"path": ["upper", "nobody"]}, "'nobody'"),
        ({"path": [3.0, "upper"]}, "made of names"),
        ({"peak_force": -1.0}, "peak_force"),
        ({"optimal_length": 0.0}, "optimal_length must be more than zero"),
        ({"activation": 1.5}, "not be more than 1"),
        ({"excitation": 1.5}, "excitation 1.5"),
        ({"excitation": 0.5, "deactivation_time": 0.0}, "deactivation_time"),
        ({"excitation": 0.5, "activation": np.sin}, "leave out the excitation"),
        ({"colour": 1.0}, "colour"),
    ],
)
def test_what_cannot_be_a_muscle(change, text):
    with pytest.raises(rbd.ModelError, match=text):
        arm().add_muscle("m", **({"path": PATH} | NUMBERS | change))
