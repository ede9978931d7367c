"""The shapes and pairs of a model that may touch, in the arrays and tables that programs read.

A *pair* is two shapes that may touch; each pair has as many *slots* as its kind has possible contact points, and every
row of a unilateral constraint has one more slot. Pairs of one kind are contiguous, so that a program is recorded once
for each kind and loops over its rows: other numbers of shapes need no new code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rbdkit.collision import KINDS, Kind
from rbdkit.engine.contact.branches import branch_tables
from rbdkit.engine.contact.grid import grid_arrays
from rbdkit.engine.contact.stop_rows import stop_arrays, stop_code, stop_rows, stop_tables, velocities_of
from rbdkit.engine.links.layout import Layout
from rbdkit.engine.links.pieces import NotCovered
from rbdkit.engine.rows.of_model import RowsOfModel
from rbdkit.engine.rows.own_constraints import OwnConstraints
from rbdkit.engine.steps.nodes import FRAME
from rbdkit.model import Model
from rbdkit.model.closing.length import length_of
from rbdkit.model.contact_kinds import PairsOfKind, contact_kinds
from rbdkit.model.measures import speed_of

LENGTHS = 12
RADIUS = 15
SHAPE = 16
"""Numbers of a shape in "shapes": its pose in its link (12), lengths (3), and the radius of its bounding ball."""
MANY = (4, 3, 3)
"""Numbers of points from which on they may be redundant: of two bodies, of a flat first shape and a body, and of a flat
second shape and a body. A ball in a corner has three that are not."""
FLAT = ("half-space", "box")
"""Shapes that may have many points with one normal."""
TOUCH = 3
"""Entries of a pair in "pair_shapes": first shape, second shape, and 1 if their branches differ, else 0."""
FAST, LONG = range(2)
"""Places in "measures": a typical speed of the model, m/s, and its characteristic length, m."""
SURFACE = 2
"""Numbers of a pair in "surfaces": coefficients of friction and restitution."""
SKIN = 0.2
"""Extra distance up to which shapes are neighbours, relative to the median bounding radius; with it the list of
neighbours serves many steps."""
SPARE = 64
"""Least length of the contact list."""
CONTACTS_EACH = 24
"""Length of the contact list per shape, if there are as many slots."""


@dataclass(frozen=True, eq=False)
class Scene:
    """Shapes and pairs of a model, as programs read them.

    Attributes
    ----------
    kinds : kinds of shape pairs in the model, for which a program is recorded. stops : writer of the rows of unilateral
        constraints, whose slots follow those of shapes; None if there are none.
    pair, slot, row : for each slot its pair, its number within the pair, and the row of the pair in "pair_shapes" and
        "surfaces".
    sense : for each slot -1 if its first shape is that of the pair's successor, else 1.
    numbers, tables, counts : arrays of floats, index tables and sizes, by name. of_stops : arrays of `stops`.
    room : most contacts of a step.
    """

    kinds: tuple[Kind, ...]
    pair: NDArray
    slot: NDArray
    row: NDArray
    sense: NDArray
    numbers: dict[str, NDArray]
    tables: dict[str, NDArray]
    counts: dict[str, int]
    room: int
    stops: OwnConstraints | None = None
    of_stops: dict[str, NDArray] = field(default_factory=dict)


def scene_of(model: Model, layout: Layout, frames: NDArray, rows: RowsOfModel | None) -> Scene:
    """Collect the contact scene of a model.

    layout : its links. frames : (bodies, 12) poses of the bodies in their links. rows : the constraints of its tree.
    """
    found = contact_kinds(model)
    if found.others:
        names = ", ".join(repr(model.contact_pairs[k].name) for k in found.others[:3])
        raise NotCovered(f"no closed form says where {names} touch")
    if any(link.kind.motion.driver is not None for link in layout.links):
        raise NotCovered("joints move as time says, beside which contacts are not compiled")
    pairs_of = _in_order(model)
    for own in pairs_of:
        if own.kind.first == "half-space" and np.any(layout.link_of_body[own.body_first]):
            raise NotCovered("a half-space moves, whose contacts are not compiled")
    recorded = stop_rows(model)
    code = None if recorded is None else stop_code(recorded, layout)
    of_rows = [] if code is None else velocities_of(code, layout)
    branches = branch_tables(layout, [*([] if rows is None else rows.held), *(own for own in of_rows if own)])
    shapes, ends = _shapes(frames.reshape(-1, FRAME), pairs_of)
    link = layout.link_of_body[shapes[:, 0].astype(int)]
    branch = branches["branch_of_link"][link]
    pairs = [np.stack([a, b, branch[a] != branch[b]], axis=1) for a, b in ends]
    slots = [np.repeat(np.arange(len(own.pair)), own.kind.slots) for own in pairs_of]
    n_slots = sum(map(len, slots))
    counts = {"n_shapes": len(shapes), "n_slots": n_slots, "first_stop": n_slots}
    counts["contact_room"] = _room(n_slots, len(shapes)) + len(of_rows)
    pair = slot = 0
    for own, of_kind in zip(pairs_of, slots, strict=True):
        name = name_of(own.kind)
        counts |= {f"first_{name}": pair, f"end_{name}": pair + len(own.pair), f"slot_{name}": slot}
        pair, slot = pair + len(own.pair), slot + len(of_kind)
    flat = [own.kind.first == "half-space" for own in pairs_of]
    bounds = [(counts[f"first_{name_of(own.kind)}"], counts[f"end_{name_of(own.kind)}"]) for own in pairs_of]
    touching = np.concatenate([np.zeros((0, TOUCH), dtype=np.int64), *pairs]).astype(np.int64)
    grid, singly = grid_arrays(touching[:, :2], len(shapes), [(*x, y) for x, y in zip(bounds, flat, strict=True)])
    counts |= {f"singly_{name_of(own.kind)}": end for own, end in zip(pairs_of, singly, strict=True)}
    counts["n_places"] = len(branches["velocity_at"])
    if code is not None:
        counts |= {"n_stops": len(of_rows), "stops_row": 0, "stops_wrench": 0, "stops_path": 0}
    # the inverse of "grid_chains" = 2 n + 1
    counts["n_gridded"] = round(0.5 * (float(grid["grid_chains"][0]) - 1.0))
    radii = shapes[shapes[:, 1 + RADIUS] > 0.0, 1 + RADIUS]
    number = pairs_in_order(model)
    materials = [x.material for x in model.contact_pairs]
    surfaces = np.array([[x.friction, x.restitution] for x in materials], dtype=float).reshape(-1, SURFACE)
    each = [(own, of_kind) for own, of_kind in zip(pairs_of, slots, strict=True)]
    stop_pair, stop_slot = _slots_of_stops(code, len(materials))
    flat_rows = [np.repeat(np.arange(*bound), own.kind.slots) for own, bound in zip(pairs_of, bounds, strict=True)]
    row = _joined([*flat_rows, np.zeros_like(stop_slot)])
    flat_ends = [np.tile([end in FLAT for end in (own.kind.first, own.kind.second)], (len(k), 1)) for own, k in each]
    couples, counts["couples_of_many"] = _couples(
        touching[row[:n_slots], :2], np.concatenate([np.zeros((0, 2), dtype=bool), *flat_ends]), link, len(stop_slot)
    )
    counts["couples_of_many"] += _mixed(touching[row[:n_slots], :2], surfaces[number][row[:n_slots], 0], link)
    return Scene(
        tuple(own.kind for own in pairs_of),
        _joined([*(own.pair[k] for own, k in each), stop_pair]),
        _joined([*(own.slot[k] + np.arange(len(k)) % own.kind.slots for own, k in each), stop_slot]),
        row,
        _joined([*(np.where(own.turned[k], -1, 1) for own, k in each), np.ones_like(stop_slot)]),
        {
            **grid,
            "shapes": np.ascontiguousarray(shapes[:, 1:]),
            "surfaces": surfaces[number],
            "measures": np.array([speed_of(model), length_of(model)]),
            "shape_skin": np.array([SKIN * np.median(radii) if len(radii) else 0.0]),
        },
        {
            "pair_shapes": touching,
            "shape_link": link.astype(np.int64),
            "couples_of_slot": couples,
            **branches,
            **({} if code is None else stop_tables(code, branches, of_rows)),
        },
        counts,
        counts["contact_room"],
        code,
        {} if code is None else stop_arrays(code, counts["n_places"], length_of(model)),
    )


def pairs_in_order(model: Model) -> NDArray:
    """Return for each row of "pair_shapes" and "surfaces" its index in `Model.contact_pairs`."""
    return _joined([own.pair for own in _in_order(model)])


def _in_order(model: Model) -> list[PairsOfKind]:
    return sorted(contact_kinds(model).kinds, key=lambda own: KINDS.index(own.kind))


def _joined(parts: Sequence[NDArray]) -> NDArray:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])


def _couples(shapes: NDArray, flat: NDArray, link: NDArray, stops: int) -> tuple[NDArray, int]:
    """Return three couple numbers for each slot, see `MANY`, and the number of couples with many slots.

    A couple is two bodies, or a flat shape and a body: what may have redundant contact points with each other. flat :
    (slots, 2) whether each shape of a slot is flat. stops : rows of unilateral constraints, each a couple of its own.
    """
    a, b = shapes[:, 0], shapes[:, 1]
    # a number of its own for each slot without a flat shape, so that it counts for itself
    alone = -1 - np.arange(len(shapes))
    pairs = [np.sort(link[shapes], axis=1)]
    for k, (shape, other) in enumerate(((a, b), (b, a))):
        pairs.append(np.stack([np.where(flat[:, k], shape, alone), link[other]], axis=1))
    found, first, many = [], 0, 0
    for own, enough in zip(pairs, MANY, strict=True):
        _, numbers, counted = np.unique(own, axis=0, return_inverse=True, return_counts=True)
        found.append(first + np.concatenate([numbers.reshape(-1), len(counted) + np.arange(stops)]))
        first, many = first + len(counted) + stops, many + int((counted >= enough).sum())
    return np.stack(found, axis=1).astype(np.int64).ravel(), many


def _mixed(shapes: NDArray, friction: NDArray, link: NDArray) -> int:
    """Return the number of couples of bodies whose slots differ in their coefficients of friction."""
    kinds = np.unique(np.column_stack([np.sort(link[shapes], axis=1), friction]), axis=0)
    return len(kinds) - len(np.unique(kinds[:, :2], axis=0))


def _slots_of_stops(code: OwnConstraints | None, first: int) -> tuple[NDArray, NDArray]:
    """Return each unilateral row's constraint, counted from `first`, and its number within that constraint."""
    rows = () if code is None else code.rows.rows
    names = list(dict.fromkeys(row.constraint for row in rows))
    pair = np.array([names.index(row.constraint) for row in rows], dtype=np.int64)
    return first + pair, np.arange(len(pair)) - np.searchsorted(pair, pair)


