"""Loop joints that are recorded from what their class says, in compiled joint coordinates: users' own, splines, those
that move in time; against the rows of Table 8.4 and readable runs."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import joints
from rbdkit.algorithms.loops import loop_constraint
from rbdkit.engine import Kernels, kernels_for
from rbdkit.errors import ModelError
from rbdkit.formulations import Baumgarte, JointSystem
from rbdkit.formulations.constrained.residuals_program import MANY
from rbdkit.integrators import RK4, GeneralizedAlpha, Projected
from rbdkit.library import random_tree
from rbdkit.spatial import se3
from tests.joints.cams import Cam, CamWithAngle

T = 0.4
"""Time of the states, s."""


class CamOfFormulas(CamWithAngle):
    """The same, with a formula for what it resists, too."""

    def constraint_subspace(self, q):
        T = np.zeros((6, 5))
        T[0, 0] = T[1, 1] = T[3, 2] = T[4, 3] = T[5, 4] = 1.0
        T[2, 4] = -self.lift * np.cos(q[0])
        return T


def swing(t):
    return 0.2 + 0.3 * np.sin(2.0 * t), 0.6 * np.cos(2.0 * t), -1.2 * np.sin(2.0 * t)


def tumble(t):
    """Turns about x faster and faster."""
    return np.array([np.cos(t * t), np.sin(t * t), 0.0, 0.0]), np.array([4.0 * t, 0, 0]), np.array([4.0, 0.0, 0.0])


KINDS = {
    "cam": Cam(0.2),
    "cam of formulas": CamOfFormulas(0.3),
    "reversed cam": joints.Reversed(Cam(0.2)),
    "curve": joints.SplineCurve(),
    "curve through its frames": joints.SplineCurve(basis="catmull_rom"),
    "reversed curve": joints.Reversed(joints.SplineCurve()),
    "surface": joints.SplineSurface(),
    "two hinges": joints.Composite(rbd.Revolute("x"), rbd.Revolute("z")),
    "Euler angles": joints.EulerAngles("zxz"),
    "free in plane": joints.FreeInPlane("y"),
    "translation in plane": joints.PlanarTranslation("z"),
    "translation": joints.Translational(),
    "rotation vector": joints.ExponentialSpherical(),
    "prescribed": joints.Prescribed(rbd.Revolute("y"), swing),
    "reversed prescribed": joints.Reversed(joints.Prescribed(rbd.Helical("x", pitch=0.1), swing)),
    "prescribed cam": joints.Prescribed(Cam(0.2), swing),
    "tumbling": joints.Prescribed(joints.Spherical(), tumble),
}


def closed(kind, seed=3):
    """A tree with a loop, and coordinates that close it."""
    rng = np.random.default_rng(seed)
    model = random_tree(4, 9)
    q = model.random_q(rng)
    poses = rbd.forward_kinematics(model, q).poses
    P = se3.pose(se3.random(rng)[:3, :3], rng.uniform(-0.3, 0.3, 3))
    S = se3.inverse(poses[6]) @ poses[2] @ P @ kind.pose(kind.random(rng), T)
    model.add_loop("loop", model.bodies[2], model.bodies[6], kind, P, S)
    return model, q, rng


def turned(kind):
    """Whether code has the ends of a loop joint the other way round."""
    return isinstance(kind.simplified(), joints.Reversed)


@pytest.mark.source("F8.04", "F8.05", "F8.06")
@pytest.mark.parametrize("name", KINDS)
def test_rows_are_those_of_the_table(name):
    """Where the loop is open or comes apart, too; a reversed joint has its rows in the other body there."""
    model, q, rng = closed(KINDS[name])
    kernels = kernels_for(model)
    assert kernels.rows is not None, kernels.why_not
    for off in (0.0,) if turned(KINDS[name]) else (0.0, 1e-5, 1e-3):
        there, v = model.integrate(q, off * rng.normal(size=model.nv)), rng.normal(size=model.nv)
        if turned(KINDS[name]):
            v = rbd.project_velocity(model, q, v, t=T)
        expected, found = loop_constraint(model, there, v, t=T), kernels.constraint_rows(there, v, T)
        np.testing.assert_allclose(found.K, expected.K, rtol=0.0, atol=1e-11)  # coordinates are found to 1e-11
        np.testing.assert_allclose(found.k, expected.k, rtol=0.0, atol=1e-9)  # of which Python has some by differences
        np.testing.assert_allclose(found.gap, expected.delta, rtol=0.0, atol=1e-11)
        np.testing.assert_allclose(found.slip, expected.delta_dot, rtol=0.0, atol=1e-11)
        system = JointSystem(model)
        assert found.openness == pytest.approx(system.gaps.largest(system.poses(there), T), rel=1e-7, abs=1e-11)


@pytest.mark.parametrize("name", ["cam", "reversed curve", "surface", "two hinges", "reversed prescribed", "tumbling"])
def test_a_compiled_motion_is_the_readable_one(name):
    """By a method that closes loops at the end of each step; all of a joint's motion in time stands in tables."""
    model, q, rng = closed(KINDS[name])
    v = rbd.project_velocity(model, q, 0.3 * rng.normal(size=model.nv), t=T)
    times, method = T + 1e-3 * np.arange(3), Projected(RK4())
    system = JointSystem(model)
    run = system.compiled_run(method, times, q, v, 1, lambda t: None)
    assert run is not None
    readable = JointSystem(model, book=True)
    state = method.init(readable, times[0], q, v)
    for _ in range(2):
        state = method.step(readable, state, 1e-3)
    scale = max(1.0, np.abs(state.v).max())
    np.testing.assert_allclose(run.q[-1], state.x, rtol=0.0, atol=1e-11 * scale)
    np.testing.assert_allclose(run.v[-1], state.v, rtol=0.0, atol=1e-10 * scale)
    assert np.abs(system.constraint_error(run.q[-1], times[-1])).max() < 1e-12
    many = np.array([model.integrate(run.q[-1], 1e-4 * rng.normal(size=model.nv)) for _ in range(MANY)])
    at_once = system.constraint_error(many, times[-1])
    one_by_one = np.array([system.constraint_error(x, times[-1]) for x in many])
    np.testing.assert_allclose(at_once, one_by_one, rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("name", ["cam", "tumbling"])
def test_other_methods_and_baumgarte(name):
    """Of a state that stands a little open; accelerations are corrected, errors pulled back."""
    model, q, rng = closed(KINDS[name])
    v = rbd.project_velocity(model, q, 0.3 * rng.normal(size=model.nv), t=T)
    times = T + 1e-3 * np.arange(3)
    for method, system in (
        (GeneralizedAlpha(), JointSystem(model)),
        (RK4(), JointSystem(model, baumgarte=Baumgarte(9, 9))),
    ):
        x = q if method.order == 2 else model.integrate(q, 1e-5 * rng.normal(size=model.nv))
        run = system.compiled_run(method, times, x, v, 1, lambda t: None)
        assert run is not None
        state = method.init(system, times[0], x, v)
        for _ in range(2):
            state = method.step(system, state, 1e-3)
        np.testing.assert_allclose(run.q[-1], state.x, rtol=0.0, atol=1e-10)
        np.testing.assert_allclose(run.v[-1], state.v, rtol=0.0, atol=1e-8 * max(1.0, np.abs(state.v).max()))


@pytest.mark.parametrize("name", ["cam", "surface", "tumbling"])
def test_all_backends_and_lanes_compute_the_same(name):
    model, q, rng = closed(KINDS[name])
    v, tau = rng.normal(size=(2, model.nv))
    expected = rbd.forward_dynamics(model, q, v, tau, t=T)
    if name == "cam":
        found = Kernels(model, "python").forward_dynamics(q, v, tau, t=T)
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())
    many = np.array([model.integrate(q, 1e-6 * k * np.ones(model.nv)) for k in range(520)])
    found = rbd.forward_dynamics(model, many, np.tile(v, (520, 1)), np.tile(tau, (520, 1)), t=T)
    for k in (0, 311, 519):
        one = rbd.forward_dynamics(model, many[k], v, tau, t=T)
        np.testing.assert_allclose(found[k], one, rtol=0.0, atol=1e-9 * np.abs(one).max())


