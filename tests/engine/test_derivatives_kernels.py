"""Derivative kernels against the readable recursions, with all joint types, in both backends and in lanes.

Both sum the same products in another order, along chains of up to 34 bodies: 1e-12 of the largest element is what some
thousand roundings leave. Accelerations are solutions with H and lose what its condition makes of that.
"""

import cmath

import numpy as np
import pytest

from rbdkit import algorithms
from rbdkit.engine import Kernels, NotCovered
from rbdkit.engine.links.layout import layout
from rbdkit.engine.run import bound
from rbdkit.engine.run.compiled_programs import Task
from rbdkit.engine.run.recordings import record
from rbdkit.engine.steps.sizes import row_length
from rbdkit.engine.steps.unrolled_tree import UnrolledTree
from rbdkit.joints import Helical, Planar, Prescribed, Prismatic, Reversed, Revolute, Spherical
from rbdkit.library import random_tree
from rbdkit.model import Mimic, Model
from rbdkit.spatial.compact import Coriolis, mv, rbi
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.vector3 import Symmetric, Vector
from rbdkit.trace import python_source
from rbdkit.trace.program import Program

ROUND_OFF = 1e-12
BACKENDS = ("python", "llvm")


def state(model: Model, seed: int = 0):
    """q, v, two vectors of nv numbers, and forces on all bodies."""
    rng = np.random.default_rng(seed)
    return (model.random_q(rng), *rng.normal(size=(3, model.nv)), rng.normal(size=(len(model.bodies), 6)))


def conditioned(model: Model, q: np.ndarray) -> float:
    return ROUND_OFF * max(1.0, 1e-2 * np.linalg.cond(algorithms.crba(model, q).H)) if model.nv else ROUND_OFF


def check_jacobians(model: Model, kernels: Kernels, off, seed: int) -> None:
    q, v, x, _, f = state(model, seed)
    for forces in (None, f):
        d = algorithms.rnea_derivatives(model, q, v, x, f_ext=forces)
        for found, expected in zip(
            kernels.rnea_jacobian(q, v, x, forces), (d.dtau_dq, d.dtau_dv, d.dtau_da), strict=True
        ):
            assert off(found, expected) < ROUND_OFF
    # springs and dampers come on top of the rest; without them there is other code to compile, so only for few joints
    for passive in (True,) if len(model.bodies) > 20 else (True, False):
        e = algorithms.forward_dynamics_derivatives(model, q, v, x, f_ext=f, passive=passive)
        blocks, qdd = kernels.aba_jacobian(q, v, x, f, passive)
        for found, expected in zip((qdd, *blocks), (e.qdd, e.dqdd_dq, e.dqdd_dv, e.dqdd_dtau), strict=True):
            assert off(found, expected) < conditioned(model, q)


@pytest.mark.parametrize("bodies", range(1, 23))
@pytest.mark.parametrize("branching", [0.0, 0.7])
def test_rows_of_every_length(bodies, branching, off):
    """Several columns at once: those over at the end, and rows that begin where the last one ended."""
    joints = [Revolute("x"), Prismatic("y"), Revolute("z")]
    model = random_tree(bodies, bodies=bodies, branching=branching, joints=joints)
    own, (q, v, x, *_) = Kernels(model, "llvm"), state(model, bodies)
    d = algorithms.rnea_derivatives(model, q, v, x)
    e = algorithms.forward_dynamics_derivatives(model, q, v, x, passive=False)
    shape, spare = (2, model.nv, row_length(3 * model.nv)), 16
    numbers = int(np.prod(shape))
    for algorithm, given, expected in (
        ("rnea", "qdd", (d.dtau_dq, d.dtau_dv, d.dtau_da)), ("aba", "tau", (e.dqdd_dq, e.dqdd_dv, e.dqdd_dtau)),
    ):  # fmt: skip
        room = np.full(numbers + spare, np.nan)
        room[:numbers] = 0.0
        arrays = {"q": np.array([q, q]), "v": np.array([v, v]), given: np.array([x, x]), "derivatives": room}
        if algorithm == "aba":
            arrays["qdd"] = np.zeros((2, model.nv))
        own.bind(Task(f"{algorithm}_jacobian"), arrays, {"states": 2}, 1)()
        assert np.all(np.isnan(room[numbers:]))  # nothing is written there
        for blocks in room[:numbers].reshape(shape):
            assert off(blocks[:, : 3 * model.nv], np.hstack(expected)) < conditioned(model, q)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["all joints", "plain", "welded"])
def test_jacobians(name, backend, tree, kernels, off):
    check_jacobians(tree(name), kernels(name, backend), off, 1)


