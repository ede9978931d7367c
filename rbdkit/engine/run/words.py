"""What a program is made from, in words, where words say it all: then other processes find its code by them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rbdkit.engine.run.signatures import INPUTS
from rbdkit.engine.steps.motions import MOTIONS
from rbdkit.engine.steps.nodes import Kind

if TYPE_CHECKING:
    from rbdkit.engine.run.compiled_programs import Task
    from rbdkit.engine.run.shapes import Shape
    from rbdkit.trace import Lanes

OURS = frozenset(INPUTS)
"""Algorithms that are told by their name: none that was added in this process."""


def words_of_loop(task: Task, kinds: Iterable[Kind], lanes: Lanes, limbs: int | None) -> str | None:
    """Of a loop over links; None of one that has anything in it that only this process knows."""
    if not (_told(task) and all(map(_ours, kinds))):
        return None
    return repr(("loop", _of_task(task), [_of_kind(kind) for kind in kinds], _of_lanes(lanes), limbs))


def words_of_shape(task: Task, shape: Shape, lanes: Lanes) -> str | None:
    """Of straight-line code for one shape, likewise."""
    if not (_told(task) and all(_ours(link.kind) for link in shape.links)):
        return None
    links = [(_of_kind(link.kind), link.parent, link.q, link.v, link.axis) for link in shape.links]
    return repr(("straight", _of_task(task), links, shape.nq, shape.nv, sorted(shape.fixed), _of_lanes(lanes)))


def _told(task: Task) -> bool:
    """Whether nothing is in it but an algorithm of ours and flags."""
    return task.algorithm in OURS and task.plain


def _ours(kind: Kind) -> bool:
    """Whether the name of its joint tells what it is."""
    return MOTIONS.get(kind.motion.name) is kind.motion


def _of_task(task: Task) -> tuple[object, ...]:
    return task.algorithm, task.external, task.looked, task.deep


def _of_kind(kind: Kind) -> tuple[object, ...]:
    return kind.motion.name, kind.geared, kind.sprung, kind.follows, kind.cyclic, kind.cluster


def _of_lanes(lanes: Lanes) -> tuple[object, ...]:
    return lanes.width, sorted(lanes.shared), sorted(lanes.apart)
