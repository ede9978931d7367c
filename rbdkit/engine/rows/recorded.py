"""A tree under constraints in joint coordinates, as a system that the loop over time steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rbdkit.engine.links.own_forces import OwnForces
from rbdkit.engine.rows.constrained_tree import ConstrainedTree
from rbdkit.engine.rows.contribution import RowCode
from rbdkit.engine.steps.joint_arrays import JointValues
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.recorded_tree import DrivenMotion, RecordedTree
from rbdkit.engine.steps.sizes import ROW_TIME
from rbdkit.trace import Feedback, Moment, Part, Scalar


class RecordedConstrainedTree(RecordedTree):
    """The `RecordedTree` of a tree that rows constrain; what methods ask of constrained systems, it has besides.

    Parameters
    ----------
    codes : of the rows. stabilised : whether Baumgarte's terms act, with the numbers in "baumgarte". apart : whether
        reactions are found leg by leg.
    """

    tree: LoopTree

    def __init__(
        self,
        tree: LoopTree,
        codes: Sequence[RowCode],
        stabilised: bool,
        external: bool,
        tau: Feedback | None,
        f_ext: Feedback | None,
        driven: DrivenMotion | None = None,
        own: OwnForces | None = None,
        apart: bool = False,
    ) -> None:
        super().__init__(tree, external, tau, f_ext, driven, own)
        self.constrained, self.stabilised = ConstrainedTree(tree, codes, apart), stabilised

    @property
    def moves_in_time(self) -> bool:
        return super().moves_in_time or any(code.driven for code in self.constrained.codes)

    @property
    def _timed(self) -> bool:
        return any(code.timed for code in self.constrained.codes)

    def _at(self, moment: Moment, x: Part, v: Part) -> JointValues:
        if self._timed:
            self.program.store(ROW_TIME, 0, 0, moment.time)
        return super()._at(moment, x, v)

    def rate(self, moment: Moment, x: Part, v: Part, result: Part) -> None:
        self._accelerate(moment, x, v, result, None)

    def corrected(self, moment: Moment, x: Part, v: Part, vdot: Part, result: Part) -> None:
        """Accelerations by the equations of motion at a moment, with constraints that ask for what a guess of them has
        along the constraints, less the gaps times the number in "closing"."""
        self._accelerate(moment, x, v, result, vdot)

    def _accelerate(self, moment: Moment, x: Part, v: Part, result: Part, guess: Part | None) -> None:
        acting, tree = self._at(moment, x, v), self.tree
        self.constrained.forward_dynamics(
            tree.coordinates(x.array, x.start),
            tree.velocities(v.array, v.start),
            acting,
            tree.velocities(result.array, result.start),
            [("f_ext", 0)] if self.external else [],
            self.own,
            self._states(v),
            self._states(result),
            self.stabilised,
            None if guess is None else tree.velocities(guess.array, guess.start),
        )

    def project(self, x: Part, v: Part, time: Callable[[], Scalar]) -> None:
        """The state close to (x, v) that obeys the constraints on position and velocity, in their place; joints that
        move in time stand as in the last stage, at the same time."""
        if self._timed:
            self.program.store(ROW_TIME, 0, 0, time())
        self.constrained.close(x, v)
