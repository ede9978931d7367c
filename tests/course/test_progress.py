"""What is done is kept in a folder of the user's, and shown."""

import os
import sys
import tempfile
from datetime import date
from pathlib import Path

import pytest

import rbdkit as rbd
import rbdkit_course as course
from rbdkit_course import course_map, done, exercise_list, progress


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("RBDKIT_COURSE_DIR", str(tmp_path / "course"))
    return tmp_path / "course"


def test_tests_never_touch_the_users_own_folder():
    assert progress.folder() == Path(os.environ["RBDKIT_COURSE_DIR"])
    assert Path(tempfile.gettempdir()) in progress.folder().parents


@pytest.mark.parametrize(
    ("platform", "settings", "expected"),
    [
        ("linux", {}, "{home}/.local/share/rbdkit/course"),
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/rbdkit/course"),
        ("darwin", {}, "{home}/Library/Application Support/rbdkit/course"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/rbdkit/course"),
        ("win32", {}, "{home}/AppData/Local/rbdkit/course"),
    ],
)
def test_the_folder_is_where_the_platform_wants_it(monkeypatch, platform, settings, expected):
    for name in ("RBDKIT_COURSE_DIR", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert progress.folder().as_posix() == expected.format(home=Path.home().as_posix())


def test_a_right_answer_is_kept_and_a_wrong_one_is_not(place):
    model = rbd.library.pendulum()
    assert not course.first_steps.period(1.0, model)
    assert progress.done() == {} and not place.exists()
    verdict = course.first_steps.period(1.64, model)
    assert verdict and (verdict.exercise, verdict.points) == ("00-1", 1)
    assert progress.done() == {"00-1": date.today().isoformat()}
    assert repr(done("00")).startswith("1/3 exercises done: ✓ How long is a swing?, · How bold")
    assert "00 1/3" in repr(course_map()) and "--done: 33%" in course_map()._repr_html_()
    assert repr(exercise_list()).startswith("✓ 00-1 ★ How long")


def test_the_day_it_was_first_done_stays(place):
    place.mkdir(parents=True)
    (place / "F05-1").write_text("2020-02-29\n")
    progress.note("F05-1")
    progress.note("F05-2")
    assert progress.done() == {"F05-1": "2020-02-29", "F05-2": date.today().isoformat()}
    progress.forget("F05-1")
    assert list(progress.done()) == ["F05-2"]
    progress.forget()
    assert progress.done() == {}


def test_nothing_else_is_read_written_or_removed(place):
    place.mkdir(parents=True)
    for other in ("notes.txt", "F05"):
        (place / other).write_text("mine")
    (place / "F05-9").mkdir()
    progress.note("../outside-1")
    progress.note("")
    progress.forget()
    progress.forget("notes.txt")
    assert progress.done() == {}
    assert sorted(file.name for file in place.iterdir()) == ["F05", "F05-9", "notes.txt"]
    assert not (place.parent / "outside-1").exists()


def test_a_folder_that_cannot_be_written_stops_nobody(place):
    place.write_text("a file where the folder should be")
    assert course.first_steps.period(1.64, rbd.library.pendulum())
    assert progress.done() == {}
    progress.forget()


def test_the_map_leads_to_every_notebook():
    html = course_map()._repr_html_()
    for each in course.LESSONS:
        assert f'href="{each.file}.ipynb"' in html
    links = exercise_list()._repr_html_()
    assert "../featherstone/05_inverse_dynamics.ipynb" in links


def test_titles_in_print_have_no_latex():
    text = repr(course.done("F08"))
    assert "K by hand" in text and "$" not in text and "{" not in text
