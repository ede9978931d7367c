"""`rbdkit.hybrid_dynamics`: input checked, one state or a stack, NaN where nothing is read."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.errors import ModelError, StateError
from rbdkit.library import random_state, random_tree


@pytest.mark.source("F9.01", "F9.04")
def test_a_stack_of_states(off):
    model = random_tree(3)
    rng = np.random.default_rng(3)
    states = [random_state(model, k) for k in range(6)]
    q, v, tau = (np.stack(part).reshape(2, 3, -1) for part in zip(*states, strict=True))
    forward = [joint.name for joint in model.joints[1::2]]
    first, second = algorithms.split_variables(model, algorithms.forward_joints(model, forward))
    a = rng.normal(size=model.nv)
    a[first], tau[..., second] = np.nan, np.nan
    found = rbd.hybrid_dynamics(model, q, v, tau, a, forward)
    assert found.a.shape == found.tau.shape == (2, 3, model.nv)
    assert np.array_equal(found.a[..., second], np.broadcast_to(a[second], (2, 3, len(second))))
    assert np.array_equal(found.tau[..., first], tau[..., first])
    assert off(rbd.rnea(model, q, v, found.a), found.tau) < 1e-10


def test_models_with_mimic_joints_go_by_the_matrix(mimicking, off):
    coupled, *_ = mimicking
    q, v, tau = random_state(coupled, 4)
    a, found = rbd.hybrid_dynamics(coupled, q, v, tau, [np.nan, 1.0], ["a_joint"])
    assert off(rbd.rnea(coupled, q, v, a), found) < 1e-12
    assert a[1] == 1.0
    assert found[0] == tau[0]


def test_what_is_read_is_checked():
    model = random_tree(3)
    q, v, tau = random_state(model, 1)
    driven = next(joint for joint in model.joints if joint.nv == 1)
    others = [joint.name for joint in model.joints[1:] if joint is not driven]
    a = np.full(model.nv, np.nan)
    with pytest.raises(StateError, match=f"joint '{driven.name}'.*not finite"):
        rbd.hybrid_dynamics(model, q, v, tau, a, others)
    with pytest.raises(StateError, match="a has shape"):
        rbd.hybrid_dynamics(model, q, v, tau, a[:-1], others)
    with pytest.raises(ModelError, match="joint 'elbow' is not in model"):
        rbd.hybrid_dynamics(model, q, v, tau, a, ["elbow"])


@pytest.mark.parametrize("seed", range(6))
def test_compiled_against_the_table(seed, off):
    """By inertia matrices and inverse dynamics, against the passes of Table 9.3, on all joint types, with forces."""
    model = random_tree(seed, 9)
    rng = np.random.default_rng(seed)
    states = [random_state(model, k) for k in range(5)]
    q, v, tau = (np.stack(part) for part in zip(*states, strict=True))
    a, f_ext = rng.normal(size=(5, model.nv)), {model.bodies[3].name: rng.normal(size=6)}
    moving = [joint.name for joint in model.joints if joint.nv]
    for forward in (moving[::2], moving, []):
        given = model, q, v, tau, a, forward
        found, book = (rbd.hybrid_dynamics(*given, f_ext=f_ext, backend=name) for name in ("auto", "book"))
        assert off(found.a, book.a) < 1e-10 and off(found.tau, book.tau) < 1e-10
        alone = rbd.hybrid_dynamics(model, q[2], v[2], tau[2], a[2], forward, f_ext=f_ext)
        assert off(alone.a, found.a[2]) < 1e-12


def test_what_has_no_inertia_is_named_by_both():
    model = rbd.Model("m")
    model.add_body("a", joint=rbd.Revolute("z"), inertia=rbd.Inertia(1.0))  # a point on its axis
    model.add_body("b", "a", rbd.Prismatic("x"), inertia=rbd.Inertia(1.0))
    for backend in ("auto", "book"):
        with pytest.raises((ModelError, StateError), match=r"a_joint|inertia"):
            rbd.hybrid_dynamics(model, [0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [0.0, 0.0], ["a_joint"], backend=backend)


def test_the_backend_is_checked_and_asked():
    """Of what acts by itself, and of C: forces of elements and of joints, in stacks, by both."""
    model = random_tree(5, 8)
    for joint in model.joints:
        if joint.nv:
            values = {
                f"{joint.name}.damping": np.full(joint.nv, 0.3),
                f"{joint.name}.stiffness": np.full(joint.nv, 2.0),
            }
            model = model.with_parameters({k: x if joint.nv > 1 else float(x[0]) for k, x in values.items()})
    model.add_force("band", rbd.Spring(model.bodies[4].name, "world", 30.0, 0.4, 0.2))
    q, v, tau = (np.stack(part) for part in zip(*(random_state(model, k) for k in range(4)), strict=True))
    for function in (rbd.passive_force, rbd.bias_force):
        found, book = (function(model, q, v, backend=backend) for backend in ("auto", "book"))
        assert np.allclose(found, book, rtol=1e-11, atol=1e-11) and found.shape == (4, model.nv)
        with pytest.raises(StateError, match="backend 'jit' must be 'auto' or 'book'"):
            function(model, q, v, backend="jit")
    with pytest.raises(StateError, match="backend 'jit' must be 'auto' or 'book'"):
        rbd.hybrid_dynamics(model, q, v, tau, tau, [], backend="jit")
