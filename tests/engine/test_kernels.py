"""Every kernel against the readable form, with all joint types, in every backend and form of code.

The kernels add and multiply the same numbers in another order, along chains of up to 34 bodies: 1e-12 of the largest
result is what some thousand roundings leave. Accelerations are solutions with H, and lose besides what its condition
makes of them.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.typing import NDArray

from rbdkit import algorithms
from rbdkit.engine import Kernels
from rbdkit.engine.run import bound
from rbdkit.joints import Free, Revolute
from rbdkit.model import Model
from rbdkit.spatial.inertia import Inertia

ROUND_OFF = 1e-12
BACKENDS = ("python", "llvm")


def state(model: Model, seed: int = 0) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """q, v, a third vector of nv numbers, and forces on all bodies."""
    rng = np.random.default_rng(seed)
    return (
        model.random_q(rng),
        rng.normal(size=model.nv),
        rng.normal(size=model.nv),
        rng.normal(size=(len(model.bodies), 6)),
    )


def check_all(model: Model, kernels: Kernels, off, q: NDArray, v: NDArray, x: NDArray, f: NDArray) -> None:
    conditioned = ROUND_OFF * max(1.0, 1e-2 * np.linalg.cond(algorithms.crba(model, q).H)) if model.nv else ROUND_OFF
    for forces in (None, f):
        assert off(kernels.rnea(q, v, x, forces), algorithms.rnea(model, q, v, x, f_ext=forces).tau) < ROUND_OFF
    assert off(kernels.aba(q, v, x), algorithms.aba(model, q, v, x).qdd) < conditioned
    assert off(kernels.forward_dynamics(q, v, x, f), algorithms.forward_dynamics(model, q, v, x, f_ext=f)) < conditioned
    assert off(kernels.crba(q), algorithms.crba(model, q).H) < ROUND_OFF
    kinematics = algorithms.forward_kinematics(model, q, v)
    poses, velocities = kernels.forward_kinematics(q, v)
    assert off(poses, kinematics.poses) < ROUND_OFF and off(velocities, kinematics.velocities) < ROUND_OFF
    poses, velocities = kernels.forward_kinematics(q)
    assert off(poses, kinematics.poses) < ROUND_OFF and velocities is None
    energy = algorithms.energy(model, q, v)
    assert off(kernels.energy(q, v), np.array([energy.kinetic, energy.gravitational, energy.spring])) < ROUND_OFF


@pytest.mark.parametrize("backend", [*BACKENDS, "checked"])
@pytest.mark.parametrize("name", ["all joints", "plain", "welded"])
def test_the_loop_over_links(name, backend, tree, kernels, off):
    for seed in range(3):
        check_all(tree(name), kernels(name, backend), off, *state(tree(name), seed))


@pytest.mark.parametrize("backend", BACKENDS)
def test_straight_line_code(backend, small_trees, unrolled, off):
    for model in small_trees:
        own = Kernels(model, backend)
        q, v, x, f = state(model)
        # a stack, because one state at a time runs the loop
        assert (
            off(own.rnea(q[None], v[None], x[None], f[None])[0], algorithms.rnea(model, q, v, x, f_ext=f).tau)
            < ROUND_OFF
        )
        expected = algorithms.forward_dynamics(model, q, v, x, f_ext=f)
        assert off(own.forward_dynamics(q[None], v[None], x[None], f[None])[0], expected) < ROUND_OFF
        assert off(own.crba(q[None])[0], algorithms.crba(model, q).H) < ROUND_OFF


@pytest.mark.parametrize("backend", BACKENDS)
def test_external_forces_and_none(backend, tree, kernels, off):
    model, own = tree("plain"), kernels("plain", backend)
    q, v, x, f = state(model)
    for forces in (None, f):
        assert off(own.aba(q, v, x, forces), algorithms.aba(model, q, v, x, f_ext=forces).qdd) < ROUND_OFF
        expected = algorithms.forward_dynamics(model, q, v, x, f_ext=forces)
        assert off(own.forward_dynamics(q, v, x, forces), expected) < ROUND_OFF


@pytest.mark.parametrize("backend", BACKENDS)
def test_stacks_of_states(backend, tree, kernels, off):
    model, own = tree("plain"), kernels("plain", backend)
    rng = np.random.default_rng(5)
    q = np.array([[model.random_q(rng) for _ in range(3)] for _ in range(2)])
    v, x = rng.normal(size=(2, 2, 3, model.nv))
    f = rng.normal(size=(2, 3, len(model.bodies), 6))
    results = {
        "rnea": own.rnea(q, v, x),
        "rnea with forces": own.rnea(q, v, x, f),
        "rnea with the same forces": own.rnea(q, v, x, f[1, 2]),
        "aba": own.aba(q, v, x),
        "crba": own.crba(q),
        "poses": own.forward_kinematics(q)[0],
        "velocities": own.forward_kinematics(q, v)[1],
        "energy": own.energy(q, v),
    }
    for index in np.ndindex(2, 3):
        q1, v1, x1 = q[index], v[index], x[index]
        single = {
            "rnea": own.rnea(q1, v1, x1),
            "rnea with forces": own.rnea(q1, v1, x1, f[index]),
            "rnea with the same forces": own.rnea(q1, v1, x1, f[1, 2]),
            "aba": own.aba(q1, v1, x1),
            "crba": own.crba(q1),
            "poses": own.forward_kinematics(q1)[0],
            "velocities": own.forward_kinematics(q1, v1)[1],
            "energy": own.energy(q1, v1),
        }
        for name, value in single.items():
            assert np.array_equal(results[name][index], value), name  # the same code: the same bits


def test_an_empty_stack(tree, kernels):
    model, own = tree("plain"), kernels("plain", "llvm")
    assert own.aba(np.zeros((0, model.nq)), np.zeros((0, model.nv)), np.zeros((0, model.nv))).shape == (0, model.nv)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_model_of_the_world_alone(backend):
    own, nothing = Kernels(Model("empty"), backend), np.zeros(0)
    assert own.aba(nothing, nothing, nothing).shape == (0,)
    assert own.crba(nothing).shape == (0, 0)
    assert np.array_equal(own.forward_kinematics(nothing)[0], np.eye(4)[None])
    assert np.array_equal(own.energy(nothing, nothing), np.zeros(3))


def test_strided_and_integer_arrays_are_taken_as_they_are(tree, kernels):
    model, own = tree("plain"), kernels("plain", "llvm")
    q, v, x, _ = state(model)
    wide = np.stack([q, v, x], axis=1)
    assert np.array_equal(own.aba(wide[:, 0], wide[:, 1], wide[:, 2]), own.aba(q, v, x))
    whole = np.arange(model.nv)
    assert np.array_equal(own.rnea(whole, whole, whole), own.rnea(whole * 1.0, whole * 1.0, whole * 1.0))


def test_results_are_the_callers(tree, kernels):
    model, own = tree("plain"), kernels("plain", "llvm")
    q, v, x, _ = state(model)
    first = own.aba(q, v, x)
    kept = first.copy()
    own.aba(q, v, 2.0 * x)
    assert np.array_equal(first, kept)


def test_threads_do_not_disturb_each_other(tree, kernels):
    model, own = tree("all joints"), kernels("all joints", "llvm")
    states = [state(model, seed) for seed in range(8)]
    expected = [own.aba(*s) for s in states]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda k: own.aba(*states[k % 8]), range(400)))
    assert all(np.array_equal(value, expected[k % 8]) for k, value in enumerate(found))


def test_a_body_far_from_the_world_keeps_its_digits(off):
    """The inertia matrix does not depend on where the base is; squares of 1e6 m would leave four digits."""
    model = Model("far")
    base = model.add_body("base", joint=Free(), inertia=Inertia.box([0.1, 0.2, 0.3], mass=2.0))
    model.add_body("arm", base, Revolute("y"), [0.1, 0.2, 0.3], Inertia.box([0.3, 0.1, 0.1], mass=1.0))
    own = Kernels(model, "llvm")
    near = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.4])
    far = near + np.array([0.0, 0.0, 0.0, 0.0, 1e6, -1e6, 1e6, 0.0])
    assert off(own.crba(far), own.crba(near)) < 1e-15
    assert off(own.crba(far), algorithms.crba(model, far).H) < 1e-14


def test_kernels_are_of_the_model_as_it_was(tree):
    model = tree("plain")
    q, v, x, _ = state(model)
    own = Kernels(model, "llvm")
    before = own.rnea(q, v, x)
    changed = model.with_parameters({"gravity": [0.0, 0.0, 0.0]})
    assert np.array_equal(own.rnea(q, v, x), before)
    assert not np.allclose(Kernels(changed, "llvm").rnea(q, v, x), before)


def test_no_parameter_makes_new_code(tree, off, monkeypatch):
    """All of them change at once, to values that are neither zero nor one; nothing is compiled."""
    model = tree("all joints")
    q, v, x, f = state(model)
    Kernels(model, "llvm").forward_dynamics(q, v, x, f)
    rng = np.random.default_rng(6)
    values = {}
    for name, value in model.parameters.items():
        kind = name.rsplit(".")[-1]
        if kind in ("mass", "inertia", "damping", "stiffness", "armature", "pitch"):
            values[name] = np.asarray(value) * rng.uniform(1.1, 1.3)
        elif kind in ("com", "gravity"):
            values[name] = np.asarray(value) + rng.normal(size=3)
    changed = model.with_parameters(values)

    def refuse(*_: object) -> None:
        raise AssertionError("something was compiled")

    monkeypatch.setattr("rbdkit.engine.run.compiled_programs.executable", refuse)
    found = Kernels(changed, "llvm").forward_dynamics(q, v, x, f)
    assert off(found, algorithms.forward_dynamics(changed, q, v, x, f_ext=f)) < 1e-11


def arm(offset: tuple[float, float, float], name: str = "arm") -> Model:
    model = Model(name)
    for k in range(3):
        inertia = Inertia.box([0.1, 0.2, 0.3], mass=1.0).transformed(np.eye(4))
        model.add_body(f"b{k}", model.bodies[-1], Revolute("xyz"[k]), offset, inertia)
    return model


def test_what_straight_line_code_a_model_has_depends_on_the_model_alone(unrolled, off, monkeypatch):
    """On its zeros, and on no other model of the same name."""
    q, v, x = np.random.default_rng(1).normal(size=(3, 4, 3))
    made = []
    original = bound.unrolled_code
    monkeypatch.setattr(bound, "unrolled_code", lambda *key: made.append(key[1]) or original(*key))
    straight, longer, bent = (0.0, 0.0, 0.3), (0.0, 0.0, 1.0), (0.1, 0.0, 0.3)
    for offset, name in zip((straight, longer, bent, bent, straight), "aaabb", strict=True):
        model = arm(offset, name)
        found = Kernels(model, "llvm").aba(q, v, x)
        expected = np.array([algorithms.aba(model, *s).qdd for s in zip(q, v, x, strict=True)])
        assert off(found, expected) < ROUND_OFF
    assert made[0] == made[1] == made[4] != made[2] == made[3]


def test_no_number_comes_out_of_a_joint_that_moves_nothing():
    """What the book form raises an error for: it is the caller's to notice."""
    model = Model("massless")
    model.add_body("ghost", joint=Revolute("z"))
    for backend in BACKENDS:
        assert not np.isfinite(Kernels(model, backend).aba(np.zeros(1), np.zeros(1), np.ones(1))).any()
