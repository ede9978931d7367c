"""The rows of constraints by themselves, as the engine sees them, against the readable forms."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine import Kernels
from rbdkit.formulations import JointSystem, linearize
from rbdkit.simulation.linearized import Near, linearized

MODELS = {
    "platform": rbd.library.stewart_platform,
    "four-bar": rbd.library.planar_four_bar,
    "bricard": rbd.library.rectangular_bricard,
    "linear actuator": lambda: rbd.library.linear_actuator().model,
}


@pytest.mark.parametrize("name", MODELS)
def test_rows_are_those_of_the_readable_form(name: str) -> None:
    """Anywhere, closed or not; stacks (in lanes from 512 states on) have what single states have."""
    model, rng = MODELS[name](), np.random.default_rng(3)
    kernels, book = Kernels(model, "llvm"), JointSystem(model, book=True)
    q, v = np.array([model.random_q(rng) for _ in range(513)]), rng.normal(size=(513, model.nv))
    found = kernels.constraint_rows(q, v)
    for k in (0, 255, 512):
        expected, one = book.constraint(0.0, q[k], v[k]), kernels.constraint_rows(q[k], v[k])
        for ours, theirs in (("K", "K"), ("k", "k"), ("gap", "delta"), ("slip", "delta_dot")):
            np.testing.assert_allclose(getattr(one, ours), getattr(expected, theirs), rtol=0, atol=2e-13)
            np.testing.assert_allclose(getattr(found, ours)[k], getattr(one, ours), rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.openness, book.gap(np.zeros(513), q), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(kernels.openness(q), found.openness, rtol=1e-14, atol=1e-16)


@pytest.mark.parametrize("name", MODELS)
def test_rank_by_compiled_rows(name: str) -> None:
    model, rng = MODELS[name](), np.random.default_rng(4)
    fast, book = JointSystem(model), JointSystem(model, book=True)
    q, v = rbd.assemble(model), rng.normal(size=model.nv)
    ours, expected = fast.rows_at(0.0, q, v), book.rows_at(0.0, q, v)
    assert ours.rank == expected.rank
    np.testing.assert_allclose(ours.weakest, expected.weakest, rtol=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_closed_systems_are_linearised_together(name: str) -> None:
    """By the same differences as one after the other; these lose eight digits of sixteen."""
    model, rng = MODELS[name](), np.random.default_rng(5)
    system, q = JointSystem(model), rbd.assemble(model)
    v = [rbd.project_velocity(model, q, rng.normal(size=model.nv)) for _ in range(2)]
    for one, near in zip(v, linearized([Near(system, 0.0, q, each) for each in v]), strict=True):
        expected = linearize(system, 0.0, q, one)
        assert near is not None
        scale = max(1.0, np.abs(expected.K).max(), np.abs(expected.C).max())
        np.testing.assert_allclose(near.K, expected.K, rtol=0, atol=1e-7 * scale)
        np.testing.assert_allclose(near.C, expected.C, rtol=0, atol=1e-7 * scale)
