"""What the two algorithms of forward dynamics lose, against a reference of many digits; and the reference itself."""

import mpmath
import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.accuracy import boost_errors, chain_errors, exact_acceleration, forward_dynamics_error, unlike_errors
from rbdkit.accuracy.conditioning import growth
from rbdkit.algorithms import aba
from rbdkit.errors import ModelError
from rbdkit.library import (
    general_unbranched,
    pendulum,
    planar_four_bar,
    random_state,
    random_tree,
    rod_tree,
    unlike_spheres,
)
from rbdkit.spatial.inertia import Inertia

EPS = np.finfo(float).eps


def mpmath_acceleration(model, q, qd, tau):
    """H = sum J^T I J and C by the motion of each body (Eqs 6.10 and 5.9 projected), in mpmath matrices."""
    mp, n = mpmath.matrix, model.nv

    def cross(v):
        w1, w2, w3, u1, u2, u3 = v
        return mp([
            [0, -w3, w2, 0, 0, 0], [w3, 0, -w1, 0, 0, 0], [-w2, w1, 0, 0, 0, 0],
            [0, -u3, u2, 0, -w3, w2], [u3, 0, -u1, w3, 0, -w1], [-u2, u1, 0, -w2, w1, 0],
        ])  # fmt: skip

    J = {0: mpmath.zeros(6, n)}
    v, a = {0: mpmath.zeros(6, 1)}, {0: mp([0, 0, 0, *(-model.gravity).tolist()])}
    H, C = mpmath.zeros(n, n), mpmath.zeros(n, 1)
    for i in model.outward:
        joint, p = model.joints[i], model.parent[i]
        X_J, S, v_J, c_J = joint.calc(q, qd)
        X = mp(X_J.tolist()) * mp(joint.X_tree.tolist())
        J[i] = X * J[p]
        for k in range(joint.nv):
            for row in range(6):
                J[i][row, joint.v_slice.start + k] += float(S[row, k])
        v_J, c_J = mp(v_J.tolist()), mp(c_J.tolist())
        v[i] = X * v[p] + v_J
        a[i] = X * a[p] + c_J + cross(v[i]) * v_J
        I = mp(model.I[i].tolist())
        H += J[i].T * I * J[i]
        C += J[i].T * (I * a[i] - cross(v[i]).T * (I * v[i]))
    for joint in model.joints[1:]:
        for k in range(joint.nv):
            H[joint.v_slice.start + k, joint.v_slice.start + k] += float(joint.armature[k])
    return np.array([float(x) for x in mpmath.lu_solve(H, mp(tau.tolist()) - C)])


@pytest.mark.source("F10.01", "F10.02")
@pytest.mark.parametrize("seed", range(3))
def test_the_reference_against_mpmath_on_trees_of_all_joints(seed):
    model = random_tree(seed, bodies=9)
    state = random_state(model, seed)
    with mpmath.workdps(40):
        expected = mpmath_acceleration(model, *state)
    assert exact_acceleration(model, *state) == pytest.approx(expected, rel=1e-15, abs=1e-15 * np.abs(expected).max())


def test_more_digits_change_nothing():
    model = random_tree(5, bodies=12)
    state = random_state(model, 5)
    assert np.array_equal(exact_acceleration(model, *state), exact_acceleration(model, *state, digits=80))


def test_the_reference_knows_rotors_and_refuses_what_it_does_not_know():
    geared = rbd.Model("geared", gravity=(0.0, 0.0, 0.0))
    geared.add_body("a", joint=rbd.Revolute("z"), inertia=Inertia(1.0, inertia_com=np.eye(3)), armature=3.0)
    assert exact_acceleration(geared, np.zeros(1), np.zeros(1), np.ones(1)) == pytest.approx([0.25], rel=1e-15)
    with pytest.raises(ModelError, match="up to 17"):
        exact_acceleration(geared, np.zeros(1), np.zeros(1), np.ones(1), digits=12)
    four_bar = planar_four_bar()
    with pytest.raises(ModelError, match="needs a tree"):
        exact_acceleration(four_bar, four_bar.neutral(), np.zeros(four_bar.nv), np.zeros(four_bar.nv))


def test_mimic_joints_are_refused():
    model = rbd.Model("mimic")
    for name, kind in (("a", None), ("b", rbd.Mimic("a_joint", 2.0))):
        model.add_body(name, joint=rbd.Revolute("z"), inertia=Inertia.box([0.1, 0.2, 0.3], mass=1.0), mimic=kind)
    with pytest.raises(ModelError, match="mimic"):
        exact_acceleration(model, np.zeros(1), np.zeros(1), np.zeros(1))


