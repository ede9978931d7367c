"""What does not go together is refused, by a message that names both kinds and says what there is."""

import copy
import pickle

import numpy as np
import pytest

from rbdkit.errors import StateError
from rbdkit.spatial import Inertia, plucker
from rbdkit.spatial.compact import abi, abi_z, fv, mv, plx, rbi, scrx, scrz

m, f = mv((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)), fv((1.0, 0.0, 2.0), (0.0, 3.0, 0.0))
I = rbi.of(Inertia.box([1.0, 2.0, 3.0], mass=2.0).ten_parameters)
IA = I.articulated()
Ia = abi_z((1, 0, 0, 1, 0, 1), ((0, 0, 1), (0, 1, 0)), (2, 0, 2))
X = plx(np.eye(3), (1.0, 0.0, 0.0))
screw = scrz(0.3, 0.2)

REFUSED = {
    "m + f": (lambda: m + f, r"mv \+ fv is not defined: an mv adds to an mv, or"),
    "f + m": (lambda: f + m, r"fv \+ mv .* an fv adds to an fv, or"),
    "m - f": (lambda: m - f, "mv - fv .* an mv adds to an mv, or is subtracted"),
    "f - m": (lambda: f - m, "fv - mv .* an fv adds to an fv, or is subtracted"),
    "m . m": (lambda: m.dot(m), "mv . mv .* pairs an mv with an fv; kinetic energy"),
    "f . f": (lambda: f.dot(f), "fv . fv .* pairs an fv with an mv"),
    "f x f": (lambda: f.cross(f), "fv x fv .* left of x or x\\* is a motion"),
    "f x m": (lambda: f.cross(m), "fv x mv"),
    "m x I": (lambda: m.cross(I), "mv x rbi .* acts on an mv .* or on an fv"),
    "f = m": (lambda: fv.of(m), "fv = mv .* a motion becomes a force by an inertia, I @ v"),
    "m = f": (lambda: mv.of(f), "mv = fv .* by an inverse inertia only"),
    "I f": (lambda: I @ f, "rbi @ fv .* maps an mv to an fv"),
    "IA f": (lambda: IA @ f, "abi @ fv .* maps an mv to an fv"),
    "Ia f": (lambda: Ia @ f, "abi_z @ fv .* maps an mv to an fv"),
    "I + m": (lambda: I + m, r"rbi \+ mv .* adds to an rbi or to an abi"),
    "IA + m": (lambda: IA + m, r"abi \+ mv .* adds to an abi or to an rbi"),
    "X* m": (lambda: X.star @ m, r"X\* @ mv .* a motion wants X: use X.apply\(v\)"),
    "X f": (lambda: X @ f, r"plx @ fv .* a force wants X\*: use X.apply\(f\)"),
    "X I": (lambda: X @ I, r"plx @ rbi .* X.apply\(...\) finds the rule"),
    "screw f": (lambda: screw @ f, r"screw @ fv .* X.apply\(...\) finds the rule"),
    "apply X": (lambda: X.apply(X), r"plx.apply\(plx\) .* multiplies another transform by @"),
    "back X": (lambda: X.inv_apply(2.0), r"plx.inv_apply\(float\)"),
    "screw X": (lambda: screw.apply(X), r"screw.apply\(plx\)"),
}


@pytest.mark.source("FA.03")
@pytest.mark.parametrize("name", list(REFUSED))
def test_refused(name):
    attempt, message = REFUSED[name]
    with pytest.raises(TypeError, match=message):
        attempt()


@pytest.mark.source("FA.03")
def test_allowed_neighbours_of_what_is_refused():
    assert (m + m).flat() == [2, 4, 6, 8, 10, 12]
    assert m.dot(f) == 1 + 6 + 15
    assert type(I @ m) is fv and type(m.cross(f)) is fv and type(X @ m) is mv and type(X.star @ f) is fv
    assert X.star @ f == X.apply(f)
    assert screw @ m == screw.apply(m)


@pytest.mark.source("FA.03")
@pytest.mark.parametrize(("kind", "size"), [(mv, 6), (fv, 6), (plx, 12), (rbi, 10), (abi, 21), (abi_z, 15)])
def test_as_many_numbers_as_table_a3_says(kind, size):
    x = [float(k) for k in range(1, size + 1)]
    assert kind.size == size
    assert kind.of(x).flat() == kind.of(np.array(x)).flat() == x
    assert all(type(number) is float for number in kind.of(np.array(x)).flat())
    for wrong in (x[1:], [x], 3.0, "x" * size, None):
        with pytest.raises(TypeError, match=rf"{size} scalars"):
            kind.of(wrong)


@pytest.mark.source("FA.03")
def test_parts_are_checked():
    with pytest.raises(TypeError, match="omega is made of 3 scalars"):
        mv((1, 2), (1, 2, 3))
    with pytest.raises(TypeError, match="omega is made of 3 scalars"):
        mv(f, (1, 2, 3))
    with pytest.raises(TypeError, match="E has 3 rows of 3 scalars"):
        plx([1, 2], (0, 0, 0))
    with pytest.raises(TypeError, match="I, a lower triangle, is made of 6"):
        rbi(1.0, (0, 0, 0), (1, 2, 3, 4))
    with pytest.raises(TypeError, match="has 2 rows"):
        abi_z((1, 0, 0, 1, 0, 1), ((0, 0, 1),), (2, 0, 2))


@pytest.mark.source("FA.03")
def test_values_do_not_change_and_can_be_copied():
    with pytest.raises(AttributeError):
        m.v = (0, 0, 0)
    for x in (m, f, I, IA, Ia, X, screw):
        assert copy.deepcopy(x) == x == pickle.loads(pickle.dumps(x))
    assert repr(m) == "mv(omega=(1.0, 2.0, 3.0), v=(4.0, 5.0, 6.0))"
    assert m != f


@pytest.mark.source("FA.03")
def test_to_and_from_matrices(rng, array):
    body = Inertia(2.0, (0.1, -0.4, 0.3), np.diag([0.4, 0.7, 0.6]))
    assert np.array_equal(array(rbi.of(body.ten_parameters)), body.matrix)
    A = rng.normal(size=(6, 6))
    A += A.T
    assert np.array_equal(array(abi.of_rows(A)), A)
    assert np.array_equal(array(rbi.of(body.ten_parameters).articulated()), body.matrix)
    X6 = plucker.rotx(0.3) @ plucker.xlt([1.0, -2.0, 0.5])
    np.testing.assert_allclose(array(plx.from_matrix(X6)), X6, rtol=0, atol=1e-15)
    with pytest.raises(StateError, match="force transform"):
        plx.from_matrix(plucker.force(X6))
    with pytest.raises(StateError):
        plx.from_matrix(2.0 * X6)


def test_a_screw_of_a_number_of_numpy_is_made_of_plain_floats():
    assert type(scrx(np.float64(0.3), 0.2).E.c) is float


def test_a_multiple_of_an_inertia_is_that_of_its_matrix():
    for inertia in (I, IA):
        np.testing.assert_array_equal(np.array((3.0 * inertia).rows()), 3.0 * np.array(inertia.rows()))
