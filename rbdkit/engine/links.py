"""A model as the engine sees it: a chain of links with simple joints about z, and its numbers in arrays.

Bodies on fixed joints become part of the link that carries them. A cylindrical, universal or Euler joint becomes a
chain of joints with one freedom and no mass between them. What depends on numbers only, `pack` does; the rest is the
`Layout`, which models of the same shape share.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rbdkit import joints
from rbdkit.engine.steps.motions import MOTIONS
from rbdkit.engine.steps.trees import FRAME, ROW, Kind, Link
from rbdkit.joints.axis import plane_basis
from rbdkit.model import Model


class NotCovered(Exception):
    """The engine has no kernels for a model; the message says why."""


@dataclass(frozen=True)
class Piece:
    """One link's share of a joint. basis : its axes in the joint's, z along the freedom. q, v : offsets in its."""

    motion: str
    basis: NDArray
    q: int = 0
    v: int = 0
    pitch: float = 0.0


def pieces(joint: joints.JointType, name: str) -> list[Piece]:
    """The chain of simple joints that a joint type is; none for a fixed joint."""
    match joint:
        case joints.Fixed():
            return []
        case joints.Revolute():
            return [Piece("revolute", plane_basis(joint.axis))]
        case joints.Prismatic():
            return [Piece("prismatic", plane_basis(joint.axis))]
        case joints.Helical():
            return [Piece("helical", plane_basis(joint.axis), pitch=joint.pitch)]
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
        case joints.Free():
            return [Piece("free" if joint.translation == "predecessor" else "free_successor", np.eye(3))]
        case joints.Reversed():
            return list(_reversed(pieces(joint.joint, name)))
    raise NotCovered(f"joint {name!r} is of type {joint.kind!r}")


def _reversed(chain: list[Piece]) -> Iterator[Piece]:
    """The chain from its other end: a joint with one freedom backwards is the same joint about the opposite axis."""
    for piece in reversed(chain):
        if piece.motion in ("revolute", "prismatic", "helical"):
            # half a turn about the first axis of the basis takes z to -z
            yield Piece(piece.motion, piece.basis * (1.0, -1.0, -1.0), piece.q, piece.v, piece.pitch)
        else:
            yield Piece(f"reversed_{piece.motion}_axes", piece.basis, piece.q, piece.v)
            yield Piece(f"reversed_{piece.motion}_pose", piece.basis, piece.q, piece.v)


@dataclass(frozen=True, eq=False)
class Layout:
    """How a model becomes links.

    Attributes
    ----------
    links : without the world. nq, nv : of the model.
    link_of_body : (bodies,) number of the link that each body is fixed to.
    frames : (bodies, 4, 4) pose of each body in its link; for a body on a fixed joint the identity, to be found from
        placements.
    welded : bodies on fixed joints, in order.
    body_of_link : (links,) body whose joint the link is part of. first : whether it is the joint's first part.
    bases : (links, 3, 3) axes of the link in those of its joint, or of the part before it. pitch : (links,).
    """

    links: tuple[Link, ...]
    nq: int
    nv: int
    link_of_body: NDArray
    frames: NDArray
    welded: tuple[int, ...]
    body_of_link: NDArray
    first: NDArray
    bases: NDArray
    pitch: NDArray


def layout(model: Model) -> Layout:
    """The layout of a model.

    Raises
    ------
    NotCovered
        If a joint is of a type that the engine does not know, or mimics another one.
    """
    key = []
    for joint in model.joints[1:]:
        if joint.mimic is not None:
            raise NotCovered(f"joint {joint.name!r} mimics {joint.mimic.leader!r}")
        key.append((joint.type, joint.name, bool(joint.armature.any()), bool(joint.stiffness.any())))
    return _layout(tuple(key), model.parent)


@lru_cache(maxsize=256)
def _layout(chain: tuple[tuple[joints.JointType, str, bool, bool], ...], parent: tuple[int, ...]) -> Layout:
    links: list[Link] = []
    link_of_body, frames, welded = [0], [np.eye(4)], []
    body_of_link, first, bases, pitch = [], [], [], []
    nq = nv = 0
    for body, (joint, name, geared, sprung) in enumerate(chain, start=1):
        carrier, basis = link_of_body[parent[body]], np.eye(3)
        for k, piece in enumerate(pieces(joint, name)):
            links.append(Link(_kind(piece, geared, sprung), carrier, nq + piece.q, nv + piece.v))
            carrier = len(links)
            body_of_link.append(body)
            first.append(k == 0)
            bases.append(basis.T @ piece.basis)
            pitch.append(piece.pitch)
            basis = piece.basis
        if joint.nv == 0:
            welded.append(body)
        link_of_body.append(carrier)
        frames.append(np.block([[basis.T, np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]]))
        nq, nv = nq + joint.nq, nv + joint.nv
    return Layout(
        links=tuple(links),
        nq=nq,
        nv=nv,
        link_of_body=np.array(link_of_body),
        frames=np.array(frames),
        welded=tuple(welded),
        body_of_link=np.array(body_of_link, dtype=int),
        first=np.array(first, dtype=bool),
        bases=np.array(bases).reshape(-1, 3, 3),
        pitch=np.array(pitch),
    )


def _kind(piece: Piece, geared: bool, sprung: bool) -> Kind:
    """A spring on a plain joint costs nothing, so it needs no code of its own."""
    return Kind(piece.motion, geared and MOTIONS[piece.motion].nv > 0, sprung or not MOTIONS[piece.motion].curved)


def pack(model: Model, layout: Layout) -> dict[str, NDArray]:
    """The numbers of a model in the arrays that programs read.

    "rows" of the links and "frames" of the bodies as in `rbdkit.engine.steps.trees`; "armature", "damping", "stiffness"
    a velocity, "rest" a coordinate, "gravity", and "fixed_energy", the gravitational energy of what is fixed to the
    world.
    """
    placements = np.array([joint.placement for joint in model.joints])
    frames = layout.frames.copy()
    for body in layout.welded:
        frames[body] = frames[model.parent[body]] @ placements[body]
    parents = np.array(model.parent)
    parents[0] = 0
    rows = np.zeros((len(layout.links) + 1, ROW))
    # place of a link in its parent: the joint's first part stands on a body, the others on the part before
    stand = frames[parents[layout.body_of_link]] @ placements[layout.body_of_link]
    stand = np.where(layout.first[:, None, None], stand, np.eye(4))
    rows[1:, :9] = (stand[:, :3, :3] @ layout.bases).reshape(-1, 9)
    rows[1:, 9:12] = stand[:, :3, 3]
    rows[1:, 22] = layout.pitch
    np.add.at(rows[:, 12:22], layout.link_of_body, _ten_numbers(model, frames))
    return {
        "rows": rows,
        "frames": np.concatenate([frames[:, :3, :3].reshape(-1, 9), frames[:, :3, 3]], axis=1).reshape(-1, FRAME),
        "armature": _by_velocity(model, "armature"),
        "damping": _by_velocity(model, "damping"),
        "stiffness": _by_velocity(model, "stiffness"),
        "rest": np.concatenate([joint.rest for joint in model.joints]),
        "gravity": np.array(model.gravity),
        "fixed_energy": -np.array([model.gravity @ rows[0, 13:16]]),
    }


def _by_velocity(model: Model, name: str) -> NDArray:
    return np.concatenate([getattr(joint, name) for joint in model.joints])


def _ten_numbers(model: Model, frames: NDArray) -> NDArray:
    """(bodies, 10): mass, first moment and inertia about the origin of each body, in the frame of its link."""
    inertias = [body.inertia for body in model.bodies]
    m = np.array([0.0 if I is None else I.mass for I in inertias])
    com = np.array([np.zeros(3) if I is None else I.com for I in inertias])
    about_com = np.array([np.zeros((3, 3)) if I is None else I.inertia_com for I in inertias])
    R = frames[:, :3, :3]
    c = (R @ com[:, :, None])[:, :, 0] + frames[:, :3, 3]
    shift = np.sum(c * c, axis=1)[:, None, None] * np.eye(3) - c[:, :, None] * c[:, None, :]
    I = R @ about_com @ R.transpose(0, 2, 1) + m[:, None, None] * shift
    return np.concatenate([m[:, None], m[:, None] * c, I[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]], axis=1)
