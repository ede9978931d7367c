"""Compliant surfaces as massless first-order systems of springs and dampers, with Coulomb friction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError


@dataclass(frozen=True)
class Patch:
    """State of an untouched surface patch that recovers: it was at z_0 <= 0, m, at time t_0, s."""

    t_0: float = 0.0
    z_0: float = 0.0


@dataclass(frozen=True)
class CompliantSurface:
    """Compliant surface: a massless patch at z <= 0 on a spring and a damper (Featherstone 2008, section 11.8).

    Parameters
    ----------
    K : float
        Stiffness: the spring pushes with K |z|^n, N/m^n.
    D : float
        Damping: the damper with D |z|^m times the speed, N s/m^(m+1).
    n, m : float, optional
        Exponents; 1 and 0 are the linear surface of Eq 11.73, n = m that of Hunt and Crossley, whose force begins at
        zero.

    Raises
    ------
    ModelError
        If K or D is not positive, or an exponent is negative.

    Examples
    --------
    >>> from rbdkit.algorithms.contact import CompliantSurface
    >>> surface = CompliantSurface(K=1000.0, D=5.0)
    >>> surface.force(-0.002, 0.1, -0.002)
    1.5
    >>> surface.force(0.001, 0.1, 0.0)
    0.0
    """

    K: float
    D: float
    n: float = 1.0
    m: float = 0.0

    def __post_init__(self) -> None:
        if not (np.isfinite([self.K, self.D]).all() and self.K > 0.0 and self.D > 0.0):
            raise ModelError(f"stiffness K = {self.K} and damping D = {self.D} of a surface must be positive")
        if not (np.isfinite([self.n, self.m]).all() and self.n > 0.0 and self.m >= 0.0):
            raise ModelError(f"exponents n = {self.n} and m = {self.m} of a surface must be positive, m may be zero")

    def spring(self, z: float) -> float:
        """Return the spring force on the patch, N: -Kz of Eq 11.73."""
        return self.K * max(0.0, -z) ** self.n

    def damping(self, z: float) -> float:
        """Return the damping coefficient at z, N s/m."""
        return self.D * max(0.0, -z) ** self.m

    def force(self, p: float, p_rate: float, z: float) -> float:
        """Return the contact force f_c on a body at p, N, from a patch at z (Featherstone 2008, Eq 11.74)."""
        return 0.0 if p > z else max(0.0, self.spring(z) - self.damping(z) * p_rate)

    def rate(self, z: float, f_c: float) -> float:
        """Return z' of the patch under a contact force, m/s (Featherstone 2008, Eq 11.73)."""
        if z >= 0.0 and self.damping(z) == 0.0:
            return 0.0  # an undeformed surface cannot recover further
        return (self.spring(z) - f_c) / self.damping(z)

    def recovered(self, patch: Patch, t: float) -> float:
        """Return z at time t of an untouched patch, in closed form (text after Eq 11.74)."""
        depth, s = -patch.z_0, (t - patch.t_0) * self.K / self.D
        r = self.n - self.m  # |z|' = -K/D |z|^r
        if depth <= 0.0:
            return 0.0
        if r == 1.0:
            return float(-depth * np.exp(-s))
        left = depth ** (1.0 - r) - (1.0 - r) * s
        return -float(left ** (1.0 / (1.0 - r))) if left > 0.0 else 0.0

    def touch(self, patch: Patch, t: float, p: float, p_rate: float) -> tuple[float, Patch]:
        """Return the contact force at time t and the new patch, without a state z to integrate.

        Parameters
        ----------
        patch : Patch
            Patch from the last call.
        p, p_rate : float
            Position of the body, m, and its rate.
        """
        z = self.recovered(patch, t)
        if p > z:
            return 0.0, patch
        return self.force(p, p_rate, p), Patch(t, min(p, 0.0))


