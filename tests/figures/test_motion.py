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


def test_quantities_are_chosen_by_name():
    model = rbd.library.double_pendulum()
    swing = rbd.simulate(model, [1.0, 0.5], duration=0.1, dt=1e-2, tau=[0.2, 0.1])
    figure = rbd.plot(swing, "v", "tau")
    assert [ax.get_ylabel() for ax in figure.axes] == ["v (rad/s)", "tau (N m)"]
    np.testing.assert_array_equal(figure.axes[0].lines[1].get_ydata(), swing.v[:, 1])
    np.testing.assert_array_equal(figure.axes[1].lines[0].get_ydata(), swing.tau[:, 0])
    assert [ax.get_ylabel() for ax in rbd.plot(swing, "q").axes] == ["q (rad)"]
    ensemble = rbd.sweep(model, {"rod1.mass": [1.0, 2.0]}, duration=0.1)
    np.testing.assert_array_equal(rbd.plot(ensemble, "v").axes[1].lines[1].get_ydata(), ensemble.v[1, :, 1])


def test_what_cannot_be_plotted_is_named():
    swing = rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.05)
    for given, says in [
        ((swing, "Q"), "'Q' is no quantity; did you mean 'q'"),
        ((swing, 8.0), "8.0 is no quantity, but a number; write width="),
        ((swing, "tau"), "no joint forces were applied"),
        ((swing, "z"), "model 'pendulum' has no z"),
        ((swing.model,), "trajectory = .* must be a Trajectory or an Ensemble"),
        ((None,), "trajectory = None must be"),
    ]:
        with pytest.raises(rbd.errors.ArgumentError, match=says):
            rbd.plot(*given)
    with pytest.raises(rbd.errors.ArgumentError, match="width = 0 must be from"):
        rbd.plot(swing, width=0.0)
