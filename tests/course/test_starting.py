"""The command that opens the course copies its notebooks to a folder of the student's own."""

import sys
from pathlib import Path

import pytest

from rbdkit_course import starting
from rbdkit_course.__main__ import main


@pytest.fixture
def opened(monkeypatch):
    """What would have been started."""
    commands = []
    monkeypatch.setattr(starting.subprocess, "call", lambda command: commands.append(command) or 0)
    return commands


def test_copies_of_jupyterlab_stay_behind(tmp_path, monkeypatch, opened):
    source = tmp_path / "course"
    for name in ("index.ipynb", ".ipynb_checkpoints/index-checkpoint.ipynb"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text("{}")
    monkeypatch.setattr(starting, "notebooks_folder", lambda: source)
    main(["start", "--folder", str(tmp_path / "mine")])
    assert [file.name for file in (tmp_path / "mine").rglob("*")] == ["index.ipynb"]


def test_a_new_folder_gets_all_notebooks(tmp_path, opened):
    folder = tmp_path / "mine"
    assert main(["start", "--folder", str(folder)]) == 0
    assert opened == [[sys.executable, "-m", "jupyterlab", str(folder / "index.ipynb")]]
    of_course = starting.notebooks_folder()
    stored = {
        file.relative_to(of_course) for file in of_course.rglob("*.ipynb") if not file.match("*-checkpoint.ipynb")
    }
    assert {file.relative_to(folder) for file in folder.rglob("*") if file.is_file()} == stored
    assert Path("featherstone", "05_inverse_dynamics.ipynb") in stored


def test_a_student_goes_on_where_he_was(tmp_path, opened):
    main(["start", "--folder", str(tmp_path)])
    (tmp_path / "00_first_steps.ipynb").write_text("answers")
    assert main(["start", "--folder", str(tmp_path)]) == 0
    assert (tmp_path / "00_first_steps.ipynb").read_text() == "answers"


def test_other_files_are_not_mixed_with_the_course(tmp_path, opened, capsys):
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(SystemExit):
        main(["start", "--folder", str(tmp_path)])
    assert "holds other files; name an empty folder" in capsys.readouterr().err
    assert not opened and [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_missing_jupyterlab_is_named_with_what_to_type(tmp_path, monkeypatch, capsys, opened):
    monkeypatch.setattr(starting, "find_spec", lambda name: None)
    with pytest.raises(SystemExit):
        main(["start", "--folder", str(tmp_path / "mine")])
    assert 'pip install "rbdkit[lab]"' in capsys.readouterr().err
    assert not opened and not (tmp_path / "mine").exists()
