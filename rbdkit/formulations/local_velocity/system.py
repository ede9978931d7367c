"""Free bodies in unified local velocity coordinates.

The formulation of Holzinger, Gerstmayr, Schöberl: poses H of central frames, velocities w of six points (`projection`),
the equations ``M w' + Gamma w = Q`` with a constant mass matrix (`mass_matrix`), poses moved by the exponential map
(`tangent`). The equations of one body are in `equations`; this class gives them the numbers of the bodies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.formulations.formulation import Force
from rbdkit.formulations.free_bodies import FreeBodies
from rbdkit.formulations.local_velocity.equations import EQUATIONS
from rbdkit.formulations.local_velocity.mass_matrix import gamma, mass_matrix
from rbdkit.formulations.local_velocity.projection import Projection
from rbdkit.model import Model


class LocalVelocity(FreeBodies):
    """The `Formulation` whose x are the poses H of the central frames and whose v are the w of all bodies.

    With the Runge-Kutta-Munthe-Kaas method ``"rk4"`` it is the scheme of Eqs 82-87 of Holzinger, Gerstmayr, Schöberl,
    the incremental motion vector n beginning every step at zero and the loads taken at the poses of the stages.
    x holds the upper three rows of each H, v the six w of each body.

    Parameters
    ----------
    model, tau, f_ext
        See `FreeBodies`.
    projection : Projection or mapping of str to Projection, optional
        Six points and directions for all bodies, or by body name, with the hexahedral one of unit lengths for those
        not named. Points are counted from the centre of mass.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> q, v = rbd.library.tumbling_box_state(spin=(1.0, 2.0, 3.0))
    >>> motion = rbd.simulate(rbd.library.tumbling_box(), q, v, duration=0.2, formulation="local_velocity")
    >>> bool(abs(motion.energy_error()).max() < 1e-9)
    True
    """

    name: ClassVar[str] = "local_velocity"
    equations = EQUATIONS

    def __init__(
        self,
        model: Model,
        tau: Force | None = None,
        f_ext: Force | None = None,
        projection: Projection | Mapping[str, Projection] | None = None,
    ) -> None:
        super().__init__(model, tau, f_ext)
        self.projections = _each(model, projection)
        self.D = np.array([p.D for p in self.projections])
        self.D_inverse = np.array([p.D_inverse for p in self.projections])
        self.M = np.array([mass_matrix(*body) for body in zip(self.projections, self.mass, self.J, strict=True)])
        self.M_inverse = np.linalg.inv(self.M)
        Q_to_rate, upper = self.M_inverse @ np.swapaxes(self.D_inverse, -1, -2), self.J[:, *np.triu_indices(3)]
        numbers = self.D_inverse, Q_to_rate, self.mass, upper, self.D
        self.numbers = np.hstack([part.reshape(self.n, -1) for part in numbers])

    def gamma_w(self, v: NDArray) -> NDArray:
        """Return the quadratic velocity term Gamma w (n, 6) (Eq 56)."""
        bodies = zip(self.projections, self.mass, self.J, v.reshape(self.n, 6), strict=True)
        return np.array([gamma(projection, mass, J, w) @ w for projection, mass, J, w in bodies])


def _each(model: Model, projection: Projection | Mapping[str, Projection] | None) -> tuple[Projection, ...]:
    """Return the projection of each body."""
    if isinstance(projection, Mapping):
        for name in projection:
            model.body(name)
        return tuple(projection.get(body.name, Projection.hexahedral()) for body in model.bodies[1:])
    if not isinstance(projection, Projection | None):
        raise ModelError(f"projection {projection!r} is not a Projection; make one with Projection(points, directions)")
    return (projection or Projection.hexahedral(),) * (len(model.bodies) - 1)
