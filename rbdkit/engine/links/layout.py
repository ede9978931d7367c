"""The links that a model becomes: all of its structure, and nothing of its numbers.

A body becomes one link, or several if its joint is a chain of simple joints, or none if the joint is fixed: then it
moves with the link that carries it. Links have kinds (`rbdkit.engine.steps.nodes.Kind`); code is compiled per set of
kinds, and the numbers and the topology are its inputs.

Models of the same shape share one layout (`lru_cache`), so changing a parameter costs no new one. A layout with users'
own joints is not cached here: such joints may compare equal and be different, so it has a guard and lives as long as
the kernels of its model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from operator import add
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit import joints
from rbdkit.engine.links.clustered import clustered
from rbdkit.engine.links.pieces import chain_of
from rbdkit.engine.steps.motions import motion_of
from rbdkit.engine.steps.nodes import Kind, Link
from rbdkit.joints.piece import Piece
from rbdkit.model import Model

if TYPE_CHECKING:
    from rbdkit.trace import Guard


@dataclass(frozen=True, eq=False)
class Layout:
    """How the bodies and joints of a model become links.

    Attributes
    ----------
    links : without the world, breadth first; q, v of prescribed joints are places in "driven_q", and in "driven_v" and
        "driven_a". nq, nv : of the model.
    link_of_body : (bodies,) number of the link that each body is fixed to.
    frames : (bodies, 4, 4) pose of each body in its link; for a body on a fixed joint the identity, to be computed from
        placements.
    welded : bodies on fixed joints, in order. driven : bodies on prescribed joints.
    body_of_link : (links,) body whose joint the link is part of. first : whether it is the joint's first part.
    bases : (links, 3, 3) axes of the link in those of its joint, or of the part before it.
    numbers : (links, most) numbers of the formulas of the link's joint, padded with zeros.
    ratio : (links,) displacement of the link's joint per unit of its coordinate; 1 unless they share one.
    uses : guard of what users' own functions depend on; if that changes, the layout is invalid. None without any.
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
    numbers: NDArray
    ratio: NDArray
    uses: Guard | None = None


def layout(model: Model) -> Layout:
    """Return the layout of a model.

    Raises
    ------
    NotCovered
        If a joint is of a type that the engine does not know.
    """
    # rotors of mimic joints have been merged into those of their masters
    geared = {joint.v_slice.start for joint in model.joints if joint.nv and joint.armature.any()}
    chain, uses = [], []
    for joint in model.joints[1:]:
        leader = None if joint.mimic is None else (joint.q_slice.start, joint.v_slice.start)
        has_rotor = leader is None and joint.nv > 0 and joint.v_slice.start in geared
        kind = joint.type.simplified()
        if type(kind) is joints.Prescribed:
            # a layout does not depend on the motion, and must be found again for another one
            kind = joints.Prescribed(kind.joint, _any_motion)
        if _of_users(kind):
            uses += chain_of(kind, joint.name)[1]
        chain.append(_Entry(kind, joint.name, has_rotor, bool(joint.stiffness.any()), leader))
    if not uses:
        return _layout(tuple(chain), model.parent)
    # uncached, as users' own joints may compare equal and be different
    return replace(_layout.__wrapped__(tuple(chain), model.parent), uses=reduce(add, uses))


class _Entry(NamedTuple):
    """Properties of a joint that a layout depends on. leader : first coordinate and velocity of its master."""

    type: joints.JointType
    name: str
    geared: bool
    sprung: bool
    leader: tuple[int, int] | None


def _of_users(joint: joints.JointType) -> bool:
    """Return whether a joint type is a user's own, or contains one."""
    inside = (x for x in vars(joint).values() if isinstance(x, joints.JointType))
    return joint.is_users_own or any(map(_of_users, inside))


def _any_motion(t: float) -> tuple[NDArray, NDArray, NDArray]:
    """Stand-in for every prescribed motion: a layout does not depend on it."""
    raise NotImplementedError


