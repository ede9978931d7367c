"""A user's own joint that several tests compile: a shaft that goes up and down while it turns."""

from typing import ClassVar

import numpy as np

import rbdkit as rbd
from rbdkit import joints


class Cam(joints.VectorJoint):
    """It leaves it to rbdkit to find its coordinates and what it resists."""

    kind, nq, nv, q_names, q_units = "cam", 1, 1, ("angle",), ("rad",)
    arguments: ClassVar = {"lift": "number"}

    def __init__(self, lift=0.1):
        self.lift = lift

    def pose(self, q, t=0.0):
        T = rbd.Revolute("z").pose(q)
        T[..., 2, 3] = self.lift * np.sin(q[..., 0])
        return T

    def motion_subspace(self, q):
        return np.array([[0, 0, 1, 0, 0, self.lift * np.cos(q[0])]]).T


class CamWithAngle(Cam):
    """The same, with a formula for its coordinate."""

    def project(self, pose):
        return np.array([np.arctan2(pose[1, 0] - pose[0, 1], pose[0, 0] + pose[1, 1])])
