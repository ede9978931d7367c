"""Python source that rebuilds a model exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rbdkit.drafting.expressions import array, inertia, joint_type, material, number, place, shape, text, vector
from rbdkit.drafting.fresh import FIELDS, usual
from rbdkit.drafting.sheet import Sheet
from rbdkit.errors import ModelError
from rbdkit.joints import Fixed
from rbdkit.model import Body, Constraint, ContactRule, Force, Ground, Joint, Loop, Mimic, Model, Touch

WIDTH = 120
USUAL_GRAVITY = (0.0, 0.0, -9.81)
LIMITS = ("lower", "upper", "velocity", "effort")


def code(model: Model, sheet: Sheet | None = None) -> str:
    """A program that builds the model and calls it ``model``.

    Parameters
    ----------
    model : Model
        What to build.
    sheet : Sheet, optional
        Where it was drawn; bodies with a density are then written with it.

    Raises
    ------
    ModelError
        If a joint is prescribed by a Python function, or the type of a joint, force element or constraint is not one of
        rbdkit's; it is named.
    """
    density = {} if sheet is None else {part.name: part.density for part in sheet.parts}
    words = [text(model.name)]
    if tuple(model.gravity) != USUAL_GRAVITY:
        words.append(f"gravity={array(model.gravity)}")
    lines = [_call("model = rbd.Model", words)]
    lines += [_call("model.add_body", _body(model, body, density.get(body.name))) for body in model.bodies[1:]]
    for frame in model.frames:
        words = [text(frame.name), text(model.bodies[frame.body].name), *_positional(frame.placement)]
        lines.append(_call("model.add_frame", words))
    lines += [_call("model.add_loop", _loop(model, loop)) for loop in model.loops]
    lines += [_call("model.add_force", [text(own.name), _element(own, "force")]) for own in model.forces]
    lines += [_call("model.add_constraint", [text(own.name), _element(own, "constraint")]) for own in model.constraints]
    lines += [_rule(rule) for rule in model.contact_rules]
    return "\n".join(["import rbdkit as rbd", "", *lines, ""])


def _rule(rule: ContactRule) -> str:
    made = [] if rule.material is None else [f"material={material(rule.material)}"]
    match rule:
        case Ground():
            words = [f"height={number(rule.height)}", f"normal={array(rule.normal)}", *made]
            return _call("model.add_ground", [*words, f"name={text(rule.name)}"])
        case Touch():
            words = [text(rule.first), text(rule.second), *made]
            return _call("model.add_contact", [*words, f"name={text(rule.name)}"])
    but = [f"except_={list(rule.but)!r}"] if rule.but else []
    return _call("model.add_contacts", [*but, *made, f"name={text(rule.name)}"])


def _element(own: Force | Constraint, what: str) -> str:
    element = own.element
    if element.is_users_own:
        raise ModelError(
            f"{what} {own.name!r} is of a class of your own, {element.known_as}, which no program of rbdkit can "
            "write down; delete it, and add it by the program's next line"
        )
    words = [f"{name}={value!r}" for name, value in element.structure().items()]
    for name, value in element.parameters().items():
        words.append(f"{name}={number(value) if isinstance(value, float) else tuple(value.tolist())}")
    return f"rbd.{element.known_as}({', '.join(words)})"


def _call(function: str, words: Sequence[str]) -> str:
    """A call on one line, or with one argument a line if that is too long."""
    line = f"{function}({', '.join(words)})"
    return line if len(line) <= WIDTH else "\n".join([f"{function}(", *(f"    {word}," for word in words), ")"])


def _positional(pose: np.ndarray) -> list[str]:
    written = place(pose)
    return [] if written is None else [written]


def _body(model: Model, body: Body, density: float | None) -> list[str]:
    joint = body.joint
    words = [text(body.name), f"parent={text(model.bodies[body.parent].name)}"]
    if not isinstance(joint.type, Fixed):
        words.append(f"joint={joint_type(joint.type, joint.name)}")
    if (where := place(joint.placement)) is not None:
        words.append(f"placement={where}")
    if body.inertia is not None:
        words.append(f"inertia={inertia(body.inertia, body.geometry, density)}")
    if body.geometry:
        shapes = [shape(geometry) for geometry in body.geometry]
        words.append(f"geometry={shapes[0] if len(shapes) == 1 else '[' + ', '.join(shapes) + ']'}")
    if joint.name != f"{body.name}_joint":
        words.append(f"joint_name={text(joint.name)}")
    return [*words, *_numbers(joint)]


def _numbers(joint: Joint) -> list[str]:
    """Return the arguments for springs, losses, limits and mimic of a joint that differ from their defaults."""
    given = {}
    for name in FIELDS:
        values = tuple(np.asarray(getattr(joint.limits if name in LIMITS else joint, name)).tolist())
        if repr(values) != repr(usual(joint.type, name)):  # -0.0 is not 0.0 here
            given[name] = vector(values)
    limits = ", ".join(f"{name}={given[name]}" for name in LIMITS if name in given)
    words = [f"{name}={value}" for name, value in given.items() if name not in LIMITS]
    words += [f"limits=rbd.Limits({limits})"] if limits else []
    return words if joint.mimic is None else [*words, f"mimic={_mimic(joint.mimic)}"]


def _mimic(mimic: Mimic) -> str:
    return f"rbd.Mimic({text(mimic.leader)}, {number(mimic.multiplier)}, {number(mimic.offset)})"


def _loop(model: Model, loop: Loop) -> list[str]:
    ends = [text(model.bodies[number].name) for number in (loop.predecessor, loop.successor)]
    words = [text(loop.joint.name), *ends, joint_type(loop.joint.type, loop.joint.name)]
    for name, pose in (
        ("predecessor_placement", loop.joint.placement),
        ("successor_placement", loop.successor_placement),
    ):
        if (where := place(pose)) is not None:
            words.append(f"{name}={where}")
    return [*words, *_numbers(loop.joint)]
