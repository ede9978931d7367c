"""Lookup of the kernels of a model, which are made once and dropped when the model changes."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import TYPE_CHECKING, NamedTuple

from rbdkit.engine.links.pieces import NotCovered
from rbdkit.engine.run.kernels import Kernels
from rbdkit.model import Model
from rbdkit.model.kept import JOINTS, keep_while, kept
from rbdkit.model.one_sided import without_stops
from rbdkit.trace import available

if TYPE_CHECKING:
    from rbdkit.engine.contact.scene import Scene


class _Made(NamedTuple):
    """Kernels of a model, or why there are none."""

    kernels: Kernels | None
    why: str


def kernels_for(model: Model) -> Kernels | None:
    """Return the kernels of a model; None if it has a joint that the engine does not know (see `backend`).

    Where joints close loops they compute the spanning tree, and refuse algorithms for which that is not enough.
    """
    return kept(model, _make).kernels


def backend(model: Model) -> tuple[str, str]:
    """Return what computes a model, 'llvm', 'python' or 'book', and why nothing faster does."""
    made = kept(model, _make)
    return ("book" if made.kernels is None else made.kernels.backend), made.why


def scene_for(model: Model) -> tuple[Scene | None, str]:
    """Return the contact scene of a model for the compiled time loop, or None and why contacts are not compiled."""
    return kept(model, _scene)


def _scene(model: Model) -> tuple[Scene | None, str]:
    kernels, why = kept(without_stops(model), _make)
    if kernels is None:
        return None, why
    if kernels.loops and kernels.rows is None:
        return None, kernels.why_not
    try:
        return kernels.scene(model), ""
    except NotCovered as fault:
        return None, str(fault)


def _make(model: Model) -> _Made:
    try:
        name, why = available()
        kernels = Kernels(model, name)
        guards = [x for x in (kernels.uses, kernels.driven.guard if kernels.driven else None) if x is not None]
        if guards:
            # kernels hold what users' functions were traced to, so they go when these change
            keep_while(model, JOINTS, reduce(add, guards))
        return _Made(kernels, why)
    except NotCovered as fault:
        return _Made(None, str(fault))
