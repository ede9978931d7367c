"""Joint coordinates: a tree described by q and v, its accelerations by the articulated-body algorithm."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import Energy, element_state_rates, energy, forward_dynamics, forward_kinematics, momentum
from rbdkit.algorithms.baumgarte import Baumgarte
from rbdkit.derivatives import rnea_derivatives
from rbdkit.engine import Kernels, kernels_for
from rbdkit.errors import SimulationError
from rbdkit.formulations.formulation import Force, always
from rbdkit.formulations.system import StiffMatrices
from rbdkit.functions import crba
from rbdkit.functions.asking import Backend
from rbdkit.model import Joint, Model
from rbdkit.model.element_states import require_no_states, split_states, with_zeros
from rbdkit.model.force import inner
from rbdkit.model.kept import current, snapshot
from rbdkit.model.requirements import require_model

LARGEST = 1e100
"""Largest number of a state; a larger one counts as not finite, since its square may overflow."""


class JointSystem:
    """The `Formulation` whose x are the joint coordinates q and whose v are the joint velocities.

    States of force elements follow the velocities in v, and their rates follow in vdot.

    `rate` and `move` raise `FloatingPointError` for a state that has diverged, before anything is computed from it.

    Parameters
    ----------
    model : Model
        A tree; of a model with loops or constraints this makes a `ClosedJointSystem`.
    tau : callable, optional
        Applied joint forces as a function of (t, q, v), or None.
    f_ext : callable, optional
        External forces as a function of (t, q, v), or None.
    book : bool, optional
        True computes accelerations by the readable algorithms even where there are compiled kernels.
    baumgarte : Baumgarte, optional
        Baumgarte stabilisation of loops; a tree has none.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.formulations import JointSystem
    >>> system = JointSystem(rbd.library.pendulum())
    >>> system.rate(0.0, np.zeros(1), np.zeros(1)).round(9).tolist()
    [0.0]
    """

    name: ClassVar[str] = "joint"
    takes_states: ClassVar[bool] = True

    def __new__(
        cls,
        model: Model | None = None,  # none when a copy is made
        tau: Force | None = None,
        f_ext: Force | None = None,
        book: bool = False,
        baumgarte: Baumgarte | None = None,
    ) -> JointSystem:
        """Make a `ClosedJointSystem` for a model with loops or constraints."""
        if cls is JointSystem and isinstance(model, Model) and (model.loops or model.constraints):
            from rbdkit.formulations.joint_loops import ClosedJointSystem

            return super().__new__(ClosedJointSystem)
        return super().__new__(cls)

    def __init__(
        self,
        model: Model,
        tau: Force | None = None,
        f_ext: Force | None = None,
        book: bool = False,
        baumgarte: Baumgarte | None = None,
    ) -> None:
        require_model(model)
        nothing = np.zeros(model.nv)
        self.model, self._nz = snapshot(model), model.nz
        self.tau: Force = tau or partial(always, nothing)
        self.f_ext = f_ext
        self._backend: Backend = "book" if book else "auto"
        self._kernels = None if book else kernels_for(model)
        self._watched = current(self.model).holds is not None

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickling, without cached properties: compiled code belongs to this process."""
        # machine code has addresses in this process
        own = self.__dict__.items()
        return {name: value for name, value in own if not isinstance(getattr(type(self), name, None), cached_property)}

    @cached_property
    def _kernels(self) -> Kernels | None:
        """Compiled kernels of an unpickled copy; `__init__` sets them for a new system."""
        return None if self._backend == "book" else kernels_for(self.model)

    @cached_property
    def _watched(self) -> bool:
        return self._kernels is not None and current(self.model).holds is not None

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        finite(x)
        finite(v)
        if self._nz:
            return self._rate_with_states(t, x, v)
        f_ext = None if self.f_ext is None else self.f_ext(t, x, v)
        tau = self.tau(t, x, v)
        if self._watched:
            current(self.model)  # raises if a user's element has changed
        if self._kernels is not None:
            vdot = self._kernels.forward_dynamics(x, v, tau, f_ext, t)
            if np.isfinite(vdot).all():
                return vdot  # else the readable form says what is wrong, with the joint's name
        return forward_dynamics(self.model, x, v, tau, f_ext=f_ext, t=t)

    def _rate_with_states(self, t: float, x: NDArray, w: NDArray) -> NDArray:
        model, kernels = self.model, self._kernels
        # as in `rate`: raises if a user's element has changed
        if self._watched:
            current(model)
        v, z = split_states(model, w)
        assert z is not None
        f_ext, tau = None if self.f_ext is None else self.f_ext(t, x, v), self.tau(t, x, v)
        if kernels is not None:
            rates = [kernels.forward_dynamics(x, v, tau, f_ext, t, z), kernels.own_state_rates(x, v, z, t)]
            if all(np.isfinite(rate).all() for rate in rates):
                return np.concatenate(rates)
        vdot = forward_dynamics(model, x, v, tau, f_ext=f_ext, t=t, z=z)
        return np.concatenate([vdot, element_state_rates(model, x, v, t=t, z=z)])

    def move(self, x: NDArray, u: NDArray) -> NDArray:
        finite(u)
        return self.model.move(x, u[..., : self.model.nv] if self._nz else u)

    def local_rate(self, u: NDArray, v: NDArray) -> NDArray:
        if not self._nz:
            return self.model.local_rate(u, v)
        nv = self.model.nv
        return with_zeros(self.model, self.model.local_rate(u[:nv], v[:nv]))

    def displacement(self, x0: NDArray, x1: NDArray) -> NDArray:
        u = self.model.displacement(x0, x1)
        return with_zeros(self.model, u) if self._nz else u

    def inertia(self, x: NDArray) -> NDArray:
        """Return the joint-space inertia matrix (nv, nv).

        Raises
        ------
        SimulationError
            If there are prescribed joints: their motion is in no momentum of these coordinates.
        """
        if self._driven:
            raise SimulationError(
                f"joint {self._driven[0]!r} of model {self.model.name!r} moves as time says, which a method that steps "
                "momenta cannot follow; take another integrator, 'rk4' say"
            )
        require_no_states(self.model, "a method that steps momenta")
        return crba(self.model, x, backend=self._backend)

    def inertia_slope(self, x: NDArray, v: NDArray) -> NDArray:
        # inverse dynamics at rest without weight are M(x) a; with v as acceleration, the derivative is that of M v
        return rnea_derivatives(self._weightless, x, np.zeros_like(v), v, backend=self._backend).dtau_dq

    def stiffness(self, t: float, x: NDArray, v: NDArray) -> StiffMatrices:
        """Return M, and K and D of springs and dampers in joints and of force elements, (nv, nv) each."""
        from rbdkit.algorithms.redmax import bodies_at  # sparse matrices, which few simulations need
        from rbdkit.derivatives import stiffness_at

        finite(x)
        finite(v)
        bodies = bodies_at(self.model, x, v, t=t)
        K, D = stiffness_at(self.model, bodies, x, t=t).along(bodies)
        return StiffMatrices(crba(self.model, x, t=t, backend=self._backend), K, D)

    def corrected(
        self, t: float, x: NDArray, v: NDArray, vdot: NDArray, closing: float, moving: float = 0.0
    ) -> NDArray:
        """Return the plain accelerations: there are no constraints."""
        return self.rate(t, x, v)

    @cached_property
    def _weightless(self) -> Model:
        """The model without gravity: at rest, its inverse dynamics are the inertia matrix times the accelerations."""
        return self.model.with_parameters({"gravity": np.zeros(3)})

    @cached_property
    def _driven(self) -> list[str]:
        return [joint.name for joint in self.model.joints if joint.type.is_driven]

    # --- what it says of the model ------------------------------------------------------------------------------------

    def state(self, q: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        return q, v

    def joint_state(self, x: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        """Return x and v, multi-turn angles included."""
        return x, v[..., : self.model.nv]

    def poses(self, x: NDArray, t: float = 0.0) -> NDArray:
        return forward_kinematics(self.model, x, t=t).poses

    def velocities(self, x: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        velocities = forward_kinematics(self.model, x, v[..., : self.model.nv], t=t).velocities
        assert velocities is not None
        return velocities

    def energy(self, x: NDArray, v: NDArray, t: float = 0.0) -> Energy:
        v, z = split_states(self.model, v)
        return energy(self.model, x, v, t=t, z=z)

    def invariants(self, x: NDArray, v: NDArray, t: float = 0.0) -> dict[str, NDArray]:
        """Return the energy, without dampers and motors, and the momentum of a floating model without gravity."""
        kept = {}
        if not self.model.lossy and not any(joint.type.is_driven for joint in self.model.joints):
            kept["energy"] = self.energy(x, v, t).total
        roots = [self.model.joints[i] for i in self.model.outward if self.model.parent[i] == 0]
        if all(lets_go(joint) for joint in roots) and not self.model.gravity.any() and inner(self.model):
            h = momentum(self.model, x, v[..., : self.model.nv], t=t)
            kept |= {"angular momentum": h[..., :3], "linear momentum": h[..., 3:]}
        return kept

    def constraint_error(self, x: NDArray, t: float = 0.0) -> NDArray:
        return np.zeros((*x.shape[:-1], 0))


def lets_go(joint: Joint) -> bool:
    """Whether a joint leaves its body free: six freedoms, and no spring, damper or rotor in them."""
    return joint.nv == 6 and not (joint.damping.any() or joint.stiffness.any() or joint.armature.any())


def finite(values: NDArray) -> None:
    """Raise FloatingPointError if a state has diverged."""
    if not np.all(np.abs(values) < LARGEST):
        raise FloatingPointError("the state is not finite any more")
