"""The counting playground shows what was executed, and knows what the book says of it."""

import numpy as np
import pytest

from rbdkit.errors import StateError
from rbdkit.spatial import plucker
from rbdkit.spatial.compact import plx
from rbdkit.trace import Operations
from rbdkit_course.featherstone.pictures.counted_operations import CATALOGUE, KINDS, WAYS, counted
from rbdkit_course.featherstone.pictures.counting import counting, draw

CHEAPER = {("Xᵀ Iᴬ X", "compact"): "128m + 137a", ("Xᵀ Iᵃ X", "compact"): "128m + 137a"}
"""Where fewer operations do than are printed."""


@pytest.mark.source("FA.05", "FA.06", "FA.07", "FA.08", "FA.09", "FA.10")
@pytest.mark.parametrize(("operation", "way"), [(name, way) for name, ways in CATALOGUE.items() for way in ways])
def test_every_operation_costs_what_the_book_says(operation, way):
    found = counted(operation, way)
    assert str(found.operations) == CHEAPER.get((operation, way), CATALOGUE[operation][way].printed)
    lines = [sort for sort, _ in found.lines]
    assert (lines.count("mul"), lines.count("add")) == (found.operations.mul, found.operations.add)


def test_the_listing_is_a_program_that_computes_the_product():
    """Run the listed lines on numbers; the last lines hold the elements of X v."""
    X = plucker.rotx(0.3) @ plucker.xlt([1.0, -2.0, 0.5])
    transform, v = plx.from_matrix(X), np.arange(1.0, 7.0)
    values = dict(zip(KINDS["plx"][0], transform.flat())) | dict(zip(KINDS["mv"][0], v))
    for _, line in counted("X v", "compact").lines:
        name, expression = line.split(" = ")
        values[name] = eval(expression.replace("·", "*").replace("−", "-"), {}, values)
    results = [values[f"t{k}"] for k in range(1, 43)]
    for element in X @ v:
        assert np.abs(np.array(results) - element).min() < 1e-14


def test_scalars_of_a_second_argument_of_the_same_kind_have_a_prime():
    lines = [text for _, text in counted("v × w", "compact").lines]
    assert lines[0] == "t1 = ωy · ωz′" and not any("ωz · ωz" in text for text in lines)


def test_no_screw_without_a_transform():
    with pytest.raises(StateError, match=r"no transform in I v, .* choose matrices or compact"):
        counted("I v", "screw about z")


def test_picture():
    picture = draw("Xᵀ I X", "compact", 100)
    assert picture.readout == [
        ("counted", "52m + 56a"),
        ("in the book", "52m + 56a"),
        ("of the matrices' cost", f"{108 / 792:.0%}"),
    ]
    bars, squares, listing = picture.figure.axes
    widths = [bar.get_width() for bar in bars.patches]
    assert widths == [432, 360, 52, 56, 16, 15, 16, 15]
    assert len(squares.collections[0].get_offsets()) == Operations(mul=52, add=56).total
    assert listing.texts[-1].get_text() == "line 108 of 108"
    assert ("in the book", "137m + 137a (fewer are possible)") in draw("Xᵀ Iᴬ X", "compact", 0).readout


def test_playground_moves_and_refuses():
    playground = counting()
    playground.set(operation="E F", way="matrices")
    assert playground.picture.readout[0] == ("counted", "27m + 18a")
    playground.set(way="screw about z")
    assert "no screw can stand for it" in playground.panel.fault
    assert set(WAYS) == {way for ways in CATALOGUE.values() for way in ways}
    playground.close()
