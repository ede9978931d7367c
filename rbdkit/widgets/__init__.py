"""Notebook widgets: the view, its player and plots, joint sliders, playgrounds, steppers, the builder.

Thin over `rbdkit.scene`: Python packs a scene once, the JavaScript beside this file draws and plays it with pythreejs's
three.js. `Stage` shows any scene, `View` a model; `Panel` is a column of sliders for any numbers, `Playground` sliders
with whatever a function of them draws. Figures without widgets are in `rbdkit.figures`.
"""

from rbdkit.widgets.algorithm_stepper import AlgorithmStepper, step_algorithm
from rbdkit.widgets.builder.builder import Builder, build
from rbdkit.widgets.comparison import ComparisonView, compare
from rbdkit.widgets.integrator_stepper import IntegratorStepper, step_integrator
from rbdkit.widgets.panel import Panel, Slider
from rbdkit.widgets.play import Play, play
from rbdkit.widgets.playground import Picture, Playground
from rbdkit.widgets.sliders import Sliders, sliders
from rbdkit.widgets.source import Source, source
from rbdkit.widgets.stage import Stage
from rbdkit.widgets.tour import Stop
from rbdkit.widgets.tweak import Tweak, tweak
from rbdkit.widgets.view import View, show

__all__ = [
    "AlgorithmStepper",
    "Builder",
    "ComparisonView",
    "IntegratorStepper",
    "Panel",
    "Picture",
    "Play",
    "Playground",
    "Slider",
    "Sliders",
    "Source",
    "Stage",
    "Stop",
    "Tweak",
    "View",
    "build",
    "compare",
    "play",
    "show",
    "sliders",
    "source",
    "step_algorithm",
    "step_integrator",
    "tweak",
]