@pytest.mark.parametrize("deep", [0, 1000], ids=["articulated bodies", "factors of H"])
@pytest.mark.parametrize("name", ["all joints", "plain", "welded"])
def test_both_ways_to_apply_the_inverse_inertia(name, deep, tree, off, monkeypatch):
    """Which one is quicker depends on how many joints move a body; which one runs must not show in the numbers."""
    monkeypatch.setattr(bound, "DEEP", deep)
    model = tree(name)
    check_jacobians(model, Kernels(model, "python"), off, 3)


def test_a_long_chain_takes_the_way_that_is_linear_in_its_links(off, monkeypatch):
    model = random_tree(8, bodies=40, joints=[Revolute("z"), Spherical(), Helical("y", pitch=0.3)], branching=0.0)
    q, v, x, _, f = state(model, 4)
    linear = Kernels(model, "llvm").aba_jacobian(q, v, x, f)
    monkeypatch.setattr(bound, "DEEP", 1000)
    factors = Kernels(model, "llvm").aba_jacobian(q, v, x, f)
    expected = algorithms.forward_dynamics_derivatives(model, q, v, x, f_ext=f, passive=False)
    for blocks, _ in (linear, factors):
        for found, J in zip(blocks, (expected.dqdd_dq, expected.dqdd_dv, expected.dqdd_dtau), strict=True):
            assert off(found, J) < conditioned(model, q)
    assert not np.array_equal(linear[0][0], factors[0][0])  # they are two texts


