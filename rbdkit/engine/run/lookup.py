"""From a model to its kernels, without making them twice."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from numpy.typing import NDArray

from rbdkit.engine.links.pieces import NotCovered
from rbdkit.engine.run.kernels import Kernels
from rbdkit.model import Body, Force, Loop, Model
from rbdkit.trace import available


@dataclass(frozen=True)
class _Made:
    """Kernels, or why there are none, and the parts of the model they were made from, which never change in place."""

    bodies: tuple[Body, ...]
    loops: tuple[Loop, ...]
    forces: tuple[Force, ...]
    gravity: NDArray
    kernels: Kernels | None
    why: str


_made: WeakKeyDictionary[Model, _Made] = WeakKeyDictionary()


def kernels_for(model: Model) -> Kernels | None:
    """The kernels of a model; None if it has a joint that the engine does not know (see `backend`).

    Where joints close loops they compute the spanning tree, and refuse what that cannot tell.
    """
    return _look_up(model).kernels


def backend(model: Model) -> tuple[str, str]:
    """What computes a model, 'llvm', 'python' or 'book', and why it is nothing faster."""
    made = _look_up(model)
    return ("book" if made.kernels is None else made.kernels.backend), made.why


def _look_up(model: Model) -> _Made:
    made = _made.get(model)
    if (
        made is None
        or made.bodies is not model.bodies
        or made.loops is not model.loops
        or made.forces is not model.forces
        or made.gravity is not model.gravity
    ):
        made = _made[model] = _make(model)
    return made


def _make(model: Model) -> _Made:
    try:
        name, why = available()
        return _Made(model.bodies, model.loops, model.forces, model.gravity, Kernels(model, name), why)
    except NotCovered as fault:
        return _Made(model.bodies, model.loops, model.forces, model.gravity, None, str(fault))
