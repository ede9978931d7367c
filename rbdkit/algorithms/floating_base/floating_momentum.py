"""Momentum and kinetic energy of a floating base (Featherstone 2008, Example 9.3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.floating_base.base_solve import solve_base
from rbdkit.algorithms.floating_base.floating_crba import FloatingCrbaResult, floating_crba
from rbdkit.algorithms.floating_base.system import FloatingBase
from rbdkit.model.requirements import require_undriven


def floating_momentum(system: FloatingBase, q: NDArray, qd: NDArray, v_0: NDArray) -> NDArray:
    """Return the spatial momentum I_0^c v_0 + F qd, (6,), of the system in base coordinates about the base's origin.

    Like the functions below it raises `ModelError` for prescribed joints, whose momentum is not in qd.
    """
    _require_undriven(system)
    inertia = floating_crba(system, q)
    return inertia.I_0c @ v_0 + inertia.F @ qd


def floating_kinetic_energy(system: FloatingBase, q: NDArray, qd: NDArray, v_0: NDArray) -> float:
    """Return T = 1/2 [v_0; qd] . [I_0^c F; F^T H] [v_0; qd], J, rotors included."""
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
    """Return the twist v_0 (6,) of the base for given joint velocities and momentum of the system.

    Parameters
    ----------
    momentum : ndarray (6,), optional
        Spatial momentum in base coordinates; zero if not given.
    inertia : FloatingCrbaResult, optional
        Result of `floating_crba` at q, if known.
    """
    _require_undriven(system)
    inertia = floating_crba(system, q) if inertia is None else inertia
    h = np.zeros(6) if momentum is None else momentum
    return solve_base(inertia.I_0c, h - inertia.F @ qd, system.name)


def _require_undriven(system: FloatingBase) -> None:
    why = "its share is not in qd; momentum and energy of `to_fixed_base(system)` hold it"
    require_undriven(system.tree, "momentum and energy of a floating base", why)
