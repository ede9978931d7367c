"""The table of the course and the notebooks say the same: order, links, headers, footers, hints, tags."""

import ast
import inspect
import json
import os
import re
from pathlib import Path

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from rbdkit.widgets import Playground
from rbdkit_course import headers
from rbdkit_course.__main__ import main
from rbdkit_course.catalogue import exercise, exercises
from rbdkit_course.contents import FRONT, LESSONS, PARTS, TRACKS, lesson, neighbours

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
EVERY = {file.relative_to(NOTEBOOKS).with_suffix("").as_posix(): file for file in NOTEBOOKS.rglob("*.ipynb")}
STORED = {name: file for name, file in EVERY.items() if ".ipynb_checkpoints" not in name}


def cells_of(name):
    return json.loads(STORED[name].read_text(encoding="utf-8"))["cells"]


def text_of(cell):
    return "".join(cell["source"])


def test_every_notebook_has_a_row_and_every_row_a_notebook():
    assert sorted([FRONT, *(each.file for each in LESSONS)]) == sorted(STORED)
    assert len({each.name for each in LESSONS}) == len(LESSONS)


def test_what_a_notebook_needs_comes_before_it():
    names = [each.name for each in LESSONS]
    for place, each in enumerate(LESSONS):
        assert set(each.needs) <= set(names[:place]), f"{each.name} needs what comes later"
    assert [each.part for each in LESSONS] == sorted((each.part for each in LESSONS), key=PARTS.index)


def test_every_notebook_has_goals_and_takes_its_time():
    for each in LESSONS:
        assert each.goals and all(goal[0].islower() and len(goal.split()) > 2 for goal in each.goals), each.name
        assert 5 <= each.minutes <= 120, each.name


def test_tracks_go_forward_through_notebooks_that_exist():
    for track in TRACKS:
        places = [LESSONS.index(lesson(name)) for name in track.way]
        assert places == sorted(set(places)), track.title
        assert set(track.remarks) <= set(track.way)
        whole = sum(lesson(name).minutes for name in track.way) / 60  # a part of a notebook takes less
        assert (0.6 if track.remarks else 1.0) * whole <= track.hours, track.title


@pytest.mark.parametrize("name", sorted(STORED))
def test_notebooks_hold_what_the_table_says(name):
    stored = STORED[name].read_text(encoding="utf-8")
    this = None if name == FRONT else lesson(name)
    assert headers.stored(headers.written(json.loads(stored), this)) == stored, "rbdkit-course headers"


@pytest.mark.parametrize("name", sorted(STORED))
def test_links_lead_somewhere(name):
    for cell in cells_of(name):
        if cell["cell_type"] != "markdown":
            continue
        for target in LINK.findall(text_of(cell)):
            if not target.startswith(("http://", "https://", "#")):
                file = Path(os.path.normpath(STORED[name].parent / target.partition("#")[0]))
                assert file.exists(), f"{name} links to {target}"


def test_headers_and_footers_lead_on_and_back():
    for each in LESSONS:
        texts = {cell["id"]: text_of(cell) for cell in cells_of(each.file)}
        first, last = texts["course-header"], texts["course-footer"]
        assert all(goal in first and goal in last for goal in each.goals)
        assert f"about {each.minutes} minutes" in first and each.part in first
        for other in neighbours(each):
            assert other is None or other.link_from(each.file) in last


def test_every_exercise_has_its_cells_in_order():
    for each in LESSONS:
        cells = cells_of(each.file)
        tags = [tag for cell in cells for tag in cell["metadata"].get("tags", ()) if ":" in tag]
        expected = [f"{kind}:{one.name}" for one in exercises(each.name) for kind in ("exercise", "check")]
        assert tags == expected
        for one in exercises(each.name):
            (check,) = [cell for cell in cells if f"check:{one.name}" in cell["metadata"].get("tags", ())]
            assert text_of(check).partition("(")[0].endswith(one.check.rpartition(".")[2])


