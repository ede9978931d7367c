"""Loops closed by functions: derivatives by differences, motions against implicit constraints and against one ODE."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.loops import (
    LinearActuator,
    LoopClosure,
    actuated_freedoms,
    closed_loop_inverse_dynamics,
    explicit_constraint,
    loop_constraint,
    loop_equation,
    loop_mobility,
    solve_directly,
)
from rbdkit.errors import ModelError, StateError

L1, L2 = 0.5, 0.8


def arm(l1=L1, l2=L2):
    """The mechanism of Fig 8.3: links B1 and B4, cylinder B2 and piston B3, all hinges about z, gravity along -y."""
    model = rbd.Model("arm with an actuator", gravity=(0.0, -9.81, 0.0))
    box, z = rbd.Inertia.box([0.6, 0.1, 0.1], mass=2.0), rbd.Revolute("z")
    link = box.transformed(rbd.pose(position=[0.5, 0.03, 0.0]))
    model.add_body("B1", joint=z, inertia=link, joint_name="J1")
    model.add_body("B2", joint=z, placement=[l1, 0, 0], inertia=rbd.Inertia(0.7, com=[0.1, 0, 0]), joint_name="J2")
    model.add_body("B3", "B2", rbd.Prismatic("x"), inertia=rbd.Inertia(0.4, com=[-0.1, 0, 0]), joint_name="J3")
    model.add_body("B4", "B1", z, [1.0, 0, 0], link, joint_name="J4")
    model.add_loop("J5", "B1", "B3", z, [l2, 0, 0])
    return model


def closure(l1=L1, l2=L2):
    triangle = LinearActuator(l1, l2)
    return triangle, LoopClosure(arm(l1, l2), triangle.gamma, 2, triangle.acceptable)


@pytest.mark.source("F8.17", "F8.18")
def test_closed_forms_of_figure_8_3():
    """G and g as printed, by the tracer, by differences, and by pivoting K; the loop is closed."""
    triangle, closed = closure()
    rng = np.random.default_rng(0)
    for _ in range(5):
        y, yd = rng.uniform(-3, 3, 2), rng.normal(size=2)
        at, h = closed.rates(y, yd), 1e-4
        assert_allclose(at.G, triangle.G(y), atol=1e-14 / triangle.length(y) ** 2)
        assert_allclose(at.g, triangle.g(y, yd), atol=1e-12 / triangle.length(y) ** 4)
        path = [np.unwrap([0.0, *triangle.gamma(y + s * h * yd)])[1:] for s in (-1, 0, 1)]
        assert_allclose((path[2] - path[0]) / (2 * h), at.qd, atol=1e-5)
        assert_allclose((path[2] - 2 * path[1] + path[0]) / h**2, at.g, atol=1e-4 * (1 + np.abs(at.g).max()))
        constraint = loop_constraint(closed.model, at.q, at.qd)
        found = explicit_constraint(constraint.K, constraint.k, rank=2, independent=[0, 3])
        assert_allclose(found.G, at.G, atol=1e-12)
        assert_allclose(found.g, at.g, atol=1e-11)
        assert loop_mobility(closed.model, at.q).mobility == 2


@pytest.mark.source("F8.17", "F8.18")
def test_the_same_acceleration_as_by_implicit_constraints():
    _, closed = closure()
    rng = np.random.default_rng(1)
    for _ in range(5):
        y, yd, tau = rng.uniform(0.2, 2.5, 2), rng.normal(size=2), rng.normal(size=4)
        f_ext = rng.normal(size=(5, 6))
        at = closed.rates(y, yd)
        ydd = closed.acceleration(y, yd, tau, f_ext=f_ext, tau_loop={"J5": [0.3]})
        qdd = solve_directly(loop_equation(closed.model, at.q, at.qd, tau, f_ext=f_ext, tau_loop={"J5": [0.3]})).qdd
        assert_allclose(at.G @ ydd + at.g, qdd, atol=1e-10)


@pytest.mark.source("F8.17", "F8.18")
def test_a_motion_in_y():
    """Against K qdd = k integrated in q, and by energy; closure errors are those of arithmetic."""
    _, closed = closure()
    model, times = closed.model, np.linspace(0.0, 0.4, 3)
    y, yd = closed.integrate([1.0, 0.2], [1.5, -1.0], times, rtol=1e-8)
    start = closed.rates(y[0], yd[0])

    def rate(t, x):
        return np.concatenate([x[4:], solve_directly(loop_equation(model, x[:4], x[4:], np.zeros(4))).qdd])

    run = solve_ivp(rate, (0.0, 0.4), np.concatenate([start.q, start.qd]), "DOP853", times, rtol=1e-8, atol=1e-10)
    states = [closed.rates(*at) for at in zip(y, yd, strict=True)]
    assert_allclose(np.array([at.q for at in states]), run.y[:4].T, atol=1e-6)
    energies = [algorithms.energy(model, at.q, at.qd).total for at in states]
    assert_allclose(energies, energies[0], atol=1e-6)
    gaps = [np.abs(loop_constraint(model, at.q, at.qd).delta).max() for at in states]
    assert max(gaps) < 1e-14
    assert np.abs(y[-1] - y[0]).max() > 0.3


@pytest.mark.source("F8.17", "F8.18")
def test_y_outside_its_set():
    """If both sides are equal the triangle folds at y1 = 0, where the actuator has no direction."""
    _, equal = closure(0.5, 0.5)
    assert_allclose(equal.coordinates([0.4, 0.0])[2], 2 * 0.5 * np.sin(0.2), rtol=1e-14)
    with pytest.raises(StateError, match=r"outside the set C .* length d .* l1 = l2 and y\[0\] = 0, is 0"):
        equal.coordinates([0.0, 0.3])
    with pytest.raises(StateError, match=r"y = \[0.3\] must be 2"):
        equal.coordinates([0.3])
    with pytest.raises(StateError, match="outside the set C"):
        equal.integrate([0.0, 0.0], [0.0, 0.0], [0.0, 1.0])
    _, unequal = closure()
    assert unequal.coordinates([0.0, 0.3])[2] == pytest.approx(L2 - L1)
    with pytest.raises(ModelError, match=r"l2 = 0\.0"):
        LinearActuator(1.0, 0.0)


@pytest.mark.source("F8.17")
def test_gamma_that_does_not_do():
    model = arm()
    wrong = LoopClosure(model, lambda y: np.array([y[0], 0.0 * y[0], 1.0 + 0.0 * y[0], y[1]]), 2)
    with pytest.raises(StateError, match="gamma leaves loop joint 'J5' open by"):
        wrong.coordinates([0.5, 0.0])
    with pytest.raises(ModelError, match=r"gamma returns shape \(3,\)"):
        LoopClosure(model, lambda y: np.array([y[0], y[0], y[1]]), 2)
    with pytest.raises(ModelError, match="gamma cannot be recorded"):
        LoopClosure(model, lambda y: np.array([y[0] if y[0] > 0 else -y[0], y[0], y[0], y[1]]), 2)
    driven = rbd.Model("driven")
    turning = rbd.Prescribed(rbd.Revolute("z"), lambda t: (t, 1.0, 0.0))
    driven.add_body("a", joint=rbd.Revolute("z"), inertia=rbd.Inertia.box([1, 1, 1], mass=1.0))
    driven.add_loop("motor", "world", "a", turning)
    with pytest.raises(ModelError, match="'motor' of model 'driven' move"):
        LoopClosure(driven, lambda y: np.array([0.0]), 0)


def tilted(y):
    """A ball joint by angles: first about x, then about y."""
    a, b = 0.5 * y[0], 0.5 * y[1]
    first, last = np.array([np.cos(a), np.sin(a), 0.0 * a]), np.array([np.cos(b), np.sin(b)])
    return np.array([first[0] * last[0], first[1] * last[0], first[0] * last[1], first[1] * last[1]])


@pytest.mark.source("F8.17")
@pytest.mark.parametrize("kind", ["predecessor", "successor"])
def test_curved_coordinates(kind):
    """A plate on a ball joint, a second one that follows it all around by a 6-DoF joint and a weld: G and g by
    differences on the manifold, and the acceleration by implicit constraints.
    """
    model = rbd.Model("plates")
    plate = rbd.Inertia.box([0.4, 0.3, 0.1], mass=2.0).transformed(rbd.pose(position=[0.1, 0.2, 0.1]))
    model.add_body("one", joint=rbd.Spherical(), inertia=plate)
    model.add_body("two", joint=rbd.Free(translation=kind), inertia=plate)
    model.add_loop("hold", "world", "one", rbd.Universal("x", "y"))
    model.add_loop("weld", "one", "two", rbd.joints.Fixed(), [0.3, 0.0, 0.0])

    def gamma(y):
        quaternion = tilted(y)
        w, i, j, k = quaternion
        at = 0.3 * np.array([1.0 - 2.0 * (j**2 + k**2), 2.0 * (i * j + w * k), 2.0 * (i * k - w * j)])
        position = at if kind == "predecessor" else np.array([0.3, 0.0, 0.0])
        return np.concatenate([quaternion, quaternion, position])

    closed, rng = LoopClosure(model, gamma, 2), np.random.default_rng(0)
    for _ in range(4):
        y, yd, tau = rng.uniform(-1.2, 1.2, 2), rng.normal(size=2), rng.normal(size=9)
        at, h = closed.rates(y, yd), 1e-4
        steps = [model.difference(at.q, closed.coordinates(y + s * h * yd)) for s in (-1, 1)]
        assert_allclose((steps[1] - steps[0]) / (2 * h), at.qd, atol=1e-6)
        speeds = [closed.rates(y + s * h * yd, yd).qd for s in (-1, 1)]
        assert_allclose((speeds[1] - speeds[0]) / (2 * h), at.g, atol=1e-6)
        ydd = closed.acceleration(y, yd, tau)
        equation = loop_equation(model, at.q, at.qd, tau)
        assert_allclose(equation.constraint.delta_dot, 0.0, atol=1e-12)
        assert_allclose(at.G @ ydd + at.g, solve_directly(equation).qdd, atol=1e-9)


def stewart(model, y):
    """Coordinates of a Stewart platform at the place y[3:], turned by y[:3] about x, then y, then z of the platform."""
    c, s = np.cos(0.5 * y[:3]), np.sin(0.5 * y[:3])
    w = c[0] * c[1] * c[2] - s[0] * s[1] * s[2]
    i = s[0] * c[1] * c[2] + c[0] * s[1] * s[2]
    j = c[0] * s[1] * c[2] - s[0] * c[1] * s[2]
    k = c[0] * c[1] * s[2] + s[0] * s[1] * c[2]
    R = np.array([
        [1 - 2 * (j * j + k * k), 2 * (i * j - w * k), 2 * (i * k + w * j)],
        [2 * (i * j + w * k), 1 - 2 * (i * i + k * k), 2 * (j * k - w * i)],
        [2 * (i * k - w * j), 2 * (j * k + w * i), 1 - 2 * (i * i + j * j)],
    ])  # fmt: skip
    place = model.joint("platform_joint").placement
    q = [w, i, j, k, *y[3:]]
    for number, loop in enumerate(model.loops, start=1):
        foot, rest = model.joint(f"foot{number}").placement, model.joint(f"slide{number}").placement[2, 3]
        ball = place[:3, :3] @ (R @ loop.successor_placement[:3, 3] + y[3:]) + place[:3, 3]
        leg = foot[:3, :3].T @ (ball - foot[:3, 3])
        length = np.sqrt(leg[0] * leg[0] + leg[1] * leg[1] + leg[2] * leg[2])
        tilt = np.arctan2(leg[0], np.sqrt(leg[1] * leg[1] + leg[2] * leg[2]))
        q += [np.arctan2(-leg[1], leg[2]), tilt, length - rest]
    return np.array(q)


@pytest.mark.source("F8.17", "F8.19", "F8.20")
def test_a_stewart_platform():
    """Six independent coordinates, legs in closed form; the six slides are a proper set of actuators."""
    model = rbd.library.stewart_platform()
    closed = LoopClosure(model, lambda y: stewart(model, y), 6)
    y, yd = np.array([0.1, -0.2, 0.3, 0.05, -0.1, 0.15]), np.array([0.5, 0.3, -0.4, 0.2, 0.1, -0.3])
    at = closed.rates(y, yd)
    turned = rbd.pose(np.linalg.multi_dot([rbd.spatial.plucker.rx(0.1).T, rbd.spatial.plucker.ry(-0.2).T,
                                           rbd.spatial.plucker.rz(0.3).T]), y[3:])  # fmt: skip
    platform = model.joint("platform_joint").placement @ turned
    assert_allclose(at.q, rbd.library.stewart_coordinates(model, platform), atol=1e-14)
    tau, ydd = np.zeros(model.nv), np.array([1.0, -1.0, 0.5, 0.3, 2.0, -1.0])
    equation = loop_equation(model, at.q, at.qd, tau)
    assert_allclose(equation.constraint.delta_dot, 0.0, atol=1e-12)
    assert_allclose(equation.constraint.K @ at.G, 0.0, atol=1e-12)
    free = closed.acceleration(y, yd, tau)
    assert_allclose(at.G @ free + at.g, solve_directly(equation).qdd, atol=1e-8)
    slides = [f"slide{k}" for k in range(1, 7)]
    driven = closed_loop_inverse_dynamics(model, at.q, at.qd, at.G @ ydd + at.g, actuated=slides)
    assert driven.actuation.kind == "proper" and driven.actuation.condition < 100.0
    assert_allclose(closed.acceleration(y, yd, driven.tau), ydd, atol=1e-8)


@pytest.mark.source("F8.20")
def test_actuators_of_example_8_2():
    """A motor at joint 4 and one at any of the others; u is that of the example, and brings the motion about."""
    triangle, closed = closure()
    model, y, yd, ydd = closed.model, np.array([1.1, 0.4]), np.array([0.7, -0.9]), np.array([2.0, 1.0])
    at = closed.rates(y, yd)
    qdd = at.G @ ydd + at.g
    for first in ("J1", "J2", "J3"):
        assert actuated_freedoms(model, at.q, [first, "J4"]).kind == "proper"
    for pair in (["J1", "J2"], ["J1", "J3"], ["J2", "J3"]):
        assert actuated_freedoms(model, at.q, pair).kind == "under and redundant"
    assert actuated_freedoms(model, at.q, ["J4"]).kind == "under"
    assert actuated_freedoms(model, at.q, ["J4", 0, 2]).kind == "redundant"
    found = closed_loop_inverse_dynamics(model, at.q, at.qd, qdd, actuated=["J3", "J4"])
    u1, u2 = triangle.G(y)[1:3, 0]
    printed = np.array([[1 / u2, u1 / u2, 1, 0], [0, 0, 0, 1]])
    assert_allclose(found.u, printed @ found.tau_ID, rtol=1e-11)
    assert_allclose(closed.acceleration(y, yd, found.tau), ydd, atol=1e-10)
    assert abs(found.u @ yd - found.tau @ at.qd) > 0.1  # u is not the generalized force of y
    with pytest.raises(StateError, match=r"\('J1', 'J3'\) move 1 of 2 freedoms"):
        closed_loop_inverse_dynamics(model, at.q, at.qd, qdd, actuated=["J1", "J3"])


@pytest.mark.source("F8.20")
def test_an_actuator_that_loses_its_grip():
    """u2 -> 0 where the actuator is in line with the link: its force grows without bound, the condition says so."""
    _, closed = closure()
    conditions, forces = [], []
    for y1 in (0.1, 0.01, 0.001):
        at = closed.rates([y1, 0.0], [0.0, 0.0])
        freedoms = actuated_freedoms(closed.model, at.q, ["J3", "J4"])
        conditions.append(freedoms.condition)
        assert freedoms.kind == "proper" and not freedoms.nearly_singular
        found = closed_loop_inverse_dynamics(closed.model, at.q, at.qd, at.G @ [1.0, 0.0] + at.g, actuated=["J3", "J4"])
        forces.append(abs(found.u[0]))
    assert_allclose(np.array(conditions[1:]) / conditions[:-1], 10.0, rtol=0.1)
    assert_allclose(np.array(forces[1:]) / forces[:-1], 10.0, rtol=0.1)
    near = closed.rates([1e-8, 0.0], [0.0, 0.0])
    assert actuated_freedoms(closed.model, near.q, ["J3", "J4"]).nearly_singular
    flat = closed.rates([0.0, 0.0], [0.0, 0.0])
    freedoms = actuated_freedoms(closed.model, flat.q, ["J3", "J4"])
    assert freedoms.kind == "under and redundant" and freedoms.condition == np.inf
