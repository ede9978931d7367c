"""Trace user functions of (t, q, v) on symbols, so that they run inside the compiled loop.

A function may be traced only if it depends on its arguments alone: `Dependencies` inspects what its code refers to, and
a guard detects changes while it is traced. The trace is then compared with the function itself at a few random states,
which catches branches on values. If any of this fails, the function is called from Python, unless the user promised
purity by `traced`: then it is an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.engine.links.agreement import NotTraced
from rbdkit.engine.links.own_laws import record_law
from rbdkit.errors import SimulationError
from rbdkit.model import Model
from rbdkit.model.kept import PARTS, kept
from rbdkit.simulation.asking import Law, ask
from rbdkit.trace import Dependencies, Feedback, Guard, Impure, Symbol, Trace, compile_python, python_source

Symbolic = Callable[[Law, float, NDArray, NDArray], NDArray]
"""A function that calls a user function on symbols and returns the array that the loop reads."""
LONGEST = 20_000
"""Largest number of operations for which a function is compiled."""
TRIALS = 4
"""States at which a traced function is compared with the function itself."""


class Untraceable(Exception):
    """A function cannot run in compiled code; the message says why."""


@dataclass(frozen=True)
class Traced:
    """A function that `simulate` compiles or refuses; see `traced`."""

    function: Law

    def __call__(self, t: float, q: NDArray, v: NDArray) -> Any:
        return self.function(t, q, v)


@dataclass(frozen=True)
class Untraced:
    """A function that `simulate` calls from Python at every state; see `untraced`. why : the reason, in words."""

    function: Law
    why: str = "untraced as asked for"

    def __call__(self, t: float, q: NDArray, v: NDArray) -> Any:
        return self.function(t, q, v)


def traced(function: Law) -> Traced:
    """Promise that a function of (t, q, v) depends on nothing else, so that `simulate` compiles it or raises.

    Without it, `simulate` compiles functions that are recognised as pure, and calls all others from Python. What can be
    compiled is arithmetic, powers, NumPy's functions of one number (`numpy.sin`, `numpy.exp`, `numpy.tanh`,
    `numpy.abs`, `numpy.sign`, ...) and those of the module math, `numpy.clip`, `numpy.minimum`, `numpy.max`,
    `numpy.where`, `numpy.interp` of a short table, ``@``, `numpy.linalg.solve` and `numpy.linalg.inv` of a few
    unknowns, `numpy.linalg.norm` and what NumPy makes of these; `rbdkit.trace.select` for ``if``; and functions of a
    model, this one or another: `rnea`, `crba`, `aba`, `bias_force`, `gravity_force`, `forward_kinematics`, `jacobian`,
    `momentum`, `rnea_derivatives`, ...

    Conditions are numbers in arithmetic, ``5.0 * (q < 0)``, like NumPy's booleans; what NumPy would compute from them
    in half precision, ``numpy.sqrt(q < 0)``, is called from Python. Where NumPy gives NaN, so does compiled code; the
    sign of a NaN, and of a literal zero, is not kept. Remainders are exact, and NaN where a quotient exceeds 2^50,
    1.1e15.

    Parameters
    ----------
    function : callable
        A function of (t, q, v): joint forces or external forces, as `simulate` takes them.

    Returns
    -------
    Traced
        The same function with the promise, for `tau` or `f_ext` of `simulate`.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> @rbd.traced
    ... def hold(t, q, v):
    ...     return np.clip(-20.0 * (q - 0.5 * np.sin(t)) - 2.0 * v, -5.0, 5.0)
    >>> trajectory = rbd.simulate(rbd.library.pendulum(), duration=0.1, tau=hold)
    >>> trajectory.report.backend
    'compiled loop (LLVM), tau traced'
    """
    return Traced(function)


def untraced(function: Law) -> Untraced:
    """Have `simulate` call a function of (t, q, v) from Python at every state that it evaluates.

    Parameters
    ----------
    function : callable
        A function of (t, q, v): joint forces or external forces, as `simulate` takes them. It may store, print or draw.

    Returns
    -------
    Untraced
        The same function with the mark, for `tau` or `f_ext` of `simulate`.

    Examples
    --------
    A motor that records the times of its calls, which include stages within a Runge-Kutta step:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> asked = set()
    >>> @rbd.untraced
    ... def motor(t, q, v):
    ...     asked.add(round(t, 6))
    ...     return np.array([0.1])
    >>> trajectory = rbd.simulate(rbd.library.pendulum(), duration=0.01, dt=0.01, tau=motor)
    >>> {0.0, 0.005, 0.01} <= asked
    True
    """
    return Untraced(function)


def unless_changed_by(progress: object, function: Any) -> Any:
    """Return a function of (t, q, v), marked as untraced if the callback for progress may change what it depends on."""
    if not callable(progress) or not callable(function) or isinstance(function, Traced | Untraced):
        return function
    guard = Dependencies({"it": function}, {Model: PARTS}).guard
    told = Dependencies({"progress": progress}, {Model: PARTS}, objects=None)
    bound = {id(getattr(x, "__self__", None)) for x in told.unknown.values()}
    if told.may_change(guard) or bound & guard.places():
        return Untraced(function, "as what it uses may be changed by progress")
    return function


def torque_law(model: Model, function: Law, checked: Law, duration: float) -> Feedback:
    """Trace a function for the joint forces (nv,).

    Parameters
    ----------
    function : as the user gave it. checked : the same with its results checked. duration : length of the run, s.

    Raises
    ------
    Untraceable
        If that is not possible, or not certain to be correct.
    SimulationError
        If the function was marked as `traced` and it is not possible.
    """

    def symbolic(law: Law, t: float, q: NDArray, v: NDArray) -> NDArray:
        return _vector(model, ask("tau", law, t, q, v))

    return _law(model, function, "tau", symbolic, checked, duration)


def force_law(
    model: Model, on_links: Callable[[NDArray], NDArray], function: Law, checked: Law, duration: float
) -> Feedback:
    """Trace a function for the external forces, flattened as the loop reads them; otherwise like `torque_law`.

    on_links : maps forces on bodies (bodies, 6) to the array that the loop reads.
    """

    def symbolic(law: Law, t: float, q: NDArray, v: NDArray) -> NDArray:
        return on_links(_rows(model, ask("f_ext", law, t, q, v))).ravel()

    def on_numbers(t: float, q: NDArray, v: NDArray) -> NDArray:
        return on_links(checked(t, q, v)).ravel()

    return _law(model, function, "f_ext", symbolic, on_numbers, duration)


def guard_of_law(function: Law) -> Guard:
    """Return a guard on everything a function uses other than its arguments; it must not change during tracing.

    Raises
    ------
    Untraceable
        If the function may have side effects or memory.
    """
    if isinstance(function, Untraced):
        raise Untraceable(f"is a Python function, {function.why}")
    law = function.function if isinstance(function, Traced) else function
    found = Dependencies({getattr(law, "__name__", "it"): law}, {Model: PARTS})
    try:
        if not isinstance(function, Traced):
            found.require_pure()
        return found.guard
    except Impure as fault:
        mend = "" if found.impure else "; or mark it by rbdkit.traced if it depends on t, q and v alone"
        raise Untraceable(f"is a Python function: {fault}{mend}") from fault


def _law(model: Model, function: Law, name: str, symbolic: Symbolic, checked: Law, duration: float) -> Feedback:
    try:
        try:
            guard = guard_of_law(function)
            with guard.untouched():
                record = _recorded(model, function, symbolic)
            with guard.untouched():
                _try_out(compile_python(python_source(record), "traced"), model, checked, duration)
            return Feedback.of(record)
        except Impure as fault:
            raise Untraceable(f"is a Python function: {fault}") from fault
    except Untraceable as fault:
        if isinstance(function, Traced):
            raise SimulationError(f"{name} is marked as traced but {fault}") from fault
        raise


def _recorded(model: Model, function: Law, symbolic: Symbolic) -> Trace:
    """Trace a function by calling it on symbols."""
    law = function.function if isinstance(function, Traced) else function
    try:
        record = record_law(law, symbolic, ((), model.nq, model.nv), ("t", "q", "v"))
    except NotTraced as fault:
        raise Untraceable(f"cannot be traced: {fault}") from fault
    if not all(isinstance(x, Symbol) or math.isfinite(x) for x in record.outputs):
        raise Untraceable("cannot be traced: it returns values that are not finite at every state")
    if (count := len(record.graph.live(record.positions()))) > LONGEST:
        raise Untraceable(f"takes {count} operations, and {LONGEST} are worth compiling")
    return record


def _try_out(own: Callable[..., list[float]], model: Model, checked: Law, duration: float) -> None:
    """Compare a traced function with the function itself at trial states; raise Untraceable if they differ."""
    states, compared, fault = kept(model, _trial_states), 0, None
    for k in range(3 * TRIALS):
        if k not in states:
            states[k] = _trial_state(model, k)
        part, q, v = states[k]
        t = part * duration
        try:
            with np.errstate(all="ignore"):
                expected = checked(t, q, v)
        except Exception as reason:
            fault = reason  # a law need not hold at every state; one where it does will be found
            continue
        found = np.array(own(t, q.tolist(), v.tolist()))
        # the same operations, but NumPy may add up a product in another order
        if not np.allclose(found, expected, rtol=1e-10, atol=1e-10 * np.max(np.abs(expected), initial=0.0)):
            raise Untraceable("gives other values on numbers than on symbols: something else than t, q, v decides them")
        compared += 1
        if compared == TRIALS:
            return
    if not compared:
        raise Untraceable(f"fails at every trial state: {fault}")


def _trial_states(model: Model) -> dict[int, tuple[float, NDArray, NDArray]]:
    """Return a cache of trial states by number: random coordinates of many joints cost more than the functions."""
    return {}


def _trial_state(model: Model, k: int) -> tuple[float, NDArray, NDArray]:
    """Return trial state k: a time as a part of the run, coordinates and velocities, at random."""
    rng = np.random.default_rng(k)
    return rng.uniform(), model.random_q(rng), rng.normal(scale=3.0, size=model.nv)


def _vector(model: Model, values: Any) -> NDArray:
    result = np.asarray(values, dtype=object)
    if result.shape != (model.nv,):
        raise ValueError(f"its result has shape {result.shape}; give ({model.nv},)")
    return result


def _rows(model: Model, forces: dict[str, ArrayLike] | ArrayLike | None) -> NDArray:
    """Return external forces on symbols as an array (bodies, 6), as `rbdkit.algorithms.external_forces` does."""
    rows = np.full((len(model.bodies), 6), 0.0, dtype=object)
    if isinstance(forces, dict):
        for name, force in forces.items():
            rows[model.body(name).index] += np.asarray(force, dtype=object)
    elif forces is not None:
        rows += np.asarray(forces, dtype=object)
    return rows
