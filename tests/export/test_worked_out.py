"""Functions of playgrounds as programs of a page: what is recorded, and what no page can work out, by name."""

from __future__ import annotations

import re

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.export.worked_out import MOST_VARIANTS, worked_out_of
from rbdkit.figures import Plot
from rbdkit.scene import Arrow, Ellipsoid
from rbdkit.trace import trace
from rbdkit.widgets import Picture, Playground, Slider
from rbdkit_course.featherstone import pictures

ONE = (Slider("a", "rad", -2.0, 2.0, 0.5),)


def found(draw, sliders=ONE, scene=None, **options):
    playground = Playground("One", sliders, draw, scene, **options)
    try:
        return worked_out_of(playground)
    finally:
        playground.close()


def test_texts_keep_places_for_their_numbers():
    what = found(lambda a: Picture(readout=[("twice", f"{2 * a:+.2f} m")], note=f"{a:g}, {np.sin(a):.1e}: {3.0:.1f}"))
    (told,) = what["variants"]
    assert told["readout"] == [["twice", {"words": ["", [0, "+.2f"], " m"]}]]
    assert told["note"] == {"words": ["", [1, "g"], ", ", [2, ".1e"], ": 3.0"]}
    assert told["size"] == 3


def test_every_choice_is_a_program():
    def draw(a, shape, end):
        return Picture(arrows=[Arrow(0, (a, 0, 0), (0, 0, 1), "#ff0000")] * (2 if shape == "two" else 1), note=end)

    sliders = [
        *ONE,
        Slider("shape", "", 0, 1, 0, choices=("one", "two")),
        Slider("end", "", 0, 2, 0, choices=tuple("xyz")),
    ]
    what = found(draw, sliders, rbd.library.pendulum())
    assert what["choices"] == [1, 2, 3]
    assert [(len(told["arrows"]), told["note"]) for told in what["variants"]] == [(n, e) for n in (1, 2) for e in "xyz"]


def test_a_model_is_asked_on_symbols():
    model = rbd.library.double_pendulum()

    def draw(a):
        return Picture(q=[a, 0.3], readout=[("moment", f"{rbd.rnea(model, [a, 0.3], [0, 0], [0, 0])[0]:.3f} N m")])

    what = found(draw, ONE, model)
    assert what["variants"][0]["poses"] == 3 and what["variants"][0]["size"] == 3 * 12 + 1


@pytest.mark.parametrize("picture", ["dh_frames", "force_on_a_joint", "screw_field", "spinning_body"])
def test_pictures_of_the_course_that_draw_no_figure_are_worked_out(picture):
    """What is written in them without branches stays so: they live in pages and saved notebooks, with their handles."""
    playground = getattr(pictures, picture)()
    found = worked_out_of(playground)
    assert not isinstance(found, str), found
    assert (found["drag"] is None) == (playground.dragged is None)
    playground.close()


def branching(a):
    return Picture(note="right" if a > 0.0 else "left")


def refusing(a):
    if not hasattr(a, "hex") or a <= 1.9:
        return Picture(note=f"{a:.2f}")
    raise rbd.errors.StateError("a is too long")


def drawing(a):
    figure = Plot(figsize=(2.0, 1.0))
    figure.subplots().plot([0.0, 1.0])
    return Picture(figure=figure)


CALLS: list[float] = []


def counting(a):
    CALLS.append(0.0)
    return Picture(note=f"{len(CALLS)}")


@pytest.mark.parametrize(
    ("draw", "why"),
    [
        (branching, "cannot branch"),
        (refusing, "it refuses a = 2: a is too long"),
        (drawing, "it draws a figure"),
        (counting, "CALLS|it draws something else"),
        (lambda a: Picture(note=str(a)), "without a format"),
        (lambda a: Picture(note=f"{a:,.2f}"), "do not write numbers in the format ',.2f'"),
        (lambda a: Picture(note=f"{a:.3}"), "do not write numbers in the format '.3'"),
        (lambda a: Picture(note=f"{a:.2f}".rstrip("0").rstrip(".")), "it draws something else where a = 0.5"),
        (lambda a: Picture(note=f"{a:.2f}".replace("-", "minus ")), "it draws something else where a = -2"),
        (lambda a: Picture(note=f"{a:.1f}"[:3]), "it draws something else"),
        (lambda a: Picture(note="%.2f" % a), "no value yet"),  # noqa: UP031
    ],
)
def test_what_no_page_can_work_out_is_named(draw, why):
    what = found(draw)
    assert isinstance(what, str)

    assert re.search(why, what), what


def test_too_many_choices_are_named():
    sliders = [Slider(name, "", 0, 8, 0, choices=tuple("abcdefghi")) for name in "xy"]
    assert found(lambda x, y: Picture(note=x + y), sliders) == "its choices make 81 programs" and MOST_VARIANTS < 81


