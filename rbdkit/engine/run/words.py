"""Keys under which compiled programs are cached on disk.

A key is the `repr` of everything that a program depends on. Only what has the same meaning in every process may enter
it: names of rbdkit's own algorithms, joints and integrators, flags and numbers. A program with anything else in it,
such as a user's joint or force law, has no key: two different functions may have the same name, and a wrong hit would
compute with old code. Such programs are cached in memory alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import reduce
from types import FunctionType
from typing import TYPE_CHECKING

from rbdkit.engine.run.signatures import INPUTS
from rbdkit.engine.steps.motions import MOTIONS
from rbdkit.engine.steps.nodes import Kind

if TYPE_CHECKING:
    from rbdkit.engine.run.compiled_programs import Task
    from rbdkit.engine.run.shapes import Shape
    from rbdkit.trace import Lanes, Record

OURS = frozenset({*INPUTS, "over_time"})
"""Algorithms that their names identify: none that was added in this process."""
FLAGS = ("external", "deep", "stabilised", "stiff", "redmax", "apart")
"""Flags of a task that enter the key."""


def words_of_loop(task: Task, kinds: Iterable[Kind], lanes: Lanes, limbs: int | None) -> str | None:
    """Return the cache key of a loop over links; None if it contains anything that only this process knows."""
    told = _of_task(task)
    if told is None or not all(map(_ours, kinds)):
        return None
    return repr(("loop", told, [_of_kind(kind) for kind in kinds], _of_lanes(lanes), limbs))


def words_of_shape(task: Task, shape: Shape, lanes: Lanes) -> str | None:
    """Return the cache key of straight-line code for one shape; None as for `words_of_loop`."""
    told = _of_task(task)
    if told is None or not all(_ours(link.kind) for link in shape.links):
        return None
    links = [(_of_kind(link.kind), link.parent, link.q, link.v, link.axis) for link in shape.links]
    return repr(("straight", told, links, shape.nq, shape.nv, sorted(shape.fixed), _of_lanes(lanes)))


def _ours(kind: Kind) -> bool:
    """Return whether the name of a link's joint identifies it."""
    return MOTIONS.get(kind.motion.name) is kind.motion


def _of_task(task: Task) -> tuple[object, ...] | None:
    """Return algorithm, method and flags of a task; None if it contains other objects."""
    flags, step = {flag: getattr(task, flag) for flag in FLAGS}, task.step
    told = task.algorithm in OURS and task == type(task)(task.algorithm, step=step, **flags)
    traced = getattr(step, "words", None)  # a step that is a list of operations is identified by these
    if not told or not (step is None or traced or _is_named(step)):
        return None
    return task.algorithm, *flags.values(), traced or (step and (step.__module__, step.__qualname__))


def _is_named(step: Record) -> bool:
    """Return whether a step is a method of rbdkit's own integrators that is found under its name."""
    home, name = getattr(step, "__module__", ""), getattr(step, "__qualname__", "")
    if type(step) is not FunctionType or not home.startswith("rbdkit.integrators."):
        return False
    return reduce(lambda x, part: getattr(x, part, None), name.split("."), sys.modules.get(home)) is step


def _of_kind(kind: Kind) -> tuple[object, ...]:
    return kind.motion.name, kind.geared, kind.sprung, kind.follows, kind.cyclic, kind.cluster


def _of_lanes(lanes: Lanes) -> tuple[object, ...]:
    return lanes.width, sorted(lanes.shared), sorted(lanes.apart)
