"""On arrays of floats every operator gives, element by element, what it gives on floats.

Bit by bit, as NumPy and Python round sums, products, quotients and square roots alike (IEEE 754); only where there is a
sine or cosine, of which NumPy has its own, the last digit may differ.
"""

from collections.abc import Callable

import numpy as np
import pytest

from rbdkit.engine.steps import manifold
from rbdkit.spatial import body, quaternion
from rbdkit.spatial.compact import (
    Diagonal,
    Matrix,
    Pose,
    Subspace,
    Symmetric,
    Vector,
    abi,
    abi_z,
    fv,
    mv,
    plx,
    rbi,
    rotation,
    scrx,
    scry,
    scrz,
)
from rbdkit.spatial.compact.rotation import TurnAboutZ
from rbdkit.spatial.vector3 import cross, dot, skew

STACK = 7


def freed(IA, S, rotor):
    """The steps of the articulated-body algorithm at a joint of two freedoms (Eqs 7.43 to 7.47)."""
    S = Subspace((S, S.cross(S + mv.of([1.0, 0.0, 0.0, 0.0, 2.0, 0.0]))))
    U = IA @ S
    D = S.T @ U + Diagonal(rotor)
    return [*(IA - U @ D.solve(U.T)).flat(), *D.solve(U.T @ S[0]), *(S @ D.solve(S.T @ U[1])).flat()]


OPERATORS: dict[str, tuple[Callable, tuple]] = {
    "dot": (dot, (Vector, Vector)),
    "cross": (cross, (Vector, Vector)),
    "skew": (skew, (Vector,)),
    "a + b - c": (lambda a, b, c: a + b - -c, (Vector, Vector, Vector)),
    "s a": (lambda s, a: s * a, (1, Vector)),
    "A @ a": (lambda A, a: A @ a, (Matrix, Vector)),
    "A.T @ B": (lambda A, B: A.T @ B, (Matrix, Matrix)),
    "s A + B": (lambda s, A, B: s * A + B - -A, (1, Matrix, Matrix)),
    "S @ a": (lambda S, a: S @ a, (Symmetric, Vector)),
    "s S + T": (lambda s, S, T: s * S + T - S, (1, Symmetric, Symmetric)),
    "rotated": (lambda S, R: S.rotated(R), (Symmetric, Matrix)),
    "product": (rotation.product, (Matrix, Matrix, Matrix)),
    "rotate": (rotation.rotate, (Matrix, Matrix)),
    "turn about z": (lambda c, s, A: TurnAboutZ.by(c, s) @ TurnAboutZ.by(s, c) @ A, (1, 1, Matrix)),
    "s v + w": (lambda s, v, w: s * v + w - -v, (1, mv, mv)),
    "s f + g": (lambda s, f, g: s * f + g, (1, fv, fv)),
    "v . f": (lambda v, f: v.dot(f) + f.dot(v), (mv, fv)),
    "v x w": (lambda v, w: v.cross(w), (mv, mv)),
    "v x* f": (lambda v, f: v.cross(f), (mv, fv)),
    "X @ Y": (lambda X, Y: X @ Y, (plx, plx)),
    "X^-1": (lambda X: X.inverse(), (plx,)),
    "X.T @ f": (lambda X, f: X.T @ f, (plx, fv)),
    "X* f": (lambda X, f: X.star @ f, (plx, fv)),
    "X.T @ I @ X": (lambda X, I: X.T @ I @ X, (plx, rbi)),
    "X.T @ IA @ X": (lambda X, I: X.T @ I @ X, (plx, abi)),
    "I + J": (lambda s, I, J: s * I + J, (1, rbi, rbi)),
    "IA + I": (lambda s, I, J: s * I + J, (1, abi, rbi)),
    "I @ v": (lambda I, v: I @ v, (rbi, mv)),
    "IA @ v": (lambda I, v: I @ v, (abi, mv)),
    "Ia @ v": (lambda I, v: I @ v, (abi_z, mv)),
    "1/2 v . I v": (lambda I, v: I.kinetic_energy(v), (rbi, mv)),
    "m c": (lambda I, R, p: body.mass_moment(I, Pose(R, p)) / 3.0, (rbi, Matrix, Vector)),
    "I a + v x* I v": (lambda I, a, v: I.force(a, v), (rbi, mv, mv)),
    "freed": (freed, (abi, mv, 2)),
    "q p": (manifold.quaternion_product, (4, 4)),
    "quaternion_matrix": (manifold.quaternion_matrix, (4,)),
} | {
    f"X.{way}({kind.__name__})": (lambda X, x, way=way: getattr(X, way)(x), (plx, kind))
    for way in ("apply", "inv_apply")
    for kind in (mv, fv, rbi, abi, abi_z)
}  # fmt: skip
WITH_SINES: dict[str, tuple[Callable, tuple]] = {
    f"{make.__name__}.{way}({kind.__name__})": (
        lambda a, d, x, make=make, way=way: getattr(make(a, d), way)(x),
        (1, 1, kind),
    )
    for make in (scrx, scry, scrz)
    for way in ("apply", "inv_apply")
    for kind in (mv, fv, rbi, abi, abi_z)
} | {
    "exp": (lambda w, v: [*manifold.exp(w)[0], *manifold.exp(w)[1](v)], (Vector, Vector)),
    "T^-1": (lambda n, V: manifold.local_rate(n, V), (mv, mv)),
    "T^-1 of SO(3)": (lambda w, v, x: [f(x) for f in manifold.jacobian_inverse(w, v)], (Vector, Vector, Vector)),
    "half_cotangent": (lambda s: manifold.half_cotangent(s * s), (1,)),
}
"""Operators with sines and cosines."""


