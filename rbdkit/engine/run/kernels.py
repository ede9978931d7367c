"""The kernels of one model: arrays in, arrays out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links import Layout, layout, pack
from rbdkit.engine.run.backend import Backend
from rbdkit.engine.run.recipes import Recipe, Shape, Task, loop_code, unrolled_code
from rbdkit.engine.run.tables import fixed_numbers, kinds_of, tables
from rbdkit.engine.steps.trees import Link
from rbdkit.model import Model

UNROLLED_LINKS = 8
"""Models up to this size have straight-line code."""
UNROLLED_STATES = 10_000
"""So many states in one call are worth compiling it."""
INPUTS = {
    "rnea": ("q", "v", "qdd"), "aba": ("q", "v", "tau"), "forward_dynamics": ("q", "v", "tau"),
    "crba": ("q",), "poses": ("q",), "kinematics": ("q", "v"), "energy": ("q", "v"),
}  # fmt: skip
OUTPUTS = {
    "rnea": ("tau",), "aba": ("qdd",), "forward_dynamics": ("qdd",),
    "crba": ("H",), "poses": ("poses",), "kinematics": ("poses", "velocities"), "energy": ("energies",),
}  # fmt: skip


@dataclass(frozen=True)
class _Call:
    """A program bound to arrays of its own, ready for one state at a time."""

    inputs: list[NDArray]
    outputs: list[NDArray]
    run: Callable[[], None]


class Kernels:
    """Compiled algorithms for one model, as it is now.

    States are float64 arrays of shape (..., nq) and (..., nv) with the same leading axes: one state or a stack. They
    are not checked; shapes must be right. Methods may be called from several threads at once.

    Parameters
    ----------
    model : a tree; its loops are not seen.
    backend : 'llvm' or 'python'.

    Raises
    ------
    NotCovered
        If the model has a joint that the engine does not know.
    """

    def __init__(self, model: Model, backend: Backend) -> None:
        self.backend = backend
        self._layout = layout(model)
        self._numbers = pack(model, self._layout)
        self._kinds = kinds_of(self._layout)
        self._tables = tables(self._layout, self._kinds)
        self._shape = _known_shape(model.name, self._layout, self._numbers["rows"])
        self._counts = {
            "n": len(self._layout.links), "nq": model.nq, "nv": model.nv, "n_bodies": len(model.bodies)
        }  # fmt: skip
        self._idle: defaultdict[tuple[str, bool], list[_Call]] = defaultdict(list)

    # --- algorithms ---------------------------------------------------------------------------------------------------

    def rnea(self, q: NDArray, v: NDArray, qdd: NDArray, f_ext: NDArray | None = None) -> NDArray:
        """Joint forces (..., nv) for given accelerations.

        f_ext : (..., bodies, 6) external forces in world coordinates, or (bodies, 6) for all states.
        """
        return self._compute("rnea", (q, v, qdd), f_ext)[0]

    def aba(self, q: NDArray, v: NDArray, tau: NDArray, f_ext: NDArray | None = None) -> NDArray:
        """Joint accelerations (..., nv) under given joint forces; springs and dampers do not act."""
        return self._compute("aba", (q, v, tau), f_ext)[0]

    def forward_dynamics(self, q: NDArray, v: NDArray, tau: NDArray, f_ext: NDArray | None = None) -> NDArray:
        """Joint accelerations (..., nv) under given joint forces and the joints' own springs and dampers."""
        return self._compute("forward_dynamics", (q, v, tau), f_ext)[0]

    def crba(self, q: NDArray) -> NDArray:
        """Joint-space inertia matrix (..., nv, nv)."""
        return self._compute("crba", (q,))[0]

    def forward_kinematics(self, q: NDArray, v: NDArray | None = None) -> tuple[NDArray, NDArray | None]:
        """World poses (..., bodies, 4, 4), and with v the body velocities (..., bodies, 6) in body coordinates."""
        if v is None:
            return self._compute("poses", (q,))[0], None
        poses, velocities = self._compute("kinematics", (q, v))
        return poses, velocities

    def energy(self, q: NDArray, v: NDArray) -> NDArray:
        """Kinetic, gravitational and spring energy (..., 3), J."""
        return self._compute("energy", (q, v))[0]

    # --- running ------------------------------------------------------------------------------------------------------

    def _compute(self, algorithm: str, inputs: tuple[NDArray, ...], f_ext: NDArray | None = None) -> list[NDArray]:
        """Run an algorithm on one state or a stack; gives copies of its results."""
        if f_ext is not None:
            inputs = (*inputs, self.on_links(f_ext))
        if inputs[0].ndim > 1:
            return self._compute_stack(algorithm, inputs, f_ext is not None)
        # a call that waits for its turn belongs to no thread; taking and returning one is one step of the interpreter
        idle = self._idle[algorithm, f_ext is not None]
        call = idle.pop() if idle else self._new_call(algorithm, inputs, f_ext is not None)
        for buffer, x in zip(call.inputs, inputs, strict=True):
            buffer[...] = x
        call.run()
        results = [x.copy() for x in call.outputs]
        idle.append(call)
        return results

    def _compute_stack(self, algorithm: str, inputs: tuple[NDArray, ...], external: bool) -> list[NDArray]:
        leading = inputs[0].shape[:-1]
        states = int(np.prod(leading))
        arrays = [np.ascontiguousarray(x, dtype=float) for x in inputs]
        if external and arrays[-1].ndim == 2:  # the same forces in all states
            arrays[-1] = np.ascontiguousarray(np.broadcast_to(arrays[-1], (*leading, *arrays[-1].shape)))
        outputs = [np.zeros((*leading, *shape)) for shape in self._shapes(algorithm)]
        self._bind_all(algorithm, arrays, outputs, external, states)()
        return outputs

    def _new_call(self, algorithm: str, inputs: tuple[NDArray, ...], external: bool) -> _Call:
        own = [np.zeros(x.shape) for x in inputs]
        outputs = [np.zeros(shape) for shape in self._shapes(algorithm)]
        return _Call(own, outputs, self._bind_all(algorithm, own, outputs, external, 1))

    def _bind_all(
        self, algorithm: str, inputs: list[NDArray], outputs: list[NDArray], external: bool, states: int
    ) -> Callable[[], None]:
        names = INPUTS[algorithm] + ("f_ext",) * external + OUTPUTS[algorithm]
        arrays = dict(zip(names, inputs + outputs, strict=True))
        return self.bind(Task(algorithm, external), arrays, {"states": states}, states)

    def _shapes(self, algorithm: str) -> list[tuple[int, ...]]:
        """Shapes of an algorithm's results for one state."""
        nv, bodies = self._counts["nv"], self._counts["n_bodies"]
        shapes = {"H": (nv, nv), "poses": (bodies, 4, 4), "velocities": (bodies, 6), "energies": (3,)}
        return [shapes.get(name, (nv,)) for name in OUTPUTS[algorithm]]

    def bind(self, task: Task, arrays: dict[str, NDArray], counts: dict[str, int], states: int) -> Callable[[], None]:
        """A task bound to arrays and counts besides those of the model.

        states : how often the algorithm will run, which decides whether straight-line code is worth its compilation.
        """
        recipe = self._recipe(task, states)
        own = {
            "work": np.zeros((self._counts["n"] + 1) * recipe.width),
            "columns": np.zeros(self._counts["nv"] * 12),
        }
        every = {**self._numbers, **self._tables, **own, **arrays}
        return recipe.code.bind(every, {**self._counts, "width": recipe.width, **counts})

    def _recipe(self, task: Task, states: int) -> Recipe:
        if self._shape is not None and states >= UNROLLED_STATES and task.unrolls:
            return unrolled_code(task, self._shape, self.backend)
        return loop_code(task, self._kinds, self.backend)

    def on_links(self, f_ext: NDArray) -> NDArray:
        """External forces on bodies (..., bodies, 6) as forces on the links that carry them."""
        links = np.zeros((self._counts["n"] + 1, self._counts["n_bodies"]))
        links[self._layout.link_of_body, np.arange(links.shape[1])] = 1.0
        return links @ f_ext


def _known_shape(name: str, layout: Layout, rows: NDArray) -> Shape | None:
    """The shape whose straight-line code serves a model of that name; None if it is large, or has lost zeros since it
    was first seen.

    So a placement that leaves zero while it is dragged falls back to the loop, and compiles nothing.
    """
    if not 0 < len(layout.links) <= UNROLLED_LINKS:
        return None
    own = fixed_numbers(layout, rows)
    first = _first_seen(name, layout.links, layout.nq, layout.nv)
    if not first:
        first.append(Shape(layout.links, layout.nq, layout.nv, own))
    return first[0] if first[0].fixed <= own else None


@lru_cache(maxsize=256)
def _first_seen(name: str, links: tuple[Link, ...], nq: int, nv: int) -> list[Shape]:
    """Room for the shape of a model."""
    return []
