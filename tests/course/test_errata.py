"""The errata page cannot go stale: every printed form is still wrong, and every right one right."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from numpy.testing import assert_allclose

from rbdkit.library import free_rotation
from rbdkit.library.holzinger import MOMENTS, SPIN
from rbdkit_course import errata
from rbdkit_course.errata import Errors, Finding
from rbdkit_course.errata.holzinger_steps import forty_digits

# Facts about orders, figures and numbers with four printed digits; all others are right to round-off.
NOT_TO_ROUND_OFF = {"Eq 82", "Eqs 83 to 85", "Fig 11, longest steps", "section 10.2, first acceleration"} | {
    f"section 6, {what}" for what in ("moments of inertia", "reference", "both methods")
}


@pytest.mark.parametrize("finding", errata.FINDINGS, ids=lambda finding: f"{finding.source}, {finding.place}")
def test_printed_form_is_wrong_and_the_other_right(finding):
    found = finding.errors
    assert found.printed > finding.margin
    assert found.right < finding.tolerance
    assert finding.holds()


def test_margins_tell_the_two_forms_apart():
    for finding in errata.FINDINGS:
        assert finding.margin > 9 * finding.tolerance, finding.place
        if finding.place not in NOT_TO_ROUND_OFF:
            assert finding.tolerance <= 1e-9, finding.place


def test_places_are_named_once():
    names = [(finding.source, finding.place) for finding in errata.FINDINGS]
    assert len(names) == len(set(names)) == 70
    assert set(errata.BY_SOURCE) == {source for source, _ in names}


@pytest.mark.parametrize("errors", [Errors(1e-3, 1e-16), Errors(1.0, 1e-3), Errors(0.0, 0.0)])
def test_an_entry_that_went_stale_is_seen(errors):
    finding = Finding("A", "Eq 1", "$x$", "$y$", "", lambda: errors, margin=0.1, tolerance=1e-14)
    assert not finding.holds()


@pytest.fixture
def entry() -> Finding:
    return Finding("A", "Eq 1", "$x$", "$y$", "Because.", half, margin=0.1, tolerance=1e-14, unit="m", doubt="a scan.")


def half() -> Errors:
    """What the page shows."""
    return Errors(0.5, 1e-16)


def test_an_entry_shows_both_forms_their_errors_and_its_check(entry):
    page = entry._repr_markdown_()
    assert "| as read | $x$ | **0.5** m |" in page
    assert "| right | $y$ | 1e-16 m |" in page
    assert "Because." in page and "*Perhaps not in print:* a scan." in page
    assert "def half() -> Errors:" in page and "return Errors(0.5, 1e-16)" in page
    assert repr(entry) == "A, Eq 1: as read off by 0.5, right 1e-16"


def test_an_entry_without_a_doubt_speaks_of_the_print(entry):
    plain = replace(entry, doubt="")
    assert "| printed | $x$ | **0.5** m |" in plain._repr_markdown_()
    assert "Perhaps" not in plain._repr_markdown_()
    assert repr(plain) == "A, Eq 1: as printed off by 0.5, right 1e-16"


def test_summary_has_a_row_for_each_entry_under_its_source(entry):
    plain = replace(entry, doubt="")
    rows = errata.Summary([plain, plain])._repr_markdown_().splitlines()
    assert rows[0] == "**Misprints and slips: 2**"
    assert rows[2].startswith("| Place | Printed |")
    assert rows[4] == "| **A** | | | | |"
    assert rows[5] == rows[6] == "| Eq 1 | $x$ | $y$ | **0.5** m | 1e-16 |"
    assert len(rows) == 7
    assert repr(errata.Summary([plain])) == repr(plain)


def test_summary_keeps_apart_what_may_be_damage_to_the_copy(entry):
    rows = errata.Summary([entry, replace(entry, doubt="", place="Eq 2")])._repr_markdown_().splitlines()
    accused, doubtful = (
        rows.index("**Misprints and slips: 1**"),
        rows.index("**Perhaps only in the copy that was read: 1**"),
    )
    assert accused < rows.index("| Eq 2 | $x$ | $y$ | **0.5** m | 1e-16 |") < doubtful
    assert rows[doubtful + 2].startswith("| Place | As read |")
    assert rows[-1] == "| Eq 1 | $x$ | $y$ | **0.5** m | 1e-16 |"


def test_no_formula_breaks_its_row():
    """A bar would begin a new column."""
    for finding in errata.FINDINGS:
        assert "|" not in finding.printed + finding.right, finding.place


def test_details_are_those_of_the_source():
    assert errata.details("Sueda").findings == errata.BY_SOURCE["Sueda"]
    with pytest.raises(KeyError, match="no source 'Euler'; there are Featherstone, Sueda, "):
        errata.details("Euler")


def test_the_page_shows_every_source():
    page = Path(__file__).parents[2] / "notebooks" / "errata.ipynb"
    code = [
        "".join(cell["source"])
        for cell in json.loads(page.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
    ]
    assert "errata.summary()" in code[0]
    for source in errata.BY_SOURCE:
        assert f'errata.details("{source}")' in code, source


def test_what_is_withdrawn_is_not_listed():
    names = {(finding.source, finding.place) for finding in errata.FINDINGS}
    assert not names & {("Sueda", "Eq 2.66"), ("Gebhardt and Romero", "Eq 7")}


def test_the_forty_digits_agree_with_the_series_where_steps_are_short():
    exact = free_rotation(MOMENTS, SPIN, [1.0])[0][0]
    assert_allclose(forty_digits(2560), exact, rtol=0, atol=1e-5)  # order 4: 7e-4 after 640 steps, 3e-6 after 2560