def test_adaptive_steps_know_the_motion_in_time():
    """A crank that a loop joint turns: its angle is what time says, to the tolerance of the method."""
    model = rbd.Model("crank")
    model.add_body("crank", joint=rbd.Revolute("z"), inertia=rbd.Inertia(1.0, (0.3, 0.0, 0.0), np.eye(3)))
    model.add_body("rod", "crank", rbd.Revolute("z"), (0.5, 0.0, 0.0), rbd.Inertia(1.0, (0.3, 0.0, 0.0), np.eye(3)))
    drive = joints.Prescribed(
        rbd.Revolute("z"),
        lambda t: (0.5 * np.sin(t) * t, 0.5 * (np.sin(t) + t * np.cos(t)), np.cos(t) - 0.5 * t * np.sin(t)),
    )
    model.add_loop("motor", "world", "crank", drive)
    for method in ("dop853", "rk4_projected"):
        run = rbd.simulate(model, duration=1.0, dt=0.01, integrator=method, progress=False)
        assert "compiled loop" in run.report.backend
        np.testing.assert_allclose(run.q[:, 0], 0.5 * np.sin(run.t) * run.t, rtol=0.0, atol=1e-7)
        np.testing.assert_allclose(
            rbd.forward_kinematics(model, run.q[-1], t=1.0).pose("crank"), run.poses("crank")[-1]
        )


def test_a_class_that_contradicts_itself_is_refused():
    class Wrong(Cam):
        def constraint_subspace(self, q):
            return np.eye(6)[:, [0, 1, 2, 3, 4]]

    class Short(CamOfFormulas):
        def constraint_subspace(self, q):
            T = super().constraint_subspace(q)
            T[:, 1] = T[:, 0]
            return T

    for kind, words in ((Wrong(), "does work along its motion_subspace"), (Short(), "are not independent")):
        model, q, _ = closed(kind)
        with pytest.raises(ModelError, match=words):
            rbd.forward_dynamics(model, q, np.zeros(model.nv), np.zeros(model.nv))


def test_what_cannot_be_recorded_says_why():
    class Hidden(Cam):
        def constraint_subspace(self, q):
            T = super().constraint_subspace(q)
            return T if q[0] > 0.0 else -T

    model, *_ = closed(Hidden())
    kernels = kernels_for(model)
    assert kernels.rows is None
    assert "loop joint 'loop': Hidden cannot be compiled: constraint_subspace" in kernels.why_not


def test_a_changed_joint_is_recorded_anew():
    """Numbers that a user's class keeps are looked at at every call."""
    kind = Cam(0.2)
    model, q, rng = closed(kind)
    v, tau = rng.normal(size=(2, model.nv))
    before = rbd.forward_dynamics(model, q, v, tau)
    kind.lift = 0.5
    after = rbd.forward_dynamics(model, q, v, tau)
    assert np.abs(after - before).max() > 1e-3
    expected = JointSystem(model, lambda *_: tau, book=True).index1(0.0, q, v).accelerations()
    np.testing.assert_allclose(after, expected, rtol=0.0, atol=1e-8 * np.abs(expected).max())
