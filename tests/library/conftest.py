"""How far the loops of a mechanism are open, from the poses of its bodies."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.spatial import se3


@pytest.fixture
def loop_gap():
    """The largest distance, m or rad, between a loop joint's successor frame and where the joint can hold it."""

    def gap(model, q):
        C = rbd.forward_kinematics(model, q).poses
        off = 0.0
        for loop in model.loops:
            X = se3.inverse(C[loop.predecessor] @ loop.joint.placement) @ C[loop.successor] @ loop.successor_placement
            off = max(off, np.abs(loop.joint.type.pose(loop.joint.type.project(X)) - X).max())
        return off

    return gap
