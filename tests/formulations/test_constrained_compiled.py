"""The compiled loop of constrained bodies takes the same steps as the arrays do."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.formulations import Baumgarte, ConstrainedBodies
from rbdkit.formulations.constrained.layout import flat
from rbdkit.formulations.constrained.residuals_program import MANY
from rbdkit.integrators import RK4, RK5
from rbdkit.library import (
    floating_pair,
    heavy_top,
    random_state,
    random_tree,
    spherical_double_pendulum,
    three_bar_linkage,
)
from rbdkit.spatial import se3

JOINTS = [rbd.Fixed(), rbd.Revolute("z"), rbd.Prismatic("x"), rbd.Helical("y", pitch=0.1), rbd.Cylindrical("z"),
          rbd.Planar("x"), rbd.Planar(translation="successor"), rbd.Spherical(), rbd.Free()]  # fmt: skip
CHOICES = [
    {"groups": "se3"},
    {"groups": "so3xr3"},
    {"groups": "so3xr3", "reference": "body"},
    {"groups": ["se3", "so3xr3", "so3xr3"] * 3},
]


def compiled(system, method, h, steps, q, v, every=1):
    times = h * np.arange(steps + 1)
    run = system.compiled_run(method, times, *system.state(q, v), every, lambda done: None)
    assert run is not None and not run.ran_away
    return run


def stepped(system, method, h, steps, q, v):
    state = method.init(system, 0.0, *system.state(q, v))
    for _ in range(steps):
        state = method.step(system, state, h)
    return state


@pytest.mark.parametrize("choice", CHOICES, ids=["se3", "so3xr3", "so3xr3 in body frames", "mixed"])
@pytest.mark.parametrize(("seed", "springs"), [(0, False), (1, False), (2, True)])
def test_on_random_trees_with_dampers_and_rotors(seed, springs, choice):
    """To some ulp a step: the elimination goes another way than the saddle-point solver."""
    model = random_tree(seed, 9, JOINTS)
    q, v, _ = random_state(model, seed)
    moving = [joint for joint in model.joints[1:] if joint.nv]
    given = {f"{j.name}.damping": np.full(j.nv, 0.3) if j.nv > 1 else 0.3 for j in moving[::2]}
    given |= {f"{j.name}.armature": np.full(j.nv, 0.2) if j.nv > 1 else 0.2 for j in moving[::3]}
    if springs:
        given |= {f"{j.name}.stiffness": np.linspace(3.0, 5.0, j.nv) if j.nv > 1 else 4.0 for j in moving}
        given |= {f"{j.name}.rest": j.type.integrate(j.coordinates(q), np.full(j.nv, 0.3)) for j in moving}
    system = ConstrainedBodies(model.with_parameters(given), **choice)
    run, state = (how(system, RK5(), 1e-3, 3, q, v) for how in (compiled, stepped))
    np.testing.assert_allclose(run.q[-1], state.x, rtol=0, atol=1e-14)
    np.testing.assert_allclose(run.v[-1], state.v, rtol=0, atol=1e-12 * np.abs(state.v).max())


@pytest.mark.parametrize("choice", CHOICES, ids=["se3", "so3xr3", "so3xr3 in body frames", "mixed"])
@pytest.mark.parametrize("kind", [rbd.Spherical(), rbd.Revolute("y"), rbd.Free(), rbd.Planar("x")])
def test_with_closed_loops(kind, choice):
    """Two loops: between two bodies, and to the world. The velocities need not obey them: accelerations do."""
    model = random_tree(3, 9, [rbd.Spherical(), rbd.Free(), rbd.Cylindrical("z")])
    q, v, _ = random_state(model, 3)
    T = rbd.forward_kinematics(model, q).poses
    model.add_loop("between", "b3", "b8", kind, np.linalg.inv(T[3]) @ T[8])
    model.add_loop("to the world", "b6", "world", kind, np.eye(4), T[6])
    system = ConstrainedBodies(model, **choice)
    run, state = (how(system, RK4(), 1e-3, 2, q, v) for how in (compiled, stepped))
    np.testing.assert_allclose(run.q[-1], state.x, rtol=0, atol=1e-13)
    np.testing.assert_allclose(run.v[-1], state.v, rtol=0, atol=1e-11 * np.abs(state.v).max())


def test_redundant_rows_of_a_loop_get_no_reaction():
    """A planar four-bar linkage; its accelerations do not depend on how the reactions are shared out."""
    model = rbd.Model("parallelogram")
    crank = rbd.Inertia.box([0.05, 0.05, 0.4], mass=1.0).transformed(rbd.pose(position=[0, 0, 0.2]))
    rod = rbd.Inertia.box([1.0, 0.05, 0.05], mass=2.0).transformed(rbd.pose(position=[0.5, 0, 0]))
    model.add_body("crank1", joint=rbd.Revolute("y"), inertia=crank)
    model.add_body("coupler", "crank1", rbd.Revolute("y"), [0, 0, 0.4], rod)
    model.add_body("crank2", joint=rbd.Revolute("y"), placement=[1.0, 0, 0], inertia=crank)
    model.add_loop("close", "coupler", "crank2", rbd.Revolute("y"), [1.0, 0, 0], [0, 0, 0.4])
    system, q, v = ConstrainedBodies(model), np.array([0.7, -0.7, 0.7]), np.array([2.0, -2.0, 2.0])
    run, state = (how(system, RK4(), 1e-3, 50, q, v) for how in (compiled, stepped))
    np.testing.assert_allclose(run.q[-1], state.x, rtol=0, atol=1e-13)
    assert np.abs(system.constraint_error(run.q)).max() < 1e-10


@pytest.mark.source("M.06", "M.07", "M.08", "M.09")
@pytest.mark.parametrize("example", [heavy_top, spherical_double_pendulum, floating_pair, three_bar_linkage])
def test_on_the_examples_of_the_paper(example):
    model, q, v = example()
    system = ConstrainedBodies(model)
    run, state = (how(system, RK4(), 1e-3, 20, q, v) for how in (compiled, stepped))
    np.testing.assert_allclose(run.q[-1], state.x, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(run.at, range(21))
    every = compiled(system, RK4(), 1e-3, 20, q, v, every=7)
    np.testing.assert_array_equal(every.at, [0, 7, 14, 20])
    np.testing.assert_array_equal(every.q, run.q[every.at])


class Lookup(rbd.SplineCurve):
    """One that asks what its coordinates are worth."""

    def project(self, pose):
        return super().project(pose) if pose[0, 0] > 0.0 else self.neutral()


def test_what_it_does_not_cover_is_stepped_from_python():
    top = heavy_top().model
    assert ConstrainedBodies(top).obstacle(None) == ""
    others = [
        ConstrainedBodies(random_tree(1, 2, [Lookup()])),
        ConstrainedBodies(random_tree(1, 2, [Lookup()]), baumgarte=Baumgarte(10.0)),
    ]
    for system in others:
        assert system.obstacle(None)
    unknown = ConstrainedBodies(top, lambda t, x, v: np.zeros(3))  # a law of x that nobody traced
    times, state = np.array([0.0, 1e-3]), unknown.state(*heavy_top()[1:])
    assert unknown.compiled_run(RK4(), times, *state, 1, lambda done: None) is None
    along_a_curve = others[0].model
    runs = [
        rbd.simulate(model, duration=0.01, dt=1e-3, formulation="se3", progress=False) for model in (top, along_a_curve)
    ]
    assert "compiled" in runs[0].report.backend
    assert "stepped from Python: joint 'b1_joint' (Lookup)" in runs[1].report.backend


def test_a_motion_that_runs_away_ends_with_its_last_finite_state():
    model, q, v = spherical_double_pendulum()
    system = ConstrainedBodies(model)
    times = 0.5 * np.arange(101)
    run = system.compiled_run(RK4(), times, *system.state(q, v), 1, lambda done: None)
    assert run.ran_away and run.steps < 100
    assert np.isfinite(run.q).all() and np.isfinite(run.v).all()


@pytest.mark.parametrize("reference", ["com", "body"])
def test_residuals_of_many_states_are_those_of_each(reference):
    """One state is looked at by the readable form, many by compiled code; joints of all kinds stand open."""
    rng = np.random.default_rng(8)
    model = rbd.Model("kinds")
    for k, type in enumerate(JOINTS):
        model.add_body(
            f"b{k}", f"b{k // 2}" if k else "world", type, se3.exp(rng.normal(size=6)), rbd.Inertia.sphere(0.2, 1.0)
        )
    model.add_loop("shut", "b3", "b5", rbd.Helical("y", 0.3), se3.exp(rng.normal(size=6)), se3.exp(rng.normal(size=6)))
    system = ConstrainedBodies(model, reference=reference)
    assert system._residuals is not None
    poses = se3.exp(rng.normal(size=(MANY, system.n, 6)))
    x = flat(poses)
    together, alone = system.constraint_error(x), np.array([system.constraint_error(each) for each in x])
    assert np.abs(alone).max() > 1.0
    # the logarithm of a turn by an angle a loses digits with 1 / sin a, the largest here is some 100 times that
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-12)
