"""Building models with the mouse: the tree, the form, the handle, undo, and two machines from nothing."""

from __future__ import annotations

import numpy as np
import pytest

KINDS = ["prismatic", "helical", "cylindrical", "planar", "universal", "spherical", "euler_spherical", "free", "fixed"]

BUILD = """
import numpy as np, rbdkit as rbd
from rbdkit.formats import to_dict
builder = rbd.build(name="bench")
builder
"""

ON_SCREEN = """(view, point) => {
    const camera = view.core.models.camera.obj;
    camera.updateMatrixWorld();
    const p = new view.core.graph.THREE.Vector3(...point).project(camera);
    const box = view.querySelector('.rbd-canvas').getBoundingClientRect();
    return [box.left + (p.x + 1) / 2 * box.width, box.top + (1 - p.y) / 2 * box.height];
}"""

SAME_CODE = """
names = {}
exec(builder.draft.code(), names)
print(to_dict(names["model"]) == to_dict(builder.model) and names["model"].describe() == builder.model.describe())
"""


@pytest.fixture
def bench(notebook):
    """An empty builder."""
    notebook.run(BUILD)
    notebook.theme("JupyterLab Light")
    notebook.view().scroll_into_view_if_needed()
    if notebook.value("len(builder.draft.sheet.parts)"):
        pick_menu(notebook, "Start from an example or a text", "Empty world")
    assert notebook.value("len(builder.model.bodies)") == 1
    return notebook


def panel(notebook):
    return notebook.view().locator(".rbd-builder")


def settle(notebook) -> None:
    """Wait until Python has answered all that was asked for, and the picture is drawn."""
    notebook.page.wait_for_function("!document.querySelector('.rbd-builder[data-busy=true]')")
    notebook.settle()


def press(notebook, name: str) -> None:
    panel(notebook).get_by_role("button", name=name, exact=True).first.click()
    settle(notebook)


def pick_menu(notebook, menu: str, entry: str) -> None:
    panel(notebook).get_by_role("button", name=menu, exact=True).click()
    panel(notebook).get_by_role("menuitem", name=entry, exact=True).click()
    settle(notebook)


def field(notebook, name: str):
    return panel(notebook).locator(f"[data-field='{name}']")


def choose(notebook, name: str, value: str) -> None:
    """Click a chip or a button of a field."""
    field(notebook, name).locator(f"[data-value='{value}']").click()
    settle(notebook)


def write(notebook, name: str, *texts: str) -> None:
    """Type into the inputs of a field, letter by letter."""
    for k, text in enumerate(texts):
        cell = field(notebook, name).locator("input").nth(k)
        cell.click()
        cell.press("Control+a")
        cell.press_sequentially(text)
    settle(notebook)


def row(notebook, name: str):
    return panel(notebook).locator(".rbd-leaf", has=notebook.page.get_by_text(name, exact=True))


def select(notebook, name: str) -> None:
    row(notebook, name).click()
    settle(notebook)


def place(notebook, *point: float) -> tuple[float, float]:
    """Where a world point is on the page, px."""
    x, y = notebook.view().evaluate(ON_SCREEN, list(point))
    return x, y


def pull(notebook, start, end, steps: int = 8) -> None:
    """Drag with the mouse."""
    mouse = notebook.page.mouse
    mouse.move(*start)
    mouse.down()
    for s in np.linspace(1.0 / steps, 1.0, steps):
        mouse.move(*(np.array(start) + s * (np.array(end) - np.array(start))))
    mouse.up()
    settle(notebook)


def numbers(notebook, expression: str) -> np.ndarray:
    return np.array(eval(notebook.python(f"print(np.asarray({expression}).tolist())")))


def handle(notebook) -> tuple[np.ndarray, float]:
    """Where the handle is in the world, and how long its arrows are."""
    script = "view => [view.core.gizmo.group.position.toArray(), view.core.gizmo.group.scale.x]"
    at, reach = notebook.view().evaluate(script)
    return np.array(at), reach


def drag_handle(notebook, axis: int, way: float) -> None:
    """Drag an arrow of the handle, whose axes are those of the world, by a length along it."""
    at, reach = handle(notebook)
    direction = np.eye(3)[axis]
    pull(
        notebook,
        place(notebook, *(at + 0.85 * reach * direction)),
        place(notebook, *(at + (0.85 * reach + way) * direction)),
    )


# --- the tree and the form --------------------------------------------------------------------------------------------


