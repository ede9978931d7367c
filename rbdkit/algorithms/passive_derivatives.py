"""Derivatives of what springs and dampers in the joints do by themselves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.pieces import pieces
from rbdkit.engine.steps.motion import Motion
from rbdkit.engine.steps.motions import MOTIONS
from rbdkit.engine.steps.tangent import rates
from rbdkit.model import Joint, Model
from rbdkit.trace import Trace, jacobian, trace


@dataclass(frozen=True)
class PassiveDerivatives:
    """Derivatives of passive forces. dtau_dq, dtau_dv : (nv, nv). parameters : by name, (nv, ...)."""

    dtau_dq: NDArray
    dtau_dv: NDArray
    parameters: dict[str, NDArray]


def passive_derivatives(model: Model, q: NDArray, qd: NDArray) -> PassiveDerivatives:
    """How `passive_force` changes with q, qd, and with the damping, stiffness and rest of each joint.

    q and rest move as ``integrate(q, dq)``.
    """
    by_q, by_v = np.zeros((2, model.nv, model.nv))
    parameters: dict[str, NDArray] = {}
    for joint in model.joints:
        if joint.nv == 0:
            continue
        scale, own = 1.0 if joint.mimic is None else joint.mimic.multiplier, joint.v_slice
        K, K_rest, u_force = _spring(joint, joint.coordinates(q))
        by_q[own, own] -= scale**2 * K
        by_v[own, own] -= scale**2 * np.diag(joint.damping)
        of_joint = {"damping": -np.diag(joint.velocities(qd)), "stiffness": -u_force, "rest": -K_rest}
        for name, block in of_joint.items():
            rows = np.zeros((model.nv, joint.nv))
            rows[own] = scale * block
            parameters[f"{joint.name}.{name}"] = rows[:, 0] if joint.nv == 1 else rows
    return PassiveDerivatives(by_q, by_v, parameters)


def _spring(joint: Joint, q: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Derivatives of A.T (stiffness * u) by q, by rest and by stiffness, (nv, nv) each."""
    by_q, by_rest, by_stiffness = np.zeros((3, joint.nv, joint.nv))
    for piece in pieces(joint.type, joint.name):
        motion = MOTIONS[piece.motion]
        if motion.nv == 0 or piece.ratio is not None:  # what moves with another piece has no spring of its own
            continue
        at, own = slice(piece.q, piece.q + motion.nq), slice(piece.v, piece.v + motion.nv)
        found = _spring_of(motion, q[at], joint.rest[at], joint.stiffness[own])
        by_q[own, own], by_rest[own, own], by_stiffness[own, own] = found
    return by_q, by_rest, by_stiffness


def _spring_of(motion: Motion, q: NDArray, rest: NDArray, stiffness: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """The same for one piece of a joint."""
    if not motion.curved:
        return np.diag(stiffness), -np.diag(stiffness), np.diag(q - rest)
    values = (q, rest, stiffness)
    by = {name: np.array(_force_by(motion.name, name)(*values), dtype=float) for name in ("q", "rest", "stiffness")}
    for name, x in (("q", q), ("rest", rest)):
        by[name] = (
            by[name] @ np.array(rates(motion, x.tolist()), dtype=np.float64).T
        )  # along the nv ways in which it can move
    return by["q"], by["rest"], by["stiffness"]


@cache
def _force_by(motion_name: str, argument: str) -> Trace:
    """The Jacobian of a curved joint's spring force, by the graph of its formulas."""
    motion = MOTIONS[motion_name]

    def force(q: list, rest: list, stiffness: list) -> list:
        u = motion.difference(rest, q)
        return motion.local_force(u, [k * x for k, x in zip(stiffness, u, strict=True)])

    whole = trace(force, motion.nq, motion.nq, motion.nv, names=("q", "rest", "stiffness"))
    return jacobian(whole, argument)
