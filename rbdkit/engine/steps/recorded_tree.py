"""A tree in joint coordinates as a system that the time loop steps.

`RecordedTree` joins two texts that know nothing of each other: an integrator asks for `move`, `local_rate` and `rate`
at its stages, and forward dynamics asks for forces at a time and state. In between stand joint forces and external
forces that are tables or traced functions, prescribed motions, and force elements, whose states are appended to v.

Coordinates of curved joints, such as quaternions, are no vectors: methods work with displacements u from a state, and
`move` and `local_rate` take them to the manifold and back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rbdkit.engine.links.own_forces import OwnForces
from rbdkit.engine.steps import momenta, stiffness
from rbdkit.engine.steps.external import ExternalForce
from rbdkit.engine.steps.forward_dynamics import forward_dynamics
from rbdkit.engine.steps.joint_arrays import JointArray, JointValues
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.nodes import Node
from rbdkit.engine.steps.sizes import OWN_TIME
from rbdkit.engine.steps.tree import Tree
from rbdkit.trace import Feedback, Moment, Part, Program, Scalar, Whole


@dataclass(frozen=True)
class DrivenMotion:
    """Motion of prescribed joints. law : function of time for nq coordinates, nv velocities, nv accelerations."""

    law: Feedback
    nq: int
    nv: int

    def record(self, program: Program, t: Scalar) -> None:
        """Write the numbers where the algorithms read them."""
        nowhere = ("", 0)  # a law of time alone reads no state
        numbers = iter(self.law.record(program, t, nowhere, nowhere, "driven_numbers"))
        for name, size in (("driven_q", self.nq), ("driven_v", self.nv), ("driven_a", self.nv)):
            for k in range(size):
                program.store(name, 0, k, next(numbers))


class RecordedTree:
    """The `Recorded` whose x are the joint coordinates q, with joint springs, dampers and force elements.

    Its v are the joint velocities, followed by the states of force elements: these have rates as velocities do, and
    move no coordinate.

    Parameters
    ----------
    external : whether there are external forces on the bodies. tau, f_ext : traced functions of time and state for
        joint forces, and external forces on the links; None where arrays hold them. driven : motion of prescribed
        joints; None where tables hold it. own : the force elements.
    """

    def __init__(
        self,
        tree: Tree,
        external: bool,
        tau: Feedback | None,
        f_ext: Feedback | None,
        driven: DrivenMotion | None = None,
        own: OwnForces | None = None,
    ) -> None:
        self.nz = 0 if own is None else own.nz
        self.tree, self.program, self.nx, self.nv = tree, tree.program, tree.nq, tree.nv + self.nz
        # implicit steps couple all velocities, and the states of force elements with them
        self.solved_together = 0, self.nv
        self.external, self.tau, self.f_ext, self.driven, self.own = external, tau, f_ext, driven, own

    def coordinates(self) -> Iterator[Whole]:
        return self.tree.each(self.nx)

    def freedoms(self) -> Iterator[Whole]:
        return self.tree.each(self.nv)

    def move(self, x: Part, u: Part, result: Part) -> None:
        tree = self.tree
        q, displacement, q_new = tree.coordinates(*_at(x)), tree.velocities(*_at(u)), tree.coordinates(*_at(result))
        for i in tree.outward():
            if i.moves:
                q_new[i] = i.motion.move(q[i], displacement[i])

    def local_rate(self, u: Part, v: Part, result: Part) -> None:
        displacement, velocity, rate = (self.tree.velocities(*_at(part)) for part in (u, v, result))
        for i in self.tree.outward():
            if i.moves:
                rate[i] = i.motion.local_rate(displacement[i], velocity[i])
        at_rest = self._states(result)
        for k in range(self.nz):
            # these states are no displacements: they move no coordinate
            self.program.store(at_rest.array, at_rest.start, k, 0.0)

    def rate(self, moment: Moment, x: Part, v: Part, result: Part) -> None:
        tree = self.tree
        acting = self._at(moment, x, v)
        external = ExternalForce(tree) if self.external else None
        q, velocity, qdd = tree.coordinates(*_at(x)), tree.velocities(*_at(v)), tree.velocities(*_at(result))
        forward_dynamics(tree, q, velocity, acting, qdd, external, self.own, self._states(v), self._states(result))

    def _at(self, moment: Moment, x: Part, v: Part) -> JointValues:
        """Return the joint forces; write what else depends on time where the algorithms read it."""
        tree = self.tree
        acting: JointValues
        if self.own is not None and self.own.asks_time:
            self.program.store(OWN_TIME, 0, 0, moment.time)
        if self.tau is None:
            acting = _TorqueAt(tree, moment)
        else:
            acting = tree.velocities("tau_now")
            self._store("tau_now", self.tau.record(self.program, moment.time, _at(x), _at(v), "tau_numbers"))
        if self.driven is not None:
            self.driven.record(self.program, moment.time)
        elif self.moves_in_time:
            self._read_driven(moment)
        if self.f_ext is not None:
            self._store("f_ext", self.f_ext.record(self.program, moment.time, _at(x), _at(v), "f_ext_numbers"))
        return acting

    @property
    def moves_in_time(self) -> bool:
        """Whether anything reads the motion of prescribed joints."""
        return self.tree.driven

    def _states(self, v: Part) -> Part:
        """Return where the states of force elements begin in a v."""
        return Part(v.array, v.start + self.tree.nv) if self.nz else v

    # --- what a method asks that requires `VelocityLevel` or `Stiff` --------------------------------------------------

    def stiffness(self, x: Part, v: Part) -> None:
        """Write M to "stiff_M", and K and -D to "stiff_KD", at the state of the last `rate`."""
        assert isinstance(self.tree, LoopTree)
        q, qd = self.tree.coordinates(*_at(x)), self.tree.velocities(*_at(v))
        self._inertia(self.tree, q)
        stiffness.copy_inertia(self.tree, "stiff_M")
        stiffness.stiffness(self.tree, q, qd, self.own)

    def _inertia(self, tree: LoopTree, q: JointArray) -> None:
        stiffness.inertia(tree, q)

    # --- what a method asks that requires a `Lagrangian` --------------------------------------------------------------

    def momenta(self, x: Part, v: Part, vdot: Part, result: Part, rate: Part) -> None:
        """Compute M v, and its rate for accelerations vdot."""
        q, given, found = self.tree.coordinates(*_at(x)), (v, vdot), (result, rate)
        momenta.momenta(self.tree, q, *(self.tree.velocities(*_at(part)) for part in (*given, *found)))

    def velocities(self, x: Part, momentum: Part, result: Part) -> None:
        """Compute the v of a momentum M v."""
        p, v = (self.tree.velocities(*_at(part)) for part in (momentum, result))
        momenta.velocities(self.tree, self.tree.coordinates(*_at(x)), p, v)

    def at_ends(self, u: Part, momentum: Part, impulse: Part, before: Part, after: Part) -> None:
        """Compute momenta at the two ends of a displacement u, from that in the middle and the impulse there."""
        parts = (u, momentum, impulse, before, after)
        momenta.at_ends(self.tree, *(self.tree.velocities(*_at(part)) for part in parts))

    def _store(self, array: str, values: list[Scalar]) -> None:
        for k, x in enumerate(values):
            self.program.store(array, 0, k, x)

    def _read_driven(self, moment: Moment) -> None:
        """Write the motion of prescribed joints where the algorithms read it, from tables.

        Rows of the tables are those of the stages from the first step on.
        """
        program = self.program
        # the table covers this chunk of steps only
        row = (moment.n - program.count("first")) * program.count("stages") + moment.s
        for name, size in (("driven_q", "driven_nq"), ("driven_v", "driven_nv"), ("driven_a", "driven_nv")):
            length = program.count(size)
            start = row * length
            with program.loop(0, length) as k:
                program.store(name, k, 0, program.load(f"{name}_table", start + k))


class _TorqueAt:
    """tau at a stage time, linear between row n of "tau" and the next.

    Rows are "tau_step" numbers apart, 0 if tau is constant. "tau_next" is 0 if tau is held over the step.
    """

    def __init__(self, tree: Tree, moment: Moment) -> None:
        self.moment = moment
        row = moment.n * tree.program.count("tau_step")
        self.now = tree.velocities("tau", row)
        self.then = tree.velocities("tau", row + tree.program.count("tau_next"))

    def __getitem__(self, i: Node) -> list[Scalar]:
        c = self.moment.fraction
        return [now + c * (then - now) for now, then in zip(self.now[i], self.then[i], strict=True)]


def _at(part: Part) -> tuple[str, Whole]:
    return part.array, part.start
