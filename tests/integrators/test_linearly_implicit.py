"""Linearly implicit steps: their order, what they do to stiff springs, and what they leave alone."""

import warnings

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.formulations import JointSystem
from rbdkit.integrators import RK4, LinearlyImplicitEuler, LinearlyImplicitSDIRK2, VelocityEuler
from rbdkit.library import random_state, random_tree
from rbdkit.simulation import SimulationWarning

METHODS = [VelocityEuler(), LinearlyImplicitEuler(), LinearlyImplicitSDIRK2()]


def off(found, expected) -> float:
    """Largest deviation as a share of the largest number."""
    return float(np.abs(found - expected).max() / np.abs(expected).max())


@pytest.fixture(scope="module")
def sprung() -> rbd.Model:
    """Curved joints, whose local rate matters from the second order on, with springs and dampers."""
    rng = np.random.default_rng(4)
    model = random_tree(4, 6, [rbd.Spherical(), rbd.Revolute("y"), rbd.Free(), rbd.Universal(), rbd.Planar("z")])
    model.add_force("band", rbd.Spring("b2", "b5", stiffness=6.0, damping=0.4, at_b=(0.1, 0.2, 0.0)))
    free = [joint for joint in model.joints if joint.nv]
    return model.with_parameters(
        {f"{j.name}.{x}": rng.uniform(0.1, 0.5, j.nv) for j in free for x in ("damping", "stiffness")}
    )


@pytest.mark.source("S1.11", "S2.17")
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_order(sprung, method):
    """Halving the step divides the error by 2^order, though K leaves out Coriolis forces and turning directions."""
    q, v, _ = random_state(sprung, 2)
    torques = lambda t, x, w: np.full(sprung.nv, 0.1 * np.sin(5.0 * t))  # noqa: E731
    system, duration = JointSystem(sprung, torques), 0.1

    def end(method, steps):
        state = method.init(system, 0.0, q, 0.3 * v)
        for _ in range(steps):
            state = method.step(system, state, duration / steps)
        return state

    exact, errors = end(RK4(), 400), []
    for steps in (20, 40):
        found = end(method, steps)
        errors.append(np.linalg.norm(np.concatenate([sprung.displacement(exact.x, found.x), found.v - exact.v])))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(method.order, abs=0.25)


@pytest.mark.source("S2.17")
def test_on_a_linear_oscillator_the_steps_are_those_of_their_stability_functions():
    """x'' = -w^2 x on a rail: implicit Euler's matrix, and that of ROS2 made from its definition."""
    w2, h = 50.0, 0.13
    model = rbd.Model("rail", gravity=(0, 0, 0))
    model.add_body("car", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0), stiffness=2.0 * w2, joint_name="rail")
    A, one, y = np.array([[0.0, 1.0], [-w2, 0.0]]), np.eye(2), np.array([0.3, -0.7])
    euler = np.linalg.solve(one - h * A, y)
    g = 1.0 - 1.0 / np.sqrt(2.0)
    k1 = np.linalg.solve(one - g * h * A, h * A @ y)
    k2 = np.linalg.solve(one - g * h * A, h * A @ (y + k1) - 2.0 * k1)
    for method, expected in ((LinearlyImplicitEuler(), euler), (LinearlyImplicitSDIRK2(), y + 1.5 * k1 + 0.5 * k2)):
        for backend in ("auto", "book"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SimulationWarning)  # the step is long
                motion = rbd.simulate(model, y[:1], y[1:], duration=h, dt=h, integrator=method, backend=backend)
            assert [motion.q[-1, 0], motion.v[-1, 0]] == pytest.approx(expected, rel=1e-13)


@pytest.mark.source("S1.11", "S2.17")
def test_stiff_springs_need_no_short_steps():
    """Where explicit Euler and RK4 run away, the slow motion comes out right: a bar hung by a spring like steel."""
    model = rbd.library.double_pendulum().with_parameters({"hinge2.stiffness": 1e7, "hinge2.damping": 10.0})
    stiff = dict(duration=1.0, dt=0.01)
    welded = rbd.Model("welded", gravity=model.gravity)
    one, two = model.bodies[1], model.bodies[2]
    welded.add_body("rod1", joint=rbd.Revolute("y"), inertia=one.inertia, joint_name="hinge1")
    welded.add_body("rod2", "rod1", rbd.Fixed(), model.joints[2].placement, two.inertia)
    exact = rbd.simulate(welded, [0.5], duration=1.0, dt=0.001)
    for method, most in ((LinearlyImplicitEuler(), 0.05), (LinearlyImplicitSDIRK2(), 2e-4)):
        motion = rbd.simulate(model, [0.5, 0.0], integrator=method, **stiff)
        assert motion.report.stopped == ""
        assert abs(motion.q[-1, 0] - exact.q[-1, 0]) < most
    with pytest.warns(SimulationWarning):
        assert rbd.simulate(model, [0.5, 0.001], integrator=VelocityEuler(), **stiff).report.stopped


@pytest.mark.source("S1.11")
def test_without_anything_stiff_the_first_is_semi_implicit_euler():
    model = rbd.library.double_pendulum()
    run = [rbd.simulate(model, [0.5, 0.2], duration=0.1, integrator=x) for x in ("symplectic_euler", "velocity_euler")]
    assert np.array_equal(run[0].q, run[1].q)
    implicit = rbd.simulate(model, [0.5, 0.2], duration=0.1, integrator="linearly_implicit_euler")
    assert off(implicit.q, run[0].q) < 1e-13


