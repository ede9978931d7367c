"""Identification: a known arm recovered from its own forces, with noise, friction and a wrong first guess."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.identification import exciting_motion
from rbdkit.identification.consistent import _moments, _slopes, pseudo_inertia, ten_parameters


def changed(model, rng):
    """The model with other inertias, which bodies can have."""
    values = {}
    for body in model.bodies[1:]:
        inertia = body.inertia
        values |= {
            f"{body.name}.mass": inertia.mass * rng.uniform(0.5, 2.0),
            f"{body.name}.com": inertia.com + 0.03 * rng.normal(size=3),
            f"{body.name}.inertia": inertia.inertia_com * rng.uniform(0.5, 2.0),
        }
    return model.with_parameters(values)


@pytest.mark.robots
def test_an_arm_is_recovered_without_noise():
    """Other parameters than the true ones fit as well; the motions that they give must be the true ones."""
    true = rbd.load(rbd.library.robot_file("ur5_robot"))
    guess = changed(true, np.random.default_rng(1))
    q, v, a = exciting_motion(true, tries=30)(np.linspace(0.0, 10.0, 200))
    found = rbd.identify(guess, q, v, a, rbd.rnea(true, q, v, a), friction=False)
    rng = np.random.default_rng(2)
    q, v, tau = rng.uniform(-3, 3, size=(20, 6)), rng.normal(size=(20, 6)), rng.normal(size=(20, 6))
    expected = rbd.aba(true, q, v, tau)
    wrong = np.abs(rbd.aba(guess, q, v, tau) - expected).max()
    # the given inertias have a weight of 1e-3 against forces that are exact to their round-off
    assert np.abs(rbd.aba(found.model, q, v, tau) - expected).max() < 1e-5 * wrong
    for body in found.model.bodies[1:]:
        moments = np.linalg.eigvalsh(pseudo_inertia(body.inertia.ten_parameters))
        assert moments[0] > -1e-14 * moments[-1]  # flat bodies exist, too
    assert not [finding for finding in found.model.validate() if finding.severity == "error"]


@pytest.mark.robots
def test_noise_gives_errors_of_the_size_that_is_told():
    true = rbd.load(rbd.library.robot_file("ur5_robot"))
    losses = {f"{j.name}.{kind}": x for j in true.joints if j.nv for kind, x in (("damping", 2.0), ("friction", 1.5))}
    true = true.with_parameters(losses)
    guess = changed(true, np.random.default_rng(1)).with_parameters(dict.fromkeys(losses, 0.0))
    q, v, a = exciting_motion(true, tries=30)(np.linspace(0.0, 10.0, 600))
    tau = rbd.rnea(true, q, v, a) - rbd.passive_force(true, q, v)
    noise = np.array([0.5, 0.5, 0.3, 0.1, 0.1, 0.05])
    rng = np.random.default_rng(3)
    exact = rbd.identify(guess, q, v, a, tau)
    found = rbd.identify(guess, q, v, a, tau + noise * rng.normal(size=tau.shape))
    assert found.names == exact.names
    away = (found.values - exact.values) / found.std
    assert np.abs(away).max() < 4.5 and 0.6 < np.sqrt(np.mean(away**2)) < 1.5  # some fifty standard normal numbers
    np.testing.assert_allclose(found.noise, noise, rtol=0.15)
    for joint in found.model.joints[1:]:
        if joint.nv:
            assert joint.damping[0] == pytest.approx(2.0, abs=0.5) and joint.friction[0] == pytest.approx(1.5, abs=0.4)
    # prediction of other motions, which were not measured
    other = exciting_motion(true, tries=2, seed=5)(np.linspace(0.0, 10.0, 100))
    predicted = rbd.rnea(found.model, *other) - rbd.passive_force(found.model, *other[:2])
    true_tau = rbd.rnea(true, *other) - rbd.passive_force(true, *other[:2])
    assert (np.sqrt(np.mean((predicted - true_tau) ** 2, axis=0)) < noise).all()


def test_base_parameters_of_a_pendulum_are_those_of_the_textbook():
    """Of a pendulum about y: the inertia about y, and the first moments in its plane."""
    model = rbd.library.pendulum()
    q, v, a = np.random.default_rng(4).normal(size=(3, 40, 1))
    found = rbd.identify(model, q, v, a, rbd.rnea(model, q, v, a), friction=False)
    inertia = model.bodies[1].inertia.ten_parameters
    assert {name.split(" ")[0] for name in found.names} == {"rod.Iyy", "rod.mx", "rod.mz"}
    known = dict(zip(found.names, found.values, strict=True))
    assert known["rod.Iyy"] == pytest.approx(inertia[7], rel=1e-10)
    assert known["rod.mz"] == pytest.approx(inertia[3], rel=1e-10)


def test_thin_rods_are_at_the_edge_of_what_exists():
    true = rbd.library.double_pendulum()
    guess = true.with_parameters({"rod1.mass": 2.0, "rod2.mass": 3.0})
    q, v, a = np.random.default_rng(0).normal(size=(3, 50, 2))
    found = rbd.identify(guess, q, v, a, rbd.rnea(true, q, v, a), friction=False)
    np.testing.assert_allclose(rbd.crba(found.model, [0.3, 0.5]), rbd.crba(true, [0.3, 0.5]), rtol=1e-7)


def test_forces_of_bodies_that_cannot_exist_are_told():
    """As measured with a sign that is wrong."""
    model = rbd.library.double_pendulum()
    q, v, a = np.random.default_rng(0).normal(size=(3, 50, 2))
    with pytest.warns(match="signs, units"):
        rbd.identify(model, q, v, a, -rbd.rnea(model, q, v, a), friction=False)


def test_second_moments_and_parameters_are_one():
    rng = np.random.default_rng(5)
    given = np.array([rbd.Inertia.box(rng.uniform(0.1, 1, 3), mass=2.0).transformed(
        rbd.pose(position=rng.normal(size=3))).ten_parameters for _ in range(5)])  # fmt: skip
    np.testing.assert_allclose(ten_parameters(pseudo_inertia(given)), given, rtol=0, atol=1e-12)
    # the moments of points of mass, summed by hand
    points, masses = rng.normal(size=(50, 3)), rng.uniform(0.1, 1.0, 50)
    J = pseudo_inertia(sum(rbd.Inertia(m, com=p).ten_parameters for p, m in zip(points, masses, strict=True)))
    ones = np.hstack([points, np.ones((50, 1))])
    np.testing.assert_allclose(J, (masses[:, None] * ones).T @ ones, rtol=0, atol=1e-11)


def test_slopes_of_factors_are_those_of_differences():
    x = np.random.default_rng(6).normal(size=(2, 10))
    slopes, h = _slopes(x), 1e-6
    for k in range(10):
        there, back = x.copy(), x.copy()
        there[:, k] += h
        back[:, k] -= h
        expected = (ten_parameters(_moments(there)) - ten_parameters(_moments(back))) / (2 * h)
        np.testing.assert_allclose(slopes[:, :, k], expected, rtol=0, atol=1e-8)


def test_motions_keep_limits_and_have_their_own_rates():
    model = rbd.Model("arm")
    limits = rbd.Limits(-0.5, 1.0, velocity=0.7)
    model.add_body("arm", joint=rbd.Revolute("y"), inertia=rbd.Inertia(1.0, com=[0, 0, 0.5]), limits=limits)
    motion = exciting_motion(model, 4.0, tries=5)
    t = np.linspace(0.0, 4.0, 4001)
    q, v, a = motion(t)
    assert q.min() >= -0.5 and q.max() <= 1.0 and np.abs(v).max() <= 0.7 * (1 + 1e-3)
    np.testing.assert_allclose(np.gradient(q[:, 0], t)[1:-1], v[1:-1, 0], atol=1e-4)
    np.testing.assert_allclose(np.gradient(v[:, 0], t)[1:-1], a[1:-1, 0], atol=1e-3)


def test_a_motion_keeps_the_one_limit_of_a_joint():
    model = rbd.Model("arm")
    rod = rbd.Inertia(1.0, com=[0, 0, 0.5])
    model.add_body("arm", joint=rbd.Revolute("y"), inertia=rod, limits=rbd.Limits(lower=0.2, velocity=50.0))
    model.add_body("hand", "arm", rbd.Revolute("x"), (0, 0, 1), rod, limits=rbd.Limits(upper=-0.1, velocity=50.0))
    q, _, _ = exciting_motion(model, 4.0, tries=5)(np.linspace(0.0, 4.0, 4001))
    assert q[:, 0].min() >= 0.2 and q[:, 1].max() <= -0.1


def test_what_no_motion_is_found_for_is_refused():
    still, held, driven = rbd.Model("still"), rbd.Model("held"), rbd.Model("driven")
    for model in (still, held, driven):
        model.add_body("cart", joint=None if model is still else rbd.Prismatic("x"), inertia=rbd.Inertia(1.0))
    held.add_constraint("stop", rbd.Limit("cart_joint", -1.0, 1.0))
    driven.add_body("arm", "cart", rbd.Prescribed(rbd.Revolute("y"), lambda t: (t, 1.0, 0.0)), inertia=rbd.Inertia(1.0))
    for model in (still, held, driven):
        with pytest.raises(rbd.ModelError, match=f"'{model.name}'"):
            exciting_motion(model)


def test_joints_without_any_range_rest_and_no_motion_at_all_is_refused():
    model = rbd.Model("arm")
    rod = rbd.Inertia.box((0.1, 0.2, 1.0), mass=1.0).transformed(rbd.pose(position=(0.1, 0, -0.5)))
    fixed, free = rbd.Limits(lower=0.3, upper=0.3), rbd.Limits(lower=-1.0, upper=1.0)
    model.add_body("upper", joint=rbd.Revolute("x"), inertia=rod, limits=fixed)
    with pytest.raises(rbd.ModelError, match="no joint of model 'arm' can move"):
        exciting_motion(model)
    model.add_body("lower", "upper", rbd.Revolute("y"), placement=(0, 0, -1), inertia=rod, limits=free)
    q, v, _ = exciting_motion(model, tries=20)(np.linspace(0.0, 10.0, 50))
    assert (q[:, 0] == 0.3).all() and np.ptp(q[:, 1]) > 0.2 and np.abs(v[:, 0]).max() < 1e-12


def test_states_with_contacts_are_told():
    model = rbd.Model("arm")
    rod = rbd.Inertia.capsule(0.05, 0.9, mass=1.0).transformed(rbd.pose(position=(0, 0, -0.5)))
    shape = rbd.Geometry(rbd.Capsule(0.05, 0.9), placement=rbd.pose(position=(0, 0, -0.5)))
    model.add_body("arm", joint=rbd.Revolute("y"), inertia=rod, geometry=shape)
    model.add_ground(height=-0.8)
    q, v, a = np.random.default_rng(0).normal(size=(3, 40, 1))
    tau = rbd.rnea(model, q, v, a)
    deep = np.cos(q[:, 0]) > 0.0
    with pytest.warns(UserWarning, match=r"bodies of model 'arm' touch in \d+ of 40 measured states"):
        rbd.identify(model, q, v, a, tau, friction=False)
    q[deep] += np.pi
    rbd.identify(model, q, v, a, rbd.rnea(model, q, v, a), friction=False)  # no warning, which would be an error


def test_bodies_without_inertia_have_none():
    model = rbd.Model("arm")
    model.add_body("arm", joint=rbd.Revolute("y"), inertia=rbd.Inertia(1.0, com=[0, 0, 0.5]))
    model.add_body("tool", "arm", placement=(0, 0, 1.0))
    q, v, a = np.random.default_rng(0).normal(size=(3, 50, 1))
    guess = model.with_parameters({"arm.mass": 2.0})
    found = rbd.identify(guess, q, v, a, rbd.rnea(model, q, v, a), friction=False)
    assert found.model.body("tool").inertia is None and not any("tool" in name for name in found.names)
    np.testing.assert_allclose(rbd.crba(found.model, [0.0]), rbd.crba(model, [0.0]), rtol=1e-4)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"q": np.zeros((3, 2)), "v": np.zeros((4, 2))}, "measurements are"),
        ({"q": np.zeros(2), "v": np.zeros(2), "a": np.zeros(2), "tau": np.zeros(2)}, "measurements are"),
        ({"q": np.zeros((1, 2)), "v": np.ones((1, 2)), "a": np.ones((1, 2)), "tau": np.ones((1, 2))}, "too few"),
        ({"friction": "dry"}, "friction"),
        ({"prior": 0.0}, "positive"),
        ({"model": rbd.library.planar_four_bar()}, "loops"),
    ],
)
def test_odd_arguments_are_refused(change, says):
    rng = np.random.default_rng(6)
    given = dict(zip(("q", "v", "a", "tau"), rng.normal(size=(4, 30, 2)), strict=True))
    with pytest.raises(rbd.RbdkitError, match=says):
        rbd.identify(**{"model": rbd.library.double_pendulum(), **given, **change})


def test_losses_that_are_zero_are_found_among_noise():
    """A frictionless arm, guessed masses off by a half: bodies that exist explain it, and nothing overflows."""
    true = rbd.library.double_pendulum()
    for seed in range(3):
        rng = np.random.default_rng(seed)
        guess = true.with_parameters({"rod1.mass": 1.5, "rod2.mass": 0.6})
        q, v, a = rng.normal(size=(3, 30, 2))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = rbd.identify(guess, q, v, a, rbd.rnea(true, q, v, a) + 0.1 * rng.normal(size=(30, 2)))
        assert all(0.0 <= joint.damping[0] < 0.1 for joint in found.model.joints[1:])
        np.testing.assert_allclose(rbd.crba(found.model, [0.3, 0.5]), rbd.crba(true, [0.3, 0.5]), rtol=0.25)