def check_gradients(model: Model, kernels: Kernels, off, seed: int) -> None:
    q, v, x, w, f = state(model, seed)
    d = algorithms.rnea_derivatives(model, q, v, x, f_ext=f)
    by_name = algorithms.rnea_parameter_derivatives(model, q, v, x, f_ext=f)
    g = kernels.rnea_gradient(q, v, x, w, f)
    for found, J in (
        (g.by_q, d.dtau_dq),
        (g.by_v, d.dtau_dv),
        (g.by_qdd, d.dtau_da),
        (g.by_gravity, by_name["gravity"]),
    ):
        assert off(found, w @ J) < ROUND_OFF
    for name, found in kernels.parameter_gradient(model, g.by_link).items():
        expected = np.tensordot(w, by_name[name], 1)
        assert np.shape(found) == np.shape(expected)
        # a weighted sum whose terms cancel has the accuracy of the terms
        assert np.abs(found - expected).max() < ROUND_OFF * np.abs(by_name[name]).max(initial=1.0) * np.abs(w).sum()
    # tau is linear in the external forces
    one = np.zeros_like(f)
    for b, k in ((1, 0), (len(f) // 2, 4), (len(f) - 1, 5)):
        one[b, k] = 1.0
        change = algorithms.rnea(model, q, v, x, f_ext=f + one).tau - algorithms.rnea(model, q, v, x, f_ext=f).tau
        assert abs(g.by_f_ext[b, k] - w @ change) < ROUND_OFF * np.abs(w).sum() * np.abs(d.F).max()
        one[b, k] = 0.0
    assert off(algorithms.crba(model, q).H @ kernels.inverse_inertia_times(q, w), w) < conditioned(model, q)
    p = algorithms.passive_derivatives(model, q, v)
    by_q, by_v, *of_joints = kernels.passive_gradient(q, v, w)
    assert off(by_q, w @ p.dtau_dq) < ROUND_OFF and off(by_v, w @ p.dtau_dv) < ROUND_OFF
    for name, found in zip(("damping", "stiffness", "rest"), of_joints, strict=True):
        for joint in model.joints:
            if joint.nv:
                expected = np.atleast_1d(w @ p.parameters[f"{joint.name}.{name}"])
                scale = np.abs(p.parameters[f"{joint.name}.{name}"]).max(initial=1e-3) * np.abs(w).sum()
                assert np.abs(found[joint.v_slice] - expected).max() < ROUND_OFF * scale


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["all joints", "plain"])
def test_gradients(name, backend, tree, kernels, off):
    check_gradients(tree(name), kernels(name, backend), off, 2)


def test_lanes_compute_the_same(off, monkeypatch):
    """A long stack is computed several states at a time: 19 is no multiple of any width."""
    monkeypatch.setattr("rbdkit.engine.run.states.LANE_STATES", 1)
    joints = [Revolute("y"), Spherical(), Reversed(Planar("z")), Helical([0.6, 0.0, 0.8], pitch=0.3)]
    model = random_tree(6, bodies=6, joints=joints)
    model = model.with_parameters({f"{j.name}.stiffness": np.full(j.nv, 2.0) for j in model.joints if j.nv})
    own = Kernels(model, "llvm")
    q, v, x, w, f = (np.array(part) for part in zip(*(state(model, seed) for seed in range(19)), strict=True))
    stacks = [*own.rnea_jacobian(q, v, x, f), *own.aba_jacobian(q, v, x, f, passive=True)[0]]
    g = own.rnea_gradient(q, v, x, w, f)
    for k in (0, 7, 18):
        one = [*own.rnea_jacobian(q[k], v[k], x[k], f[k]), *own.aba_jacobian(q[k], v[k], x[k], f[k], passive=True)[0]]
        for stack, single in zip(stacks, one, strict=True):
            assert off(stack[k], single) < conditioned(model, q[k])
        single = own.rnea_gradient(q[k], v[k], x[k], w[k], f[k])
        assert off(g.by_q[k], single.by_q) < ROUND_OFF and off(g.by_link[k], single.by_link) < ROUND_OFF


def test_against_the_complex_step_through_emitted_python(off):
    """The straight-line Python source of RNEA, run on complex numbers: exact derivatives without any recursion."""
    model = random_tree(9, bodies=5, joints=[Revolute([0.6, 0.0, 0.8]), Prismatic("x"), Helical("y", pitch=0.3)])
    plan = layout(model)
    program = Program("rnea")
    record(Task("rnea", external=True), UnrolledTree(program, plan.links, plan.nq, plan.nv, {}))
    scope = {"sin": cmath.sin, "cos": cmath.cos}
    exec(python_source(program), scope)
    q, v, x, _, f = state(model)
    own = Kernels(model, "llvm")
    given = {**{name: numbers.ravel().tolist() for name, numbers in own.numbers.items()}, "tau": [0.0] * model.nv}
    columns = []
    for moved in np.eye(3 * model.nv) * 1e-30j:
        dq, dv, dx = np.split(moved, 3)
        arrays = {**given, "q": list(q + dq), "v": list(v + dv), "qdd": list(x + dx), "f_ext": list(f.ravel())}
        scope["rnea"](**{name: arrays[name] for name in program.arrays}, states=1)
        columns.append([complex(tau).imag / 1e-30 for tau in arrays["tau"]])
    for found, expected in zip(own.rnea_jacobian(q, v, x, f), np.split(np.array(columns).T, 3, axis=1), strict=True):
        assert off(found, expected) < ROUND_OFF


def test_nothing_that_depends_on_how_far_from_the_world_a_tree_is(off):
    """A free body carries a chain: its derivatives are the same 1000 km away, in all digits but a few."""
    model = random_tree(5, bodies=8, branching=0.2)
    far = model.with_parameters({"b1_joint.placement": [1e6, -1e6, 1e6] + 0.0 * model.joints[1].placement[:3, 3]})
    near = model.with_parameters({"b1_joint.placement": np.zeros(3)})
    q, v, x, _, _ = state(model)
    for a, b in zip(
        Kernels(far, "llvm").rnea_jacobian(q, v, x), Kernels(near, "llvm").rnea_jacobian(q, v, x), strict=True
    ):
        assert off(a, b) < 100 * ROUND_OFF


def test_the_coriolis_matrix_in_twelve_numbers():
    """Against v x* I - I v x + (I v) bar, for a random body."""
    rng = np.random.default_rng(3)
    body = Inertia.box(rng.uniform(0.1, 0.5, 3), mass=2.0)
    body = Inertia(body.mass, rng.normal(size=3), body.inertia_com)
    M, v, x = body.matrix, rng.normal(size=6), rng.normal(size=6)
    numbers = rbi(M[5, 5], Vector(body.mass * body.com), Symmetric(M[np.triu_indices(3)]))
    B = Coriolis.of_body(numbers, mv.of(v))
    expected = algorithms.body_coriolis(M, v)
    assert np.abs(expected[:, 3:]).max() < 1e-14  # the twelve numbers leave these columns out
    assert np.abs(np.array((B @ mv.of(x)).flat()) - expected @ x).max() < 1e-14
    assert np.abs(np.array((B.T @ mv.of(x)).flat()) - expected.T @ x).max() < 1e-14


def test_joints_that_follow_others_or_time_are_refused():
    follower = Model("follower")
    for name in ("a", "b"):
        mimic = Mimic("a_joint", 2.0) if name == "b" else None
        follower.add_body(
            name, follower.bodies[-1], Revolute("z"), [1.0, 0, 0], Inertia.sphere(0.1, mass=1.0), mimic=mimic
        )
    driven = Model("driven")
    motion = Prescribed(Revolute("z"), lambda t: (np.array([t]), np.array([1.0]), np.array([0.0])))
    driven.add_body("a", joint=motion, inertia=Inertia.sphere(0.1, mass=1.0))
    driven.add_body("b", "a", Revolute("z"), [1.0, 0.0, 0.0], Inertia.sphere(0.1, mass=1.0))
    for model in (follower, driven):
        q = model.neutral()
        with pytest.raises(NotCovered, match="neither follow others nor move as time says"):
            Kernels(model, "python").rnea_jacobian(q, 0.0 * q, 0.0 * q)
