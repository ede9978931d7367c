"""A right algorithm is timed as machine code, a wrong one is told so."""

import pytest

from rbdkit import algorithms
from rbdkit_course.labs import aba, crba, rnea

RIGHT = {
    rnea.race: lambda model, q, v, a: algorithms.rnea(model, q, v, a).tau,
    crba.race: lambda model, q: algorithms.crba(model, q).H,
    aba.race: lambda model, q, v, tau: algorithms.aba(model, q, v, tau).qdd,
}


@pytest.mark.parametrize("race", RIGHT, ids=["rnea", "crba", "aba"])
def test_who_is_right_is_timed_beside_pinocchio(race):
    """The very files of `rbdkit.algorithms`, compiled like a student's."""
    verdict = race(RIGHT[race])
    assert verdict.right and "yours" in verdict.why and "Pinocchio" in verdict.why


def test_who_is_wrong_or_not_done_is_told_so():
    assert not rnea.race(lambda model, q, v, a: 1.001 * algorithms.rnea(model, q, v, a).tau).right
    assert not crba.race(lambda model, q: 0.0 * q).right
