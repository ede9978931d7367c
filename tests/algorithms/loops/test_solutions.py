"""The three methods against all bodies at once, against assembly, against bodies on SE(3), and against each other.

Accelerations are as good as the worst conditioned of the matrices that the routes solve with; tolerances are round-off
times that condition.
"""

import os

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms import constraints
from rbdkit.algorithms.loops import (
    Baumgarte,
    independent_rows,
    loop_constraint,
    loop_equation,
    row_space,
    solve_directly,
    solve_for_forces,
    solve_for_independents,
)
from rbdkit.errors import ModelError, StateError
from rbdkit.formulations import SE3
from rbdkit.library import planar_four_bar, random_state, random_tree, rectangular_bricard, sarrus_linkage

SEEDS = range(int(os.environ.get("RBDKIT_TREES", "200")))


def by_all_methods(equation):
    return {
        "1": solve_directly(equation), "2 ltl": solve_for_forces(equation),
        "2 ltdl": solve_for_forces(equation, "ltdl"), "3": solve_for_independents(equation).motion,
    }  # fmt: skip


@pytest.mark.source("F8.02", "F8.05", "F8.06", "F8.07", "F8.08", "F8.10")
@pytest.mark.parametrize("seed", SEEDS)
def test_random_trees_with_loops_of_all_types(seed, looped):
    """Rotors on some joints; forces through the loop joints are the same, too."""
    case = looped(seed)
    rng = np.random.default_rng(seed)
    rotors = {
        f"{joint.name}.armature": rng.uniform(0.1, 1.0, joint.nv) for joint in case.model.joints[2::3] if joint.nv
    }
    model = case.model.with_parameters(rotors)
    args, how = (model, case.q, case.v, case.tau), {"f_ext": case.f_ext, "t": case.t}
    equation = loop_equation(*args, **how)
    system = constraints.multibody_system(*args, **how)
    motion = system.solve()
    condition = max(np.linalg.cond(equation.matrix), np.linalg.cond(system.matrix))
    allowed = 1e-14 * condition * (1.0 + np.abs(motion.qdd).max())
    for name, found in by_all_methods(equation).items():
        assert_allclose(found.qdd, motion.qdd, atol=allowed, err_msg=name)
        assert found.r == equation.constraint.n_c and not found.indeterminate.any()
        for loop in model.loops:
            f = motion.f[loop.joint.name]
            scale = 1.0 + np.abs(f).max()
            assert_allclose(found.f[loop.joint.name], f, atol=1e-14 * condition * scale, err_msg=name)
    assert np.linalg.matrix_rank(equation.matrix) == model.nv + equation.space.r  # text after Eq 8.36
    assembled = algorithms.divide_and_conquer(*args, **how)
    assert_allclose(assembled.qdd, motion.qdd, atol=100.0 * allowed)
    bodies = SE3(model, lambda t, x, w: case.tau, lambda t, x, w: case.f_ext, reference="body")
    x, w = bodies.state(case.q, case.v)
    assert_allclose(bodies.rate(case.t, x, w).reshape(-1, 6), motion.a[1:], atol=allowed * (1 + np.abs(motion.a).max()))


@pytest.mark.source("F8.06", "F8.07", "F8.08")
@pytest.mark.parametrize("seed", range(12))
def test_joints_that_follow_and_joints_that_are_driven(seed, looped):
    """Gauss' principle, by H and C of the tree alone: of all accelerations with K a = k the one nearest to the free."""
    case = looped(seed, True)
    equation = loop_equation(*case.args[:4], f_ext=case.f_ext, t=case.t)
    H = algorithms.crba(case.model, case.q, t=case.t).H
    free = np.linalg.solve(H, case.tau - algorithms.bias_force(case.model, case.q, case.v, f_ext=case.f_ext, t=case.t))
    L = np.linalg.cholesky(H).T  # H = L^T L: the metric
    K, k = equation.constraint.K, equation.constraint.k
    nearest = free + np.linalg.solve(L, np.linalg.pinv(K @ np.linalg.inv(L)) @ (k - K @ free))
    allowed = 1e-14 * np.linalg.cond(equation.matrix) * (1.0 + np.abs(nearest).max())
    for name, found in by_all_methods(equation).items():
        assert_allclose(found.qdd, nearest, atol=allowed, err_msg=name)


