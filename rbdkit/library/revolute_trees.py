"""GU(n), the benchmark chains of Featherstone (2008), section 10.3, and trees of the same make."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rbdkit.formats.denavit_hartenberg import about_x, about_z
from rbdkit.joints import Revolute
from rbdkit.library.parent_arrays import chain_parents, checked_parents
from rbdkit.library.ready import ready
from rbdkit.model import Box, Geometry, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


@ready
def general_unbranched(n: int, seed: int = 0) -> Model:
    """GU(n): an unbranched chain of n revolute joints, geometry and inertias general, in Denavit-Hartenberg frames.

    Parameters
    ----------
    n : int
        Number of bodies.
    seed : int, optional
        Of the random numbers.

    Returns
    -------
    Model

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.general_unbranched(6).parent
    (-1, 0, 1, 2, 3, 4, 5)
    """
    return revolute_tree(chain_parents(n), seed, f"GU({n})")


@ready
def revolute_tree(parent: Sequence[int], seed: int = 0, name: str | None = None) -> Model:
    """A tree of revolute joints about the z axes of their bodies, with random geometry and inertias.

    Parameters
    ----------
    parent : sequence of int
        lambda(1), ..., lambda(n), 0 for the base.
    seed : int, optional
        Of the random numbers.
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
    From a body to the next lead a screw along x and one along z, as between Denavit-Hartenberg frames (section 4.3).
    The frame of a body suits one of its children only, here the first; to the others a screw along z comes before
    (section 10.3.2).

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.revolute_tree((0, 1, 1)).children(1)
    (2, 3)
    """
    rng = np.random.default_rng(seed)
    model = Model(name or f"revolute tree {seed}")
    served: set[int] = set()
    for i, p in enumerate(checked_parents(parent), 1):
        placement = about_x(*_screw(rng)) @ about_z(0.0, rng.uniform(0.1, 0.4))
        if p in served:
            placement = about_z(*_screw(rng)) @ placement
        served.add(p)
        size = rng.uniform(0.1, 0.5, 3)
        pose = se3.pose(se3.random(rng)[:3, :3], rng.uniform(-0.3, 0.3, 3))  # a box set off and turned
        inertia = Inertia.box(size, mass=float(rng.uniform(0.5, 2.0))).transformed(pose)
        above = f"link{p}" if p else "world"
        shape = Geometry(Box(tuple(size)), pose)
        model.add_body(f"link{i}", above, Revolute("z"), placement, inertia, shape, joint_name=f"joint{i}")
    return model


def _screw(rng: np.random.Generator) -> tuple[float, float]:
    """A turn, rad, and a way, m, neither of them small."""
    return float(rng.uniform(0.3, 1.2) * rng.choice([-1.0, 1.0])), float(rng.uniform(0.1, 0.5))
