"""Force elements that ask for time: in every formulation, compiled and readable, with energies and derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine import kernels_for
from rbdkit.integrators import RK4

POINT = (0.1, 0.0, 0.2)


class Shaker(rbd.ForceElement):
    """Pulls at a point, to and fro."""

    body: str
    size: float
    rate: float

    def act(self, at):
        x = self.rate * at.time
        at.apply_force(self.body, [self.size * np.sin(x), 0.1 * self.size * x, self.size * np.cos(2.0 * x)], POINT)


class Pump(rbd.ForceElement):
    """A spring at a joint whose stiffness changes with time."""

    joint: str
    stiffness: float

    def act(self, at):
        k = self.stiffness * (1.0 + np.sin(7.0 * at.time))
        at.apply_torque(self.joint, -k * at.coordinates(self.joint))

    def energy(self, at):
        return 0.5 * self.stiffness * (1.0 + np.sin(7.0 * at.time)) * at.coordinates(self.joint)[0] ** 2


def chain():
    model = rbd.library.double_pendulum()
    model.add_force("shaker", Shaker(model.bodies[2].name, 3.0, 5.0))
    model.add_force("pump", Pump(model.joints[1].name, 20.0))
    return model


def by_functions():
    """The same as functions of time and state that act from outside."""
    model = rbd.library.double_pendulum()

    def tau(t, q, v):
        return np.array([-20.0 * (1.0 + np.sin(7.0 * t)) * q[0], 0.0 * t])

    def f_ext(t, q, v):
        T = rbd.forward_kinematics(model, q).poses[2]
        x = 5.0 * t
        force = np.array([3.0 * np.sin(x), 0.3 * x, 3.0 * np.cos(2.0 * x)])
        rows = np.zeros((3, 6))
        rows[2] = [*np.cross(T[:3, :3] @ POINT + T[:3, 3], force), *force]
        return rows

    return model, tau, f_ext


@pytest.fixture(scope="module")
def expected():
    model, tau, f_ext = by_functions()
    return rbd.simulate(model, [1.0, 0.5], duration=0.4, dt=1e-3, tau=tau, f_ext=f_ext, backend="book")


@pytest.mark.parametrize("formulation", ("joint", "redmax", "se3", "so3xr3", "bodywise", "maximal"))
def test_moves_as_under_forces_from_outside(expected, formulation):
    run = rbd.simulate(chain(), [1.0, 0.5], duration=0.4, dt=1e-3, formulation=formulation)
    assert "compiled loop" in run.report.backend
    assert run.poses() == pytest.approx(expected.poses(), abs=1e-9)  # joints of bodies drift by h^4
    # what the forces bring in is accounted for: by Simpson's rule over the steps
    assert run.energy_error() == pytest.approx(0.0, abs=2e-7)
    assert np.ptp(run.energy().total) > 1.0


@pytest.mark.parametrize("formulation", ("joint", "redmax", "se3"))
def test_readable_as_compiled(formulation):
    class Same(RK4):
        """The readable steps."""

        record = None

    runs = [
        rbd.simulate(chain(), [1.0, 0.5], duration=0.02, dt=1e-3, formulation=formulation, integrator=method)
        for method in (RK4(), Same())
    ]
    assert ["compiled loop" in run.report.backend for run in runs] == [True, False]
    assert runs[0].poses() == pytest.approx(runs[1].poses(), abs=1e-12)


@pytest.mark.parametrize("integrator", ("rk45", "implicit_midpoint", "linearly_implicit_sdirk2"))
def test_steps_see_the_time_of_their_stages(expected, integrator):
    run = rbd.simulate(chain(), [1.0, 0.5], duration=0.4, dt=1e-3, integrator=integrator)
    assert run.q[-1] == pytest.approx(expected.q[-1], abs=5e-5)


@pytest.mark.parametrize(("integrator", "order"), [("linearly_implicit_euler", 1), ("linearly_implicit_sdirk2", 2)])
def test_order_with_stiffness_that_changes_with_time(expected, integrator, order):
    errors = []
    for h in (2e-3, 1e-3):
        run = rbd.simulate(chain(), [1.0, 0.5], duration=0.4, dt=h, integrator=integrator)
        errors.append(np.abs(run.q[-1] - expected.q[-1]).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.1)


def test_functions_of_state_and_time():
    """One state, stacks of states, and what each is told: against the element's own words."""
    model, outside = chain(), by_functions()
    rng = np.random.default_rng(3)
    q, v, tau = rng.normal(size=(3, 5, 2))
    for t in (0.0, 0.7):
        found = rbd.forward_dynamics(model, q, v, tau, t=t)
        for k in range(5):
            given = {"tau": tau[k] + outside[1](t, q[k], v[k]), "f_ext": outside[2](t, q[k], v[k])}
            one = rbd.forward_dynamics(outside[0], q[k], v[k], given["tau"], f_ext=given["f_ext"])
            assert found[k] == pytest.approx(one, rel=1e-11, abs=1e-11)
            assert rbd.forward_dynamics(model, q[k], v[k], tau[k], t=t) == pytest.approx(one, rel=1e-11, abs=1e-11)
            spring = 10.0 * (1.0 + np.sin(7.0 * t)) * q[k, 0] ** 2
            assert rbd.energy(model, q[k], v[k], t=t).spring == pytest.approx(spring, rel=1e-13, abs=1e-14)
            balance = rbd.power_balance(model, q[k], v[k], one, tau[k], t=t)
            assert balance.residual == pytest.approx(0.0, abs=1e-10 * max(1.0, abs(balance.energy_rate)))


