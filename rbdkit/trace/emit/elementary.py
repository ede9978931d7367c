"""Sine and cosine from additions and multiplications, traced like everything else, for targets without them.

Argument reduction by Cody and Waite, then the Taylor-like minimax polynomials of fdlibm; error below 1.5 ulp.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from rbdkit.trace.graph import LEAVES, Graph, Scalar, Symbol
from rbdkit.trace.scalar import polynomial, whole

SINE = [
    -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04, 2.75573137070700676789e-06,
    -2.50507602534068634195e-08, 1.58969099521155010221e-10,
]  # fmt: skip
COSINE = [
    4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05, -2.75573143513906633035e-07,
    2.08757232129817482790e-09, -1.13596475577881948265e-11,
]  # fmt: skip
HALF_PI_FUSED = (1.5707963267948966, 6.123233995736766e-17)
"""pi/2 as a sum of two parts, enough with fused multiplication and addition; good to \\|x\\| = 1e9."""
HALF_PI = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
"""pi/2 as a sum of three parts of 33 bits, whose products with up to 2**20 quarter turns are exact."""


def sine_cosine(x: Symbol, fused: bool) -> tuple[Scalar, Scalar]:
    """Return sin(x) and cos(x). fused : whether ``a * b + c`` is rounded once on the target."""
    # 2 / pi: the angle in quarter turns
    turns = whole(x * 0.6366197723675814)
    r: Scalar = x
    for part in HALF_PI_FUSED if fused else HALF_PI:
        r = x.graph.apply("fma", turns, -part, r) if fused else r - turns * part
    z = r * r
    s = r + (r * z) * _in_pairs(SINE, z)
    half = 0.5 * z
    w = 1.0 - half
    # as in fdlibm: (1 - w) - half is what was lost by rounding w
    c = w + (((1.0 - w) - half) + (z * z) * _in_pairs(COSINE, z))
    # rotate by the quarter turns with arithmetic: a select would be an unpredictable branch in code for one state
    odd, even = _from_even(turns), _from_even(turns + 1.0)
    # for huge x both may be 0: let one of them be 1 then, so that the large, meaningless r shows in the results
    even = even + (1.0 - (odd * odd + even * even))
    return c * odd + s * even, c * even - s * odd


def _in_pairs(coefficients: list[float], z: Scalar) -> Scalar:
    """Evaluate c[0] + c[1] z + c[2] z**2 + ... in pairs of terms, which a processor can compute in parallel."""
    pairs = zip(coefficients[::2], coefficients[1::2], strict=True)
    return polynomial([low + high * z for low, high in pairs], z * z)


def _from_even(k: Scalar) -> Scalar:
    """Return sin(k pi / 2) of a whole number k: k minus the nearest multiple of 4 if k is odd, else 0."""
    shift = 13510798882111488.0  # 1.5 * 2**53: here doubles are even numbers, and ties round to multiples of 4
    return k - ((k + shift) - shift)


@cache
def sine_cosine_graph(fused: bool) -> tuple[Graph, int, int]:
    """Return the graph of `sine_cosine` with the argument as its node 0, and the positions of the two results."""
    graph = Graph()
    results = sine_cosine(graph.load("x", None, 0), fused)
    s, c = (result.position for result in results if isinstance(result, Symbol))
    return graph, s, c


def without_trigonometry(graph: Graph, outputs: Iterable[int]) -> tuple[Graph, dict[int, int]]:
    """Return the live part of a graph with sines and cosines expanded into arithmetic, for a target without fused
    operations, and the new position of each node.
    """
    plain, moved = Graph(), {}
    turns: dict[int, tuple[int, ...]] = {}
    for position in graph.live(outputs):
        operation, *operands = graph.nodes[position]
        if operation in LEAVES:
            moved[position] = plain.node(operation, *operands).position
        elif operation in ("sin", "cos"):
            (angle,) = operands
            if angle not in turns:
                results = sine_cosine(Symbol(plain, moved[angle]), fused=False)
                turns[angle] = tuple(plain.position(x) for x in results)
            moved[position] = turns[angle][operation == "cos"]
        else:
            moved[position] = plain.node(operation, *(moved[operand] for operand in operands)).position
    return plain, moved
