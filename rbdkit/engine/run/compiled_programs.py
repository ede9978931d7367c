"""Compiled programs of algorithms, shared by all models that can share them.

A program depends on its task and on the kinds of links, not on a model's numbers. It is looked up in memory by these
(`lru_cache`), then on disk by the key that `rbdkit.engine.run.words` makes of them, and is traced and compiled only if
both fail. So the modules that trace are imported only then: loading them takes longer than loading the code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from rbdkit.engine.run.words import words_of_loop, words_of_shape
from rbdkit.trace import ALONE, Backend, Executable, Lanes, checked, compiling, executable, unforked

if TYPE_CHECKING:
    from rbdkit.collision import Kind
    from rbdkit.engine.contact.force_tree import ForceLaw
    from rbdkit.engine.links.own_forces import OwnForces
    from rbdkit.engine.rows.contribution import RowCode
    from rbdkit.engine.rows.legs import Legs
    from rbdkit.engine.rows.own_constraints import OwnConstraints
    from rbdkit.engine.run.recordings import RecordedTask
    from rbdkit.engine.run.shapes import Shape
    from rbdkit.engine.steps.nodes import Kind as LinkKind
    from rbdkit.engine.steps.recorded_tree import DrivenMotion
    from rbdkit.trace import Feedback, Record


@dataclass(frozen=True)
class Task:
    """The computation of a program: an algorithm of `ALGORITHMS`, or "over_time", steps of an integrator.

    external : whether there are external forces on the bodies. tau, f_ext, driven : traced functions of time and state
    for joint forces, external forces on the links, and the motion of prescribed joints; None where arrays hold them.
    step : records one step. own : the model's force elements, for algorithms that need them. rows : its constraint
    rows, likewise.
    stabilised : whether Baumgarte terms act on these. touching : kinds of shape pairs, for contact methods. stops : the
    unilateral constraints beside these. force_law : the contact force law. stiff : whether the method needs stiffness K
    and damping D. redmax : whether accelerations come from J^T M J. deep : whether many joints move a body. looked :
    whether the squares of all that it reads and writes are summed up. apart : whether reactions are computed leg by
    leg.
    """

    algorithm: str
    external: bool = False
    tau: Feedback | None = None
    f_ext: Feedback | None = None
    step: Record | None = None
    driven: DrivenMotion | None = None
    own: OwnForces | None = None
    rows: tuple[RowCode, ...] = ()
    stabilised: bool = False
    touching: tuple[Kind, ...] | None = None
    stops: OwnConstraints | None = None
    force_law: ForceLaw | None = None
    stiff: bool = False
    redmax: bool = False
    deep: bool = False
    apart: bool = False

    @property
    def unrolls(self) -> bool:
        """Whether it has a straight-line form."""
        known = ("rnea", "aba", "forward_dynamics", "crba", "over_time")
        plain = not (self.rows or self.stiff or self.redmax) and self.touching is None
        return plain and self.algorithm in known

    @property
    def takes_limbs(self) -> bool:
        """Whether isomorphic subtrees can be computed at once in it."""
        known = (
            "rnea", "aba", "forward_dynamics", "over_time", "crba", "rnea_jacobian", "aba_jacobian",
            "forward_dynamics_jacobian",
        )  # fmt: skip
        plain = not (self.rows or self.stiff or self.redmax) and self.touching is None
        return plain and self.algorithm in known


@dataclass(frozen=True)
class Recipe:
    """Compiled code with what it needs to run.

    width : numbers of work space per link. limbs : whether it needs `Limbs`. legs : the legs that it computes in lanes.
    woven : size of their interleaved work array.
    """

    code: Executable
    width: int
    limbs: bool = False
    legs: Legs | None = None
    woven: int = 0


@lru_cache(maxsize=256)
@compiling
def loop_code(
    task: Task, kinds: tuple[LinkKind, ...], backend: Backend, lanes: Lanes = ALONE, limbs: int | None = None
) -> Recipe:
    """Return code for all models whose joints are of these kinds. limbs : number of subtrees computed at once."""

    def record() -> RecordedTask:
        with unforked():
            from rbdkit.engine.run.recordings import recorded_code  # which code that is known never needs

        with checked(backend == "checked"):
            return recorded_code.__wrapped__(task, kinds, lanes, limbs)  # uncached: not needed again

    return Recipe(*_made_once(words_of_loop(task, kinds, lanes, limbs), backend, record), limbs is not None)


def _made_once(words: str | None, backend: Backend, record: Callable[[], RecordedTask]) -> tuple[Executable, int]:
    """Return compiled code and its work space per link, from the cache on disk if `words` is a key."""
    if words is None or backend != "llvm":
        recorded = record()
        return executable(recorded.program, backend), recorded.width
    with unforked():
        from rbdkit.trace import recalled, remember  # which need LLVM

    if (again := recalled(words)) is not None:
        return again
    recorded = record()
    code = executable(recorded.program, backend)
    remember(words, code, recorded.width)
    return code, recorded.width


SHORT = 20_000
"""Most operations of straight-line code for states: it compiles about as fast as loops."""
# Measured: a step of four four-bar linkages in a row took 2.8 us as straight-line code, 10.8 us as loops.
LONG, LONGEST = 60_000, 200_000
"""Most operations before simplification of straight-line code for motions, most of which are folded away: up to these
it takes less than a second to compile, and some seconds, which is worth it for many steps."""


@dataclass(frozen=True)
class Known:
    """Properties of a model that are built in when its loops over links and rows are unrolled; see `straightened`.

    counts, tables, numbers : pairs of names and values, and elements by array and place. room : names of the work
    arrays.
    legs : the isomorphic legs, if it has some.
    """

    counts: frozenset[tuple[str, int]]
    tables: frozenset[tuple[str, tuple[int, ...]]]
    numbers: frozenset[tuple[str, int, float]]
    room: frozenset[str]
    legs: Legs | None = None


@lru_cache(maxsize=256)
@compiling
def straight_code(
    task: Task, kinds: tuple[LinkKind, ...], known: Known, backend: Backend, longest: int
) -> Recipe | None:
    """Return the loop code unrolled and specialised to a model; None if it has more than `longest` operations."""
    with unforked():
        from rbdkit.engine.run.recordings import recorded_code  # which most models never need
        from rbdkit.trace import side_by_side, straightened

    legs = known.legs
    recorded = recorded_code.__wrapped__(replace(task, apart=legs is not None and legs.apart > 0), kinds)
    counts, numbers = dict(known.counts) | {"width": recorded.width}, {(name, k): x for name, k, x in known.numbers}
    written = straightened(recorded.program, counts, dict(known.tables), numbers, known.room, longest)
    if written is None:
        return None
    woven = 0 if legs is None else side_by_side(written, legs.image, legs.n, known.room)
    return Recipe(executable(written, backend), recorded.width, legs=legs, woven=woven)


@lru_cache(maxsize=256)
@compiling
def unrolled_code(task: Task, shape: Shape, backend: Backend, lanes: Lanes = ALONE) -> Recipe:
    """Return straight-line code for models of one shape."""

    def record() -> RecordedTask:
        with unforked():
            from rbdkit.engine.run.recordings import recorded_shape  # which code that is known never needs

        with checked(backend == "checked"):
            return recorded_shape(task, shape, lanes)

    return Recipe(*_made_once(words_of_shape(task, shape, lanes), backend, record))
