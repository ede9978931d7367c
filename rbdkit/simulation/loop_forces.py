"""Wrenches through loop joints in a recorded motion.

The equations of motion with loops have the reactions of loop joints as multipliers (Featherstone 2008, section 8.5). If
constraints are redundant, reactions are not unique: the joints are marked, and the smallest ones with the same effect
are given. Redundancy is looked for at a few states by the readable algorithm; if there is none, all states are computed
at once by compiled code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import passive_force
from rbdkit.algorithms.loops import loop_equation, solve_for_independents
from rbdkit.engine import kernels_for
from rbdkit.errors import SimulationError
from rbdkit.joints import Reversed
from rbdkit.model import Loop, Model

LOOKS = 17
"""Number of states at which redundant constraints, hence indeterminate wrenches, are looked for."""


@dataclass(frozen=True, eq=False)
class LoopForces(Mapping[str, NDArray]):
    """Wrenches through loop joints over time, by the joints' names.

    Attributes
    ----------
    t : ndarray (n,)
        Times, s.
    wrenches : mapping of str to ndarray (n, 6)
        Moment, N m, and force, N, on the successor body, in its coordinates; the predecessor feels the opposite.
    indeterminate : tuple of str
        Joints with indeterminate wrenches: constraints are redundant, and the bodies' stiffness would decide how they
        share the load. The smallest wrench with the same effect is given.

    Examples
    --------
    A load of 2 kg slides on two rails at once; how they share its weight is indeterminate.

    >>> import rbdkit as rbd
    >>> model = rbd.Model("shared load", gravity=(0, 0, -10))
    >>> load = model.add_body("load", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0))
    >>> second = model.add_loop("second rail", model.bodies[0], load, rbd.Prismatic("x"))
    >>> forces = rbd.simulate(model, duration=0.1).loop_forces()
    >>> forces["second rail"].shape, forces.indeterminate
    ((101, 6), ('second rail',))
    """

    t: NDArray
    wrenches: Mapping[str, NDArray]
    indeterminate: tuple[str, ...] = ()

    def __getitem__(self, joint: str) -> NDArray:
        return self.wrenches[joint]

    def __iter__(self) -> Iterator[str]:
        return iter(self.wrenches)

    def __len__(self) -> int:
        return len(self.wrenches)

    def __repr__(self) -> str:
        lines = [f"<LoopForces at {len(self.t)} times>"]
        for name, wrench in self.wrenches.items():
            most = np.linalg.norm(wrench[:, :3], axis=1).max(), np.linalg.norm(wrench[:, 3:], axis=1).max()
            note = ", indeterminate: the smallest that fits" if name in self.indeterminate else ""
            lines.append(f"{name}: up to {most[0]:.3g} N m and {most[1]:.3g} N{note}")
        return "\n  ".join(lines)


def loop_forces(
    model: Model,
    t: NDArray,
    q: NDArray,
    v: NDArray,
    tau: NDArray | None,
    f_ext: NDArray | None,
    z: NDArray | None = None,
) -> LoopForces:
    """Compute the wrenches through loop joints in n states.

    t : (n,) times, s. q, v : (n, nq), (n, nv). tau : (n, nv) joint forces, or None. f_ext : (n, bodies, 6) external
    forces, or None. z : (n, nz) states of force elements, or None.

    Raises
    ------
    SimulationError
        If no joints close loops.
    """
    if not model.loops:
        raise SimulationError(f"no joints close loops in model {model.name!r}; there are no loop forces")
    names = [loop.joint.name for loop in model.loops]
    wrenches = {name: np.zeros((len(t), 6)) for name in names}
    tau = np.zeros(v.shape) if tau is None else tau
    some = np.unique(np.linspace(0, len(t) - 1, LOOKS).astype(int))
    doubtful: set[str] = set()

    def readable(k: int) -> None:
        acting = passive_force(model, q[k], v[k], t=t[k], z=None if z is None else z[k]) + tau[k]
        equation = loop_equation(model, q[k], v[k], acting, f_ext=None if f_ext is None else f_ext[k], t=t[k])
        motion = solve_for_independents(equation).motion
        for name, rows in zip(names, equation.constraint.rows, strict=True):
            wrenches[name][k] = motion.f[name]
            if motion.indeterminate[rows].any():
                doubtful.add(name)

    for k in some:
        readable(k)
    # compiled code leaves out redundant rows, which is not the smallest reaction
    found = None if doubtful else _compiled(model, q, v, tau, f_ext, t, z)
    if found is not None:
        wrenches = found
    else:
        for k in np.setdiff1d(np.arange(len(t)), some):
            readable(k)
    return LoopForces(t, wrenches, tuple(name for name in names if name in doubtful))


def _compiled(
    model: Model, q: NDArray, v: NDArray, tau: NDArray, f_ext: NDArray | None, t: NDArray, z: NDArray | None
) -> dict[str, NDArray] | None:
    """Return the wrenches by compiled code, all states at once; None if there is none, or with prescribed joints."""
    kernels = kernels_for(model)
    if (
        kernels is None
        or kernels.rows is None
        or kernels.driven
        or kernels.rows_timed
        or any(map(_turned, model.loops))
    ):
        return None
    _, reactions = kernels.reactions(q, v, tau, f_ext, t, z)
    found: dict[str, NDArray] = {}
    for loop, T in zip(model.loops, kernels.transmitted(), strict=True):
        rows, reactions = reactions[:, : len(T)], reactions[:, len(T) :]
        found[loop.joint.name] = -rows @ T
    return found if all(np.isfinite(wrench).all() for wrench in found.values()) else None


def _turned(loop: Loop) -> bool:
    """Whether a loop joint's ends are swapped in compiled code, or its constraint subspace depends on its position."""
    return isinstance(loop.joint.type.simplified(), Reversed) or not loop.joint.type.constant_T
