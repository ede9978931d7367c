"""All bodies on SE(3)."""

from __future__ import annotations

from typing import Any, ClassVar

from rbdkit.formulations.constrained import ConstrainedBodies
from rbdkit.formulations.formulation import Force
from rbdkit.model import Model


class SE3(ConstrainedBodies):
    """Configuration space SE(3)^n, body twists as velocities (Müller and Terze 2013, Eqs 25, 26).

    Integration reconstructs screw motions. A body that a lower pair holds to a body at rest moves on a subgroup of
    SE(3), and there any Munthe-Kaas method keeps the joint closed to round-off, whatever the step.

    Parameters
    ----------
    model, tau, f_ext
        See `ConstrainedBodies`.
    **options
        `reference` and `baumgarte` of `ConstrainedBodies`.

    Examples
    --------
    A body on a hinge to the ground stays on it to round-off, whatever the step:

    >>> import rbdkit as rbd
    >>> motion = rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.2, dt=0.02, formulation="se3")
    >>> bool(motion.report.constraint_error < 1e-12)
    True
    """

    name: ClassVar[str] = "se3"

    def __init__(self, model: Model, tau: Force | None = None, f_ext: Force | None = None, **options: Any) -> None:
        super().__init__(model, tau, f_ext, "se3", **options)
