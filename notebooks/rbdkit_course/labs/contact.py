"""Lab F: forces where bodies touch, from one contact to the linear complementarity problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit_course.checks import checks
from rbdkit_course.labs.judging import LIBRARY, Case, Planted, Task
from rbdkit_course.verdict import Verdict

ONE_MISTAKES: Mapping[str, str] = {
    "pulls": "a contact cannot pull: where b > 0 the bodies part by themselves, and f is zero.",
    "nothing": "where b < 0 the bodies would pass through each other; a force must stop that.",
    "undivided": "a = A f + b: the force that makes a zero is -b divided by A.",
    "minus": "the sign: a = A f + b, and a force that pushes apart is positive.",
}
MANY_MISTAKES: Mapping[str, str] = {
    "pulls": "all contacts are held closed, some by pulling: forces must not be negative.",
    "clipped": (
        "negative forces were set to zero afterwards. Then the others carry too much or too little: each set of "
        "contacts that push has a solution of its own."
    ),
    "one by one": "each contact was solved as if alone: A's other entries are what contacts do to each other.",
    "nothing": "no force at all: some contacts would pass through each other.",
}
IMPACT_MISTAKES: Mapping[str, str] = {
    "sticks": "the contacts come to rest: the (1 + e) is missing, with e = 0 it would be right.",
    "e": "e in place of 1 + e: one part stops the contact, e of it throws it back.",
    "pulls": "a contact that opens by itself gets no impulse.",
    "minus": "the sign: u⁺ = u⁻ + A p, and p pushes apart.",
}
FRICTION_MISTAKES: Mapping[str, str] = {
    "no cone": "f_t may be no larger than μ f_n: beyond that the contact slips.",
    "mu alone": "the largest friction is μ f_n, not μ.",
    "forward": "friction works against the sliding: the sign of f_t.",
    "always slips": "where a smaller force already stops the sliding, it stops: the contact sticks.",
    "no weight": "f_n first: it is max(0, -b_n / A_n), and without it there is no friction.",
}


def one(planted: Planted, A: float, b: float) -> NDArray:
    """Solve a = A f + b with f >= 0, a >= 0 and a f = 0 for one contact, with mistakes planted."""
    f = -b if "undivided" in planted else -b / A
    f = 0.0 if "nothing" in planted else f if "pulls" in planted else max(0.0, f)
    return np.asarray(-f if "minus" in planted else f)


def many(planted: Planted, A: NDArray, b: NDArray) -> NDArray:
    """Solve a = A f + b with f >= 0, a >= 0 and a.T f = 0 for many contacts, with mistakes planted."""
    if "nothing" in planted:
        return np.zeros_like(b)
    if "one by one" in planted:
        return np.maximum(0.0, -b / np.diag(A))
    if planted:
        f = np.linalg.solve(A, -b)
        return f if "pulls" in planted else np.maximum(0.0, f)
    return every_set(A, b)


def every_set(A: NDArray, b: NDArray) -> NDArray:
    """Solve the complementarity problem by trying all sets of contacts that push; only for few contacts."""
    for pushing in product((True, False), repeat=len(b)):
        on, f = np.array(pushing), np.zeros(len(b))
        f[on] = np.linalg.solve(A[np.ix_(on, on)], -b[on])
        if f.min() >= -1e-12 and (A @ f + b)[~on].min(initial=0.0) >= -1e-12:
            return f
    raise np.linalg.LinAlgError("no set of contacts works")


def impulse(planted: Planted, A: float, u: float, e: float) -> NDArray:
    """Compute the impulse p with u⁺ = u⁻ + A p = -e u⁻ where u⁻ < 0, with mistakes planted."""
    factor = 1.0 if "sticks" in planted else e if "e" in planted else 1.0 + e
    p = -factor * u / A
    p = p if "pulls" in planted else max(0.0, p)
    return np.asarray(-p if "minus" in planted else p)


def friction(planted: Planted, mu: float, A_n: float, b_n: float, A_t: float, b_t: float) -> NDArray:
    """Compute (f_n, f_t) of one contact with uncoupled normal and tangential directions, with mistakes planted."""
    f_n = -b_n / A_n if "no weight" in planted else max(0.0, -b_n / A_n)
    stick, most = -b_t / A_t, mu if "mu alone" in planted else mu * max(0.0, f_n)
    f_t = np.sign(stick) * most if "always slips" in planted else np.clip(stick, -most, most)
    f_t = stick if "no cone" in planted else f_t
    return np.array([f_n, -f_t if "forward" in planted else f_t])


@checks("LF-1")
def one_contact(my_force: Callable[..., Any]) -> Verdict:
    """Stage 1: ``(A, b) -> f`` for one contact."""
    cases = [Case(f"A = {A}, b = {b}", (A, b)) for A, b in ((1.0, -9.81), (0.5, -3.0), (2.0, 4.0), (0.25, 0.0))]
    return Task("one number", cases, one, ONE_MISTAKES, own=LIBRARY).verdict(
        my_force, "max(0, -b/A): pushed or parted, never both."
    )


@checks("LF-2")
def two_contacts(my_forces: Callable[..., Any]) -> Verdict:
    """Stage 2: ``(A, b) -> f`` for two contacts: four sets of those that push, and one of them works."""
    return Task("two forces", _problems(2), many, MANY_MISTAKES).verdict(
        my_forces, "the one set of four that works, each time."
    )


@checks("LF-3")
def many_contacts(my_forces: Callable[..., Any]) -> Verdict:
    """Stage 3: ``(A, b) -> f`` for any number, by whatever method; sweeps may take their time."""
    cases = [case for n in (1, 3, 5, 7) for case in _problems(n)]
    praise = "the check tried all complementary sets, up to 128 of them; yours is the one that works."
    return Task("as many forces as b has numbers", cases, many, MANY_MISTAKES).verdict(my_forces, praise)


@checks("LF-4")
def impact(my_impulse: Callable[..., Any]) -> Verdict:
    """Stage 4: ``(A, u, e) -> p``, the impulse of a contact that closes with the speed u < 0."""
    given = ((0.5, -2.0, 0.8), (2.0, -1.0, 0.0), (1.0, 3.0, 0.5), (0.1, -4.0, 1.0))
    cases = [Case(f"A = {A}, u = {u}, e = {e}", (A, u, e)) for A, u, e in given]
    return Task("one number", cases, impulse, IMPACT_MISTAKES).verdict(
        my_impulse, "u⁺ = -e u⁻, and nothing where it opens."
    )


@checks("LF-5")
def slip_or_stick(my_forces: Callable[..., Any]) -> Verdict:
    """Stage 5: ``(mu, A_n, b_n, A_t, b_t) -> (f_n, f_t)`` in a plane, after Coulomb."""
    given = (
        (0.5, 1.0, -9.81, 1.0, 2.0),
        (0.5, 1.0, -9.81, 1.0, 8.0),
        (0.3, 2.0, -4.0, 0.5, -5.0),
        (0.8, 1.0, 2.0, 1.0, 1.0),
        (0.5, 2.0, -12.0, 0.5, 1.0),
    )
    cases = [Case(f"μ = {g[0]}, A_n = {g[1]}, b_n = {g[2]}, A_t = {g[3]}, b_t = {g[4]}", g) for g in given]
    praise = "sticking inside the cone, slipping on its edge, nothing where there is no contact."
    return Task("two numbers, f_n and f_t", cases, friction, FRICTION_MISTAKES).verdict(my_forces, praise)


def _problems(n: int) -> list[Case]:
    """Cases in which all contacts push, and in which some part and setting negative forces to zero is not enough."""
    found: list[Case] = []
    seed = 0
    while len(found) < (3 if n > 1 else 2):
        rng = np.random.default_rng([n, seed])
        seed += 1
        B = rng.normal(size=(n, n + 1))
        A = B @ B.T + 0.3 * np.eye(n)
        b = -A @ rng.uniform(0.5, 2.0, n) if not found else rng.normal(size=n)
        f = every_set(A, b)
        clipped = np.maximum(0.0, np.linalg.solve(A, -b))
        if n == 1 or not found or (0 < np.count_nonzero(f) < n and not np.allclose(f, clipped)):
            found.append(Case(f"{n} contact{'s' * (n > 1)}, problem {len(found) + 1}", (A, b)))
    return found
