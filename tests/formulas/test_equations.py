"""Equations of motion as a textbook has them: against Lagrange's equations, printed ones, and numbers."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import rbdkit as rbd


def cart_pole():
    model = rbd.Model("cart pole")
    model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(1.0))
    model.add_body("pole", "cart", rbd.Revolute("y"), inertia=rbd.Inertia(0.3, com=[0, 0, 0.5]))
    return model


def test_cart_and_pole_as_in_textbooks():
    """(M + m) x'' + m l (theta'' cos - theta'^2 sin) = F and m l (l theta'' + x'' cos - g sin) = 0."""
    found = rbd.equations(cart_pole())
    M, m, l, g = (found.parameters[x] for x in ("cart.mass", "pole.mass", "pole.com.z", "gravity"))
    (_, theta), (_, omega), (x2, theta2), (F, tau) = found.q, found.v, found.a, found.tau
    first = (M + m) * x2 + m * l * (theta2 * sp.cos(theta) - omega**2 * sp.sin(theta)) - F
    second = m * l**2 * theta2 + m * l * x2 * sp.cos(theta) - m * g * l * sp.sin(theta) - tau
    for line, printed in zip(found.lines, (first, second), strict=True):
        assert sp.simplify(line.lhs - line.rhs - printed) == 0


def test_double_pendulum_by_lagrange():
    """Kinetic and potential energy written by hand, for rods that hang from each other and turn about y."""
    found = rbd.equations(rbd.library.double_pendulum())
    p = found.parameters
    (m1, m2), (c1, c2) = (p["rod1.mass"], p["rod2.mass"]), (p["rod1.com.z"], p["rod2.com.z"])
    (I1, I2), z, g = (p["rod1.inertia.yy"], p["rod2.inertia.yy"]), p["hinge2.placement.z"], p["gravity"]
    t = sp.Symbol("t")
    a, b = (sp.Function(name)(t) for name in "ab")
    at1 = sp.Matrix([c1 * sp.sin(a), c1 * sp.cos(a)])
    at2 = sp.Matrix([z * sp.sin(a) + c2 * sp.sin(a + b), z * sp.cos(a) + c2 * sp.cos(a + b)])
    w1, w2 = a.diff(t), a.diff(t) + b.diff(t)
    T = (m1 * at1.diff(t).dot(at1.diff(t)) + m2 * at2.diff(t).dot(at2.diff(t)) + I1 * w1**2 + I2 * w2**2) / 2
    L = T - g * (m1 * at1[1] + m2 * at2[1])
    names = {a.diff(t, 2): found.a[0], b.diff(t, 2): found.a[1], a.diff(t): found.v[0], b.diff(t): found.v[1]}
    for line, angle in zip(found.lines, (a, b), strict=True):
        by_hand = (L.diff(angle.diff(t)).diff(t) - L.diff(angle)).subs(names).subs({a: found.q[0], b: found.q[1]})
        assert sp.simplify(line.lhs - by_hand) == 0


def test_numbers_are_those_of_the_model():
    model = rbd.library.double_pendulum().with_parameters({"hinge1.damping": 0.3, "hinge2.stiffness": 2.0})
    model = model.with_parameters({"hinge2.rest": 0.4})
    found = rbd.equations(model)
    q, v, a = np.random.default_rng(1).normal(size=(3, 2))
    known = {**found.values, **dict(zip(found.q, q)), **dict(zip(found.v, v)), **dict(zip(found.a, a))}
    tau = [float(line.lhs.subs(known)) for line in found.lines]
    np.testing.assert_allclose(rbd.forward_dynamics(model, q, v, tau), a, rtol=1e-12)


def test_chosen_parameters_and_numbers_for_the_rest():
    found = rbd.equations(rbd.library.pendulum(), ["rod.mass"])
    assert list(found.parameters) == ["rod.mass"]
    assert not found.M.has(sp.Float)  # 0.5 is a half


def test_typeset():
    text = rbd.equations(cart_pole()).to_latex()
    assert text.startswith(r"\begin{align*}") and text.count("&=") == 2
    assert r"\ddot{\theta}_{\mathrm{pole}}" in text and r"m_{\mathrm{cart}}" in text
    assert rbd.equations(cart_pole())._repr_latex_() == text


def test_a_ball_joint_has_velocities_of_its_own():
    model = rbd.Model("top")
    model.add_body("top", joint=rbd.Spherical(), inertia=rbd.Inertia(1.0, inertia_com=np.diag([1.0, 1.0, 0.5])))
    found = rbd.equations(model, [f"top.inertia.{k}" for k in ("xx", "yy", "zz")])
    assert len(found.q) == 4 and len(found.v) == 3
    w, I = found.v, [found.parameters[f"top.inertia.{k}"] for k in ("xx", "yy", "zz")]
    assert sp.simplify(found.h[2] - (I[1] - I[0]) * w[0] * w[1]) == 0  # Euler's equation


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (rbd.library.planar_four_bar, "loops"),
        (lambda: rbd.library.random_tree(9), "freedoms"),
        (lambda: rbd.Model("empty"), "0 freedoms"),
    ],
)
def test_what_does_not_fit_on_a_page_is_refused(model, says):
    with pytest.raises(rbd.RbdkitError, match=says):
        rbd.equations(model())


