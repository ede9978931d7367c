"""Compliant contact: massless spring-damper surfaces (Featherstone 2008, section 11.8).

A patch of surface without mass sits on a nonlinear spring and damper. While a body presses it, the patch follows the
body and the force is ``K z^n - D z^m z'``; the force never pulls: where it would, the patch lags behind the body and
relaxes on its own, so that a body that comes back soon meets it later. Along the surface a tangential spring and damper
with Coulomb slip holds bodies at rest without drift. The relaxation of untouched patches is known in closed form
(``patch="analytic"``) or integrated as a state (``"state"``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import SimulationError
from rbdkit.laws.contact_force import ContactForce
from rbdkit.laws.contact_point import ContactPoint

ROUND_OFF = 1e-12
"""Tolerance, m, within which a body still touches the patch that it left at the end of the last step."""


@dataclass(frozen=True)
class Compliant(ContactForce):
    """Compliant contact by massless patches on springs and dampers; an ordinary force without impacts.

    Along the normal a patch at z pushes with ``max(0, K |z|^n - D |z|^m z')`` while it is touched, and relaxes while
    it is not. Along the surface it sticks to the body, and slips where sticking would exceed the friction limit.
    Stiffness and damping come from the materials of a pair, or else from the defaults below. The coefficient of
    restitution is not used: the dampers determine how much energy a bounce loses.

    Parameters
    ----------
    stiffness, damping : float, optional
        Defaults of the normal stiffness K, N/m^n, and damping D, N s/m^(m+1).
    tangential_stiffness, tangential_damping : float, optional
        Defaults of K_t, N/m, and D_t, N s/m; equal to the normal ones if not given.
    n, m : float, optional
        Exponents; 1 and 0 make linear surfaces (Eq 11.73); n = m those of Hunt and Crossley, whose force begins at
        zero.
    patch : {'analytic', 'state'}, optional
        How z follows while nothing touches: in closed form since contact was lost, or as an integrated state.

    Raises
    ------
    SimulationError
        If an option makes no sense.

    Examples
    --------
    >>> from rbdkit.laws import Compliant
    >>> Compliant(stiffness=2e5).name
    'compliant'
    """

    name: ClassVar[str] = "compliant"
    knows: ClassVar[str] = "states of surfaces"
    assumes: ClassVar[str] = "small dents; surfaces without mass; Coulomb friction behind a tangential spring"

    stiffness: float = 1e5
    damping: float = 1e2
    tangential_stiffness: float | None = None
    tangential_damping: float | None = None
    n: float = 1.0
    m: float = 0.0
    patch: Literal["analytic", "state"] = "analytic"

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping", "tangential_stiffness", "tangential_damping", "n"):
            value = getattr(self, name)
            if value is None and name.startswith("tangential"):
                continue
            if not (np.isfinite(value) and value > 0.0):
                raise SimulationError(f"{name} = {value} of law 'compliant' must be positive")
        if not (np.isfinite(self.m) and self.m >= 0.0):
            raise SimulationError(f"m = {self.m} of law 'compliant' must not be negative")
        if self.patch not in ("analytic", "state"):
            raise SimulationError(f"patch = {self.patch!r} must be 'analytic' or 'state'")

    @property
    def states(self) -> Mapping[str, int]:
        return {"displacement": 3, "depth": 1} if self.patch == "state" else {"displacement": 3}

    @property
    def kept(self) -> Mapping[str, int]:
        return {"pressed": 1} if self.patch == "state" else {"depth": 1}

    def numbers(self, surfaces: Sequence[Any], names: Sequence[str]) -> dict[str, NDArray]:
        found = super().numbers(surfaces, names)
        for name in ("stiffness", "damping"):
            along = f"tangential_{name}"
            found[along] = np.where(np.isnan(found[along]), found[name], found[along])
        for name in ("damping", "tangential_damping"):
            if (found[name] <= 0.0).any():
                pair = names[int(np.argmin(found[name]))]
                shown = name.replace("_", " ")
                raise SimulationError(f"law 'compliant' asks for a positive {shown} of {pair!r}: a patch has no mass")
        return found

    def promise(self) -> str:
        return "what forces dent surfaces of their stiffness"

    def act(self, at: ContactPoint) -> None:
        K_t: Any = self.tangential_stiffness  # numbers of the pair, see `numbers`
        D_t: Any = self.tangential_damping
        x = at.state("displacement")
        f_n, t = self._push(at), at.tangents
        stick = [-K_t * dot(t[k], x) - D_t * at.velocity[1 + k] for k in (0, 1)]  # Eq 11.78
        size, limit = np.sqrt(dot(stick, stick)), at.friction * f_n
        factor = np.where(size > limit, limit / np.where(size > limit, size, 1.0), 1.0)  # Eq 11.79
        f_t = [factor * f for f in stick]
        at.apply_force(f_n, *f_t)
        at.set_rate("displacement", -(K_t * x + f_t[0] * t[0] + f_t[1] * t[1]) / D_t)  # Eq 11.77
        if self.patch == "state":
            damping = self.damping * self._depth(at) ** self.m
            moves = damping > 0.0
            push = self.stiffness * self._depth(at) ** self.n - f_n
            at.set_rate("depth", np.where(moves, push / np.where(moves, damping, 1.0), 0.0))  # Eq 11.73

    def settle(self, at: ContactPoint) -> None:
        pressed = self._push(at) > 0.0
        at.keep("depth", np.where(pressed, at.gap, -self._depth(at)))
        if self.patch == "state":
            at.keep("pressed", np.where(pressed, 1.0, 0.0))

    def _push(self, at: ContactPoint) -> Any:
        """Return the normal force, N: zero unless the patch is touched."""
        touches = at.gap <= ROUND_OFF - self._depth(at)
        if self.patch == "state":  # what is pressed as a step begins stays so until its force is zero
            touches = touches | (at.state("pressed") > 0.5)
        z = np.maximum(-at.gap, 0.0)
        force = self.stiffness * z**self.n - self.damping * z**self.m * at.velocity[0]
        return np.where(touches, np.maximum(0.0, force), 0.0)  # Eq 11.74

    def _depth(self, at: ContactPoint) -> Any:
        """Return the depth |z| of the patch, m, as it relaxes while nothing touches it."""
        depth = np.maximum(-at.state("depth"), 0.0)
        if self.patch == "state":
            return depth
        r, since = self.n - self.m, at.since * (self.stiffness / self.damping)  # |z|' = -K/D |z|^r
        if r == 1.0:
            return depth * np.exp(-since)
        some = depth > 0.0
        base = np.where(some, depth, 1.0) ** (1.0 - r) - (1.0 - r) * since
        left = some & (base > 0.0)
        return np.where(left, np.where(left, base, 1.0) ** (1.0 / (1.0 - r)), 0.0)


def dot(a: Any, b: Any) -> Any:
    """Return the scalar product along the first axis."""
    return sum((x * y for x, y in zip(a, b, strict=True)), start=0.0)
