"""Joints closed in every step of a compiled loop: the states are those of the readable projection."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine.rows.joint_program import form_of, gap, joint_numbers
from rbdkit.formulations import Baumgarte, ConstrainedBodies
from rbdkit.integrators import (
    INTEGRATORS,
    RK4,
    ExplicitEuler,
    ImplicitMidpoint,
    Projected,
    RungeKutta,
    State,
    records,
)  # fmt: skip
from rbdkit.library import planar_four_bar, random_state, random_tree, rectangular_bricard
from rbdkit.spatial import se3
from rbdkit.spatial.compact import Pose
from tests.integrators.test_linearly_implicit import slider_crank

JOINTS = [rbd.Fixed(), rbd.Revolute("z"), rbd.Prismatic("x"), rbd.Helical("y", pitch=0.1), rbd.Cylindrical("z"),
          rbd.Planar("x"), rbd.Planar(translation="successor"), rbd.Spherical(), rbd.Free()]  # fmt: skip
MIXED = ["se3", "so3xr3", "so3xr3"] * 3


def both(system, method, h, steps, q, v):
    """The last state of the compiled loop, and of the readable steps."""
    x, w = system.state(q, v)
    run = system.compiled_run(method, h * np.arange(steps + 1), x, w, steps, lambda done: None)
    assert run is not None and not run.ran_away
    state = method.init(system, 0.0, x, w)
    for _ in range(steps):
        state = method.step(system, state, h)
    return (run.q[-1], run.v[-1]), (state.x, state.v)


def agree(system, method, h, steps, q, v, round_off=1e-13):
    (x, w), (x_expected, w_expected) = both(system, method, h, steps, q, v)
    np.testing.assert_allclose(x, x_expected, rtol=0, atol=round_off)
    np.testing.assert_allclose(w, w_expected, rtol=0, atol=100 * round_off * np.abs(w_expected).max())
    assert np.abs(system.constraint_error(x)).max() < 4e-15  # closed to some ulp of positions
    return x, w


@pytest.mark.parametrize("type", JOINTS, ids=lambda joint: joint.known_as)
def test_what_a_joint_lacks_is_what_its_readable_form_says(type):
    """A pose some way off the joint's surface, seen from reference frames that are not the joint's."""
    model = rbd.Model("one")
    place = se3.exp(np.array([0.3, -0.2, 0.5, 1.0, 2.0, -0.4]))
    model.add_body("body", joint=type, placement=place, inertia=rbd.Inertia(1.0, [0.2, -0.1, 0.3], np.eye(3)))
    system = ConstrainedBodies(model)
    (joint,) = system.constraints.joints
    q, _, _ = random_state(model, 1)
    miss = se3.exp(np.array([0.05, 0.02, -0.03, 0.1, -0.2, 0.15]))
    X = joint.predecessor_placement @ type.pose(q) @ miss @ se3.inverse(joint.successor_placement)
    pose = Pose.of([*X[:3, :3].ravel().tolist(), *X[:3, 3].tolist()])
    twist = gap(form_of(type), joint_numbers(joint).tolist(), pose)
    d = se3.adjoint(se3.inverse(joint.successor_placement)) @ np.array(twist, dtype=float)
    T = type.constraint_subspace(type.neutral())
    g = system.constraints.position(np.array([np.eye(4), X]))
    np.testing.assert_allclose(d @ T, g, rtol=0, atol=4e-15)  # of some hundred operations on numbers of size 2


@pytest.mark.parametrize(("seed", "groups"), [(0, "so3xr3"), (2, MIXED)], ids=["so3xr3", "mixed"])
def test_on_random_trees_with_dampers_and_rotors(seed, groups):
    """From velocities that the joints do not allow: the first projection has much to do."""
    model = random_tree(seed, 9, JOINTS)
    q, v, _ = random_state(model, seed)
    moving = [joint for joint in model.joints[1:] if joint.nv]
    given = {f"{j.name}.damping": np.full(j.nv, 0.3) if j.nv > 1 else 0.3 for j in moving[::2]}
    given |= {f"{j.name}.armature": np.full(j.nv, 0.2) if j.nv > 1 else 0.2 for j in moving[::3]}
    system = ConstrainedBodies(model.with_parameters(given), groups=groups)
    agree(system, INTEGRATORS["rk4_projected"], 1e-2, 3, q, v)


@pytest.mark.parametrize("kind", [rbd.Spherical(), rbd.Revolute("y"), rbd.Free(), rbd.Planar("x")])
def test_with_closed_loops(kind):
    model = random_tree(3, 9, [rbd.Spherical(), rbd.Free(), rbd.Cylindrical("z")])
    q, v, _ = random_state(model, 3)
    T = rbd.forward_kinematics(model, q).poses
    model.add_loop("between", "b3", "b8", kind, np.linalg.inv(T[3]) @ T[8])
    model.add_loop("to the world", "b6", "world", kind, np.eye(4), T[6])
    system = ConstrainedBodies(model, groups="so3xr3")
    agree(system, INTEGRATORS["rk4_projected"], 1e-3, 3, q, v)


@pytest.mark.parametrize(
    ("loop", "groups"),
    [(None, MIXED), (rbd.Revolute("y"), "so3xr3"), (rbd.Planar("x"), "se3")],
    ids=["tree", "revolute", "planar"],
)
def test_baumgartes_terms(loop, groups):
    """From open joints and velocities that they do not allow."""
    model = random_tree(3, 9, [rbd.Spherical(), rbd.Free(), rbd.Cylindrical("z")])
    q, v, _ = random_state(model, 3)
    if loop is not None:
        T = rbd.forward_kinematics(model, q).poses
        model.add_loop("to the world", "b6", "world", loop, np.eye(4), T[6])
    moving = [joint for joint in model.joints[1:] if joint.nv]
    model = model.with_parameters({f"{j.name}.armature": np.full(j.nv, 0.2) for j in moving[::2]})
    system = ConstrainedBodies(model, groups=groups, baumgarte=Baumgarte(20.0, 35.0))
    x, w = system.state(q, v)
    rng = np.random.default_rng(4)
    x, w = system.move(x, 0.01 * rng.normal(size=len(w))), w + 0.1 * rng.normal(size=len(w))
    run = system.compiled_run(RK4(), 1e-3 * np.arange(4), x, w, 3, lambda done: None)
    state = State(0.0, x, w)
    for _ in range(3):
        state = RK4().step(system, state, 1e-3)
    np.testing.assert_allclose(run.q[-1], state.x, rtol=0, atol=1e-13)
    np.testing.assert_allclose(run.v[-1], state.v, rtol=0, atol=1e-11 * np.abs(state.v).max())


@pytest.mark.parametrize("method", [ExplicitEuler(), ImplicitMidpoint(), RungeKutta([[0, 0], [1, 0]], [0.5, 0.5])])
def test_any_method_that_records_its_steps_can_be_projected(method):
    model = planar_four_bar()
    system = ConstrainedBodies(model, groups="so3xr3")
    agree(system, Projected(method), 1e-2, 20, model.neutral(), np.zeros(model.nv), round_off=1e-12)
    assert records(Projected(method))
    assert not records(Projected(INTEGRATORS["variational"]))


def test_redundant_loops_are_closed_too():
    """Bricard's linkage: its loop has one row too many everywhere."""
    made = rectangular_bricard()
    model, q, v = made if isinstance(made, tuple) else (made, made.neutral(), np.zeros(made.nv))
    agree(ConstrainedBodies(model, groups="so3xr3"), INTEGRATORS["rk4_projected"], 1e-3, 5, q, v, round_off=1e-12)


