"""`inverse_kinematics`, the public function with checked input."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.assembly import Fix, freedom, held_names, started
from rbdkit.errors import StateError
from rbdkit.model import Model
from rbdkit.model.closing import assembled, assembled_modes, by
from rbdkit.model.closing.assembly import ALIKE, bounds_of, starting_points
from rbdkit.model.closing.loop_kinematics import tree_poses
from rbdkit.model.names import listed
from rbdkit.model.requirements import besides_tree, require_bilateral, require_model
from rbdkit.reaching.descent import Aims, descend
from rbdkit.reaching.step_rules import REACHED
from rbdkit.reaching.targets import Target, targets_of
from rbdkit.spatial.check_arguments import answers_keywords, require_switch
from rbdkit.spatial.read_numbers import shown

BATCHES = (1, 1, 1, 1, 1, 3, 24, 64)
"""Numbers of starting points that are tried one batch after the other until one of them leads to the targets."""
ORDER = (0, *range(10, 17), *range(1, 10), *range(17, sum(BATCHES)))
"""Order of the starting points: after the first those that are anywhere, as its neighbours get stuck where it did."""
JUMP = 1.0
"""Change of a coordinate between neighbours of a path, rad or characteristic lengths, beyond which it is told."""
SETTLED = 1e-9
"""Change of the coordinates, rad or characteristic lengths, below which those nearest to `prefer` are found."""
RANK = 1e-9
"""Share of the largest singular value below which the others count as zero."""

Wanted = Mapping[str, Sequence[Target]]
"""What each frame is to do, at one place."""


class ReachWarning(UserWarning):
    """Neighbouring poses of a path are reached in ways that lie far apart: a robot would have to jump."""


TARGET = "targets say what each frame is wanted to do: {'hand': pose}, or a point, an Orientation, a direction"
KEYWORDS = {
    **dict.fromkeys(
        ("target", "pose", "poses", "position", "orientation", "frame", "frame_name", "link", "body"), TARGET
    ),
    **dict.fromkeys(("mask", "axis_mask", "position_only"), f"{TARGET}; a point leaves the orientation free"),
    **dict.fromkeys(
        ("x0", "q", "q_init", "q_start", "initial", "guess", "seed_q", "ik_seed"), "the search begins at q0="
    ),
    **dict.fromkeys(
        ("q_rest", "q_nominal", "rest", "rest_pose", "nullspace", "posture"), "a preferred posture is prefer="
    ),
    **dict.fromkeys(
        ("tol", "tolerance", "eps", "max_iter", "maxiter", "max_steps", "damping", "step_size"),
        "it has no such number: it goes on to round-off, and says what it misses",
    ),
    **dict.fromkeys(("joint_limits", "respect_limits", "bounds"), "limits are kept by limits=True"),
    **dict.fromkeys(("collision", "collisions", "valid", "constraint"), "accept= takes a function of q that says yes"),
    **dict.fromkeys(("locked", "fixed", "lock"), "joints are held by fix="),
    "all_solutions": "all solutions are solutions='all'",
    "weight": "weights of frames are weights=",
}
"""What to write in place of keywords that other libraries have, in small letters."""


@answers_keywords(KEYWORDS)
def inverse_kinematics(
    model: Model,
    targets: Mapping[str, Any],
    q0: ArrayLike | None = None,
    *,
    fix: Fix = (),
    limits: bool = True,
    solutions: Literal["one", "nearest", "all"] = "one",
    prefer: ArrayLike | None = None,
    accept: Callable[[NDArray], object] | None = None,
    weights: Mapping[str, float] | None = None,
    required: bool = True,
    t: float = 0.0,
) -> NDArray:
    """Find coordinates at which bodies or frames are where they are wanted.

    Damped least-squares steps go downhill from `q0`, and from up to 95 further points, the same in each call, if they
    get stuck. What is returned reaches the targets to round-off, and to 1e-8 rad and characteristic lengths of the
    model where a pose is singular. That there is no further solution, or none at all, is what the search suggests, and
    no proof.

    Parameters
    ----------
    model : Model
        A tree, also with mimic joints, or a model with loops and constraints, which then hold.
    targets : mapping of str to object
        What each body or frame is wanted to do: a pose (4, 4), a point (3,) for its origin, an `Orientation`, a
        direction to be `Pointing` in, a point to `LookAt`; or a tuple of these. Stacks of poses (n, 4, 4) or points
        (n, 3) are paths, each place reached from the one before; three points that could be a rotation are refused.
    q0 : array_like (nq,), optional
        Where the search begins; neutral coordinates if not given, both moved to within the limits.
    fix : str, iterable of str, or mapping of str to array_like, optional
        Joints that are held, as for `assemble`.
    limits : bool, optional
        Whether joints stay within their limits.
    solutions : {'one', 'nearest', 'all'}, optional
        The first solution found, which is near q0 as a rule; of all that are found the one nearest to q0; or all of
        them, (k, nq), the nearest to q0 first.
    prefer : array_like (nq,), optional
        Where the targets leave freedoms: coordinates to be as near to as possible, such as an arm's rest posture.
    accept : callable, optional
        A function of q that says whether a solution will do, for example because nothing collides.
    weights : mapping of str to float, optional
        How much the errors of frames count where not all targets can be reached; 1 for those that are not named.
    required : bool, optional
        False returns what comes closest, in the sense of least squares, instead of raising an error.
    t : float, optional
        Time, s; for prescribed joints.

    Returns
    -------
    ndarray (nq,), (n, nq) for a path, or (k, nq) for ``solutions="all"``
        Coordinates, rad and m.

    Raises
    ------
    StateError
        If the targets are not reached: which are missed, and by how much; or if a target is none, or with
        ``solutions="all"`` some freedom is left, so that the solutions are no single poses.
    ModelError
        If a body or joint is not in the model.

    Warns
    -----
    ReachWarning
        If neighbours on a path lie far apart.

    See Also
    --------
    assemble : Coordinates that close loops.
    forward_kinematics : The way back, from coordinates to poses.

    Notes
    -----
    `rbdkit.reaching.descent` has the equations. Of models with loops or constraints each target becomes a loop joint
    between the world and the frame, and `assemble`'s solver closes all of them.

    Examples
    --------
    Two rods of 1 m; the tip of the lower one goes to a point, in two ways:

    >>> import rbdkit as rbd
    >>> arm = rbd.library.double_pendulum()
    >>> tip = arm.add_frame("tip", "rod2", [0, 0, -1])
    >>> q = rbd.inverse_kinematics(arm, {"tip": [1.0, 0.0, -1.0]}, [0.1, -0.1])
    >>> abs(rbd.forward_kinematics(arm, q).pose("tip")[:3, 3].round(9)).tolist()
    [1.0, 0.0, 1.0]
    >>> rbd.inverse_kinematics(arm, {"tip": [1.0, 0.0, -1.0]}, [0.1, -0.1], solutions="all").round(4)[:, 1].tolist()
    [-1.5708, 1.5708]
    """
    require_model(model)
    require_bilateral(model, "inverse_kinematics")
    for name, switch in {"limits": limits, "required": required}.items():
        require_switch(f"inverse_kinematics: {name}", switch, StateError)
    if not isinstance(solutions, str) or solutions not in ("one", "nearest", "all"):
        raise StateError(f"solutions = {shown(solutions)} must be 'one', 'nearest' or 'all'")
    if accept is not None and not callable(accept):
        raise StateError(f"accept = {shown(accept)} must be a function of q that says whether a solution will do")
    path = _path(model, targets)
    start, kept = started(model, q0, fix)
    if start.ndim != 1:
        raise StateError(f"q0 has shape {start.shape}; the search begins at one state, ({model.nq},)")
    if besides_tree(model) and (prefer is not None or not required):
        raise StateError("prefer and required=False are for trees; here loops or constraints must hold as well")
    liked = None if prefer is None else model.check_q(prefer)
    search = _Search(model, kept, limits, accept, _weights(model, weights), liked, t)
    if solutions == "all":
        if len(path) > 1:
            raise StateError(f"solutions='all' is for one place, and here are {len(path)}: ask for one after the other")
        return search.all(path[0], start)
    found = np.empty((len(path), model.nq))
    for k, wanted in enumerate(path):
        try:
            if solutions == "nearest" and len(several := search.all(wanted, start)):
                start = several[0]
            else:
                start = search.one(wanted, start, required)
        except StateError as fault:
            raise StateError(f"{f'place {k} of the path: ' * (len(path) > 1)}{fault}") from None
        found[k] = start
    if len(path) == 1:
        return found[0]
    _tell_jumps(model, found, search)
    return found


class _Search:
    """A call of `inverse_kinematics`, all but its targets and start; see there.

    Attributes
    ----------
    ended : where the search for the last targets came closest.
    """

    def __init__(
        self,
        model: Model,
        kept: NDArray,
        limits: bool,
        accept: Callable[[NDArray], object] | None,
        weights: Mapping[str, float],
        liked: NDArray | None,
        t: float,
    ) -> None:
        self.model, self.kept, self.limits, self.accept = model, kept, limits, accept
        self.weights, self.liked, self.t = weights, liked, t
        self.bounds, self.is_tree = bounds_of(model, kept, limits), not besides_tree(model)
        self.ended = model.neutral()

    def one(self, wanted: Wanted, start: NDArray, required: bool) -> NDArray:
        """Return the first solution that is accepted; without any the best end of the search, or StateError."""
        refused = 0
        for q in self._solutions(wanted, start, self.limits):
            if self.accept is None or self.accept(q):
                return q
            refused += 1
        if refused:
            raise StateError(f"`accept` refused all solutions that were found ({refused}); try solutions='all', or q0")
        if required:
            raise StateError(self._why(wanted, start))
        return descend(self._aims(wanted, self.limits), self.ended[None], patient=True)[0][0]

    def all(self, wanted: Wanted, start: NDArray) -> NDArray:
        """Return all solutions that are found and accepted, (k, nq), the nearest to the start first."""
        aims = self._aims(wanted, self.limits)
        found: list[tuple[float, NDArray, NDArray]] = []
        for q in self._solutions(wanted, start, self.limits, everywhere=True):
            if not found and (left := freedom(with_targets(self.model, wanted), q, self.kept, self.t)):
                raise StateError(
                    f"the targets leave model {self.model.name!r} {left} freedom(s) to move with, so that its "
                    "solutions are no single poses; name joints to hold in fix=, or ask for one solution"
                )
            C = tree_poses(self.model, q, self.t)[:, :3]
            C[..., 3] /= aims.length
            far = float(np.linalg.norm(self.model.displacement(start, q) / aims.unit))
            same = next((k for k, (_, _, other) in enumerate(found) if np.abs(C - other).max() < ALIKE), None)
            if same is None:
                found.append((far, q, C))
            elif far < found[same][0]:
                found[same] = (far, q, C)
        found.sort(key=lambda one: one[0])
        return np.array([q for _, q, _ in found if self.accept is None or self.accept(q)]).reshape(-1, self.model.nq)

    def _aims(self, wanted: Wanted, limits: bool) -> Aims:
        bounds = self.bounds if limits == self.limits else bounds_of(self.model, self.kept, limits)
        return Aims(self.model, wanted, self.weights, ~self.kept, bounds, self.t)

    def _solutions(self, wanted: Wanted, start: NDArray, limits: bool, everywhere: bool = False) -> Iterator[NDArray]:
        """Yield solutions as they are found, those of one batch of starting points in the order of their distance.

        everywhere : whether to try all starting points at once.
        """
        if not self.is_tree:  # each target is a loop joint between the world and the frame
            twin = with_targets(self.model, wanted)
            first = assembled(twin, start, self.kept, self.t, limits)
            self.ended = first.q
            if first.is_closed:
                yield first.q
                if everywhere or self.accept is not None:
                    yield from assembled_modes(twin, start, self.kept, self.t, sum(BATCHES), limits)
            return
        aims, least, done = self._aims(wanted, limits), math.inf, 0
        for count in [sum(BATCHES)] if everywhere else BATCHES:
            chosen = ORDER[done : done + count]
            points = starting_points(self.model, start, self.kept, aims.length, max(chosen) + 1)
            q, e = descend(aims, aims.bounds.within(np.array([points[k] for k in chosen])))
            done += count
            size = np.linalg.norm(e, axis=1)
            if size.min() < least:
                least, self.ended = float(size.min()), q[np.argmin(size)]
            ends = q[aims.missed(e) <= REACHED]
            far = np.linalg.norm(self.model.displacement(np.broadcast_to(start, ends.shape), ends), axis=1)
            yield from (q if self.liked is None else nearest_to(aims, q, self.liked) for q in ends[np.argsort(far)])

    def _why(self, wanted: Wanted, start: NDArray) -> str:
        """Say which targets are missed and by how much, and whether limits or held joints are in the way."""
        ended, model = self.ended, self.model
        aims = self._aims(wanted, self.limits)
        e = np.abs(aims.at(ended[None])[0][0]) / aims.scale / aims.weight
        missed = []
        for frame in wanted:
            own = np.array([name == frame for name in aims.frames])
            angle, length = (float(np.linalg.norm(e[own & (aims.units == unit)])) for unit in ("rad", "m"))
            if max(angle, length / aims.length) > REACHED:
                missed.append(f"{frame!r} misses its target by {by(angle, length)}")
        what = "; ".join(missed) or "loops or constraints stay open"
        text = f"no coordinates of model {model.name!r} were found that reach all targets: at best {what}"
        ways = []
        if self.kept.any():
            free = _Search(model, np.zeros_like(self.kept), self.limits, None, self.weights, None, self.t)
            if next(free._solutions(wanted, start, self.limits), None) is not None:
                ways.append(f"if {listed(held_names(model, self.kept))} may move: name fewer joints in fix=")
        if self.limits and next(self._solutions(wanted, start, False), None) is not None:
            ways.append("beyond the limits of joints: give limits=False to see how far")
        self.ended = ended
        return f"{text}. They are reached {'; or '.join(ways)}" if ways else text


def with_targets(model: Model, wanted: Wanted) -> Model:
    """Return a copy of a model in which a loop joint between the world and each frame holds it at its target."""
    twin = copy.deepcopy(model)
    for frame, targets in wanted.items():
        own = model.frame(frame)
        for k, target in enumerate(targets):
            kind, world, placed = target.joint()
            body = model.bodies[own.body].name
            twin.add_loop(f"target {k} of {frame}", "world", body, kind, world, own.placement @ placed)
    return twin


def nearest_to(aims: Aims, q: NDArray, liked: NDArray) -> NDArray:
    """Return coordinates near q that still reach the targets and are as near to the liked ones as the limits let them.

    Steps go towards the liked ones within the null space of A, and back to the targets.
    """
    for _ in range(100):
        away = aims.model.displacement(q, liked) / aims.unit * aims.free
        _, A = aims.at(q[None])
        blocked = aims.blocked(q[None], away[None])[0]
        while True:
            _, s, V = np.linalg.svd(np.where(blocked, 0.0, A[0]))
            N = V[int(np.sum(s > RANK * s.max(initial=0.0))) :] * (aims.free & ~blocked)
            x = np.where(blocked, 0.0, N.T @ (N @ away))
            if not (more := aims.blocked(q[None], x[None])[0] & ~blocked).any():
                break
            blocked |= more
        if np.abs(x).max(initial=0.0) < SETTLED:
            break
        x *= min(1.0, 0.3 / np.abs(x).max())
        ahead, e = descend(aims, aims.bounds.within(aims.model.move(q, x * aims.unit))[None])
        left = aims.model.displacement(ahead[0], liked) / aims.unit
        if aims.missed(e)[0] > REACHED or not np.linalg.norm(left) < np.linalg.norm(away):
            break
        q = ahead[0]
    return q


def _path(model: Model, targets: Mapping[str, Any]) -> list[dict[str, list[Target]]]:
    """Return what frames are to do at each place of a path."""
    if not isinstance(targets, Mapping) or not targets:
        raise StateError(
            f"targets = {shown(targets)} must be a mapping from names of bodies or frames to what they are to reach, "
            "such as {'hand': (0.4, 0.0, 0.3)}"
        )
    of_frame = {}
    for name, wanted in targets.items():
        model.frame(name)
        of_frame[name] = targets_of(wanted, name)
    places = max(map(len, of_frame.values()))
    for name, own in of_frame.items():
        if len(own) not in (1, places):
            raise StateError(f"targets of frame {name!r} are {len(own)} places, those of others {places}")
    return [{name: own[k % len(own)] for name, own in of_frame.items()} for k in range(places)]


def _weights(model: Model, weights: Mapping[str, float] | None) -> dict[str, float]:
    """Return the weights of frames."""
    if weights is not None and not isinstance(weights, Mapping):
        raise StateError(f"weights = {shown(weights)} must be a mapping from names of frames to numbers")
    found = {}
    for name, weight in (weights or {}).items():
        model.frame(name)
        if not isinstance(weight, int | float | np.number) or not 0.0 < float(weight) < math.inf:
            raise StateError(f"weights[{name!r}] = {shown(weight)} must be a positive number")
        found[name] = float(weight)
    return found


def _tell_jumps(model: Model, found: NDArray, search: _Search) -> None:
    """Warn of neighbours on a path that lie far apart."""
    unit = search._aims({}, search.limits).unit
    change = np.abs(model.displacement(found[:-1], found[1:]) / unit)
    if (far := np.flatnonzero(change.max(axis=1) > JUMP)).size:
        k = int(far[0])
        joint = next(j.name for j in model.joints[1:] if j.v_slice.start <= np.argmax(change[k]) < j.v_slice.stop)
        warnings.warn(
            f"neighbours on the path lie far apart, first places {k} and {k + 1}: joint {joint!r} changes by "
            f"{change[k].max():.3g} (rad, or lengths of the model); {far.size} such jump(s)",
            ReachWarning,
            stacklevel=4,  # the caller of the decorated function
        )
