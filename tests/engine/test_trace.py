"""Traces as symbolic executer, as simplifier (Featherstone 2008, section 10.4), and as counter of operations."""

import numpy as np
import pytest

from rbdkit import algorithms, engine
from rbdkit.engine import operations
from rbdkit.joints import Revolute
from rbdkit.library import random_tree
from rbdkit.model import Model
from rbdkit.spatial.compact import plx, rbi
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.vector3 import Matrix, Symmetric, Vector
from rbdkit.trace import Operations, compile_python, python_source, trace

I = np.diag([1.5, 1.6, 1.7])
s = np.array([0.0, 0.0, 1.0])


def spin_torque(v):
    """The example of Table 10.3: tau = s . (v x I v)."""
    return s @ np.cross(v, I @ v)


@pytest.mark.source("F10.09")
def test_a_trace_computes_what_the_function_does():
    raw = trace(spin_torque, 3, simplify=False)
    v = np.array([0.3, -0.7, 1.1])
    assert raw(v) == spin_torque(v)
    assert raw.simplified()(v) == pytest.approx(0.1 * v[0] * v[1], rel=1e-14)  # the optimum that the book names


@pytest.mark.source("F10.10", "FA.10")
def test_table_10_3_goes_from_29_operations_to_5():
    raw = trace(spin_torque, 3, simplify=False)
    assert raw.operations() == Operations(mul=9 + 6 + 3, add=6 + 3 + 2)
    assert raw.operations().total == 29
    assert raw.simplified().operations() == Operations(mul=4, add=1)
    assert trace(spin_torque, 3).operations().total == 5  # the rules may as well work while the trace is made


@pytest.mark.source("F10.10")
def test_source_code_with_parameters_as_inputs_or_folded():
    fixed = trace(spin_torque, 3, names=["v"])
    source = python_source(fixed, "torque")
    assert source.splitlines()[0] == "def torque(v):"
    assert source.count("*") == 4 and "1.7" not in source  # I33 does not matter
    assert compile_python(source, "torque")([0.3, -0.7, 1.1]) == pytest.approx(0.1 * 0.3 * -0.7, rel=1e-14)

    free = trace(lambda v, I: s @ np.cross(v, np.diag(I) @ v), 3, 3, names=["v", "I"])
    torque = compile_python(python_source(free), "traced")
    for inertia in ([1.5, 1.6, 1.7], [3.0, 1.0, 2.0]):
        assert torque([0.3, -0.7, 1.1], inertia) == pytest.approx((inertia[1] - inertia[0]) * 0.3 * -0.7, rel=1e-14)


def test_source_of_array_results_and_scalar_arguments():
    f = trace(lambda t, v: [t * v[0], np.sin(v[1]), 1.0], (), 2, names=["t", "v"])
    assert compile_python(python_source(f), "traced")(2.0, [3.0, 0.5]) == [6.0, np.sin(0.5), 1.0]


def test_traced_functions_of_arrays_keep_their_shape():
    f = trace(lambda A, x: A @ x, (2, 3), 3)
    A, x = np.arange(6.0).reshape(2, 3), np.array([1.0, -1.0, 2.0])
    assert np.array_equal(f(A, x).astype(float), A @ x)
    assert f.shape == (2,)


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_velocities_of_a_chain_by_recurrence_and_in_closed_form(n):
    """Section 5.2: n(m + a) by recurrence, (n(n+1) m + n(n-1) a)/2 in closed form; the base moves."""

    def recurrence(S, qd, v):
        velocities = [v]
        for k in range(n):
            velocities.append(velocities[-1] + S[k] * qd[k])
        return velocities[1:]

    def closed(S, qd):
        return [sum((S[j] * qd[j] for j in range(1, i + 1)), S[0] * qd[0]) for i in range(n)]

    assert trace(recurrence, n, n, (), simplify=False).operations() == Operations(mul=n, add=n)
    expected = Operations(mul=n * (n + 1) // 2, add=n * (n - 1) // 2)
    assert trace(closed, n, n, simplify=False).operations() == expected
    assert trace(closed, n, n).operations() == Operations(mul=n, add=n - 1)  # equal expressions are computed once


def chain(n: int) -> Model:
    return random_tree(n, bodies=n, joints=[Revolute("z")], branching=0.0)


@pytest.mark.source("F5.01")
def test_cost_on_chains_is_linear_for_rnea_and_aba_and_quadratic_for_crba():
    totals = {name: [operations(chain(n), name).total for n in range(4, 20, 3)] for name in ("rnea", "aba", "crba")}
    for name, power in (("rnea", 1), ("aba", 1), ("crba", 2)):
        assert np.ptp(np.diff(totals[name], power)) == 0, name  # a polynomial of that degree, exactly
        assert np.all(np.diff(totals[name], power) > 0)


@pytest.mark.source("FA.10")
def test_engine_beside_the_general_algorithms_of_table_10_1():
    """Table 10.1: RNEA (150n - 48)m + (131n - 48)a, ABA (300n - 267)m + (279n - 259)a on links in DH frames.

    Ours stand anywhere: moving an inertia there costs ABA some more of both; RNEA takes fewer.
    """
    for n in (6, 12):
        rnea, aba = (operations(chain(n), name) for name in ("rnea", "aba"))
        assert (rnea.mul, rnea.add, rnea.div, rnea.trig) == (142 * n - 154, 120 * n - 146, 0, 2 * n)
        assert (aba.mul, aba.add, aba.div, aba.trig) == (323 * n - 426, 312 * n - 455, n, 2 * n)


@pytest.mark.source("FA.10")
def test_a_rigid_body_inertia_is_moved_in_fewer_operations_than_by_brute_force():
    def move(m, h, I, R, p):
        flat = list(R.ravel())
        return plx(Matrix.of(flat).T, Vector(p)).inv_apply(rbi(m, Vector(h), Symmetric(I))).flat()

    found = trace(move, (), 3, 6, (3, 3), 3).operations()
    # X.T I X with 6 x 6 matrices takes 432m + 360a; Table A.4 has 52m + 56a
    assert (found.mul, found.add, found.div) == (52, 56, 0)


def test_zeros_of_placements_save_operations():
    model = Model("in line")
    for k in range(5):
        model.add_body(
            f"b{k}", model.bodies[-1], Revolute("xyz"[k % 3]), [0.0, 0.0, 0.3], Inertia.box([0.1, 0.2, 0.3], mass=1.0)
        )
    for name in ("rnea", "aba", "crba", "energy", "forward_dynamics"):
        assert operations(model, name).total < 0.8 * operations(model, name, generic=True).total


def test_counts_read_like_the_book():
    assert str(Operations(mul=5, add=3)) == "5m + 3a"
    assert str(Operations(mul=1, div=2, sqrt=3, trig=4)) == "1m + 2d + 3r + 4t"
    assert str(Operations()) == "0"
    assert Operations(mul=1, add=2) + Operations(add=3, neg=4) == Operations(mul=1, add=5, neg=4)


def test_the_book_form_of_rnea_is_what_was_counted(tree, off):
    """The counted code is the code that runs: its numbers are those of the readable form."""
    model = tree("plain")
    rng = np.random.default_rng(0)
    q, v, a = model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    kernels = engine.kernels_for(model)
    assert off(kernels.rnea(q, v, a), algorithms.rnea(model, q, v, a).tau) < 1e-13
