"""Where the loops of a model are closed, and how to get there.

`loop_kinematics` says how the two sides of every loop joint lie and move, `require_closed` refuses states that leave a
loop open, `closest` steps towards one that closes them all, `assembled` starts it from as many places as it takes, and
`followed` leads a joint along while they stay closed, `reached` a point of a body.
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
