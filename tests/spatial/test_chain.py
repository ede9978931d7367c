"""A chain of screw joints in fixed coordinates: velocities and accelerations as in Examples 2.3 and 2.5."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.spatial import cross_motion, se3

N = 4


class Chain:
    """Body i is carried by joints 1 to i; `axes` are the joint screws at q = 0 in fixed coordinates."""

    def __init__(self, rng):
        self.axes = rng.standard_normal((N, 6))

    def poses(self, q):
        out = [np.eye(4)]
        for s, angle in zip(self.axes, q):
            out.append(out[-1] @ se3.exp(s * angle))
        return out

    def screws(self, q):
        """s_i now: each axis carried along by the joints before it."""
        return np.array([se3.adjoint(T) @ s for T, s in zip(self.poses(q), self.axes)])

    def jacobian(self, q, i):
        """Body Jacobian [s_1 ... s_i 0 ... 0] (Eq 2.18)."""
        J = np.zeros((6, N))
        J[:, : i + 1] = self.screws(q)[: i + 1].T
        return J


@pytest.fixture
def chain(rng):
    return Chain(rng), *rng.standard_normal((3, N))


@pytest.mark.source("F2.10")
def test_velocities_by_recursion_sum_jacobian_and_finite_difference(chain):
    """Eq 2.15, 2.16, 2.17 and the change of the body's pose; central difference, 1e-9."""
    chain, q, qd, _ = chain
    s, h, v = chain.screws(q), 1e-6, np.zeros(6)
    ahead, behind = chain.poses(q + h * qd), chain.poses(q - h * qd)
    for i in range(N):
        v = v + s[i] * qd[i]
        assert_allclose(v, sum(s[j] * qd[j] for j in range(i + 1)), atol=1e-14)
        assert_allclose(v, chain.jacobian(q, i) @ qd, atol=1e-14)
        assert_allclose(v, se3.log(ahead[i + 1] @ se3.inverse(behind[i + 1])) / (2 * h), atol=1e-8)


@pytest.mark.source("F2.20")
def test_accelerations_by_recursion_double_sum_jacobian_rate_and_finite_difference(chain):
    """Eq 2.54 to 2.57: a_i = a_(i-1) + s_i qdd_i + v_i x s_i qd_i = J qdd + Jdot qd."""
    chain, q, qd, qdd = chain
    s, h = chain.screws(q), 1e-5

    def velocity(t, i):
        return chain.jacobian(q + t * qd + t**2 / 2 * qdd, i) @ (qd + t * qdd)

    v = a = np.zeros(6)
    for i in range(N):
        v = v + s[i] * qd[i]
        a = a + s[i] * qdd[i] + cross_motion(v, s[i] * qd[i])
        double_sum = sum(s[j] * qdd[j] for j in range(i + 1)) + sum(
            cross_motion(s[k], s[j]) * qd[k] * qd[j] for j in range(i + 1) for k in range(j + 1)
        )
        jacobian_rate = (chain.jacobian(q + h * qd, i) - chain.jacobian(q - h * qd, i)) / (2 * h)
        assert_allclose(a, double_sum, atol=1e-12)
        assert_allclose(a, chain.jacobian(q, i) @ qdd + jacobian_rate @ qd, atol=1e-7)
        assert_allclose(a, (velocity(h, i) - velocity(-h, i)) / (2 * h), atol=1e-7)
