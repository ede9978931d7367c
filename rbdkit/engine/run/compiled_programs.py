"""Programs from algorithms, compiled once for all models that can share them."""

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
    """What a program is to do: an algorithm of `ALGORITHMS`, or, as "over_time", steps of a method.

    external : whether there are external forces on the bodies. tau, f_ext : what computes the joint forces, and the
    external forces on the links, from time and state, and driven the numbers of joints that move as time says; None
    where arrays hold them. step : writes one step. own : the force elements of the model, for what asks for them.
    rows : of constraints, likewise. stabilised : whether Baumgarte's terms act on these. touching : kinds of pairs of
    shapes, for methods that ask for contacts. stops : constraints on one side beside these. force_law : of
    contacts. stiff : whether the method asks for K and D. redmax : whether accelerations come from J^T M J. deep :
    whether many joints move its bodies. looked : whether it adds up squares of what it reads and writes. apart :
    whether reactions are found leg by leg.
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
    looked: bool = False
    apart: bool = False

    @property
    def unrolls(self) -> bool:
        """Whether there is a straight-line form."""
        known = ("rnea", "aba", "forward_dynamics", "crba", "over_time")
        plain = not (self.rows or self.stiff or self.redmax) and self.touching is None
        return plain and self.algorithm in known

    @property
    def takes_limbs(self) -> bool:
        """Whether limbs that are alike can be computed at once in it."""
        known = (
            "rnea", "aba", "forward_dynamics", "over_time", "crba", "rnea_jacobian", "aba_jacobian",
            "forward_dynamics_jacobian",
        )  # fmt: skip
        plain = not (self.rows or self.stiff or self.redmax or self.looked) and self.touching is None
        return plain and self.algorithm in known


@dataclass(frozen=True)
class Recipe:
    """A program with what it needs to run.

    width : numbers of work space a link. limbs : whether it needs `Limbs`. legs : those that it computes side by side.
    woven : numbers of these that stand side by side.
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
    """Code for all models whose joints are of these kinds. limbs : so many at once."""

    def record() -> RecordedTask:
        with unforked():
            from rbdkit.engine.run.recordings import recorded_code  # which code that is known never needs

        with checked(backend == "checked"):
            return recorded_code.__wrapped__(task, kinds, lanes, limbs)  # the program itself is not needed again

    return Recipe(*_made_once(words_of_loop(task, kinds, lanes, limbs), backend, record), limbs is not None)


def _made_once(words: str | None, backend: Backend, record: Callable[[], RecordedTask]) -> tuple[Executable, int]:
    """Code for what is recorded, and its width; found again in other processes if words say what it is."""
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
"""Operations that are written out of an algorithm for states: they compile about as fast as its loops."""
LONG, LONGEST = 60_000, 200_000
"""Operations that are written out of a loop over time, most of which disappear then: less than a second to compile, and
some seconds, which many steps are worth."""


@dataclass(frozen=True)
class Known:
    """What is known of a model when loops over its links and rows are written out; see `straightened`.

    counts, tables, numbers : pairs of names and values, and elements by array and place. room : names of the arrays
    that programs compute in. legs : that are alike, if it has some.
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
    """The loop code with all that written out; None if that is more than so many operations."""
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
    """Straight-line code for models of one shape."""

    def record() -> RecordedTask:
        with unforked():
            from rbdkit.engine.run.recordings import recorded_shape  # which code that is known never needs

        with checked(backend == "checked"):
            return recorded_shape(task, shape, lanes)

    return Recipe(*_made_once(words_of_shape(task, shape, lanes), backend, record))
