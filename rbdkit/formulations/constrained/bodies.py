"""Any model in absolute coordinates: bodies on Lie groups, with all joints as constraints (index-1 form).

Each body has a pose of its own, as if it were free; joints are equations between poses (Müller and Terze 2013). An
evaluation of the accelerations, `ConstrainedBodies.index1`, goes as follows:

1. poses C and body twists V of all reference frames, from x and the velocities of the group;
2. relative poses and twists of all joints, from these J and eta of ``J V' = eta`` (`joint_constraints`), then the rows
   of constraint elements (`own_rows`);
3. wrenches on the bodies: gravity, gyroscopic terms, joint forces, force elements;
4. the rank decision, if there are loops or constraint elements (`Index1`);
5. everything in the velocities of the group, ``V = B v``, and the solution for v'.

That form is readable; compiled loops eliminate the same equations body by body
(`rbdkit.formulations.constrained.tree_program`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import Energy, forward_kinematics
from rbdkit.algorithms.baumgarte import Baumgarte
from rbdkit.algorithms.passive_force import joint_passive_force, spring_energy
from rbdkit.engine.rows.dependence import LoopRows, gap_shares
from rbdkit.engine.rows.own_constraints import compared_with
from rbdkit.engine.run.driven import DrivenJoints, prescribed
from rbdkit.errors import ModelError, SimulationError
from rbdkit.formulations.constrained import compiled
from rbdkit.formulations.constrained.element_energy import lost, stored
from rbdkit.formulations.constrained.gaps import Gaps
from rbdkit.formulations.constrained.groups import ProductGroup
from rbdkit.formulations.constrained.index1 import Index1, corrected_accelerations
from rbdkit.formulations.constrained.joint_constraints import JointConstraints, Relative
from rbdkit.formulations.constrained.joint_forces import applied, rotors
from rbdkit.formulations.constrained.layout import block_diagonal, flat, group_names, reference_frames, unflat
from rbdkit.formulations.constrained.own_rows import OwnValues, own_rows
from rbdkit.formulations.constrained.rank_loss import rank_remarks
from rbdkit.formulations.constrained.residuals_program import MANY, Residuals
from rbdkit.formulations.constrained.stiffness import HeldStiffMatrices, stiff_matrices
from rbdkit.formulations.constrained.tree_program import CLOSED, PROJECTIONS
from rbdkit.formulations.formulation import Acting, Force
from rbdkit.formulations.free_bodies import finite
from rbdkit.formulations.joint import lets_go
from rbdkit.formulations.joint_state import joint_state
from rbdkit.joints import Prescribed
from rbdkit.model import Model
from rbdkit.model.closing import length_of
from rbdkit.model.closing.massless import tree_has_inertia
from rbdkit.model.closing.rank import arcs_of, row_sizes
from rbdkit.model.constraint_rows import ConstraintRows, RowValues, inner_constraints, working
from rbdkit.model.element_states import split_states, with_zeros
from rbdkit.model.force import ForcesAtState, inner, surroundings_at
from rbdkit.model.kept import kept, snapshot
from rbdkit.model.names import listed
from rbdkit.model.places import places
from rbdkit.model.requirements import require_bilateral
from rbdkit.spatial import se3
from rbdkit.spatial.cross import cross_force
from rbdkit.trace import Recordable, Run, run_motion


class ConstrainedBodies:
    """The `Formulation` on a product of groups, one group a body (Müller and Terze 2013, sections 3 and 4).

    x holds 12 numbers for each body: R row by row and the position r of the body's reference frame, in world
    coordinates. The velocity of a body is its body twist (omega, v) on SE(3), and (omega, v_s), v_s = r' in world axes,
    on SO(3) x R3. All joints, loop joints included, are constraints; see `joint_constraints`. Joint forces, springs,
    dampers and rotors act as in joint coordinates; but poses do not determine multi-turn angles, so a spring on an axis
    acts by the angle from -pi to pi; `rbdkit.simulate` refuses initial states and reports motions where that matters.
    States of force elements follow the twists in v, and their rates follow the accelerations.

    Constraints of the model (`rbdkit.constraints`) add rows, which are treated like those of loops.

    Loops may be redundant; `dependence` describes how that is detected. At a singular pose, where rows become dependent
    that are independent elsewhere (a parallelogram with all links in a line), branches of the motion meet, and a loop
    that is open by a rounding error may switch branches. Methods that keep loops closed pass such poses along their
    velocity: 'rk4_projected', 'generalized_alpha'. Results of others are not reliable there; see `remarks`.

    Parameters
    ----------
    model : Model
        Trees and loops of any joints; no mimic joints.
    tau : callable, optional
        Joint forces (nv,) as a function of (t, x, v), or None.
    f_ext : callable, optional
        External forces (bodies, 6) in world coordinates about the world origin, of (t, x, v), or None.
    groups : {'se3', 'so3xr3'}, mapping of str to str, or sequence of str, optional
        For all bodies, or by body names, or one for each body but the world.
    reference : {'com', 'body'}, optional
        'com': the reference frames sit in the centres of mass, along the axes of the body frames; 'body': they are
        the body frames. It matters on SO(3) x R3 only: SE(3) gives the same motion for any frame on the body.
    baumgarte : Baumgarte, optional
        Baumgarte stabilisation of all constraints.

    Raises
    ------
    ModelError
        If the model has mimic joints, or constraints that are bounds or depend on whole turns of joints.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.formulations import ConstrainedBodies
    >>> model = rbd.library.double_pendulum()
    >>> mixed = lambda model, tau, f_ext: ConstrainedBodies(model, tau, f_ext, groups={"rod1": "se3", "rod2": "so3xr3"})
    >>> motion = rbd.simulate(model, [1.0, 0.5], duration=0.1, formulation=mixed)
    >>> bool(motion.report.constraint_error < 1e-6)
    True
    """

    name: ClassVar[str] = "constrained"
    takes_states: ClassVar[bool] = True

    def __init__(
        self,
        model: Model,
        tau: Force | None = None,
        f_ext: Force | None = None,
        groups: str | Mapping[str, str] | Sequence[str] = "se3",
        reference: Literal["com", "body"] = "com",
        baumgarte: Baumgarte | None = None,
    ) -> None:
        self.model = model = snapshot(model)
        if model.mimics:
            followers = listed([joint.name for joint in model.joints if joint.mimic is not None])
            raise ModelError(
                f"model {model.name!r}: joints {followers} mimic others, which is no constraint between two bodies; "
                "use formulation='joint', or give these joints coordinates of their own"
            )
        require_bilateral(model, f"formulation {self.name!r}")
        if reference not in ("com", "body"):
            raise SimulationError(f"reference {reference!r} of the bodies must be 'com' or 'body'")
        self.tau = tau
        self.f_ext = f_ext
        self.reference = reference
        self.baumgarte = baumgarte
        self.n = len(model.bodies) - 1
        self.group = ProductGroup(group_names(model, groups))
        self.offsets = reference_frames(model, reference)
        self.to_body = se3.adjoint(self.offsets)  # maps twists of reference frames to those of body frames
        self.constraints = JointConstraints(places(model, self.offsets), len(model.bodies))
        self.mass_matrices = np.swapaxes(self.to_body, -1, -2) @ np.array(model.I) @ self.to_body
        self.gaps = Gaps(self.constraints, length_of(model))
        self.own = own_rows(model, self.constraints, self.offsets, self.gaps.length)
        self._tree = not model.loops and self.own is None
        own = None if self.own is None else self.own.rows
        self.compared = compared_with(model, self.constraints.joints[self.n :], own, self.gaps.length)
        self.tree_has_inertia = self._tree or kept(model, tree_has_inertia)
        self._passive = bool(model.acting) or any(j.damping.any() or j.stiffness.any() for j in model.joints)
        self._rotors = any(joint.armature.any() for joint in model.joints)
        self._mass = np.array([body.inertia.mass if body.inertia else 0.0 for body in model.bodies])
        self._com = np.array([body.inertia.com if body.inertia else np.zeros(3) for body in model.bodies])

    # --- the system that integrators step -----------------------------------------------------------------------------

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        return self.index1(t, x, v).accelerations()

    def move(self, x: NDArray, u: NDArray) -> NDArray:
        finite(u)
        return flat(self.group.move(unflat(x), self._by_bodies(u)))

    def local_rate(self, u: NDArray, v: NDArray) -> NDArray:
        rate = self.group.local_rate(self._by_bodies(u), self._by_bodies(v))
        return with_zeros(self.model, rate.reshape(*v.shape[:-1], 6 * self.n))

    def displacement(self, x0: NDArray, x1: NDArray) -> NDArray:
        u = self.group.displacement(unflat(x0), unflat(x1))
        return with_zeros(self.model, u.reshape(*u.shape[:-2], 6 * self.n))

    def compiled_run(
        self,
        method: Recordable,
        times: NDArray,
        x: NDArray,
        v: NDArray,
        every: int,
        progress: Callable[[float], object],
        acts: Acting | None = None,
    ) -> Run | None:
        """Run in one compiled loop; None if there is an `obstacle`."""
        if self.obstacle(acts) or (self.model.nz and hasattr(method.requires, "stiffness")):
            return None
        return run_motion(compiled.motion(self, method, times, x, v, acts), every, progress)

    @cached_property
    def driven(self) -> DrivenJoints:
        """Prescribed joints of the tree."""
        return DrivenJoints(prescribed(self.model))

    @cached_property
    def program_numbers(self) -> NDArray:
        """Parameters of the bodies for compiled code."""
        return compiled.numbers(self)

    def obstacle(self, acts: Acting | None) -> str:
        """Describe what prevents a compiled loop: forces as Python functions, or joints that cannot be traced."""
        if acts is None and (self.tau is not None or self.f_ext is not None):
            return "tau or f_ext is a Python function"
        return compiled.obstacle(self)

    # --- equations of motion ------------------------------------------------------------------------------------------

    def index1(self, t: float, x: NDArray, v: NDArray) -> Index1:
        """Return mass matrix, constraint Jacobian, forces and eta at one state, in the group's velocities (Eq 3)."""
        finite(x)
        finite(v)
        C, V = self._world_first(x, v)
        relative = self.constraints.relative(C, V)
        M, Q = self.mass_matrices[1:], self._forces(t, x, v, C, V, relative)[1:]
        J, slip, eta = self.constraints.velocity_and_acceleration(relative, t)
        own = self._own_values(t, x, v, C, V, relative)
        if own is not None:
            # behind the rows of joints: the rank decision takes those of the tree, which are independent, before all
            # others
            J, slip, eta = (np.concatenate(pair) for pair in ((J, own.J), (slip, own.slip), (eta, own.eta)))
        # while J still acts on twists, to which the decision refers
        loops = self._loop_rows(C, t, relative, J, own)
        if self.baumgarte is not None:
            g = self.constraints.position(C, t)
            eta = eta - self.baumgarte.correction(g if own is None else np.concatenate([g, own.gap]), slip)
        spin = rotors(self.model, self.constraints, relative, t) if self._rotors else None
        # the world, whose columns come first, does not move
        J = J[:, 1:]
        if self.group.hybrid.any():  # V = B v, so V' = B v' + B' v
            B, drift = self.group.tangent(C[1:]), self.group.tangent_rate(V[1:])
            B_T = np.swapaxes(B, -1, -2)
            eta = eta - np.einsum("mia,ia->m", J, drift)
            M, Q = B_T @ M @ B, (B_T @ (Q - (M @ drift[..., None])[..., 0])[..., None])[..., 0]
            J = np.einsum("mia,iab->mib", J, B)
            spin = None if spin is None else spin.with_velocities(B, drift)
        M, Q, J = block_diagonal(M), Q.reshape(-1), J.reshape(-1, 6 * self.n)
        if spin is not None:
            M, Q = M + spin.mass, Q + spin.force
        if nz := self.model.nz:  # states of force elements: unconstrained variables with inertia 1
            M = np.block([[M, np.zeros((len(M), nz))], [np.zeros((nz, len(M))), np.eye(nz)]])
            J = np.hstack([J, np.zeros((len(J), nz))])
            Q = np.concatenate([Q, self._elements(t, x, v).act()])
        return Index1(M, J, Q, eta, slip, self._tree, loops, self.model.nz)

    def _own_values(
        self, t: float, x: NDArray, v: NDArray, C: NDArray, V: NDArray, relative: Relative
    ) -> OwnValues | None:
        """Return the rows of the model's constraint elements at one state, or None."""
        if self.own is None:
            return None
        q, qd = self.joint_state(x, v) if self.own.asks_joints else (np.zeros(0), np.zeros(0))
        return self.own.at(C, V, relative, q, qd, t)

    def _loop_rows(
        self, C: NDArray, t: float, relative: Relative, J: NDArray, own: OwnValues | None
    ) -> LoopRows | None:
        """Return the data of the rank decision on rows of loops and constraints. J : (m, bodies, 6), all rows."""
        if self._tree:
            return None
        first, gap = self.constraints.m - self._loop_m, float(self.gaps.largest(C, t))
        arcs = partial(self._arcs, J[first:], relative)
        gap = gap if own is None else max(gap, own.open)
        return LoopRows(first, arcs, *self.compared, gap, self.tree_has_inertia)

    def _arcs(self, J: NDArray, relative: Relative) -> NDArray:
        """Return the rows of J in terms of the tree's joint rates, with angles scaled to arc lengths."""
        return np.einsum("mia,iak->mk", J, self._motions(relative)) * arcs_of(self.model, self.gaps.length)

    def _motions(self, relative: Relative) -> NDArray:
        """Return the twists of all bodies, the world first, per rate of the tree's joints, (bodies, 6, nv)."""
        model, back = self.model, np.linalg.inv(relative.from_S[: self.n])
        found = np.zeros((self.n + 1, 6, model.nv))
        for i, joint in enumerate(model.joints[1:], start=1):  # from_S V_i - from_P V_parent = S qd
            parent = model.parent[i]
            if parent:
                found[i] = back[i - 1] @ (relative.from_P[i - 1] @ found[parent])
            if joint.nv:
                type = joint.type
                q = type.neutral() if type.constant_S else type.project(relative.X[i - 1])
                found[i][:, joint.v_slice] += back[i - 1] @ type.motion_subspace(q)
        return found

    @property
    def _loop_m(self) -> int:
        """Number of rows of loop joints."""
        return sum(6 - place.type.nv for place in self.constraints.joints[self.n :])

    def corrected(
        self, t: float, x: NDArray, v: NDArray, vdot: NDArray, closing: float, moving: float = 0.0
    ) -> NDArray:
        """Return accelerations that correct the constraint errors of all joints; see `VelocityLevel`."""
        return corrected_accelerations(self, t, x, v, vdot, closing, moving)

    def stiffness(self, t: float, x: NDArray, v: NDArray) -> HeldStiffMatrices:
        """Return M, and K and D of springs and dampers in joints of the tree and of force elements."""
        return stiff_matrices(self, t, x, v)

    def relative(self, x: NDArray, v: NDArray) -> Relative:
        """Return relative poses and twists of the frames of all joints."""
        return self.constraints.relative(*self._world_first(x, v))

    def project(self, x: NDArray, v: NDArray, t: float = 0.0) -> tuple[NDArray, NDArray]:
        """Project (x, v) to the constraints, by Newton's method in the kinetic-energy metric."""
        still, share = np.zeros_like(v), self._gap_shares
        for _ in range(PROJECTIONS):
            g = self.constraint_error(x, t)
            if np.abs(share * g).max(initial=0.0) <= CLOSED:
                break
            # accelerations from rest without forces, under J a = -g, are the least change in that metric (Gauss's
            # principle)
            x = self.move(x, replace(self.index1(t, x, still), Q=still, eta=-g).accelerations())
        # velocities after positions: the constraints on them are those at the projected pose
        here = self.index1(t, x, v)
        return x, v + replace(here, Q=still, eta=-here.slip).accelerations()

    @cached_property
    def _gap_shares(self) -> NDArray:
        """Factors (m,) that turn constraint errors into fractions of the mechanism's length."""
        tree = [row_sizes(place, self.gaps.length) for place in self.constraints.joints[: self.n]]
        return gap_shares(np.concatenate([np.zeros(0), *tree, self.compared[0]]), self.gaps.length)

    def _forces(self, t: float, x: NDArray, v: NDArray, C: NDArray, V: NDArray, relative: Relative) -> NDArray:
        """Return the wrench on every body in its reference frame: all forces and gyroscopic terms, no reactions."""
        # Newton and Euler: f = I a + v x* I v (Featherstone 2008, Eq 1.5)
        Q = -cross_force(V, (self.mass_matrices @ V[..., None])[..., 0])
        weight = np.zeros_like(V)
        # a row times R: R^T g, gravity in body axes; weight acts as an acceleration, whatever the mass
        weight[:, 3:] = self.model.gravity @ C[:, :3, :3]
        Q += (self.mass_matrices @ weight[..., None])[..., 0]
        if self.f_ext is not None:
            Q += (np.swapaxes(se3.adjoint(C), -1, -2) @ self.f_ext(t, x, v)[..., None])[..., 0]
        tau = np.zeros(self.model.nv) if self.tau is None else np.array(self.tau(t, x, v), dtype=float)
        if self._passive:
            tau = tau + joint_passive_force(self.model, *self.joint_state(x, v))
        if self.model.acting:
            acting = self._elements(t, x, v)
            acting.act()
            for a, torque in acting.at.torques.items():
                tau[a] += torque
            for body, wrench in acting.at.wrenches.items():
                Q[body] += se3.adjoint(C[body]).T @ wrench
        if self._passive or self.tau is not None:
            Q += applied(self.model, self.constraints, relative, tau)
        return Q

    def _elements(self, t: float, x: NDArray, v: NDArray) -> ForcesAtState:
        """Return the force elements at a state, by the actual poses of bodies (joint coordinates are less accurate)."""
        T, U = self.poses(x), self.velocities(x, v)
        q, qd = joint_state(self.model, T, U)
        z = split_states(self.model, v, 6 * self.n)[1]
        return ForcesAtState(self.model, q, qd, t, z, surroundings_at(self.model, T, U, q, qd, t))

    # --- what it says of the model ------------------------------------------------------------------------------------

    def state(self, q: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        kinematics = forward_kinematics(self.model, q, v)
        C = (kinematics.poses @ self.offsets)[..., 1:, :, :]
        V = (np.linalg.inv(self.to_body) @ kinematics.velocities[..., None])[..., 1:, :, 0]  # type: ignore[index]
        return flat(C), self.group.velocities(C, V).reshape(*V.shape[:-2], 6 * self.n)

    def poses(self, x: NDArray, t: float = 0.0) -> NDArray:
        return self.reference_poses(x) @ se3.inverse(self.offsets)

    def velocities(self, x: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        return (self.to_body @ self._world_first(x, v)[1][..., None])[..., 0]

    def joint_state(self, x: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        """Return the joint coordinates and velocities closest to a state."""
        return joint_state(self.model, self.poses(x), self.velocities(x, v))

    def energy(self, x: NDArray, v: NDArray, t: float = 0.0) -> Energy:
        V = self._world_first(x, v)[1]
        kinetic = 0.5 * np.einsum("...ia,iab,...ib->...", V, self.mass_matrices, V)
        T = self.poses(x)
        com = (T[..., :3, :3] @ self._com[..., None])[..., 0] + T[..., :3, 3]
        gravitational = -(self._mass * (com @ self.model.gravity)).sum(axis=-1)
        spring = np.zeros_like(kinetic)
        if self._rotors or self._passive:
            q, qd = self.joint_state(x, v)
            spring = spring_energy(self.model, q)
            if self.model.acting:
                spring = spring + stored(self._elements, x, v, t)
            for joint in self.model.joints:
                # a rotor has no pose of its own; it turns with the joint's rate
                kinetic = kinetic + 0.5 * (joint.velocities(qd) ** 2 @ joint.armature)
        return Energy(kinetic, gravitational, spring)

    def lost_in_elements(self, x: NDArray, v: NDArray, t: float = 0.0) -> float:
        """Return the power that force elements dissipate at one state, W."""
        qd = self.joint_state(x, v)[1]
        return lost(self._elements, self.move, x, v, qd, t)

    def momentum(self, x: NDArray, v: NDArray) -> NDArray:
        """Return the spatial momentum of all bodies about the world origin, in world axes, shape (..., 6)."""
        C, V = self._world_first(x, v)
        h = self.mass_matrices @ V[..., None]
        return (np.swapaxes(se3.adjoint(se3.inverse(C)), -1, -2) @ h)[..., 0].sum(axis=-2)

    def invariants(self, x: NDArray, v: NDArray, t: float = 0.0) -> dict[str, NDArray]:
        """Return the energy, without dampers and motors, and the momentum of a floating model without gravity."""
        held, places = {}, self.constraints.joints
        if not self.model.lossy and not any(j.type.is_driven for j in places) and not working(self.model):
            held["energy"] = self.energy(x, v).total
        # a joint to the world with fewer than six freedoms transmits momentum
        grounded = any(0 in (j.predecessor, j.successor) and j.type.nv < 6 for j in places)
        roots = [self.model.joints[i] for i in self.model.children(0)]
        kept_together = not grounded and all(lets_go(joint) for joint in roots)
        kept_together = kept_together and inner(self.model) and inner_constraints(self.model)
        if kept_together and not self.model.gravity.any():
            h = self.momentum(x, v)
            held |= {"angular momentum": h[..., :3], "linear momentum": h[..., 3:]}
        return held

    def constraint_error(self, x: NDArray, t: float = 0.0) -> NDArray:
        g = self._joint_errors(x, t)
        if self.own is None:
            return g
        return np.concatenate(
            [g, self._own_at_states(x, with_zeros(self.model, np.zeros((*x.shape[:-1], 6 * self.n))), t).gap], axis=-1
        )

    def _joint_errors(self, x: NDArray, t: float) -> NDArray:
        C = self.reference_poses(x)
        # for few states the readable form is as fast as a call of compiled code
        if x.ndim == 2 and len(x) >= MANY and self._residuals is not None:
            return self._residuals.at(C)
        return self.constraints.position(C, t)

    @cached_property
    def _residuals(self) -> Residuals | None:
        return Residuals(self.constraints) if Residuals.covered(self.constraints) else None

    @property
    def held(self) -> ConstraintRows | None:
        """Rows of the model's constraint elements, the last ones of `index1`; None if it has none."""
        return None if self.own is None else self.own.rows

    @property
    def nonholonomic(self) -> tuple[str, ...]:
        """Names of the constraints that are nonholonomic, wholly or in part."""
        return () if self.own is None else self.own.rows.nonholonomic

    def slip(self, x: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        """Return the violation of nonholonomic constraints, (..., m), m/s; 0 in holonomic rows."""
        m = self.constraints.m
        slip = np.zeros((*x.shape[:-1], m + (0 if self.own is None else self.own.m)))
        if self.own is not None:
            slip[..., m:] = np.where(self.own.rows.holonomic, 0.0, self._own_at_states(x, v, t).slip)
        return slip

    def row_names(self) -> list[tuple[str, str]]:
        """Return for each row of `constraint_error` its owner, "joint 'elbow'" or "constraint 'rod'", and its unit."""
        return self.constraints.row_names() + ([] if self.own is None else self.own.rows.row_names())

    def gap(self, t: NDArray, x: NDArray) -> NDArray:
        """Return the closure error of the joints (n,) at times (n,) in states (n, nx), as an angle, rad; see `gaps`."""
        C = self.reference_poses(x)
        if not any(isinstance(place.type, Prescribed) for place in self.constraints.joints):
            return self.gaps.largest(C)
        return np.array([self.gaps.largest(own, at) for own, at in zip(C, t, strict=True)])

    def rows_at(self, t: float, x: NDArray, v: NDArray) -> Index1:
        """Return `index1`; see `rbdkit.formulations.constrained.rank_loss.Closing`."""
        return self.index1(t, x, v)

    def remarks(self, t: NDArray, x: NDArray, v: NDArray, closing: bool = False) -> list[str]:
        """Return remarks on a run through states at t (n,), x (n, nx), v (n, nv): poses where loops lose rank."""
        return [] if self._tree else rank_remarks(self, t, x, v, closing)

    def joint_error(self, x: NDArray, joint: str, t: float = 0.0) -> NDArray:
        """Return the residuals of one joint's constraints, shape (..., 6 - nv), rad and m."""
        names = [place.name for place in self.constraints.joints]
        if joint not in names:
            raise ModelError(f"joint {joint!r} is not in model {self.model.name!r}; known: {', '.join(names)}")
        return self.constraint_error(x, t)[..., self.constraints.rows[names.index(joint)]]

    # --- inside -------------------------------------------------------------------------------------------------------

    def reference_poses(self, x: NDArray) -> NDArray:
        """Return the poses of the reference frames, the world first."""
        C = np.empty((*x.shape[:-1], self.n + 1, 4, 4))
        C[..., 0, :, :] = np.eye(4)
        C[..., 1:, :, :] = unflat(x)
        return C

    def _own_at_states(self, x: NDArray, v: NDArray, t: float) -> RowValues:
        """Return the rows of the model's constraints at one state or a stack of states."""
        assert self.own is not None
        T, U = self.poses(x), self.velocities(x, v)
        q, qd = joint_state(self.model, T, U) if self.own.asks_joints else (np.zeros((*x.shape[:-1], 0)),) * 2
        return self.own.at_states(T, U, q, qd, t)

    def _world_first(self, x: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        """Return poses and body twists of the reference frames, the world first."""
        C = self.reference_poses(x)
        V = np.zeros((*v.shape[:-1], self.n + 1, 6))
        V[..., 1:, :] = self.group.twists(C[..., 1:, :, :], self._by_bodies(v))
        return C, V

    def _by_bodies(self, v: NDArray) -> NDArray:
        """Return six numbers for each body, (..., n, 6), of a v or u, without the states of force elements."""
        return v[..., : 6 * self.n].reshape(*v.shape[:-1], self.n, 6)
