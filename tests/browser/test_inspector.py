"""A click on a body opens its facts; they follow the motion and can be copied."""

from __future__ import annotations

import numpy as np
import pytest

from .test_touch import click

RUN = """
import numpy as np, rbdkit as rbd
model = rbd.library.double_pendulum()
traj = rbd.simulate(model, [1.2, 0.4], duration=2.0, dt=1e-2)
view = rbd.show(traj)
view
"""


@pytest.fixture
def shown(notebook):
    notebook.run(RUN)
    notebook.view().scroll_into_view_if_needed()
    return notebook


def middle(notebook, body: int) -> list[float]:
    """A world point on a rod, at the first state."""
    code = f"p = traj.poses()[0, {body}]; print((p[:3, :3] @ model.bodies[{body}].inertia.com + p[:3, 3]).tolist())"
    return eval(notebook.python(code))


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_a_click_opens_the_facts_of_the_body(shown, theme):
    shown.theme(f"JupyterLab {theme}")
    shown.python("view.t = 0.0; view.inspected = ''")
    shown.settle()
    click(shown, *middle(shown, 2))
    panel = shown.view().locator(".rbd-inspector")
    panel.wait_for()
    assert panel.locator(".rbd-bar strong").inner_text() == "rod2"
    assert shown.python("print(view.selected)") == "['rod2']"
    text = panel.inner_text()
    for words in ("velocity", "rad/s, m/s \u00b7 in rod2", "about the world's origin", "spatial acceleration"):
        assert words in text
    shown.python("view.t = 1.0")
    shown.settle()
    velocity = panel.locator(".rbd-fact", has_text="velocity").first.locator("pre").inner_text()
    asked = eval(shown.python("print(rbd.forward_kinematics(model, traj.q[100], traj.v[100]).velocities[2].tolist())"))
    numbers = [float(x) for x in velocity.replace("\u2212", "-").strip("()").replace("|", ",").split(",")]
    np.testing.assert_allclose(numbers, asked, atol=2e-3)
    shown.keep(f"inspector-{theme.lower()}", shown.view())
    panel.get_by_role("button", name="Close").click()
    shown.settle()
    assert shown.view().locator(".rbd-inspector").count() == 0 and shown.python("print(view.selected)") == "[]"
    shown.theme("JupyterLab Light")


def test_nothing_is_cut_off_in_a_narrow_panel(shown):
    shown.python("view.t = 1.0; view.inspected = 'rod2'")
    panel = shown.view().locator(".rbd-inspector")
    panel.wait_for()
    panel.evaluate("panel => panel.querySelectorAll('details').forEach(details => { details.open = true; })")
    cut = """panel => [...panel.querySelectorAll(".rbd-fact, .rbd-head, pre, pre span")].filter(
        part => part.scrollWidth > part.clientWidth + 1
            || part.getBoundingClientRect().right > panel.getBoundingClientRect().right
    ).map(part => part.textContent)"""
    for width in (1280, 1440):
        shown.page.set_viewport_size({"width": width, "height": 900})
        shown.settle()
        assert panel.evaluate(cut) == []
        shown.keep(f"inspector-{width}", shown.view())
    shown.page.set_viewport_size({"width": 1280, "height": 900})
    panel.get_by_role("button", name="Close").click()
    shown.settle()


def test_facts_are_copied_as_numpy(shown):
    shown.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    shown.python("view.t = 1.0; view.inspected = 'rod1'")
    shown.settle()
    shown.view().get_by_role("button", name="Copy v as NumPy", exact=True).first.click()
    shown.settle()
    copied = shown.page.evaluate("navigator.clipboard.readText()")
    same = shown.python(f"print(np.array_equal({copied}, view.facts['v']))")
    assert same == "True"
    shown.python("view.inspected = ''")
