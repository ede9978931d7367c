"""Findings about a model that would spoil a simulation, each with the name of the link and how to mend it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.joints import JointType
from rbdkit.model.body import Body
from rbdkit.model.contact import Touch
from rbdkit.model.finding import Finding
from rbdkit.model.idle import idle_body, idle_text
from rbdkit.model.kept import kept
from rbdkit.model.names import listed
from rbdkit.model.numbering import structure_findings
from rbdkit.model.unit_mistakes import unit_findings
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.inertia_check import ROUND_OFF
from rbdkit.spatial.read_numbers import shown

if TYPE_CHECKING:
    from rbdkit.model.model import Model

NOTHING_TOUCHES = "nothing touches"
"""Kind of the finding about a contact rule that yields no pair of shapes."""


def validate(model: Model) -> list[Finding]:
    """Return all findings about the model: structure first, then body by body, then loops and contacts.

    Errors, with which the equations of motion have no meaning: duplicate names, unreachable bodies, negative mass, an
    inertia that is not symmetric positive semidefinite, numbers that are not finite, axes that are not of unit length,
    and a joint that moves nothing that has mass in the direction it moves, unless loops or constraints determine how it
    moves. Warnings, of what no real body has but many robot files do: an inertia that breaks the triangle inequality,
    or one without mass; a moving body without inertia that others give mass to, or whose motion loops determine; an
    inertia or a centre of mass that does not fit the body's shapes, limits of hinges that look like degrees; a loop for
    which no pose was found that closes it; a ground, or contacts, that nothing touches. A note, where all is well:
    redundant constraints of loops.

    Parameters
    ----------
    model : Model
        The model; ``model.validate()`` is the same.

    Returns
    -------
    list of rbdkit.model.Finding
        Each has ``severity``, 'error', 'warning' or 'note', ``where``, ``what`` and ``message``; empty if all is well.

    Raises
    ------
    ModelError
        If `model` is not a model.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("table")
    >>> leg = model.add_body("leg", joint=rbd.Revolute("y"), inertia=rbd.Inertia(-1.0, check=False))
    >>> print(*rbd.validate(model))
    error: leg: inertia: the mass is negative: -1 kg
    """
    if not hasattr(model, "bodies"):
        raise ModelError(f"{shown(model)} is not an rbdkit.Model; there is nothing to validate")
    bodies = model.bodies[1:]
    findings = structure_findings([(body.name, model.bodies[body.parent].name) for body in bodies])
    massive, welded = _carried(model)
    together = defaultdict(list)  # bodies that move with one velocity variable: several, if joints mimic one another
    for body in bodies:
        if body.joint.nv > 0:
            together[body.joint.v_slice.start].append(body.index)
    moves_mass = {start: any(massive[i] for i in moved) for start, moved in together.items()}
    idle: list[tuple[Body, Finding]] = []  # of joints that the tree alone does not determine
    for body in bodies:
        findings += inertia_findings(body.name, body.inertia)
        findings += _axis_findings(body)
        findings += unit_findings(body)
        if body.joint.nv > 0:
            start = body.joint.v_slice.start
            alone = welded[body.index] if len(together[start]) == 1 else None
            found = _motion_findings(body, moves_mass[start], alone)
            idle += [(body, finding) for finding in found if finding.severity == "error"]
            findings += [finding for finding in found if finding.severity != "error"]
    closed = bool(model.loops or model.constraints)
    if closed and not any(finding.severity == "error" for finding in findings):
        findings += _where_loops_lead(model, idle)
    else:
        findings += [finding for _, finding in idle]
        if not any(finding.severity == "error" for finding in findings) and (at := idle_body(model)) is not None:
            name = model.bodies[at].name
            findings.append(Finding("error", name, "inertia not positive definite", idle_text(model, at)))
    if any(finding.severity == "error" for finding in findings):
        return findings  # where something is broken, how loops move is not looked at
    from rbdkit.model.closing.findings import loop_findings  # which models are made without

    return findings + loop_findings(model) + _contact_findings(model)


def _where_loops_lead(model: Model, idle: list[tuple[Body, Finding]]) -> list[Finding]:
    """Return the findings about massless motions that remain once loops and constraints are taken into account.

    idle : findings about joints that move no mass in the tree alone, with their bodies.
    """
    from rbdkit.model.closing.massless import tree_has_inertia, undetermined  # which models without loops never need

    if not idle and kept(model, tree_has_inertia):
        return []
    free, found = undetermined(model), []
    for body, finding in idle:
        if free[body.joint.v_slice].any():
            message = f"{finding.message}. Loops and constraints do not determine how it moves"
            found.append(Finding("error", finding.where, finding.what, message))
        elif body.inertia is None:
            message = "no inertia was given, it counts as massless; loops or constraints determine how it moves"
            found.append(Finding("warning", body.name, "missing inertia", message))
    if free.any() and not any(finding.severity == "error" for finding in found):
        moved = [b for b in model.bodies[1:] if b.joint.mimic is None and free[b.joint.v_slice].any()]
        names = listed([body.joint.name for body in moved])
        message = f"{names} can move together in a way that moves nothing with inertia; give what they move inertia="
        found.append(Finding("error", moved[0].name, "inertia not positive definite", message))
    return found


def _contact_findings(model: Model) -> list[Finding]:
    """Return warnings about contact rules that yield no pair of shapes."""
    made = {pair.rule for pair in model.contact_pairs}
    named = {rule.name for rule in model.contact_rules if isinstance(rule, Touch)}  # others may make the same pairs
    return [
        Finding("warning", rule.name, NOTHING_TOUCHES, "no body that can move has a shape for it; give one a geometry")
        for rule in model.contact_rules
        if rule.name not in made and not (named & made)
    ]


def inertia_findings(name: str, inertia: Inertia | None) -> list[Finding]:
    """Return findings about an unphysical inertia. name : its body."""
    if inertia is None or not (texts := inertia.findings()):
        return []
    solvable = inertia.sensible and inertia.mass >= 0.0 and _semidefinite(inertia.inertia_com)
    severity: Literal["error", "warning"] = "warning" if solvable else "error"
    return [Finding(severity, name, "inertia", text) for text in texts]


def _semidefinite(inertia_com: NDArray) -> bool:
    """Return whether a matrix is symmetric positive semidefinite, to the digits that a file has."""
    tolerance = ROUND_OFF * np.abs(inertia_com).max()
    symmetric = np.abs(inertia_com - inertia_com.T).max() <= tolerance
    return bool(symmetric and np.linalg.eigvalsh(inertia_com)[0] >= -tolerance)


def _axis_findings(body: Body) -> list[Finding]:
    findings = []
    for attribute in ("axis", "axis1", "axis2"):
        axis = getattr(body.joint.type, attribute, None)
        if axis is not None and not abs(np.linalg.norm(axis) - 1.0) < 1e-9:
            length = f"has length {np.linalg.norm(axis):.9g}, not 1; divide it by its length"
            message = f"{attribute} {np.asarray(axis).tolist()} of joint {body.joint.name!r} {length}"
            findings.append(Finding("error", body.name, "non-unit axis", message))
    return findings


def _motion_findings(body: Body, massive: bool, welded: Inertia | None) -> list[Finding]:
    """Return findings about a joint that moves something without inertia in some direction of its motion.

    Parameters
    ----------
    massive : bool
        Whether the joint moves any mass.
    welded : Inertia or None
        Inertia of all that the joint moves; None if that is not one rigid body.
    """
    joint = body.joint
    name = f"joint {joint.name!r} ({joint.type.kind})"
    if not np.all(joint.armature > 0.0):
        if not massive:
            what = "missing inertia" if body.inertia is None else "zero mass on a moving leaf"
            message = f"{name} moves only bodies without mass, so its acceleration has no meaning"
            return [Finding("error", body.name, what, f"{message}; give inertia=, or make the joint fixed")]
        if welded is not None and all(_without_inertia(welded, S) for S in _subspaces(joint.type)):
            S = joint.type.motion_subspace(joint.type.neutral())
            message = f"{name} can move it in a direction in which it has no inertia"
            value = f"(smallest eigenvalue of S.T I S is {np.linalg.eigvalsh(S.T @ welded.matrix @ S)[0]:.3g})"
            mend = "give it rotational inertia, or its centre of mass a distance from the axis"
            return [Finding("error", body.name, "inertia not positive definite", f"{message} {value}; {mend}")]
    if body.inertia is None:
        message = f"no inertia was given, it counts as massless; what it carries gives {name} its mass"
        return [Finding("warning", body.name, "missing inertia", message)]
    return []


def _without_inertia(inertia: Inertia, S: NDArray) -> bool:
    """Return whether an inertia is singular on the motion subspace S (6, n), independent of units.

    Angles are scaled to arc lengths by the radius of gyration about the joint.
    """
    I = inertia.matrix
    radius = np.sqrt(np.trace(I[:3, :3]) / inertia.mass) if inertia.mass > 0.0 else 0.0
    units = np.repeat([radius if radius > 0.0 else 1.0, 1.0], 3)
    directions, _ = np.linalg.qr(units[:, None] * S)
    own = I / np.outer(units, units)
    return bool(np.linalg.eigvalsh(directions.T @ own @ directions)[0] <= 1e-14 * np.trace(own))


def _subspaces(joint: JointType) -> Iterator[NDArray]:
    """Yield S at the neutral coordinates and at random ones, as some joints are singular at the neutral ones only.

    Euler angles XZX are an example: they are in gimbal lock there.
    """
    yield joint.motion_subspace(joint.neutral())
    if not joint.constant_S:
        rng = np.random.default_rng(0)
        for _ in range(3):
            yield joint.motion_subspace(joint.random(rng))


def _carried(model: Model) -> tuple[list[bool], list[Inertia | None]]:
    """Return for every body whether its subtree has mass, and the inertia of its subtree if that is rigid.

    The second is None if something moves on the body, or if an inertia is unphysical and has its own finding.
    """
    inertias = [Inertia.zero() if body.inertia is None else body.inertia for body in model.bodies]
    massive = [inertia.mass != 0.0 or bool(inertia.inertia_com.any()) for inertia in inertias]
    welded = [None if inertia.findings() else inertia for inertia in inertias]
    for i in model.inward:
        parent, joint, own, rest = model.parent[i], model.joints[i], welded[i], welded[model.parent[i]]
        massive[parent] = massive[parent] or massive[i]
        if joint.type.is_fixed and own is not None and rest is not None:
            welded[parent] = rest + own.transformed(joint.placement)
        else:
            welded[parent] = None
    return massive, welded
