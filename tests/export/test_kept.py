"""What a saved notebook keeps of a motion."""

from __future__ import annotations

import numpy as np

import rbdkit as rbd
from rbdkit.export.kept import KEYS, PLAY, TRY, kept_page
from rbdkit.export.page import packed_code
from rbdkit.export.thinned import fewer_keys, fewer_points
from rbdkit.scene import tracks_of
from rbdkit.widgets import Picture, Playground, Slider

RUN = rbd.simulate(rbd.library.double_pendulum(), [2.0, 1.0], duration=2.0)


def test_fewer_keys_are_keys_of_before_with_both_ends():
    tracks = tracks_of(RUN)
    fewer = fewer_keys(tracks, 100)
    assert 50 < len(fewer.t) <= 101 and fewer.t[0] == 0.0 and fewer.t[-1] == tracks.t[-1]
    rows = np.searchsorted(tracks.t, fewer.t)
    np.testing.assert_array_equal(fewer.poses, tracks.poses[rows])
    np.testing.assert_array_equal(fewer.samples, tracks.samples[rows])
    np.testing.assert_array_equal(fewer_keys(fewer, 1000).t, fewer.t)


def test_fewer_points_are_points_of_the_curves():
    view = rbd.show(RUN)
    (energy, *_), (fewer, *_) = view._plots[0]["tabs"], fewer_points(view._plots, 64)[0]["tabs"]
    view.close()
    t, short = (np.frombuffer(tab["t"]) for tab in (energy, fewer))
    values, few = (np.frombuffer(tab["values"], dtype="<f4").reshape(3, -1) for tab in (energy, fewer))
    assert len(short) <= 65 and short[-1] == t[-1]
    np.testing.assert_array_equal(few, values[:, np.searchsorted(t, short)])


def test_a_motion_is_kept_as_a_page_a_still_picture_is_not():
    view, still = rbd.show(RUN), rbd.show(RUN.model, [1.0, 0.0])
    before, code, after, word = kept_page(view)
    assert kept_page(still) is None
    view.close()
    still.close()
    assert code == packed_code() and code not in before + after and word == PLAY
    assert before.startswith("<!doctype html>") and after.rstrip().endswith("</html>")
    assert len(before) + len(after) < 300 * KEYS


def test_a_playground_is_kept_as_a_page_where_it_computes():
    lower, upper = (lambda a: Picture(q=[a, 0.0], note=f"{a:.2f}")), (lambda a: Picture(q=[a, 0.0], note=str(a)))
    pages = []
    for draw in (lower, upper):
        playground = Playground("One", [Slider("a", "rad", -1.0, 1.0, 0.5)], draw, RUN.model)
        pages.append(kept_page(playground.stage))
        playground.close()
    assert pages[1] is None
    before, _, after, word = pages[0]
    assert word == TRY and "computes by itself" in before + after and len(before) + len(after) < 60_000
