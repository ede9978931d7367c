import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from rbdkit.algorithms import aba
from rbdkit.errors import ModelError
from rbdkit.joints import Revolute, Spherical
from rbdkit.library import chain_pendulum, double_pendulum, pendulum, small_swing_period, spherical_pendulum
from rbdkit.model import Model
from rbdkit.spatial.inertia import Inertia

G = 9.81


def test_small_swing_period_of_a_rod():
    """A cylinder about its end: I = m (r^2 / 4 + l^2 / 3), centre of mass at l / 2, the mass cancels."""
    for length, mass in ((1.0, 1.0), (0.3, 7.0)):
        about_pivot = (0.03 * length) ** 2 / 4 + length**2 / 3
        closed_form = 2 * np.pi * np.sqrt(about_pivot / (G * 0.5 * length))
        assert_allclose(small_swing_period(pendulum(length, mass)), closed_form, rtol=4e-16 * 4)


def test_a_swing_takes_the_time_that_the_elliptic_integral_says():
    """After a quarter of the exact period 4 K(sin^2(a/2)) / omega it passes the bottom; DOP853 to 1e-12 a step."""
    model, amplitude = pendulum(0.8), 1.2
    omega = 2 * np.pi / small_swing_period(model)

    def rate(t, x):
        return [x[1], aba(model, x[:1], x[1:], np.zeros(1)).qdd[0]]

    def bottom(t, x):
        return x[0]

    run = solve_ivp(rate, (0, 2), [amplitude, 0.0], method="DOP853", rtol=1e-12, atol=1e-13, events=bottom)
    assert_allclose(run.t_events[0][0], ellipk(np.sin(amplitude / 2) ** 2) / omega, rtol=1e-10)


def test_period_of_a_tilted_or_turned_axis():
    """Only gravity at right angles to the axis brings the rod back: sqrt(2) longer for half of it."""
    upright = Model()
    rod = Inertia.cylinder(0.01, 1.0, mass=1.0, axis="x") + Inertia.zero()
    moved = rod.transformed(np.block([[np.eye(3), np.array([[0.5], [0], [0]])], [np.zeros((1, 3)), np.ones((1, 1))]]))
    upright.add_body("rod", joint=Revolute("y"), inertia=moved)
    tilt = np.array([[1, 0, 0], [0, 0.5, -np.sqrt(0.75)], [0, np.sqrt(0.75), 0.5]])  # axis 60 degrees up
    tilted = upright.with_parameters({"rod_joint.placement": tilt})
    assert_allclose(small_swing_period(tilted), np.sqrt(2) * small_swing_period(upright), rtol=1e-14)
    about_x = Model(gravity=(0, 3.0, 0))
    about_x.add_body("rod", joint=Revolute("x"), inertia=Inertia(2.0, [0.3, 0, -0.4]))
    assert_allclose(small_swing_period(about_x), 2 * np.pi * np.sqrt(0.4 / 3.0), rtol=1e-15)


@pytest.mark.parametrize("model, says", [
    (double_pendulum(), "is not a pendulum: it must be one body, with inertia, on a revolute joint"),
    (spherical_pendulum(), "is not a pendulum"),
    (Model("void"), "is not a pendulum"),
    (pendulum().with_parameters({"gravity": [0, 9.81, 0]}), r"does not swing: .* 0\.5 m off the axis, gravity 0 m/s2"),
    (pendulum().with_parameters({"rod.com": [0, 1, 0]}), "does not swing: mass 1 kg, 0 m off the axis"),
])  # fmt: skip
def test_what_has_no_period(model, says):
    with pytest.raises(ModelError, match=says):
        small_swing_period(model)


def test_double_pendulum_starts_as_the_textbook_says():
    """Two rods let go from level: the accelerations solve the 2x2 system of Lagrange's equations."""
    model = chain_pendulum(2, 1.0, 1.0)
    q = np.array([-np.pi / 2, 0.0])  # level along x: -z of the rod turned about y
    about_centre = 1 / 12 + 0.03**2 / 4
    H = np.array([
        [2 * about_centre + 0.25 + 2.25, about_centre + 0.75],
        [about_centre + 0.75, about_centre + 0.25],
    ])  # fmt: skip
    pull = -G * np.array([0.5 + 1.5, 0.5])
    qdd = aba(model, q, np.zeros(2), np.zeros(2)).qdd
    assert_allclose(np.abs(qdd), np.abs(np.linalg.solve(H, pull)), rtol=1e-13)


def test_chains():
    model = chain_pendulum(5, 0.2, 0.5)
    assert [body.name for body in model.bodies[1:]] == [f"rod{k}" for k in range(1, 6)]
    assert model.parent == (-1, 0, 1, 2, 3, 4)
    assert model.mass == pytest.approx(2.5, rel=1e-15)
    assert model.name == "pendulum of 5 links"
    assert model.validate() == []
    assert [pendulum().bodies[1].name, pendulum().joints[1].name] == ["rod", "hinge"]
    assert all(joint.type == Revolute("y") for joint in model.joints[1:])


def test_spherical_pendulum_is_isotropic_about_the_vertical():
    model = spherical_pendulum(0.7, 2.0, 0.1)
    assert model.joint("pivot").type == Spherical()
    I = model.bodies[1].inertia.matrix[:3, :3]
    ball = 0.4 * 2.0 * 0.1**2
    assert_allclose(I, np.diag([ball + 2.0 * 0.49, ball + 2.0 * 0.49, ball]), atol=1e-16)
    assert model.validate() == []
