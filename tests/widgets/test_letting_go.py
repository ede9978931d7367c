"""Models that are let go from a picture: from which state, with what, and what is left behind."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd

MODEL = rbd.library.double_pendulum()


def start_of(toy) -> tuple[list[float], list[float]]:
    start = toy._live["start"]
    return start["q"], start["v"]


@pytest.fixture
def closing():
    things = []
    yield lambda thing: things.append(thing) or thing
    for thing in things:
        thing.close()


def test_a_motion_goes_on_from_the_sample_of_its_picture(closing):
    run = rbd.simulate(MODEL, [2.0, 1.0], duration=1.0, dt=1e-2)
    view = closing(rbd.show(run))
    view.t = 0.5
    toy = closing(view.let_go(dt=2e-3))
    np.testing.assert_array_equal(start_of(toy), [run.q[50], run.v[50]])
    assert toy._live["start"]["dt"] == 2e-3


def test_sliders_and_what_is_built_begin_at_rest(closing):
    sliders = closing(rbd.sliders(MODEL, [0.3, -0.4]))
    assert start_of(closing(sliders.let_go())) == ([0.3, -0.4], [0.0, 0.0])
    builder = closing(rbd.build(MODEL))
    toy = closing(builder.let_go())
    assert start_of(toy) == (list(builder.q), [0.0, 0.0]) and toy.model.mass == pytest.approx(MODEL.mass)


def test_a_tweak_is_let_go_with_its_numbers(closing):
    tweak = closing(rbd.tweak(MODEL, {"rod1.mass": (0.1, 5.0), "hinge1.angle": (-3.0, 3.0)}, duration=0.2))
    tweak.set(**{"rod1.mass": 3.0, "hinge1.angle": 1.5})
    toy = closing(tweak.let_go())
    assert toy.model.body("rod1").inertia.mass == 3.0 and start_of(toy)[0][0] == 1.5


def test_the_button_brings_the_toy_and_takes_it_away(open_widgets):
    before = open_widgets()
    view = rbd.show(MODEL, [0.5, 0.5])
    alone = open_widgets()
    view._message(view, {"do": "let_go"}, [])
    (toy,) = view.below
    assert start_of(toy)[0] == [0.5, 0.5] and open_widgets() > alone
    view._message(view, {"do": "let_go"}, [])
    assert view.below == [] and open_widgets() == alone
    view._message(view, {"do": "let_go"}, [])
    view.close()
    assert open_widgets() == before


def test_what_cannot_be_played_says_why(closing):
    model = rbd.Model("driven")
    law = rbd.Prescribed(rbd.Revolute("y"), lambda t: (np.sin(t), np.cos(t), -np.sin(t)))
    model.add_body("crank", joint=law, inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    view = closing(rbd.show(model))
    view._message(view, {"do": "let_go"}, [])
    assert view.below == [] and "driven" in view._refused
