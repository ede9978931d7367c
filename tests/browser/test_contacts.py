"""Contacts in the player: arrows that follow the clock, marks on the time line that can be clicked."""

import pytest

pytestmark = pytest.mark.browser

MOTION = """
import rbdkit as rbd
run = rbd.simulate(*rbd.library.bouncing_ball(0.3, 0.6), duration=1.0, dt=4e-3)
view = rbd.show(run)
view
"""


def test_marks_and_arrows(notebook, changed):
    notebook.run(MOTION)
    view = notebook.view()
    view.wait_for()
    notebook.settle(1500)
    marks = view.locator(".rbd-mark")
    count = int(notebook.value("len(run.events)"))
    assert marks.count() == count > 2
    view.locator('.rbd-mark[title*="impact"]').first.click()  # impacts lie over the loss that follows them
    first = notebook.value("run.events[0].t")
    assert notebook.reaches("view.t", first) == pytest.approx(first, abs=1e-9)
    notebook.settle(800)
    with_arrow = notebook.picture()
    notebook.keep("contact_impact")
    notebook.python("view._touching = False; view.arrows([]); view.ellipsoids([])")
    notebook.settle(800)
    assert changed(with_arrow, notebook.picture()) > 1e-4


def test_a_sliding_block(notebook):
    """Four arrows that end on the rims of their cones; for people to look at."""
    notebook.run(
        MOTION.replace("bouncing_ball(0.3, 0.6)", "block_on_slope(0.4, 0.3, speed=1.0)").replace("1.0, dt", "0.3, dt")
    )
    notebook.view().wait_for()
    notebook.python("view.t = 0.1")
    notebook.settle(1000)
    notebook.keep("contact_sliding")
    assert notebook.value("len(view._ellipsoids)") == 4 * 14 * 4  # numbers of four bytes
