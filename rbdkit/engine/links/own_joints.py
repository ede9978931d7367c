"""Users' own joint types, traced from the functions of their class.

A trace is cached per joint object and is valid as long as a guard holds: nothing that the functions depend on, such as
code, globals or attributes, has changed. So a class edited in a notebook is traced again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.agreement import (
    NotTraced,
    require_agreement,
    require_same_projection,
    require_same_wrenches,
)
from rbdkit.engine.steps.manifold import exp, from_matrix, half_cotangent, log
from rbdkit.engine.steps.traced_motion import Formulas, TracedMotion
from rbdkit.errors import ModelError
from rbdkit.joints import JointType
from rbdkit.joints.complement import complement
from rbdkit.joints.piece import Piece
from rbdkit.spatial import quaternion, se3, so3, stumpff
from rbdkit.spatial.vector3 import Matrix, Vector
from rbdkit.trace import (
    Copies,
    Dependencies,
    Guard,
    Scalar,
    Symbol,
    Trace,
    is_checked,
    polynomial,
    roomy,
    select,
    sin,
    sqrt,
    symbols,
    trace,
    with_numbers,
)


@dataclass(frozen=True, eq=False)
class Own:
    """A traced joint type. uses : guard of what its functions depend on."""

    piece: Piece
    uses: Guard


@dataclass(frozen=True, eq=False)
class OwnFormula:
    """A traced function of a joint type, of its argument and of "numbers"."""

    formula: Trace
    numbers: tuple[float, ...]
    uses: Guard


class Found(Protocol):
    """Cached result for a joint type, valid as long as its guard holds."""

    @property
    def uses(self) -> Guard:
        """Guard of what the functions depend on."""
        ...


T = TypeVar("T", bound=Found)

_recorded: dict[tuple[int, bool], tuple[ref[JointType], Own]] = {}
_projections: dict[tuple[int, bool], tuple[ref[JointType], OwnFormula]] = {}
_wrenches: dict[tuple[int, bool], tuple[ref[JointType], OwnFormula]] = {}


def recorded(joint: JointType) -> Own:
    """Trace a joint type: ``pose`` and ``motion_subspace``, and its manifold if that is curved.

    Raises
    ------
    NotTraced
        If they cannot be traced: they branch on values, call functions outside NumPy, or keep state between calls.
    ModelError
        If they contradict each other.
    """
    return kept_while(_recorded, joint, _record)


def recorded_projection(joint: JointType) -> OwnFormula:
    """Trace `project` of a joint type, as a function of "X": rotation (9) and position (3).

    Raises
    ------
    NotTraced
        If it cannot be traced.
    """
    return kept_while(_projections, joint, _record_projection)


def recorded_wrenches(joint: JointType) -> OwnFormula:
    """Trace `constraint_subspace` of a joint type, T column by column, as a function of "q".

    Raises
    ------
    NotTraced
        If it cannot be traced.
    ModelError
        If it contradicts `motion_subspace`.
    """
    return kept_while(_wrenches, joint, _record_wrenches)


def kept_while(
    cache: dict[tuple[int, bool], tuple[ref[JointType], T]], joint: JointType, record: Callable[[JointType], T]
) -> T:
    """Return the cached result for a joint type if its guard holds, else a new one; apart for checked code.

    Entries are keyed by identity and hold a weak reference, whose callback drops them, so a reused id finds nothing.
    """
    number = id(joint), is_checked()
    known = cache.get(number)
    if known is not None and known[0]() is joint and known[1].uses.holds():
        return known[1]
    found = record(joint)
    cache[number] = ref(joint, lambda _: cache.pop(number, None)), found
    return found


def on_symbols(joint: JointType) -> Any:
    """Return a copy of a joint type whose functions take symbols, made `roomy`."""
    return copies_of_joints().of(joint)


def _watched(joint: JointType) -> Guard:
    """Return the guard of what a joint type's functions depend on."""
    return Dependencies({joint.known_as: joint}, objects=(JointType,)).guard


