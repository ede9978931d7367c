"""How a picture is made can be read below it: the function that was called by its name, and what it draws with."""

import html
import re
from functools import partial

from rbdkit.widgets import Picture, Playground, Slider
from rbdkit_course.featherstone.pictures.force_split import force_on_a_joint
from rbdkit_course.lists import pictures

ANGLE = [Slider("a", "rad", -3.0, 3.0, 0.5)]


def text_of(made):
    return html.unescape(re.sub(r"<[^>]*>", "", made))


def read(a):
    return Picture(readout=[("a", f"{a:g}")])


def shifted(offset, a):
    return read(a + offset)


def test_maker_and_drawing_stand_below():
    playground = force_on_a_joint()
    text = text_of(playground.panel.made)
    assert "def force_on_a_joint() -> Playground:" in text and "def _draw(joint: str" in text
    assert "rbdkit_course/featherstone/pictures/force_split.py, line" in text
    playground.close()


def test_a_drawing_inside_its_maker_stands_there_once():
    def here():
        def inner(a):
            return read(a)

        return Playground("inner", ANGLE, inner)

    playground = here()
    text = text_of(playground.panel.made)
    assert text.count("def inner(a):") == 1 and "def here():" in text
    playground.close()


def test_a_part_of_a_function_is_that_function():
    def here():
        return Playground("part", ANGLE, partial(shifted, 0.5))

    playground = here()
    assert "def shifted(offset, a):" in text_of(playground.panel.made)
    playground.close()


def test_what_a_cell_makes_itself_needs_no_copy():
    space = {"Playground": Playground, "ANGLE": ANGLE, "read": read, "__name__": "__main__"}
    exec("playground = Playground('cell', ANGLE, read)", space)
    assert space["playground"].panel.made == ""
    space["playground"].close()


def test_what_has_no_file_has_no_copy():
    space = {"Playground": Playground, "ANGLE": ANGLE, "read": read}
    exec("def make():\n    return Playground('typed in', ANGLE, read)\nplayground = make()", space)
    assert space["playground"].panel.made == ""
    space["playground"].close()


def test_every_picture_of_the_course_tells_how_it_is_made():
    for name in ("push_the_box", "your_own_top", "rolling_ball", "two_frames"):
        playground = pictures()[name]()
        assert f"def {name}(" in text_of(playground.panel.made)
        playground.close()
