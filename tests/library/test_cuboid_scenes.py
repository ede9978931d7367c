"""The families of scenes of Sueda's notes: short to build, stepped as the notes do, and right as steps grow short."""

import inspect
import warnings
from functools import partial

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.library.cuboid_scenes import SCENES, cuboid_scene
from rbdkit.simulation import SimulationWarning

H = 1e-2  # s, the step of the notes
OPEN = [name for name in SCENES if name not in ("loop", "ground")]
METHOD = "linearly_implicit_euler"


def off(found, expected) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def quietly(run, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # 0.01 s is the notes' step, not one of good accuracy
        return run(**options)


def test_none_is_long():
    for name, build in SCENES.items():
        lines = [line for line in inspect.getsource(build).splitlines() if line.strip() and '"""' not in line]
        assert len(lines) <= 25, name


@pytest.mark.source("S1.11", "S1.12", "S1.14", "S1.15", "S1.16", "S2.15", "S2.16", "S2.17", "S2.19")
@pytest.mark.parametrize("name", OPEN)
def test_energies_step_by_step(name):
    """REDMAX steps as joint coordinates do, and its work is that of the forces: energies to round-off."""
    run = partial(rbd.simulate, *cuboid_scene(name), duration=0.1, dt=H, integrator=METHOD)
    redmax, joints = (
        quietly(run, formulation=x, backend="book" if x == "joint" else "auto") for x in ("redmax", "joint")
    )
    assert "compiled" in redmax.report.backend and "compiled" not in joints.report.backend
    for part in ("kinetic", "potential", "total"):
        assert off(getattr(redmax.energy(), part), getattr(joints.energy(), part)) < 1e-9


@pytest.mark.source("S1.11", "S1.17", "S2.17", "S2.20")
@pytest.mark.parametrize("name", [*OPEN, "loop"])
def test_bodies_come_to_the_same_as_steps_grow_short(name):
    """Bodies with constraints, of first order, against RK4 in joint coordinates with short steps."""
    model, q, v = cuboid_scene(name)
    run = partial(rbd.simulate, model, q, v, duration=2e-3)
    exact = run(dt=2.5e-4, backend="book")
    errors = [
        np.abs(model.displacement(exact.q[-1], at.q[-1])).max()
        for at in (quietly(run, dt=h, formulation="maximal", integrator=METHOD) for h in (5e-4, 2.5e-4))
    ]
    assert 1.8 < errors[0] / errors[1] < 2.2


@pytest.mark.source("S1.18")
def test_the_one_on_the_ground_comes_to_rest():
    """On one of its four long sides, half a centimetre high: its energy is then m g / 2 cm, by hand."""
    run = rbd.simulate(*cuboid_scene("ground"), duration=1.0, dt=2e-3)
    assert run.energy().total[-1] == pytest.approx(10.0 * 980.0 * 0.5, rel=1e-3)
    assert np.abs(run.v[-1]).max() < 1e-3


def test_what_is_no_scene():
    with pytest.raises(rbd.ModelError, match="'serail'; there are serial, axes"):
        cuboid_scene("serail")
