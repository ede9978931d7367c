"""Wrong answers that differ from the right ones in one sign, factor or operation, and were taken for right once."""

from types import FunctionType

import numpy as np
import pytest

from rbdkit.spatial import so3
from rbdkit_course import exercise

VARIANTS = [
    ("S01-1", "a, b, c = 1.0, 1 / 2", "a, b, c = 2.0, 1 / 2", "hardly turns"),
    ("S01-1", "a, b, c = 1.0, 1 / 2", "a, b, c = 1.0, 1", "hardly turns"),
    ("S05-3", "return y + h *", "return -y - h *", "times smaller"),
    ("S06-3", "steps + 1", "steps + 2", "products with A; it was asked"),
    ("LF-5", "-b_t / A_t", "-b_t * A_t", ""),
    ("I1-2", "    p = p + h / 2 * f(x)", "    p = p + h / 2 / f(x)", "goes somewhere else"),
    ("I1-2", "return x, p + h / 2 * f(x)", "return x, p + h / 2 / f(x)", "goes somewhere else"),
]


@pytest.mark.parametrize(("name", "right", "other", "word"), VARIANTS)
def test_a_variant_is_wrong(name, right, other, word):
    def judged(code):
        names = {"np": np, "skew": so3.skew}
        exec(code, names)
        (answer,) = (each for each in names.values() if isinstance(each, FunctionType) and each is not so3.skew)
        return exercise(name).judge(answer)

    solution = exercise(name).solution
    assert right in solution and judged(solution)
    verdict = judged(solution.replace(right, other))
    assert not verdict and word in verdict.why
