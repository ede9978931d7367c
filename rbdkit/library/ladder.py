"""A system for sparse methods: two chains tied to each other link by link."""

from __future__ import annotations

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.joints import JointType, Spherical
from rbdkit.library.bars import require_lengths
from rbdkit.library.ready import ready_up_to
from rbdkit.model import Box, Geometry, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


@ready_up_to(rungs=10_000)
def ladder(rungs: int = 4, closing: JointType | None = None, width: float = 0.4, height: float = 0.3) -> Model:
    """Two chains of plates side by side, tied to each other link by link: the graph of Featherstone (2008), Figure 8.4.

    Plates hang from one another on ball joints 'left1', 'right1', and so on; the loop joints 'rung1' to 'rungN' tie
    each left plate to the right one beside it. The system is properly constrained with 3 freedoms a rung, but whatever
    tree is chosen, half of its inertia matrix is filled.

    Parameters
    ----------
    rungs : int, optional
        How many plates hang in each chain.
    closing : JointType, optional
        Of the rungs; ball joints if not given.
    width, height : float, optional
        Edges of a plate, m.

    Returns
    -------
    Model
        Closed at ``neutral``.

    Raises
    ------
    ModelError
        If `rungs` is not a positive whole number, or a length not a positive number.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.ladder(3)
    <Model 'ladder of 3 rungs': 6 bodies, 6 moving joints, nq=24, nv=18, 6 kg>
    """
    require_lengths(width=width, height=height)
    if not (isinstance(rungs, int | np.integer) and rungs > 0):
        raise ModelError(f"rungs = {rungs!r} of a ladder must be a positive whole number")
    model = Model(f"ladder of {rungs} rungs")
    edges, middle = (0.96 * width, 0.02, 0.96 * height), se3.pose(position=[0.0, 0.0, -0.5 * height])
    plate = Inertia.box(edges, mass=1.0).transformed(middle)
    for k in range(1, rungs + 1):
        for name, side in (("left", -0.5), ("right", 0.5)):
            at = [side * width, 0.0, 0.0] if k == 1 else [0.0, 0.0, -height]
            parent = "world" if k == 1 else f"{name}_plate{k - 1}"
            shape = Geometry(Box(edges), middle)
            model.add_body(f"{name}_plate{k}", parent, Spherical(), at, plate, shape, joint_name=f"{name}{k}")
        near, far = [0.5 * width, 0.0, -0.5 * height], [-0.5 * width, 0.0, -0.5 * height]
        model.add_loop(f"rung{k}", f"left_plate{k}", f"right_plate{k}", closing or Spherical(), near, far)
    return model
