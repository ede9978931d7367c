"""A tree of rods that looks like its graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rbdkit.joints import Revolute
from rbdkit.library.parent_arrays import checked_parents
from rbdkit.library.ready import ready
from rbdkit.library.sparse_trees import FIG_6_3
from rbdkit.model import Capsule, Geometry, Model
from rbdkit.spatial import se3, so3
from rbdkit.spatial.inertia import Inertia


@ready
def candelabra(parent: Sequence[int] = FIG_6_3, spread: float = 0.6, name: str = "candelabra") -> Model:
    """Rods that stand on one another in the plane of x and z and turn about y; each level is shorter than the last.

    Parameters
    ----------
    parent : sequence of int, optional
        lambda(1), ..., lambda(n), 0 for the base.
    spread : float, optional
        Largest angle of a rod to the one it stands on, rad.
    name : str, optional
        Of the model.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If the parent array is not a regular numbering.

    Notes
    -----
    The first rods are 0.5 m long and weigh 1 kg; the others are as heavy as they are long.

    Examples
    --------
    Rods of different arms do not support each other, which makes many entries of the inertia matrix zero:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model = rbd.library.candelabra()
    >>> H = rbd.crba(model, model.random_q(0))
    >>> int(np.count_nonzero(H)), H.size
    (27, 49)
    """
    parents = checked_parents(parent)
    model, length = Model(name), [0.0]
    for i, p in enumerate(parents, 1):
        siblings = [k for k, other in enumerate(parents, 1) if other == p]
        lean = np.linspace(-spread, spread, len(siblings))[siblings.index(i)] if len(siblings) > 1 else 0.0
        beside = 0.6 * (siblings.index(i) - 0.5 * (len(siblings) - 1)) if p == 0 else 0.0
        placement = se3.pose(so3.exp([0.0, lean if p else 0.0, 0.0]), [beside, 0.0, length[p]])
        length.append(0.5 if p == 0 else 0.85 * length[p])
        middle = se3.pose(position=[0.0, 0.0, 0.5 * length[i]])
        radius, mass = 0.035 * length[i], 2.0 * length[i]
        model.add_body(
            f"rod{i}",
            f"rod{p}" if p else "world",
            Revolute("y"),
            placement,
            Inertia.cylinder(radius, length[i], mass=mass).transformed(middle),
            Geometry(Capsule(radius, length[i]), middle),
            joint_name=f"joint{i}",
        )
    return model
