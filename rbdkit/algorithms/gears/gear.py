"""Gears as functions of independent coordinates: q = gamma(y), with derivatives G and g."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError, StateError
from rbdkit.model import Joint, Model
from rbdkit.model.requirements import require_tree
from rbdkit.spatial.read_numbers import shown
from rbdkit.trace import Trace, jacobian, trace


@dataclass(frozen=True, eq=False)
class Gear:
    """Gear: a joint whose coordinate is a function of the coordinates of other joints.

    A pair of wheels has one leading joint and a constant slope, a differential has two or more leading joints.

    Attributes
    ----------
    follower : str
        Name of the driven joint.
    leaders : tuple of str
        Names of the joints on which it depends.
    function : callable
        Coordinate of the driven joint as a function of one number per leader.
    slopes : callable or None
        The partial derivatives of the function, one for each leader. If not given, they are taken from the
        function, which `rbdkit.trace` must be able to trace: arithmetic, `numpy.sin`, ...
    """

    follower: str
    leaders: tuple[str, ...]
    function: Callable[..., Any]
    slopes: Callable[..., Sequence[Any]] | None = None

    @classmethod
    def pair(cls, follower: str, leader: str, ratio: float, offset: float = 0.0) -> Gear:
        """Return a pair of wheels: ``q_follower = ratio * q_leader + offset``."""
        return cls(follower, (leader,), partial(_straight, ratio, offset))


def _straight(ratio: float, offset: float, q: Any) -> Any:
    """Return ratio * q + offset; a named function, so that gears can be pickled."""
    return ratio * q + offset


class Gears:
    """All gears of a model: the function gamma of Featherstone (2008), section 9.6.

    The independent variables y are the coordinates of all joints that are not driven by gears, of any type; yd are
    their velocity variables.

    Parameters
    ----------
    model : Model
        Tree model without the gears.
    gears : sequence of Gear
        One gear for each driven joint; leading joints must not be driven themselves.

    Attributes
    ----------
    ny
        Number of independent velocities.
    names
        Names of the independent joints, in the order of y.
    followers
        Names of the driven joints.

    Raises
    ------
    ModelError
        If a joint is unknown, driven twice, driven by a driven joint, or has not exactly one coordinate; if a function
        cannot be differentiated; or if the model has loop joints.
    """

    def __init__(self, model: Model, gears: Sequence[Gear]) -> None:
        require_tree(model, "the equation of motion with gears")
        if not isinstance(gears, Sequence) or not all(isinstance(gear, Gear) for gear in gears):
            raise ModelError(f"gears = {shown(gears)} must be a list of gears, [Gear(...), ...]")
        self.model, self.gears = model, tuple(gears)
        self.followers = tuple(gear.follower for gear in gears)
        for gear in gears:
            _check(model, gear, self.followers)
        free = [j for j in model.joints if j.name not in self.followers and j.nv > 0 and j.mimic is None]
        self.names = tuple(joint.name for joint in free)
        self._q_places = np.array([k for j in free for k in range(j.q_slice.start, j.q_slice.stop)], dtype=int)
        self._v_places = np.array([k for j in free for k in range(j.v_slice.start, j.v_slice.stop)], dtype=int)
        self.ny = len(self._v_places)
        column = {int(v): k for k, v in enumerate(self._v_places)}
        self._rows = [_Row(model, gear, column) for gear in gears]

    def gamma(self, y: ArrayLike) -> NDArray:
        """Return q (nq,) of all joints."""
        y = self._sized("y", y, len(self._q_places))
        q = np.zeros(self.model.nq)
        q[self._q_places] = y
        for row in self._rows:
            q[row.q] = float(row.function(*q[row.q_leaders]))
        return q

    def G(self, y: ArrayLike) -> NDArray:
        """Return the derivative of gamma: ``v = G yd``, shape (nv, ny)."""
        q = self.gamma(y)
        G = np.zeros((self.model.nv, self.ny))
        G[self._v_places, np.arange(self.ny)] = 1.0
        for row in self._rows:
            G[row.v, row.columns] = row.slopes(q)
        return G

    def g(self, y: ArrayLike, yd: ArrayLike) -> NDArray:
        """Return Gdot yd, so that ``vdot = G ydd + g``, shape (nv,); zero where all slopes are constant."""
        q, yd = self.gamma(y), self._sized("yd", yd, self.ny)
        g = np.zeros(self.model.nv)
        for row in self._rows:
            g[row.v] = row.curvature(q, yd[row.columns])
        return g

    def independent(self, q: ArrayLike) -> NDArray:
        """Return y from the coordinates of all joints."""
        return np.asarray(q, dtype=float)[self._q_places]

    def independent_velocities(self, v: ArrayLike) -> NDArray:
        """Return yd from the velocities of all joints."""
        return np.asarray(v, dtype=float)[self._v_places]

    def spread(self, yd: ArrayLike) -> NDArray:
        """Return velocities (nv,) with yd for the independent joints and zeros for the driven ones."""
        v = np.zeros(self.model.nv)
        v[self._v_places] = self._sized("yd", yd, self.ny)
        return v

    def integrate(self, y: ArrayLike, dy: ArrayLike) -> NDArray:
        """Return y after moving with constant velocity dy (ny,) for one unit of time, on its manifold."""
        return self.independent(self.model.integrate(self.gamma(y), self.spread(dy)))

    def rows(self, q: NDArray, v: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Return all gears as constraints ``K vdot = k`` on the joints of the tree: K (gears, nv), k and gaps (gears,).

        q : (nq,), which may violate the gears. v : (nv,).
        """
        K, k, gap = np.zeros((len(self.gears), self.model.nv)), np.zeros(len(self.gears)), np.zeros(len(self.gears))
        for i, row in enumerate(self._rows):
            leaders = self._v_places[row.columns]
            K[i, row.v], K[i, leaders] = 1.0, -row.slopes(q)
            k[i] = row.curvature(q, v[leaders])
            gap[i] = q[row.q] - float(row.function(*q[row.q_leaders]))
        return K, k, gap

    def _sized(self, name: str, values: ArrayLike, size: int) -> NDArray:
        array = np.asarray(values, dtype=float)
        if array.shape != (size,):
            raise StateError(
                f"{name} has shape {array.shape}, it must be ({size},): the joints {', '.join(self.names)}"
            )
        return array


