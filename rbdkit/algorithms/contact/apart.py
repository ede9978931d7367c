"""Guard for dynamics without a contact law: refuse states in which shapes touch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.contact.touching import contacts
from rbdkit.errors import StateError
from rbdkit.model import Model
from rbdkit.model.names import listed


def require_apart(model: Model, q: NDArray, what: str, t: float = 0.0) -> None:
    """Raise `StateError` if a pair of shapes touches: accelerations would lack the contact forces.

    Parameters
    ----------
    q : ndarray (..., nq)
        One state or a stack of states.
    what : str
        Name of the caller, for the message.
    t : float, optional
        Time of the states, s.
    """
    if not model.contact_rules or not model.contact_pairs:
        return
    for state in np.reshape(q, (-1, model.nq)):
        if touching := contacts(model, state, t=t):
            names = listed(sorted({model.contact_pairs[own.pair].name for own in touching}))
            deepest = max(0.0, *(-own.phi for own in touching))
            raise StateError(
                f"{what} knows no law of contact, and here {names} touch(es), {deepest:.3g} m deep: the forces there "
                "would be missing. rbdkit.simulate has laws; rbdkit.contacts tells where bodies touch; a copy without "
                "ground and contacts moves freely"
            )
