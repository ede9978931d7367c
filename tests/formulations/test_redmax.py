"""'redmax' and 'maximal' beside the formulations that were there, and the pairs that make no sense."""

import warnings
from functools import partial

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ModelError, SimulationError
from rbdkit.formulations import FORMULATIONS, JointSystem, Maximal, Redmax
from rbdkit.integrators import (
    RK4,
    LinearlyImplicitEuler,
    LinearlyImplicitSDIRK2,
    Projected,
    VelocityEuler,
)
from rbdkit.library import chain_pendulum, joint_gallery, planar_four_bar, random_state, random_tree, uncommon_joints
from rbdkit.simulation import SimulationWarning, compare_runs

AT_VELOCITIES = [VelocityEuler(), LinearlyImplicitEuler(), LinearlyImplicitSDIRK2()]
named = pytest.mark.parametrize("method", AT_VELOCITIES, ids=lambda method: method.name)


def off(found, expected) -> float:
    """Largest deviation as a share of the largest number."""
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def everything(seed: int) -> rbd.Model:
    """All joint types with rotors, springs and dampers, one that follows, and elements between bodies and in joints."""
    rng = np.random.default_rng(seed)
    model = random_tree(seed, 24, [*joint_gallery(rng), *uncommon_joints(rng)])
    ball = rbd.Inertia.sphere(0.2, mass=1.0)
    model.add_body("leader", "b3", rbd.Revolute("y"), [0.1, 0, 0.3], ball, joint_name="leads")
    after = rbd.Mimic("leads", multiplier=-1.7, offset=0.2)
    model.add_body("follower", "leader", rbd.Prismatic("x"), [0.0, 0.2, 0], ball, mimic=after)
    model.add_force("band", rbd.Spring("b5", "b9", stiffness=30.0, damping=2.0, at_b=(0.1, 0.2, 0.0)))
    model.add_force("brake", rbd.JointDamper("leads", (0.7,)))
    model.add_force("coil", rbd.JointSpring("leads", (3.0,)))
    free = [joint for joint in model.joints if joint.nv and joint.mimic is None]
    own = ("armature", "damping", "stiffness")
    return model.with_parameters({f"{j.name}.{what}": rng.uniform(0, 0.5, j.nv) for j in free for what in own})


def few_joints() -> rbd.Model:
    """A hinge, a ball joint and a free one."""
    model = random_tree(2, 3, [rbd.Revolute("y"), rbd.Spherical(), rbd.Free()])
    model.add_force("band", rbd.Spring("b1", "b3", stiffness=30.0, damping=2.0, at_b=(0.1, 0.2, 0.0)))
    return model.with_parameters({f"{joint.name}.stiffness": 0.4 for joint in model.joints if joint.nv})


