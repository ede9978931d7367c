"""Links at a state in base coordinates, from which H, C and K are formed: one pass outward, one inward.

Base coordinates have the axes of the world and the position of the model's first link as origin, so that accuracy does
not depend on the distance of a model from the world's origin. All bodies share these coordinates: relative quantities
need no transforms, and sums over subtrees are plain sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rbdkit.engine.steps.axes import Axes
from rbdkit.engine.steps.base import STILL, UNLOADED, in_base
from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.nodes import Body
from rbdkit.engine.steps.rnea import project
from rbdkit.spatial.compact import Pose, fv, mv, plx, rbi
from rbdkit.spatial.vector3 import IDENTITY, ZERO, Matrix, Vector
from rbdkit.trace import Whole


class BaseMotion:
    """Poses and motions of the links, as fields of a tree.

    Attributes
    ----------
    tree : the links. q, qd : coordinates and velocities of the state; qd is None where only poses are known.
    R, p : rotation and position of each link and the world in base coordinates.
    v, a : spatial velocity and acceleration, six numbers, angular part first; a is for vdot = 0 and includes minus the
        acceleration of gravity. Known where qd is.
    """

    def __init__(self, tree: LoopTree) -> None:
        self.tree = tree
        self.q: JointArray
        self.qd: JointArray | None = None
        self.R: Any = tree.field(Matrix)
        self.p: Any = tree.field(Vector)
        self.v: Any = tree.field(mv)
        self.a: Any = tree.field(mv)
        self._f, self._I = tree.field(fv), tree.field(rbi)

    def body(self, link: Whole) -> Body:
        """Return the link of a number, 0 for the world, as the key of a field."""
        return Body(link, self.tree.row_of(link))

    def pose(self, link: Body) -> Pose:
        """Return the pose of a link in base coordinates."""
        return Pose(self.R[link], self.p[link])

    def outward(
        self, q: JointArray, qd: JointArray | None, pushes: Sequence[tuple[str, Whole]] = (), inertia: bool = True
    ) -> None:
        """Compute poses and motions of the links; write the motion subspace S of each freedom to "columns".

        pushes : arrays of forces on links in world coordinates, six numbers each, and where they begin. inertia :
        whether to compute what `inward` needs.
        """
        tree, program = self.tree, self.tree.program
        self.q, self.qd = q, qd
        axes, world = Axes(tree, q), tree.world
        self._find_origin()
        self.R[world] = IDENTITY
        # the origin is at the first link, so the world's lies at minus its position
        self.p[world] = -Vector(program.load("base_origin", 0, k) for k in range(3))
        if qd is not None:
            self.v[world] = STILL
            # gravity as an upward acceleration of the world (Featherstone 2008, section 5.3)
            self.a[world] = mv(ZERO, -Vector(program.load("gravity", 0, k) for k in range(3)))
        for i in tree.outward():
            R_i, p_i = tree.pose(i, q[i])
            R_p = self.R[i.parent]
            R, p = R_p @ R_i, self.p[i.parent] + R_p @ p_i
            self.R[i], self.p[i] = R, p
            X = plx(R.T, p)
            S = in_base(axes.find(i), X)
            slot = program.entry("first_slot", i.number) if tree.coupled else i.v
            ratio = tree.ratio(i)
            for k, J in enumerate(S):
                place = (slot + k) * 12
                for j, x in enumerate(J.flat()):
                    program.store("columns", place, j, ratio * x)
            if inertia:
                self._I[i] = I = X.inv_apply(rbi(*tree.inertia(i)))
            if qd is None:
                continue
            v_p = self.v[i.parent]
            v_J = a_J = STILL
            for J, x in zip(S, qd[i], strict=True):
                v_J = v_J + x * J
            driver, speeds = tree.driver(i, q[i], "driven_v")
            _, rates = tree.driver(i, q[i], "driven_a")
            for J, x, x_rate in zip(in_base(driver, X), speeds, rates, strict=True):
                v_J, a_J = v_J + x * J, a_J + x_rate * J
            if (i.motion.driver or i.motion).varying:
                a_J = a_J + X.inv_apply(mv.of(tree.velocity_product(i, q[i], qd[i])))
            v_i, a_i = v_p + v_J, self.a[i.parent] + a_J + v_p.cross(v_J)
            self.v[i], self.a[i] = v_i, a_i
            if inertia:
                f = I.force(a=a_i, v=v_i)
                for array, start in pushes:
                    f_x = fv.of([program.load(array, i.number * 6 + start, k) for k in range(6)])
                    # forces are given about the world's origin
                    f = f - plx(IDENTITY, Vector(program.load("base_origin", 0, k) for k in range(3))).apply(f_x)
                self._f[i] = f

    def inward(self, C: JointArray | None) -> None:
        """Write H to "H" (rows of length nv, within branches only), and C, where velocities are known."""
        tree, program = self.tree, self.tree.program
        # Mimic joints add to the velocity of their master joint, so C must start at zero.
        for a in tree.freedoms() if tree.coupled and C is not None else ():
            C[a] = 0.0  # type: ignore[index]
        self._I[tree.world], self._f[tree.world] = rbi.of([0.0] * 10), UNLOADED
        for i in tree.inward():
            I = self._I[i]
            self._I[i.parent] = self._I[i.parent] + I  # Eq 6.13
            slot = program.entry("first_slot", i.number) if tree.coupled else i.v
            for k in range(i.motion.nv):
                place = (slot + k) * 12
                S = [program.load("columns", place, j) for j in range(6)]
                for j, x in enumerate((I @ mv.of(S)).flat()):
                    program.store("columns", place, 6 + j, x)
                if C is not None:
                    a = i.v + k
                    C[a] = (C[a] if tree.coupled else 0.0) + project(S, self._f[i].flat())
            if C is not None:
                self._f[i.parent] = self._f[i.parent] + self._f[i]

    def _find_origin(self) -> None:
        """Write the position of the first link to "base_origin"."""
        program = self.tree.program
        for i in self.tree.first():
            for k, x in enumerate(self.tree.pose(i, self.q[i])[1]):
                program.store("base_origin", 0, k, x)
