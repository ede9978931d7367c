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
    >>> Baumgarte.of_time(0.1), Baumgarte.of_snapshots(per_second=10.0)
    (Baumgarte(alpha=10.0, beta=None), Baumgarte(alpha=10.0, beta=None))
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

    @staticmethod
    def of_time(T_stab: float) -> Baumgarte:
        """alpha = beta = 1 / T_stab, the time in s in which errors fade (Featherstone 2008, text after Eq 8.21)."""
        if not 0.0 < T_stab < float("inf"):
            raise SimulationError(f"T_stab = {T_stab!r} must be a time that is positive and finite (s)")
        return Baumgarte(1.0 / T_stab)

    @staticmethod
    def of_snapshots(per_second: float) -> Baumgarte:
        """T_stab the time between snapshots, as many a second as it takes to miss nothing of the motion (section 8.3).

        Its exact value does not matter, a factor of 2 makes little difference: it is for stability. If the motion is
        not accurate enough, make the step smaller, not T_stab: that only makes the equations stiff.
        """
        if not 0.0 < per_second < float("inf"):
            raise SimulationError(f"{per_second!r} snapshots a second: give a number that is positive and finite")
        return Baumgarte.of_time(1.0 / per_second)

    @property
    def factors(self) -> tuple[float, float]:
        """Those of g' and g."""
        return 2.0 * self.alpha, (self.alpha if self.beta is None else self.beta) ** 2
