"""All bodies on SO(3) x R3."""

from __future__ import annotations

from typing import Any, ClassVar

from rbdkit.formulations.constrained import ConstrainedBodies
from rbdkit.formulations.formulation import Force
from rbdkit.model import Model


class SO3xR3(ConstrainedBodies):
    """Configuration space (SO(3) x R3)^n, hybrid velocities (Müller and Terze 2013, Eqs 30, 31).

    The common choice: rotations on their manifold, positions as plain vectors. Cheaper than SE(3), but the reference
    points move along chords: joints drift open, also those to the ground.

    Parameters
    ----------
    model, tau, f_ext
        See `ConstrainedBodies`.
    **options
        `reference` and `baumgarte` of `ConstrainedBodies`.

    Examples
    --------
    The same pendulum as of `SE3` drifts from its hinge a little:

    >>> import rbdkit as rbd
    >>> motion = rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.2, dt=0.02, formulation="so3xr3")
    >>> bool(1e-12 < motion.report.constraint_error < 1e-6)
    True
    """

    name: ClassVar[str] = "so3xr3"

    def __init__(self, model: Model, tau: Force | None = None, f_ext: Force | None = None, **options: Any) -> None:
        super().__init__(model, tau, f_ext, "so3xr3", **options)
