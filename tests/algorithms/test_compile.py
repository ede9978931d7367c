"""A user's own algorithms over a tree, compiled: against the same in Python, and the functions of the package."""

import traceback
from copy import copy, deepcopy
from functools import partial
from inspect import getsource

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import engine
from rbdkit.errors import ArgumentError, ModelError, StateError
from rbdkit.library import random_tree
from rbdkit.spatial import crf, crm, cross_motion, plucker

ROUNDING = 1e-12
"""Of some thousand operations in another order, for numbers about the largest result."""


def my_rnea(model, q, qd, qdd):
    """Table 5.1 as a student writes it."""
    n = len(model.bodies)
    v, a, f = np.zeros((3, n, 6))
    X, S, tau = [np.eye(6)] * n, [np.zeros((6, 0))] * n, np.zeros(model.nv)
    a[0, 3:] = -model.gravity
    for i in model.outward:
        joint, p = model.joints[i], model.parent[i]
        X_J, S[i], v_J, c_J = joint.calc(q, qd)
        X[i] = X_J @ model.X_tree[i]
        v[i] = X[i] @ v[p] + v_J
        a[i] = X[i] @ a[p] + S[i] @ qdd[joint.v_slice] + c_J + cross_motion(v[i], v_J)
        f[i] = model.I[i] @ a[i] + crf(v[i]) @ (model.I[i] @ v[i])
    for i in model.inward:
        joint, p = model.joints[i], model.parent[i]
        tau[joint.v_slice] += S[i].T @ f[i]
        f[p] += X[i].T @ f[i]
    return tau


def my_crba(model, q):
    """Table 6.2."""
    n, H = len(model.bodies), np.zeros((model.nv, model.nv))
    X, Ic = np.zeros((n, 6, 6)), np.array(model.I)
    S = [joint.motion_subspace(q) for joint in model.joints]
    for i in model.outward:
        X[i] = model.joints[i].transform(q) @ model.X_tree[i]
    for i in model.inward:
        if model.parent[i] > 0:
            Ic[model.parent[i]] += X[i].T @ Ic[i] @ X[i]
        F, j, k = Ic[i] @ S[i], i, model.joints[i].v_slice
        H[k, k] = S[i].T @ F
        while model.parent[j] > 0:
            F, j = X[j].T @ F, model.parent[j]
            m = model.joints[j].v_slice
            H[k, m] = F.T @ S[j]
            H[m, k] = H[k, m].T
    return H


def my_aba(model, q, qd, tau):
    """Table 7.1."""
    n = len(model.bodies)
    v, c, a, pA = np.zeros((4, n, 6))
    IA, X, qdd = np.array(model.I), np.zeros((n, 6, 6)), np.zeros(model.nv)
    S, U, D, u = ([None] * n for _ in range(4))
    for i in model.outward:
        joint, p = model.joints[i], model.parent[i]
        X_J, S[i], v_J, c_J = joint.calc(q, qd)
        X[i] = X_J @ model.X_tree[i]
        v[i] = X[i] @ v[p] + v_J
        c[i] = c_J + crm(v[i]) @ v_J
        pA[i] = crf(v[i]) @ (model.I[i] @ v[i])
    for i in model.inward:
        joint, p = model.joints[i], model.parent[i]
        U[i] = IA[i] @ S[i]
        D[i] = S[i].T @ U[i]
        u[i] = tau[joint.v_slice] - S[i].T @ pA[i]
        Ia = IA[i] - U[i] @ np.linalg.solve(D[i], U[i].T)
        IA[p] += X[i].T @ Ia @ X[i]
        pA[p] += X[i].T @ (pA[i] + Ia @ c[i] + U[i] @ np.linalg.solve(D[i], u[i]))
    a[0, 3:] = -model.gravity
    for i in model.outward:
        joint = model.joints[i]
        a_ = X[i] @ a[model.parent[i]] + c[i]
        qdd[joint.v_slice] = np.linalg.solve(D[i], u[i] - U[i].T @ a_)
        a[i] = a_ + S[i] @ qdd[joint.v_slice]
    return qdd


