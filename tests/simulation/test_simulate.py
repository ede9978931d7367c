"""What `simulate` does with its arguments, and motions whose course is known."""

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import rbdkit as rbd
from rbdkit.errors import ModelError, SimulationError, StateError
from rbdkit.integrators import RK4, Adaptive
from rbdkit.library import pendulum, random_state, random_tree, small_swing_period
from rbdkit.simulation import SimulationWarning
from rbdkit.simulation.step_times import step_times


@pytest.fixture
def slider():
    """A mass of 2 kg on a rail, weightless."""

    def make(**numbers):
        model = rbd.Model("slider", gravity=(0, 0, 0))
        model.add_body("mass", joint=rbd.Prismatic("x"), inertia=rbd.Inertia.sphere(0.1, mass=2.0), **numbers)
        return model

    return make


def test_a_pendulum_swings_as_the_elliptic_functions_say():
    """th = 2 asin(k sn(K - w t)) from rest at th0, k = sin(th0 / 2); RK4 at 2 ms leaves 1e-10."""
    model, start = pendulum(), 2.0
    w, m = 2.0 * np.pi / small_swing_period(model), np.sin(start / 2.0) ** 2
    trajectory = rbd.simulate(model, [start], duration=2.0, dt=2e-3)
    sn = ellipj(ellipk(m) - w * trajectory.t, m)[0]
    np.testing.assert_allclose(trajectory.q[:, 0], 2.0 * np.arcsin(np.sqrt(m) * sn), atol=2e-10)


@pytest.mark.source("S1.07")
@pytest.mark.parametrize("integrator", ["rk4", "dop853"])
def test_a_free_body_keeps_its_momentum_and_energy(integrator):
    """Newton-Euler in the body frame: thrown and tumbling, far from the origin, after two turns."""
    model = rbd.Model(gravity=(0, 0, 0))
    model.add_body("book", joint=rbd.Free(), inertia=rbd.Inertia.box([0.1, 0.2, 0.3], mass=1.5))
    q0 = np.array([1.0, 0, 0, 0, 5.0, -3.0, 2.0])
    trajectory = rbd.simulate(model, q0, [0.1, 6.0, 0.2, 1.0, 2.0, 0.5], 2.0, 2e-3, integrator=integrator, every=100)
    momenta = rbd.momentum(model, trajectory.q, trajectory.v)
    np.testing.assert_allclose(momenta, np.broadcast_to(momenta[0], momenta.shape), atol=5e-8)
    assert trajectory.report.energy_error < 1e-8
    # the centre of mass goes straight on although the body tumbles about its middle axis
    start = rbd.center_of_mass(model, trajectory.q[0])
    straight = start + np.outer(trajectory.t, momenta[0, 3:] / 1.5)
    np.testing.assert_allclose(rbd.center_of_mass(model, trajectory.q), straight, atol=1e-7)
    spin = trajectory.v[:, :3]
    assert np.ptp(spin[:, 0]) > 1.0  # it does tumble


@pytest.mark.source("S1.07")
def test_steady_precession_of_a_symmetric_body():
    """omega about the figure axis stays, the rest turns with rate (I3 - I1)/I1 omega_3 in body axes."""
    model = rbd.Model(gravity=(0, 0, 0))
    model.add_body("top", joint=rbd.Free(), inertia=rbd.Inertia.cylinder(0.3, 0.1, mass=2.0))
    I = model.bodies[1].inertia.inertia_com
    rate = (I[2, 2] - I[0, 0]) / I[0, 0] * 5.0
    trajectory = rbd.simulate(model, v0=[1.0, 0, 5.0, 0, 0, 0], duration=2.0, dt=5e-3)
    expected = np.column_stack([np.cos(rate * trajectory.t), np.sin(rate * trajectory.t), np.full(401, 5.0)])
    np.testing.assert_allclose(trajectory.v[:, :3], expected, atol=1e-7)


def test_a_damped_oscillator(slider):
    model = slider(stiffness=50.0, damping=2.0, rest=0.1)
    trajectory = rbd.simulate(model, [0.6], [0.0], 2.0, 5e-3)
    decay, w = 0.5, np.sqrt(25.0 - 0.25)
    motion = 0.5 * np.exp(-decay * trajectory.t) * (np.cos(w * trajectory.t) + decay / w * np.sin(w * trajectory.t))
    np.testing.assert_allclose(trajectory.q[:, 0], 0.1 + motion, atol=2e-8)
    assert trajectory.report.balanced and trajectory.report.energy_error < 1e-7


