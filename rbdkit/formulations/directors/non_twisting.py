"""The body that may not twist: its directors are carried parallel on the sphere (Gebhardt and Romero, section 4.2).

The constraint w . d3 = 0 is nonholonomic: a closed path of d3 on the sphere brings d1 and d2 back turned, by the area
that the path encloses, so no equation between positions can replace it. It adds one row G(q), linear in q like the
others, and one multiplier to the equations of `Directors`. The reaction is a moment along d3, across all angular
velocities that are allowed: it does no work.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError, StateError
from rbdkit.formulations.directors.directors import Directors
from rbdkit.formulations.directors.turning import triad
from rbdkit.formulations.formulation import Force
from rbdkit.model import Model

TWIST_TOLERANCE = 1e-9
"""Share of the angular velocity that may lie along d3 at the start."""


class NonTwistingDirectors(Directors):
    """Directors under the constraint ``(1 - a) d1' . d2 - a d2' . d1 = 0``: no angular velocity along d3 (Eq 80).

    It cannot be integrated to a constraint on positions, and its force does no work. The motion is another one than
    that of the standard body: it keeps K and the components of the angular momentum along d1 and d2 (Eq 74).

    Parameters
    ----------
    model : Model
        One body on a ball joint at its centre of mass, or floating.
    tau : callable, optional
        Joint forces as a function of (t, x, v), or None.
    f_ext : callable, optional
        External forces (bodies, 6) as a function of (t, x, v), or None.
    a : float, optional
        Number from 0 to 1. Orthonormal directors have d1' . d2 = -d2' . d1, so any a gives the same motion; the
        multiplier of d1 . d2 takes up the difference.

    Raises
    ------
    ModelError
        If a is not between 0 and 1, or the third axis of the body is not a principal one.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.formulations import NonTwistingDirectors
    >>> NonTwistingDirectors(rbd.library.fixed_point_model()).twists
    False
    """

    name: ClassVar[str] = "non_twisting_directors"
    twists: ClassVar[bool] = False
    split: ClassVar[bool] = False
    equations_recorded = True

    def __init__(self, model: Model, tau: Force | None = None, f_ext: Force | None = None, a: float = 0.5) -> None:
        if not 0.0 <= a <= 1.0:
            raise ModelError(f"formulation {self.name!r}: a = {a!r} must be a number from 0 to 1")
        self.a = float(a)
        super().__init__(model, tau, f_ext)
        # raises if d3 is no principal axis: Pi1 and Pi2 are not conserved then
        self.body.split_inertia()

    def state(self, q: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        refuse_twist(v)
        return super().state(q, v)

    def invariants(self, x: NDArray, v: NDArray, t: float = 0.0) -> dict[str, NDArray]:
        """Return K, Pi1 and Pi2 while gravity has no moment (Eq 74); else the energy."""
        Pi = (self.angular_momentum(x, v)[..., None, :] @ triad(x))[..., 0, :]
        return self._kept(x, v, {"Pi1": Pi[..., 0], "Pi2": Pi[..., 1]})


def refuse_twist(W: NDArray) -> None:
    """Raise StateError if an angular velocity, the first three of W (..., n), has a part along the third body axis."""
    W = W[..., :3]
    twist = np.max(np.abs(W[..., 2]))
    if twist > TWIST_TOLERANCE * np.max(np.abs(W)):
        raise StateError(
            f"a body without twist cannot turn about its own d3, but the initial angular velocity {W} does, "
            f"at {twist:.6g} rad/s; set its third component to zero"
        )