@pytest.fixture(scope="module")
def arm():
    model = rbd.Model("arm")
    for k, axis in enumerate("zyxz"):
        inertia = rbd.Inertia.box((0.1, 0.2, 0.4), mass=1.0 + k)
        model.add_body(f"b{k}", model.bodies[-1].name, rbd.Revolute(axis), placement=(0.1, 0.05, 0.3), inertia=inertia)
    return model


def states(model, count, seed=0):
    rng = np.random.default_rng(seed)
    q = np.array([model.random_q(rng) for _ in range(count)])
    return q, *rng.normal(size=(2, count, model.nv))


@pytest.mark.parametrize("count", [1, 3, 8, 21])
def test_stacks_of_any_length_are_computed_state_by_state(arm, count):
    q, v, x = states(arm, count)
    fast = rbd.compile(my_aba, arm)
    np.testing.assert_allclose(fast(q, v, x), rbd.aba(arm, q, v, x), rtol=0, atol=ROUNDING * 1e3)
    np.testing.assert_allclose(fast(q[0], v[0], tau=x[0]), my_aba(arm, q[0], v[0], x[0]), rtol=0, atol=ROUNDING * 1e3)
    np.testing.assert_array_equal(fast(arm, q, v, x[-1])[-1], fast(q[-1], v[-1], x[-1]))
    assert fast(q[:0], v[:0], x[:0]).shape == (0, arm.nv)


@pytest.mark.parametrize("seed", range(6))
def test_trees_of_all_joint_types(seed):
    """Joints in several pieces, from both ends, that follow others; the recorded model is not the engine's."""
    model = random_tree(seed, 8)
    q, v, x = states(model, 4, seed)
    expected = np.array([my_rnea(model, *each) for each in zip(q, v, x, strict=True)])
    found = rbd.compile(my_rnea, model)(q, v, x)
    np.testing.assert_allclose(found, expected, rtol=0, atol=ROUNDING * np.abs(expected).max())


def test_joints_that_follow_others_move_with_their_leader():
    model = rbd.Model("gripper")
    inertia = rbd.Inertia.box((0.1, 0.2, 0.4), mass=1.0)
    model.add_body("palm", joint=rbd.Revolute("x"), inertia=inertia)
    model.add_body("left", "palm", rbd.Revolute("y"), joint_name="jaw", placement=(0.1, 0.0, 0.3), inertia=inertia)
    after = rbd.Mimic("jaw", multiplier=-0.7, offset=0.2)
    model.add_body("right", "palm", rbd.Revolute("y"), placement=(-0.1, 0.0, 0.3), inertia=inertia, mimic=after)
    q, v, x = states(model, 9)
    found = rbd.compile(my_rnea, model)(q, v, x)
    np.testing.assert_allclose(found, rbd.rnea(model, q, v, x), rtol=0, atol=ROUNDING * 10)


def test_the_inertia_matrix_of_a_free_body_with_limbs():
    model = rbd.Model("free")
    model.add_body("trunk", joint=rbd.Free(), inertia=rbd.Inertia.box((0.2, 0.3, 0.5), mass=4.0))
    for k, y in enumerate((-0.2, 0.2)):
        limb = rbd.Inertia.box((0.1, 0.1, 0.4), mass=1.0)
        model.add_body(f"limb{k}", "trunk", rbd.Spherical(), placement=(0.0, y, -0.1), inertia=limb)
        model.add_body(f"tip{k}", f"limb{k}", rbd.Prismatic("z"), placement=(0.0, 0.0, -0.4), inertia=limb)
    q, *_ = states(model, 9)
    H = rbd.compile(my_crba, model)(q)
    np.testing.assert_allclose(H, rbd.crba(model, q), rtol=0, atol=ROUNDING * 10)


