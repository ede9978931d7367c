"""Compliant surfaces of several elements: a spring in series, and an array of patches (section 11.8, end)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.contact.soft_contact import CompliantSurface
from rbdkit.errors import ModelError


@dataclass(frozen=True)
class SeriesSurface:
    """Standard linear solid: a spring on top of a parallel spring-damper pair.

    The force has no jump when a body arrives with speed, because the top spring takes the impact. The state is y <= 0,
    m, the position of the pair, on which the top spring stands; an untouched patch is at y.

    Parameters
    ----------
    K, D : float
        Stiffness, N/m, and damping, N s/m, of the pair.
    K_s : float
        Stiffness of the top spring, N/m; as it goes to infinity this is `CompliantSurface`.

    Raises
    ------
    ModelError
        If a number is not positive.

    Examples
    --------
    >>> from rbdkit.algorithms.contact import SeriesSurface
    >>> surface = SeriesSurface(K=1000.0, D=5.0, K_s=3000.0)
    >>> surface.force(-0.002, 0.0), surface.force(-0.002, surface.at_rest(-0.002))
    (6.0, 1.5)
    """

    K: float
    D: float
    K_s: float

    def __post_init__(self) -> None:
        for name in ("K", "D", "K_s"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0.0):
                raise ModelError(f"{name} = {value} of a surface must be positive")

    def force(self, p: float, y: float) -> float:
        """Return the contact force on a body at p, N."""
        return self.K_s * max(0.0, y - p)

    def rate(self, y: float, f_c: float) -> float:
        """Return y' under a contact force f_c, m/s, by Eq 11.73 of the pair."""
        return -(self.K * y + f_c) / self.D

    def recovered(self, y: float, after: float) -> float:
        """Return y after the patch has recovered untouched for `after` seconds."""
        return y * float(np.exp(-after * self.K / self.D))

    def at_rest(self, p: float) -> float:
        """Return the equilibrium y under a body that rests at p <= 0."""
        return p * self.K_s / (self.K + self.K_s)


@dataclass(frozen=True, eq=False)
class SurfaceArray:
    """Array of equal linear spring-damper pairs in a surface, which is interpolated between them.

    A body that touches at s presses on the two neighbouring pairs with weights w(s), so that the surface
    ``z(s) = sum w_i z_i`` follows the body. A body that moves along the surface leaves its dent behind and climbs out
    of it all the time; this is the work of moving the locus of compression, so that rolling drag follows without
    further parameters. Halfway between two places both pairs carry, and the surface is twice as stiff.

    Parameters
    ----------
    surface : CompliantSurface
        Properties of each pair, n = 1, m = 0.
    places : ndarray (k,)
        Positions of the pairs, m, increasing; at least two.

    Raises
    ------
    ModelError
        If the pairs are not linear, or the places do not rise.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.algorithms.contact import CompliantSurface, SurfaceArray
    >>> array = SurfaceArray(CompliantSurface(1000.0, 5.0), np.array([0.0, 0.1, 0.2]))
    >>> array.weights(0.075).round(9).tolist()
    [0.25, 0.75, 0.0]
    """

    surface: CompliantSurface
    places: NDArray

    def __post_init__(self) -> None:
        places = np.asarray(self.places, dtype=float)
        object.__setattr__(self, "places", places)
        if (self.surface.n, self.surface.m) != (1.0, 0.0):
            raise ModelError(f"pairs of an array must be linear, not n = {self.surface.n}, m = {self.surface.m}")
        if places.ndim != 1 or len(places) < 2 or not (np.diff(places) > 0.0).all():
            raise ModelError("the places of an array must be two numbers or more, each larger than the one before")

    @cached_property
    def _one_each(self) -> NDArray:
        return np.eye(len(self.places))

    def weights(self, s: float) -> NDArray:
        """Return the weights w (k,) at s; beyond the ends the last pair carries all."""
        return np.array([np.interp(s, self.places, hat) for hat in self._one_each])

    def slopes(self, s: float) -> NDArray:
        """Return the slopes dw/ds (k,), 1/m; at the position of a pair those to its right."""
        i = int(np.searchsorted(self.places, s, side="right"))
        w_s = np.zeros(len(self.places))
        if 0 < i < len(self.places):
            w_s[i - 1], w_s[i] = np.array([-1.0, 1.0]) / (self.places[i] - self.places[i - 1])
        return w_s

    def forces(self, p: float, p_rate: float, s: float, s_rate: float, z: NDArray) -> tuple[float, float]:
        """Return the contact force on a body at height p over s, and the drag against its motion along s, N.

        Parameters
        ----------
        p, p_rate : float
            Height, m, and its rate; it touches where p <= z(s).
        s, s_rate : float
            Position along the surface, m, and its rate.
        z : ndarray (k,)
            Positions of the pairs, m.
        """
        w, w_s = self.weights(s), self.slopes(s)
        if p > w @ z:
            return 0.0, 0.0
        K, D = self.surface.K, self.surface.D
        f_c = max(0.0, float(-K * (w @ z) + D * (s_rate * (w_s @ z) - p_rate)) / float(w @ w))
        return f_c, -f_c * float(w_s @ z)  # the contact force is normal to the deformed surface

    def rates(self, s: float, f_c: float, z: NDArray) -> NDArray:
        """Return z' (k,) under a contact force at s, m/s, by Eq 11.73 for each pair with its share of the force."""
        return -(self.surface.K * z + self.weights(s) * f_c) / self.surface.D