def test_a_body_falls_through_a_viscous_joint(slider):
    model = slider(damping=3.0)
    trajectory = rbd.simulate(model, v0=[4.0], duration=1.0, dt=5e-3, f_ext={"mass": rbd.wrench([6.0, 0, 0])})
    np.testing.assert_allclose(trajectory.v[:, 0], 2.0 + 2.0 * np.exp(-1.5 * trajectory.t), atol=1e-9)
    assert trajectory.report.energy_error < 1e-8


TORQUES = {
    "constant": lambda n: np.array([3.0]),
    "held": lambda n: np.full((n, 1), 3.0),
    "sampled": lambda n: np.full((n + 1, 1), 3.0),
    "function": lambda n: lambda t, q, v: [3.0],
}


@pytest.mark.parametrize("integrator", ["rk4", "explicit_euler", "symplectic_euler", "dop853"])
@pytest.mark.parametrize("form", TORQUES)
def test_every_form_of_torque(slider, form, integrator):
    trajectory = rbd.simulate(slider(), duration=1.0, dt=0.1, tau=TORQUES[form](10), integrator=integrator)
    np.testing.assert_allclose(trajectory.v[-1], 1.5, rtol=1e-12)
    np.testing.assert_array_equal(trajectory.tau, np.full((11, 1), 3.0))
    if integrator in ("rk4", "dop853"):
        np.testing.assert_allclose(trajectory.q[-1], 0.75, rtol=1e-9)


@pytest.mark.parametrize("integrator", ["rk4", "explicit_euler", "symplectic_euler", "dop853"])
def test_held_torques_act_during_their_own_step(slider, integrator):
    """Impulses in steps 0 and 3 only: velocities after each step are exact, so none has seen another's torque."""
    held = np.zeros((5, 1))
    held[0], held[3] = 2.0, -6.0
    trajectory = rbd.simulate(slider(), duration=0.5, dt=0.1, tau=held, integrator=integrator)
    atol = 1e-6 if integrator == "dop853" else 1e-15  # which finds the jumps by its error estimate
    np.testing.assert_allclose(trajectory.v[:, 0], [0.0, 0.1, 0.1, 0.1, -0.2, -0.2], atol=atol)
    np.testing.assert_array_equal(trajectory.tau[:, 0], [2.0, 0.0, 0.0, -6.0, 0.0, 0.0])
    assert "energy not judged" in repr(trajectory) and np.isnan(trajectory.report.energy_error)


def test_sampled_torques_are_joined_by_straight_lines(slider):
    sampled = np.array([[0.0], [1.0], [0.0]])
    trajectory = rbd.simulate(slider(), duration=0.2, dt=0.1, tau=sampled)
    np.testing.assert_allclose(trajectory.v[:, 0], [0.0, 0.025, 0.05], rtol=1e-14)


def test_a_function_may_return_the_same_array_again(slider):
    buffer = np.zeros(1)

    def tau(t, q, v):
        buffer[0] = t
        return buffer

    trajectory = rbd.simulate(slider(), duration=0.5, dt=0.1, tau=tau)
    np.testing.assert_allclose(trajectory.tau[:, 0], trajectory.t)


def test_external_forces_as_a_function(slider):
    def pull(t, q, v):
        return {"mass": rbd.wrench([12.0 * t, 0, 0])} if t < 5.0 else None

    trajectory = rbd.simulate(slider(), duration=1.0, dt=0.05, f_ext=pull)
    np.testing.assert_allclose(trajectory.v[-1], 3.0, rtol=1e-14)
    np.testing.assert_allclose(trajectory.work()[-1], 9.0, rtol=1e-3)  # Simpson's rule over the recorded states
    assert rbd.simulate(slider(), duration=0.1, f_ext=lambda t, q, v: None).v[-1] == 0.0


