"""The states of an inequality constraint phi(q) >= 0 (Featherstone 2008, Fig 11.4)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rbdkit.errors import StateError

State = Literal["1", "2a", "2b", "3"]


def contact_state(phi: float, phi_rate: float, *, gap: float = 1e-9, speed: float = 1e-6, name: str = "") -> State:
    """Return the state of a contact.

    '1': apart, no force. '2a': colliding, needs an impulse. '2b': touching but separating, as 1. '3':
    touching at rest, a contact force may act.

    Parameters
    ----------
    phi, phi_rate : float
        Distance, m, and its rate, m/s.
    gap, speed : float, optional
        Tolerances of phi, m, and phi_rate, m/s.
    name : str, optional
        Name of the contact, for errors.

    Raises
    ------
    StateError
        If the bodies penetrate by more than gap, or a number is not finite.

    Examples
    --------
    >>> from rbdkit.algorithms.contact import contact_state
    >>> [contact_state(*pair) for pair in ((0.1, -3.0), (0.0, -3.0), (0.0, 3.0), (0.0, 0.0))]
    ['1', '2a', '2b', '3']
    """
    if not np.isfinite([phi, phi_rate]).all():
        raise StateError(f"phi {phi} and phi_rate {phi_rate} of contact {name!r} must be finite")
    if phi < -gap:
        raise StateError(f"contact {name!r} penetrates by {-phi:.6g} m, more than gap = {gap:.6g} m")
    if phi > gap:
        return "1"
    if phi_rate < -speed:
        return "2a"
    return "2b" if phi_rate > speed else "3"
