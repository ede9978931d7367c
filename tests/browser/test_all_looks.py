"""Every widget in both themes and at two widths: nothing is cut off or reaches out; pictures are kept to be seen."""

from __future__ import annotations

import pytest

MODEL = """
import numpy as np, rbdkit as rbd
from rbdkit.figures import Plot
from rbdkit.widgets import Picture, Playground, Slider
model, q = rbd.library.double_pendulum(), [1.8, 0.5]
run = rbd.simulate(model, q, duration=2.0, progress=False)
turn = lambda a: Picture([a, 0.5], readout=[("angle", f"{a:.2f} rad"), ("height", f"{-np.cos(a):.2f} m")])
"""
WIDGETS = {
    "show": "rbd.show(run)",
    "sliders": "rbd.sliders(model)",
    "tweak": 'rbd.tweak(model, {"rod1.mass": (0.1, 5.0), "hinge1.damping": (0.0, 1.0)}, q, duration=2.0)',
    "play": 'rbd.play(model, {"gravity.z": (-20.0, 0.0)}, q)',
    "compare": 'rbd.compare(model, [("joint", "rk4"), ("joint", "symplectic_euler")], q0=q, duration=1.0)',
    "build": "rbd.build(model)",
    "algorithm": "rbd.step_algorithm(rbd.algorithms.aba, model, [1.2, 0.4], [0.1, 0.2], [0.0, 0.0])",
    "integrator": 'rbd.step_integrator(model, [1.2, 0.4], [1.0, -2.0], dt=0.08, beside="symplectic_euler")',
    "playground": 'Playground("Two rods", [Slider("a", "rad", -3.0, 3.0, 1.0)], turn, model)',
}
# Text that is wider than the box that cuts it off, and controls outside of the widget.
CUT = """view => {
    const outer = view.getBoundingClientRect(), texts = "button, output, summary, label, span, td, th, h1, h2, h3, p";
    const seen = [...view.querySelectorAll(`${texts}, input, select`)].filter((el) => el.clientWidth
        && el.checkVisibility({ visibilityProperty: true }) && !el.closest(".rbd-source, .rbd-code"));
    const cut = seen.filter((el) => el.matches(texts) && el.scrollWidth > el.clientWidth + 1
        && getComputedStyle(el).overflowX !== "visible");
    const out = seen.filter((el) => {
        const { left, right } = el.getBoundingClientRect();
        return left < outer.left - 1 || right > outer.right + 1;
    });
    return [...cut, ...out].map((el) => `${el.tagName}.${el.className}: ${el.textContent.slice(0, 40)}`);
}"""


@pytest.mark.parametrize("name", WIDGETS)
def test_in_both_themes_and_at_two_widths(notebook, name):
    page = notebook.page
    notebook.run(MODEL, WIDGETS[name])
    for theme in ("Light", "Dark"):
        notebook.theme(f"JupyterLab {theme}")
        for width in (1280, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            view = notebook.view()
            view.scroll_into_view_if_needed()
            notebook.settle(300)
            notebook.keep(f"all-{name}-{theme.lower()}-{width}", view)
            assert view.evaluate(CUT) == []
            assert view.locator(".rbd-fault:visible").count() == 0