def test_times_of_a_stack():
    kernels = kernels_for(chain())
    q, v, t = np.random.default_rng(0).normal(size=(3, 700, 2))
    both = kernels.energy(q, v, t[:, 0])  # more than are computed side by side
    assert both[:, 2] == pytest.approx(10.0 * (1.0 + np.sin(7.0 * t[:, 0])) * q[:, 0] ** 2, rel=1e-12, abs=1e-12)


def test_derivatives_at_a_time():
    model, t, h = chain(), 0.6, 1e-5
    q, v, tau = np.array([0.4, -0.3]), np.array([0.5, 1.0]), np.array([0.2, 0.1])
    found = rbd.forward_dynamics_derivatives(model, q, v, tau, t=t)
    for slope, place in ((found.da_dq, 0), (found.da_dv, 1)):
        for k, e in enumerate(h * np.eye(2)):
            there, back = ([q + s * e * (place == 0), v + s * e * (place == 1)] for s in (1.0, -1.0))
            difference = rbd.forward_dynamics(model, *there, tau, t=t) - rbd.forward_dynamics(model, *back, tau, t=t)
            assert slope[:, k] == pytest.approx(difference / (2.0 * h), rel=1e-6, abs=1e-6)
    both = rbd.stiffness_and_damping(model, q, v, t=t)
    assert both.K_r.toarray()[0, 0] == pytest.approx(-20.0 * (1.0 + np.sin(7.0 * t)), rel=1e-13)
    by = rbd.forward_dynamics_gradient(model, q, v, tau, weights=[1.0, 0.3], t=t)
    names = {"shaker.size": 3.0, "pump.stiffness": 20.0}
    for name, value in names.items():
        there, back = (model.with_parameters({name: value + s * h}) for s in (1.0, -1.0))
        ends = [np.dot([1.0, 0.3], rbd.forward_dynamics(one, q, v, tau, t=t)) for one in (there, back)]
        assert by.parameters[name] == pytest.approx((ends[0] - ends[1]) / (2.0 * h), rel=1e-7)


def test_free_bodies():
    model = rbd.Model("puck", gravity=(0, 0, -9.81))
    model.add_body("puck", joint=rbd.Free(), inertia=rbd.Inertia(2.0, [0.1, 0, 0], np.diag([0.1, 0.2, 0.3])))
    model.add_force("shaker", Shaker("puck", 3.0, 5.0))
    runs = {
        name: rbd.simulate(model, v0=[1.0, 2.0, 0.5, 0, 0, 0], duration=0.3, dt=1e-3, formulation=name)
        for name in ("joint", "se3", "so3xr3", "quaternion")
    }
    for run in runs.values():
        assert "compiled loop" in run.report.backend
        assert run.poses() == pytest.approx(runs["joint"].poses(), abs=1e-9)
    assert "linear momentum" not in runs["joint"].invariants()


