"""Form of the selected item: its settings as groups of fields.

A field is {id, label, kind, value, ...}; kind is 'text', 'numbers' (several in a row), 'chips' (one of a few), 'select'
(one of many), 'slider', 'buttons' or 'note'. Numbers are exchanged as texts, so that anything may be typed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from rbdkit.drafting import GROUND, Closure, Mark, Part, Sheet
from rbdkit.drafting.assemble import inertia_of
from rbdkit.drafting.fresh import IN_LOOPS, usual
from rbdkit.drafting.kinds import CLASSES
from rbdkit.joints import JointType, Reversed
from rbdkit.joints.axis import axis_argument, unit_axis
from rbdkit.model import Box, Ellipsoid, Geometry, Mesh, Shape
from rbdkit.model.numbering import WORLD
from rbdkit.spatial.inertia import Inertia
from rbdkit.widgets.panel import Slider

Field = dict[str, Any]
SHAPES = ("box", "sphere", "cylinder", "capsule", "cone", "ellipsoid")
DIMENSIONS = {
    "box": ("x", "y", "z"),
    "sphere": ("radius",),
    "ellipsoid": ("x", "y", "z"),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "cone": ("radius", "length"),
}
LOSSES = {
    "damping": "Viscous: the joint resists with this times its velocity",
    "friction": "Dry friction (Coulomb), smooth below 0.01 rad/s or m/s",
    "stiffness": "Of a spring towards the rest position",
    "rest": "Where the spring is slack",
    "armature": "Inertia of the rotor behind the gear",
}
LIMITS = {
    "lower": "Smallest coordinate; empty for none",
    "upper": "Largest coordinate; empty for none",
    "velocity": "Largest speed; empty for none",
    "effort": "Largest force or moment; empty for none",
}


def shown(value: float) -> str:
    """Write a number as it is typed; an infinite one is an empty field."""
    return f"{value + 0.0:.10g}" if np.isfinite(value) else ""


def _texts(values: Iterable[float]) -> list[str]:
    return [shown(value) for value in values]


def _numbers(id: str, label: str, values: Iterable[float], names: Sequence[str], unit: str, tip: str = "") -> Field:
    return {"id": id, "label": label, "kind": "numbers", "value": _texts(values), "names": list(names), "unit": unit,
            "tip": tip}  # fmt: skip


def _chips(id: str, label: str, value: str, choices: dict[str, str], tip: str = "") -> Field:
    pairs = [{"value": name, "label": name.replace("_", " "), "tip": words} for name, words in choices.items()]
    return {"id": id, "label": label, "kind": "chips", "value": value, "choices": pairs, "tip": tip}


def _select(id: str, label: str, value: str, choices: Sequence[tuple[str, str]], tip: str) -> Field:
    pairs = [{"value": name, "label": words} for name, words in choices]
    return {"id": id, "label": label, "kind": "select", "value": value, "choices": pairs, "tip": tip}


def _text(id: str, label: str, value: str, tip: str, hint: str = "") -> Field:
    return {"id": id, "label": label, "kind": "text", "value": value, "tip": tip, "hint": hint}


def _group(title: str, *fields: Field, open: bool = True) -> dict[str, Any]:
    return {"title": title, "open": open, "fields": list(fields)}


def form(
    sheet: Sheet, key: int, sliders: Sequence[tuple[Slider, float]], shape: int, gap: float | None
) -> list[dict[str, Any]]:
    """Return the groups of fields for the item with a key.

    Parameters
    ----------
    sliders : sequence
        Sliders of the joint, with their values.
    shape : int
        Number of the shape whose fields are shown.
    gap : float or None
        For a loop joint, the distance of its frames, m.
    """
    if key == GROUND:
        return _whole(sheet)
    item = sheet.item(key)
    if isinstance(item, Part):
        return _body(sheet, item, sliders, shape)
    if isinstance(item, Closure):
        return _loop(sheet, item, gap)
    return _frame(sheet, item)


def _whole(sheet: Sheet) -> list[dict[str, Any]]:
    directions = {"down z": "Earth, z up", "down y": "Earth, y up", "none": "Weightless"}
    now = {(0.0, 0.0, -9.81): "down z", (0.0, -9.81, 0.0): "down y", (0.0, 0.0, 0.0): "none"}.get(sheet.gravity, "")
    gravity = _numbers("gravity", "", sheet.gravity, "xyz", "m/s²", "Acceleration of free fall in the world")
    return [
        _group("Model", _text("model", "name", sheet.name, "What the model is called")),
        _group("Gravity", _chips("gravity_of", "preset", now, directions), gravity),
    ]


def _bodies(sheet: Sheet, without: set[int]) -> list[tuple[str, str]]:
    own = [(str(part.key), part.name) for part in sheet.parts if part.key not in without]
    return [(str(GROUND), WORLD), *own]


def _body(sheet: Sheet, part: Part, sliders: Sequence[tuple[Slider, float]], shape: int) -> list[dict[str, Any]]:
    parents = _bodies(sheet, sheet.subtree(part.key))
    moves = [_slider(part.joint, k, slider, value) for k, (slider, value) in enumerate(sliders)]
    head = _group(
        part.name or "(no name)",
        _text("name", "name", part.name, "Name of the body"),
        _select("parent", "parent", str(part.parent), parents, "The body it hangs on; it stays where it is"),
    )
    joint = _group("Joint", *_joint(part.joint), *moves)
    return [head, joint, _place(part.placement, "Place of the joint in its parent"), _springs(sheet, part),
            _shapes(part, shape), _inertia(part)]  # fmt: skip


def _slider(joint: JointType, k: int, slider: Slider, value: float) -> Field:
    label = joint.q_names[0] if joint.nq == 1 else slider.name.rsplit(".", 1)[-1]
    return {"id": f"q{k}", "label": label, "kind": "slider", "value": value, "low": slider.low, "high": slider.high,
            "unit": slider.unit, "tip": slider.tip}  # fmt: skip


def _joint(joint: JointType) -> list[Field]:
    inner = joint.joint if isinstance(joint, Reversed) else joint
    if inner.kind not in CLASSES:
        return [{"id": "joint", "kind": "note", "label": "", "value": f"{joint.kind} joint, made by code"}]
    fields = [_chips("joint", "type", inner.kind, {kind: cls.tip for kind, cls in CLASSES.items()})]
    given = inner.parameters()
    for name in ("axis", "axis1", "axis2"):
        if name in given:
            fields += _axis(name, unit_axis(given[name]))
    if "pitch" in given:
        fields.append(_numbers("pitch", "pitch", [given["pitch"]], [""], "m/rad", "Advance per radian"))
    if "radius" in given:
        fields.append(_numbers("radius", "radius", [given["radius"]], [""], "m", "Of the pinion"))
    if "translation" in given:
        choices = {"predecessor": "Positions along the axes of the parent", "successor": "Along those of the body"}
        fields.append(_chips("translation", "along", given["translation"], choices))
    seen = {"parent": "The motion is that of the body as its parent sees it", "body": "As the body sees its parent"}
    fields.append(_chips("seen_from", "seen from", "body" if inner is not joint else "parent", seen))
    return fields


def _axis(name: str, axis: NDArray) -> list[Field]:
    label = {"axis": "axis", "axis1": "axis 1", "axis2": "axis 2"}[name]
    written = axis_argument(axis)
    named = written if isinstance(written, str) else ""
    choices = {a: f"Along {a} of the joint frame" for a in ("x", "y", "z", "-x", "-y", "-z")}
    return [
        _chips(f"{name}_of", label, named, choices),
        _numbers(name, "", axis, "xyz", "", "Direction; it is brought to length 1"),
    ]


def _place(placement: NDArray, title: str, prefix: str = "") -> dict[str, Any]:
    angles = np.degrees(_angles(placement[:3, :3]))
    turns = [{"value": axis, "label": f"{axis} 90°", "tip": f"A quarter turn about its {axis}"} for axis in "xyz"]
    pick = {"value": "pick", "label": "Pick in view", "tip": "Then click the point in the picture where it is to be"}
    tip = "Roll, pitch, yaw about the fixed x, y, z axes, as in URDF"
    buttons = turns if prefix else [*turns, pick]
    return _group(
        title,
        _numbers(f"{prefix}position", "position", placement[:3, 3], "xyz", "m", "Of the frame's origin"),
        _numbers(f"{prefix}angles", "angles", angles, "xyz", "°", tip),
        {"id": f"{prefix}turn", "label": "turn", "kind": "buttons", "value": "", "choices": buttons},
    )


def _angles(R: NDArray) -> NDArray:
    """Return roll, pitch and yaw, rad; yaw is zero where only its sum with roll is known."""
    if abs(R[2, 0]) > 1.0 - 1e-12:
        return np.array([np.arctan2(-R[2, 0] * R[0, 1], R[1, 1]), -np.pi / 2 * R[2, 0], 0.0])
    return np.asarray(Rotation.from_matrix(R).as_euler("xyz"))


def _given(item: Part | Closure, tips: Mapping[str, str]) -> list[Field]:
    """Return fields for the parameters of a joint with these names, each with its tip."""
    fields, joint = [], item.joint
    for name, tip in tips.items():
        by_q = name in ("rest", "lower", "upper")
        labels = (joint.q_names if by_q else joint.v_names) if joint.nv > 1 else [""]
        units = {"rest": "q", "lower": "q", "upper": "q"}
        if joint.nv == 0:
            continue
        unit = _unit(joint, name) if joint.nv == 1 else units.get(name, "")
        fields.append(_numbers(name, name, getattr(item, name) or usual(joint, name), labels, unit, tip))
    return fields


def _springs(sheet: Sheet, part: Part) -> dict[str, Any]:
    fields, joint = _given(part, {**LOSSES, **LIMITS}), part.joint
    if joint.nq == 1:
        others = [("", "no other joint")]
        others += [(str(p.key), p.called) for p in sheet.parts if p.key != part.key and p.joint.nq == 1]
        leader = "" if part.follows is None else str(part.follows.leader)
        fields.append(_select("follows", "follows", leader, others, "Another joint whose coordinate this one takes"))
        if part.follows is not None:
            fields.append(
                _numbers("ratio", "ratio, offset", [part.follows.multiplier, part.follows.offset], ["×", "+"], "")
            )
    fields.append(_text("joint_name", "joint name", part.joint_name or "", "Name of the joint", f"{part.name}_joint"))
    return _group("Springs, losses, limits", *fields, open=False)


def _unit(joint: JointType, name: str) -> str:
    turning = joint.v_units[0].startswith("rad")
    units = {
        "damping": ("N m s/rad", "N s/m"),
        "friction": ("N m", "N"),
        "stiffness": ("N m/rad", "N/m"),
        "rest": ("rad", "m"),
        "armature": ("kg m²", "kg"),
        "lower": ("rad", "m"),
        "upper": ("rad", "m"),
        "velocity": ("rad/s", "m/s"),
        "effort": ("N m", "N"),
    }
    return units[name][0 if turning else 1]


def _shapes(part: Part, number: int) -> dict[str, Any]:
    count = len(part.geometry)
    steps = [{"value": "add", "label": "Add a shape", "tip": "Another shape on this body"}]
    if count:
        steps.append({"value": "remove", "label": "Remove", "tip": "Take this shape away"})
    buttons: Field = {"id": "shapes", "label": "", "kind": "buttons", "value": "", "choices": steps}
    if not count:
        return _group(
            "Shape", {"id": "none", "kind": "note", "label": "", "value": "no shape; drawn as a stick figure"}, buttons
        )
    number = min(number, count - 1)
    geometry = part.geometry[number]
    fields: list[Field] = []
    if count > 1:
        fields.append(_chips("shape_number", "number", str(number + 1), {str(k + 1): "" for k in range(count)}))
    kind = type(geometry.shape).__name__.lower()
    if kind in SHAPES:
        fields.append(_chips("shape", "form", kind, dict.fromkeys(SHAPES, "")))
        fields.append(_numbers("dimensions", "size", dimensions(geometry.shape), DIMENSIONS[kind], "m", SIZES[kind]))
    else:
        fields.append({"id": "mesh", "kind": "note", "label": "", "value": f"mesh {_mesh_name(geometry.shape)}"})
    fields.append(
        _numbers("shape_position", "middle", geometry.placement[:3, 3], "xyz", "m", "Place of its middle on the body")
    )
    fields.append(
        _chips("shape_along", "along", _along(geometry), {axis: f"Its own z axis along {axis}" for axis in "xyz"})
    )
    return _group("Shape", *fields, buttons)


SIZES = {
    "box": "Edge lengths",
    "sphere": "Radius",
    "ellipsoid": "Semi-axes",
    "cylinder": "Radius, and length along its z axis",
    "capsule": "Radius, and length without the half balls",
    "cone": "Radius of its base, and height",
}


def _mesh_name(shape: Shape) -> str:
    return shape.path or "of given triangles" if isinstance(shape, Mesh) else ""


def dimensions(shape: Shape) -> tuple[float, ...]:
    """Return the dimensions of a shape."""
    if isinstance(shape, Box):
        return shape.size
    if isinstance(shape, Ellipsoid):
        return shape.radii
    return tuple(getattr(shape, name) for name in ("radius", "length") if hasattr(shape, name))


def _along(geometry: Geometry) -> str:
    z = geometry.placement[:3, 2]
    return next((axis for axis, e in zip("xyz", np.eye(3), strict=True) if np.allclose(z, e)), "")


def _in_words(inertia: Inertia | None) -> str:
    if inertia is None:
        return "no mass"
    return f"{inertia.mass:.4g} kg, centre {' '.join(_texts(np.round(inertia.com, 5)))} m"


def _inertia(part: Part) -> dict[str, Any]:
    choices = {
        "density": "From the shapes, evenly filled",
        "by hand": "Mass, centre and moments as numbers",
        "none": "No mass of its own",
    }
    how = "density" if part.density is not None else "by hand" if part.inertia is not None else "none"
    fields = [_chips("inertia_of", "from", how, choices)]
    if part.density is not None:
        fields.append(_numbers("density", "density", [part.density], [""], "kg/m³", "Water has 1000, steel 7850"))
    inertia = inertia_of(part)
    if part.density is not None:
        fields.append({"id": "mass_of", "kind": "note", "label": "", "value": _in_words(inertia)})
        return _group("Inertia", *fields)
    if inertia is None:
        return _group("Inertia", *fields)
    I = inertia.inertia_com
    fields.append(_numbers("mass", "mass", [inertia.mass], [""], "kg"))
    fields.append(_numbers("com", "centre", inertia.com, "xyz", "m", "Centre of mass in body coordinates"))
    fields.append(
        _numbers("moments", "moments", np.diag(I), ("xx", "yy", "zz"), "kg m²", "About the centre of mass, body axes")
    )
    fields.append(
        _numbers(
            "products",
            "products",
            [I[0, 1], I[0, 2], I[1, 2]],
            ("xy", "xz", "yz"),
            "kg m²",
            "Off the diagonal of the matrix",
        )
    )
    return _group("Inertia", *fields)


def _loop(sheet: Sheet, closure: Closure, gap: float | None) -> list[dict[str, Any]]:
    closed = gap is None or gap < 1e-9
    text = "closed at this pose" if closed else f"at this pose its ends are {1000 * (gap or 0.0):.3g} mm apart"
    step = {"value": "close", "label": "Close", "tip": "Move the joints so that all loops close"}
    close: Field = {"id": "close", "label": "", "kind": "buttons", "value": "", "choices": [step]}
    ends = [
        _select("predecessor", "from", str(closure.predecessor), _bodies(sheet, {closure.successor}), "One body"),
        _select("successor", "to", str(closure.successor), _bodies(sheet, {closure.predecessor}), "The other body"),
    ]
    tips = {name: tip for name, tip in LOSSES.items() if name in IN_LOOPS}
    springs = _group("Springs and losses", *_given(closure, tips), open=False)
    return [
        _group(closure.name or "(no name)", _text("name", "name", closure.name, "Name of the loop joint"), *ends,
               {"id": "gap", "kind": "note", "label": "", "value": text}, *([] if closed else [close])),
        _group("Joint", *_joint(closure.joint)),
        *([springs] if closure.joint.nv else []),
        _place(closure.placement, f"Its frame on {sheet.body_name(closure.predecessor)}"),
        _place(closure.successor_placement, f"Its frame on {sheet.body_name(closure.successor)}", "successor_"),
    ]  # fmt: skip


def _frame(sheet: Sheet, mark: Mark) -> list[dict[str, Any]]:
    owner = _select("body", "on", str(mark.body), _bodies(sheet, set()), "The body it is fixed to")
    return [
        _group(mark.name or "(no name)", _text("name", "name", mark.name, "Name of the frame"), owner),
        _place(mark.placement, f"Place on {sheet.body_name(mark.body)}"),
    ]
