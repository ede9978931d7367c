"""Loops that move in joint coordinates: known motions, what stays closed, what is said of it."""

import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.errors import SimulationError, StateError
from rbdkit.formulations import Baumgarte, JointSystem
from rbdkit.integrators import Projected
from rbdkit.library import (
    n_four_bar,
    planar_four_bar,
    rectangular_bricard,
    stewart_coordinates,
    stewart_platform,
    variable_mobility,
)


def closed_start(model, speed, seed=0):
    """Coordinates that close the loops, and velocities that keep them closed."""
    v = np.random.default_rng(seed).normal(size=model.nv)
    q, v = JointSystem(model).project(model.neutral(), v)
    return q, v * (speed / np.abs(v).max())


def test_a_four_bar_turns_as_its_energy_says():
    """One freedom: v = G(angle) angle', so energy gives angle' and its inverse, integrated, the time."""
    model = planar_four_bar()
    system = JointSystem(model)
    q0, v0 = closed_start(model, 2.0)

    def along(angle):
        """The closed pose at an angle of the crank, and how all joints turn with it."""
        q = q0.copy()
        for part in np.linspace(0.0, 1.0, 9)[1:]:
            for _ in range(8):
                q[0] = q0[0] + part * (angle - q0[0])
                here = algorithms.loops.loop_constraint(model, q, np.zeros(3))
                q[1:] -= np.linalg.lstsq(here.K[:, 1:], here.delta, rcond=None)[0]
        here = algorithms.loops.loop_constraint(model, q, np.zeros(3))
        return q, np.append(1.0, np.linalg.lstsq(here.K[:, 1:], -here.K[:, 0], rcond=None)[0])

    total = float(system.energy(q0, v0).total)

    def slowness(angle):
        q, G = along(angle)
        room = total - float(system.energy(q, np.zeros(3)).total)
        return np.sqrt(G @ algorithms.crba(model, q).H @ G / (2.0 * room))

    motion = rbd.simulate(model, q0, v0, duration=0.25, dt=5e-4)
    crank, sign = motion.q[-1, 0], np.sign(v0[0])
    assert abs(crank - q0[0]) > 0.3
    took = sign * quad(slowness, q0[0], crank, epsrel=1e-9)[0]
    assert took == pytest.approx(0.25, rel=1e-8)
    assert brentq(lambda a: along(a)[0][0] - crank, crank - 0.1, crank + 0.1) == pytest.approx(crank)


