"""Jacobians, momentum and centre of mass: kernels against the readable forms, with all joint types."""

from dataclasses import replace

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.engine import Kernels
from rbdkit.engine.run.kernels import FRAMES
from rbdkit.errors import ModelError, StateError
from rbdkit.model import Frame
from rbdkit.spatial import se3

ROUND_OFF = 1e-12
"""Of the largest element, after some thousand roundings along chains of up to 34 bodies."""
BACKENDS = ("python", "llvm")
REFERENCES = ("body", "world", "aligned")


def frames(model) -> list[Frame]:
    """Of the world, of some bodies, and one askew on each of these."""
    rng = np.random.default_rng(1)
    own = [model.frame(body.name) for body in (*model.bodies[:2], *model.bodies[5::7], model.bodies[-1])]
    return own + [replace(frame, placement=se3.random(rng)) for frame in own]


def state(model, seed=0):
    rng = np.random.default_rng(seed)
    return model.random_q(rng), rng.normal(size=model.nv)


def close(found, expected) -> bool:
    """Where joints turn about one axis alone the terms, of order 1, cancel."""
    return bool(np.max(np.abs(found - expected)) < ROUND_OFF * max(1.0, np.max(np.abs(expected))))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["all joints", "plain", "welded"])
def test_jacobians_and_bias_accelerations(name, backend, tree, kernels, off):
    model, own = tree(name), kernels(name, backend)
    q, v = state(model)
    for frame in frames(model):
        X = rbd.spatial.plucker.from_pose(frame.placement)
        for reference in REFERENCES if backend == "llvm" else REFERENCES[1:2]:  # Python code is long in the making
            J = own.jacobian(q, frame.body, frame.placement, reference)
            a = own.bias_acceleration(q, v, frame.body, frame.placement, reference)
            if np.array_equal(frame.placement, np.eye(4)):
                body = model.bodies[frame.body].name
                assert off(J, algorithms.jacobian(model, q, body, reference)) < ROUND_OFF
                assert close(a, algorithms.bias_acceleration(model, q, v, body, reference))
            elif reference == "body":
                body = model.bodies[frame.body].name
                assert off(J, X @ algorithms.jacobian(model, q, body)) < ROUND_OFF
                assert close(a, X @ algorithms.bias_acceleration(model, q, v, body))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["all joints", "plain"])
def test_momentum_and_center_of_mass(name, backend, tree, kernels, off):
    model, own = tree(name), kernels(name, backend)
    q, v = state(model)
    assert off(own.center_of_mass(q), algorithms.center_of_mass(model, q)) < ROUND_OFF
    for about in ("world", "com"):
        assert off(own.momentum(q, v, about), algorithms.momentum(model, q, v, about)) < ROUND_OFF


@pytest.mark.parametrize("shape", [(2, 3), (257,), (0,)])
def test_stacks(shape, tree, off):
    """257 states go through the lanes, and leave one over."""
    model = tree("plain")
    model.add_frame(f"hook {shape}", model.bodies[-2], se3.random(np.random.default_rng(7)))
    rng = np.random.default_rng(3)
    q = np.array([model.random_q(rng) for _ in range(int(np.prod(shape)))]).reshape(*shape, model.nq)
    v = rng.normal(size=(*shape, model.nv))
    calls = {
        "jacobian": lambda q, v, **how: rbd.jacobian(model, q, f"hook {shape}", "aligned", **how),
        "bias": lambda q, v, **how: rbd.bias_acceleration(model, q, v, f"hook {shape}", "world", **how),
        "momentum": lambda q, v, **how: rbd.momentum(model, q, v, "com", **how),
        "center": lambda q, v, **how: rbd.center_of_mass(model, q, **how),
        "gravity": lambda q, v, **how: rbd.gravity_force(model, q, **how),
    }
    for name, call in calls.items():
        found = call(q, v)
        assert found.shape[: len(shape)] == shape, name
        for index in [(0,) * len(shape), tuple(n - 1 for n in shape)] if found.size else []:
            assert off(found[index], call(q[index], v[index], backend="book")) < ROUND_OFF, name


def test_calls_for_different_frames_do_not_mix(tree, kernels):
    model, own = tree("plain"), kernels("plain", "llvm")
    q, _ = state(model)
    ends = [model.frame(body.name) for body in model.bodies]
    first = [own.jacobian(q, frame.body, frame.placement, "world") for frame in ends]
    again = [own.jacobian(q, frame.body, frame.placement, "world") for frame in reversed(ends)]
    assert all(np.array_equal(a, b) for a, b in zip(first, reversed(again), strict=True))
    assert not first[0].any() and first[-1].any()


def test_errors_are_those_of_the_readable_form(tree):
    welded = tree("welded")
    with pytest.raises(ModelError, match="no moving mass, so no centre of mass"):
        rbd.center_of_mass(welded, [])
    with pytest.raises(ModelError, match="no moving mass, so no centre of mass"):
        rbd.momentum(welded, [], [], about="com")
    assert not rbd.momentum(welded, [], []).any()
    model = tree("plain")
    with pytest.raises(ModelError, match="frame 'nobody' is not in model"):
        rbd.jacobian(model, model.neutral(), "nobody")
    with pytest.raises(StateError, match="must be 'body', 'world' or 'aligned'"):
        rbd.jacobian(model, model.neutral(), "b1", "space")
    with pytest.raises(StateError, match="must be 'world' or 'com'"):
        rbd.momentum(model, model.neutral(), np.zeros(model.nv), about="base")


def test_a_frame_that_moves_on_its_body_leaves_nothing_behind(tree):
    """Each place is another input of the same program that waits."""
    model = tree("plain")
    own, rng = Kernels(model, "llvm"), np.random.default_rng(6)
    q, last = model.random_q(rng), len(model.bodies) - 1
    for _ in range(FRAMES + 40):
        placement = se3.random(rng)
        found = own.jacobian(q, last, placement, "body")
    assert np.array_equal(found, Kernels(model, "llvm").jacobian(q, last, placement, "body"))
    assert len(own._frames) <= FRAMES and [len(calls) for calls in own._idle.values()] == [1]
