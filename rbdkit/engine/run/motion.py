"""A motion to be computed, in the arrays and counts that programs of `METHODS` read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.run.kernels import Kernels
from rbdkit.engine.run.recipes import Task
from rbdkit.trace import Feedback

Tableau = tuple[Sequence[Sequence[float]], Sequence[float]]
"""Of an explicit Runge-Kutta method: A (s, s), strictly lower triangular, and b (s,)."""


def method_arrays(method: Tableau | None, nq: int, nv: int) -> dict[str, NDArray]:
    """A tableau, or None, in the arrays that programs read, and room for what a step computes."""
    A, b = (np.zeros((1, 1)), np.ones(1)) if method is None else (np.array(x, dtype=float) for x in method)
    weights = np.vstack([A, b])
    rows, terms = np.nonzero(weights)
    return {
        "c": A.sum(axis=1),
        "weights": weights[rows, terms],
        "terms": terms.astype(np.int64),
        "first_term": np.searchsorted(rows, np.arange(len(weights) + 1)).astype(np.int64),
        "u_rates": np.zeros(len(b) * nv),
        "v_rates": np.zeros(len(b) * nv),
        "scratch": np.zeros(3),
        "done": np.zeros(1),
        "going": np.zeros(1),
        **{name: np.zeros(nq) for name in ("q_new", "q_stage")},
        **{name: np.zeros(nv) for name in ("v_new", "v_stage", "u")},
    }


class Motion:
    """A motion to be computed: a task with its arrays and counts.

    The parameters are those of `simulate`.
    """

    def __init__(
        self,
        kernels: Kernels,
        q: NDArray,
        v: NDArray,
        times: NDArray,
        method: Tableau | None,
        tau: NDArray | Feedback,
        f_ext: NDArray | Feedback | None,
    ) -> None:
        if kernels.loops:
            kernels.refuse_loops("the loop over time")
        nq, nv = len(q), len(v)
        self.steps = len(times) - 1
        self.kernels = kernels
        self.task = Task(
            "symplectic_euler" if method is None else "runge_kutta",
            f_ext is not None,
            tau if isinstance(tau, Feedback) else None,
            f_ext if isinstance(f_ext, Feedback) else None,
        )
        self.arrays: dict[str, NDArray] = {
            **method_arrays(method, nq, nv),
            "times": np.ascontiguousarray(times, dtype=float),
            "q": np.array(q, dtype=float),
            "v": np.array(v, dtype=float),
        }
        self.arrays |= kernels.driven.at(float(times[0]))
        self.counts = {"stages": len(self.arrays["c"])}
        if isinstance(tau, Feedback):
            self.arrays |= {"tau_now": np.zeros(nv), "tau_numbers": np.array(tau.numbers)}
        else:
            held = 0 if tau.ndim == 1 else nv
            self.arrays["tau"] = np.ascontiguousarray(tau, dtype=float)
            self.counts |= {"tau_step": held, "tau_next": held if len(tau) == self.steps + 1 else 0}
        if isinstance(f_ext, Feedback):
            self.arrays |= {"f_ext": np.zeros(len(f_ext.results)), "f_ext_numbers": np.array(f_ext.numbers)}
        elif f_ext is not None:
            self.arrays["f_ext"] = np.array(kernels.on_links(f_ext), dtype=float)

    def driven(self, first: int, steps: int) -> dict[str, NDArray]:
        """The numbers of joints that move as time says in all stages of some steps; nothing if there are none."""
        if not self.kernels.driven:
            return {}
        t = self.arrays["times"][first : first + steps + 1]
        return self.kernels.driven.table((t[:-1, None] + np.diff(t)[:, None] * self.arrays["c"]).ravel())

    @property
    def stages(self) -> int:
        """How often forward dynamics is computed."""
        return self.steps * self.counts["stages"]
