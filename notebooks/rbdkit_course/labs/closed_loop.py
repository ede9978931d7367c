"""Lab E: close a loop with a constraint, and keep it closed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.functions import aba, bias_force, crba
from rbdkit.functions import forward_dynamics as library_forward_dynamics
from rbdkit.library.pendulums import double_pendulum
from rbdkit_course.answers import call, numbers
from rbdkit_course.checks import checks
from rbdkit_course.labs.judging import Case, Planted, Task
from rbdkit_course.verdict import Verdict, right, wrong

WIRE = -0.8
"""x of the upright wire that the tip of the double pendulum slides on, m; its rods are 1 m long."""
START = np.array([1.1, -1.191234])
"""Its angles at the start, rad; with them the tip is on the wire but for a tenth of a millimetre."""
DURATION, STEP = 10.0, 5e-3
WATCHED = 120
"""Number of steps for which a gap is watched as it closes."""

GAP_MISTAKES: Mapping[str, str] = {
    "absolute": "q2 counts from the first rod: the second one stands at the angle q1 + q2.",
    "cosine": "at q = 0 both rods hang down and x is 0: the sine, not the cosine.",
    "other side": "a positive angle about y swings a hanging rod to negative x: x = -sin q1 - sin(q1 + q2).",
    "no wire": f"the gap is what is left to the wire: subtract {WIRE} m.",
    "minus": "the gap is x of the tip minus x of the wire; yours has the other sign.",
}
ROW_MISTAKES: Mapping[str, str] = {
    "absolute": "∂x/∂q1 has two terms: q1 turns the second rod too.",
    "minus": "the sign: x of the tip is -sin q1 - sin(q1 + q2).",
    "sine": "those are the sines themselves; K holds their derivatives.",
    "swapped": "the first entry is ∂x/∂q1, the second ∂x/∂q2.",
}
BIAS_MISTAKES: Mapping[str, str] = {
    "plus": "the sign: K q̈ = k, and K q̈ + K̇ q̇ = 0, so k = -K̇ q̇.",
    "squares": "the second rod turns with q̇1 + q̇2; its square is not the sum of the squares.",
    "linear": "k is quadratic in the velocities.",
}
SOLVE_MISTAKES: Mapping[str, str] = {
    "free": "those are the accelerations without the constraint: K q̈ = k does not hold.",
    "no C": "the bias force C is missing: H q̈ + C = τ + Kᵀλ.",
    "C plus": "the sign of C: it stands on the left, with H q̈.",
    "no k": "K q̈ is k, not zero.",
    "k minus": "the sign of k: K q̈ = k.",
    "pushed": (
        "K q̈ = k holds, but it was reached along Kᵀ. Constraint *forces* act along Kᵀ, and they become accelerations "
        "through H⁻¹."
    ),
}


def tip_on_wire(planted: Planted, q: NDArray) -> NDArray:
    """The gap, x of the tip less x of the wire, with mistakes planted."""
    second = q[1] if "absolute" in planted else q[0] + q[1]
    x = np.cos(q[0]) + np.cos(second) if "cosine" in planted else -np.sin(q[0]) - np.sin(second)
    x = -x if "other side" in planted else x
    return np.asarray((-1.0 if "minus" in planted else 1.0) * (x - (0.0 if "no wire" in planted else WIRE)))


def row(planted: Planted, q: NDArray) -> NDArray:
    """K of that gap, with mistakes planted."""
    turned = np.sin if "sine" in planted else np.cos
    K = -np.array([turned(q[0]) + (0.0 if "absolute" in planted else turned(q[0] + q[1])), turned(q[0] + q[1])])
    return -K if "minus" in planted else K[::-1] if "swapped" in planted else K


def bias(planted: Planted, q: NDArray, qd: NDArray) -> NDArray:
    """k of that gap, -K̇ q̇, with mistakes planted."""
    square = qd @ qd if "squares" in planted else (qd[0] + qd[1]) ** 2
    k = np.sin(q[0]) * qd[0] ** 2 + np.sin(q[0] + q[1]) * square
    k = np.sin(q[0]) * qd[0] + np.sin(q[0] + q[1]) * (qd[0] + qd[1]) if "linear" in planted else k
    return np.asarray(k if "plus" in planted else -k)


def solved(planted: Planted, H: NDArray, C: NDArray, tau: NDArray, K: NDArray, k: NDArray) -> NDArray:
    """Solve H q̈ + C = tau + Kᵀ lambda and K q̈ = k for q̈, with mistakes planted."""
    force = tau - (0.0 if "no C" in planted else -1.0 if "C plus" in planted else 1.0) * C
    free = np.linalg.solve(H, force)
    if "free" in planted:
        return free
    wanted = (0.0 if "no k" in planted else -1.0 if "k minus" in planted else 1.0) * k
    through = K.T if "pushed" in planted else np.linalg.solve(H, K.T)
    return np.asarray(free + through @ np.linalg.solve(K @ through, wanted - K @ free))


def _states() -> list[NDArray]:
    return list(np.random.default_rng(4).uniform(-1.5, 1.5, (4, 2)))


@checks("LE-1")
def gap(my_gap: Callable[..., Any]) -> Verdict:
    """Stage 1: ``q -> gap``, how far the tip is beside the wire, m."""
    cases = [Case(f"q = {q.round(2).tolist()}", (q,)) for q in _states()]
    return Task("one number, m", cases, tip_on_wire, GAP_MISTAKES, own=()).verdict(
        my_gap, "zero on the wire, and only there."
    )


@checks("LE-2")
def jacobian_row(my_row: Callable[..., Any]) -> Verdict:
    """Stage 2: ``q -> K``, two numbers: the rate of the gap is K q̇."""

    def difference(q: NDArray) -> NDArray:
        """Differentiate `tip_on_wire` by the complex-step method, which has no cancellation."""
        return np.array([-np.imag(np.sin(z[0]) + np.sin(z[0] + z[1])) / 1e-30 for z in q + 1e-30j * np.eye(2)])

    cases = [Case(f"q = {q.round(2).tolist()}", (q,)) for q in _states()]
    return Task("two numbers", cases, row, ROW_MISTAKES, difference, own=()).verdict(
        my_row, "K q̇ is the speed of the gap."
    )


@checks("LE-3")
def velocity_terms(my_bias: Callable[..., Any]) -> Verdict:
    """Stage 3: ``(q, qd) -> k``: the gap does not accelerate where K q̈ = k."""
    rng = np.random.default_rng(6)
    cases = [Case(f"q = {q.round(2).tolist()}", (q, rng.normal(size=2))) for q in _states()]
    return Task("one number", cases, bias, BIAS_MISTAKES, own=()).verdict(
        my_bias, "what is left of the gap's acceleration."
    )


@checks("LE-4")
def forward_dynamics(my_solve: Callable[..., Any]) -> Verdict:
    """Stage 4: ``(H, C, tau, K, k) -> qdd`` (or qdd and lambda) under any independent rows K."""
    cases = []
    for n, m in ((2, 1), (5, 2), (8, 3)):
        rng = np.random.default_rng(n)
        A, K = rng.normal(size=(n, n)), rng.normal(size=(m, n))
        cases.append(
            Case(
                f"{n} freedoms and {m} row{'s' * (m > 1)}",
                (A @ A.T + np.eye(n), *rng.normal(size=(2, n)), K, rng.normal(size=m)),
            )
        )

    def whole(H: NDArray, C: NDArray, tau: NDArray, K: NDArray, k: NDArray) -> NDArray:
        """Solve by the one large system, Eq 8.1 of the book."""
        zero = np.zeros((len(k), len(k)))
        return np.linalg.solve(np.block([[H, -K.T], [K, zero]]), np.concatenate([tau - C, k]))[: len(C)]

    task = Task("qdd, or qdd and lambda", cases, solved, SOLVE_MISTAKES, whole, own=())
    return task.verdict(my_solve, "H q̈ + C = τ + Kᵀλ and K q̈ = k, both at once.")


@checks("LE-5")
def stabilized(my_bias: Callable[..., Any], T: float = 0.1) -> Verdict:
    """Stage 5: ``(q, qd, T) -> k``, with which a gap closes by itself in about T seconds (Baumgarte).

    The machine is started with its tip beside the wire, and the gap is watched.
    """
    beside = START + [0.0, 0.05]
    found, fault = _watched(lambda q, qd: my_bias(q, qd, T), beside, WATCHED * STEP)
    if fault:
        return wrong(fault)
    times, gaps = np.arange(len(found)) * STEP, found / found[0]
    wanted = (1.0 + times / T) * np.exp(-times / T)
    if np.allclose(gaps, wanted, atol=0.02):
        return right(
            f"the gap closes as (1 + t/T) exp(-t/T): {abs(found[0]) * 1e3:.0f} mm are "
            f"{abs(found[-1]) * 1e3:.1g} mm after {times[-1]:.1f} s, and nothing swings."
        )
    if np.allclose(gaps, 1.0, atol=0.02):
        return wrong("the gap does not close: k has nothing in it that knows about the gap.")
    if abs(gaps[-1]) > 1.5:
        return wrong(
            f"the gap grows, to {abs(gaps[-1]):.3g} times itself: a sign. What is added to -K̇ q̇ must pull back."
        )
    if gaps.min() < -0.03:
        return wrong("the gap swings to the other side: with 2/T before its speed and 1/T² before itself it does not.")
    k = int(np.argmax(np.abs(gaps - wanted)))
    return wrong(
        f"after {times[k]:.2f} s there is {gaps[k]:.2f} of the gap left, and should be {wanted[k]:.2f}: what is "
        "added to -K̇ q̇ is a spring 1/T² and a damper 2/T that act on the gap."
    )


@checks("LE-6")
def drift(my_acceleration: Callable[..., Any], allowed: float = 1e-6) -> Verdict:
    """Stage 6: ``(q, qd) -> qdd`` of the whole machine; ten seconds are run and the gap is measured."""
    for q in (START, START + [0.1, -0.1]):
        result, fault = call(my_acceleration, q.copy(), np.array([1.0, -0.7]), own=(aba, library_forward_dynamics))
        qdd = None if fault else _accelerations(result)
        if qdd is None:
            return wrong(fault or "it should return qdd, two numbers.")
        model = machine()
        H, C = np.asarray(crba(model, q)), np.asarray(bias_force(model, q, np.array([1.0, -0.7])))
        along = row(frozenset(), q)[::-1] * [1.0, -1.0]  # the wire does not push in this direction
        if abs(along @ (H @ qdd + C)) > 1e-8 * np.abs(C).max():
            return wrong(
                "H q̈ + C is to be Kᵀλ, a force of the wire and of nothing else. Yours has a part along which the wire "
                "does not push: are H and C those of the machine at this q and q̇?"
            )
    found, fault = _watched(None, START, DURATION, my_acceleration)
    if fault:
        return wrong(fault)
    worst = float(np.abs(found[len(found) // 2 :]).max())
    if not np.isfinite(worst) or worst > 0.5:
        return wrong(f"the tip leaves the wire by {worst:.3g} m: do K and k belong to this gap, and C to this q̇?")
    if worst > allowed:
        return wrong(
            f"the tip is on the wire to {worst:.1e} m after {DURATION:g} s. It began a tenth of a millimetre beside "
            "it, and nothing pulls it back: accelerations know nothing of a gap that is already there."
        )
    return right(f"on the wire to {worst:.1e} m over the last {DURATION / 2:g} s.")


def _accelerations(result: Any) -> NDArray | None:
    """Return qdd from a result that may hold lambda as well."""
    found = numbers(result, 2)
    return numbers(result[0], 2) if found is None and isinstance(result, tuple) and result else found


def machine() -> Any:
    """Return the double pendulum of this lab."""
    return double_pendulum()


def _watched(
    my_bias: Callable[..., Any] | None, start: NDArray, duration: float, acceleration: Callable[..., Any] | None = None
) -> tuple[NDArray, str]:
    """Return the gap (m) at each step of RK4 from rest."""
    model = machine()

    def rate(x: NDArray) -> NDArray:
        q, qd = x[:2], x[2:]
        if acceleration is not None:
            result, fault = call(acceleration, q.copy(), qd.copy())
            qdd = None if fault else _accelerations(result)
            if qdd is None:
                raise ValueError(fault or "it should return qdd, two numbers.")
        else:
            result, fault = call(my_bias, q.copy(), qd.copy())
            k = None if fault else numbers(result)
            if k is None:
                raise ValueError(fault or "it should return k, one number.")
            H, C = np.asarray(crba(model, q)), np.asarray(bias_force(model, q, qd))
            qdd = solved(frozenset(), H, C, np.zeros(2), row(frozenset(), q)[None], np.array([float(k)]))
        return np.concatenate([qd, qdd])

    x, h = np.concatenate([start, np.zeros(2)]), STEP
    gaps = [float(tip_on_wire(frozenset(), x[:2]))]
    try:
        for _ in range(round(duration / h)):
            k1 = rate(x)
            k2 = rate(x + 0.5 * h * k1)
            k3 = rate(x + 0.5 * h * k2)
            x = x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + rate(x + h * k3))
            gaps.append(float(tip_on_wire(frozenset(), x[:2])))
            if not np.isfinite(x).all() or abs(gaps[-1]) > 1.0:
                break
    except (ValueError, np.linalg.LinAlgError) as fault:
        return np.array(gaps), str(fault)
    return np.array(gaps), ""
