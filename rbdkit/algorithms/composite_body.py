"""Several rigid bodies that move as one (Sueda, section 1.7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


class CompositeBody(NamedTuple):
    """Composite of several rigid bodies that are welded together.

    Attributes
    ----------
    E : ndarray (4, 4)
        Pose of the composite's frame: origin at the common centre of mass, along the principal axes.
    M : ndarray (6, 6)
        Inertia in that frame, diagonal up to round-off.
    inertia : Inertia
        Inertia of the composite in the frame that the bodies were given in.

    Examples
    --------
    >>> from rbdkit.algorithms.composite_body import CompositeBody
    >>> CompositeBody._fields
    ('E', 'M', 'inertia')
    """

    E: NDArray
    M: NDArray
    inertia: Inertia


def composite_body(inertias: Sequence[Inertia], poses: ArrayLike) -> CompositeBody:
    """Return the centre of mass, inertia and principal axes of bodies that are welded together (Eqs 1.25, 1.26).

    Parameters
    ----------
    inertias : sequence of Inertia
        Inertias of the bodies, each in its own frame; their total mass is positive.
    poses : array_like (n, 4, 4)
        Poses of the bodies' frames in a common frame.

    Raises
    ------
    ModelError
        If there is not one pose for each body, or the total mass is not positive.

    Examples
    --------
    A dumbbell; its axis of least inertia comes first:

    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.composite_body import composite_body
    >>> balls = [rbd.Inertia.sphere(radius=0.1, mass=5.0)] * 2
    >>> body = composite_body(balls, [rbd.pose(position=[0, 3, 0]), rbd.pose(position=[0, 1, 0])])
    >>> body.E[:3, 3].tolist(), body.M.diagonal().round(9).tolist()
    ([0.0, 2.0, 0.0], [0.04, 10.04, 10.04, 10.0, 10.0, 10.0])
    """
    T = np.asarray(poses, dtype=float)
    if T.shape != (len(inertias), 4, 4):
        raise ModelError(f"poses have shape {T.shape}; {len(inertias)} bodies need ({len(inertias)}, 4, 4)")
    m = np.array([body.mass for body in inertias])
    if not m.sum() > 0.0:
        raise ModelError(f"masses {m.tolist()} of the bodies must add up to more than zero; else there is no centre")
    centres = np.array([E[:3, 3] + E[:3, :3] @ body.com for body, E in zip(inertias, T, strict=True)])
    p_c = m @ centres / m.sum()  # Eq 1.25
    at_centre = se3.inverse(se3.pose(position=p_c))
    M_c = np.zeros((6, 6))
    for body, E in zip(inertias, T, strict=True):
        Ad = se3.adjoint(se3.inverse(at_centre @ E))  # from the common frame to that of the body
        M_c += Ad.T @ body.matrix @ Ad  # Eq 1.26
    _, V = np.linalg.eigh(M_c[:3, :3])
    if V[:, 2] @ np.cross(V[:, 0], V[:, 1]) < 0.0:
        V[:, 2] = -V[:, 2]  # right-handed, to be a rotation
    E_c = se3.pose(V, p_c)
    Ad = se3.adjoint(se3.pose(V))
    total = Inertia.from_matrix(M_c).transformed(se3.pose(position=p_c))
    return CompositeBody(E_c, Ad.T @ M_c @ Ad, total)
