"""Closure errors of loop joints, from the poses of the bodies that they join.

They tell how well a motion kept its loops closed, so they share as little as possible with the code that kept them:
bodies and joints are those of the model, not those of the links that carry them, their poses are composed along the
tree in the world, and there are neither wrenches nor K. The closure error is T . log(pose(q)^-1 X) (Featherstone 2008,
Eqs 8.25 to 8.27), as in `rbdkit.formulations.constrained.joint_constraints`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.engine.rows.contribution import RowCode
from rbdkit.engine.rows.joint_program import JOINT_NUMBERS, gap
from rbdkit.engine.rows.loop_joints import LoopJoints
from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.kinematics import link_motion
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.spatial.vector3 import dot
from rbdkit.trace import Whole


def residuals(tree: LoopTree, q: JointArray, codes: Sequence[RowCode], state: Whole) -> None:
    """Write the closure errors of all loop joints, joint by joint, for a state of that number to "residuals"."""
    motion, program = link_motion(tree, q), tree.program
    (code,) = (code for code in codes if isinstance(code, LoopJoints))
    with program.loop(0, program.count("loops_n")) as j:
        first, place = program.entry("loops_rows", j), j * JOINT_NUMBERS
        for case in program.switch(program.entry("loops_forms", j), range(len(code.forms))):
            form, n = code.forms[case]
            assert isinstance(form, str)
            # a case is a block of its own: what it uses must be loaded in it
            P, S = (tree.body(program.entry(name, j)) for name in ("loops_predecessor_bodies", "loops_bodies"))
            T_P, T_S = (motion.T[body.link] @ body.frame for body in (P, S))
            given = [program.load("loops_bodies_numbers", place, k) for k in range(JOINT_NUMBERS)]
            missing = gap(form, given, T_P.to(T_S))
            for r in range(n):
                T = [program.load("loops_bodies_T", first * 6, 6 * r + k) for k in range(6)]
                program.store("residuals", state * program.count("loops_m") + first, r, dot(T, missing))
