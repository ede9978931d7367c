"""Shared state of the MJCF reader: MuJoCo's compiled model, the model that grows from it, and the features left out."""

from __future__ import annotations

from collections import Counter
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.formats.unique_names import UniqueNames
from rbdkit.model import Model
from rbdkit.model.numbering import WORLD
from rbdkit.spatial import quaternion


class Reading:
    """One reading of a compiled MuJoCo model.

    Parameters
    ----------
    library : module
        MuJoCo.
    compiled : mujoco.MjModel
        The compiled model.
    model : Model
        The model that is made from it.

    Attributes
    ----------
    left : Counter of str
        Features that are left out, with how many of them there are.
    notes : list of str
        What else a user must know: names that were changed, warnings of MuJoCo.
    body_names : list of str
        Name in the model of each of MuJoCo's bodies.
    shift : ndarray (nbody, 3)
        Origin of MuJoCo's body frame in that of the model's body, whose axes are the same: the frame of a body is
        where its joint is.
    joint_names : list of str
        Name in the model of each of MuJoCo's joints.
    scenery : str
        Name of the body that has the shapes of MuJoCo's world; '' if there is none.
    """

    def __init__(self, library: ModuleType, compiled: Any, model: Model) -> None:
        self.library, self.compiled, self.model = library, compiled, model
        self.left: Counter[str] = Counter()
        self.notes: list[str] = []
        self.body_names: list[str] = [WORLD]
        self.shift = np.zeros((compiled.nbody, 3))
        self.joint_names: list[str] = []
        self.scenery = ""
        self._objects = {name: int(value) for name, value in library.mjtObj.__members__.items()}
        own = [self.name("BODY", b) for b in range(1, compiled.nbody)]
        self.names = UniqueNames([WORLD, *filter(None, own)])
        """Names of bodies and frames: those of bodies are theirs, and taken."""
        self.all_names = UniqueNames([])
        """Names of joints, forces, constraints and contact rules, see `new_name`."""

    def name(self, kind: str, number: int) -> str:
        """Return the name of one of MuJoCo's objects, '' if it has none. kind : as in ``mjtObj``, 'GEOM' say."""
        return self.library.mj_id2name(self.compiled, self._objects[f"mjOBJ_{kind}"], number) or ""

    def new_name(self, wish: str) -> str:
        """Return a name for a joint, force, constraint or contact rule that no body, frame or other part has."""
        while wish in self.model._body_index or wish in self.model._frame_index:
            wish = f"{wish}_"
        return self.all_names.new(wish)

    def disabled(self, *what: str) -> bool:
        """Return whether the file switches one of these features off, 'SPRING' say, as in ``mjtDisableBit``."""
        bits = self.library.mjtDisableBit
        return any(int(self.compiled.opt.disableflags) & int(getattr(bits, f"mjDSBL_{name}")) for name in what)

    def moves_with(self) -> NDArray:
        """Return for each of MuJoCo's bodies the one that it is fixed to (nbody,): the world for mocap bodies, too."""
        weld = np.array(self.compiled.body_weldid)
        return np.where(np.array(self.compiled.body_mocapid)[weld] >= 0, 0, weld)

    def leave_out(self, feature: str, count: Any = 1) -> None:
        """Count things of a kind that have no place in the model."""
        if count := int(count):
            self.left[feature] += count


def poses(positions: NDArray, quaternions: NDArray) -> NDArray:
    """Return poses (n, 4, 4) of positions (n, 3) and quaternions (n, 4), scalar first."""
    found = np.zeros((len(positions), 4, 4))
    found[:, :3, :3] = quaternion.to_matrix(np.asarray(quaternions, dtype=float))
    found[:, :3, 3] = positions
    found[:, 3, 3] = 1.0
    return found
