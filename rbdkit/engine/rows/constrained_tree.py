"""A constrained tree: accelerations, constraint reactions, and projection onto the constraints.

Method 2 of Featherstone (2008), section 8.5. With H qdd + C = tau - K^T lambda and K qdd = k, the reactions lambda
solve (K H^-1 K^T) lambda = K H^-1 (tau - C) - k, from the sparse factors of H; see `rbdkit.engine.rows.elimination`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rbdkit.engine.links.own_forces import OwnForces
from rbdkit.engine.rows.base_motion import BaseMotion
from rbdkit.engine.rows.contribution import RowCode, Rows
from rbdkit.engine.rows.elimination import Elimination
from rbdkit.engine.rows.leg_elimination import LegElimination
from rbdkit.engine.steps.crba import assemble
from rbdkit.engine.steps.joint_arrays import JointArray, JointValues
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.own_forces import OWN_STATES, WithOwnTorques, own_pushes, record
from rbdkit.engine.steps.passive import WithPassiveForce
from rbdkit.trace import Part, Whole, maximum, select

CLOSED = 1e-14
"""Closure error that projection leaves: rad, m, or a fraction of the length of a mechanism shorter than 1 m. Projection
stops there or after `PROJECTIONS` corrections."""
PROJECTIONS = 4

ACCELERATION = frozenset({"K", "k", "opened"})
PLACE = frozenset({"K", "gap", "slip", "opened"})


class ConstrainedTree:
    """Dynamics of a tree with the constraint rows that some codes write.

    apart : whether reactions are computed leg by leg, see `LegElimination`.
    """

    def __init__(self, tree: LoopTree, codes: Sequence[RowCode], apart: bool = False) -> None:
        self.tree, self.program, self.codes = tree, tree.program, codes
        self.at, self.elimination = BaseMotion(tree), LegElimination(tree) if apart else Elimination(tree)
        self.m, self.length = self.elimination.m, self.elimination.length

    def forward_dynamics(
        self,
        q: JointArray,
        qd: JointArray,
        tau: JointValues,
        qdd: JointArray,
        pushes: Sequence[tuple[str, Whole]] = (),
        own: OwnForces | None = None,
        z: Part = OWN_STATES,
        z_rate: Part | None = None,
        stabilised: bool = False,
        guess: JointArray | None = None,
        push: Callable[[], None] | None = None,
    ) -> None:
        """Compute qdd under tau, passive forces and force elements; leaves the reactions in "reactions".

        Parameters
        ----------
        pushes : see `BaseMotion.outward`; those of force elements are added.
        z, z_rate : states of force elements, see `rbdkit.engine.steps.own_forces.record`.
        stabilised : whether Baumgarte terms act, with the factors in "baumgarte".
        guess : accelerations whose component along the constraints is kept, less closure errors times "closing".
        push : adds generalized forces to those in qdd, at a point where the links are placed.
        """
        tree, program = self.tree, self.program
        acting: JointValues = WithPassiveForce(tree, q, qd, tau)
        if own is not None:
            record(own, tree, q, qd, z, z_rate)
            acting, pushes = WithOwnTorques(tree, acting), [*pushes, *own_pushes(own)]
        C = tree.velocities("bias_force")
        self.at.outward(q, qd, pushes)
        self.at.inward(C)
        assemble(tree, 0)
        asks = ACCELERATION
        if guess is not None:
            asks = asks | {"gap"}
        elif stabilised:
            asks = asks | {"gap", "slip"}
        self._write_rows(asks, "K" if guess is not None else "Y")
        if guess is not None:
            # k = K guess - closing * gap: the guess keeps its component along the constraints
            self.elimination.along(guess)
            self._copy()
            with program.loop(0, self.m) as r:
                k = program.load("row_slip", r) - program.load("closing", 0) * program.load("row_gap", r)
                program.store("row_k", r, 0, k)
        elif stabilised:
            with program.loop(0, self.m) as r:
                of_slip, of_gap = (program.load("baumgarte", 0, k) for k in range(2))
                pull = of_slip * program.load("row_slip", r) + of_gap * program.load("row_gap", r)
                program.store("row_k", r, 0, program.load("row_k", r) - pull)
        forces: JointValues | None = None
        if push is not None:
            for i in tree.outward():
                if i.moves:
                    qdd[i] = [x - bias for x, bias in zip(acting[i], C[i], strict=True)]
            push()
            forces = qdd
        for i in tree.outward():
            if i.moves:
                along = [x - bias for x, bias in zip(acting[i], C[i], strict=True)] if forces is None else forces[i]
                for k, x in enumerate(along):
                    # the force is one more column beside the rows, so it goes through the factors with them
                    program.store("Y", (i.v + k) * self.length + self.m, 0, x)
        self.elimination.factorise()
        self.elimination.react()
        self.elimination.accelerate(qdd, pushed=True)
        self.elimination.refine(qdd, tree.velocities("u_closing"))

    def look(self, q: JointArray, qd: JointArray | None = None) -> None:
        """Write the closure error to "opened"; with velocities also all about the rows."""
        self.at.outward(q, qd, inertia=False)
        self._write_rows(frozenset({"opened"}) if qd is None else ACCELERATION | PLACE)

    def close(self, x: Part, v: Part) -> None:
        """Project (x, v) in place onto the constraints on position and velocity.

        The projection is orthogonal in the metric of the kinetic energy. H and K of the first state serve for all
        corrections, which are small.
        """
        tree, program = self.tree, self.program
        q, moved = tree.coordinates(x.array, x.start), tree.coordinates("x_closing")
        u, qd = tree.velocities("u_closing"), tree.velocities(v.array, v.start)
        self.at.outward(q, qd)
        self.at.inward(None)
        assemble(tree, 0)
        self._write_rows(PLACE, "Y")
        self.elimination.factorise()
        with program.loop(0, PROJECTIONS):
            program.store("row_open", 0, 0, 0.0)
            with program.loop(0, self.m) as r:
                gap = program.load("row_gap", r)
                program.store("reactions", r, 0, gap)
                share = abs(gap) * program.load("row_share", r)
                # redundant rows close with the others, and have no correction of their own
                counts = select(program.load("row_inverse", r) > 0.0, share, 0.0)
                program.store("row_open", 0, 0, maximum(program.load("row_open", 0), counts))
            program.break_if(program.load("row_open", 0) <= CLOSED)
            self._correct(u)
            for i in tree.outward():
                if i.moves:
                    # lanes that are closed stay where they are while others go on
                    still_open = select(program.load("row_open", 0) > CLOSED, 1.0, 0.0)
                    moved[i] = i.motion.move(q[i], [still_open * x for x in u[i]])
            for k in tree.each(tree.nq):
                x.store(program, k, program.load("x_closing", k))
            self.at.outward(q, qd, inertia=False)
            self._write_rows(frozenset({"gap", "slip"}))
        with program.loop(0, self.m) as r:
            program.store("reactions", r, 0, program.load("row_slip", r))
        self._correct(u)
        for a in tree.freedoms():
            qd[a] = qd[a] + u[a]

    def _correct(self, u: JointArray) -> None:
        """Compute u = -H^-1 K^T lambda such that K u = -r, with r the content of "reactions"."""
        self.elimination.react(anew=True)
        self.elimination.accelerate(u, pushed=False)

    def _write_rows(self, asks: frozenset[str], array: str = "K") -> None:
        """Write all rows of a state: K^T to an array, and whatever else `asks` names."""
        program, tree = self.program, self.tree
        rows = Rows(program, asks, tree.coupled, array)
        for a in tree.freedoms() if "K" in asks else ():
            here = a * self.length
            for r in self.elimination.touched(a):
                program.store(array, here + r, 0, 0.0)
        with program.loop(0, self.m) as r:
            for name in ("row_k", "row_gap", "row_slip"):
                program.store(name, r, 0, 0.0)
        if "opened" in asks:
            program.store("opened", 0, 0, 0.0)
        for code in self.codes:
            code.record(self.at, rows)

    def _copy(self) -> None:
        """Copy K to "Y"."""
        program = self.program
        for a in self.tree.freedoms():
            here = a * self.length
            for r in self.elimination.touched(a):
                program.store("Y", here + r, 0, program.load("K", here + r))