class _Row:
    """Gear with its derivatives. q, v : indices of the driven joint. columns : indices of the leaders in yd."""

    def __init__(self, model: Model, gear: Gear, column: dict[int, int]) -> None:
        follower, leaders = model.joint(gear.follower), [model.joint(name) for name in gear.leaders]
        self.function = gear.function
        self.q, self.v = follower.q_slice.start, follower.v_slice.start
        self.q_leaders = [joint.q_slice.start for joint in leaders]
        self.columns = [column[joint.v_slice.start] for joint in leaders]
        self._slopes = _slopes(gear)
        self._second = jacobian(self._slopes)

    def slopes(self, q: NDArray) -> NDArray:
        return np.array(self._slopes(q[self.q_leaders]), dtype=float)

    def curvature(self, q: NDArray, yd: NDArray) -> float:
        second = np.array(self._second(q[self.q_leaders]), dtype=float)
        return float(yd @ second @ yd)


def _slopes(gear: Gear) -> Trace:
    """Return the partial derivatives as a trace in the coordinates of the leaders, shape (leaders,)."""
    n, slopes = len(gear.leaders), gear.slopes
    try:
        if slopes is None:
            return jacobian(trace(lambda x: gear.function(*x), n, names=["x"]))
        return trace(lambda x: np.asarray(slopes(*x), dtype=object).reshape(n), n, names=["x"])
    except (TypeError, ValueError, AttributeError) as fault:
        what = "function" if slopes is None else "slopes"
        raise ModelError(
            f"gear of joint {gear.follower!r}: the derivative of its {what} cannot be taken ({fault}); write it with "
            "arithmetic and numpy.sin, numpy.cos, numpy.sqrt, or give its derivatives as slopes=..."
        ) from None


def _check(model: Model, gear: Gear, followers: Sequence[str]) -> None:
    for name in (gear.follower, *gear.leaders):
        joint = model.joint(name)
        if not _scalar(joint):
            raise ModelError(
                f"gear of joint {gear.follower!r}: joint {name!r} ({joint.type.kind}) has not one coordinate of its "
                "own; gears connect joints such as revolute and prismatic ones"
            )
    if not gear.leaders:
        raise ModelError(f"gear of joint {gear.follower!r}: it needs at least one leader")
    if len(set(gear.leaders)) < len(gear.leaders):
        raise ModelError(f"gear of joint {gear.follower!r}: leaders {', '.join(gear.leaders)} must differ")
    if followers.count(gear.follower) > 1:
        raise ModelError(f"joint {gear.follower!r} is the follower of two gears; one function can say it all")
    for name in gear.leaders:
        if name in followers:
            raise ModelError(
                f"gear of joint {gear.follower!r}: its leader {name!r} follows others itself; name the last leaders"
            )


def _scalar(joint: Joint) -> bool:
    return joint.nq == joint.nv == 1 and not joint.type.is_curved and joint.mimic is None
