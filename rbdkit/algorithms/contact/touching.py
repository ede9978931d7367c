"""Contacts between the shapes of a model: a broad phase by bounding spheres, then closest points.

Pairs of the same kind (sphere and box, say) are evaluated together as arrays, in closed form and with exact rates. All
other pairs are convex and go to the package coal one by one; their normal's rate is a difference.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.contact.point_contact import PointContact
from rbdkit.algorithms.kinematics import forward_kinematics, in_world
from rbdkit.collision import FAR, Slots, poses_of, with_rates
from rbdkit.errors import StateError
from rbdkit.model import Model
from rbdkit.model.contact_kinds import PairsOfKind, contact_kinds
from rbdkit.model.convex_pair import ConvexPair, convex_pairs
from rbdkit.model.material import Material
from rbdkit.model.requirements import require_model
from rbdkit.spatial import se3
from rbdkit.spatial.read_numbers import number

TURN = 1e-4
"""Displacement, rad or m, for the finite difference of the normal of a pair without a closed form."""


@dataclass(frozen=True, eq=False)
class PairContact(PointContact):
    """Contact of a pair of a model's shapes in one state, closed or within the margin.

    The point lies midway between both surfaces. A pair that can touch at several points has a contact for each, such as
    'ground/box#3'.

    Parameters
    ----------
    pair : int
        Index of the pair in `Model.contact_pairs`.
    slot : int
        Index of the contact point within the pair.
    material : Material
        Combined material of both surfaces.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("drop")
    >>> drop = rbd.Inertia.sphere(0.1, mass=1.0)
    >>> ball = model.add_body("ball", joint=rbd.Free(), inertia=drop, geometry=rbd.Sphere(0.1))
    >>> ground = model.add_ground(friction=0.5)
    >>> (touch,) = rbd.contacts(model, model.neutral())
    >>> touch.name, touch.pair, touch.material.friction
    ('ground/ball', 0, 0.5)
    """

    pair: int = -1
    slot: int = 0
    material: Material = field(default_factory=Material)


def contacts(
    model: Model, q: ArrayLike, v: ArrayLike | None = None, *, margin: float = 0.0, t: float = 0.0
) -> list[PairContact]:
    """Return the contacts between the shapes of a model in a state: gap, point, normal, and rates of point and normal.

    Half-spaces with all shapes, balls with most, capsules and boxes with each other have closed forms with exact rates.
    A mesh is replaced by its convex hull. All other pairs use the package coal (``pip install rbdkit[contact]``):
    accurate to its iterations, about 1e-6 m for round shapes, and with rates to two or three digits.

    Parameters
    ----------
    model : Model
        With `Model.add_ground`, `Model.add_contact` or `Model.add_contacts`.
    q : array_like (nq,)
        Coordinates, rad and m.
    v : array_like (nv,), optional
        Velocities; zero if not given.
    margin : float, optional
        Largest gap of a reported contact, m; 0 for those that touch or overlap.
    t : float, optional
        Time of the state, s; for prescribed joints.

    Returns
    -------
    list of PairContact
        In the order of `Model.contact_pairs`; `phi` is the gap, negative where shapes overlap.

    Raises
    ------
    ModelError
        If a pair needs the package coal and it is not installed; or if the file of a mesh does not exist.
    StateError
        If the state does not fit the model, or the margin is negative.

    Examples
    --------
    A box of 0.2 m that stands a bit too deep in the ground:

    >>> import rbdkit as rbd
    >>> model = rbd.Model("box")
    >>> solid = rbd.Inertia.box((0.2, 0.2, 0.2), mass=1.0)
    >>> box = model.add_body("box", joint=rbd.Free(), inertia=solid, geometry=rbd.Box([0.2, 0.2, 0.2]))
    >>> ground = model.add_ground()
    >>> found = rbd.contacts(model, [1, 0, 0, 0, 0, 0, 0.09])
    >>> [(touch.name, round(touch.phi, 9)) for touch in found]
    [('ground/box#1', -0.01), ('ground/box#3', -0.01), ('ground/box#5', -0.01), ('ground/box#7', -0.01)]
    """
    require_model(model)
    q = _one(model.check_q(q), "q")
    v = np.zeros(model.nv) if v is None else _one(model.check_v(v), "v")
    reach = number(margin, "margin must be a finite number of m, not {}".format, StateError)
    if not 0.0 <= reach < FAR:
        raise StateError(f"margin {margin} must not be negative, m")
    if not model.contact_pairs:
        return []
    all_kinds, others = contact_kinds(model), convex_pairs(model)
    kinematics = forward_kinematics(model, q, v, t=t)
    assert kinematics.velocities is not None
    twists = in_world(kinematics.poses, kinematics.velocities)
    found = []
    for kind in all_kinds.kinds:
        found += _of_kind(model, kind, all_kinds.slots, kinematics.poses, twists, reach)
    for k, convex in others.items():
        found += _of_convex(model, k, convex, kinematics.poses, twists, reach)
    return sorted(found, key=lambda contact: (contact.pair, contact.slot))


class NearPlaces(NamedTuple):
    """Contact points between shapes of a model that are closer than a margin, as arrays.

    Attributes
    ----------
    pair, slot : (m,) index in `Model.contact_pairs` and of the point within the pair; sorted by these.
    gap : (m,) m. point, normal : (m, 3) as in `PairContact`.
    """

    pair: NDArray
    slot: NDArray
    gap: NDArray
    point: NDArray
    normal: NDArray


def near_places(model: Model, poses: NDArray, margin: float) -> NearPlaces:
    """Return the points of `contacts` as arrays and without rates, for contact laws that need none.

    Parameters
    ----------
    poses : ndarray (n, 4, 4)
        Poses of the bodies in the world.
    margin : float
        Largest gap, m, as in `contacts`.

    Raises
    ------
    ModelError, StateError
        As in `contacts`.
    """
    empty = NearPlaces(np.zeros(0, int), np.zeros(0, int), np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3)))
    found = [empty]
    for kind in contact_kinds(model).kinds:
        rows, places, close = _close(kind, poses, margin)
        k, i = np.nonzero(close)
        sense = np.where(kind.turned[rows[i]], -1.0, 1.0)[:, None]
        point, normal = (np.moveaxis(x, 1, -1)[k, i] for x in (places.point, places.normal))
        gap = np.asarray(places.gap)[k, i]
        found.append(NearPlaces(kind.pair[rows[i]], kind.slot[rows[i]] + k, gap, point, sense * normal))
    for number_of_pair, convex in convex_pairs(model).items():
        gaps, points, n = convex.places(*_shape_poses(model, number_of_pair, poses), margin)
        m = len(gaps)
        found.append(NearPlaces(np.full(m, number_of_pair), np.arange(m), gaps, points, np.tile(n, (m, 1))))
    together = [np.concatenate(parts) for parts in zip(*found, strict=True)]
    order = np.lexsort((together[1], together[0]))
    return NearPlaces(*(part[order] for part in together))


def near(kind: PairsOfKind, first: NDArray, second: NDArray, margin: float) -> NDArray:
    """Broad phase: return the indices of rows whose bounding spheres are closer than a margin.

    Parameters
    ----------
    first, second : (m, 4, 4) poses of the shapes in the world.
    """
    apart = second[:, :3, 3] - first[:, :3, 3]
    if kind.kind.first == "half-space":  # unbounded, so take the distance from its plane
        distance = np.einsum("mi,mi->m", first[:, :3, 2], apart)
        return np.flatnonzero(distance <= kind.radius_second + margin)
    reach = kind.radius_first + kind.radius_second + margin
    return np.flatnonzero(np.einsum("mi,mi->m", apart, apart) <= reach * reach)


def _close(kind: PairsOfKind, poses: NDArray, margin: float) -> tuple[NDArray, Slots, NDArray]:
    """Return the candidate rows of a kind, their contact points, and which are within the margin, (k, rows)."""
    first, second = poses[kind.body_first] @ kind.placement_first, poses[kind.body_second] @ kind.placement_second
    rows = near(kind, first, second, margin)
    places = kind.kind.function(
        poses_of(first[rows]), kind.lengths_first[rows].T, poses_of(second[rows]), kind.lengths_second[rows].T
    )
    return rows, places, np.asarray(places.gap) <= margin


def _of_kind(
    model: Model, kind: PairsOfKind, slots: NDArray, poses: NDArray, twists: NDArray, margin: float
) -> list[PairContact]:
    """Return the contacts among pairs of one kind."""
    rows, _, close = _close(kind, poses, margin)
    touching = np.flatnonzero(close.any(axis=0))
    own = rows[touching]
    a, b = kind.body_first[own], kind.body_second[own]
    motions_first = _motions(poses[a] @ kind.placement_first[own], twists[a])
    motions_second = _motions(poses[b] @ kind.placement_second[own], twists[b])
    found = []
    for i, row, motion_first, motion_second in zip(touching, own, motions_first, motions_second, strict=True):
        moving = with_rates(kind.kind)(motion_first, motion_second, kind.lengths_first[row], kind.lengths_second[row])
        number_of_pair = int(kind.pair[row])
        pair = model.contact_pairs[number_of_pair]
        sense = -1.0 if kind.turned[row] else 1.0
        for k in np.flatnonzero(close[:, i]):
            slot = int(kind.slot[row] + k)
            name = pair.name if slots[number_of_pair] == 1 else f"{pair.name}#{slot}"
            (gap, *numbers), (_, *rates) = moving[k].tolist()
            found.append(
                PairContact(
                    name, pair.predecessor, pair.successor,
                    np.array(numbers[:3]), sense * np.array(numbers[3:]),
                    np.array(rates[:3]), sense * np.array(rates[3:]),
                    gap, number_of_pair, slot, pair.material,
                )
            )  # fmt: skip
    return found


def _of_convex(
    model: Model, number_of_pair: int, convex: ConvexPair, poses: NDArray, twists: NDArray, margin: float
) -> list[PairContact]:
    """Return the contacts of a pair without a closed form.

    The rate of the normal is a central difference, and the points move with the mean twist of both bodies: the
    iteration provides no better rates.
    """
    pair = model.contact_pairs[number_of_pair]
    bodies = [model.body(name).index for name in (pair.predecessor, pair.successor)]
    first, second = _shape_poses(model, number_of_pair, poses)
    gaps, points, n = convex.places(first, second, margin)
    if len(gaps) == 0:
        return []
    v_first, v_second = twists[bodies]
    fastest = float(max(map(np.linalg.norm, (v_second - v_first, v_first[:3], v_second[:3]))))
    n_rate = np.zeros(3)
    if fastest > 0.0:
        h = TURN / fastest
        before, after = (
            convex.places(_moved(first, v_first, s), _moved(second, v_second, s), margin + convex.reach)[2]
            for s in (-h, h)
        )
        n_rate = (after - before) / (2.0 * h)
        n_rate -= n * (n @ n_rate)
    mean = 0.5 * (v_first + v_second)
    return [
        PairContact(
            f"{pair.name}#{k}", pair.predecessor, pair.successor, point, n,
            mean[3:] + np.cross(mean[:3], point), n_rate, float(gap), number_of_pair, k, pair.material,
        )
        for k, (gap, point) in enumerate(zip(gaps, points, strict=True))
    ]  # fmt: skip


def _shape_poses(model: Model, number_of_pair: int, poses: NDArray) -> tuple[NDArray, NDArray]:
    """Return the world poses of the two shapes of a pair."""
    pair = model.contact_pairs[number_of_pair]
    p, s = (model.body(name).index for name in (pair.predecessor, pair.successor))
    return poses[p] @ pair.shape_p.placement, poses[s] @ pair.shape_s.placement


def _moved(pose: NDArray, twist: NDArray, time: float) -> NDArray:
    """Return a pose after some time under a constant twist in world coordinates."""
    return se3.exp(time * twist) @ pose


def _motions(poses: NDArray, twists: NDArray) -> NDArray:
    """Return pose and velocity of shapes, (m, 18). poses : (m, 4, 4) in the world. twists : (m, 6) about its origin."""
    p, w = poses[:, :3, 3], twists[:, :3]
    return np.concatenate([poses[:, :3, :3].reshape(-1, 9), p, w, twists[:, 3:] + np.cross(w, p)], axis=1)


def _one(vector: NDArray, name: str) -> NDArray:
    if vector.ndim != 1:
        raise StateError(f"{name} has shape {vector.shape}, but contacts are those of one state; ask for one at a time")
    return vector
