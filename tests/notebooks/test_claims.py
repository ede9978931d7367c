"""What a notebook claims to have measured is asserted in the cell beside it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rbdkit_course.contents import LESSONS

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"

NUMBER = "(?:[0-9][0-9.,]*|two|three|four|five|six|seven|eight|nine|ten|fifty|seventy|hundred|thousand|million)"
MEASURED = re.compile(
    rf"""(?<![±0-9])[0-9]+\ ?% | \bper\ ?cent\b | 10\^\{{-[0-9] | \b[0-9]e-[0-9]
    | \bto\ the\ last\ (?:digit|bit|operation) | \bround-off\b | \bmachine\ precision\b
    | \b{NUMBER}\ times\ (?:as|more|less|faster|slower|smaller|larger|shorter|longer|wider)\b(?!\ than\ life)
    | \b[Oo]rder\ (?:one|two|three|four|[1-9])\b | \b(?:first|second|third|fourth)\ order\b
    | \borders\ of\ magnitude\b | \b[Ss]lope\ {NUMBER}\b | \bfactor\ of\ (?:about\ )?{NUMBER}\b""",
    re.VERBOSE,
)
"""Words for a result: a share, a power of ten, a ratio, an order, or agreement to the last digit."""

PRINTED_ERROR = re.compile(r":[+ ]?[0-9]*\.[0-2]e\}")
"""A number printed by its power of ten and hardly a digit more: an error, a gap, a drift."""

FOLDED = re.compile(r"<details>.*?</details>|\$\$.*?\$\$", re.DOTALL)
EXERCISES = re.compile(r"^# Exercises", re.MULTILINE)


def unasserted(cells) -> list[str]:
    """Claims and printed errors of a notebook, up to its exercises, without an assertion beside them.

    What stands before the first code cell announces what the notebook will show, and is asserted where it does.

    """
    cells = [cell for cell in cells if not cell.get("id", "").startswith("course-")]  # they name goals and titles
    sources = ["".join(cell["source"]) for cell in cells]
    code = [cell["cell_type"] == "code" for cell in cells]
    asserts = [is_code and re.search(r"\bassert\b", text) is not None for is_code, text in zip(code, sources)]
    missing = []
    for k, text in enumerate(sources):
        tags = cells[k]["metadata"].get("tags", ())
        if code[k] and not tags and PRINTED_ERROR.search(text) and not asserts[k]:
            missing.append(f"cell {k} prints an error and asserts nothing: {text[:80]!r}")
        before_exercises = EXERCISES.split(text)[0]
        claim = MEASURED.search(FOLDED.sub("", before_exercises))
        if not code[k] and any(code[:k]) and claim and not any(asserts[max(k - 1, 0) : k + 2]):
            missing.append(f"cell {k} claims {claim.group(0)!r}, and no cell beside it asserts anything")
        if before_exercises != text:
            break
    return missing


NARRATED = [
    each for each in LESSONS if each.part not in ("Reference", "Teaching") and not each.file.startswith("labs/")
]


@pytest.mark.parametrize("lesson", NARRATED, ids=lambda lesson: lesson.file)
def test_claims_stand_beside_an_assertion(lesson):
    assert unasserted(json.loads((NOTEBOOKS / f"{lesson.file}.ipynb").read_text(encoding="utf-8"))["cells"]) == []


@pytest.mark.parametrize(
    "words", ["the error is 0.3 %", "they agree to the last digits", "three times faster", "a method of order 2"]
)
def test_a_claim_without_an_assertion_is_found(words):
    opening, claim = (
        {"cell_type": "code", "metadata": {}, "source": ["x = 1"]},
        {"cell_type": "markdown", "metadata": {}},
    )
    told = [opening, claim | {"source": [words]}, opening]
    assert len(unasserted(told)) == 1
    assert unasserted([*told[:2], opening | {"source": ["assert x == 1"]}]) == []


def test_a_printed_error_without_an_assertion_is_found():
    cell = {"cell_type": "code", "metadata": {}, "source": ['print(f"off by {x:.0e}")']}
    assert len(unasserted([cell])) == 1
    assert unasserted([cell | {"source": [*cell["source"], "\nassert x < 1e-9"]}]) == []
