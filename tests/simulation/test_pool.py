"""How one who waits for chunks in other threads stops them."""

import threading

import pytest

from rbdkit.simulation.ensembles.pool import Line


def test_a_chunk_is_interrupted_once():
    """What catches the interruption reports how far it came, over the same line."""
    stop = threading.Event()
    line = Line(stop)
    line(0.25)
    assert line.fraction == 0.25
    stop.set()
    with pytest.raises(KeyboardInterrupt):
        line(0.5)
    try:
        line(0.75)
    except KeyboardInterrupt:
        pytest.fail("interrupted twice")
    assert line.fraction == 0.75
