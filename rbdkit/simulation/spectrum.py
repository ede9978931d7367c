"""Modes of a system linearised near a state, and their growth under an integrator.

An oscillation or decay with rate lambda (an eigenvalue of the linearised system) is multiplied by R(h lambda) in a
step, with the stability function R of the method; a step is stable if no mode that decays is amplified. Three ways lead
there, the cheapest that suffices first:

1. `followed`: a bound of all rates by norms of K and C. If even the largest possible h lambda is small, R differs from
   exp(h lambda) by less than what counts, whatever the modes are. No eigenvalue is computed.
2. All eigenvalues of the first-order matrix, for small systems.
3. The outermost ones of a Krylov space (Arnoldi), which limit the step, for large ones: products with the linearised
   system only, by differences of the rate.

For explicit Runge-Kutta methods R is a polynomial with coefficients from the tableau (`stability_polynomial`); other
methods are applied to the linear system itself, and the eigenvalues of that map are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, factorial, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.formulations import LinearSystem, System, TangentSystem, linearize
from rbdkit.integrators import Integrator, MuntheKaas, Projected
from rbdkit.simulation.linearized import Near

EXACT = 24
"""Number of velocity variables up to which all modes are computed; beyond it, those of a Krylov space."""
KRYLOV = 24
"""Dimension of the Krylov space: the outermost eigenvalues, which limit the step, are then exact to about a percent."""
STEP_KRYLOV = 12
"""Dimension of the Krylov space of a whole step, in which each vector costs one step."""

BALANCING = 4
"""Number of balancing iterations that find units for a bound of all rates."""
TINY = 1e-9
"""Least weight of a row in balancing, as a part of the largest."""


@dataclass(frozen=True)
class Modes:
    """Eigenvalues `rates` (k,), 1/s, and velocity parts (n, k) of the modes; exact : whether all modes are included."""

    linear: LinearSystem
    rates: NDArray
    velocities: NDArray
    exact: bool


def modes_of(near: Near, linear: LinearSystem | None) -> Modes:
    """Compute the modes near a state, with a number of rate evaluations that does not grow with the system.

    linear : linearisation at the state from `linearized`, or None.
    """
    system, t, x, v = near
    n = len(v)
    if n <= EXACT:
        linear = linear or linearize(system, t, x, v)
        rates, vectors = np.linalg.eig(linear.matrix)
        return Modes(linear, rates, vectors[n:], True)
    tangent = linear or TangentSystem(system, t, x, v)
    # at random, since it must have a part along each mode; always the same, so that reports repeat
    start = np.random.default_rng(0).standard_normal(2 * n)
    # displacements are counted in units in which the stiffest directions change as fast as velocities do
    stiffness = np.linalg.norm(tangent.rate(t, start[:n], np.zeros(n))) / np.linalg.norm(start[:n])
    unit = max(float(np.sqrt(stiffness)), 1e-6)

    scaled = None if linear is None else LinearSystem(linear.K / unit, linear.C).matrix
    if scaled is not None:
        scaled[:n] *= unit

    def product(y: NDArray) -> NDArray:
        if scaled is not None:
            return scaled @ y
        return np.concatenate([unit * y[n:], tangent.rate(t, y[:n] / unit, y[n:])])

    rates, vectors = _ritz(product, start, KRYLOV)
    return Modes(tangent, rates, vectors[n:], False)


def growth_in_a_step(integrator: Integrator, modes: Modes) -> Callable[[float], float] | None:
    """Return the largest growth factor of a mode in a step of the integrator, as a function of the step h.

    None if it cannot be computed: for methods that need another kind of system, and for implicit methods on large
    systems.
    """
    method = integrator.method if isinstance(integrator, Projected) else integrator
    if method.requires is not System and not isinstance(modes.linear, method.requires):
        return None
    if isinstance(method, MuntheKaas) and type(method).step is MuntheKaas.step:
        polynomial = stability_polynomial(method)
        return lambda h: float(np.max(np.abs(np.polyval(polynomial, h * modes.rates))))
    linear, n = modes.linear, len(modes.velocities)

    def step(y: NDArray, h: float) -> NDArray:
        end = method.step(linear, method.init(linear, 0.0, y[:n], y[n:]), h)
        return np.concatenate([end.x, end.v])

    if modes.exact:
        return lambda h: float(np.max(np.abs(np.linalg.eigvals(np.array([step(e, h) for e in np.eye(2 * n)]).T))))
    start = np.random.default_rng(1).standard_normal(2 * n)
    if method.step(linear, method.init(linear, 0.0, start[:n], start[n:]), 1e-6).solve is not None:
        return None
    return lambda h: float(np.max(np.abs(_ritz(lambda y: step(y, h), start, STEP_KRYLOV)[0])))


def followed(integrator: Integrator, linear: Sequence[LinearSystem], h: float, growth: float) -> bool:
    """Whether a cheap bound of all rates proves that no mode grows in a step by more than the given factor.

    A rate solves ``lambda^2 x = K x + lambda C x``, so ``|lambda|^2 <= |K| + |lambda| |C|`` in any norm. Within that
    circle the error of a Runge-Kutta step against exp(h lambda) is bounded by the difference of their power series.
    """
    method = integrator.method if isinstance(integrator, Projected) else integrator
    if not (isinstance(method, MuntheKaas) and type(method).step is MuntheKaas.step):
        return False
    sizes = np.abs([(one.K, one.C) for one in linear])
    return _within(method, h * _bound(sizes), growth) or _within(method, h * _bound(_balanced(sizes)), growth)


def _bound(sizes: NDArray) -> float:
    """Return a bound of all \\|lambda\\|, 1/s, by row sums. sizes : (m, 2, n, n), \\|K\\| and \\|C\\| of m systems."""
    norms = sizes.sum(axis=-1).max(axis=-1)
    # the positive root of lambda^2 = k + lambda c
    return max(0.5 * (c + sqrt(c * c + 4.0 * k)) for k, c in norms.tolist())


def _balanced(sizes: NDArray) -> NDArray:
    """Balance \\|K\\| and \\|C\\|, (m, 2, n, n), by a diagonal change of units; eigenvalues stay, norms become smaller.

    That sharpens the bound where some links are far lighter than others.
    """
    for _ in range(BALANCING):
        largest = sizes.max(axis=(2, 3), keepdims=True)
        together = (sizes / np.where(largest > 0.0, largest, 1.0)).sum(axis=1)
        # rows and columns of equal sums, in the manner of Osborne (1960)
        units = np.sqrt((together.sum(axis=2) + TINY) / (together.sum(axis=1) + TINY))
        sizes = sizes * units[:, None, None, :] / units[:, None, :, None]
    return sizes


def _within(method: MuntheKaas, z: float, growth: float) -> bool:
    """Whether R(h lambda) differs from exp(h lambda) by at most growth - 1 for all \\|h lambda\\| up to z."""
    # no use beyond: the rest of the exponential series is larger than any growth that is allowed
    if not z < 2.0:
        return False
    own = stability_polynomial(method)[::-1]
    exact = [1.0 / factorial(j) for j in range(len(own))]
    off = sum(abs(r - e) * z**j for j, (r, e) in enumerate(zip(own, exact, strict=True)))
    rest = exp(z) - sum(e * z**j for j, e in enumerate(exact))
    return off + rest <= growth - 1.0


def stability_polynomial(method: MuntheKaas) -> Sequence[float]:
    """Return the coefficients of R, highest first: a step on ``y' = lambda y`` multiplies y by R(h lambda)."""
    try:
        return _polynomial(method.A, method.b)  # type: ignore[arg-type]  # some can be told apart
    except TypeError:  # a tableau that may change
        return _polynomial.__wrapped__(method.A, method.b)


