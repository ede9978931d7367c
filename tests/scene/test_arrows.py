"""Arrows of spatial vectors: what they show at a point, and how they are packed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.errors import StateError
from rbdkit.scene import Arrow, pack_arrows, spatial_arrows
from rbdkit.spatial import plucker


@pytest.mark.parametrize("kind", ["motion", "force"])
def test_a_spatial_vector_is_drawn_as_it_is_at_the_point(kind):
    """The Plücker transform to a frame at the point gives the same two vectors."""
    rng = np.random.default_rng(5)
    vector, point = rng.normal(size=6), rng.normal(size=3)
    X = plucker.xlt(point)
    there = X @ vector if kind == "motion" else plucker.force(X) @ vector
    turning, straight = spatial_arrows(3, vector, kind, (0.5, 2.0), point)
    assert (turning.kind, straight.kind, turning.node, straight.node) == ("turning", "straight", 3, 3)
    assert_allclose(turning.start, point)
    assert_allclose(turning.vector, 0.5 * there[:3], atol=1e-15)
    assert_allclose(straight.vector, 2.0 * there[3:], atol=1e-15)


def test_arrows_too_short_to_see_are_left_out():
    assert spatial_arrows(1, np.zeros(6), "motion", (1.0, 1.0)) == []
    assert len(spatial_arrows(1, np.array([0.0, 0, 0, 1, 0, 0]), "force", (1.0, 1.0))) == 1


def test_rows_hold_node_start_vector_colour_and_kind():
    packed = pack_arrows([Arrow(2, (1, 2, 3), (4, 5, 6), "#ff0080", "turning")], 3)
    assert_allclose(np.frombuffer(packed, "<f4"), [2, 1, 2, 3, 4, 5, 6, 1, 0, 128 / 255, 1], rtol=1e-6)


@pytest.mark.parametrize(
    ("arrow", "message"),
    [
        (Arrow(3, (0, 0, 0), (1, 0, 0), "#000000"), "arrow 0 is on node 3; there are nodes 0 to 2"),
        (Arrow(1, (0, 0, 0), (np.nan, 0, 0), "#000000"), "arrow 0 on node 1 is not finite"),
    ],
)
def test_an_arrow_that_cannot_be_drawn_is_refused(arrow, message):
    with pytest.raises(StateError, match=message):
        pack_arrows([arrow], 3)
