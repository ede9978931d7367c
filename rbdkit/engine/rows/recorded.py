"""A constrained tree in joint coordinates, as a system that the time loop steps."""

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
    """The `RecordedTree` of a constrained tree, with the operations that methods for constrained systems need.

    Parameters
    ----------
    codes : writers of the rows. stabilised : whether Baumgarte terms act, with the factors in "baumgarte". apart :
        whether reactions are computed leg by leg.
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
        """Compute accelerations by the equations of motion that keep a guess's component along the constraints.

        From that component the closure errors times the number in "closing" are subtracted.
        """
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
        """Project (x, v) in place onto the constraints on position and velocity.

        Prescribed joints stay as in the last stage, which is at the same time.
        """
        if self._timed:
            self.program.store(ROW_TIME, 0, 0, time())
        self.constrained.close(x, v)
