"""Loop-closure functions: q = gamma(y) of independent coordinates y, which are integrated in place of q.

gamma is traced once; its derivatives G and g follow from the trace, exactly. Since q is computed from y, the loops stay
closed without stabilisation (Featherstone 2008, section 8.11).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.crba import crba
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.loops.loop_constraint import loop_constraint
from rbdkit.algorithms.loops.loop_forces import LoopEfforts, bias_force_with_loops
from rbdkit.errors import ModelError, StateError
from rbdkit.model import Model
from rbdkit.model.requirements import require_undriven
from rbdkit.trace import jacobian, tangent, trace

OPEN = 1e-9
"""Largest closure error of gamma, rad and m."""


@dataclass(frozen=True, eq=False)
class ClosureRates:
    """Value and derivatives of gamma at a state (Featherstone 2008, Eqs 8.56-8.60).

    Attributes
    ----------
    q : ndarray (nq,)
        Coordinates gamma(y).
    qd : ndarray (nv,)
        Velocities G yd.
    G : ndarray (nv, n_y)
        Partial derivatives of gamma; for quaternions and the like those of the corresponding velocities.
    g : ndarray (nv,)
        Bias acceleration of ``qdd = G ydd + g``.
    """

    q: NDArray
    qd: NDArray
    G: NDArray
    g: NDArray


class LoopClosure:
    """Loop-closure function of a model, with kinematics and dynamics in y (Featherstone 2008, section 8.11).

    Loops stay closed without stabilization, because q is computed from y whenever it is needed.

    Parameters
    ----------
    model : Model
        Model with loops.
    gamma : callable
        From y, an array of n_y independent coordinates, to all nq coordinates of the spanning tree, as plain NumPy
        code: it is traced once, and differentiated exactly.
    n_y : int
        Number of independent coordinates, n - r.
    acceptable : callable, optional
        From y to a mapping of names to numbers that must be positive: the set C of acceptable y. Not traced.

    Raises
    ------
    ModelError
        If a joint is prescribed, or gamma cannot be traced or does not return nq numbers.

    Examples
    --------
    Two bars on one hinge each, tied by a loop joint so that they turn alike:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.loops import LoopClosure
    >>> model = rbd.Model("parallelogram")
    >>> bar = rbd.Inertia(1.0, com=[0, 0, -0.5])
    >>> left = model.add_body("left", joint=rbd.Revolute("y"), inertia=bar)
    >>> right = model.add_body("right", joint=rbd.Revolute("y"), placement=[1, 0, 0], inertia=bar)
    >>> rod = model.add_body("rod", left, rbd.Revolute("y"), [0, 0, -1], bar)
    >>> loop = model.add_loop("pin", rod, right, rbd.Revolute("y"), [1, 0, 0], [0, 0, -1])
    >>> closure = LoopClosure(model, lambda y: np.array([y[0], y[0], -y[0]]), n_y=1)
    >>> closure.rates([0.3], [2.0]).qd.tolist()
    [2.0, 2.0, -2.0]
    """

    def __init__(
        self,
        model: Model,
        gamma: Callable[[Any], Any],
        n_y: int,
        acceptable: Callable[[NDArray], Mapping[str, float]] | None = None,
    ) -> None:
        require_undriven(model, "a loop-closure function", "gamma knows no time; loop_equation does")
        self.model, self.n_y, self.acceptable = model, n_y, acceptable
        try:
            recorded = trace(gamma, (n_y,), names=("y",))
        except Exception as fault:
            raise ModelError(
                f"gamma cannot be recorded ({type(fault).__name__}: {fault}); write it as plain NumPy code of the "
                "array y, with np.where in place of decisions on its values"
            ) from fault
        if recorded.shape != (model.nq,):
            raise ModelError(f"gamma returns shape {recorded.shape}; model {model.name!r} has {model.nq} coordinates")
        self._gamma, self._G = recorded, jacobian(recorded, "y")  # Eq 8.58
        self._g = jacobian(tangent(recorded), "y")

    def coordinates(self, y: ArrayLike) -> NDArray:
        """Return gamma(y), shape (nq,).

        Raises
        ------
        StateError
            If y is not in C, with the name of the quantity that is not positive, or gamma leaves a loop open.
        """
        y = self._acceptable(y)
        q = np.asarray(self._gamma(y), dtype=float)
        constraint = loop_constraint(self.model, q, np.zeros(self.model.nv))
        for name, rows in zip(constraint.names, constraint.rows, strict=True):
            off = float(np.abs(constraint.delta[rows]).max(initial=0.0))
            if not off <= OPEN:
                raise StateError(
                    f"gamma leaves loop joint {name!r} open by {off:.3g} rad or m at y = {y.tolist()}; it must return "
                    "coordinates that close all loops"
                )
        return q

    def rates(self, y: ArrayLike, yd: ArrayLike) -> ClosureRates:
        """Return q, qd, G and g at y and its rate; raises as `coordinates` does."""
        q, yd = self.coordinates(y), self._sized("yd", yd)
        y = self._sized("y", y)
        slopes = np.asarray(self._G(y), dtype=float)
        return self._in_velocities(q, slopes, np.asarray(self._g(y, yd), dtype=float) @ yd, yd)

    def _in_velocities(self, q: NDArray, slopes: NDArray, rates: NDArray, yd: NDArray) -> ClosureRates:
        """Return G and g for the velocity variables, which differ from those of the coordinates if ``qdot = R(q) v``.

        slopes : (nq, n_y) derivative of gamma. rates : (nq,) second derivative of q at constant yd.
        """
        nv = self.model.nv
        G, g = np.zeros((nv, self.n_y)), np.zeros(nv)
        for joint in self.model.joints:
            if joint.mimic is not None or not joint.nv:
                continue
            at, here, kind = joint.q_slice, joint.v_slice, joint.type
            if not kind.is_curved:
                G[here], g[here] = slopes[at], rates[at]  # Eqs 8.58, 8.60
                continue
            R_inverse = np.linalg.pinv(np.column_stack([kind.rate(q[at], e) for e in np.eye(joint.nv)]))
            G[here] = R_inverse @ slopes[at]
            v, moved = G[here] @ yd, 5e-3 * slopes[at] @ yd  # by differences, to about 11 digits
            turning = sum(
                w * (kind.rate(q[at] + s * moved, v) - kind.rate(q[at] - s * moved, v)) / 5e-3
                for s, w in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
            )
            g[here] = R_inverse @ (rates[at] - turning)
        return ClosureRates(q, G @ yd, G, g)

    def acceleration(
        self,
        y: ArrayLike,
        yd: ArrayLike,
        tau: ArrayLike,
        *,
        f_ext: ExternalForces = None,
        tau_loop: LoopEfforts = None,
    ) -> NDArray:
        """Return ydd, shape (n_y,), under joint forces tau (nv,): Eq 8.46 with the G and g of gamma.

        Raises
        ------
        StateError
            As `coordinates` does.
        ModelError
            If G^T H G is singular: a motion of y moves no inertia.
        """
        at = self.rates(y, yd)
        H, C_ = crba(self.model, at.q).H, bias_force_with_loops(self.model, at.q, at.qd, tau_loop, f_ext=f_ext)
        try:
            L = np.linalg.cholesky(at.G.T @ H @ at.G)
        except np.linalg.LinAlgError:
            raise ModelError(
                f"G^T H G of model {self.model.name!r} is singular at y = {self._sized('y', y).tolist()}: two y do the "
                "same, or one moves nothing with inertia"
            ) from None
        u = at.G.T @ (np.asarray(tau, dtype=float) - C_ - H @ at.g)
        return np.asarray(np.linalg.solve(L.T, np.linalg.solve(L, u)))

    def integrate(
        self,
        y0: ArrayLike,
        yd0: ArrayLike,
        times: ArrayLike,
        tau: Callable[[float, NDArray, NDArray], ArrayLike] | None = None,
        rtol: float = 1e-10,
    ) -> tuple[NDArray, NDArray]:
        """Integrate the motion from a state by SciPy's DOP853 in y and yd; q is `coordinates` of every y.

        Parameters
        ----------
        y0, yd0 : array_like (n_y,)
            Initial values, at the first of the times.
        times : array_like (m,)
            Output times, s.
        tau : callable, optional
            Joint forces (nv,) as a function of t, q and qd; zero if not given.
        rtol : float, optional
            Relative error of a step; the absolute one is a hundredth of it.

        Returns
        -------
        y, yd : ndarray (m, n_y)
            Independent coordinates and their rates at the output times.

        Raises
        ------
        StateError
            As `coordinates` does, at any time of the motion.
        """
        from scipy.integrate import solve_ivp  # slow to load

        def rate(t: float, x: NDArray) -> NDArray:
            y, yd = x[: self.n_y], x[self.n_y :]
            at = self.rates(y, yd)
            force = np.zeros(self.model.nv) if tau is None else np.asarray(tau(t, at.q, at.qd), dtype=float)
            return np.concatenate([yd, self.acceleration(y, yd, force)])

        when = np.asarray(times, dtype=float)
        start = np.concatenate([self._acceptable(y0), self._sized("yd0", yd0)])
        run = solve_ivp(rate, (when[0], when[-1]), start, "DOP853", when, rtol=rtol, atol=0.01 * rtol)
        if not run.success:
            raise StateError(f"the motion in y ends at t = {run.t[-1]:g} s: {run.message}")
        return run.y[: self.n_y].T, run.y[self.n_y :].T

    def _sized(self, name: str, given: ArrayLike) -> NDArray:
        values = np.asarray(given, dtype=float)
        if values.shape != (self.n_y,) or not np.isfinite(values).all():
            raise StateError(f"{name} = {values.tolist()} must be {self.n_y} finite number(s)")
        return values

    def _acceptable(self, given: ArrayLike) -> NDArray:
        y = self._sized("y", given)
        for name, value in (self.acceptable(y) if self.acceptable else {}).items():
            if not value > 0.0:
                raise StateError(
                    f"y = {y.tolist()} is outside the set C of the loop-closure function: {name} is {value:g}"
                )
        return y
