"""A quantity of one's own among the kernels, in this file alone: a function over a tree, and its lines in tables."""

from importlib import import_module

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import engine
from rbdkit.engine import Kernels
from rbdkit.engine.run import over_states, signatures
from rbdkit.engine.steps.text_tree import TextTree
from rbdkit.integrators import RK4
from rbdkit.library import random_state
from rbdkit.spatial.compact import Subspace, fv, mv, plx


def joint_momenta(tree, state):
    """p = S.T h: along each freedom, the momentum of all that lies beyond it, and of its rotor."""
    q, qd, p = state.q, state["v"], state["momentum"]
    text = TextTree(tree, q, {})
    X, S, v, h = (text.room(kind) for kind in (plx, Subspace, mv, fv))
    for i in text.outward:
        joint = text.joints[i]
        X[i], S[i] = joint.transform(q) @ text.X_tree[i], joint.motion_subspace(q)
        v[i] = X[i] @ v[i.parent] + joint.velocity(q, qd)
        h[i] = text.I[i] @ v[i]
    for i in text.inward:
        p[i] = S[i].T @ h[i] + text.joints[i].armature * qd[i]
        h[i.parent] += X[i].T @ h[i]


class WithMomenta(Kernels):
    """What a user calls; in the package it is a method among the others."""

    def momenta(self, q, v):
        return self._compute("joint_momenta", (q, v))[0]


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(over_states.ALGORITHMS, "joint_momenta", joint_momenta)
    monkeypatch.setitem(signatures.INPUTS, "joint_momenta", ("q", "v"))
    monkeypatch.setitem(signatures.OUTPUTS, "joint_momenta", ("momentum",))


@pytest.mark.parametrize("backend", ["llvm", "python", "wasm"])
@pytest.mark.parametrize("name", ["all joints", "plain"])
def test_it_is_computed_in_every_backend_for_states_and_stacks(name, backend, tree, off, wasm):
    model = tree(name)
    own = WithMomenta(model, backend)
    states = [random_state(model, seed)[:2] for seed in range(5)]
    expected = np.array([rbd.crba(model, q, backend="book") @ v for q, v in states])
    q, v = (np.array(x) for x in zip(*states, strict=True))
    # sums over 34 bodies in another order
    assert off(own.momenta(q, v), expected) < 1e-12
    assert off(own.momenta(q[0], v[0]), expected[0]) < 1e-12


def test_web_pages_can_have_it(monkeypatch):
    browser = import_module("rbdkit.engine.browser.packaged")
    monkeypatch.setattr(browser, "ALGORITHMS", (*browser.ALGORITHMS, "joint_momenta"))
    package = engine.packaged(rbd.library.double_pendulum(), RK4(), algorithms=("joint_momenta",))
    assert "momentum" in package["programs"]["joint_momenta"]["arrays"]
