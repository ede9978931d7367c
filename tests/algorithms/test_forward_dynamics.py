"""Forward dynamics: two algorithms, their round trip with inverse dynamics, and what they refuse."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.errors import ModelError
from rbdkit.library import random_state, random_tree

SEEDS = range(12)
ROUND_OFF = 1e-12  # of forces: sums along chains of 20 bodies in different order


def residual(model, q, v, tau, qdd, f_ext=None):
    """What is left of tau - H qdd - C, relative to the largest of its terms."""
    H, C = rbd.crba(model, q), rbd.bias_force(model, q, v, f_ext=f_ext)
    return np.max(np.abs(tau - H @ qdd - C)) / np.max(np.abs(H) @ np.abs(qdd) + np.abs(C))


@pytest.mark.source("F3.01", "F6.05", "F7.07")
@pytest.mark.parametrize("seed", SEEDS)
def test_both_algorithms_solve_the_equation_of_motion(seed, off):
    model = random_tree(seed)
    q, v, tau = random_state(model, seed)
    f_ext = {body.name: np.random.default_rng(seed).normal(size=6) for body in model.bodies[1:]}
    propagated = algorithms.aba(model, q, v, tau, f_ext=f_ext).qdd
    solved = algorithms.forward_dynamics_crba(model, q, v, tau, f_ext=f_ext)
    assert residual(model, q, v, tau, propagated, f_ext) < ROUND_OFF
    assert residual(model, q, v, tau, solved, f_ext) < ROUND_OFF
    # accelerations differ by what H can lose: its condition number times the unit of round-off
    assert off(propagated, solved) < 10 * np.linalg.cond(rbd.crba(model, q)) * np.finfo(float).eps


@pytest.mark.source("F3.01", "F7.07")
@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_dynamics_undoes_forward_dynamics(seed, off):
    model = random_tree(seed)
    q, v, tau = random_state(model, seed)
    scale = np.max(np.abs(rbd.bias_force(model, q, v)))
    assert off(rbd.rnea(model, q, v, rbd.aba(model, q, v, tau)), tau, scale) < ROUND_OFF


@pytest.mark.source("F7.07")
@pytest.mark.parametrize("seed", SEEDS)
def test_every_intermediate_agrees_with_inverse_dynamics(seed, off):
    """Velocities, accelerations, and the joint forces IA a + pA are those of RNEA for the same motion."""
    model = random_tree(seed)
    q, v, tau = random_state(model, seed)
    forward = algorithms.aba(model, q, v, tau)
    inverse = algorithms.rnea(model, q, v, forward.qdd)
    assert off(forward.v, inverse.v) < ROUND_OFF
    assert off(forward.a, inverse.a) < ROUND_OFF
    forces = np.einsum("iab,ib->ia", forward.IA, forward.a) + forward.pA
    lost = np.max(np.abs(np.einsum("iab,ib->ia", forward.IA, forward.a)))
    assert off(forces[1:], inverse.f[1:], scale=lost) < ROUND_OFF


@pytest.mark.source("F7.06")
@pytest.mark.parametrize("seed", SEEDS)
def test_what_the_parent_sees_has_no_inertia_along_the_joint(seed):
    """I^a S = 0, and S . p^a is the joint force (Eqs 7.23, 7.24 and the remark after 7.25)."""
    model = random_tree(seed)
    q, v, tau = random_state(model, seed)
    result = algorithms.aba(model, q, v, tau)
    for i in model.outward:
        S = result.S[i]
        size = max(np.max(np.abs(result.IA[k])) for k in model.subtree(i))  # I^a may be little of what is left of that
        assert np.max(np.abs(result.Ia[i] @ S), initial=0.0) < 1e-13 * size
        assert np.max(np.abs(result.Ia[i] - result.Ia[i].T)) < 1e-13 * size
        assert np.linalg.eigvalsh(result.Ia[i])[0] > -1e-12 * size
        lost = max(np.max(np.abs(result.pa[i])), np.max(np.abs(result.U[i]), initial=0.0))
        np.testing.assert_allclose(S.T @ result.pa[i], tau[model.joints[i].v_slice], atol=1e-11 * max(lost, 1.0))


@pytest.mark.source("F7.06")
def test_the_row_of_a_hinge_about_z_is_zero():
    model = random_tree(1, 3, [rbd.Revolute("z")], branching=0.0)
    q, v, tau = random_state(model, 1)
    for Ia in algorithms.aba(model, q, v, tau).Ia[1:]:
        assert np.max(np.abs(Ia[2])) < 1e-15 and np.max(np.abs(Ia[:, 2])) < 1e-15


@pytest.mark.source("F7.07", "F4.08")
def test_a_free_body_falls():
    model = random_tree(9, 1, [rbd.Free()])
    q, _, _ = random_state(model, 9)
    result = algorithms.aba(model, q, np.zeros(6), np.zeros(6))
    R = rbd.forward_kinematics(model, q).poses[1, :3, :3]
    I, missed = model.bodies[1].inertia.matrix, result.qdd - np.concatenate([np.zeros(3), R.T @ model.gravity])
    # as a force: the accelerations themselves lose what the condition of I takes
    assert np.max(np.abs(I @ missed)) < 1e-14 * np.max(np.abs(I)) * 9.81


@pytest.mark.source("F7.07")
def test_symmetric_response():
    """H^-1 is symmetric: the answer of joint i to a force at joint k is that of k to one at i."""
    model = random_tree(10, 8)
    q, v, _ = random_state(model, 10)
    rest = rbd.aba(model, q, v, np.zeros(model.nv))
    Phi = np.column_stack([rbd.aba(model, q, v, e) - rest for e in np.eye(model.nv)])
    lost = np.finfo(float).eps * np.max(np.abs(rest)) * 1e3  # the difference of accelerations of that size
    assert np.max(np.abs(Phi - Phi.T)) < lost + 1e-12 * np.max(np.abs(Phi))
    np.testing.assert_allclose(Phi @ rbd.crba(model, q), np.eye(model.nv), atol=1e-8)  # cond(H) = 1e5


@pytest.mark.source("F6.05")
def test_mimic_joints_move_as_one(mimicking, off):
    coupled, independent, G, free = mimicking
    q, v, tau = random_state(coupled, 2)
    qdd = rbd.forward_dynamics(coupled, q, v, tau)
    total = tau + G.T @ rbd.passive_force(independent, free(q), G @ v)
    H, C = rbd.crba(independent, free(q)), rbd.bias_force(independent, free(q), G @ v)
    assert off(qdd, np.linalg.solve(G.T @ H @ G, total - G.T @ C)) < 1e-13
    # without springs and dampers, as the articulated bodies of the independent tree have it
    plain = np.linalg.solve(G.T @ H @ G, tau - G.T @ C)
    assert off(rbd.aba(coupled, q, v, tau), plain) < 1e-13


def test_springs_and_dampers_act(off):
    model = rbd.Model(gravity=(0, 0, 0))
    inertia = rbd.Inertia.sphere(0.1, mass=2.0)
    model.add_body("slider", joint=rbd.Prismatic("x"), inertia=inertia, damping=3.0, stiffness=50.0, rest=0.2)
    qdd = rbd.forward_dynamics(model, [0.5], [0.7], [1.0])
    assert off(qdd, [(1.0 - 3.0 * 0.7 - 50.0 * 0.3) / 2.0]) < 1e-15
    assert off(rbd.aba(model, [0.5], [0.7], [1.0]), [0.5]) < 1e-15


@pytest.mark.source("F5.05")
def test_a_driven_pivot_shakes_a_pendulum():
    """Kapitza: a point mass on a rod whose pivot moves up and down as A sin(W t): th'' = -(g + z'') sin(th) / L."""
    A, W, L, g = 0.1, 30.0, 0.8, 9.81
    model = rbd.Model()

    def shake(t):
        return [A * np.sin(W * t)], [A * W * np.cos(W * t)], [-A * W**2 * np.sin(W * t)]

    model.add_body("pivot", joint=rbd.Prescribed(rbd.Prismatic("z"), shake), inertia=rbd.Inertia.sphere(0.1, mass=0.5))
    model.add_body("bob", "pivot", rbd.Revolute("y"), inertia=rbd.Inertia(2.0, com=[0, 0, -L]))
    for t in (0.0, 0.03, 0.11):
        for angle, speed in ((0.4, 1.0), (-2.0, 3.0)):
            expected = -(g - A * W**2 * np.sin(W * t)) * np.sin(angle) / L
            for solve in (algorithms.forward_dynamics, algorithms.forward_dynamics_crba):
                found = solve(model, np.array([angle]), np.array([speed]), np.zeros(1), t=t)
                np.testing.assert_allclose(found, [expected], rtol=1e-13)
            # the bob by itself: tension and sine of it along the rod; the motor holds all of it
            z, v_z, a_z = (x[0] for x in shake(t))
            com_a = a_z + L * (np.sin(angle) * expected + np.cos(angle) * speed**2)
            lift = 0.5 * (g + a_z) + 2.0 * (g + com_a)
            f = algorithms.rnea(model, np.array([angle]), np.array([speed]), np.array([expected]), f_ext=None, t=t).f[1]
            np.testing.assert_allclose(f[5], lift, rtol=1e-13)
            pose = rbd.forward_kinematics(model, [angle], [speed], t=t)
            np.testing.assert_allclose(pose.poses[1, 2, 3], z, atol=1e-15)
            np.testing.assert_allclose(pose.velocities[1], [0, 0, 0, 0, 0, v_z], atol=1e-15)


@pytest.mark.parametrize("kind", [rbd.Revolute("x"), rbd.Spherical(), rbd.Free()])
def test_a_leaf_without_mass_is_refused(kind):
    model = rbd.Model()
    model.add_body("arm", joint=rbd.Revolute("z"), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    model.add_body("tip", "arm", kind, joint_name="wrist")
    q, v, tau = random_state(model, 0)
    with pytest.raises(ModelError, match="'wrist' moves something without inertia"):
        rbd.aba(model, q, v, tau)
    with pytest.raises(ModelError, match="not positive definite"):
        algorithms.forward_dynamics_crba(model, q, v, tau)


def test_a_rotor_makes_up_for_missing_mass(off):
    model = rbd.Model()
    model.add_body("tip", joint=rbd.Revolute("x"), armature=0.5)
    assert off(rbd.aba(model, [0.1], [2.0], [3.0]), [6.0]) < 1e-15


def test_what_is_made_for_trees_refuses_loops_by_name():
    """The public function knows them; its two readable forms for trees do not."""
    model = random_tree(0, 4)
    model.add_loop("clasp", "b1", "b4", rbd.Spherical())
    q, v, tau = random_state(model, 0)
    for solve in (algorithms.forward_dynamics, algorithms.forward_dynamics_crba, rbd.aba):
        with pytest.raises(ModelError, match=r"'clasp' close.*loop.*in model 'random tree 0'"):
            solve(model, q, v, tau)
    loops = algorithms.loops
    equation = loops.loop_equation(model, q, v, tau)
    expected = loops.solve_directly(equation).qdd
    scale = np.abs(expected).max() * np.linalg.cond(equation.H)  # what round-off may grow by
    np.testing.assert_allclose(rbd.forward_dynamics(model, q, v, tau), expected, rtol=0, atol=1e-14 * scale)


def test_a_model_that_cannot_move():
    model = rbd.Model()
    model.add_body("rock", inertia=rbd.Inertia.sphere(1.0, mass=1.0))
    nothing = np.zeros(0)
    assert rbd.forward_dynamics(model, nothing, nothing, nothing).shape == (0,)
    assert algorithms.forward_dynamics_crba(model, nothing, nothing, nothing).shape == (0,)
    assert rbd.crba(model, nothing).shape == (0, 0)


@pytest.mark.parametrize("mimic", [None, rbd.Mimic("a_joint", 2.0)])
def test_a_state_that_ran_away_gives_no_number_and_no_error(mimic):
    """Both ways: so an integrator can say when and where it happened."""
    model = rbd.Model()
    model.add_body("a", joint=rbd.Prismatic("x"), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    model.add_body("b", "a", rbd.Revolute("z"), inertia=rbd.Inertia.sphere(0.1, mass=1.0), mimic=mimic)
    with np.errstate(all="ignore"):
        far = algorithms.forward_dynamics(model, np.full(model.nq, np.inf), np.zeros(model.nv), np.zeros(model.nv))
    assert np.isnan(far).all()
