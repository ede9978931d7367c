"""The rows of constraints by themselves, as the engine sees them, against the readable forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import null_space

import rbdkit as rbd
from rbdkit.engine import Kernels
from rbdkit.formulations import JointSystem
from rbdkit.model.closing import length_of
from rbdkit.model.closing.rank import arcs_of
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
def test_closed_systems_are_linearised_along_their_loops(name: str) -> None:
    """Against readable accelerations of states that are closed in the metric of the kinetic energy."""
    model, rng, h = MODELS[name](), np.random.default_rng(5), 1e-5
    system, book, q = JointSystem(model), JointSystem(model, book=True), rbd.assemble(model)
    arcs = arcs_of(model, length_of(model))
    v = [rbd.project_velocity(model, q, rng.normal(size=model.nv)) for _ in range(2)]
    for one, near in zip(v, linearized([Near(system, 0.0, q, each) for each in v]), strict=True):
        assert near is not None
        allowed = null_space(book.rows_at(0.0, q, one).J * arcs, rcond=1e-8)
        onto = (arcs[:, None] * allowed) @ (allowed.T / arcs)
        np.testing.assert_allclose(near.K @ onto, near.K, rtol=0, atol=1e-13 * np.abs(near.K).max())
        np.testing.assert_allclose(onto @ near.C, near.C, rtol=0, atol=1e-13 * np.abs(near.C).max())
        for _ in range(3):
            moved, faster = onto @ rng.normal(size=model.nv), onto @ rng.normal(size=model.nv)
            states = [book.project(model.move(q, s * h * moved), one + s * h * faster) for s in (1.0, -1.0)]
            rates, velocities = zip(*((book.rate(0.0, *at), at[1]) for at in states), strict=True)
            expected = onto @ (rates[0] - rates[1]) / (2.0 * h)
            found = near.K @ moved + near.C @ (velocities[0] - velocities[1]) / (2.0 * h)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * max(1.0, np.abs(expected).max()))
