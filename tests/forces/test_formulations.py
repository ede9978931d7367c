"""Force elements in every formulation: compiled against readable, and all against joint coordinates."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms.gears import Gear
from rbdkit.formulations.geared import GearedSystem
from rbdkit.integrators import INTEGRATORS

CONSTANT_AXES = [rbd.Revolute("z"), rbd.Prismatic([0.6, 0.0, 0.8]), rbd.Cylindrical("x"), rbd.Spherical(), rbd.Free(),
                 rbd.Planar("y"), rbd.Helical("z", 0.2)]  # fmt: skip


@pytest.fixture(scope="module")
def tree(dressed):
    """A tree of joints whose axes are fixed in the successor, with one of each element."""
    return dressed(rbd.library.random_tree(4, bodies=5, joints=CONSTANT_AXES), 3)


def start(model):
    rng = np.random.default_rng(1)
    return model.random_q(rng), 0.5 * rng.normal(size=model.nv)


@pytest.mark.parametrize("formulation", ("se3", "so3xr3", "bodywise"))
def test_constrained_bodies_move_as_the_joints_do(tree, formulation):
    q, v = start(tree)
    expected = rbd.simulate(tree, q, v, duration=0.05, dt=5e-4)
    run = rbd.simulate(tree, q, v, duration=0.05, dt=5e-4, formulation=formulation)
    assert "compiled loop" in run.report.backend
    # the joints drift apart with the fourth power of the step
    assert run.poses() == pytest.approx(expected.poses(), abs=1e-8)
    assert run.energy().total == pytest.approx(expected.energy().total, rel=1e-8)


@pytest.mark.parametrize("formulation", ("se3", "so3xr3"))
def test_compiled_steps_are_those_from_python(tree, formulation):
    from rbdkit.integrators import RK4

    class Same(RK4):
        """The readable steps."""

        record = None

    q, v = start(tree)
    runs = [rbd.simulate(tree, q, v, duration=0.01, formulation=formulation, integrator=m) for m in (RK4(), Same())]
    assert ["compiled loop" in run.report.backend for run in runs] == [True, False]
    assert runs[0].w == pytest.approx(runs[1].w, rel=1e-8, abs=1e-8)  # friction next to rest magnifies eps by 1e4


def test_loops_with_springs(dressed):
    model = rbd.library.planar_four_bar()
    names = [body.name for body in model.bodies[1:]]
    model.add_force("band", rbd.Spring(names[0], names[-1], 50.0, 0.1, 0.3, at_a=(0.1, 0.0, 0.0)))
    model.add_force("grease", rbd.JointFriction(model.joints[1].name, 0.3, creep=0.1))
    q, v = model.neutral(), np.zeros(model.nv)
    runs = [rbd.simulate(model, q, v, duration=0.3, formulation=name) for name in ("se3", "so3xr3")]
    assert all("compiled loop" in run.report.backend for run in runs)
    assert runs[0].poses() == pytest.approx(runs[1].poses(), abs=1e-7)
    assert runs[0].report.energy_error < 1e-5  # of Simpson, where friction turns over


def free_body():
    model = rbd.Model(gravity=(0.0, 0.0, -2.0))
    inertia = rbd.Inertia(1.5, [0.1, 0.05, -0.2], np.diag([0.05, 0.06, 0.04]))
    model.add_body("top", joint=rbd.Free(), placement=[0.2, 0.0, 0.1], inertia=inertia, friction=[0.02] * 6)
    model.add_force("band", rbd.Spring("top", "world", 15.0, 0.2, 0.1, (0.1, 0.0, 0.2), (0.0, 0.5, 1.0)))
    return model


def pivoted_body():
    model = rbd.Model(gravity=(0.0, 0.0, -2.0))
    inertia = rbd.Inertia(1.5, [0.0, 0.0, 0.3], np.diag([0.05, 0.06, 0.04]))
    model.add_body("top", joint=rbd.Spherical(), inertia=inertia, friction=0.02)
    model.add_force("band", rbd.Spring("top", "world", 15.0, 0.2, 0.1, (0.1, 0.0, 0.2), (0.0, 0.5, 1.0)))
    return model


BODIES = {"quaternion": free_body, "local_velocity": free_body, "directors": pivoted_body, "split_euler": pivoted_body}


@pytest.mark.parametrize("formulation", [*BODIES, "directors of a free body"])
def test_single_bodies_move_as_the_joint_does(formulation):
    model = free_body() if " " in formulation else BODIES[formulation]()
    v = np.linspace(0.4, 1.2, model.nv)
    expected = rbd.simulate(model, None, v, duration=0.1, dt=1e-3)
    run = rbd.simulate(model, None, v, duration=0.1, dt=1e-3, formulation=formulation.split()[0])
    # both make errors of order 4, some of them off the constraints of the directors
    assert run.poses() == pytest.approx(expected.poses(), abs=2e-9)
    assert run.energy().total == pytest.approx(expected.energy().total, rel=1e-7)
    assert "energy" not in run.invariants()


@pytest.mark.parametrize("integrator", ("energy_momentum", "lagrange_dalembert"))
def test_director_methods_feel_them(integrator):
    model = pivoted_body()
    expected = rbd.simulate(model, None, [0.5, 0.2, 1.0], duration=0.2, dt=1e-3)
    runs = []
    for dt in (2e-3, 1e-3):
        run = rbd.simulate(
            model, None, [0.5, 0.2, 1.0], duration=0.2, dt=dt, formulation="directors", integrator=integrator
        )
        runs.append(np.abs(run.poses()[-1] - expected.poses()[-1]).max())
    assert runs[1] < 1e-4
    assert runs[0] / runs[1] == pytest.approx(2.0 ** INTEGRATORS[integrator].order, rel=0.2)


def test_geared_joints_have_springs_dampers_and_elements():
    def arm(mimic):
        model = rbd.Model()
        inertia = rbd.Inertia(1.0, [0.0, 0.0, -0.4], 0.1 * np.eye(3))
        model.add_body("a", joint=rbd.Revolute("y"), inertia=inertia, damping=0.2, stiffness=3.0)
        follow = {"mimic": rbd.Mimic("a_joint", -1.5)} if mimic else {}
        model.add_body("b", "a", rbd.Revolute("x"), [0, 0, -1.0], inertia, stiffness=1.0, **follow)
        model.add_force("band", rbd.Spring("b", "world", 20.0, 0.1, 0.3, at_b=(0.5, 0.4, 0.0)))
        return model

    make = partial(GearedSystem, gears=[Gear.pair("b_joint", "a_joint", -1.5)])
    run = rbd.simulate(arm(False), [0.4, -0.6], None, 0.3, formulation=make)
    expected = rbd.simulate(arm(True), [0.4], None, 0.3)
    assert run.poses() == pytest.approx(expected.poses(), abs=1e-11)


@pytest.mark.parametrize("formulation", ("joint", "se3", "quaternion"))
def test_momentum_is_kept_by_what_acts_between_bodies_and_by_nothing_else(formulation):
    def pair(end):
        model = rbd.Model(gravity=np.zeros(3))
        for name in ("a", "b"):
            model.add_body(name, joint=rbd.Free(), inertia=rbd.Inertia(1.0, [0.1, 0.0, 0.2], 0.1 * np.eye(3)))
        model.add_force("band", rbd.Spring("a", end, 15.0, 0.2, 0.1, (0.1, 0.0, 0.2), (0.0, 0.5, 1.0)))
        return model

    v = np.linspace(-1.0, 1.0, 12)
    held = rbd.simulate(pair("world"), v0=v, duration=0.2, formulation=formulation)
    assert not {"angular momentum", "linear momentum"} & {*held.invariants()}
    kept = rbd.simulate(pair("b"), v0=v, duration=0.2, formulation=formulation).invariants()
    assert "energy" not in kept  # the damper
    for name in ("angular momentum", "linear momentum"):
        assert np.ptp(kept[name], axis=0).max() < 1e-9  # of order 4 in 1 ms
    rubbing = rbd.simulate(
        pair("b").with_parameters({"a_joint.friction": 0.1}), v0=v, duration=0.01, formulation=formulation
    )
    assert not {"angular momentum", "linear momentum"} & {*rubbing.invariants()}
