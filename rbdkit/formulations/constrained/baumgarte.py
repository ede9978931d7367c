"""Baumgarte's stabilisation of constraints."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import NDArray

from rbdkit.errors import SimulationError


@dataclass(frozen=True)
class Baumgarte:
    """In place of g'' = 0 the constraints obey ``g'' + 2 alpha g' + beta^2 g = 0``: errors die out as in a damper.

    The error settles where what a step adds is what it takes away, so it is bounded but not zero. alpha = beta is
    critical damping; values near 1 / h make the equations stiff for explicit methods with step h.

    Parameters
    ----------
    alpha : float
        1/s, not negative.
    beta : float, optional
        1/s, not negative; as alpha if not given.

    Raises
    ------
    SimulationError
        If one of them is negative.

    Examples
    --------
    >>> from functools import partial
    >>> import rbdkit as rbd
    >>> from rbdkit.formulations import Baumgarte, SO3xR3
    >>> pulled = partial(SO3xR3, baumgarte=Baumgarte(alpha=50.0))
    >>> motion = rbd.simulate(rbd.library.planar_four_bar(), duration=0.02, formulation=pulled)
    >>> bool(motion.report.constraint_error < 1e-6)
    True
    """

    alpha: float
    beta: float | None = None

    def __post_init__(self) -> None:
        if self.alpha < 0.0 or (self.beta is not None and self.beta < 0.0):
            raise SimulationError(f"{self}: alpha and beta must not be negative (1/s)")

    def correction(self, g: NDArray, g_rate: NDArray) -> NDArray:
        """What to take away from eta."""
        of_rate, of_g = self.factors
        return of_rate * g_rate + of_g * g

    @property
    def factors(self) -> tuple[float, float]:
        """Those of g' and g."""
        return 2.0 * self.alpha, (self.alpha if self.beta is None else self.beta) ** 2
