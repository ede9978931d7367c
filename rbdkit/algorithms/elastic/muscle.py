"""A muscle between two points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from rbdkit.algorithms.elastic.attached import Attached, PointForces, between, rate_of_length, row, wrenches
from rbdkit.algorithms.elastic.point_spring import sixteen_blocks
from rbdkit.forces.muscle_curves import active_force_length, force_velocity, passive_force_length


class Curve(Protocol):
    """A function of one number with its derivative."""

    def __call__(self, x: float) -> float: ...
    def slope(self, x: float) -> float: ...


class Tension(NamedTuple):
    """f of Eq 1.38, N, its derivatives by length, N/m, and rate, N s/m, and the potential of the passive part, J."""

    f: float
    by_length: float
    by_rate: float
    V: float


@dataclass(frozen=True, eq=False)
class MuscleNumbers:
    """Parameters of a muscle, in the symbols of section 1.9.4; its tendon is rigid and its pennation angle zero.

    Parameters
    ----------
    f_opt : float
        Peak isometric force, N.
    l_opt : float
        Optimal length, m.
    a : float
        Activation.
    l_T : float, optional
        Length of the tendon, m.
    v_max : float, optional
        Largest rate of contraction, optimal lengths per second.
    f_L, f_V, f_P : optional
        The curves, called with a number, with a `slope`, and an `integral` of f_P; those of the notes if not given.

    Examples
    --------
    >>> from rbdkit.algorithms.elastic import MuscleNumbers
    >>> round(MuscleNumbers(f_opt=100.0, l_opt=0.5, a=0.3).tension(0.5, 0.0).f, 9)
    30.0
    """

    f_opt: float
    l_opt: float
    a: float
    l_T: float = 0.0
    v_max: float = 10.0
    f_L: Curve = field(default_factory=active_force_length)
    f_V: Curve = field(default_factory=force_velocity)
    f_P: Curve = field(default_factory=passive_force_length)

    def tension(self, l_MT: float, v: float) -> Tension:
        """Return the tension at a length l_MT of muscle and tendon, m, and its rate v, m/s."""
        l = (l_MT - self.l_T) / self.l_opt  # Eq 1.47
        v = v / (self.l_opt * self.v_max)  # Eq 1.49
        f_opt, a, f_L, f_V, f_P = self.f_opt, self.a, self.f_L, self.f_V, self.f_P
        f = f_opt * (a * f_L(l) * f_V(v) + f_P(l))  # Eq 1.38
        by_length = f_opt * (a * f_L.slope(l) * f_V(v) + f_P.slope(l)) / self.l_opt
        by_rate = f_opt * a * f_L(l) * f_V.slope(v) / (self.l_opt * self.v_max)  # f_L, not f_L' as in Eq 1.56
        stored: Callable[[float], float] | None = getattr(f_P, "integral", None)
        V = np.nan if stored is None else f_opt * self.l_opt * stored(l)
        return Tension(float(f), float(by_length), float(by_rate), float(V))


def muscle(one: Attached, two: Attached, numbers: MuscleNumbers, *, rate_by_pose: bool = True) -> PointForces:
    """A muscle between two points (section 1.9.4).

    Parameters
    ----------
    one, two : Attached
        The points.
    numbers : MuscleNumbers
        What the muscle is. V is the potential of its passive part, NaN if the curve f_P has no `integral`.
    rate_by_pose : bool, optional
        Whether K includes the derivative of the rate v by the poses, zero at rest; the notes omit it (Eq 1.53).

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.algorithms.elastic import Attached, MuscleNumbers, muscle
    >>> one, two = (Attached(np.eye(4), np.array([x, 0.0, 0.0])) for x in (0.0, 0.5))
    >>> muscle(one, two, MuscleNumbers(100.0, 0.5, 0.3)).f[3].round(9).item()
    30.0
    """
    dx, l_MT = between(one, two)
    v, v_by_E, v_by_Phi = rate_of_length(one, two)
    f, f_by_l, f_by_v, V = numbers.tension(l_MT, v)
    pull = wrenches(one, two, dx)
    d = (f / l_MT - f_by_l) / l_MT**2 * dx  # Eq 1.53
    K_1 = np.outer(pull, row(one, two, d))  # Eq 1.52
    if rate_by_pose:
        K_1 += np.outer(pull / l_MT, f_by_v * v_by_E)
    K_2 = -f / l_MT * sixteen_blocks(one, two)  # Eq 1.51
    D = -np.outer(pull / l_MT, f_by_v * v_by_Phi)  # Eq 1.55, with the sign that Eq 1.30 needs
    return PointForces(f / l_MT * pull, K_1 + K_2, D, V)  # Eqs 1.39, 1.50
