"""Neighbours by the cells of a grid: the same pairs in the same order as by a look at all of them."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine import Kernels, scene_for, simulate
from rbdkit.engine.contact import grid
from rbdkit.engine.contact.time_steps import TimeSteps
from rbdkit.engine.run.compiled_programs import loop_code

N, STEPS = 70, 60


def heap(spread):
    """Balls and boxes of several sizes, in no order, that fly into each other."""
    model, rng = rbd.Model("heap"), np.random.default_rng(3)
    for k in range(N):
        size = 0.04 + 0.04 * rng.random()
        shape = rbd.Box([size, size, 2.0 * size]) if k % 9 == 4 else rbd.Sphere(size)
        model.add_body(f"b{k}", joint=rbd.Free(), inertia=rbd.Inertia.sphere(size, mass=1.0), geometry=shape)
    model.add_ground(friction=0.5)
    model.add_contacts(friction=0.4)
    q, v = np.tile(model.neutral()[:7], (N, 1)), rng.normal(size=(N, 6))
    q[:, 4:] = spread * rng.uniform([-0.5, -0.5, 0.2], [0.5, 0.5, 1.0], (N, 3))
    v[:, 3:] -= 2.0 * q[:, 4:]
    return model, q.ravel(), v.ravel()


def run_of(model, q, v, steps=STEPS):
    scene, why = scene_for(model)
    assert scene is not None, why
    method = TimeSteps(sweeps=30, tol=1e-6)
    run = simulate(Kernels(model, "llvm"), q, v, 2e-3 * np.arange(steps + 1), method, np.zeros(model.nv), scene=scene)
    assert run.log is not None
    return run.q, run.log, scene


@pytest.mark.parametrize("spread", [1.2, 1e3])
def test_a_grid_finds_the_pairs_that_a_look_at_all_finds(spread, monkeypatch):
    model, q, v = heap(spread)
    found, log, scene = run_of(model, q, v)
    assert scene.counts["n_gridded"] > 0
    assert any(scene.counts[f"singly_{a}"] < scene.counts[f"end_{a}"] for a in ("sphere_sphere", "box_sphere"))
    monkeypatch.setattr(grid, "MANY", 10**9)
    again = heap(spread)[0]
    expected, log_of_all, singly = run_of(again, q, v)
    assert singly.counts["n_gridded"] == 0
    assert (len(log) > 400) == (spread < 10.0)
    assert np.array_equal(found, expected) and np.array_equal(log, log_of_all)


def test_a_grid_in_a_web_page(host, monkeypatch):
    model, q, v = heap(0.8)
    expected, log, _ = run_of(model, q, v, 4)
    monkeypatch.setattr("rbdkit.engine.run.compiled_programs.executable", lambda program, _: host.code(program))
    loop_code.cache_clear()
    try:
        found, log_of_page, _ = run_of(model, q, v, 4)
    finally:
        loop_code.cache_clear()
    assert found == pytest.approx(expected, abs=1e-10)
    assert log_of_page[:, :2].tolist() == log[:, :2].tolist()
