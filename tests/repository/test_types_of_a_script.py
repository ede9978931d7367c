"""What a user writes, as type checkers see it: mypy reads this file with the rest, and pytest runs it."""
# mypy: disallow-untyped-calls, disallow-untyped-defs

from pathlib import Path
from typing import Any, assert_type

import numpy as np
import pytest
from numpy.typing import NDArray

import rbdkit as rbd


def test_public_functions_are_functions_and_say_what_they_return(tmp_path: Path) -> None:
    """Modules that have the name of their function (simulate, load, play, ...) must not hide it from type checkers."""
    model: rbd.Model = rbd.library.double_pendulum()
    q = np.zeros(model.nq)
    trajectory = assert_type(rbd.simulate(model, duration=0.1), rbd.Trajectory)
    assert_type(trajectory.q, NDArray[Any])
    assert_type(rbd.aba(model, q, q, q), NDArray[Any])
    rbd.save(model, tmp_path / "model.json")
    assert_type(rbd.load(tmp_path / "model.json"), rbd.Model)
    checked = rbd.selfcheck(model)
    assert checked


def test_widgets_are_functions_and_say_what_they_return() -> None:
    pytest.importorskip("ipywidgets")
    from rbdkit.widgets.play import Play
    from rbdkit.widgets.tweak import Tweak

    model = rbd.library.double_pendulum()
    assert_type(rbd.play(model), Play)
    assert_type(rbd.tweak(model, {"rod2.mass": (0.5, 2.0)}), Tweak)
    assert_type(rbd.sliders(model).model, rbd.Model)
