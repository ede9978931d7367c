"""Contact material of surfaces: friction, restitution, stiffness and damping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Literal

from rbdkit.errors import ModelError
from rbdkit.spatial.read_numbers import number, shown

UNITS = {
    "stiffness": "N/m",
    "damping": "N s/m",
    "tangential_stiffness": "N/m",
    "tangential_damping": "N s/m",
}
"""Units of the parameters that are not dimensionless."""
NUMBERS = ("friction", "restitution", *UNITS)
"""Names of the parameters that are numbers."""
COMBINATIONS = ("mean", "largest")
"""How the friction of two surfaces may be combined."""


@dataclass(frozen=True)
class Material:
    """Friction, restitution and compliance of a surface, or of two surfaces that touch.

    The contact law decides which of these count: a rigid contact uses no stiffness, a compliant one no restitution.

    Parameters
    ----------
    friction : float, optional
        Coulomb friction coefficient, 0 for a smooth surface.
    restitution : float, optional
        Newton's coefficient of restitution, separation speed after an impact over approach speed before it, 0 to 1.
    stiffness, damping : float, optional
        Normal stiffness, N/m, and damping, N s/m; None is a rigid surface.
    tangential_stiffness, tangential_damping : float, optional
        The same along the surface, before it slips.
    combine : {'mean', 'largest'}, optional
        Friction of two surfaces: the geometric mean of both coefficients, or, if one of the surfaces says 'largest',
        the larger one, as MuJoCo has it.

    Raises
    ------
    ModelError
        If a number is negative or not finite, a stiffness is zero, the restitution is more than 1, or `combine` is
        none of these.

    Examples
    --------
    Rubber on ice:

    >>> import rbdkit as rbd
    >>> rubber, ice = rbd.Material(friction=0.9, restitution=0.7), rbd.Material(friction=0.1)
    >>> pair = rubber.on(ice)
    >>> round(pair.friction, 9), pair.restitution
    (0.3, 0.7)
    """

    friction: float = 0.0
    restitution: float = 0.0
    stiffness: float | None = None
    damping: float | None = None
    tangential_stiffness: float | None = None
    tangential_damping: float | None = None
    combine: Literal["mean", "largest"] = "mean"

    def __post_init__(self) -> None:
        if not isinstance(self.combine, str) or self.combine not in COMBINATIONS:
            raise ModelError(f"combine {shown(self.combine)} of a material must be 'mean' or 'largest'")
        for name in NUMBERS:
            given = getattr(self, name)
            if given is None and name in UNITS:
                continue
            value = number(given, f"{name} of a material must be a finite number, not {{}}".format)
            if value < 0.0:
                raise ModelError(f"{name} of a material must not be negative: {shown(given)}")
            if value == 0.0 and name.endswith("stiffness"):
                raise ModelError(f"{name} of a material must be positive; leave it out for a rigid surface")
            object.__setattr__(self, name, value)
        if self.restitution > 1.0:
            raise ModelError(
                f"restitution {self.restitution:g} of a material is more than 1; impacts would give energy"
            )

    def on(self, other: Material) -> Material:
        """Combine two surfaces: friction as `combine` says, the larger restitution, compliances in series.

        Parameters
        ----------
        other : Material
            Material of the other surface. If it is rigid, only this one deforms.

        Returns
        -------
        Material
            The combined material, independent of the order.
        """
        largest = "largest" in (self.combine, other.combine)
        compliance = {name: _both(getattr(self, name), getattr(other, name), _in_series) for name in UNITS}
        return Material(
            max(self.friction, other.friction) if largest else sqrt(self.friction * other.friction),
            max(self.restitution, other.restitution),
            combine="largest" if largest else "mean",
            **compliance,
        )

    @property
    def numbers(self) -> dict[str, float]:
        """The parameters that are set, by name: friction and restitution, and stiffness and damping if compliant."""
        given = {name: getattr(self, name) for name in NUMBERS}
        return {name: value for name, value in given.items() if value is not None}


def _both(a: float | None, b: float | None, of: Callable[[float, float], float]) -> float | None:
    return b if a is None else a if b is None else of(a, b)


def _in_series(a: float, b: float) -> float:
    """Return the stiffness or damping of two springs or dampers in series."""
    return a * b / (a + b) if a + b > 0.0 else 0.0