def test_trees_have_no_loops_to_solve_for():
    model = random_tree(2, 7)
    q, v, tau = random_state(model, 0)
    free = algorithms.aba(model, q, v, tau).qdd
    for name, found in by_all_methods(loop_equation(model, q, v, tau)).items():
        assert_allclose(found.qdd, free, atol=1e-9 * np.abs(free).max(), err_msg=name)
        assert found.lam.shape == (0,) and found.f == {} and found.r == 0
    still = rbd.Model("still")
    still.add_body("a", inertia=rbd.Inertia.box([1, 1, 1], mass=1.0))
    still.add_loop("bolt", "world", "a", rbd.joints.Fixed())
    for found in by_all_methods(loop_equation(still, *np.zeros((3, 0)))).values():
        assert found.qdd.shape == (0,) and found.r == 0 and found.indeterminate.all()


OVERCONSTRAINED = {  # r, n_c by the sections of the book and by counts
    "four-bar": (planar_four_bar, 2, 5),
    "ball in a groove": (lambda: planar_four_bar(rbd.SphereInCylinder("y")), 2, 2),
    "Bricard": (rectangular_bricard, 4, 5),
    "Sarrus": (sarrus_linkage, 4, 5),
}


def moving(name, drop=0.0):
    """A linkage at its neutral pose with a velocity that keeps it closed; drop : how far q is off, rad and m."""
    model = OVERCONSTRAINED[name][0]()
    q = model.neutral() + drop * np.sin(np.arange(model.nq) + 1.0)
    K = loop_constraint(model, model.neutral(), np.zeros(model.nv)).K
    allowed = np.linalg.svd(K)[2][np.linalg.matrix_rank(K, 1e-9) :]
    return model, q, 2.0 * allowed[0] / np.abs(allowed[0]).max()


@pytest.mark.source("F8.02", "F8.07", "F8.09")
@pytest.mark.parametrize("name", OVERCONSTRAINED)
def test_dependent_rows(name):
    model, q, v = moving(name)
    tau = np.random.default_rng(0).normal(size=model.nv)
    equation = loop_equation(model, q, v, tau)
    _, r, n_c = OVERCONSTRAINED[name]
    assert (equation.space.r, equation.constraint.n_c) == (r, n_c)
    assert np.linalg.matrix_rank(equation.matrix) == model.nv + r
    kept = independent_rows(equation.constraint)
    assert len(kept) == r == np.linalg.matrix_rank(equation.constraint.K[list(kept)])
    motion = constraints.multibody_system(model, q, v, tau).solve()
    allowed = 1e-12 * (1.0 + np.abs(motion.qdd).max())
    found = by_all_methods(equation)
    for method, one in found.items():
        assert_allclose(one.qdd, motion.qdd, atol=allowed, err_msg=method)
        assert_allclose(one.lam, found["1"].lam, atol=1e-11, err_msg=method)  # all take the smallest
        assert_allclose(one.tau_c, found["1"].tau_c, atol=1e-11, err_msg=method)
        assert one.indeterminate.any() == (r < n_c)
        assert_allclose(one.residual, 0.0, atol=1e-12)
    z = np.random.default_rng(1).normal(size=n_c)
    other = solve_for_forces(equation, z=z)  # Eq 8.41
    assert_allclose(other.qdd, motion.qdd, atol=allowed)
    assert_allclose(other.lam[~other.indeterminate], found["1"].lam[~other.indeterminate], atol=1e-11)
    if r < n_c:
        assert np.abs(other.lam - found["1"].lam).max() > 1e-3
        with pytest.raises(StateError, match="independent; give as many"):
            solve_directly(equation, rows=range(n_c))
    assert_allclose(solve_directly(equation, rows=kept).qdd, motion.qdd, atol=allowed)


