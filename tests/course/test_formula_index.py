"""The index of formulas leads to lines that say so, and knows which source a number belongs to."""

import re
from pathlib import Path

import rbdkit_course as course
from rbdkit_course.formula_index import PACKAGE


def places(number, source=None):
    return {(place.file, place.code) for place in course.formulas(number, source)}


def test_well_known_lines():
    assert ("algorithms/aba.py", "Ia[i] = IA[i] - U[i] @ D_inv_U  # Eq 7.47") in places("7.47")
    assert any(file == "algorithms/rnea.py" for file, _ in places("5.20"))
    assert {place.source for place in course.formulas("1.30")} == {"Sueda"}
    assert {place.source for place in course.formulas("54")} == {"Holzinger", "Gebhardt and Romero"}
    assert len(course.formulas("54", "holz")) == len(course.formulas("54")) - len(course.formulas("54", "gebhardt"))
    assert len(course.formulas("99.9")) == 0


def test_every_place_is_where_it_says():
    everything = course.formulas()
    assert len(everything) > 800
    files = {place.file for place in everything}
    lines = {file: Path(PACKAGE, file).read_text(encoding="utf-8").splitlines() for file in files}
    for place in everything:
        line = lines[place.file][place.line - 1]
        assert line.strip() == place.code and place.number in line and place.kind[:2] in line
        if place.source == "Featherstone":
            assert re.fullmatch(r"(A|[2-9]|1[01])\.\d+[a-f]?", place.number), place


def test_every_chapter_and_source_is_there_in_the_order_of_numbers():
    everything = list(course.formulas())
    chapters = {place.number.partition(".")[0] for place in everything if place.source == "Featherstone"}
    assert chapters >= {*"23456789A", "10", "11"}
    assert len({place.source for place in everything}) == 5
    equations = [p.number for p in everything if p.source == "Featherstone" and p.kind == "Eq"]
    assert equations.index("5.9") < equations.index("5.11") < equations.index("6.20")


def test_it_shows_itself():
    html = course.formulas("5.")._repr_html_()
    assert html.startswith("<details><summary>Featherstone, 5 (") and "algorithms/rnea.py:" in html
    assert "<details open>" in course.formulas("7.47")._repr_html_()


def test_numbers_are_found_as_books_write_them():
    plain = [place.line for place in course.formulas("7.47")]
    assert plain
    for written in ("Eq 7.47", "Eq. (7.47)", "eq 7.47", " 7.47 "):
        assert [place.line for place in course.formulas(written)] == plain, written
