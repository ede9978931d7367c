"""Inverse kinematics: coordinates at which frames are where they are wanted.

`targets` says what a frame can be wanted to do, `descent` solves trees, many starting points at once, and
`inverse_kinematics` is the public function. `path` goes smoothly from one such set of coordinates to the next.
"""

from rbdkit.reaching.inverse_kinematics import ReachWarning, inverse_kinematics
from rbdkit.reaching.smooth_path import Path, path
from rbdkit.reaching.targets import LookAt, Orientation, Pointing

__all__ = ["LookAt", "Orientation", "Path", "Pointing", "ReachWarning", "inverse_kinematics", "path"]