def force_of_two(
    surface_1: CompliantSurface, surface_2: CompliantSurface, p: float, p_rate: float, z_1: float, z_2: float
) -> float:
    """Return the contact force between two compliant surfaces in series, each with its own z (extends Eq 11.74).

    Parameters
    ----------
    p, p_rate : float
        Distance of the undeformed surfaces, m, and its rate; they touch where p <= z_1 + z_2.
    z_1, z_2 : float
        Positions of their patches, m; each moves by its own `CompliantSurface.rate` under this force.
    """
    if p > z_1 + z_2:
        return 0.0
    D_1, D_2 = surface_1.damping(z_1), surface_2.damping(z_2)
    if D_1 == 0.0 or D_2 == 0.0:
        return 0.0  # the force of a surface whose damping begins at zero begins at zero
    yielding = surface_1.spring(z_1) / D_1 + surface_2.spring(z_2) / D_2
    return max(0.0, (yielding - p_rate) / (1.0 / D_1 + 1.0 / D_2))


def lumped(surface_1: CompliantSurface, surface_2: CompliantSurface) -> CompliantSurface:
    """Return the linear surface that is equivalent to two in series with the same K / D.

    Raises
    ------
    ModelError
        If a surface is not linear or the ratios differ: then they recover at different rates, and each needs its own z.
    """
    if {surface_1.n, surface_2.n} != {1.0} or {surface_1.m, surface_2.m} != {0.0}:
        raise ModelError("only linear surfaces can be lumped together; use force_of_two")
    ratio_1, ratio_2 = surface_1.K / surface_1.D, surface_2.K / surface_2.D
    if abs(ratio_1 - ratio_2) > 1e-12 * ratio_1:
        raise ModelError(f"surfaces with K / D = {ratio_1:.6g} and {ratio_2:.6g} /s cannot be lumped; use force_of_two")
    return CompliantSurface(
        surface_1.K * surface_2.K / (surface_1.K + surface_2.K), surface_1.D * surface_2.D / (surface_1.D + surface_2.D)
    )


@dataclass(frozen=True)
class FrictionSurface:
    """Coulomb friction as a bounded tangential spring-damper force (Featherstone 2008, Eqs 11.75-11.79).

    Parameters
    ----------
    K_t, D_t : float
        Tangential stiffness, N/m, and damping, N s/m.
    mu : float
        Coefficient of friction.

    Raises
    ------
    ModelError
        If K_t or D_t is not positive, or mu is negative.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.algorithms.contact import FrictionSurface
    >>> FrictionSurface(K_t=100.0, D_t=1.0, mu=0.5).force(np.array([0.01]), np.array([0.2]), 10.0)
    array([-1.2])
    """

    K_t: float
    D_t: float
    mu: float

    def __post_init__(self) -> None:
        if not (np.isfinite([self.K_t, self.D_t]).all() and self.K_t > 0.0 and self.D_t > 0.0):
            raise ModelError(f"tangential K_t = {self.K_t} and D_t = {self.D_t} of a surface must be positive")
        if not (np.isfinite(self.mu) and self.mu >= 0.0):
            raise ModelError(f"coefficient of friction mu = {self.mu} must not be negative")

    def force(self, x: NDArray, v: NDArray, f_n: float) -> NDArray:
        """Return the friction force f_t on the body, N, in one tangent direction or two.

        Parameters
        ----------
        x : ndarray (k,)
            Displacement of the patch, m.
        v : ndarray (k,)
            Tangential velocity of the body at the contact point, m/s.
        f_n : float
            Normal force, N.
        """
        f_stick = -self.K_t * x - self.D_t * v  # Eq 11.78
        size, most = float(np.linalg.norm(f_stick)), self.mu * f_n
        return f_stick if size <= most else f_stick * (most / size)  # Eq 11.79; in two directions a circle

    def rate(self, x: NDArray, f_t: NDArray) -> NDArray:
        """Return x' of the patch, m/s (Featherstone 2008, Eq 11.77)."""
        return -(self.K_t * x + f_t) / self.D_t
