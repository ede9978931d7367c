"""Baumgarte's stabilisation of constraints."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import NDArray

from rbdkit.errors import SimulationError


@dataclass(frozen=True)
class Baumgarte:
    """Baumgarte stabilisation: ``g'' + 2 alpha g' + beta^2 g = 0`` replaces g'' = 0, so that constraint errors decay.

    The error settles where a step removes as much as it adds, so it is bounded but not zero. alpha = beta is
    critical damping; values near 1 / h make the equations stiff for explicit methods with step h.

    Parameters
    ----------
    alpha : float
        Half the gain of the velocity error g', 1/s, not negative.
    beta : float, optional
        Square root of the gain of the position error g, 1/s, not negative; alpha if not given.

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
        """Return 2 alpha g' + beta^2 g, to be subtracted from eta, the right-hand side of g'' = 0."""
        of_rate, of_g = self.factors
        return of_rate * g_rate + of_g * g

    @staticmethod
    def of_time(T_stab: float) -> Baumgarte:
        """Return alpha = beta = 1 / T_stab; T_stab: decay time of errors, s (Featherstone 2008, after Eq 8.21)."""
        if not 0.0 < T_stab < float("inf"):
            raise SimulationError(f"T_stab = {T_stab!r} must be a time that is positive and finite (s)")
        return Baumgarte(1.0 / T_stab)

    @staticmethod
    def of_snapshots(per_second: float) -> Baumgarte:
        """Return the gains for T_stab = 1 / per_second, the time between snapshots that show the motion (section 8.3).

        The exact value does not matter; a factor of 2 makes little difference. If the motion is not accurate enough,
        make the step smaller, not T_stab: a small T_stab only makes the equations stiff.
        """
        if not 0.0 < per_second < float("inf"):
            raise SimulationError(f"{per_second!r} snapshots a second: give a number that is positive and finite")
        return Baumgarte.of_time(1.0 / per_second)

    @property
    def factors(self) -> tuple[float, float]:
        """The gains of g' and of g: 2 alpha (1/s) and beta^2 (1/s^2)."""
        return 2.0 * self.alpha, (self.alpha if self.beta is None else self.beta) ** 2