@pytest.mark.parametrize("each", exercises(), ids=lambda each: each.name)
def test_every_exercise_is_complete(each):
    assert each.judge.__wrapped__, "the check is none of an exercise"
    assert 1 <= each.stars <= 3 and 3 <= each.minutes <= 90
    assert len(each.hints) == 3 and all(each.hints) and each.why and each.solution.strip()
    assert len(each.slips) >= 3
    assert exercise(each.name) is each and each.lesson in {one.name for one in LESSONS}


def test_checks_know_their_exercise():
    for each in exercises():
        asked = [p for p in inspect.signature(each.judge).parameters.values() if p.default is p.empty]
        verdict = each.judge(*[None] * len(asked))
        assert verdict.exercise == each.name and verdict.points == 0


def test_the_program_brings_notebooks_up_to_date(tmp_path, capsys):
    for name, file in STORED.items():
        copy = tmp_path / f"{name}.ipynb"
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
    spoilt = json.loads((tmp_path / "errata.ipynb").read_text(encoding="utf-8"))
    spoilt["cells"] = [cell for cell in spoilt["cells"] if not cell["id"].startswith("course-")]
    (tmp_path / "errata.ipynb").write_text(json.dumps(spoilt), encoding="utf-8")
    assert main(["headers", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "errata.ipynb is up to date now\n"
    assert (tmp_path / "errata.ipynb").read_bytes() == STORED["errata"].read_bytes()
    main(["headers", str(tmp_path)])
    assert capsys.readouterr().out == ""


def test_there_is_no_such_notebook_or_exercise():
    with pytest.raises(LookupError, match="no notebook 'F99'; there are 00, 01"):
        lesson("F99")
    with pytest.raises(LookupError, match="no exercise 'F99-1'"):
        exercise("F99-1")


@pytest.mark.parametrize("name", sorted(STORED))
def test_no_notebook_begins_with_a_wall_of_imports(name):
    code = "\n".join(text_of(cell) for cell in cells_of(name) if cell["cell_type"] == "code")
    python = TransformerManager().transform_cell(code)  # without the magics of IPython
    lines = [line for line in code.splitlines() if re.match(r"\s*(import|from)\b", line)]
    statements = [node for node in ast.walk(ast.parse(python)) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert len(lines) == len(statements) <= 5, lines  # numpy, matplotlib, rbdkit, the course, what a chapter adds
    assert not any(line.endswith("(") for line in lines), "one line each"


def test_what_notebooks_take_from_one_place_is_there():
    from rbdkit_course import (
        featherstone,
        gebhardt_romero,
        holzinger,
        mueller_terze,
        reading_benchmarks,
        sueda,
        workbench,
    )
    from rbdkit_course.featherstone import pictures

    papers = (gebhardt_romero, holzinger, mueller_terze, reading_benchmarks, workbench)
    for place, files in ((featherstone, featherstone.CHAPTERS), (sueda, sueda.NOTEBOOKS), *((p, ()) for p in papers)):
        for name in (*files, *place.PARTS):
            given = getattr(place, name)
            assert getattr(given, "__name__", name).split(".")[-1] in {name, "pyplot"}
    for home, names in pictures.HOMES.items():
        for name in names:
            for _ in range(2):  # a cell is run again: then the file that was loaded stands where its picture was
                assert getattr(pictures, name) is not None
                assert home == "IPython.display" or name.isupper() or callable(getattr(pictures, name))
    for place in (featherstone, pictures, sueda, *papers):
        with pytest.raises(AttributeError, match="'nothing'"):
            place.nothing  # noqa: B018


def test_cells_with_pictures_run_again():
    from rbdkit_course.featherstone import pictures

    first = pictures.joint_gallery()
    again = pictures.joint_gallery()
    assert type(first) is type(again) is Playground and first is not again
    for playground in (first, again):
        playground.close()
