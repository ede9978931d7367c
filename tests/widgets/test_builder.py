"""The builder without a browser: what its form says and does, what it keeps, what it frees."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.drafting import EXAMPLES, Draft, SetPlacement
from rbdkit.errors import ModelError
from rbdkit.formats import to_dict
from rbdkit.library import double_pendulum, random_tree
from rbdkit.spatial import se3
from rbdkit.widgets import Builder, build
from rbdkit.widgets.touch import Pick


@pytest.fixture
def builder() -> Builder:
    """Two bodies, one on the other; the second is selected."""
    builder = build()
    ask(builder, "add_body")
    ask(builder, "add_body")
    return builder


def ask(builder: Builder, what: str, **more: object) -> None:
    """What the browser would send; nothing may be refused."""
    send(builder, what, **more)
    assert builder.panel.fault == {}


def send(builder: Builder, what: str, **more: object) -> None:
    builder.panel._message(None, {"do": what, **more, "number": builder.panel.answered + 1}, None)


def put(builder: Builder, field: str, value: object) -> None:
    """Set a field of the form."""
    assert field in fields(builder), sorted(fields(builder))
    ask(builder, "set", field=field, value=value)


def fields(builder: Builder) -> dict[str, dict[str, object]]:
    return {field["id"]: field for group in builder.panel.form for field in group["fields"]}


FORM = [
    ("joint", "helical"), ("pitch", ["0.1"]), ("axis_of", "z"), ("axis", ["1", "0", "1"]), ("seen_from", "body"),
    ("joint", "universal"), ("seen_from", "parent"), ("axis2_of", "x"), ("joint", "free"),
    ("translation", "successor"), ("joint", "revolute"), ("axis", ["1", "1", "0"]), ("damping", ["0.1"]),
    ("friction", ["0"]), ("stiffness", ["2,5"]), ("rest", ["0.1"]), ("armature", ["0.01"]), ("lower", ["\u22121"]),
    ("upper", [""]), ("velocity", ["3"]), ("effort", ["10"]), ("shape", "cylinder"), ("dimensions", ["0.1", "0.3"]),
    ("shape_position", ["0", "0", "0.15"]), ("shape_along", "x"), ("shapes", "add"), ("shape_number", "1"),
    ("shape", "capsule"), ("shape", "cone"), ("shape", "sphere"), ("shape", "ellipsoid"), ("shape", "box"),
    ("shapes", "remove"), ("inertia_of", "by hand"), ("mass", ["2"]), ("com", ["0", "0", "0.1"]),
    ("moments", ["1", "1", "1"]), ("products", ["0", "0.1", "0"]), ("inertia_of", "none"), ("inertia_of", "density"),
    ("density", ["500"]), ("parent", "0"), ("name", "arm"), ("joint_name", "elbow"), ("follows", "1"),
    ("ratio", ["2", "0.1"]), ("follows", ""), ("q0", 0.5), ("turn", "x"), ("position", ["1", "2", "3"]),
    ("angles", ["0", "90", "0"]),
]  # fmt: skip


def test_every_field_of_a_body(builder):
    for field, value in FORM:
        put(builder, field, value)
        assert builder.draft.assembly.model is not None, field
    model = builder.model
    joint, body = model.joint("elbow"), model.body("arm")
    assert joint.type.parameters()["axis"] == pytest.approx([np.sqrt(0.5), np.sqrt(0.5), 0.0])
    assert [float(x[0]) for x in (joint.damping, joint.stiffness, joint.rest, joint.armature)] == [0.1, 2.5, 0.1, 0.01]
    assert [float(np.ravel(x)[0]) for x in vars(joint.limits).values()] == [-1.0, np.inf, 3.0, 10.0]
    assert joint.placement.tolist() == [[0, 0, 1, 1], [0, 1, 0, 2], [-1, 0, 0, 3], [0, 0, 0, 1]]  # exact, no round-off
    assert len(body.geometry) == 1
    assert body.parent == 0
    assert builder.q.tolist() == [0.0, 0.5]
    while builder.draft.operations:
        ask(builder, "undo")
    assert builder.draft.sheet.parts == ()


def test_every_field_of_a_loop_a_frame_and_the_world(builder):
    ask(builder, "add_loop")
    assert fields(builder)["gap"]["value"] == "closed at this pose"
    for field, value in [("successor", "1"), ("name", "close"), ("joint", "spherical"), ("position", ["0", "0", "0.1"]),
                         ("successor_angles", ["0", "90", "0"]), ("successor_turn", "y")]:  # fmt: skip
        put(builder, field, value)
    loop = builder.model.loops[0]
    assert (loop.joint.name, loop.joint.type.kind, loop.successor) == ("close", "spherical", 1)
    assert "mm apart" in fields(builder)["gap"]["value"]
    np.testing.assert_array_equal(loop.successor_placement[:3, :3], np.diag([-1.0, 1.0, -1.0]))
    put(builder, "stiffness", ["2", "3", "4"])
    put(builder, "damping", ["0.1", "0", "0"])
    joint = builder.model.loops[0].joint
    assert (joint.stiffness.tolist(), joint.damping.tolist()) == ([2.0, 3.0, 4.0], [0.1, 0.0, 0.0])
    assert fields(builder)["stiffness"]["value"] == ["2", "3", "4"] and "armature" not in fields(builder)
    ask(builder, "add_frame")
    put(builder, "body", "1")
    put(builder, "name", "tool")
    assert builder.model.frame("tool").body == 1
    ask(builder, "delete")
    ask(builder, "select", key=0)
    put(builder, "gravity_of", "down y")
    put(builder, "model", "crane")
    assert builder.model.gravity.tolist() == [0.0, -9.81, 0.0]
    put(builder, "gravity", ["0", "0", "-1.62"])
    assert (builder.model.name, builder.model.gravity.tolist()) == ("crane", [0.0, 0.0, -1.62])


@pytest.mark.parametrize(
    ("what", "message", "words"),
    [
        ("set", {"field": "position", "value": ["a", "0", "0"]}, "position: 'a' is not a number"),
        ("set", {"field": "position", "value": ["1e300", "0", "0"]}, "1e300 is too large"),
        ("set", {"field": "axis", "value": ["0", "0", "0"]}, "has no direction"),
        ("reparent", {"key": 1, "parent": 2}, "'body1' cannot hang on 'body2'"),
        ("redo", {}, "nothing to redo"),
        ("import", {"text": "hello"}, "neither JSON nor URDF"),
        ("set", {"field": "dimensions", "value": ["-1", "1", "1"]}, "must not be negative"),
    ],
)
def test_what_is_refused_is_said_in_the_panel_and_changes_nothing(builder, what, message, words):
    sheet = builder.draft.sheet
    send(builder, what, **message)
    assert words in builder.panel.fault["message"]
    assert builder.panel.fault["field"] == message.get("field", "")
    assert builder.draft.sheet is sheet
    ask(builder, "select", key=0)


def test_findings_stand_beside_their_field_and_the_last_picture_stays(builder):
    put(builder, "stiffness", ["-1"])
    remarks = fields(builder)["stiffness"]["remarks"]
    assert [remark["severity"] for remark in remarks] == ["blocking"]
    assert [row["severity"] for row in builder.panel.tree] == [0, 0, 2]
    assert len(builder.scene.nodes) == 3
    with pytest.raises(ModelError, match="no model can be made"):
        _ = builder.model
    put(builder, "stiffness", ["1"])
    assert "remarks" not in fields(builder)["stiffness"]


def test_dragging_is_one_step_and_follows_the_pose_of_the_picture(builder):
    ask(builder, "select", key=1)
    put(builder, "q0", np.pi / 2)
    ask(builder, "select", key=2)
    steps = len(builder.draft.operations)
    grip = builder._grip()
    np.testing.assert_allclose(grip[:3, 3], [0.3, 0.0, 0.0], atol=1e-12)
    for way in (0.1, 0.2, 0.3):
        builder._handle_dragged(grip @ se3.pose(position=[0.0, 0.0, way]), way == 0.3)
    assert len(builder.draft.operations) == steps + 1
    np.testing.assert_allclose(builder.model.joints[2].placement, se3.pose(position=[0.0, 0.0, 0.6]), atol=1e-15)
    np.testing.assert_allclose(builder._grip()[:3, 3], [0.6, 0.0, 0.0], atol=1e-6)
    builder._handle_dragged(builder._grip(), True)
    assert len(builder.draft.operations) == steps + 2  # another drag is another step


def test_a_loop_joint_is_dragged_closed(builder):
    ask(builder, "add_loop")
    builder._handle_dragged(builder._grip() @ se3.pose(position=[0.1, 0.2, 0.3]), True)
    loop = builder.model.loops[0]
    np.testing.assert_allclose(loop.joint.placement[:3, 3], [0.1, 0.2, 0.6], atol=1e-12)
    np.testing.assert_allclose(loop.successor_placement[:3, 3], [0.1, 0.2, 0.9], atol=1e-12)
    assert builder._gap() < 1e-12


def test_picking_selects_or_places(builder):
    pick = Pick("body1", "bodies", np.array([0.0, 0.0, 0.2]), np.array([1.0, 0.0, 0.0]))
    ask(builder, "pick")
    builder._picked(pick)
    np.testing.assert_allclose(builder.model.joints[2].placement[:3, 3], [0.0, 0.0, 0.2])
    builder._picked(pick)
    assert (builder.key, builder.selected) == (1, ["body1"])
    builder._picked(Pick("", "", np.zeros(3), np.zeros(3)))
    assert builder.key == 0


@pytest.mark.parametrize("kind", ["code", "json", "urdf"])
def test_texts_build_the_model_again(kind):
    builder = build(double_pendulum())
    ask(builder, "export", kind=kind)
    text = builder.panel.export["text"]
    if kind == "code":
        names: dict[str, object] = {}
        exec(text, names)
        assert to_dict(names["model"]) == to_dict(builder.model)
        return
    before = to_dict(builder.model)
    ask(builder, "import", text=text)
    assert builder.model.nv == 2
    assert kind == "urdf" or to_dict(builder.model) == before


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_can_be_opened_and_undone(name):
    builder = build()
    ask(builder, "start", name=name)
    assert to_dict(builder.model) == to_dict(EXAMPLES[name]())
    for row in builder.panel.tree:
        ask(builder, "select", key=row["key"])
    ask(builder, "undo")
    assert len(builder.model.bodies) == 1


def test_every_part_of_a_model_of_all_joints_can_be_selected():
    model = random_tree(3, 18)
    builder = build(model)
    assert to_dict(builder.model) == to_dict(model)
    for row in builder.panel.tree:
        ask(builder, "select", key=row["key"])
        assert sum(id.startswith("q") for id in fields(builder)) <= 6


def test_a_name_goes_on_where_it_was_left():
    first = build(name="a name of this test")
    ask(first, "add_body")
    again = build(name="a name of this test")
    assert again.draft is first.draft
    assert build().draft is not first.draft
    other = build(double_pendulum(), name="a name of this test")
    assert other.draft is first.draft
    assert len(other.model.bodies) == 3
    assert len(build(double_pendulum(), name="a name of this test").draft.operations) == 2  # the same again: no step
    other.undo()
    assert len(other.model.bodies) == 2


def test_steps_from_python_show_at_once(builder):
    builder.do(SetPlacement(2, [0.0, 0.0, 0.5]))
    assert fields(builder)["position"]["value"] == ["0", "0", "0.5"]
    builder.undo()
    assert fields(builder)["position"]["value"] == ["0", "0", "0.3"]
    builder.redo()
    with pytest.raises(ModelError, match="nothing in the draft has the key 9"):
        builder.select(9)
    assert isinstance(builder.draft, Draft)


def test_build_takes_models_only():
    with pytest.raises(TypeError, match=r"build: model = .* must be a Model or None; load a file first"):
        build("robot.urdf")
    assert rbd.build is build


def test_close_frees_every_widget(open_widgets):
    before = open_widgets()
    build().close()
    assert open_widgets() == before


def four_bar_in_the_builder():
    model = rbd.library.planar_four_bar(crank=0.2, coupler=0.5, base=0.45, rocker=0.4)
    builder = rbd.build(model)
    keys = {part.name: part.key for part in builder.draft.sheet.parts}
    return builder, keys, builder.draft.sheet.closures[0].key


def test_a_slider_drags_a_mechanism_while_it_stays_closed():
    builder, keys, loop = four_bar_in_the_builder()
    ask(builder, "select", key=keys["crank"])
    for angle in (0.5, 1.5, -1.0):
        put(builder, "q0", angle)
        assert builder.q[0] == angle and not builder.panel.fault
        np.testing.assert_allclose(rbd.assemble(builder.model, builder.q), builder.q, atol=1e-13)
    ask(builder, "select", key=loop)
    assert fields(builder)["gap"]["value"] == "closed at this pose" and "close" not in fields(builder)
    ask(builder, "select", key=keys["rocker"])
    send(builder, "set", field="q0", value=3.0)
    assert "is at its end" in builder.panel.fault["message"]
    np.testing.assert_allclose(rbd.assemble(builder.model, builder.q), builder.q, atol=1e-13)
    builder.close()


def test_a_loop_that_stands_open_is_closed_by_a_button():
    """Its end on the rocker is put elsewhere; the joints move until it is closed, or the panel says why they cannot."""
    builder, _, loop = four_bar_in_the_builder()
    ask(builder, "select", key=loop)
    place = [f"{x:.6g}" for x in builder.draft.sheet.item(loop).successor_placement[:3, 3] * 0.9]
    put(builder, "successor_position", place)
    assert "mm apart" in fields(builder)["gap"]["value"] and "close" in fields(builder)
    put(builder, "close", "close")
    assert fields(builder)["gap"]["value"] == "closed at this pose" and not builder.panel.fault
    np.testing.assert_allclose(rbd.assemble(builder.model, builder.q), builder.q, atol=1e-13)
    put(builder, "successor_position", ["5", "0", "0"])
    send(builder, "set", field="close", value="close")
    assert "'pin' stays open by" in builder.panel.fault["message"]
    builder.close()
