"""What a program keeps of links and reads nowhere is taken out, and nothing else."""

import numpy as np
import pytest

from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.motions import MOTIONS
from rbdkit.engine.steps.nodes import Kind
from rbdkit.engine.steps.sizes import CARRIED
from rbdkit.engine.steps.tree import Numbers
from rbdkit.spatial.vector3 import Vector
from rbdkit.trace import Block, Program, executable

HINGES = (Kind(MOTIONS["revolute"]),)
TABLES = {"links": np.array([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1], dtype=np.int64)}
"""The world, and a chain of two hinges."""


def of_two_links(read: bool) -> tuple[Program, int]:
    """Three fields, of which the middle one is read where that is asked for."""
    program = Program("kept")
    tree = LoopTree(program, HINGES)
    a, unread, b = (tree.field(Numbers(size)) for size in (2, 3, 1))
    for i in tree.outward():
        q = program.load("q", i.q)
        a[i], unread[i], b[i] = [q, 2.0 * q], [q, q * q, q + 1.0], [q - 1.0]
    for i in tree.inward():
        own = [*a[i], *b[i], *(unread[i] if read else [])]
        program.store("result", i.v, 0, sum(own[1:], own[0]))
    return program, tree.finish()


def test_what_loops_hand_on_has_places_of_its_own():
    """Sums of two loops that are asked for in turn; more than there is room for is refused."""
    program = Program("sums")
    tree = LoopTree(program, HINGES)
    sums = tree.running({"first": 1.0, "moment": Vector((0.0, 0.0, 2.0))})
    for i in tree.outward():
        q = program.load("q", i.q)
        sums.first += q
        sums.moment += Vector((q, 1.0, q * q))
    product = tree.running({"value": 1.0})
    for i in tree.inward():
        product.value *= program.load("q", i.q)
    for k, x in enumerate([sums.first, *sums.moment, product.value]):
        program.store("result", 0, k, x)
    with pytest.raises(ValueError, match="room for"):
        tree.running({f"v{k}": Vector((0.0, 0.0, 0.0)) for k in range(7)})
    arrays = {"q": np.array([0.5, 0.25]), "result": np.zeros(5), "carried": np.full(CARRIED, np.nan)}
    executable(program, "python").binder({**TABLES}, {}, {"n": 2, "nq": 2, "nv": 2, "width": 0})(arrays, {})()
    assert arrays["result"].tolist() == [1.75, 0.75, 2.0, 2.3125, 0.125]


def run(program: Program, width: int) -> np.ndarray:
    arrays = {"q": np.array([0.5, 0.25]), "result": np.zeros(2), "work": np.full(3 * width, np.nan)}
    code = executable(program, "python")
    code.binder({**TABLES}, {}, {"n": 2, "nq": 2, "nv": 2, "width": width})(arrays, {})()
    return arrays["result"]


def stores(program: Program) -> int:
    loops = [statement for statement in program.body if hasattr(statement, "body")]
    parts = [part for loop in loops for part in _blocks(loop.body)]
    return sum(place[0] == "work" for block in parts for place in block.stores)


def _blocks(body):
    for statement in body:
        if isinstance(statement, Block):
            yield statement
        for part in [getattr(statement, "body", ()), *getattr(statement, "cases", {}).values()]:
            yield from _blocks(part)


def test_fields_that_are_not_read_take_no_room_and_no_time():
    q = np.array([0.5, 0.25])
    (full, width), (bare, narrow) = of_two_links(True), of_two_links(False)
    assert (width, narrow) == (6, 3)
    assert (stores(full), stores(bare)) == (6, 3)
    np.testing.assert_array_equal(run(full, width), 3 * q + (q - 1) + q + q * q + (q + 1))
    np.testing.assert_array_equal(run(bare, narrow), 3 * q + (q - 1))
