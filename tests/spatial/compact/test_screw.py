"""Section A.4: axial screws do what general transforms do, for the costs of Table A.5."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.spatial import plucker
from rbdkit.spatial.compact import (
    AxialRotation,
    AxialScrew,
    Symmetric,
    Vector,
    abi,
    abi_z,
    fv,
    mv,
    rbi,
    scrx,
    scry,
    scrz,
    shift,
)

SCREWS = {"x": (scrx, plucker.rotx), "y": (scry, plucker.roty), "z": (scrz, plucker.rotz)}
EACH = pytest.mark.parametrize("axis", list("xyz"))
WAYS = pytest.mark.parametrize("way", ["apply", "inv_apply"])


def ready(axis, constants, d):
    """A screw whose constants are there."""
    return AxialScrew(AxialRotation(axis, *constants), d)


@pytest.mark.source("FA.06")
@EACH
def test_rotation_and_shift_commute(axis, array):
    make, rot = SCREWS[axis]
    r = 0.4 * np.eye(3)["xyz".index(axis)]
    X = array(make(0.7, 0.4).plx())
    assert_allclose(X, rot(0.7) @ plucker.xlt(r), rtol=0, atol=1e-16)
    assert_allclose(X, plucker.xlt(r) @ rot(0.7), rtol=0, atol=1e-16)
    assert_allclose(array(make(0.7, 0.4).inverse().plx()), plucker.inverse(X), rtol=0, atol=1e-16)


@pytest.mark.source("FA.04", "FA.06")
@EACH
@WAYS
@pytest.mark.parametrize("kind", [mv, fv, rbi, abi, abi_z])
def test_screws_do_what_general_transforms_do(axis, way, kind, rng, some, array):
    for _ in range(5):
        screw, x = SCREWS[axis][0](*rng.normal(size=2)), some(kind)
        found = getattr(screw, way)(x)
        X = array(screw.plx()) if way == "apply" else plucker.inverse(array(screw.plx()))
        star, A = plucker.force(X), array(x)
        expected = X @ A if kind is mv else star @ A if kind is fv else star @ A @ star.T
        assert_allclose(array(found), expected, rtol=0, atol=1e-14 * (1.0 + np.abs(A).max()))


@pytest.mark.source("FA.06")
@EACH
@WAYS
@pytest.mark.parametrize(
    ("kind", "price"), [(mv, "10m + 6a"), (fv, "10m + 6a"), (rbi, "16m + 15a"), (abi, "38m + 40a")]
)
def test_table_a5(axis, way, kind, price, cost):
    assert cost(lambda E, d, x: getattr(ready(axis, E, d), way)(kind.of(x)), 6, (), kind.size) == price


@pytest.mark.source("FA.06")
@WAYS
@pytest.mark.parametrize(
    ("axis", "price", "kind"), [("x", "32m + 28a", abi), ("y", "32m + 28a", abi), ("z", "28m + 34a", abi_z)]
)
def test_table_a5_with_a_zero_row_and_column(axis, price, kind, way, cost, some):
    """Only the screw about z keeps the zeros; the type says so."""
    assert cost(lambda E, d, x: getattr(ready(axis, E, d), way)(abi_z.of(x)), 6, (), 15) == price
    assert type(getattr(SCREWS[axis][0](0.7, 0.4), way)(some(abi_z))) is kind


@pytest.mark.source("FA.06")
@EACH
def test_zeros_kept_and_lost_as_seen_in_6x6_matrices(axis, some, array):
    Ia = some(abi_z)
    assert not array(Ia)[2].any() and np.linalg.matrix_rank(array(Ia)) == 5
    X = array(SCREWS[axis][0](0.7, 0.4).plx())
    moved = plucker.force(X) @ array(Ia) @ plucker.force(X).T
    assert (np.abs(moved[2]).max() < 1e-15) == (axis == "z")


@pytest.mark.source("FA.06")
@EACH
def test_one_time_cost(axis, cost):
    def constants(screw):
        return [screw.E.cs, screw.E.ss, screw.E.cs2, screw.E.cc_ss]

    assert cost(lambda t, d: constants(SCREWS[axis][0](t, d)), (), ()) == "2m + 3a + 2t"  # and a sine and a cosine


@pytest.mark.source("FA.06")
def test_from_one_denavit_hartenberg_frame_to_the_next(cost):
    """62m + 65a: the angle about x is a constant, so its constants cost nothing; less than half of Table A.4."""

    def two_screws(c, s, d, E_x, a, x):
        turned = AxialScrew(AxialRotation.of("z", c, s), d).apply(abi_z.of(x))
        return ready("x", E_x, a).apply(turned)

    assert cost(two_screws, (), (), (), 6, (), 15) == "62m + 65a"
    assert 62 < 137 / 2 and 65 < 137 / 2


@pytest.mark.source("FA.06")
@EACH
def test_the_breakdowns_below_table_a5(axis, cost):
    assert cost(lambda d, v, w: shift.at_origin(axis, d, Vector(v), Vector(w)), (), 3, 3) == "2m + 2a"
    assert cost(lambda d, I: shift.rigid(axis, d, rbi.of(I)), (), 10) == "4m + 6a"  # y 1m + 1a, Z 3m + 5a
    assert cost(lambda d, H, M: shift.corner(axis, d, H, Symmetric(M)), (), (3, 3), 6) == "5m + 6a"
    assert cost(lambda d, I, H, Y: shift.top(axis, d, Symmetric(I), H, Y), (), 6, (3, 3), (3, 3)) == "5m + 8a"


@pytest.mark.source("FA.06")
def test_three_screws_make_any_transform_cheaper_for_inertias(cost):
    """Section A.4: a general transform is three axial screws; 3 (10m + 6a) for a vector, 3 (38m + 40a) for I^A."""

    def thrice(kind, E, d, x):
        x = kind.of(x)
        for k, axis in enumerate("zyx"):
            x = ready(axis, E[k], d[k]).apply(x)
        return x

    assert cost(lambda E, d, x: thrice(mv, E, d, x), (3, 6), 3, 6) == "30m + 18a"
    assert cost(lambda E, d, x: thrice(abi, E, d, x), (3, 6), 3, 21) == "114m + 120a"