def test_transforms_and_inertias_cost_what_the_book_says(arm):
    """At most the 1.2-fold of the engine's own operations; as NumPy's matrices, ABA takes half as much again."""
    for mine, name in ((my_rnea, "rnea"), (my_aba, "aba")):
        own, engines = rbd.compile(mine, arm)._current(arm).code.trace.operations(), engine.operations(arm, name)
        assert own.mul + own.add < 1.2 * (engines.mul + engines.add)


def test_several_results_and_arguments_of_other_shapes(arm):
    def parts(model, q, gains, t):
        return np.outer(gains, q), t * gains.sum(), model.joints[2].pose(q)

    fast = rbd.compile(parts, arm, sizes={"gains": 3})
    q, *_ = states(arm, 5)
    gains = np.arange(3.0)
    outer, total, pose = fast(q, gains, 2.0)
    np.testing.assert_allclose(outer, gains[:, None] * q[:, None, :])
    np.testing.assert_allclose(total, np.full(5, 6.0))
    np.testing.assert_allclose(pose, [arm.joints[2].pose(x) for x in q], atol=ROUNDING)
    assert fast(q[0], gains, 2.0)[1] == 6.0


def test_forces_from_the_world_are_carried_by_the_dual_transform(arm):
    def pushed(model, q, f_ext):
        X, found = [np.eye(6)] * len(model.bodies), np.zeros((len(model.bodies), 6))
        for i in model.outward:
            X[i] = model.joints[i].transform(q) @ model.X_tree[i] @ X[model.parent[i]]
            found[i] = plucker.force(X[i]) @ f_ext[i]
        return found

    q, *_ = states(arm, 2)
    f = np.random.default_rng(3).normal(size=(5, 6))
    np.testing.assert_allclose(rbd.compile(pushed, arm)(q[0], f), pushed(arm, q[0], f), atol=ROUNDING)


def test_a_law_that_calls_it_is_compiled(arm):
    fast = rbd.compile(my_rnea, arm)
    still = np.zeros(arm.nv)

    def held(t, q, v):
        return fast(q, still, still) - 5.0 * v

    motion = rbd.simulate(arm, np.full(4, 0.3), duration=1.5, tau=held)
    assert "stepped from Python" not in motion.report.backend
    np.testing.assert_allclose(motion.q[-1], 0.3, atol=1e-9)


def test_it_is_compiled_anew_when_what_it_was_made_of_changes():
    model = rbd.library.double_pendulum()
    space = {"K": 2.0, "np": np}
    exec("def scaled(model, q): return K * q + model.gravity[2] * 0.0 + model.joints[1].pose(q)[0, 0]", space)
    fast = rbd.compile(space["scaled"], model)
    q = np.array([0.3, 0.1])
    before = fast(q)
    space["K"] = 5.0
    np.testing.assert_allclose(fast(q), before + 3.0 * q)
    weight = rbd.compile(lambda model, q: model.gravity * q[0], model)
    model.gravity = (0.0, 0.0, -2.0)
    np.testing.assert_allclose(weight(q), [0.0, 0.0, -0.6])


def test_a_matrix_that_only_looks_symmetric_is_not_taken_for_one(arm):
    """An inertia less something without symmetry: what was recorded would be wrong, and is refused."""

    def skewed(model, q):
        twist = np.zeros((6, 6))
        twist[0, 1] = q[0]
        return (model.I[2] - twist) @ np.ones(6)

    with pytest.raises(ArgumentError, match=r"skewed cannot be compiled: what was recorded of it gives .* symmetric"):
        rbd.compile(skewed, arm)


def test_a_matrix_that_is_written_to_is_not_known_any_more(arm):
    def changed(model, q):
        X = np.array(model.joints[1].transform(q))
        X[0, 3] = q[1]
        return X @ np.arange(6.0)

    q, *_ = states(arm, 1)
    np.testing.assert_allclose(rbd.compile(changed, arm)(q[0]), changed(arm, q[0]), atol=ROUNDING)


class Gain:
    """Something with a method."""

    factor = 2.0

    def times(self, model, q):
        return self.factor * q


