"""Joint coordinates of a model with loops or constraints: those of its spanning tree, with constraint equations.

The accelerations solve ``H vdot + C = tau + K^T lambda``, ``K vdot = k`` (Featherstone 2008, chapter 8). Loops of real
mechanisms are often redundant: a planar four-bar linkage of hinges has five loop rows, of which three follow from the
others. Redundant rows are found at each state and get no reaction (`rbdkit.engine.rows.dependence`); the tolerance of
that rank decision follows from the closure error, since rows of an open loop differ by as much.

There are two forms of everything: compiled kernels, if the engine covers the model, and the readable algorithms, which
also name the joint when something goes wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import (
    ElementRows,
    Energy,
    bias_force,
    crba,
    element_rows,
    element_state_rates,
    passive_force,
)
from rbdkit.algorithms.loops import Baumgarte, LoopConstraint, loop_constraint
from rbdkit.engine import NotCovered, simulate
from rbdkit.engine.rows.constrained_tree import CLOSED, PROJECTIONS
from rbdkit.engine.rows.dependence import LoopRows, gap_shares
from rbdkit.engine.rows.own_constraints import compared_with, openness
from rbdkit.errors import SimulationError
from rbdkit.formulations.constrained.gaps import Gaps
from rbdkit.formulations.constrained.index1 import Index1, corrected_accelerations
from rbdkit.formulations.constrained.joint_constraints import JointConstraints
from rbdkit.formulations.constrained.rank_loss import CLOSED as LEFT_OPEN
from rbdkit.formulations.constrained.rank_loss import few_of, rank_remarks
from rbdkit.formulations.constrained.residuals_program import MANY, Residuals
from rbdkit.formulations.formulation import Acting, Force
from rbdkit.formulations.joint import JointSystem, finite
from rbdkit.formulations.system import Lagrangian, Starting, Stiff, StiffMatrices, VelocityLevel
from rbdkit.joints import Prescribed, Reversed
from rbdkit.model import Model
from rbdkit.model.closing import length_of
from rbdkit.model.closing.massless import tree_has_inertia
from rbdkit.model.closing.rank import arcs_of
from rbdkit.model.constraint import seen
from rbdkit.model.constraint_rows import RowValues, constraint_rows
from rbdkit.model.element_states import split_states, with_zeros
from rbdkit.model.kept import kept
from rbdkit.model.names import listed
from rbdkit.model.places import places
from rbdkit.model.requirements import besides_tree, require_bilateral
from rbdkit.trace import Recordable, Run

AT_ONCE = 512
"""Number of states that are evaluated at once, so that their poses stay in the processor's cache."""
SURE = 0.1
"""Residuals below this fraction of a closure error surely make no error as large, summed over the rows of a joint."""


