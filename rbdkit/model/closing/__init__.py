"""Loop closure: position kinematics of closed kinematic chains, and solvers for coordinates that close all loops.

`LoopKinematics` computes the relative poses across the loop joints and their Jacobians; `require_closed` rejects states
with open loops. `closest` is the Gauss-Newton solver for closure; `assembled` runs it from several starting points.
`followed` moves given joints with the loops kept closed (continuation); `reached` does so for a point of a body
(inverse kinematics).
"""

from rbdkit.model.closing.assembly import assembled, assembled_modes
from rbdkit.model.closing.closed import CLOSED, by, gaps, is_closed, is_tied, require_closed, widths
from rbdkit.model.closing.closest import Closest, closest
from rbdkit.model.closing.findings import loop_findings
from rbdkit.model.closing.following import followed
from rbdkit.model.closing.held import Held
from rbdkit.model.closing.length import length_of
from rbdkit.model.closing.loop_kinematics import LoopKinematics, tree_poses
from rbdkit.model.closing.reaching import reached

__all__ = [
    "CLOSED",
    "Closest",
    "Held",
    "LoopKinematics",
    "assembled",
    "assembled_modes",
    "by",
    "closest",
    "followed",
    "gaps",
    "is_closed",
    "is_tied",
    "length_of",
    "loop_findings",
    "reached",
    "require_closed",
    "tree_poses",
    "widths",
]
