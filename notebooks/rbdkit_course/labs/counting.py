"""Count the operations of a student's algorithm by running it on symbols.

The function is copied for the tracer and called with symbolic arrays, so that each multiplication and addition of joint
variables is recorded. Loops over bodies unroll; branches on the value of a symbol fail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.library.revolute_trees import general_unbranched
from rbdkit.model import Model
from rbdkit.trace import Copies, roomy, trace
from rbdkit_course.verdict import Verdict, right, wrong

LENGTHS = (3, 6, 12)
"""Numbers of joints of the arms on which operations are counted."""
GOLD, SILVER = 1.25, 2.0
"""Upper bounds of the operations for a medal, over those of the book's algorithm, counted in the same way."""


class Nothing:
    """Base class without objects: given to `Copies`, it makes these copy functions only."""


@dataclass(frozen=True)
class PaperJoint:
    """A revolute joint about z whose angle is a symbol, with the interface of a joint."""

    row: int

    @property
    def v_slice(self) -> slice:
        return slice(self.row, self.row + 1)

    q_slice = v_slice

    def transform(self, q: Any, t: float = 0.0) -> Any:
        c, s = np.cos(q[self.row]), np.sin(q[self.row])
        X = roomy(np.zeros((6, 6)))
        for k in (0, 3):
            X[k, k] = X[k + 1, k + 1] = c
            X[k, k + 1], X[k + 1, k], X[k + 2, k + 2] = s, -s, 1.0
        return X

    def motion_subspace(self, q: Any) -> NDArray:
        return np.eye(6)[:, 2:3]

    def velocity(self, q: Any, qd: Any, t: float = 0.0) -> Any:
        return self.motion_subspace(q) @ qd[self.v_slice]

    def calc(self, q: Any, qd: Any, t: float = 0.0) -> tuple[Any, Any, Any, Any]:
        return self.transform(q, t), self.motion_subspace(q), self.velocity(q, qd, t), np.zeros(6)


class PaperArm:
    """An arm of revolute joints with the interface of a model, for symbolic arguments."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.joints = (None, *(PaperJoint(k) for k in range(model.nv)))
        self.X_tree, self.I, self.gravity = (roomy(np.array(x)) for x in (model.X_tree, model.I, model.gravity))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


def counted(function: Callable[..., Any], joints: int, vectors: int) -> int:
    """Count the operations of a function of (model, q, ...) for an arm of `joints` hinges in general position.

    vectors : number of arguments after the model, each (joints,).
    """
    arm = PaperArm(general_unbranched(joints))
    copy = Copies(Nothing).of(function)
    run = trace(lambda *given: _flat(copy(arm, *map(roomy, given))), *[joints] * vectors, simplify=False)
    return run.operations().total


def medal_for(function: Callable[..., Any], book: Callable[..., Any], vectors: int) -> Verdict:
    """Award gold, silver or bronze to a right function by its operations; vectors: its arguments after the model."""
    best = [counted(book, n, vectors) for n in LENGTHS]
    try:
        found = [counted(function, n, vectors) for n in LENGTHS]
    except Exception as fault:  # code for numbers may do much that symbols cannot
        return right(
            "the numbers are right. How many operations they take cannot be seen: your function does not run on "
            f"symbols ({type(fault).__name__}: {fault}). Loops over bodies and NumPy's own products do."
        )
    growth, usual = (np.log2(counts[-1] / counts[-2]) for counts in (found, best))
    text = ", ".join(f"{count} for {n} hinges" for n, count in zip(LENGTHS, found, strict=True))
    ratio = found[-1] / best[-1]
    if ratio <= GOLD:
        return right(f"🥇 {text}: hardly more than the book's algorithm, {best[-1]}.")
    if ratio <= SILVER:
        return right(
            f"🥈 {text}; the book's algorithm takes {best[-1]}. Something is computed that is not needed, or twice."
        )
    if growth < usual + 0.3:
        return right(f"🥉 {text}; the book's takes {best[-1]}. It grows with n as it should; each body does too much.")
    return wrong(
        f"right numbers, but {text}: it grows like n to the power {growth:.1f}. Something is computed again for every "
        "body that was known from the body before."
    )


def _flat(result: Any) -> Any:
    first = result[0] if isinstance(result, tuple) else result
    return np.asarray(first, dtype=object).ravel()
