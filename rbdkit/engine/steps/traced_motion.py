"""Joint primitives traced from users' own functions.

A user writes `pose` and `motion_subspace`, and for a joint with a manifold of its own also how to move on it. All that
the engine needs beyond that is derived here by differentiation of the traces: c_J, the rate of S v, and the derivatives
by q. Two primitives are equal if class name and operations are, by a digest; so models with equal joints share code.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np

from rbdkit.engine.steps.recorded_joint import RecordedJoint, Scalars
from rbdkit.spatial.vector3 import Matrix, Vector
from rbdkit.trace import Graph, Scalar, Symbol, Trace, jacobian, replay, tangents


@dataclass(frozen=True, eq=False)
class Formulas:
    """The functions of a joint type, as traces.

    Attributes
    ----------
    position : of q, numbers: rotation (9), position (3) and S, column by column.
    rate : of q, v: qdot. move, difference, local_rate : of (q, u), (q0, q1), u: as in `RecordedJoint`, the last one as
        the matrix A. All four are None where velocities are the derivatives of coordinates.
    """

    kind: str
    position: Trace
    rate: Trace | None = None
    move: Trace | None = None
    difference: Trace | None = None
    local_rate: Trace | None = None

    @property
    def identity(self) -> str:
        """Name that no other functions have: a digest of the operations."""
        return f"{self.kind} {digest(self.position, self.rate, self.move, self.difference, self.local_rate)}"


class TracedMotion(RecordedJoint):
    """Traced functions as a `RecordedJoint`; c_J is derived as the rate of S v along qdot."""

    def __init__(self, formulas: Formulas) -> None:
        self.formulas = formulas
        self.name = formulas.identity
        by_name = dict(zip(formulas.position.names, formulas.position.shapes, strict=True))
        (self.nq,), (self.numbers,) = by_name["q"], by_name["numbers"]
        self.nv = (len(formulas.position.outputs) - 12) // 6
        self.curved = formulas.move is not None  # type: ignore[misc]  # of each its own
        self._pose = _part(formulas.position, slice(0, 12))
        self._axes = _part(formulas.position, slice(12, None))
        self._product = _velocity_product(self._axes, formulas.rate, self.nq, self.nv)
        # a product that is constant is zero: the axes do not depend on q
        self.varying = any(isinstance(x, Symbol) for x in self._product.outputs)
        self._rates = None if formulas.rate is None else jacobian(formulas.rate, "v")

    @cached_property
    def pose_by_q(self) -> Trace:
        """Derivatives of rotation (9) and position (3) by q."""
        return jacobian(self._pose, "q")

    def pose(self, q: Scalars, numbers: Scalars) -> tuple[Matrix, Vector]:
        values = computed(self._pose, q=q, numbers=numbers)
        return Matrix.of(values[:9]), Vector(values[9:])

    def axes(self, q: Scalars, numbers: Scalars) -> list[list[Scalar]]:
        values = computed(self._axes, q=q, numbers=numbers)
        return [values[6 * k : 6 * k + 6] for k in range(self.nv)]

    def velocity_product(self, q: Scalars, v: Scalars, numbers: Scalars) -> list[Scalar]:
        return computed(self._product, q=q, v=v, numbers=numbers)

    def rates(self, q: Scalars) -> list[list[Scalar]]:
        if self._rates is None:
            return super().rates(q)
        values = computed(self._rates, q=q)
        return [values[k :: self.nv] for k in range(self.nv)]

    def move(self, q: Scalars, u: Scalars) -> list[Scalar]:
        moved = self.formulas.move
        return super().move(q, u) if moved is None else computed(moved, q=q, u=u)

    def difference(self, q0: Scalars, q1: Scalars) -> list[Scalar]:
        between = self.formulas.difference
        return super().difference(q0, q1) if between is None else computed(between, q0=q0, q1=q1)

    def local_rate(self, u: Scalars, v: Scalars) -> list[Scalar]:
        return self._times_A(u, v, 1) if self.curved else super().local_rate(u, v)

    def local_force(self, u: Scalars, f: Scalars) -> list[Scalar]:
        return self._times_A(u, f, self.nv) if self.curved else super().local_force(u, f)

    def _times_A(self, u: Scalars, x: Scalars, stride: int) -> list[Scalar]:
        """Return A x for stride 1, else A.T x; the stride is that from row to row."""
        assert self.formulas.local_rate is not None
        A, n = computed(self.formulas.local_rate, u=u), self.nv
        rows = [A[n * k : n * k + n] if stride == 1 else A[k::n] for k in range(n)]
        return [sum((a * y for a, y in zip(row, x, strict=True)), 0.0) for row in rows]


def computed(formula: Trace, **given: Scalars) -> list[Scalar]:
    """Evaluate a trace at these arguments; unused ones may be missing."""
    return [
        float(x) if isinstance(x, np.floating) else x for x in replay(formula, lambda leaf: given[leaf[1]][leaf[3]])
    ]


def _part(whole: Trace, which: slice) -> Trace:
    """Return a trace of some of the results."""
    outputs = whole.outputs[which]
    return Trace(whole.graph, whole.names, whole.shapes, outputs, (len(outputs),))


def _velocity_product(axes: Trace, rate: Trace | None, nq: int, nv: int) -> Trace:
    """Return S' v as a function of q, v and numbers."""
    graph = Graph()

    def leaf(said: tuple) -> Scalar:
        return graph.node(*said)

    v = [graph.load("v", None, k) for k in range(nv)]
    S = replay(axes, leaf)
    S_v = [sum((S[6 * k + r] * v[k] for k in range(nv)), 0.0) for r in range(6)]
    qdot: list[Scalar] = list(v) if rate is None else replay(rate, leaf)
    # c_J = d(S v)/dq qdot at constant v
    seeds = {graph.load("q", None, k).position: x for k, x in enumerate(qdot)}
    product = tangents(graph, [graph.position(x) for x in S_v], seeds)
    names, shapes = (*axes.names, "v"), (*axes.shapes, (nv,))
    assert len(qdot) == nq
    return Trace(graph, names, shapes, tuple(product), (6,))


def digest(*formulas: Trace | None) -> str:
    """Return a digest that is the same for the same operations, and for no others."""
    said = sha256()
    for part in formulas:
        said.update(repr(None if part is None else (part.names, part.shapes, _canonical(part))).encode())
    return said.hexdigest()


def _canonical(formula: Trace) -> tuple[object, ...]:
    """Return the operations that the results need, numbered in order."""
    place: dict[int, int] = {}
    steps: list[tuple[object, ...]] = []
    for position in formula.graph.live(formula.positions()):
        operation, *operands = formula.graph.nodes[position]
        place[position] = len(place)
        leaf = operation in ("const", "load")
        steps.append((operation, *(operands if leaf else (place[operand] for operand in operands))))
    return (*steps, tuple(place[position] for position in formula.positions()))