def test_loops():
    model = rbd.library.planar_four_bar()
    model.add_force("shaker", Shaker(model.bodies[2].name, 3.0, 5.0))
    runs = [rbd.simulate(model, duration=0.3, dt=1e-3, formulation=name) for name in ("joint", "se3")]
    for run in runs:
        assert "compiled loop" in run.report.backend
        assert run.energy_error() == pytest.approx(0.0, abs=1e-5)
    assert runs[0].poses() == pytest.approx(runs[1].poses(), abs=1e-7)
    forces = runs[0].loop_forces()
    wrench = next(iter(forces.wrenches.values()))
    assert np.isfinite(wrench).all()


def test_sweeps():
    sweep = rbd.sweep(chain(), {"shaker.rate": [4.0, 5.0, 6.0]}, q0=[1.0, 0.5], duration=0.1)
    for rate, q in zip((4.0, 5.0, 6.0), sweep.q[:, -1], strict=True):
        one = rbd.simulate(chain().with_parameters({"shaker.rate": rate}), [1.0, 0.5], duration=0.1)
        assert q == pytest.approx(one.q[-1], abs=1e-12)


def test_bodies_that_touch():
    """A box on the ground, pulled harder and harder, lets go when the pull is its weight."""

    class Crane(rbd.ForceElement):
        """Pulls upward, more with time."""

        body: str

        def act(self, at):
            at.apply_force(self.body, [0.0, 0.0, 30.0 * at.time])

    model = rbd.Model("box", gravity=(0, 0, -10.0))
    inertia = rbd.Inertia(1.0, [0, 0, 0], 0.01 * np.eye(3))
    model.add_body("box", joint=rbd.Free(), inertia=inertia, geometry=rbd.Box([0.2, 0.2, 0.2]))
    model.add_ground()
    model.add_force("crane", Crane("box"))
    run = rbd.simulate(model, [1, 0, 0, 0, 0, 0, 0.1], duration=0.5, dt=1e-3, contact="time_stepping")
    z = run.poses("box")[:, 2, 3]
    fall = np.maximum(run.t - 1.0 / 3.0, 0.0)
    assert z - 0.1 == pytest.approx(5.0 * fall**3, abs=2e-4)  # 30 (t - 1/3) = acceleration


def test_what_cannot_be_compiled():
    class Late(rbd.ForceElement):
        """Decides in Python."""

        body: str

        def act(self, at):
            at.apply_force(self.body, [0.0, 0.0, 1.0 if at.time > 0.05 else 0.0])

        def energy(self, at):
            return 3.0 if at.time > 0.05 else 0.0

    model = rbd.library.pendulum()
    model.add_force("late", Late("rod"))
    run = rbd.simulate(model, duration=0.1, dt=1e-3)
    assert run.energy().spring[[0, -1]].tolist() == [0.0, 3.0]


def test_an_energy_that_time_changes_is_not_conservative():
    class Claims(Pump):
        """A pump that says it pumps nothing."""

        @property
        def conservative(self):
            return True

    model = rbd.library.double_pendulum()
    with pytest.raises(rbd.ModelError, match="it says that it is conservative"):
        model.add_force("pump", Claims(model.joints[1].name, 20.0))


@pytest.mark.parametrize("t", ["1.0", None, [0.0, 1.0], 1j, np.nan])
@pytest.mark.parametrize("backend", ["auto", "book"])
def test_a_time_that_is_none(t, backend):
    model = rbd.Model("timed")
    model.add_body("a", joint=rbd.Revolute("y"), inertia=rbd.Inertia.box((1, 1, 1), mass=1.0), joint_name="hinge")
    model.add_force("pump", Pump("hinge", 2.0))
    for ask in (rbd.forward_dynamics, rbd.energy):
        more = ([0.0],) if ask is rbd.forward_dynamics else ()
        with pytest.raises(rbd.StateError, match=r"t = .* must be a time in s"):
            ask(model, [0.3], [0.1], *more, t=t, backend=backend)


def test_an_element_with_no_numbers_that_sees_no_body_has_slopes():
    """It asks for time alone, so nothing is added to stiffness and damping."""

    class Push(rbd.ForceElement):
        def act(self, at):
            at.apply_torque("hinge", at.time)

    model = rbd.library.pendulum()
    model.add_force("push", Push())
    found = rbd.stiffness_and_damping(model, [0.3], [0.2], t=1.0)
    assert found.f[-1] == pytest.approx(1.0, rel=1e-12)
    tau = [rbd.inverse_dynamics(model, [0.3], [0.2], [0.1], t=t) for t in (0.0, 1.0)]
    assert tau[0] - tau[1] == pytest.approx(1.0, rel=1e-12)
