"""Algorithms as students write them: right ones in their own words, and wrong ones of the usual kinds."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.spatial import crf, crm, so3
from rbdkit_course.labs import aba, closed_loop, contact, crba, munthe_kaas, rnea


def my_rnea(model, q, qd, qdd):
    """In lists, with fields of its own."""
    v, a, f, X, S = [np.zeros(6)], [np.r_[np.zeros(3), -model.gravity]], [np.zeros(6)], [None], [None]
    for i in range(1, len(model.bodies)):
        X_J, S_i, v_J, c_J = model.joints[i].calc(q, qd)
        X.append(X_J @ model.X_tree[i])
        S.append(S_i)
        p = model.parent[i]
        v.append(X[i] @ v[p] + v_J)
        a.append(X[i] @ a[p] + S_i @ qdd[model.joints[i].v_slice] + c_J + crm(v[i]) @ v_J)
        f.append(model.I[i] @ a[i] + crf(v[i]) @ model.I[i] @ v[i])
    tau = [0.0] * model.nv
    for i in reversed(range(1, len(model.bodies))):
        tau[model.joints[i].v_slice] = S[i].T @ f[i]
        f[model.parent[i]] = f[model.parent[i]] + X[i].T @ f[i]
    return tau


def factor(H, lam):
    for k in reversed(range(len(lam))):
        H[k, k] = np.sqrt(H[k, k])
        i = lam[k]
        while i >= 0:
            H[k, i] /= H[k, k]
            i = lam[i]
        i = lam[k]
        while i >= 0:
            j = i
            while j >= 0:
                H[i, j] -= H[k, i] * H[k, j]
                j = lam[j]
            i = lam[i]
    return H


def everywhere(H, lam):
    """Right on a chain, but it reads the places between branches."""
    for k in reversed(range(len(lam))):
        H[k, k] = np.sqrt(H[k, k])
        H[k, :k] /= H[k, k]
        H[:k, :k] -= np.outer(H[k, :k], H[k, :k])
    return H


def solve(L, lam, b):
    x = list(b)
    for i in reversed(range(len(lam))):
        x[i] /= L[i, i]
        j = lam[i]
        while j >= 0:
            x[j] -= L[i, j] * x[i]
            j = lam[j]
    for i in range(len(lam)):
        j = lam[i]
        while j >= 0:
            x[i] -= L[i, j] * x[j]
            j = lam[j]
        x[i] /= L[i, i]
    return x


def test_rnea():
    assert rnea.chain(my_rnea) and rnea.tree(my_rnea) and rnea.several_freedoms(my_rnea)
    assert any(medal in rnea.medal(my_rnea).why for medal in "🥇🥈")
    assert "own rnea does the work" in rnea.chain(rbd.rnea).why
    assert "number 0 (joint" in rnea.chain(lambda model, *_: np.ones(model.nv)).why
    assert "nothing but zeros" in rnea.chain(lambda model, *_: np.zeros(model.nv)).why
    assert "NaN" in rnea.chain(lambda model, *_: np.full(model.nv, np.nan)).why


def test_an_algorithm_that_does_everything_again_is_right_and_gets_no_medal():
    def again(model, q, qd, qdd):
        n = model.nv + 1
        X = [None] + [model.joints[i].transform(q) @ model.X_tree[i] for i in range(1, n)]
        v, a = np.zeros((n, 6)), np.zeros((n, 6))
        tau = np.zeros(n - 1)
        a[0, 3:] = -model.gravity
        for first in range(1, n):
            f = np.zeros((n, 6))
            for i in range(1, n):
                _, S, v_J, c_J = model.joints[i].calc(q, qd)
                v[i] = X[i] @ v[i - 1] + v_J
                a[i] = X[i] @ a[i - 1] + S @ qdd[model.joints[i].v_slice] + c_J + crm(v[i]) @ v_J
                f[i] = model.I[i] @ a[i] + crf(v[i]) @ model.I[i] @ v[i]
            for i in range(n - 1, first, -1):
                f[i - 1] += X[i].T @ f[i]
            tau[model.joints[first].v_slice] = model.joints[first].motion_subspace(q).T @ f[first]
        return tau

    assert rnea.chain(again)
    verdict = rnea.medal(again)
    assert not verdict and "to the power" in verdict.why


def test_what_cannot_be_counted_is_said():
    verdict = rnea.medal(lambda *given: my_rnea(*given) if given[1].max() < 9.0 else [])
    assert verdict and "cannot be seen" in verdict.why


def test_crba():
    def one_call_a_column(model, q, inverse_dynamics):
        zero = np.zeros(model.nv)
        weight = inverse_dynamics(model, q, zero, zero)
        return np.array([inverse_dynamics(model, q, zero, e) - weight for e in np.eye(model.nv)]).T

    def forwards(model, q, qd, tau, inverse_dynamics):
        H = one_call_a_column(model, q, inverse_dynamics)
        return np.linalg.solve(H, tau - inverse_dynamics(model, q, qd, 0.0 * qd))

    assert crba.columns(one_call_a_column)
    assert (
        "gravity is in every column"
        in crba.columns(
            lambda model, q, ID: np.array([ID(model, q, 0.0 * e, e) for e in np.eye(model.nv)]).T
        )._repr_html_()
    )
    assert crba.forward(forwards)
    assert "forward_dynamics does the work" in crba.forward(lambda *x: rbd.forward_dynamics(*x[:4])).why
    assert (
        "the bias force C is missing"
        in crba.forward(lambda model, q, qd, tau, ID: np.linalg.solve(one_call_a_column(model, q, ID), tau)).why
    )


def test_the_factorization_that_keeps_its_zeros():
    assert crba.factor(factor) and crba.solve(solve)
    assert "this is LLᵀ" in crba.factor(lambda H, lam: np.linalg.cholesky(np.nan_to_num(H))).why
    assert "that is H still" in crba.factor(lambda H, lam: H).why
    assert "NaN" in crba.factor(everywhere).why
    assert "half the way" in crba.solve(lambda L, lam, b: np.linalg.solve(np.nan_to_num(L).T, b)).why
    assert "four" not in crba.factor(lambda H, lam: None).why


def test_there_and_back():
    right = aba.algorithm
    assert aba.there_and_back(lambda *x: right(frozenset(), *x), my_rnea)
    assert "comes back changed" in aba.there_and_back(lambda *x: right(frozenset(["no bias"]), *x), my_rnea).why
    assert "gave no forces" in aba.there_and_back(lambda *x: 0, lambda *x: 0).why
    assert "gave no accelerations" in aba.there_and_back(lambda *x: 0, my_rnea).why


def test_orders_are_measured():
    def euler(f, h, R, w):
        return R @ so3.exp(h * w), w + h * f(R, w)

    def without_group(f, h, R, w):
        return R + h * R @ so3.skew(w), w + h * f(R, w)

    def lazy(f, h, R, w):  # a truncated correction is as good: the next term is of order five
        k1, K1 = w, f(R, w)
        ks, Ks = [k1], [K1]
        for part in (0.5, 0.5, 1.0):
            u, here = h * part * ks[-1], w + h * part * Ks[-1]
            Ks.append(f(R @ so3.exp(u), here))
            ks.append(here + 0.5 * np.cross(u, here) + np.cross(u, np.cross(u, here)) / 12.0)
        b = np.array([1, 2, 2, 1]) / 6
        return [R @ so3.exp(h * b @ np.array(ks)), w + h * b @ np.array(Ks)]

    assert munthe_kaas.lie_euler(euler) and munthe_kaas.munthe_kaas(lazy)
    assert "no rotation any more" in munthe_kaas.lie_euler(without_group).why
    assert "better method" in munthe_kaas.lie_euler(lazy).why
    assert "order 1.0" in munthe_kaas.munthe_kaas(euler).why
    assert "somewhere else" in munthe_kaas.lie_euler(lambda f, h, R, w: (R @ so3.exp(-h * w), w + h * f(R, w))).why
    assert "it returned" in munthe_kaas.lie_euler(lambda *_: 0).why
    with np.errstate(invalid="ignore"):
        zero = munthe_kaas.exponential(
            lambda phi: np.eye(3) + np.sin(np.sqrt(phi @ phi)) / np.sqrt(phi @ phi) * so3.skew(phi)
        )
    assert not zero


@pytest.mark.parametrize(
    ("spring", "damper", "said"),
    [(1, 2, ""), (0, 0, "nothing in it that knows"), (-1, -2, "the gap grows"), (1, 0, "other side"), (3, 4, "after")],
)
def test_stabilization_is_watched(spring, damper, said):
    def bias(q, qd, T):
        gap, K = closed_loop.tip_on_wire(frozenset(), q), closed_loop.row(frozenset(), q)
        return closed_loop.bias(frozenset(), q, qd) - damper / T * K @ qd - spring / T**2 * gap

    verdict = closed_loop.stabilized(bias)
    assert bool(verdict) == (not said) and said in verdict.why


def test_drift():
    model = closed_loop.machine()

    def accelerations(pull):
        def qdd(q, qd):
            K, k = closed_loop.row(frozenset(), q), closed_loop.bias(frozenset(), q, qd)
            k = k - pull * (20.0 * K @ qd + 100.0 * closed_loop.tip_on_wire(frozenset(), q))
            H, C = rbd.crba(model, q), rbd.bias_force(model, q, qd)
            return closed_loop.solved(frozenset(), H, C, np.zeros(2), K[None], np.array([k]))

        return qdd

    assert closed_loop.drift(accelerations(1.0))
    assert "nothing pulls it back" in closed_loop.drift(accelerations(0.0)).why
    assert "of nothing else" in closed_loop.drift(lambda q, qd: np.zeros(2)).why
    tip = rbd.forward_kinematics(model, closed_loop.START).poses[-1] @ [0.0, 0.0, -1.0, 1.0]
    assert abs(tip[0] - closed_loop.WIRE) < 2e-4  # the formula of the lab is that of the machine


def test_nothing_is_no_division_by_zero():
    """Who forgets `return` was asked what is divided by zero."""
    told = str(rnea.chain(lambda model, q, qd, qdd: None))
    assert "on a pendulum it returns nothing: is its last line, `return`, forgotten?" in told


def test_numbers_that_differ_are_shown_to_differ():
    """Sweeps that stop at 1e-6: "is 1.1459, and should be 1.1459"."""

    def sweeps(A, b):
        f = np.zeros(len(b))
        for _ in range(20_000):
            last = f.copy()
            for i in range(len(b)):
                f[i] = max(0.0, f[i] - (A[i] @ f + b[i]) / A[i, i])
            if np.abs(f - last).max() < 1e-6:
                break
        return f

    told = str(contact.many_contacts(sweeps))
    assert "number 0 is 1.145939, and should be 1.145942. Does it stop too early" in told