def test_a_run_by_name_is_compiled():
    model = planar_four_bar()
    motion = rbd.simulate(
        model, duration=0.5, dt=1e-3, formulation="so3xr3", integrator="rk4_projected", progress=False
    )
    assert "compiled loop" in motion.report.backend
    assert motion.report.constraint_error < 1e-14


@pytest.mark.parametrize("integrator", ["rk4_projected", "generalized_alpha", "implicit_midpoint"])
def test_force_elements_act_in_these_loops_too(integrator):
    """Against joint coordinates; errors of order 2 of a step of 0.5 ms, and much smaller ones of order 4."""
    model = rbd.Model("arm")
    rod = rbd.Inertia(1.0, [0.0, 0.0, -0.4], 0.1 * np.eye(3))
    model.add_body("upper", joint=rbd.Revolute("y"), inertia=rod)
    model.add_body("lower", "upper", rbd.Spherical(), [0.0, 0.0, -0.8], rod)
    free = model.with_parameters({})
    model.add_force("band", rbd.Spring("lower", "world", 200.0, 0.1, 2.0, at_b=(0.5, 0.4, 0.0)))
    q, v = model.neutral(), np.array([0.5, 0.2, -0.3, 0.4])
    options = {"duration": 0.1, "dt": 5e-4, "progress": False}
    expected = rbd.simulate(model, q, v, **options).poses()[-1]
    run = rbd.simulate(model, q, v, formulation="so3xr3", integrator=integrator, **options)
    assert "compiled loop" in run.report.backend
    assert run.poses()[-1] == pytest.approx(expected, abs=1e-9 if integrator == "rk4_projected" else 1e-5)
    assert np.abs(rbd.simulate(free, q, v, **options).poses()[-1] - expected).max() > 0.01


@pytest.mark.parametrize("backend", ["auto", "book"])
def test_short_mechanisms_are_closed_to_parts_of_their_length(backend):
    """A slider-crank of a micrometre, a rod between it and an arm on a ball joint, goes the way of one of a metre.

    In units that are powers of two it does so to round-off; closed to 1e-15 m it was 3e-10 of its length off.
    """
    ends = []
    for length in (1.0, 2.0**-20):
        model, q, v = slider_crank(length)
        far, tip = length * np.array([[0.3, 0.4, 0.2], [0.1, 0.0, 0.05]])
        poses = rbd.forward_kinematics(model, q).poses
        model.add_body("arm", joint=rbd.Spherical(), placement=far, inertia=model.body("crank").inertia)
        apart = float(np.linalg.norm(poses[model.body("rod").index][:3, 3] - far - tip))
        model.add_constraint("string", rbd.Distance("arm", "rod", apart, tuple(tip)))
        q, v = np.concatenate([q, [1.0, 0.0, 0.0, 0.0]]), np.concatenate([v, [0.3, 0.2, 0.1]])
        v = rbd.project_velocity(model, q, v)
        options = {"formulation": "se3", "integrator": "rk4_projected", "backend": backend}
        motion = rbd.simulate(model, q, v, duration=0.02, dt=4e-3, **options)
        ends.append(motion.q[-1] / [1.0, 1.0, length, 1.0, 1.0, 1.0, 1.0])
    np.testing.assert_allclose(ends[1], ends[0], rtol=0, atol=1e-14)