def test_a_spring_on_a_planar_joint_is_refused_by_name():
    model = rbd.Model("puck")
    disc = rbd.Inertia.cylinder(0.1, 0.02, mass=1.0)
    model.add_body("disc", joint=rbd.Planar("z"), inertia=disc, stiffness=[2.0, 3.0, 4.0])
    with pytest.raises(rbd.RbdkitError, match="spring on joint 'disc_joint', whose coordinates are curved"):
        rbd.equations(model)


@pytest.mark.parametrize(
    ("bodies", "joints", "twice"),
    [(["a.b", "a_b"], ["j", "k"], "m_a_b"), (["a", "b"], ["g", "k"], "g"), (["a", "b"], ["c", "c_joint"], "theta")],
)
def test_things_that_would_be_written_alike_are_refused(bodies, joints, twice):
    model = rbd.Model("two")
    for body, above, joint in zip(bodies, ["world", bodies[0]], joints, strict=True):
        model.add_body(body, above, rbd.Revolute("y"), (0, 0, 1), rbd.Inertia(1.0, com=[0, 0, 1]), joint_name=joint)
    with pytest.raises(rbd.RbdkitError, match=twice):
        rbd.equations(model)


def test_controls_of_actuators_have_names_and_their_limits_numbers():
    model = rbd.library.pendulum()
    model.add_motor("hinge", "motor", gear=2.0, limit=0.5)
    found = rbd.equations(model)
    text = str(found)
    assert "gear_motor" in text and "u_motor" in text and "1/2" in text and "effort" not in text
    values = {str(x): value for x, value in found.values.items()}
    assert values["u_motor"] == 0.0 and values["gear_motor"] == 2.0
    named = str(rbd.equations(model, ["motor.effort.0", "motor.effort.1", "motor.u"]))
    assert "effort_motor_0" in named and "effort_motor_1" in named


def test_nothing_is_assumed_of_numbers_that_may_have_either_sign():
    """Lengths, controls and limits: of positive ones SymPy may drop terms of limits, of negative ones too."""
    model = rbd.library.pendulum()
    model.add_motor("hinge", "motor", gear=2.0, u=0.3, limit=0.5)
    found = rbd.equations(model)
    assert {str(x): x.is_positive for x in found.parameters.values() if x.is_nonpositive or x.is_positive} == {
        "m_rod": True
    }
    for u, cut in ((0.3, 0.3), (0.9, 0.5), (-0.9, -0.5)):
        numbers = {x: u if str(x) == "u_motor" else value for x, value in found.values.items()}
        assert float(found.h[0].subs({found.q[0]: 0.0, **numbers})) == pytest.approx(-2.0 * cut, abs=1e-12)
