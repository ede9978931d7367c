"""The figure shows the numbers of the trajectory."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.library import random_tree


def test_lines_are_the_trajectory():
    model = rbd.library.double_pendulum()
    swing = rbd.simulate(model, [1.0, 0.5], duration=0.5, dt=1e-2)
    figure = rbd.plot(swing)
    energy, error, angles = figure.axes
    lines = {line.get_label(): line.get_ydata() for line in (*energy.lines, *angles.lines)}
    np.testing.assert_array_equal(lines["total"], swing.energy().total)
    np.testing.assert_array_equal(lines["hinge2"], swing.q[:, 1])
    np.testing.assert_array_equal(error.lines[0].get_ydata(), swing.energy_error())
    assert [ax.get_ylabel() for ax in figure.axes] == ["energy (J)", "energy error (J)", "q (rad)"]
    assert energy.get_legend() is not None and angles.get_xlabel() == "t (s)"
    assert len(figure._repr_png_()) > 10_000  # a picture, not an empty page


@pytest.mark.parametrize("seed", [1, 2])
def test_every_coordinate_has_a_line_under_its_unit(seed):
    model = random_tree(seed, 17)
    figure = rbd.plot(rbd.simulate(model, model.random_q(seed), duration=0.02, dt=2e-3))
    assert sum(len(ax.lines) for ax in figure.axes[2:]) == model.nq
    assert {ax.get_ylabel() for ax in figure.axes[2:]} == {"q (rad)", "q (m)", "quaternion"}
