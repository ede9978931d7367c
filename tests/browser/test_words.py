"""Words of a notebook's text that speak of a picture: they have the colour of their arrow and move sliders."""

from __future__ import annotations

TEXT = """
from IPython.display import Markdown
Markdown("The [velocity](#arrow:v) grows. Make it [longer](#set:a=1.5&shape=wave), or [none](#set:nothing=1); "
         "[w](#arrow:w).")
"""
PICTURE = """
from rbdkit.library import double_pendulum
from rbdkit.scene import Arrow
from rbdkit.widgets import Picture, Playground, Slider
def draw(a, shape):
    ends = {"v": ((0, a, 0.5), "#aa3377"), "f": ((a, 0, 0.5), "#228833")}
    arrows = [Arrow(0, (0, 0, 0), end, color, name=name) for name, (end, color) in ends.items()]
    return Picture([a, 0.0], arrows=arrows, readout=[("shape", shape)])
sliders = [Slider("a", "rad", -2.0, 2.0, 0.5), Slider("shape", "", 0, 1, 0, choices=("power", "wave"))]
playground = Playground("Words", sliders, draw, double_pendulum())
playground
"""


def word(notebook, text: str):
    return notebook.page.locator(".jp-RenderedMarkdown a", has_text=text)


def test_a_word_has_the_colour_of_its_arrow_and_lights_it(notebook):
    notebook.run(TEXT, PICTURE)
    view = notebook.view()
    word(notebook, "velocity").and_(notebook.page.locator(".rbd-spoken")).wait_for()
    assert word(notebook, "velocity").evaluate("a => getComputedStyle(a).color") == "rgb(170, 51, 119)"
    assert word(notebook, "none").evaluate("a => a.classList.contains('rbd-spoken')") is False
    assert word(notebook, "w").last.evaluate("a => a.style.color") == ""  # no such arrow
    word(notebook, "velocity").hover()
    opacity = "view => view.core.arrows.meshes.map(mesh => mesh.material.opacity)"
    notebook.page.wait_for_function("document.querySelector('.rbd-view').core.lit === 'v'")
    assert view.evaluate(opacity) == [1, 0.25]
    notebook.page.mouse.move(5, 5)
    notebook.page.wait_for_function("document.querySelector('.rbd-view').core.lit === ''")
    assert view.evaluate(opacity) == [1, 1]


def test_a_word_moves_the_sliders(notebook):
    notebook.run(TEXT, PICTURE)
    view = notebook.view()
    before = notebook.page.url
    word(notebook, "longer").click()
    assert notebook.reaches("playground.values['a']", 1.5) == 1.5
    notebook.settle()
    assert notebook.python("print(playground.values['shape'])") == "wave"
    assert view.locator(".rbd-readout").inner_text().split("\n") == ["shape", "wave"]
    assert notebook.page.url == before
