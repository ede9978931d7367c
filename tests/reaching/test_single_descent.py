"""Steps from one starting point, with numbers, against the same steps of stacks."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.model.closing.closest import Bounds
from rbdkit.reaching.descent import Aims, descend, descend_all
from rbdkit.reaching.targets import targets_of


@pytest.mark.parametrize("patient", [False, True])
@pytest.mark.parametrize("limited", [False, True])
def test_it_goes_where_stacks_go(limited, patient):
    model = rbd.formats.from_dh(rbd.library.puma_560())
    bounds = Bounds(model, limited)
    if limited:  # so tight that steps end at them
        bounds.lower[:], bounds.upper[:] = -1.2, 1.2
    frame, rng, reached = model.bodies[-1].name, np.random.default_rng(0), 0
    for _ in range(20):
        pose = rbd.forward_kinematics(model, rng.uniform(-1.5, 1.5, model.nq))[frame]
        wanted = {frame: targets_of(pose, frame)[0]}
        aims = Aims(model, wanted, {}, np.ones(model.nv, dtype=bool), bounds, 0.0)
        start = bounds.within(rng.uniform(-1.0, 1.0, model.nq))[None]
        (one,), (left,) = descend(aims, start, patient)
        (other,), (error,) = descend_all(aims, start, patient)
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-6)
        np.testing.assert_allclose(left, error, rtol=0, atol=1e-8)
        reached += bool(aims.missed(left) < 1e-8)
    assert reached >= (2 if limited else 10)


def test_rotation_vectors_of_one_and_of_many_are_alike():
    rng = np.random.default_rng(1)
    model = rbd.formats.from_dh(rbd.library.puma_560())
    frame = model.bodies[-1].name
    target = targets_of(rbd.forward_kinematics(model, np.zeros(6))[frame], frame)[0][0]
    q = rng.uniform(-3.0, 3.0, (30, 6))
    poses, J = rbd.forward_kinematics(model, q)[frame], rbd.jacobian(model, q, frame, "aligned")
    e, A = target.error(poses, J)
    for k in range(30):
        for many, one in zip((e[k], A[k]), target.error(poses[k], J[k]), strict=True):
            np.testing.assert_allclose(one, many, rtol=0, atol=1e-12)
