"""Rigid-body system with a floating base as body 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.external_forces import ExternalForces, external_forces
from rbdkit.errors import ModelError
from rbdkit.model import Geometry, Model
from rbdkit.model.numbering import WORLD
from rbdkit.model.requirements import require_tree
from rbdkit.spatial import plucker
from rbdkit.spatial.inertia import Inertia


@dataclass(frozen=True, eq=False)
class FloatingBase:
    """Rigid-body system whose base is a moving body (Featherstone 2008, section 9.3).

    Its position is the pose of the base and q, its velocity v_0, the twist of the base in base coordinates, and qd. It
    has n + 6 freedoms, n being ``tree.nv``.

    Attributes
    ----------
    tree : Model
        The bodies and joints 1, 2, ... in the book's numbering. Its body 0, 'world', stands for the floating base;
        its gravity is given in the axes of the world that the base floats in.
    name, inertia, geometry
        Name, inertia and geometry of the base.
    joint_name : str
        Name of the joint between world and base on a fixed base.

    Raises
    ------
    ModelError
        If the tree has loop joints.
    """

    tree: Model
    name: str
    inertia: Inertia
    geometry: tuple[Geometry, ...] = ()
    joint_name: str = ""

    def __post_init__(self) -> None:
        require_tree(self.tree, "a floating base")

    @property
    def inertias(self) -> NDArray:
        """Spatial inertias of all bodies, the base first, (n, 6, 6)."""
        return np.array([self.inertia.matrix, *self.tree.I[1:]])

    def gravity(self, pose: NDArray) -> NDArray:
        """Return a_g in base coordinates, (6,), m/s2, for the world pose (4, 4) of the base."""
        return np.concatenate([np.zeros(3), pose[:3, :3].T @ self.tree.gravity])

    def external_forces(self, f_ext: ExternalForces) -> NDArray:
        """Return external forces as an array (bodies, 6), the base first; zeros for None.

        Parameters
        ----------
        f_ext : ExternalForces
            As in `rbdkit.algorithms.external_forces`, but in base coordinates about the base's origin; a mapping
            may name the base.
        """
        if f_ext is None:
            return np.zeros((len(self.tree.bodies), 6))
        if isinstance(f_ext, Mapping) and WORLD in f_ext:
            raise ModelError(f"no force acts on the world in a floating system; the base is called {self.name!r}")
        if isinstance(f_ext, Mapping):
            f_ext = {WORLD if name == self.name else name: force for name, force in f_ext.items()}
        return np.array(external_forces(self.tree, f_ext))

    def forces_in_base(self, f_world: NDArray, pose: NDArray) -> NDArray:
        """Transform forces (bodies, 6) from world to base coordinates."""
        return f_world @ plucker.force(plucker.from_pose(pose)).T

    def __repr__(self) -> str:
        n = len(self.tree.bodies) - 1
        return f"<FloatingBase {self.tree.name!r}: base {self.name!r} and {n} bodies, {self.tree.nv} + 6 freedoms>"
