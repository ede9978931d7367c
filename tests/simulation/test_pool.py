"""How one who waits for chunks in other threads stops them."""

import os
import threading

import pytest

from rbdkit.simulation.ensembles.pool import Line, own_threads


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


def test_as_many_threads_as_processors_where_nobody_says_how_many_may_be_used(monkeypatch):
    """No operating system but Linux says which; and what is unknown is one."""
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    for processors, threads in ((6, 6), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda processors=processors: processors)
        assert own_threads() == threads
