"""Chains of compact arithmetic against the 6x6 algorithms, and their costs against Table 10.1."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.joints import Revolute
from rbdkit.model import Model
from rbdkit.spatial import Inertia, plucker
from rbdkit.spatial.compact import chain, rbi, scrx, scrz
from rbdkit.trace import Operations, trace


def dh_chain(rng, n):
    """A model of random geometry and inertias, and its links at an angle for each joint."""
    model, geometry, inertias = Model(f"chain of {n}"), rng.uniform(-1.0, 1.0, (n, 3)), []
    for i, (alpha, a, d) in enumerate(geometry):
        A, c = rng.normal(size=(3, 3)), rng.normal(size=3)
        J = A @ A.T
        inertias.append(Inertia(rng.uniform(0.5, 2.0), c, np.trace(J) * np.eye(3) - J))  # of a cloud of points
        pose = plucker.to_pose(plucker.xlt([0, 0, d]) @ plucker.rotx(alpha) @ plucker.xlt([a, 0, 0]))
        model.add_body(f"link{i}", model.bodies[-1], Revolute("z"), pose, inertias[-1])

    def links(q):
        return [
            chain.Link(scrx(alpha, a), scrz(angle, d), rbi.of(I.ten_parameters))
            for (alpha, a, d), angle, I in zip(geometry, q, inertias)
        ]

    return model, links


@pytest.mark.source("FA.03", "FA.04", "FA.05", "FA.06")
@pytest.mark.parametrize("n", [1, 2, 6, 15])
def test_same_dynamics_as_on_6x6_matrices(n, rng):
    model, links = dh_chain(rng, n)
    model.gravity = np.array([1.0, -2.0, -9.0])
    q, qd, qdd = rng.normal(size=(3, n))
    tau = rbd.algorithms.rnea(model, q, qd, qdd).tau
    assert_allclose(chain.rnea(links(q), qd, qdd, model.gravity), tau, rtol=0, atol=1e-13 * np.abs(tau).max())
    found = chain.aba(links(q), qd, tau, model.gravity)
    assert_allclose(found, qdd, rtol=0, atol=1e-10)  # the condition of H enters, up to some 1e4 here


def counted(algorithm, n):
    """Operations with sines, cosines and the constants of the fixed screws given; additions of 0 do not count."""

    def run(fixed, turn, d, inertia, qd, x, gravity):
        return algorithm([chain.Link.of(*row) for row in zip(fixed, turn, d, inertia)], qd, x, gravity)

    found = trace(run, (n, 7), (n, 2), n, (n, 10), n, n, 3).operations()
    return Operations(mul=found.mul, add=found.add, div=found.div)


@pytest.mark.source("FA.06", "FA.10")
@pytest.mark.parametrize("n", [3, 6, 10])
def test_cost_of_the_chains(n):
    """RNEA costs what Featherstone (1987) has in Table 10.1, 130 m + 101 a a joint, but for an addition; ABA less than
    the best there, (224n - 259) m + (205n - 248) a with divisions counted as multiplications."""
    assert counted(chain.rnea, n) == Operations(mul=130 * n - 143, add=102 * n - 122)
    aba = counted(chain.aba, n)
    assert aba == Operations(mul=221 * n - 275, add=205 * n - 280, div=n)
    assert aba.mul + aba.div < 224 * n - 259 and aba.add < 205 * n - 248


@pytest.mark.source("FA.06")
def test_the_parts_of_a_joint(cost):
    def joint(U, rest):
        return chain.Joint(chain.fv.of(U), *rest)

    assert cost(lambda U, rest, IA: joint(U, rest).freed(chain.abi.of(IA)), 6, 3, 21) == "20m + 15a"
    assert cost(lambda U, rest, a: joint(U, rest).acceleration(chain.mv.of(a)), 6, 3, 6) == "7m + 6a"
    assert cost(lambda v, qd: chain.carried(chain.mv.of(v), qd), 6, ()) == "4m"
    assert cost(lambda v, qd: chain.faster(chain.mv.of(v), qd), 6, ()) == "1a"


@pytest.mark.source("FA.06")
def test_the_freed_inertia_does_not_resist_turning_about_z(some, array):
    IA = some(chain.abi)
    freed = chain.Joint.of(IA, some(chain.fv), 0.3).freed(IA)
    A = array(IA)
    assert_allclose(array(freed), A - np.outer(A[:, 2], A[2]) / A[2, 2], rtol=0, atol=1e-14 * np.abs(A).max())
