"""The checks on spatial arithmetic accept right answers in whatever form and explain the usual wrong ones."""

import numpy as np
import pytest

from rbdkit.spatial import planar, plucker
from rbdkit.spatial.compact import fv, mv
from rbdkit.trace import Operations
from rbdkit_course.featherstone import appendix_a

NONSENSE = [None, "v", 3.0, [1, 2], {}, lambda *x: None, lambda *x: "no", lambda: 0.0, lambda *x: 1 / 0]


@pytest.mark.parametrize("check", ["shifted", "energy", "two_screws", "keepers", "exact_velocity"])
@pytest.mark.parametrize("answer", NONSENSE)
def test_nonsense_is_wrong_and_raises_nothing(check, answer):
    verdict = getattr(appendix_a, check)(answer)
    assert not verdict and verdict.why


def test_shifted():
    def by_hand(r, v):
        (x, y, z), (a, b, c, d, e, f) = r, v
        return a, b, c, d - (y * c - z * b), e - (z * a - x * c), f - (x * b - y * a)

    assert "6m + 6a" in appendix_a.shifted(by_hand).why and appendix_a.shifted(by_hand)
    assert appendix_a.shifted(lambda r, v: np.concatenate([v[:3], v[3:] + np.cross(v[:3], r)]))
    assert "general" in appendix_a.shifted(lambda r, v: mv.of(by_hand(r, v)).flat()).why
    assert "sign" in appendix_a.shifted(lambda r, v: [*v[:3], *(v[3:] + np.cross(r, v[:3]))]).why
    assert "angular part is right" in appendix_a.shifted(lambda r, v: v).why
    assert "not X v" in appendix_a.shifted(lambda r, v: 2 * v).why
    assert "cannot be counted" in appendix_a.shifted(lambda r, v: plucker.xlt(r) @ v).why
    dear = appendix_a.shifted(lambda r, v: [1.0 * v[0], *by_hand(r, v)[1:]])
    assert not dear and "right numbers for 7m + 6a" in dear.why


def test_energy():
    assert appendix_a.energy(lambda I, v: 0.5 * v.dot(I @ v))
    assert appendix_a.energy(lambda I, v: np.float64(0.5) * (I @ v).dot(v))
    assert "twice" in appendix_a.energy(lambda I, v: v.dot(I @ v)).why
    assert "pairs an mv with an fv" in appendix_a.energy(lambda I, v: 0.5 * v.dot(v)).why
    assert "which two vectors" in appendix_a.energy(lambda I, v: 0.5 * v.dot(fv(v.omega, v.v))).why
    assert "is a number" in appendix_a.energy(lambda I, v: I @ v).why


def test_two_screws():
    for answer in ((34, 33), [34.0, 33.0], "34m + 33a", " 34m+33a ", Operations(mul=34, add=33), np.array([34, 33])):
        assert appendix_a.two_screws(answer)
    for answer, word in [
        ((32, 30), "made again"),
        ((36, 36), "constant of the mechanism"),
        ((52, 56), "one general"),
        ((104, 112), "two general"),
        ((62, 65), "with zeros"),
        ((78, 83), "21 numbers"),
        ((1, 2), "price of one"),
        ((34.5, 33), "not a count"),
        ("many", "not a count"),
    ]:
        assert word in appendix_a.two_screws(answer).why


def test_keepers():
    assert appendix_a.keepers({1: "x", 2: "y", 3: "z", 4: "x", 5: "y", 6: "z"})
    assert appendix_a.keepers({1: ["x"], 2: ("y",), 3: {"z"}, 4: "x", 5: "y", 6: ["z"]})
    all_z = dict.fromkeys(range(1, 7), "z")
    assert "row 1: try z" in appendix_a.keepers(all_z).why
    assert "there is one" in appendix_a.keepers({**all_z, 1: ""}).why
    assert "not axes" in appendix_a.keepers({**all_z, 1: "w"}).why
    assert "not axes" in appendix_a.keepers({**all_z, 1: 3}).why
    assert "keys 1 to 6" in appendix_a.keepers({0: "x"}).why


def test_exact_velocity():
    def exact(X):
        angle = np.arctan2(X[1, 2], X[1, 1])
        return planar.to_velocity(X) / np.sinc(angle / np.pi)

    assert appendix_a.exact_velocity(exact)
    assert appendix_a.exact_velocity(lambda X: list(exact(X)))
    assert "v itself" in appendix_a.exact_velocity(planar.to_velocity).why

    def by_arc_sine(X):
        s = X[1, 2]
        return planar.to_velocity(X) * (np.arcsin(s) / s if s else 1.0)

    assert "quarter turn" in appendix_a.exact_velocity(by_arc_sine).why
    assert "at the angle 0" in appendix_a.exact_velocity(lambda X: planar.to_velocity(X) * np.nan).why
    assert "off at 0 rad" in appendix_a.exact_velocity(lambda X: 2 * planar.to_velocity(X)).why
