"""Sliders that drive a function, and what it draws, without a browser."""

from __future__ import annotations

import numpy as np
import pytest

from rbdkit.errors import RbdkitError, StateError
from rbdkit.figures import Plot
from rbdkit.library import double_pendulum
from rbdkit.scene import Arrow, Ellipsoid, scene_of
from rbdkit.spatial import se3
from rbdkit.widgets import Picture, Playground, Slider, Stop
from rbdkit.widgets.view import View

ANGLES = [Slider("a", "rad", -3.0, 3.0, 0.5), Slider("b", "rad", -3.0, 3.0, -0.2)]
SHAPE = Slider("shape", "", 0, 2, 1, choices=("rod", "box", "disc"))


def pendulum(a: float, b: float) -> Picture:
    if a > 2.0:
        raise StateError(f"a = {a:g} is too far")
    arrow = Arrow(1, (0.0, 0.0, 0.0), (0.0, 0.0, a), "#ff0000")
    return Picture(q=[a, b], arrows=[arrow], readout=[("sum", f"{a + b:.2f} rad")], note="two angles")


def test_the_first_picture_is_that_of_the_sliders_at_rest():
    playground = Playground("Two angles", ANGLES, pendulum, double_pendulum())
    assert playground.values == {"a": 0.5, "b": -0.2}
    assert isinstance(playground.stage, View) and playground.stage.side == [playground.panel]
    assert playground.stage.q == pytest.approx([0.5, -0.2], abs=0)
    assert playground.panel.readout == [["sum", "0.30 rad"]] and playground.panel.note == "two angles"
    assert len(np.frombuffer(playground.stage._arrows, "<f4")) == 11
    playground.close()


def test_a_moved_slider_draws_again():
    playground = Playground("Two angles", ANGLES, pendulum, double_pendulum())
    numbers = playground.panel.numbers
    numbers[1] = 1.0
    playground.panel.values = numbers.tobytes()
    playground.panel.asked += 1  # as the browser does
    assert playground.panel.answered == playground.panel.asked
    assert playground.stage.q == pytest.approx([0.5, 1.0], abs=0)
    playground.set(a=-1.5)
    assert playground.picture.q == [-1.5, 1.0]
    assert repr(playground) == "<Playground 'Two angles': a = -1.5, b = 1.0>"


def test_choices_come_by_their_names():
    seen = []
    playground = Playground("Shapes", [SHAPE], lambda shape: seen.append(shape) or Picture(readout=[("is", shape)]))
    playground.set(shape="disc")
    assert seen == ["box", "disc"] and playground.panel.readout == [["is", "disc"]]
    with pytest.raises(RbdkitError, match="'shape' cannot be 'cube'; choose among 'rod', 'box', 'disc'"):
        playground.set(shape="cube")
    with pytest.raises(RbdkitError, match="no slider 'size'; there are shape"):
        playground.set(size=1.0)


def test_without_a_scene_the_drawing_is_the_picture():
    def curve(a: float, b: float) -> Picture:
        figure = Plot(figsize=(3.0, 2.0))
        figure.subplots().plot([0.0, a], [0.0, b])
        return Picture(figure=figure)

    playground = Playground("Curve", ANGLES, curve)
    assert playground.stage is None and playground.widget is playground.panel and playground.panel.alone
    before = playground.panel.drawing
    assert before.startswith("<svg") and "currentColor" in before
    playground.set(a=2.5)
    assert playground.panel.drawing.startswith("<svg") and playground.panel.drawing != before


def test_what_a_function_refuses_is_said_and_the_picture_stays():
    playground = Playground("Two angles", ANGLES, pendulum, double_pendulum())
    playground.set(a=2.5)
    assert playground.panel.fault == "a = 2.5 is too far"
    assert playground.stage.q == pytest.approx([0.5, -0.2], abs=0)
    playground.set(a=1.0)
    assert playground.panel.fault == "" and playground.stage.q[0] == 1.0


def test_dragging_the_handle_moves_the_sliders():
    scene = scene_of(double_pendulum(), np.zeros(2))

    def point(a: float, b: float) -> Picture:
        blob = Ellipsoid(0, np.array([a, b, 0.0]), np.eye(3), np.full(3, 0.1), "#00ff00")
        return Picture(ellipsoids=[blob], handle=se3.pose(np.eye(3), [a, b, 0.0]), poses=scene.poses)

    playground = Playground("Point", ANGLES, point, scene, on_drag=lambda pose: {"a": pose[0, 3], "b": pose[1, 3]})
    playground.stage._held = {"pose": [1.25, -0.5, 0.0, 0.0, 0.0, 0.0, 1.0], "done": False}
    playground.stage._asked += 1  # as the browser does
    assert playground.values == {"a": 1.25, "b": -0.5}
    assert playground.stage._handle["pose"][:3] == pytest.approx(
        [1.25, -0.5, 0.0], abs=1e-7
    )  # sent in single precision
    assert playground.stage._handle["turn"] is False


def test_closing_leaves_nothing(open_widgets):
    before = open_widgets()
    playground = Playground("Two angles", ANGLES, pendulum, double_pendulum())
    data, _ = playground._repr_mimebundle_()
    assert open_widgets() > before and "application/vnd.jupyter.widget-view+json" in data
    playground.close()
    assert open_widgets() == before


def stroll(**options):
    sliders = [Slider("a", "rad", -2.0, 2.0, 0.5), Slider("shape", "", 0, 1, 0, choices=("power", "wave"))]
    return Playground(
        "A walk", sliders, lambda a, shape: Picture(readout=[("a", f"{a:.1f}"), ("is", shape)]), **options
    )


def test_a_tour_goes_from_stop_to_stop():
    playground = stroll(
        tour=[("Further", {"a": 1.5}, "It grows."), Stop("Another shape", {"shape": "wave"}), ("Rest", {})]
    )
    assert [stop.ask for stop in playground.tour] == ["Further", "Another shape", "Rest"]
    assert playground.panel.tour[0] == {
        "ask": "Further",
        "see": "It grows.",
        "numbers": [1.5, None],
        "jumps": [False, True],
    }
    assert playground.panel.tour[1]["numbers"] == [None, 1.0] and playground.panel.stop == -1
    playground.visit(0)
    playground.visit(1)
    assert playground.values == {"a": 1.5, "shape": "wave"} and playground.panel.stop == 1
    assert playground.picture.readout == [("a", "1.5"), ("is", "wave")]
    playground.visit(2)
    assert playground.values == {"a": 1.5, "shape": "wave"}
    playground.set(a=0.1)
    assert playground.panel.stop == -1  # it is no stop any more
    for stop in (3, -1):
        with pytest.raises(RbdkitError, match=f"no stop {stop}; it has 3"):
            playground.visit(stop)
    playground.close()


@pytest.mark.parametrize(
    ("stop", "what"),
    [
        (("Further", {"b": 1.0}), "no slider 'b'; there are a, shape"),
        (("Further", {"shape": "round"}), "'shape' cannot be 'round'"),
        ("Further", "'Further' is no stop of a tour"),
        (("Further", 1.0), "is no stop of a tour"),
    ],
)
def test_a_tour_that_leads_nowhere_is_refused(stop, what):
    with pytest.raises(RbdkitError, match=what):
        stroll(tour=[stop])
