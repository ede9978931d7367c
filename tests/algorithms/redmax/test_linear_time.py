"""The recursive forms visit each body so often and no more, up to 1,000 of them."""

import sys

import numpy as np
import pytest

from rbdkit.algorithms.redmax import InverseInertia, bodies_at, jacobian_product, recursive_hybrid, transposed_product
from rbdkit.library import cuboid_chain

WAYS = {
    "J x": lambda bodies: jacobian_product(bodies, bodies.qd),
    "J^T y": lambda bodies: transposed_product(bodies, np.ones(6 * bodies.n)),
    "recursive hybrid dynamics": lambda bodies: recursive_hybrid(bodies, ["rigid2_joint"], bodies.qd),
    "inverse inertia": lambda bodies: InverseInertia(bodies).times(bodies.qd),
}


@pytest.fixture(scope="module")
def chains():
    return [bodies_at(cuboid_chain(n), np.full(n, 0.02), np.full(n, 0.1)) for n in (250, 500, 1000)]


def lines_run(way, bodies) -> int:
    """Lines of Python that it takes; each works on arrays of a fixed size, or on one row of each body at once."""
    count = 0

    def watch(frame, event, _):
        nonlocal count
        count += event == "line"
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        way(bodies)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.source("S2.23", "S2.25", "S2.26")
@pytest.mark.parametrize("name", WAYS)
def test_twice_the_bodies_are_twice_the_work(name, chains):
    few, some, many = (lines_run(WAYS[name], bodies) for bodies in chains)
    assert many - some == 2 * (some - few) > 1000