@pytest.mark.source("S2.03", "S2.17")
@pytest.mark.parametrize("method", [RK4(), *AT_VELOCITIES], ids=lambda method: method.name)
def test_compiled_steps_are_the_readable_ones(method):
    """In both formulations, one method on all joint types; and both formulations take the same steps."""
    model = everything(1) if method.name == "linearly_implicit_euler" else few_joints()
    q, v, _ = random_state(model, 3)
    run = partial(rbd.simulate, model, q, 0.1 * v, duration=0.015, dt=0.005, integrator=method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # the steps are too long for random velocities
        compiled = [run(formulation=name) for name in ("joint", "redmax")]
        read = [run(backend="book"), run(formulation=partial(Redmax, book=True))]
    for motion in compiled:
        assert "compiled loop" in motion.report.backend
    for motion in read:
        assert "compiled loop" not in motion.report.backend
    for motion in (*compiled[1:], *read):
        assert off(motion.v[-1], compiled[0].v[-1]) < 1e-10  # 26 bodies, condition of H below 1e5
        assert off(motion.q[-1], compiled[0].q[-1]) < 1e-10


@pytest.mark.source("S2.03", "S1.17")
def test_accelerations_of_all_formulations_are_the_same():
    model = chain_pendulum(5)
    model.add_force("band", rbd.Spring("rod1", "rod4", stiffness=30.0, damping=2.0, at_a=(0.1, 0.0, 0.0)))
    q, v, tau = random_state(model, 2)
    expected = rbd.forward_dynamics(model, q, v, tau)
    torques = lambda t, x, w: tau  # noqa: E731
    assert off(Redmax(model, torques).rate(0.0, q, v), expected) < 1e-12
    system = Maximal(model, torques)
    x, w = system.state(q, v)
    after = system.state(model.move(q, 1e-6 * v), v + 1e-6 * expected)[1]
    before = system.state(model.move(q, -1e-6 * v), v - 1e-6 * expected)[1]
    assert off(system.rate(0.0, x, w), (after - before) / 2e-6) < 1e-8  # differences of second order


@pytest.mark.source("S1.11", "S1.17")
@pytest.mark.parametrize("formulation", ["maximal", "se3", "so3xr3", "bodywise"])
@pytest.mark.parametrize("method", [VelocityEuler, LinearlyImplicitEuler], ids=["velocity", "implicit"])
def test_steps_of_bodies_come_to_those_of_joints(formulation, method):
    """Both are of first order: the difference halves with the step, and joints close with its square."""
    model = chain_pendulum(3)
    model.add_force("band", rbd.Spring("rod1", "rod3", stiffness=40.0, damping=1.0, at_a=(0.1, 0.0, 0.0)))
    model = model.with_parameters({f"{joint.name}.stiffness": 2.0 for joint in model.joints[1:]})
    differences, gaps = [], []
    for h in (0.004, 0.002):
        run = partial(rbd.simulate, model, [0.5, 0.2, -0.4], duration=0.1, dt=h, integrator=method())
        bodies, joints = run(formulation=formulation), run()
        differences.append(np.abs(bodies.q[-1] - joints.q[-1]).max())
        gaps.append(bodies.report.constraint_error)
    assert 1.6 < differences[0] / differences[1] < 2.6
    assert 3.0 < gaps[0] / gaps[1] < 5.0


@pytest.mark.source("S1.19")
@pytest.mark.parametrize("gamma", [0.0, 10.0, "1/h"])
@pytest.mark.parametrize("formulation", ["maximal", "so3xr3"])
def test_compiled_steps_of_bodies_are_the_readable_ones(formulation, gamma):
    model, h = chain_pendulum(4), 0.004
    system, method = FORMULATIONS[formulation](model), VelocityEuler(gamma)
    x, v = system.state(*random_state(model, 3)[:2])
    run = system.compiled_run(method, h * np.arange(6), x, v, 1, lambda done: None)
    state = method.init(system, 0.0, x, v)
    for _ in range(5):
        state = method.step(system, state, h)
    assert off(run.v[-1], state.v) < 1e-11
    assert off(run.q[-1], state.x) < 1e-11


@pytest.mark.source("S1.19")
def test_loops_close_at_velocity_level():
    """Loops whose rows say things twice, too; projected, to round-off."""
    model = planar_four_bar()
    for method, most in ((VelocityEuler(), 1e-6), (LinearlyImplicitEuler(), 1e-6), (Projected(VelocityEuler()), 1e-13)):
        motion = rbd.simulate(model, duration=0.05, dt=0.001, formulation="maximal", integrator=method)
        assert motion.report.constraint_error < most


@named
def test_pairs_that_make_no_sense_are_refused_by_name(method):
    loop, rod = planar_four_bar(), rbd.library.pendulum()
    with pytest.raises(SimulationError, match=f"{method.name}' knows loops .* take formulation='maximal'"):
        rbd.simulate(loop, duration=0.01, integrator=method)
    with pytest.raises(SimulationError, match="at velocity level know as constraints between bodies only"):
        rbd.simulate(loop, duration=0.01, integrator=method, formulation=partial(JointSystem, book=True))
    with pytest.raises(SimulationError, match="_projected' knows loops"):
        rbd.simulate(loop, duration=0.01, integrator=Projected(method))
    system = JointSystem(loop)
    for matrices in (system.stiffness, partial(system.corrected, vdot=np.zeros(loop.nv), closing=0.0, moving=1.0)):
        with pytest.raises(SimulationError, match="'pin' close"):
            matrices(0.0, loop.neutral(), np.zeros(loop.nv))
    with pytest.raises(ModelError, match="formulation 'redmax' needs a tree"):
        rbd.simulate(loop, duration=0.01, integrator=method, formulation="redmax")
    free = rbd.library.tumbling_box()
    for formulation in ("quaternion", "local_velocity"):
        with pytest.raises(SimulationError, match=rf"{method.name}' does not step formulation '{formulation}'"):
            rbd.simulate(free, duration=0.01, integrator=method, formulation=formulation)
    rod.add_force("seal", rbd.Maxwell(rod.bodies[1].name, "world", 3.0, 2.0, at_b=(1.0, 0.0, 0.0)))
    with pytest.raises(SimulationError, match="knows nothing of the states of force elements"):
        rbd.simulate(rod, duration=0.01, integrator=method)
    with pytest.raises((SimulationError, ModelError), match="states"):
        rbd.simulate(rod, duration=0.01, integrator=RK4(), formulation="redmax")


@pytest.mark.parametrize("gamma", [-1.0, "fast", np.nan, np.inf])
def test_gamma_is_a_number_or_one_over_h(gamma):
    with pytest.raises(SimulationError, match="gamma = "):
        VelocityEuler(gamma)


@pytest.mark.source("S2.03", "S1.17")
def test_every_pair_compares():
    """What fits together, side by side; order 2 of two stages beats order 1."""
    methods = ["velocity_euler", "linearly_implicit_euler"]
    pairs = [
        (name, method) for name in ("joint", "redmax", "maximal", "se3", "so3xr3", "bodywise") for method in methods
    ]
    pairs += [(name, "linearly_implicit_sdirk2") for name in ("joint", "redmax")]
    model = chain_pendulum(2).with_parameters({"hinge2.stiffness": 3.0})
    found = compare_runs(model, pairs, q0=[0.5, 0.2], duration=0.1, dt=0.002)
    assert len(found.contenders) == len(pairs)
    ends = [np.abs(each.trajectory.q[-1] - found.contenders[-1].trajectory.q[-1]).max() for each in found.contenders]
    assert max(ends) < 0.02
    assert ends[-2] < 1e-10
