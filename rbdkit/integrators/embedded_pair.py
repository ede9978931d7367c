"""Embedded Runge-Kutta pairs from a user's tableau, and the tables of any pair for `embedded_steps`.

The coefficients are read from SciPy's classes at run time; `EmbeddedPair` makes such a class of a tableau. All pairs
are brought into one form, tables of weights by stages, so that one text serves all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import SimulationError
from rbdkit.integrators.runge_kutta import RungeKutta

if TYPE_CHECKING:
    from scipy.integrate import OdeSolver

FIRST, TRIAL, INNER, LAST, DENSE = range(5)
"""Roles of stages: the rates at the start of a step; a trial Euler step that estimates the first step size; inner
stages; the rates at the end; additional stages of dense output. The array "wanted" has a flag for each role."""
TOO_SHORT, TOO_MANY = 1, 2
"""Reasons why a motion ends early: the step became too short, or there were too many steps to the next time."""

FLAGS = ("new", "starting", "stale", "active", "begins", "replaced", "accepted", "rejected")
NUMBERS = (
    "t", "t_new", "h", "h_next", "far", "reach", "d_0", "d_1", "since", "taken", "theta",
    "bound", "earliest", "latest", "beyond",
)  # fmt: skip
"""Fields of the array "solver": flags (0 or 1) and numbers."""
ACCOUNT = ("steps", "why", "reached")
"""Fields of "account": steps to the last recorded time; reason of an early end, or 0; end of the last step, s."""


class EmbeddedPair:
    """A user-defined Runge-Kutta pair for `rbdkit.integrators.Adaptive`, from its tableau.

    Steps are made with the weights b; their difference from those of the other method is the error estimate. States
    between the ends of a step come from the cubic with the rates there.

    Parameters
    ----------
    A : array_like (s, s)
        Strictly lower triangular; the times c are the sums of its rows.
    b, other : array_like (s,)
        Weights of the method and of the one that it is compared with.
    name : str, optional
        Name in reports.

    Raises
    ------
    SimulationError
        If the shapes do not fit, the method is implicit, weights do not add up to 1, or both methods are the same.

    Examples
    --------
    Heun's method with Euler's in it:

    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import Adaptive, EmbeddedPair
    >>> pair = EmbeddedPair([[0, 0], [1, 0]], [0.5, 0.5], [1, 0], "heun_euler")
    >>> method = Adaptive(pair, rtol=1e-5, atol=1e-5)
    >>> rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.5, integrator=method).report.backend
    'compiled loop (LLVM)'
    """

    def __init__(self, A: ArrayLike, b: ArrayLike, other: ArrayLike, name: str = "embedded_pair") -> None:
        own, compared = RungeKutta(A, b, name), RungeKutta(A, other, f"{name}: other")
        self.A, self.b, self.other = np.array(own.A), np.array(own.b), np.array(compared.b)
        self.name, self.order, self.least_order = name, own.order, min(own.order, compared.order)
        if np.array_equal(self.b, self.other):
            raise SimulationError(f"tableau {name!r}: b and other are the same, so that there is no error estimate")

    def __repr__(self) -> str:
        return self.name

    @property
    def solver(self) -> type[OdeSolver]:
        """SciPy's class of the method."""
        A, b, error = self.A, self.b, np.append(self.b - self.other, 0.0)
        if len(b) > 1 and np.array_equal(A[-1], b):  # its last stage is the first of the next step, which SciPy adds
            A, b, error = A[:-1, :-1], b[:-1], error[:-1]
        first, last = np.eye(len(error))[[0, -1]]
        weights = np.append(b, 0.0)
        table = {"A": A, "B": b, "C": A.sum(axis=1), "E": error, "order": self.order, "n_stages": len(b)}
        # cubic Hermite interpolation in powers of theta, from the states and rates at both ends
        table |= {"P": np.column_stack([first, 3 * weights - 2 * first - last, first + last - 2 * weights])}
        bases = scipy.integrate.RK45.__bases__
        return type(self.name, bases, {**table, "error_estimator_order": self.least_order})


