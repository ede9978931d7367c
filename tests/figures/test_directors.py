"""Figures of bodies in directors show what they say, and the table its numbers."""

import matplotlib
import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.figures import directors as figures
from rbdkit.library.gebhardt_romero import CASES
from rbdkit.widgets.table import Table

matplotlib.use("agg")


@pytest.fixture(scope="module")
def motion():
    case = CASES[0]
    options = {"formulation": "non_twisting_directors", "integrator": "energy_momentum"}
    return rbd.simulate(case.model, case.q0, case.v0, 1.0, 0.005, **options)


def test_momenta_are_constant_in_the_body(motion):
    figure = figures.momentum_figure(motion)
    left, right = figure.axes
    assert len(left.lines) == len(right.lines) == 3
    for line, value in zip(right.lines, (144 / 7, -510 / 7, 0.0), strict=True):
        np.testing.assert_allclose(line.get_ydata(), value, atol=1e-11)
    assert np.ptp(left.lines[2].get_ydata()) > 1.0
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_energy_stands_beside_the_quotients(motion):
    figure = figures.energy_figure(motion, [0.5, 1.0], {"a": [4.1, 4.0], "b": [3.9, 4.0]})
    left, right = figure.axes
    np.testing.assert_allclose(left.lines[0].get_ydata(), 717.428571, atol=1e-6)
    assert [line.get_label() for line in right.lines[1:]] == ["a", "b"]


def test_paths_on_the_sphere_are_in_front_or_behind(motion):
    figure = figures.sphere_figure({"d3": motion.x[:, 6:]}, motion.poses("body")[::50, :3, :3])
    (ax,) = figure.axes
    front, behind = (np.array(line.get_data_3d()) for line in ax.lines[:2])
    assert np.isfinite(front).any()
    assert np.isfinite(behind).any()
    np.testing.assert_allclose(np.where(np.isnan(front), behind, front).T, motion.x[:, 6:])
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_components_over_all_and_late_times(motion):
    figure = figures.component_figure({"EM": motion, "again": motion}, 3, late=0.8)
    left, right = figure.axes
    np.testing.assert_array_equal(left.lines[0].get_ydata(), motion.x[:, 8])
    assert right.lines[0].get_xdata()[0] >= 0.8


def test_table_as_text_and_html():
    table = Table(["row", "x", "y"], {"a": [1.0, None], "b<": [np.float64(2.123456789), "n/a"]}, "Title", digits=4)
    assert repr(table) == "Title\nrow      x    y\na        1    –\nb<   2.123  n/a"
    html = table._repr_html_()
    assert "<caption" in html
    assert "b&lt;" in html
    with pytest.raises(ValueError, match="row 'a' has 1 cells for 2 columns"):
        Table(["row", "x", "y"], {"a": [1.0]})
