"""What a report warns of, in every formulation and with every kind of integrator."""

import re
import warnings
from functools import partial

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import StateError
from rbdkit.formulations import SE3, Baumgarte
from rbdkit.integrators import Adaptive
from rbdkit.library import double_pendulum, pendulum, planar_four_bar, three_bar_linkage
from rbdkit.simulation import SimulationWarning

BODIES = ["se3", "so3xr3", "bodywise"]
RK4_LIMIT = 2.785293563405282
"""On the negative real axis."""


def two_rails():
    """Two sliders on rails of their own: v' = -d v, exactly, with d = 1 and 5000 1/s."""
    model = rbd.Model(gravity=(0, 0, 0))
    for name, damping in (("slow", 1.0), ("fast", 5000.0)):
        model.add_body(name, joint=rbd.Prismatic("x"), inertia=rbd.Inertia.sphere(0.1, mass=1.0), damping=damping,
                       joint_name=f"{name} rail")  # fmt: skip
    return model


def ball(spin):
    """A body that turns freely, with three unlike moments of inertia."""
    model = rbd.Model("ball", gravity=(0, 0, 0))
    model.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia(1.0, inertia_com=np.diag([0.1, 0.2, 0.25])))
    return model, model.neutral(), np.array([*spin, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("formulation", ["joint", *BODIES])
def test_a_stiff_damper_is_an_alarm_with_joint_rate_and_step(formulation):
    with pytest.warns(SimulationWarning, match=r"STEP TOO LONG: joint 'fast rail' has a motion with rate 5e\+03 1/s"):
        run = rbd.simulate(two_rails(), v0=[1.0, 1.0], duration=0.02, dt=1e-3, formulation=formulation)
    assert run.report.adequacy.stable_step == pytest.approx(RK4_LIMIT / 5000.0, rel=0.01)


def test_springs_against_drift_that_are_too_stiff_for_the_step_are_an_alarm():
    """Baumgarte's correction makes constraint errors obey g'' + 2 a g' + b^2 g = 0: with b = 0 a rate of 2 a."""
    start = three_bar_linkage()
    stiff = partial(SE3, baumgarte=Baumgarte(2000.0, 0.0))
    with pytest.warns(SimulationWarning, match=r"STEP TOO LONG: .*rate 4e\+03 1/s"):
        run = rbd.simulate(*start, duration=5e-3, dt=1e-3, formulation=stiff)
    assert run.report.adequacy.stable_step == pytest.approx(RK4_LIMIT / 4000.0, rel=0.01)


@pytest.mark.parametrize("formulation", ["joint", *BODIES])
def test_the_estimated_error_is_that_of_the_joints(formulation):
    """Against steps a hundred times shorter: Richardson's estimate is good to some percent, from poses too."""
    model, dt = pendulum(), 0.02
    one = rbd.simulate(model, [1.0], [1.0], duration=dt, dt=dt, formulation=formulation)
    many = rbd.simulate(model, [1.0], [1.0], duration=dt, dt=dt / 100)
    error = abs(one.q[-1, 0] - many.q[-1, 0])
    assert one.report.adequacy.error.shape == (1,)
    assert one.report.adequacy.error[0] == pytest.approx(error, rel=0.15 if formulation == "joint" else 0.5)


@pytest.mark.parametrize("formulation", ["joint", "local_velocity", "quaternion", "se3", "so3xr3"])
def test_a_step_far_too_long_is_an_alarm_and_the_step_it_proposes_is_adequate(formulation):
    start, options = ball([3.0, 4.0, 5.0]), {"duration": 20.0, "formulation": formulation}
    with pytest.warns(SimulationWarning, match="STEP TOO LONG") as caught:
        rbd.simulate(*start, dt=0.1, integrator="heun", **options)
    proposed = float(re.search(r"a step of (\S+) s would", str(caught[0].message))[1])
    assert 1e-4 < proposed < 0.1
    run = rbd.simulate(*start, dt=proposed, integrator="heun", **options)
    assert run.report.alarms(run.model) == []
    assert run.report.end_error < 2e-3  # the estimate goes by the power of the step, one digit of it is printed


@pytest.mark.parametrize(("formulation", "integrator"), [("directors", "lagrange_dalembert"), ("directors", "rk4")])
def test_a_body_in_directors_is_judged_too(formulation, integrator):
    model = rbd.Model("turning body", gravity=(0, 0, 0))
    model.add_body("body", joint=rbd.Spherical(), inertia=rbd.Inertia(1.0, inertia_com=np.diag([0.2, 0.2, 0.25])))
    options = {"v0": [3.0, 2.0, 0.0], "duration": 8.0, "formulation": formulation, "integrator": integrator}
    with pytest.warns(SimulationWarning, match="STEP TOO LONG: .*in joint 'body_joint'"):
        rbd.simulate(model, dt=0.2, **options)
    assert "step adequate" in repr(rbd.simulate(model, dt=2e-3, **{**options, "duration": 0.1}))


def test_joints_that_come_apart_are_an_alarm_with_a_step_that_keeps_them():
    start, options = three_bar_linkage(), {"duration": 0.5, "formulation": "se3", "integrator": "heun"}
    with pytest.warns(SimulationWarning, match=r"CONSTRAINTS VIOLATED: joint 'joint\d' at t = .* is off by") as caught:
        torn = rbd.simulate(*start, dt=0.04, **options)
    worst = np.abs(torn.constraint_error()).max()
    assert f"is off by {worst:.2g} (rad, m)" in str(caught[0].message)
    proposed = float(re.search(r"take a step of (\S+) s", str(caught[0].message))[1])
    kept = rbd.simulate(*start, dt=proposed, **options)
    assert np.abs(kept.constraint_error()).max() < 2e-3 and kept.report.alarms(kept.model) == []
    closed = rbd.simulate(*start, dt=0.04, **{**options, "integrator": "rk4_projected"})
    assert "CONSTRAINTS" not in repr(closed)


def test_energy_that_an_adaptive_integrator_loses_is_an_alarm():
    loose, tight = (Adaptive("rk45", rtol=tolerance, atol=tolerance, max_step=np.inf) for tolerance in (0.02, 1e-9))
    options = {"duration": 20.0, "dt": 0.02, "formulation": "joint"}
    with pytest.warns(SimulationWarning, match=r"ENERGY NOT KEPT: .*take smaller tolerances, Adaptive\('rk45'"):
        rbd.simulate(double_pendulum(), [1.5, 0.0], integrator=loose, **options)
    assert (
        rbd.simulate(double_pendulum(), [1.5, 0.0], integrator=tight, **options).report.alarms(double_pendulum()) == []
    )


def test_energy_is_said_in_joules_and_as_a_part():
    run = rbd.simulate(pendulum(), [2.0], duration=2.0, dt=0.05)
    energy = run.energy()
    moved = energy.kinetic.max() + np.ptp(energy.potential)
    lost = np.abs(energy.total - energy.total[0]).max()
    assert f"energy drift: {lost:.2g} J, {lost / moved:.2g} of the {moved:.4g} J that move about" in repr(run)


def four_bar_opened_by(angle):
    model = planar_four_bar()
    q = model.neutral()
    q[model.joint("crank_joint").q_slice] += angle
    return model, q


@pytest.mark.parametrize("formulation", BODIES)
@pytest.mark.parametrize("angle", [0.3, 1e-4, -1e-5])
def test_an_open_start_is_refused_with_the_loop_and_its_gap(formulation, angle):
    """A crank that is turned alone takes the coupler along, turned about the crank's bearing; the rocker stays."""
    model, q = four_bar_opened_by(angle)
    pin = rbd.forward_kinematics(model, model.neutral())
    loop = model.loops[0]
    place = (pin.poses[loop.predecessor] @ loop.joint.placement)[:3, 3]
    gap = 2.0 * np.sin(0.5 * abs(angle)) * np.linalg.norm(place)
    with pytest.raises(StateError, match=r"q0 leaves loop joint 'pin' open by .* m") as caught:
        rbd.simulate(model, q, formulation=formulation)
    assert float(re.search(r"([\d.e-]+) m\.", str(caught.value))[1]) == pytest.approx(gap, rel=5e-3)


@pytest.mark.parametrize("angle", [0.05, 0.2])
def test_the_advice_for_an_open_start_closes_it(angle):
    model, q0 = four_bar_opened_by(angle)
    v0 = np.array([1.0, 0.0, 0.0])
    with pytest.raises(StateError) as caught:
        rbd.simulate(model, q0, v0, formulation="se3")
    names = {"rbdkit": rbd, "model": model, "q0": q0, "v0": v0}
    code = re.findall("`(.*?)`", str(caught.value))
    assert len(code) == 2
    for line in [*code, code[1]]:
        exec(line, names)
    run = rbd.simulate(model, names["q0"], names["v0"], duration=0.01, formulation="se3")
    assert np.abs(run.constraint_error()).max() < 1e-9
    assert np.abs(names["q0"] - q0).max() < 2.0 * angle


def test_velocities_that_open_a_loop_are_refused():
    model = planar_four_bar()
    with pytest.raises(StateError, match=r"v0 opens loop joint 'pin' by .* m/s"):
        rbd.simulate(model, v0=[1.0, 0.0, 0.0], formulation="se3")


@pytest.mark.parametrize("formulation", ["joint", "quaternion", "se3", "so3xr3"])
def test_a_body_that_runs_away_ends_with_a_reason(formulation):
    with pytest.warns(SimulationWarning, match="STOPPED: the state is not finite any more after t = "):
        run = rbd.simulate(*ball([3.0, 4.0, 5.0]), 30.0, 0.5, formulation=formulation, integrator="heun")
    assert len(run) > 2 and np.isfinite(run.x if formulation != "joint" else run.q).all()


@pytest.mark.parametrize("formulation", ["joint", "se3"])
def test_a_torque_that_fails_later_ends_a_run_in_every_formulation(formulation):
    def tau(t, q, v):
        return [1.0, 2.0] if t < 0.05 else [1.0, 2.0, 3.0]

    with pytest.warns(SimulationWarning, match=r"STOPPED: tau.* returned shape \(3,\) at t = 0.05"):
        run = rbd.simulate(double_pendulum(), duration=0.1, dt=1e-2, tau=tau, formulation=formulation)
    np.testing.assert_array_equal(run.tau[:-1], [[1.0, 2.0]] * (len(run) - 1))
    assert len(run) == 5


def test_a_loop_that_is_driven_is_measured_at_its_own_time():
    """A crank that moves by the clock: the joints hold, and its motor's work is in the energy account."""
    free, model = planar_four_bar(), rbd.Model("driven four-bar")

    def turn(t):
        return np.array([0.5 * np.sin(t)]), np.array([0.5 * np.cos(t)]), np.array([-0.5 * np.sin(t)])

    for body in free.bodies[1:]:
        kind = rbd.Prescribed(rbd.Revolute("y"), turn) if body.name == "crank" else body.joint.type
        parent = free.bodies[body.parent].name
        model.add_body(body.name, parent, kind, body.joint.placement, body.inertia, joint_name=body.joint.name)
    loop = free.loops[0]
    model.add_loop("pin", "coupler", "rocker", loop.joint.type, loop.joint.placement, loop.successor_placement)
    with pytest.raises(StateError, match="v0 opens loop joint 'pin'"):
        rbd.simulate(model, formulation="se3")
    system = SE3(model)
    start = system.joint_state(*system.project(*system.state(model.neutral(), np.zeros(model.nv))))
    run = rbd.simulate(model, *start, duration=0.05, dt=5e-3, formulation="se3")
    assert np.abs(run.constraint_error()).max() < 1e-6 and run.report.alarms(model) == []
    assert run.report.energy_error < 1e-6
    gained = run.energy().total[-1] - run.energy().total[0]
    assert abs(gained) > 1e-4 and abs(run.work()[-1] - gained) < 1e-6 * run.report.energy_scale


def test_a_run_without_faults_says_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for formulation in BODIES:
            rbd.simulate(*three_bar_linkage(), duration=0.05, formulation=formulation)


@pytest.mark.parametrize("formulation", ["joint", "se3", "so3xr3"])
def test_a_robot_that_is_held_still_raises_no_alarm(formulation):
    """Nothing moves about but round-off, beside which that of the energy looks large."""
    model = rbd.library.double_pendulum()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = rbd.simulate(model, [0.7, -0.3], duration=0.5, formulation=formulation,
                           tau=lambda t, q, v: rbd.gravity_force(model, q) - 5.0 * v)  # fmt: skip
    assert not run.report.alarms(model) and np.abs(run.v).max() < 1e-12


def test_energy_that_is_lost_beside_a_small_motion_still_does():
    """A swing of 1e-4 rad: its energy is small beside that of the weight, and far above round-off."""
    model = rbd.library.pendulum()
    with pytest.warns(rbd.simulation.SimulationWarning, match="energy drift"):
        rbd.simulate(model, [1e-4], duration=20.0, dt=0.05, integrator="explicit_euler")


def test_members_of_a_sweep_that_hardly_move_raise_none():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rbd.sweep(pendulum(), {"hinge.angle": [1e-9, 1e-8, 3e-8, 1e-7]}, duration=0.5, progress=False)
    with pytest.warns(SimulationWarning, match="energy"):
        rbd.sweep(pendulum(), {"hinge.angle": [1e-4]}, duration=20.0, dt=0.05, integrator="explicit_euler")


def _swinging(kind):
    """A mass that swings with 30 rad/s, damped by its joint or by a motor, or driven with a pendulum on it."""
    model, one = rbd.Model("mass", gravity=(0, 0, 0)), rbd.Inertia(1.0)
    if kind == "joint":
        model.add_body("m", joint=rbd.Prismatic("x"), inertia=one, stiffness=900.0, damping=3.0)
        return model, None
    if kind == "motor":
        model.add_body("m", joint=rbd.Prismatic("x"), inertia=one)
        return model, lambda t, q, v: -900.0 * q - 3.0 * v
    driven = rbd.Prescribed(rbd.Prismatic("x"), lambda t: (np.cos(30 * t), -30 * np.sin(30 * t), -900 * np.cos(30 * t)))
    model.add_body("m", joint=driven, inertia=one)
    model.add_body("n", "m", rbd.Revolute("y"), inertia=rbd.Inertia(1.0, com=[0, 0, -0.1]), damping=0.1)
    return model, None


@pytest.mark.parametrize("integrator", ["rk4", "dop853"])
@pytest.mark.parametrize("kind", ["joint", "motor", "driven"])
def test_states_too_far_apart_for_the_work_are_no_loss_of_energy(kind, integrator):
    """Exact to 1e-4, and recorded twice a period or less, the report told of 55 times the energy, and of steps or
    tolerances that would mend it."""
    model, tau = _swinging(kind)
    for apart in (0.1, 0.2, 2.0 * np.pi / 30.0)[: 2 if kind == "driven" else 3]:
        own = {"dt": apart / 100, "every": 100} if integrator == "rk4" else {"dt": apart}
        q0 = None if kind == "driven" else [1.0]
        run = rbd.simulate(model, q0, duration=8 * apart, integrator=integrator, tau=tau, **own)
        if kind != "driven":
            t, w = run.t[-1], np.sqrt(900.0 - 2.25)
            assert abs(run.q[-1, 0] - np.exp(-1.5 * t) * (np.cos(w * t) + 1.5 / w * np.sin(w * t))) < 1e-4
        assert run.report.alarms(model) == []
        assert any("energy not judged: from one recorded state to the next" in note for note in run.report.notes)


def test_steps_that_lose_energy_stay_alarms():
    """Whatever is recorded of them."""
    model = rbd.Model("mass", gravity=(0, 0, 0))
    model.add_body("m", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(1.0), stiffness=900.0, damping=0.3)
    for every in (1, 10, 100):
        with pytest.warns(SimulationWarning, match="STEP TOO LONG"):
            run = rbd.simulate(model, [1.0], duration=4.0, dt=2e-3, integrator="explicit_euler", every=every)
        assert run.report.alarms(model)[0].startswith("STEP TOO LONG")
