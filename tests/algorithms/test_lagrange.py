"""Inverse dynamics of small systems against Lagrange's equations, derived by sympy from positions alone."""

import numpy as np
import pytest
import sympy as sp

import rbdkit as rbd

MASS, SIZE, COM = (1.3, 0.8, 0.5), (0.2, 0.3, 0.5), (sp.Rational(1, 10), sp.Rational(-1, 5), sp.Rational(3, 10))
OFFSET = (sp.Rational(2, 5), sp.Rational(1, 10), sp.Rational(-3, 10))
GRAVITY = sp.Matrix([0, 0, -sp.Rational(981, 100)])

SYSTEMS = {
    "pendulum": "y",
    "cart and pendulum": "-x y",
    "double pendulum": "y y",
    "elbow out of plane": "z y",
    "turn, turn, slide": "z y -x",
    "three turns": "z x y",
}


def box_inertia(mass):
    """Principal moments of the box, as Rational numbers of the same size."""
    a, b, c = (sp.Float(size) for size in SIZE)
    return sp.diag(b**2 + c**2, a**2 + c**2, a**2 + b**2) * sp.Float(mass) / 12


def step(axis, q):
    """Pose of a body in its parent: a shift by OFFSET, then a turn about an axis or, with a minus sign, a slide."""
    T = sp.eye(4)
    T[:3, 3] = sp.Matrix(OFFSET)
    k = "xyz".index(axis[-1])
    if axis.startswith("-"):
        T[:3, 3] += q * sp.eye(3)[:, k]
    else:
        c, s, (i, j) = sp.cos(q), sp.sin(q), ((k + 1) % 3, (k + 2) % 3)
        T[i, i], T[i, j], T[j, i], T[j, j] = c, -s, s, c
    return T


@pytest.fixture(scope="module", params=SYSTEMS)
def derived(request):
    """The rbdkit model, and tau(q, v, a) as a function made from the Lagrangian."""
    axes = SYSTEMS[request.param].split()
    n = len(axes)
    q, v, a = (sp.symbols(f"{letter}0:{n}") for letter in "qva")
    T, lagrangian = sp.eye(4), 0
    for k, axis in enumerate(axes):
        T = T * step(axis, q[k])
        centre = (T * sp.Matrix([*COM, 1]))[:3, 0]
        velocity = sum((centre.diff(q[i]) * v[i] for i in range(n)), sp.zeros(3, 1))
        W = T[:3, :3].T * sum((T[:3, :3].diff(q[i]) * v[i] for i in range(n)), sp.zeros(3, 3))
        omega = sp.Matrix([W[2, 1], W[0, 2], W[1, 0]])
        lagrangian += MASS[k] * (velocity.dot(velocity) / 2 + GRAVITY.dot(centre))
        lagrangian += omega.dot(box_inertia(MASS[k]) * omega) / 2
    tau = []
    for k in range(n):
        p = sp.diff(lagrangian, v[k])
        rate = sum(sp.diff(p, q[i]) * v[i] + sp.diff(p, v[i]) * a[i] for i in range(n))
        tau.append(rate - sp.diff(lagrangian, q[k]))
    return build(axes), sp.lambdify([q, v, a], tau)


def build(axes):
    model, parent = rbd.Model(), "world"
    for k, axis in enumerate(axes):
        box = rbd.Inertia.box(SIZE, mass=MASS[k])
        inertia = rbd.Inertia(box.mass, [float(c) for c in COM], box.inertia_com)
        kind = rbd.Prismatic(axis[1:]) if axis.startswith("-") else rbd.Revolute(axis)
        parent = model.add_body(f"b{k}", parent, kind, [float(p) for p in OFFSET], inertia)
    return model


@pytest.mark.source("F3.01", "F5.04")
def test_inverse_dynamics_is_lagranges_equation(derived):
    model, tau = derived
    rng = np.random.default_rng(0)
    for _ in range(5):
        q, v, a = rng.normal(size=(3, model.nv))
        expected = tau(q, v, a)
        np.testing.assert_allclose(rbd.rnea(model, q, v, a), expected, atol=1e-13 * np.max(np.abs(expected)))
        np.testing.assert_allclose(rbd.aba(model, q, v, expected), a, atol=1e-11)


@pytest.mark.source("F6.01")
def test_the_inertia_matrix_is_the_hessian_in_the_velocities(derived):
    model, tau = derived
    q = np.random.default_rng(1).normal(size=model.nv)
    still = np.zeros(model.nv)
    H = np.column_stack([np.subtract(tau(q, still, e), tau(q, still, still)) for e in np.eye(model.nv)])
    np.testing.assert_allclose(rbd.crba(model, q), H, atol=1e-13)