def test_work_and_energy_balance_with_everything_at_once():
    """Motors, dampers, springs and external forces on a branched tree: what is left over is the integrator's error."""
    model = random_tree(4, 5)
    numbers = {f"{j.name}.{n}": np.full(j.nv, 0.5) for j in model.joints if j.nv for n in ("damping", "stiffness")}
    model = model.with_parameters(numbers)
    tau = np.random.default_rng(4).normal(size=model.nv)
    f_ext = {"b5": rbd.wrench([1.0, -1.0, 2.0], couple=[0.1, 0.2, 0.3])}
    errors = []
    for dt in (4e-3, 2e-3):
        run = rbd.simulate(model, duration=0.2, dt=dt, tau=lambda t, q, v: tau * np.cos(5.0 * t), f_ext=f_ext)
        assert np.abs(np.diff(run.work())).sum() > 0.1  # to and fro
        errors.append(np.max(np.abs(run.energy_error())))
    assert errors[0] / errors[1] > 8.0  # Simpson's rule and RK4 both are of order four
    assert run.report.energy_error < 1e-6


def test_the_energy_of_a_driven_pivot_is_accounted_for():
    """The motor that shakes a pendulum does work; with it the balance holds to the accuracy of the steps."""
    model = rbd.Model()
    A, W = 0.05, 20.0

    def shake(t):
        return [A * np.sin(W * t)], [A * W * np.cos(W * t)], [-A * W**2 * np.sin(W * t)]

    model.add_body("pivot", joint=rbd.Prescribed(rbd.Prismatic("z"), shake))
    inertia = rbd.Inertia(1.0, [0, 0, -0.5], np.diag([0.02, 0.02, 0.001]))
    model.add_body("rod", "pivot", rbd.Revolute("y"), inertia=inertia)
    run = rbd.simulate(model, [0.5], duration=1.0, dt=2e-3)
    assert np.ptp(run.energy().total) > 1.0
    assert run.report.balanced and run.report.energy_error < 1e-6
    np.testing.assert_allclose(run.poses("rod")[:, 2, 3], A * np.sin(W * run.t), atol=1e-14)


def test_every_nth_step_and_the_last_are_kept(slider):
    run = rbd.simulate(slider(), v0=[1.0], duration=1.0, dt=0.1, every=4)
    np.testing.assert_allclose(run.t, [0.0, 0.4, 0.8, 1.0])
    assert run.report.steps == 10


def test_the_last_step_is_shorter_where_it_must_be(slider):
    run = rbd.simulate(slider(), v0=[1.0], duration=0.25, dt=0.1)
    np.testing.assert_allclose(run.t, [0.0, 0.1, 0.2, 0.25])
    np.testing.assert_allclose(run.q[:, 0], run.t)
    assert len(rbd.simulate(slider(), duration=0.3, dt=0.1)) == 4  # 0.3 / 0.1 is 2.9999999999999996
    assert rbd.simulate(slider(), duration=0.01, dt=0.1).t.tolist() == [0.0, 0.01]


def test_long_runs_have_no_last_step_of_the_length_of_round_off():
    """Durations that are whole steps but for their last digits, whatever their number; what is more is a step."""
    for steps in (999_999, 1_000_000, 1_234_567, 3_000_001):
        for dt in (1e-3, 0.007, 1 / 3):
            for duration in (steps * dt, np.nextafter(steps * dt, np.inf), steps * dt * (1 + 1e-12)):
                times = step_times(duration, dt)
                assert len(times) == steps + 1 and times[-1] == duration
            assert len(step_times(steps * dt * (1 + 1e-8), dt)) == steps + 2


def test_integrators_by_name_and_by_object(slider):
    by_name = rbd.simulate(slider(stiffness=1.0), [1.0], duration=1.0, dt=0.1)
    by_object = rbd.simulate(slider(stiffness=1.0), [1.0], duration=1.0, dt=0.1, integrator=RK4())
    np.testing.assert_array_equal(by_name.q, by_object.q)
    run = rbd.simulate(slider(stiffness=2.0), [1.0], duration=1.0, dt=0.1, integrator=Adaptive("rk45", 1e-11, 1e-11))
    np.testing.assert_allclose(run.q[:, 0], np.cos(run.t), atol=1e-9)
    assert run.report.integrator == "rk45" and run.report.adaptive
    assert run.report.step == pytest.approx(1.0 / run.report.steps)