class ClosedJointSystem(JointSystem):
    """The `JointSystem` of a model with loops or constraints: accelerations obey ``K vdot = k``.

    See Featherstone (2008), chapter 8.

    Redundant rows get no reaction, see `rbdkit.engine.rows.dependence`. Errors of position and velocity are not
    corrected, unless by Baumgarte stabilisation, or by a method that projects after each step, as 'rk4_projected' does.

    Parameters
    ----------
    model, tau, f_ext, book
        As for `JointSystem`.
    baumgarte : Baumgarte, optional
        Baumgarte stabilisation of the loops.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.formulations import JointSystem
    >>> system = JointSystem(rbd.library.planar_four_bar())
    >>> type(system).__name__, system.constraint_error(system.model.neutral()).shape
    ('ClosedJointSystem', (5,))
    """

    def __init__(
        self,
        model: Model,
        tau: Force | None = None,
        f_ext: Force | None = None,
        book: bool = False,
        baumgarte: Baumgarte | None = None,
    ) -> None:
        super().__init__(model, tau, f_ext, book, baumgarte)
        require_bilateral(model, f"formulation {self.name!r}")
        self.baumgarte, self._asked = baumgarte, tau is not None
        self.held = constraint_rows(model)
        self.constraints, self.gaps, self._residuals, self._compared = kept(model, _of_loops)

    @property
    def tree_has_inertia(self) -> bool:
        """Whether the inertia matrix of the tree is regular: every joint moves some inertia."""
        return kept(self.model, tree_has_inertia)

    @property
    def compiled(self) -> bool:
        """Whether there are compiled kernels for all loops and constraints of the model."""
        return self._kernels is not None and self._kernels.rows is not None

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        finite(x)
        finite(v)
        if self.compiled:
            kernels, (qd, z) = self._kernels, split_states(self.model, v)
            assert kernels is not None
            f_ext, tau = None if self.f_ext is None else self.f_ext(t, x, qd), self.tau(t, x, qd)
            if self.baumgarte is None:
                vdot = kernels.forward_dynamics(x, qd, tau, f_ext, t, z)
            else:
                vdot = kernels.stabilised_dynamics(x, qd, tau, np.array(self.baumgarte.factors), f_ext, t, z)
            if z is not None:
                vdot = np.concatenate([vdot, kernels.own_state_rates(x, qd, z, t)])
            # if not, the readable form below raises an error that names the joint
            if np.isfinite(vdot).all():
                return vdot
        return self.index1(t, x, v).accelerations()

    def index1(self, t: float, x: NDArray, v: NDArray) -> Index1:
        """Return H, K, forces and k at one state; the forces are tau, f_ext and passive forces, minus C."""
        finite(x)
        finite(v)
        v, z = split_states(self.model, v)
        f_ext = None if self.f_ext is None else self.f_ext(t, x, v)
        own = self._rows(t, x, v, self.baumgarte)
        if self._kernels is None:
            C, H = bias_force(self.model, x, v, f_ext=f_ext, t=t), crba(self.model, x, t=t).H
        else:
            C, H = self._kernels.rnea(x, v, np.zeros_like(v), f_ext, t), self._kernels.crba(x, t)
        Q = self.tau(t, x, v) + passive_force(self.model, x, v, t=t, z=z) - C
        if z is not None:
            Q = np.concatenate([Q, element_state_rates(self.model, x, v, t=t, z=z)])
        return self._with_states(H, own.K, Q, own, self._loop_rows(x, t, own))

    def _with_states(self, H: NDArray, K: NDArray, Q: NDArray, own: ElementRows, rows: LoopRows) -> Index1:
        """Extend the equations by states of force elements: unconstrained variables with inertia 1."""
        if nz := self._nz:
            H = np.block([[H, np.zeros((len(H), nz))], [np.zeros((nz, len(H))), np.eye(nz)]])
            K = with_zeros(self.model, K)
        return Index1(H, K, Q, own.k, own.slip, False, rows, nz)

    def _rows(self, t: float, x: NDArray, v: NDArray, baumgarte: Baumgarte | None) -> ElementRows:
        """Return the rows of loops, then those of constraints, with Baumgarte's terms on the right-hand side."""
        v = v[: self.model.nv]
        loops = loop_constraint(self.model, x, v, stabilization=baumgarte, t=t)
        held = element_rows(self.model, x, v, t=t)
        of_slip, of_gap = (0.0, 0.0) if baumgarte is None else baumgarte.factors
        pairs = (
            (loops.K, held.K),
            # Baumgarte's terms of constraints here; those of loops are in `loop_constraint`
            (loops.right_hand_side, held.k - of_slip * held.slip - of_gap * held.gap),
            (loops.delta, held.gap),
            (loops.delta_dot, held.slip),
        )
        return ElementRows(held.rows, *(np.concatenate(pair) for pair in pairs))

    def constraint(self, t: float, x: NDArray, v: NDArray) -> LoopConstraint:
        """Return K and k at one state, with their intermediate results."""
        return loop_constraint(self.model, x, v[: self.model.nv], stabilization=self.baumgarte, t=t)

    def project(self, x: NDArray, v: NDArray, t: float = 0.0) -> tuple[NDArray, NDArray]:
        """Project (x, v) to the constraints, by Newton's method in the metric of the kinetic energy."""
        still, share = np.zeros_like(v), gap_shares(self._compared[0], self.gaps.length)
        for _ in range(PROJECTIONS):
            g = self.constraint_error(x, t)
            if np.abs(share * g).max(initial=0.0) <= CLOSED:
                break
            # accelerations from rest without forces, under K a = -g, are the least change in that metric (Gauss's
            # principle)
            x = self.move(x, replace(self._at_rest(t, x, still), eta=-g).accelerations())
        # velocities after positions: the constraints on them are those at the projected coordinates
        here = self._at_rest(t, x, v)
        return x, v + replace(here, eta=-here.slip).accelerations()

    def _at_rest(self, t: float, x: NDArray, v: NDArray) -> Index1:
        """Return `index1` at a state without forces."""
        own = self._rows(t, x, v, None)
        H = crba(self.model, x, t=t).H
        return self._with_states(H, own.K, np.zeros_like(v), own, self._loop_rows(x, t, own))

    def _loop_rows(self, x: NDArray, t: float, own: ElementRows) -> LoopRows:
        """Return the data of the rank decision at a state."""
        gap = float(self.gaps.largest(self.poses(x, t), t))
        if self.held is not None:
            v = np.zeros(self.model.nv)
            found = self.held.at(x, v, t, seen(self.model, x, v, t).motion)
            gap = max(gap, openness(found, self.gaps.length))
        return self._compare(own.K, gap)

    def _compare(self, K: NDArray, gap: float) -> LoopRows:
        """Return the rows of K for the rank decision. gap : largest closure error, rad."""
        return LoopRows(
            0, lambda: K * arcs_of(self.model, self.gaps.length), *self._compared, gap, self.tree_has_inertia
        )

    def inertia(self, x: NDArray) -> NDArray:
        """Raise an error: the velocities of the tree are not independent.

        Raises
        ------
        SimulationError
            Always.
        """
        raise SimulationError(
            f"{listed(besides_tree(self.model))} close(s) loops or constrain(s) bodies in model {self.model.name!r}, "
            "which a method that steps momenta of joint coordinates does not see; take another integrator, 'rk4' say"
        )

    def stiffness(self, t: float, x: NDArray, v: NDArray) -> StiffMatrices:
        """Raise an error: methods at velocity level need bodies, see `corrected`."""
        raise self._bodies_needed()

    def corrected(
        self, t: float, x: NDArray, v: NDArray, vdot: NDArray, closing: float, moving: float = 0.0
    ) -> NDArray:
        """Return accelerations that correct closure errors; see `VelocityLevel`.

        Raises
        ------
        SimulationError
            If `moving` is not zero: methods at velocity level need constraints between bodies.
        """
        if moving:
            raise self._bodies_needed()
        return corrected_accelerations(self, t, x, v, vdot, closing, moving)

    def _bodies_needed(self) -> SimulationError:
        return SimulationError(
            f"{listed(besides_tree(self.model))} close(s) loops or constrain(s) bodies in model {self.model.name!r}, "
            "which methods at velocity level know as constraints between bodies only; take formulation='maximal' with "
            "'velocity_euler' or 'linearly_implicit_euler', or another integrator"
        )

    # --- compiled runs ------------------------------------------------------------------------------------------------

    def obstacle(self, acts: Acting | None) -> str:
        """Describe what prevents a compiled loop for the model or the forces; empty if nothing does."""
        if acts is None and (self.f_ext is not None or self._asked):
            return "tau or f_ext is a Python function"
        if self._kernels is None:
            return "the engine does not know the model"
        return self._kernels.why_not

    def begin(self, method: Recordable, times: NDArray, x: NDArray, v: NDArray) -> dict[str, NDArray]:
        """Return initial contents of arrays of a compiled run, other than the state."""
        begins = method.starting(self, times, x, v) if isinstance(method, Starting) else {}
        if self.baumgarte is not None:
            begins["baumgarte"] = np.array(self.baumgarte.factors)
        return begins

    def compiled_run(
        self,
        method: Recordable,
        times: NDArray,
        x: NDArray,
        v: NDArray,
        every: int,
        progress: Callable[[float], object],
        acts: Acting | None = None,
        kind: Hashable = None,
    ) -> Run | None:
        """Run in one compiled loop; None if there is an `obstacle`. kind : see `rbdkit.engine.simulate`."""
        if issubclass(method.requires, Lagrangian):
            self.inertia(x)  # raises
        if asks_for_velocities(method):
            raise self._bodies_needed()
        if self.obstacle(acts):
            return None
        assert self._kernels is not None
        # no forces are zero forces, so that there is one form of the code
        acts = Acting(np.zeros(self.model.nv), None) if acts is None else acts
        begins = self.begin(method, times, x, v)
        try:
            return simulate(
                self._kernels, x, v, times, method, acts.tau, acts.f_ext, every, progress, begins, kind=kind,
                asked=acts.asked,
            )  # fmt: skip
        except NotCovered:  # prescribed joints with a motion that this method cannot follow
            return None

    def on_links(self, f_ext: NDArray) -> NDArray:
        """Convert forces on bodies (..., bodies, 6) to those on the links of the compiled loop."""
        return f_ext if self._kernels is None else self._kernels.on_links(f_ext)

    # --- what it says of the model ------------------------------------------------------------------------------------

    def poses(self, x: NDArray, t: float = 0.0) -> NDArray:
        return super().poses(x, t) if self._kernels is None else self._kernels.forward_kinematics(x, None, t)[0]

    def velocities(self, x: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        if self._kernels is None:
            return super().velocities(x, v, t)
        velocities = self._kernels.forward_kinematics(x, v[..., : self.model.nv], t)[1]
        assert velocities is not None
        return velocities

    def energy(self, x: NDArray, v: NDArray, t: float = 0.0) -> Energy:
        if self._kernels is None:
            return super().energy(x, v, t)
        v, z = split_states(self.model, v)
        return Energy(*np.moveaxis(self._kernels.energy(x, v, t, z), -1, 0))

    def constraint_error(self, x: NDArray, t: float = 0.0) -> NDArray:
        g = self._loop_errors(x, t)
        if self.held is None:
            return g
        return np.concatenate([g, self._held_at(x, np.zeros((*x.shape[:-1], self.model.nv)), t).gap], axis=-1)

    @property
    def nonholonomic(self) -> tuple[str, ...]:
        """Names of the constraints that are nonholonomic, wholly or in part."""
        return () if self.held is None else self.held.nonholonomic

    def slip(self, x: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        """Return the violation of nonholonomic constraints, (..., m); 0 in holonomic rows."""
        m = self.constraints.m
        slip = np.zeros((*x.shape[:-1], m + (0 if self.held is None else self.held.m)))
        if self.held is not None:
            slip[..., m:] = np.where(self.held.holonomic, 0.0, self._held_at(x, v, t).slip)
        return slip

    def row_names(self) -> list[tuple[str, str]]:
        """Return for each row of `constraint_error` its owner, "joint 'pin'" or "constraint 'rod'", and its unit."""
        return self.constraints.row_names() + ([] if self.held is None else self.held.row_names())

    def _held_at(self, x: NDArray, v: NDArray, t: float) -> RowValues:
        """Return the rows of constraints at one state or a stack of states."""
        assert self.held is not None
        return self.held.at_bodies(self.poses(x, t), self.velocities(x, v, t), x, v[..., : self.model.nv], t)

    def _loop_errors(self, x: NDArray, t: float) -> NDArray:
        many = x.ndim == 2 and len(x) >= MANY
        if many and self._by_bodies:
            assert self._kernels is not None
            return self._kernels.residuals(x, t)
        if x.ndim == 2 and len(x) > AT_ONCE:
            # poses of all states together would not stay in the processor's cache
            parts = (self._loop_errors(x[k : k + AT_ONCE], t) for k in range(0, len(x), AT_ONCE))
            return np.concatenate(list(parts))
        if not self.constraints.m:
            return np.zeros((*x.shape[:-1], 0))
        if many and self._residuals is not None:
            return self._residuals.at(self.poses(x, t))
        # if compiled code exchanges the ends of a joint, its rows have other axes than those of `constraints`
        if x.ndim == 2 and self.compiled and not self._turned:
            assert self._kernels is not None
            return self._kernels.constraint_rows(x, np.zeros((*x.shape[:-1], self.model.nv)), t).gap[
                ..., : self.constraints.m
            ]
        return self.constraints.position(self.poses(x, t), t)

    @cached_property
    def _by_bodies(self) -> bool:
        """Whether compiled code computes residuals directly from coordinates, without storing poses."""
        return self._residuals is not None and self._kernels is not None and self._kernels.knows_residuals

    @cached_property
    def _turned(self) -> bool:
        """Whether compiled code has predecessor and successor of a loop joint exchanged."""
        return any(isinstance(place.type.simplified(), Reversed) for place in self.constraints.joints)

    def gap(self, t: NDArray, x: NDArray) -> NDArray:
        """Return the loop-closure error (n,) at times (n,) in states (n, nq), as the largest angle, rad."""
        moved = self._driven or any(isinstance(place.type, Prescribed) for place in self.constraints.joints)
        if not moved and self.held is None and self.compiled:
            assert self._kernels is not None
            return self._kernels.openness(x)
        if not moved:
            return self.gaps.largest(self.poses(x))
        return np.array([self.gaps.largest(self.poses(own, at), at) for own, at in zip(x, t, strict=True)])

    def rows_at(self, t: float, x: NDArray, v: NDArray) -> Index1:
        """Return `index1` with rows and inertia only (no forces), from compiled kernels if possible."""
        if not self.compiled:
            return self.index1(t, x, v)
        assert self._kernels is not None
        assert self._kernels.rows is not None
        v = v[: self.model.nv]
        found = self._kernels.constraint_rows(x, v, t)
        loops = self._compare(found.K, float(found.openness))
        return Index1(self._kernels.crba(x, t), found.K, np.zeros_like(v), found.k, found.slip, False, loops)

    def looked_at(self, n: int, residual: float) -> NDArray | slice:
        """Return which of n states `remarks` examines. residual : the largest residual at any of them."""
        # the residual is of single rows, and must be small enough that no closure error of a joint can matter
        sure = self.held is None and residual <= SURE * LEFT_OPEN * min(1.0, self.gaps.length)
        return few_of(n) if sure else slice(None)

    def remarks(self, t: NDArray, x: NDArray, v: NDArray, closing: bool = False) -> list[str]:
        """Return remarks on a run through states at t (n,), x (n, nq), v (n, nv): poses where loops lose rank."""
        return rank_remarks(self, t, x, v, closing)


def _of_loops(model: Model) -> tuple[JointConstraints, Gaps, Residuals | None, tuple[NDArray, NDArray, NDArray]]:
    """Return the loop joints, their closure error, compiled residuals (None if not for all), and the scales of the rank
    decision, see `compared_with`."""
    n, held = len(model.bodies), constraint_rows(model)
    constraints = JointConstraints(places(model, np.zeros((n, 4, 4)) + np.eye(4))[n - 1 :], n)
    gaps = Gaps(constraints, length_of(model))
    compared = compared_with(model, constraints.joints, held, gaps.length)
    return constraints, gaps, Residuals(constraints) if Residuals.covered(constraints) else None, compared


def asks_for_velocities(method: Any) -> bool:
    """Whether a method, or the one inside it, works at velocity level, which joint coordinates with loops do not."""
    inner = getattr(method, "method", method)
    return issubclass(inner.requires, VelocityLevel | Stiff)
