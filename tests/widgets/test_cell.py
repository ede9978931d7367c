"""Views of an earlier run of the same cell are closed; all others stay."""

import sys
from types import SimpleNamespace

import pytest

import rbdkit as rbd
from rbdkit.widgets.cell import CellRun, running_cell


@pytest.fixture
def run_cell(monkeypatch):
    """Pretend that a front end runs a cell."""

    def run(cell, run):
        metadata = {} if cell is None else {"cellId": cell}
        shell = SimpleNamespace(get_parent=lambda: {"header": {"msg_id": run}, "metadata": metadata})
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))

    return run


def test_only_a_later_run_of_the_same_cell_replaces():
    assert CellRun("a", "2").replaces(CellRun("a", "1"))
    assert not CellRun("a", "1").replaces(CellRun("a", "1"))
    assert not CellRun("b", "2").replaces(CellRun("a", "1"))
    assert not CellRun("a", "2").replaces(None)


def test_no_cell_outside_a_notebook(monkeypatch, run_cell):
    run_cell(None, "callback")
    assert running_cell() is None
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert running_cell() is None
    monkeypatch.delitem(sys.modules, "IPython")
    assert running_cell() is None


def test_a_cell_that_is_run_again_closes_its_views(run_cell):
    model = rbd.library.pendulum()
    run_cell("a", "1")
    first, second = rbd.show(model), rbd.show(model)
    assert first.comm is not None and second.comm is not None  # two in one run
    run_cell("b", "2")
    elsewhere = rbd.show(model)
    run_cell(None, "3")
    from_callback = rbd.show(model)
    run_cell("a", "4")
    again = rbd.show(model)
    assert first.comm is None and second.comm is None
    assert all(view.comm is not None for view in (elsewhere, from_callback, again))
    for view in (elsewhere, from_callback, again):
        view.close()
