"""Stack the rows of constraint elements below those of the loop joints."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.element_rows import element_rows
from rbdkit.algorithms.loops.loop_constraint import LoopConstraint
from rbdkit.model import Model
from rbdkit.model.constraint_rows import constraint_rows
from rbdkit.model.row_sizes import own_sizes


def with_elements(
    constraint: LoopConstraint, model: Model, q: NDArray, qd: NDArray, *, t: float = 0.0
) -> LoopConstraint:
    """Return the loop constraint with the rows of the constraint elements appended to K, k and delta.

    Parameters
    ----------
    constraint : LoopConstraint
        Loop constraint of the model at this state.
    q : ndarray (nq,)
        Coordinates.
    qd : ndarray (nv,)
        Joint velocities.
    t : float, optional
        Time, s.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.loops import loop_constraint, with_elements
    >>> model = rbd.library.double_pendulum()
    >>> belt = model.add_constraint("belt", rbd.Tie("hinge2", "hinge1", ratio=-2.0))
    >>> none = loop_constraint(model, np.zeros(2), np.zeros(2))
    >>> with_elements(none, model, np.zeros(2), np.ones(2)).delta_dot.tolist()
    [3.0]
    """
    found = element_rows(model, q, qd, t=t)
    own = [row.constraint for row in found.rows]
    names = tuple(dict.fromkeys(own))
    ends = constraint.n_c + np.cumsum([0, *(own.count(name) for name in names)])
    rows = constraint_rows(model)
    sizes = np.zeros(0) if rows is None else own_sizes(model, rows, constraint.length)
    return replace(
        constraint,
        names=(*constraint.names, *names),
        rows=(*constraint.rows, *(slice(int(a), int(b)) for a, b in pairwise(ends))),
        K=np.concatenate([constraint.K, found.K]),
        k=np.concatenate([constraint.k, found.k]),
        k_stab=np.concatenate([constraint.k_stab, np.zeros(len(own))]),
        delta=np.concatenate([constraint.delta, found.gap]),
        delta_dot=np.concatenate([constraint.delta_dot, found.slip]),
        per_row=np.concatenate([constraint.per_row, 1.0 / np.sqrt(sizes)]),
    )
