"""The figure of an ensemble shows its numbers."""

import numpy as np

import rbdkit as rbd
from rbdkit.figures.ensemble import MOST_DIAGRAMS
from rbdkit.library import double_pendulum, random_tree


def test_a_line_for_each_member_coloured_by_its_value():
    values = {"rod1.mass": [3.0, 1.0, 2.0], "hinge1.angle": [0.1, 0.2]}
    ensemble = rbd.sweep(double_pendulum(), values, duration=0.2, dt=1e-2)
    figure = rbd.plot(ensemble)
    first, second, bar = figure.axes
    assert [ax.get_ylabel() for ax in figure.axes] == ["hinge1.angle (rad)", "hinge2.angle (rad)", "rod1.mass (kg)"]
    assert bar.get_ylim() == (1.0, 3.0)
    for member in range(6):
        np.testing.assert_array_equal(second.lines[member].get_ydata(), ensemble.q.reshape(6, -1, 2)[member, :, 1])
    colors = [line.get_color() for line in first.lines]
    assert colors[0] == colors[1] != colors[2] and len(set(colors)) == 3
    assert len(figure._repr_png_()) > 10_000


def test_values_that_are_not_numbers_are_numbered():
    ensemble = rbd.sweep(double_pendulum(), {"integrator": ["rk4", "symplectic_euler"]}, [0.3, 0.1], duration=0.1)
    assert rbd.plot(ensemble).axes[-1].get_ylabel() == "member"


def test_large_models_show_their_first_coordinates():
    model = random_tree(1, 17)
    ensemble = rbd.sweep(model, {"gravity": [[0, 0, -1.0], [0, 0, 0.0]]}, duration=0.01)
    figure = rbd.plot(ensemble)
    assert len(figure.axes) == MOST_DIAGRAMS + 1
