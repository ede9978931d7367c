"""The kernels of one model: arrays in, arrays out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links import Layout, layout, pack
from rbdkit.engine.program import ALONE, Lanes
from rbdkit.engine.run.backend import Backend, width_of
from rbdkit.engine.run.calls import Call, Frame, Job, StackCall
from rbdkit.engine.run.driven import DrivenJoints
from rbdkit.engine.run.lanes import Apart, Given, blank
from rbdkit.engine.run.parameters import inertial_gradient, parameter_gradient
from rbdkit.engine.run.recipes import Recipe, Shape, Task, loop_code, unrolled_code
from rbdkit.engine.run.signatures import output_shapes, room
from rbdkit.engine.run.tables import fixed_numbers, kinds_of, tables
from rbdkit.engine.steps.frames import Reference
from rbdkit.engine.steps.trees import FRAME, Link
from rbdkit.model import Model

UNROLLED_LINKS = 8
"""Models up to this size have straight-line code."""
UNROLLED_STATES = 10_000
"""So many states in one call are worth compiling it."""
LANE_STATES = 512
"""So many states in one call are worth code that computes several at once."""
WIDE_ALREADY = ("aba_jacobian", "forward_dynamics_jacobian")
"""Their loops over columns are wide, and gain nothing from several states side by side."""
Blocks = tuple[NDArray, NDArray, NDArray]


@dataclass(frozen=True, eq=False)
class RneaGradient:
    """By q, v and qdd (..., nv), by the numbers of links (..., links + 1, 17), gravity (..., 3) and f_ext (..., bodies,
    6).
    """

    by_q: NDArray
    by_v: NDArray
    by_qdd: NDArray
    by_link: NDArray
    by_gravity: NDArray
    by_f_ext: NDArray


class Kernels:
    """Compiled algorithms for one model, as it is now.

    States are float64 arrays of shape (..., nq) and (..., nv) with the same leading axes: one state or a stack. They
    are not checked; shapes must be right. Methods may be called from several threads at once.

    Parameters
    ----------
    model : a tree; its loops are not seen.
    backend : 'llvm' or 'python'.

    Attributes
    ----------
    numbers : of the model, in the arrays that programs read. shape : of straight-line code for it, if there is any.
    driven : its joints that move as time says. coupled : whether joints follow others.

    Raises
    ------
    NotCovered
        If the model has a joint that the engine does not know.
    """

    def __init__(self, model: Model, backend: Backend) -> None:
        self.backend = backend
        self._layout = layout(model)
        self.numbers = pack(model, self._layout)
        self.driven = DrivenJoints(model, self._layout)
        self._moves = bool(self.driven)  # asked in every call
        self._links_are_bodies = np.array_equal(self._layout.link_of_body, range(len(self._layout.links) + 1))
        self._kinds = kinds_of(self._layout)
        self.coupled = any(kind.follows for kind in self._kinds)
        self._tables = tables(self._layout, self._kinds)
        self.shape = _known_shape(model.name, self._layout, self.numbers["rows"])
        self._counts = {
            "n": len(self._layout.links), "nq": model.nq, "nv": model.nv, "n_bodies": len(model.bodies),
            "driven_nq": self.driven.nq, "driven_nv": self.driven.nv,
        }  # fmt: skip
        self._idle: defaultdict[tuple[str, bool, Frame | None], list[Call]] = defaultdict(list)
        self._idle_stacks: defaultdict[Hashable, list[StackCall]] = defaultdict(list)
        self._frames: dict[tuple[int, bytes], Frame] = {}

    @property
    def likeness(self) -> Hashable:
        """What models have in common that can be computed in the lanes of one program."""
        layout = self._layout
        return self.backend, layout.links, layout.nq, layout.nv, tuple(layout.link_of_body)

    # --- algorithms ---------------------------------------------------------------------------------------------------

    def rnea(self, q: NDArray, v: NDArray, qdd: NDArray, f_ext: NDArray | None = None, t: float = 0.0) -> NDArray:
        """Joint forces (..., nv) for given accelerations.

        f_ext : (..., bodies, 6) external forces in world coordinates, or (bodies, 6) for all states. t : time of all
        states, s.
        """
        return self._compute("rnea", (q, v, qdd), f_ext, t)[0]

    def aba(self, q: NDArray, v: NDArray, tau: NDArray, f_ext: NDArray | None = None, t: float = 0.0) -> NDArray:
        """Joint accelerations (..., nv) under given joint forces; springs and dampers do not act.

        Raises
        ------
        NotCovered
            If a joint follows another one.
        """
        return self._compute("aba", (q, v, tau), f_ext, t)[0]

    def forward_dynamics(
        self, q: NDArray, v: NDArray, tau: NDArray, f_ext: NDArray | None = None, t: float = 0.0
    ) -> NDArray:
        """Joint accelerations (..., nv) under given joint forces and the joints' own springs and dampers."""
        return self._compute("forward_dynamics", (q, v, tau), f_ext, t)[0]

    def motors(self, q: NDArray, v: NDArray, qdd: NDArray, f_ext: NDArray | None = None, t: float = 0.0) -> NDArray:
        """What moves the joints that move as time says: forces along the velocities of the joints inside them."""
        return self._compute("motors", (q, v, qdd), f_ext, t)[0]

    def crba(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Joint-space inertia matrix (..., nv, nv)."""
        return self._compute("crba", (q,), t=t)[0]

    def forward_kinematics(
        self, q: NDArray, v: NDArray | None = None, t: float = 0.0
    ) -> tuple[NDArray, NDArray | None]:
        """World poses (..., bodies, 4, 4), and with v the body velocities (..., bodies, 6) in body coordinates."""
        if v is None:
            return self._compute("poses", (q,), t=t)[0], None
        poses, velocities = self._compute("kinematics", (q, v), t=t)
        return poses, velocities

    def energy(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        """Kinetic, gravitational and spring energy (..., 3), J."""
        return self._compute("energy", (q, v), t=t)[0]

    def jacobian(self, q: NDArray, body: int, placement: NDArray, reference: Reference, t: float = 0.0) -> NDArray:
        """Jacobian (..., 6, nv) of a frame with a placement (4, 4) on a body."""
        return self._compute(f"jacobian_{reference}", (q,), t=t, frame=self._frame(body, placement))[0]

    def bias_acceleration(
        self, q: NDArray, v: NDArray, body: int, placement: NDArray, reference: Reference, t: float = 0.0
    ) -> NDArray:
        """Acceleration (..., 6) of such a frame that velocity alone causes."""
        return self._compute(f"bias_acceleration_{reference}", (q, v), t=t, frame=self._frame(body, placement))[0]

    def center_of_mass(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Centre of mass (..., 3) of what joints move."""
        return self._compute("center_of_mass", (q,), t=t)[0]

    def momentum(self, q: NDArray, v: NDArray, about: Literal["world", "com"], t: float = 0.0) -> NDArray:
        """Spatial momentum (..., 6) in world axes about the world's origin or the centre of mass."""
        return self._compute(f"momentum_{about}", (q, v), t=t)[0]

    def rnea_jacobian(self, q: NDArray, v: NDArray, qdd: NDArray, f_ext: NDArray | None = None) -> Blocks:
        """d tau by q, v and qdd, (..., nv, nv) each, of `rnea`."""
        return self._blocks(*self._compute("rnea_jacobian", (q, v, qdd), f_ext))

    def aba_jacobian(
        self, q: NDArray, v: NDArray, tau: NDArray, f_ext: NDArray | None = None, passive: bool = False
    ) -> tuple[Blocks, NDArray]:
        """d qdd by q, v and tau, (..., nv, nv) each, of `aba`, or of `forward_dynamics` if passive; and qdd."""
        algorithm = "forward_dynamics_jacobian" if passive else "aba_jacobian"
        derivatives, qdd = self._compute(algorithm, (q, v, tau), f_ext)
        return self._blocks(derivatives), qdd

    def rnea_gradient(
        self, q: NDArray, v: NDArray, qdd: NDArray, weights: NDArray, f_ext: NDArray | None = None
    ) -> RneaGradient:
        """Of ``weights . tau`` of `rnea`."""
        found = RneaGradient(*self._compute("rnea_gradient", (q, v, qdd, weights), f_ext))
        return replace(found, by_f_ext=found.by_f_ext[..., self._layout.link_of_body, :])

    def passive_gradient(self, q: NDArray, v: NDArray, weights: NDArray) -> list[NDArray]:
        """Of ``weights . (passive forces)`` by q, v, damping, stiffness and rest, (..., nv) each."""
        return self._compute("passive_gradient", (q, v, weights))

    def inverse_inertia_times(self, q: NDArray, x: NDArray) -> NDArray:
        """H^-1 x (..., nv), without H."""
        return self._compute("inverse_inertia", (q, x))[0]

    def parameter_gradient(self, model: Model, by_link: NDArray) -> dict[str, NDArray]:
        """Masses, centres of mass, inertias, placements and pitches of the model from `RneaGradient.by_link`."""
        return parameter_gradient(model, self._layout, self.numbers["frames"], by_link)

    def inertial_gradient(self, by_link: NDArray) -> NDArray:
        """By mass, first moment and inertia about its origin of each body (..., bodies, 10)."""
        return inertial_gradient(self._layout, self.numbers["frames"], by_link)

    def _blocks(self, derivatives: NDArray) -> Blocks:
        nv = self._counts["nv"]
        return derivatives[..., :nv], derivatives[..., nv : 2 * nv], derivatives[..., 2 * nv : 3 * nv]

    # --- running ------------------------------------------------------------------------------------------------------

    def _frame(self, body: int, placement: NDArray) -> Frame:
        known = self._frames.get((body, placement.tobytes()))
        if known is not None:
            return known
        R, p = np.split(self.numbers["frames"].reshape(-1, FRAME)[body], [9])
        R = R.reshape(3, 3)
        pose = [*(R @ placement[:3, :3]).ravel().tolist(), *(p + R @ placement[:3, 3]).tolist()]
        made = Frame(int(self._layout.link_of_body[body]), tuple(pose))
        return self._frames.setdefault((body, placement.tobytes()), made)

    def _compute(
        self,
        algorithm: str,
        inputs: tuple[NDArray, ...],
        f_ext: NDArray | None = None,
        t: float = 0.0,
        frame: Frame | None = None,
    ) -> list[NDArray]:
        """Run an algorithm on one state or a stack; gives copies of its results."""
        if f_ext is not None:
            inputs = (*inputs, self.on_links(f_ext))
        key, driven = (algorithm, f_ext is not None, frame), self.driven.at(t) if self._moves else {}
        if inputs[0].ndim > 1:
            return self._compute_stack(Job(*key), inputs, driven)
        idle = self._idle[key]
        call: Call | None
        try:  # a call that waits for its turn belongs to no thread; taking one is one step of the interpreter
            call = idle.pop()
        except IndexError:
            call = None
        if call is None:
            call = self._new_call(Job(*key), inputs, driven)
        for buffer, x in zip(call.inputs, (*inputs, *driven.values()) if driven else inputs, strict=True):
            buffer[...] = x
        call.run()
        results = [x.copy() for x in call.outputs]
        idle.append(call)
        return results

    def _new_call(self, job: Job, inputs: tuple[NDArray, ...], driven: dict[str, NDArray]) -> Call:
        own = [np.zeros(x.shape) for x in inputs]
        outputs = [_zeros(shape) for shape in self._shapes(job.algorithm)]
        motion = {name: x.copy() for name, x in driven.items()}
        return Call([*own, *motion.values()], outputs, self._bind_stack(job, [*own, *outputs], 1, motion))

    def _compute_stack(self, job: Job, inputs: tuple[NDArray, ...], driven: dict[str, NDArray]) -> list[NDArray]:
        leading = inputs[0].shape[:-1]
        states = int(np.prod(leading))
        arrays = [np.ascontiguousarray(x, dtype=float) for x in inputs]
        if job.external and arrays[-1].ndim == 2:  # the same forces in all states
            arrays[-1] = np.ascontiguousarray(np.broadcast_to(arrays[-1], (*leading, *arrays[-1].shape)))
        outputs = [_zeros((*leading, *shape)) for shape in self._shapes(job.algorithm)]
        if states < LANE_STATES or job.algorithm in WIDE_ALREADY or (width := width_of(self.backend)) == 1:
            self._bind_stack(job, arrays + outputs, states, driven)()
        else:
            self._run_lanes(job, [x.reshape(states, *x.shape[len(leading) :]) for x in arrays + outputs], width, driven)
        return outputs

    def _bind_stack(
        self, job: Job, stacks: list[NDArray], states: int, driven: dict[str, NDArray]
    ) -> Callable[[], None]:
        arrays, counts = job.about({**dict(zip(job.names, stacks, strict=True)), **driven}, states)
        return self.bind(job.task, arrays, counts, states)

    def _run_lanes(self, job: Job, stacks: list[NDArray], width: int, driven: dict[str, NDArray]) -> None:
        """Compute so many states in each step of the loop over states, in lanes that begin one state apart.

        What is left at the end is done in one step more, which computes some states again.
        """
        states = len(stacks[0])
        rest, straight = states % width, states >= UNROLLED_STATES
        for first, some in [(0, states - rest)] * (states > rest) + [(states - width, 1)] * (rest > 0):
            idle = self._idle_stacks[job, width, straight, some == 1]
            call: StackCall | None
            try:
                call = idle.pop()
            except IndexError:
                call = None
            if call is None or call.states != some:
                call = self._new_stack_call(job, some, width, straight, driven)
            rows = np.clip(first + np.arange(width), 0, states - 1)
            for place, x in zip(call.places, stacks, strict=True):
                place.point(x, rows, width)
            for buffer, x in zip(call.driven, driven.values(), strict=True):
                buffer[...] = x
            call.run()
            idle.append(call)

    def _new_stack_call(
        self, job: Job, states: int, width: int, straight: bool, driven: dict[str, NDArray]
    ) -> StackCall:
        places = {name: Apart(width) for name in job.names}
        motion = {name: x.copy() for name, x in driven.items()}
        lanes = Lanes(width, frozenset([*self.numbers, *motion, "frame_pose"]), frozenset(places))
        arrays, counts = job.about({**places, **motion}, states)
        run = self.bind(job.task, arrays, counts, UNROLLED_STATES if straight else 0, lanes)
        return StackCall(states, [*places.values()], [*motion.values()], run)

    def _shapes(self, algorithm: str) -> list[tuple[int, ...]]:
        """Shapes of an algorithm's results for one state."""
        return list(
            output_shapes(algorithm, *(self._counts[name] for name in ("nv", "n_bodies", "n", "driven_nv"))).values()
        )

    def bind(
        self,
        task: Task,
        arrays: Mapping[str, Given],
        counts: dict[str, int],
        states: int,
        lanes: Lanes = ALONE,
        numbers: Mapping[str, NDArray] | None = None,
    ) -> Callable[[], None]:
        """A task bound to arrays and counts besides those of the model.

        Parameters
        ----------
        states : how often the algorithm will run, which decides whether straight-line code is worth its compilation.
        lanes : how many states run at once. numbers : of the model in each lane; those of this one if not given.
        """
        recipe = self._recipe(task, states, lanes)
        used, (sizes, lengths) = recipe.code.program.arrays, room(self._layout, recipe.width)
        own = {name: blank(size, lanes.width) for name, size in sizes.items() if name in used}
        every = {**(self.numbers if numbers is None else numbers), **self._tables, **own, **arrays}
        return recipe.code.bind(every, {**self._counts, **lengths, **counts})

    def _recipe(self, task: Task, states: int, lanes: Lanes) -> Recipe:
        if self.shape is not None and states >= UNROLLED_STATES and task.unrolls:
            return unrolled_code(task, self.shape, self.backend, lanes)
        return loop_code(task, self._kinds, self.backend, lanes)

    def on_links(self, f_ext: NDArray) -> NDArray:
        """External forces on bodies (..., bodies, 6) as forces on the links that carry them."""
        if self._links_are_bodies:
            return f_ext
        links = np.zeros((self._counts["n"] + 1, self._counts["n_bodies"]))
        links[self._layout.link_of_body, np.arange(links.shape[1])] = 1.0
        return links @ f_ext


def _zeros(shape: tuple[int, ...]) -> NDArray:
    """An array that begins where wide loops read fastest."""
    return blank(int(np.prod(shape)), 1).reshape(shape)


def is_small(layout: Layout) -> bool:
    """Whether there is straight-line code for such models."""
    return 0 < len(layout.links) <= UNROLLED_LINKS and not any(link.kind.follows for link in layout.links)


def _known_shape(name: str, layout: Layout, rows: NDArray) -> Shape | None:
    """The shape whose straight-line code serves a model of that name; None if it is large, or has lost zeros since it
    was first seen.

    So a placement that leaves zero while it is dragged falls back to the loop, and compiles nothing.
    """
    if not is_small(layout):
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