def test_a_name_that_is_taken_is_said_beside_the_field_while_it_is_typed(bench):
    press(bench, "+ Body")
    press(bench, "+ Body")
    assert bench.python("print([body.name for body in builder.model.bodies])") == "['world', 'body1', 'body2']"
    steps = bench.value("len(builder.draft.operations)")
    write(bench, "name", "body1")
    assert "called 'body1' is there already" in field(bench, "name").locator(".rbd-remark").first.inner_text()
    assert row(bench, "body1").locator(".rbd-badge").count() == 2
    assert "no model can be made of this draft yet" in bench.python("builder.model")
    bench.keep("builder_finding", bench.view())
    write(bench, "name", "arm")
    assert field(bench, "name").locator(".rbd-remark").count() == 0
    assert bench.python("print(builder.model.bodies[2].name)") == "arm"
    assert bench.value("len(builder.draft.operations)") <= steps + 2  # one step each time the field was entered


def test_every_kind_of_joint_and_its_slider(bench):
    press(bench, "+ Body")
    for kind in [*KINDS, "revolute"]:
        choose(bench, "joint", kind)
        assert bench.python("print(builder.model.joints[1].type.kind)") == kind
        sliders = panel(bench).locator(".rbd-field-slider")
        assert sliders.count() == bench.value("builder.model.nv")
    choose(bench, "axis_of", "x")
    assert bench.python("print(builder.model.joints[1].type)") == "Revolute(axis='x')"
    write(bench, "axis", "3", "0", "4")
    assert bench.python("print(builder.model.joints[1].type)") == "Revolute(axis=[0.6, 0.0, 0.8])"
    choose(bench, "axis_of", "y")
    steps = bench.value("len(builder.draft.operations)")
    slider = panel(bench).locator(".rbd-field-slider input")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    pull(bench, (box["x"] + box["width"] / 2, middle), (box["x"] + 0.75 * box["width"], middle))
    angle = bench.value("builder.q[0]")
    assert angle == pytest.approx(np.pi / 2, abs=0.1)
    np.testing.assert_allclose(bench.poses()[1][:3, 0], [np.cos(angle), 0.0, -np.sin(angle)], atol=1e-6)
    assert bench.value("len(builder.draft.operations)") == steps  # a pose is no step of construction


def test_a_click_on_a_body_selects_it(bench):
    press(bench, "+ Body")
    press(bench, "+ Body")
    bench.page.mouse.click(*place(bench, 0.0, -0.025, 0.06))
    settle(bench)
    assert bench.python("print(builder.selected, builder.draft.sheet.item(builder.key).name)") == "['body1'] body1"
    assert row(bench, "body1").get_attribute("aria-selected") == "true"
    assert bench.view().evaluate("view => view.core.ellipsoids.meshes.length") == 1
    corner = bench.view().locator(".rbd-canvas").bounding_box()
    bench.page.mouse.click(corner["x"] + 40, corner["y"] + 60)
    settle(bench)
    assert bench.value("builder.key") == 0
    choose(bench, "gravity_of", "down y")
    write(bench, "model", "crane")
    assert bench.python("print(builder.model.name, builder.model.gravity)") == "crane [ 0.   -9.81  0.  ]"


def test_shape_density_and_inertia_by_hand(bench):
    press(bench, "+ Body")
    assert bench.value("builder.model.mass") == pytest.approx(0.75)
    choose(bench, "shape", "cylinder")
    write(bench, "dimensions", "0.1", "0.4")
    write(bench, "density", "500")
    assert bench.value("builder.model.mass") == pytest.approx(np.pi * 0.01 * 0.4 * 500.0)
    choose(bench, "inertia_of", "by hand")
    write(bench, "mass", "2")
    assert bench.value("builder.model.mass") == 2.0
    before = bench.picture()
    write(bench, "moments", "1", "1", "9")
    assert "triangle inequality" in panel(bench).locator(".rbd-form .rbd-remark").first.inner_text()
    assert row(bench, "body1").locator(".rbd-badge-1").count() == 1
    bench.keep("builder_inertia", bench.view())
    write(bench, "moments", "0.01", "0.01", "0.015")
    assert panel(bench).locator(".rbd-form .rbd-remark").all_inner_texts() == []
    assert (bench.picture() != before).any()
    write(bench, "mass", "two")
    assert "mass: 'two' is not a number" in field(bench, "mass").inner_text()
    assert bench.value("builder.model.mass") == 2.0
    panel(bench).get_by_text("Springs, losses, limits").click()
    write(bench, "damping", "-1")
    assert "damping [-1.0] must be finite and not negative" in field(bench, "damping").inner_text()
    write(bench, "damping", "0.2")
    write(bench, "lower", "-1.5")
    assert (
        bench.python("print(builder.model.joints[1].damping, builder.model.joints[1].limits.lower)") == "[0.2] [-1.5]"
    )


