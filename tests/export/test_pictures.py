"""Pictures, films and tables for files: size, time, what they show, what is refused."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from PIL import Image

import rbdkit as rbd
from rbdkit.errors import FormatError
from rbdkit.pictures import files

PENDULUM = rbd.library.double_pendulum()


@pytest.fixture(scope="module")
def run():
    return rbd.simulate(PENDULUM, [2.0, 1.0], duration=0.5, dt=1e-2)


def opened(data: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)


def test_a_picture_has_its_size_and_shows_its_time(run, tmp_path):
    file = tmp_path / "run.png"
    first, last = run.to_png(file, size=(300, 200), t=0.0), run.to_png(size=(300, 200), t=0.5)
    assert file.read_bytes() == first and opened(first).shape == (200, 300, 3)
    assert (np.abs(opened(first) - opened(last)).max(axis=-1) > 20).mean() > 0.01
    still = rbd.to_png(PENDULUM, size=(300, 200), q=run.q[0], transparent=True)
    assert Image.open(io.BytesIO(still)).mode == "RGBA"


def test_a_view_is_drawn_as_it_stands(run):
    view = rbd.show(run)
    before = view.to_png(size=(200, 120))
    view.t = 0.5
    moved = view.to_png(size=(200, 120))
    assert before == run.to_png(size=(200, 120), t=0.0) and moved == run.to_png(size=(200, 120), t=0.5)
    view.hide(*view.layers)
    sky = opened(view.to_png(size=(200, 120)))
    assert (sky == sky[:, :1]).all()  # the same in every column
    view.close()


def test_a_gif_plays_in_real_time(run, tmp_path):
    run.to_gif(tmp_path / "run.gif", size=(120, 80), fps=12)
    with Image.open(tmp_path / "run.gif") as film:
        assert film.size == (120, 80) and film.n_frames == 7
        lasts = []
        for k in range(film.n_frames):
            film.seek(k)
            lasts.append(film.info["duration"])
    assert abs(sum(lasts) - 7 / 12 * 1000) <= 10  # ms; a GIF counts in hundredths of a second


def test_a_film_is_what_ffmpeg_gets(run, tmp_path, monkeypatch):
    """A stand-in that keeps its input: what would be encoded are all pixels of all pictures, in order."""
    program = tmp_path / "ffmpeg"
    program.write_text(f"#!/bin/sh\nprintf '%s ' \"$@\" > {tmp_path}/asked\ncat > {tmp_path}/fed\n")
    program.chmod(0o755)
    monkeypatch.setattr(files.shutil, "which", lambda name: str(program))
    run.to_mp4(tmp_path / "run.mp4", size=(64, 40), fps=10)
    fed = np.frombuffer((tmp_path / "fed").read_bytes(), dtype=np.uint8).reshape(6, 40, 64, 3)
    assert np.array_equal(fed[3], opened(run.to_png(size=(64, 40), t=0.3)))
    assert "64x40 -r 10 -i -" in (tmp_path / "asked").read_text()


def test_without_ffmpeg_a_film_says_what_to_do(run, tmp_path, monkeypatch):
    monkeypatch.setattr(files.shutil, "which", lambda name: None)
    with pytest.raises(FormatError, match=r"needs the program ffmpeg.*save a GIF"):
        run.to_mp4(tmp_path / "run.mp4", size=(64, 40))
    assert not (tmp_path / "run.mp4").exists()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda run: run.to_png(size=(0, 5)), "two whole numbers"),
        (lambda run: run.to_png(size=(10.5, 5)), "two whole numbers"),
        (lambda run: run.to_png(t=0.7), "runs from 0 to 0.5 s"),
        (lambda run: rbd.to_png(PENDULUM, t=0.1), "has no motion"),
        (lambda run: rbd.to_gif(PENDULUM, "no.gif"), "no motion to make a film of"),
        (lambda run: run.to_gif("no.gif", fps=60), "at most 50"),
        (lambda run: run.to_gif("no.gif", speed=0.0), "speed is 0.0"),
        (lambda run: run.to_mp4("no.mp4", size=(65, 40)), "even width"),
        (lambda run: rbd.to_png(3), "not int"),
    ],
)
def test_what_cannot_be_drawn_is_refused(run, call, says):
    with pytest.raises(FormatError, match=says):
        call(run)


def test_a_table_reads_back_to_the_last_bit(tmp_path):
    run = rbd.simulate(PENDULUM, [2.0, 1.0], tau=[0.1, -0.2], duration=0.1, dt=1e-2)
    text = run.to_csv(tmp_path / "run.csv")
    head, *rows = csv.reader(io.StringIO((tmp_path / "run.csv").read_text()))
    assert text == (tmp_path / "run.csv").read_text()
    numbers = np.array(rows, dtype=float)
    assert head[:5] == ["t", *run.columns()] and head[5:] == ["hinge1.angle force", "hinge2.angle force"]
    np.testing.assert_array_equal(numbers[:, 1:5].T, list(run.columns().values()))
    np.testing.assert_array_equal(numbers[:, [0, 5, 6]], np.column_stack([run.t, run.tau]))


def test_a_name_that_promises_another_kind_of_file_is_refused(tmp_path):
    model = rbd.library.pendulum()
    for save, name, right in [
        (rbd.to_png, "still.jpg", "still.png"),
        (rbd.to_gif, "swing.MP4", "swing.gif"),
        (rbd.to_mp4, "swing.gif", "swing.mp4"),
        (rbd.to_html, "page.png", "page.html"),
    ]:
        with pytest.raises(FormatError, match=f"{save.__name__} writes .* says other: name it .*{right}"):
            save(model, tmp_path / name)
    rbd.to_png(model, tmp_path / "still.1", size=(40, 30))  # a number, not a kind
    assert [file.name for file in tmp_path.iterdir()] == ["still.1"]