def test_a_function_without_numbers_is_played_back():
    assert found(lambda: Picture(note="always"), ()) == "it has no sliders"


def test_what_depends_on_more_than_the_sliders_is_found_out():
    """A last digit may be rounded either way, and no more."""
    state = np.zeros(1)

    def draw(a):
        state[0] = a if hasattr(a, "hex") else 0.0
        return Picture(note=f"{a + state[0]:.3f}")

    assert isinstance(found(draw), str)


def test_arrows_and_ellipsoids_are_compared():
    """Equal at the slider's ends and middle, and nowhere else: the settings drawn at random tell."""

    def draw(a):
        x = float(a) if hasattr(a, "hex") else a
        bent = x * (x - 2.0) * (x + 2.0) * (x - 0.5) if hasattr(a, "hex") else 0.0
        return Picture(ellipsoids=[Ellipsoid(0, np.array([bent, 0.0, x]), np.eye(3), np.full(3, 0.1), "#112233")])

    what = found(draw, ONE, rbd.library.pendulum())
    assert isinstance(what, str) and "it draws something else where a = " in what


def test_what_is_drawn_besides_numbers_is_kept():
    def draw(a):
        kinds = ("straight", "turning")
        arrows = [Arrow(k, (0, 0, 0), (a, 0, 1), ("#ff0000", "#00ff00")[k], kinds[k], f"v{k}") for k in range(2)]
        return Picture(arrows=arrows, idle=["a"], units={"a": "°"})

    (told,) = found(draw, ONE, rbd.library.pendulum())["variants"]
    assert told["arrows"] == [[0, 1.0, 0.0, 0.0, 0], [1, 0.0, 1.0, 0.0, 1]]
    assert told["arrow_names"] == [["v0", ""], ["v1", ""]]
    assert (told["idle"], told["units"], told["handle"]) == (["a"], {"a": "°"}, False)


def test_another_number_of_arrows_is_another_picture():
    """With numbers one more than with symbols; each by itself agrees."""

    def draw(a):
        return Picture(arrows=[Arrow(0, (0, 0, 0), (1, 0, a), "#ff0000")] * (1 + hasattr(a, "hex")))

    assert "it draws something else" in found(draw, ONE, rbd.library.pendulum())


def test_functions_are_asked_within_the_ranges_of_their_sliders(monkeypatch):
    asked, own = [], Playground.drawn_at

    def drawn_at(self, numbers):
        asked.append(numbers)
        return own(self, numbers)

    monkeypatch.setattr(Playground, "drawn_at", drawn_at)
    whole, shape = Slider("n", "", 2, 5, 3, whole=True), Slider("shape", "", 0, 1, 1, choices=("one", "two"))
    found(lambda a, n, shape: Picture(note=f"{a:.2f} {n:.0f} {shape}"), [*ONE, whole, shape])
    a, n, shapes = np.array(asked).T
    assert set(n) == {2.0, 3.0, 4.0, 5.0} and set(shapes) == {0.0, 1.0}
    assert np.abs(a).max() == 2.0 and len(set(a)) > 8


def test_a_function_that_keeps_something_is_not_called_with_symbols():
    """What it keeps would be symbols from then on."""

    class Kept:
        place = 0.0

    kept = Kept()

    def draw(a):
        kept.place = a
        return Picture(note=f"{a:.2f}")

    assert "keeps" in found(draw)
    assert isinstance(kept.place, float)


def test_a_handle_that_no_picture_has_is_none():
    def drag(pose):
        return {"a": float(pose[0, 3])}

    assert found(lambda a: Picture(note=f"{a:.1f}"), ONE, rbd.library.pendulum(), on_drag=drag)["drag"] is None
    alone = found(lambda a: Picture(note=f"{a:.1f}", handle=rbd.pose()), ONE, on_drag=drag)
    assert alone["drag"] is None


@pytest.mark.parametrize(("sideways", "known"), [(False, True), (True, False)])
def test_a_handle_is_kept_where_its_function_is_known(sideways, known):
    def draw(a):
        return Picture(handle=rbd.pose(position=[np.sin(a), 0.0, -np.cos(a)]), handle_turns=True)

    def drag(pose):
        x, _, z = pose[:3, 3]
        return {"a": float(np.arctan2(x, -z)) if not sideways or x > 0.0 else 0.0}

    what = found(draw, ONE, rbd.library.pendulum(), on_drag=drag)
    assert (what["drag"] == [0]) is known


def test_symbols_go_into_no_text_elsewhere():
    with pytest.raises(TypeError, match="format"):
        trace(lambda x: float(f"{x:.3f}"), ())
