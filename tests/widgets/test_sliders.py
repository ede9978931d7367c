"""Sliders and the coordinates they stand for, without a browser."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.library import random_tree
from rbdkit.widgets import Panel, Slider, sliders
from rbdkit.widgets.coordinates import Coordinates


def arm() -> rbd.Model:
    model = rbd.Model("arm")
    mass = rbd.Inertia(1.0, [0, 0, 0.2])
    model.add_body("base", joint=rbd.Spherical(), inertia=mass, joint_name="ball")
    model.add_body("a", "base", rbd.Revolute("y"), [0, 0, 0.4], mass, joint_name="elbow", limits=rbd.Limits(-1.0, 2.0))
    model.add_body("b", "a", rbd.Revolute("y"), [0, 0, 0.4], mass, joint_name="twin", mimic=rbd.Mimic("elbow", 0.5))
    model.add_body("c", "b", rbd.Prismatic("z"), [0, 0, 0.3], mass, joint_name="slide")
    model.add_body("d", "c", rbd.Universal("x", "y"), [0, 0, 0.3], mass, joint_name="cross")
    return model


def test_one_slider_a_coordinate_with_limits_where_there_are_some():
    view = sliders(arm())
    rows = {slider.name: slider for slider in view.panel.sliders}
    assert list(rows) == ["ball.rx", "ball.ry", "ball.rz", "elbow", "slide", "cross.angle1", "cross.angle2"]
    assert (rows["elbow"].low, rows["elbow"].high, rows["elbow"].hard) == (-1.0, 2.0, True)
    assert (rows["cross.angle1"].low, rows["cross.angle1"].high) == pytest.approx((-np.pi, np.pi))
    assert rows["slide"].unit == "m" and 0.1 < rows["slide"].high < 2.0
    view.close()


def test_moving_a_slider_keeps_q_on_its_manifold():
    view = sliders(arm())
    values = view.panel.numbers
    values[:4] = [0.5, -1.0, 2.0, 1.5]
    view.panel.values = values.tobytes()
    view.panel.asked += 1  # as the browser does
    assert view.panel.answered == view.panel.asked
    assert np.linalg.norm(view.q[:4]) == pytest.approx(1.0, abs=1e-15)
    assert view.model.check_q(view.q)[4] == 1.5
    turned = view.model.joint("ball").type.pose(view.q[:4])[:3, :3]
    assert turned == pytest.approx(rbd.spatial.so3.exp(values[:3]), abs=1e-14)
    view.reset()
    assert np.array_equal(view.q, view.model.neutral())
    view.random()
    assert not np.array_equal(view.q, view.model.neutral()) and -1.0 <= view.q[4] <= 2.0
    view.close()


def test_setting_q_moves_the_sliders():
    view = sliders(arm())
    q = view.model.random_q(3)
    view.q = q
    assert view.coordinates.q(view.panel.numbers) == pytest.approx(
        q * np.array([np.sign(q[0])] * 4 + [1] * 4), abs=1e-12
    )
    view.close()


@pytest.mark.parametrize("seed", range(5))
def test_slider_values_and_coordinates_are_inverse_on_every_joint_type(seed):
    model = random_tree(seed, bodies=16)
    coordinates = Coordinates(model, model.neutral(), 1.0)
    q = model.random_q(seed)
    again = coordinates.q(coordinates.values(q))
    assert model.difference(q, again) == pytest.approx(0.0, abs=1e-12)
    rest = np.array([slider.rest for slider in coordinates.sliders])
    assert coordinates.q(rest) == pytest.approx(model.neutral(), abs=1e-15)
    assert all(slider.low <= slider.rest <= slider.high for slider in coordinates.sliders)


def test_half_open_and_closed_limits_still_give_a_range():
    model = rbd.Model("odd")
    for k, limits in enumerate([rbd.Limits(0.5, np.inf), rbd.Limits(-np.inf, -0.5), rbd.Limits(0.2, 0.2)]):
        model.add_body(f"b{k}", joint=rbd.Revolute("z"), limits=limits)
    for slider in Coordinates(model, model.neutral(), 1.0).sliders:
        assert np.isfinite([slider.low, slider.high]).all() and slider.low < slider.high


def test_a_fault_is_shown_in_the_panel_not_thrown():
    def refuse(values):
        if values[0] > 1.0:
            raise rbd.StateError("too far")

    panel = Panel("Test", [Slider("x", "m", 0.0, 2.0, 0.5)], refuse)
    panel.set([1.5])
    assert panel.fault == "too far"
    panel.reset()
    assert panel.fault == "" and panel.numbers.tolist() == [0.5]
    panel.random()
    assert 0.0 <= panel.numbers[0] <= 2.0
    panel.close()


def browser_moves(view, name, value):
    """One slider is moved, as the browser does it."""
    values = view.panel.numbers
    values[[slider.name for slider in view.panel.sliders].index(name)] = value
    view.panel.values = values.tobytes()
    view.panel.asked += 1


def test_loops_follow_the_slider_in_hand():
    """All the way round, with the slider where the hand has it; and all sliders tell the coordinates."""
    model = rbd.library.planar_four_bar(crank=0.2, coupler=0.5, base=0.45, rocker=0.4)
    view = sliders(model)
    for angle in [*np.linspace(0.0, np.pi, 9), *np.linspace(np.pi, -np.pi, 5)]:
        browser_moves(view, "crank_joint", angle)
        assert view.q[0] == angle and view.panel.fault == ""
        np.testing.assert_array_equal(view.panel.numbers, view.q)
        np.testing.assert_allclose(view.q, rbd.assemble(model, view.q), atol=1e-13)
        assert abs(view.q[2]) < 1.5  # the rocker swings; it has not changed over to the other mode
    view.reset()
    np.testing.assert_array_equal(view.q, model.neutral())
    view.random()
    np.testing.assert_allclose(view.q, rbd.assemble(model, view.q), atol=1e-13)
    view.q = [1.0, 0.0, 0.0]
    np.testing.assert_array_equal(view.q, rbd.assemble(model, [1.0, 0.0, 0.0]))
    view.close()


def test_joints_follow_what_a_constraint_asks():
    model = rbd.library.double_pendulum()
    model.add_constraint("belt", rbd.Tie("hinge2", "hinge1", ratio=-2.0))
    view = sliders(model)
    browser_moves(view, "hinge1", 0.5)
    np.testing.assert_allclose(view.q, [0.5, -1.0], atol=1e-14)
    np.testing.assert_array_equal(view.panel.numbers, view.q)
    browser_moves(view, "hinge2", 0.6)
    np.testing.assert_allclose(view.q, [-0.3, 0.6], atol=1e-14)
    view.close()


def test_at_a_dead_centre_the_slider_stops_and_says_so():
    """The rocker goes to where crank and coupler are in a line, and no further."""
    model = rbd.library.planar_four_bar(crank=0.2, coupler=0.5, base=0.45, rocker=0.4)
    view = sliders(model)
    browser_moves(view, "rocker_joint", 3.0)
    assert "'rocker_joint' is at its end" in view.panel.fault
    tip = model.loops[0].successor_placement[:3, 3]
    to_origin = np.arccos(
        (0.4**2 + 0.45**2 - np.array([0.7, 0.3]) ** 2) / (2.0 * 0.4 * 0.45)
    )  # inner angles at its foot
    now = np.arctan2(tip[2], tip[0]) - view.q[2]
    assert np.min(np.abs(np.pi - to_origin - now)) < 1e-3
    np.testing.assert_array_equal(view.panel.numbers, view.q)
    np.testing.assert_allclose(view.q, rbd.assemble(model, view.q), atol=1e-13)
    browser_moves(view, "rocker_joint", view.q[2] - 0.2)
    assert view.panel.fault == ""
    view.close()


def test_sliders_close_loops_that_stand_open_at_first():
    model = rbd.library.planar_four_bar()
    view = sliders(model, [0.3, 0.0, 0.0])
    np.testing.assert_array_equal(view.q, rbd.assemble(model, [0.3, 0.0, 0.0]))
    view.close()
    platform = sliders(rbd.library.stewart_platform())
    browser_moves(platform, "platform_joint.z", 0.1)
    np.testing.assert_allclose(platform.q, rbd.library.stewart_coordinates(platform.model, [0.0, 0.0, 1.1]), atol=1e-13)
    browser_moves(platform, "platform_joint.rz", 0.4)
    assert platform.panel.fault == "" and platform.q[3] == pytest.approx(np.sin(0.2), abs=1e-14)
    platform.close()
