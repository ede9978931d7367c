"""Motions of closed loops: how long they are, and how long straight-line code for them is, decides on their code."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import engine
from rbdkit.engine import Kernels
from rbdkit.engine.run import bound
from rbdkit.integrators import RK4, Projected
from rbdkit.library import n_four_bar, stewart_platform

METHOD = Projected(RK4())


def run(model, q, v, steps):
    """A motion and the kernels that ran it."""
    kernels = Kernels(model, "llvm")
    times = 1e-3 * np.arange(steps + 1)
    return engine.simulate(kernels, q, v, times, METHOD, np.zeros(model.nv)), kernels


def written(kernels):
    """What was asked for of straight-line code: by the size it may have, whether it was written."""
    return {longest: recipe is not None for (_, longest), recipe in kernels._straight.items()}


def test_a_row_of_loops_is_written_out_and_goes_the_same_way(monkeypatch):
    model, q, v = n_four_bar(4, angle=0.4)
    found, kernels = run(model, q, v, 40)
    assert written(kernels) == {bound.LONG: True}
    monkeypatch.setattr(bound, "STRAIGHT_LINKS", 0)
    expected, kernels = run(model, q, v, 40)
    assert written(kernels) == {}
    # the same operations in another order; steps grow rounding errors no further
    assert found.q == pytest.approx(expected.q, abs=1e-12)
    assert found.v == pytest.approx(expected.v, abs=1e-11)


@pytest.mark.parametrize(("steps", "expected"), [(29, [False]), (30, [False, True])])
def test_many_steps_are_worth_longer_code(monkeypatch, steps, expected):
    monkeypatch.setattr(bound, "MANY_STEPS", 30)
    monkeypatch.setattr(bound, "LONG", 100)
    model, q, v = n_four_bar(1, angle=0.4)
    _, kernels = run(model, q, v, steps)
    assert list(written(kernels).values()) == expected


def test_legs_that_are_alike_are_worth_it_for_few_steps():
    model = stewart_platform()
    v = np.zeros(model.nv)
    v[:6] = 0.3, 0.2, 0.1, 0.2, 0.1, 0.5
    q = model.neutral()
    _, kernels = run(model, q, rbd.project_velocity(model, q, v), 3)
    assert written(kernels) == {bound.LONGEST: True}
