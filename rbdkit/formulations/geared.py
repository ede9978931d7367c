"""Joint coordinates of a tree whose joints are tied by gears: only the independent ones are integrated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import Energy, energy, forward_kinematics, passive_force
from rbdkit.algorithms.gears import Gear, Gears, geared_forward_dynamics
from rbdkit.errors import StateError
from rbdkit.formulations.formulation import Force, always
from rbdkit.model import Model
from rbdkit.model.kept import snapshot

OFF = 1e-6
"""Tolerance, rad or m, of the initial coordinates of a geared joint, relative to those by its gear."""


class GearedSystem:
    """The `Formulation` whose x and v are the y and yd of `Gears` (Featherstone 2008, Eq 9.26).

    For `simulate` give ``formulation=functools.partial(GearedSystem, gears=[...])``; q0 and v0 are of all joints.

    Parameters
    ----------
    model : Model
        A tree, without its gears.
    tau : callable, optional
        Forces at all joints (nv,), as a function of (t, x, v), or None.
    f_ext : Force, optional
        External forces as a function of (t, x, v), or None.
    gears : sequence of Gear
        As for `Gears`.

    Examples
    --------
    >>> from functools import partial
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.formulations import GearedSystem
    >>> gears = rbd.library.geared_arm(ratio1=50.0, ratio2=50.0)
    >>> geared = partial(GearedSystem, gears=gears.gears)
    >>> motion = rbd.simulate(gears.model, np.zeros(4), np.zeros(4), duration=0.1, formulation=geared)
    >>> bool(np.abs(motion.q[:, 1] - 50.0 * motion.q[:, 0]).max() < 1e-9)
    True
    """

    name: ClassVar[str] = "geared"

    def __init__(
        self, model: Model, tau: Force | None = None, f_ext: Force | None = None, gears: Sequence[Gear] = ()
    ) -> None:
        nothing = np.zeros(model.nv)
        self.model, self.gears = snapshot(model), Gears(model, gears)
        self.tau: Force = tau or partial(always, nothing)
        self.f_ext = f_ext

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        f_ext = None if self.f_ext is None else self.f_ext(t, x, v)
        tau = self.tau(t, x, v) + passive_force(self.model, self.gears.gamma(x), self.gears.G(x) @ v, t=t)
        return geared_forward_dynamics(self.gears, x, v, tau, f_ext=f_ext, t=t)

    def move(self, x: NDArray, u: NDArray) -> NDArray:
        gears = self.gears
        # through all joints, since an independent joint may move on a manifold
        return gears.independent(self.model.move(gears.gamma(x), gears.spread(u)))

    def local_rate(self, u: NDArray, v: NDArray) -> NDArray:
        gears = self.gears
        return gears.independent_velocities(self.model.local_rate(gears.spread(u), gears.spread(v)))

    def displacement(self, x0: NDArray, x1: NDArray) -> NDArray:
        q0, q1 = self.gears.gamma(x0), self.gears.gamma(x1)
        return self.gears.independent_velocities(self.model.displacement(q0, q1))

    # --- what it says of the model ------------------------------------------------------------------------------------

    def state(self, q: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        y, yd = self.gears.independent(q), self.gears.independent_velocities(v)
        for name in self.gears.followers:
            joint = self.model.joint(name)
            for what, given, right in (
                ("coordinate", q[joint.q_slice], self.gears.gamma(y)[joint.q_slice]),
                ("velocity", v[joint.v_slice], (self.gears.G(y) @ yd)[joint.v_slice]),
            ):
                if abs(given[0] - right[0]) > OFF * max(1.0, abs(right[0])):
                    raise StateError(
                        f"joint {name!r}: its {what} is {given[0]:.6g}, and its gear makes it {right[0]:.6g}; "
                        "take q = gears.gamma(y) and v = gears.G(y) @ yd"
                    )
        return y, yd

    def joint_state(self, x: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        return self._q(x), self._v(x, v)

    def poses(self, x: NDArray, t: float = 0.0) -> NDArray:
        return forward_kinematics(self.model, self._q(x), t=t).poses

    def velocities(self, x: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        velocities = forward_kinematics(self.model, self._q(x), self._v(x, v), t=t).velocities
        assert velocities is not None
        return velocities

    def energy(self, x: NDArray, v: NDArray, t: float = 0.0) -> Energy:
        return energy(self.model, self._q(x), self._v(x, v), t=t)

    def invariants(self, x: NDArray, v: NDArray, t: float = 0.0) -> dict[str, NDArray]:
        """Return the energy of all bodies, rotors included, if no joint is driven."""
        driven = any(joint.type.is_driven for joint in self.model.joints)
        return {} if driven or self.model.lossy else {"energy": self.energy(x, v, t).total}

    def constraint_error(self, x: NDArray, t: float = 0.0) -> NDArray:
        return np.zeros((*x.shape[:-1], 0))

    def _q(self, x: NDArray) -> NDArray:
        return _each(self.gears.gamma, x)

    def _v(self, x: NDArray, v: NDArray) -> NDArray:
        n = x.shape[-1]
        return _each(lambda state: self.gears.G(state[:n]) @ state[n:], np.concatenate([x, v], axis=-1))


def _each(function: Callable[[NDArray], NDArray], states: NDArray) -> NDArray:
    """Apply a function to every state of a stack (..., n)."""
    rows = [function(state) for state in states.reshape(-1, states.shape[-1])]
    return np.array(rows).reshape(*states.shape[:-1], -1)
