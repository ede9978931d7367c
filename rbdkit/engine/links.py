"""A model as the engine sees it: a chain of links with simple joints about z, and its numbers in arrays.

Bodies on fixed joints become part of the link that carries them. A cylindrical, universal or Euler joint becomes a
chain of joints with one freedom and no mass between them. What depends on numbers only, `pack` does; the rest is the
`Layout`, which models of the same shape share.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

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
    joint = simplified(joint)
    if type(joint).__module__.split(".")[0] != "rbdkit":  # a user's own may override anything
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
        case joints.Prescribed() if not isinstance(simplified(joint.joint), joints.Prescribed):
            return [replace(piece, motion=f"driven_{piece.motion}") for piece in pieces(joint.joint, name)]
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
            yield Piece(piece.motion, piece.basis * (1.0, -1.0, -1.0), piece.q, piece.v, piece.pitch)
        else:
            yield Piece(f"reversed_{piece.motion}_axes", piece.basis, piece.q, piece.v)
            yield Piece(f"reversed_{piece.motion}_pose", piece.basis, piece.q, piece.v)


@dataclass(frozen=True, eq=False)
class Layout:
    """How a model becomes links.

    Attributes
    ----------
    links : without the world; q, v of those that move as time says are places in "driven_q", and in "driven_v" and
        "driven_a". nq, nv : of the model.
    link_of_body : (bodies,) number of the link that each body is fixed to.
    frames : (bodies, 4, 4) pose of each body in its link; for a body on a fixed joint the identity, to be found from
        placements.
    welded : bodies on fixed joints, in order. driven : bodies on joints that move as time says.
    body_of_link : (links,) body whose joint the link is part of. first : whether it is the joint's first part.
    bases : (links, 3, 3) axes of the link in those of its joint, or of the part before it. pitch : (links,).
    """

    links: tuple[Link, ...]
    nq: int
    nv: int
    link_of_body: NDArray
    frames: NDArray
    welded: tuple[int, ...]
    driven: tuple[int, ...]
    body_of_link: NDArray
    first: NDArray
    bases: NDArray
    pitch: NDArray


def layout(model: Model) -> Layout:
    """The layout of a model.

    Raises
    ------
    NotCovered
        If a joint is of a type that the engine does not know.
    """
    geared = {joint.v_slice.start for joint in model.joints if joint.nv and joint.armature.any()}
    chain = []
    for joint in model.joints[1:]:
        leader = None if joint.mimic is None else (joint.q_slice.start, joint.v_slice.start)
        has_rotor = leader is None and joint.nv > 0 and joint.v_slice.start in geared
        kind = simplified(joint.type)
        if isinstance(kind, joints.Prescribed):
            kind = joints.Prescribed(kind.joint, _any_motion)
        chain.append(_Entry(kind, joint.name, has_rotor, bool(joint.stiffness.any()), leader))
    return _layout(tuple(chain), model.parent)


class _Entry(NamedTuple):
    """What a layout depends on in a joint. leader : first coordinate and velocity of the joint that it follows."""

    type: joints.JointType
    name: str
    geared: bool
    sprung: bool
    leader: tuple[int, int] | None


def _any_motion(t: float) -> tuple[NDArray, NDArray, NDArray]:
    """Stands for every motion in time: a layout does not depend on it."""
    raise NotImplementedError


@lru_cache(maxsize=256)
def _layout(chain: tuple[_Entry, ...], parent: tuple[int, ...]) -> Layout:
    links: list[Link] = []
    link_of_body, frames, welded, driven = [0], [np.eye(4)], [], []
    body_of_link, first, bases, pitch = [], [], [], []
    nq = nv = driven_q = driven_v = 0
    for body, (joint, name, geared, sprung, leader) in enumerate(chain, start=1):
        carrier, basis = link_of_body[parent[body]], np.eye(3)
        parts = pieces(joint, name)
        q, v = leader or (nq, nv)
        if isinstance(joint, joints.Prescribed):
            q, v = driven_q, driven_v
            driven_q, driven_v = driven_q + joint.joint.nq, driven_v + joint.joint.nv
            driven.append(body)
        for k, piece in enumerate(parts):
            kind = _kind(piece, geared, sprung, leader is not None)
            links.append(Link(kind, carrier, q + piece.q, v + piece.v))
            carrier = len(links)
            body_of_link.append(body)
            first.append(k == 0)
            bases.append(basis.T @ piece.basis)
            pitch.append(piece.pitch)
            basis = piece.basis
        if not parts:
            welded.append(body)
        link_of_body.append(carrier)
        frames.append(np.block([[basis.T, np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]]))
        if leader is None:
            nq, nv = nq + joint.nq, nv + joint.nv
    return Layout(
        links=tuple(links),
        nq=nq,
        nv=nv,
        link_of_body=np.array(link_of_body),
        frames=np.array(frames),
        welded=tuple(welded),
        driven=tuple(driven),
        body_of_link=np.array(body_of_link, dtype=int),
        first=np.array(first, dtype=bool),
        bases=np.array(bases).reshape(-1, 3, 3),
        pitch=np.array(pitch),
    )


def _kind(piece: Piece, geared: bool, sprung: bool, follows: bool) -> Kind:
    """A spring on a plain joint costs nothing, so it needs no code of its own."""
    motion = MOTIONS[piece.motion]
    return Kind(piece.motion, geared and motion.nv > 0, sprung or not motion.curved, follows)


def numbers_of(model: Model) -> dict[str, NDArray]:
    """The parameters of a model by bodies, coordinates and velocities, whose names are those of `Model.parameters`.

    "placement" (bodies, 4, 4), "mass" (bodies,), "com" (bodies, 3), "inertia" (bodies, 3, 3) about the centre of mass,
    "armature", "damping", "stiffness" (nv,), "rest" (nq,), "gravity" (3,); "held", what is left in springs when all are
    as slack as they can be, J: zero where no joint follows another one.
    """
    inertias = [body.inertia for body in model.bodies]
    return {
        "placement": np.array([joint.placement for joint in model.joints]),
        "mass": np.array([0.0 if I is None else I.mass for I in inertias]),
        "com": np.array([np.zeros(3) if I is None else I.com for I in inertias]),
        "inertia": np.array([np.zeros((3, 3)) if I is None else I.inertia_com for I in inertias]),
        **(_gathered(model) if model.mimics else _joined(model)),
        "gravity": np.array(model.gravity),
    }


def _joined(model: Model) -> dict[str, NDArray]:
    """The numbers of joints one after the other."""
    names = ("armature", "damping", "stiffness", "rest")
    return {name: np.concatenate([getattr(joint, name) for joint in model.joints]) for name in names} | {
        "held": np.zeros(1)
    }


def _gathered(model: Model) -> dict[str, NDArray]:
    """The same where joints follow others: rotors, dampers and springs as the leaders feel them.

    Springs k on joints at ``r q + o`` with rests s act as one: the sum of k (r q + o - s)^2 / 2 is K (q - q_0)^2 / 2
    and a constant, "held".
    """
    armature, damping, stiffness = np.zeros((3, model.nv))
    rest, moment, held = np.zeros(model.nq), np.zeros(model.nq), 0.0
    for joint in model.joints:
        ratio, offset = (1.0, 0.0) if joint.mimic is None else (joint.mimic.multiplier, joint.mimic.offset)
        for total, own in ((armature, joint.armature), (damping, joint.damping), (stiffness, joint.stiffness)):
            total[joint.v_slice] += ratio**2 * own
        if joint.mimic is None:
            rest[joint.q_slice] = joint.rest
        if joint.nq == 1:
            moment[joint.q_slice] += joint.stiffness * ratio * (joint.rest - offset)
    leaders = {model.joint(joint.mimic.leader).name for joint in model.joints if joint.mimic is not None}
    for joint in (model.joint(name) for name in leaders):
        if (K := stiffness[joint.v_slice])[0] > 0.0:
            rest[joint.q_slice] = moment[joint.q_slice] / K
    for joint in model.joints:
        if joint.nq == 1:
            held += 0.5 * float(joint.stiffness[0] * (joint.coordinates(rest) - joint.rest)[0] ** 2)
    return {
        "armature": armature,
        "damping": damping,
        "stiffness": stiffness,
        "rest": rest,
        "held": np.array([held]),
    }


def pack(model: Model, layout: Layout, numbers: Mapping[str, NDArray] | None = None) -> dict[str, NDArray]:
    """The numbers of a model in the arrays that programs read.

    Parameters
    ----------
    numbers : in place of those of the model; arrays of floats, or of floats and symbols.

    Returns
    -------
    "rows" of the links and "frames" of the bodies as in `rbdkit.engine.steps.trees`; "armature", "damping", "stiffness"
    a velocity, "rest" a coordinate, "gravity"; "fixed_energy", the gravitational energy of what is fixed to the world
    and the energy that no motion frees from the springs; "following", ratio and offset of each link.
    """
    given = numbers_of(model) if numbers is None else numbers
    placements, gravity = given["placement"], given["gravity"]
    sort = np.result_type(*given.values())
    frames = layout.frames.astype(sort)
    for body in layout.welded:
        frames[body] = frames[model.parent[body]] @ placements[body]
    parents = np.array(model.parent)
    parents[0] = 0
    rows = np.zeros((len(layout.links) + 1, ROW), dtype=sort)
    # place of a link in its parent: the joint's first part stands on a body, the others on the part before
    stand = frames[parents[layout.body_of_link]] @ placements[layout.body_of_link]
    stand = np.where(layout.first[:, None, None], stand, np.eye(4))
    rows[1:, :9] = (stand[:, :3, :3] @ layout.bases).reshape(-1, 9)
    rows[1:, 9:12] = stand[:, :3, 3]
    rows[1:, 22] = layout.pitch
    np.add.at(rows[:, 12:22], layout.link_of_body, _ten_numbers(given, frames))
    return {
        "rows": rows,
        "frames": np.concatenate([frames[:, :3, :3].reshape(-1, 9), frames[:, :3, 3]], axis=1).reshape(-1, FRAME),
        **{name: given[name] for name in ("armature", "damping", "stiffness", "rest", "gravity")},
        "fixed_energy": np.array([-(gravity @ rows[0, 13:16]), given["held"][0]]),
        "following": _following(model, layout),
    }


def _following(model: Model, layout: Layout) -> NDArray:
    """(links + 1, 2): how the numbers of each link are made from those in the state."""
    following = np.tile([1.0, 0.0], (len(layout.links) + 1, 1))
    if model.mimics:
        for number, body in enumerate(layout.body_of_link, start=1):
            mimic = model.joints[body].mimic
            if mimic is not None:
                following[number] = mimic.multiplier, mimic.offset
    return following


def _ten_numbers(given: Mapping[str, NDArray], frames: NDArray) -> NDArray:
    """(bodies, 10): mass, first moment and inertia about the origin of each body, in the frame of its link."""
    m, R = given["mass"], frames[:, :3, :3]
    c = (R @ given["com"][:, :, None])[:, :, 0] + frames[:, :3, 3]
    shift = np.sum(c * c, axis=1)[:, None, None] * np.eye(3) - c[:, :, None] * c[:, None, :]
    I = R @ given["inertia"] @ R.transpose(0, 2, 1) + m[:, None, None] * shift
    return np.concatenate([m[:, None], m[:, None] * c, I[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]], axis=1)
