"""Euler's equations split on the sphere of d3: along the tangent plane and along d3 (Gebhardt and Romero, 3.4, 4.1).

If d3 is a principal axis, the angular momentum splits into a part pi_perp in the plane across d3 and a part pi_par
along it. The axis d3 is a point on the unit sphere, and pi_perp a tangent vector there; its covariant derivative nabla
along the curve d3(t) is what an observer in the tangent plane sees. Euler's equations become (Eq 51)
``nabla pi_perp + pi_par d3' = m_perp``, ``pi_par' - pi_perp . d3' = m_par``.

The split shows what a body without twist does: with w_par = 0 the coupling vanishes, and without moments pi_perp is
carried parallel along d3. x is a rotation, which moves by the exponential map; so there are no constraints that a
method could violate. The sign of the second equation is that of Eq 53.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations.directors.non_twisting import refuse_twist
from rbdkit.formulations.directors.turning import TurningBody, triad
from rbdkit.formulations.formulation import Force
from rbdkit.model import Model
from rbdkit.spatial import so3, sphere


class SplitEuler(TurningBody):
    """The standard body. x = (d1, d2, d3) is a rotation and stays one; v = (W1, W2, W_par), body axes.

    ``nabla pi_perp + pi_par d3' = m_perp``, ``pi_par' - pi_perp . d3' = m_par`` (Eq 51, with the sign of Eq 53), nabla
    being the covariant derivative along d3(t). For a floating body, x and v also hold its centre of mass.

    Parameters
    ----------
    model : Model
        One body on a ball joint at its centre of mass, or floating.
    tau : callable, optional
        Joint forces as a function of (t, x, v), or None.
    f_ext : callable, optional
        External forces (bodies, 6) as a function of (t, x, v), or None.

    Attributes
    ----------
    J_perp, J_par
        The parts of the convected inertia (Eq 32).

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.fixed_point_model()
    >>> motion = rbd.simulate(model, v0=[1.0, 2.0, 3.0], duration=0.2, formulation="split_euler")
    >>> bool(abs(motion.energy_error()).max() < 1e-9)
    True
    """

    name: ClassVar[str] = "split_euler"
    twists: ClassVar[bool] = True
    split: ClassVar[bool] = True
    equations_recorded = True

    def __init__(self, model: Model, tau: Force | None = None, f_ext: Force | None = None) -> None:
        super().__init__(model, tau, f_ext)
        self.J_perp, self.J_par = self.body.split_inertia()
        self._J_plane_inverse = np.linalg.inv(self.J_perp[:2, :2])

    def _own_numbers(self) -> list[float]:
        upper = np.triu_indices(2)
        return [*self.J_perp[upper], *self._J_plane_inverse[upper], self.J_par]

    # --- the pieces of the equations ----------------------------------------------------------------------------------

    def d3_rate(self, x: NDArray, v: NDArray) -> NDArray:
        """Return d3' = w_perp x d3, world axes (3,) (Eq 31)."""
        d1, d2, d3 = x[:9].reshape(3, 3)
        return sphere.velocity(d3, v[0] * d1 + v[1] * d2)

    def momentum(self, x: NDArray, v: NDArray) -> tuple[NDArray, float]:
        """Return pi_perp (3,), world axes, and pi_par, kg m2/s (Eq 40)."""
        return triad(x) @ (self.J_perp @ v[:3]), self.J_par * float(v[2])

    def momentum_rate(self, t: float, x: NDArray, v: NDArray) -> tuple[NDArray, float]:
        """Return nabla pi_perp (3,), in the tangent plane at d3, and pi_par' (Eq 51, its second sign from Eq 53)."""
        d3_rate = self.d3_rate(x, v)
        pi_perp, pi_par = self.momentum(x, v)
        m = triad(x) @ self.convected_moment(t, x, v)
        return sphere.tangent(x[6:9], m) - pi_par * d3_rate, float(x[6:9] @ m) + float(pi_perp @ d3_rate)

    # --- as a system --------------------------------------------------------------------------------------------------

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        nabla_pi, pi_par_rate = self.momentum_rate(t, x, v)
        d1, d2, _ = x[:9].reshape(3, 3)
        Pi = self.J_perp @ v[:3]
        # pi_perp = Pi1 d1 + Pi2 d2, where d1 and d2 turn in their plane with the twist: nabla d1 = w_par d2
        Pi_rate = np.array([d1 @ nabla_pi + v[2] * Pi[1], d2 @ nabla_pi - v[2] * Pi[0]])
        turning = [*(self._J_plane_inverse @ Pi_rate), pi_par_rate / self.J_par]
        return np.array([*turning, *(self.force_on_com(t, x, v) / self.body.mass)] if self.body.floats else turning)

    def move(self, x: NDArray, u: NDArray) -> NDArray:
        return np.concatenate([(triad(x) @ so3.exp(u[:3])).T.ravel(), x[9:] + u[3:]])

    def local_rate(self, u: NDArray, v: NDArray) -> NDArray:
        return np.concatenate([so3.right_jacobian_inverse(u[:3]) @ v[:3], v[3:]])

    def displacement(self, x0: NDArray, x1: NDArray) -> NDArray:
        return np.concatenate([so3.log(triad(x0).T @ triad(x1)), x1[9:] - x0[9:]])

    # --- what it says of the model ------------------------------------------------------------------------------------

    def state(self, q: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        if not self.body.floats:
            return self.start(q), v
        return self.start(q), np.concatenate([v[..., :3], self.com_velocity(q, v)], axis=-1)

    def spin(self, x: NDArray, v: NDArray) -> NDArray:
        return v[..., :3]

    def invariants(self, x: NDArray, v: NDArray, t: float = 0.0) -> dict[str, NDArray]:
        """Return K and pi while gravity has no moment (Eq 54); else the energy, and pi along gravity."""
        pi = (triad(x) @ (v[..., :3] @ self.body.J)[..., None])[..., 0]
        kept = self._kept(x, v, {"pi": pi})
        if self.body.weight.any() and not self.model.acting:
            up = -self.body.gravity / np.linalg.norm(self.body.gravity)
            kept["angular momentum about the vertical"] = pi @ up
        return kept


class NonTwistingSplitEuler(SplitEuler):
    """The body that may not twist: ``nabla pi_perp = m_perp`` with w_par = 0 (Eq 71).

    Without moments pi_perp is carried parallel along d3, and d1 and d2 too: its components Pi1, Pi2 are constant.

    Parameters
    ----------
    model : Model
        One body on a ball joint at its centre of mass, or floating.
    tau : callable, optional
        Joint forces as a function of (t, x, v), or None.
    f_ext : callable, optional
        External forces (bodies, 6) as a function of (t, x, v), or None.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.fixed_point_model()
    >>> motion = rbd.simulate(model, v0=[1.0, 2.0, 0.0], duration=0.2, formulation="non_twisting_split_euler")
    >>> bool(abs(motion.energy_error()).max() < 1e-9)
    True
    """

    name: ClassVar[str] = "non_twisting_split_euler"
    twists: ClassVar[bool] = False
    split: ClassVar[bool] = True
    equations_recorded = True

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        rate = super().rate(t, x, v)
        # the constraint moment takes all that would turn the body about d3
        rate[2] = 0.0
        return rate

    def constraint_moment(self, t: float, x: NDArray, v: NDArray) -> float:
        """Return mu = m_par + pi_perp . d3', N m; the moment -mu d3 prevents twist (Eq 71b, sign of Eq 53)."""
        return self.momentum_rate(t, x, v)[1]

    def state(self, q: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        refuse_twist(v)
        return super().state(q, v)

    def invariants(self, x: NDArray, v: NDArray, t: float = 0.0) -> dict[str, NDArray]:
        """Return K, Pi1 and Pi2 while gravity has no moment (Eq 74); else the energy."""
        Pi = v[..., :3] @ self.body.J
        return self._kept(x, v, {"Pi1": Pi[..., 0], "Pi2": Pi[..., 1]})