def test_the_order_of_integrators_by_what_they_do_to_energy():
    """Explicit Euler gains, symplectic Euler wavers, the methods of higher order hardly move."""
    model = pendulum()
    drift = {}
    for integrator in ("explicit_euler", "symplectic_euler", "rk4", "dop853"):
        run = rbd.simulate(model, [1.0], duration=2.0, dt=4e-3, integrator=integrator)
        drift[integrator] = run.report.energy_error
        if integrator == "explicit_euler":
            assert np.all(np.diff(run.energy().total) > -1e-6 * run.report.energy_scale)
            assert run.energy_error()[-1] > 0.0
    assert drift["explicit_euler"] > 5 * drift["symplectic_euler"]
    assert drift["dop853"] < 1e-8
    assert drift["symplectic_euler"] > 1e3 * drift["rk4"]


def test_mimic_joints_are_simulated():
    model = rbd.Model(gravity=(0, 0, 0))
    inertia = rbd.Inertia.sphere(0.1, mass=1.0)
    model.add_body("left", joint=rbd.Prismatic("x"), inertia=inertia, joint_name="left", stiffness=10.0)
    model.add_body("right", joint=rbd.Prismatic("x"), inertia=inertia, mimic=rbd.Mimic("left", -1.0))
    run = rbd.simulate(model, [0.3], duration=1.0, dt=1e-2)
    np.testing.assert_allclose(run.q[:, 0], 0.3 * np.cos(np.sqrt(5.0) * run.t), atol=1e-9)
    np.testing.assert_allclose(run.poses("right")[:, 0, 3], -run.q[:, 0])


def test_a_model_that_cannot_move_stands_still():
    model = rbd.Model()
    model.add_body("rock", inertia=rbd.Inertia.sphere(1.0, mass=1.0))
    for integrator in ("rk4", "symplectic_euler", "dop853"):
        run = rbd.simulate(model, duration=0.1, dt=0.01, integrator=integrator)
        assert run.q.shape == (11, 0) and not run.report.stopped


BAD_ARGUMENTS = [
    ({"duration": 0.0}, SimulationError, "duration = 0.0 must be a positive number of seconds"),
    ({"duration": np.nan}, SimulationError, "duration = nan must be"),
    ({"dt": -1e-3}, SimulationError, "dt = -0.001 must be"),
    ({"dt": "fast"}, SimulationError, "dt = 'fast' must be"),
    ({"dt": [0.1, 0.2]}, SimulationError, r"dt = \[0.1, 0.2\] must be"),
    ({"dt": 1e-12}, SimulationError, "are 1e[+]12 steps; take a longer dt"),
    ({"every": 0}, SimulationError, "every = 0 must be a whole number"),
    ({"every": 1.5}, SimulationError, "every = 1.5 must be a whole number"),
    ({"integrator": "leapfrog"}, SimulationError, "'leapfrog' is unknown; there are 'rk4', 'explicit_euler'"),
    ({"formulation": "minimal"}, SimulationError, "formulation 'minimal' is unknown; there are 'joint'"),
    ({"formulation": "Joint"}, SimulationError, "did you mean 'joint'"),
    ({"q0": [0.0, 0.0]}, StateError, r"q0 has shape \(2,\)"),
    ({"q0": [[0.0], [0.0]]}, SimulationError, r"simulate runs one motion; q0 has shape \(2, 1\)"),
    ({"v0": [np.inf]}, StateError, r"v0\[0\] \(joint 'mass_joint'\) is not finite"),
    ({"tau": [1.0, 2.0]}, StateError, r"tau has shape \(2,\)"),
    ({"tau": np.zeros((7, 1))}, SimulationError, r"\(10, 1\) held over each of the 10 steps, \(11, 1\) sampled"),
    ({"tau": lambda t, q, v: [1.0, 2.0]}, StateError, r"tau\(t, q, v\) returned shape \(2,\) at t = 0 s"),
    ({"tau": lambda t, q, v: [np.nan]}, StateError, "returned nan for joint 'mass_joint' at t = 0 s"),
    ({"f_ext": {"masse": np.zeros(6)}}, ModelError, "'masse' is not in model 'slider'; did you mean 'mass'"),
    ({"f_ext": np.zeros((1, 6))}, StateError, r"f_ext has shape \(1, 6\)"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), BAD_ARGUMENTS)
def test_errors_say_what_is_wrong_and_how_to_mend_it(slider, arguments, error, message):
    with pytest.raises(error, match=message):
        rbd.simulate(slider(), **({"duration": 1.0, "dt": 0.1} | arguments))


