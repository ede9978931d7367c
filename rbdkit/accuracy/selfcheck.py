"""Self-check of a model: the same quantities at one state by routes that share no code.

Bounds follow from the routes: round-off times the condition number of the inertia matrix for accelerations, the
truncation error for finite differences, the integration error for short runs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.loops import loop_constraint, with_elements
from rbdkit.assembly import RANK, assemble, project_velocity
from rbdkit.derivatives import forward_dynamics_derivatives
from rbdkit.errors import RbdkitError, StateError
from rbdkit.formulations import joint_state
from rbdkit.functions import crba, forward_dynamics, forward_kinematics, jacobian, power_balance, rnea
from rbdkit.model import Model
from rbdkit.model.closing.massless import tree_has_inertia
from rbdkit.model.kept import kept
from rbdkit.model.one_sided import without_stops
from rbdkit.model.requirements import require_model
from rbdkit.simulation.distance import distance
from rbdkit.simulation.simulate import simulate
from rbdkit.spatial import se3
from rbdkit.spatial.read_numbers import shown, time_in_seconds

EPS = float(np.finfo(float).eps)
ROUNDING = 1e3 * EPS
"""Relative round-off of numbers that are computed in some hundred operations."""
H_POSE, H_STATE = 1e-5, 1e-6
"""Steps of central differences: of poses, which are of order one, and of accelerations."""
STEPS, STEP = 20, 1e-4
"""Number and length, s, of the steps of compared runs: so short that integration errors are mostly below round-off."""
OTHERS = ("se3", "maximal", "redmax")
"""Formulations that share little code with joint coordinates."""


@dataclass(frozen=True)
class Check:
    """Comparison of one quantity by two routes.

    Attributes
    ----------
    what : str
        The comparison in words.
    difference : float
        Largest difference, relative to the largest number; NaN if one of the routes is not available.
    bound : float
        Difference that round-off or a finite difference explains.
    note : str
        Why a route is not available, or another remark.
    """

    what: str
    difference: float
    bound: float
    note: str = ""

    @property
    def passed(self) -> bool | None:
        """Whether the routes agree; None if they cannot be compared."""
        return None if np.isnan(self.difference) else bool(self.difference <= self.bound)

    def __str__(self) -> str:
        mark = {True: "ok", False: "FAILS", None: "--"}[self.passed]
        numbers = "" if self.passed is None else f"{self.difference:8.1e}  (up to {self.bound:.0e})"
        return f"{mark:>5}  {self.what:<64}  {numbers}{'  ' + self.note if self.note else ''}".rstrip()


@dataclass(frozen=True, eq=False)
class SelfCheck:
    """Result of `selfcheck`.

    Attributes
    ----------
    model : Model
        The model that was checked.
    q, v : ndarray (nq,), (nv,)
        State at which it was checked.
    checks : tuple of Check
        The comparisons.
    """

    model: Model
    q: NDArray
    v: NDArray
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether all comparisons that could be made agree, and there was at least one."""
        verdicts = [check.passed for check in self.checks]
        return any(verdicts) and False not in verdicts

    def __repr__(self) -> str:
        failed = sum(check.passed is False for check in self.checks)
        verdict = f"{failed} of {len(self.checks)} FAIL" if failed else f"all {len(self.checks)} agree"
        if not any(check.passed is not None for check in self.checks):
            verdict = "nothing can be compared"
        elif not failed and (silent := sum(check.passed is None for check in self.checks)):
            verdict = f"{len(self.checks) - silent} agree, {silent} cannot be made"
        return "\n".join([f"<SelfCheck of {self.model.name!r}: {verdict}>", *map(str, self.checks)])


def selfcheck(
    model: Model, q: ArrayLike | None = None, v: ArrayLike | None = None, *, t: float = 0.0, seed: int = 0
) -> SelfCheck:
    """Compare algorithms, formulations and finite differences on a model at one state.

    Useful for user-defined joints or forces, and whenever a result looks odd. It compares inverse with forward
    dynamics, the inertia matrix with columns of RNEA, compiled with readable code, velocities with differences of
    poses, the rate of the energy with the power, derivatives with differences, and short runs in other formulations.
    Contacts and unilateral constraints are left out.

    Parameters
    ----------
    model : Model
        Any model.
    q, v : array_like (nq,), (nv,), optional
        The state, rad and m, rad/s and m/s; random if not given. Loops are closed first.
    t : float, optional
        Time, s.
    seed : int, optional
        Seed of random numbers.

    Returns
    -------
    SelfCheck
        A table in its ``repr``.

    Raises
    ------
    StateError, ModelError
        If the arguments are not a model and a state of it, or its loops cannot be closed.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.selfcheck(rbd.library.double_pendulum()).passed
    True
    """
    require_model(model)
    t = time_in_seconds(t)
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise StateError(f"seed = {shown(seed)} must be a whole number, 0 or more")
    rng = np.random.default_rng(seed)
    q = _any_state(model, rng, t) if q is None else model.check_q(q).astype(float)
    v = rng.normal(size=model.nv) if v is None else model.check_v(v).astype(float)
    free = _untouched(model)
    if free.loops or free.constraints:
        q = assemble(free, q, t=t)
        v = project_velocity(free, q, v, t=t)
    if q.ndim > 1 or v.ndim > 1:
        raise StateError(f"selfcheck looks at one state; q has shape {q.shape} and v {v.shape}")
    state = _State(free, q, v, rng.normal(size=model.nv), model.initial_z(None) if model.nz else None, t)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return SelfCheck(model, q, v, tuple(_checks(state)))