def test_a_users_exception_keeps_its_line(arm):
    def stops(model, q):
        return {"a": 1.0}["b"] * q  # here

    with pytest.raises(ArgumentError, match=r'stops cannot be compiled: line .*\["b"\] \* q  # here\): \'b\'') as fault:
        rbd.compile(stops, arm)
    own = fault.value.__cause__.__cause__
    assert type(own) is KeyError and own.__context__ is None
    assert traceback.extract_tb(own.__traceback__)[-1].name == "stops"


def test_arguments_by_name_with_default_values_and_of_any_name(arm):
    q, v, _ = states(arm, 4)

    def mixed(model, result, /, states, gain=2.0, *, offset, scale=3.0):
        return gain * result + offset * states + scale

    fast = rbd.compile(mixed, arm, sizes={"scale": (), "offset": 1})
    found = fast(q, states=v, offset=[0.5], scale=10.0)
    np.testing.assert_allclose(found, 2.0 * q + 0.5 * v + 10.0, rtol=0, atol=ROUNDING)
    with pytest.raises(
        ArgumentError, match=r"mixed takes result, states, offset, scale, each once; .* constants unless"
    ):
        fast(q, v, gain=1.0, offset=[1.0], scale=1.0)
    twice = rbd.compile(partial(lambda factor, model, q: factor * q, 2.0), arm)
    np.testing.assert_allclose(twice(q), 2.0 * q)
    outer = rbd.compile(lambda model, q: twice(model, q) + twice(q), arm)
    np.testing.assert_allclose(outer(q), 4.0 * q)
    np.testing.assert_allclose(deepcopy(twice)(q), 2.0 * q)


@pytest.mark.parametrize("backend", ["python", "checked"])
def test_without_machine_code(arm, backend, monkeypatch):
    q, v, x = states(arm, 3)
    monkeypatch.setattr("rbdkit.engine.run.compiled_function.available", lambda: (backend, "as asked for"))
    fast = rbd.compile(my_rnea, arm)
    np.testing.assert_allclose(fast(q, v, x), rbd.rnea(arm, q, v, x), rtol=0, atol=ROUNDING * 1e3)
    np.testing.assert_allclose(fast(q[0], v[0], x[0]), rbd.rnea(arm, q[0], v[0], x[0]), rtol=0, atol=ROUNDING * 1e3)


