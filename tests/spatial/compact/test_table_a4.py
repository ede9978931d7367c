"""Every operation of Table A.4: the same numbers as 6x6 matrices give, at the cost that is printed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.spatial import plucker, so3
from rbdkit.spatial.compact import Matrix, Symmetric, Vector, abi, abi_z, fv, mv, plx, rbi, rotation
from rbdkit.spatial.compact.crosses import cross_cross, cross_symmetric, crossed
from rbdkit.spatial.cross import crf, crm

ROUND_OFF = dict(rtol=1e-13, atol=2e-14)  # sums of up to 36 products of numbers up to about 10


@pytest.mark.source("FA.05")
@pytest.mark.parametrize(
    ("kind", "scale", "add"), [(mv, "6m", "6a"), (fv, "6m", "6a"), (rbi, "10m", "10a"), (abi, "21m", "21a")]
)
def test_scale_and_add(kind, scale, add, cost, some, array):
    n = kind.size
    assert cost(lambda alpha, x: alpha * kind.of(x), (), n) == scale
    assert cost(lambda x, y: kind.of(x) + kind.of(y), n, n) == add
    a, b = some(kind), some(kind)
    assert_allclose(array(2.5 * a), 2.5 * array(a), rtol=1e-15)
    assert_allclose(array(np.float64(2.5) * a + b), 2.5 * array(a) + array(b), rtol=1e-15, atol=1e-15)
    assert type(a + b) is type(2.5 * a) is kind


@pytest.mark.source("FA.05")
def test_kinetic_energy(cost, some):
    """Cheaper than by the momentum."""
    assert cost(lambda I, v: rbi.of(I).kinetic_energy(mv.of(v)), 10, 6) == "26m + 17a"
    I, v = some(rbi), some(mv)
    assert I.kinetic_energy(v) == pytest.approx(0.5 * v.dot(I @ v), rel=1e-13)


@pytest.mark.source("FA.05")
@pytest.mark.parametrize("kind", [mv, fv])
def test_difference_and_sign(kind, cost, some, array):
    a, b = some(kind), some(kind)
    assert cost(lambda x, y: kind.of(x) - kind.of(y), 6, 6) == "6a"
    assert cost(lambda x: -kind.of(x), 6) == "0"
    assert_allclose(array(a - b), array(a) - array(b), rtol=1e-15)
    assert_allclose(array(-a), -array(a), rtol=0)


@pytest.mark.source("FA.05")
def test_articulated_and_rigid_body(cost, some, array):
    IA, I = some(abi), some(rbi)
    assert cost(lambda x, y: abi.of(x) + rbi.of(y), 21, 10) == "15a"
    assert cost(lambda x, y: rbi.of(y) + abi.of(x), 21, 10) == "15a"
    assert_allclose(array(IA + I), array(IA) + array(I), rtol=1e-15, atol=1e-15)
    assert array(I + IA).tolist() == array(IA + I).tolist()


@pytest.mark.source("FA.05")
def test_products_of_vectors(cost, some, array):
    v, w, f = some(mv), some(mv), some(fv)
    assert cost(lambda x, y: mv.of(x).dot(fv.of(y)), 6, 6) == "6m + 5a"
    assert cost(lambda x, y: fv.of(x).dot(mv.of(y)), 6, 6) == "6m + 5a"
    assert v.dot(f) == f.dot(v) == pytest.approx(array(v) @ array(f), rel=1e-14)
    for kind, other, operator in ((mv, w, crm), (fv, f, crf)):
        assert cost(lambda x, y, kind=kind: mv.of(x).cross(kind.of(y)), 6, 6) == "18m + 12a"
        assert type(v.cross(other)) is kind
        assert_allclose(array(v.cross(other)), operator(array(v)) @ array(other), **ROUND_OFF)


@pytest.mark.source("FA.05")
@pytest.mark.parametrize(("kind", "price"), [(rbi, "24m + 18a"), (abi, "36m + 30a"), (abi_z, "25m + 20a")])
def test_inertia_times_velocity(kind, price, cost, some, array):
    I, v = some(kind), some(mv)
    assert cost(lambda x, y: kind.of(x) @ mv.of(y), kind.size, 6) == price
    assert type(I @ v) is fv
    assert_allclose(array(I @ v), array(I) @ array(v), **ROUND_OFF)


@pytest.mark.source("FA.05")
def test_products_and_inverse_of_transforms(rng, cost, array):
    X1, X2 = (plx(so3.random(rng), rng.normal(size=3)) for _ in range(2))
    assert cost(lambda x, y: plx.of(x) @ plx.of(y), 12, 12) == "33m + 24a"
    assert cost(lambda x: plx.of(x).inverse(), 12) == "9m + 6a"
    assert_allclose(array(X1 @ X2), array(X1) @ array(X2), **ROUND_OFF)
    assert_allclose(array(X1.inverse()), np.linalg.inv(array(X1)), **ROUND_OFF)
    assert_allclose(array(X1), plucker.plucker(X1.E, X1.r), **ROUND_OFF)


def transformed(X, x, forward):
    """By 6x6 matrices, and by the rule for the kind."""
    X = np.array(X.rows(), dtype=float)
    X = X if forward else np.linalg.inv(X)
    star = np.linalg.inv(X).T
    if isinstance(x, mv):
        return X @ x.flat()
    if isinstance(x, fv):
        return star @ x.flat()
    return star @ np.array(x.rows()) @ np.linalg.inv(X)


@pytest.mark.source("FA.04", "FA.05")
@pytest.mark.parametrize("forward", [True, False], ids=["apply", "inv_apply"])
@pytest.mark.parametrize("kind", [mv, fv, rbi, abi, abi_z])
def test_one_word_finds_the_rule_for_each_kind(kind, forward, rng, some, array):
    for _ in range(5):
        X, x = plx(so3.random(rng), rng.normal(size=3)), some(kind)
        there, back = (X.apply, X.inv_apply) if forward else (X.inv_apply, X.apply)
        moved = there(x)
        assert type(moved) is (abi if kind is abi_z else kind)
        assert_allclose(array(moved), transformed(X, x, forward), rtol=1e-12, atol=1e-12)  # np.linalg.inv on the right
        assert_allclose(array(back(moved)), array(x), rtol=1e-13, atol=1e-13)


@pytest.mark.source("FA.04", "FA.05")
@pytest.mark.parametrize(("kind", "price"), [(mv, "24m + 18a"), (fv, "24m + 18a"), (rbi, "52m + 56a")])
def test_transforms_cost_what_is_printed(kind, price, cost):
    assert cost(lambda x, y: plx.of(x).apply(kind.of(y)), 12, kind.size) == price
    assert cost(lambda x, y: plx.of(x).inv_apply(kind.of(y)), 12, kind.size) == price


@pytest.mark.source("FA.05")
def test_the_parts_of_a_transformed_rigid_body_inertia(cost):
    """The breakdown below Table A.4; brute force costs 432m + 360a."""
    assert cost(lambda h, m, r: Vector(h) - m * Vector(r), 3, (), 3) == "3m + 3a"
    assert cost(lambda r, h: cross_cross(Vector(r), Vector(h)), 3, 3) == "6m + 3a"
    assert cost(lambda x, y, z: Symmetric(x) + Symmetric(y) + Symmetric(z), 6, 6, 6) == "12a"
    assert cost(lambda E, y: Matrix.of(E.ravel()) @ Vector(y), (3, 3), 3) == "9m + 6a"
    assert cost(lambda E, Z: rotation.rotate_symmetric(Matrix.of(E.ravel()), Symmetric(Z)), (3, 3), 6) == "28m + 29a"
    assert cost(lambda X, I: (X.T @ I @ X).ravel(), (6, 6), (6, 6)) == "432m + 360a"


@pytest.mark.source("FA.05")
def test_articulated_inertias_cost_nine_multiplications_less_than_printed(cost):
    """137m + 137a is what the formula costs as it stands; Z has common factors (24m + 24a become 15m + 24a)."""

    def as_printed(X, IA):
        X, IA = plx.of(X), abi.of(IA)
        E, r = X.E, X.r
        Y = IA.H - cross_symmetric(r, IA.M)
        Z = IA.I - lower(r, IA.H.T) + lower(r, Y, left=False)
        parts = (
            rotation.rotate_symmetric(E, IA.M),
            rotation.rotate(E, Y, by_trace=False),
            rotation.rotate_symmetric(E, Z),
        )
        return abi(*parts)

    assert cost(as_printed, 12, 21) == "137m + 137a"
    assert cost(lambda x, y: plx.of(x).apply(abi.of(y)), 12, 21) == "128m + 137a"
    assert cost(lambda x, y: plx.of(x).inv_apply(abi.of(y)), 12, 21) == "128m + 137a"
    assert cost(lambda r, M: cross_symmetric(Vector(r), Symmetric(M)), 3, 6) == "15m + 9a"
    assert (
        cost(lambda I, r, H, Y: Symmetric(I) + crossed(Vector(r), Matrix.of(H), Matrix.of(Y)), 6, 3, 9, 9)
        == "15m + 24a"
    )
    x, y = np.arange(12.0), np.arange(21.0) ** 0.5
    x[:9] = so3.exp([0.3, -0.5, 0.7]).ravel()
    assert_allclose(as_printed(x, y).flat(), plx.of(x).apply(abi.of(y)).flat(), rtol=1e-13, atol=1e-12)


def lower(r, A, left=True):
    """Lower triangle of r x A, or of A r x: 12m + 6a."""
    x, y, z = r
    rx = {(0, 1): (2, -1), (0, 2): (1, 1), (1, 0): (2, 1), (1, 2): (0, -1), (2, 0): (1, -1), (2, 1): (0, 1)}

    def element(i, j):
        total = None
        for k in range(3):
            place = (i, k) if left else (k, j)
            if place not in rx:
                continue
            n, sign = rx[place]
            product = (x, y, z)[n] * (A[k][j] if left else A[i][k])
            if total is None:
                total = product if sign > 0 else -product
            else:
                total = total + product if sign > 0 else total - product
        return total

    return Symmetric(element(i, j) for j in range(3) for i in range(j, 3))
