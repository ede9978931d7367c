"""Motions laid over each other: ghosts, a layer for each, logarithmic curves, the table."""

from __future__ import annotations

import numpy as np
import pytest

COMPARE = """
import warnings; warnings.simplefilter("ignore")
import rbdkit as rbd
model = rbd.library.double_pendulum()
pairs = [("joint", "rk4"), ("joint", "symplectic_euler"), ("joint", "explicit_euler")]
view = rbd.compare(model, pairs, q0=[1.8, 0.5], duration=2.0, dt=5e-3, steps=[2e-2, 1e-2, 5e-3, 2.5e-3])
view
"""


@pytest.fixture
def compared(notebook):
    notebook.run(COMPARE)
    notebook.view()
    return notebook


def test_ghosts_follow_their_own_motions(compared):
    compared.python("view.stage.t = 1.5")
    compared.settle()
    poses = compared.poses()
    code = "print([c.trajectory.poses()[300, 1:].tolist() for c in view.comparison.contenders])"
    asked = np.array(eval(compared.python(code))).reshape(-1, 4, 4)
    assert len(poses) == 7
    np.testing.assert_allclose(poses[1:], asked, atol=1e-5)
    assert np.abs(asked[:2] - asked[4:]).max() > 0.05  # they do part


def test_each_motion_has_its_switch(compared, changed):
    compared.python("view.stage.t = 1.5")
    before = compared.picture()
    compared.view().get_by_role("button", name="Show and hide: frames, joint axes, trails, grid, ...").click()
    switch = compared.view().locator(".rbd-menu label", has_text="joint, explicit_euler")
    switch.click()
    compared.settle()
    compared.page.keyboard.press("Escape")
    assert compared.python("print(view.stage.hidden())") == "['joint, explicit_euler', 'frames']"
    assert changed(before, compared.picture()) > 0.001


def test_a_motion_stands_out_where_its_row_or_body_is_clicked(compared):
    opacities = """view => Object.fromEntries(view.core.graph.spec.layers.slice(0, 3).map(({ name }) =>
        [name, view.core.graph.members[name][0].material.opacity]))"""
    view, rows = compared.view(), compared.page.locator(".rbd-contenders tbody tr")
    names = [f"joint, {name}" for name in ("rk4", "symplectic_euler", "explicit_euler")]
    first = view.evaluate(opacities)
    assert list(first) == names and first[names[0]] == 1.0 > first[names[1]] == first[names[2]] > 0.3
    rows.nth(2).click()
    compared.settle()
    assert compared.python("print(view.stage.standing)") == names[2]
    assert view.evaluate(opacities) == {names[0]: 0.12, names[1]: 0.12, names[2]: 1.0}
    assert [row.get_attribute("aria-selected") for row in rows.all()] == ["false", "false", "true"]
    compared.keep("comparison-standing", compared.page.locator(".jp-OutputArea-output:visible").last)
    compared.python("view.stage._message(None, {'do': 'picked', 'node': 'joint, symplectic_euler: rod1', "
                    "'layer': 'bodies', 'point': [0, 0, 0], 'normal': [0, 0, 1]}, None)")  # fmt: skip
    compared.settle()
    assert view.evaluate(opacities) == {names[0]: 0.12, names[1]: 1.0, names[2]: 0.12}
    rows.nth(1).click()
    compared.settle()
    assert view.evaluate(opacities) == first and compared.python("print(repr(view.stage.standing))") == "''"


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_curves_are_logarithmic_and_the_table_stands_below(compared, theme):
    compared.theme(f"JupyterLab {theme}")
    compared.python("view.stage.t = 1.2")
    compared.settle()
    chip = compared.view().locator(".rbd-chart").first.locator(".rbd-chip", has_text="explicit_euler").last
    shown = float(chip.locator(".rbd-value").inner_text().replace("\u2212", "-"))
    asked = compared.value("view.comparison.contenders[2].drifts['energy'][240]")
    assert shown == pytest.approx(asked, rel=2e-3)
    table = compared.page.locator(".rbd-table")
    assert table.locator("tbody tr").count() == 3
    assert "joint, rk4" in table.inner_text() and "µs a step" in table.inner_text()
    assert table.locator("tbody tr").first.locator(".rbd-best").count() >= 2  # rk4 is the most accurate
    assert compared.page.locator(".rbd-drawing svg").count() == 1
    compared.keep(f"comparison-{theme.lower()}", compared.page.locator(".jp-OutputArea-output:visible").last)
    compared.theme("JupyterLab Light")
