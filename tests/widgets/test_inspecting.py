"""Arrows beside an inspected body are its velocity, acceleration and force."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.scene.palette import SPATIAL, rgb


@pytest.fixture
def shown():
    model = rbd.library.double_pendulum()
    view = rbd.show(rbd.simulate(model, [1.2, 0.4], [0.5, -1.0], duration=0.5, dt=1e-3), height=140)
    yield view
    view.close()


def drawn(view) -> dict[tuple[str, bool], np.ndarray]:
    """Rows of the arrows by symbol and whether they turn."""
    rows = np.frombuffer(view._arrows, dtype="<f4").reshape(-1, 11)
    return {(name, bool(row[10])): row for (name, _), row in zip(view._arrow_names, rows, strict=True)}


def test_they_follow_the_motion_and_say_their_size(shown):
    run = shown.trajectory
    shown.inspected = "rod2"
    for k in (120, 300):
        shown.t = float(run.t[k])
        rows, com = drawn(shown), run.model.bodies[2].inertia.com
        places = [(run.poses()[j, 2] @ [*com, 1.0])[:3] for j in (k - 1, k, k + 1)]
        R, dt = run.poses()[k, 2, :3, :3], run.t[k + 1] - run.t[k]
        velocity = (places[2] - places[0]) / (2.0 * dt)
        acceleration = (places[2] - 2.0 * places[1] + places[0]) / dt**2
        texts = dict(shown._arrow_names[j] for j in range(len(rows)) if not list(rows)[j][1])
        for name, truth, unit in (("v", velocity, "m/s"), ("a", acceleration, "m/s\u00b2")):
            row = rows[name, False]
            np.testing.assert_allclose(row[1:4], com, atol=1e-6)
            direction = R @ row[4:7] / np.linalg.norm(row[4:7])
            assert direction @ truth == pytest.approx(np.linalg.norm(truth), rel=1e-4)
            assert float(texts[name].split()[1]) == pytest.approx(np.linalg.norm(truth), rel=6e-3)  # three digits
            assert texts[name].endswith(unit)
        np.testing.assert_allclose(rows["f", False][7:10], rgb(SPATIAL["force"][1]), atol=1e-6)
    shown.inspected = ""
    assert shown._arrows == b"" and shown._arrow_names == []


def test_the_world_has_none(shown):
    shown.inspected = "rod1"
    assert drawn(shown)
    shown.inspected = shown.trajectory.model.bodies[0].name
    assert shown._arrows == b""
