"""Planar trees of equal rods: the zigzag chain of Featherstone (2008), section 10.2, and its branched relatives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints import Revolute
from rbdkit.library.parent_arrays import chain_parents, checked_parents
from rbdkit.library.ready import ready
from rbdkit.model import Capsule, Geometry, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia

ALONG_X = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
"""Turns the axis of a capsule, z, into x."""


@ready
def rod_tree(parent: Sequence[int], length: float = 1.0, mass: float = 1.0, name: str = "rod tree") -> Model:
    """Thin rods along x that turn about z, each at the tip of its parent; no gravity.

    Parameters
    ----------
    parent : sequence of int
        lambda(1), ..., lambda(n), 0 for the base.
    length : float, optional
        Of one rod, m.
    mass : float, optional
        Of one rod, kg; its inertia about the middle is mass length^2 / 12.
    name : str, optional
        Of the model.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If the parent array is not a regular numbering.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.rod_tree((0, 1, 1), mass=2.0).mass
    6.0
    """
    model = Model(name, gravity=(0.0, 0.0, 0.0))
    rod = Inertia(mass, [0.5 * length, 0.0, 0.0], mass * length**2 / 12.0 * np.diag([0.0, 1.0, 1.0]))
    shape = Geometry(Capsule(0.04 * length, length), se3.pose(ALONG_X, [0.5 * length, 0.0, 0.0]))
    for i, p in enumerate(checked_parents(parent), 1):
        tip = [length, 0.0, 0.0] if p else None
        model.add_body(f"rod{i}", f"rod{p}" if p else "world", Revolute("z"), tip, rod, shape, joint_name=f"hinge{i}")
    return model


@ready
def zigzag_chain(links: int = 6) -> Model:
    """The chain of Fig 10.3: rods of 1 m and 1 kg, I = 1/12 about the middle, at rest without gravity.

    Parameters
    ----------
    links : int, optional
        How many rods.

    Returns
    -------
    Model

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.zigzag_chain(3)
    <Model 'zigzag chain of 3 links': 3 bodies, 3 moving joints, nq=3, nv=3, 3 kg>
    """
    return rod_tree(chain_parents(links), name=f"zigzag chain of {links} links")


@ready
def zigzag_angles(links: int = 6, angle: float = np.deg2rad(75.0)) -> NDArray:
    """Joint angles +angle, -angle, +angle, ... of a chain that is folded.

    Parameters
    ----------
    links : int, optional
        How many rods.
    angle : float, optional
        rad.

    Returns
    -------
    ndarray (links,)
        rad.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.zigzag_angles(links=4, angle=1.5).tolist()
    [1.5, -1.5, 1.5, -1.5]
    """
    return angle * (-1.0) ** np.arange(links)