def _any_state(model: Model, rng: np.random.Generator, t: float) -> NDArray:
    """Return random coordinates, in the form in which maximal formulations recover them from poses."""
    poses = forward_kinematics(model, model.random_q(rng), t=t).poses
    return joint_state(model, poses, np.zeros((len(poses), 6)))[0]


def _untouched(model: Model) -> Model:
    """Return the model without contacts and unilateral constraints."""
    if model.contact_rules:
        model = model.with_parameters({})
        model.contact_rules = ()
    return without_stops(model)


@dataclass(frozen=True)
class _State:
    """A state of a model with joint forces tau (nv,)."""

    model: Model
    q: NDArray
    v: NDArray
    tau: NDArray
    z: NDArray | None
    t: float

    def acceleration(self, q: NDArray | None = None, v: NDArray | None = None, backend: str = "auto") -> NDArray:
        q, v = self.q if q is None else q, self.v if v is None else v
        return forward_dynamics(self.model, q, v, self.tau, t=self.t, z=self.z, backend=backend)  # type: ignore[arg-type]


def _checks(state: _State) -> Iterator[Check]:
    model = state.model
    tree = not (model.loops or model.constraints)
    if tree:
        yield _compared("forward dynamics undoes inverse dynamics", lambda: _round_trip(state))
        yield _compared("inertia matrix (CRBA), column by column from RNEA", lambda: _columns(state))
        yield _compared("inertia matrix is positive definite", lambda: _definite(state))
    yield _compared("compiled code and readable code: accelerations", lambda: _backends(state))
    yield _compared("Jacobians and kinematics: velocities of all bodies", lambda: _jacobians(state))
    yield _compared("velocities and differences of poses", lambda: _pose_differences(state))
    yield _compared("rate of the energy and power", lambda: _power(state))
    if tree:
        yield _compared("derivatives of accelerations and their differences", lambda: _derivatives(state))
    for other in OTHERS if tree else OTHERS[:2]:  # 'redmax' knows trees only
        yield _compared(f"short motions in joint coordinates and in {other!r}", partial(_motions, state, other))


def _compared(what: str, difference: Callable[[], tuple[float, float]]) -> Check:
    try:
        return Check(what, *difference())
    except (RbdkitError, NotImplementedError) as fault:
        return Check(what, np.nan, np.nan, str(fault).splitlines()[0])


def _apart(a: NDArray, b: NDArray) -> float:
    """Return the largest difference, relative to the largest number."""
    if not np.size(a):
        return 0.0
    apart = float(np.max(np.abs(a - b))) / (float(np.max(np.abs([a, b]))) or 1.0)
    return apart if np.isfinite(apart) else np.inf


def _conditioned(state: _State) -> float:
    """Return the relative round-off of accelerations: it grows with the condition number of the inertia matrix.

    With massless bodies that is the inertia matrix restricted to the motions that loops allow.
    """
    if not state.model.nv:
        return ROUNDING
    H = crba(state.model, state.q, t=state.t)
    if not kept(state.model, tree_has_inertia):  # loops lead what has no mass
        loops = loop_constraint(state.model, state.q, state.v, t=state.t)
        K = with_elements(loops, state.model, state.q, state.v, t=state.t).K
        _, s, V = np.linalg.svd(K)
        N = V[int(np.sum(s > RANK * s.max(initial=0.0))) :].T
        if not N.size:
            return ROUNDING
        H = N.T @ H @ N
    return max(ROUNDING, 10 * EPS * float(np.linalg.cond(H)))


def _round_trip(state: _State) -> tuple[float, float]:
    model, q, v, t = state.model, state.q, state.v, state.t
    a = state.acceleration()
    still = state.acceleration() - forward_dynamics(model, q, v, 0.0 * state.tau, t=t, z=state.z)
    forces = rnea(model, q, v, a, t=t) - rnea(model, q, v, a - still, t=t)  # springs and elements fall out
    accelerated = float(np.max(np.abs(a), initial=0.0)) / (float(np.max(np.abs(still), initial=0.0)) or 1.0)
    return _apart(forces, state.tau), _conditioned(state) * max(1.0, accelerated)


