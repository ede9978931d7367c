"""States between MuJoCo's coordinates and ours."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from rbdkit.errors import StateError
from rbdkit.formats import from_mujoco_state, to_mujoco_state

BODIES = """
  <body pos="1 2 3" quat="0.5 0.1 0.2 0.7"><freejoint/><geom size="0.1" pos="0.2 0 0"/>
    <body pos="0.3 0 0"><joint type="ball"/><geom size="0.1" pos="0.2 0 0"/>
      <body><joint ref="0.4"/><joint type="slide" ref="-1"/><geom size="0.1" pos="0.2 0 0"/></body></body></body>"""


@pytest.fixture
def both(tree):
    return tree(BODIES)


def test_there_and_back(both):
    model, rng = both.model, np.random.default_rng(0)
    for _ in range(3):
        q, v = model.random_q(rng), rng.normal(size=model.nv)
        qpos, qvel = to_mujoco_state(both.compiled, q, v)
        q2, v2 = from_mujoco_state(both.compiled, qpos, qvel)
        assert np.abs(model.difference(q, q2)).max() < 1e-12
        np.testing.assert_allclose(v2, v, atol=1e-12)


def test_velocities_are_the_rates_of_coordinates(both):
    """A small step of MuJoCo along a velocity is one of ours along ours."""
    m, model, h = both.compiled, both.model, 1e-6
    state = both.state()
    ahead = state.data.qpos.copy()
    mujoco.mj_integratePos(m, ahead, state.data.qvel, h)
    moved = model.difference(state.q, from_mujoco_state(m, ahead)[0]) / h
    np.testing.assert_allclose(moved, state.v, atol=1e-5)


def test_mujocos_reference_is_neutral(both):
    q, v = from_mujoco_state(both.compiled, both.compiled.qpos0)
    np.testing.assert_allclose(q, both.model.neutral(), atol=1e-15)
    assert not v.any()
    np.testing.assert_allclose(to_mujoco_state(both.compiled, both.model.neutral())[0], both.compiled.qpos0, atol=1e-15)


def test_quaternions_of_any_length_are_those_of_mujoco(both):
    qpos = both.compiled.qpos0.copy()
    qpos[3:7] *= 3.0
    np.testing.assert_allclose(from_mujoco_state(both.compiled, qpos)[0], both.model.neutral(), atol=1e-15)


def test_what_is_refused(both):
    with pytest.raises(StateError, match=r"qpos has shape \(3,\), not \(13,\)"):
        from_mujoco_state(both.compiled, [1, 2, 3])
    with pytest.raises(StateError, match=r"v has shape \(2,\), not \(11,\)"):
        to_mujoco_state(both.compiled, both.model.neutral(), [1, 2])
    with pytest.raises(StateError, match="has no direction"):
        from_mujoco_state(both.compiled, np.zeros(13))