@pytest.mark.source("F8.02", "F8.09")
def test_rows_that_disagree_a_little_are_met_in_the_sense_of_least_squares():
    """A Bricard linkage that is not quite closed: the redundant row asks for something else, and K has full rank."""
    model, q, v = moving("Bricard", drop=1e-7)
    tau = np.ones(model.nv)
    equation = loop_equation(model, q, v, tau)
    assert np.linalg.matrix_rank(equation.constraint.K, tol=1e-12) == 5 and equation.space.r == 4
    residual = equation.space.residual
    assert 1e-9 < np.abs(residual).max() < 1e-5
    closed = loop_equation(*moving("Bricard"), tau)
    for one, other in zip(by_all_methods(equation).values(), by_all_methods(closed).values(), strict=True):
        assert_allclose(one.qdd, other.qdd, atol=1e-5)
        assert_allclose(one.residual, -residual, atol=1e-6)
    wrong = loop_equation(model, q, v, tau, tol=1e-12)  # taken for independent, the row decides on accelerations
    assert np.abs(solve_directly(wrong).qdd - solve_directly(closed).qdd).max() > 1e-2


@pytest.mark.source("F8.02")
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_the_rank_does_not_depend_on_the_unit_of_length(size):
    """A four-bar of a millimetre, of a metre, of a kilometre, each open by a thousandth of its size."""
    model = planar_four_bar(crank=0.2 * size, coupler=0.5 * size, base=0.4 * size)
    q = model.neutral() + [1e-3, 0.0, 0.0]
    space = row_space(loop_constraint(model, q, np.zeros(3), Baumgarte.of_time(0.1)))
    assert space.r == 2 and space.redundancy == 3
    assert space.singular_values[1] > 0.2 * space.singular_values[0]
    np.testing.assert_array_equal(space.indeterminate, [True, True, False, True, False])


@pytest.mark.source("F8.05", "F8.10")
@pytest.mark.parametrize("seed", range(8))
def test_active_forces_of_loop_joints(seed, looped):
    """Against the same forces given as external ones on both bodies; C' by one pass and by loop Jacobians."""
    case = looped(seed, seed % 2 == 1)
    rng = np.random.default_rng(seed)
    efforts = {loop.joint.name: rng.normal(size=loop.joint.nv) for loop in case.model.loops}
    equation = loop_equation(*case.args[:4], f_ext=case.f_ext, t=case.t, tau_loop=efforts)
    tau_a = algorithms.loops.active_force(case.model, case.q, efforts, t=case.t)
    plain = loop_equation(*case.args[:4], f_ext=case.f_ext, t=case.t)
    scale = 1e-12 * (1.0 + np.abs(plain.C_).max() + np.abs(tau_a).max())
    assert_allclose(equation.C_, plain.C_ - tau_a, atol=scale)
    assert_allclose(plain.C_, algorithms.bias_force(case.model, case.q, case.v, f_ext=case.f_ext, t=case.t), atol=scale)
    poses = algorithms.forward_kinematics(case.model, case.q, t=case.t).poses
    pairs = case.f_ext.copy()
    for k, loop in enumerate(case.model.loops):
        on_s = equation.constraint.T_a[k] @ efforts[loop.joint.name]
        in_world = np.linalg.inv(rbd.spatial.se3.adjoint(poses[loop.successor])).T @ on_s
        pairs[loop.successor] += in_world
        pairs[loop.predecessor] -= in_world
    pushed = loop_equation(*case.args[:4], f_ext=pairs, t=case.t)
    allowed = 1e-13 * np.linalg.cond(equation.matrix)
    one, other = solve_directly(equation), solve_directly(pushed)
    assert_allclose(one.qdd, other.qdd, atol=allowed * (1.0 + np.abs(one.qdd).max()))
    for k, name in enumerate(equation.constraint.names):
        active = equation.constraint.T_a[k] @ efforts[name]
        f = other.f[name] + active
        assert_allclose(one.f[name], f, atol=allowed * (1.0 + np.abs(f).max()))
        # what of it works along the joint's freedoms is tau_k
        assert_allclose(equation.constraint.S[k].T @ one.f[name], efforts[name], atol=allowed * (1 + np.abs(f).max()))