def _room(slots: int, shapes: int) -> int:
    return min(slots, max(SPARE, CONTACTS_EACH * shapes))


def _shapes(frames: NDArray, rows: Sequence[PairsOfKind]) -> tuple[NDArray, list[tuple[NDArray, NDArray]]]:
    """Body and numbers of each shape, (shapes, 1 + SHAPE), and for the rows of each kind the numbers of both shapes."""
    given = []
    for own in rows:
        for end in ("first", "second"):
            body = getattr(own, f"body_{end}")
            placement, lengths, radius = (getattr(own, f"{name}_{end}") for name in ("placement", "lengths", "radius"))
            numbers = np.zeros((len(body), 1 + SHAPE))
            numbers[:, 0] = body
            R, p = frames[body, :9].reshape(-1, 3, 3), frames[body, 9:]
            numbers[:, 1:10] = (R @ placement[:, :3, :3]).reshape(-1, 9)
            numbers[:, 10:13] = p + np.einsum("kij,kj->ki", R, placement[:, :3, 3])
            numbers[:, 13 : 13 + lengths.shape[1]] = lengths
            # half-spaces have no bounding ball
            numbers[:, 1 + RADIUS] = np.where(np.isfinite(radius), radius, 0.0)
            given.append(numbers)
    # a shape that is in many pairs is stored once
    shapes, place = np.unique(np.concatenate([np.zeros((0, 1 + SHAPE)), *given]), axis=0, return_inverse=True)
    ends = np.split(np.ravel(place), np.cumsum([len(x) for x in given])[:-1]) if given else []
    return shapes, [(ends[2 * k], ends[2 * k + 1]) for k in range(len(rows))]


def name_of(kind: Kind) -> str:
    """Return the name of a kind as it stands in the names of counts."""
    return f"{kind.first}_{kind.second}".replace("-", "_")
