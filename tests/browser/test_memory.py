"""What runs of a notebook leave behind in the page and in the kernel: nothing."""

from __future__ import annotations

import pytest

CELLS = (
    """
import rbdkit as rbd
from rbdkit.widgets import Picture, Playground, Slider
from rbdkit.figures import Plot
model = rbd.library.double_pendulum()
run = rbd.simulate(model, [1.2, 0.4], duration=1.0, dt=1e-2)
shown = rbd.show(run, height=140)
shown.inspected = "rod2"
shown
""",
    "rbd.sliders(model, height=140)",
    'rbd.tweak(model, {"rod1.mass": (0.2, 5.0)}, [1.2, 0.4], duration=1.0, height=140)',
    'rbd.compare(model, [("joint", "rk4"), ("joint", "symplectic_euler")], q0=[1.2, 0.4], duration=0.5, height=140)',
    "rbd.step_algorithm(rbd.rnea, model, [1.2, 0.4], [0.1, 0.2], [0.0, 0.0], height=140)",
    'rbd.step_integrator(model, [1.2, 0.4], dt=0.05, beside="symplectic_euler", height=140)',
    "rbd.build(model, height=140)",
    """
def curve(a):
    figure = Plot(figsize=(3.0, 2.0))
    figure.subplots().plot([0.0, a])
    return Picture(figure=figure, readout=[("a", f"{a:.2f}")])
Playground("Alone", [Slider("a", "", 0.0, 1.0, 0.5)], curve)
""",
    'Playground("In space", [Slider("a", "", 0.0, 1.0, 0.5)], lambda a: Picture([a, 0.0]), model, 140)',
)
VIEWS = 8

# Prototypes of what there is to count; a view gives hold of pythreejs's three.js and of our own classes. A count is a
# walk over all objects, hence few.
PROTOTYPES = {
    "pictures": "core.constructor.prototype",
    "faces": "[...core.faces][0].constructor.prototype",
    "geometries": "core.graph.objects.mesh.geometry.constructor.prototype",
    "materials": "core.graph.objects.mesh.material.constructor.prototype",
    "canvases": "HTMLCanvasElement.prototype",
}


class Memory:
    """What is alive in the page once all garbage is gone."""

    def __init__(self, notebook) -> None:
        self.notebook = notebook
        self.devtools = notebook.page.context.new_cdp_session(notebook.page)
        self.devtools.send("Performance.enable")

    def collect_garbage(self) -> None:
        """Let go of all that nothing refers to.

        A query collects garbage, too, but in the middle of other work: it spares what a place of the stack happens to
        point at, often a view. This one runs on an empty stack.
        """
        self.devtools.send("HeapProfiler.collectGarbage")

    def number(self, prototype: str) -> int:
        """How many objects have a prototype in their chain."""
        core = "const { core } = document.querySelector('.rbd-view[data-ready=true]');"
        found = self.devtools.send("Runtime.evaluate", {"expression": f"(() => {{ {core} return {prototype}; }})()"})
        group = {"prototypeObjectId": found["result"]["objectId"], "objectGroup": "counted"}
        objects = self.devtools.send("Runtime.queryObjects", group)["objects"]["objectId"]
        counting = {"objectId": objects, "functionDeclaration": "function () { return this.length; }"}
        number = self.devtools.send("Runtime.callFunctionOn", {**counting, "returnByValue": True})
        self.devtools.send("Runtime.releaseObject", {"objectId": found["result"]["objectId"]})
        self.devtools.send("Runtime.releaseObjectGroup", {"objectGroup": "counted"})
        return number["result"]["value"]

    def counts(self) -> dict[str, int]:
        """Everything that can be counted, in the page and in the kernel."""
        self.collect_garbage()
        page = self.notebook.page
        counts = {name: self.number(prototype) for name, prototype in PROTOTYPES.items()}
        manager = "document.querySelector('.rbd-view[data-ready=true]').core.model.widget_manager"
        counts["models of widgets"] = page.evaluate(f"Object.keys({manager}._models).length")
        counts["style sheets"] = page.evaluate("document.styleSheets.length")
        counts["modules"] = page.evaluate("globalThis[Symbol.for('rbdkit.modules')].size")
        counts["widgets in Python"] = int(
            self.notebook.python("from ipywidgets.widgets.widget import _instances; print(len(_instances))")
        )
        return counts

    def settled(self, wanted: dict[str, int]) -> dict[str, int]:
        """The counts, taken again until they are the wanted ones, or a few times: timers and promises run out first."""
        for _ in range(5):
            if (counts := self.counts()) == wanted:
                break
            self.notebook.settle(1000)
        return counts

    def metric(self, name: str) -> int:
        """One of the browser's own numbers."""
        self.collect_garbage()
        metrics = self.devtools.send("Performance.getMetrics")["metrics"]
        return int(next(m["value"] for m in metrics if m["name"] == name))


@pytest.fixture
def memory(notebook):
    notebook.run(*CELLS)
    notebook.view(VIEWS - 1)
    return Memory(notebook)


def test_a_run_again_leaves_nothing_behind(memory):
    notebook = memory.notebook
    notebook.run_all()  # the first runs fill caches that stay
    notebook.view(VIEWS - 1)
    before, listeners = memory.counts(), memory.metric("JSEventListeners")
    nodes, heap = memory.metric("Nodes"), memory.metric("JSHeapUsedSize")
    for _ in range(2):
        notebook.run_all()
        notebook.view(VIEWS - 1)
    after = memory.settled(before)
    assert after == before
    assert after["pictures"] == after["faces"] == VIEWS
    assert memory.metric("JSEventListeners") - listeners < 50  # a view has several hundred
    assert memory.metric("Nodes") - nodes < 200  # a view has more
    assert memory.metric("JSHeapUsedSize") - heap < 6e6  # JupyterLab keeps a little of each comm until its kernel ends


def test_cleared_outputs_and_widgets_closed_in_any_order_leave_nothing_behind(memory):
    notebook = memory.notebook
    before = memory.counts()
    notebook.command("notebook:clear-all-cell-outputs")
    notebook.page.wait_for_function("!document.querySelector('.rbd-view, .rbd-panel')")
    for order in ("", "reversed"):  # what is drawn with goes first, or last
        notebook.run_all()
        notebook.view(VIEWS - 1)
        notebook.python(
            "from ipywidgets.widgets.widget import _instances\n"
            f"for widget in list({order}(list(_instances.values()))): widget.close()"
        )
        notebook.page.wait_for_function("!document.querySelector('.rbd-view, .rbd-panel')")
        notebook.wait_idle()
        notebook.check_console()
    notebook.run_all()
    notebook.view(VIEWS - 1)
    assert memory.settled(before) == before