@lru_cache(maxsize=256)
def _layout(chain: tuple[_Entry, ...], parent: tuple[int, ...]) -> Layout:
    links: list[Link] = []
    frames, link_of_body = [np.eye(4)] * (len(chain) + 1), [0] * (len(chain) + 1)
    welded, driven = [], []
    body_of_link, first, bases, numbers, ratio = [], [], [], [], []
    places = _places(chain)
    for body in _breadth_first(parent):
        joint, name, geared, sprung, leader = chain[body - 1]
        carrier, basis = link_of_body[parent[body]], np.eye(3)
        parts, _ = chain_of(joint, name)
        q, v = places[body - 1]
        if type(joint) is joints.Prescribed:
            driven.append(body)
        for k, piece in enumerate(parts):
            kind = _kind(piece, geared, sprung, leader is not None)
            links.append(Link(kind, carrier, q + piece.q, v + piece.v))
            carrier = len(links)
            body_of_link.append(body)
            first.append(k == 0)
            # relative to the axes of the part before, in which its pose is
            bases.append(basis.T @ piece.basis)
            numbers.append(piece.numbers)
            ratio.append(1.0 if piece.ratio is None else piece.ratio)
            basis = piece.basis
        if not parts:
            welded.append(body)
        link_of_body[body] = carrier
        frames[body] = np.block([[basis.T, np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])
    nq, nv = (sum(numbers) for numbers in zip(*(_own(entry) for entry in chain), strict=True)) if chain else (0, 0)
    return Layout(
        links=clustered(links),
        nq=nq,
        nv=nv,
        link_of_body=np.array(link_of_body),
        frames=np.array(frames),
        welded=tuple(welded),
        driven=tuple(sorted(driven)),
        body_of_link=np.array(body_of_link, dtype=int),
        first=np.array(first, dtype=bool),
        bases=np.array(bases).reshape(-1, 3, 3),
        numbers=_in_rows(numbers),
        ratio=np.array(ratio),
    )


def _kind(piece: Piece, geared: bool, sprung: bool, follows: bool) -> Kind:
    """Return the kind of a link. A spring on a plain joint costs nothing, so all plain joints count as sprung."""
    motion, shares = motion_of(piece.motion), piece.ratio is not None
    geared = geared and motion.nv > 0 and not shares
    return Kind(motion, geared, sprung or not motion.curved, follows or shares)


def _in_rows(numbers: list[tuple[float, ...]]) -> NDArray:
    """Return the lists as rows of a matrix, padded with zeros."""
    rows = np.zeros((len(numbers), max(map(len, numbers), default=0)))
    for row, own in zip(rows, numbers, strict=True):
        row[: len(own)] = own
    return rows


def _places(chain: tuple[_Entry, ...]) -> list[tuple[int, int]]:
    """Return where the numbers of each joint begin, in the state, or among those of prescribed joints."""
    found, own, driven = [], (0, 0), (0, 0)
    for entry in chain:
        if type(entry.type) is joints.Prescribed:
            found.append(driven)
            driven = driven[0] + entry.type.joint.nq, driven[1] + entry.type.joint.nv
        else:
            found.append(entry.leader or own)
        own = own[0] + _own(entry)[0], own[1] + _own(entry)[1]
    return found


def _own(entry: _Entry) -> tuple[int, int]:
    """Return how many coordinates and velocities of the state belong to a joint alone."""
    return (entry.type.nq, entry.type.nv) if entry.leader is None else (0, 0)


def _breadth_first(parent: tuple[int, ...]) -> list[int]:
    """Return the bodies breadth first, so that consecutive ones are independent and the processor can overlap them."""
    depth = [0]
    for above in parent[1:]:
        depth.append(depth[above] + 1)
    # a stable sort: bodies of one depth stay in order
    return sorted(range(1, len(parent)), key=depth.__getitem__)
