"""K, k and the loop errors against differences along motions of the tree."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.loops import Baumgarte, find_loop, loop_constraint, loop_jacobian, loop_path, position_error
from rbdkit.errors import ModelError, SimulationError
from rbdkit.joints import Prescribed
from rbdkit.spatial import plucker

CASES = [(seed, special) for seed in range(12) for special in (False, True)]


@pytest.fixture(params=CASES, ids=str)
def case(request, looped):
    return looped(*request.param)


@pytest.mark.source("F8.01", "F8.04", "F8.11")
def test_K_is_the_derivative_of_the_position_error(case):
    """By differences of kinematics and of the pose that the joint comes nearest to; T moves nothing at delta = 0."""
    found = loop_constraint(case.model, case.q, case.v, t=case.t)
    assert_allclose(found.delta, 0.0, atol=1e-12)
    h = 1e-5
    for j, e in enumerate(np.eye(case.model.nv)):
        slope = [case.gaps(case.model.integrate(case.q, s * h * e), case.t) for s in (1, -1)]
        scale = 1.0 + np.abs(found.K[:, j]).max()
        assert_allclose((slope[0] - slope[1]) / (2 * h), found.K[:, j], atol=1e-8 * scale)


@pytest.mark.source("F8.01", "F8.03", "F8.11")
def test_velocity_error_is_the_rate_of_the_position_error(case, extrapolated):
    """For velocities that open the loops; driven joints move at the same time."""
    v = case.v + np.random.default_rng(1).normal(size=case.model.nv)
    found = loop_constraint(case.model, case.q, v, t=case.t)

    def quotient(h):
        there = [case.gaps(case.model.integrate(case.q, s * h * v), case.t + s * h) for s in (1, -1)]
        return (there[0] - there[1]) / (2 * h)

    scale = 1.0 + np.abs(found.delta_dot).max()
    assert_allclose(extrapolated(quotient, 1e-3), found.delta_dot, rtol=0, atol=1e-8 * scale)


@pytest.mark.source("F8.01", "F8.11")
def test_k_keeps_loops_closed(case, extrapolated):
    """Along q + v s + a s^2 / 2 with K a = k the gaps grow with the third power of s."""
    found = loop_constraint(case.model, case.q, case.v, t=case.t)
    assert_allclose(found.delta_dot, 0.0, atol=1e-11)
    a = np.linalg.lstsq(found.K, found.k, rcond=None)[0]
    a += (np.eye(len(a)) - np.linalg.pinv(found.K) @ found.K) @ np.random.default_rng(2).normal(size=len(a))

    def quotient(h):
        gaps = [case.gaps(case.moved(a, s * h), case.t + s * h) for s in (-1, 0, 1)]
        return (gaps[2] - 2 * gaps[1] + gaps[0]) / h**2

    scale = 1.0 + np.abs(a).max() + np.abs(case.v).max() ** 2
    assert_allclose(extrapolated(quotient, 3e-3), 0.0, atol=1e-5 * scale)


@pytest.mark.source("F8.01")
def test_K_is_T_times_the_loop_jacobian(case):
    """Eqs 8.17, 8.18 along the path of the loop, against the climb of Table 8.4; and J_L against body Jacobians."""
    model = case.model
    found = loop_constraint(model, case.q, case.v, t=case.t)
    ends = case.model.with_parameters({})
    for k, loop in enumerate(model.loops):
        J_L = loop_jacobian(model, case.q, loop.joint.name, t=case.t)
        to_body = plucker.inverse(plucker.from_pose(loop.successor_placement))
        assert_allclose(found.T[k].T @ to_body @ J_L, found.K[found.rows[k]], atol=1e-12 * (1 + np.abs(found.K).max()))
        ends.add_frame(f"end {k}", model.bodies[loop.successor], loop.successor_placement)
        J_s = algorithms.jacobian(ends, case.q, f"end {k}", "world", t=case.t)
        J_p = algorithms.jacobian(ends, case.q, model.bodies[loop.predecessor].name, "world", t=case.t)
        pose = algorithms.forward_kinematics(ends, case.q, t=case.t).pose(f"end {k}")
        assert_allclose(J_L, plucker.from_pose(pose) @ (J_s - J_p), atol=1e-12 * (1 + np.abs(J_L).max()))
        assert_allclose(found.T[k].T @ found.S[k], 0.0, atol=1e-13)


@pytest.mark.source("F8.11")
@pytest.mark.parametrize("coordinates", ["b1", "b4"])
def test_coordinates_do_not_matter(case, coordinates):
    at = case.model, case.q, case.v, Baumgarte.of_time(0.2)
    world, body = loop_constraint(*at, t=case.t), loop_constraint(*at, coordinates, t=case.t)
    for name in ("K", "k", "k_stab", "delta"):
        here, there = getattr(world, name), getattr(body, name)
        assert_allclose(there, here, atol=1e-11 * (1.0 + np.abs(here).max()))


@pytest.mark.source("F8.11")
def test_far_from_the_base_its_coordinates_lose_digits():
    """A four-bar linkage on board of a craft: 1e6 m away the loop is known to 1e-9 m, in the craft's own to 1e-16."""

    def flying(distance):
        model = rbd.Model("craft", gravity=(0, 0, 0))
        model.add_body("hull", joint=rbd.Free(), inertia=rbd.Inertia.box([1, 1, 1], mass=10.0))
        for name, parent, at, com in (
            ("crank", "hull", [0, 0, 0.5], [0, 0, 0.1]), ("coupler", "crank", [0, 0, 0.2], [0.2, 0, 0]),
            ("rocker", "hull", [0.4, 0, 0.5], [0, 0, 0.1]),
        ):  # fmt: skip
            model.add_body(name, parent, rbd.Revolute("y"), at, rbd.Inertia(0.3, com=com))
        model.add_loop("pin", "coupler", "rocker", rbd.Revolute("y"), [0.4, 0, 0], [0, 0, 0.2])
        q = model.neutral()
        q[4:7] = distance
        q[:4] = rbd.spatial.quaternion.exp(np.array([0.3, -0.5, 0.2]))
        return model, q, np.array([0.2, 0.1, -0.3, 1.0, 2.0, -1.0, 3.0, -3.0, 3.0])

    near = loop_constraint(*flying(0.0), coordinates="hull")
    for coordinates, lower, upper in (("world", 1e-12, 1e-6), ("hull", 0.0, 1e-14)):
        far = loop_constraint(*flying(1e6), coordinates=coordinates)
        off = np.abs(far.delta - near.delta).max()
        assert lower <= off < upper


