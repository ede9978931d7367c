"""Conditions as numbers in recorded code: what NumPy makes of its truth values, in all backends."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.engine.links.agreement import NotTraced
from rbdkit.engine.links.own_laws import record_law
from rbdkit.trace import Lanes, Program, executable, jacobian, replay

LAWS = [
    "(q[0] < 0) * 1.0", "1.0 * (q[0] < 0)", "5 * (q[0] < 0)", "(q[0] < 0) + 0.0", "float(q[0] < 0)", "q[0] < 0",
    "(t < 0.5) * 1.0", "(q[0] < 0) - 1", "2 * (q[0] > v[0]) - 1", "(q > 0).sum()", "np.sum(q > 0)", "np.mean(q > 0)",
    "np.maximum(q[0] > 0, v[0])", "np.where(v[0] > 0, q[0] > 0, v[0])", "np.where(t > 1, q[0] > 0, v[0] > 0) * 2.0",
    "np.where(~np.where(t > 1, q[0] > 0, v[0] > 0), 1.0, 2.0)", "(q[0] > 0) + (v[0] > 0)", "((q > 0) + (v > 0)).sum()",
    "(q[0] > 0) * (v[0] > 0) * t", "(q[0] > 0) / 2", "(q[0] > 0) ** 2.0", "(q[0] > 0) % 2",
    "(3 + t) // (2.0 + (q[0] > 0))",
    "np.sinc(q[0])", "np.clip(q[0] > 0, 0.2, 0.8)", "np.sqrt(1.0 * (q[0] > 0))", "np.sin(0.5 * (q[0] > 0))",
    "abs(q[0] > 0) * 1.5", "(q[0] > 0) & (v[0] > 0)", "((q[0] > 0) ^ (v[0] > 0)) * 1.5", "(~(q[0] > 0)) * 1.5",
    "np.logical_and(q[0], v[0]) * 1.5", "np.logical_not(q[0]) * 1.5", "np.all(q) + 0.5", "np.any(q > 1) + 0.5",
    "np.count_nonzero(q > 0)", "np.count_nonzero(q)", "(q > 0) @ v", "np.dot(q > 0, v > 0) * 1.0", "np.prod(q > -1)",
    "np.cumsum(q > 0)[2]", "np.concatenate([q > 0, v])[1]", "np.array([q[0] > 0, v[0]]).sum()", "np.std(q > 0)",
    "(q > 0).astype(float) @ q", "(q > 0).astype(int).sum() + 0.5", "v.astype(bool).sum() + 0.5", "np.max(q > 0) * 2.0",
    "np.array(q > 0, dtype=float).sum()", "np.interp(q[0] > 0, [0.0, 1.0], [2.0, 5.0])", "np.isnan(q[0]) + 0.5",
    "np.nan_to_num(np.sqrt(q[0]), nan=7.0)",
    "np.zeros(3, bool) @ (q > 0) + 0.5", "np.array([True, True, False]) @ (q > -9) + 0.5",
    "np.array([True, True, False]).dot(q > -9) + 0.5", "np.where(3 > -1.5, 0, v[1]) + 0.5",
]  # fmt: skip
REFUSED = {
    "-(q[0] > 0)": "negative", "(q[0] > 0) - (v[0] > 0)": "subtract", "np.sqrt(q[0] > 0)": "float16",
    "(q[0] > 0) ** (v[0] > 0)": "int8", "~(t < 1) * 1.0": "invert of a condition", "(t < 1) + (t < 2)": "add of a cond",
    "q[0] & 1": "unsupported operand", "(q[0] > 0) & 1": "unsupported operand", "int(q[0] > 0)": "int()",
    "(q[0] > 0 and v[0] > 0) * 1.0": "cannot branch", "q[q > 0].sum()": "arrays used as ind",
    "np.zeros_like(q > 0)[0] + t": "room for", "1 // np.count_nonzero(q)": "whole numbers that are divided",
    "np.fmod(np.where(3 > -1.5, 0, v[1]), v[0] > 9)": "whole numbers that are divided",
    "np.reciprocal(np.count_nonzero(q))": "reciprocal of what may be a whole number",
    "np.sum(q > 0) % (1 + np.where(t > 1, -1, v[0] > 0))": "whole numbers that are divided",
}  # fmt: skip
"""What NumPy refuses, computes with few digits, or Python and NumPy do not agree about: with a word of the reason."""
STATES = [
    (0.3, [0.4, -0.7, 1.2], [0.5, 0.1, -2.0]),
    (1.5, [-0.4, 0.7, -1.2], [-0.5, 0.1, 2.0]),
    (0.0, [0.0, 0.0, 0.0], [1.0, 0.0, -1.0]),
]


def law_of(text):
    return eval(f"lambda t, q, v: np.ravel({text})", {"np": np})


def recorded(law):
    return record_law(law, lambda law, *given: np.asarray(law(*given), dtype=object), ((), 3, 3), ("t", "q", "v"))


def program_of(record, width=1):
    program = Program("law", Lanes(width))
    for k, value in enumerate(replay(record, lambda leaf: program.load(leaf[1], 0, leaf[3]))):
        program.store("result", 0, k, value)
    return program


def values(record, states, backend, wasm=None, width=1):
    """What recorded code gives for states, one after the other, or the same one in each lane."""
    sizes = {"t": 1, "q": 3, "v": 3, "result": len(record.outputs)}
    given = {name: np.zeros(size * width) for name, size in sizes.items()}
    program = program_of(record, width)
    arrays = {name: given[name] for name in program.arrays}
    run = wasm(program).bind(arrays, {}) if backend == "wasm" else executable(program, backend).bind(arrays, {})
    found = []
    for t, q, v in states:
        for name, x in (("t", [t]), ("q", q), ("v", v)):
            given[name][:] = np.repeat(x, width)
        run()
        found.append(given["result"][::width].copy())
    return np.array(found)


@pytest.mark.parametrize("text", LAWS)
def test_what_numpy_makes_of_them(text):
    law = law_of(text)
    with np.errstate(invalid="ignore"):
        expected = [np.asarray(law(t, np.array(q), np.array(v)), dtype=float) for t, q, v in STATES]
    record = recorded(law)
    for backend, width in (("python", 1), ("llvm", 1), ("llvm", 4)):
        found = values(record, STATES, backend, width=width)
        assert_allclose(found, expected, rtol=4e-16, atol=0)
    executable(program_of(jacobian(record, "q")), "llvm")


@pytest.mark.parametrize("text", [law for k, law in enumerate(LAWS) if k % 4 == 0])
def test_in_web_assembly(text, host):
    from tests.conftest import WasmCode

    record = recorded(law_of(text))
    found = values(record, STATES, "wasm", lambda program: WasmCode(program, host))
    assert_allclose(found, values(record, STATES, "python"), rtol=4e-16, atol=0)


@pytest.mark.parametrize(("text", "word"), REFUSED.items())
def test_what_is_not_sure_is_refused_with_a_reason(text, word):
    with pytest.raises(NotTraced, match=word.replace("(", r"\(").replace(")", r"\)")):
        recorded(law_of(text))