def copies_of_joints(
    constants: tuple[type, ...] = (),
    as_they_are: tuple[str, ...] = (),
    instead: Mapping[Any, Any] | None = None,
    called: Callable[[Any], Any] = lambda function: function,
) -> Copies:
    """Return a copier of joint types and functions for symbols; see `Copies`. instead : replacements of objects."""
    return Copies(JointType, {**_INSTEAD, **(instead or {})}, constants, as_they_are, called)


def _record(joint: JointType) -> Own:
    if joint.is_driven:
        raise NotTraced("it moves as time says")
    uses, copies = _watched(joint), copies_of_joints()
    try:
        copied = copies.of(joint)
        formulas, numbers = _formulas(joint, copied)
    except ModelError:
        raise
    except Exception as fault:  # of a user's own code, on numbers that are not known yet: anything
        raise NotTraced(f"{fault}" if str(fault) else type(fault).__name__) from fault
    motion = TracedMotion(formulas)
    require_agreement(joint, motion, numbers)
    return Own(Piece(motion, np.eye(3), numbers=numbers), uses)


def _record_projection(joint: JointType) -> OwnFormula:
    uses, copies = _watched(joint), copies_of_joints()
    try:
        copied = copies.of(joint)

        def project(X: NDArray) -> NDArray:
            pose = roomy(np.eye(4))
            pose[:3, :3], pose[:3, 3] = X[:9].reshape(3, 3), X[9:]
            return symbols(copied.project(pose))

        formula, numbers = with_numbers(trace(project, 12, names=("X",)))
    except Exception as fault:  # of a user's own code, on numbers that are not known yet: anything
        raise NotTraced(f"project: {fault}" if str(fault) else type(fault).__name__) from fault
    require_same_projection(joint, formula, numbers)
    return OwnFormula(formula, numbers, uses)


def _record_wrenches(joint: JointType) -> OwnFormula:
    uses, copies = _watched(joint), copies_of_joints()
    try:
        copied = copies.of(joint)

        def wrenches(q: NDArray) -> NDArray:
            T = symbols(copied.constraint_subspace(roomy(q)))
            if T.shape != (6, 6 - joint.nv):
                raise ValueError(f"its shape is {T.shape}, not (6, {6 - joint.nv})")
            return T.T.ravel()

        formula, numbers = with_numbers(trace(wrenches, joint.nq, names=("q",)))
    except Exception as fault:  # of a user's own code, on numbers that are not known yet: anything
        raise NotTraced(f"constraint_subspace: {fault}" if str(fault) else type(fault).__name__) from fault
    require_same_wrenches(joint, formula, numbers)
    return OwnFormula(formula, numbers, uses)


def _formulas(joint: JointType, copied: Any) -> tuple[Formulas, tuple[float, ...]]:
    nq, nv = joint.nq, joint.nv

    def position(q: NDArray, t: Scalar) -> NDArray:
        q = roomy(q)
        pose, S = symbols(copied.pose(q, t)), symbols(copied.motion_subspace(q))
        if pose.shape != (4, 4) or S.shape != (6, nv):
            raise ValueError(f"pose has shape {pose.shape}, motion_subspace {S.shape}, not (4, 4) and (6, {nv})")
        return np.concatenate([pose[:3, :3].ravel(), pose[:3, 3], S.T.ravel()])

    whole = trace(position, nq, (), names=("q", "t"))
    if any(whole.graph.nodes[k][:2] == ("load", "t") for k in whole.graph.live(whole.positions())):
        raise ValueError("its pose depends on time, and is_driven does not say so")
    whole = Trace(whole.graph, ("q",), whole.shapes[:1], whole.outputs, whole.shape)
    found, numbers = with_numbers(whole)
    if not joint.is_curved:
        return Formulas(joint.known_as, found), numbers
    return Formulas(
        joint.known_as,
        found,
        trace(lambda q, v: symbols(copied.rate(roomy(q), roomy(v))), nq, nv, names=("q", "v")),
        trace(lambda q, u: symbols(copied.integrate(roomy(q), roomy(u))), nq, nv, names=("q", "u")),
        trace(lambda q0, q1: symbols(copied.difference(roomy(q0), roomy(q1))), nq, nq, names=("q0", "q1")),
        trace(lambda u: symbols(copied.local_rate(roomy(u))), nv, names=("u",)),
    ), numbers


