"""Known contact forces as external forces, for any algorithm of forward dynamics (Featherstone 2008, section 11.8)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.contact.point_contact import PointContact
from rbdkit.errors import StateError
from rbdkit.model import Model
from rbdkit.model.requirements import require_model


def contact_wrenches(
    model: Model, contacts: Sequence[PointContact], f_n: ArrayLike, f_t: ArrayLike | None = None
) -> NDArray:
    """Return the wrenches of contact forces on the bodies: n f_n on the successor, the reaction on the predecessor.

    For a compliant surface p is the gap phi of the contact, and p_rate its separation velocity, with loops as without.

    Parameters
    ----------
    contacts : sequence of PointContact
        Contacts in this state.
    f_n : array_like (n_c,)
        Normal forces, N.
    f_t : array_like (n_c, 3), optional
        Tangential forces on the successors, in world axes, N.

    Returns
    -------
    (n, 6) wrenches in world coordinates, to be passed as `f_ext`.

    Raises
    ------
    ModelError
        If a body is not in the model.
    StateError
        If forces do not fit the contacts, or a tangential one has a part along the normal.
    """
    require_model(model)
    normal = np.asarray(f_n, dtype=float)
    tangential = np.zeros((len(contacts), 3)) if f_t is None else np.asarray(f_t, dtype=float)
    if normal.shape != (len(contacts),) or tangential.shape != (len(contacts), 3):
        raise StateError(f"f_n {normal.shape} and f_t {tangential.shape} do not fit {len(contacts)} contacts")
    wrenches = np.zeros((len(model.bodies), 6))
    for contact, push, pull in zip(contacts, normal, tangential, strict=True):
        if abs(pull @ contact.normal) > 1e-9 * (1.0 + np.abs(pull).max()):
            raise StateError(f"tangential force {pull} of contact {contact.name!r} has a part along its normal")
        f = contact.n * push + np.concatenate([np.cross(contact.point, pull), pull])
        wrenches[model.frame(contact.successor).body] += f
        wrenches[model.frame(contact.predecessor).body] -= f
    return wrenches
