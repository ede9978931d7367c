"""Inverse kinematics: coordinates at which frames are where they are wanted.

`targets` says what a frame can be wanted to do, `descent` solves trees, many starting points at once, and
`inverse_kinematics` is the public function.
"""

from rbdkit.reaching.inverse_kinematics import ReachWarning, inverse_kinematics
from rbdkit.reaching.targets import LookAt, Orientation, Pointing

__all__ = ["LookAt", "Orientation", "Pointing", "ReachWarning", "inverse_kinematics"]
