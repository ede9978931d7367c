"""Joint types as chains of simple joints about z."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rbdkit import joints
from rbdkit.joints.axis import plane_basis


class NotCovered(Exception):
    """The engine has no kernels for a model; the message says why."""


@dataclass(frozen=True)
class Piece:
    """One link's share of a joint. basis : its axes in the joint's, z along the freedom. q, v : offsets in its.

    ratio : how far it goes for each unit of the coordinate and velocity that it shares with the piece that has them;
        None for a piece that has its own.
    """

    motion: str
    basis: NDArray
    q: int = 0
    v: int = 0
    pitch: float = 0.0
    ratio: float | None = None


def pieces(joint: joints.JointType, name: str) -> list[Piece]:
    """The chain of simple joints that a joint type is; none for a fixed joint."""
    joint = simplified(joint)
    if joint.is_users_own:
        raise NotCovered(f"joint {name!r} is of type {joint.kind!r}")
    match joint:
        case joints.Fixed():
            return []
        case joints.Revolute():
            return [Piece("revolute", plane_basis(joint.axis))]
        case joints.Prismatic():
            return [Piece("prismatic", plane_basis(joint.axis))]
        case joints.Helical():
            return [Piece("helical", plane_basis(joint.axis), pitch=joint.pitch)]
        case joints.RackAndPinion():
            # the centre follows the turn, as a joint follows another one
            way = Piece("prismatic", plane_basis(joint.along), ratio=joint.radius)
            return [way, Piece("revolute", plane_basis(joint.axis))]
        case joints.Cylindrical():
            basis = plane_basis(joint.axis)
            return [Piece("revolute", basis), Piece("prismatic", basis, 1, 1)]
        case joints.Universal():
            return [Piece("revolute", plane_basis(axis), k, k) for k, axis in enumerate((joint.axis1, joint.axis2))]
        case joints.EulerSpherical():
            return [Piece("revolute", plane_basis(np.eye(3)[2 - k]), k, k) for k in range(3)]
        case joints.Planar():
            kind = "planar" if joint.translation == "predecessor" else "planar_successor"
            return [Piece(kind, plane_basis(joint.axis))]
        case joints.Spherical():
            return [Piece("spherical", np.eye(3))]
        case joints.SphereInCylinder():
            return [Piece("prismatic", plane_basis(joint.axis), 4, 3), Piece("spherical", np.eye(3))]
        case joints.Free():
            return [Piece("free" if joint.translation == "predecessor" else "free_successor", np.eye(3))]
        case joints.Prescribed() if not isinstance(simplified(joint.joint), joints.Prescribed):
            chain = pieces(joint.joint, name)
            if all(piece.ratio is None for piece in chain):
                return [replace(piece, motion=f"driven_{piece.motion}") for piece in chain]
        case joints.Reversed():
            return list(_reversed(pieces(joint.joint, name)))
    raise NotCovered(f"joint {name!r} is of type {joint.kind!r}")


def simplified(joint: joints.JointType) -> joints.JointType:
    """The same joint, not reversed twice, and with what moves it in time outside of what reverses it."""
    if not isinstance(joint, joints.Reversed):
        return joint
    inner = simplified(joint.joint)
    if isinstance(inner, joints.Prescribed):
        return joints.Prescribed(simplified(joints.Reversed(inner.joint)), inner.motion)
    return inner.joint if isinstance(inner, joints.Reversed) else joints.Reversed(inner)


def _reversed(chain: list[Piece]) -> Iterator[Piece]:
    """The chain from its other end: a joint with one freedom backwards is the same joint about the opposite axis."""
    for piece in reversed(chain):
        if piece.motion in ("revolute", "prismatic", "helical"):
            # half a turn about the first axis of the basis takes z to -z
            yield replace(piece, basis=piece.basis * (1.0, -1.0, -1.0))
        else:
            yield Piece(f"reversed_{piece.motion}_axes", piece.basis, piece.q, piece.v)
            yield Piece(f"reversed_{piece.motion}_pose", piece.basis, piece.q, piece.v)