def pair_arrays(solver: Any, max_steps: int, max_step: float, breaks: NDArray, nx: int, nv: int) -> dict[str, NDArray]:
    """Return the arrays that `embedded_steps` and `embedded_program` read, and those that the program writes.

    Parameters
    ----------
    solver : one of SciPy's explicit Runge-Kutta solvers, on 2 nv variables, which has checked its tolerances.
    max_steps : largest number of steps to the next time.
    max_step : largest step, s.
    breaks : times at which steps have to end, s.
    """
    A, B, n = solver.A, solver.B, solver.n_stages
    inner = [np.zeros((0, n + 1)), np.zeros(0)]
    A_dense, C_dense = getattr(solver, "A_EXTRA", inner[0]), getattr(solver, "C_EXTRA", inner[1])
    stages = n + 2 + len(C_dense)

    def rows(values: NDArray) -> NDArray:
        """Return weights of SciPy's stages as weights of the stages here, with `TRIAL` between the first two."""
        values = np.atleast_2d(values)
        wide = np.zeros((len(values), stages))
        wide[:, 0], wide[:, 2 : values.shape[1] + 1] = values[:, 0], values[:, 1:]
        return wide

    # the trial stage is an Euler step: the rate at the start, with weight 1
    trial = np.eye(1, stages)
    if hasattr(solver, "D"):
        errors = [rows(solver.E5), rows(solver.E3)]
        b, f_old, f_new = rows(B), rows(np.eye(1, n + 1)), rows(np.eye(1, n + 1, n))
        dense = np.vstack([b, f_old - b, 2.0 * b - f_new - f_old, rows(solver.D)])[::-1]
        slope = (-1.0) ** np.arange(len(dense))  # theta and 1 - theta in turn
    else:
        errors = [rows(solver.E), np.zeros((1, stages))]
        dense = rows(solver.P.T)[::-1]
        slope = np.ones(len(dense))
    weights = np.vstack([0.0 * trial, trial, rows(A[1:]), rows(B), rows(A_dense), *errors])
    at, terms = np.nonzero(weights)
    names = ("u_start", "u_end", "u_rate_start", "u_rate_end", "u_rate", "u_sum", "u_stage")
    return {
        "c": np.concatenate([[0.0, 1.0], solver.C[1:], [1.0], C_dense]),
        "roles": np.array([FIRST, TRIAL, *[INNER] * (n - 1), LAST, *[DENSE] * len(C_dense)], dtype=np.int64),
        "weights": weights[at, terms],
        "terms": terms.astype(np.int64),
        "first_term": np.searchsorted(at, np.arange(len(weights) + 1)).astype(np.int64),
        "dense": dense.T.ravel(),
        "slope": slope,
        "offset": np.where(slope < 0.0, 1.0, 0.0),
        "exponent": np.array([1.0 / (solver.error_estimator_order + 1)]),
        "dense_powers": np.array([len(dense)], dtype=np.int64),
        "u_rtol": np.broadcast_to(solver.rtol, 2 * nv)[:nv].copy(),
        "v_rtol": np.broadcast_to(solver.rtol, 2 * nv)[nv:].copy(),
        "u_atol": np.broadcast_to(solver.atol, 2 * nv)[:nv].copy(),
        "v_atol": np.broadcast_to(solver.atol, 2 * nv)[nv:].copy(),
        "pair_size": np.array([max(2.0 * nv, 1.0)]),
        "max_steps": np.array([float(max_steps)]),
        "max_step": np.array([max_step]),
        "breaks": breaks,
        **dict(zip(("breaks_before", "breaks_after"), sides(breaks), strict=True)),
        "n_breaks": np.array([len(breaks)], dtype=np.int64),
        "solver": np.array([1.0, *[0.0] * (len(FLAGS + NUMBERS) - 1)]),
        "account": np.zeros(len(ACCOUNT)),
        "x_chart": np.zeros(nx),
        "x_stage": np.zeros(nx),
        "u_rates": np.zeros(stages * nv),
        "v_rates": np.zeros(stages * nv),
        "wanted": np.zeros(5),
        **{name: np.zeros(1) for name in ("turns", "landing", "scratch")},
        **{letter + name[1:]: np.zeros(nv) for name in names for letter in "uv"},
    }


MARGIN = 8.0
"""Distance from a discontinuity, in spacings of floats, at which forces are evaluated: rounding cannot swap sides."""


def sides(breaks: NDArray) -> tuple[NDArray, NDArray]:
    """Return the last times before and the first times after discontinuities, s."""
    margin = MARGIN * np.spacing(np.abs(breaks))
    return breaks - margin, breaks + margin