def test_hanging_elsewhere_and_deleting(bench):
    for _ in range(3):
        press(bench, "+ Body")
    where = numbers(bench, "rbd.forward_kinematics(builder.model, builder.q).poses[3]")
    row(bench, "body3").drag_to(row(bench, "world"))
    settle(bench)
    assert bench.python("print(builder.model.parent)") == "(-1, 0, 1, 0)"
    np.testing.assert_allclose(
        numbers(bench, "rbd.forward_kinematics(builder.model, builder.q).poses[3]"), where, atol=1e-12
    )
    row(bench, "body1").drag_to(row(bench, "body2"))
    settle(bench)
    assert "'body1' cannot hang on 'body2', which it carries" in panel(bench).locator(".rbd-fault").inner_text()
    bench.keep("builder_fault", bench.view())
    select(bench, "body3")
    field(bench, "parent").locator("select").select_option(label="body2")
    settle(bench)
    assert bench.python("print(builder.model.parent)") == "(-1, 0, 1, 2)"
    select(bench, "body2")
    pick_menu(bench, "Delete what is selected (Delete)", "Delete, keep what it carries")
    assert (
        bench.python("print([b.name for b in builder.model.bodies], builder.model.parent)")
        == "['world', 'body1', 'body3'] (-1, 0, 1)"
    )
    select(bench, "body1")
    panel(bench).locator(".rbd-tree").press("ArrowDown")
    settle(bench)
    assert bench.python("print(builder.draft.sheet.item(builder.key).name)") == "body3"
    panel(bench).locator(".rbd-tree").press("Delete")
    settle(bench)
    assert bench.value("len(builder.model.bodies)") == 2


# --- the picture ------------------------------------------------------------------------------------------------------


def test_the_handle_moves_the_joint_in_one_step_that_can_be_undone(bench):
    press(bench, "+ Body")
    press(bench, "+ Body")
    steps = bench.value("len(builder.draft.operations)")
    drag_handle(bench, 0, 0.15)
    at = numbers(bench, "builder.model.joints[2].placement[:3, 3]")
    assert at[0] == pytest.approx(0.15, abs=0.02)
    assert at[1:].tolist() == [0.0, 0.3]  # only along the arrow
    assert bench.value("len(builder.draft.operations)") == steps + 1
    np.testing.assert_allclose(bench.poses()[2][:3, 3], at, atol=1e-6)
    bench.page.keyboard.press("Control+z")
    settle(bench)
    assert numbers(bench, "builder.model.joints[2].placement[:3, 3]").tolist() == [0.0, 0.0, 0.3]
    bench.page.keyboard.press("Control+Shift+z")
    settle(bench)
    assert numbers(bench, "builder.model.joints[2].placement[:3, 3]").tolist() == at.tolist()
    panel(bench).get_by_role("button", name="Undo (Ctrl+Z)").click()
    settle(bench)
    assert numbers(bench, "builder.model.joints[2].placement[:3, 3]").tolist() == [0.0, 0.0, 0.3]


def test_a_frame_is_placed_by_picking_a_point(bench):
    press(bench, "+ Body")
    press(bench, "+ Frame")
    choose(bench, "turn", "pick")
    assert "click the point in the picture" in panel(bench).locator(".rbd-state").inner_text()
    bench.page.mouse.click(*place(bench, 0.0, -0.025, 0.1))
    settle(bench)
    np.testing.assert_allclose(
        numbers(bench, "builder.model.frames[0].placement[:3, 3]"), [0.0, -0.025, 0.1], atol=3e-3
    )
    assert bench.value("builder._picking") == 0


# --- coming and going -------------------------------------------------------------------------------------------------


def test_examples_code_and_files(bench):
    pick_menu(bench, "Start from an example or a text", "double pendulum")
    assert bench.value("builder.model.nv") == 2
    pick_menu(bench, "Copy as code, or save", "Copy as code")
    code = panel(bench).locator("textarea").input_value()
    bench.keep("builder_code", bench.view())
    assert (
        bench.python(f"names = {{}}; exec({code!r}, names); print(to_dict(names['model']) == to_dict(builder.model))")
        == "True"
    )
    texts = {}
    for kind in ("JSON …", "URDF …"):
        pick_menu(bench, "Copy as code, or save", kind)
        texts[kind] = panel(bench).locator("textarea").input_value()
    press(bench, "Close")
    before = bench.python("print(builder.draft.to_json())")
    for text in texts.values():
        pick_menu(bench, "Start from an example or a text", "Empty world")
        assert bench.value("len(builder.model.bodies)") == 1
        pick_menu(bench, "Start from an example or a text", "URDF or JSON …")
        panel(bench).locator("textarea").fill(text)
        press(bench, "Start from this")
        assert bench.value("builder.model.nv") == 2
    for _ in range(4):
        bench.page.keyboard.press("Control+z")
    settle(bench)
    assert bench.python("print(builder.draft.to_json())") == before
    pick_menu(bench, "Start from an example or a text", "URDF or JSON …")
    panel(bench).locator("textarea").fill("hello")
    press(bench, "Start from this")
    assert "neither JSON nor URDF" in panel(bench).locator(".rbd-fault").inner_text()


