"""What bodies that touched did to each other, over time, and what happened to their contacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import SimulationError
from rbdkit.model.numbering import did_you_mean
from rbdkit.spatial.read_numbers import shown

KINDS = ("impact", "gain", "loss", "stick", "slip", "chatter")
"""What happens to contacts: a blow, touching without one, parting, sliding that ends, sliding that begins, and events
that follow each other too fast to be told apart."""


@dataclass(frozen=True)
class ContactEvent:
    """Something that happened to contacts, at one moment.

    Attributes
    ----------
    t : float
        When, s.
    kind : str
        'impact', 'gain', 'loss', 'stick', 'slip' or 'chatter'.
    names : tuple of str
        The pairs that it happened to.
    impulse : float
        Sum of the normal impulses, N s; 0 where there was no blow.
    note : str
        What else there is to say, in words.
    """

    t: float
    kind: str
    names: tuple[str, ...]
    impulse: float = 0.0
    note: str = ""

    def __str__(self) -> str:
        blow = f", {self.impulse:.4g} N s" if self.impulse else ""
        note = f" ({self.note})" if self.note else ""
        return f"{self.t:.6g} s: {self.kind} of {', '.join(self.names)}{blow}{note}"


@dataclass(frozen=True, eq=False)
class TouchingPoint:
    """One point of one state: which pair touches there, and how.

    Attributes
    ----------
    name : str
        Of the pair.
    point, normal : ndarray (3,)
        In world axes, m and 1; the normal points from predecessor to successor.
    gap : float
        Signed distance, m; below zero inside.
    force : ndarray (3,)
        On the successor, in world axes, N.
    """

    name: str
    point: NDArray
    normal: NDArray
    gap: float
    force: NDArray


@dataclass(frozen=True, eq=False)
class ContactRecord:
    """All points that were near or touched in the states of a motion, and the forces there.

    The points of state k are rows ``offsets[k]`` to ``offsets[k + 1]`` of the arrays. A force is the mean one over the
    step that begins in the state: its impulse divided by its length.

    Attributes
    ----------
    names : tuple of str
        Of the pairs of the model that can touch.
    t : ndarray (n,)
        Times of the states, s.
    offsets : ndarray (n + 1,) of int
    pair : ndarray (m,) of int
        Which pair touches, as a number into `names`.
    point, normal : ndarray (m, 3)
        In world axes; normals point from predecessor to successor.
    gap : ndarray (m,)
        Signed distance, m.
    force : ndarray (m, 3)
        On the successor, in world axes, N.
    lost : ndarray (n,)
        Energy that contacts took until each state, by blows and friction, J; zeros if not given. What springs of
        compliant surfaces hold counts as taken, until they give it back.
    stops : tuple of str
        Of the constraints of the model that hold on one side; none if not given.
    push : ndarray (n, stops)
        What each of these exerts in each state to keep its gap open, N, or N m where that is an angle, as a mean like
        the forces; zeros if not given.
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

    def __post_init__(self) -> None:
        for name in ("lost", "driven"):
            if not len(getattr(self, name)):
                object.__setattr__(self, name, np.zeros(len(self.t)))
        if not np.size(self.push):
            object.__setattr__(self, "push", np.zeros((len(self.t), len(self.stops))))
        numbers = {"t": float, "offsets": int, "pair": int}
        for name in ("t", "offsets", "pair", "point", "normal", "gap", "force", "lost", "push", "driven"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=numbers.get(name, float)))
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "stops", tuple(self.stops))
        n, m = len(self.t), len(self.pair)
        shapes = {"offsets": (n + 1,), "point": (m, 3), "normal": (m, 3), "gap": (m,), "force": (m, 3), "lost": (n,)}
        shapes |= {"push": (n, len(self.stops)), "driven": (n,)}
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                raise SimulationError(f"{name} of a contact record has shape {getattr(self, name).shape}, not {shape}")
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
        """The points of state k; negative numbers count from the end."""
        k = range(len(self))[k]
        rows = range(self.offsets[k], self.offsets[k + 1])
        return [
            TouchingPoint(self.names[self.pair[i]], self.point[i], self.normal[i], float(self.gap[i]), self.force[i])
            for i in rows
        ]

    @property
    def state(self) -> NDArray:
        """The number of the state that each row belongs to, (m,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def total_force(self, name: str) -> NDArray:
        """What a pair exerts on its successor in each state, (n, 3), N, in world axes."""
        rows = self._rows(name)
        total = np.zeros((len(self), 3))
        np.add.at(total, self.state[rows], self.force[rows])
        return total

    def normal_force(self, name: str) -> NDArray:
        """The sum of a pair's normal forces in each state, (n,), N; or the push of a one-sided constraint."""
        if name in self.stops:
            return self.push[:, self.stops.index(name)]
        rows = self._rows(name)
        total = np.zeros(len(self))
        np.add.at(total, self.state[rows], np.einsum("ij,ij->i", self.force[rows], self.normal[rows]))
        return total

    def least_gap(self, name: str | None = None) -> NDArray:
        """The smallest gap of a pair, or of all, in each state, (n,), m; infinite where nothing was near."""
        rows = slice(None) if name is None else self._rows(name)
        least = np.full(len(self), np.inf)
        np.minimum.at(least, self.state[rows], self.gap[rows])
        return least

    def rows(self, states: ArrayLike) -> ContactRecord:
        """The record of some states, given by their numbers; negative ones count from the end.

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
        return ContactRecord(self.names, self.t[numbers], offsets, pair, point, normal, gap, force, *of_states)

    def _rows(self, name: str) -> NDArray:
        if name not in self.names:
            hint = did_you_mean(str(name), self.names) or f"; there are {', '.join(self.names) or 'none'}"
            raise SimulationError(f"{shown(name)} is no pair of this motion that can touch{hint}")
        return self.pair == self.names.index(name)

    def __repr__(self) -> str:
        most = int(np.diff(self.offsets).max(initial=0))
        return f"<ContactRecord of {len(self.names)} pairs: {len(self)} states, at most {most} points in one>"


def gathered(
    names: Sequence[str],
    t: ArrayLike,
    states: Sequence[tuple[NDArray, ...]],
    lost: NDArray,
    stops: tuple[str, ...],
    push: NDArray,
    driven: NDArray,
) -> ContactRecord:
    """The record of states given one by one.

    Parameters
    ----------
    states : (pair (k,), point (k, 3), normal (k, 3), gap (k,), force (k, 3)) of each state.
    lost : (n,) energy that contacts took until each, J. stops, push, driven : as those of the record.
    """
    offsets = np.concatenate([[0], np.cumsum([len(own[0]) for own in states], dtype=int)])
    shapes = ((0,), (0, 3), (0, 3), (0,), (0, 3))
    parts = [np.concatenate([np.zeros(s), *(own[i] for own in states)]) for i, s in enumerate(shapes)]
    pair, point, normal, gap, force = parts
    own = lost, stops, push, driven
    return ContactRecord(tuple(names), np.asarray(t), offsets, pair, point, normal, gap, force, *own)