@pytest.mark.source("F10.02")
def test_both_algorithms_stay_accurate_on_long_chains_and_aba_more_so():
    lengths = [4, 8, 16, 32, 48]
    errors = chain_errors(lengths)
    assert np.all(errors.aba < 1e-13) and np.all(errors.crba < 1e-11)
    assert np.all(errors.aba[2:] < 0.5 * errors.crba[2:])
    assert growth(lengths, errors.crba) > growth(lengths, errors.aba) + 0.5


@pytest.mark.source("F10.02")
def test_on_straight_chains_of_rods_neither_is_better():
    """An ill-conditioned problem costs both the same: the difference of the algorithms is not the condition of H."""
    chain = rod_tree(range(24))
    q = np.concatenate([[0.4], np.zeros(23)])
    tau = rbd.rnea(chain, q, np.zeros(24), np.ones(24))
    error = forward_dynamics_error(chain, q, np.zeros(24), tau)
    assert error.aba > 1e-13 and error.crba > 1e-13
    assert 0.05 < error.aba / error.crba < 20.0


@pytest.mark.source("F10.02")
def test_ten_times_larger_is_a_thousand_times_heavier_and_a_hundred_thousand_times_as_inert():
    small, large = (Inertia.sphere(r, density=1000.0) for r in (0.1, 1.0))
    assert large.mass / small.mass == pytest.approx(1e3, rel=1e-14)
    assert large.inertia_com[0, 0] / small.inertia_com[0, 0] == pytest.approx(1e5, rel=1e-14)
    spheres = unlike_spheres(10.0)
    masses = sorted(body.inertia.mass for body in spheres.bodies[1:])
    assert masses[1] / masses[0] == pytest.approx(1e3, rel=1e-14)


@pytest.mark.source("F10.02")
def test_a_light_root_under_a_heavy_body_loses_digits_with_every_scale():
    """With the ratio of the inertias, the fifth power of that of the radii; the other way round with two powers.

    The two systems are the same spheres, hinge and motions.
    """
    scales = np.array([10.0, 30.0, 100.0, 300.0])
    light, heavy = unlike_errors(scales, heavy_base=False), unlike_errors(scales, heavy_base=True)
    for found in (light.aba, light.crba):
        assert growth(scales, found) == pytest.approx(5.0, abs=0.8)
        assert found[-1] > 1e-7
    for found in (heavy.aba, heavy.crba):
        assert np.all(found < EPS * scales**2)


@pytest.mark.source("F10.02")
def test_speed_of_the_whole_costs_digits_of_the_relative_motion():
    model = unlike_spheres(1.5)
    speeds = np.geomspace(100.0, 1e5, 5)
    errors = boost_errors(model, [0.0, *speeds])
    for found in (errors.aba, errors.crba):
        assert found[0] < 1e-14  # seen by somebody who flies along
        assert growth(speeds, found[1:]) == pytest.approx(2.0, abs=0.5)
        assert found[-1] > 1e-8


def test_a_uniform_motion_does_not_change_the_exact_accelerations():
    """Galilei: what `boost_errors` measures is round-off, nothing else."""
    model = unlike_spheres(1.5)
    q, qd, tau = random_state(model, 3)
    boost = np.concatenate([np.zeros(3), [40.0, -70.0, 10.0], [0.0]])
    still, moving = (exact_acceleration(model, q, v, tau) for v in (qd, qd + boost))
    assert moving[6:] == pytest.approx(still[6:], rel=1e-12)  # qd + boost is rounded
    assert aba(model, q, qd, tau).qdd == pytest.approx(still, rel=1e-12)


def test_boosts_are_for_models_that_float():
    for model in (pendulum(), rbd.Model("empty")):
        with pytest.raises(ModelError, match="does not float"):
            boost_errors(model, [1.0])


def test_errors_of_single_states_are_relative():
    model = general_unbranched(5)
    q, qd, tau = random_state(model, 2)
    error = forward_dynamics_error(model, q, qd, tau)
    exact = exact_acceleration(model, q, qd, tau)
    found = np.abs(aba(model, q, qd, tau).qdd - exact).max() / np.abs(exact).max()
    assert error.aba == found