def test_nothing_is_lost_when_the_cell_runs_again_or_the_page_is_loaded_again(bench):
    press(bench, "+ Body")
    write(bench, "name", "keeper")
    bench.run_all()
    bench.view()
    assert bench.python("print(builder.model.bodies[1].name)") == "keeper"
    assert row(bench, "keeper").count() == 1
    select(bench, "keeper")
    bench.command("docmanager:save")
    bench.settle(500)
    bench.page.reload(wait_until="domcontentloaded")
    bench.wait_for_kernel()
    bench.view().scroll_into_view_if_needed()
    assert row(bench, "keeper").get_attribute("aria-selected") == "true"
    press(bench, "+ Body")
    assert bench.python("print([body.name for body in builder.model.bodies])") == "['world', 'keeper', 'body1']"
    panel(bench).get_by_role("button", name="Undo (Ctrl+Z)").click()
    settle(bench)
    assert bench.value("len(builder.model.bodies)") == 2


# --- two machines from nothing, with the mouse alone ------------------------------------------------------------------


def test_a_four_bar_linkage_from_nothing(bench):
    press(bench, "+ Body")  # the crank stands up
    press(bench, "+ Body")  # the coupler lies
    choose(bench, "turn", "y")
    press(bench, "+ Body")  # the rocker hangs down
    choose(bench, "turn", "y")
    press(bench, "+ Loop")  # its end is tied to the world where it is
    model = "builder.model"
    assert bench.value(f"len({model}.bodies)") == 4
    assert (
        bench.python(f"print({model}.loops[0].joint.type, {model}.loops[0].predecessor, {model}.loops[0].successor)")
        == "Revolute(axis='y') 3 0"
    )
    np.testing.assert_allclose(
        numbers(bench, f"{model}.loops[0].successor_placement[:3, 3]"), [0.3, 0.0, 0.0], atol=1e-9
    )
    assert "closed at this pose" in field(bench, "gap").inner_text()
    severities = "[finding.severity for finding in builder.model.validate()]"
    assert bench.python(f"print({severities})") == "['note']"  # three constraints of the hinge that closes it
    assert bench.python(SAME_CODE) == "True"
    bench.keep("builder_four_bar", bench.view())
    bench.theme("JupyterLab Dark")
    settle(bench)
    bench.keep("builder_four_bar_dark", bench.view())


def test_an_arm_with_six_joints_from_nothing(bench):
    for axis in "zyyxyx":
        press(bench, "+ Body")
        choose(bench, "axis_of", axis)
    select(bench, "body3")
    drag_handle(bench, 1, 0.08)  # the shoulder is set off
    select(bench, "body6")
    choose(bench, "shape", "capsule")
    press(bench, "+ Frame")
    assert bench.python("print([str(j.type) for j in builder.model.joints[1:]])") == str(
        [f"Revolute(axis='{a}')" for a in "zyyxyx"]
    )
    assert bench.value("builder.model.nv") == 6
    assert numbers(bench, "builder.model.joints[3].placement[:3, 3]")[1] == pytest.approx(0.08, abs=0.02)
    assert bench.python("print(builder.model.validate())") == "[]"
    assert bench.python(SAME_CODE) == "True"
    bench.keep("builder_arm", bench.view())


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_every_type_of_joint_has_a_sign(notebook, theme):
    from rbdkit.drafting.kinds import CLASSES

    notebook.run("import rbdkit as rbd\nbuilder = rbd.build(rbd.library.double_pendulum())\nbuilder")
    notebook.theme(f"JupyterLab {theme}")
    notebook.view().scroll_into_view_if_needed()
    notebook.page.locator(".rbd-tree").get_by_text("rod2").first.click()
    chips = notebook.page.locator("[data-field=joint] .rbd-pill")
    chips.first.wait_for()
    signed = chips.evaluate_all("chips => chips.map(({ dataset, firstChild }) => [dataset.value, firstChild.nodeName])")
    assert signed == [[kind, "svg"] for kind in CLASSES]
    shapes = chips.evaluate_all("chips => new Set(chips.map(({ firstChild }) => firstChild.innerHTML)).size")
    assert shapes == len(CLASSES)  # no two look the same
    notebook.keep(f"joint_signs-{theme.lower()}", notebook.page.locator(".rbd-builder").first)
