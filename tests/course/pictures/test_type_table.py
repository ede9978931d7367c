"""The table of what goes with what is found out by trying, and agrees with the rules of dual spaces."""

import pytest

from rbdkit_course.featherstone.pictures.type_table import OPERATIONS, VALUES, draw, tried, type_table

ALLOWED = {
    "plus": {("mv", "mv"): "mv", ("fv", "fv"): "fv", ("rbi", "rbi"): "rbi", ("rbi", "abi"): "abi"}
    | {("abi", "rbi"): "abi", ("abi", "abi"): "abi"},
    "dot": {("mv", "fv"): "number", ("fv", "mv"): "number"},
    "cross": {("mv", "mv"): "mv", ("mv", "fv"): "fv"},
    "times": {("rbi", "mv"): "fv", ("abi", "mv"): "fv", ("plx", "mv"): "mv", ("plx", "plx"): "plx"}
    | {("X*", "fv"): "fv", ("scrz", "mv"): "mv"},
    "apply": {(left, kind): kind for left in ("plx", "scrz") for kind in ("mv", "fv", "rbi", "abi")},
}


@pytest.mark.source("FA.03", "FA.04")
@pytest.mark.parametrize("operation", ALLOWED)
def test_what_is_allowed_and_nothing_else(operation):
    found = {(a, b): tried(operation, a, b)[0] for a in VALUES for b in VALUES}
    assert {pair: kind for pair, kind in found.items() if kind} == ALLOWED[operation]


@pytest.mark.source("FA.03")
def test_nothing_becomes_another_kind_by_itself():
    for a in VALUES:
        for b in VALUES:
            assert bool(tried("assign", a, b)[0]) == (a == b)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_each_refusal_says_something(operation):
    for a in VALUES:
        for b in VALUES:
            kind, refusal = tried(operation, a, b)
            assert bool(kind) != bool(refusal)
            assert len(refusal) < 140


def test_pictures():
    assert draw("apply", "plx", "fv").readout == [
        ("expression", "plx.apply(fv)"),
        ("gives", "fv"),
        ("allowed here", "8 of 49"),
    ]
    picture = draw("plus", "mv", "fv")
    assert picture.note == "mv + fv is not defined: an mv adds to an mv, or is subtracted from one"
    assert len(picture.figure.axes[0].texts) == 14 + 6  # the names, and six sums
    playground = type_table()
    playground.set(operation="dot", a="mv", b="fv")
    assert playground.picture.note == "mv · fv is fine, and gives a number."
    playground.close()
