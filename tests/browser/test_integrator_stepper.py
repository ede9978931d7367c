"""Stepping an integrator in the browser: stages and steps, ghosts, the marked formula, faults in words."""

from __future__ import annotations

import numpy as np
import pytest

STEP = """
import numpy as np, rbdkit as rbd
model = rbd.library.double_pendulum()
view = rbd.step_integrator(model, [1.2, 0.4], [1.0, -2.0], dt=0.08, beside="symplectic_euler")
view
"""


@pytest.fixture
def stepping(notebook):
    notebook.run(STEP)
    notebook.view()
    return notebook


def press(notebook, name: str) -> None:
    notebook.view().get_by_role("button", name=name, exact=True).click()
    notebook.settle()


def test_stages_stand_as_ghosts_and_mark_their_formula(stepping):
    view = stepping.view()
    for stage in (1, 2, 3):
        press(stepping, "On to the next stage (→)")
        assert stepping.python("print(view.place)") == f"Place(step=0, stage={stage})"
    assert view.locator(".rbd-here code").inner_text().startswith("u3 = 1/2 h k2    v3 = v + 1/2 h a2")
    stage = "view.walks[0].system.poses(view.walks[0].stages(0)[2].x)[1:]"
    asked = np.array(eval(stepping.python(f"print({stage}.tolist())")))
    np.testing.assert_allclose(stepping.poses()[5:7], asked, atol=1e-6)
    assert view.evaluate("view => view.core.arrows.meshes.length") == 4  # two bodies: velocity, and its rate
    assert "a3" in view.locator(".rbd-values").first.inner_text()
    stepping.keep("integrator-stage", view)
    press(stepping, "One stage back (←)")
    assert stepping.python("print(view.place)") == "Place(step=0, stage=2)"


def test_slopes_of_the_stages_stand_in_the_phase_plane(stepping):
    view = stepping.view()
    stepping.python("view.restart()")
    stepping.settle()
    words = "svg => [...svg.querySelectorAll('.rbd-slope')].map(text => text.textContent)"
    plane = view.locator(".rbd-plane")
    assert plane.evaluate(words) == []
    counts = []
    for stage in (1, 2, 3):
        press(stepping, "On to the next stage (→)")
        assert plane.evaluate(words) == ["k\u2081", "k\u2082", "k\u2083"][:stage]
        counts.append(view.locator(".rbd-count").inner_text().split(" ")[0])
    assert counts == ["2", "3", "4"]  # counted by stages
    rows = np.array(eval(stepping.python("print(view.panel.slopes['stages'])")))
    assert rows.shape == (3, 4)
    np.testing.assert_allclose(rows[:, 2], rows[:, 1], rtol=1e-12)  # hinges: the rate of the angle is the velocity
    press(stepping, "On to the next step (PageDown)")
    assert view.locator(".rbd-count").inner_text().split(" ")[0] == "6"
    assert "after 1 step," in view.locator(".rbd-at").inner_text()
    starts = [mesh for mesh in view.evaluate("view => view.core.arrows.meshes.map(m => m.position.toArray())")]
    assert len({tuple(np.round(at, 9)) for at in starts}) == len(starts) or len(starts) <= 2


def test_keys_work_wherever_the_focus_is_in_the_view(stepping):
    view, keyboard = stepping.view(), stepping.page.keyboard
    stepping.python("view.restart()")
    stage = "view.place.stage"

    def orbit() -> None:
        box = view.locator(".rbd-canvas").bounding_box()
        stepping.page.mouse.move(box["x"] + 40, box["y"] + 150)
        stepping.page.mouse.down()
        stepping.page.mouse.move(box["x"] + 120, box["y"] + 160, steps=3)
        stepping.page.mouse.up()

    view.locator(".rbd-stepper").scroll_into_view_if_needed()
    places = {
        "the picture": orbit,
        "a button": lambda: view.get_by_role("button", name="Home view (H)").click(),
        "a switch that is drawn again": lambda: view.locator(".rbd-stepper .rbd-chip").first.click(),
        "the numbers": lambda: view.locator(".rbd-values").first.click(),
        "the slider": lambda: view.locator(".rbd-stepper .rbd-scrub").focus(),
    }
    for name, go in places.items():
        go()
        stepping.settle()
        keyboard.press("Home")
        assert stepping.reaches("view.place.step", 0.0) == 0.0 and stepping.reaches(stage, 0.0) == 0.0, name
        keyboard.press("ArrowRight")
        assert stepping.reaches(stage, 1.0) == 1.0, name
        keyboard.press("ArrowRight")
        assert stepping.reaches(stage, 2.0) == 2.0, name
        keyboard.press("ArrowLeft")
        assert stepping.reaches(stage, 1.0) == 1.0, name
    assert stepping.page.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex") == 0


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_steps_move_both_integrators_and_the_drifts_stand_side_by_side(stepping, theme):
    stepping.theme(f"JupyterLab {theme}")
    stepping.python("view.restart()")
    press(stepping, "Ten steps (R)")
    press(stepping, "On to the next step (PageDown)")
    view = stepping.view()
    poses = stepping.poses()
    for k, nodes in enumerate((slice(1, 3), slice(3, 5))):
        same = f"view.walks[{k}].system.poses(view.walks[{k}].state(11).x)[1:]"
        np.testing.assert_allclose(poses[nodes], eval(stepping.python(f"print({same}.tolist())")), atol=1e-6)
    view.locator(".rbd-stepper details summary").click()
    stepping.settle()
    text = view.locator(".rbd-values").last.inner_text()
    assert "joint, rk4" in text and "joint, symplectic_euler" in text and "drift" in text
    stepping.keep(f"integrator-{theme.lower()}", view)
    view.locator(".rbd-stepper details summary").click()
    press(stepping, "One step back (PageUp)")
    assert stepping.python("print(view.place)") == "Place(step=10, stage=0)"
    press(stepping, "Back to the start (Home)")
    assert stepping.python("print(view.place)") == "Place(step=0, stage=0)"
    stepping.theme("JupyterLab Light")
