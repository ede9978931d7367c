"""The checks accept right answers in whatever form and explain the usual wrong ones."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.spatial import Screw, plucker, so3
from rbdkit.spatial.screw import twist_screw
from rbdkit_course.featherstone import chapter_2

NONSENSE = (None, "six", 10**400, [1, 2], np.full(6, np.nan), {"a": 1}, object(), [[1, 2], [3]])


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        ([0, 0, 5, 0, 5, 0], "other order"),
        ([0, 5, 0, 2, 0, 0], "hub"),
        ([0, -5, 0, 0, 0, -5], "backward"),
        ([0, 5, 0, 0, 0, 4], "lowest point"),
        *[(x, "six numbers") for x in NONSENSE],
    ],
)
def test_rolling_wheel_wrong(answer, word):
    verdict = chapter_2.rolling_wheel(answer)
    assert not verdict and word in verdict.why


def test_rolling_wheel_right():
    """The rim at the ground rests and the hub goes along: a body point at O by v_hub + ω × (O - hub)."""
    w, hub = np.array([0, 5.0, 0]), np.array([1.0, 0, 0.4])
    v = [*w, *(np.array([2.0, 0, 0]) + np.cross(w, -hub))]
    for answer in (v, tuple(v), np.array(v)[:, None], np.array(v, dtype=np.float32)):
        assert chapter_2.rolling_wheel(answer)


def screw(v, sign=1.0, shift=0.0, power=2):
    w, v_O = v[:3], v[3:]
    point = sign * np.cross(w, v_O) / (w @ w) + shift * w
    return point, w, w @ v_O / np.linalg.norm(w) ** power


def test_find_screw():
    assert chapter_2.find_screw(screw)
    assert chapter_2.find_screw(lambda v: screw(v, shift=0.7))
    assert chapter_2.find_screw(lambda v: (screw(v)[0].tolist(), -screw(v)[1], screw(v)[2]))
    assert chapter_2.find_screw(lambda v: Screw(*screw(v), 1.0))
    wrongs = {
        "other way around": lambda v: screw(v, sign=-1.0),
        "not |ω|": lambda v: screw(v, power=1),
        "not parallel": lambda v: (v[:3], v[3:], 0.0),
        "of one radian": lambda v: (screw(v)[0], v[:3], -1.0),
        "along ω": lambda v: (screw(v)[0] + [5.0, 3.0, 1.0], v[:3], screw(v)[2]),
        "three things": lambda v: v,
        "ZeroDivisionError": lambda v: 1 / 0,
        "for you to write": twist_screw,
    }
    for word, function in wrongs.items():
        verdict = chapter_2.find_screw(function)
        assert not verdict and word in verdict.why, (word, verdict)


def test_felt_acceleration():
    def exact(a, v, P):
        return a[3:] + np.cross(a[:3], P) + np.cross(v[:3], v[3:] + np.cross(v[:3], P))

    assert chapter_2.felt_acceleration(exact)
    assert chapter_2.felt_acceleration(lambda a, v, P: exact(a, v, P).tolist())
    wrongs = {
        "moves on": lambda a, v, P: a[3:] + np.cross(a[:3], P),
        "the origin moves too": lambda a, v, P: exact(a, v, P) - np.cross(v[:3], v[3:]),
        "at the origin": lambda a, v, P: a[3:] + np.cross(v[:3], v[3:]),
        "off by": lambda a, v, P: -exact(a, v, P),
        "three numbers": lambda a, v, P: a,
        "TypeError": lambda a: a,
    }
    for word, function in wrongs.items():
        verdict = chapter_2.felt_acceleration(function)
        assert not verdict and word in verdict.why, (word, verdict)


def test_force_transform():
    def X(E, r):
        return np.block([[E, np.zeros((3, 3))], [-E @ so3.skew(r), E]])

    assert chapter_2.force_transform(lambda E, r: np.linalg.inv(X(E, r)).T)
    assert "for you to write" in chapter_2.force_transform(lambda E, r: np.linalg.inv(plucker.plucker(E, r)).T).why
    zero = np.zeros((3, 3))
    wrongs = {
        "for motions": X,
        "leads back": lambda E, r: X(E, r).T,
        "sign of r": lambda E, r: np.block([[E, E @ so3.skew(r)], [zero, E]]),
        "power": lambda E, r: np.block([[E, zero], [zero, E]]),
        "six rows": lambda E, r: E,
    }
    for word, function in wrongs.items():
        verdict = chapter_2.force_transform(function)
        assert not verdict and word in verdict.why, (word, verdict)


def test_counterweight():
    moment = chapter_2.CRANK.mass * chapter_2.CRANK.com
    for mass in (0.5, 2.0, 7):
        assert chapter_2.counterweight(mass, -moment / mass)
    assert "other" not in chapter_2.counterweight(1.0, [0, 0, 0]).why
    assert "wrong side" in chapter_2.counterweight(2.0, moment / 2.0).why
    assert "First moments" in chapter_2.counterweight(1.0, [0, 0, 0]).why
    assert "larger than 0" in chapter_2.counterweight(-1.0, moment).why


@pytest.mark.parametrize("answer", NONSENSE)
def test_nonsense(answer):
    assert not chapter_2.counterweight(answer, answer)
    assert not chapter_2.counterweight(1.0, answer)
    for check in (chapter_2.find_screw, chapter_2.felt_acceleration, chapter_2.force_transform):
        assert "not a function" in check(answer).why
        assert not check(lambda *_: answer)


def test_a_pictures_power_may_be_told_in_many_ways():
    """By the velocity of the point that is pulled, which needs no moment; in whatever words and with few decimals."""

    def power(length, tilt, pitch):
        return 10.0 * np.array([0.0, np.cos(tilt), np.sin(tilt)]) @ (2.0 * np.array([0.0, length, pitch]))

    def told(text, name="power"):
        return lambda *at: rbd.widgets.Picture(readout=[("length", f"{at[0]} m"), (name, text.format(power(*at)))])

    for text in ("{:.3f} W", "{}", "= {:.3e} W", "{:+.3f} watts"):
        assert chapter_2.spanner(told(text)), text
    assert chapter_2.spanner(told("{:.3f} W", "Power "))
    for text, name in (("much", "power"), ("{:.3f} W", "moment")):
        assert "tells no power" in chapter_2.spanner(told(text, name)).why
    assert "tells no power" in chapter_2.spanner(power).why
    assert "wrong sign" in chapter_2.spanner(told("−{:.3f} W")).why
    assert "it must be" in chapter_2.spanner(told("1{:.3f} W")).why
