"""Plain NumPy code on symbols gives what it gives on numbers."""

import math
from math import sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.spatial import quaternion, so3
from rbdkit.trace import Copies, Impure, roomy, trace

LEAN = 0.3
TABLE = np.array([0.1, 0.2, 0.3])
LIST = [1.0]
POLYNOMIAL, REMEMBER = np.poly1d([1.0, 2.0]), LIST.append


class Base:
    scale = 2.0
    steps = ([0.5, 1.0], np.array([1.0, 2.0]))

    def __init__(self, k=0.5):
        self.k, self.table = k, np.array([1.0, 2.0, 3.0])

    def matrix(self, q):
        T = np.zeros((2, 2))
        T[0, 0] = T[1, 1] = np.cos(q[0])
        T[0, 1] = -math.sin(q[0])
        return T


class Derived(Base):
    @property
    def twice(self):
        return 2.0 * self.k

    @staticmethod
    def half(x):
        return 0.5 * x

    def matrix(self, q):
        return self.twice * super().matrix(q) + self.half(self.scale)


def helper(x, lean=0.2):
    """It has a default, and calls itself."""
    return helper(x, 0.0) + lean if lean else x * LEAN


def powers(x):
    y = np.empty(3)
    for k in range(3):
        y[k] = x**k
    return y


FUNCTIONS = {
    "filled": lambda q: np.stack([powers(q[0]), powers(q[1])]),
    "identity": lambda q: np.eye(3) @ q + np.ones_like(q),
    "full": lambda q: np.full((2, 2), 0.3) * q[0],
    "lists": lambda q: np.array([[0, 0, 1.0, q[0]], [q[1], 2, 3, 4]]).T,
    "copies": lambda q: np.broadcast_to(np.eye(2), (3, 2, 2)).copy()[0] * q[1],
    "math": lambda q: [math.sin(q[0]), math.cos(q[1]), math.atan2(q[0], q[1]), sqrt(q[0] ** 2), math.hypot(q[0], 1.0)],
    "float": lambda q: float(q[0]) + np.float64(2.0) * q[1],
    "norm": lambda q: np.linalg.norm(q) + np.linalg.norm(TABLE),
    "one equation": lambda q: (
        np.linalg.solve(1.0 + q[:1, None] ** 2, q[:2][None]) + np.linalg.inv(np.array([[3.0 + q[0]]]))
    ),
    "norms": lambda q: np.linalg.norm(np.outer(q, q), axis=-1),
    "axes": lambda q: (np.cos(q[0])[..., None, None] * np.eye(2)) + (q[..., 0] * 2.0)[..., None],
    "without axes": lambda q: np.array([q[..., 0], 1.0, q[..., 1] * 2.0]),
    "remainder": lambda q: np.remainder(5.0 * q + np.pi, 2.0 * np.pi) + np.floor(7.0 * q) + np.sinc(q),
    "arcs": lambda q: np.arcsin(0.5 * np.sin(q)) + np.arccos(0.5 * np.cos(q)) + np.tan(q) + np.hypot(q, 1.0),
    "helpers": lambda q: helper(q) + TABLE * q,
    "table": lambda q: TABLE[np.array([2, 0, 1])] @ q,
    "sums": lambda q: np.sum(q) + q.sum() + np.mean(q) + np.dot(q, TABLE) + np.cross(q, TABLE)[0],
    "quaternions": lambda q: quaternion.to_matrix(np.concatenate([[0.5], q])),
    "skew": lambda q: so3.skew(q) @ so3.skew(q),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    function = FUNCTIONS[name]
    copied = Copies(Base).of(function)
    record = trace(lambda q: copied(roomy(q)), 3, names=("q",))
    for q in np.random.default_rng(0).normal(size=(5, 3)):
        expected = function(q)
        assert_allclose(np.array(record(q), dtype=float), expected, rtol=1e-13, atol=1e-14)


def test_objects_with_properties_and_what_they_inherit():
    thing = Derived(0.7)
    copied = Copies(Base).of(thing)
    q = np.array([0.4])
    assert_allclose(np.array(trace(copied.matrix, 1)(q), dtype=float), thing.matrix(q), rtol=1e-14)
    assert type(copied).__name__ == "Derived" and thing.table.dtype == float


def outside(value):
    def inside(q):
        return q * value

    return inside


class Keeps(Base):
    def matrix(self, q):
        self.last = q
        return q


def asks(q):
    return input() + q


def draws(q):
    return q + np.random.default_rng(1).normal()


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (Keeps().matrix.__func__, "its matrix keeps or imports 'last'"),
        (asks, "it calls 'input'"),
        (draws, "draws random numbers"),
        (lambda q: q * LIST[0], "it uses 'LIST', which can change"),
        (outside(LIST), "it uses 'value', which can change"),
        (lambda q: POLYNOMIAL(q), "'POLYNOMIAL' is an object of class 'poly1d', which may keep something"),
        (
            lambda q: REMEMBER(q),
            "'REMEMBER' is a method of an object of class 'list'",
        ),
        (outside(object()), "'value' is an object of class 'object', which may keep something"),
    ],
)
def test_code_that_does_more_than_compute_is_refused_when_it_runs(function, why):
    copied = Copies(Base).of(function)
    with pytest.raises(Impure, match=why):
        trace(lambda q: copied(q), 1)


def test_an_attribute_that_is_not_known_is_refused_at_once():
    thing = Base()
    thing.file = object()
    with pytest.raises(Impure, match=r"'self\.file' is an object of class"):
        Copies(Base).of(thing)