# --- what of rbdkit.spatial asks for values, on symbols ---------------------------------------------------------------


def _sinc(t: Any) -> Any:
    wide = t * t + 1e-200  # does not change any digit of a larger angle
    return sin(sqrt(wide)) / sqrt(wide) if isinstance(t, Symbol) else stumpff.sinc(t)


def _half_cotangent(t: Any) -> Any:
    return half_cotangent(t * t) if isinstance(t, Symbol) else stumpff.half_cotangent(t)


def _exp(w: Any) -> Any:
    return roomy(exp(Vector(w))[0])


def _log(p: Any) -> Any:
    return roomy(list(log(list(p))))


def _log_of_matrix(R: Any) -> Any:
    return _log(_from_matrix(R))


def _from_matrix(R: Any) -> Any:
    return roomy(symbols(from_matrix(Matrix.of(list(np.ravel(R))))))


def _normalize(p: Any) -> Any:
    p = roomy(p)
    return p / np.sqrt((p * p).sum())


def _pose(rotation: Any = None, position: Any = (0.0, 0.0, 0.0)) -> Any:
    given = [symbols(x) for x in (rotation, position) if isinstance(x, np.ndarray | list | tuple)]
    if not any(isinstance(x, Symbol) for values in given for x in values.flat):
        return roomy(se3.pose(rotation, position))  # which checks it
    T = roomy(np.eye(4))
    T[:3, 3] = symbols(position)
    if rotation is not None:
        R = symbols(rotation.as_matrix() if hasattr(rotation, "as_matrix") else rotation)
        T[:3, :3] = quaternion.to_matrix(R) if R.shape == (4,) else R
    return T


def _complement(S: Any) -> Any:
    """Orthogonal complement by Householder reflections, with signs as LAPACK chooses them."""
    columns = [[float(x) if isinstance(x, np.floating) else x for x in column] for column in symbols(S).T]
    n, m = np.shape(S)
    mirrors: list[tuple[list[Scalar], Scalar]] = []
    for k in range(m):
        x = columns[k]
        for v, share in mirrors:
            x = _mirrored(v, share, x)
        rest = sum((y * y for y in x[k + 1 :]), 0.0)
        size = sqrt(x[k] * x[k] + rest)
        new = select(x[k] < 0.0, size, -size)
        below = [y / select(rest > 0.0, x[k] - new, 1.0) for y in x[k + 1 :]]
        mirror: list[Scalar] = [*[0.0] * k, 1.0, *below]
        mirrors.append((mirror, select(rest > 0.0, 1.0 - x[k] / select(rest > 0.0, new, 1.0), 0.0)))
    found = []
    for k in range(m, n):
        x = [float(i == k) for i in range(n)]
        for v, share in reversed(mirrors):
            x = _mirrored(v, share, x)
        found.append(x)
    return roomy(symbols(found).reshape(n - m, n).T)


def _mirrored(v: list[Scalar], share: Scalar, x: list[Scalar]) -> list[Scalar]:
    along = share * sum((a * b for a, b in zip(v, x, strict=True)), 0.0)
    return [b - along * a for a, b in zip(v, x, strict=True)]


def _switch(t: Any, series: Any, closed: Any) -> Any:
    if not isinstance(t, Symbol):
        return stumpff._switch(t, series, closed)
    small = t < stumpff.SWITCH
    return select(small, polynomial(list(series), t * t), closed(select(small, stumpff.SWITCH, t)))


_INSTEAD: dict[Any, Callable[..., Any]] = {
    stumpff._switch: _switch,
    stumpff.sinc: _sinc,
    stumpff.half_cotangent: _half_cotangent,
    quaternion.exp: _exp,
    quaternion.log: _log,
    quaternion.normalize: _normalize,
    quaternion.from_matrix: _from_matrix,
    so3.log: _log_of_matrix,
    complement: _complement,
    se3.pose: _pose,
}
