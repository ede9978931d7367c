"""The checks of chapter 5 accept right answers in whatever form and explain the usual wrong ones."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit_course.featherstone import chapter_5
from rbdkit_course.featherstone.chapter_5 import ACCELERATIONS, POSE, RATES, arm

NONSENSE = [None, "soon", [1, 2], np.nan, np.zeros((2, 2)), {}, lambda x: x]


def test_velocities():
    def recursion(s, qd):
        v = [s[0] * qd[0]]
        for axis, rate in zip(s[1:], qd[1:], strict=True):
            v.append(v[-1] + axis * rate)
        return v

    def from_rest(s, qd):
        v, found = 0.0 * s[0], []
        for axis, rate in zip(s, qd, strict=True):
            v = v + axis * rate
            found.append(v)
        return np.array(found)

    def closed(s, qd):
        return [sum((s[j] * qd[j] for j in range(1, i + 1)), s[0] * qd[0]) for i in range(len(s))]

    assert chapter_5.velocities(recursion)
    assert "90" in chapter_5.velocities(closed).why
    assert "across the joints" in chapter_5.velocities(lambda s, qd: s * qd[:, None]).why
    assert "v1 is not" in chapter_5.velocities(lambda s, qd: s).why

    def in_floats(s, qd):
        out = np.zeros((len(s), 6))
        for i in range(len(s)):
            out[i] = (out[i - 1] if i else 0.0) + s[i] * qd[i]
        return out

    verdict = chapter_5.velocities(in_floats)
    assert verdict and "cannot be seen" in verdict.why
    assert "rows of six" in chapter_5.velocities(lambda s, qd: 3).why
    assert "not a function" in chapter_5.velocities(None).why
    assert chapter_5.velocities(from_rest)


def test_holding_torques():
    still = np.zeros(3)
    tau = rbd.rnea(arm(), POSE, still, still)
    assert chapter_5.holding_torques(tau)
    assert chapter_5.holding_torques([round(x, 2) for x in tau])
    assert "opposite" in chapter_5.holding_torques(-tau).why
    assert "also produce the motion" in chapter_5.holding_torques(rbd.rnea(arm(), POSE, RATES, ACCELERATIONS)).why
    assert "must stay" in chapter_5.holding_torques([1.0, 2.0, 3.0]).why


def test_bearing_load():
    """By the whole moment less the motor's torque."""
    result = rbd.algorithms.rnea(arm(), POSE, RATES, ACCELERATIONS)
    n, tau = result.f[2, :3], result.tau[1]
    load = np.sqrt(n @ n - tau**2)
    assert chapter_5.bearing_load(load) and chapter_5.bearing_load(round(float(load), 2))
    assert "whole moment" in chapter_5.bearing_load(np.linalg.norm(n)).why
    assert "motor's torque" in chapter_5.bearing_load(tau).why
    assert "in N." in chapter_5.bearing_load(np.linalg.norm(result.f[2, 3:])).why
    assert "first three" in chapter_5.bearing_load(1e3).why


def test_coriolis_coefficient():
    """From Lagrange's equations by hand: H_11 = const + m l^2 cos q2."""
    assert chapter_5.coriolis_coefficient(lambda q2: -0.5 * np.sin(q2))
    assert "half each" in chapter_5.coriolis_coefficient(lambda q2: -np.sin(q2)).why
    assert "sign" in chapter_5.coriolis_coefficient(lambda q2: 0.5 * np.sin(q2)).why
    assert "depends on q2" in chapter_5.coriolis_coefficient(lambda q2: 0.0).why
    assert "derivative" in chapter_5.coriolis_coefficient(lambda q2: np.cos(q2)).why
    assert "ZeroDivisionError" in chapter_5.coriolis_coefficient(lambda q2: 1 / 0).why
    assert "one finite number" in chapter_5.coriolis_coefficient(lambda q2: "much").why


def test_spatial_acceleration():
    def to(linear):
        return lambda w, v, wd, vd: np.concatenate([wd, linear(w, v, vd)])

    assert chapter_5.spatial_acceleration(to(lambda w, v, vd: vd - np.cross(w, v)))
    assert chapter_5.spatial_acceleration(lambda w, v, wd, vd: [*wd, *(vd + np.cross(v, w))])
    assert "classical" in chapter_5.spatial_acceleration(to(lambda w, v, vd: vd)).why
    assert "sign" in chapter_5.spatial_acceleration(to(lambda w, v, vd: vd + np.cross(w, v))).why
    swapped = chapter_5.spatial_acceleration(lambda w, v, wd, vd: np.concatenate([vd - np.cross(w, v), wd]))
    assert "comes first" in swapped.why
    assert "must go" in chapter_5.spatial_acceleration(to(lambda w, v, vd: v)).why


@pytest.mark.parametrize("answer", NONSENSE)
@pytest.mark.parametrize(
    "check",
    [
        chapter_5.velocities,
        chapter_5.holding_torques,
        chapter_5.bearing_load,
        chapter_5.coriolis_coefficient,
        chapter_5.spatial_acceleration,
    ],
)
def test_nonsense_is_only_wrong(check, answer):
    verdict = check(answer)
    assert not verdict and verdict.why