@pytest.mark.source("S2.17")
def test_a_drive_is_taken_at_the_time_of_its_stage():
    """Joints that move as time says, compiled and read."""
    motion = lambda t: (0.3 * np.sin(2.0 * t), 0.6 * np.cos(2.0 * t), -1.2 * np.sin(2.0 * t))  # noqa: E731
    model = rbd.Model("driven")
    model.add_body("crank", joint=rbd.Prescribed(rbd.Revolute("y"), motion), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    rod = rbd.Inertia.sphere(0.1, mass=1.0).transformed(rbd.pose(position=[0.3, 0, 0]))
    model.add_body("rod", "crank", rbd.Revolute("y"), [0.4, 0, 0], rod, stiffness=3.0)
    model.add_force("band", rbd.Spring("rod", "world", 20.0, 0.1, at_a=(0.2, 0, 0), at_b=(1, 0, 1)))
    for name in ("linearly_implicit_euler", "linearly_implicit_sdirk2"):
        both = [rbd.simulate(model, duration=0.05, dt=0.005, integrator=name, backend=b) for b in ("auto", "book")]
        assert off(both[0].v, both[1].v) < 1e-12


@pytest.mark.source("S1.17", "S2.17")
@pytest.mark.parametrize("formulation", ("maximal", "so3xr3", "bodywise"))
def test_two_stages_on_bodies_with_joints(formulation):
    """Of order 2 against compiled steps in joint coordinates, and the same where springs and dampers are in joints."""
    model = rbd.library.double_pendulum()
    model.add_spring("band", model.bodies[2].name, "world", 30.0, 0.1, damping=2.0, at_b=(0.5, 0, 0))
    hinge, elbow = (joint.name for joint in model.joints[1:])
    model = model.with_parameters({f"{hinge}.stiffness": 20.0, f"{elbow}.damping": 0.3})
    expected, errors = rbd.simulate(model, [1.0, 0.5], duration=0.1).poses()[-1], []
    for h in (4e-3, 2e-3):
        run = rbd.simulate(
            model, [1.0, 0.5], duration=0.1, dt=h, formulation=formulation, integrator="linearly_implicit_sdirk2"
        )
        errors.append(np.abs(run.poses()[-1] - expected).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.25)


@pytest.mark.source("S1.17")
def test_two_stages_end_what_is_stiff_between_bodies_with_joints():
    """A spring whose oscillations are a hundred times faster than the steps; its hinge stays closed meanwhile."""
    model = rbd.library.pendulum()
    model.add_spring("band", "rod", "world", 1e8, 0.0, at_a=(0.0, 0.0, -0.5), at_b=(0.0, 0.0, -0.5))
    options = {"duration": 0.3, "dt": 0.01, "integrator": "linearly_implicit_sdirk2"}
    with pytest.warns(SimulationWarning, match="energy"):
        run = rbd.simulate(model, [1e-3], formulation="maximal", **options)
    turned = run.poses("rod")[:, 0, 2]
    assert abs(turned[-1]) < 1e-6
    assert np.abs(run.poses("rod")[:, :3, 3]).max() < 1e-5


@pytest.mark.source("S1.17", "S2.20")
def test_two_stages_where_bodies_close_loops():
    model, errors = rbd.library.planar_four_bar(), []
    names = [body.name for body in model.bodies]
    model.add_spring("band", names[1], names[-1], 50.0, 0.1, damping=1.0)
    expected = rbd.simulate(model, duration=0.1).poses()[-1]
    for h in (4e-3, 2e-3):
        run = rbd.simulate(model, duration=0.1, dt=h, formulation="maximal", integrator="linearly_implicit_sdirk2")
        errors.append(np.abs(run.poses()[-1] - expected).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)


def slider_crank(length):
    """A sprung slider-crank whose lengths and gravity are given as parts of a length; and a state of it."""
    hinge, along = rbd.Revolute("y"), length * np.array([0.2, 0.0, 0.0])
    model = rbd.Model("slider crank", gravity=(0.0, 0.0, -9.81 * length))
    for name, parent, mass in (("crank", "world", 1.0), ("rod", "crank", 0.5)):
        inertia = rbd.Inertia(mass, along, 0.02 * mass * length**2 * np.eye(3))
        model.add_body(name, parent, hinge, None if parent == "world" else along, inertia)
    model.add_body("slider", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0))
    model.add_loop("pin", "rod", "slider", hinge, 2.5 * along)
    model.add_spring(
        "spring", "world", "slider", 30.0, 0.3 * length, damping=0.4, at_a=(0.9 * length, 0.0, 0.1 * length)
    )
    q = rbd.assemble(model, fix={"crank_joint": [1.0]})
    return model, q, rbd.project_velocity(model, q, fix={"crank_joint": [3.0]})


@pytest.mark.parametrize("backend", ["auto", "book"])
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_loops_of_any_length_go_the_same_way(method, backend):
    """In units that are powers of two: a micrometre and a thousand kilometres differ from a metre by round-off alone.

    The rank of rows that angles and lengths share was decided in metres: 8e-8 off, and refused.
    """
    ends = []
    for length in (1.0, 2.0**-20, 2.0**20):
        model, q, v = slider_crank(length)
        options = {"formulation": "maximal", "integrator": method, "backend": backend}
        ends.append(rbd.simulate(model, q, v, duration=0.02, dt=4e-3, **options).q[-1] / [1.0, 1.0, length])
    np.testing.assert_allclose(ends[1:], ends[:1] * 2, rtol=0, atol=1e-14)
