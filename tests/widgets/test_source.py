"""Sources as they are shown: nothing of them is lost, and it says where they stand."""

from __future__ import annotations

import html
import inspect
import re

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms.sparse import ltl
from rbdkit.widgets import source


@pytest.mark.parametrize("function", [rbd.algorithms.rnea, ltl, rbd.Inertia])
def test_all_of_the_text_is_there(function):
    shown = source(function)._repr_html_()
    text = html.unescape(re.sub(r"<[^>]*>", "", shown[shown.index("<pre>") + 5 : shown.index("</pre>")]))
    assert text.rstrip("\n") == inspect.getsource(function).rstrip("\n") == repr(source(function))


def test_where_it_stands():
    shown = source(rbd.algorithms.rnea, ltl)._repr_html_()
    line = inspect.getsourcelines(rbd.algorithms.rnea)[1]
    assert f"rbdkit/algorithms/rnea.py, line {line}" in shown and "rbdkit/algorithms/sparse/ltl.py" in shown


def test_a_method_begins_at_the_margin():
    assert repr(source(rbd.Inertia.transformed)).startswith(("def ", "@"))


def test_what_has_no_source_is_refused():
    with pytest.raises(TypeError):
        source(len)


def test_docstrings_can_be_left_out():
    short, whole = repr(source(ltl, doc=False)), repr(source(ltl))
    assert "Table 6.3" in whole and "Table 6.3" not in short
    namespace = dict(inspect.getmodule(ltl).__dict__)
    exec(short, namespace)
    H = np.diag([4.0, 9.0, 16.0]) + 1.0
    assert np.array_equal(namespace["ltl"](H.copy(), [-1, 0, 1]), ltl(H.copy(), [-1, 0, 1]))
