"""What all widgets with JavaScript have in common: one loader, whole states, closing, staying with their cell."""

import json

import ipywidgets.embed
import numpy as np
import pytest
from ipywidgets.widgets.widget import _instances

import rbdkit as rbd
from rbdkit.errors import RbdkitError
from rbdkit.library import double_pendulum
from rbdkit.widgets import Picture, Playground, Slider
from rbdkit.widgets import cell as cells
from rbdkit.widgets.cell import CellRun


def playground():
    return Playground("Alone", [Slider("a", "", 0.0, 1.0, 0.5)], lambda a: Picture())


def in_space():
    sliders = [Slider("a", "", 0.0, 1.0, 0.5)]
    return Playground("In space", sliders, lambda a: Picture([a, 0.0]), double_pendulum())


def comparison():
    pairs = [("joint", "rk4"), ("joint", "symplectic_euler")]
    return rbd.compare(double_pendulum(), pairs, q0=[1.0, 0.5], duration=0.1, dt=0.01, steps=[0.02, 0.01])


def inspected():
    view = rbd.show(double_pendulum())
    view.inspected = "rod2"
    return view


VIEWS = {
    "show": inspected,
    "sliders": lambda: rbd.sliders(double_pendulum()),
    "tweak": lambda: rbd.tweak(double_pendulum(), {"rod1.mass": (0.2, 5.0)}, duration=0.1),
    "compare": comparison,
    "playground": playground,
    "playground in space": in_space,
    "algorithm": lambda: rbd.step_algorithm(rbd.rnea, double_pendulum(), [1.0, 0.5], [0.0, 0.0], [0.0, 0.0]),
    "integrator": lambda: rbd.step_integrator(double_pendulum(), [1.0, 0.5]),
    "build": lambda: rbd.build(double_pendulum()),
}


@pytest.fixture
def running(monkeypatch):
    """Says which run of which cell is going on."""

    def start(cell, run):
        monkeypatch.setattr(cells, "running_cell", lambda: CellRun(cell, run))

    return start


@pytest.mark.parametrize("name", VIEWS)
def test_a_cell_that_runs_again_closes_every_widget_of_the_run_before(name, running):
    before = set(_instances)
    running(f"cell of {name}", "first")
    VIEWS[name]()
    first = set(_instances) - before
    assert first
    running(f"cell of {name}", "second")
    view = VIEWS[name]()
    second = set(_instances) - before
    assert not first & second and len(second) == len(first)
    view.close()
    assert set(_instances) == before


def test_what_failed_half_way_goes_with_the_next_run(running):
    def draw(a):
        raise RbdkitError("there is nothing to see")

    before = set(_instances)
    running("failing", "first")
    with pytest.raises(RbdkitError, match="nothing to see"):
        Playground("Fails", [Slider("a", "", 0.0, 1.0, 0.5)], draw, double_pendulum())
    running("failing", "second")
    mended = Playground("Works", [Slider("a", "", 0.0, 1.0, 0.5)], lambda a: Picture(), double_pendulum())
    mended.close()
    assert set(_instances) == before


@pytest.mark.parametrize("name", ["show", "playground", "build"])
def test_an_exported_page_has_the_whole_state(name):
    made = VIEWS[name]()
    widget = made.widget if isinstance(made, Playground) else made
    states = ipywidgets.embed.dependency_state([widget], drop_defaults=True)
    ours = [entry["state"] for entry in states.values() if entry["model_module"] == "anywidget"]
    assert ours
    for state in ours:
        assert state["_view_name"] == "AnyView" and state["_view_module"] == "anywidget"
        assert "export default" in state["_esm"] and "export default" in state["_module"] and state["_css"]
    assert json.dumps(states)
    made.close()


def test_all_widgets_bring_the_same_few_lines_and_each_class_one_module():
    made = [VIEWS[name]() for name in ("show", "sliders", "tweak")]
    fronts = [view.panel for view in made if view.panel is not None] + made
    assert len({front._esm for front in fronts}) == 1
    assert len({view._module for view in made}) == 1
    assert len(made[0]._esm) < 0.1 * len(made[0]._module)
    for view in made:
        view.close()
    assert np.all([view.comm is None for view in made])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"beside": (1, 2, 3, 4)}, r"beside = \(1, 2, 3, 4\) is no pair of a formulation and an integrator"),
        ({"formulation": lambda model, tau, f_ext: 0}, "made 0, which is no formulation"),
    ],
)
def test_the_integrator_stepper_names_what_it_cannot_step(given, said):
    with pytest.raises(RbdkitError, match=said):
        rbd.step_integrator(double_pendulum(), [1.0, 0.5], **given)
