"""The picture of the README, from today's code: copy ``artefacts/readme.png`` to ``.github`` after a look at it."""

from __future__ import annotations

CELL = """import rbdkit as rbd

arm = rbd.load(rbd.library.robot_file("ur5_robot"))
fall = rbd.simulate(arm, q0=[0.3, -1.2, 1.3, 0.4, 0.5, 0], duration=3, dt=1e-3)
rbd.show(fall)"""

ROWS = """view => [...view.querySelectorAll(".rbd-legend")].map(legend => {
    const { top, bottom } = legend.getBoundingClientRect();
    const chips = [...legend.querySelectorAll(".rbd-chip")].map(chip => chip.getBoundingClientRect());
    const seen = chips.filter(chip => chip.bottom > top && chip.top < bottom);
    return seen.length && seen.every(chip => chip.top >= top - 1 && chip.bottom <= bottom + 1);
})"""


def test_picture_of_the_readme(notebook):
    """A view in a notebook, at a moment of the fall, with whole rows in its legends."""
    notebook.run(CELL)
    view = notebook.view()
    view.evaluate("view => view.core.player.seek(0.608)")
    notebook.settle()
    assert all(view.evaluate(ROWS))
    cell = notebook.page.locator(".jp-CodeCell").first
    path = notebook.keep("readme", cell)
    assert path.stat().st_size > 30_000  # a robot, and not an empty sky
