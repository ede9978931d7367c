"""Section 5.2: what recurrence saves, counted on the code and compared with the book's formulas."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms import recurrence
from rbdkit.library import random_state, random_tree
from rbdkit.spatial import plucker
from rbdkit.trace import Operations, trace

SIZES = [1, 2, 3, 6, 10]


def counted(function, n, size):
    """Operations as executed; size: of an axis, () for one symbol that stands for a whole vector."""
    shapes = [(n, *size), *[n] * (function.__code__.co_argcount - 1)]
    return trace(function, *shapes, simplify=False).operations()


@pytest.mark.source("F5.01", "F5.02")
@pytest.mark.parametrize("n", SIZES)
def test_velocities_cost_what_the_book_says(n):
    """n (m + a), where the first addition is to the base's velocity, against (n(n+1) m + n(n-1) a)/2."""
    found = counted(recurrence.velocities_by_recurrence, n, ())
    assert found + Operations(add=1) == Operations(mul=n, add=n)
    found = counted(recurrence.velocities_in_closed_form, n, ())
    assert found == Operations(mul=n * (n + 1) // 2, add=n * (n - 1) // 2)


@pytest.mark.source("F5.01", "F5.02")
@pytest.mark.parametrize(
    ("function", "degree"),
    [
        (recurrence.velocities_by_recurrence, 1),
        (recurrence.accelerations_by_recurrence, 1),
        (recurrence.velocities_in_closed_form, 2),
        (recurrence.accelerations_in_closed_form, 3),
    ],
    ids=lambda x: getattr(x, "__name__", str(x)),
)
def test_growth_is_of_degree_1_2_and_3(function, degree):
    """The count is a polynomial of that degree exactly: its differences of that order are one positive number."""
    totals = [counted(function, n, (6,)).total for n in range(1, 9)]
    differences = np.diff(totals, degree)
    assert np.ptp(differences) == 0 and differences[0] > 0
    far = [counted(function, n, (6,)).total for n in (16, 20)]
    assert abs(np.log(far[1] / far[0]) / np.log(20 / 16) - degree) < 0.15  # the slope in a log-log plot


@pytest.mark.source("F5.02")
@pytest.mark.parametrize("n", SIZES)
def test_accelerations_in_closed_form_cost_a_cross_product_for_each_pair(n):
    """n(n^2 - 1)/6 of (6 + 6 + 18) m + 12 a, n(n + 1)/2 scalings, and sums; Eq 5.4 has one cross product a joint."""
    pairs, terms = n * (n**2 - 1) // 6, n * (n + 1) // 2
    found = counted(recurrence.accelerations_in_closed_form, n, (6,))
    assert found == Operations(mul=30 * pairs + 6 * terms, add=12 * pairs + 6 * (pairs + terms - n))
    found = counted(recurrence.accelerations_by_recurrence, n, (6,))
    assert found == Operations(mul=12 * n + 18 * (n - 1), add=(18 + 12) * (n - 1))


@pytest.mark.source("F5.02")
@pytest.mark.parametrize("n", SIZES)
def test_both_ways_give_the_velocities_and_accelerations_of_a_chain(n, off):
    """Against forward kinematics and RNEA of a chain of hinges, taken to base coordinates."""
    model = random_tree(n, n, [rbd.Revolute("z")], branching=0.0)
    q, qd, qdd = random_state(model, n)
    result = algorithms.rnea(model.with_parameters({"gravity": np.zeros(3)}), q, qd, qdd)
    to_base = [plucker.inverse(plucker.from_pose(T)) for T in rbd.forward_kinematics(model, q).poses]
    s = np.array([X @ S[:, 0] for X, S in zip(to_base[1:], result.S[1:], strict=True)])
    for motion, found in (
        (result.v, recurrence.velocities_by_recurrence(s, qd)),
        (result.v, recurrence.velocities_in_closed_form(s, qd)),
        (result.a, recurrence.accelerations_by_recurrence(s, qd, qdd)),
        (result.a, recurrence.accelerations_in_closed_form(s, qd, qdd)),
    ):
        expected = np.array([X @ x for X, x in zip(to_base[1:], motion[1:], strict=True)])
        assert off(np.array(found), expected) < 1e-12
