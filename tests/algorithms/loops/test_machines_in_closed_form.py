"""Machines whose loops close by a formula: q = gamma(y) of triangles, of two circles and of a parallelogram."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.algorithms.loops import LoopClosure, loop_constraint
from rbdkit.library import excavator, parallelogram_robot
from rbdkit.library.excavator import ARM, BOOM, CYLINDERS, LINK, PIVOT, ROCKER


def turned(angle, p):
    """A point (x, z) after a turn about y."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * p[0] + s * p[1], c * p[1] - s * p[0]])


def direction(p):
    """Angle about y from z to a point (x, z)."""
    return np.arctan2(p[0], p[1])


def flat(p):
    return np.asarray(p, dtype=float)[[0, 2]]


def digging(y):
    """All coordinates of the excavator by name, from swing, boom, arm and rocker: three triangles and two circles."""
    swing, boom, arm, rocker = y
    q = {"swing": swing, "boom_joint": boom, "arm_joint": arm, "rocker_joint": rocker}
    pivots = {"boom": (np.zeros(2), boom), "arm": (flat(BOOM), arm), "bucket": (flat(PIVOT), rocker)}
    for name, (_, foot, _, end) in CYLINDERS.items():
        pivot, angle = pivots[name]
        before, now = pivot + flat(end) - flat(foot), pivot + turned(angle, flat(end)) - flat(foot)
        q[f"{name}_cylinder"] = np.sqrt(now[0] ** 2 + now[1] ** 2) - np.hypot(*before)
        q[f"{name}_barrel_joint"] = direction(now) - direction(before)
    held, link = flat(PIVOT + ROCKER + LINK - ARM), flat(LINK)  # the pin on the bucket, from the bucket's joint
    D = flat(PIVOT - ARM) + turned(rocker, flat(ROCKER))  # the rocker's pin from there
    far = D[0] ** 2 + D[1] ** 2
    along = (far + held @ held - link @ link) / (2.0 * far)
    across = np.sqrt(held @ held / far - along**2)
    neutral = flat(PIVOT + ROCKER - ARM)
    side = np.sign(neutral[0] * held[1] - neutral[1] * held[0])
    pin = along * D + side * across * np.array([-D[1], D[0]])
    q["bucket_joint"] = direction(pin) - direction(held)
    q["link_joint"] = direction(pin - D) - direction(link) - rocker
    return q


def carrying(y):
    """Those of the robot: the elbow turns by drive less shoulder."""
    yaw, shoulder, drive = y
    return {"yaw": yaw, "shoulder": shoulder, "drive": drive, "rod_joint": shoulder - drive, "elbow": drive - shoulder}


@pytest.mark.source("F8.17")
@pytest.mark.parametrize(("make", "gamma", "n_y"), [(excavator, digging, 4), (parallelogram_robot, carrying, 3)])
def test_accelerations_by_gamma_are_those_of_loop_joints(make, gamma, n_y):
    """gamma closes the loops, its derivatives obey their rows, and y accelerates as the compiled dynamics says."""
    model = make()
    names = [joint.name for joint in model.joints[1:]]

    def ordered(y):
        q = gamma(y)
        return np.array([q[name] for name in names])

    closure = LoopClosure(model, ordered, n_y)
    rng = np.random.default_rng(1)
    for _ in range(3):
        y, yd = rng.uniform(-0.15, 0.15, n_y), rng.uniform(-0.5, 0.5, n_y)
        at = closure.rates(y, yd)  # refuses where a loop is open by 1e-9
        rows = loop_constraint(model, at.q, at.qd)
        assert_allclose(rows.K @ at.G, 0.0, atol=1e-13 * np.abs(rows.K).max() * np.abs(at.G).max())
        assert_allclose(rows.K @ at.g, rows.k, atol=1e-12 * (1.0 + np.abs(rows.k).max()))
        tau = rng.normal(size=model.nv) * 100.0
        found = at.G @ closure.acceleration(y, yd, tau) + at.g
        expected = rbd.forward_dynamics(model, at.q, at.qd, tau)
        assert_allclose(found, expected, atol=1e-10 * np.abs(expected).max())
