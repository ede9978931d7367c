"""Payload with which a page's picture can be let go: from the state shown it moves on, and can be pulled at."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import RbdkitError
from rbdkit.export.arrays import Columns, on_grid
from rbdkit.scene.in_page import InPage
from rbdkit.simulation import SimulationWarning
from rbdkit.widgets import Stage, Tweak
from rbdkit.widgets.front import in_python_only
from rbdkit.widgets.letting_go import LettingGo

STATE = 23
"""Resolution of recorded states, as of poses: that of float32 at the largest number."""


def toy_of(stage: Stage, live: InPage | None = None) -> dict[str, Any] | str:
    """Return what a page needs to simulate a picture's model from its state, or why it cannot.

    Parameters
    ----------
    live : what the page of a `tweak` simulates by itself; its sliders then change this simulation, too.

    Returns
    -------
    dict
        As of `Play`, with "motion": states (q, v, z) at the keys of the picture's tracks, or None where it has no
        recorded motion or the page makes its own.
    """
    if not isinstance(stage, LettingGo):
        return "it shows no model"
    options = _options(stage, live) if live is not None and isinstance(stage, Tweak) else {}
    try:
        with in_python_only(), warnings.catch_warnings():  # what is played says it by itself
            warnings.simplefilter("ignore", SimulationWarning)
            toy = stage.let_go(**options)
    except RbdkitError as fault:
        return str(fault).rstrip(".")
    data = {name: value for name, value in toy._live.items() if name != "panel"}
    toy.close()
    names = [body.name for body in toy.model.bodies]
    nodes = stage.scene.nodes[: len(names)]
    if not all(node == name or node.endswith(f": {name}") for node, name in zip(nodes, names, strict=True)):
        return "the picture shows other things besides its bodies"
    recorded = stage.recorded()
    data |= {"motion": None, "panel": {"values": b"", "rows": []}}
    if live is not None:  # a slider of the page turns what is played as well, if it is not of how the motion began
        data["knobs"] = [knob if _goes_on(knob) else {**knob, "kind": "start"} for knob in live.data["knobs"]]
    elif recorded is not None:
        run, rows = recorded
        states = {name: _states(getattr(run, name)[rows]) for name in "qvz"}
        data["motion"] = {"t": run.t[rows].astype("<f8").tobytes(), **states}
    return data


def _states(rows: NDArray) -> Columns:
    return on_grid(np.asarray(rows, dtype="<f4").tobytes(), max(rows.shape[1], 1), STATE)


def _options(stage: Tweak, live: InPage) -> dict[str, Any]:
    """Return the options of `let_go` with which the sliders of a page can change what is played."""
    knobs = [stage.experiment.knobs[k] for k in live.turned]
    ranges = {
        knob.name: list(knob.choices) if knob.choices else (knob.low, knob.high, float(stage.panel.numbers[k]))
        for k, knob, place in zip(live.turned, knobs, live.data["knobs"], strict=True)
        if _goes_on(place)
    }
    run = stage.experiment.member(stage.panel.numbers).options
    own = {"dt": run["dt"]} | ({} if "touching" in live.data else {"integrator": run["integrator"]})
    return {"ranges": ranges, **own, "contact": run.get("contact"), "limits": run.get("limits")}


def _goes_on(knob: dict[str, Any]) -> bool:
    """Return whether a number is one of the model or its steps, and not only of how a motion begins and ends."""
    return bool(knob["kind"] == "parameter" or knob["name"] in ("dt", "method"))
