"""Recorded contacts of a motion: points, normals, gaps and forces in each state, and events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import SimulationError
from rbdkit.model.numbering import did_you_mean
from rbdkit.spatial.read_numbers import shown

if TYPE_CHECKING:
    from rbdkit.laws.determined import Determined

LOOKS = 17
"""Number of states in which `open_shares` looks for indeterminate forces."""
KINDS = ("impact", "gain", "loss", "stick", "slip", "chatter")
"""Kinds of events: an impact, contact without impact, loss of contact, end of sliding, begin of sliding, and events in
too fast succession to be resolved."""


@dataclass(frozen=True)
class ContactEvent:
    """A contact event: an impact, a contact gained or lost, a change between sticking and sliding.

    Attributes
    ----------
    t : float
        Time, s.
    kind : str
        'impact', 'gain', 'loss', 'stick', 'slip' or 'chatter'.
    names : tuple of str
        Names of the pairs involved.
    impulse : float
        Sum of the normal impulses, in `unit`; 0 without an impact.
    note : str
        A remark in words, or empty.
    unit : str
        'N s', or 'N m s' where a constraint on an angle stops.
    """

    t: float
    kind: str
    names: tuple[str, ...]
    impulse: float = 0.0
    note: str = ""
    unit: str = "N s"

    def __str__(self) -> str:
        blow = f", {self.impulse:.4g} {self.unit}" if self.impulse else ""
        note = f" ({self.note})" if self.note else ""
        return f"{self.t:.6g} s: {self.kind} of {', '.join(self.names)}{blow}{note}"


@dataclass(frozen=True, eq=False)
class TouchingPoint:
    """One contact point of one state.

    Attributes
    ----------
    name : str
        Name of the pair that touches.
    point, normal : ndarray (3,)
        Position, m, and unit normal in world axes; the normal points from predecessor to successor.
    gap : float
        Signed distance, m; negative if the shapes overlap.
    force : ndarray (3,)
        Force on the successor, in world axes, N.
    indeterminate : bool
        Whether the motion does not determine this force: other points could carry some of it.
    """

    name: str
    point: NDArray
    normal: NDArray
    gap: float
    force: NDArray
    indeterminate: bool = False


@dataclass(frozen=True, eq=False)
class ContactRecord:
    """The contact points in all states of a motion, with the forces there.

    The points of state k are rows ``offsets[k]`` to ``offsets[k + 1]`` of the arrays. In time stepping a force is the
    mean over the step that begins in the state: its impulse divided by the step. At redundant points, as under a table
    with four legs, rigid bodies do not determine the shares: the record gives the smallest forces with the same effect
    that lie in their friction cones, and `indeterminate` marks them.

    Attributes
    ----------
    names : tuple of str
        Names of the pairs that can touch.
    t : ndarray (n,)
        Times of the states, s.
    offsets : ndarray (n + 1,) of int
        First row of each state.
    pair : ndarray (m,) of int
        Pair of each row, as an index into `names`.
    point, normal : ndarray (m, 3)
        Points, m, and unit normals in world axes; normals point from predecessor to successor.
    gap : ndarray (m,)
        Signed distances, m.
    force : ndarray (m, 3)
        Forces on the successors, in world axes, N.
    lost : ndarray (n,)
        Energy that contacts took until each state, by impacts and friction, J; zeros if not given. Energy stored in
        compliant surfaces counts as taken until it is returned.
    stops : tuple of str
        Names of the unilateral constraints of the model; none if not given.
    push : ndarray (n, stops)
        Force of each of these in each state, N, or N m if its gap is an angle, a mean like `force`; zeros if not given.
    motion : Determined, optional
        Decides which forces are determinate; None if all are, as with compliant surfaces.
    driven : ndarray (n,)
        Energy that prescribed joints brought in through contacts until each state, J; zeros if not given.

    Raises
    ------
    SimulationError
        If the arrays do not fit together.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.laws import ContactRecord
    >>> up, weight = np.array([[0.0, 0.0, 1.0]]), np.array([[0.0, 0.0, 9.81]])
    >>> record = ContactRecord(("ground/ball",), [0.0, 0.1], [0, 0, 1], [0], np.zeros((1, 3)), up, [0.0], weight)
    >>> record.at(0), record.at(1)[0].name
    ([], 'ground/ball')
    >>> record.normal_force("ground/ball").tolist()
    [0.0, 9.81]
    """

    names: tuple[str, ...]
    t: NDArray
    offsets: NDArray
    pair: NDArray
    point: NDArray
    normal: NDArray
    gap: NDArray
    force: NDArray
    lost: NDArray = field(default_factory=lambda: np.zeros(0))
    stops: tuple[str, ...] = ()
    push: NDArray = field(default_factory=lambda: np.zeros((0, 0)))
    driven: NDArray = field(default_factory=lambda: np.zeros(0))
    motion: Determined | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name in ("lost", "driven"):
            if not len(getattr(self, name)):
                object.__setattr__(self, name, np.zeros(len(self.t)))
        if not np.size(self.__dict__["push"]):
            object.__setattr__(self, "push", np.zeros((len(self.t), len(self.stops))))
        numbers = {"t": float, "offsets": int, "pair": int}
        for name in ("t", "offsets", "pair", "point", "normal", "gap", "force", "lost", "push", "driven"):
            object.__setattr__(self, name, np.asarray(self.__dict__[name], dtype=numbers.get(name, float)))
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "stops", tuple(self.stops))
        n, m = len(self.t), len(self.pair)
        shapes = {"offsets": (n + 1,), "point": (m, 3), "normal": (m, 3), "gap": (m,), "force": (m, 3), "lost": (n,)}
        shapes |= {"push": (n, len(self.stops)), "driven": (n,)}
        for name, shape in shapes.items():
            if self.__dict__[name].shape != shape:
                raise SimulationError(f"{name} of a contact record has shape {self.__dict__[name].shape}, not {shape}")
        ends = self.offsets
        if ends[0] != 0 or ends[-1] != m or (np.diff(ends) < 0).any():
            raise SimulationError(f"offsets {shown(ends)} of a contact record must rise from 0 to {m}")
        if m and not (self.pair.min() >= 0 and self.pair.max() < len(self.names)):
            raise SimulationError(
                f"pairs {shown(self.pair)} of a contact record must be numbers below {len(self.names)}"
            )

    def __len__(self) -> int:
        return len(self.t)

    def at(self, k: int) -> list[TouchingPoint]:
        """Return the points of state k; negative numbers count from the end."""
        k = range(len(self))[k]
        rows = range(self.offsets[k], self.offsets[k + 1])
        return [
            TouchingPoint(
                self.names[self.pair[i]], self.point[i], self.normal[i], float(self.gap[i]), self.force[i],
                bool(self.indeterminate[i]),
            )
            for i in rows
        ]  # fmt: skip

    @property
    def indeterminate(self) -> NDArray:
        """Whether each force is indeterminate, (m,) of bool."""
        return self._found[1]

    @property
    def indeterminate_sums(self) -> tuple[str, ...]:
        """Names of pairs and unilateral constraints whose sum of normal forces is indeterminate."""
        return self._found[2]

    @cached_property
    def _found(self) -> tuple[NDArray, NDArray, tuple[str, ...], NDArray]:
        """Smallest equivalent forces, which are indeterminate, pairs of indeterminate sums, forces of constraints."""
        force, open_, pairs = np.array(self.__dict__["force"]), np.zeros(len(self.pair), dtype=bool), set[int]()
        push = np.array(self.__dict__["push"])
        for k in range(len(self)) if self.motion is not None else ():
            rows = slice(self.offsets[k], self.offsets[k + 1])
            found, free, more = self._determined(k)
            m = len(found) - push.shape[1]
            force[rows], open_[rows], push[k] = found[:m], free[:m], found[m:, 2]
            pairs |= more
        return force, open_, tuple(name for p, name in enumerate((*self.names, *self.stops)) if p in pairs), push

    def _determined(self, k: int) -> tuple[NDArray, NDArray, set[int]]:
        """Return the smallest equivalent forces of state k and which are indeterminate, see `Determined.of`."""
        assert self.motion is not None
        rows = slice(self.offsets[k], self.offsets[k + 1])
        parts = self.pair, self.point, self.normal, self.gap, self.__dict__["force"]
        own = tuple(part[rows] for part in parts)
        return self.motion.of(k, own, self.__dict__["push"][k])  # type: ignore[arg-type]  # five of them

    def open_shares(self) -> tuple[str, ...]:
        """Return the names of pairs with indeterminate forces, found in a sample of the states."""
        if self.motion is None:
            return ()
        found, names = set[str](), (*self.names, *self.stops)
        crowded = np.flatnonzero(np.diff(self.offsets) + len(self.stops) > 1)
        for k in crowded[np.unique(np.linspace(0, len(crowded) - 1, LOOKS).astype(int))] if len(crowded) else ():
            pairs = [*self.pair[self.offsets[k] : self.offsets[k + 1]].tolist(), *range(len(self.names), len(names))]
            free = self._determined(int(k))[1].tolist()
            found |= {names[p] for p, own in zip(pairs, free, strict=True) if own}
        return tuple(name for name in names if name in found)

    @property
    def state(self) -> NDArray:
        """Index of the state that each row belongs to, (m,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def total_force(self, name: str) -> NDArray:
        """Return the total contact force of a pair on its successor in each state, (n, 3), N, in world axes."""
        rows = self._rows(name)
        total = np.zeros((len(self), 3))
        np.add.at(total, self.state[rows], self.force[rows])
        return total

    def normal_force(self, name: str) -> NDArray:
        """Return the sum of a pair's normal forces in each state, (n,), N; or the force of a unilateral constraint."""
        if name in self.stops:
            return self.push[:, self.stops.index(name)]
        rows = self._rows(name)
        total = np.zeros(len(self))
        np.add.at(total, self.state[rows], np.einsum("ij,ij->i", self.force[rows], self.normal[rows]))
        return total

    def least_gap(self, name: str | None = None) -> NDArray:
        """Return the smallest gap of a pair, or of all, in each state, (n,), m; infinite where nothing was near."""
        rows = slice(None) if name is None else self._rows(name)
        least = np.full(len(self), np.inf)
        np.minimum.at(least, self.state[rows], self.gap[rows])
        return least

    def rows(self, states: ArrayLike) -> ContactRecord:
        """Return the record of some states, given by their indices; negative ones count from the end.

        Raises
        ------
        SimulationError
            If there is no such state.
        """
        numbers = np.asarray(states, dtype=int)
        if ((numbers < -len(self)) | (numbers >= len(self))).any():
            raise SimulationError(f"states {shown(states)} are not all among the {len(self)} of this record")
        numbers = np.where(numbers < 0, numbers + len(self), numbers)
        chosen = [np.arange(self.offsets[k], self.offsets[k + 1]) for k in numbers]
        own = np.concatenate(chosen) if chosen else np.zeros(0, dtype=int)
        offsets = np.concatenate([[0], np.cumsum([len(rows) for rows in chosen], dtype=int)])
        parts = (getattr(self, name)[own] for name in ("pair", "point", "normal", "gap", "force"))
        pair, point, normal, gap, force = parts
        of_states = self.lost[numbers], self.stops, self.push[numbers], self.driven[numbers]
        found = ContactRecord(self.names, self.t[numbers], offsets, pair, point, normal, gap, force, *of_states)
        if self.motion is not None:
            names = {*self.stops, *(self.names[p] for p in pair.tolist())}
            sums = tuple(name for name in self.indeterminate_sums if name in names)
            found.__dict__["_found"] = (force, self.indeterminate[own], sums, self.push[numbers])
        return found

    def _rows(self, name: str) -> NDArray:
        if name not in self.names:
            hint = did_you_mean(str(name), self.names) or f"; there are {', '.join(self.names) or 'none'}"
            raise SimulationError(f"{shown(name)} is no pair of this motion that can touch{hint}")
        return self.pair == self.names.index(name)

    def __repr__(self) -> str:
        most = int(np.diff(self.offsets).max(initial=0))
        note = "; shares of forces are indeterminate, the smallest that fit" if self.open_shares() else ""
        return f"<ContactRecord of {len(self.names)} pairs: {len(self)} states, at most {most} points in one{note}>"


class _Forces:
    """Descriptor of a record's forces: the determinacy analysis is run at first access, not at the end of a run."""

    def __init__(self, name: str, place: int) -> None:
        self.name, self.place = name, place

    def __get__(self, record: ContactRecord, owner: type) -> NDArray:
        given: NDArray = record.__dict__[self.name]
        return given if record.motion is None else cast(NDArray, record._found[self.place])

    def __set__(self, record: ContactRecord, force: NDArray) -> None:
        record.__dict__[self.name] = force


for _name, _place in (("force", 0), ("push", 3)):  # behind the fields of these names
    setattr(ContactRecord, _name, _Forces(_name, _place))


def gathered(
    names: Sequence[str],
    t: ArrayLike,
    states: Sequence[tuple[NDArray, ...]],
    lost: NDArray,
    stops: tuple[str, ...],
    push: NDArray,
    driven: NDArray,
) -> ContactRecord:
    """Build a record from states given one by one.

    Parameters
    ----------
    states : (pair (k,), point (k, 3), normal (k, 3), gap (k,), force (k, 3)) of each state.
    lost : (n,) energy that contacts took until each, J. stops, push, driven : as in `ContactRecord`.
    """
    offsets = np.concatenate([[0], np.cumsum([len(own[0]) for own in states], dtype=int)])
    shapes = ((0,), (0, 3), (0, 3), (0,), (0, 3))
    parts = [np.concatenate([np.zeros(s), *(own[i] for own in states)]) for i, s in enumerate(shapes)]
    pair, point, normal, gap, force = parts
    own = lost, stops, push, driven
    return ContactRecord(tuple(names), np.asarray(t), offsets, pair, point, normal, gap, force, *own)
