"""Maximal coordinates: bodies with twists, and joints as constraints on these."""

from __future__ import annotations

from typing import Any, ClassVar

from rbdkit.formulations.formulation import Force
from rbdkit.formulations.se3 import SE3
from rbdkit.model import Model


class Maximal(SE3):
    """The `Formulation` of Sueda's notes, part 1: six freedoms a body, poses on SE(3), twists in body coordinates.

    The same bodies, twists and constraints as 'se3'. What makes it that of the notes are methods at velocity level,
    'velocity_euler' and 'linearly_implicit_euler', which put the constraints on the new twists in one system (Eq 1.73).
    These take 'se3', 'so3xr3' and 'bodywise', too; others find accelerations here as there.

    Parameters
    ----------
    model, tau, f_ext
        See `ConstrainedBodies`.
    **options
        `reference` and `baumgarte` of `ConstrainedBodies`.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> options = {"formulation": "maximal", "integrator": "velocity_euler"}
    >>> motion = rbd.simulate(rbd.library.double_pendulum(), [1.0, 0.5], duration=0.1, dt=0.001, **options)
    >>> bool(motion.report.constraint_error < 1e-4)
    True
    """

    name: ClassVar[str] = "maximal"

    def __init__(self, model: Model, tau: Force | None = None, f_ext: Force | None = None, **options: Any) -> None:
        super().__init__(model, tau, f_ext, **options)
