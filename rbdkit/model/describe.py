"""Description of a model: a text table for the terminal, an HTML table for the notebook."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rbdkit.joints import JointType
from rbdkit.spatial.inertia_check import without_round_off

if TYPE_CHECKING:
    from rbdkit.model.body import Body
    from rbdkit.model.joint import Joint
    from rbdkit.model.model import Model

HEADER = (
    "#",
    "body",
    "parent",
    "joint",
    "type",
    "q",
    "v",
    "mass (kg)",
    "centre of mass (m)",
    "principal moments (kg m²)",
    "springs, losses, limits",
)
FOLDED_BEYOND = 16  # bodies; more would push the next cell of a notebook out of sight
LINE = 120


def rows(model: Model) -> list[tuple[str, ...]]:
    """Return the table: `HEADER`, then one row of texts for each body; an empty last column is left out."""
    table = [HEADER, *(_row(model, body) for body in model.bodies[1:])]
    return table if any(row[-1] for row in table[1:]) else [row[:-1] for row in table]


def _row(model: Model, body: Body) -> tuple[str, ...]:
    joint, inertia = body.joint, body.inertia
    if inertia is None:
        numbers = ("-", "-", "-")
    else:
        finite = np.isfinite(inertia.inertia_com).all()
        moments = _vector(without_round_off(inertia.principal().moments)) if finite else "not finite"
        numbers = (f"{inertia.mass:.4g}", _vector(inertia.com), moments)
    return (
        str(body.index),
        body.name,
        model.bodies[body.parent].name,
        joint.name,
        _type(joint.type),
        _slice(joint.q_slice),
        _slice(joint.v_slice),
        *numbers,
        ", ".join(_extras(joint)),
    )


def _type(type_: JointType) -> str:
    """The kind of joint with its axes and pitch: 'revolute y', 'helical (0.6 0 0.8) pitch 0.1', 'reversed planar z'."""
    words = [type_.kind]
    for name, value in type_.parameters().items():
        if isinstance(value, JointType):
            words.append(_type(value))
        elif isinstance(value, list):
            words.append(f"({_vector(value)})")
        elif isinstance(value, float):
            words.append(f"{name} {value:.3g}")
        elif isinstance(value, str) and value != "predecessor":
            words.append(value)
    return " ".join(words)


def _extras(joint: Joint) -> list[str]:
    words = []
    for name in ("damping", "stiffness", "armature", "friction"):
        if np.any(values := getattr(joint, name)):
            words.append(f"{name} {_short(values)}")
    if joint.mimic is not None:
        m = joint.mimic
        shift = f" {'-' if m.offset < 0.0 else '+'} {abs(m.offset):.4g}" if m.offset else ""
        words.append(f"follows {m.leader}: {m.multiplier:.4g} q{shift}")
    lower, upper = np.asarray(joint.limits.lower), np.asarray(joint.limits.upper)
    for k in np.flatnonzero(np.isfinite(lower) | np.isfinite(upper)):
        name = f"{joint.type.q_names[k]} " if joint.nq > 1 else ""
        words.append(f"{name}{lower[k]:.4g} to {upper[k]:.4g} {joint.type.q_units[k]}")
    for symbol, bounds in (("v", joint.limits.velocity), ("tau", joint.limits.effort)):
        if np.isfinite(bounds).any():
            words.append(f"|{symbol}| up to {_short(bounds)}")
    return words


def _short(values: ArrayLike) -> str:
    """Return a vector as text; one number if all entries are equal."""
    array = np.ravel(values)
    return " ".join(f"{v:.4g}" for v in (array[:1] if np.all(array == array[0]) else array))


def _vector(values: ArrayLike) -> str:
    return " ".join(f"{v:.3g}" for v in np.ravel(values) + 0.0)


def _slice(s: slice) -> str:
    if s.stop == s.start:
        return "-"
    return str(s.start) if s.stop - s.start == 1 else f"{s.start}..{s.stop - 1}"


def _summary(model: Model) -> str:
    count = len(model.bodies) - 1
    return (
        f"{model.name}: {count} {'body' if count == 1 else 'bodies'}, nq = {model.nq}, nv = {model.nv}, "
        f"total mass {model.mass:.6g} kg, gravity {_vector(model.gravity)} m/s²"
    )


def _lists(model: Model) -> Iterable[str]:
    """Yield lines that list loop joints, frames, forces, constraints and contacts, which are in no row."""
    name = [body.name for body in model.bodies]
    if model.loops:
        ends = (
            f"{p.joint.name} ({', '.join([_type(p.joint.type), *_extras(p.joint)])}: {name[p.predecessor]} - "
            f"{name[p.successor]})"
            for p in model.loops
        )
        yield "loop joints: " + ", ".join(ends)
    if model.frames:
        yield "frames: " + ", ".join(f"{frame.name} (on {name[frame.body]})" for frame in model.frames)
    if model.forces:
        yield "forces: " + ", ".join(f"{force.name} ({force.element.known_as})" for force in model.forces)
    if model.constraints:
        yield "constraints: " + ", ".join(f"{own.name} ({own.element.known_as})" for own in model.constraints)
    if model.contact_rules:
        yield "contacts: " + ", ".join(f"{rule.name} ({rule.what})" for rule in model.contact_rules)


def describe(model: Model) -> str:
    """Return the model as a text table with its findings below."""
    table = rows(model)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
    lines.insert(1, "  ".join("-" * width for width in widths))
    notes = [fill(text, LINE, subsequent_indent="  ", break_on_hyphens=False) for text in _lists(model)]
    notes += [str(finding) for finding in model.validate()]
    return "\n".join([_summary(model), "", *lines, *([""] if notes else []), *notes])


def describe_html(model: Model) -> str:
    """Return the model as an HTML table; a long one is folded behind its summary, with the findings in sight."""
    header, *body = rows(model)
    opened = " open" if len(body) <= FOLDED_BEYOND else ""
    return (
        f"<details{opened}><summary><b>Model</b> {_escaped(_summary(model))}</summary>"
        f"<table><thead>{_html_row(header, 'th')}</thead><tbody>{''.join(_html_row(row, 'td') for row in body)}</tbody>"
        f"</table>{_html_lines(_lists(model))}</details>{_html_lines(map(str, model.validate()))}"
    )


def _html_row(cells: Iterable[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag} style='text-align:left'>{_escaped(cell)}</{tag}>" for cell in cells) + "</tr>"


def _html_lines(lines: Iterable[str]) -> str:
    return "".join(f"<div>{_escaped(line)}</div>" for line in lines)


def _escaped(text: str) -> str:
    from html import escape  # with its table of entities, only where a notebook shows a model

    return escape(text)