@pytest.mark.parametrize("name", ["se3", "so3xr3"])
def test_formulations_agree(name):
    model = planar_four_bar()
    q, v = closed_start(model, 1.0)
    tau = np.array([0.02, 0.0, -0.01])
    joint = rbd.simulate(model, q, v, duration=0.2, dt=5e-4, tau=tau)
    other = rbd.simulate(model, q, v, duration=0.2, dt=5e-4, tau=tau, formulation=name)
    np.testing.assert_allclose(joint.q, other.q, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("integrator", ["rk4", "symplectic_euler", "heun", "generalized_alpha", "crouch_grossman4"])
def test_loops_stay_closed(integrator):
    model = planar_four_bar()
    motion = rbd.simulate(model, *closed_start(model, 1.0), duration=0.1, dt=1e-3, integrator=integrator)
    assert motion.report.constraint_error < 1e-10
    assert any("closed at the end of every step" in note for note in motion.report.notes)


def test_adaptive_integrators_pull_loops_back():
    model = planar_four_bar()
    motion = rbd.simulate(model, *closed_start(model, 1.0), duration=0.2, dt=0.01, integrator="dop853")
    assert motion.report.constraint_error < 1e-8
    assert any("Baumgarte" in note for note in motion.report.notes)


def test_one_may_choose():
    model, start = planar_four_bar(), closed_start(planar_four_bar(), 1.0)
    loose = rbd.simulate(model, *start, duration=0.5, dt=5e-3, formulation=partial(JointSystem))
    pulled = partial(JointSystem, baumgarte=Baumgarte(20.0))
    held = rbd.simulate(model, *start, duration=0.5, dt=5e-3, formulation=pulled)
    assert held.report.constraint_error < 0.5 * loose.report.constraint_error
    assert any("not stabilised" in note for note in loose.report.notes)


def test_readable_steps_are_the_same():
    model, start = planar_four_bar(), closed_start(planar_four_bar(), 1.0)
    fast, book = (rbd.simulate(model, *start, duration=0.02, dt=2e-3, backend=x) for x in ("auto", "book"))
    np.testing.assert_allclose(fast.q, book.q, rtol=0.0, atol=1e-12)


@pytest.mark.source("F8.02")
def test_a_redundant_linkage_keeps_its_energy():
    """The rectangular Bricard linkage has a row too many, and moves all the same."""
    motion = rbd.simulate(rectangular_bricard(), duration=10.0, dt=5e-3, every=20)
    assert motion.report.energy_error < 1e-9
    assert motion.report.constraint_error < 1e-10
    assert np.ptp(motion.q[:, 0]) > 1.0
    assert motion.loop_forces().indeterminate == ("hinge6",)


@pytest.mark.parametrize("loops", [1, 4, 16])
def test_four_bars_in_a_row_pass_their_flat_pose(loops):
    motion = rbd.simulate(*n_four_bar(loops), duration=3.0, dt=4e-3)
    assert np.abs(motion.q[:, 0] - motion.q[0, 0]).max() > np.pi  # through the pose where all bars lie in a line
    assert motion.report.energy_error < 1e-9
    assert motion.report.constraint_error < 1e-12


@pytest.mark.parametrize("loops", [1, 2, 3, 8, 20, 40])
def test_four_bars_in_a_row_swing_as_one_pendulum(loops):
    """All uprights turn alike and couplers do not turn: one equation for the angle, integrated to the last digits.

    Tolerance: the fourth power of the step, and what the flat pose, met on the way, makes of it.
    """
    model, q, v = n_four_bar(loops)
    bar = model.bodies[1].inertia
    about_foot = bar.inertia_com[1, 1] + bar.mass * bar.com[2] ** 2
    moment = 9.81 * ((loops + 1) * bar.mass * bar.com[2] + loops * bar.mass)  # couplers hang on tops, 1 m up
    inertia = (loops + 1) * about_foot + loops * bar.mass
    swing = solve_ivp(
        lambda t, y: [y[1], moment / inertia * np.sin(y[0])], (0.0, 1.2), [0.0, 1.0], "DOP853", rtol=1e-13, atol=1e-13
    )
    motion = rbd.simulate(model, q, v, duration=1.2, dt=2e-3, every=100)
    assert swing.y[0, -1] > np.pi  # it lay flat, and flat on the other side
    signs = np.where(np.arange(model.nv) % 2, -1.0, 1.0)
    np.testing.assert_allclose(motion.q[-1], signs * swing.y[0, -1], rtol=0.0, atol=1e-8)
    assert motion.report.constraint_error < 1e-10


def test_a_platform_on_six_legs():
    model = stewart_platform()
    q = stewart_coordinates(model, [0.05, 0.0, 1.0])
    motion = rbd.simulate(model, q, duration=0.2)
    assert motion.report.energy_error < 1e-9
    assert "compiled loop" in motion.report.backend
    forces = motion.loop_forces()
    assert forces.indeterminate == () and len(forces) == 6


def test_loop_forces_carry_a_load():
    """A plate on two vertical guides: the one that closes the loop carries nothing sideways that is not asked of it."""
    model = rbd.Model("hanging", gravity=(0.0, 0.0, -10.0))
    load = model.add_body("load", joint=rbd.Prismatic("z"), inertia=rbd.Inertia(3.0))
    model.add_loop("hook", model.bodies[0], load, rbd.Fixed())
    forces = rbd.simulate(model, duration=0.01)
    wrench = forces.loop_forces()["hook"]
    np.testing.assert_allclose(wrench[:, 5], 30.0, rtol=1e-12)
    np.testing.assert_allclose(wrench[:, :5], 0.0, atol=1e-12)


def test_traced_torques_springs_and_dampers_act():
    model = planar_four_bar().with_parameters({"crank_joint.damping": [0.05], "rocker_joint.damping": [0.02]})
    start = closed_start(model, 1.0)
    law = rbd.simulation.traced(lambda t, q, v: [0.1 * np.sin(5.0 * t) - 0.02 * v[0], 0.0, 0.01 * q[1]])
    motion = rbd.simulate(model, *start, duration=0.15, dt=5e-4, tau=law)
    assert "traced" in motion.report.backend
    assert motion.report.balanced and motion.report.energy_error < 1e-7
    same = rbd.simulate(model, *start, duration=0.15, dt=5e-4, tau=law, formulation="se3")
    np.testing.assert_allclose(motion.q[-1], same.q[-1], rtol=0.0, atol=1e-8)


def test_whole_turns_reach_a_torque():
    """q goes on counting where angles of poses begin anew."""
    model, seen = planar_four_bar(), []
    model.gravity = np.zeros(3)
    q, v = closed_start(model, 30.0)

    def torque(t, q, v):
        seen.append(q[0])
        return np.zeros(3)

    motion = rbd.simulate(model, q, v, duration=0.6, dt=2e-3, tau=rbd.simulation.untraced(torque))
    assert np.ptp(motion.q[:, 0]) > 2.0 * np.pi
    assert np.ptp(seen) == pytest.approx(np.ptp(motion.q[:, 0]), rel=1e-2)


def test_open_loops_are_refused_with_help():
    with pytest.raises(StateError, match=r"loop joint 'pin' open by .* m"):
        rbd.simulate(planar_four_bar(), [0.1, 0.0, 0.0])


def test_methods_of_momenta_refuse_loops_by_name():
    with pytest.raises(SimulationError, match="'pin' close"):
        rbd.simulate(planar_four_bar(), duration=0.01, integrator="variational")


@pytest.mark.source("F8.15")
def test_a_motion_that_begins_where_branches_meet_keeps_to_one():
    """Let go at a pose of rank two: one of the motions that begin there, the same on bodies, with its loops closed."""
    motion, other = (
        rbd.simulate(*variable_mobility("between"), duration=0.15, progress=False, formulation=formulation)
        for formulation in ("joint", "so3xr3")
    )
    assert "several motions begin there, this is one" in " ".join(motion.report.notes)
    assert np.abs(motion.constraint_error()).max() < 1e-12 and np.abs(other.constraint_error()).max() < 1e-7
    # both leave the pose by what rounding makes of its rank, within the first steps
    np.testing.assert_allclose(motion.q[-1, :4], other.q[-1, :4], rtol=0, atol=1e-3)
    assert np.abs(motion.energy_error()).max() < 1e-3
    beside = rbd.simulate(*variable_mobility("open", 0.1), duration=0.15, progress=False).report
    assert beside.constraint_error < 1e-12 and beside.notes[0].startswith("loops are closed at the end of every step")


def test_loops_that_a_projection_cannot_close_are_an_alarm():
    """The report does not advise the method that was taken."""
    motion = rbd.simulate(planar_four_bar(), duration=0.01, progress=False)
    (alarm,) = replace(motion.report, constraint_error=2e-3).alarms(motion.model)
    assert re.fullmatch(
        r"CONSTRAINTS VIOLATED: joint 'pin'.*off by 0\.002.*rk4_projected closes joints in every.*", alarm
    )


def test_projection_is_not_done_twice():
    motion = rbd.simulate(planar_four_bar(), duration=0.01, integrator=Projected(rbd.integrators.RK4()))
    assert motion.report.integrator == "rk4_projected"
