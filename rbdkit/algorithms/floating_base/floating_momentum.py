"""Momentum and kinetic energy of a floating base (Featherstone 2008, Example 9.3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.floating_base.base_solve import solve_base
from rbdkit.algorithms.floating_base.floating_crba import FloatingCrbaResult, floating_crba
from rbdkit.algorithms.floating_base.system import FloatingBase
from rbdkit.model.requirements import require_undriven


def floating_momentum(system: FloatingBase, q: NDArray, qd: NDArray, v_0: NDArray) -> NDArray:
    """Spatial momentum of the whole system, I_0^c v_0 + F qd, (6,), in base coordinates about the base's origin.

    `ModelError` if joints move as time says, as for the functions below: their share is not in qd.
    """
    _require_undriven(system)
    inertia = floating_crba(system, q)
    return inertia.I_0c @ v_0 + inertia.F @ qd


def floating_kinetic_energy(system: FloatingBase, q: NDArray, qd: NDArray, v_0: NDArray) -> float:
    """T = 1/2 [v_0; qd] . [I_0^c F; F^T H] [v_0; qd], J, rotors included."""
    _require_undriven(system)
    inertia = floating_crba(system, q)
    return float(0.5 * v_0 @ inertia.I_0c @ v_0 + v_0 @ inertia.F @ qd + 0.5 * qd @ inertia.H @ qd)


def base_velocity(
    system: FloatingBase,
    q: NDArray,
    qd: NDArray,
    momentum: NDArray | None = None,
    inertia: FloatingCrbaResult | None = None,
) -> NDArray:
    """The twist v_0 (6,) of the base while the joints move and the system has a given momentum.

    Parameters
    ----------
    momentum : ndarray (6,), optional
        In base coordinates; zero if not given: so the base gives way to its limbs.
    inertia : FloatingCrbaResult, optional
        What `floating_crba` gives at q, if it is at hand.
    """
    _require_undriven(system)
    inertia = floating_crba(system, q) if inertia is None else inertia
    h = np.zeros(6) if momentum is None else momentum
    return solve_base(inertia.I_0c, h - inertia.F @ qd, system.name)


def _require_undriven(system: FloatingBase) -> None:
    why = "its share is not in qd; momentum and energy of `to_fixed_base(system)` hold it"
    require_undriven(system.tree, "momentum and energy of a floating base", why)