def test_models_without_a_motion_are_refused():
    model = rbd.Model()
    model.add_body("ghost", joint=rbd.Revolute("x"))
    with pytest.raises(SimulationError, match=r"cannot be simulated:\n.*ghost"):
        rbd.simulate(model)
    loop = random_tree(0, 3)
    loop.add_loop("clasp", "b1", "b3", rbd.Spherical())
    with pytest.raises(StateError, match="q0 leaves loop joint 'clasp' open"):
        rbd.simulate(loop, duration=0.1)


def test_the_callers_arrays_stay_as_they_are(slider):
    q0, v0 = np.array([0.0]), np.array([1.0])
    run = rbd.simulate(slider(), q0, v0, 0.1, 0.01)
    assert (q0[0], v0[0]) == (0.0, 1.0)
    run.q[0] = 7.0
    assert q0[0] == 0.0


def test_warnings_point_at_the_caller(slider):
    with pytest.warns(SimulationWarning) as caught:
        rbd.simulate(slider(damping=200.0), v0=[1.0], duration=1.0, dt=0.1)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("integrator", ["rk4", "explicit_euler", "symplectic_euler"])
def test_compiled_loop_and_book_form_agree(integrator):
    model = random_tree(3, 12)
    q, v, tau = random_state(model, 3)
    runs = {
        backend: rbd.simulate(model, q, v, duration=0.05, dt=1e-3, integrator=integrator, tau=tau, backend=backend)
        for backend in ("auto", "book")
    }
    assert runs["auto"].report.backend == "compiled loop (LLVM)"
    assert "as asked for" in runs["book"].report.backend
    # the same operations in another order, over 50 steps of a motion that spreads errors little in that time
    scale = np.abs(runs["book"].v).max()
    assert np.abs(model.difference(runs["auto"].q, runs["book"].q)).max() < 1e-11 * scale
    assert np.abs(runs["auto"].v - runs["book"].v).max() < 1e-10 * scale


def test_mimic_joints_run_in_the_compiled_loop():
    model = rbd.Model("gripper")
    inertia = rbd.Inertia.box((0.1, 0.2, 0.3), mass=1.3)
    arm = model.add_body(
        "arm", joint=rbd.Revolute("y"), inertia=inertia.transformed(rbd.pose(position=(0.3, 0.0, 0.1)))
    )
    springs = {"stiffness": 5.0, "damping": 0.3, "armature": 0.01}
    model.add_body("left", arm, rbd.Prismatic("x"), (0.5, 0.1, 0.0), inertia, joint_name="left", **springs)
    follow = rbd.Mimic("left", multiplier=-0.7, offset=0.05)
    model.add_body("right", arm, rbd.Prismatic("x"), (0.5, -0.1, 0.0), inertia, mimic=follow, **springs)
    runs = [rbd.simulate(model, [0.3, 0.1], [1.0, -0.5], 0.3, 1e-3, backend=backend) for backend in ("auto", "book")]
    assert runs[0].report.backend == "compiled loop (LLVM)"
    # round-off over 300 steps
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-12)
    assert runs[0].report.energy_error < 1e-9


def test_the_report_says_why_the_loop_is_not_compiled():
    model = rbd.library.pendulum()
    asked = {
        "tau is a Python function": {"tau": lambda t, q, v: -v},
        "f_ext is a Python function": {"f_ext": lambda t, q, v: None},
        "SciPy chooses the steps": {"integrator": "radau"},
    }
    for why, arguments in asked.items():
        assert why in repr(rbd.simulate(model, [0.5], duration=0.05, dt=1e-2, **arguments))
    with pytest.raises(SimulationError, match="'auto' and 'book'"):
        rbd.simulate(model, backend="fast")


def test_a_body_that_cannot_be_real_is_simulated_or_refused_and_said():
    """Breaking the triangle inequality leaves the equations solvable; a negative moment does not."""
    model = rbd.Model("doubtful")
    model.add_body("link", joint=rbd.Revolute(), inertia=rbd.Inertia(1, inertia_com=np.diag([1, 1, 3]), check=False))
    assert "the model has 1 finding, see model.validate()" in repr(rbd.simulate(model, v0=[1.0], duration=0.01))
    model = rbd.Model("refused")
    model.add_body("link", joint=rbd.Revolute(), inertia=rbd.Inertia(1, inertia_com=np.diag([2, -1, 2]), check=False))
    with pytest.raises(SimulationError, match=r"link: inertia: .*not positive semidefinite"):
        rbd.simulate(model, duration=0.01)
