"""Velocities and accelerations of a chain by recurrence and in closed form, to compare their cost.

The functions take joint axes, rates and accelerations of an unbranched chain of joints with one freedom each, all in
base coordinates. They compute with numbers or with symbols, so that `rbdkit.trace` can count their operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from rbdkit.algorithms.closed_form import cross_motion

Scalars = Sequence[Any] | NDArray
"""Numbers or symbols."""


def velocities_by_recurrence(s: Scalars, qd: Scalars) -> list[Any]:
    """Return v_1 ... v_n, each from the one before (Featherstone 2008, Eq 5.2).

    It takes n multiplications and n - 1 additions of vectors, and one addition more if it starts from v_0.

    Parameters
    ----------
    s : Scalars
        (n, 6) axes, or n symbols that stand for them.
    qd : Scalars
        (n,) rates.
    """
    v = [s[0] * qd[0]]
    for i in range(1, len(s)):
        v.append(v[-1] + s[i] * qd[i])  # Eq 5.2
    return v


def velocities_in_closed_form(s: Scalars, qd: Scalars) -> list[Any]:
    """Return v_1 ... v_n, each as its own sum (Featherstone 2008, Eq 5.3): n(n+1)/2 m + n(n-1)/2 a."""
    return [_sum([s[j] * qd[j] for j in range(i + 1)]) for i in range(len(s))]  # Eq 5.3


def accelerations_by_recurrence(s: NDArray, qd: Scalars, qdd: Scalars) -> list[NDArray]:
    """Return a_1 ... a_n, each from the one before (Featherstone 2008, Eqs 5.2, 5.4). s : (n, 6). qd, qdd : (n,)."""
    v, a = [s[0] * qd[0]], [s[0] * qdd[0]]
    for i in range(1, len(s)):
        v_J = s[i] * qd[i]
        v.append(v[-1] + v_J)  # Eq 5.2
        a.append(a[-1] + s[i] * qdd[i] + cross_motion(v[-1], v_J))  # Eq 5.4
    return a


def accelerations_in_closed_form(s: NDArray, qd: Scalars, qdd: Scalars) -> list[NDArray]:
    """Return a_1 ... a_n, each as its own double sum (Featherstone 2008, Eq 5.5)."""
    a = []
    for i in range(len(s)):
        terms = [s[j] * qdd[j] for j in range(i + 1)]
        terms += [cross_motion(s[k] * qd[k], s[j] * qd[j]) for j in range(i + 1) for k in range(j)]
        a.append(_sum(terms))  # Eq 5.5
    return a


def _sum(terms: Sequence[Any]) -> Any:
    """Return the sum, without a start value of zero, which would count as one addition more."""
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total