def size(kind) -> int:
    return kind if isinstance(kind, int) else kind.size


def made(kind, values: list):
    if isinstance(kind, int):
        return values[0] if kind == 1 else values
    return kind.of(values)


def numbers(found) -> list:
    """All numbers of a result."""
    if hasattr(found, "flat") and callable(found.flat):
        found = found.flat()
    return [x for part in found for x in numbers(part)] if isinstance(found, list | tuple) else [found]


def both_ways(operator, kinds, rng):
    """A result on arrays, and the same of one element after the other on floats, (numbers, STACK) each."""
    values = [rng.normal(size=(size(kind), STACK)) for kind in kinds]
    stacked = numbers(operator(*(made(kind, list(x)) for kind, x in zip(kinds, values, strict=True))))
    single = [
        numbers(operator(*(made(kind, x[:, k].tolist()) for kind, x in zip(kinds, values, strict=True))))
        for k in range(STACK)
    ]
    assert all(type(x) in (float, int) for row in single for x in row)
    return np.array(np.broadcast_arrays(*stacked, np.zeros(STACK))[:-1]), np.array(single).T


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator(name, rng):
    stacked, single = both_ways(*OPERATORS[name], rng)
    np.testing.assert_array_equal(stacked, single)


@pytest.mark.parametrize("name", WITH_SINES)
def test_operators_with_sines_and_cosines(name, rng):
    """A last digit of a sine is 1e-16 of results about 10; those of T^-1 are divided by the square of an angle."""
    stacked, single = both_ways(*WITH_SINES[name], rng)
    np.testing.assert_allclose(stacked, single, rtol=4e-16, atol=4e-15)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.5, 2.0, 3.14159])
def test_logarithm_and_quaternion_of_a_matrix(angle, rng):
    """They have choices, of which each element must take its own; bit by bit."""
    turns = [quaternion.exp(angle * w / np.linalg.norm(w)) for w in rng.normal(size=(STACK - 1, 3))]
    q = np.array([*turns, -quaternion.exp([0.1, 0.2, 0.3])])
    R = [manifold.quaternion_matrix(x) for x in q.tolist()]
    stacked = manifold.from_matrix(Matrix.of(np.array([x.flat() for x in R]).T))
    np.testing.assert_array_equal(np.transpose(stacked), [manifold.from_matrix(x) for x in R])
    np.testing.assert_array_equal(np.transpose(manifold.log(list(q.T))), [manifold.log(x) for x in q.tolist()])


def test_a_number_of_numpy_multiplies_a_vector_element_by_element():
    found = np.float64(2.0) * Vector((1.0, 2.0, 3.0))
    assert type(found) is Vector and found == (2.0, 4.0, 6.0)