@lru_cache(maxsize=32)
def _polynomial(A: ArrayLike, b: ArrayLike) -> tuple[float, ...]:
    A, b = np.asarray(A, dtype=float), np.asarray(b, dtype=float)
    coefficients, stage = [1.0], np.ones(len(b))
    for _ in b:  # R(z) = 1 + z b^T (1 - z A)^-1 e, with A strictly lower triangular
        coefficients.append(float(b @ stage))
        stage = A @ stage
    return tuple(coefficients[::-1])


def _ritz(product: Callable[[NDArray], NDArray], start: NDArray, dimension: int) -> tuple[NDArray, NDArray]:
    """Return eigenvalues and eigenvectors of a linear map on the Krylov space of a vector (Arnoldi's iteration).

    SciPy's routine iterates until eigenvalues converge, or returns none; here the work is bounded.
    """
    m = min(dimension, len(start))
    Q, H = np.zeros((m + 1, len(start))), np.zeros((m + 1, m))
    Q[0] = start / np.linalg.norm(start)
    for j in range(m):
        w, known, own = product(Q[j]), Q[: j + 1], H[: j + 1, j]
        for _ in range(2):  # Gram-Schmidt twice: once leaves round-off that spoils orthogonality
            along = known @ w
            w = w - along @ known
            own += along
        length = H[j + 1, j] = sqrt(w @ w)
        if not length < np.inf:
            raise FloatingPointError("the rate near this state is not finite")
        if length <= 1e-12 * sqrt(own @ own):
            m = j + 1
            break
        Q[j + 1] = w / length
    values, vectors = np.linalg.eig(H[:m, :m])
    return values, Q[:m].T @ vectors