@pytest.mark.source("F8.05")
def test_power_of_an_active_loop_joint():
    """A motor in the pin of a four-bar: its torque times the rate of its angle is what energies gain."""
    model, q, v = moving("four-bar")
    equation = loop_equation(model, q, v, np.zeros(3), tau_loop={"pin": [0.7]})
    a = solve_directly(equation).qdd
    rate = (np.array([-1.0, -1.0, 1.0]) @ v) * 0.7  # the pin turns from coupler to rocker
    h = 1e-6
    ahead, back = (algorithms.energy(model, q + s * h * v, v + s * h * a).total for s in (1, -1))
    assert_allclose((ahead - back) / (2 * h), rate, rtol=1e-7)


def test_refusals():
    model, q, v = moving("four-bar")
    with pytest.raises(ModelError, match="loop joint 'pinn'"):
        loop_equation(model, q, v, np.zeros(3), tau_loop={"pinn": [1.0]})
    with pytest.raises(StateError, match=r"active force \[1.0, 2.0\] of loop joint 'pin'"):
        loop_equation(model, q, v, np.zeros(3), tau_loop={"pin": [1.0, 2.0]})
    light = rbd.Model("light")
    for name, parent in (("a", "world"), ("b", "a"), ("c", "b"), ("d", "c")):
        light.add_body(name, parent, rbd.Revolute("y"), [1.0, 0.0, 0.0])
    light.add_loop("pin", "d", "world", rbd.Revolute("y"), [1.0, 0.0, 0.0], [5.0, 0.0, 0.0])
    equation = loop_equation(light, light.neutral(), np.zeros(4), np.zeros(4))
    for method in (solve_directly, solve_for_independents):
        with pytest.raises(ModelError, match="the loops of model 'light' allow moves nothing with inertia"):
            method(equation)
    with pytest.raises(ModelError, match="positive definite"):
        solve_for_forces(equation)


@pytest.mark.source("F8.03")
def test_errors_fade_as_in_a_damper():
    """gap'' = -2 alpha gap' - beta^2 gap, by differences along the motion that is found, slow as it is."""
    model, q, v = moving("ball in a groove")
    q, v = q + [1e-4, -2e-4, 1e-4], np.array([1e-3, 2e-3, -1e-3])
    equation = loop_equation(model, q, v, np.zeros(3), stabilization=Baumgarte(5.0, 7.0))
    a = solve_for_independents(equation).motion.qdd
    h = 1e-4
    gaps = [loop_constraint(model, q + s * h * v + 0.5 * (s * h) ** 2 * a, v).delta for s in (-1, 0, 1)]
    second = (gaps[2] - 2.0 * gaps[1] + gaps[0]) / h**2
    expected = -10.0 * equation.constraint.delta_dot - 49.0 * equation.constraint.delta
    assert_allclose(second, expected, atol=1e-5)


def slider(L, M):
    """A slider-crank of length L and mass M, and its coordinates."""
    model = rbd.Model("slider-crank", gravity=(0.0, 0.0, -9.81 * L))
    rod = rbd.Inertia(M, (0.3 * L, 0.0, 0.0), M * L**2 * np.diag([0.01, 0.1, 0.1]))
    model.add_body("crank", joint=rbd.Revolute("y"), inertia=rod)
    model.add_body("rod", "crank", rbd.Revolute("y"), (0.3 * L, 0.0, 0.0), rod)
    model.add_body("slide", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0 * M))
    model.add_loop("pin", "rod", "slide", rbd.Revolute("y"), (0.9 * L, 0.0, 0.0))
    rod_angle = -np.arcsin(np.sin(0.7) / 3.0)
    return model, np.array([0.7, rod_angle - 0.7, (0.3 * np.cos(0.7) + 0.9 * np.cos(rod_angle)) * L])


@pytest.mark.parametrize(("L", "M"), [(1e-6, 1e-18), (1e-3, 1e-3), (1e3, 1e6), (1.0, 1e-12), (1e-6, 1e6)])
def test_units_are_not_taken_for_bad_conditions(L, M):
    """SciPy warned of micrometres, with 1e-32 for what is 1e-2: accelerations are those in metres, in other units."""

    def found(L, M):
        model, q = slider(L, M)
        equation = loop_equation(model, q, np.zeros(3), np.array([0.3, 0.0, 0.0]) * M * L**2)
        return solve_directly(equation).qdd / [1.0, 1.0, L]

    np.testing.assert_allclose(found(L, M), found(1.0, 1.0), rtol=1e-14)  # scales are no powers of two
