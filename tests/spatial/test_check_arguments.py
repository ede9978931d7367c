"""Arguments are checked against their annotations: by name, with the value, and what is asked for instead."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from rbdkit.errors import ArgumentError, ModelError
from rbdkit.spatial.check_arguments import answers_keywords, check_arguments, require_switch

Way = Literal["up", "down"]


@check_arguments(most={"count": (10, "eleven do not fit")})
def made(
    length: float = 1.0,
    count: int = 1,
    name: str | None = None,
    closed: bool = False,
    at: tuple[float, float, float] = (0.0, 0.0, 0.0),
    way: Way = "up",
    path: str | Path | None = None,
    *others: float,
    **options: int,
) -> tuple:
    """What it was given."""
    return length, count, name, closed, at, way, others, options


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"length": "1"}, r"made: length = '1' must be a number: it is text"),
        ({"length": [1.0, 2.0]}, r"length = \[1.0, 2.0\] must be a number: its shape is \(2,\)"),
        ({"length": np.nan}, "length = nan must be a number: nan is not a finite number"),
        ({"length": 10**400}, "length = 1000.* must be a number"),
        ({"length": None}, "length = None must be a number"),
        ({"count": 2.0}, "count = 2.0 must be a whole number"),
        ({"count": 11}, "count = 11 is more than 10: eleven do not fit"),
        ({"name": 3}, "name = 3 must be text or None"),
        ({"closed": np.zeros(2)}, "closed = array.* must be True or False"),
        ({"at": ((1,), 0, 0)}, r"at = \(\(1,\), 0, 0\) must be 3 numbers"),
        ({"way": "left"}, "way = 'left' must be one of 'up', 'down'"),
        ({"way": np.array(["up", "down"])}, "way = .* must be one of"),
        ({"path": 3}, "path = 3 must be text or a Path or None"),
    ],
)
def test_what_does_not_fit_is_named_shown_and_mended(given, says):
    with pytest.raises(ModelError, match=says):
        made(**given)


def test_what_fits_passes_as_it_is():
    at = np.ones(3)
    assert made(np.float32(0.5), np.int64(10), "rod", np.True_, at, "down", None, 1.0, x=3)[4] is at
    assert made(2)[0] == 2 and made(np.array(0.5))[0] == 0.5


def test_calls_that_do_not_fit_the_signature_are_pythons_to_refuse():
    with pytest.raises(TypeError, match=r"made\(\) got multiple values for argument 'length'"):
        made(1.0, length=2.0)
    assert list(inspect.signature(made).parameters)[:2] == ["length", "count"]


def test_keywords_of_other_libraries_are_answered_with_ours():
    @answers_keywords({"radius": "give the diameter, diameter="})
    def ball(diameter: float) -> float:
        return diameter

    with pytest.raises(ArgumentError, match="ball has no argument 'radius'; give the diameter, diameter="):
        ball(radius=1.0)


def test_switches_are_switches():
    require_switch("loop", True)
    with pytest.raises(ModelError, match="loop = 'no' must be True or False"):
        require_switch("loop", "no")
