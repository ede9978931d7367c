"""The one reader of numbers: what is a number, what is none, and how both are shown."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from rbdkit.errors import ModelError, StateError
from rbdkit.spatial.read_numbers import HUGE, floats, number, numbers, shown, within

MASKED = np.ma.masked_array([1.0, 2.0], mask=[True, False])


def says(value: str) -> str:
    return f"thing must be numbers, not {value}"


@pytest.mark.parametrize("given, meant", [
    (1, 1.0), ([1, 2], [1.0, 2.0]), ((1.5, 2), [1.5, 2.0]), (range(3), [0.0, 1.0, 2.0]), ([], []),
    (np.ones(2, dtype="f4"), [1.0, 1.0]), (np.ones(2, dtype=">f8"), [1.0, 1.0]),
    (np.array([1, 2], dtype=object), [1, 2]), (Fraction(1, 4), 0.25),
    ([Decimal("0.5")], [0.5]), (np.ma.masked_array([1.0, 2.0]), [1.0, 2.0]), (np.float32(2), 2.0),
])  # fmt: skip
def test_numbers_of_every_kind(given, meant):
    found = floats(given, says)
    assert found.dtype == float and type(found) is np.ndarray
    np.testing.assert_array_equal(found, meant)


def test_an_array_of_floats_is_taken_as_it_is():
    array = np.ones((2, 3))
    assert floats(array, says) is array


class Odd:
    """What raises when it is asked for anything."""

    def __array__(self, *_, **__):
        raise RuntimeError("no array of me")

    def __repr__(self):
        raise RuntimeError("no text of me")


@pytest.mark.parametrize("given, why", [
    ("1", "it is text"), (b"1", "it is text"), (["1", 2.0], "it is text"),
    (np.array(["1", 2], dtype=object), "it is text"),
    (1j, "imaginary part"), ([1.0, 1 + 0j], "imaginary part"), (np.array([1j, 2], dtype=object), "imaginary part"),
    (np.zeros(2, dtype="M8[s]"), "dates"), (np.zeros(2, dtype="m8[s]"), "times"),
    (np.zeros(2, dtype="f8,f8"), "records"),
    (date(2024, 2, 29), "date"), (MASKED, "masked"), ([[1.0, 2.0], MASKED], "masked"), (None, "None is not a number"),
    ([None, 0.0], "None is not a number"), ([[0, 0], [0]], "inhomogeneous"), ({0: 1}, "dict"), ({1}, "set"),
    (object(), "object"), (10**400, "too large"), ([10**400, 0], "too large"), (iter([1]), "list_iterator"),
    (Odd(), "no array of me"),
])  # fmt: skip
def test_what_is_no_number_is_refused_with_the_reason(given, why):
    with pytest.raises(StateError) as caught:
        floats(given, says, StateError)
    message = str(caught.value)
    assert message.startswith("thing must be numbers, not ")
    assert why in message
    assert len(message) < 300


@pytest.mark.parametrize("value, why", [
    (np.nan, "nan is not a finite number"), (-np.inf, "-inf is not a finite number"), (1e308, "1e+308 is beyond 1e+30"),
    (-2e30, "-2e+30 is beyond 1e+30"), (np.longdouble("1e4000"), "inf is not a finite number"),
])  # fmt: skip
def test_numbers_without_meaning(value, why):
    for call in (lambda: number(value, says), lambda: numbers([0.0, value], (2,), says)):
        with pytest.raises(ModelError, match="thing must be numbers") as caught:
            call()
        assert why in str(caught.value)
    assert number(HUGE, says) == HUGE


def test_a_wrong_shape_is_told():
    with pytest.raises(ModelError, match=r"not \[1, 2\]: its shape is \(2,\), not \(3,\)"):
        numbers([1, 2], (3,), says)


@pytest.mark.parametrize("shape", [(4,), (3, 2), (2, 2, 2), (0,), ()])
def test_within_sees_every_number(shape, rng):
    array = np.asarray(rng.uniform(-1.0, 1.0, shape))
    assert within(array, 1.0)
    assert within(np.ones(shape), 1.0)  # their norm is larger
    for wrong in (np.nan, np.inf, -1.0000001, 1e200) if array.size else ():
        spoilt = array.copy()
        spoilt.flat[-1] = wrong
        assert not within(spoilt, 1.0)


def test_values_are_shown_in_short():
    assert shown([0, 0, 1.5]) == "[0, 0, 1.5]"
    assert len(shown("a" * 10_000)) <= 60
    assert len(shown(list(range(10_000)))) <= 60
    assert shown(np.zeros((40, 40))) == "an array of shape (40, 40)"
    assert shown(Odd()).startswith(("a Odd", "<Odd"))
    assert "\n" not in shown(np.eye(3))