@pytest.mark.source("F8.03")
def test_stabilization(case):
    """k_stab = -2 alpha delta_dot - beta^2 delta, so that errors obey the equation of a damper."""
    v = case.v + np.random.default_rng(3).normal(size=case.model.nv)
    off = loop_constraint(case.model, case.model.integrate(case.q, 0.01 * v), v, Baumgarte(3.0, 5.0), t=case.t)
    assert_allclose(off.k_stab, -6.0 * off.delta_dot - 25.0 * off.delta, rtol=1e-14, atol=1e-15)
    assert np.abs(off.delta).max() > 1e-8
    bare = loop_constraint(case.model, case.q, v, t=case.t)
    assert not bare.k_stab.any()


@pytest.mark.source("F8.03")
def test_time_constants():
    assert Baumgarte.of_time(0.125).factors == (16.0, 64.0)
    assert Baumgarte.of_snapshots(25.0) == Baumgarte.of_time(0.04)
    for wrong in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(SimulationError, match="positive and finite"):
            Baumgarte.of_time(wrong)
        with pytest.raises(SimulationError, match="positive and finite"):
            Baumgarte.of_snapshots(wrong)


@pytest.mark.source("F8.04")
def test_position_errors_by_formula():
    """Table 8.1 and its supplements against the general logarithm: the difference falls with the square."""
    from scipy.linalg import expm

    rng, kinds = np.random.default_rng(0), set()
    for seed in range(4):
        own = np.random.default_rng(seed)
        drive = Prescribed(rbd.Helical("y", 0.2), lambda t: (t, 1.0, 0.0))
        for kind in (*rbd.library.joint_gallery(own), *rbd.library.uncommon_joints(own), rbd.Helical("z", 0.0), drive):
            q, d = kind.random(rng), rng.normal(size=6)
            if kind.kind == "universal":
                q[0] *= 0.4
            gaps = []
            for size in (1e-3, 1e-5):
                X = expm(-size * rbd.spatial.cross.crm(d)) @ kind.transform(q, 0.7)
                gaps.append(np.abs(position_error(kind, X, t=0.7) - kind.calc_loop(X, 0.7)[0]).max(initial=0.0))
            assert gaps[0] < 3e-5 and gaps[1] < 3e-9, (kind, gaps)
            assert_allclose(position_error(kind, kind.transform(q, 0.7), t=0.7), 0.0, atol=1e-13)
            kinds.add(kind.kind)
    assert kinds >= {"fixed", "helical", "planar", "universal", "rack_and_pinion", "sphere_in_cylinder", "prescribed"}


def test_loops_by_name():
    model = rbd.library.planar_four_bar()
    assert find_loop(model, "pin") == 0
    assert loop_path(model, model.loops[0]) == {1: -1, 2: -1, 3: 1}
    with pytest.raises(ModelError, match=r"loop joint 'pinn' is not in model .* did you mean 'pin'"):
        loop_jacobian(model, model.neutral(), "pinn")


def test_a_joint_from_a_body_to_itself_demands_nothing_of_the_tree():
    model = rbd.library.planar_four_bar()
    model.add_loop("itself", "crank", "crank", rbd.Revolute("y"))
    found = loop_constraint(model, model.neutral(), np.ones(3))
    assert found.names == ("pin", "itself") and found.rows == (slice(0, 5), slice(5, 10))
    assert not found.K[5:].any() and not found.k[5:].any() and not found.delta[5:].any()