def test_leading_axes_are_broadcast(arm):
    q, v, _ = states(arm, 24)
    fast = rbd.compile(lambda model, q, v: (np.outer(q, v), q @ v), arm)
    a, b = q.reshape(4, 1, 6, 4), v[:12].reshape(2, 6, 4)
    outer, inner = fast(a, b)
    assert outer.shape == (4, 2, 6, 4, 4) and inner.shape == (4, 2, 6)
    np.testing.assert_allclose(outer, a[..., None] * b[..., None, :], rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(inner, (a * b).sum(-1), rtol=0, atol=ROUNDING)
    with pytest.raises(StateError, match=r"leading axes of q .* do not fit together"):
        fast(q[:3], v[:4])


def test_what_cannot_be_compiled_says_why(arm):
    def branches(model, q):
        return 1.0 if q[0] > 0.0 else 2.0

    with pytest.raises(ArgumentError, match=r"branches cannot be compiled: line .* cannot branch on a symbol"):
        rbd.compile(branches, arm)
    with pytest.raises(ArgumentError, match=r"knows of a model gravity, I, joint, joints, X_tree, .* not 'forces'"):
        rbd.compile(lambda model, q: model.forces, arm)
    with pytest.raises(ArgumentError, match="takes no state"):
        rbd.compile(lambda model: 1.0, arm)
    for result, what in ((None, "None"), ({"a": 1.0}, "a value of type dict"), ((1.0, "b"), "a value of type str")):
        with pytest.raises(ArgumentError, match=f"it returns {what}; return a number, an array"):
            rbd.compile(lambda model, q, result=result: result, arm)
    with pytest.raises(ArgumentError, match="it returns arrays of different shapes in a list"):
        rbd.compile(lambda model, q: [q, q[0]], arm)
    with pytest.raises(ArgumentError, match=r"branch on a symbol, .* use numpy\.where"):
        rbd.compile(branches, arm)
    with pytest.raises(ArgumentError, match="cannot be compiled: it is a method of an object of class 'Gain'"):
        rbd.compile(Gain().times, arm)
    for size in (-1, "a", 2.0, (3, -3)):
        with pytest.raises(ArgumentError, match="for gain; give a whole number or a shape"):
            rbd.compile(lambda model, q, gain: q, arm, sizes={"gain": size})
    for sizes in (np.array([1, None]), np.zeros(0), [], 0):
        with pytest.raises(ArgumentError, match=r"sizes = .* must be a mapping"):
            rbd.compile(my_crba, arm, sizes=sizes)
    with pytest.raises(ArgumentError, match="is no function"):
        rbd.compile(3.0, arm)
    with pytest.raises(ArgumentError, match="sizes has gain"):
        rbd.compile(my_crba, arm, sizes={"gain": 1})
    with pytest.raises(ModelError, match=r"is not an rbdkit\.Model"):
        rbd.compile(my_crba, "arm")


def test_other_numbers_need_no_other_code(arm):
    """Numbers that were zero, that it branches on, or that are read body by body, need a new trace."""
    q, v, x = states(arm, 5)
    heavy = {"b2.mass": 7.0, "b1_joint.placement": rbd.spatial.se3.pose(position=(1, 2, 3))}
    other = arm.with_parameters(heavy)
    turned = other.with_parameters({"b3.com": [0.1, 0.2, 0.3], "b2_joint.placement": rbd.spatial.se3.exp(np.ones(6))})
    for mine, theirs in ((my_rnea, rbd.rnea), (my_aba, rbd.aba)):
        fast = rbd.compile(mine, arm)
        np.testing.assert_allclose(fast(other, q, v, x), theirs(other, q, v, x), rtol=0, atol=ROUNDING * 1e4)
        np.testing.assert_allclose(fast(q, v, x), theirs(arm, q, v, x), rtol=0, atol=ROUNDING * 1e3)
        assert fast._current(other).code is fast._current(arm).code
        np.testing.assert_allclose(fast(turned, q, v, x), theirs(turned, q, v, x), rtol=0, atol=ROUNDING * 1e4)
    pushed = copy(arm)
    fast = rbd.compile(my_rnea, pushed)
    pushed.gravity = (1.0, 2.0, 3.0)
    np.testing.assert_allclose(fast(q, v, x), rbd.rnea(pushed, q, v, x), rtol=0, atol=ROUNDING * 1e3)

    def weighs(model, q):
        return q[0] * sum(body.inertia.mass for body in model.bodies[1:])

    def side(model, q):
        return q[0] if model.gravity[2] < 0.0 else -q[0]

    mass = rbd.compile(weighs, arm)
    assert [mass(m, q[0]) / q[0, 0] for m in (arm, other)] == pytest.approx([10.0, 14.0])
    falls = rbd.compile(side, arm)
    up = arm.with_parameters({"gravity": [0.0, 0.0, 5.0]})
    assert (falls(q[0]), falls(up, q[0]), falls(q[0])) == (q[0, 0], -q[0, 0], q[0, 0])
    both = rbd.compile(lambda model, q: q[0] * model.gravity + arm.gravity, arm)  # one is an argument, one a global
    np.testing.assert_allclose(both(up, q[0]), [0.0, 0.0, 5.0 * q[0, 0] - 9.81])
    with pytest.raises(ArgumentError, match=r"my_rnea was compiled for .*; for .* other sizes, compile it again"):
        fast(rbd.library.double_pendulum(), q, v, x)


def test_functions_of_the_package_are_called_with_the_model(arm):
    def mine(model, q, v, tau):
        return np.linalg.solve(my_crba(model, q), tau - rbd.rnea(model, q, v, np.zeros(model.nv)))

    q, v, x = states(arm, 5)
    fast, light = rbd.compile(mine, arm), arm.with_parameters({"gravity": [0.0, 0.0, -1.0]})
    for model in (arm, light):
        np.testing.assert_allclose(fast(model, q, v, x), rbd.aba(model, q, v, x), rtol=0, atol=ROUNDING * 1e4)


def test_the_spanning_tree_of_a_model_with_loops():
    """Against gravity's joint forces of the tree the closed mechanism keeps its kinetic energy, which it else loses."""
    start = rbd.library.n_four_bar()
    model = start.model
    q, v, x = states(model, 5)
    fast = rbd.compile(my_rnea, model)
    np.testing.assert_allclose(fast(q, v, x), rbd.rnea(model, q, v, x), rtol=0, atol=ROUNDING * 10)
    np.testing.assert_allclose(rbd.compile(my_crba, model)(q), rbd.crba(model, q), rtol=0, atol=ROUNDING * 10)
    still = np.zeros(model.nv)
    held, free = (
        rbd.simulate(model, start.q, start.v, duration=1.5, tau=tau)
        for tau in (lambda t, q, v: fast(q, still, still), None)
    )
    assert "tau traced" in held.report.backend
    kinetic, falling = (rbd.energy(model, motion.q, motion.v).kinetic for motion in (held, free))
    np.testing.assert_allclose(kinetic, kinetic[0], rtol=1e-9)
    assert np.ptp(falling) > 0.1 * kinetic[0]
    with pytest.raises(ArgumentError, match=r"cannot be compiled: line .*ABA needs a tree, but 'pin1', 'pin2' close"):
        rbd.compile(lambda model, q, v, tau: rbd.algorithms.aba(model, q, v, tau).qdd, model)


def test_prescribed_joints_take_the_time():
    model, rate = rbd.Model("driven"), 3.0
    inertia = rbd.Inertia.box((0.1, 0.2, 0.4), mass=2.0)

    def swing(t):
        return 0.3 * np.sin(rate * t), 0.3 * rate * np.cos(rate * t), -0.3 * rate**2 * np.sin(rate * t)

    def tilt(t):
        return [t**2, 0.5 * t], [2.0 * t, 0.5], [2.0, 0.0]

    model.add_body("table", joint=rbd.Prescribed(rbd.Revolute("z"), swing), inertia=inertia)
    model.add_body("arm", "table", rbd.Revolute("x"), placement=(0.2, 0.0, 0.1), inertia=inertia)
    model.add_body("head", "arm", rbd.Prescribed(rbd.Universal(), tilt), placement=(0.0, 0.0, 0.4), inertia=inertia)
    model.add_body("hand", "head", rbd.Revolute("y"), placement=(0.2, 0.0, 0.1), inertia=inertia)
    space = {}
    exec(getsource(my_rnea).replace("qdd):", "qdd, t):").replace("calc(q, qd)", "calc(q, qd, t)"), globals(), space)
    fast, (q, v, x), t = rbd.compile(space["my_rnea"], model), states(model, 4), np.linspace(0.0, 1.5, 4)
    for other in (rate, 5.0):
        rate = other  # which the motion reads
        expected = [rbd.rnea(model, *state, t=now) for *state, now in zip(q, v, x, t, strict=True)]
        np.testing.assert_allclose(fast(q, v, x, t), expected, rtol=0, atol=ROUNDING * 1e3)
    with pytest.raises(ArgumentError, match=r"line .*'table_joint' is prescribed: .* joint\.calc\(q, v, t\)"):
        rbd.compile(my_rnea, model)


def test_wrong_arguments_are_named(arm):
    fast = rbd.compile(my_rnea, arm)
    q, v, x = states(arm, 2)
    with pytest.raises(StateError, match=r"qdd has shape \(2, 3\); my_rnea was compiled for \(4,\)"):
        fast(q, v, x[:, :3])
    with pytest.raises(ArgumentError, match=r"my_rnea takes q, qd, qdd, each once"):
        fast(q, v)
    with pytest.raises(ArgumentError, match="each once"):
        fast(q, v, x, q=q)
    with pytest.raises(StateError, match="no array of numbers"):
        fast("q", v, x)