def _columns(state: _State) -> tuple[float, float]:
    model, q, t = state.model, state.q, state.t
    rest = np.zeros(model.nv)
    bias = rnea(model, q, rest, rest, t=t)
    columns = np.array([rnea(model, q, rest, e, t=t) - bias for e in np.eye(model.nv)]).T
    H = crba(model, q, t=t)
    size = float(np.max(np.abs(H), initial=0.0))
    return _apart(H, columns), ROUNDING * (1.0 + float(np.max(np.abs(bias), initial=0.0)) / (size or 1.0))


def _definite(state: _State) -> tuple[float, float]:
    """Return by how much H is asymmetric or its smallest eigenvalue not positive, relative to the largest."""
    H = crba(state.model, state.q, t=state.t)
    values = np.linalg.eigvalsh(0.5 * (H + H.T)) if H.size else np.ones(1)
    return max(_apart(H, H.T), float(max(0.0, EPS - values[0] / values[-1]))), ROUNDING


def _backends(state: _State) -> tuple[float, float]:
    return _apart(state.acceleration(), state.acceleration(backend="book")), _conditioned(state)


def _jacobians(state: _State) -> tuple[float, float]:
    model, q, v, t = state.model, state.q, state.v, state.t
    moving = _velocities(model, q, v, t) - _velocities(model, q, 0.0 * v, t)
    found = [np.zeros(6), *(jacobian(model, q, body.name, t=t) @ v for body in model.bodies[1:])]
    return _apart(np.array(found), moving), ROUNDING


def _velocities(model: Model, q: NDArray, v: NDArray, t: float) -> NDArray:
    found = forward_kinematics(model, q, v, t=t).velocities
    assert found is not None  # for v was given
    return found


def _pose_differences(state: _State) -> tuple[float, float]:
    model, q, v, t = state.model, state.q, state.v, state.t
    here = forward_kinematics(model, q, v, t=t).poses
    ahead, behind = (
        forward_kinematics(model, model.integrate(q, s * H_POSE * v), t=t + s * H_POSE).poses for s in (1.0, -1.0)
    )
    moved = [se3.log(se3.inverse(here) @ poses) for poses in (ahead, behind)]
    # the error of the difference is of the square of the step, that of rounding over it
    return _apart((moved[0] - moved[1]) / (2.0 * H_POSE), _velocities(model, q, v, t)), 1e-7


def _power(state: _State) -> tuple[float, float]:
    model, q, v, t = state.model, state.q, state.v, state.t
    balance = power_balance(model, q, v, state.acceleration(), state.tau, t=t, z=state.z)
    parts = [balance.energy_rate, balance.applied, balance.external, balance.driven, balance.dissipated]
    size = max(float(np.max(np.abs(part), initial=0.0)) for part in parts)
    return float(np.max(np.abs(balance.residual))) / (size or 1.0), max(_conditioned(state), 1e-9)


def _derivatives(state: _State) -> tuple[float, float]:
    model, q, v = state.model, state.q, state.v
    found = forward_dynamics_derivatives(model, q, v, state.tau, t=state.t)
    by_q, by_v = np.zeros((model.nv, model.nv)), np.zeros((model.nv, model.nv))
    for k, e in enumerate(H_STATE * np.eye(model.nv)):
        by_q[:, k] = state.acceleration(q=model.integrate(q, e)) - state.acceleration(q=model.integrate(q, -e))
        by_v[:, k] = state.acceleration(v=v + e) - state.acceleration(v=v - e)
    pairs = (found.da_dq, by_q / (2.0 * H_STATE)), (found.da_dv, by_v / (2.0 * H_STATE))
    a = float(np.max(np.abs(state.acceleration()), initial=0.0))
    size = max(a, *(float(np.max(np.abs(pair), initial=0.0)) for pair in pairs)) or 1.0
    apart = max(float(np.max(np.abs(one - other), initial=0.0)) for one, other in pairs)
    return apart / size, max(1e-7, 10 * _conditioned(state) * a / (H_STATE * size))


def _motions(state: _State, other: str) -> tuple[float, float]:
    model = state.model
    options = {
        "duration": STEPS * STEP,
        "dt": STEP,
        "tau": state.tau,
        "progress": False,
        "contact": "none",
        "limits": "ignore",
    }
    one, two = (simulate(model, state.q, state.v, formulation=name, **options) for name in ("joint", other))  # type: ignore[arg-type]
    travelled = distance(model, one.poses()[[0]], one.poses()[[-1]])[0]
    apart = distance(model, one.poses()[[-1]], two.poses()[[-1]])[0]
    errors = 10.0 * (one.error_growth().end + two.error_growth().end)  # large beside poses where Euler angles end
    return float(apart / (travelled or 1.0)), max(1e-8, errors / (travelled or 1.0))
