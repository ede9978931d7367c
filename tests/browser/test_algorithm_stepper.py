"""Stepping through an algorithm in the browser: buttons, keys, breakpoints, what is marked and drawn."""

from __future__ import annotations

import pytest

STEP = """
import numpy as np, rbdkit as rbd
model = rbd.load(rbd.library.robot_file("panda"), mimic=False)
rng = np.random.default_rng(1)
q, v, tau = 0.4 * rng.normal(size=model.nq), rng.normal(size=model.nv), rng.normal(size=model.nv)
view = rbd.step_algorithm(rbd.algorithms.aba, model, q, v, tau)
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


def line_at(notebook) -> str:
    """The text of the marked line."""
    return notebook.view().locator(".rbd-here code").inner_text()


def test_the_buttons_run_the_source_line_by_line_and_back(stepping):
    view = stepping.view()
    assert line_at(stepping).strip().startswith("parent, I, f_x, groups = ")
    for _ in range(3):
        press(stepping, "Run one line (→)")
    assert stepping.value("view.k") == 3
    assert line_at(stepping).strip().startswith("qdd, X_0 =")
    assert "IA" in view.locator(".rbd-values").first.inner_text()
    press(stepping, "One line back (←)")
    assert stepping.value("view.k") == 2
    press(stepping, "On to the next body (B)")
    press(stepping, "On to the next body (B)")
    press(stepping, "On to the next body (B)")
    assert "body 3: panda_link2" in view.locator(".rbd-at").inner_text()
    assert stepping.python("print(view.selected)") == "['panda_link2']"
    press(stepping, "On to the next pass (P)")
    assert line_at(stepping).strip() == "for i in model.inward:  # pass 2"
    press(stepping, "Back to the first line (Home)")
    assert stepping.value("view.k") == 0


def test_an_inertia_travels_across_the_joint(stepping):
    stepping.python("view.k = 0; view.drawn |= {'IA'}")
    code = stepping.python("print(*view.recording.sources[0].lines, sep='\\n')").split("\n")
    line = next(k for k, text in enumerate(code) if "IA[p] += " in text)
    stepping.python(f"view.run_to(view.recording.sources[0].first + {line})")
    stepping.settle()
    assert stepping.python("print(view._travel)") == "b''"
    press(stepping, "Run one line (→)")
    i, p = (int(stepping.value(f"view.variables['{name}']")) for name in "ip")
    rows = eval(
        stepping.python("import numpy as np; print(np.frombuffer(view._travel, '<f4').reshape(2, 14).tolist())")
    )
    assert [row[0] for row in rows] == [i, p]
    asked = (
        "from rbdkit.stepping.drawing import apparent_mass; print(apparent_mass(view.variables['{}'][{}])[0].tolist())"
    )
    for row, (name, body) in zip(rows, (("Ia", i), ("IA", p)), strict=True):
        assert row[1:4] == pytest.approx(eval(stepping.python(asked.format(name, body))), abs=1e-5)
    stepping.page.wait_for_function("!document.querySelector('.rbd-view').core.ellipsoids.traveller")  # it has arrived
    last = "view => view.core.graph.nodes.indexOf(view.core.ellipsoids.meshes.at(-1).parent)"
    assert stepping.view().evaluate(last) == p
    press(stepping, "One line back (←)")
    assert stepping.python("print(view._travel)") == "b''"


def test_keys_do_what_the_buttons_do(stepping):
    stepping.python("view.k = 0")
    stepping.view().locator(".rbd-stepper").focus()
    for key, k in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        stepping.page.keyboard.press(key)
        stepping.settle()
        assert stepping.value("view.k") == k
    stepping.page.keyboard.press("p")
    stepping.settle()
    assert stepping.value("view.recording.pass_of(view.k)") == 0


def test_the_description_is_folded_and_nothing_is_cut_off(stepping):
    stepping.python("view.k = 0")
    stepping.settle()
    view = stepping.view()
    code = view.locator(".rbd-code")
    ends = """code => {
        const right = code.getBoundingClientRect().right;
        return [...code.querySelectorAll('code')].flatMap(line => [...line.childNodes]).map(part => {
            const range = document.createRange();
            range.selectNodeContents(part);
            return range.getBoundingClientRect().right - right;
        });
    }"""
    assert max(code.evaluate(ends)) <= 0.0
    assert code.evaluate("code => code.scrollTop") == 0
    inside = """code => { const [a, b] = [code, code.querySelector('.rbd-here')].map(e => e.getBoundingClientRect());
        return a.top <= b.top && b.bottom <= a.bottom; }"""
    assert code.evaluate(inside)
    fold = view.locator(".rbd-fold")
    assert fold.inner_text().startswith("\u25b8 description")
    shown = "code => [...code.querySelectorAll('.rbd-line')].filter(line => !line.hidden).length"
    before = code.evaluate(shown)
    fold.click()
    assert code.evaluate(shown) > before + 15
    fold.click()
    assert code.evaluate(shown) == before
    stage, panel = view.locator(".rbd-picture").bounding_box(), view.locator(".rbd-stepper").bounding_box()
    assert abs(stage["height"] - panel["height"]) <= 2  # as high as the picture


def test_symbols_light_what_they_stand_for_and_arrows_their_symbols(stepping):
    stepping.python("view.k = 0; view.next_body(); view.next_body(); view.next_pass(); view.next_body()")
    stepping.settle()
    view = stepping.view()
    opacities = "view => view.core.arrows.meshes.map(m => [m.userData.symbol.split(' ')[0], m.material.opacity])"
    assert {opacity for _, opacity in view.evaluate(opacities)} == {1.0}
    view.locator(".rbd-stepper .rbd-chip[data-symbol=v]").hover()
    lit = view.evaluate(opacities)
    assert {name for name, opacity in lit if opacity == 1.0} == {"v"} and len({name for name, _ in lit}) > 1
    assert view.locator(".rbd-code .rbd-symbol.rbd-lit").count() > 0
    tag = view.locator(".rbd-name", has_text="v ").first
    assert tag.inner_text().endswith("/s") and "v " in tag.inner_text()  # name, number, unit
    stepping.page.mouse.move(5, 5)
    assert {opacity for _, opacity in view.evaluate(opacities)} == {1.0}
    place = """view => {
        const { arrows, graph } = view.core;
        const mesh = arrows.meshes.find(({ userData }) => userData.symbol === 'v');
        const { label, length } = mesh.userData;
        const middle = new graph.THREE.Vector3(...label.position.map((x, k) => x - 0.4 * length[k]));
        const box = view.querySelector('.rbd-canvas').getBoundingClientRect();
        const p = middle.applyMatrix4(mesh.parent.matrixWorld).project(graph.objects.camera);
        const [x, y] = [(p.x + 1) / 2 * box.width, (1 - p.y) / 2 * box.height];
        return [box.left + x, box.top + y];
    }"""
    x, y = view.evaluate(place)
    stepping.page.mouse.move(x, y)
    stepping.page.wait_for_function("document.querySelectorAll('.rbd-stepper [data-symbol=v].rbd-lit').length > 1")
    stepping.page.mouse.move(5, 5)


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_a_breakpoint_stops_the_run_and_the_body_at_hand_is_drawn(stepping, theme):
    stepping.theme(f"JupyterLab {theme}")
    stepping.python("view.k = 0; view.breakpoints.clear(); view.panel.breakpoints = []")
    stepping.settle()
    line = stepping.view().locator(".rbd-line", has_text="IA[p] += X[i].T @ Ia[i] @ X[i]")
    line.locator(".rbd-gutter").click()
    stepping.settle()
    assert stepping.view().locator(".rbd-stop").count() == 1
    for _ in range(3):
        press(stepping, "Run to the next breakpoint, or to the end (R)")
    assert line_at(stepping).strip().startswith("IA[p] += X[i].T")
    assert stepping.value("view.variables['i']") == stepping.value("len(model.bodies) - 3")
    assert stepping.view().evaluate("view => view.core.arrows.meshes.length") == 3  # v, and S of a slider
    assert stepping.view().evaluate("view => view.core.ellipsoids.meshes.length") == 1
    stepping.keep(f"algorithm-{theme.lower()}", stepping.view())
    stepping.theme("JupyterLab Light")


def test_the_end_is_the_result_of_the_algorithm(stepping):
    stepping.python("view.breakpoints.clear()")
    press(stepping, "Run to the next breakpoint, or to the end (R)")
    stepping.view().locator(".rbd-end").wait_for()
    same = "print(np.array_equal(view.variables['qdd'], rbd.algorithms.aba(model, q, v, tau).qdd))"
    assert stepping.python(same) == "True"


def test_a_chip_switches_what_is_drawn(stepping):
    stepping.python("view.k = 0; view.next_body(); view.next_body(); view.next_pass(); view.next_body()")
    stepping.settle()
    before = stepping.view().evaluate("view => view.core.arrows.meshes.length")
    stepping.view().locator(".rbd-stepper .rbd-chip").filter(has=stepping.page.get_by_text("v", exact=True)).click()
    stepping.settle()
    assert stepping.view().evaluate("view => view.core.arrows.meshes.length") < before
